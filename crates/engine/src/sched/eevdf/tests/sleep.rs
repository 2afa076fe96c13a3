//! Tasks that sleep and stay queued for what they owe.

use super::*;

/// A has run for 1 ms beside others of its kind, and sleeps.
fn sleeps(column: &str, others: usize) -> (World, TaskId, Vec<TaskId>) {
    let mut w = World::new(column);
    with_sleeper(&mut w, others)
        .map(|(a, others)| (w, a, others))
        .expect("A runs first")
}

fn with_sleeper(w: &mut World, others: usize) -> Option<(TaskId, Vec<TaskId>)> {
    let all: Vec<_> = (0..=others).map(|_| w.sleeper(0, None)).collect();
    for task in &all {
        w.s.activate_task(*task, true);
    }
    let first = w.schedule()?;
    assert_eq!(first, all[0]);
    w.after(MS);
    w.block();
    Some((all[0], all[1..].to_vec()))
}

#[test]
fn f1_f2_who_owes_stays() {
    for column in ["6.6", "6.12", "6.18", "tip-2026-04"] {
        let (w, a, _) = sleeps(column, 1);
        let stays = column != "6.6";
        let got = (w.on_rq(a), w.own(a).sched_delayed);
        assert_eq!(got, (stays, stays), "F1 {column}");
        // 6.12 keeps its protection in the same field, which nothing reads before it is set again.
        let lag = match column {
            "6.6" | "tip-2026-04" => -500_000,
            _ => 0,
        };
        assert_eq!(w.own(a).vlag, lag, "F2 {column}");
    }
}

#[test]
fn f3_the_pick_that_comes_upon_it_lets_it_go_without_gain() {
    for column in ["6.12", "6.18", "tip-2026-04"] {
        let (mut w, a, others) = sleeps(column, 1);
        w.after(3 * MS);
        assert_eq!(w.schedule(), Some(others[0]), "F3 {column}");
        let got = (w.on_rq(a), w.own(a).sched_delayed, w.own(a).vlag);
        assert_eq!(got, (false, false, 0), "F3 {column}");
        assert_eq!(w.s.nr_delayed(CPU), 0);
    }
}

#[test]
fn f4_woken_while_it_owes_it_is_where_it_was() {
    for column in ["6.12", "tip-2026-04"] {
        let (mut w, a, _) = sleeps(column, 1);
        w.after(400 * US);
        let verdict = w.wake(a);
        let got = (w.vruntime(a), w.own(a).sched_delayed, verdict.yes);
        assert_eq!(got, (1_000_000, false, false), "F4 {column}");
    }
}

#[test]
fn f5_f6_the_running_task_is_not_charged_before_it_is_placed_anew() {
    for (column, f5, f6) in [
        ("6.12", (1_000_000, 0), 1_250_000),
        ("7.0", (1_000_000, 0), 1_250_000),
        ("tip-2026-04", (1_000_000, 1_000_000), 1_000_000),
        ("7.1", (1_000_000, 0), 1_250_000),
    ] {
        let (mut w, a, _) = sleeps(column, 2);
        w.after(2_500 * US);
        let before = w.own(a).deadline;
        let _ = w.wake(a);
        let got = (w.vruntime(a), w.own(a).deadline - before);
        assert_eq!(got, f5, "F5 {column}");
        let (mut w, a, _) = sleeps(column, 2);
        w.after(2_500 * US);
        w.tick();
        let _ = w.wake(a);
        assert_eq!((w.own(a).vlag, w.vruntime(a)), (0, f6), "F6 {column}");
    }
}

#[test]
fn f7_without_delay_dequeue_the_debt_is_kept_over_the_sleep() {
    let mut w = World::new("tip-2026-04").feature(Feature::DelayDequeue, false);
    let (a, _) = with_sleeper(&mut w, 1).expect("A runs first");
    assert!(!w.on_rq(a));
    w.after(9 * MS);
    let _ = w.wake(a);
    assert_eq!(w.vruntime(a), 10_000_000, "F7");
}
