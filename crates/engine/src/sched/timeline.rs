//! Waiting entities ordered by vruntime, the first in before its equals (`cfs_rq->tasks_timeline`).
//!
//! Not here: the running entity, which the kernel keeps outside, and any rule.

use super::rq::EntityId;
use alloc::vec::Vec;

/// A waiting entity and the vruntime it waits with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// The entity.
    pub se: EntityId,
}

/// The order of the waiting entities of one queue.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Largest vruntime first, so that the leftmost is at the cheap end; among equals the latest first.
    waiting: Vec<Waiting>,
}

impl Timeline {
    /// Puts `se` behind everything that is not right of `vruntime`.
    pub fn insert(&mut self, vruntime: i64, se: EntityId) {
        let at = self.waiting.partition_point(|w| w.vruntime > vruntime);
        self.waiting.insert(at, Waiting { vruntime, se });
    }

    /// Takes `se` out, which waits with `vruntime`.
    ///
    /// # Panics
    /// If it does not.
    pub fn remove(&mut self, vruntime: i64, se: EntityId) {
        let from = self.waiting.partition_point(|w| w.vruntime > vruntime);
        let at = self.waiting[from..].iter().position(|w| w.se == se);
        self.waiting
            .remove(from + at.expect("a waiting entity is in the timeline"));
    }

    /// The entity with the smallest vruntime, the earliest among equals.
    pub fn leftmost(&self) -> Option<Waiting> {
        self.waiting.last().copied()
    }

    /// The entity with the largest vruntime, the latest among equals.
    pub fn rightmost(&self) -> Option<Waiting> {
        self.waiting.first().copied()
    }

    /// From the leftmost to the rightmost.
    pub fn iter(&self) -> impl Iterator<Item = Waiting> {
        self.waiting.iter().rev().copied()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Does nobody wait?
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
