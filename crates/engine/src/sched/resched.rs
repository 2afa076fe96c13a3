//! Requests to reschedule: pending, lazily pending, and what they do to the clock.
//!
//! Not here: who asks, and what schedule() does.
//! Source: kernel/sched.c of 2.6.31 to 3.2, kernel/sched/core.c of 6.1 to 7.1 (`resched_curr`, `resched_curr_lazy`,
//! `rq_clock_skip_update`).

use super::Sched;
use super::rq::Skipping;
use super::rules::ClockSkip;
use super::tunables::PreemptModel;
use crate::machine::CpuId;

impl Sched {
    /// Asks a CPU to reschedule (`resched_task(rq->curr)`).
    pub(super) fn resched(&mut self, cpu: CpuId) {
        let rq = &mut self.rq[cpu.index()];
        (rq.need_resched, rq.resched_lazy) = (true, false);
    }

    /// The fair class asks a CPU to reschedule, with `preempt` set to lazy as soon as the running task returns to user
    /// mode, or at the next tick (`resched_curr_lazy`). A lazy request is not pending for those that ask whether one is.
    pub(super) fn resched_lazy(&mut self, cpu: CpuId) {
        let lazy = self.rules.lazy && self.tunables.preempt == PreemptModel::Lazy;
        let rq = &mut self.rq[cpu.index()];
        if !rq.need_resched {
            (rq.need_resched, rq.resched_lazy) = (true, lazy && rq.curr.is_some());
        }
    }

    /// Is `cpu` to reschedule, and not only lazily (`test_tsk_need_resched`)?
    #[inline]
    pub(super) fn resched_pending(&self, cpu: CpuId) -> bool {
        let rq = &self.rq[cpu.index()];
        rq.need_resched && !rq.resched_lazy
    }

    /// May the running task of `cpu` be preempted in the kernel for what is asked for now? In a kernel that can be lazy
    /// for all but lazy requests; without preemption there, or with it at chosen points only, of which no operation
    /// here has any, it is not (`preempt_schedule_irq`, `preempt_model_full`).
    #[inline]
    pub fn preempts_kernel(&self, cpu: CpuId) -> bool {
        match self.tunables.preempt {
            PreemptModel::None | PreemptModel::Voluntary => false,
            PreemptModel::Full | PreemptModel::Lazy => !self.rq[cpu.index()].resched_lazy,
        }
    }

    /// The clock of `cpu` need not be read again on the way to the switch (`rq_clock_skip_update`).
    pub(super) fn ask_clock_skip(&mut self, cpu: CpuId) {
        self.rq[cpu.index()].clock_skip = match self.rules.clock_skip {
            ClockSkip::Never => Skipping::No,
            ClockSkip::AtSchedule => Skipping::Asked,
            ClockSkip::UntilSwitch => Skipping::Now,
        };
    }
}
