//! Where a new task or an exec goes in 6.1 and later: into the group with the most room, there to an idle CPU.
//!
//! Source: kernel/sched/fair.c of 6.1: `find_idlest_group`, `update_sg_wakeup_stats`, `update_pick_idlest`,
//! `find_idlest_group_cpu`.
//! Outline where CPUs are unequal, and in how deep idle CPUs sleep, which is not known here: all count alike.

use super::{Ask, Step};
use crate::machine::CpuId;
use crate::machine::sched_domain::{DomainOf, SCHED_LOAD_SCALE, SchedGroup};
use crate::sched::Sched;
use crate::sched::group_type::{GroupType, GroupUse, NUMA_IMBALANCE_MIN, group_classify};
use crate::sched::sd_flags::Level;
use crate::sched::weight::NICE_0_LOAD;

/// What there is to know of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    load: u64,
    util: u64,
    runnable: u64,
    nr_running: u32,
    idle_cpus: u32,
    weight: u32,
    capacity: u64,
    max_capacity: u64,
    /// Is no CPU of it strong enough?
    misfit: bool,
    avg_load: u64,
}

/// The group to go to; none: the local one.
pub(super) fn find_idlest_group<'d>(
    s: &Sched,
    ask: &Ask<'_>,
    d: DomainOf<'d>,
    visited: &mut u32,
    note: &mut impl FnMut(Step),
) -> Option<&'d SchedGroup> {
    let pct = d.sd.spec.imbalance_pct;
    let mut local: Option<(GroupType, Stats)> = None;
    let mut idlest: Option<(GroupType, Stats, &SchedGroup)> = None;
    for (i, group) in d.groups().enumerate() {
        if !group.span.intersects(&ask.task.allowed) {
            continue;
        }
        let mut stats = stats_of(s, ask, (group, d.sd.asym_capacity));
        *visited += stats.weight;
        let sums = GroupUse {
            capacity: stats.capacity,
            util: stats.util,
            runnable: stats.runnable,
            nr_running: stats.nr_running.into(),
            weight: stats.weight.into(),
            imbalanced: s.imbalanced[group.number as usize],
            busy_threads: false,
            misfit: stats.misfit,
        };
        let full = group_classify(&sums, pct);
        if matches!(full, GroupType::FullyBusy | GroupType::Overloaded) {
            stats.avg_load = stats.load * SCHED_LOAD_SCALE / stats.capacity;
        }
        note(Step::Room {
            span: group.span,
            full,
            idle_cpus: stats.idle_cpus,
            avg_load: stats.avg_load,
            local: i == 0,
        });
        if i == 0 {
            local = Some((full, stats));
        } else if idlest.is_none_or(|(f, best, _)| is_idler((full, &stats), (f, &best))) {
            idlest = Some((full, stats, group));
        }
    }
    let (full, stats, group) = idlest?;
    let Some((local_full, local)) = local else {
        return Some(group);
    };
    if local_full != full {
        return (local_full > full).then_some(group);
    }
    let goes = match full {
        GroupType::FullyBusy | GroupType::Overloaded => is_lighter(d, &local, &stats),
        GroupType::Imbalanced | GroupType::SmtBalance => false,
        GroupType::Misfit => local.max_capacity < stats.max_capacity,
        GroupType::HasSpare => {
            let tolerated = is_numa(d) && near_balance(ask, d, &local, &stats);
            !tolerated && local.idle_cpus < stats.idle_cpus
        }
    };
    goes.then_some(group)
}

/// Of two groups that both have their hands full: is the other lighter by more than is tolerated?
fn is_lighter(d: DomainOf<'_>, local: &Stats, other: &Stats) -> bool {
    let pct = d.sd.spec.imbalance_pct;
    let imbalance = NICE_0_LOAD * (pct - 100) / 100;
    let keeps_near = is_numa(d) && other.avg_load + imbalance >= local.avg_load;
    !keeps_near
        && other.avg_load < local.avg_load + imbalance
        && 100 * local.avg_load > pct * other.avg_load
}

