//! hackbench: groups of senders that each write to every receiver of their group (rt-tests 0.84, hackbench.c).
//!
//! The main task forks every receiver and sender, reads a byte from each when it is ready, notes the time,
//! lets all go with one write, and waits for their end. So the tasks lie where the kernel's own fork balancing put
//! them; the time that counts is between the marks `go` and `done`.

use super::super::ipc::{ChannelId, ChannelKind, QueueId, QueueKind};
use super::super::program::{MarkId, Op, Program, TemplateId};
use super::super::{Member, Start, Template, World};
use super::{ParamInfo, ParamUnit, WorkloadKind, choice, count, param};
use crate::machine::CpuMask;
use crate::task::{Nice, Policy};
use crate::time::Instant;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("groups", 10, 512, "Groups of senders and receivers."),
    count("fan", 20, 256, "Senders, and receivers, of a group."),
    count(
        "loops",
        100,
        1_000_000_000,
        "How often each sender writes to every receiver of its group.",
    ),
    param(
        "size",
        ParamUnit::Bytes,
        (100, 1, 4096),
        "Bytes of a message.",
    ),
    choice("via", &["sockets", "pipes"], "What messages go through."),
    choice(
        "as",
        &["process", "thread"],
        "Does each task have its own address space?",
    ),
];

/// The memory that a small message task touches, KiB (workloads-machines.md §1.1, chosen).
const WS_KB: u32 = 8;

pub(super) fn tasks(values: &[i64]) -> u64 {
    1 + 2 * (values[0] * values[1]) as u64
}

struct Hackbench<'a> {
    world: &'a mut World,
    kind: ChannelKind,
    fan: u32,
    loops: u32,
    bytes: u32,
    threads: bool,
    ready: ChannelId,
    go: QueueId,
    main: u32,
}

pub(super) fn build(values: &[i64], world: &mut World) {
    let ready = world.channel(ChannelKind::Pipe, false);
    let go = world.queue(QueueKind::Poll);
    let mut bench = Hackbench {
        main: world.templates.len() as u32,
        kind: match values[4] {
            0 => ChannelKind::Unix,
            _ => ChannelKind::Pipe,
        },
        fan: values[1] as u32,
        loops: values[2] as u32,
        bytes: values[3] as u32,
        threads: values[5] == 1,
        world,
        ready,
        go,
    };
    let main = bench.main_place();
    let mut children = Vec::new();
    for group in 0..values[0] {
        bench.group(group, &mut children);
    }
    bench.main(main, &children);
    bench.world.members.push(Member {
        kind: WorkloadKind::Hackbench,
        counts: Some("messages"),
        ends: true,
    });
}

impl Hackbench<'_> {
    /// Reserves the first task for main: it is the oldest.
    fn main_place(&mut self) -> TemplateId {
        let nothing = self.world.program(&[]);
        self.add(
            String::from("hackbench"),
            "main",
            nothing,
            Start::At(Instant::ZERO),
        )
    }

    fn main(&mut self, main: TemplateId, children: &[TemplateId]) {
        let [go, done]: [MarkId; 2] = ["go", "done"].map(|name| self.world.mark(name));
        let mut ops: Vec<Op> = children.iter().map(|&child| Op::Fork(child)).collect();
        ops.extend([
            Op::Loop(children.len() as u32),
            Op::Recv(self.ready, 1),
            Op::End(0),
            Op::Mark(go),
            Op::WakeAll(self.go),
            Op::Join,
            Op::Mark(done),
        ]);
        let program = self.world.program(&ops);
        self.world.templates[main.0 as usize].program = program;
    }

    /// One group: receivers first, then senders, as hackbench creates them.
    fn group(&mut self, group: i64, children: &mut Vec<TemplateId>) {
        let channels: Vec<ChannelId> = (0..self.fan)
            .map(|_| self.world.channel(self.kind, true))
            .collect();
        for (n, &channel) in channels.iter().enumerate() {
            let program = self.receiver(channel);
            let name = format!("recv {group}.{n}");
            children.push(self.add(name, "receiver", program, Start::Forked));
        }
        let program = self.sender(&channels);
        for n in 0..self.fan {
            let name = format!("send {group}.{n}");
            children.push(self.add(name, "sender", program, Start::Forked));
        }
    }

    fn receiver(&mut self, channel: ChannelId) -> Program {
        let mut ops = self.ready_and_wait();
        ops.extend([
            Op::Loop(self.loops),
            Op::Loop(self.fan),
            Op::Recv(channel, self.bytes),
            Op::End(0),
            Op::End(0),
        ]);
        self.world.program(&ops)
    }

    fn sender(&mut self, channels: &[ChannelId]) -> Program {
        let mut ops = self.ready_and_wait();
        ops.push(Op::Loop(self.loops));
        ops.extend(channels.iter().map(|&to| Op::Send(to, self.bytes)));
        ops.push(Op::End(0));
        self.world.program(&ops)
    }

    /// Every task writes a byte and then polls; the byte it polls for is never read, so one write wakes all.
    fn ready_and_wait(&self) -> Vec<Op> {
        vec![Op::Send(self.ready, 1), Op::Wait(self.go)]
    }

    fn add(
        &mut self,
        name: String,
        role: &'static str,
        program: Program,
        start: Start,
    ) -> TemplateId {
        let own_space = self.world.templates.len() as u32;
        self.world.template(Template {
            name,
            role,
            workload: self.world.members.len() as u16,
            space: if self.threads { self.main } else { own_space },
            nice: Nice::default(),
            policy: Policy::Normal,
            allowed: CpuMask::EMPTY,
            ws_kb: WS_KB,
            program,
            start,
        })
    }
}
