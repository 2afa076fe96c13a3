//! How fast the simulator is: real speed here and in a browser to look at, instructions to hold on to.
//!
//! Instructions hardly depend on the machine, nor on who else is busy on it, so `bench.txt` holds them as a ratchet; no
//! time is ever judged. A result whose hash is not the known one is an error, here and in the browser. What is run is the
//! engine's (`crates/engine/src/config/fixed.rs`). Not here: counting (`counted`) and judging (`ratchet`).

mod counted;
mod picks;
mod ratchet;

use crate::args::Args;
use crate::process::{cargo, command, output, run};
use crate::serve::{self, Site};
use crate::{Outcome, browser, build, npm, root, size};

/// What the command line said of one experiment.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    name: String,
    hash: String,
    events: u64,
    messages: u64,
    simulated_ns: u64,
    /// CPU time, where the system tells.
    spent_ns: u64,
    link: String,
}

/// `cargo xtask bench`.
pub(crate) fn chore(mut args: Args) -> Outcome {
    let (only_check, bless) = (args.flag("--check"), args.flag("--bless"));
    let (native_only, only_picks) = (args.flag("--native"), args.flag("--picks"));
    let rounds = args.value::<u32>("--rounds")?.unwrap_or(5).max(1);
    args.end()?;
    if only_picks {
        return picks::table();
    }
    if only_check {
        return check();
    }
    let measured = measure(rounds)?;
    println!("{}", speed_head());
    for one in &measured {
        let ms = one.spent_ns as f64 / 1e6;
        println!("{}", speed_line(one, "native", ms, &one.hash));
    }
    if !native_only {
        in_browser(&measured, rounds)?;
    }
    println!(
        "\nCPU time, the median of {rounds} rounds; it still wobbles with what else the machine does.\n"
    );
    let counted = counted::count(&measured)?;
    if bless {
        return ratchet::bless(&counted);
    }
    ratchet::judge(&counted)
}

/// Hashes and instructions only: what a test can hold.
pub(crate) fn check() -> Outcome {
    let measured = measure(1)?;
    println!("{} results have their known hashes", measured.len());
    ratchet::judge(&counted::count(&measured)?)
}

/// How the command line's program is built and started.
const PROGRAM: [&str; 5] = [
    "run",
    "--quiet",
    "--release",
    "--package=schedlab-cli",
    "--",
];

/// Runs the experiments natively; the program fails when a hash is not the known one.
fn measure(rounds: u32) -> Outcome<Vec<Measured>> {
    lines_of(&["bench", "--lines", "--rounds", &rounds.to_string()])
}

/// What the program prints of these experiments.
fn lines_of(args: &[&str]) -> Outcome<Vec<Measured>> {
    let mut program = cargo();
    program.args(PROGRAM).args(args);
    let lines = output(&mut program)?;
    let measured: Option<Vec<_>> = lines.lines().map(measured).collect();
    measured.ok_or_else(|| format!("`schedlab bench --lines` printed {lines:?}"))
}

fn measured(line: &str) -> Option<Measured> {
    let words: Vec<&str> = line.split(' ').collect();
    let [name, hash, events, messages, simulated_ns, spent_ns, link] = words[..] else {
        return None;
    };
    Some(Measured {
        name: name.to_string(),
        hash: hash.to_string(),
        events: events.parse().ok()?,
        messages: messages.parse().ok()?,
        simulated_ns: simulated_ns.parse().ok()?,
        spent_ns: spent_ns.parse().ok()?,
        link: link.to_string(),
    })
}

fn speed_head() -> String {
    format!(
        "{:10} {:32} {:>9} {:>11} {:>11} {:>10}  hash",
        "experiment", "where", "CPU ms", "events/s", "messages/s", "real time"
    )
}

fn speed_line(one: &Measured, place: &str, ms: f64, hash: &str) -> String {
    let rate = |count: u64| format!("{:.2} M", count as f64 / ms / 1e3);
    let (events, messages) = (rate(one.events), rate(one.messages));
    let faster = format!("x {:.1}", one.simulated_ns as f64 / 1e6 / ms);
    let name = &one.name;
    format!("{name:10} {place:32} {ms:>9.1} {events:>11} {messages:>11} {faster:>10}  {hash}")
}

/// The same experiments in a worker of the built site.
fn in_browser(measured: &[Measured], rounds: u32) -> Outcome {
    build::site()?;
    let links: Vec<&str> = measured.iter().map(|one| one.link.as_str()).collect();
    let lines = output(&mut script("engine.mjs", &links, rounds)?)?;
    if lines.lines().count() != measured.len() {
        return Err(format!("tests/bench/engine.mjs printed {lines:?}"));
    }
    let mut wrong = Vec::new();
    for (one, line) in measured.iter().zip(lines.lines()) {
        let (hash, alone_ms, watched_ms) = in_browser_line(line)
            .ok_or_else(|| format!("tests/bench/engine.mjs printed {line:?}"))?;
        println!(
            "{}",
            speed_line(one, "Chromium, the engine alone", alone_ms, hash)
        );
        println!(
            "{}",
            speed_line(one, "Chromium, as the page runs it", watched_ms, hash)
        );
        if hash != one.hash {
            wrong.push(one.name.as_str());
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("other hashes in the browser: {}", wrong.join(", ")))
}

/// Hash, ms of the engine alone, ms as the page runs it.
fn in_browser_line(line: &str) -> Option<(&str, f64, f64)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [hash, alone, watched] = words[..] else {
        return None;
    };
    Some((hash, alone.parse().ok()?, watched.parse().ok()?))
}

/// A script of `tests/bench`, to be run on the built site.
fn script(name: &str, args: &[&str], rounds: u32) -> Outcome<std::process::Command> {
    let browser = browser::find_or_install()?;
    npm::find_or_install()?;
    let address = serve::in_background(Site::new(build::dist(), "/")?)?;
    let mut node = command("node");
    node.arg(root().join("tests/bench").join(name))
        .args(args)
        .env("SCHEDLAB_URL", address)
        .env("SCHEDLAB_ROUNDS", rounds.to_string())
        .env("CHROME", browser.program);
    Ok(node)
}

/// `cargo xtask budgets`: how the built page keeps what was promised of it.
pub(crate) fn budgets(mut args: Args) -> Outcome {
    let rounds = args.value::<u32>("--rounds")?.unwrap_or(5).max(1);
    let no_build = args.flag("--no-build");
    args.end()?;
    if !no_build {
        build::site()?;
    }
    run(&mut script("budgets.mjs", &[], rounds)?)?;
    println!();
    size::check()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the command line's.
    const LINE: &str = "mixed 00ff 500 2000 3000000 1000000 m=q6600&w=tcp_rr";

    #[test]
    fn reads_what_the_programs_print() {
        let one = measured(LINE).expect("seven words");
        assert_eq!((one.events, one.messages), (500, 2000));
        assert_eq!(one.link, "m=q6600&w=tcp_rr");
        assert_eq!(measured("mixed 00ff 500"), None);
        assert_eq!(measured(&LINE.replace("500", "many")), None);
        assert_eq!(in_browser_line("00ff 1.5 2"), Some(("00ff", 1.5, 2.0)));
        assert_eq!(in_browser_line("00ff 1.5"), None);
    }

    #[test]
    fn rates_are_millions_a_second() {
        let one = measured(LINE).expect("seven words");
        let line = speed_line(&one, "native", 1.0, "00ff");
        assert!(
            line.contains(" 0.50 M      2.00 M      x 3.0  00ff"),
            "{line}"
        );
    }
}
