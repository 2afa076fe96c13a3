//! How large an experiment may be: every limit, with why it is where it is.

use crate::machine::CpuMask;
use crate::time::{Hz, Nanos};
use crate::workload::World;

/// The limits that a [`super::Scenario`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPUs of a machine: what a [`CpuMask`] holds.
    pub cpus: usize,
    /// Workloads in the mix.
    pub workloads: usize,
    /// Task groups.
    pub groups: usize,
    /// Groups inside each other.
    pub group_depth: usize,
    /// The least and most `cpu.shares` (`MIN_SHARES`, `MAX_SHARES`, kernel/sched/core.c).
    pub group_shares: (u64, u64),
    /// The least and most `cpu.weight` (`CGROUP_WEIGHT_MIN`, `CGROUP_WEIGHT_MAX`, include/linux/cgroup.h).
    pub group_weight: (u64, u64),
    /// The shortest and longest period of a quota; a quota itself is no shorter either (`min_cfs_quota_period`,
    /// `max_cfs_quota_period`, kernel/sched/core.c).
    pub quota_period: (Nanos, Nanos),
    /// Tasks of all workloads together, alive at the start or forked later.
    pub tasks: u64,
    /// Estimated timer ticks of a run: what one core works through in half a minute.
    pub ticks: u64,
    /// The most events a run may be allowed.
    pub events: u64,
    /// The events a run is allowed if nothing is said: more than the largest published experiment needs
    /// (hackbench with 100 groups and 2000 loops: 80 million messages).
    pub default_events: u64,
    /// The shortest and longest simulated time that may be asked for.
    pub duration: (Nanos, Nanos),
    /// How long workloads without an end run if nothing is said.
    pub endless: Nanos,
    /// The slowest and fastest tick.
    pub hz: (Hz, Hz),
}

/// The limits.
pub const LIMITS: Limits = Limits {
    cpus: CpuMask::MAX_CPUS,
    workloads: 64,
    groups: 256,
    group_depth: 16,
    group_shares: (2, 1 << 18),
    group_weight: (1, 10_000),
    quota_period: (Nanos::from_millis(1), Nanos::from_secs(1)),
    tasks: World::MAX_TASKS as u64,
    ticks: 500_000_000,
    events: 100_000_000_000,
    default_events: 1_000_000_000,
    duration: (Nanos::from_micros(1), Nanos::from_secs(3600)),
    endless: Nanos::from_secs(1),
    hz: (Hz(10), Hz(10_000)),
};
