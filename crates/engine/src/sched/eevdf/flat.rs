//! The flat queue of 7.3: all tasks of a CPU compete in its root queue, whatever their groups.
//!
//! Groups are still there for their weights and for what is tracked of them: a task counts with what is left of its
//! weight after each group above has taken its part (`h_load`). That is reckoned as the task is enqueued, as it comes
//! to run and at each of its ticks; while it waits it may be out of date. Nothing but tasks is ever placed, picked,
//! delayed or protected here. Who may not run because of a quota is taken out, and placed anew when it may.
//! Source: `enqueue_task_fair`, `dequeue_hierarchy`, `set_next_task_fair`, `task_tick_fair`, `__calc_prop_weight`,
//! `reweight_eevdf` of 7.3 (85570f10a4c6).

use super::average::{avg_vruntime, update_entity_lag};
use super::placement::place_entity;
use super::queue::{delays, enter_tree, finish_delayed, join, leave_tree, part};
use super::reweight::{scaled, set_weight_off_queue};
use super::{protect, queue_of, update_curr};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::decision::{Tick, TickWhy};
use crate::sched::entity::Dequeue;
use crate::sched::features::Feature;
use crate::sched::pelt::Action;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::weight::{NICE_0_LOAD, SCALE_SHIFT};
use crate::task::TaskId;
use alloc::vec::Vec;

/// No entity weighs less (`__calc_prop_weight`).
const LEAST: u64 = 2;

/// What `se` weighs on its own level: a task by its nice value, a group by its shares.
fn own_weight(s: &Sched, se: EntityId) -> u64 {
    let entity = s.se(se);
    match entity.my_q {
        Some(_) => s.eevdf.se(se).weight,
        None => entity.load.weight << SCALE_SHIFT,
    }
}

/// What of the weights above it falls to `se`: its part on each level, multiplied, rounded down level by level
/// (`__calc_prop_weight`).
pub(super) fn h_weight(s: &Sched, se: EntityId) -> u64 {
    let nice_0 = u128::from(NICE_0_LOAD << SCALE_SHIFT);
    let mut weight = nice_0;
    let mut level = Some(se);
    while let Some(se) = level {
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        weight *= u128::from(own_weight(s, se));
        weight /= match parent {
            Some(_) => u128::from(s.eevdf.q(q).weight.max(1)),
            None => nice_0,
        };
        weight = weight.max(u128::from(LEAST));
        level = parent;
    }
    weight as u64
}

/// The queue of the CPU that `q` belongs to.
fn root_of(s: &Sched, q: CfsRqId) -> CfsRqId {
    CfsRqId(u32::from(s.cfs(q).cpu.0))
}

/// Charges the task that runs on the CPU of `q`, a queue of a group; if the queue of the CPU asks, nobody runs.
pub(super) fn update_curr_above(s: &mut Sched, q: CfsRqId) -> Option<TickWhy> {
    let root = root_of(s, q);
    if !s.rules.flat || q == root {
        return None;
    }
    update_curr(s, root)
}

/// The running task gets what it weighs by now: what it is owed, and what it has left, stay the same in time
/// (`reweight_eevdf`).
fn reweight(s: &mut Sched, q: CfsRqId, se: EntityId) {
    let (old, new) = (s.eevdf.se(se).weight, h_weight(s, se));
    if old == new {
        return;
    }
    let average = avg_vruntime(s, q);
    let protected = protect::holds(s, se);
    let _ = update_entity_lag(s, q, se);
    let own = s.eevdf.se_mut(se);
    own.weight = new;
    own.vlag = scaled(own.vlag, old, new);
    own.deadline = average + scaled(own.deadline - average, old, new);
    if protected {
        own.vprot = average + scaled(own.vprot - average, old, new);
    }
    let vruntime = average - own.vlag;
    s.se_mut(se).vruntime = vruntime;
}

/// A task that is not counted comes among those that are, unless a quota keeps it back.
fn come(s: &mut Sched, q: CfsRqId, se: EntityId, initial: bool) {
    let weight = h_weight(s, se);
    if weight != s.eevdf.se(se).weight {
        set_weight_off_queue(s, se, weight);
    }
    place_entity(s, q, se, initial);
    join(s, q, se);
    enter_tree(s, q, se);
}

/// A task that is counted goes; its lag is stored.
fn go(s: &mut Sched, q: CfsRqId, se: EntityId) {
    if s.eevdf.q(q).curr != Some(se) {
        leave_tree(s, q, se);
    }
    part(s, q, se);
}

/// One level of an enqueue: what is tracked, and the weights.
pub(in crate::sched) fn account(s: &mut Sched, q: CfsRqId, se: EntityId, tasks: u32) {
    s.track_enqueue(se, tasks);
    s.update_cfs_group(se);
    s.account_entity_enqueue(q, se);
    s.eevdf.q_mut(q).weight += own_weight(s, se);
    if s.quotas.used && s.cfs(q).nr_running == 1 {
        s.check_enqueue_throttle(q);
    }
}

