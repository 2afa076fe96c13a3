//! CPU selection: where a woken, forked or exec'ing task goes.
//!
//! One file to a question: the walk over the waker's domains ([`walk`]), whether to pull the wakee to the
//! waker ([`affine`]), the idlest CPU of a domain ([`idlest`], [`spread`]), an idle CPU near the target
//! ([`sibling`], [`idle`]), the CPU where it costs least ([`energy`]), who wakes whom ([`wide`]), who shares what
//! ([`near`]). All of it only reads; what a selection leaves behind is [`Sched::commit_selection`]. An explanation runs
//! the same code and keeps every [`Step`].
//! Not here: moving the task, which is the driver's next call.

mod affine;
mod energy;
mod idle;
mod idlest;
mod near;
mod remote;
mod sibling;
mod spread;
#[cfg(test)]
mod tests;
mod told;
mod walk;
mod wide;

pub use affine::Affine;
pub use near::{LlcState, Near};
pub use told::Told;
pub use wide::Wakees;

use super::Sched;
use super::decision::{Placement, PlacementWhy, reasons};
use super::features::Feature;
use super::group_type::GroupType;
use super::pelt::fits_capacity;
use super::rq::SchedTask;
use super::rules::Select;
use super::sd_flags::{Level, SdFlags};
use crate::machine::sched_domain::SchedDomain;
use crate::machine::{CpuId, CpuMask};
use crate::task::{Policy, TaskId};
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

reasons! {
    /// Why the search for an idle CPU starts where it does.
    TargetWhy {
        SameCpu "the waker's CPU is the one it last ran on",
        Pulled "wake_affine: the waker's CPU",
        NotPulled "wake_affine: the CPU it last ran on",
        NoAffine "nothing pulls it: the CPU it last ran on",
        ThisIdle "WA_IDLE: the waker's CPU is idle and shares the cache",
        PrevIdle "WA_IDLE: the CPU it last ran on is idle",
        SyncAlone "WA_IDLE: a sync wakeup by a task alone on its CPU",
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
    /// `wake_wide` compared how often waker and wakee change whom they wake.
    Wide {
        /// The waker's changes.
        of_waker: u32,
        /// The wakee's.
        of_wakee: u32,
        /// CPUs that share the waker's last-level cache.
        size: u32,
        /// Is pulling off?
        wide: bool,
    },
    /// The search for an idle CPU starts there.
    Target {
        /// The CPU.
        cpu: CpuId,
        /// Why that one.
        why: TargetWhy,
    },
    /// A CPU was looked at for idleness.
    Looked {
        /// The CPU.
        cpu: CpuId,
        /// Is it idle?
        idle: bool,
    },
    /// The last-level cache is about to be searched.
    Scan {
        /// CPUs that may be looked at; none: all.
        limit: Option<u32>,
        /// For a whole idle core?
        cores: bool,
    },
    /// What the task would cost on a CPU.
    Energy {
        /// The CPU: the one it last ran on, or the one of a performance domain with the most to spare.
        cpu: CpuId,
        /// What that has to spare with the task on it.
        spare: u64,
        /// By how much the energy of its performance domain grows.
        more: u64,
    },
    /// A group that `find_idlest_group` of 6.1 looked at.
    Room {
        /// Its CPUs.
        span: CpuMask,
        /// How busy it is.
        full: GroupType,
        /// Idle CPUs in it.
        idle_cpus: u32,
        /// Its load for its capacity, where it is busy.
        avg_load: u64,
        /// Is it the group of the CPU that asks?
        local: bool,
    },
}

/// A question: a task that is to run, and the CPU on which that was decided.
#[derive(Clone, Copy)]
struct Ask<'a> {
    id: TaskId,
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
        if cfg!(target_family = "wasm") {
            // The page has the code once, shared with explanations: natively it is twice there, and costs nothing.
            let mut note: &mut dyn FnMut(Step) = &mut |_| {};
            return self.select(p, this, kind, sync, &mut note);
        }
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
        let mut note: &mut dyn FnMut(Step) = &mut |step| steps.push(step);
        let placement = self.select(p, this, kind, sync, &mut note);
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
            id: p,
            task,
            this,
            prev: task.cpu,
            kind,
            sync,
        };
        let placement = match (self.rules.select, kind) {
            _ if self.is_rt(p) => self.select_task_rq_rt(p, this, kind),
            (Select::Separate, SelectKind::Wake) => walk::separate_wake(self, &ask, note),
            (Select::Separate, _) => walk::balance_self(self, &ask, note),
            (Select::Merged | Select::AffineThenIdle, _) => walk::merged(self, &ask, note),
            (Select::IdleFirst, _) => idle::select(self, &ask, note),
        };
        if task.allowed.contains(placement.cpu) {
            return placement;
        }
        if matches!(
            self.rules.select,
            Select::AffineThenIdle | Select::IdleFirst
        ) {
            return self.fallback(&ask, placement);
        }
        // The kernel forks a child with its parent's mask and moves it when the mask is narrowed, to the
        // lowest CPU of the new one (set_cpus_allowed_ptr). Here a task may be born with a mask of its own.
        Placement {
            cpu: task.allowed.lowest().unwrap_or(placement.cpu),
            why: PlacementWhy::Pinned,
            ..placement
        }
    }

    /// The task may not run where it was placed, because its mask changed while it slept or is its own from the
    /// start: the first CPU of its last node where it may, else the first anywhere (`select_fallback_rq`).
    fn fallback(&self, ask: &Ask<'_>, placement: Placement) -> Placement {
        let allowed = &ask.task.allowed;
        let near = self.near.node[ask.prev.index()].and(allowed);
        Placement {
            cpu: near.lowest().or(allowed.lowest()).unwrap_or(placement.cpu),
            why: PlacementWhy::Fallback,
            ..placement
        }
    }

    /// What the selection of `placement` for `p` leaves behind: where it ran before is a CPU used recently, and a
    /// search that met no idle core says so to all; `ns` is what the search cost the waker on `this`. Before
    /// [`Sched::set_task_cpu`] (6.1: `select_idle_sibling`, `select_idle_cpu`).
    #[inline]
    pub fn commit_selection(&mut self, p: TaskId, this: CpuId, placement: &Placement, ns: u32) {
        if self.rules.select == Select::IdleFirst {
            self.note_search(p, this, *placement, ns);
        }
    }

    fn note_search(&mut self, p: TaskId, this: CpuId, placement: Placement, ns: u32) {
        use PlacementWhy as Why;
        let near = matches!(
            placement.why,
            Why::RecentIdle
                | Why::IdleThread
                | Why::IdleCore
                | Why::IdleCpu
                | Why::NoIdle
                | Why::ScanSkipped
        );
        if near {
            let task = &mut self.tasks[p.index()];
            task.recent_used_cpu = task.cpu;
        }
        // Where CPUs are unequal the search is another, which asks for no core.
        let searched = matches!(placement.why, Why::IdleCpu | Why::NoIdle);
        if searched && !self.near.asymmetric {
            let cores = &mut self.llc_state_mut(placement.cpu).has_idle_cores;
            if !core::mem::take(cores) {
                self.account_scan(this, ns);
            }
        }
    }

    /// With `SIS_PROP` a search is paid from the idle time that is expected, and its cost remembered
    /// (`select_idle_cpu`: `wake_avg_idle`, `avg_scan_cost`).
    fn account_scan(&mut self, this: CpuId, ns: u32) {
        if self.features.has(Feature::SisProp) {
            let (left, ns) = (self.predicted_idle(this), u64::from(ns));
            let rq = &mut self.rq[this.index()];
            (rq.wake_avg_idle, rq.wake_stamp) = (left.saturating_sub(ns), self.jiffies);
            let off = (ns as i64).wrapping_sub(rq.scan_cost as i64) / 8;
            rq.scan_cost = rq.scan_cost.saturating_add_signed(off);
        }
    }

    /// The idle time that is expected of `cpu`, which halves with each jiffy that it is busy.
    fn predicted_idle(&self, cpu: CpuId) -> u64 {
        let rq = &self.rq[cpu.index()];
        let since = self.jiffies.saturating_sub(rq.wake_stamp);
        rq.wake_avg_idle.checked_shr(since as u32).unwrap_or(0)
    }
}

