//! Worked examples of the rules, by their numbers in the specification, and properties over random runs.
//!
//! [`World`] is one scheduler and a clock, driven as the simulator drives it; states are injected through
//! the fixture.

mod averages;
mod buddies;
mod flags;
mod groups;
mod hrtick;
mod nice;
mod placement;
mod preempt;
mod properties;
mod slices;
mod ticks;
mod yields;

use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::{Pick, Preempt, Tick};
use crate::sched::features::Feature;
use crate::sched::profile::{Base, DeltaId, DeltaSet, Kernel, Profile};
use crate::sched::rq::{CfsRqId, GroupId, SchedEntity};
use crate::sched::{Sched, SchedSetup, TaskSpec, WakeFlags};
use crate::task::{Nice, Policy, TaskId};
use crate::time::{Hz, Instant};
use alloc::vec::Vec;

const MS: u64 = 1_000_000;
const CPU: CpuId = CpuId(0);

/// The kernels of the buddy story, in the order of the specification's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tree {
    /// 2.6.31.
    V31,
    /// 2.6.32-rc1 (de69a80b).
    Rc1,
    /// rc1 with 92f6a5e3 instead of de69a80b.
    C92f6,
    /// rc1 with Peter's two patches and Mike's mail of 2009-10-16.
    D24,
    /// f685ceac.
    F685,
    /// 2.6.32.
    V32,
    /// 3.2.
    L32,
    /// 6.5.
    L65,
}

impl Tree {
    fn deltas(self) -> DeltaSet {
        let profile = |name| Profile::by_name(name).expect("a known profile").deltas;
        let rc1 = profile("2.6.32-rc1");
        let without_d13 = rc1.with(DeltaId(13), false);
        let plus = |ids: &[u8]| {
            let on = |set: DeltaSet, id: &u8| set.with(DeltaId(*id), true);
            ids.iter().fold(without_d13, on)
        };
        match self {
            Tree::V31 => profile("2.6.31"),
            Tree::Rc1 => rc1,
            Tree::C92f6 => plus(&[21]),
            Tree::D24 => plus(&[20, 21, 24]),
            Tree::F685 => plus(&[20, 22, 23]),
            Tree::V32 => profile("2.6.32"),
            Tree::L32 => DeltaSet::default(),
            Tree::L65 => profile("6.5"),
        }
    }

    fn kernel(self) -> Kernel {
        let base = match self {
            Tree::L32 => Base::V3_2,
            Tree::L65 => Base::V6_1,
            _ => Base::V2_6_31,
        };
        Kernel::compose(base, self.deltas())
    }
}

/// A scheduler, its tasks on CPU 0, and a clock.
struct World {
    s: Sched,
    now: u64,
}

impl World {
    fn new(tree: Tree, cpus: usize) -> World {
        World::with(&tree.kernel(), cpus)
    }

    fn with(kernel: &Kernel, cpus: usize) -> World {
        World {
            s: Sched::new(&SchedSetup::boot(*kernel, cpus, Hz(1000))),
            now: 0,
        }
    }

    fn set(mut self, feature: Feature, on: bool) -> World {
        self.s.features = self.s.features.with(feature, on);
        self
    }

    /// A sleeping task that may run on CPU 0 only.
    fn sleeper(&mut self, policy: Policy, nice: i64, group: GroupId) -> TaskId {
        self.s.new_task(TaskSpec {
            nice: Nice::new(nice),
            policy,
            allowed: CpuMask::just(CPU),
            group,
            parent: None,
            vruntime: None,
        })
    }

    fn plain_sleeper(&mut self) -> TaskId {
        self.sleeper(Policy::Normal, 0, GroupId::default())
    }

    /// A waiting task of that nice value and vruntime, ns.
    fn waiting(&mut self, nice: i64, vruntime: i64) -> TaskId {
        let p = self.sleeper(Policy::Normal, nice, GroupId::default());
        self.s.activate_task(p, false);
        self.s.fixture().vruntime(p, vruntime);
        p
    }

    /// Nice-0 tasks waiting at those vruntimes, in ms.
    fn waiting_at<const N: usize>(&mut self, ms: [i64; N]) -> [TaskId; N] {
        ms.map(|v| self.waiting(0, v * MS as i64))
    }

    /// A task of vruntime 0 that has just been picked as the only one.
    fn running(&mut self, nice: i64) -> TaskId {
        let p = self.waiting(nice, 0);
        assert_eq!(self.schedule().task, Some(p));
        p
    }

    /// Wakes `p` as if nobody in particular did; `vruntime` (ns) replaces the placement.
    fn wake_at(&mut self, p: TaskId, vruntime: i64, sync: bool) -> Preempt {
        self.s.activate_task(p, true);
        self.s.fixture().vruntime(p, vruntime);
        let flags = WakeFlags { sync, fork: false };
        let verdict = self.s.check_preempt(CPU, p, flags);
        assert_eq!(self.s.check_preempt_curr(CPU, p, flags), verdict);
        verdict
    }

    /// Wakes `p` where the kernel places it, and returns its vruntime, ns.
    fn wake(&mut self, p: TaskId) -> i64 {
        self.s.activate_task(p, true);
        self.vruntime(p)
    }

    fn advance(&mut self, ns: u64) {
        self.now += ns;
        self.s.update_rq_clock(CPU, Instant(self.now));
    }

    fn tick(&mut self) -> Tick {
        self.s.update_rq_clock(CPU, Instant(self.now));
        self.s.task_tick(CPU)
    }

    /// schedule() of a task that does not block.
    fn schedule(&mut self) -> Pick {
        self.s.begin_schedule(CPU);
        self.s.update_rq_clock(CPU, Instant(self.now));
        self.s.put_prev_task(CPU);
        let judged = self.s.judge_pick(CPU);
        let rows: Vec<_> = self.s.pick_candidates(CPU).collect();
        let pick = self.s.pick_next_task(CPU);
        assert_eq!(pick, judged, "the pick is what was judged");
        assert_eq!(rows.last().and_then(|row| row.task), pick.task);
        pick
    }

    /// schedule() of a running task that blocks.
    fn block(&mut self) -> Pick {
        self.s.begin_schedule(CPU);
        self.s.update_rq_clock(CPU, Instant(self.now));
        let curr = self.curr().expect("a task runs");
        self.s.deactivate_task(curr, true);
        self.s.put_prev_task(CPU);
        self.s.pick_next_task(CPU)
    }

    fn curr(&self) -> Option<TaskId> {
        self.s.rq[CPU.index()].curr
    }

    fn need_resched(&self) -> bool {
        self.s.rq[CPU.index()].need_resched
    }

    fn se(&self, p: TaskId) -> &SchedEntity {
        self.s.se(self.s.tasks[p.index()].se)
    }

    fn vruntime(&self, p: TaskId) -> i64 {
        self.se(p).vruntime
    }

    /// The tasks marked next and last on the root queue of CPU 0.
    fn marks(&self) -> (Option<TaskId>, Option<TaskId>) {
        let cfs = self.s.cfs(CfsRqId(0));
        let task = |se| self.s.se(se).task;
        (cfs.next.and_then(task), cfs.last.and_then(task))
    }
}
