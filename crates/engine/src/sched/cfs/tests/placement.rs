//! Where sleepers, children and migrants enter (cfs/T18, T60 … T69).

use super::{CPU, MS, Tree, World};
use crate::machine::{CpuId, CpuMask};
use crate::sched::TaskSpec;
use crate::sched::decision::PreemptWhy;
use crate::sched::features::Feature;
use crate::sched::rq::GroupId;
use crate::task::{Nice, Policy, TaskId};
use crate::time::Instant;

const M: i64 = MS as i64;

/// Where a task that slept at `own` (ns) wakes to on a queue at 100 ms.
fn woken(mut w: World, nice: i64, own: i64) -> i64 {
    w.s.fixture().min_vruntime(CPU, 100 * M);
    let p = w.sleeper(Policy::Normal, nice, GroupId::default());
    w.s.fixture().vruntime(p, own);
    w.wake(p)
}

#[test]
fn t18_t60_t61_sleepers_get_a_latency_or_half_of_it() {
    let v31 = || World::new(Tree::V31, 8);
    let v32 = || World::new(Tree::V32, 8);
    assert_eq!(woken(v31(), 0, 0), 20 * M, "cfs/T60, T18: credit 80 ms");
    assert_eq!(woken(v31(), 0, 50 * M), 50 * M, "cfs/T60");
    assert_eq!(woken(v32(), 0, 0), 90 * M, "cfs/T61, T18: credit 10 ms");
    let rough = v32().set(Feature::GentleFairSleepers, false);
    assert_eq!(woken(rough, 0, 0), 80 * M, "cfs/T61, T18: credit 20 ms");
    let unfair = v32().set(Feature::FairSleepers, false);
    assert_eq!(woken(unfair, 0, 0), 100 * M, "cfs/T61");
}

#[test]
fn t62_t63_nobody_is_placed_backwards_and_the_credit_grows_with_cpus() {
    assert_eq!(
        woken(World::new(Tree::V32, 8), 0, 96 * M),
        96 * M,
        "cfs/T62"
    );
    assert_eq!(woken(World::new(Tree::V32, 4), 0, 0), 92_500_000, "cfs/T63");
    assert_eq!(
        woken(World::new(Tree::V32, 16), 0, 0),
        87_500_000,
        "cfs/T63"
    );
}

#[test]
fn t64_a_normalized_sleeper_gets_credit_by_weight() {
    let normalized = || World::new(Tree::V32, 8).set(Feature::NormalizedSleeper, true);
    assert_eq!(woken(normalized(), 5, 0), 69_432_836, "cfs/T64");
    let mut w = normalized();
    w.s.fixture().min_vruntime(CPU, 100 * M);
    let idle = w.sleeper(Policy::Idle, 0, GroupId::default());
    w.s.fixture().vruntime(idle, 0);
    assert_eq!(w.wake(idle), 90 * M, "not for SCHED_IDLE");
}

/// Forks on CPU 0 with one task running there, `parent` at `v` ms; the vruntimes of parent and child, and
/// the verdict.
fn fork(tree: Tree, v: i64, child_first: bool) -> (i64, i64, PreemptWhy) {
    let mut w = World::new(tree, 8);
    w.s.tunables.child_runs_first = child_first;
    let parent = w.running(0);
    w.s.fixture()
        .vruntime(parent, v * M)
        .min_vruntime(CPU, 100 * M);
    let child = child_of(&mut w, parent);
    let asked = w.s.task_fork(child, CPU, Instant(w.now));
    let verdict = w.s.wake_up_new_task(child, CPU);
    assert_eq!(w.need_resched(), verdict.yes || asked);
    (w.vruntime(parent), w.vruntime(child), verdict.why)
}

fn child_of(w: &mut World, parent: TaskId) -> TaskId {
    w.s.new_task(TaskSpec {
        nice: Nice::default(),
        policy: Policy::Normal,
        allowed: CpuMask::first(8),
        group: GroupId::default(),
        parent: Some(parent),
        vruntime: None,
    })
}

#[test]
fn t66_in_2_6_31_a_child_starts_a_slice_behind_whatever_its_parent() {
    for v in [100, 130] {
        let (parent, child, why) = fork(Tree::V31, v, false);
        assert_eq!((parent, child), (v * M, 139_980_488), "cfs/T66");
        assert_eq!(why, PreemptWhy::NotBehind);
        let (parent, child, why) = fork(Tree::V31, v, true);
        assert_eq!((parent, child), (139_980_488, v * M), "cfs/T66");
        assert_eq!(why, PreemptWhy::ChildRunsFirst);
    }
    let (parent, child, _) = fork(Tree::V31, 150, true);
    assert_eq!(
        (parent, child),
        (150 * M, 139_980_488),
        "only if the parent is left"
    );
}

#[test]
fn t67_since_then_not_left_of_its_parent_either() {
    assert_eq!(fork(Tree::V32, 100, false).1, 109_995_122, "cfs/T67");
    assert_eq!(fork(Tree::V32, 130, false).1, 130 * M, "cfs/T67");
}

