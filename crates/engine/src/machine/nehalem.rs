//! Nehalem and Westmere: cores of two threads, an L3 for each socket.
//!
//! Rows of the catalog, as the others in [`super::catalog`].

use super::catalog::{
    CacheSizes, IdleState, Layout, LoadTimes, Machine, Mark, NO_OTHER, Speeds, TransferTimes, fact,
    idle, text,
};
use super::cost::Generation;
use alloc::borrow::Cow;

/// intel_idle.c, Nehalem table (exit and residency of each state).
const NEHALEM_IDLE: &[IdleState] = &[
    idle("C1", 3, 6),
    idle("C1E", 10, 20),
    idle("C3", 20, 80),
    idle("C6", 200, 800),
];

pub(super) const NEHALEM_EP_2X4X2: Machine = Machine {
    name: text("nehalem-ep-2x4x2"),
    title: text("2 sockets x 4 cores x 2 threads, Xeon 5500, NUMA (2009)"),
    layout: Layout {
        cpus: 16,
        smt: text("0,8|1,9|2,10|3,11|4,12|5,13|6,14|7,15"),
        l2: text(""),
        llc: text("0-3,8-11|4-7,12-15"),
        packages: text("0-3,8-11|4-7,12-15"),
        nodes: text("0-3,8-11|4-7,12-15"),
        node_distance: Cow::Borrowed(&[10, 21, 21, 10]),
        capacity: Cow::Borrowed(&[]),
        energy: Cow::Borrowed(&[]),
    },
    speeds: Speeds {
        speed_milli: 1500,
        smt_share_milli: Some(575),
        cache_kb: CacheSizes {
            l1d: 32,
            l2: 256,
            l3: 8192,
        },
        load_ps: LoadTimes {
            l1: 1500,
            l2: 3700,
            l3: 15_000,
        },
        mem_ns: 65,
        c2c_ps: TransferTimes {
            smt: Some(7_000),
            llc: Some(37_000),
            remote: Some(74_000),
            ..NO_OTHER
        },
    },
    generation: Generation::Westmere,
    idle: Cow::Borrowed(NEHALEM_IDLE),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Known,
            "CPU numbers: siblings n and n+8, one node a socket",
            "a real 2 x X5550, hwloc test data",
        ),
        fact(
            Mark::Known,
            "caches and load times",
            "Levinthal's data-source latencies, AnandTech 2978",
        ),
        fact(
            Mark::Known,
            "7, 37, 74 ns a line",
            "core-to-core latencies measured on an X5650",
        ),
        fact(
            Mark::Derived,
            "threads at 0.575 of a core's speed while both are busy",
            "the kernel's own smt_gain of 1178/1024",
        ),
        fact(
            Mark::Known,
            "idle states",
            "drivers/idle/intel_idle.c, Nehalem table",
        ),
        fact(
            Mark::Derived,
            "speed 1.5 = 1.36 x 2.67/2.4",
            "same-CPU hops of E5620 and Q6600, November 2011",
        ),
        fact(Mark::Chosen, "node distance 21", "usual for two sockets"),
    ]),
};

/// The box of November 2011, as it was booted.
pub(super) const WESTMERE_E5620: Machine = Machine {
    name: text("westmere-e5620"),
    title: text("Xeon E5620, 4 cores x 2 threads, C1 only (2011)"),
    layout: Layout {
        cpus: 8,
        smt: text("0,4|1,5|2,6|3,7"),
        l2: text(""),
        llc: text("0-7"),
        packages: text(""),
        nodes: text(""),
        node_distance: Cow::Borrowed(&[]),
        capacity: Cow::Borrowed(&[]),
        energy: Cow::Borrowed(&[]),
    },
    speeds: Speeds {
        speed_milli: 1360,
        smt_share_milli: Some(575),
        cache_kb: CacheSizes {
            l1d: 32,
            l2: 256,
            l3: 12_288,
        },
        load_ps: LoadTimes {
            l1: 1700,
            l2: 4200,
            l3: 19_000,
        },
        mem_ns: 87,
        c2c_ps: TransferTimes {
            smt: Some(7_100),
            llc: Some(37_200),
            ..NO_OTHER
        },
    },
    generation: Generation::Westmere,
    idle: Cow::Borrowed(&[idle("C1", 3, 6)]),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Known,
            "2.4 GHz, turbo off; booted with nohz=off processor.max_cstate=0 intel_idle.max_cstate=0, which leaves C1",
            "the thread of November 2011; drivers/acpi/processor_idle.c",
        ),
        fact(
            Mark::Derived,
            "CPU numbers: siblings n and n+4",
            "the pinned TCP_RR table of November 2011: 3->7 alone is slow",
        ),
        fact(
            Mark::Derived,
            "speed 1.36 = 5.248/3.864, the ratio of the same-CPU hops",
            "the pinned TCP_RR tables of E5620 and Q6600, November 2011",
        ),
        fact(
            Mark::Known,
            "7.1 and 37.2 ns a line",
            "core-to-core latencies measured on an X5650, the same core",
        ),
        fact(
            Mark::Known,
            "caches and load times",
            "AnandTech 2978, measured on the X5670",
        ),
        fact(
            Mark::Derived,
            "threads at 0.575 of a core's speed while both are busy",
            "the kernel's own smt_gain of 1178/1024; a fit of 3->7 gives 0.566",
        ),
        fact(Mark::Chosen, "one socket", "the thread names one E5620"),
    ]),
};
