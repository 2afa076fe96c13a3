//! Waiting entities ordered by vruntime, the first in before its equals.

/// The order of the waiting entities of one queue.
#[derive(Clone, Debug, Default)]
pub struct Timeline;
