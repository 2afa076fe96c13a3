//! `bench.txt`: what each experiment may cost.
//!
//! As with `size.txt`, it may get cheaper unseen, but whoever makes it dearer says so by committing a new figure. Held is
//! what a message costs or, where there are none, a simulated millisecond: never what an internal step costs, or the
//! steps that an optimisation saves would look like a loss.

use super::counted::Counted;
use crate::{Outcome, root};
use std::fs;

/// Growth that a commit need not mention, in per cent: other allocators and string functions count a little differently.
const SLACK: f64 = 2.0;

/// Compares with `bench.txt`.
pub(super) fn judge(counted: &[Counted]) -> Outcome {
    let text = committed()?;
    let dearer: Vec<String> = counted
        .iter()
        .filter_map(|one| verdict(one, &text))
        .collect();
    if dearer.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nmake it cheaper, or run `cargo xtask bench --native --bless`, commit bench.txt and say in the message what \
         the instructions are for",
        dearer.join("\n")
    ))
}

fn committed() -> Outcome<String> {
    fs::read_to_string(root().join("bench.txt")).map_err(|error| format!("bench.txt: {error}"))
}

/// What is wrong with a count, if anything is.
fn verdict(one: &Counted, text: &str) -> Option<String> {
    let (now, unit) = unit_cost(one);
    let name = &one.name;
    let Some(last) = last(name, unit, text) else {
        return Some(format!(
            "bench.txt does not say what {name} may cost {unit}"
        ));
    };
    let change = (now / last - 1.0) * 100.0;
    println!("{name:10} {now:>8.1} instructions {unit}, last time {last:.1}: {change:+.1} %");
    (change > SLACK).then(|| format!("{name} got dearer by {change:.1} %"))
}

/// Writes `bench.txt`.
pub(super) fn bless(counted: &[Counted]) -> Outcome {
    if counted.is_empty() {
        return Err("nothing was counted, so there is nothing to write".to_string());
    }
    let text: String = counted.iter().map(line).collect();
    fs::write(root().join("bench.txt"), &text).map_err(|error| format!("bench.txt: {error}"))?;
    print!("bench.txt now says\n{text}");
    Ok(())
}

fn line(one: &Counted) -> String {
    let (cost, unit) = unit_cost(one);
    format!("{} {cost:.1} instructions {unit}\n", one.name)
}

fn unit_cost(one: &Counted) -> (f64, &'static str) {
    let (count, unit) = match one.messages {
        0 => (one.simulated_ns as f64 / 1e6, "a simulated ms"),
        messages => (messages as f64, "a message"),
    };
    (one.instructions as f64 / count, unit)
}

fn last(name: &str, unit: &str, text: &str) -> Option<f64> {
    let rest = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    let (number, rest) = rest.split_once(' ')?;
    let same = rest == format!("instructions {unit}");
    number.parse().ok().filter(|_| same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(instructions: u64, messages: u64) -> Counted {
        Counted {
            name: "mixed".to_string(),
            instructions,
            messages,
            simulated_ns: 2_000_000,
        }
    }

    #[test]
    fn reads_back_what_it_writes() {
        for messages in [0, 7] {
            let one = counted(1_000, messages);
            assert_eq!(verdict(&one, &line(&one)), None);
        }
    }

    #[test]
    fn only_growth_is_told() {
        let text = "mix 1.0 instructions a message\nmixed 1000.0 instructions a message\n";
        assert_eq!(verdict(&counted(101_900, 100), text), None);
        assert_eq!(verdict(&counted(50_000, 100), text), None);
        let told = verdict(&counted(102_100, 100), text);
        assert_eq!(told.as_deref(), Some("mixed got dearer by 2.1 %"));
    }

    #[test]
    fn a_count_in_another_unit_is_no_count() {
        let text = "mixed 1000.0 instructions a message\n";
        assert!(verdict(&counted(1, 0), text).is_some());
        assert!(verdict(&counted(1, 1), "").is_some());
    }

    #[test]
    fn the_committed_file_can_be_read() {
        let text = committed().unwrap();
        let held = [
            ("hackbench", "a message"),
            ("mixed", "a message"),
            ("classroom", "a simulated ms"),
        ];
        for (name, unit) in held {
            assert!(last(name, unit, &text).is_some(), "{name}");
        }
    }
}
