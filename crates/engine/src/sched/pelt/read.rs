//! What others read of the averages: a CPU's load, utilisation and capacity, a task's part of them.
//!
//! Source: kernel/sched/fair.c and sched.h of 6.1, the function named at each.

use super::{EntityAvg, Since};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::CfsRqId;
use crate::task::TaskId;

/// Does a fifth of `capacity` stay free beside `util` (`fits_capacity`: 1280 against 1024)?
pub(in crate::sched) const fn fits_capacity(util: u64, capacity: u64) -> bool {
    util * 1280 < capacity * 1024
}

/// The root queue of a CPU.
const fn root(cpu: CpuId) -> CfsRqId {
    CfsRqId(cpu.0 as u32)
}

impl Sched {
    /// Load of what is or was runnable on `cpu` (`cpu_load`).
    pub fn cpu_load(&self, cpu: CpuId) -> u64 {
        self.pelt.cfs(root(cpu)).avg.load_avg
    }

    /// Runnable tasks of `cpu`, 1024 each (`cpu_runnable`).
    pub fn cpu_runnable(&self, cpu: CpuId) -> u64 {
        self.pelt.cfs(root(cpu)).avg.runnable_avg
    }

    /// Utilisation of `cpu`, or with `UTIL_EST` what its queued tasks are estimated to use, if that is more; at most
    /// its capacity (`cpu_util_cfs`).
    pub fn cpu_util(&self, cpu: CpuId) -> u64 {
        let queue = self.pelt.cfs(root(cpu));
        let est = if self.features.has(Feature::UtilEst) {
            queue.util_est
        } else {
            0
        };
        let most = self.cpu_capacity_orig(cpu);
        queue.avg.util_avg.max(est).min(most)
    }

    /// The same, or what its tasks want if that is more than what they get (`cpu_util_cfs_boost`).
    pub fn cpu_util_boost(&self, cpu: CpuId) -> u64 {
        let wanted = self.cpu_runnable(cpu).min(self.cpu_capacity_orig(cpu));
        self.cpu_util(cpu).max(wanted)
    }

    /// Does what `cpu` does leave no fifth of it free (`cpu_overutilized`)?
    pub(in crate::sched) fn cpu_overutilized(&self, cpu: CpuId) -> bool {
        !fits_capacity(self.cpu_util(cpu), self.cpu_capacity(cpu))
    }

    /// A task came to `cpu`, or a tick: it may be too busy by now (`check_update_overutilized_status`).
    #[inline]
    pub(in crate::sched) fn note_overutilized(&mut self, cpu: CpuId) {
        if self.energy.is_some() {
            self.overutilized |= self.cpu_overutilized(cpu);
        }
    }

    /// Utilisation of `cpu` if `p`, which sleeps, came to `dst`; what tasks want counts if `boost` (`cpu_util`).
    pub(in crate::sched) fn cpu_util_if(
        &self,
        cpu: CpuId,
        (p, dst): (TaskId, Option<CpuId>),
        boost: bool,
    ) -> u64 {
        let queue = self.pelt.cfs(root(cpu));
        let own = self.aged(p);
        let there = self.is_part_of(cpu, p);
        let comes = dst == Some(cpu);
        let moved = |of_queue: u64, of_task: u64| match (comes, there) {
            (true, false) => of_queue + of_task,
            (false, true) => of_queue.saturating_sub(of_task),
            (true, true) | (false, false) => of_queue,
        };
        let mut util = moved(queue.avg.util_avg, own.avg.util_avg);
        if boost {
            util = util.max(moved(queue.avg.runnable_avg, own.avg.runnable_avg));
        }
        if self.features.has(Feature::UtilEst) {
            let arrives = if comes { own.util_est.value() } else { 0 };
            util = util.max(queue.util_est + arrives);
        }
        util.min(self.cpu_capacity_orig(cpu))
    }

    /// What `cpu` can do if nothing takes from it; 1024 is the strongest (`capacity_orig_of`).
    pub fn cpu_capacity_orig(&self, cpu: CpuId) -> u64 {
        u64::from(self.pelt.capacity[cpu.index()])
    }

