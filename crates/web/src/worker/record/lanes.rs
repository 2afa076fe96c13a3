//! What happened switch by switch, until the limits of memory are reached.

use crate::protocol::{
    EndWhy, LaneChunk, Migration, Migrations, Switch, TraceDelta, Wakeup, Wakeups,
};
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::{Cause, PrevState};
use schedlab_engine::sched::decision::PickWhy;

/// So many switches, wakeups and migrations are kept of a run; at 16 to 24 bytes each, a side stays below 40 MB in the
/// worker and on the page.
const LIMIT: usize = 600_000;

/// Why a task stopped running: its own doing, or else what asked for the switch, each cause by itself.
pub(crate) fn end_why(state: PrevState, forced: Option<Cause>) -> EndWhy {
    match (state, forced) {
        (PrevState::Sleeping, _) => EndWhy::Sleeping,
        (PrevState::Exited, _) => EndWhy::Exited,
        (PrevState::Yielded, _) | (_, Some(Cause::Yield)) => EndWhy::Yielded,
        (_, Some(Cause::Wakeup)) => EndWhy::WakeupPreempt,
        (_, Some(Cause::Fork)) => EndWhy::Fork,
        (_, Some(Cause::Tick)) => EndWhy::Tick,
        (_, Some(Cause::Hrtick)) => EndWhy::Hrtick,
        (_, Some(Cause::Balance)) => EndWhy::Balance,
        (_, Some(Cause::Nice)) => EndWhy::Nice,
        (_, Some(Cause::Stopper)) => EndWhy::Stopper,
        (_, Some(Cause::Bandwidth)) => EndWhy::Bandwidth,
        (_, Some(Cause::Charge)) => EndWhy::Charge,
        (PrevState::Runnable, None) => EndWhy::Other,
    }
}

/// What happened since the last update.
pub(super) struct Lanes {
    of_cpus: Vec<LaneChunk>,
    wakeups: Wakeups,
    migrations: Migrations,
    seen: usize,
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
            seen: 0,
            full_at: None,
        }
    }

    /// Was the limit reached?
    pub(super) fn is_full(&self) -> bool {
        self.full_at.is_some()
    }

    /// How many there have been, kept or not.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// Is there room for one more at `at`?
    fn room(&mut self, at: u64) -> bool {
        if self.full_at.is_none() && self.seen >= LIMIT {
            self.full_at = Some(at);
        }
        self.seen += 1;
        self.full_at.is_none()
    }

    pub(super) fn switch(&mut self, cpu: CpuId, switch: Switch) {
        if self.room(switch.at_ns) {
            self.of_cpus[cpu.index()].push(switch);
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
