//! The Snapdragon 865 of the RB5 board: four little cores, three big ones and a prime one, one shared L3.
//!
//! A row of the catalog and a column of the cost tables like any other.

use super::catalog::{
    CacheSizes, IdleState, Layout, LoadTimes, Machine, Mark, NO_OTHER, Speeds, TransferTimes, fact,
    text,
};
use super::cost::{Direct, Generation};
use alloc::borrow::Cow;

/// The prime core, a Cortex-A77 at 2.84 GHz, against a Core 2 core at 2.4 GHz: chosen.
pub(super) const SPEED_MILLI: u32 = 2200;

/// The phone's column of the direct costs (workloads-machines.md §3.2, §3.5), at the prime core. Nothing of it was fitted
/// to a table of 2026.
pub(super) const DIRECT: Direct = Direct {
    // Chosen, as the switches: no measurement of this core was found.
    syscall: 150,
    switch_other: 1900,
    switch_same: 1500,
    pick: 250,
    // 900 in all, in the proportions of the 750 of a Core 2; there is no mwait, so that another CPU is always told by an
    // interrupt, which takes 300 more: chosen.
    queue: 240,
    notify: 120 + 300,
    idle_exit: 300,
    switch_from_idle: 240,
    ipi: 1500,
    // Chosen; of the 6 µs that the published median has above the timer slack, half.
    timer: 3000,
    tick: 1500,
    // fork + exit 150 µs: chosen, and so is the split.
    fork: 100_000,
    exit: 50_000,
    sel_base: 50,
    scan: 8,
    // Half of what it was in 2009: chosen.
    balance_base: 200,
    balance_cpu: 30,
    pull: 1000,
    active: 10_000,
    wake_more: 240,
};

const fn state(
    name: &'static str,
    (exit_us, residency_us): (u32, u32),
    cpus: &'static str,
) -> IdleState {
    IdleState {
        name: text(name),
        exit_us,
        residency_us,
        cpus: text(cpus),
    }
}

/// sm8250.dtsi: exit latency and least residency.
const IDLE: &[IdleState] = &[
    state("WFI", (1, 1), ""),
    state("little-off", (531, 3934), "0-3"),
    state("big-off", (1061, 4488), "4-7"),
];

pub(super) const RB5: Machine = Machine {
    name: text("rb5"),
    title: text("Snapdragon 865 (RB5): 4 little + 3 big + 1 prime core (2020)"),
    layout: Layout {
        cpus: 8,
        smt: text(""),
        l2: text(""),
        llc: text("0-7"),
        packages: text("0-7"),
        nodes: text(""),
        node_distance: Cow::Borrowed(&[]),
        capacity: Cow::Borrowed(&[284, 284, 284, 284, 872, 872, 872, 1024]),
        // What its speeds cost was not found in a source.
        energy: Cow::Borrowed(&[]),
    },
    speeds: Speeds {
        speed_milli: SPEED_MILLI,
        smt_share_milli: None,
        cache_kb: CacheSizes {
            l1d: 64,
            l2: 256,
            l3: 4096,
        },
        load_ps: LoadTimes {
            l1: 1500,
            l2: 4000,
            l3: 13_000,
        },
        mem_ns: 120,
        c2c_ps: TransferTimes {
            llc: Some(40_000),
            ..NO_OTHER
        },
    },
    generation: Generation::Phone,
    idle: Cow::Borrowed(IDLE),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Known,
            "1.80, 2.42 and 2.84 GHz; L1d 32 KB of little and 64 KB of big cores, L2 128, 256 and 512 KB, one L3 of 4 MB",
            "AnandTech on the Snapdragon 865",
        ),
        fact(
            Mark::Derived,
            "capacities 284, 872, 1024: clock x capacity-dmips-mhz (448 of little, 1024 of big cores), against the largest",
            "sm8250.dtsi; topology_normalize_cpu_scale",
        ),
        fact(
            Mark::Known,
            "idle states: exit 531 us and residency 3934 us of little cores, 1061 and 4488 us of big ones; the state of the \
             whole cluster (6562 and 9987 us) is left out: no CPU enters it alone",
            "sm8250.dtsi",
        ),
        fact(
            Mark::Chosen,
            "every core has the L1d and L2 of a big one; L3 13 ns, memory 120 ns; 40 ns a line between any two cores",
            "no measurement found",
        ),
        fact(
            Mark::Chosen,
            "the prime core is 2.2 times the reference core, clocks stay at their maximum, and a kernel path takes as much \
             longer on another core as its capacity is less",
            "no measurement found",
        ),
    ]),
};