#[test]
fn without_start_debit_a_child_starts_at_min_vruntime() {
    let mut w = World::new(Tree::V31, 8).set(Feature::StartDebit, false);
    let parent = w.running(0);
    w.s.fixture()
        .vruntime(parent, 130 * M)
        .min_vruntime(CPU, 100 * M);
    let child = child_of(&mut w, parent);
    w.s.tunables.child_runs_first = false;
    let _ = w.s.wake_up_new_task(child, CPU);
    assert_eq!(w.vruntime(child), 100 * M);
}

#[test]
fn parent_and_child_at_the_same_vruntime_do_not_change_places() {
    let mut w = World::new(Tree::V31, 8).set(Feature::StartDebit, false);
    let parent = w.running(0);
    let child = child_of(&mut w, parent);
    assert_eq!(w.s.wake_up_new_task(child, CPU).why, PreemptWhy::NotBehind);
}

#[test]
fn a_child_changes_places_only_with_its_parent() {
    let mut w = World::new(Tree::V31, 8);
    w.running(0);
    let parent = w.waiting(0, 0);
    let child = child_of(&mut w, parent);
    let verdict = w.s.wake_up_new_task(child, CpuId(5));
    assert_eq!((verdict.yes, verdict.why), (false, PreemptWhy::NotBehind));
    assert_eq!(w.vruntime(child), 26_657_982);
}

#[test]
fn a_child_on_another_cpu_is_placed_there_and_its_parent_keeps_running() {
    let mut w = World::new(Tree::V31, 8);
    let parent = w.running(0);
    w.s.fixture().vruntime(parent, 7 * M);
    let (child, there) = (child_of(&mut w, parent), CpuId(3));
    w.s.fixture().min_vruntime(there, 500 * M);
    w.s.set_task_cpu(child, there);
    assert_eq!(
        w.vruntime(child),
        507 * M,
        "7 ms right of its queue, as its parent was"
    );
    w.s.update_rq_clock(there, Instant(0));
    let verdict = w.s.wake_up_new_task(child, CPU);
    assert_eq!(verdict.why, PreemptWhy::IdleCpu);
    assert_eq!(w.vruntime(child), 500 * M + 79_921_951);
    assert!(!w.need_resched() && w.s.rq[there.index()].need_resched);
    assert_eq!(w.vruntime(parent), 7 * M);
}

#[test]
fn t69_a_vruntime_keeps_its_distance_to_the_queue() {
    for tree in [Tree::V31, Tree::V32] {
        let mut w = World::new(tree, 8);
        let p = w.plain_sleeper();
        w.s.tasks[p.index()].allowed = CpuMask::first(8);
        w.s.fixture()
            .vruntime(p, 130 * M)
            .min_vruntime(CPU, 100 * M)
            .min_vruntime(CpuId(1), 500 * M);
        w.s.set_task_cpu(p, CpuId(1));
        assert_eq!(w.vruntime(p), 530 * M, "cfs/T69");
        w.s.set_task_cpu(p, CpuId(1));
        assert_eq!(w.vruntime(p), 530 * M, "the same CPU changes nothing");
    }
}

#[test]
fn a_moved_task_is_counted_where_it_goes() {
    let mut w = World::new(Tree::V32, 2);
    w.running(0);
    let p = w.waiting(5, 3 * M);
    let there = CpuId(1);
    assert!(w.s.move_task(p, there).yes, "the other CPU is idle");
    let load = |w: &World, cpu: CpuId| (w.s.rq[cpu.index()].nr_running, w.s.rq[cpu.index()].load);
    assert_eq!((load(&w, CPU), load(&w, there)), ((1, 1024), (1, 335)));
}

#[test]
fn a_mask_moves_sleepers_at_once_and_names_the_cpu_for_the_others() {
    let mut w = World::new(Tree::V32, 4);
    let (asleep, queued) = (w.plain_sleeper(), w.waiting(0, 0));
    let elsewhere: CpuMask = [CpuId(2), CpuId(3)].into_iter().collect();
    assert_eq!(w.s.set_allowed(asleep, elsewhere), None);
    assert_eq!(w.s.tasks[asleep.index()].cpu, CpuId(2));
    assert_eq!(w.s.set_allowed(queued, elsewhere), Some(CpuId(2)));
    assert_eq!(w.s.tasks[queued.index()].cpu, CPU);
    assert_eq!(w.s.set_allowed(queued, CpuMask::first(4)), None);
}

#[test]
fn a_departing_task_holds_min_vruntime_back_until_it_is_put() {
    let mut w = World::new(Tree::V32, 8);
    let curr = w.running(0);
    w.waiting_at([50]);
    w.advance(2 * M as u64);
    w.s.deactivate_task(curr, true);
    let min = |w: &World| w.s.cfs_rq[0].min_vruntime;
    assert_eq!(min(&w), 2 * M, "curr, dequeued, still counts");
    w.s.put_prev_task(CPU);
    let _ = w.s.pick_next_task(CPU);
    assert_eq!(min(&w), 2 * M, "and nobody updates it now");
    w.advance(1);
    let _ = w.tick();
    assert_eq!(min(&w), 50 * M + 1);
}

