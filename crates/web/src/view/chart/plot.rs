//! The frame of a chart with two axes: where the plot is, its grid, its ticks, lines over time and their names.

use crate::format;
use crate::model::view::Window;
use crate::number::{log10, within};
use crate::protocol::{BINS_SHOWN, RunSide, Snapshot};
use crate::text::{Msg, text};
use crate::view::axis::{self, Tick};
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::{Frame, Runs, Table, letter};
use crate::view::scene::{Align, Dash, Label, Scene, Shape, Stroke};
use crate::view::time_scale::TimeScale;
use schedlab_engine::order::sorted;

/// Size of the text on axes, in units of the picture's font.
pub(super) const SMALL: f64 = 0.85;

/// Width of a line that shows data, px.
const LINE_PX: f64 = 1.5;

/// How values become heights.
#[derive(Clone, Debug)]
pub(super) struct ValueAxis {
    pub(super) ticks: Vec<Tick>,
    log: bool,
}

impl ValueAxis {
    /// From 0 to a round number above `max`.
    pub(super) fn from_zero(max: f64, steps: usize) -> ValueAxis {
        ValueAxis {
            ticks: axis::from_zero(max, steps),
            log: false,
        }
    }

    /// Whole decades of a time in ns.
    pub(super) fn decades_ns(low: f64, high: f64, texts: usize) -> ValueAxis {
        ValueAxis {
            ticks: axis::decades_ns(low, high, texts),
            log: true,
        }
    }

    /// Where on the axis a value is: 0 at its start, 1 at its end, clamped.
    pub(super) fn share(&self, value: f64) -> f64 {
        let ends = [self.ticks.first(), self.ticks.last()].map(|t| t.map_or(0.0, |t| t.value));
        let [low, high, value] =
            [ends[0], ends[1], value].map(|v| if self.log { log10(v.max(1e-9)) } else { v });
        within(
            (value - low) / (high - low).max(f64::MIN_POSITIVE),
            0.0,
            1.0,
        )
    }
}

/// A plot with axes.
pub(super) struct Plot<'a> {
    frame: Frame<'a>,
    /// Where data are drawn.
    pub(super) area: Rect,
    /// Heights.
    pub(super) values: ValueAxis,
}

/// Texts of the axis below keep so far from the plot, px: the lowest text beside it hangs half below its end.
const BELOW: f64 = 6.0;

