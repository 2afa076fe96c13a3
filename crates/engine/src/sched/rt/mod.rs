//! The real-time class, as an outline: one queue to a CPU, by priority, first come first served among equals.
//!
//! `SCHED_FIFO` and `SCHED_RR` tasks come before all fair ones; an RR task goes behind its equals when its slice is
//! over. What they run is limited: 0.95 s of each second on a CPU, then the queue is throttled and fair tasks run.
//! Where a task is woken is in [`select`], where it goes from there in [`push_pull`], what it takes from fair tasks in
//! [`power`].
//! Outline: there are no real-time groups; the weight that these tasks add to the load of a CPU before 2.6.38 is not seen
//! by balancing.
//! Source: kernel/sched_rt.c of 2.6.31 to 3.2, kernel/sched/rt.c of 6.1, the function named at each.

mod power;
mod push_pull;
mod select;
#[cfg(test)]
mod tests;

use super::Sched;
use super::decision::{Pick, PickWhy, Preempt, PreemptWhy, Tick, TickWhy};
use super::features::Feature;
use super::rules::ThrottledRt;
use crate::machine::{CpuId, CpuMask};
use crate::task::{Policy, TaskId};
use crate::time::Instant;
use alloc::vec::Vec;
use power::Powers;

/// The period over which real-time tasks are limited, ns (`sysctl_sched_rt_period`: 1 s).
const PERIOD: u64 = 1_000_000_000;

/// What they may run of it on each CPU, ns (`sysctl_sched_rt_runtime`: 0.95 s).
const RUNTIME: u64 = 950_000_000;

/// The slice of an RR task, ms (`DEF_TIMESLICE`, `RR_TIMESLICE`: 100 ms).
const RR_SLICE_MS: u32 = 100;

/// `rt_rq`.
#[derive(Clone, Debug)]
pub struct RtRq {
    /// Runnable tasks, the running one included, in the order in which they are to run.
    pub queue: Vec<TaskId>,
    /// What they ran of late, ns (`rt_time`).
    pub rt_time: u64,
    /// What they may, ns; more or less than at first where CPUs lend each other some (`rt_runtime`).
    pub rt_runtime: u64,
    /// Have they had that (`rt_throttled`)?
    pub throttled: bool,
}

/// The real-time class of a machine.
#[derive(Clone, Debug)]
pub struct RtClass {
    /// Was there ever a real-time task?
    pub used: bool,
    /// By CPU.
    pub rq: Vec<RtRq>,
    /// `sysctl_sched_rt_period`, ns.
    period: u64,
    /// When the period ends, while somebody needs that.
    pub(super) timer: Option<u64>,
    /// What they leave of CPUs.
    powers: Powers,
}

impl RtClass {
    pub(super) fn new(cpus: usize) -> RtClass {
        let queue = RtRq {
            queue: Vec::new(),
            rt_time: 0,
            rt_runtime: RUNTIME,
            throttled: false,
        };
        RtClass {
            used: false,
            rq: alloc::vec![queue; cpus],
            period: PERIOD,
            timer: None,
            powers: Powers::default(),
        }
    }

    fn queue_mut(&mut self, cpu: CpuId) -> &mut RtRq {
        &mut self.rq[cpu.index()]
    }
}

/// Which class a task is of.
impl Sched {
    /// Is `p` a real-time task?
    #[inline]
    pub fn is_rt(&self, p: TaskId) -> bool {
        self.rt.used && self.priority(p) > 0
    }

    /// Its priority, 1 to 99; 0 for a fair task.
    fn priority(&self, p: TaskId) -> u8 {
        self.tasks[p.index()].policy.rt_priority()
    }

    /// Does a real-time task run on `cpu`?
    #[inline]
    pub(super) fn runs_rt(&self, cpu: CpuId) -> bool {
        self.rt.used
            && self.rq[cpu.index()]
                .curr
                .is_some_and(|curr| self.is_rt(curr))
    }

