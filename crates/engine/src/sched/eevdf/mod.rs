//! The rules of EEVDF, 6.6 on: who is owed time, who runs next, who preempts whom.
//!
//! Every entity asks for a slice and gets a deadline for it; of those that have not had more than their share (which
//! are eligible) the one with the earliest deadline runs. One file to a question, as in [`super::cfs`]; what both
//! share is in [`super::entity`] and [`super::schedule`].
//! Not here: CPU selection and balancing.

mod average;
mod buddies;
mod charge;
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

#[cfg(test)]
pub(super) use average::{avg_vruntime, entity_eligible, weight_of as average_weight};
pub(super) use buddies::clear as clear_buddies;
pub(super) use charge::update_curr;
pub(super) use pick::{candidates, judge_entity, settle, why};
pub(super) use preempt::check_preempt_curr;
pub(super) use protect::set as set_protect_slice;
pub(super) use queue::{
    dequeue_entity, dequeue_task, enqueue_entity, enqueue_task, enter_tree, leave_tree, set_delayed,
};
pub(super) use reweight::{reweight_queued, set_weight_off_queue};
pub use state::{Average, Eevdf, Virtual};
pub(super) use tick::{entity_tick, hrtick_start};
pub(super) use yielding::yield_task;

use crate::sched::Sched;
use crate::sched::rq::EntityId;
use crate::sched::rules::VirtualTime;
use crate::sched::weight::{NICE_0_LOAD, SCALE_SHIFT, calc_delta};
use crate::task::TaskId;

/// A slice that is asked for is brought into this range, ns (`__setparam_fair`: 100 µs … 100 ms).
const SLICES: core::ops::RangeInclusive<u64> = 100_000..=100_000_000;

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
