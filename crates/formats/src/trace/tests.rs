//! Golden lines of each format.

use super::*;
use schedlab_engine::machine::{CpuId, CpuMask};
use schedlab_engine::observe::{Cause, PrevState};
use schedlab_engine::sched::decision::{
    MigrateWhy, PickWhy, Placement, PlacementWhy, Preempt, PreemptWhy, Tick, TickWhy,
};
use schedlab_engine::sched::rq::GroupId;
use schedlab_engine::task::TaskId;
use schedlab_engine::workload::program::TemplateId;
use schedlab_engine::workload::{WorkloadKind, World};

fn world() -> World {
    let mut world = World::new();
    let kind = WorkloadKind::Hogs;
    let values: Vec<i64> = kind.params().iter().map(|p| p.default).collect();
    kind.build(&values, 0, &mut world);
    world
}

const PLACED: Placement = Placement {
    cpu: CpuId(1),
    why: PlacementWhy::AffineSync,
    visited: 2,
};

const CHECKED: Preempt = Preempt {
    yes: true,
    why: PreemptWhy::BeyondGranularity,
    gap: 6_000_000,
    gran: 5_000_000,
};

fn story() -> [Event; 6] {
    let (a, b) = (TaskId(0), TaskId(1));
    let fork = |child: TaskId| Event::Fork {
        parent: None,
        child,
        template: TemplateId(child.0),
        placement: PLACED,
        preempt: CHECKED,
    };
    [
        fork(a),
        fork(b),
        Event::Switch {
            cpu: CpuId(1),
            prev: None,
            state: PrevState::Runnable,
            next: Some(a),
            why: PickWhy::Only,
            forced: None,
        },
        Event::Wakeup {
            task: b,
            prev_cpu: CpuId(0),
            waker: Some(a),
            waker_cpu: CpuId(1),
            sync: true,
            placement: PLACED,
            preempt: CHECKED,
        },
        Event::Migrate {
            task: b,
            from: CpuId(0),
            to: CpuId(1),
            why: MigrateWhy::Wakeup,
        },
        Event::Switch {
            cpu: CpuId(1),
            prev: Some(a),
            state: PrevState::Runnable,
            next: Some(b),
            why: PickWhy::Leftmost,
            forced: Some(Cause::Wakeup),
        },
    ]
}

fn text(format: Format, events: &[Event]) -> String {
    let world = world();
    let mut bytes = Vec::new();
    let mut trace = Trace::new(&world, format, &mut bytes);
    for (n, event) in (1..).zip(events) {
        trace.record(Instant(n * 1_000_000_250), event);
    }
    trace.finish().expect("memory takes it");
    String::from_utf8(bytes).expect("a trace is UTF-8")
}

#[test]
fn perf_lines_read_as_perf_prints_them() {
    let expected = "
         swapper      0 [001]     1.000000250: sched:sched_wakeup_new: comm=hog_0 pid=1 prio=120 target_cpu=001 placement=AffineSync preempt=1 preempt_why=BeyondGranularity
         swapper      0 [001]     2.000000500: sched:sched_wakeup_new: comm=hog_1 pid=2 prio=120 target_cpu=001 placement=AffineSync preempt=1 preempt_why=BeyondGranularity
         swapper      0 [001]     3.000000750: sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog_0 next_pid=1 next_prio=120 why=Only
           hog_0      1 [001]     4.000001000: sched:sched_wakeup: comm=hog_1 pid=2 prio=120 target_cpu=001 prev_cpu=000 sync=1 placement=AffineSync visited=2 preempt=1 preempt_why=BeyondGranularity gap=6000000 gran=5000000
           hog_0      1 [001]     5.000001250: sched:sched_migrate_task: comm=hog_1 pid=2 prio=120 orig_cpu=0 dest_cpu=1 why=Wakeup
           hog_0      1 [001]     6.000001500: sched:sched_switch: prev_comm=hog_0 prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=hog_1 next_pid=2 next_prio=120 why=Leftmost forced=Wakeup
";
    assert_eq!(
        text(Format::Perf, &story()),
        expected.trim_start_matches('\n')
    );
}

