//! Waiting entities ordered by deadline, the first in before its equals (`cfs_rq->tasks_timeline`).
//!
//! Each node knows the smallest vruntime and the shortest and longest slice below it, so that the first entity that
//! satisfies a bound on its vruntime is found on one path. Not here: the running entity, and any rule.
//!
//! The kernel's tree is red-black. This one is a treap, whose shape depends only on the order of arrivals: the
//! priorities are a hash of a counter. What is found does not depend on the shape.
//! Source: `__enqueue_entity`, `min_vruntime_update`, `__pick_eevdf` of 6.12 to 7.1; 6.6 orders by vruntime, which
//! finds the same.

use crate::sched::rq::EntityId;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// No node.
const NIL: u32 = u32::MAX;

/// What the tree knows of an entity that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its deadline, ns of vruntime.
    pub deadline: i64,
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// Its slice, ns.
    pub slice: u64,
    /// The entity.
    pub se: EntityId,
}

#[derive(Clone, Debug)]
struct Node {
    it: Queued,
    arrival: u64,
    left: u32,
    right: u32,
    min_vruntime: i64,
    min_slice: u64,
    max_slice: u64,
}

/// The waiting entities of one queue.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    arrivals: u64,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: Vec::new(),
            free: Vec::new(),
            root: NIL,
            arrivals: 0,
        }
    }
}

/// The order of the tree: deadlines first, then who came first.
type Key = (i64, u64);

