//! Where every task stands: waiting on which CPU, or not; and how long CPUs were idle while somebody waited elsewhere.

use schedlab_engine::machine::{CpuId, CpuMask};
use schedlab_engine::task::TaskId;
use schedlab_engine::workload::program::TemplateId;
use schedlab_engine::workload::{Start, World};

/// Where every task stands.
pub(super) struct Standing {
    /// Of each template: the number of its mask in `masks`.
    mask_of_template: Vec<u16>,
    /// The masks there are, and who waits with it.
    masks: Vec<Allowed>,
    /// Of each task: the number of its mask.
    mask_of: Vec<u16>,
    /// Of each task: the CPU it waits on.
    waits_on: Vec<Option<CpuId>>,
    /// Of each CPU: how many wait there.
    waiting: Vec<u32>,
    idle: CpuMask,
    since: u64,
    wasted_ns: u64,
}

/// Tasks with the same mask.
struct Allowed {
    mask: CpuMask,
    /// How many of them wait.
    waiting: u32,
    /// How many of them wait on each CPU.
    on: Vec<u32>,
}

impl Standing {
    /// Nobody waits, every CPU is idle.
    pub(super) fn new(world: &World, all: CpuMask) -> Self {
        let mut masks: Vec<Allowed> = Vec::new();
        let mut number = |allowed: CpuMask| {
            let mask = if allowed.is_empty() { all } else { allowed };
            let known = masks.iter().position(|m| m.mask == mask);
            known.unwrap_or_else(|| {
                masks.push(Allowed {
                    mask,
                    waiting: 0,
                    on: vec![0; all.weight()],
                });
                masks.len() - 1
            }) as u16
        };
        let mask_of_template: Vec<u16> =
            world.templates.iter().map(|t| number(t.allowed)).collect();
        let first = world
            .templates
            .iter()
            .zip(&mask_of_template)
            .filter(|(t, _)| matches!(t.start, Start::At(_)));
        let mask_of: Vec<u16> = first.map(|(_, mask)| *mask).collect();
        Self {
            waits_on: vec![None; mask_of.len()],
            mask_of,
            mask_of_template,
            masks,
            waiting: vec![0; all.weight()],
            idle: all,
            since: 0,
            wasted_ns: 0,
        }
    }

    /// A forked task: it has the next number.
    pub(super) fn appears(&mut self, template: TemplateId) {
        self.mask_of
            .push(self.mask_of_template[template.0 as usize]);
        self.waits_on.push(None);
    }

    /// How many wait on `cpu`.
    pub(super) fn waiting(&self, cpu: CpuId) -> u32 {
        self.waiting[cpu.index()]
    }

    /// Does `task` wait?
    pub(super) fn waits_somewhere(&self, task: TaskId) -> bool {
        self.waits_on.get(task.index()).is_some_and(Option::is_some)
    }

    /// CPU time so far that was idle while an allowed task waited elsewhere.
    pub(super) fn wasted_ns(&self) -> u64 {
        self.wasted_ns
    }

    /// `task` waits on `cpu`.
    pub(super) fn waits(&mut self, now: u64, task: TaskId, cpu: CpuId) {
        self.settle(now);
        self.waits_on[task.index()] = Some(cpu);
        self.waiting[cpu.index()] += 1;
        let alike = &mut self.masks[usize::from(self.mask_of[task.index()])];
        alike.waiting += 1;
        alike.on[cpu.index()] += 1;
    }

    /// `task` no longer waits; tells where it did.
    pub(super) fn waits_no_more(&mut self, now: u64, task: TaskId) -> Option<CpuId> {
        let cpu = self.waits_on[task.index()].take()?;
        self.settle(now);
        self.waiting[cpu.index()] -= 1;
        let alike = &mut self.masks[usize::from(self.mask_of[task.index()])];
        alike.waiting -= 1;
        alike.on[cpu.index()] -= 1;
        Some(cpu)
    }

    /// `cpu` runs a task.
    pub(super) fn runs(&mut self, now: u64, cpu: CpuId) {
        self.settle(now);
        self.idle.remove(cpu);
    }

    /// The task on `cpu` stops.
    pub(super) fn stops(&mut self, now: u64, cpu: CpuId) {
        self.settle(now);
        self.idle.insert(cpu);
    }

    /// Adds up what was wasted since the last change.
    pub(super) fn settle(&mut self, now: u64) {
        let span = now - self.since;
        self.since = now;
        if span == 0 || self.idle.is_empty() {
            return;
        }
        let wanted = |cpu: &CpuId| {
            let elsewhere = |m: &Allowed| m.waiting > m.on[cpu.index()] && m.mask.contains(*cpu);
            self.masks.iter().any(elsewhere)
        };
        self.wasted_ns += span * self.idle.iter().filter(wanted).count() as u64;
    }
}
