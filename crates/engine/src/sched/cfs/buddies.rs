//! The two marks of a queue: `next`, who was woken last, and `last`, who was preempted by it.
//!
//! When they are set is decided in [`super::preempt`], what they are good for in [`super::pick`].
//! 3.2 adds `skip`, who has yielded.
//! Source: `set_last_buddy`, `set_next_buddy`, `set_skip_buddy`, `clear_buddies` of 2.6.31 to 6.5.

use crate::sched::Sched;
use crate::sched::rq::{CfsRq, EntityId};
use crate::sched::rules::BuddyClearing;

/// Marks `se` as last buddy at every level; not a `SCHED_IDLE` task.
pub(super) fn set_last_buddy(s: &mut Sched, se: EntityId) {
    climb(s, se, !s.is_idle_policy(se), |cfs, se| cfs.last = Some(se));
}

/// Marks `se` as next buddy at every level; not a `SCHED_IDLE` task.
pub(super) fn set_next_buddy(s: &mut Sched, se: EntityId) {
    climb(s, se, !s.is_idle_policy(se), |cfs, se| cfs.next = Some(se));
}

/// Marks `se` as to be skipped at every level.
pub(super) fn set_skip_buddy(s: &mut Sched, se: EntityId) {
    climb(s, se, true, |cfs, se| cfs.skip = Some(se));
}

/// A task went to sleep and left others of its group runnable: the group is marked next.
pub(in crate::sched) fn sleeper_leaves(s: &mut Sched, group: EntityId) {
    if s.rules.sleeper_marks_group {
        set_next_buddy(s, group);
    }
}

/// Takes the marks of `se`, and of the groups it is in, away.
pub(in crate::sched) fn clear_buddies(s: &mut Sched, se: EntityId) {
    match s.rules.buddy_clearing {
        BuddyClearing::EveryLevel => climb(s, se, true, clear_marks),
        BuddyClearing::WhileMarked => {
            clear_while_marked(s, se, |cfs| &mut cfs.last);
            clear_while_marked(s, se, |cfs| &mut cfs.next);
            clear_while_marked(s, se, |cfs| &mut cfs.skip);
        }
    }
}

/// Clears one mark upwards for as long as it is on this branch.
fn clear_while_marked(s: &mut Sched, se: EntityId, mark: fn(&mut CfsRq) -> &mut Option<EntityId>) {
    let mut level = Some(se);
    while let Some(se) = level {
        let q = s.se(se).cfs_rq;
        let marked = mark(s.cfs_mut(q));
        if *marked != Some(se) {
            return;
        }
        *marked = None;
        level = s.se(se).parent;
    }
}

/// Takes the marks of `se` away at its own level.
pub(super) fn clear_own(s: &mut Sched, se: EntityId) {
    let q = s.se(se).cfs_rq;
    clear_marks(s.cfs_mut(q), se);
}

fn clear_marks(cfs: &mut CfsRq, se: EntityId) {
    if cfs.last == Some(se) {
        cfs.last = None;
    }
    if cfs.next == Some(se) {
        cfs.next = None;
    }
}

fn climb(s: &mut Sched, se: EntityId, on: bool, mut mark: impl FnMut(&mut CfsRq, EntityId)) {
    let mut level = on.then_some(se);
    while let Some(se) = level {
        let q = s.se(se).cfs_rq;
        mark(s.cfs_mut(q), se);
        level = s.se(se).parent;
    }
}
