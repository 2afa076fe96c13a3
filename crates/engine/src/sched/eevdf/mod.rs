//! The rules of EEVDF, 6.6 on: who is owed time, who runs next, who preempts whom.
//!
//! Every entity asks for a slice and gets a deadline for it; of those that have not had more than their share (which
//! are eligible) the one with the earliest deadline runs. One file to a question, as in [`super::cfs`]; what both
//! share is in [`super::entity`] and [`super::schedule`].
//! Not here: CPU selection and balancing.

mod average;
mod buddies;
mod charge;
pub(in crate::sched) mod flat;
mod pick;
mod placement;
mod preempt;
mod protect;
mod queue;
mod reweight;
mod state;
mod tick;
pub mod tree;
mod yielding;

pub(super) use average::entity_eligible;
#[cfg(test)]
pub(super) use average::{avg_vruntime, weight_of as average_weight};
pub(super) use buddies::clear as clear_buddies;
pub(super) use charge::update_curr;
pub(super) use pick::{candidates, judge_entity, settle, why};
pub(super) use preempt::check_preempt_curr;
pub(super) use protect::set as set_protect_slice;
pub(super) use queue::{
    dequeue_group, dequeue_task, enqueue_group, enqueue_task, enter_tree, leave_tree, set_delayed,
};
pub(super) use reweight::{reweight_queued, set_weight_off_queue};
pub use state::{Average, Eevdf, Virtual};
pub(super) use tick::{entity_tick, hrtick_start};
pub(super) use yielding::yield_task;

use crate::sched::Sched;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::VirtualTime;
use crate::sched::timeline::Waiting;
use crate::sched::weight::{NICE_0_LOAD, SCALE_SHIFT, calc_delta};
use crate::task::TaskId;

/// A slice that is asked for is brought into this range, ns (`__setparam_fair`: 100 µs … 100 ms).
const SLICES: core::ops::RangeInclusive<u64> = 100_000..=100_000_000;

/// The queue on which `se` competes: that of its group, since 7.3 that of its CPU.
#[inline]
pub(super) fn queue_of(s: &Sched, se: EntityId) -> CfsRqId {
    let q = s.se(se).cfs_rq;
    if s.rules.flat {
        CfsRqId(u32::from(s.cfs(q).cpu.0))
    } else {
        q
    }
}

/// `se`, which is out of the tree, becomes the running one of its level, and is protected.
#[inline]
pub(super) fn set_next(s: &mut Sched, q: CfsRqId, se: EntityId) {
    if s.rules.flat {
        return flat::set_next(s, se);
    }
    if s.eevdf.se(se).queued {
        protect::set(s, q, se);
    }
    s.eevdf.q_mut(q).curr = Some(se);
}

/// `se`, which was put off its CPU, waits.
#[inline]
pub(super) fn wait(s: &mut Sched, q: CfsRqId, se: EntityId) {
    if s.rules.flat {
        flat::wait(s, se);
    } else {
        enter_tree(s, q, se);
    }
}

/// `se` waits no longer.
#[inline]
pub(super) fn leave(s: &mut Sched, q: CfsRqId, se: EntityId) {
    if s.rules.flat {
        flat::leave(s, se);
    } else {
        leave_tree(s, q, se);
    }
}

/// `se` is no longer the running one of its level.
#[inline]
pub(super) fn put_prev(s: &mut Sched, q: CfsRqId, se: EntityId) {
    if s.rules.flat {
        return flat::put_prev(s, se);
    }
    s.eevdf.q_mut(q).curr = None;
}

/// Does `se` wait in a tree?
pub(super) fn waits(s: &Sched, se: EntityId) -> bool {
    s.eevdf.se(se).queued && s.eevdf.q(queue_of(s, se)).curr != Some(se)
}

/// The running entity of the root queue of a CPU that takes part in the next pick.
pub(super) fn competing(s: &Sched, q: CfsRqId) -> Option<Waiting> {
    let se = average::running(s, q)?;
    let vruntime = s.se(se).vruntime;
    Some(Waiting { vruntime, se })
}

impl Sched {
    /// Time as vruntime of `se`, ns (`calc_delta_fair` on 64 bits).
    pub(super) fn virtual_time(&self, ns: u64, se: EntityId) -> i64 {
        let weight = self.eevdf.se(se).weight;
        let nice_0 = NICE_0_LOAD << SCALE_SHIFT;
        if weight == nice_0 {
            return ns as i64;
        }
        match self.rules.virtual_time {
            VirtualTime::Inverse => {
                let rule = self.rules.fixed_point;
                calc_delta(rule, ns, NICE_0_LOAD, self.se(se).load) as i64
            }
            VirtualTime::Exact => (u128::from(ns) * u128::from(nice_0) / u128::from(weight)) as i64,
        }
    }

    /// `p` asks for a slice, or no longer for one; it counts from its next placement or deadline on. Kernels that know
    /// no such thing take no notice (`__setparam_fair`: `sched_runtime`).
    pub fn set_slice(&mut self, p: TaskId, slice: Option<u64>) {
        if !self.rules.is_eevdf() || !self.rules.custom_slice {
            return;
        }
        let base = self.tunables.base_slice;
        let own = self.eevdf.se_mut(self.tasks[p.index()].se);
        own.custom_slice = slice.is_some();
        own.slice = slice.map_or(base, |ns| ns.clamp(*SLICES.start(), *SLICES.end()));
    }
}

#[cfg(test)]
mod tests;
