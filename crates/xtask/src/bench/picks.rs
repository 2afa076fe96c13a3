//! What a pick costs under EEVDF, by how many tasks wait: it must grow with the logarithm of their number.
//!
//! Each number of tasks runs for a while and for twice that while; what the longer run takes more, by its switches, is what
//! a switch costs: the charge, the yield, the pick out of the tree and the way back into it.

use super::counted::{can_count, count_one};
use super::lines_of;
use crate::Outcome;

/// How many tasks, as the experiments are named.
const TASKS: [u32; 4] = [10, 100, 1_000, 10_000];

/// The most that a switch among the most tasks may cost, in switches among the fewest: a logarithm grows fourfold.
const MOST: f64 = 4.0;

/// Prints the table; an error if a pick grows faster than it must.
pub(super) fn table() -> Outcome {
    if !can_count() {
        return Ok(());
    }
    println!(
        "{:>7} {:>10} {:>22}",
        "tasks", "switches", "instructions a switch"
    );
    let mut costs = Vec::new();
    for tasks in TASKS {
        let (switches, instructions) = difference(tasks)?;
        let cost = instructions as f64 / switches as f64;
        println!("{tasks:>7} {switches:>10} {cost:>22.0}");
        costs.push(cost);
    }
    judge(&costs)
}

/// The switches and instructions of the longer run that the shorter has not.
fn difference(tasks: u32) -> Outcome<(u64, u64)> {
    let mut runs = Vec::new();
    for end in ["", "-longer"] {
        let name = format!("picks-{tasks}{end}");
        let measured = lines_of(&["bench", &name, "--lines", "--rounds", "1"])?;
        let one = measured.first().ok_or("no experiment ran")?;
        runs.push((one.events, count_one(one)?.instructions));
    }
    Ok((runs[1].0 - runs[0].0, runs[1].1 - runs[0].1))
}

fn judge(costs: &[f64]) -> Outcome {
    let (Some(least), Some(most)) = (costs.first(), costs.last()) else {
        return Ok(());
    };
    let grown = most / least;
    println!("from the fewest tasks to the most it costs {grown:.2} times as much");
    if grown > MOST {
        return Err(format!(
            "that is more than {MOST}: some step looks at all of them"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_passes_and_a_walk_does_not() {
        assert_eq!(judge(&[2000.0, 2500.0, 3000.0, 3500.0]), Ok(()));
        assert!(judge(&[2000.0, 2900.0, 11_900.0, 101_900.0]).is_err());
    }
}
