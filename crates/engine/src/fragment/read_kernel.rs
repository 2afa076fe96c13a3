//! Reading what changes the kernel: commits, features, tunables, domain flags.

use super::again::Said;
use super::piece::Piece;
use super::read::{Reader, items, switch_word};
use super::warning::{Fault, Used};
use crate::config::text::tunable_text;
use crate::config::{Field, delta_of};
use crate::machine::catalog::CATALOG;
use crate::machine::sd_flags::{Level, SdFlags};
use crate::sched::features::Feature;
use crate::sched::profile::{DELTAS, Delta, DeltaId, PROFILES, Set};
use crate::sched::rules::RuleSet;
use crate::sched::tunables::{Tunable, TunableUnit};
use crate::words::nearest::nearest_of;
use crate::words::number;
use crate::workload::WorkloadKind;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// An item and whether it switches something on: a minus sign or `NO_` before it switches off.
fn signed(item: Piece<'_>) -> (Piece<'_>, bool) {
    let starts = |sign: &&str| {
        let start = item.text.get(..sign.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(sign))
    };
    let off = ["-", "\u{2212}", NO].into_iter().find(starts);
    off.map_or((item, true), |sign| {
        (item.part(sign.len()..item.text.len()).trim(), false)
    })
}

/// The same of an item that is not understood, whose sign may be another: `!X`, `~X`, `X=off`.
fn signed_otherwise(item: Piece<'_>) -> (Piece<'_>, bool) {
    let (item, on) = signed(item);
    let said = item.split_once('=').or_else(|| item.split_once(':'));
    let said = said.and_then(|(name, value)| Some((name, switch_word(value.text)?)));
    let (name, also_on) = said.unwrap_or((item, true));
    let bare = name.strip_prefix("!").or_else(|| name.strip_prefix("~"));
    (bare.unwrap_or(name), on && also_on && bare.is_none())
}

/// A name with `sign` before it if it is switched off.
fn switched(name: &str, on: bool, sign: &str) -> String {
    let mut text = String::from(if on { "" } else { sign });
    text.push_str(name);
    text
}

/// What is wanted of a tunable, in a link and in a file.
pub(super) const SET: (&str, &str) = (
    "a tunable with its value such as wakeup_granularity:8ms",
    "a tunable with its value such as wakeup_granularity 8ms",
);

/// What switches a feature off.
const NO: &str = "NO_";

impl<'a> Reader<'a> {
    /// A name that nothing has that can be switched. What is proposed is switched as it was meant, off with `sign`.
    fn unknown_switch(&mut self, item: Piece<'a>, kind: &'static str, names: &[&str], sign: &str) {
        let (name, on) = signed_otherwise(item);
        let is = |known: &&&str| known.eq_ignore_ascii_case(name.text);
        let near = names.iter().find(is).copied();
        let near = near.or_else(|| nearest_of(name.text, names));
        // Letters before a name that has none such are a sign, too: NONEXT_BUDDY.
        let no = |text: &str| {
            text.get(..2)
                .is_some_and(|no| no.eq_ignore_ascii_case("no"))
        };
        let near = near.map(|near| switched(near, on && (!no(name.text) || no(near)), sign));
        self.warn(item, Fault::Unknown { kind }).nearest = near;
    }