#[test]
fn a_wakee_on_another_cpu_is_placed_by_a_stale_clock_before_f5dc3753() {
    for (tree, min) in [(Tree::Rc1, 0), (Tree::V32, 3 * M)] {
        let mut w = World::new(tree, 8);
        w.running(0);
        w.now = 3 * MS;
        w.s.update_target_clock(CPU, Instant(w.now));
        let p = w.plain_sleeper();
        w.s.fixture().vruntime(p, -100 * M);
        assert_eq!(w.wake(p), min - 10 * M, "{tree:?}");
    }
}

#[test]
fn t65_in_later_kernels_the_credit_is_half_the_latency_and_less_for_sched_idle() {
    for tree in [Tree::L32, Tree::L65] {
        assert_eq!(woken(World::new(tree, 8), 0, 0), 88 * M, "cfs/T65 {tree:?}");
    }
    let idle = |tree| {
        let mut w = World::new(tree, 8);
        w.s.fixture().min_vruntime(CPU, 100 * M);
        let p = w.sleeper(Policy::Idle, 0, GroupId::default());
        w.s.fixture().vruntime(p, 0);
        w.wake(p)
    };
    assert_eq!(idle(Tree::L65), 98_500_000, "cfs/T65");
    assert_eq!(idle(Tree::L32), 88 * M, "3.2 makes no difference");
}

#[test]
fn t68_in_later_kernels_a_child_is_placed_beside_its_parent() {
    assert_eq!(fork(Tree::L32, 100, false).1, 112 * M, "cfs/T68");
    assert_eq!(fork(Tree::L65, 100, false).1, 111_999_994, "cfs/T68");
    assert_eq!(fork(Tree::L65, 130, false).1, 130 * M);
    let (parent, child, why) = fork(Tree::L65, 100, true);
    assert_eq!((parent, child), (111_999_994, 100 * M), "changed places");
    assert_eq!(why, PreemptWhy::AlreadyPending);
}

#[test]
fn then_it_is_carried_over_to_the_cpu_it_is_given() {
    for tree in [Tree::L32, Tree::L65] {
        let mut w = World::new(tree, 8);
        let parent = w.running(0);
        w.s.fixture()
            .vruntime(parent, 107 * M)
            .min_vruntime(CPU, 100 * M);
        let (child, there) = (child_of(&mut w, parent), CpuId(3));
        let _ = w.s.task_fork(child, CPU, Instant(0));
        w.s.fixture().min_vruntime(there, 500 * M);
        w.s.set_task_cpu(child, there);
        let _ = w.s.wake_up_new_task(child, CPU);
        let slice = if tree == Tree::L32 {
            12 * M
        } else {
            12 * M - 6
        };
        assert_eq!(w.vruntime(child), 500 * M + slice, "{tree:?}");
    }
}

#[test]
fn a_relative_vruntime_is_made_absolute_before_the_charge_in_3_2_and_after_it_in_6_5() {
    for (tree, expected) in [(Tree::L32, 507 * M), (Tree::L65, 509 * M)] {
        let mut w = World::new(tree, 8);
        let p = w.plain_sleeper();
        w.s.tasks[p.index()].allowed = CpuMask::first(8);
        w.s.fixture()
            .vruntime(p, 107 * M)
            .min_vruntime(CPU, 100 * M);
        // CPU 1 has been running for 2 ms that are not charged yet.
        let there = CpuId(1);
        let other = w.plain_sleeper();
        w.s.tasks[other.index()].allowed = CpuMask::first(8);
        w.s.set_task_cpu(other, there);
        w.s.activate_task(other, false);
        let _ = w.s.pick_next_task(there);
        w.s.fixture()
            .vruntime(other, 500 * M)
            .min_vruntime(there, 500 * M);
        w.s.update_rq_clock(there, Instant(2 * MS));
        w.s.set_task_cpu(p, there);
        assert_eq!(w.vruntime(p), 7 * M, "relative on the way");
        w.s.activate_task(p, true);
        assert_eq!(w.vruntime(p), expected, "{tree:?}");
    }
}

#[test]
fn a_departing_task_no_longer_holds_min_vruntime_back_in_6_5() {
    let mut w = World::new(Tree::L65, 8);
    let curr = w.running(0);
    w.waiting_at([50]);
    w.advance(2 * MS);
    w.s.deactivate_task(curr, true);
    assert_eq!(w.s.cfs_rq[0].min_vruntime, 50 * M);
}

#[test]
fn after_104_days_asleep_the_own_vruntime_tells_nothing() {
    let day = 86_400 * 1_000 * MS;
    for (tree, days, expected) in [
        (Tree::L65, 104, 5_000 * M),
        (Tree::L65, 105, -12 * M),
        (Tree::L32, 105, 5_000 * M),
    ] {
        let mut w = World::new(tree, 8);
        w.now = 1;
        let p = w.running(0);
        w.s.update_rq_clock(CPU, Instant(1));
        let _ = w.tick();
        let _ = w.block();
        w.s.fixture().vruntime(p, 5_000 * M).min_vruntime(CPU, 0);
        w.advance(days * day);
        assert_eq!(w.wake(p), expected, "{tree:?}, {days} days");
    }
}
