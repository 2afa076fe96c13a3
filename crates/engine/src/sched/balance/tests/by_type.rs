//! 6.1 and 6.5: T117, T127, T136 and T137 in their column, the types of groups and what follows from them (cfs.md §20,
//! eevdf.md §18 for what both have in common), unequal CPUs.

use crate::machine::topology::TopologySpec;
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::balance::{Attempt, Balanced};
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy, Migration};
use crate::sched::features::Feature;
use crate::sched::sd_flags::Level;
use crate::sched::test_machines::{flat, kernel, on, shaped, sleeper};
use crate::task::{Nice, TaskId};
use crate::time::{Hz, Instant};
use alloc::vec::Vec;

const MS: u64 = 1_000_000;
/// How long everything has run.
pub(super) const WARM: u64 = 400;

/// Eight CPUs with one cache.
pub(super) const ONE_CACHE: TopologySpec<'_> = TopologySpec {
    cpus: 8,
    smt: "",
    l2: "",
    llc: "0-7",
    packages: "",
    nodes: "",
    node_distance: &[],
    capacity: &[],
};

/// Two caches of four CPUs.
pub(super) const TWO_CACHES: TopologySpec<'_> = TopologySpec {
    llc: "0-3|4-7",
    ..ONE_CACHE
};

/// Adds that many hogs of a nice value to `cpu`, which nobody moves.
pub(super) fn hogs(s: &mut Sched, cpu: u16, n: usize, nice: i64) -> Vec<TaskId> {
    let new = (0..n).map(|_| {
        let task = sleeper(s, cpu);
        s.set_nice(task, Nice::new(nice));
        let _ = s.wake_up_new_task(task, CpuId(cpu));
        task
    });
    let new = new.collect();
    if s.rq[usize::from(cpu)].curr.is_none() {
        let _ = s.pick_next_task(CpuId(cpu));
    }
    new
}

/// Time passes on every CPU, so that averages arrive and caches cool.
pub(super) fn run(s: &mut Sched, ms: u64) {
    let from = s.rq[0].clock / MS;
    for ms in from + 1..=from + ms {
        for cpu in 0..s.rq.len() {
            let cpu = CpuId(cpu as u16);
            s.update_rq_clock(cpu, Instant(ms * MS));
            s.update_cpu_load(cpu);
            let _ = s.task_tick(cpu);
            s.update_blocked_averages(cpu);
        }
    }
}

/// That many nice-0 hogs on each CPU, all of which have run or waited for long.
pub(super) fn loaded(mut s: Sched, tasks: &[usize]) -> Sched {
    for (cpu, n) in tasks.iter().enumerate() {
        hogs(&mut s, cpu as u16, *n, 0);
    }
    run(&mut s, WARM);
    s
}

pub(super) fn at(balanced: &Balanced, level: Level) -> Attempt {
    let mut attempts = balanced.attempts.iter();
    *attempts.find(|a| a.level == level).expect("due")
}

/// An attempt of `cpu` at every level, each of them due.
fn balance(s: &mut Sched, cpu: u16, idle: IdleType) -> Balanced {
    let jiffies = s.jiffies + 10_000;
    s.rebalance_domains(CpuId(cpu), jiffies, idle)
}

fn moves(balanced: &Balanced) -> Vec<(u32, u16, u16)> {
    let moved = balanced.moved.iter();
    moved.map(|m| (m.task.0, m.from.0, m.to.0)).collect()
}

#[test]
fn t127_intervals_follow_the_span_and_are_never_multiples() {
    for profile in ["6.1", "6.5"] {
        let mut s = shaped(&ONE_CACHE, &kernel(profile, &[]));
        let d = |s: &Sched, idle| {
            let d = s.domains.at(CpuId(0), 0).expect("MC");
            s.balance_interval(CpuId(0), d, idle)
        };
        assert_eq!(s.rq[0].sd[0].balance_interval, 8);
        assert_eq!(d(&s, IdleType::Idle), 8, "cfs/T127 {profile} idle");
        assert_eq!(d(&s, IdleType::NotIdle), 127, "cfs/T127 {profile} busy");
        s.hz = Hz(250);
        assert_eq!(d(&s, IdleType::NotIdle), 31, "cfs/T127 {profile} HZ 250");
        let task = sleeper(&mut s, 0);
        s.tasks[task.index()].policy = crate::task::Policy::Idle;
        s.activate_task(task, false);
        assert_eq!(d(&s, IdleType::NotIdle), 2, "SCHED_IDLE is not busy");
    }
}

