//! Task groups (control groups with the cpu and cpuset controllers): names, shares, quotas, CPUs, and whether they make
//! sense together.

use super::{Config, LIMITS, ProblemKind};
use crate::machine::CpuMask;
use crate::sched::rules::{Bandwidth, Cpusets};
use crate::time::Nanos;
use crate::workload::lang::Script;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A task group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSpec {
    /// Its name.
    pub name: String,
    /// The group it is in, one of those before it; none = the root group.
    pub parent: Option<String>,
    /// `cpu.shares`: 1024 is the weight of a nice-0 task on each CPU.
    pub shares: u64,
    /// `cfs_quota` and `cfs_period`: what it may use of each period.
    pub quota: Option<Quota>,
    /// `cpuset.cpus`: the CPUs its tasks may have; none = those of the group above.
    pub cpus: Option<CpuMask>,
}

/// A limit on CPU time (`cpu.max`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// What may be used, of all CPUs together.
    pub quota: Nanos,
    /// Of each so much.
    pub period: Nanos,
    /// What of it may be left for later (`cpu.max.burst`).
    pub burst: Nanos,
}

impl Quota {
    fn is_allowed(self) -> bool {
        let (shortest, longest) = LIMITS.quota_period;
        self.quota >= shortest
            && (shortest..=longest).contains(&self.period)
            && self.burst <= self.quota
    }
}

impl GroupSpec {
    /// `cpu.shares` of a new group (`NICE_0_LOAD`, kernel/sched/sched.h).
    pub const SHARES: u64 = 1024;

    /// The period of a quota if none is said (`default_cfs_period`, kernel/sched/fair.c: 100 ms).
    pub const PERIOD: Nanos = Nanos::from_millis(100);

    /// A new group below the root group.
    pub fn new(name: &str) -> GroupSpec {
        GroupSpec {
            name: name.to_string(),
            parent: None,
            shares: GroupSpec::SHARES,
            quota: None,
            cpus: None,
        }
    }

    /// The shares of a `cpu.weight` (`sched_weight_from_cgroup`: times 1024 / 100, rounded).
    pub const fn shares_of_weight(weight: u64) -> u64 {
        (weight * GroupSpec::SHARES + 50) / 100
    }

    /// Its `cpu.weight`, if its shares are those of one.
    pub fn weight(&self) -> Option<u64> {
        let weight = (self.shares * 100 + GroupSpec::SHARES / 2) / GroupSpec::SHARES;
        let (low, high) = LIMITS.group_weight;
        let exact = GroupSpec::shares_of_weight(weight) == self.shares;
        (exact && (low..=high).contains(&weight)).then_some(weight)
    }
}

impl Config {
    /// The same with the workloads of the catalog written out as tasks. It runs in the same way.
    #[must_use]
    pub fn written_out(&self) -> Config {
        let mut config = self.clone();
        let specs = core::mem::take(&mut config.workloads);
        let scripts = specs.iter().map(|spec| {
            let script = spec.kind.script(&spec.values);
            match &spec.group {
                Some(group) => script.in_group(group),
                None => script,
            }
        });
        let all = scripts.fold(Script::default(), |all, one| all.and(&one));
        config.script = all.and(&self.script);
        config
    }

    /// The number of the group of that name: 1 for the first; none if there is none.
    pub fn group_number(&self, name: &str) -> Option<u16> {
        let at = self.groups.iter().position(|g| g.name == name)?;
        u16::try_from(at + 1).ok()
    }

    /// What keeps the groups from being made.
    pub(super) fn problems_of_groups(&self) -> Vec<ProblemKind> {
        let mut found = Vec::new();
        if self.groups.len() > LIMITS.groups {
            found.push(ProblemKind::TooManyGroups(self.groups.len()));
            return found;
        }
        let mut depths: Vec<usize> = Vec::new();
        for (at, group) in self.groups.iter().enumerate() {
            let name = || group.name.clone();
            let before = self.groups.get(..at).unwrap_or(&[]);
            if before.iter().any(|g| g.name == group.name) {
                found.push(ProblemKind::SameGroup(name()));
            }
            let (low, high) = LIMITS.group_shares;
            if !(low..=high).contains(&group.shares) {
                found.push(ProblemKind::Shares(name(), group.shares));
            }
            if let Some(quota) = group.quota {
                let bandwidth = self.kernel_of_deltas().rules.bandwidth;
                if bandwidth == Bandwidth::Absent {
                    found.push(ProblemKind::NoQuotas(name(), self.kernel.name));
                } else if bandwidth != Bandwidth::Kept && quota.burst > Nanos::ZERO {
                    found.push(ProblemKind::NoBurst(name(), self.kernel.name));
                } else if !quota.is_allowed() {
                    found.push(ProblemKind::Quota(name(), quota));
                }
            }
            found.extend(self.problem_of_cpuset(group));
            let above = group.parent.as_ref().map(|parent| {
                let at = before.iter().position(|g| g.name == *parent);
                at.and_then(|at| depths.get(at)).copied().ok_or(parent)
            });
            let depth = match above {
                None => 1,
                Some(Ok(depth)) => depth + 1,
                Some(Err(parent)) => {
                    let (group, parent) = (name(), parent.clone());
                    found.push(ProblemKind::NoParent { group, parent });
                    1
                }
            };
            if depth > LIMITS.group_depth {
                found.push(ProblemKind::GroupDepth(name()));
            }
            depths.push(depth);
        }
        found
    }
}

impl Config {
    /// What keeps a group from having the CPUs that it is to have.
    fn problem_of_cpuset(&self, group: &GroupSpec) -> Option<ProblemKind> {
        let machine = self.machine.layout.cpus;
        let here = CpuMask::first(usize::from(machine));
        let cpus = group.cpus?;
        if !cpus.intersects(&here) {
            let group = group.name.clone();
            return Some(ProblemKind::NoCpusOfGroup {
                group,
                cpus,
                machine,
            });
        }
        let nested = self.kernel_of_deltas().rules.cpusets == Cpusets::Nested;
        let above = self.cpuset_above(group)?;
        let outside = nested && !cpus.and(&here).is_subset(&above.1);
        outside.then(|| ProblemKind::CpusetOutside {
            group: group.name.clone(),
            above: above.0,
            kernel: self.kernel.name,
        })
    }

    /// The nearest group above that has CPUs of its own, and these.
    fn cpuset_above(&self, group: &GroupSpec) -> Option<(String, CpuMask)> {
        let named = |name: &String| self.groups.iter().find(|g| g.name == *name);
        let up = core::iter::successors(group.parent.as_ref().and_then(named), |group| {
            group.parent.as_ref().and_then(named)
        });
        let mut up = up.take(LIMITS.groups);
        up.find_map(|above| Some((above.name.clone(), above.cpus?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_and_shares_are_those_of_the_kernel() {
        let shares = |weight| GroupSpec::shares_of_weight(weight);
        assert_eq!(
            [1, 39, 100, 300, 10_000].map(shares),
            [10, 399, 1024, 3072, 102_400]
        );
        for weight in 1..=10_000 {
            let group = GroupSpec {
                shares: shares(weight),
                ..GroupSpec::new("a")
            };
            assert_eq!(group.weight(), Some(weight));
        }
        let odd = GroupSpec {
            shares: 1023,
            ..GroupSpec::new("a")
        };
        assert_eq!(odd.weight(), None);
    }
}
