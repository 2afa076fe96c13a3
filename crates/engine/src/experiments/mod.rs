//! Published experiments: what was run, as links, and what was measured, as it was printed.
//!
//! Not here: running any of it, or saying how far apart both sides are; that is for whoever has a simulator at hand.
//! Nothing that simulates reads a figure from here.

mod change;
mod cyclictest_2026;
mod hackbench_2009;
mod latency;
mod tcp_rr_2011;

pub use change::{ChangeRow, ChangeTable, Judged, Said};
pub use latency::{Claim, Column, LatencyRow, LatencyTable, Samples, Stat};

/// An experiment that somebody published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Who published it, where and when.
    pub source: &'static str,
    /// Its tables of one figure a run.
    pub tables: &'static [Table],
    /// Its tables of latencies.
    pub latencies: &'static [LatencyTable],
    /// Its tables of changes against a base.
    pub changes: &'static [ChangeTable],
}

/// One table of it: rows that are compared with one of them, the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What is not as published, or not known; empty if nothing.
    pub note: &'static str,
    /// What was measured.
    pub measure: Measure,
    /// What all rows have in common, as a link.
    pub link: &'static str,
    /// The row that the others are compared with, counted from 0.
    pub base: usize,
    /// Up to how many thousandths a row's figure against the base may be off the published one for the two to agree.
    pub tolerance_milli: u32,
    /// Its rows, in the order of the publication.
    pub rows: &'static [Row],
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Messages that are counted, for each second and each pair of tasks.
    RoundTrips {
        /// How many pairs run.
        pairs: u32,
    },
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// What the publication calls it.
    pub name: &'static str,
    /// What it says differently from the table's link.
    pub link: &'static str,
    /// The figures, as printed: one for each run, or for each pair of one run.
    pub values: &'static [f64],
    /// The printed figure against the base, if there is one.
    pub ratio: Option<f64>,
}

/// Every experiment, oldest first.
pub const EXPERIMENTS: &[Experiment] = &[
    hackbench_2009::EXPERIMENT,
    tcp_rr_2011::EXPERIMENT,
    cyclictest_2026::EXPERIMENT,
];

impl Measure {
    /// The unit of a figure.
    pub const fn unit(self) -> &'static str {
        match self {
            Measure::RoundTrips { pairs: 1 } => "round trips a second",
            Measure::RoundTrips { .. } => "round trips a second of each pair",
        }
    }
}

impl Experiment {
    /// The experiment of that name.
    pub fn by_name(name: &str) -> Option<&'static Experiment> {
        EXPERIMENTS.iter().find(|e| e.name == name)
    }
}

impl Table {
    /// The row that the others are compared with.
    pub fn base(&self) -> &Row {
        &self.rows[self.base]
    }
}

impl Row {
    /// The mean of its figures.
    pub fn published(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Its figure against that of `base`: as printed, or as the figures say.
    pub fn against(&self, base: &Row) -> f64 {
        let computed = self.published() / base.published();
        self.ratio.unwrap_or(computed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Scenario;
    use crate::fragment;
    use alloc::format;

    #[test]
    fn every_row_is_an_experiment_that_can_be_run_and_named_once() {
        for experiment in EXPERIMENTS {
            assert_eq!(Experiment::by_name(experiment.name), Some(experiment));
            for table in experiment.tables {
                let place = format!("{} {}", experiment.name, table.name);
                let names = experiment.tables.iter().filter(|t| t.name == table.name);
                assert_eq!(names.count(), 1, "{place}");
                assert!(table.base < table.rows.len(), "{place}");
                for row in table.rows {
                    assert_eq!(table.rows.iter().filter(|r| r.name == row.name).count(), 1);
                    let link = fragment::overlay(table.link, row.link);
                    let (config, warnings) = fragment::parse(&link);
                    assert_eq!(warnings, [], "{place} {}", row.name);
                    assert!(Scenario::try_from(&config).is_ok(), "{place} {}", row.name);
                    assert!(!row.values.is_empty(), "{place} {}", row.name);
                }
            }
        }
    }

    #[test]
    fn every_column_is_an_experiment_that_can_be_run() {
        for table in EXPERIMENTS.iter().flat_map(|e| e.latencies) {
            for column in table.columns {
                let link = fragment::overlay(table.link, column.link);
                let (config, warnings) = fragment::parse(&link);
                assert_eq!(warnings, [], "{} {}", table.name, column.name);
                let scenario = Scenario::try_from(&config).expect("it can be run");
                assert!(scenario.world.marks.iter().any(|mark| mark == table.mark));
                let roles = scenario.world.templates.iter().map(|t| &*t.role);
                assert_eq!(roles.filter(|role| *role == table.role).count(), 1);
            }
        }
    }

    #[test]
    fn every_change_is_an_experiment_that_can_be_run_and_named_once() {
        for table in EXPERIMENTS.iter().flat_map(|e| e.changes) {
            assert_eq!(table.base().said, None, "{}", table.name);
            for row in table.rows {
                assert_eq!(table.rows.iter().filter(|r| r.name == row.name).count(), 1);
                let link = fragment::overlay(table.link, row.link);
                let (config, warnings) = fragment::parse(&link);
                assert_eq!(warnings, [], "{} {}", table.name, row.name);
                assert!(
                    Scenario::try_from(&config).is_ok(),
                    "{} {}",
                    table.name,
                    row.name
                );
            }
        }
    }

    /// The publication's own averages and ratios follow from its figures, to the digits printed, but for one row: the
    /// average printed for suresh beside two hogs (84931.93, ratio .967) is not that of its three figures.
    #[test]
    fn printed_ratios_follow_from_printed_figures() {
        let mut off = alloc::vec::Vec::new();
        for experiment in EXPERIMENTS {
            for table in experiment.tables {
                for row in table.rows {
                    let computed = row.published() / table.base().published();
                    if row
                        .ratio
                        .is_some_and(|printed| (printed - computed).abs() > 0.0011)
                    {
                        off.push((table.name, row.name));
                    }
                }
            }
        }
        assert_eq!(off, [("free-hogs", "suresh")]);
    }
}
