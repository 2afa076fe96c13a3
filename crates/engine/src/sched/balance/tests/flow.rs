//! What attempts leave behind: failures, intervals, the search of a newly idle CPU, active balancing.

use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::balance::{Attempt, Balanced};
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy};
use crate::sched::sd_flags::Level;
use crate::sched::test_machines::{kernel, load, on, sleeper};
use crate::task::TaskId;
use crate::time::Instant;
use alloc::vec::Vec;

const MS: u64 = 1_000_000;

fn at(balanced: &Balanced, level: Level) -> Option<Attempt> {
    balanced.attempts.iter().find(|a| a.level == level).copied()
}

/// Everything on `cpu` ran long ago.
fn cool(s: &mut Sched, cpus: &[u16]) {
    for cpu in cpus {
        s.update_rq_clock(CpuId(*cpu), Instant(10 * MS));
    }
}

/// T114's second half: 2.6.31 fails to pull the only task of each queue, and after `cache_nice_tries` + 2
/// failures has the busiest CPU push it.
#[test]
fn t114_failures_end_in_an_active_balance() {
    let mut s = on("q6600", &kernel("2.6.31", &[]));
    let running = load(&mut s, 2, 1).expect("a task");
    load(&mut s, 3, 1);
    let mut seen = Vec::new();
    let mut pushes = Vec::new();
    for jiffies in 1..=4 {
        let got = s.rebalance_domains(CpuId(0), jiffies, IdleType::Idle);
        seen.push(at(&got, Level::Cpu).expect("due").why);
        pushes.extend(got.active());
    }
    let lone = BalanceWhy::LoneTask;
    assert_eq!(seen, [lone, lone, lone, BalanceWhy::Active], "cfs/T114");
    assert_eq!(pushes, [CpuId(2)]);
    assert_eq!(s.rq[0].sd[1].nr_balance_failed, 2, "cache_nice_tries + 1");
    assert_eq!(s.rq[0].sd[1].balance_interval, 2, "it backs off");

    s.begin_schedule(CpuId(2));
    s.put_prev_task(CpuId(2));
    let got = s.active_load_balance(CpuId(2), CpuId(0));
    let moved: Vec<_> = got.moved.iter().map(|m| (m.task, m.to, m.why)).collect();
    assert_eq!(moved, [(running, CpuId(0), MigrateWhy::Active)]);
    assert_eq!(s.pick_next_task(CpuId(2)).task, None);
    assert!(s.rq[0].need_resched, "the idle CPU is asked to take it");
    assert_eq!(s.pick_next_task(CpuId(0)).task, Some(running));
}

#[test]
fn a_push_finds_nothing_if_the_task_has_gone() {
    let mut s = on("q6600", &kernel("2.6.31", &[]));
    let task = load(&mut s, 2, 1).expect("a task");
    s.deactivate_task(task, true);
    s.put_prev_task(CpuId(2));
    let got = s.active_load_balance(CpuId(2), CpuId(0));
    assert_eq!(got, Balanced::default());
}

#[test]
fn a_pull_takes_the_most_recently_enqueued_and_leaves_the_running_one() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 1, 3);
    cool(&mut s, &[0, 1]);
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    let pulled = at(&got, Level::Mc).expect("due");
    assert_eq!((pulled.why, pulled.imbalance), (BalanceWhy::Pulled, 1536));
    let moved: Vec<_> = got.moved.iter().map(|m| (m.task, m.why)).collect();
    let why = MigrateWhy::IdlePeriodic;
    // 1536 takes two tasks: half of the second is no more than the rest.
    assert_eq!(moved, [(TaskId(2), why), (TaskId(1), why)]);
    assert_eq!(s.rq[1].curr, Some(TaskId(0)));
    assert_eq!(s.rq[0].nr_running, 2);
}

#[test]
fn hot_tasks_stay_until_enough_attempts_failed() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 1, 2);
    let whys = [1, 2, 3].map(|jiffies| {
        let got = s.rebalance_domains(CpuId(0), jiffies, IdleType::Idle);
        at(&got, Level::Mc).expect("due").why
    });
    let hot = BalanceWhy::AllHotOrPinned;
    assert_eq!(
        whys,
        [hot, hot, BalanceWhy::Pulled],
        "MC tolerates one failure"
    );
    assert_eq!(s.rq[0].sd[0].nr_balance_failed, 0);
}

/// Hardware thread 8 shares its core with idle CPU 0, which is to balance for the core: 8 stops there.
#[test]
fn who_is_not_to_balance_for_its_group_climbs_no_further() {
    let mut s = on("nehalem-ep-2x4x2", &kernel("2.6.32", &[]));
    let mut levels = |cpu| {
        let got = s.rebalance_domains(CpuId(cpu), 10_000, IdleType::Idle);
        got.attempts.iter().map(|a| a.level).collect::<Vec<_>>()
    };
    assert_eq!(levels(8), [Level::Sibling, Level::Mc]);
    assert_eq!(levels(0), [Level::Sibling, Level::Mc, Level::Node]);
}

