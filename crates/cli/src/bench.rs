//! `schedlab bench`: how fast the simulator is, on fixed scenarios whose results are known.
//!
//! A scenario whose hash is not the known one has measured something else, and is an error. Not here: counting
//! instructions; `docs/performance.md` says how to run these scenarios under callgrind.

use crate::failure::Failure;
use crate::interrupt;
use crate::numbers::{count, rate, time};
use crate::run::print_json;
use crate::table::{Page, Table};
use schedlab_engine::config::Scenario;
use schedlab_engine::config::fixed::{FIXED, Fixed};
use schedlab_engine::fragment;
use schedlab_engine::observe::{Event, Hash, Observer};
use schedlab_engine::sim::Sim;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

/// What one round came to.
struct Round {
    elapsed: Duration,
    events: u64,
    messages: u64,
    simulated_ns: u64,
    hash: u64,
}

/// Counts messages.
#[derive(Default)]
struct Messages(u64);

impl Observer for Messages {
    fn record(&mut self, _: schedlab_engine::time::Instant, event: &Event) {
        self.0 += u64::from(matches!(event, Event::Message { .. }));
    }
}

/// Runs the scenarios (or the one named `only`), each `rounds` times, and prints the fastest round.
pub(crate) fn bench(
    only: Option<&str>,
    rounds: u32,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let chosen: Vec<&Fixed> = FIXED
        .iter()
        .filter(|fixed| only.is_none_or(|name| name == fixed.name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = FIXED.iter().map(|fixed| fixed.name).collect();
        let only = only.unwrap_or_default();
        let hint = names.join(", ");
        return Err(Failure::Input(format!(
            "bench: no scenario {only}; use {hint}"
        )));
    }
    let mut results = Vec::new();
    for fixed in chosen {
        let best = (0..rounds)
            .take_while(|_| !interrupt::asked())
            .map(|_| round(fixed))
            .min_by_key(|round| round.elapsed);
        results.extend(best.map(|best| (fixed, best)));
    }
    if as_json {
        print_json(&results.iter().map(as_value).collect::<Vec<_>>(), out)?;
    } else {
        print(&results, &mut Page::stdout(out))?;
    }
    check(&results)
}

fn round(fixed: &Fixed) -> Round {
    let (config, _) = fragment::parse(fixed.link);
    let scenario = Scenario::try_from(&config).expect("a fixed scenario is sound");
    let mut watch = (Hash::default(), Messages::default());
    let mut sim = Sim::new(&scenario);
    let started = Instant::now();
    let progress = sim.run_until(schedlab_engine::time::Instant::FAR, &mut watch);
    Round {
        elapsed: started.elapsed(),
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
        "events",
        "events/s",
        "messages",
        "messages/s",
        "real time",
        "<hash",
        "<",
    ]);
    for (fixed, round) in results {
        let seconds = round.elapsed.as_secs_f64();
        table.row([
            fixed.name.to_string(),
            time(round.elapsed.as_nanos() as u64),
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

fn as_value((fixed, round): &(&Fixed, Round)) -> Value {
    let seconds = round.elapsed.as_secs_f64();
    json!({
        "scenario": fixed.name, "link": fixed.link, "elapsed_s": seconds, "events": round.events,
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
        Err(Failure::Run(wrong.join("\n")))
    }
}
