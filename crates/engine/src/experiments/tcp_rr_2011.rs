//! Where a woken task goes: TCP_RR pairs under the searches for an idle CPU that were tried in November 2011.

use super::{Experiment, Measure, Row, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "2011",
    title: "TCP_RR pairs on E5620 and Q6600 under five searches for an idle CPU",
    source: "mails of Mike Galbraith to the kernel mailing list, 2011-11-17 and 18, in the thread on select_idle_sibling",
    latencies: &[],
    changes: &[],
    tables: &[
        Table {
            name: "bound-e5620",
            title: "One pair, its client bound to CPU 3, its server to another, on the E5620",
            note: "The sum of path and switch, the transfer between cores and the share of a thread were fitted to this \
                table.",
            measure: Measure::RoundTrips { pairs: 1 },
            link: "m=westmere-e5620&k=3.2-virgin&f=NO_TTWU_QUEUE&dur=2s",
            base: 3,
            tolerance_milli: 50,
            rows: &[
                bound("3->0", "w=tcp_rr(client=3,server=0)", &[90_196.84]),
                bound("3->1", "w=tcp_rr(client=3,server=1)", &[92_654.92]),
                bound("3->2", "w=tcp_rr(client=3,server=2)", &[91_735.26]),
                bound("3->3", "w=tcp_rr(client=3,server=3)", &[129_394.55]),
                bound("3->4", "w=tcp_rr(client=3,server=4)", &[89_127.98]),
                bound("3->5", "w=tcp_rr(client=3,server=5)", &[91_303.15]),
                bound("3->6", "w=tcp_rr(client=3,server=6)", &[91_345.85]),
                bound("3->7", "w=tcp_rr(client=3,server=7)", &[74_141.88]),
            ],
        },
        Table {
            name: "bound-q6600",
            title: "The same on the Q6600",
            note: "The sum of path and switch and the transfers within and between the L2 pairs were fitted to this \
                table.",
            measure: Measure::RoundTrips { pairs: 1 },
            link: "m=q6600&k=3.2-virgin&f=NO_TTWU_QUEUE&dur=2s",
            base: 3,
            tolerance_milli: 50,
            rows: &[
                bound("3->0", "w=tcp_rr(client=3,server=0)", &[42_517.96]),
                bound("3->1", "w=tcp_rr(client=3,server=1)", &[43_946.50]),
                bound("3->2", "w=tcp_rr(client=3,server=2)", &[95_274.10]),
                bound("3->3", "w=tcp_rr(client=3,server=3)", &[95_266.83]),
            ],
        },
        Table {
            name: "free-1",
            title: "Test 1: one free pair in a cpuset of three cores, three runs",
            note: "The cpuset is an affinity mask here: whether the box's cpuset had scheduling domains of its own is not \
                known.",
            measure: Measure::RoundTrips { pairs: 1 },
            link: "m=westmere-e5620&dur=10s&w=(team pair(tcp request;tcp reply counted;\
                task netserver cpus 1-3,5-7 ws 0KiB forever(recv request 1B;send reply 1B);\
                task netperf cpus 1-3,5-7 ws 0KiB forever(send request 1B;recv reply 1B)))",
            base: 0,
            tolerance_milli: 50,
            rows: &[
                virgin(&[66_611.73, 71_376.00, 61_297.09]),
                suresh(&[68_488.88, 68_412.48, 68_149.73], 1.028),
                mikie(&[75_925.91, 75_851.63, 74_617.29], 1.136),
                mikie2(
                    "mikie2, NO_SIBLING_LIMIT_SYNC",
                    NO_LIMIT,
                    &[71_403.39, 71_396.73, 72_258.91],
                    Some(1.079),
                ),
                mikie2(
                    "mikie2, SIBLING_LIMIT_SYNC",
                    LIMIT,
                    &[139_210.06, 140_485.95, 140_189.95],
                    Some(2.106),
                ),
            ],
        },
        Table {
            name: "free-hogs",
            title: "Test 2: one free pair and two free hogs in the cpuset, three runs; the pair's rate",
            note: "The average printed for suresh (84931.93, ratio .967) is not that of the figures printed (84609.96, .964).",
            measure: Measure::RoundTrips { pairs: 1 },
            link: "m=westmere-e5620&dur=10s&w=(task hog * 2 cpus 1-3,5-7 ws 64KiB run forever;\
                team pair(tcp request;tcp reply counted;\
                task netserver cpus 1-3,5-7 ws 0KiB forever(recv request 1B;send reply 1B);\
                task netperf cpus 1-3,5-7 ws 0KiB forever(send request 1B;recv reply 1B)))",
            base: 0,
            tolerance_milli: 50,
            rows: &[
                virgin(&[87_108.59, 88_737.30, 87_383.98]),
                suresh(&[84_281.24, 84_725.07, 84_823.57], 0.967),
                mikie(&[87_850.37, 86_081.73, 85_789.49], 0.986),
                mikie2(
                    "mikie2, NO_SIBLING_LIMIT_SYNC",
                    NO_LIMIT,
                    &[92_613.79, 92_022.95, 92_014.26],
                    Some(1.050),
                ),
                mikie2(
                    "mikie2, SIBLING_LIMIT_SYNC",
                    LIMIT,
                    &[134_682.16, 133_497.30, 133_584.48],
                    None,
                ),
            ],
        },
        Table {
            name: "free-3",
            title: "Test 3: three free pairs in the cpuset, one run, a figure for each pair",
            note: "",
            measure: Measure::RoundTrips { pairs: 3 },
            link: "m=westmere-e5620&dur=10s&w=(team pair * 3(tcp request;tcp reply counted;\
                task netserver cpus 1-3,5-7 ws 0KiB forever(recv request 1B;send reply 1B);\
                task netperf cpus 1-3,5-7 ws 0KiB forever(send request 1B;recv reply 1B)))",
            base: 0,
            tolerance_milli: 50,
            rows: &[
                virgin(&[55_246.99, 55_138.67, 55_248.95]),
                suresh(&[53_141.24, 53_165.45, 53_224.71], 0.963),
                mikie(&[47_627.14, 47_361.68, 47_389.41], 0.859),
                mikie2(
                    "mikie2, NO_SIBLING_LIMIT_SYNC",
                    NO_LIMIT,
                    &[57_969.49, 57_704.79, 58_218.14],
                    Some(1.049),
                ),
                mikie2(
                    "mikie2, SIBLING_LIMIT_SYNC",
                    LIMIT,
                    &[132_205.11, 133_726.94, 133_706.09],
                    Some(2.412),
                ),
            ],
        },
        Table {
            name: "bound-3",
            title: "Test 4: three bound pairs, one run, a figure for each pair",
            note: "How the pairs were bound is not printed; the rate says both tasks on one CPU. Which setting of \
                SIBLING_LIMIT_SYNC mikie2 had is not printed either.",
            measure: Measure::RoundTrips { pairs: 3 },
            link: "m=westmere-e5620&dur=2s&\
                w=tcp_rr(client=1,server=1);tcp_rr(client=2,server=2);tcp_rr(client=3,server=3)",
            base: 0,
            tolerance_milli: 50,
            rows: &[
                virgin(&[130_073.67, 130_202.02, 131_666.48]),
                suresh(&[129_805.98, 128_058.25, 128_709.77], 0.986),
                mikie(&[125_597.11, 127_260.39, 127_208.73], 0.969),
                mikie2(
                    "mikie2",
                    LIMIT,
                    &[135_441.58, 134_961.89, 137_162.00],
                    Some(1.039),
                ),
            ],
        },
    ],
};

