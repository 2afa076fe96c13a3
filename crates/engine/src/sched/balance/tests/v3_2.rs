//! What 3.2 does otherwise than 2.6.32: T130, and who may pull what from where.

use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::balance::busiest::find_busiest_queue;
use crate::sched::balance::{Attempt, Balanced};
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy};
use crate::sched::sd_flags::Level;
use crate::sched::test_machines::{kernel, load, on, sleeper};
use crate::task::Policy;
use crate::time::Instant;
use alloc::vec::Vec;

const MS: u64 = 1_000_000;

fn machine(name: &str) -> Sched {
    on(name, &kernel("3.2", &[]))
}

fn at(balanced: &Balanced, level: Level) -> Attempt {
    let mut attempts = balanced.attempts.iter();
    *attempts.find(|a| a.level == level).expect("due")
}

/// Everything ran long ago, by the clocks that count.
fn cool(s: &mut Sched) {
    for cpu in 0..s.rq.len() {
        s.update_rq_clock(CpuId(cpu as u16), Instant(10 * MS));
    }
}

#[test]
fn t130_short_idle_periods_keep_a_cpu_from_looking() {
    let seen = |avg_idle| {
        let mut s = machine("q6600");
        load(&mut s, 1, 3);
        cool(&mut s);
        s.rq[0].avg_idle = avg_idle;
        let got = s.idle_balance(CpuId(0));
        let whys: Vec<_> = got.attempts.iter().map(|a| a.why).collect();
        (whys, got.visited, s.rq[0].idle_stamp)
    };
    let idle_since = Some(10 * MS);
    let skipped = (alloc::vec![BalanceWhy::Throttled], 0, idle_since);
    assert_eq!(seen(499_999), skipped, "cfs/T130");
    let searched = (alloc::vec![BalanceWhy::Pulled], 2, None);
    assert_eq!(seen(500_000), searched, "cfs/T130, and it did not go idle");
}

/// cfs.md §17.4: at first 1 ms; an idle period that a wakeup ends counts one eighth, at most 1 ms of it.
#[test]
fn idle_periods_are_averaged_at_wakeups() {
    let mut s = machine("q6600");
    assert_eq!(s.rq[0].avg_idle, MS);
    let mut idle_for = |ns: u64| {
        let since = s.rq[0].clock;
        let _ = s.idle_balance(CpuId(0));
        s.update_rq_clock(CpuId(0), Instant(since + ns));
        let task = sleeper(&mut s, 0);
        s.activate_task(task, true);
        s.deactivate_task(task, true);
        s.rq[0].avg_idle
    };
    assert_eq!(idle_for(200_000), 900_000);
    assert_eq!(idle_for(999_999), 912_499);
    assert_eq!(idle_for(MS + 1), MS, "a long one sets it to the longest");
    assert_eq!(idle_for(0), 875_000);
}

/// cfs.md §17.4: a failed pull and a busy hardware thread no longer end the search.
#[test]
fn a_newly_idle_search_goes_on_after_a_failure() {
    let mut s = machine("q6600");
    load(&mut s, 1, 3);
    load(&mut s, 2, 6);
    let got = s.idle_balance(CpuId(0));
    let levels: Vec<_> = got.attempts.iter().map(|a| (a.level, a.why)).collect();
    let hot = BalanceWhy::AllHotOrPinned;
    assert_eq!(levels, [(Level::Mc, hot), (Level::Cpu, hot)]);
    let failed = [0, 1].map(|i| s.rq[0].sd[i].nr_balance_failed);
    assert_eq!(failed, [0, 0], "a newly idle CPU's failures do not count");

    let mut s = machine("nehalem-ep-2x4x2");
    load(&mut s, 8, 1);
    load(&mut s, 1, 3);
    cool(&mut s);
    let got = s.idle_balance(CpuId(0));
    assert_eq!(at(&got, Level::Mc).why, BalanceWhy::Pulled);
}

