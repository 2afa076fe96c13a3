//! Measures over time, in a bounded number of bins: when they are used up, their width doubles.

use crate::machine::CpuId;
use crate::time::{Instant, Nanos};
use alloc::vec;
use alloc::vec::Vec;

/// Bins; between half of them and all are in use once the run is longer than that many microseconds.
pub(super) const BINS: usize = 512;

/// Width of the first bins.
const FIRST_WIDTH: u64 = 1_000;

/// Latencies of one bin: 16 buckets a doubling, up to 2⁴⁰ ns (18 minutes), so within 3 %.
const SUB_BITS: u32 = 4;
const BUCKETS: usize = (40 - SUB_BITS as usize + 1) << SUB_BITS;

fn bucket(value: u64) -> usize {
    let doubling = (u64::BITS - value.leading_zeros()).saturating_sub(SUB_BITS);
    let shift = doubling.saturating_sub(1);
    let within = (value >> shift) as usize & ((1 << SUB_BITS) - 1);
    (((doubling as usize) << SUB_BITS) + within).min(BUCKETS - 1)
}

/// The middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let (doubling, within) = (bucket >> SUB_BITS, bucket & ((1 << SUB_BITS) - 1));
    let shift = (doubling as u32).saturating_sub(1);
    let first = if doubling == 0 {
        within
    } else {
        within + (1 << SUB_BITS)
    };
    ((first as u64) << shift) + (1_u64 << shift) / 2
}

/// What a CPU has been doing since some instant.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    at: u64,
    busy: bool,
    waiting: u32,
}

/// Where bins lie in time.
#[derive(Clone, Copy, Debug)]
struct Grid {
    width: u64,
    /// The bin used last, and where it begins.
    last: (usize, u64),
}

impl Grid {
    /// Adds `times` × the part of a span that lies in each bin to that bin; the span ends in the bin used last.
    #[inline]
    fn spread(self, bins: &mut [u64], (from, to): (u64, u64), times: u64) {
        let (bin, begin) = self.last;
        let mut at = from;
        // Most lie in one bin, which is found without a division.
        while at < begin.min(to) {
            let bin = at / self.width;
            let until = to.min((bin + 1) * self.width);
            bins[bin as usize] += (until - at) * times;
            at = until;
        }
        if at < to {
            bins[bin] += (to - at) * times;
        }
    }
}

/// Bins of one run.
#[derive(Clone, Debug)]
pub(super) struct Series {
    width: u64,
    /// The end of the last bin.
    end: u64,
    /// The bin used last, and where it begins: most look for the same one again.
    last: (usize, u64),
    messages: Vec<u64>,
    /// CPU time wasted, ns.
    wasted: Vec<u64>,
    /// `latency[bin * BUCKETS ..]`.
    latency: Vec<u32>,
    /// Time busy of each CPU, ns: `busy[cpu * BINS + bin]`.
    busy: Vec<u64>,
    /// Tasks waiting × ns, in the same order.
    waiting: Vec<u64>,
    since: Vec<Since>,
}

impl Series {
    pub(super) fn new(cpus: usize) -> Series {
        Series {
            width: FIRST_WIDTH,
            end: FIRST_WIDTH * BINS as u64,
            last: (0, 0),
            messages: vec![0; BINS],
            wasted: vec![0; BINS],
            latency: vec![0; BINS * BUCKETS],
            busy: vec![0; BINS * cpus],
            waiting: vec![0; BINS * cpus],
            since: vec![Since::default(); cpus],
        }
    }

    /// The bin of `now`.
    #[inline]
    fn bin(&mut self, now: Instant) -> usize {
        let (bin, begin) = self.last;
        if now.0.wrapping_sub(begin) < self.width {
            return bin;
        }
        self.find_bin(now)
    }

    #[cold]
    fn find_bin(&mut self, now: Instant) -> usize {
        while now.0 >= self.end {
            self.double();
        }
        let bin = (now.0 / self.width) as usize;
        self.last = (bin, bin as u64 * self.width);
        bin
    }

