//! A configuration that has been checked: everything the simulator needs, and nothing that can be wrong.

use super::{Config, Field, GroupSpec, LIMITS, Problem, ProblemKind, Problems, Quota};
use crate::machine::{CpuMask, Machine, Topology};
use crate::sched::profile::Kernel;
use crate::time::{Hz, Instant, Nanos};
use crate::workload::World;
use alloc::string::String;
use alloc::vec::Vec;

/// A checked experiment: what [`Config`] says, put together and within all limits.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The machine.
    pub machine: &'static Machine,
    /// Its topology.
    pub topology: Topology,
    /// The kernel: tunables are scaled for this machine, features, tunables and domain flags changed.
    pub kernel: Kernel,
    /// The timer ticks.
    pub ticks: Ticks,
    /// Task groups below the root group, in order: group 1, group 2 …; those of sessions last.
    pub groups: Vec<Group>,
    /// What runs.
    pub world: World,
    /// The seed of everything random.
    pub seed: u64,
    /// When the run ends at the latest.
    pub end: Instant,
    /// Does it go on to that time although every workload that ends has ended?
    pub to_the_end: bool,
    /// Events after which it stops at the latest.
    pub max_events: u64,
}

/// A task group to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The group it is in; 0 = the root group.
    pub parent: u16,
    /// Its shares.
    pub shares: u64,
    /// Its quota.
    pub quota: Option<Quota>,
    /// Its own CPUs.
    pub cpus: Option<CpuMask>,
}

impl Group {
    /// The group of a session: below the root group, with the shares of a new group (`autogroup_create`).
    const OF_SESSION: Group = Group {
        parent: 0,
        shares: GroupSpec::SHARES,
        quota: None,
        cpus: None,
    };
}

/// When CPUs tick: CPU c at `phase + offset(c) + k / hz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Ticks a second.
    pub hz: Hz,
    /// The first tick of CPU 0.
    pub phase: Nanos,
    /// Spread over half a period (`true`), or all together.
    pub skewed: bool,
    /// Does the tick stop on idle CPUs? It finds a CPU idle once more before it does, and another CPU balances for those
    /// that have none ([`crate::sched::balance::Nohz`]).
    pub nohz: bool,
    /// Has the machine been idle for long before the run, as recorded ones have? Then ticks are stopped at first if they
    /// stop at all, and all balancing is due.
    pub idle_before: bool,
}

impl Ticks {
    /// How much later than CPU 0 `cpu` of `cpus` ticks: c × (period / 2) / N before 2.6.36, where
    /// `tick_setup_sched_timer` (kernel/time/tick-sched.c) spreads the CPUs; af5ab277 made them tick together.
    pub fn offset(&self, cpu: u16, cpus: u16) -> Nanos {
        let step = self.hz.period().0 / 2 / u64::from(cpus.max(1));
        Nanos(if self.skewed {
            step * u64::from(cpu)
        } else {
            0
        })
    }
}

impl Config {
    /// The tick rate: the release's own, or the one asked for.
    pub fn hz_in_force(&self) -> Hz {
        self.hz.unwrap_or(Hz(self.kernel.hz))
    }

    /// The kernel as it runs on this machine: tunables scaled, then all changes made.
    pub fn kernel_in_force(&self) -> Kernel {
        let mut kernel = self.kernel_of_deltas();
        kernel.tunables = self.scaled_tunables(&kernel);
        for (feature, on) in self.features.iter() {
            kernel.features = kernel.features.with(*feature, *on);
        }
        for (tunable, value) in self.tunables.iter() {
            kernel.tunables.set(*tunable, *value);
        }
        for ((level, flag), on) in self.sd_flags.iter() {
            for spec in kernel.domains.iter_mut().filter(|d| d.level == *level) {
                spec.flags = spec.flags.with(*flag, *on);
            }
        }
        kernel
    }

    /// Does anything that runs come to its end by itself? If not, and no duration is set, the run ends after
    /// [`Limits::endless`](super::Limits::endless).
    pub fn ends(&self) -> bool {
        let mut catalog = self.workloads.iter();
        catalog.any(|spec| spec.kind.script(&spec.values).ends()) || self.script.ends()
    }

