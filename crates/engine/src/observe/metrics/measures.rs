//! What programs measure themselves, as cyclictest and schbench do: at a mark, since a timer's expiry, a wakeup or a mark
//! before it.
//!
//! Not here: what the scheduler's events say of every task (`tasks`).

use super::{Metrics, WorkloadReport};
use crate::observe::histogram::{Distribution, Histogram};
use crate::task::TaskId;
use crate::workload::program::MarkId;
use alloc::vec;
use alloc::vec::Vec;

/// What one task measured at a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskMeasure {
    /// The task.
    pub task: TaskId,
    /// The mark.
    pub mark: MarkId,
    /// How long it was, ns.
    pub took: Distribution,
}

/// What the tasks of one workload measured at a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadMeasure {
    /// The mark.
    pub mark: MarkId,
    /// How long it was, ns.
    pub took: Distribution,
}

impl Metrics {
    /// What each task measured so far.
    pub(super) fn task_measures(&self) -> Vec<TaskMeasure> {
        let mut measures = Vec::new();
        for (at, count) in self.tasks.rest.iter().enumerate() {
            for (mark, took) in &count.measured {
                measures.extend(took.distribution().map(|took| TaskMeasure {
                    task: TaskId(at as u32),
                    mark: *mark,
                    took,
                }));
            }
        }
        measures
    }

    /// What there is to say of each workload so far.
    pub(super) fn workload_reports(&self) -> Vec<WorkloadReport> {
        let mut latencies = vec![Histogram::default(); self.messages.len()];
        let mut measured: Vec<Vec<(MarkId, Histogram)>> = vec![Vec::new(); self.messages.len()];
        for (count, hot) in self.tasks.rest.iter().zip(&self.tasks.hot) {
            let workload = usize::from(self.cast.workload_of[hot.template.0 as usize]);
            latencies[workload].merge(&count.latency);
            for (mark, took) in &count.measured {
                let of = &mut measured[workload];
                match of.iter_mut().find(|(known, _)| known == mark) {
                    Some((_, all)) => all.merge(took),
                    None => of.push((*mark, took.clone())),
                }
            }
        }
        let all = self.messages.iter().zip(&latencies).zip(&measured);
        all.map(|((messages, latency), measured)| WorkloadReport {
            messages: *messages,
            wake_to_run: latency.distribution(),
            measures: measured
                .iter()
                .filter_map(|(mark, took)| {
                    let (mark, took) = (*mark, took.distribution()?);
                    Some(WorkloadMeasure { mark, took })
                })
                .collect(),
        })
        .collect()
    }
}
