//! One workload of the mix: which one, and the values of its parameters.

use super::ProblemKind;
use super::text::{param_range_text, param_text};
use crate::workload::{WorkloadKind, WorkloadProblem};
use alloc::string::String;
use alloc::vec::Vec;

/// A workload with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadSpec {
    /// Which workload.
    pub kind: WorkloadKind,
    /// The values, in the order of [`WorkloadKind::params`].
    pub values: Vec<i64>,
    /// The task group of its tasks; none = the root group.
    pub group: Option<String>,
}

impl WorkloadSpec {
    /// `kind` with every parameter at its default.
    pub fn new(kind: WorkloadKind) -> WorkloadSpec {
        WorkloadSpec {
            kind,
            values: kind.params().iter().map(|p| p.default).collect(),
            group: None,
        }
    }

    /// The same with the parameter `name` set to `value`; unchanged if there is no such parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: i64) -> WorkloadSpec {
        if let Some(index) = self.kind.params().iter().position(|p| p.name == name) {
            self.values[index] = value;
        }
        self
    }

    /// The value of the parameter `name`.
    pub fn get(&self, name: &str) -> Option<i64> {
        let index = self.kind.params().iter().position(|p| p.name == name)?;
        self.values.get(index).copied()
    }

    /// What is wrong with it as number `place` of a mix (from 1) on a machine of `cpus` CPUs.
    pub(super) fn problems(&self, place: usize, cpus: u16) -> Vec<ProblemKind> {
        let params = self.kind.params();
        if self.values.len() != params.len() {
            let workload = self.kind.name();
            return alloc::vec![ProblemKind::Parameters { place, workload }];
        }
        let bad: Vec<ProblemKind> = params
            .iter()
            .zip(&self.values)
            .filter(|(param, value)| !(param.min..=param.max).contains(value))
            .map(|(param, value)| ProblemKind::Parameter {
                place,
                workload: self.kind.name(),
                name: param.name,
                value: param_text(param, *value),
                allowed: param_range_text(param),
            })
            .collect();
        if !bad.is_empty() {
            return bad;
        }
        let absent = self.kind.check(&self.values, cpus).err();
        let absent = absent.and_then(|problem| match problem {
            WorkloadProblem::NoSuchCpu { param, cpu } => Some(ProblemKind::AbsentCpu {
                place,
                workload: self.kind.name(),
                param,
                cpu,
                cpus,
            }),
            WorkloadProblem::TooManyTasks(_) => None,
        });
        absent.into_iter().collect()
    }
}
