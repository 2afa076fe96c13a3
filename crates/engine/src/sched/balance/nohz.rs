//! Balancing for idle CPUs whose tick is stopped: who asks for it, who does it, and what is done.
//!
//! A CPU without a tick cannot look for tasks itself. In 2.6.31 and 2.6.32 one idle CPU, the owner, keeps its tick and
//! balances for the others; in 3.2 a busy CPU's tick wakes an idle one to do it, if at least two CPUs are busy or one has
//! two tasks; from 5.x on any busy tick looks whether it is worth it. Not here: when a tick stops, which the driver
//! knows, and what a pass does with one CPU ([`super`]).
//! Source: kernel/sched.c of 2.6.31 and 2.6.32 (`select_nohz_load_balancer`, `trigger_load_balance`), kernel/sched_fair.c
//! of 3.2 (the same, `nohz_kick_needed`, `nohz_idle_balance`), kernel/sched/fair.c of 6.1 and 6.5 (`nohz_balancer_kick`,
//! `kick_ilb`, `find_new_ilb`, `nohz_balance_enter_idle`, `_nohz_idle_balance`, `nohz_newidle_balance`,
//! `nohz_run_idle_balance`).

use super::Balanced;
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::IdleType;
use crate::sched::rules::Balancing;
use crate::time::Instant;
use alloc::vec::Vec;

/// Milliseconds between two looks at what is left of loads of idle CPUs (`LOAD_AVG_PERIOD`).
const STATS_PERIOD: u64 = 32;

/// What is known of idle CPUs together (`nohz`).
#[derive(Clone, Debug, Default)]
pub struct Nohz {
    /// CPUs whose tick was stopped and has not come to a busy CPU since (`idle_cpus_mask`).
    idle: CpuMask,
    /// Who balances for them, up to 3.2 (`load_balancer`).
    owner: Option<CpuId>,
    /// Up to 2.6.32: CPUs that were idle without a tick since they last had one while busy (`in_nohz_recently`).
    recent: CpuMask,
    /// The busy CPUs that ask in 3.2: the first if it has two tasks, the second if it has any (`first_pick_cpu`,
    /// `second_pick_cpu`).
    asking: [Option<CpuId>; 2],
    /// Jiffy before which nobody asks (`next_balance`).
    next_balance: u64,
    /// Have idle CPUs come whose next balancing is not in that yet (`needs_update`)?
    needs_update: bool,
    /// May loads of idle CPUs be out of date (`has_blocked`)? The CPUs, and when the next look is due.
    has_blocked: bool,
    blocked: CpuMask,
    next_blocked: u64,
    /// CPUs that are to take that look as they go idle (`NOHZ_NEWILB_KICK`).
    newly: CpuMask,
}

/// What an idle CPU is asked to do for all (`NOHZ_KICK_MASK`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NohzKick {
    /// Balance for them.
    pub balance: bool,
    /// Bring their loads up to date.
    pub stats: bool,
    /// Find out when they are due next.
    pub next: bool,
}

impl NohzKick {
    /// To balance, as up to 3.2, where nothing else is asked.
    pub const BALANCE: NohzKick = NohzKick {
        balance: true,
        stats: false,
        next: false,
    };

    const FULL: NohzKick = NohzKick {
        balance: true,
        stats: true,
        next: false,
    };

    /// Is it anything at all?
    pub fn any(self) -> bool {
        self != NohzKick::default()
    }

    /// Both.
    #[must_use]
    pub fn and(self, more: NohzKick) -> NohzKick {
        NohzKick {
            balance: self.balance || more.balance,
            stats: self.stats || more.stats,
            next: self.next || more.next,
        }
    }
}

/// When a tick stops and starts.
impl Sched {
    /// `cpu` is idle and its tick is about to stop: false if it keeps it, as it is the one that balances for all
    /// (`select_nohz_load_balancer`, `nohz_balance_enter_idle`).
    pub fn nohz_stop_tick(&mut self, cpu: CpuId) -> bool {
        let all = self.rq.len();
        let nohz = &mut self.nohz;
        match self.rules.balancing {
            Balancing::NewIdleApart => {
                nohz.idle.insert(cpu);
                nohz.recent.insert(cpu);
                if nohz.idle.weight() == all {
                    nohz.owner = nohz.owner.filter(|owner| *owner != cpu);
                    return true;
                }
                *nohz.owner.get_or_insert(cpu) != cpu
            }
            Balancing::OneForAll => {
                nohz.idle.insert(cpu);
                for asking in &mut nohz.asking {
                    *asking = asking.filter(|asks| *asks != cpu);
                }
                nohz.owner.get_or_insert(cpu);
                true
            }
            Balancing::ByGroupType => {
                nohz.blocked.insert(cpu);
                nohz.has_blocked = true;
                nohz.needs_update |= !nohz.idle.contains(cpu);
                nohz.idle.insert(cpu);
                true
            }
        }
    }