#[test]
fn t117_a_newly_idle_cpu_of_a_pair_takes_one_of_two_in_6_5() {
    let mut s = loaded(on("q6600", &kernel("6.5", &[])), &[0, 2]);
    s.rq[0].avg_idle = 10 * MS;
    let got = s.idle_balance(CpuId(0));
    let mc = at(&got, Level::Mc);
    assert_eq!((mc.why, mc.imbalance), (BalanceWhy::Pulled, 1), "cfs/T117");
    assert_eq!(moves(&got), [(1, 1, 0)], "cfs/T117: one task");
}

#[test]
fn t136_t137_cache_hot_in_6_5() {
    let hot = |ran_ago: u64, next: bool, puller_tasks: usize, level: usize| {
        let mut s = on("nehalem-ep-2x4x2", &kernel("6.5", &[]));
        hogs(&mut s, 0, puller_tasks, 0);
        let p = hogs(&mut s, 8, 2, 0)[1];
        s.rq[8].clock = ran_ago;
        s.fixture().buddies(CpuId(8), next.then_some(p), None);
        let d = s.domains.at(CpuId(0), level).expect("a domain");
        s.task_hot_by_type(p, CpuId(0), d)
    };
    assert!(hot(499_999, false, 1, 1), "cfs/T136");
    assert!(!hot(500_000, false, 1, 1), "cfs/T136");
    assert!(!hot(500_000, true, 0, 1), "cfs/T137 puller idle");
    assert!(hot(500_000, true, 1, 1), "cfs/T137 puller busy");
    assert!(!hot(0, true, 1, 0), "threads share their cache");
}

#[test]
fn within_a_cache_an_idle_cpu_takes_half_the_difference_in_tasks() {
    let mut s = loaded(shaped(&ONE_CACHE, &kernel("6.5", &[])), &[0, 5]);
    let got = balance(&mut s, 0, IdleType::Idle);
    let mc = at(&got, Level::Mc);
    assert_eq!(
        (mc.why, mc.kind, mc.imbalance),
        (BalanceWhy::Pulled, Migration::Task, 2)
    );
    assert_eq!(mc.visited, 8);
    // Those that ran longest ago: the first two that wait. The one taken last is put on its new queue first.
    assert_eq!(moves(&got), [(2, 1, 0), (1, 1, 0)]);
    assert!(got.moved.iter().all(|m| m.why == MigrateWhy::IdlePeriodic));
    assert_eq!(
        s.rq[0].sd[0].balance_interval, 8,
        "unbalanced: the shortest"
    );
}

#[test]
fn another_cache_with_something_to_spare_takes_utilisation() {
    let mut s = loaded(flat(4, &kernel("6.5", &[])), &[0, 2, 1, 1]);
    let got = balance(&mut s, 0, IdleType::Idle);
    let die = at(&got, Level::Cpu);
    assert_eq!((die.why, die.kind), (BalanceWhy::Pulled, Migration::Util));
    assert_eq!(die.imbalance, 1024, "all that CPU 0 can do");
    assert_eq!(got.moved.len(), 1);
}

/// 1 against 2 tasks: half of the difference to the average of 1.5, 512, is less than a task's 1024; a failure makes
/// it count half.
#[test]
fn a_busy_cpu_takes_load_after_a_failure() {
    let mut s = loaded(
        shaped(&ONE_CACHE, &kernel("6.5", &[])),
        &[1, 2, 1, 1, 1, 1, 1, 1],
    );
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mc = at(&balance(&mut s, 0, IdleType::NotIdle), Level::Mc);
        assert_eq!(mc.kind, Migration::Load);
        seen.push((mc.why, mc.imbalance / 16));
    }
    // (2048 − 1152) and (1152 − 1024), the average being 9 tasks on 8 CPUs: 128.
    assert_eq!(seen[0], (BalanceWhy::AllHotOrPinned, 128 / 16));
    assert_eq!(s.rq[0].sd[0].nr_balance_failed, 2);
    let whys = [(); 2].map(|()| at(&balance(&mut s, 0, IdleType::NotIdle), Level::Mc).why);
    assert_eq!(
        whys,
        [BalanceWhy::AllHotOrPinned, BalanceWhy::Pulled],
        "1024 >> 3 is 128"
    );
}

