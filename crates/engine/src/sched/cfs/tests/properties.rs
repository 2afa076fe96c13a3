//! What holds after every step of any run, on any mixture of deltas and features, in groups nested three deep, with
//! quotas, other weights and other masks on the way.

use super::MS;
use crate::machine::{CpuId, CpuMask};
use crate::sched::bandwidth::CfsQuota;
use crate::sched::decision::PickWhy;
use crate::sched::features::Feature;
use crate::sched::profile::{Base, DELTAS, DeltaSet, Kernel, PROFILES};
use crate::sched::rq::{CfsRqId, EntityId, GroupId, SchedEntity, SchedTask};
use crate::sched::rules::{Balancing, Bandwidth, ThrottledRt};
use crate::sched::{Sched, SchedSetup, TaskSpec, WakeFlags, eevdf};
use crate::task::{Nice, Policy, RtPriority, TaskId};
use crate::time::{Hz, Instant};
use alloc::vec::Vec;
use proptest::prelude::*;

const CPUS: usize = 2;
const MOST_TASKS: usize = 24;
/// The root group among them.
const GROUPS: usize = 5;

/// Fair policies; in some runs two tasks of twelve are real-time ones.
fn policy(i: usize, features: u64) -> Policy {
    match i {
        5 if features >> 53 & 1 == 1 => Policy::Fifo(RtPriority::new(50)),
        10 if features >> 54 & 1 == 1 => Policy::Rr(RtPriority::new(50)),
        _ => [Policy::Normal, Policy::Batch, Policy::Idle][i / 2 % 4 % 3],
    }
}

/// A step: what, and three numbers to choose with.
type Step = (u8, u16, u16, u32);

/// Two CPUs, groups A, B below the root, C below A and D below C, and some sleeping tasks in each.
struct Run {
    s: Sched,
    now: u64,
    min_vruntime: Vec<i64>,
}

impl Run {
    fn new(deltas: u64, features: u64) -> Run {
        let chosen = DELTAS.iter().filter(|d| deltas >> (d.id.0 % 64) & 1 == 1);
        let deltas = chosen.fold(DeltaSet::default(), |set, d| set.with(d.id, true));
        let base = Base::ALL[(features >> 60) as usize % Base::ALL.len()];
        // One kernel in four is the newest release, with a commit more or less; features of it may still be turned.
        let newest = PROFILES.last().filter(|_| features >> 58 & 3 == 3);
        let mut kernel = match newest {
            Some(newest) => {
                let id = DELTAS[deltas.0 as usize % DELTAS.len()].id;
                let turned = newest.deltas.with(id, !newest.deltas.has(id));
                Kernel::compose(newest.base, turned)
            }
            None => Kernel::compose(base, deltas),
        };
        for (i, feature) in Feature::ALL.iter().enumerate() {
            if kernel.exists.has(*feature) {
                kernel.features = kernel.features.with(*feature, features >> i & 1 == 1);
            }
        }
        let mut s = Sched::new(&SchedSetup::boot(kernel, CPUS, Hz(1000)));
        let a = s.new_group(GroupId(0), 1024);
        s.new_group(GroupId(0), 300);
        let c = s.new_group(a, 2048);
        s.new_group(c, 500);
        if kernel.rules.bandwidth != Bandwidth::Absent {
            // A fifth of a CPU, a third of two, any part: throttled often.
            for (group, bit, quota) in [(1, 50, 2), (2, 51, 7), (3, 52, 5), (4, 55, 4)] {
                let quota = CfsQuota {
                    quota: quota * MS,
                    period: 10 * MS,
                    burst: 0,
                };
                let quota = Some(quota).filter(|_| features >> bit & 1 == 1);
                s.set_quota(GroupId(group), quota, Instant(0));
            }
        }
        for i in 0..GROUPS * 3 {
            s.new_task(TaskSpec {
                nice: Nice::new([0, 0, 0, 5, -5, 19][i % 6]),
                policy: policy(i, features),
                allowed: CpuMask::first(CPUS),
                group: GroupId((i % GROUPS) as u32),
                parent: None,
                vruntime: None,
            });
        }
        s.set_rt_bandwidth(3 * MS, 10 * MS);
        let min_vruntime = s.cfs_rq.iter().map(|q| q.min_vruntime).collect();
        Run {
            s,
            now: 0,
            min_vruntime,
        }
    }

