//! Every workload builds what its parameters say.

use super::*;
use crate::machine::{CpuId, CpuMask};
use crate::workload::Start;
use crate::workload::program::Op;
use alloc::vec::Vec;

fn defaults(kind: WorkloadKind) -> Vec<i64> {
    kind.params().iter().map(|p| p.default).collect()
}

#[test]
fn every_parameter_has_its_default_in_range_and_its_own_name() {
    for kind in WorkloadKind::ALL {
        assert_eq!(WorkloadKind::by_name(kind.name()), Some(*kind));
        for (i, param) in kind.params().iter().enumerate() {
            assert!(
                (param.min..=param.max).contains(&param.default),
                "{}",
                param.name
            );
            assert!(kind.params()[..i].iter().all(|p| p.name != param.name));
            let words = param.choices.len() as i64;
            assert_eq!(words > 0, param.unit == ParamUnit::Choice);
            assert!(words == 0 || param.max == words - 1);
        }
    }
}

#[test]
fn every_workload_makes_as_many_tasks_as_it_says() {
    let mut world = World::new();
    let mut told = 0;
    for kind in WorkloadKind::ALL {
        let values = defaults(*kind);
        assert_eq!(kind.check(&values, 1), Ok(()));
        kind.build(&values, 0, &mut world);
        told += kind.tasks(&values);
        assert_eq!(world.templates.len() as u64, told, "{}", kind.name());
    }
    let members: Vec<u16> = world.templates.iter().map(|t| t.workload).collect();
    assert!(members.is_sorted());
    assert_eq!(
        usize::from(members[members.len() - 1]) + 1,
        world.members.len()
    );
}

#[test]
fn hackbench_forks_receivers_before_senders_and_threads_share_a_space() {
    let mut world = World::new();
    WorkloadKind::Hackbench.build(&[2, 3, 5, 100, 0, 1], 0, &mut world);
    let roles: Vec<&str> = world.templates.iter().map(|t| &*t.role).collect();
    assert_eq!(
        roles[..7],
        [
            "main", "receiver", "receiver", "receiver", "sender", "sender", "sender"
        ]
    );
    assert!(world.templates.iter().all(|t| t.space == 0));
    let main = world.templates[0].program.start as usize;
    let forks = world.ops[main..]
        .iter()
        .take_while(|op| matches!(op, Op::Fork(_)));
    assert_eq!(forks.count(), 12);
    assert!(
        world.templates[1..]
            .iter()
            .all(|t| t.start == Start::Forked)
    );
    assert_eq!(world.channels.iter().filter(|c| c.counted).count(), 6);
}

#[test]
fn a_cpu_that_the_machine_lacks_is_named() {
    let bad = WorkloadKind::TcpRr.check(&[1, 3, 4, 1], 4);
    let expected = WorkloadProblem::NoSuchCpu {
        param: "server",
        cpu: 4,
    };
    assert_eq!(bad, Err(expected));
    let mut world = World::new();
    WorkloadKind::TcpRr.build(&[1, 3, 2, 1], 0, &mut world);
    assert_eq!(world.templates[0].allowed, CpuMask::just(CpuId(2)));
    assert_eq!(world.templates[1].allowed, CpuMask::just(CpuId(3)));
}
