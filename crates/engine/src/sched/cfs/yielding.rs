//! `sched_yield`.
//!
//! It asks for no reschedule itself: the system call goes on to schedule().
//! Source: `yield_task_fair` of 2.6.31 to 6.5.

use super::buddies;
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::rq::EntityId;
use crate::sched::rules::Yields;
use crate::task::Policy;

/// The running task of `cpu` yields: it gives up its marks. The clock was read just before.
pub(in crate::sched) fn yield_task(s: &mut Sched, cpu: CpuId) {
    let Some(curr) = s.rq[cpu.index()].curr else {
        return;
    };
    let (se, policy) = (s.tasks[curr.index()].se, s.tasks[curr.index()].policy);
    match s.rules.yields {
        Yields::Rightmost => go_right(s, se, policy),
        Yields::Skip | Yields::LaterDeadline | Yields::Forfeit => {
            ask_to_be_skipped(s, cpu, se, policy);
        }
    }
}

/// At every level the picker is to look at the second; the clock that was read will do for schedule().
fn ask_to_be_skipped(s: &mut Sched, cpu: CpuId, se: EntityId, policy: Policy) {
    if s.rq[cpu.index()].nr_running == 1 {
        return;
    }
    buddies::clear_buddies(s, se);
    if policy != Policy::Batch {
        s.update_curr(s.se(se).cfs_rq);
        s.ask_clock_skip(cpu);
    }
    buddies::set_skip_buddy(s, se);
}

/// With `compat_yield`, or as a `SCHED_BATCH` task, it gives up its place.
fn go_right(s: &mut Sched, se: EntityId, policy: Policy) {
    let q = s.se(se).cfs_rq;
    if s.cfs(q).nr_running == 1 {
        return;
    }
    buddies::clear_buddies(s, se);
    if !s.tunables.compat_yield && policy != Policy::Batch {
        s.update_curr(q);
        return;
    }
    let rightmost = s.cfs(q).timeline.rightmost();
    if let Some(rightmost) = rightmost.filter(|r| r.vruntime >= s.se(se).vruntime) {
        s.se_mut(se).vruntime = rightmost.vruntime + 1;
    }
}
