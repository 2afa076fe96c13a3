//! Facts of the field that hold over long runs, under every kernel: what nice values and task groups share out.

use schedlab_engine::config::Scenario;
use schedlab_engine::fragment;
use schedlab_engine::observe::metrics::Metrics;
use schedlab_engine::sched::profile::PROFILES;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;

/// What part of one CPU each task of an experiment had, millionths.
fn shares(kernel: &str, experiment: &str) -> Vec<u64> {
    let link = format!("k={kernel}&m=classroom-1&{experiment}");
    let (config, warnings) = fragment::parse(&link);
    assert_eq!(warnings, [], "{link}");
    let scenario = Scenario::try_from(&config).expect("a sound experiment");
    let mut sim = Sim::new(&scenario);
    let mut metrics = Metrics::new(sim.cast());
    sim.run_until(Instant::FAR, &mut metrics);
    let report = metrics.report(sim.totals());
    let all: u64 = report.tasks.iter().map(|t| t.cpu_ns).sum();
    report
        .tasks
        .iter()
        .map(|t| t.cpu_ns * 1_000_000 / all)
        .collect()
}

/// The weights of nice −20 … 19 (kernel/sched.c: `prio_to_weight`).
const WEIGHTS: [u64; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906, 3121, 2501, 1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87,
    70, 56, 45, 36, 29, 23, 18, 15,
];

/// The share of `nice` beside `other`, by weight.
fn by_weight(nice: i64, other: i64) -> u64 {
    let weight = |nice: i64| WEIGHTS[(nice + 20) as usize];
    1_000_000 * weight(nice) / (weight(nice) + weight(other))
}

fn near(kernel: &str, what: &str, (is, should): (u64, u64), tolerance: u64) {
    let off = is.abs_diff(should);
    assert!(
        off <= tolerance,
        "{kernel}, {what}: {is} instead of {should} ppm"
    );
}

#[test]
fn nice_0_has_three_quarters_beside_nice_5() {
    assert_eq!(by_weight(0, 5), 753_495, "75.35 %");
    for kernel in PROFILES {
        let got = shares(kernel.name, "w=hogs(count=1);hogs(count=1,nice=5)&dur=60s");
        near(
            kernel.name,
            "nice 0 beside nice 5",
            (got[0], by_weight(0, 5)),
            500,
        );
    }
}

#[test]
fn one_step_of_nice_is_55_to_45_at_every_level() {
    for kernel in PROFILES {
        for nice in -20..19 {
            let pair = format!(
                "w=hogs(count=1,nice={nice});hogs(count=1,nice={})&dur=20s",
                nice + 1
            );
            let got = shares(kernel.name, &pair)[0];
            near(kernel.name, &pair, (got, by_weight(nice, nice + 1)), 1_500);
            near(kernel.name, &pair, (got, 555_000), 15_000);
        }
    }
}

#[test]
fn a_group_of_four_hogs_has_no_more_than_a_group_of_one() {
    for kernel in PROFILES {
        let got = shares(
            kernel.name,
            "g=A;B&w=hogs(count=4,in=A);hogs(count=1,in=B)&dur=30s",
        );
        let four: u64 = got[..4].iter().sum();
        near(kernel.name, "four beside one", (four, 500_000), 1_000);
        for hog in &got[..4] {
            near(kernel.name, "one of four", (*hog, 125_000), 1_000);
        }
    }
}

/// Three to one by weight, whatever the groups hold.
#[test]
fn groups_share_by_their_weights() {
    for kernel in PROFILES {
        let experiment = "g=A(weight=300);B&w=hogs(count=2,in=A);hogs(count=3,in=B)&dur=30s";
        let got = shares(kernel.name, experiment);
        let first: u64 = got[..2].iter().sum();
        near(
            kernel.name,
            "weight 300 beside 100",
            (first, 750_000),
            1_500,
        );
    }
}
