//! Counting preemptions, twice: by their real cause, and as recordings of real kernels can tell them apart.

use crate::machine::CpuId;
use crate::observe::event::Cause;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use alloc::vec;
use alloc::vec::Vec;

/// A recording takes an involuntary switch for the work of a wakeup, or of a tick, that is no older.
const SOON: Nanos = Nanos::from_micros(60);

/// What a CPU saw last.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    woken: Option<(TaskId, Instant)>,
    tick: Option<Instant>,
}

/// Involuntary switches.
#[derive(Clone, Debug)]
pub(super) struct Preemptions {
    seen: Vec<Seen>,
    roles: usize,
    /// By cause; a switch without one is counted last.
    pub(super) causes: [u64; Cause::ALL.len() + 1],
    /// To the last task woken here, at most 60 µs ago, with no tick since.
    pub(super) by_wakeup: u64,
    /// Otherwise: at most 60 µs after a tick.
    pub(super) by_tick: u64,
    /// The rest.
    pub(super) other: u64,
    /// Of `by_wakeup`, by role of the woken task and of its victim.
    pub(super) pairs: Vec<u64>,
}

impl Preemptions {
    pub(super) fn new(cpus: usize, roles: usize) -> Preemptions {
        Preemptions {
            seen: vec![Seen::default(); cpus],
            roles,
            causes: [0; Cause::ALL.len() + 1],
            by_wakeup: 0,
            by_tick: 0,
            other: 0,
            pairs: vec![0; roles * roles],
        }
    }

    pub(super) fn woken(&mut self, now: Instant, cpu: CpuId, task: TaskId) {
        self.seen[cpu.index()].woken = Some((task, now));
    }

    pub(super) fn tick(&mut self, now: Instant, cpu: CpuId) {
        self.seen[cpu.index()].tick = Some(now);
    }

    /// A runnable task, of the role `victim`, left `cpu` to `next` and its role, or left it idle.
    pub(super) fn involuntary(
        &mut self,
        now: Instant,
        cpu: CpuId,
        next: Option<(TaskId, usize)>,
        (cause, victim): (Option<Cause>, usize),
    ) {
        self.causes[cause.map_or(Cause::ALL.len(), |cause| cause as usize)] += 1;
        let Seen { woken, tick } = self.seen[cpu.index()];
        let woken = woken.filter(|(_, at)| now.since(*at) <= SOON);
        let woken = woken.filter(|(_, at)| tick.is_none_or(|tick| tick <= *at));
        let winner = next.filter(|(next, _)| woken.is_some_and(|(task, _)| task == *next));
        if let Some((_, role)) = winner {
            self.by_wakeup += 1;
            self.pairs[role * self.roles + victim] += 1;
        } else if tick.is_some_and(|tick| now.since(tick) <= SOON) {
            self.by_tick += 1;
        } else {
            self.other += 1;
        }
    }
}
