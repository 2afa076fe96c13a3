//! TCP_RR: pairs of processes that pass one byte to and fro over loopback TCP (netperf).

use super::super::ipc::ChannelKind;
use super::super::program::{Op, Program};
use super::super::{Member, Start, Template, World};
use super::{ParamInfo, ParamUnit, WorkloadKind, count, cpu, mask, param};
use crate::task::{Nice, Policy};
use crate::time::Instant;
use alloc::format;
use alloc::string::String;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("pairs", 1, 1024, "How many pairs."),
    cpu("client", "The CPU the clients are pinned to."),
    cpu("server", "The CPU the servers are pinned to."),
    param(
        "size",
        ParamUnit::Bytes,
        (1, 1, 65_536),
        "Bytes of a request and of a reply.",
    ),
];

/// The memory that a small message task touches, KiB (workloads-machines.md §1.1, chosen).
const WS_KB: u32 = 8;

/// The programs of workloads-machines.md §1.5; a round trip counts when the client has the reply.
pub(super) fn build(values: &[i64], world: &mut World) {
    let bytes = values[3] as u32;
    for n in 0..values[0] {
        let request = world.channel(ChannelKind::Tcp, false);
        let reply = world.channel(ChannelKind::Tcp, true);
        let server = world.program(&[
            Op::Loop(Op::FOREVER),
            Op::Recv(request, bytes),
            Op::Send(reply, bytes),
            Op::End(0),
        ]);
        let client = world.program(&[
            Op::Loop(Op::FOREVER),
            Op::Send(request, bytes),
            Op::Recv(reply, bytes),
            Op::End(0),
        ]);
        add(
            world,
            format!("netserver {n}"),
            "server",
            (server, values[2]),
        );
        add(world, format!("netperf {n}"), "client", (client, values[1]));
    }
    world.members.push(Member {
        kind: WorkloadKind::TcpRr,
        counts: Some("round trips"),
        ends: false,
    });
}

fn add(world: &mut World, name: String, role: &'static str, (program, cpu): (Program, i64)) {
    let space = world.templates.len() as u32;
    world.template(Template {
        name,
        role,
        workload: world.members.len() as u16,
        space,
        nice: Nice::default(),
        policy: Policy::Normal,
        allowed: mask(cpu),
        ws_kb: WS_KB,
        program,
        start: Start::At(Instant::ZERO),
    });
}
