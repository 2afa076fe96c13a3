//! A run queue at one moment: its tasks on an axis of vruntime, with who runs, who is leftmost and who are the buddies.
//!
//! vruntime itself says nothing to anybody; distances from the leftmost do, because those are what picks and
//! preemptions compare. A dot's size is its weight; the one that runs is a ring.

use std::rc::Rc;

use super::axis;
use super::fonts::FontMetrics;
use super::geometry::{Point, Rect};
use super::palette::Colour;
use super::picture::{Frame, Hover, Picture, Table};
use super::scene::{Align, Dash, Label, Scene, Shape, Stroke};
use crate::format;
use crate::number::within;
use crate::protocol::{QueuedTask, RunQueue, RunSide};
use crate::text::{Msg, fill, text};
use schedlab_engine::order::sorted;

/// The picture.
#[derive(Clone, Debug, Default)]
pub struct QueuePicture {
    /// The queue, if one was asked for.
    pub queue: Option<Rc<RunQueue>>,
    /// The run it belongs to.
    pub side: RunSide,
}

impl PartialEq for QueuePicture {
    fn eq(&self, other: &QueuePicture) -> bool {
        let same = match (&self.queue, &other.queue) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        same && self.side == other.side
    }
}

/// Size of names in units of the picture's font.
const SMALL: f64 = 0.85;

/// How near a dot the pointer must be, px.
const REACH: f64 = 9.0;

/// So many times as long as the stretch that tasks are on the axis may be.
const SPREAD: f64 = 3.0;

/// The vruntime that distances are counted from: that of the leftmost, or of the only one.
fn origin(queue: &RunQueue) -> i64 {
    let at = |index: Option<usize>| queue.queued.get(index?).map(|task| task.vruntime_ns);
    at(queue.left)
        .or(at(queue.curr))
        .unwrap_or(queue.min_vruntime_ns)
}

/// What an entity is to the scheduler, in words; nothing for one that only waits.
fn roles(queue: &RunQueue, index: usize) -> Vec<&'static str> {
    let all = [
        (queue.curr, Msg::RoleCurr),
        (queue.left, Msg::RoleLeft),
        (queue.next, Msg::RoleNext),
        (queue.last, Msg::RoleLast),
    ];
    let own = all.into_iter().filter(|(whose, _)| *whose == Some(index));
    own.map(|(_, role)| text(role)).collect()
}

/// Where things are.
struct Places {
    axis: Rect,
    low: f64,
    high: f64,
}

impl Places {
    fn new(queue: &RunQueue, frame: &Frame<'_>) -> Places {
        let from = origin(queue);
        let mut ends = queue
            .queued
            .iter()
            .map(|task| (task.vruntime_ns - from) as f64)
            .fold((0.0f64, 0.0f64), |(low, high), d| (low.min(d), high.max(d)));
        // Where buddies are let past is shown to its end if that leaves the tasks apart.
        let gran = queue.gran_ns as f64;
        if queue.left.is_some() && gran <= SPREAD * (ends.1 - ends.0).max(1_000.0) {
            ends.1 = ends.1.max(gran);
        }
        let span = (ends.1 - ends.0).max(1_000.0);
        let line = frame.font.line_height();
        let y = (frame.height * 0.56).min(frame.height - 2.4 * line).round();
        let margin = frame.font.size * 1.2;
        Places {
            axis: Rect::new(margin, y, (frame.width - 2.0 * margin).max(10.0), 0.0),
            low: ends.0 - span * 0.02,
            high: ends.1 + span * 0.02,
        }
    }

    fn x(&self, distance_ns: f64) -> f64 {
        self.axis.x + self.axis.w * (distance_ns - self.low) / (self.high - self.low)
    }

    fn dot(&self, queue: &RunQueue, task: &QueuedTask) -> Point {
        Point::new(
            self.x((task.vruntime_ns - origin(queue)) as f64),
            self.axis.y,
        )
    }
}

