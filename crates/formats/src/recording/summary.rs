//! `summary.json`: what was counted over the whole trace, of each task and of all.

use super::fields::{self, At};
use super::{SUMMARY, Unreadable};

/// What was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The kernel, as the folder above is called.
    pub kernel_tag: String,
    /// Is every event in `trace.csv.gz`? It is cut at a size.
    pub trace_complete: bool,
    /// Of the whole machine; all 0 where no trace was taken.
    pub counts: Counts,
    /// Of each task of the scenario, by name.
    pub tasks: Vec<(String, TaskSummary)>,
}

/// A distribution, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Smallest.
    pub min: u64,
    /// A tenth is no longer.
    pub p10: u64,
    /// Half are no longer.
    pub p50: u64,
    /// Nine tenths are no longer.
    pub p90: u64,
    /// All but a hundredth are no longer.
    pub p99: u64,
    /// Largest.
    pub max: u64,
    /// Mean.
    pub mean: f64,
    /// How many.
    pub n: u64,
}

/// Counts of the whole machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// End of the recording, ns.
    pub t_end_ns: u64,
    /// Switches.
    pub context_switches: u64,
    /// Wakeups.
    pub wakeups: u64,
    /// Switches away from a task that was no longer runnable.
    pub voluntary: u64,
    /// Switches away from a runnable one.
    pub involuntary: u64,
    /// Involuntary ones to the last task woken, at most 60 µs after that and with no tick between.
    pub wakeup_preemptions: u64,
    /// Involuntary ones with a tick at most 60 µs before.
    pub tick_preemptions: u64,
    /// The other involuntary ones.
    pub other_involuntary: u64,
    /// Migrations.
    pub migrations: u64,
    /// Ticks.
    pub ticks: u64,
    /// Hrticks.
    pub hrticks: u64,
    /// Time idle, ns.
    pub idle_ns: u64,
    /// CPU time of the scenario's tasks, ns.
    pub tasks_cpu_ns: u64,
    /// CPU time of everybody else, ns.
    pub other_cpu_ns: u64,
    /// Last exit of a task of the scenario, ns; none if they do not end.
    pub makespan_ns: Option<u64>,
    /// Loops done, all tasks together.
    pub total_count: u64,
}

/// Counts of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSummary {
    /// Nice value at the start.
    pub nice: i64,
    /// 0 normal, 1 FIFO, 3 batch, 5 idle.
    pub policy: u64,
    /// Custom slice, ns; 0 is the default.
    pub slice_ns: u64,
    /// Its group; empty is the root group.
    pub cgroup: String,
    /// Its program.
    pub ops: String,
    /// Loops done.
    pub count: u64,
    /// CPU time, ns.
    pub cpu_ns: u64,
    /// Its share of all tasks' CPU time; none where no trace was taken.
    pub share: Option<f64>,
    /// Switches away when no longer runnable.
    pub sw_voluntary: u64,
    /// Switches away when still runnable.
    pub sw_involuntary: u64,
    /// Wakeups.
    pub wakeups: u64,
    /// Migrations.
    pub migrations: u64,
    /// Lengths of uninterrupted runs.
    pub run_ns: Option<Spread>,
    /// From a wakeup until it runs.
    pub wake_to_run_ns: Option<Spread>,
    /// When it ended, ns; none if it does not.
    pub exit_ns: Option<u64>,
}

impl Summary {
    /// What the bytes of `summary.json` say.
    ///
    /// # Errors
    /// The first place that is not as it should be.
    pub fn read(bytes: &[u8]) -> Result<Summary, Unreadable> {
        let value = fields::parse(SUMMARY, bytes)?;
        let top = At::top(SUMMARY, &value);
        let global = top.field("global")?;
        let complete = global.maybe("trace_complete")?;
        let mut tasks = Vec::new();
        for (name, task) in top.field("tasks")?.fields()? {
            tasks.push((name.to_string(), TaskSummary::read(&task)?));
        }
        Ok(Summary {
            kernel_tag: top.text_of("kernel_tag")?,
            trace_complete: complete.map_or(Ok(false), |field| field.switch())?,
            counts: Counts::read(&global)?,
            tasks,
        })
    }
}

impl Counts {
    fn read(global: &At<'_>) -> Result<Counts, Unreadable> {
        let count = |name: &str| Ok(global.maybe_count(name)?.unwrap_or(0));
        Ok(Counts {
            t_end_ns: count("t_end_ns")?,
            context_switches: count("context_switches")?,
            wakeups: count("wakeups")?,
            voluntary: count("voluntary")?,
            involuntary: count("involuntary")?,
            wakeup_preemptions: count("wakeup_preemptions")?,
            tick_preemptions: count("tick_preemptions")?,
            other_involuntary: count("other_involuntary")?,
            migrations: count("migrations")?,
            ticks: count("ticks")?,
            hrticks: count("hrticks")?,
            idle_ns: count("idle_ns")?,
            tasks_cpu_ns: count("tasks_cpu_ns")?,
            other_cpu_ns: count("other_cpu_ns")?,
            makespan_ns: global.maybe_count("makespan_ns")?,
            total_count: count("total_count")?,
        })
    }
}

impl TaskSummary {
    fn read(task: &At<'_>) -> Result<TaskSummary, Unreadable> {
        let count = |name: &str| Ok(task.maybe_count(name)?.unwrap_or(0));
        let text = |name: &str| {
            task.maybe(name)?
                .map_or(Ok(String::new()), |field| field.text())
        };
        Ok(TaskSummary {
            nice: task.field("nice")?.integer()?,
            policy: task.count_of("policy")?,
            slice_ns: count("slice_ns")?,
            cgroup: text("cgroup")?,
            ops: text("ops")?,
            count: count("count")?,
            cpu_ns: count("cpu_ns")?,
            share: task
                .maybe("share")?
                .map(|field| field.number())
                .transpose()?,
            sw_voluntary: count("sw_voluntary")?,
            sw_involuntary: count("sw_involuntary")?,
            wakeups: count("wakeups")?,
            migrations: count("migrations")?,
            run_ns: spread(task, "run_ns")?,
            wake_to_run_ns: spread(task, "wake_to_run_ns")?,
            exit_ns: task.maybe_count("exit_ns")?,
        })
    }
}

/// A distribution, if there is one and anything was counted in it.
fn spread(task: &At<'_>, name: &str) -> Result<Option<Spread>, Unreadable> {
    let Some(at) = task.maybe(name)? else {
        return Ok(None);
    };
    let n = at.maybe_count("n")?.unwrap_or(0);
    if n == 0 {
        return Ok(None);
    }
    let max = at.count_of("max")?;
    Ok(Some(Spread {
        min: at.count_of("min")?,
        p10: at.count_of("p10")?,
        p50: at.count_of("p50")?,
        p90: at.count_of("p90")?,
        p99: at.maybe_count("p99")?.unwrap_or(max),
        max,
        mean: at.field("mean")?.number()?,
        n,
    }))
}
