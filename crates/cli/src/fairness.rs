//! Fairness in the reports of a run: the window in which a task is furthest from its ideal share.
//!
//! What is measured is said in `observe::fairness` and in docs/cli.md.

use crate::numbers::{count, percent, time};
use crate::outcome::Outcome;
use crate::table::Page;
use crate::words::Names;
use schedlab_engine::observe::fairness::{Deviation, SLICES};
use schedlab_engine::words::plural::form;
use serde_json::{Value, json};
use std::io;

/// Why nobody is judged.
const CHANGES: &str = "nice values change while the run goes on, and no event tells when";
/// Why groups are not.
const GROUPS: &str =
    "groups among each other: what one weighs on a CPU follows averages of its load";

/// What is not judged, and why.
fn left_out(outcome: &Outcome) -> Vec<&'static str> {
    let world = &outcome.scenario.world;
    let groups = world.templates.iter().any(|t| t.group > 0);
    let left = [
        (!outcome.fairness.judged, CHANGES),
        (outcome.fairness.judged && groups, GROUPS),
    ];
    left.into_iter().filter(|l| l.0).map(|l| l.1).collect()
}

/// The section of the text report.
pub(crate) fn print(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let verdict = &outcome.fairness;
    page.heading(&format!(
        "Fairness on each CPU, over {SLICES} slices ({})",
        time(verdict.window.0)
    ))?;
    if verdict.judged {
        let words = match &verdict.worst {
            Some(worst) => deviation(worst, &outcome.names()),
            None => format!("no task could run for {} at a time", time(verdict.window.0)),
        };
        page.hanging(2, &words)?;
    }
    if verdict.windows > 0 {
        let windows = form(verdict.windows, "window", "windows");
        page.line(&format!("  {} {windows}", count(verdict.windows)))?;
    }
    for why in left_out(outcome) {
        page.hanging(2, &format!("not judged: {why}"))?;
    }
    Ok(())
}

fn deviation(worst: &Deviation, names: &Names<'_>) -> String {
    let off = worst.ahead().unsigned_abs();
    let more = match worst.ahead() {
        0 => return String::from("no task deviates from its ideal share"),
        1.. => "more",
        _ => "less",
    };
    format!(
        "largest deviation: {} had {} where its weight gives {}, {} or {} of the window {more}, from {} to {} \
         on CPU {}",
        names.of(worst.task),
        time(worst.received.0),
        time(worst.ideal.0),
        time(off),
        percent(off, worst.to.since(worst.from).0),
        time(worst.from.0),
        time(worst.to.0),
        worst.cpu.0
    )
}

/// The same as JSON.
pub(crate) fn json(outcome: &Outcome) -> Value {
    let verdict = &outcome.fairness;
    let names = outcome.names();
    let worst = verdict.worst.map(|worst| {
        json!({
            "task": names.of(worst.task), "cpu": worst.cpu.0,
            "from_ns": worst.from.0, "to_ns": worst.to.0,
            "received_ns": worst.received.0, "ideal_ns": worst.ideal.0, "deviation_ns": worst.ahead(),
            "share": worst.ahead() as f64 / verdict.window.0 as f64,
        })
    });
    json!({
        "slice_ns": verdict.slice.0, "window_ns": verdict.window.0, "windows": verdict.windows,
        "worst": worst, "not_judged": left_out(outcome),
    })
}
