//! hackbench: groups of senders that each write to every receiver of their group (rt-tests 0.84, hackbench.c).
//!
//! The main task forks every receiver and sender, reads a byte from each when it is ready, notes the time,
//! lets all go with one write, and waits for their end. So the tasks lie where the kernel's own fork balancing put
//! them; the time that counts is between the marks `go` and `done`. The byte that all poll for is never read, so
//! one write wakes all.

use super::{ParamInfo, ParamUnit, choice, count, nice, nice_trait, param, slice, slice_trait};
use alloc::format;
use alloc::string::String;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("groups", 10, 512, "Groups of senders and receivers."),
    count("fan", 20, 256, "Senders, and receivers, of a group."),
    count(
        "loops",
        100,
        1_000_000_000,
        "How often each sender writes to every receiver of its group.",
    ),
    param(
        "size",
        ParamUnit::Bytes,
        (100, 1, 4096),
        "Bytes of a message.",
    ),
    choice("via", &["sockets", "pipes"], "What messages go through."),
    choice(
        "as",
        &["process", "thread"],
        "Does each task have its own address space?",
    ),
    slice("The slice that all of it asks for (sched_attr.sched_runtime); 0: none."),
    nice("Their nice value."),
];

pub(super) fn tasks(values: &[i64]) -> u64 {
    1 + 2 * (values[0] * values[1]) as u64
}

/// Receivers come before senders, as hackbench creates them.
pub(super) fn script(values: &[i64]) -> String {
    let (groups, fan, loops, bytes) = (values[0], values[1], values[2], values[3]);
    let channel = ["socket", "pipe"][usize::from(values[4] == 1)];
    let space = ["", " space hackbench"][usize::from(values[5] == 1)];
    let children = 2 * groups * fan;
    // What the main task has its children inherit.
    let traits = nice_trait(values[7]) + &slice_trait(values[6]);
    format!(
        "pipe ready
queue go poll
task hackbench{space}{traits} as main {{
    fork group
    loop {children} recv ready 1B
    mark go
    wakeall go
    join
    mark done
}}
team group * {groups} {{
    {channel} data * {fan} counted
    child recv * {fan}{space} as receiver {{
        send ready 1B
        wait go
        loop {loops} loop {fan} recv data.me {bytes}B
    }}
    child send * {fan}{space} as sender {{
        send ready 1B
        wait go
        loop {loops} send data.each {bytes}B
    }}
}}
"
    )
}
