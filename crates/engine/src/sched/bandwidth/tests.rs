//! Quotas by the clock: who runs how long, who waits, and what the counters say meanwhile.

use super::{CfsQuota, SLICE};
use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::{Preempt, PreemptWhy};
use crate::sched::profile::{Base, DeltaSet, Kernel};
use crate::sched::rq::{CfsRqId, GroupId};
use crate::sched::test_machines::flat;
use crate::sched::{Sched, TaskSpec, WakeFlags};
use crate::task::{Nice, Policy, TaskId};
use crate::time::Instant;

const MS: u64 = 1_000_000;
const WITH_QUOTAS: [Base; 2] = [Base::V3_2, Base::V6_1];

/// CPUs that tick each millisecond, and the timers of quotas.
struct World {
    s: Sched,
    now: u64,
}

impl World {
    fn new(base: Base, cpus: usize) -> World {
        let s = flat(cpus as u16, &Kernel::compose(base, DeltaSet::default()));
        World { s, now: 1 }
    }

    fn group(&mut self, parent: GroupId, quota: u64) -> GroupId {
        let group = self.s.new_group(parent, 1024);
        let quota = CfsQuota {
            quota: quota * MS,
            period: 100 * MS,
            burst: 0,
        };
        self.s.set_quota(group, Some(quota), Instant(self.now));
        group
    }

    fn sleeper(&mut self, group: GroupId, cpu: u16) -> TaskId {
        self.s.new_task(TaskSpec {
            nice: Nice::new(0),
            policy: Policy::Normal,
            allowed: CpuMask::just(CpuId(cpu)),
            group,
            parent: None,
            vruntime: None,
        })
    }

    /// A task that is woken now.
    fn hog(&mut self, group: GroupId, cpu: u16) -> TaskId {
        let task = self.sleeper(group, cpu);
        let _ = self.wake(task);
        task
    }

    fn wake(&mut self, task: TaskId) -> Preempt {
        let cpu = self.s.tasks[task.index()].cpu;
        self.s.update_rq_clock(cpu, Instant(self.now));
        self.s.activate_task(task, true);
        self.s.check_preempt_curr(cpu, task, WakeFlags::default())
    }

