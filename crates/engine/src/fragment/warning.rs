//! What was not understood in a fragment: where it stands, what was used instead, what was probably meant.
//!
//! A warning never stops anything. The words here are those of the command line and of the page.

use crate::config::Field;
use crate::sched::profile::{DeltaId, DeltaProblem};
use crate::words::visible::visible;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// Longer offending texts are shown cut.
const SHOWN: usize = 60;

/// One thing that was not understood, or not as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The part it is in; none where the key itself is unknown.
    pub field: Option<Field>,
    /// The bytes of the given text that it is about.
    pub range: Range<usize>,
    /// The offending text, percent escapes undone, invisible characters as escapes, cut to 60 characters.
    pub text: String,
    /// What is wrong.
    pub fault: Fault,
    /// What was used instead.
    pub used: Used,
    /// The nearest valid text, if one is near.
    pub nearest: Option<String>,
}

/// What is wrong with a piece of a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The link is of a later version than this program.
    NewerVersion,
    /// There is no such key.
    UnknownKey,
    /// A key without an equals sign, or an equals sign without a key.
    NoValue,
    /// A setting without a value.
    NothingSaid,
    /// There is nothing of that kind with that name.
    Unknown {
        /// The kind: "machine", "feature".
        kind: &'static str,
    },
    /// It exists, but not in this kernel.
    NotInKernel {
        /// The release.
        kernel: &'static str,
        /// The commit that brings it.
        comes_with: Option<DeltaId>,
        /// What the kernel does instead.
        instead: Option<&'static str>,
    },
    /// It exists, but cannot be set here.
    Fixed(
        /// Why.
        &'static str,
    ),
    /// It is not of the form that is wanted here.
    Malformed {
        /// What is wanted: "a time such as 8ms".
        expected: &'static str,
    },
    /// It is no workload language: what is wrong with it.
    Script(String),
    /// Its parentheses do not fit: what is wrong with them.
    Parenthesis(&'static str),
    /// A workload that begins where no semicolon has ended the one before.
    Unseparated,
    /// It is below or above what is allowed.
    OutOfRange {
        /// The least allowed, as written.
        low: String,
        /// The most allowed, as written.
        high: String,
    },
    /// It has digits finer than a nanosecond.
    TooFine,
    /// It was said before, differently.
    Again,
    /// A commit without effect, or without what it builds on.
    Delta(DeltaProblem),
    /// A slice that a task asks for, of a kernel that takes no notice of that.
    Unheard {
        /// The release.
        kernel: &'static str,
    },
    /// There are more of them than are allowed.
    TooMany {
        /// How many are allowed.
        limit: usize,
    },
    /// The text is too long.
    TooLong {
        /// How many bytes were read.
        limit: usize,
    },
    /// There is more to complain about than is listed.
    More {
        /// How many warnings are left out.
        count: usize,
    },
}

/// What was used instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Used {
    /// Nothing: the piece is ignored, and what holds without it holds.
    Nothing,
    /// This.
    Value(String),
    /// The default, which the piece would have replaced and which now runs.
    Default(String),
    /// Nothing: all tasks that stand with the piece are ignored, as half of them would be another experiment.
    WithoutTasks,
    /// It was taken as it stands; the warning is advice.
    AsWritten,
}

impl Warning {
    /// Does it leave everything as it was written?
    pub fn is_advice(&self) -> bool {
        matches!(self.fault, Fault::Delta(_) | Fault::Unheard { .. })
    }

    /// Was a value taken from the piece?
    pub(super) const fn is_understood(&self) -> bool {
        !matches!(
            self.fault,
            Fault::Unknown { .. } | Fault::Malformed { .. } | Fault::NewerVersion
        )
    }

    /// What to write in its place: what was probably meant, or for a name that means nothing what is used.
    pub fn mended(&self) -> Option<&String> {
        let used = match &self.used {
            Used::Value(used) if matches!(self.fault, Fault::Unknown { .. }) => Some(used),
            _ => None,
        };
        self.nearest.as_ref().or(used)
    }

    /// It in words for where nothing is run: what would have been used instead is left out.
    pub fn refusal(&self) -> String {
        let plain = Warning {
            used: Used::AsWritten,
            ..self.clone()
        };
        plain.to_string()
    }

    /// A warning about `text`, which is cut to what can be shown.
    pub(super) fn new(field: Option<Field>, range: Range<usize>, text: &str, fault: Fault) -> Self {
        Warning {
            field,
            range,
            text: shown(text),
            fault,
            used: Used::Nothing,
            nearest: None,
        }
    }

