//! One run in the worker: driven in slices of time, with checkpoints to come back to.
//!
//! Pure but for the clock, which is handed in.

use super::explain::{self, Names};
use super::idle;
use super::record::Recorder;
use crate::protocol::explained::Decision;
use crate::protocol::{About, Explained, Halt, QueuedTask, RunQueue, RunSide, Update};
use schedlab_engine::config::{Config, Scenario};
use schedlab_engine::machine::CpuId;
use schedlab_engine::sched::rq::{CfsRqId, EntityId};
use schedlab_engine::sim::{Sim, Stop};
use schedlab_engine::time::Instant;
use std::cell::RefCell;

/// So many events are simulated between two looks at the clock: about a millisecond's worth.
const BETWEEN_LOOKS: u64 = 1_500;

/// And so much simulated time of one CPU, ns: a thousand ticks, which are no events.
const CPU_TIME_BETWEEN_LOOKS: u64 = 1_000_000_000;

/// The first checkpoints lie this many events apart.
const FIRST_SPACING: u64 = 10_000;

/// At most so many checkpoints are kept; then every other one goes and the spacing doubles.
const CHECKPOINTS: usize = 48;

/// So far before what is asked a run is kept, ns: some steps at a time can be asked about from there.
const NEAR_NS: u64 = 500_000;

/// A step goes over at most so many events that are no switch, wakeup or migration: an idle machine may tick for hours.
const WITHIN_STEP: u32 = 100_000;

/// One run.
pub(super) struct Session {
    sim: Sim,
    recorder: Recorder,
    checkpoints: Vec<Sim>,
    spacing: u64,
    /// The run a little before what was asked last: the next question is seldom far from there.
    near: RefCell<Option<Sim>>,
    /// What groups are called.
    groups: Vec<String>,
}

impl Session {
    /// The run of `scenario` called `run`, before anything has happened.
    pub(super) fn new(run: u32, side: RunSide, config: &Config, scenario: &Scenario) -> Self {
        let sim = Sim::new(scenario);
        Self {
            recorder: Recorder::new(run, side, scenario, &sim),
            checkpoints: vec![sim.clone()],
            sim,
            spacing: FIRST_SPACING,
            near: RefCell::default(),
            groups: explain::group_names(config, scenario),
        }
    }

    /// The simulated time, ns.
    pub(super) fn now_ns(&self) -> u64 {
        self.sim.progress().now.0
    }

    /// Simulates up to `until_ns`, for at most about `budget_ms` of the real time that `clock` tells.
    pub(super) fn slice(&mut self, until_ns: u64, budget_ms: f64, clock: impl Fn() -> f64) {
        let end = clock() + budget_ms;
        let step = CPU_TIME_BETWEEN_LOOKS / u64::from(self.sim.topology().cpus());
        while self.halt().is_none() && self.now_ns() < until_ns && clock() < end {
            let recorder = &mut self.recorder;
            let until = until_ns.min(self.sim.progress().now.0.saturating_add(step));
            self.sim.run_told(Instant(until), BETWEEN_LOOKS, recorder);
            self.check_in();
        }
    }

    /// Simulates up to the next switch, wakeup or migration.
    pub(super) fn step(&mut self) {
        let before = self.recorder.seen();
        for _ in 0..WITHIN_STEP {
            if self.recorder.seen() > before || self.halt().is_some() {
                return;
            }
            self.sim.run_told(Instant::FAR, 1, &mut self.recorder);
            self.check_in();
        }
    }

    /// Why the run is over, if it is.
    pub(super) fn halt(&self) -> Option<Halt> {
        self.sim.progress().stop.map(|stop| match stop {
            Stop::Done => Halt::Finished,
            Stop::Time => Halt::Time,
            Stop::Events => Halt::Events,
            Stop::Quiet => Halt::Quiet,
            Stop::Stuck(_) => Halt::Stuck,
            Stop::Tasks => Halt::Tasks,
        })
    }

    /// What is new since the last time.
    pub(super) fn update(&mut self) -> Update {
        self.recorder.take(&self.sim, &self.groups)
    }

    /// Keeps a checkpoint if the last one is far enough back and what happens is still recorded.
    fn check_in(&mut self) {
        let last = self.checkpoints.last().map_or(0, |c| c.progress().events);
        if self.recorder.is_full() || self.sim.progress().events < last + self.spacing {
            return;
        }
        if self.checkpoints.len() == CHECKPOINTS {
            let mut keep = false;
            self.checkpoints.retain(|_| {
                keep = !keep;
                keep
            });
            self.spacing *= 2;
        }
        self.checkpoints.push(self.sim.clone());
    }

