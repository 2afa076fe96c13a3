//! Fixed experiments whose results are known: what benchmarks run, natively and in a browser.
//!
//! Not here: how they are timed (`schedlab bench`, `cargo xtask bench`).

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
        what: "4000 tasks on 16 CPUs: messages, wakeups, long run queues",
        link: "w=hackbench(groups=100,loops=5)",
        hash: 0x7575_ee9a_f151_5a2c,
    },
    Fixed {
        name: "mixed",
        what: "8 pairs over TCP, hogs and sleepers on 16 CPUs of two nodes: selection, idle CPUs, balancing",
        link: "m=nehalem-ep-2x4x2&k=2.6.32&w=tcp_rr(pairs=8);hogs(count=4,nice=5);sleeper(count=4)&dur=200ms",
        hash: 0x5f1b_c466_ad88_4315,
    },
    Fixed {
        name: "classroom",
        what: "5 hogs and 8 sleepers on one CPU: ticks, slices, preemption, buddies",
        link: "m=classroom-1&k=2.6.31&w=hogs(count=3);hogs(nice=5);sleeper(count=8,period=4ms,run=250us)&dur=60s",
        hash: 0x1135_9b83_bcb5_6d98,
    },
];
