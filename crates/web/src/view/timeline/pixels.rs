//! Lanes with more slices than pixels: some rows of pixels a lane, stretched to its height.
//!
//! A column is divided among the tasks that have its time, each the higher the more it has, the paler the idler it is: of
//! as many parts of it as there are rows, each is drawn in the colour of a task of it, and those of one colour together.
//! They come from the
//! pyramid where a pixel is wider than its finest bucket, and from the slices themselves where it is not; either way
//! the cost grows with pixels, not with the length of the run. All rows are one image: handing an image to the browser
//! costs more than filling it.

use super::lanes::slices_in;
use super::layout::Layout;
use super::pyramid::{ALL, Pyramid};
use crate::number::within;
use crate::protocol::{Lane, RunSide};
use crate::view::palette::Rgb;
use crate::view::picture::Runs;
use crate::view::scene::Pixels;
use crate::view::time_scale::TimeScale;

/// Pixels in a row at most: wider pictures get wider pixels.
const WIDEST: f64 = 4096.0;

/// Rows of a lane: into so many parts its columns are divided.
pub const ROWS: usize = 4;

/// The least share of a slice's own colour: a rare short slice must not vanish in an idle pixel.
const LEAST: u32 = 70;

/// The colours of one run's tasks and of an idle CPU.
pub struct Inks {
    /// The colour of each task.
    pub tasks: Vec<Rgb>,
    /// The colour of each reason by its code, if reasons decide.
    pub reasons: Option<Vec<Rgb>>,
    /// An idle CPU.
    pub track: Rgb,
}

impl Inks {
    fn of(&self, task: u32, pick: u8) -> Rgb {
        let (table, index) = match &self.reasons {
            Some(reasons) => (reasons, usize::from(pick)),
            None => (&self.tasks, task as usize),
        };
        table.get(index).copied().unwrap_or(self.track)
    }
}

/// What is known of one run.
pub struct Source<'a> {
    /// The run.
    pub side: RunSide,
    /// Its lanes at every scale.
    pub pyramids: &'a [Pyramid],
    /// Its colours.
    pub inks: Inks,
}

