//! Load balancing: which tasks change CPUs without being woken, and when that is looked into.
//!
//! One file to a question: when each domain is due ([`mod@self`]), what a CPU does that is about to go idle
//! ([`newidle`]), how an attempt in one domain goes and what it leaves behind ([`attempt`]), which group and queue are
//! busiest ([`busiest`], [`stats`], [`saving`]), which tasks move ([`pull`]); the last three of 6.1 and later ([`by_type`]);
//! how CPUs without a tick are seen to ([`nohz`]).
//! Not here: fork and wakeup balancing ([`super::wakeup`]), what a pass costs.
//! Source: kernel/sched.c of 2.6.31 and 2.6.32, kernel/sched_fair.c of 3.2, kernel/sched/fair.c of 6.1 and 6.5.

mod attempt;
mod busiest;
mod by_type;
mod newidle;
mod nohz;
mod pull;
mod saving;
mod stats;
#[cfg(test)]
mod tests;

pub use nohz::{Nohz, NohzKick};

use super::Sched;
use super::decision::{BalanceWhy, IdleType, Migration, Moved};
use super::rules::Balancing;
use super::sd_flags::{Level, SdFlags};
use crate::machine::CpuId;
use crate::machine::sched_domain::DomainOf;
use crate::time::Instant;
use alloc::sync::Arc;
use alloc::vec::Vec;
use attempt::Outcome;
use core::ops::Deref;

/// CPUs that the x86-64 configuration of the time allows for (`NR_CPUS`); it bounds balance intervals.
const NR_CPUS: u64 = 64;

/// How one domain was balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The level.
    pub level: Level,
    /// How idle the CPU was taken to be.
    pub idle: IdleType,
    /// How it ended.
    pub why: BalanceWhy,
    /// What it set out to move; load, before 5.5.
    pub kind: Migration,
    /// How much of it; 0 if balanced.
    pub imbalance: u64,
    /// The CPU it looked to for tasks.
    pub busiest: Option<CpuId>,
    /// Run queues read.
    pub visited: u32,
    /// Did its result end a newly idle CPU's search, or make an idle CPU count as busy further up?
    pub stops: bool,
}

/// The attempts of one pass, lowest level first; at most one a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    list: [Attempt; Level::ALL.len()],
    len: usize,
}

impl Attempts {
    fn push(&mut self, attempt: Attempt) {
        if let Some(free) = self.list.get_mut(self.len) {
            *free = attempt;
            self.len += 1;
        }
    }
}

impl Default for Attempts {
    fn default() -> Attempts {
        let none = Attempt {
            level: Level::Sibling,
            idle: IdleType::Idle,
            why: BalanceWhy::NotDue,
            kind: Migration::Load,
            imbalance: 0,
            busiest: None,
            visited: 0,
            stops: false,
        };
        Attempts {
            list: [none; Level::ALL.len()],
            len: 0,
        }
    }
}

impl Deref for Attempts {
    type Target = [Attempt];

    fn deref(&self) -> &[Attempt] {
        &self.list[..self.len]
    }
}

/// What a balancing pass did.
#[must_use]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balanced {
    /// One for each domain that was due.
    pub attempts: Attempts,
    /// Tasks moved, in order.
    pub moved: Vec<Moved>,
    /// Run queues read.
    pub visited: u32,
    /// Did it take the lock of the `SD_SERIALIZE` levels?
    pub serialized: bool,
}

impl Balanced {
    /// The CPUs whose migration thread was woken, to push their running task to the CPU that balanced: for
    /// each the driver calls [`Sched::active_load_balance`] when that thread runs.
    pub fn active(&self) -> impl Iterator<Item = CpuId> {
        let asked = self.attempts.iter();
        asked.filter_map(|a| a.busiest.filter(|_| a.why == BalanceWhy::Active))
    }

