//! Real-time tasks by the clock: who comes first, and how long.

use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::{
    IdleType, MigrateWhy, Moved, PickWhy, Placement, PlacementWhy, Preempt, PreemptWhy,
};
use crate::sched::profile::{Base, DeltaSet, Kernel};
use crate::sched::rq::GroupId;
use crate::sched::rules::CpuPower;
use crate::sched::test_machines::flat;
use crate::sched::wakeup::SelectKind;
use crate::sched::{Sched, TaskSpec, WakeFlags};
use crate::task::{Nice, Policy, RtPriority, TaskId};
use crate::time::Instant;

const MS: u64 = 1_000_000;

/// CPUs that tick each millisecond.
struct World {
    s: Sched,
    now: u64,
}

fn fifo(priority: i64) -> Policy {
    Policy::Fifo(RtPriority::new(priority))
}

fn rr(priority: i64) -> Policy {
    Policy::Rr(RtPriority::new(priority))
}

impl World {
    fn new(base: Base, cpus: u16) -> World {
        let s = flat(cpus, &Kernel::compose(base, DeltaSet::default()));
        World { s, now: 1 }
    }

    fn sleeper(&mut self, policy: Policy, allowed: CpuMask) -> TaskId {
        self.s.new_task(TaskSpec {
            nice: Nice::new(0),
            policy,
            allowed,
            group: GroupId(0),
            parent: None,
            vruntime: None,
        })
    }

    /// A task that is woken on `cpu` and may run only there.
    fn hog(&mut self, policy: Policy, cpu: u16) -> TaskId {
        let task = self.sleeper(policy, CpuMask::just(CpuId(cpu)));
        let _ = self.wake(task);
        self.settle();
        task
    }

    fn wake(&mut self, task: TaskId) -> Preempt {
        let cpu = self.s.tasks[task.index()].cpu;
        self.s.update_rq_clock(cpu, Instant(self.now));
        self.s.activate_task(task, true);
        self.s.check_preempt_curr(cpu, task, WakeFlags::default())
    }

    fn schedule(&mut self, cpu: CpuId, sleeps: bool) {
        self.s.begin_schedule(cpu);
        self.s.update_rq_clock(cpu, Instant(self.now));
        if let Some(curr) = self.s.rq[cpu.index()].curr.filter(|_| sleeps) {
            self.s.deactivate_task(curr, true);
        }
        self.s.put_prev_task(cpu);
        let _ = self.s.pick_next_task(cpu);
    }

    fn settle(&mut self) {
        for cpu in 0..self.s.rq.len() {
            while self.s.rq[cpu].need_resched {
                self.schedule(CpuId(cpu as u16), false);
            }
        }
    }

    fn run_to(&mut self, ms: u64) {
        while self.now < ms * MS {
            self.now = (self.now / MS + 1) * MS;
            let timer = self.s.bandwidth_timer();
            if timer.is_some_and(|(at, _)| at.0 <= self.now) {
                let _ = self.s.bandwidth_timer_fires(Instant(self.now));
            }
            for cpu in (0..self.s.rq.len()).map(|cpu| CpuId(cpu as u16)) {
                self.s.update_rq_clock(cpu, Instant(self.now));
                let _ = self.s.task_tick(cpu);
            }
            self.settle();
        }
    }

    /// What a task ran so far, ms.
    fn ran(&self, task: TaskId) -> u64 {
        let se = self.s.tasks[task.index()].se;
        self.s.se(se).sum_exec.div_ceil(MS)
    }

    fn curr(&self, cpu: usize) -> Option<TaskId> {
        self.s.rq[cpu].curr
    }
}

#[test]
fn a_real_time_task_preempts_a_fair_one_at_once_and_never_the_other_way() {
    for &base in Base::ALL {
        let mut w = World::new(base, 1);
        let fair = w.hog(Policy::Normal, 0);
        let [rt, other] = [fifo(1), Policy::Normal].map(|p| w.sleeper(p, CpuMask::first(1)));
        assert_eq!(w.curr(0), Some(fair));
        let verdict = w.wake(rt);
        assert_eq!((verdict.yes, verdict.why), (true, PreemptWhy::HigherClass));
        w.settle();
        assert_eq!(w.curr(0), Some(rt));
        let verdict = w.wake(other);
        assert_eq!((verdict.yes, verdict.why), (false, PreemptWhy::LowerClass));
        w.run_to(300);
        assert_eq!((w.ran(rt), w.ran(fair)), (300, 0), "{base:?}");
        assert_eq!(w.s.rq[0].nr_running, 3);
        assert_eq!(w.s.rq[0].h_nr_running, 2);
        w.schedule(CpuId(0), true);
        assert_ne!(w.curr(0), Some(rt), "{base:?}: it sleeps");
    }
}

