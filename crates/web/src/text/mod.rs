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

/// The sentence of `key` with each `{name}` replaced.
pub fn fill(key: Msg, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = text(key);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        let value = values.iter().find(|(n, _)| *n == name);
        out.push_str(value.map_or(name, |(_, v)| v));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// A sentence that depends on how many: `one` for exactly one, `many` with `{n}` otherwise.
pub fn plural(n: usize, one: Msg, many: Msg) -> String {
    let key = if n == 1 { one } else { many };
    fill(key, &[("n", &n.to_string())])
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
