//! `schedlab reproduce`: published experiments, run again, beside what was published.
//!
//! Every row is run as its link says; what comes out stands beside the printed figure, and so does how it compares with
//! the table's base row. A row that comes out differently is shown so. Not here: the experiments themselves (the
//! engine's `experiments`).

mod change;
mod latency;
mod print;
mod print_change;
mod print_latency;
#[cfg(test)]
mod tests;

use crate::args::Output;
use crate::failure::{Failure, named};
use crate::input::{Given, Source};
use crate::interrupt;
use crate::progress::Finished;
use schedlab_engine::experiments::{
    ChangeTable, EXPERIMENTS, Experiment, LatencyTable, Measure, Row, Table,
};
use schedlab_engine::fragment::{self, nearest};
use schedlab_engine::time::Nanos;
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
    /// Show progress: always, never, or (none) if stderr is a terminal or it takes long.
    pub progress: Option<bool>,
    /// Other loops of hackbench than the published ones.
    pub loops: Option<i64>,
    /// Another length of the runs that end by time.
    pub dur: Option<Nanos>,
}

impl Reproduce {
    /// The experiment of a row, shortened as asked.
    fn given(&self, common: &str, row: &str) -> Result<Given, Failure> {
        let mut given = Source::Text(fragment::overlay(common, row)).read()?;
        if let Some(loops) = self.loops {
            let specs = std::mem::take(&mut given.config.workloads);
            let shorter = specs.into_iter().map(|spec| spec.with("loops", loops));
            given.config.workloads = shorter.collect();
        }
        given.config.duration = self.dur.or(given.config.duration);
        Ok(given)
    }

    /// What is not as published, because it was asked for.
    fn shortened(&self) -> Option<String> {
        let loops = self.loops.map(|n| format!("{n} loops"));
        let dur = self.dur.map(|dur| format!("{dur} of simulated time"));
        let words: Vec<_> = loops.into_iter().chain(dur).collect();
        let words = words.join(", ");
        (!words.is_empty()).then(|| {
            format!(
                "Not the published size: {words}. The verdicts are meant for the published one."
            )
        })
    }
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

/// What came of everything.
#[derive(Default)]
struct Results {
    rates: Vec<Filled<'static>>,
    latencies: Vec<print_latency::Filled<'static>>,
    changes: Vec<change::Filled>,
}

/// Runs what was asked for and prints it.
pub(crate) fn reproduce(asked: &Reproduce, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(name) = &asked.experiment else {
        return Ok(print::overview(asked.form, out)?);
    };
    let experiment = known(name)?;
    let tables = tables(experiment, asked.table.as_deref())?;
    tables.can_be_shortened(experiment, asked)?;
    let text = asked.form != Form::Json;
    if text {
        print::heading(experiment, asked, out)?;
    }
    let finished = &mut Finished::new(asked.progress, tables.runs());
    let mut results = Results::default();
    for table in tables.rates {
        let rows = rows(table, asked, finished)?;
        if interrupt::asked() {
            break;
        }
        let filled = Filled { table, rows };
        if text {
            print::table(&filled, asked.form, out)?;
        }
        results.rates.push(filled);
    }
    for table in tables.latencies {
        let columns = latency::columns(table, asked, finished)?;
        if interrupt::asked() {
            break;
        }
        let filled = print_latency::Filled { table, columns };
        if text {
            print_latency::table(&filled, asked.form, out)?;
        }
        results.latencies.push(filled);
    }
    for table in tables.changes {
        let rows = change::rows(table, asked, &results.changes, finished)?;
        if interrupt::asked() {
            break;
        }
        let filled = change::Filled { table, rows };
        if text {
            print_change::table(&filled, asked.form, out)?;
        }
        results.changes.push(filled);
    }
    interrupt::tell(|| {
        let (done, all) = finished.count();
        format!(
            "reproduce: {done} of {all} runs were done; tables that are not complete are left out"
        )
    });
    match asked.form {
        Form::Json => print::json(experiment, asked, &results, out),
        Form::Text | Form::Markdown => Ok(print::score(&results, asked.form, out)?),
    }
}

fn known(name: &str) -> Result<&'static Experiment, Failure> {
    let names: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
    Experiment::by_name(name).ok_or_else(|| unknown("experiment", name, &names))
}

/// Tables of every kind.
struct Tables {
    rates: Vec<&'static Table>,
    latencies: Vec<&'static LatencyTable>,
    changes: Vec<&'static ChangeTable>,
}

impl Tables {
    /// How many experiments they are.
    fn runs(&self) -> usize {
        let rates = self.rates.iter().map(|t| t.rows.len());
        let latencies = self.latencies.iter().map(|t| t.columns.len());
        let changes = self.changes.iter().map(|t| t.rows.len());
        rates.chain(latencies).chain(changes).sum()
    }

    /// Runs that end when their work is done are shortened by less work, all others by time.
    fn can_be_shortened(&self, experiment: &Experiment, asked: &Reproduce) -> Result<(), Failure> {
        let by_work = !self.changes.is_empty();
        let by_time = !self.rates.is_empty() || !self.latencies.is_empty();
        let name = experiment.name;
        let refused = match (asked.loops, asked.dur) {
            (Some(_), _) if !by_work => {
                format!("reproduce: --loops: the runs of {name} end by time; use --dur TIME")
            }
            (_, Some(_)) if !by_time => {
                format!(
                    "reproduce: --dur: the runs of {name} end when their work is done; use --loops N"
                )
            }
            _ => return Ok(()),
        };
        Err(Failure::input(refused))
    }
}

fn tables(experiment: &'static Experiment, name: Option<&str>) -> Result<Tables, Failure> {
    let wanted = |other: &str| name.is_none_or(|name| name == other);
    let (rates, latencies) = (experiment.tables.iter(), experiment.latencies.iter());
    let changes = experiment.changes.iter();
    let found = Tables {
        rates: rates.filter(|t| wanted(t.name)).collect(),
        latencies: latencies.filter(|t| wanted(t.name)).collect(),
        changes: changes.filter(|t| wanted(t.name)).collect(),
    };
    match name {
        Some(name) if found.runs() == 0 => {
            let what = format!("table of {}", experiment.name);
            let names: Vec<_> = print::named(experiment).map(|(name, _)| name).collect();
            Err(unknown(&what, name, &names))
        }
        _ => Ok(found),
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    let hint = nearest(name, known.iter().copied()).map_or_else(
        || format!("use {}", known.join(", ")),
        |near| format!("did you mean {near}?"),
    );
    Failure::input(format!("reproduce: no {what} {}; {hint}", named(name)))
}

/// How a row is run.
fn settings(asked: &Reproduce) -> Output {
    Output {
        progress: asked.progress,
        ..Output::default()
    }
}

/// Runs every row of a table; what Ctrl-C leaves is not worth showing.
fn rows<'e>(
    table: &'e Table,
    asked: &Reproduce,
    finished: &mut Finished,
) -> Result<Vec<Done<'e>>, Failure> {
    let mut rows = Vec::new();
    for row in table.rows {
        if interrupt::asked() {
            break;
        }
        let given = asked.given(table.link, row.link)?;
        let outcome = given.run(&settings(asked), &mut (), |()| false)?;
        outcome.failure()?;
        finished.one(&format!("{} {}", table.name, row.name));
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
