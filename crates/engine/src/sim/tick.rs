//! The tick, and the load balancing that hangs on it.

use super::{Sim, Stop};
use crate::event_queue::Slot;
use crate::machine::CpuId;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer};
use crate::sched::balance::{Balanced, NohzKick};
use crate::sched::decision::{IdleType, MigrateWhy, Moved};
use crate::sched::features::Feature;
use crate::sched::rules::Balancing;
use crate::task::TaskId;
use crate::time::Instant;

impl Sim {
    /// The first tick of every CPU, after time 0. A recorded machine has been idle for long.
    pub(super) fn arm_ticks(&mut self) {
        for cpu in &self.stage.topology.all() {
            let stopped = self.stage.ticks.nohz && self.stage.ticks.idle_before;
            if stopped && self.sched.nohz_stop_tick(cpu) {
                self.cpu(cpu).tick_stopped = true;
                continue;
            }
            let at = self.next_tick(cpu, 0);
            self.queue.set(cpu, Slot::Tick, Instant(at));
        }
    }

    /// When `cpu` ticks next after `now`.
    fn next_tick(&self, cpu: CpuId, now: u64) -> u64 {
        let ticks = &self.stage.ticks;
        let first = ticks.phase.0 + ticks.offset(cpu.0, self.stage.topology.cpus()).0;
        let period = ticks.hz.period().0;
        if now < first {
            return first;
        }
        first + ((now - first) / period + 1) * period
    }

    /// Ticks of CPU 0 so far: it is the one that counts jiffies (`do_timer`).
    /// A recorded machine has been idle for a minute, so that all balancing is due.
    fn jiffies(&self) -> u64 {
        let ticks = &self.stage.ticks;
        let before = if ticks.idle_before {
            60 * u64::from(ticks.hz.0)
        } else {
            0
        };
        before + self.now.saturating_sub(ticks.phase.0) / ticks.hz.period().0
    }

    /// `scheduler_tick`.
    pub(super) fn tick(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        let idle = self.cpus[cpu.index()].curr.is_none();
        let next = self.now + self.stage.ticks.hz.period().0;
        self.queue.set(cpu, Slot::Tick, Instant(next));
        if self.is_quiet() {
            self.stop = Some(Stop::Quiet);
            return;
        }
        self.charge(cpu, Account::Interrupt, self.stage.costs.direct.tick);
        self.sched.update_rq_clock(cpu, Instant(self.now));
        self.sched.update_cpu_load(cpu);
        let tick = self.sched.task_tick(cpu);
        self.tell(
            obs,
            &Event::Tick {
                cpu,
                tick,
                hrtick: false,
            },
        );
        if tick.resched {
            self.cpu(cpu).forced.get_or_insert(Cause::Tick);
        }
        let nohz = self.stage.ticks.nohz;
        if nohz && !idle {
            self.kick_for_tickless(cpu);
        }
        self.balance_on_tick(cpu, idle, obs);
        if nohz && idle {
            self.last_tick(cpu, obs);
        }
        self.after_interrupt(cpu);
    }

    /// The tick has come to an idle CPU: it is the last, unless something is to run now, or the CPU is the one that
    /// balances for all.
    #[cold]
    fn last_tick(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        if self.sched.nohz_owns(cpu) {
            self.balance_tickless(cpu, NohzKick::BALANCE, obs);
        }
        let rq = &self.sched.rq[cpu.index()];
        let stays = rq.nr_running == 0 && !rq.need_resched;
        if stays && self.sched.nohz_stop_tick(cpu) {
            self.cpu(cpu).tick_stopped = true;
            self.queue.set(cpu, Slot::Tick, Instant::FAR);
        }
    }

    /// The hrtick of `cpu` fires.
    pub(super) fn hrtick(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        let armed = self.sched.rq[cpu.index()].hrtick;
        if armed.is_none_or(|at| at > self.now) {
            self.sync_hrtick(cpu, cpu);
            return;
        }
        self.charge(cpu, Account::Interrupt, self.stage.costs.direct.timer);
        self.sched.update_rq_clock(cpu, Instant(self.now));
        let tick = self.sched.hrtick_fire(cpu);
        self.tell(
            obs,
            &Event::Tick {
                cpu,
                tick,
                hrtick: true,
            },
        );
        if tick.resched {
            self.cpu(cpu).forced.get_or_insert(Cause::Hrtick);
        }
        self.after_interrupt(cpu);
    }