    fn step(&mut self, (what, a, b, ns): Step) {
        self.now += u64::from(ns) % (3 * MS);
        let p = TaskId(u32::from(a) % self.s.tasks.len() as u32);
        let cpu = CpuId(b % CPUS as u16);
        self.fire_timers();
        match what % 13 {
            0..=2 => self.wake(p, cpu),
            3 => self.schedule(cpu, true),
            4 | 5 => self.schedule(cpu, false),
            6 => self.tick(cpu, b),
            7 => self.fork(cpu),
            8 => self.shift(p, b),
            9 => self.change_quota(a, b),
            10 => self.change_shares(a, b),
            11 => self.change_mask(p, b),
            _ => self.yield_or_move(p, cpu),
        }
    }

    fn fire_timers(&mut self) {
        while let Some((at, _)) = self.s.bandwidth_timer().filter(|(at, _)| at.0 <= self.now) {
            let asked = self.s.bandwidth_timer_fires(at);
            assert!(asked.iter().all(|cpu| self.s.rq[cpu.index()].need_resched));
        }
    }

    /// One group in eight gets another quota, or none.
    fn change_quota(&mut self, a: u16, b: u16) {
        if self.s.rules.bandwidth == Bandwidth::Absent || !a.is_multiple_of(8) {
            return;
        }
        let quota = CfsQuota {
            quota: (1 + u64::from(b) % 12) * MS,
            period: 10 * MS,
            burst: 0,
        };
        let group = GroupId(1 + u32::from(b) % (GROUPS as u32 - 1));
        let quota = Some(quota).filter(|_| !b.is_multiple_of(5));
        self.s.set_quota(group, quota, Instant(self.now));
    }

    fn change_shares(&mut self, a: u16, b: u16) {
        let group = GroupId(u32::from(a) % GROUPS as u32);
        let shares = 2 + u64::from(b) % 4000;
        self.s.set_group_shares(group, shares, Instant(self.now));
    }

    /// A task is confined to one CPU, or no longer.
    fn change_mask(&mut self, p: TaskId, b: u16) {
        let mask = match b % 3 {
            2 => CpuMask::first(CPUS),
            cpu => CpuMask::just(CpuId(cpu)),
        };
        let cpu = self.s.tasks[p.index()].cpu;
        self.read_clock(cpu);
        let Some(to) = self.s.set_allowed(p, mask) else {
            return;
        };
        let running = self.s.rq[cpu.index()].curr == Some(p);
        if running {
            self.s.begin_schedule(cpu);
            self.s.put_prev_for_good(cpu);
        }
        self.read_clock(to);
        let _ = self.s.move_task(p, to);
        if running {
            self.s.settle_pick(cpu);
            let _ = self.s.pick_next_task(cpu);
        }
    }

    fn read_clock(&mut self, cpu: CpuId) {
        self.s.update_rq_clock(cpu, Instant(self.now));
    }

    fn wake(&mut self, p: TaskId, cpu: CpuId) {
        if self.s.is_delayed(p) {
            let cpu = self.s.tasks[p.index()].cpu;
            self.read_clock(cpu);
            self.s.requeue_delayed_task(p);
            return self.check_preempt(cpu, p);
        }
        if self.s.is_queued(p) {
            return;
        }
        let allowed = self.s.tasks[p.index()].allowed;
        let cpu = if allowed.contains(cpu) {
            cpu
        } else {
            allowed.lowest().expect("not empty")
        };
        let prev = self.s.tasks[p.index()].cpu;
        self.read_clock(prev);
        if cpu != prev {
            self.s.update_target_clock(cpu, Instant(self.now));
            self.s.set_task_cpu(p, cpu);
        }
        self.s.activate_task(p, true);
        if let Some(waker) = self.s.rq[0].curr {
            self.s.record_wakeup_by(waker);
        }
        self.check_preempt(cpu, p);
    }

    fn check_preempt(&mut self, cpu: CpuId, p: TaskId) {
        let flags = WakeFlags::default();
        let judged = self.s.check_preempt(cpu, p, flags);
        assert_eq!(self.s.check_preempt_curr(cpu, p, flags), judged);
        assert!(!judged.yes || self.s.rq[cpu.index()].need_resched);
    }

