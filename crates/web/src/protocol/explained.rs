//! The answer to "why?": what a decision was made from, as numbers and codes of reasons.
//!
//! A code is a place in the engine's list of that kind of reason. Words are made where it is shown.

use super::codec::{DecodeError, Reader, Writer};
use super::wire::{Wire, wire_enum, wire_struct};

/// A decision and what it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// On which CPU.
    pub cpu: u16,
    /// When, ns.
    pub at_ns: u64,
    /// What was decided.
    pub decision: Decision,
}

impl Explained {
    /// The task that it is about; none: an idle CPU.
    pub fn subject(&self) -> Option<&str> {
        match &self.decision {
            Decision::Pick(pick) => pick.before.as_deref(),
            Decision::Wakeup(wakeup) => Some(&wakeup.woken),
            Decision::Move(moved) => Some(&moved.task),
            Decision::End { task } => Some(task),
            Decision::Idle(_) => None,
        }
    }
}

/// What was decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Who runs next.
    Pick(Pick),
    /// Where a woken (or new) task goes, and whether it preempts there.
    Wakeup(Wakeup),
    /// A task was moved.
    Move(Move),
    /// Nobody runs: how things are.
    Idle(Idle),
    /// A task ended.
    End {
        /// Who.
        task: String,
    },
}

/// A CPU at a moment at which it is idle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Since when, ns.
    pub since_ns: u64,
    /// Who ran last, and how that one stopped: a place in `EndWhy::ALL`; none: nobody ran before.
    pub left: Option<(String, u8)>,
    /// When it ends, ns, and who runs then; none: that is not known yet.
    pub next: Option<(u64, String)>,
    /// Who waits elsewhere and may run here, and on which CPU.
    pub waiting: Vec<(String, u16)>,
    /// How many more do.
    pub more: u32,
    /// What balancing has tried for it since it fell idle: the last try in each domain.
    pub tries: Vec<Try>,
    /// Groups that are throttled here, and how many of their tasks wait for that.
    pub throttled: Vec<(String, u32)>,
}

/// A try to bring a task to a CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Try {
    /// When, ns.
    pub at_ns: u64,
    /// In which domain.
    pub domain: String,
    /// Was the CPU about to go idle?
    pub newly: bool,
    /// How it ended: a place in `BalanceWhy::ALL`.
    pub why: u8,
    /// How many tasks it brought.
    pub moved: u32,
}

/// Who runs next.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Who ran before; none: idle.
    pub before: Option<String>,
    /// How that one stopped: a place in `EndWhy::ALL`.
    pub left: u8,
    /// Who runs now; none: idle.
    pub taken: Option<String>,
    /// Why: a place in `PickWhy::ALL`.
    pub why: u8,
    /// Every comparison, in the kernel's order; the last one is taken.
    pub candidates: Vec<Candidate>,
    /// Others that wait, leftmost first.
    pub waiting: Vec<Waiting>,
    /// How many wait that are in neither list.
    pub more: u32,
    /// How many tasks could run in all, those in groups and the one taken included.
    pub tasks: u32,
    /// Groups that are throttled here, and how many of their tasks wait for that.
    pub throttled: Vec<(String, u32)>,
}

/// One comparison of a pick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Who.
    pub name: String,
    /// As what it is considered.
    pub role: Role,
    /// Its vruntime, ns.
    pub vruntime_ns: i64,
    /// How far right of the leftmost it is, ns.
    pub gap_ns: i64,
    /// How far right it may be, ns.
    pub limit_ns: u64,
    /// What it wants and is due, where that counts: `gap_ns` is from the average then, less its lag.
    pub wants: Option<Wants>,
    /// Is it the next buddy?
    pub buddy: bool,
    /// What is said of it.
    pub verdict: Verdict,
}

/// What a candidate wants and is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// How far right of the average its deadline is, ns.
    pub due_ns: i64,
    /// Its slice, ns.
    pub slice_ns: u64,
    /// Has it had no more than its share?
    pub eligible: bool,
    /// Does it run, and is still protected?
    pub protected: bool,
    /// Does it sleep, but is still queued?
    pub delayed: bool,
}

