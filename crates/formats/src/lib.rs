//! Text in and out: traces as other tools read them.
//!
//! Not here: what a run means or how a report looks; and no file is opened here.

pub mod trace;
