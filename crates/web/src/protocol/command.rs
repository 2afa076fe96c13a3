//! What page and worker ask and answer, beside the stream of numbers: small values, rarely sent.
//!
//! A configuration travels as its link: that text is total to read, exact, and the only way a configuration is ever
//! written down. Not here: the stream (`update`) and how messages travel (`boot`).

use super::codec::{DecodeError, Reader, Writer};
use super::wire::{Wire, from_words, to_words, wire_enum, wire_struct};
use super::{Explained, RunQueue, RunSide};
use std::rc::Rc;

/// What the page asks of a worker.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Start a run; whatever went on before is over.
    Run {
        /// Its number.
        run: u32,
        /// Which side it is for.
        side: RunSide,
        /// The configuration, as a link.
        config: String,
        /// How fast.
        pace: Pace,
    },
    /// The page has drawn the last numbers and can take more.
    More {
        /// How far the run is that this one is compared with, ns, where that is played too.
        other_ns: Option<u64>,
    },
    /// Halt, or go on.
    Halt(bool),
    /// Go on at another pace.
    Pace(Pace),
    /// One more event of a halted run.
    Step,
    /// What is on the queue of a CPU, and how was the decision there made?
    Inspect {
        /// To be given back with the answer.
        ticket: u32,
        /// The CPU.
        cpu: u16,
        /// When, ns.
        at_ns: u64,
        /// The decision asked about, and when it was, ns.
        about: Option<(About, u64)>,
    },
    /// Where does another configuration decide differently?
    Diverge {
        /// The configuration, as a link.
        from: String,
        /// The other one.
        other: String,
        /// Which differences are wanted.
        search: Search,
    },
    /// How fast is a run of this configuration? The page never asks: `cargo xtask bench` does.
    Bench {
        /// The configuration, as a link.
        config: String,
        /// With everything recorded that the page is told, or the engine by itself?
        watched: bool,
    },
}

/// How fast a run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Simulated ns for each real second; none: as fast as it goes.
    pub ns_per_s: Option<u64>,
    /// Up to here it goes as fast as it can all the same, ns.
    pub from_ns: u64,
}

/// So many differences of two runs are told at a time.
pub const PAGE: u32 = 32;

/// Which of the differences of two runs are told: a page of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Those from here on, ns.
    pub from_ns: u64,
    /// So many of these are passed over.
    pub skip: u32,
}

/// A decision to be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The pick of the switch there.
    Pick,
    /// The selection and the preemption check of the wakeup of this task there.
    Wakeup(u32),
    /// The move of this task there.
    Move(u32),
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The configuration cannot be run, for these reasons.
    Rejected {
        /// The number of the run.
        run: u32,
        /// One sentence each.
        problems: Vec<String>,
    },
    /// The run is over.
    Ended {
        /// Its number.
        run: u32,
        /// Why.
        why: Halt,
        /// Real time spent on it, ms.
        wall_ms: f64,
    },
    /// The answer to an inspection.
    Inspected {
        /// The ticket of the request.
        ticket: u32,
        /// The queue.
        queue: Option<RunQueue>,
        /// The decision.
        explained: Option<Rc<Explained>>,
    },
    /// The first differences.
    Diverged(Partings),
    /// How fast it was.
    Benched {
        /// The hash of the run, as the command line prints it; only of a watched one.
        hash: Option<String>,
        /// Its events.
        events: u64,
        /// Real time spent on it, ms.
        ms: f64,
    },
    /// The engine found a mistake of its own and stops, with these words.
    Broken(String),
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Every workload that ends has ended.
    Finished,
    /// The simulated time that was asked for is over.
    Time,
    /// The number of events that was allowed is reached.
    Events,
    /// Every task sleeps and nothing will wake one.
    Quiet,
    /// A program goes round and round without using time.
    Stuck,
    /// There would have been more tasks than are allowed.
    Tasks,
}

/// Where two runs part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partings {
    /// The decisions that were asked for and are not the same, in the order of time.
    pub found: Vec<Parting>,
    /// What was asked for.
    pub search: Search,
    /// Are there others after them?
    pub more: bool,
    /// Of the tasks that only A has, the name of the first and how many there are.
    pub only_a: Option<(String, u32)>,
    /// The same of B.
    pub only_b: Option<(String, u32)>,
}

/// A decision that is not the same in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// What is decided: a place in `Kind::ALL`.
    pub kind: u8,
    /// The last wakeup, from 1, of the task that it is about; 0: it has only been started.
    pub wakeup: u32,
    /// Its number among those of its kind since then, from 0.
    pub nth: u32,
    /// What the first does; none: it comes to no such decision.
    pub a: Option<Explained>,
    /// What the other does.
    pub b: Option<Explained>,
    /// How to ask for it.
    pub about: Option<About>,
}

wire_enum!(Request {
    Run { run, side, config, pace },
    More { other_ns },
    Halt(on),
    Pace(pace),
    Step,
    Inspect { ticket, cpu, at_ns, about },
    Diverge { from, other, search },
    Bench { config, watched },
});
wire_struct!(Pace { ns_per_s, from_ns });
wire_struct!(Search { from_ns, skip });
wire_enum!(About { Pick, Wakeup(task), Move(task) });
wire_enum!(Reply {
    Rejected { run, problems },
    Ended { run, why, wall_ms },
    Inspected { ticket, queue, explained },
    Diverged(partings),
    Benched { hash, events, ms },
    Broken(words),
});
wire_enum!(Halt {
    Finished,
    Time,
    Events,
    Quiet,
    Stuck,
    Tasks
});
wire_struct!(Partings {
    found,
    search,
    more,
    only_a,
    only_b
});
wire_struct!(Parting {
    kind,
    wakeup,
    nth,
    a,
    b,
    about
});

impl Request {
    /// Its words.
    pub fn encode(&self) -> Vec<u32> {
        to_words(self)
    }

    /// The request in an array of words.
    ///
    /// # Errors
    /// When the array is anything but a whole request.
    pub fn decode(words: &[u32]) -> Result<Self, DecodeError> {
        from_words(words)
    }
}

impl Reply {
    /// Its words; an update (`super::update`) never begins like that.
    pub fn encode(&self) -> Vec<u32> {
        to_words(self)
    }

    /// The reply in an array of words.
    ///
    /// # Errors
    /// When the array is anything but a whole reply.
    pub fn decode(words: &[u32]) -> Result<Self, DecodeError> {
        from_words(words)
    }
}
