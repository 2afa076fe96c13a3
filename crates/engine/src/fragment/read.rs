//! Reading a fragment: parts in any order, each into its field, every misunderstanding a warning.
//!
//! Total: every text gives a configuration. What a part means may depend on others (a feature exists in a
//! kernel, a default belongs to a machine), so parts are collected first and applied in the order of
//! [`Field::ALL`].

use super::decode::Decoded;
use super::piece::{Piece, UNCLOSED};
use super::print::value;
use super::warning::{Fault, Used, Warning};
use super::{MAX_BYTES, MAX_WARNINGS, VERSION};
use crate::config::text::time_text;
use crate::config::{Config, Field, LIMITS};
use crate::machine::Machine;
use crate::machine::catalog::CATALOG;
use crate::order::sorted;
use crate::sched::profile::{PROFILES, Profile};
use crate::time::{Hz, Nanos};
use crate::words::nearest::{listed, nearest_of, nearest_release};
use crate::words::number::{self, Read};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The word for "as it is without this part".
pub(super) const NONE: &str = "none";

/// One `key=value`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) field: Field,
    pub(super) value: Piece<'a>,
}

/// A configuration in the making.
pub(super) struct Reader<'a> {
    pub(super) decoded: &'a Decoded,
    /// The field being read.
    field: Option<Field>,
    /// What has been understood so far.
    pub config: Config,
    pub(super) warnings: Vec<Warning>,
    /// Warnings beyond those that are kept.
    more: usize,
}

/// `text` as a configuration, with a warning for each piece that is not used as written.
pub(super) fn read(text: &str) -> (Config, Vec<Warning>) {
    let kept = text.floor_char_boundary(MAX_BYTES);
    let (kept, rest) = text.split_at(kept);
    let decoded = Decoded::new(kept);
    let mut reader = Reader::new(&decoded, Config::default());
    let parts = reader.parts();
    reader.apply_all(&parts);
    reader.name_defaults(&parts);
    reader.finish(kept.len(), rest)
}

impl<'a> Reader<'a> {
    /// Nothing read yet: `config` is what holds without it.
    pub(super) fn new(decoded: &'a Decoded, config: Config) -> Reader<'a> {
        Reader {
            decoded,
            field: None,
            config,
            warnings: Vec::new(),
            more: 0,
        }
    }

    /// Applies every part, in the order of the fields.
    pub(super) fn apply_all(&mut self, parts: &[Part<'a>]) {
        for field in Field::ALL {
            self.field = Some(*field);
            let same = parts.iter().filter(|p| p.field == *field);
            let same: Vec<Piece<'a>> = same.map(|p| p.value).collect();
            self.apply(*field, &same);
        }
    }

    /// The text as parts; what is none is warned about.
    fn parts(&mut self) -> Vec<Part<'a>> {
        let whole = without_address(Piece::whole(&self.decoded.text));
        let mut parts = Vec::new();
        for piece in whole.split(&['&', '\n', '\r']) {
            let piece = piece.strip_prefix("amp;").unwrap_or(piece);
            let (key, value) = match piece.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (piece, None),
            };
            self.field = Field::by_key(key.text);
            match (self.field, value) {
                (Some(field), Some(value)) if !value.is_empty() => {
                    parts.push(Part { field, value });
                }
                (Some(_), Some(_)) => {
                    let _ = self.warn(piece, Fault::NothingSaid);
                }
                (None, Some(_)) if !key.is_empty() => self.unknown_key(key),
                _ => {
                    let _ = self.warn(piece, Fault::NoValue);
                }
            }
        }
        parts
    }

    fn unknown_key(&mut self, key: Piece<'_>) {
        let known = Field::ALL
            .iter()
            .flat_map(|f| f.aliases().iter().copied().chain([f.key()]));
        let near = self.near(key, &listed(known)).and_then(Field::by_key);
        self.warn(key, Fault::UnknownKey).nearest = near.map(|f| f.key().to_string());
    }

