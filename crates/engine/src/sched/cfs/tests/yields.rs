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
