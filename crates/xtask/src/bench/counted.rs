//! Instructions, counted by callgrind.
//!
//! valgrind is optional: without it, or on a machine whose instructions are others, nothing is counted, in so many words.
//! Not here: what is made of the counts (`ratchet`).

use super::{Measured, PROGRAM};
use crate::Outcome;
use crate::process::{cargo, output, which};
use std::fs;

/// The instructions of one experiment, from the start of the program to its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) name: String,
    pub(super) instructions: u64,
    pub(super) messages: u64,
    pub(super) simulated_ns: u64,
}

/// Counts each experiment, and prints what came out; nothing where nothing can be counted.
pub(super) fn count(measured: &[Measured]) -> Outcome<Vec<Counted>> {
    if !can_count() {
        return Ok(Vec::new());
    }
    println!(
        "{:10} {:>13} {:>10} {:>10} {:>15}",
        "experiment", "instructions", "an event", "a message", "a simulated ms"
    );
    let mut all = Vec::new();
    for one in measured {
        all.push(count_one(one)?);
        print_row(one, all[all.len() - 1].instructions);
    }
    Ok(all)
}

/// Can instructions be counted here? If not, it is said why.
pub(super) fn can_count() -> bool {
    if std::env::consts::ARCH != "x86_64" {
        println!("no instructions are counted: those in bench.txt are of x86_64");
        return false;
    }
    if which("valgrind").is_none() {
        println!("no instructions are counted: there is no valgrind (apt-get install valgrind)");
        return false;
    }
    true
}

pub(super) fn count_one(one: &Measured) -> Outcome<Counted> {
    let name = format!("schedlab-callgrind-{}-{}", std::process::id(), one.name);
    let file = std::env::temp_dir().join(name);
    let shown = file.display();
    // cargo starts the program that it has built through this.
    let runner = format!(
        "target.'cfg(all())'.runner = ['valgrind', '--tool=callgrind', '--quiet', '--callgrind-out-file={shown}']"
    );
    let bench = ["bench", one.name.as_str(), "--rounds", "1", "--lines"];
    output(
        cargo()
            .args(["--config", &runner])
            .args(PROGRAM)
            .args(bench),
    )?;
    let profile = fs::read_to_string(&file).map_err(|error| format!("{shown}: {error}"))?;
    fs::remove_file(&file).map_err(|error| format!("{shown}: {error}"))?;
    let instructions = total(&profile).ok_or("callgrind's profile holds no total")?;
    Ok(Counted {
        name: one.name.clone(),
        instructions,
        messages: one.messages,
        simulated_ns: one.simulated_ns,
    })
}

fn print_row(one: &Measured, instructions: u64) {
    let per = |count: u64| match count {
        0 => "-".to_string(),
        _ => format!("{:.1}", instructions as f64 / count as f64),
    };
    let (events, messages) = (per(one.events), per(one.messages));
    let simulated = per(one.simulated_ns / 1_000_000);
    let name = &one.name;
    println!("{name:10} {instructions:>13} {events:>10} {messages:>10} {simulated:>15}");
}

/// The sum at the end of a profile.
fn total(profile: &str) -> Option<u64> {
    let line = profile
        .lines()
        .find_map(|line| line.strip_prefix("totals:"));
    line?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_sum_of_a_profile() {
        assert_eq!(total("events: Ir\nfn=(1)\n3 4\n\ntotals: 303\n"), Some(303));
        assert_eq!(total("events: Ir\n"), None);
    }
}
