//! The words of the language, with their forms: what errors suggest, what lists print, what the grammar must name.

use crate::task::{Policy, RtPriority};
use crate::workload::ipc::{ChannelKind, LockKind, QueueKind};
use crate::workload::program::TimerMode;

/// A word that begins a declaration, a trait or a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub word: &'static str,
    /// How it is used.
    pub form: &'static str,
    /// What it does, in one sentence.
    pub what: &'static str,
}

const fn word(word: &'static str, form: &'static str, what: &'static str) -> Word {
    Word { word, form, what }
}

/// What stands outside of tasks.
pub const DECLARATIONS: &[Word] = &[
    word(
        "task",
        "task NAME [* COUNT] TRAITS STATEMENT",
        "Tasks that are there from the start.",
    ),
    word(
        "child",
        "child NAME [* COUNT] TRAITS STATEMENT",
        "Tasks that exist once somebody forks them.",
    ),
    word(
        "team",
        "team NAME [* COUNT] { DECLARATIONS }",
        "Copies of a set of declarations, each with tasks and things of its own.",
    ),
    word(
        "pipe",
        "pipe NAME [* COUNT] [buffer SIZE] [counted]",
        "A pipe: 16 pages; before 5.5 one wait queue for readers and writers.",
    ),
    word(
        "socket",
        "socket NAME [* COUNT] [buffer SIZE] [counted]",
        "A connected AF_UNIX stream socket; its buffer is charged by true buffer size.",
    ),
    word(
        "tcp",
        "tcp NAME [* COUNT] [buffer SIZE] [counted]",
        "A TCP connection over loopback, one direction of it.",
    ),
    word(
        "queue",
        "queue NAME [* COUNT] [poll|semaphore]",
        "A condition queue to wait on; with poll, a pipe nobody reads: once woken, it stays open; a semaphore keeps the \
         wakeups that find nobody.",
    ),
    word(
        "lock",
        "lock NAME [* COUNT] [KIND]",
        "A lock: futex (if nothing is said), adaptive, spin-sleep or kernel-spin.",
    ),
    word(
        "barrier",
        "barrier NAME [* COUNT] of COUNT",
        "A barrier that opens when so many have arrived.",
    ),
];

/// What may stand between a task's name and what it does.
pub const TRAITS: &[Word] = &[
    word("nice", "nice NUMBER", "Its nice value, -20 to 19."),
    word(
        "policy",
        "policy normal|batch|idle|fifo N|rr N",
        "Its scheduling policy; real-time ones with their priority, 1 to 99.",
    ),
    word(
        "slice",
        "slice TIME",
        "The slice it asks for, in kernels that let it.",
    ),
    word(
        "slack",
        "slack TIME",
        "How late its timers may fire, and do; those of real-time tasks are exact.",
    ),
    word(
        "cpus",
        "cpus LIST",
        "Where it may run, as in taskset -c: 0-3,8.",
    ),
    word("in", "in GROUP", "Its task group."),
    word(
        "session",
        "session NAME",
        "Its session; since 2.6.38 tasks of the root group are in a group of their session.",
    ),
    word("start", "start TIME", "When it starts."),
    word(
        "ws",
        "ws SIZE",
        "Its private working set: what a move or a preemption makes it fetch again.",
    ),
    word(
        "space",
        "space NAME",
        "Its address space: threads of one process share one.",
    ),
    word("as", "as ROLE", "The role under which reports count it."),
];

