//! Waiting entities ordered by vruntime, the first in before its equals (`cfs_rq->tasks_timeline`).
//!
//! Not here: the running entity, which the kernel keeps outside, and any rule.
//!
//! The kernel uses a red-black tree. This is a sorted list cut into chunks, largest vruntime first, so that
//! the leftmost entity is the last element of the last chunk. Wakeups, preempted tasks and picks all happen
//! near that end. A plain sorted array is as fast up to some hundred entries but takes microseconds at ten
//! thousand; a tree with one node an entity takes twice as long at all the sizes that occur.

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

/// A chunk is split when it holds this many: 2 KiB, which moves within some tens of nanoseconds.
const CHUNK: usize = 128;

/// The order of the waiting entities of one queue.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// At least one; only a lone one may be empty. Vruntimes fall within and across chunks; among equals
    /// the latest comes first.
    chunks: Vec<Vec<Waiting>>,
    /// Emptied chunks, kept so that a queue that breathes does not allocate.
    spare: Vec<Vec<Waiting>>,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            chunks: Vec::from([Vec::new()]),
            spare: Vec::new(),
        }
    }
}

impl Timeline {
    /// Puts `se` behind everything that is not right of `vruntime`.
    pub fn insert(&mut self, vruntime: i64, se: EntityId) {
        let c = self.chunk_of(vruntime);
        let chunk = &mut self.chunks[c];
        let at = chunk.partition_point(|w| w.vruntime > vruntime);
        chunk.insert(at, Waiting { vruntime, se });
        if chunk.len() == CHUNK {
            self.split(c);
        }
    }

    /// Takes `se` out, which waits with `vruntime`.
    ///
    /// # Panics
    /// If it does not.
    pub fn remove(&mut self, vruntime: i64, se: EntityId) {
        if self.leftmost().is_some_and(|left| left.se == se) {
            let last = self.chunks.len() - 1;
            self.chunks[last].pop();
            return self.drop_empty(last);
        }
        let first = self.chunk_of(vruntime);
        let mut places = self.chunks[first..].iter().enumerate();
        let (c, at) = places
            .find_map(|(c, chunk)| Some((first + c, position(chunk, vruntime, se)?)))
            .expect("a waiting entity is in the timeline");
        self.chunks[c].remove(at);
        self.drop_empty(c);
    }

    /// The entity with the smallest vruntime, the earliest among equals.
    pub fn leftmost(&self) -> Option<Waiting> {
        self.chunks.last()?.last().copied()
    }

    /// The entity with the largest vruntime, the latest among equals.
    pub fn rightmost(&self) -> Option<Waiting> {
        self.chunks.first()?.first().copied()
    }

    /// From the leftmost to the rightmost.
    pub fn iter(&self) -> impl Iterator<Item = Waiting> {
        self.chunks
            .iter()
            .rev()
            .flat_map(|c| c.iter().rev())
            .copied()
    }

    /// Does nobody wait?
    pub fn is_empty(&self) -> bool {
        self.leftmost().is_none()
    }

    /// The first chunk that reaches down to `vruntime`, else the last.
    fn chunk_of(&self, vruntime: i64) -> usize {
        if self.chunks.len() == 1 {
            return 0;
        }
        let above = |c: &Vec<Waiting>| c.last().is_some_and(|w| w.vruntime > vruntime);
        self.chunks
            .partition_point(above)
            .min(self.chunks.len() - 1)
    }

    /// Moves the left half of a chunk to one of its own.
    fn split(&mut self, c: usize) {
        let spare = self.spare.pop();
        let mut left = spare.unwrap_or_else(|| Vec::with_capacity(CHUNK));
        left.extend(self.chunks[c].drain(CHUNK / 2..));
        self.chunks.insert(c + 1, left);
    }

    fn drop_empty(&mut self, c: usize) {
        if self.chunks[c].is_empty() && self.chunks.len() > 1 {
            self.spare.push(self.chunks.remove(c));
        }
    }
}

/// Where in `chunk` `se` waits, if it does so there.
fn position(chunk: &[Waiting], vruntime: i64, se: EntityId) -> Option<usize> {
    let from = chunk.partition_point(|w| w.vruntime > vruntime);
    let equals = chunk[from..].iter().take_while(|w| w.vruntime == vruntime);
    equals
        .map(|w| w.se)
        .position(|w| w == se)
        .map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the timeline promises, in the most obvious way: a list sorted after each insertion.
    #[derive(Default)]
    struct Model(Vec<Waiting>);

    impl Model {
        fn insert(&mut self, vruntime: i64, se: EntityId) {
            self.0.push(Waiting { vruntime, se });
            self.0.sort_by_key(|w| w.vruntime);
        }
    }

    proptest! {
        /// Few distinct vruntimes make long runs of equals; many insertions make many chunks.
        #[test]
        fn it_orders_by_vruntime_and_then_by_arrival(
            steps in prop::collection::vec((0..12_i64, 0..1000_usize, any::<bool>()), 1..900),
        ) {
            let (mut timeline, mut model) = (Timeline::default(), Model::default());
            for (id, (vruntime, which, removes)) in steps.into_iter().enumerate() {
                if removes && which < model.0.len() {
                    let gone = model.0.remove(which);
                    timeline.remove(gone.vruntime, gone.se);
                } else {
                    timeline.insert(vruntime, EntityId(id as u32));
                    model.insert(vruntime, EntityId(id as u32));
                }
                prop_assert_eq!(timeline.leftmost(), model.0.first().copied());
                prop_assert_eq!(timeline.rightmost(), model.0.last().copied());
            }
            prop_assert_eq!(timeline.iter().collect::<Vec<_>>(), model.0);
        }
    }

    #[test]
    fn ten_thousand_equals_leave_in_the_order_they_came() {
        let mut timeline = Timeline::default();
        (0..10_000).for_each(|id| timeline.insert(7, EntityId(id)));
        for id in 0..10_000 {
            let left = timeline.leftmost().expect("someone waits");
            assert_eq!(left.se, EntityId(id));
            timeline.remove(7, left.se);
        }
        assert!(timeline.is_empty());
        assert_eq!(timeline.iter().count(), 0);
    }

    #[test]
    #[should_panic(expected = "a waiting entity is in the timeline")]
    fn removing_who_does_not_wait_is_a_bug() {
        let mut timeline = Timeline::default();
        timeline.insert(1, EntityId(1));
        timeline.insert(2, EntityId(2));
        timeline.remove(3, EntityId(2));
    }
}