/// One level of a dequeue.
pub(in crate::sched) fn unaccount(
    s: &mut Sched,
    q: CfsRqId,
    se: EntityId,
    how: Dequeue,
    tasks: u32,
) {
    s.track_dequeue(se, how == Dequeue::Move, tasks);
    s.account_entity_dequeue(q, se);
    s.eevdf.q_mut(q).weight -= own_weight(s, se);
    if s.quotas.used {
        s.return_runtime(q);
    }
    s.update_cfs_group(se);
}

/// The levels from `level` up stay queued as a task comes or goes below them; false if a throttled one ends that.
fn refresh(s: &mut Sched, mut level: Option<EntityId>, change: i32) -> bool {
    while let Some(se) = level {
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        s.track_level(se, Action::Age, change);
        s.update_cfs_group(se);
        if s.is_throttled(q) {
            return false;
        }
        level = parent;
    }
    true
}

/// A task, and every group above that is not queued, is counted on its level; false if a throttled one ends that.
fn account_levels(s: &mut Sched, se: EntityId, tasks: u32) -> bool {
    let mut level = Some(se);
    while let Some(se) = level.filter(|se| !s.se(*se).on_rq) {
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        account(s, q, se, tasks);
        if s.is_throttled(q) {
            return false;
        }
        level = parent;
    }
    refresh(s, level, tasks as i32)
}

/// The same backwards: groups that it leaves empty are no longer counted.
fn unaccount_levels(s: &mut Sched, se: EntityId, how: Dequeue, tasks: u32) -> bool {
    let (mut level, mut how) = (Some(se), how);
    while let Some(se) = level {
        let (q, parent) = (s.se(se).cfs_rq, s.se(se).parent);
        unaccount(s, q, se, how, tasks);
        if s.is_throttled(q) {
            return false;
        }
        (level, how) = (parent, Dequeue::Sleep);
        if s.cfs(q).nr_running > 0 {
            break;
        }
    }
    refresh(s, level, -(tasks as i32))
}

/// A task gets onto the queue of its CPU; `tasks` is 0 if it sleeps and only owes (`enqueue_task_fair`).
pub(super) fn enqueue(s: &mut Sched, se: EntityId, initial: bool, tasks: u32) {
    let q = queue_of(s, se);
    let cpu = s.cfs(q).cpu;
    let runs = s.eevdf.q(q).curr == Some(se);
    let _ = update_curr(s, q);
    if runs {
        place_entity(s, q, se, initial);
    }
    if account_levels(s, se, tasks) {
        s.add_nr_running(cpu, 1);
        if runs {
            join(s, q, se);
        } else {
            come(s, q, se, initial);
        }
    }
    if tasks == 0 {
        s.eevdf.delayed[cpu.index()] += 1;
    }
}

/// A task leaves the queue of its CPU; false if it goes to sleep and stays, for what it owes. The groups above it are
/// left as they are then (`dequeue_hierarchy`).
pub(super) fn dequeue(s: &mut Sched, se: EntityId, how: Dequeue, special: bool) -> bool {
    let q = queue_of(s, se);
    let cpu = s.cfs(q).cpu;
    let (delayed, counts) = (s.eevdf.se(se).sched_delayed, s.eevdf.se(se).queued);
    let sleeps = how == Dequeue::Sleep;
    let _ = update_curr(s, q);
    clear_buddy(s, se);
    if counts && sleeps && !special && !delayed && delays(s, q, se) {
        return false;
    }
    if counts {
        let _ = update_entity_lag(s, q, se);
    }
    if unaccount_levels(s, se, how, u32::from(!delayed)) {
        let rq = &mut s.rq[cpu.index()];
        rq.nr_running -= 1;
        rq.h_nr_running -= 1;
    }
    if counts {
        go(s, q, se);
        if !sleeps && s.features.has(Feature::PlaceRelDeadline) {
            let vruntime = s.se(se).vruntime;
            let own = s.eevdf.se_mut(se);
            own.deadline -= vruntime;
            own.rel_deadline = true;
        }
    }
    if delayed && sleeps {
        finish_delayed(s, se);
    } else if delayed {
        s.eevdf.delayed[cpu.index()] -= 1;
    }
    true
}

/// `se` becomes the running one of its level; a task, which is out of the tree, weighs anew and is protected
/// (`set_next_task_fair`).
pub(super) fn set_next(s: &mut Sched, se: EntityId) {
    if s.se(se).my_q.is_some() {
        return;
    }
    let q = queue_of(s, se);
    s.eevdf.q_mut(q).curr = Some(se);
    if s.eevdf.se(se).queued {
        reweight(s, q, se);
        protect::set(s, q, se);
    }
}

