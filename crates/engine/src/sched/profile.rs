//! Kernels as values: a [`Profile`] is a base and a list of commits, a [`Delta`] is one commit, a
//! [`Kernel`] is what comes out when a choice of them is put together.
//!
//! Not here: any behaviour. A commit assigns rules, features, tunables; what those mean is read elsewhere.

use super::features::{Feature, FeatureSet};
use super::rules::{
    BuddyHot, CpuPower, DomainTable, FixedPoint, ForkPlacement, LastMarking, NextMarking, Picker,
    PreferLocal, RuleSet, Rules, Select, TickMissed,
};
use super::sd_flags::{Level, LoadIdx, SdFlags, SdSpec};
use super::tunables::{Scaling, Tunable, Tunables};
use alloc::vec::Vec;

/// One assignment that a commit makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// A rule gets a value.
    Rule(RuleSet),
    /// A feature comes to exist, with this default.
    Feature(Feature, bool),
    /// A tunable gets another base value (ns or count, before scaling).
    Tunable(Tunable, i64),
}

/// One commit (or mail, or group of commits that belong together) of the story.
#[derive(Clone, Copy, Debug)]
pub struct Delta {
    /// Its place in the story; later wins.
    pub id: DeltaId,
    /// A short name.
    pub name: &'static str,
    /// Commits or mail.
    pub commits: &'static str,
    /// Date, ISO.
    pub date: &'static str,
    /// What it changes, in one sentence.
    pub what: &'static str,
    /// What it assigns.
    pub sets: &'static [Set],
    /// At least one of these must be on for it to mean anything; empty: needs nothing.
    pub needs: &'static [DeltaId],
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
pub struct DeltaSet(pub u64);

impl DeltaSet {
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

macro_rules! deltas {
    ($($n:literal $name:literal $commits:literal $date:literal $what:literal
        needs [$($need:literal),*] sets [$($set:expr),* $(,)?];)*) => {
        /// Every delta, in order of id: the commits between 2.6.31 and 2.6.32, and two that stayed mails.
        pub const DELTAS: &[Delta] = &[$(Delta {
            id: DeltaId($n), name: $name, commits: $commits, date: $date, what: $what,
            sets: &[$($set),*], needs: &[$(DeltaId($need)),*],
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
    4 "gentle" "51e0304ce6" "2009-09-16"
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
        rule(RuleSet::CpuPower(CpuPower::Sum)), Set::Feature(Feature::ArchPower, false)];
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
    24 "mark_always" "mail of Mike Galbraith, 2009-10-16" "2009-10-16"
        "Both buddies are marked at every wakeup; the features decide only whether the picker looks."
        needs [] sets [rule(RuleSet::Picker(Picker::Gated)),
        rule(RuleSet::LastMarking(LastMarking::NotFork)),
        rule(RuleSet::NextMarking(NextMarking::NotFork)), rule(RuleSet::BuddyHot(BuddyHot::AtScale))];
    25 "no_prefer_local" "6b9de613ae" "2009-11-02"
        "SD_PREFER_LOCAL off at NODE too." needs [10, 20] sets [
        rule(RuleSet::PreferLocal(PreferLocal::Nowhere))];
    26 "scan_if_want_sd" "remark of Mike Galbraith, 2009-10-29; never merged as such" "2009-10-29"
        "The SD_PREFER_LOCAL scan is done only while a balancing domain is still wanted." needs [7] sets [
        rule(RuleSet::ScanIfWantSd(true))];
}

/// A family of schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The completely fair scheduler.
    Cfs,
}

/// A released kernel as it is modelled: base values and the deltas it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name in links and lists.
    pub name: &'static str,
    /// Release date, ISO.
    pub released: &'static str,
    /// Which family of rules.
    pub family: Family,
    /// The deltas in it.
    pub deltas: DeltaSet,
    /// Timer ticks a second of the x86-64 configuration of its time.
    pub hz: u32,
    /// Do CPUs tick half a period apart across the machine (before 2.6.36) or together?
    pub skew_tick: bool,
    /// What it is, in one sentence.
    pub what: &'static str,
}

/// Every profile, oldest first.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "2.6.31",
        released: "2009-09-09",
        family: Family::Cfs,
        deltas: DeltaSet(0),
        hz: 1000,
        skew_tick: true,
        what: "The kernel that the 2009 regression reports measure against: both buddies always marked.",
    },
    Profile {
        name: "2.6.32-rc1",
        released: "2009-09-27",
        family: Family::Cfs,
        deltas: DeltaSet::of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
        hz: 1000,
        skew_tick: true,
        what: "The kernel of the regression reports: every pick clears both buddies.",
    },
    Profile {
        name: "2.6.32",
        released: "2009-12-03",
        family: Family::Cfs,
        deltas: DeltaSet::of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 20, 22, 23, 25]),
        hz: 1000,
        skew_tick: true,
        what: "The release that came out of the thread: strengthened buddies, no SD_PREFER_LOCAL.",
    },
];

