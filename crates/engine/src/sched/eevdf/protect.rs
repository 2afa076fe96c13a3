//! For how long the running entity is left alone by the pick and by the tick.
//!
//! 6.6 and 6.12 protect it until its deadline moves, later kernels up to a vruntime.
//! Source: `set_next_entity` of 6.6 and 6.12; `set_protect_slice`, `update_protect_slice`, `protect_slice`,
//! `cancel_protect_slice` of 6.18 to 7.3.

use super::average::{avg_vruntime, avg_waiting, shortest_slice};
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::{Parity, Protection};

/// `se`, which is no longer in the tree of `q`, begins to run (`set_protect_slice`).
pub(in crate::sched) fn set(s: &mut Sched, q: CfsRqId, se: EntityId) {
    if s.rules.parity == Parity::UntilDeadlineMoves {
        s.eevdf.se_mut(se).parity = true;
        return;
    }
    let own = s.eevdf.se(se);
    let shortest = if s.features.has(Feature::RunToParity) {
        shortest_slice(s, q).unwrap_or(u64::MAX)
    } else {
        s.tunables.normalized_base_slice
    };
    let (slice, deadline) = (own.slice.min(shortest), own.deadline);
    let vprot = if slice == own.slice {
        deadline
    } else {
        deadline.min(until(s, q, se, slice))
    };
    s.eevdf.se_mut(se).vprot = vprot;
}

/// For how long `se` is protected while a slice of `shortest` waits.
fn until(s: &Sched, q: CfsRqId, se: EntityId, shortest: u64) -> i64 {
    let gives_way = s.features.has(Feature::PreemptShort);
    match s.rules.protection {
        // At the average of the others it is eligible for the last time (`ineligible_vruntime`).
        Protection::WhileEligible if gives_way => avg_waiting(s, q, se) + 1,
        Protection::WhileEligible | Protection::ShortestSlice => {
            s.se(se).vruntime + s.virtual_time(shortest, se)
        }
    }
}

/// A wakeup did not preempt `se`: it is protected for no more than the shortest slice from now on
/// (`update_protect_slice`).
pub(super) fn shorten(s: &mut Sched, q: CfsRqId, se: EntityId) {
    let shortest = shortest_slice(s, q).unwrap_or(u64::MAX);
    let mut from = s.se(se).vruntime;
    if s.rules.shortens_from_average {
        from = from.min(avg_vruntime(s, q));
    }
    let until = from.saturating_add(s.virtual_time(shortest.min(i64::MAX as u64), se));
    let entity = s.eevdf.se_mut(se);
    entity.vprot = entity.vprot.min(until);
}

/// Is `se` protected (`protect_slice`)? The feature `RUN_TO_PARITY` gates the older form here, the newer one when it
/// is set.
pub(in crate::sched) fn holds(s: &Sched, se: EntityId) -> bool {
    let entity = s.eevdf.se(se);
    match s.rules.parity {
        Parity::UntilDeadlineMoves => entity.parity && s.features.has(Feature::RunToParity),
        Parity::UpToVruntime => s.se(se).vruntime < entity.vprot,
    }
}

/// `se` is no longer protected (`cancel_protect_slice`; 6.12: `do_preempt_short`).
pub(super) fn cancel(s: &mut Sched, se: EntityId) {
    let vruntime = s.se(se).vruntime;
    let entity = s.eevdf.se_mut(se);
    entity.parity = false;
    entity.vprot = entity.vprot.min(vruntime);
}
