//! The rule values of a kernel: every behaviour that a commit of the story changed and that is not a
//! `SCHED_FEAT`, a tunable or a domain flag.
//!
//! A rule is read in one decision function. What each release sets is in [`super::profile`].

pub use super::rules_balance::Spread;
pub use super::rules_cfs::{BuddyHot, ForkPlacement, LastMarking, NextMarking, Picker, TickMissed};
pub use super::rules_eevdf::{
    AverageWeight, BuddySite, DelayLag, Fair, LagLimit, LostPick, Parity, PreemptShort, Protection,
    Requeue, Reweight, ShortBuddy, SliceEnd, Ties, VirtualTime,
};
pub use crate::machine::sd_flags::{CpuPower, DomainTable};

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
    /// Which policy the fair class follows.
    fair: Fair = FairPolicy;
    /// How weighted time is rounded.
    fixed_point: FixedPoint = FixedPoint;
    /// Where a new task is placed.
    fork_placement: ForkPlacement = ForkPlacement;
    /// Is a new task placed on its parent's CPU, before its own is selected?
    fork_on_parent: bool = ForkOnParent;
    /// How a vruntime is carried from one CPU's queue to another's.
    rebase: Rebase = Rebase;
    /// Is a task that slept longer than vruntimes can be compared over placed without a look at its own?
    long_sleeper: bool = LongSleeper;
    /// What `SCHED_IDLE` means beside its weight.
    sched_idle: SchedIdle = SchedIdle;
    /// Does the running entity count for `min_vruntime` while it leaves?
    leaving_holds_min: bool = LeavingHoldsMin;
    /// When the wakee is marked as next buddy.
    next_marking: NextMarking = NextMarking;
    /// When the running task is marked as last buddy.
    last_marking: LastMarking = LastMarking;
    /// Order of candidates in the picker and which marks a pick clears.
    picker: Picker = Picker;
    /// Does the running task take part in the pick, and keep its slice if it wins?
    curr_competes: bool = CurrCompetes;
    /// Which levels lose their marks with an entity.
    buddy_clearing: BuddyClearing = BuddyClearing;
    /// Is the group of a task that goes to sleep marked next, while others of it are runnable?
    sleeper_marks_group: bool = SleeperMarksGroup;
    /// What sched_yield does.
    yields: Yields = Yields;
    /// When the wakeup check charges the running task, and what it compares.
    wakeup_check: WakeupCheck = WakeupCheck;
    /// Are `WAKEUP_SYNC`, `WAKEUP_OVERLAP`, `WAKEUP_RUNNING` tested before the `WAKEUP_PREEMPT` gate?
    preempt_modes_first: bool = PreemptModesFirst;
    /// What the tick does about a preemption that a wakeup missed.
    tick_missed_preempt: TickMissed = TickMissed;
    /// Is a slice at the tick no longer than the latency?
    tick_ideal_capped: bool = TickIdealCapped;
    /// Does `WAKEUP_PREEMPT` decide about the tick's look at others, too?
    tick_heeds_preempt: bool = TickHeedsPreempt;
    /// How the hrtick is armed.
    hrtick: HrtickRule = HrtickRule;
    /// Is it armed also for a task that is picked again?
    hrtick_at_repick: bool = HrtickAtRepick;
    /// When schedule() takes the request to reschedule back.
    request_taken_back: TakenBack = RequestTakenBack;
    /// Which clock updates a pending reschedule makes superfluous.
    clock_skip: ClockSkip = ClockSkip;
    /// What `set_user_nice` does about the running task.
    renice: Renice = Renice;
    /// How a group's shares are divided among its CPUs.
    group_shares: GroupShares = GroupShares;
    /// Is also published how many of a group's tasks can run, for what `cgroup_mode` makes of its weight?
    runnable_published: bool = RunnablePublished;
    /// Can a group have a quota, and what becomes of runtime that was taken from it?
    bandwidth: Bandwidth = Bandwidth;
    /// Do throttled real-time tasks count as runnable?
    throttled_rt: ThrottledRt = ThrottledRt;
    /// Does a woken real-time task look for another CPU although it would preempt the real-time one that runs?
    rt_steps_aside: bool = RtStepsAside;
    /// Which CPUs a group may be given, and what becomes of what its tasks have asked for.
    cpusets: Cpusets = Cpusets;
    /// When a buddy counts as cache-hot.
    buddy_hot: BuddyHot = BuddyHot;
    /// Does a wakeup update the clock of the run queue that it selected?
    fresh_target_clock: bool = FreshTargetClock;
    /// Which averages of load are kept.
    load_tracking: LoadTracking = LoadTracking;
    /// Are the averages `avg_overlap` and `avg_wakeup` kept?
    averages: bool = KeepAverages;
    /// Is the average `avg_running` kept?
    avg_running: bool = AvgRunning;
    /// How a CPU is selected.
    select: Select = Select;
    /// Which idle CPU near the target a wakeup takes, in 3.2.
    idle_sibling: IdleSibling = IdleSibling;
    /// What a wakeup does about another CPU.
    remote_wakeup: RemoteWakeup = RemoteWakeup;
    /// Is a sleeping task moved at once when its mask no longer holds its CPU?
    mask_moves_sleeper: bool = MaskMovesSleeper;
    /// Does whoever changes a waiting task's mask move it at once, or leave that to the stopper thread of its CPU?
    mask_moves_waiting: bool = MaskMovesWaiting;
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
    /// How load is balanced.
    balancing: Balancing = Balancing;
    /// Does a fully busy group that carries more than the average take nothing?
    above_average_stops: bool = AboveAverageStops;
    /// Do the tasks of a CPU compete in one queue, whatever their groups, each with its part of the groups' weights?
    flat: bool = FlatQueue;
    /// How far apart the tasks of two groups are that are to be spread over both.
    spread: Spread = Spread;
    /// Is a core of several busy threads a kind of group of its own (`group_smt_balance`)?
    smt_balance: bool = SmtBalance;
    /// Does the first CPU of a wholly idle core balance for its group, before any idle thread?
    idle_core_balances: bool = IdleCoreBalances;
    /// Is the last of several groups that are fully busy the busiest, unless the one before is a core of threads?
    full_groups_last: bool = FullGroupsLast;
    /// Does a CPU use what its tasks want, where that is more than what they get (`cpu_util_cfs_boost`)?
    runnable_boost: bool = RunnableBoost;
    /// Does a search among pinned tasks go on until one is found that may move?
    pinned_search_goes_on: bool = PinnedSearchGoesOn;
    /// Do failures let a task move that uses more than is to be moved, as they do for load?
    util_after_failures: bool = UtilAfterFailures;
    /// Is a task that is too much for its CPU left out when failures are counted and intervals stretched?
    misfit_is_no_failure: bool = MisfitIsNoFailure;
    /// Does balancing count only those that could run, not those that sleep but are still queued?
    counts_runnable: bool = CountsRunnable;
    /// Do tasks that sleep but are still queued move only where load is to be moved?
    delayed_stay: bool = DelayedStay;
    /// Do tasks that have had more than their share move only after a failure, or to an empty queue?
    eligible_first: bool = EligibleFirst;
    /// May requests of the fair class wait for the way to user mode (`TIF_NEED_RESCHED_LAZY`)?
    lazy: bool = Lazy;
    /// Does a newly idle search that finds nothing count for half as much again as the dearest?
    failed_search_dear: bool = FailedSearchDear;
    /// Does a newly idle CPU throw no dice about a search that always succeeds?
    sure_search_free: bool = SureSearchFree;
    /// Is an idle CPU sought in the cluster of the target first, and then in the rest of the cache? Not modelled yet: nothing
    /// reads it, as no machine here has clusters.
    cluster_first: bool = ClusterFirst;
    /// Is a waker alone on its CPU although others sleep there and are still queued?
    sync_sees_delayed: bool = SyncSeesDelayed;
    /// Does a `SCHED_IDLE` task want a CPU that is idle, and not one with `SCHED_IDLE` work?
    idle_wakee_wants_idle: bool = IdleWakeeWantsIdle;
    /// Are the threads of a process gathered where they share a cache? Not modelled: see [`super::outline`].
    cache_aware: bool = CacheAware;
    /// With what weights the average vruntime is formed (EEVDF, as all that follow).
    average_weight: AverageWeight = AverageWeight;
    /// How time becomes vruntime.
    virtual_time: VirtualTime = VirtualTime;
    /// Beyond what a lag does not count.
    lag_limit: LagLimit = LagLimit;
    /// What becomes of the lag of a task that stays queued while it sleeps.
    delay_lag: DelayLag = DelayLag;
    /// When such a task is placed anew as it is woken.
    requeue: Requeue = Requeue;
    /// Is the running task charged before that?
    requeue_charges: bool = RequeueCharges;
    /// Can a task ask for a slice, and does its group take it over?
    custom_slice: bool = CustomSlice;
    /// Is the half first slice of a new task still there when it is enqueued?
    initial_at_enqueue: bool = InitialAtEnqueue;
    /// Is an entity that is alone picked without a look at what it has had?
    nr1_shortcut: bool = Nr1Shortcut;
    /// Who goes first of the running entity and one that waits with the same deadline.
    ties: Ties = DeadlineTies;
    /// For how long the running entity is protected.
    parity: Parity = Parity;
    /// Up to which vruntime it is, while a shorter slice waits.
    protection: Protection = ProtectedFor;
    /// Is a shortened protection counted from the average, if that is behind?
    shortens_from_average: bool = ShortensFromAverage;
    /// When charging finds the running entity's time over.
    slice_end: SliceEnd = SliceEnd;
    /// What a wakee with a shorter slice may do.
    preempt_short: PreemptShort = PreemptShort;
    /// Does it preempt if it is eligible, though it does not win the pick?
    short_if_eligible: bool = ShortIfEligible;
    /// What such a preemption does to the mark of the next buddy.
    short_buddy: ShortBuddy = ShortBuddy;
    /// Is a wakee with a shorter slice asked about although a reschedule is pending?
    short_while_pending: bool = ShortWhilePending;
    /// Does a wakee that was still queued preempt by no slice either?
    delayed_wakee_waits: bool = DelayedWakeeWaits;
    /// Does every preemption by a wakeup end the running entity's protection, not only that by a shorter slice?
    preemption_unprotects: bool = PreemptionUnprotects;
    /// Where the next buddy is honoured.
    buddy_site: BuddySite = BuddySite;
    /// What a wakeup that lost the pick does to the protection of the running entity.
    lost_pick: LostPick = LostPick;
    /// Does the pick of a wakeup remove delayed entities that are in front?
    wake_pick_drops_delayed: bool = WakePickDropsDelayed;
    /// How a queued entity gets another weight.
    reweight: Reweight = Reweight;
    /// Is a running task that is set anew protected anew?
    set_anew_protects: bool = SetAnewProtects;
}

