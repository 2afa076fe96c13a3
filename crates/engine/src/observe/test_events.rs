//! Events made by hand, for the tests of those that watch: what does not matter to them is the same everywhere.

use super::event::{Cause, Event, PrevState};
use crate::machine::CpuId;
use crate::sched::decision::{PickWhy, Placement, PlacementWhy, Preempt, PreemptWhy};
use crate::task::TaskId;
use crate::workload::program::TemplateId;

fn placement(cpu: u16) -> Placement {
    Placement {
        cpu: CpuId(cpu),
        why: PlacementWhy::SameCpu,
        visited: 2,
    }
}

const NO: Preempt = Preempt {
    yes: false,
    why: PreemptWhy::NotBehind,
    gap: 0,
    gran: 0,
};

pub(super) fn fork(task: u32, cpu: u16) -> Event {
    Event::Fork {
        parent: None,
        child: TaskId(task),
        template: TemplateId(task),
        placement: placement(cpu),
        preempt: NO,
    }
}

pub(super) fn wakeup(task: u32, cpu: u16) -> Event {
    Event::Wakeup {
        task: TaskId(task),
        prev_cpu: CpuId(cpu),
        waker: None,
        waker_cpu: CpuId(cpu),
        sync: false,
        placement: placement(cpu),
        preempt: NO,
    }
}

/// `prev` leaves in that state, forced by `cause` if it could go on.
pub(super) fn switch(
    cpu: u16,
    (prev, state, cause): (Option<u32>, PrevState, Cause),
    next: Option<u32>,
) -> Event {
    Event::Switch {
        cpu: CpuId(cpu),
        prev: prev.map(TaskId),
        state,
        next: next.map(TaskId),
        why: PickWhy::Leftmost,
        forced: Some(cause).filter(|_| state == PrevState::Runnable && prev.is_some()),
    }
}
