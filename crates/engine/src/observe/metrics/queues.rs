//! Who waits where: how long CPUs were idle while a task that they might have run waited for another.

use super::series::Series;
use crate::machine::{CpuId, CpuMask};
use crate::time::Instant;
use alloc::vec;
use alloc::vec::Vec;

/// One CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    busy: bool,
    /// Tasks waiting.
    waiting: u32,
    /// Of these, such that may run elsewhere.
    movable: u32,
}

impl Queue {
    /// Tasks that wait for others here and might run elsewhere: on an idle CPU the first is about to run.
    fn excess(&self) -> u32 {
        if self.busy {
            self.movable
        } else {
            self.movable.saturating_sub(1)
        }
    }

    /// Has it nothing to do, now or soon?
    fn spare(&self) -> bool {
        !self.busy && self.waiting == 0
    }
}

/// Tasks of one mask that wait.
#[derive(Clone, Copy, Debug)]
struct MaskCount {
    mask: CpuMask,
    waiting: u32,
}

/// All CPUs.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    cpus: Vec<Queue>,
    last: Instant,
    excess: u32,
    spare: CpuMask,
    spares: u32,
    /// Is any task kept off some CPU? Then masks are counted too.
    narrow: bool,
    masks: Vec<MaskCount>,
    /// CPU time idle while a task that might have run there waited elsewhere, ns.
    pub(super) wasted: u64,
}

impl Queues {
    pub(super) fn new(cpus: usize, narrow: bool) -> Queues {
        Queues {
            cpus: vec![Queue::default(); cpus],
            last: Instant::ZERO,
            excess: 0,
            spare: CpuMask::first(cpus),
            spares: cpus as u32,
            narrow,
            masks: Vec::new(),
            wasted: 0,
        }
    }

    /// Counts the time up to `now`.
    #[inline]
    pub(super) fn advance(&mut self, now: Instant, series: &mut Series) {
        if now == self.last {
            return;
        }
        if self.excess > 0 && self.spares > 0 {
            let idle = u64::from(self.useful_spares().min(self.excess));
            self.wasted += now.since(self.last).0 * idle;
            series.wasted(self.last, now, idle);
        }
        self.last = now;
    }

    /// What [`Queues::advance`] would add to the time wasted.
    pub(super) fn wasted_since(&self, now: Instant) -> u64 {
        let idle = u64::from(self.useful_spares().min(self.excess));
        now.since(self.last).0 * idle
    }

    /// Idle CPUs that some waiting task may use.
    fn useful_spares(&self) -> u32 {
        if !self.narrow {
            return self.spares;
        }
        let waiting = self.masks.iter().filter(|m| m.waiting > 0);
        let useful = waiting.fold(CpuMask::EMPTY, |all, m| all.or(&m.mask));
        self.spare.and(&useful).weight() as u32
    }

    /// A task waits on `cpu`.
    pub(super) fn put(&mut self, cpu: CpuId, allowed: &CpuMask, series: &mut Series) {
        self.change(cpu, series, |queue| queue.waiting += 1);
        self.movable(cpu, allowed, 1);
    }

    /// A task no longer waits on `cpu`.
    pub(super) fn take(&mut self, cpu: CpuId, allowed: &CpuMask, series: &mut Series) {
        self.change(cpu, series, |queue| queue.waiting -= 1);
        self.movable(cpu, allowed, -1);
    }

    /// `cpu` changes tasks: the mask of the one that waits from now on, that of the one that waited until now, and whether
    /// anything runs.
    #[inline]
    pub(super) fn switch(
        &mut self,
        cpu: CpuId,
        (off, on): (Option<CpuMask>, Option<CpuMask>),
        busy: bool,
        series: &mut Series,
    ) {
        let (more, less) = (u32::from(off.is_some()), u32::from(on.is_some()));
        self.change(cpu, series, |queue| {
            queue.waiting = queue.waiting + more - less;
            queue.busy = busy;
        });
        if let Some(off) = off {
            self.movable(cpu, &off, 1);
        }
        if let Some(on) = on {
            self.movable(cpu, &on, -1);
        }
    }

    #[inline]
    fn change(&mut self, cpu: CpuId, series: &mut Series, change: impl FnOnce(&mut Queue)) {
        let queue = &mut self.cpus[cpu.index()];
        let before = *queue;
        change(queue);
        let after = *queue;
        series.occupied(self.last, cpu, after.busy, after.waiting);
        self.recount(cpu, before, after);
    }

    /// A task with that mask waits on `cpu`, or no longer does. One that may run on one CPU only never waits
    /// for another.
    fn movable(&mut self, cpu: CpuId, allowed: &CpuMask, change: i32) {
        if self.narrow && allowed.weight() < 2 {
            return;
        }
        let queue = &mut self.cpus[cpu.index()];
        let before = *queue;
        queue.movable = queue.movable.wrapping_add_signed(change);
        let after = *queue;
        self.recount(cpu, before, after);
        if self.narrow {
            self.count_mask(allowed, change);
        }
    }

    fn count_mask(&mut self, allowed: &CpuMask, change: i32) {
        let at = self.masks.iter().position(|m| m.mask == *allowed);
        let at = at.unwrap_or_else(|| {
            self.masks.push(MaskCount {
                mask: *allowed,
                waiting: 0,
            });
            self.masks.len() - 1
        });
        let count = &mut self.masks[at].waiting;
        *count = count.wrapping_add_signed(change);
    }

    fn recount(&mut self, cpu: CpuId, before: Queue, after: Queue) {
        self.excess = self.excess + after.excess() - before.excess();
        if before.spare() == after.spare() {
            return;
        }
        if after.spare() {
            self.spare.insert(cpu);
            self.spares += 1;
        } else {
            self.spare.remove(cpu);
            self.spares -= 1;
        }
    }
}
