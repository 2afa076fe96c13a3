//! The machine: CPUs and their caches, scheduling domains, what things cost.
//!
//! Not here: any policy. Domains are built from tables that the kernel's rules hand in.

pub mod cpumask;

pub use cpumask::{CpuId, CpuMask};
