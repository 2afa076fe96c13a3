//! The part of a link that says how a run is looked at: `z=12.4ms..12.5ms&at=A:3:12.46ms&ask=preempt:17&by=group&play=1ms`.
//!
//! Times are written exactly and read exactly; a part that makes no sense is noted and left out.

use super::Note;
use crate::model::Side;
use crate::model::view::{Asked, ColourBy, Cursor, View, Window};
use crate::text::{Msg, fill};
use schedlab_engine::time::Nanos;

/// The view that `text` describes.
pub(super) fn read(text: &str) -> (View, Vec<Note>) {
    let mut view = View::default();
    let mut notes = Vec::new();
    for part in text.split('&').filter(|part| !part.trim().is_empty()) {
        if read_part(&mut view, part).is_none() {
            let shown: String = part.chars().take(60).collect();
            let words = fill(Msg::NoteView, &[("part", &shown)]);
            notes.push(Note {
                side: None,
                words,
                at: None,
                fix: None,
            });
        }
    }
    view.asked = view.asked.filter(|_| view.cursor.is_some());
    (view, notes)
}

fn read_part(view: &mut View, part: &str) -> Option<()> {
    let (key, value) = part.split_once('=')?;
    match key.trim() {
        "z" => {
            let (from, to) = value.split_once("..")?;
            let (from, to) = (time(from)?, time(to)?);
            view.window = (from < to).then(|| Window::new(from, to));
            view.window.map(|_| ())
        }
        "at" => {
            let mut pieces = value.splitn(3, ':');
            let (side, cpu, at) = (pieces.next()?, pieces.next()?, pieces.next()?);
            view.cursor = Some(Cursor {
                side: side_of(side)?,
                cpu: cpu.parse().ok()?,
                at_ns: time(at)?,
            });
            Some(())
        }
        "ask" => {
            view.asked = Some(asked(value)?);
            Some(())
        }
        "by" => {
            view.colour = ColourBy::by_name(value.trim())?;
            Some(())
        }
        "play" => {
            view.speed_ns = Some(time(value.trim())?).filter(|ns| *ns > 0);
            view.speed_ns.map(|_| ())
        }
        _ => None,
    }
}

/// `view` as part of a link; empty if it is as the page opens.
pub(super) fn write(view: &View) -> String {
    let mut parts = Vec::new();
    if let Some(window) = view.window {
        parts.push(format!(
            "z={}..{}",
            Nanos(window.from_ns),
            Nanos(window.to_ns)
        ));
    }
    if let Some(Cursor { side, cpu, at_ns }) = view.cursor {
        parts.push(format!("at={side:?}:{cpu}:{}", Nanos(at_ns)));
    }
    if let Some(asked) = view.asked {
        parts.push(format!("ask={}", asked_text(asked)));
    }
    if view.colour != ColourBy::default() {
        parts.push(format!("by={}", view.colour.name()));
    }
    if let Some(speed) = view.speed_ns {
        parts.push(format!("play={}", Nanos(speed)));
    }
    parts.join("&")
}

fn asked_text(asked: Asked) -> String {
    match asked {
        Asked::Pick => "pick".to_string(),
        Asked::Preempt { task } => format!("preempt:{task}"),
        Asked::Placement { task } => format!("placement:{task}"),
        Asked::Migration { task } => format!("migration:{task}"),
    }
}

fn asked(text: &str) -> Option<Asked> {
    if text == "pick" {
        return Some(Asked::Pick);
    }
    let (kind, task) = text.split_once(':')?;
    let task = task.parse().ok()?;
    match kind {
        "preempt" => Some(Asked::Preempt { task }),
        "placement" => Some(Asked::Placement { task }),
        "migration" => Some(Asked::Migration { task }),
        _ => None,
    }
}

fn side_of(text: &str) -> Option<Side> {
    match text {
        "A" | "a" => Some(Side::A),
        "B" | "b" => Some(Side::B),
        _ => None,
    }
}

/// A time as [`Nanos`] prints it; what is finer than a nanosecond is no time.
fn time(text: &str) -> Option<u64> {
    const UNITS: [(&str, u32); 4] = [("ns", 0), ("us", 3), ("ms", 6), ("s", 9)];
    let (number, places) = UNITS
        .iter()
        .find_map(|(unit, places)| Some((text.strip_suffix(unit)?, *places)))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > places as usize {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<width$}", width = places as usize)
        .parse()
        .unwrap_or(0);
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(10_u64.pow(places))?
        .checked_add(fraction)
}
