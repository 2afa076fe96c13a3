//! What somebody typed into a field, read with the grammar of links: `3ms`, `750us`, `-1`, `any`.
//!
//! There is one reader of numbers in the house, and it is total: whatever is typed, a value comes out or words that
//! say why not. Only a time must have its unit here, which a link may leave out. Pure.

use crate::text::{Msg, fill};
use schedlab_engine::config::{Config, Field, WorkloadSpec};
use schedlab_engine::fragment::{self, Used, Warning};
use schedlab_engine::machine::Machine;
use schedlab_engine::sched::tunables::{Tunable, TunableUnit};
use schedlab_engine::workload::{ParamUnit, WorkloadKind};

/// What a typed text means.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed<T> {
    /// The value, perhaps the nearest that is allowed.
    pub value: Option<T>,
    /// What is wrong with what was typed.
    pub complaint: Option<String>,
}

/// A value of a tunable of the kernel of `config`, on its machine.
pub fn tunable(config: &Config, tunable: Tunable, text: &str) -> Typed<i64> {
    let unit = tunable.info().unit;
    if matches!(unit, TunableUnit::Time | TunableUnit::TimeOrMinusOne) && lacks_unit(text) {
        return unit_wanted(text);
    }
    let link = format!("t={}:{}", tunable.info().name, plain(text));
    read(
        &fragment::overlay(&fragment::print(config), &link),
        |config| {
            let set = config.tunables.get(&tunable).copied();
            Some(set.unwrap_or_else(|| config.default_tunable(tunable)))
        },
    )
}

/// A value of the parameter at `index` of a workload on `machine`.
pub fn param(machine: &Machine, kind: WorkloadKind, index: usize, text: &str) -> Typed<i64> {
    let info = kind.params().get(index);
    if info.is_some_and(|p| p.unit == ParamUnit::Time) && lacks_unit(text) {
        return unit_wanted(text);
    }
    let name = info.map_or("", |p| p.name);
    let link = format!(
        "m={}&w={}({name}={})",
        machine.name,
        kind.name(),
        plain(text)
    );
    read(&link, |config| {
        let spec: &WorkloadSpec = config.workloads.first()?;
        spec.values.get(index).copied()
    })
}

/// The part of a configuration with the key `key`, as `get` finds it in the outcome.
pub fn part<T>(key: &str, text: &str, get: impl Fn(&Config) -> T) -> Typed<T> {
    let time = [Field::Duration, Field::Phase].map(Field::key);
    if time.contains(&key) && lacks_unit(text) {
        return unit_wanted(text);
    }
    read(&format!("{key}={}", plain(text)), |config| {
        Some(get(config))
    })
}

/// Is `text` the bare number of something that has a unit? In a link that is nanoseconds, which nobody means who types
/// 5 where 8ms stood. Nothing is nothing in every unit, and -1 is a word of its own.
fn lacks_unit(text: &str) -> bool {
    let text = text.trim();
    let bare = text.chars().all(|c| c.is_ascii_digit() || "._".contains(c));
    bare && text.contains(|c| matches!(c, '1'..='9'))
}

fn unit_wanted<T>(text: &str) -> Typed<T> {
    Typed {
        value: None,
        complaint: Some(fill(Msg::FieldUnit, &[("n", text.trim())])),
    }
}

fn read<T>(link: &str, get: impl Fn(&Config) -> Option<T>) -> Typed<T> {
    let (config, warnings) = fragment::parse(link);
    let complaint = warnings.first().map(words);
    let ignored = warnings.iter().any(|w| w.used == Used::Nothing);
    let value = if ignored { None } else { get(&config) };
    Typed { value, complaint }
}

/// The words of `warning` without the key, which the field's label says already.
fn words(warning: &Warning) -> String {
    let words = as_typed(&warning.to_string());
    match warning.field.and_then(|f| {
        words
            .strip_prefix(&format!("{}: ", f.key()))
            .map(str::to_string)
    }) {
        Some(rest) => rest,
        None => words,
    }
}

/// Signs that have a meaning in a link have stand-ins so far from them, which no text has: they come through a link as one
/// value, which is none of anything.
const STAND_INS: u32 = 0xf700;

/// `text` with stand-ins for the signs that have a meaning in a link.
fn plain(text: &str) -> String {
    let moved = |c: char| {
        if "&;,:()=#%+?".contains(c) {
            c as u32 + STAND_INS
        } else {
            c as u32
        }
    };
    let sign = |c: char| char::from_u32(moved(c)).unwrap_or(c);
    text.trim().chars().map(sign).take(60).collect()
}

