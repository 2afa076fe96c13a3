//! What a setting does: recordings of the same programs that differ in one feature, or in the granularities, are compared
//! with each other, and so are their runs. Does the engine move each figure in the direction in which that kernel did?
//!
//! Only figures count that moved by more than what two recordings of the same differ by: the tolerances of the runs.

use super::Judged;
use super::run::{Check, Ran};
use schedlab_formats::recording::Recording as Files;
use std::collections::BTreeMap;

/// What was run and under which settings.
pub(super) struct Setting {
    /// Kernel, topology and the lines of the scenario that set nothing.
    what: Vec<String>,
    features: BTreeMap<String, bool>,
    numbers: BTreeMap<String, i64>,
}

/// One figure that a setting moved.
pub(super) struct Toggle {
    /// The recording without the change.
    pub(super) from: String,
    /// The one with it.
    pub(super) to: String,
    /// The change.
    pub(super) changed: String,
    /// The figure.
    pub(super) name: String,
    /// By how much it moves in the simulator.
    pub(super) predicted: f64,
    /// By how much it moved.
    pub(super) recorded: f64,
}

impl Toggle {
    /// Does it move in the recorded direction?
    pub(super) fn ok(&self) -> bool {
        self.predicted * self.recorded > 0.0
    }
}

impl Setting {
    /// Of a recording.
    pub(super) fn of(files: &Files) -> Setting {
        let params = &files.params;
        let sets = |line: &&String| {
            let word = line.split_whitespace().next().unwrap_or_default();
            matches!(word, "scn" | "knob" | "feat")
        };
        let lines = params.source.iter().filter(|line| !sets(line));
        let kernel = [&files.summary.kernel_tag, &params.topology];
        Setting {
            what: kernel.into_iter().chain(lines).cloned().collect(),
            features: params.knobs.features.iter().cloned().collect(),
            numbers: params.knobs.numbers.clone(),
        }
    }

    /// The one thing in which `other` differs, in words; none if it is not one.
    fn change_to(&self, other: &Setting) -> Option<String> {
        if self.what != other.what {
            return None;
        }
        let features = differing(&self.features, &other.features);
        let numbers = differing(&self.numbers, &other.numbers);
        match (&features[..], &numbers[..]) {
            ([(name, was, is)], []) => Some(format!("{name} {} → {}", on(*was), on(*is))),
            ([], [_, ..]) => {
                let each = numbers
                    .iter()
                    .map(|(name, was, is)| format!("{name} {was} → {is}"));
                Some(each.collect::<Vec<_>>().join(", "))
            }
            _ => None,
        }
    }
}

const fn on(set: bool) -> &'static str {
    if set { "on" } else { "off" }
}

/// What both have and not alike.
fn differing<T: Copy + PartialEq>(
    a: &BTreeMap<String, T>,
    b: &BTreeMap<String, T>,
) -> Vec<(String, T, T)> {
    let both = a
        .iter()
        .filter_map(|(name, was)| Some((name, *was, *b.get(name)?)));
    let apart = both.filter(|(_, was, is)| was != is);
    apart
        .map(|(name, was, is)| (name.clone(), was, is))
        .collect()
}

/// Every figure that moved between two of the recordings that differ in one setting.
pub(super) fn between(judged: &[Judged]) -> Vec<Toggle> {
    let known = |one: &'_ Judged| one.setting.is_some() && one.run.is_ok();
    let all: Vec<&Judged> = judged.iter().filter(|one| known(one)).collect();
    let mut toggles = Vec::new();
    for (at, from) in all.iter().enumerate() {
        for to in &all[at + 1..] {
            let change = from.setting.as_ref().zip(to.setting.as_ref());
            let Some(changed) = change.and_then(|(a, b)| a.change_to(b)) else {
                continue;
            };
            if let (Ok(a), Ok(b)) = (&from.run, &to.run) {
                toggles.extend(moved(a, b).map(|(name, predicted, recorded)| Toggle {
                    from: from.path.clone(),
                    to: to.path.clone(),
                    changed: changed.clone(),
                    name,
                    predicted,
                    recorded,
                }));
            }
        }
    }
    toggles
}

/// The counts that moved further than each alone may be off, with by how much: simulated and recorded.
fn moved<'a>(from: &'a Ran, to: &'a Ran) -> impl Iterator<Item = (String, f64, f64)> + 'a {
    from.counts.iter().filter_map(|a: &Check| {
        let b = to.counts.iter().find(|b| b.name == a.name)?;
        let (predicted, recorded) = (b.predicted - a.predicted, b.recorded - a.recorded);
        let apart = recorded.abs() > a.tolerance + b.tolerance;
        apart.then(|| (a.name.clone(), predicted, recorded))
    })
}
