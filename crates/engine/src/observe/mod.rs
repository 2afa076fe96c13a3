//! Watching a run: events, and what observers make of them.
//!
//! Not here: anything that changes a run. Only the simulator calls an observer.

pub mod account;
pub mod event;
pub mod explain;
pub mod fairness;
pub mod hash;
pub mod histogram;
pub mod metrics;
pub mod parting;
#[cfg(test)]
mod test_events;
pub mod trace;

pub use account::{Account, Accounts};
pub use event::{Cause, Event, Observer, PrevState};
pub use fairness::Fairness;
pub use hash::Hash;
pub use histogram::{Distribution, Histogram};
pub use metrics::{Metrics, Report};
pub use trace::Trace;
