//! Entities on their queues: time accounting, enqueue and dequeue, becoming and ceasing to be current.
//!
//! The mechanics that every fair scheduler shares; where an entity is placed and who is picked are the
//! business of [`super::cfs`]. Loops over levels start at an entity and climb to the root.
//! Source: kernel/sched_fair.c of 2.6.31 and 2.6.32.

use super::Sched;
use super::pelt::Action;
use super::rq::{CfsRq, CfsRqId, EntityId, LoadWeight, Rq, SchedEntity, SchedTask};
use super::rules::{Balancing, GroupShares, Rebase, SchedIdle};
use super::weight;
use super::{cfs, eevdf};
use crate::task::{Policy, TaskId};

/// Why an entity leaves its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dequeue {
    /// It sleeps, or ends.
    Sleep,
    /// It goes to another queue.
    Move,
    /// It comes back at once with another weight (`DEQUEUE_SAVE`).
    Save,
}

impl Sched {
    /// Runtime as weighted time of an entity of that load, ns (`calc_delta_fair`).
    pub(super) fn weighted(&self, ns: u64, load: LoadWeight) -> u64 {
        weight::calc_delta_fair(self.rules.fixed_point, ns, load)
    }

    /// Is it a `SCHED_IDLE` task?
    pub(super) fn is_idle_policy(&self, se: EntityId) -> bool {
        let task = self.se(se).task;
        task.is_some_and(|task| self.tasks[task.index()].policy == Policy::Idle)
    }

    pub(super) fn se(&self, se: EntityId) -> &SchedEntity {
        &self.se[se.0 as usize]
    }

    pub(super) fn se_mut(&mut self, se: EntityId) -> &mut SchedEntity {
        &mut self.se[se.0 as usize]
    }

    pub(super) fn cfs(&self, q: CfsRqId) -> &CfsRq {
        &self.cfs_rq[q.0 as usize]
    }

    pub(super) fn cfs_mut(&mut self, q: CfsRqId) -> &mut CfsRq {
        &mut self.cfs_rq[q.0 as usize]
    }

    pub(super) fn rq_of(&self, q: CfsRqId) -> &Rq {
        &self.rq[self.cfs(q).cpu.index()]
    }

    /// The entity and those above it, up to the root (`for_each_sched_entity`).
    pub(super) fn levels(&self, se: EntityId) -> impl Iterator<Item = EntityId> {
        core::iter::successors(Some(se), |se| self.se(*se).parent)
    }

    /// Charges the running entity of `q` up to the clock (`update_curr`).
    pub(super) fn update_curr(&mut self, q: CfsRqId) {
        if self.rules.is_eevdf() {
            let _ = eevdf::update_curr(self, q);
            return;
        }
        let Some(curr) = self.cfs(q).curr else { return };
        let clock = self.rq_of(q).clock;
        let rule = self.rules.fixed_point;
        let se = self.se_mut(curr);
        let delta = since(se.exec_start, clock);
        if delta == 0 {
            return;
        }
        se.sum_exec = se.sum_exec.wrapping_add(delta);
        se.vruntime += weight::calc_delta_fair(rule, delta, se.load) as i64;
        se.exec_start = clock;
        self.update_min_vruntime(q);
        if self.rules.group_shares == GroupShares::Window || self.quotas.used {
            self.account_for_group(q, delta);
        }
    }

    /// What `q` ran counts for the shares and for the quota of its group.
    fn account_for_group(&mut self, q: CfsRqId, delta: u64) {
        if self.rules.group_shares == GroupShares::Window {
            self.share_runtime(q, delta);
        }
        if self.quotas.used {
            self.account_runtime(q, delta);
        }
    }

    /// How long `se` has run since it was last charged, ns; 0 if it does not run.
    pub(super) fn uncharged(&self, se: EntityId) -> u64 {
        let entity = self.se(se);
        if self.cfs(entity.cfs_rq).curr != Some(se) {
            return 0;
        }
        since(entity.exec_start, self.rq_of(entity.cfs_rq).clock)
    }