    /// The run as it was when everything up to `at` had happened.
    fn back_at(&self, at: Instant) -> Sim {
        let next = self.checkpoints.partition_point(|c| c.progress().now <= at);
        let checkpoint = &self.checkpoints[next.saturating_sub(1)];
        let near = self.near.take();
        let from = checkpoint.progress().now;
        let nearer = near.filter(|n| (from..=at).contains(&n.progress().now));
        let mut sim = nearer.unwrap_or_else(|| checkpoint.clone());
        // Whoever steps back asks for what is a little earlier.
        let before = Instant(at.0.saturating_sub(NEAR_NS));
        if sim.progress().now < before {
            sim.run_told(before, u64::MAX, &mut ());
        }
        self.near.replace(Some(sim.clone()));
        sim.run_told(at, u64::MAX, &mut ());
        sim
    }

    /// What there is to tell at `at_ns` of the decision `about` something on `cpu`: of a pick that left it idle, how
    /// things are by then.
    pub(super) fn told(
        &self,
        cpu: u16,
        (about, when_ns): (About, u64),
        at_ns: u64,
    ) -> Option<Explained> {
        let asked = Some(about) == Some(About::Pick);
        let idle = asked.then(|| self.idle(cpu, when_ns, at_ns)).flatten();
        idle.or_else(|| self.explained(cpu, (about, when_ns)))
    }

    /// How things are at `at_ns` on `cpu`, if it is idle then, and has been so since `since_ns`.
    fn idle(&self, cpu: u16, since_ns: u64, at_ns: u64) -> Option<Explained> {
        let now_ns = self.now_ns();
        let exists = cpu < self.sim.topology().cpus() && at_ns <= now_ns;
        let before = Instant(since_ns.saturating_sub(idle::BEFORE_NS));
        let before = exists.then(|| self.just_before(before))?;
        let run = (before, self.groups.as_slice());
        let idle = idle::idle(run, CpuId(cpu), [since_ns, at_ns, now_ns])?;
        Some(Explained {
            cpu,
            at_ns,
            decision: Decision::Idle(idle),
        })
    }

    /// The decision `about` something on `cpu` at `at_ns`; none if nothing like that happened then.
    pub(super) fn explained(&self, cpu: u16, (about, at_ns): (About, u64)) -> Option<Explained> {
        let reached = at_ns <= self.sim.progress().now.0 && cpu < self.sim.topology().cpus();
        let before = reached.then(|| self.just_before(Instant(at_ns)))?;
        let run = (&before, self.groups.as_slice());
        explain::explained(run, CpuId(cpu), Instant(at_ns), about)
    }

    /// The run as it was when everything before `at` had happened.
    fn just_before(&self, at: Instant) -> Sim {
        match at.0.checked_sub(1) {
            Some(before) => self.back_at(Instant(before)),
            None => self.checkpoints[0].clone(),
        }
    }

    /// The queue of `cpu` at `at_ns`; none if there is no such CPU or the run has not come so far.
    pub(super) fn queue(&self, cpu: u16, at_ns: u64) -> Option<RunQueue> {
        let reached = at_ns <= self.sim.progress().now.0;
        let exists = cpu < self.sim.topology().cpus();
        (reached && exists).then(|| {
            let sim = self.back_at(Instant(at_ns));
            queue_of(&Names::new(&sim, &self.groups), CpuId(cpu), at_ns)
        })
    }
}

/// The root queue of `cpu`: tasks, and groups of tasks.
fn queue_of(names: &Names<'_>, cpu: CpuId, at_ns: u64) -> RunQueue {
    let sched = names.sim.sched();
    let cfs = &sched.cfs_rq[CfsRqId(u32::from(cpu.0)).0 as usize];
    let waiting = sched.leftmost(cpu, usize::MAX);
    let left = waiting.first().map(|w| w.se);
    let waiting = waiting.into_iter().map(|w| w.se);
    let entities: Vec<EntityId> = cfs.curr.into_iter().chain(waiting).collect();
    let index = |se: Option<EntityId>| entities.iter().position(|e| Some(*e) == se);
    // All of them: places in the list are told below.
    let queued = entities.iter().map(|se| {
        let entity = &sched.se[se.0 as usize];
        QueuedTask {
            task: entity.task.map(|task| task.0),
            comm: names.entity(*se, entity.task),
            vruntime_ns: entity.vruntime,
            weight: entity.load.weight as u32,
        }
    });
    RunQueue {
        cpu: cpu.0,
        at_ns,
        min_vruntime_ns: cfs.min_vruntime,
        // EEVDF lets nobody past for being near the leftmost.
        gran_ns: if sched.rules.is_eevdf() {
            0
        } else {
            sched.tunables.wakeup_granularity
        },
        queued: queued.collect(),
        curr: index(cfs.curr),
        left: index(left),
        next: index(cfs.next),
        last: index(cfs.last),
        throttled: names.throttled(cpu),
    }
}

#[cfg(test)]
mod tests;
