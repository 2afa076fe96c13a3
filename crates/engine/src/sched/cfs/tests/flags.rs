//! The reschedule request: whose it is, and what schedule() does with it.

use super::{CPU, MS, Tree, World};
use crate::sched::WakeFlags;

#[test]
fn schedule_takes_the_request_back() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.plain_sleeper();
    let _ = w.wake_at(p, 0, false);
    assert!(w.need_resched());
    assert_eq!(w.schedule().task, Some(p));
    assert!(!w.need_resched());
}

#[test]
fn a_request_made_while_a_task_leaves_waits_for_it() {
    let mut w = World::new(Tree::V31, 8);
    let p = w.running(0);
    w.s.begin_schedule(CPU);
    w.s.deactivate_task(p, true);
    // A task that idle balancing pulled is checked against the one that is leaving.
    let pulled = w.waiting(0, -100 * MS as i64);
    assert!(
        w.s.check_preempt_curr(CPU, pulled, WakeFlags::default())
            .yes
    );
    assert_eq!(
        w.marks(),
        (Some(pulled), None),
        "who leaves is nobody's last buddy"
    );
    w.s.put_prev_task(CPU);
    assert_eq!(w.s.pick_next_task(CPU).task, Some(pulled));
    assert!(!w.need_resched(), "the flag is the leaver's");
    w.s.activate_task(p, true);
    w.s.fixture().vruntime(p, -200 * MS as i64);
    assert_eq!(w.schedule().task, Some(p));
    assert!(w.need_resched(), "it shows when it runs again");
    assert_eq!(w.schedule().task, Some(p));
    assert!(!w.need_resched());
}

#[test]
fn who_goes_on_running_keeps_the_request() {
    let mut w = World::new(Tree::V31, 8);
    let [p, other] = w.waiting_at([0, 100]);
    let _ = w.schedule();
    w.s.begin_schedule(CPU);
    w.s.fixture().vruntime(other, -100 * MS as i64);
    assert!(w.s.check_preempt_curr(CPU, other, WakeFlags::default()).yes);
    w.s.fixture().vruntime(other, 100 * MS as i64);
    w.s.put_prev_task(CPU);
    assert_eq!(w.s.pick_next_task(CPU).task, Some(p));
    assert!(w.need_resched());
}

#[test]
fn the_idle_task_keeps_its_own() {
    let mut w = World::new(Tree::V31, 8);
    w.s.begin_schedule(CPU);
    let p = w.plain_sleeper();
    let _ = w.wake_at(p, 0, false);
    assert_eq!(w.s.pick_next_task(CPU).task, Some(p));
    assert!(!w.need_resched());
    assert_eq!(w.block().task, None);
    assert!(
        w.need_resched(),
        "idle finds the request that came while it was leaving"
    );
}

#[test]
fn a_clock_that_is_read_late_does_not_go_back() {
    let mut w = World::new(Tree::V32, 8);
    w.advance(MS);
    w.s.update_rq_clock(CPU, crate::time::Instant(5));
    assert_eq!(w.s.rq[0].clock, MS);
}
