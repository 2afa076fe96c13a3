//! Worked examples of the rules, by their numbers in the specification (`eevdf/A1` …), and the tree against straight
//! sums.
//!
//! [`World`] is one scheduler and a clock, driven as the simulator drives it; states are injected through the
//! fixture. Eight CPUs, so that the base slice is 2.8 ms, 3 ms before 6.12.y; 250 ticks a second unless said.

mod average;
mod flat;
mod groups;
mod hrtick;
mod lag;
mod lazy;
mod orders;
mod picks;
mod placement;
mod reference;
mod reweight;
mod sleep;
mod wakeups;

use super::{Virtual, average as avg, pick};
use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::Preempt;
use crate::sched::features::Feature;
use crate::sched::profile::{Base, DeltaId, Kernel, Profile};
use crate::sched::rq::{CfsRqId, GroupId};
use crate::sched::{Sched, SchedSetup, TaskSpec, WakeFlags};
use crate::task::{Nice, Policy, TaskId};
use crate::time::{Hz, Instant};
use alloc::vec::Vec;

const MS: u64 = 1_000_000;
const US: u64 = 1_000;
const CPU: CpuId = CpuId(0);
const ROOT: CfsRqId = CfsRqId(0);

/// The columns of the specification.
const ALL: [&str; 8] = [
    "6.6",
    "6.12",
    "6.18",
    "7.0",
    "tip-2026-04",
    "seed",
    "7.1",
    "7.3",
];

/// The kernel of a column; `seed` is the tip of April 2026 with the patch.
fn kernel(column: &str) -> Kernel {
    if column == "seed" {
        let tip = Profile::by_name("tip-2026-04").expect("a known profile");
        return Kernel::compose(Base::V6_6, tip.deltas.with(DeltaId(78), true));
    }
    Profile::by_name(column).expect("a known profile").kernel()
}

/// A scheduler, its tasks on CPU 0, and a clock.
struct World {
    s: Sched,
    now: u64,
}

/// A task as a state has it: nice, vruntime, deadline, slice (ns; the base slice if none).
type State = (i64, i64, i64, Option<u64>);

impl World {
    fn new(column: &str) -> World {
        World::at_hz(column, 250)
    }

    fn at_hz(column: &str, hz: u32) -> World {
        World {
            s: Sched::new(&SchedSetup::boot(kernel(column), 8, Hz(hz))),
            now: 0,
        }
    }

    /// Tasks that are queued just so; the first runs if `first_runs`, and is protected as of now.
    fn flat(column: &str, states: &[State], first_runs: bool) -> (World, Vec<TaskId>) {
        let mut w = World::new(column);
        let tasks = w.fill(states, first_runs);
        (w, tasks)
    }

    fn fill(&mut self, states: &[State], first_runs: bool) -> Vec<TaskId> {
        let mut tasks = Vec::new();
        for &(nice, ..) in states {
            let task = self.sleeper(nice, None);
            self.s.activate_task(task, true);
            if first_runs && tasks.is_empty() {
                assert_eq!(self.schedule(), Some(task));
            }
            tasks.push(task);
        }
        for (&task, &(_, vruntime, deadline, slice)) in tasks.iter().zip(states) {
            self.set(task, |v, own| {
                (*v, own.deadline) = (vruntime, deadline);
                own.slice = slice.unwrap_or(own.slice);
                own.custom_slice = slice.is_some();
            });
        }
        if first_runs {
            self.s.fixture().protect(tasks[0]);
        }
        tasks
    }

    fn feature(mut self, feature: Feature, on: bool) -> World {
        self.s.features = self.s.features.with(feature, on);
        self
    }

    fn task_of(&mut self, policy: Policy, nice: i64, group: GroupId) -> TaskId {
        self.s.new_task(TaskSpec {
            nice: Nice::new(nice),
            policy,
            allowed: CpuMask::just(CPU),
            group,
            parent: None,
            vruntime: None,
        })
    }

    /// A sleeping task that asks for that slice.
    fn sleeper(&mut self, nice: i64, slice: Option<u64>) -> TaskId {
        let task = self.task_of(Policy::Normal, nice, GroupId::default());
        self.s.set_slice(task, slice);
        task
    }

    fn set(&mut self, task: TaskId, change: impl FnOnce(&mut i64, &mut Virtual)) {
        self.s.fixture().due(task, change);
    }

    fn vruntime(&self, task: TaskId) -> i64 {
        self.s.se(self.s.tasks[task.index()].se).vruntime
    }

    fn own(&self, task: TaskId) -> Virtual {
        *self.s.eevdf.se(self.s.tasks[task.index()].se)
    }

    fn on_rq(&self, task: TaskId) -> bool {
        self.s.se(self.s.tasks[task.index()].se).on_rq
    }

    fn average(&self) -> i64 {
        avg::avg_vruntime(&self.s, ROOT)
    }

    fn eligible(&self, task: TaskId) -> bool {
        avg::entity_eligible(&self.s, self.s.tasks[task.index()].se)
    }

    /// Whom the bare pick takes of the root queue.
    fn pick(&self, protect: bool) -> Option<TaskId> {
        let (se, _) = pick::pick_eevdf(&self.s, ROOT, protect)?;
        self.s.se(se).task
    }

    fn clock(&mut self) {
        self.s.update_rq_clock(CPU, Instant(self.now));
    }

    fn after(&mut self, ns: u64) {
        self.now += ns;
        self.clock();
    }

    /// schedule(): nobody blocks.
    fn schedule(&mut self) -> Option<TaskId> {
        self.reschedule(false)
    }

    /// schedule(): the running task goes to sleep.
    fn block(&mut self) -> Option<TaskId> {
        self.reschedule(true)
    }

    fn reschedule(&mut self, blocks: bool) -> Option<TaskId> {
        self.s.begin_schedule(CPU);
        self.clock();
        if let Some(curr) = self.s.rq[0].curr.filter(|_| blocks) {
            self.s.deactivate_task(curr, true);
        }
        self.s.settle_pick(CPU);
        self.s.put_prev_task(CPU);
        self.s.pick_next_task(CPU).task
    }

    /// try_to_wake_up().
    fn wake(&mut self, task: TaskId) -> Preempt {
        self.wake_with(task, WakeFlags::default())
    }

    fn wake_with(&mut self, task: TaskId, flags: WakeFlags) -> Preempt {
        self.clock();
        if self.s.is_delayed(task) {
            self.s.requeue_delayed_task(task);
        } else {
            self.s.activate_task(task, true);
        }
        self.s.check_preempt_curr(CPU, task, flags)
    }

    /// A tick; true if a reschedule is pending after it.
    fn tick(&mut self) -> bool {
        self.clock();
        let _ = self.s.task_tick(CPU);
        self.s.rq[0].need_resched
    }
}
