//! How long an entity may run: the period shared out by weight at every level.
//!
//! Source: `__sched_period`, `sched_slice`, `sched_vslice` of 2.6.31 and 2.6.32.

use crate::sched::Sched;
use crate::sched::rq::EntityId;
use crate::sched::weight::{calc_delta_fair, calc_delta_mine, queue_weight};

/// The time in which `nr` runnable entities should each run once, ns.
pub(in crate::sched) fn sched_period(s: &Sched, nr: u64) -> u64 {
    let t = &s.tunables;
    if nr > t.nr_latency {
        nr.wrapping_mul(t.min_granularity)
    } else {
        t.sched_latency
    }
}

/// The share of `se` in its queue's period, multiplied down by its group's share in the queue above, and
/// so on, ns. An entity that is not queued yet is counted as if it were.
pub(in crate::sched) fn sched_slice(s: &Sched, se: EntityId) -> u64 {
    let entity = s.se(se);
    let nr = s.cfs(entity.cfs_rq).nr_running + u32::from(!entity.on_rq);
    let period = sched_period(s, u64::from(nr));
    s.levels(se).fold(period, |slice, se| {
        let entity = s.se(se);
        let own = entity.load.weight;
        let load = s.cfs(entity.cfs_rq).load + if entity.on_rq { 0 } else { own };
        calc_delta_mine(slice, own, queue_weight(s.rules.fixed_point, load))
    })
}

/// The slice as weighted time: how far a new task starts behind, ns.
pub(in crate::sched) fn sched_vslice(s: &Sched, se: EntityId) -> u64 {
    calc_delta_fair(sched_slice(s, se), s.se(se).load)
}
