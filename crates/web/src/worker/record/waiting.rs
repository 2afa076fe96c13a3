//! How many tasks wait on each CPU.

use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;

/// How many tasks wait on each CPU.
pub(super) struct Waiting {
    /// Of each task: the CPU it waits on.
    place: Vec<Option<CpuId>>,
    /// Of each CPU.
    counts: Vec<u16>,
}

impl Waiting {
    /// Nobody waits.
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            place: Vec::new(),
            counts: vec![0; cpus],
        }
    }

    /// How many wait on `cpu`.
    pub(super) fn on(&self, cpu: CpuId) -> u16 {
        self.counts[cpu.index()]
    }

    fn put(&mut self, task: TaskId, cpu: CpuId) {
        self.take(task);
        if task.index() >= self.place.len() {
            self.place.resize(task.index() + 1, None);
        }
        self.place[task.index()] = Some(cpu);
        self.counts[cpu.index()] = self.counts[cpu.index()].saturating_add(1);
    }

    /// Tells whether it waited.
    fn take(&mut self, task: TaskId) -> bool {
        let Some(cpu) = self.place.get_mut(task.index()).and_then(Option::take) else {
            return false;
        };
        self.counts[cpu.index()] = self.counts[cpu.index()].saturating_sub(1);
        true
    }
}

impl Observer for Waiting {
    fn record(&mut self, _now: Instant, event: &Event) {
        match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                ..
            } => {
                if let Some(prev) = prev.filter(|_| !state.voluntary()) {
                    self.put(prev, cpu);
                }
                if let Some(next) = next {
                    self.take(next);
                }
            }
            Event::Wakeup {
                task, placement, ..
            } => self.put(task, placement.cpu),
            Event::Fork {
                child, placement, ..
            } => self.put(child, placement.cpu),
            Event::Migrate { task, to, .. } if self.take(task) => self.put(task, to),
            _ => {}
        }
    }
}
