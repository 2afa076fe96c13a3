//! Queues that have no runtime left, and what that means for those above and below.
//!
//! A throttled queue keeps its entities, and tasks may come and go below it; but its own entity is off the queue
//! above, so that nobody above counts them. Source: kernel/sched_fair.c of 3.2, kernel/sched/fair.c of 6.1.

use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::eevdf;
use crate::sched::entity::Dequeue;
use crate::sched::fair;
use crate::sched::pelt::Action;
use crate::sched::rq::{CfsRqId, EntityId, GroupId, SchedEntity};
use crate::sched::rules::Bandwidth;
use crate::task::TaskId;
use crate::time::Instant;
use alloc::vec::Vec;

impl Sched {
    /// `q` leaves the queues above with all its tasks; a level that it leaves empty follows it. Since 5.8 the pool is
    /// asked for a last nanosecond first, and false is the answer if it has that (`throttle_cfs_rq`).
    pub(super) fn throttle(&mut self, q: CfsRqId) -> bool {
        if self.rules.bandwidth == Bandwidth::Kept && self.assign(q, 1) {
            return false;
        }
        let (cpu, group) = (self.cfs(q).cpu, self.cfs(q).group);
        if self.rules.flat {
            eevdf::flat::drop_delayed_of(self, cpu, &self.and_below(q));
        }
        let pool = self.quotas.group_mut(group);
        pool.throttled.push(q);
        pool.throttles += 1;
        self.quotas.note(cpu, group, true);
        self.hold_back_below(q);
        let tasks = self.tasks_below(q);
        if self.leave_above(self.cfs(q).se, tasks) {
            let rq = &mut self.rq[cpu.index()];
            rq.nr_running -= tasks;
            rq.h_nr_running -= tasks;
        }
        let clock = self.rq_of(q).clock;
        let queue = self.quotas.queue_mut(q);
        (queue.throttled, queue.since) = (true, clock);
        if self.rules.flat {
            eevdf::flat::heed_quotas(self, cpu);
        }
        true
    }

    /// Takes the entity `level` off, and those above whose queue that leaves empty, and counts the tasks below out up to
    /// the root. False if an entity on the way was not queued, or only for what it owed: a task that is just coming has
    /// not been counted then.
    fn leave_above(&mut self, level: Option<EntityId>, tasks: u32) -> bool {
        let (mut level, mut tasks, mut counted) = (level, tasks, true);
        let mut leaves = true;
        while let Some(se) = level {
            let entity = self.se(se);
            if !entity.on_rq {
                return false;
            }
            let (above, parent) = (entity.cfs_rq, entity.parent);
            if self.rules.is_eevdf() && self.eevdf.se(se).sched_delayed {
                (tasks, counted) = (0, false);
            }
            if leaves {
                self.dequeue_entity(above, se, Dequeue::Sleep, tasks);
                leaves = self.cfs(above).load == 0;
            } else if self.tracks_load() {
                self.track_level(se, Action::AgeOnly, -(tasks as i32));
            }
            level = parent;
        }
        counted
    }

    /// `q` has runtime again: it is queued above as if it woke. True if its CPU, idle until now, is to reschedule
    /// (`unthrottle_cfs_rq`).
    pub(super) fn unthrottle(&mut self, q: CfsRqId, now: Instant) -> bool {
        let (cpu, group) = (self.cfs(q).cpu, self.cfs(q).group);
        self.update_rq_clock(cpu, now);
        let clock = self.rq[cpu.index()].clock;
        let queue = self.quotas.queue_mut(q);
        queue.throttled = false;
        let waited = clock - queue.since;
        let pool = self.quotas.group_mut(group);
        pool.throttled_time += waited;
        pool.throttled.retain(|throttled| *throttled != q);
        self.quotas.note(cpu, group, false);
        self.let_go_below(q);
        if self.cfs(q).load > 0 {
            let tasks = self.tasks_below(q);
            if self.return_above(self.cfs(q).se, tasks) {
                self.add_nr_running(cpu, tasks);
            }
        }
        if self.rules.flat {
            eevdf::flat::heed_quotas(self, cpu);
        }
        let idle = self.rq[cpu.index()].curr.is_none();
        let wakes = idle && self.cfs_rq[cpu.index()].nr_running > 0;
        if wakes {
            self.resched(cpu);
        }
        wakes
    }

    /// Puts the entity `level` back, and those above that are not queued, and counts the tasks below in up to the root.
    /// False if a queue on the way is throttled.
    fn return_above(&mut self, level: Option<EntityId>, tasks: u32) -> bool {
        let mut level = level;
        while let Some(se) = level {
            let entity = self.se(se);
            let (above, parent) = (entity.cfs_rq, entity.parent);
            if entity.on_rq && self.rules.is_eevdf() && self.eevdf.se(se).sched_delayed {
                self.dequeue_entity(above, se, Dequeue::Sleep, 0);
            }
            if !self.se(se).on_rq {
                self.enqueue_entity(above, se, true, tasks);
            } else if self.tracks_load() {
                self.track_level(se, Action::Age, tasks as i32);
            }
            if self.is_throttled(above) {
                return false;
            }
            level = parent;
        }
        true
    }

    /// Tasks of `q` at any depth, without those below a throttled queue (`h_nr_running`).
    fn tasks_below(&self, q: CfsRqId) -> u32 {
        let cfs = self.cfs(q);
        let of_group = |group: u32| self.group_cfs_rq(GroupId(group), cfs.cpu);
        let queued = |below: &CfsRqId| {
            let se = self.cfs(*below).se;
            se.is_some_and(|se| self.se(se).on_rq && self.se(se).cfs_rq == q)
        };
        let below = (0..self.groups.len() as u32).map(of_group).filter(queued);
        below.fold(cfs.nr_running, |tasks, below| {
            tasks - 1 + self.tasks_below(below)
        })
    }

