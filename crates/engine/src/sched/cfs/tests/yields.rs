//! sched_yield (section 12).

use super::{CPU, MS, Tree, World};
use crate::sched::rq::GroupId;
use crate::task::Policy;

const M: i64 = MS as i64;

#[test]
fn a_yielder_that_is_still_leftmost_runs_on() {
    let mut w = World::new(Tree::V32, 8);
    let [p, other] = w.waiting_at([0, 5]);
    let _ = w.schedule();
    w.s.fixture().buddies(CPU, None, Some(p));
    w.advance(MS);
    w.s.yield_task(CPU);
    assert_eq!(w.vruntime(p), M, "charged");
    assert_eq!(w.marks(), (None, None));
    assert!(!w.need_resched(), "the system call goes on to schedule()");
    assert_eq!(w.schedule().task, Some(p));
    w.advance(5 * MS);
    w.s.yield_task(CPU);
    assert_eq!(w.schedule().task, Some(other));
}

#[test]
fn with_compat_yield_it_goes_behind_everybody() {
    let mut w = World::new(Tree::V32, 8);
    w.s.tunables.compat_yield = true;
    let [p, other, last] = w.waiting_at([0, 5, 70]);
    let _ = w.schedule();
    w.s.yield_task(CPU);
    assert_eq!(w.vruntime(p), 70 * M + 1);
    assert_eq!(w.schedule().task, Some(other));
    w.s.fixture().vruntime(other, 71 * M);
    w.s.yield_task(CPU);
    assert_eq!(w.vruntime(other), 71 * M, "already the rightmost");
    assert_eq!(w.schedule().task, Some(last));
}

#[test]
fn a_batch_task_does_so_always() {
    let mut w = World::new(Tree::V32, 8);
    let batch = w.sleeper(Policy::Batch, 0, GroupId::default());
    w.s.activate_task(batch, false);
    let _ = w.schedule();
    w.waiting_at([5]);
    w.s.yield_task(CPU);
    assert_eq!(w.vruntime(batch), 5 * M + 1);
}

#[test]
fn alone_it_changes_nothing_at_all() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.s.fixture().buddies(CPU, Some(p), None);
    w.advance(MS);
    w.s.yield_task(CPU);
    assert_eq!((w.vruntime(p), w.marks().0), (0, Some(p)));
}

#[test]
fn since_3_2_the_second_runs_unless_it_is_too_far() {
    for tree in [Tree::L32, Tree::L65] {
        for (other, yields) in [(5, true), (6, false)] {
            let mut w = World::new(tree, 8);
            let [p, second] = w.waiting_at([0, other]);
            let _ = w.schedule();
            w.advance(MS);
            w.s.yield_task(CPU);
            assert!(!w.need_resched());
            let expected = if yields { second } else { p };
            assert_eq!(w.schedule().task, Some(expected), "{tree:?} {other}");
            assert_eq!(w.vruntime(p), M, "charged");
        }
    }
}

#[test]
fn in_6_5_who_is_picked_again_is_still_to_be_skipped_and_in_3_2_is_not() {
    // cfs-checked C4.
    for (tree, kept) in [(Tree::L32, false), (Tree::L65, true)] {
        let mut w = World::new(tree, 8);
        let [p, _] = w.waiting_at([0, 6]);
        let _ = w.schedule();
        w.s.yield_task(CPU);
        assert_eq!(w.schedule().task, Some(p));
        assert_eq!(w.s.cfs_rq[0].skip.is_some(), kept, "{tree:?}");
    }
}

#[test]
fn since_3_2_alone_means_alone_on_the_cpu() {
    for (tree, marked) in [(Tree::V32, false), (Tree::L32, true), (Tree::L65, true)] {
        let mut w = World::new(tree, 1);
        let group = w.s.new_group(GroupId(0), 1024);
        w.running(0);
        w.s.yield_task(CPU);
        assert!(w.s.cfs_rq[0].skip.is_none());
        let other = w.sleeper(Policy::Normal, 0, group);
        w.s.activate_task(other, true);
        w.s.yield_task(CPU);
        assert_eq!(w.s.cfs_rq[0].skip.is_some(), marked, "{tree:?}");
    }
}
