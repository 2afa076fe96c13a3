//! The loop: one event after the other, each handed to the room that knows what it means.

use super::cpu::Activity;
use super::{Progress, Sim, Stop};
use crate::event_queue::{Due, Slot};
use crate::machine::CpuId;
use crate::observe::{Account, Observer};
use crate::task::TaskId;
use crate::time::Instant;

/// Steps at one instant after which a run counts as stuck: more than the largest number of tasks, each woken,
/// switched to and asleep again at one instant, can need.
const STEPS_AT_ONCE: u32 = 4_000_000;

impl Sim {
    /// Runs until `until`, or until the run is over.
    pub fn run_until(&mut self, until: Instant, obs: &mut impl Observer) -> Progress {
        let until = until.min(self.stage.end);
        while self.stop.is_none() {
            let Some((at, due)) = self.queue.pop(until) else {
                self.reach(until);
                break;
            };
            self.step_to(at, due, obs);
        }
        self.progress()
    }

    /// Runs until `count` more events have happened, or until the run is over.
    pub fn run_events(&mut self, count: u64, obs: &mut impl Observer) -> Progress {
        let last = self.events.saturating_add(count);
        while self.stop.is_none() && self.events < last {
            let Some((at, due)) = self.queue.pop(self.stage.end) else {
                self.reach(self.stage.end);
                break;
            };
            self.step_to(at, due, obs);
        }
        self.progress()
    }

    /// Nothing more happens up to `until`.
    fn reach(&mut self, until: Instant) {
        if self.is_quiet() {
            self.stop = Some(Stop::Quiet);
            return;
        }
        self.now = self.now.max(until.0);
        if until == self.stage.end {
            self.stop = Some(Stop::Time);
        }
    }

    /// Does everything sleep, with nothing to wake it, in a run that ends by itself?
    pub(super) fn is_quiet(&self) -> bool {
        self.runnable == 0 && !self.queue.has_timers() && !self.stage.to_the_end
    }

    #[inline]
    fn step_to(&mut self, at: Instant, due: Due, obs: &mut impl Observer) {
        debug_assert!(at.0 >= self.now, "time never goes back");
        if at.0 == self.now {
            self.steps_here += 1;
            if self.steps_here > STEPS_AT_ONCE {
                self.stop = Some(Stop::Stuck(None));
                return;
            }
        } else {
            self.steps_here = 0;
        }
        self.now = at.0;
        match due {
            Due::Slot(cpu, Slot::End) => self.activity_ends(cpu, obs),
            Due::Slot(cpu, Slot::Resched) => self.resched_is_due(cpu, obs),
            Due::Slot(cpu, Slot::Ipi) => self.ipi_arrives(cpu),
            Due::Slot(cpu, Slot::Tick) => self.tick(cpu, obs),
            Due::Slot(cpu, Slot::Hrtick) => self.hrtick(cpu, obs),
            Due::Timer(cpu, task) => self.timer_fires(cpu, TaskId(task), obs),
        }
    }

    /// What `cpu` was doing is done.
    #[inline]
    fn activity_ends(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        let this = &mut self.cpus[cpu.index()];
        this.complete(self.now);
        match this.activity {
            Activity::Run | Activity::Kernel => self.finish_op(cpu, obs),
            Activity::Tail => self.between_ops(cpu, obs),
            Activity::Idle | Activity::KernelSpin => {}
        }
    }

    /// Between two operations: what is left of the last one is done first, then a reschedule if one is asked for,
    /// then the next operation.
    #[inline]
    pub(super) fn between_ops(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        let chained = !self.cpus[cpu.index()].chain.list.is_empty();
        if chained || self.may_resched(cpu) {
            self.rest_between_ops(cpu, obs);
        } else {
            self.next_op(cpu, obs);
        }
    }

    fn rest_between_ops(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        while self.cpu(cpu).begin <= self.now && !self.cpu(cpu).chain.list.is_empty() {
            self.wake_next_of_chain(cpu, obs);
        }
        let now = self.now;
        if self.cpu(cpu).begin > now {
            self.wait_for_begin(cpu);
        } else if self.may_resched(cpu) {
            self.schedule(cpu, super::schedule::Leaving::Stays, obs);
        } else {
            self.next_op(cpu, obs);
        }
    }

    /// Does nothing until the costs so far are paid, then comes back to [`Sim::between_ops`].
    pub(super) fn wait_for_begin(&mut self, cpu: CpuId) {
        self.cpu(cpu).start(Activity::Tail, Account::Kernel, (0, 0));
        self.arm(cpu);
    }

    /// Brings accounts and progress of `cpu` up to now.
    #[inline]
    pub(super) fn settle(&mut self, cpu: CpuId) {
        let share = self.stage.costs.smt_share_milli;
        let now = self.now;
        self.cpus[cpu.index()].settle(now, share);
    }

    /// Occupies `cpu` for `ns` from now on, or from the end of what occupies it already.
    #[inline]
    pub(super) fn charge(&mut self, cpu: CpuId, account: Account, ns: u32) {
        if ns > 0 {
            self.settle(cpu);
            let share = self.stage.costs.smt_share_milli;
            self.cpus[cpu.index()].charge(account, ns, share);
        }
    }

    /// Puts the end of what `cpu` does on the calendar.
    #[inline]
    pub(super) fn arm(&mut self, cpu: CpuId) {
        let end = self.cpus[cpu.index()].end(self.stage.costs.smt_share_milli);
        self.queue.set(cpu, Slot::End, Instant(end));
    }

    /// The same after an interrupt, which may have hit a CPU that does nothing with an end.
    pub(super) fn rearm(&mut self, cpu: CpuId) {
        match self.cpus[cpu.index()].activity {
            Activity::Run | Activity::Kernel | Activity::Tail => self.arm(cpu),
            Activity::Idle | Activity::KernelSpin => {}
        }
    }
}
