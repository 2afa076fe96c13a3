//! schbench: workers that do a piece of work for each request and are woken for the next one by a message thread (Chris
//! Mason, schbench.c of 2025).
//!
//! A worker tells its message thread that it is done, and sleeps until that wakes it; then it sleeps for as long as
//! a request would take to come in, and computes while it holds a lock of the CPU that it is on, so that who is preempted
//! there keeps the next one from computing. Measured are how long it takes from being woken to running (`wakeup`) and
//! from there to the end of the work (`request`); requests a second are how often the latter is passed. The list of
//! waiting workers is a semaphore here: the message thread wakes one for each that reported, first come first. Left out
//! are the modes with a fixed rate (-R) and with pipes (-p).

use super::{ParamInfo, ParamUnit, count, nice, nice_trait, param, slice, slice_trait};
use crate::machine::CpuMask;
use crate::time::Nanos;
use alloc::format;
use alloc::string::String;

/// One minute, ns.
const MINUTE: i64 = 60_000_000_000;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("messages", 1, 64, "How many message threads (-m)."),
    count(
        "workers",
        4,
        1024,
        "Workers of each message thread (-t); schbench itself takes one for each CPU.",
    ),
    param(
        "sleep",
        ParamUnit::Time,
        (100_000, 0, MINUTE),
        "How long a worker sleeps before it computes (-s).",
    ),
    param(
        "work",
        ParamUnit::Time,
        (17_000_000, 0, MINUTE),
        "How long a request computes, at the reference core; 17 ms is what it took where schbench was written.",
    ),
    param(
        "ws",
        ParamUnit::KiB,
        (256, 0, 65_536),
        "Private working set of a worker: its matrices (-F).",
    ),
    slice("The slice that all of it asks for (sched_attr.sched_runtime); 0: none."),
    nice("Their nice value."),
];

pub(super) fn tasks(values: &[i64]) -> u64 {
    (values[0] * (1 + values[1])) as u64
}

/// The programs of workloads-machines.md §1.13.
pub(super) fn script(values: &[i64]) -> String {
    let (messages, workers, ws) = (values[0], values[1], values[4]);
    let (sleep, work) = (Nanos(values[2] as u64), Nanos(values[3] as u64));
    let traits = nice_trait(values[6]) + &slice_trait(values[5]);
    let cpus = CpuMask::MAX_CPUS;
    format!(
        "lock cpu_lock * {cpus}
team schbench * {messages} {{
    queue done semaphore
    queue go semaphore
    task message{traits} space schbench as message forever {{
        wait done
        wake go
    }}
    task worker * {workers}{traits} ws {ws}KiB space schbench as worker forever {{
        mark begin
        sleep {sleep}
        lock cpu_lock.here
        run {work}
        unlock cpu_lock.here
        mark request since begin
        wake done
        wait go
        mark wakeup since wake
    }}
}}
"
    )
}
