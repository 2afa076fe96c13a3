//! Every word of the page: a [`Msg`] names a sentence, a plain file of the language holds it.
//!
//! `text/en.txt` has a line `key = sentence` for each; `{name}` in a sentence is filled in by [`fill`]. A translator
//! copies the file and edits nothing else. A test holds the keys of every file, and their order, against the list in
//! [`keys`]: the page goes by the order, so that it need not download the keys twice.
//!
//! Not here: what the engine says of its own tables (kernels, commits, features, tunables, workloads). Those sentences
//! belong to the tables, because the command line prints them too.

mod keys;

pub use keys::Msg;

use std::sync::OnceLock;

/// The language of the page.
const ENGLISH: &str = include_str!("../../text/en.txt");

/// The sentence of `key`.
pub fn text(key: Msg) -> &'static str {
    static SENTENCES: OnceLock<Vec<&'static str>> = OnceLock::new();
    let sentences =
        SENTENCES.get_or_init(|| lines(ENGLISH).map(|(_, sentence)| sentence).collect());
    sentences[key as usize]
}

/// The sentence of `key` with each `{name}` replaced by its value, and each `{name:one|more}` by the word that goes
/// with it.
pub fn fill(key: Msg, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = text(key);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        let value = |name: &str| values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        out.push_str(match name.split_once(':') {
            Some((counted, words)) => number(value(counted), words),
            None => value(name).unwrap_or(name),
        });
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Of `one|more`, the word that goes with a count.
fn number<'a>(count: Option<&str>, words: &'a str) -> &'a str {
    let (one, more) = words.split_once('|').unwrap_or((words, words));
    if count == Some("1") { one } else { more }
}

/// `key = sentence` lines; empty lines and lines that start with `#` are for the translator.
fn lines(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(key, sentence)| (key.trim(), sentence.trim()))
}

#[cfg(test)]
mod tests;
