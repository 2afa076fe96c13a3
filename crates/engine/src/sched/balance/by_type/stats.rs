//! What balancing of 6.1 and later counts in a group, and which group is the busiest.
//!
//! Not here: of which type that makes a group ([`crate::sched::group_type`]), and what follows ([`super::busiest`]).
//! A CPU's capacity is lowered by real-time tasks only, not by interrupts.
//! Source: kernel/sched/fair.c of 6.1, 6.12 and 6.18: `update_sg_lb_stats`, `update_sd_lb_stats`, `update_sd_pick_busiest`.

use crate::machine::CpuId;
use crate::machine::CpuMask;
use crate::machine::sched_domain::{DomainOf, SCHED_LOAD_SCALE, SchedGroup};
use crate::sched::Sched;
use crate::sched::decision::IdleType;
use crate::sched::group_type::{GroupType, GroupUse, group_classify};
use crate::sched::rules::Rules;
use crate::sched::sd_flags::SdFlags;

/// A capacity is greater than another by more than 5 % only (`capacity_greater`: 1078 against 1024).
const CAPACITY_MARGIN: u64 = 1078;

/// A search for the busiest group.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    /// The CPU that tasks would come to.
    pub(super) dst: CpuId,
    /// Where it looks.
    pub(super) domain: DomainOf<'a>,
    /// How idle it is.
    pub(super) idle: IdleType,
    /// CPUs that count.
    pub(super) cpus: CpuMask,
}

impl Search<'_> {
    pub(super) fn flag(&self, flag: SdFlags) -> bool {
        self.domain.sd.spec.flags.any(flag)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.idle != IdleType::NotIdle
    }
}

/// `sg_lb_stats`: one group.
#[derive(Clone, Copy, Default)]
pub(super) struct GroupStats {
    /// Tracked load of its CPUs.
    pub(super) load: u64,
    /// Their utilisation.
    pub(super) util: u64,
    /// Tasks runnable on them of late, 1024 each.
    pub(super) runnable: u64,
    /// Runnable tasks.
    pub(super) nr_running: u64,
    /// Those of the fair class, by the rule without those that sleep but are still queued.
    pub(super) h_nr_running: u64,
    /// CPUs that do nothing.
    pub(super) idle_cpus: u64,
    /// CPUs.
    pub(super) weight: u64,
    /// Cores.
    pub(super) cores: u64,
    /// Is it one core of several threads?
    pub(super) one_core: bool,
    /// Their capacity.
    pub(super) capacity: u64,
    /// Load of the largest task that is too much for its CPU.
    pub(super) misfit: u64,
    /// Load for each full CPU of capacity; only of an overloaded group.
    pub(super) avg_load: u64,
    pub(super) kind: GroupType,
}

/// `sd_lb_stats`: a domain.
pub(super) struct DomainStats<'a> {
    /// This CPU's group.
    pub(super) local: GroupStats,
    /// The busiest other one.
    pub(super) busiest: Option<(&'a SchedGroup, GroupStats)>,
    pub(super) total_load: u64,
    pub(super) total_capacity: u64,
    pub(super) total_util: u64,
    /// Does the level below want its tasks spread?
    pub(super) prefer_sibling: bool,
    /// Has a CPU two runnable tasks, or one that is too much for it?
    pub(super) overload: bool,
    /// Is a CPU too busy for placement by energy?
    pub(super) overutilized: bool,
    /// Run queues read.
    pub(super) visited: u32,
}

/// Counts the groups of a domain in ring order, this CPU's own first.
pub(super) fn domain<'a>(s: &Sched, search: &Search<'a>) -> DomainStats<'a> {
    let d = search.domain;
    let child = d.index.checked_sub(1);
    let child = child.and_then(|below| s.domains.at(search.dst, below));
    let mut sds = DomainStats {
        local: GroupStats::default(),
        busiest: None,
        total_load: 0,
        total_capacity: 0,
        total_util: 0,
        prefer_sibling: child.is_some_and(|c| c.sd.spec.flags.any(SdFlags::PREFER_SIBLING)),
        overload: false,
        overutilized: false,
        visited: 0,
    };
    for group in d.groups() {
        let local = group.span.contains(search.dst);
        let stats = group_stats(s, search, (group, local), &mut sds);
        sds.total_load += stats.load;
        sds.total_capacity += stats.capacity;
        sds.total_util += stats.util;
        if local {
            sds.local = stats;
        } else if busier(s, search, (group, &stats), &sds) {
            sds.busiest = Some((group, stats));
        }
    }
    sds
}

