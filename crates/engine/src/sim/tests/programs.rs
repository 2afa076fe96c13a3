//! Programs: each operation does what it says, and no program, however odd, hangs or breaks the simulator.

use super::*;
use crate::observe::Event;
use crate::rng::Stream;
use crate::task::{Nice, Policy};
use crate::workload::ipc::{
    BarrierId, ChannelId, ChannelKind, ChannelSpec, LockId, LockKind, QueueId, QueueKind,
};
use crate::workload::program::{
    Dist, DistId, MarkId, Op, Program, Since, Span, TemplateId, TimerMode,
};
use crate::workload::{Inherits, Member, Start, Template};
use alloc::format;

/// A world of the given programs: those that start, then those that are only forked.
pub(super) fn world(started: &[&[Op]], forked: &[&[Op]]) -> World {
    let mut world = World::new();
    for kind in [ChannelKind::Unix, ChannelKind::Pipe, ChannelKind::Tcp] {
        world.channel(ChannelSpec {
            kind,
            capacity: None,
            counted: true,
        });
    }
    world.queue(QueueKind::Condition);
    world.queue(QueueKind::Poll);
    world.queue(QueueKind::Semaphore);
    for kind in [
        LockKind::Futex,
        LockKind::Adaptive,
        LockKind::SpinSleep,
        LockKind::KernelSpin,
    ] {
        world.lock(kind);
    }
    world.barrier(2);
    for name in ["a", "b", "c"] {
        world.mark(name);
    }
    let us = Nanos::from_micros;
    world.dists = vec![Dist::Exponential(us(50)), Dist::Uniform(us(1), us(90))];
    let starts = started.iter().map(|ops| (ops, Start::At(Instant::ZERO)));
    for (ops, start) in starts.chain(forked.iter().map(|ops| (ops, Start::Forked))) {
        let program = world.program(ops);
        add(&mut world, program, start);
    }
    world.members.push(Member {
        kind: Some(WorkloadKind::Hogs),
    });
    world
}

fn add(world: &mut World, program: Program, start: Start) {
    let number = world.templates.len();
    world.template(Template {
        name: format!("task {number}"),
        role: "task".into(),
        workload: 0,
        space: number as u32,
        nice: Nice::default(),
        policy: Policy::Normal,
        slice: None,
        slack: None,
        allowed: crate::machine::CpuMask::EMPTY,
        inherits: Inherits::default(),
        group: 0,
        session: 0,
        ws_kb: 8,
        program,
        start,
        watches_clock: false,
        ends: true,
    });
}

fn with(machine: &str, world: World) -> Scenario {
    let hogs = WorkloadSpec::new(WorkloadKind::Hogs);
    let mut scenario = checked(&config(machine, "2.6.32", vec![hogs]));
    scenario.world = world;
    scenario.end = Instant(3_000_000_000);
    scenario.to_the_end = false;
    scenario.max_events = 200_000;
    scenario
}

/// Runs without costs; when each mark was passed, µs, and why the run stopped.
fn marks(started: &[&[Op]], forked: &[&[Op]]) -> (Vec<(u16, u64)>, Option<Stop>) {
    #[derive(Default)]
    struct Marks(Vec<(u16, u64)>);
    impl Observer for Marks {
        fn record(&mut self, now: Instant, event: &Event) {
            if let Event::Mark { mark, .. } = event {
                self.0.push((mark.0, now.0 / 1_000));
            }
        }
    }
    let mut seen = Marks::default();
    let mut sim = Sim::without_costs(&with("q6600", world(started, forked)));
    let progress = sim.run_until(Instant::FAR, &mut seen);
    (seen.0, progress.stop)
}

const fn run(us: u64) -> Op {
    Op::Run(Span::Fixed(Nanos::from_micros(us)))
}

const fn sleep(us: u64) -> Op {
    Op::Sleep(Span::Fixed(Nanos::from_micros(us)))
}

const A: Op = Op::Mark(MarkId(0));
const B: Op = Op::Mark(MarkId(1));
const C: Op = Op::Mark(MarkId(2));
const CONDITION: QueueId = QueueId(0);
const POLL: QueueId = QueueId(1);

#[test]
fn runs_sleeps_and_loops_take_their_time() {
    let timed = [
        Op::Loop(3),
        run(10),
        A,
        sleep(5),
        Op::End(0),
        B,
        Op::SleepUntil(Instant(70_000)),
        C,
    ];
    let (seen, stop) = marks(&[&timed], &[]);
    assert_eq!(seen, [(0, 10), (0, 25), (0, 40), (1, 45), (2, 70)]);
    assert_eq!(stop, Some(Stop::Done));
    let skipped = [Op::Loop(0), A, Op::End(0), B];
    assert_eq!(marks(&[&skipped], &[]).0, [(1, 0)]);
}

