//! The behaviour averages of 2.6.31 and 2.6.32, in the kernel's order of steps (section 8; cfs/T131 … T133
//! stand beside the formula).

use super::{CPU, MS, Tree, World};
use crate::sched::rq::Averages;

const M: i64 = MS as i64;

#[test]
fn a_new_task_is_taken_for_one_that_never_wakes_others() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.plain_sleeper();
    let expected = Averages {
        avg_wakeup: 4 * M,
        ..Averages::default()
    };
    assert_eq!(w.se(p).avg, expected);
}

#[test]
fn a_waker_is_sampled_from_its_last_wakeup_else_from_when_it_was_woken() {
    let mut w = World::new(Tree::V32, 8);
    let waker = w.running(0);
    w.advance(MS);
    let _ = w.tick();
    w.s.record_wakeup_by(waker);
    let avg = w.se(waker).avg;
    assert_eq!(avg.avg_wakeup, 4 * M + ((M - 4 * M) >> 3));
    assert_eq!(avg.last_wakeup, MS);
    w.advance(MS);
    w.s.record_wakeup_by(waker);
    let again = w.se(waker).avg;
    assert_eq!(
        again.last_wakeup, MS,
        "nobody charged it: the second millisecond is not seen"
    );
    assert_eq!(
        again.avg_wakeup,
        avg.avg_wakeup + ((0 - avg.avg_wakeup) >> 3)
    );
}

#[test]
fn overlap_is_sampled_at_sleep_as_of_the_last_charge() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.advance(MS);
    let _ = w.tick();
    w.s.record_wakeup_by(p);
    w.advance(MS / 2);
    let _ = w.tick();
    w.advance(MS / 2);
    w.s.deactivate_task(p, true);
    let avg = w.se(p).avg;
    assert_eq!(
        avg.avg_overlap,
        (M / 2) >> 3,
        "the second half is charged only afterwards"
    );
    assert_eq!(avg.last_wakeup, 0);
    assert_eq!(w.se(p).sum_exec, 2 * MS);
}

#[test]
fn who_sleeps_without_having_woken_anybody_drifts_to_the_granularity() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.s.fixture().averages(p, Averages::default());
    w.s.deactivate_task(p, true);
    assert_eq!(w.se(p).avg.avg_wakeup, (4 * M) >> 3);
    w.s.activate_task(p, false);
    w.s.deactivate_task(p, false);
    assert_eq!(w.se(p).avg.avg_wakeup, (4 * M) >> 3, "a move is no sleep");
}

#[test]
fn a_preempted_task_overlaps_by_its_run_as_last_charged_at_most_a_millisecond() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.advance(3 * MS);
    let _ = w.tick();
    w.advance(MS);
    w.s.put_prev_task(CPU);
    let avg = w.se(p).avg;
    assert_eq!(avg.avg_overlap, M >> 3, "3 ms, cut to twice migration_cost");
    assert_eq!(
        avg.avg_running,
        (3 * M) >> 3,
        "the fourth is charged only afterwards"
    );
    assert_eq!(w.se(p).sum_exec, 4 * MS);
}

#[test]
fn avg_running_exists_since_rc1_and_a_sleep_counts_as_a_run_of_nothing() {
    for (tree, expected) in [(Tree::V31, 0), (Tree::Rc1, 109_375)] {
        let mut w = World::new(tree, 8);
        let p = w.running(0);
        w.advance(MS);
        let _ = w.block();
        assert_eq!(w.se(p).avg.avg_running, expected, "{tree:?}");
    }
}

#[test]
fn a_wakeup_starts_the_count_anew() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.advance(MS);
    let _ = w.block();
    w.s.activate_task(p, true);
    assert_eq!(w.se(p).avg.start_runtime, MS);
}

#[test]
fn the_first_wakeup_is_sampled_from_when_the_waker_was_woken_itself() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.advance(MS);
    let _ = w.block();
    w.s.activate_task(p, true);
    assert_eq!(w.schedule().task, Some(p));
    w.advance(MS / 2);
    let _ = w.tick();
    w.s.record_wakeup_by(p);
    let sample = M / 2;
    assert_eq!(w.se(p).avg.avg_wakeup, 4 * M + ((sample - 4 * M) >> 3));
}
