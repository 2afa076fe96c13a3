//! `cgroup_mode` of 7.3: what a group's weight means when it runs on several CPUs.
//!
//! Up to 7.2 there is one answer, `smp`: its shares are the weight of the whole group. Not here: when a group weighs
//! anew ([`super::group`]).
//! Source: `calc_group_shares`, `calc_concur_shares`, `calc_max_shares`, `update_tg_load_avg` of kernel/sched/fair.c of
//! 7.3 (4161cb2d867b .. fb1050ac8e40); 6.12 for `smp`.

use super::Sched;
use super::group::MIN_SHARES;
use super::rq::CfsRqId;
use super::tunables::CgroupMode;
use super::weight::{SCALE_SHIFT, scale_load_down};

/// A group does not weigh more by `max`: the weight of nice −20 (`scale_load(NICE_0_LOAD)` … `sched_prio_to_weight[0]`).
const HEAVIEST: u64 = 88_761 << SCALE_SHIFT;

/// Runnable averages count a task that can always run as 1024.
const RUNNABLE_SHIFT: u32 = 10;

impl Sched {
    /// What the group of `q` weighs on its CPU (`calc_group_shares`), 1048576 being nice 0.
    pub(super) fn group_weight(&self, q: CfsRqId) -> u64 {
        let shares = self.groups[self.cfs(q).group.0 as usize].shares << SCALE_SHIFT;
        match self.tunables.cgroup_mode {
            CgroupMode::Up => shares.max(MIN_SHARES),
            CgroupMode::Smp => self.fraction(q, shares, shares),
            CgroupMode::Concur => {
                let busy = self.group_tasks(q).min(self.group_cpus(q));
                self.fraction(q, busy * shares, busy * shares)
            }
            CgroupMode::Max => self.fraction(q, self.group_cpus(q) * shares, HEAVIEST),
            CgroupMode::Tasks => {
                let tasks = self.group_tasks(q);
                self.fraction(q, tasks * shares, tasks * shares)
            }
        }
    }

    /// The part of `shares` that falls to `q` by its part of the group's load, its own taken as it is now; no more than
    /// `most`.
    fn fraction(&self, q: CfsRqId, shares: u64, most: u64) -> u64 {
        let queued = scale_load_down(self.eevdf.q(q).weight());
        let load = queued.max(self.pelt.cfs(q).avg.load_avg);
        let cfs = self.cfs(q);
        let all = self.groups[cfs.group.0 as usize].load - cfs.share.contribution + load;
        let part = shares * load;
        let part = part.checked_div(all).unwrap_or(part);
        if part >= most { most } else { part }.max(MIN_SHARES)
    }

    /// Tasks of the group that can run, on all CPUs, rounded down: of several that always can, one less.
    fn group_tasks(&self, q: CfsRqId) -> u64 {
        let runnable = self.groups[self.cfs(q).group.0 as usize].runnable;
        (runnable >> RUNNABLE_SHIFT).max(1)
    }

    /// CPUs that the group may have.
    fn group_cpus(&self, q: CfsRqId) -> u64 {
        let cpus = &self.groups[self.cfs(q).group.0 as usize].cpus;
        (cpus.weight() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{CpuId, CpuMask};
    use crate::sched::TaskSpec;
    use crate::sched::profile::Profile;
    use crate::sched::rq::GroupId;
    use crate::sched::test_machines::flat;
    use crate::sched::tunables::Tunable;
    use crate::task::{Nice, Policy};

    /// A group of three tasks on CPU 0 of eight.
    fn group_of_three() -> (Sched, CfsRqId) {
        let kernel = Profile::by_name("7.3").expect("a known profile").kernel();
        let mut s = flat(8, &kernel);
        let group = s.new_group(GroupId(0), 1024);
        for _ in 0..3 {
            let task = s.new_task(TaskSpec {
                nice: Nice::new(0),
                policy: Policy::Normal,
                allowed: CpuMask::just(CpuId(0)),
                group,
                parent: None,
                vruntime: None,
            });
            s.activate_task(task, true);
        }
        let q = s.group_cfs_rq(group, CpuId(0));
        (s, q)
    }

    /// Of which the averages are as if one more ran elsewhere.
    fn m1(mode: CgroupMode, runnable: u64) -> u64 {
        let (mut s, q) = group_of_three();
        s.tunables.set(Tunable::CgroupMode, mode as i64);
        assert_eq!(s.eevdf.q(q).weight(), 3 << 20);
        s.pelt.cfs_mut(q).avg.load_avg = 1023;
        let own = s.cfs(q).share.contribution;
        let group = &mut s.groups[1];
        (group.load, group.runnable) = (own + 1024, runnable);
        s.group_weight(q)
    }

    #[test]
    fn m1_weights_by_mode() {
        for (mode, weight) in [
            (CgroupMode::Smp, 786_432),
            (CgroupMode::Concur, 2_359_296),
            (CgroupMode::Max, 6_291_456),
            (CgroupMode::Tasks, 2_359_296),
            (CgroupMode::Up, 1_048_576),
        ] {
            assert_eq!(m1(mode, 4095), weight, "M1 {}", mode.name());
        }
    }

    #[test]
    fn tasks_are_counted_without_bound_and_cpus_with_one() {
        assert_eq!(m1(CgroupMode::Concur, 12 << 10), 8 * 786_432);
        assert_eq!(m1(CgroupMode::Tasks, 12 << 10), 12 * 786_432);
        for mode in [CgroupMode::Concur, CgroupMode::Tasks] {
            assert_eq!(m1(mode, 2047), 786_432, "two hogs count as one");
        }
    }

    #[test]
    fn a_lonely_cpu_weighs_no_more_than_nice_minus_20() {
        let (mut s, q) = group_of_three();
        s.tunables.cgroup_mode = CgroupMode::Max;
        s.groups[1].load = s.cfs(q).share.contribution;
        assert_eq!(s.group_weight(q), 8 << 20, "all of it is here");
        s.groups[1].shares = 102_400;
        assert_eq!(s.group_weight(q), 88_761 << 10);
        s.groups[1].shares = 0;
        assert_eq!(s.group_weight(q), 2);
    }
}