    fn schedule(&mut self, cpu: CpuId, blocks: bool) {
        self.s.begin_schedule(cpu);
        self.read_clock(cpu);
        if let Some(curr) = self.s.rq[cpu.index()].curr.filter(|_| blocks) {
            self.s.deactivate_task(curr, true);
        }
        let before = self.s.rq[cpu.index()].curr;
        self.s.put_prev_task(cpu);
        let judged = self.s.judge_pick(cpu);
        let rows: Vec<_> = self.s.pick_candidates(cpu).collect();
        let pick = self.s.pick_next_task(cpu);
        assert_eq!(pick, judged);
        if pick.why != PickWhy::RealTime {
            assert_eq!(rows.last().and_then(|row| row.task), pick.task);
        }
        assert_eq!(pick.task, self.s.rq[cpu.index()].curr);
        if let Some(task) = pick.task.filter(|task| Some(*task) != before) {
            self.check_part(task);
        }
    }

    fn tick(&mut self, cpu: CpuId, b: u16) {
        self.read_clock(cpu);
        let rq = &self.s.rq[cpu.index()];
        // A dequeue on the way to idling may have armed it.
        let fair = rq.curr.is_some_and(|curr| !self.s.is_rt(curr));
        if b % 8 == 7 && rq.hrtick.is_some() && fair {
            assert!(self.s.hrtick_fire(cpu).resched);
        } else {
            let tick = self.s.task_tick(cpu);
            assert!(!tick.resched || self.s.rq[cpu.index()].need_resched);
            if let Some(curr) = self.s.rq[cpu.index()].curr {
                self.check_part(curr);
            }
        }
    }

    fn fork(&mut self, to: CpuId) {
        let parent = self.s.rq[0]
            .curr
            .filter(|_| self.s.tasks.len() < MOST_TASKS);
        let Some(parent) = parent else { return };
        let task = self.s.tasks[parent.index()].clone();
        let to = if task.allowed.contains(to) {
            to
        } else {
            task.cpu
        };
        let child = self.s.new_task(TaskSpec {
            nice: task.nice,
            policy: task.policy,
            allowed: task.allowed,
            group: task.group,
            parent: Some(parent),
            vruntime: None,
        });
        self.s.set_task_cpu(child, to);
        self.read_clock(to);
        let _ = self.s.wake_up_new_task(child, CpuId(0));
    }

    fn shift(&mut self, p: TaskId, b: u16) {
        let cpu = self.s.tasks[p.index()].cpu;
        self.read_clock(cpu);
        self.s.set_nice(p, Nice::new(i64::from(b % 40) - 20));
    }

    fn yield_or_move(&mut self, p: TaskId, cpu: CpuId) {
        self.read_clock(cpu);
        let from = self.s.tasks[p.index()].cpu;
        if self.s.rq[from.index()].curr == Some(p) {
            self.s.yield_task(from);
        } else if self.s.is_queued(p)
            && from != cpu
            && self.s.tasks[p.index()].allowed.contains(cpu)
        {
            let _ = self.s.move_task(p, cpu);
        }
    }

    /// Everything that must hold now.
    fn check(&mut self) {
        (0..self.s.cfs_rq.len()).for_each(|q| self.check_queue(CfsRqId(q as u32)));
        (0..self.s.cfs_rq.len()).for_each(|q| self.check_throttling(CfsRqId(q as u32)));
        (0..CPUS).for_each(|cpu| self.check_cpu(CpuId(cpu as u16)));
    }