    /// What an interrupt left behind: a longer activity, and perhaps a reschedule.
    pub(super) fn after_interrupt(&mut self, cpu: CpuId) {
        self.rearm(cpu);
        if self.may_resched(cpu) {
            let begin = self.cpus[cpu.index()].begin.max(self.now);
            self.notice(cpu, begin);
        }
    }
}

/// Load balancing as the driver sees it.
impl Sim {
    /// The tick's balancing pass (`trigger_load_balance`, as softirq on the way out of the interrupt).
    fn balance_on_tick(&mut self, cpu: CpuId, idle: bool, obs: &mut impl Observer) {
        let jiffies = self.jiffies();
        let kind = if idle {
            IdleType::Idle
        } else {
            IdleType::NotIdle
        };
        let balanced = self.sched.rebalance_domains(cpu, jiffies, kind);
        if balanced.attempts.is_empty() {
            return;
        }
        self.settle_balance((cpu, cpu), &balanced, obs);
        if balanced.serialized {
            let until = self.cpus[cpu.index()].begin;
            self.sched.hold_balancing(Instant(until));
        }
        self.wake_stoppers(cpu, &balanced);
    }

    /// A busy CPU's tick looks whether an idle CPU is to be interrupted, to balance for all that have no tick
    /// (`kick_ilb`). Who has been asked already is not interrupted again.
    #[cold]
    fn kick_for_tickless(&mut self, cpu: CpuId) {
        let jiffies = self.jiffies();
        let Some((ilb, kick)) = self.sched.nohz_balancer_kick(cpu, jiffies) else {
            return;
        };
        let asked = self.cpus[ilb.index()].nohz_kick;
        self.cpu(ilb).nohz_kick = asked.and(kick);
        if !asked.any() {
            let at = self.told_at(cpu, ilb);
            self.set_earlier(ilb, Slot::Ipi, at);
        }
    }

    /// The interrupt arrives (`nohz_csd_func`).
    #[cold]
    pub(super) fn kicked(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        let kick = core::mem::take(&mut self.cpu(cpu).nohz_kick);
        if self.cpus[cpu.index()].curr.is_some() {
            return;
        }
        if self.sched.rules.balancing == Balancing::NewIdleApart {
            // It goes through `schedule()`, as if it went idle anew: it looks for something to pull, and if it stays idle its
            // tick may have to go on now (`resched_cpu` of `trigger_load_balance`).
            self.sched.update_rq_clock(cpu, Instant(self.now));
            self.newly_idle(cpu, obs);
            let idle = self.sched.rq[cpu.index()].nr_running == 0;
            if idle && self.cpus[cpu.index()].tick_stopped && !self.sched.nohz_stop_tick(cpu) {
                self.rearm_tick(cpu);
            }
            return self.after_interrupt(cpu);
        }
        self.charge(cpu, Account::Interrupt, self.stage.costs.direct.ipi);
        if self.sched.rules.balancing == Balancing::OneForAll {
            // First for itself (`run_rebalance_domains` of 3.2); later kernels look at it last.
            self.balance_on_tick(cpu, true, obs);
        }
        self.balance_tickless(cpu, kick, obs);
        self.after_interrupt(cpu);
    }

    /// `cpu` balances for all idle CPUs, and pays for it.
    fn balance_tickless(&mut self, cpu: CpuId, kick: NohzKick, obs: &mut impl Observer) {
        let now = Instant(self.now);
        for (other, balanced) in self.sched.nohz_idle_balance(cpu, kick, now) {
            self.settle_balance((cpu, other), &balanced, obs);
            self.wake_stoppers(other, &balanced);
        }
    }

    /// Wakes the migration threads that are to push a task to `cpu`.
    pub(super) fn wake_stoppers(&mut self, cpu: CpuId, balanced: &Balanced) {
        for busiest in balanced.active() {
            self.cpu(busiest).stopper = Some(cpu);
            self.ask_to_resched(cpu, busiest, Cause::Stopper);
        }
    }

