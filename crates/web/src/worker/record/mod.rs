//! Watches a run for the page: sums, measures over time, and what happened switch by switch.
//!
//! An observer of the engine. It keeps only what the pictures show, in bounded memory; [`Recorder::take`] gives what is
//! new since the last time. Not here: how a run is driven (`session`) or sent (the worker). Pure.

mod lanes;
mod latency;
mod series;
mod standing;
#[cfg(test)]
mod tests;

use crate::protocol::{
    Account as Shown, CpuPlace, Migration, RunSide, TaskInfo, Tiles, Topology, TraceDelta, Update,
    Wakeup,
};
use lanes::{Lanes, Leaves};
use latency::Latencies;
use schedlab_engine::config::Scenario;
use schedlab_engine::machine::CpuId;
use schedlab_engine::machine::topology::Unit;
use schedlab_engine::observe::{Account, Event, Observer};
use schedlab_engine::sched::decision::PickWhy;
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use schedlab_engine::workload::ipc::ChannelId;
use schedlab_engine::workload::program::TemplateId;
use schedlab_engine::workload::{Start, World};
use series::Series;
use standing::Standing;

/// Watches one run.
pub(crate) struct Recorder {
    run: u32,
    side: RunSide,
    seq: u32,
    tiles: Tiles,
    /// Which channels count as throughput.
    counted: Vec<bool>,
    /// Templates of the tasks that appeared since the last update.
    new_tasks: Vec<TemplateId>,
    standing: Standing,
    lanes: Lanes,
    latencies: Latencies,
    series: Series,
    /// Messages that the whole run will take, where that is known.
    expected: Option<u64>,
    end: Instant,
}

impl Recorder {
    /// Watches the run of `scenario` called `run`, from its beginning.
    pub(crate) fn new(run: u32, side: RunSide, scenario: &Scenario) -> Self {
        let world = &scenario.world;
        let cpus = usize::from(scenario.topology.cpus());
        let first = (0..)
            .zip(&world.templates)
            .filter(|(_, t)| matches!(t.start, Start::At(_)));
        Self {
            run,
            side,
            seq: 0,
            tiles: Tiles::default(),
            counted: world.channels.iter().map(|c| c.counted).collect(),
            new_tasks: first.map(|(n, _)| TemplateId(n)).collect(),
            standing: Standing::new(world, scenario.topology.all()),
            lanes: Lanes::new(cpus),
            latencies: Latencies::default(),
            series: Series::new(cpus),
            expected: scenario
                .estimate()
                .messages
                .filter(|n| *n > 0 && !scenario.to_the_end),
            end: scenario.end,
        }
    }

    /// What is new since the last time.
    pub(crate) fn take(&mut self, sim: &Sim) -> Update {
        let now = sim.progress().now;
        let done = sim.progress().stop.is_some();
        self.settle(now);
        self.tiles.events = sim.progress().events;
        self.tiles.wasted_ns = self.standing.wasted_ns();
        self.latencies.fill(&mut self.tiles);
        let first = self.seq == 0;
        let update = Update {
            run: self.run,
            side: self.side,
            seq: self.seq,
            done,
            now_ns: now.0,
            progress: if done { 1.0 } else { self.share_done(now) },
            topology: if first {
                topology(sim)
            } else {
                Topology::new()
            },
            new_tasks: std::mem::take(&mut self.new_tasks)
                .into_iter()
                .map(|t| info(sim.world(), t))
                .collect(),
            tiles: self.tiles,
            series: self.series.shown(),
            latency: self.latencies.histogram(),
            accounts_ns: accounts(sim),
            trace: self.lanes.take(now.0),
        };
        self.seq += 1;
        update
    }

    /// Has the recording of single events stopped at its limit?
    pub(crate) fn is_full(&self) -> bool {
        self.lanes.is_full()
    }

    /// How much of the run is done, 0 … 1.
    fn share_done(&self, now: Instant) -> f32 {
        let share = match self.expected {
            Some(expected) => self.tiles.messages as f64 / expected as f64,
            None => now.0 as f64 / self.end.0.max(1) as f64,
        };
        share.clamp(0.0, 1.0) as f32
    }

    /// Brings everything that adds up over time to `now`.
    fn settle(&mut self, now: Instant) {
        self.standing.settle(now.0);
        self.series.settle(now.0);
    }

    /// `task` waits on `cpu` from now on.
    fn waits(&mut self, now: u64, task: TaskId, cpu: CpuId) {
        self.standing.waits(now, task, cpu);
        self.series.waiting(now, cpu, self.standing.waiting(cpu));
    }

    /// `task` no longer waits where it waited.
    fn waits_no_more(&mut self, now: u64, task: TaskId) {
        if let Some(cpu) = self.standing.waits_no_more(now, task) {
            self.series.waiting(now, cpu, self.standing.waiting(cpu));
        }
    }

    fn switch(
        &mut self,
        now: u64,
        cpu: CpuId,
        prev: Option<(TaskId, Leaves)>,
        next: Option<TaskId>,
    ) {
        if let Some((prev, leaves)) = prev {
            self.standing.stops(now, cpu);
            if leaves.stays_runnable() {
                self.waits(now, prev, cpu);
            }
        }
        if let Some(next) = next {
            self.waits_no_more(now, next);
            self.standing.runs(now, cpu);
            if let Some(latency) = self.latencies.runs(now, next) {
                self.series.latency(now, latency);
            }
        }
        self.series.busy(now, cpu, next.is_some());
    }

