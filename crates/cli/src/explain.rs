//! `schedlab explain`: what a CPU does next, every candidate and every number compared, in words.

use crate::args::Explain;
use crate::drive::{drive, drive_until};
use crate::failure::{Failure, named};
use crate::interrupt;
use crate::numbers::{count, time};
use crate::steps::step_words;
use crate::table::{Page, Table};
use crate::words::{self, signed};
use schedlab_engine::config::text::time_text;
use schedlab_engine::config::{Config, LIMITS, Scenario};
use schedlab_engine::fragment;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::explain::{Basis, Explained, Explanation, Place};
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sched::{Candidate, Role, Verdict};
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use std::io::{self, Write};

/// Runs to the time asked for and explains what comes next.
pub(crate) fn explain(asked: &Explain, out: &mut dyn Write) -> Result<(), Failure> {
    let given = asked.source.read()?;
    given.tell(false)?;
    let at = instant(&asked.at)?;
    let scenario = given.scenario()?;
    let cpus = scenario.topology.cpus();
    if let Some(cpu) = asked.cpu.filter(|cpu| *cpu >= cpus) {
        let words = format!(
            "--cpu {cpu}: the machine has {cpus} CPUs; use 0 to {}",
            cpus - 1
        );
        return Err(Failure::input(words));
    }
    let mut names = words::Names::new(&scenario);
    let mut sim = Sim::new(&scenario);
    drive_until(&mut sim, &scenario, (&mut names, |_| false), None, at);
    if interrupt::asked() {
        return Ok(());
    }
    let now = sim.progress().now;
    let cpu = asked.cpu.map(CpuId);
    let explanation = schedlab_engine::observe::explain::explain(&sim, cpu, interrupt::asked);
    let Some(explanation) = explanation.filter(|_| now == at) else {
        let whose = cpu.map_or(String::new(), |c| format!(" on CPU {}", c.0));
        let end = drive(&mut sim, &scenario, &mut (), None, |()| false);
        if interrupt::asked() {
            return Ok(());
        }
        let (at, end) = (&asked.at, time(end.progress.now.0));
        let words = format!(
            "explain: --at {at}: nothing is decided{whose} from then on; the run ends at {end}"
        );
        return Err(Failure::input(words));
    };
    explanation
        .decisions
        .iter()
        .filter_map(|d| d.event.as_ref())
        .for_each(|e| names.record(now, e));
    print(
        &explanation,
        (&given.config, &scenario),
        (now, &names),
        &mut Page::stdout(out),
    )?;
    Ok(())
}

/// `text` as an instant that a run can come to.
fn instant(text: &str) -> Result<Instant, Failure> {
    let latest = LIMITS.duration.1;
    let ns = fragment::parse_time(text).filter(|ns| *ns <= latest);
    let words = || {
        let latest = time_text(latest.0.into());
        format!(
            "explain: --at {}: use a time from 0 to {latest}, such as 12.5ms, 750us or 1.5s",
            named(text)
        )
    };
    ns.map(|ns| Instant(ns.0))
        .ok_or_else(|| Failure::input(words()))
}

