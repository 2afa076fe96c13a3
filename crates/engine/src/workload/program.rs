//! Programs: what a task does, as compact data that the simulator interprets.
//!
//! Not here: when an operation happens or what it costs (`sim`, `machine::cost`), nor the state of a channel
//! or lock (`ipc`). A program has no variables: whoever builds one unrolls indices. Every jump is an index into
//! the same list of operations, so that an operation is found in one step.

use super::ipc::{BarrierId, ChannelId, LockId, QueueId};
use crate::task::Nice;
use crate::time::{Instant, Nanos};

/// A template of a task, as an index into [`super::World::templates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateId(pub u32);

/// A distribution, as an index into [`super::World::dists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DistId(pub u32);

/// A named timestamp, as an index into [`super::World::marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkId(pub u16);

/// A set of CPUs, as an index into [`super::World::masks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaskId(pub u32);

/// A length of time in a program: always the same, or drawn anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The same each time.
    Fixed(Nanos),
    /// Drawn from a distribution.
    Drawn(DistId),
}

/// Where a drawn span comes from. Results are rounded to whole nanoseconds and held to 0 … 1 hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dist {
    /// Equally likely between the two, both included.
    Uniform(Nanos, Nanos),
    /// Exponential with that mean.
    Exponential(Nanos),
    /// Normal with that mean and standard deviation, cut off at 0.
    Normal(Nanos, Nanos),
    /// Log-normal with that median; the logarithm's standard deviation in thousandths.
    LogNormal(Nanos, u32),
}

/// How a periodic timer goes on after a period that was late (rt-app: `timer` modes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerMode {
    /// Never shifts: a late task runs its missed periods at once.
    Absolute,
    /// A late period starts a new count from now.
    Relative,
    /// Periods already missed are skipped, the phase is kept (cyclictest).
    Skip,
    /// The next whole multiple of the period since the run began, whenever the task asks.
    Aligned,
}

/// From when on a mark that measures counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// From when the task's last timer was to expire, without its slack (cyclictest).
    Expiry,
    /// From when the task was woken last (schbench).
    Wake,
    /// From when the task itself passed that mark last.
    Mark(MarkId),
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Compute for that long at the reference core; can be preempted at any time.
    Run(Span),
    /// Work in the kernel for that long at the reference core; can be preempted only at its end.
    Sys(Span),
    /// Put a message of that many bytes into a channel; blocks while it is full.
    Send(ChannelId, u32),
    /// Take that many bytes from a channel; blocks while it is empty.
    Recv(ChannelId, u32),
    /// Take a lock.
    Lock(LockId),
    /// Release a lock.
    Unlock(LockId),
    /// Take that lock of so many from there on which has the number of the CPU that the task is on.
    LockHere(LockId, u32),
    /// Release the lock that was taken so.
    UnlockHere,
    /// Sleep on a queue until woken; a wakeup before it does not count.
    Wait(QueueId),
    /// Wake that many sleepers of a queue, first come first.
    Wake(QueueId, u32),
    /// Wake every sleeper of a queue.
    WakeAll(QueueId),
    /// Sleep for that long.
    Sleep(Span),
    /// Sleep until that instant; does nothing if it has passed.
    SleepUntil(Instant),
    /// Sleep until the task's next period begins.
    Timer(Nanos, TimerMode),
    /// Create a task.
    Fork(TemplateId),
    /// Create a task and wait for its end.
    ForkWait(TemplateId),
    /// Replace the program image: time in the kernel, and a new selection of the CPU.
    Exec(Span),
    /// End.
    Exit,
    /// Wait until every child has ended.
    Join,
    /// Wait until the barrier's full number has arrived.
    Barrier(BarrierId),
    /// Go round until [`Op::End`] for that many times; [`Op::FOREVER`] = without end.
    Loop(u32),
    /// The end of the innermost loop, with the index of the operation after its [`Op::Loop`].
    End(u32),
    /// Go on with the next operation in that many cases of a thousand, else at that index.
    Choose(u16, u32),
    /// Go on at that index.
    Jump(u32),
    /// `sched_yield`.
    Yield,
    /// Set one's own nice value.
    SetNice(Nice),
    /// Confine oneself to these CPUs (`sched_setaffinity`).
    SetCpus(MaskId),
    /// Give a task group these CPUs (`cpuset.cpus`), by its number in the configuration.
    SetCpuset(u16, MaskId),
    /// Set the nice value of the group of one's own session (`/proc/self/autogroup`).
    SetAutogroupNice(Nice),
    /// Record the time.
    Mark(MarkId),
    /// Record the time, and how long it is since then.
    Measure(MarkId, Since),
}

impl Op {
    /// As a loop count: without end.
    pub const FOREVER: u32 = u32::MAX;
}

/// A program, by its first operation in [`super::World::ops`]. It ends at an [`Op::Exit`]; the builder sees to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The first operation.
    pub start: u32,
}

impl Program {
    /// Loops nest no deeper than this.
    pub const MAX_DEPTH: usize = 4;
}
