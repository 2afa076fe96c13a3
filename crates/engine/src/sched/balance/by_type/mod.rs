//! Balancing of 6.1 and later: groups have types, and what is moved follows from them.
//!
//! Outline: the specification gives these rules in short, and NUMA balancing, asymmetric packing, energy-aware
//! placement and capacity lost to interrupts are not modelled.

mod attempt;
mod busiest;
mod detach;
mod newidle;
mod stats;

use crate::machine::CpuId;
use crate::sched::rules::Balancing;
use crate::sched::{Sched, fair};
use crate::task::TaskId;

impl Sched {
    /// `next` was picked: its hrtick is armed; it is the one of its CPU that ran last, and may be too much for it
    /// (`pick_next_task_fair`).
    pub(in crate::sched) fn note_running(&mut self, cpu: CpuId, next: TaskId) {
        if self.rules.hrtick_at_repick || self.rq[cpu.index()].curr != Some(next) {
            fair::hrtick_start(self, cpu, next);
        }
        if self.rules.balancing == Balancing::ByGroupType {
            self.move_to_front(next);
            self.update_misfit_status(cpu, Some(next));
        }
    }
}