#[test]
fn csv_has_the_columns_of_recordings() {
    let tick = Event::Tick {
        cpu: CpuId(1),
        tick: Tick {
            resched: false,
            why: TickWhy::SliceLeft,
        },
        hrtick: false,
    };
    let exit = Event::Exit {
        task: TaskId(0),
        cpu: CpuId(1),
    };
    let expected = "t_ns,cpu,ev,a,b,c
1000000250,1,N,hog_0:1,1,
2000000500,1,N,hog_1:2,1,
3000000750,1,S,idle,R,hog_0:1
4000001000,1,W,hog_1:2,1,
5000001250,1,M,hog_1:2,0,1
6000001500,1,S,hog_0:1,R,hog_1:2
";
    assert_eq!(text(Format::Csv, &story()), expected);
    let rest = "t_ns,cpu,ev,a,b,c\n1000000250,1,T,,,\n2000000500,1,X,task-0:1,,\n";
    assert_eq!(text(Format::Csv, &[tick, exit]), rest);
}

/// Tasks of one name, as a script or a fork makes them: each line says which one.
#[test]
fn csv_tells_tasks_of_one_name_apart() {
    let child = |n: u32| Event::Fork {
        parent: (n > 0).then_some(TaskId(0)),
        child: TaskId(n),
        template: TemplateId(0),
        placement: PLACED,
        preempt: CHECKED,
    };
    let switch = Event::Switch {
        cpu: CpuId(1),
        prev: Some(TaskId(1)),
        state: PrevState::Sleeping,
        next: Some(TaskId(2)),
        why: PickWhy::Leftmost,
        forced: None,
    };
    let lines = text(Format::Csv, &[child(0), child(1), child(2), switch]);
    let expected = "t_ns,cpu,ev,a,b,c
1000000250,1,N,hog_0:1,1,
2000000500,0,F,hog_0:1,hog_0:2,
2000000500,0,N,hog_0:2,1,
3000000750,0,F,hog_0:1,hog_0:3,
3000000750,0,N,hog_0:3,1,
4000001000,1,S,hog_0:2,S,hog_0:3
";
    assert_eq!(lines, expected);
}

#[test]
fn every_line_of_json_is_an_object_with_everything_in_it() {
    let lines = text(Format::JsonLines, &story());
    let expected = [
        r#"{"t":1000000250,"ev":"fork","parent":null,"task":1,"comm":"hog_0","prio":120,"target":1,"placement":"AffineSync","visited":2,"preempt":true,"preempt_why":"BeyondGranularity","gap":6000000,"gran":5000000}"#,
        r#"{"t":6000001500,"ev":"switch","cpu":1,"prev":1,"state":"R","next":2,"why":"Leftmost","forced":"Wakeup"}"#,
    ];
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0], expected[0]);
    assert_eq!(lines[5], expected[1]);
}

/// What only JSON lines tell.
#[test]
fn json_tells_of_throttling_and_of_masks() {
    let throttle = |throttled| Event::Throttle {
        cpu: CpuId(1),
        group: GroupId(2),
        throttled,
    };
    let affinity = Event::Affinity {
        task: TaskId(0),
        allowed: CpuMask::first(3),
    };
    let events = [throttle(true), throttle(false), affinity];
    let expected = r#"{"t":1000000250,"ev":"throttle","cpu":1,"group":2}
{"t":2000000500,"ev":"unthrottle","cpu":1,"group":2}
{"t":3000000750,"ev":"affinity","task":1,"cpus":"0-2"}
"#;
    assert_eq!(text(Format::JsonLines, &events), expected);
    for format in [Format::Csv, Format::Perf] {
        assert!(!text(format, &events).contains("affinity"));
    }
}

#[test]
fn the_end_of_a_name_chooses_the_format() {
    let of = |name: &str| Format::of_path(Path::new(name));
    assert_eq!(of("trace.jsonl"), Format::JsonLines);
    assert_eq!(of("TRACE.CSV"), Format::Csv);
    assert_eq!(of("trace"), Format::Perf);
    assert_eq!(of("trace.txt"), Format::Perf);
}

#[test]
fn a_trace_that_cannot_be_written_says_so_at_the_end() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let world = world();
    let mut trace = Trace::new(&world, Format::Csv, Full);
    trace.record(Instant(0), &story()[0]);
    assert!(trace.failed());
    let error = trace.finish().expect_err("the disk is full");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
