//! `schedlab compare`: two experiments side by side, how they differ, and where they part.

use crate::args::Compare;
use crate::failure::Failure;
use crate::input::Given;
use crate::interrupt;
use crate::json;
use crate::numbers::{change, count, percent, rates, times};
use crate::outcome::Outcome;
use crate::report::{account_sums, quota_stats};
use crate::run::print_json;
use crate::setup::setup;
use crate::table::{Page, Table};
use crate::words;
use schedlab_engine::fragment;
use schedlab_engine::observe::parting::{Dated, Kind, Parting, Partings};
use schedlab_engine::observe::{Account, Distribution};
use schedlab_engine::sim::divergence;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Runs both and says how they differ.
pub(crate) fn compare(compare: &Compare, out: &mut dyn Write) -> Result<(), Failure> {
    let mut a = compare.a.read_as("A: ")?;
    let b = match &compare.b {
        Some(b) => b.read_over("B: ", &a)?,
        None => a.other("B: ").ok_or_else(|| {
            let place = a.place();
            Failure::input(format!("compare: {place}: compared with what? {EXAMPLE}"))
        })?,
    };
    if compare.b.is_none() {
        a.versus = None;
    }
    a.tell(compare.output.strict)?;
    b.tell(compare.output.strict)?;
    // Both are checked before either is run.
    let scenarios = (a.scenario()?, b.scenario()?);
    let result_a = a.run(&compare.output, &mut (), |()| false)?;
    let result_b = b.run(&compare.output, &mut (), |()| false)?;
    let divergence = if result_a.hash == result_b.hash {
        Partings::default()
    } else {
        divergence::find(
            &scenarios.0,
            &scenarios.1,
            (Instant::ZERO, 1),
            interrupt::asked,
        )
    };
    if compare.output.json {
        return print_json(
            &as_value((&a, &b), (&result_a, &result_b), &divergence),
            out,
        );
    }
    print((&result_a, &result_b), &divergence, &mut Page::stdout(out))?;
    Ok(())
}

/// How two are named.
const EXAMPLE: &str = "Name two experiments, for example v=1 '&k=2.6.31'";

type Both<'o> = (&'o Outcome, &'o Outcome);

fn print(both: Both<'_>, divergence: &Partings, page: &mut Page<'_>) -> io::Result<()> {
    let sides = [("A", both.0), ("B", both.1)];
    for (name, outcome) in sides {
        page.bold(&format!("{name}: {}", outcome.title()))?;
        setup(&outcome.config, page)?;
        page.text(2, &format!("{name} ended: {}", outcome.ended()))?;
    }
    let difference = fragment::difference(&both.0.config, &both.1.config);
    page.heading(&if difference.is_empty() {
        String::from("A and B are the same experiment")
    } else {
        format!("From A to B: {difference}")
    })?;
    let interrupted = sides.iter().any(|(_, outcome)| outcome.interrupted());
    if interrupted {
        page.heading("Stopped before both had ended: what follows is no comparison")?;
    }
    measures(both, page)?;
    if both.0.hash == both.1.hash {
        page.heading("Every decision is the same")?;
    } else if interrupted {
        page.heading("Where they part was not looked for to the end")?;
    } else if divergence.decisions.is_empty() {
        page.heading("Every decision that both come to has the same outcome")?;
    }
    for line in only(divergence, both) {
        page.heading(&line)?;
    }
    for (words, parting) in partings(divergence) {
        part(words, &parting, both, page)?;
    }
    let below = sides.map(|(name, outcome)| (name, outcome.link_below()));
    for (name, link) in below {
        if let Some(link) = link {
            page.heading(&format!("Link of {name}"))?;
            page.line(&link)?;
        }
    }
    Ok(())
}

/// How both sides of a number are shown.
type Show = fn([f64; 2]) -> [String; 2];

/// One number of a run.
struct Measure {
    name: String,
    of: fn(&Outcome, usize) -> f64,
    at: usize,
    show: Show,
}

impl Measure {
    fn new(name: &str, show: Show, of: fn(&Outcome, usize) -> f64) -> Measure {
        Measure {
            name: name.to_string(),
            of,
            at: 0,
            show,
        }
    }
}

