//! What precedes the scheduling class: activate and deactivate, move between CPUs, start a new task,
//! schedule(), nice and affinity.
//!
//! The order of steps inside each function is the kernel's; the order of the calls is the driver's, as the
//! door ([`super`]) says. Source: kernel/sched.c of 2.6.31, 2.6.32 and 3.2, kernel/sched/core.c of 6.1 and 6.5.

use super::decision::{Pick, PickWhy, Preempt, PreemptWhy};
use super::entity::Dequeue;
use super::features::Feature;
use super::rq::{CfsRqId, EntityId, GroupId, Skipping};
use super::rt::rt_pick;
use super::rules::{Renice, TakenBack};
use super::weight::task_weight;
use super::{Sched, WakeFlags, cfs, eevdf, fair};
use crate::machine::CpuId;
use crate::task::{Nice, TaskId};
use crate::time::Instant;

impl Sched {
    /// The queue of `group` on `cpu`.
    pub(super) fn group_cfs_rq(&self, group: GroupId, cpu: CpuId) -> CfsRqId {
        CfsRqId(group.0 * self.rq.len() as u32 + u32::from(cpu.0))
    }

    /// Gives `p` another CPU while it is not queued, with its vruntime carried over (`set_task_cpu`).
    pub fn set_task_cpu(&mut self, p: TaskId, cpu: CpuId) {
        let task = &mut self.tasks[p.index()];
        let (se, group) = (task.se, task.group);
        task.cpu = cpu;
        let (from, to) = (self.se(se).cfs_rq, self.group_cfs_rq(group, cpu));
        debug_assert!(
            !self.se(se).on_rq,
            "only a task off the queue changes its CPU"
        );
        if from != to {
            if self.tracks_load() {
                self.track_migration(se);
            }
            if self.rules.is_eevdf() {
                // Its lag and the distance of its deadline go with it.
                self.se_mut(se).exec_start = 0;
            } else {
                cfs::rebase(self, se, from, to);
            }
            let parent = self.cfs(to).se;
            let entity = self.se_mut(se);
            (entity.cfs_rq, entity.parent) = (to, parent);
        }
    }

    /// The flags of a wakeup whose waker gives, or does not give, the sync hint; without `SYNC_WAKEUPS` it
    /// counts for nothing further on (`try_to_wake_up`).
    pub fn wake_flags(&self, sync: bool) -> WakeFlags {
        WakeFlags {
            sync: sync && self.features.has(Feature::SyncWakeups),
            fork: false,
        }
    }

    /// Enqueues `p` on its CPU; `wakeup` places it as one that slept (`activate_task`, `enqueue_task`).
    pub fn activate_task(&mut self, p: TaskId, wakeup: bool) {
        if wakeup && self.rules.averages {
            cfs::at_wakeup(self, p);
        }
        self.enqueue_task(p, wakeup);
        let cpu = self.tasks[p.index()].cpu;
        if wakeup {
            self.end_idle_period(cpu);
            self.note_overutilized(cpu);
        }
    }

    /// Dequeues `p`, which ends: it owes nobody anything (`dequeue_task` with `DEQUEUE_SPECIAL`).
    pub fn deactivate_dead(&mut self, p: TaskId) {
        if self.rules.is_eevdf() && !self.is_rt(p) {
            self.dequeue_fair(p, Dequeue::Sleep, true);
        } else {
            self.deactivate_task(p, true);
        }
    }

    /// Dequeues `p`; `sleep` if it blocks (`deactivate_task`, `dequeue_task`).
    pub fn deactivate_task(&mut self, p: TaskId, sleep: bool) {
        if sleep && self.rules.averages {
            cfs::at_sleep(self, p);
        }
        let how = if sleep { Dequeue::Sleep } else { Dequeue::Move };
        self.dequeue_task(p, how);
    }

    /// Places a new task beside its parent, on the CPU `this` of both, before its own CPU is selected; true if
    /// that asks `this` to reschedule (`task_fork_fair`; kernels up to 2.6.32 place it later).
    pub fn task_fork(&mut self, child: TaskId, this: CpuId, now: Instant) -> bool {
        if self.rules.fork_on_parent {
            self.update_rq_clock(this, now);
        }
        !self.is_rt(child) && fair::task_fork(self, child)
    }

    /// Places and enqueues a new task on the CPU it was given, and asks whether it preempts; `this` is the
    /// CPU its parent runs on (`wake_up_new_task`).
    pub fn wake_up_new_task(&mut self, child: TaskId, this: CpuId) -> Preempt {
        let cpu = self.tasks[child.index()].cpu;
        self.tasks[child.index()].recent_used_cpu = this;
        let swapped = self.enqueue_new_task(child, this == cpu);
        let flags = WakeFlags {
            sync: false,
            fork: true,
        };
        let verdict = self.check_preempt_curr(cpu, child, flags);
        if swapped {
            return Preempt {
                yes: true,
                why: PreemptWhy::ChildRunsFirst,
                ..verdict
            };
        }
        verdict
    }

