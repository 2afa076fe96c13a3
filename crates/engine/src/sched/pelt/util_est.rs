//! The estimate of a task's utilisation over its sleeps, from what it was as it fell asleep (`UTIL_EST`).
//!
//! Source: kernel/sched/fair.c of 6.1, the function named at each.

use super::UtilEst;
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::CfsRqId;
use crate::task::TaskId;

/// Estimates closer than this are equal: 1 % (`UTIL_EST_MARGIN`).
const UTIL_EST_MARGIN: i64 = 1024 / 100;

/// A new sample has a weight of one in four (`UTIL_EST_WEIGHT_SHIFT`).
const UTIL_EST_WEIGHT_SHIFT: u32 = 2;

impl Sched {
    /// `p` is about to be enqueued (`util_est_enqueue`).
    pub(in crate::sched) fn util_est_enqueue(&mut self, p: TaskId) {
        if self.features.has(Feature::UtilEst) {
            let (root, est) = self.util_est_of(p);
            self.pelt.cfs_mut(root).util_est += est;
        }
    }

    /// `p` is about to be dequeued (`util_est_dequeue`).
    pub(in crate::sched) fn util_est_dequeue(&mut self, p: TaskId) {
        if self.features.has(Feature::UtilEst) {
            let (root, est) = self.util_est_of(p);
            let sum = &mut self.pelt.cfs_mut(root).util_est;
            *sum = sum.saturating_sub(est);
        }
    }

    fn util_est_of(&self, p: TaskId) -> (CfsRqId, u64) {
        let task = &self.tasks[p.index()];
        let est = self.pelt.se(task.se).util_est.value();
        (CfsRqId(u32::from(task.cpu.0)), est)
    }

    /// `p` has gone to sleep: its utilisation is a new sample (`util_est_update`).
    pub(in crate::sched) fn util_est_update(&mut self, p: TaskId) {
        let on = |feature| self.features.has(feature);
        if !on(Feature::UtilEst) {
            return;
        }
        let fast_up = on(Feature::UtilEstFastup);
        let task = &self.tasks[p.index()];
        let (se, capacity) = (task.se, self.cpu_capacity_orig(task.cpu));
        let own = self.pelt.se_mut(se);
        if !own.util_est.unchanged {
            own.util_est = own.util_est.sampled(own.avg.util_avg, capacity, fast_up);
        }
    }
}

impl UtilEst {
    /// `_task_util_est`.
    pub(super) fn value(self) -> u64 {
        u64::from(self.ewma.max(self.enqueued))
    }

    fn sampled(self, util: u64, capacity: u64, fast_up: bool) -> UtilEst {
        let enqueued = util as u32;
        let new = UtilEst {
            enqueued,
            unchanged: true,
            ..self
        };
        if fast_up && self.ewma < enqueued {
            return UtilEst {
                ewma: enqueued,
                ..new
            };
        }
        let off = i64::from(enqueued) - i64::from(self.ewma);
        let since_last = i64::from(self.enqueued) - i64::from(enqueued);
        if within_margin(off) {
            return if within_margin(since_last) { self } else { new };
        }
        if util > capacity {
            return self;
        }
        let ewma = (i64::from(self.ewma) << UTIL_EST_WEIGHT_SHIFT) + off;
        UtilEst {
            ewma: (ewma >> UTIL_EST_WEIGHT_SHIFT) as u32,
            ..new
        }
    }
}

fn within_margin(difference: i64) -> bool {
    difference.abs() < UTIL_EST_MARGIN
}