#[test]
fn a_busy_cpu_takes_nothing_from_a_group_that_is_not_overloaded() {
    let mut s = loaded(
        shaped(&TWO_CACHES, &kernel("6.5", &[])),
        &[1, 0, 0, 0, 1, 1, 0, 0],
    );
    let got = balance(&mut s, 0, IdleType::NotIdle);
    assert_eq!(
        at(&got, Level::Cpu).why,
        BalanceWhy::NotDesignated,
        "1 is idle"
    );
    s.rq[0].sd[1].last_balance = 0;
    let mut s = loaded(
        shaped(&TWO_CACHES, &kernel("6.5", &[])),
        &[1, 1, 1, 1, 1, 1, 1, 1],
    );
    let got = balance(&mut s, 0, IdleType::NotIdle);
    assert_eq!(at(&got, Level::Cpu).why, BalanceWhy::NotOverloaded);
}

/// Four hogs in one cache, none in the other: two are to move, but each CPU's only task runs, so that after
/// `cache_nice_tries` + 2 failures one is pushed.
#[test]
fn tasks_are_spread_over_caches_by_pushing_them() {
    let mut s = loaded(
        shaped(&TWO_CACHES, &kernel("6.5", &[])),
        &[0, 0, 0, 0, 1, 1, 1, 1],
    );
    let seen = [(); 4].map(|()| {
        let die = at(&balance(&mut s, 0, IdleType::Idle), Level::Cpu);
        assert_eq!((die.kind, die.imbalance), (Migration::Task, 2));
        die.why
    });
    let lone = BalanceWhy::LoneTask;
    assert_eq!(seen, [lone, lone, lone, BalanceWhy::Active]);
    assert_eq!(s.rq[4].push_cpu, Some(CpuId(0)));
    s.begin_schedule(CpuId(4));
    s.put_prev_for_good(CpuId(4));
    let got = s.active_load_balance(CpuId(4), CpuId(0));
    assert_eq!(moves(&got), [(0, 4, 0)]);
    assert_eq!(s.rq[0].sd[1].nr_balance_failed, 0);
    assert_eq!((s.rq[0].nr_running, s.rq[4].nr_running), (1, 0));
}

#[test]
fn idle_cpus_that_are_even_to_within_one_are_left_alone() {
    let why = |tasks: [usize; 8]| {
        let mut kernel = kernel("6.5", &[]);
        // Without SD_PREFER_SIBLING below, idle CPUs are compared instead of tasks.
        let mc = &mut kernel.domains[Level::Mc as usize];
        mc.flags = mc
            .flags
            .with(crate::sched::sd_flags::SdFlags::PREFER_SIBLING, false);
        let mut s = loaded(shaped(&TWO_CACHES, &kernel), &tasks);
        at(&balance(&mut s, 0, IdleType::Idle), Level::Cpu).why
    };
    assert_eq!(why([0, 0, 1, 0, 1, 1, 0, 0]), BalanceWhy::IdleSpread);
    assert_eq!(
        why([0, 0, 0, 0, 1, 1, 0, 0]),
        BalanceWhy::LoneTask,
        "one task to move"
    );
    assert_eq!(why([0, 0, 0, 0, 0, 0, 0, 0]), BalanceWhy::NoBusiestGroup);
}

/// A node of eight threads lets one task run alone beside two on the other (`imb_numa_nr` 1), but not four.
#[test]
fn a_node_keeps_a_pair_together() {
    let why = |n: usize| {
        let mut s = on("nehalem-ep-2x4x2", &kernel("6.5", &[]));
        for cpu in 0..n {
            hogs(&mut s, cpu as u16, 1, 0);
        }
        run(&mut s, WARM);
        at(&balance(&mut s, 4, IdleType::Idle), Level::Node).why
    };
    assert_eq!(why(2), BalanceWhy::NodeKeeps);
    assert_eq!(why(4), BalanceWhy::LoneTask);
}

