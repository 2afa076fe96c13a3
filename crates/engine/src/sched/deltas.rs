//! The commits of the story as values: each a named, cited list of what it assigns.
//!
//! Not here: what a rule means ([`super::rules`]), which release contains what ([`super::profile`]).

use super::features::{Effect, Feature};
use super::profile::Base;
use super::rules::{
    AverageWeight, BuddyHot, BuddySite, CpuPower, Cpusets, DelayLag, DomainTable, ForkPlacement,
    HrtickRule, IdleSibling, LagLimit, LastMarking, LostPick, NextMarking, Parity, Picker,
    PreemptShort, PreferLocal, Protection, Requeue, Reweight, RuleSet, Select, ShortBuddy,
    SliceEnd, TickMissed, Ties, VirtualTime, Yields,
};
use super::tunables::Tunable;
use alloc::string::String;

/// One assignment that a commit makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// A rule gets a value.
    Rule(RuleSet),
    /// A feature comes to exist, with this default.
    Feature(Feature, bool),
    /// A feature ceases to be a switch: it is always so.
    Wired(Feature, bool),
    /// A tunable gets another base value (ns or count, before scaling), and comes to exist if it did not.
    Tunable(Tunable, i64),
}

/// One commit (or mail, or group of commits that belong together) of the story.
#[derive(Clone, Copy, Debug)]
pub struct Delta {
    /// Its place in the story; later wins.
    pub id: DeltaId,
    /// A short name.
    pub name: &'static str,
    /// Ids of commits, or what there is instead of them.
    pub commits: &'static str,
    /// Date, ISO.
    pub date: &'static str,
    /// What it changes, in one sentence.
    pub what: &'static str,
    /// What it assigns.
    pub sets: &'static [Set],
    /// The release that it changes.
    pub base: Base,
    /// At least one of these must be on for it to mean anything; empty: needs nothing.
    pub needs: &'static [DeltaId],
    /// Does it change anything here?
    pub effect: Effect,
}

impl Delta {
    /// Where the change comes from, in words: which commits, or where else.
    pub fn source(&self) -> String {
        let id = |text: &str| {
            let digits = text.chars().take_while(char::is_ascii_hexdigit);
            digits.count() >= 10
        };
        let source = |word: &str| matches!(word.split_once('.'), Some((_, "c" | "h")));
        let ids = self.commits.split([',', ' ']).filter(|text| id(text));
        let kind = match ids.count() {
            _ if self.commits.split(' ').any(source) => "read in ",
            0 => "",
            1 => "commit ",
            _ => "commits ",
        };
        [kind, self.commits].concat()
    }
}

/// The number of a delta: `D13`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeltaId(pub u8);

impl DeltaId {
    /// Its row of the table.
    pub fn delta(self) -> Option<&'static Delta> {
        DELTAS.iter().find(|d| d.id == self)
    }
}

impl core::fmt::Display for DeltaId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "D{:02}", self.0)
    }
}

/// A set of deltas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeltaSet(pub u128);

impl DeltaSet {
    /// The deltas of both sets.
    #[must_use]
    pub const fn and(self, other: DeltaSet) -> DeltaSet {
        DeltaSet(self.0 & other.0)
    }

    /// The deltas of those numbers.
    pub const fn of(ids: &[u8]) -> DeltaSet {
        let mut set = DeltaSet(0);
        let mut i = 0;
        while i < ids.len() {
            set.0 |= 1 << ids[i];
            i += 1;
        }
        set
    }

    /// Is `id` in the set?
    pub const fn has(self, id: DeltaId) -> bool {
        self.0 >> id.0 & 1 == 1
    }

    /// The set with `id` in it or not.
    #[must_use]
    pub const fn with(self, id: DeltaId, on: bool) -> DeltaSet {
        let bit = 1 << id.0;
        DeltaSet(if on { self.0 | bit } else { self.0 & !bit })
    }
}

