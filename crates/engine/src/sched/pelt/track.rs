//! When averages are brought up to date, and what happens to them as tasks come, go, change their weight or end.
//!
//! An entity's average is part of its queue's from its first enqueue on, also while it sleeps. A task that is woken
//! elsewhere leaves its part behind, to be taken off at the old queue's next update; one that is pulled takes it
//! along. A change within a group is passed on to the group's entity at that entity's next update.
//! Source: kernel/sched/fair.c of 6.1, the function named at each.

use super::{CAPACITY_SHIFT, EntityAvg, Portion, QueueAvg, Removed, SchedAvg, Since};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::rq::{CfsRqId, EntityId, GroupId};
use crate::sched::rules::LoadTracking;
use crate::task::TaskId;

/// What an update has to do beside ageing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sched) enum Action {
    /// Nothing but telling the group of a change (`UPDATE_TG`).
    Age,
    /// Nothing at all.
    AgeOnly,
    /// The entity is enqueued: add it if it is not part of the queue yet (`DO_ATTACH`).
    Attach,
    /// The task goes to another CPU: take it off (`DO_DETACH`).
    Detach,
}

impl EntityAvg {
    /// A task that never ran counts as if it had always been runnable; a group's entity starts from nothing
    /// (`init_entity_runnable_average`, `attach_entity_cfs_rq`).
    fn new(weight: u64, is_task: bool, now: u64) -> EntityAvg {
        let mut own = EntityAvg {
            attached: !is_task,
            ..EntityAvg::default()
        };
        if is_task {
            own.avg.load_avg = weight;
        } else {
            own.avg.last_update = now;
        }
        own
    }

    /// Up to `now`; true if the averages moved (`__update_load_avg_se`, `__update_load_avg_blocked_se`).
    pub(super) fn age(&mut self, now: u64, since: Since, weight: u64) -> bool {
        let moved = self.avg.update_sums(now, since);
        if moved {
            self.avg.update_averages(weight);
        }
        moved
    }
}

impl QueueAvg {
    /// Up to `now`, without what has left; true if the averages moved (`update_cfs_rq_load_avg`).
    fn age(&mut self, now: u64, since: Since) -> bool {
        let removed = self.removed.nr > 0;
        if removed {
            let gone = core::mem::take(&mut self.removed);
            let divider = self.avg.divider();
            self.avg.subtract(&Portion {
                load_avg: gone.load_avg,
                load_sum: gone.load_avg * divider,
                runnable_avg: gone.runnable_avg,
                runnable_sum: gone.runnable_avg * divider,
                util_avg: gone.util_avg,
                util_sum: gone.util_avg * divider,
            });
            // Without its weight the load is what was runnable.
            let sum = ((gone.runnable_avg * divider) as i64).wrapping_neg() >> CAPACITY_SHIFT;
            self.ask_to_propagate(sum);
        }
        let decayed = self.avg.update_sums(now, since);
        if decayed {
            self.avg.update_averages(1);
        }
        removed || decayed
    }

    /// `add_tg_cfs_propagate`.
    fn ask_to_propagate(&mut self, runnable_sum: i64) {
        self.propagate = true;
        self.prop_runnable_sum += runnable_sum;
    }
}

impl Sched {
    /// Does this kernel track load for each entity?
    #[inline]
    pub(in crate::sched) fn tracks_load(&self) -> bool {
        self.rules.load_tracking == LoadTracking::Pelt
    }

    /// Room for a new queue and for a new entity.
    pub(in crate::sched) fn track_new_queue(&mut self) {
        if self.tracks_load() {
            self.pelt.cfs.push(QueueAvg::default());
        }
    }

    pub(in crate::sched) fn track_new_entity(&mut self) {
        if !self.tracks_load() {
            return;
        }
        let Some(entity) = self.se.last() else { return };
        let (weight, is_task) = (entity.load.weight, entity.my_q.is_none());
        let now = self.rq_of(entity.cfs_rq).clock;
        self.pelt.se.push(EntityAvg::new(weight, is_task, now));
    }

    /// A task that has been asleep for so long that nothing of its averages is left.
    pub(in crate::sched) fn track_rested(&mut self, se: EntityId) {
        if self.tracks_load() {
            self.pelt.se_mut(se).avg = SchedAvg::default();
        }
    }

