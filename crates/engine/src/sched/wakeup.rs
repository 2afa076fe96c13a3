//! CPU selection: where a woken, forked or exec'ing task goes.

use super::Sched;
use super::decision::{Placement, PlacementWhy};
use crate::machine::CpuId;
use crate::task::TaskId;

/// What a CPU is selected for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectKind {
    /// A wakeup.
    Wake,
    /// A new task.
    Fork,
    /// An exec.
    Exec,
}

impl Sched {
    /// The CPU for `p`, asked for by a task or interrupt on `this`.
    pub fn select_task_rq(
        &self,
        p: TaskId,
        this: CpuId,
        kind: SelectKind,
        sync: bool,
    ) -> Placement {
        let _ = (this, kind, sync);
        Placement {
            cpu: self.tasks[p.index()].cpu,
            why: PlacementWhy::SameCpu,
            visited: 0,
        }
    }
}
