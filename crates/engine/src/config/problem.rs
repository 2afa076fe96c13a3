//! What is wrong with a configuration: each problem names its field and says what to do about it.

use super::text::{tunable_range_text, tunable_text};
use super::{Field, LIMITS, Quota};
use crate::machine::CpuMask;
use crate::machine::sd_flags::SdFlags;
use crate::sched::features::Feature;
use crate::sched::tunables::Tunable;
use crate::time::{Hz, Nanos};
use crate::words::plural::counted;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// One thing that keeps a configuration from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The part it is in.
    pub field: Field,
    /// What is wrong.
    pub kind: ProblemKind,
}

/// Everything that is wrong with a configuration; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Nothing runs.
    NoWorkload,
    /// More workloads than the limit.
    TooManyWorkloads(usize),
    /// More tasks than the limit.
    TooManyTasks(u64),
    /// A parameter of a workload is not within its range.
    Parameter {
        /// The workload's place in the mix, from 1.
        place: usize,
        /// Its name.
        workload: &'static str,
        /// The parameter.
        name: &'static str,
        /// Its value, as written.
        value: String,
        /// What is allowed, as written.
        allowed: String,
    },
    /// A workload has more or fewer values than parameters.
    Parameters {
        /// The workload's place in the mix, from 1.
        place: usize,
        /// Its name.
        workload: &'static str,
    },
    /// A workload is pinned to a CPU that the machine has not.
    AbsentCpu {
        /// The workload's place in the mix, from 1.
        place: usize,
        /// Its name.
        workload: &'static str,
        /// The parameter that says so.
        param: &'static str,
        /// The CPU that is not there.
        cpu: i64,
        /// How many CPUs there are.
        cpus: u16,
    },
    /// A workload, or a task, is in a group that is not there.
    NoGroup(String),
    /// A task is confined to CPUs of which the machine has none.
    NoCpus {
        /// What the task is called.
        task: String,
        /// The CPUs.
        cpus: CpuMask,
        /// How many there are.
        machine: u16,
    },
    /// More groups than the limit.
    TooManyGroups(usize),
    /// Two groups have the same name.
    SameGroup(String),
    /// A group is in one that does not come before it.
    NoParent {
        /// The group.
        group: String,
        /// The one it is said to be in.
        parent: String,
    },
    /// A group is inside more groups than the limit.
    GroupDepth(String),
    /// The shares of a group are not within their range.
    Shares(String, u64),
    /// A group has a quota, and the kernel knows none.
    NoQuotas(String, &'static str),
    /// A quota has a burst, and the kernel knows none.
    NoBurst(String, &'static str),
    /// A quota, its period or its burst, is not within its range.
    Quota(String, Quota),
    /// A group has CPUs that a group above has not, and the kernel wants cpusets inside each other.
    CpusetOutside {
        /// The group.
        group: String,
        /// The one above it.
        above: String,
        /// The kernel.
        kernel: &'static str,
    },
    /// A group has CPUs of which the machine has none.
    NoCpusOfGroup {
        /// The group.
        group: String,
        /// The CPUs.
        cpus: CpuMask,
        /// How many there are.
        machine: u16,
    },
    /// There are more groups than the limit, those of sessions counted.
    TooManySessions(usize),
    /// The kernel has no such feature.
    NoFeature(Feature, &'static str),
    /// The kernel has no such tunable.
    NoTunable(Tunable, &'static str),
    /// The kernel has no such domain flag.
    NoFlag(SdFlags, &'static str),
    /// A tunable is not within its range.
    Tunable(Tunable, i64),
    /// The tick rate is not within its range.
    Hz(Hz),
    /// The first tick comes after a whole period.
    Phase(Nanos, Nanos),
    /// The duration is not within its range.
    Duration(Nanos),
    /// The event limit is zero or beyond all bounds.
    Events(u64),
    /// The run would tick longer than anyone waits.
    Ticks {
        /// How many ticks it would take.
        ticks: u64,
        /// The longest duration that would do.
        longest: Nanos,
    },
}

impl fmt::Display for Problem {
    /// `w: nothing runs; add a workload such as hackbench`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field.key(), self.kind)
    }
}

impl fmt::Display for Problems {
    /// One problem a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            let newline = if i > 0 { "\n" } else { "" };
            write!(f, "{newline}{problem}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Problems {}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::NoWorkload => {
                f.write_str("nothing runs; add a workload such as hackbench")
            }
            ProblemKind::TooManyWorkloads(n) => write!(
                f,
                "{n} workloads are too many; use at most {}, with their count parameters",
                LIMITS.workloads
            ),
            ProblemKind::TooManyTasks(n) => write!(
                f,
                "{n} tasks are too many; make do with {} in all",
                LIMITS.tasks
            ),
            ProblemKind::Parameter {
                place,
                workload,
                name,
                value,
                allowed,
            } => write!(
                f,
                "{workload} (number {place}): {name}={value} is not allowed; use {allowed}"
            ),
            ProblemKind::Parameters { place, workload } => write!(
                f,
                "{workload} (number {place}) has not one value for each of its parameters"
            ),
            ProblemKind::AbsentCpu {
                place,
                workload,
                param,
                cpu,
                cpus,
            } => write!(
                f,
                "{workload} (number {place}): {param}={cpu}, but the machine has {}; \
                 use 0 to {} or another machine",
                counted(*cpus, "CPU", "CPUs"),
                cpus.saturating_sub(1)
            ),
            other => other.fmt_groups(f),
        }
    }
}

impl ProblemKind {
    /// The words for problems of groups and of tasks in the workload language.
    fn fmt_groups(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::NoGroup(name) => {
                write!(f, "there is no group {name}; declare it, or take it out")
            }
            ProblemKind::NoCpus {
                task,
                cpus,
                machine,
            } => write!(
                f,
                "task {task} may run on {cpus} only, but the machine has {}; use 0 to {} \
                 or another machine",
                counted(*machine, "CPU", "CPUs"),
                machine.saturating_sub(1)
            ),
            ProblemKind::TooManyGroups(n) => {
                write!(f, "{n} groups are too many; make do with {}", LIMITS.groups)
            }
            ProblemKind::SameGroup(name) => {
                write!(f, "two groups are called {name}; rename one")
            }
            ProblemKind::NoParent { group, parent } => write!(
                f,
                "{group} is in {parent}, which is no group that comes before it"
            ),
            ProblemKind::GroupDepth(name) => write!(
                f,
                "{name} is inside too many groups; make do with {}",
                LIMITS.group_depth
            ),
            ProblemKind::Shares(name, shares) => {
                let (low, high) = LIMITS.group_shares;
                write!(
                    f,
                    "{name}: {shares} shares are not allowed; use {low} to {high}"
                )
            }
            ProblemKind::NoQuotas(name, kernel) => write!(
                f,
                "{name} has a quota, but {kernel} knows none: CFS bandwidth came with 3.2; take it out, or use a newer kernel"
            ),
            ProblemKind::NoBurst(name, kernel) => write!(
                f,
                "{name} has a burst, but {kernel} knows none: it came with 5.14; take it out, or use a newer kernel"
            ),
            ProblemKind::Quota(
                name,
                Quota {
                    quota,
                    period,
                    burst,
                },
            ) if burst > quota => write!(
                f,
                "{name}: a burst of {burst} is more than its quota; use at most {quota} (the period is {period})"
            ),
            ProblemKind::Quota(name, Quota { quota, period, .. }) => {
                let (low, high) = LIMITS.quota_period;
                write!(
                    f,
                    "{name}: {quota} of each {period} is not allowed; use a period of {low} to {high}, and a quota of at least {low}"
                )
            }
            other => other.fmt_cpusets(f),
        }
    }

    /// The words for problems of cpusets and sessions.
    fn fmt_cpusets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::CpusetOutside {
                group,
                above,
                kernel,
            } => write!(
                f,
                "{group} has CPUs that {above} above it has not, which {kernel} refuses; give it some of those, or use a kernel with cgroup v2"
            ),
            ProblemKind::NoCpusOfGroup {
                group,
                cpus,
                machine,
            } => write!(
                f,
                "{group} has the CPUs {cpus} only, but the machine has {machine}; use 0 to {} or another machine",
                machine.saturating_sub(1)
            ),
            ProblemKind::TooManySessions(n) => write!(
                f,
                "{n} groups, those of sessions counted, are too many; make do with {}",
                LIMITS.groups
            ),
            other => other.fmt_settings(f),
        }
    }

    /// The words for problems of kernel settings and of sizes.
    fn fmt_settings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::NoFeature(feature, kernel) => {
                let name = feature.info().name;
                write!(f, "this {kernel} has no {name}; take it out")
            }
            ProblemKind::NoTunable(tunable, kernel) => {
                let name = tunable.info().name;
                write!(f, "this {kernel} has no {name}; take it out")
            }
            ProblemKind::NoFlag(flag, kernel) => {
                write!(f, "this {kernel} has no {}; take it out", flag.name())
            }
            ProblemKind::Tunable(tunable, value) => {
                let (name, value) = (tunable.info().name, tunable_text(*tunable, *value));
                let allowed = tunable_range_text(*tunable);
                write!(f, "{name}:{value} is not allowed; use {allowed}")
            }
            ProblemKind::Hz(Hz(hz)) => {
                let (Hz(low), Hz(high)) = LIMITS.hz;
                write!(
                    f,
                    "{hz} ticks a second are not allowed; use {low} to {high}"
                )
            }
            ProblemKind::Phase(phase, period) => write!(
                f,
                "the first tick at {phase} is a whole period late; use less than {period}"
            ),
            ProblemKind::Duration(duration) => {
                let (low, high) = LIMITS.duration;
                write!(f, "a run of {duration} is not allowed; use {low} to {high}")
            }
            ProblemKind::Events(n) => {
                let high = LIMITS.events;
                write!(f, "a limit of {n} events is not allowed; use 1 to {high}")
            }
            ProblemKind::Ticks { ticks, longest } => write!(
                f,
                "the run would take {ticks} timer ticks; shorten it to {longest} or lower hz"
            ),
            _ => Ok(()),
        }
    }
}
