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
    WorkloadKind::Hackbench.build(&[2, 3, 5, 100, 0, 1, 0, 0], 0, &mut world);
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

/// A workload of the catalog in the workload language.
fn text(kind: WorkloadKind, change: &[(&str, i64)]) -> String {
    let mut values = defaults(kind);
    for (name, value) in change {
        let at = kind.params().iter().position(|p| p.name == *name);
        values[at.expect("a parameter")] = *value;
    }
    kind.text(&values)
}

#[test]
fn cyclictest_sleeps_measures_and_has_the_traits_of_its_policy() {
    let kind = WorkloadKind::Cyclictest;
    assert_eq!(
        text(
            kind,
            &[("interval", 2_777_000), ("slice", 8_000_000), ("slack", 1)]
        ),
        "task cyclictest slice 8ms slack 1ns space cyclictest as cyclictest forever {
    timer 2.777ms
    sys 3us
    mark latency since expiry
}
"
    );
    let fifo = text(
        kind,
        &[
            ("threads", 2),
            ("policy", 1),
            ("slice", 1),
            ("loops", 7),
            ("cpu", 0),
        ],
    );
    assert!(
        fifo.contains("task cyclictest-0 policy fifo 80 cpus 0 space"),
        "{fifo}"
    );
    assert!(fifo.contains("task cyclictest-1 policy fifo 79"), "{fifo}");
    assert!(fifo.contains("loop 7 {\n    timer 1.5ms"), "{fifo}");
    let alike = text(kind, &[("threads", 3), ("distance", 0)]);
    assert!(alike.starts_with("task cyclictest * 3 space"), "{alike}");
}

#[test]
fn all_of_hackbench_and_schbench_asks_for_the_slice() {
    let mut world = World::new();
    WorkloadKind::Hackbench.build(&[1, 2, 5, 100, 1, 1, 20_000_000, 3], 0, &mut world);
    WorkloadKind::Schbench.build(&[2, 3, 0, 1_000, 8, 20_000_000, 3], 0, &mut world);
    assert_eq!(world.templates.len(), 5 + 8);
    let asks = |t: &crate::workload::Template| (t.slice, t.nice.get());
    let wanted = (Some(Nanos(20_000_000)), 3);
    assert!(
        world
            .templates
            .iter()
            .all(|t| asks(t) == wanted || t.inherits.nice)
    );
    assert!(world.templates.iter().all(|t| t.slice == wanted.0));
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
