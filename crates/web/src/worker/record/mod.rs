//! Watches a run for the page: the engine's own counting, and what happened switch by switch.
//!
//! Numbers are the engine's [`Metrics`], the same that the command line prints; here they are only put in the shape of
//! the protocol. What is recorded of single events is bounded. [`Recorder::take`] gives what is new since the last time.
//! Not here: how a run is driven (`session`) or sent (the worker). Pure.

mod lanes;
mod parts;
mod shown;
#[cfg(test)]
mod tests;
mod waiting;

use super::names::TaskNames;
use crate::number::within;
use crate::protocol::{Migration, RunSide, Switch, Topology, Update, Wakeup};
use lanes::Lanes;
pub(super) use lanes::end_why;
use schedlab_engine::config::Scenario;
use schedlab_engine::observe::hash::Hash;
use schedlab_engine::observe::metrics::Metrics;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use schedlab_engine::workload::Start;
use schedlab_engine::workload::program::TemplateId;
use waiting::Waiting;

/// Watches one run.
pub(crate) struct Recorder {
    run: u32,
    side: RunSide,
    seq: u32,
    metrics: Metrics,
    hash: Hash,
    waiting: Waiting,
    lanes: Lanes,
    /// Templates of the tasks that appeared since the last update.
    new_tasks: Vec<TemplateId>,
    names: TaskNames,
    /// Messages that the whole run will take, where that is known.
    expected: Option<u64>,
    end: Instant,
}

impl Recorder {
    /// Watches `sim`, the run of `scenario` called `run`, from its beginning.
    pub(crate) fn new(run: u32, side: RunSide, scenario: &Scenario, sim: &Sim) -> Self {
        let first = (0..).zip(&scenario.world.templates);
        let first = first.filter(|(_, t)| t.start != Start::Forked);
        let cpus = usize::from(scenario.topology.cpus());
        let messages = scenario.estimate().messages;
        Self {
            run,
            side,
            seq: 0,
            metrics: Metrics::new(sim.cast()),
            hash: Hash::default(),
            waiting: Waiting::new(cpus),
            lanes: Lanes::new(cpus),
            new_tasks: first.map(|(n, _)| TemplateId(n)).collect(),
            names: TaskNames::default(),
            expected: messages.filter(|n| *n > 0 && !scenario.to_the_end),
            end: scenario.end,
        }
    }

    /// Has the recording of single events stopped at its limit?
    pub(crate) fn is_full(&self) -> bool {
        self.lanes.is_full()
    }

    /// How many switches, wakeups and migrations there have been, recorded or not.
    pub(crate) fn seen(&self) -> usize {
        self.lanes.seen()
    }

    /// What is new since the last time; `groups` are the names of groups.
    pub(crate) fn take(&mut self, sim: &Sim, groups: &[String]) -> Update {
        let progress = sim.progress();
        let done = progress.stop.is_some();
        let tiles = shown::tiles(&self.metrics, sim, self.hash.get());
        let share = match self.expected {
            Some(expected) => tiles.messages as f64 / expected as f64,
            None => progress.now.0 as f64 / self.end.0.max(1) as f64,
        };
        let new_tasks = std::mem::take(&mut self.new_tasks).into_iter();
        let new_tasks = new_tasks
            .map(|t| shown::task(sim.world(), t, (&mut self.names, groups)))
            .collect();
        let update = Update {
            run: self.run,
            side: self.side,
            seq: self.seq,
            done,
            now_ns: progress.now.0,
            progress: if done {
                1.0
            } else {
                within(share, 0.0, 1.0) as f32
            },
            topology: if self.seq == 0 {
                shown::topology(sim)
            } else {
                Topology::new()
            },
            new_tasks,
            tiles,
            series: shown::series(&self.metrics, progress.now),
            latency: shown::histogram(self.metrics.latency()),
            accounts_ns: shown::accounts(sim),
            parts: parts::parts(&self.metrics, sim, groups),
            trace: self.lanes.take(progress.now.0),
        };
        self.seq += 1;
        update
    }

    /// What the lanes keep of an event.
    fn keep(&mut self, at_ns: u64, event: &Event) {
        match *event {
            Event::Switch {
                cpu,
                next,
                state,
                why,
                forced,
                ..
            } => {
                let prev_end = end_why(state, forced);
                let waiting = self.waiting.on(cpu);
                self.lanes.switch(
                    cpu,
                    Switch {
                        at_ns,
                        task: next.map(|t| t.0),
                        pick: why,
                        prev_end,
                        waiting,
                    },
                );
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
                self.lanes.wakeup(Wakeup {
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
            Event::Migrate {
                task,
                from,
                to,
                why,
            } => {
                let (from_cpu, to_cpu) = (from.0, to.0);
                self.lanes.migration(Migration {
                    at_ns,
                    task: task.0,
                    from_cpu,
                    to_cpu,
                    why,
                });
            }
            Event::Fork {
                parent: Some(_),
                template,
                ..
            } => self.new_tasks.push(template),
            _ => {}
        }
    }
}

impl Observer for Recorder {
    fn record(&mut self, now: Instant, event: &Event) {
        self.metrics.record(now, event);
        // Messages are only counted.
        if matches!(event, Event::Message { .. }) {
            return;
        }
        self.hash.record(now, event);
        self.waiting.record(now, event);
        self.keep(now.0, event);
    }
}
