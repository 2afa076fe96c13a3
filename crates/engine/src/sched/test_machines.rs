//! Machines, kernels and loads for the tests of selection and balancing.

use super::profile::{Base, DeltaId, DeltaSet, Kernel, Profile};
use super::rq::GroupId;
use super::{Sched, SchedSetup, TaskSpec};
use crate::machine::topology::{Topology, TopologySpec};
use crate::machine::{CpuId, CpuMask, Machine};
use crate::task::{Nice, Policy, TaskId};
use crate::time::Hz;

/// The kernel of a profile, or `3.2` as it was written, with deltas taken out (negative) or added.
pub(super) fn kernel(profile: &str, changes: &[i8]) -> Kernel {
    let (base, deltas) = match Profile::by_name(profile) {
        Some(profile) => (profile.base, profile.deltas),
        None if profile == "3.2" => (Base::V3_2, DeltaSet::default()),
        None => panic!("no kernel is called {profile}"),
    };
    let changed = changes.iter().fold(deltas, |set, id| {
        set.with(DeltaId(id.unsigned_abs()), *id > 0)
    });
    Kernel::compose(base, changed)
}

pub(super) fn on(machine: &str, kernel: &Kernel) -> Sched {
    let machine = Machine::by_name(machine).expect("in the catalog");
    let topology = machine.topology().expect("sound");
    Sched::new(&SchedSetup::on(topology, *kernel, Hz(1000)))
}

/// Equal CPUs that share nothing but the node.
pub(super) fn flat(cpus: u16, kernel: &Kernel) -> Sched {
    shaped(
        &TopologySpec {
            cpus,
            ..TopologySpec::default()
        },
        kernel,
    )
}

pub(super) fn shaped(spec: &TopologySpec<'_>, kernel: &Kernel) -> Sched {
    let topology = Topology::new(spec).expect("sound");
    Sched::new(&SchedSetup::on(topology, *kernel, Hz(1000)))
}

/// Adds a nice-0 task that may run everywhere, asleep on `cpu`.
pub(super) fn sleeper(s: &mut Sched, cpu: u16) -> TaskId {
    let allowed = CpuMask::first(s.rq.len());
    let task = s.new_task(TaskSpec {
        nice: Nice::new(0),
        policy: Policy::Normal,
        allowed,
        group: GroupId(0),
        parent: None,
        vruntime: None,
    });
    s.set_task_cpu(task, CpuId(cpu));
    task
}

/// Queues `n` nice-0 tasks on `cpu`, lets the first run, and lets the averages arrive.
pub(super) fn load(s: &mut Sched, cpu: u16, n: usize) -> Option<TaskId> {
    for _ in 0..n {
        let task = sleeper(s, cpu);
        s.activate_task(task, false);
    }
    for _ in 0..500 {
        s.update_cpu_load(CpuId(cpu));
    }
    s.pick_next_task(CpuId(cpu)).task
}
