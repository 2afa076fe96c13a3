//! What the rules of placing, marking and picking of CFS can be; [`super::rules::Rules`] says which of them holds.

/// Placement of a new task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkPlacement {
    /// `min_vruntime` plus the start debit; the parent's vruntime is irrelevant (2.6.31: `task_new_fair`).
    MinPlusDebit,
    /// The later of that and the vruntime of the running task (b5d9d734).
    NotBeforeParent,
}

/// When `check_preempt_wakeup` sets `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextMarking {
    /// At every check, forks and pulled tasks too (2.6.31).
    Always,
    /// With `NEXT_BUDDY`, not for forks (3cb63d52, 0ec9fab3, a7558e01).
    Feature,
    /// With `NEXT_BUDDY` and at least `nr_latency` runnable, not for forks (f685ceac).
    FeatureAtScale,
    /// The same, and always who preempts (3.2 on).
    FeatureOrPreemptor,
    /// At every check that is not a fork, whatever the features say (Galbraith, 2009-10-16).
    NotFork,
}

/// When `check_preempt_wakeup` sets `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastMarking {
    /// With `LAST_BUDDY`, at every check (2.6.31, rc1).
    EveryCheck,
    /// With `LAST_BUDDY`, on a real preemption of a task while at least `nr_latency` are runnable (f685ceac).
    OnPreemption,
    /// At every check that is not a fork, whatever the features say (Galbraith, 2009-10-16).
    NotFork,
}

/// `pick_next_entity` and the clearing of buddies that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picker {
    /// next, last, left; the chosen entity loses its marks (2.6.31).
    ClearChosen,
    /// next, last, left; both marks are cleared by every pick (de69a80b).
    ClearBoth,
    /// next, last, left; a mark is cleared when it is tried (92f6a5e3).
    ClearTried,
    /// next with `NEXT_BUDDY`, last with `LAST_BUDDY`, left; a mark is cleared when chosen
    /// (Galbraith, 2009-10-16).
    Gated,
    /// last, next, left; the chosen entity loses its marks (f685ceac).
    LastFirst,
    /// next, last, then left, or the second if left has yielded; the chosen entity loses its marks (3.2 on).
    NextSkip,
}

/// The missed-preemption clause of `check_preempt_tick`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickMissed {
    /// None.
    Off,
    /// Compared unsigned, so that a running task *left* of the leftmost is rescheduled too
    /// (f685ceac, 2.6.32; sched_fair.c: `check_preempt_tick`).
    Unsigned,
    /// Compared signed, as meant (3.1).
    Signed,
}

/// The buddy clause of `task_hot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuddyHot {
    /// Always.
    Always,
    /// With at least `nr_latency` runnable beside the task (Galbraith, 2009-10-16).
    AtScale,
    /// Unless the CPU that pulls is idle (f685ceac).
    PullerBusy,
}
