//! What is to be simulated, as plain data: anything that a link, a control or a file can say.
//!
//! A [`Config`] may be wrong; a [`Scenario`] cannot. Not here: text (that is [`crate::fragment`]), and
//! anything about how results are looked at.

mod estimate;
mod field;
pub mod fixed;
mod group;
mod limits;
mod problem;
pub mod random;
mod scenario;
pub mod text;
mod workload_spec;

pub use estimate::Estimate;
pub use field::Field;
pub use group::{GroupSpec, Quota};
pub use limits::{LIMITS, Limits};
pub use problem::{Problem, ProblemKind, Problems};
pub use scenario::{Group, Scenario, Ticks};
pub use workload_spec::WorkloadSpec;

use crate::machine::Machine;
use crate::machine::sd_flags::{Level, SdFlags};
use crate::order::Map;
use crate::sched::features::Feature;
use crate::sched::profile::{DELTAS, Delta, DeltaId, DeltaProblem, DeltaSet, Kernel, Profile, Set};
use crate::sched::tunables::{Tunable, TunableScaling, Tunables};
use crate::time::{Hz, Nanos};
use crate::workload::WorkloadKind;
use crate::workload::lang::Script;
use alloc::vec::Vec;

/// One experiment. Fields are public and may hold anything their type can; see [`Scenario`] for the check.
///
/// The maps hold what differs from the kernel with its deltas; an entry that repeats the default has no
/// effect, and [`Config::canonical`] is without it.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The machine.
    pub machine: &'static Machine,
    /// The release to start from.
    pub kernel: &'static Profile,
    /// The commits in it: the release's own, changed at will.
    pub deltas: DeltaSet,
    /// Features switched.
    pub features: Map<Feature, bool>,
    /// Tunables set, ns or counts, as an administrator would: not scaled by the number of CPUs.
    pub tunables: Map<Tunable, i64>,
    /// Domain flags set or cleared, by level.
    pub sd_flags: Map<(Level, SdFlags), bool>,
    /// Task groups below the root group; a group comes after the one it is in.
    pub groups: Vec<GroupSpec>,
    /// What runs, of the catalog.
    pub workloads: Vec<WorkloadSpec>,
    /// What runs besides, in the workload language.
    pub script: Script,
    /// The seed of everything random.
    pub seed: u64,
    /// When the run ends; none: when every workload that ends has ended, or after [`Limits::endless`]
    /// if none does.
    pub duration: Option<Nanos>,
    /// Timer ticks a second in place of the release's.
    pub hz: Option<Hz>,
    /// When the first tick of CPU 0 comes, below one tick period.
    pub phase: Nanos,
    /// Are ticks spread over half a period (`true`) or together, in place of the release's own way?
    pub skew_tick: Option<bool>,
    /// Does the tick stop on idle CPUs?
    pub nohz: bool,
    /// Events after which the run stops at the latest.
    pub max_events: u64,
}

impl Default for Config {
    /// The experiment of the thread of October 2009, small: hackbench with 10 groups and 50 loops (200 000
    /// messages) on a Tigerton of 16 CPUs under 2.6.32-rc1. Part of version 1 of the links: never changed.
    fn default() -> Config {
        let machine = Machine::by_name("tigerton-4x4").expect("a machine of the catalog");
        let kernel = Profile::by_name("2.6.32-rc1").expect("a profile of the table");
        let workload = WorkloadSpec::new(WorkloadKind::Hackbench).with("loops", 50);
        Config::new(machine, kernel, alloc::vec![workload])
    }
}

impl Config {
    /// `machine` and `kernel` as they are, running `workloads`.
    pub fn new(
        machine: &'static Machine,
        kernel: &'static Profile,
        workloads: Vec<WorkloadSpec>,
    ) -> Config {
        Config {
            machine,
            kernel,
            deltas: kernel.deltas,
            features: Map::new(),
            tunables: Map::new(),
            sd_flags: Map::new(),
            groups: Vec::new(),
            workloads,
            script: Script::default(),
            seed: 1,
            duration: None,
            hz: None,
            phase: Nanos::ZERO,
            skew_tick: None,
            nohz: false,
            max_events: LIMITS.default_events,
        }
    }

    /// The kernel before features, tunables and domain flags are changed: what changes are measured by.
    pub fn kernel_of_deltas(&self) -> Kernel {
        Kernel::compose(self.kernel.base, self.deltas)
    }