impl<'a> Plot<'a> {
    /// A plot with room for the texts of its value axis on the left and `right` px for names on the right.
    pub(super) fn new(frame: Frame<'a>, values: ValueAxis, right: f64) -> Plot<'a> {
        let line = frame.font.line_height() * SMALL;
        let width = |tick: &Tick| frame.font.width(&tick.text) * SMALL;
        let left = values.ticks.iter().map(width).fold(0.0, f64::max).ceil() + 6.0;
        let (top, bottom) = ((line / 2.0).ceil() + 1.0, line + 3.0 + BELOW);
        let area = Rect::new(
            left,
            top,
            (frame.width - left - right).max(1.0),
            (frame.height - top - bottom).max(1.0),
        );
        Plot {
            frame,
            area,
            values,
        }
    }

    /// How many steps a value axis of this height has room for.
    pub(super) fn steps(frame: &Frame<'_>) -> usize {
        let line = frame.font.line_height() * SMALL;
        within((frame.height - 2.0 * line) / (line * 1.8), 2.0, 6.0) as usize
    }

    /// The height of a value.
    pub(super) fn y(&self, value: f64) -> f64 {
        self.area.bottom() - self.values.share(value) * self.area.h
    }

    /// The time scale of the plot, from 0 to `end_ns`.
    pub(super) fn times(&self, end_ns: u64) -> TimeScale {
        TimeScale::new(Window::new(0, end_ns), self.area.x, self.area.right())
    }

    /// Grid lines and the texts of the value axis.
    pub(super) fn value_axis<T>(&self, scene: &mut Scene<T>) {
        for (i, tick) in self.values.ticks.iter().enumerate() {
            let y = self.y(tick.value).round() - 0.5;
            let ink = if i == 0 {
                Colour::Edge.alpha(0.7)
            } else {
                Colour::Line.into()
            };
            let ends = [self.area.x, self.area.right()].map(|x| Point::new(x, y));
            scene.line(
                ends[0],
                ends[1],
                Stroke {
                    ink,
                    ..Stroke::new(Colour::Line, 1.0)
                },
            );
            if !tick.text.is_empty() {
                let at = Point::new(self.area.x - 4.0, y + 0.5);
                let label = Label::new(at, tick.text.clone(), Colour::Mute);
                scene.text(label.aligned(Align::End).scaled(SMALL));
            }
        }
    }

    /// Ticks and texts of a time axis below the plot.
    pub(super) fn time_axis<T>(&self, scene: &mut Scene<T>, scale: &TimeScale) {
        let font = self.frame.font.scaled(SMALL);
        for tick in axis::time_ticks(scale, &font, 14.0).ticks {
            self.bottom_tick(scene, scale.px(tick.value as u64), &tick.text);
        }
    }

    /// A tick at `x` and its text below the plot, pushed inward where it would leave the picture.
    pub(super) fn bottom_tick<T>(&self, scene: &mut Scene<T>, x: f64, text: &str) {
        let bottom = self.area.bottom();
        let stroke = Stroke::new(Colour::Edge.alpha(0.7), 1.0);
        let x_line = x.round() - 0.5;
        scene.line(
            Point::new(x_line, bottom),
            Point::new(x_line, bottom + 3.0),
            stroke,
        );
        if text.is_empty() {
            return;
        }
        let half = self.frame.font.width(text) * SMALL / 2.0;
        let x = x.min(self.frame.width - half - 1.0).max(half);
        let y = bottom + BELOW + self.frame.font.line_height() * SMALL / 2.0;
        let label = Label::new(Point::new(x, y), text, Colour::Mute);
        scene.text(label.aligned(Align::Middle).scaled(SMALL));
    }

    /// Names beside the right ends of lines, moved apart where they would touch, in the order of the lines; of lines that
    /// end at the same height the one given later is the higher one.
    pub(super) fn names<T>(&self, scene: &mut Scene<T>, names: &[(f64, String, RunSide)]) {
        let line = self.frame.font.line_height() * SMALL;
        let top_first: Vec<_> = names.iter().rev().cloned().collect();
        let names = sorted(&top_first, |a, b| a.0.round().total_cmp(&b.0.round()));
        let wanted: Vec<f64> = names.iter().map(|(y, ..)| *y).collect();
        let ys = spread(&wanted, line, self.area.y, self.area.bottom());
        for ((_, name, side), y) in names.into_iter().zip(ys) {
            let at = Point::new(self.area.right() + 4.0, y);
            let label = Label::new(at, name, Colour::Side(side));
            scene.text(label.scaled(SMALL).bold());
        }
    }

    /// A line at a time, with a dot on each value there.
    pub(super) fn cross(&self, x: f64, dots: &[(f64, RunSide)]) -> Vec<Shape> {
        let x = x.round() - 0.5;
        let ends = [self.area.y, self.area.bottom()].map(|y| Point::new(x, y));
        let stroke = Stroke::new(Colour::Ink.alpha(0.5), 1.0);
        let mut shapes = vec![Shape::Line(ends[0], ends[1], stroke)];
        for &(value, side) in dots.iter().filter(|(value, _)| value.is_finite()) {
            let middle = Point::new(x, self.y(value));
            shapes.push(Shape::Dot(middle, 4.0, Colour::Panel.into()));
            shapes.push(Shape::Dot(middle, 3.0, Colour::Side(side).into()));
        }
        shapes
    }
}

/// Lines through points, interrupted where a value is missing.
pub(super) fn lines<T>(scene: &mut Scene<T>, points: &[Option<Point>], side: RunSide) {
    let dash = if side == RunSide::B {
        Dash::Dashed
    } else {
        Dash::Solid
    };
    let stroke = Stroke::new(Colour::Side(side), LINE_PX).dashed(dash);
    for run in points.split(Option::is_none).filter(|run| !run.is_empty()) {
        let run: Vec<Point> = run.iter().copied().flatten().collect();
        match run.as_slice() {
            [only] => scene.add(Shape::Dot(*only, LINE_PX, Colour::Side(side).into())),
            _ => scene.add(Shape::Path(run, stroke)),
        }
    }
}

/// Moves ascending heights apart by at least `gap`, as little as possible, and keeps them between `top` and `bottom`.
fn spread(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut ys: Vec<f64> = Vec::with_capacity(wanted.len());
    for &y in wanted {
        let least = ys.last().map_or(top, |last| last + gap);
        ys.push(y.max(least));
    }
    let mut most = bottom;
    for y in ys.iter_mut().rev() {
        *y = y.min(most);
        most = *y - gap;
    }
    ys
}

/// A stretch of time as a band over the data; nothing if it is all of the time.
pub(super) fn window_band(area: Rect, scale: &TimeScale, window: Window) -> Option<Shape> {
    let x = (
        scale.px_inside(window.from_ns),
        scale.px_inside(window.to_ns),
    );
    let band = Rect::between((x.0, x.1.max(x.0 + 1.0)), (area.y, area.bottom()));
    (x.1 - x.0 < area.w - 1.0).then(|| Shape::Box(band, Colour::Ink.alpha(0.1)))
}

/// How a chart divides the time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bins {
    /// Width of a bin, ns.
    pub(super) width_ns: u64,
    /// How many there are; the last may not be full.
    pub(super) count: usize,
    now_ns: u64,
}

