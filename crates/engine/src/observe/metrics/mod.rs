//! Counting a run: everything that a report says, in memory that does not grow with the length of the run.
//!
//! What is counted one by one is told apart by who it belongs to: tasks (`tasks`), preemptions (`preempt`),
//! time (`series`), queues (`queues`). Not here: CPU time by account, which the simulator keeps; and text.

mod freedom;
mod measures;
mod parts;
mod preempt;
mod queues;
mod report;
mod series;
mod tasks;
#[cfg(test)]
mod tests;

pub use measures::{TaskMeasure, WorkloadMeasure};
pub use parts::PartReport;
pub use report::{
    BalanceCount, Global, Kinds, LatencySeries, MarkReport, Pair, Report, SeriesReport, TaskReport,
    Totals, WorkloadReport, measured,
};

use super::event::{Event, Observer, PrevState};
use super::histogram::Histogram;
use crate::machine::topology::Distance;
use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::{
    BalanceWhy, IdleType, MigrateWhy, PickWhy, Placement, PlacementWhy, Preempt, PreemptWhy, Tick,
    TickWhy,
};
use crate::sched::rq::GroupId;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use crate::workload::program::{MarkId, TemplateId};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use freedom::Freedom;
use preempt::Preemptions;
use queues::Queues;
use series::Series;
use tasks::Tasks;

/// What a run consists of, as far as counting needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    /// Number of CPUs.
    pub cpus: u16,
    /// How far any two are apart, row by row.
    pub distance: Vec<Distance>,
    /// The role of each template, as an index into `roles`.
    pub role_of: Vec<u16>,
    /// Names of roles, such as `sender`.
    pub roles: Vec<Arc<str>>,
    /// The workload of each template.
    pub workload_of: Vec<u16>,
    /// Where each template may run.
    pub allowed: Vec<CpuMask>,
    /// The task group of each template.
    pub group_of: Vec<GroupId>,
    /// Of each task group, the group above.
    pub above: Vec<Option<GroupId>>,
    /// Is any task ever kept off a CPU, by a mask, a cpuset or a quota?
    pub confines: bool,
    /// Number of workloads.
    pub workloads: usize,
    /// Number of marks.
    pub marks: usize,
}

/// Levels of scheduling domains that attempts are told apart by.
const LEVELS: usize = 5;

/// Outcomes of balancing attempts, by level and kind of balancing.
type BalanceCounts = [[[u64; BalanceWhy::ALL.len()]; 3]; LEVELS];

/// A mark: first time, last time, how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MarkCount {
    first: Instant,
    last: Instant,
    n: u64,
}

/// Counts by the branch taken.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Counts {
    switches: u64,
    wakeups: u64,
    forks: u64,
    exits: u64,
    ticks: u64,
    hrticks: u64,
    picks: [u64; PickWhy::ALL.len()],
    selections: [u64; PlacementWhy::ALL.len()],
    visited: u64,
    checks: [u64; PreemptWhy::ALL.len()],
    tick_whys: [u64; TickWhy::ALL.len()],
    migrations: [[u64; Distance::ALL.len()]; MigrateWhy::ALL.len()],
    balance: BalanceCounts,
    pulled: u64,
}

