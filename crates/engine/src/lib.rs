//! Schedlab's engine.
#![no_std]
extern crate alloc;

pub mod config;
pub mod fragment;
pub mod machine;
pub mod observe;
pub mod sched;
pub mod task;
pub mod time;
pub mod workload;
