//! Wakeup granularity and preemption (cfs/T86 … T92), and every exit of the check.

use super::{MS, Tree, World};
use crate::sched::decision::{PickWhy, Preempt, PreemptWhy as Why};
use crate::sched::features::Feature;
use crate::sched::rq::{Averages, GroupId};
use crate::task::{Policy, TaskId};

const M: i64 = MS as i64;

/// The granularity seen by a waking task of that nice value, adaptive granularity off.
fn full_gran(tree: Tree, nice: i64) -> u64 {
    let mut w = World::new(tree, 8).set(Feature::AdaptiveGran, false);
    w.running(0);
    let p = w.sleeper(Policy::Normal, nice, GroupId::default());
    w.wake_at(p, -1, false).gran
}

#[test]
fn t86_t87_the_granularity_is_weighted_by_the_wakee() {
    let v32 = [-10, -5, 5, 19].map(|nice| full_gran(Tree::V32, nice));
    assert_eq!(
        v32,
        [428_990, 1_312_400, 12_226_866, 273_066_667],
        "cfs/T86"
    );
    assert_eq!(full_gran(Tree::V31, 5), 61_134_329, "cfs/T87");
}

#[test]
fn without_asym_gran_it_is_weighted_by_the_running_task() {
    let mut w = World::new(Tree::V32, 8)
        .set(Feature::AdaptiveGran, false)
        .set(Feature::AsymGran, false);
    w.running(5);
    let p = w.plain_sleeper();
    assert_eq!(w.wake_at(p, -1, false).gran, 12_226_866);
}

/// The adaptive granularity of a wakee with that `avg_wakeup` among `nr`, curr having run `ran` ns.
fn adaptive(limit_ms: u64, avg_wakeup: i64, nr: usize, ran: u64) -> u64 {
    let mut w = World::new(Tree::V32, 8);
    w.s.tunables.wakeup_granularity = limit_ms * MS;
    w.running(0);
    for _ in 2..nr {
        w.waiting(0, 1000 * M);
    }
    w.advance(ran);
    let p = w.plain_sleeper();
    let avg = Averages {
        avg_wakeup,
        ..Averages::default()
    };
    w.s.fixture().averages(p, avg);
    w.wake_at(p, -1, false).gran
}

#[test]
fn t88_t89_frequent_wakers_preempt_sooner() {
    assert_eq!(adaptive(4, 100_000, 3, 200_000), 400_000, "cfs/T88");
    assert_eq!(adaptive(4, 100_000, 3, MS), 0, "cfs/T88");
    assert_eq!(adaptive(4, 4 * M, 2, 0), 4 * MS, "cfs/T89");
    assert_eq!(adaptive(20, M, 5, 3 * MS), 7 * MS, "cfs/T89");
}

/// S at 100 ms has run 2 ms; R, which wakes others every 50 µs, wakes to 97 ms among `nr`.
fn narrow(tree: Tree, nr: usize) -> (World, TaskId, TaskId, Preempt) {
    let mut w = World::new(tree, 8);
    let s = w.running(0);
    for _ in 2..nr {
        w.waiting(0, 1000 * M);
    }
    let r = w.plain_sleeper();
    let avg = Averages {
        avg_wakeup: 50_000,
        ..Averages::default()
    };
    w.advance(2 * MS);
    let _ = w.tick();
    w.s.fixture().averages(r, avg).vruntime(s, 100 * M);
    let verdict = w.wake_at(r, 97 * M, false);
    (w, s, r, verdict)
}

