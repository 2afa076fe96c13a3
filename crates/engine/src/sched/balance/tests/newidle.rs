//! Newly idle CPUs of 6.1 and 6.5: when they look, what that costs, and the dice of the stable series (cfs.md §20,
//! cfs-checked.md §4).

use super::by_type::{ONE_CACHE, TWO_CACHES, WARM, at, hogs, loaded, run};
use crate::machine::CpuId;
use crate::sched::balance::Balanced;
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy};
use crate::sched::sd_flags::Level;
use crate::sched::test_machines::{kernel, on, shaped, sleeper};
use crate::sched::{Sched, SearchCost};
use crate::time::Instant;
use alloc::vec;
use alloc::vec::Vec;

const MS: u64 = 1_000_000;

#[test]
fn a_newly_idle_cpu_looks_only_if_some_cpu_has_two_tasks() {
    let mut s = loaded(shaped(&ONE_CACHE, &kernel("6.5", &[])), &[0, 1]);
    let whys = |got: &Balanced| got.attempts.iter().map(|a| a.why).collect::<Vec<_>>();
    let got = s.idle_balance(CpuId(0));
    assert_eq!(whys(&got), [BalanceWhy::NoOverload]);
    hogs(&mut s, 1, 1, 0);
    assert!(s.overload);
    run(&mut s, WARM);
    let got = s.idle_balance(CpuId(0));
    assert_eq!(whys(&got), [BalanceWhy::Pulled]);
    assert!(got.moved.iter().all(|m| m.why == MigrateWhy::NewIdle));
    assert_eq!(s.rq[0].idle_stamp, None, "it does not go idle");
    assert!(s.overload, "as the search saw it");
    assert_eq!(whys(&s.idle_balance(CpuId(2))), [BalanceWhy::NoneWaits]);
    assert!(!s.overload, "no CPU has two any more");
    assert_eq!(s.rq[2].idle_stamp, Some(s.rq[2].clock));
}

/// Kernels built to preempt are done with one task; one that is idle already takes what evens things out.
#[test]
fn a_newly_idle_cpu_takes_one_task() {
    for release in ["6.1", "6.5", "6.12", "7.3"] {
        let busy = || loaded(shaped(&ONE_CACHE, &kernel(release, &[])), &[0, 6]);
        // 7.3 leaves some searches to chance.
        let newly = [0, 2, 3, 4, 5, 6, 7].map(|cpu| {
            let mut s = busy();
            s.rq[usize::from(cpu)].avg_idle = 10 * MS;
            s.idle_balance(CpuId(cpu)).moved.len()
        });
        assert_eq!(newly.iter().max(), Some(&1), "{release}: {newly:?}");
        let due = busy().rebalance_domains(CpuId(0), 10_000, IdleType::Idle);
        assert!(due.moved.len() > 1, "{release}");
    }
}

/// A search that cost more than the CPU usually idles is not made; the cost fades by 3/256 a second.
#[test]
fn a_search_must_cost_less_than_the_cpu_idles() {
    let mut s = loaded(shaped(&TWO_CACHES, &kernel("6.5", &[])), &[0, 0, 0, 0, 2]);
    s.search_cost = SearchCost {
        base: 400,
        queue: 100,
    };
    s.rq[0].avg_idle = 800;
    let got = s.idle_balance(CpuId(0));
    let whys: Vec<_> = got.attempts.iter().map(|a| (a.level, a.why)).collect();
    assert_eq!(
        whys,
        [
            (Level::Mc, BalanceWhy::NoBusiestGroup),
            (Level::Cpu, BalanceWhy::Pulled)
        ]
    );
    let costs = [0, 1].map(|i| s.rq[0].sd[i].newidle.max_cost);
    assert_eq!(costs, [800, 1200]);
    assert_eq!(
        s.rq[0].max_idle_balance_cost, 500_000,
        "at least the migration cost"
    );

    hogs(&mut s, 4, 1, 0);
    s.rq[1].sd[0].newidle.max_cost = 800;
    s.rq[1].sd[1].newidle.max_cost = 1200;
    let why = |s: &mut Sched, avg_idle| {
        s.rq[1].avg_idle = avg_idle;
        let got = s.idle_balance(CpuId(1));
        got.attempts.iter().map(|a| a.why).collect::<Vec<_>>()
    };
    assert_eq!(why(&mut s, 799), [BalanceWhy::Throttled]);
    assert_eq!(why(&mut s, 1999)[1], BalanceWhy::Throttled);
    assert_ne!(why(&mut s, 2000)[1], BalanceWhy::Throttled);

    let later = s.jiffies + 1001;
    let _ = s.rebalance_domains(CpuId(1), later, IdleType::Idle);
    assert_eq!(s.rq[1].sd[0].newidle.max_cost, 800 * 253 / 256);
}

/// cfs.md §20: an average of idle periods, at most twice what searching costs.
#[test]
fn idle_periods_are_averaged_up_to_twice_the_cost_of_a_search() {
    let mut s = shaped(&ONE_CACHE, &kernel("6.5", &[]));
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
    assert_eq!(idle_for(1_700_000), MS);
    assert_eq!(idle_for(999_993), MS, "rounded towards zero");
}

/// cfs-checked.md §4: of 1024 faces, 1 + ratio + 1 let a search through, each of which counts for those it stands for.
#[test]
fn ni_random_searches_as_often_as_that_used_to_find_something() {
    let searched = |profile, ratio| {
        let mut s = loaded(shaped(&ONE_CACHE, &kernel(profile, &[])), &[0, 1]);
        s.seed_dice(7);
        let mut n = 0;
        for _ in 0..1000 {
            s.overload = true;
            s.rq[0].sd[0].newidle.ratio = ratio;
            let got = s.idle_balance(CpuId(0));
            n += u32::from(got.attempts[0].why != BalanceWhy::DiceLost);
        }
        (n, s.rq[0].sd[0].newidle.calls)
    };
    assert_eq!(
        searched("6.1", 0),
        (1000, 512),
        "no dice in 6.1, and nothing is counted"
    );
    assert_eq!(searched("6.1y", 1024).0, 1000);
    let (half, calls) = searched("6.1y", 512);
    assert!((450..=550).contains(&half), "{half}");
    assert_eq!(calls, 512 + 1000 - 512, "halved once");
    assert!(searched("6.1y", 0).0 < 10);
    let mut s = loaded(shaped(&ONE_CACHE, &kernel("6.1y", &[])), &[0, 3]);
    s.rq[0].sd[0].newidle.ratio = 255;
    s.rq[0].dice = 0;
    while s.idle_balance(CpuId(0)).moved.is_empty() {}
    let state = s.rq[0].sd[0].newidle;
    assert_eq!(
        state.successes,
        256 + 4,
        "one of 256 in 1024 stands for four"
    );
}

#[test]
fn newly_idle_cpus_look_at_every_level() {
    let mut s = loaded(
        on("nehalem-ep-2x4x2", &kernel("6.1", &[])),
        &[0, 0, 0, 0, 3],
    );
    let got = s.idle_balance(CpuId(0));
    let levels: Vec<_> = got.attempts.iter().map(|a| a.level).collect();
    assert_eq!(levels, vec![Level::Sibling, Level::Mc, Level::Node]);
    assert_eq!(at(&got, Level::Node).why, BalanceWhy::Pulled);
}
