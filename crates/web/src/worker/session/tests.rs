//! A session answers for what it has shown.

use super::*;
use crate::protocol::explained::{Decision, Pick};
use crate::protocol::{LaneChunk, PickWhy, PreemptWhy, Snapshot};
use schedlab_engine::fragment;
use std::cell::Cell;

fn begun(link: &str) -> Session {
    let (config, warnings) = fragment::parse(link);
    assert_eq!(warnings, [], "{link}");
    let scenario = Scenario::try_from(&config).expect("sound");
    Session::new(1, RunSide::A, &config, &scenario)
}

fn session(link: &str) -> (Session, Snapshot) {
    let mut session = begun(link);
    let mut snapshot = Snapshot::advance(None, session.update());
    // A clock that goes on by a millisecond at each look.
    let now = Cell::new(0.0);
    let clock = || {
        now.set(now.get() + 1.0);
        now.get()
    };
    while session.halt().is_none() {
        session.slice(u64::MAX, 5.0, clock);
        snapshot = Snapshot::advance(Some(&snapshot), session.update());
    }
    (session, snapshot)
}

const SMALL: &str = "k=2.6.32-rc1&w=hackbench(groups=2,fan=4,loops=30)";

#[test]
fn a_slice_of_a_quiet_run_ends_in_time() {
    let mut session = begun("m=classroom-1&w=hogs(count=1)&dur=3600s");
    let looks = Cell::new(0.0);
    let clock = || {
        looks.set(looks.get() + 1.0);
        looks.get()
    };
    session.slice(u64::MAX, 3.0, clock);
    assert!(session.halt().is_none());
    assert_eq!(session.now_ns(), 2 * CPU_TIME_BETWEEN_LOOKS);
}

#[test]
fn every_switch_is_explained_as_it_was_recorded() {
    let (session, run) = session(SMALL);
    let mut asked = 0;
    for (cpu, lane) in run.trace.lanes.iter().enumerate() {
        for index in (1..lane.len()).step_by(5) {
            let switch = lane.switch(index).expect("there");
            let explained = session.explained(cpu as u16, (About::Pick, switch.at_ns));
            let Some(Explained {
                decision: Decision::Pick(pick),
                ..
            }) = explained
            else {
                // Two switches of one CPU at one instant: only the first can be asked for.
                let same = lane.switch(index - 1).expect("there").at_ns == switch.at_ns;
                assert!(same, "CPU {cpu} at {}: {explained:?}", switch.at_ns);
                continue;
            };
            let name = switch.task.map(|t| run.tasks[t as usize].comm.to_string());
            assert_eq!(pick.taken, name, "CPU {cpu} at {}", switch.at_ns);
            assert_eq!(PickWhy::ALL[usize::from(pick.why)], switch.pick);
            assert_eq!(pick.candidates.last().map(|c| c.name.clone()), name);
            asked += 1;
        }
    }
    assert!(asked > 20, "{asked}");
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let (asked, run) = session(SMALL);
    let end = run.trace.end_ns;
    let step = end / 40;
    // On in steps, back in steps, and far to and fro.
    let on = (0..10).map(|i| end / 2 + i * step);
    let back = (0..10).map(|i| end / 2 - i * step);
    for at in on.chain(back).chain([end, 0, end / 3]) {
        let fresh = session(SMALL).0;
        assert_eq!(asked.queue(1, at), fresh.queue(1, at), "at {at}");
    }
}

#[test]
fn a_pick_counts_tasks_and_not_groups() {
    let (session, run) =
        session("m=classroom-1&k=2.6.32&g=A&w=hogs(count=3,in=A);hogs(count=2)&dur=60ms");
    let lane = &run.trace.lanes[0];
    let told = (lane.len() / 2..lane.len()).filter_map(|i| {
        let at_ns = lane.switch(i)?.at_ns;
        match session.explained(0, (About::Pick, at_ns))?.decision {
            Decision::Pick(pick) => Some(pick),
            _ => None,
        }
    });
    let all: Vec<_> = told.collect();
    assert!(
        all.iter().all(|pick| pick.tasks == 5 && pick.more == 0),
        "{all:?}"
    );
    let group = |pick: &&Pick| pick.candidates.iter().any(|c| c.name == "group A");
    let within = all.iter().find(group).expect("A has its turns");
    assert!(within.candidates.len() > 1, "and one of its tasks is taken");
}