impl Profile {
    /// The profile of that name.
    pub fn by_name(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|p| p.name == name)
    }
}

/// Something to tell about a choice of deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeltaProblem {
    /// `delta` is on, but everything it sets is set again by `winner`, or it sets what holds anyway.
    NoEffect {
        /// The delta without effect.
        delta: DeltaId,
        /// The later one that sets the same, if it is that.
        winner: Option<DeltaId>,
    },
    /// `delta` is on, but none of those that it builds on is.
    Lacks {
        /// The delta that lacks something.
        delta: DeltaId,
        /// What it would need one of.
        needs: &'static [DeltaId],
    },
}

/// A kernel put together: what `sched` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Rules.
    pub rules: Rules,
    /// Features that exist.
    pub exists: FeatureSet,
    /// Features that are on by default.
    pub features: FeatureSet,
    /// Base tunables, before scaling.
    pub tunables: Tunables,
    /// How tunables scale.
    pub scaling: Scaling,
    /// Domain levels, lowest first.
    pub domains: [SdSpec; 5],
}

impl Kernel {
    /// 2.6.31 with `deltas` applied in order of id.
    pub fn compose(deltas: DeltaSet) -> Kernel {
        let mut kernel = base_2_6_31();
        let sets = DELTAS
            .iter()
            .filter(|d| deltas.has(d.id))
            .flat_map(|d| d.sets);
        for set in sets {
            match *set {
                Set::Rule(rule) => rule.apply(&mut kernel.rules),
                Set::Feature(feature, on) => {
                    kernel.exists = kernel.exists.with(feature, true);
                    kernel.features = kernel.features.with(feature, on);
                }
                Set::Tunable(tunable, value) => {
                    let nr_latency = kernel.tunables.nr_latency;
                    kernel.tunables.set(tunable, value);
                    kernel.tunables.nr_latency = nr_latency;
                }
            }
        }
        kernel.domains = domains(&kernel.rules);
        kernel
    }

    /// What is odd about that choice of deltas.
    pub fn problems(deltas: DeltaSet) -> Vec<DeltaProblem> {
        let whole = Kernel::compose(deltas);
        let on = || DELTAS.iter().filter(move |d| deltas.has(d.id));
        let lacking = on()
            .filter(|d| !d.needs.is_empty() && !d.needs.iter().any(|n| deltas.has(*n)))
            .map(|d| DeltaProblem::Lacks {
                delta: d.id,
                needs: d.needs,
            });
        let idle = on()
            .filter(|d| Kernel::compose(deltas.with(d.id, false)) == whole)
            .map(|d| DeltaProblem::NoEffect {
                delta: d.id,
                winner: on()
                    .filter(|o| o.id > d.id && overrides(o, d))
                    .map(|o| o.id)
                    .next_back(),
            });
        lacking.chain(idle).collect()
    }
}

/// Does `later` assign something that `earlier` assigns?
fn overrides(later: &Delta, earlier: &Delta) -> bool {
    earlier
        .sets
        .iter()
        .any(|e| later.sets.iter().any(|l| same_target(e, l)))
}

fn same_target(a: &Set, b: &Set) -> bool {
    match (a, b) {
        (Set::Rule(x), Set::Rule(y)) => x.rule() == y.rule(),
        (Set::Feature(x, _), Set::Feature(y, _)) => x == y,
        (Set::Tunable(x, _), Set::Tunable(y, _)) => x == y,
        _ => false,
    }
}