    /// Each bin takes its neighbour in.
    #[cold]
    fn double(&mut self) {
        self.width *= 2;
        self.end *= 2;
        halve(&mut self.messages, 1);
        halve(&mut self.wasted, 1);
        halve(&mut self.latency, BUCKETS);
        for cpu in 0..self.since.len() {
            let bins = cpu * BINS..(cpu + 1) * BINS;
            halve(&mut self.busy[bins.clone()], 1);
            halve(&mut self.waiting[bins], 1);
        }
    }

    #[inline]
    pub(super) fn message(&mut self, now: Instant) {
        let bin = self.bin(now);
        self.messages[bin] += 1;
    }

    #[inline]
    pub(super) fn latency(&mut self, now: Instant, waited: u64) {
        let at = self.bin(now) * BUCKETS + bucket(waited);
        self.latency[at] += 1;
    }

    pub(super) fn wasted(&mut self, from: Instant, to: Instant, cpus: u64) {
        self.bin(to);
        self.grid().spread(&mut self.wasted, (from.0, to.0), cpus);
    }

    /// From `now` on, `cpu` is busy or not and has that many tasks waiting.
    #[inline]
    pub(super) fn occupied(&mut self, now: Instant, cpu: CpuId, busy: bool, waiting: u32) {
        self.bin(now);
        self.close(cpu.index(), now.0);
        self.since[cpu.index()] = Since {
            at: now.0,
            busy,
            waiting,
        };
    }

    /// Puts what `cpu` did up to `now` into its bins.
    fn close(&mut self, cpu: usize, now: u64) {
        let Since { at, busy, waiting } = self.since[cpu];
        let bins = cpu * BINS..(cpu + 1) * BINS;
        let grid = self.grid();
        if busy {
            grid.spread(&mut self.busy[bins.clone()], (at, now), 1);
        }
        if waiting > 0 {
            grid.spread(&mut self.waiting[bins], (at, now), u64::from(waiting));
        }
    }

    /// Where the bins lie.
    #[inline]
    fn grid(&self) -> Grid {
        Grid {
            width: self.width,
            last: self.last,
        }
    }

    /// The latencies up to `now`, in at most `most` bins.
    pub(super) fn latencies(&self, now: Instant, most: usize) -> super::LatencySeries {
        let used = now.0.div_ceil(self.width).min(BINS as u64) as usize;
        let per = used.div_ceil(most.max(1)).next_power_of_two();
        let merged = self.latency[..used * BUCKETS].chunks(per * BUCKETS);
        let both = merged.map(|bins| {
            let mut sum = vec![0; BUCKETS];
            for bin in bins.chunks(BUCKETS) {
                for (sum, count) in sum.iter_mut().zip(bin) {
                    *sum += count;
                }
            }
            (at_rank(&sum, 500), at_rank(&sum, 990))
        });
        let (p50, p99) = both.unzip();
        super::LatencySeries {
            bin: Nanos(self.width * per as u64),
            p50,
            p99,
        }
    }

    /// A copy without latencies, which are by far the most of it.
    pub(super) fn without_latencies(&self) -> Series {
        Series {
            width: self.width,
            end: self.end,
            last: self.last,
            messages: self.messages.clone(),
            wasted: self.wasted.clone(),
            latency: Vec::new(),
            busy: self.busy.clone(),
            waiting: self.waiting.clone(),
            since: self.since.clone(),
        }
    }