    /// The time by which averages of `cpu` are kept: while it computes it passes slower on a weaker CPU
    /// (`update_rq_clock_pelt`).
    pub(in crate::sched) fn pelt_now(&mut self, cpu: CpuId) -> u64 {
        let rq = &self.rq[cpu.index()];
        let (capacity, idle) = (self.pelt.capacity[cpu.index()], rq.curr.is_none());
        if capacity == 1024 {
            return rq.clock;
        }
        let clock = &mut self.pelt.clocks[cpu.index()];
        if idle {
            clock.pelt = rq.clock;
        } else {
            clock.pelt += ((rq.clock - clock.seen) * u64::from(capacity)) >> CAPACITY_SHIFT;
        }
        clock.seen = rq.clock;
        clock.pelt
    }

    /// What held in a queue since its last update.
    fn since(&self, q: CfsRqId) -> Since {
        let cfs = self.cfs(q);
        Since {
            load: cfs.load,
            runnable: u64::from(self.pelt.cfs(q).h_nr_running),
            running: cfs.curr.is_some(),
        }
    }

    /// Brings an entity and its queue up to the clock (`update_load_avg`).
    pub(in crate::sched) fn update_load_avg(&mut self, se: EntityId, action: Action) {
        let entity = self.se(se);
        let (q, on_rq, weight) = (entity.cfs_rq, entity.on_rq, entity.load.weight);
        let (my_q, running) = (entity.my_q, self.cfs(q).curr == Some(se));
        let now = self.pelt_now(self.cfs(q).cpu);
        let now = self.without_pauses(q, now);
        let of_queue = self.since(q);
        let own = self.pelt.se_mut(se);
        if own.attached {
            let runnable = if my_q.is_some() {
                own.runnable
            } else {
                u64::from(on_rq)
            };
            let since = Since {
                load: u64::from(on_rq),
                runnable,
                running,
            };
            if own.age(now, since, weight) {
                own.util_est.unchanged = false;
            }
        }
        let mut moved = self.pelt.cfs_mut(q).age(now, of_queue);
        if let Some(my_q) = my_q {
            moved |= self.propagate(se, q, my_q);
        }
        let tells = match action {
            Action::Attach if !self.pelt.se(se).attached => {
                self.attach(se, q, weight);
                true
            }
            Action::Detach => {
                self.detach(se, q, weight);
                true
            }
            Action::Attach | Action::Age => moved,
            Action::AgeOnly => false,
        };
        if tells {
            self.update_tg_load_avg(q);
        }
    }

    /// `attach_entity_load_avg`.
    fn attach(&mut self, se: EntityId, q: CfsRqId, weight: u64) {
        let queue = self.pelt.cfs(q).avg;
        let divider = queue.divider();
        let own = self.pelt.se_mut(se);
        own.attached = true;
        let avg = &mut own.avg;
        (avg.last_update, avg.period_contrib) = (queue.last_update, queue.period_contrib);
        avg.util_sum = (avg.util_avg * divider) as u32;
        avg.runnable_sum = avg.runnable_avg * divider;
        let sum = avg.load_avg * divider;
        avg.load_sum = if weight < sum { sum / weight } else { 1 };
        let (portion, load_sum) = (avg.portion(weight), avg.load_sum);
        let queue = self.pelt.cfs_mut(q);
        queue.avg.add(&portion);
        queue.ask_to_propagate(load_sum as i64);
    }

    /// `detach_entity_load_avg`.
    fn detach(&mut self, se: EntityId, q: CfsRqId, weight: u64) {
        let own = self.pelt.se_mut(se);
        own.attached = false;
        let (portion, load_sum) = (own.avg.portion(weight), own.avg.load_sum);
        let queue = self.pelt.cfs_mut(q);
        queue.avg.subtract(&portion);
        queue.ask_to_propagate(-(load_sum as i64));
    }

