//! The JSON of one run: `docs/json.md` describes it, and its field names do not change within one `schema`.
//!
//! Times are whole nanoseconds; names are those of the recordings of real kernels where those have one.

use crate::fairness;
use crate::outcome::Outcome;
use crate::report::{account_sums, quota_stats};
use crate::words::{idle_word, level_name};
use schedlab_engine::config::text::switch_text;
use schedlab_engine::config::{Config, GroupSpec, WorkloadSpec};
use schedlab_engine::fragment;
use schedlab_engine::observe::metrics::{
    BalanceCount, Global, TaskReport, WorkloadMeasure, WorkloadReport,
};
use schedlab_engine::observe::{Account, Distribution};
use schedlab_engine::sched::bandwidth::QuotaStat;
use schedlab_engine::sched::profile::DELTAS;
use schedlab_engine::task::Policy;
use schedlab_engine::workload::Template;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt::Debug;

/// The version of the schema.
pub(crate) const SCHEMA: u32 = 1;

/// The slice that a task was given for itself, ns: none. Such slices came with `sched_setattr` of later kernels; the
/// recordings write 0 for a task that has the default.
const DEFAULT_SLICE_NS: u64 = 0;

/// A map in the order in which it was made.
struct Ordered<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// One run.
#[derive(Serialize)]
pub(crate) struct Run {
    schema: u32,
    schedlab: &'static str,
    link: String,
    warnings: Vec<String>,
    stop: &'static str,
    partial: bool,
    hash: String,
    config: Value,
    global: Value,
    accounts: Ordered<u64>,
    balance: Vec<Value>,
    quotas: Vec<Value>,
    fairness: Value,
    tasks: Ordered<Value>,
    host: Value,
}

impl Run {
    pub(crate) fn new(outcome: &Outcome, warnings: Vec<String>) -> Run {
        let names = outcome.names().into_all();
        let tasks = names.into_iter().zip(&outcome.report.tasks);
        Run {
            schema: SCHEMA,
            schedlab: env!("CARGO_PKG_VERSION"),
            link: fragment::print(&outcome.config),
            warnings,
            stop: outcome.stop_word(),
            partial: outcome.partial(),
            hash: format!("{:016x}", outcome.hash),
            config: config(&outcome.config),
            global: global(outcome),
            accounts: accounts(outcome),
            balance: outcome
                .report
                .global
                .balance
                .iter()
                .map(|b| balance(outcome, b))
                .collect(),
            quotas: quota_stats(outcome).map(quota).collect(),
            fairness: fairness::json(outcome),
            tasks: Ordered(
                tasks
                    .enumerate()
                    .map(|(at, (name, t))| (name, task(outcome, at, t)))
                    .collect(),
            ),
            host: host(outcome),
        }
    }
}

/// What ran, with every value in force.
fn config(config: &Config) -> Value {
    let kernel = config.kernel_in_force();
    let in_it = DELTAS.iter().filter(|d| config.deltas.has(d.id));
    let deltas: Vec<String> = in_it.map(|d| d.id.to_string()).collect();
    let features: Vec<String> = schedlab_engine::sched::features::Feature::ALL
        .iter()
        .filter(|f| kernel.exists.has(**f))
        .map(|f| {
            if kernel.features.has(*f) {
                config.feature_name(*f).to_string()
            } else {
                format!("NO_{}", config.feature_name(*f))
            }
        })
        .collect();
    let tunables: serde_json::Map<String, Value> = schedlab_engine::sched::tunables::Tunable::ALL
        .iter()
        .filter(|t| kernel.settable.has(**t))
        .map(|t| (t.info().name.to_string(), kernel.tunables.get(*t).into()))
        .collect();
    let groups: Vec<Value> = config.groups.iter().map(group).collect();
    let workloads: Vec<Value> = config.workloads.iter().map(workload).collect();
    json!({
        "machine": config.machine.name, "cpus": config.machine.layout.cpus,
        "kernel": config.kernel.name, "deltas": deltas, "features": features, "tunables": tunables,
        "groups": groups, "workloads": workloads, "script": config.script.pretty(), "seed": config.seed, "duration_ns": config.duration.map(|d| d.0),
        "hz": config.hz_in_force().0, "phase_ns": config.phase.0,
        "skew_tick": switch_text(config.skew_tick.unwrap_or(config.kernel.skew_tick)),
        "nohz": switch_text(config.nohz), "max_events": config.max_events,
    })
}

