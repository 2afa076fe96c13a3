//! What balancing counts in a group, and in a domain as a whole.
//!
//! Not here: what is concluded from it ([`super::busiest`]). Loads are unsigned and wrap, as in the kernel.
//! Source: `update_sg_lb_stats`, `update_sd_lb_stats` of 2.6.31, 2.6.32 and 3.2.

use super::saving::Saving;
use crate::machine::sched_domain::{DomainOf, SCHED_LOAD_SCALE, SchedGroup};
use crate::machine::sd_flags::CpuPower;
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::IdleType;
use crate::sched::rules::Balancing;
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
    /// Do its CPUs differ by more than two tasks, or in 3.2 by more than one?
    pub(super) imb: bool,
    /// CPUs that do nothing.
    pub(super) idle_cpus: u64,
    /// May it run more than it does, before `SD_PREFER_SIBLING`?
    pub(super) has_capacity: bool,
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
        sds.total_power += s.group_power(group);
        // Since 2.6.38 (75dd321d) only if the local group has room for what is to leave the others.
        let room = match s.rules.balancing {
            Balancing::NewIdleApart => true,
            Balancing::OneForAll | Balancing::ByGroupType => {
                !local && sds.this.is_some_and(|this| this.stats.has_capacity)
            }
        };
        if prefer_sibling && room {
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
    s.rules.cpu_power != CpuPower::SharedCountsOnce
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
    let mut spread = Spread::default();
    let (mut balancer, mut idle_found) = (group.cpus.first().copied(), false);
    let counts = |cpu: &&CpuId| search.cpus.is_none_or(|cpus| cpus.contains(**cpu));
    for cpu in group.cpus.iter().filter(counts) {
        let rq = &s.rq[cpu.index()];
        sds.visited += 1;
        sds.sd_idle &= rq.nr_running == 0;
        let idle = s.idle_cpu(*cpu);
        let load = if local {
            if idle && !idle_found {
                (idle_found, balancer) = (true, Some(*cpu));
            }
            s.target_load(*cpu, idx)
        } else {
            let load = s.source_load(*cpu, idx);
            spread.look(s, *cpu, load);
            load
        };
        stats.load += load;
        stats.nr_running += u64::from(rq.nr_running);
        stats.weighted += rq.load;
        stats.idle_cpus += u64::from(idle);
    }
    if local && search.idle != IdleType::NewlyIdle && balancer != Some(search.this) {
        return None;
    }
    stats.avg_load = s.div_group_power(group, stats.load * SCHED_LOAD_SCALE);
    stats.imb = !local && spread.imbalanced(s, group, &stats);
    stats.capacity = capacity(s, search, group);
    stats.has_capacity = stats.capacity > stats.nr_running;
    Some(stats)
}

/// How far apart the CPUs of a remote group are.
struct Spread {
    max_load: u64,
    min_load: u64,
    /// Tasks of the CPU with the highest load.
    max_nr: u32,
    /// Sum of the CPUs' loads for each of their tasks.
    per_task: u64,
}

impl Default for Spread {
    fn default() -> Spread {
        Spread {
            max_load: 0,
            min_load: u64::MAX,
            max_nr: 0,
            per_task: 0,
        }
    }
}

impl Spread {
    fn look(&mut self, s: &Sched, cpu: CpuId, load: u64) {
        if load > self.max_load {
            (self.max_load, self.max_nr) = (load, s.rq[cpu.index()].nr_running);
        }
        self.min_load = load.min(self.min_load);
        self.per_task += s.cpu_avg_load_per_task(cpu);
    }

    /// By more than two tasks of the sum of what their CPUs' average is; since 2.6.39 (866ab43e) by an average task of
    /// the group, if there is one to take.
    fn imbalanced(&self, s: &Sched, group: &SchedGroup, stats: &GroupStats) -> bool {
        let apart = self.max_load.wrapping_sub(self.min_load);
        match s.rules.balancing {
            Balancing::NewIdleApart => {
                apart > 2 * s.div_group_power(group, self.per_task * SCHED_LOAD_SCALE)
            }
            Balancing::OneForAll | Balancing::ByGroupType => {
                let per_task = stats.weighted.checked_div(stats.nr_running).unwrap_or(0);
                apart >= per_task && self.max_nr > 1
            }
        }
    }
}

/// How many tasks a group may run. A hardware thread of less than half a CPU may run one, if nothing but its siblings
/// takes from it (9d5efe05, 2.6.37: `fix_small_capacity`).
fn capacity(s: &Sched, search: &Search<'_>, group: &SchedGroup) -> u64 {
    let threads = search.domain.sd.spec.flags.any(SdFlags::SHARE_CPUPOWER);
    let one = threads && s.rules.balancing == Balancing::OneForAll;
    s.group_capacity(group).max(u64::from(one))
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
