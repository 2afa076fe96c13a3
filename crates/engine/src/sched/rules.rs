//! The rule values of a kernel: every behaviour that a commit of the story changed and that is not a
//! `SCHED_FEAT`, a tunable or a domain flag.
//!
//! A rule is read in one decision function. What each release sets is in [`super::profile`].

pub use crate::machine::sd_flags::CpuPower;

macro_rules! rules {
    ($($(#[$meta:meta])* $field:ident : $ty:ty = $set:ident;)*) => {
        /// The rules in force.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Rules {
            $($(#[$meta])* pub $field: $ty,)*
        }

        /// One assignment to one rule: `rule := value`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RuleSet {
            $($(#[$meta])* $set($ty),)*
        }

        impl RuleSet {
            /// Carries the assignment out.
            pub fn apply(self, rules: &mut Rules) {
                match self {
                    $(RuleSet::$set(value) => rules.$field = value,)*
                }
            }

            /// The name of the rule it sets.
            pub const fn rule(self) -> &'static str {
                match self {
                    $(RuleSet::$set(_) => stringify!($field),)*
                }
            }
        }
    };
}

rules! {
    /// How weighted time is rounded.
    fixed_point: FixedPoint = FixedPoint;
    /// Where a new task is placed.
    fork_placement: ForkPlacement = ForkPlacement;
    /// When the wakee is marked as next buddy.
    next_marking: NextMarking = NextMarking;
    /// When the running task is marked as last buddy.
    last_marking: LastMarking = LastMarking;
    /// Order of candidates in the picker and which marks a pick clears.
    picker: Picker = Picker;
    /// Are `WAKEUP_SYNC`, `WAKEUP_OVERLAP`, `WAKEUP_RUNNING` tested before the `WAKEUP_PREEMPT` gate?
    preempt_modes_first: bool = PreemptModesFirst;
    /// What the tick does about a preemption that a wakeup missed.
    tick_missed_preempt: TickMissed = TickMissed;
    /// When a buddy counts as cache-hot.
    buddy_hot: BuddyHot = BuddyHot;
    /// Does a wakeup update the clock of the run queue that it selected?
    fresh_target_clock: bool = FreshTargetClock;
    /// Is the average `avg_running` kept?
    avg_running: bool = AvgRunning;
    /// How a CPU is selected.
    select: Select = Select;
    /// Does `wake_affine` call an idle waker's CPU balanced?
    affine_lowload: bool = AffineLowload;
    /// Does the domain walk go on to `SD_WAKE_AFFINE` after the `SD_PREFER_LOCAL` test?
    affine_after_local: bool = AffineAfterLocal;
    /// Is the `SD_PREFER_LOCAL` scan done only while a balancing domain is still wanted?
    scan_if_want_sd: bool = ScanIfWantSd;
    /// Levels, intervals and load indices of the domains.
    domains: DomainTable = Domains;
    /// Is `SD_BALANCE_WAKE` on at all levels but ALLNODES?
    balance_wake: bool = BalanceWake;
    /// Which levels have `SD_PREFER_LOCAL`.
    prefer_local: PreferLocal = PreferLocal;
    /// How the power of a group is computed, and with it its capacity.
    cpu_power: CpuPower = CpuPower;
}

/// Rounding of `calc_delta_mine` and of a queue's inverse weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedPoint {
    /// Round half up; inverse `1 + (2³² − w/2)/(w + 1)` (sched.c of 2.6.31, 2.6.32: `calc_delta_mine`).
    RoundInv31,
}

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

/// The CPU selection path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// 2.6.31: `select_task_rq_fair` for wakeups, `sched_balance_self` for fork and exec.
    Separate,
    /// One walk for wakeup, fork and exec (c88d5910).
    Merged,
}

/// Base rows of the domain levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainTable {
    /// 2.6.31.
    V31,
    /// `SD_BALANCE_NEWIDLE` at every level, wake, newidle and forkexec indices 0 (840a0653 and others).
    Retuned,
}

/// Levels with `SD_PREFER_LOCAL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferLocal {
    /// None.
    Nowhere,
    /// MC and CPU (59abf026).
    McAndCpu,
    /// NODE (799e2205).
    Node,
}
