//! Which policy a question of the fair class goes to: CFS or EEVDF.
//!
//! The mechanics that both share ask here.

use super::cfs::{Candidate, Role};
use super::decision::{PickWhy, Preempt, Tick, TickWhy};
use super::entity::Dequeue;
use super::rq::{CfsRqId, EntityId};
use super::rules::HrtickRule;
use super::{Sched, WakeFlags, cfs, eevdf};
use crate::machine::CpuId;
use crate::task::TaskId;
use alloc::vec::Vec;

/// Candidates listed for one queue of EEVDF, where all that wait are compared.
const LISTED: usize = 40;

/// Whom schedule() takes of `q`, and as what.
#[inline]
pub(super) fn judge_entity(s: &Sched, q: CfsRqId) -> Option<(EntityId, Role)> {
    if s.rules.is_eevdf() {
        eevdf::judge_entity(s, q)
    } else {
        cfs::judge_entity(s, q)
    }
}

/// How the entities of `q` compare for that, the one that is taken last.
pub(super) fn candidates(s: &Sched, q: CfsRqId) -> Vec<Candidate> {
    if s.rules.is_eevdf() {
        eevdf::candidates(s, q, LISTED)
    } else {
        cfs::candidates(s, q).collect()
    }
}

/// The reason for a pick out of `q` in that role.
pub(super) fn why(s: &Sched, q: CfsRqId, role: Role) -> PickWhy {
    if s.rules.is_eevdf() {
        eevdf::why(s, q, role)
    } else {
        cfs::why(s, q, role)
    }
}

/// Takes the marks of an entity, and of the groups it is in, away.
pub(super) fn clear_buddies(s: &mut Sched, se: EntityId) {
    if s.rules.is_eevdf() {
        eevdf::clear_buddies(s, se);
    } else {
        cfs::clear_buddies(s, se);
    }
}

/// Would `p`, just enqueued on `cpu`, preempt its running task?
pub(super) fn check_preempt(s: &Sched, cpu: CpuId, p: TaskId, flags: WakeFlags) -> Preempt {
    if s.rules.is_eevdf() {
        // Charging, picking and what is dropped on the way are one.
        eevdf::check_preempt_curr(&mut s.clone(), cpu, p, flags)
    } else {
        cfs::check_preempt(s, cpu, p, flags)
    }
}

/// The same, leaving the kernel's marks.
pub(super) fn check_preempt_curr(
    s: &mut Sched,
    cpu: CpuId,
    p: TaskId,
    flags: WakeFlags,
) -> Preempt {
    if s.rules.is_eevdf() {
        eevdf::check_preempt_curr(s, cpu, p, flags)
    } else {
        cfs::check_preempt_curr(s, cpu, p, flags)
    }
}

/// The running task of `cpu` yields.
pub(super) fn yield_task(s: &mut Sched, cpu: CpuId) {
    if s.rules.is_eevdf() {
        eevdf::yield_task(s, cpu);
    } else {
        cfs::yield_task(s, cpu);
    }
}

/// The periodic tick.
pub(super) fn task_tick(s: &mut Sched, cpu: CpuId) -> Tick {
    if s.rules.flat {
        return eevdf::flat::task_tick(s, cpu);
    }
    let check = if s.rules.is_eevdf() {
        eevdf::entity_tick
    } else {
        cfs::entity_tick
    };
    each_level(s, cpu, check)
}

/// The hrtick of `cpu` fires: the slice is over.
pub(super) fn hrtick_fire(s: &mut Sched, cpu: CpuId) -> Tick {
    s.rq[cpu.index()].hrtick = None;
    if s.rules.flat {
        let _ = eevdf::flat::task_tick(s, cpu);
        s.resched(cpu);
        let why = TickWhy::HrtickFired;
        return Tick { resched: true, why };
    }
    each_level(s, cpu, |s, q, _| {
        s.update_curr(q);
        TickWhy::HrtickFired
    })
}

/// Checks every level from the task up; the first that asks for a reschedule is what is reported.
fn each_level(
    s: &mut Sched,
    cpu: CpuId,
    check: impl Fn(&mut Sched, CfsRqId, EntityId) -> TickWhy,
) -> Tick {
    let mut verdict = Tick {
        resched: false,
        why: TickWhy::Idle,
    };
    let curr = s.rq[cpu.index()].curr;
    let mut level = curr.map(|task| s.tasks[task.index()].se);
    while let Some(se) = level {
        let why = check(s, s.se(se).cfs_rq, se);
        if !verdict.resched && (why.reschedules() || verdict.why == TickWhy::Idle) {
            verdict = Tick {
                resched: why.reschedules(),
                why,
            };
        }
        level = s.se(se).parent;
    }
    // The timer asks at once, but for 6.18 to 7.0.
    let at_once = verdict.why == TickWhy::HrtickFired && s.rules.hrtick == HrtickRule::Deadline;
    if verdict.resched && at_once {
        s.resched(cpu);
    } else if verdict.resched {
        s.resched_lazy(cpu);
    }
    verdict
}

/// Sets the hrtick for a task that was picked.
pub(super) fn hrtick_start(s: &mut Sched, cpu: CpuId, task: TaskId) {
    if s.rules.is_eevdf() {
        eevdf::hrtick_start(s, cpu, task);
    } else {
        cfs::hrtick_start(s, cpu, task);
    }
}

/// Places a new task on its parent's CPU, where the kernel does so before it selects the child's; true if that asks
/// for a reschedule.
pub(super) fn task_fork(s: &mut Sched, child: TaskId) -> bool {
    if !s.rules.is_eevdf() {
        return cfs::task_fork(s, child);
    }
    if !s.rules.initial_at_enqueue {
        // `task_fork_fair` of 6.6 places it, too, which its real enqueue does anew.
        let q = s.se(s.tasks[child.index()].se).cfs_rq;
        s.update_curr(q);
    }
    false
}

/// A new task gets onto the queue of its CPU; true if it has changed places with its parent.
pub(super) fn fork(s: &mut Sched, child: TaskId, here: bool) -> bool {
    if s.rules.is_eevdf() {
        eevdf::enqueue_task(s, child, true);
        false
    } else {
        cfs::fork(s, child, here)
    }
}

impl Sched {
    /// Before [`Sched::put_prev_task`], and before it is asked whether anything is left to run: where the pick comes
    /// upon tasks that sleep but are still queued, those leave now (`pick_task_fair`, 6.12 on).
    #[inline]
    pub fn settle_pick(&mut self, cpu: CpuId) {
        if self.rules.is_eevdf() && self.rt_first(cpu).is_none() {
            eevdf::settle(self, cpu);
        }
    }

    /// A task that leaves goes off its queue, unless it sleeps and stays for what it owes.
    #[inline]
    pub(super) fn dequeue_fair(&mut self, task: TaskId, how: Dequeue, special: bool) {
        if self.rules.is_eevdf() {
            eevdf::dequeue_task(self, task, how, special);
        } else {
            self.dequeue_task_fair(task, how);
        }
    }

    /// A task gets onto its queue.
    #[inline]
    pub(super) fn enqueue_fair(&mut self, task: TaskId, wakeup: bool) {
        if self.rules.is_eevdf() {
            eevdf::enqueue_task(self, task, false);
        } else {
            self.enqueue_task_fair(task, wakeup);
        }
    }
}
