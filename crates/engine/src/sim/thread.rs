//! One task of the simulation: where its program stands and what it brings with it.
//!
//! Not here: what the scheduler knows of it (`sched`).

use super::cpu::Activity;
use crate::machine::CpuId;
use crate::machine::cache::Warmth;
use crate::observe::Account;
use crate::task::TaskId;
use crate::workload::ipc::LockId;
use crate::workload::program::{MarkId, Program, TemplateId};
use alloc::vec::Vec;

/// How far a task is with an operation that has several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has not started.
    Fresh,
    /// It sleeps, or was woken, for it.
    Waited,
    /// It was the last to arrive, and lets the others go.
    Last,
}

/// Is it there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// Not started yet.
    New,
    /// Asleep.
    Asleep,
    /// Running or waiting to run.
    Runnable,
    /// Ended.
    Dead,
}

/// How a task that spins for a lock stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpinState {
    /// Rounds spun since it began, or since it slept.
    pub(super) rounds: u16,
    /// Rounds between sleeps.
    pub(super) tries: u16,
    /// The length of its next sleep, µs; 0 = it has not slept for this lock yet.
    pub(super) delay_us: u32,
    /// Sleeps so far.
    pub(super) sleeps: u16,
}

/// One task.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// Its place in its program.
    pub(super) pc: u32,
    /// What is left of an interrupted run, ns on the CPU it last ran on.
    pub(super) rest: u64,
    /// What that is, and the account of it.
    pub(super) interrupted: (Activity, Account),
    /// Rounds left of each open loop.
    pub(super) loops: [u32; Program::MAX_DEPTH],
    /// Open loops.
    pub(super) depth: u8,
    /// How far it is with its operation.
    pub(super) phase: Phase,
    /// Is it there?
    pub(super) life: Life,
    /// Kernel spinlocks it holds: it cannot be preempted.
    pub(super) no_preempt: u8,
    /// Bytes of the present receive that it has.
    pub(super) got: u32,
    /// Draws so far.
    pub(super) draws: u32,
    /// The next in the list it sleeps on.
    pub(super) next: Option<TaskId>,
    /// Where it was woken from, until it runs.
    pub(super) woken_from: Option<CpuId>,
    /// Address space.
    pub(super) space: u32,
    /// Private working set, KiB.
    pub(super) ws_kb: u32,
    /// What is left of it in the caches.
    pub(super) warmth: Warmth,
    /// How late its timers fire, ns.
    pub(super) slack: u64,
    /// When its last timer was to expire, ns.
    pub(super) expiry: u64,
    /// When it was woken last, ns.
    pub(super) woken_at: u64,
    /// When it passed which mark last, ns; those only that it measures from on.
    pub(super) stamps: Vec<(MarkId, u64)>,
    /// The lock that it took as that of its CPU.
    pub(super) here: Option<LockId>,
    /// When its period began, ns; none before the first.
    pub(super) period: Option<u64>,
    /// What it was made from.
    pub(super) template: TemplateId,
    /// Its parent.
    pub(super) parent: Option<TaskId>,
    /// The child it waits for, of those it forked last.
    pub(super) last_child: Option<TaskId>,
    /// Children that have not ended.
    pub(super) children: u32,
    /// Does it sleep until a child ends?
    pub(super) joining: bool,
    /// How it spins.
    pub(super) spin: SpinState,
}
