//! `schedlab bench`: how fast the simulator is, on fixed scenarios whose results are known.
//!
//! A scenario whose hash is not the known one has measured something else, and is an error. Not here: counting
//! instructions, and the browser; `cargo xtask bench` does both with these scenarios.

use crate::failure::{Failure, named};
use crate::interrupt;
use crate::numbers::{count, rate, time};
use crate::run::print_json;
use crate::table::{Page, Table};
use schedlab_engine::config::Scenario;
use schedlab_engine::config::fixed::{FIXED, Fixed, PICKS};
use schedlab_engine::fragment;
use schedlab_engine::observe::{Event, Hash, Observer};
use schedlab_engine::sim::Sim;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

/// What one round came to.
struct Round {
    elapsed: Duration,
    /// Time on a CPU, where the system tells.
    on_cpu: Option<Duration>,
    events: u64,
    messages: u64,
    simulated_ns: u64,
    hash: u64,
}

impl Round {
    /// What rates are per second of: others on the machine slow real time more than CPU time.
    fn paid(&self) -> f64 {
        self.on_cpu
            .filter(|time| !time.is_zero())
            .unwrap_or(self.elapsed)
            .as_secs_f64()
    }
}

/// Time that this thread has had on a CPU; up to date as of the last tick. Linux tells; others do not.
fn on_cpu() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let ns = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(ns))
}

/// Counts messages.
#[derive(Default)]
struct Messages(u64);

impl Observer for Messages {
    fn record(&mut self, _: schedlab_engine::time::Instant, event: &Event) {
        self.0 += u64::from(matches!(event, Event::Message { .. }));
    }
}

/// How to print what was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// A table.
    #[default]
    Table,
    /// JSON.
    Json,
    /// A line for each scenario: name, hash, events, messages, simulated ns, ns of CPU time (or of real time
    /// where the system does not tell), link.
    Lines,
}

/// Runs the scenarios (or the one named `only`), each `rounds` times, and prints the median round.
pub(crate) fn bench(
    only: Option<&str>,
    rounds: u32,
    form: Form,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let chosen = chosen(only);
    if chosen.is_empty() {
        let names = FIXED.iter().chain(picks()).map(|fixed| fixed.name);
        let names: Vec<&str> = names.collect();
        let only = only.unwrap_or_default();
        let hint = names.join(", ");
        return Err(Failure::input(format!(
            "bench: no scenario {}; use {hint}",
            named(only)
        )));
    }
    interrupt::listen();
    let all = chosen.len();
    let mut results = Vec::new();
    for fixed in chosen {
        let rounds = (0..rounds)
            .take_while(|_| !interrupt::asked())
            .map(|_| round(fixed));
        results.extend(median(rounds.collect()).map(|median| (fixed, median)));
    }
    interrupt::tell(|| {
        let done = results.len();
        format!("bench: {done} of {all} scenarios were measured, the last one in fewer rounds")
    });
    match form {
        Form::Table => print(&results, &mut Page::stdout(out))?,
        Form::Json => print_json(&results.iter().map(as_value).collect::<Vec<_>>(), out)?,
        Form::Lines => print_lines(&results, out)?,
    }
    check(&results)
}

/// The one named so; without a name those that are run by default.
fn chosen(only: Option<&str>) -> Vec<&'static Fixed> {
    match only {
        None => FIXED.iter().collect(),
        Some(name) => {
            let all = FIXED.iter().chain(picks());
            all.filter(|fixed| fixed.name == name).collect()
        }
    }
}

/// The experiments on picks, in pairs.
fn picks() -> impl Iterator<Item = &'static Fixed> {
    PICKS.iter().flat_map(|(short, long)| [short, long])
}

/// The round in the middle; of an even number the faster of the two.
fn median(mut rounds: Vec<Round>) -> Option<Round> {
    rounds.sort_by(|a, b| a.paid().total_cmp(&b.paid()));
    let middle = rounds.len().checked_sub(1)? / 2;
    Some(rounds.swap_remove(middle))
}

fn round(fixed: &Fixed) -> Round {
    let (config, _) = fragment::parse(fixed.link);
    let scenario = Scenario::try_from(&config).expect("a fixed scenario is sound");
    let mut watch = (Hash::default(), Messages::default());
    let mut sim = Sim::new(&scenario);
    let (started, had) = (Instant::now(), on_cpu());
    let progress = sim.run_until(schedlab_engine::time::Instant::FAR, &mut watch);
    Round {
        elapsed: started.elapsed(),
        on_cpu: on_cpu().zip(had).map(|(has, had)| has.saturating_sub(had)),
        events: progress.events,
        messages: watch.1.0,
        simulated_ns: progress.now.0,
        hash: watch.0.get(),
    }
}

fn print(results: &[(&Fixed, Round)], page: &mut Page<'_>) -> std::io::Result<()> {
    let mut table = Table::new(&[
        "<scenario",
        "time",
        "CPU time",
        "events",
        "events/s",
        "messages",
        "messages/s",
        "real time",
        "<hash",
        "<",
    ]);
    for (fixed, round) in results {
        let seconds = round.paid();
        table.row([
            fixed.name.to_string(),
            time(round.elapsed.as_nanos() as u64),
            round
                .on_cpu
                .map_or_else(String::new, |spent| time(spent.as_nanos() as u64)),
            count(round.events),
            rate(round.events as f64 / seconds),
            count(round.messages),
            rate(round.messages as f64 / seconds),
            format!("x {}", rate(round.simulated_ns as f64 / 1e9 / seconds)),
            format!("{:016x}", round.hash),
            fixed.what.to_string(),
        ]);
    }
    table.print(page)
}

fn print_lines(results: &[(&Fixed, Round)], out: &mut dyn Write) -> std::io::Result<()> {
    for (fixed, round) in results {
        let Round {
            events,
            messages,
            simulated_ns,
            hash,
            ..
        } = round;
        let (name, link, paid_ns) = (fixed.name, fixed.link, (round.paid() * 1e9) as u64);
        writeln!(
            out,
            "{name} {hash:016x} {events} {messages} {simulated_ns} {paid_ns} {link}"
        )?;
    }
    Ok(())
}

fn as_value((fixed, round): &(&Fixed, Round)) -> Value {
    let seconds = round.paid();
    json!({
        "scenario": fixed.name, "link": fixed.link, "elapsed_s": round.elapsed.as_secs_f64(),
        "cpu_s": round.on_cpu.map(|time| time.as_secs_f64()), "events": round.events,
        "messages": round.messages, "simulated_ns": round.simulated_ns,
        "events_per_s": round.events as f64 / seconds, "messages_per_s": round.messages as f64 / seconds,
        "hash": format!("{:016x}", round.hash), "expected_hash": format!("{:016x}", fixed.hash),
    })
}

fn check(results: &[(&Fixed, Round)]) -> Result<(), Failure> {
    let wrong: Vec<String> = results
        .iter()
        .filter(|(fixed, round)| fixed.hash != round.hash)
        .map(|(fixed, round)| {
            let (name, hash, known) = (fixed.name, round.hash, fixed.hash);
            format!("bench {name}: the hash is {hash:016x} and must be {known:016x}: this simulator does something else")
        })
        .collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failure::Run(wrong))
    }
}
