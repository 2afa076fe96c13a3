//! HRTICK and DOUBLE_TICK (section 18).

use super::{CPU, MS, Tree, World};
use crate::sched::decision::TickWhy;
use crate::sched::features::Feature;
use crate::time::Instant;

fn two_hogs() -> World {
    let mut w = World::new(Tree::V32, 8).set(Feature::Hrtick, true);
    w.waiting_at([0, 0]);
    let _ = w.schedule();
    w
}

fn armed(w: &World) -> Option<u64> {
    w.s.rq[0].hrtick
}

#[test]
fn a_pick_arms_it_for_the_slice_and_the_tick_stands_back() {
    let mut w = two_hogs();
    assert_eq!(armed(&w), Some(9_995_122));
    w.advance(20 * MS);
    assert_eq!(w.tick().why, TickWhy::HrtickArmed);
    let mut w = two_hogs().set(Feature::DoubleTick, true);
    w.advance(20 * MS);
    assert_eq!(w.tick().why, TickWhy::SliceExpired);
}

#[test]
fn it_fires_without_a_look_and_schedule_disarms_it() {
    let mut w = two_hogs();
    let first = w.curr();
    w.advance(1);
    let tick = w.s.hrtick_fire(CPU);
    assert_eq!((tick.resched, tick.why), (true, TickWhy::HrtickFired));
    assert!(w.need_resched() && armed(&w).is_none());
    assert_ne!(w.schedule().task, first);
    assert_eq!(armed(&w), Some(9_995_123));
    w.s.begin_schedule(CPU);
    assert_eq!(armed(&w), None);
}

#[test]
fn few_tasks_rearm_it_when_one_comes_or_goes() {
    let mut w = two_hogs();
    w.advance(MS);
    let third = w.waiting(0, 50 * MS as i64);
    assert_eq!(armed(&w), Some(6_664_495), "1 ms of 6.66 is used up");
    w.s.deactivate_task(third, false);
    assert_eq!(armed(&w), Some(9_995_122));
    for _ in 0..2 {
        w.waiting(0, 50 * MS as i64);
    }
    let before = armed(&w);
    w.advance(MS / 2);
    w.waiting(0, 50 * MS as i64);
    assert_eq!(armed(&w), before, "not with nr_latency or more");
}

#[test]
fn a_slice_that_is_over_when_it_is_rearmed_ends_at_once() {
    let mut w = two_hogs();
    w.advance(8 * MS);
    assert!(!w.need_resched());
    w.waiting(0, 50 * MS as i64);
    assert!(w.need_resched(), "8 ms are more than a third of 20");
}

#[test]
fn nobody_arms_it_for_a_lone_task_or_without_the_feature() {
    let mut w = World::new(Tree::V32, 8).set(Feature::Hrtick, true);
    w.running(0);
    assert_eq!(armed(&w), None);
    let mut w = two_hogs().set(Feature::Hrtick, false);
    let _ = w.schedule();
    assert_eq!(armed(&w), None);
}

#[test]
fn a_task_about_to_run_gets_ten_microseconds_at_least() {
    let mut w = World::new(Tree::V32, 8).set(Feature::Hrtick, true);
    w.s.tunables.sched_latency = 100_000;
    w.waiting(19, 0);
    w.waiting(0, 1);
    w.s.update_rq_clock(CPU, Instant(5));
    let _ = w.s.pick_next_task(CPU);
    assert_eq!(armed(&w), Some(10_005), "its slice is 1.4 µs");
}

fn two_hogs_of_6_5(far: i64) -> World {
    let mut w = World::new(Tree::L65, 8).set(Feature::Hrtick, true);
    w.waiting_at([0, far]);
    let _ = w.schedule();
    w
}

#[test]
fn in_6_5_a_slice_that_is_over_at_a_pick_leaves_it_to_the_tick() {
    // cfs-checked C1.
    let mut w = two_hogs_of_6_5(100);
    assert_eq!(armed(&w), Some(11_999_994));
    let first = w.curr();
    w.advance(12 * MS);
    let _ = w.s.hrtick_fire(CPU);
    assert_eq!(w.schedule().task, first, "the other is far right");
    assert_eq!(armed(&w), None, "6 ns beyond its slice already");
    assert!(!w.need_resched(), "schedule() takes the request back");
    w.advance(4 * MS);
    assert_eq!(
        w.tick().why,
        TickWhy::SliceExpired,
        "so that the tick looks"
    );
}

#[test]
fn in_6_5_whom_it_is_for_counts_all_tasks_of_the_cpu() {
    let mut w = World::new(Tree::L65, 8).set(Feature::Hrtick, true);
    let group = w.s.new_group(crate::sched::rq::GroupId(0), 1024);
    let p = w.sleeper(crate::task::Policy::Normal, 0, group);
    w.s.activate_task(p, true);
    let _ = w.schedule();
    assert_eq!(armed(&w), None);
    w.waiting(0, 0);
    assert!(armed(&w).is_some(), "alone in its group, not on the CPU");
}
