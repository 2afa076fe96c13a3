//! From wakeup to running: of each task, and as a distribution.

use crate::protocol::{Histogram, Tiles};
use schedlab_engine::task::TaskId;

/// Counts of values on a scale of equal ratios: `2^BITS` steps to each doubling, so a value is known to 1/2^BITS.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts<const BITS: u32> {
    counts: Vec<u32>,
    total: u64,
}

impl<const BITS: u32> Counts<BITS> {
    pub(super) fn add(&mut self, value: u64) {
        let index = Self::index(value);
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        self.total += 1;
    }

    /// All values of `other` too.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
    }

    /// The value that `share` of all values do not exceed (nearest rank), to the middle of its step; NaN of none.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut below = 0;
        for (index, count) in self.counts.iter().enumerate() {
            below += u64::from(*count);
            if below >= rank {
                let (low, high) = (Self::low(index), Self::low(index + 1));
                return (low + high - 1) as f64 / 2.0;
            }
        }
        f64::NAN
    }

    fn index(value: u64) -> usize {
        let steps = 1 << BITS;
        if value < steps {
            return value as usize;
        }
        let shift = 63 - BITS - value.leading_zeros();
        ((u64::from(shift) << BITS) + (value >> shift)) as usize
    }

    /// The smallest value at `index`.
    fn low(index: usize) -> u64 {
        let (index, steps) = (index as u64, 1 << BITS);
        if index < 2 * steps {
            return index;
        }
        let shift = (index >> BITS) - 1;
        ((index & (steps - 1)) + steps) << shift
    }
}

/// From wakeup to running.
#[derive(Default)]
pub(super) struct Latencies {
    /// Of each task: when it became runnable, if it has not run since.
    since: Vec<Option<u64>>,
    all: Counts<6>,
    max: Option<u64>,
}

/// Steps of the shown distribution to each tenfold.
const SHOWN_STEPS: usize = 8;

impl Latencies {
    /// `task` becomes runnable.
    pub(super) fn wakes(&mut self, now: u64, task: TaskId) {
        if task.index() >= self.since.len() {
            self.since.resize(task.index() + 1, None);
        }
        self.since[task.index()] = Some(now);
    }

    /// `task` runs; tells how long it waited if it was woken since it last ran.
    pub(super) fn runs(&mut self, now: u64, task: TaskId) -> Option<u64> {
        let since = self.since.get_mut(task.index())?.take()?;
        let latency = now - since;
        self.all.add(latency);
        self.max = self.max.max(Some(latency));
        Some(latency)
    }

    /// Median, 99th percentile and maximum.
    pub(super) fn fill(&self, tiles: &mut Tiles) {
        tiles.latency_p50_ns = self.all.quantile(0.5);
        tiles.latency_p99_ns = self.all.quantile(0.99);
        tiles.latency_max_ns = self.max.map_or(f64::NAN, |max| max as f64);
    }

    /// The distribution, in bins of equal ratio from the smallest to the largest value.
    pub(super) fn histogram(&self) -> Histogram {
        let first = self.all.counts.iter().position(|c| *c > 0);
        let (Some(first), Some(max)) = (first, self.max) else {
            return Histogram::default();
        };
        let place = |ns: f64| (ns.max(1.0).log10() * SHOWN_STEPS as f64).floor() as usize;
        let low = place(Counts::<6>::low(first) as f64);
        let bins = place(max as f64) + 1 - low;
        let edge = |bin: usize| 10f64.powf((low + bin) as f64 / SHOWN_STEPS as f64);
        let mut counts = vec![0.0; bins];
        for (index, count) in self.all.counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            let bin = place(Counts::<6>::low(index) as f64)
                .saturating_sub(low)
                .min(bins - 1);
            counts[bin] += f64::from(*count);
        }
        Histogram {
            edges_ns: (0..=bins).map(edge).collect(),
            counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_in_its_step() {
        for value in [
            0,
            1,
            63,
            64,
            65,
            127,
            128,
            1_000,
            123_456_789,
            u64::from(u32::MAX),
            1 << 50,
        ] {
            let index = Counts::<6>::index(value);
            let (low, next) = (Counts::<6>::low(index), Counts::<6>::low(index + 1));
            assert!((low..next).contains(&value), "{value}: {low} … {next}");
            assert!((next - low) * 64 <= low.max(64), "{value}: {low} … {next}");
        }
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let mut counts = Counts::<6>::default();
        (1..=100).for_each(|v| counts.add(v * 1000));
        for (share, exact) in [
            (0.5, 50_000.0),
            (0.99, 99_000.0),
            (1.0, 100_000.0),
            (0.0, 1_000.0),
        ] {
            let found: f64 = counts.quantile(share);
            assert!((found / exact - 1.0).abs() < 0.016, "{share}: {found}");
        }
        assert!(Counts::<6>::default().quantile(0.5).is_nan());
    }

    #[test]
    fn merged_counts_are_the_counts_of_all() {
        let (mut a, mut b, mut both) = (
            Counts::<4>::default(),
            Counts::<4>::default(),
            Counts::<4>::default(),
        );
        for v in 0..500 {
            let value = v * v;
            let half = if v % 2 == 0 { &mut a } else { &mut b };
            half.add(value);
            both.add(value);
        }
        a.merge(&b);
        assert_eq!((a.total, a.counts), (both.total, both.counts));
    }

    #[test]
    fn the_shown_distribution_keeps_every_value() {
        let mut latencies = Latencies::default();
        for (n, ns) in [5, 900, 12_345, 12_399, 7_000_000].into_iter().enumerate() {
            latencies.wakes(0, TaskId(n as u32));
            assert_eq!(latencies.runs(ns, TaskId(n as u32)), Some(ns));
            assert_eq!(latencies.runs(ns + 1, TaskId(n as u32)), None, "only once");
        }
        let shown = latencies.histogram();
        assert_eq!(shown.counts.len() + 1, shown.edges_ns.len());
        assert!((shown.total() - 5.0).abs() < f64::EPSILON);
        assert!(shown.edges_ns[0] <= 5.0 && *shown.edges_ns.last().expect("edges") >= 7_000_000.0);
    }
}
