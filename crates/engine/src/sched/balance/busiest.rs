//! Which group is busiest and how much load to take from it; which of its queues.
//!
//! Only reads. Source: `find_busiest_group`, `calculate_imbalance`, `fix_small_imbalance`,
//! `find_busiest_queue` of 2.6.31, 2.6.32 and 3.2. The two older ones compare the scaled load of a group with the unscaled load of
//! a task, so that with the powers of 2.6.32 an idle socket leaves a fully busy one alone (fixed in 2.6.34,
//! dd5feea1).

use super::stats::{DomainStats, Search, Side, domain};
use crate::machine::sched_domain::{SCHED_LOAD_SCALE, SchedGroup};
use crate::machine::sd_flags::CpuPower;
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::{BalanceWhy, IdleType};
use crate::sched::rules::Balancing;

/// What a search for the busiest group concluded.
pub(super) enum Verdict<'a> {
    /// Nothing to do, for that reason.
    Balanced(BalanceWhy),
    /// Take that much load from this group. With an imbalance of 0 nothing can be moved, but it still counts as a
    /// failure to.
    Pull(&'a SchedGroup, u64),
}

/// The conclusion and what came with it.
pub(super) struct Found<'a> {
    pub(super) verdict: Verdict<'a>,
    /// Is every CPU of the domain idle (asked of cores only)?
    pub(super) sd_idle: bool,
    /// Run queues read.
    pub(super) visited: u32,
}

/// `find_busiest_group`.
pub(super) fn find_busiest_group<'a>(s: &Sched, search: &Search<'a>, sd_idle: bool) -> Found<'a> {
    let sds = domain(s, search, sd_idle);
    let verdict = match conclude(s, search, &sds) {
        Verdict::Balanced(why) if why != BalanceWhy::NotDesignated => {
            match sds.saving.pull_from() {
                Some((group, load)) => Verdict::Pull(group, load),
                None => Verdict::Balanced(why),
            }
        }
        verdict => verdict,
    };
    Found {
        verdict,
        sd_idle: sds.sd_idle,
        visited: sds.visited,
    }
}

fn conclude<'a>(s: &Sched, search: &Search<'a>, sds: &DomainStats<'a>) -> Verdict<'a> {
    let balanced = Verdict::Balanced;
    let Some(this) = sds.this else {
        return balanced(BalanceWhy::NotDesignated);
    };
    let Some(busiest) = sds.busiest.filter(|b| b.stats.nr_running > 0) else {
        return balanced(BalanceWhy::NoBusiestGroup);
    };
    let avg_load = SCHED_LOAD_SCALE.wrapping_mul(sds.total_load) / sds.total_power;
    let pair = Pair {
        this,
        busiest,
        avg_load,
        per_task: per_task(&busiest, avg_load),
    };
    if let Some(why) = pair.balanced(s, search) {
        return balanced(why);
    }
    Verdict::Pull(busiest.group, pair.imbalance(s, search.this))
}

/// Load of one task of the busiest group; of an imbalanced one no more than the average.
fn per_task(busiest: &Side<'_>, avg_load: u64) -> u64 {
    let per_task = busiest.stats.weighted / busiest.stats.nr_running;
    if busiest.stats.imb {
        per_task.min(avg_load)
    } else {
        per_task
    }
}

/// The two groups between which load would move.
struct Pair<'a> {
    this: Side<'a>,
    busiest: Side<'a>,
    /// Load of the whole domain for each full CPU of power.
    avg_load: u64,
    /// Load of one task of the busiest group.
    per_task: u64,
}