    fn sleep(&mut self, task: TaskId) {
        let cpu = self.s.tasks[task.index()].cpu;
        self.s.update_rq_clock(cpu, Instant(self.now));
        if self.s.rq[cpu.index()].curr == Some(task) {
            self.schedule(cpu, true);
        } else {
            self.s.deactivate_task(task, true);
        }
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

    /// Up to an instant, ms.
    fn run_to(&mut self, ms: u64) {
        self.settle();
        while self.now < ms * MS {
            let tick = (self.now / MS + 1) * MS;
            let timer = self.s.bandwidth_timer().filter(|(at, _)| at.0 <= tick);
            self.now = timer.map_or(tick, |(at, _)| at.0);
            if timer.is_some() {
                let _ = self.s.bandwidth_timer_fires(Instant(self.now));
            } else {
                for cpu in (0..self.s.rq.len()).map(|cpu| CpuId(cpu as u16)) {
                    self.s.update_rq_clock(cpu, Instant(self.now));
                    self.s.update_cpu_load(cpu);
                    let _ = self.s.task_tick(cpu);
                }
            }
            self.settle();
        }
    }

    /// What a task ran so far, µs.
    fn ran(&self, task: TaskId) -> u64 {
        self.s.se(self.s.tasks[task.index()].se).sum_exec / 1000
    }

    fn queue(&self, group: GroupId, cpu: u16) -> CfsRqId {
        self.s.group_cfs_rq(group, CpuId(cpu))
    }

    fn remaining(&self, group: GroupId, cpu: u16) -> i64 {
        self.s.quotas.queue(self.queue(group, cpu)).remaining
    }

    fn throttled(&self, group: GroupId, cpu: u16) -> bool {
        self.s.quotas.queue(self.queue(group, cpu)).throttled
    }
}

/// Within 1 % of the whole.
fn assert_near(what: Base, got: u64, expected: u64, whole: u64) {
    assert!(
        got.abs_diff(expected) <= whole / 100,
        "{what:?}: {got} µs, not {expected} of {whole}"
    );
}

#[test]
fn a_fifth_of_one_cpu_beside_another_or_alone() {
    for base in WITH_QUOTAS {
        for alone in [true, false] {
            let mut w = World::new(base, 1);
            let group = w.group(GroupId(0), 20);
            let limited = w.hog(group, 0);
            let other = (!alone).then(|| w.hog(GroupId(0), 0));
            w.run_to(2000);
            assert_near(base, w.ran(limited), 400_000, 2_000_000);
            if let Some(other) = other {
                assert_near(base, w.ran(other), 1_600_000, 2_000_000);
            }
        }
    }
}

#[test]
fn a_quota_is_of_all_cpus_together() {
    for base in WITH_QUOTAS {
        let mut w = World::new(base, 2);
        let group = w.group(GroupId(0), 20);
        let hogs = [0, 1].map(|cpu| w.hog(group, cpu));
        w.run_to(2000);
        let ran = hogs.map(|hog| w.ran(hog));
        assert_near(base, ran.iter().sum(), 400_000, 2_000_000);
        assert!(ran.iter().all(|ran| *ran > 100_000), "{base:?}: {ran:?}");
    }
}

#[test]
fn more_than_a_cpu_is_a_quota_too() {
    for base in WITH_QUOTAS {
        let mut w = World::new(base, 2);
        let group = w.group(GroupId(0), 150);
        let hogs = [0, 1].map(|cpu| w.hog(group, cpu));
        w.run_to(2000);
        let ran: u64 = hogs.iter().map(|hog| w.ran(*hog)).sum();
        assert_near(base, ran, 3_000_000, 4_000_000);
    }
}

#[test]
fn a_group_within_a_group_has_what_both_allow() {
    for base in WITH_QUOTAS {
        for (outer, inner) in [(30, 50), (50, 20)] {
            let mut w = World::new(base, 1);
            let above = w.group(GroupId(0), outer);
            let below = w.group(above, inner);
            let hog = w.hog(below, 0);
            let beside = w.hog(above, 0);
            w.run_to(2000);
            let (hog, beside) = (w.ran(hog), w.ran(beside));
            assert_near(base, hog + beside, outer * 20_000, 2_000_000);
            let most = inner * 20_000;
            assert!(hog <= most + 20_000, "{base:?}: {hog} of {most}");
            assert!(hog + 20_000 >= most.min(outer * 10_000), "{base:?}: {hog}");
        }
    }
}

/// The group's queue keeps its tasks; the CPU counts none of them, and goes idle.
#[test]
fn the_tasks_of_a_throttled_group_are_out_of_the_counts() {
    for base in WITH_QUOTAS {
        let mut w = World::new(base, 1);
        let group = w.group(GroupId(0), 20);
        let nested = w.s.new_group(group, 1024);
        let hogs = [w.hog(group, 0), w.hog(nested, 0), w.hog(nested, 0)];
        w.run_to(10);
        assert_eq!((w.s.rq[0].nr_running, w.s.rq[0].h_nr_running), (3, 3));
        w.run_to(30);
        assert!(w.throttled(group, 0), "{base:?}");
        assert!(!w.throttled(nested, 0), "{base:?}: only the group above");
        let rq = &w.s.rq[0];
        assert_eq!((rq.nr_running, rq.h_nr_running, rq.load), (0, 0, 0));
        assert_eq!(rq.curr, None);
        assert_eq!(w.s.cfs(w.queue(group, 0)).nr_running, 2);
        assert!(hogs.iter().all(|hog| w.s.is_task_held_back(*hog)));
        // Who comes or goes meanwhile is not counted either.
        w.sleep(hogs[1]);
        w.sleep(hogs[0]);
        assert_eq!(w.s.rq[0].nr_running, 0);
        w.run_to(101);
        assert_eq!((w.s.rq[0].nr_running, w.s.rq[0].h_nr_running), (1, 1));
        assert_eq!(w.s.rq[0].curr, Some(hogs[2]));
    }
}

#[test]
fn a_task_that_wakes_in_a_throttled_group_waits_for_the_next_period() {
    for base in WITH_QUOTAS {
        let mut w = World::new(base, 1);
        let group = w.group(GroupId(0), 10);
        let _ = w.hog(group, 0);
        let other = w.hog(GroupId(0), 0);
        let late = w.sleeper(group, 0);
        w.run_to(50);
        assert!(w.throttled(group, 0), "{base:?}");
        let verdict = w.wake(late);
        assert_eq!((verdict.yes, verdict.why), (false, PreemptWhy::Throttled));
        assert_eq!(w.s.rq[0].nr_running, 1);
        w.run_to(99);
        assert_eq!((w.s.rq[0].curr, w.ran(late)), (Some(other), 0));
        w.run_to(130);
        assert!(w.ran(late) > 0, "{base:?}");
    }
}

/// A group whose only queue has nothing in hand when a task wakes there is throttled at the enqueue.
#[test]
fn a_task_that_wakes_where_the_pool_is_empty_is_throttled_at_once() {
    for base in WITH_QUOTAS {
        let mut w = World::new(base, 2);
        let group = w.group(GroupId(0), 10);
        let _ = w.hog(group, 0);
        let late = w.sleeper(group, 1);
        w.run_to(50);
        assert!(w.throttled(group, 0) && !w.throttled(group, 1), "{base:?}");
        assert_eq!(w.wake(late).why, PreemptWhy::IdleCpu);
        assert!(w.throttled(group, 1), "{base:?}");
        assert_eq!(w.s.rq[1].nr_running, 0);
        w.run_to(101);
        assert_eq!(w.s.rq[1].nr_running, 1, "{base:?}");
    }
}

/// Runtime is taken in slices of 5 ms; what was run too long is paid back in the next period.
#[test]
fn runtime_is_taken_in_slices_and_paid_back() {
    let mut w = World::new(Base::V6_1, 1);
    let group = w.group(GroupId(0), 12);
    let hog = w.hog(group, 0);
    assert_eq!(w.remaining(group, 0), SLICE as i64);
    assert_eq!(w.s.quotas.group(group).runtime, 7 * MS);
    w.run_to(14);
    // 1 ns after boot it woke; at 13 ms it had 1 ns left.
    assert_eq!((w.ran(hog), w.remaining(group, 0)), (12_999, -999_999));
    assert!(w.throttled(group, 0));
    w.run_to(100);
    assert_eq!((w.remaining(group, 0), w.throttled(group, 0)), (1, false));
    assert_eq!(w.s.quotas.group(group).runtime, 11 * MS);
    let pool = w.s.quotas.group(group);
    assert_eq!((pool.nr_periods, pool.nr_throttled), (1, 1));
    assert_eq!(pool.throttled_time, 87 * MS);
}

/// Two queues give 4 ms each back as they empty: 5 ms later a third, throttled one is helped from that.
#[test]
fn what_is_given_back_goes_to_who_is_throttled() {
    let mut w = World::new(Base::V6_1, 3);
    let group = w.group(GroupId(0), 20);
    let others = [1, 2].map(|cpu| w.hog(group, cpu));
    assert_eq!(w.s.quotas.group(group).runtime, 10 * MS);
    let hog = w.hog(group, 0);
    for cpu in [1, 2] {
        // Somebody else keeps them from running.
        w.s.rq[cpu].need_resched = false;
    }
    w.schedule(CpuId(0), false);
    w.now = 11 * MS;
    w.s.update_rq_clock(CpuId(0), Instant(w.now));
    let _ = w.s.task_tick(CpuId(0));
    w.schedule(CpuId(0), false);
    assert!(w.throttled(group, 0));
    for other in others {
        w.sleep(other);
    }
    assert_eq!([1, 2].map(|cpu| w.remaining(group, cpu)), [MS as i64; 2]);
    assert_eq!(w.s.quotas.group(group).runtime, 8 * MS);
    assert_eq!(w.s.bandwidth_timer(), Some((Instant(16 * MS), CpuId(0))));
    w.run_to(16);
    assert_eq!((w.throttled(group, 0), w.s.rq[0].curr), (false, Some(hog)));
    assert_eq!(w.remaining(group, 0), 1);
}

/// 3.2 by a slip gives back while others stay, and keeps what the last one had.
#[test]
fn what_3_2_gives_back() {
    let mut w = World::new(Base::V3_2, 1);
    let group = w.group(GroupId(0), 20);
    let [a, b] = [0, 0].map(|cpu| w.hog(group, cpu));
    assert_eq!(w.remaining(group, 0), 5 * MS as i64);
    w.sleep(a);
    assert_eq!(w.remaining(group, 0), MS as i64);
    assert_eq!(w.s.quotas.group(group).runtime, 19 * MS);
    let _ = w.wake(a);
    w.sleep(a);
    w.run_to(1);
    assert_eq!(w.remaining(group, 0), 1);
    w.run_to(3);
    w.sleep(b);
    assert_eq!(w.remaining(group, 0), 4 * MS as i64);
}

/// In 3.2 what is in hand when its period is over is lost; 6.1 keeps it.
#[test]
fn runtime_in_hand_expires_in_3_2_only() {
    for (base, expected) in [(Base::V3_2, 5 * MS), (Base::V6_1, MS)] {
        let mut w = World::new(base, 1);
        let group = w.group(GroupId(0), 20);
        let hog = w.hog(group, 0);
        w.run_to(2);
        w.sleep(hog);
        w.run_to(950);
        assert_eq!(w.s.bandwidth_timer(), None, "nobody needs it");
        let before = w.ran(hog);
        let _ = w.wake(hog);
        assert_eq!(w.remaining(group, 0), expected as i64, "{base:?}");
        w.run_to(1000);
        assert_near(base, w.ran(hog) - before, 20_000, 100_000);
    }
}

#[test]
fn a_group_without_its_quota_runs_on() {
    for base in WITH_QUOTAS {
        let mut w = World::new(base, 1);
        let group = w.group(GroupId(0), 10);
        let hog = w.hog(group, 0);
        w.run_to(50);
        assert!(w.throttled(group, 0), "{base:?}");
        w.s.set_quota(group, None, Instant(w.now));
        w.settle();
        let before = w.ran(hog);
        w.run_to(500);
        assert_eq!(w.ran(hog) - before, 450_000, "{base:?}");
        assert_eq!(w.s.bandwidth_timer(), None, "{base:?}");
    }
}

/// While a group is throttled its averages stand still, those of 3.2 and those of 6.1.
#[test]
fn a_throttled_group_is_as_loaded_as_it_was() {
    let mut w = World::new(Base::V6_1, 1);
    let group = w.group(GroupId(0), 20);
    let _ = w.hog(group, 0);
    w.run_to(25);
    let q = w.queue(group, 0);
    let before = w.s.pelt.cfs(q).avg.load_avg;
    w.run_to(95);
    w.s.update_blocked_averages(CpuId(0));
    assert_eq!(w.s.pelt.cfs(q).avg.load_avg, before);
    assert!(before > 0);
    let root = w.s.pelt.cfs(CfsRqId(0)).avg.util_avg;
    assert!(root < 200, "the CPU is idle meanwhile: {root}");
}
