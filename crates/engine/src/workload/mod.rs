//! Workloads: programs as data, what they share, and the catalog that builds them.
//!
//! Not here: their execution (`sim`) or its price (`machine::cost`). A [`World`] is the whole cast of a run: it
//! does not change while the run goes on.

pub mod catalog;
pub mod ipc;
pub mod lang;
pub mod program;
pub mod sample;

pub use catalog::{ParamInfo, ParamUnit, WorkloadKind, WorkloadProblem};

use crate::machine::{CpuId, CpuMask};
use crate::task::{Nice, Policy};
use crate::time::{Instant, Nanos};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ipc::{BarrierId, ChannelId, ChannelSpec, LockId, LockKind, QueueId, QueueKind};
use program::{Dist, MarkId, MaskId, Op, Program, TemplateId};

/// How a task comes to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It is forked at that instant by nobody in particular, on its first allowed CPU.
    At(Instant),
    /// It has been asleep for long, and somebody beside the run wakes it.
    Asleep(Slept),
    /// Another task forks it.
    Forked,
}

/// Who has been asleep from before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slept {
    /// When it is woken.
    pub woken: Instant,
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// The CPU on which it fell asleep.
    pub cpu: CpuId,
    /// The CPU on which it is woken.
    pub waker: CpuId,
    /// How often whom it woke last was another (`wakee_flips`, which a task inherits).
    pub flips: u32,
}

/// What a task is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The name shown, such as `recv 3.17`.
    pub name: String,
    /// Which part it plays; tasks of one role share this word, such as `receiver`.
    pub role: Arc<str>,
    /// The workload it belongs to, in order of the configuration.
    pub workload: u16,
    /// The address space: a switch between tasks of one space is cheaper.
    pub space: u32,
    /// Nice value.
    pub nice: Nice,
    /// Policy.
    pub policy: Policy,
    /// The slice it asks for (`sched_attr.sched_runtime`); none = the kernel's.
    pub slice: Option<Nanos>,
    /// How late its timers may fire, and do; none = as is usual on the machine, or exact for a real-time task.
    pub slack: Option<Nanos>,
    /// Where it may run; empty = everywhere.
    pub allowed: CpuMask,
    /// What a forked one takes from its parent as that is then, in place of the above.
    pub inherits: Inherits,
    /// Its task group, from 1 in order of the configuration; 0 = the root group.
    pub group: u16,
    /// Its session, from 1 in [`World::sessions`]; 0 = that of the machine's first process.
    pub session: u16,
    /// Private working set, KiB.
    pub ws_kb: u32,
    /// What it does.
    pub program: Program,
    /// How it comes to be.
    pub start: Start,
    /// Does it look at its own CPU clock all the time while it computes, so that it is charged all the time
    /// (`task_sched_runtime`)?
    pub watches_clock: bool,
    /// Does the run go on for its sake (false for a background load that never ends)?
    pub ends: bool,
}

/// What a forked task takes from its parent: attributes that can have changed since both were declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inherits {
    /// The nice value.
    pub nice: bool,
    /// Where it may run.
    pub allowed: bool,
}

/// What one entry of the configuration contributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its kind; none = it is written in the workload language.
    pub kind: Option<WorkloadKind>,
}

impl Member {
    /// The name it has in reports.
    pub const fn name(self) -> &'static str {
        match self.kind {
            Some(kind) => kind.name(),
            None => "written",
        }
    }
}

/// Everything that runs: programs, tasks, and what they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// Operations of all programs.
    pub ops: Vec<Op>,
    /// Distributions that programs draw from.
    pub dists: Vec<Dist>,
    /// Tasks, or what they are forked from.
    pub templates: Vec<Template>,
    /// Channels.
    pub channels: Vec<ChannelSpec>,
    /// Condition queues.
    pub queues: Vec<QueueKind>,
    /// Locks.
    pub locks: Vec<LockKind>,
    /// Barriers: how many must arrive.
    pub barriers: Vec<u32>,
    /// Sets of CPUs that tasks confine themselves to.
    pub masks: Vec<CpuMask>,
    /// Names of marks.
    pub marks: Vec<String>,
    /// Of each mark: does another measure from it on?
    pub remembered: Vec<bool>,
    /// Names of sessions (`setsid`).
    pub sessions: Vec<String>,
    /// The group of each session; 0, or none: it has no group of its own.
    pub session_groups: Vec<u16>,
    /// The workloads, in order of the configuration.
    pub members: Vec<Member>,
}

