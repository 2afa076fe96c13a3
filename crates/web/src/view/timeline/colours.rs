//! Which colour a slice has: by its task, by its task's group or kind, or by the reason why it was picked.

use std::rc::Rc;

use super::pixels::Inks;
use crate::model::view::ColourBy;
use crate::protocol::{PickWhy, Snapshot, TaskInfo};
use crate::view::palette::{Colour, DATA_COLOURS, Theme};
use crate::view::picture::Runs;
use schedlab_engine::order::sorted;

/// The colours of one run: the same task, group, kind or reason has the same colour in both.
#[derive(Debug)]
pub struct Colours {
    /// The data colour of each task.
    tasks: Vec<u32>,
    /// Does the reason decide instead?
    by_reason: bool,
}

impl Colours {
    /// The colours of `run`, which is one of `runs`.
    pub fn new(runs: &Runs, run: &Snapshot, by: ColourBy) -> Colours {
        let words = words(runs, by);
        let colour = |(number, task): (usize, &TaskInfo)| match by {
            ColourBy::Task | ColourBy::Reason => number as u32,
            ColourBy::Group | ColourBy::Kind => {
                words.binary_search(word(task, by)).unwrap_or(0) as u32
            }
        };
        Colours {
            tasks: run
                .tasks
                .iter()
                .enumerate()
                .map(colour)
                .map(|colour| colour % DATA_COLOURS)
                .collect(),
            by_reason: by == ColourBy::Reason,
        }
    }

    /// The data colour of a slice.
    pub fn of(&self, task: u32, pick: PickWhy) -> u32 {
        if self.by_reason {
            return reason(pick);
        }
        self.tasks
            .get(task as usize)
            .copied()
            .unwrap_or(task % DATA_COLOURS)
    }
}

impl Colours {
    /// The same colours as they are in a theme.
    pub fn inks(&self, theme: Theme) -> Inks {
        let rgb = |data: u32| theme.rgb(Colour::Data(data));
        let reasons = PickWhy::ALL.iter().map(|&pick| rgb(reason(pick)));
        Inks {
            tasks: self.tasks.iter().map(|&data| rgb(data)).collect(),
            reasons: self.by_reason.then(|| reasons.collect()),
            track: theme.rgb(Colour::Track),
        }
    }
}

/// The data colour of a reason.
fn reason(pick: PickWhy) -> u32 {
    match pick {
        PickWhy::Leftmost | PickWhy::SecondForSkip | PickWhy::EarliestDeadline => 1,
        PickWhy::NextBuddy | PickWhy::EligibleBuddy => 5,
        PickWhy::Protected => 3,
        PickWhy::LastBuddy => 7,
        PickWhy::Only => 2,
        PickWhy::Idle => 4,
        PickWhy::RealTime => 6,
    }
}

/// What a task does, or in which group it is.
fn word(task: &TaskInfo, by: ColourBy) -> &Rc<str> {
    match by {
        ColourBy::Group => &task.group,
        _ => &task.kind,
    }
}

/// That of the tasks of all runs, each once, in the order of the alphabet.
fn words(runs: &Runs, by: ColourBy) -> Vec<Rc<str>> {
    let mut words: Vec<Rc<str>> = Vec::new();
    for task in runs.iter().flat_map(|(_, run)| run.tasks.iter()) {
        let word = word(task, by);
        if let Err(place) = words.binary_search(word) {
            words.insert(place, Rc::clone(word));
        }
    }
    words
}

/// What the colours mean: a name and a colour each; of the reasons those that a run has met. Of tasks and groups none
/// where they are more than the colours: which is which is on the slices then.
pub fn legend(runs: &Runs, by: ColourBy) -> Vec<(String, Colour)> {
    match by {
        ColourBy::Task => {
            let first = runs.iter().map(|(_, run)| &run.tasks);
            let longest = sorted(&first.collect::<Vec<_>>(), |a, b| b.len().cmp(&a.len()));
            let tasks = longest
                .first()
                .filter(|tasks| tasks.len() <= DATA_COLOURS as usize);
            let tasks = tasks.into_iter().flat_map(|tasks| tasks.iter()).zip(0..);
            tasks
                .map(|(task, i)| (task.comm.to_string(), Colour::Data(i)))
                .collect()
        }
        ColourBy::Group | ColourBy::Kind => {
            let words = words(runs, by);
            let few = by == ColourBy::Kind || words.len() <= DATA_COLOURS as usize;
            let named = words.into_iter().filter(|_| few).zip(0..);
            named
                .map(|(word, i)| (word.to_string(), Colour::Data(i)))
                .collect()
        }
        ColourBy::Reason => {
            let met = runs.iter().fold(0, |met, (_, run)| met | run.picks);
            let met = |pick: &&PickWhy| met & 1 << **pick as u32 != 0;
            let picks = PickWhy::ALL.iter().filter(|pick| **pick != PickWhy::Idle);
            let mut named: Vec<(String, Colour)> = Vec::new();
            for &pick in picks.filter(met) {
                let name = super::tip::pick_name(pick);
                // CFS and EEVDF have a next buddy each.
                if named.iter().all(|(known, _)| known != name) {
                    named.push((name.to_string(), Colour::Data(reason(pick))));
                }
            }
            named
        }
    }
}
