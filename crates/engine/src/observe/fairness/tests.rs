//! By hand, where every figure is known.

use super::*;
use crate::observe::event::Cause;
use crate::observe::test_events::{self, fork, wakeup};
use crate::sched::decision::MigrateWhy;
use PrevState::{Exited, Runnable, Sleeping};

/// Slices of 10 ns: a window is a microsecond.
const SLICE: u64 = 10;
const WINDOW: u64 = 1_000;

/// Two CPUs; tasks of weight 1 in the root group, or as said.
fn watch(of: &[(Option<u64>, u32)]) -> Fairness {
    Fairness::new(Claims {
        cpus: 2,
        slice: Nanos(SLICE),
        constant: true,
        of: of
            .iter()
            .map(|(weight, group)| Claim {
                weight: *weight,
                group: GroupId(*group),
            })
            .collect(),
    })
}

fn switch(cpu: u16, prev: Option<u32>, state: PrevState, next: Option<u32>) -> Event {
    test_events::switch(cpu, (prev, state, Cause::Tick), next)
}

fn migrate(task: u32, from: u16, to: u16) -> Event {
    Event::Migrate {
        task: TaskId(task),
        from: CpuId(from),
        to: CpuId(to),
        why: MigrateWhy::ALL[0],
    }
}

fn play(mut fairness: Fairness, events: &[(u64, Event)], end: u64) -> Verdict {
    for (at, event) in events {
        fairness.record(Instant(*at), event);
    }
    fairness.verdict(Instant(end))
}

/// Who is furthest off, where, the window's begin, what it had and what it should have had.
fn worst(verdict: &Verdict) -> (u32, u16, u64, u64, u64) {
    let worst = verdict.worst.expect("there is a window");
    assert_eq!(worst.to.since(worst.from), Nanos(WINDOW));
    (
        worst.task.0,
        worst.cpu.0,
        worst.from.0,
        worst.received.0,
        worst.ideal.0,
    )
}

const EQUAL: (Option<u64>, u32) = (Some(1024), 0);

#[test]
fn two_that_take_turns_deviate_by_what_one_is_ahead_at_the_ends() {
    // 300 and 200 ns in turn, so that a window of two turns of each has 600 and 400.
    let mut events = vec![
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, switch(0, None, Runnable, Some(0))),
    ];
    for turn in 0..8 {
        let at = turn * 500;
        events.push((at + 300, switch(0, Some(0), Runnable, Some(1))));
        events.push((at + 500, switch(0, Some(1), Runnable, Some(0))));
    }
    let verdict = play(watch(&[EQUAL, EQUAL]), &events, 4_000);
    assert_eq!(worst(&verdict), (0, 0, 0, 600, 500));
    // Of 401 multiples of the slice, 0 among them, all but the last 100 begin a window.
    assert_eq!(verdict.windows, 2 * 301);
}

#[test]
fn weights_divide_the_time() {
    let events = [
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, switch(0, None, Runnable, Some(0))),
        (750, switch(0, Some(0), Runnable, Some(1))),
        (1_000, switch(0, Some(1), Runnable, Some(0))),
    ];
    let three_to_one = [(Some(3), 0), (Some(1), 0)];
    let verdict = play(watch(&three_to_one), &events, 1_010);
    // From 10 to 1010 it is the same again: 740 + 10 of 1000.
    assert_eq!(verdict.windows, 4);
    assert_eq!(worst(&verdict), (0, 0, 0, 750, 750));
    let verdict = play(watch(&[EQUAL, EQUAL]), &events, 1_010);
    assert_eq!(worst(&verdict), (0, 0, 0, 750, 500));
}

#[test]
fn whoever_sleeps_in_it_has_no_window_and_shares_while_it_is_awake() {
    let events = [
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, switch(0, None, Runnable, Some(1))),
        // It sleeps after 200 and wakes for 100 more, which it has at once.
        (200, switch(0, Some(1), Sleeping, Some(0))),
        (600, wakeup(1, 0)),
        (600, switch(0, Some(0), Runnable, Some(1))),
        (700, switch(0, Some(1), Sleeping, Some(0))),
    ];
    let verdict = play(watch(&[EQUAL, EQUAL]), &events, 1_000);
    assert_eq!(verdict.windows, 1, "of task 0");
    // It had 700 of 1000; of 200 and 100, half were its own.
    assert_eq!(worst(&verdict), (0, 0, 0, 700, 700 + 150));
    let verdict = play(watch(&[EQUAL, EQUAL]), &events, 999);
    assert_eq!((verdict.windows, verdict.worst), (0, None));
}

#[test]
fn windows_go_on_over_moves_and_each_cpu_is_judged_by_itself() {
    let events = [
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, fork(2, 1)),
        (0, switch(0, None, Runnable, Some(0))),
        (0, switch(1, None, Runnable, Some(2))),
        (400, migrate(1, 0, 1)),
        (400, switch(1, Some(2), Runnable, Some(1))),
    ];
    let verdict = play(watch(&[EQUAL, EQUAL, EQUAL]), &events, 1_000);
    // Task 1 had nothing of the first 400, then all of the 600 of which task 2 had nothing: 200 less, 300 more. Task 0
    // had 200 more than its half; task 2, alone at first, has 300 less.
    assert_eq!(worst(&verdict), (2, 1, 0, 400, 400 + 300));
    assert_eq!(verdict.windows, 3);
}

#[test]
fn time_of_others_is_not_shared_out() {
    // Task 2 is of another group, task 3 in real time: what they take is taken from both alike.
    let of = [EQUAL, EQUAL, (Some(15), 1), (None, 0)];
    let events = [
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, fork(2, 0)),
        (0, fork(3, 0)),
        (0, switch(0, None, Runnable, Some(0))),
        (100, switch(0, Some(0), Runnable, Some(2))),
        (500, switch(0, Some(2), Runnable, Some(3))),
        (900, switch(0, Some(3), Exited, Some(1))),
        (1_000, switch(0, Some(1), Runnable, Some(2))),
    ];
    let verdict = play(watch(&of), &events, 1_000);
    assert_eq!(verdict.windows, 3, "the one in real time has none");
    assert_eq!(verdict.worst.map(|worst| worst.ahead()), Some(0));
}

#[test]
fn one_that_is_alone_has_all_that_it_should() {
    let events = [(0, fork(0, 0)), (3, switch(0, None, Runnable, Some(0)))];
    let verdict = play(watch(&[EQUAL]), &events, 1_000_000);
    assert_eq!(verdict.worst.map(|worst| worst.ahead()), Some(0));
    // The first multiple of the slice at which it is there is 0, where it was forked.
    assert_eq!(verdict.windows, 1_000_000 / SLICE - SLICES + 1);
}

#[test]
fn nobody_is_judged_by_a_nice_value_that_changes() {
    let mut fairness = watch(&[EQUAL, EQUAL]);
    fairness.claims.constant = false;
    let events = [
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, switch(0, None, Runnable, Some(0))),
    ];
    let verdict = play(fairness, &events, 5_000);
    assert_eq!(
        (verdict.judged, verdict.windows, verdict.worst),
        (false, 0, None)
    );
}