    /// `cpu` has something to do: its tick goes on (`select_nohz_load_balancer`). From 5.x on it counts as idle until
    /// that tick comes.
    pub fn nohz_restart_tick(&mut self, cpu: CpuId) {
        if self.rules.balancing != Balancing::ByGroupType {
            self.nohz.idle.remove(cpu);
            self.nohz.owner = self.nohz.owner.filter(|owner| *owner != cpu);
        }
    }

    /// Does `cpu`, which is idle, keep its tick to balance for all?
    pub fn nohz_owns(&self, cpu: CpuId) -> bool {
        self.rules.balancing == Balancing::NewIdleApart && self.nohz.owner == Some(cpu)
    }
}

/// Who asks.
impl Sched {
    /// The tick of `cpu`, which is busy, before its own balancing pass: the idle CPU that is to be woken, and for what. In
    /// 2.6.31 and 2.6.32 that one becomes the owner (`nohz_balancer_kick`, `nohz_kick_needed`).
    pub fn nohz_balancer_kick(&mut self, cpu: CpuId, jiffies: u64) -> Option<(CpuId, NohzKick)> {
        self.jiffies = self.jiffies.max(jiffies);
        let kick = match self.rules.balancing {
            Balancing::NewIdleApart => self.lacks_owner(cpu),
            Balancing::OneForAll => self.asks_owner(cpu),
            Balancing::ByGroupType => self.asks_any(cpu),
        };
        if !kick.any() {
            return None;
        }
        if kick.balance && self.rules.balancing != Balancing::NewIdleApart {
            self.nohz.next_balance = self.jiffies + 1;
        }
        let owner = self.nohz.owner.filter(|owner| self.idle_cpu(*owner));
        let mut idle = self.nohz.idle.iter();
        let ilb = owner.or_else(|| idle.find(|ilb| *ilb != cpu && self.idle_cpu(*ilb)));
        ilb.map(|ilb| (ilb, kick))
    }

    /// 2.6.31 and 2.6.32: the first busy tick after an idle time looks whether there is an owner.
    fn lacks_owner(&mut self, cpu: CpuId) -> NohzKick {
        let nohz = &mut self.nohz;
        let was_idle = nohz.recent.contains(cpu);
        nohz.recent.remove(cpu);
        NohzKick {
            balance: was_idle && nohz.owner.is_none(),
            ..NohzKick::default()
        }
    }

    /// 3.2: two busy CPUs may ask, when they are not due to balance themselves.
    fn asks_owner(&mut self, cpu: CpuId) -> NohzKick {
        let jiffies = self.jiffies;
        let rq = &self.rq[cpu.index()];
        let own_is_due = jiffies >= rq.next_balance;
        if own_is_due || jiffies < self.nohz.next_balance || self.nohz.idle.is_empty() {
            return NohzKick::default();
        }
        let needed = rq.nr_running;
        let [first, second] = &mut self.nohz.asking;
        let asks = if *first.get_or_insert(cpu) == cpu {
            *second = second.filter(|other| *other != cpu);
            needed > 1
        } else {
            *second.get_or_insert(cpu) == cpu && needed > 0
        };
        NohzKick {
            balance: asks,
            ..NohzKick::default()
        }
    }

    /// From 5.x on: loads that may be out of date, two tasks here, a capacity that real-time tasks reduce, a task that
    /// is too much for this CPU, or another busy CPU at the same last-level cache.
    fn asks_any(&mut self, cpu: CpuId) -> NohzKick {
        let jiffies = self.jiffies;
        self.nohz.idle.remove(cpu);
        if self.nohz.idle.is_empty() {
            return NohzKick::default();
        }
        let mut kick = NohzKick {
            stats: self.nohz.has_blocked && jiffies > self.nohz.next_blocked,
            ..NohzKick::default()
        };
        if jiffies >= self.nohz.next_balance && self.is_worth_a_kick(cpu) {
            kick = NohzKick::FULL;
        }
        kick.next = self.nohz.needs_update;
        kick
    }

    fn is_worth_a_kick(&self, cpu: CpuId) -> bool {
        let rq = &self.rq[cpu.index()];
        if rq.nr_running >= 2 {
            return true;
        }
        let lowest = self.domains.at(cpu, 0);
        let reduced = |pct| self.has_reduced_capacity(cpu, pct);
        let reduced = lowest.is_some_and(|d| reduced(d.sd.spec.imbalance_pct));
        if reduced && rq.h_nr_running >= 1 {
            return true;
        }
        // Unequal CPUs: the caches of the strong are not to be spared.
        if self.domains.asym_capacity() {
            return rq.misfit_task_load > 0;
        }
        self.near.llc_size(cpu) > 1 && self.nr_busy_cpus(cpu) > 1
    }

