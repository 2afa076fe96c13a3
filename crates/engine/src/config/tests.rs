//! Configurations: what is the same, what is wrong, what follows a change of kernel.

use super::*;
use crate::fragment;
use alloc::string::{String, ToString};

/// What is wrong with the configuration of a link that is well-formed.
fn problems(link: &str) -> Vec<String> {
    let (config, warnings) = fragment::parse(link);
    assert_eq!(warnings, [], "{link}");
    words(&config)
}

fn words(config: &Config) -> Vec<String> {
    match Scenario::try_from(config) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.0.iter().map(ToString::to_string).collect(),
    }
}

fn kernel(name: &str) -> &'static Profile {
    Profile::by_name(name).expect("a profile of the table")
}

#[test]
fn a_rule_is_that_of_the_release_that_was_chosen() {
    let release = |link: &str, rule: &str| fragment::parse(link).0.release_of_rule(rule);
    assert_eq!(release("k=6.5", "picker"), "6.5");
    assert_eq!(release("k=6.1y", "tick_ideal_capped"), "6.1y");
    // 6.5 without the commit that set it is as 6.1 was.
    assert_eq!(release("k=6.5&d=-D41", "tick_ideal_capped"), "6.1");
    assert_eq!(release("k=2.6.32-rc1&d=-D13", "picker"), "2.6.31");
}

#[test]
fn the_default_is_part_of_version_1_of_the_links() {
    let config = Config::default();
    assert_eq!(config.machine.name, "tigerton-4x4");
    assert_eq!(config.kernel.name, "2.6.32-rc1");
    let values: Vec<_> = ["groups", "fan", "loops", "size", "via", "as"]
        .map(|name| config.workloads[0].get(name))
        .into();
    let frozen = [10, 20, 50, 100, 0, 0].map(Some);
    assert_eq!(values, frozen, "old links mean these values");
    assert_eq!((config.seed, config.max_events), (1, 1_000_000_000));
    assert_eq!(words(&config), [""; 0]);
}

#[test]
fn every_problem_is_found_and_says_what_to_do() {
    let mut config = Config {
        hz: Some(Hz(0)),
        duration: Some(Nanos::ZERO),
        max_events: 0,
        ..Config::default()
    };
    config.set_kernel(kernel("2.6.31"));
    config.features.insert(Feature::NextBuddy, true);
    config.tunables.insert(Tunable::SchedLatency, 1);
    config.workloads = alloc::vec![
        WorkloadSpec::new(WorkloadKind::Hogs).with("count", 0),
        WorkloadSpec::new(WorkloadKind::Hogs).with("cpu", 16),
        WorkloadSpec {
            kind: WorkloadKind::Hogs,
            values: Vec::new(),
            group: None,
        },
    ];
    let expected = [
        "f: this 2.6.31 has no NEXT_BUDDY; take it out",
        "t: sched_latency:1ns is not allowed; use 100us \u{2026} 1s",
        "hz: 0 ticks a second are not allowed; use 10 to 10000",
        "events: a limit of 0 events is not allowed; use 1 to 100000000000",
        "dur: a run of 0ns is not allowed; use 1us to 3600s",
        "w: hogs (number 1): count=0 is not allowed; use 1 \u{2026} 4096",
        "w: hogs (number 2): cpu=16, but the machine has 16 CPUs; use 0 to 15 or another machine",
        "w: hogs (number 3) has not one value for each of its parameters",
    ];
    assert_eq!(words(&config), expected);
}

#[test]
fn what_a_link_may_say_can_still_contradict_itself() {
    assert_eq!(
        problems("w=none"),
        ["w: nothing runs; add a workload such as hackbench"]
    );
    assert_eq!(
        problems("m=q6600&w=tcp_rr(client=0,server=5)"),
        [
            "w: tcp_rr (number 1): server=5, but the machine has 4 CPUs; use 0 to 3 or another machine"
        ]
    );
    assert_eq!(
        problems("w=hackbench(groups=512,fan=256)"),
        ["w: 262145 tasks are too many; make do with 65536 in all"]
    );
    assert_eq!(
        problems("hz=10000&dur=3600s&w=hogs"),
        ["dur: the run would take 576000000 timer ticks; shorten it to 3125s or lower hz"]
    );
}

