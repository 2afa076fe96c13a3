//! Quotas of groups: their timer, and what it means for a CPU that a quota ran out.
//!
//! Not here: what a quota is (`sched::bandwidth`).

use super::Sim;
use crate::event_queue::Slot;
use crate::machine::CpuId;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer};
use crate::task::TaskId;
use crate::time::Instant;

impl Sim {
    /// Puts the timer of the quotas where the scheduler wants it, and tells of queues that were throttled or let go.
    #[inline]
    pub(super) fn sync_bandwidth(&mut self, obs: &mut impl Observer) {
        if self.sched.bandwidth_timer_changed() {
            self.move_bandwidth_timer();
            self.tell_throttlings(obs);
        }
    }

    #[inline(never)]
    fn move_bandwidth_timer(&mut self) {
        self.queue.clear(self.bandwidth_cpu, Slot::Bandwidth);
        if let Some((at, cpu)) = self.sched.bandwidth_timer() {
            self.bandwidth_cpu = cpu;
            let at = Instant(at.0.max(self.now));
            self.queue.set(cpu, Slot::Bandwidth, at);
        }
    }

    #[inline(never)]
    fn tell_throttlings(&mut self, obs: &mut impl Observer) {
        for told in self.sched.take_throttlings() {
            let event = Event::Throttle {
                cpu: told.cpu,
                group: told.group,
                throttled: told.throttled,
            };
            self.tell(obs, &event);
        }
    }

    /// The timer of a quota fires on `cpu`: CPUs that were idle for want of it go on.
    pub(super) fn bandwidth_timer(&mut self, cpu: CpuId) {
        self.charge(cpu, Account::Interrupt, self.stage.costs.direct.timer);
        let asked = self.sched.bandwidth_timer_fires(Instant(self.now));
        for target in &asked {
            self.ask_to_resched(cpu, target, Cause::Bandwidth);
        }
        self.rearm(cpu);
    }

    /// A quota ran out while a task was enqueued on `cpu`, which was not to reschedule before.
    #[inline]
    pub(super) fn bandwidth_ran_out(&self, cpu: CpuId, pending: bool) -> Option<Cause> {
        let asked = self.sched.quotas.used && self.sched.rq[cpu.index()].need_resched;
        (asked && !pending).then_some(Cause::Bandwidth)
    }

    /// Does `task` leave its CPU for want of quota?
    pub(super) fn held_back(&self, task: TaskId) -> Option<Cause> {
        self.sched
            .is_task_held_back(task)
            .then_some(Cause::Bandwidth)
    }

    /// Throttling left the CPU without tasks: since the class balances within its pick, it does so then
    /// (`pick_next_task_fair` of 6.1; 3.2 goes idle).
    pub(super) fn balance_after_throttling(
        &mut self,
        cpu: CpuId,
        prev: Option<TaskId>,
        obs: &mut impl Observer,
    ) {
        let held_back = self.sched.rules.curr_competes
            && prev.is_some_and(|prev| self.sched.is_task_held_back(prev));
        if held_back && self.sched.rq[cpu.index()].nr_running == 0 {
            self.newly_idle(cpu, obs);
        }
    }
}
