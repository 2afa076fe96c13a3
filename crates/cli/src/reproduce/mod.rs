//! `schedlab reproduce`: published experiments, run again, beside what was published.
//!
//! Every row is run as its link says; what comes out stands beside the printed figure, and so does how it compares with
//! the table's base row. A row that comes out differently is shown so. Not here: the experiments themselves (the
//! engine's `experiments`).

mod latency;
mod print;
mod print_latency;
#[cfg(test)]
mod tests;

use crate::args::Output;
use crate::failure::{Failure, named};
use crate::input::Source;
use crate::interrupt;
use schedlab_engine::experiments::{EXPERIMENTS, Experiment, LatencyTable, Measure, Row, Table};
use schedlab_engine::fragment::{self, nearest};
use std::io::Write;

/// What was asked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reproduce {
    /// Which experiment; none: which there are.
    pub experiment: Option<String>,
    /// Which of its tables; none: all.
    pub table: Option<String>,
    /// How to print it.
    pub form: Form,
    /// Show progress: always, never, or (none) if stderr is a terminal.
    pub progress: Option<bool>,
}

/// How to print it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For a page of `docs/`.
    Markdown,
}

/// What came of one row.
struct Done<'e> {
    row: &'e Row,
    /// What was run.
    link: String,
    /// Its figure.
    figure: f64,
    /// The hash of the run.
    hash: u64,
}

/// A table and what came of its rows.
struct Filled<'e> {
    table: &'e Table,
    rows: Vec<Done<'e>>,
}

/// How a row compares with the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is what the others are compared with.
    Base,
    /// The same, to within the table's tolerance.
    Agrees,
    /// On the same side of the base, but nearer or further.
    DirectionOnly,
    /// On the other side of the base.
    Miss,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Verdict::Base => "base",
            Verdict::Agrees => "agrees",
            Verdict::DirectionOnly => "direction only",
            Verdict::Miss => "MISS",
        }
    }

    /// Judges a figure against the base by the published one.
    fn of(simulated: f64, published: f64, tolerance_milli: u32) -> Verdict {
        let off = (simulated / published - 1.0).abs();
        if off * 1000.0 <= f64::from(tolerance_milli) {
            Verdict::Agrees
        } else if (simulated - 1.0) * (published - 1.0) > 0.0 {
            Verdict::DirectionOnly
        } else {
            Verdict::Miss
        }
    }
}

impl Filled<'_> {
    /// A row's figure against that of the base.
    fn against(&self, done: &Done<'_>) -> f64 {
        let base = self.rows.get(self.table.base);
        done.figure / base.map_or(f64::NAN, |base| base.figure)
    }

    fn verdict(&self, done: &Done<'_>) -> Verdict {
        let base = self.table.base();
        if core::ptr::eq(done.row, base) {
            return Verdict::Base;
        }
        let published = done.row.against(base);
        Verdict::of(self.against(done), published, self.table.tolerance_milli)
    }
}

/// Runs what was asked for and prints it.
pub(crate) fn reproduce(asked: &Reproduce, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(name) = &asked.experiment else {
        return Ok(print::overview(asked.form, out)?);
    };
    let experiment = known(name)?;
    let (tables, latencies) = tables(experiment, asked.table.as_deref())?;
    if asked.form != Form::Json {
        print::heading(experiment, asked.form, out)?;
    }
    let mut all = Vec::new();
    for table in tables {
        let rows = rows(table, asked.progress)?;
        if interrupt::asked() {
            break;
        }
        let filled = Filled { table, rows };
        if asked.form != Form::Json {
            print::table(&filled, asked.form, out)?;
        }
        all.push(filled);
    }
    let mut measured = Vec::new();
    for table in latencies {
        let columns = latency::columns(table, asked.progress)?;
        if interrupt::asked() {
            break;
        }
        let filled = print_latency::Filled { table, columns };
        if asked.form != Form::Json {
            print_latency::table(&filled, asked.form, out)?;
        }
        measured.push(filled);
    }
    match asked.form {
        Form::Json => print::json(experiment, (&all, &measured), out),
        Form::Text | Form::Markdown => Ok(print::score((&all, &measured), asked.form, out)?),
    }
}

fn known(name: &str) -> Result<&'static Experiment, Failure> {
    let names: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
    Experiment::by_name(name).ok_or_else(|| unknown("experiment", name, &names))
}

/// Tables of either kind.
type Tables = (Vec<&'static Table>, Vec<&'static LatencyTable>);

fn tables(experiment: &'static Experiment, name: Option<&str>) -> Result<Tables, Failure> {
    let wanted = |other: &str| name.is_none_or(|name| name == other);
    let (rates, latencies) = (experiment.tables.iter(), experiment.latencies.iter());
    let found: Tables = (
        rates.clone().filter(|t| wanted(t.name)).collect(),
        latencies.clone().filter(|t| wanted(t.name)).collect(),
    );
    if let (true, true, Some(name)) = (found.0.is_empty(), found.1.is_empty(), name) {
        let what = format!("table of {}", experiment.name);
        let names = rates.map(|t| t.name).chain(latencies.map(|t| t.name));
        return Err(unknown(&what, name, &names.collect::<Vec<_>>()));
    }
    Ok(found)
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    let hint = nearest(name, known.iter().copied()).map_or_else(
        || format!("use {}", known.join(", ")),
        |near| format!("did you mean {near}?"),
    );
    Failure::input(format!("reproduce: no {what} {}; {hint}", named(name)))
}

/// Runs every row of a table; what Ctrl-C leaves is not worth showing.
fn rows(table: &Table, progress: Option<bool>) -> Result<Vec<Done<'_>>, Failure> {
    let mut rows = Vec::new();
    for row in table.rows {
        if interrupt::asked() {
            break;
        }
        let given = Source::Text(fragment::overlay(table.link, row.link)).read()?;
        let output = Output {
            progress,
            ..Output::default()
        };
        let outcome = given.run(&output, &mut (), |()| false)?;
        outcome.failure()?;
        let figure = match table.measure {
            Measure::RoundTrips { pairs } => outcome.messages_per_second() / f64::from(pairs),
        };
        rows.push(Done {
            row,
            link: fragment::print(&outcome.config),
            figure,
            hash: outcome.hash,
        });
    }
    Ok(rows)
}