    fn check_queue(&mut self, q: CfsRqId) {
        let s = &self.s;
        let cfs = s.cfs(q);
        let queued: Vec<EntityId> = (0..s.se.len() as u32)
            .map(EntityId)
            .filter(|se| s.se(*se).on_rq && s.se(*se).cfs_rq == q)
            .collect();
        let weight: u64 = queued.iter().map(|se| s.se(*se).load.weight).sum();
        assert_eq!(
            (cfs.nr_running as usize, cfs.load),
            (queued.len(), weight),
            "recount of {q:?}"
        );

        let queued = if s.rules.flat {
            self.check_flat(q, &queued)
        } else {
            queued
        };
        let mut places: Vec<EntityId> = cfs.timeline.iter().map(|w| w.se).collect();
        if s.rules.is_eevdf() {
            places.extend(s.eevdf.q(q).tree.iter().map(|w| w.se));
        }
        let curr = if s.rules.is_eevdf() {
            s.eevdf.q(q).curr()
        } else {
            cfs.curr
        };
        let curr = curr.filter(|curr| queued.contains(curr));
        places.extend(curr);
        places.sort_unstable();
        assert_eq!(places, queued, "each in exactly one place of {q:?}");
        if s.rules.is_eevdf() {
            self.check_sums(q, &queued);
        }
        assert!(
            cfs.timeline
                .iter()
                .all(|w| w.vruntime == s.se(w.se).vruntime)
        );
        assert!(cfs.timeline.iter().is_sorted_by_key(|w| w.vruntime));

        let mut listed: Vec<TaskId> = s.queued_tasks(q).collect();
        listed.sort_unstable();
        // 6.1 and 6.5 have one list for each CPU, which the root queue holds.
        let one_list = s.rules.balancing == Balancing::ByGroupType;
        let on_it = |se: &&SchedEntity| {
            let root = CfsRqId(u32::from(s.cfs(se.cfs_rq).cpu.0));
            se.on_rq && q == if one_list { root } else { se.cfs_rq }
        };
        let tasks: Vec<TaskId> = s.se.iter().filter(on_it).filter_map(|se| se.task).collect();
        assert_eq!(listed, tasks, "the list of {q:?}");

        let marks = [cfs.next, cfs.last].into_iter().flatten();
        assert!(
            marks.into_iter().all(|se| queued.contains(&se)),
            "buddies wait or run"
        );
        let before = core::mem::replace(&mut self.min_vruntime[q.0 as usize], cfs.min_vruntime);
        assert!(
            before <= cfs.min_vruntime,
            "min_vruntime of {q:?} went back"
        );
    }

    /// Who competes on `q` where tasks of all groups do so in the root queue: those that no quota holds back. The weights
    /// of levels are still counted.
    fn check_flat(&self, q: CfsRqId, queued: &[EntityId]) -> Vec<EntityId> {
        let s = &self.s;
        let own = |se: &EntityId| match s.se(*se).my_q {
            Some(_) => s.eevdf.se(*se).weight,
            None => s.se(*se).load.weight << 10,
        };
        assert_eq!(s.eevdf.q(q).weight(), queued.iter().map(own).sum::<u64>());
        let is_root = q.0 < CPUS as u32;
        let here = |p: &&SchedTask| {
            let level = s.se(p.se).cfs_rq;
            is_root && p.cpu == s.cfs(q).cpu && s.se(p.se).on_rq && !s.is_held_back(level)
        };
        let mut tasks: Vec<EntityId> = s.tasks.iter().filter(here).map(|p| p.se).collect();
        tasks.sort_unstable();
        assert_eq!(s.eevdf.q(q).nr() as usize, tasks.len(), "tasks of {q:?}");
        let running = s.rq[s.cfs(q).cpu.index()].curr;
        let running = running.filter(|p| is_root && !s.is_rt(*p));
        assert_eq!(
            s.eevdf.q(q).curr(),
            running.map(|p| s.tasks[p.index()].se),
            "who runs of {q:?}"
        );
        tasks
    }

    /// The part of the weights above it that a task has, by the straight product; the rounding is one down on each level.
    fn check_part(&self, task: TaskId) {
        let s = &self.s;
        let se = s.tasks[task.index()].se;
        if !s.rules.flat || s.is_rt(task) || s.is_task_held_back(task) {
            return;
        }
        let weight = |se: EntityId| match s.se(se).my_q {
            Some(_) => s.eevdf.se(se).weight,
            None => s.se(se).load.weight << 10,
        };
        let part = s.levels(se).fold(1_u128 << 20, |part, se| {
            let on_it = |other: &&SchedEntity| other.on_rq && other.cfs_rq == s.se(se).cfs_rq;
            let all = (0..s.se.len() as u32).map(EntityId);
            let all = all.filter(|other| on_it(&s.se(*other)));
            let all = match s.se(se).parent {
                Some(_) => all.map(weight).sum::<u64>(),
                None => 1 << 20,
            };
            (part * u128::from(weight(se)) / u128::from(all)).max(2)
        });
        assert_eq!(u128::from(s.eevdf.se(se).weight), part, "{task:?}");
    }

