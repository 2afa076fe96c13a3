//! The whole recording, small, above the lanes: how busy the machine was, and which part of it is shown.

use super::layout::Layout;
use crate::model::view::Window;
use crate::protocol::Snapshot;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::Runs;
use crate::view::scene::{Scene, Shape, Stroke};
use crate::view::time_scale::TimeScale;

/// Width of the handles at both ends of the window, px.
pub const HANDLE: f64 = 6.0;

/// What of the minimap is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The start of the window.
    Start,
    /// The end of the window.
    End,
    /// The window.
    Inside,
    /// The time beside it.
    Outside,
}

/// The scale of the minimap.
pub fn scale(layout: &Layout, end_ns: u64) -> TimeScale {
    TimeScale::new(
        Window::new(0, end_ns),
        layout.minimap.x,
        layout.minimap.right(),
    )
}

/// Where the window is, never narrower than its handles.
pub fn window_rect(layout: &Layout, end_ns: u64, window: Window) -> Rect {
    let scale = scale(layout, end_ns);
    let (from, to) = (
        scale.px_inside(window.from_ns),
        scale.px_inside(window.to_ns),
    );
    let wide = (to - from).max(4.0);
    let from = from.min(layout.minimap.right() - wide);
    Rect::new(from, layout.minimap.y, wide, layout.minimap.h)
}

/// What of it is at a point.
pub fn part(layout: &Layout, end_ns: u64, window: Window, at: Point) -> Option<Part> {
    if !layout.minimap.contains(at, 2.0) {
        return None;
    }
    let rect = window_rect(layout, end_ns, window);
    // Outside a narrow window the handles have room; inside it they would leave none to move it by.
    let inner = (rect.w / 4.0).min(HANDLE);
    Some(match at.x {
        x if x < rect.x - HANDLE || x > rect.right() + HANDLE => Part::Outside,
        x if x < rect.x + inner => Part::Start,
        x if x > rect.right() - inner => Part::End,
        _ => Part::Inside,
    })
}

/// The mean over all CPUs of how busy a bin was.
fn busy(run: &Snapshot, bin: usize) -> f64 {
    let cpus = run.cpus().max(1);
    let sum: f32 = (0..cpus)
        .filter_map(|cpu| run.series.busy_of(cpu).get(bin))
        .sum();
    f64::from(sum) / cpus as f64
}

/// Draws it.
pub fn draw<T>(scene: &mut Scene<T>, layout: &Layout, runs: &Runs, end_ns: u64, window: Window) {
    let scale = scale(layout, end_ns);
    let rows = runs.iter().count();
    scene.fill(layout.minimap, Colour::Track);
    for (i, (side, run)) in runs.iter().enumerate() {
        let row = layout.minimap_row(i, rows).inset(0.0, 1.0);
        let mut points = vec![Point::new(row.x, row.bottom())];
        let bins = run
            .series
            .bins()
            .min((end_ns / run.series.bin_ns.max(1)) as usize + 1);
        for bin in 0..bins {
            let y = row.bottom() - busy(run, bin) * row.h;
            let start = run.series.bin_ns * bin as u64;
            let ends =
                [start, start + run.series.bin_ns].map(|ns| scale.px_inside(ns.min(run.now_ns)));
            points.extend(ends.map(|x| Point::new(x, y)));
        }
        let right = points.last().map_or(row.x, |last| last.x);
        points.push(Point::new(right, row.bottom()));
        scene.add(Shape::Area(points, Colour::Side(side).alpha(0.55)));
    }
    let rect = window_rect(layout, end_ns, window);
    let map = layout.minimap;
    for x in [(map.x, rect.x), (rect.right(), map.right())] {
        let shade = Rect::between(x, (map.y, map.bottom()));
        scene.fill(shade, Colour::Panel.alpha(0.65));
    }
    scene.add(Shape::Frame(
        rect.inset(0.5, 0.5),
        Stroke::new(Colour::Ink.alpha(0.8), 1.0),
    ));
    for x in [rect.x, rect.right()] {
        let grip = Rect::new(x - 1.5, rect.middle().y - 5.0, 3.0, 10.0);
        scene.fill(grip, Colour::Ink);
    }
}