fn is_numa(d: DomainOf<'_>) -> bool {
    matches!(d.sd.spec.level, Level::Node | Level::AllNodes)
}

/// Between nodes: do so few run here that the task may stay with its parent (`adjust_numa_imbalance`)?
fn near_balance(ask: &Ask<'_>, d: DomainOf<'_>, local: &Stats, other: &Stats) -> bool {
    let mine = d.local().span.and(&ask.task.allowed).weight() as u32;
    let allowed = d.sd.imb_numa_nr.min(mine);
    let imbalance = local.idle_cpus.abs_diff(other.idle_cpus);
    let few = local.nr_running < allowed;
    let kept = NUMA_IMBALANCE_MIN as u32;
    (few && imbalance <= kept) || imbalance == 0
}

/// `update_pick_idlest`.
fn is_idler((full, new): (GroupType, &Stats), (best_full, best): (GroupType, &Stats)) -> bool {
    if full != best_full {
        return full < best_full;
    }
    match full {
        GroupType::FullyBusy | GroupType::Overloaded => new.avg_load < best.avg_load,
        GroupType::Imbalanced | GroupType::SmtBalance => false,
        GroupType::Misfit => new.max_capacity > best.max_capacity,
        GroupType::HasSpare => {
            new.idle_cpus > best.idle_cpus
                || (new.idle_cpus == best.idle_cpus && new.util < best.util)
        }
    }
}

/// The group without the task itself.
fn stats_of(s: &Sched, ask: &Ask<'_>, (group, asym): (&SchedGroup, bool)) -> Stats {
    let queued = s.se(ask.task.se).on_rq;
    let mut stats = Stats {
        weight: group.cpus.len() as u32,
        capacity: s.group_power(group),
        misfit: asym,
        ..Stats::default()
    };
    for &cpu in &group.cpus {
        let rq = &s.rq[cpu.index()];
        let own = u32::from(queued && cpu == ask.task.cpu);
        stats.load += s.cpu_load_without(cpu, ask.id);
        stats.util += s.cpu_util_without(cpu, ask.id);
        stats.runnable += s.cpu_runnable_without(cpu, ask.id);
        stats.nr_running += rq.nr_running - own;
        let others = rq.curr.is_some_and(|curr| curr != ask.id);
        let idle = rq.nr_running == own && !others && rq.wake_list.is_empty();
        stats.idle_cpus += u32::from(idle);
        stats.max_capacity = stats.max_capacity.max(s.cpu_capacity(cpu));
        stats.misfit &= !s.task_fits(ask.id, cpu);
    }
    stats
}

/// The idle CPU of `group` that went idle last, else the one with the least load; with only `SCHED_IDLE` tasks on
/// it the first such.
pub(super) fn find_idlest_cpu(
    s: &Sched,
    ask: &Ask<'_>,
    group: &SchedGroup,
    visited: &mut u32,
) -> Option<CpuId> {
    if let [only] = group.cpus[..] {
        return Some(only);
    }
    let (mut latest, mut idle) = (0, None);
    let (mut min_load, mut least) = (u64::MAX, None);
    let allowed = group.cpus.iter().filter(|c| ask.task.allowed.contains(**c));
    for &cpu in allowed {
        *visited += 1;
        if s.is_as_good_as_idle(ask.task, cpu) {
            return Some(cpu);
        }
        if s.idle_cpu(cpu) {
            let since = s.rq[cpu.index()].idle_stamp.unwrap_or(0);
            if idle.is_none() || since > latest {
                (latest, idle) = (since, Some(cpu));
            }
        } else if idle.is_none() {
            let load = s.cpu_load(cpu);
            if load < min_load {
                (min_load, least) = (load, Some(cpu));
            }
        }
    }
    idle.or(least)
}
