//! The two marks of a queue: `next`, who was woken last, and `last`, who was preempted by it.
//!
//! When they are set is decided in [`super::preempt`], what they are good for in [`super::pick`].
//! Source: `set_last_buddy`, `set_next_buddy`, `clear_buddies` of 2.6.31 and 2.6.32.

use crate::sched::Sched;
use crate::sched::rq::EntityId;
use crate::task::Policy;

/// Marks `se` as last buddy at every level; not a `SCHED_IDLE` task.
pub(super) fn set_last_buddy(s: &mut Sched, se: EntityId) {
    climb(s, se, !is_idle_policy(s, se), |cfs, se| cfs.last = Some(se));
}

/// Marks `se` as next buddy at every level; not a `SCHED_IDLE` task.
pub(super) fn set_next_buddy(s: &mut Sched, se: EntityId) {
    climb(s, se, !is_idle_policy(s, se), |cfs, se| cfs.next = Some(se));
}

/// Takes the marks of `se`, and of the groups it is in, away.
pub(in crate::sched) fn clear_buddies(s: &mut Sched, se: EntityId) {
    climb(s, se, true, clear_marks);
}

/// Takes the marks of `se` away at its own level.
pub(super) fn clear_own(s: &mut Sched, se: EntityId) {
    let q = s.se(se).cfs_rq;
    clear_marks(s.cfs_mut(q), se);
}

fn clear_marks(cfs: &mut crate::sched::rq::CfsRq, se: EntityId) {
    if cfs.last == Some(se) {
        cfs.last = None;
    }
    if cfs.next == Some(se) {
        cfs.next = None;
    }
}

fn climb(
    s: &mut Sched,
    se: EntityId,
    on: bool,
    mut mark: impl FnMut(&mut crate::sched::rq::CfsRq, EntityId),
) {
    let mut level = on.then_some(se);
    while let Some(se) = level {
        let q = s.se(se).cfs_rq;
        mark(s.cfs_mut(q), se);
        level = s.se(se).parent;
    }
}

fn is_idle_policy(s: &Sched, se: EntityId) -> bool {
    let policy = s.se(se).task.map(|task| s.tasks[task.index()].policy);
    policy == Some(Policy::Idle)
}
