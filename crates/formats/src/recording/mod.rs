//! Recordings of real kernels, from the bytes of their files to plain data.
//!
//! A recording is a folder: `params.json` (what was run, under which settings), `summary.json` (what was counted over
//! the whole trace), `trace.csv.gz` (its events) and perhaps `rq_end.txt.gz` (the run queue at the end). Reading is total: bytes that are no recording give an
//! [`Unreadable`] that names the file, the place in it, and what was expected there.
//! Not here: what a recording means for the engine; and no file is opened here.

mod count;
mod end;
mod fields;
mod params;
mod repeats;
mod scenario;
mod summary;
#[cfg(test)]
mod tests;
mod trace;

pub use count::{Count, Counted, count};
pub use end::{END, End, EndTask};
pub use params::{Knobs, Params};
pub use repeats::{Range, Repeats};
pub use scenario::{Does, Op, Scenario, Task};
pub use summary::{Counts, Spread, Summary, TaskSummary};
pub use trace::{TRACE_LIMIT, Trace};

use std::fmt;

/// The files of a recording's folder.
pub const PARAMS: &str = "params.json";
/// See [`PARAMS`].
pub const SUMMARY: &str = "summary.json";
/// See [`PARAMS`].
pub const TRACE: &str = "trace.csv.gz";
/// Beside the folders of a kernel: how far the same scenario differs from run to run.
pub const REPEATS: &str = "up-repeats.json";

/// One recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What was run.
    pub params: Params,
    /// What was counted.
    pub summary: Summary,
    /// The events, where they were recorded.
    pub trace: Option<Trace>,
    /// The state of the first run queue at the end, where it was asked for.
    pub end: Option<End>,
}

impl Recording {
    /// The recording in those bytes.
    ///
    /// # Errors
    /// The first place that is not as it should be.
    pub fn read(
        params: &[u8],
        summary: &[u8],
        trace: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<Recording, Unreadable> {
        Ok(Recording {
            params: Params::read(params)?,
            summary: Summary::read(summary)?,
            trace: trace.map(Trace::read).transpose()?,
            end: end.map(End::read).transpose()?,
        })
    }
}

/// Where a file is not as it should be, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file's name.
    pub file: &'static str,
    /// The line, from 1; none where the place is a field.
    pub line: Option<usize>,
    /// The field, as a path or a column's name; empty where the whole file or line is meant.
    pub field: String,
    /// What is wrong and what was expected.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": {}", self.what)
    }
}
