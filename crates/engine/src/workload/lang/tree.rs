//! The workload language as data: what a text says, before counts are unrolled.
//!
//! Blocks nest no deeper than [`super::MAX_NESTING`]: only [`super::parse`] makes these values, so that walking
//! them may recurse. Not here: text (`read`, `print`) or tasks (`expand`).

use crate::machine::CpuMask;
use crate::task::{Nice, Policy};
use crate::time::{Instant, Nanos};
use crate::workload::ipc::{ChannelKind, LockKind, QueueKind};
use crate::workload::program::{Dist, TimerMode};
use alloc::string::String;
use alloc::vec::Vec;

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    target_pointer_width = "64",
    expect(
        clippy::large_enum_variant,
        reason = "a script has few declarations, and most of them are tasks"
    )
)]
pub(super) enum Item {
    /// Something that tasks share.
    Thing(Thing),
    /// Tasks.
    Task(Task),
    /// Copies of a set of declarations.
    Team(Team),
}

/// Declarations that exist several times over, each time with things of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Team {
    pub(super) name: String,
    pub(super) count: Option<u32>,
    /// No teams among them.
    pub(super) items: Vec<Item>,
}

/// A thing, or a row of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) name: String,
    pub(super) count: Option<u32>,
    pub(super) kind: ThingKind,
}

/// What a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThingKind {
    /// A channel, what fits into it, and whether what is received from it counts.
    Channel(ChannelKind, Option<u32>, bool),
    /// A condition queue.
    Queue(QueueKind),
    /// A lock.
    Lock(LockKind),
    /// A barrier for so many.
    Barrier(u32),
}

/// The sorts of names that statements ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Channel,
    Queue,
    Lock,
    Barrier,
    /// A task that is forked, or a team that has some.
    Child,
}

impl ThingKind {
    pub(super) const fn sort(self) -> Sort {
        match self {
            ThingKind::Channel(..) => Sort::Channel,
            ThingKind::Queue(_) => Sort::Queue,
            ThingKind::Lock(_) => Sort::Lock,
            ThingKind::Barrier(_) => Sort::Barrier,
        }
    }
}

/// A task, or a row of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) name: String,
    pub(super) count: Option<u32>,
    /// Is it there only once somebody forks it?
    pub(super) child: bool,
    pub(super) traits: Traits,
    pub(super) body: Vec<Stmt>,
}

/// What a task is apart from what it does; none = as its parent, or as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) nice: Option<Nice>,
    pub(super) policy: Option<Policy>,
    pub(super) slice: Option<Nanos>,
    pub(super) slack: Option<Nanos>,
    pub(super) cpus: Option<CpuMask>,
    pub(super) group: Option<String>,
    pub(super) session: Option<String>,
    pub(super) start: Option<Instant>,
    pub(super) ws_kb: Option<u32>,
    pub(super) space: Option<String>,
    pub(super) role: Option<String>,
}

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Fixed(Nanos),
    Drawn(Dist),
}

/// Which of a row of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    /// The only one there is.
    Only,
    Number(u32),
    /// The one with the task's own number.
    Me,
    /// The one after it, the first after the last.
    Next,
    /// One after the other.
    Each,
    /// Each but the task's own.
    Others,
    /// Of locks: the one with the number of the CPU that the task is on.
    Here,
}

/// From when on a mark counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Expiry,
    Wake,
    /// The task's own last pass of a mark of that name.
    Mark(String),
}

/// A thing by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ref {
    pub(super) name: String,
    pub(super) index: Index,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stmt {
    Run(Length),
    RunForever,
    Sys(Length),
    Sleep(Length),
    SleepUntil(Instant),
    Timer(Nanos, TimerMode),
    Send(Ref, u32),
    Recv(Ref, u32),
    Lock(Ref),
    Unlock(Ref),
    Wait(Ref),
    Wake(Ref, u32),
    WakeAll(Ref),
    Barrier(Ref),
    Fork(String),
    ForkWait(String),
    Exec(Length),
    Exit,
    Join,
    Yield,
    Nice(Nice),
    Cpus(CpuMask),
    /// A task group's name, and its CPUs.
    Cpuset(String, CpuMask),
    AutogroupNice(Nice),
    /// A mark's name, and from when on it measures, if it does.
    Mark(String, Option<Origin>),
    /// So many times; none = for ever.
    Loop(Option<u32>, Vec<Stmt>),
    /// The first in so many cases of a thousand, else the second.
    Choose(u16, Vec<Stmt>, Vec<Stmt>),
}

impl Stmt {
    /// The statements inside.
    pub(super) fn blocks(&self) -> [&[Stmt]; 2] {
        match self {
            Stmt::Loop(_, body) => [body, &[]],
            Stmt::Choose(_, yes, no) => [yes, no],
            _ => [&[], &[]],
        }
    }

    /// The thing it names.
    pub(super) const fn thing(&self) -> Option<&Ref> {
        match self {
            Stmt::Send(to, _) | Stmt::Recv(to, _) => Some(to),
            Stmt::Lock(lock) | Stmt::Unlock(lock) => Some(lock),
            Stmt::Wait(queue) | Stmt::Wake(queue, _) | Stmt::WakeAll(queue) => Some(queue),
            Stmt::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }

    /// The thing it names, to be renamed.
    pub(super) const fn thing_mut(&mut self) -> Option<&mut Ref> {
        match self {
            Stmt::Send(to, _) | Stmt::Recv(to, _) => Some(to),
            Stmt::Lock(lock) | Stmt::Unlock(lock) => Some(lock),
            Stmt::Wait(queue) | Stmt::Wake(queue, _) | Stmt::WakeAll(queue) => Some(queue),
            Stmt::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }
}

impl Task {
    /// Does it come to its end by itself?
    pub(super) fn ends(&self) -> bool {
        !any(&self.body, &|stmt| {
            matches!(stmt, Stmt::RunForever | Stmt::Loop(None, _))
        })
    }
}

/// Does anything in it hold for a statement of `body`, however deep?
pub(super) fn any(body: &[Stmt], holds: &impl Fn(&Stmt) -> bool) -> bool {
    body.iter()
        .any(|stmt| holds(stmt) || stmt.blocks().iter().any(|block| any(block, holds)))
}

/// Where a declaration stands: in a copy of a team, or outside.
pub(super) type Scope<'s> = Option<(&'s Team, u32)>;

/// Every declaration outside of teams, and those inside once for each copy.
pub(super) fn instances(items: &[Item]) -> impl Iterator<Item = (&Item, Scope<'_>)> {
    items.iter().flat_map(|item| {
        let team = match item {
            Item::Team(team) => Some(team),
            Item::Task(_) | Item::Thing(_) => None,
        };
        let copies = team.map_or(0, |team| team.count.unwrap_or(1));
        let inside = (0..copies).flat_map(move |copy| {
            let items = team.map_or(&[][..], |team| &team.items);
            items
                .iter()
                .map(move |item| (item, team.map(|team| (team, copy))))
        });
        let outside = team.is_none().then_some((item, None));
        outside.into_iter().chain(inside)
    })
}