/// v2.6.31 (74fca6a4): kernel/sched.c, sched_fair.c, sched_features.h.
fn base_2_6_31() -> Kernel {
    let rules = Rules {
        fixed_point: FixedPoint::RoundInv31,
        fork_placement: ForkPlacement::MinPlusDebit,
        next_marking: NextMarking::Always,
        last_marking: LastMarking::EveryCheck,
        picker: Picker::ClearChosen,
        preempt_modes_first: false,
        tick_missed_preempt: TickMissed::Off,
        buddy_hot: BuddyHot::Always,
        fresh_target_clock: false,
        avg_running: false,
        select: Select::Separate,
        affine_lowload: false,
        affine_after_local: false,
        scan_if_want_sd: false,
        domains: DomainTable::V31,
        balance_wake: false,
        prefer_local: PreferLocal::Nowhere,
        cpu_power: CpuPower::SharedCountsOnce,
    };
    let (exists, features) = FEATURES_2_6_31.iter().fold(
        (FeatureSet::EMPTY, FeatureSet::EMPTY),
        |(exists, on), (feature, default)| {
            (exists.with(*feature, true), on.with(*feature, *default))
        },
    );
    Kernel {
        rules,
        exists,
        features,
        tunables: Tunables {
            sched_latency: 20 * MS as u64,
            min_granularity: 4 * MS as u64,
            wakeup_granularity: 5 * MS as u64,
            nr_latency: 5,
            migration_cost: 500_000,
            nr_migrate: 32,
            child_runs_first: true,
            compat_yield: false,
        },
        scaling: Scaling::Uncapped,
        domains: domains(&rules),
    }
}

/// kernel/sched_features.h of v2.6.31.
const FEATURES_2_6_31: &[(Feature, bool)] = &[
    (Feature::FairSleepers, true),
    (Feature::NormalizedSleeper, false),
    (Feature::StartDebit, true),
    (Feature::WakeupPreempt, true),
    (Feature::AdaptiveGran, true),
    (Feature::AsymGran, true),
    (Feature::WakeupOverlap, false),
    (Feature::SyncWakeups, true),
    (Feature::AffineWakeups, true),
    (Feature::LastBuddy, true),
    (Feature::CacheHotBuddy, true),
    (Feature::LbBias, true),
    (Feature::LbSharesUpdate, true),
    (Feature::AsymEffLoad, true),
    (Feature::Hrtick, false),
    (Feature::DoubleTick, false),
    (Feature::OwnerSpin, true),
];

/// The domain levels under `rules`: `SD_SIBLING_INIT` … `SD_ALLNODES_INIT`.
fn domains(rules: &Rules) -> [SdSpec; 5] {
    Level::ALL.map(|level| {
        let (interval, busy_factor, imbalance_pct, tries, idx) = numbers_of(level);
        SdSpec {
            level,
            min_interval: interval.0,
            max_interval: interval.1,
            busy_factor,
            imbalance_pct,
            cache_nice_tries: tries,
            idx: match rules.domains {
                DomainTable::V31 => idx,
                DomainTable::Retuned => LoadIdx {
                    newidle: 0,
                    wake: 0,
                    forkexec: 0,
                    ..idx
                },
            },
            flags: flags_of(level, rules),
        }
    })
}

/// Intervals (ms), busy factor, imbalance percentage, nice tries and load indices of 2.6.31.
const fn numbers_of(level: Level) -> ((u32, u32), u32, u64, u32, LoadIdx) {
    const fn idx(busy: u8, idle: u8, newidle: u8, wake: u8, forkexec: u8) -> LoadIdx {
        LoadIdx {
            busy,
            idle,
            newidle,
            wake,
            forkexec,
        }
    }
    match level {
        Level::Sibling => ((1, 2), 64, 110, 0, idx(0, 0, 0, 0, 0)),
        Level::Mc => ((1, 4), 64, 125, 1, idx(2, 0, 0, 1, 1)),
        Level::Cpu => ((1, 4), 64, 125, 1, idx(2, 1, 2, 1, 1)),
        Level::Node => ((8, 32), 32, 125, 2, idx(3, 2, 2, 1, 1)),
        Level::AllNodes => ((64, 64), 128, 133, 1, idx(3, 3, 0, 0, 0)),
    }
}