    /// The queues of a CPU that are `q` or below it.
    fn and_below(&self, q: CfsRqId) -> Vec<CfsRqId> {
        let (cpu, top) = (self.cfs(q).cpu, self.cfs(q).group);
        let groups = (0..self.groups.len() as u32).map(GroupId);
        let within = |group: &GroupId| {
            let above = |group: &GroupId| self.groups[group.0 as usize].parent;
            core::iter::successors(Some(*group), above).any(|group| group == top)
        };
        let queue = |group| self.group_cfs_rq(group, cpu);
        groups.filter(within).map(queue).collect()
    }

    /// Averages of load stand still where nobody can run (`tg_throttle_down`).
    fn hold_back_below(&mut self, q: CfsRqId) {
        let now = self.pelt_clock(self.cfs(q).cpu);
        for below in self.and_below(q) {
            if self.quotas.queue(below).throttle_count == 0 {
                self.share_before(below);
                self.quotas.queue_mut(below).pelt_since = now;
            }
            self.quotas.queue_mut(below).throttle_count += 1;
        }
    }

    /// They go on (`tg_unthrottle_up`).
    fn let_go_below(&mut self, q: CfsRqId) {
        let now = self.pelt_clock(self.cfs(q).cpu);
        for below in self.and_below(q) {
            let queue = self.quotas.queue_mut(below);
            queue.throttle_count -= 1;
            if queue.throttle_count == 0 {
                queue.pelt_time += now - queue.pelt_since;
                self.share_after_pause(below);
            }
        }
    }

    fn pelt_clock(&mut self, cpu: CpuId) -> u64 {
        if self.tracks_load() {
            self.pelt_now(cpu)
        } else {
            0
        }
    }

    /// The time by which averages of `q` are kept, of `now` by which those of its CPU are (`cfs_rq_clock_pelt`).
    #[inline]
    pub(in crate::sched) fn without_pauses(&self, q: CfsRqId, now: u64) -> u64 {
        if !self.quotas.used {
            return now;
        }
        let queue = self.quotas.queue(q);
        let now = if queue.throttle_count > 0 {
            queue.pelt_since
        } else {
            now
        };
        now - queue.pelt_time
    }
}

/// What others ask.
impl Sched {
    /// The running task of `cpu` is charged. Is one of its queues, of those that the pick comes by, out of runtime? Then
    /// it is throttled (the first loop of `pick_next_task_fair`).
    pub(in crate::sched) fn runs_out_of_quota(&mut self, cpu: CpuId) -> bool {
        if self.rules.flat {
            return self.runs_out_of_any_quota(cpu);
        }
        let mut q = CfsRqId(u32::from(cpu.0));
        while self.cfs(q).curr.is_some() {
            if self.check_runtime(q) {
                return true;
            }
            let picked = fair::judge_entity(self, q);
            let Some(below) = picked.and_then(|(se, _)| self.se(se).my_q) else {
                return false;
            };
            q = below;
        }
        false
    }

    /// The same where no level is picked from: of the queues above the running task, the lowest first.
    fn runs_out_of_any_quota(&mut self, cpu: CpuId) -> bool {
        let curr = self.rq[cpu.index()].curr;
        let mut level = curr.map(|curr| self.tasks[curr.index()].se);
        while let Some(se) = level {
            let SchedEntity {
                cfs_rq: q, parent, ..
            } = *self.se(se);
            if self.cfs(q).curr == Some(se) && self.check_runtime(q) {
                return true;
            }
            level = parent;
        }
        false
    }

    /// Is `p` kept from running by a quota where it is or would be on `to`, so that moving it is no use
    /// (`throttled_lb_pair`)?
    pub(in crate::sched) fn is_held_back_between(&self, p: TaskId, to: CpuId) -> bool {
        let task = &self.tasks[p.index()];
        let there = self.group_cfs_rq(task.group, to);
        self.is_held_back(self.se(task.se).cfs_rq) || self.is_held_back(there)
    }

    /// The groups that are throttled on `cpu`, without those below another such, and how many tasks wait for that.
    pub fn throttled_on(&self, cpu: CpuId) -> Vec<(GroupId, u32)> {
        if !self.quotas.used {
            return Vec::new();
        }
        let groups = (0..self.groups.len() as u32).map(GroupId);
        let held_back = |group: &GroupId| self.is_held_back(self.group_cfs_rq(*group, cpu));
        let top = |group: &GroupId| {
            let above = self.groups[group.0 as usize].parent;
            held_back(group) && !above.is_some_and(|above| held_back(&above))
        };
        let waiting = |group: GroupId| {
            let below = self.and_below(self.group_cfs_rq(group, cpu));
            let theirs =
                |se: &&SchedEntity| se.task.is_some() && se.on_rq && below.contains(&se.cfs_rq);
            self.se.iter().filter(theirs).count() as u32
        };
        let counted = groups.filter(top).map(|group| (group, waiting(group)));
        counted.filter(|(_, tasks)| *tasks > 0).collect()
    }

    /// Is `p` kept from running by a quota, or by the limit of real-time tasks?
    pub fn is_task_held_back(&self, p: TaskId) -> bool {
        if self.is_rt(p) {
            let cpu = self.tasks[p.index()].cpu;
            return self.rt.rq[cpu.index()].throttled;
        }
        self.is_held_back(self.se(self.tasks[p.index()].se).cfs_rq)
    }
}