/// A group whose CPUs have more than they can do is not filled further by one that has less.
#[test]
fn an_overloaded_group_takes_from_a_more_loaded_one_only() {
    let why = |here: usize, there: usize| {
        let s = shaped(&TWO_CACHES, &kernel("6.5", &[]));
        let mut s = loaded(s, &[here, here, here, here, there, there, there, there]);
        let die = at(&balance(&mut s, 0, IdleType::NotIdle), Level::Cpu);
        (die.why, die.imbalance / 64)
    };
    assert_eq!(why(3, 2).0, BalanceWhy::ThisBusier);
    assert_eq!(why(4, 4).0, BalanceWhy::ThisBusier);
    // 3 to 2 is more than 117 %: half a task for each of four CPUs.
    assert_eq!(why(2, 3), (BalanceWhy::Pulled, 2048 / 64));
}

#[test]
fn pinned_tasks_go_to_another_cpu_of_the_group_and_mark_the_level_above() {
    let mut s = shaped(&TWO_CACHES, &kernel("6.5", &[]));
    hogs(&mut s, 4, 6, 0);
    let pinned: CpuMask = [CpuId(1), CpuId(4)].into_iter().collect();
    for task in s
        .queued_tasks(crate::sched::rq::CfsRqId(4))
        .collect::<Vec<_>>()
    {
        s.set_allowed(task, pinned);
    }
    run(&mut s, WARM);
    let got = balance(&mut s, 0, IdleType::Idle);
    assert_eq!(at(&got, Level::Cpu).why, BalanceWhy::Pulled);
    assert!(
        got.moved.iter().all(|m| m.to == CpuId(1)),
        "{:?}",
        got.moved
    );

    // One that may run nowhere else keeps MC from its goal; DIE sees an imbalanced group and takes one of the others.
    let mut s = shaped(&TWO_CACHES, &kernel("6.5", &[]));
    let tasks = hogs(&mut s, 4, 3, 0);
    for task in &tasks[1..] {
        s.set_allowed(*task, CpuMask::just(CpuId(4)));
    }
    run(&mut s, WARM);
    let mc = at(&balance(&mut s, 5, IdleType::Idle), Level::Mc);
    assert_eq!(mc.why, BalanceWhy::AllHotOrPinned);
    let d = s.domains.at(CpuId(5), 1).expect("DIE");
    assert!(s.imbalanced[d.local().number as usize]);
}

/// 37 more than the average are to be moved; the tasks that would do weigh 15, less than `LB_MIN` lets go at first.
#[test]
fn with_lb_min_small_tasks_are_left_alone_at_first() {
    let whys = |on: bool| {
        let mut s = shaped(&ONE_CACHE, &kernel("6.5", &[]));
        s.features = s.features.with(Feature::LbMin, on);
        for cpu in 0..8 {
            hogs(&mut s, cpu, 1, 0);
        }
        hogs(&mut s, 1, 20, 19);
        run(&mut s, WARM);
        [(); 2].map(|()| at(&balance(&mut s, 0, IdleType::NotIdle), Level::Mc).why)
    };
    assert_eq!(whys(false)[0], BalanceWhy::Pulled);
    let small = [BalanceWhy::AllHotOrPinned, BalanceWhy::Pulled];
    assert_eq!(whys(true), small);
}

/// A hog of a CPU of 400 is taken to one of 1024, whatever else is to be done.
#[test]
fn a_task_that_is_too_much_for_its_cpu_is_pushed_to_a_stronger_one() {
    let spec = TopologySpec {
        capacity: &[400, 400, 400, 400, 1024, 1024, 1024, 1024],
        ..ONE_CACHE
    };
    let mut s = loaded(shaped(&spec, &kernel("6.5", &[])), &[0, 0, 1, 0, 0, 1]);
    assert!(s.rq[2].misfit_task_load > 0);
    // The strongest CPU is not enough for a hog either, but nobody can help it.
    assert!(s.rq[5].misfit_task_load > 0);
    let got = balance(&mut s, 4, IdleType::Idle);
    let mc = at(&got, Level::Mc);
    assert_eq!((mc.why, mc.kind), (BalanceWhy::Active, Migration::Misfit));
    assert_eq!(mc.busiest, Some(CpuId(2)));
    // A CPU as weak as that one does not help.
    let mut s = loaded(shaped(&spec, &kernel("6.5", &[])), &[0, 0, 1, 0, 0, 1]);
    let got = balance(&mut s, 0, IdleType::Idle);
    assert_ne!(at(&got, Level::Mc).kind, Migration::Misfit);
}