/// Scatters arrival numbers (the finalizer of SplitMix64), so that the tree is as flat as a random one.
const fn priority(arrival: u64) -> u64 {
    let mut x = arrival.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Tree {
    /// Puts an entity behind everything whose deadline is not later; the answer finds it again.
    pub fn insert(&mut self, it: Queued) -> u64 {
        self.arrivals += 1;
        let arrival = self.arrivals;
        let node = Node {
            it,
            arrival,
            left: NIL,
            right: NIL,
            min_vruntime: it.vruntime,
            min_slice: it.slice,
            max_slice: it.slice,
        };
        let n = if let Some(n) = self.free.pop() {
            self.nodes[n as usize] = node;
            n
        } else {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        };
        self.root = self.insert_below(self.root, n);
        arrival
    }

    /// Takes out the entity that was put in with that deadline and got that answer.
    ///
    /// # Panics
    /// If there is none.
    pub fn remove(&mut self, deadline: i64, arrival: u64) {
        let (root, gone) = self.remove_below(self.root, (deadline, arrival));
        self.root = root;
        self.free.push(gone);
    }

    /// The same entity has another slice now.
    ///
    /// # Panics
    /// If it is not here.
    pub fn set_slice(&mut self, deadline: i64, arrival: u64, slice: u64) {
        self.set_slice_below(self.root, (deadline, arrival), slice);
    }

    /// The first in order whose vruntime passes; whatever passes, all smaller ones pass.
    pub fn first(&self, passes: impl Fn(i64) -> bool) -> Option<Queued> {
        let mut n = self.root;
        if n == NIL || !passes(self.node(n).min_vruntime) {
            return None;
        }
        loop {
            let node = self.node(n);
            if node.left != NIL && passes(self.node(node.left).min_vruntime) {
                n = node.left;
            } else if passes(node.it.vruntime) {
                return Some(node.it);
            } else {
                n = node.right;
            }
        }
    }

    /// The shortest slice of all.
    pub fn min_slice(&self) -> Option<u64> {
        (self.root != NIL).then(|| self.node(self.root).min_slice)
    }

    /// The longest slice of all.
    pub fn max_slice(&self) -> Option<u64> {
        (self.root != NIL).then(|| self.node(self.root).max_slice)
    }

    /// Does nobody wait?
    pub fn is_empty(&self) -> bool {
        self.root == NIL
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = Queued> {
        let mut path = Vec::new();
        let mut n = self.root;
        core::iter::from_fn(move || {
            while n != NIL {
                path.push(n);
                n = self.node(n).left;
            }
            let node = self.node(path.pop()?);
            n = node.right;
            Some(node.it)
        })
    }

    fn node(&self, n: u32) -> &Node {
        &self.nodes[n as usize]
    }

    fn node_mut(&mut self, n: u32) -> &mut Node {
        &mut self.nodes[n as usize]
    }

    fn key(&self, n: u32) -> Key {
        let node = self.node(n);
        (node.it.deadline, node.arrival)
    }

    fn urgency(&self, n: u32) -> u64 {
        priority(self.node(n).arrival)
    }

    /// Recomputes what `n` knows of what is below it.
    fn refresh(&mut self, n: u32) {
        let node = self.node(n);
        let mut known = (node.it.vruntime, node.it.slice, node.it.slice);
        for child in [node.left, node.right] {
            if child != NIL {
                let child = self.node(child);
                known.0 = known.0.min(child.min_vruntime);
                known.1 = known.1.min(child.min_slice);
                known.2 = known.2.max(child.max_slice);
            }
        }
        let node = self.node_mut(n);
        (node.min_vruntime, node.min_slice, node.max_slice) = known;
    }

    fn insert_below(&mut self, at: u32, n: u32) -> u32 {
        if at == NIL {
            return n;
        }
        if self.urgency(n) > self.urgency(at) {
            let (left, right) = self.split(at, self.key(n));
            let node = self.node_mut(n);
            (node.left, node.right) = (left, right);
            self.refresh(n);
            return n;
        }
        if self.key(n) < self.key(at) {
            let left = self.insert_below(self.node(at).left, n);
            self.node_mut(at).left = left;
        } else {
            let right = self.insert_below(self.node(at).right, n);
            self.node_mut(at).right = right;
        }
        self.refresh(at);
        at
    }

    /// What is before `key` and what is not.
    fn split(&mut self, at: u32, key: Key) -> (u32, u32) {
        if at == NIL {
            return (NIL, NIL);
        }
        if self.key(at) < key {
            let (before, rest) = self.split(self.node(at).right, key);
            self.node_mut(at).right = before;
            self.refresh(at);
            (at, rest)
        } else {
            let (before, rest) = self.split(self.node(at).left, key);
            self.node_mut(at).left = rest;
            self.refresh(at);
            (before, at)
        }
    }

    fn remove_below(&mut self, at: u32, key: Key) -> (u32, u32) {
        assert!(at != NIL, "a waiting entity is in the tree");
        let own = self.key(at);
        if own == key {
            let node = self.node(at);
            return (self.join(node.left, node.right), at);
        }
        let gone = if key < own {
            let (left, gone) = self.remove_below(self.node(at).left, key);
            self.node_mut(at).left = left;
            gone
        } else {
            let (right, gone) = self.remove_below(self.node(at).right, key);
            self.node_mut(at).right = right;
            gone
        };
        self.refresh(at);
        (at, gone)
    }

    /// Two trees, all of the first before all of the second.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (NIL, one) | (one, NIL) => one,
            _ if self.urgency(a) > self.urgency(b) => {
                let right = self.join(self.node(a).right, b);
                self.node_mut(a).right = right;
                self.refresh(a);
                a
            }
            _ => {
                let left = self.join(a, self.node(b).left);
                self.node_mut(b).left = left;
                self.refresh(b);
                b
            }
        }
    }

    fn set_slice_below(&mut self, at: u32, key: Key, slice: u64) {
        assert!(at != NIL, "a waiting entity is in the tree");
        let own = self.key(at);
        match key.cmp(&own) {
            Ordering::Equal => self.node_mut(at).it.slice = slice,
            Ordering::Less => self.set_slice_below(self.node(at).left, key, slice),
            Ordering::Greater => self.set_slice_below(self.node(at).right, key, slice),
        }
        self.refresh(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the tree promises, in the most obvious way.
    #[derive(Default)]
    struct Model(Vec<(Key, Queued)>);

    impl Model {
        fn first(&self, bound: i64) -> Option<Queued> {
            let fits = |(_, it): &&(Key, Queued)| it.vruntime <= bound;
            self.0.iter().find(fits).map(|(_, it)| *it)
        }
    }

    proptest! {
        /// Few distinct deadlines make long runs of equals.
        #[test]
        fn it_orders_by_deadline_and_then_by_arrival_and_finds_the_first_that_passes(
            steps in prop::collection::vec((0..9_i64, 0..50_i64, 1..6_u64, 0..4_u8, 0..1000_usize), 1..300),
        ) {
            let (mut tree, mut model) = (Tree::default(), Model::default());
            for (id, (deadline, vruntime, slice, what, which)) in steps.into_iter().enumerate() {
                let len = model.0.len();
                match what {
                    0 if len > 0 => {
                        let (key, _) = model.0.remove(which % len);
                        tree.remove(key.0, key.1);
                    }
                    1 if len > 0 => {
                        let (key, it) = &mut model.0[which % len];
                        it.slice = slice;
                        tree.set_slice(key.0, key.1, slice);
                    }
                    _ => {
                        let se = EntityId(id as u32);
                        let it = Queued { deadline, vruntime, slice, se };
                        let arrival = tree.insert(it);
                        model.0.push(((deadline, arrival), it));
                        model.0.sort_by_key(|(key, _)| *key);
                    }
                }
                for bound in [-1, 0, 5, 20, 49] {
                    prop_assert_eq!(tree.first(|v| v <= bound), model.first(bound));
                }
                let slices = || model.0.iter().map(|(_, it)| it.slice);
                prop_assert_eq!(tree.min_slice(), slices().min());
                prop_assert_eq!(tree.max_slice(), slices().max());
                prop_assert_eq!(tree.is_empty(), model.0.is_empty());
            }
            let expected: Vec<_> = model.0.iter().map(|(_, it)| *it).collect();
            prop_assert_eq!(tree.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn it_stays_flat_whatever_the_order_of_arrivals() {
        fn depth(tree: &Tree, at: u32) -> u32 {
            if at == NIL {
                return 0;
            }
            let node = tree.node(at);
            1 + depth(tree, node.left).max(depth(tree, node.right))
        }
        for step in [1, -1, 7] {
            let mut tree = Tree::default();
            for id in 0..10_000 {
                tree.insert(Queued {
                    deadline: i64::from(id) * step,
                    vruntime: 0,
                    slice: 1,
                    se: EntityId(id as u32),
                });
            }
            let depth = depth(&tree, tree.root);
            assert!(
                depth <= 42,
                "three times the 14 levels of a full tree: {depth}"
            );
        }
    }

    #[test]
    #[should_panic(expected = "a waiting entity is in the tree")]
    fn removing_who_does_not_wait_is_a_bug() {
        let it = Queued {
            deadline: 1,
            vruntime: 0,
            slice: 1,
            se: EntityId(0),
        };
        let mut tree = Tree::default();
        let arrival = tree.insert(it);
        tree.remove(1, arrival + 1);
    }
}
