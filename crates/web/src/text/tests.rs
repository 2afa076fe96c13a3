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
    let filled = fill(Msg::ChangesMany, &[("n", "3")]);
    assert!(filled.contains('3') && !filled.contains('{'), "{filled}");
    assert!(fill(Msg::ChangesMany, &[]).contains('n'));
    assert_ne!(
        plural(1, Msg::ChangesOne, Msg::ChangesMany),
        plural(2, Msg::ChangesOne, Msg::ChangesMany)
    );
}
