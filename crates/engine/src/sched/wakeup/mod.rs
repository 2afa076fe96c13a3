//! CPU selection: where a woken, forked or exec'ing task goes.
//!
//! One file to a question: the walk over the waker's domains ([`walk`]), whether to pull the wakee to the
//! waker ([`affine`]), the idlest CPU of a domain ([`idlest`]). All of it only reads. An explanation runs the
//! same code and keeps every [`Step`].
//! Not here: moving the task, which is the driver's next call.

mod affine;
mod idlest;
#[cfg(test)]
mod tests;
mod walk;

pub use affine::Affine;

use super::Sched;
use super::decision::{Placement, PlacementWhy};
use super::rq::SchedTask;
use super::rules::Select;
use super::sd_flags::{Level, SdFlags};
use crate::machine::{CpuId, CpuMask};
use crate::task::TaskId;
use alloc::vec::Vec;

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

impl SelectKind {
    /// The domain flag that allows it to balance.
    const fn flag(self) -> SdFlags {
        match self {
            SelectKind::Wake => SdFlags::BALANCE_WAKE,
            SelectKind::Fork => SdFlags::BALANCE_FORK,
            SelectKind::Exec => SdFlags::BALANCE_EXEC,
        }
    }
}

/// One thing that a selection looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A domain of the waker was reached, with these flags.
    Domain {
        /// Its level.
        level: Level,
        /// Its flags.
        flags: SdFlags,
        /// Is the CPU that the task last ran on in it?
        holds_prev: bool,
    },
    /// The `SD_PREFER_LOCAL` (or power-savings) test of that domain.
    Local {
        /// Entities on the root queues of its CPUs (halved when saving power).
        nr_running: u64,
        /// How many it may run.
        capacity: u64,
    },
    /// `wake_affine` was asked.
    Affine(Affine),
    /// A group that `find_idlest_group` looked at.
    Group {
        /// Its CPUs.
        span: CpuMask,
        /// Its load for each full CPU of power.
        avg_load: u64,
        /// Is it the group of the CPU that asks?
        local: bool,
    },
    /// `find_idlest_group` gave this answer for a level; none: stay in the local group.
    Idlest {
        /// The level.
        level: Level,
        /// The CPU that `find_idlest_cpu` then chose.
        cpu: Option<CpuId>,
    },
}

/// A question: a task that is to run, and the CPU on which that was decided.
#[derive(Clone, Copy)]
struct Ask<'a> {
    task: &'a SchedTask,
    this: CpuId,
    prev: CpuId,
    kind: SelectKind,
    sync: bool,
}

impl Sched {
    /// The CPU for `p`, asked for by a task or interrupt on `this` (2.6.31: `select_task_rq_fair`,
    /// `sched_balance_self`; 2.6.32: `select_task_rq_fair`). A sync hint that `SYNC_WAKEUPS` refuses was
    /// dropped before.
    pub fn select_task_rq(
        &self,
        p: TaskId,
        this: CpuId,
        kind: SelectKind,
        sync: bool,
    ) -> Placement {
        self.select(p, this, kind, sync, &mut |_| {})
    }

    /// The same, with every step on the way to it.
    pub fn select_candidates(
        &self,
        p: TaskId,
        this: CpuId,
        kind: SelectKind,
        sync: bool,
    ) -> (Vec<Step>, Placement) {
        let mut steps = Vec::new();
        let placement = self.select(p, this, kind, sync, &mut |step| steps.push(step));
        (steps, placement)
    }

    #[inline]
    fn select(
        &self,
        p: TaskId,
        this: CpuId,
        kind: SelectKind,
        sync: bool,
        note: &mut impl FnMut(Step),
    ) -> Placement {
        let task = &self.tasks[p.index()];
        let ask = Ask {
            task,
            this,
            prev: task.cpu,
            kind,
            sync,
        };
        let placement = match (self.rules.select, kind) {
            (Select::Separate, SelectKind::Wake) => walk::separate_wake(self, &ask, note),
            (Select::Separate, _) => walk::balance_self(self, &ask, note),
            (Select::Merged, _) => walk::merged(self, &ask, note),
        };
        if task.allowed.contains(placement.cpu) {
            return placement;
        }
        // The kernel forks a child with its parent's mask and moves it when the mask is narrowed, to the
        // lowest CPU of the new one (set_cpus_allowed_ptr). Here a task may be born with a mask of its own.
        Placement {
            cpu: task.allowed.lowest().unwrap_or(placement.cpu),
            why: PlacementWhy::Pinned,
            ..placement
        }
    }
}
