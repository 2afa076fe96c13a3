//! The kernel that the deltas of EEVDF start from, as [`super::bases`] has the others.

use super::bases::{ALWAYS_TODAY, GONE_TODAY, Has, OFF, ON, RULES_6_1, TUNABLES_6_1};
use super::features::Feature;
use super::rules::{Cpusets, Fair, Rules, Spread, Yields};
use super::tunables::Tunables;

const MS: u64 = 1_000_000;

/// v6.6: kernel/sched/core.c, fair.c.
pub(super) const RULES_6_6: Rules = Rules {
    fair: Fair::Eevdf,
    yields: Yields::LaterDeadline,
    above_average_stops: true,
    // 7ff1693236f5, d24cb0d9113f.
    spread: Spread::TasksPerCore,
    // fee1759e4f04, 450e749707bc.
    smt_balance: true,
    // b1bfeab9b002.
    idle_core_balances: true,
    // Since 6.5, 5fd6d7f43958.
    full_groups_last: true,
    // Since 6.5, 7d0583cf9ec7.
    runnable_boost: true,
    cpusets: Cpusets::KeepAsked,
    tick_ideal_capped: false,
    ..RULES_6_1
};

/// The granularities of CFS are gone; one slice for all who do not ask for another.
pub(super) const TUNABLES_6_6: Tunables = Tunables {
    base_slice: MS * 3 / 4,
    normalized_base_slice: MS * 3 / 4,
    child_runs_first: false,
    ..TUNABLES_6_1
};

const WITH_EEVDF: &str = "gone with CFS, since 6.6";

/// kernel/sched/features.h of v6.6.
pub(super) const FEATURES_6_6: &[(Feature, Has)] = &[
    (Feature::PlaceLag, ON),
    (Feature::PlaceDeadlineInitial, ON),
    (Feature::RunToParity, ON),
    (Feature::NextBuddy, OFF),
    (Feature::CacheHotBuddy, ON),
    (Feature::WakeupPreempt, ON),
    (Feature::Hrtick, OFF),
    (Feature::HrtickDl, OFF),
    (
        Feature::DoubleTick,
        Has::Moot(
            false,
            "charging ends slices in EEVDF, whether the hrtick is set or not",
        ),
    ),
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
    (Feature::HzBw, ON),
    (Feature::GentleFairSleepers, Has::Wired(false, WITH_EEVDF)),
    (Feature::StartDebit, Has::Wired(false, WITH_EEVDF)),
    (Feature::LastBuddy, Has::Wired(false, WITH_EEVDF)),
    (Feature::AltPeriod, Has::Wired(false, WITH_EEVDF)),
    (Feature::BaseSlice, Has::Wired(false, WITH_EEVDF)),
    (Feature::FairSleepers, Has::Wired(false, GONE_TODAY)),
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
