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
use schedlab_engine::fragment::{self, PageLink, VERSUS, VIEW, Warning};
use std::ops::Range;
use std::rc::Rc;

/// What a link says.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What is simulated.
    pub setup: Setup,
    /// How it is looked at.
    pub view: View,
    /// What was not used as written.
    pub notes: Vec<Note>,
    /// The view as it was typed, where something of it was not used.
    pub typed_view: Option<Rc<str>>,
}

/// Something about a link that the reader should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Which configuration it is about; none: the view.
    pub side: Option<Side>,
    /// What is wrong, where, and what was used instead.
    pub words: String,
    /// Where in the link as it was typed.
    pub at: Option<Range<usize>>,
    /// What was probably meant, and the link that says it.
    pub fix: Option<(String, String)>,
}

impl Note {
    /// Does it say the same?
    pub fn is_like(&self, other: &Note) -> bool {
        (self.side, &self.words) == (other.side, &other.words)
    }
}

/// What `text`, with or without its `#`, says. Any text will do.
pub fn read(text: &str) -> Link {
    let text = text.trim_start_matches('#');
    let parts = PageLink::of(text);
    let (view, mut view_notes) = view::read(parts.view);
    let typed_view = (!view_notes.is_empty()).then(|| Rc::from(parts.view));
    if parts.a.is_empty() && parts.b.is_none() {
        return Link {
            setup: Setup::welcome(),
            view,
            notes: view_notes,
            typed_view,
        };
    }
    let (a, a_warnings) = fragment::parse(parts.a);
    let mut setup = Setup::single(a);
    let b_text = parts.b.map(|(_, over)| fragment::overlay(parts.a, over));
    let mut notes = Vec::new();
    let mut told = |side, warning: &Warning, at| {
        notes.push(note(parts.setup, side, warning, at));
        !warning.is_advice()
    };
    let mut faulty = parts.more.is_some();
    for warning in &a_warnings {
        faulty |= told(Side::A, warning, Some(warning.range.clone()));
    }
    if let Some(text) = &b_text {
        let (b, b_warnings) = fragment::parse(text);
        setup.b = Some(Rc::new(b));
        for warning in &b_warnings {
            // What A already has is said once.
            if !a_warnings.iter().any(|a| same(a, warning)) {
                faulty |= told(Side::B, warning, of_b(&parts, text, &warning.range));
            }
        }
    }
    if let Some(at) = parts.more {
        notes.push(Note {
            side: Some(Side::B),
            words: PageLink::MORE.to_string(),
            at: Some(at..parts.setup.len()),
            fix: None,
        });
    }
    if faulty && stands_alone(&parts) {
        setup.typed = Some(parts.setup.into());
    }
    notes.append(&mut view_notes);
    Link {
        setup,
        view,
        notes,
        typed_view,
    }
}

/// What there is to say about the link of `setup` as it was typed.
pub fn notes(setup: &Setup) -> Vec<Note> {
    let typed = setup.typed.as_deref();
    typed.map_or_else(Vec::new, |typed| read(typed).notes)
}

/// `after`, a change of `before`, with what `before` was typed as: the parts that changed are written anew, the others
/// stay, faults and all. Without it where no fault is left.
pub fn retyped(before: &Setup, after: Setup) -> Setup {
    let Some(typed) = &before.typed else {
        return after;
    };
    let parts = PageLink::of(typed);
    let mut text = fragment::overlay(parts.a, &fragment::difference(&before.a, &after.a));
    if let Some(b) = &after.b {
        let (_, over) = parts.b.unwrap_or_default();
        let (now, _) = fragment::parse(&fragment::overlay(&text, over));
        let over = fragment::overlay(over, &fragment::difference(&now, b));
        text = format!("{text}&{VERSUS}&{over}");
        if let Some(more) = parts.more.and_then(|at| typed.get(at..)) {
            text = format!("{text}&{more}");
        }
    }
    let again = read(&text).setup;
    let canonical = |config: &Rc<Config>| config.canonical();
    let same = (canonical(&again.a), again.b.as_ref().map(canonical))
        == (canonical(&after.a), after.b.as_ref().map(canonical));
    Setup {
        typed: again.typed.filter(|_| same),
        ..after
    }
}

/// `text` as browsers keep it in an address; a line break separates parts as an ampersand does.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        match c {
            ' ' => out.push('+'),
            '\n' => out.push('&'),
            '"' | '<' | '>' | '`' | '\0'..='\u{1f}' | '\u{7f}'.. => {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).bytes();
                out.extend(bytes.map(|byte| format!("%{byte:02X}")));
            }
            c => out.push(c),
        }
    }
    out
}

/// What the address bar says of `setup` looked at that way, without its `#`: nothing at the welcome that nobody has
/// touched, else the link for others, with the view as it was `typed` where it was not understood.
pub fn write(setup: &Setup, view: &View, typed: Option<&str>) -> String {
    let view = typed.map_or_else(|| view::write(view), str::to_string);
    if *setup == Setup::welcome() && view.is_empty() {
        String::new()
    } else {
        with_view(setup, &view)
    }
}

/// The link of `setup` looked at that way, without its `#`, to give to others: it says what is compared even where that
/// is the welcome, which may be another one day.
pub fn shared(setup: &Setup, view: &View) -> String {
    with_view(setup, &view::write(view))
}

fn with_view(setup: &Setup, view: &str) -> String {
    let setup = write_setup(setup);
    if view.is_empty() {
        setup
    } else {
        format!("{setup}&{VIEW}&{view}")
    }
}

/// The link of `setup`, whatever the welcome is.
fn write_setup(setup: &Setup) -> String {
    if let Some(typed) = &setup.typed {
        return typed.to_string();
    }
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

/// What `warning` says about one side of `setup`, and how to mend it if it stands there, `at`.
fn note(setup: &str, side: Side, warning: &Warning, at: Option<Range<usize>>) -> Note {
    let fix = warning.mended().zip(at.clone()).and_then(|(meant, at)| {
        let mended = replaced(setup, at, meant)?;
        Some((meant.clone(), mended))
    });
    Note {
        side: Some(side),
        words: warning.to_string(),
        at,
        fix,
    }
}

fn same(a: &Warning, b: &Warning) -> bool {
    (a.field, &a.text, &a.fault) == (b.field, &b.text, &b.fault)
}

/// `text` with what is at `at` replaced.
fn replaced(text: &str, at: Range<usize>, by: &str) -> Option<String> {
    let (before, after) = (text.get(..at.start)?, text.get(at.end..)?);
    Some(format!("{before}{by}{after}"))
}

/// Do the parts of `link` before the view mean the same by themselves?
fn stands_alone(link: &PageLink<'_>) -> bool {
    let again = PageLink::of(link.setup);
    (again.a, again.b, again.view) == (link.a, link.b, "")
}

/// Where in `link` it is what stands at `range` in `text`, A's part with B's own over it; none if that is A's.
fn of_b(link: &PageLink<'_>, text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let (at, own) = link.b.filter(|(_, own)| text.ends_with(own))?;
    let from = text.len() - own.len();
    let place = |byte: usize| Some(byte.checked_sub(from)? + at);
    Some(place(range.start)?..place(range.end)?)
}
