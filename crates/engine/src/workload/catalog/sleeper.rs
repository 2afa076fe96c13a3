//! Periodic sleepers: tasks that wake once a period, compute a little and sleep.

use super::super::program::{Op, Span, TimerMode};
use super::super::{Member, Start, Template, World};
use super::{ParamInfo, ParamUnit, WorkloadKind, count, cpu, mask, nice, param};
use crate::task::{Nice, Policy};
use crate::time::{Instant, Nanos};
use alloc::format;

/// One minute, ns.
const MINUTE: i64 = 60_000_000_000;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("count", 1, 4096, "How many tasks."),
    param(
        "period",
        ParamUnit::Time,
        (10_000_000, 1_000, MINUTE),
        "From one wakeup to the next.",
    ),
    param(
        "run",
        ParamUnit::Time,
        (1_000_000, 0, MINUTE),
        "How long each computes a period.",
    ),
    nice("Their nice value."),
    cpu("cpu", "The CPU they are pinned to."),
    param(
        "start",
        ParamUnit::Time,
        (0, 0, 60 * MINUTE),
        "When they start.",
    ),
];

/// The memory that a small task touches, KiB (workloads-machines.md §1.1, default working sets, chosen).
const WS_KB: u32 = 8;

/// `loop { timer period; run }`: periods missed are skipped, the phase is kept (as cyclictest does).
pub(super) fn build(values: &[i64], world: &mut World) {
    let workload = world.members.len() as u16;
    let done = world.mark("period");
    let program = world.program(&[
        Op::Loop(Op::FOREVER),
        Op::Timer(Nanos(values[1] as u64), TimerMode::Skip),
        Op::Run(Span::Fixed(Nanos(values[2] as u64))),
        Op::Mark(done),
        Op::End(0),
    ]);
    for n in 0..values[0] {
        let space = world.templates.len() as u32;
        world.template(Template {
            name: format!("sleeper {n}"),
            role: "sleeper",
            workload,
            space,
            nice: Nice::new(values[3]),
            policy: Policy::Normal,
            allowed: mask(values[4]),
            ws_kb: WS_KB,
            program,
            start: Start::At(Instant(values[5] as u64)),
        });
    }
    world.members.push(Member {
        kind: WorkloadKind::Sleeper,
        counts: None,
        ends: false,
    });
}
