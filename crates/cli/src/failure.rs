//! How things end: exit codes, and the words that go with them.

use schedlab_engine::fragment::visible;
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
    /// Wrong arguments or bad input; sentences that name the place and the remedy. Exit code 2.
    Input(Vec<String>),
    /// Something went wrong while it ran. Exit code 1.
    Run(Vec<String>),
    /// Nobody reads the output.
    BrokenPipe,
}

impl Failure {
    /// Wrong arguments or bad input, in one sentence.
    pub(crate) fn input(words: impl Into<String>) -> Failure {
        Failure::Input(vec![words.into()])
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(side: &str, name: &str, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => "a fragment has an equals sign in it, such as k=2.6.31",
            io::ErrorKind::IsADirectory => "name a file in it",
            io::ErrorKind::PermissionDenied => "ask its owner, or copy it",
            _ => "use another file",
        };
        let name = named(name);
        Failure::input(format!("{side}{name}: cannot read: {error}; {hint}"))
    }

    /// A file that cannot be written.
    pub(crate) fn unwritable(name: &str, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull => "make room, or write elsewhere",
            io::ErrorKind::NotFound => "make its folder first, or write elsewhere",
            _ => "write elsewhere",
        };
        let name = named(name);
        Failure::Run(vec![format!("{name}: cannot write: {error}; {hint}")])
    }

    /// Prints it to standard error, unless nobody is there.
    pub(crate) fn tell(&self) {
        match self {
            Failure::Input(sentences) | Failure::Run(sentences) => {
                for words in sentences {
                    say("error", words);
                }
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

/// Prints a line to standard error: `schedlab: warning: …`. Names come from files and from other people's links, so
/// nothing in them may reach the terminal as a command. Whoever cannot be told is not told.
pub(crate) fn say(kind: &str, words: &str) {
    let words = visible(words.chars());
    let _ = writeln!(io::stderr(), "schedlab: {kind}: {words}");
}

/// A word as it stands in a sentence: in quotes if it would not be seen as one.
pub(crate) fn named(word: &str) -> String {
    if word.is_empty()
        || word.starts_with(char::is_whitespace)
        || word.ends_with(char::is_whitespace)
    {
        format!("\"{word}\"")
    } else {
        word.to_string()
    }
}