/// What each mark measured, µs, on a machine where nothing costs anything.
fn measured(mut world: World, change: impl Fn(&mut World)) -> Vec<(u16, u64)> {
    struct Took(Vec<(u16, u64)>);
    impl Observer for Took {
        fn record(&mut self, _: Instant, event: &Event) {
            if let Event::Mark {
                mark,
                took: Some(took),
                ..
            } = event
            {
                self.0.push((mark.0, took.0 / 1_000));
            }
        }
    }
    change(&mut world);
    let mut took = Took(Vec::new());
    let mut sim = Sim::without_costs(&with("q6600", world));
    sim.run_until(Instant::FAR, &mut took);
    took.0
}

#[test]
fn marks_measure_since_a_timer_a_wakeup_or_a_mark() {
    let late = [
        Op::Timer(Nanos::from_micros(10), TimerMode::Skip),
        run(3),
        Op::Measure(MarkId(0), Since::Expiry),
        run(20),
        Op::Timer(Nanos::from_micros(10), TimerMode::Skip),
        Op::Measure(MarkId(1), Since::Expiry),
        run(4),
        Op::Measure(MarkId(2), Since::Mark(MarkId(1))),
        Op::Measure(MarkId(2), Since::Wake),
    ];
    let remember = |world: &mut World| world.remember(MarkId(1));
    let seen = measured(world(&[&late], &[]), remember);
    assert_eq!(seen, [(0, 3), (1, 0), (2, 4), (2, 4)]);
    // Nobody has passed the mark yet: nothing is measured.
    let early = [Op::Measure(MarkId(2), Since::Mark(MarkId(1)))];
    assert_eq!(measured(world(&[&early], &[]), remember), []);
}

#[test]
fn timers_are_late_by_their_slack_but_not_those_of_real_time_tasks() {
    let ops = [
        Op::Timer(Nanos::from_micros(100), TimerMode::Skip),
        Op::Measure(MarkId(0), Since::Expiry),
    ];
    let slack = |policy| {
        measured(world(&[&ops], &[]), |world| {
            world.templates[0].slack = Some(Nanos::from_micros(30));
            world.templates[0].policy = policy;
        })
    };
    assert_eq!(slack(Policy::Normal), [(0, 30)]);
    assert_eq!(slack(Policy::Fifo(crate::task::RtPriority::MIN)), [(0, 0)]);
}

#[test]
fn a_semaphore_keeps_wakeups_and_a_condition_queue_loses_them() {
    let late = |queue| {
        let wakes = [Op::Wake(queue, 2), A];
        let waits = [run(10), Op::Wait(queue), B, Op::Wait(queue), C];
        marks(&[&wakes, &waits], &[])
    };
    let semaphore = QueueId(2);
    assert_eq!(late(semaphore).0, [(0, 0), (1, 10), (2, 10)]);
    assert_eq!(late(semaphore).1, Some(Stop::Done));
    assert_eq!(late(CONDITION).0, [(0, 0)]);
}

/// The lock of the CPU that a task is on keeps nobody else from theirs, and it stays that lock when the task moves.
#[test]
fn the_lock_of_ones_cpu_is_taken_where_one_is_and_released_wherever() {
    let here = Op::LockHere(LockId(0), 1);
    let two = |first: Op| {
        let work = [first, run(10), Op::UnlockHere, A];
        marks(&[&work, &work], &[]).0
    };
    // One lock for all CPUs; then one for each of the first four, on four CPUs.
    assert_eq!(two(here), [(0, 10), (0, 20)]);
    let mut world = world(
        &[&[
            Op::LockHere(LockId(4), 4),
            Op::SetCpus(crate::workload::program::MaskId(0)),
            Op::UnlockHere,
            Op::Lock(LockId(4)),
            A,
        ]],
        &[],
    );
    for _ in 0..4 {
        world.lock(LockKind::Futex);
    }
    world.mask(crate::machine::CpuMask::just(CpuId(2)));
    let mut sim = Sim::without_costs(&with("q6600", world));
    sim.run_until(Instant::FAR, &mut ());
    assert_eq!(sim.progress().stop, Some(Stop::Done));
}

