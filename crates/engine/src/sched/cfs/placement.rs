//! Where an entity enters the timeline: after a sleep, as a new task, on another CPU.
//!
//! Source: `place_entity`, `task_new_fair` and `set_task_cpu` of 2.6.31 and 2.6.32.

use super::slice;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::ForkPlacement;
use crate::sched::weight::calc_delta_fair;
use crate::task::{Policy, TaskId};

/// Sets the vruntime of `se` as it enters `q`: `initial` for a new task, else for one that slept.
pub(in crate::sched) fn place_entity(s: &mut Sched, q: CfsRqId, se: EntityId, initial: bool) {
    let min = s.cfs(q).min_vruntime;
    let own = s.se(se).vruntime;
    let placed = if initial {
        min.wrapping_add(start_debit(s, se) as i64)
    } else {
        min.wrapping_sub(sleeper_credit(s, se) as i64)
    };
    let forwards_only = !initial || s.rules.fork_placement == ForkPlacement::NotBeforeParent;
    s.se_mut(se).vruntime = if forwards_only {
        own.max(placed)
    } else {
        placed
    };
}

/// How far right of `min_vruntime` a new task starts, weighted ns.
fn start_debit(s: &Sched, se: EntityId) -> u64 {
    if s.features.has(Feature::StartDebit) {
        slice::sched_vslice(s, se)
    } else {
        0
    }
}

/// How far left of `min_vruntime` a sleeper may come back, weighted ns.
fn sleeper_credit(s: &Sched, se: EntityId) -> u64 {
    if !s.features.has(Feature::FairSleepers) {
        return 0;
    }
    let policy = s.se(se).task.map(|task| s.tasks[task.index()].policy);
    let latency = s.tunables.sched_latency;
    let normalized = s.features.has(Feature::NormalizedSleeper) && policy != Some(Policy::Idle);
    let credit = if normalized {
        calc_delta_fair(latency, s.se(se).load)
    } else {
        latency
    };
    credit >> u32::from(s.features.has(Feature::GentleFairSleepers))
}

/// Places and enqueues a new task on the CPU it was given; `here` if its parent runs on that CPU. True if
/// parent and child changed places, which asks for a reschedule.
pub(in crate::sched) fn fork(s: &mut Sched, child: TaskId, here: bool) -> bool {
    let se = s.tasks[child.index()].se;
    let q = s.se(se).cfs_rq;
    s.update_curr(q);
    let curr = s.cfs(q).curr;
    if let (Some(curr), ForkPlacement::NotBeforeParent) = (curr, s.rules.fork_placement) {
        s.se_mut(se).vruntime = s.se(curr).vruntime;
    }
    place_entity(s, q, se, true);
    let swapped = here && s.tunables.child_runs_first && child_first(s, curr, se);
    s.enqueue_task_fair(child, false);
    swapped
}

/// Lets the child have the smaller vruntime of the two. A parent in another group is not `curr` of the
/// child's queue.
fn child_first(s: &mut Sched, curr: Option<EntityId>, child: EntityId) -> bool {
    let Some(curr) = curr else { return false };
    let (parent_v, child_v) = (s.se(curr).vruntime, s.se(child).vruntime);
    if parent_v >= child_v {
        return false;
    }
    s.se_mut(curr).vruntime = child_v;
    s.se_mut(child).vruntime = parent_v;
    let cpu = s.cfs(s.se(curr).cfs_rq).cpu;
    s.resched(cpu);
    true
}

/// Carries a vruntime over to another CPU's queue: the distance to `min_vruntime` is kept.
pub(in crate::sched) fn rebase(s: &mut Sched, se: EntityId, from: CfsRqId, to: CfsRqId) {
    let shift = s.cfs(to).min_vruntime - s.cfs(from).min_vruntime;
    s.se_mut(se).vruntime += shift;
}