/// cfs.md §17.2: it doubles and resets the interval as any other attempt does.
#[test]
fn a_newly_idle_search_changes_the_interval() {
    let mut s = machine("q6600");
    let _ = s.idle_balance(CpuId(0));
    assert_eq!(s.rq[0].sd[0].balance_interval, 2);
    load(&mut s, 1, 3);
    cool(&mut s);
    let _ = s.idle_balance(CpuId(0));
    assert_eq!(s.rq[0].sd[0].balance_interval, 1);
}

/// cfs.md §17.3: an idle CPU leaves a group alone that has no task waiting and as many idle CPUs, to within one.
#[test]
fn idle_cpus_are_spread_to_within_one() {
    let why = |tasks: [usize; 4]| {
        let mut s = machine("q6600");
        for (cpu, n) in tasks.into_iter().enumerate() {
            load(&mut s, cpu as u16, n);
        }
        at(
            &s.rebalance_domains(CpuId(0), 1, IdleType::Idle),
            Level::Cpu,
        )
        .why
    };
    assert_eq!(why([0, 1, 1, 1]), BalanceWhy::IdleSpread);
    assert_eq!(
        why([0, 0, 1, 1]),
        BalanceWhy::LoneTask,
        "two idle, none there"
    );
    assert_eq!(why([0, 0, 2, 0]), BalanceWhy::AllHotOrPinned, "imbalanced");
}

/// cfs.md §15: capacity is cut to one by `SD_PREFER_SIBLING` only while this group has room.
#[test]
fn a_full_group_does_not_ask_others_to_spread() {
    let why = |here: usize| {
        let mut s = machine("q6600");
        for (cpu, n) in [here, here, 1, 1].into_iter().enumerate() {
            load(&mut s, cpu as u16, n);
        }
        let _ = s.rebalance_domains(CpuId(0), 1, IdleType::NotIdle);
        at(
            &s.rebalance_domains(CpuId(0), 64, IdleType::NotIdle),
            Level::Cpu,
        )
        .why
    };
    assert_eq!(why(1), BalanceWhy::NoBusiestGroup);
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    for cpu in 0..4 {
        load(&mut s, cpu, 1);
    }
    let _ = s.rebalance_domains(CpuId(0), 1, IdleType::NotIdle);
    let got = s.rebalance_domains(CpuId(0), 64, IdleType::NotIdle);
    assert_eq!(at(&got, Level::Cpu).why, BalanceWhy::ThisBusier, "2.6.32");
}

/// cfs.md §17.3: 3.2 compares the imbalance with the weight that would move, not with what its CPU makes of it: a
/// thread's only task of 1024 is no more than 1024, though its load is 1780.
#[test]
fn a_threads_only_task_is_compared_unscaled() {
    let queue = |profile| {
        let mut s = on("nehalem-ep-2x4x2", &kernel(profile, &[]));
        load(&mut s, 1, 1);
        let d = s.domains.at(CpuId(1), 1).expect("MC");
        find_busiest_queue(&s, d.local(), 1024, Some(&CpuMask::just(CpuId(1))))
    };
    assert_eq!(queue("3.2"), Some(CpuId(1)));
    assert_eq!(queue("2.6.32"), None);
}

/// cfs.md §16: a `SCHED_IDLE` task is never hot.
#[test]
fn sched_idle_tasks_are_cold() {
    let hot = |profile| {
        let mut s = on("q6600", &kernel(profile, &[]));
        load(&mut s, 1, 1);
        let p = sleeper(&mut s, 1);
        s.tasks[p.index()].policy = Policy::Idle;
        s.activate_task(p, false);
        s.task_hot(p, MigrateWhy::Periodic, CpuId(0))
    };
    assert!(hot("2.6.32"));
    assert!(!hot("3.2"));
}

/// Where the search for tasks looks at 33, 3.2 goes round again as long as something moves.
#[test]
fn a_pull_goes_round_again() {
    let mut s = machine("q6600");
    load(&mut s, 1, 90);
    cool(&mut s);
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    assert_eq!(at(&got, Level::Mc).why, BalanceWhy::Pulled);
    assert_eq!(got.moved.len(), 45);
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 1, 90);
    cool(&mut s);
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    assert_eq!(got.moved.len(), 33);
}
