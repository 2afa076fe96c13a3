//! Where tasks may run: what a task asks for itself, within the CPUs of its group's cpuset.
//!
//! Not here: carrying a task off a CPU where it may no longer be, which the driver does in its time.
//! Outline: cpusets that cut scheduling domains in parts (`sched_load_balance`, partitions) are not modelled, nor are
//! their memory nodes.
//! Source: kernel/cpuset.c of 2.6.31 and 3.2 (`validate_change`, `update_tasks_cpumask`), kernel/cgroup/cpuset.c of 6.1
//! (`update_cpumasks_hier`), kernel/sched/core.c (`__sched_setaffinity`, `__set_cpus_allowed_ptr`).

use super::Sched;
use super::rq::{GroupId, TaskGroup};
use super::rules::Cpusets;
use crate::machine::{CpuId, CpuMask};
use crate::task::TaskId;
use alloc::vec::Vec;

/// What `asked` comes to among `cpus`: what both have, or all of `cpus` if that is nothing.
fn within(asked: Option<CpuMask>, cpus: &CpuMask) -> CpuMask {
    let both = asked.map(|asked| asked.and(cpus));
    both.filter(|both| !both.is_empty()).unwrap_or(*cpus)
}

impl Sched {
    /// The CPUs that tasks of `group` may have (`effective_cpus`, `guarantee_online_cpus`).
    pub fn cpuset_cpus(&self, group: GroupId) -> CpuMask {
        self.groups[group.0 as usize].cpus
    }

    /// Where a task of `group` may run that asks for `asked`, and what it asked for if that is less than everything.
    pub(super) fn born_with(&self, group: GroupId, asked: CpuMask) -> (CpuMask, Option<CpuMask>) {
        let everywhere = self.cpuset_cpus(GroupId(0));
        let asked = Some(asked.and(&everywhere)).filter(|asked| *asked != everywhere);
        (within(asked, &self.cpuset_cpus(group)), asked)
    }

    /// What a child in `group` inherits of what its parent asked for. Attached to another cpuset it loses that, before
    /// 6.2 (`cpuset_attach`, 8f9ea86f).
    pub fn inherited_affinity(&self, parent: TaskId, group: GroupId) -> CpuMask {
        let parent = &self.tasks[parent.index()];
        let same = self.cpuset_of(parent.group) == self.cpuset_of(group);
        let keeps = same || self.rules.cpusets == Cpusets::KeepAsked;
        let asked = parent.asked.filter(|_| keeps);
        asked.unwrap_or_else(|| self.cpuset_cpus(GroupId(0)))
    }

    /// The nearest group upwards that has a cpuset of its own.
    fn cpuset_of(&self, group: GroupId) -> GroupId {
        let has_own = |group: &GroupId| self.groups[group.0 as usize].cpuset.is_some();
        let mut up = self.groups_up(group);
        up.find(has_own).unwrap_or_default()
    }

    fn groups_up(&self, group: GroupId) -> impl Iterator<Item = GroupId> {
        core::iter::successors(Some(group), |group| self.groups[group.0 as usize].parent)
    }

    /// `p` asks to run on `asked` only (`sched_setaffinity`): nothing changes if its cpuset has none of them (`EINVAL`).
    /// Where it must go, as [`Sched::set_allowed`] says.
    pub fn sched_setaffinity(&mut self, p: TaskId, asked: CpuMask) -> Option<CpuId> {
        let task = &mut self.tasks[p.index()];
        let allowed = asked.and(&self.groups[task.group.0 as usize].cpus);
        if allowed.is_empty() {
            return None;
        }
        task.asked = Some(asked);
        self.set_allowed(p, allowed)
    }

    /// May `group` be given these CPUs? Before cgroup v2 they are some of those of the group above, and hold those of
    /// the groups below.
    fn cpuset_fits(&self, group: GroupId, cpus: &CpuMask) -> bool {
        if cpus.is_empty() || group == GroupId(0) {
            return false;
        }
        if self.rules.cpusets != Cpusets::Nested {
            return true;
        }
        let of = |group: &GroupId| self.groups[group.0 as usize].cpus;
        let mut above = self.groups_up(group).skip(1);
        let mut below = (0..self.groups.len() as u32).map(GroupId);
        above.all(|above| cpus.is_subset(&of(&above)))
            && below.all(|other| {
                let own = self.groups[other.0 as usize].cpuset;
                let under = other != group && self.groups_up(other).any(|up| up == group);
                !under || own.is_none_or(|own| own.is_subset(cpus))
            })
    }

    /// The cpuset of `group` is to be `cpus`: a group that has none of its own has that of the group above. Every task
    /// that is queued where it may no longer run, and where it is to go (`cpuset.cpus`).
    pub fn set_cpuset(&mut self, group: GroupId, cpus: CpuMask) -> Vec<(TaskId, CpuId)> {
        let cpus = cpus.and(&self.cpuset_cpus(GroupId(0)));
        if !self.cpuset_fits(group, &cpus) {
            return Vec::new();
        }
        self.groups[group.0 as usize].cpuset = Some(cpus);
        let mut changed: Vec<GroupId> = Vec::new();
        for other in (group.0..self.groups.len() as u32).map(GroupId) {
            let TaskGroup { parent, cpuset, .. } = self.groups[other.0 as usize];
            let Some(above) = parent.map(|above| self.cpuset_cpus(above)) else {
                continue;
            };
            let effective = within(cpuset, &above);
            let before = &mut self.groups[other.0 as usize].cpus;
            if core::mem::replace(before, effective) != effective {
                changed.push(other);
            }
        }
        let tasks = (0..self.tasks.len() as u32).map(TaskId);
        let theirs = |p: &TaskId| changed.contains(&self.tasks[p.index()].group);
        let theirs: Vec<TaskId> = tasks.filter(theirs).collect();
        let moves = theirs
            .into_iter()
            .filter_map(|p| Some((p, self.confine(p)?)));
        moves.collect()
    }

    /// The cpuset of `p` has changed. Before 6.2 what it had asked for is forgotten.
    fn confine(&mut self, p: TaskId) -> Option<CpuId> {
        let keeps = self.rules.cpusets == Cpusets::KeepAsked;
        let task = &mut self.tasks[p.index()];
        task.asked = task.asked.filter(|_| keeps);
        let (asked, group) = (task.asked, task.group);
        let allowed = within(asked, &self.cpuset_cpus(group));
        self.set_allowed(p, allowed)
    }

    /// Gives `p` another mask. A sleeping task that may not stay on its CPU is given another at once, or since 3.2 when
    /// it wakes; for a queued one the CPU it must go to is returned: the driver puts it off its CPU first if it runs,
    /// then calls [`Sched::move_task`] (`set_cpus_allowed_ptr`, `migrate_task`).
    pub fn set_allowed(&mut self, p: TaskId, allowed: CpuMask) -> Option<CpuId> {
        if !allowed.contains(self.tasks[p.index()].cpu) {
            self.drop_delayed_task(p);
        }
        let task = &mut self.tasks[p.index()];
        task.allowed = allowed;
        let cpu = task.cpu;
        let to = allowed.lowest().filter(|_| !allowed.contains(cpu))?;
        if self.is_queued(p) {
            return Some(to);
        }
        if self.rules.mask_moves_sleeper {
            self.set_task_cpu(p, to);
        }
        None
    }
}