/// Looks at CPUs for idleness, counting and telling each look.
struct Look<'a, F> {
    s: &'a Sched,
    ask: &'a Ask<'a>,
    visited: u32,
    note: &'a mut F,
}

impl<'a, F: FnMut(Step)> Look<'a, F> {
    fn new(s: &'a Sched, ask: &'a Ask<'a>, visited: u32, note: &'a mut F) -> Look<'a, F> {
        Look {
            s,
            ask,
            visited,
            note,
        }
    }

    /// Is nothing running, queued or on its way there (`idle_cpu`, `available_idle_cpu`)?
    fn is_idle(&mut self, cpu: CpuId) -> bool {
        let idle = self.s.idle_cpu(cpu);
        self.visited += 1;
        (self.note)(Step::Looked { cpu, idle });
        idle
    }

    /// The same, or is only `SCHED_IDLE` work there (`sched_idle_cpu`)?
    fn is_free(&mut self, cpu: CpuId) -> bool {
        let idle = self.s.idle_cpu(cpu) || self.s.is_as_good_as_idle(self.ask.task, cpu);
        self.visited += 1;
        (self.note)(Step::Looked { cpu, idle });
        idle
    }

    /// Does the task fit, where CPUs are unequal (`asym_fits_cpu`)?
    fn fits(&self, cpu: CpuId) -> bool {
        self.s.task_fits(self.ask.id, cpu)
    }
}

impl Sched {
    /// Is only `SCHED_IDLE` work on `cpu`, which to `task` is as good as nothing? In 7.1 not to another such task
    /// (`choose_sched_idle_rq`).
    fn is_as_good_as_idle(&self, task: &SchedTask, cpu: CpuId) -> bool {
        let alike = self.rules.idle_wakee_wants_idle && task.policy == Policy::Idle;
        !alike && self.sched_idle_cpu(cpu)
    }

    /// Does `p` leave a fifth of `cpu` free (`fits_capacity`)? Asked only where CPUs are unequal.
    fn task_fits(&self, p: TaskId, cpu: CpuId) -> bool {
        !self.near.asymmetric || fits_capacity(self.sleeping_util_est(p), self.cpu_capacity(cpu))
    }
}

fn note_domain(ask: &Ask<'_>, sd: &SchedDomain, note: &mut impl FnMut(Step)) {
    note(Step::Domain {
        level: sd.spec.level,
        flags: sd.spec.flags,
        holds_prev: sd.span.contains(ask.prev),
    });
}

const fn placed(cpu: CpuId, why: PlacementWhy, visited: u32) -> Placement {
    Placement { cpu, why, visited }
}
