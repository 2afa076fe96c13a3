//! Which CPUs are near each other, as selection asks it, and what those that share a last-level cache know together.
//!
//! Source: kernel/sched/topology.c of 6.1 (`sd_llc_id`, `sd_llc_size`, `sd_llc_shared`), kernel/sched/fair.c
//! (`__update_idle_core`, `update_idle_cpu_scan`).

use crate::machine::sched_domain::{DomainOf, Domains};
use crate::machine::topology::{Topology, Unit};
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rules::Select;
use crate::sched::sd_flags::SdFlags;
use alloc::vec::Vec;

/// What never changes.
#[derive(Clone, Debug)]
pub struct Near {
    /// The first CPU of each CPU's last-level cache (`sd_llc_id`), and how many share it (`sd_llc_size`).
    llc: Vec<(CpuId, u32)>,
    /// The hardware threads of each CPU's core (`cpu_smt_mask`).
    pub(super) smt: Vec<CpuMask>,
    /// The CPUs of each CPU's node.
    pub(super) node: Vec<CpuMask>,
    /// Has any core several threads (`sched_smt_active`)?
    pub(super) any_smt: bool,
    /// Do some CPUs compute slower than others (`sched_asym_cpucap_active`)?
    pub(super) asymmetric: bool,
}

/// `sched_domain_shared`: what the CPUs of a last-level cache know together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlcState {
    /// Is a wholly idle core believed to be there?
    pub has_idle_cores: bool,
    /// How many CPUs a search for an idle one may look at.
    pub nr_idle_scan: u32,
}

impl Near {
    /// Of a machine under one kernel's domains.
    pub(in crate::sched) fn new(topology: &Topology, domains: &Domains) -> Near {
        let spans = |unit| {
            let all = topology.all();
            let of = |cpu| *topology.span_of(unit, cpu);
            all.iter().map(of).collect::<Vec<CpuMask>>()
        };
        let smt = spans(Unit::Core);
        let llc = |cpu| {
            let shared = highest_sharing(domains, cpu);
            shared.map_or((cpu, 1), |d| (d.sd.cpus[0], d.sd.cpus.len() as u32))
        };
        let capacities = || topology.all().iter().map(|cpu| topology.capacity(cpu));
        Near {
            llc: topology.all().iter().map(llc).collect(),
            any_smt: smt.iter().any(|core| core.weight() > 1),
            smt,
            node: spans(Unit::Node),
            asymmetric: capacities().min() != capacities().max(),
        }
    }

    /// Has any core several threads (`sched_smt_active`)?
    pub(in crate::sched) const fn has_threads(&self) -> bool {
        self.any_smt
    }

    /// As after boot, when every CPU has gone idle and periodic balancing has seen an idle machine.
    pub(in crate::sched) fn first_state(&self) -> Vec<LlcState> {
        let state = |(_, size): &(CpuId, u32)| LlcState {
            has_idle_cores: self.any_smt,
            nr_idle_scan: *size,
        };
        self.llc.iter().map(state).collect()
    }

    /// How many CPUs share the last-level cache of `cpu`.
    pub fn llc_size(&self, cpu: CpuId) -> u32 {
        self.llc[cpu.index()].1
    }

    /// Where the state of the last-level cache of `cpu` is kept.
    fn llc_id(&self, cpu: CpuId) -> usize {
        self.llc[cpu.index()].0.index()
    }

    /// `cpus_share_cache`.
    pub fn share_cache(&self, a: CpuId, b: CpuId) -> bool {
        a == b || self.llc[a.index()].0 == self.llc[b.index()].0
    }
}

/// The largest domain of `cpu` up to which all share a cache (`highest_flag_domain`).
pub(super) fn highest_sharing(domains: &Domains, cpu: CpuId) -> Option<DomainOf<'_>> {
    let shares = |d: &DomainOf<'_>| d.sd.spec.flags.any(SdFlags::SHARE_PKG_RESOURCES);
    domains.of(cpu).take_while(shares).last()
}

impl Sched {
    /// What the CPUs of the last-level cache of `cpu` know.
    pub fn llc_state(&self, cpu: CpuId) -> &LlcState {
        &self.llc[self.near.llc_id(cpu)]
    }

    pub(super) fn llc_state_mut(&mut self, cpu: CpuId) -> &mut LlcState {
        &mut self.llc[self.near.llc_id(cpu)]
    }

    /// `cpu` goes idle: if the other threads of its core are, the cache has an idle core (`__update_idle_core`).
    #[inline]
    pub(in crate::sched) fn update_idle_core(&mut self, cpu: CpuId) {
        if self.rules.select != Select::IdleFirst || !self.near.any_smt {
            return;
        }
        if self.is_core_idle(cpu) {
            self.llc_state_mut(cpu).has_idle_cores = true;
        }
    }

    /// Are the other threads of the core of `cpu` idle (`is_core_idle`)?
    pub(in crate::sched) fn is_core_idle(&self, cpu: CpuId) -> bool {
        let mut threads = self.near.smt[cpu.index()].iter();
        threads.all(|other| other == cpu || self.idle_cpu(other))
    }

    /// Periodic balancing of `cpu` has added up the utilisation of a domain of `weight` CPUs: if that is its
    /// last-level cache, the busier it is the fewer CPUs are looked at for an idle one (`update_idle_cpu_scan`).
    /// Newly idle balancing does not ask.
    pub fn update_idle_cpu_scan(
        &mut self,
        cpu: CpuId,
        (weight, imbalance_pct): (u32, u64),
        sum_util: u64,
    ) {
        let size = self.near.llc_size(cpu);
        let alone = self.near.llc[cpu.index()] == (cpu, 1);
        if !self.features.has(Feature::SisUtil) || weight != size || alone {
            return;
        }
        self.llc_state_mut(cpu).nr_idle_scan = idle_scan(size, imbalance_pct, sum_util);
    }
}

/// CPUs to look at of `size` that use `sum_util` together: all when idle, none at 1024²·100²/pct².
pub(super) fn idle_scan(size: u32, imbalance_pct: u64, sum_util: u64) -> u32 {
    let size = u64::from(size);
    let each = sum_util / size;
    let used = (each * each * imbalance_pct * imbalance_pct) / (10_000 * 1024);
    let free = 1024 - used.min(1024);
    (free * size / 1024) as u32
}
