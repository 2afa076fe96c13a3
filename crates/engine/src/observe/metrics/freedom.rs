//! Where each task that waits might run now: the CPUs that it may have, and whether a quota holds it back.
//!
//! Most runs need none of that: as long as every task may run everywhere, nothing is kept by task. Not here: how many wait
//! where (`queues`).

use crate::machine::{CpuId, CpuMask};
use crate::sched::rq::GroupId;
use crate::task::TaskId;
use alloc::vec::Vec;
use core::iter::successors;

/// A task that waits on a run queue.
#[derive(Clone, Copy, Debug)]
struct Stand {
    cpu: CpuId,
    /// Where it might run, as it was counted; none: it was not, as its group is throttled on its CPU.
    counted: Option<CpuMask>,
}

/// One task.
#[derive(Clone, Copy, Debug)]
struct Member {
    allowed: CpuMask,
    group: GroupId,
    waits: Option<Stand>,
}

/// All tasks, by number, in a run that keeps some off some CPUs.
#[derive(Clone, Debug)]
pub(super) struct Freedom {
    everywhere: CpuMask,
    narrow: bool,
    members: Vec<Member>,
    /// By group: the CPUs on which it is throttled.
    throttled: Vec<CpuMask>,
    /// By group: the group above.
    above: Vec<Option<GroupId>>,
}

impl Freedom {
    /// No task yet. `narrow`: is any of them ever kept off a CPU?
    pub(super) fn new(everywhere: CpuMask, narrow: bool, above: Vec<Option<GroupId>>) -> Freedom {
        Freedom {
            everywhere,
            narrow,
            members: Vec::new(),
            throttled: above.iter().map(|_| CpuMask::EMPTY).collect(),
            above,
        }
    }

    /// `task` is new.
    pub(super) fn appears(&mut self, task: TaskId, group: GroupId, allowed: CpuMask) {
        if !self.narrow {
            return;
        }
        let unknown = Member {
            allowed: self.everywhere,
            group: GroupId(0),
            waits: None,
        };
        if self.members.len() <= task.index() {
            self.members.resize(task.index() + 1, unknown);
        }
        let member = &mut self.members[task.index()];
        (member.allowed, member.group) = (allowed, group);
    }

    /// `task` may have these CPUs from now on.
    pub(super) fn set_allowed(&mut self, task: TaskId, allowed: CpuMask) {
        if let Some(member) = self.members.get_mut(task.index()) {
            member.allowed = allowed;
        }
    }

    /// The queue of `group` on `cpu` is throttled, or no longer is.
    pub(super) fn set_throttled(&mut self, cpu: CpuId, group: GroupId, throttled: bool) {
        let cpus = &mut self.throttled[group.0 as usize];
        if throttled {
            cpus.insert(cpu);
        } else {
            cpus.remove(cpu);
        }
    }

    /// Whether `group` is `top` or below it.
    fn is_within(&self, group: GroupId, top: GroupId) -> bool {
        self.up(group).any(|group| group == top)
    }

    fn up(&self, group: GroupId) -> impl Iterator<Item = GroupId> {
        successors(Some(group), |group| self.above[group.0 as usize])
    }

    /// The tasks of `top`, or below it, that wait, and on which CPU.
    pub(super) fn waiting_below(&self, top: GroupId) -> Vec<(TaskId, CpuId)> {
        let theirs = |member: &Member| self.is_within(member.group, top);
        let waits = |(n, member): (u32, &Member)| {
            let stand = member.waits.filter(|_| theirs(member))?;
            Some((TaskId(n), stand.cpu))
        };
        (0..).zip(&self.members).filter_map(waits).collect()
    }

    /// `task` waits on `cpu` from now on. Where it might run: not where its group is throttled, and nowhere if it is so on
    /// `cpu`.
    #[inline]
    pub(super) fn put(&mut self, task: TaskId, cpu: CpuId) -> Option<CpuMask> {
        if !self.narrow {
            return Some(self.everywhere);
        }
        let Member { allowed, group, .. } = self.members[task.index()];
        let throttled = |group: GroupId| &self.throttled[group.0 as usize];
        let throttled = self
            .up(group)
            .fold(CpuMask::EMPTY, |all, up| all.or(throttled(up)));
        let counted = (!throttled.contains(cpu)).then(|| allowed.without(&throttled));
        self.members[task.index()].waits = Some(Stand { cpu, counted });
        counted
    }

    /// `task` no longer waits. As what it was counted, if it was.
    #[inline]
    pub(super) fn take(&mut self, task: TaskId) -> Option<CpuMask> {
        if !self.narrow {
            return Some(self.everywhere);
        }
        let waits = self.members[task.index()].waits.take();
        waits.and_then(|stand| stand.counted)
    }

    /// Where `task` waits, if it does.
    pub(super) fn waits(&self, task: TaskId) -> Option<CpuId> {
        let member = self.members.get(task.index());
        Some(member?.waits?.cpu)
    }
}
