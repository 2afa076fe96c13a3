//! Messages a second over time.

use super::plot::{self, Bins, Plot, ValueAxis};
use crate::format;
use crate::model::view::Window;
use crate::protocol::{RunSide, Snapshot};
use crate::text::{Msg, fill, text};
use crate::view::geometry::Point;
use crate::view::picture::{Frame, Hover, Picture, Runs, Table, letter};
use crate::view::scene::{Scene, Shape};

/// The chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Throughput {
    /// The runs.
    pub runs: Runs,
}

/// Messages a second in a bin; nothing for a bin that has hardly begun.
fn rate(run: &Snapshot, index: usize) -> Option<f64> {
    let (_, covered) = Bins::of_line(run).bin(index)?;
    let per = Bins::per_point(run);
    let messages = run.series.messages.iter().skip(index * per).take(per);
    let messages: f64 = messages.map(|n| f64::from(*n)).sum();
    Some(messages * 1e9 / covered as f64)
}

fn rates(run: &Snapshot) -> impl Iterator<Item = f64> {
    (0..Bins::of_line(run).count).filter_map(|index| rate(run, index))
}

fn worded(rate: f64) -> String {
    format::count(rate, "/s").text()
}

impl Throughput {
    fn max(&self) -> f64 {
        let runs = self.runs.iter();
        runs.flat_map(|(_, run)| rates(run)).fold(0.0, f64::max)
    }

    /// The prefix of the axis, and what it stands for.
    fn prefix(&self) -> (f64, &'static str) {
        match self.max() {
            max if max >= 1e9 => (1e9, "G"),
            max if max >= 1e6 => (1e6, "M"),
            max if max >= 1e3 => (1e3, "k"),
            _ => (1.0, ""),
        }
    }

    fn plot<'a>(&self, frame: &Frame<'a>) -> Plot<'a> {
        let values = ValueAxis::from_zero(self.max() / self.prefix().0, Plot::steps(frame));
        let right = if self.runs.compared() {
            frame.font.size * 1.2
        } else {
            4.0
        };
        Plot::new(*frame, values, right)
    }
}

impl Picture for Throughput {
    fn title(&self) -> String {
        text(Msg::PictureThroughput).to_string()
    }

    fn unit(&self) -> String {
        fill(Msg::PictureThroughputUnit, &[("prefix", self.prefix().1)])
    }

    fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn scene(&self, frame: &Frame<'_>) -> Scene<()> {
        let mut scene = Scene::default();
        let plot = self.plot(frame);
        let scale = plot.times(self.runs.end_ns());
        plot.value_axis(&mut scene);
        plot.time_axis(&mut scene, &scale);
        let mut names = Vec::new();
        for (side, run) in self.runs.iter() {
            let point = |index| {
                let (middle, _) = Bins::of_line(run).bin(index)?;
                let rate = rate(run, index)? / self.prefix().0;
                Some(Point::new(scale.px(middle), plot.y(rate)))
            };
            let points: Vec<Option<Point>> = (0..Bins::of_line(run).count).map(point).collect();
            plot::lines(&mut scene, &points, side);
            let last = points.iter().rev().flatten().next();
            names.extend(last.map(|last| (last.y, letter(side).to_string(), side)));
        }
        if self.runs.compared() {
            plot.names(&mut scene, &names);
        }
        scene
    }

    fn window(&self, frame: &Frame<'_>, window: Window) -> Vec<Shape> {
        let plot = self.plot(frame);
        plot::window_band(plot.area, &plot.times(self.runs.end_ns()), window)
            .into_iter()
            .collect()
    }

    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover> {
        let plot = self.plot(frame);
        let scale = plot.times(self.runs.end_ns());
        let ns = plot.area.contains(at, 2.0).then(|| scale.ns(at.x))?;
        let values: Vec<(f64, RunSide)> = self
            .runs
            .iter()
            .filter_map(|(side, run)| Some((rate(run, Bins::of_line(run).at(ns)?)?, side)))
            .collect();
        let mut words = vec![plot::time(ns)];
        words.extend(
            values
                .iter()
                .map(|&(rate, side)| plot::sided(side, &worded(rate), self.runs.compared())),
        );
        let scaled: Vec<_> = values
            .iter()
            .map(|&(v, side)| (v / self.prefix().0, side))
            .collect();
        Some(Hover {
            shapes: plot.cross(at.x, &scaled),
            text: words.join(" · "),
            at_ns: Some(ns),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let sentences = self.runs.iter().map(|(side, run)| {
            let low = rates(run).fold(f64::INFINITY, f64::min);
            let high = rates(run).fold(f64::NEG_INFINITY, f64::max);
            let values = [
                ("run", letter(side).to_string()),
                ("time", plot::time(run.now_ns)),
                ("mean", worded(run.throughput())),
                ("low", worded(low)),
                ("high", worded(high)),
            ];
            fill(
                Msg::PictureThroughputSummary,
                &values.each_ref().map(|(k, v)| (*k, v.as_str())),
            )
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn table(&self) -> Table {
        let names = [text(Msg::PictureThroughput)];
        plot::time_table(&self.runs, &names, Bins::of_line, |run, index| {
            vec![rate(run, index).map_or_else(String::new, worded)]
        })
    }
}
