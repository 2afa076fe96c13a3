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

#[test]
fn in_6_5_the_running_task_is_put_and_set_and_a_waiting_one_has_to_pass_the_check() {
    // cfs-checked C6.
    let mut w = World::new(Tree::L65, 8);
    let p = w.running(0);
    let near = w.waiting(0, -2 * MS as i64);
    let far = w.waiting(5, -20 * MS as i64);
    w.advance(MS);
    w.s.set_nice(p, Nice::new(-5));
    assert!(!w.need_resched(), "it runs and became heavier");
    assert_eq!(w.se(p).prev_sum_exec, MS, "its slice starts anew");
    assert_eq!(w.vruntime(p), MS as i64);
    w.s.set_nice(near, Nice::new(-1));
    assert!(!w.need_resched(), "heavier, but within the granularity");
    w.s.set_nice(far, Nice::new(-1));
    assert!(w.need_resched(), "21 ms left of the running task");
    assert_eq!(w.marks().0, Some(far));
}

#[test]
fn in_6_5_a_running_task_that_became_lighter_gives_way_unless_it_is_alone() {
    let mut w = World::new(Tree::L65, 8);
    let p = w.running(0);
    w.s.set_nice(p, Nice::new(1));
    assert!(!w.need_resched());
    w.waiting(0, 0);
    w.s.set_nice(p, Nice::new(2));
    assert!(w.need_resched());
}
