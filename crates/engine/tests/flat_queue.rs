//! 7.3, where the tasks of all groups compete in one queue, against what recordings of that kernel show
//! (`7.3/up/h_cg_1v3`, `h_cg_root_mix`, `a_slices_4_20_20_hr`).

mod lab;

use lab::{read, run, share};

fn kernel_7_3(text: &str) -> String {
    format!("kernel 7.3\nmachine qemu-1\nduration 1500ms\n{text}")
}

/// Roles have so many thousandths of all CPU time, within a percentage point.
fn shares(text: &str, expected: &[(&str, u64)]) {
    let text = kernel_7_3(text);
    let (report, sim) = run(&read(&text, &text));
    for (role, should) in expected {
        let is = share(&report, &sim, role);
        assert!(
            is.abs_diff(*should) <= 10,
            "{role}: {is} instead of {should}"
        );
    }
}

#[test]
fn a_lone_hog_has_as_much_as_a_group_of_three() {
    shares(
        "tunable base_slice 3ms
        feature -HRTICK
        group A
        group B
        task a in A run forever
        task b0 in B run forever
        task b1 in B run forever
        task b2 in B run forever",
        &[("a", 499), ("b0", 167), ("b1", 167), ("b2", 167)],
    );
}

#[test]
fn a_group_of_three_times_the_weight_has_three_quarters_though_parts_are_out_of_date() {
    shares(
        "tunable base_slice 3ms
        feature -HRTICK
        group A weight 300
        task a * 2 in A run forever
        task r run forever
        task slp in A {
            forever {
                timer 10ms
                run 1ms
            }
        }",
        &[("r", 259)],
    );
}

/// Equal weights: who has had 4 ms more than the other is no longer eligible, which ends its protection. A short slice
/// decides only among those that are.
#[test]
fn hogs_with_unlike_slices_take_turns_of_a_tick() {
    for (long, short, hrtick) in [("20ms", "4ms", "-"), ("50ms", "500us", "+")] {
        let text = kernel_7_3(&format!(
            "feature {hrtick}HRTICK
            task long slice {long} run forever
            task short slice {short} run forever"
        ));
        let (report, sim) = run(&read(&text, &text));
        assert!(share(&report, &sim, "long").abs_diff(500) <= 10, "{text}");
        for task in &report.tasks {
            let run = task.run.as_ref().map_or(0, |run| run.p50);
            assert!(run.abs_diff(4_000_000) < 100_000, "{text}: {run}");
        }
    }
}
