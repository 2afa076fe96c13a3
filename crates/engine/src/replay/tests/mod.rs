//! Replays of traces written by hand: what is right, what is wrong, and that no trace can do more harm than that.

mod eevdf;

use super::{Claim, Class, Event, FactKind, Left, Member, Name, Recording, Row, replay};
use crate::machine::CpuId;
use crate::machine::topology::{Topology, TopologySpec};
use crate::rng::Stream;
use crate::sched::SchedSetup;
use crate::sched::decision::PlacementWhy;
use crate::sched::profile::Profile;
use crate::task::{Nice, Policy};
use crate::time::Hz;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

const IDLE: Name = Name(0);
const INIT: Name = Name(1);
const A: Name = Name(2);
const B: Name = Name(3);

/// One CPU under 6.1: the idle task, a controller of a higher class, and two equal tasks.
fn recording(rows: Vec<(i64, Event)>) -> Recording {
    let kernel = Profile::by_name("6.1y").expect("a profile").kernel();
    let member = |name: &str, class| Member {
        name: name.to_string(),
        class,
        policy: Policy::Normal,
        nice: Nice::default(),
        slice: None,
        group: None,
        rested: false,
        yields: false,
        renices: Vec::new(),
        bound: None,
        reads_clock: false,
        reads: Vec::new(),
        writes: Vec::new(),
    };
    Recording {
        setup: SchedSetup::boot(kernel, 1, Hz(250)),
        groups: Vec::new(),
        members: vec![
            member("idle", Class::Idle),
            member("init:1", Class::Above),
            member("a", Class::Fair),
            member("b", Class::Fair),
        ],
        rows: rows
            .into_iter()
            .map(|(t, event)| Row { t, cpu: 0, event })
            .collect(),
        end: None,
    }
}

const fn wakeup(task: Name) -> Event {
    Event::Wakeup { task, cpu: 0 }
}

const fn charge(task: Name, ns: u64, vruntime: i64) -> Event {
    Event::Runtime {
        task,
        ns,
        vruntime: Some(vruntime),
    }
}

const fn switch(prev: Name, left: Left, next: Name) -> Event {
    Event::Switch { prev, left, next }
}

/// Two hogs that take turns: a runs 4 ms from vruntime 100 ms, then b from there, then a again.
fn two_hogs() -> Vec<(i64, Event)> {
    const MS: i64 = 1_000_000;
    vec![
        (-5_000, switch(IDLE, Left::Runnable, INIT)),
        (0, wakeup(A)),
        (2_000, wakeup(B)),
        (5_000, switch(INIT, Left::Gone, A)),
        (4 * MS, Event::Tick),
        (4 * MS + 1_000, charge(A, 4_000_000, 104 * MS)),
        (4 * MS + 3_000, charge(A, 2_000, 104 * MS + 2_000)),
        (4 * MS + 4_000, switch(A, Left::Runnable, B)),
        (8 * MS, Event::Tick),
        (8 * MS + 1_000, charge(B, 3_998_000, 103 * MS + 998_000)),
        (8 * MS + 3_000, charge(B, 2_000, 104 * MS)),
        (8 * MS + 4_000, charge(B, 1_000, 104 * MS + 1_000)),
    ]
}

#[test]
fn two_hogs_take_turns_as_recorded() {
    let mut rows = two_hogs();
    rows.pop();
    let facts = replay(&recording(rows));
    assert_eq!(facts.first, None);
    let right = |kind| facts.of(kind).right;
    assert_eq!(
        right(FactKind::Vruntime),
        2,
        "the first charge of each tells where it began"
    );
    assert_eq!((right(FactKind::Pick), right(FactKind::Tick)), (2, 2));
    assert_eq!(right(FactKind::Repick), 1, "b is left of a still");
    assert_eq!(facts.total().facts(), facts.total().right);
}

#[test]
fn a_wrong_charge_is_told_with_both_sides_and_adopted() {
    let mut rows = two_hogs();
    rows.truncate(7);
    rows[6].1 = charge(A, 2_000, 104_002_001);
    rows.push((4_004_000, switch(A, Left::Runnable, B)));
    let facts = replay(&recording(rows));
    let first = facts.first.clone().expect("it is wrong");
    assert_eq!(
        (first.row, first.kind),
        (7, FactKind::Vruntime),
        "the switch tells the cause"
    );
    assert_eq!(first.predicted, Claim::Vruntime(A, 104_002_000));
    assert_eq!(first.recorded, Claim::Vruntime(A, 104_002_001));
    assert_eq!(first.runnable.len(), 2);
    assert_eq!(
        facts.of(FactKind::Pick).wrong,
        0,
        "the replay goes on from what was recorded"
    );
}

