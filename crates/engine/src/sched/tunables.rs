//! The numbers an administrator may set, with the boot-time scaling by CPU count.
//!
//! Base values belong to a kernel ([`super::profile`]); [`Tunables`] are the values in force on a machine.

use super::features::Effect;
use crate::time::Nanos;

/// What kind of number a tunable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunableUnit {
    /// Nanoseconds.
    Time,
    /// Nanoseconds, where −1 has a meaning of its own.
    TimeOrMinusOne,
    /// A count.
    Count,
    /// 0 or 1.
    Switch,
    /// One of the words of [`Tunable::words`], by its number.
    Word,
}

/// `enum sched_tunable_scaling`: how tunables follow the number of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunableScaling {
    /// Not at all.
    None,
    /// Times 1 + ⌊log₂ CPUs⌋.
    Log,
    /// Times the number of CPUs.
    Linear,
}

impl TunableScaling {
    /// Every way, by its number.
    pub const ALL: [TunableScaling; 3] = [
        TunableScaling::None,
        TunableScaling::Log,
        TunableScaling::Linear,
    ];

    /// The words for them.
    const WORDS: [&str; 3] = ["none", "log", "linear"];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The one of that number; `Log` for any other.
    pub const fn of_number(number: i64) -> TunableScaling {
        match number {
            0 => TunableScaling::None,
            2 => TunableScaling::Linear,
            _ => TunableScaling::Log,
        }
    }
}

/// What a group's weight means where it runs on several CPUs (7.3: `cgroup_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupMode {
    /// It weighs that on every CPU.
    Up,
    /// It weighs that on all CPUs together.
    Smp,
    /// It weighs that for each CPU that it keeps busy.
    Concur,
    /// It weighs as if it kept all CPUs busy, always.
    Max,
    /// It weighs that for each of its tasks.
    Tasks,
}

impl CgroupMode {
    /// Every mode, by its number.
    pub const ALL: [CgroupMode; 5] = [
        CgroupMode::Up,
        CgroupMode::Smp,
        CgroupMode::Concur,
        CgroupMode::Max,
        CgroupMode::Tasks,
    ];

    const WORDS: [&str; 5] = ["up", "smp", "concur", "max", "tasks"];

    /// The kernel's word for it.
    pub const fn name(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The one of that number; `Smp` for any other.
    pub fn of_number(number: i64) -> CgroupMode {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        Self::ALL.get(at).copied().unwrap_or(CgroupMode::Smp)
    }
}

/// How a request to reschedule is made (`sched/preempt` of debugfs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreemptModel {
    /// In the kernel nothing is interrupted.
    None,
    /// Only where the kernel asks for it: nowhere within an operation here, so that it is as none.
    Voluntary,
    /// It is interrupted at once, but where it holds a spinlock or the mutex of a pipe.
    Full,
    /// As full, but what the fair class asks for waits until the task returns to user mode, or for the next tick.
    Lazy,
}

impl PreemptModel {
    /// Every model, by its number.
    pub const ALL: [PreemptModel; 4] = [
        PreemptModel::None,
        PreemptModel::Voluntary,
        PreemptModel::Full,
        PreemptModel::Lazy,
    ];

    const WORDS: [&str; 4] = ["none", "voluntary", "full", "lazy"];

    /// The one of that number; `Voluntary` for any other.
    pub fn of_number(number: i64) -> PreemptModel {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        Self::ALL
            .get(at)
            .copied()
            .unwrap_or(PreemptModel::Voluntary)
    }
}

/// What there is to know of one tunable.
#[derive(Clone, Copy, Debug)]
pub struct TunableInfo {
    /// The kernel's name without the `sched_` prefix where the sysctl has one and the field has not.
    pub name: &'static str,
    /// The sysctl that sets it.
    pub sysctl: &'static str,
    /// Its unit.
    pub unit: TunableUnit,
    /// Smallest and largest value accepted (ns or count).
    pub range: (i64, i64),
    /// Is the base value multiplied at boot, by [`Scaling::factor`]?
    pub scaled: bool,
    /// What it does, in one sentence.
    pub what: &'static str,
    /// Does it change anything here?
    pub effect: Effect,
}

/// A row that says nothing of its effect has one.
macro_rules! effect {
    () => {
        Effect::Effective
    };
    ($effect:expr) => {
        $effect
    };
}

