//! What each kernel has, by the tables of its sources: every sched feature with its default, every tunable with its
//! value for each number of CPUs, and a reason where one is missing.
//!
//! Read from kernel/sched_features.h and `sched_init_granularity` of 2.6.31, 2.6.32-rc1 and 2.6.32, kernel/sched_features.h
//! and `get_update_sysctl_factor` of 3.2, kernel/sched/features.h of 6.1 and 6.5, and the files that a running 6.1.y
//! shows under /sys/kernel/debug/sched.

use schedlab_engine::sched::features::Feature;
use schedlab_engine::sched::profile::{DELTAS, Profile};
use schedlab_engine::sched::tunables::{Tunable, TunableScaling};
use std::collections::BTreeSet;

/// The columns; the five of 3.2 differ in `SIBLING_LIMIT_SYNC` only.
const KERNELS: [&str; 7] = [
    "2.6.31",
    "2.6.32-rc1",
    "2.6.32",
    "3.2",
    "6.1",
    "6.1y",
    "6.5",
];

const OF_3_2: [&str; 5] = ["3.2-virgin", "suresh", "mikie", "mikie2", "3.2final"];

/// The default under each kernel: on, off, or not there.
const FEATURES: [(&str, &str); 56] = [
    ("NEW_FAIR_SLEEPERS", "1 1 1 - - - -"),
    ("GENTLE_FAIR_SLEEPERS", "- 1 1 1 1 1 1"),
    ("NORMALIZED_SLEEPER", "0 0 0 - - - -"),
    ("START_DEBIT", "1 1 1 1 1 1 1"),
    ("WAKEUP_PREEMPT", "1 1 1 - 1 1 1"),
    ("ADAPTIVE_GRAN", "1 1 1 - - - -"),
    ("ASYM_GRAN", "1 1 1 - - - -"),
    ("WAKEUP_SYNC", "- 0 0 - - - -"),
    ("WAKEUP_OVERLAP", "0 0 0 - - - -"),
    ("WAKEUP_RUNNING", "- 0 0 - - - -"),
    ("SYNC_WAKEUPS", "1 1 1 - - - -"),
    ("SYNC_LESS", "- 1 1 - - - -"),
    ("SYNC_MORE", "- 0 0 - - - -"),
    ("AFFINE_WAKEUPS", "1 1 1 1 - - -"),
    ("NEXT_BUDDY", "- 0 0 0 0 0 0"),
    ("LAST_BUDDY", "1 1 1 1 1 1 1"),
    ("CACHE_HOT_BUDDY", "1 1 1 1 1 1 1"),
    ("LB_BIAS", "1 1 1 1 - - -"),
    ("LB_SHARES_UPDATE", "1 1 1 - - - -"),
    ("ASYM_EFF_LOAD", "1 1 1 - - - -"),
    ("ARCH_POWER", "- 0 0 0 - - -"),
    ("HRTICK", "0 0 0 0 0 0 0"),
    ("HRTICK_DL", "- - - - 0 0 0"),
    ("DOUBLE_TICK", "0 0 0 0 0 0 0"),
    ("OWNER_SPIN", "1 1 1 1 - - -"),
    ("NONTASK_CAPACITY", "- - - 1 1 1 1"),
    ("TTWU_QUEUE", "- - - 1 1 1 1"),
    ("FORCE_SD_OVERLAP", "- - - 0 - - -"),
    ("RT_RUNTIME_SHARE", "- - - 1 0 0 0"),
    ("RT_PUSH_IPI", "- - - - 1 0 1"),
    ("SIS_PROP", "- - - - 0 0 0"),
    ("SIS_UTIL", "- - - - 1 1 1"),
    ("LB_MIN", "- - - - 0 0 0"),
    ("ATTACH_AGE_LOAD", "- - - - 1 1 1"),
    ("WA_IDLE", "- - - - 1 1 1"),
    ("WA_WEIGHT", "- - - - 1 1 1"),
    ("WA_BIAS", "- - - - 1 1 1"),
    ("UTIL_EST", "- - - - 1 1 1"),
    ("UTIL_EST_FASTUP", "- - - - 1 1 1"),
    ("ALT_PERIOD", "- - - - 1 1 1"),
    ("BASE_SLICE", "- - - - 1 1 1"),
    ("WARN_DOUBLE_CLOCK", "- - - - 0 0 0"),
    ("LATENCY_WARN", "- - - - 0 0 0"),
    ("NI_RANDOM", "- - - - - 1 -"),
    // A patch of November 2011, beside which the others of 3.2 have it not.
    ("SIBLING_LIMIT_SYNC", "- - - - - - -"),
    ("WAKEUP_PREEMPTION", "1 1 1 - 1 1 1"),
    // Those of EEVDF.
    ("PLACE_LAG", "- - - - - - -"),
    ("PLACE_DEADLINE_INITIAL", "- - - - - - -"),
    ("PLACE_REL_DEADLINE", "- - - - - - -"),
    ("RUN_TO_PARITY", "- - - - - - -"),
    ("PREEMPT_SHORT", "- - - - - - -"),
    ("DELAY_DEQUEUE", "- - - - - - -"),
    ("DELAY_ZERO", "- - - - - - -"),
    ("PICK_BUDDY", "- - - - - - -"),
    ("HZ_BW", "- - - - - - -"),
    ("NI_RATE", "- - - - - - -"),
];

