//! What others read of the averages: a CPU's load, utilisation and capacity, a task's part of them.
//!
//! Source: kernel/sched/fair.c and sched.h of 6.1, the function named at each.

use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::CfsRqId;
use crate::task::TaskId;

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
        queue.avg.util_avg.max(est).min(self.cpu_capacity(cpu))
    }

    /// What `cpu` can do; 1024 is the strongest. Neither interrupts nor real-time tasks take from it here
    /// (`capacity_of`, `capacity_orig_of`).
    pub fn cpu_capacity(&self, cpu: CpuId) -> u64 {
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

    /// The same, or the estimate from its last sleeps if that is more (`task_util_est`).
    pub fn task_util_est(&self, p: TaskId) -> u64 {
        let own = self.pelt.se(self.tasks[p.index()].se);
        own.avg.util_avg.max(own.util_est.value())
    }
}
