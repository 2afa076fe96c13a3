//! Real-time tasks between CPUs: pushed away from where they would wait, pulled to a CPU that has something less urgent
//! to do.
//!
//! Outline: which CPU does the work is not told apart (`RT_PUSH_IPI` has the other CPUs push, here the one that wants
//! tasks pulls them), and capacities of CPUs are not looked at.
//! Source: kernel/sched_rt.c of 2.6.31 to 3.2, kernel/sched/rt.c of 6.1, the function named at each.

use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::{MigrateWhy, Moved};
use crate::sched::sd_flags::SdFlags;
use crate::task::TaskId;
use crate::time::Instant;
use alloc::vec::Vec;

/// Where it could go.
impl Sched {
    /// The CPU with the least urgent work where `p` would be the most urgent: where it was, near there, the one that
    /// asks (`find_lowest_rq`).
    pub(super) fn find_lowest_rq(&self, p: TaskId, this: CpuId) -> Option<CpuId> {
        let task = &self.tasks[p.index()];
        let (lowest, least) = self.lowest_cpus(&task.allowed);
        if task.allowed.weight() < 2 || least >= self.priority(p) {
            return None;
        }
        if lowest.contains(task.cpu) {
            return Some(task.cpu);
        }
        let this = Some(this).filter(|this| lowest.contains(*this));
        let near = self.domains.of(task.cpu).find_map(|d| {
            let affine = d.sd.spec.flags.any(SdFlags::WAKE_AFFINE);
            let here = this.filter(|this| d.sd.span.contains(*this));
            let found = here.or_else(|| lowest.and(&d.sd.span).lowest());
            found.filter(|_| affine)
        });
        near.or(this).or(lowest.lowest())
    }

    /// The allowed CPUs with the least urgent tasks, and how urgent these are; a CPU without real-time tasks is as good
    /// as an idle one (`cpupri_find`).
    fn lowest_cpus(&self, allowed: &CpuMask) -> (CpuMask, u8) {
        let least = allowed.iter().map(|cpu| self.urgency(cpu)).min();
        let least = least.unwrap_or(0);
        let lowest = allowed.iter().filter(|cpu| self.urgency(*cpu) == least);
        (lowest.collect(), least)
    }

    /// The priority of the most urgent real-time task of `cpu`; 0 if it has none (`highest_prio.curr`).
    fn urgency(&self, cpu: CpuId) -> u8 {
        let first = self.rt.rq[cpu.index()].queue.first();
        first.map_or(0, |first| self.priority(*first))
    }

    /// Is there a CPU with less urgent work than `p`?
    fn can_go_elsewhere(&self, p: TaskId) -> bool {
        let allowed = &self.tasks[p.index()].allowed;
        allowed.weight() > 1 && self.lowest_cpus(allowed).1 < self.priority(p)
    }

    /// Is `p` to run on `cpu` before the running task of the same priority, because that can go elsewhere and `p` cannot
    /// (`check_preempt_equal_prio`)?
    pub(super) fn goes_first(&self, p: TaskId, curr: TaskId) -> bool {
        self.priority(p) == self.priority(curr)
            && self.can_go_elsewhere(curr)
            && !self.can_go_elsewhere(p)
    }
}

/// Pushing and pulling.
impl Sched {
    /// The most urgent task that waits on `cpu` and may run on `to`, or on another CPU if none is named
    /// (`pick_highest_pushable_task`, `pick_next_pushable_task`).
    fn pushable(&self, cpu: CpuId, to: Option<CpuId>) -> Option<TaskId> {
        let curr = self.rq[cpu.index()].curr;
        let waits = |p: &TaskId| {
            let allowed = &self.tasks[p.index()].allowed;
            let may = to.map_or(allowed.weight() > 1, |to| allowed.contains(to));
            may && Some(*p) != curr
        };
        let queue = &self.rt.rq[cpu.index()].queue;
        queue.iter().copied().find(waits)
    }

    /// Is `p`, just woken on `cpu`, to be pushed on, because it waits there for another real-time task
    /// (`task_woken_rt`)?
    pub fn pushes_woken(&self, cpu: CpuId, p: TaskId) -> bool {
        self.runs_rt(cpu)
            && self.is_rt(p)
            && !self.rq[cpu.index()].need_resched
            && self.rq[cpu.index()].curr != Some(p)
            && self.tasks[p.index()].allowed.weight() > 1
    }

    /// Pushes what waits on `cpu` for its running real-time task to CPUs with less urgent work, the most urgent first,
    /// until one finds no such CPU (`push_rt_tasks`). `this` is the CPU that does it.
    pub fn push_rt_tasks(&mut self, cpu: CpuId, this: CpuId, now: Instant) -> Vec<Moved> {
        let mut moved = Vec::new();
        while let Some(p) = self.pushable(cpu, None) {
            if self.priority(p) > self.running_priority(cpu) {
                self.resched(cpu);
                break;
            }
            let to = self.find_lowest_rq(p, this).filter(|to| *to != cpu);
            let Some(to) = to else { break };
            moved.push(self.carry_rt(p, to, MigrateWhy::RtPush, now));
        }
        moved
    }

    /// Is `cpu`, which `prev` leaves, to look for more urgent tasks than it has left (`need_pull_rt_task`)?
    pub fn needs_rt_pull(&self, cpu: CpuId, prev: TaskId) -> bool {
        self.is_rt(prev) && self.urgency(cpu) < self.priority(prev)
    }

    /// Pulls from each other CPU a task that waits there and is more urgent than what `this` has (`pull_rt_task`).
    pub fn pull_rt_tasks(&mut self, this: CpuId, now: Instant) -> Vec<Moved> {
        let mut moved = Vec::new();
        let cpus = (0..self.rt.rq.len()).map(|cpu| CpuId(cpu as u16));
        for cpu in cpus.filter(|cpu| *cpu != this) {
            let waits = self.pushable(cpu, Some(this));
            let comes = waits.filter(|p| {
                let priority = self.priority(*p);
                // What is more urgent than the running task is about to preempt it.
                priority > self.urgency(this) && priority <= self.running_priority(cpu)
            });
            let comes = comes.map(|p| self.carry_rt(p, this, MigrateWhy::RtPull, now));
            moved.extend(comes);
        }
        moved
    }

    fn carry_rt(&mut self, task: TaskId, to: CpuId, why: MigrateWhy, now: Instant) -> Moved {
        let from = self.tasks[task.index()].cpu;
        self.update_rq_clock(from, now);
        self.update_rq_clock(to, now);
        let _ = self.move_task(task, to);
        Moved {
            task,
            from,
            to,
            why,
        }
    }
}