fn show_counts(both: [f64; 2]) -> [String; 2] {
    both.map(|n| count(n as u64))
}

fn show_shares(both: [f64; 2]) -> [String; 2] {
    both.map(|share| percent((share * 1e6) as u64, 1_000_000))
}

fn wait(outcome: &Outcome, which: fn(&Distribution) -> u64) -> f64 {
    let distribution = outcome.report.global.wake_to_run;
    distribution.map_or(0.0, |d| which(&d) as f64)
}

fn length(outcome: &Outcome, which: fn(&Distribution) -> u64) -> f64 {
    outcome.report.global.run.map_or(0.0, |d| which(&d) as f64)
}

/// The numbers that are compared.
fn all_measures() -> Vec<Measure> {
    let m = Measure::new;
    let mut all = vec![
        m("time measured", times, |o, _| o.measured_ns() as f64),
        m("messages a second", rates, |o, _| o.messages_per_second()),
        m("simulated", times, |o, _| o.report.totals.now.0 as f64),
        m("wakeup to running, p50", times, |o, _| wait(o, |d| d.p50)),
        m("wakeup to running, p99", times, |o, _| wait(o, |d| d.p99)),
        m("wakeup to running, max", times, |o, _| wait(o, |d| d.max)),
        m("length of a run, p50", times, |o, _| length(o, |d| d.p50)),
        m("length of a run, mean", times, |o, _| length(o, |d| d.mean)),
        m("longest wait", times, |o, _| {
            let waits = o.report.tasks.iter().map(|t| t.longest_wait_ns);
            waits.max().unwrap_or(0) as f64
        }),
        m("throttled", times, |o, _| {
            let stats = quota_stats(o).map(|(_, stat)| stat.throttled_time);
            stats.sum::<u64>() as f64
        }),
        m("switches", show_counts, |o, _| {
            o.report.global.context_switches as f64
        }),
        m("voluntary", show_counts, |o, _| {
            o.report.global.voluntary as f64
        }),
        m("preempted by a wakeup", show_counts, |o, _| {
            o.report.global.wakeup_preemptions as f64
        }),
        m(
            "preempted at a tick or by the hrtick",
            show_counts,
            |o, _| o.report.global.tick_preemptions as f64,
        ),
        m("wakeups", show_counts, |o, _| {
            o.report.global.wakeups as f64
        }),
        m("migrations", show_counts, |o, _| {
            o.report.global.migrations as f64
        }),
        m("run queues read", show_counts, |o, _| {
            o.report.global.visited as f64
        }),
        m("tasks moved by balancing", show_counts, |o, _| {
            o.report.global.pulled as f64
        }),
        m("idle while a task waits", show_shares, |o, _| {
            o.report.global.wasted_ns as f64 / account_sums(o).iter().sum::<u64>().max(1) as f64
        }),
    ];
    for (at, account) in Account::ALL.iter().enumerate() {
        let of = |o: &Outcome, at: usize| {
            let sums = account_sums(o);
            sums[at] as f64 / sums.iter().sum::<u64>().max(1) as f64
        };
        let mut share = m("", show_shares, of);
        share.name = format!("CPU time: {}", account.name());
        share.at = at;
        all.push(share);
    }
    all
}

fn measures((a, b): Both<'_>, page: &mut Page<'_>) -> io::Result<()> {
    page.line("")?;
    let mut table = Table::new(&["<", "A", "B", "from A to B"]);
    for measure in all_measures() {
        let (x, y) = ((measure.of)(a, measure.at), (measure.of)(b, measure.at));
        if x != 0.0 || y != 0.0 {
            let [a, b] = (measure.show)([x, y]);
            table.row([measure.name.clone(), a, b, change(x, y)]);
        }
    }
    table.print(page)
}

/// Where they part, in order, with words for each.
fn partings(divergence: &Partings) -> Vec<(&'static str, Parting)> {
    let mut all: Vec<(&str, Parting)> = [
        ("First at another time", divergence.time),
        ("First for another reason", divergence.reason),
        (
            "First decided differently",
            divergence.decisions.first().copied(),
        ),
    ]
    .into_iter()
    .filter_map(|(words, parting)| Some((words, parting?)))
    .collect();
    all.sort_by_key(|(_, parting)| parting.first());
    all
}

