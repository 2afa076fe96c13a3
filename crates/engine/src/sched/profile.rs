//! Kernels as values: a [`Profile`] is a base and a list of commits, a [`Delta`] is one commit, a
//! [`Kernel`] is what comes out when a choice of them is put together.
//!
//! Not here: any behaviour. A commit assigns rules, features, tunables; what those mean is read elsewhere.

pub use super::deltas::{DELTAS, Delta, DeltaId, DeltaSet, Set};

use super::features::FeatureSet;
use super::levels;
use super::rules::Rules;
use super::sd_flags::SdSpec;
use super::tunables::{Scaling, Tunable, TunableSet, Tunables};
use alloc::vec::Vec;

/// A release that deltas start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// 2.6.31.
    V2_6_31,
    /// 3.2-rc1.
    V3_2,
    /// 6.1.
    V6_1,
    /// 6.6.
    V6_6,
}

impl Base {
    /// Every base, oldest first.
    pub const ALL: &'static [Base] = &[Base::V2_6_31, Base::V3_2, Base::V6_1, Base::V6_6];

    /// The first commit to it that sets something of that kind.
    pub fn first_with(self, it: &dyn Fn(&Set) -> bool) -> Option<DeltaId> {
        let sets = |delta: &&Delta| delta.base == self && delta.sets.iter().any(it);
        DELTAS.iter().find(sets).map(|delta| delta.id)
    }

    /// Do readers and writers of a pipe wait in queues of their own, to be woken one at a time (since 5.5, 0ddad21d)?
    pub const fn exclusive_pipes(self) -> bool {
        match self {
            Base::V2_6_31 | Base::V3_2 => false,
            Base::V6_1 | Base::V6_6 => true,
        }
    }

    /// The release's name.
    pub const fn name(self) -> &'static str {
        match self {
            Base::V2_6_31 => "2.6.31",
            Base::V3_2 => "3.2-rc1",
            Base::V6_1 => "6.1",
            Base::V6_6 => "6.6",
        }
    }

    /// The deltas that change this release.
    pub fn deltas(self) -> DeltaSet {
        let fits = DELTAS.iter().filter(|d| d.base == self);
        fits.fold(DeltaSet::default(), |set, d| set.with(d.id, true))
    }
}

/// A family of schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The completely fair scheduler.
    Cfs,
    /// Earliest eligible virtual deadline first.
    Eevdf,
}

