//! Which group is busiest, what is to be moved from it and how much, and from which of its CPUs.
//!
//! Only reads.
//! Source: kernel/sched/fair.c of 6.1, 6.12 and 6.18: `find_busiest_group`, `calculate_imbalance`, `adjust_numa_imbalance`,
//! `find_busiest_queue`.

use super::stats::{DomainStats, GroupStats, Search, domain, not_stronger};
use crate::machine::CpuId;
use crate::machine::sched_domain::{SCHED_LOAD_SCALE, SchedGroup};
use crate::sched::Sched;
use crate::sched::decision::{BalanceWhy, Migration};
use crate::sched::group_type::{GroupType, NUMA_IMBALANCE_MIN};
use crate::sched::rules::Spread;
use crate::sched::sd_flags::{Level, SdFlags};

/// What is to be moved, and how much of it.
pub(super) type Imbalance = (Migration, u64);

/// What a search for the busiest group concluded, and what it counted.
pub(super) struct Found<'a> {
    pub(super) verdict: Result<(&'a SchedGroup, Imbalance), BalanceWhy>,
    pub(super) stats: DomainStats<'a>,
}

/// `find_busiest_group`.
pub(super) fn find_busiest_group<'a>(s: &Sched, search: &Search<'a>) -> Found<'a> {
    let stats = domain(s, search);
    let verdict = conclude(s, search, &stats);
    Found { verdict, stats }
}

fn conclude<'a>(
    s: &Sched,
    search: &Search<'a>,
    sds: &DomainStats<'a>,
) -> Result<(&'a SchedGroup, Imbalance), BalanceWhy> {
    let Some((group, busiest)) = sds.busiest else {
        return Err(BalanceWhy::NoBusiestGroup);
    };
    let pair = Pair {
        local: sds.local,
        busiest,
        sds,
    };
    if let Some(why) = pair.balanced(s, search) {
        return Err(why);
    }
    match pair.imbalance(s, search)? {
        (_, 0) => Err(BalanceWhy::TooFew),
        imbalance => Ok((group, imbalance)),
    }
}

impl Sched {
    /// Was a CPU outside of what is searched found to be too busy? Of the highest level the search itself tells.
    fn overutilized_above(&self, search: &Search<'_>) -> bool {
        let top = self
            .domains
            .at(search.dst, search.domain.index + 1)
            .is_none();
        self.overutilized && !top
    }
}

/// The two groups between which tasks would move.
struct Pair<'a> {
    local: GroupStats,
    busiest: GroupStats,
    sds: &'a DomainStats<'a>,
}

impl Pair<'_> {
    /// Load of the domain for each full CPU of capacity.
    fn average(&self) -> u64 {
        self.sds.total_load * SCHED_LOAD_SCALE / self.sds.total_capacity
    }

    /// Is the difference nothing to act on?
    fn balanced(&self, s: &Sched, search: &Search<'_>) -> Option<BalanceWhy> {
        let (local, busiest) = (&self.local, &self.busiest);
        if busiest.kind == GroupType::Misfit {
            return None;
        }
        if s.energy.is_some() && !self.sds.overutilized && !s.overutilized_above(search) {
            return Some(BalanceWhy::EnergyKeeps);
        }
        if busiest.kind == GroupType::Imbalanced {
            return None;
        }
        if local.kind > busiest.kind {
            return Some(BalanceWhy::BusierKind);
        }
        if local.kind == GroupType::Overloaded {
            let pct = search.domain.sd.spec.imbalance_pct;
            if local.avg_load >= busiest.avg_load {
                return Some(BalanceWhy::ThisBusier);
            }
            if local.avg_load >= self.average() {
                return Some(BalanceWhy::AboveAverage);
            }
            if 100 * busiest.avg_load <= pct * local.avg_load {
                return Some(BalanceWhy::WithinPct);
            }
        }
        let spreads = self.sds.prefer_sibling && local.kind == GroupType::HasSpare;
        if spreads && self.apart(s, search) > 1 {
            return None;
        }
        if busiest.kind == GroupType::Overloaded {
            return None;
        }
        if !search.is_idle() {
            return Some(BalanceWhy::NotOverloaded);
        }
        // A core of one thread helps one of which several are busy.
        if busiest.kind == GroupType::SmtBalance && local.one_core != busiest.one_core {
            return None;
        }
        if busiest.weight > 1 && local.idle_cpus <= busiest.idle_cpus + 1 {
            return Some(BalanceWhy::IdleSpread);
        }
        (busiest.h_nr_running == 1).then_some(BalanceWhy::NoneWaits)
    }

    /// `calculate_imbalance`.
    fn imbalance(&self, s: &Sched, search: &Search<'_>) -> Result<Imbalance, BalanceWhy> {
        let (local, busiest) = (&self.local, &self.busiest);
        match busiest.kind {
            GroupType::Misfit if search.domain.sd.asym_capacity => {
                return Ok((Migration::Misfit, 1));
            }
            // Its CPU has little left beside real-time tasks: enough for it to be pushed.
            GroupType::Misfit => return Ok((Migration::Load, busiest.misfit)),
            GroupType::Imbalanced | GroupType::SmtBalance => return Ok((Migration::Task, 1)),
            GroupType::HasSpare | GroupType::FullyBusy | GroupType::Overloaded => {}
        }
        if local.kind == GroupType::HasSpare {
            return self.to_spare(s, search);
        }
        let average = self.average();
        let local_load = if local.kind == GroupType::Overloaded {
            local.avg_load
        } else {
            let would_be = local.load * SCHED_LOAD_SCALE / local.capacity;
            if would_be >= busiest.avg_load {
                return Err(BalanceWhy::ThisBusier);
            }
            if s.rules.above_average_stops && would_be >= average {
                return Err(BalanceWhy::AboveAverage);
            }
            would_be
        };
        let surplus = busiest.avg_load.wrapping_sub(average);
        let room = average.wrapping_sub(local_load);
        let load = surplus
            .wrapping_mul(busiest.capacity)
            .min(room.wrapping_mul(local.capacity));
        Ok((Migration::Load, load / SCHED_LOAD_SCALE))
    }

    /// How many tasks more the busiest group has where they are to be spread over both.
    fn apart(&self, s: &Sched, search: &Search<'_>) -> u64 {
        let [busiest, local] = [&self.busiest, &self.local].map(|g| (g.nr_running, g.cores));
        match s.rules.spread {
            Spread::Tasks => busiest.0.saturating_sub(local.0),
            Spread::TasksPerCore if search.is_idle() => sibling_imbalance(busiest, local),
            Spread::TasksPerCore => 0,
        }
    }

    /// This group has something to spare: it takes utilisation from one that is overloaded in another cache, else
    /// tasks, so that those of groups that are to be spread, or idle CPUs, become even.
    fn to_spare(&self, s: &Sched, search: &Search<'_>) -> Result<Imbalance, BalanceWhy> {
        let (local, busiest) = (&self.local, &self.busiest);
        let one_cache = search.flag(SdFlags::SHARE_PKG_RESOURCES);
        if busiest.kind == GroupType::Overloaded && !one_cache {
            let spare = local.capacity.saturating_sub(local.util);
            return Ok(match spare {
                0 if search.is_idle() => (Migration::Task, 1),
                spare => (Migration::Util, spare),
            });
        }
        let apart = if busiest.weight == 1 || self.sds.prefer_sibling {
            self.apart(s, search)
        } else {
            local.idle_cpus.saturating_sub(busiest.idle_cpus)
        };
        let sd = search.domain.sd;
        let nodes = sd.spec.level >= Level::Node;
        let few = local.nr_running < u64::from(sd.imb_numa_nr);
        if nodes && few && (1..=NUMA_IMBALANCE_MIN).contains(&apart) {
            return Err(BalanceWhy::NodeKeeps);
        }
        Ok((Migration::Task, apart / 2))
    }
}