fn group(group: &GroupSpec) -> Value {
    json!({
        "name": group.name, "parent": group.parent, "shares": group.shares,
        "quota_ns": group.quota.map(|q| q.quota.0), "period_ns": group.quota.map(|q| q.period.0),
        "burst_ns": group.quota.map(|q| q.burst.0),
        "cpus": group.cpus.map(|cpus| cpus.to_string()),
    })
}

fn quota((group, stat): (&GroupSpec, &QuotaStat)) -> Value {
    json!({
        "group": group.name, "nr_periods": stat.nr_periods, "nr_throttled": stat.nr_throttled,
        "throttles": stat.throttles, "throttled_ns": stat.throttled_time,
    })
}

fn workload(spec: &WorkloadSpec) -> Value {
    let params = spec.kind.params().iter().zip(&spec.values);
    let values: serde_json::Map<String, Value> = params
        .map(
            |(p, value)| match usize::try_from(*value).ok().and_then(|i| p.choices.get(i)) {
                Some(word) => (p.name.to_string(), (*word).into()),
                None => (p.name.to_string(), (*value).into()),
            },
        )
        .collect();
    json!({ "name": spec.kind.name(), "params": values, "group": spec.group })
}

fn distribution(of: Option<Distribution>) -> Option<Value> {
    let d = of?;
    Some(json!({
        "min": d.min, "p10": d.p10, "p50": d.p50, "p90": d.p90, "p99": d.p99, "p999": d.p999,
        "max": d.max, "mean": d.mean, "n": d.n,
    }))
}

/// Counts by reason; the keys are the reasons' names.
fn kinds<T: Debug>(kinds: &[(T, u64)]) -> Value {
    let named = kinds
        .iter()
        .map(|(kind, n)| (format!("{kind:?}"), (*n).into()));
    Value::Object(named.collect())
}

fn global(outcome: &Outcome) -> Value {
    let g = &outcome.report.global;
    let mut whole = counts(g);
    let rest = json!({
        "t_end_ns": outcome.report.totals.now.0,
        "events": outcome.report.totals.events,
        "gave_up": outcome.report.totals.gave_up,
        "makespan_ns": g.makespan.map(|at| at.0),
        "completed": g.exits,
        "messages": g.messages,
        "measured_ns": outcome.measured_ns(),
        "messages_per_s": outcome.messages_per_second(),
        "messages_by_workload": outcome.report.workloads.iter().map(|w| w.messages).collect::<Vec<_>>(),
        "measures": outcome.report.workloads.iter().enumerate().flat_map(|(at, w)| measures(outcome, at, w)).collect::<Vec<_>>(),
        "wake_to_run_by_workload_ns": outcome.report.workloads.iter().map(|w| distribution(w.wake_to_run)).collect::<Vec<_>>(),
        "run_all_ns": distribution(g.run),
        "wake_to_run_all_ns": distribution(g.wake_to_run),
    });
    if let (Value::Object(whole), Value::Object(rest)) = (&mut whole, rest) {
        whole.extend(rest);
    }
    whole
}

/// What the tasks of a workload measured at their marks.
fn measures(outcome: &Outcome, at: usize, workload: &WorkloadReport) -> Vec<Value> {
    let measure = |m: &WorkloadMeasure| {
        json!({
            "workload": at, "mark": outcome.mark_name(m.mark), "took_ns": distribution(Some(m.took)),
            "per_s": m.took.n as f64 / outcome.seconds(),
        })
    };
    workload.measures.iter().map(measure).collect()
}

