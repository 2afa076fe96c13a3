//! The simulator: it owns everything, moves time, asks the scheduler in the kernel's order, and tells what happened.
//!
//! A [`Sim`] is a value: a clone is a checkpoint, and running the clone is running the same run. It is the only
//! caller of an [`Observer`], and the only room that knows both the machine's costs and the scheduler's decisions.
//! Not here: any rule of the scheduler.
//!
//! Where time passes: a message goes, and its reader is woken, at the *end* of `send`; what a tick, a selection
//! or a wakeup costs delays what the CPU does next, so the kernel's clock charges it to the running task; a switch
//! and what a task fetches after it are charged to the task that comes. Computing can be interrupted at any time, an
//! operation in the kernel where `preempt` is full or lazy; else the CPU reschedules at its end (`PREEMPT_VOLUNTARY`, the
//! x86-64 configuration of 2009).

mod accounts;
mod affinity;
mod bandwidth;
mod block;
mod cpu;
pub mod divergence;
mod finish;
mod idle;
mod locks;
mod real_time;
mod run;
mod schedule;
mod start;
mod task_life;
#[cfg(test)]
mod tests;
mod thread;
mod tick;
mod wake;

use crate::config::{Group, Quota, Scenario, Ticks};
use crate::event_queue::EventQueue;
use crate::machine::cache::Caches;
use crate::machine::catalog::IdleState;
use crate::machine::cost::CostTable;
use crate::machine::energy::EnergyModel;
use crate::machine::topology::Unit;
use crate::machine::{CpuId, Topology};
use crate::observe::{Event, Observer};
use crate::sched::bandwidth::CfsQuota;
use crate::sched::rq::GroupId;
use crate::sched::{Sched, SchedSetup, SearchCost};
use crate::task::TaskId;
use crate::time::Instant;
use crate::workload::World;
use crate::workload::ipc::{Channel, QueueKind, WaitList};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use cpu::Cpu;
use locks::Lock;
use thread::Thread;

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The simulated time is up.
    Time,
    /// Every workload that ends has ended.
    Done,
    /// Everything sleeps, and nothing will ever wake it.
    Quiet,
    /// As many events as were allowed have happened.
    Events,
    /// That many steps passed without time passing; the task named goes round without using any.
    Stuck(Option<TaskId>),
    /// A task would have been one more than [`World::MAX_TASKS`].
    Tasks,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The simulated time.
    pub now: Instant,
    /// Events so far: those that the hash covers.
    pub events: u64,
    /// Is it over, and why?
    pub stop: Option<Stop>,
}

/// What never changes during a run.
#[derive(Debug)]
struct Stage {
    topology: Topology,
    costs: CostTable,
    world: World,
    ticks: Ticks,
    seed: u64,
    /// The idle states of each CPU.
    idle: Vec<Vec<IdleState>>,
    end: Instant,
    to_the_end: bool,
    max_events: u64,
}

/// Which idle states each CPU has.
fn idle_states(scenario: &Scenario) -> Vec<Vec<IdleState>> {
    let of = |cpu| {
        let states = scenario.machine.idle.iter();
        states.filter(|state| state.is_of(cpu)).cloned().collect()
    };
    scenario.topology.all().iter().map(of).collect()
}

/// A condition queue.
#[derive(Clone, Debug)]
struct Queue {
    kind: QueueKind,
    /// Has a [`QueueKind::Poll`] been woken already?
    open: bool,
    /// Wakeups that a [`QueueKind::Semaphore`] keeps.
    kept: u32,
    sleepers: WaitList,
}

/// A barrier.
#[derive(Clone, Debug, Default)]
struct Barrier {
    arrived: u32,
    sleepers: WaitList,
}

/// A run at some instant. `Clone` is a checkpoint.
#[derive(Clone, Debug)]
pub struct Sim {
    stage: Arc<Stage>,
    now: u64,
    events: u64,
    stop: Option<Stop>,
    /// Steps at this instant.
    steps_here: u32,
    sched: Sched,
    queue: EventQueue,
    caches: Caches,
    cpus: Vec<Cpu>,
    threads: Vec<Thread>,
    channels: Vec<Channel>,
    queues: Vec<Queue>,
    locks: Vec<Lock>,
    /// Tasks that gave a lock up.
    gave_up: u64,
    barriers: Vec<Barrier>,
    /// The CPU whose [`crate::event_queue::Slot::Bandwidth`] holds the next timer of a quota.
    bandwidth_cpu: CpuId,
    /// Tasks that run or could.
    runnable: u32,
    /// CPUs that are not idle.
    busy: u32,
    /// Do kernel paths take the same on every CPU, at any time?
    even: bool,
    /// How many times as long instructions take as on a machine whose CPUs do not take turns.
    pace: u32,
    /// Tasks of workloads that end, alive or to come from the start.
    awaited: u32,
}

