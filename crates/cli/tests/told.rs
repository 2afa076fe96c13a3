//! What reports, lists and explanations say: that it is what is in force, complete, and not endless.

mod common;

use common::out;
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&out(args)).expect("output is JSON")
}

const LIMITED: &str =
    "k=6.1&m=classroom-1&g=A(quota=20ms)&w=hogs(in=A,count=2);hogs(count=1)&dur=1s";

#[test]
fn a_quota_is_reported_with_what_it_did() {
    let text = out(&["run", LIMITED]);
    for part in [
        "A: 1024 shares, at most 20ms of each 100ms (20.0 % of a CPU)",
        "Groups with a quota",
        "throttled for",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let run = json(&["run", "--json", LIMITED]);
    let group = &run["config"]["groups"][0];
    assert_eq!(
        (group["quota_ns"].as_u64(), group["period_ns"].as_u64()),
        (Some(20_000_000), Some(100_000_000))
    );
    let of = |name: &str| run["quotas"][0][name].as_u64().expect("a number");
    assert_eq!(run["quotas"][0]["group"], "A");
    // On one CPU the two hogs of the group use the quota up in each period.
    assert!((9..=10).contains(&of("nr_throttled")), "{run}");
    assert!((9..=11).contains(&of("throttles")), "{run}");
    assert!(of("nr_periods") >= of("nr_throttled"));
    // They share the CPU with the third: it takes them 30 to 40 ms of the 100.
    assert!((500_000_000..800_000_000).contains(&of("throttled_ns")));
    // A task of the group waits while it is throttled.
    let waits = run["tasks"]["hog 0"]["longest_wait_ns"].as_u64();
    assert!(waits > Some(50_000_000), "{run}");
    let unlimited = json(&["run", "--json", "w=hogs&dur=1ms"]);
    assert_eq!(unlimited["quotas"].as_array().map(Vec::len), Some(0));
}

/// Three hogs on a CPU are never woken: they wait for slices, and that counts.
#[test]
fn a_wait_after_a_preemption_is_the_longest() {
    let run = json(&["run", "--json", "m=classroom-1&w=hogs(count=3)&dur=1s"]);
    let hog = &run["tasks"]["hog 1"];
    let woken = hog["wake_to_run_ns"]["n"].as_u64();
    assert_eq!(woken, Some(1), "its fork alone");
    let of = |name: &str| hog[name].as_u64().expect("a number");
    // Two thirds of a second, one or two slices of the others at a time.
    assert!((600_000_000..=700_000_000).contains(&of("waited_ns")));
    assert!(of("longest_wait_ns") < of("waited_ns") / 10);
    assert!(of("waited_ns") + of("cpu_ns") > 999_000_000);
}

#[test]
fn a_feature_that_is_off_is_described_as_off() {
    let text = out(&["run", "f=NO_WAKEUP_PREEMPT,NEXT_BUDDY&w=hogs&dur=1ms"]);
    assert!(text.contains("NO_WAKEUP_PREEMPT: No woken task preempts"));
    assert!(text.contains(" NEXT_BUDDY: The task woken last is picked next"));
    let list = out(&["list", "features"]);
    assert!(list.contains("NO_HRTICK: Slices end at the tick."));
}

#[test]
fn parts_that_are_outlines_are_marked_as_such() {
    let kernels = out(&["list", "kernels"]);
    let kernels: Vec<&str> = kernels.split_whitespace().collect();
    let kernels = kernels.join(" ");
    assert!(kernels.contains("in outline: load balancing, energy-aware placement, bandwidth"));
    let outlines = out(&["list", "outlines"]);
    assert!(outlines.contains("bandwidth [outline]"));
    assert!(outlines.contains("throttle_cfs_rq"), "with citations");
    let both = json(&["list", "--json"]);
    assert_eq!(both["kernels"][0]["outlines"][1], "real-time tasks");
    assert_eq!(both["outlines"].as_array().map(Vec::len), Some(7));
}

/// The kernel of a domain decides what it is called.
#[test]
fn domains_are_called_as_their_kernel_calls_them() {
    let explained = |kernel: &str| {
        let link = format!("m=q6600&k={kernel}&sd=-DIE:BALANCE_FORK&w=hackbench(groups=1)");
        let text = out(&["explain", &link, "--at", "1ms", "--cpu", "0"]);
        text + &out(&["run", &link])
    };
    let old = explained("2.6.31");
    assert!(!old.contains("DIE"), "{old}");
    assert!(old.contains("BALANCE_FORK cleared at CPU"));
    let late = explained("6.1");
    assert!(late.contains("BALANCE_FORK cleared at DIE"), "{late}");
    assert!(!late.contains("domain CPU") && !late.contains("at CPU:"));
}

/// All candidates of a pick are there, the running one too; long lists are cut, and say so.
#[test]
fn an_explanation_is_complete_but_not_endless() {
    let few = out(&[
        "explain",
        "m=classroom-1&k=6.1&w=hogs(count=3)",
        "--at",
        "50ms",
    ]);
    let queue = few.split_once("3 runnable\n").expect("a queue").1;
    let listed = queue.lines().take_while(|line| line.contains("weight"));
    assert_eq!(listed.count(), 3, "{few}");
    assert!(queue.contains("running"));
    let grouped = out(&["explain", LIMITED, "--at", "100ms"]);
    assert!(grouped.contains("group A"), "{grouped}");
    let many = out(&[
        "explain",
        "m=classroom-1&w=hogs(count=100)",
        "--at",
        "500ms",
    ]);
    assert!(
        many.contains("100 runnable") && many.contains("and 68 more"),
        "{many}"
    );
    let moves = [
        "explain",
        "k=6.1&w=hogs(count=2000)",
        "--at",
        "0",
        "--cpu",
        "3",
    ];
    let lines = out(&moves).lines().count();
    assert!(lines < 400, "{lines} lines");
}

/// Nothing of the catalog draws, but the dice of 6.1y do, and so do distributions.
#[test]
fn the_seed_drives_what_is_said_to_be_random() {
    let hash = |link: &str, seed: u8| {
        let link = format!("{link}&seed={seed}");
        json(&["run", "--json", &link])["hash"].clone()
    };
    let differs = |link: &str| hash(link, 1) != hash(link, 2);
    for workload in ["hackbench(groups=2,loops=5)", "tcp_rr", "hogs", "sleeper"] {
        let link = format!("dur=20ms&w={workload}");
        assert!(!differs(&link), "{workload}");
    }
    assert!(differs("k=6.1y&w=hackbench(groups=2,loops=20)"));
    assert!(differs(
        "dur=20ms&w=(task+a*3+forever(run+1ms..3ms;sleep+1ms))"
    ));
}
