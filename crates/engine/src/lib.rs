//! Schedlab's engine.
#![no_std]
extern crate alloc;

pub mod config;
pub mod event_queue;
pub mod fragment;
pub mod machine;
pub mod observe;
pub mod replay;
pub mod rng;
pub mod sched;
pub mod sim;
pub mod task;
pub mod time;
pub mod words;
pub mod workload;
