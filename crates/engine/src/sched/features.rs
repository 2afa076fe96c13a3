//! The sched features: each kernel `SCHED_FEAT` by its own name, with what it does and who reads it.
//!
//! Which of them a kernel has, and its default there, is the business of [`super::profile`]. Here is
//! only what a name means. A feature is read in the decision function that it changes, never in a leaf.

use super::profile::{Base, DeltaId, DeltaSet};

/// Is a switch felt in the simulation? `tests/switches.rs` holds each table to what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A scenario shows a different trace with it on and off.
    Effective,
    /// It can change nothing here, for the cited reason.
    Inert(&'static str),
}

/// What there is to know of one feature.
#[derive(Clone, Copy, Debug)]
pub struct FeatureInfo {
    /// The kernel's name, upper case.
    pub name: &'static str,
    /// Another name that some kernels give it.
    pub alias: Option<Alias>,
    /// What it does, in one sentence.
    pub what: &'static str,
    /// Where it comes from: file or commit.
    pub cite: &'static str,
    /// Does it change anything here?
    pub effect: Effect,
}

/// Another name of a feature, and the kernels that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// That of 2.6.31 without the commit of that number, which renames it.
    Before(u8, &'static str),
    /// That of the kernels since a renaming of which 6.1 is the first here.
    Since(&'static str),
}

impl Alias {
    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Alias::Before(_, name) | Alias::Since(name) => name,
        }
    }
}

macro_rules! features {
    ($($id:ident $name:literal $alias:expr, $what:literal, $cite:literal, $effect:expr;)*) => {
        /// One `SCHED_FEAT` toggle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Feature {
            $(#[doc = $what] $id,)*
        }

        impl Feature {
            /// Every feature, in the order of the kernel's file.
            pub const ALL: &'static [Feature] = &[$(Feature::$id),*];

            /// Its row of the table.
            pub const fn info(self) -> FeatureInfo {
                match self {
                    $(Feature::$id => FeatureInfo {
                        name: $name, alias: $alias, what: $what, cite: $cite, effect: $effect,
                    },)*
                }
            }
        }
    };
}

const YES: Effect = Effect::Effective;
const SHARES: Effect = Effect::Inert(
    "decides when a group's shares are divided anew among its CPUs, which these kernels do not do here",
);
const EFF_LOAD: Effect = Effect::Inert(
    "guesses what a move does to the shares of groups, and wake_affine takes loads here as they are",
);

