//! What EEVDF knows of entities and queues beside what every fair scheduler does.
//!
//! Kept apart from [`crate::sched::rq`] and only by kernels that have it. Fields carry the kernel's names. Nothing
//! here decides anything.

use super::tree::Tree;
use crate::sched::rq::{CfsRqId, EntityId, LoadWeight};
use crate::sched::weight::SCALE_SHIFT;
use alloc::vec::Vec;

/// Of one entity (`sched_entity`).
#[expect(
    clippy::struct_excessive_bools,
    reason = "the kernel's own flags, set and read one by one"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Virtual {
    /// When its present slice is to be done, ns of vruntime; relative to `vruntime` while `rel_deadline`.
    pub deadline: i64,
    /// By how much it lags behind the average, ns of its vruntime, as of when it last left or was put off.
    pub vlag: i64,
    /// Up to which vruntime it is protected, ns (6.18 on).
    pub vprot: i64,
    /// Is it protected until its deadline moves (`vlag == deadline`, 6.6 and 6.12)?
    pub parity: bool,
    /// How long it wants to run in one go, ns.
    pub slice: u64,
    /// Was that slice asked for?
    pub custom_slice: bool,
    /// Does it count on the queue on which it competes?
    pub(super) queued: bool,
    /// It sleeps, but stays queued until it has paid what it owes.
    pub sched_delayed: bool,
    /// Is `deadline` relative?
    pub rel_deadline: bool,
    /// `load.weight` of a 64-bit kernel: 1048576 is nice 0. Of a task in the flat queue of 7.3 its part of the weights
    /// above it, as it was when it last was reckoned (`h_load`).
    pub weight: u64,
    /// Its place among equals in the tree.
    arrival: u64,
}

impl Virtual {
    /// A new entity of that weight and slice.
    pub(in crate::sched) fn new(load: LoadWeight, slice: u64) -> Virtual {
        Virtual {
            deadline: 0,
            vlag: 0,
            vprot: 0,
            parity: false,
            slice,
            custom_slice: false,
            queued: false,
            sched_delayed: false,
            rel_deadline: false,
            weight: load.weight << SCALE_SHIFT,
            arrival: 0,
        }
    }
}

/// Of one queue (`cfs_rq`).
#[derive(Clone, Debug, Default)]
pub struct Average {
    /// Waiting entities.
    pub tree: Tree,
    /// The running entity, which waits in no tree; of the flat queue of 7.3 a task, whatever its group.
    pub(super) curr: Option<EntityId>,
    /// Entities that compete here, the running one included (`nr_queued`; 7.3: `h_nr_queued`).
    pub(super) nr: u32,
    /// Σ weight × (vruntime − `zero`) of those (`avg_vruntime`, `sum_w_vruntime`).
    pub(super) sum: i128,
    /// Σ weight of those (`avg_load`, `sum_weight`).
    pub(super) load: u64,
    /// What vruntimes are counted from; no decision depends on it (`zero_vruntime`).
    pub(super) zero: i64,
    /// Σ `load.weight` of the entities of this level, the running one included.
    pub(super) weight: u64,
}

impl Average {
    /// Σ `load.weight` of the entities of this level, the running one included (1048576 is nice 0).
    pub const fn weight(&self) -> u64 {
        self.weight
    }

    /// The running entity, which waits in no tree.
    pub const fn curr(&self) -> Option<EntityId> {
        self.curr
    }

    /// Entities that compete here, the running one included.
    pub const fn nr(&self) -> u32 {
        self.nr
    }
}

/// Of all of them.
#[derive(Clone, Debug, Default)]
pub struct Eevdf {
    se: Vec<Virtual>,
    q: Vec<Average>,
    /// Tasks of each CPU that sleep but are still queued (`h_nr_delayed`).
    pub(super) delayed: Vec<u32>,
}

impl Eevdf {
    /// A machine of so many CPUs.
    pub(in crate::sched) fn new(cpus: usize) -> Eevdf {
        Eevdf {
            se: Vec::new(),
            q: Vec::new(),
            delayed: alloc::vec![0; cpus],
        }
    }

    /// Of one entity.
    pub fn se(&self, se: EntityId) -> &Virtual {
        &self.se[se.0 as usize]
    }

    pub(in crate::sched) fn se_mut(&mut self, se: EntityId) -> &mut Virtual {
        &mut self.se[se.0 as usize]
    }

    /// Of one queue.
    pub fn q(&self, q: CfsRqId) -> &Average {
        &self.q[q.0 as usize]
    }

    pub(super) fn q_mut(&mut self, q: CfsRqId) -> &mut Average {
        &mut self.q[q.0 as usize]
    }

    /// One more entity, and one more queue, at the end of their arenas.
    pub(in crate::sched) fn push_se(&mut self, entity: Virtual) {
        self.se.push(entity);
    }

    pub(in crate::sched) fn push_q(&mut self) {
        self.q.push(Average::default());
    }

    pub(super) fn arrival(&self, se: EntityId) -> u64 {
        self.se(se).arrival
    }

    pub(super) fn set_arrival(&mut self, se: EntityId, arrival: u64) {
        self.se_mut(se).arrival = arrival;
    }
}