fn counts(g: &Global) -> Value {
    let pairs: serde_json::Map<String, Value> = g
        .wakeup_preemptions_by_pair
        .iter()
        .map(|p| (format!("{}>{}", p.woken, p.victim), p.n.into()))
        .collect();
    let causes: serde_json::Map<String, Value> = g
        .causes
        .iter()
        .map(|(cause, n)| {
            (
                cause.map_or("None".into(), |c| format!("{c:?}")),
                (*n).into(),
            )
        })
        .collect();
    json!({
        "context_switches": g.context_switches, "wakeups": g.wakeups, "forks": g.forks,
        "exits": g.exits, "voluntary": g.voluntary, "involuntary": g.involuntary,
        "wakeup_preemptions": g.wakeup_preemptions, "wakeup_preemptions_by_pair": pairs,
        "tick_preemptions": g.tick_preemptions, "other_involuntary": g.other_involuntary,
        "involuntary_by_cause": causes, "migrations": g.migrations,
        "migrations_by_distance": kinds(&g.migrations_by_distance),
        "migrations_by_reason": kinds(&g.migrations_by_why), "ticks": g.ticks, "hrticks": g.hrticks,
        "ticks_by_reason": kinds(&g.tick_whys), "picks_by_reason": kinds(&g.picks),
        "selections_by_reason": kinds(&g.selections), "selection_visited": g.visited,
        "preempt_checks_by_reason": kinds(&g.preempt_checks), "pulled": g.pulled,
        "tasks_cpu_ns": g.tasks_cpu_ns, "other_cpu_ns": 0, "idle_ns": g.idle_ns,
        "wasted_ns": g.wasted_ns, "total_count": g.total_count,
    })
}

fn accounts(outcome: &Outcome) -> Ordered<u64> {
    let names = Account::ALL.iter().map(|a| format!("{}_ns", a.name()));
    Ordered(names.zip(account_sums(outcome)).collect())
}

fn balance(outcome: &Outcome, b: &BalanceCount) -> Value {
    let (level, idle, why) = (
        level_name(b.level, outcome.scenario.kernel.rules.domains),
        idle_word(b.idle),
        format!("{:?}", b.why),
    );
    json!({ "level": level, "idle": idle, "reason": why, "n": b.n })
}

/// What one task measured, by mark.
fn measured(outcome: &Outcome, at: usize) -> Value {
    let of_task = outcome
        .report
        .measures
        .iter()
        .filter(|m| m.task.index() == at);
    let named = of_task.map(|m| {
        (
            outcome.mark_name(m.mark).to_string(),
            distribution(Some(m.took)),
        )
    });
    Value::Object(named.map(|(name, took)| (name, took.into())).collect())
}

fn task(outcome: &Outcome, at: usize, t: &TaskReport) -> Value {
    let template = &outcome.scenario.world.templates[t.template.0 as usize];
    json!({
        "role": &*template.role, "workload": template.workload, "nice": template.nice.get(),
        "policy": policy(template), "slice_ns": template.slice.map_or(DEFAULT_SLICE_NS, |s| s.0), "count": t.count, "cpu_ns": t.cpu_ns,
        "share": t.share_ppm as f64 / 1e6, "sw_voluntary": t.sw_voluntary,
        "sw_involuntary": t.sw_involuntary, "wakeups": t.wakeups, "migrations": t.migrations,
        "run_ns": distribution(t.run), "wake_to_run_ns": distribution(t.wake_to_run),
        "measured_ns": measured(outcome, at), "waited_ns": t.waited_ns, "longest_wait_ns": t.longest_wait_ns,
        "exit_ns": t.exit.map(|at| at.0), "cpu": t.cpu.0,
    })
}

/// The kernel's number of a policy.
const fn policy(template: &Template) -> u8 {
    match template.policy {
        Policy::Normal => 0,
        Policy::Fifo(_) => 1,
        Policy::Rr(_) => 2,
        Policy::Batch => 3,
        Policy::Idle => 5,
    }
}

/// What depends on the machine it ran on.
fn host(outcome: &Outcome) -> Value {
    let seconds = outcome.driven.elapsed.as_secs_f64();
    let a_second = |n: u64| n as f64 / seconds.max(1e-9);
    json!({
        "elapsed_s": seconds,
        "events_per_s": a_second(outcome.report.totals.events),
        "messages_per_s": a_second(outcome.report.global.messages),
        "simulated_per_real": outcome.report.totals.now.0 as f64 / 1e9 / seconds.max(1e-9),
    })
}
