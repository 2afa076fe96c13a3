//! What real-time tasks leave of a CPU to fair ones, as balancing and selection of those see it.
//!
//! Since 2.6.32 (e9e9250b) the power of a CPU's group is scaled by the time that real-time tasks left of the last second
//! or so; 6.1 takes their tracked utilisation off its capacity. The powers are computed anew when a CPU balances for its
//! own group, level by level; before the first real-time task they are those of the domains.
//! Outline: interrupts take nothing; the `SD_PREFER_LOCAL` test of 2.6.32 and the least and greatest capacity in a group
//! of unequal CPUs go by the full power; when a newly idle CPU of 6.1 computes anew is not limited.
//! Source: kernel/sched_fair.c of 2.6.32 and 3.2 (`scale_rt_power`, `update_cpu_power`, `update_group_power`), kernel/sched.c
//! (`sched_rt_avg_update`, `sched_avg_update`), kernel/sched/fair.c of 6.1 (`scale_rt_capacity`, `update_cpu_capacity`,
//! `update_group_capacity`), pelt.c (`update_rt_rq_load_avg`).

use crate::machine::CpuId;
use crate::machine::sched_domain::{DomainOf, SCHED_LOAD_SCALE, SchedGroup};
use crate::sched::Sched;
use crate::sched::decision::IdleType;
use crate::sched::pelt::SchedAvg;
use crate::sched::rules::{Balancing, CpuPower};
use alloc::vec::Vec;

/// What real-time tasks take from one CPU.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// What they ran, ns, halved with each period (`rt_avg`).
    rt_avg: u64,
    /// When the present period began, ns (`age_stamp`).
    age_stamp: u64,
    /// Their tracked utilisation (6.1: `avg_rt`).
    avg: SchedAvg,
    /// What is left, as last computed (6.1: `cpu_capacity`).
    capacity: u64,
}

/// What they take from all CPUs; empty while there never was a real-time task, or in 2.6.31, which does not look.
#[derive(Clone, Debug, Default)]
pub(super) struct Powers {
    cpus: Vec<Taken>,
    /// The power of each group of the domains, by number.
    groups: Vec<u64>,
}

impl Sched {
    /// The first real-time task is there: from now on powers change.
    pub(in crate::sched) fn start_rt_powers(&mut self) {
        if self.rules.cpu_power == CpuPower::SharedCountsOnce {
            return;
        }
        let cpus = (0..self.rq.len()).map(|cpu| Taken {
            capacity: self.cpu_capacity_orig(CpuId(cpu as u16)),
            age_stamp: self.rq[cpu].clock,
            ..Taken::default()
        });
        self.rt.powers = Powers {
            cpus: cpus.collect(),
            groups: self.domains.group_powers(),
        };
    }

    /// Real-time tasks ran on `cpu` for `ns`, up to its clock (`sched_rt_avg_update`).
    pub(super) fn rt_avg_update(&mut self, cpu: CpuId, ns: u64) {
        if self.rt.powers.cpus.is_empty() {
            return;
        }
        if self.tracks_load() {
            return self.age_rt_avg(cpu, true);
        }
        let (clock, period) = (self.rq[cpu.index()].clock, self.rt_avg_period());
        let taken = &mut self.rt.powers.cpus[cpu.index()];
        taken.rt_avg += ns;
        taken.age(clock, period);
    }

    /// What real-time tasks ran is halved after each half of `time_avg` (`sched_avg_period`), ns.
    const fn rt_avg_period(&self) -> u64 {
        self.tunables.time_avg / 2
    }

    /// Brings the tracked utilisation of real-time tasks up to the clock (`update_rt_rq_load_avg`).
    pub(super) fn age_rt_avg(&mut self, cpu: CpuId, running: bool) {
        if self.rt.powers.cpus.is_empty() || !self.tracks_load() {
            return;
        }
        let now = self.pelt_now(cpu);
        self.rt.powers.cpus[cpu.index()].avg.follow(now, running);
    }