#[test]
fn t90_a_narrow_preemption_gives_the_cpu_back_to_the_last_buddy() {
    let cases = [
        (Tree::Rc1, 2, true),
        (Tree::V31, 2, false),
        (Tree::V32, 2, false),
        (Tree::V32, 5, true),
    ];
    for tree in [Tree::L32, Tree::L65] {
        let (w, _, _, verdict) = narrow(tree, 2);
        assert!(!verdict.yes && verdict.gran == 4 * MS, "cfs/T90 {tree:?}");
        assert!(!w.need_resched());
    }
    for (tree, nr, back) in cases {
        let (mut w, s, r, verdict) = narrow(tree, nr);
        assert!(
            verdict.yes && verdict.gran == 0 && verdict.gap == 3 * M,
            "cfs/T90 {tree:?}"
        );
        let (next, last) = w.marks();
        assert_eq!(next.is_some(), tree == Tree::V31, "cfs/T90 {tree:?}");
        assert_eq!(
            last == Some(s),
            back || tree == Tree::V31,
            "cfs/T90 {tree:?}"
        );
        let expected = match tree {
            _ if back => (Some(s), PickWhy::LastBuddy),
            Tree::V31 => (Some(r), PickWhy::NextBuddy),
            _ => (Some(r), PickWhy::Leftmost),
        };
        let pick = w.schedule();
        assert_eq!(
            (pick.task, pick.why),
            expected,
            "cfs/T90 {tree:?}, {nr} runnable"
        );
    }
}

/// Does a long sleeper preempt a task at `min_vruntime` with that granularity?
fn sleeper_preempts(gran: u64) -> Preempt {
    let mut w = World::new(Tree::V32, 8).set(Feature::AdaptiveGran, false);
    w.s.tunables.wakeup_granularity = gran;
    let curr = w.running(0);
    w.s.fixture()
        .vruntime(curr, 100 * M)
        .min_vruntime(super::CPU, 100 * M);
    let p = w.plain_sleeper();
    w.s.fixture().vruntime(p, 0);
    w.wake(p);
    w.s.check_preempt_curr(super::CPU, p, crate::sched::WakeFlags::default())
}

#[test]
fn t91_a_granularity_of_the_whole_credit_ends_wakeup_preemption() {
    let never = sleeper_preempts(10 * MS);
    assert_eq!(
        (never.yes, never.gap, never.why),
        (false, 10 * M, Why::WithinGranularity),
        "cfs/T91"
    );
    let just = sleeper_preempts(10 * MS - 1);
    assert_eq!(
        (just.yes, just.why),
        (true, Why::BeyondGranularity),
        "cfs/T91"
    );
}

#[test]
fn t92_buddies_of_2_6_32_need_nr_latency_runnable() {
    for (nr, scale) in [(4, false), (5, true)] {
        let (w, s, r, _) = narrow(Tree::V32, nr);
        assert_eq!(
            w.marks(),
            (None, scale.then_some(s)),
            "cfs/T92: LAST_BUDDY at {nr}"
        );
        drop((w, r));
        let mut w = World::new(Tree::V32, 8).set(Feature::NextBuddy, true);
        w.running(0);
        for _ in 2..nr {
            w.waiting(0, 1000 * M);
        }
        let p = w.plain_sleeper();
        let _ = w.wake_at(p, 1000 * M, false);
        assert_eq!(
            w.marks().0,
            scale.then_some(p),
            "cfs/T92: NEXT_BUDDY at {nr}"
        );
    }
}

/// The verdict on a task of `policy` woken 50 ms left of a running one of `curr`, after `prepare`.
fn exit(
    tree: Tree,
    curr: Policy,
    policy: Policy,
    prepare: impl FnOnce(&mut World),
) -> (Preempt, World) {
    let mut w = World::new(tree, 8);
    let running = w.sleeper(curr, 0, GroupId::default());
    w.s.activate_task(running, false);
    let _ = w.schedule();
    prepare(&mut w);
    let p = w.sleeper(policy, 0, GroupId::default());
    let verdict = w.wake_at(p, -50 * M, true);
    (verdict, w)
}

#[test]
fn policies_decide_before_vruntimes() {
    use Policy::{Batch, Idle, Normal};
    for tree in [Tree::V31, Tree::Rc1, Tree::V32] {
        let why = |curr, p| exit(tree, curr, p, |_| ()).0.why;
        assert_eq!(why(Normal, Normal), Why::BeyondGranularity);
        assert_eq!(why(Normal, Batch), Why::NotNormal);
        assert_eq!(why(Normal, Idle), Why::NotNormal);
        assert_eq!(why(Idle, Normal), Why::CurrIdlePolicy);
        assert_eq!(why(Idle, Batch), Why::NotNormal);
        assert_eq!(why(Batch, Normal), Why::BeyondGranularity);
    }
}