macro_rules! tunables {
    ($($id:ident $name:literal $sysctl:literal $unit:ident $range:expr, $scaled:literal, $what:literal
        $(, $effect:expr)?;)*) => {
        /// One tunable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Tunable {
            $(#[doc = $what] $id,)*
        }

        impl Tunable {
            /// Every tunable, in the order they are shown.
            pub const ALL: &'static [Tunable] = &[$(Tunable::$id),*];

            /// Its row of the table.
            pub const fn info(self) -> TunableInfo {
                match self {
                    $(Tunable::$id => TunableInfo {
                        name: $name, sysctl: $sysctl, unit: TunableUnit::$unit,
                        range: $range, scaled: $scaled, what: $what, effect: effect!($($effect)?),
                    },)*
                }
            }
        }
    };
}

/// The kernel's own bounds of the three granularities: 100 µs … 1 s (`min_sched_granularity_ns`,
/// `max_sched_granularity_ns`, kernel/sysctl.c of 2.6.31); wakeup granularity may be 0.
const GRAN: (i64, i64) = (100_000, 1_000_000_000);

/// The kernel has no bounds for these.
const SECOND: (i64, i64) = (1, 1_000_000_000);

tunables! {
    SchedLatency "sched_latency" "kernel.sched_latency_ns" Time GRAN, true,
        "The period in which every runnable task should run once.";
    MinGranularity "min_granularity" "kernel.sched_min_granularity_ns" Time GRAN, true,
        "The shortest slice when many tasks share the period.";
    IdleMinGranularity "idle_min_granularity" "/sys/kernel/debug/sched/idle_min_granularity_ns" Time GRAN, false,
        "The shortest slice of a SCHED_IDLE task beside others.";
    BaseSlice "base_slice" "/sys/kernel/debug/sched/base_slice_ns" Time GRAN, true,
        "The slice of a task that asks for none.";
    WakeupGranularity "wakeup_granularity" "kernel.sched_wakeup_granularity_ns" Time (0, 1_000_000_000), true,
        "How far left of the running task a woken task must be to preempt it.";
    MigrationCost "migration_cost" "kernel.sched_migration_cost" TimeOrMinusOne (-1, 1_000_000_000), false,
        "A task that ran less than this ago is cache-hot and not migrated; -1: always hot, 0: never.";
    NrMigrate "nr_migrate" "kernel.sched_nr_migrate" Count (0, 10_000), false,
        "How many tasks one balancing pass may examine.";
    SharesRatelimit "shares_ratelimit" "kernel.sched_shares_ratelimit" Time SECOND, true,
        "How long a group's shares stay as they are divided among its CPUs.",
        Effect::Inert("these kernels do not divide a group's shares among its CPUs here");
    SharesWindow "shares_window" "kernel.sched_shares_window" Time SECOND, false,
        "Over how long a queue's load is averaged by which a group's shares are divided among its CPUs.";
    TimeAvg "time_avg" "kernel.sched_time_avg" Time (1_000_000, 1_000_000_000), false,
        "Over how long real-time work is averaged that lowers the power of a CPU.";
    ChildRunsFirst "child_runs_first" "kernel.sched_child_runs_first" Switch (0, 1), false,
        "After fork the child runs before its parent.";
    AutogroupEnabled "autogroup_enabled" "kernel.sched_autogroup_enabled" Switch (0, 1), false,
        "Tasks of the root group that belong to a session are in a group of that session.";
    CompatYield "compat_yield" "kernel.sched_compat_yield" Switch (0, 1), false,
        "sched_yield moves the task behind all others.";
    CgroupMode "cgroup_mode" "/sys/kernel/debug/sched/cgroup_mode" Word (0, 4), false,
        "What a group's weight means where it runs on several CPUs: its weight on each (up), on all together (smp), for each CPU that it keeps busy (concur), as if it kept all busy (max), for each of its tasks (tasks).";
    Preempt "preempt" "/sys/kernel/debug/sched/preempt" Word (0, 3), false,
        "When a task in the kernel is preempted: at once (full), for the fair class at the next tick (lazy), or at the end of its system call (voluntary and none, alike here).";
    TunableScaling "tunable_scaling" "kernel.sched_tunable_scaling" Word (0, 2), false,
        "How latency and granularities follow the number of CPUs, at most 8, as those come online: none, log or linear.";
    EnergyAware "energy_aware" "kernel.sched_energy_aware" Switch (0, 1), false,
        "Wakeups go where they cost the least energy, on a machine whose costs are known, while no CPU is too busy.";
}

