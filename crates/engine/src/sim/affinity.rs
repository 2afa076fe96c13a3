//! Masks and cpusets change: who does that, and how tasks get off CPUs where they may no longer run.
//!
//! Not here: which CPUs that leaves a task (`sched::cpuset`).

use super::Sim;
use super::run::Then;
use super::schedule::Leaving;
use crate::machine::{CpuId, CpuMask};
use crate::observe::event::Cause;
use crate::observe::{Event, Observer};
use crate::sched::decision::{MigrateWhy, Moved};
use crate::sched::rq::GroupId;
use crate::task::TaskId;
use crate::time::Instant;
use crate::workload::program::MaskId;
use alloc::vec::Vec;

impl Sim {
    /// `sched_setaffinity` of the task itself: where it may not stay it is moved to the lowest CPU it may use
    /// (`set_cpus_allowed_ptr`, `cpumask_any_and`).
    pub(super) fn set_cpus(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        mask: MaskId,
        obs: &mut impl Observer,
    ) -> Then {
        let asked = self.stage.world.masks[mask.0 as usize];
        self.thread(task).pc += 1;
        let before = self.cpus_of(task);
        let to = self.sched.sched_setaffinity(task, asked);
        self.tell_affinity(task, before, obs);
        match to {
            Some(to) => {
                self.settle(cpu);
                Then::Schedule(Leaving::Moves(to, MigrateWhy::Affinity))
            }
            None => Then::Between,
        }
    }

    /// `task` gives a group other CPUs: tasks that run elsewhere are moved by the stopper thread there, waiting ones too
    /// or at once, as the kernel does it.
    pub(super) fn set_cpuset(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        (group, mask): (u16, MaskId),
        obs: &mut impl Observer,
    ) -> Then {
        self.thread(task).pc += 1;
        self.settle(cpu);
        let cpus = self.stage.world.masks[mask.0 as usize];
        let tasks = (0..self.threads.len() as u32).map(TaskId);
        let before: Vec<(TaskId, CpuMask)> = tasks.map(|p| (p, self.cpus_of(p))).collect();
        let moves = self.sched.set_cpuset(GroupId(group.into()), cpus);
        for (p, before) in before {
            self.tell_affinity(p, before, obs);
        }
        let at_once = self.sched.rules.mask_moves_waiting;
        let mut then = Then::Between;
        for (p, to) in moves {
            let from = self.sched.tasks[p.index()].cpu;
            let why = MigrateWhy::Affinity;
            if p == task {
                then = Then::Schedule(Leaving::Moves(to, why));
            } else if at_once && self.cpus[from.index()].curr != Some(p) {
                self.sched.update_rq_clock(from, Instant(self.now));
                let moved = self.push_to(from, p, (to, why));
                self.settle_move(cpu, moved, obs);
            } else {
                self.cpu(from).evicted.push(p);
                self.ask_to_resched(cpu, from, Cause::Stopper);
            }
        }
        then
    }

    fn cpus_of(&self, task: TaskId) -> CpuMask {
        self.sched.tasks[task.index()].allowed
    }

    /// `task` could have the CPUs `before`: which it may have now, if others.
    pub(super) fn tell_affinity(&mut self, task: TaskId, before: CpuMask, obs: &mut impl Observer) {
        let allowed = self.cpus_of(task);
        if allowed != before {
            self.tell(obs, &Event::Affinity { task, allowed });
        }
    }

    /// The stopper thread of `cpu` moves tasks that may no longer run there, as far as they are still queued
    /// (`migration_cpu_stop`).
    pub(super) fn evict(&mut self, cpu: CpuId) -> Vec<Moved> {
        let tasks = core::mem::take(&mut self.cpu(cpu).evicted);
        let moves = tasks.into_iter().filter_map(|p| {
            let task = &self.sched.tasks[p.index()];
            let strays = task.cpu == cpu && !task.allowed.contains(cpu) && self.sched.is_queued(p);
            let to = task.allowed.lowest().filter(|_| strays)?;
            Some(self.push_to(cpu, p, (to, MigrateWhy::Affinity)))
        });
        moves.collect()
    }
}
