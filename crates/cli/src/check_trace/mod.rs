//! `schedlab check-trace`: recordings of real kernels, and what the engine's rules say to them.
//!
//! One line a recording: how many facts of its replay came out right, which was the first that did not, with the state
//! of both sides. A recording that needs what the engine lacks is listed with the reason, and never counts as passed.
//! Not here: reading the files (`schedlab-formats`), the replay itself (the engine).

mod find;
mod json;
mod markdown;
mod mutations;
mod run;
mod setup;
mod text;
mod toggles;

use crate::failure::Failure;
use crate::interrupt;
use find::Found;
use run::Ran;
use schedlab_engine::replay::{self, Facts, Recording, Score};
use schedlab_formats::recording::Recording as Files;
use std::io::Write;
use std::path::PathBuf;
use toggles::{Setting, Toggle};

/// What was asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CheckTrace {
    /// Folders: recordings, or folders of them.
    pub dirs: Vec<PathBuf>,
    /// How to print it.
    pub form: Form,
}

/// How to print it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For `docs/validation.md`.
    Markdown,
    /// What goes wrong if a rule is changed, for `docs/validation.md` too.
    Mutations,
}

/// What came of one recording.
struct Judged {
    /// Its folder, as it was found.
    path: String,
    outcome: Outcome,
    /// How a run of its programs compares, or why there is none.
    run: Result<Ran, String>,
    /// What was run and under which settings, if that could be read.
    setting: Option<Setting>,
}

/// How judging a recording ended.
enum Outcome {
    /// It was replayed.
    Replayed {
        /// What was replayed, for the names in it.
        recording: Box<Recording>,
        facts: Box<Facts>,
    },
    /// It needs what the engine lacks.
    NotApplicable(String),
    /// Its files are not as they should be.
    Unreadable(String),
}

/// All recordings together.
#[derive(Default)]
struct Sum {
    replay: Score,
    not_applicable: u64,
    unreadable: u64,
    /// Comparisons of runs, and how many came out.
    checked: u64,
    passed: u64,
    /// Recordings that were not run.
    not_run: u64,
    /// Figures that a setting moves, and how many move as recorded.
    toggles: u64,
    as_recorded: u64,
}

/// Judges every recording below the folders.
pub(crate) fn check(asked: &CheckTrace, out: &mut dyn Write) -> Result<(), Failure> {
    let found = find::recordings(&asked.dirs)?;
    interrupt::listen();
    if asked.form == Form::Mutations {
        return mutations::print(&found, out);
    }
    let mut judged = Vec::new();
    let mut sum = Sum::default();
    for one in &found {
        if interrupt::asked() {
            break;
        }
        let one = judge(one);
        sum.add(&one);
        if asked.form == Form::Text {
            text::line(&one, out)?;
            text::run(&one, out)?;
        }
        judged.push(one);
    }
    interrupt::tell(|| {
        let (done, all) = (judged.len(), found.len());
        format!("check-trace: {done} of {all} recordings were judged; the score is theirs")
    });
    let toggles = toggles::between(&judged);
    sum.add_toggles(&toggles);
    match asked.form {
        Form::Text => text::score(&judged, &toggles, &sum, out)?,
        Form::Json => json::print(&judged, &toggles, &sum, out)?,
        Form::Markdown | Form::Mutations => markdown::print(&judged, &toggles, &sum, out)?,
    }
    match sum.unreadable {
        0 => Ok(()),
        some => {
            let words = format!(
                "check-trace: {some} of {} recordings cannot be read; the lines above say why: \
                 fetch them anew, or leave them out",
                judged.len()
            );
            Err(Failure::Run(vec![words]))
        }
    }
}

fn judge(found: &Found) -> Judged {
    let path = found.path.display().to_string();
    match found.read() {
        Ok(files) => {
            let repeats = found.repeats();
            let all = repeats
                .as_ref()
                .and_then(|r| r.0.get(&files.params.scenario));
            Judged {
                path,
                outcome: replayed(&files),
                run: run::run(&files, all),
                setting: Some(Setting::of(&files)),
            }
        }
        Err(words) => Judged {
            path,
            run: Err(words.clone()),
            setting: None,
            outcome: Outcome::Unreadable(words),
        },
    }
}

fn replayed(files: &Files) -> Outcome {
    match setup::replayable(files) {
        Err(reason) => Outcome::NotApplicable(reason),
        Ok(recording) => {
            let facts = Box::new(replay::replay(&recording));
            Outcome::Replayed {
                recording: Box::new(recording),
                facts,
            }
        }
    }
}

impl Sum {
    fn add_toggles(&mut self, toggles: &[Toggle]) {
        self.toggles = toggles.len() as u64;
        self.as_recorded = toggles.iter().filter(|toggle| toggle.ok()).count() as u64;
    }

    fn add(&mut self, judged: &Judged) {
        match &judged.run {
            Ok(Ran { checks, .. }) => {
                self.checked += checks.len() as u64;
                self.passed += checks.iter().filter(|check| check.ok()).count() as u64;
            }
            Err(_) => self.not_run += 1,
        }
        match &judged.outcome {
            Outcome::Replayed { facts, .. } => self.replay = self.replay.plus(facts.total()),
            Outcome::NotApplicable(_) => self.not_applicable += 1,
            Outcome::Unreadable(_) => self.unreadable += 1,
        }
    }
}