/// How many tasks more the first group has than the second, each a pair of tasks and cores: by core where they have not as
/// many, twice what is to be moved and rounded (`sibling_imbalance`, 6.6).
fn sibling_imbalance(busiest: (u64, u64), local: (u64, u64)) -> u64 {
    let ((nr, cores), (local_nr, local_cores)) = (busiest, local);
    if nr == 0 || cores == local_cores {
        return nr.saturating_sub(local_nr);
    }
    let both = cores + local_cores;
    let apart = (local_cores * nr).saturating_sub(cores * local_nr);
    let apart = (2 * apart + both) / both;
    // An empty group takes one of several in any case.
    if apart <= 1 && local_nr == 0 && nr > 1 {
        return 2;
    }
    apart
}

/// The CPU of `group` that has most of what is to be moved (`find_busiest_queue`).
pub(super) fn find_busiest_queue(
    s: &Sched,
    search: &Search<'_>,
    group: &SchedGroup,
    (kind, imbalance): Imbalance,
) -> Option<CpuId> {
    let mut busiest: Option<(CpuId, u64)> = None;
    let counted = |cpu: &&CpuId| search.cpus.contains(**cpu);
    for cpu in group.cpus.iter().copied().filter(|cpu| counted(&cpu)) {
        let rq = &s.rq[cpu.index()];
        let nr = u64::from(s.nr_to_balance(cpu));
        let stays = search.domain.sd.asym_capacity && not_stronger(s, search.dst, cpu);
        if nr == 0 || nr == 1 && stays {
            continue;
        }
        let reduced = s.has_reduced_capacity(cpu, search.domain.sd.spec.imbalance_pct);
        let has = match kind {
            Migration::Load if nr == 1 && s.cpu_load(cpu) > imbalance && !reduced => 0,
            Migration::Load => s.cpu_load(cpu),
            // Its only task cannot be taken.
            Migration::Util if nr == 1 => 0,
            Migration::Util if s.rules.runnable_boost => s.cpu_util_boost(cpu),
            Migration::Util => s.cpu_util(cpu),
            Migration::Task => nr,
            Migration::Misfit => rq.misfit_task_load,
        };
        let more = match busiest {
            None => has > 0,
            // Load for capacity, without a division.
            Some((most, most_has)) if kind == Migration::Load => {
                has * s.cpu_capacity(most) > most_has * s.cpu_capacity(cpu)
            }
            Some((_, most_has)) => has > most_has,
        };
        if more {
            busiest = Some((cpu, has));
        }
    }
    busiest.map(|(cpu, _)| cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked example `eevdf/K10`.
    #[test]
    fn k10_tasks_are_compared_by_core() {
        assert_eq!(sibling_imbalance((5, 4), (2, 4)), 3, "K10");
        assert_eq!(sibling_imbalance((4, 4), (2, 8)), 5, "K10");
        assert_eq!(
            sibling_imbalance((2, 2), (0, 1)),
            2,
            "one of two for an empty group"
        );
        assert_eq!(sibling_imbalance((0, 4), (2, 8)), 0);
    }
}
