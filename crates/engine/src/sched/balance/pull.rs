//! Which tasks of the busiest queue move, and which are left where their cache is warm.
//!
//! Source: `move_tasks`, `move_one_task`, `balance_tasks`, `can_migrate_task`, `task_hot`, `pull_task` of 2.6.31,
//! 2.6.32 and 3.2, `load_balance_fair` for groups. Kernels of the time are built without `CONFIG_PREEMPT`: a newly
//! idle CPU may pull several.

use crate::machine::CpuId;
use crate::machine::sched_domain::DomainOf;
use crate::sched::Sched;
use crate::sched::decision::{MigrateWhy, Moved};
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, GroupId};
use crate::sched::rules::{Balancing, BuddyHot};
use crate::task::{Policy, TaskId};
use crate::time::Instant;
use alloc::vec::Vec;

/// A CPU that takes tasks from another.
#[derive(Clone, Copy)]
pub(super) struct Pull {
    /// Where they go.
    pub(super) this: CpuId,
    /// The place of the domain among those of `this`.
    index: usize,
    /// Failures tolerated before cache-hot tasks move.
    cache_nice_tries: u32,
    why: MigrateWhy,
}

impl Pull {
    pub(super) fn into(this: CpuId, d: DomainOf<'_>, why: MigrateWhy) -> Pull {
        Pull {
            this,
            index: d.index,
            cache_nice_tries: d.sd.spec.cache_nice_tries,
            why,
        }
    }

    /// Pushed to `this` by the migration thread of the busiest CPU.
    pub(super) fn pushed(this: CpuId, d: DomainOf<'_>) -> Pull {
        Pull::into(this, d, MigrateWhy::Active)
    }
}

/// What came of going through one queue.
#[derive(Clone, Copy, Default)]
pub(super) struct Pulled {
    /// Was any task moved?
    pub(super) any: bool,
    /// Was none seen that may run on the pulling CPU and is light enough? Tasks passed over for their weight
    /// count as pinned, as in the kernel, which asks for the weight first.
    pub(super) all_pinned: bool,
}

impl Sched {
    /// Moves tasks of `busiest` until `max_load_move` is used up; since 2.6.39 it goes round again as long as something
    /// moves, so that more than `nr_migrate` tasks are seen.
    pub(super) fn move_tasks(
        &mut self,
        pull: &Pull,
        busiest: CpuId,
        max_load_move: u64,
        moved: &mut Vec<Moved>,
    ) -> Pulled {
        let again = self.rules.balancing == Balancing::OneForAll;
        let mut all_pinned = again;
        let mut total = 0_u64;
        loop {
            let rest = max_load_move.wrapping_sub(total);
            let load = self.load_balance_fair(pull, busiest, rest, (&mut all_pinned, moved));
            total = total.wrapping_add(load);
            if !again || load == 0 || total >= max_load_move {
                break;
            }
        }
        Pulled {
            any: total > 0,
            all_pinned,
        }
    }

    /// One pass over the queues of `busiest`. With task groups newest group first: a task within a group weighs what
    /// its group's entities make of it. Returns the load moved (`load_balance_fair`).
    fn load_balance_fair(
        &mut self,
        pull: &Pull,
        busiest: CpuId,
        max_load_move: u64,
        (all_pinned, moved): (&mut bool, &mut Vec<Moved>),
    ) -> u64 {
        if self.groups.len() == 1 {
            let root = self.group_cfs_rq(GroupId(0), busiest);
            let (load, pinned) = self.balance_tasks(pull, root, max_load_move, moved);
            self.note_pinned(all_pinned, pinned);
            return load;
        }
        let mut rest = max_load_move as i64;
        for group in (0..self.groups.len() as u32).rev() {
            let q = self.group_cfs_rq(GroupId(group), busiest);
            if self.cfs(q).tasks.is_none() {
                continue;
            }
            let (h_load, weight) = (self.h_load(q), self.cfs(q).load);
            let share = (rest as u64).wrapping_mul(weight) / (h_load + 1);
            let (load, pinned) = self.balance_tasks(pull, q, share, moved);
            self.note_pinned(all_pinned, pinned);
            rest -= (load.wrapping_mul(h_load) / (weight + 1)) as i64;
            if load > 0 && rest < 0 {
                break;
            }
        }
        (max_load_move as i64 - rest) as u64
    }

    /// Were the tasks of the last queue all pinned? Since 3.0 (b30aef17) only those of every queue are.
    fn note_pinned(&self, all_pinned: &mut bool, pinned: bool) {
        *all_pinned = match self.rules.balancing {
            Balancing::NewIdleApart => pinned,
            Balancing::OneForAll | Balancing::ByGroupType => *all_pinned && pinned,
        };
    }

    /// The load that a queue puts on its CPU, seen from the root (`tg_load_down`).
    fn h_load(&self, q: CfsRqId) -> u64 {
        let cfs = self.cfs(q);
        let Some(se) = cfs.se else {
            return self.rq[cfs.cpu.index()].load;
        };
        let entity = self.se(se);
        let above = entity.cfs_rq;
        self.h_load(above).wrapping_mul(entity.load.weight) / (self.cfs(above).load + 1)
    }