/// Counts one group.
fn group_stats(
    s: &Sched,
    search: &Search<'_>,
    (group, local): (&SchedGroup, bool),
    sds: &mut DomainStats<'_>,
) -> GroupStats {
    let mut stats = GroupStats {
        weight: group.cpus.len() as u64,
        cores: group.cores.into(),
        one_core: group.one_core,
        capacity: s.group_power(group),
        ..GroupStats::default()
    };
    let pct = search.domain.sd.spec.imbalance_pct;
    for cpu in group.cpus.iter().filter(|cpu| search.cpus.contains(**cpu)) {
        let rq = &s.rq[cpu.index()];
        sds.visited += 1;
        stats.load += s.cpu_load(*cpu);
        stats.util += s.cpu_util(*cpu);
        stats.runnable += s.cpu_runnable(*cpu);
        stats.nr_running += u64::from(rq.nr_running);
        let waiting = s.nr_to_balance(*cpu);
        stats.h_nr_running += u64::from(waiting);
        sds.overload |= rq.nr_running > 1;
        sds.overutilized |= s.energy.is_some() && s.cpu_overutilized(*cpu);
        if s.idle_cpu(*cpu) {
            stats.idle_cpus += 1;
            continue;
        }
        if local {
            continue;
        }
        if search.domain.sd.asym_capacity {
            stats.misfit = stats.misfit.max(rq.misfit_task_load);
            sds.overload |= rq.misfit_task_load > 0;
        } else if search.is_idle() && waiting == 1 && s.has_reduced_capacity(*cpu, pct) {
            // c82a6962: a lone task beside real-time ones is too much for what these leave.
            stats.misfit = stats.misfit.max(s.cpu_load(*cpu));
        }
    }
    let sums = GroupUse {
        capacity: stats.capacity,
        util: stats.util,
        runnable: stats.runnable,
        nr_running: stats.nr_running,
        weight: stats.weight,
        imbalanced: s.imbalanced[group.number as usize],
        busy_threads: s.rules.smt_balance
            && !local
            && search.is_idle()
            && group.one_core
            && stats.h_nr_running > 1,
        misfit: stats.misfit > 0,
    };
    stats.kind = group_classify(&sums, pct);
    if stats.kind == GroupType::Overloaded {
        stats.avg_load = stats.load * SCHED_LOAD_SCALE / stats.capacity;
    }
    stats
}

/// `capacity_greater`.
const fn greater(a: u64, b: u64) -> bool {
    a * SCHED_LOAD_SCALE > b * CAPACITY_MARGIN
}

/// Is a group busier than the busiest so far? (`update_sd_pick_busiest`)
fn busier(
    s: &Sched,
    search: &Search<'_>,
    (group, stats): (&SchedGroup, &GroupStats),
    sds: &DomainStats<'_>,
) -> bool {
    if stats.h_nr_running == 0 {
        return false;
    }
    let asym = search.domain.sd.asym_capacity;
    let (weakest, strongest) = group.capacities;
    let here = s.cpu_capacity(search.dst);
    let helps = greater(here, strongest.into()) && sds.local.kind == GroupType::HasSpare;
    if asym && stats.kind == GroupType::Misfit && !helps {
        return false;
    }
    let more = match sds.busiest {
        Some((_, busiest)) if stats.kind == busiest.kind => {
            busier_of_kind(&s.rules, stats, &busiest)
        }
        Some((_, busiest)) => stats.kind > busiest.kind,
        None => true,
    };
    // Tasks that have a CPU each are not taken from stronger CPUs.
    let stronger = asym && stats.kind <= GroupType::FullyBusy && greater(weakest.into(), here);
    more && !stronger
}

