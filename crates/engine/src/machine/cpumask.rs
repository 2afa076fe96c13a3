//! CPU numbers and sets of them, as the kernel's `cpumask`; up to [`CpuMask::MAX_CPUS`] CPUs.
//!
//! A leaf: it knows nothing of topology or scheduling.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// One logical CPU (a hardware thread), numbered from 0 as the kernel numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuId(pub u16);

impl CpuId {
    /// The number as an index into per-CPU tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuMask([u64; 4]);

impl CpuMask {
    /// CPU numbers in a mask are below this.
    pub const MAX_CPUS: usize = 256;
    /// The empty set.
    pub const EMPTY: CpuMask = CpuMask([0; 4]);

    /// The CPUs `0..n`.
    ///
    /// # Panics
    /// If `n` is above [`CpuMask::MAX_CPUS`].
    pub fn first(n: usize) -> CpuMask {
        assert!(n <= Self::MAX_CPUS, "at most {} CPUs", Self::MAX_CPUS);
        (0..n).map(|c| CpuId(c as u16)).collect()
    }

    /// Just `cpu`.
    pub fn just(cpu: CpuId) -> CpuMask {
        let mut mask = CpuMask::EMPTY;
        mask.insert(cpu);
        mask
    }

    /// Adds `cpu`.
    pub fn insert(&mut self, cpu: CpuId) {
        self.0[cpu.index() / 64] |= 1 << (cpu.index() % 64);
    }

    /// Takes `cpu` out.
    pub fn remove(&mut self, cpu: CpuId) {
        self.0[cpu.index() / 64] &= !(1 << (cpu.index() % 64));
    }

    /// Is `cpu` in the set?
    pub const fn contains(&self, cpu: CpuId) -> bool {
        self.0[cpu.index() / 64] >> (cpu.index() % 64) & 1 == 1
    }

    /// How many CPUs are in the set (the kernel's `cpumask_weight`).
    pub const fn weight(&self) -> usize {
        let w = self.0;
        (w[0].count_ones() + w[1].count_ones() + w[2].count_ones() + w[3].count_ones()) as usize
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The lowest CPU of the set.
    pub fn lowest(&self) -> Option<CpuId> {
        self.iter().next()
    }

    /// The CPUs in both sets.
    #[must_use]
    pub fn and(&self, other: &CpuMask) -> CpuMask {
        let (a, b) = (self.0, other.0);
        CpuMask([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    /// The CPUs in either set.
    #[must_use]
    pub fn or(&self, other: &CpuMask) -> CpuMask {
        let (a, b) = (self.0, other.0);
        CpuMask([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// The CPUs of this set that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &CpuMask) -> CpuMask {
        let (a, b) = (self.0, other.0);
        CpuMask([a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]])
    }

    /// Have the two sets a CPU in common?
    pub fn intersects(&self, other: &CpuMask) -> bool {
        !self.and(other).is_empty()
    }

    /// Is every CPU of this set in `other`?
    pub fn is_subset(&self, other: &CpuMask) -> bool {
        self.without(other).is_empty()
    }

    /// The CPUs in rising order.
    pub const fn iter(&self) -> Cpus {
        Cpus {
            rest: self.0,
            word: 0,
        }
    }
}

/// The CPUs of a set in rising order: a type of its own, as an adapter would be compiled anew for each use.
#[derive(Clone, Debug)]
pub struct Cpus {
    /// What is still to come.
    rest: [u64; 4],
    /// Nothing is in the words before this one.
    word: usize,
}

impl Iterator for Cpus {
    type Item = CpuId;

    fn next(&mut self) -> Option<CpuId> {
        loop {
            let rest = self.rest.get_mut(self.word)?;
            if *rest != 0 {
                let bit = rest.trailing_zeros();
                *rest &= *rest - 1;
                return Some(CpuId((self.word as u32 * 64 + bit) as u16));
            }
            self.word += 1;
        }
    }
}

impl IntoIterator for &CpuMask {
    type Item = CpuId;
    type IntoIter = Cpus;

    fn into_iter(self) -> Cpus {
        self.iter()
    }
}

impl FromIterator<CpuId> for CpuMask {
    fn from_iter<I: IntoIterator<Item = CpuId>>(cpus: I) -> CpuMask {
        let mut mask = CpuMask::EMPTY;
        cpus.into_iter().for_each(|cpu| mask.insert(cpu));
        mask
    }
}

/// Why a text is not a CPU list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CpuListError {
    /// The list, or an item between commas, is empty.
    Empty,
    /// An item is no number.
    NotANumber(String),
    /// A number is not below [`CpuMask::MAX_CPUS`].
    TooHigh(String),
    /// A range that ends before it starts.
    Backwards(String),
}

impl fmt::Display for CpuListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CpuListError::Empty => f.write_str("a CPU number is missing"),
            CpuListError::NotANumber(item) => write!(f, "'{item}' is no CPU number"),
            CpuListError::TooHigh(item) => {
                write!(f, "{item} is above {}", CpuMask::MAX_CPUS - 1)
            }
            CpuListError::Backwards(item) => write!(f, "'{item}' runs backwards"),
        }
    }
}

impl FromStr for CpuMask {
    type Err = CpuListError;

