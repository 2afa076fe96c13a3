//! Values as they are written, in links, lists and messages alike.

use crate::sched::tunables::{Tunable, TunableUnit};
use crate::time::Nanos;
use crate::workload::{ParamInfo, ParamUnit};
use alloc::format;
use alloc::string::{String, ToString};

/// The word for a task that is pinned to no CPU.
pub const ANY_CPU: &str = "any";

/// Nanoseconds, with the largest unit that shows them exactly.
pub fn time_text(ns: i128) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let size = u64::try_from(ns.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", Nanos(size))
}

/// On or off.
pub const fn switch_text(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// The value of a tunable.
pub fn tunable_text(tunable: Tunable, value: i64) -> String {
    match tunable.info().unit {
        TunableUnit::Time => time_text(value.into()),
        TunableUnit::TimeOrMinusOne if value >= 0 => time_text(value.into()),
        TunableUnit::Switch => switch_text(value != 0).to_string(),
        TunableUnit::Word => {
            let word = usize::try_from(value)
                .ok()
                .and_then(|at| tunable.words().get(at));
            word.map_or_else(|| value.to_string(), |word| (*word).to_string())
        }
        TunableUnit::TimeOrMinusOne | TunableUnit::Count => value.to_string(),
    }
}

/// The value of a parameter of a workload.
pub fn param_text(param: &ParamInfo, value: i64) -> String {
    match param.unit {
        ParamUnit::Time => time_text(value.into()),
        ParamUnit::Cpu if value < 0 => ANY_CPU.to_string(),
        ParamUnit::Choice => {
            let word = usize::try_from(value)
                .ok()
                .and_then(|i| param.choices.get(i));
            word.map_or_else(|| value.to_string(), |word| (*word).to_string())
        }
        _ => value.to_string(),
    }
}

/// What a parameter may be: `1 … 4096`, `sockets or pipes`.
pub fn param_range_text(param: &ParamInfo) -> String {
    match param.unit {
        ParamUnit::Choice => param.choices.join(" or "),
        _ => range_text(&param_text(param, param.min), &param_text(param, param.max)),
    }
}

/// What a tunable may be.
pub fn tunable_range_text(tunable: Tunable) -> String {
    if tunable.info().unit == TunableUnit::Word {
        return tunable.words().join(" or ");
    }
    let (low, high) = tunable.info().range;
    range_text(&tunable_text(tunable, low), &tunable_text(tunable, high))
}

fn range_text(low: &str, high: &str) -> String {
    format!("{low} \u{2026} {high}")
}