#[test]
fn balanced_domains_stretch_the_interval_up_to_its_longest() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    let intervals = [1, 100, 200, 300].map(|jiffies| {
        let _ = s.rebalance_domains(CpuId(0), jiffies, IdleType::Idle);
        s.rq[0].sd[0].balance_interval
    });
    assert_eq!(intervals, [2, 4, 4, 4]);
}

#[test]
fn pinned_tasks_stretch_the_interval_beyond_its_longest() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    for _ in 0..3 {
        let task = sleeper(&mut s, 1);
        s.set_allowed(task, CpuMask::just(CpuId(1)));
        s.activate_task(task, false);
    }
    let _ = s.pick_next_task(CpuId(1));
    cool(&mut s, &[0, 1]);
    let mut intervals = Vec::new();
    let mut jiffies = 1;
    for _ in 0..11 {
        let got = s.rebalance_domains(CpuId(0), jiffies, IdleType::Idle);
        if at(&got, Level::Mc).is_some() {
            intervals.push(s.rq[0].sd[0].balance_interval);
        }
        jiffies += 512;
    }
    assert_eq!(intervals, [2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512]);
    assert_eq!(s.rq[1].nr_running, 3, "nothing moves");
}

/// `sysctl_sched_nr_migrate` is 32, and the loop looks at one more.
#[test]
fn a_pull_looks_at_thirty_three_tasks() {
    let pulled = |pinned: usize| {
        let mut s = on("q6600", &kernel("2.6.32", &[]));
        load(&mut s, 1, 8);
        for _ in 0..pinned {
            let task = sleeper(&mut s, 1);
            s.set_allowed(task, CpuMask::just(CpuId(1)));
            s.activate_task(task, false);
        }
        cool(&mut s, &[0, 1]);
        s.idle_balance(CpuId(0)).moved.len()
    };
    assert_eq!(pulled(30), 3);
    assert_eq!(pulled(32), 1);
    assert_eq!(pulled(33), 0);
}

#[test]
fn only_the_first_idle_cpu_of_a_group_balances_for_it() {
    let mut s = on("tigerton-4x4", &kernel("2.6.32", &[]));
    load(&mut s, 1, 8);
    cool(&mut s, &[0, 1, 4]);
    let got = s.rebalance_domains(CpuId(4), 1, IdleType::Idle);
    let mc = at(&got, Level::Mc).expect("due");
    assert_eq!(
        mc.why,
        BalanceWhy::NoBusiestGroup,
        "within the pair it is its own group"
    );
    let cpu = at(&got, Level::Cpu).expect("due");
    assert_eq!(
        cpu.why,
        BalanceWhy::NotDesignated,
        "CPU 0 balances for the pair"
    );
    assert_eq!(
        s.rq[4].sd[1].balance_interval, 2,
        "which counts as balanced"
    );
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    assert_eq!(at(&got, Level::Cpu).expect("due").why, BalanceWhy::Pulled);
}

#[test]
fn domains_wait_for_their_interval() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 0, 1);
    let due: Vec<u64> = (0..300)
        .filter(|jiffies| {
            let got = s.rebalance_domains(CpuId(0), *jiffies, IdleType::NotIdle);
            at(&got, Level::Mc).is_some()
        })
        .collect();
    assert_eq!(due, [64, 192], "1 and 2 ms times the busy factor of 64");
    // The pass at 192 found the pair balanced and doubled the interval, but plans with the one it had.
    assert_eq!(s.rq[0].next_balance, 192 + 128);
}

#[test]
fn newly_idle_balancing_exists_where_the_flag_is() {
    let levels = |profile, changes: &[i8]| {
        let mut s = on("q6600", &kernel(profile, changes));
        load(&mut s, 2, 1);
        let got = s.idle_balance(CpuId(0));
        got.attempts.iter().map(|a| a.level).collect::<Vec<_>>()
    };
    assert_eq!(levels("2.6.31", &[]), [], "no SMT, no ALLNODES: none");
    assert_eq!(levels("2.6.32", &[]), [Level::Mc, Level::Cpu]);
    assert_eq!(levels("2.6.32", &[-8]), []);
}

/// cfs.md §17.4: a busiest queue from which nothing could be moved ends the search.
#[test]
fn a_failed_newly_idle_pull_suppresses_the_levels_above() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 1, 3);
    load(&mut s, 2, 6);
    let got = s.idle_balance(CpuId(0));
    assert_eq!(
        got.attempts.len(),
        1,
        "CPU 1's tasks are hot; CPU 2 is not looked at"
    );
    assert_eq!(
        at(&got, Level::Mc).expect("tried").why,
        BalanceWhy::AllHotOrPinned
    );
    assert_eq!(
        s.rq[0].sd[0].nr_balance_failed, 0,
        "and it does not count as a failure"
    );
    assert!(got.moved.is_empty());
}