    /// `-D13,D20`: numbers, names or commit ids.
    pub(super) fn deltas(&mut self, values: &[Piece<'a>]) {
        let mut said: Vec<Said<'a>> = Vec::new();
        for item in items(values, &[',']) {
            let (name, on) = signed(item);
            let Some(delta) = delta_named(name.text) else {
                let mut names: Vec<&str> = DELTAS.iter().map(|d| d.name).collect();
                let (bare, _) = signed_otherwise(item);
                if delta_named(bare.text).is_some() {
                    names = alloc::vec![bare.text];
                }
                self.unknown_switch(item, "commit of these kernels", &names, "-");
                continue;
            };
            if delta.base != self.config.kernel.base {
                self.not_here(item, None, None);
                continue;
            }
            self.config.deltas = self.config.deltas.with(delta.id, on);
            let read = switched(&delta.id.to_string(), on, "-");
            said.push((delta.id.0.into(), item, Some(read)));
        }
        self.settle(&said);
        for problem in self.config.delta_problems() {
            let delta = delta_of(&problem);
            let of_it = |s: &&Said<'a>| s.0 == usize::from(delta.0);
            if let Some((_, item, _)) = said.iter().rev().find(of_it) {
                self.warn(*item, Fault::Delta(problem)).used = Used::AsWritten;
            }
        }
    }

    /// `NEXT_BUDDY,NO_WAKEUP_PREEMPT`, as the kernel's own file takes them.
    pub(super) fn features(&mut self, values: &[Piece<'a>]) {
        let kernel = self.config.kernel_of_deltas();
        let mut said = Vec::new();
        for item in items(values, &[',']) {
            let Some((feature, on)) = feature_named(item) else {
                let names: Vec<&str> = Feature::ALL
                    .iter()
                    .map(|f| self.config.feature_name(*f))
                    .collect();
                self.unknown_switch(item, "feature", &names, NO);
                continue;
            };
            if !kernel.exists.has(feature) {
                let base = self.config.kernel.base;
                let comes = |set: &Set| matches!(set, Set::Feature(f, _) if *f == feature);
                self.not_here(item, base.first_with(&comes), base.instead_of(feature));
                continue;
            }
            self.config.features.insert(feature, on);
            let name = self.config.feature_name(feature);
            let read = switched(name, on, NO);
            said.push((feature as usize, item, Some(read)));
        }
        self.settle(&said);
    }

    /// `wakeup_granularity:8ms,migration_cost:-1`.
    pub(super) fn tunables(&mut self, values: &[Piece<'a>]) {
        let mut said = Vec::new();
        for item in items(values, &[',']) {
            let Some((name, value)) = item
                .split_once(':')
                .or_else(|| item.split_once('='))
                .or_else(|| item.split_once(' '))
            else {
                let expected = SET.0;
                let _ = self.warn(item, Fault::Malformed { expected });
                continue;
            };
            let Some(tunable) = tunable_named(name.text) else {
                let names = Tunable::ALL.iter().map(|t| t.info().name);
                self.unknown(name, "tunable", names, Used::Nothing);
                continue;
            };
            if !self.config.kernel_of_deltas().settable.has(tunable) {
                let base = self.config.kernel.base;
                let comes = |set: &Set| matches!(set, Set::Tunable(t, _) if *t == tunable);
                self.not_here(
                    item,
                    base.first_with(&comes),
                    base.instead_of_tunable(tunable),
                );
                continue;
            }
            let Some(number) = self.tunable_value(tunable, value) else {
                said.push((tunable as usize, item, None));
                continue;
            };
            if !self.config.kernel_of_deltas().takes(tunable, number) {
                let base = self.config.kernel.base;
                let comes = |set: &Set| matches!(set, Set::Rule(RuleSet::Lazy(true)));
                let instead = Some("it cannot be lazy");
                self.not_here(item, base.first_with(&comes), instead);
                continue;
            }
            self.config.tunables.insert(tunable, number);
            said.push((tunable as usize, item, Some(tunable_text(tunable, number))));
        }
        self.settle(&said);
    }

    /// The item exists, but not in this kernel: the commit that brings it, and what happens without it.
    fn not_here(
        &mut self,
        item: Piece<'a>,
        comes_with: Option<DeltaId>,
        instead: Option<&'static str>,
    ) {
        let fault = Fault::NotInKernel {
            kernel: self.config.kernel.name,
            comes_with,
            instead,
        };
        let _ = self.warn(item, fault);
    }

    fn tunable_value(&mut self, tunable: Tunable, value: Piece<'a>) -> Option<i64> {
        let info = tunable.info();
        let (low, high) = (info.range.0.into(), info.range.1.into());
        let minus_one = value.text == "-1" || value.text == "\u{2212}1";
        let number = match info.unit {
            TunableUnit::TimeOrMinusOne if minus_one => Some(-1),
            TunableUnit::TimeOrMinusOne => self.time(value, 0, high),
            TunableUnit::Time => self.time(value, low, high),
            TunableUnit::Count => self.whole(value, low, high, "a whole number"),
            TunableUnit::Switch => self.switch(value).map(i128::from),
            TunableUnit::Word => self.tunable_word(tunable, value).map(i128::from),
        };
        number.map(|n| n as i64)
    }

    /// One of the tunable's words, or the kernel's number for it.
    fn tunable_word(&mut self, tunable: Tunable, value: Piece<'a>) -> Option<u8> {
        let words = tunable.words();
        let named = |word: &&str| value.text.eq_ignore_ascii_case(word);
        let number = || match number::integer(value.text) {
            number::Read::Exact(n) => usize::try_from(n).ok().filter(|n| *n < words.len()),
            _ => None,
        };
        let read = words.iter().position(named).or_else(number);
        if read.is_none() {
            let expected = match tunable {
                Tunable::CgroupMode => "up, smp, concur, max or tasks",
                Tunable::Preempt => "none, voluntary, full or lazy",
                _ => "none, log or linear",
            };
            let _ = self.warn(value, Fault::Malformed { expected });
        }
        read.map(|n| n as u8)
    }

    /// `-BALANCE_NEWIDLE,NODE:PREFER_LOCAL`: with a level or for all of them.
    pub(super) fn sd_flags(&mut self, values: &[Piece<'a>]) {
        let mut said: Vec<Said<'a>> = Vec::new();
        for item in items(values, &[',']) {
            let (rest, on) = signed(item);
            let (bare, _) = signed_otherwise(item);
            if bare.range() != rest.range() {
                self.unknown_switch(item, "domain flag", &[bare.text], "-");
                continue;
            }
            let (level, flag) = match rest.split_once(':') {
                Some((level, flag)) => (Some(level), flag),
                None => (None, rest),
            };
            let (flag, also_on) = signed(flag);
            let level = match level {
                None => None,
                Some(name) => match self.level(name) {
                    None => continue,
                    level => level,
                },
            };
            let Some(flag) = self.flag(flag) else {
                continue;
            };
            if let Some(instead) = self.config.kernel_of_deltas().instead_of_flag(flag) {
                self.not_here(item, None, Some(instead));
                continue;
            }
            let on = on && also_on;
            // One level after all of them is an exception, not a contradiction.
            let mut denies = false;
            for at in Level::ALL {
                if level.is_none_or(|level| level == at) {
                    denies |= self.config.sd_flags.insert((at, flag), on) == Some(!on);
                }
            }
            let place = level.map_or(0, |level| level as usize + 1);
            let thing = (Level::ALL.len() + 1) * flag.0.ilog2() as usize + place;
            if denies && level.is_none() {
                self.again(item, item.text);
            }
            let mut name = String::new();
            if let Some(level) = level {
                name.push_str(self.config.level_name(level));
                name.push(':');
            }
            name.push_str(self.config.flag_name(flag));
            let read = switched(&name, on, "-");
            said.push((thing, item, Some(read)));
        }
        self.settle(&said);
    }

    /// The flag that some kernel calls so, if it can be set here.
    fn flag(&mut self, name: Piece<'a>) -> Option<SdFlags> {
        let upper = name.text.to_ascii_uppercase();
        let flag = SdFlags::by_name(&upper);
        match (flag, SdFlags::why_fixed(&upper)) {
            (Some(_), _) => {}
            (None, Some(why)) => {
                let _ = self.warn(name, Fault::Fixed(why));
            }
            (None, None) => {
                let kernel = self.config.kernel_of_deltas();
                let known = SdFlags::ALL.iter().map(|(flag, ..)| *flag);
                let there = known.filter(|flag| kernel.instead_of_flag(*flag).is_none());
                let names = there.map(|flag| flag.name_in(kernel.rules.domains));
                self.unknown_switch(name, "domain flag", &names.collect::<Vec<_>>(), "-");
            }
        }
        flag
    }

    /// The level of that name.
    fn level(&mut self, name: Piece<'a>) -> Option<Level> {
        let level = Level::by_name(&name.text.to_ascii_uppercase());
        if level.is_none() {
            let table = self.config.kernel_of_deltas().rules.domains;
            let names = Level::ALL.iter().map(|l| l.name_in(table));
            self.unknown(name, "domain level", names, Used::Nothing);
        }
        level
    }
}

/// The part that someone meant by `text`, who has left out its key: `t=cgroup_mode:smp` of `cgroup_mode=smp`.
pub fn part_meant(text: &str) -> Option<String> {
    let piece = Piece::whole(text).trim();
    let (key, value) = piece.split_once('=').unwrap_or((piece, piece.part(0..0)));
    let name = key.call().name;
    let is = |known: &str| known.eq_ignore_ascii_case(name.text);
    let off = switch_word(value.text) == Some(false);
    let switched = || format!("{}{}", if off { "NO_" } else { "" }, name.text);
    let (field, meant) = if !value.is_empty() && tunable_named(name.text).is_some() {
        (Field::Tunables, piece.text.replacen('=', ":", 1))
    } else if feature_named(name).is_some() {
        (Field::Features, switched())
    } else if SdFlags::by_name(&name.text.to_ascii_uppercase()).is_some() {
        (Field::SdFlags, switched())
    } else if WorkloadKind::ALL.iter().any(|kind| is(kind.name())) {
        (Field::Workloads, piece.text.to_string())
    } else if CATALOG.iter().any(|machine| is(&machine.name)) {
        (Field::Machine, name.text.to_string())
    } else if PROFILES.iter().any(|profile| is(profile.name)) {
        (Field::Kernel, name.text.to_string())
    } else {
        return None;
    };
    Some(format!("{}={meant}", field.key()))
}

/// The delta with that number, name, or commit id (at least seven digits of it).
fn delta_named(name: &str) -> Option<&'static Delta> {
    const COMMIT_DIGITS: usize = 7;
    let number = name.strip_prefix(['D', 'd']).map(number::integer);
    let commit = name.to_ascii_lowercase();
    DELTAS.iter().find(|delta| {
        let by_commit = commit.len() >= COMMIT_DIGITS
            && delta
                .commits
                .split(", ")
                .any(|c| c.starts_with(&commit) || commit.starts_with(c));
        number == Some(number::Read::Exact(delta.id.0.into()))
            || delta.name.eq_ignore_ascii_case(name)
            || by_commit
    })
}

/// The feature that `item` names, and whether it is switched on; whole names are compared first.
fn feature_named(item: Piece<'_>) -> Option<(Feature, bool)> {
    let by_name = |name: &str| Feature::by_name(&name.to_ascii_uppercase());
    by_name(item.text)
        .map(|feature| (feature, true))
        .or_else(|| {
            let (name, on) = signed(item);
            by_name(name.text).map(|feature| (feature, on))
        })
}

/// The tunable with that name or sysctl, with or without `_ns` at the end.
fn tunable_named(name: &str) -> Option<Tunable> {
    let name = name.to_ascii_lowercase();
    Tunable::by_name(&name).or_else(|| Tunable::by_name(name.strip_suffix("_ns")?))
}
