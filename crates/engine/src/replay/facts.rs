//! What a replay found: facts by kind, and the first that was wrong with what both sides held true.

use super::input::Name;
use crate::machine::CpuId;
use crate::sched::decision::PlacementWhy;
use alloc::vec::Vec;

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactKind {
    /// A vruntime after a charge, with any placement before it.
    Vruntime,
    /// Who runs next, where somebody else does.
    Pick,
    /// Who runs next, where the same task goes on.
    Repick,
    /// Does a wakeup preempt?
    Preempt,
    /// Which CPU does a woken or new task go to?
    Select,
    /// Does a tick ask for a reschedule?
    Tick,
    /// When does the hrtick fire?
    Hrtick,
    /// What the kernel itself said at the end: `min_vruntime`, and the vruntime of each task.
    End,
}

impl FactKind {
    /// Every kind.
    pub const ALL: [FactKind; 8] = [
        FactKind::Vruntime,
        FactKind::Pick,
        FactKind::Repick,
        FactKind::Preempt,
        FactKind::Select,
        FactKind::Tick,
        FactKind::Hrtick,
        FactKind::End,
    ];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            FactKind::Vruntime => "vruntime",
            FactKind::Pick => "pick",
            FactKind::Repick => "re-pick",
            FactKind::Preempt => "preempt",
            FactKind::Select => "selected CPU",
            FactKind::Tick => "tick",
            FactKind::Hrtick => "hrtick",
            FactKind::End => "end",
        }
    }
}

/// How many facts there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// As recorded.
    pub right: u64,
    /// Not as recorded, but closer than the recording's clock can tell.
    pub ties: u64,
    /// Not as recorded.
    pub wrong: u64,
}

impl Score {
    /// All of them.
    pub const fn facts(self) -> u64 {
        self.right + self.ties + self.wrong
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Score) -> Score {
        Score {
            right: self.right + other.right,
            ties: self.ties + other.ties,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// One side of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This task has this vruntime, ns.
    Vruntime(Name, i64),
    /// This task has this deadline, ns.
    Deadline(Name, i64),
    /// `min_vruntime` of the root queue, ns.
    Min(i64),
    /// This task runs next; none is the idle task.
    Runs(Option<Name>),
    /// This task goes to this CPU.
    Goes {
        /// The task.
        task: Name,
        /// The CPU.
        cpu: CpuId,
        /// The branch that the rules took.
        why: Option<PlacementWhy>,
    },
    /// A reschedule was asked for, or not.
    Reschedules(bool),
    /// The hrtick fires at this time, ns; none is not at all.
    Fires(Option<i64>),
}

/// A runnable task in the scheduler's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The task.
    pub name: Name,
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// Its deadline, ns, in EEVDF.
    pub deadline: Option<i64>,
    /// Does it sleep, and is queued still?
    pub delayed: bool,
    /// How long it has run in its slice, ns.
    pub ran: u64,
    /// Is it running?
    pub running: bool,
}

/// The first wrong fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Row of the trace, from 0.
    pub row: usize,
    /// Time of that row, ns.
    pub t: i64,
    /// What it is about.
    pub kind: FactKind,
    /// What the rules say.
    pub predicted: Claim,
    /// What happened.
    pub recorded: Claim,
    /// `min_vruntime` of the root queue, ns; EEVDF has none.
    pub min_vruntime: Option<i64>,
    /// Who was runnable, by vruntime.
    pub runnable: Vec<Standing>,
}

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    by_kind: [Score; FactKind::ALL.len()],
    /// The first wrong fact.
    pub first: Option<Divergence>,
    /// How many tasks, kernel threads above all, have a lag that was found by trying.
    pub fitted: u32,
    /// By how much vruntimes were off at the end, all together, ns.
    pub(super) off: u64,
}

impl Facts {
    /// All kinds together.
    pub fn total(&self) -> Score {
        self.by_kind
            .iter()
            .fold(Score::default(), |sum, s| sum.plus(*s))
    }

    /// One kind.
    pub const fn of(&self, kind: FactKind) -> Score {
        self.by_kind[kind as usize]
    }

    pub(super) fn right(&mut self, kind: FactKind) {
        self.by_kind[kind as usize].right += 1;
    }

    pub(super) fn tie(&mut self, kind: FactKind) {
        self.by_kind[kind as usize].ties += 1;
    }

    /// Some that came out right did so with a number that was fitted to them.
    pub(super) fn as_ties(&mut self, before: &Facts) {
        for (own, before) in self.by_kind.iter_mut().zip(&before.by_kind) {
            let by = before.wrong.saturating_sub(own.wrong).min(own.right);
            own.right -= by;
            own.ties += by;
        }
    }

    /// Counts a wrong fact; `about` tells of it, and is asked for the first only.
    pub(super) fn wrong(&mut self, kind: FactKind, about: impl FnOnce() -> Divergence) {
        self.by_kind[kind as usize].wrong += 1;
        if self.first.is_none() {
            self.first = Some(about());
        }
    }
}
