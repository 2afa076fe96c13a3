//! The address and the state, each from the other.
//!
//! A link is a configuration (the engine's grammar), then, if two are compared, `vs` and what is different in B, then,
//! if somebody looks closely, `view` and where: `m=q6600&k=2.6.31&vs&k=2.6.32&view&at=A:3:12.5ms`. An empty link is
//! the welcome comparison, and what is shared says even that. Reading is total; what was not understood is noted, never
//! swallowed.
//!
//! Not here: the browser's address bar (that is `app`).

#[cfg(test)]
mod tests;
mod view;

use crate::model::{Setup, Side, View};
use schedlab_engine::config::Config;
use schedlab_engine::fragment::{self, Warning};
use std::rc::Rc;

/// Stands between A and what is different in B.
const VERSUS: &str = "vs";

/// Stands before the keys of the view.
const VIEW: &str = "view";

/// What a link says.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What is simulated.
    pub setup: Setup,
    /// How it is looked at.
    pub view: View,
    /// What was not used as written.
    pub notes: Vec<Note>,
}

/// Something about a link that the reader should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Which configuration it is about; none: the view.
    pub side: Option<Side>,
    /// What is wrong, where, and what was used instead.
    pub words: String,
    /// What was probably meant, and the setup that says it.
    pub fix: Option<(String, Setup)>,
}

/// What `text`, with or without its `#`, says. Any text will do.
pub fn read(text: &str) -> Link {
    let text = text.trim_start_matches('#');
    let parts = Parts::of(text);
    let (view, mut view_notes) = view::read(parts.view);
    if parts.a.is_empty() && parts.b.is_none() {
        return Link {
            setup: Setup::welcome(),
            view,
            notes: view_notes,
        };
    }
    let (a, a_warnings) = fragment::parse(parts.a);
    let mut setup = Setup::single(a);
    let b_text = parts.b.map(|over| fragment::overlay(parts.a, over));
    let (b, b_warnings) = b_text.as_deref().map(fragment::parse).unzip();
    setup.b = b.map(Rc::new);
    let mut notes = notes_of(Side::A, parts.a, &a_warnings, &setup);
    if let (Some(text), Some(warnings)) = (b_text, b_warnings) {
        // What A already has is said once.
        let own: Vec<Warning> = warnings
            .into_iter()
            .filter(|w| !a_warnings.iter().any(|a| same(a, w)))
            .collect();
        notes.extend(notes_of(Side::B, &text, &own, &setup));
    }
    notes.append(&mut view_notes);
    Link { setup, view, notes }
}

/// What the address bar says of `setup` looked at that way, without its `#`: nothing at the welcome that nobody has
/// touched, else the link for others.
pub fn write(setup: &Setup, view: &View) -> String {
    if *setup == Setup::welcome() && view::write(view).is_empty() {
        String::new()
    } else {
        shared(setup, view)
    }
}

/// The link of `setup` looked at that way, without its `#`, to give to others: it says what is compared even where that
/// is the welcome, which may be another one day.
pub fn shared(setup: &Setup, view: &View) -> String {
    let (setup, view) = (write_setup(setup), view::write(view));
    if view.is_empty() {
        setup
    } else {
        format!("{setup}&{VIEW}&{view}")
    }
}

/// The link of `setup`, whatever the welcome is.
fn write_setup(setup: &Setup) -> String {
    let a = fragment::print(&setup.a);
    match &setup.b {
        None => a,
        Some(b) => {
            let difference = fragment::difference(&setup.a, b);
            let ampersand = if difference.is_empty() { "" } else { "&" };
            format!("{a}&{VERSUS}{ampersand}{difference}")
        }
    }
}

/// The command that runs the same natively.
pub fn command(setup: &Setup) -> String {
    let quoted = |config: &Config| format!("'{}'", fragment::print(config));
    match &setup.b {
        None => format!("schedlab run {}", quoted(&setup.a)),
        Some(b) => format!("schedlab compare {} {}", quoted(&setup.a), quoted(b)),
    }
}

fn same(a: &Warning, b: &Warning) -> bool {
    (a.field, &a.text, &a.fault) == (b.field, &b.text, &b.fault)
}

fn notes_of(side: Side, text: &str, warnings: &[Warning], setup: &Setup) -> Vec<Note> {
    let note = |warning: &Warning| Note {
        side: Some(side),
        words: warning.to_string(),
        fix: warning.nearest.as_ref().and_then(|nearest| {
            let mended = replaced(text, warning, nearest)?;
            let (config, _) = fragment::parse(&mended);
            Some((nearest.clone(), setup.with(side, Rc::new(config))))
        }),
    };
    warnings.iter().map(note).collect()
}

/// `text` with what `warning` is about replaced.
fn replaced(text: &str, warning: &Warning, by: &str) -> Option<String> {
    let before = text.get(..warning.range.start)?;
    let after = text.get(warning.range.end..)?;
    Some(format!("{before}{by}{after}"))
}

/// The three parts of a link.
struct Parts<'a> {
    a: &'a str,
    b: Option<&'a str>,
    view: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (setup, view) = cut(text, VIEW).unwrap_or((text, ""));
        match cut(setup, VERSUS) {
            Some((a, b)) => Self {
                a,
                b: Some(b),
                view,
            },
            None => Self {
                a: setup,
                b: None,
                view,
            },
        }
    }
}

/// What stands before and after the part of `text` that is just `word`; the ampersands may have been escaped, once or
/// twice.
fn cut<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    ["&", "%26", "%2526"].into_iter().find_map(|mark| {
        let mut at = 0;
        for part in text.split(mark) {
            let end = at + part.len();
            if part.trim_matches(['+', ' ']).eq_ignore_ascii_case(word) {
                let before = text.get(..at).unwrap_or("");
                let after = text.get(end..).unwrap_or("");
                let before = before.strip_suffix(mark).unwrap_or(before);
                return Some((before, after.strip_prefix(mark).unwrap_or(after)));
            }
            at = end + mark.len();
        }
        None
    })
}
