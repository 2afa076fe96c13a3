//! Which class a question goes to: that of the task it is about, or of the one that runs.
//!
//! Here are the calls that [`super::schedule`] makes of a class and those of the door that are nothing else.
//! Source: kernel/sched.c of 2.6.31 to 3.2, kernel/sched/core.c of 6.1 and 6.5.

use super::decision::{Preempt, PreemptWhy, Tick};
use super::entity::Dequeue;
use super::rq::Skipping;
use super::rules::ClockSkip;
use super::{Sched, WakeFlags, cfs, fair};
use crate::machine::CpuId;
use crate::task::TaskId;

impl Sched {
    /// Would `p`, just enqueued on `cpu`, preempt its running task?
    pub fn check_preempt(&self, cpu: CpuId, p: TaskId, flags: WakeFlags) -> Preempt {
        let by_class = self.judge_classes(cpu, p);
        by_class.unwrap_or_else(|| fair::check_preempt(self, cpu, p, flags))
    }

    /// The same, leaving the kernel's marks: the running task charged, buddies set, the reschedule asked
    /// for (`check_preempt_curr`).
    pub fn check_preempt_curr(&mut self, cpu: CpuId, p: TaskId, flags: WakeFlags) -> Preempt {
        let verdict = match self.judge_classes(cpu, p) {
            Some(verdict) => {
                if verdict.why == PreemptWhy::EqualStaysHere {
                    self.rt_to_head(cpu, p);
                }
                if verdict.yes {
                    self.resched(cpu);
                }
                verdict
            }
            None => fair::check_preempt_curr(self, cpu, p, flags),
        };
        self.skip_clock_if_pending(cpu);
        verdict
    }

    /// A reschedule is pending: its schedule() is to go by the clock as it was read for the wakeup
    /// (`check_preempt_curr` of 3.2 on; before 3.13 the idle task is not queued, so that its CPU reads it again).
    #[inline]
    fn skip_clock_if_pending(&mut self, cpu: CpuId) {
        if self.rules.clock_skip == ClockSkip::Never {
            return;
        }
        let queued = match self.rq[cpu.index()].curr {
            Some(curr) => self.is_queued(curr),
            None => self.rules.clock_skip == ClockSkip::AtSchedule,
        };
        if queued && self.resched_pending(cpu) {
            self.ask_clock_skip(cpu);
        }
    }

    /// `waker` has just enqueued a task that it woke, not from an interrupt (`try_to_wake_up`).
    pub fn record_wakeup_by(&mut self, waker: TaskId) {
        if self.rules.averages {
            cfs::of_waker(self, waker);
        }
    }

    /// The running task of `cpu` yields; schedule() follows (`yield_task_fair`, `yield_task_rt`).
    pub fn yield_task(&mut self, cpu: CpuId) {
        match self.running_rt(cpu) {
            Some(curr) => self.yield_task_rt(cpu, curr),
            None => fair::yield_task(self, cpu),
        }
    }

    /// The periodic tick's look at the running task, after the clock and `cpu_load` (`task_tick_fair`,
    /// `task_tick_rt`).
    pub fn task_tick(&mut self, cpu: CpuId) -> Tick {
        // A lazy request waits no longer (`sched_tick`).
        self.rq[cpu.index()].resched_lazy = false;
        if let Some(curr) = self.running_rt(cpu) {
            return self.task_tick_rt(cpu, curr);
        }
        let tick = fair::task_tick(self, cpu);
        self.update_misfit_status(cpu, self.rq[cpu.index()].curr);
        self.note_overutilized(cpu);
        tick
    }

    /// The hrtick of `cpu` fires, after the clock (`hrtick`).
    pub fn hrtick_fire(&mut self, cpu: CpuId) -> Tick {
        fair::hrtick_fire(self, cpu)
    }

    /// Charges the running task of `cpu` because somebody wants to know its runtime (`task_sched_runtime`).
    pub fn charge_curr(&mut self, cpu: CpuId) {
        if self.runs_rt(cpu) {
            return self.update_curr_rt(cpu);
        }
        let curr = self.rq[cpu.index()].curr;
        if let Some(se) = curr.map(|curr| self.tasks[curr.index()].se) {
            self.update_curr(self.se(se).cfs_rq);
        }
    }

    /// A task of a class above that is not known here runs next on `cpu`: the running task goes back to wait, if it is
    /// still runnable, and the fair class has nobody running (`put_prev_task_balance`, and schedule()'s
    /// `rq->curr = next`).
    pub fn leave_to_class_above(&mut self, cpu: CpuId) {
        self.put_prev_for_good(cpu);
        let rq = &mut self.rq[cpu.index()];
        (rq.clock_skip, rq.need_resched) = (Skipping::No, false);
        self.switch_to(cpu, None);
    }

    /// The real-time task that runs on `cpu`.
    fn running_rt(&self, cpu: CpuId) -> Option<TaskId> {
        self.rq[cpu.index()].curr.filter(|curr| self.is_rt(*curr))
    }

    pub(super) fn enqueue_task(&mut self, p: TaskId, wakeup: bool) {
        if self.is_rt(p) {
            self.enqueue_task_rt(p);
        } else {
            self.enqueue_fair(p, wakeup);
        }
    }

    pub(super) fn dequeue_task(&mut self, p: TaskId, how: Dequeue) {
        if self.is_rt(p) {
            self.dequeue_task_rt(p);
        } else {
            self.dequeue_fair(p, how, false);
        }
    }

    /// A new task gets onto the queue of its CPU; `here` if its parent runs there. True if it has changed places with
    /// that (`wake_up_new_task`).
    pub(super) fn enqueue_new_task(&mut self, child: TaskId, here: bool) -> bool {
        if self.is_rt(child) {
            self.enqueue_task_rt(child);
            return false;
        }
        if self.tracks_load() {
            self.track_new_task(child);
        }
        fair::fork(self, child, here)
    }
}