    /// The priority of what runs on `cpu`; 0 if that is no real-time task.
    fn running_priority(&self, cpu: CpuId) -> u8 {
        let curr = self.rq[cpu.index()].curr;
        curr.map_or(0, |curr| self.priority(curr))
    }

    /// The real-time task that is to run on `cpu` (`_pick_next_task_rt`).
    #[inline]
    pub(super) fn rt_first(&self, cpu: CpuId) -> Option<TaskId> {
        if !self.rt.used {
            return None;
        }
        let rt = &self.rt.rq[cpu.index()];
        rt.queue.first().filter(|_| !rt.throttled).copied()
    }

    /// Is `p` queued or running?
    pub fn is_queued(&self, p: TaskId) -> bool {
        let task = &self.tasks[p.index()];
        if self.is_rt(p) {
            return self.rt.rq[task.cpu.index()].queue.contains(&p);
        }
        self.se(task.se).on_rq
    }
}

/// The queue.
impl Sched {
    /// `p` is runnable, behind its equals; the period begins if it stands (`enqueue_task_rt`, `start_rt_bandwidth`).
    pub(super) fn enqueue_task_rt(&mut self, p: TaskId) {
        let cpu = self.tasks[p.index()].cpu;
        self.rt_insert(cpu, p);
        if self.rt_counts(cpu) {
            self.rq[cpu.index()].nr_running += 1;
        }
        if self.rt.timer.is_none() {
            let (now, period) = (self.rq[cpu.index()].clock, self.rt.period);
            self.rt.timer = Some((now / period + 1) * period);
            self.quotas.changed = true;
        }
    }

    /// `dequeue_task_rt`.
    pub(super) fn dequeue_task_rt(&mut self, p: TaskId) {
        let cpu = self.tasks[p.index()].cpu;
        self.update_curr_rt(cpu);
        self.rt.queue_mut(cpu).queue.retain(|queued| *queued != p);
        if self.rt_counts(cpu) {
            self.rq[cpu.index()].nr_running -= 1;
        }
    }

    /// Do the tasks of `cpu` count as its runnable ones (`add_nr_running`)?
    fn rt_counts(&self, cpu: CpuId) -> bool {
        let uncounted = self.rules.throttled_rt == ThrottledRt::Uncounted;
        !(uncounted && self.rt.rq[cpu.index()].throttled)
    }

    fn rt_insert(&mut self, cpu: CpuId, p: TaskId) {
        let priority = self.priority(p);
        let queue = &self.rt.rq[cpu.index()].queue;
        let before = queue.iter().filter(|q| self.priority(**q) >= priority);
        let at = before.count();
        self.rt.queue_mut(cpu).queue.insert(at, p);
    }

    /// `p` goes before its equals (`requeue_task_rt`, at the head).
    pub(super) fn rt_to_head(&mut self, cpu: CpuId, p: TaskId) {
        let priority = self.priority(p);
        let mut queue = core::mem::take(&mut self.rt.queue_mut(cpu).queue);
        queue.retain(|queued| *queued != p);
        let before = queue.iter().filter(|q| self.priority(**q) > priority);
        queue.insert(before.count(), p);
        self.rt.queue_mut(cpu).queue = queue;
    }

    /// `p` goes behind its equals (`requeue_task_rt`); true if there is one.
    fn rt_requeue(&mut self, cpu: CpuId, p: TaskId) -> bool {
        let equals = |q: &&TaskId| self.priority(**q) == self.priority(p);
        let shared = self.rt.rq[cpu.index()].queue.iter().filter(equals).count() > 1;
        if shared {
            self.rt.queue_mut(cpu).queue.retain(|queued| *queued != p);
            self.rt_insert(cpu, p);
        }
        shared
    }
}

