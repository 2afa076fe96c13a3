//! schedule(): the kernel's order of steps, and what the switch costs the task that comes.

use super::Sim;
use super::cpu::Activity;
use super::run::Then;
use super::thread::Life;
use crate::event_queue::Slot;
use crate::machine::CpuId;
use crate::machine::cost::WAKE_LINES;
use crate::machine::topology::Distance;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer, PrevState};
use crate::sched::decision::{MigrateWhy, Moved, Pick, PickWhy};
use crate::task::TaskId;
use crate::time::Instant;

/// How the running task leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// It would rather stay: it is preempted, or nobody runs.
    Stays,
    /// It sleeps.
    Sleeps,
    /// It has yielded.
    Yields,
    /// It has ended.
    Exits,
    /// It goes to that CPU, for that reason (exec, a new mask).
    Moves(CpuId, MigrateWhy),
}

impl Leaving {
    fn state(self) -> PrevState {
        match self {
            Leaving::Stays | Leaving::Moves(..) => PrevState::Runnable,
            Leaving::Sleeps => PrevState::Sleeping,
            Leaving::Yields => PrevState::Yielded,
            Leaving::Exits => PrevState::Exited,
        }
    }
}

impl Sim {
    /// A reschedule that was asked for is due.
    pub(super) fn resched_is_due(&mut self, cpu: CpuId) -> Then {
        if !self.may_resched(cpu) {
            return Then::Nothing;
        }
        let begin = self.cpu(cpu).begin;
        if begin > self.now {
            self.queue.set(cpu, Slot::Resched, Instant(begin));
            return Then::Nothing;
        }
        Then::Schedule(Leaving::Stays)
    }

    /// schedule().
    pub(super) fn schedule(&mut self, cpu: CpuId, how: Leaving, obs: &mut impl Observer) -> Then {
        self.settle(cpu);
        self.queue.clear_run(cpu);
        let prev = self.put_aside(cpu, how);
        self.sched.begin_schedule(cpu);
        self.sched.update_rq_clock(cpu, Instant(self.now));
        match (prev, how) {
            (Some(prev), Leaving::Sleeps) => self.sched.deactivate_task(prev, true),
            (Some(prev), Leaving::Exits) => self.sched.deactivate_dead(prev),
            (Some(_), Leaving::Yields) => self.sched.yield_task(cpu),
            _ => {}
        }
        self.pull_real_time(cpu, prev, obs);
        self.sched.settle_pick(cpu);
        if self.sched.rq[cpu.index()].nr_running == 0 {
            self.newly_idle(cpu, obs);
        }
        let pushes = matches!(how, Leaving::Moves(..)) || self.cpu(cpu).stopper_is_due();
        if pushes {
            self.sched.put_prev_for_good(cpu);
        } else {
            self.sched.put_prev_task(cpu);
            self.balance_after_throttling(cpu, prev, obs);
        }
        let pushed = self.push_away(cpu, (prev, how), obs);
        let strays = !self.cpus[cpu.index()].evicted.is_empty();
        let evicted = strays.then(|| self.evict(cpu));
        if pushes {
            self.sched.settle_pick(cpu);
        }
        if let Some(book) = obs.notebook() {
            book.pick(&self.sched, cpu);
        }
        let pick = self.sched.pick_next_task(cpu);
        if let (Some(prev), Leaving::Exits) = (prev, how) {
            self.sched.task_dead(prev);
        }
        let then = self.switch(cpu, (prev, how), pick, obs);
        // Observers see the task leave its CPU before they see it on another.
        if let Some(moved) = pushed {
            self.settle_move(cpu, moved, obs);
        }
        for moved in evicted.into_iter().flatten() {
            self.settle_move(cpu, moved, obs);
        }
        if pick.why == PickWhy::RealTime {
            self.push_real_time(cpu, cpu, obs);
        }
        self.sync_hrtick(cpu, cpu);
        self.expect_wakeups(cpu);
        if self.may_resched(cpu) {
            let begin = self.cpus[cpu.index()].begin;
            self.notice(cpu, begin);
        }
        then
    }

    /// What the stopper thread of `cpu` does before the next task comes: it moves one that is queued there.
    fn push_away(
        &mut self,
        cpu: CpuId,
        (prev, how): (Option<TaskId>, Leaving),
        obs: &mut impl Observer,
    ) -> Option<Moved> {
        if let (Some(task), Leaving::Moves(to, why)) = (prev, how) {
            return Some(self.push_to(cpu, task, (to, why)));
        }
        let target = self.cpu(cpu).stopper.take()?;
        self.run_stopper(cpu, target, obs)
    }

    /// Remembers what is left of an interrupted run.
    fn put_aside(&mut self, cpu: CpuId, how: Leaving) -> Option<TaskId> {
        let this = &self.cpus[cpu.index()];
        let prev = this.curr?;
        let interrupted = match this.activity {
            Activity::Run => true,
            // Not begun, it is begun anew.
            Activity::Kernel => this.begun,
            _ => false,
        };
        let rest = if how == Leaving::Stays && interrupted {
            this.wire + this.work
        } else {
            0
        };
        let doing = (this.activity, this.account);
        let thread = &mut self.threads[prev.index()];
        thread.rest = rest;
        thread.interrupted = doing;
        Some(prev)
    }