impl Rules {
    /// Does the fair class follow EEVDF?
    #[inline]
    pub const fn is_eevdf(&self) -> bool {
        matches!(self.fair, Fair::Eevdf)
    }

    /// What scheduling domains are built by.
    pub const fn domain_rules(&self) -> (DomainTable, CpuPower) {
        (self.domains, self.cpu_power)
    }
}

/// Rounding of `calc_delta_mine` and of a queue's inverse weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedPoint {
    /// Round half up; inverse `1 + (2³² − w/2)/(w + 1)` (sched.c of 2.6.31, 2.6.32: `calc_delta_mine`).
    RoundInv31,
    /// Round half up; inverse `2³²/w` (kernel/sched.c of 3.2: `calc_delta_mine`).
    RoundInv32,
    /// Truncate; inverse `(2³² − 1)/w` (kernel/sched/fair.c of 6.1, 6.5: `__calc_delta`).
    Truncate,
}

/// What happens to a vruntime when its entity changes queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebase {
    /// The difference of the two `min_vruntime` is added when the CPU changes (2.6.31, 2.6.32: `set_task_cpu`).
    OnCpuChange,
    /// It is relative to `min_vruntime` between queues, and absolute again before the running entity of the new
    /// queue is charged (3.2: `task_waking_fair`, `enqueue_entity`).
    BeforeCharge,
    /// The same, absolute again after that charge (6.1, 6.5: `migrate_task_rq_fair`, `enqueue_entity`).
    AfterCharge,
}