    /// What is left of a power of `full` (`scale_rt_power`; `scale_rt_capacity`); at least 1.
    fn left_of(&mut self, cpu: CpuId, full: u64) -> u64 {
        if self.tracks_load() {
            let running = self.runs_rt(cpu);
            self.age_rt_avg(cpu, running);
            let used = self.rt.powers.cpus[cpu.index()].avg.util_avg;
            return full.saturating_sub(used).max(1);
        }
        let (clock, period) = (self.rq[cpu.index()].clock, self.rt_avg_period());
        let taken = &mut self.rt.powers.cpus[cpu.index()];
        taken.age(clock, period);
        let total = period + clock.saturating_sub(taken.age_stamp);
        let available = total.saturating_sub(taken.rt_avg);
        let scale = available / (total.max(SCHED_LOAD_SCALE) / SCHED_LOAD_SCALE);
        (full * scale / SCHED_LOAD_SCALE).max(1)
    }

    /// `this` is about to balance in `d`: the power of its own group there is computed anew, from what is left of its CPU
    /// at the lowest level, else from the groups below (`update_group_power`, `update_group_capacity`).
    pub(in crate::sched) fn update_group_power(
        &mut self,
        this: CpuId,
        d: DomainOf<'_>,
        idle: IdleType,
    ) {
        let own = d.local();
        let computes = match self.rules.balancing {
            Balancing::NewIdleApart => own.cpus.first() == Some(&this),
            Balancing::OneForAll => idle != IdleType::NewlyIdle,
            Balancing::ByGroupType => true,
        };
        if self.rt.powers.cpus.is_empty() || !computes {
            return;
        }
        let below = d.index.checked_sub(1);
        let below = below.and_then(|below| self.domains.at(this, below));
        let numbers = below.map(|d| d.groups().map(|g| g.number as usize).collect::<Vec<_>>());
        let power = match numbers {
            Some(numbers) => numbers.iter().map(|n| self.rt.powers.groups[*n]).sum(),
            None => self.left_of(this, own.power),
        };
        if d.index == 0 {
            self.rt.powers.cpus[this.index()].capacity = power;
        }
        self.rt.powers.groups[own.number as usize] = power;
    }

    /// The power of a group, as last computed (`cpu_power`, `sgc->capacity`).
    pub(in crate::sched) fn group_power(&self, group: &SchedGroup) -> u64 {
        let changed = self.rt.powers.groups.get(group.number as usize);
        changed.copied().unwrap_or(group.power)
    }

    /// `x` by that power, as the kernel divides.
    pub(in crate::sched) fn div_group_power(&self, group: &SchedGroup, x: u64) -> u64 {
        match self.rt.powers.groups.get(group.number as usize) {
            Some(power) => x / power,
            None => group.div_power(x),
        }
    }

    /// How many tasks a group may run: its power in whole CPUs (`DIV_ROUND_CLOSEST`).
    pub(in crate::sched) fn group_capacity(&self, group: &SchedGroup) -> u64 {
        match self.rt.powers.groups.get(group.number as usize) {
            Some(power) => (power + SCHED_LOAD_SCALE / 2) / SCHED_LOAD_SCALE,
            None => group.capacity,
        }
    }

    /// The power of a CPU (`power_of`: that of its group at the lowest level).
    pub(in crate::sched) fn power_of(&self, cpu: CpuId) -> u64 {
        let lowest = self.domains.at(cpu, 0).filter(|_| self.rt.used);
        lowest.map_or(self.domains.power_of(cpu), |d| self.group_power(d.local()))
    }

    /// What `cpu` can do for fair tasks; 1024 is all of the strongest (`capacity_of`).
    #[inline]
    pub fn cpu_capacity(&self, cpu: CpuId) -> u64 {
        let left = self.rt.powers.cpus.get(cpu.index());
        left.map_or_else(|| self.cpu_capacity_orig(cpu), |left| left.capacity)
    }

    /// Do real-time tasks take so much of `cpu` that it is worth leaving (`check_cpu_capacity`)?
    pub(in crate::sched) fn has_reduced_capacity(&self, cpu: CpuId, pct: u64) -> bool {
        self.cpu_capacity(cpu) * pct < self.cpu_capacity_orig(cpu) * 100
    }
}

impl Taken {
    /// `sched_avg_update`.
    fn age(&mut self, clock: u64, period: u64) {
        while clock.saturating_sub(self.age_stamp) > period {
            self.age_stamp += period;
            self.rt_avg /= 2;
        }
    }
}
