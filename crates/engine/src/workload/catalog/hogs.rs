//! Hogs: tasks that only compute, for ever.

use super::{ParamInfo, ParamUnit, count, cpu, nice, nice_trait, on_cpu, param, start_at};
use alloc::format;
use alloc::string::String;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("count", 2, 4096, "How many tasks."),
    nice("Their nice value."),
    cpu("cpu", "The CPU they are pinned to."),
    param(
        "start",
        ParamUnit::Time,
        (0, 0, 3_600_000_000_000),
        "When they start.",
    ),
    param(
        "ws",
        ParamUnit::KiB,
        (64, 0, 65_536),
        "Private working set of each: what a move or a preemption makes it fetch again.",
    ),
];

/// The program of workloads-machines.md §1.11: `loop { run 1 s }`.
pub(super) fn script(values: &[i64]) -> String {
    let (count, cpu, ws) = (values[0], on_cpu(values[2]), values[4]);
    let (nice, start) = (nice_trait(values[1]), start_at(values[3]));
    format!("task hog * {count}{nice}{cpu}{start} ws {ws}KiB run forever\n")
}
