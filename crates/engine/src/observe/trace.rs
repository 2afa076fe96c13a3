//! The last part of a run in full: who ran where from when to when, wakeups, migrations.
//!
//! Memory is bounded: beyond its limit a [`Ring`] forgets the oldest rows and counts them. Not here: text.

use super::event::{Cause, Event, Observer, PrevState};
use crate::machine::CpuId;
use crate::sched::decision::{MigrateWhy, PickWhy, Placement, PlacementWhy, Preempt, PreemptWhy};
use crate::task::TaskId;
use crate::time::Instant;
use alloc::vec;
use alloc::vec::Vec;

/// The last rows of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring<T> {
    rows: Vec<T>,
    limit: usize,
    /// The oldest row, once the limit is reached.
    oldest: usize,
    dropped: u64,
}

impl<T> Ring<T> {
    /// An empty list of at most `limit` rows, at least 1.
    pub fn new(limit: usize) -> Ring<T> {
        Ring {
            rows: Vec::new(),
            limit: limit.max(1),
            oldest: 0,
            dropped: 0,
        }
    }

    /// Adds a row; the oldest goes if there is no room.
    pub fn push(&mut self, row: T) {
        if self.rows.len() < self.limit {
            self.rows.push(row);
            return;
        }
        self.rows[self.oldest] = row;
        self.oldest = (self.oldest + 1) % self.limit;
        self.dropped += 1;
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows were forgotten.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The rows, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (newer, older) = self.rows.split_at(self.oldest);
        older.iter().chain(newer)
    }

    /// Takes all rows out, oldest first.
    pub fn take(&mut self) -> Vec<T> {
        self.rows.rotate_left(self.oldest);
        self.oldest = 0;
        core::mem::take(&mut self.rows)
    }
}

/// A task on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The CPU.
    pub cpu: CpuId,
    /// The task.
    pub task: TaskId,
    /// From when.
    pub start: Instant,
    /// Until when.
    pub end: Instant,
    /// Why it was picked.
    pub why: PickWhy,
    /// Its state when it left.
    pub state: PrevState,
    /// What forced it off, if it was still runnable.
    pub forced: Option<Cause>,
}

/// A wakeup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Woken {
    /// When.
    pub at: Instant,
    /// The task.
    pub task: TaskId,
    /// By whom; none = a timer, or it is there from the start.
    pub waker: Option<TaskId>,
    /// On which CPU that was.
    pub waker_cpu: CpuId,
    /// Where it went.
    pub cpu: CpuId,
    /// Why there.
    pub why: PlacementWhy,
    /// Did it preempt?
    pub preempts: bool,
    /// Why, or why not.
    pub preempt_why: PreemptWhy,
}

/// A migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// When.
    pub at: Instant,
    /// The task.
    pub task: TaskId,
    /// From there.
    pub from: CpuId,
    /// To there.
    pub to: CpuId,
    /// Why.
    pub why: MigrateWhy,
}

/// A task that came onto a CPU.
#[derive(Clone, Copy, Debug)]
struct Running {
    task: TaskId,
    start: Instant,
    why: PickWhy,
}

/// Keeps the last rows of what it is told.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Slices, in the order in which they ended.
    pub slices: Ring<Slice>,
    /// Wakeups and forks.
    pub wakeups: Ring<Woken>,
    /// Migrations.
    pub migrations: Ring<Migration>,
    running: Vec<Option<Running>>,
}

impl Trace {
    /// Of each kind at most `limit` rows of a machine with `cpus` CPUs.
    pub fn new(cpus: u16, limit: usize) -> Trace {
        Trace {
            slices: Ring::new(limit),
            wakeups: Ring::new(limit),
            migrations: Ring::new(limit),
            running: vec![None; usize::from(cpus)],
        }
    }

    /// What runs at `now`, as slices that have not ended.
    pub fn running(&self, now: Instant) -> impl Iterator<Item = Slice> {
        let open = (0_u16..).zip(&self.running);
        open.filter_map(move |(cpu, running)| {
            let Running { task, start, why } = (*running)?;
            let (cpu, end) = (CpuId(cpu), now);
            Some(Slice {
                cpu,
                task,
                start,
                end,
                why,
                state: PrevState::Runnable,
                forced: None,
            })
        })
    }
}

impl Trace {
    fn woken(
        &mut self,
        at: Instant,
        task: TaskId,
        by: (Option<TaskId>, CpuId),
        on: (Placement, Preempt),
    ) {
        let (placement, preempt) = on;
        self.wakeups.push(Woken {
            at,
            task,
            waker: by.0,
            waker_cpu: by.1,
            cpu: placement.cpu,
            why: placement.why,
            preempts: preempt.yes,
            preempt_why: preempt.why,
        });
    }
}

impl Observer for Trace {
    fn record(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::Switch {
                cpu,
                state,
                next,
                why,
                forced,
                ..
            } => {
                let next = next.map(|task| Running {
                    task,
                    start: now,
                    why,
                });
                let prev = core::mem::replace(&mut self.running[cpu.index()], next);
                if let Some(Running { task, start, why }) = prev {
                    self.slices.push(Slice {
                        cpu,
                        task,
                        start,
                        end: now,
                        why,
                        state,
                        forced,
                    });
                }
            }
            Event::Wakeup {
                task,
                waker,
                waker_cpu,
                placement,
                preempt,
                ..
            } => {
                self.woken(now, task, (waker, waker_cpu), (placement, preempt));
            }
            Event::Fork {
                parent,
                child,
                placement,
                preempt,
                ..
            } => {
                self.woken(now, child, (parent, placement.cpu), (placement, preempt));
            }
            Event::Migrate {
                task,
                from,
                to,
                why,
            } => {
                self.migrations.push(Migration {
                    at: now,
                    task,
                    from,
                    to,
                    why,
                });
            }
            Event::Exit { .. }
            | Event::Tick { .. }
            | Event::Balance { .. }
            | Event::Throttle { .. }
            | Event::Affinity { .. }
            | Event::Message { .. }
            | Event::Mark { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_forgets_the_oldest_and_says_how_many() {
        let mut ring = Ring::new(3);
        (0..5).for_each(|row| ring.push(row));
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!((ring.len(), ring.dropped()), (3, 2));
        assert_eq!(ring.take(), [2, 3, 4]);
        ring.push(9);
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [9]);
        assert_eq!(ring.dropped(), 2);
    }

    #[test]
    fn slices_begin_and_end_at_switches() {
        let mut trace = Trace::new(2, 10);
        let mut switch = |at, prev: Option<u32>, next: Option<u32>| {
            let event = Event::Switch {
                cpu: CpuId(1),
                prev: prev.map(TaskId),
                state: PrevState::Sleeping,
                next: next.map(TaskId),
                why: PickWhy::Leftmost,
                forced: None,
            };
            trace.record(Instant(at), &event);
        };
        switch(5, None, Some(7));
        switch(9, Some(7), Some(8));
        let kept: Vec<_> = trace
            .slices
            .iter()
            .map(|s| (s.task.0, s.start.0, s.end.0))
            .collect();
        assert_eq!(kept, [(7, 5, 9)]);
        let open: Vec<_> = trace
            .running(Instant(12))
            .map(|s| (s.cpu.0, s.task.0, s.end.0))
            .collect();
        assert_eq!(open, [(1, 8, 12)]);
    }
}