    /// CPUs at the last-level cache of `cpu` whose tick goes on (`nr_busy_cpus`).
    fn nr_busy_cpus(&self, cpu: CpuId) -> usize {
        let all = self.rq.iter().map(|rq| rq.cpu);
        let busy =
            |other: &CpuId| self.near.share_cache(cpu, *other) && !self.nohz.idle.contains(*other);
        all.filter(busy).count()
    }
}

/// What is done.
impl Sched {
    /// `this`, which is idle, balances for all idle CPUs, the next one first and itself last, as long as it has nothing
    /// else to do: what each pass did, by CPU (`nohz_idle_balance`). The clocks of those CPUs are read on the way.
    pub fn nohz_idle_balance(
        &mut self,
        this: CpuId,
        kick: NohzKick,
        now: Instant,
    ) -> Vec<(CpuId, Balanced)> {
        let mut passes = Vec::new();
        if !self.idle_cpu(this) || self.rq[this.index()].need_resched {
            return passes;
        }
        let by_type = self.rules.balancing == Balancing::ByGroupType;
        if kick.stats {
            self.nohz.has_blocked = false;
        }
        if kick.next {
            self.nohz.needs_update = false;
        }
        let mut next_balance = None;
        for cpu in self.idle_after(this) {
            if !self.idle_cpu(cpu) {
                continue;
            }
            if self.rq[this.index()].need_resched {
                self.nohz.has_blocked |= kick.stats;
                self.nohz.needs_update |= kick.next;
                return passes;
            }
            if kick.stats {
                self.update_nohz_stats(cpu, now);
            }
            if kick.balance && self.jiffies >= self.rq[cpu.index()].next_balance {
                self.update_rq_clock(cpu, now);
                let pass = self.rebalance_domains(cpu, self.jiffies, IdleType::Idle);
                passes.push((cpu, pass));
            }
            let due = self.rq[cpu.index()].next_balance;
            next_balance = Some(next_balance.map_or(due, |next: u64| next.min(due)));
        }
        match next_balance {
            Some(next) if by_type => {
                self.nohz.next_balance = next.min(self.jiffies + 60 * u64::from(self.hz.0));
            }
            Some(next) => {
                let own = &mut self.rq[this.index()].next_balance;
                *own = next.min(*own);
                self.nohz.next_balance = *own;
            }
            None => {}
        }
        if kick.stats {
            self.nohz.next_blocked = self.jiffies + self.msecs_to_jiffies(STATS_PERIOD);
        }
        passes
    }

    /// Idle CPUs in the order in which they are looked at. Up to 3.2 the one that balances has seen to itself before.
    fn idle_after(&self, this: CpuId) -> Vec<CpuId> {
        let by_type = self.rules.balancing == Balancing::ByGroupType;
        let mut cpus: Vec<CpuId> = self.nohz.idle.iter().collect();
        if by_type {
            let first = cpus.iter().position(|cpu| *cpu > this).unwrap_or(0);
            cpus.rotate_left(first);
        } else {
            cpus.retain(|cpu| *cpu != this);
        }
        cpus
    }

    /// Brings the loads of an idle CPU up to date, if there are any (`update_nohz_stats`).
    fn update_nohz_stats(&mut self, cpu: CpuId, now: Instant) {
        if !self.nohz.blocked.contains(cpu) {
            return;
        }
        self.update_rq_clock(cpu, now);
        self.update_blocked_averages(cpu);
        if self.cpu_load(cpu) > 0 || self.cpu_util(cpu) > 0 {
            self.nohz.has_blocked = true;
        } else {
            self.nohz.blocked.remove(cpu);
        }
    }

    /// `this` has found nothing to pull and goes idle: if it will not be woken soon, it looks after loads that are out of
    /// date first (`nohz_newidle_balance`).
    #[inline]
    pub(in crate::sched::balance) fn nohz_newidle_balance(&mut self, this: CpuId) {
        // Where ticks never stop nothing is ever out of date.
        if self.nohz.has_blocked && self.jiffies >= self.nohz.next_blocked {
            let soon = self.rq[this.index()].avg_idle < self.migration_cost();
            if !soon {
                self.nohz.newly.insert(this);
            }
        }
    }

    /// The idle task of `this` begins (`nohz_run_idle_balance`).
    pub fn nohz_run_idle_balance(&mut self, this: CpuId, now: Instant) {
        if self.nohz.newly.contains(this) {
            self.nohz.newly.remove(this);
            let stats = NohzKick {
                stats: true,
                ..NohzKick::default()
            };
            let _ = self.nohz_idle_balance(this, stats, now);
        }
    }
}
