//! Why hackbench became slower: 2.6.32-rc1 against 2.6.31 on two machines, October 2009.

use super::{ChangeRow, ChangeTable, Experiment, Said};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "2009",
    title: "hackbench 100 process 2000 on Tigerton, Stoakley and Nehalem: 2.6.32-rc1, what was tried, and 2.6.31",
    source: "mails of Yanmin Zhang to the kernel mailing list, 2009-10-09 to 27, in per cent, of what is not said",
    tables: &[],
    latencies: &[],
    changes: &[
        ChangeTable {
            name: "tigerton",
            title: "Tigerton, 16 CPUs",
            note: NOTE,
            link: "m=tigerton-4x4&w=hackbench(groups=100,loops=2000)",
            base: 0,
            tolerance_milli: TOLERANCE,
            rows: &[
                row("2.6.31", "k=2.6.31", None),
                row(RC1, "k=2.6.32-rc1", Some(Said::Worse(700))),
                row(ONE, "k=2.6.32-rc1&d=-D12", Some(Said::LessWorse(550))),
                row(TWO, "k=2.6.32-rc1&d=-D12,-D13", Some(Said::NoLoss)),
                row(
                    NEW,
                    "k=2.6.32-rc1&d=-D13,D20,D21",
                    Some(Said::AboutWorse(450)),
                ),
                row(
                    NEXT,
                    "k=2.6.32-rc1&d=-D13,D20,D21&f=NEXT_BUDDY",
                    Some(Said::Gain),
                ),
                row("2.6.32", "k=2.6.32", None),
            ],
        },
        ChangeTable {
            name: "stoakley",
            title: "Stoakley, 8 CPUs",
            note: NOTE,
            link: "m=stoakley-2x4&w=hackbench(groups=100,loops=2000)",
            base: 0,
            tolerance_milli: TOLERANCE,
            rows: &[
                row("2.6.31", "k=2.6.31", None),
                row(RC1, "k=2.6.32-rc1", Some(Said::Worse(70))),
                row(ONE, "k=2.6.32-rc1&d=-D12", None),
                row(TWO, "k=2.6.32-rc1&d=-D12,-D13", Some(Said::AboutBetter(80))),
                row(NEW, "k=2.6.32-rc1&d=-D13,D20,D21", Some(Said::NoLoss)),
                row(NEXT, "k=2.6.32-rc1&d=-D13,D20,D21&f=NEXT_BUDDY", None),
                row("2.6.32", "k=2.6.32", None),
            ],
        },
        ChangeTable {
            name: "nehalem",
            title: "Nehalem, 16 CPUs",
            note: "Of the machine no more is known than that it is a Nehalem.",
            link: "m=nehalem-ep-2x4x2&w=hackbench(groups=100,loops=2000)",
            base: 0,
            tolerance_milli: TOLERANCE,
            rows: &[
                row("2.6.31", "k=2.6.31", None),
                row(RC1, "k=2.6.32-rc1", Some(Said::Little)),
                row("2.6.32", "k=2.6.32", None),
            ],
        },
        ChangeTable {
            name: "tigerton-patched",
            title: "Tigerton with three patches, against 2.6.32-rc1",
            note: PATCHED_NOTE,
            link: "m=tigerton-4x4&w=hackbench(groups=100,loops=2000)",
            base: 0,
            tolerance_milli: TOLERANCE,
            rows: PATCHED,
        },
        ChangeTable {
            name: "stoakley-patched",
            title: "Stoakley with three patches, against 2.6.32-rc1",
            note: PATCHED_NOTE,
            link: "m=stoakley-2x4&w=hackbench(groups=100,loops=2000)",
            base: 0,
            tolerance_milli: TOLERANCE,
            rows: PATCHED,
        },
    ],
};

/// One number was printed for both machines.
const PATCHED: &[ChangeRow] = &[
    row(RC1, "k=2.6.32-rc1", None),
    row(
        "rc1 -D13 +D20 +D24",
        "k=2.6.32-rc1&d=-D13,D20,D24",
        Some(Said::AboutBetter(100)),
    ),
];

const PATCHED_NOTE: &str = "The mail of 2009-10-27 has one number for both machines, against 2.6.32-rc1 as it says; its \
    \"still\" beside other figures suggests 2.6.31 for some. D24 is Mike Galbraith's patch of 2009-10-16, which puts its rule \
    in the place of D21's, the first of the three; the second is not named, and taken for D20.";

const NOTE: &str = "The commits: 29cd8bae is D12, de69a80b D13, 799e2205 D20; D21 is 92f6a5e3, which puts another rule in the \
    place of D13's.";

/// As in the tables of 2011.
const TOLERANCE: u32 = 50;

const RC1: &str = "2.6.32-rc1";
const ONE: &str = "rc1 -D12";
const TWO: &str = "rc1 -D12 -D13";
const NEW: &str = "rc1 -D13 +D20 +D21";
const NEXT: &str = "the same +NEXT_BUDDY";

const fn row(name: &'static str, link: &'static str, said: Option<Said>) -> ChangeRow {
    ChangeRow { name, link, said }
}
