//! What a shorter slice is worth beside a busy group: cyclictest and hackbench in two groups on an RB5, April 2026.

use super::{Claim, Column, Experiment, LatencyRow, LatencyTable, Stat};

const P50: Stat = Stat::PerMille(500);
const P90: Stat = Stat::PerMille(900);
const P99: Stat = Stat::PerMille(990);
const P999: Stat = Stat::PerMille(999);

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "2026",
    title: "cyclictest beside hackbench on an RB5: a shorter slice, and the patch on buddies",
    source: "mail of Vincent Guittot to the kernel mailing list, 2026-04-10, with the patch that became 78cde54ea5f0",
    tables: &[],
    changes: &[],
    latencies: &[LatencyTable {
        name: "cyc-rb5",
        title: "hackbench -T -p -l 16000000 -g 2 in /test-A, cyclictest every 2777 us for 63 s in /test-B",
        note: "Timer ticks (250 a second), preemption and clocks of the board were not published; preemption is full and ticks stop on \
            idle CPUs, as the arm64 defconfig has it.",
        link: "m=rb5&k=tip-2026-04&t=preempt:full&g=test-A;test-B&nohz=on&dur=63s",
        role: "cyclictest",
        mark: "latency",
        columns: &[
            Column {
                name: "default slices",
                link: "w=hackbench(groups=2,loops=16000000,via=pipes,as=thread,in=test-A);\
                    cyclictest(interval=2777us,in=test-B)",
                change: "",
            },
            Column {
                name: "8 and 20 ms",
                link: "w=hackbench(groups=2,loops=16000000,via=pipes,as=thread,slice=20ms,in=test-A);\
                    cyclictest(interval=2777us,slice=8ms,in=test-B)",
                change: "slices of 8 ms for cyclictest and 20 ms for hackbench",
            },
            Column {
                name: "8 and 20 ms, patch",
                link: "w=hackbench(groups=2,loops=16000000,via=pipes,as=thread,slice=20ms,in=test-A);\
                    cyclictest(interval=2777us,slice=8ms,in=test-B)&d=D78",
                change: "the patch (D78)",
            },
        ],
        rows: &[
            row(Stat::Samples, &[22_679.0, 22_595.0, 22_686.0]),
            row(Stat::Average, &[84.0, 94.0, 59.0]),
            row(P50, &[56.0, 56.0, 56.0]),
            row(P90, &[64.0, 65.0, 63.0]),
            row(P99, &[1047.0, 1273.0, 74.0]),
            row(P999, &[2431.0, 4751.0, 663.0]),
            row(Stat::Max, &[4694.0, 8655.0, 3934.0]),
        ],
        claims: &[
            Claim::Order(Stat::Samples),
            Claim::Order(Stat::Average),
            Claim::Equal(P50, 50),
            Claim::Order(P90),
            Claim::Order(P99),
            Claim::Order(P999),
            Claim::Order(Stat::Max),
            Claim::Above(P99, 1, 0),
            Claim::Times(P99, 1, 2, 5000),
        ],
    }],
};

const fn row(stat: Stat, published: &'static [f64]) -> LatencyRow {
    LatencyRow { stat, published }
}
