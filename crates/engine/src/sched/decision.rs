//! Decisions as values: what was decided and which branch of the kernel's code decided it.
//!
//! Plain data, so that observers can keep it. No text here beyond the one-line meaning of each reason;
//! sentences are made where they are shown.

use crate::machine::CpuId;
use crate::task::TaskId;

/// An enum of reasons, each with its meaning in a few words.
macro_rules! reasons {
    ($(#[$meta:meta])* $name:ident { $($(#[$of_one:meta])* $id:ident $what:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = $what] $(#[$of_one])* $id,)*
        }

        impl $name {
            /// Every reason.
            pub const ALL: &'static [$name] = &[$($name::$id),*];

            /// The branch taken, in a few words.
            pub const fn what(self) -> &'static str {
                match self {
                    $($name::$id => $what,)*
                }
            }
        }
    };
}

pub(super) use reasons;

reasons! {
    /// Why `pick_next_entity` chose an entity.
    PickWhy {
        Idle "nothing is runnable",
        Only "the only runnable entity",
        Leftmost "leftmost: smallest vruntime, and no buddy took precedence",
        NextBuddy "next buddy, within wakeup granularity of the leftmost",
        LastBuddy "last buddy, within wakeup granularity of the leftmost",
        SecondForSkip "second: the leftmost has yielded, and this one is within wakeup granularity of it",
        RealTime "the real-time task of the highest priority",
        EarliestDeadline "of those that are eligible, its deadline is the earliest",
        Protected "it runs, is eligible and still protected",
        EligibleBuddy "next buddy, and eligible",
    }
}

reasons! {
    /// Why a CPU was selected.
    PlacementWhy {
        SameCpu "the waker runs on the CPU the task last ran on",
        NotAllowed "the waker's CPU is not in the task's mask, or no domain holds both",
        AffineSync "wake_affine: a sync wakeup, and loads stay balanced",
        AffineBalanced "wake_affine: loads stay balanced",
        AffineLowTotal "wake_affine: together they are less than the waker's average task load",
        PassiveBalance "SD_WAKE_BALANCE: the waker's CPU is less loaded",
        PrevNotAffine "wake_affine said no: stays on the CPU it last ran on",
        PrevNoDomain "no affine domain was reached: stays on the CPU it last ran on",
        PrevAborted "SD_PREFER_LOCAL ended the walk: stays on the CPU it last ran on",
        Idlest "find_idlest_group and find_idlest_cpu",
        LocalIdlest "no other group is idle enough: stays local",
        NoDomain "no balancing domain: no other CPU is looked at",
        LocalHasRoom "SD_PREFER_LOCAL: the domain has capacity left, so it stays local",
        Pinned "may not run where it was placed: the lowest CPU of its mask",
        RealTimeStays "a real-time task: the CPU it last ran on, which it gets or no other would give it",
        RealTimeLowest "a real-time task: the CPU with the least urgent task",
        Fallback "may not run where it was placed: the first allowed CPU of its node, or of all",
        OnlyCpu "it may run on no other CPU",
        TargetIdle "select_idle_sibling: the target is idle",
        PrevIdle "select_idle_sibling: the CPU it last ran on is idle and shares the cache",
        RecentIdle "select_idle_sibling: a CPU it used recently is idle and shares the cache",
        IdleThread "select_idle_smt: another thread of its last core is idle",
        IdleCore "select_idle_core: a whole core of the cache domain is idle",
        IdleCpu "an idle CPU that shares the cache",
        IdleGroup "select_idle_sibling: all CPUs of a group that shares the cache are idle",
        SyncStacked "SIBLING_LIMIT_SYNC: the waker, alone on its CPU, is about to sleep",
        NoIdle "no idle CPU was found near the target, which is taken",
        StillQueued "it slept, but was still queued there for the time it owed",
        ScanSkipped "SIS_UTIL: the cache domain is too busy to be searched, the target is taken",
        EnergyBest "find_energy_efficient_cpu: it costs the least energy there",
        EnergyPrev "find_energy_efficient_cpu: nowhere does it cost less energy than on the CPU it last ran on",
    }
}

