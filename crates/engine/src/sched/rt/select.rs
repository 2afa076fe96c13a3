//! Where a real-time task wakes: where it was, unless another one is in its way there.
//!
//! Source: `select_task_rq_rt`.

use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::decision::{Placement, PlacementWhy};
use crate::sched::wakeup::SelectKind;
use crate::task::TaskId;

impl Sched {
    /// The CPU for a real-time task that was woken on `this`, or is new.
    pub(in crate::sched) fn select_task_rq_rt(
        &self,
        p: TaskId,
        this: CpuId,
        kind: SelectKind,
    ) -> Placement {
        let task = &self.tasks[p.index()];
        let stays = |visited| Placement {
            cpu: task.cpu,
            why: PlacementWhy::RealTimeStays,
            visited,
        };
        let goes = kind != SelectKind::Exec && self.is_in_the_way(p, task.cpu);
        if !goes || task.allowed.weight() < 2 {
            return stays(1);
        }
        let visited = task.allowed.weight() as u32;
        match self.find_lowest_rq(p, this) {
            Some(cpu) => Placement {
                cpu,
                why: PlacementWhy::RealTimeLowest,
                visited,
            },
            None => stays(visited),
        }
    }

    /// Does a real-time task run on `cpu` that `p` had better not disturb: any, up to 2.6.36; since then one that is as
    /// urgent, or cannot go elsewhere (b3bc211c, 3be209a8)?
    fn is_in_the_way(&self, p: TaskId, cpu: CpuId) -> bool {
        let curr = self.rq[cpu.index()].curr.filter(|curr| self.is_rt(*curr));
        curr.is_some_and(|curr| {
            let pinned = self.tasks[curr.index()].allowed.weight() < 2;
            self.rules.rt_steps_aside || pinned || self.priority(curr) >= self.priority(p)
        })
    }
}
