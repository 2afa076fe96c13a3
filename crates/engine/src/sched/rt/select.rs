//! Where a real-time task wakes: where it was, unless one that it does not preempt runs there.
//!
//! Source: `select_task_rq_rt`, `find_lowest_rq`, kernel/sched_cpupri.c. Outline: the capacity of CPUs and the distances
//! within a domain are not looked at.

use crate::machine::{CpuId, CpuMask};
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
        let (cpu, priority) = (task.cpu, self.priority(p));
        let stays = |visited| Placement {
            cpu,
            why: PlacementWhy::RealTimeStays,
            visited,
        };
        let running = self.running_priority(cpu);
        if kind == SelectKind::Exec || running < priority.max(1) || task.allowed.weight() < 2 {
            return stays(1);
        }
        let (lowest, least) = self.lowest_cpus(&task.allowed);
        let visited = task.allowed.weight() as u32;
        if least >= priority {
            return stays(visited);
        }
        let near = [cpu, this].into_iter().find(|cpu| lowest.contains(*cpu));
        Placement {
            cpu: near.or(lowest.lowest()).unwrap_or(cpu),
            why: PlacementWhy::RealTimeLowest,
            visited,
        }
    }

    /// The allowed CPUs with the least urgent tasks, and how urgent these are; a CPU without real-time tasks is as good
    /// as an idle one (`cpupri_find`).
    fn lowest_cpus(&self, allowed: &CpuMask) -> (CpuMask, u8) {
        let urgency = |cpu: CpuId| {
            let first = self.rt.rq[cpu.index()].queue.first();
            first.map_or(0, |first| self.priority(*first))
        };
        let least = allowed.iter().map(urgency).min().unwrap_or(0);
        let lowest = allowed.iter().filter(|cpu| urgency(*cpu) == least);
        (lowest.collect(), least)
    }
}
