//! What a program reads: one object with every recording and the score.

use super::run::{Check, Ran};
use super::text::claim;
use super::toggles::Toggle;
use super::{Judged, Outcome, Sum};
use crate::json::SCHEMA;
use schedlab_engine::replay::{Divergence, FactKind, Facts, Recording, Score};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Prints it.
pub(super) fn print(
    judged: &[Judged],
    toggles: &[Toggle],
    sum: &Sum,
    out: &mut dyn Write,
) -> io::Result<()> {
    let s = sum.replay;
    let value = json!({
        "schema": SCHEMA,
        "schedlab": env!("CARGO_PKG_VERSION"),
        "recordings": judged.iter().map(recording).collect::<Vec<_>>(),
        "toggles": toggles.iter().map(toggle).collect::<Vec<_>>(),
        "score": {
            "facts": s.facts(), "right": s.right, "ties": s.ties, "wrong": s.wrong,
            "checked": sum.checked, "passed": sum.passed, "not_run": sum.not_run,
            "toggles": sum.toggles, "as_recorded": sum.as_recorded,
            "not_applicable": sum.not_applicable, "unreadable": sum.unreadable,
        },
    });
    serde_json::to_writer_pretty(&mut *out, &value).map_err(io::Error::from)?;
    writeln!(out)
}

fn recording(judged: &Judged) -> Value {
    let mut value = json!({"path": judged.path, "replay": null, "checks": []});
    match &judged.run {
        Ok(Ran { checks, .. }) => value["checks"] = checks.iter().map(check).collect(),
        Err(why) => value["not_run"] = json!(why),
    }
    match &judged.outcome {
        Outcome::NotApplicable(reason) => value["not_applicable"] = json!(reason),
        Outcome::Unreadable(words) => value["unreadable"] = json!(words),
        Outcome::Replayed { recording, facts } => value["replay"] = replay(recording, facts),
    }
    value
}

fn toggle(toggle: &Toggle) -> Value {
    json!({
        "from": toggle.from, "to": toggle.to, "changed": toggle.changed, "name": toggle.name,
        "predicted": toggle.predicted, "recorded": toggle.recorded, "ok": toggle.ok(),
    })
}

fn check(check: &Check) -> Value {
    json!({
        "name": check.name, "predicted": check.predicted, "recorded": check.recorded,
        "tolerance": check.tolerance, "ok": check.ok(),
    })
}

fn replay(recording: &Recording, facts: &Facts) -> Value {
    let mut value = score(facts.total());
    let kinds = FactKind::ALL
        .iter()
        .map(|kind| (kind.word().to_string(), score(facts.of(*kind))));
    value["exact"] = json!(recording.is_exact());
    value["fitted"] = json!(facts.fitted);
    value["kinds"] = Value::Object(kinds.collect::<Map<_, _>>());
    value["first"] = facts
        .first
        .as_ref()
        .map_or(Value::Null, |first| divergence(first, recording));
    value
}

fn score(s: Score) -> Value {
    json!({"facts": s.facts(), "right": s.right, "ties": s.ties, "wrong": s.wrong})
}

fn divergence(at: &Divergence, recording: &Recording) -> Value {
    let runnable = at.runnable.iter().map(|standing| {
        json!({
            "task": recording.members[standing.name.index()].name,
            "vruntime": standing.vruntime,
            "deadline": standing.deadline,
            "delayed": standing.delayed,
            "ran_ns": standing.ran,
            "running": standing.running,
        })
    });
    json!({
        "t_ns": at.t,
        "line": at.row + 2,
        "kind": at.kind.word(),
        "predicted": claim(at.predicted, recording),
        "recorded": claim(at.recorded, recording),
        "min_vruntime": at.min_vruntime,
        "runnable": runnable.collect::<Vec<_>>(),
    })
}
