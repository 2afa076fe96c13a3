//! cyclictest: threads that sleep until the next period begins and measure how late they are awake (rt-tests,
//! cyclictest.c).
//!
//! Each thread sleeps until an absolute time and takes the clock when it is back: the latency is what that is behind the
//! time it asked for, so it includes the timer's slack. Periods that have passed by then are skipped: a thread that is
//! late by more than a period gives one sample less. Left out is the main thread, which prints now and then.

use super::{
    ParamInfo, ParamUnit, choice, count, cpu, nice, nice_trait, on_cpu, param, slice, slice_trait,
};
use crate::time::Nanos;
use alloc::format;
use alloc::string::String;
use core::fmt::Write;

/// Timer slack of a fair task, ns: `PR_SET_TIMERSLACK`'s default, prctl(2).
const TIMER_SLACK: i64 = 50_000;

/// One minute, ns.
const MINUTE: i64 = 60_000_000_000;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("threads", 1, 256, "How many threads (-t)."),
    param(
        "interval",
        ParamUnit::Time,
        (1_000_000, 1_000, MINUTE),
        "From one wakeup of the first thread to the next (-i).",
    ),
    param(
        "distance",
        ParamUnit::Time,
        (500_000, 0, 1_000_000_000),
        "How much longer the interval of each further thread is (-d).",
    ),
    choice(
        "policy",
        &["fair", "fifo", "rr"],
        "The scheduling policy; fifo is what -p gives.",
    ),
    param(
        "prio",
        ParamUnit::Count,
        (80, 1, 99),
        "The priority of the first thread, if it is a real-time one; each further thread has one less (-p).",
    ),
    slice("The slice they ask for (sched_attr.sched_runtime), if they are fair; 0: none."),
    nice("Their nice value, if they are fair."),
    param(
        "slack",
        ParamUnit::Time,
        (TIMER_SLACK, 0, 1_000_000_000),
        "Timer slack of fair threads (PR_SET_TIMERSLACK); real-time ones have none.",
    ),
    param(
        "loops",
        ParamUnit::Count,
        (0, 0, 1_000_000_000),
        "How many samples each thread takes (-l); 0: it goes on to the end of the run.",
    ),
    cpu("cpu", "The CPU they are pinned to (-a)."),
];

/// One kind of thread for each length of the interval. The way from being on the CPU to the clock is 3 µs at the reference
/// core (workloads-machines.md §1.12, chosen).
pub(super) fn script(values: &[i64]) -> String {
    let (threads, interval, distance) = (values[0], values[1], values[2]);
    let alike = distance == 0 && (values[3] == 0 || threads == 1);
    let mut text = String::new();
    for thread in 0..if alike { 1 } else { threads } {
        let name = match (threads, alike) {
            (1, _) => String::from("cyclictest"),
            (_, true) => format!("cyclictest * {threads}"),
            (_, false) => format!("cyclictest-{thread}"),
        };
        let traits = traits(values, thread);
        let period = Nanos((interval + thread * distance) as u64);
        let repeat = match values[8] {
            0 => String::from("forever"),
            loops => format!("loop {loops}"),
        };
        let written = write!(
            text,
            "task {name}{traits} space cyclictest as cyclictest {repeat} {{
    timer {period}
    sys 3us
    mark latency since expiry
}}
"
        );
        debug_assert!(written.is_ok(), "there is always room in a string");
    }
    text
}

fn traits(values: &[i64], thread: i64) -> String {
    let priority = (values[4] - thread).max(1);
    let how = match values[3] {
        0 => {
            let slack = match values[7] {
                TIMER_SLACK => String::new(),
                slack => format!(" slack {}", Nanos(slack as u64)),
            };
            nice_trait(values[6]) + &slice_trait(values[5]) + &slack
        }
        1 => format!(" policy fifo {priority}"),
        _ => format!(" policy rr {priority}"),
    };
    how + &on_cpu(values[9])
}