/// What a `SCHED_IDLE` entity is beside light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedIdle {
    /// Nothing but its exits in the wakeup check (2.6.31, 2.6.32, 3.2).
    Light,
    /// Smaller credit and slices of its own, no marks, preempted at once at every level by what is not idle
    /// (6.1, 6.5: `se_is_idle`).
    OfItsOwn,
}

/// How far up marks are cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuddyClearing {
    /// At every level that marks this branch (2.6.31, 2.6.32: `clear_buddies`).
    EveryLevel,
    /// Upwards while the level still marks this branch (3.2 on: `__clear_buddies_next` and its kin).
    WhileMarked,
}

/// `yield_task_fair`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yields {
    /// Charges the task, or moves it behind all others with `compat_yield` or for `SCHED_BATCH` (2.6.31, 2.6.32).
    Rightmost,
    /// Asks the picker to skip it, unless it is alone on the CPU (3.2 to 6.5).
    Skip,
    /// Puts its deadline off by a slice (6.6, 6.12).
    LaterDeadline,
    /// If it is eligible it gives up the rest of its slice, and begins the next one (6.12.y, 6.18 on).
    Forfeit,
}

/// The order of `check_preempt_wakeup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeupCheck {
    /// The running task is charged first and marks are set before any exit (2.6.31, 2.6.32).
    ChargesFirst,
    /// Exits by policy first (a `SCHED_BATCH` wakee may end a `SCHED_IDLE` task's run); charged where the two share a queue, only if vruntimes are compared (3.2 on).
    MatchesFirst,
}