features! {
    FairSleepers "FAIR_SLEEPERS" Some(Alias::Before(4, "NEW_FAIR_SLEEPERS")),
        "A waking task is placed up to one latency (half with GENTLE) left of min_vruntime.",
        "sched_features.h; place_entity (NEW_FAIR_SLEEPERS in 2.6.31, 51e0304c)", YES;
    GentleFairSleepers "GENTLE_FAIR_SLEEPERS" None,
        "Halves the credit that a waking task gets.", "51e0304c; place_entity", YES;
    NormalizedSleeper "NORMALIZED_SLEEPER" None,
        "Scales the sleeper's credit by its weight.", "sched_features.h; place_entity", YES;
    StartDebit "START_DEBIT" None,
        "A new task is placed one slice right of min_vruntime: it waits its turn.",
        "sched_features.h; place_entity", YES;
    WakeupPreempt "WAKEUP_PREEMPT" Some(Alias::Since("WAKEUP_PREEMPTION")),
        "A woken task may preempt the running one.", "sched_features.h; check_preempt_wakeup", YES;
    AdaptiveGran "ADAPTIVE_GRAN" None,
        "Wakeup granularity shrinks with how often the wakee itself wakes others.",
        "sched_features.h; adaptive_gran", YES;
    AsymGran "ASYM_GRAN" None,
        "Wakeup granularity is scaled by the wakee's weight instead of the running task's.",
        "sched_features.h; wakeup_gran", YES;
    WakeupSync "WAKEUP_SYNC" None,
        "A sync wakeup always preempts.", "e6b1b2c9; check_preempt_wakeup", YES;
    WakeupOverlap "WAKEUP_OVERLAP" None,
        "Preempts when both tasks run only shortly after waking others.",
        "sched_features.h; check_preempt_wakeup", YES;
    WakeupRunning "WAKEUP_RUNNING" None,
        "Preempts when the wakee usually runs shorter than the running task.",
        "ad4b78bb; check_preempt_wakeup", YES;
    SyncWakeups "SYNC_WAKEUPS" None,
        "Honours the waker's promise to sleep soon.", "sched_features.h; try_to_wake_up", YES;
    SyncLess "SYNC_LESS" None,
        "Drops the sync hint when either task runs long after waking others.",
        "e69b0f1b; select_task_rq_fair", YES;
    SyncMore "SYNC_MORE" None,
        "Adds the sync hint when both tasks run only shortly after waking others.",
        "e69b0f1b; select_task_rq_fair", YES;
    AffineWakeups "AFFINE_WAKEUPS" None,
        "A wakee may be pulled to the waker's CPU.", "sched_features.h; wake_affine", YES;
    SiblingLimitSync "SIBLING_LIMIT_SYNC" None,
        "A sync wakeup by a task that is alone on its CPU stays there instead of searching for an idle CPU.",
        "mail of Mike Galbraith, 2011-11-18, text lost; select_idle_sibling", YES;
    NextBuddy "NEXT_BUDDY" None,
        "The task woken last is picked next if it is not too far right.",
        "3cb63d52, 0ec9fab3, a7558e01; check_preempt_wakeup", YES;
    LastBuddy "LAST_BUDDY" None,
        "The task that was preempted by a wakeup is picked again soon.",
        "sched_features.h; check_preempt_wakeup", YES;
    CacheHotBuddy "CACHE_HOT_BUDDY" None,
        "Load balancing treats buddies as cache-hot.", "sched_features.h; task_hot", YES;
    ArchPower "ARCH_POWER" None,
        "Uses the architecture's own idea of CPU power.", "sched_features.h; update_cpu_power",
        Effect::Inert("x86 of 2.6.32 has no hook of its own: the weak default gives the same numbers");
    Hrtick "HRTICK" None,
        "A high-resolution timer ends slices instead of the tick.",
        "sched_features.h; hrtick_start_fair", YES;
    DoubleTick "DOUBLE_TICK" None,
        "With HRTICK the periodic tick still checks slices.", "sched_features.h; entity_tick", YES;
    LbBias "LB_BIAS" None,
        "Balancing looks at the lower (source) or higher (target) of the present and the averaged load.",
        "sched_features.h; source_load, target_load", YES;
    LbSharesUpdate "LB_SHARES_UPDATE" Some(Alias::Before(7, "LB_WAKEUP_UPDATE")),
        "Refreshes group shares in load balancing.", "sched_features.h; update_h_load", SHARES;
    AsymEffLoad "ASYM_EFF_LOAD" None,
        "Approximates the group load that a move leaves behind.", "sched_features.h; effective_load",
        EFF_LOAD;
    OwnerSpin "OWNER_SPIN" None,
        "Kernel mutexes spin while their owner runs.", "sched_features.h; mutex_spin_on_owner",
        Effect::Inert("kernel mutexes are not modelled: no workload here takes one");
    NontaskPower "NONTASK_POWER" Some(Alias::Since("NONTASK_CAPACITY")),
        "Time spent in interrupts lowers the power of a CPU.", "sched_features.h; update_rq_clock_task",
        Effect::Inert("interrupt time is charged to the running task here, as without IRQ_TIME_ACCOUNTING");
    TtwuQueue "TTWU_QUEUE" None,
        "A wakeup on another CPU is queued there and enqueued by that CPU.",
        "features.h; ttwu_queue", YES;
    ForceSdOverlap "FORCE_SD_OVERLAP" None,
        "Builds node domains as if they overlapped.", "sched_features.h; build_sched_domains",
        Effect::Inert("a debugging aid for domain construction");
    RtRuntimeShare "RT_RUNTIME_SHARE" None,
        "CPUs lend each other real-time runtime.", "features.h; balance_runtime",
        Effect::Effective;
    RtPushIpi "RT_PUSH_IPI" None,
        "CPUs with waiting real-time tasks are asked to push instead of being pulled from.",
        "features.h; tell_cpu_to_push", Effect::Inert("real-time tasks are moved as it has them moved, whoever does the work");
    HrtickDl "HRTICK_DL" None,
        "A high-resolution timer ends the runtime of deadline tasks.", "features.h; start_hrtick_dl",
        Effect::Inert("there is no deadline class here");
    SisProp "SIS_PROP" None,
        "Bounds the search for an idle CPU by the average idle time.", "features.h; select_idle_cpu", YES;
    SisUtil "SIS_UTIL" None,
        "Bounds the search for an idle CPU by the utilisation of the cache domain.",
        "features.h; select_idle_cpu, update_idle_cpu_scan", YES;
    WarnDoubleClock "WARN_DOUBLE_CLOCK" None,
        "Warns when a clock is read twice under one lock.", "features.h; update_rq_clock", Effect::Inert(MUTED);
    LbMin "LB_MIN" None,
        "Balancing leaves tasks with less load than 16 alone.", "features.h; detach_tasks", YES;
    AttachAgeLoad "ATTACH_AGE_LOAD" None,
        "The load of a task is aged when it changes its group or class.", "features.h; attach_entity_cfs_rq",
        Effect::Inert("a task keeps its group and its class here");
    WaIdle "WA_IDLE" None,
        "wake_affine looks at idleness first.", "features.h; wake_affine_idle", YES;
    WaWeight "WA_WEIGHT" None,
        "wake_affine compares loads.", "features.h; wake_affine_weight", YES;
    WaBias "WA_BIAS" None,
        "That comparison favours the waker's CPU by half of imbalance_pct.", "features.h; wake_affine_weight", YES;
    UtilEst "UTIL_EST" None,
        "Keeps an estimate of a task's utilisation over its sleeps.", "features.h; util_est_update", YES;
    UtilEstFastup "UTIL_EST_FASTUP" None,
        "That estimate follows a rise at once.", "features.h; util_est_update", YES;
    LatencyWarn "LATENCY_WARN" None,
        "Warns of long times without a reschedule.", "features.h; sched_tick", Effect::Inert(MUTED);
    AltPeriod "ALT_PERIOD" None,
        "The period counts every task of the CPU, not the entities of one queue.",
        "features.h; sched_slice", YES;
    BaseSlice "BASE_SLICE" None,
        "A slice is at least the min granularity.", "features.h; sched_slice", YES;
    NiRandom "NI_RANDOM" None,
        "A newly idle CPU looks at a domain as often as that used to find it a task.",
        "33cf66d8; newidle_balance", YES;
    NiRate "NI_RATE" None,
        "It looks more often at a domain that it rarely comes to look at.",
        "9fe89f022c05; update_newidle_stats", YES;
    PlaceLag "PLACE_LAG" None,
        "A task comes back owed, or owing, as much time as when it left.", "86bfbb7ce4f6; place_entity", YES;
    PlaceDeadlineInitial "PLACE_DEADLINE_INITIAL" None,
        "The first slice of a new task is a half one.", "features.h; place_entity", YES;
    PlaceRelDeadline "PLACE_REL_DEADLINE" None,
        "A task that changes its CPU keeps what is left to its deadline.", "82e9d0456e06; place_entity", YES;
    RunToParity "RUN_TO_PARITY" None,
        "The running task is protected for a while, though another has an earlier deadline.",
        "63304558ba5d; pick_eevdf, set_protect_slice", YES;
    PreemptShort "PREEMPT_SHORT" None,
        "A wakee with a shorter slice preempts in spite of that.", "85e511df3cec; check_preempt_wakeup_fair", YES;
    DelayDequeue "DELAY_DEQUEUE" None,
        "A task that goes to sleep owing time stays queued until it is paid.", "152e11f6df29; dequeue_entity", YES;
    DelayZero "DELAY_ZERO" None,
        "Such a task gains nothing by having stayed.", "54a58a787791; requeue_delayed_entity", YES;
    PickBuddy "PICK_BUDDY" None,
        "The next buddy is picked if it is eligible.", "features.h of 6.18; pick_next_entity", YES;
    HzBw "HZ_BW" None,
        "CPUs without a tick keep it for a task with a quota.", "features.h; sched_fair_update_stop_tick",
        Effect::Inert("every busy CPU ticks here");
}

