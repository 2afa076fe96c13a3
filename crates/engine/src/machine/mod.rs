//! The machine: CPUs and their caches, scheduling domains, what things cost.
//!
//! Not here: any policy. Domains are built from tables that the kernel's rules hand in.

pub mod cache;
pub mod catalog;
pub mod cost;
pub mod cpumask;
mod emulated;
pub mod energy;
mod lock_costs;
mod nehalem;
pub mod sched_domain;
pub mod sd_flags;
mod snapdragon;
pub mod topology;

pub use catalog::Machine;
pub use cpumask::{CpuId, CpuMask};
pub use sched_domain::Domains;
pub use topology::{Distance, Topology};
