//! Every word of the page: a [`Msg`] names a sentence, a plain file of the language holds it.
//!
//! `text/en.txt` has a line `key = sentence` for each; `{name}` in a sentence is filled in by [`fill`]. A translator
//! copies the file and edits nothing else. A test holds the keys of every file against the list in [`keys`].
//!
//! Not here: what the engine says of its own tables (kernels, commits, features, tunables, workloads). Those sentences
//! belong to the tables, because the command line prints them too.

mod keys;

pub use keys::Msg;

use std::sync::OnceLock;

/// The language of the page.
const ENGLISH: &str = include_str!("../../text/en.txt");

/// The sentence of `key`. A sentence that is missing shows its key, which a test forbids.
pub fn text(key: Msg) -> &'static str {
    static TABLE: OnceLock<Vec<&'static str>> = OnceLock::new();
    let table = TABLE.get_or_init(|| table(ENGLISH));
    table[key as usize]
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

/// The sentences of a language file, in the order of [`Msg::ALL`].
fn table(file: &'static str) -> Vec<&'static str> {
    let mut table: Vec<&'static str> = Msg::ALL.iter().map(|m| m.key()).collect();
    let mut expected = Msg::ALL.iter().cycle();
    for (key, sentence) in lines(file) {
        // The file is in the order of the list, so the next key is nearly always the one.
        let found = expected
            .by_ref()
            .take(Msg::ALL.len())
            .find(|m| m.key() == key);
        if let Some(found) = found {
            table[*found as usize] = sentence;
        }
    }
    table
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