/// Of two groups of one type.
fn busier_of_kind(rules: &Rules, stats: &GroupStats, busiest: &GroupStats) -> bool {
    match stats.kind {
        GroupType::Overloaded => stats.avg_load > busiest.avg_load,
        GroupType::Imbalanced => false,
        GroupType::Misfit if rules.misfit_is_no_failure => stats.misfit > busiest.misfit,
        GroupType::Misfit => stats.misfit >= busiest.misfit,
        GroupType::SmtBalance if stats.idle_cpus + busiest.idle_cpus > 0 => {
            fewer_idle(stats, busiest)
        }
        // The load of such groups is not worked out: all are equal.
        GroupType::FullyBusy | GroupType::SmtBalance => rules.full_groups_last && !busiest.one_core,
        // A task alone on its core is not taken while one waits on a core of one thread.
        GroupType::HasSpare if rules.smt_balance && stats.one_core != busiest.one_core => {
            !(stats.one_core && stats.h_nr_running <= 1)
        }
        GroupType::HasSpare => fewer_idle(stats, busiest),
    }
}

/// Has a group that could do more less to spare than the other?
const fn fewer_idle(stats: &GroupStats, busiest: &GroupStats) -> bool {
    stats.idle_cpus < busiest.idle_cpus
        || stats.idle_cpus == busiest.idle_cpus && stats.nr_running > busiest.nr_running
}

/// May `dst`'s CPU be weaker than that one, to within the margin? Then a lone task stays there.
pub(super) fn not_stronger(s: &Sched, dst: CpuId, than: CpuId) -> bool {
    !greater(s.cpu_capacity(dst), s.cpu_capacity(than))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::topology::TopologySpec;
    use crate::sched::test_machines::{kernel, shaped, sleeper};
    use crate::time::Instant;

    /// Worked example `eevdf/K8`.
    #[test]
    fn k8_five_per_cent_make_a_capacity_greater() {
        assert!(greater(1024, 972), "K8");
        assert!(!greater(1024, 973), "K8");
    }

    /// The busiest group of the highest domain of CPU 0, while those CPUs each run a task: its first CPU, and what it is.
    fn busiest(
        spec: &TopologySpec<'_>,
        kernel_of: &str,
        (busy, idle): (&[u16], IdleType),
    ) -> Option<(u16, GroupType)> {
        let mut s = shaped(spec, &kernel(kernel_of, &[]));
        for cpu in busy {
            let task = sleeper(&mut s, *cpu);
            let _ = s.wake_up_new_task(task, CpuId(*cpu));
            let _ = s.pick_next_task(CpuId(*cpu));
        }
        for ms in 1..=400 {
            for cpu in 0..s.rq.len() as u16 {
                s.update_rq_clock(CpuId(cpu), Instant(ms * 1_000_000));
                let _ = s.task_tick(CpuId(cpu));
                s.update_blocked_averages(CpuId(cpu));
            }
        }
        let top = s.domains.of(CpuId(0)).last().expect("a domain");
        let search = Search {
            dst: CpuId(0),
            domain: top,
            idle,
            cpus: top.sd.span,
        };
        let found = domain(&s, &search).busiest;
        found.map(|(group, stats)| (group.cpus[0].0, stats.kind))
    }

    /// fee1759e4f04: two busy threads of a core are more than two busy cores, to a CPU that is idle.
    #[test]
    fn an_idle_cpu_of_6_6_goes_for_a_core_of_busy_threads() {
        let spec = TopologySpec {
            cpus: 8,
            smt: "0-1|2-3|4-5",
            llc: "0-7",
            ..TopologySpec::default()
        };
        let busy: &[u16] = &[2, 4, 5, 6];
        let smt = Some((4, GroupType::SmtBalance));
        assert_eq!(busiest(&spec, "6.6", (busy, IdleType::Idle)), smt);
        let full = |first| Some((first, GroupType::FullyBusy));
        // 6.5 has no such type; of equal groups it takes the first, where 6.6 takes a core of threads or else the last.
        assert_eq!(busiest(&spec, "6.5", (busy, IdleType::Idle)), full(4));
        assert_eq!(busiest(&spec, "6.6", (busy, IdleType::NotIdle)), full(4));
        let cores: &[u16] = &[6, 7];
        assert_eq!(busiest(&spec, "6.5", (cores, IdleType::NotIdle)), full(6));
        assert_eq!(busiest(&spec, "6.6", (cores, IdleType::NotIdle)), full(7));
        // Nobody takes the only task of a core of threads while one runs on a core of one thread.
        let spare = Some((6, GroupType::FullyBusy));
        assert_eq!(busiest(&spec, "6.6", (&[2, 6], IdleType::Idle)), spare);
    }
}
