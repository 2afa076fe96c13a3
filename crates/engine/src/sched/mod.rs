//! The door of the scheduler: [`Sched`] is its whole state, and the only thing drivers talk to.
//!
//! A driver (the simulator, or a recording that is replayed) calls in the kernel's order and owns time: it
//! reads the clock into a run queue with [`Sched::update_rq_clock`] where the kernel does, and no policy
//! function knows any other clock. The sequences, for a CPU `c`:
//!
//! - wakeup of `p` by a task on `this`: `wake_flags`, `update_rq_clock(task_cpu)`, `record_wakee`, `select_task_rq`,
//!   `commit_selection`; if the CPU changed, `set_task_cpu`; if `queues_wakeup`, `queue_wakeup` and, when that says so,
//!   an interrupt there: `update_rq_clock`, and for each `next_queued_wakeup` `activate_task(p, true)` and
//!   `check_preempt_curr`. Else, if the CPU changed, `update_target_clock`; `activate_task(p, true)`;
//!   `record_wakeup_by(waker)` unless in an interrupt; `check_preempt_curr`.
//! - fork: `new_task` with its parent, `task_fork`, `select_task_rq(Fork)`, `set_task_cpu`, `update_rq_clock`,
//!   `wake_up_new_task`.
//! - schedule(): `begin_schedule`, `update_rq_clock`, `deactivate_task(curr, true)` if it blocks,
//!   `pull_rt_tasks` if `needs_rt_pull`, `idle_balance` if nothing is left, `put_prev_task`, `pick_next_task`,
//!   `push_rt_tasks` if that is a real-time task; if `need_resched` is set after that, schedule() again.
//!   `push_rt_tasks` after a wakeup, too, if `pushes_woken`.
//! - tick: `update_rq_clock`, `update_cpu_load`, `task_tick`, then `rebalance_domains`; if that took the lock of
//!   the serialized levels, `hold_balancing` until the pass is over. Each CPU of `Balanced::active` is to run its
//!   migration thread: a schedule() there, with `put_prev_for_good` in place of `put_prev_task`, and
//!   `active_load_balance` before `pick_next_task`.
//! - sched_yield: `update_rq_clock`, `yield_task`, schedule().
//! - a task that ends: schedule(), then `task_dead`.
//! - the timer of a quota or of real-time tasks, at [`Sched::bandwidth_timer`]: `bandwidth_timer_fires`, and the CPUs that it names reschedule.
//!
//! Decisions are returned with their reason; nothing here reports them to anyone.

mod absent;
pub mod balance;
pub mod bandwidth;
mod base_eevdf;
mod bases;
mod cfs;
mod cgroup_mode;
mod class;
mod cpuset;
pub mod decision;
mod deltas;
pub mod eevdf;
mod entity;
mod fair;
pub mod features;
pub mod fixture;
mod group;
pub mod group_type;
mod levels;
mod load;
pub mod outline;
mod pelt;
pub mod profile;
mod resched;
pub mod rq;
pub mod rt;
pub mod rules;
mod rules_balance;
mod rules_cfs;
mod rules_eevdf;
mod schedule;
pub use crate::machine::sd_flags;
#[cfg(test)]
mod test_machines;
pub mod timeline;
pub mod tunables;
pub mod wakeup;
pub mod weight;
mod without;

pub use cfs::{Candidate, Role, Verdict, Wants};

use crate::machine::energy::EnergyModel;
use crate::machine::sched_domain::Domains;
use crate::machine::topology::{Topology, TopologySpec};
use crate::machine::{CpuId, CpuMask};
use crate::task::{Nice, Policy, TaskId};
use crate::time::{Hz, Instant};
use alloc::sync::Arc;
use alloc::vec::Vec;
use bandwidth::Quotas;
use eevdf::{Eevdf, Virtual};
use features::{Feature, FeatureSet};
use pelt::Pelt;
use profile::Kernel;
use rq::{CfsRq, CfsRqId, EntityId, GroupId, Rq, SchedEntity, SchedTask, Skipping, TaskGroup};
use rt::RtClass;
use rules::Rules;
use timeline::Waiting;
use tunables::Tunables;

/// A kernel on a machine, as it boots.
#[derive(Clone, Debug)]
pub struct SchedSetup {
    /// Rules and features in force; its tunables are the unscaled ones.
    pub kernel: Kernel,
    /// Tunables in force.
    pub tunables: Tunables,
    /// The machine's shape.
    pub topology: Topology,
    /// Tick rate.
    pub hz: Hz,
    /// What its CPUs cost, where that is known.
    pub energy: Option<EnergyModel>,
}