#[test]
fn a_newly_idle_pull_ends_the_search_and_sets_the_next_balance() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 1, 3);
    cool(&mut s, &[0, 1]);
    s.rq[0].next_balance = 400;
    let got = s.idle_balance(CpuId(0));
    assert_eq!((got.attempts.len(), got.moved.len()), (1, 2));
    assert!(got.moved.iter().all(|m| m.why == MigrateWhy::NewIdle));
    assert_eq!(
        s.rq[0].next_balance, 1,
        "the earliest level, now that it is not idle"
    );
}

/// 2.6.31's check of a pulled task marks both buddies, as any wakeup does.
#[test]
fn a_pulled_task_is_checked_on_its_new_cpu() {
    let marked = |profile| {
        let mut s = on("q6600", &kernel(profile, &[]));
        load(&mut s, 0, 1);
        load(&mut s, 1, 3);
        cool(&mut s, &[0, 1]);
        s.rq[0].next_balance = 0;
        let got = s.rebalance_domains(CpuId(0), 64, IdleType::NotIdle);
        assert_eq!(got.moved.len(), 1, "{profile}");
        let (cfs, task) = (&s.cfs_rq[0], got.moved[0].task);
        (
            cfs.next == Some(s.tasks[task.index()].se),
            cfs.last == Some(s.tasks[0].se),
        )
    };
    assert_eq!(marked("2.6.31"), (true, true));
    assert_eq!(marked("2.6.32-rc1"), (false, true));
    assert_eq!(marked("2.6.32"), (false, false));
}

#[test]
fn one_cpu_at_a_time_balances_a_serialized_level() {
    let mut s = on("nehalem-ep-2x4x2", &kernel("2.6.32", &[]));
    load(&mut s, 4, 6);
    cool(&mut s, &[0]);
    s.hold_balancing(Instant(11 * MS));
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    let node = at(&got, Level::Node).expect("due");
    assert_eq!((node.why, got.serialized), (BalanceWhy::Serialized, false));
    s.update_rq_clock(CpuId(0), Instant(11 * MS));
    let got = s.rebalance_domains(CpuId(0), 2, IdleType::Idle);
    assert!(got.serialized);
    assert_ne!(
        at(&got, Level::Node).expect("due").why,
        BalanceWhy::Serialized
    );
}

#[test]
fn a_busy_hardware_thread_makes_an_idle_cpu_busy_to_the_levels_above() {
    let mut s = on("nehalem-ep-2x4x2", &kernel("2.6.32", &[]));
    load(&mut s, 8, 1);
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    let idle: Vec<_> = got.attempts.iter().map(|a| (a.level, a.idle)).collect();
    assert_eq!(
        idle,
        [(Level::Sibling, IdleType::Idle)],
        "MC waits for its busy interval"
    );
    let got = s.rebalance_domains(CpuId(0), 64, IdleType::Idle);
    let mc = at(&got, Level::Mc).expect("64 times 1 ms have passed");
    assert_eq!(mc.idle, IdleType::NotIdle);
}

#[test]
fn groups_weigh_what_their_entities_make_of_them() {
    use crate::sched::TaskSpec;
    use crate::sched::rq::GroupId;
    use crate::task::{Nice, Policy};
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    let group = s.new_group(GroupId(0), 1024);
    for _ in 0..4 {
        let task = s.new_task(TaskSpec {
            nice: Nice::new(0),
            policy: Policy::Normal,
            allowed: CpuMask::first(4),
            group,
            parent: None,
            vruntime: None,
        });
        s.set_task_cpu(task, CpuId(1));
        s.activate_task(task, false);
    }
    load(&mut s, 1, 1);
    cool(&mut s, &[0, 1]);
    // The root queue holds two entities of 1024, so each of the group's four tasks is worth a quarter of that:
    // an imbalance of 1024 takes all of them that wait. The root's own task is then too heavy for what is left,
    // which the kernel takes for pinned: it looks again, and the attempt ends as balanced.
    let got = s.rebalance_domains(CpuId(0), 1, IdleType::Idle);
    let mc = at(&got, Level::Mc).expect("due");
    assert_eq!((mc.why, mc.visited), (BalanceWhy::NoBusiestGroup, 3));
    let waiting = s.rq[1]
        .curr
        .map_or(4, |curr| if curr.0 < 4 { 3 } else { 4 });
    assert_eq!(got.moved.len(), waiting);
    assert_eq!(s.rq[0].nr_running + s.rq[1].nr_running, 5);
}
