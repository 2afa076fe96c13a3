//! What precedes the scheduling class: activate and deactivate, move between CPUs, start a new task,
//! schedule(), nice and affinity.
//!
//! The order of steps inside each function is the kernel's; the order of the calls is the driver's, as the
//! door ([`super`]) says. Source: kernel/sched.c of 2.6.31 and 2.6.32.

use super::decision::{Pick, PickWhy, Preempt, PreemptWhy, Tick};
use super::features::Feature;
use super::rq::{CfsRqId, EntityId, GroupId};
use super::weight::task_weight;
use super::{Sched, WakeFlags, cfs};
use crate::machine::{CpuId, CpuMask};
use crate::task::{Nice, TaskId};

impl Sched {
    /// The queue of `group` on `cpu`.
    pub(super) fn group_cfs_rq(&self, group: GroupId, cpu: CpuId) -> CfsRqId {
        CfsRqId(group.0 * self.rq.len() as u32 + u32::from(cpu.0))
    }

    /// Gives `p` another CPU while it is not queued, with its vruntime carried over (`set_task_cpu`).
    pub fn set_task_cpu(&mut self, p: TaskId, cpu: CpuId) {
        let task = &mut self.tasks[p.index()];
        let (se, group) = (task.se, task.group);
        task.cpu = cpu;
        let (from, to) = (self.se(se).cfs_rq, self.group_cfs_rq(group, cpu));
        debug_assert!(
            !self.se(se).on_rq,
            "only a task off the queue changes its CPU"
        );
        if from != to {
            cfs::rebase(self, se, from, to);
            let parent = self.cfs(to).se;
            let entity = self.se_mut(se);
            (entity.cfs_rq, entity.parent) = (to, parent);
        }
    }

    /// The flags of a wakeup whose waker gives, or does not give, the sync hint; without `SYNC_WAKEUPS` it
    /// counts for nothing further on (`try_to_wake_up`).
    pub fn wake_flags(&self, sync: bool) -> WakeFlags {
        WakeFlags {
            sync: sync && self.features.has(Feature::SyncWakeups),
            fork: false,
        }
    }

    /// Enqueues `p` on its CPU; `wakeup` places it as one that slept (`activate_task`, `enqueue_task`).
    pub fn activate_task(&mut self, p: TaskId, wakeup: bool) {
        if wakeup {
            cfs::at_wakeup(self, p);
        }
        self.enqueue_task_fair(p, wakeup);
        self.rq_of_task_mut(p).nr_running += 1;
    }

    /// Dequeues `p`; `sleep` if it blocks or exits (`deactivate_task`, `dequeue_task`).
    pub fn deactivate_task(&mut self, p: TaskId, sleep: bool) {
        if sleep {
            cfs::at_sleep(self, p);
        }
        self.dequeue_task_fair(p);
        self.rq_of_task_mut(p).nr_running -= 1;
    }

    /// Places and enqueues a new task on the CPU it was given, and asks whether it preempts; `this` is the
    /// CPU its parent runs on (`wake_up_new_task`).
    pub fn wake_up_new_task(&mut self, child: TaskId, this: CpuId) -> Preempt {
        let cpu = self.tasks[child.index()].cpu;
        let swapped = cfs::fork(self, child, this == cpu);
        self.rq[cpu.index()].nr_running += 1;
        let flags = WakeFlags {
            sync: false,
            fork: true,
        };
        let verdict = self.check_preempt_curr(cpu, child, flags);
        if swapped {
            return Preempt {
                yes: true,
                why: PreemptWhy::ChildRunsFirst,
                ..verdict
            };
        }
        verdict
    }

    /// Moves a queued, not running task to another CPU's queue and asks whether it preempts there
    /// (`pull_task`, `__migrate_task`).
    pub fn move_task(&mut self, p: TaskId, to: CpuId) -> Preempt {
        self.deactivate_task(p, false);
        self.set_task_cpu(p, to);
        self.activate_task(p, false);
        self.check_preempt_curr(to, p, WakeFlags::default())
    }