/// Running.
impl Sched {
    /// Charges the running real-time task of `cpu` (`update_curr_rt`).
    pub(super) fn update_curr_rt(&mut self, cpu: CpuId) {
        let rq = &self.rq[cpu.index()];
        let (clock, curr) = (rq.clock, rq.curr.filter(|curr| self.is_rt(*curr)));
        let Some(curr) = curr else { return };
        let se = self.tasks[curr.index()].se;
        let entity = self.se_mut(se);
        let delta = clock.saturating_sub(entity.exec_start);
        if delta == 0 {
            return;
        }
        entity.sum_exec += delta;
        entity.exec_start = clock;
        self.rt.queue_mut(cpu).rt_time += delta;
        self.rt_avg_update(cpu, delta);
        if self.rt_runtime_exceeded(cpu) {
            self.resched(cpu);
        }
    }

    /// Have the tasks of `cpu` had all that they may (`sched_rt_runtime_exceeded`)?
    fn rt_runtime_exceeded(&mut self, cpu: CpuId) -> bool {
        if self.rt.rq[cpu.index()].throttled {
            return true;
        }
        self.balance_runtime(cpu);
        let rt = &self.rt.rq[cpu.index()];
        if rt.rt_runtime >= self.rt.period || rt.rt_time <= rt.rt_runtime {
            return false;
        }
        if self.rt_counts(cpu) && self.rules.throttled_rt == ThrottledRt::Uncounted {
            let tasks = self.rt.rq[cpu.index()].queue.len() as u32;
            self.rq[cpu.index()].nr_running -= tasks;
        }
        self.rt.queue_mut(cpu).throttled = true;
        true
    }

    /// The other CPUs each lend an equal part of what they have left (`do_balance_runtime`).
    fn balance_runtime(&mut self, cpu: CpuId) {
        let lends = self.features.has(Feature::RtRuntimeShare);
        let this = &self.rt.rq[cpu.index()];
        if !lends || this.rt_time <= this.rt_runtime {
            return;
        }
        let cpus = self.rt.rq.len();
        for other in (0..cpus).filter(|other| *other != cpu.index()) {
            let room = self.rt.period - self.rt.rq[cpu.index()].rt_runtime;
            let from = &mut self.rt.rq[other];
            let spare = from.rt_runtime.saturating_sub(from.rt_time) / cpus as u64;
            let lent = spare.min(room);
            from.rt_runtime -= lent;
            self.rt.queue_mut(cpu).rt_runtime += lent;
        }
    }

    /// A real-time task runs next on `cpu` (`set_next_task_rt`).
    pub(super) fn set_next_rt(&mut self, cpu: CpuId, p: TaskId) -> Pick {
        let clock = self.rq[cpu.index()].clock;
        let se = self.tasks[p.index()].se;
        self.se_mut(se).exec_start = clock;
        if !self.runs_rt(cpu) {
            self.age_rt_avg(cpu, false);
        }
        rt_pick(p)
    }

    /// The tick finds a real-time task: an RR task whose slice is over goes behind its equals (`task_tick_rt`).
    pub(super) fn task_tick_rt(&mut self, cpu: CpuId, curr: TaskId) -> Tick {
        self.update_curr_rt(cpu);
        let why = self.rr_slice(cpu, curr);
        if why == TickWhy::RrSliceExpired {
            self.resched(cpu);
        }
        Tick {
            resched: why.reschedules(),
            why,
        }
    }

    fn rr_slice(&mut self, cpu: CpuId, curr: TaskId) -> TickWhy {
        let slice = RR_SLICE_MS * self.hz.0 / 1000;
        let task = &mut self.tasks[curr.index()];
        if !matches!(task.policy, Policy::Rr(_)) {
            return TickWhy::RealTime;
        }
        task.rr_ticks += 1;
        if task.rr_ticks < slice.max(1) {
            return TickWhy::RealTime;
        }
        task.rr_ticks = 0;
        if self.rt_requeue(cpu, curr) {
            TickWhy::RrSliceExpired
        } else {
            TickWhy::RealTime
        }
    }