#[test]
fn a_pending_reschedule_ends_the_check_after_the_marks() {
    let pending = |w: &mut World| w.s.rq[0].need_resched = true;
    let (verdict, w) = exit(Tree::V31, Policy::Normal, Policy::Normal, pending);
    assert_eq!((verdict.yes, verdict.why), (false, Why::AlreadyPending));
    assert_eq!(w.marks(), (Some(TaskId(1)), Some(TaskId(0))));
}

#[test]
fn an_idle_cpu_is_rescheduled_without_marks() {
    let mut w = World::new(Tree::V31, 8);
    let p = w.plain_sleeper();
    let verdict = w.wake_at(p, 0, false);
    assert_eq!((verdict.yes, verdict.why), (true, Why::IdleCpu));
    assert!(w.need_resched());
    assert_eq!(w.marks(), (None, None));
}

#[test]
fn the_running_task_does_not_preempt_itself() {
    let mut w = World::new(Tree::V31, 8);
    let curr = w.running(0);
    let flags = crate::sched::WakeFlags::default();
    assert_eq!(
        w.s.check_preempt_curr(super::CPU, curr, flags).why,
        Why::SelfWakeup
    );
    assert_eq!(w.marks(), (None, None));
}

#[test]
fn wakeup_overlap_covers_the_sync_hint_only_before_e6b1b2c9() {
    let overlap = |w: &mut World| w.s.features = w.s.features.with(Feature::WakeupOverlap, true);
    let busy = |w: &mut World| {
        overlap(w);
        let avg = Averages {
            avg_overlap: M,
            ..Averages::default()
        };
        w.s.fixture().averages(TaskId(0), avg);
    };
    let why = |tree, prepare: &dyn Fn(&mut World)| {
        exit(tree, Policy::Normal, Policy::Normal, prepare).0.why
    };
    assert_eq!(why(Tree::V31, &busy), Why::WakeupSync);
    assert_eq!(why(Tree::Rc1, &overlap), Why::WakeupOverlap);
    assert_eq!(why(Tree::Rc1, &busy), Why::BeyondGranularity);
}

#[test]
fn wakeup_overlap_wants_both_tasks_to_overlap_less_than_migration_cost() {
    let cost = 500_000;
    for (curr, wakee, why) in [
        (cost - 1, cost - 1, Why::WakeupOverlap),
        (cost - 1, cost, Why::BeyondGranularity),
        (cost, cost - 1, Why::BeyondGranularity),
    ] {
        let mut w = World::new(Tree::Rc1, 8).set(Feature::WakeupOverlap, true);
        let (running, p) = (w.running(0), w.plain_sleeper());
        let avg = |avg_overlap| Averages {
            avg_overlap,
            ..Averages::default()
        };
        w.s.fixture()
            .averages(running, avg(curr))
            .averages(p, avg(wakee));
        assert_eq!(w.wake_at(p, -50 * M, false).why, why, "{curr} {wakee}");
    }
}

#[test]
fn in_2_6_32_only_a_preemption_by_vruntime_makes_a_last_buddy() {
    let last = |prepare: fn(World) -> World, vruntime| {
        let mut w = prepare(World::new(Tree::V32, 8));
        let curr = w.running(0);
        for _ in 0..4 {
            w.waiting(0, 1000 * M);
        }
        let p = w.plain_sleeper();
        let verdict = w.wake_at(p, vruntime, true);
        (verdict.why, w.marks().1 == Some(curr))
    };
    let plain = |w| w;
    assert_eq!(last(plain, -50 * M), (Why::BeyondGranularity, true));
    assert_eq!(last(plain, -M), (Why::WithinGranularity, false));
    assert_eq!(last(plain, M), (Why::NotBehind, false));
    let sync = |w: World| w.set(Feature::WakeupSync, true);
    assert_eq!(last(sync, -50 * M), (Why::WakeupSync, false));
}

