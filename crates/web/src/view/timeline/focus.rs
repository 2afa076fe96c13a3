//! What is pointed at and what is selected, drawn over the timeline.

use super::hit::Hit;
use super::lanes::{slice_rect, slices_in};
use super::layout::{LaneBox, Layout};
use super::marks::Mark;
use super::tip::wakeup_of;
use crate::model::view::Cursor;
use crate::protocol::{RunSide, Slice, Snapshot, Wakeup};
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::Runs;
use crate::view::scene::{Dash, Shape, Stroke};
use crate::view::time_scale::TimeScale;

/// Slices of the task that is pointed at get an outline while at most this many slices are seen in a lane.
const MOST_IN_LANE: usize = 400;

/// The cursor: a line through all lanes and a frame around the slice it is in.
pub fn cursor((layout, runs): (&Layout, &Runs), scale: &TimeScale, cursor: Cursor) -> Vec<Shape> {
    let mut shapes = vec![Shape::Clip(Rect::new(
        layout.plot.x - 4.0,
        layout.plot.y - 5.0,
        layout.plot.w + 8.0,
        layout.plot.h + 7.0,
    ))];
    let window = scale.window();
    if window.contains(cursor.at_ns) {
        let x = scale.px(cursor.at_ns).round() - 0.5;
        let ends = [layout.plot.y - 4.0, layout.plot.bottom()].map(|y| Point::new(x, y));
        let ground = Stroke::new(Colour::Panel.alpha(0.8), 3.0);
        shapes.push(Shape::Line(ends[0], ends[1], ground));
        shapes.push(Shape::Line(
            ends[0],
            ends[1],
            Stroke::new(Colour::Ink, 1.2).dashed(Dash::Dashed),
        ));
    }
    if let Some((lane, run)) = layout
        .lane(cursor.side, cursor.cpu)
        .zip(runs.get(cursor.side))
    {
        let column = run.trace.lanes.get(usize::from(cursor.cpu));
        let index = column.and_then(|column| column.index_at(cursor.at_ns));
        let slice = column
            .zip(index)
            .and_then(|(column, i)| column.slice(i, run.trace.end_ns));
        if let Some(slice) = slice {
            shapes.extend(frame(lane, &slice, scale, 2.0));
        }
        let y = lane.rect.middle().y;
        shapes.push(arrow(Point::new(lane.rect.x, y), 4.0, cursor.side));
        // A moment that is out of sight: there it is.
        let (left, right) = (lane.rect.x + 3.0, lane.rect.right() - 3.0);
        if cursor.at_ns < window.from_ns {
            shapes.push(arrow(Point::new(left, y), -9.0, cursor.side));
        } else if cursor.at_ns > window.to_ns {
            shapes.push(arrow(Point::new(right, y), 9.0, cursor.side));
        }
    }
    shapes.push(Shape::Unclip);
    shapes
}

/// A triangle with its tip at `at`, so long.
fn arrow(at: Point, length: f64, side: RunSide) -> Shape {
    let points = [(-1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)];
    let high = length.abs() * 0.85;
    let points = points.map(|(dx, dy)| Point::new(at.x + dx * length, at.y + dy * high));
    Shape::Area(points.to_vec(), Colour::Side(side).into())
}

/// The stretch of time that is being chosen on the axis, from one x to another.
pub fn stretch(layout: &Layout, chosen: Option<(f64, f64)>) -> Option<Shape> {
    let x = chosen?;
    let band = Rect::between(x, (layout.axis.y, layout.plot.bottom()));
    Some(Shape::Box(
        band.within(&layout.plot.inset(0.0, -layout.axis.h))?,
        Colour::Ink.alpha(0.14),
    ))
}

/// A frame around a slice that is seen on any ground.
fn frame(lane: &LaneBox, slice: &Slice, scale: &TimeScale, width: f64) -> Vec<Shape> {
    let Some(rect) = slice_rect(lane, slice, scale) else {
        return Vec::new();
    };
    let rect = Rect {
        w: rect.w.max(2.0),
        ..rect
    };
    vec![
        Shape::Frame(
            rect.inset(-1.0, -1.0),
            Stroke::new(Colour::Panel, width + 1.5),
        ),
        Shape::Frame(rect.inset(-0.5, -0.5), Stroke::new(Colour::Ink, width)),
    ]
}

