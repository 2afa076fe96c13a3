//! How long tasks wait from wakeup to running: all wakeups of a run, on a logarithmic axis of time.

use super::plot::{self, Plot, ValueAxis};
use crate::format;
use crate::number::{log10, pow, within};
use crate::protocol::{Histogram, RunSide};
use crate::text::{Msg, fill, text};
use crate::view::axis;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::{Frame, Hover, Picture, Runs, Table, letter};
use crate::view::scene::{Scene, Shape, Stroke};

/// What the heights are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistributionAs {
    /// The share of wakeups in each step of time.
    #[default]
    Shares,
    /// The share of wakeups up to each time.
    UpTo,
}

/// The chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The runs.
    pub runs: Runs,
    /// What the heights are.
    pub heights: DistributionAs,
}

/// Steps in a decade.
const STEPS: i32 = 8;

/// The range of decades, as exponents of ten.
type Decades = (i32, i32);

/// The counts of a histogram, dealt to equal steps on a logarithmic axis, as shares of all.
fn dealt(histogram: &Histogram, (low, high): Decades) -> Vec<f64> {
    let mut shares = vec![0.0; ((high - low) * STEPS) as usize];
    let total = histogram.total();
    if total <= 0.0 {
        return shares;
    }
    let last = shares.len() as f64;
    let place = |ns: f64| {
        within(
            (log10(ns.max(1e-3)) - f64::from(low)) * f64::from(STEPS),
            0.0,
            last,
        )
    };
    for (edges, count) in histogram.edges_ns.windows(2).zip(&histogram.counts) {
        let (from, to) = (place(edges[0]), place(edges[1]));
        deal(&mut shares, (from, to), count / total);
    }
    shares
}

/// Adds `share` to the steps between two places, to each as much as of it lies between them.
fn deal(shares: &mut [f64], (from, to): (f64, f64), share: f64) {
    let first = (from as usize).min(shares.len() - 1);
    if to - from < 1e-9 {
        shares[first] += share;
        return;
    }
    let end = (to.ceil() as usize).min(shares.len());
    for (step, sum) in shares.iter_mut().enumerate().take(end).skip(first) {
        let inside = to.min(step as f64 + 1.0) - from.max(step as f64);
        *sum += share * inside.max(0.0) / (to - from);
    }
}

/// Where step `index` begins, ns.
fn edge((low, _): Decades, index: usize) -> f64 {
    pow(10.0, f64::from(low) + index as f64 / f64::from(STEPS))
}

/// A time without more digits than a step of the axis tells apart.
fn rough(ns: f64) -> String {
    format::span(ns).text()
}

impl Distribution {
    /// Whole decades that hold all values; a histogram's empty ends do not count.
    fn decades(&self) -> Decades {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for (_, run) in self.runs.iter() {
            let bins = run.latency.edges_ns.windows(2).zip(&run.latency.counts);
            for (edges, _) in bins.filter(|(_, count)| **count > 0.0) {
                range = (
                    range.0.min(edges[0].max(1.0)),
                    range.1.max(edges[1].max(1.0)),
                );
            }
        }
        if range.0 > range.1 {
            return (3, 6);
        }
        let low = (log10(range.0) + 1e-9).floor() as i32;
        (low, ((log10(range.1) - 1e-9).ceil() as i32).max(low + 1))
    }

    /// The heights of a run, in percent.
    fn heights(&self, histogram: &Histogram, decades: Decades) -> Vec<f64> {
        let mut sum = 0.0;
        let shares = dealt(histogram, decades)
            .into_iter()
            .map(|share| share * 100.0);
        match self.heights {
            DistributionAs::Shares => shares.collect(),
            DistributionAs::UpTo => shares
                .map(|share| {
                    sum += share;
                    sum
                })
                .collect(),
        }
    }

    fn all(&self, decades: Decades) -> Vec<(RunSide, Vec<f64>)> {
        let runs = self.runs.iter();
        runs.map(|(side, run)| (side, self.heights(&run.latency, decades)))
            .collect()
    }

    fn plot<'a>(&self, frame: &Frame<'a>, all: &[(RunSide, Vec<f64>)]) -> Plot<'a> {
        let max = all
            .iter()
            .flat_map(|(_, heights)| heights)
            .copied()
            .fold(0.0, f64::max);
        let max = match self.heights {
            DistributionAs::Shares => max,
            DistributionAs::UpTo => 100.0,
        };
        let mut values = ValueAxis::from_zero(max, Plot::steps(frame));
        // The unit may have no room beside the name.
        if let Some(top) = values.ticks.last_mut() {
            top.text.push('%');
        }
        Plot::new(*frame, values, 4.0)
    }
}

/// Where step `index` of `steps` begins, px.
fn step_px(area: Rect, index: usize, steps: usize) -> f64 {
    area.x + area.w * index as f64 / steps.max(1) as f64
}

/// The outline of steps: its lower left corner, along the tops, its lower right corner.
fn outline(plot: &Plot<'_>, heights: &[f64]) -> Vec<Point> {
    let steps = heights.len();
    let x = |index| step_px(plot.area, index, steps);
    let mut points = vec![Point::new(x(0), plot.area.bottom())];
    for (i, &height) in heights.iter().enumerate() {
        let y = plot.y(height);
        points.extend([Point::new(x(i), y), Point::new(x(i + 1), y)]);
    }
    points.push(Point::new(x(steps), plot.area.bottom()));
    points
}

