//! Percentiles of the time from wakeup to running, over time.

use super::plot::{self, Bins, Plot, SMALL, ValueAxis};
use crate::format;
use crate::model::view::Window;
use crate::protocol::{RunSide, Snapshot};
use crate::text::{Msg, fill, text};
use crate::view::geometry::Point;
use crate::view::palette::Colour;
use crate::view::picture::{Frame, Hover, Picture, Runs, Table, letter};
use crate::view::scene::{Scene, Shape};
use crate::view::time_scale::TimeScale;

/// The chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// The runs.
    pub runs: Runs,
}

/// Names of the percentiles, in the order of [`pair`].
const NAMES: [&str; 2] = ["p50", "p99"];

/// Both percentiles of a bin, ns; NaN where nothing woke.
fn pair(run: &Snapshot, index: usize) -> [f64; 2] {
    let series = &run.series;
    let at = |column: &[f32]| column.get(index).map_or(f64::NAN, |&ns| f64::from(ns));
    [at(&series.latency_p50_ns), at(&series.latency_p99_ns)]
}

fn worded(ns: f64) -> String {
    format::span(ns).text()
}

impl Latency {
    /// The least and the greatest value that is positive.
    fn range(&self) -> (f64, f64) {
        let values = self.runs.iter().flat_map(|(_, run)| {
            (0..Bins::of_latency(run).count).flat_map(move |index| pair(run, index))
        });
        values
            .filter(|ns| *ns > 0.0)
            .fold((f64::NAN, f64::NAN), |(low, high), ns| {
                (low.min(ns), high.max(ns))
            })
    }

    fn plot<'a>(&self, frame: &Frame<'a>) -> Plot<'a> {
        let (low, high) = self.range();
        let values = ValueAxis::decades_ns(low, high, Plot::steps(frame) + 1);
        let name = plot::sided(RunSide::A, NAMES[1], self.runs.compared());
        Plot::new(*frame, values, frame.font.bold_width(&name) * SMALL + 6.0)
    }

    /// The points of one percentile.
    fn points(
        plot: &Plot<'_>,
        scale: &TimeScale,
        run: &Snapshot,
        which: usize,
    ) -> Vec<Option<Point>> {
        let point = |index| {
            let (middle, _) = Bins::of_latency(run).bin(index)?;
            let ns = pair(run, index)[which];
            // Nothing woke, or it ran at once: neither has a place on an axis of decades.
            (ns > 0.0).then(|| Point::new(scale.px(middle), plot.y(ns)))
        };
        (0..Bins::of_latency(run).count).map(point).collect()
    }
}

/// The area between two lines, piece by piece where one is interrupted.
fn band(scene: &mut Scene<()>, lines: &[Vec<Option<Point>>; 2], side: RunSide) {
    let both: Vec<Option<(Point, Point)>> = lines[0]
        .iter()
        .zip(&lines[1])
        .map(|(low, high)| (*low).zip(*high))
        .collect();
    for piece in both.split(Option::is_none).filter(|piece| piece.len() > 1) {
        let there = piece.iter().flatten().map(|(low, _)| *low);
        let back = piece.iter().rev().flatten().map(|(_, high)| *high);
        scene.add(Shape::Area(
            there.chain(back).collect(),
            Colour::Side(side).alpha(0.08),
        ));
    }
}

impl Picture for Latency {
    fn title(&self) -> String {
        text(Msg::PictureLatency).to_string()
    }

    fn unit(&self) -> String {
        text(Msg::PictureLatencyUnit).to_string()
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
            let lines = [0, 1].map(|which| Self::points(&plot, &scale, run, which));
            band(&mut scene, &lines, side);
            for (points, name) in lines.iter().zip(NAMES) {
                plot::lines(&mut scene, points, side);
                if let Some(last) = points.iter().rev().flatten().next() {
                    names.push((last.y, plot::sided(side, name, self.runs.compared()), side));
                }
            }
        }
        plot.names(&mut scene, &names);
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
        let (mut words, mut dots) = (vec![plot::time(ns)], Vec::new());
        for (side, run) in self.runs.iter() {
            let Some(index) = Bins::of_latency(run).at(ns) else {
                continue;
            };
            let [p50, p99] = pair(run, index);
            let placed = [p50, p99].into_iter().filter(|ns| *ns > 0.0);
            dots.extend(placed.map(|ns| (ns, side)));
            let both = format!("{} / {}", worded(p50), worded(p99));
            words.push(plot::sided(side, &both, self.runs.compared()));
        }
        Some(Hover {
            shapes: plot.cross(at.x, &dots),
            text: words.join(" · "),
            at_ns: Some(ns),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let sentences = self.runs.iter().map(|(side, run)| {
            let tiles = &run.tiles;
            let [p50, p99, max] = [
                tiles.latency_p50_ns,
                tiles.latency_p99_ns,
                tiles.latency_max_ns,
            ]
            .map(worded);
            let values = [
                ("run", letter(side)),
                ("p50", &p50),
                ("p99", &p99),
                ("max", &max),
            ];
            fill(Msg::PictureLatencySummary, &values)
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn table(&self) -> Table {
        plot::time_table(&self.runs, &NAMES, Bins::of_latency, |run, index| {
            pair(run, index).map(worded).to_vec()
        })
    }
}
