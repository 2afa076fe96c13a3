//! What happened switch by switch, until the limits of memory are reached.

use super::{Migration, TraceDelta, Wakeup};
use crate::protocol::{EndWhy, LaneChunk, Migrations, Switch, Wakeups};
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::{Cause, PrevState};
use schedlab_engine::sched::decision::PickWhy;
use schedlab_engine::task::TaskId;

/// So many switches, wakeups and migrations are kept of a run; at 16 to 24 bytes each, a side stays below 40 MB in the
/// worker and on the page.
const LIMIT: usize = 600_000;

/// How a task leaves its CPU.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaves(EndWhy);

impl Leaves {
    pub(super) fn new(state: PrevState, forced: Option<Cause>) -> Self {
        Self(match (state, forced) {
            (PrevState::Sleeping, _) => EndWhy::Sleeping,
            (PrevState::Exited, _) => EndWhy::Exited,
            (PrevState::Yielded, _) | (_, Some(Cause::Yield)) => EndWhy::Yielded,
            (_, Some(Cause::Wakeup | Cause::Fork)) => EndWhy::WakeupPreempt,
            (_, Some(Cause::Tick | Cause::Hrtick)) => EndWhy::Tick,
            _ => EndWhy::Other,
        })
    }

    /// Did a woken or new task take its place?
    pub(super) fn by_wakeup(self) -> bool {
        self.0 == EndWhy::WakeupPreempt
    }

    /// Did the tick end its turn?
    pub(super) fn by_tick(self) -> bool {
        self.0 == EndWhy::Tick
    }

    /// Does it wait from then on?
    pub(super) fn stays_runnable(self) -> bool {
        !matches!(self.0, EndWhy::Sleeping | EndWhy::Exited)
    }
}

/// What happened since the last update.
pub(super) struct Lanes {
    of_cpus: Vec<LaneChunk>,
    wakeups: Wakeups,
    migrations: Migrations,
    kept: usize,
    /// When the limit was reached.
    full_at: Option<u64>,
}

impl Lanes {
    /// Every CPU is idle at 0.
    pub(super) fn new(cpus: usize) -> Self {
        let idle = Switch {
            at_ns: 0,
            task: None,
            pick: PickWhy::Idle,
            prev_end: EndWhy::Sleeping,
            waiting: 0,
        };
        let lane = || {
            let mut lane = LaneChunk::default();
            lane.push(idle);
            lane
        };
        Self {
            of_cpus: (0..cpus).map(|_| lane()).collect(),
            wakeups: Wakeups::default(),
            migrations: Migrations::default(),
            kept: 0,
            full_at: None,
        }
    }

    /// Was the limit reached?
    pub(super) fn is_full(&self) -> bool {
        self.full_at.is_some()
    }

    /// Is there room for one more at `at`?
    fn room(&mut self, at: u64) -> bool {
        if self.full_at.is_none() && self.kept >= LIMIT {
            self.full_at = Some(at);
        }
        self.kept += 1;
        self.full_at.is_none()
    }

    pub(super) fn switch(
        &mut self,
        at_ns: u64,
        cpu: CpuId,
        next: Option<TaskId>,
        why: (PickWhy, Leaves),
        waiting: u32,
    ) {
        if self.room(at_ns) {
            self.of_cpus[cpu.index()].push(Switch {
                at_ns,
                task: next.map(|t| t.0),
                pick: why.0,
                prev_end: why.1.0,
                waiting: u16::try_from(waiting).unwrap_or(u16::MAX),
            });
        }
    }

    pub(super) fn wakeup(&mut self, wakeup: Wakeup) {
        if self.room(wakeup.at_ns) {
            self.wakeups.push(wakeup);
        }
    }

    pub(super) fn migration(&mut self, migration: Migration) {
        if self.room(migration.at_ns) {
            self.migrations.push(migration);
        }
    }

    /// What is new up to `now`.
    pub(super) fn take(&mut self, now: u64) -> TraceDelta {
        TraceDelta {
            lanes: self.of_cpus.iter_mut().map(std::mem::take).collect(),
            wakeups: std::mem::take(&mut self.wakeups),
            migrations: std::mem::take(&mut self.migrations),
            end_ns: self.full_at.unwrap_or(now),
            full: self.full_at.is_some(),
        }
    }
}
