//! The workloads one can choose: each a table of parameters and a text in the workload language.
//!
//! Not here: how a program runs. Controls, links and the command line all walk [`WorkloadKind::params`].

mod cyclictest;
mod hackbench;
mod hogs;
mod schbench;
mod sleeper;
mod tcp_rr;
#[cfg(test)]
mod tests;

use super::World;
use super::lang::{self, Script};
use crate::time::Nanos;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// What kind of number a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParamUnit {
    /// A count.
    Count,
    /// A time, ns.
    Time,
    /// Bytes.
    Bytes,
    /// A size in KiB.
    KiB,
    /// A nice value.
    Nice,
    /// A CPU number; −1 = any.
    Cpu,
    /// An index into the choices.
    Choice,
}

/// What there is to know of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name in links and lists.
    pub name: &'static str,
    /// Its unit.
    pub unit: ParamUnit,
    /// Its value if none is given.
    pub default: i64,
    /// Smallest value.
    pub min: i64,
    /// Largest value.
    pub max: i64,
    /// The words a [`ParamUnit::Choice`] is chosen from, by index; else empty.
    pub choices: &'static [&'static str],
    /// What it is, in one sentence.
    pub what: &'static str,
}

/// A workload of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadKind {
    /// Groups of senders and receivers.
    Hackbench,
    /// Request and reply over loopback TCP.
    TcpRr,
    /// Tasks that only compute.
    Hogs,
    /// Tasks that wake once a period.
    Sleeper,
    /// Threads that measure how late timers wake them.
    Cyclictest,
    /// Workers that are woken for each request, and measure how long that takes.
    Schbench,
}

/// Why a workload cannot be built although each value is in its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadProblem {
    /// The machine has no such CPU.
    NoSuchCpu {
        /// The parameter that names it.
        param: &'static str,
        /// The CPU.
        cpu: i64,
    },
    /// All workloads together are more tasks than [`World::MAX_TASKS`].
    TooManyTasks(u64),
}

impl fmt::Display for WorkloadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkloadProblem::NoSuchCpu { param, cpu } => {
                write!(f, "{param}: the machine has no CPU {cpu}")
            }
            WorkloadProblem::TooManyTasks(n) => {
                write!(f, "{n} tasks: at most {} may run", World::MAX_TASKS)
            }
        }
    }
}

impl WorkloadKind {
    /// Every workload.
    pub const ALL: &'static [WorkloadKind] = &[
        WorkloadKind::Hackbench,
        WorkloadKind::TcpRr,
        WorkloadKind::Hogs,
        WorkloadKind::Sleeper,
        WorkloadKind::Cyclictest,
        WorkloadKind::Schbench,
    ];

    /// The name in links and lists.
    pub const fn name(self) -> &'static str {
        match self {
            WorkloadKind::Hackbench => "hackbench",
            WorkloadKind::TcpRr => "tcp_rr",
            WorkloadKind::Hogs => "hogs",
            WorkloadKind::Sleeper => "sleeper",
            WorkloadKind::Cyclictest => "cyclictest",
            WorkloadKind::Schbench => "schbench",
        }
    }

    /// What it is, in one sentence.
    pub const fn what(self) -> &'static str {
        match self {
            WorkloadKind::Hackbench => {
                "Groups of senders that each write to every receiver of their group; receivers never answer."
            }
            WorkloadKind::TcpRr => {
                "Pairs of processes that pass one byte to and fro over loopback TCP (netperf TCP_RR)."
            }
            WorkloadKind::Hogs => "Tasks that only compute.",
            WorkloadKind::Sleeper => "Tasks that wake once a period, compute a little and sleep.",
            WorkloadKind::Cyclictest => {
                "Threads that sleep until the next period and measure how late they are awake (rt-tests)."
            }
            WorkloadKind::Schbench => {
                "Workers that compute under a lock of their CPU and are woken for the next request by a message thread."
            }
        }
    }

    /// Its parameters; values are given in this order.
    pub const fn params(self) -> &'static [ParamInfo] {
        match self {
            WorkloadKind::Hackbench => hackbench::PARAMS,
            WorkloadKind::TcpRr => tcp_rr::PARAMS,
            WorkloadKind::Hogs => hogs::PARAMS,
            WorkloadKind::Sleeper => sleeper::PARAMS,
            WorkloadKind::Cyclictest => cyclictest::PARAMS,
            WorkloadKind::Schbench => schbench::PARAMS,
        }
    }

    /// The workload of that name.
    pub fn by_name(name: &str) -> Option<WorkloadKind> {
        WorkloadKind::ALL.iter().find(|k| k.name() == name).copied()
    }

    /// How many tasks it makes. `values` are in the order and ranges of [`WorkloadKind::params`].
    pub fn tasks(self, values: &[i64]) -> u64 {
        match self {
            WorkloadKind::Hackbench => hackbench::tasks(values),
            WorkloadKind::TcpRr => 2 * values[0] as u64,
            WorkloadKind::Hogs | WorkloadKind::Sleeper | WorkloadKind::Cyclictest => {
                values[0] as u64
            }
            WorkloadKind::Schbench => schbench::tasks(values),
        }
    }

    /// What stands against building it on a machine of `cpus` CPUs.
    ///
    /// # Errors
    /// The first parameter that names a CPU the machine does not have.
    pub fn check(self, values: &[i64], cpus: u16) -> Result<(), WorkloadProblem> {
        let named = self.params().iter().zip(values);
        let bad = named
            .filter(|(param, _)| param.unit == ParamUnit::Cpu)
            .find(|(_, cpu)| **cpu >= i64::from(cpus));
        match bad {
            Some((param, &cpu)) => Err(WorkloadProblem::NoSuchCpu {
                param: param.name,
                cpu,
            }),
            None => Ok(()),
        }
    }

    /// It in the workload language. `values` are in the order and ranges of [`WorkloadKind::params`].
    pub fn text(self, values: &[i64]) -> String {
        match self {
            WorkloadKind::Hackbench => hackbench::script(values),
            WorkloadKind::TcpRr => tcp_rr::script(values),
            WorkloadKind::Hogs => hogs::script(values),
            WorkloadKind::Sleeper => sleeper::script(values),
            WorkloadKind::Cyclictest => cyclictest::script(values),
            WorkloadKind::Schbench => schbench::script(values),
        }
    }

    /// The same, read.
    pub fn script(self, values: &[i64]) -> Script {
        let parsed = lang::parse(&self.text(values), &[]);
        debug_assert_eq!(parsed.faults, [], "the catalog is well-formed");
        parsed.script
    }

    /// Adds it to `world`, its tasks in that group (0 = the root group). `values` are in the order and ranges of
    /// [`WorkloadKind::params`], [`WorkloadKind::check`] found nothing, and there are not too many tasks.
    pub fn build(self, values: &[i64], group: u16, world: &mut World) {
        self.script(values).build(world, group, &|_| 0);
        if let Some(member) = world.members.last_mut() {
            member.kind = Some(self);
        }
    }
}