    /// The running real-time task of `cpu` yields to its equals (`yield_task_rt`).
    pub(super) fn yield_task_rt(&mut self, cpu: CpuId, curr: TaskId) {
        self.rt_requeue(cpu, curr);
    }

    /// Does `p` preempt, where it or the running task is a real-time one? None: both are fair, or the CPU is idle
    /// (`check_preempt_curr`, `check_preempt_curr_rt`).
    pub(super) fn judge_classes(&self, cpu: CpuId, p: TaskId) -> Option<Preempt> {
        if !self.rt.used {
            return None;
        }
        let curr = self.rq[cpu.index()].curr?;
        let (old, new) = (self.priority(curr), self.priority(p));
        let why = match (old, new) {
            (0, 0) => return None,
            _ if curr == p => PreemptWhy::SelfWakeup,
            (0, _) => PreemptWhy::HigherClass,
            (_, 0) => PreemptWhy::LowerClass,
            (old, new) if new > old => PreemptWhy::HigherPriority,
            _ if !self.rq[cpu.index()].need_resched && self.goes_first(p, curr) => {
                PreemptWhy::EqualStaysHere
            }
            _ => PreemptWhy::NoHigherPriority,
        };
        Some(Preempt {
            yes: why.preempts(),
            why,
            gap: 0,
            gran: 0,
        })
    }

    /// Other limits, ns; they hold from now on (`sched_rt_handler`: `sched_rt_runtime_us`, `sched_rt_period_us`).
    pub fn set_rt_bandwidth(&mut self, runtime: u64, period: u64) {
        self.rt.period = period;
        for rt in &mut self.rt.rq {
            rt.rt_runtime = runtime;
        }
    }

    /// The period is over: what was run is forgotten as far as it was allowed, and who is no longer over that runs
    /// again. The CPUs that are to reschedule (`do_sched_rt_period_timer`).
    pub(super) fn rt_period_timer(&mut self, now: Instant) -> CpuMask {
        let Some(at) = self.rt.timer.filter(|at| *at <= now.0) else {
            return CpuMask::EMPTY;
        };
        let periods = (now.0 - at) / self.rt.period + 1;
        let (mut asked, mut idle) = (CpuMask::EMPTY, true);
        for cpu in (0..self.rt.rq.len()).map(|cpu| CpuId(cpu as u16)) {
            self.update_rq_clock(cpu, now);
            if self.rt.rq[cpu.index()].throttled {
                self.balance_runtime(cpu);
            }
            let rt = self.rt.queue_mut(cpu);
            rt.rt_time = rt.rt_time.saturating_sub(periods * rt.rt_runtime);
            let freed = rt.throttled && rt.rt_time < rt.rt_runtime;
            idle &= rt.rt_time == 0 && rt.queue.is_empty();
            if freed && self.rt_unthrottle(cpu) {
                asked.insert(cpu);
            }
        }
        self.rt.timer = Some(at + periods * self.rt.period).filter(|_| !idle);
        asked
    }

    /// True if the CPU is to reschedule for it.
    fn rt_unthrottle(&mut self, cpu: CpuId) -> bool {
        let counted = self.rt_counts(cpu);
        let rt = self.rt.queue_mut(cpu);
        rt.throttled = false;
        let (tasks, first) = (rt.queue.len() as u32, rt.queue.first().copied());
        if !counted {
            self.rq[cpu.index()].nr_running += tasks;
        }
        let wakes = first.is_some_and(|p| self.priority(p) > self.running_priority(cpu));
        if wakes {
            self.resched(cpu);
        }
        wakes
    }
}

/// The pick of a real-time task.
pub(super) const fn rt_pick(p: TaskId) -> Pick {
    Pick {
        task: Some(p),
        why: PickWhy::RealTime,
    }
}