    /// The entity of a group takes over what changed within the group, and its queue with it
    /// (`propagate_entity_load_avg`). True if something had.
    fn propagate(&mut self, se: EntityId, q: CfsRqId, my_q: CfsRqId) -> bool {
        let below = self.pelt.cfs_mut(my_q);
        if !core::mem::take(&mut below.propagate) {
            return false;
        }
        let runnable_sum = core::mem::take(&mut below.prop_runnable_sum);
        let group = below.avg;
        self.pelt.cfs_mut(q).ask_to_propagate(runnable_sum);
        let (weight, group_weight) = (self.se(se).load.weight, self.cfs(my_q).load);
        let own = &mut self.pelt.se[se.0 as usize].avg;
        let queue = &mut self.pelt.cfs[q.0 as usize].avg;
        let divider = queue.divider();
        // update_tg_cfs_util
        if group.util_avg != own.util_avg {
            let sum = (group.util_avg * divider) as u32;
            queue.util_avg = moved(queue.util_avg, own.util_avg, group.util_avg);
            let shift = i64::from(sum) - i64::from(own.util_sum);
            queue.util_sum = (i64::from(queue.util_sum) + shift).max(0) as u32;
            (own.util_avg, own.util_sum) = (group.util_avg, sum);
            queue.hold_util_sum();
        }
        // update_tg_cfs_runnable
        if group.runnable_avg != own.runnable_avg {
            let sum = group.runnable_avg * divider;
            queue.runnable_avg = moved(queue.runnable_avg, own.runnable_avg, group.runnable_avg);
            queue.runnable_sum = moved(queue.runnable_sum, own.runnable_sum, sum);
            (own.runnable_avg, own.runnable_sum) = (group.runnable_avg, sum);
            queue.hold_runnable_sum();
        }
        // update_tg_cfs_load
        if runnable_sum == 0 {
            return true;
        }
        let sum = if runnable_sum > 0 {
            (runnable_sum as u64 + own.load_sum).min(divider)
        } else {
            // As if all tasks of the group were equally runnable, and never more than before.
            let each = group.load_sum.checked_div(group_weight).unwrap_or(0);
            each.min(own.load_sum)
        };
        let sum = sum.max(u64::from(own.util_sum >> CAPACITY_SHIFT));
        let (weighted, before) = (weight * sum, weight * own.load_sum);
        let load_avg = weighted / divider;
        if load_avg == own.load_avg {
            return true;
        }
        queue.load_avg = moved(queue.load_avg, own.load_avg, load_avg);
        queue.load_sum = moved(queue.load_sum, before, weighted);
        (own.load_sum, own.load_avg) = (sum, load_avg);
        queue.hold_load_sum();
        true
    }

    /// One level of an enqueue, before the entity is counted (`enqueue_entity`).
    pub(in crate::sched) fn track_enqueue(&mut self, se: EntityId, tasks: u32) {
        self.update_load_avg(se, Action::Attach);
        self.count_runnable(se, tasks as i32);
    }

    /// One level of a dequeue, before the entity is counted out (`dequeue_entity`).
    pub(in crate::sched) fn track_dequeue(&mut self, se: EntityId, moves: bool, tasks: u32) {
        let detach = moves && self.se(se).my_q.is_none();
        let action = if detach { Action::Detach } else { Action::Age };
        self.update_load_avg(se, action);
        self.count_runnable(se, -(tasks as i32));
    }

    /// One level that stays queued as tasks come or go below it.
    pub(in crate::sched) fn track_level(&mut self, se: EntityId, action: Action, change: i32) {
        self.update_load_avg(se, action);
        self.count_runnable(se, change);
    }

    /// At every level from `se` up so many more tasks can run; averages follow when they are next brought up to the clock.
    pub(in crate::sched) fn track_runnable(&mut self, se: EntityId, change: i32) {
        let mut level = Some(se);
        while let Some(se) = level {
            let (q, parent) = (self.se(se).cfs_rq, self.se(se).parent);
            let nr = &mut self.pelt.cfs_mut(q).h_nr_running;
            *nr = nr.wrapping_add_signed(change);
            level = parent;
        }
    }

    /// `se_update_runnable`, and `h_nr_running` of the queue above.
    fn count_runnable(&mut self, se: EntityId, change: i32) {
        let (q, my_q) = (self.se(se).cfs_rq, self.se(se).my_q);
        if let Some(my_q) = my_q {
            self.pelt.se_mut(se).runnable = u64::from(self.pelt.cfs(my_q).h_nr_running);
        }
        let nr = &mut self.pelt.cfs_mut(q).h_nr_running;
        *nr = nr.wrapping_add_signed(change);
    }

    /// A sleeping task gets another CPU: its part of the old queue is to be taken off at that queue's next update,
    /// and is aged up to now if nobody kept that queue's time (`migrate_task_rq_fair`: `remove_entity_load_avg`,
    /// `migrate_se_pelt_lag`).
    pub(in crate::sched) fn track_migration(&mut self, se: EntityId) {
        if !self.pelt.se(se).attached {
            return;
        }
        let q = self.se(se).cfs_rq;
        self.remove_from(se, q);
        let (cpu, weight) = (self.cfs(q).cpu, self.se(se).load.weight);
        let avg = &self.pelt.se(se).avg;
        let decayed = avg.load_sum == 0 && avg.util_sum == 0 && avg.runnable_sum == 0;
        if self.rq[cpu.index()].curr.is_none() && !decayed {
            let now = self.pelt_now(cpu);
            let now = self
                .without_pauses(q, now)
                .max(self.pelt.cfs(q).avg.last_update);
            self.pelt.se_mut(se).age(now, Since::default(), weight);
        }
        self.pelt.se_mut(se).attached = false;
    }