    /// Moves `min_vruntime` up to the smaller of the running and the leftmost entity
    /// (`update_min_vruntime`). A current entity that is leaving stays `curr` until `put_prev_entity`; the older
    /// kernels count it until then.
    #[inline]
    fn update_min_vruntime(&mut self, q: CfsRqId) {
        let cfs = self.cfs(q);
        let counts = |se: &EntityId| self.rules.leaving_holds_min || self.se(*se).on_rq;
        let curr = cfs.curr.filter(counts).map(|se| self.se(se).vruntime);
        let left = cfs.timeline.leftmost().map(|w| w.vruntime);
        let vruntime = match (curr, left) {
            (Some(curr), Some(left)) => curr.min(left),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        let cfs = self.cfs_mut(q);
        cfs.min_vruntime = cfs.min_vruntime.max(vruntime);
    }

    /// Counts `se` in (`account_entity_enqueue`).
    pub(super) fn account_entity_enqueue(&mut self, q: CfsRqId, se: EntityId) {
        let entity = self.se_mut(se);
        entity.on_rq = true;
        let (weight, top, task) = (entity.load.weight, entity.parent.is_none(), entity.task);
        let idle = self.counts_as_idle(se);
        let cfs = self.cfs_mut(q);
        cfs.load += weight;
        cfs.nr_running += 1;
        cfs.idle_nr_running += idle;
        if top {
            let cpu = cfs.cpu;
            self.rq[cpu.index()].load += weight;
        }
        if let Some(task) = task {
            self.link_task(q, task);
        }
    }

    /// Counts `se` out (`account_entity_dequeue`).
    pub(super) fn account_entity_dequeue(&mut self, q: CfsRqId, se: EntityId) {
        let entity = self.se_mut(se);
        entity.on_rq = false;
        let (weight, top, task) = (entity.load.weight, entity.parent.is_none(), entity.task);
        let idle = self.counts_as_idle(se);
        let cfs = self.cfs_mut(q);
        cfs.load -= weight;
        cfs.nr_running -= 1;
        cfs.idle_nr_running -= idle;
        if top {
            let cpu = cfs.cpu;
            self.rq[cpu.index()].load -= weight;
        }
        if let Some(task) = task {
            self.unlink_task(q, task);
        }
    }

    /// 1 if `se` is to be counted among the `SCHED_IDLE` entities of its queue, where the kernel does that.
    #[inline]
    fn counts_as_idle(&self, se: EntityId) -> u32 {
        let counted = self.rules.sched_idle == SchedIdle::OfItsOwn;
        u32::from(counted && self.is_idle_policy(se))
    }

    /// The queue whose list a task on `q` is in.
    fn list_of(&self, q: CfsRqId) -> CfsRqId {
        match self.rules.balancing {
            Balancing::NewIdleApart | Balancing::OneForAll => q,
            Balancing::ByGroupType => CfsRqId(u32::from(self.cfs(q).cpu.0)),
        }
    }

    /// Puts `task` at the head of its list (`list_add`).
    #[inline]
    fn link_task(&mut self, q: CfsRqId, task: TaskId) {
        let q = self.list_of(q);
        let next = self.cfs_mut(q).tasks.replace(task);
        let link = &mut self.tasks[task.index()].link;
        (link.prev, link.next) = (None, next);
        match next {
            Some(next) => self.tasks[next.index()].link.prev = Some(task),
            None => self.cfs_mut(q).last_task = Some(task),
        }
    }

    /// Takes `task` out of its list (`list_del_init`).
    #[inline]
    fn unlink_task(&mut self, q: CfsRqId, task: TaskId) {
        let q = self.list_of(q);
        let link = core::mem::take(&mut self.tasks[task.index()].link);
        match link.prev {
            Some(prev) => self.tasks[prev.index()].link.next = link.next,
            None => self.cfs_mut(q).tasks = link.next,
        }
        match link.next {
            Some(next) => self.tasks[next.index()].link.prev = link.prev,
            None => self.cfs_mut(q).last_task = link.prev,
        }
    }

    /// Moves a queued task to the head of its list (`list_move`).
    pub(super) fn move_to_front(&mut self, task: TaskId) {
        let q = self.se(self.tasks[task.index()].se).cfs_rq;
        self.unlink_task(q, task);
        self.link_task(q, task);
    }

    /// Makes `se` wait in its queue's timeline (`__enqueue_entity`).
    #[inline]
    fn enter_timeline(&mut self, q: CfsRqId, se: EntityId) {
        if self.rules.is_eevdf() {
            return eevdf::wait(self, q, se);
        }
        let vruntime = self.se(se).vruntime;
        self.cfs_mut(q).timeline.insert(vruntime, se);
    }

    /// Takes `se` out of its queue's timeline (`__dequeue_entity`).
    #[inline]
    fn leave_timeline(&mut self, q: CfsRqId, se: EntityId) {
        if self.rules.is_eevdf() {
            return eevdf::leave(self, q, se);
        }
        let vruntime = self.se(se).vruntime;
        self.cfs_mut(q).timeline.remove(vruntime, se);
    }

    /// Enqueues one level: the running entity is charged, the new one counted, then placed if it woke. A relative
    /// vruntime becomes absolute before or after that charge; that of the running entity before, so that the
    /// charge finds it where it belongs. `tasks` are below it, itself included.
    #[expect(
        clippy::inline_always,
        reason = "hot in one place, and large enough for the compiler to call it there"
    )]
    #[inline(always)]
    pub(super) fn enqueue_entity(&mut self, q: CfsRqId, se: EntityId, wakeup: bool, tasks: u32) {
        if self.rules.is_eevdf() {
            return eevdf::enqueue_group(self, q, se, tasks);
        }
        match self.rules.rebase {
            Rebase::OnCpuChange => self.update_curr(q),
            rebase => {
                let first = rebase == Rebase::BeforeCharge || self.cfs(q).curr == Some(se);
                if first {
                    self.make_absolute(q, se);
                }
                self.update_curr(q);
                if !first {
                    self.make_absolute(q, se);
                }
            }
        }
        if self.tracks_load() {
            self.track_enqueue(se, tasks);
            self.update_cfs_group(se);
        }
        self.share_before(q);
        self.account_entity_enqueue(q, se);
        self.share_after(q);
        if wakeup {
            cfs::place_entity(self, q, se, false);
        }
        if self.cfs(q).curr != Some(se) {
            self.enter_timeline(q, se);
        }
        if self.quotas.used && self.cfs(q).nr_running == 1 {
            self.check_enqueue_throttle(q);
        }
    }

    /// Dequeues one level; `min_vruntime` moves last, when the entity is out of the timeline.
    #[expect(
        clippy::inline_always,
        reason = "hot in one place, and large enough for the compiler to call it there"
    )]
    #[inline(always)]
    pub(super) fn dequeue_entity(&mut self, q: CfsRqId, se: EntityId, how: Dequeue, tasks: u32) {
        if self.rules.is_eevdf() {
            return eevdf::dequeue_group(self, q, se, how, tasks);
        }
        self.update_curr(q);
        if self.tracks_load() {
            self.track_dequeue(se, how == Dequeue::Move, tasks);
        }
        cfs::clear_buddies(self, se);
        if self.cfs(q).curr != Some(se) {
            self.leave_timeline(q, se);
        }
        self.share_before(q);
        self.account_entity_dequeue(q, se);
        if how != Dequeue::Sleep && self.rules.rebase != Rebase::OnCpuChange {
            self.make_relative(q, se);
        }
        if self.quotas.used {
            self.return_runtime(q);
        }
        self.update_cfs_group(se);
        if how != Dequeue::Save || self.rules.rebase != Rebase::AfterCharge {
            self.update_min_vruntime(q);
        }
        self.share_after(q);
    }

    /// From here on the vruntime says how far right of the `min_vruntime` of `q` it is.
    pub(super) fn make_relative(&mut self, q: CfsRqId, se: EntityId) {
        let min = self.cfs(q).min_vruntime;
        let entity = self.se_mut(se);
        if !core::mem::replace(&mut entity.relative, true) {
            entity.vruntime -= min;
        }
    }

    fn make_absolute(&mut self, q: CfsRqId, se: EntityId) {
        let min = self.cfs(q).min_vruntime;
        let entity = self.se_mut(se);
        if core::mem::take(&mut entity.relative) {
            entity.vruntime += min;
        }
    }

    /// Enqueues a task and every group entity above that is not queued yet; those count as waking. Nobody counts it
    /// above a throttled queue (`enqueue_task_fair`).
    pub(super) fn enqueue_task_fair(&mut self, task: TaskId, wakeup: bool) {
        let SchedTask { se, cpu, .. } = self.tasks[task.index()];
        if self.tracks_load() {
            self.util_est_enqueue(task);
        }
        let (mut level, mut wakeup, mut counted) = (Some(se), wakeup, true);
        while let Some(se) = level {
            let entity = self.se(se);
            if entity.on_rq {
                break;
            }
            let (q, parent) = (entity.cfs_rq, entity.parent);
            self.enqueue_entity(q, se, wakeup, 1);
            if self.is_throttled(q) {
                counted = false;
                break;
            }
            (level, wakeup) = (parent, true);
        }
        if counted && self.count_above(level, 1) {
            self.add_nr_running(cpu, 1);
        }
        cfs::hrtick_update(self, cpu);
    }

    /// Dequeues a task and every group entity above whose queue it leaves empty, which count as asleep
    /// (`dequeue_task_fair`).
    pub(super) fn dequeue_task_fair(&mut self, task: TaskId, how: Dequeue) {
        let SchedTask { se, cpu, .. } = self.tasks[task.index()];
        if self.tracks_load() {
            self.util_est_dequeue(task);
        }
        let (mut level, mut how_here, mut counted) = (Some(se), how, true);
        while let Some(se) = level {
            let SchedEntity {
                cfs_rq: q, parent, ..
            } = *self.se(se);
            self.dequeue_entity(q, se, how_here, 1);
            if self.is_throttled(q) {
                counted = false;
                break;
            }
            if self.cfs(q).load != 0 {
                let marks = how == Dequeue::Sleep && !self.is_held_back(q);
                if let Some(parent) = parent.filter(|_| marks) {
                    cfs::sleeper_leaves(self, parent);
                }
                level = parent;
                break;
            }
            (level, how_here) = (parent, Dequeue::Sleep);
        }
        let counted = counted && self.count_above(level, -1);
        if self.tracks_load() && how == Dequeue::Sleep {
            self.util_est_update(task);
        }
        if counted {
            let rq = &mut self.rq[cpu.index()];
            rq.nr_running -= 1;
            rq.h_nr_running -= 1;
        }
        cfs::hrtick_update(self, cpu);
    }

    /// The levels from `level` up stay queued as a task comes or goes below them; false if a throttled one ends that
    /// (the second loops of `enqueue_task_fair` and `dequeue_task_fair`).
    #[inline]
    fn count_above(&mut self, level: Option<EntityId>, change: i32) -> bool {
        let looks = self.tracks_load() || self.divides_shares();
        !looks || self.count_levels(level, change)
    }

    fn count_levels(&mut self, mut level: Option<EntityId>, change: i32) -> bool {
        let (tracks, shares) = (self.tracks_load(), self.divides_shares());
        while let Some(se) = level {
            let SchedEntity {
                cfs_rq: q, parent, ..
            } = *self.se(se);
            if tracks {
                self.track_level(se, Action::Age, change);
            }
            if shares {
                self.share_above(se);
            }
            if self.is_throttled(q) {
                return false;
            }
            level = parent;
        }
        true
    }

    /// `se` becomes the running entity of `q`, and its slice starts to be measured (`set_next_entity`).
    #[inline]
    pub(super) fn set_next_entity(&mut self, q: CfsRqId, se: EntityId) {
        if self.se(se).on_rq {
            self.leave_timeline(q, se);
            if self.tracks_load() {
                self.update_load_avg(se, Action::Age);
            }
        }
        let clock = self.rq_of(q).clock;
        let entity = self.se_mut(se);
        entity.exec_start = clock;
        entity.prev_sum_exec = entity.sum_exec;
        if self.rules.is_eevdf() {
            eevdf::set_next(self, q, se);
        }
        self.cfs_mut(q).curr = Some(se);
    }

    /// `se` stops running; still runnable, it waits behind its equals (`put_prev_entity`).
    #[inline]
    pub(super) fn put_prev_entity(&mut self, q: CfsRqId, se: EntityId) {
        let waits = self.se(se).on_rq;
        if waits {
            self.update_curr(q);
        }
        if self.quotas.used {
            self.check_runtime(q);
        }
        if waits {
            self.enter_timeline(q, se);
            if self.tracks_load() {
                self.update_load_avg(se, Action::AgeOnly);
            }
        }
        if self.rules.is_eevdf() {
            eevdf::put_prev(self, q, se);
        }
        self.cfs_mut(q).curr = None;
    }
}

/// From `then` to the clock, ns; 0 if that is behind, which 6.1 passes over and older kernels never meet
/// (`update_curr`).
const fn since(then: u64, clock: u64) -> u64 {
    let delta = clock.wrapping_sub(then);
    if (delta as i64) < 0 { 0 } else { delta }
}

#[cfg(test)]
mod tests {
    use super::since;

    #[test]
    fn a_clock_that_is_behind_charges_nothing() {
        assert_eq!((since(3, 5), since(5, 5), since(5, 3)), (2, 0, 0));
    }
}
