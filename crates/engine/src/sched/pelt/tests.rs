//! Tracked load: the arithmetic by its worked example, and what becomes of it as tasks run, sleep and move.

use super::*;
use crate::machine::topology::TopologySpec;
use crate::machine::{CpuId, CpuMask};
use crate::sched::features::Feature;
use crate::sched::rq::GroupId;
use crate::sched::test_machines::{flat, kernel, shaped, sleeper};
use crate::sched::{Sched, TaskSpec};
use crate::task::{Nice, Policy, TaskId};
use crate::time::Instant;

const MS: u64 = 1_000_000;
const PERIOD: u64 = 1 << 20;
const A: CpuId = CpuId(0);
const B: CpuId = CpuId(1);

#[test]
fn t138_what_is_left_after_periods() {
    let left = [1, 16, 32, 64].map(|n| decay_load(1024, n));
    assert_eq!(left, [1002, 724, 511, 255], "cfs/T138");
    assert_eq!(decay_load(u64::MAX >> 1, 32 * 63 + 1), 0);
}

#[test]
fn full_periods_tend_to_the_greatest_sum() {
    let mut avg = SchedAvg::default();
    let full = Since {
        load: 1,
        runnable: 1,
        running: true,
    };
    for n in 1..=2000 {
        avg.update_sums(n * PERIOD, full);
    }
    avg.update_averages(1024);
    assert!(avg.load_sum.abs_diff(avg.divider()) <= 32, "{avg:?}");
    assert!((1022..=1024).contains(&avg.util_avg), "{avg:?}");
    // In one step it comes to the same but for rounding.
    let mut once = SchedAvg::default();
    once.update_sums(2000 * PERIOD, full);
    assert!(once.load_sum.abs_diff(avg.load_sum) <= 32, "{once:?}");
}

/// Worked examples `eevdf/J6` to `J8`.
#[test]
fn j6_to_j8_a_period_at_a_time() {
    assert_eq!(
        (decay_load(1024, 32), decay_load(47_742, 32)),
        (511, 23_870),
        "J6"
    );
    let runs = Since {
        load: 1,
        runnable: 1,
        running: true,
    };
    let mut avg = SchedAvg::default();
    let mut after = |n: u64, since: Since| {
        avg.update_sums(n * PERIOD, since);
        avg.update_averages(1024);
        avg.util_avg
    };
    let told = (1..=345).map(|n| after(n, runs));
    let told: Vec<u64> = told.collect();
    let j7 = [1, 4, 8, 16, 32, 64, 128, 345].map(|n| told[n - 1]);
    assert_eq!(j7, [21, 85, 163, 300, 512, 768, 960, 1024], "J7");
    assert_eq!(after(345 + 32, Since::default()), 512, "J8");
}

fn two_cpus() -> Sched {
    flat(2, &kernel("6.1", &[]))
}

/// Ticks of `cpu` each ms up to `until`.
fn tick(s: &mut Sched, cpu: CpuId, until: u64) {
    let from = s.rq[cpu.index()].clock / MS + 1;
    for ms in from..=until {
        s.update_rq_clock(cpu, Instant(ms * MS));
        let _ = s.task_tick(cpu);
    }
}

fn sleep(s: &mut Sched, cpu: CpuId) -> TaskId {
    let task = s.rq[cpu.index()].curr.expect("runs");
    s.begin_schedule(cpu);
    s.deactivate_task(task, true);
    s.put_prev_task(cpu);
    let _ = s.pick_next_task(cpu);
    task
}

/// A task that has run for a second on CPU 0.
fn veteran(s: &mut Sched) -> TaskId {
    let task = sleeper(s, 0);
    let _ = s.wake_up_new_task(task, A);
    let _ = s.pick_next_task(A);
    tick(s, A, 1000);
    task
}

#[test]
fn a_task_that_always_runs_is_all_of_its_cpu() {
    let mut s = two_cpus();
    let task = veteran(&mut s);
    assert!((1020..=1024).contains(&s.cpu_util(A)), "{}", s.cpu_util(A));
    assert!((1020..=1024).contains(&s.task_util(task)));
    assert!((1020..=1024).contains(&s.cpu_load(A)), "{}", s.cpu_load(A));
    assert!((1020..=1024).contains(&s.task_h_load(task)));
    assert_eq!((s.cpu_load(B), s.cpu_util(B)), (0, 0));
}

/// A sleeping task stays part of its queue and fades there; its estimate does not.
#[test]
fn a_sleep_of_thirty_two_periods_leaves_half() {
    let mut s = two_cpus();
    let task = veteran(&mut s);
    assert_eq!(sleep(&mut s, A), task);
    s.update_rq_clock(A, Instant(1000 * MS + 32 * PERIOD));
    s.update_blocked_averages(A);
    assert!((508..=513).contains(&s.cpu_load(A)), "{}", s.cpu_load(A));
    assert!(
        (508..=513).contains(&s.cpu_util(A)),
        "not queued, so not estimated"
    );
    s.activate_task(task, true);
    assert!((508..=513).contains(&s.task_util(task)));
    assert!(
        (1020..=1024).contains(&s.cpu_util(A)),
        "estimated from before its sleep"
    );
    s.features = s.features.with(Feature::UtilEst, false);
    assert!((508..=513).contains(&s.cpu_util(A)), "NO_UTIL_EST");
}

