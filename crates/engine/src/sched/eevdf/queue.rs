//! Entities come to their queues and leave them; who owes time stays queued until it is paid.
//!
//! Source: `enqueue_task_fair`, `enqueue_entity`, `dequeue_task_fair`, `dequeue_entities`, `dequeue_entity`,
//! `requeue_delayed_entity` of 6.6 to 7.1.

use super::average::{self, entity_eligible, shortest_slice, update_entity_lag};
use super::placement::place_entity;
use super::tree::Queued;
use super::{buddies, flat, queue_of, tick, update_curr};
use crate::sched::Sched;
use crate::sched::entity::Dequeue;
use crate::sched::features::Feature;
use crate::sched::pelt::Action;
use crate::sched::rq::{CfsRqId, EntityId, SchedTask};
use crate::sched::rules::{DelayLag, Requeue};
use crate::task::TaskId;

/// Makes `se` wait in the tree of its queue (`__enqueue_entity`).
pub(in crate::sched) fn enter_tree(s: &mut Sched, q: CfsRqId, se: EntityId) {
    average::count(s, q, se, true);
    let own = s.eevdf.se(se);
    let it = Queued {
        deadline: own.deadline,
        vruntime: s.se(se).vruntime,
        slice: own.slice,
        se,
    };
    let arrival = s.eevdf.q_mut(q).tree.insert(it);
    s.eevdf.set_arrival(se, arrival);
}

/// Takes `se` out of the tree of its queue (`__dequeue_entity`).
pub(in crate::sched) fn leave_tree(s: &mut Sched, q: CfsRqId, se: EntityId) {
    average::count(s, q, se, false);
    let (deadline, arrival) = (s.eevdf.se(se).deadline, s.eevdf.arrival(se));
    s.eevdf.q_mut(q).tree.remove(deadline, arrival);
}

/// `se` competes on `q` from now on.
pub(super) fn join(s: &mut Sched, q: CfsRqId, se: EntityId) {
    s.eevdf.se_mut(se).queued = true;
    s.eevdf.q_mut(q).nr += 1;
}

/// It does so no longer.
pub(super) fn part(s: &mut Sched, q: CfsRqId, se: EntityId) {
    s.eevdf.se_mut(se).queued = false;
    s.eevdf.q_mut(q).nr -= 1;
}

/// A group's slice is the shortest of those below it, from the first that was passed up on.
fn set_group_slice(s: &mut Sched, q: CfsRqId, se: EntityId, slice: u64) {
    let waits = s.se(se).on_rq && s.eevdf.q(q).curr != Some(se);
    let (deadline, arrival) = (s.eevdf.se(se).deadline, s.eevdf.arrival(se));
    s.eevdf.se_mut(se).slice = slice;
    if waits {
        s.eevdf.q_mut(q).tree.set_slice(deadline, arrival, slice);
    }
}

/// Enqueues one level; `initial` for a new task. `tasks` are below it, itself included (`enqueue_entity`).
fn enqueue_entity(s: &mut Sched, q: CfsRqId, se: EntityId, initial: bool, tasks: u32) {
    let runs = s.eevdf.q(q).curr == Some(se);
    if runs {
        place_entity(s, q, se, initial);
    }
    let _ = update_curr(s, q);
    s.track_enqueue(se, tasks);
    s.update_cfs_group(se);
    if !runs {
        place_entity(s, q, se, initial);
    }
    s.account_entity_enqueue(q, se);
    s.eevdf.q_mut(q).weight += s.eevdf.se(se).weight;
    join(s, q, se);
    if !runs {
        enter_tree(s, q, se);
    }
    if s.quotas.used && s.cfs(q).nr_running == 1 {
        s.check_enqueue_throttle(q);
    }
}

/// A group gets back onto its level after it was throttled.
pub(in crate::sched) fn enqueue_group(s: &mut Sched, q: CfsRqId, se: EntityId, tasks: u32) {
    if s.rules.flat {
        flat::account(s, q, se, tasks);
    } else {
        enqueue_entity(s, q, se, false, tasks);
    }
}