/// A count.
const fn count(name: &'static str, default: i64, max: i64, what: &'static str) -> ParamInfo {
    param(name, ParamUnit::Count, (default, 1, max), what)
}

/// A number; `range` is default, smallest, largest.
const fn param(
    name: &'static str,
    unit: ParamUnit,
    range: (i64, i64, i64),
    what: &'static str,
) -> ParamInfo {
    ParamInfo {
        name,
        unit,
        default: range.0,
        min: range.1,
        max: range.2,
        choices: &[],
        what,
    }
}

/// A choice; the first is the default.
const fn choice(
    name: &'static str,
    choices: &'static [&'static str],
    what: &'static str,
) -> ParamInfo {
    ParamInfo {
        name,
        unit: ParamUnit::Choice,
        default: 0,
        min: 0,
        max: choices.len() as i64 - 1,
        choices,
        what,
    }
}

/// A nice value, 0 by default.
const fn nice(what: &'static str) -> ParamInfo {
    param("nice", ParamUnit::Nice, (0, -20, 19), what)
}

/// A slice that tasks ask for, none by default. Kernels that let them hold it to 0.1 to 100 ms
/// (`__setparam_fair`, 6.12).
const fn slice(what: &'static str) -> ParamInfo {
    param("slice", ParamUnit::Time, (0, 0, 1_000_000_000), what)
}

/// A CPU number, any by default.
const fn cpu(name: &'static str, what: &'static str) -> ParamInfo {
    param(name, ParamUnit::Cpu, (-1, -1, 255), what)
}

/// The trait of a task that is pinned to a CPU; nothing if it is not (−1).
fn on_cpu(cpu: i64) -> String {
    match cpu {
        0.. => format!(" cpus {cpu}"),
        _ => String::new(),
    }
}

/// The trait of a task with that nice value.
fn nice_trait(nice: i64) -> String {
    match nice {
        0 => String::new(),
        nice => format!(" nice {nice}"),
    }
}

/// The trait of a task that asks for that slice, ns; nothing if it asks for none (0).
fn slice_trait(ns: i64) -> String {
    match ns {
        0 => String::new(),
        ns => format!(" slice {}", Nanos(ns as u64)),
    }
}

/// The trait of a task that starts then, ns.
fn start_at(ns: i64) -> String {
    match ns {
        0 => String::new(),
        ns => format!(" start {}", Nanos(ns as u64)),
    }
}