#[test]
fn groups_and_tasks_that_cannot_be_are_told_and_what_to_do() {
    let mut config = Config::default();
    let group = |name: &str, parent: Option<&str>| GroupSpec {
        parent: parent.map(String::from),
        ..GroupSpec::new(name)
    };
    config.groups = alloc::vec![
        group("A", Some("B")),
        group("B", None),
        group("B", None),
        group("C", Some("C"))
    ];
    config.groups[1].shares = 1;
    config.groups[1].quota = Some(Quota {
        quota: Nanos::from_millis(50),
        period: GroupSpec::PERIOD,
        burst: Nanos::ZERO,
    });
    config.workloads[0].group = Some("D".into());
    let text = "task a in E cpus 16-17 exit";
    config.script = crate::workload::lang::parse(text, &[]).script;
    let expected = [
        "g: A is in B, which is no group that comes before it",
        "g: B: 1 shares are not allowed; use 2 to 262144",
        "g: B has a quota, but 2.6.32-rc1 knows none: CFS bandwidth came with 3.2; take it out, or use a newer kernel",
        "g: two groups are called B; rename one",
        "g: C is in C, which is no group that comes before it",
        "w: task a may run on 16-17 only, but the machine has 16 CPUs; use 0 to 15 or another machine",
        "w: there is no group E; declare it, or take it out",
        "w: there is no group D; declare it, or take it out",
    ];
    assert_eq!(words(&config), expected);
    config.groups = (0..300)
        .map(|n| group(&alloc::format!("g{n}"), None))
        .collect();
    assert_eq!(
        words(&config)[0],
        "g: 300 groups are too many; make do with 256"
    );
    config.groups.truncate(18);
    for n in 1..18 {
        config.groups[n].parent = Some(alloc::format!("g{}", n - 1));
    }
    assert_eq!(
        words(&config)[0],
        "g: g16 is inside too many groups; make do with 16"
    );
}

#[test]
fn the_phase_is_within_a_tick() {
    let late = Config {
        phase: Nanos::from_millis(1),
        ..Config::default()
    };
    assert_eq!(
        words(&late),
        ["phase: the first tick at 1ms is a whole period late; use less than 1ms"]
    );
}

#[test]
fn settings_without_effect_are_not_in_the_canonical_form() {
    let mut config = Config {
        hz: Some(Hz(1000)),
        skew_tick: Some(true),
        ..Config::default()
    };
    config.features.insert(Feature::StartDebit, true);
    config.tunables.insert(Tunable::SchedLatency, 25_000_000);
    config
        .sd_flags
        .insert((Level::Mc, SdFlags::WAKE_AFFINE), true);
    assert_eq!(config.canonical(), Config::default());
    assert_eq!(config.changes(), 0);
    config.tunables.insert(Tunable::SchedLatency, 20_000_000);
    config.set_delta(DeltaId(13), false);
    assert_eq!(config.changes(), 2);
}

#[test]
fn a_change_of_kernel_keeps_what_was_changed_and_drops_what_is_not_known() {
    let mut config = Config::default();
    config.set_delta(DeltaId(20), true);
    config.set_delta(DeltaId(13), false);
    config.features.insert(Feature::NextBuddy, true);
    config.features.insert(Feature::LastBuddy, false);
    config.set_kernel(kernel("2.6.31"));
    assert!(config.deltas.has(DeltaId(20)), "it was added");
    assert!(!config.deltas.has(DeltaId(1)), "2.6.31 has it not");
    assert!(config.features.get(&Feature::NextBuddy).is_none());
    assert!(config.features.get(&Feature::LastBuddy) == Some(&false));
}

#[test]
fn a_rule_comes_from_the_last_commit_that_sets_it() {
    let mut config = Config::default();
    let source = |config: &Config| config.source_of_rule("picker").map(|d| d.id);
    assert_eq!(source(&config), Some(DeltaId(13)));
    config.set_delta(DeltaId(21), true);
    assert_eq!(source(&config), Some(DeltaId(21)));
    config.set_kernel(kernel("2.6.31"));
    config.set_delta(DeltaId(21), false);
    assert_eq!(source(&config), None);
}

#[test]
fn a_scenario_has_everything_put_together() {
    let link = "m=q6600&f=NEXT_BUDDY&t=min_granularity:1ms&sd=-MC:WAKE_AFFINE&w=hogs&hz=250";
    let (config, _) = fragment::parse(link);
    let scenario = Scenario::try_from(&config).expect("a sound configuration");
    assert!(scenario.kernel.features.has(Feature::NextBuddy));
    let tunables = scenario.kernel.tunables;
    assert_eq!(tunables.sched_latency, 15_000_000, "scaled for 4 CPUs");
    assert_eq!(
        (tunables.min_granularity, tunables.nr_latency),
        (1_000_000, 15)
    );
    let has = |level: usize| {
        scenario.kernel.domains[level]
            .flags
            .has(SdFlags::WAKE_AFFINE)
    };
    assert!(!has(1) && has(2));
    assert_eq!(scenario.end.0, LIMITS.endless.0, "hogs never end");
    assert!(scenario.to_the_end);
    assert_eq!(scenario.world.templates.len(), 2);
}

#[test]
fn ticks_are_spread_over_half_a_period_or_come_together() {
    let ticks = |skewed| Ticks {
        hz: Hz(1000),
        phase: Nanos::ZERO,
        skewed,
        nohz: false,
        idle_before: false,
    };
    let offsets = |ticks: Ticks| [0, 1, 15].map(|cpu| ticks.offset(cpu, 16).0);
    assert_eq!(offsets(ticks(true)), [0, 31_250, 468_750]);
    assert_eq!(offsets(ticks(false)), [0, 0, 0]);
}

/// Worked example `eevdf/J5`.
#[test]
fn j5_shares_of_a_weight() {
    let shares = [100, 1, 10_000].map(GroupSpec::shares_of_weight);
    assert_eq!(shares, [1024, 10, 102_400], "J5");
}