    /// Everything but latencies up to `now`.
    pub(super) fn report(mut self, now: Instant) -> super::SeriesReport {
        let last = self.bin(now);
        for cpu in 0..self.since.len() {
            self.close(cpu, now.0);
        }
        let bins = last + usize::from(!now.0.is_multiple_of(self.width));
        let rows = |all: &[u64]| {
            all.chunks(BINS)
                .flat_map(|row| row[..bins].to_vec())
                .collect()
        };
        super::SeriesReport {
            bin: Nanos(self.width),
            bins,
            messages: self.messages[..bins].to_vec(),
            wasted: self.wasted[..bins].to_vec(),
            busy: rows(&self.busy),
            waiting: rows(&self.waiting),
        }
    }
}

/// Adds neighbours of `stride` numbers up and empties the second half.
fn halve<T: Copy + Default + core::ops::Add<Output = T>>(bins: &mut [T], stride: usize) {
    let half = bins.len() / 2;
    for to in (0..half).step_by(stride) {
        for from in 2 * to..2 * to + stride {
            bins[from - to] = bins[from] + bins[from + stride];
        }
    }
    bins[half..].fill(T::default());
}

/// The latency of nearest rank in one bin; none if nothing woke in it.
fn at_rank(counts: &[u32], per_mille: u64) -> Option<u64> {
    let n: u64 = counts.iter().map(|c| u64::from(*c)).sum();
    let rank = (n * per_mille).div_ceil(1000);
    let mut below = 0;
    let bucket = counts.iter().position(|count| {
        below += u64::from(*count);
        below >= rank && n > 0
    })?;
    Some(middle(bucket))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_lose_nothing() {
        let mut series = Series::new(2);
        for at in 0..3_000_u64 {
            let now = Instant(at * 1_000);
            series.message(now);
            series.latency(now, 5_000);
            series.occupied(now, CpuId(1), at % 2 == 0, 3);
        }
        let latencies = series.latencies(Instant(3_000_000), BINS);
        let report = series.without_latencies().report(Instant(3_000_000));
        assert_eq!((report.bin, report.bins), (Nanos(8_000), 375));
        assert_eq!(report.messages.iter().sum::<u64>(), 3_000);
        assert_eq!(report.busy[375..].iter().sum::<u64>(), 1_500_000);
        assert_eq!(report.busy[..375].iter().sum::<u64>(), 0);
        assert_eq!(report.waiting[375..], [24_000; 375]);
        assert_eq!(latencies.bin, report.bin);
        let p99 = latencies.p99[100].expect("woken");
        assert!(p99.abs_diff(5_000) < 160, "{p99}");
    }

    #[test]
    fn percentiles_of_fewer_bins_are_those_of_all_that_is_in_them() {
        let mut series = Series::new(1);
        // Of each eight microseconds seven have one short wait, and one has a hundred long ones.
        for at in 0..512_u64 {
            let (times, waited) = if at % 8 == 7 {
                (100, 90_000)
            } else {
                (1, 2_000)
            };
            for _ in 0..times {
                series.latency(Instant(at * 1_000), waited);
            }
        }
        let few = series.latencies(Instant(512_000), 64);
        assert_eq!(
            (few.bin, few.p50.len(), few.p99.len()),
            (Nanos(8_000), 64, 64)
        );
        let long = few.p50[3].expect("woken");
        assert!(long.abs_diff(90_000) < 90_000 / 16, "{long}");
        let all = series.latencies(Instant(512_000), BINS);
        assert_eq!((all.bin, all.p50.len()), (Nanos(1_000), 512));
        let short = all.p99[24].expect("woken");
        assert!(short.abs_diff(2_000) < 2_000 / 16, "{short}");
        assert_eq!(series.latencies(Instant(0), 64).p50, []);
        assert_eq!(series.latencies(Instant(u64::MAX), 0).p50.len(), 1);
    }

    #[test]
    fn buckets_hold_their_own_middle() {
        for value in (0..40)
            .map(|bit| 1_u64 << bit)
            .chain([3, 100, 12_345, 999_999_999])
        {
            let middle = middle(bucket(value));
            assert_eq!(bucket(middle), bucket(value));
            assert!(middle.abs_diff(value) <= value / 16, "{value} {middle}");
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }
}