/// Nice 0 has a radius of 5 px; area follows weight, within what can be seen.
fn radius(task: &QueuedTask) -> f64 {
    within(5.0 * (f64::from(task.weight) / 1024.0).sqrt(), 2.5, 9.0)
}

/// A signed distance from the leftmost.
fn distance(ns: i64) -> String {
    let words = format::span(ns as f64).text();
    if ns > 0 { format!("+{words}") } else { words }
}

fn window(scene: &mut Scene<usize>, queue: &RunQueue, places: &Places, frame: &Frame<'_>) {
    let (Some(_), true) = (queue.left, queue.gran_ns > 0) else {
        return;
    };
    let gran = queue.gran_ns as f64;
    let x = (places.x(0.0), places.x(gran.min(places.high)));
    let band = Rect::between(x, (places.axis.y - 13.0, places.axis.y + 13.0));
    scene.fill(band, Colour::Ink.alpha(0.07));
    if gran <= places.high {
        let edge = [band.y, band.bottom()].map(|y| Point::new(x.1, y));
        let stroke = Stroke::new(Colour::Edge, 1.0).dashed(Dash::Dashed);
        scene.line(edge[0], edge[1], stroke);
    }
    let gran = format::span(queue.gran_ns as f64).text();
    let words = fill(Msg::QueueWindow, &[("gran", &gran)]);
    let font = frame.font.scaled(SMALL);
    if let Some(words) = font.fitted(&words, frame.width - 4.0) {
        let half = font.width(&words) / 2.0;
        let middle = f64::midpoint(x.0, x.1)
            .max(half + 2.0)
            .min(frame.width - half - 2.0);
        let at = Point::new(middle, font.line_height() / 2.0);
        scene.text(
            Label::new(at, words, Colour::Mute)
                .aligned(Align::Middle)
                .scaled(SMALL),
        );
    }
}

fn ticks(scene: &mut Scene<usize>, places: &Places, frame: &Frame<'_>) {
    let ends = [places.axis.x, places.axis.right()].map(|x| Point::new(x, places.axis.y));
    scene.line(ends[0], ends[1], Stroke::new(Colour::Edge, 1.0));
    let font = frame.font.scaled(SMALL);
    let y = frame.height - font.line_height() / 2.0;
    let stroke = Stroke::new(Colour::Edge.alpha(0.7), 1.0);
    for (value, words) in distances(places, &font) {
        let x = places.x(value);
        let ends = [-3.0, 3.0].map(|dy| Point::new(x, places.axis.y + dy));
        scene.line(ends[0], ends[1], stroke);
        let half = font.width(&words) / 2.0;
        if x - half >= 0.0 && x + half <= frame.width {
            let label = Label::new(Point::new(x, y), words, Colour::Mute);
            scene.text(label.aligned(Align::Middle).scaled(SMALL));
        }
    }
}

/// Round distances whose words keep apart.
fn distances(places: &Places, font: &FontMetrics) -> Vec<(f64, String)> {
    let mut room = font.width("+100 ms") + 16.0;
    loop {
        let step = axis::round_step((places.high - places.low) / (places.axis.w / room).max(1.0));
        let first = (places.low / step).ceil() as i64;
        let last = (places.high / step).floor() as i64;
        let tick = |i: i64| {
            let value = i as f64 * step;
            let sign = if i > 0 { "+" } else { "" };
            (
                value,
                format!("{sign}{}", format::exact_span(value as i64).text()),
            )
        };
        let ticks: Vec<(f64, String)> = (first..=last).map(tick).collect();
        let widest = ticks
            .iter()
            .map(|(_, words)| font.width(words))
            .fold(0.0, f64::max)
            + 16.0;
        if widest <= room || room > places.axis.w {
            return ticks;
        }
        room = widest;
    }
}

