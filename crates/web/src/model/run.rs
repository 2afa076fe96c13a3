//! One side's run, as far as the page knows it.

use crate::protocol::{Halt, Snapshot};
use schedlab_engine::config::Config;
use std::rc::Rc;

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// None was asked for yet.
    #[default]
    Waiting,
    /// It goes on.
    Running,
    /// It is over.
    Ended(Halt),
    /// It cannot be run, for these reasons.
    Rejected(Vec<String>),
    /// The worker broke down, with these words.
    Broken(String),
}

/// One side's run. Equal means: with the very same numbers, for looking through a million switches at every change
/// of anything would take longer than drawing them.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The number of the run asked for last.
    pub id: u32,
    /// What it runs.
    pub of: Option<Rc<Config>>,
    /// Is something else to be run by now? A new run is asked for a moment after the change.
    pub outdated: bool,
    /// How far it is.
    pub state: RunState,
    /// The latest numbers; of an earlier run until the first ones of this arrive.
    pub snapshot: Option<Rc<Snapshot>>,
    /// How long the worker took for it, ms of real time; known at its end.
    pub wall_ms: Option<f64>,
    /// What ran to its end before the last change, and the hash of that; nothing where the change was not of this side.
    pub before: Option<(Rc<Config>, u64)>,
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |run: &Run| run.snapshot.as_ref().map(Rc::as_ptr);
        numbers(self) == numbers(other)
            && (self.id, self.outdated, self.wall_ms) == (other.id, other.outdated, other.wall_ms)
            && (&self.of, &self.state) == (&other.of, &other.state)
    }
}

impl Run {
    /// Are the numbers those of an earlier run?
    pub fn is_stale(&self) -> bool {
        self.outdated || self.snapshot.as_ref().is_none_or(|s| s.run != self.id)
    }

    /// Is it over, for good or ill?
    pub fn is_over(&self) -> bool {
        !self.outdated && !matches!(self.state, RunState::Waiting | RunState::Running)
    }

    /// The numbers, unless there are none.
    pub fn numbers(&self) -> Option<&Rc<Snapshot>> {
        self.snapshot.as_ref()
    }

    /// The setup says that `config` is to be run.
    pub(super) fn follow(&mut self, config: &Rc<Config>) {
        self.outdated = self.of.as_ref().is_some_and(|of| of != config);
        if !self.outdated {
            self.before = None;
        }
    }

    /// The hash of what happened in the run asked for last, when that has come to its end.
    pub fn hash(&self) -> Option<u64> {
        let ended = matches!(self.state, RunState::Ended(_));
        let own = self.numbers().filter(|s| ended && s.run == self.id);
        own.map(|s| s.tiles.hash)
    }

    pub(super) fn start(&mut self, run: u32, of: &Rc<Config>) {
        let hash = self.hash();
        let other = self.of.take().filter(|old| old != of);
        // Of one that has not ended nothing is known: then it is still the one before.
        self.before = other.zip(hash).or_else(|| self.before.take());
        self.id = run;
        self.of = Some(Rc::clone(of));
        self.outdated = false;
        self.state = RunState::Running;
        self.wall_ms = None;
    }

    pub(super) fn arrive(&mut self, snapshot: Rc<Snapshot>) {
        if snapshot.run == self.id {
            self.snapshot = Some(snapshot);
        }
    }

    pub(super) fn reject(&mut self, run: u32, problems: Vec<String>) {
        if run == self.id {
            self.state = RunState::Rejected(problems);
        }
    }

    pub(super) fn end(&mut self, run: u32, why: Halt, wall_ms: f64) {
        if run == self.id {
            self.state = RunState::Ended(why);
            self.wall_ms = Some(wall_ms);
        }
    }
}
