//! What scripts become.

use super::*;
use crate::machine::CpuMask;
use crate::task::{Nice, Policy};
use crate::time::{Instant, Nanos};
use crate::workload::Start;
use crate::workload::ipc::{ChannelId, ChannelKind, LockKind, QueueKind};
use crate::workload::program::{Op, Span, TemplateId};

/// The operations of the template of that name, up to its end.
fn ops(world: &World, name: &str) -> Vec<Op> {
    let template = world.templates.iter().find(|t| t.name == name);
    let start = template.expect("a template of that name").program.start;
    let all = world.ops[start as usize..].iter().copied();
    all.take_while(|op| *op != Op::Exit).collect()
}

fn names(world: &World) -> Vec<&str> {
    world.templates.iter().map(|t| t.name.as_str()).collect()
}

#[test]
fn traits_reach_the_tasks_and_children_take_over_what_they_do_not_say() {
    let world = world(
        "child kid { fork grandchild }
         child grandchild nice 1 exit
         task a nice 5 policy idle cpus 2-3 in A slice 3ms start 2ms ws 64KiB as boss { fork kid }
         task b { fork kid; fork kid }",
    );
    // A child is one template for each set of traits it is forked with.
    assert_eq!(
        names(&world),
        ["a", "b", "kid", "kid", "grandchild", "grandchild"]
    );
    let [a, b, kid, other, grandchild, ..] = &world.templates[..] else {
        panic!("six templates");
    };
    assert_eq!((a.nice, a.policy, a.group), (Nice::new(5), Policy::Idle, 7));
    assert_eq!((a.slice, a.ws_kb), (Some(Nanos(3_000_000)), 64));
    assert_eq!(a.start, Start::At(Instant(2_000_000)));
    assert_eq!((&*a.role, &*b.role), ("boss", "b"));
    assert_eq!((b.nice, b.group, b.ws_kb), (Nice::default(), 0, 8));
    assert_eq!(b.allowed, CpuMask::EMPTY);
    assert_eq!(
        (kid.nice, kid.policy, kid.allowed),
        (a.nice, a.policy, a.allowed)
    );
    assert_eq!((kid.group, kid.start), (7, Start::Forked));
    assert!(kid.inherits.nice && kid.inherits.allowed);
    assert_eq!((other.nice, other.group), (Nice::default(), 0));
    assert_eq!((grandchild.nice, grandchild.group), (Nice::new(1), 7));
    assert!(!grandchild.inherits.nice && grandchild.inherits.allowed);
    assert_eq!(ops(&world, "b"), [Op::Fork(TemplateId(3)); 2]);
}

#[test]
fn rows_and_teams_are_unrolled_in_the_order_in_which_they_stand() {
    let world = world(
        "pipe out; task first exit
         team t * 2 { socket s * 3 counted; task a * 2 { send s.each 1; send s.others 2; send s.next 3 }
                      task b { recv s.2 4; send out 5 } }",
    );
    assert_eq!(
        names(&world),
        ["first", "a 0.0", "a 0.1", "b 0", "a 1.0", "a 1.1", "b 1"]
    );
    let send = |channel, bytes| Op::Send(ChannelId(channel), bytes);
    assert_eq!(
        ops(&world, "a 1.1"),
        [
            send(4, 1),
            send(5, 1),
            send(6, 1),
            send(4, 2),
            send(6, 2),
            send(6, 3)
        ]
    );
    assert_eq!(ops(&world, "b 0"), [Op::Recv(ChannelId(3), 4), send(0, 5)]);
    assert!(!world.channels[0].counted && world.channels[1].counted);
    assert_eq!(world.channels[0].kind, ChannelKind::Pipe);
}

#[test]
fn tasks_that_do_the_same_share_a_program_and_spaces_are_shared_by_name() {
    let world = world(
        "task a * 3 space s yield; task b space s yield; task c yield; pipe p*3; task d*3 send p.me 1",
    );
    let start = |at: usize| world.templates[at].program.start;
    assert_eq!((start(0), start(1)), (start(2), start(0)));
    assert_ne!(start(5), start(6));
    let spaces: Vec<u32> = world.templates.iter().map(|t| t.space).collect();
    assert_eq!(spaces, [0, 0, 0, 0, 4, 5, 6, 7]);
}

#[test]
fn what_never_ends_is_known_to_and_choices_jump_where_they_should() {
    let world = world(
        "task a run forever
         task b { choose 25% { yield; yield } else { join } ; exit }
         task c { loop 2 { choose 50% yield }; fork kid }
         child kid { choose 10% forever yield }",
    );
    let ends: Vec<bool> = world.templates.iter().map(|t| t.ends).collect();
    assert_eq!(ends, [false, true, true, false]);
    let second = Op::Run(Span::Fixed(Nanos::from_secs(1)));
    assert_eq!(
        world.ops[..4],
        [Op::Loop(Op::FOREVER), second, Op::End(1), Op::Exit]
    );
    assert_eq!(
        world.ops[4..10],
        [
            Op::Choose(250, 8),
            Op::Yield,
            Op::Yield,
            Op::Jump(9),
            Op::Join,
            Op::Exit
        ]
    );
    let c = ops(&world, "c");
    assert_eq!(
        c[1..3],
        [Op::Choose(500, 14), Op::Yield],
        "the end of the loop is 14"
    );
}

#[test]
fn things_have_their_kinds_and_capacities() {
    let world = world("socket s buffer 1KiB; queue q poll; lock l kernel-spin; barrier b of 3");
    assert_eq!(world.channels[0].capacity, Some(1024));
    assert_eq!(world.queues, [QueueKind::Poll]);
    assert_eq!(world.locks, [LockKind::KernelSpin]);
    assert_eq!(world.barriers, [3]);
}

#[test]
fn a_program_that_forks_without_end_is_unrolled_once() {
    let world =
        world("task a { fork b }; child b * 2 { fork c }; child c { fork b; fork c and wait }");
    assert_eq!(names(&world), ["a", "b 0", "b 1", "c"]);
}

#[test]
fn how_many_tasks_there_are_does_not_depend_on_how_groups_are_numbered() {
    let script = script("child k exit; task a in A fork k; task b in B fork k; task c fork k");
    assert_eq!(script.tasks(), 6);
    for number in [0, 3] {
        let mut world = World::new();
        script.build(&mut world, 0, &|_| number);
        assert_eq!(world.templates.len(), 6);
        let groups: Vec<u16> = world.templates.iter().map(|t| t.group).collect();
        assert_eq!(groups, [number, number, 0, number, number, 0]);
    }
}
