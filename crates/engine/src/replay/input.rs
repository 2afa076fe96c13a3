//! What a replay is given: who took part, and what was seen of them, in the order of the trace.

use crate::sched::SchedSetup;
use crate::task::{Nice, Policy};
use alloc::string::String;
use alloc::vec::Vec;

/// Somebody named in a trace, as an index into [`Recording::members`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

impl Name {
    /// The number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a task left its CPU (`prev_state` of `sched_switch`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Still runnable: preempted, or it yielded.
    Runnable,
    /// Asleep or dead.
    Gone,
}

/// One event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `sched_switch`.
    Switch {
        /// Who ran.
        prev: Name,
        /// How it left.
        left: Left,
        /// Who runs.
        next: Name,
    },
    /// `sched_wakeup`: enqueued, and the preemption check is done.
    Wakeup {
        /// The wakee.
        task: Name,
        /// Where it waits.
        cpu: u16,
    },
    /// `sched_wakeup_new`: a new task is enqueued.
    WakeupNew {
        /// The child.
        task: Name,
        /// Where it waits.
        cpu: u16,
    },
    /// `sched_waking`: in the waker's context, before anything is decided.
    Waking {
        /// The wakee.
        task: Name,
        /// The CPU it was on.
        cpu: u16,
    },
    /// `sched_migrate_task`.
    Migrate {
        /// The task.
        task: Name,
        /// The CPU it was on.
        from: u16,
        /// The CPU it goes to.
        to: u16,
    },
    /// `sched_process_fork`.
    Fork {
        /// Who forks.
        parent: Name,
        /// The new task.
        child: Name,
    },
    /// `sched_process_exit`.
    Exit {
        /// Who ends.
        task: Name,
    },
    /// `sched_stat_runtime`: the running task was charged.
    Runtime {
        /// The task.
        task: Name,
        /// For how long, ns.
        ns: u64,
        /// Its vruntime after that, ns; none where the kernel does not tell.
        vruntime: Option<i64>,
    },
    /// The tick's handler starts.
    Tick,
    /// The hrtick's handler starts.
    Hrtick,
}

/// An event, when and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Time since the tasks were released, ns.
    pub t: i64,
    /// The CPU.
    pub cpu: u16,
    /// What happened.
    pub event: Event,
}

/// To which class somebody belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The fair class.
    Fair,
    /// The idle task.
    Idle,
    /// A class above the fair one: whenever it runs, fair tasks wait.
    Above,
}

/// Who took part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name in the trace.
    pub name: String,
    /// Its class.
    pub class: Class,
    /// Its policy.
    pub policy: Policy,
    /// Its nice value at the start.
    pub nice: Nice,
    /// The slice that it asked for, ns; none is the kernel's.
    pub slice: Option<u64>,
    /// Its group, as an index into [`Recording::groups`]; none is the root group.
    pub group: Option<usize>,
    /// Had it slept for long when the trace began, so that its vruntime is far left of the others'?
    pub rested: bool,
    /// Does its program call `sched_yield`?
    pub yields: bool,
    /// The only CPU that it may use, if it is bound to one.
    pub bound: Option<u16>,
    /// Does it measure the time that it computes by its own CPU clock, so that it is charged all the time?
    pub reads_clock: bool,
    /// The pipes that it reads.
    pub reads: Vec<u32>,
    /// The pipes that it writes to.
    pub writes: Vec<u32>,
    /// The nice values that it gives itself, in order.
    pub renices: Vec<Nice>,
}

/// A recording, ready to be replayed.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The kernel with its switches and tunables as they were, on its machine.
    pub setup: SchedSetup,
    /// The shares of each group below the root.
    pub groups: Vec<u64>,
    /// Everybody named in the trace.
    pub members: Vec<Member>,
    /// The trace.
    pub rows: Vec<Row>,
    /// What the kernel itself said at the end, if the trace goes that far.
    pub end: Option<End>,
}

/// The kernel's own account of its run queue at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// `min_vruntime` of the root queue, ns.
    pub min_vruntime: Option<i64>,
    /// Members, as they were then.
    pub tasks: Vec<Ended>,
}

/// A member at the end, as the kernel prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Who.
    pub name: Name,
    /// Was it runnable?
    pub runnable: bool,
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// Its deadline, ns; none where the kernel has no such thing.
    pub deadline: Option<i64>,
}

impl Recording {
    /// Does the trace carry charges, so that every number can be followed exactly? Those of CFS must tell vruntimes;
    /// in EEVDF nothing depends on where those begin.
    pub fn is_exact(&self) -> bool {
        let bare = self.setup.kernel.rules.is_eevdf();
        let exact = |row: &Row| match row.event {
            Event::Runtime { vruntime, .. } => vruntime.map_or(bare, |v| v != 0),
            _ => false,
        };
        self.rows.iter().any(exact)
    }
}