/// A name that wants a place: its lines, where it points to, and how much it matters.
#[derive(Clone)]
struct Wish {
    lines: Vec<(String, bool)>,
    at: Point,
    matters: bool,
}

/// Rows of names above and below the axis; each name goes to the nearest row with room, or nowhere.
fn names(scene: &mut Scene<usize>, wishes: &[Wish], places: &Places, frame: &Frame<'_>) {
    let font = frame.font.scaled(SMALL);
    let line = font.line_height();
    let wishes = sorted(wishes, |a, b| {
        b.matters.cmp(&a.matters).then(a.at.x.total_cmp(&b.at.x))
    });
    let above = ((places.axis.y - 16.0 - line) / line).max(0.0) as usize;
    let below = ((frame.height - line - places.axis.y - 16.0) / line).max(0.0) as usize;
    // Names, and the lines that lead to them.
    let mut taken: Vec<Rect> = Vec::new();
    for wish in wishes {
        let high = wish.lines.len() as f64 * line;
        let wide = wish
            .lines
            .iter()
            .map(|(words, _)| font.width(words))
            .fold(0.0, f64::max);
        let x = (wish.at.x - wide / 2.0)
            .max(1.0)
            .min(frame.width - wide - 1.0);
        let up = (0..above).map(|row| places.axis.y - 14.0 - row as f64 * line - high);
        let down = (0..below).map(|row| places.axis.y + 14.0 + row as f64 * line);
        let fits = |y: &f64| {
            let area = Rect::new(x - 3.0, *y, wide + 6.0, high);
            let lead = lead(wish.at, (*y, *y + high));
            *y >= line
                && area.bottom() <= frame.height - line
                && taken
                    .iter()
                    .all(|other| !other.overlaps(&area) && !other.overlaps(&lead))
        };
        let spot = up.chain(down).filter(fits).min_by(|a, b| {
            let far = |y: f64| (y + high / 2.0 - places.axis.y).abs();
            far(*a).total_cmp(&far(*b))
        });
        let Some(y) = spot else { continue };
        taken.push(Rect::new(x - 3.0, y, wide + 6.0, high));
        taken.push(lead(wish.at, (y, y + high)));
        stem(scene, wish.at, (y, y + high));
        for (i, (words, bold)) in wish.lines.into_iter().enumerate() {
            let colour = if bold { Colour::Ink } else { Colour::Mute };
            let at = Point::new(x + wide / 2.0, y + (i as f64 + 0.5) * line);
            let label = Label::new(at, words, colour)
                .aligned(Align::Middle)
                .scaled(SMALL);
            scene.text(if bold { label.bold() } else { label });
        }
    }
}

/// The room of the line from a dot to its name.
fn lead(dot: Point, (top, bottom): (f64, f64)) -> Rect {
    let ends = if bottom < dot.y {
        (bottom, dot.y - 8.0)
    } else {
        (dot.y + 8.0, top)
    };
    Rect::between((dot.x - 0.5, dot.x + 0.5), (ends.0, ends.1.max(ends.0)))
}

/// From a name to its dot.
fn stem(scene: &mut Scene<usize>, dot: Point, name: (f64, f64)) {
    let lead = lead(dot, name);
    if lead.h > 4.0 {
        let ends = [lead.y, lead.bottom()].map(|y| Point::new(dot.x, y));
        let stroke = Stroke::new(Colour::Edge.alpha(0.6), 1.0);
        scene.line(ends[0], ends[1], stroke);
    }
}

