//! Things in order, in little code: a map of a few keys, and one sort for every type.
//!
//! The standard library's maps and sorts are compiled anew for each type, some kilobytes each, and the page downloads
//! every one. Nothing here is on the way of an event.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::ops::Range;

/// A map in the order of its keys, for dozens of entries: finding one halves, adding one moves those behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<K, V>(Vec<(K, V)>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Map<K, V> {
    /// Without entries.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.0.iter().map(|(key, _)| key)
    }

    /// Drops the entries that are not to stay.
    pub fn retain(&mut self, mut stays: impl FnMut(&K, &V) -> bool) {
        self.0.retain(|(key, value)| stays(key, value));
    }
}

impl<K: Ord, V> Map<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(k, _)| k.borrow().cmp(key))
    }

    /// What belongs to `key`.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    /// Gives `value` to `key`, and back what it had before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(core::mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Takes `key` out, and gives what it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| self.0.remove(place).1)
    }
}

/// `things` in order, equal ones as they were.
#[must_use]
pub fn sorted<T: Clone>(things: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let places = order(things.len(), &|a, b| compare(&things[a], &things[b]));
    places.iter().map(|place| things[*place].clone()).collect()
}

/// The places of `count` things in their order, equal ones as they were: runs of one, two, four … are merged in pairs.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut before = places.clone();
    let mut run = 1;
    while run < count {
        core::mem::swap(&mut places, &mut before);
        for start in (0..count).step_by(2 * run) {
            let [middle, end] = [run, 2 * run].map(|length| (start + length).min(count));
            merge(
                &before,
                &mut places[start..end],
                [start..middle, middle..end],
                compare,
            );
        }
        run *= 2;
    }
    places
}

/// Merges two runs of `from`, of which equal things are taken from the first.
fn merge(
    from: &[usize],
    to: &mut [usize],
    [mut left, mut right]: [Range<usize>; 2],
    compare: &dyn Fn(usize, usize) -> Ordering,
) {
    for place in to {
        let takes_right = !right.is_empty()
            && (left.is_empty() || compare(from[right.start], from[left.start]).is_lt());
        let taken = if takes_right { &mut right } else { &mut left };
        *place = from[taken.start];
        taken.start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_map_does_what_a_tree_does(steps in prop::collection::vec((0..3, 0..12_u8, 0..9_u8), 0..60)) {
            let (mut map, mut tree) = (Map::new(), BTreeMap::new());
            for (step, key, value) in steps {
                match step {
                    0 => prop_assert_eq!(map.insert(key, value), tree.insert(key, value)),
                    1 => prop_assert_eq!(map.remove(&key), tree.remove(&key)),
                    _ => {
                        map.retain(|k, v| k + v != key);
                        tree.retain(|k, v| k + *v != key);
                    }
                }
                prop_assert_eq!(map.get(&key), tree.get(&key));
                prop_assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
                prop_assert!(map.iter().eq(tree.iter()) && map.keys().eq(tree.keys()));
            }
        }

        #[test]
        fn equal_things_stay_as_they_were(things in prop::collection::vec((0..6, 0..1000), 0..80)) {
            let mut expected = things.clone();
            expected.sort_by_key(|thing: &(i32, i32)| thing.0);
            prop_assert_eq!(sorted(&things, |a, b| a.0.cmp(&b.0)), expected);
        }
    }
}
