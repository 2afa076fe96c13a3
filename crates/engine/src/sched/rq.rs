//! The state of the scheduler: entities, queues of entities, run queues of CPUs.
//!
//! Fields carry the kernel's names. Nothing here decides anything; the rules are in the neighbours.

use super::group::QueueShare;
use super::timeline::Timeline;
use super::wakeup::Wakees;
use crate::machine::sched_domain::{DomainOf, Domains};
use crate::machine::{CpuId, CpuMask};
use crate::task::{Nice, Policy, TaskId};
use alloc::vec::Vec;

/// An entity, task or group, as an index into the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(pub u32);

/// A `cfs_rq` as an index into the arena; the root queue of CPU `c` is number `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CfsRqId(pub u32);

/// A task group; 0 is the root group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// `load_weight`: a weight and its inverse for multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWeight {
    /// The weight; 1024 is nice 0.
    pub weight: u64,
    /// 2³²/weight as the kernel's table or rule gives it; 0 = not computed yet.
    pub inv_weight: u64,
}

/// `sched_entity`.
#[derive(Clone, Debug)]
pub struct SchedEntity {
    /// The task, if it is one.
    pub task: Option<TaskId>,
    /// Weight.
    pub load: LoadWeight,
    /// Weighted runtime, ns; signed because credit may take it below zero.
    pub vruntime: i64,
    /// Runtime so far, ns.
    pub sum_exec: u64,
    /// `sum_exec` when it was last picked.
    pub prev_sum_exec: u64,
    /// Clock at the last accounting, ns.
    pub exec_start: u64,
    /// Is it queued or running?
    pub on_rq: bool,
    /// Is `vruntime` relative to the `min_vruntime` of the queue that it left, until it is enqueued?
    pub relative: bool,
    /// The group entity above, if it is not at the top.
    pub parent: Option<EntityId>,
    /// The queue it belongs on.
    pub cfs_rq: CfsRqId,
    /// The queue it represents, if it is a group.
    pub my_q: Option<CfsRqId>,
    /// The behaviour averages of 2.6.31 and 2.6.32.
    pub avg: Averages,
}

/// Behaviour averages of an entity (2.6.31, 2.6.32), ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Averages {
    /// `sum_exec` at the last wakeup it made; 0 = none since it last slept.
    pub last_wakeup: u64,
    /// How long it runs on after waking another.
    pub avg_overlap: i64,
    /// How long it runs between wakeups that it makes.
    pub avg_wakeup: i64,
    /// How long it runs before it sleeps.
    pub avg_running: i64,
    /// `sum_exec` at its last wakeup.
    pub start_runtime: u64,
}

/// `cfs_rq`: the queue of one group on one CPU.
#[derive(Clone, Debug)]
pub struct CfsRq {
    /// The CPU it belongs to.
    pub cpu: CpuId,
    /// The group it belongs to.
    pub group: GroupId,
    /// The group's entity on this CPU; none for the root.
    pub se: Option<EntityId>,
    /// Sum of weights, the running entity's included.
    pub load: u64,
    /// Runnable entities, the running one included.
    pub nr_running: u32,
    /// Those of them that are `SCHED_IDLE` tasks.
    pub idle_nr_running: u32,
    /// Never goes back.
    pub min_vruntime: i64,
    /// The running entity; not in the timeline.
    pub curr: Option<EntityId>,
    /// Next buddy.
    pub next: Option<EntityId>,
    /// Last buddy.
    pub last: Option<EntityId>,
    /// Who has yielded (3.2 on).
    pub skip: Option<EntityId>,
    /// Its part of the load and the shares of its group.
    pub share: QueueShare,
    /// Waiting entities by vruntime.
    pub timeline: Timeline,
    /// Its tasks, the running one included, most recently enqueued first; follow [`SchedTask::link`]. In 6.1 and 6.5
    /// the root queue lists all tasks of its CPU, most recently run or enqueued first (`cfs_tasks`).
    pub tasks: Option<TaskId>,
    /// The last of them.
    pub last_task: Option<TaskId>,
}

