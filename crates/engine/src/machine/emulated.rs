//! The virtual machines on which real kernels were recorded: QEMU, one instruction a nanosecond.
//!
//! Rows of the catalog and of the cost tables like any other.

use super::catalog::{
    CacheSizes, Fact, IdleState, Layout, LoadTimes, Machine, Mark, NO_OTHER, Speeds, fact, text,
};
use super::cost::{Direct, Generation, Path};
use alloc::borrow::Cow;

/// A nanosecond an instruction, no caches, nothing between CPUs. Threads of a core are emulated one after the other:
/// they do not slow each other.
const fn speeds(threads: bool) -> Speeds {
    Speeds {
        speed_milli: 1000,
        smt_share_milli: if threads { Some(1000) } else { None },
        cache_kb: CacheSizes {
            l1d: 0,
            l2: 0,
            l3: 0,
        },
        load_ps: LoadTimes {
            l1: 0,
            l2: 0,
            l3: 0,
        },
        mem_ns: 0,
        c2c_ps: NO_OTHER,
    }
}

const FACTS: &[Fact] = &[
    fact(
        Mark::Known,
        "one instruction a nanosecond, no caches, no branch costs",
        "QEMU 10.0.2 TCG, -icount shift=0",
    ),
    fact(
        Mark::Known,
        "with k busy CPUs each executes instructions at 1/k of its speed; time that a task measures itself is not stretched",
        "the emulator runs its CPUs in turns",
    ),
    fact(
        Mark::Derived,
        "what a switch, a wakeup, a tick, a message costs",
        "fitted to recordings of Linux 6.1, tracing on",
    ),
];

/// Halting takes no time.
const IDLE: &[IdleState] = &[IdleState {
    name: text("C1"),
    exit_us: 0,
    residency_us: 0,
    cpus: text(""),
}];

/// The recorded virtual machine: QEMU with one instruction a nanosecond, ftrace on. Switch, wakeup, tick, timer and
/// pipe costs are those that an independent model fitted to recordings of 6.1 (cfs-checked.md §1.3, §3); the others are
/// read off the recordings named.
pub(super) const DIRECT: Direct = Direct {
    // i_yield1_hog1: 52.28 µs a round of 50 µs and a yield that switches nothing; split chosen.
    syscall: 500,
    pick: 1780,
    switch_other: 3400,
    switch_same: 3400,
    switch_from_idle: 3400,
    // No recording of one CPU tells: chosen.
    queue: 1000,
    notify: 0,
    idle_exit: 1000,
    ipi: 2000,
    // With the selection of a CPU, 4 µs from the timer to the task being runnable.
    timer: 1500,
    tick: 3300,
    // k_forkstorm: 83 µs from the parent's start to the child's, 134 µs of a child's life beside its work.
    fork: 83_000,
    exit: 134_000,
    sel_base: 2500,
    scan: 0,
    balance_base: 1000,
    balance_cpu: 100,
    pull: 2000,
    active: 10_000,
    wake_more: 0,
};

/// A pipe's write and read as fitted (cfs-checked.md §1.3); the others as much, since nobody recorded them.
pub(super) const PATHS: [Path; 4] = [Path {
    send: 1400,
    recv: 1280,
    byte_ps: 0,
    free_bytes: 4096,
    lines: 0,
}; 4];

const fn machine(
    (name, title): (&'static str, &'static str),
    cpus: u16,
    (smt, llc, packages): (&'static str, &'static str, &'static str),
) -> Machine {
    Machine {
        name: text(name),
        title: text(title),
        layout: Layout {
            cpus,
            smt: text(smt),
            l2: text(""),
            llc: text(llc),
            packages: text(packages),
            nodes: text(""),
            node_distance: Cow::Borrowed(&[]),
            capacity: Cow::Borrowed(&[]),
            energy: Cow::Borrowed(&[]),
        },
        speeds: speeds(!smt.is_empty()),
        generation: Generation::Emulated,
        idle: Cow::Borrowed(IDLE),
        facts: Cow::Borrowed(FACTS),
    }
}

pub(super) const QEMU_1: Machine = machine(
    ("qemu-1", "Emulated machine of the recordings: 1 CPU"),
    1,
    ("", "", ""),
);

pub(super) const QEMU_2C: Machine = machine(
    (
        "qemu-2c",
        "Emulated machine of the recordings: 2 cores, one cache",
    ),
    2,
    ("", "0-1", ""),
);

pub(super) const QEMU_2S2C: Machine = machine(
    (
        "qemu-2s2c",
        "Emulated machine of the recordings: 2 sockets of 2 cores",
    ),
    4,
    ("", "0-1|2-3", "0-1|2-3"),
);

pub(super) const QEMU_2C2T: Machine = machine(
    (
        "qemu-2c2t",
        "Emulated machine of the recordings: 2 cores of 2 threads",
    ),
    4,
    ("0-1|2-3", "0-3", ""),
);
