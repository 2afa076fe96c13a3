//! Distributions in bounded memory: counts in buckets whose width grows with the value.
//!
//! Values below 64 are exact; above, each doubling is cut into 64 buckets, so that the middle of a bucket is within
//! 0.8 % of every value in it. Smallest, largest, sum and number are exact. Memory is taken a doubling at a time.

use alloc::vec::Vec;

/// Buckets of a doubling, as a power of two.
const SUB_BITS: u32 = 6;
const SUB: usize = 1 << SUB_BITS;

/// Doublings of a 64-bit number: the first holds 0 … 63.
const DOUBLINGS: usize = 64 - SUB_BITS as usize + 1;

/// No memory is taken for a doubling yet.
const NONE: u8 = u8::MAX;

/// Values counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Which chunk holds a doubling.
    chunk_of: [u8; DOUBLINGS],
    chunks: Vec<[u32; SUB]>,
    min: u64,
    max: u64,
    sum: u128,
    n: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            chunk_of: [NONE; DOUBLINGS],
            chunks: Vec::new(),
            min: u64::MAX,
            max: 0,
            sum: 0,
            n: 0,
        }
    }
}

/// The summary of a distribution, in the unit of its values; percentiles by nearest rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Smallest.
    pub min: u64,
    /// 10th percentile.
    pub p10: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Largest.
    pub max: u64,
    /// Mean, rounded down.
    pub mean: u64,
    /// How many.
    pub n: u64,
}

/// A bucket that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The smallest value that belongs to it.
    pub from: u64,
    /// The largest.
    pub to: u64,
    /// How many do.
    pub count: u64,
}

/// The doubling a value belongs to, and the bucket in it.
#[inline]
fn place(value: u64) -> (usize, usize) {
    let doubling = (u64::BITS - value.leading_zeros()).saturating_sub(SUB_BITS) as usize;
    let shift = doubling.saturating_sub(1);
    (doubling, (value >> shift) as usize & (SUB - 1))
}

/// The smallest and largest value of a bucket.
fn bounds(doubling: usize, bucket: usize) -> (u64, u64) {
    let shift = doubling.saturating_sub(1);
    let first = if doubling == 0 { bucket } else { bucket + SUB };
    let from = (first as u64) << shift;
    (from, from + ((1 << shift) - 1))
}

