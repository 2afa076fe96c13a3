//! How long an entity may run: the period shared out by weight at every level.
//!
//! Source: `__sched_period`, `sched_slice`, `sched_vslice` of 2.6.31 to 6.5.

use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::SchedIdle;
use crate::sched::weight::{calc_delta, queue_weight};

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
    let nr = sharing(s, entity.cfs_rq) + u32::from(!entity.on_rq);
    let period = sched_period(s, u64::from(nr));
    let slice = s.levels(se).fold(period, |slice, se| {
        let entity = s.se(se);
        let own = entity.load.weight;
        let load = s.cfs(entity.cfs_rq).load + if entity.on_rq { 0 } else { own };
        let rule = s.rules.fixed_point;
        calc_delta(rule, slice, own, queue_weight(rule, load))
    });
    slice.max(shortest(s, se))
}

/// How many share the period: the entities of the queue, or with `ALT_PERIOD` every fair task of the CPU.
fn sharing(s: &Sched, q: CfsRqId) -> u32 {
    if s.features.has(Feature::AltPeriod) {
        s.rq_of(q).h_nr_running
    } else {
        s.cfs(q).nr_running
    }
}

/// What a slice is not to fall below, ns (`BASE_SLICE`).
fn shortest(s: &Sched, se: EntityId) -> u64 {
    if !s.features.has(Feature::BaseSlice) {
        return 0;
    }
    let cfs = s.cfs(s.se(se).cfs_rq);
    let only_idle = cfs.nr_running > 0 && cfs.nr_running == cfs.idle_nr_running;
    if s.rules.sched_idle == SchedIdle::OfItsOwn && s.is_idle_policy(se) && !only_idle {
        s.tunables.idle_min_granularity
    } else {
        s.tunables.min_granularity
    }
}

/// The slice as weighted time: how far a new task starts behind, ns.
pub(in crate::sched) fn sched_vslice(s: &Sched, se: EntityId) -> u64 {
    s.weighted(sched_slice(s, se), s.se(se).load)
}
