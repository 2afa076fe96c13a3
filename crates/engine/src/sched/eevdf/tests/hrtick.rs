//! The timer of 7.1, set to the deadline.

use super::*;

/// Worked example `eevdf/K11`: weight, vruntime left, and what the timer is set to.
#[test]
fn k11_the_timer_is_set_to_the_deadline_and_to_ten_microseconds_at_least() {
    let set_to = |weight: u64, left: i64| {
        let states = [(0, 0, left, None), (0, 0, 8_000_000, None)];
        let (mut w, tasks) = World::flat("7.1", &states, true);
        w.s.fixture().reweight(tasks[0], weight << 10);
        w.set(tasks[0], |vruntime, own| {
            (*vruntime, own.deadline) = (0, left);
        });
        crate::sched::fair::hrtick_start(&mut w.s, CPU, tasks[0]);
        w.s.rq[0].hrtick.map(|at| at - w.s.rq[0].clock)
    };
    assert_eq!(set_to(1024, 2_800_000), Some(2_800_000), "K11");
    assert_eq!(set_to(128, 8_000_000), Some(1_000_000), "K11");
    assert_eq!(set_to(1024, 3_000), Some(10_000), "K11");
}
