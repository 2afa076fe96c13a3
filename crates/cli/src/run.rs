//! `schedlab run`: one experiment, its report, and its trace if one is wanted.

use crate::args::Run;
use crate::failure::Failure;
use crate::input::Given;
use crate::json;
use crate::outcome::Outcome;
use crate::report;
use crate::table::Page;
use schedlab_formats::trace::{Format, Trace};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Bytes that are kept before a trace is written on.
const BUFFER: usize = 1 << 20;

/// Runs and reports.
pub(crate) fn run(run: &Run, out: &mut dyn Write) -> Result<(), Failure> {
    let given = run.source.read()?;
    given.tell(run.output.strict)?;
    let outcome = match &run.trace {
        None => given.run(&run.output, &mut (), |()| false)?,
        Some((path, format)) if path == Path::new("-") => {
            return traced(&given, run, "standard output", *format, &mut *out)?.failure();
        }
        Some((path, format)) => {
            // Nothing is overwritten by a run that cannot be, nor the experiment itself.
            given.scenario()?;
            let name = path.display().to_string();
            if run.source.is_file(path) {
                let words =
                    format!("{name}: is the experiment itself; write the trace to another file");
                return Err(Failure::input(words));
            }
            let file = File::create(path).map_err(|e| Failure::unwritable(&name, &e))?;
            let to = BufWriter::with_capacity(BUFFER, file);
            traced(&given, run, &name, *format, to)?
        }
    };
    if run.output.json {
        print_json(&json::Run::new(&outcome, given.warnings()), out)?;
    } else {
        report::print(&outcome, run.output.tasks, &mut Page::stdout(out))?;
    }
    outcome.failure()
}

/// Runs with every event written to `to`.
fn traced(
    given: &Given,
    run: &Run,
    name: &str,
    format: Format,
    to: impl Write,
) -> Result<Outcome, Failure> {
    let scenario = given.scenario()?;
    let mut trace = Trace::new(&scenario.world, format, to);
    let outcome = given.run(&run.output, &mut trace, Trace::failed)?;
    trace.finish().map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Failure::unwritable(name, &error),
    })?;
    Ok(outcome)
}

/// Prints `value` and ends the line.
pub(crate) fn print_json(
    value: &impl serde::Serialize,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
