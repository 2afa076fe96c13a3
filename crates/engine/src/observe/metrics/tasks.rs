//! Counting for each task: how long it ran and waited, how it left, how often it woke and moved.

use crate::machine::CpuId;
use crate::observe::event::PrevState;
use crate::observe::histogram::Histogram;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use crate::workload::program::{MarkId, TemplateId};
use alloc::vec::Vec;

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Asleep, not started, or ended.
    Away,
    /// Waiting to run, woken or forked at that instant.
    Woken(Instant),
    /// Waiting to run, since it was preempted or yielded at that instant.
    Preempted(Instant),
    /// Running since that instant.
    Running(Instant),
}

/// What every message of a task touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hot {
    pub(super) template: TemplateId,
    /// Messages received and marks passed.
    pub(super) count: u64,
}

/// One task.
#[derive(Clone, Debug)]
pub(super) struct TaskCount {
    place: Place,
    pub(super) cpu: CpuId,
    pub(super) ran: u64,
    /// Time runnable without a CPU, in waits that are over, ns.
    waited: u64,
    /// The longest of these waits, ns.
    longest_wait: u64,
    pub(super) voluntary: u64,
    pub(super) involuntary: u64,
    pub(super) wakeups: u64,
    pub(super) migrations: u64,
    pub(super) exit: Option<Instant>,
    pub(super) runs: Histogram,
    pub(super) latency: Histogram,
    /// What it measured at its marks.
    pub(super) measured: Vec<(MarkId, Histogram)>,
}

impl TaskCount {
    /// How long it has run up to `now`, the present run included, ns.
    pub(super) fn ran_until(&self, now: Instant) -> u64 {
        match self.place {
            Place::Running(since) => self.ran + now.since(since).0,
            _ => self.ran,
        }
    }

    /// For how long it has been runnable without a CPU in all up to `now`, and at most in one wait, the present one
    /// included, ns.
    pub(super) fn waited_until(&self, now: Instant) -> (u64, u64) {
        let waits = match self.place {
            Place::Woken(since) | Place::Preempted(since) => now.since(since).0,
            _ => 0,
        };
        (self.waited + waits, self.longest_wait.max(waits))
    }
}

/// All tasks, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    pub(super) hot: Vec<Hot>,
    pub(super) rest: Vec<TaskCount>,
}

impl Tasks {
    /// What the task is made from.
    #[inline]
    pub(super) fn template(&self, task: TaskId) -> usize {
        self.hot[task.index()].template.0 as usize
    }

    /// A task is forked. Tasks that are there from the start may be so in another order than their numbers.
    pub(super) fn appears(&mut self, task: TaskId, template: TemplateId) {
        let unknown = || TaskCount {
            place: Place::Away,
            cpu: CpuId(0),
            ran: 0,
            waited: 0,
            longest_wait: 0,
            voluntary: 0,
            involuntary: 0,
            wakeups: 0,
            migrations: 0,
            exit: None,
            runs: Histogram::default(),
            latency: Histogram::default(),
            measured: Vec::new(),
        };
        if self.rest.len() <= task.index() {
            self.rest.resize_with(task.index() + 1, unknown);
            self.hot
                .resize(task.index() + 1, Hot { template, count: 0 });
        }
        self.hot[task.index()].template = template;
    }

    pub(super) fn wakes(&mut self, task: TaskId) {
        self.rest[task.index()].wakeups += 1;
    }

    pub(super) fn queued(&mut self, task: TaskId, now: Instant, cpu: CpuId) {
        let task = &mut self.rest[task.index()];
        task.place = Place::Woken(now);
        task.cpu = cpu;
    }

    /// It moves; the fork of a task is told after it was moved to where it starts.
    pub(super) fn migrates(&mut self, task: TaskId) {
        if let Some(task) = self.rest.get_mut(task.index()) {
            task.migrations += 1;
        }
    }

    /// Does it wait to run?
    pub(super) fn waits(&self, task: TaskId) -> bool {
        let place = self.rest.get(task.index()).map(|task| task.place);
        matches!(place, Some(Place::Woken(_) | Place::Preempted(_)))
    }

    /// It does one more of what it is for.
    pub(super) fn counts(&mut self, task: TaskId) {
        self.hot[task.index()].count += 1;
    }

    /// It has measured that at a mark.
    pub(super) fn measures(&mut self, task: TaskId, mark: MarkId, Nanos(took): Nanos) {
        let measured = &mut self.rest[task.index()].measured;
        let known = measured.iter().position(|(of, _)| *of == mark);
        let at = known.unwrap_or_else(|| {
            measured.push((mark, Histogram::default()));
            measured.len() - 1
        });
        measured[at].1.record(took);
    }

    /// It leaves the CPU; how long it ran, ns.
    pub(super) fn leaves(&mut self, task: TaskId, now: Instant, state: PrevState) -> u64 {
        let task = &mut self.rest[task.index()];
        let Nanos(ran) = match task.place {
            Place::Running(since) => now.since(since),
            _ => Nanos::ZERO,
        };
        task.ran += ran;
        task.runs.record(ran);
        if state.voluntary() {
            task.voluntary += 1;
            task.place = Place::Away;
        } else {
            task.involuntary += 1;
            task.place = Place::Preempted(now);
        }
        if state == PrevState::Exited {
            task.exit = Some(now);
        }
        ran
    }

    /// It comes onto a CPU; how long ago it was woken, ns, if that is what it waited for.
    pub(super) fn comes(&mut self, task: TaskId, now: Instant) -> Option<u64> {
        let task = &mut self.rest[task.index()];
        (task.waited, task.longest_wait) = task.waited_until(now);
        let woken = match task.place {
            Place::Woken(at) => Some(now.since(at).0),
            _ => None,
        };
        if let Some(waited) = woken {
            task.latency.record(waited);
        }
        task.place = Place::Running(now);
        woken
    }
}
