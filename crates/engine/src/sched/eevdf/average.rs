//! The weighted average vruntime of a queue, and what follows from it: who is eligible, who lags by how much.
//!
//! All queued entities count: the running one, which waits in no tree, and those that sleep but are still queued.
//! Source: `avg_vruntime`, `vruntime_eligible`, `entity_lag`, `update_entity_lag` of 6.6 to 7.1.

use super::queue_of;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::{AverageWeight, DelayLag, LagLimit};
use crate::sched::weight::scale_load_down;

/// The running entity of `q`, if it counts there.
#[inline]
pub(super) fn running(s: &Sched, q: CfsRqId) -> Option<EntityId> {
    let curr = s.eevdf.q(q).curr;
    curr.filter(|se| s.eevdf.se(*se).queued)
}

/// Σ weight × (vruntime − zero) and Σ weight of all that are queued.
fn members(s: &Sched, q: CfsRqId) -> (i128, u64, i64) {
    let avg = s.eevdf.q(q);
    let (sum, load) = running(s, q).map_or((0, 0), |se| {
        let weight = weight_of(s, se);
        (weighted(weight, s.se(se).vruntime - avg.zero), weight)
    });
    (avg.sum + sum, avg.load + load, avg.zero)
}

const fn weighted(weight: u64, vruntime: i64) -> i128 {
    weight as i128 * vruntime as i128
}

/// The weight with which `se` counts in the average.
pub(in crate::sched) fn weight_of(s: &Sched, se: EntityId) -> u64 {
    let weight = s.eevdf.se(se).weight;
    match s.rules.average_weight {
        AverageWeight::ScaledDown => scale_load_down(weight),
        AverageWeight::Full => weight,
    }
}

/// Σ weight of all that are queued on `q`, as they count in the average.
pub(super) fn load_of(s: &Sched, q: CfsRqId) -> u64 {
    members(s, q).1
}

/// The average, rounded down; of an empty queue what it last was (`avg_vruntime`).
pub(in crate::sched) fn avg_vruntime(s: &Sched, q: CfsRqId) -> i64 {
    let (sum, load, zero) = members(s, q);
    zero + quotient(sum, load)
}

/// ⌊`sum` / `load`⌋, 0 of nothing.
fn quotient(sum: i128, load: u64) -> i64 {
    if load == 0 {
        return 0;
    }
    match i64::try_from(sum) {
        Ok(sum) => sum.div_euclid(load as i64),
        Err(_) => sum.div_euclid(i128::from(load)) as i64,
    }
}

/// Is that vruntime not beyond the exact average of `q`? The average itself is rounded down, so that it always is
/// (`vruntime_eligible`).
pub(super) fn vruntime_eligible(s: &Sched, q: CfsRqId, vruntime: i64) -> bool {
    let (sum, load, zero) = members(s, q);
    sum >= weighted(load, vruntime - zero)
}

/// The average of those that wait, rounded down; if nobody does that of `alone`, which runs.
pub(super) fn avg_waiting(s: &Sched, q: CfsRqId, alone: EntityId) -> i64 {
    let avg = s.eevdf.q(q);
    if avg.load == 0 {
        return s.se(alone).vruntime;
    }
    avg.zero + quotient(avg.sum, avg.load)
}

/// [`vruntime_eligible`] of many vruntimes of one queue.
pub(super) fn eligible_on(s: &Sched, q: CfsRqId) -> impl Fn(i64) -> bool {
    let (sum, load, zero) = members(s, q);
    move |vruntime| sum >= weighted(load, vruntime - zero)
}

/// Has `se` not had more than its share (`entity_eligible`)?
pub(in crate::sched) fn entity_eligible(s: &Sched, se: EntityId) -> bool {
    vruntime_eligible(s, queue_of(s, se), s.se(se).vruntime)
}

/// `se` enters or leaves the tree of `q`.
pub(super) fn count(s: &mut Sched, q: CfsRqId, se: EntityId, enters: bool) {
    let (weight, vruntime) = (weight_of(s, se), s.se(se).vruntime);
    let avg = s.eevdf.q_mut(q);
    let part = weighted(weight, vruntime - avg.zero);
    if enters {
        avg.sum += part;
        avg.load += weight;
    } else {
        avg.sum -= part;
        avg.load -= weight;
    }
}

/// Counts vruntimes from the present average on: the sums stay small, and an empty queue remembers it
/// (`update_zero_vruntime`).
pub(super) fn settle(s: &mut Sched, q: CfsRqId) {
    let now = avg_vruntime(s, q);
    let avg = s.eevdf.q_mut(q);
    avg.sum -= weighted(avg.load, now - avg.zero);
    avg.zero = now;
}

/// How far behind the average `se` is, within what its version allows, ns (`entity_lag`).
pub(in crate::sched) fn entity_lag(s: &Sched, q: CfsRqId, se: EntityId) -> i64 {
    let lag = avg_vruntime(s, q) - s.se(se).vruntime;
    let limit = lag_limit(s, q, se);
    lag.clamp(-limit, limit)
}

/// No lag counts for more, ns.
pub(in crate::sched) fn lag_limit(s: &Sched, q: CfsRqId, se: EntityId) -> i64 {
    let tick = s.hz.period().0;
    let time = match s.rules.lag_limit {
        LagLimit::TwoSlices => tick.max(2 * s.eevdf.se(se).slice),
        LagLimit::LongestQueued => longest_slice(s, q) + tick,
    };
    s.virtual_time(time, se)
}

/// The longest slice of all that are queued on `q`, ns (`cfs_rq_max_slice`).
fn longest_slice(s: &Sched, q: CfsRqId) -> u64 {
    let waiting = s.eevdf.q(q).tree.max_slice();
    running_slice(s, q).max(waiting).unwrap_or(0)
}

/// The shortest slice of all that are queued on `q`, ns (`cfs_rq_min_slice`).
pub(super) fn shortest_slice(s: &Sched, q: CfsRqId) -> Option<u64> {
    let both = running_slice(s, q).into_iter();
    both.chain(s.eevdf.q(q).tree.min_slice()).min()
}

fn running_slice(s: &Sched, q: CfsRqId) -> Option<u64> {
    running(s, q).map(|se| s.eevdf.se(se).slice)
}

/// Stores the lag of `se`, still counted on `q`; true if that is not where it stands (`update_entity_lag`).
pub(super) fn update_entity_lag(s: &mut Sched, q: CfsRqId, se: EntityId) -> bool {
    let mut lag = entity_lag(s, q, se);
    let before = s.eevdf.se(se);
    if before.sched_delayed && s.rules.delay_lag == DelayLag::NoGrowth {
        lag = lag.max(before.vlag);
        if s.features.has(Feature::DelayZero) {
            lag = lag.min(0);
        }
    }
    settle(s, q);
    s.eevdf.se_mut(se).vlag = lag;
    avg_vruntime(s, q) - lag != s.se(se).vruntime
}