impl Bins {
    /// As finely as it is recorded.
    pub(super) fn fine(run: &Snapshot) -> Self {
        Self::merged(run, 1)
    }

    /// For a line: a power of two of the recorded bins in each, so that none splits while the run grows.
    pub(super) fn of_line(run: &Snapshot) -> Self {
        Self::merged(run, Self::per_point(run))
    }

    /// So many recorded bins are a point of a line.
    pub(super) fn per_point(run: &Snapshot) -> usize {
        let least = run.series.bins().div_ceil(BINS_SHOWN);
        least.next_power_of_two()
    }

    fn merged(run: &Snapshot, per: usize) -> Self {
        Self {
            width_ns: run.series.bin_ns * per as u64,
            count: run.series.bins().div_ceil(per),
            now_ns: run.now_ns,
        }
    }

    /// Those of latencies.
    pub(super) fn of_latency(run: &Snapshot) -> Self {
        Self {
            width_ns: run.series.latency_bin_ns,
            count: run.series.latency_p50_ns.len(),
            now_ns: run.now_ns,
        }
    }

    /// The middle of bin `index`, or nothing for a last bin that has hardly begun, and the time it covers, ns.
    pub(super) fn bin(self, index: usize) -> Option<(u64, u64)> {
        let start = self.width_ns * index as u64;
        let covered = self.now_ns.saturating_sub(start).min(self.width_ns);
        (covered * 4 >= self.width_ns && covered > 0).then_some((start + covered / 2, covered))
    }

    /// The bin that contains a time.
    pub(super) fn at(self, ns: u64) -> Option<usize> {
        let index = ns.checked_div(self.width_ns)? as usize;
        (index < self.count).then_some(index)
    }
}

/// `A 1.84 M/s`: the letter only where there are two.
pub(super) fn sided(side: RunSide, text: &str, compared: bool) -> String {
    if compared {
        format!("{} {text}", letter(side))
    } else {
        text.to_string()
    }
}

/// A time as the hover line gives it.
pub(super) fn time(ns: u64) -> String {
    format::span(ns as f64).text()
}

/// How many rows a table over time has at most.
const ROWS: usize = 32;

/// A table over time: a row for each of `bins` in equal steps, and for each run the columns `names`, whose cells
/// `cells` gives.
pub(super) fn time_table(
    runs: &Runs,
    names: &[&str],
    bins: fn(&Snapshot) -> Bins,
    cells: impl Fn(&Snapshot, usize) -> Vec<String>,
) -> Table {
    let compared = runs.compared();
    let mut head = vec![text(Msg::PictureTime).to_string()];
    for (side, _) in runs.iter() {
        head.extend(names.iter().map(|name| sided(side, name, compared)));
    }
    let all = || runs.iter().map(|(_, run)| bins(run));
    let count = all().map(|bins| bins.count).max().unwrap_or(0);
    let width_ns = all().map(|bins| bins.width_ns).max().unwrap_or(0);
    let rows = (0..count)
        .step_by(count.div_ceil(ROWS).max(1))
        .map(|index| {
            let ns = width_ns * index as u64;
            let mut row = vec![time(ns)];
            for (_, run) in runs.iter() {
                let found = bins(run).at(ns).map(|index| cells(run, index));
                row.extend(found.unwrap_or_else(|| vec![String::new(); names.len()]));
            }
            row
        });
    Table {
        rows: rows.collect(),
        head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_apart_and_stay_inside() {
        assert_eq!(
            spread(&[10.0, 11.0, 50.0], 12.0, 0.0, 100.0),
            [10.0, 22.0, 50.0]
        );
        assert_eq!(spread(&[98.0, 99.0], 12.0, 0.0, 100.0), [88.0, 100.0]);
        assert_eq!(spread(&[-5.0], 12.0, 0.0, 100.0), [0.0]);
    }

    #[test]
    fn log_axes_place_decades_evenly() {
        let axis = ValueAxis::decades_ns(1e3, 1e6, 9);
        assert!((axis.share(1e4) - 1.0 / 3.0).abs() < 1e-9);
        assert!(axis.share(0.0).abs() < 1e-9 && (axis.share(1e12) - 1.0).abs() < 1e-9);
    }
}
