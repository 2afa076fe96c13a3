//! What a run is held to: counts, shares and distributions against the recorded ones, each with its tolerance.
//!
//! A tolerance is the largest of the figure for its kind, 3 % of what was recorded, 8 where it is a count, and the
//! spread of the recording's own repeats. hackbench is chaotic in the price of a message (cfs-checked.md §1.3): there
//! the regime is compared, not counts.

use schedlab_formats::recording::{Count, Range, Spread, Summary, TaskSummary};
use std::collections::BTreeMap;

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::check_trace) struct Check {
    /// What is compared, with the task's name before it if it is of one task.
    pub(in crate::check_trace) name: String,
    /// What the simulator made of it.
    pub(in crate::check_trace) predicted: f64,
    /// What was recorded.
    pub(in crate::check_trace) recorded: f64,
    /// How far apart they may be.
    pub(in crate::check_trace) tolerance: f64,
}

impl Check {
    /// Are the two close enough?
    pub(in crate::check_trace) fn ok(&self) -> bool {
        (self.predicted - self.recorded).abs() <= self.tolerance
    }
}

/// What the simulator made of a recording: counts of everybody, and of each task of the scenario by name.
pub(in crate::check_trace) struct Simulated {
    /// Everything that was counted.
    pub(in crate::check_trace) count: Count,
    /// Names of the tasks in `count`.
    pub(in crate::check_trace) names: Vec<String>,
}

/// How a recording is to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    /// By its numbers, on one CPU.
    Numbers,
    /// By its numbers, on several.
    Several,
    /// By its regime: it is chaotic.
    Regime,
}

/// Every comparison that a recording allows, and all its counts, for comparisons with other recordings.
pub(super) fn compare(
    simulated: &Simulated,
    recorded: &Summary,
    repeats: Option<&BTreeMap<String, Range>>,
    judge: Judge,
) -> Ran {
    let counts = counts(simulated, recorded, repeats, judge);
    let checks = match judge {
        Judge::Regime => regime(simulated, recorded),
        Judge::Numbers | Judge::Several => {
            let tasks = tasks(simulated, recorded, judge);
            counts.iter().cloned().chain(tasks).collect()
        }
    };
    Ran { checks, counts }
}

/// What came of a run.
pub(in crate::check_trace) struct Ran {
    /// What it is held to.
    pub(in crate::check_trace) checks: Vec<Check>,
    /// Its counts, be it held to them or not.
    pub(in crate::check_trace) counts: Vec<Check>,
}

/// More than this part of all switches by wakeup preemption, and a hackbench is bound by preemptions; below it, it
/// works in batches of what a pipe holds.
const PREEMPTION_BOUND: f64 = 0.1;

/// 1 where a run is bound by preemptions, 0 where it works in batches.
fn regime(simulated: &Simulated, recorded: &Summary) -> Vec<Check> {
    let of = |preemptions: u64, switches: u64| {
        f64::from(u8::from(
            preemptions as f64 > PREEMPTION_BOUND * switches.max(1) as f64,
        ))
    };
    let (s, r) = (&simulated.count.counts, &recorded.counts);
    vec![Check {
        name: "regime".into(),
        predicted: of(s.wakeup_preemptions, s.context_switches),
        recorded: of(r.wakeup_preemptions, r.context_switches),
        tolerance: 0.0,
    }]
}

fn counts(
    simulated: &Simulated,
    recorded: &Summary,
    repeats: Option<&BTreeMap<String, Range>>,
    judge: Judge,
) -> Vec<Check> {
    let (s, r) = (&simulated.count.counts, &recorded.counts);
    let part = if judge == Judge::Several { 0.15 } else { 0.03 };
    let mut checks = Vec::new();
    let mut count = |name: &str, predicted: u64, recorded: u64| {
        let spread = repeats.and_then(|all| all.get(name));
        let spread = spread.map_or(0.0, |range| range.max - range.min);
        checks.push(Check {
            name: name.into(),
            predicted: predicted as f64,
            recorded: recorded as f64,
            tolerance: (part * recorded as f64).max(8.0).max(spread),
        });
    };
    count("context_switches", s.context_switches, r.context_switches);
    count("voluntary", s.voluntary, r.voluntary);
    count("involuntary", s.involuntary, r.involuntary);
    count(
        "wakeup_preemptions",
        s.wakeup_preemptions,
        r.wakeup_preemptions,
    );
    count("tick_preemptions", s.tick_preemptions, r.tick_preemptions);
    if judge == Judge::Several {
        count("migrations", s.migrations, r.migrations);
    }
    if let Some(makespan) = r.makespan_ns {
        let ends = simulated.count.tasks.values().map(|task| task.exit_ns);
        let last = ends.flatten().max().unwrap_or(0);
        count("makespan_ns", last, makespan);
    }
    checks
}

fn tasks(simulated: &Simulated, recorded: &Summary, judge: Judge) -> Vec<Check> {
    let mut checks = Vec::new();
    let all: u64 = named(simulated, recorded)
        .map(|(_, ours, _)| ours.cpu_ns)
        .sum();
    for (name, ours, theirs) in named(simulated, recorded) {
        let share = ours.cpu_ns as f64 / all.max(1) as f64;
        checks.extend(of_task(name, share, ours, theirs, judge));
    }
    checks
}

/// The tasks of the scenario that both sides know.
fn named<'a>(
    simulated: &'a Simulated,
    recorded: &'a Summary,
) -> impl Iterator<
    Item = (
        &'a str,
        &'a schedlab_formats::recording::Counted,
        &'a TaskSummary,
    ),
> {
    let by_name: BTreeMap<&str, _> = simulated
        .count
        .tasks
        .iter()
        .map(|(name, task)| (simulated.names[name.index()].as_str(), task))
        .collect();
    recorded.tasks.iter().filter_map(move |(name, theirs)| {
        Some((name.as_str(), *by_name.get(name.as_str())?, theirs))
    })
}

/// One tick of the recorded kernels, ns.
const TICK: f64 = 4e6;

fn of_task(
    name: &str,
    share: f64,
    ours: &schedlab_formats::recording::Counted,
    theirs: &TaskSummary,
    judge: Judge,
) -> Vec<Check> {
    let several = judge == Judge::Several;
    let mut checks = Vec::new();
    let mut check = |what: &str, predicted: f64, recorded: f64, tolerance: f64| {
        checks.push(Check {
            name: format!("{name}.{what}"),
            predicted,
            recorded,
            tolerance,
        });
    };
    if let Some(recorded) = theirs.share {
        check("share", share, recorded, if several { 0.03 } else { 0.01 });
    }
    if several {
        return checks;
    }
    let runs = Spread::of(&ours.runs).zip(theirs.run_ns);
    if let Some((ours, theirs)) = runs {
        check("run_ns.p50", ours.p50 as f64, theirs.p50 as f64, TICK);
    }
    let waits = Spread::of(&ours.waits).zip(theirs.wake_to_run_ns);
    if let Some((ours, theirs)) = waits {
        let within = |ns: u64| (0.2 * ns as f64).max(5e3);
        check(
            "wake_to_run_ns.p50",
            ours.p50 as f64,
            theirs.p50 as f64,
            within(theirs.p50),
        );
        // One wait has no tail.
        if theirs.n > 1 {
            check(
                "wake_to_run_ns.p99",
                ours.p99 as f64,
                theirs.p99 as f64,
                within(theirs.p99),
            );
        }
    }
    checks
}