/// Two hogs that have to share CPU 0 of two CPUs for 10 ms, and then are done; a sleeper on CPU 1 wakes every 4 ms.
#[test]
fn an_idle_moment_is_told_as_it_is_then() {
    let (session, _) = session(concat!(
        "m=q6600&k=2.6.32-rc1&dur=20ms",
        "&w=(task+hog*2+cpus+0+forever(run+1ms);task+nap+cpus+1+forever(timer+4ms;run+1ms))"
    ));
    let told = |cpu, about, at_ns| {
        session
            .told(cpu, (About::Pick, about), at_ns)
            .map(|e| e.decision)
    };
    let Some(Decision::Idle(idle)) = told(2, 0, 7_000_000) else {
        panic!("CPU 2 never has anything to run");
    };
    assert_eq!((idle.since_ns, idle.left, idle.next), (0, None, None));
    assert_eq!(
        (idle.waiting, idle.more),
        (Vec::new(), 0),
        "hogs may run on CPU 0 only"
    );
}

#[test]
fn every_idle_stretch_begins_and_ends_with_its_switches() {
    let (session, run) = session("m=q6600&w=sleeper(period=3ms,run=1ms);hogs(count=2)&dur=40ms");
    let mut asked = 0;
    for (cpu, lane) in run.trace.lanes.iter().enumerate() {
        for index in 1..lane.len() {
            let slice = lane.slice(index, run.now_ns).expect("there");
            let middle = u64::midpoint(slice.begin.at_ns, slice.end_ns);
            let told = session.told(cpu as u16, (About::Pick, slice.begin.at_ns), middle);
            let told = told.expect("within the run").decision;
            let Decision::Idle(idle) = told else {
                assert!(slice.begin.task.is_some());
                continue;
            };
            assert_eq!(slice.begin.task, None);
            let before = lane.switch(index - 1).expect("there").task;
            let name = |task: u32| run.tasks[task as usize].comm.to_string();
            assert_eq!(
                idle.left,
                before.map(|t| (name(t), slice.begin.prev_end as u8))
            );
            let next = lane
                .switch(index + 1)
                .map(|s| (s.at_ns, name(s.task.expect("a task"))));
            assert_eq!(idle.next, next);
            asked += 1;
        }
    }
    assert!(asked > 0);
}

#[test]
fn every_wakeup_is_explained_as_it_was_recorded() {
    let (session, run) = session(SMALL);
    let mut asked = 0;
    for wakeups in &run.trace.wakeups {
        for index in (0..wakeups.len()).step_by(5) {
            let wakeup = wakeups.get(index);
            let explained =
                session.explained(wakeup.to_cpu, (About::Wakeup(wakeup.task), wakeup.at_ns));
            let Some(Explained {
                decision: Decision::Wakeup(told),
                ..
            }) = explained
            else {
                continue;
            };
            assert_eq!(told.woken, &*run.tasks[wakeup.task as usize].comm);
            assert_eq!(
                (told.to_cpu, told.prev_cpu),
                (wakeup.to_cpu, wakeup.prev_cpu)
            );
            assert_eq!(PreemptWhy::ALL[usize::from(told.preempt)], wakeup.preempt);
            let idle = wakeup.preempt == PreemptWhy::IdleCpu;
            assert_eq!(
                told.running.is_none(),
                idle,
                "at {}: {told:?}",
                wakeup.at_ns
            );
            asked += 1;
        }
    }
    assert!(asked > 10, "{asked}");
}

#[test]
fn a_queue_has_the_running_task_that_the_lane_shows() {
    let (session, run) = session(SMALL);
    for at_ns in (0..run.now_ns).step_by(150_001) {
        for cpu in 0..run.cpus() as u16 {
            let queue = session.queue(cpu, at_ns).expect("within the run");
            let lane = &run.trace.lanes[usize::from(cpu)];
            let shown = lane
                .index_at(at_ns)
                .and_then(|i| lane.switch(i))
                .and_then(|s| s.task);
            let running = queue.curr.and_then(|i| queue.queued[i].task);
            assert_eq!(running, shown, "CPU {cpu} at {at_ns}");
        }
    }
    assert!(session.queue(0, run.now_ns + 1).is_none(), "not simulated");
    assert!(session.queue(99, 0).is_none(), "no such CPU");
}