/// A released kernel as it is modelled: base values and the deltas it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name in links and lists.
    pub name: &'static str,
    /// What sets it apart, in a few words.
    pub short: &'static str,
    /// Release date, ISO.
    pub released: &'static str,
    /// Which family of rules.
    pub family: Family,
    /// The release that its deltas start from.
    pub base: Base,
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
        short: "before the regression of 2009",
        released: "2009-09-09",
        family: Family::Cfs,
        base: Base::V2_6_31,
        deltas: DeltaSet(0),
        hz: 1000,
        skew_tick: true,
        what: "The kernel that the 2009 regression reports measure against: both buddies always marked.",
    },
    Profile {
        name: "2.6.32-rc1",
        short: "with the regression",
        released: "2009-09-27",
        family: Family::Cfs,
        base: Base::V2_6_31,
        deltas: DeltaSet::of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
        hz: 1000,
        skew_tick: true,
        what: "The kernel of the regression reports: every pick clears both buddies.",
    },
    Profile {
        name: "2.6.32",
        short: "after the fixes",
        released: "2009-12-03",
        family: Family::Cfs,
        base: Base::V2_6_31,
        deltas: DeltaSet::of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 20, 22, 23, 25]),
        hz: 1000,
        skew_tick: true,
        what: "The release that came out of the thread: strengthened buddies, no SD_PREFER_LOCAL.",
    },
    Profile {
        name: "3.2-virgin",
        short: "3.2-rc1 as it was",
        released: "2011-11-15",
        family: Family::Cfs,
        base: Base::V3_2,
        deltas: DeltaSet(0),
        hz: 1000,
        skew_tick: false,
        what: "3.2-rc1 as the placement variants of November 2011 were measured against it: an idle CPU is sought up to where waker and wakee meet.",
    },
    Profile {
        name: "suresh",
        short: "3.2-rc1, idle groups first",
        released: "2011-11-17",
        family: Family::Cfs,
        base: Base::V3_2,
        deltas: DeltaSet::of(&[31]),
        hz: 1000,
        skew_tick: false,
        what: "3.2-rc1 with Suresh Siddha's search for an idle sibling: whole groups must be idle.",
    },
    Profile {
        name: "mikie",
        short: "3.2-rc1, whole cache searched",
        released: "2011-11-17",
        family: Family::Cfs,
        base: Base::V3_2,
        deltas: DeltaSet::of(&[32]),
        hz: 1000,
        skew_tick: false,
        what: "3.2-rc1 with Mike Galbraith's first variant: the whole cache is searched.",
    },
    Profile {
        name: "mikie2",
        short: "mikie with SIBLING_LIMIT_SYNC",
        released: "2011-11-18",
        family: Family::Cfs,
        base: Base::V3_2,
        deltas: DeltaSet::of(&[33]),
        hz: 1000,
        skew_tick: false,
        what: "3.2-rc1 with Mike Galbraith's second variant, SIBLING_LIMIT_SYNC. The text of that patch is lost: what it does here is inferred from the figures posted for it.",
    },
    Profile {
        name: "3.2final",
        short: "3.2, idle cores first",
        released: "2012-01-04",
        family: Family::Cfs,
        base: Base::V3_2,
        deltas: DeltaSet::of(&[34]),
        hz: 1000,
        skew_tick: false,
        what: "The release: idle cores before idle threads.",
    },
    Profile {
        name: "6.1",
        short: "a late CFS",
        released: "2022-12-11",
        family: Family::Cfs,
        base: Base::V6_1,
        deltas: DeltaSet(0),
        hz: 250,
        skew_tick: false,
        what: "A late CFS: per-entity load tracking, idle CPUs searched by utilisation, the skip buddy.",
    },
    Profile {
        name: "6.1y",
        short: "6.1 stable, as recorded",
        released: "2025-12-31",
        family: Family::Cfs,
        base: Base::V6_1,
        deltas: DeltaSet::of(&[42, 43, 44, 45]),
        hz: 250,
        skew_tick: false,
        what: "The stable series 6.1.y as it was recorded: 6.1 with NI_RANDOM, RT_PUSH_IPI off and the escape for long sleepers.",
    },
    Profile {
        name: "6.5",
        short: "the last CFS",
        released: "2023-08-27",
        family: Family::Cfs,
        base: Base::V6_1,
        deltas: DeltaSet::of(&[41, 42, 45, 46]),
        hz: 250,
        skew_tick: false,
        what: "The last release with CFS.",
    },
    Profile {
        name: "6.6",
        released: "2023-10-29",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[51]),
        hz: 250,
        skew_tick: false,
        short: "the first EEVDF",
        what: "The first release with EEVDF.",
    },
    Profile {
        name: "6.12",
        released: "2024-11-17",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 94, 95, 100, 101, 102, 103,
        ]),
        hz: 250,
        skew_tick: false,
        short: "EEVDF with delayed dequeue, slices",
        what: "Who owes time stays queued until it is paid; tasks may ask for a slice.",
    },
    Profile {
        name: "6.12y",
        released: "2026-06-30",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 94, 95, 100, 101, 102, 103, 104,
        ]),
        hz: 250,
        skew_tick: false,
        short: "6.12 stable, as recorded",
        what: "6.12 as its stable series became, and as it was recorded.",
    },
    Profile {
        name: "6.18",
        released: "2025-11-30",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 65, 66, 67, 68, 69, 94, 95, 100,
            101, 102, 103, 104, 105, 106, 107, 108,
        ]),
        hz: 250,
        skew_tick: false,
        short: "EEVDF, protected by slices",
        what: "The running task is protected for as long as the shortest slice that waits.",
    },
    Profile {
        name: "7.0",
        released: "2026-04-12",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 72, 73,
            74, 94, 95, 96, 100, 101, 102, 103, 104, 105, 106, 107,
        ]),
        hz: 250,
        skew_tick: false,
        short: "EEVDF, buddies in every pick",
        what: "Every pick honours the next buddy, also that of a wakeup.",
    },
    Profile {
        name: "tip-2026-04",
        released: "2026-04-10",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 72, 73,
            74, 75, 76, 77, 94, 95, 96, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110,
        ]),
        hz: 250,
        skew_tick: false,
        short: "EEVDF before the buddy patch (D78)",
        what: "The scheduler's tree just before the patch on buddies and short slices, which is D78.",
    },
    Profile {
        name: "7.1",
        released: "2026-06-14",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 72, 73,
            74, 75, 76, 77, 78, 79, 80, 81, 94, 95, 96, 100, 101, 102, 103, 104, 105, 106, 107,
            109, 110,
        ]),
        hz: 250,
        skew_tick: false,
        short: "EEVDF with the buddy patch",
        what: "A wakee with a shorter slice is not kept off by a buddy or a sleeper in front; the hrtick is on.",
    },
    Profile {
        name: "7.3",
        released: "2026-10-18",
        family: Family::Eevdf,
        base: Base::V6_6,
        deltas: DeltaSet::of(&[
            51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 72, 73,
            74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
            96, 97, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110,
        ]),
        hz: 250,
        skew_tick: false,
        short: "EEVDF with one flat queue",
        what: "One queue of tasks for each CPU, whatever their groups; a shorter slice preempts as soon as it is eligible.",
    },
];