    /// The kernel's cpuset list form, `0-3,8`; blanks around items are ignored.
    fn from_str(text: &str) -> Result<CpuMask, CpuListError> {
        let mut mask = CpuMask::EMPTY;
        for item in text.split(',').map(str::trim) {
            let (from, to) = item.split_once('-').unwrap_or((item, item));
            let (from, to) = (cpu_number(from)?, cpu_number(to)?);
            if from > to {
                return Err(CpuListError::Backwards(item.to_string()));
            }
            (from..=to).for_each(|cpu| mask.insert(CpuId(cpu)));
        }
        Ok(mask)
    }
}

/// One CPU number of a list.
fn cpu_number(text: &str) -> Result<u16, CpuListError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(CpuListError::Empty);
    }
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CpuListError::NotANumber(text.to_string()));
    }
    let number = text.parse::<u16>().ok();
    number
        .filter(|n| usize::from(*n) < CpuMask::MAX_CPUS)
        .ok_or_else(|| CpuListError::TooHigh(text.to_string()))
}

impl fmt::Display for CpuMask {
    /// The kernel's cpuset list form, `0-3,8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut comma = "";
        while let Some(from) = cpus.next() {
            let mut to = from;
            while let Some(next) = cpus.next_if(|c| c.0 == to.0 + 1) {
                to = next;
            }
            match to.0 - from.0 {
                0 => write!(f, "{comma}{}", from.0)?,
                _ => write!(f, "{comma}{}-{}", from.0, to.0)?,
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_mask_lists_counts_and_prints_its_cpus() {
        let mask: CpuMask = [0, 1, 2, 3, 8, 64, 255].into_iter().map(CpuId).collect();
        assert_eq!(mask.weight(), 7);
        assert_eq!(mask.to_string(), "0-3,8,64,255");
        assert_eq!(
            mask.iter().map(|c| c.0).collect::<Vec<_>>(),
            [0, 1, 2, 3, 8, 64, 255]
        );
        assert!(CpuMask::first(4).is_subset(&mask));
        assert_eq!(mask.without(&CpuMask::first(64)).lowest(), Some(CpuId(64)));
    }

    #[test]
    fn a_printed_list_reads_back_and_a_bad_one_says_where() {
        for text in ["0", "0-3,8,64,255", "1,3,5"] {
            let mask: CpuMask = text.parse().expect("a list");
            assert_eq!(mask.to_string(), text);
        }
        let blanks: CpuMask = " 0 , 2 - 3 ".parse().expect("a list");
        assert_eq!(blanks.to_string(), "0,2-3");
        let error = |text: &str| text.parse::<CpuMask>().expect_err("no list").to_string();
        assert_eq!(error(""), "a CPU number is missing");
        assert_eq!(error("0,,1"), "a CPU number is missing");
        assert_eq!(error("0-x"), "'x' is no CPU number");
        assert_eq!(error("+1"), "'+1' is no CPU number");
        assert_eq!(error("256"), "256 is above 255");
        assert_eq!(error("99999999999"), "99999999999 is above 255");
        assert_eq!(error("3-1"), "'3-1' runs backwards");
    }
}