    /// That value was used instead, as the nearest that there is.
    pub(super) fn take(&mut self, value: String) {
        self.used = Used::Value(value.clone());
        self.nearest = Some(value);
    }

    /// Line and column (both from 1, counted in characters) at which it stands in `given`.
    pub fn line_column(&self, given: &str) -> (usize, usize) {
        let before: Vec<char> = given
            .char_indices()
            .take_while(|(i, _)| *i < self.range.start)
            .map(|(_, c)| c)
            .collect();
        let line = before.iter().filter(|c| **c == '\n').count() + 1;
        let column = before.iter().rev().take_while(|c| **c != '\n').count() + 1;
        (line, column)
    }
}

fn shown(text: &str) -> String {
    let mut cut = visible(text.chars().take(SHOWN));
    if text.chars().count() > SHOWN {
        cut.push('\u{2026}');
    }
    cut
}

impl fmt::Display for Warning {
    /// One sentence or two, without the place: `t: "wakeup_gran" is no tunable; ignored. Did you mean …?`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "{}: ", field.key())?;
        }
        match &self.fault {
            Fault::TooLong { .. } | Fault::More { .. } => {}
            Fault::Script(_) if self.text.is_empty() => {}
            _ => write!(f, "\"{}\" ", self.text)?,
        }
        self.fault.fmt(f)?;
        match &self.used {
            Used::Nothing if matches!(self.fault, Fault::TooLong { .. } | Fault::More { .. }) => {}
            Used::Nothing => f.write_str("; ignored")?,
            Used::Value(value) => write!(f, "; used {}", shown(value))?,
            Used::Default(value) => {
                write!(f, "; the default runs instead: {}", shown(value))?;
            }
            Used::WithoutTasks => f.write_str("; these tasks do not run")?,
            Used::AsWritten => {}
        }
        match &self.nearest {
            Some(name) if self.used != Used::Value(name.clone()) => {
                write!(f, ". Did you mean {name}?")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NewerVersion => f.write_str("is a newer version of links than this one"),
            Fault::UnknownKey => f.write_str("is no part of a link"),
            Fault::NoValue => f.write_str("is not of the form key=value"),
            Fault::NothingSaid => f.write_str("says nothing: its value is missing"),
            Fault::Unknown { kind } => write!(f, "is no {kind}"),
            Fault::NotInKernel {
                kernel,
                comes_with,
                instead,
            } => {
                write!(f, "does not exist in this {kernel}")?;
                match (comes_with, instead) {
                    (Some(delta), _) => write!(f, " (it comes with {delta})"),
                    (None, Some(instead)) => write!(f, " ({instead})"),
                    (None, None) => Ok(()),
                }
            }
            Fault::Fixed(why) => write!(f, "cannot be set here: {why}"),
            Fault::Malformed { expected } => write!(f, "is not {expected}"),
            Fault::Script(wrong) => f.write_str(wrong),
            Fault::Parenthesis(wrong) => f.write_str(wrong),
            Fault::Unseparated => f.write_str("has no semicolon before it"),
            Fault::OutOfRange { low, high } => write!(f, "is not within {low} \u{2026} {high}"),
            Fault::TooFine => f.write_str("is finer than a nanosecond"),
            Fault::Again => f.write_str("was said before, differently"),
            Fault::Delta(problem) => f.write_str(&delta_words(problem)),
            Fault::Unheard { kernel } => write!(
                f,
                "goes unheard: {kernel} gives all tasks the slice that it wants, whatever they ask for"
            ),
            Fault::TooMany { limit } => write!(f, "is one too many: at most {limit}"),
            Fault::TooLong { limit } => {
                write!(f, "the text is too long: only {limit} bytes of it are read")
            }
            Fault::More { count } => write!(f, "and {count} more"),
        }
    }
}

/// What is odd about a commit, in words that follow its name.
pub fn delta_words(problem: &DeltaProblem) -> String {
    let named = |id: &DeltaId| match id.delta() {
        Some(delta) => alloc::format!("{id} ({})", delta.name),
        None => id.to_string(),
    };
    match problem {
        DeltaProblem::NoEffect {
            winner: Some(winner),
            ..
        } => alloc::format!(
            "has no effect: {} sets the same and comes later",
            named(winner)
        ),
        DeltaProblem::NoEffect { winner: None, .. } => {
            String::from("has no effect: it sets what holds anyway")
        }
        DeltaProblem::Lacks { needs, .. } => {
            let needs: Vec<String> = needs.iter().map(named).collect();
            alloc::format!("has no meaning without {}", needs.join(" or "))
        }
    }
}