/// What a task does.
pub const STATEMENTS: &[Word] = &[
    word(
        "run",
        "run LENGTH | run forever",
        "Computes; can be preempted at any time.",
    ),
    word(
        "sys",
        "sys LENGTH",
        "Works in the kernel; can be preempted at its end, or earlier if `preempt` is full or lazy.",
    ),
    word(
        "sleep",
        "sleep LENGTH | sleep until TIME",
        "Sleeps for so long, or until that time of the run.",
    ),
    word(
        "timer",
        "timer TIME [skip|absolute|relative|aligned]",
        "Sleeps until its next period begins.",
    ),
    word(
        "send",
        "send CHANNEL SIZE",
        "Writes a message; sleeps while there is no room.",
    ),
    word(
        "recv",
        "recv CHANNEL SIZE",
        "Reads so many bytes; sleeps while there are none.",
    ),
    word("lock", "lock LOCK", "Takes a lock."),
    word("unlock", "unlock LOCK", "Releases a lock."),
    word("wait", "wait QUEUE", "Sleeps on a queue until woken."),
    word(
        "wake",
        "wake QUEUE [COUNT]",
        "Wakes one sleeper of a queue, or so many, first come first.",
    ),
    word(
        "wakeall",
        "wakeall QUEUE",
        "Wakes every sleeper of a queue.",
    ),
    word(
        "barrier",
        "barrier BARRIER",
        "Waits until all have arrived at a barrier.",
    ),
    word(
        "fork",
        "fork CHILD [and wait]",
        "Creates a child, every copy of it, or the children of a team; can wait for its end.",
    ),
    word(
        "exec",
        "exec LENGTH",
        "Replaces its program: time in the kernel, and a new choice of CPU.",
    ),
    word("exit", "exit", "Ends; the end of the statements does too."),
    word("join", "join", "Waits until every child has ended."),
    word("yield", "yield", "Calls sched_yield."),
    word("nice", "nice NUMBER", "Sets its nice value."),
    word(
        "cpus",
        "cpus LIST",
        "Confines itself to these CPUs (sched_setaffinity).",
    ),
    word(
        "cpuset",
        "cpuset GROUP LIST",
        "Gives a task group these CPUs (cpuset.cpus).",
    ),
    word(
        "autogroup",
        "autogroup nice NUMBER",
        "Sets the nice value of its session's group (/proc/self/autogroup).",
    ),
    word(
        "mark",
        "mark NAME [since expiry|wake|NAME]",
        "Notes the time; reports count how often, and how long it is since its timer, its waker, or a mark of its own.",
    ),
    word("loop", "loop COUNT STATEMENT", "Repeats."),
    word("forever", "forever STATEMENT", "Repeats without end."),
    word(
        "choose",
        "choose SHARE STATEMENT [else STATEMENT]",
        "Does the first in that share of cases (30%, 0.3), else the second.",
    ),
];

/// The words alone: all that reading needs.
const fn names<const N: usize>(words: &[Word]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = words[at].word;
        at += 1;
    }
    names
}

pub(super) const DECLARATION_NAMES: [&str; DECLARATIONS.len()] = names(DECLARATIONS);
pub(super) const TRAIT_NAMES: [&str; TRAITS.len()] = names(TRAITS);
pub(super) const STATEMENT_NAMES: [&str; STATEMENTS.len()] = names(STATEMENTS);

/// The kinds of channel.
pub(super) const CHANNELS: [(&str, ChannelKind); 3] = [
    ("pipe", ChannelKind::Pipe),
    ("socket", ChannelKind::Unix),
    ("tcp", ChannelKind::Tcp),
];

/// The kinds of lock; the first if none is said.
pub(super) const LOCKS: [(&str, LockKind); 4] = [
    ("futex", LockKind::Futex),
    ("adaptive", LockKind::Adaptive),
    ("spin-sleep", LockKind::SpinSleep),
    ("kernel-spin", LockKind::KernelSpin),
];

/// The policies; a priority follows the real-time ones, which stand here with the lowest.
pub(super) const POLICIES: [(&str, Policy); 5] = [
    ("normal", Policy::Normal),
    ("batch", Policy::Batch),
    ("idle", Policy::Idle),
    ("fifo", Policy::Fifo(RtPriority::MIN)),
    ("rr", Policy::Rr(RtPriority::MIN)),
];

/// The kinds of queue that are no plain one.
pub(super) const QUEUES: [(&str, QueueKind); 2] = [
    ("poll", QueueKind::Poll),
    ("semaphore", QueueKind::Semaphore),
];

/// How timers go on after a late period; the first if none is said.
pub(super) const TIMERS: [(&str, TimerMode); 4] = [
    ("skip", TimerMode::Skip),
    ("absolute", TimerMode::Absolute),
    ("relative", TimerMode::Relative),
    ("aligned", TimerMode::Aligned),
];

/// What `word` means in a table.
pub(super) fn meaning<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    let found = table.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| *value)
}

/// The word for `value` in a table.
pub(super) fn name_of<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    let found = table.iter().find(|(_, known)| *known == value);
    found.map_or("", |(name, _)| *name)
}
