//! The one mark that is left: `next`.
//!
//! Source: `set_next_buddy`, `clear_buddies` of 6.6 to 7.1.

use super::flat;
use crate::sched::Sched;
use crate::sched::rq::EntityId;

/// Marks `se` and the groups it is in, as long as they are queued; not a `SCHED_IDLE` task (`set_next_buddy`).
pub(in crate::sched) fn set_next(s: &mut Sched, se: EntityId) {
    if s.rules.flat {
        return flat::set_next_buddy(s, se);
    }
    let mut level = Some(se);
    while let Some(se) = level {
        let entity = s.se(se);
        if !entity.on_rq || s.is_idle_policy(se) {
            return;
        }
        let (q, parent) = (entity.cfs_rq, entity.parent);
        s.cfs_mut(q).next = Some(se);
        level = parent;
    }
}

/// Takes the mark of `se` away, and of the groups it is in while they have it; never that of another
/// (`clear_buddies`).
pub(in crate::sched) fn clear(s: &mut Sched, se: EntityId) {
    if s.rules.flat {
        return flat::clear_buddy(s, se);
    }
    let mut level = Some(se);
    while let Some(se) = level {
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        if s.cfs(q).next != Some(se) {
            return;
        }
        s.cfs_mut(q).next = None;
        level = parent;
    }
}