/// [`ROWS`] for each lane of the layout, top to bottom, as wide as the plot at `ratio` physical pixels in a px.
pub fn rows(
    layout: &Layout,
    runs: &Runs,
    scale: &TimeScale,
    ratio: f64,
    sources: &[Source<'_>],
) -> Pixels {
    let wide = layout.plot.w;
    let width = within(wide * ratio, 1.0, WIDEST) as usize;
    let parts = width * ROWS;
    let step = wide / parts as f64;
    let edges: Vec<u64> = (0..=parts)
        .map(|i| scale.ns(layout.plot.x + step * i as f64))
        .collect();
    let width_ns = scale.ns_per_px() * step;
    let mut rgba = vec![0; parts * 4 * layout.lanes.len()];
    for (lane, rows) in layout.lanes.iter().zip(rgba.chunks_exact_mut(parts * 4)) {
        let source = sources.iter().find(|source| source.side == lane.side);
        let (Some(source), Some(run)) = (source, runs.get(lane.side)) else {
            continue;
        };
        let cpu = usize::from(lane.cpu);
        let (Some(column), Some(pyramid)) = (run.trace.lanes.get(cpu), source.pyramids.get(cpu))
        else {
            continue;
        };
        let end_ns = run.trace.end_ns;
        // Beyond the recording a row stays empty.
        let recorded = edges.partition_point(|&edge| edge < end_ns).min(parts);
        let mut whole = vec![[0; 4]; parts];
        let row = &mut whole[..recorded];
        let level = pyramid.level(width_ns);
        match level.or_else(|| pyramid.level(width_ns * ROWS as f64)) {
            Some(level) => {
                from_pyramid(row, &edges, (pyramid, level), &source.inks);
                still_open(row, &edges, column, &source.inks);
            }
            None => from_slices(row, &edges, (column, end_ns), &source.inks),
        }
        stand(&mut whole, rows.as_chunks_mut().0);
    }
    Pixels { width, rgba }
}

/// The parts of each column on each other, those of one colour together.
fn stand(parts: &mut [[u8; 4]], rows: &mut [[u8; 4]]) {
    let width = parts.len() / ROWS;
    for (column, parts) in parts.chunks_mut(ROWS).enumerate() {
        for i in 1..ROWS {
            let mut at = i;
            while at > 0 && parts[at - 1] > parts[at] {
                parts.swap(at - 1, at);
                at -= 1;
            }
        }
        for (row, part) in parts.iter().enumerate() {
            rows[row * width + column] = *part;
        }
    }
}

fn from_pyramid(
    row: &mut [[u8; 4]],
    edges: &[u64],
    (pyramid, level): (&Pyramid, usize),
    inks: &Inks,
) {
    for (pixel, edges) in row.iter_mut().zip(edges.windows(2)) {
        let bucket = pyramid.between(level, edges[0], edges[1]);
        let top = bucket.top().map(|(task, pick)| inks.of(task, pick));
        *pixel = blend(
            top,
            u32::from(bucket.busy) * 255 / u32::from(ALL),
            inks.track,
        );
    }
}

/// The slice that has not ended is in no pyramid: it has every pixel of which it has most.
fn still_open(row: &mut [[u8; 4]], edges: &[u64], lane: &Lane, inks: &Inks) {
    let Some(begin) = lane.len().checked_sub(1).and_then(|at| lane.switch(at)) else {
        return;
    };
    let Some(task) = begin.task else { return };
    let ink = inks.of(task, begin.pick as u8);
    for (pixel, edges) in row.iter_mut().zip(edges.windows(2)) {
        if u64::midpoint(edges[0], edges[1]) >= begin.at_ns {
            *pixel = blend(Some(ink), 255, inks.track);
        }
    }
}

/// Who has how much of the pixel that is being filled.
#[derive(Clone, Copy, Default)]
struct Cover {
    top: Option<Rgb>,
    top_ns: u64,
    busy_ns: u64,
}

fn from_slices(row: &mut [[u8; 4]], edges: &[u64], (lane, end_ns): (&Lane, u64), inks: &Inks) {
    let mut at = 0;
    let mut cover = Cover::default();
    for (_, slice) in slices_in(lane, edges[0], edges[row.len()], end_ns) {
        let ink = slice
            .begin
            .task
            .map(|task| inks.of(task, slice.begin.pick as u8));
        while let Some(pixel) = row.get_mut(at) {
            let (from_ns, to_ns) = (edges[at], edges[at + 1]);
            let inside = slice
                .end_ns
                .min(to_ns)
                .saturating_sub(slice.begin.at_ns.max(from_ns));
            if let Some(ink) = ink.filter(|_| inside > 0) {
                cover.take(ink, inside);
            }
            if slice.end_ns < to_ns {
                break;
            }
            *pixel = cover.pixel(to_ns - from_ns, inks.track);
            cover = Cover::default();
            at += 1;
        }
    }
    if let Some(last) = row.get_mut(at) {
        *last = cover.pixel(edges[at + 1] - edges[at], inks.track);
    }
}

impl Cover {
    fn take(&mut self, ink: Rgb, ns: u64) {
        self.busy_ns += ns;
        if ns > self.top_ns {
            self.top = Some(ink);
            self.top_ns = ns;
        }
    }

    fn pixel(&self, width_ns: u64, track: Rgb) -> [u8; 4] {
        blend(
            self.top,
            (self.busy_ns * 255 / width_ns.max(1)) as u32,
            track,
        )
    }
}

/// The track where nobody runs; else the colour, `busy` of 255 strong.
fn blend(top: Option<Rgb>, busy: u32, track: Rgb) -> [u8; 4] {
    let Some(ink) = top else {
        return [track.0, track.1, track.2, 255];
    };
    let busy = busy.clamp(LEAST, 255);
    let mix = |ink: u8, track: u8| {
        ((u32::from(ink) * busy + u32::from(track) * (255 - busy)) / 255) as u8
    };
    [
        mix(ink.0, track.0),
        mix(ink.1, track.1),
        mix(ink.2, track.2),
        255,
    ]
}