    /// The name that its kernel gives a feature.
    pub const fn feature_name(&self, feature: Feature) -> &'static str {
        feature.name_in(self.kernel.base, self.deltas)
    }

    /// The name that its kernel gives a domain flag.
    pub fn flag_name(&self, flag: SdFlags) -> &'static str {
        flag.name_in(self.kernel_of_deltas().rules.domains)
    }

    /// The name that its kernel gives a domain level.
    pub fn level_name(&self, level: Level) -> &'static str {
        level.name_in(self.kernel_of_deltas().rules.domains)
    }

    /// The value that `tunable` has on this machine when nobody sets it.
    pub fn default_tunable(&self, tunable: Tunable) -> i64 {
        self.default_tunable_of(&self.kernel_of_deltas(), tunable)
    }

    fn default_tunable_of(&self, kernel: &Kernel, tunable: Tunable) -> i64 {
        if tunable == Tunable::TunableScaling {
            return kernel.tunables.get(tunable);
        }
        self.scaled_tunables(kernel).get(tunable)
    }

    /// The tunables of `kernel` as they follow the CPUs of this machine, in the way that is set.
    fn scaled_tunables(&self, kernel: &Kernel) -> Tunables {
        let mut tunables = kernel.tunables;
        let set = self.tunables.get(&Tunable::TunableScaling);
        if let Some(scaling) = set.filter(|_| kernel.settable.has(Tunable::TunableScaling)) {
            tunables.tunable_scaling = TunableScaling::of_number(*scaling);
        }
        let cpus = usize::from(self.machine.layout.cpus);
        tunables.scaled(kernel.scaling, cpus)
    }

    /// Does the kernel with its deltas have that flag at that level?
    fn default_sd_flag(kernel: &Kernel, level: Level, flag: SdFlags) -> bool {
        kernel
            .domains
            .iter()
            .any(|d| d.level == level && d.flags.has(flag))
    }

    /// The same experiment without entries that have no effect: two configurations that mean the same
    /// have the same canonical form, and links are written from it.
    #[must_use]
    pub fn canonical(&self) -> Config {
        let kernel = self.kernel_of_deltas();
        let mut canonical = self.clone();
        canonical
            .features
            .retain(|f, on| kernel.exists.has(*f) && kernel.features.has(*f) != *on);
        canonical.tunables.retain(|t, value| {
            kernel.settable.has(*t) && self.default_tunable_of(&kernel, *t) != *value
        });
        canonical.deltas = self.deltas.and(self.kernel.base.deltas());
        canonical.sd_flags.retain(|(level, flag), on| {
            kernel.instead_of_flag(*flag).is_none()
                && Self::default_sd_flag(&kernel, *level, *flag) != *on
        });
        canonical.hz = self.hz.filter(|hz| hz.0 != self.kernel.hz);
        canonical.skew_tick = self.skew_tick.filter(|on| *on != self.kernel.skew_tick);
        canonical
    }

    /// Changes the release and keeps what was changed about it: a commit that was added or taken out
    /// stays so where it changes the new one, and settings that that does not know are dropped.
    pub fn set_kernel(&mut self, kernel: &'static Profile) {
        let changed = DeltaSet(self.deltas.0 ^ self.kernel.deltas.0).and(kernel.base.deltas());
        self.deltas = DeltaSet(kernel.deltas.0 & !changed.0 | self.deltas.0 & changed.0);
        self.kernel = kernel;
        *self = self.canonical();
    }

    /// Changes the machine; tunables that were set keep their values.
    pub fn set_machine(&mut self, machine: &'static Machine) {
        self.machine = machine;
        *self = self.canonical();
    }

    /// Adds or takes out a commit; settings that the kernel then does not know are dropped.
    pub fn set_delta(&mut self, delta: DeltaId, on: bool) {
        self.deltas = self.deltas.with(delta, on);
        *self = self.canonical();
    }

    /// Was `delta` added to the release or taken out of it?
    pub const fn delta_changed(&self, delta: DeltaId) -> bool {
        self.deltas.has(delta) != self.kernel.deltas.has(delta)
    }

    /// The commit that gave the rule of that name its present value; none if it is as in the base release.
    pub fn source_of_rule(&self, rule: &str) -> Option<&'static Delta> {
        let sets = |set: &Set| matches!(set, Set::Rule(value) if value.rule() == rule);
        DELTAS
            .iter()
            .rfind(|delta| self.deltas.has(delta.id) && delta.sets.iter().any(sets))
    }

    /// The release that has the rule of that name as it is here, where no commit in force set it: the one that was
    /// chosen, unless a commit that was taken out of it had.
    pub fn release_of_rule(&self, rule: &str) -> &'static str {
        let sets = |set: &Set| matches!(set, Set::Rule(value) if value.rule() == rule);
        let release = self.kernel;
        let own = |d: &Delta| release.deltas.has(d.id) && d.sets.iter().any(sets);
        if DELTAS.iter().any(own) {
            release.base.name()
        } else {
            release.name
        }
    }

    /// Does a task ask for a slice of a kernel that takes no notice of it? `sched_setattr` succeeds there all the same.
    pub fn slices_go_unheard(&self) -> bool {
        self.script.asks_for_slices() && !self.kernel_in_force().rules.custom_slice
    }

    /// What is odd about the commits that were added or taken out, one thing each; what a release says of
    /// itself is not.
    pub fn delta_problems(&self) -> Vec<DeltaProblem> {
        let mut problems = Kernel::problems(self.kernel.base, self.deltas);
        problems.retain(|problem| self.delta_changed(delta_of(problem)));
        let mut seen = DeltaSet::default();
        problems.retain(|problem| {
            let delta = delta_of(problem);
            let first = !seen.has(delta);
            seen = seen.with(delta, true);
            first
        });
        problems
    }

    /// How many settings differ from the release: commits, features, tunables, domain flags, ticks.
    pub fn changes(&self) -> usize {
        let canonical = self.canonical();
        let deltas = (self.deltas.0 ^ self.kernel.deltas.0).count_ones() as usize;
        let ticks = usize::from(canonical.hz.is_some())
            + usize::from(canonical.skew_tick.is_some())
            + usize::from(canonical.phase != Nanos::ZERO)
            + usize::from(canonical.nohz);
        deltas
            + canonical.features.len()
            + canonical.tunables.len()
            + canonical.sd_flags.len()
            + ticks
    }
}

/// The delta that a problem is about.
pub const fn delta_of(problem: &DeltaProblem) -> DeltaId {
    match problem {
        DeltaProblem::NoEffect { delta, .. } | DeltaProblem::Lacks { delta, .. } => *delta,
    }
}

#[cfg(test)]
mod tests;