/// As what a candidate is considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The next buddy.
    Next,
    /// The last buddy.
    Last,
    /// The leftmost.
    Left,
    /// The second, as the leftmost has yielded.
    Second,
    /// The running one.
    Current,
    /// The running one, which is still protected.
    Protected,
    /// One that waits, with a deadline.
    Deadline,
}

/// What is said of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Take,
    /// It is too far right.
    TooFar,
    /// Its mark counts only with a feature that is off.
    FeatureOff,
    /// It has had more than its share.
    NotEligible,
    /// Its deadline is not the earliest.
    LaterDeadline,
}

/// One that waits and was not considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub name: String,
    /// How far right of the leftmost it is, ns.
    pub gap_ns: i64,
    /// Does it run, and compete from where it is?
    pub running: bool,
}

/// Where a woken task goes, and whether it preempts there.
#[derive(Clone, Debug, PartialEq)]
pub struct Wakeup {
    /// Who woke up.
    pub woken: String,
    /// Is it new, by fork?
    pub new: bool,
    /// Who woke it; none: a timer, or the start.
    pub waker: Option<String>,
    /// Where that happened.
    pub from_cpu: u16,
    /// Where it ran last.
    pub prev_cpu: u16,
    /// Where it goes.
    pub to_cpu: u16,
    /// Did the waker say that it is about to sleep?
    pub sync: bool,
    /// Why there: a place in `PlacementWhy::ALL`.
    pub placed: u8,
    /// How many run queues were read for it.
    pub visited: u32,
    /// What was looked at on the way.
    pub steps: Vec<Step>,
    /// Who runs there; none: idle.
    pub running: Option<String>,
    /// Is that CPU asked to reschedule?
    pub preempts: bool,
    /// Which exit the check took: a place in `PreemptWhy::ALL`.
    pub preempt: u8,
    /// How far left of the running task it is, ns; 0 where that was not compared.
    pub gap_ns: i64,
    /// How far left it has to be, ns.
    pub gran_ns: u64,
}

/// One thing that a selection looked at, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it was.
    pub what: String,
    /// What was found.
    pub found: String,
    /// Did that speak for it?
    pub chosen: bool,
    /// Is it the question of `wake_affine`?
    pub affine: bool,
}

/// A task was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Who.
    pub task: String,
    /// From there.
    pub from_cpu: u16,
    /// To there.
    pub to_cpu: u16,
    /// Why: a place in `MigrateWhy::ALL`.
    pub why: u8,
}

wire_struct!(Explained {
    cpu,
    at_ns,
    decision
});
wire_enum!(Decision {
    Pick(pick),
    Wakeup(wakeup),
    Move(moved),
    Idle(idle),
    End { task },
});
wire_struct!(Idle {
    since_ns,
    left,
    next,
    waiting,
    more,
    tries,
    throttled
});
wire_struct!(Try {
    at_ns,
    domain,
    newly,
    why,
    moved
});
wire_struct!(Pick {
    before,
    left,
    taken,
    why,
    candidates,
    waiting,
    more,
    tasks,
    throttled
});
wire_struct!(Candidate {
    name,
    role,
    vruntime_ns,
    gap_ns,
    limit_ns,
    wants,
    buddy,
    verdict
});
wire_struct!(Wants {
    due_ns,
    slice_ns,
    eligible,
    protected,
    delayed
});
wire_enum!(Role {
    Next,
    Last,
    Left,
    Second,
    Current,
    Protected,
    Deadline
});
wire_enum!(Verdict {
    Take,
    TooFar,
    FeatureOff,
    NotEligible,
    LaterDeadline
});
wire_struct!(Waiting {
    name,
    gap_ns,
    running
});
wire_struct!(Wakeup {
    woken,
    new,
    waker,
    from_cpu,
    prev_cpu,
    to_cpu,
    sync,
    placed,
    visited,
    steps,
    running,
    preempts,
    preempt,
    gap_ns,
    gran_ns
});
wire_struct!(Step {
    what,
    found,
    chosen,
    affine
});
wire_struct!(Move {
    task,
    from_cpu,
    to_cpu,
    why
});