impl Pair<'_> {
    /// Is the difference nothing to act on?
    fn balanced(&self, s: &Sched, search: &Search<'_>) -> Option<BalanceWhy> {
        let (this_load, max_load) = (self.this.stats.avg_load, self.busiest.stats.avg_load);
        let within_pct = || 100 * max_load <= search.domain.sd.spec.imbalance_pct * this_load;
        let newer = s.rules.balancing == Balancing::OneForAll;
        if newer && self.forces(search) {
            return None;
        }
        if this_load >= max_load {
            return Some(BalanceWhy::ThisBusier);
        }
        if this_load >= self.avg_load {
            return Some(BalanceWhy::AboveAverage);
        }
        if newer && search.idle == IdleType::Idle {
            return self.spread_well().then_some(BalanceWhy::IdleSpread);
        }
        if within_pct() {
            return Some(BalanceWhy::WithinPct);
        }
        // Until dd5feea1 (2.6.34).
        (!newer && max_load <= self.per_task).then_some(BalanceWhy::OneTaskEach)
    }

    /// An imbalanced group is always taken from, and newly idle CPUs fill what a full group leaves empty (3.2).
    fn forces(&self, search: &Search<'_>) -> bool {
        let fills = self.this.stats.has_capacity && !self.busiest.stats.has_capacity;
        self.busiest.stats.imb || search.idle == IdleType::NewlyIdle && fills
    }

    /// No task of the busiest group waits, and it has as many idle CPUs as this one, to within one (3.2, aae6d3dd).
    fn spread_well(&self) -> bool {
        let busiest = &self.busiest;
        self.this.stats.idle_cpus <= busiest.stats.idle_cpus + 1
            && busiest.stats.nr_running <= busiest.group.cpus.len() as u64
    }

    /// `calculate_imbalance`: as much as brings either group to the average, if that is a task or more. Forced, it
    /// may be that the difference is negative, and wraps.
    fn imbalance(&self, s: &Sched, this_cpu: CpuId) -> u64 {
        let max_load = self.busiest.stats.avg_load;
        if max_load < self.avg_load {
            return self.small_imbalance(s, this_cpu).unwrap_or(0);
        }
        let max_pull = (max_load - self.avg_load).min(self.most_to_pull(s));
        let room = self.avg_load.wrapping_sub(self.this.stats.avg_load);
        let imbalance = max_pull
            .wrapping_mul(s.group_power(self.busiest.group))
            .min(room.wrapping_mul(s.group_power(self.this.group)))
            / SCHED_LOAD_SCALE;
        if imbalance < self.per_task {
            return self.small_imbalance(s, this_cpu).unwrap_or(imbalance);
        }
        imbalance
    }

    /// What may leave the busiest group: all but one task; since 2.6.34 (dd5feea1) what is above its capacity.
    fn most_to_pull(&self, s: &Sched) -> u64 {
        let stats = &self.busiest.stats;
        match s.rules.balancing {
            Balancing::NewIdleApart => stats.avg_load - self.per_task,
            Balancing::OneForAll | Balancing::ByGroupType if stats.imb => u64::MAX,
            Balancing::OneForAll | Balancing::ByGroupType => {
                let above = stats.nr_running.wrapping_sub(stats.capacity);
                above.wrapping_mul(SCHED_LOAD_SCALE * SCHED_LOAD_SCALE)
                    / s.group_power(self.busiest.group)
            }
        }
    }

    /// `fix_small_imbalance`: one task, if the difference is worth one or if moving it raises throughput.
    fn small_imbalance(&self, s: &Sched, this_cpu: CpuId) -> Option<u64> {
        let this = &self.this.stats;
        let (this_per_task, factor) = match this.weighted.checked_div(this.nr_running) {
            Some(per_task) => (per_task, if self.per_task > per_task { 1 } else { 2 }),
            None => (s.cpu_avg_load_per_task(this_cpu), 2),
        };
        let task = match s.rules.balancing {
            Balancing::NewIdleApart => self.per_task,
            Balancing::OneForAll | Balancing::ByGroupType => {
                s.div_group_power(self.busiest.group, self.per_task * SCHED_LOAD_SCALE)
            }
        };
        let difference = self.busiest.stats.avg_load.wrapping_sub(this.avg_load);
        let worth_one = difference.wrapping_add(task) >= task * factor;
        (worth_one || self.raises_throughput(s, this_per_task)).then_some(self.per_task)
    }

    /// Would the two groups get more done with one task moved?
    fn raises_throughput(&self, s: &Sched, this_per_task: u64) -> bool {
        let (from, to) = (self.busiest.group, self.this.group);
        let (max_load, this_load) = (self.busiest.stats.avg_load, self.this.stats.avg_load);
        let [from_power, to_power] = [from, to].map(|group| s.group_power(group));
        let now =
            from_power * self.per_task.min(max_load) + to_power * this_per_task.min(this_load);
        let task = self.per_task * SCHED_LOAD_SCALE;
        let removed = s.div_group_power(from, task);
        let left = if max_load > removed {
            from_power * self.per_task.min(max_load - removed)
        } else {
            0
        };
        let added = s.div_group_power(to, (max_load * from_power).min(task));
        let moved = left + to_power * this_per_task.min(this_load + added);
        moved / SCHED_LOAD_SCALE > now / SCHED_LOAD_SCALE
    }
}

/// The CPU with the highest load in `group`; one whose only task weighs more than the imbalance has nothing to
/// give (`find_busiest_queue`). Since 18a3885f loads are seen relative to the CPU's power; since 2.6.36 the imbalance
/// is compared with what has to move.
pub(super) fn find_busiest_queue(
    s: &Sched,
    group: &SchedGroup,
    imbalance: u64,
    cpus: Option<&CpuMask>,
) -> Option<CpuId> {
    let (mut max_load, mut busiest) = (0, None);
    let left = |cpu: &&CpuId| cpus.is_none_or(|cpus| cpus.contains(**cpu));
    for cpu in group.cpus.iter().filter(left) {
        let rq = &s.rq[cpu.index()];
        let load = match s.rules.cpu_power {
            CpuPower::SharedCountsOnce => rq.load,
            CpuPower::Sum | CpuPower::PerCpu => rq.load * SCHED_LOAD_SCALE / s.power_of(*cpu),
        };
        let compared = match s.rules.balancing {
            Balancing::NewIdleApart => load,
            Balancing::OneForAll | Balancing::ByGroupType => rq.load,
        };
        if rq.nr_running == 1 && compared > imbalance && counts(s, *cpu) {
            continue;
        }
        if load > max_load {
            (max_load, busiest) = (load, Some(*cpu));
        }
    }
    busiest
}

/// Does the CPU have the power of at least half a CPU? 2.6.31 does not ask, and in 3.2 a thread always counts.
fn counts(s: &Sched, cpu: CpuId) -> bool {
    if s.rules.balancing != Balancing::NewIdleApart {
        return true;
    }
    match s.rules.cpu_power {
        CpuPower::SharedCountsOnce => true,
        CpuPower::Sum | CpuPower::PerCpu => s.power_of(cpu) >= SCHED_LOAD_SCALE / 2,
    }
}
