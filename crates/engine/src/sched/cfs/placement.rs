//! Where an entity enters the timeline: after a sleep, as a new task, on another CPU.
//!
//! Source: `place_entity`, `task_new_fair` and `set_task_cpu` of 2.6.31 and 2.6.32; `task_fork_fair`,
//! `migrate_task_rq_fair` of 3.2 to 6.5.

use super::slice;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::{ForkPlacement, Rebase, SchedIdle};
use crate::task::TaskId;

/// A sleep beyond this is too long for vruntimes to be compared, ns: 2⁶³ over the weight of nice 0, 104 days
/// (`entity_is_long_sleeper`).
const LONG_SLEEP: u64 = (1 << 63) / 1024;

/// Sets the vruntime of `se` as it enters `q`: `initial` for a new task, else for one that slept.
pub(in crate::sched) fn place_entity(s: &mut Sched, q: CfsRqId, se: EntityId, initial: bool) {
    let min = s.cfs(q).min_vruntime;
    let own = s.se(se).vruntime;
    let placed = if initial {
        min.wrapping_add(start_debit(s, se) as i64)
    } else {
        min.wrapping_sub(sleeper_credit(s, se) as i64)
    };
    let forwards_only = !is_long_sleeper(s, q, se)
        && (!initial || s.rules.fork_placement == ForkPlacement::NotBeforeParent);
    s.se_mut(se).vruntime = if forwards_only {
        own.max(placed)
    } else {
        placed
    };
}

/// Is it so long since `se` ran that its vruntime tells nothing?
fn is_long_sleeper(s: &Sched, q: CfsRqId, se: EntityId) -> bool {
    let (clock, last) = (s.rq_of(q).clock, s.se(se).exec_start);
    s.rules.long_sleeper && last != 0 && clock.saturating_sub(last) > LONG_SLEEP
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
    let idle = s.is_idle_policy(se);
    let latency = s.tunables.sched_latency;
    let credit = if idle && s.rules.sched_idle == SchedIdle::OfItsOwn {
        s.tunables.min_granularity
    } else if s.features.has(Feature::NormalizedSleeper) && !idle {
        s.weighted(latency, s.se(se).load)
    } else {
        latency
    };
    credit >> u32::from(s.features.has(Feature::GentleFairSleepers))
}

/// Places a new task on the CPU of its parent, where the kernel does so before it selects the child's CPU. True
/// if parent and child changed places, which asks for a reschedule.
pub(in crate::sched) fn task_fork(s: &mut Sched, child: TaskId) -> bool {
    if !s.rules.fork_on_parent {
        return false;
    }
    let swapped = place_new(s, child, true);
    let se = s.tasks[child.index()].se;
    s.make_relative(s.se(se).cfs_rq, se);
    swapped
}

/// Enqueues a new task on the CPU it was given, placing it first where that was not done before; `here` if its
/// parent runs on that CPU. True if parent and child changed places now.
pub(in crate::sched) fn fork(s: &mut Sched, child: TaskId, here: bool) -> bool {
    let swapped = !s.rules.fork_on_parent && place_new(s, child, here);
    s.enqueue_task_fair(child, false);
    swapped
}

fn place_new(s: &mut Sched, child: TaskId, here: bool) -> bool {
    let se = s.tasks[child.index()].se;
    let q = s.se(se).cfs_rq;
    s.update_curr(q);
    let curr = s.cfs(q).curr;
    if let (Some(curr), ForkPlacement::NotBeforeParent) = (curr, s.rules.fork_placement) {
        s.se_mut(se).vruntime = s.se(curr).vruntime;
    }
    place_entity(s, q, se, true);
    here && s.tunables.child_runs_first && child_first(s, curr, se)
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

/// Carries a vruntime over to another CPU's queue: the distance to `min_vruntime` is kept, now or when it is
/// enqueued there.
pub(in crate::sched) fn rebase(s: &mut Sched, se: EntityId, from: CfsRqId, to: CfsRqId) {
    match s.rules.rebase {
        Rebase::OnCpuChange => {
            let shift = s.cfs(to).min_vruntime - s.cfs(from).min_vruntime;
            s.se_mut(se).vruntime += shift;
        }
        Rebase::BeforeCharge => s.make_relative(from, se),
        Rebase::AfterCharge => {
            s.make_relative(from, se);
            s.se_mut(se).exec_start = 0;
        }
    }
}