/// 91dcf1e8 (6.3): CPU 0's heavy task makes it carry more than the average, though less than CPU 1's two. It takes
/// nothing; before, what it lacks to the average wrapped, so that it took all that CPU 1 has above that.
#[test]
fn d45_a_full_group_above_the_average_takes_nothing() {
    let mc = |profile| {
        let mut s = shaped(&ONE_CACHE, &kernel(profile, &[]));
        hogs(&mut s, 0, 1, -5);
        hogs(&mut s, 1, 2, -4);
        for cpu in 2..8 {
            hogs(&mut s, cpu, 1, 5);
        }
        run(&mut s, WARM);
        at(&balance(&mut s, 0, IdleType::NotIdle), Level::Mc)
    };
    assert_eq!(mc("6.5").why, BalanceWhy::AboveAverage);
    let before = mc("6.1");
    assert_eq!(
        (before.why, before.kind),
        (BalanceWhy::Pulled, Migration::Load)
    );
}

/// A fact of the field: two hogs on the threads of one core spread to an idle one, by a push, as neither waits.
#[test]
fn two_hogs_on_one_core_spread_to_an_idle_one() {
    for profile in ["3.2", "6.1", "6.5"] {
        let mut s = on("nehalem-ep-2x4x2", &kernel(profile, &[]));
        hogs(&mut s, 0, 1, 0);
        hogs(&mut s, 8, 1, 0);
        run(&mut s, WARM);
        let attempts = (0..5).map(|_| at(&balance(&mut s, 1, IdleType::Idle), Level::Mc));
        let asked = attempts.filter(|a| a.why == BalanceWhy::Active).count();
        assert_eq!(asked, 1, "{profile}");
        let busiest = [0, 8].map(|cpu: usize| s.rq[cpu].push_cpu);
        assert_eq!(busiest, [Some(CpuId(1)), None], "{profile}");
        s.begin_schedule(CpuId(0));
        s.put_prev_for_good(CpuId(0));
        let got = s.active_load_balance(CpuId(0), CpuId(1));
        assert_eq!(moves(&got), [(0, 0, 1)], "{profile}");
    }
}

/// b1bfeab9b002: CPU 0 is idle, but the other thread of its core is not. CPU 1 is the first of an idle core.
#[test]
fn the_first_idle_core_of_6_6_balances_for_its_group() {
    for (profile, expected) in [("6.5", 0), ("6.6", 1)] {
        let designated = |cpu: u16| {
            let mut s = on("nehalem-ep-2x4x2", &kernel(profile, &[]));
            hogs(&mut s, 8, 1, 0);
            run(&mut s, WARM);
            let attempts = balance(&mut s, cpu, IdleType::Idle).attempts;
            let node = attempts.iter().find(|a| a.level == Level::Node);
            node.is_some_and(|a| a.why != BalanceWhy::NotDesignated)
        };
        let all: Vec<u16> = (0..4).filter(|cpu| designated(*cpu)).collect();
        assert_eq!(all, [expected], "{profile}");
    }
}

/// 2feab2492deb: as many tasks are looked at as `nr_migrate` says, though none of them may move.
#[test]
fn d103_a_search_among_pinned_tasks_ends() {
    let pulled = |changes: &[i8]| {
        let mut s = shaped(&ONE_CACHE, &kernel("6.6", changes));
        s.tunables.nr_migrate = 2;
        // The last to run is at the end that is looked at last.
        let tasks = hogs(&mut s, 1, 6, 0);
        for task in &tasks[..5] {
            s.set_allowed(*task, CpuMask::just(CpuId(1)));
        }
        run(&mut s, 1);
        balance(&mut s, 0, IdleType::Idle).moved.len()
    };
    assert_eq!([pulled(&[]), pulled(&[103])], [1, 0]);
}
