//! A run as a trace: each event becomes a line as it happens, so that no run is too long to be traced.
//!
//! Three formats: [`Format::Perf`] reads as `perf sched script` prints, [`Format::JsonLines`] has everything,
//! [`Format::Csv`] has the columns of recordings of real kernels (t_ns, cpu, ev, a, b, c), so that the two can be
//! compared by the same tools. Process ids are task numbers plus one, because 0 is the idle task; several tasks may have
//! one name, so every line has the id too.

mod cast;
mod csv;
mod json;
mod perf;
#[cfg(test)]
mod tests;

use cast::Cast;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::time::Instant;
use schedlab_engine::workload::World;
use std::io::{self, Write};
use std::path::Path;

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As `perf sched script` prints, with our reasons behind the kernel's fields.
    Perf,
    /// One JSON object a line.
    JsonLines,
    /// Columns t_ns, cpu, ev, a, b, c.
    Csv,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Perf, Format::JsonLines, Format::Csv];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Perf => "perf",
            Format::JsonLines => "jsonl",
            Format::Csv => "csv",
        }
    }

    /// The format that the end of a file's name asks for; perf's if it asks for none.
    pub fn of_path(path: &Path) -> Format {
        let end = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match end.as_deref().and_then(|e| e.to_str()) {
            Some("jsonl" | "json" | "ndjson") => Format::JsonLines,
            Some("csv") => Format::Csv,
            _ => Format::Perf,
        }
    }
}

/// Writes the events of a run.
pub struct Trace<'w, W: Write> {
    cast: Cast<'w>,
    format: Format,
    to: W,
    /// The first error of `to`; nothing is written after it.
    error: Option<io::Error>,
}

impl<'w, W: Write> Trace<'w, W> {
    /// A trace of a run of `world`, to be written to `to`, which had better be buffered.
    pub fn new(world: &'w World, format: Format, to: W) -> Trace<'w, W> {
        let mut trace = Trace {
            cast: Cast::new(world),
            format,
            to,
            error: None,
        };
        if format == Format::Csv {
            trace.error = writeln!(trace.to, "t_ns,cpu,ev,a,b,c").err();
        }
        trace
    }

    /// Has writing failed? There is no point in going on then.
    pub const fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.to.flush(),
        }
    }
}

impl<W: Write> Observer for Trace<'_, W> {
    fn record(&mut self, now: Instant, event: &Event) {
        if self.error.is_some() {
            return;
        }
        self.cast.enter(event);
        let written = match self.format {
            Format::Perf => perf::write(&mut self.to, now, event, &self.cast),
            Format::JsonLines => json::write(&mut self.to, now, event, &self.cast),
            Format::Csv => csv::write(&mut self.to, now, event, &self.cast),
        };
        self.error = written.err();
        self.cast.leave(event);
    }
}