fn profiles(column: usize) -> Vec<&'static Profile> {
    let names: &[&str] = match KERNELS[column] {
        "3.2" => &OF_3_2,
        _ => &KERNELS[column..=column],
    };
    let known = |name: &&str| Profile::by_name(name).expect("a kernel of the table");
    names.iter().map(known).collect()
}

/// Each kernel that a table has a value for, with that value.
fn cells(values: &'static str) -> impl Iterator<Item = (&'static Profile, &'static str)> {
    let columns = values.split(' ').enumerate();
    columns.flat_map(|(column, value)| profiles(column).into_iter().map(move |p| (p, value)))
}

#[test]
fn every_feature_is_there_with_its_default_or_a_reason() {
    let named: BTreeSet<Feature> = FEATURES
        .iter()
        .map(|(name, _)| Feature::by_name(name).unwrap_or_else(|| panic!("{name}")))
        .collect();
    assert_eq!(named.len(), Feature::ALL.len(), "the table is complete");
    for (name, values) in FEATURES {
        let feature = Feature::by_name(name).expect("known");
        assert_eq!(values.split(' ').count(), KERNELS.len(), "{name}");
        for (profile, value) in cells(values) {
            let kernel = profile.kernel();
            let is = match (kernel.exists.has(feature), kernel.features.has(feature)) {
                (false, _) => "-",
                (true, false) => "0",
                (true, true) => "1",
            };
            let patched = feature == Feature::SiblingLimitSync && profile.name == "mikie2";
            let expected = if patched { "1" } else { value };
            assert_eq!(is, expected, "{name} in {}", profile.name);
            let reason = profile.base.instead_of(feature);
            assert!(
                is != "-" || reason.is_some(),
                "{name} is missing in {}: why?",
                profile.name
            );
        }
    }
}

/// Values before scaling, µs; `-` where there is none.
const TUNABLES: [(Tunable, &str); 17] = [
    (Tunable::SchedLatency, "20000 5000 5000 6000 6000 6000 6000"),
    (Tunable::MinGranularity, "4000 1000 1000 750 750 750 750"),
    (
        Tunable::WakeupGranularity,
        "5000 1000 1000 1000 1000 1000 1000",
    ),
    (Tunable::MigrationCost, "500 500 500 500 500 500 500"),
    (Tunable::IdleMinGranularity, "- - - - 750 750 750"),
    (Tunable::SharesRatelimit, "250 250 250 - - - -"),
    (Tunable::SharesWindow, "- - - 10000 - - -"),
    (Tunable::TimeAvg, "- 1000000 1000000 1000000 - - -"),
    (Tunable::NrMigrate, "32 32 32 32 32 32 32"),
    (Tunable::ChildRunsFirst, "1 0 0 0 0 0 0"),
    (Tunable::AutogroupEnabled, "- - - 1 1 1 1"),
    (Tunable::CompatYield, "0 0 0 - - - -"),
    (Tunable::TunableScaling, "- - - 1 1 1 1"),
    (Tunable::BaseSlice, "- - - - - - -"),
    (Tunable::EnergyAware, "- - - - - - -"),
    (Tunable::CgroupMode, "- - - - - - -"),
    (Tunable::Preempt, "- - - - 1 1 1"),
];

#[test]
fn every_tunable_is_there_with_its_value_or_a_reason() {
    assert_eq!(TUNABLES.len(), Tunable::ALL.len(), "the table is complete");
    for (tunable, values) in TUNABLES {
        let name = tunable.info().name;
        let counts = matches!(
            tunable,
            Tunable::NrMigrate
                | Tunable::ChildRunsFirst
                | Tunable::AutogroupEnabled
                | Tunable::CompatYield
                | Tunable::TunableScaling
                | Tunable::Preempt
        );
        for (profile, value) in cells(values) {
            let kernel = profile.kernel();
            let there = kernel.settable.has(tunable);
            let is = kernel.tunables.get(tunable) / if counts { 1 } else { 1000 };
            let is = if there { is.to_string() } else { "-".into() };
            assert_eq!(is, value, "{name} in {}", profile.name);
            let reason = profile.base.instead_of_tunable(tunable);
            assert!(
                there || reason.is_some(),
                "{name} is missing in {}: why?",
                profile.name
            );
        }
    }
    for (profile, value) in cells("5 5 5 8 8 8 8") {
        let nr_latency = profile.kernel().tunables.nr_latency;
        assert_eq!(
            nr_latency.to_string(),
            value,
            "nr_latency of {}",
            profile.name
        );
    }
}

