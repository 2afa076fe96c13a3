//! What was asked for: the arguments as a [`Command`], or words about what is wrong with them.
//!
//! Not here: anything that is done about it.

mod check_trace;
mod command;
mod reproduce;

pub(crate) use command::{Command, Compare, Explain, List, Output, Run, Show};

use crate::bench::Form;
use crate::failure::named;
use crate::input::Source;
use lexopt::prelude::{Long, Short, Value};
use schedlab_engine::fragment::{nearest, nearest_release};
use schedlab_engine::sched::profile::PROFILES;
use schedlab_formats::trace::Format;
use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// More rounds would not make a median better.
const MOST_ROUNDS: u32 = 1000;

/// The commands, for help and for typing mistakes.
const COMMANDS: [&str; 10] = [
    "run",
    "compare",
    "list",
    "show",
    "explain",
    "check-trace",
    "reproduce",
    "bench",
    "hash",
    "help",
];

/// Options and free arguments of one command, as they come.
struct Words {
    parser: lexopt::Parser,
    command: &'static str,
}

/// The arguments (without the program's name) as a command.
///
/// # Errors
/// A sentence that names the argument and, if one is near, what was probably meant.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut parser = lexopt::Parser::from_args(args);
    let first = parser
        .next()
        .map_err(|e| format!("{e}; see schedlab --help"))?;
    let name = match first {
        None | Some(Short('h') | Long("help")) => return Ok(Command::Help(None)),
        Some(Short('V') | Long("version")) => return Ok(Command::Version),
        Some(Value(name)) => name.to_string_lossy().into_owned(),
        Some(other) => return Err(unexpected(&other, "", &["--help", "--version"])),
    };
    let Some(command) = COMMANDS.iter().find(|c| **c == name) else {
        return Err(unknown_command(&name));
    };
    let mut words = Words { parser, command };
    let parsed = match *command {
        "run" => words.run(),
        "compare" => words.compare(),
        "list" => words.list(),
        "show" => words.show(),
        "explain" => words.explain(),
        "check-trace" => words.check_trace(),
        "reproduce" => words.reproduce(),
        "bench" => words.bench(),
        "hash" => words.hash(),
        _ => words.help(),
    };
    match parsed {
        Err(Stop::Help) => Ok(Command::Help(Some(name))),
        Err(Stop::Wrong(words)) => Err(words),
        Ok(command) => Ok(command),
    }
}

/// Why reading stopped early.
enum Stop {
    Help,
    Wrong(String),
}

impl From<lexopt::Error> for Stop {
    fn from(error: lexopt::Error) -> Stop {
        Stop::Wrong(format!("{error}; see schedlab --help"))
    }
}

/// An option or a free argument.
enum Word {
    Option(String),
    Free(OsString),
}

impl Words {
    /// The next word; help is recognised everywhere.
    fn next(&mut self) -> Result<Option<Word>, Stop> {
        Ok(match self.parser.next()? {
            None => None,
            Some(Short('h') | Long("help")) => return Err(Stop::Help),
            Some(Long(name)) => Some(Word::Option(format!("--{name}"))),
            Some(Short(letter)) => Some(Word::Option(format!("-{letter}"))),
            Some(Value(value)) => Some(Word::Free(value)),
        })
    }

    fn text(&mut self) -> Result<String, Stop> {
        Ok(self.parser.value()?.to_string_lossy().into_owned())
    }

    /// A whole number within `range`.
    fn number<N>(&mut self, option: &str, range: RangeInclusive<N>) -> Result<N, Stop>
    where
        N: FromStr + PartialOrd + Display,
    {
        let text = self.text()?;
        let number = text.parse().ok().filter(|n| range.contains(n));
        number.ok_or_else(|| {
            let (text, low, high) = (named(&text), range.start(), range.end());
            Stop::Wrong(format!(
                "{option} {text}: use a whole number, {low} to {high}"
            ))
        })
    }

    fn wrong<T>(&self, option: &str, known: &[&str]) -> Result<T, Stop> {
        let near = nearest(option, known.iter().copied());
        let hint = near.map_or_else(
            || format!("see schedlab {} --help", self.command),
            |near| format!("did you mean {near}?"),
        );
        let command = self.command;
        Err(Stop::Wrong(format!(
            "{command}: no option {option}; {hint}"
        )))
    }

    fn too_many<T>(&self, word: &OsString) -> Result<T, Stop> {
        let (word, command) = (named(&word.to_string_lossy()), self.command);
        let hint = match command {
            "run" | "compare" | "explain" => {
                String::from("quote the fragment: & and ; mean something to the shell")
            }
            _ => format!("see schedlab {command} --help"),
        };
        Err(Stop::Wrong(format!(
            "{command}: one argument too many: {word}; {hint}"
        )))
    }

