//! What observers need to know of a run: its cast before it starts, its own sums when it is looked at.

use super::Sim;
use crate::machine::CpuId;
use crate::machine::CpuMask;
use crate::observe::Accounts;
use crate::observe::fairness::{Claim, Claims};
use crate::observe::metrics::{Cast, Totals};
use crate::sched::bandwidth::QuotaStat;
use crate::sched::rq::GroupId;
use crate::sched::weight::task_weight;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use crate::workload::Template;
use crate::workload::program::Op;
use alloc::sync::Arc;
use alloc::vec::Vec;

fn group_of(template: &Template) -> GroupId {
    GroupId(template.group.into())
}

impl Sim {
    /// Where the time of `cpu` went up to now; the sum is the time.
    pub fn accounts(&self, cpu: CpuId) -> Accounts {
        self.cpus[cpu.index()].accounts_at(self.now)
    }

    /// What runs, as counting needs to know it.
    pub fn cast(&self) -> Cast {
        let (topology, world) = (&self.stage.topology, &self.stage.world);
        let everywhere = topology.all();
        let mut roles: Vec<Arc<str>> = Vec::new();
        let mut role_of = |role: &Arc<str>| {
            let known = roles.iter().position(|known| known == role);
            known.unwrap_or_else(|| {
                roles.push(role.clone());
                roles.len() - 1
            }) as u16
        };
        let role_of = world.templates.iter().map(|t| role_of(&t.role)).collect();
        let mask = |t: &Template| self.declared_cpus(t);
        let changes = |op: &Op| matches!(op, Op::SetCpus(_) | Op::SetCpuset(..));
        let groups = &self.sched.groups;
        let pairs = |a| everywhere.iter().map(move |b| topology.distance(a, b));
        Cast {
            cpus: topology.cpus(),
            distance: everywhere.iter().flat_map(pairs).collect(),
            role_of,
            roles,
            workload_of: world.templates.iter().map(|t| t.workload).collect(),
            allowed: world.templates.iter().map(mask).collect(),
            group_of: world.templates.iter().map(group_of).collect(),
            above: groups.iter().map(|group| group.parent).collect(),
            confines: self.sched.quotas.used
                || groups.iter().any(|group| group.cpus != everywhere)
                || world.templates.iter().any(|t| mask(t) != everywhere)
                || world.ops.iter().any(changes),
            workloads: world.members.len(),
            marks: world.marks.len(),
        }
    }

    /// Where a task is declared to run.
    pub(super) fn declared_cpus(&self, template: &Template) -> CpuMask {
        let allowed = template.allowed;
        if allowed.is_empty() {
            return self.stage.topology.all();
        }
        allowed
    }

    /// The simulator's own sums up to now.
    pub fn totals(&self) -> Totals {
        Totals {
            now: Instant(self.now),
            accounts: self
                .stage
                .topology
                .all()
                .iter()
                .map(|cpu| self.accounts(cpu))
                .collect(),
            events: self.events,
            gave_up: self.gave_up,
            quotas: self.quota_stats(),
        }
    }

    fn quota_stats(&self) -> Vec<(GroupId, QuotaStat)> {
        let groups = (0..self.sched.quotas.groups.len() as u32).map(GroupId);
        let stat = |group| self.sched.quota_stat(group, Instant(self.now));
        groups
            .filter_map(|group| Some((group, stat(group)?)))
            .collect()
    }

    /// What the kernel has charged `task` so far, ns.
    pub fn sum_exec(&self, task: TaskId) -> u64 {
        let se = self.sched.tasks[task.index()].se;
        self.sched.se[se.0 as usize].sum_exec
    }

    /// What `task` is made from: its name, its part in the workload.
    pub fn template(&self, task: TaskId) -> &Template {
        let template = self.threads[task.index()].template;
        &self.stage.world.templates[template.0 as usize]
    }

    /// Tasks so far, those not started and those ended included.
    pub fn tasks(&self) -> usize {
        self.threads.len()
    }

    /// What runs, as fairness needs to know it.
    pub fn claims(&self) -> Claims {
        let world = &self.stage.world;
        let claim = |t: &Template| Claim {
            weight: (t.policy.rt_priority() == 0).then(|| task_weight(t.policy, t.nice).weight),
            group: group_of(t),
        };
        let tunables = &self.sched.tunables;
        let slice = if self.sched.rules.is_eevdf() {
            tunables.base_slice
        } else {
            tunables.min_granularity
        };
        Claims {
            cpus: self.stage.topology.cpus(),
            slice: Nanos(slice),
            constant: !world.ops.iter().any(|op| matches!(op, Op::SetNice(_))),
            of: world.templates.iter().map(claim).collect(),
        }
    }
}
