//! `find_idlest_group` and `find_idlest_cpu`: down the domains to the CPU that has least to do.
//!
//! Source: kernel/sched.c of 2.6.31 (`sched_balance_self`), kernel/sched_fair.c of 2.6.32
//! (`select_task_rq_fair`).

use super::affine::imbalance;
use super::spread;
use super::{Ask, SelectKind, Step};
use crate::machine::CpuId;
use crate::machine::sched_domain::{DomainOf, SCHED_LOAD_SCALE, SchedGroup};
use crate::sched::Sched;
use crate::sched::rules::Select;

/// Where a descent ended.
pub(super) struct Descent {
    /// The last CPU chosen; none if every level said: stay local.
    pub(super) cpu: Option<CpuId>,
    /// Run queues read.
    pub(super) visited: u32,
}

/// From the domain `start` of the asking CPU downwards: at each level that allows it, the idlest CPU of the
/// idlest group, then on among that CPU's smaller domains.
pub(super) fn descend(
    s: &Sched,
    ask: &Ask<'_>,
    start: DomainOf<'_>,
    note: &mut impl FnMut(Step),
) -> Descent {
    let mut descent = Descent {
        cpu: None,
        visited: 0,
    };
    let (mut cpu, mut domain) = (ask.this, Some(start));
    while let Some(d) = domain {
        let child = || d.index.checked_sub(1).and_then(|i| s.domains.at(cpu, i));
        if !d.sd.spec.flags.any(ask.kind.flag()) {
            domain = child();
            continue;
        }
        let chosen = idlest_below(s, ask, (d, cpu), &mut descent.visited, note)
            .filter(|idlest| *idlest != cpu);
        note(Step::Idlest {
            level: d.sd.spec.level,
            cpu: chosen,
        });
        let Some(idlest) = chosen else {
            domain = child();
            continue;
        };
        cpu = idlest;
        descent.cpu = Some(idlest);
        domain = largest_below(s, ask, idlest, d.sd.cpus.len());
    }
    descent
}

/// The idlest CPU of the idlest group of a domain of `cpu`, by weight or by tracked load.
fn idlest_below(
    s: &Sched,
    ask: &Ask<'_>,
    (d, cpu): (DomainOf<'_>, CpuId),
    visited: &mut u32,
    note: &mut impl FnMut(Step),
) -> Option<CpuId> {
    if s.rules.select == Select::IdleFirst {
        let group = spread::find_idlest_group(s, ask, d, visited, note)?;
        return spread::find_idlest_cpu(s, ask, group, visited);
    }
    let group = find_idlest_group(s, ask, d, visited, note)?;
    find_idlest_cpu(s, ask, group, cpu, visited)
}

/// The largest domain of `cpu` that has fewer than `weight` CPUs and allows this kind of balancing.
fn largest_below<'s>(
    s: &'s Sched,
    ask: &Ask<'_>,
    cpu: CpuId,
    weight: usize,
) -> Option<DomainOf<'s>> {
    let smaller = s.domains.of(cpu).take_while(|d| d.sd.cpus.len() < weight);
    smaller
        .filter(|d| d.sd.spec.flags.any(ask.kind.flag()))
        .last()
}

/// The group with the least load for its power, if the local one is not nearly as idle. Groups in which the
/// task may not run do not count.
fn find_idlest_group<'d>(
    s: &Sched,
    ask: &Ask<'_>,
    d: DomainOf<'d>,
    visited: &mut u32,
    note: &mut impl FnMut(Step),
) -> Option<&'d SchedGroup> {
    let idx = s.load_index(match ask.kind {
        SelectKind::Wake => d.sd.spec.idx.wake,
        SelectKind::Fork | SelectKind::Exec => d.sd.spec.idx.forkexec,
    });
    let (mut this_load, mut min_load, mut idlest) = (0, u64::MAX, None);
    for (i, group) in d.groups().enumerate() {
        if !group.span.intersects(&ask.task.allowed) {
            continue;
        }
        let local = i == 0;
        let load = |cpu: &CpuId| {
            if local {
                s.source_load(*cpu, idx)
            } else {
                s.target_load(*cpu, idx)
            }
        };
        let sum: u64 = group.cpus.iter().map(load).sum();
        *visited += group.cpus.len() as u32;
        let avg_load = s.div_group_power(group, sum * SCHED_LOAD_SCALE);
        note(Step::Group {
            span: group.span,
            avg_load,
            local,
        });
        if local {
            this_load = avg_load;
        } else if avg_load < min_load {
            (min_load, idlest) = (avg_load, Some(group));
        }
    }
    idlest.filter(|_| 100 * this_load >= imbalance(d.sd).wrapping_mul(min_load))
}

/// The CPU of `group` with the least weight on it; of equals the asking CPU, else the lowest.
fn find_idlest_cpu(
    s: &Sched,
    ask: &Ask<'_>,
    group: &SchedGroup,
    this: CpuId,
    visited: &mut u32,
) -> Option<CpuId> {
    let (mut min_load, mut idlest) = (u64::MAX, None);
    let allowed = group.cpus.iter().filter(|c| ask.task.allowed.contains(**c));
    for cpu in allowed {
        let load = s.weighted_cpuload(*cpu);
        *visited += 1;
        if load < min_load || (load == min_load && *cpu == this) {
            (min_load, idlest) = (load, Some(*cpu));
        }
    }
    idlest
}
