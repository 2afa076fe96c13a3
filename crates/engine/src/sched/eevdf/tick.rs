//! The periodic tick, and the timer that ends a slice to the nanosecond.
//!
//! Whether a slice is over is decided where the running entity is charged.
//! Source: `entity_tick`, `hrtick_start_fair`, `hrtick_update` of 6.6 to 7.1.

use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::decision::TickWhy;
use crate::sched::features::Feature;
use crate::sched::pelt::Action;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::HrtickRule;
use crate::task::TaskId;

/// The timer is never set to less than this, ns.
const HRTICK_MIN: i64 = 10_000;

/// One level of a tick.
pub(in crate::sched) fn entity_tick(s: &mut Sched, q: CfsRqId, curr: EntityId) -> TickWhy {
    let why = super::update_curr(s, q);
    s.update_load_avg(curr, Action::Age);
    s.share_at_tick(curr);
    match why {
        Some(why) => why,
        None if s.eevdf.q(q).nr <= 1 => TickWhy::Alone,
        None => TickWhy::SliceLeft,
    }
}

/// Sets the timer for the running task, if others wait (`hrtick_start_fair`).
pub(in crate::sched) fn hrtick_start(s: &mut Sched, cpu: CpuId, task: TaskId) {
    if !s.features.has(Feature::Hrtick) || s.rq[cpu.index()].h_nr_running <= 1 {
        return;
    }
    let se = s.tasks[task.index()].se;
    let (entity, own) = (s.se(se), s.eevdf.se(se));
    let left = match s.rules.hrtick {
        HrtickRule::Deadline => {
            let ahead = i128::from(own.deadline - entity.vruntime);
            ((i128::from(own.weight) * ahead) >> 20) as i64
        }
        HrtickRule::OwnQueue | HrtickRule::WholeCpu => {
            let ran = entity.sum_exec.wrapping_sub(entity.prev_sum_exec);
            own.slice.wrapping_sub(ran) as i64
        }
    };
    if left < 0 {
        if s.rq[cpu.index()].curr == Some(task) {
            s.resched(cpu);
        }
        return;
    }
    let rq = &mut s.rq[cpu.index()];
    rq.hrtick = Some(rq.clock.wrapping_add(left.max(HRTICK_MIN) as u64));
}

/// A task came or went: the timer is set anew (`hrtick_update`).
pub(super) fn hrtick_update(s: &mut Sched, cpu: CpuId) {
    let curr = s.rq[cpu.index()].curr.filter(|curr| !s.is_rt(*curr));
    if let Some(curr) = curr.filter(|_| s.features.has(Feature::Hrtick)) {
        hrtick_start(s, cpu, curr);
    }
}