#[test]
fn timers_keep_their_phase_as_their_mode_says() {
    let late = |mode| {
        let period = Op::Timer(Nanos::from_micros(10), mode);
        let ops = [period, A, run(25), period, A, period, A, period, A];
        marks(&[&ops], &[])
            .0
            .iter()
            .map(|m| m.1)
            .collect::<Vec<_>>()
    };
    assert_eq!(late(TimerMode::Absolute), [10, 35, 35, 40]);
    assert_eq!(late(TimerMode::Relative), [10, 35, 45, 55]);
    assert_eq!(late(TimerMode::Skip), [10, 40, 50, 60]);
}

#[test]
fn forks_are_waited_for_and_joined() {
    let main = [
        Op::Fork(TemplateId(1)),
        Op::ForkWait(TemplateId(2)),
        B,
        Op::Join,
        C,
    ];
    let (seen, stop) = marks(&[&main], &[&[run(30), A], &[run(10)]]);
    assert_eq!(seen, [(1, 10), (0, 30), (2, 30)]);
    assert_eq!(stop, Some(Stop::Done));
}

#[test]
fn queues_wake_first_come_first_served_and_a_poll_stays_open() {
    let waits = [Op::Wait(CONDITION), A];
    let polls = [Op::Wait(POLL), C, run(40), Op::Wait(POLL), B];
    let wakes = [
        run(5),
        Op::Wake(CONDITION, 1),
        run(5),
        Op::WakeAll(CONDITION),
        Op::WakeAll(POLL),
    ];
    let (seen, _) = marks(&[&waits, &waits, &polls, &wakes], &[]);
    assert_eq!(seen, [(0, 5), (2, 10), (0, 10), (1, 50)]);
}

#[test]
fn a_barrier_lets_all_go_with_the_last() {
    let party = |us| [run(us), Op::Barrier(BarrierId(0)), A];
    let (seen, stop) = marks(&[&party(10), &party(25)], &[]);
    assert_eq!(seen, [(0, 25), (0, 25)]);
    assert_eq!(stop, Some(Stop::Done));
}

#[test]
fn every_lock_keeps_the_second_out_until_the_first_leaves() {
    for (lock, when) in [(0, 20), (1, 20), (3, 20)] {
        let lock = LockId(lock);
        let first = [Op::Lock(lock), run(20), Op::Unlock(lock)];
        let second = [run(1), Op::Lock(lock), A, Op::Unlock(lock)];
        assert_eq!(marks(&[&first, &second], &[]).0, [(0, when)], "{lock:?}");
    }
    // The spinner of a spin-sleep lock sleeps 1 ms, whoever leaves in the meantime.
    let lock = LockId(2);
    let first = [Op::Lock(lock), run(20), Op::Unlock(lock)];
    let second = [run(1), Op::Lock(lock), A, Op::Unlock(lock)];
    assert_eq!(marks(&[&first, &second], &[]).0, [(0, 1_001)]);
}

#[test]
fn what_never_takes_time_is_stopped_and_what_never_wakes_is_noticed() {
    let (_, stop) = marks(&[&[Op::Loop(Op::FOREVER), Op::End(0)]], &[]);
    assert_eq!(stop, Some(Stop::Stuck(Some(TaskId(0)))));
    let (_, stop) = marks(
        &[&[Op::Loop(Op::FOREVER), Op::Wake(CONDITION, 1), Op::End(0)]],
        &[],
    );
    assert_eq!(stop, Some(Stop::Stuck(None)));
    let (_, stop) = marks(&[&[Op::Wait(CONDITION)]], &[]);
    assert_eq!(stop, Some(Stop::Quiet));
    let forks = [Op::Loop(Op::FOREVER), Op::Fork(TemplateId(1)), Op::End(0)];
    let (_, stop) = marks(&[&forks], &[&[run(1)]]);
    assert_eq!(stop, Some(Stop::Tasks));
}

/// Any operation, at random.
fn any_op(dice: &mut impl FnMut(u64) -> u64) -> Op {
    let span = match dice(3) {
        0 => Span::Drawn(DistId(dice(2) as u32)),
        _ => Span::Fixed(Nanos(dice(40_000))),
    };
    let channel = ChannelId(dice(3) as u32);
    let bytes = 1 + dice(5_000) as u32;
    match dice(24) {
        0..4 => Op::Run(span),
        4 => Op::Sys(span),
        5..8 => Op::Send(channel, bytes),
        8..10 => Op::Recv(channel, bytes),
        10 => Op::Lock(LockId(dice(4) as u32)),
        11 => Op::Unlock(LockId(dice(4) as u32)),
        12 => Op::Wait(QueueId(dice(2) as u32)),
        13 => Op::Wake(QueueId(dice(2) as u32), dice(3) as u32),
        14 => Op::WakeAll(QueueId(dice(2) as u32)),
        15 | 16 => Op::Sleep(span),
        17 => Op::Timer(Nanos(1 + dice(90_000)), TimerMode::Skip),
        18 => Op::Fork(TemplateId(4 + dice(4) as u32)),
        19 => Op::ForkWait(TemplateId(6 + dice(2) as u32)),
        20 => Op::Exec(span),
        21 => Op::Yield,
        22 => Op::SetNice(Nice::new(dice(40) as i64 - 20)),
        _ => Op::Barrier(BarrierId(0)),
    }
}