/// `words` with the signs that were typed in place of their stand-ins.
fn as_typed(words: &str) -> String {
    let sign = |c: char| u8::try_from(c as u32 - STAND_INS.min(c as u32)).map_or(c, char::from);
    words
        .chars()
        .map(|c| if c as u32 > STAND_INS { sign(c) } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_engine::time::Nanos;

    #[test]
    fn times_are_typed_with_their_units() {
        for (text, ns) in [
            ("3ms", 3_000_000),
            ("750us", 750_000),
            ("750 µs", 750_000),
            (" 5ms ", 5_000_000),
            ("5_000_000ns", 5_000_000),
        ] {
            let typed = tunable(&Config::default(), Tunable::WakeupGranularity, text);
            assert_eq!((typed.value, typed.complaint), (Some(ns), None), "{text}");
        }
        assert_eq!(
            tunable(&Config::default(), Tunable::MigrationCost, "-1").value,
            Some(-1)
        );
    }

    #[test]
    fn a_time_without_its_unit_is_refused() {
        let asks = |complaint: Option<String>| {
            assert!(
                complaint.as_ref().is_some_and(|c| c.contains("5ms")),
                "{complaint:?}"
            );
        };
        let typed = tunable(&Config::default(), Tunable::WakeupGranularity, " 5 ");
        assert_eq!(typed.value, None);
        asks(typed.complaint);
        asks(tunable(&Config::default(), Tunable::MigrationCost, "5").complaint);
        let kind = WorkloadKind::Sleeper;
        let times = kind.params().iter().position(|p| p.unit == ParamUnit::Time);
        let typed = param(
            Config::default().machine,
            kind,
            times.expect("its period"),
            "5",
        );
        assert_eq!(typed.value, None);
        asks(typed.complaint);
        for key in ["dur", "phase"] {
            let typed = part(key, "5", |c| c.seed);
            assert_eq!(typed.value, None, "{key}");
            asks(typed.complaint);
        }
        assert_eq!(part("phase", "0", |c| c.phase).complaint, None);
        assert_eq!(part("seed", "5", |c| c.seed).value, Some(5));
    }

    #[test]
    fn what_is_out_of_range_is_held_and_said() {
        let typed = tunable(&Config::default(), Tunable::SchedLatency, "1ns");
        assert_eq!(typed.value, Some(100_000));
        assert!(typed.complaint.is_some_and(|c| c.contains("100us")));
        let typed = param(Config::default().machine, WorkloadKind::Hackbench, 0, "0");
        assert_eq!(typed.value, Some(1));
        assert!(typed.complaint.is_some());
    }

    #[test]
    fn nonsense_is_no_value_but_words() {
        for text in ["", "many", "3m", "&t=x", "%%%", "((("] {
            let typed = tunable(&Config::default(), Tunable::SchedLatency, text);
            assert_eq!(typed.value, None, "{text}");
            assert!(typed.complaint.is_some(), "{text}");
        }
        for text in ["1;2", "1,2;3", "4&5", "6%00"] {
            let typed = param(Config::default().machine, WorkloadKind::Hogs, 0, text);
            assert_eq!(typed.value, None, "{text} is no other number either");
            assert!(typed.complaint.is_some(), "{text}");
        }
    }

    /// Whatever signs are in it, a text is quoted as it was typed.
    #[test]
    fn what_was_typed_is_quoted() {
        for text in ["+5x", "a=b;c", "\u{2212}x", "50%", "(1,2)", "µ&x", "a?b#c"] {
            let quoted = format!("\"{text}\"");
            for typed in [
                tunable(&Config::default(), Tunable::SchedLatency, text).complaint,
                param(Config::default().machine, WorkloadKind::Hogs, 0, text).complaint,
                part("seed", text, |_| ()).complaint,
            ] {
                assert!(
                    typed.as_ref().is_some_and(|c| c.contains(&quoted)),
                    "{text}: {typed:?}"
                );
            }
        }
    }

    #[test]
    fn parameters_and_parts_are_typed_alike() {
        assert_eq!(
            param(Config::default().machine, WorkloadKind::Hogs, 2, "any").value,
            Some(-1)
        );
        assert_eq!(
            param(Config::default().machine, WorkloadKind::Hogs, 1, "-5").value,
            Some(-5)
        );
        assert_eq!(part("seed", "42", |c| c.seed).value, Some(42));
        assert_eq!(part("dur", "none", |c| c.duration).value, Some(None));
        assert_eq!(
            part("dur", "2s", |c| c.duration).value,
            Some(Some(Nanos::from_secs(2)))
        );
        assert_eq!(part("dur", "soon", |c| c.duration).value, None);
    }

    /// Each kernel has its own tunables, and each machine its own last CPU.
    #[test]
    fn texts_are_read_on_the_machine_and_kernel_of_the_experiment() {
        let (config, _) = fragment::parse("m=q6600&k=6.12&t=preempt:full&w=hogs");
        let typed = tunable(&config, Tunable::BaseSlice, "5ms");
        assert_eq!((typed.value, typed.complaint), (Some(5_000_000), None));
        let cpu = WorkloadKind::Hogs
            .params()
            .iter()
            .position(|p| p.name == "cpu");
        let typed = param(
            config.machine,
            WorkloadKind::Hogs,
            cpu.expect("its CPU"),
            "999",
        );
        assert_eq!(typed.value, Some(3));
        assert!(typed.complaint.is_some());
    }
}
