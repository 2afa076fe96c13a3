//! Watching a run: events, and what observers make of them.
//!
//! Not here: anything that changes a run. Only the simulator calls an observer.

pub mod account;
pub mod event;

pub use account::{Account, Accounts};
pub use event::{Cause, Event, Observer, PrevState};
