//! Slices drawn one by one, with their names where they fit.

use super::colours::Colours;
use super::layout::{LaneBox, Layout};
use crate::protocol::{Lane, Slice, Snapshot};
use crate::text::{Msg, fill};
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::{Runs, letter};
use crate::view::scene::{Align, Label, Scene};
use crate::view::time_scale::TimeScale;

/// Size of lane names in units of the picture's font.
pub(super) const NAME: f64 = 0.82;

/// Lanes lower than this have no names on their slices, px.
const LOWEST_WITH_NAMES: f64 = 10.0;

/// What a lane is called.
pub(super) fn lane_name(cpu: u16) -> String {
    fill(Msg::PictureCpu, &[("cpu", &cpu.to_string())])
}

/// A slice and the number of the switch that begins it.
pub type Numbered = (usize, Slice);

/// The slices of a lane that are seen between two times, idle ones too.
pub fn slices_in(
    lane: &Lane,
    from_ns: u64,
    to_ns: u64,
    end_ns: u64,
) -> impl Iterator<Item = Numbered> {
    let first = lane.index_at(from_ns).unwrap_or(0);
    let count = lane.index_at(to_ns).map_or(0, |last| last + 1 - first);
    let nexts = lane.walk(first + 1).map(Some).chain(std::iter::once(None));
    let pairs = lane.walk(first).zip(nexts).take(count).enumerate();
    pairs.map(move |(i, (begin, next))| {
        let slice = Slice {
            begin,
            end_ns: next.map_or(end_ns.max(begin.at_ns), |next| next.at_ns),
            end: next.map(|next| next.prev_end),
        };
        (first + i, slice)
    })
}

/// How many slices of a run are seen between two times.
pub fn count_in(run: &Snapshot, from_ns: u64, to_ns: u64) -> usize {
    let seen = |lane: &Lane| {
        let first = lane.index_at(from_ns).unwrap_or(0);
        lane.index_at(to_ns).map_or(0, |last| last + 1 - first)
    };
    run.trace.lanes.iter().map(seen).sum()
}

/// Where a slice is, cut to the window; nothing outside it.
pub fn slice_rect(lane: &LaneBox, slice: &Slice, scale: &TimeScale) -> Option<Rect> {
    let (left, right) = scale.range_px();
    let x = (
        scale.px(slice.begin.at_ns).max(left),
        scale.px(slice.end_ns).min(right),
    );
    (x.1 > x.0).then(|| Rect::between(x, (lane.rect.y, lane.rect.bottom())))
}

/// The ground of each lane, as far as there is a recording, and its name.
pub fn grounds<T>(
    scene: &mut Scene<T>,
    layout: &Layout,
    runs: &Runs,
    scale: &TimeScale,
    font: &FontMetrics,
) {
    let every = names_every(layout, font);
    let mut before = None;
    for (i, lane) in layout.lanes.iter().enumerate() {
        let end_ns = runs.get(lane.side).map_or(0, |run| run.trace.end_ns);
        let end = scale.px_inside(end_ns);
        scene.fill(
            Rect {
                w: end - lane.rect.x,
                ..lane.rect
            },
            Colour::Track,
        );
        let middle = lane.rect.middle().y;
        let first = before != Some(lane.side);
        if first && runs.compared() {
            let label = Label::new(
                Point::new(1.0, middle),
                letter(lane.side),
                Colour::Side(lane.side),
            );
            scene.text(label.bold());
        }
        if first {
            before = Some(lane.side);
        }
        if i % every == 0 {
            let at = Point::new(lane.rect.x - 7.0, middle);
            let label = Label::new(at, lane_name(lane.cpu), Colour::Mute);
            scene.text(label.aligned(Align::End).scaled(NAME));
        }
    }
}

/// Every how many lanes there is room for a name.
fn names_every(layout: &Layout, font: &FontMetrics) -> usize {
    let pitch = layout.lanes.first().map_or(1.0, |lane| lane.rect.h + 1.0);
    (font.size * NAME / pitch).ceil().max(1.0) as usize
}

/// How slices look.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Time to pixels.
    pub scale: &'a TimeScale,
    /// Colours of the run.
    pub colours: &'a Colours,
    /// Font.
    pub font: &'a FontMetrics,
}

/// The slices of one lane.
pub fn lane<T>(scene: &mut Scene<T>, lane: &LaneBox, run: &Snapshot, look: Look<'_>) {
    let window = look.scale.window();
    let trace = &run.trace;
    let Some(column) = trace.lanes.get(usize::from(lane.cpu)) else {
        return;
    };
    let size = (lane.rect.h * 0.78).min(look.font.size * 0.85) / look.font.size;
    for (_, slice) in slices_in(column, window.from_ns, window.to_ns, trace.end_ns) {
        let Some(task) = slice.begin.task else {
            continue;
        };
        let Some(rect) = slice_rect(lane, &slice, look.scale) else {
            continue;
        };
        let colour = look.colours.of(task, slice.begin.pick);
        // A hair of the ground between neighbours, unless they are hairs themselves.
        let gap = if rect.w > 3.0 { 0.7 } else { 0.0 };
        scene.fill(
            Rect {
                w: rect.w - gap,
                ..rect
            },
            Colour::Data(colour),
        );
        if lane.rect.h >= LOWEST_WITH_NAMES {
            name(scene, rect, size, (run, task, colour), look.font);
        }
    }
}

/// The name of a task on its slice, if it fits.
fn name<T>(
    scene: &mut Scene<T>,
    rect: Rect,
    size: f64,
    (run, task, colour): (&Snapshot, u32, u32),
    font: &FontMetrics,
) {
    let room = (rect.w - 6.0) / size;
    if room < font.size {
        return;
    }
    let comm = run.tasks.get(task as usize).map_or("", |info| &info.comm);
    // Names of a workload's tasks begin alike: where the whole name has no room, what follows the dash says more.
    let tail = comm.split_once('-').map_or("", |(_, tail)| tail);
    let fits = |text: &&str| !text.is_empty() && font.width(text) <= room;
    if let Some(text) = [comm, tail].into_iter().find(fits) {
        let at = Point::new(rect.x + 3.0, rect.middle().y);
        scene.text(Label::new(at, text, Colour::OnData(colour)).scaled(size));
    }
}