    /// Where only the key of a machine, a kernel or a workload was said: which one it is then.
    fn name_defaults(&mut self, parts: &[Part<'a>]) {
        for field in [Field::Machine, Field::Kernel, Field::Workloads] {
            if parts.iter().all(|part| part.field != field) {
                self.field = Some(field);
                let default = value(&self.config, field);
                self.instead(match field {
                    Field::Workloads => Used::Default(default),
                    _ => Used::Value(default),
                });
            }
        }
    }

    /// The last warning that calls a piece of the present field ignored tells what is used in its place.
    pub(super) fn instead(&mut self, used: Used) {
        let field = self.field;
        let ignored = |w: &&mut Warning| {
            w.field == field && matches!(w.used, Used::Nothing | Used::WithoutTasks)
        };
        if let Some(warning) = self.warnings.iter_mut().rfind(ignored) {
            warning.used = used;
        }
    }

    /// Applies what was said of one field, in the order in which it was said.
    fn apply(&mut self, field: Field, values: &[Piece<'a>]) {
        match field {
            Field::Deltas => self.deltas(values),
            Field::Features => self.features(values),
            Field::Tunables => self.tunables(values),
            Field::SdFlags => self.sd_flags(values),
            Field::Groups => self.groups(values),
            Field::Workloads => self.workloads(values),
            _ => {
                let mut said = Vec::new();
                for place in values {
                    let heard = self.warnings.len();
                    self.scalar(field, *place);
                    let new = self.warnings.get(heard..).unwrap_or_default();
                    let read = new.iter().all(Warning::is_understood);
                    said.push((0, *place, read.then(|| value(&self.config, field))));
                }
                self.settle(&said);
            }
        }
    }

    fn scalar(&mut self, field: Field, value: Piece<'a>) {
        match field {
            Field::Version => self.version(value),
            Field::Machine => self.machine(value),
            Field::Kernel => self.kernel(value),
            Field::Seed => {
                let read = self.whole(value, 0, u64::MAX.into(), "a whole number");
                self.config.seed = read.map_or(self.config.seed, |n| n as u64);
            }
            Field::Duration => self.duration(value),
            Field::Hz => self.hz(value),
            Field::Phase => self.phase(value),
            Field::SkewTick => {
                self.config.skew_tick = self.switch_or(value, self.config.skew_tick);
            }
            Field::Nohz => {
                let now = Some(self.config.nohz);
                self.config.nohz = self.switch_or(value, now).unwrap_or(false);
            }
            _ => {
                let read = self.whole(value, 1, LIMITS.events.into(), "a number of events");
                self.config.max_events = read.map_or(self.config.max_events, |n| n as u64);
            }
        }
    }

    fn version(&mut self, value: Piece<'_>) {
        let known = i128::from(VERSION);
        let fault = match number::integer(value.text) {
            Read::Exact(n) if n == known => return,
            Read::Exact(n) if n > known => Fault::NewerVersion,
            _ => Fault::Malformed {
                expected: "a version number such as 1",
            },
        };
        self.warn(value, fault).used = Used::Value(format!("version {known}"));
    }

    fn machine(&mut self, value: Piece<'_>) {
        let same = |m: &&Machine| m.name.eq_ignore_ascii_case(value.text);
        if let Some(machine) = CATALOG.iter().find(same) {
            self.config.machine = machine;
        } else {
            let names = CATALOG.iter().map(|m| &*m.name);
            let used = self.config.machine.name.to_string();
            self.unknown(value, "machine", names, Used::Value(used));
        }
    }

    fn kernel(&mut self, value: Piece<'_>) {
        let bare = value.strip_prefix("v").unwrap_or(value);
        let same = |p: &&Profile| p.name.eq_ignore_ascii_case(bare.text);
        if let Some(kernel) = PROFILES.iter().find(same) {
            self.config.kernel = kernel;
            self.config.deltas = kernel.deltas;
        } else {
            let used = Used::Value(self.config.kernel.name.to_string());
            let near = nearest_release(bare.text, PROFILES.iter().map(|p| p.name));
            let near = near.map(String::from);
            let warning = self.warn(value, Fault::Unknown { kind: "kernel" });
            (warning.used, warning.nearest) = (used, near);
        }
    }

    fn duration(&mut self, value: Piece<'_>) {
        if is_none(value) {
            self.config.duration = None;
            return;
        }
        let (low, high) = LIMITS.duration;
        let read = self.time(value, low.0.into(), high.0.into());
        self.config.duration = read.map(|n| Nanos(n as u64)).or(self.config.duration);
    }

    fn hz(&mut self, value: Piece<'_>) {
        if is_none(value) {
            self.config.hz = None;
            return;
        }
        let (low, high) = LIMITS.hz;
        let read = self.whole(
            value,
            low.0.into(),
            high.0.into(),
            "a number of ticks a second",
        );
        self.config.hz = read.map(|n| Hz(n as u32)).or(self.config.hz);
    }

    fn phase(&mut self, value: Piece<'_>) {
        let period = self.config.hz_in_force().period();
        if let Some(n) = self.time(value, 0, i128::from(period.0) - 1) {
            self.config.phase = Nanos(n as u64);
        }
    }

    /// `on`, `off`, or none; a warning for anything else, and what holds `now`.
    fn switch_or(&mut self, value: Piece<'_>, now: Option<bool>) -> Option<bool> {
        if is_none(value) {
            return None;
        }
        self.switch(value).or(now)
    }

    /// `on` or `off`, and what else people write for them.
    pub(super) fn switch(&mut self, value: Piece<'_>) -> Option<bool> {
        let read = switch_word(value.text);
        if read.is_none() {
            let expected = "on or off";
            let _ = self.warn(value, Fault::Malformed { expected });
        }
        read
    }

    /// A whole number, held to its range.
    pub(super) fn whole(
        &mut self,
        value: Piece<'_>,
        low: i128,
        high: i128,
        expected: &'static str,
    ) -> Option<i128> {
        match number::integer(value.text) {
            Read::Exact(n) | Read::Cut(n) => Some(self.held(value, n, (low, high), plain)),
            Read::Nonsense => {
                let _ = self.warn(value, Fault::Malformed { expected });
                None
            }
        }
    }

    /// A time in nanoseconds, held to its range.
    pub(super) fn time(&mut self, value: Piece<'_>, low: i128, high: i128) -> Option<i128> {
        let n = match number::nanos(value.text) {
            Read::Exact(n) => n,
            Read::Cut(n) => {
                // What is out of its range besides is told as that.
                if (low..=high).contains(&n) {
                    self.warn(value, Fault::TooFine).take(time_text(n));
                }
                n
            }
            Read::Nonsense => {
                let expected = "a time such as 8ms, 750us or 1.5s";
                let _ = self.warn(value, Fault::Malformed { expected });
                return None;
            }
        };
        Some(self.held(value, n, (low, high), time_text))
    }

    /// `n` held to a range; a warning if that changes it.
    pub(super) fn held(
        &mut self,
        value: Piece<'_>,
        n: i128,
        (low, high): (i128, i128),
        text: fn(i128) -> String,
    ) -> i128 {
        let held = n.clamp(low, high);
        if held != n {
            let fault = Fault::OutOfRange {
                low: text(low),
                high: text(high),
            };
            self.warn(value, fault).take(text(held));
        }
        held
    }

    /// A name that nothing of that kind has.
    pub(super) fn unknown<'c>(
        &mut self,
        name: Piece<'_>,
        kind: &'static str,
        names: impl IntoIterator<Item = &'c str>,
        used: Used,
    ) {
        self.unknown_of(name, (kind, used), &listed(names));
    }

    fn unknown_of(&mut self, name: Piece<'_>, (kind, used): (&'static str, Used), names: &[&str]) {
        let near = self.near(name, names).map(String::from);
        let warning = self.warn(name, Fault::Unknown { kind });
        (warning.used, warning.nearest) = (used, near);
    }