impl SchedSetup {
    /// `kernel` on `cpus` equal CPUs that share nothing but the node (1 … 256), with its own tunables.
    ///
    /// # Panics
    /// If there can be no such machine.
    pub fn boot(kernel: Kernel, cpus: usize, hz: Hz) -> SchedSetup {
        let spec = TopologySpec {
            cpus: cpus as u16,
            ..TopologySpec::default()
        };
        let topology = Topology::new(&spec).expect("1 to 256 CPUs");
        SchedSetup::on(topology, kernel, hz)
    }

    /// `kernel` on a machine of that shape, with its own tunables.
    pub fn on(topology: Topology, kernel: Kernel, hz: Hz) -> SchedSetup {
        let cpus = usize::from(topology.cpus());
        SchedSetup {
            tunables: kernel.tunables.scaled(kernel.scaling, cpus),
            kernel,
            topology,
            hz,
            energy: None,
        }
    }
}

/// The vruntime of a group's entity before its first task wakes: the kernel's is 0, which on a machine that
/// has been up is so far left that the first wakeup gets the whole sleeper's credit.
const LONG_AGO: i64 = i64::MIN / 2;

/// What a task is created with.
#[derive(Clone, Copy, Debug)]
pub struct TaskSpec {
    /// Nice value.
    pub nice: Nice,
    /// Policy.
    pub policy: Policy,
    /// Where it asks to run; not empty. Its group's cpuset may leave it less, or others.
    pub allowed: CpuMask,
    /// Its group.
    pub group: GroupId,
    /// The task it is forked from: it starts with that task's vruntime, on its CPU. Without one it starts
    /// at `min_vruntime` of its lowest CPU.
    pub parent: Option<TaskId>,
    /// With what vruntime it starts in place of that, ns: it is no new task, but has been asleep.
    pub vruntime: Option<i64>,
}

/// `wake_flags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WakeFlags {
    /// `WF_SYNC`: the waker promises to sleep soon.
    pub sync: bool,
    /// `WF_FORK`: the wakee is new.
    pub fork: bool,
}

/// Time that balancing one domain takes, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCost {
    /// Whatever it looks at.
    pub base: u32,
    /// For each run queue that it reads.
    pub queue: u32,
}

/// The scheduler of one machine.
#[derive(Clone, Debug)]
pub struct Sched {
    /// The kernel's rules.
    pub rules: Rules,
    /// Features that are on, and what older kernels do always.
    pub features: FeatureSet,
    /// Tunables in force.
    pub tunables: Tunables,
    /// Tick rate.
    pub hz: Hz,
    /// The domains of every CPU; they never change.
    pub domains: Arc<Domains>,
    /// Ticks since boot, as the last tick's balancing pass was told.
    pub jiffies: u64,
    /// Has some CPU two runnable tasks, as far as is known (`rd->overload`, 6.1 and 6.5)?
    pub overload: bool,
    /// What the CPUs cost, while wakeups go by that (`sched_energy_enabled`).
    pub energy: Option<Arc<EnergyModel>>,
    /// Is some CPU too busy for that (`rd->overutilized`)? Then everything goes by capacity alone.
    pub overutilized: bool,
    /// Groups of domains in which pinned tasks kept balancing from its goal, by number (`sgc->imbalance`, 6.1 and
    /// 6.5).
    pub imbalanced: Vec<bool>,
    /// What balancing takes, as the driver says: a newly idle CPU's clock goes on while it looks.
    pub search_cost: SearchCost,
    /// Until when another CPU holds the lock that `SD_SERIALIZE` levels take, ns (`balancing`).
    pub balancing_until: u64,
    /// Idle CPUs whose tick is stopped.
    pub nohz: balance::Nohz,
    /// Run queues by CPU.
    pub rq: Vec<Rq>,
    /// Queues of entities: those of the root group by CPU, then those of group 1, and so on.
    pub cfs_rq: Vec<CfsRq>,
    /// Entities, of tasks and of groups.
    pub se: Vec<SchedEntity>,
    /// Tasks.
    pub tasks: Vec<SchedTask>,
    /// Groups; the root group first.
    pub groups: Vec<TaskGroup>,
    /// Load tracked for each entity and queue, where the kernel does that.
    pub pelt: Pelt,
    /// What EEVDF knows of entities and queues, where the kernel has it.
    pub eevdf: Eevdf,
    /// Who shares what.
    pub near: Arc<wakeup::Near>,
    /// What is known together at the last-level cache of each CPU; kept at the first CPU of the cache.
    pub llc: Vec<wakeup::LlcState>,
    /// Quotas of groups.
    pub quotas: Quotas,
    /// Real-time tasks.
    pub rt: RtClass,
}

