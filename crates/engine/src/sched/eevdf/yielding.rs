//! `sched_yield`.
//!
//! Source: `yield_task_fair` of 6.6 to 7.1.

use super::average::entity_eligible;
use super::{buddies, queue_of, update_curr};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::rules::Yields;

/// The running task of `cpu` gives way, unless it is alone; schedule() follows.
pub(in crate::sched) fn yield_task(s: &mut Sched, cpu: CpuId) {
    let Some(curr) = s.rq[cpu.index()].curr else {
        return;
    };
    if s.rq[cpu.index()].nr_running == 1 {
        return;
    }
    let se = s.tasks[curr.index()].se;
    buddies::clear(s, se);
    let _ = update_curr(s, queue_of(s, se));
    s.ask_clock_skip(cpu);
    let forfeits = s.rules.yields == Yields::Forfeit;
    if forfeits && !entity_eligible(s, se) {
        return;
    }
    let vslice = s.virtual_time(s.eevdf.se(se).slice, se);
    if forfeits {
        s.se_mut(se).vruntime = s.eevdf.se(se).deadline;
    }
    let own = s.eevdf.se_mut(se);
    own.deadline += vslice;
    own.parity = false;
}
