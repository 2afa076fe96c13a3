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

macro_rules! picks {
    ($tasks:literal, $hash:literal, $longer:literal) => {
        (
            picks!($tasks, concat!("picks-", $tasks), "200ms", $hash),
            picks!(
                $tasks,
                concat!("picks-", $tasks, "-longer"),
                "400ms",
                $longer
            ),
        )
    };
    ($tasks:literal, $name:expr, $duration:literal, $hash:literal) => {
        Fixed {
            name: $name,
            what: concat!(
                $tasks,
                " tasks on one CPU that yield every 10 us, under EEVDF"
            ),
            link: concat!(
                "m=classroom-1&k=7.1&w=(task+a*",
                $tasks,
                "+forever(run+10us;yield))&dur=",
                $duration
            ),
            hash: $hash,
        }
    };
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
        hash: 0x5201_68d9_e7fc_fde8,
    },
    Fixed {
        name: "classroom",
        what: "5 hogs and 8 sleepers on one CPU: ticks, slices, preemption, buddies",
        link: "m=classroom-1&k=2.6.31&w=hogs(count=3);hogs(nice=5);sleeper(count=8,period=4ms,run=250us)&dur=60s",
        hash: 0x1135_9b83_bcb5_6d98,
    },
];

/// What a pick costs under EEVDF: so many tasks on one CPU, each of which yields all the time, for 200 ms and for 400.
/// What the second run takes more than the first is that of its switches, without what starting takes.
pub const PICKS: [(Fixed, Fixed); 4] = [
    picks!("10", 0x999e_e085_d0e3_9b01, 0xf488_10cd_a03c_cfd0),
    picks!("100", 0x2fc9_81d0_2b75_b797, 0x930d_9490_a174_2b07),
    picks!("1000", 0x4e7a_5407_2719_de99, 0xf0e3_d5a9_d52a_faaa),
    picks!("10000", 0x3913_770b_ec38_0ca7, 0x157f_8865_c800_d55e),
];
