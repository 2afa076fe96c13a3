//! Published tables of one latency measured in several runs, a column for each, and what is to be read from them.
//!
//! Not here: the latencies that come out, which whoever has a simulator at hand judges by [`LatencyTable::judge`].

use core::cmp::Ordering;

/// One table: columns of figures, each from one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTable {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What is not as published, or not known; empty if nothing.
    pub note: &'static str,
    /// What all columns have in common, as a link.
    pub link: &'static str,
    /// The role of the tasks that measure.
    pub role: &'static str,
    /// The mark at which they do.
    pub mark: &'static str,
    /// Its columns, in the order of the publication.
    pub columns: &'static [Column],
    /// Its rows.
    pub rows: &'static [LatencyRow],
    /// What it is to show.
    pub claims: &'static [Claim],
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What the publication calls it.
    pub name: &'static str,
    /// What it says differently from the table's link.
    pub link: &'static str,
    /// What in it is changed against the column before, in a few words; empty for the first.
    pub change: &'static str,
}

/// One figure of each column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyRow {
    /// Which figure.
    pub stat: Stat,
    /// As printed: how many, or microseconds.
    pub published: &'static [f64],
}

/// What is said of the samples of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stat {
    /// How many there are.
    Samples,
    /// Their mean.
    Average,
    /// The value of nearest rank for that many thousandths of them.
    PerMille(u16),
    /// The largest.
    Max,
}

/// Something that a table is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The columns come in the order of the published figures.
    Order(Stat),
    /// No two columns differ by more than that many thousandths.
    Equal(Stat, u32),
    /// One column (the first number) has more than another.
    Above(Stat, usize, usize),
    /// One column (the first number) has at least so many thousandths of times as much as another.
    Times(Stat, usize, usize, u32),
}

/// What the samples of one run amount to: times in ns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Smallest first.
    sorted: alloc::vec::Vec<u64>,
    sum: u128,
}

impl Samples {
    /// These samples, in any order.
    pub fn new(mut samples: alloc::vec::Vec<u64>) -> Samples {
        samples.sort_unstable();
        Samples {
            sum: samples.iter().map(|ns| u128::from(*ns)).sum(),
            sorted: samples,
        }
    }

    /// A figure, in the unit of the published ones: how many, or microseconds. None if there are no samples.
    pub fn figure(&self, stat: Stat) -> Option<f64> {
        let n = self.sorted.len();
        let us = |ns: u64| ns as f64 / 1000.0;
        match stat {
            Stat::Samples => Some(n as f64),
            Stat::Average if n > 0 => Some(self.sum as f64 / n as f64 / 1000.0),
            Stat::Average => None,
            Stat::PerMille(per_mille) => {
                let rank = (n * usize::from(per_mille)).div_ceil(1000).max(1);
                self.sorted.get(rank - 1).copied().map(us)
            }
            Stat::Max => self.sorted.last().copied().map(us),
        }
    }

    /// How many are above `limit`, ns.
    pub fn above(&self, limit: u64) -> usize {
        self.sorted.len() - self.sorted.partition_point(|ns| *ns <= limit)
    }
}

impl Stat {
    /// What it is called in tables.
    pub fn name(self) -> alloc::string::String {
        match self {
            Stat::Samples => "samples".into(),
            Stat::Average => "average".into(),
            Stat::PerMille(per_mille) if per_mille % 10 == 0 => {
                alloc::format!("P{}", per_mille / 10)
            }
            Stat::PerMille(per_mille) => alloc::format!("P{}.{}", per_mille / 10, per_mille % 10),
            Stat::Max => "max".into(),
        }
    }
}

impl LatencyTable {
    /// The published figures of a row.
    pub fn published(&self, stat: Stat) -> Option<&'static [f64]> {
        let row = self.rows.iter().find(|row| row.stat == stat)?;
        Some(row.published)
    }

    /// Does a claim hold for these runs, one for each column? None if there is too little to say.
    pub fn judge(&self, claim: Claim, runs: &[Samples]) -> Option<bool> {
        let of = |stat| {
            let figures = runs.iter().map(move |run| run.figure(stat));
            figures.collect::<Option<alloc::vec::Vec<f64>>>()
        };
        match claim {
            Claim::Order(stat) => {
                let (told, found) = (self.published(stat)?, of(stat)?);
                Some(same_order(told, &found))
            }
            Claim::Equal(stat, milli) => {
                let found = of(stat)?;
                let least = found.iter().copied().reduce(f64::min)?;
                let most = found.iter().copied().reduce(f64::max)?;
                Some((most / least - 1.0) * 1000.0 <= f64::from(milli))
            }
            Claim::Above(stat, more, less) => {
                let found = of(stat)?;
                Some(found.get(more)? > found.get(less)?)
            }
            Claim::Times(stat, more, less, milli) => {
                let found = of(stat)?;
                Some(found.get(more)? * 1000.0 >= found.get(less)? * f64::from(milli))
            }
        }
    }
}

