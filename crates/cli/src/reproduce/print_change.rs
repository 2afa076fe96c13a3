//! How what was said of kernels stands beside the times that come out.

use super::change::{Done, Filled};
use super::{Form, Verdict};
use crate::numbers::{count, percent, rate, time};
use crate::table::{Page, Table};
use schedlab_engine::experiments::{ChangeTable, Said};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What came out.
const RESULTS: [&str; 5] = [
    "<kernel",
    "<reported",
    "simulated",
    "<against the base",
    "<verdict",
];

/// What the scheduler did. A page has both in one table.
const DEEDS: [&str; 3] = ["switches", "wakeup preemptions", "selection"];

/// One table.
pub(super) fn table(filled: &Filled, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let t = filled.table;
    if form == Form::Markdown {
        writeln!(out, "\n## {}\n\n{}\n", t.title, words(t))?;
        let head = RESULTS.iter().chain(&DEEDS);
        let head: Vec<_> = head.map(|h| h.trim_start_matches('<')).collect();
        writeln!(
            out,
            "| {} |\n|---|---|--:|---|---|--:|--:|--:|",
            head.join(" | ")
        )?;
        for done in &filled.rows {
            let cells = [&results(filled, done)[..], &deeds(done)].concat();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        return Ok(());
    }
    let page = &mut Page::stdout(out);
    page.heading(&format!("{}: {}", t.name, t.title))?;
    page.text(2, &words(t))?;
    let mut table = Table::new(&RESULTS);
    let mut more = Table::new(&["<kernel", DEEDS[0], DEEDS[1], DEEDS[2]]);
    for done in &filled.rows {
        table.row(results(filled, done));
        let name = [done.row.name.to_string()];
        more.row(name.into_iter().chain(deeds(done)));
    }
    table.print(page)?;
    page.line("")?;
    more.print(page)
}

/// What the figures are, and the rule by which they are judged.
fn words(t: &ChangeTable) -> String {
    let points = f64::from(t.tolerance_milli) / 10.0;
    let rule = format!(
        "Simulated: the time that the benchmark itself prints; against {}, where longer is worse. A row agrees if it is on \
         the side that was reported and within {points} points of the number; \"no loss\" is up to {points} % worse, a small \
         one as much, to either side, a gain without a number is any, and a limit is kept to. On that side, but not within the number, it has the direction \
         only. Selection: the CPU time that choosing a CPU takes.",
        t.base().name
    );
    [rule.as_str(), t.note].join(" ").trim().to_string()
}

fn results(filled: &Filled, done: &Done) -> [String; 5] {
    let verdict = filled.verdict(done);
    let against = match verdict {
        Some(Verdict::Base) => String::from("-"),
        _ => against_words(filled.against(done)),
    };
    let said = done.row.said.map(Said::words);
    [
        done.row.name.to_string(),
        said.unwrap_or_else(|| String::from("-")),
        time(done.took_ns),
        against,
        verdict.map_or("-", Verdict::word).to_string(),
    ]
}

fn deeds(done: &Done) -> [String; 3] {
    [
        many(done.switches),
        many(done.wakeup_preemptions),
        percent(done.selection.0, done.selection.1),
    ]
}

/// A number as it is, or three digits of it.
fn many(n: u64) -> String {
    if n < 1000 {
        return count(n);
    }
    rate(n as f64)
}

/// `13.3 % worse`, `1.1 % better`: by how much longer or shorter it took.
fn against_words(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if !percent.is_finite() {
        return String::from("-");
    }
    let side = if percent > 0.0 { "worse" } else { "better" };
    format!("{:.1} % {side}", percent.abs())
}

/// The verdicts on rows of which something was said.
pub(super) fn verdicts(all: &[Filled]) -> impl Iterator<Item = Verdict> {
    let rows = all
        .iter()
        .flat_map(|f| f.rows.iter().filter_map(|done| f.verdict(done)));
    rows.filter(|verdict| *verdict != Verdict::Base)
}

/// One table for programs.
pub(super) fn json(filled: &Filled) -> Value {
    let t = filled.table;
    let row = |done: &Done| {
        let verdict = filled.verdict(done);
        json!({
            "name": done.row.name,
            "link": done.link,
            "reported": done.row.said.map(Said::words),
            "simulated": done.took_ns,
            "ratio": filled.against(done),
            "verdict": verdict.map(|verdict| verdict.word().to_lowercase()),
            "switches": done.switches,
            "wakeup_preemptions": done.wakeup_preemptions,
            "selection_ns": done.selection.0,
            "hash": format!("{:016x}", done.hash),
        })
    };
    json!({
        "name": t.name,
        "title": t.title,
        "note": t.note,
        "unit": "ns",
        "base": t.base().name,
        "tolerance": f64::from(t.tolerance_milli) / 1000.0,
        "rows": filled.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_is_worse() {
        assert_eq!(against_words(1.1326), "13.3 % worse");
        assert_eq!(against_words(0.989), "1.1 % better");
        assert_eq!(against_words(f64::NAN), "-");
    }
}