    fn becomes_runnable(&mut self, now: u64, task: TaskId, cpu: CpuId) {
        self.latencies.wakes(now, task);
        self.waits(now, task, cpu);
    }

    fn moves(&mut self, moved: Migration) {
        let (now, task) = (moved.at_ns, TaskId(moved.task));
        self.tiles.migrations += 1;
        if self.standing.waits_somewhere(task) {
            self.waits_no_more(now, task);
            self.waits(now, task, CpuId(moved.to_cpu));
        }
        self.lanes.migration(moved);
    }
}

impl Recorder {
    /// A CPU goes from one task to another.
    fn switches(
        &mut self,
        at: u64,
        cpu: CpuId,
        (prev, next): (Option<TaskId>, Option<TaskId>),
        (why, leaves): (PickWhy, Leaves),
    ) {
        self.tiles.switches += 1;
        if prev.is_some() {
            self.tiles.preempted_by_wakeup += u64::from(leaves.by_wakeup());
            self.tiles.preempted_by_tick += u64::from(leaves.by_tick());
        }
        self.switch(at, cpu, prev.map(|p| (p, leaves)), next);
        let waiting = self.standing.waiting(cpu);
        self.lanes.switch(at, cpu, next, (why, leaves), waiting);
    }

    /// A task is there that was not.
    fn forks(&mut self, at: u64, parent: Option<TaskId>, child: TaskId, made: (TemplateId, CpuId)) {
        let (template, cpu) = made;
        if parent.is_some() {
            self.new_tasks.push(template);
            self.standing.appears(template);
        }
        self.becomes_runnable(at, child, cpu);
    }

    fn message(&mut self, at: u64, channel: ChannelId) {
        let counted = self.counted.get(channel.0 as usize);
        if counted.copied().unwrap_or(false) {
            self.tiles.messages += 1;
            self.series.message(at);
        }
    }

    fn wakes(&mut self, wakeup: Wakeup) {
        self.tiles.wakeups += 1;
        let (task, cpu) = (TaskId(wakeup.task), CpuId(wakeup.to_cpu));
        self.becomes_runnable(wakeup.at_ns, task, cpu);
        self.lanes.wakeup(wakeup);
    }
}

impl Observer for Recorder {
    fn record(&mut self, now: Instant, event: &Event) {
        let at_ns = now.0;
        match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                why,
                forced,
            } => {
                let leaves = Leaves::new(state, forced);
                self.switches(at_ns, cpu, (prev, next), (why, leaves));
            }
            Event::Wakeup {
                task,
                prev_cpu,
                waker,
                waker_cpu,
                sync,
                placement,
                preempt,
            } => {
                self.wakes(Wakeup {
                    at_ns,
                    task: task.0,
                    waker: waker.map(|w| w.0),
                    from_cpu: waker_cpu.0,
                    to_cpu: placement.cpu.0,
                    prev_cpu: prev_cpu.0,
                    sync,
                    preempts: preempt.yes,
                    preempt: preempt.why,
                    placement: placement.why,
                });
            }
            Event::Fork {
                parent,
                child,
                template,
                placement,
                ..
            } => {
                self.forks(at_ns, parent, child, (template, placement.cpu));
            }
            Event::Migrate {
                task,
                from,
                to,
                why,
            } => {
                let (from_cpu, to_cpu) = (from.0, to.0);
                self.moves(Migration {
                    at_ns,
                    task: task.0,
                    from_cpu,
                    to_cpu,
                    why,
                });
            }
            Event::Message { channel, .. } => self.message(at_ns, channel),
            Event::Exit { .. }
            | Event::Tick { .. }
            | Event::Balance { .. }
            | Event::Mark { .. } => {}
        }
    }
}

/// What a task made from `template` is called.
fn info(world: &World, template: TemplateId) -> TaskInfo {
    let template = &world.templates[template.0 as usize];
    TaskInfo {
        comm: template.name.as_str().into(),
        kind: template.role.into(),
        group: group(&template.name, template.workload),
    }
}

/// The group that stands in a name like `recv 3.17`; a task without one counts by its workload.
fn group(name: &str, workload: u16) -> u16 {
    let number = name
        .split_once(' ')
        .and_then(|(_, rest)| rest.split_once('.'))
        .map(|(group, _)| group);
    number.and_then(|n| n.parse().ok()).unwrap_or(workload)
}

fn topology(sim: &Sim) -> Topology {
    let topology = sim.topology();
    let place = |cpu| CpuPlace {
        node: topology.unit_of(Unit::Node, cpu),
        package: topology.unit_of(Unit::Package, cpu),
        llc: topology.unit_of(Unit::Llc, cpu),
        core: topology.unit_of(Unit::Core, cpu),
    };
    topology.all().iter().map(place).collect()
}

/// CPU time by the accounts that are shown, over all CPUs.
fn accounts(sim: &Sim) -> [f64; Shown::COUNT] {
    let mut sums = [0.0; Shown::COUNT];
    for cpu in sim.topology().all().iter() {
        for (account, ns) in Account::ALL.into_iter().zip(sim.accounts(cpu)) {
            sums[shown(account) as usize] += ns as f64;
        }
    }
    sums
}

const fn shown(account: Account) -> Shown {
    match account {
        Account::Work | Account::Kernel | Account::Spin => Shown::Work,
        Account::Switch => Shown::Switch,
        Account::Refill => Shown::Refill,
        Account::Selection => Shown::Selection,
        Account::Balancing => Shown::Balancing,
        Account::Interrupt => Shown::Interrupt,
        Account::Idle => Shown::Idle,
    }
}
