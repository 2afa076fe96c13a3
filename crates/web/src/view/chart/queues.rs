//! How busy each CPU is, or how many tasks wait on it, over time: a strip of colour for each CPU.

use super::plot::{self, Bins, SMALL};
use crate::format;
use crate::model::view::Window;
use crate::protocol::{RunSide, Snapshot};
use crate::text::{Msg, fill, text};
use crate::view::axis;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::{Frame, Hover, Picture, Runs, Table, letter};
use crate::view::scene::{Align, Label, Scene, Shape, Stroke};
use crate::view::time_scale::TimeScale;

/// What is shown of a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueMeasure {
    /// Tasks waiting on it.
    #[default]
    Waiting,
    /// The share of time it was not idle.
    Busy,
}

/// The chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Queues {
    /// The runs.
    pub runs: Runs,
    /// What is shown.
    pub measure: QueueMeasure,
}

/// The strips of one run.
struct Strips<'a> {
    side: RunSide,
    run: &'a Snapshot,
    area: Rect,
}

impl Queues {
    fn row<'a>(&self, run: &'a Snapshot, cpu: usize) -> &'a [f32] {
        match self.measure {
            QueueMeasure::Waiting => run.series.waiting_of(cpu),
            QueueMeasure::Busy => run.series.busy_of(cpu),
        }
    }

    /// The value that gets the full colour.
    fn top(&self) -> f32 {
        match self.measure {
            QueueMeasure::Busy => 1.0,
            QueueMeasure::Waiting => self
                .runs
                .iter()
                .flat_map(|(_, run)| &run.series.waiting)
                .copied()
                .fold(1.0, f32::max),
        }
    }

    fn strips<'a>(&'a self, frame: &Frame<'_>) -> (Vec<Strips<'a>>, TimeScale) {
        let line = frame.font.line_height() * SMALL;
        let count = self.runs.iter().count().max(1) as f64;
        let cpus = self
            .runs
            .iter()
            .map(|(_, run)| run.cpus())
            .max()
            .unwrap_or(1);
        let number = frame.font.width(&cpus.saturating_sub(1).to_string()) * SMALL;
        let left = number
            + if self.runs.compared() {
                frame.font.size * 1.4
            } else {
                4.0
            };
        let gap = 6.0;
        let room = frame.height - line - 6.0 - (count - 1.0) * gap;
        let high = (room / count).max(1.0);
        let wide = (frame.width - left - 4.0).max(1.0);
        let strips = self.runs.iter().enumerate().map(|(i, (side, run))| Strips {
            side,
            run,
            area: Rect::new(left, 1.0 + i as f64 * (high + gap), wide, high),
        });
        let window = Window::new(0, self.runs.end_ns());
        (strips.collect(), TimeScale::new(window, left, left + wide))
    }

    /// Rectangles of one colour: bins of equal shade beside each other are one.
    fn cells(&self, scene: &mut Scene<()>, strips: &Strips<'_>, scale: &TimeScale) {
        let (cpus, bin_ns) = (strips.run.cpus(), strips.run.series.bin_ns);
        let high = strips.area.h / cpus.max(1) as f64;
        scene.fill(strips.area, Colour::Track);
        // Once: it looks at every bin there is.
        let top = self.top();
        for cpu in 0..cpus {
            let y = strips.area.y + cpu as f64 * high;
            let shades: Vec<u8> = self
                .row(strips.run, cpu)
                .iter()
                .map(|&v| self.shade(v, top))
                .collect();
            let mut bin = 0;
            for run in shades.chunk_by(|a, b| a == b) {
                let ends = [bin, bin + run.len()]
                    .map(|i| scale.px((i as u64 * bin_ns).min(strips.run.now_ns)));
                bin += run.len();
                if run[0] > 0 {
                    let rect = Rect::new(ends[0], y, ends[1] - ends[0], high);
                    scene.fill(rect, Colour::Heat(strips.side, run[0]));
                }
            }
        }
        if high >= 5.0 {
            for cpu in 1..cpus {
                let y = strips.area.y + cpu as f64 * high;
                scene.fill(
                    Rect::new(strips.area.x, y - 0.5, strips.area.w, 1.0),
                    Colour::Panel,
                );
            }
        }
    }

    /// The strength of a value's colour, in 32 steps: for waiting tasks by the root, so that one is seen beside a hundred.
    fn shade(&self, value: f32, top: f32) -> u8 {
        let share = (value / top).clamp(0.0, 1.0);
        let share = match self.measure {
            QueueMeasure::Waiting => share.sqrt(),
            QueueMeasure::Busy => share,
        };
        ((share * 31.0).round() * 255.0 / 31.0) as u8
    }

    fn worded(&self, value: f32) -> String {
        match self.measure {
            QueueMeasure::Waiting => format::digits(f64::from(value)),
            QueueMeasure::Busy => format::percent(f64::from(value)).text(),
        }
    }

    /// The mean over all bins of one CPU.
    fn mean(&self, run: &Snapshot, cpu: usize) -> f32 {
        let row = self.row(run, cpu);
        row.iter().sum::<f32>() / row.len().max(1) as f32
    }
}

/// CPU numbers beside the strips, as many as have room, and the letter of the run.
fn numbers(scene: &mut Scene<()>, strips: &Strips<'_>, frame: &Frame<'_>, compared: bool) {
    let cpus = strips.run.cpus().max(1);
    let high = strips.area.h / cpus as f64;
    let line = frame.font.line_height() * SMALL;
    let every = axis::round_step(line / high).max(1.0) as usize;
    for cpu in (0..cpus).step_by(every) {
        let y = strips.area.y + (cpu as f64 + 0.5) * high;
        let y = y.max(strips.area.y + line / 2.0 - 1.0);
        if y + line / 2.0 > strips.area.bottom() + 3.0 {
            break;
        }
        let label = Label::new(
            Point::new(strips.area.x - 4.0, y),
            cpu.to_string(),
            Colour::Mute,
        );
        scene.text(label.aligned(Align::End).scaled(SMALL));
    }
    if compared {
        let at = Point::new(0.0, strips.area.y + line / 2.0);
        let label = Label::new(at, letter(strips.side), Colour::Side(strips.side));
        scene.text(label.scaled(SMALL).bold());
    }
}

