//! Where an experiment comes from: an argument, a file, or standard input; and what is said about it.
//!
//! An experiment is a fragment or a scenario, whichever it looks like.

use crate::failure::{self, Failure};
use schedlab_engine::config::Config;
use schedlab_engine::fragment::{self, Warning};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// One byte more than the engine reads: enough for it to see that there is more.
const READ: u64 = fragment::MAX_BYTES as u64 + 1;

/// What a text that was given as an argument is called.
pub(crate) const FRAGMENT: &str = "fragment";

/// Warnings shown of a text of which nothing was understood.
const SHOWN: usize = 3;

/// The text of an experiment, or where to find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The text itself.
    Text(String),
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Default for Source {
    /// The default experiment.
    fn default() -> Source {
        Source::Text(String::new())
    }
}

/// An experiment as it was given and as it was understood.
#[derive(Debug)]
pub(crate) struct Given {
    /// Its name in messages: `fragment`, or the file.
    pub name: String,
    /// The text.
    pub text: String,
    /// What it means.
    pub config: Config,
    /// What was not understood.
    pub warnings: Vec<Warning>,
    /// What keeps a scenario from meaning anything.
    errors: Vec<Warning>,
}

/// What a file is, whatever it is called: a hard link is the same.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// What a file is, whatever way leads there.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

impl Source {
    /// An argument: `-` is standard input, the name of a file is that file, anything with an equals sign or
    /// nothing in it is a fragment, what begins with a word of the workload language and goes on is a scenario, and
    /// all else is a file that is not there.
    pub(crate) fn of(word: OsString) -> Source {
        let text = word.to_string_lossy().into_owned();
        let path = PathBuf::from(word);
        if text == "-" {
            Source::Stdin
        } else if text.is_empty()
            || (text.contains('=') || fragment::is_scenario(&text)) && !path.exists()
        {
            Source::Text(text)
        } else {
            Source::File(path)
        }
    }

    /// Is it the file of that name, whatever way leads there?
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        matches!(self, Source::File(own) if identity(own).is_some_and(|own| identity(path) == Some(own)))
    }

    /// Reads and understands it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn read(&self) -> Result<Given, Failure> {
        let (name, text) = self.text()?;
        Ok(Given::new(name, text))
    }

    /// As [`Source::read`]; a fragment that starts with `&` says only what differs from `base`.
    pub(crate) fn read_over(&self, base: &Given) -> Result<Given, Failure> {
        let (name, text) = self.text()?;
        match text.strip_prefix('&') {
            Some(over) => {
                let base = fragment::print(&base.config);
                Ok(Given::new(name, fragment::overlay(&base, over)))
            }
            None => Ok(Given::new(name, text)),
        }
    }

    fn text(&self) -> Result<(String, String), Failure> {
        match self {
            Source::Text(text) => Ok((FRAGMENT.into(), text.clone())),
            Source::File(path) => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(|e| Failure::unreadable(&name, &e))?;
                Ok((name.clone(), contents(&name, file)?))
            }
            Source::Stdin => {
                let name = "standard input";
                Ok((name.into(), contents(name, io::stdin().lock())?))
            }
        }
    }
}

/// What a file holds, comments blanked out; bytes that are no UTF-8 become U+FFFD.
fn contents(name: &str, from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(READ)
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::unreadable(name, &e))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(fragment::without_comments(&text))
}

impl Given {
    fn new(name: String, text: String) -> Given {
        if fragment::is_scenario(&text) {
            let read = fragment::parse_file(&text);
            return Given {
                name,
                text,
                config: read.config,
                warnings: read.warnings,
                errors: read.errors,
            };
        }
        let (config, warnings) = fragment::parse(&text);
        Given {
            name,
            text,
            config,
            warnings,
            errors: Vec::new(),
        }
    }

    /// The warnings, each with its place: `fragment:1:5: …`.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.placed(&self.warnings, ToString::to_string)
    }

    fn placed(&self, warnings: &[Warning], words: fn(&Warning) -> String) -> Vec<String> {
        let placed = |warning: &Warning| {
            let (line, column) = warning.line_column(&self.text);
            format!("{}:{line}:{column}: {}", self.name, words(warning))
        };
        warnings.iter().map(placed).collect()
    }

    /// Was anything understood? A part that is, is so on its own; and what makes a difference was, whatever there is
    /// to say about it.
    fn understood(&self) -> bool {
        let mut parts = self
            .text
            .split(['&', '\n'])
            .filter(|p| !p.trim().is_empty());
        self.warnings.is_empty()
            || self.config != Config::default()
            || parts.any(|part| fragment::parse(part).1.is_empty())
    }

    /// Prints the warnings to standard error.
    ///
    /// # Errors
    /// If there are any and `strict` is asked for, or if nothing was understood: then it is not the default
    /// experiment that is meant.
    pub(crate) fn tell(&self, strict: bool) -> Result<(), Failure> {
        if !self.errors.is_empty() {
            return Err(Failure::Input(
                self.placed(&self.errors, ToString::to_string),
            ));
        }
        // Where nothing is run, nothing is used instead.
        let mut refused = self.placed(&self.warnings, Warning::refusal);
        if strict && !refused.is_empty() {
            return Err(Failure::Input(refused));
        }
        if !self.understood() {
            refused.truncate(SHOWN);
            refused.push(format!("{}: nothing of this is an experiment", self.name));
            return Err(Failure::Input(refused));
        }
        for warning in self.warnings() {
            failure::say("warning", &warning);
        }
        Ok(())
    }
}