    /// Asks a CPU to reschedule (`resched_task(rq->curr)`).
    pub(super) fn resched(&mut self, cpu: CpuId) {
        self.rq[cpu.index()].need_resched = true;
    }

    /// schedule() begins: the request is taken back, an armed hrtick disarmed.
    pub fn begin_schedule(&mut self, cpu: CpuId) {
        let rq = &mut self.rq[cpu.index()];
        rq.need_resched = false;
        rq.hrtick = None;
    }

    /// The running task of `cpu` goes back to wait, if it is still runnable (`put_prev_task`).
    pub fn put_prev_task(&mut self, cpu: CpuId) {
        let Some(prev) = self.rq[cpu.index()].curr else {
            return;
        };
        cfs::at_put_prev(self, prev);
        let mut level = Some(self.tasks[prev.index()].se);
        while let Some(se) = level {
            let entity = self.se(se);
            level = entity.parent;
            let q = entity.cfs_rq;
            self.put_prev_entity(q, se);
        }
    }

    /// Who would run next on `cpu`, after [`Sched::put_prev_task`].
    pub fn judge_pick(&self, cpu: CpuId) -> Pick {
        let mut q = CfsRqId(u32::from(cpu.0));
        let mut pick = Pick {
            task: None,
            why: PickWhy::Idle,
        };
        while let Some((se, role)) = cfs::judge_entity(self, q) {
            if pick.why == PickWhy::Idle {
                pick.why = cfs::why(self, q, role);
            }
            pick.task = self.se(se).task;
            let Some(below) = self.se(se).my_q else { break };
            q = below;
        }
        pick
    }

    /// Picks who runs next on `cpu` and makes it current (`pick_next_task`, and schedule()'s
    /// `rq->curr = next`).
    pub fn pick_next_task(&mut self, cpu: CpuId) -> Pick {
        let pick = self.commit_pick(cpu);
        if let Some(next) = pick.task {
            cfs::hrtick_start(self, cpu, next);
        }
        self.switch_to(cpu, pick.task);
        pick
    }

    fn commit_pick(&mut self, cpu: CpuId) -> Pick {
        let mut q = CfsRqId(u32::from(cpu.0));
        let mut pick = Pick {
            task: None,
            why: PickWhy::Idle,
        };
        while let Some((se, role)) = cfs::judge_entity(self, q) {
            if pick.why == PickWhy::Idle {
                pick.why = cfs::why(self, q, role);
            }
            cfs::commit_pick(self, q, se, role);
            self.set_next_entity(q, se);
            pick.task = self.se(se).task;
            let Some(below) = self.se(se).my_q else { break };
            q = below;
        }
        pick
    }

    /// `next` becomes current. The reschedule flag is the task's own: one set on `prev` after schedule()
    /// began stays with it until it runs again, and one that `next` was left with shows now.
    fn switch_to(&mut self, cpu: CpuId, next: Option<TaskId>) {
        let rq = &mut self.rq[cpu.index()];
        let prev = core::mem::replace(&mut rq.curr, next);
        if prev == next {
            return;
        }
        let flag_of_next = match next {
            Some(next) => &mut self.tasks[next.index()].need_resched,
            None => &mut rq.idle_need_resched,
        };
        let shown = core::mem::take(flag_of_next);
        let left = core::mem::replace(&mut rq.need_resched, shown);
        match prev {
            Some(prev) => self.tasks[prev.index()].need_resched = left,
            None => rq.idle_need_resched = left,
        }
    }

    /// Would `p`, just enqueued on `cpu`, preempt its running task?
    pub fn check_preempt(&self, cpu: CpuId, p: TaskId, flags: WakeFlags) -> Preempt {
        cfs::check_preempt(self, cpu, p, flags)
    }