    /// The load of `p` as its CPU's root queue sees it. With groups the kernel keeps their part for a tick; here it
    /// is of now (`task_h_load`, `update_cfs_rq_h_load`).
    pub fn task_h_load(&self, p: TaskId) -> u64 {
        let entity = self.se(self.tasks[p.index()].se);
        let own = self.pelt.se(self.tasks[p.index()].se).avg.load_avg;
        if self.groups.len() == 1 {
            return own;
        }
        let queue = self.pelt.cfs(entity.cfs_rq).avg.load_avg;
        own * self.h_load_of(entity.cfs_rq) / (queue + 1)
    }

    fn h_load_of(&self, q: CfsRqId) -> u64 {
        let Some(se) = self.cfs(q).se else {
            return self.pelt.cfs(q).avg.load_avg;
        };
        let above = self.se(se).cfs_rq;
        let queue = self.pelt.cfs(above).avg.load_avg;
        self.h_load_of(above) * self.pelt.se(se).avg.load_avg / (queue + 1)
    }

    /// Utilisation of `p` (`task_util`).
    pub fn task_util(&self, p: TaskId) -> u64 {
        self.pelt.se(self.tasks[p.index()].se).avg.util_avg
    }

    /// The load of `cpu` without `p`, if that is there (`cpu_load_without`).
    pub(in crate::sched) fn cpu_load_without(&self, cpu: CpuId, p: TaskId) -> u64 {
        let own = if self.is_part_of(cpu, p) {
            self.task_h_load(p)
        } else {
            0
        };
        self.cpu_load(cpu).saturating_sub(own)
    }

    /// `cpu_runnable_without`.
    pub(in crate::sched) fn cpu_runnable_without(&self, cpu: CpuId, p: TaskId) -> u64 {
        let own = self.pelt.se(self.tasks[p.index()].se).avg.runnable_avg;
        let own = if self.is_part_of(cpu, p) { own } else { 0 };
        self.cpu_runnable(cpu).saturating_sub(own)
    }

    /// `cpu_util_without`.
    pub(in crate::sched) fn cpu_util_without(&self, cpu: CpuId, p: TaskId) -> u64 {
        if !self.is_part_of(cpu, p) {
            return self.cpu_util(cpu);
        }
        let (queue, own) = (
            self.pelt.cfs(root(cpu)),
            self.pelt.se(self.tasks[p.index()].se),
        );
        let queued = self.se(self.tasks[p.index()].se).on_rq;
        let est = match (self.features.has(Feature::UtilEst), queued) {
            (false, _) => 0,
            (true, true) => queue.util_est.saturating_sub(own.util_est.value()),
            (true, false) => queue.util_est,
        };
        let util = queue.avg.util_avg.saturating_sub(own.avg.util_avg);
        util.max(est).min(self.cpu_capacity_orig(cpu))
    }

    /// Is `p` in the averages of `cpu`?
    fn is_part_of(&self, cpu: CpuId, p: TaskId) -> bool {
        let task = &self.tasks[p.index()];
        task.cpu == cpu && self.pelt.se(task.se).attached
    }

    /// What a task that sleeps is estimated to use, its averages aged to its queue's last update
    /// (`sync_entity_load_avg`, `task_util_est`).
    pub(in crate::sched) fn sleeping_util_est(&self, p: TaskId) -> u64 {
        let own = self.aged(p);
        own.avg.util_avg.max(own.util_est.value())
    }

    /// What is tracked of `p`, aged as far as its queue if it sleeps.
    fn aged(&self, p: TaskId) -> EntityAvg {
        let se = self.tasks[p.index()].se;
        let mut own = *self.pelt.se(se);
        if !self.se(se).on_rq && own.attached {
            let last = self.pelt.cfs(self.se(se).cfs_rq).avg.last_update;
            own.age(last, Since::default(), self.se(se).load.weight);
        }
        own
    }

    /// The same, or the estimate from its last sleeps if that is more (`task_util_est`).
    pub fn task_util_est(&self, p: TaskId) -> u64 {
        let own = self.pelt.se(self.tasks[p.index()].se);
        own.avg.util_avg.max(own.util_est.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked example `eevdf/K7`.
    #[test]
    fn k7_four_fifths_fit() {
        assert!(fits_capacity(400, 512), "K7");
        assert!(!fits_capacity(410, 512), "K7");
    }
}