impl Sched {
    /// The scheduler at boot: every CPU idle, no task.
    pub fn new(setup: &SchedSetup) -> Sched {
        let kernel = &setup.kernel;
        let rules = kernel.rules.domain_rules();
        let domains = Domains::new(&setup.topology, &kernel.domains, rules);
        let near = wakeup::Near::new(&setup.topology, &domains);
        let cpus = setup.topology.all();
        let capacities = cpus
            .iter()
            .map(|cpu| setup.topology.capacity(cpu))
            .collect();
        let mut sched = Sched {
            rules: setup.kernel.rules,
            features: setup.kernel.features,
            tunables: setup.tunables,
            hz: setup.hz,
            jiffies: 0,
            overload: false,
            energy: setup
                .energy
                .clone()
                .filter(|_| setup.tunables.energy_aware && domains.asym_capacity())
                .map(Arc::new),
            overutilized: false,
            imbalanced: alloc::vec![false; domains.groups()],
            search_cost: SearchCost::default(),
            balancing_until: 0,
            nohz: balance::Nohz::default(),
            rq: setup
                .topology
                .all()
                .iter()
                .map(|cpu| Rq::new(cpu, &domains, kernel.tunables.migration_cost.max(0) as u64))
                .collect(),
            llc: near.first_state(),
            near: Arc::new(near),
            domains: Arc::new(domains),
            cfs_rq: Vec::new(),
            se: Vec::new(),
            tasks: Vec::new(),
            groups: Vec::new(),
            pelt: Pelt::new(capacities),
            eevdf: Eevdf::new(cpus.weight()),
            quotas: Quotas::default(),
            rt: RtClass::new(cpus.weight()),
        };
        sched.add_group(None, weight::NICE_0_LOAD);
        sched
    }

    /// Adds a group below `parent` with `shares` on every CPU (2 …; 1024 is one nice-0 task).
    ///
    /// # Panics
    /// If `parent` is not a group.
    pub fn new_group(&mut self, parent: GroupId, shares: u64) -> GroupId {
        assert!(
            (parent.0 as usize) < self.groups.len(),
            "a group has a parent"
        );
        self.add_group(Some(parent), shares)
    }

    fn add_group(&mut self, parent: Option<GroupId>, shares: u64) -> GroupId {
        let group = GroupId(self.groups.len() as u32);
        let cpus = match parent {
            Some(parent) => self.cpuset_cpus(parent),
            None => CpuMask::first(self.rq.len()),
        };
        self.groups.push(TaskGroup {
            parent,
            shares,
            load: 0,
            runnable: 0,
            cpus,
            cpuset: None,
        });
        self.quota_new_group();
        for cpu in 0..self.rq.len() {
            let cpu = CpuId(cpu as u16);
            let my_q = CfsRqId(self.cfs_rq.len() as u32);
            let load = weight::queue_weight(self.rules.fixed_point, shares);
            let se = parent.map(|parent| {
                let above = self.group_cfs_rq(parent, cpu);
                let entity = SchedEntity::new(load, above, self.cfs(above).se);
                let eevdf = self.rules.is_eevdf();
                self.add_entity(SchedEntity {
                    my_q: Some(my_q),
                    vruntime: if eevdf { 0 } else { LONG_AGO },
                    ..entity
                })
            });
            self.cfs_rq.push(CfsRq::new(cpu, group, se));
            self.track_new_queue();
            if self.rules.is_eevdf() {
                self.eevdf.push_q();
            }
            self.quota_new_queue(parent.map(|parent| self.group_cfs_rq(parent, cpu)));
        }
        group
    }

    fn add_entity(&mut self, entity: SchedEntity) -> EntityId {
        if self.rules.is_eevdf() {
            let slice = self.tunables.base_slice;
            self.eevdf.push_se(Virtual::new(entity.load, slice));
        }
        self.se.push(entity);
        self.track_new_entity();
        EntityId(self.se.len() as u32 - 1)
    }

    /// Adds a task that is not on a queue yet (`sched_fork` before the CPU is selected).
    ///
    /// # Panics
    /// If it may run nowhere.
    pub fn new_task(&mut self, spec: TaskSpec) -> TaskId {
        let id = TaskId(self.tasks.len() as u32);
        let parent = spec.parent.map(|p| &self.tasks[p.index()]);
        let (allowed, asked) = self.born_with(spec.group, spec.allowed);
        let cpu = parent.map_or_else(|| allowed.lowest(), |p| Some(p.cpu));
        let cpu = cpu.expect("a task is allowed on some CPU");
        let q = self.group_cfs_rq(spec.group, cpu);
        let beside = parent.map_or(self.cfs(q).min_vruntime, |p| self.se(p.se).vruntime);
        let vruntime = spec.vruntime.unwrap_or(beside);
        let load = weight::task_weight(spec.policy, spec.nice);
        let se = self.add_entity(SchedEntity {
            task: Some(id),
            vruntime,
            avg: cfs::new_task(self),
            ..SchedEntity::new(load, q, self.cfs(q).se)
        });
        if spec.vruntime.is_some() {
            self.track_rested(se);
        }
        let wakees = spec.parent.map(|p| self.tasks[p.index()].wakees);
        if spec.policy.rt_priority() > 0 && !core::mem::replace(&mut self.rt.used, true) {
            self.start_rt_powers();
        }
        self.tasks.push(SchedTask {
            se,
            cpu,
            allowed,
            asked,
            policy: spec.policy,
            nice: spec.nice,
            group: spec.group,
            link: rq::TaskLink::default(),
            need_resched: false,
            rr_ticks: 0,
            wakees: wakees.unwrap_or_default(),
            recent_used_cpu: cpu,
        });
        id
    }

