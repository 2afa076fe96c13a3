//! Periodic sleepers: tasks that wake once a period, compute a little and sleep.

use super::{ParamInfo, ParamUnit, count, cpu, nice, nice_trait, on_cpu, param, start_at};
use crate::time::Nanos;
use alloc::format;
use alloc::string::String;

/// One minute, ns.
const MINUTE: i64 = 60_000_000_000;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("count", 1, 4096, "How many tasks."),
    param(
        "period",
        ParamUnit::Time,
        (10_000_000, 1_000, MINUTE),
        "From one wakeup to the next.",
    ),
    param(
        "run",
        ParamUnit::Time,
        (1_000_000, 0, MINUTE),
        "How long each computes a period.",
    ),
    nice("Their nice value."),
    cpu("cpu", "The CPU they are pinned to."),
    param(
        "start",
        ParamUnit::Time,
        (0, 0, 60 * MINUTE),
        "When they start.",
    ),
];

/// `loop { timer period; run }`: periods missed are skipped, the phase is kept (as cyclictest does).
pub(super) fn script(values: &[i64]) -> String {
    let (count, cpu) = (values[0], on_cpu(values[4]));
    let (nice, start) = (nice_trait(values[3]), start_at(values[5]));
    let (period, run) = (Nanos(values[1] as u64), Nanos(values[2] as u64));
    format!(
        "task sleeper * {count}{nice}{cpu}{start} forever {{
    timer {period}
    run {run}
    mark period
}}
"
    )
}
