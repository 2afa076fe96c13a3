//! The loop: one event after the other, each handed to the room that knows what it means.

use super::cpu::Activity;
use super::schedule::Leaving;
use super::{Progress, Sim, Stop};
use crate::event_queue::{Due, Slot};
use crate::machine::CpuId;
use crate::observe::{Account, Observer};
use crate::task::TaskId;
use crate::time::Instant;

/// Steps at one instant after which a run counts as stuck: more than the largest number of tasks, each woken,
/// switched to and asleep again at one instant, can need.
const STEPS_AT_ONCE: u32 = 4_000_000;

/// What a CPU does next, at the same instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing: what it does takes time now.
    Nothing,
    /// Its task is between two operations.
    Between,
    /// Its task leaves: schedule().
    Schedule(Leaving),
}

impl Sim {
    /// Runs until `until`, or until the run is over.
    pub fn run_until(&mut self, until: Instant, obs: &mut impl Observer) -> Progress {
        self.run(until.min(self.stage.end), u64::MAX, obs)
    }

    /// Runs until `count` more events have happened, or until the run is over.
    pub fn run_events(&mut self, count: u64, obs: &mut impl Observer) -> Progress {
        self.run_events_until(self.stage.end, count, obs)
    }

    /// Runs until `until`, until `count` more events have happened, or until the run is over.
    pub fn run_events_until(
        &mut self,
        until: Instant,
        count: u64,
        obs: &mut impl Observer,
    ) -> Progress {
        let last = self.events.saturating_add(count);
        self.run(until.min(self.stage.end), last, obs)
    }

    /// The same, compiled once for all observers: the page has one loop to download, which costs some percent of speed.
    pub fn run_told(&mut self, until: Instant, count: u64, mut obs: &mut dyn Observer) -> Progress {
        self.run_events_until(until, count, &mut obs)
    }

    /// All of these. Each room on the way of a message is called from one place only, here or there, so that all of
    /// them become one loop.
    fn run(&mut self, until: Instant, last: u64, obs: &mut impl Observer) -> Progress {
        while self.stop.is_none() && self.events < last {
            let Some((at, due)) = self.queue.pop(until) else {
                self.reach(until);
                break;
            };
            if !self.advance(at) {
                break;
            }
            let (cpu, mut then) = match due {
                Due::Slot(cpu, Slot::End) => (cpu, self.activity_ends(cpu, obs)),
                Due::Slot(cpu, Slot::Resched) => (cpu, self.resched_is_due(cpu)),
                due => {
                    self.interrupt(due, obs);
                    self.sync_bandwidth(obs);
                    continue;
                }
            };
            loop {
                then = match then {
                    Then::Nothing => break,
                    Then::Between if self.is_held_up(cpu) => self.settle_up(cpu, obs),
                    Then::Between => self.start_ops(cpu, obs),
                    Then::Schedule(how) => self.schedule(cpu, how, obs),
                };
            }
            self.sync_bandwidth(obs);
        }
        self.progress()
    }

    /// Moves time; false if it stands still for too many steps.
    #[inline]
    fn advance(&mut self, at: Instant) -> bool {
        debug_assert!(at.0 >= self.now, "time never goes back");
        if at.0 > self.now {
            self.steps_here = 0;
            self.now = at.0;
            return true;
        }
        self.steps_here += 1;
        if self.steps_here > STEPS_AT_ONCE {
            self.stop = Some(Stop::Stuck(None));
        }
        self.steps_here <= STEPS_AT_ONCE
    }

    fn interrupt(&mut self, due: Due, obs: &mut impl Observer) {
        match due {
            Due::Slot(cpu, Slot::Ipi) => self.ipi_arrives(cpu, obs),
            Due::Slot(cpu, Slot::Tick) => self.tick(cpu, obs),
            Due::Slot(cpu, Slot::Hrtick) => self.hrtick(cpu, obs),
            Due::Slot(cpu, Slot::Bandwidth) => self.bandwidth_timer(cpu),
            Due::Timer(cpu, task) => self.timer_fires(cpu, TaskId(task), obs),
            Due::Slot(_, Slot::End | Slot::Resched) => {}
        }
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

    /// What `cpu` was doing is done.
    #[inline]
    fn activity_ends(&mut self, cpu: CpuId, obs: &mut impl Observer) -> Then {
        let this = &mut self.cpus[cpu.index()];
        this.complete(self.now);
        match (this.activity, this.curr) {
            (Activity::Run | Activity::Kernel | Activity::Locked, Some(task)) => {
                self.finish_op(cpu, task, obs)
            }
            (Activity::Tail, _) => Then::Between,
            _ => Then::Nothing,
        }
    }

    /// Is there something to do before the next operation?
    #[inline]
    fn is_held_up(&self, cpu: CpuId) -> bool {
        let this = &self.cpus[cpu.index()];
        // From one run to the next it stays in user mode, where a lazy request of another CPU goes unnoticed.
        let unaware = this.activity == Activity::Run && self.sched.rq[cpu.index()].resched_lazy;
        !this.chain.list.is_empty() || !unaware && self.may_resched(cpu)
    }

    /// What is left of the last operation is done first, each step once the one before is paid; then a reschedule, if
    /// one is asked for.
    fn settle_up(&mut self, cpu: CpuId, obs: &mut impl Observer) -> Then {
        while self.cpu(cpu).begin <= self.now && !self.cpu(cpu).chain.list.is_empty() {
            self.wake_next_of_chain(cpu, obs);
        }
        if self.cpu(cpu).begin > self.now {
            return self.wait_for_begin(cpu);
        }
        if self.may_resched(cpu) {
            return Then::Schedule(Leaving::Stays);
        }
        Then::Between
    }

    /// Does nothing until the costs so far are paid, then comes back to where it is between operations.
    pub(super) fn wait_for_begin(&mut self, cpu: CpuId) -> Then {
        self.cpu(cpu).start(Activity::Tail, Account::Kernel, (0, 0));
        self.arm(cpu);
        Then::Nothing
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
            // What a cache fetches waits for lines, which are no faster for a stronger core.
            let ns = match account {
                Account::Refill => ns * self.pace,
                _ => self.path_on(cpu, u64::from(ns)) as u32,
            };
            self.occupy(cpu, account, ns);
        }
    }

    /// How long a kernel path of that many ns on the strongest CPU takes on `cpu` now.
    #[inline]
    pub(super) fn path_on(&self, cpu: CpuId, ns: u64) -> u64 {
        if self.even {
            return ns;
        }
        self.stage.costs.path_on(cpu, ns) * u64::from(self.pace)
    }

    pub(super) fn occupy(&mut self, cpu: CpuId, account: Account, ns: u32) {
        let (now, share) = (self.now, self.stage.costs.smt_share_milli);
        let this = &mut self.cpus[cpu.index()];
        this.settle(now, share);
        this.charge(account, ns, share);
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
            Activity::Run | Activity::Kernel | Activity::Locked | Activity::Tail => self.arm(cpu),
            Activity::Idle | Activity::KernelSpin => {}
        }
    }
}