    /// What EEVDF keeps of a queue agrees with a recount, and so does who is eligible.
    fn check_sums(&self, q: CfsRqId, queued: &[EntityId]) {
        let s = &self.s;
        let weight = |se: &EntityId| u128::from(eevdf::average_weight(s, *se));
        let load: u128 = queued.iter().map(weight).sum();
        let sum = |se: &EntityId| i128::from(s.se(*se).vruntime) * weight(se) as i128;
        let sum: i128 = queued.iter().map(sum).sum();
        if load > 0 {
            let average = sum.div_euclid(load as i128) as i64;
            assert_eq!(eevdf::avg_vruntime(s, q), average, "the average of {q:?}");
        }
        for se in queued {
            let fits = sum >= i128::from(s.se(*se).vruntime) * load as i128;
            assert_eq!(eevdf::entity_eligible(s, *se), fits, "eligible: {se:?}");
        }
        for w in s.eevdf.q(q).tree.iter() {
            let (entity, own) = (s.se(w.se), s.eevdf.se(w.se));
            let known = (w.vruntime, w.deadline, w.slice);
            assert_eq!(
                known,
                (entity.vruntime, own.deadline, own.slice),
                "{:?}",
                w.se
            );
        }
    }

    /// A queue is held back by itself and those above it; its entity is queued if it has something to run and may.
    fn check_throttling(&self, q: CfsRqId) {
        let s = &self.s;
        let (cfs, queue) = (s.cfs(q), s.quotas.queue(q));
        let listed = &s.quotas.group(cfs.group).throttled;
        assert_eq!(listed.contains(&q), queue.throttled, "the list of {q:?}");
        let Some(se) = cfs.se else { return };
        let above = s.se(se).cfs_rq;
        let count = s.quotas.queue(above).throttle_count + u32::from(queue.throttled);
        assert_eq!(queue.throttle_count, count, "held back: {q:?}");
        let waits = cfs.nr_running > 0 && !queue.throttled;
        let delayed = s.rules.is_eevdf() && s.eevdf.se(se).sched_delayed;
        assert_eq!(s.se(se).on_rq, waits || delayed, "the entity of {q:?}");
        assert!(!(waits && delayed), "{q:?} has something to run");
    }

    fn check_cpu(&self, cpu: CpuId) {
        let s = &self.s;
        let rq = &s.rq[cpu.index()];
        let queued = |se| s.levels(se).all(|se| s.se(se).on_rq);
        let here = s.tasks.iter().filter(|t| t.cpu == cpu && queued(t.se));
        let here = here.count();
        assert_eq!(rq.h_nr_running as usize, here);
        let rt = &s.rt.rq[cpu.index()];
        let uncounted = rt.throttled && s.rules.throttled_rt == ThrottledRt::Uncounted;
        let counted = if uncounted { 0 } else { rt.queue.len() };
        assert_eq!(rq.nr_running as usize, here + counted);
        let urgency = |p: &TaskId| core::cmp::Reverse(s.tasks[p.index()].policy.rt_priority());
        assert!(rt.queue.is_sorted_by_key(urgency));
        assert!(
            rt.queue
                .iter()
                .all(|p| s.tasks[p.index()].cpu == cpu && s.is_rt(*p))
        );
        assert_eq!(rq.load, s.cfs(CfsRqId(u32::from(cpu.0))).load);
        if let Some(curr) = rq.curr.filter(|curr| !s.is_rt(*curr)) {
            let chain = s.levels(s.tasks[curr.index()].se);
            let current = |se: EntityId| s.cfs(s.se(se).cfs_rq).curr == Some(se);
            assert!(chain.into_iter().all(current), "current at every level");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn queues_add_up_after_every_step(
        deltas in any::<u64>(),
        features in any::<u64>(),
        steps in prop::collection::vec(any::<Step>(), 1..300),
    ) {
        let mut run = Run::new(deltas, features);
        for step in steps {
            run.step(step);
            run.check();
        }
    }
}