    /// Rows of the table of tasks.
    fn tasks(&mut self) -> Result<usize, Stop> {
        let text = self.text()?;
        if text == "all" {
            return Ok(usize::MAX);
        }
        text.parse().map_err(|_| {
            let text = named(&text);
            Stop::Wrong(format!("--tasks {text}: use a whole number, or all"))
        })
    }

    /// The number of a CPU; whether the machine has it is not known here.
    fn cpu(&mut self) -> Result<u16, Stop> {
        let text = self.text()?;
        let digits = text.parse::<u128>().map(|n| n.min(u16::MAX.into()) as u16);
        digits.map_err(|_| {
            let text = named(&text);
            Stop::Wrong(format!("--cpu {text}: use the number of a CPU, from 0 on"))
        })
    }

    fn run(&mut self) -> Result<Command, Stop> {
        const KNOWN: &[&str] = &[
            "--json",
            "--trace",
            "--trace-format",
            "--tasks",
            "--progress",
            "--quiet",
            "--strict",
        ];
        let (mut source, mut trace, mut format) = (None, None, None);
        let mut output = Output::default();
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if output.takes(&o) => {}
                Word::Option(o) if o == "--tasks" => output.tasks = Some(self.tasks()?),
                Word::Option(o) if o == "--trace" => {
                    trace = Some(PathBuf::from(self.parser.value()?));
                }
                Word::Option(o) if o == "--trace-format" => format = Some(self.format()?),
                Word::Option(o) => return self.wrong(&o, KNOWN),
                Word::Free(word) if source.is_none() => source = Some(Source::of(word)),
                Word::Free(word) => return self.too_many(&word),
            }
        }
        if trace.is_none() && format.is_some() {
            return Err(Stop::Wrong("run: --trace-format needs --trace FILE".into()));
        }
        if output.json && trace.as_deref() == Some(Path::new("-")) {
            let words = "run: --json and --trace - both want standard output; give --trace a file";
            return Err(Stop::Wrong(words.into()));
        }
        let trace = trace.map(|path| {
            let format = format.unwrap_or_else(|| Format::of_path(&path));
            (path, format)
        });
        Ok(Command::Run(Run {
            source: source.unwrap_or_default(),
            output,
            trace,
        }))
    }

    fn format(&mut self) -> Result<Format, Stop> {
        let name = self.text()?;
        let found = Format::ALL.iter().find(|f| f.name() == name);
        let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
        found.copied().ok_or_else(|| {
            let (name, names) = (named(&name), names.join(" or "));
            Stop::Wrong(format!("--trace-format {name}: use {names}"))
        })
    }

    fn compare(&mut self) -> Result<Command, Stop> {
        const KNOWN: &[&str] = &["--json", "--progress", "--quiet", "--strict"];
        let mut sources = Vec::new();
        let mut output = Output::default();
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if output.takes(&o) => {}
                Word::Option(o) => return self.wrong(&o, KNOWN),
                Word::Free(word) if sources.len() < 2 => sources.push(Source::of(word)),
                Word::Free(word) => return self.too_many(&word),
            }
        }
        let mut sources = sources.into_iter();
        let (Some(a), b) = (sources.next(), sources.next()) else {
            let hint = "name two experiments, for example v=1 '&k=2.6.31'";
            return Err(Stop::Wrong(format!("compare: {hint}")));
        };
        if a == Source::Stdin && b == Some(Source::Stdin) {
            let words = "compare: standard input can be read only once; give A or B as a file";
            return Err(Stop::Wrong(words.into()));
        }
        Ok(Command::Compare(Compare { a, b, output }))
    }

    fn list(&mut self) -> Result<Command, Stop> {
        let (mut what, mut json, mut at) = (None, false, Source::default());
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--json" => json = true,
                Word::Option(o) if o == "--for" => at = Source::of(self.parser.value()?),
                Word::Option(o) => return self.wrong(&o, &["--json", "--for"]),
                Word::Free(word) if what.is_none() => what = Some(list_named(&word)?),
                // A kernel by itself is short for the fragment that names it.
                Word::Free(word) if at == Source::default() => at = kernel_named(&word)?,
                Word::Free(word) => return self.too_many(&word),
            }
        }
        Ok(Command::List { what, json, at })
    }

    fn show(&mut self) -> Result<Command, Stop> {
        let mut show = Show::default();
        let mut said = false;
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--link" => show.link = true,
                Word::Option(o) if o == "--program" => show.program = true,
                Word::Option(o) => return self.wrong(&o, &["--link", "--program"]),
                Word::Free(word) if !said => (show.source, said) = (Source::of(word), true),
                Word::Free(word) => return self.too_many(&word),
            }
        }
        Ok(Command::Show(show))
    }

    fn explain(&mut self) -> Result<Command, Stop> {
        let (mut source, mut at, mut cpu) = (None, None, None);
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--at" => at = Some(self.text()?),
                Word::Option(o) if o == "--cpu" => cpu = Some(self.cpu()?),
                Word::Option(o) => return self.wrong(&o, &["--at", "--cpu"]),
                Word::Free(word) if source.is_none() => source = Some(Source::of(word)),
                Word::Free(word) => return self.too_many(&word),
            }
        }
        let Some(at) = at else {
            return Err(Stop::Wrong(
                "explain: --at TIME is needed, for example --at 12.5ms".into(),
            ));
        };
        Ok(Command::Explain(Explain {
            source: source.unwrap_or_default(),
            at,
            cpu,
        }))
    }

    fn bench(&mut self) -> Result<Command, Stop> {
        let (mut form, mut rounds, mut only) = (Form::Table, 5, None);
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--json" => form = Form::Json,
                Word::Option(o) if o == "--lines" => form = Form::Lines,
                Word::Option(o) if o == "--rounds" => rounds = self.number(&o, 1..=MOST_ROUNDS)?,
                Word::Option(o) => return self.wrong(&o, &["--json", "--lines", "--rounds"]),
                Word::Free(word) if only.is_none() => {
                    only = Some(word.to_string_lossy().into_owned());
                }
                Word::Free(word) => return self.too_many(&word),
            }
        }
        Ok(Command::Bench { form, rounds, only })
    }

    fn hash(&mut self) -> Result<Command, Stop> {
        let (mut count, mut seed) = (50, 1);
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--count" => count = self.number(&o, 1..=u32::MAX)?,
                Word::Option(o) if o == "--seed" => seed = self.number(&o, 0..=u64::MAX)?,
                Word::Option(o) => return self.wrong(&o, &["--count", "--seed"]),
                Word::Free(word) => return self.too_many(&word),
            }
        }
        Ok(Command::Hash { count, seed })
    }

    fn help(&mut self) -> Result<Command, Stop> {
        match self.next()? {
            Some(Word::Free(name)) => {
                let name = name.to_string_lossy().into_owned();
                if COMMANDS.contains(&name.as_str()) {
                    Ok(Command::Help(Some(name)))
                } else {
                    Err(Stop::Wrong(unknown_command(&name)))
                }
            }
            Some(Word::Option(o)) => self.wrong(&o, &[]),
            None => Ok(Command::Help(None)),
        }
    }
}