/// Counts what it is told.
#[derive(Clone, Debug)]
pub struct Metrics {
    cast: Arc<Cast>,
    now: Instant,
    counts: Counts,
    tasks: Tasks,
    preemptions: Preemptions,
    queues: Queues,
    freedom: Freedom,
    series: Series,
    latency: Histogram,
    runs: Histogram,
    messages: Vec<u64>,
    marks: Vec<Option<MarkCount>>,
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new(cast: Cast) -> Metrics {
        let cpus = usize::from(cast.cpus);
        let freedom = Freedom::new(CpuMask::first(cpus), cast.confines, cast.above.clone());
        Metrics {
            now: Instant::ZERO,
            counts: Counts {
                switches: 0,
                wakeups: 0,
                forks: 0,
                exits: 0,
                ticks: 0,
                hrticks: 0,
                picks: [0; PickWhy::ALL.len()],
                selections: [0; PlacementWhy::ALL.len()],
                visited: 0,
                checks: [0; PreemptWhy::ALL.len()],
                tick_whys: [0; TickWhy::ALL.len()],
                migrations: [[0; Distance::ALL.len()]; MigrateWhy::ALL.len()],
                balance: [[[0; BalanceWhy::ALL.len()]; 3]; LEVELS],
                pulled: 0,
            },
            tasks: Tasks::default(),
            preemptions: Preemptions::new(cpus, cast.roles.len()),
            queues: Queues::new(cpus, cast.confines),
            freedom,
            series: Series::new(cpus),
            latency: Histogram::default(),
            runs: Histogram::default(),
            messages: vec![0; cast.workloads],
            marks: vec![None; cast.marks],
            cast: Arc::new(cast),
        }
    }

    /// The time from wakeup to running, ns, over all tasks so far.
    pub fn latency(&self) -> &Histogram {
        &self.latency
    }

    fn workload(&self, task: TaskId) -> usize {
        usize::from(self.cast.workload_of[self.tasks.template(task)])
    }

    fn role(&self, task: TaskId) -> usize {
        usize::from(self.cast.role_of[self.tasks.template(task)])
    }

    /// `task` waits on `cpu` from now on.
    fn put(&mut self, task: TaskId, cpu: CpuId) {
        if let Some(allowed) = self.freedom.put(task, cpu) {
            self.queues.put(cpu, &allowed, &mut self.series);
        }
    }

    /// `task` waits on `cpu` no longer.
    fn take(&mut self, task: TaskId, cpu: CpuId) {
        if let Some(allowed) = self.freedom.take(task) {
            self.queues.take(cpu, &allowed, &mut self.series);
        }
    }

    /// Something runnable is put on the queue of `cpu`.
    fn queue(&mut self, task: TaskId, cpu: CpuId) {
        self.put(task, cpu);
        self.tasks.queued(task, self.now, cpu);
    }

    /// `task` may have these CPUs from now on.
    fn confine(&mut self, task: TaskId, allowed: CpuMask) {
        let waits = self.freedom.waits(task);
        if let Some(cpu) = waits {
            self.take(task, cpu);
        }
        self.freedom.set_allowed(task, allowed);
        if let Some(cpu) = waits {
            self.put(task, cpu);
        }
    }

    /// `group` is throttled on `cpu`, or no longer is: its tasks cannot run there.
    fn throttle(&mut self, cpu: CpuId, group: GroupId, throttled: bool) {
        let waiting = self.freedom.waiting_below(group);
        for (task, on) in &waiting {
            self.take(*task, *on);
        }
        self.freedom.set_throttled(cpu, group, throttled);
        for (task, on) in waiting {
            self.put(task, on);
        }
    }

    #[inline]
    fn switch(&mut self, cpu: CpuId, prev: Option<TaskId>, next: Option<TaskId>, state: PrevState) {
        let stays = !state.voluntary();
        if let Some(prev) = prev {
            let ran = self.tasks.leaves(prev, self.now, state);
            self.runs.record(ran);
        }
        if let Some(next) = next
            && let Some(waited) = self.tasks.comes(next, self.now)
        {
            self.latency.record(waited);
            self.series.latency(self.now, waited);
        }
        let off = prev.filter(|_| stays);
        let off = off.and_then(|task| self.freedom.put(task, cpu));
        let on = next.and_then(|task| self.freedom.take(task));
        self.queues
            .switch(cpu, (off, on), next.is_some(), &mut self.series);
    }

    fn migrate(&mut self, task: TaskId, from: CpuId, to: CpuId, why: MigrateWhy) {
        let distance = self.cast.distance[from.index() * usize::from(self.cast.cpus) + to.index()];
        self.counts.migrations[why as usize][distance as usize] += 1;
        self.tasks.migrates(task);
        if self.tasks.waits(task) {
            self.take(task, from);
            self.put(task, to);
        }
    }

