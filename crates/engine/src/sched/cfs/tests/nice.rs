//! Changing the nice value of a task (`set_user_nice`).

use super::{CPU, MS, Tree, World};
use crate::task::Nice;

#[test]
fn a_waiting_task_keeps_its_vruntime_and_changes_its_weight() {
    let mut w = World::new(Tree::V32, 8);
    w.running(0);
    let p = w.waiting(0, 7 * MS as i64);
    w.s.set_nice(p, Nice::new(5));
    assert_eq!(w.se(p).load.weight, 335);
    assert_eq!(w.vruntime(p), 7 * MS as i64);
    assert_eq!((w.s.rq[0].load, w.s.cfs_rq[0].load), (1359, 1359));
    assert!(!w.need_resched(), "it became lighter and does not run");
    w.s.set_nice(p, Nice::new(-5));
    assert!(w.need_resched(), "it became heavier");
}

#[test]
fn the_running_task_is_charged_at_its_old_weight_first() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.advance(MS);
    w.s.set_nice(p, Nice::new(5));
    assert_eq!(w.vruntime(p), MS as i64);
    assert!(w.need_resched(), "it runs and became lighter");
    w.advance(MS);
    let _ = w.tick();
    assert_eq!(w.vruntime(p), (MS + 3_056_716) as i64);
    assert_eq!(w.se(p).prev_sum_exec, 0, "its slice goes on");
}

#[test]
fn nothing_happens_to_the_same_value_and_little_to_a_sleeper() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.s.fixture().buddies(CPU, None, Some(p));
    w.s.set_nice(p, Nice::default());
    assert_eq!(w.marks().1, Some(p));
    let sleeper = w.plain_sleeper();
    w.s.set_nice(sleeper, Nice::new(-20));
    assert_eq!(w.se(sleeper).load.weight, 88_761);
    assert_eq!(w.s.rq[0].load, 1024);
    assert!(!w.need_resched());
}

#[test]
fn a_queued_task_loses_its_marks() {
    let mut w = World::new(Tree::V32, 8);
    let p = w.running(0);
    w.s.fixture().buddies(CPU, None, Some(p));
    w.s.set_nice(p, Nice::new(1));
    assert_eq!(w.marks(), (None, None));
}
