//! The catalogue is complete: each key once, nothing else, and every placeholder is one that the code fills.

use super::*;
use std::collections::BTreeSet;

#[test]
fn every_key_has_one_sentence_and_every_sentence_a_key() {
    let keys: BTreeSet<_> = Msg::ALL.iter().map(|m| m.key()).collect();
    let mut seen = BTreeSet::new();
    for (key, sentence) in lines(ENGLISH) {
        assert!(keys.contains(key), "{key} is not a key");
        assert!(seen.insert(key), "{key} has two sentences");
        assert!(!sentence.is_empty(), "{key} is empty");
    }
    let missing: Vec<_> = keys.difference(&seen).collect();
    assert!(missing.is_empty(), "without a sentence: {missing:?}");
}

#[test]
fn the_sentences_come_in_the_order_of_the_list() {
    for ((key, _), msg) in lines(ENGLISH).zip(Msg::ALL) {
        assert_eq!(key, msg.key(), "text/keys.rs has another order");
    }
}

#[test]
fn a_line_is_a_comment_or_a_sentence() {
    for line in ENGLISH
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        assert!(line.contains(" = "), "neither comment nor sentence: {line}");
        assert_eq!(
            line.matches('{').count(),
            line.matches('}').count(),
            "{line}"
        );
    }
}

#[test]
fn the_table_finds_what_the_file_says() {
    for (key, sentence) in lines(ENGLISH) {
        let msg = Msg::ALL
            .iter()
            .find(|m| m.key() == key)
            .expect("checked above");
        assert_eq!(text(*msg), sentence);
    }
}

#[test]
fn values_are_filled_in_and_unknown_names_stay_readable() {
    assert_eq!(fill(Msg::ChangesCount, &[("n", "3")]), "3 changes");
    assert!(fill(Msg::ChangesCount, &[]).starts_with("n "));
}

#[test]
fn a_word_follows_its_count() {
    let of = |key, n| fill(key, &[("n", n)]);
    assert_eq!(of(Msg::ChangesCount, "1"), "1 change");
    assert_eq!(of(Msg::ChangesCount, "0"), "0 changes");
    assert_eq!(of(Msg::LoadTasks, "1"), "1 task");
    let waiting = |cpus, running, waiting| {
        let values = [
            ("run", "A"),
            ("cpus", cpus),
            ("running", running),
            ("waiting", waiting),
        ];
        fill(Msg::TopologySummary, &values)
    };
    assert_eq!(
        waiting("1", "1", "1"),
        "A: 1 of 1 CPU runs a task, 1 task waits."
    );
    assert_eq!(
        waiting("16", "9", "0"),
        "A: 9 of 16 CPUs run a task, 0 tasks wait."
    );
}

/// What is counted on the page, in the form that is wrong for one of it.
const COUNTED: [&str; 13] = [
    "tasks",
    "CPUs",
    "messages",
    "changes",
    "differences",
    "packages",
    "caches",
    "characters",
    "wakeups",
    "slices",
    "switches",
    "queues",
    "events",
];

#[test]
fn no_count_stands_before_a_word_that_does_not_follow_it() {
    // There it is the prefix of a unit.
    let sound = |key: &&Msg| **key == Msg::PictureThroughputUnit || key.key().starts_with("step.");
    for key in Msg::ALL.iter().filter(|key| !sound(key)) {
        for after in text(*key).split("} ").skip(1) {
            let word = after.split(|c: char| !c.is_alphabetic()).next();
            assert!(
                !word.is_some_and(|word| COUNTED.contains(&word)),
                "{}: {}",
                key.key(),
                text(*key)
            );
        }
    }
}

/// One set of words for where CPU time goes; what the page shows as the sum of several has a word of its own.
#[test]
fn accounts_are_called_as_on_the_command_line() {
    use schedlab_engine::observe::Account;
    let pairs = [
        (Msg::AccountSwitch, Account::Switch),
        (Msg::AccountRefill, Account::Refill),
        (Msg::AccountSelection, Account::Selection),
        (Msg::AccountBalancing, Account::Balancing),
        (Msg::AccountInterrupt, Account::Interrupt),
        (Msg::AccountIdle, Account::Idle),
    ];
    for (msg, account) in pairs {
        assert_eq!(text(msg), account.name());
    }
    let others = Account::ALL.map(Account::name);
    assert!(!others.contains(&text(Msg::AccountWork)));
}