#[test]
fn the_preempt_modes_work_without_wakeup_preempt_only_since_e6b1b2c9() {
    let on = |w: &mut World, feature| w.s.features = w.s.features.with(feature, true);
    let gated = |w: &mut World| w.s.features = w.s.features.with(Feature::WakeupPreempt, false);
    let why = |tree, feature| {
        let prepare = |w: &mut World| {
            on(w, feature);
            gated(w);
        };
        exit(tree, Policy::Normal, Policy::Normal, prepare).0.why
    };
    assert_eq!(why(Tree::V31, Feature::WakeupOverlap), Why::FeatureOff);
    assert_eq!(why(Tree::Rc1, Feature::WakeupOverlap), Why::WakeupOverlap);
    assert_eq!(why(Tree::Rc1, Feature::WakeupSync), Why::WakeupSync);
}

#[test]
fn wakeup_running_prefers_the_shorter_runner_and_marks_it() {
    for (shorter, why) in [(99, Why::WakeupRunning), (100, Why::NotBehind)] {
        let mut w = World::new(Tree::Rc1, 8).set(Feature::WakeupRunning, true);
        let curr = w.running(0);
        let p = w.plain_sleeper();
        let avg = |avg_running| Averages {
            avg_running,
            ..Averages::default()
        };
        w.s.fixture()
            .averages(curr, avg(100))
            .averages(p, avg(shorter));
        assert_eq!(w.wake_at(p, 5 * M, false).why, why);
        assert_eq!(w.marks().0, (why == Why::WakeupRunning).then_some(p));
    }
}

#[test]
fn the_judge_sees_the_running_task_as_charged() {
    let mut w = World::new(Tree::V32, 8).set(Feature::AdaptiveGran, false);
    w.running(0);
    let p = w.waiting(0, 0);
    w.advance(4 * MS);
    let flags = crate::sched::WakeFlags::default();
    assert_eq!(
        w.s.check_preempt(super::CPU, p, flags).why,
        Why::WithinGranularity
    );
    w.advance(1);
    assert_eq!(
        w.s.check_preempt(super::CPU, p, flags).why,
        Why::BeyondGranularity
    );
    assert_eq!(w.se(TaskId(0)).sum_exec, 0, "and charges nobody");
}

#[test]
fn forks_mark_no_next_buddy_once_it_is_a_feature() {
    let flags = crate::sched::WakeFlags {
        sync: false,
        fork: true,
    };
    let marks = |tree| {
        let mut w = World::new(tree, 8).set(Feature::NextBuddy, true);
        let curr = w.running(0);
        let child = w.waiting(0, 100 * M);
        let _ = w.s.check_preempt_curr(super::CPU, child, flags);
        let (next, last) = w.marks();
        (next == Some(child), last == Some(curr))
    };
    assert_eq!(marks(Tree::V31), (true, true));
    assert_eq!(marks(Tree::Rc1), (false, true));
    assert_eq!(marks(Tree::D24), (false, false));
}

#[test]
fn the_sync_hint_counts_only_with_sync_wakeups() {
    let mut w = World::new(Tree::V32, 8);
    assert!(w.s.wake_flags(true).sync && !w.s.wake_flags(false).sync);
    w.s.features = w.s.features.with(Feature::SyncWakeups, false);
    assert!(!w.s.wake_flags(true).sync);
}

#[test]
fn t85_the_wakee_has_to_be_left_by_more_than_the_granularity() {
    for tree in [Tree::L32, Tree::L65] {
        let gap = |ns: i64| {
            let mut w = World::new(tree, 8);
            w.running(0);
            let p = w.plain_sleeper();
            w.wake_at(p, -ns, false).yes
        };
        assert!(!gap(4 * M), "cfs/T85 {tree:?}");
        assert!(gap(4 * M + 1), "cfs/T85 {tree:?}");
    }
}