#[test]
fn no_random_program_breaks_the_books() {
    let machines = ["classroom-1", "q6600", "tigerton-4x4", "nehalem-ep-2x4x2"];
    for seed in 0..60 {
        let stream = Stream::new(seed, 77);
        let mut drawn = 0;
        let mut dice = |n: u64| {
            drawn += 1;
            stream.below(drawn, n)
        };
        let programs: Vec<Vec<Op>> = (0..8)
            .map(|_| {
                let length = 2 + dice(12);
                let mut ops: Vec<Op> = (0..length).map(|_| any_op(&mut dice)).collect();
                ops.insert(0, Op::Loop(1 + dice(30) as u32));
                ops.push(Op::End(0));
                ops
            })
            .collect();
        let programs: Vec<&[Op]> = programs.iter().map(Vec::as_slice).collect();
        let world = world(&programs[..4], &programs[4..]);
        let mut scenario = with(machines[seed as usize % 4], world);
        scenario.max_events = 20_000;
        properties::check(&scenario);
    }
}

/// Where each task was when it was switched in, in order.
fn switched_in(text: &str) -> Vec<(u16, u64)> {
    #[derive(Default)]
    struct Seen(Vec<(u16, u64)>);
    impl Observer for Seen {
        fn record(&mut self, now: Instant, event: &Event) {
            if let Event::Switch {
                cpu, next: Some(_), ..
            } = event
            {
                self.0.push((cpu.0, now.0 / 1_000));
            }
        }
    }
    let read = crate::fragment::parse_file(text);
    assert_eq!(read.errors, []);
    let mut seen = Seen::default();
    Sim::without_costs(&checked(&read.config)).run_until(Instant::FAR, &mut seen);
    seen.0
}

#[test]
fn a_task_that_confines_itself_moves_at_once_if_it_must_and_its_children_stay_there() {
    let text = "machine q6600
                task a cpus 1-2 { run 1ms; cpus 3; run 1ms; cpus 0-3; run 1ms; cpus 2; fork b; exit }
                child b run 1ms";
    assert_eq!(
        switched_in(text),
        [(1, 0), (3, 1_000), (2, 3_000), (2, 3_000)]
    );
}

#[test]
fn an_aligned_timer_keeps_to_the_grid_of_the_run() {
    let text = "machine q6600
                task a start 3ms cpus 0 { timer 10ms aligned; run 12ms; timer 10ms aligned; run 1ms }";
    assert_eq!(switched_in(text), [(0, 3_000), (0, 10_000), (0, 30_000)]);
}

#[test]
fn a_child_has_the_nice_value_that_its_parent_has_by_then() {
    let text = "machine classroom-1
                task a { nice 5; fork b; fork c; run 1ms }
                child b run 1ms
                child c nice 1 run 1ms";
    let read = crate::fragment::parse_file(text);
    let mut sim = Sim::without_costs(&checked(&read.config));
    sim.run_until(Instant::FAR, &mut ());
    let nice: Vec<i8> = sim.sched().tasks.iter().map(|t| t.nice.get()).collect();
    assert_eq!(nice, [5, 5, 1]);
}

#[test]
fn tasks_are_in_the_groups_that_are_said() {
    let text = "machine classroom-1
                group A weight 300
                group B in A shares 2048
                workload hogs(count=1,in=B)
                task a in A { fork b; exit }
                child b exit
                task r exit";
    let read = crate::fragment::parse_file(text);
    let mut sim = Sim::without_costs(&checked(&read.config));
    sim.run_until(Instant(100_000_000), &mut ());
    let groups: Vec<u32> = sim.sched().tasks.iter().map(|t| t.group.0).collect();
    assert_eq!(groups, [2, 1, 0, 1]);
    let shares: Vec<u64> = sim.sched().groups.iter().map(|g| g.shares).collect();
    assert_eq!(shares[1..], [3072, 2048]);
    assert_eq!(sim.sched().groups[2].parent.map(|g| g.0), Some(1));
}