    /// When the run ends at the latest: the time that is set, or how long what runs may take.
    pub fn duration_in_force(&self) -> Nanos {
        let longest = || {
            if self.ends() {
                LIMITS.duration.1
            } else {
                LIMITS.endless
            }
        };
        self.duration.unwrap_or_else(longest)
    }

    /// Everything that keeps this configuration from being run.
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut problem = |field, kind| found.push(Problem { field, kind });
        let kernel = self.kernel_of_deltas();
        for feature in self.features.keys().filter(|f| !kernel.exists.has(**f)) {
            let kind = ProblemKind::NoFeature(*feature, self.kernel.name);
            problem(Field::Features, kind);
        }
        for (tunable, value) in self.tunables.iter() {
            if !kernel.settable.has(*tunable) {
                let kind = ProblemKind::NoTunable(*tunable, self.kernel.name);
                problem(Field::Tunables, kind);
                continue;
            }
            let (low, high) = tunable.info().range;
            if !(low..=high).contains(value) {
                problem(Field::Tunables, ProblemKind::Tunable(*tunable, *value));
            }
        }
        for (_, flag) in self.sd_flags.keys() {
            if kernel.instead_of_flag(*flag).is_some() {
                let kind = ProblemKind::NoFlag(*flag, self.kernel.name);
                problem(Field::SdFlags, kind);
            }
        }
        self.problems_of_time(&mut problem);
        for kind in self.problems_of_groups() {
            problem(Field::Groups, kind);
        }
        self.problems_of_workloads(&mut problem);
        found
    }

    fn problems_of_time(&self, problem: &mut impl FnMut(Field, ProblemKind)) {
        let hz = self.hz_in_force();
        if !(LIMITS.hz.0..=LIMITS.hz.1).contains(&hz) {
            problem(Field::Hz, ProblemKind::Hz(hz));
        } else if self.phase >= hz.period() {
            problem(Field::Phase, ProblemKind::Phase(self.phase, hz.period()));
        }
        if !(1..=LIMITS.events).contains(&self.max_events) {
            problem(Field::Events, ProblemKind::Events(self.max_events));
        }
        let Some(duration) = self.duration else {
            return;
        };
        if !(LIMITS.duration.0..=LIMITS.duration.1).contains(&duration) {
            problem(Field::Duration, ProblemKind::Duration(duration));
            return;
        }
        let a_second = u64::from(hz.0) * u64::from(self.machine.layout.cpus);
        let ticks = (u128::from(duration.0) * u128::from(a_second) / 1_000_000_000) as u64;
        if ticks > LIMITS.ticks && a_second > 0 {
            let longest = Nanos::from_secs(LIMITS.ticks / a_second);
            problem(Field::Duration, ProblemKind::Ticks { ticks, longest });
        }
    }

    fn problems_of_workloads(&self, problem: &mut impl FnMut(Field, ProblemKind)) {
        let count = self.workloads.len();
        if count == 0 && self.script.is_empty() {
            problem(Field::Workloads, ProblemKind::NoWorkload);
        }
        if count > LIMITS.workloads {
            problem(Field::Workloads, ProblemKind::TooManyWorkloads(count));
        }
        self.problems_of_script(problem);
        let mut sizes_known = true;
        for (place, spec) in (1..).zip(&self.workloads) {
            let mut bad = spec.problems(place, self.machine.layout.cpus);
            sizes_known &= bad.is_empty();
            let group = spec
                .group
                .as_deref()
                .filter(|g| self.group_number(g).is_none());
            bad.extend(group.map(|g| ProblemKind::NoGroup(String::from(g))));
            bad.drain(..)
                .for_each(|kind| problem(Field::Workloads, kind));
        }
        if !sizes_known {
            return;
        }
        let catalog: u64 = self.workloads.iter().map(|w| w.kind.tasks(&w.values)).sum();
        let tasks = catalog + u64::from(self.script.tasks());
        if tasks > LIMITS.tasks {
            problem(Field::Workloads, ProblemKind::TooManyTasks(tasks));
        }
    }
}