    /// Goes through the tasks of one queue, most recently enqueued first, one more than `nr_migrate` at most.
    /// Returns the weight moved and whether every task seen was pinned.
    fn balance_tasks(
        &mut self,
        pull: &Pull,
        q: CfsRqId,
        max_load_move: u64,
        moved: &mut Vec<Moved>,
    ) -> (u64, bool) {
        if max_load_move == 0 {
            // b30aef17 clears the mark where a task is found that might go; none is looked at.
            return (0, self.rules.balancing != Balancing::NewIdleApart);
        }
        let running = self.rq[self.cfs(q).cpu.index()].curr;
        let mut rest = max_load_move as i64;
        let mut all_pinned = true;
        let mut next = self.cfs(q).tasks;
        let mut loops = 0;
        while let Some(p) = next.filter(|_| loops <= self.tunables.nr_migrate) {
            loops += 1;
            next = self.tasks[p.index()].link.next;
            let weight = self.se(self.tasks[p.index()].se).load.weight;
            if (weight >> 1) > rest as u64 || !self.can_migrate(pull, p, running, &mut all_pinned) {
                continue;
            }
            self.pull_task(pull, p, moved);
            rest -= weight as i64;
            if rest <= 0 {
                break;
            }
        }
        ((max_load_move as i64 - rest) as u64, all_pinned)
    }

    /// Moves the first task of `busiest` that may go; its migration thread runs, so none of its tasks does.
    pub(super) fn move_one_task(
        &mut self,
        pull: &Pull,
        busiest: CpuId,
        moved: &mut Vec<Moved>,
    ) -> bool {
        for group in (0..self.groups.len() as u32).rev() {
            let mut next = self.cfs(self.group_cfs_rq(GroupId(group), busiest)).tasks;
            while let Some(p) = next {
                next = self.tasks[p.index()].link.next;
                if self.can_migrate(pull, p, None, &mut false) {
                    self.pull_task(pull, p, moved);
                    return true;
                }
            }
        }
        false
    }

    /// May `p` go, and is it not kept by its warm cache? (`can_migrate_task`)
    fn can_migrate(
        &self,
        pull: &Pull,
        p: TaskId,
        running: Option<TaskId>,
        all_pinned: &mut bool,
    ) -> bool {
        let task = &self.tasks[p.index()];
        if !task.allowed.contains(pull.this) || self.is_held_back_between(p, pull.this) {
            return false;
        }
        *all_pinned = false;
        if running == Some(p) {
            return false;
        }
        let state = &self.rq[pull.this.index()].sd[pull.index];
        state.nr_balance_failed > pull.cache_nice_tries || !self.task_hot(p, pull.why, pull.this)
    }

    /// Is `p` likely to have its data in the cache of its CPU? A buddy is, whatever the clock says; f685ceac
    /// lets an idle puller ignore that. An active balance runs on the busiest CPU, in its migration thread, so
    /// that the one who balances is never idle.
    pub(super) fn task_hot(&self, p: TaskId, why: MigrateWhy, this: CpuId) -> bool {
        let task = &self.tasks[p.index()];
        if task.policy == Policy::Idle && self.rules.balancing != Balancing::NewIdleApart {
            // ef8002f6 (2.6.38).
            return false;
        }
        let (cfs, rq) = (
            self.cfs(self.se(task.se).cfs_rq),
            &self.rq[task.cpu.index()],
        );
        let buddy = Some(task.se) == cfs.next || Some(task.se) == cfs.last;
        let counts = match self.rules.buddy_hot {
            BuddyHot::Always => true,
            BuddyHot::AtScale => u64::from(rq.nr_running) >= self.tunables.nr_latency,
            BuddyHot::PullerBusy => {
                why == MigrateWhy::Active || self.rq[this.index()].nr_running > 0
            }
        };
        if buddy && counts && self.features.has(Feature::CacheHotBuddy) {
            return true;
        }
        match self.tunables.migration_cost {
            -1 => true,
            0 => false,
            cost => {
                let since = rq.clock.wrapping_sub(self.se(task.se).exec_start) as i64;
                since < i64::from(cost as u32)
            }
        }
    }

    /// Moves `p` and asks whether it preempts there; the clocks of both queues are read on the way (`pull_task`).
    fn pull_task(&mut self, pull: &Pull, p: TaskId, moved: &mut Vec<Moved>) {
        let from = self.tasks[p.index()].cpu;
        let (there, here) = (
            self.rq[from.index()].clock,
            self.rq[pull.this.index()].clock,
        );
        self.update_rq_clock(from, Instant(here.max(there)));
        let _ = self.move_task(p, pull.this);
        moved.push(Moved {
            task: p,
            from,
            to: pull.this,
            why: pull.why,
        });
    }
}
