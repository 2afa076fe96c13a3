//! What happened between slices: wakeups as arrows, migrations as dashed lines, preemptions and buddies as small signs.
//!
//! Signs differ in shape, not in colour: a notch at the end of a slice is a preemption, a dot at its start the next
//! buddy, a square the last buddy; an arrow with a full head preempts, one with an open head does not.

use super::lanes::{Look, slice_rect, slices_in};
use super::layout::{LaneBox, Layout};
use crate::number::within;
use crate::protocol::{EndWhy, Migration, PickWhy, RunSide, Slice, Snapshot, Wakeup};
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::scene::{Dash, Ink, Scene, Shape, Stroke};
use crate::view::time_scale::TimeScale;

/// Arrows are drawn while there are at most this many in the window.
pub const MOST_ARROWS: usize = 160;

/// Under every arrow, so that it is seen on any slice.
const HALO: Stroke = Stroke {
    ink: Ink {
        colour: Colour::Panel,
        alpha: 0.7,
    },
    width: 3.0,
    dash: Dash::Solid,
};

/// Something in the timeline that can be asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A wakeup.
    Wakeup(RunSide, Wakeup),
    /// A migration.
    Migration(RunSide, Migration),
}

/// Wakeups and migrations of a run.
pub fn arrows(
    scene: &mut Scene<Mark>,
    layout: &Layout,
    (side, run): (RunSide, &Snapshot),
    scale: &TimeScale,
) {
    let window = scale.window();
    for migration in run.trace.migrations_in(window.from_ns, window.to_ns) {
        let lanes = (
            layout.lane(side, migration.from_cpu),
            layout.lane(side, migration.to_cpu),
        );
        if let (Some(from), Some(to)) = lanes {
            migration_mark(
                scene,
                (from, to),
                scale.px(migration.at_ns),
                Mark::Migration(side, migration),
            );
        }
    }
    for wakeup in run.trace.wakeups_in(window.from_ns, window.to_ns) {
        let lanes = (
            layout.lane(side, wakeup.from_cpu),
            layout.lane(side, wakeup.to_cpu),
        );
        if let (Some(from), Some(to)) = lanes {
            arrow(
                scene,
                (from, to),
                scale.px(wakeup.at_ns),
                (Mark::Wakeup(side, wakeup), wakeup.preempts),
            );
        }
    }
}

/// From the lane of the waker to the lane that the task is put on; on one lane only a head.
fn arrow(
    scene: &mut Scene<Mark>,
    (from, to): (&LaneBox, &LaneBox),
    x: f64,
    (mark, full): (Mark, bool),
) {
    let strength = if full { 0.95 } else { 0.6 };
    let stroke = Stroke::new(Colour::Ink.alpha(strength), 1.0);
    let down = to.rect.y > from.rect.y;
    let tip = Point::new(x, to.rect.middle().y);
    let size = within(to.rect.h * 0.3, 2.5, 4.5);
    if from.cpu != to.cpu {
        let start = Point::new(
            x,
            if down {
                from.rect.bottom()
            } else {
                from.rect.y
            },
        );
        scene.target(Shape::Line(start, tip, stroke), mark);
    }
    let back = if down || from.cpu == to.cpu {
        -1.6
    } else {
        1.6
    } * size;
    let head = vec![
        Point::new(tip.x - size, tip.y + back),
        tip,
        Point::new(tip.x + size, tip.y + back),
    ];
    scene.add(Shape::Path(head.clone(), HALO));
    let shape = if full {
        Shape::Area(head, stroke.ink)
    } else {
        Shape::Path(head, stroke)
    };
    scene.target(shape, mark);
}

/// A dashed line between the two lanes and a diamond on the new one.
fn migration_mark(scene: &mut Scene<Mark>, (from, to): (&LaneBox, &LaneBox), x: f64, mark: Mark) {
    let ends = [from, to].map(|lane| Point::new(x, lane.rect.middle().y));
    let stroke = Stroke::new(Colour::Ink.alpha(0.75), 1.2).dashed(Dash::Dotted);
    scene.line(ends[0], ends[1], HALO);
    scene.target(Shape::Line(ends[0], ends[1], stroke), mark);
    let size = within(to.rect.h * 0.28, 2.5, 4.5);
    scene.target(
        Shape::Area(diamond(ends[1], size), Colour::Ink.into()),
        mark,
    );
}

fn diamond(middle: Point, size: f64) -> Vec<Point> {
    let corners = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)];
    corners
        .map(|(dx, dy)| Point::new(middle.x + dx, middle.y + dy))
        .to_vec()
}

/// Preemptions and buddies of one lane.
pub fn signs(scene: &mut Scene<Mark>, lane: &LaneBox, run: &Snapshot, look: Look<'_>) {
    let window = look.scale.window();
    let Some(column) = run.trace.lanes.get(usize::from(lane.cpu)) else {
        return;
    };
    for (_, slice) in slices_in(column, window.from_ns, window.to_ns, run.trace.end_ns) {
        let Some(task) = slice.begin.task else {
            continue;
        };
        let Some(rect) = slice_rect(lane, &slice, look.scale) else {
            continue;
        };
        let ink = Colour::OnData(look.colours.of(task, slice.begin.pick));
        for shape in signs_of(&slice, rect, ink.into()) {
            scene.add(shape);
        }
    }
}

fn signs_of(slice: &Slice, rect: Rect, ink: Ink) -> impl Iterator<Item = Shape> {
    let size = (rect.h * 0.34).min(5.0);
    let preempted = slice.end.is_some_and(EndWhy::is_preemption) && rect.w > size * 1.5;
    let notch = preempted.then(|| {
        let corner = Point::new(rect.right() - 0.7, rect.y);
        let points = [(0.0, 0.0), (-size, 0.0), (0.0, size)];
        let points = points.map(|(dx, dy)| Point::new(corner.x + dx, corner.y + dy));
        Shape::Area(points.to_vec(), ink)
    });
    let foot = Point::new(rect.x + size * 0.6, rect.bottom() - size * 0.6);
    let half = size * 0.4;
    let buddy = match slice.begin.pick {
        _ if rect.w <= size * 3.0 => None,
        PickWhy::NextBuddy => Some(Shape::Dot(foot, half, ink)),
        PickWhy::LastBuddy => {
            let square = Rect::new(foot.x - half, foot.y - half, 2.0 * half, 2.0 * half);
            Some(Shape::Box(square, ink))
        }
        _ => None,
    };
    notch.into_iter().chain(buddy)
}
