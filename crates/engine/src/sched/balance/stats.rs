//! What balancing counts in a group, and in a domain as a whole.
//!
//! Not here: what is concluded from it ([`super::busiest`]). Loads are unsigned and wrap, as in the kernel.
//! Source: `update_sg_lb_stats`, `update_sd_lb_stats` of 2.6.31 and 2.6.32.

use super::saving::Saving;
use crate::machine::sched_domain::{DomainOf, SCHED_LOAD_SCALE, SchedGroup};
use crate::machine::sd_flags::CpuPower;
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::IdleType;
use crate::sched::sd_flags::SdFlags;

/// A search for the busiest group.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    /// The CPU that would pull.
    pub(super) this: CpuId,
    /// Where it looks.
    pub(super) domain: DomainOf<'a>,
    /// How idle it is.
    pub(super) idle: IdleType,
    /// CPUs that count; none: all.
    pub(super) cpus: Option<&'a CpuMask>,
}

/// `sg_lb_stats`: one group.
#[derive(Clone, Copy, Default)]
pub(super) struct GroupStats {
    /// Sum of its CPUs' loads, guessed high for the local group, low for others.
    pub(super) load: u64,
    /// Runnable tasks.
    pub(super) nr_running: u64,
    /// Sum of its CPUs' weights.
    pub(super) weighted: u64,
    /// Load for each full CPU of power.
    pub(super) avg_load: u64,
    /// How many tasks it may run.
    pub(super) capacity: u64,
    /// Do its CPUs differ by more than two tasks?
    pub(super) imb: bool,
}

/// The local group or the busiest one.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) group: &'a SchedGroup,
    pub(super) stats: GroupStats,
}

/// `sd_lb_stats`: a domain.
pub(super) struct DomainStats<'a> {
    /// The local group; none if the CPU is not the one to balance for it.
    pub(super) this: Option<Side<'a>>,
    /// The remote group with the highest average load of those above capacity or imbalanced.
    pub(super) busiest: Option<Side<'a>>,
    pub(super) total_load: u64,
    pub(super) total_power: u64,
    pub(super) saving: Saving<'a>,
    /// Are all hardware threads of the core idle? Only asked of a core.
    pub(super) sd_idle: bool,
    /// Run queues read.
    pub(super) visited: u32,
}

/// Counts the groups of a domain in ring order. `sd_idle` says whether idleness of the whole domain matters.
pub(super) fn domain<'a>(s: &Sched, search: &Search<'a>, sd_idle: bool) -> DomainStats<'a> {
    let d = search.domain;
    let mut sds = DomainStats {
        this: None,
        busiest: None,
        total_load: 0,
        total_power: 0,
        saving: Saving::new(d.sd, search.idle),
        sd_idle,
        visited: 0,
    };
    let prefer_sibling = prefers_sibling(s, search);
    for (i, group) in d.groups().enumerate() {
        let local = i == 0;
        let Some(mut stats) = group_stats(s, search, group, local, &mut sds) else {
            return sds;
        };
        sds.total_load = sds.total_load.wrapping_add(stats.load);
        sds.total_power += group.power;
        if prefer_sibling {
            stats.capacity = stats.capacity.min(1);
        }
        let side = Side { group, stats };
        let max_load = sds.busiest.map_or(0, |b| b.stats.avg_load);
        if local {
            sds.this = Some(side);
        } else if stats.avg_load > max_load && (stats.nr_running > stats.capacity || stats.imb) {
            sds.busiest = Some(side);
        }
        sds.saving.look(side, local);
    }
    sds
}

/// Does the level below want its tasks spread, so that each group counts as one CPU here (since b5d978e0)?
fn prefers_sibling(s: &Sched, search: &Search<'_>) -> bool {
    let child = search.domain.index.checked_sub(1);
    let child = child.and_then(|below| s.domains.at(search.this, below));
    s.rules.cpu_power == CpuPower::Sum
        && child.is_some_and(|c| c.sd.spec.flags.any(SdFlags::PREFER_SIBLING))
}

/// Counts one group; none if it is the local group and another CPU of it is to balance: its first idle CPU, else
/// its first. A newly idle CPU need not ask.
fn group_stats(
    s: &Sched,
    search: &Search<'_>,
    group: &SchedGroup,
    local: bool,
    sds: &mut DomainStats<'_>,
) -> Option<GroupStats> {
    let idx = s.load_index(load_idx(search));
    let mut stats = GroupStats::default();
    let (mut max_cpu_load, mut min_cpu_load, mut per_task) = (0, u64::MAX, 0_u64);
    let (mut balancer, mut idle_found) = (group.cpus.first().copied(), false);
    let counts = |cpu: &&CpuId| search.cpus.is_none_or(|cpus| cpus.contains(**cpu));
    for cpu in group.cpus.iter().filter(counts) {
        let rq = &s.rq[cpu.index()];
        sds.visited += 1;
        sds.sd_idle &= rq.nr_running == 0;
        let load = if local {
            if rq.curr.is_none() && !idle_found {
                (idle_found, balancer) = (true, Some(*cpu));
            }
            s.target_load(*cpu, idx)
        } else {
            let load = s.source_load(*cpu, idx);
            max_cpu_load = load.max(max_cpu_load);
            min_cpu_load = load.min(min_cpu_load);
            per_task += s.cpu_avg_load_per_task(*cpu);
            load
        };
        stats.load += load;
        stats.nr_running += u64::from(rq.nr_running);
        stats.weighted += rq.load;
    }
    if local && search.idle != IdleType::NewlyIdle && balancer != Some(search.this) {
        return None;
    }
    stats.avg_load = group.div_power(stats.load * SCHED_LOAD_SCALE);
    if !local {
        let per_task = group.div_power(per_task * SCHED_LOAD_SCALE);
        stats.imb = max_cpu_load.wrapping_sub(min_cpu_load) > 2 * per_task;
    }
    stats.capacity = group.capacity;
    Some(stats)
}

/// Which average each kind of balancing reads (`get_sd_load_idx`).
fn load_idx(search: &Search<'_>) -> u8 {
    let idx = search.domain.sd.spec.idx;
    match search.idle {
        IdleType::NotIdle => idx.busy,
        IdleType::NewlyIdle => idx.newidle,
        IdleType::Idle => idx.idle,
    }
}