#[test]
fn the_higher_priority_runs_and_equals_in_the_order_they_came() {
    let mut w = World::new(Base::V6_1, 1);
    let first = w.hog(fifo(10), 0);
    let [equal, low, high] = [10, 9, 11].map(|p| w.sleeper(fifo(p), CpuMask::first(1)));
    assert_eq!(w.wake(equal).why, PreemptWhy::NoHigherPriority);
    assert_eq!(w.wake(low).why, PreemptWhy::NoHigherPriority);
    assert_eq!(w.wake(high).why, PreemptWhy::HigherPriority);
    w.settle();
    let mut order = alloc::vec::Vec::new();
    while let Some(curr) = w.curr(0) {
        order.push(curr);
        w.schedule(CpuId(0), true);
    }
    assert_eq!(order, [high, first, equal, low]);
}

#[test]
fn rr_tasks_of_one_priority_take_turns_of_100_ms() {
    for &base in Base::ALL {
        let mut w = World::new(base, 1);
        let [a, b] = [(); 2].map(|()| w.hog(rr(5), 0));
        w.run_to(99);
        assert_eq!(w.curr(0), Some(a), "{base:?}");
        w.run_to(150);
        assert_eq!((w.curr(0), w.ran(a)), (Some(b), 100), "{base:?}");
        w.run_to(250);
        assert_eq!((w.curr(0), w.ran(b)), (Some(a), 100), "{base:?}");
        let below = w.hog(rr(4), 0);
        w.run_to(900);
        assert_eq!(w.ran(below), 0, "{base:?}");
    }
}

#[test]
fn who_yields_goes_behind_its_equals() {
    let mut w = World::new(Base::V3_2, 1);
    let [a, b] = [(); 2].map(|()| w.hog(fifo(5), 0));
    let low = w.hog(fifo(4), 0);
    assert_eq!(w.curr(0), Some(a));
    w.s.yield_task(CpuId(0));
    w.schedule(CpuId(0), false);
    assert_eq!(w.curr(0), Some(b));
    w.schedule(CpuId(0), true);
    w.s.yield_task(CpuId(0));
    w.schedule(CpuId(0), false);
    assert_eq!(w.curr(0), Some(a), "not behind those below: {low:?}");
}

#[test]
fn fair_tasks_get_a_twentieth_beside_a_real_time_hog() {
    for &base in Base::ALL {
        let mut w = World::new(base, 1);
        let (rt, fair) = (w.hog(fifo(50), 0), w.hog(Policy::Normal, 0));
        w.run_to(10_000);
        let (rt, fair) = (w.ran(rt), w.ran(fair));
        assert!(rt.abs_diff(9500) <= 20, "{base:?}: {rt}");
        assert!(fair.abs_diff(500) <= 20, "{base:?}: {fair}");
    }
}

/// Nobody else is there: throttled all the same, and up to 3.2 still counted as runnable.
#[test]
fn a_throttled_cpu_is_idle_and_its_tasks_count_up_to_3_2() {
    for (base, nr_running) in [(Base::V2_6_31, 1), (Base::V3_2, 1), (Base::V6_1, 0)] {
        let mut w = World::new(base, 1);
        let rt = w.hog(fifo(50), 0);
        w.run_to(970);
        assert_eq!((w.curr(0), w.ran(rt)), (None, 951), "{base:?}");
        assert_eq!(w.s.rq[0].nr_running, nr_running, "{base:?}");
        w.run_to(1001);
        assert_eq!(w.curr(0), Some(rt), "{base:?}");
        assert_eq!(w.s.rq[0].nr_running, 1, "{base:?}");
    }
}

/// Another CPU lends what it does not need, half of it with two: enough for a lone hog, where the kernel shares.
#[test]
fn cpus_lend_each_other_runtime_up_to_5_10() {
    for (base, expected) in [
        (Base::V2_6_31, 4000),
        (Base::V3_2, 4000),
        (Base::V6_1, 3800),
    ] {
        let mut w = World::new(base, 2);
        let rt = w.hog(fifo(50), 0);
        w.run_to(4000);
        assert!(
            w.ran(rt).abs_diff(expected) <= 10,
            "{base:?}: {}",
            w.ran(rt)
        );
    }
}

