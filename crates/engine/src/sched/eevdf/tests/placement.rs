//! Where entities come back to, lag limits, deadlines.

use super::*;
use crate::sched::eevdf::placement::place_entity;
use crate::sched::eevdf::{charge, queue};
use crate::sched::entity::Dequeue;

fn se(w: &World, task: TaskId) -> crate::sched::rq::EntityId {
    w.s.tasks[task.index()].se
}

#[test]
fn c1_to_c3_first_deadlines() {
    for (column, slice, first) in [
        ("6.6", 3_000_000, 3_000_000),
        ("6.12", 3_000_000, 1_500_000),
        ("tip-2026-04", 2_800_000, 1_400_000),
    ] {
        let mut w = World::new(column);
        let task = w.sleeper(0, None);
        w.s.activate_task(task, true);
        assert_eq!(w.own(task).deadline, slice, "C1 {column}");
        let mut w = World::new(column);
        let task = w.sleeper(0, None);
        let _ = w.s.wake_up_new_task(task, CPU);
        assert_eq!(w.own(task).deadline, first, "C2 {column}");
    }
    let mut w = World::new("tip-2026-04");
    let task = w.sleeper(5, None);
    w.s.activate_task(task, true);
    assert_eq!(w.own(task).deadline - w.vruntime(task), 8_558_805, "C3");
}

#[test]
fn c4_to_c8_lag_is_kept_by_going_further_the_lighter_the_others_are() {
    let ms = MS as i64;
    for column in ALL {
        let place = |others: &[State], lag: i64| {
            let (mut w, t) = World::flat(column, others, !others.is_empty());
            let task = w.sleeper(0, None);
            w.set(task, |_, own| own.vlag = lag);
            (w, t, task)
        };
        let lone = [(0, 0, 9 * ms, None)];
        let (mut w, _, task) = place(&lone, ms);
        w.s.activate_task(task, true);
        assert_eq!(w.vruntime(task), -2 * ms, "C4 {column}");
        let got = (w.average(), w.average() - w.vruntime(task));
        assert_eq!(got, (-ms, ms), "C5 {column}");
        let (mut w, _, task) = place(&[(0, 0, 9 * ms, None); 3], -3 * ms);
        w.s.activate_task(task, true);
        assert_eq!(w.vruntime(task), 4 * ms, "C6 {column}");
        let (mut w, t, task) = place(&lone, 100_000);
        w.set(t[0], |_, own| own.weight = 128 << 10);
        w.s.activate_task(task, true);
        assert_eq!(w.vruntime(task), -900_000, "C7 {column}");
        let (mut w, _, task) = place(&[], 5 * ms);
        w.s.activate_task(task, true);
        assert_eq!(w.vruntime(task), 0, "C8 {column}");
    }
}

#[test]
fn c9_c10_a_task_that_moves_keeps_lag_and_deadline() {
    let ms = MS as i64;
    for column in &ALL[1..] {
        let states = [(0, ms, 3 * ms, None), (0, 2 * ms, 4 * ms, None)];
        let (mut w, t) = World::flat(column, &states, false);
        let b = se(&w, t[1]);
        queue::dequeue_task(&mut w.s, t[1], Dequeue::Move, false);
        let own = w.own(t[1]);
        let got = (own.vlag, own.deadline, own.rel_deadline);
        assert_eq!(got, (-500_000, 2 * ms, true), "C9 {column}");
        place_entity(&mut w.s, ROOT, b, false);
        let got = (w.vruntime(t[1]), w.own(t[1]).deadline);
        assert_eq!(got, (2 * ms, 4 * ms), "C10 {column}");
    }
}

#[test]
fn c11_to_c13_lag_limits() {
    let ms = MS as i64;
    let lag = |column, hz, slice| {
        let mut w = World::at_hz(column, hz);
        let t = w.fill(&[(0, 0, 9 * ms, None), (0, 40 * ms, 50 * ms, slice)], false);
        avg::entity_lag(&w.s, ROOT, se(&w, t[0]))
    };
    assert_eq!(lag("6.12", 250, None), 6_000_000, "C11");
    for column in ["7.0", "tip-2026-04"] {
        assert_eq!(lag(column, 250, Some(20 * MS)), 20_000_000, "C12");
    }
    assert_eq!(lag("tip-2026-04", 1000, None), 3_800_000, "C13");
}

#[test]
fn c14_c15_a_deadline_is_renewed_from_where_the_entity_is() {
    for column in ["tip-2026-04", "7.1"] {
        let states = [(0, 2_799_998, 2_800_000, None), (0, 0, 9 * MS as i64, None)];
        let (mut w, t) = World::flat(column, &states, true);
        w.after(1);
        let _ = charge::update_curr(&mut w.s, ROOT);
        assert_eq!(w.own(t[0]).deadline, 2_800_000, "C14 {column}: a ns early");
        w.after(1);
        let _ = charge::update_curr(&mut w.s, ROOT);
        assert_eq!(w.own(t[0]).deadline, 5_600_000, "C14 {column}: on time");
        let (mut w, t) = World::flat(column, &[(0, 0, 2_800_000, None)], true);
        w.after(7 * MS);
        let _ = charge::update_curr(&mut w.s, ROOT);
        assert_eq!(w.own(t[0]).deadline, 9_800_000, "C15 {column}");
    }
}