/// Latency, min and wakeup granularity of 2.6.31, of 2.6.32, and of 3.2 and later, µs.
type Granularities = [[u64; 3]; 3];

/// What they are with that many CPUs.
const SCALED: [(usize, Granularities); 7] = [
    (
        1,
        [
            [20_000, 4_000, 5_000],
            [5_000, 1_000, 1_000],
            [6_000, 750, 1_000],
        ],
    ),
    (
        2,
        [
            [40_000, 8_000, 10_000],
            [10_000, 2_000, 2_000],
            [12_000, 1_500, 2_000],
        ],
    ),
    (
        4,
        [
            [60_000, 12_000, 15_000],
            [15_000, 3_000, 3_000],
            [18_000, 2_250, 3_000],
        ],
    ),
    (
        8,
        [
            [80_000, 16_000, 20_000],
            [20_000, 4_000, 4_000],
            [24_000, 3_000, 4_000],
        ],
    ),
    (
        16,
        [
            [100_000, 20_000, 25_000],
            [25_000, 5_000, 5_000],
            [24_000, 3_000, 4_000],
        ],
    ),
    (
        32,
        [
            [120_000, 24_000, 30_000],
            [30_000, 6_000, 6_000],
            [24_000, 3_000, 4_000],
        ],
    ),
    (
        64,
        [
            [140_000, 28_000, 35_000],
            [35_000, 7_000, 7_000],
            [24_000, 3_000, 4_000],
        ],
    ),
];

/// cfs/T11 to T15.
#[test]
fn granularities_follow_the_number_of_cpus() {
    for (cpus, [old, middle, new]) in SCALED {
        for (column, expected) in [old, middle, middle, new, new, new, new].iter().enumerate() {
            for profile in profiles(column) {
                let kernel = profile.kernel();
                let t = kernel.tunables.scaled(kernel.scaling, cpus);
                let us =
                    [t.sched_latency, t.min_granularity, t.wakeup_granularity].map(|ns| ns / 1000);
                assert_eq!(us, *expected, "{} with {cpus} CPUs", profile.name);
                let same = kernel.tunables;
                assert_eq!(t.migration_cost, same.migration_cost);
                assert_eq!(t.shares_window, same.shares_window);
                assert_eq!(t.idle_min_granularity, same.idle_min_granularity);
                let factor = t.min_granularity / same.min_granularity;
                assert_eq!(t.shares_ratelimit, same.shares_ratelimit * factor);
            }
        }
    }
}

#[test]
fn scaling_is_none_logarithmic_or_linear_up_to_eight() {
    let ways = [
        (TunableScaling::None, [1, 1, 1, 1]),
        (TunableScaling::Log, [1, 2, 3, 4]),
        (TunableScaling::Linear, [1, 3, 4, 8]),
    ];
    for name in ["3.2final", "6.1", "6.5"] {
        let kernel = Profile::by_name(name).expect("known").kernel();
        for (way, factors) in ways {
            let mut tunables = kernel.tunables;
            tunables.tunable_scaling = way;
            let latency = |cpus| tunables.scaled(kernel.scaling, cpus).sched_latency / 6_000_000;
            assert_eq!([1, 3, 4, 24].map(latency), factors, "{name} {way:?}");
        }
    }
}

/// The number of each commit, the first of those that it stands for, and its day (2.6.31 to 2.6.32).
const COMMITS: [(u8, &str, &str); 20] = [
    (1, "172e082a91", "09-09"),
    (2, "2bba22c50b", "09-09"),
    (3, "b5d9d734a5", "09-08"),
    (4, "51e0304ce6", "09-16"),
    (5, "3cb63d527f", "09-11"),
    (6, "71a29aa7b6", "09-07"),
    (7, "cdd2ab3de4", "09-07"),
    (8, "840a065310", "09-03"),
    (9, "f93e65c186", "09-01"),
    (10, "59abf02644", "09-16"),
    (11, "182a85f8a1", "09-16"),
    (12, "29cd8bae39", "09-17"),
    (13, "de69a80be3", "09-17"),
    (14, "e6b1b2c9c0", "09-11"),
    (20, "799e2205ec", "10-09"),
    (21, "92f6a5e37a", "10-09"),
    (22, "f5dc37530b", "10-09"),
    (23, "f685ceacab", "10-23"),
    (24, "posted on LKML by Mike Galbraith", "10-16"),
    (25, "6b9de613ae", "11-02"),
];