#[test]
fn a_wakeup_passes_by_cpus_with_more_urgent_tasks() {
    for &base in Base::ALL {
        let mut w = World::new(base, 4);
        let everywhere = CpuMask::first(4);
        let roams = w.sleeper(fifo(20), everywhere);
        let _ = w.wake(roams);
        w.settle();
        let _ = (w.hog(fifo(30), 1), w.hog(Policy::Normal, 2));
        let select = |w: &World, p, this| w.s.select_task_rq(p, this, SelectKind::Wake, false);
        let [more, less] = [25, 20].map(|p| w.sleeper(fifo(p), everywhere));
        let stays = select(&w, more, CpuId(3));
        if base != Base::V2_6_31 {
            let expected = (CpuId(0), PlacementWhy::RealTimeStays);
            assert_eq!((stays.cpu, stays.why), expected, "{base:?}");
        }
        let goes = select(&w, less, CpuId(3));
        let expected = Placement {
            cpu: CpuId(3),
            why: PlacementWhy::RealTimeLowest,
            visited: 4,
        };
        assert_eq!(goes, expected, "near the waker");
        // A CPU with a fair task is as good as an idle one.
        assert_eq!(select(&w, less, CpuId(1)).cpu, CpuId(2));
        let pinned = w.sleeper(fifo(1), CpuMask::just(CpuId(1)));
        assert_eq!(select(&w, pinned, CpuId(3)).cpu, CpuId(1));
    }
}

/// Where tasks went, of those that were moved.
fn went(moved: &[Moved]) -> alloc::vec::Vec<(TaskId, u16)> {
    moved.iter().map(|m| (m.task, m.to.0)).collect()
}

#[test]
fn who_waits_is_pushed_to_the_cpu_with_the_least_urgent_work() {
    for &base in Base::ALL {
        let mut w = World::new(base, 4);
        let (cpu, everywhere) = (CpuId(0), CpuMask::first(4));
        for (cpu, policy) in [fifo(40), fifo(20), fifo(10), fifo(30)]
            .into_iter()
            .enumerate()
        {
            let _ = w.hog(policy, cpu as u16);
        }
        let waits = w.sleeper(fifo(25), everywhere);
        let verdict = w.wake(waits);
        assert!(!verdict.yes && w.s.pushes_woken(cpu, waits), "{base:?}");
        let moved = w.s.push_rt_tasks(cpu, cpu, Instant(w.now));
        assert_eq!(went(&moved), [(waits, 2)], "{base:?}");
        assert_eq!((moved[0].from, moved[0].why), (cpu, MigrateWhy::RtPush));
        w.settle();
        assert_eq!(w.curr(2), Some(waits), "{base:?}");
        // Nobody has less urgent work than the next: it stays, and those behind it too.
        for priority in [20, 19] {
            let next = w.sleeper(fifo(priority), everywhere);
            let _ = w.wake(next);
            assert_eq!(w.s.push_rt_tasks(cpu, cpu, Instant(w.now)).len(), 0);
        }
        let pinned = w.sleeper(fifo(39), CpuMask::just(cpu));
        let _ = w.wake(pinned);
        assert!(!w.s.pushes_woken(cpu, pinned), "{base:?}");
    }
}

#[test]
fn idle_cpus_and_fair_ones_get_all_that_waits() {
    for &base in Base::ALL {
        let mut w = World::new(base, 3);
        let _ = w.hog(fifo(9), 0);
        let _ = w.hog(Policy::Normal, 1);
        let [low, high] = [3, 5].map(|p| w.sleeper(fifo(p), CpuMask::first(3)));
        let _ = (w.wake(low), w.wake(high));
        let moved = w.s.push_rt_tasks(CpuId(0), CpuId(0), Instant(w.now));
        assert_eq!(went(&moved), [(high, 1), (low, 2)], "{base:?}");
        w.settle();
        assert_eq!((w.curr(1), w.curr(2)), (Some(high), Some(low)), "{base:?}");
    }
}

#[test]
fn a_cpu_that_has_less_urgent_work_left_pulls() {
    for &base in Base::ALL {
        let mut w = World::new(base, 3);
        let leaves = w.hog(fifo(50), 0);
        let _ = (
            w.hog(Policy::Normal, 0),
            w.hog(fifo(40), 1),
            w.hog(fifo(30), 2),
        );
        let waits = |w: &mut World, priority, cpu: u16| {
            let task = w.sleeper(fifo(priority), CpuMask::first(3));
            w.s.set_task_cpu(task, CpuId(cpu));
            let _ = w.wake(task);
            task
        };
        let [a, b] = [waits(&mut w, 15, 1), waits(&mut w, 20, 2)];
        let less = waits(&mut w, 10, 2);
        assert!(!w.s.needs_rt_pull(CpuId(0), leaves), "it is still there");
        w.s.begin_schedule(CpuId(0));
        w.s.deactivate_task(leaves, true);
        assert!(w.s.needs_rt_pull(CpuId(0), leaves), "{base:?}");
        let moved = w.s.pull_rt_tasks(CpuId(0), Instant(w.now));
        // The first CPU is asked first; of the second only what is more urgent still.
        assert_eq!(went(&moved), [(a, 0), (b, 0)], "{base:?}");
        assert!(moved.iter().all(|m| m.why == MigrateWhy::RtPull));
        w.s.put_prev_task(CpuId(0));
        assert_eq!(w.s.pick_next_task(CpuId(0)).task, Some(b), "{base:?}");
        assert_eq!(w.s.tasks[less.index()].cpu, CpuId(2));
    }
}