    /// Moves a queued, not running task to another CPU's queue and asks whether it preempts there
    /// (`pull_task`, `__migrate_task`).
    pub fn move_task(&mut self, p: TaskId, to: CpuId) -> Preempt {
        self.deactivate_task(p, false);
        self.set_task_cpu(p, to);
        self.activate_task(p, false);
        self.check_preempt_curr(to, p, WakeFlags::default())
    }

    /// schedule() begins: an armed hrtick is disarmed, the request taken back if that is done here.
    pub fn begin_schedule(&mut self, cpu: CpuId) {
        let before = self.rules.request_taken_back == TakenBack::BeforePick;
        let rq = &mut self.rq[cpu.index()];
        rq.need_resched &= !before;
        rq.hrtick = None;
        if rq.clock_skip == Skipping::Asked {
            rq.clock_skip = Skipping::Now;
        }
    }

    /// The running task of `cpu` is to make room. It goes back to wait, if it is still runnable; where the running
    /// task takes part in the pick it is charged and stays until it has lost (`put_prev_task`, the first loop of
    /// `pick_next_task_fair`).
    pub fn put_prev_task(&mut self, cpu: CpuId) {
        let fair_only = |s: &Sched| !s.runs_rt(cpu) && s.rt_first(cpu).is_none();
        if self.rules.curr_competes && fair_only(self) {
            if self.rules.is_eevdf() {
                self.settle_pick(cpu);
            } else {
                self.charge_current(cpu);
            }
            if self.quotas.used && self.runs_out_of_quota(cpu) {
                self.put_prev_for_good(cpu);
                // Without it the pick may come upon others that only owe.
                self.settle_pick(cpu);
            }
        } else {
            self.put_prev_for_good(cpu);
            self.settle_pick(cpu);
        }
    }

    /// Charges the running task of `cpu` at every level where it may go on.
    fn charge_current(&mut self, cpu: CpuId) {
        let curr = self.rq[cpu.index()].curr;
        let mut level = curr.map(|curr| self.tasks[curr.index()].se);
        while let Some(se) = level {
            let entity = self.se(se);
            level = entity.parent;
            if entity.on_rq {
                self.update_curr(entity.cfs_rq);
            }
        }
    }

    /// The same for a task of a higher class, beside which nobody competes: the running task of `cpu` goes back to
    /// wait, if it is still runnable (`put_prev_task_fair`).
    pub fn put_prev_for_good(&mut self, cpu: CpuId) {
        if self.runs_rt(cpu) {
            return self.update_curr_rt(cpu);
        }
        let Some(prev) = self.rq[cpu.index()].curr else {
            return;
        };
        if self.rules.averages {
            cfs::at_put_prev(self, prev);
        }
        let mut level = Some(self.tasks[prev.index()].se);
        while let Some(se) = level {
            let entity = self.se(se);
            level = entity.parent;
            let q = entity.cfs_rq;
            self.put_prev_entity(q, se);
        }
    }

    /// Who would run next on `cpu`, after [`Sched::put_prev_task`].
    pub fn judge_pick(&self, cpu: CpuId) -> Pick {
        if let Some(first) = self.rt_first(cpu) {
            return rt_pick(first);
        }
        let mut q = CfsRqId(u32::from(cpu.0));
        let mut pick = Pick {
            task: None,
            why: PickWhy::Idle,
        };
        while let Some((se, role)) = fair::judge_entity(self, q) {
            if pick.why == PickWhy::Idle {
                pick.why = fair::why(self, q, role);
            }
            pick.task = self.se(se).task;
            let Some(below) = self.se(se).my_q else { break };
            q = below;
        }
        pick
    }

    /// Picks who runs next on `cpu` and makes it current (`pick_next_task`, and schedule()'s
    /// `rq->curr = next`).
    pub fn pick_next_task(&mut self, cpu: CpuId) -> Pick {
        let pick = if let Some(first) = self.rt_first(cpu) {
            self.set_next_rt(cpu, first)
        } else if self.competes(cpu) {
            let pick = self.judge_pick(cpu);
            self.change_places(cpu, pick.task);
            pick
        } else {
            self.commit_pick(cpu)
        };
        self.finish_pick(cpu, pick.task);
        pick
    }