/// `rq`: one CPU.
#[derive(Clone, Debug)]
pub struct Rq {
    /// The CPU.
    pub cpu: CpuId,
    /// The clock that policy reads, ns; moved only by `update_rq_clock`.
    pub clock: u64,
    /// Is the next clock update, or are all until the switch, to be left out (`skip_clock_update`)?
    pub clock_skip: Skipping,
    /// The running task; none = the idle task.
    pub curr: Option<TaskId>,
    /// Has someone asked the running task (or the idle task) to reschedule (`TIF_NEED_RESCHED`)?
    pub need_resched: bool,
    /// Is that request a lazy one (`TIF_NEED_RESCHED_LAZY`), which does not count as pending yet?
    pub resched_lazy: bool,
    /// The same flag of the idle task while it does not run.
    pub idle_need_resched: bool,
    /// Runnable tasks at any depth, the running one included.
    pub nr_running: u32,
    /// Those of the fair class.
    pub h_nr_running: u32,
    /// Sum of the weights of top-level entities (`rq->load`).
    pub load: u64,
    /// Averaged loads; index k of the domain tables reads element k−1.
    pub cpu_load: [u64; 5],
    /// Jiffy of the next balancing attempt.
    pub next_balance: u64,
    /// The CPU to which its migration thread was asked to push a task (`active_balance`, `push_cpu`).
    pub push_cpu: Option<CpuId>,
    /// Woken tasks that this CPU is to enqueue itself (`wake_list`).
    pub wake_list: Vec<TaskId>,
    /// Whom its idle task wakes, in interrupts.
    pub idle_wakees: Wakees,
    /// Idle time that a search for an idle CPU may use up, as of `wake_stamp`, ns (`SIS_PROP`).
    pub wake_avg_idle: u64,
    /// Jiffy of that.
    pub wake_stamp: u64,
    /// Average cost of such a search, ns (`avg_scan_cost`).
    pub scan_cost: u64,
    /// When an armed hrtick fires, ns.
    pub hrtick: Option<u64>,
    /// Balancing state of each of its domains, lowest first.
    pub sd: Vec<SdState>,
    /// When it went idle without finding anything to pull, until a wakeup, ns (`idle_stamp`).
    pub idle_stamp: Option<u64>,
    /// Average length of its idle periods, ns (3.2 on).
    pub avg_idle: u64,
    /// What a search as it goes idle costs at most, ns; no idle period counts as longer than twice that (6.1, 6.5).
    pub max_idle_balance_cost: u64,
    /// Load of its running task, if that is too much for it (6.1, 6.5).
    pub misfit_task_load: u64,
    /// Dice that its searches throw (`sched_rng`): state of a generator.
    pub dice: u64,
}

/// Where a request to leave clock updates out stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipping {
    /// Nobody asked.
    No,
    /// Asked for: to begin with the next schedule() (`RQCF_REQ_SKIP`).
    Asked,
    /// In force (`RQCF_ACT_SKIP`, `skip_clock_update`).
    Now,
}

/// What a CPU remembers of one of its domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdState {
    /// Jiffy of the last attempt.
    pub last_balance: u64,
    /// Present interval, ms.
    pub balance_interval: u32,
    /// Attempts in a row that found an imbalance and moved nothing.
    pub nr_balance_failed: u32,
    /// What a newly idle CPU's search of it costs, and how often it finds something (6.1, 6.5).
    pub newidle: NewIdleState,
}

/// What a CPU remembers of its newly idle searches of one domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewIdleState {
    /// The longest that a search took of late, ns (`max_newidle_lb_cost`).
    pub max_cost: u64,
    /// Jiffy at which that was set or last faded (`last_decay_max_lb_cost`).
    pub last_decay: u64,
    /// Searches counted, those that the dice forbade included (`newidle_call`).
    pub calls: u32,
    /// Those that found something (`newidle_success`).
    pub successes: u32,
    /// Successes among 1024 searches (`newidle_ratio`).
    pub ratio: u32,
    /// When that was last worked out, ns (`newidle_stamp`).
    pub stamp: u64,
}

/// What the scheduler knows of a task beside its entity.
#[derive(Clone, Debug)]
pub struct SchedTask {
    /// Its entity.
    pub se: EntityId,
    /// The CPU it is on or was on last.
    pub cpu: CpuId,
    /// Where it may run.
    pub allowed: CpuMask,
    /// Where it has asked to run, if it has (`user_cpus_ptr`): its cpuset may leave it less, or others.
    pub asked: Option<CpuMask>,
    /// Policy.
    pub policy: Policy,
    /// Nice value.
    pub nice: Nice,
    /// Its group.
    pub group: GroupId,
    /// Its neighbours in [`CfsRq::tasks`].
    pub link: TaskLink,
    /// `TIF_NEED_RESCHED` while it is not running; the running task's is [`Rq::need_resched`].
    pub need_resched: bool,
    /// Ticks of its slice that it has had, if it is `SCHED_RR`.
    pub rr_ticks: u32,
    /// Whom it wakes.
    pub wakees: Wakees,
    /// Where it was before the last wakeup that searched for an idle CPU (`recent_used_cpu`).
    pub recent_used_cpu: CpuId,
}