/// The marks after a wakee 50 ms left of the running task, among `nr`, with `NEXT_BUDDY` or not.
fn marks_after_preemption(tree: Tree, nr: usize, next_buddy: bool) -> (bool, bool) {
    let mut w = World::new(tree, 8).set(Feature::NextBuddy, next_buddy);
    let curr = w.running(0);
    for _ in 2..nr {
        w.waiting(0, 1000 * M);
    }
    let p = w.plain_sleeper();
    assert!(w.wake_at(p, -50 * M, false).yes);
    let (next, last) = w.marks();
    (next == Some(p), last == Some(curr))
}

#[test]
fn t92_buddies_of_3_2_and_6_5_need_eight_but_who_preempts_is_always_next() {
    for tree in [Tree::L32, Tree::L65] {
        assert_eq!(
            marks_after_preemption(tree, 7, false),
            (true, false),
            "cfs/T92 {tree:?}"
        );
        assert_eq!(
            marks_after_preemption(tree, 8, false),
            (true, true),
            "cfs/T92 {tree:?}"
        );
        for (nr, marked) in [(7, false), (8, true)] {
            let mut w = World::new(tree, 8).set(Feature::NextBuddy, true);
            w.running(0);
            for _ in 2..nr {
                w.waiting(0, 1000 * M);
            }
            let p = w.plain_sleeper();
            assert!(!w.wake_at(p, 1000 * M, false).yes);
            assert_eq!(w.marks().0.is_some(), marked, "cfs/T92 {tree:?}: {nr}");
        }
    }
}

#[test]
fn in_later_kernels_a_batch_task_too_ends_the_run_of_a_sched_idle_one() {
    use Policy::{Batch, Idle, Normal};
    for tree in [Tree::L32, Tree::L65] {
        let why = |curr, p| exit(tree, curr, p, |_| ()).0.why;
        assert_eq!(why(Idle, Batch), Why::CurrIdlePolicy);
        assert_eq!(why(Idle, Idle), Why::NotNormal);
        assert_eq!(why(Normal, Batch), Why::NotNormal);
        let (verdict, w) = exit(tree, Idle, Normal, |_| ());
        assert_eq!(verdict.why, Why::CurrIdlePolicy);
        assert_eq!(w.marks(), (None, None), "by policy nobody is marked");
    }
}

#[test]
fn an_exit_before_the_comparison_charges_nobody_since_3_2() {
    for (tree, charged) in [(Tree::V32, MS), (Tree::L32, 0), (Tree::L65, 0)] {
        let mut w = World::new(tree, 8);
        let curr = w.running(0);
        w.advance(MS);
        let p = w.sleeper(Policy::Batch, 0, GroupId::default());
        w.s.fixture().vruntime(p, 10 * M);
        // Enqueueing charges; only what comes after it is at stake.
        w.s.activate_task(p, true);
        let before = w.se(curr).sum_exec;
        w.now += MS;
        w.s.update_rq_clock(super::CPU, crate::time::Instant(w.now));
        let flags = crate::sched::WakeFlags::default();
        assert_eq!(
            w.s.check_preempt_curr(super::CPU, p, flags).why,
            Why::NotNormal
        );
        assert_eq!(w.se(curr).sum_exec - before, charged, "{tree:?}");
    }
}

#[test]
fn a_pending_reschedule_makes_the_next_clock_update_superfluous() {
    // cfs-checked C5: from the wakeup to the switch it is the next task that pays.
    for (tree, charged) in [(Tree::V32, 5), (Tree::L32, 1), (Tree::L65, 3)] {
        let mut w = World::new(tree, 8);
        let curr = w.running(0);
        let p = w.plain_sleeper();
        w.advance(MS);
        assert!(w.wake_at(p, -50 * M, false).yes);
        for _ in 0..2 {
            w.advance(MS);
            let _ = w.tick();
        }
        w.now += 2 * MS;
        assert_eq!(w.schedule().task, Some(p));
        assert_eq!(w.se(curr).sum_exec, charged * MS, "{tree:?}");
        w.now += MS;
        let _ = w.tick();
        assert_eq!(w.se(p).sum_exec, (6 - charged) * MS, "{tree:?}");
    }
}