impl Sim {
    /// The run of `scenario`, before anything has happened.
    pub fn new(scenario: &Scenario) -> Sim {
        let costs = CostTable::new(scenario.machine, &scenario.topology);
        let caches = Caches::new(&scenario.machine.speeds, &scenario.topology);
        Sim::assemble(scenario, costs, caches)
    }

    /// The same on a machine where nothing costs anything and timers are exact: what worked examples run on.
    pub fn without_costs(scenario: &Scenario) -> Sim {
        let costs = CostTable::free(&scenario.topology);
        Sim::assemble(scenario, costs, Caches::free())
    }

    /// The scheduler learns the seed of its dice, and what a newly idle CPU's search takes on this machine.
    fn set_up_searches(&mut self) {
        self.sched.seed_dice(self.stage.seed);
        let direct = &self.stage.costs.direct;
        self.sched.search_cost = SearchCost {
            base: direct.balance_base,
            queue: direct.balance_cpu,
        };
    }

    fn assemble(scenario: &Scenario, costs: CostTable, caches: Caches) -> Sim {
        let topology = &scenario.topology;
        let setup = SchedSetup {
            kernel: scenario.kernel,
            tunables: scenario.kernel.tunables,
            topology: topology.clone(),
            hz: scenario.ticks.hz,
            energy: EnergyModel::new(&scenario.machine.layout.energy),
        };
        let world = &scenario.world;
        let sibling = |cpu| {
            topology
                .span_of(Unit::Core, cpu)
                .iter()
                .find(|other| *other != cpu)
        };
        let queue = |&kind: &QueueKind| Queue {
            kind,
            open: false,
            kept: 0,
            sleepers: WaitList::default(),
        };
        let mut sim = Sim {
            now: 0,
            events: 0,
            stop: None,
            steps_here: 0,
            sched: Sched::new(&setup),
            queue: EventQueue::new(topology.cpus()),
            caches,
            cpus: topology
                .all()
                .iter()
                .map(|cpu| Cpu::new(sibling(cpu)))
                .collect(),
            threads: Vec::with_capacity(world.templates.len()),
            channels: world
                .channels
                .iter()
                .map(|spec| Channel::new(*spec))
                .collect(),
            queues: world.queues.iter().map(queue).collect(),
            gave_up: 0,
            locks: world.locks.iter().map(|kind| Lock::new(*kind)).collect(),
            barriers: vec![Barrier::default(); world.barriers.len()],
            bandwidth_cpu: CpuId(0),
            runnable: 0,
            busy: 0,
            even: costs.is_even() && !costs.turns,
            pace: 1,
            awaited: 0,
            stage: Arc::new(Stage {
                idle: idle_states(scenario),
                topology: topology.clone(),
                costs,
                world: world.clone(),
                ticks: scenario.ticks,
                seed: scenario.seed,
                end: scenario.end,
                to_the_end: scenario.to_the_end,
                max_events: scenario.max_events,
            }),
        };
        sim.make_groups(&scenario.groups);
        sim.sync_bandwidth(&mut ());
        sim.set_up_searches();
        sim.arm_ticks();
        sim.create_first_tasks();
        sim
    }

    fn make_groups(&mut self, groups: &[Group]) {
        for group in groups {
            let parent = GroupId(group.parent.into());
            let made = self.sched.new_group(parent, group.shares);
            if let Some(Quota {
                quota,
                period,
                burst,
            }) = group.quota
            {
                let quota = CfsQuota {
                    quota: quota.0,
                    period: period.0,
                    burst: burst.0,
                };
                self.sched.set_quota(made, Some(quota), Instant(0));
            }
            if let Some(cpus) = group.cpus {
                self.sched.set_cpuset(made, cpus);
            }
        }
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        Progress {
            now: Instant(self.now),
            events: self.events,
            stop: self.stop,
        }
    }

    /// What runs.
    pub fn world(&self) -> &World {
        &self.stage.world
    }

    /// The machine's topology.
    pub fn topology(&self) -> &Topology {
        &self.stage.topology
    }

    /// The scheduler's state.
    pub fn sched(&self) -> &Sched {
        &self.sched
    }

    /// The task on `cpu`; none = idle.
    pub fn running(&self, cpu: CpuId) -> Option<TaskId> {
        self.cpus[cpu.index()].curr
    }

    /// Tells what happened.
    #[inline]
    fn tell(&mut self, obs: &mut impl Observer, event: &Event) {
        obs.record(Instant(self.now), event);
    }

    /// Tells what happened, where it is one of the events that are counted.
    #[inline]
    fn tell_counted(&mut self, obs: &mut impl Observer, event: &Event) {
        self.events += 1;
        if self.events >= self.stage.max_events && self.stop.is_none() {
            self.stop = Some(Stop::Events);
        }
        obs.record(Instant(self.now), event);
    }

    fn cpu(&mut self, cpu: CpuId) -> &mut Cpu {
        &mut self.cpus[cpu.index()]
    }

    fn thread(&mut self, task: TaskId) -> &mut Thread {
        &mut self.threads[task.index()]
    }
}
