//! What a run amounts to, as plain numbers: what recordings of real kernels say of themselves, and more.

use super::measures::{TaskMeasure, WorkloadMeasure};
use super::{Counts, LEVELS, Metrics};
use crate::machine::CpuId;
use crate::machine::topology::Distance;
use crate::observe::account::Accounts;
use crate::observe::event::Cause;
use crate::observe::histogram::{Distribution, Histogram};
use crate::sched::bandwidth::QuotaStat;
use crate::sched::decision::{
    BalanceWhy, IdleType, MigrateWhy, PickWhy, PlacementWhy, PreemptWhy, TickWhy,
};
use crate::sched::rq::GroupId;
use crate::time::{Instant, Nanos};
use crate::workload::program::TemplateId;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What the simulator itself has summed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The simulated time.
    pub now: Instant,
    /// CPU time by account, for each CPU; each row sums to `now`.
    pub accounts: Vec<Accounts>,
    /// Events so far: those that the hash covers.
    pub events: u64,
    /// Tasks that ended because they had slept too often for a spin-sleep lock.
    pub gave_up: u64,
    /// What quotas have done to groups, by the group's number: 1 is the first below the root group.
    pub quotas: Vec<(GroupId, QuotaStat)>,
}

/// A mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkReport {
    /// Which, as in the world's list.
    pub mark: u16,
    /// When it was passed first.
    pub first: Instant,
    /// When it was passed last.
    pub last: Instant,
    /// How often it was passed.
    pub n: u64,
}

/// The time that the workloads themselves measure: from the first `go` to the last `done`, where they say so (as
/// hackbench does); else up to `now`. `names` are those of the marks, by number.
pub fn measured(marks: &[MarkReport], names: &[String], now: Instant) -> Nanos {
    let passed = |name: &str| {
        let mark = names.iter().position(|other| *other == name)?;
        marks.iter().find(|m| usize::from(m.mark) == mark)
    };
    match (passed("go"), passed("done")) {
        (Some(go), Some(done)) => done.last.since(go.first),
        (Some(go), None) => now.since(go.first),
        _ => now.since(Instant::ZERO),
    }
}

/// Preemptions of one role by a woken task of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The role of the woken task.
    pub woken: Arc<str>,
    /// The role of the one it took the CPU from.
    pub victim: Arc<str>,
    /// How often.
    pub n: u64,
}

/// Counts by the branch that decided, those that never did left out.
pub type Kinds<T> = Vec<(T, u64)>;

/// Balancing attempts that ended the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalanceCount {
    /// The level, 0 = SMT … 4 = all nodes.
    pub level: u8,
    /// The kind of balancing.
    pub idle: IdleType,
    /// How they ended.
    pub why: BalanceWhy,
    /// How many.
    pub n: u64,
}

/// One task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskReport {
    /// What it was made from: its name, nice value, policy.
    pub template: TemplateId,
    /// CPU time from coming onto a CPU to leaving it, ns.
    pub cpu_ns: u64,
    /// Its part of the CPU time of all tasks, in millionths.
    pub share_ppm: u64,
    /// Messages received and marks passed.
    pub count: u64,
    /// Times it went to sleep or ended.
    pub sw_voluntary: u64,
    /// Times it was taken off, or yielded.
    pub sw_involuntary: u64,
    /// Times it was woken.
    pub wakeups: u64,
    /// Times it changed its CPU.
    pub migrations: u64,
    /// Time runnable without a CPU: after a wakeup, a fork, a preemption or a yield, throttled or not, ns.
    pub waited_ns: u64,
    /// The longest such wait, one still going on included, ns.
    pub longest_wait_ns: u64,
    /// Lengths of uninterrupted runs, ns; a run still going on is not in it.
    pub run: Option<Distribution>,
    /// From being woken, or forked, to running, ns.
    pub wake_to_run: Option<Distribution>,
    /// When it ended.
    pub exit: Option<Instant>,
    /// The CPU it is on or was on last.
    pub cpu: CpuId,
}

/// One workload of the mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadReport {
    /// Messages received.
    pub messages: u64,
    /// From a wakeup, or a fork, of one of its tasks to that running, ns.
    pub wake_to_run: Option<Distribution>,
    /// What its tasks measured at their marks.
    pub measures: Vec<WorkloadMeasure>,
}