impl Histogram {
    /// Counts `value`.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let (doubling, bucket) = place(value);
        let mut chunk = self.chunk_of[doubling];
        if chunk == NONE {
            chunk = self.chunks.len() as u8;
            self.chunk_of[doubling] = chunk;
            self.chunks.push([0; SUB]);
        }
        let count = &mut self.chunks[usize::from(chunk)][bucket];
        *count = count.saturating_add(1);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += u128::from(value);
        self.n += 1;
    }

    /// How many values were counted.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Smallest and largest value; none if there is none.
    pub fn range(&self) -> Option<(u64, u64)> {
        (self.n > 0).then_some((self.min, self.max))
    }

    /// Buckets that are not empty, in rising order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        let filled = |doubling: usize| Some(self.chunk_of[doubling]).filter(|chunk| *chunk != NONE);
        let of_doubling = move |doubling, chunk: u8| {
            let counts = self.chunks[usize::from(chunk)].iter().enumerate();
            counts.map(move |(bucket, &count)| {
                let (from, to) = bounds(doubling, bucket);
                Bucket {
                    from,
                    to,
                    count: u64::from(count),
                }
            })
        };
        (0..DOUBLINGS)
            .filter_map(move |doubling| Some((doubling, filled(doubling)?)))
            .flat_map(move |(doubling, chunk)| of_doubling(doubling, chunk))
            .filter(|bucket| bucket.count > 0)
    }

    /// The value of nearest rank for that many thousandths, within 0.8 %, of the first and the last rank exactly;
    /// none if there is no value.
    pub fn per_mille(&self, per_mille: u64) -> Option<u64> {
        let (min, max) = self.range()?;
        let rank = (self.n * per_mille).div_ceil(1000).max(1);
        // The extremes are known; a single value is both.
        if rank >= self.n {
            return Some(max);
        }
        if rank == 1 {
            return Some(min);
        }
        let mut below = 0;
        let bucket = self.buckets().find(|bucket| {
            below += bucket.count;
            below >= rank
        })?;
        let middle = bucket.from + (bucket.to - bucket.from) / 2;
        Some(middle.clamp(min, max))
    }

    /// Its summary; none if there is no value.
    pub fn distribution(&self) -> Option<Distribution> {
        let at = |per_mille| self.per_mille(per_mille);
        Some(Distribution {
            min: self.range()?.0,
            p10: at(100)?,
            p50: at(500)?,
            p90: at(900)?,
            p99: at(990)?,
            p999: at(999)?,
            max: self.max,
            mean: (self.sum / u128::from(self.n)) as u64,
            n: self.n,
        })
    }

    /// Adds the values of another.
    pub fn merge(&mut self, other: &Histogram) {
        for bucket in other.buckets() {
            let (doubling, at) = place(bucket.from);
            if self.chunk_of[doubling] == NONE {
                self.chunk_of[doubling] = self.chunks.len() as u8;
                self.chunks.push([0; SUB]);
            }
            let count = &mut self.chunks[usize::from(self.chunk_of[doubling])][at];
            *count = count.saturating_add(bucket.count as u32);
        }
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.n += other.n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn buckets_tile_the_numbers_and_hold_their_own() {
        let mut expected = 0;
        for doubling in 0..DOUBLINGS {
            for bucket in 0..SUB {
                let (from, to) = bounds(doubling, bucket);
                assert_eq!(from, expected);
                assert_eq!(place(from), (doubling, bucket));
                assert_eq!(place(to), (doubling, bucket));
                let middle = from + (to - from) / 2;
                assert!((to - middle) <= from / 128, "{from} … {to}");
                expected = to.wrapping_add(1);
            }
        }
        assert_eq!(expected, 0, "the last bucket ends at 2⁶⁴ − 1");
    }

    /// Against a histogram that others wrote, and against the sorted list itself.
    #[test]
    fn percentiles_are_within_a_hundredth_of_the_truth() {
        for spread in [10, 1_000, 1_000_000, u64::MAX / 2] {
            let stream = Stream::new(5, spread as u32);
            let values: Vec<u64> = (0..5_000).map(|i| stream.below(i, spread).max(1)).collect();
            let mut ours = Histogram::default();
            let mut theirs = hdrhistogram::Histogram::<u64>::new(3).expect("three digits");
            for &value in &values {
                ours.record(value);
                theirs.record(value).expect("in range");
            }
            let mut sorted = values;
            sorted.sort_unstable();
            for per_mille in [1_u64, 100, 500, 900, 990, 999, 1000] {
                let rank = (5_000 * per_mille).div_ceil(1000) as usize;
                let truth = sorted[rank - 1];
                let got = ours.per_mille(per_mille).expect("values");
                let other = theirs.value_at_quantile(per_mille as f64 / 1000.0);
                assert!(got.abs_diff(truth) <= truth / 100, "{got} for {truth}");
                assert!(got.abs_diff(other) <= other / 100 + 1, "{got} for {other}");
            }
            let d = ours.distribution().expect("values");
            assert_eq!((d.min, d.max, d.n), (sorted[0], sorted[4_999], 5_000));
        }
    }

    #[test]
    fn the_first_and_the_last_rank_are_exact() {
        let mut few = Histogram::default();
        for value in [2_194, 51_591] {
            few.record(value);
        }
        let d = few.distribution().expect("values");
        assert_eq!([d.p10, d.p50, d.p90, d.p99], [2_194, 2_194, 51_591, 51_591]);
        assert_eq!(few.per_mille(0), Some(2_194));
        few.record(40_001);
        let at = [333, 334, 666, 667, 1000].map(|m| few.per_mille(m).expect("values"));
        assert_eq!([at[0], at[3], at[4]], [2_194, 51_591, 51_591]);
        assert!(
            at[1] == at[2] && at[1].abs_diff(40_001) <= 40_001 / 128,
            "the middle is near"
        );
    }

    #[test]
    fn one_value_is_exact_and_none_is_none() {
        assert_eq!(Histogram::default().distribution(), None);
        let mut one = Histogram::default();
        one.record(34_097);
        let d = one.distribution().expect("a value");
        assert_eq!([d.min, d.p10, d.p50, d.p99, d.max, d.mean], [34_097; 6]);
    }

    #[test]
    fn merging_is_recording_both() {
        let (mut a, mut b, mut both) = (
            Histogram::default(),
            Histogram::default(),
            Histogram::default(),
        );
        for value in 0..2_000_u64 {
            let value = value * value;
            let half = if value % 3 == 0 { &mut a } else { &mut b };
            half.record(value);
            both.record(value);
        }
        a.merge(&b);
        assert!(a.buckets().eq(both.buckets()));
        assert_eq!(a.distribution(), both.distribution());
    }
}
