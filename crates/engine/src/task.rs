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

/// The fair policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// `SCHED_NORMAL` (`SCHED_OTHER`).
    #[default]
    Normal,
    /// `SCHED_BATCH`: never preempts on wakeup.
    Batch,
    /// `SCHED_IDLE`: weight 3.
    Idle,
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
