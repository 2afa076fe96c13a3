//! How published and simulated figures are printed side by side.

use super::{Done, Filled, Form, Reproduce, Results, Verdict, print_change, print_latency};
use crate::failure::Failure;
use crate::json::SCHEMA;
use crate::numbers::{change, count};
use crate::run::print_json;
use crate::table::{Page, Table};
use schedlab_engine::experiments::{EXPERIMENTS, Experiment};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The columns of a page.
const HEAD: [&str; 7] = [
    "<row",
    "published",
    "simulated",
    "off by",
    "published, against base",
    "simulated, against base",
    "<verdict",
];

/// The same for a terminal, which is narrower.
const NARROW: [&str; 7] = [
    "<row",
    "published",
    "simulated",
    "off by",
    "ratio",
    "simulated",
    "<verdict",
];

/// Which experiments there are.
pub(super) fn overview(form: Form, out: &mut dyn Write) -> io::Result<()> {
    if form == Form::Json {
        let all: Vec<Value> = EXPERIMENTS.iter().map(described).collect();
        let value = json!({ "schema": SCHEMA, "experiments": all });
        serde_json::to_writer_pretty(&mut *out, &value)?;
        return writeln!(out);
    }
    let page = &mut Page::stdout(out);
    for experiment in EXPERIMENTS {
        page.bold(&format!("{}: {}", experiment.name, experiment.title))?;
        page.text(2, experiment.source)?;
        let mut table = Table::new(&["<", "<"]);
        for (name, title) in named(experiment) {
            table.row([name.to_string(), title.to_string()]);
        }
        table.print(page)?;
    }
    Ok(())
}

fn described(experiment: &Experiment) -> Value {
    let tables = named(experiment).map(|(name, title)| json!({ "name": name, "title": title }));
    json!({
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "tables": tables.collect::<Vec<_>>(),
    })
}

/// Names and titles of all tables.
pub(super) fn named(experiment: &Experiment) -> impl Iterator<Item = (&'static str, &'static str)> {
    let rates = experiment.tables.iter().map(|t| (t.name, t.title));
    let latencies = experiment.latencies.iter().map(|t| (t.name, t.title));
    let changes = experiment.changes.iter().map(|t| (t.name, t.title));
    rates.chain(latencies).chain(changes)
}

/// What the experiment is.
pub(super) fn heading(
    experiment: &Experiment,
    asked: &Reproduce,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::stdout(out);
    let shortened = asked.shortened();
    if asked.form == Form::Markdown {
        return shortened.map_or(Ok(()), |words| page.line(&words));
    }
    page.bold(experiment.title)?;
    page.text(0, &format!("Published: {}.", experiment.source))?;
    shortened.map_or(Ok(()), |words| page.text(0, &words))
}

/// One table.
pub(super) fn table(filled: &Filled<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Markdown => markdown(filled, out),
        Form::Text | Form::Json => text(filled, &mut Page::stdout(out)),
    }
}

fn text(filled: &Filled<'_>, page: &mut Page<'_>) -> io::Result<()> {
    page.heading(&format!("{}: {}", filled.table.name, filled.table.title))?;
    page.text(2, &words(filled))?;
    let mut table = Table::new(&NARROW);
    for done in &filled.rows {
        table.row(cells(filled, done));
    }
    table.print(page)
}

fn markdown(filled: &Filled<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## {}\n\n{}\n", filled.table.title, words(filled))?;
    writeln!(
        out,
        "| {} |",
        HEAD.map(|h| h.trim_start_matches('<')).join(" | ")
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|---|")?;
    for done in &filled.rows {
        let cells = cells(filled, done);
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}

/// Unit and tolerance, and what is to be said.
fn words(filled: &Filled<'_>) -> String {
    let (t, base) = (filled.table, filled.table.base().name);
    let tolerance = f64::from(t.tolerance_milli) / 10.0;
    let unit = t.measure.unit();
    let sentence = format!(
        "In {unit}, against {base}; a row agrees if that is off by no more than {tolerance} %."
    );
    [sentence.as_str(), t.note].join(" ").trim().to_string()
}

fn cells(filled: &Filled<'_>, done: &Done<'_>) -> [String; 7] {
    let base = filled.table.base();
    let (published, simulated) = (done.row.published(), done.figure);
    [
        done.row.name.to_string(),
        count(published.round() as u64),
        count(simulated.round() as u64),
        change(published, simulated),
        format!("{:.3}", done.row.against(base)),
        format!("{:.3}", filled.against(done)),
        filled.verdict(done).word().to_string(),
    ]
}

/// How many rows agree, and how many claims hold.
pub(super) fn score(results: &Results, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let rates = results.rates.iter();
    let verdicts: Vec<Verdict> = rates
        .flat_map(|f| f.rows.iter().map(|d| f.verdict(d)))
        .filter(|verdict| *verdict != Verdict::Base)
        .chain(print_change::verdicts(&results.changes))
        .collect();
    let of = |wanted| verdicts.iter().filter(|v| **v == wanted).count();
    let mut words = Vec::new();
    if !verdicts.is_empty() {
        words.push(format!(
            "Of {} comparisons {} agree, {} in direction only, {} miss.",
            verdicts.len(),
            of(Verdict::Agrees),
            of(Verdict::DirectionOnly),
            of(Verdict::Miss)
        ));
    }
    if !results.latencies.is_empty() {
        let (hold, claims) = print_latency::score(&results.latencies);
        words.push(format!(
            "Of {claims} claims {hold} hold, {} miss.",
            claims - hold
        ));
    }
    let words = words.join(" ");
    match form {
        Form::Markdown => writeln!(out, "\n{words}"),
        Form::Text | Form::Json => {
            let page = &mut Page::stdout(out);
            page.line("")?;
            page.line(&words)
        }
    }
}

/// All of it for programs.
pub(super) fn json(
    experiment: &Experiment,
    asked: &Reproduce,
    results: &Results,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let value = json!({
        "schema": SCHEMA,
        "schedlab": env!("CARGO_PKG_VERSION"),
        "experiment": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "loops": asked.loops,
        "duration_ns": asked.dur.map(|dur| dur.0),
        "tables": results.rates.iter().map(table_json).collect::<Vec<_>>(),
        "latencies": results.latencies.iter().map(print_latency::json).collect::<Vec<_>>(),
        "changes": results.changes.iter().map(print_change::json).collect::<Vec<_>>(),
    });
    print_json(&value, out)
}

fn table_json(filled: &Filled<'_>) -> Value {
    let t = filled.table;
    let row = |done: &Done<'_>| {
        json!({
            "name": done.row.name,
            "link": done.link,
            "published": done.row.values,
            "published_mean": done.row.published(),
            "published_ratio": done.row.against(t.base()),
            "simulated": done.figure,
            "ratio": filled.against(done),
            "verdict": filled.verdict(done).word().to_lowercase(),
            "hash": format!("{:016x}", done.hash),
        })
    };
    json!({
        "name": t.name,
        "title": t.title,
        "note": t.note,
        "unit": t.measure.unit(),
        "base": t.base().name,
        "tolerance": f64::from(t.tolerance_milli) / 1000.0,
        "rows": filled.rows.iter().map(row).collect::<Vec<_>>(),
    })
}