reasons! {
    /// Which exit `check_preempt_wakeup` took.
    PreemptWhy {
        IdleCpu "the CPU was idle",
        SelfWakeup "the running task itself was woken",
        AlreadyPending "a reschedule is already pending",
        NotNormal "the wakee is SCHED_BATCH or SCHED_IDLE",
        CurrIdlePolicy "the running task is SCHED_IDLE",
        FeatureOff "WAKEUP_PREEMPT is off",
        WakeupSync "WAKEUP_SYNC: a sync wakeup",
        WakeupOverlap "WAKEUP_OVERLAP: both overlap little",
        WakeupRunning "WAKEUP_RUNNING: the wakee runs shorter",
        NotBehind "the wakee is not left of the running task",
        WithinGranularity "the wakee is left by no more than the wakeup granularity",
        BeyondGranularity "the wakee is left by more than the wakeup granularity",
        ChildRunsFirst "child_runs_first: parent and child change places",
        Throttled "a group of the wakee has used up its quota",
        HigherClass "a real-time task preempts a fair one",
        LowerClass "a fair task waits for a real-time one",
        HigherPriority "a real-time task preempts one of lower priority",
        EqualStaysHere "a real-time task of the same priority can go elsewhere, and the woken one cannot",
        NoHigherPriority "the running real-time task has the same priority, or a higher one",
        Picked "the pick takes the wakee",
        ShortSlice "PREEMPT_SHORT: the wakee's slice is the shorter one, and the pick takes it",
        NotEligible "the wakee is not eligible: it has had more than its share",
        CurrProtected "the running task is eligible and still protected",
        CurrDeadline "the running task is eligible, and its deadline is no later",
        BuddyFirst "the pick takes the next buddy",
        OtherFirst "the pick takes another waiting task",
        NewTask "a new task does not preempt",
        WasDelayed "a task that was still queued does not preempt",
        SyncGoesOn "a sync wakeup: the wakee becomes the next buddy, and the waker goes on",
        SyncHadEnough "a sync wakeup: the waker has run long enough, and its deadline is later",
    }
}

reasons! {
    /// What the tick decided.
    TickWhy {
        Idle "the CPU is idle",
        Alone "nobody else is runnable",
        SliceLeft "the slice is not used up",
        SliceExpired "ran longer than its slice",
        TooShort "ran less than min_granularity: no look at missed preemptions",
        MissedPreemption "right of the leftmost by more than a slice",
        MissedUnsigned "left of the leftmost, but the kernel compares unsigned",
        HrtickArmed "the hrtick will end the slice",
        HrtickFired "the hrtick ended the slice",
        RealTime "a real-time task runs on",
        RrSliceExpired "a SCHED_RR task has had its slice",
        DeadlineReached "its deadline has come",
        ProtectionOver "its protection is over",
    }
}

impl TickWhy {
    /// Does this outcome ask for a reschedule?
    pub const fn reschedules(self) -> bool {
        use TickWhy::{
            DeadlineReached, HrtickFired, MissedPreemption, MissedUnsigned, ProtectionOver,
            RrSliceExpired, SliceExpired,
        };
        matches!(
            self,
            SliceExpired
                | MissedPreemption
                | MissedUnsigned
                | HrtickFired
                | RrSliceExpired
                | DeadlineReached
                | ProtectionOver
        )
    }
}

impl PreemptWhy {
    /// Does this exit ask for a reschedule?
    pub const fn preempts(self) -> bool {
        use PreemptWhy as Why;
        matches!(
            self,
            Why::IdleCpu
                | Why::CurrIdlePolicy
                | Why::WakeupSync
                | Why::WakeupOverlap
                | Why::WakeupRunning
                | Why::BeyondGranularity
                | Why::ChildRunsFirst
                | Why::HigherClass
                | Why::HigherPriority
                | Why::EqualStaysHere
                | Why::Picked
                | Why::ShortSlice
                | Why::SyncHadEnough
        )
    }
}