impl QueuePicture {
    /// The shapes; dots are targets, by their number in the queue.
    fn dots(&self, frame: &Frame<'_>) -> Scene<usize> {
        let mut scene = Scene::default();
        let Some(queue) = self.queue.as_ref().filter(|queue| !queue.queued.is_empty()) else {
            empty(&mut scene, self.queue.as_deref(), frame);
            return scene;
        };
        let places = Places::new(queue, frame);
        window(&mut scene, queue, &places, frame);
        ticks(&mut scene, &places, frame);
        let mut wishes = Vec::new();
        for (index, task) in queue.queued.iter().enumerate() {
            let at = places.dot(queue, task);
            let roles = roles(queue, index);
            let colour = if roles.is_empty() {
                Colour::Mute
            } else {
                Colour::Side(self.side)
            };
            let size = radius(task);
            if queue.curr == Some(index) {
                scene.add(Shape::Dot(at, size + 1.5, colour.into()));
                scene.target(Shape::Dot(at, size - 0.5, Colour::Panel.into()), index);
            } else {
                scene.add(Shape::Dot(at, size + 1.0, Colour::Panel.into()));
                scene.target(Shape::Dot(at, size, colour.into()), index);
            }
            let mut lines = vec![(task.comm.clone(), false)];
            if !roles.is_empty() {
                lines.insert(0, (roles.join(" · "), true));
            }
            wishes.push(Wish {
                lines,
                at,
                matters: !roles.is_empty(),
            });
        }
        names(&mut scene, &wishes, &places, frame);
        scene
    }
}

/// What stands there when there is nothing to draw.
fn empty(scene: &mut Scene<usize>, queue: Option<&RunQueue>, frame: &Frame<'_>) {
    let words = text(if queue.is_some() {
        Msg::QueueIdle
    } else {
        Msg::QueueNone
    });
    let font: &FontMetrics = frame.font;
    if let Some(words) = font.fitted(words, frame.width - 4.0) {
        let at = frame.area().middle();
        scene.text(Label::new(at, words, Colour::Mute).aligned(Align::Middle));
    }
}

impl Picture for QueuePicture {
    fn title(&self) -> String {
        let Some(queue) = &self.queue else {
            return text(Msg::Queue).to_string();
        };
        let at = format::exact_span(queue.at_ns as i64).text();
        fill(
            Msg::QueueTitle,
            &[("cpu", &queue.cpu.to_string()), ("at", &at)],
        )
    }

    fn unit(&self) -> String {
        text(Msg::QueueUnit).to_string()
    }