const fn rule(set: RuleSet) -> Set {
    Set::Rule(set)
}

const MS: i64 = 1_000_000;

/// A delta without a base is one of the 2009 story.
macro_rules! base {
    () => {
        Base::V2_6_31
    };
    ($base:ident) => {
        Base::$base
    };
}

/// A delta that says nothing of its effect has one.
macro_rules! effect {
    () => {
        Effect::Effective
    };
    ($why:literal) => {
        Effect::Inert($why)
    };
}

macro_rules! deltas {
    ($($n:literal $name:literal $commits:literal $date:literal $what:literal $(on $base:ident)?
        needs [$($need:literal),*] sets [$($set:expr),* $(,)?] $(inert $why:literal)?;)*) => {
        /// Every delta, in order of id: from D01 the commits between 2.6.31 and 2.6.32 and two that stayed mails,
        /// from D31 the searches for an idle sibling that were tried on 3.2, from D41 what changed after 6.1, from D51
        /// what became of EEVDF.
        pub const DELTAS: &[Delta] = &[$(Delta {
            id: DeltaId($n), name: $name, commits: $commits, date: $date, what: $what,
            base: base!($($base)?),
            sets: &[$($set),*], needs: &[$(DeltaId($need)),*], effect: effect!($($why)?),
        }),*];
    };
}

