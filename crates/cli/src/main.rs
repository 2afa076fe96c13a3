//! `schedlab`: the simulator on the command line.
//!
//! Results go to standard output, everything else to standard error. Not here: anything that the page could
//! use too; that is in the engine and in `schedlab-formats`.

mod args;
mod bench;
mod check_trace;
mod compare;
mod drive;
mod explain;
mod failure;
mod fairness;
mod hash;
mod help;
mod input;
mod interrupt;
mod json;
mod list;
mod numbers;
mod outcome;
mod progress;
mod remedy;
mod report;
mod reproduce;
mod run;
mod setup;
mod show;
mod table;
mod words;

use args::Command;
use failure::Failure;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match args::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(words) => return end(Err(Failure::input(words))),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let done = perform(command, &mut out).and_then(|()| Ok(out.flush()?));
    end(done)
}

/// Does what was asked.
fn perform(command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Help(None) => Ok(write!(out, "{}", help::OVERVIEW)?),
        Command::Help(Some(name)) => Ok(write!(out, "{}", help::of(&name))?),
        Command::Version => Ok(writeln!(out, "schedlab {}", env!("CARGO_PKG_VERSION"))?),
        Command::List { what, json, at } => {
            let given = at.read()?;
            given.tell(false)?;
            list::list(what, json, &given.config, out)
        }
        Command::Show(show) => show::show(&show, out),
        Command::Run(run) => run::run(&run, out),
        Command::Compare(compare) => compare::compare(&compare, out),
        Command::Bench { form, rounds, only } => bench::bench(only.as_deref(), rounds, form, out),
        Command::CheckTrace(asked) => check_trace::check(&asked, out),
        Command::Reproduce(asked) => reproduce::reproduce(&asked, out),
        Command::Hash { count, seed } => hash::hash(count, seed, out),
        Command::Explain(asked) => explain::explain(&asked, out),
    }
}

/// Says what went wrong, and turns it into an exit code.
fn end(done: Result<(), Failure>) -> ExitCode {
    let code = match done {
        Ok(()) if interrupt::asked() => failure::INTERRUPTED,
        Ok(()) => failure::OK,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    };
    ExitCode::from(code)
}