    /// The nearest of `names`; none once nobody hears of it any more.
    fn near<'c>(&self, piece: Piece<'_>, names: &[&'c str]) -> Option<&'c str> {
        let heard = self.warnings.len() <= MAX_WARNINGS;
        heard.then(|| nearest_of(piece.text, names)).flatten()
    }

    /// Warns about parentheses that do not fit; a missing one is added.
    pub(super) fn parenthesis(&mut self, at: Piece<'_>, wrong: &'static str) {
        let warning = self.warn(at, Fault::Parenthesis(wrong));
        if wrong == UNCLOSED {
            warning.take(format!("{})", at.text));
        }
    }

    /// Adds a warning about `piece` of the present field.
    pub(super) fn warn(&mut self, piece: Piece<'_>, fault: Fault) -> &mut Warning {
        let range = self.decoded.source(piece.range());
        self.warnings
            .push(Warning::new(self.field, range, piece.text, fault));
        let kept = self.warnings.len().min(MAX_WARNINGS + 1);
        self.more += self.warnings.len() - kept;
        self.warnings.truncate(kept);
        &mut self.warnings[kept - 1]
    }

    /// Advice where a task asks in vain for a slice.
    fn advise_of_slices(&mut self) {
        const WORD: &str = "slice";
        if self.config.slices_go_unheard() {
            let at = self.decoded.text.find(WORD).unwrap_or(0);
            let word = Piece::whole(&self.decoded.text).part(at..at + WORD.len());
            self.field = Some(Field::Workloads);
            let kernel = self.config.kernel.name;
            self.warn(word, Fault::Unheard { kernel }).used = Used::AsWritten;
        }
    }

    pub(super) fn finish(mut self, kept: usize, rest: &str) -> (Config, Vec<Warning>) {
        self.advise_of_slices();
        self.more += self.warnings.len().saturating_sub(MAX_WARNINGS);
        self.warnings.truncate(MAX_WARNINGS);
        self.warnings = sorted(&self.warnings, |a, b| a.range.start.cmp(&b.range.start));
        let end = kept..kept + rest.len();
        if !rest.is_empty() {
            let fault = Fault::TooLong { limit: MAX_BYTES };
            self.warnings
                .push(Warning::new(None, end.clone(), "", fault));
        }
        if self.more > 0 {
            let fault = Fault::More { count: self.more };
            self.warnings.push(Warning::new(None, end, "", fault));
        }
        (self.config.canonical(), self.warnings)
    }
}

/// The fragment of an address, if the text is one; else the text without a leading `#` or `?`.
fn without_address(whole: Piece<'_>) -> Piece<'_> {
    let whole = whole.trim();
    let fragment = match whole.split_once('#') {
        Some((address, fragment)) if address.text.contains("://") => fragment,
        _ => whole,
    };
    let marked = ["#", "?"].iter().find_map(|m| fragment.strip_prefix(m));
    marked.unwrap_or(fragment)
}

/// The items of all values of one field, but those that `none` takes back.
pub(super) fn items<'a>(values: &[Piece<'a>], separators: &'static [char]) -> Vec<Piece<'a>> {
    let mut all = Vec::new();
    for value in values {
        all.extend(value.split(separators));
    }
    after_none(all)
}

/// The items of a list behind the last `none`, which takes back what came before it.
pub(super) fn after_none(mut items: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let from = items.iter().rposition(|item| is_none(*item));
    items.drain(..from.map_or(0, |at| at + 1));
    items
}

/// Whether something is switched on, if `word` says so.
pub(super) fn switch_word(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "on" | "1" | "yes" | "true" | "y" => Some(true),
        "off" | "0" | "no" | "false" | "n" => Some(false),
        _ => None,
    }
}

pub(super) fn is_none(value: Piece<'_>) -> bool {
    value.text.eq_ignore_ascii_case(NONE)
}

/// A whole number as it is written.
fn plain(n: i128) -> String {
    n.to_string()
}
