//! How published and simulated latencies are printed: columns side by side, what they are to show, and how wakeups were
//! answered.

use super::Form;
use super::latency::{Done, End, LATE};
use crate::numbers::{count, percent, time};
use crate::table::{Page, Table};
use crate::words::cause_word;
use schedlab_engine::experiments::{Claim, LatencyTable, Stat};
use serde_json::{Value, json};
use std::io::{self, Write};

/// A table and what came of its columns.
pub(super) struct Filled<'e> {
    pub(super) table: &'e LatencyTable,
    pub(super) columns: Vec<Done<'e>>,
}

impl Filled<'_> {
    /// Does a claim hold? None if a run was too short to say.
    fn holds(&self, claim: Claim) -> Option<bool> {
        let runs: Vec<_> = self.columns.iter().map(|c| c.samples.clone()).collect();
        self.table.judge(claim, &runs)
    }

    /// A simulated figure.
    fn figure(&self, column: usize, stat: Stat) -> Option<f64> {
        self.columns.get(column)?.samples.figure(stat)
    }

    /// What is claimed, in words.
    fn words(&self, claim: Claim) -> String {
        let column = |at: usize| self.table.columns[at].name;
        match claim {
            Claim::Order(stat) => format!("{}: columns in the published order", stat.name()),
            Claim::Equal(stat, milli) => {
                let percent = f64::from(milli) / 10.0;
                format!(
                    "{}: no two columns differ by more than {percent} %",
                    stat.name()
                )
            }
            Claim::Above(stat, more, less) => {
                let (more, less) = (column(more), column(less));
                format!("{}: \"{more}\" above \"{less}\"", stat.name())
            }
            Claim::Times(stat, more, less, milli) => {
                let (more, less) = (column(more), column(less));
                let times = f64::from(milli) / 1000.0;
                format!(
                    "{}: \"{more}\" at least {times} times \"{less}\"",
                    stat.name()
                )
            }
        }
    }

    /// The figures that a claim is about.
    fn evidence(&self, claim: Claim) -> String {
        let (stat, columns) = match claim {
            Claim::Order(stat) | Claim::Equal(stat, _) => (stat, (0..self.columns.len()).collect()),
            Claim::Above(stat, more, less) | Claim::Times(stat, more, less, _) => {
                (stat, vec![more, less])
            }
        };
        let of = |values: Vec<f64>| match claim {
            Claim::Above(..) | Claim::Times(..) => format!("{:.3}", values[0] / values[1]),
            _ => values
                .iter()
                .map(|v| cell(stat, *v))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let values: Option<Vec<f64>> = columns
            .into_iter()
            .map(|at| self.figure(at, stat))
            .collect();
        values.map_or_else(|| String::from("-"), of)
    }
}

/// A figure, with one decimal of a microsecond where that is not more than was measured.
fn cell(stat: Stat, value: f64) -> String {
    match stat {
        Stat::Samples => count(value as u64),
        _ => format!("{value:.1}"),
    }
}

const fn verdict(holds: Option<bool>) -> &'static str {
    match holds {
        Some(true) => "holds",
        Some(false) => "MISS",
        None => "too few samples",
    }
}

