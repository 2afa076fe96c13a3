//! A stretch of the timeline, put together: ground, slices, signs, axis, minimap.

use std::rc::Rc;

use super::colours::Colours;
use super::lanes::{self, Look};
use super::layout::Layout;
use super::marks::{self, MOST_ARROWS, Mark};
use super::minimap;
use super::pixels::{self, ROWS, Source};
use super::pyramid::Pyramid;
use crate::format;
use crate::model::view::{ColourBy, Window};
use crate::protocol::RunSide;
use crate::text::{Msg, fill, text};
use crate::view::axis;
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::{Colour, Theme};
use crate::view::picture::{Runs, Table, letter};
use crate::view::scene::{Align, Label, Scene, Shape, Stroke};
use crate::view::time_scale::TimeScale;

/// Slices are drawn one by one, with names, while at most this many are seen: about what a canvas painted by a processor
/// draws in half a frame (`cargo xtask gallery --measure`). From there on pixels are cheaper and say as much.
pub const MOST_SLICES: usize = 1_500;

/// Size of texts on the axis in units of the picture's font.
const SMALL: f64 = 0.82;

/// The pyramids of both runs: one a lane.
#[derive(Default)]
pub struct Pyramids {
    sides: [(u32, Vec<Pyramid>); 2],
}

impl Pyramids {
    /// Takes in what is new. A new run starts afresh.
    pub fn follow(&mut self, runs: &Runs) {
        for (side, run) in runs.iter() {
            let (number, lanes) = &mut self.sides[usize::from(side == RunSide::B)];
            if *number != run.run || lanes.len() != run.cpus() {
                *number = run.run;
                *lanes = vec![Pyramid::default(); run.cpus()];
            }
            for (pyramid, lane) in lanes.iter_mut().zip(&run.trace.lanes) {
                pyramid.extend(lane);
            }
        }
    }

    /// Those of one run.
    pub fn of(&self, side: RunSide) -> &[Pyramid] {
        &self.sides[usize::from(side == RunSide::B)].1
    }

    /// Memory they take, bytes.
    pub fn bytes(&self) -> usize {
        self.sides
            .iter()
            .flat_map(|(_, lanes)| lanes)
            .map(Pyramid::bytes)
            .sum()
    }
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The runs.
    pub runs: Runs,
    /// The stretch of time.
    pub window: Window,
    /// What colours mean.
    pub colour: ColourBy,
}

/// How it is drawn.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// Where things are.
    pub layout: &'a Layout,
    /// Font.
    pub font: &'a FontMetrics,
    /// Light or dark.
    pub theme: Theme,
    /// Physical pixels in a px.
    pub ratio: f64,
    /// Lanes at every scale.
    pub pyramids: &'a Pyramids,
}

impl Scope {
    /// Time to pixels.
    pub fn scale(&self, layout: &Layout) -> TimeScale {
        TimeScale::new(self.window, layout.plot.x, layout.plot.right())
    }

    /// Everything but what is pointed at. Only wakeups and migrations are targets; slices are found by their time.
    pub fn scene(&self, means: &Means<'_>) -> Scene<Mark> {
        let mut scene = Scene::default();
        let scale = self.scale(means.layout);
        lanes::grounds(&mut scene, means.layout, &self.runs, &scale, means.font);
        scene.add(Shape::Clip(means.layout.plot));
        if self.slices() <= MOST_SLICES {
            self.one_by_one(&mut scene, means, &scale);
        } else {
            self.as_pixels(&mut scene, means, &scale);
        }
        scene.add(Shape::Unclip);
        time_axis(&mut scene, means, &scale);
        minimap::draw(
            &mut scene,
            means.layout,
            &self.runs,
            self.runs.recorded_ns(),
            self.window,
        );
        scene
    }

    fn one_by_one(&self, scene: &mut Scene<Mark>, means: &Means<'_>, scale: &TimeScale) {
        for (side, run) in self.runs.iter() {
            let colours = Colours::new(&self.runs, run, self.colour);
            let look = Look {
                scale,
                colours: &colours,
                font: means.font,
            };
            let own = means.layout.lanes.iter().filter(|lane| lane.side == side);
            for lane in own.clone() {
                lanes::lane(scene, lane, run, look);
            }
            for lane in own {
                marks::signs(scene, lane, run, look);
            }
        }
        if self.arrows() <= MOST_ARROWS {
            for (side, run) in self.runs.iter() {
                marks::arrows(scene, means.layout, (side, run), scale);
            }
        }
    }

    /// How many slices are seen.
    fn slices(&self) -> usize {
        let Window { from_ns, to_ns } = self.window;
        self.runs
            .iter()
            .map(|(_, run)| lanes::count_in(run, from_ns, to_ns))
            .sum()
    }