    /// Nothing is looked at, for that reason.
    fn refuse(&mut self, d: DomainOf<'_>, idle: IdleType, why: BalanceWhy) {
        self.note(d, idle, &Outcome::balanced(why));
    }

    fn note(&mut self, d: DomainOf<'_>, idle: IdleType, outcome: &Outcome) {
        self.visited += outcome.visited;
        self.attempts.push(Attempt {
            level: d.sd.spec.level,
            idle,
            why: outcome.why,
            kind: outcome.kind,
            imbalance: outcome.imbalance,
            busiest: outcome.busiest,
            visited: outcome.visited,
            stops: outcome.ld_moved.stops(),
        });
    }
}

impl Sched {
    /// The tick's balancing pass: every domain whose interval has passed, lowest first, as long as `this` is
    /// the one of its group to do so (`trigger_load_balance`, `rebalance_domains`). `jiffies` counts ticks since
    /// boot; `idle` says what the tick hit.
    pub fn rebalance_domains(&mut self, this: CpuId, jiffies: u64, idle: IdleType) -> Balanced {
        let mut out = Balanced::default();
        self.jiffies = self.jiffies.max(jiffies);
        if jiffies < self.rq[this.index()].next_balance || self.rq[this.index()].sd.is_empty() {
            return out;
        }
        self.update_blocked_averages(this);
        let idle = match idle {
            IdleType::Idle if !self.idle_cpu(this) => IdleType::NotIdle,
            _ => idle,
        };
        match self.rules.balancing {
            Balancing::NewIdleApart | Balancing::OneForAll => {
                self.balance_levels(this, jiffies, idle, &mut out);
            }
            Balancing::ByGroupType => self.balance_levels_by_type(this, jiffies, idle, &mut out),
        }
        out
    }

    /// The levels of a pass up to 3.2.
    fn balance_levels(&mut self, this: CpuId, jiffies: u64, idle: IdleType, out: &mut Balanced) {
        let domains = Arc::clone(&self.domains);
        let mut idle = idle;
        let mut next_balance = jiffies + 60 * u64::from(self.hz.0);
        for d in domains.of(this) {
            if !d.sd.spec.flags.any(SdFlags::LOAD_BALANCE) {
                continue;
            }
            let interval = self.balance_interval(this, d, idle);
            let outcome = self.balance_if_due(this, d, (jiffies, interval, idle), out);
            let last = self.rq[this.index()].sd[d.index].last_balance;
            next_balance = next_balance.min(last + interval);
            let Some(outcome) = outcome else { continue };
            if outcome.ld_moved.stops() {
                // Tasks came, or a hardware thread beside us is busy: not idle to the levels above.
                idle = IdleType::NotIdle;
            }
            if outcome.why == BalanceWhy::NotDesignated {
                break;
            }
        }
        self.rq[this.index()].next_balance = next_balance;
    }

    /// The same of 6.1 and later: what newly idle searches cost fades here, and a CPU that got tasks looks whether it is
    /// idle.
    fn balance_levels_by_type(
        &mut self,
        this: CpuId,
        jiffies: u64,
        idle: IdleType,
        out: &mut Balanced,
    ) {
        let domains = Arc::clone(&self.domains);
        let (mut idle, mut goes_on, mut faded, mut max_cost) = (idle, true, false, 0);
        let mut next_balance = jiffies + 60 * u64::from(self.hz.0);
        for d in domains.of(this) {
            faded = self.fade_newidle_cost(this, d);
            max_cost += self.rq[this.index()].sd[d.index].newidle.max_cost;
            if !goes_on {
                if faded {
                    continue;
                }
                break;
            }
            if !d.sd.spec.flags.any(SdFlags::LOAD_BALANCE) {
                continue;
            }
            let mut interval = self.balance_interval(this, d, idle);
            let outcome = self.balance_if_due(this, d, (jiffies, interval, idle), out);
            if let Some(outcome) = outcome {
                if outcome.ld_moved.stops() {
                    idle = if self.idle_cpu(this) {
                        IdleType::Idle
                    } else {
                        IdleType::NotIdle
                    };
                }
                interval = self.balance_interval(this, d, idle);
                goes_on = outcome.why != BalanceWhy::NotDesignated;
            }
            let last = self.rq[this.index()].sd[d.index].last_balance;
            next_balance = next_balance.min(last + interval);
        }
        let least = self.migration_cost();
        let rq = &mut self.rq[this.index()];
        if faded {
            rq.max_idle_balance_cost = max_cost.max(least);
        }
        rq.next_balance = next_balance;
    }