deltas! {
    1 "tunables" "172e082a91" "2009-09-09"
        "Base latency, min and wakeup granularity go from 20, 4, 5 ms to 5, 1, 1 ms." needs [] sets [
        Set::Tunable(Tunable::SchedLatency, 5 * MS), Set::Tunable(Tunable::MinGranularity, MS),
        Set::Tunable(Tunable::WakeupGranularity, MS)];
    2 "child_first_off" "2bba22c50b" "2009-09-09"
        "After fork the parent goes on running." needs [] sets [Set::Tunable(Tunable::ChildRunsFirst, 0)];
    3 "fork_no_gain" "b5d9d734a5" "2009-09-08"
        "A child never starts left of its parent." needs [] sets [
        rule(RuleSet::ForkPlacement(ForkPlacement::NotBeforeParent))];
    4 "gentle" "51e0304ce6, 3f2aa307c4" "2009-09-16"
        "Sleepers get half a latency of credit instead of a whole one." needs [] sets [
        Set::Feature(Feature::GentleFairSleepers, true)];
    5 "next_buddy_feat" "3cb63d527f, 0ec9fab3d1, a7558e0105" "2009-09-11"
        "Marking the wakee as next becomes the feature NEXT_BUDDY, off by default, and never for forks."
        needs [] sets [Set::Feature(Feature::NextBuddy, false),
        rule(RuleSet::NextMarking(NextMarking::Feature))];
    6 "affine_lowload" "71a29aa7b6" "2009-09-07"
        "wake_affine takes an idle waker's CPU as balanced." needs [] sets [
        rule(RuleSet::AffineLowload(true))];
    7 "select_merge" "cdd2ab3de4, c88d591089, d7c33c4930, 3f04e8cd5b" "2009-09-07"
        "One CPU selection for wakeup, fork and exec; the passive wakeup pull is gone, SD_BALANCE_WAKE comes."
        needs [] sets [rule(RuleSet::Select(Select::Merged)), rule(RuleSet::BalanceWake(true))];
    8 "domain_retune" "840a065310, 78e7ed53c9, 0ec9fab3d1, b8a543ea5a, 6bd7821f90" "2009-09-03"
        "Newly idle CPUs balance at every level; wake, newidle and fork indices become 0." needs [] sets [
        rule(RuleSet::Domains(DomainTable::Retuned))];
    9 "cpu_power" "f93e65c186, a52bfd7358, ab29230e67, e9e9250bc7, cc9fba7d76, b5d978e0c7, bdb94aa5db, 18a3885fc1"
        "2009-09-01"
        "Group power becomes a straight sum; SD_PREFER_SIBLING; capacities are rounded." needs [] sets [
        rule(RuleSet::CpuPower(CpuPower::Sum)), Set::Feature(Feature::ArchPower, false),
        Set::Tunable(Tunable::TimeAvg, 1000 * MS)];
    10 "prefer_local" "59abf02644" "2009-09-16"
        "SD_PREFER_LOCAL at MC and CPU." needs [7] sets [
        rule(RuleSet::PreferLocal(PreferLocal::McAndCpu))];
    11 "no_wake_balance" "182a85f8a1" "2009-09-16"
        "SD_BALANCE_WAKE off at every level." needs [7] sets [rule(RuleSet::BalanceWake(false))];
    12 "affine_after_local" "29cd8bae39" "2009-09-17"
        "The SD_PREFER_LOCAL test no longer ends the walk before wake affinity is considered."
        needs [7] sets [rule(RuleSet::AffineAfterLocal(true))];
    13 "clear_both" "de69a80be3" "2009-09-17"
        "Every pick clears both buddies, so that none can hog." needs [] sets [
        rule(RuleSet::Picker(Picker::ClearBoth))];
    14 "preempt_modes" "e6b1b2c9c0, ad4b78bbcb, e69b0f1b41" "2009-09-11"
        "WAKEUP_SYNC, WAKEUP_RUNNING, SYNC_LESS and SYNC_MORE become features, tested before WAKEUP_PREEMPT."
        needs [] sets [rule(RuleSet::PreemptModesFirst(true)), rule(RuleSet::AvgRunning(true)),
        Set::Feature(Feature::WakeupSync, false), Set::Feature(Feature::WakeupRunning, false),
        Set::Feature(Feature::SyncLess, true), Set::Feature(Feature::SyncMore, false)];
    20 "local_node_only" "799e2205ec" "2009-10-09"
        "SD_PREFER_LOCAL off at MC and CPU, on at NODE." needs [7] sets [
        rule(RuleSet::PreferLocal(PreferLocal::Node))];
    21 "consume_on_try" "92f6a5e37a" "2009-10-09"
        "A buddy is cleared when the picker considers it, no longer by every pick." needs [] sets [
        rule(RuleSet::Picker(Picker::ClearTried))];
    22 "fresh_clock" "f5dc37530b" "2009-10-09"
        "A wakeup updates the clock of the run queue that it selected." needs [] sets [
        rule(RuleSet::FreshTargetClock(true))];
    23 "strengthen" "f685ceacab" "2009-10-23"
        "Buddies count only from nr_latency tasks on, last only on a real preemption, last before next; the tick catches missed preemptions."
        needs [] sets [rule(RuleSet::Picker(Picker::LastFirst)),
        rule(RuleSet::LastMarking(LastMarking::OnPreemption)),
        rule(RuleSet::NextMarking(NextMarking::FeatureAtScale)),
        rule(RuleSet::TickMissed(TickMissed::Unsigned)), rule(RuleSet::BuddyHot(BuddyHot::PullerBusy))];
    24 "mark_always" "posted on LKML by Mike Galbraith, 2009-10-16; never merged" "2009-10-16"
        "Both buddies are marked at every wakeup; the features decide only whether the picker looks."
        needs [] sets [rule(RuleSet::Picker(Picker::Gated)),
        rule(RuleSet::LastMarking(LastMarking::NotFork)),
        rule(RuleSet::NextMarking(NextMarking::NotFork)), rule(RuleSet::BuddyHot(BuddyHot::AtScale))];
    25 "no_prefer_local" "6b9de613ae" "2009-11-02"
        "SD_PREFER_LOCAL off at NODE too." needs [10, 20] sets [
        rule(RuleSet::PreferLocal(PreferLocal::Nowhere))];
    26 "scan_if_want_sd" "proposed on LKML by Mike Galbraith, 2009-10-29; never merged as such" "2009-10-29"
        "The SD_PREFER_LOCAL scan is done only while a balancing domain is still wanted." needs [7] sets [
        rule(RuleSet::ScanIfWantSd(true))];
    31 "sis_suresh" "77e81365e0" "2011-11-17"
        "Wakeups take the first wholly idle group of the target's domains, from the cache down to the core."
        on V3_2 needs [] sets [rule(RuleSet::IdleSibling(IdleSibling::IdleGroupDownwards))];
    32 "sis_mikie" "posted on LKML by Mike Galbraith, 2011-11-17; never merged" "2011-11-17"
        "The search for an idle CPU goes through the whole cache instead of ending where waker and wakee meet."
        on V3_2 needs [] sets [rule(RuleSet::IdleSibling(IdleSibling::WholeCache))];
    33 "sis_mikie2" "posted on LKML by Mike Galbraith, 2011-11-18; never merged, its text is lost" "2011-11-18"
        "As D31, but SIBLING_LIMIT_SYNC lets a sync waker that is alone leave its CPU to the wakee: inferred from figures."
        on V3_2 needs [] sets [rule(RuleSet::IdleSibling(IdleSibling::LimitSync)),
        Set::Feature(Feature::SiblingLimitSync, true)];
    34 "sis_final" "4dcfe1025b" "2011-12-06"
        "Wholly idle cores of the cache first, then idle threads of the target's core."
        on V3_2 needs [] sets [rule(RuleSet::IdleSibling(IdleSibling::CoresFirst))];
    41 "tick_capped" "79ba1e607d" "2023-01-15"
        "At the tick a slice counts for no more than the latency." on V6_1 needs [] sets [
        rule(RuleSet::TickIdealCapped(true))];
    42 "long_sleeper" "829c1651e9, a53ce18cac" "2023-01-30"
        "A task that slept more than 104 days is placed without a look at its own vruntime." on V6_1 needs [] sets [
        rule(RuleSet::LongSleeper(true))]
        inert "no run here is as long as that sleep";
    43 "ni_random" "33cf66d88306, stable 6.1.y" "2025"
        "A newly idle CPU throws dice whether to look at a domain: the more often that found it a task, the likelier."
        on V6_1 needs [] sets [Set::Feature(Feature::NiRandom, true)];
    44 "no_rt_push_ipi" "stable 6.1.y" "2025"
        "RT_PUSH_IPI is off unless the kernel is PREEMPT_RT." on V6_1 needs [] sets [
        Set::Feature(Feature::RtPushIpi, false)]
        inert "RT_PUSH_IPI changes who does the work of moving a real-time task, not where it goes";
    45 "full_group_stops" "91dcf1e8068e" "2023-03-29"
        "A fully busy group that carries more than the average takes nothing; before, the difference wrapped." on V6_1
        needs [] sets [rule(RuleSet::AboveAverageStops(true))];
    46 "asked_mask_kept" "8f9ea86fdf99" "2022-09-22"
        "A task keeps the CPUs it has asked for when its cpuset changes; before, that overwrote them." on V6_1
        needs [] sets [rule(RuleSet::Cpusets(Cpusets::KeepAsked))];
    51 "reweight_v" "eab03c23c2a1" "2023-11-08"
        "A queued entity that gets another weight keeps its lag in time: its vruntime moves about the average."
        on V6_6 needs [] sets [rule(RuleSet::Reweight(Reweight::AboutAverage))];
    52 "custom_slice" "857b158dc5e8, aef6987d8954" "2024-05-17"
        "A task may ask for a slice with sched_setattr; a group takes over the shortest of its own."
        on V6_6 needs [] sets [rule(RuleSet::CustomSlice(true))];
    53 "deadline_order" "2227a957e1d5" "2023-11-14"
        "The tree is ordered by deadline: of equal ones a waiting entity goes before the running one."
        on V6_6 needs [] sets [rule(RuleSet::DeadlineTies(Ties::WaitingFirst))];
    54 "delay_dequeue" "152e11f6df29, 54a58a787791" "2024-05-23"
        "Who goes to sleep owing time stays queued until it is paid or it is woken."
        on V6_6 needs [] sets [Set::Feature(Feature::DelayDequeue, true), Set::Feature(Feature::DelayZero, true)];
    55 "rel_deadline" "82e9d0456e06" "2024-05-22"
        "A task that only changes its CPU or weight keeps what is left to its deadline."
        on V6_6 needs [] sets [Set::Feature(Feature::PlaceRelDeadline, true)];
    56 "initial_at_enqueue" "fair.c of 6.12: place_entity" "2024-11-17"
        "The half first slice of a new task is no longer lost when it is enqueued."
        on V6_6 needs [] sets [rule(RuleSet::InitialAtEnqueue(true))];
    57 "nr1_shortcut" "fair.c of 6.12: pick_eevdf" "2024-11-17"
        "An entity that is alone is picked whether it is eligible or not." on V6_6 needs [] sets [
        rule(RuleSet::Nr1Shortcut(true))]
        inert "who is alone stands at the average, and is eligible: the shortcut saves a look";
    58 "preempt_short" "85e511df3cec" "2023-09-26"
        "A wakee with a shorter slice that is ahead breaks the running entity's protection." on V6_6 needs [52] sets [
        rule(RuleSet::PreemptShort(PreemptShort::BreaksParity)),
        rule(RuleSet::SliceEnd(SliceEnd::DeadlineOrBrokenParity)), Set::Feature(Feature::PreemptShort, true)];
    59 "reweight_clamped" "fair.c of 6.12: reweight_eevdf" "2024-11-17"
        "The lag that a change of weight keeps is within its limit." on V6_6 needs [51] sets [
        rule(RuleSet::Reweight(Reweight::AboutAverageClamped))];
    60 "fewer_features" "features.h of 6.12" "2024-11-17"
        "SIS_PROP, UTIL_EST_FASTUP and HZ_BW are no switches any more." on V6_6 needs [] sets [
        Set::Wired(Feature::SisProp, false), Set::Wired(Feature::UtilEstFastup, true),
        Set::Wired(Feature::HzBw, true)]
        inert "it takes switches away and leaves them at their defaults";
    61 "base_slice" "2ae891b82695" "2025-02-20"
        "The base slice goes from 0.75 to 0.7 ms, so that 2.8 ms are over by the third tick of a millisecond."
        on V6_6 needs [] sets [Set::Tunable(Tunable::BaseSlice, 700_000)];
    62 "pick_buddy" "features.h, fair.c of 6.18: pick_next_entity" "2025-11-30"
        "PICK_BUDDY, on by default, decides whether schedule() honours the next buddy; before, that was NEXT_BUDDY."
        on V6_6 needs [] sets [rule(RuleSet::BuddySite(BuddySite::BeforeIfPickBuddy)),
        Set::Feature(Feature::PickBuddy, true)];
    63 "forfeit" "79104becf42b" "2025-09-16"
        "sched_yield gives up the rest of the slice." on V6_6 needs [] sets [rule(RuleSet::Yields(Yields::Forfeit))];
    64 "ni_random" "33cf66d88306" "2025-11-07"
        "A newly idle CPU throws dice whether to look at a domain: the more often that found it a task, the likelier."
        on V6_6 needs [] sets [Set::Feature(Feature::NiRandom, true)];
    65 "protect_slice" "9cdb4fe20cd2, 74eec63661d4" "2025-07-08"
        "The running entity is protected up to a vruntime: for as long as the shortest slice that waits."
        on V6_6 needs [] sets [rule(RuleSet::Parity(Parity::UpToVruntime)),
        rule(RuleSet::SliceEnd(SliceEnd::Unprotected))];
    66 "short_pick" "fair.c of 6.18: check_preempt_wakeup_fair" "2025-11-30"
        "A wakee with a shorter slice is picked without a look at the protection, which it shortens if it loses."
        on V6_6 needs [65] sets [rule(RuleSet::PreemptShort(PreemptShort::Unprotected)),
        rule(RuleSet::LostPick(LostPick::ShortensIfShort))];
    67 "no_double_tick" "features.h of 6.18" "2025-11-30"
        "DOUBLE_TICK is gone." on V6_6 needs [] sets [Set::Wired(Feature::DoubleTick, false)]
        inert "charging ends slices in EEVDF, whether the hrtick is set or not";
    68 "reweight_places" "6d71a9c61604" "2025-01-09"
        "A queued entity that gets another weight is placed anew, and loses its protection." on V6_6 needs [] sets [
        rule(RuleSet::Reweight(Reweight::Places))];
    69 "lazy" "7c70cb94d29c" "2024-10-07"
        "A reschedule for fairness may wait until the task returns to user mode, or for the next tick, if `preempt` is lazy."
        on V6_6 needs [] sets [rule(RuleSet::Lazy(true))];
    71 "lag_longest" "fair.c of 6.19: entity_lag" "2026-02-08"
        "Lag counts up to the longest slice on the queue and a tick." on V6_6 needs [] sets [
        rule(RuleSet::LagLimit(LagLimit::LongestQueued))];
    72 "buddy_within" "fair.c of 6.19: __pick_eevdf" "2026-02-08"
        "Every pick honours the next buddy, also the one that decides about a wakeup." on V6_6 needs [62] sets [
        rule(RuleSet::BuddySite(BuddySite::Within))];
    73 "preempt_action" "fair.c of 6.19: check_preempt_wakeup_fair" "2026-02-08"
        "New tasks and those that were still queued do not preempt by the pick; each one lost shortens the protection."
        on V6_6 needs [65] sets [rule(RuleSet::PreemptShort(PreemptShort::Action)),
        rule(RuleSet::LostPick(LostPick::Shortens))];
    74 "reweight_protected" "fair.c of 7.0: reweight_entity" "2026-04-12"
        "A running entity keeps its protection when its weight changes or it is set anew." on V6_6 needs [68] sets [
        rule(RuleSet::Reweight(Reweight::PlacesProtected)), rule(RuleSet::SetAnewProtects(false))];
    75 "full_weight" "fair.c of 7.1: avg_vruntime, calc_delta_fair" "2026-04-10"
        "Averages and vruntimes are formed with whole weights, by exact division." on V6_6 needs [] sets [
        rule(RuleSet::AverageWeight(AverageWeight::Full)), rule(RuleSet::VirtualTime(VirtualTime::Exact))];
    76 "delay_lag" "fair.c of tip, 2026-04-10: update_entity_lag" "2026-04-10"
        "What a delayed task owes grows no more; its test for placing it anew was merged the wrong way round."
        on V6_6 needs [54] sets [rule(RuleSet::DelayLag(DelayLag::NoGrowth)),
        rule(RuleSet::Requeue(Requeue::WhenUnchanged))];
    77 "rescale" "fair.c of 7.1: rescale_entity" "2026-04-10"
        "A change of weight moves vruntime, deadline and protection about the average, and places nobody."
        on V6_6 needs [] sets [rule(RuleSet::Reweight(Reweight::Rescales))];
    78 "short_buddy" "78cde54ea5f0" "2026-04-10"
        "A wakee with a shorter slice is picked without a look at the buddy, and takes the running entity's mark away."
        on V6_6 needs [72] sets [rule(RuleSet::BuddySite(BuddySite::WithinIfProtecting)),
        rule(RuleSet::ShortBuddy(ShortBuddy::OwnCleared))];
    79 "requeue_fixed" "fair.c of 7.1: requeue_delayed_entity" "2026-06-14"
        "A delayed task is placed anew if it does not stand where its lag puts it." on V6_6 needs [76] sets [
        rule(RuleSet::Requeue(Requeue::WhenChanged))];
    80 "wake_pick" "ac8e69e69363" "2026-04-22"
        "The pick that decides about a wakeup removes delayed entities that are in front." on V6_6 needs [54] sets [
        rule(RuleSet::WakePickDropsDelayed(true))];
    81 "hrtick_deadline" "features.h, fair.c of 7.1: hrtick_start_fair" "2026-06-14"
        "HRTICK is on, and set to the deadline." on V6_6 needs [] sets [
        rule(RuleSet::HrtickRule(HrtickRule::Deadline)), Set::Feature(Feature::Hrtick, true)];
    82 "flat_queue" "85570f10a4c6" "2026-06-05"
        "All tasks of a CPU compete in one queue, whatever their groups, each with its part of the groups' weights."
        on V6_6 needs [] sets [rule(RuleSet::FlatQueue(true))];
    83 "cgroup_mode" "4161cb2d867b .. fb1050ac8e40" "2026-06-05"
        "cgroup_mode says what a group's weight means on several CPUs: for each that it keeps busy, where it was for all."
        on V6_6 needs [] sets [Set::Tunable(Tunable::CgroupMode, 2), rule(RuleSet::RunnablePublished(true))];
    84 "protect_eligible" "0d1e7a2bab35" "2026-08-18"
        "While a shorter slice waits the running entity is protected for as long as it is eligible." on V6_6
        needs [65] sets [rule(RuleSet::ProtectedFor(Protection::WhileEligible))];
    85 "protect_from_average" "49f87b4d0be8" "2026-08-18"
        "A shortened protection counts from the average, if the running entity is ahead of that." on V6_6
        needs [65] sets [rule(RuleSet::ShortensFromAverage(true))];
    86 "protect_every_no" "7cd2ef17de5e" "2026-08-18"
        "A wakeup that does not come to a pick shortens the protection, too." on V6_6
        needs [73] sets [rule(RuleSet::LostPick(LostPick::ShortensWithoutPick))];
    87 "short_while_pending" "7ad0ec7890b3" "2026-08-18"
        "A wakee is asked about although a reschedule is pending, so that a shorter slice may be next." on V6_6
        needs [73] sets [rule(RuleSet::ShortWhilePending(true))];
    88 "short_eligible" "ba0d3bf5f97b" "2026-08-18"
        "A wakee with a shorter slice preempts if it is eligible, also if the pick takes another." on V6_6
        needs [73] sets [rule(RuleSet::ShortIfEligible(true))];
    89 "short_next" "8f97b627ff1c" "2026-08-18"
        "A wakee that preempts by its shorter slice becomes next, unless a still shorter one is." on V6_6
        needs [73] sets [rule(RuleSet::ShortBuddy(ShortBuddy::WakeeMarked))];
    90 "preempt_unprotects" "fair.c of 7.3: wakeup_preempt_fair" "2026-08-18"
        "Every preemption by a wakeup ends the running entity's protection." on V6_6
        needs [73] sets [rule(RuleSet::PreemptionUnprotects(true))];
    91 "delayed_wakee_out" "04998aa54848" "2026-08-18"
        "A wakee that is still delayed preempts by no slice either." on V6_6
        needs [73] sets [rule(RuleSet::DelayedWakeeWaits(true))];
    92 "requeue_charges" "68e37487810a" "2026-08-18"
        "The running task is charged before a delayed one is placed anew." on V6_6 needs [54] sets [
        rule(RuleSet::RequeueCharges(true))];
    93 "no_rt_push_ipi" "dd29c017aed6" "2026-08-18"
        "RT_PUSH_IPI is off unless the kernel is PREEMPT_RT." on V6_6 needs [] sets [
        Set::Feature(Feature::RtPushIpi, false)]
        inert "RT_PUSH_IPI changes who does the work of moving a real-time task, not where it goes";
    94 "hrtick_set_next" "fair.c of 6.12: __set_next_task_fair" "2024-11-17"
        "The hrtick is armed for a task that comes to run, not for one that is picked again." on V6_6 needs [] sets [
        rule(RuleSet::HrtickAtRepick(false))];
    95 "pkg_level" "f577cd57bfaa" "2023-10-12"
        "The level of all CPUs of a node is called PKG, not DIE." on V6_6 needs [] sets [
        rule(RuleSet::Domains(DomainTable::V6_7))]
        inert "a level has another name";
    96 "lazy_default" "Kconfig.preempt of 7.0" "2026-04-12"
        "Requests of the fair class are lazy unless `preempt` says otherwise." on V6_6
        needs [69] sets [Set::Tunable(Tunable::Preempt, 3)];
    97 "sched_cache" "df0d98475954 and others, 7.2" "2026-06-15"
        "Balancing gathers the threads of a process where they share a cache, if a node has several." on V6_6
        needs [] sets [rule(RuleSet::CacheAware(true))]
        inert "it is left out: an outline says what it would do";
    100 "cluster_first" "8881e1639f1f, 22165f61d0c4" "2023-10-19"
        "A wakeup looks for an idle CPU in the cluster of its target first, then in the rest of the cache." on V6_6
        needs [] sets [rule(RuleSet::ClusterFirst(true))]
        inert "no machine here has clusters within its last cache: the search by cluster is not modelled yet";
    101 "util_after_failures" "3af7524b1419" "2023-12-06"
        "A task that uses more than an idle group has to spare is moved there all the same after enough failures."
        on V6_6 needs [] sets [rule(RuleSet::UtilAfterFailures(true))];
    102 "misfit_quiet" "58eeb2d79b54" "2024-03-24"
        "A task that is too much for its CPU counts no failure and stretches no interval." on V6_6 needs [] sets [
        rule(RuleSet::MisfitIsNoFailure(true))];
    103 "pinned_search_ends" "2feab2492deb" "2024-06-20"
        "A search among pinned tasks ends after as many as any other search." on V6_6 needs [] sets [
        rule(RuleSet::PinnedSearchGoesOn(false))];
    104 "sync_sees_delayed" "aa3ee4f0b754" "2025-03-03"
        "A sync waker is alone on its CPU although others sleep there and are still queued." on V6_6 needs [54] sets [
        rule(RuleSet::SyncSeesDelayed(true))];
    105 "counts_runnable" "c2a295bffeaf" "2024-12-02"
        "Balancing does not count tasks that sleep and are still queued as waiting." on V6_6 needs [54] sets [
        rule(RuleSet::CountsRunnable(true))];
    106 "delayed_stay" "61b82dfb6b7e" "2024-12-02"
        "Tasks that sleep and are still queued move only where load is to be moved." on V6_6 needs [54] sets [
        rule(RuleSet::DelayedStay(true))];
    107 "eligible_first" "873199d27bb2" "2024-12-23"
        "A task that has had more than its share moves only after a failure, or to a queue without others." on V6_6
        needs [] sets [rule(RuleSet::EligibleFirst(true))];
    108 "failed_search_dear" "155213a2aed4; taken back by d206fbad9328 in 6.19" "2025-06-26"
        "A newly idle search that finds nothing is booked as half as dear again as the dearest, up to 0.5 ms." on V6_6
        needs [] sets [rule(RuleSet::FailedSearchDear(true))];
    109 "idle_wakee" "fd54d81c2c0e" "2026-02-03"
        "A SCHED_IDLE task looks for a CPU that is idle: one with other such work will not do." on V6_6 needs [] sets [
        rule(RuleSet::IdleWakeeWantsIdle(true))];
    110 "ni_rate" "9fe89f022c05" "2026-01-27"
        "A newly idle CPU looks more often at a domain that it rarely comes to look at." on V6_6 needs [64] sets [
        rule(RuleSet::SureSearchFree(true)), Set::Feature(Feature::NiRate, true)];
}