    /// How many wakeups are seen.
    fn arrows(&self) -> usize {
        let Window { from_ns, to_ns } = self.window;
        self.runs
            .iter()
            .map(|(_, run)| run.trace.wakeups_count(from_ns, to_ns))
            .sum()
    }

    fn as_pixels(&self, scene: &mut Scene<Mark>, means: &Means<'_>, scale: &TimeScale) {
        let sources = self.runs.iter().map(|(side, run)| Source {
            side,
            pyramids: means.pyramids.of(side),
            inks: Colours::new(&self.runs, run, self.colour).inks(means.theme),
        });
        let sources: Vec<Source<'_>> = sources.collect();
        let layout = means.layout;
        let image = Rc::new(pixels::rows(
            layout,
            &self.runs,
            scale,
            means.ratio,
            &sources,
        ));
        for block in &layout.blocks {
            scene.add(Shape::Pixels(
                block.rect,
                Rc::clone(&image),
                block.lanes.start * ROWS..block.lanes.end * ROWS,
            ));
        }
        for lane in &layout.lanes {
            let gap = Rect::new(lane.rect.x, lane.rect.bottom(), lane.rect.w, 1.0);
            scene.fill(gap, Colour::Panel);
        }
    }

    /// What is shown, in a sentence or two.
    pub fn summary(&self) -> String {
        let [from, to] =
            [self.window.from_ns, self.window.to_ns].map(|ns| format::span(ns as f64).text());
        let mut words = vec![fill(Msg::TimelineSummary, &[("from", &from), ("to", &to)])];
        for (side, run) in self.runs.iter() {
            let slices = lanes::count_in(run, self.window.from_ns, self.window.to_ns);
            let values = [
                ("run", letter(side).to_string()),
                ("cpus", run.cpus().to_string()),
                ("slices", format::whole(slices as f64)),
            ];
            words.push(fill(
                Msg::TimelineSummaryRun,
                &values.each_ref().map(|(k, v)| (*k, v.as_str())),
            ));
        }
        words.join(" ")
    }

    /// The slices of one CPU in the window, at most `most`.
    pub fn table(&self, side: RunSide, cpu: u16, most: usize) -> Table {
        let head = [
            Msg::TimelineStart,
            Msg::TimelineLength,
            Msg::TimelineTask,
            Msg::TimelinePicked,
            Msg::TimelineEnded,
        ];
        let head = head.map(|msg| text(msg).to_string()).to_vec();
        let run = self.runs.get(side);
        let lane = run.and_then(|run| run.trace.lanes.get(usize::from(cpu)));
        let (Some(run), Some(lane)) = (run, lane) else {
            return Table {
                head,
                rows: Vec::new(),
            };
        };
        let slices = lanes::slices_in(
            lane,
            self.window.from_ns,
            self.window.to_ns,
            run.trace.end_ns,
        );
        let row = |(_, slice): lanes::Numbered| {
            vec![
                format::exact_span(slice.begin.at_ns as i64).text(),
                format::span((slice.end_ns - slice.begin.at_ns) as f64).text(),
                super::tip::task_name(run, slice.begin.task),
                super::tip::pick_name(slice.begin.pick).to_string(),
                slice.end.map_or("", super::tip::end_name).to_string(),
            ]
        };
        Table {
            head,
            rows: slices.take(most).map(row).collect(),
        }
    }
}

/// Ticks above the lanes and faint lines through them.
fn time_axis(scene: &mut Scene<Mark>, means: &Means<'_>, scale: &TimeScale) {
    let (layout, font) = (means.layout, means.font.scaled(SMALL));
    let y = layout.axis.middle().y;
    let ticks = axis::time_ticks(scale, &font, 18.0);
    let mut left = layout.axis.x - 4.0;
    if let Some(base) = ticks.base {
        let label = Label::new(Point::new(1.0, y), base, Colour::Ink);
        left = 1.0 + font.width(&label.text) + 8.0;
        scene.text(label.scaled(SMALL));
    }
    for tick in ticks.ticks {
        let x = scale.px(tick.value as u64).round() - 0.5;
        let ends = [layout.axis.bottom() - 2.0, layout.plot.bottom()].map(|y| Point::new(x, y));
        scene.line(ends[0], ends[1], Stroke::new(Colour::Edge.alpha(0.35), 1.0));
        let half = font.width(&tick.text) / 2.0;
        if x - half >= left && x + half <= layout.width {
            let label = Label::new(Point::new(x, y), tick.text, Colour::Mute);
            scene.text(label.aligned(Align::Middle).scaled(SMALL));
        }
    }
}
