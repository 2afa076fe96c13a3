//! Measures over time, in bins of equal width that double when there would be too many.

use super::latency::Counts;
use crate::protocol;
use schedlab_engine::machine::CpuId;

/// The width of the first bins, ns.
const FIRST_NS: u64 = 1 << 16;

/// At most so many bins.
const BINS: usize = 240;

/// Measures over time.
pub(super) struct Series {
    bin_ns: u64,
    messages: Vec<f64>,
    latencies: Vec<Counts<4>>,
    cpus: Vec<CpuSeries>,
    now: u64,
}

/// What adds up over the time of one CPU.
#[derive(Clone, Default)]
struct CpuSeries {
    busy: Integral,
    waiting: Integral,
}

/// A number that holds until it changes, added up over time in bins.
#[derive(Clone, Default)]
struct Integral {
    value: u32,
    since: u64,
    sums: Vec<f64>,
}

impl Integral {
    fn settle(&mut self, now: u64, bin_ns: u64) {
        let mut at = self.since;
        self.since = now;
        while at < now {
            let bin = (at / bin_ns) as usize;
            let end = now.min((bin as u64 + 1) * bin_ns);
            if bin >= self.sums.len() {
                self.sums.resize(bin + 1, 0.0);
            }
            self.sums[bin] += f64::from(self.value) * (end - at) as f64;
            at = end;
        }
    }

    fn set(&mut self, now: u64, bin_ns: u64, value: u32) {
        self.settle(now, bin_ns);
        self.value = value;
    }
}

impl Series {
    /// Everything idle at 0.
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            bin_ns: FIRST_NS,
            messages: Vec::new(),
            latencies: Vec::new(),
            cpus: vec![CpuSeries::default(); cpus],
            now: 0,
        }
    }

    /// A message was received.
    pub(super) fn message(&mut self, now: u64) {
        let bin = self.bin(now);
        self.messages[bin] += 1.0;
    }

    /// A task ran that long after it was woken.
    pub(super) fn latency(&mut self, now: u64, latency: u64) {
        let bin = self.bin(now);
        self.latencies[bin].add(latency);
    }

    /// `cpu` runs a task, or none.
    pub(super) fn busy(&mut self, now: u64, cpu: CpuId, on: bool) {
        self.bin(now);
        self.cpus[cpu.index()]
            .busy
            .set(now, self.bin_ns, u32::from(on));
    }

    /// So many tasks wait on `cpu`.
    pub(super) fn waiting(&mut self, now: u64, cpu: CpuId, count: u32) {
        self.bin(now);
        self.cpus[cpu.index()].waiting.set(now, self.bin_ns, count);
    }

    /// Brings everything up to `now`.
    pub(super) fn settle(&mut self, now: u64) {
        self.now = now;
        self.bin(now);
        for cpu in &mut self.cpus {
            cpu.busy.settle(now, self.bin_ns);
            cpu.waiting.settle(now, self.bin_ns);
        }
    }

    /// The bin of `now`, made if it is not there.
    fn bin(&mut self, now: u64) -> usize {
        while now / self.bin_ns >= BINS as u64 {
            self.double();
        }
        let bin = (now / self.bin_ns) as usize;
        if bin >= self.messages.len() {
            self.messages.resize(bin + 1, 0.0);
            self.latencies.resize(bin + 1, Counts::default());
        }
        bin
    }

    fn double(&mut self) {
        self.bin_ns *= 2;
        self.messages = pairs(&self.messages);
        let merged = self.latencies.chunks(2).map(|pair| {
            let mut counts = pair[0].clone();
            pair.get(1).inspect(|other| counts.merge(other));
            counts
        });
        self.latencies = merged.collect();
        for cpu in &mut self.cpus {
            cpu.busy.sums = pairs(&cpu.busy.sums);
            cpu.waiting.sums = pairs(&cpu.waiting.sums);
        }
    }

    /// As it is shown: shares and means of each bin; of the last one, over the part that has passed.
    pub(super) fn shown(&self) -> protocol::Series {
        // A bin that has not begun to pass is not there yet.
        let bins = self.now.div_ceil(self.bin_ns) as usize;
        let width = |bin: usize| (self.now - bin as u64 * self.bin_ns).min(self.bin_ns) as f64;
        let quantiles = |share| {
            (0..bins).map(move |bin| {
                self.latencies
                    .get(bin)
                    .map_or(f64::NAN, |c| c.quantile(share)) as f32
            })
        };
        let means = |sums: &[f64]| -> Vec<f32> {
            (0..bins)
                .map(|bin| (sums.get(bin).copied().unwrap_or(0.0) / width(bin)) as f32)
                .collect()
        };
        protocol::Series {
            bin_ns: self.bin_ns,
            messages: (0..bins)
                .map(|bin| self.messages.get(bin).copied().unwrap_or(0.0) as f32)
                .collect(),
            latency_p50_ns: quantiles(0.5).collect(),
            latency_p99_ns: quantiles(0.99).collect(),
            busy: self.cpus.iter().flat_map(|c| means(&c.busy.sums)).collect(),
            waiting: self
                .cpus
                .iter()
                .flat_map(|c| means(&c.waiting.sums))
                .collect(),
        }
    }
}

fn pairs(sums: &[f64]) -> Vec<f64> {
    sums.chunks(2).map(|pair| pair.iter().sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_lose_nothing() {
        let mut series = Series::new(2);
        let end = FIRST_NS * BINS as u64 * 5;
        series.busy(1_000, CpuId(1), true);
        for at in (0..end).step_by(77_777) {
            series.message(at);
            series.latency(at, 1 + at % 999);
        }
        series.busy(end - 1_000, CpuId(1), false);
        series.settle(end);
        let shown = series.shown();
        assert!(shown.bins() <= BINS);
        let messages: f32 = shown.messages.iter().sum();
        assert_eq!(messages as u64, end.div_ceil(77_777));
        let busy: f64 =
            shown.busy_of(1).iter().map(|b| f64::from(*b)).sum::<f64>() * series.bin_ns as f64;
        let exact = (end - 2_000) as f64;
        assert!((busy / exact - 1.0).abs() < 1e-4, "{busy} {exact}");
        assert!(shown.busy_of(0).iter().all(|b| *b == 0.0));
        assert!(
            shown
                .latency_p50_ns
                .iter()
                .all(|l| (1.0..1000.0).contains(l))
        );
    }

    #[test]
    fn the_last_bin_is_measured_by_what_has_passed_of_it() {
        let mut series = Series::new(1);
        series.busy(0, CpuId(0), true);
        series.waiting(0, CpuId(0), 3);
        series.settle(FIRST_NS / 4);
        let shown = series.shown();
        assert_eq!(
            (
                shown.bins(),
                shown.busy.as_slice(),
                shown.waiting.as_slice()
            ),
            (1, &[1.0][..], &[3.0][..])
        );
        assert_eq!(Series::new(1).shown().bins(), 0, "nothing has passed");
    }
}