impl Picture for Queues {
    fn title(&self) -> String {
        let title = match self.measure {
            QueueMeasure::Waiting => Msg::PictureWaiting,
            QueueMeasure::Busy => Msg::PictureBusy,
        };
        text(title).to_string()
    }

    fn unit(&self) -> String {
        let unit = match self.measure {
            QueueMeasure::Waiting => Msg::PictureWaitingUnit,
            QueueMeasure::Busy => Msg::PictureBusyUnit,
        };
        fill(unit, &[("top", &self.worded(self.top()))])
    }

    fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn scene(&self, frame: &Frame<'_>) -> Scene<()> {
        let mut scene = Scene::default();
        let (all, scale) = self.strips(frame);
        for strips in &all {
            self.cells(&mut scene, strips, &scale);
            numbers(&mut scene, strips, frame, self.runs.compared());
        }
        let Some(last) = all.last() else { return scene };
        let font = frame.font.scaled(SMALL);
        for tick in axis::time_ticks(&scale, &font, 14.0).ticks {
            let half = font.width(&tick.text) / 2.0;
            let x = scale
                .px(tick.value as u64)
                .min(frame.width - half - 1.0)
                .max(half);
            let at = Point::new(x, last.area.bottom() + 3.0 + font.line_height() / 2.0);
            scene.text(
                Label::new(at, tick.text, Colour::Mute)
                    .aligned(Align::Middle)
                    .scaled(SMALL),
            );
        }
        scene
    }

    fn window(&self, frame: &Frame<'_>, window: Window) -> Vec<Shape> {
        let (all, scale) = self.strips(frame);
        let x = (
            scale.px_inside(window.from_ns),
            scale.px_inside(window.to_ns),
        );
        let stroke = Stroke::new(Colour::Ink.alpha(0.6), 1.0);
        let frame = |strips: &Strips<'_>| {
            let y = (strips.area.y, strips.area.bottom());
            let band = Rect::between((x.0, x.1.max(x.0 + 1.0)), y);
            (x.1 - x.0 < strips.area.w - 1.0).then_some(Shape::Frame(band, stroke))
        };
        all.iter().filter_map(frame).collect()
    }

    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover> {
        let (all, scale) = self.strips(frame);
        let strips = all.iter().find(|strips| strips.area.contains(at, 0.0))?;
        let cpus = strips.run.cpus().max(1);
        let share = (at.y - strips.area.y) / strips.area.h;
        let cpu = ((share * cpus as f64) as usize).min(cpus - 1);
        let ns = scale.ns(at.x);
        let index = Bins::fine(strips.run).at(ns)?;
        let mut words = vec![
            plot::time(ns),
            fill(Msg::PictureCpu, &[("cpu", &cpu.to_string())]),
        ];
        for (side, run) in self.runs.iter() {
            let at_same = Bins::fine(run)
                .at(ns)
                .and_then(|i| self.row(run, cpu).get(i));
            let value = at_same.map(|&v| self.worded(v));
            words.extend(value.map(|v| plot::sided(side, &v, self.runs.compared())));
        }
        let high = strips.area.h / cpus as f64;
        let bin = [index, index + 1].map(|i| scale.px_inside(i as u64 * strips.run.series.bin_ns));
        let y = strips.area.y + cpu as f64 * high;
        let cell = Rect::between((bin[0], bin[1].max(bin[0] + 2.0)), (y, y + high));
        Some(Hover {
            shapes: vec![Shape::Frame(
                cell.inset(-1.0, -1.0),
                Stroke::new(Colour::Ink, 1.5),
            )],
            text: words.join(" · "),
            at_ns: Some(ns),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let sentences = self.runs.iter().map(|(side, run)| {
            let means: Vec<f32> = (0..run.cpus()).map(|cpu| self.mean(run, cpu)).collect();
            let all = means.iter().sum::<f32>() / means.len().max(1) as f32;
            let order = |a: &usize, b: &usize| means[*a].total_cmp(&means[*b]);
            let most = (0..means.len()).max_by(order).unwrap_or(0);
            let least = (0..means.len()).min_by(order).unwrap_or(0);
            let value = |cpu: usize| means.get(cpu).map_or_else(String::new, |&v| self.worded(v));
            fill(
                Msg::PictureQueuesSummary,
                &[
                    ("run", letter(side)),
                    ("mean", &self.worded(all)),
                    ("most", &most.to_string()),
                    ("high", &value(most)),
                    ("least", &least.to_string()),
                    ("low", &value(least)),
                ],
            )
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn table(&self) -> Table {
        let mut head = vec![text(Msg::PictureCpuHead).to_string()];
        let name = text(Msg::PictureMean);
        head.extend(
            self.runs
                .iter()
                .map(|(side, _)| plot::sided(side, name, self.runs.compared())),
        );
        let cpus = self
            .runs
            .iter()
            .map(|(_, run)| run.cpus())
            .max()
            .unwrap_or(0);
        let row = |cpu: usize| {
            let cells = self
                .runs
                .iter()
                .map(|(_, run)| self.worded(self.mean(run, cpu)));
            std::iter::once(cpu.to_string()).chain(cells).collect()
        };
        Table {
            head,
            rows: (0..cpus).map(row).collect(),
        }
    }
}
