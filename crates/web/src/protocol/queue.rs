//! A run queue at one moment, as the worker recomputes it from a checkpoint.
//!
//! Not part of a snapshot: it is asked for one CPU and one time.

use super::codec::{DecodeError, Reader, Writer};
use super::wire::{Wire, wire_struct};

/// One entity that may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedTask {
    /// Its task number; none if it is a group.
    pub task: Option<u32>,
    /// Its display name.
    pub comm: String,
    /// vruntime, ns.
    pub vruntime_ns: i64,
    /// Load weight; 1024 is nice 0.
    pub weight: u32,
}

/// The queue of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunQueue {
    /// The CPU.
    pub cpu: u16,
    /// When, ns.
    pub at_ns: u64,
    /// `min_vruntime`, ns.
    pub min_vruntime_ns: i64,
    /// How far right of the leftmost a buddy may be and still run first, ns (`wakeup_gran` of the buddy; at most one
    /// value for the picture).
    pub gran_ns: u64,
    /// Everyone on the queue, the running one included, in any order.
    pub queued: Vec<QueuedTask>,
    /// Index in `queued` of the running one.
    pub curr: Option<usize>,
    /// Index of the leftmost waiting one.
    pub left: Option<usize>,
    /// Index of the next buddy.
    pub next: Option<usize>,
    /// Index of the last buddy.
    pub last: Option<usize>,
    /// Groups that are throttled here, and how many of their tasks wait for that.
    pub throttled: Vec<(String, u32)>,
}

wire_struct!(QueuedTask {
    task,
    comm,
    vruntime_ns,
    weight
});
wire_struct!(RunQueue {
    cpu,
    at_ns,
    min_vruntime_ns,
    gran_ns,
    queued,
    curr,
    left,
    next,
    last,
    throttled
});