/// A group that is throttled leaves its level for good, whether it still owes or not (`dequeue_entity` with
/// `DEQUEUE_SPECIAL`).
pub(in crate::sched) fn dequeue_group(
    s: &mut Sched,
    q: CfsRqId,
    se: EntityId,
    how: Dequeue,
    tasks: u32,
) {
    if s.rules.flat {
        return flat::unaccount(s, q, se, how, tasks);
    }
    let _ = update_curr(s, q);
    buddies::clear(s, se);
    leave_queue(s, q, se, how, tasks);
    if how == Dequeue::Sleep && s.eevdf.se(se).sched_delayed {
        finish_delayed(s, se);
    }
}

fn leave_queue(s: &mut Sched, q: CfsRqId, se: EntityId, how: Dequeue, tasks: u32) {
    s.track_dequeue(se, how == Dequeue::Move, tasks);
    let _ = update_entity_lag(s, q, se);
    if s.eevdf.q(q).curr != Some(se) {
        leave_tree(s, q, se);
    }
    part(s, q, se);
    if how != Dequeue::Sleep && s.features.has(Feature::PlaceRelDeadline) {
        let vruntime = s.se(se).vruntime;
        let own = s.eevdf.se_mut(se);
        own.deadline -= vruntime;
        own.rel_deadline = true;
    }
    s.account_entity_dequeue(q, se);
    s.eevdf.q_mut(q).weight -= s.eevdf.se(se).weight;
    if s.quotas.used {
        s.return_runtime(q);
    }
    s.update_cfs_group(se);
}

/// May `se`, which goes to sleep, stay queued for what it owes (`DELAY_DEQUEUE`)? Then it does.
pub(super) fn delays(s: &mut Sched, q: CfsRqId, se: EntityId) -> bool {
    if !s.features.has(Feature::DelayDequeue) || entity_eligible(s, se) {
        return false;
    }
    if s.se(se).task.is_some() {
        s.update_load_avg(se, Action::Age);
    }
    if s.rules.delay_lag == DelayLag::NoGrowth {
        let _ = update_entity_lag(s, q, se);
    }
    set_delayed(s, se, true);
    true
}

/// `set_delayed`, `clear_delayed`: the tasks that could run are counted anew.
pub(in crate::sched) fn set_delayed(s: &mut Sched, se: EntityId, delayed: bool) {
    s.eevdf.se_mut(se).sched_delayed = delayed;
    if s.se(se).task.is_none() {
        return;
    }
    s.track_runnable(se, if delayed { -1 } else { 1 });
    let cpu = s.cfs(s.se(se).cfs_rq).cpu;
    let nr = &mut s.eevdf.delayed[cpu.index()];
    *nr = nr.wrapping_add_signed(if delayed { 1 } else { -1 });
}

/// Enqueues a task and every group above that is not queued yet (`enqueue_task_fair`).
pub(in crate::sched) fn enqueue_task(s: &mut Sched, task: TaskId, initial: bool) {
    let SchedTask { se, cpu, .. } = s.tasks[task.index()];
    s.util_est_enqueue(task);
    let runnable = u32::from(!s.eevdf.se(se).sched_delayed);
    let initial = initial && s.rules.initial_at_enqueue;
    if s.rules.flat {
        flat::enqueue(s, se, initial, runnable);
        return tick::hrtick_update(s, cpu);
    }
    let (mut level, mut initial, mut slice, mut counted) = (Some(se), initial, None, true);
    while let Some(se) = level {
        if s.se(se).on_rq {
            if s.eevdf.se(se).sched_delayed {
                requeue_delayed(s, se);
            }
            break;
        }
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        if let Some(slice) = slice {
            let own = s.eevdf.se_mut(se);
            (own.slice, own.custom_slice) = (slice, true);
        }
        enqueue_entity(s, q, se, initial, runnable);
        slice = shortest_slice(s, q).filter(|_| s.rules.custom_slice);
        if s.is_throttled(q) {
            counted = false;
            break;
        }
        (level, initial) = (parent, false);
    }
    if counted && count_above(s, level, runnable as i32, slice) {
        s.add_nr_running(cpu, 1);
    }
    if runnable == 0 {
        s.eevdf.delayed[cpu.index()] += 1;
    }
    tick::hrtick_update(s, cpu);
}