impl Profile {
    /// It put together.
    pub fn kernel(&self) -> Kernel {
        Kernel::compose(self.base, self.deltas)
    }

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
    /// Features that are on by default, and those that cannot be switched off.
    pub features: FeatureSet,
    /// Tunables that exist.
    pub settable: TunableSet,
    /// Base tunables, before scaling.
    pub tunables: Tunables,
    /// How tunables scale.
    pub scaling: Scaling,
    /// Domain levels, lowest first.
    pub domains: [SdSpec; 5],
}

impl Kernel {
    /// The words that `tunable` may be set to here: a kernel without D69 cannot be lazy.
    pub fn words_of(&self, tunable: Tunable) -> &'static [&'static str] {
        match (tunable, tunable.words()) {
            (Tunable::Preempt, [before @ .., _]) if !self.rules.lazy => before,
            (_, words) => words,
        }
    }

    /// May `tunable` be set to `value`, which is in its range, here?
    pub fn takes(&self, tunable: Tunable, value: i64) -> bool {
        let words = self.words_of(tunable).len() as i64;
        self.settable.has(tunable) && (words == 0 || value < words)
    }

    /// `base` with those of `deltas` that change it applied in order of id.
    pub fn compose(base: Base, deltas: DeltaSet) -> Kernel {
        let mut kernel = base.kernel();
        let sets = DELTAS
            .iter()
            .filter(|d| d.base == base && deltas.has(d.id))
            .flat_map(|d| d.sets);
        for set in sets {
            match *set {
                Set::Rule(rule) => rule.apply(&mut kernel.rules),
                Set::Feature(feature, on) => {
                    kernel.exists = kernel.exists.with(feature, true);
                    kernel.features = kernel.features.with(feature, on);
                }
                Set::Wired(feature, on) => {
                    kernel.exists = kernel.exists.with(feature, false);
                    kernel.features = kernel.features.with(feature, on);
                }
                Set::Tunable(tunable, value) => {
                    kernel.settable = kernel.settable.with(tunable);
                    let nr_latency = kernel.tunables.nr_latency;
                    kernel.tunables.set(tunable, value);
                    kernel.tunables.nr_latency = nr_latency;
                    kernel.tunables.normalized_base_slice = kernel.tunables.base_slice;
                }
            }
        }
        kernel.domains = levels::domains(&kernel.rules);
        kernel
    }

    /// What is odd about that choice of deltas.
    pub fn problems(base: Base, deltas: DeltaSet) -> Vec<DeltaProblem> {
        let whole = Kernel::compose(base, deltas);
        let deltas = deltas.and(base.deltas());
        let on = || DELTAS.iter().filter(move |d| deltas.has(d.id));
        let lacking = on()
            .filter(|d| !d.needs.is_empty() && !d.needs.iter().any(|n| deltas.has(*n)))
            .map(|d| DeltaProblem::Lacks {
                delta: d.id,
                needs: d.needs,
            });
        let idle = on()
            .filter(|d| Kernel::compose(base, deltas.with(d.id, false)) == whole)
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
        (Set::Feature(x, _) | Set::Wired(x, _), Set::Feature(y, _) | Set::Wired(y, _)) => x == y,
        (Set::Tunable(x, _), Set::Tunable(y, _)) => x == y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::features::Feature;
    use crate::sched::rules::Picker;
    use crate::sched::sd_flags::SdFlags;
    use crate::sched::tunables::Tunable;

    fn profile(name: &str) -> Kernel {
        Profile::by_name(name).expect("a known profile").kernel()
    }

    #[test]
    fn t14_and_t15_later_kernels_count_eight_cpus_at_most() {
        let ns = |name, cpus| {
            let kernel = profile(name);
            let t = kernel.tunables.scaled(kernel.scaling, cpus);
            [t.sched_latency, t.min_granularity, t.wakeup_granularity]
        };
        for name in ["3.2final", "6.1", "6.5"] {
            let expected = [24_000_000, 3_000_000, 4_000_000];
            assert_eq!(ns(name, 16), expected, "cfs/T14 {name}");
            let expected = [6_000_000, 750_000, 1_000_000];
            assert_eq!(ns(name, 1), expected, "cfs/T15 {name}");
            let expected = [18_000_000, 2_250_000, 3_000_000];
            assert_eq!(ns(name, 4), expected, "cfs/T15 {name}");
        }
        let mut t = profile("6.1").tunables;
        t.set(Tunable::MinGranularity, 6_000_000);
        assert_eq!(t.nr_latency, 8, "a debugfs file leaves it (cfs-checked C2)");
    }

    #[test]
    fn t11_to_t17_tunables_scale_with_cpus() {
        let at = |name, cpus| {
            let kernel = profile(name);
            kernel.tunables.scaled(kernel.scaling, cpus)
        };
        for (id, name, cpus, ms) in [
            ("T11", "2.6.31", 8, [80, 16, 20]),
            ("T12", "2.6.31", 16, [100, 20, 25]),
            ("T13", "2.6.32", 4, [15, 3, 3]),
            ("T13", "2.6.32", 8, [20, 4, 4]),
            ("T13", "2.6.32-rc1", 8, [20, 4, 4]),
            ("T13", "2.6.32", 16, [25, 5, 5]),
            // Latency is clamped to 200 ms; wakeup granularity is not clamped to anything.
            ("T16", "2.6.31", 1024, [200, 44, 55]),
        ] {
            let t = at(name, cpus);
            let ns = [t.sched_latency, t.min_granularity, t.wakeup_granularity];
            assert_eq!(
                ns,
                ms.map(|ms| ms * 1_000_000),
                "cfs/{id} {name}, {cpus} CPUs"
            );
        }
        for name in ["2.6.31", "2.6.32", "3.2final", "6.5"] {
            assert_eq!(at(name, 8).migration_cost, 500_000, "cfs/T17 {name}");
        }
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
        assert_eq!(
            Kernel::problems(Base::V2_6_31, rc1),
            [],
            "a release is consistent"
        );
        let both = rc1.with(DeltaId(21), true);
        let expected = DeltaProblem::NoEffect {
            delta: DeltaId(13),
            winner: Some(DeltaId(21)),
        };
        assert_eq!(Kernel::problems(Base::V2_6_31, both), [expected]);
        let lonely = DeltaSet::of(&[25]);
        assert!(
            Kernel::problems(Base::V2_6_31, lonely)
                .iter()
                .any(|p| matches!(
                    p,
                    DeltaProblem::Lacks {
                        delta: DeltaId(25),
                        ..
                    }
                ))
        );
    }
}