    /// `task` passes `mark`, and has measured `took` there.
    fn passes(&mut self, mark: MarkId, task: TaskId, took: Option<Nanos>) {
        self.mark(usize::from(mark.0));
        self.tasks.counts(task);
        if let Some(took) = took {
            self.tasks.measures(task, mark, took);
        }
    }

    fn mark(&mut self, at: usize) {
        let now = self.now;
        let mark = self.marks[at].get_or_insert(MarkCount {
            first: now,
            last: now,
            n: 0,
        });
        mark.last = now;
        mark.n += 1;
    }
}

/// What each event counts.
impl Metrics {
    fn appears(&mut self, task: TaskId, template: TemplateId) {
        self.tasks.appears(task, template);
        let at = template.0 as usize;
        let (group, allowed) = (self.cast.group_of[at], self.cast.allowed[at]);
        self.freedom.appears(task, group, allowed);
    }

    fn select(&mut self, task: TaskId, placement: Placement, preempt: Preempt) {
        self.counts.selections[placement.why as usize] += 1;
        self.counts.visited += u64::from(placement.visited);
        self.counts.checks[preempt.why as usize] += 1;
        self.preemptions.woken(self.now, placement.cpu, task);
        self.queue(task, placement.cpu);
    }

    fn balance(&mut self, level: u8, idle: IdleType, why: BalanceWhy, moved: u16) {
        let idle = match idle {
            IdleType::Idle => 0,
            IdleType::NotIdle => 1,
            IdleType::NewlyIdle => 2,
        };
        self.counts.balance[usize::from(level).min(LEVELS - 1)][idle][why as usize] += 1;
        self.counts.pulled += u64::from(moved);
    }

    fn tick(&mut self, cpu: CpuId, tick: Tick, hrtick: bool) {
        self.counts.ticks += u64::from(!hrtick);
        self.counts.hrticks += u64::from(hrtick);
        self.counts.tick_whys[tick.why as usize] += 1;
        self.preemptions.tick(self.now, cpu);
    }

    fn message(&mut self, task: TaskId) {
        let workload = self.workload(task);
        self.messages[workload] += 1;
        self.tasks.counts(task);
        self.series.message(self.now);
    }
}

impl Observer for Metrics {
    fn record(&mut self, now: Instant, event: &Event) {
        self.now = now;
        // By far the most frequent, and nobody comes or goes with it.
        if let Event::Message { task, .. } = *event {
            return self.message(task);
        }
        self.queues.advance(now, &mut self.series);
        match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                why,
                forced,
            } => {
                self.counts.switches += 1;
                self.counts.picks[why as usize] += 1;
                if let (Some(prev), false) = (prev, state.voluntary()) {
                    let winner = next.map(|next| (next, self.role(next)));
                    let victim = self.role(prev);
                    self.preemptions
                        .involuntary(now, cpu, winner, (forced, victim));
                }
                self.switch(cpu, prev, next, state);
            }
            Event::Wakeup {
                task,
                placement,
                preempt,
                ..
            } => {
                self.counts.wakeups += 1;
                self.tasks.wakes(task);
                self.select(task, placement, preempt);
            }
            Event::Migrate {
                task,
                from,
                to,
                why,
            } => self.migrate(task, from, to, why),
            Event::Fork {
                child,
                template,
                placement,
                preempt,
                ..
            } => {
                self.counts.forks += 1;
                self.appears(child, template);
                self.select(child, placement, preempt);
            }
            Event::Exit { .. } => self.counts.exits += 1,
            Event::Tick { cpu, tick, hrtick } => self.tick(cpu, tick, hrtick),
            Event::Balance {
                level,
                idle,
                why,
                moved,
                ..
            } => self.balance(level, idle, why, moved),
            Event::Throttle {
                cpu,
                group,
                throttled,
            } => self.throttle(cpu, group, throttled),
            Event::Affinity { task, allowed } => self.confine(task, allowed),
            // These are counted above.
            Event::Message { .. } => {}
            Event::Mark { mark, task, took } => self.passes(mark, task, took),
        }
    }
}