/// The levels from `level` up stay queued as a task comes or goes below them; false if a throttled one ends that
/// (the second loops of `enqueue_task_fair` and `dequeue_entities`).
fn count_above(
    s: &mut Sched,
    level: Option<EntityId>,
    change: i32,
    mut slice: Option<u64>,
) -> bool {
    let mut level = level;
    while let Some(se) = level {
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        s.track_level(se, Action::Age, change);
        s.update_cfs_group(se);
        if let Some(slice) = slice {
            set_group_slice(s, q, se, slice);
        }
        slice = shortest_slice(s, q).filter(|_| s.rules.custom_slice);
        if s.is_throttled(q) {
            return false;
        }
        level = parent;
    }
    true
}

/// Dequeues a task and every group above that it leaves empty; one that sleeps may stay, for what it owes, and so may
/// a group (`dequeue_task_fair`). `special`: it ends, and must not be woken by mistake.
pub(in crate::sched) fn dequeue_task(s: &mut Sched, task: TaskId, how: Dequeue, special: bool) {
    let se = s.tasks[task.index()].se;
    let delayed = s.eevdf.se(se).sched_delayed;
    if !delayed {
        s.util_est_dequeue(task);
        if how == Dequeue::Sleep {
            s.util_est_update(task);
        }
    }
    if dequeue_entities(s, se, how, special) {
        let cpu = s.tasks[task.index()].cpu;
        tick::hrtick_update(s, cpu);
    }
}

/// `se` and every group above that it leaves empty; false if `se` itself stays queued, delayed (`dequeue_entities`).
fn dequeue_entities(s: &mut Sched, se: EntityId, how: Dequeue, special: bool) -> bool {
    if s.rules.flat {
        return flat::dequeue(s, se, how, special);
    }
    let task = s.se(se).task;
    let cpu = s.cfs(s.se(se).cfs_rq).cpu;
    let was_delayed = s.eevdf.se(se).sched_delayed;
    let sleeps = how == Dequeue::Sleep;
    let runnable = u32::from(task.is_some() && !was_delayed);
    let (mut level, mut how_here, mut special, mut counted) = (Some(se), how, special, true);
    let mut slice = None;
    // A delayed entity that leaves to sleep is done paying.
    let mut done = was_delayed && sleeps;
    while let Some(here) = level {
        let (q, parent) = (s.se(here).cfs_rq, s.se(here).parent);
        let _ = update_curr(s, q);
        buddies::clear(s, here);
        if !done && !special && how_here == Dequeue::Sleep && delays(s, q, here) {
            if task.is_some() && here == se {
                return false;
            }
            // A group that stays is counted anew with those above it, and takes the shortest slice beside it.
            slice = shortest_slice(s, q);
            level = Some(here);
            break;
        }
        leave_queue(s, q, here, how_here, runnable);
        if done {
            finish_delayed(s, here);
        }
        if s.is_throttled(q) {
            counted = false;
            break;
        }
        if s.cfs(q).nr_running > 0 {
            slice = shortest_slice(s, q);
            level = parent;
            let marks = sleeps && !s.is_held_back(q);
            if let Some(parent) = parent.filter(|_| marks) {
                buddies::set_next(s, parent);
            }
            break;
        }
        (level, how_here, special, done) = (parent, Dequeue::Sleep, false, false);
    }
    let slice = slice.filter(|_| s.rules.custom_slice);
    let counted = counted && count_above(s, level, -(runnable as i32), slice);
    if task.is_some() {
        if was_delayed && !sleeps {
            s.eevdf.delayed[cpu.index()] -= 1;
        }
        if counted {
            let rq = &mut s.rq[cpu.index()];
            rq.nr_running -= 1;
            rq.h_nr_running -= 1;
        }
    }
    true
}

