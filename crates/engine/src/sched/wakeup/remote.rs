//! Wakeups on other CPUs: enqueued from afar, or left on a list that the other CPU empties when it is interrupted.
//!
//! Source: kernel/sched.c of 3.2 (`ttwu_queue`, `ttwu_queue_remote`, `sched_ttwu_pending`; 317f3941), kernel/sched/core.c
//! of 6.1 (`ttwu_queue_cond`, `__ttwu_queue_wakelist`). Not here: when the interrupt arrives.

use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rules::RemoteWakeup;
use crate::task::TaskId;

impl Sched {
    /// Is a task that is woken on `this` to be left on the list of `cpu`, which was selected for it?
    #[inline]
    pub fn queues_wakeup(&self, this: CpuId, cpu: CpuId) -> bool {
        if this == cpu || self.rules.remote_wakeup == RemoteWakeup::Locks {
            return false;
        }
        self.features.has(Feature::TtwuQueue)
            && (self.rules.remote_wakeup == RemoteWakeup::QueuesAny
                || !self.near.share_cache(this, cpu)
                || self.rq[cpu.index()].nr_running == 0)
    }

    /// Leaves `p` on the list of its CPU, which is not idle from now on; true if that CPU is to be interrupted.
    pub fn queue_wakeup(&mut self, p: TaskId) -> bool {
        let cpu = self.tasks[p.index()].cpu;
        let list = &mut self.rq[cpu.index()].wake_list;
        list.push(p);
        list.len() == 1
    }

    /// Takes the next task off the list of `cpu`, for `activate_task` and `check_preempt_curr` there, without flags.
    pub fn next_queued_wakeup(&mut self, cpu: CpuId) -> Option<TaskId> {
        let list = &mut self.rq[cpu.index()].wake_list;
        if self.rules.remote_wakeup == RemoteWakeup::QueuesAny {
            return list.pop();
        }
        (!list.is_empty()).then(|| list.remove(0))
    }
}