impl Config {
    fn problems_of_script(&self, problem: &mut impl FnMut(Field, ProblemKind)) {
        let here = CpuMask::first(usize::from(self.machine.layout.cpus));
        for (task, cpus) in self.script.cpu_sets() {
            if !cpus.intersects(&here) {
                let (task, machine) = (String::from(task), self.machine.layout.cpus);
                let kind = ProblemKind::NoCpus {
                    task,
                    cpus,
                    machine,
                };
                problem(Field::Workloads, kind);
            }
        }
        let absent = |name: &&str| self.group_number(name).is_none();
        for name in self.script.groups().into_iter().filter(absent) {
            problem(Field::Workloads, ProblemKind::NoGroup(String::from(name)));
        }
        let mut sessions: Vec<&str> = Vec::new();
        for name in self.script.sessions() {
            if !sessions.contains(&name) {
                sessions.push(name);
            }
        }
        let groups = self.groups.len() + sessions.len();
        if !sessions.is_empty() && groups > LIMITS.groups {
            problem(Field::Workloads, ProblemKind::TooManySessions(groups));
        }
    }

    fn groups_in_force(&self) -> Vec<Group> {
        let group = |spec: &GroupSpec| Group {
            parent: spec
                .parent
                .as_deref()
                .and_then(|p| self.group_number(p))
                .unwrap_or(0),
            shares: spec.shares,
            quota: spec.quota,
            cpus: spec.cpus,
        };
        self.groups.iter().map(group).collect()
    }
}

impl TryFrom<&Config> for Scenario {
    type Error = Problems;

    /// Checks `config` and puts everything together.
    ///
    /// # Errors
    /// Everything that is wrong with it, not just the first thing.
    fn try_from(config: &Config) -> Result<Scenario, Problems> {
        let problems = config.problems();
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        let mut world = World::new();
        let group_of = |name: &str| config.group_number(name).unwrap_or(0);
        for spec in &config.workloads {
            let group = spec.group.as_deref().map_or(0, group_of);
            spec.kind.build(&spec.values, group, &mut world);
        }
        if !config.script.is_empty() {
            config.script.build(&mut world, 0, &group_of);
        }
        keep_to_machine(&mut world, config.machine.layout.cpus);
        let kernel = config.kernel_in_force();
        let mut groups = config.groups_in_force();
        if kernel.tunables.autogroup_enabled {
            group_by_session(&mut world, &mut groups);
        }
        if config.kernel.base.exclusive_pipes() {
            world.make_pipes_exclusive();
        }
        let ends = config.ends();
        debug_assert_eq!(ends, world.templates.iter().any(|t| t.ends));
        Ok(Scenario {
            machine: config.machine,
            topology: config
                .machine
                .topology()
                .expect("machines of the catalog are sound"),
            kernel,
            ticks: Ticks {
                hz: config.hz_in_force(),
                phase: config.phase,
                skewed: config.skew_tick.unwrap_or(config.kernel.skew_tick),
                nohz: config.nohz,
                idle_before: false,
            },
            groups,
            world,
            seed: config.seed,
            end: Instant::ZERO + config.duration_in_force(),
            to_the_end: config.duration.is_some() || !ends,
            max_events: config.max_events,
        })
    }
}

/// Each session with a fair task in the root group is a group, and has such tasks in it (`task_wants_autogroup`,
/// `autogroup_task_group`: 5091faa4). Tasks that exit are not taken back to the root group for the way out
/// (`sched_autogroup_exit_task`).
fn group_by_session(world: &mut World, groups: &mut Vec<Group>) {
    let mut made: Vec<u16> = alloc::vec![0; world.sessions.len()];
    for template in &mut world.templates {
        let Some(session) = usize::from(template.session).checked_sub(1) else {
            continue;
        };
        if template.group != 0 || template.policy.rt_priority() > 0 {
            continue;
        }
        if made[session] == 0 {
            groups.push(Group::OF_SESSION);
            made[session] = groups.len() as u16;
        }
        template.group = made[session];
    }
    world.session_groups = made;
}

/// Takes CPUs that the machine has not out of every set; the check has seen to it that some are left.
fn keep_to_machine(world: &mut World, cpus: u16) {
    let here = CpuMask::first(usize::from(cpus));
    for template in &mut world.templates {
        template.allowed = template.allowed.and(&here);
    }
    for mask in &mut world.masks {
        *mask = mask.and(&here);
    }
}