/// A delayed entity is off its queue at last (`finish_delayed_dequeue_entity`).
pub(super) fn finish_delayed(s: &mut Sched, se: EntityId) {
    let clips = s.rules.delay_lag == DelayLag::Clip && s.features.has(Feature::DelayZero);
    let own = s.eevdf.se_mut(se);
    own.sched_delayed = false;
    if clips {
        own.vlag = own.vlag.min(0);
    }
    if s.se(se).task.is_some() {
        let cpu = s.cfs(s.se(se).cfs_rq).cpu;
        s.eevdf.delayed[cpu.index()] -= 1;
    }
}

/// A delayed entity that the pick came upon leaves its queue.
pub(super) fn drop_delayed(s: &mut Sched, se: EntityId) {
    let _ = dequeue_entities(s, se, Dequeue::Sleep, false);
}

/// A delayed entity is wanted again where it is. Up to 7.1 the running one is not charged first
/// (`requeue_delayed_entity`).
pub(super) fn requeue_delayed(s: &mut Sched, se: EntityId) {
    let q = queue_of(s, se);
    if s.rules.requeue_charges {
        let _ = update_curr(s, q);
    }
    if !s.eevdf.se(se).queued {
        // A quota keeps it from the flat queue: it is placed when that lets it go.
        return set_delayed(s, se, false);
    }
    let before = s.eevdf.se(se).vlag;
    let moved = match s.rules.requeue {
        Requeue::OwedOnly => {
            let zero = s.features.has(Feature::DelayZero);
            if zero {
                let _ = update_entity_lag(s, q, se);
            }
            let owed = zero && s.eevdf.se(se).vlag > 0;
            if owed {
                s.eevdf.se_mut(se).vlag = 0;
            }
            owed
        }
        Requeue::WhenUnchanged => {
            let _ = update_entity_lag(s, q, se);
            s.eevdf.se(se).vlag == before
        }
        Requeue::WhenChanged => update_entity_lag(s, q, se),
    };
    if moved {
        replace(s, q, se);
    }
    s.update_load_avg(se, Action::Age);
    set_delayed(s, se, false);
}

/// Places a queued entity anew, among the others; one that has not been put off the CPU yet waits in no tree.
fn replace(s: &mut Sched, q: CfsRqId, se: EntityId) {
    let waits = s.eevdf.q(q).curr != Some(se);
    if waits {
        leave_tree(s, q, se);
    }
    s.eevdf.q_mut(q).nr -= 1;
    place_entity(s, q, se, false);
    s.eevdf.q_mut(q).nr += 1;
    if waits {
        enter_tree(s, q, se);
    }
}

impl Sched {
    /// Does `p` sleep, but is still queued (`sched_delayed`)?
    #[inline]
    pub fn is_delayed(&self, p: TaskId) -> bool {
        self.rules.is_eevdf() && self.eevdf.se(self.tasks[p.index()].se).sched_delayed
    }

    /// Tasks of `cpu` that sleep but are still queued.
    #[inline]
    pub fn nr_delayed(&self, cpu: crate::machine::CpuId) -> u32 {
        if self.rules.is_eevdf() {
            self.eevdf.delayed[cpu.index()]
        } else {
            0
        }
    }

    /// `p`, which sleeps but is still queued, is woken where it is (`ttwu_runnable`).
    pub fn requeue_delayed_task(&mut self, p: TaskId) {
        self.util_est_enqueue(p);
        requeue_delayed(self, self.tasks[p.index()].se);
    }

    /// `p`, which sleeps but is still queued, leaves its queue at once: it changes its class, its mask or its weight.
    pub fn drop_delayed_task(&mut self, p: TaskId) {
        if self.is_delayed(p) {
            drop_delayed(self, self.tasks[p.index()].se);
        }
    }
}