/// Which decision it is: `the pick as hog#1 leaves its CPU, the 2nd time since its 3rd wakeup`.
fn which(parting: &Parting, both: Both<'_>) -> String {
    let [a, b] = parting.tasks;
    let task = match (a, b) {
        (Some(task), _) => name(both.0, task),
        (None, Some(task)) => name(both.1, task),
        (None, None) => String::from("a task"),
    };
    let since = match parting.wakeup {
        0 => String::from("its start"),
        n => format!("its {} wakeup", ordinal(n)),
    };
    let nth = ordinal(parting.nth + 1);
    match parting.kind {
        Kind::Selection => format!("the CPU for {task} at {since}"),
        Kind::Preemption => format!("whether {task} preempts at {since}"),
        Kind::Pick => format!("the pick as {task} leaves its CPU, the {nth} time since {since}"),
        Kind::Move => format!("where balancing moves {task}, the {nth} time since {since}"),
    }
}

fn name(outcome: &Outcome, task: TaskId) -> String {
    outcome.names().of(task).to_string()
}

fn ordinal(n: u32) -> String {
    let ending = match (n % 10, n % 100) {
        (1, last) if last != 11 => "st",
        (2, last) if last != 12 => "nd",
        (3, last) if last != 13 => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// Tasks that only one of the runs has, in words.
fn only(divergence: &Partings, both: Both<'_>) -> Vec<String> {
    let sides = [("A", "B", both.0), ("B", "A", both.1)];
    let line = |((has, lacks, outcome), tasks): ((&str, &str, &Outcome), &Vec<TaskId>)| {
        let first = name(outcome, *tasks.first()?);
        let named = match tasks.len() {
            1 => first,
            n => format!("{n} tasks ({first}, …)"),
        };
        Some(format!(
            "{has} has {named}, which {lacks} has not; the others are compared"
        ))
    };
    sides
        .into_iter()
        .zip(&divergence.only)
        .filter_map(line)
        .collect()
}

fn part(heading: &str, parting: &Parting, both: Both<'_>, page: &mut Page<'_>) -> io::Result<()> {
    page.heading(&format!("{heading}: {}", which(parting, both)))?;
    for (name, dated, outcome) in [("A", parting.a, both.0), ("B", parting.b, both.1)] {
        page.hanging(2, &format!("{name}  {}", side(dated, outcome)))?;
    }
    Ok(())
}

fn side(dated: Option<Dated>, outcome: &Outcome) -> String {
    match dated {
        Some(Dated { at, event }) => {
            let names = outcome.names();
            format!("{}  {}", words::instant(at), words::event(&event, &names))
        }
        None => String::from("does not come to this"),
    }
}

fn as_value(given: (&Given, &Given), both: Both<'_>, divergence: &Partings) -> Value {
    let run = |g: &Given, o: &Outcome| json!(json::Run::new(o, g.warnings()));
    let measures: Vec<Value> = all_measures()
        .iter()
        .map(|m| {
            let (a, b) = ((m.of)(both.0, m.at), (m.of)(both.1, m.at));
            json!({ "name": m.name, "a": a, "b": b })
        })
        .collect();
    let parting = |parting: Option<Parting>| {
        let p = parting?;
        Some(json!({
            "what": which(&p, both), "a": side(p.a, both.0), "b": side(p.b, both.1),
            "a_ns": p.a.map(|d| d.at.0), "b_ns": p.b.map(|d| d.at.0),
        }))
    };
    json!({
        "schema": json::SCHEMA,
        "difference": fragment::difference(&both.0.config, &both.1.config),
        "same": both.0.hash == both.1.hash,
        "first_decision": parting(divergence.decisions.first().copied()),
        "first_reason": parting(divergence.reason),
        "first_time": parting(divergence.time),
        "measures": measures,
        "a": run(given.0, both.0),
        "b": run(given.1, both.1),
    })
}