    #[inline]
    pub(super) fn finish_pick(&mut self, cpu: CpuId, task: Option<TaskId>) {
        match task {
            Some(next) if self.is_rt(next) => {}
            Some(next) => self.note_running(cpu, next),
            None => self.update_idle_core(cpu),
        }
        let rq = &mut self.rq[cpu.index()];
        (rq.clock_skip, rq.resched_lazy) = (Skipping::No, false);
        if self.rules.request_taken_back == TakenBack::AfterPick {
            rq.need_resched = false;
        }
        self.switch_to(cpu, task);
    }

    fn commit_pick(&mut self, cpu: CpuId) -> Pick {
        let mut q = CfsRqId(u32::from(cpu.0));
        let mut pick = Pick {
            task: None,
            why: PickWhy::Idle,
        };
        while let Some((se, role)) = fair::judge_entity(self, q) {
            if pick.why == PickWhy::Idle {
                pick.why = fair::why(self, q, role);
            }
            pick.task = self.se(se).task;
            if self.rules.flat {
                self.take_up_levels(se, None);
                break;
            }
            cfs::commit_pick(self, q, se, role);
            self.set_next_entity(q, se);
            let Some(below) = self.se(se).my_q else { break };
            q = below;
        }
        pick
    }

    /// Has the running task of `cpu` not been put back?
    #[inline]
    pub(super) fn competes(&self, cpu: CpuId) -> bool {
        if !self.rules.curr_competes {
            return false;
        }
        let curr = self.rq[cpu.index()].curr;
        let se = curr.map(|curr| self.tasks[curr.index()].se);
        se.is_some_and(|se| self.cfs(self.se(se).cfs_rq).curr == Some(se))
    }

    /// The running task of `cpu` is put and `next` set, on the levels below what they have in common; if it is
    /// picked again nothing changes, and its slice and marks stay (`pick_next_task_fair`).
    pub(super) fn change_places(&mut self, cpu: CpuId, next: Option<TaskId>) {
        let se_of = |task: TaskId| self.tasks[task.index()].se;
        let prev = self.rq[cpu.index()].curr.map(se_of);
        let next = next.map(se_of);
        let (Some(mut pse), Some(mut se)) = (prev, next) else {
            return self.put_prev_for_good(cpu);
        };
        if pse == se {
            return;
        }
        if self.rules.flat {
            return self.change_tasks(pse, se);
        }
        let mut depths = [pse, se].map(|se| self.levels(se).count());
        while self.se(pse).cfs_rq != self.se(se).cfs_rq {
            let [prev_depth, next_depth] = depths;
            if next_depth <= prev_depth {
                self.put_prev_entity(self.se(pse).cfs_rq, pse);
                pse = self.parent_of(pse);
                depths[0] -= 1;
            }
            if next_depth >= prev_depth {
                self.take_up(se);
                se = self.parent_of(se);
                depths[1] -= 1;
            }
        }
        if pse != se {
            self.put_prev_entity(self.se(pse).cfs_rq, pse);
            self.take_up(se);
        }
    }

    /// The same for two tasks that compete in one queue: first the one is put, then the other is set.
    fn change_tasks(&mut self, prev: EntityId, next: EntityId) {
        let (pse, se) = self.find_matching_se(prev, next);
        let shared = if pse == se {
            Some(se)
        } else {
            self.se(se).parent
        };
        let mut level = Some(prev);
        while let Some(se) = level.filter(|_| level != shared) {
            self.put_prev_entity(self.se(se).cfs_rq, se);
            level = self.se(se).parent;
        }
        self.take_up_levels(next, shared);
    }

    /// `se` loses its marks and becomes the running entity of its queue.
    pub(super) fn take_up(&mut self, se: EntityId) {
        let q = self.se(se).cfs_rq;
        fair::clear_buddies(self, se);
        self.set_next_entity(q, se);
    }

    /// The same for a task that was picked without a look at its groups, on every level below `shared`.
    pub(super) fn take_up_levels(&mut self, se: EntityId, shared: Option<EntityId>) {
        let mut level = Some(se);
        while let Some(se) = level.filter(|_| level != shared) {
            self.take_up(se);
            level = self.se(se).parent;
        }
    }

    /// The same for one that was running; since 7.0 its protection stays as it was.
    fn take_up_anew(&mut self, se: EntityId) {
        let kept =
            (self.rules.is_eevdf() && !self.rules.set_anew_protects).then(|| *self.eevdf.se(se));
        self.take_up(se);
        if let Some(kept) = kept {
            let own = self.eevdf.se_mut(se);
            (own.vprot, own.parity) = (kept.vprot, kept.parity);
        }
    }

    fn parent_of(&self, se: EntityId) -> EntityId {
        let parent = self.se(se).parent;
        parent.expect("both climb to the root of one CPU")
    }