const LIMIT: &str = "k=mikie2&f=NO_TTWU_QUEUE";
const NO_LIMIT: &str = "k=mikie2&f=NO_TTWU_QUEUE,NO_SIBLING_LIMIT_SYNC";

/// A bound pair; the publication prints no ratios.
const fn bound(name: &'static str, link: &'static str, values: &'static [f64]) -> Row {
    Row {
        name,
        link,
        values,
        ratio: None,
    }
}

const fn virgin(values: &'static [f64]) -> Row {
    Row {
        name: "virgin",
        link: "k=3.2-virgin&f=NO_TTWU_QUEUE",
        values,
        ratio: Some(1.0),
    }
}

const fn suresh(values: &'static [f64], ratio: f64) -> Row {
    Row {
        name: "suresh",
        link: "k=suresh&f=NO_TTWU_QUEUE",
        values,
        ratio: Some(ratio),
    }
}

const fn mikie(values: &'static [f64], ratio: f64) -> Row {
    Row {
        name: "mikie",
        link: "k=mikie&f=NO_TTWU_QUEUE",
        values,
        ratio: Some(ratio),
    }
}

const fn mikie2(
    name: &'static str,
    link: &'static str,
    values: &'static [f64],
    ratio: Option<f64>,
) -> Row {
    Row {
        name,
        link,
        values,
        ratio,
    }
}
