//! Fairness in reports: what it says of cases whose answer is known.

mod common;

use common::out;
use serde_json::Value;

const MS: i64 = 1_000_000;

/// What the run says of fairness, as JSON.
fn fairness(link: &str) -> Value {
    let run: Value = serde_json::from_str(&out(&["run", "--json", link])).expect("output is JSON");
    run["fairness"].clone()
}

/// By how much the worst window is off, ns.
fn deviation(fairness: &Value) -> i64 {
    let ns = fairness["worst"]["deviation_ns"].as_i64();
    ns.expect("there is a window")
}

/// One CPU and ticks of 4 ms: EEVDF lets nobody get ahead or fall behind by more than a slice (0.75 ms), and it notices the
/// end of one at the next tick.
#[test]
fn two_equal_hogs_are_off_by_no_more_than_a_slice_and_a_tick() {
    let found = fairness("k=6.12&m=classroom-1&w=hogs(count=2)&dur=1s");
    assert_eq!(found["slice_ns"], 750_000);
    assert_eq!(found["window_ns"], 75_000_000);
    // From some forty ns on, the first switch to a task, up to 1 s.
    let begun = 1_000_000_000 / 750_000 - 100 + 1;
    let windows = found["windows"].as_i64().expect("a number");
    assert!((2 * begun - 2..=2 * begun).contains(&windows), "{found}");
    assert_eq!(found["not_judged"], Value::Array(Vec::new()));
    assert!(deviation(&found).abs() <= 750_000 + 4 * MS, "{found}");
    let worst = &found["worst"];
    let ns = |field: &str| worst[field].as_i64().expect("ns");
    assert_eq!(
        ns("received_ns") - ns("ideal_ns"),
        ns("deviation_ns"),
        "{found}"
    );
    assert_eq!(ns("ideal_ns"), 75 * MS / 2, "half of the window");
    assert_eq!(ns("to_ns") - ns("from_ns"), 75 * MS, "a window");
    assert_eq!(worst["cpu"], 0);
}

/// Three to one, nearly: 1024 against 335, so that the heavy one has 1024/1359 of the window.
#[test]
fn ideal_shares_go_by_weight() {
    for kernel in ["6.12", "6.1", "2.6.32"] {
        let link = format!("k={kernel}&m=classroom-1&w=hogs(count=1)+hogs(count=1,nice=5)&dur=2s");
        let found = fairness(&link);
        let window = found["window_ns"].as_i64().expect("ns");
        let ideal = found["worst"]["ideal_ns"].as_i64().expect("ns");
        let (heavy, light) = (window * 1024 / 1359, window * 335 / 1359);
        assert!(
            [heavy, light].iter().any(|of| (ideal - of).abs() <= 1),
            "{kernel}: {found}"
        );
        // Rounds of CFS: the light one's turn is at most a tick long, the heavy one's three.
        assert!(deviation(&found).abs() <= 4 * 4 * MS, "{kernel}: {found}");
    }
}

/// CFS lets a hog run for a latency's share of 3 to 5 ms, noticed at the next tick.
#[test]
fn kernels_with_cfs_are_measured_by_their_minimal_granularity() {
    for (kernel, slice) in [("2.6.32", MS), ("6.1", 750_000)] {
        let found = fairness(&format!("k={kernel}&m=classroom-1&w=hogs(count=3)&dur=2s"));
        assert_eq!(found["slice_ns"], slice, "{kernel}");
        assert_eq!(found["window_ns"], 100 * slice, "{kernel}");
        assert!(deviation(&found).abs() <= 2 * 4 * MS, "{kernel}: {found}");
    }
}

/// Shares of all CPU time far apart, and yet each CPU treats its own fairly: what is measured is that.
#[test]
fn each_cpu_is_measured_by_itself() {
    let link = "k=6.12&m=q6600&w=hogs(count=2,cpu=0)+hogs(count=3,cpu=1)&dur=1s";
    let run: Value = serde_json::from_str(&out(&["run", "--json", link])).expect("JSON");
    let shares = run["tasks"].as_object().expect("tasks by name").values();
    let mut shares: Vec<f64> = shares.filter_map(|task| task["share"].as_f64()).collect();
    shares.sort_by(f64::total_cmp);
    assert!(
        shares.first() < Some(&0.17) && shares.last() > Some(&0.24),
        "{shares:?}"
    );
    assert!(
        deviation(&run["fairness"]).abs() <= 3 * MS + 4 * MS,
        "{run:#}"
    );
}

/// Without `PLACE_LAG` a sleeper comes back with nothing it was owed, and nothing it owes: the hog beside it is ahead by more
/// and more.
#[test]
fn a_switch_that_forgets_lag_shows() {
    let link = "k=6.12&m=classroom-1&w=hogs(count=1)+sleeper(run=2ms)&dur=1s";
    let with = deviation(&fairness(link));
    let without = deviation(&fairness(&format!("{link}&f=NO_PLACE_LAG")));
    assert!(with.abs() <= 750_000 + 4 * MS, "{with}");
    assert!(without > 2 * with.abs(), "{without} against {with}");
}

#[test]
fn the_report_says_how_fair_it_was_or_why_not() {
    let text = out(&["run", "k=6.12&m=classroom-1&w=hogs(count=2)&dur=1s"]);
    for part in [
        "\nFairness on each CPU, over 100 slices (75.0 ms)\n  largest deviation: hog ",
        " where its weight gives 37.5 ms, ",
        " of the\n      window ",
        " on CPU 0\n",
        " windows\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains("not judged"), "{text}");
    let alone = out(&["run", "k=6.12&m=classroom-1&w=hogs(count=1)&dur=1s"]);
    let words = "  no task deviates from its ideal share\n";
    assert!(alone.contains(words), "{alone}");
    let short = out(&["run", "k=6.12&m=classroom-1&w=hogs(count=2)&dur=70ms"]);
    let words = "  no task could run for 75.0 ms at a time\n";
    assert!(short.contains(words), "{short}");
}

#[test]
fn groups_are_not_judged_by_each_other_but_tasks_within_are() {
    let link =
        "k=6.12&m=classroom-1&g=A(weight=300);B&w=hogs(in=A,count=2)+hogs(in=B,count=2)&dur=1s";
    let text = out(&["run", link]);
    let words = "  not judged: groups among each other: what one weighs on a CPU follows averages of its load\n";
    assert!(text.contains(words), "{text}");
    let found = fairness(link);
    assert_eq!(found["not_judged"].as_array().map(Vec::len), Some(1));
    // Of three quarters of the CPU, or of one.
    assert!(deviation(&found).abs() <= 2 * 4 * MS, "{found}");
}

#[test]
fn nobody_is_judged_where_nice_values_change() {
    let link = "k=6.12&m=classroom-1&w=(task+a*2(run+10ms;nice+5;run+forever))&dur=1s";
    let text = out(&["run", link]);
    let words = "  not judged: nice values change while the run goes on, and no event tells when\n";
    assert!(text.contains(words), "{text}");
    let found = fairness(link);
    assert_eq!(
        (&found["windows"], &found["worst"]),
        (&0.into(), &Value::Null)
    );
    assert_eq!(found["not_judged"].as_array().map(Vec::len), Some(1));
}