/// The whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Context switches, to and from idle included.
    pub context_switches: u64,
    /// Wakeups of sleeping tasks.
    pub wakeups: u64,
    /// Forks, tasks there from the start included.
    pub forks: u64,
    /// Tasks that have ended.
    pub exits: u64,
    /// Switches at which the task slept or ended.
    pub voluntary: u64,
    /// Switches at which it was taken off, or yielded.
    pub involuntary: u64,
    /// Of these: to the task woken last on that CPU, at most 60 µs before, with no tick in between.
    pub wakeup_preemptions: u64,
    /// Those by the roles of the two.
    pub wakeup_preemptions_by_pair: Vec<Pair>,
    /// Of the others: at most 60 µs after a tick.
    pub tick_preemptions: u64,
    /// The rest.
    pub other_involuntary: u64,
    /// Involuntary switches by what really asked for them; none where nothing did.
    pub causes: Kinds<Option<Cause>>,
    /// Migrations.
    pub migrations: u64,
    /// By distance.
    pub migrations_by_distance: Kinds<Distance>,
    /// By what moved them.
    pub migrations_by_why: Kinds<MigrateWhy>,
    /// Ticks.
    pub ticks: u64,
    /// High-resolution ticks.
    pub hrticks: u64,
    /// What ticks decided.
    pub tick_whys: Kinds<TickWhy>,
    /// What switches picked by.
    pub picks: Kinds<PickWhy>,
    /// How CPUs were selected for woken and new tasks.
    pub selections: Kinds<PlacementWhy>,
    /// Run queues read in selecting.
    pub visited: u64,
    /// What became of the test whether a woken or new task preempts.
    pub preempt_checks: Kinds<PreemptWhy>,
    /// Balancing attempts.
    pub balance: Vec<BalanceCount>,
    /// Tasks pulled by balancing.
    pub pulled: u64,
    /// CPU time of all tasks, ns.
    pub tasks_cpu_ns: u64,
    /// CPU time without a task, ns, over all CPUs.
    pub idle_ns: u64,
    /// CPU time idle while a task that might have run there waited behind another, ns.
    pub wasted_ns: u64,
    /// When the last task ended; none if none did.
    pub makespan: Option<Instant>,
    /// Messages received and marks passed, all tasks.
    pub total_count: u64,
    /// Messages received.
    pub messages: u64,
    /// Lengths of runs, ns.
    pub run: Option<Distribution>,
    /// From wakeup to running, ns.
    pub wake_to_run: Option<Distribution>,
}

/// Measures over time, in bins of equal width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesReport {
    /// Width of a bin.
    pub bin: Nanos,
    /// How many; the last may not be full.
    pub bins: usize,
    /// Messages received.
    pub messages: Vec<u64>,
    /// CPU time idle while tasks waited, ns.
    pub wasted: Vec<u64>,
    /// Time not idle, ns: all bins of CPU 0, then of CPU 1, …
    pub busy: Vec<u64>,
    /// Tasks waiting × ns, in the same order.
    pub waiting: Vec<u64>,
}

/// Latencies over time, in bins of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatencySeries {
    /// Width of a bin: a power of two times that of [`SeriesReport`].
    pub bin: Nanos,
    /// Median of the time from wakeup to running, ns, within 3 %; none where nothing came to run.
    pub p50: Vec<Option<u64>>,
    /// 99th percentile of it.
    pub p99: Vec<Option<u64>>,
}

/// A run so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The simulator's own sums.
    pub totals: Totals,
    /// The whole run.
    pub global: Global,
    /// Each workload, in order of the configuration.
    pub workloads: Vec<WorkloadReport>,
    /// Marks that were passed.
    pub marks: Vec<MarkReport>,
    /// What tasks measured at their marks, by number of the task.
    pub measures: Vec<TaskMeasure>,
    /// Each task, by number.
    pub tasks: Vec<TaskReport>,
    /// Measures over time.
    pub series: SeriesReport,
    /// From wakeup to running, ns, in full.
    pub latency: Histogram,
}

impl Metrics {
    /// What the run amounts to so far.
    pub fn report(&self, totals: Totals) -> Report {
        let now = totals.now;
        Report {
            global: self.global(now),
            workloads: self.workload_reports(),
            marks: self.marks(),
            measures: self.task_measures(),
            tasks: self.task_reports(now),
            series: self.series_at(now),
            latency: self.latency.clone(),
            totals,
        }
    }

    /// Measures over time so far, without the rest of the report.
    pub fn series_at(&self, now: Instant) -> SeriesReport {
        let mut series = self.series.without_latencies();
        self.queues.clone().advance(now, &mut series);
        series.report(now)
    }

    /// Latencies over time so far in at most `most` bins: percentiles of everything in a bin, not means of percentiles.
    pub fn latencies_at(&self, now: Instant, most: usize) -> LatencySeries {
        self.series.latencies(now, most)
    }

    /// CPU time of all tasks so far, ns.
    fn ran(&self, now: Instant) -> u64 {
        self.tasks.rest.iter().map(|task| task.ran_until(now)).sum()
    }

    /// Marks that were passed so far.
    pub fn marks(&self) -> Vec<MarkReport> {
        let numbered = (0..).zip(&self.marks);
        numbered
            .filter_map(|(mark, count)| {
                let count = (*count)?;
                Some(MarkReport {
                    mark,
                    first: count.first,
                    last: count.last,
                    n: count.n,
                })
            })
            .collect()
    }