/// A group is queued like a task, and whoever runs, is leftmost or a buddy is found at the place that is told.
#[test]
fn groups_are_in_the_queue_by_their_names() {
    for kernel in ["2.6.32", "6.1", "6.12"] {
        let link = format!(
            "k={kernel}&m=classroom-1&g=A(weight=300);B&w=hogs(count=2,in=A);hogs(count=1,in=B);hogs(count=1)&dur=60ms"
        );
        let (session, run) = session(&link);
        let mut seen = Vec::new();
        for at_ns in (0..run.now_ns).step_by(500_003) {
            let queue = session.queue(0, at_ns).expect("within the run");
            assert_eq!(queue.gran_ns == 0, kernel == "6.12");
            let vruntime = |place: usize| queue.queued[place].vruntime_ns;
            for place in [queue.curr, queue.left, queue.next, queue.last] {
                assert!(place.is_none_or(|place| place < queue.queued.len()));
            }
            let waiting = (0..queue.queued.len()).filter(|place| Some(*place) != queue.curr);
            let least = waiting.map(vruntime).min();
            assert_eq!(queue.left.map(vruntime), least, "{kernel} at {at_ns}");
            for entity in queue.queued {
                assert_eq!(entity.task.is_none(), entity.comm.starts_with("group "));
                seen.push(entity.comm);
            }
        }
        assert!(seen.contains(&"group A".to_string()) && seen.contains(&"group B".to_string()));
    }
}

/// What EEVDF compares is told whole: someone is not eligible or later, and the one that is taken is eligible.
#[test]
fn picks_of_eevdf_are_told_with_all_that_counts() {
    let (session, run) = session(
        "k=6.12&m=classroom-1&g=A;B&w=hogs(count=2,in=A);hogs(count=2,in=B);hogs(count=2)&dur=60ms",
    );
    let lane = &run.trace.lanes[0];
    let mut told = 0;
    for switch in (1..lane.len()).filter_map(|index| lane.switch(index)) {
        let explained = session.explained(0, (About::Pick, switch.at_ns));
        let Some(Decision::Pick(pick)) = explained.map(|explained| explained.decision) else {
            continue;
        };
        let taken = pick.candidates.last().expect("somebody is taken");
        let wants = taken.wants.expect("it is EEVDF");
        assert!(wants.eligible && wants.slice_ns > 0 && !wants.delayed);
        assert!(
            pick.candidates
                .iter()
                .any(|c| c.name == "group A" || c.name == "group B")
        );
        told += pick.candidates.len();
    }
    assert!(told > 10, "{told}");
}

#[test]
fn a_step_comes_to_the_next_switch_wakeup_or_migration() {
    let mut session = begun(SMALL);
    session.update();
    for step in 0..200 {
        session.step();
        let trace = session.update().trace;
        let switches: usize = trace.lanes.iter().map(LaneChunk::len).sum();
        let marks = trace.wakeups.len() + trace.migrations.len();
        assert!(switches + marks > 0, "step {step}");
    }
}

#[test]
fn no_two_tasks_have_one_name() {
    // Both workloads call theirs hog 0 to hog 3; the command line tells them apart in the same way.
    let link = "m=q6600&k=6.18&g=A(weight=300);B;C(in=B)\
        &w=hogs(count=4,in=A);hogs(count=4,in=C)&dur=300ms";
    let (session, run) = session(link);
    let names: Vec<&str> = run.tasks.iter().map(|t| &*t.comm).collect();
    assert_eq!(names.len(), 8, "{names:?}");
    assert_eq!((names[3], names[7]), ("hog 3", "hog 3#7"), "{names:?}");
    let mut told = Vec::new();
    for (cpu, lane) in run.trace.lanes.iter().enumerate() {
        for index in 0..lane.len() {
            let switch = lane.switch(index).expect("there");
            let explained = session.explained(cpu as u16, (About::Pick, switch.at_ns));
            if let Some(Decision::Pick(pick)) = explained.map(|e| e.decision) {
                assert!(
                    pick.before.is_none() || pick.before != pick.taken,
                    "{pick:?}"
                );
                told.extend(pick.before);
                told.extend(pick.taken);
            }
        }
    }
    assert!(told.iter().any(|name| name.ends_with("#7")), "{told:?}");
}