/// What is pointed at: a slice with the wakeup that led to it and its task's other slices, or an arrow.
pub fn hover((layout, runs): (&Layout, &Runs), scale: &TimeScale, hit: Hit) -> Vec<Shape> {
    let mut shapes = vec![Shape::Clip(layout.plot.inset(-2.0, -2.0))];
    match hit {
        Hit::Minimap(_) | Hit::Axis | Hit::Idle { index: None, .. } => (),
        Hit::Mark(Mark::Wakeup(side, wakeup)) => {
            let lanes = (
                layout.lane(side, wakeup.from_cpu),
                layout.lane(side, wakeup.to_cpu),
            );
            if let (Some(from), Some(to)) = lanes {
                shapes.extend(strong_arrow(from, to, scale.px(wakeup.at_ns)));
            }
        }
        Hit::Mark(Mark::Migration(side, migration)) => {
            let lanes = (
                layout.lane(side, migration.from_cpu),
                layout.lane(side, migration.to_cpu),
            );
            if let (Some(from), Some(to)) = lanes {
                shapes.extend(strong_arrow(from, to, scale.px(migration.at_ns)));
            }
        }
        Hit::Slice { side, cpu, index }
        | Hit::Idle {
            side,
            cpu,
            index: Some(index),
            ..
        } => {
            if let (Some(lane), Some(run)) = (layout.lane(side, cpu), runs.get(side)) {
                shapes.extend(around_slice(layout, lane, run, (scale, index)));
            }
        }
    }
    shapes.push(Shape::Unclip);
    shapes
}

fn around_slice(
    layout: &Layout,
    lane: &LaneBox,
    run: &Snapshot,
    (scale, index): (&TimeScale, usize),
) -> Vec<Shape> {
    let column = run.trace.lanes.get(usize::from(lane.cpu));
    let Some(slice) = column.and_then(|column| column.slice(index, run.trace.end_ns)) else {
        return Vec::new();
    };
    let mut shapes = Vec::new();
    if let Some(task) = slice.begin.task {
        shapes.extend(same_task(layout, lane, run, (scale, task)));
        if let Some(wakeup) = wakeup_of(run, task, lane.cpu, slice.begin.at_ns) {
            shapes.extend(way_to(layout, lane, &wakeup, (scale, &slice)));
        }
    }
    shapes.extend(frame(lane, &slice, scale, 1.2));
    shapes
}

/// Thin frames around the other slices of a task.
fn same_task(
    layout: &Layout,
    lane: &LaneBox,
    run: &Snapshot,
    (scale, task): (&TimeScale, u32),
) -> Vec<Shape> {
    let window = scale.window();
    let mut shapes = Vec::new();
    for other in layout.lanes.iter().filter(|other| other.side == lane.side) {
        let Some(column) = run.trace.lanes.get(usize::from(other.cpu)) else {
            continue;
        };
        let seen = slices_in(column, window.from_ns, window.to_ns, run.trace.end_ns);
        let same = seen
            .take(MOST_IN_LANE)
            .filter(|(_, slice)| slice.begin.task == Some(task));
        for rect in same.filter_map(|(_, slice)| slice_rect(other, &slice, scale)) {
            shapes.push(Shape::Frame(
                rect.inset(0.5, 0.5),
                Stroke::new(Colour::Ink.alpha(0.8), 1.0),
            ));
        }
    }
    shapes
}

/// From the waker's lane to the slice's, and the time waited as a line under it.
fn way_to(
    layout: &Layout,
    lane: &LaneBox,
    wakeup: &Wakeup,
    (scale, slice): (&TimeScale, &Slice),
) -> Vec<Shape> {
    let x = (scale.px(wakeup.at_ns), scale.px(slice.begin.at_ns));
    let y = lane.rect.middle().y;
    let mut shapes = Vec::new();
    if let Some(from) = layout.lane(lane.side, wakeup.from_cpu) {
        shapes.extend(strong_arrow(from, lane, x.0));
    }
    let ends = [x.0, x.1].map(|x| Point::new(x, y));
    shapes.push(Shape::Line(
        ends[0],
        ends[1],
        Stroke::new(Colour::Panel, 4.0),
    ));
    shapes.push(Shape::Line(ends[0], ends[1], Stroke::new(Colour::Ink, 1.6)));
    shapes
}

/// A line between two lanes and a dot on the second.
fn strong_arrow(from: &LaneBox, to: &LaneBox, x: f64) -> Vec<Shape> {
    let ends = [from, to].map(|lane| Point::new(x, lane.rect.middle().y));
    vec![
        Shape::Line(ends[0], ends[1], Stroke::new(Colour::Panel, 4.0)),
        Shape::Line(ends[0], ends[1], Stroke::new(Colour::Ink, 1.8)),
        Shape::Dot(ends[1], 4.0, Colour::Panel.into()),
        Shape::Dot(ends[1], 3.0, Colour::Ink.into()),
    ]
}