    fn task_reports(&self, now: Instant) -> Vec<TaskReport> {
        let all = self.ran(now);
        let report = |(task, hot): (&super::tasks::TaskCount, &super::tasks::Hot)| {
            let cpu_ns = task.ran_until(now);
            let (waited_ns, longest_wait_ns) = task.waited_until(now);
            TaskReport {
                template: hot.template,
                cpu_ns,
                share_ppm: ppm(cpu_ns, all),
                count: hot.count,
                sw_voluntary: task.voluntary,
                sw_involuntary: task.involuntary,
                wakeups: task.wakeups,
                migrations: task.migrations,
                waited_ns,
                longest_wait_ns,
                run: task.runs.distribution(),
                wake_to_run: task.latency.distribution(),
                exit: task.exit,
                cpu: task.cpu,
            }
        };
        self.tasks
            .rest
            .iter()
            .zip(&self.tasks.hot)
            .map(report)
            .collect()
    }

    /// The whole run so far, without the rest of the report.
    pub fn global(&self, now: Instant) -> Global {
        let ran = self.ran(now);
        let tasks = &self.tasks.rest;
        let sum = |of: fn(&super::tasks::TaskCount) -> u64| tasks.iter().map(of).sum::<u64>();
        let counts = &self.counts;
        let preemptions = &self.preemptions;
        let causes = Cause::ALL.iter().map(|cause| Some(*cause)).chain([None]);
        Global {
            context_switches: counts.switches,
            wakeups: counts.wakeups,
            forks: counts.forks,
            exits: counts.exits,
            voluntary: sum(|task| task.voluntary),
            involuntary: sum(|task| task.involuntary),
            wakeup_preemptions: preemptions.by_wakeup,
            wakeup_preemptions_by_pair: self.pairs(),
            tick_preemptions: preemptions.by_tick,
            other_involuntary: preemptions.other,
            causes: kinds(causes, &preemptions.causes),
            migrations: counts.migrations.iter().flatten().sum(),
            migrations_by_distance: kinds(Distance::ALL.iter().copied(), &by_distance(counts)),
            migrations_by_why: kinds(
                MigrateWhy::ALL.iter().copied(),
                &counts.migrations.map(|row| row.iter().sum()),
            ),
            ticks: counts.ticks,
            hrticks: counts.hrticks,
            tick_whys: kinds(TickWhy::ALL.iter().copied(), &counts.tick_whys),
            picks: kinds(PickWhy::ALL.iter().copied(), &counts.picks),
            selections: kinds(PlacementWhy::ALL.iter().copied(), &counts.selections),
            visited: counts.visited,
            preempt_checks: kinds(PreemptWhy::ALL.iter().copied(), &counts.checks),
            balance: balance(counts),
            pulled: counts.pulled,
            tasks_cpu_ns: ran,
            idle_ns: (now.0 * u64::from(self.cast.cpus)).saturating_sub(ran),
            wasted_ns: self.queues.wasted + self.queues.wasted_since(now),
            makespan: tasks.iter().filter_map(|task| task.exit).max(),
            total_count: self.tasks.hot.iter().map(|task| task.count).sum(),
            messages: self.messages.iter().sum(),
            run: self.runs.distribution(),
            wake_to_run: self.latency.distribution(),
        }
    }

    fn pairs(&self) -> Vec<Pair> {
        let roles = &self.cast.roles;
        let name = |at: usize| {
            let (woken, victim) = (&roles[at / roles.len()], &roles[at % roles.len()]);
            (woken.clone(), victim.clone())
        };
        let counted = self
            .preemptions
            .pairs
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0);
        counted
            .map(|(at, &n)| {
                let (woken, victim) = name(at);
                Pair { woken, victim, n }
            })
            .collect()
    }
}

/// `part` of `all` in millionths, to the nearest.
fn ppm(part: u64, all: u64) -> u64 {
    let all = u128::from(all.max(1));
    ((u128::from(part) * 1_000_000 + all / 2) / all) as u64
}

fn kinds<T>(names: impl Iterator<Item = T>, counts: &[u64]) -> Kinds<T> {
    names
        .zip(counts.iter().copied())
        .filter(|(_, n)| *n > 0)
        .collect()
}

fn by_distance(counts: &Counts) -> [u64; Distance::ALL.len()] {
    core::array::from_fn(|distance| counts.migrations.iter().map(|row| row[distance]).sum())
}

fn balance(counts: &Counts) -> Vec<BalanceCount> {
    let kinds = [IdleType::Idle, IdleType::NotIdle, IdleType::NewlyIdle];
    let mut rows = Vec::new();
    for level in 0..LEVELS {
        for (idle, whys) in kinds.iter().zip(&counts.balance[level]) {
            let attempts = BalanceWhy::ALL.iter().zip(whys).filter(|(_, n)| **n > 0);
            rows.extend(attempts.map(|(&why, &n)| BalanceCount {
                level: level as u8,
                idle: *idle,
                why,
                n,
            }));
        }
    }
    rows
}
