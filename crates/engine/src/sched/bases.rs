//! The kernels that deltas start from: rules, features and tunables of a release as it was written.
//!
//! A feature that is not in a table is wired: its value is given with the rules, and it cannot be switched.

use super::absent::elsewhere;
use super::base_eevdf::{FEATURES_6_6, RULES_6_6, TUNABLES_6_6};
use super::features::{Effect, Feature, FeatureSet};
use super::levels;
use super::profile::{Base, Kernel};
use super::rules::{
    AverageWeight, Balancing, Bandwidth, BuddyClearing, BuddyHot, BuddySite, ClockSkip, CpuPower,
    Cpusets, DelayLag, DomainTable, Fair, FixedPoint, ForkPlacement, GroupShares, HrtickRule,
    IdleSibling, LagLimit, LastMarking, LoadTracking, LostPick, NextMarking, Parity, Picker,
    PreemptShort, PreferLocal, Protection, Rebase, RemoteWakeup, Renice, Requeue, Reweight, Rules,
    SchedIdle, Select, ShortBuddy, SliceEnd, Spread, TakenBack, ThrottledRt, TickMissed, Ties,
    VirtualTime, WakeupCheck, Yields,
};

use super::tunables::{
    CgroupMode, PreemptModel, Scaling, Tunable, TunableScaling, TunableSet, Tunables,
};

const MS: u64 = 1_000_000;

impl Base {
    /// The release as it was written, no delta applied.
    pub fn kernel(self) -> Kernel {
        let (rules, tunables, scaling) = match self {
            Base::V2_6_31 => (RULES_2_6_31, TUNABLES_2_6_31, Scaling::Uncapped),
            Base::V3_2 => (RULES_3_2, TUNABLES_3_2, Scaling::UpTo8),
            Base::V6_1 => (RULES_6_1, TUNABLES_6_1, Scaling::UpTo8),
            Base::V6_6 => (RULES_6_6, TUNABLES_6_6, Scaling::UpTo8),
        };
        let none = (FeatureSet::EMPTY, FeatureSet::EMPTY);
        let (exists, features) = self.features().iter().fold(none, |(exists, on), (f, has)| {
            let (switch, value) = match *has {
                Has::Switch(value) | Has::Moot(value, _) => (true, value),
                Has::Wired(value, _) => (false, value),
            };
            (exists.with(*f, switch), on.with(*f, value))
        });
        Kernel {
            rules,
            exists,
            features,
            settable: TunableSet::of(self.tunables()),
            tunables,
            scaling,
            domains: levels::domains(&rules),
        }
    }

    const fn features(self) -> &'static [(Feature, Has)] {
        match self {
            Base::V2_6_31 => FEATURES_2_6_31,
            Base::V3_2 => FEATURES_3_2,
            Base::V6_1 => FEATURES_6_1,
            Base::V6_6 => FEATURES_6_6,
        }
    }

    /// Where this release has no switch of that name: what it does instead, always.
    pub fn instead_of(self, feature: Feature) -> Option<&'static str> {
        let known = self.features().iter().find(|(f, _)| *f == feature);
        match known {
            Some((_, Has::Switch(_) | Has::Moot(..))) => None,
            Some((_, Has::Wired(_, why))) => Some(why),
            None => elsewhere(feature),
        }
    }

    /// Why a switch that this release has does nothing in it, while it does something in another; none if it works.
    pub fn moot(self, feature: Feature) -> Option<&'static str> {
        let known = self.features().iter().find(|(f, _)| *f == feature);
        match known?.1 {
            Has::Moot(_, why) => Some(why),
            Has::Switch(_) | Has::Wired(..) => None,
        }
    }

    /// What a feature does in this release.
    pub fn effect(self, feature: Feature) -> Effect {
        self.moot(feature)
            .map_or(feature.info().effect, Effect::Inert)
    }

    /// The tunables that this release has as it was written.
    const fn tunables(self) -> &'static [Tunable] {
        match self {
            Base::V2_6_31 => &[
                Tunable::SchedLatency,
                Tunable::MinGranularity,
                Tunable::WakeupGranularity,
                Tunable::MigrationCost,
                Tunable::NrMigrate,
                Tunable::SharesRatelimit,
                Tunable::ChildRunsFirst,
                Tunable::CompatYield,
            ],
            Base::V3_2 => &[
                Tunable::SchedLatency,
                Tunable::MinGranularity,
                Tunable::WakeupGranularity,
                Tunable::MigrationCost,
                Tunable::NrMigrate,
                Tunable::SharesWindow,
                Tunable::TimeAvg,
                Tunable::ChildRunsFirst,
                Tunable::AutogroupEnabled,
                Tunable::TunableScaling,
            ],
            Base::V6_1 => &[
                Tunable::SchedLatency,
                Tunable::MinGranularity,
                Tunable::IdleMinGranularity,
                Tunable::WakeupGranularity,
                Tunable::MigrationCost,
                Tunable::NrMigrate,
                Tunable::ChildRunsFirst,
                Tunable::AutogroupEnabled,
                Tunable::TunableScaling,
                Tunable::Preempt,
            ],
            Base::V6_6 => &[
                Tunable::BaseSlice,
                Tunable::MigrationCost,
                Tunable::NrMigrate,
                Tunable::AutogroupEnabled,
                Tunable::TunableScaling,
                Tunable::EnergyAware,
                Tunable::Preempt,
            ],
        }
    }
}