    /// `next` becomes current. The reschedule flag is the task's own: one set on `prev` after schedule()
    /// began stays with it until it runs again, and one that `next` was left with shows now.
    pub(super) fn switch_to(&mut self, cpu: CpuId, next: Option<TaskId>) {
        let rq = &mut self.rq[cpu.index()];
        let prev = core::mem::replace(&mut rq.curr, next);
        if prev == next {
            return;
        }
        let flag_of_next = match next {
            Some(next) => &mut self.tasks[next.index()].need_resched,
            None => &mut rq.idle_need_resched,
        };
        let shown = core::mem::take(flag_of_next);
        let left = core::mem::replace(&mut rq.need_resched, shown);
        rq.resched_lazy = false;
        match prev {
            Some(prev) => self.tasks[prev.index()].need_resched = left,
            None => rq.idle_need_resched = left,
        }
    }

    /// Gives `p` another nice value: a queued task is taken off and put back at the same vruntime with its
    /// new weight; [`Renice`] says what follows (`set_user_nice`). The clock was read just before.
    pub fn set_nice(&mut self, p: TaskId, nice: Nice) {
        let task = &self.tasks[p.index()];
        let (se, cpu, old, policy) = (task.se, task.cpu, task.nice, task.policy);
        if nice == old {
            return;
        }
        if self.is_rt(p) {
            self.tasks[p.index()].nice = nice;
            return;
        }
        self.drop_delayed_task(p);
        let queued = self.se(se).on_rq;
        let running = self.rq[cpu.index()].curr == Some(p);
        let put = running && self.rules.renice == Renice::PutAndSet;
        if queued {
            self.dequeue_fair(p, Dequeue::Save, false);
        }
        if put {
            self.put_prev_for_good(cpu);
        }
        self.tasks[p.index()].nice = nice;
        let load = task_weight(policy, nice);
        let before = core::mem::replace(&mut self.se_mut(se).load, load);
        if self.rules.is_eevdf() && !self.rules.flat {
            eevdf::set_weight_off_queue(self, se, load.weight << super::weight::SCALE_SHIFT);
        }
        if self.tracks_load() {
            self.track_reweight(se, before.weight);
        }
        if queued {
            self.enqueue_fair(p, false);
        }
        if put {
            self.set_next_task(p);
        }
        match self.rules.renice {
            Renice::Requeue if queued && (nice < old || running) => self.resched(cpu),
            Renice::PutAndSet if queued => self.prio_changed(p, nice > old),
            Renice::Requeue | Renice::PutAndSet => {}
        }
    }

    /// `p` runs, and becomes current anew at every level (`set_next_task_fair`).
    fn set_next_task(&mut self, p: TaskId) {
        let mut level = Some(self.tasks[p.index()].se);
        while let Some(se) = level {
            self.take_up_anew(se);
            if self.quotas.used {
                self.account_runtime(self.se(se).cfs_rq, 0);
            }
            level = self.se(se).parent;
        }
    }

    /// The weight of queued `p` has changed: where others are beside it, it gives way if it runs and became
    /// lighter, or has to pass the wakeup check if it waits (`prio_changed_fair`).
    fn prio_changed(&mut self, p: TaskId, lighter: bool) {
        let cpu = self.tasks[p.index()].cpu;
        if self.cfs_rq[cpu.index()].nr_running == 1 {
            return;
        }
        if self.rq[cpu.index()].curr != Some(p) {
            let _ = self.check_preempt_curr(cpu, p, WakeFlags::default());
        } else if lighter {
            self.resched(cpu);
        }
    }
}

/// A task's entity and what is above it, for comparing across groups.
impl Sched {
    /// Lifts both entities to where their ancestors share a queue (`find_matching_se`).
    pub(super) fn find_matching_se(&self, a: EntityId, b: EntityId) -> (EntityId, EntityId) {
        if self.se(a).cfs_rq == self.se(b).cfs_rq {
            return (a, b);
        }
        self.climb_to_match(a, b)
    }

    fn climb_to_match(&self, mut a: EntityId, mut b: EntityId) -> (EntityId, EntityId) {
        let (mut above_a, mut above_b) = (self.levels(a).count(), self.levels(b).count());
        let up = |se| {
            self.se(se)
                .parent
                .expect("both climb to the root of one CPU")
        };
        while self.se(a).cfs_rq != self.se(b).cfs_rq {
            let (a_climbs, b_climbs) = (above_a >= above_b, above_b >= above_a);
            if a_climbs {
                (a, above_a) = (up(a), above_a - 1);
            }
            if b_climbs {
                (b, above_b) = (up(b), above_b - 1);
            }
        }
        (a, b)
    }
}
