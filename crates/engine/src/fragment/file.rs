//! Files: a fragment on several lines, or a scenario, which is settings and tasks in one text.
//!
//! A scenario is in the workload language; its settings are the parts of a link with a blank in place of the equals
//! sign. What is wrong with one is an error: it is written by hand, and half of it is not what was meant.

use super::decode::Decoded;
use super::groups::{self, group_line};
use super::piece::Piece;
use super::print::value;
use super::read::{Part, Reader};
use super::read_kernel;
use super::warning::{Fault, Used, Warning};
use super::workloads::workload_text;
use crate::config::text::tunable_text;
use crate::config::{Config, Field};
use crate::words::visible::{BYTE_ORDER_MARK, NO_WIDTH};
use crate::workload::lang;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// `text` with comments blanked out, every byte in its place so that warnings still point at it. A comment
/// starts with `#` at the start of a line or after a blank, and ends with the line; a `#` inside a word
/// (as in an address) starts none.
///
/// ```
/// use schedlab_engine::fragment;
/// let text = "# two hogs\nm=q6600   # a desktop\nw=hogs(count=2)\n";
/// let (config, warnings) = fragment::parse(&fragment::without_comments(text));
/// assert!(warnings.is_empty());
/// assert_eq!(config.machine.name, "q6600");
/// ```
pub fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut comment = false;
    let mut before = '\n';
    for c in text.chars() {
        match c {
            '\n' | '\r' => comment = false,
            '#' if before.is_whitespace() || before == BYTE_ORDER_MARK => comment = true,
            _ => {}
        }
        if comment {
            (0..c.len_utf8()).for_each(|_| plain.push(' '));
        } else {
            plain.push(c);
        }
        before = c;
    }
    plain
}

/// A scenario as it was read.
#[derive(Clone, Debug)]
pub struct FileRead {
    /// What it says, as far as it was understood.
    pub config: Config,
    /// What keeps it from being run.
    pub errors: Vec<Warning>,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
}

/// Is `text` a scenario rather than a fragment? The first line decides that begins with a word of the workload language
/// or with the name of a setting: in a fragment an equals sign follows it.
///
/// ```
/// use schedlab_engine::fragment;
/// assert!(fragment::is_scenario("# two hogs\ntask hog * 2 run forever"));
/// assert!(!fragment::is_scenario("m=q6600\nw=hogs"));
/// assert!(!fragment::is_scenario("Lorem ipsum"));
/// ```
pub fn is_scenario(text: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || matches!(c, BYTE_ORDER_MARK | NO_WIDTH);
    let plain = without_comments(text);
    let decides = |line: &str| {
        let line = line.trim_matches(blank);
        let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let (word, rest) = line.split_at(line.find(ends).unwrap_or(line.len()));
        let setting = Field::by_key(word).is_some();
        if rest.trim_start().starts_with('=') {
            return setting.then_some(false);
        }
        let known = setting && word.len() > 1 || lang::is_declaration(word);
        (known && rest.starts_with(blank)).then_some(true)
    };
    plain.lines().find_map(decides).unwrap_or(false)
}

/// Does `word` begin a setting?
pub fn is_setting(word: &str) -> bool {
    Field::by_key(word).is_some()
}

/// Reads a scenario. Any text will do; where it says nothing the defaults of links hold, except that nothing runs.
///
/// ```
/// use schedlab_engine::fragment;
/// let read = fragment::parse_file("machine q6600\ntask hog * 2 run forever\n");
/// assert!(read.errors.is_empty());
/// assert_eq!(read.config.machine.name, "q6600");
/// assert_eq!(fragment::print(&read.config), "v=1&m=q6600&w=(task+hog*2+run+forever)");
/// ```
pub fn parse_file(text: &str) -> FileRead {
    let words: Vec<&str> = Field::ALL
        .iter()
        .flat_map(|field| field.aliases().iter().copied().chain([field.key()]))
        .collect();
    let parsed = lang::parse(text, &words);
    let decoded = Decoded::plain(text);
    let whole = Piece::whole(&decoded.text);
    let base = Config {
        workloads: Vec::new(),
        ..Config::default()
    };
    let mut reader = Reader::new(&decoded, base);
    let parts: Vec<Part<'_>> = parsed
        .settings
        .iter()
        .filter_map(|setting| {
            let field = Field::by_key(whole.part(setting.key.clone()).text)?;
            let value = whole.part(setting.value.clone()).trim();
            if value.is_empty() {
                let _ = reader.warn(whole.part(setting.key.clone()), Fault::NothingSaid);
                return None;
            }
            Some(Part { field, value })
        })
        .collect();
    reader.apply_all(&parts);
    for (range, name) in once(parsed.groups) {
        reader.known_group(whole.part(range), &name, Used::WithoutTasks);
    }
    for mut fault in parsed.faults {
        if let Some(lines) = as_settings(&fault.found) {
            fault.says = format!("is of a link; in a scenario say {lines}");
        }
        reader.script_fault(whole, fault);
    }
    if !parsed.script.is_empty() {
        reader.config.script = parsed.script;
    }
    let (config, all) = reader.finish(text.len(), "");
    let (warnings, errors) = all
        .into_iter()
        .map(unprefixed)
        .partition(Warning::is_advice);
    FileRead {
        config,
        errors,
        warnings,
    }
}

