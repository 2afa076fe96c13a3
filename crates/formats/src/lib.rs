//! Text in and out: traces as other tools read them, recordings of real kernels.
//!
//! Not here: what a run means or how a report looks; and no file is opened here.

#[cfg(feature = "recording")]
pub mod recording;
pub mod trace;
