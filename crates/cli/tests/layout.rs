//! How output looks: as narrow as a terminal, in the order in which it is read, and what the documents know.

mod common;

use common::out;
use schedlab_engine::sched::profile::DELTAS;

/// What nothing that is printed for people is wider than.
const COLUMNS: usize = 100;

/// A long experiment, in a file.
const OLTP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/oltp.lab");

/// Everything is as narrow as a terminal, but for what is to be copied.
#[test]
fn nothing_is_wider_than_a_terminal() {
    let mixed = "k=7.3&w=cyclictest;schbench;hackbench(groups=2)&dur=10ms";
    let small = "w=hackbench(groups=2,loops=5)";
    let cases: &[&[&str]] = &[
        &["list"],
        &["list", "commits", "7.3"],
        &["list", "features", "7.3"],
        &["list", "tunables", "6.1"],
        &["list", "flags", "3.2final"],
        &["run", mixed],
        &["run", small, "--tasks", "5"],
        &["run", OLTP],
        &["compare", small, "&k=2.6.31"],
        &["compare", mixed, "&k=6.6"],
        &["explain", small, "--at", "1ms"],
        &["explain", mixed, "--at", "2ms"],
        &["reproduce"],
        &["reproduce", "2009", "stoakley", "--loops", "1"],
        &["reproduce", "2011", "free-1", "--dur", "1ms"],
        &["reproduce", "2026", "--dur", "20ms"],
        &["help", "reproduce"],
    ];
    for args in cases {
        let text = out(args);
        // Nor is the last heading of a table split over two lines.
        let split = text
            .lines()
            .any(|line| matches!(line.trim(), "second" | "wait" | "a second"));
        assert!(!split, "{text}");
        for line in text.lines() {
            let copied = ["Link v=", "  # ", "  schedlab explain '"];
            let is_copied = copied.iter().any(|start| line.starts_with(start));
            let width = line.chars().count();
            assert!(is_copied || width <= COLUMNS, "{args:?}, {width}: {line}");
        }
    }
}

#[test]
fn a_list_says_the_default_of_the_kernel_and_then_of_all() {
    let features = out(&["list", "features", "6.6"]);
    let (_, of_slice) = features.split_once("  on   PLACE_LAG").expect("a feature");
    let second = of_slice.lines().nth(1).expect("a line");
    assert!(
        second.contains("not in 2.6.31 to 6.5; on in 6.6 to 7.3"),
        "{second}"
    );
    assert_eq!(features, out(&["list", "features", "--for", "k=6.6"]));
    let tunables = out(&["list", "tunables", "2.6.31"]);
    assert!(
        tunables.contains("25ms in 2.6.32-rc1, 2.6.32;"),
        "{tunables}"
    );
}

#[test]
fn what_is_compared_is_named_before_what_came_of_it() {
    let text = out(&[
        "compare",
        "k=2.6.31&w=hackbench(groups=2,loops=5)",
        "&k=2.6.32-rc1",
    ]);
    let first = text.lines().next();
    assert_eq!(first, Some("A: v=1&k=2.6.31&w=hackbench(groups=2,loops=5)"));
    let at = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("{words}: {text}"))
    };
    assert!(at("A ended: every workload") < at("B: v=1&w=hackbench"));
    // Both sides of a row have the same unit.
    for row in text
        .lines()
        .filter(|line| line.starts_with("  wakeup to running"))
    {
        let units = row
            .split_whitespace()
            .filter(|w| ["ns", "us", "ms", "s"].contains(w));
        let units: Vec<_> = units.collect();
        assert!(units.len() == 2 && units[0] == units[1], "{row}");
    }
}

#[test]
fn the_report_of_a_file_has_its_name_above_and_its_link_below() {
    let text = out(&["run", OLTP]);
    assert_eq!(text.lines().next(), Some(OLTP));
    let last = text.lines().last().expect("a line");
    assert!(last.starts_with("Link v=1&m=q6600&"), "{last}");
}

/// What is written of links names everything that `d` can say; every other switch has its experiment in switches.md,
/// which is a test of its own.
#[test]
fn the_document_on_links_knows_every_commit() {
    let link = include_str!("../../../docs/link.md");
    for delta in DELTAS {
        let entry = format!("`{}` {}", delta.id, delta.name);
        assert!(link.contains(&entry), "{entry} is not in docs/link.md");
    }
}
