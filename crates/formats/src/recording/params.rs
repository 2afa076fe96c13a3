//! `params.json`: what was run, on which kernel, under which settings.

use super::fields::{self, At};
use super::{PARAMS, Unreadable};
use std::collections::BTreeMap;

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// The scenario's name.
    pub scenario: String,
    /// The kernel's own words about itself.
    pub kernel: String,
    /// The topology's name; empty for a recording made without a virtual machine of its own.
    pub topology: String,
    /// What QEMU was called with.
    pub qemu_cmd: String,
    /// Settings in force.
    pub knobs: Knobs,
    /// Settings at boot.
    pub default_knobs: Knobs,
    /// The scenario, a line each.
    pub source: Vec<String>,
}

/// Settings of a kernel's scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knobs {
    /// Numbers by their names, `latency_ns` and so on.
    pub numbers: BTreeMap<String, i64>,
    /// Features in the kernel's order, and whether each is on.
    pub features: Vec<(String, bool)>,
    /// The preemption model in force: the word that the kernel puts in brackets.
    pub preempt: String,
    /// Everything else, as it stands there.
    pub words: BTreeMap<String, String>,
}

impl Params {
    /// What the bytes of `params.json` say.
    ///
    /// # Errors
    /// The first place that is not as it should be.
    pub fn read(bytes: &[u8]) -> Result<Params, Unreadable> {
        let value = fields::parse(PARAMS, bytes)?;
        let top = At::top(PARAMS, &value);
        let optional = |name: &str| -> Result<String, Unreadable> {
            top.maybe(name)?
                .map_or(Ok(String::new()), |field| field.text())
        };
        Ok(Params {
            scenario: top.text_of("scenario")?,
            kernel: top.text_of("kernel")?,
            topology: optional("topology")?,
            qemu_cmd: optional("qemu_cmd")?,
            knobs: knobs(&top, "knobs")?,
            default_knobs: knobs(&top, "default_knobs")?,
            source: top.field("source")?.texts()?,
        })
    }
}

fn knobs(top: &At<'_>, name: &str) -> Result<Knobs, Unreadable> {
    let mut knobs = Knobs::default();
    let Some(field) = top.maybe(name)? else {
        return Ok(knobs);
    };
    for (name, value) in field.fields()? {
        let text = value.text()?;
        match name {
            "features" => knobs.features = text.split_whitespace().map(feature).collect(),
            "preempt" => knobs.preempt = in_brackets(&text).to_string(),
            _ => match text.trim().parse() {
                Ok(number) => {
                    knobs.numbers.insert(name.to_string(), number);
                }
                Err(_) => {
                    knobs.words.insert(name.to_string(), text);
                }
            },
        }
    }
    Ok(knobs)
}

/// `NEXT_BUDDY` is on, `NO_NEXT_BUDDY` off.
fn feature(word: &str) -> (String, bool) {
    match word.strip_prefix("NO_") {
        Some(name) => (name.to_string(), false),
        None => (word.to_string(), true),
    }
}

fn in_brackets(text: &str) -> &str {
    let inside = text
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    inside.map_or("", |(word, _)| word)
}