reasons! {
    /// Why a task changed its CPU.
    MigrateWhy {
        Wakeup "selected at wakeup",
        Fork "selected at fork",
        Exec "selected at exec",
        NewIdle "pulled by a CPU about to go idle",
        Periodic "pulled by periodic balancing",
        IdlePeriodic "pulled by an idle CPU's periodic balancing",
        Active "pushed by active balancing",
        Affinity "its mask changed",
        RtPush "pushed by a CPU with more urgent real-time work",
        RtPull "pulled by a CPU without more urgent real-time work",
    }
}

reasons! {
    /// How one balancing attempt in one domain ended.
    BalanceWhy {
        Pulled "tasks were pulled",
        NoBusiestGroup "no group is busier than it may be",
        ThisBusier "this group carries at least as much as the busiest",
        AboveAverage "this group carries at least the average",
        WithinPct "the difference is within imbalance_pct",
        OneTaskEach "the busiest group carries no more than one task's load each",
        SmallImbalance "moving one task would not raise throughput",
        NoBusiestQueue "no queue of the busiest group qualifies",
        LoneTask "the busiest queue has only its running task",
        AllHotOrPinned "every task was running, cache-hot, too heavy or not allowed",
        SiblingBusy "newly idle beside a busy hardware thread: stop",
        NotDesignated "another CPU of the group balances for it",
        Serialized "another CPU is balancing at this level",
        NotDue "its interval has not passed",
        Active "asked the busiest CPU to push its running task",
        Throttled "idle periods are too short for balancing to pay",
        IdleSpread "the busiest group has no more tasks than CPUs, and idle CPUs are evenly spread",
        BusierKind "this group is of a busier kind than the busiest",
        NotOverloaded "the busiest group is not overloaded, and this CPU is busy",
        NoneWaits "no task of the busiest group waits",
        TooFew "too little differs to move anything",
        NodeKeeps "between nodes, so few tasks may stay together",
        PushPinned "nothing could be moved, and the running task may not come here",
        NoOverload "no CPU of the machine has two runnable tasks",
        WakeupPending "a woken task is on its way here",
        DiceLost "NI_RANDOM: the dice kept it from looking",
        EnergyKeeps "energy-aware: no CPU is too busy, so tasks stay where energy has put them",
    }
}

/// Which CPU a task goes to, and why.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The CPU.
    pub cpu: CpuId,
    /// The branch taken.
    pub why: PlacementWhy,
    /// How many CPUs' run queues were read on the way: what the search costs.
    pub visited: u32,
}

/// Which task runs next, and why; `None` is idle.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The task.
    pub task: Option<TaskId>,
    /// The branch taken at the top level.
    pub why: PickWhy,
}

/// Does the wakee preempt?
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preempt {
    /// Is the CPU asked to reschedule?
    pub yes: bool,
    /// The exit taken.
    pub why: PreemptWhy,
    /// `curr.vruntime − wakee.vruntime` at the common level, ns; 0 where the test was not reached.
    pub gap: i64,
    /// The granularity it was compared with, ns.
    pub gran: u64,
}

/// Does the tick ask for a reschedule?
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Is the CPU asked to reschedule?
    pub resched: bool,
    /// The branch taken.
    pub why: TickWhy,
}

/// A task that balancing moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The task.
    pub task: TaskId,
    /// Where it waited.
    pub from: CpuId,
    /// Where it waits now.
    pub to: CpuId,
    /// Which kind of balancing.
    pub why: MigrateWhy,
}

/// What balancing sets out to move, and so what its imbalance counts (`enum migration_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Migration {
    /// Load.
    Load,
    /// Utilisation: what the idle part of a group can take.
    Util,
    /// Tasks.
    Task,
    /// A task that is too much for its CPU.
    Misfit,
}

/// Kinds of balancing (`enum cpu_idle_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleType {
    /// The tick hit the idle task.
    Idle,
    /// The tick hit a task.
    NotIdle,
    /// The CPU is about to go idle.
    NewlyIdle,
}