    /// Tells what a balancing pass for `cpu` did, and charges it to `payer`.
    pub(super) fn settle_balance(
        &mut self,
        (payer, cpu): (CpuId, CpuId),
        balanced: &Balanced,
        obs: &mut impl Observer,
    ) {
        for attempt in balanced.attempts.iter() {
            let from_there = |moved: &&Moved| Some(moved.from) == attempt.busiest;
            let event = Event::Balance {
                cpu,
                level: attempt.level as u8,
                idle: attempt.idle,
                why: attempt.why,
                moved: balanced.moved.iter().filter(from_there).count() as u16,
            };
            self.tell(obs, &event);
        }
        if balanced.visited > 0 {
            let price = self.stage.costs.balance(balanced.visited);
            self.charge(payer, Account::Balancing, price);
        }
        for moved in &balanced.moved {
            self.settle_move(payer, *moved, obs);
        }
    }

    /// Tells of one task that was moved to or from `cpu`, and charges that.
    pub(super) fn settle_move(&mut self, cpu: CpuId, moved: Moved, obs: &mut impl Observer) {
        let Moved {
            task,
            from,
            to,
            why,
        } = moved;
        self.tell_counted(
            obs,
            &Event::Migrate {
                task,
                from,
                to,
                why,
            },
        );
        let distance = self.stage.topology.distance(from, to);
        self.charge(cpu, Account::Balancing, self.stage.costs.pull(distance));
        if self.sched.rq[to.index()].need_resched {
            self.cpu(to).forced.get_or_insert(Cause::Balance);
            if to != cpu {
                self.ask_to_resched(cpu, to, Cause::Balance);
            }
        }
        let charged = self.sched.rules.is_eevdf() && from != cpu;
        if charged && self.sched.rq[from.index()].need_resched {
            self.ask_to_resched(cpu, from, Cause::Charge);
        }
    }

    /// The stopper thread of `cpu` pushes a task to `target` (`active_load_balance`).
    pub(super) fn run_stopper(
        &mut self,
        cpu: CpuId,
        target: CpuId,
        obs: &mut impl Observer,
    ) -> Option<Moved> {
        let mut balanced = self.sched.active_load_balance(cpu, target);
        let moved = balanced.moved.pop();
        self.settle_balance((cpu, cpu), &balanced, obs);
        self.charge(cpu, Account::Balancing, self.stage.costs.direct.active);
        moved
    }

    /// `task`, which is off the CPU but queued, goes to `to` (exec, by the stopper thread of its CPU).
    pub(super) fn push_to(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        (to, why): (CpuId, MigrateWhy),
    ) -> Moved {
        self.sched.update_rq_clock(to, Instant(self.now));
        let _ = self.sched.move_task(task, to);
        Moved {
            task,
            from: cpu,
            to,
            why,
        }
    }

    /// `cpu` has something to do again: its tick goes on, on the old grid (`tick_nohz_restart_sched_tick`).
    pub(super) fn restart_tick(&mut self, cpu: CpuId) {
        if self.stage.ticks.nohz {
            // Who was asked to balance for others is not idle any more when it comes to it.
            self.cpu(cpu).nohz_kick = NohzKick::default();
            self.sched.nohz_restart_tick(cpu);
        }
        if self.cpus[cpu.index()].tick_stopped {
            self.rearm_tick(cpu);
        }
    }

    fn rearm_tick(&mut self, cpu: CpuId) {
        self.cpu(cpu).tick_stopped = false;
        let at = self.next_tick(cpu, self.now);
        self.queue.set(cpu, Slot::Tick, Instant(at));
    }

    /// Puts the hrtick of `cpu` where the scheduler wants it, after what `this` did.
    #[inline]
    pub(super) fn sync_hrtick(&mut self, this: CpuId, cpu: CpuId) {
        if self.sched.features.has(Feature::Hrtick) {
            let at = self.sched.rq[cpu.index()].hrtick.unwrap_or(u64::MAX);
            self.queue.set(cpu, Slot::Hrtick, Instant(at.max(self.now)));
            // Arming it anew may have found the slice to be over.
            if self.sched.rq[cpu.index()].need_resched {
                self.ask_to_resched(this, cpu, Cause::Hrtick);
            }
        }
    }
}