/// Is every pair that differs in `told` the same way round in `found`?
fn same_order(told: &[f64], found: &[f64]) -> bool {
    let pairs = (0..told.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    told.len() == found.len()
        && pairs
            .filter(|(a, b)| told[*a].total_cmp(&told[*b]) != Ordering::Equal)
            .all(|(a, b)| told[a].total_cmp(&told[b]) == found[a].total_cmp(&found[b]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::EXPERIMENTS;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Samples of which one in a hundred is `late` µs.
    fn run(usual: u64, late: u64) -> Samples {
        Samples::new(
            (1..=1000)
                .map(|n| if n % 100 < 2 { late } else { usual } * 1000)
                .collect(),
        )
    }

    #[test]
    fn figures_are_exact_by_nearest_rank() {
        let samples = Samples::new((1..=1000).rev().map(|n| n * 1000).collect());
        let of = |stat| samples.figure(stat).expect("samples");
        let stats = [500, 900, 990, 999].map(Stat::PerMille);
        let of = |stat| (of(stat) * 10.0) as u64;
        assert_eq!(stats.map(of), [5_000, 9_000, 9_900, 9_990]);
        assert_eq!(
            [of(Stat::Average), of(Stat::Max), of(Stat::Samples)],
            [5_005, 10_000, 10_000]
        );
        assert_eq!(samples.above(998_000), 2);
        assert_eq!(Samples::default().figure(Stat::Max), None);
        assert_eq!(Stat::PerMille(999).name(), "P99.9");
    }

    #[test]
    fn claims_hold_and_miss() {
        let table = EXPERIMENTS
            .iter()
            .flat_map(|e| e.latencies)
            .next()
            .expect("one");
        let runs = [run(56, 1000), run(56, 1200), run(57, 70)];
        let p99 = Stat::PerMille(990);
        let of = |claim| table.judge(claim, &runs).expect("samples");
        assert!(of(Claim::Order(p99)) && of(Claim::Equal(Stat::PerMille(500), 50)));
        assert!(!of(Claim::Equal(Stat::PerMille(500), 10)));
        assert!(of(Claim::Above(p99, 1, 0)) && !of(Claim::Above(p99, 0, 1)));
        assert!(of(Claim::Times(p99, 1, 2, 17_000)) && !of(Claim::Times(p99, 1, 2, 18_000)));
        let swapped = [run(56, 1200), run(56, 1000), run(57, 70)];
        assert_eq!(table.judge(Claim::Order(p99), &swapped), Some(false));
        assert_eq!(
            table.judge(Claim::Order(p99), &vec![Samples::default(); 3]),
            None
        );
    }

    /// What a table is to show holds for what it prints.
    #[test]
    fn every_published_table_shows_what_it_claims() {
        for table in EXPERIMENTS.iter().flat_map(|e| e.latencies) {
            for row in table.rows {
                assert_eq!(row.published.len(), table.columns.len(), "{}", table.name);
            }
            for claim in table.claims {
                let figure = |stat: Stat| table.published(stat).expect("a row");
                let holds = match *claim {
                    Claim::Order(stat) => same_order(figure(stat), figure(stat)),
                    Claim::Equal(stat, milli) => {
                        let all: Vec<f64> = figure(stat).into();
                        all.iter()
                            .all(|a| (a / all[0] - 1.0).abs() * 1000.0 <= f64::from(milli))
                    }
                    Claim::Above(stat, more, less) => figure(stat)[more] > figure(stat)[less],
                    Claim::Times(stat, more, less, milli) => {
                        figure(stat)[more] * 1000.0 >= figure(stat)[less] * f64::from(milli)
                    }
                };
                assert!(holds, "{} {claim:?}", table.name);
            }
        }
    }
}