/// `hrtick_start_fair`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HrtickRule {
    /// With more than one on the task's own queue; at least 10 µs for a task not yet current (2.6.31 to 3.2).
    OwnQueue,
    /// With more than one task on the CPU, at least 10 µs (6.1 to 7.0).
    WholeCpu,
    /// The same, at the deadline (7.1).
    Deadline,
}

/// What part of its group's shares a group's entity weighs on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupShares {
    /// All of them, on every CPU: what 2.6.31 and 2.6.32 do between two looks of balancing is not modelled.
    Whole,
    /// By loads averaged over a window (3.2: `calc_cfs_shares`).
    Window,
    /// By tracked loads (6.1, 6.5: `calc_group_shares`).
    Tracked,
}

/// CFS bandwidth: quotas of groups (`CONFIG_CFS_BANDWIDTH`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bandwidth {
    /// None (before 3.2).
    Absent,
    /// Runtime that a queue has taken expires with its period (3.2: `expire_cfs_rq_runtime`).
    Expires,
    /// It is kept until it is used or given back (6.1, 6.5; since 5.4, de53fd7aedb1).
    Kept,
}

/// Cpusets of groups, and the masks that their tasks have asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpusets {
    /// Of the CPUs of the group above, and no fewer than the groups below; a change overwrites the tasks' own masks
    /// (2.6.31 to 3.2: `validate_change`, `cpuset_change_cpumask`).
    Nested,
    /// Any: what both the group and the one above have counts, all of that one if it is nothing; a change overwrites the
    /// tasks' own masks (6.1: cgroup v2, since 5.0, 4ec22e9c; `update_tasks_cpumask`).
    Overwrite,
    /// The same, and tasks stay within what they have asked for as far as the cpuset lets them (6.5; since 6.2,
    /// 8f9ea86f).
    KeepAsked,
}

