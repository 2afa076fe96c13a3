//! `sched_yield`.
//!
//! It asks for no reschedule itself: the system call goes on to schedule().
//! Source: `yield_task_fair` of 2.6.31 and 2.6.32.

use super::buddies;
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::task::Policy;

/// The running task of `cpu` yields: it gives up its marks; with `compat_yield`, or as a `SCHED_BATCH`
/// task, its place too. The clock was read just before.
pub(in crate::sched) fn yield_task(s: &mut Sched, cpu: CpuId) {
    let Some(curr) = s.rq[cpu.index()].curr else {
        return;
    };
    let (se, policy) = (s.tasks[curr.index()].se, s.tasks[curr.index()].policy);
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
