//! Values by key, in a sorted list: small code, for tables that are made once and have a few thousand entries at most.

use alloc::vec::Vec;

/// Values by key.
#[derive(Debug)]
pub(super) struct Table<K, V>(Vec<(K, V)>);

impl<K: Ord, V: Copy> Table<K, V> {
    pub(super) const fn new() -> Table<K, V> {
        Table(Vec::new())
    }

    /// The value of that key, or where it would stand.
    pub(super) fn get(&self, key: &K) -> Result<V, usize> {
        let found = self.0.binary_search_by(|(known, _)| known.cmp(key));
        found.map(|at| self.0[at].1)
    }

    /// The value of that key: `new` if it has none yet.
    pub(super) fn get_or_insert(&mut self, key: K, new: impl FnOnce() -> V) -> V {
        match self.get(&key) {
            Ok(value) => value,
            Err(at) => {
                let value = new();
                self.0.insert(at, (key, value));
                value
            }
        }
    }
}