    /// `p` is no more (`task_dead_fair`).
    pub fn task_dead(&mut self, p: TaskId) {
        if !self.tracks_load() {
            return;
        }
        let se = self.tasks[p.index()].se;
        if self.pelt.se(se).attached {
            self.remove_from(se, self.se(se).cfs_rq);
            self.pelt.se_mut(se).attached = false;
        }
    }

    /// `remove_entity_load_avg`.
    fn remove_from(&mut self, se: EntityId, q: CfsRqId) {
        let weight = self.se(se).load.weight;
        let last = self.pelt.cfs(q).avg.last_update;
        let own = self.pelt.se_mut(se);
        own.age(last, Since::default(), weight);
        let avg = own.avg;
        let removed = &mut self.pelt.cfs_mut(q).removed;
        *removed = Removed {
            nr: removed.nr + 1,
            load_avg: removed.load_avg + avg.load_avg,
            runnable_avg: removed.runnable_avg + avg.runnable_avg,
            util_avg: removed.util_avg + avg.util_avg,
        };
    }

    /// What a new task is taken to use, on the CPU that it was given: its share of what that CPU's queue does, but
    /// no more than half of what is left. The weight is the scaled one, 1024 times that of the queue's load, so
    /// that the half nearly always holds (`post_init_entity_util_avg`; the scale was taken out in 6.11, 72bffbf57c).
    pub(in crate::sched) fn track_new_task(&mut self, p: TaskId) {
        let se = self.tasks[p.index()].se;
        let q = self.se(se).cfs_rq;
        let queue = self.pelt.cfs(q).avg;
        let capacity = self.cpu_capacity_orig(self.cfs(q).cpu);
        let half = capacity.saturating_sub(queue.util_avg) / 2;
        let weight = self.se(se).load.weight << CAPACITY_SHIFT;
        let avg = &mut self.pelt.se_mut(se).avg;
        if half > 0 {
            avg.util_avg = match queue.util_avg {
                0 => half,
                util => (util * weight / (queue.load_avg + 1)).min(half),
            };
        }
        avg.runnable_avg = avg.util_avg;
    }

    /// The weight of an entity has changed from `old` (`reweight_entity`).
    pub(in crate::sched) fn track_reweight(&mut self, se: EntityId, old: u64) {
        let (q, weight) = (self.se(se).cfs_rq, self.se(se).load.weight);
        let own = self.pelt.se_mut(se);
        if !own.attached {
            own.avg.load_avg = weight;
            return;
        }
        let (load_avg, load_sum) = (own.avg.load_avg, own.avg.load_sum);
        own.avg.load_avg = weight * load_sum / own.avg.divider();
        let now = own.avg.load_avg;
        let queue = &mut self.pelt.cfs_mut(q).avg;
        queue.load_avg = queue.load_avg.saturating_sub(load_avg);
        queue.load_sum = queue.load_sum.saturating_sub(old * load_sum);
        queue.hold_load_sum();
        queue.load_avg += now;
        queue.load_sum += weight * load_sum;
    }

    /// Brings what has left or sleeps on `cpu` up to the clock, groups from the bottom up; balancing does so before
    /// it looks (`update_blocked_averages`). The clock was read just before.
    pub fn update_blocked_averages(&mut self, cpu: CpuId) {
        if !self.tracks_load() {
            return;
        }
        let now = self.pelt_now(cpu);
        for group in (0..self.groups.len() as u32).rev() {
            let q = self.group_cfs_rq(GroupId(group), cpu);
            if self.is_held_back(q) {
                continue;
            }
            let now = self.without_pauses(q, now);
            let since = self.since(q);
            if self.pelt.cfs_mut(q).age(now, since) {
                self.update_tg_load_avg(q);
            }
            let Some(se) = self.cfs(q).se else { continue };
            let own = &self.pelt.se(se).avg;
            if own.load_avg > 0 || own.util_avg > 0 || self.pelt.cfs(q).propagate {
                self.update_load_avg(se, Action::Age);
            }
        }
    }
}

/// `value` with its part `from` replaced by `to`, never below 0 (`add_positive`).
fn moved(value: u64, from: u64, to: u64) -> u64 {
    (value + to).saturating_sub(from)
}
