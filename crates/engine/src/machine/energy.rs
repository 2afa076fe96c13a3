//! What CPUs cost at each of their speeds: the energy model of a machine, as data.
//!
//! CPUs of one performance domain change their speed together. What is chosen by this is no business of this file
//! (`sched/wakeup/energy.rs`). Power has no unit: only what one speed costs against another counts.
//! Source: Documentation/scheduler/sched-energy.rst; include/linux/energy_model.h (`em_cpu_energy`).

use super::cpumask::{CpuId, CpuMask};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// One speed of a CPU (`em_perf_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerfState {
    /// What it can do at that speed; 1024 is the strongest CPU at its highest.
    pub capacity: u32,
    /// What that costs while it is busy.
    pub power: u32,
}

/// CPUs that change their speed together, as a row of the catalog has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfDomain {
    /// The CPUs, as a list.
    pub cpus: Cow<'static, str>,
    /// Their speeds, lowest first; the highest is their capacity.
    pub states: Cow<'static, [PerfState]>,
}

/// The same, read (`perf_domain`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnergyDomain {
    /// The CPUs, in rising order.
    pub cpus: Vec<CpuId>,
    /// Their speeds, lowest first.
    pub states: Vec<PerfState>,
}

/// Every performance domain of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnergyModel {
    /// The domains.
    pub domains: Vec<EnergyDomain>,
}

impl EnergyModel {
    /// The model of a row of the catalog; none if it has none.
    pub fn new(rows: &[PerfDomain]) -> Option<EnergyModel> {
        let domain = |row: &PerfDomain| EnergyDomain {
            cpus: row
                .cpus
                .parse::<CpuMask>()
                .map_or_else(|_| Vec::new(), |cpus| cpus.iter().collect()),
            states: row.states.to_vec(),
        };
        (!rows.is_empty()).then(|| EnergyModel {
            domains: rows.iter().map(domain).collect(),
        })
    }
}

impl EnergyDomain {
    /// What its CPUs cost if together they use `sum_util` and the busiest asks for `max_util`: all go at the lowest speed
    /// that gives that, for as long as it takes them (`em_cpu_energy`).
    pub fn energy(&self, max_util: u64, sum_util: u64) -> u64 {
        let enough = |state: &&PerfState| u64::from(state.capacity) >= max_util;
        let state = self.states.iter().find(enough).or(self.states.last());
        state.map_or(0, |state| {
            u64::from(state.power) * sum_util / u64::from(state.capacity)
        })
    }

    /// What one of its CPUs can do at its highest speed.
    pub fn capacity(&self) -> u64 {
        self.states.last().map_or(0, |state| state.capacity.into())
    }
}
