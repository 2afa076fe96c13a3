//! Real-time tasks are pushed and pulled between CPUs: when, and what that costs.
//!
//! Not here: which task goes where (`sched::rt::push_pull`).

use super::Sim;
use crate::machine::CpuId;
use crate::observe::Observer;
use crate::task::TaskId;
use crate::time::Instant;

impl Sim {
    /// `prev` leaves `cpu`: if it was a real-time task and what is left is less urgent, tasks that wait elsewhere come
    /// (`pre_schedule_rt`, `balance_rt`).
    pub(super) fn pull_real_time(
        &mut self,
        cpu: CpuId,
        prev: Option<TaskId>,
        obs: &mut impl Observer,
    ) {
        if prev.is_some_and(|prev| self.sched.needs_rt_pull(cpu, prev)) {
            for moved in self.sched.pull_rt_tasks(cpu, Instant(self.now)) {
                self.settle_move(cpu, moved, obs);
            }
        }
    }

    /// `this` pushes what waits on `cpu` for a real-time task (`push_rt_tasks`).
    pub(super) fn push_real_time(&mut self, cpu: CpuId, this: CpuId, obs: &mut impl Observer) {
        for moved in self.sched.push_rt_tasks(cpu, this, Instant(self.now)) {
            self.settle_move(this, moved, obs);
        }
    }

    /// `task` was woken on `cpu` by `this`, and may have to wait there (`task_woken_rt`).
    #[inline]
    pub(super) fn push_woken(
        &mut self,
        (cpu, this): (CpuId, CpuId),
        task: TaskId,
        obs: &mut impl Observer,
    ) {
        if self.sched.pushes_woken(cpu, task) {
            self.push_real_time(cpu, this, obs);
        }
    }
}
