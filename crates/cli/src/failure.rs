//! How things end: exit codes, and the words that go with them.

use schedlab_engine::config::Problems;
use std::io::{self, Write};

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// The output broke off because nobody reads it any more: 128 + SIGPIPE.
pub(crate) const BROKEN_PIPE: u8 = 141;
/// The user stopped it: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong arguments or bad input; words that name the place and the remedy. Exit code 2.
    Input(String),
    /// Something went wrong while it ran. Exit code 1.
    Run(String),
    /// Nobody reads the output.
    BrokenPipe,
}

impl Failure {
    /// A file that cannot be read.
    pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => "; a fragment has an equals sign in it, such as k=2.6.31",
            _ => "",
        };
        Failure::Input(format!("{name}: cannot read: {error}{hint}"))
    }

    /// A file that cannot be written.
    pub(crate) fn unwritable(name: &str, error: &io::Error) -> Failure {
        Failure::Run(format!("{name}: cannot write: {error}"))
    }

    /// An experiment that cannot be run.
    pub(crate) fn impossible(name: &str, problems: &Problems) -> Failure {
        let lines: Vec<String> = problems.0.iter().map(|p| format!("{name}: {p}")).collect();
        Failure::Input(lines.join("\n"))
    }

    /// Prints it to standard error, unless nobody is there.
    pub(crate) fn tell(&self) {
        match self {
            Failure::Input(words) | Failure::Run(words) => {
                words.lines().for_each(|line| say("error", line));
            }
            Failure::BrokenPipe => {}
        }
    }

    /// The exit code.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Failure::Input(_) => 2,
            Failure::Run(_) => 1,
            Failure::BrokenPipe => BROKEN_PIPE,
        }
    }
}

impl From<io::Error> for Failure {
    /// An error of standard output.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::unwritable("standard output", &error),
        }
    }
}

/// Prints a line to standard error: `schedlab: warning: …`. Whoever cannot be told is not told.
pub(crate) fn say(kind: &str, words: &str) {
    let _ = writeln!(io::stderr(), "schedlab: {kind}: {words}");
}