/// What `nr_running` says of real-time tasks that have run all they may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrottledRt {
    /// They are counted as ever (2.6.31 to 3.2).
    Counted,
    /// They are not (6.1, 6.5; since 3.16, f4ebcbc0: `dequeue_top_rt_rq`).
    Uncounted,
}

/// Where schedule() clears `TIF_NEED_RESCHED` of the task that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// As it begins: a request made on the way to the pick is honoured after it (2.6.31, 2.6.32).
    BeforePick,
    /// After the pick: such a request is lost (3.2 on).
    AfterPick,
}

/// `skip_clock_update`, `rq_clock_skip_update`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSkip {
    /// None: the clock is read whenever it is asked for (2.6.31, 2.6.32).
    Never,
    /// All until the switch (3.2: `update_rq_clock`).
    UntilSwitch,
    /// The one that schedule() begins with (6.1, 6.5: `RQCF_REQ_SKIP`).
    AtSchedule,
}

/// `set_user_nice`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renice {
    /// Off the queue and on again; one that became heavier, or runs and became lighter, asks for a reschedule
    /// (2.6.31 to 3.2).
    Requeue,
    /// The running task is put and set again too, so that its slice starts anew; then the class is asked, where a
    /// waiting task has to pass the wakeup check (6.1, 6.5: `prio_changed_fair`).
    PutAndSet,
}

/// How a CPU's load is averaged over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadTracking {
    /// `cpu_load[]`: the weight that ticks found queued (2.6.31 to 3.2).
    CpuLoad,
    /// For every entity and queue, by time runnable and running (6.1, 6.5: kernel/sched/pelt.c).
    Pelt,
}

/// The CPU selection path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// 2.6.31: `select_task_rq_fair` for wakeups, `sched_balance_self` for fork and exec.
    Separate,
    /// One walk for wakeup, fork and exec (c88d5910).
    Merged,
    /// The same, and a wakeup then looks for an idle CPU near where `wake_affine` points (3.2: `select_idle_sibling`).
    AffineThenIdle,
    /// Idleness before load, for wakeups, forks and execs (6.1, 6.5: `select_task_rq_fair`).
    IdleFirst,
}

/// `select_idle_sibling` of 3.2 and the variants of November 2011.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleSibling {
    /// The first idle CPU of each domain up to the one that holds waker and wakee (2.6.36 to 3.1).
    FirstUpwards,
    /// The first idle CPU of the whole cache, the last idle thread of a core (mail of Mike Galbraith).
    WholeCache,
    /// The first wholly idle group, from the cache down to the core (77e81365e0).
    IdleGroupDownwards,
    /// The same, unless a sync waker leaves its CPU to the wakee (mail of Mike Galbraith; inferred).
    LimitSync,
    /// The first wholly idle core of the cache, then a thread of the target's core (4dcfe1025b, 3.2).
    CoresFirst,
}

/// What a wakeup does about a CPU that is not the waker's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteWakeup {
    /// It takes that CPU's lock and enqueues (2.6.31, 2.6.32).
    Locks,
    /// With `TTWU_QUEUE` it leaves the wakee on a list, last in first out, and interrupts (3.2: `ttwu_queue_remote`).
    QueuesAny,
    /// The same, first in first out, if the CPU shares no cache with the waker or has nothing to run (6.1, 6.5:
    /// `ttwu_queue_cond`).
    QueuesFar,
}

/// How load is balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balancing {
    /// Newly idle CPUs have a search of their own that a failure ends; a busy hardware thread makes an idle one
    /// count as busy (2.6.31, 2.6.32: `load_balance_newidle`, `sd_idle`).
    NewIdleApart,
    /// One search for all; a newly idle CPU whose idle periods are short does not look (3.2: `load_balance`,
    /// `idle_balance`; 1b9508f6).
    OneForAll,
    /// Groups have types, load is tracked, and a newly idle CPU looks while that costs less than it idles (6.1, 6.5:
    /// `group_classify`, `newidle_balance`; 0b0695f2, 9bd721c5).
    ByGroupType,
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