    /// The same, leaving the kernel's marks: the running task charged, buddies set, the reschedule asked
    /// for (`check_preempt_curr`).
    pub fn check_preempt_curr(&mut self, cpu: CpuId, p: TaskId, flags: WakeFlags) -> Preempt {
        cfs::check_preempt_curr(self, cpu, p, flags)
    }

    /// `waker` has just enqueued a task that it woke, not from an interrupt (`try_to_wake_up`).
    pub fn record_wakeup_by(&mut self, waker: TaskId) {
        cfs::of_waker(self, waker);
    }

    /// The running task of `cpu` yields; schedule() follows (`yield_task_fair`).
    pub fn yield_task(&mut self, cpu: CpuId) {
        cfs::yield_task(self, cpu);
    }

    /// The periodic tick's look at the running task, after the clock and `cpu_load` (`task_tick_fair`).
    pub fn task_tick(&mut self, cpu: CpuId) -> Tick {
        cfs::task_tick(self, cpu)
    }

    /// The hrtick of `cpu` fires, after the clock (`hrtick`).
    pub fn hrtick_fire(&mut self, cpu: CpuId) -> Tick {
        cfs::hrtick_fire(self, cpu)
    }

    /// Gives `p` another nice value: a queued task is taken off and put back at the same vruntime with its
    /// new weight. One that became heavier, or is running and became lighter, asks its CPU to reschedule
    /// (`set_user_nice`).
    pub fn set_nice(&mut self, p: TaskId, nice: Nice) {
        let task = &self.tasks[p.index()];
        let (se, cpu, old, policy) = (task.se, task.cpu, task.nice, task.policy);
        if nice == old {
            return;
        }
        let queued = self.se(se).on_rq;
        if queued {
            self.dequeue_task_fair(p);
        }
        self.tasks[p.index()].nice = nice;
        self.se_mut(se).load = task_weight(policy, nice);
        if queued {
            self.enqueue_task_fair(p, false);
            let running = self.rq[cpu.index()].curr == Some(p);
            if nice < old || running {
                self.resched(cpu);
            }
        }
    }

    /// Gives `p` another mask. A sleeping task that may not stay on its CPU is given another at once; for a
    /// queued one the CPU it must go to is returned: the driver puts it off its CPU first if it runs, then
    /// calls [`Sched::move_task`] (`set_cpus_allowed_ptr`, `migrate_task`).
    pub fn set_allowed(&mut self, p: TaskId, allowed: CpuMask) -> Option<CpuId> {
        let task = &mut self.tasks[p.index()];
        task.allowed = allowed;
        let (se, cpu) = (task.se, task.cpu);
        let to = allowed.lowest().filter(|_| !allowed.contains(cpu))?;
        if self.se(se).on_rq {
            return Some(to);
        }
        self.set_task_cpu(p, to);
        None
    }
}

/// A task's entity and what is above it, for comparing across groups.
impl Sched {
    /// Lifts both entities to where their ancestors share a queue (`find_matching_se`).
    pub(super) fn find_matching_se(&self, a: EntityId, b: EntityId) -> (EntityId, EntityId) {
        if self.se(a).cfs_rq == self.se(b).cfs_rq {
            return (a, b);
        }
        self.climb_to_match(a, b)
    }

    fn climb_to_match(&self, mut a: EntityId, mut b: EntityId) -> (EntityId, EntityId) {
        let (mut above_a, mut above_b) = (self.levels(a).count(), self.levels(b).count());
        let up = |se| {
            self.se(se)
                .parent
                .expect("both climb to the root of one CPU")
        };
        while self.se(a).cfs_rq != self.se(b).cfs_rq {
            let (a_climbs, b_climbs) = (above_a >= above_b, above_b >= above_a);
            if a_climbs {
                (a, above_a) = (up(a), above_a - 1);
            }
            if b_climbs {
                (b, above_b) = (up(b), above_b - 1);
            }
        }
        (a, b)
    }
}