impl Tunable {
    /// What its numbers are called, if they are words.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Tunable::TunableScaling => &TunableScaling::WORDS,
            Tunable::CgroupMode => &CgroupMode::WORDS,
            Tunable::Preempt => &PreemptModel::WORDS,
            _ => &[],
        }
    }

    /// The tunable of that name, with or without `sched_`, or of that sysctl.
    pub fn by_name(name: &str) -> Option<Tunable> {
        let bare = name.strip_prefix("sched_").unwrap_or(name);
        let known = |t: &&Tunable| {
            let info = t.info();
            info.sysctl == name || info.name.strip_prefix("sched_").unwrap_or(info.name) == bare
        };
        Tunable::ALL.iter().find(known).copied()
    }
}

/// How the three granularities grow with the CPU count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// 2.6.31, 2.6.32: every CPU counts; latency and min granularity stay at or below 200 ms
    /// (sched.c: `sched_init_granularity`).
    Uncapped,
    /// 2.6.33 on: at most eight CPUs count (`get_update_sysctl_factor`).
    UpTo8,
}

impl Scaling {
    /// What scaled tunables are multiplied by with that many CPUs (`sched_init_granularity`,
    /// `get_update_sysctl_factor`).
    pub const fn factor(self, by: TunableScaling, cpus: usize) -> u64 {
        let counted = match self {
            Scaling::UpTo8 if cpus > 8 => 8,
            Scaling::Uncapped | Scaling::UpTo8 => cpus,
        };
        match by {
            TunableScaling::None => 1,
            TunableScaling::Log => 1 + counted.ilog2() as u64,
            TunableScaling::Linear => counted as u64,
        }
    }
}

/// A set of tunables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TunableSet(u32);

impl TunableSet {
    /// Those of the list.
    pub fn of(list: &[Tunable]) -> TunableSet {
        list.iter()
            .fold(TunableSet::default(), |set, t| set.with(*t))
    }

    /// Is `tunable` in the set?
    pub const fn has(self, tunable: Tunable) -> bool {
        self.0 >> tunable as u8 & 1 == 1
    }

    /// The set with `tunable` in it.
    #[must_use]
    pub const fn with(self, tunable: Tunable) -> TunableSet {
        TunableSet(self.0 | 1 << tunable as u8)
    }
}

/// The values in force, in nanoseconds or counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sysctl of its own")]
pub struct Tunables {
    /// `sysctl_sched_latency`.
    pub sched_latency: u64,
    /// `sysctl_sched_min_granularity`.
    pub min_granularity: u64,
    /// `sysctl_sched_idle_min_granularity`; 0 where the kernel has none.
    pub idle_min_granularity: u64,
    /// `sysctl_sched_wakeup_granularity`.
    pub wakeup_granularity: u64,
    /// `sysctl_sched_base_slice`; 0 where the kernel has none.
    pub base_slice: u64,
    /// What that was before it was scaled (`normalized_sysctl_sched_base_slice`): setting the slice leaves it.
    pub normalized_base_slice: u64,
    /// `sched_nr_latency`: tasks beyond which the period grows; a constant until someone sets latency or
    /// min granularity, then ⌈latency / min granularity⌉ (`sched_nr_latency_handler`).
    pub nr_latency: u64,
    /// Is `nr_latency` recomputed when someone sets latency or min granularity? Where it is not, setting the scaling
    /// does it (`sched_update_scaling`).
    pub nr_latency_follows: bool,
    /// `sysctl_sched_migration_cost`; −1 = everything is hot.
    pub migration_cost: i64,
    /// `sysctl_sched_nr_migrate`.
    pub nr_migrate: u32,
    /// `sysctl_sched_shares_ratelimit`.
    pub shares_ratelimit: u64,
    /// `sysctl_sched_shares_window`.
    pub shares_window: u64,
    /// `sysctl_sched_time_avg`.
    pub time_avg: u64,
    /// `sysctl_sched_child_runs_first`.
    pub child_runs_first: bool,
    /// `sysctl_sched_compat_yield`.
    pub compat_yield: bool,
    /// `sysctl_sched_autogroup_enabled` (2.6.38 on, 5091faa4; of a kernel with `CONFIG_SCHED_AUTOGROUP`): read where
    /// groups are made, before the run.
    pub autogroup_enabled: bool,
    /// `sched/cgroup_mode` of debugfs; `smp` is what kernels without it do.
    pub cgroup_mode: CgroupMode,
    /// `sched/preempt` of debugfs.
    pub preempt: PreemptModel,
    /// `sysctl_sched_tunable_scaling`.
    pub tunable_scaling: TunableScaling,
    /// `sysctl_sched_energy_aware`, with a governor by which speeds follow utilisation (`schedutil`). The kernel's default
    /// is 1; here it stands for both and is off unless asked for.
    pub energy_aware: bool,
}

