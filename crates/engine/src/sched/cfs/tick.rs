//! What the periodic tick and the hrtick do: end slices, and catch preemptions that wakeups missed.
//!
//! Source: `task_tick_fair`, `entity_tick`, `check_preempt_tick`, `hrtick_start_fair`, `hrtick_update` of
//! 2.6.31 to 6.5.

use super::{buddies, slice};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::decision::TickWhy;
use crate::sched::features::Feature;
use crate::sched::pelt::Action;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::{HrtickRule, TickMissed};
use crate::task::TaskId;

/// Slices of a task that is not running yet end no sooner than this, ns (`hrtick_start_fair`); since 6.1 of any
/// (`hrtick_start`).
const HRTICK_MIN: i64 = 10_000;

/// One level's part of the periodic tick.
pub(in crate::sched) fn entity_tick(s: &mut Sched, q: CfsRqId, curr: EntityId) -> TickWhy {
    s.update_curr(q);
    if s.tracks_load() {
        s.update_load_avg(curr, Action::Age);
    }
    s.share_at_tick(curr);
    if s.features.has(Feature::Hrtick)
        && !s.features.has(Feature::DoubleTick)
        && s.rq_of(q).hrtick.is_some()
    {
        return TickWhy::HrtickArmed;
    }
    if s.cfs(q).nr_running <= 1 && heeds_others(s) {
        return TickWhy::Alone;
    }
    let why = judge_tick(s, q, curr);
    if why == TickWhy::SliceExpired {
        buddies::clear_buddies(s, curr);
    }
    why
}

/// Without `WAKEUP_PREEMPT` the tick of kernels up to 3.1 looks at slices only, also of a task that is alone.
fn heeds_others(s: &Sched) -> bool {
    s.features.has(Feature::WakeupPreempt) || !s.rules.tick_heeds_preempt
}

/// Has `curr` run long enough (`check_preempt_tick`)?
fn judge_tick(s: &Sched, q: CfsRqId, curr: EntityId) -> TickWhy {
    let entity = s.se(curr);
    let ideal = ideal_runtime(s, curr);
    let ran = entity.sum_exec.wrapping_sub(entity.prev_sum_exec);
    if ran > ideal {
        return TickWhy::SliceExpired;
    }
    if s.rules.tick_missed_preempt == TickMissed::Off || !heeds_others(s) {
        return TickWhy::SliceLeft;
    }
    if ran < s.tunables.min_granularity {
        return TickWhy::TooShort;
    }
    let left = s.cfs(q).timeline.leftmost();
    match left.map(|left| entity.vruntime - left.vruntime) {
        Some(gap) if gap > ideal as i64 => TickWhy::MissedPreemption,
        Some(gap) if gap < 0 && s.rules.tick_missed_preempt == TickMissed::Unsigned => {
            TickWhy::MissedUnsigned
        }
        _ => TickWhy::SliceLeft,
    }
}

/// How long `curr` may run in one go, as the tick sees it, ns.
fn ideal_runtime(s: &Sched, curr: EntityId) -> u64 {
    let slice = slice::sched_slice(s, curr);
    if s.rules.tick_ideal_capped {
        slice.min(s.tunables.sched_latency)
    } else {
        slice
    }
}

/// Arms the hrtick of a CPU for the end of the slice of `task`, which runs there or is about to. A slice that is
/// over asks for a reschedule; one made at the pick may be taken back there.
#[inline]
pub(in crate::sched) fn hrtick_start(s: &mut Sched, cpu: CpuId, task: TaskId) {
    if s.features.has(Feature::Hrtick) {
        arm_hrtick(s, cpu, task);
    }
}

fn arm_hrtick(s: &mut Sched, cpu: CpuId, task: TaskId) {
    let se = s.tasks[task.index()].se;
    let entity = s.se(se);
    let sharing = match s.rules.hrtick {
        HrtickRule::OwnQueue => s.cfs(entity.cfs_rq).nr_running,
        HrtickRule::WholeCpu | HrtickRule::Deadline => s.rq[cpu.index()].h_nr_running,
    };
    if sharing <= 1 {
        return;
    }
    let ran = entity.sum_exec.wrapping_sub(entity.prev_sum_exec);
    let left = slice::sched_slice(s, se).wrapping_sub(ran) as i64;
    let running = s.rq[cpu.index()].curr == Some(task);
    if left < 0 {
        if running {
            s.resched(cpu);
        }
        return;
    }
    let exact = running && s.rules.hrtick == HrtickRule::OwnQueue;
    let delay = if exact { left } else { left.max(HRTICK_MIN) };
    let rq = &mut s.rq[cpu.index()];
    rq.hrtick = Some(rq.clock.wrapping_add(delay as u64));
}

/// Re-arms the hrtick of a CPU after an enqueue or dequeue, while few tasks share the period.
#[inline]
pub(in crate::sched) fn hrtick_update(s: &mut Sched, cpu: CpuId) {
    if s.features.has(Feature::Hrtick) {
        rearm_hrtick(s, cpu);
    }
}

fn rearm_hrtick(s: &mut Sched, cpu: CpuId) {
    let Some(curr) = s.rq[cpu.index()].curr.filter(|curr| !s.is_rt(*curr)) else {
        return;
    };
    let q = s.se(s.tasks[curr.index()].se).cfs_rq;
    if u64::from(s.cfs(q).nr_running) < s.tunables.nr_latency {
        arm_hrtick(s, cpu, curr);
    }
}
