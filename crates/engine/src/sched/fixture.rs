//! The one test door: puts a scheduler into a state that a worked example, or a recording, starts from.
//!
//! Nothing but tests and replays may use it; the simulator lets states come about.

use super::Sched;
use super::rq::{Averages, CfsRqId};
use crate::machine::CpuId;
use crate::task::TaskId;

/// Access to a scheduler's state.
#[derive(Debug)]
pub struct Fixture<'a>(&'a mut Sched);

impl Sched {
    /// The test door.
    pub fn fixture(&mut self) -> Fixture<'_> {
        Fixture(self)
    }
}

impl Fixture<'_> {
    /// Gives a task a vruntime, ns, wherever it is; a waiting one goes behind its new equals.
    pub fn vruntime(&mut self, task: TaskId, vruntime: i64) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        let entity = self.0.se_mut(se);
        let old = core::mem::replace(&mut entity.vruntime, vruntime);
        let (q, on_rq) = (entity.cfs_rq, entity.on_rq);
        let cfs = self.0.cfs_mut(q);
        if on_rq && cfs.curr != Some(se) {
            cfs.timeline.remove(old, se);
            cfs.timeline.insert(vruntime, se);
        }
        self
    }

    /// Sets `min_vruntime` of the root queue of a CPU, ns.
    pub fn min_vruntime(&mut self, cpu: CpuId, vruntime: i64) -> &mut Self {
        self.0.cfs_mut(CfsRqId(u32::from(cpu.0))).min_vruntime = vruntime;
        self
    }

    /// Marks the buddies of the queue that `cpu`'s root group has.
    pub fn buddies(&mut self, cpu: CpuId, next: Option<TaskId>, last: Option<TaskId>) -> &mut Self {
        let se = |task: TaskId| self.0.tasks[task.index()].se;
        let (next, last) = (next.map(se), last.map(se));
        let cfs = self.0.cfs_mut(CfsRqId(u32::from(cpu.0)));
        (cfs.next, cfs.last) = (next, last);
        self
    }

    /// Marks who has yielded on the queue that `cpu`'s root group has.
    pub fn skip(&mut self, cpu: CpuId, skip: Option<TaskId>) -> &mut Self {
        let se = skip.map(|task| self.0.tasks[task.index()].se);
        self.0.cfs_mut(CfsRqId(u32::from(cpu.0))).skip = se;
        self
    }

    /// Sets a task's averages.
    pub fn averages(&mut self, task: TaskId, avg: Averages) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        self.0.se_mut(se).avg = avg;
        self
    }

    /// Makes a task look as if it had run that long since it was picked, ns.
    pub fn ran(&mut self, task: TaskId, ns: u64) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        let entity = self.0.se_mut(se);
        entity.sum_exec = entity.prev_sum_exec + ns;
        self
    }
}
