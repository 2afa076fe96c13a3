//! Replay: a recording of a real kernel drives the scheduler's door, and every prediction is compared.
//!
//! The recorded wakeups, ticks and charges happen in their order; whom a pick takes, whether a wakeup preempts,
//! whether a tick reschedules and what a vruntime becomes is asked of the same policy code that the simulator
//! runs. Each answer is a fact: right, wrong, or a tie, where what is compared lies closer than the recording's
//! own clock. After each the recorded state is adopted, so that one wrong rule shows where it is first used.
//! Not here: reading files (`schedlab-formats`), judging whole runs (`sim`).

mod asks;
mod charge;
mod driver;
mod eevdf;
mod facts;
mod input;
mod owed;
mod schedule;
mod select;
mod start;
#[cfg(test)]
mod tests;
mod wake;

pub use facts::{Claim, Divergence, FactKind, Facts, Score, Standing};
pub use input::{Class, End, Ended, Event, Left, Member, Name, Recording, Row};
pub use select::FLIPS_OF_CONTROLLER;

/// Replays a recording.
pub fn replay(recording: &Recording) -> Facts {
    owed::replay(recording)
}
