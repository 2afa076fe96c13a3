//! A run queue at one moment: its tasks on an axis of vruntime, with who runs, who is leftmost and who are the buddies.
//!
//! vruntime itself says nothing to anybody; distances from the leftmost do, because those are what picks and
//! preemptions compare. A dot's size is its weight; the one that runs is a ring.

mod names;

use names::Wish;
use std::rc::Rc;

use crate::format;
use crate::number::within;
use crate::protocol::{QueuedTask, RunQueue, RunSide};
use crate::text::{Msg, fill, text};
use crate::view::axis;
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::{Frame, Hover, Picture, Table, only_words};
use crate::view::scene::{Align, Dash, Label, Scene, Shape, Stroke};
use schedlab_engine::order::sorted;

/// The picture.
#[derive(Clone, Debug, Default)]
pub struct QueuePicture {
    /// The queue, if one was asked for.
    pub queue: Option<Rc<RunQueue>>,
    /// The run it belongs to.
    pub side: RunSide,
    /// What has just happened at that moment, in words.
    pub when: String,
    /// Has the run not come to the cursor yet?
    pub ahead: bool,
}

impl PartialEq for QueuePicture {
    fn eq(&self, other: &QueuePicture) -> bool {
        let same = match (&self.queue, &other.queue) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        let words = (&self.when, self.ahead) == (&other.when, other.ahead);
        same && words && self.side == other.side
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
    /// The height of each dot where each has a line of its own, leftmost first; where there is no room for that, all are
    /// on the axis.
    rows: Vec<f64>,
}

/// Lines of names are at least so far apart, in lines of the picture's font: what is written on them is smaller.
const APART: f64 = 0.75;

/// The heights of `queue`'s dots between `top` and `bottom`, one under the other; none where lines would touch.
fn rows(queue: &RunQueue, (top, bottom): (f64, f64), line: f64) -> Vec<f64> {
    let count = queue.queued.len();
    let pitch = ((bottom - top) / count.max(1) as f64).min(2.0 * line);
    if pitch < APART * line {
        return Vec::new();
    }
    let order: Vec<usize> = (0..count).collect();
    let vruntime = |index: &usize| queue.queued[*index].vruntime_ns;
    let order = sorted(&order, |a, b| vruntime(a).cmp(&vruntime(b)));
    let first = f64::midpoint(top, bottom) - pitch * (count as f64 - 1.0) / 2.0;
    let mut heights = vec![0.0; count];
    for (row, index) in order.into_iter().enumerate() {
        heights[index] = first + row as f64 * pitch;
    }
    heights
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
        let foot = frame.height - 1.5 * line;
        let rows = rows(queue, (1.3 * line, foot - 0.3 * line), line);
        let y = if rows.is_empty() {
            (frame.height * 0.56).min(frame.height - 2.4 * line)
        } else {
            foot
        }
        .round();
        let margin = frame.font.size * 1.2;
        Places {
            axis: Rect::new(margin, y, (frame.width - 2.0 * margin).max(10.0), 0.0),
            low: ends.0 - span * 0.02,
            high: ends.1 + span * 0.02,
            rows,
        }
    }

    fn x(&self, distance_ns: f64) -> f64 {
        self.axis.x + self.axis.w * (distance_ns - self.low) / (self.high - self.low)
    }

    fn dot(&self, queue: &RunQueue, index: usize) -> Point {
        let far = queue.queued[index].vruntime_ns - origin(queue);
        let y = self.rows.get(index).copied().unwrap_or(self.axis.y);
        Point::new(self.x(far as f64), y)
    }