fn list_named(word: &OsString) -> Result<List, Stop> {
    let word = word.to_string_lossy();
    let names = List::ALL.iter().map(|(name, _)| *name);
    // What commits were called, in JSON to this day.
    let asked = if word == "deltas" { "commits" } else { &*word };
    let found = List::ALL.iter().find(|(name, _)| *name == asked);
    found.map(|(_, list)| *list).ok_or_else(|| {
        let all: Vec<_> = names.clone().collect();
        let hint = nearest(&word, names).map_or_else(
            || format!("use {}", all.join(", ")),
            |near| format!("did you mean {near}?"),
        );
        Stop::Wrong(format!("list: nothing is called {}; {hint}", named(&word)))
    })
}

fn kernel_named(word: &OsString) -> Result<Source, Stop> {
    let word = word.to_string_lossy();
    let names = PROFILES.iter().map(|p| p.name);
    if names.clone().any(|name| name == word) {
        return Ok(Source::Text(format!("k={word}")));
    }
    let hint = nearest_release(&word, names).map_or_else(
        || String::from("see schedlab list kernels"),
        |near| format!("the nearest is {near}; see schedlab list kernels"),
    );
    Err(Stop::Wrong(format!(
        "list: no kernel is called {}; {hint}",
        named(&word)
    )))
}

fn unknown_command(name: &str) -> String {
    let hint = nearest(name, COMMANDS).map_or_else(
        || format!("use {}", COMMANDS.join(", ")),
        |near| format!("did you mean {near}?"),
    );
    format!("no command {}; {hint}", named(name))
}

fn unexpected(arg: &lexopt::Arg<'_>, command: &str, known: &[&str]) -> String {
    let name = match arg {
        Long(name) => format!("--{name}"),
        Short(letter) => format!("-{letter}"),
        Value(value) => value.to_string_lossy().into_owned(),
    };
    let hint = nearest(&name, known.iter().copied()).map_or_else(
        || String::from("see schedlab --help"),
        |near| format!("did you mean {near}?"),
    );
    format!("{command}no option {name}; {hint}")
}

#[cfg(test)]
mod tests;
