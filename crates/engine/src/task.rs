//! What a task is to everyone: its number, its policy, its nice value.
//!
//! Not here: its place on a queue (`sched::rq`), what it does (`workload`), where its program stands (`sim`).

/// A task, numbered from 0 in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The number as an index into per-task tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A real-time priority, 1 (behind all others) … 99 (before all others).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RtPriority(u8);

impl RtPriority {
    /// The lowest.
    pub const MIN: RtPriority = RtPriority(1);
    /// The highest (`MAX_USER_RT_PRIO` − 1).
    pub const MAX: RtPriority = RtPriority(99);

    /// `value` held to 1 … 99.
    pub fn new(value: i64) -> RtPriority {
        RtPriority(value.clamp(i64::from(Self::MIN.0), i64::from(Self::MAX.0)) as u8)
    }

    /// The value.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// The scheduling policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// `SCHED_NORMAL` (`SCHED_OTHER`).
    #[default]
    Normal,
    /// `SCHED_BATCH`: never preempts on wakeup.
    Batch,
    /// `SCHED_IDLE`: weight 3.
    Idle,
    /// `SCHED_FIFO`: before all fair tasks, until it sleeps.
    Fifo(RtPriority),
    /// `SCHED_RR`: the same, in turns with its equals.
    Rr(RtPriority),
}

impl Policy {
    /// The same with another real-time priority; a fair policy has none.
    #[must_use]
    pub const fn with_priority(self, priority: RtPriority) -> Policy {
        match self {
            Policy::Fifo(_) => Policy::Fifo(priority),
            Policy::Rr(_) => Policy::Rr(priority),
            fair => fair,
        }
    }

    /// The real-time priority; 0 for the fair policies.
    pub const fn rt_priority(self) -> u8 {
        match self {
            Policy::Normal | Policy::Batch | Policy::Idle => 0,
            Policy::Fifo(priority) | Policy::Rr(priority) => priority.get(),
        }
    }
}

/// A nice value, −20 (heaviest) … 19 (lightest).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nice(i8);

impl Nice {
    /// The lowest value, the heaviest task.
    pub const MIN: i8 = -20;
    /// The highest value, the lightest task.
    pub const MAX: i8 = 19;

    /// `value` held to −20 … 19, as `nice(2)` does.
    pub fn new(value: i64) -> Nice {
        Nice(value.clamp(i64::from(Self::MIN), i64::from(Self::MAX)) as i8)
    }

    /// The value.
    pub const fn get(self) -> i8 {
        self.0
    }
}