    /// From where to where the window of the buddies goes.
    fn window(&self, line: f64) -> (f64, f64) {
        if self.rows.is_empty() {
            (self.axis.y - 13.0, self.axis.y + 13.0)
        } else {
            (line, self.axis.y)
        }
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
    let band = Rect::between(x, places.window(frame.font.line_height()));
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

impl QueuePicture {
    /// Why there is nothing to draw.
    fn nothing(&self) -> String {
        let key = match &self.queue {
            Some(queue) if let Some((group, n)) = queue.throttled.first() => {
                return fill(
                    Msg::QueueThrottled,
                    &[("group", group), ("n", &n.to_string())],
                );
            }
            Some(_) => Msg::QueueIdle,
            None if self.ahead => Msg::MomentAhead,
            None => Msg::QueueNone,
        };
        text(key).to_string()
    }

    /// The shapes; dots are targets, by their number in the queue.
    fn dots(&self, frame: &Frame<'_>) -> Scene<usize> {
        let mut scene = Scene::default();
        let Some(queue) = self.queue.as_ref().filter(|queue| !queue.queued.is_empty()) else {
            only_words(&mut scene, &self.nothing(), frame);
            return scene;
        };
        let places = Places::new(queue, frame);
        window(&mut scene, queue, &places, frame);
        ticks(&mut scene, &places, frame);
        let mut wishes = Vec::new();
        for (index, task) in queue.queued.iter().enumerate() {
            let at = places.dot(queue, index);
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
        if places.rows.is_empty() {
            names::around(&mut scene, &wishes, places.axis.y, frame);
        } else {
            names::beside(&mut scene, &wishes, frame);
        }
        scene
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
        if self.queue.is_none() {
            return String::new();
        }
        fill(Msg::QueueUnit, &[("when", &self.when)])
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
        let dot = places.dot(queue, index);
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
            return self.nothing();
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
        let far = queue
            .queued
            .iter()
            .map(|task| task.vruntime_ns - origin(queue));
        let far = format::distances(&far.collect::<Vec<_>>());
        let row = |index: usize| {
            let task = &queue.queued[index];
            vec![
                task.comm.clone(),
                roles(queue, index).join(", "),
                far[index].clone(),
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
            ..QueuePicture::default()
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
            "leftmost waiting",
            "send-4/6",
            "last buddy",
        ] {
            assert!(texts.contains(&wanted), "{wanted} is missing in {texts:?}");
        }
    }

    #[test]
    fn where_there_is_room_each_task_has_a_line_of_its_own() {
        let font = FontMetrics::wide_sans(13.0);
        let frame = Frame {
            width: 340.0,
            height: 230.0,
            font: &font,
        };
        let picture = picture(demo::run_queue());
        let queue = picture.queue.as_ref().expect("it has one");
        let names: Vec<(f64, String)> = picture
            .scene(&frame)
            .shapes
            .into_iter()
            .filter_map(|shape| match shape {
                Shape::Text(label) => Some((label.at.y, label.text)),
                _ => None,
            })
            .collect();
        for (index, task) in queue.queued.iter().enumerate() {
            let y = Places::new(queue, &frame).dot(queue, index).y;
            let own = names.iter().filter(|(at, _)| (at - y).abs() < 1e-9);
            let own: Vec<&String> = own.map(|(_, text)| text).collect();
            assert!(own.len() == 1 && own[0].starts_with(&task.comm), "{own:?}");
        }
        let text = |part: &str| names.iter().any(|(_, text)| text.contains(part));
        assert!(
            text("recv-4/1 · leftmost waiting") && text("send-4/0 · running"),
            "{names:?}"
        );
    }

    /// A dozen tasks in the panel that is docked beside the explanation, on a screen of 1440 by 900.
    #[test]
    fn a_dozen_tasks_have_lines_in_the_docked_panel() {
        let font = FontMetrics::wide_sans(13.0);
        let frame = Frame {
            width: 340.0,
            height: 230.0,
            font: &font,
        };
        let mut dozen = demo::run_queue();
        while dozen.queued.len() < 12 {
            let last = dozen.queued.last().expect("it is not empty").clone();
            dozen.queued.push(QueuedTask {
                vruntime_ns: last.vruntime_ns + 400_000,
                ..last
            });
        }
        let places = Places::new(&dozen, &frame);
        assert_eq!(places.rows.len(), 12);
        let line = font.scaled(SMALL).line_height();
        let high = sorted(&places.rows, f64::total_cmp);
        assert!(high.windows(2).all(|two| two[1] - two[0] > 0.8 * line));
        check(&picture(dozen));
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
        let at = places.dot(queue, 6);
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
        assert_eq!(
            table.rows[1][2], "0.000\u{202f}ms",
            "with as many digits as the others"
        );
    }
}
