//! What several tasks amount to together, as far as a page shows it while a run goes on.

use super::Metrics;
use super::tasks::TaskCount;
use crate::observe::histogram::Histogram;
use crate::time::Instant;
use alloc::vec;
use alloc::vec::Vec;

/// Tasks taken together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartReport {
    /// How many they are.
    pub tasks: u64,
    /// CPU time from coming onto a CPU to leaving it, ns.
    pub cpu_ns: u64,
    /// Times that they went to sleep or ended.
    pub sw_voluntary: u64,
    /// Times that they were taken off, or yielded.
    pub sw_involuntary: u64,
    /// Times that they were woken.
    pub wakeups: u64,
    /// From being woken, or forked, to running, ns.
    pub wake_to_run: Histogram,
}

impl PartReport {
    fn add(&mut self, task: &TaskCount, now: Instant) {
        self.tasks += 1;
        self.cpu_ns += task.ran_until(now);
        self.sw_voluntary += task.voluntary;
        self.sw_involuntary += task.involuntary;
        self.wakeups += task.wakeups;
        self.wake_to_run.merge(&task.latency);
    }
}

impl Metrics {
    /// The run so far by parts: `part_of` says to which of `parts` parts a task belongs, by its number.
    pub fn parts(
        &self,
        now: Instant,
        parts: usize,
        mut part_of: impl FnMut(usize) -> usize,
    ) -> Vec<PartReport> {
        let mut all = vec![PartReport::default(); parts];
        for (number, task) in self.tasks.rest.iter().enumerate() {
            all[part_of(number)].add(task, now);
        }
        all
    }
}