/// `sched_entity->group_node`: neighbours in the list of a queue's tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskLink {
    /// Enqueued before it.
    pub next: Option<TaskId>,
    /// Enqueued after it.
    pub prev: Option<TaskId>,
}

/// A task group.
#[derive(Clone, Debug)]
pub struct TaskGroup {
    /// The group above; none for the root group.
    pub parent: Option<GroupId>,
    /// `cpu.shares`; 1024 is one nice-0 task.
    pub shares: u64,
    /// Its load on all CPUs, as its queues last published theirs (`load_weight`, `load_avg`).
    pub load: u64,
    /// Tasks that can run on all CPUs, averaged, 1024 to a task, published in the same way (`runnable_avg`, 7.3).
    pub runnable: u64,
    /// The CPUs its tasks may have (`effective_cpus`).
    pub cpus: CpuMask,
    /// Those it was given itself, if it was (`cpuset.cpus`).
    pub cpuset: Option<CpuMask>,
}

impl Rq {
    /// An idle CPU at boot. Its idle periods are taken to be long: twice the migration cost that the kernel was built
    /// with. A domain's newly idle searches are taken to succeed half of the time (33cf66d8).
    pub(super) fn new(cpu: CpuId, domains: &Domains, migration_cost: u64) -> Rq {
        let state = |d: DomainOf<'_>| SdState {
            last_balance: 0,
            balance_interval: d.sd.first_interval(),
            nr_balance_failed: 0,
            newidle: NewIdleState {
                stamp: 0,
                max_cost: 0,
                last_decay: 0,
                calls: 512,
                successes: 256,
                ratio: 512,
            },
        };
        Rq {
            cpu,
            clock: 0,
            clock_skip: Skipping::No,
            curr: None,
            need_resched: false,
            resched_lazy: false,
            idle_need_resched: false,
            nr_running: 0,
            h_nr_running: 0,
            load: 0,
            cpu_load: [0; 5],
            next_balance: 0,
            push_cpu: None,
            wake_list: Vec::new(),
            idle_wakees: Wakees::default(),
            wake_avg_idle: 0,
            wake_stamp: 0,
            scan_cost: 0,
            hrtick: None,
            sd: domains.of(cpu).map(state).collect(),
            idle_stamp: None,
            avg_idle: 2 * migration_cost,
            max_idle_balance_cost: migration_cost,
            misfit_task_load: 0,
            dice: u64::from(cpu.0),
        }
    }
}

/// The multiplier and the increment of Knuth's 64-bit generator (MMIX). The kernel's (`sched_rng`, Tausworthe) is seeded
/// by chance; any generator of even draws stands for it.
const DICE: (u64, u64) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);

impl Rq {
    /// Throws the CPU's dice: the upper half of its state.
    pub(super) fn throw(&mut self) -> u32 {
        self.dice = self.dice.wrapping_mul(DICE.0).wrapping_add(DICE.1);
        (self.dice >> 32) as u32
    }
}

impl CfsRq {
    /// An empty queue. The kernel's `min_vruntime` starts a little below 0; only differences are ever used.
    pub(super) fn new(cpu: CpuId, group: GroupId, se: Option<EntityId>) -> CfsRq {
        CfsRq {
            cpu,
            group,
            se,
            load: 0,
            nr_running: 0,
            idle_nr_running: 0,
            min_vruntime: 0,
            curr: None,
            next: None,
            last: None,
            skip: None,
            share: QueueShare::default(),
            timeline: Timeline::default(),
            tasks: None,
            last_task: None,
        }
    }
}

impl SchedEntity {
    /// An entity of that weight that is neither a task nor a group yet, and not queued.
    pub(super) fn new(load: LoadWeight, cfs_rq: CfsRqId, parent: Option<EntityId>) -> SchedEntity {
        SchedEntity {
            task: None,
            load,
            vruntime: 0,
            sum_exec: 0,
            prev_sum_exec: 0,
            exec_start: 0,
            on_rq: false,
            relative: false,
            parent,
            cfs_rq,
            my_q: None,
            avg: Averages::default(),
        }
    }
}