    fn scene(&self, frame: &Frame<'_>) -> Scene<()> {
        let scene = self.dots(frame);
        Scene {
            shapes: scene.shapes,
            targets: Vec::new(),
        }
    }

    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover> {
        let queue = self.queue.as_ref()?;
        let scene = self.dots(frame);
        let index = *scene.at(at, REACH)?;
        let task = queue.queued.get(index)?;
        let places = Places::new(queue, frame);
        let mut words = vec![
            task.comm.clone(),
            distance(task.vruntime_ns - origin(queue)),
        ];
        words.push(fill(
            Msg::QueueWeight,
            &[("weight", &task.weight.to_string())],
        ));
        words.extend(roles(queue, index).into_iter().map(str::to_string));
        let dot = places.dot(queue, task);
        let reach = radius(task) + 3.0;
        let around = Rect::between(
            (dot.x - reach, dot.x + reach),
            (dot.y - reach, dot.y + reach),
        );
        Some(Hover {
            shapes: vec![Shape::Frame(around, Stroke::new(Colour::Ink, 1.2))],
            text: words.join(" · "),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let Some(queue) = self.queue.as_ref().filter(|queue| !queue.queued.is_empty()) else {
            return text(if self.queue.is_some() {
                Msg::QueueIdle
            } else {
                Msg::QueueNone
            })
            .to_string();
        };
        let named = queue.queued.iter().enumerate().filter_map(|(index, task)| {
            let roles = roles(queue, index);
            let far = distance(task.vruntime_ns - origin(queue));
            (!roles.is_empty()).then(|| format!("{} ({}): {far}", task.comm, roles.join(", ")))
        });
        let count = queue.queued.len().to_string();
        let words = fill(Msg::QueueSummary, &[("count", &count)]);
        format!("{words} {}.", named.collect::<Vec<_>>().join("; "))
    }

    fn table(&self) -> Table {
        let head = [
            Msg::TimelineTask,
            Msg::QueueRole,
            Msg::QueueDistance,
            Msg::QueueVruntime,
            Msg::QueueWeightHead,
        ];
        let head = head.map(|msg| text(msg).to_string()).to_vec();
        let Some(queue) = &self.queue else {
            return Table {
                head,
                rows: Vec::new(),
            };
        };
        let order: Vec<usize> = (0..queue.queued.len()).collect();
        let vruntime = |index: &usize| queue.queued[*index].vruntime_ns;
        let order = sorted(&order, |a, b| vruntime(a).cmp(&vruntime(b)));
        let row = |index: usize| {
            let task = &queue.queued[index];
            vec![
                task.comm.clone(),
                roles(queue, index).join(", "),
                distance(task.vruntime_ns - origin(queue)),
                format::exact_span(task.vruntime_ns).text(),
                task.weight.to_string(),
            ]
        };
        Table {
            head,
            rows: order.into_iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo;
    use crate::view::check::check;

    fn picture(queue: RunQueue) -> QueuePicture {
        QueuePicture {
            queue: Some(Rc::new(queue)),
            side: RunSide::B,
        }
    }

    #[test]
    fn queues_of_any_length_hold_their_names() {
        check(&picture(demo::run_queue()));
        check(&picture(RunQueue::default()));
        check(&QueuePicture::default());
        let mut one = demo::run_queue();
        one.queued.truncate(1);
        one.left = None;
        one.last = None;
        check(&picture(one));
        let mut crowd = demo::run_queue();
        let many = (0..200).map(|i| QueuedTask {
            vruntime_ns: 108_204_000 + i * 40_000,
            ..crowd.queued[1].clone()
        });
        crowd.queued.extend(many.collect::<Vec<_>>());
        check(&picture(crowd));
        let mut far = demo::run_queue();
        far.queued[2].vruntime_ns = i64::MIN / 4;
        far.queued[3].vruntime_ns = i64::MAX / 4;
        check(&picture(far));
    }

    #[test]
    fn those_with_a_role_are_named_first_and_say_it() {
        let font = FontMetrics::wide_sans(13.0);
        let frame = Frame {
            width: 460.0,
            height: 140.0,
            font: &font,
        };
        let scene = picture(demo::run_queue()).scene(&frame);
        let texts: Vec<&str> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text(label) => Some(label.text.as_str()),
                _ => None,
            })
            .collect();
        for wanted in [
            "send-4/0",
            "running",
            "recv-4/1",
            "leftmost",
            "send-4/6",
            "last buddy",
        ] {
            assert!(texts.contains(&wanted), "{wanted} is missing in {texts:?}");
        }
    }

    #[test]
    fn a_dot_is_found_and_tells_its_distance() {
        let font = FontMetrics::wide_sans(13.0);
        let frame = Frame {
            width: 460.0,
            height: 140.0,
            font: &font,
        };
        let picture = picture(demo::run_queue());
        let queue = picture.queue.as_ref().expect("it has one");
        let places = Places::new(queue, &frame);
        let at = places.dot(queue, &queue.queued[6]);
        let hover = picture.hover(&frame, at).expect("there is a dot");
        assert!(
            hover.text.starts_with("send-4/6 · +3.67\u{202f}ms"),
            "{}",
            hover.text
        );
        assert_eq!(picture.hover(&frame, Point::new(2.0, 2.0)), None);
    }

    #[test]
    fn the_table_is_in_the_order_of_the_axis() {
        let table = picture(demo::run_queue()).table();
        assert_eq!(
            table.rows[0][..2],
            ["send-4/0".to_string(), "running".to_string()]
        );
        assert_eq!(table.rows[1][2], "0\u{202f}ns");
    }
}