const MUTED: &str = "a debugging aid: it prints warnings and decides nothing";

impl Feature {
    /// The feature of that kernel name or alias; upper case only, as the kernel takes it.
    pub fn by_name(name: &str) -> Option<Feature> {
        let known = |f: &&Feature| {
            let info = f.info();
            info.name == name || info.alias.is_some_and(|alias| alias.name() == name)
        };
        Feature::ALL.iter().find(known).copied()
    }

    /// The name that `base` with `deltas` gives it.
    pub const fn name_in(self, base: Base, deltas: DeltaSet) -> &'static str {
        let info = self.info();
        match (info.alias, base) {
            (Some(Alias::Before(id, name)), Base::V2_6_31) if !deltas.has(DeltaId(id)) => name,
            (Some(Alias::Since(name)), Base::V6_1 | Base::V6_6) => name,
            _ => info.name,
        }
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// No feature.
    pub const EMPTY: FeatureSet = FeatureSet(0);

    /// Is `feature` in the set?
    pub const fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u8 & 1 == 1
    }

    /// The set with `feature` in it or not.
    #[must_use]
    pub const fn with(self, feature: Feature, on: bool) -> FeatureSet {
        let bit = 1 << feature as u8;
        FeatureSet(if on { self.0 | bit } else { self.0 & !bit })
    }
}