impl Picture for Distribution {
    fn title(&self) -> String {
        text(Msg::PictureDistribution).to_string()
    }

    fn unit(&self) -> String {
        let unit = match self.heights {
            DistributionAs::Shares => Msg::PictureDistributionUnit,
            DistributionAs::UpTo => Msg::PictureDistributionUpToUnit,
        };
        text(unit).to_string()
    }

    fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn scene(&self, frame: &Frame<'_>) -> Scene<()> {
        let mut scene = Scene::default();
        let decades = self.decades();
        let all = self.all(decades);
        let plot = self.plot(frame, &all);
        plot.value_axis(&mut scene);
        let texts = (plot.area.w / (frame.font.width("100 µs") + 8.0)) as usize;
        let ends = (10f64.powi(decades.0), 10f64.powi(decades.1));
        for tick in axis::decades_ns(ends.0, ends.1, texts) {
            let share =
                (log10(tick.value) - f64::from(decades.0)) / f64::from(decades.1 - decades.0);
            plot.bottom_tick(&mut scene, plot.area.x + share * plot.area.w, &tick.text);
        }
        for (side, heights) in &all {
            let points = outline(&plot, heights);
            if self.heights == DistributionAs::Shares {
                scene.add(Shape::Area(points.clone(), Colour::Side(*side).alpha(0.16)));
            }
            // The way back down to the axis is part of the area, not of the line.
            let line: Vec<_> = points[..points.len() - 1]
                .iter()
                .copied()
                .map(Some)
                .collect();
            plot::lines(&mut scene, &line, *side);
        }
        scene
    }

    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover> {
        let decades = self.decades();
        let all = self.all(decades);
        let plot = self.plot(frame, &all);
        let steps = all.first().map_or(0, |(_, heights)| heights.len());
        if steps == 0 || !plot.area.contains(at, 2.0) {
            return None;
        }
        let share = (at.x - plot.area.x) / plot.area.w;
        let index = ((share * steps as f64).max(0.0) as usize).min(steps - 1);
        let (from, to) = (edge(decades, index), edge(decades, index + 1));
        let mut words = vec![match self.heights {
            DistributionAs::Shares => format!("{} – {}", rough(from), rough(to)),
            DistributionAs::UpTo => format!("≤ {}", rough(to)),
        }];
        for (side, heights) in &all {
            let percent = format::percent(heights[index] / 100.0).text();
            words.push(plot::sided(*side, &percent, self.runs.compared()));
        }
        let x = [index, index + 1].map(|i| step_px(plot.area, i, steps));
        let band = Rect::between((x[0], x[1]), (plot.area.y, plot.area.bottom()));
        Some(Hover {
            shapes: vec![
                Shape::Box(band, Colour::Ink.alpha(0.08)),
                Shape::Frame(band, Stroke::new(Colour::Ink.alpha(0.3), 1.0)),
            ],
            text: words.join(" · "),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let decades = self.decades();
        let sentences = self.runs.iter().map(|(side, run)| {
            let shares = dealt(&run.latency, decades);
            let top = (0..shares.len())
                .max_by(|a, b| shares[*a].total_cmp(&shares[*b]))
                .unwrap_or(0);
            let count = format::whole(run.latency.total());
            let share = format::percent(shares[top]).text();
            let (from, to) = (rough(edge(decades, top)), rough(edge(decades, top + 1)));
            let values = [
                ("run", letter(side)),
                ("count", &count),
                ("from", &from),
                ("to", &to),
                ("share", &share),
            ];
            fill(Msg::PictureDistributionSummary, &values)
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn table(&self) -> Table {
        let decades = self.decades();
        let all = self.all(decades);
        let mut head = vec![text(Msg::PictureDistributionStep).to_string()];
        head.extend(
            all.iter()
                .map(|(side, _)| plot::sided(*side, "%", self.runs.compared())),
        );
        let steps = all.first().map_or(0, |(_, heights)| heights.len());
        let row = |index: usize| {
            let name = format!(
                "{} – {}",
                rough(edge(decades, index)),
                rough(edge(decades, index + 1))
            );
            let cells = all
                .iter()
                .map(|(_, heights)| format::digits(heights[index]));
            std::iter::once(name).chain(cells).collect()
        };
        Table {
            head,
            rows: (0..steps).map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_dealt_by_how_much_of_their_bin_lies_in_a_step() {
        let histogram = Histogram {
            edges_ns: vec![10.0, 100.0, 1000.0],
            counts: vec![3.0, 1.0],
        };
        let shares = dealt(&histogram, (1, 3));
        assert_eq!(shares.len(), 16);
        assert!((shares[0] - 0.75 / 8.0).abs() < 1e-9 && (shares[15] - 0.25 / 8.0).abs() < 1e-9);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn values_outside_and_empty_bins_are_kept() {
        let histogram = Histogram {
            edges_ns: vec![0.0, 1.0, 1e9],
            counts: vec![1.0, 1.0],
        };
        assert!((dealt(&histogram, (3, 6)).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let none = dealt(&Histogram::default(), (3, 6));
        assert!(none.iter().sum::<f64>().abs() < 1e-9);
    }
}
