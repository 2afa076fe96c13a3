//! Where the names of the tasks stand: on the lines of their dots, or in rows above and below the axis.

use super::SMALL;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Colour;
use crate::view::picture::Frame;
use crate::view::scene::{Align, Label, Scene, Stroke};
use schedlab_engine::order::sorted;

/// A name that wants a place: its lines, where it points to, and how much it matters.
#[derive(Clone)]
pub(super) struct Wish {
    pub(super) lines: Vec<(String, bool)>,
    pub(super) at: Point,
    pub(super) matters: bool,
}

/// Names on the lines of their dots: right of them, or left where there is more room.
pub(super) fn beside(scene: &mut Scene<usize>, wishes: &[Wish], frame: &Frame<'_>) {
    let font = frame.font.scaled(SMALL);
    for wish in wishes {
        let words: Vec<&str> = wish.lines.iter().rev().map(|(words, _)| &**words).collect();
        let words = words.join(" · ");
        let (left, right) = (wish.at.x - 15.0, frame.width - wish.at.x - 15.0);
        let wide = font.bold_width(&words);
        let beside = if wide <= right || right >= left {
            (Align::Start, right, 13.0)
        } else {
            (Align::End, left, -13.0)
        };
        let (align, room, away) = beside;
        let Some(words) = font.bold().fitted(&words, room) else {
            continue;
        };
        let colour = if wish.matters {
            Colour::Ink
        } else {
            Colour::Mute
        };
        let at = Point::new(wish.at.x + away, wish.at.y);
        let wide = font.bold_width(&words);
        let left = if away > 0.0 { at.x } else { at.x - wide };
        ground(
            scene,
            Rect::new(
                left,
                at.y - font.line_height() / 2.0,
                wide,
                font.line_height(),
            ),
        );
        let label = Label::new(at, words, colour).aligned(align).scaled(SMALL);
        scene.text(if wish.matters { label.bold() } else { label });
    }
}

/// Rows of names above and below the axis; each name goes to the nearest row with room, or nowhere.
pub(super) fn around(scene: &mut Scene<usize>, wishes: &[Wish], axis_y: f64, frame: &Frame<'_>) {
    let font = frame.font.scaled(SMALL);
    let line = font.line_height();
    let wishes = sorted(wishes, |a, b| {
        b.matters.cmp(&a.matters).then(a.at.x.total_cmp(&b.at.x))
    });
    let above = ((axis_y - 16.0 - line) / line).max(0.0) as usize;
    let below = ((frame.height - line - axis_y - 16.0) / line).max(0.0) as usize;
    // Names, and the lines that lead to them.
    let mut taken: Vec<Rect> = Vec::new();
    for wish in wishes {
        let high = wish.lines.len() as f64 * line;
        let wide = wish
            .lines
            .iter()
            .map(|(words, bold)| match bold {
                true => font.bold_width(words),
                false => font.width(words),
            })
            .fold(0.0, f64::max);
        let x = (wish.at.x - wide / 2.0)
            .max(1.0)
            .min(frame.width - wide - 1.0);
        let up = (0..above).map(|row| axis_y - 14.0 - row as f64 * line - high);
        let down = (0..below).map(|row| axis_y + 14.0 + row as f64 * line);
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
            let far = |y: f64| (y + high / 2.0 - axis_y).abs();
            far(*a).total_cmp(&far(*b))
        });
        let Some(y) = spot else { continue };
        taken.push(Rect::new(x - 3.0, y, wide + 6.0, high));
        taken.push(lead(wish.at, (y, y + high)));
        stem(scene, wish.at, (y, y + high));
        ground(scene, Rect::new(x, y, wide, high));
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

/// Words are read on it though a line goes through there.
fn ground(scene: &mut Scene<usize>, words: Rect) {
    scene.fill(words, Colour::Panel.alpha(0.85));
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
