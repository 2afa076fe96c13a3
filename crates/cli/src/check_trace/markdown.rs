//! The table that `docs/validation.md` shows: a row a recording, and what was not replayed.

use super::run::Ran;
use super::text::number;
use super::toggles::Toggle;
use super::{Judged, Outcome, Sum};
use schedlab_engine::replay::{FactKind, Score};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Prints it.
pub(super) fn print(
    judged: &[Judged],
    toggles: &[Toggle],
    sum: &Sum,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "| recording | clock | facts | right | ties | wrong |\n|---|---|--:|--:|--:|--:|"
    )?;
    let mut kinds = [Score::default(); FactKind::ALL.len()];
    for one in judged {
        if let Outcome::Replayed { recording, facts } = &one.outcome {
            let clock = if recording.is_exact() {
                "exact"
            } else {
                "1 µs"
            };
            row(
                &format!("{} | {clock}", short(&one.path)),
                facts.total(),
                out,
            )?;
            for (kind, score) in FactKind::ALL.into_iter().zip(&mut kinds) {
                *score = score.plus(facts.of(kind));
            }
        }
    }
    row("**all** |", sum.replay, out)?;
    writeln!(
        out,
        "\n| fact | facts | right | ties | wrong |\n|---|--:|--:|--:|--:|"
    )?;
    for (kind, score) in FactKind::ALL.into_iter().zip(kinds) {
        row(kind.word(), score, out)?;
    }
    not_replayed(judged, out)?;
    runs(judged, sum, out)?;
    moved(toggles, sum, out)
}

/// How the runs compare, and what did not hold.
fn runs(judged: &[Judged], sum: &Sum, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n| run | comparisons | hold | simulated against recorded, where it does not |\n|---|--:|--:|---|"
    )?;
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for one in judged {
        let checks = match &one.run {
            Ok(Ran { checks, .. }) => checks,
            Err(why) => {
                *reasons.entry(why).or_default() += 1;
                continue;
            }
        };
        let failed = checks.iter().filter(|check| !check.ok()).map(|check| {
            let [ours, theirs] = [check.predicted, check.recorded].map(number);
            format!("{} {ours} / {theirs}", check.name)
        });
        let failed: Vec<String> = failed.collect();
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            short(&one.path),
            checks.len(),
            checks.len() - failed.len(),
            failed.join("; ")
        )?;
    }
    writeln!(out, "| **all** | {} | {} | |", sum.checked, sum.passed)?;
    writeln!(out, "\n| not run | recordings |\n|---|--:|")?;
    for (reason, recordings) in reasons {
        writeln!(out, "| {reason} | {recordings} |")?;
    }
    Ok(())
}

/// How settings move figures: a row a pair of recordings that differ in one.
fn moved(toggles: &[Toggle], sum: &Sum, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n| from | to | changed | figures that move, simulated / recorded | as recorded |\n|---|---|---|---|--:|"
    )?;
    for pair in toggles.chunk_by(|a, b| (&a.from, &a.to) == (&b.from, &b.to)) {
        let figures = pair.iter().map(|toggle| {
            let [ours, theirs] = [toggle.predicted, toggle.recorded].map(number);
            let but = if toggle.ok() { "" } else { " **no**" };
            format!("{} {ours} / {theirs}{but}", toggle.name)
        });
        let figures: Vec<String> = figures.collect();
        let first = &pair[0];
        writeln!(
            out,
            "| {} | {} | {} | {} | {} of {} |",
            short(&first.from),
            short(&first.to),
            first.changed,
            figures.join("; "),
            pair.iter().filter(|toggle| toggle.ok()).count(),
            pair.len()
        )?;
    }
    writeln!(
        out,
        "| **all** | | | | {} of {} |",
        sum.as_recorded, sum.toggles
    )
}

fn row(head: &str, s: Score, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "| {head} | {} | {} | {} | {} |",
        s.facts(),
        s.right,
        s.ties,
        s.wrong
    )
}

/// Kernel, topology and scenario: the last three folders.
fn short(path: &str) -> String {
    let mut parts: Vec<&str> = path.rsplit(['/', '\\']).take(3).collect();
    parts.reverse();
    parts.join("/")
}

/// How many recordings were not replayed, by reason.
fn not_replayed(judged: &[Judged], out: &mut dyn Write) -> io::Result<()> {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for one in judged {
        if let Outcome::NotApplicable(reason) = &one.outcome {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    if !reasons.is_empty() {
        writeln!(out, "\n| not applicable | recordings |\n|---|--:|")?;
    }
    for (reason, recordings) in reasons {
        writeln!(out, "| {reason} | {recordings} |")?;
    }
    Ok(())
}