#[test]
fn every_commit_of_2009_is_there_with_its_name_and_day() {
    for (number, commit, day) in COMMITS {
        let delta = DELTAS.iter().find(|d| d.id.0 == number);
        let delta = delta.unwrap_or_else(|| panic!("D{number:02} is missing"));
        assert!(
            delta.commits.starts_with(commit),
            "{}: {}",
            delta.id,
            delta.commits
        );
        assert_eq!(delta.date, format!("2009-{day}"), "{}", delta.id);
    }
}

/// What stands for a commit is called what it is.
#[test]
fn a_commit_says_where_it_comes_from() {
    let source = |number: u8| {
        let delta = DELTAS.iter().find(|d| d.id.0 == number);
        delta.expect("a commit").source()
    };
    assert_eq!(source(13), "commit de69a80be3");
    assert_eq!(source(20), "commit 799e2205ec");
    assert!(source(5).starts_with("commits 3cb63d527f, "));
    assert_eq!(source(56), "read in fair.c of 6.12: place_entity");
    assert!(source(24).starts_with("posted on LKML by ") && source(24).ends_with("; never merged"));
    for delta in DELTAS {
        let kinds = [
            "commit",
            "read in ",
            "posted on ",
            "proposed on ",
            "stable ",
            "Kconfig",
        ];
        let source = delta.source();
        assert!(
            kinds.iter().any(|kind| source.starts_with(kind)),
            "{}: {source}",
            delta.id
        );
    }
}

/// The default under each kernel with EEVDF, 6.6, 6.12, 6.18, 7.0, 7.1 and 7.3, by the table of `features.h`.
const EEVDF: [(&str, &str); 29] = [
    ("PLACE_LAG", "1 1 1 1 1 1"),
    ("PLACE_DEADLINE_INITIAL", "1 1 1 1 1 1"),
    ("PLACE_REL_DEADLINE", "- 1 1 1 1 1"),
    ("RUN_TO_PARITY", "1 1 1 1 1 1"),
    ("PREEMPT_SHORT", "- 1 1 1 1 1"),
    ("DELAY_DEQUEUE", "- 1 1 1 1 1"),
    ("DELAY_ZERO", "- 1 1 1 1 1"),
    ("PICK_BUDDY", "- - 1 1 1 1"),
    ("NEXT_BUDDY", "0 0 0 0 0 0"),
    ("CACHE_HOT_BUDDY", "1 1 1 1 1 1"),
    ("WAKEUP_PREEMPTION", "1 1 1 1 1 1"),
    ("HRTICK", "0 0 0 0 1 1"),
    ("DOUBLE_TICK", "0 0 - - - -"),
    ("NONTASK_CAPACITY", "1 1 1 1 1 1"),
    ("TTWU_QUEUE", "1 1 1 1 1 1"),
    ("SIS_PROP", "0 - - - - -"),
    ("SIS_UTIL", "1 1 1 1 1 1"),
    ("RT_PUSH_IPI", "1 1 1 1 1 0"),
    ("RT_RUNTIME_SHARE", "0 0 0 0 0 0"),
    ("LB_MIN", "0 0 0 0 0 0"),
    ("ATTACH_AGE_LOAD", "1 1 1 1 1 1"),
    ("WA_IDLE", "1 1 1 1 1 1"),
    ("WA_WEIGHT", "1 1 1 1 1 1"),
    ("WA_BIAS", "1 1 1 1 1 1"),
    ("UTIL_EST", "1 1 1 1 1 1"),
    ("UTIL_EST_FASTUP", "1 - - - - -"),
    ("HZ_BW", "1 - - - - -"),
    ("NI_RANDOM", "- - - 1 1 1"),
    ("NI_RATE", "- - - - 1 1"),
];

#[test]
fn features_of_eevdf_have_the_defaults_of_their_releases() {
    for (name, values) in EEVDF {
        let feature = Feature::by_name(name).expect("known");
        for (kernel, value) in ["6.6", "6.12", "6.18", "7.0", "7.1", "7.3"]
            .iter()
            .zip(values.split(' '))
        {
            let kernel = Profile::by_name(kernel).expect("known").kernel();
            let is = match (kernel.exists.has(feature), kernel.features.has(feature)) {
                (false, _) => "-",
                (true, false) => "0",
                (true, true) => "1",
            };
            assert_eq!(is, value, "{name}");
        }
    }
}