    /// Nothing is left to run: looks for something to pull.
    pub(super) fn newly_idle(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        let balanced = self.sched.idle_balance(cpu);
        if !balanced.attempts.is_empty() {
            self.settle_balance((cpu, cpu), &balanced, obs);
            self.wake_stoppers(cpu, &balanced);
        }
    }

    fn switch(
        &mut self,
        cpu: CpuId,
        (prev, how): (Option<TaskId>, Leaving),
        pick: Pick,
        obs: &mut impl Observer,
    ) -> Then {
        let next = pick.task;
        let forced = self.cpu(cpu).forced.take();
        if next == prev {
            let Some(task) = next else {
                return self.go_idle(cpu);
            };
            let price = self.stage.costs.direct.pick;
            self.charge(cpu, Account::Switch, price);
            return self.resume(cpu, task);
        }
        let state = how.state();
        let event = Event::Switch {
            cpu,
            prev,
            state,
            next,
            why: pick.why,
            forced: match how {
                Leaving::Stays => prev.and_then(|prev| forced.or_else(|| self.held_back(prev))),
                Leaving::Yields => Some(Cause::Yield),
                Leaving::Moves(..) => Some(Cause::Stopper),
                Leaving::Sleeps | Leaving::Exits => None,
            },
        };
        self.tell_counted(obs, &event);
        if let Some(prev) = prev {
            self.caches
                .leave(&mut self.threads[prev.index()].warmth, cpu);
        }
        self.cpu(cpu).curr = next;
        self.busy_changes(cpu, prev.is_some(), next.is_some());
        match next {
            Some(next) => {
                self.pay_switch(cpu, prev, next);
                self.resume(cpu, next)
            }
            None => self.go_idle(cpu),
        }
    }

    /// What the switch and its cold caches cost `next`.
    fn pay_switch(&mut self, cpu: CpuId, prev: Option<TaskId>, next: TaskId) {
        let now = self.now;
        let this = &mut self.cpus[cpu.index()];
        let thread = &mut self.threads[next.index()];
        let costs = &self.stage.costs;
        let same = this.space == thread.space;
        let price = match (prev, same) {
            (None, _) => costs.direct.switch_from_idle,
            (Some(_), true) => costs.direct.switch_same,
            (Some(_), false) => costs.direct.switch_other,
        };
        if prev.is_none() {
            this.idle.leave(now);
        }
        this.space = thread.space;
        let topology = &self.stage.topology;
        let woken = thread.woken_from.take();
        let carried = woken.map_or(0, |from| {
            costs.lines(WAKE_LINES, topology.distance(from, cpu))
        });
        let moved = thread
            .warmth
            .cpu()
            .map_or(Distance::SelfCpu, |last| topology.distance(last, cpu));
        let refill = self.caches.enter(&thread.warmth, thread.ws_kb, cpu, moved);
        // schedule() began with settling what the CPU did before.
        let (share, pace) = (costs.smt_share_milli, self.pace);
        this.charge(Account::Switch, price * pace, share);
        this.charge(Account::Refill, (carried + refill.ns) * pace, share);
    }

    /// The task goes on where it was.
    fn resume(&mut self, cpu: CpuId, task: TaskId) -> Then {
        let thread = &mut self.threads[task.index()];
        debug_assert_eq!(thread.life, Life::Runnable);
        let rest = core::mem::take(&mut thread.rest);
        if rest == 0 {
            self.cpu(cpu).start(Activity::Tail, Account::Kernel, (0, 0));
            return Then::Between;
        }
        let last = thread.warmth.cpu().unwrap_or(cpu);
        let (activity, account) = thread.interrupted;
        let work = self.stage.costs.rescale(rest, last, cpu);
        self.cpu(cpu).start(activity, account, (0, work));
        self.arm(cpu);
        Then::Nothing
    }

    fn go_idle(&mut self, cpu: CpuId) -> Then {
        // A tick that stops while the CPU is idle ends no idle spell.
        let tick = if self.stage.ticks.nohz {
            self.sched.nohz_run_idle_balance(cpu, Instant(self.now));
            u64::MAX
        } else {
            self.queue.at(cpu, Slot::Tick).0
        };
        let states = &self.stage.idle[cpu.index()];
        let this = &mut self.cpus[cpu.index()];
        this.start(Activity::Idle, Account::Idle, (0, 0));
        this.idle.enter(self.now, tick, states);
        Then::Nothing
    }

    /// A thread that becomes busy slows its sibling; one that goes idle does for a while.
    fn busy_changes(&mut self, cpu: CpuId, was: bool, is: bool) {
        if was == is {
            return;
        }
        if is {
            self.restart_tick(cpu);
        }
        self.busy = if is { self.busy + 1 } else { self.busy - 1 };
        if self.stage.costs.turns {
            self.pace = self.busy.max(1);
        }
        let Some(sibling) = self.cpu(cpu).sibling else {
            return;
        };
        self.settle(sibling);
        let until = if is {
            u64::MAX
        } else {
            self.now + self.stage.costs.smt_idle.0
        };
        self.cpu(sibling).slow_until(until);
        self.rearm(sibling);
    }
}