/// A task that was put off its CPU waits, if it may; groups wait nowhere.
pub(super) fn wait(s: &mut Sched, se: EntityId) {
    if s.eevdf.se(se).queued {
        enter_tree(s, queue_of(s, se), se);
    }
}

/// A task that waited does so no longer.
pub(super) fn leave(s: &mut Sched, se: EntityId) {
    if s.eevdf.se(se).queued {
        leave_tree(s, queue_of(s, se), se);
    }
}

/// `se` is no longer the running one of its level.
pub(super) fn put_prev(s: &mut Sched, se: EntityId) {
    if s.se(se).my_q.is_none() {
        let q = queue_of(s, se);
        s.eevdf.q_mut(q).curr = None;
    }
}

/// The periodic tick: the running task is charged, then the groups above it are looked at, then it weighs anew
/// (`task_tick_fair`).
pub(in crate::sched) fn task_tick(s: &mut Sched, cpu: CpuId) -> Tick {
    let Some(curr) = s.rq[cpu.index()].curr else {
        return Tick {
            resched: false,
            why: TickWhy::Idle,
        };
    };
    let se = s.tasks[curr.index()].se;
    let q = queue_of(s, se);
    let why = update_curr(s, q);
    let mut level = Some(se);
    while let Some(se) = level {
        s.update_load_avg(se, Action::Age);
        s.share_at_tick(se);
        level = s.se(se).parent;
    }
    if s.eevdf.se(se).queued {
        reweight(s, q, se);
    }
    let why = match why {
        Some(why) => why,
        None if s.eevdf.q(q).nr <= 1 => TickWhy::Alone,
        None => TickWhy::SliceLeft,
    };
    Tick {
        resched: why.reschedules(),
        why,
    }
}

/// Marks a task, if it counts and is neither `SCHED_IDLE` nor asleep (`set_next_buddy`).
pub(super) fn set_next_buddy(s: &mut Sched, se: EntityId) {
    let own = s.eevdf.se(se);
    if own.queued && !own.sched_delayed && !s.is_idle_policy(se) {
        let q = queue_of(s, se);
        s.cfs_mut(q).next = Some(se);
    }
}

/// Takes the mark of a task away (`clear_buddies`).
pub(super) fn clear_buddy(s: &mut Sched, se: EntityId) {
    let q = queue_of(s, se);
    if s.cfs(q).next == Some(se) {
        s.cfs_mut(q).next = None;
    }
}

/// The entities of the tasks of `cpu` that are queued on their levels, those that came first before the others.
fn tasks_of(s: &Sched, cpu: CpuId) -> Vec<EntityId> {
    let q = CfsRqId(u32::from(cpu.0));
    let se = |task: TaskId| s.tasks[task.index()].se;
    let mut tasks: Vec<EntityId> = s.queued_tasks(q).map(se).collect();
    tasks.reverse();
    tasks
}

/// One of `queues`, of `cpu`, is about to be throttled: who sleeps below it and only owes leaves at once.
pub(in crate::sched) fn drop_delayed_of(s: &mut Sched, cpu: CpuId, queues: &[CfsRqId]) {
    for se in tasks_of(s, cpu) {
        let own = s.eevdf.se(se);
        if own.queued && own.sched_delayed && queues.contains(&s.se(se).cfs_rq) {
            let _ = dequeue(s, se, Dequeue::Sleep, false);
        }
    }
}

/// Quotas have changed on `cpu`: who is held back competes no longer, who was and is not any more is placed anew, as
/// one that slept (`throttle_cfs_rq_work`, `tg_unthrottle_up`).
pub(in crate::sched) fn heed_quotas(s: &mut Sched, cpu: CpuId) {
    let q = CfsRqId(u32::from(cpu.0));
    let _ = update_curr(s, q);
    for se in tasks_of(s, cpu) {
        let may = !s.is_held_back(s.se(se).cfs_rq);
        match (s.eevdf.se(se).queued, may) {
            (true, false) => {
                clear_buddy(s, se);
                let _ = update_entity_lag(s, q, se);
                go(s, q, se);
            }
            (false, true) if s.eevdf.q(q).curr == Some(se) => {
                place_entity(s, q, se, false);
                join(s, q, se);
            }
            (false, true) => come(s, q, se, false),
            _ => {}
        }
    }
}

/// A group weighs anew on its level; the tasks below it notice when they weigh anew themselves (`reweight_entity`).
pub(in crate::sched) fn set_group_weight(s: &mut Sched, q: CfsRqId, se: EntityId, weight: u64) {
    let old = core::mem::replace(&mut s.eevdf.se_mut(se).weight, weight);
    if s.se(se).on_rq {
        let queue = &mut s.eevdf.q_mut(q).weight;
        *queue = *queue - old + weight;
    }
}
