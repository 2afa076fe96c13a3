//! What a task takes over from the one that forks it.

use super::tree::Task;
use crate::machine::CpuMask;
use crate::task::{Nice, Policy};
use crate::time::Nanos;

/// The traits of a task that a child can take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Heritage<'s> {
    pub(super) nice: Nice,
    pub(super) policy: Policy,
    pub(super) slice: Option<Nanos>,
    pub(super) slack: Option<Nanos>,
    pub(super) cpus: CpuMask,
    /// By name: how many templates there are does not depend on how groups are numbered.
    pub(super) group: Option<&'s str>,
    pub(super) session: Option<&'s str>,
}

impl<'s> Heritage<'s> {
    /// The traits of a task, its parent's where it has none of its own.
    pub(super) fn of(task: &'s Task, parent: Option<Heritage<'s>>) -> Heritage<'s> {
        let above = parent.unwrap_or(Heritage {
            nice: Nice::default(),
            policy: Policy::Normal,
            slice: None,
            slack: None,
            cpus: CpuMask::EMPTY,
            group: None,
            session: None,
        });
        let own = &task.traits;
        Heritage {
            nice: own.nice.unwrap_or(above.nice),
            policy: own.policy.unwrap_or(above.policy),
            slice: own.slice.or(above.slice),
            slack: own.slack.or(above.slack),
            cpus: own.cpus.unwrap_or(above.cpus),
            group: own.group.as_deref().or(above.group),
            session: own.session.as_deref().or(above.session),
        }
    }
}
