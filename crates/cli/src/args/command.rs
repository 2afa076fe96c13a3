//! What can be asked for, as values.

use crate::bench::Form;
use crate::check_trace::CheckTrace;
use crate::input::Source;
use crate::reproduce::Reproduce;
use schedlab_formats::trace::Format;
use std::path::PathBuf;

/// One thing to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Simulate one experiment and report.
    Run(Run),
    /// Simulate two and say how they differ.
    Compare(Compare),
    /// Print tables.
    List {
        /// Which of them; none = an overview.
        what: Option<List>,
        /// As JSON.
        json: bool,
        /// The kernel whose defaults are shown.
        at: Source,
    },
    /// Print an experiment itself.
    Show(Show),
    /// Say why a CPU does what it does at some time.
    Explain(Explain),
    /// Measure the simulator itself.
    Bench {
        /// How to print it.
        form: Form,
        /// How often each scenario is run.
        rounds: u32,
        /// Only the scenario of that name.
        only: Option<String>,
    },
    /// Judge the rules by recordings of real kernels.
    CheckTrace(CheckTrace),
    /// Run published experiments again.
    Reproduce(Reproduce),
    /// Print the hashes of random experiments.
    Hash {
        /// How many.
        count: u32,
        /// The seed they come from.
        seed: u64,
    },
    /// Print help: of one command, or of all.
    Help(Option<String>),
    /// Print the version.
    Version,
}

/// `schedlab run`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The experiment.
    pub source: Source,
    /// What to print.
    pub output: Output,
    /// Where the events go.
    pub trace: Option<(PathBuf, Format)>,
}

/// `schedlab compare`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Compare {
    /// The one.
    pub a: Source,
    /// The other; a fragment that starts with `&` is what differs from the one. None: the one names it too.
    pub b: Option<Source>,
    /// What to print.
    pub output: Output,
}

/// `schedlab show`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Show {
    /// The experiment.
    pub source: Source,
    /// As a link rather than as a scenario.
    pub link: bool,
    /// With the workloads of the catalog written out as tasks.
    pub program: bool,
}

/// `schedlab explain`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Explain {
    /// The experiment.
    pub source: Source,
    /// The simulated time, as written.
    pub at: String,
    /// The CPU; none = the first that decides anything from then on.
    pub cpu: Option<u16>,
}

/// How to print results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// As JSON.
    pub json: bool,
    /// Rows of the table of tasks; none = as many as there are roles.
    pub tasks: Option<usize>,
    /// Show progress: always, never, or (none) if stderr is a terminal.
    pub progress: Option<bool>,
    /// Is a warning an error?
    pub strict: bool,
}

impl Output {
    /// Takes an option that commands with results share; false if it is none.
    pub(super) fn takes(&mut self, option: &str) -> bool {
        match option {
            "--json" => self.json = true,
            "--strict" => self.strict = true,
            "--progress" => self.progress = Some(true),
            "-q" | "--quiet" => self.progress = Some(false),
            _ => return false,
        }
        true
    }
}

/// What `schedlab list` can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Machines,
    Kernels,
    Outlines,
    Deltas,
    Features,
    Tunables,
    Flags,
    Workloads,
    Keys,
    Language,
}

impl List {
    pub(crate) const ALL: [(&'static str, List); 10] = [
        ("machines", List::Machines),
        ("kernels", List::Kernels),
        ("outlines", List::Outlines),
        ("commits", List::Deltas),
        ("features", List::Features),
        ("tunables", List::Tunables),
        ("flags", List::Flags),
        ("workloads", List::Workloads),
        ("keys", List::Keys),
        ("language", List::Language),
    ];
}
