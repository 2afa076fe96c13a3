//! Hogs: tasks that only compute, for ever.

use super::super::program::{Op, Span};
use super::super::{Member, Start, Template, World};
use super::{ParamInfo, ParamUnit, WorkloadKind, count, cpu, mask, nice, param};
use crate::task::{Nice, Policy};
use crate::time::{Instant, Nanos};
use alloc::format;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("count", 2, 4096, "How many tasks."),
    nice("Their nice value."),
    cpu("cpu", "The CPU they are pinned to."),
    param(
        "start",
        ParamUnit::Time,
        (0, 0, 3_600_000_000_000),
        "When they start.",
    ),
    param(
        "ws",
        ParamUnit::KiB,
        (64, 0, 65_536),
        "Private working set of each: what a move or a preemption makes it fetch again.",
    ),
];

/// The program of workloads-machines.md §1.11: `loop { run 1 s }`.
pub(super) fn build(values: &[i64], world: &mut World) {
    let workload = world.members.len() as u16;
    let second = Span::Fixed(Nanos::from_secs(1));
    let program = world.program(&[Op::Loop(Op::FOREVER), Op::Run(second), Op::End(0)]);
    for n in 0..values[0] {
        let space = world.templates.len() as u32;
        world.template(Template {
            name: format!("hog {n}"),
            role: "hog",
            workload,
            space,
            nice: Nice::new(values[1]),
            policy: Policy::Normal,
            allowed: mask(values[2]),
            ws_kb: values[4] as u32,
            program,
            start: Start::At(Instant(values[3] as u64)),
        });
    }
    world.members.push(Member {
        kind: WorkloadKind::Hogs,
        counts: None,
        ends: false,
    });
}