    /// Sets the dice of every CPU by the seed of a run.
    pub fn seed_dice(&mut self, seed: u64) {
        for rq in &mut self.rq {
            rq.dice = seed.wrapping_add(u64::from(rq.cpu.0));
        }
    }

    /// Reads the clock of a CPU, unless that was asked to be left out; a clock never goes back
    /// (`update_rq_clock`).
    pub fn update_rq_clock(&mut self, cpu: CpuId, now: Instant) {
        let rq = &mut self.rq[cpu.index()];
        if rq.clock_skip != Skipping::Now {
            rq.clock = now.0.max(rq.clock);
        }
    }

    /// A wakeup has selected a CPU that is not the one the task was on: its clock is read only since
    /// f5dc3753; before, the wakee is placed by whatever that queue's clock last said (`try_to_wake_up`).
    pub fn update_target_clock(&mut self, cpu: CpuId, now: Instant) {
        if self.rules.fresh_target_clock {
            self.update_rq_clock(cpu, now);
        }
    }

    /// How long `p` may run in one go as things stand, ns; a task that is not queued is counted as if it were
    /// (`sched_slice`).
    pub fn sched_slice(&self, p: TaskId) -> u64 {
        cfs::sched_slice(self, self.tasks[p.index()].se)
    }

    /// The same in weighted time, ns: how far right a new task starts (`sched_vslice`).
    pub fn sched_vslice(&self, p: TaskId) -> u64 {
        cfs::sched_vslice(self, self.tasks[p.index()].se)
    }

    /// The time in which `nr` runnable entities of one queue each run once, ns (`__sched_period`).
    pub fn sched_period(&self, nr: u32) -> u64 {
        cfs::sched_period(self, u64::from(nr))
    }

    /// The tasks in the list of `q`: those queued directly on it, the running one included, most recently enqueued
    /// first; in 6.1 and 6.5 all tasks of its CPU if it is the root queue, most recently run or enqueued first.
    pub fn queued_tasks(&self, q: CfsRqId) -> impl Iterator<Item = TaskId> {
        let next = |task: &TaskId| self.tasks[task.index()].link.next;
        core::iter::successors(self.cfs(q).tasks, next)
    }

    /// Every comparison that the next pick on `cpu` makes, from the root queue down, in the kernel's order;
    /// the last row of each queue is taken; none if a real-time task is picked. To be asked after [`Sched::put_prev_task`].
    pub fn pick_candidates(&self, cpu: CpuId) -> impl Iterator<Item = Candidate> {
        let below = |q: &CfsRqId| self.se(fair::judge_entity(self, *q)?.0).my_q;
        let root = CfsRqId(u32::from(cpu.0));
        let fair = self.rt_first(cpu).is_none();
        core::iter::successors(fair.then_some(root), below).flat_map(|q| fair::candidates(self, q))
    }

    /// The running entity of the root queue of `cpu`, if it takes part in the next pick without being put back.
    pub fn competing(&self, cpu: CpuId) -> Option<Waiting> {
        let q = CfsRqId(u32::from(cpu.0));
        if self.rules.is_eevdf() {
            return eevdf::competing(self, q);
        }
        cfs::competing(self, q)
    }

    /// Who waits on the root queue of `cpu`, leftmost first, no more than `most`.
    pub fn leftmost(&self, cpu: CpuId, most: usize) -> Vec<Waiting> {
        let q = CfsRqId(u32::from(cpu.0));
        if !self.rules.is_eevdf() {
            return self.cfs(q).timeline.iter().take(most).collect();
        }
        let place = |it: eevdf::tree::Queued| Waiting {
            vruntime: it.vruntime,
            se: it.se,
        };
        let mut sorted: Vec<Waiting> = Vec::new();
        for waiting in self.eevdf.q(q).tree.iter().map(place) {
            let at = sorted.partition_point(|w| w.vruntime <= waiting.vruntime);
            sorted.insert(at, waiting);
        }
        sorted.truncate(most);
        sorted
    }

    /// Is the wakee marked next (always, before `NEXT_BUDDY` was a feature)?
    fn next_buddy(&self) -> bool {
        self.features.has(Feature::NextBuddy)
    }
}