#[test]
fn a_switch_that_nobody_asked_for_and_a_wrong_pick_are_wrong() {
    let mut rows = two_hogs();
    rows.truncate(4);
    rows.push((1_000_000, charge(A, 995_000, 100_995_000)));
    rows.push((1_001_000, switch(A, Left::Runnable, INIT)));
    rows.push((1_010_000, switch(INIT, Left::Gone, A)));
    rows.push((4_000_000, Event::Tick));
    rows.push((4_001_000, charge(A, 2_990_000, 103_985_000)));
    rows.push((4_003_000, charge(A, 1_000, 103_986_000)));
    rows.push((4_004_000, switch(A, Left::Runnable, B)));
    rows.push((8_001_000, charge(B, 4_000_000, 104_000_000)));
    let facts = replay(&recording(rows));
    assert_eq!(
        facts.of(FactKind::Pick).wrong,
        1,
        "b is left of a after the controller"
    );
    let first = facts.first.expect("it is wrong");
    assert_eq!(
        (first.predicted, first.recorded),
        (Claim::Runs(Some(B)), Claim::Runs(Some(A)))
    );
}

/// Rows in any order, of anybody, at any time, on two CPUs: facts go wrong, and nothing else does.
#[test]
fn no_trace_is_too_absurd_to_be_replayed() {
    let limit = 1_i64 << 44;
    for seed in 0..300 {
        let (stream, mut drawn) = (Stream::new(seed, 0), 0);
        let mut below = |n: u64| {
            drawn += 1;
            stream.below(drawn, n)
        };
        let mut rows = Vec::new();
        for _ in 0..200 {
            let [a, b] = [below(4), below(4)].map(|n| Name(n as u32));
            let left = if below(2) == 0 {
                Left::Gone
            } else {
                Left::Runnable
            };
            let vruntime = [-(1 << 60), 0, 1 << 60][below(3) as usize] / (1 + below(1000) as i64);
            let cpu = below(2) as u16;
            let event = match below(12) {
                0 => Event::Tick,
                1 => Event::Hrtick,
                2 => Event::Exit { task: a },
                3 => Event::Fork {
                    parent: a,
                    child: b,
                },
                4 => Event::WakeupNew { task: a, cpu },
                5 | 6 => Event::Wakeup { task: a, cpu },
                10 => Event::Migrate {
                    task: a,
                    from: 1 - cpu,
                    to: cpu,
                },
                11 => Event::Waking { task: a, cpu },
                7 => charge(a, below(1 << 30), vruntime),
                _ => switch(a, left, b),
            };
            let t = below(2 * limit as u64) as i64 - limit;
            rows.push((t, event));
        }
        let mut recording = recording(rows);
        recording.members[3].yields = true;
        recording.members[2].renices = vec![Nice::new(7), Nice::new(-20)];
        recording.members[3].reads_clock = true;
        recording.members[2].bound = (seed % 3 == 0).then_some((seed % 5) as u16);
        if seed % 2 == 0 {
            recording.groups = vec![2, 1 << 18];
            recording.members[2].group = Some((seed % 4 / 2) as usize);
        }
        let kernel = ["6.1y", "6.12y", "7.1"][(seed % 3) as usize];
        let kernel = Profile::by_name(kernel).expect("a profile").kernel();
        recording.setup = SchedSetup::boot(kernel, 2, Hz(250));
        recording.members[3].slice = (seed % 4 == 0).then_some(1 + seed);
        for (index, row) in recording.rows.iter_mut().enumerate() {
            row.cpu = (index % 7 % 2) as u16;
        }
        let facts = replay(&recording);
        assert_eq!(facts.first.is_some(), facts.total().wrong > 0);
    }
}

/// Two CPUs with one cache, as a recording with `sched_waking` has them: `a` has slept on CPU 0 and is woken by a timer
/// there while the controller keeps that CPU busy.
fn waking_beside_the_controller(to: u16) -> Recording {
    let spec = TopologySpec {
        cpus: 2,
        llc: "0-1",
        ..TopologySpec::default()
    };
    let kernel = Profile::by_name("6.1y").expect("a profile").kernel();
    let rows = vec![
        (-6_000, wakeup(INIT)),
        (-5_000, switch(IDLE, Left::Runnable, INIT)),
        (0, Event::Waking { task: A, cpu: 0 }),
        (2_000, Event::Wakeup { task: A, cpu: to }),
        (5_000, switch(INIT, Left::Gone, IDLE)),
    ];
    Recording {
        setup: SchedSetup::on(Topology::new(&spec).expect("a machine"), kernel, Hz(250)),
        ..recording(rows)
    }
}

#[test]
fn a_wakee_goes_to_the_idle_cpu_beside_and_one_that_stays_is_told() {
    let facts = replay(&waking_beside_the_controller(1));
    assert_eq!((facts.of(FactKind::Select).right, facts.first), (1, None));

    let facts = replay(&waking_beside_the_controller(0));
    let first = facts.first.clone().expect("it is wrong");
    assert_eq!((first.row, first.kind), (3, FactKind::Select));
    let goes = |cpu, why| Claim::Goes {
        task: A,
        cpu: CpuId(cpu),
        why,
    };
    assert_eq!(first.predicted, goes(1, Some(PlacementWhy::IdleCpu)));
    assert_eq!(first.recorded, goes(0, None));
}