/// Does a release have a feature as a switch?
#[derive(Clone, Copy, Debug)]
pub(super) enum Has {
    /// With that default.
    Switch(bool),
    /// With that default, but nobody looks at it, for that reason.
    Moot(bool, &'static str),
    /// Not as a switch: it always behaves so, for that reason.
    Wired(bool, &'static str),
}

pub(super) const ON: Has = Has::Switch(true);
pub(super) const OFF: Has = Has::Switch(false);

/// v2.6.31 (74fca6a4): kernel/sched.c, sched_fair.c.
const RULES_2_6_31: Rules = Rules {
    fair: Fair::Cfs,
    fixed_point: FixedPoint::RoundInv31,
    fork_placement: ForkPlacement::MinPlusDebit,
    fork_on_parent: false,
    rebase: Rebase::OnCpuChange,
    long_sleeper: false,
    sched_idle: SchedIdle::Light,
    leaving_holds_min: true,
    next_marking: NextMarking::Always,
    last_marking: LastMarking::EveryCheck,
    picker: Picker::ClearChosen,
    curr_competes: false,
    buddy_clearing: BuddyClearing::EveryLevel,
    sleeper_marks_group: false,
    yields: Yields::Rightmost,
    wakeup_check: WakeupCheck::ChargesFirst,
    preempt_modes_first: false,
    tick_missed_preempt: TickMissed::Off,
    tick_ideal_capped: false,
    tick_heeds_preempt: true,
    hrtick: HrtickRule::OwnQueue,
    hrtick_at_repick: true,
    request_taken_back: TakenBack::BeforePick,
    clock_skip: ClockSkip::Never,
    renice: Renice::Requeue,
    group_shares: GroupShares::Whole,
    runnable_published: false,
    bandwidth: Bandwidth::Absent,
    throttled_rt: ThrottledRt::Counted,
    rt_steps_aside: true,
    cpusets: Cpusets::Nested,
    buddy_hot: BuddyHot::Always,
    fresh_target_clock: false,
    load_tracking: LoadTracking::CpuLoad,
    averages: true,
    avg_running: false,
    select: Select::Separate,
    idle_sibling: IdleSibling::FirstUpwards,
    remote_wakeup: RemoteWakeup::Locks,
    mask_moves_sleeper: true,
    mask_moves_waiting: false,
    affine_lowload: false,
    affine_after_local: false,
    scan_if_want_sd: false,
    domains: DomainTable::V31,
    balance_wake: false,
    prefer_local: PreferLocal::Nowhere,
    cpu_power: CpuPower::SharedCountsOnce,
    balancing: Balancing::NewIdleApart,
    above_average_stops: false,
    flat: false,
    spread: Spread::Tasks,
    smt_balance: false,
    idle_core_balances: false,
    full_groups_last: false,
    runnable_boost: false,
    pinned_search_goes_on: true,
    util_after_failures: false,
    misfit_is_no_failure: false,
    counts_runnable: false,
    delayed_stay: false,
    eligible_first: false,
    lazy: false,
    failed_search_dear: false,
    sure_search_free: false,
    cluster_first: false,
    sync_sees_delayed: false,
    idle_wakee_wants_idle: false,
    cache_aware: false,
    average_weight: AverageWeight::ScaledDown,
    virtual_time: VirtualTime::Inverse,
    lag_limit: LagLimit::TwoSlices,
    delay_lag: DelayLag::Clip,
    requeue: Requeue::OwedOnly,
    requeue_charges: false,
    custom_slice: false,
    initial_at_enqueue: false,
    nr1_shortcut: false,
    ties: Ties::CurrentFirst,
    parity: Parity::UntilDeadlineMoves,
    protection: Protection::ShortestSlice,
    shortens_from_average: false,
    slice_end: SliceEnd::Deadline,
    preempt_short: PreemptShort::Absent,
    short_if_eligible: false,
    short_buddy: ShortBuddy::Stays,
    short_while_pending: false,
    delayed_wakee_waits: false,
    preemption_unprotects: false,
    buddy_site: BuddySite::BeforeIfNextBuddy,
    lost_pick: LostPick::Keeps,
    wake_pick_drops_delayed: false,
    reweight: Reweight::KeepsVruntime,
    set_anew_protects: true,
};

/// v3.2-rc1: kernel/sched.c, sched_fair.c, with the `select_idle_sibling` of 2.6.36 to 3.1.
const RULES_3_2: Rules = Rules {
    fixed_point: FixedPoint::RoundInv32,
    fork_placement: ForkPlacement::NotBeforeParent,
    fork_on_parent: true,
    rebase: Rebase::BeforeCharge,
    next_marking: NextMarking::FeatureOrPreemptor,
    last_marking: LastMarking::OnPreemption,
    picker: Picker::NextSkip,
    buddy_clearing: BuddyClearing::WhileMarked,
    sleeper_marks_group: true,
    yields: Yields::Skip,
    wakeup_check: WakeupCheck::MatchesFirst,
    preempt_modes_first: true,
    tick_missed_preempt: TickMissed::Signed,
    tick_heeds_preempt: false,
    request_taken_back: TakenBack::AfterPick,
    clock_skip: ClockSkip::UntilSwitch,
    buddy_hot: BuddyHot::PullerBusy,
    fresh_target_clock: true,
    averages: false,
    group_shares: GroupShares::Window,
    bandwidth: Bandwidth::Expires,
    // Since 2.6.37, b3bc211c.
    rt_steps_aside: false,
    select: Select::AffineThenIdle,
    remote_wakeup: RemoteWakeup::QueuesAny,
    mask_moves_sleeper: false,
    affine_lowload: true,
    affine_after_local: true,
    domains: DomainTable::V3_2,
    cpu_power: CpuPower::Sum,
    balancing: Balancing::OneForAll,
    ..RULES_2_6_31
};

/// v6.1: kernel/sched/core.c, fair.c.
pub(super) const RULES_6_1: Rules = Rules {
    fixed_point: FixedPoint::Truncate,
    rebase: Rebase::AfterCharge,
    sched_idle: SchedIdle::OfItsOwn,
    leaving_holds_min: false,
    curr_competes: true,
    hrtick: HrtickRule::WholeCpu,
    clock_skip: ClockSkip::AtSchedule,
    renice: Renice::PutAndSet,
    group_shares: GroupShares::Tracked,
    bandwidth: Bandwidth::Kept,
    throttled_rt: ThrottledRt::Uncounted,
    cpusets: Cpusets::Overwrite,
    // Since 3.18, a15b12ac.
    mask_moves_waiting: true,
    load_tracking: LoadTracking::Pelt,
    domains: DomainTable::V6,
    cpu_power: CpuPower::PerCpu,
    balancing: Balancing::ByGroupType,
    select: Select::IdleFirst,
    remote_wakeup: RemoteWakeup::QueuesFar,
    ..RULES_3_2
};

const TUNABLES_2_6_31: Tunables = Tunables {
    sched_latency: 20 * MS,
    min_granularity: 4 * MS,
    idle_min_granularity: 0,
    wakeup_granularity: 5 * MS,
    nr_latency: 5,
    nr_latency_follows: true,
    base_slice: 0,
    normalized_base_slice: 0,
    migration_cost: 500_000,
    nr_migrate: 32,
    shares_ratelimit: MS / 4,
    shares_window: 0,
    time_avg: 1000 * MS,
    child_runs_first: true,
    compat_yield: false,
    autogroup_enabled: false,
    cgroup_mode: CgroupMode::Smp,
    preempt: PreemptModel::Voluntary,
    tunable_scaling: TunableScaling::Log,
    energy_aware: false,
};

const TUNABLES_3_2: Tunables = Tunables {
    sched_latency: 6 * MS,
    min_granularity: MS * 3 / 4,
    wakeup_granularity: MS,
    nr_latency: 8,
    shares_ratelimit: 0,
    shares_window: 10 * MS,
    child_runs_first: false,
    autogroup_enabled: true,
    ..TUNABLES_2_6_31
};

/// Since 5.13 the granularities are plain debugfs files: writing them leaves `sched_nr_latency`.
pub(super) const TUNABLES_6_1: Tunables = Tunables {
    idle_min_granularity: MS * 3 / 4,
    nr_latency_follows: false,
    shares_window: 0,
    ..TUNABLES_3_2
};

/// kernel/sched_features.h of v2.6.31.
const FEATURES_2_6_31: &[(Feature, Has)] = &[
    (Feature::FairSleepers, ON),
    (Feature::NormalizedSleeper, OFF),
    (Feature::StartDebit, ON),
    (Feature::WakeupPreempt, ON),
    (Feature::AdaptiveGran, ON),
    (Feature::AsymGran, ON),
    (Feature::WakeupOverlap, OFF),
    (Feature::SyncWakeups, ON),
    (Feature::AffineWakeups, ON),
    (Feature::LastBuddy, ON),
    (Feature::CacheHotBuddy, ON),
    (Feature::LbBias, ON),
    (Feature::LbSharesUpdate, ON),
    (Feature::AsymEffLoad, ON),
    (Feature::Hrtick, OFF),
    (Feature::DoubleTick, OFF),
    (Feature::OwnerSpin, ON),
    (Feature::SyncLess, Has::Wired(true, "always so here")),
    (Feature::RtRuntimeShare, Has::Wired(true, "always so here")),
    (
        Feature::GentleFairSleepers,
        Has::Wired(false, "sleepers get the whole latency here"),
    ),
    (
        Feature::NextBuddy,
        Has::Wired(true, "the wakee is always marked next here"),
    ),
    (
        Feature::WakeupSync,
        Has::Wired(false, "WAKEUP_OVERLAP covers sync wakeups here"),
    ),
];

/// kernel/sched_features.h of v3.2-rc1.
const FEATURES_3_2: &[(Feature, Has)] = &[
    (Feature::GentleFairSleepers, ON),
    (Feature::StartDebit, ON),
    (
        Feature::AffineWakeups,
        Has::Moot(
            true,
            "3.2 has the switch but nothing asks for it: wakeups are always affine",
        ),
    ),
    (Feature::NextBuddy, OFF),
    (Feature::LastBuddy, ON),
    (Feature::CacheHotBuddy, ON),
    (Feature::ArchPower, OFF),
    (Feature::Hrtick, OFF),
    (Feature::DoubleTick, OFF),
    (Feature::LbBias, ON),
    (Feature::OwnerSpin, ON),
    (Feature::NontaskPower, ON),
    (Feature::TtwuQueue, ON),
    (Feature::ForceSdOverlap, OFF),
    (Feature::RtRuntimeShare, ON),
    (Feature::FairSleepers, Has::Wired(true, ALWAYS_SINCE_35)),
    (Feature::NormalizedSleeper, Has::Wired(false, GONE_SINCE_35)),
    (
        Feature::WakeupPreempt,
        Has::Wired(true, "always on in 3.2; still a switch in 3.1"),
    ),
    (Feature::AsymGran, Has::Wired(true, ALWAYS_SINCE_35)),
    (Feature::SyncWakeups, Has::Wired(true, ALWAYS_SINCE_35)),
    (Feature::AdaptiveGran, Has::Wired(false, GONE_SINCE_35)),
    (Feature::WakeupSync, Has::Wired(false, GONE_SINCE_35)),
    (Feature::WakeupOverlap, Has::Wired(false, GONE_SINCE_35)),
    (
        Feature::WakeupRunning,
        Has::Wired(false, "gone since 2.6.33, with avg_running"),
    ),
    (Feature::SyncLess, Has::Wired(false, GONE_SINCE_35)),
    (Feature::SyncMore, Has::Wired(false, GONE_SINCE_35)),
];

const ALWAYS_SINCE_35: &str = "always so since 2.6.35, which removed the switch";
const GONE_SINCE_35: &str = "gone since 2.6.35";
pub(super) const ALWAYS_TODAY: &str =
    "always so since long before this kernel, which has no switch for it";
pub(super) const GONE_TODAY: &str = "gone long before this kernel";

/// kernel/sched/features.h of v6.1; v6.5 has the same.
const FEATURES_6_1: &[(Feature, Has)] = &[
    (Feature::GentleFairSleepers, ON),
    (Feature::StartDebit, ON),
    (Feature::NextBuddy, OFF),
    (Feature::LastBuddy, ON),
    (Feature::CacheHotBuddy, ON),
    (Feature::WakeupPreempt, ON),
    (Feature::Hrtick, OFF),
    (Feature::HrtickDl, OFF),
    (Feature::DoubleTick, OFF),
    (Feature::NontaskPower, ON),
    (Feature::TtwuQueue, ON),
    (Feature::SisProp, OFF),
    (Feature::SisUtil, ON),
    (Feature::WarnDoubleClock, OFF),
    (Feature::RtPushIpi, ON),
    (Feature::RtRuntimeShare, OFF),
    (Feature::LbMin, OFF),
    (Feature::AttachAgeLoad, ON),
    (Feature::WaIdle, ON),
    (Feature::WaWeight, ON),
    (Feature::WaBias, ON),
    (Feature::UtilEst, ON),
    (Feature::UtilEstFastup, ON),
    (Feature::LatencyWarn, OFF),
    (Feature::AltPeriod, ON),
    (Feature::BaseSlice, ON),
    (Feature::FairSleepers, Has::Wired(true, ALWAYS_TODAY)),
    (Feature::AsymGran, Has::Wired(true, ALWAYS_TODAY)),
    (Feature::SyncWakeups, Has::Wired(true, ALWAYS_TODAY)),
    (Feature::AffineWakeups, Has::Wired(true, ALWAYS_TODAY)),
    (
        Feature::LbBias,
        Has::Wired(
            false,
            "gone since 4.20: balancing looks at the tracked load",
        ),
    ),
    (Feature::NormalizedSleeper, Has::Wired(false, GONE_TODAY)),
    (Feature::AdaptiveGran, Has::Wired(false, GONE_TODAY)),
    (Feature::WakeupSync, Has::Wired(false, GONE_TODAY)),
    (Feature::WakeupOverlap, Has::Wired(false, GONE_TODAY)),
    (Feature::WakeupRunning, Has::Wired(false, GONE_TODAY)),
    (Feature::SyncLess, Has::Wired(false, GONE_TODAY)),
    (Feature::SyncMore, Has::Wired(false, GONE_TODAY)),
    (Feature::ForceSdOverlap, Has::Wired(false, GONE_TODAY)),
    (Feature::OwnerSpin, Has::Wired(true, ALWAYS_TODAY)),
];
