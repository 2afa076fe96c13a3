//! What page and worker say to each other: plain data and its encoding, testable without a browser.
//!
//! Not here: how a message travels (`boot`), what is done with it (`worker`, the model). Nothing here knows Yew or a
//! browser interface.

mod codec;
mod command;
pub mod explained;
mod queue;
mod snapshot;
#[cfg(test)]
mod tests;
mod trace;
mod update;
mod wire;

pub use codec::DecodeError;
pub use command::{About, Halt, PAGE, Pace, Parting, Partings, Reply, Request, Search};
pub use explained::Explained;
pub use queue::{QueuedTask, RunQueue};
pub use snapshot::{
    Account, BINS_SHOWN, CpuPlace, Histogram, Part, RunSide, Series, Snapshot, TaskInfo, Tiles,
    Topology,
};
pub use trace::{
    EndWhy, Lane, LaneChunk, Migration, Migrations, NO_TASK, Slice, Switch, Trace, Wakeup, Wakeups,
};
pub use update::{TraceDelta, Update, VERSION, decode, encode};

// The reasons are the engine's own; pictures name them through this door and see nothing else of the engine.
pub use schedlab_engine::sched::decision::{
    BalanceWhy, MigrateWhy, PickWhy, PlacementWhy, PreemptWhy,
};
