//! Load balancing: which tasks change CPUs without being woken.

use super::Sched;
use super::decision::{IdleType, Moved};
use crate::machine::CpuId;
use alloc::vec::Vec;

/// What a balancing pass did.
#[must_use]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balanced {
    /// Tasks moved, in order.
    pub moved: Vec<Moved>,
    /// Run queues read.
    pub visited: u32,
    /// The busiest CPU that was asked to push its running task to the second one.
    pub active: Option<(CpuId, CpuId)>,
}

impl Sched {
    /// schedule() on `this` is about to go idle.
    pub fn idle_balance(&mut self, this: CpuId) -> Balanced {
        let _ = this;
        Balanced::default()
    }

    /// The tick's balancing pass.
    pub fn rebalance_domains(&mut self, this: CpuId, jiffies: u64, idle: IdleType) -> Balanced {
        let _ = (this, jiffies, idle);
        Balanced::default()
    }

    /// `busiest` was asked to push its running task to `target`.
    pub fn active_load_balance(&mut self, busiest: CpuId, target: CpuId) -> Balanced {
        let _ = (busiest, target);
        Balanced::default()
    }
}