/// It goes to the head of the queue, so that the other one is pushed.
#[test]
fn of_equals_the_one_that_cannot_go_elsewhere_stays() {
    for &base in Base::ALL {
        let mut w = World::new(base, 2);
        let moves = w.sleeper(fifo(7), CpuMask::first(2));
        let _ = w.wake(moves);
        w.settle();
        let pinned = w.sleeper(fifo(7), CpuMask::just(CpuId(0)));
        let verdict = w.wake(pinned);
        assert_eq!(
            (verdict.yes, verdict.why),
            (true, PreemptWhy::EqualStaysHere)
        );
        w.settle();
        assert_eq!(w.curr(0), Some(pinned), "{base:?}");
        let moved = w.s.push_rt_tasks(CpuId(0), CpuId(0), Instant(w.now));
        assert_eq!(went(&moved), [(moves, 1)], "{base:?}");
    }
}

/// Up to 2.6.36 a woken task makes way even for one that it would preempt.
#[test]
fn whom_a_woken_task_steps_aside_for() {
    for &base in Base::ALL {
        let mut w = World::new(base, 2);
        let roams = w.sleeper(fifo(5), CpuMask::first(2));
        let _ = w.wake(roams);
        w.settle();
        let urgent = w.sleeper(fifo(9), CpuMask::first(2));
        let at = |w: &World| {
            w.s.select_task_rq(urgent, CpuId(0), SelectKind::Wake, false)
                .cpu
        };
        assert_eq!(at(&w).0, u16::from(base == Base::V2_6_31), "{base:?}");
        w.s.set_allowed(roams, CpuMask::just(CpuId(0)));
        assert_eq!(at(&w).0, 1, "{base:?}: the other one cannot go");
    }
}

/// A half of the time since 2.6.32, and of the tracked utilisation in 6.1; 2.6.31 does not look.
#[test]
fn what_real_time_tasks_leave_counts_as_the_power_of_a_cpu() {
    let sum = DeltaSet::of(&[9]);
    let kernels = [
        (Base::V2_6_31, DeltaSet::default()),
        (Base::V2_6_31, sum),
        (Base::V3_2, DeltaSet::default()),
        (Base::V6_1, DeltaSet::default()),
    ];
    for (base, deltas) in kernels {
        let kernel = Kernel::compose(base, deltas);
        let static_power = kernel.rules.cpu_power == CpuPower::SharedCountsOnce;
        let mut w = World {
            s: flat(2, &kernel),
            now: 1,
        };
        let p = w.sleeper(fifo(5), CpuMask::just(CpuId(0)));
        for ms in 0..4000 {
            match ms % 10 {
                0 => {
                    let _ = w.wake(p);
                }
                5 => w.schedule(CpuId(0), true),
                _ => {}
            }
            w.settle();
            w.run_to(ms + 1);
            let _ = w.s.rebalance_domains(CpuId(0), ms, IdleType::NotIdle);
        }
        let domains = alloc::sync::Arc::clone(&w.s.domains);
        let lowest = domains.at(CpuId(0), 0).expect("two CPUs");
        let (power, full) = (w.s.group_power(lowest.local()), lowest.local().power);
        let expected = if static_power { full } else { full / 2 };
        assert!(
            power.abs_diff(expected) <= full / 20,
            "{base:?} {deltas:?}: {power}"
        );
        let other = domains.at(CpuId(1), 0).expect("two CPUs").local();
        assert_eq!(w.s.group_power(other), full, "{base:?}");
    }
}

#[test]
fn the_pick_says_that_it_is_a_real_time_task() {
    let mut w = World::new(Base::V6_1, 1);
    let _ = w.hog(Policy::Normal, 0);
    let rt = w.sleeper(rr(99), CpuMask::first(1));
    let _ = w.wake(rt);
    w.s.begin_schedule(CpuId(0));
    w.s.put_prev_task(CpuId(0));
    let pick = w.s.judge_pick(CpuId(0));
    assert_eq!((pick.task, pick.why), (Some(rt), PickWhy::RealTime));
    assert_eq!(w.s.pick_next_task(CpuId(0)), pick);
}