/// The flags of a level, each with the rule that turns it on.
fn flags_of(level: Level, rules: &Rules) -> SdFlags {
    let inner = level != Level::AllNodes;
    let cached = matches!(level, Level::Mc | Level::Cpu);
    let retuned = rules.domains == DomainTable::Retuned;
    let local = match rules.prefer_local {
        PreferLocal::Nowhere => false,
        PreferLocal::McAndCpu => cached,
        PreferLocal::Node => level == Level::Node,
    };
    [
        (SdFlags::LOAD_BALANCE, true),
        (
            SdFlags::BALANCE_NEWIDLE,
            retuned || matches!(level, Level::Sibling | Level::AllNodes),
        ),
        (SdFlags::BALANCE_EXEC | SdFlags::BALANCE_FORK, inner),
        (SdFlags::WAKE_AFFINE, inner || !retuned),
        (
            SdFlags::WAKE_BALANCE,
            inner && rules.select == Select::Separate,
        ),
        (SdFlags::BALANCE_WAKE, inner && rules.balance_wake),
        (SdFlags::PREFER_LOCAL, local),
        (SdFlags::SHARE_CPUPOWER, level == Level::Sibling),
        (SdFlags::SHARE_PKG_RESOURCES, level == Level::Mc),
        (
            SdFlags::PREFER_SIBLING,
            cached && rules.cpu_power == CpuPower::Sum,
        ),
        (
            SdFlags::SERIALIZE,
            matches!(level, Level::Node | Level::AllNodes),
        ),
    ]
    .into_iter()
    .fold(SdFlags::EMPTY, |flags, (flag, on)| {
        flags.with(flag, flags.has(flag) || on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str) -> Kernel {
        Kernel::compose(Profile::by_name(name).expect("a known profile").deltas)
    }

    /// cfs/T11 … cfs/T18, the tunables of each kernel by CPU count.
    #[test]
    fn t11_to_t18_tunables_scale_with_cpus() {
        let ms = |name, cpus| {
            let kernel = profile(name);
            let t = kernel.tunables.scaled(kernel.scaling, cpus);
            (
                t.sched_latency / 1_000_000,
                t.min_granularity / 1_000_000,
                t.wakeup_granularity / 1_000_000,
            )
        };
        assert_eq!(ms("2.6.31", 8), (80, 16, 20), "T11");
        assert_eq!(ms("2.6.31", 16), (100, 20, 25), "T12");
        assert_eq!(ms("2.6.32", 4), (15, 3, 3), "T13");
        assert_eq!(ms("2.6.32-rc1", 8), (20, 4, 4), "T13");
        assert_eq!(ms("2.6.32", 16), (25, 5, 5), "T13");
        assert_eq!(ms("2.6.31", 1024).0, 200, "T16");
        let kernel = profile("2.6.32");
        assert_eq!(
            kernel.tunables.scaled(kernel.scaling, 8).migration_cost,
            500_000,
            "T17"
        );
    }

    #[test]
    fn the_first_release_candidate_clears_both_buddies_and_the_release_strengthens_them() {
        let (rc1, last) = (profile("2.6.32-rc1"), profile("2.6.32"));
        assert_eq!(rc1.rules.picker, Picker::ClearBoth);
        assert!(rc1.exists.has(Feature::NextBuddy) && !rc1.features.has(Feature::NextBuddy));
        assert!(rc1.domains[1].flags.has(SdFlags::PREFER_LOCAL));
        assert_eq!(last.rules.picker, Picker::LastFirst);
        assert!(
            last.domains
                .iter()
                .all(|d| !d.flags.any(SdFlags::PREFER_LOCAL))
        );
        assert!(!profile("2.6.31").exists.has(Feature::NextBuddy));
    }

    #[test]
    fn a_delta_without_effect_names_the_winner() {
        let rc1 = Profile::by_name("2.6.32-rc1")
            .expect("a known profile")
            .deltas;
        assert_eq!(Kernel::problems(rc1), [], "a release is consistent");
        let both = rc1.with(DeltaId(21), true);
        let expected = DeltaProblem::NoEffect {
            delta: DeltaId(13),
            winner: Some(DeltaId(21)),
        };
        assert_eq!(Kernel::problems(both), [expected]);
        let lonely = DeltaSet::of(&[25]);
        assert!(Kernel::problems(lonely).iter().any(|p| matches!(
            p,
            DeltaProblem::Lacks {
                delta: DeltaId(25),
                ..
            }
        )));
    }
}