/// Cells in columns, as text or as a table of Markdown.
struct Grid {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new(head: &[&'static str]) -> Grid {
        Grid {
            head: head.to_vec(),
            rows: Vec::new(),
        }
    }

    fn print(self, form: Form, page: &mut Page<'_>) -> io::Result<()> {
        if form != Form::Markdown {
            let mut table = Table::new(&self.head);
            self.rows.into_iter().for_each(|row| table.row(row));
            return table.print(page);
        }
        let plain = self.head.iter().map(|h| h.trim_start_matches('<'));
        let rule = self
            .head
            .iter()
            .map(|h| if h.starts_with('<') { "---" } else { "--:" });
        page.line(&format!("| {} |", plain.collect::<Vec<_>>().join(" | ")))?;
        page.line(&format!("|{}|", rule.collect::<Vec<_>>().join("|")))?;
        for row in &self.rows {
            page.line(&format!("| {} |", row.join(" | ")))?;
        }
        page.line("")
    }
}

/// One table.
pub(super) fn table(filled: &Filled<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let t = filled.table;
    let page = &mut Page::stdout(out);
    let (title, indent) = match form {
        Form::Markdown => (format!("## {}\n", t.title), 0),
        Form::Text | Form::Json => (format!("{}: {}", t.name, t.title), 2),
    };
    page.heading(&title)?;
    for (number, column) in (1..).zip(t.columns) {
        let more = match column.change {
            "" => String::new(),
            change => format!(" (changed: {change})"),
        };
        let bullet = if form == Form::Markdown { "- " } else { "" };
        page.text(
            indent,
            &format!("{bullet}Column {number}: {}{more}.", column.name),
        )?;
    }
    page.line("")?;
    page.text(indent, &format!("Latencies in microseconds. {}", t.note))?;
    page.line("")?;
    figures(filled, form).print(form, page)?;
    part("What each column is of the one before", form, page)?;
    steps(filled).print(form, page)?;
    part("What the table is to show", form, page)?;
    claims(filled).print(form, page)?;
    answers(filled, form, page)
}

fn part(title: &str, form: Form, page: &mut Page<'_>) -> io::Result<()> {
    match form {
        Form::Markdown => page.line(&format!("### {title}\n")),
        Form::Text | Form::Json => page.heading(title),
    }
}

/// Published, simulated, and how many times the published figure that is.
fn figures(filled: &Filled<'_>, form: Form) -> Grid {
    // A terminal is narrower than a page.
    let [one, two, three] = match form {
        Form::Markdown => ["1: published", "2: published", "3: published"],
        Form::Text | Form::Json => ["1: printed", "2: printed", "3: printed"],
    };
    let mut grid = Grid::new(&[
        "<",
        one,
        "simulated",
        "ratio",
        two,
        "simulated",
        "ratio",
        three,
        "simulated",
        "ratio",
    ]);
    for row in filled.table.rows {
        let mut cells = vec![row.stat.name()];
        for (at, published) in row.published.iter().enumerate() {
            let simulated = filled.figure(at, row.stat);
            cells.push(count(*published as u64));
            cells.push(simulated.map_or_else(|| String::from("-"), |s| cell(row.stat, s)));
            cells.push(simulated.map_or_else(|| String::from("-"), |s| ratio(s / published)));
        }
        grid.rows.push(cells);
    }
    grid
}

fn ratio(x: f64) -> String {
    format!("{x:.3}")
}

/// Each column against the one before.
fn steps(filled: &Filled<'_>) -> Grid {
    let mut grid = Grid::new(&[
        "<",
        "2 / 1 published",
        "simulated",
        "3 / 2 published",
        "simulated",
    ]);
    for row in filled.table.rows {
        let mut cells = vec![row.stat.name()];
        for at in 1..row.published.len() {
            cells.push(ratio(row.published[at] / row.published[at - 1]));
            let both = filled
                .figure(at, row.stat)
                .zip(filled.figure(at - 1, row.stat));
            cells.push(both.map_or_else(|| String::from("-"), |(now, before)| ratio(now / before)));
        }
        grid.rows.push(cells);
    }
    grid
}

fn claims(filled: &Filled<'_>) -> Grid {
    let mut grid = Grid::new(&["<claim", "simulated", "<verdict"]);
    for claim in filled.table.claims {
        grid.rows.push(vec![
            filled.words(*claim),
            filled.evidence(*claim),
            verdict(filled.holds(*claim)).to_string(),
        ]);
    }
    grid
}

/// How wakeups were answered, what ended late waits, and where to read about one.
fn answers(filled: &Filled<'_>, form: Form, page: &mut Page<'_>) -> io::Result<()> {
    part(
        "How the wakeups behind the samples were answered",
        form,
        page,
    )?;
    let late = time(LATE.0);
    let mut grid = Grid::new(&[
        "<column",
        "<what the test for preemption said",
        "wakeups",
        "share",
        "late",
        "longest wait",
    ]);
    let mut ends = Grid::new(&["<column", "<what ended the late waits", "waits"]);
    for (number, done) in (1..).zip(&filled.columns) {
        let all: u64 = done.answers.iter().map(|a| a.n).sum();
        for answer in &done.answers {
            grid.rows.push(vec![
                number.to_string(),
                answer.why.what().to_string(),
                count(answer.n),
                percent(answer.n, all),
                count(answer.late),
                time(answer.longest.0),
            ]);
        }
        for (end, n) in &done.ends {
            ends.rows
                .push(vec![number.to_string(), end_words(*end), count(*n)]);
        }
    }
    grid.print(form, page)?;
    page.text(
        if form == Form::Markdown { 0 } else { 2 },
        &format!("Late: it then waited on the run queue for more than {late}."),
    )?;
    page.line("")?;
    ends.print(form, page)?;
    part(
        "The first late wait of each column, explained by",
        form,
        page,
    )?;
    let fence = form == Form::Markdown;
    if fence {
        page.line("```sh")?;
    }
    for done in &filled.columns {
        if let Some(late) = done.first {
            page.line(&format!(
                "{}# {}: {}, then {}",
                if fence { "" } else { "  " },
                done.column.name,
                late.why.what(),
                time(late.waited.0)
            ))?;
            // A moment before the wakeup.
            let before = late.at.0.saturating_sub(1);
            page.line(&format!(
                "{}schedlab explain '{}' --at {before}ns --cpu {}",
                if fence { "" } else { "  " },
                done.link,
                late.cpu.0
            ))?;
        }
    }
    if fence {
        page.line("```")?;
    }
    Ok(())
}

fn end_words(end: End) -> String {
    match end {
        End::Slept => String::from("the task that ran went to sleep"),
        End::Asked(Some(cause)) => format!("a reschedule, asked for by: {}", cause_word(cause)),
        End::Asked(None) => String::from("a reschedule that nothing asked for"),
        End::Idle => String::from("a CPU without a task took it"),
    }
}

/// How many claims hold, and how many there are.
pub(super) fn score(all: &[Filled<'_>]) -> (usize, usize) {
    let claims = || {
        let tables = all.iter();
        tables.flat_map(|f| f.table.claims.iter().map(|claim| f.holds(*claim)))
    };
    let hold = claims().filter(|holds| *holds == Some(true)).count();
    (hold, claims().count())
}

/// One table for programs.
pub(super) fn json(filled: &Filled<'_>) -> Value {
    let t = filled.table;
    let stats = |figure: &dyn Fn(Stat) -> Option<f64>| -> Value {
        let named = t
            .rows
            .iter()
            .map(|row| (row.stat.name(), figure(row.stat).into()));
        Value::Object(named.collect())
    };
    let column = |(at, done): (usize, &Done<'_>)| {
        let published = |stat: Stat| t.published(stat).map(|row| row[at]);
        let answer = |a: &super::latency::Answer| {
            json!({
                "reason": format!("{:?}", a.why), "n": a.n, "late": a.late, "longest_ns": a.longest.0,
            })
        };
        json!({
            "name": done.column.name, "link": done.link, "hash": format!("{:016x}", done.hash),
            "published": stats(&published), "simulated": stats(&|stat| done.samples.figure(stat)),
            "answers": done.answers.iter().map(answer).collect::<Vec<_>>(),
            "late_ended_by": done.ends.iter().map(|(end, n)| json!({ "end": end_words(*end), "n": n })).collect::<Vec<_>>(),
            "first_late": done.first.map(|late| json!({
                "at_ns": late.at.0, "cpu": late.cpu.0, "waited_ns": late.waited.0, "reason": format!("{:?}", late.why),
            })),
        })
    };
    let claim = |claim: &Claim| {
        json!({
            "claim": filled.words(*claim), "simulated": filled.evidence(*claim), "holds": filled.holds(*claim),
        })
    };
    json!({
        "name": t.name, "title": t.title, "note": t.note, "unit": "us", "late_ns": LATE.0,
        "columns": filled.columns.iter().enumerate().map(column).collect::<Vec<_>>(),
        "claims": t.claims.iter().map(claim).collect::<Vec<_>>(),
    })
}