/// The first of each name.
fn once(groups: Vec<(Range<usize>, String)>) -> Vec<(Range<usize>, String)> {
    let mut first: Vec<(Range<usize>, String)> = Vec::new();
    for group in groups {
        if first.iter().all(|(_, name)| *name != group.1) {
            first.push(group);
        }
    }
    first
}

/// Parts of a link as the lines of a scenario, if `found` begins one.
fn as_settings(found: &str) -> Option<String> {
    let mut lines = Vec::new();
    for part in found.split('&') {
        let (key, value) = part.split_once('=')?;
        lines.push(format!("{} {value}", long_name(Field::by_key(key)?)));
    }
    Some(lines.join(", then on a line of its own "))
}

/// The warning without the key that a link would have, and without what a link would do about it.
fn unprefixed(mut warning: Warning) -> Warning {
    warning.field = None;
    if let Fault::Malformed { expected } = &mut warning.fault {
        let known = [groups::SAID, read_kernel::SET];
        let here = known.iter().find(|(of_link, _)| of_link == expected);
        *expected = here.map_or(*expected, |(_, of_file)| of_file);
    }
    if !warning.is_advice() {
        warning.used = Used::AsWritten;
    }
    warning
}

/// `config` as a scenario.
///
/// ```
/// use schedlab_engine::fragment;
/// let (config, _) = fragment::parse("m=q6600&k=2.6.31&t=sched_latency:80ms&w=hogs(count=2)");
/// let text = "machine q6600\nkernel 2.6.31\ntunable sched_latency 80ms\nworkload hogs\n";
/// assert_eq!(fragment::print_file(&config), text);
/// ```
pub fn print_file(config: &Config) -> String {
    let config = config.canonical();
    let base = Config::new(config.machine, config.kernel, Vec::new());
    let mut text = format!(
        "machine {}\nkernel {}\n",
        config.machine.name, config.kernel.name
    );
    for field in Field::ALL {
        if value(&config, *field) != value(&base, *field) {
            for line in lines_of(&config, *field) {
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
    if !config.script.is_empty() {
        text.push('\n');
        text.push_str(&config.script.pretty());
    }
    text
}

/// What a scenario says of a field that differs from the default.
fn lines_of(config: &Config, field: Field) -> Vec<String> {
    match field {
        Field::Groups => config.groups.iter().map(group_line).collect(),
        Field::Workloads => {
            let specs = config.workloads.iter();
            specs
                .map(|spec| format!("workload {}", workload_text(spec)))
                .collect()
        }
        Field::Tunables => {
            let set = config.tunables.iter();
            set.map(|(t, value)| format!("tunable {} {}", t.info().name, tunable_text(*t, *value)))
                .collect()
        }
        field => alloc::vec![format!("{} {}", long_name(field), value(config, field))],
    }
}

/// The word for a field that reads best.
fn long_name(field: Field) -> &'static str {
    field.aliases().first().copied().unwrap_or(field.key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn comments_become_blanks_and_nothing_moves() {
        let text = "# \u{e9}\na=1 # b\nhttp://x/#v=1\n";
        let plain = without_comments(text);
        assert_eq!(plain, "    \na=1    \nhttp://x/#v=1\n");
        assert_eq!(plain.len(), text.len());
        let marked = without_comments("\u{feff}# windows\nm=q6600");
        assert_eq!(marked, "\u{feff}         \nm=q6600");
    }

    #[test]
    fn a_part_of_a_link_is_told_as_the_line_that_says_it() {
        let says = |text: &str| parse_file(text).errors[0].to_string();
        assert_eq!(
            says("task hog run forever\nf=NEXT_BUDDY&k=6.1\n"),
            "\"f=NEXT_BUDDY&k=6.1\" is of a link; in a scenario say features NEXT_BUDDY, \
             then on a line of its own kernel 6.1"
        );
        assert!(says("task hog run forever\nx=1\n").contains("is expected"));
    }
}
