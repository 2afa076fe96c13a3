//! `up-repeats.json`: how far the same scenario, run several times in one boot, differs from itself.

use super::fields::{self, At};
use super::{REPEATS, Unreadable};
use std::collections::BTreeMap;

/// Least and most of one count over the runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least.
    pub min: f64,
    /// Most.
    pub max: f64,
}

/// By scenario, by count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeats(pub BTreeMap<String, BTreeMap<String, Range>>);

impl Repeats {
    /// What the bytes of `up-repeats.json` say.
    ///
    /// # Errors
    /// The first place that is not as it should be.
    pub fn read(bytes: &[u8]) -> Result<Repeats, Unreadable> {
        let value = fields::parse(REPEATS, bytes)?;
        let top = At::top(REPEATS, &value);
        let mut all = Repeats::default();
        for (scenario, at) in top.fields()? {
            let spread = at.field("spread")?;
            let counts = all.0.entry(scenario.to_string()).or_default();
            for (count, range) in spread.fields()? {
                let end = |name: &str| range.field(name)?.number();
                let (min, max) = (end("min")?, end("max")?);
                counts.insert(count.to_string(), Range { min, max });
            }
        }
        Ok(all)
    }
}