fn print(
    explanation: &Explanation,
    (config, scenario): (&Config, &Scenario),
    (now, names): (Instant, &words::Names<'_>),
    page: &mut Page<'_>,
) -> io::Result<()> {
    let running = explanation.running.map_or("nothing", |t| names.of(t));
    page.bold(&format!(
        "CPU {} of {} under {}, from {} on; running: {running}",
        explanation.cpu.0,
        config.machine.name,
        config.kernel.name,
        words::instant(now).trim_start()
    ))?;
    for alike in explanation.decisions.chunk_by(uneventful) {
        if alike.len() > 1 {
            let (first, last) = (&alike[0], &alike[alike.len() - 1]);
            let (n, until) = (alike.len(), words::instant(last.at));
            let what = what(first, names);
            page.line(&format!(
                "{}  {what}; {n} of these until {}",
                words::instant(first.at),
                until.trim_start()
            ))?;
        } else {
            one(&alike[0], names, (config, scenario), page)?;
        }
    }
    Ok(())
}

/// Are these two ticks that came to the same, and to nothing?
fn uneventful(a: &Explained, b: &Explained) -> bool {
    match (&a.event, &b.event) {
        (Some(Event::Tick { tick: a, .. }), Some(Event::Tick { tick: b, .. })) => a == b,
        _ => false,
    }
}

/// One thing that happened, and what it was decided from.
fn one(
    explained: &Explained,
    names: &words::Names<'_>,
    (config, scenario): (&Config, &Scenario),
    page: &mut Page<'_>,
) -> io::Result<()> {
    let line = format!(
        "{}  {}",
        words::instant(explained.at),
        what(explained, names)
    );
    let rules = &scenario.kernel.rules;
    match &explained.basis {
        None => page.line(&line),
        Some(Basis::Pick {
            candidates,
            waiting,
            nr_running,
            ..
        }) => {
            page.heading(&line)?;
            pick(candidates, names, page)?;
            queue(waiting, *nr_running, names, page)?;
            rule(config, "picker", &format!("{:?}", rules.picker), page)
        }
        Some(Basis::Selection { steps, .. }) => {
            page.heading(&line)?;
            for step in steps {
                page.line(&format!("      {}", step_words(step)))?;
            }
            rule(config, "select", &format!("{:?}", rules.select), page)?;
            page.line("")
        }
    }
}

/// What happened, in a line.
fn what(explained: &Explained, names: &words::Names<'_>) -> String {
    match (&explained.event, &explained.basis) {
        (Some(event), _) => words::event(event, names),
        (None, Some(Basis::Pick { cpu, task, .. })) => {
            let task = task.map_or("idle", |t| names.of(t));
            format!("CPU {}: {task} is picked again", cpu.0)
        }
        (None, _) => String::new(),
    }
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::Next => "next buddy",
        Role::Last => "last buddy",
        Role::Second => "second, as the leftmost has yielded",
        Role::Left => "leftmost",
    }
}

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Take => "taken",
        Verdict::TooFar => "no: too far right of the leftmost",
        Verdict::FeatureOff => "no: its feature is off",
    }
}

fn pick(candidates: &[Candidate], names: &words::Names<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let mut table = Table::new(&[
        "<",
        "<candidate",
        "<task",
        "vruntime",
        "right of leftmost",
        "may be right",
        "<verdict",
    ]);
    for c in candidates {
        table.row([
            String::from("  "),
            role(c.role).to_string(),
            c.task.map_or("a group", |t| names.of(t)).to_string(),
            signed(c.vruntime),
            signed(c.gap),
            if c.gap > 0 {
                time(c.limit)
            } else {
                String::from("-")
            },
            verdict(c.verdict).to_string(),
        ]);
    }
    if candidates.is_empty() {
        return page.line("      nobody waits");
    }
    table.print(page)
}

fn queue(
    waiting: &[Place],
    nr_running: u32,
    names: &words::Names<'_>,
    page: &mut Page<'_>,
) -> io::Result<()> {
    if waiting.len() < 2 {
        return Ok(());
    }
    page.dim(&format!(
        "      waiting, leftmost first; {} runnable",
        count(nr_running.into())
    ))?;
    let mut table = Table::new(&["<", "<", "", "", "<"]);
    for place in waiting {
        let marks = match (place.next_buddy, place.last_buddy) {
            (true, true) => "next, last",
            (true, false) => "next",
            (false, true) => "last",
            (false, false) => "",
        };
        table.row([
            String::from("  "),
            place.task.map_or("a group", |t| names.of(t)).to_string(),
            format!("+{}", time(place.behind.unsigned_abs())),
            format!("weight {}", place.weight),
            marks.to_string(),
        ]);
    }
    table.print(page)
}

/// The rule that decided, and the commit it comes from.
fn rule(config: &Config, name: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    let source = config.source_of_rule(name).map_or_else(
        || format!("as in {}", config.kernel.base.name()),
        |d| format!("{} {} ({}): {}", d.id, d.name, d.commits, d.what),
    );
    page.dim(&format!("      {name} {value}, {source}"))
}