/// Nothing is left on CPU 0 but what rounding leaves: a queue's sum is decayed in one piece, its entities' apart.
fn is_empty(s: &Sched) -> bool {
    s.cpu_load(A) <= 1 && s.cpu_util(A) <= 1
}

/// Woken elsewhere it leaves its part behind, which goes at the old queue's next update.
#[test]
fn a_wakeup_on_another_cpu_takes_the_load_along() {
    let mut s = two_cpus();
    let task = veteran(&mut s);
    let _ = sleep(&mut s, A);
    let before = s.cpu_load(A);
    s.set_task_cpu(task, B);
    assert_eq!(s.cpu_load(A), before, "nobody holds the old queue's lock");
    s.update_rq_clock(B, Instant(1000 * MS));
    s.activate_task(task, true);
    assert!(before - s.cpu_load(B) <= 1);
    s.update_blocked_averages(A);
    assert!(is_empty(&s));
}

#[test]
fn a_pulled_task_takes_its_load_off_at_once() {
    let mut s = two_cpus();
    let task = veteran(&mut s);
    s.put_prev_for_good(A);
    let before = (s.cpu_load(A), s.cpu_util(A));
    let _ = s.move_task(task, B);
    assert!(is_empty(&s));
    assert!(before.0 - s.cpu_load(B) <= 1 && before.1 - s.cpu_util(B) <= 1);
}

#[test]
fn a_task_that_ends_is_taken_off() {
    let mut s = two_cpus();
    let task = veteran(&mut s);
    let _ = sleep(&mut s, A);
    s.task_dead(task);
    s.update_blocked_averages(A);
    assert!(is_empty(&s));
}

#[test]
fn a_new_task_is_taken_to_use_half_of_what_is_left() {
    let mut s = two_cpus();
    let first = sleeper(&mut s, 0);
    let _ = s.wake_up_new_task(first, A);
    assert_eq!(s.task_util(first), 512);
    let second = sleeper(&mut s, 0);
    let _ = s.wake_up_new_task(second, A);
    assert_eq!(s.task_util(second), 256, "512 · 1024² / 1025 is more");
    assert_eq!(s.cpu_load(A), 2048);
}

#[test]
fn another_nice_value_weighs_the_same_past_anew() {
    let mut s = two_cpus();
    let task = veteran(&mut s);
    s.set_nice(task, Nice::new(5));
    assert!((333..=335).contains(&s.cpu_load(A)), "{}", s.cpu_load(A));
    assert!((1020..=1024).contains(&s.cpu_util(A)));
}

/// A group's entity, and the root queue, follow what its tasks do; each task's part is seen from the root.
#[test]
fn load_within_a_group_reaches_the_root() {
    let mut s = two_cpus();
    let group = s.new_group(GroupId(0), 2048);
    let task = sleeper(&mut s, 0);
    s.tasks[task.index()].group = group;
    s.set_task_cpu(task, B);
    s.set_task_cpu(task, A);
    let _ = s.wake_up_new_task(task, A);
    let _ = s.pick_next_task(A);
    tick(&mut s, A, 1000);
    assert!((1020..=1024).contains(&s.cpu_util(A)), "{}", s.cpu_util(A));
    assert!((2040..=2050).contains(&s.cpu_load(A)), "{}", s.cpu_load(A));
    assert!(
        (2030..=2050).contains(&s.task_h_load(task)),
        "{}",
        s.task_h_load(task)
    );
    let _ = sleep(&mut s, A);
    s.set_task_cpu(task, B);
    s.update_blocked_averages(A);
    assert!(s.cpu_util(A) <= 1, "what leaves the group leaves the root");
}

/// Time passes slower on a CPU that computes slower: no task there uses more than it can give.
#[test]
fn a_weak_cpu_is_full_at_its_capacity() {
    let spec = TopologySpec {
        cpus: 2,
        capacity: &[512, 1024],
        ..TopologySpec::default()
    };
    let mut s = shaped(&spec, &kernel("6.1", &[]));
    let _ = veteran(&mut s);
    assert_eq!(s.cpu_capacity(A), 512);
    assert!(s.pelt.cfs(CfsRqId(0)).avg.util_avg > 900, "it never idles");
    let early = {
        let mut s = shaped(&spec, &kernel("6.1", &[]));
        let task = sleeper(&mut s, 0);
        let _ = s.wake_up_new_task(task, A);
        let _ = s.pick_next_task(A);
        tick(&mut s, A, 64);
        s.pelt.cfs(CfsRqId(0)).avg.util_avg
    };
    // 64 ms there are 32 elsewhere: half of the way from 256 (half of its capacity) to 1024.
    assert!((600..=660).contains(&early), "{early}");
}

#[test]
fn older_kernels_track_nothing() {
    let s = flat(2, &kernel("2.6.32", &[]));
    assert!(s.pelt.se.is_empty() && s.pelt.cfs.is_empty());
}

/// A task that is there from the start of a run has slept for long: nothing of its averages is left. A new one counts as
/// if it had always been runnable.
#[test]
fn who_was_asleep_before_the_run_weighs_nothing() {
    for (vruntime, load) in [(None, 1024), (Some(0), 0)] {
        let mut s = two_cpus();
        let task = s.new_task(TaskSpec {
            nice: Nice::default(),
            policy: Policy::Normal,
            allowed: CpuMask::first(2),
            group: GroupId::default(),
            parent: None,
            vruntime,
        });
        s.activate_task(task, true);
        assert_eq!((s.cpu_load(A), s.task_h_load(task)), (load, load));
    }
}