impl Tunables {
    /// 200 ms: latency and min granularity are not scaled beyond it (`sched_init_granularity`).
    pub const SCALE_LIMIT: u64 = Nanos::from_millis(200).0;

    /// The value of one tunable.
    pub fn get(&self, tunable: Tunable) -> i64 {
        match tunable {
            Tunable::SchedLatency => self.sched_latency as i64,
            Tunable::MinGranularity => self.min_granularity as i64,
            Tunable::IdleMinGranularity => self.idle_min_granularity as i64,
            Tunable::WakeupGranularity => self.wakeup_granularity as i64,
            Tunable::BaseSlice => self.base_slice as i64,
            Tunable::MigrationCost => self.migration_cost,
            Tunable::NrMigrate => i64::from(self.nr_migrate),
            Tunable::SharesRatelimit => self.shares_ratelimit as i64,
            Tunable::SharesWindow => self.shares_window as i64,
            Tunable::TimeAvg => self.time_avg as i64,
            Tunable::ChildRunsFirst => i64::from(self.child_runs_first),
            Tunable::AutogroupEnabled => i64::from(self.autogroup_enabled),
            Tunable::CompatYield => i64::from(self.compat_yield),
            Tunable::CgroupMode => self.cgroup_mode as i64,
            Tunable::Preempt => self.preempt as i64,
            Tunable::TunableScaling => self.tunable_scaling as i64,
            Tunable::EnergyAware => i64::from(self.energy_aware),
        }
    }

    /// Sets one tunable as an administrator would: unscaled, and with `nr_latency` recomputed where the
    /// kernel does so. `value` is already within the tunable's range.
    pub fn set(&mut self, tunable: Tunable, value: i64) {
        match tunable {
            Tunable::SchedLatency => self.sched_latency = value as u64,
            Tunable::MinGranularity => self.min_granularity = value as u64,
            Tunable::IdleMinGranularity => self.idle_min_granularity = value as u64,
            Tunable::WakeupGranularity => self.wakeup_granularity = value as u64,
            Tunable::BaseSlice => self.base_slice = value as u64,
            Tunable::MigrationCost => self.migration_cost = value,
            Tunable::NrMigrate => self.nr_migrate = value as u32,
            Tunable::SharesRatelimit => self.shares_ratelimit = value as u64,
            Tunable::SharesWindow => self.shares_window = value as u64,
            Tunable::TimeAvg => self.time_avg = value as u64,
            Tunable::ChildRunsFirst => self.child_runs_first = value != 0,
            Tunable::AutogroupEnabled => self.autogroup_enabled = value != 0,
            Tunable::CompatYield => self.compat_yield = value != 0,
            Tunable::CgroupMode => self.cgroup_mode = CgroupMode::of_number(value),
            Tunable::Preempt => self.preempt = PreemptModel::of_number(value),
            Tunable::TunableScaling => self.tunable_scaling = TunableScaling::of_number(value),
            Tunable::EnergyAware => self.energy_aware = value != 0,
        }
        let shapes = matches!(tunable, Tunable::SchedLatency | Tunable::MinGranularity);
        if tunable == Tunable::TunableScaling || shapes && self.nr_latency_follows {
            self.nr_latency = self.sched_latency.div_ceil(self.min_granularity);
        }
    }

    /// Applies the boot-time scaling for `cpus` CPUs to base values.
    #[must_use]
    pub fn scaled(mut self, scaling: Scaling, cpus: usize) -> Tunables {
        let factor = scaling.factor(self.tunable_scaling, cpus);
        self.sched_latency = (self.sched_latency * factor).min(Self::SCALE_LIMIT);
        self.min_granularity = (self.min_granularity * factor).min(Self::SCALE_LIMIT);
        self.wakeup_granularity *= factor;
        self.shares_ratelimit *= factor;
        self.base_slice *= factor;
        self
    }
}
