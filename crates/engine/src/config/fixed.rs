//! Fixed experiments whose results are known: what benchmarks run, natively and in a browser.

/// An experiment and the hash that its run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Its name.
    pub name: &'static str,
    /// What it keeps busy.
    pub what: &'static str,
    /// Its link.
    pub link: &'static str,
    /// The hash of its run. It changes only when what the simulator does changes, and the commit says why.
    pub hash: u64,
}

/// The experiments.
pub const FIXED: [Fixed; 3] = [
    Fixed {
        name: "hackbench",
        what: "100 groups of 20 + 20 tasks on 16 CPUs: messages, wakeups, long run queues",
        link: "w=hackbench(groups=100,loops=5)",
        hash: 0x7575_ee9a_f151_5a2c,
    },
    Fixed {
        name: "tcp_rr",
        what: "16 free pairs on 16 CPUs of two nodes: selection, idle CPUs, balancing",
        link: "m=nehalem-ep-2x4x2&k=2.6.32&w=tcp_rr(pairs=16)&dur=200ms",
        hash: 0xe0e3_7eac_19b0_e182,
    },
    Fixed {
        name: "hogs",
        what: "40 hogs and 8 sleepers on 16 CPUs: ticks, slices, balancing",
        link: "k=2.6.31&w=hogs(count=40);sleeper(count=8)&dur=20s",
        hash: 0xedf3_039e_2b84_f113,
    },
];
