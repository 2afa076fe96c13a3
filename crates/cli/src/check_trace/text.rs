//! What a person reads: a line a recording, below it the first divergence, at the end the score.

use super::run::Ran;
use super::toggles::Toggle;
use super::{Judged, Outcome, Sum};
use schedlab_engine::fragment::visible;
use schedlab_engine::replay::{Claim, Divergence, FactKind, Facts, Name, Recording, Score};
use schedlab_engine::words::plural::counted;
use std::io::{self, Write};

/// One recording.
pub(super) fn line(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    let path = visible(judged.path.chars());
    match &judged.outcome {
        Outcome::NotApplicable(reason) => {
            writeln!(out, "{path}: not applicable: {}", visible(reason.chars()))
        }
        Outcome::Unreadable(words) => {
            writeln!(out, "{path}: unreadable: {}", visible(words.chars()))
        }
        Outcome::Replayed { recording, facts } => {
            let s = facts.total();
            let clock = if recording.is_exact() {
                "exact"
            } else {
                "clock to 1 us"
            };
            writeln!(
                out,
                "{path}: {} ({clock}): {} right, {}, {} wrong{}",
                counted(s.facts(), "fact", "facts"),
                s.right,
                counted(s.ties, "tie", "ties"),
                s.wrong,
                fitted(facts.fitted)
            )?;
            if let Some(first) = &facts.first {
                divergence(first, recording, out)?;
            }
            Ok(())
        }
    }
}

/// How many numbers were fitted to what was recorded.
fn fitted(threads: u32) -> String {
    match threads {
        0 => String::new(),
        n => format!(
            "; lags of {} fitted",
            counted(u64::from(n), "task", "tasks")
        ),
    }
}

/// How many of the comparisons of a run came out, and those that did not.
pub(super) fn run(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    let checks = match &judged.run {
        Ok(Ran { checks, .. }) => checks,
        Err(why) => return writeln!(out, "    not run: {}", visible(why.chars())),
    };
    let failed: Vec<_> = checks.iter().filter(|check| !check.ok()).collect();
    let passed = checks.len() - failed.len();
    writeln!(
        out,
        "    run: {passed} of {} comparisons hold",
        checks.len()
    )?;
    for check in failed {
        writeln!(
            out,
            "      {}: {} simulated, {} recorded, within {}",
            visible(check.name.chars()),
            number(check.predicted),
            number(check.recorded),
            number(check.tolerance)
        )?;
    }
    Ok(())
}

/// Whole where it is a count or a time, four places where it is a share.
pub(super) fn number(value: f64) -> String {
    if value.fract() == 0.0 || value.abs() >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.4}")
    }
}

/// Where rules and recording part first, with the state before it.
fn divergence(at: &Divergence, recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
    let (kind, line) = (at.kind.word(), at.row + 2);
    let (predicted, recorded) = (
        claim(at.predicted, recording),
        claim(at.recorded, recording),
    );
    writeln!(
        out,
        "    first divergence at {} ns (trace line {line}), {kind}:",
        at.t
    )?;
    writeln!(out, "      rules:    {predicted}")?;
    writeln!(out, "      recorded: {recorded}")?;
    if let Some(min) = at.min_vruntime {
        writeln!(out, "      min_vruntime {min}")?;
    }
    for standing in &at.runnable {
        let who = name(standing.name, recording);
        let how = match (standing.running, standing.delayed) {
            (true, _) => ", running",
            (false, true) => ", asleep but queued",
            (false, false) => "",
        };
        let (v, ran) = (standing.vruntime, standing.ran);
        let due = standing
            .deadline
            .map_or(String::new(), |d| format!(", deadline {d}"));
        writeln!(out, "      {who}: vruntime {v}{due}, ran {ran}{how}")?;
    }
    Ok(())
}

/// A claim in words.
pub(super) fn claim(claim: Claim, recording: &Recording) -> String {
    match claim {
        Claim::Vruntime(who, v) => format!("{} has vruntime {v}", name(who, recording)),
        Claim::Deadline(who, d) => format!("{} has deadline {d}", name(who, recording)),
        Claim::Min(v) => format!("min_vruntime is {v}"),
        Claim::Runs(None) => "the CPU idles".to_string(),
        Claim::Runs(Some(who)) => format!("{} runs", name(who, recording)),
        Claim::Goes { task, cpu, why } => {
            let why = why.map_or("", |why| why.what());
            let (colon, who) = (
                if why.is_empty() { "" } else { ": " },
                name(task, recording),
            );
            format!("{who} goes to CPU {}{colon}{why}", cpu.0)
        }
        Claim::Reschedules(true) => "asks for a reschedule".to_string(),
        Claim::Reschedules(false) => "asks for nothing".to_string(),
        Claim::Fires(None) => "no hrtick".to_string(),
        Claim::Fires(Some(at)) => format!("an hrtick at {at} ns"),
    }
}

fn name(name: Name, recording: &Recording) -> String {
    visible(recording.members[name.index()].name.chars())
}

/// All recordings together.
pub(super) fn score(
    judged: &[Judged],
    toggles: &[Toggle],
    sum: &Sum,
    out: &mut dyn Write,
) -> io::Result<()> {
    let replayed = judged.iter().filter_map(|one| match &one.outcome {
        Outcome::Replayed { facts, .. } => Some(facts.as_ref()),
        _ => None,
    });
    let replayed: Vec<&Facts> = replayed.collect();
    let s = sum.replay;
    writeln!(out)?;
    writeln!(
        out,
        "{} recordings: {} replayed, {} not applicable, {} unreadable",
        judged.len(),
        replayed.len(),
        sum.not_applicable,
        sum.unreadable
    )?;
    writeln!(
        out,
        "{}: {} right, {}, {} wrong",
        counted(s.facts(), "fact", "facts"),
        s.right,
        counted(s.ties, "tie", "ties"),
        s.wrong
    )?;
    writeln!(
        out,
        "{} comparisons of runs: {} hold; {} recordings not run",
        sum.checked, sum.passed, sum.not_run
    )?;
    writeln!(
        out,
        "{} figures that a setting moves: {} move as recorded",
        sum.toggles, sum.as_recorded
    )?;
    for toggle in toggles.iter().filter(|toggle| !toggle.ok()) {
        writeln!(
            out,
            "  {} to {} ({}), {}: by {} simulated, by {} recorded",
            visible(toggle.from.chars()),
            visible(toggle.to.chars()),
            visible(toggle.changed.chars()),
            toggle.name,
            number(toggle.predicted),
            number(toggle.recorded)
        )?;
    }
    for kind in FactKind::ALL {
        let all = replayed.iter().map(|facts| facts.of(kind));
        let s = all.fold(Score::default(), |sum: Score, s| sum.plus(s));
        if s.facts() > 0 {
            let word = kind.word();
            writeln!(
                out,
                "  {word:<12} {:>7} right {:>6} ties {:>6} wrong",
                s.right, s.ties, s.wrong
            )?;
        }
    }
    Ok(())
}