impl World {
    /// A run has no more tasks than this, forked ones included.
    pub const MAX_TASKS: usize = 65_536;

    /// A world without tasks.
    pub fn new() -> World {
        World::default()
    }

    /// Adds a channel.
    pub fn channel(&mut self, spec: ChannelSpec) -> ChannelId {
        self.channels.push(spec);
        ChannelId(self.channels.len() as u32 - 1)
    }

    /// Gives every pipe the waiting rules that pipes have since 5.5.
    pub fn make_pipes_exclusive(&mut self) {
        for channel in &mut self.channels {
            if channel.kind == ipc::ChannelKind::Pipe {
                channel.kind = ipc::ChannelKind::ExclusivePipe;
            }
        }
    }

    /// Adds a condition queue.
    pub fn queue(&mut self, kind: QueueKind) -> QueueId {
        self.queues.push(kind);
        QueueId(self.queues.len() as u32 - 1)
    }

    /// Adds a lock.
    pub fn lock(&mut self, kind: LockKind) -> LockId {
        self.locks.push(kind);
        LockId(self.locks.len() as u32 - 1)
    }

    /// Adds a barrier for `parties` tasks.
    pub fn barrier(&mut self, parties: u32) -> BarrierId {
        self.barriers.push(parties);
        BarrierId(self.barriers.len() as u32 - 1)
    }

    /// The set of CPUs `mask`, added if it is new.
    pub fn mask(&mut self, mask: CpuMask) -> MaskId {
        let at = self.masks.iter().position(|m| *m == mask);
        MaskId(at.unwrap_or_else(|| {
            self.masks.push(mask);
            self.masks.len() - 1
        }) as u32)
    }

    /// The mark of that name, added if it is new.
    pub fn mark(&mut self, name: &str) -> MarkId {
        let at = self.marks.iter().position(|m| m == name);
        MarkId(at.unwrap_or_else(|| {
            self.marks.push(String::from(name));
            self.remembered.push(false);
            self.marks.len() - 1
        }) as u16)
    }

    /// When a task passed that mark is remembered.
    pub fn remember(&mut self, mark: MarkId) {
        self.remembered[usize::from(mark.0)] = true;
    }

    /// The number of the session of that name, added if it is new.
    pub fn session(&mut self, name: &str) -> u16 {
        let at = self.sessions.iter().position(|s| s == name);
        let at = at.unwrap_or_else(|| {
            self.sessions.push(String::from(name));
            self.sessions.len() - 1
        });
        at as u16 + 1
    }

    /// Adds a template.
    pub fn template(&mut self, template: Template) -> TemplateId {
        self.templates.push(template);
        TemplateId(self.templates.len() as u32 - 1)
    }

    /// Adds a program: `ops` with [`Op::Loop`] … [`Op::End`] in pairs, whose jumps are filled in here, and an
    /// [`Op::Exit`] behind them. Indices in [`Op::Choose`] and [`Op::Jump`] are relative to `ops`.
    ///
    /// # Panics
    /// If loops do not pair or nest deeper than [`Program::MAX_DEPTH`].
    pub fn program(&mut self, ops: &[Op]) -> Program {
        let start = self.ops.len() as u32;
        let mut open: Vec<u32> = Vec::new();
        let mut depth = 0;
        for op in ops {
            let here = self.ops.len() as u32;
            let placed = match *op {
                Op::Loop(count) => {
                    open.push(here);
                    depth = depth.max(open.len());
                    Op::Loop(count)
                }
                Op::End(_) => self.close_loop(open.pop().expect("a loop is open"), here),
                Op::Choose(per_mille, to) => Op::Choose(per_mille, start + to),
                Op::Jump(to) => Op::Jump(start + to),
                other => other,
            };
            self.ops.push(placed);
        }
        self.ops.push(Op::Exit);
        assert!(open.is_empty(), "every loop is closed");
        assert!(depth <= Program::MAX_DEPTH, "loops nest too deep");
        Program { start }
    }

    /// The end at `here` of the loop at `start`; a loop of no rounds becomes a jump over it.
    fn close_loop(&mut self, start: u32, here: u32) -> Op {
        let opening = &mut self.ops[start as usize];
        if *opening == Op::Loop(0) {
            *opening = Op::Jump(here + 1);
        }
        Op::End(start + 1)
    }
}
