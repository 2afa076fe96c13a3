//! Links: a [`Config`] as the text behind the `#` of an address, and back.
//!
//! The grammar is described in `docs/link.md`. Reading is total: any text gives a configuration, with a
//! warning for each piece that is not used as written. Writing is canonical, and says only what differs
//! from the default. Not here: what the page shows; it takes its own parts out first.

mod again;
mod decode;
mod file;
mod groups;
mod page_link;
mod piece;
mod print;
mod read;
mod read_kernel;
mod warning;
mod workloads;

pub use crate::words::nearest::{nearest, nearest_release};
pub use crate::words::visible::visible;
pub use file::{FileRead, is_scenario, is_setting, parse_file, print_file, without_comments};
pub use page_link::{PageLink, VERSUS, VIEW};
pub use read_kernel::part_meant;
pub use warning::{Fault, Used, Warning, delta_words};

use crate::config::{Config, Field};
use crate::time::Nanos;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The version of the grammar and of the defaults. A default that changes makes a new version, and reading
/// an old link then starts from the old defaults.
pub const VERSION: u32 = 1;

/// Only this many bytes of a text are read.
pub const MAX_BYTES: usize = 64 * 1024;

/// At most this many warnings are listed; the rest is counted.
pub const MAX_WARNINGS: usize = 100;

/// `text` as a configuration, with what was not understood. Any text will do.
///
/// ```
/// use schedlab_engine::fragment;
/// let (config, warnings) = fragment::parse("v=1&m=q6600&f=NEXT_BUDY");
/// assert_eq!(config.machine.name, "q6600");
/// assert_eq!(warnings[0].nearest.as_deref(), Some("NEXT_BUDDY"));
/// ```
pub fn parse(text: &str) -> (Config, Vec<Warning>) {
    read::read(text)
}

/// `text` as a time, as links write it: `12.5ms`, `750us`, a bare number of nanoseconds. None if it is no time, or
/// is not a whole number of nanoseconds.
///
/// ```
/// use schedlab_engine::{fragment, time::Nanos};
/// assert_eq!(fragment::parse_time("12.5ms"), Some(Nanos(12_500_000)));
/// assert_eq!(fragment::parse_time("noon"), None);
/// ```
pub fn parse_time(text: &str) -> Option<Nanos> {
    match crate::words::number::nanos(text.trim()) {
        crate::words::number::Read::Exact(ns) => u64::try_from(ns).ok().map(Nanos),
        crate::words::number::Read::Cut(_) | crate::words::number::Read::Nonsense => None,
    }
}

/// The link of `config`: `v=1` and what differs from the default, in a fixed order.
///
/// ```
/// use schedlab_engine::{config::Config, fragment};
/// assert_eq!(fragment::print(&Config::default()), "v=1");
/// let (config, _) = fragment::parse("f=NEXT_BUDDY&k=2.6.32&f=HRTICK&f=NO_HRTICK");
/// assert_eq!(fragment::print(&config), "v=1&k=2.6.32&f=NEXT_BUDDY");
/// ```
pub fn print(config: &Config) -> String {
    parts(&Config::default(), config)
}

/// What [`overlay`] needs to turn the link of `from` into that of `to`: the parts that differ, `none` where
/// `to` has nothing. Empty if both mean the same.
pub fn difference(from: &Config, to: &Config) -> String {
    parts_that_differ(from, to).join("&")
}

/// `base` with the parts of `over` in place of its parts with the same keys.
///
/// ```
/// use schedlab_engine::fragment;
/// let text = fragment::overlay("m=q6600&k=2.6.32", "k=2.6.31");
/// assert_eq!(text, "m=q6600&k=2.6.31");
/// ```
pub fn overlay(base: &str, over: &str) -> String {
    let key = |part: &str| {
        let key = part.split('=').next().unwrap_or("").trim();
        Field::by_key(key).ok_or_else(|| String::from(key))
    };
    let said: Vec<_> = over.split('&').map(key).collect();
    let kept = base
        .split('&')
        .filter(|part| !part.trim().is_empty() && !said.contains(&key(part)));
    let added = over.split('&').filter(|part| !part.trim().is_empty());
    kept.chain(added).collect::<Vec<_>>().join("&")
}

fn parts(from: &Config, to: &Config) -> String {
    let mut parts = alloc::vec![format!("v={VERSION}")];
    parts.extend(parts_that_differ(from, to));
    parts.join("&")
}

fn parts_that_differ(from: &Config, to: &Config) -> Vec<String> {
    let (from, to) = (from.canonical(), to.canonical());
    Field::ALL
        .iter()
        .map(|field| {
            (
                field,
                print::value(&from, *field),
                print::value(&to, *field),
            )
        })
        .filter(|(_, from, to)| from != to)
        .map(|(field, _, to)| format!("{}={to}", field.key()))
        .collect()
}

#[cfg(test)]
mod tests;
