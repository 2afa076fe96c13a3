//! Charging the running entity: its vruntime, and the end of its slice.
//!
//! Source: `update_curr`, `update_deadline` of 6.6 to 7.1.

use super::{average, buddies, flat, protect};
use crate::sched::Sched;
use crate::sched::decision::TickWhy;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::SliceEnd;

/// Charges the running entity of `q` up to the clock, and asks for a reschedule if its time is over: the answer says
/// how it stands, none if there was nothing to charge.
pub(in crate::sched) fn update_curr(s: &mut Sched, q: CfsRqId) -> Option<TickWhy> {
    let Some(curr) = s.eevdf.q(q).curr else {
        return flat::update_curr_above(s, q);
    };
    let clock = s.rq_of(q).clock;
    let entity = s.se(curr);
    let delta = clock.wrapping_sub(entity.exec_start) as i64;
    if delta <= 0 {
        return None;
    }
    let delta = delta as u64;
    let virtual_delta = s.virtual_time(delta, curr);
    let entity = s.se_mut(curr);
    entity.sum_exec = entity.sum_exec.wrapping_add(delta);
    entity.vruntime += virtual_delta;
    entity.exec_start = clock;
    let expired = update_deadline(s, curr);
    if expired {
        average::settle(s, q);
    }
    if s.quotas.used {
        account_runtime(s, q, curr, delta);
    }
    let why = judge(s, q, curr, expired);
    if why.reschedules() {
        let cpu = s.cfs(q).cpu;
        s.resched_lazy(cpu);
        buddies::clear(s, curr);
    }
    Some(why)
}

/// What `se` ran counts for the quota of its group; a task of the flat queue runs for all groups above it.
fn account_runtime(s: &mut Sched, q: CfsRqId, se: EntityId, ns: u64) {
    if !s.rules.flat {
        return s.account_runtime(q, ns);
    }
    let mut level = Some(se);
    while let Some(se) = level {
        s.account_runtime(s.se(se).cfs_rq, ns);
        level = s.se(se).parent;
    }
}

/// At its deadline an entity gets a new slice, from where it is: being late is forgiven. True if that came
/// (`update_deadline`).
fn update_deadline(s: &mut Sched, se: EntityId) -> bool {
    let vruntime = s.se(se).vruntime;
    if vruntime < s.eevdf.se(se).deadline {
        return false;
    }
    if !s.eevdf.se(se).custom_slice {
        s.eevdf.se_mut(se).slice = s.tunables.base_slice;
    }
    let vslice = s.virtual_time(s.eevdf.se(se).slice, se);
    let entity = s.eevdf.se_mut(se);
    entity.deadline = vruntime + vslice;
    entity.parity = false;
    true
}

fn judge(s: &Sched, q: CfsRqId, se: EntityId, expired: bool) -> TickWhy {
    if s.eevdf.q(q).nr <= 1 {
        return TickWhy::Alone;
    }
    if expired {
        return TickWhy::DeadlineReached;
    }
    let over = match s.rules.slice_end {
        SliceEnd::Deadline => false,
        SliceEnd::DeadlineOrBrokenParity => {
            let broken = s.features.has(Feature::PreemptShort) && !s.eevdf.se(se).parity;
            broken && !average::entity_eligible(s, se)
        }
        SliceEnd::Unprotected => !protect::holds(s, se),
    };
    if over {
        TickWhy::ProtectionOver
    } else {
        TickWhy::SliceLeft
    }
}