    /// One level of the pass, if it is due and nobody else holds the lock that it needs.
    fn balance_if_due(
        &mut self,
        this: CpuId,
        d: DomainOf<'_>,
        (jiffies, interval, idle): (u64, u64, IdleType),
        out: &mut Balanced,
    ) -> Option<Outcome> {
        let serialize = d.sd.spec.flags.any(SdFlags::SERIALIZE);
        let due = jiffies >= self.rq[this.index()].sd[d.index].last_balance + interval;
        if serialize && self.rq[this.index()].clock < self.balancing_until {
            if due {
                out.refuse(d, idle, BalanceWhy::Serialized);
            }
            return None;
        }
        if !due {
            return None;
        }
        let outcome = match self.rules.balancing {
            Balancing::NewIdleApart | Balancing::OneForAll => {
                self.load_balance(this, d, idle, &mut out.moved)
            }
            Balancing::ByGroupType => self.load_balance_by_type(this, d, idle, &mut out.moved),
        };
        out.serialized |= serialize;
        out.note(d, idle, &outcome);
        self.rq[this.index()].sd[d.index].last_balance = jiffies;
        Some(outcome)
    }

    /// The pass that has just taken the lock of the `SD_SERIALIZE` levels holds it until then.
    pub fn hold_balancing(&mut self, until: Instant) {
        self.balancing_until = self.balancing_until.max(until.0);
    }

    /// Jiffies between two attempts in a domain, 1 … HZ · `NR_CPUS` / 10; since 2.6.39 (49c022e6) HZ · CPUs / 10. Since
    /// 5.10 (e4d32e4d) a busy CPU's is one less, so that those of two levels are not multiples, and one that runs
    /// nothing but `SCHED_IDLE` is not busy.
    fn balance_interval(&self, this: CpuId, d: DomainOf<'_>, idle: IdleType) -> u64 {
        let by_type = self.rules.balancing == Balancing::ByGroupType;
        let busy = idle != IdleType::Idle && !(by_type && self.sched_idle_cpu(this));
        let state = &self.rq[this.index()].sd[d.index];
        let factor = if busy { d.sd.spec.busy_factor } else { 1 };
        let ms = u64::from(state.balance_interval) * u64::from(factor);
        let cpus = match self.rules.balancing {
            Balancing::NewIdleApart => NR_CPUS.max(self.rq.len() as u64),
            Balancing::OneForAll | Balancing::ByGroupType => self.rq.len() as u64,
        };
        let longest = u64::from(self.hz.0) * cpus / 10;
        let jiffies = self.msecs_to_jiffies(ms);
        let jiffies = jiffies.saturating_sub(u64::from(by_type && busy));
        jiffies.min(longest).max(1)
    }

    /// Fair tasks of `cpu` that balancing counts: all, or since c2a295bffeaf (6.14) those that could run.
    fn nr_to_balance(&self, cpu: CpuId) -> u32 {
        let asleep = if self.rules.counts_runnable {
            self.nr_delayed(cpu)
        } else {
            0
        };
        self.rq[cpu.index()].h_nr_running.saturating_sub(asleep)
    }

    /// Milliseconds as ticks, rounded up (`msecs_to_jiffies`).
    fn msecs_to_jiffies(&self, ms: u64) -> u64 {
        (ms * u64::from(self.hz.0)).div_ceil(1000)
    }
}
