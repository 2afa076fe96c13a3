//! Charts: measures of a run over time, or all of it at once.
//!
//! One file a chart; [`plot`] has what those with two axes share.

mod accounts;
mod distribution;
mod latency;
mod plot;
mod queues;
#[cfg(test)]
mod tests;
mod throughput;

pub use accounts::Accounts;
pub use distribution::{Distribution, DistributionAs};
pub use latency::Latency;
pub use queues::{QueueMeasure, Queues};
pub use throughput::Throughput;
