//! What tasks share: channels, condition queues, locks, barriers; here as a program declares them.
//!
//! Not here: costs (`machine::cost`), or who is woken when (the simulator asks [`ChannelKind`] for the rules).

/// A channel, as an index into [`super::World::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u32);

/// A condition queue, as an index into [`super::World::queues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueId(pub u32);

/// A lock, as an index into [`super::World::locks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockId(pub u32);

/// A barrier, as an index into [`super::World::barriers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BarrierId(pub u32);

/// The kinds of channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ChannelKind {
    /// A connected AF_UNIX stream socket: its buffer is charged by true buffer size.
    Unix,
    /// A pipe of 2.6.3x: 16 pages, one wait queue for readers and writers.
    Pipe,
    /// A TCP connection over loopback: the receive path runs in the sender's context, as softirq.
    Tcp,
}

/// A channel as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelSpec {
    /// Its kind.
    pub kind: ChannelKind,
    /// Do messages received from it count as the workload's throughput?
    pub counted: bool,
}

/// The kinds of queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueKind {
    /// A futex or condition variable: no sync hint.
    Condition,
    /// `poll` on a pipe that nobody reads: its wakeups carry the pipe's sync hint, and once one has been sent, a
    /// later wait returns at once.
    Poll,
}

/// The kinds of lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockKind {
    /// Sleeps in the kernel as soon as it is contended.
    Futex,
    /// Spins up to 30 rounds, then sleeps as a futex (InnoDB).
    Adaptive,
    /// Spins, then sleeps for growing times; a release wakes nobody (PostgreSQL).
    SpinSleep,
    /// Spins until it has the lock; its holder cannot be preempted.
    KernelSpin,
}
