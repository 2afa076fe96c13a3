//! What ends slices: ticks (cfs/T40 … T59), and the shares that come of it (T10).

use super::{MS, Tree, World};
use crate::sched::decision::TickWhy;
use crate::sched::features::Feature;
use crate::sched::profile::{Base, DeltaId, DeltaSet, Kernel};
use crate::sched::rules::TickMissed;
use crate::task::TaskId;
use crate::time::Hz;
use alloc::vec::Vec;

/// The times (ms) of the first `count` reschedules that the tick asks for, and of those that switched.
fn reschedules(w: &mut World, hz: u32, count: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut asked, mut switched) = (Vec::new(), Vec::new());
    while asked.len() < count {
        w.advance(Hz(hz).period().0);
        assert_eq!(w.now % MS, 0, "ticks are whole milliseconds apart");
        if w.tick().resched {
            asked.push(w.now / MS);
            let prev = w.curr();
            if w.schedule().task != prev {
                switched.push(w.now / MS);
            }
        }
    }
    (asked, switched)
}

/// When the tick first asks for a reschedule with `nr` nice-0 hogs, ms.
fn first_of_hogs(tree: Tree, cpus: usize, hz: u32, nr: usize) -> u64 {
    let mut w = World::new(tree, cpus);
    for _ in 0..nr {
        w.waiting(0, 0);
    }
    let _ = w.schedule();
    reschedules(&mut w, hz, 1).0[0]
}

#[test]
fn t40_to_t52_a_slice_ends_at_the_first_tick_beyond_it() {
    // rc1 is ".32 without the D23 clause".
    let cases = [
        ("T44", Tree::V31, 8, 1000, 3, 27),
        ("T44", Tree::Rc1, 8, 1000, 3, 7),
        ("T45", Tree::V31, 8, 1000, 10, 16),
        ("T45", Tree::Rc1, 8, 1000, 10, 4),
        ("T46", Tree::V31, 1, 1000, 2, 10),
        ("T46", Tree::Rc1, 1, 1000, 2, 3),
        ("T50", Tree::V31, 8, 250, 2, 40),
        ("T50", Tree::Rc1, 8, 250, 2, 12),
        ("T51", Tree::V31, 1, 250, 3, 8),
        ("T51", Tree::Rc1, 1, 250, 3, 4),
        ("T52", Tree::V31, 8, 100, 2, 40),
        ("T52", Tree::Rc1, 8, 100, 2, 10),
        ("T44", Tree::L32, 8, 1000, 3, 8),
        ("T44", Tree::L65, 8, 1000, 3, 8),
        ("T45", Tree::L32, 8, 1000, 10, 3),
        ("T45", Tree::L65, 8, 1000, 10, 4),
        ("T46", Tree::L32, 1, 1000, 2, 4),
        ("T46", Tree::L65, 1, 1000, 2, 3),
        ("T50", Tree::L32, 8, 250, 2, 16),
        ("T50", Tree::L65, 8, 250, 2, 12),
        ("T51", Tree::L32, 1, 250, 3, 4),
        ("T51", Tree::L65, 1, 250, 3, 4),
        ("T52", Tree::L32, 8, 100, 2, 20),
        ("T52", Tree::L65, 8, 100, 2, 20),
    ];
    for (id, tree, cpus, hz, nr, ms) in cases {
        assert_eq!(first_of_hogs(tree, cpus, hz, nr), ms, "cfs/{id} {tree:?}");
    }
}

#[test]
fn t40_t41_two_hogs_take_turns() {
    let cases: [(&str, Tree, &[u64]); 4] = [
        ("T40", Tree::V31, &[40, 80, 120]),
        ("T41", Tree::Rc1, &[10, 20, 30, 40]),
        ("T42", Tree::L32, &[13, 26, 39]),
        ("T43", Tree::L65, &[12, 24, 36]),
    ];
    for (id, tree, times) in cases {
        let mut w = World::new(tree, 8);
        w.waiting(0, 0);
        w.waiting(0, 0);
        let _ = w.schedule();
        let (asked, switched) = reschedules(&mut w, 1000, times.len());
        assert_eq!(asked, times, "cfs/{id}");
        assert_eq!(switched, times, "cfs/{id}");
    }
}

/// A running task that starts at 10 ms, and one waiting at 2 ms.
fn missed(kernel: &Kernel) -> (u64, TickWhy) {
    let mut w = World::with(kernel, 8);
    let curr = w.running(0);
    w.s.fixture().vruntime(curr, 10 * MS as i64);
    w.waiting_at([2]);
    loop {
        w.advance(MS);
        let tick = w.tick();
        if tick.resched {
            return (w.now / MS, tick.why);
        }
    }
}

#[test]
fn t55_t56_the_tick_catches_a_preemption_that_the_wakeup_missed() {
    for tree in [Tree::F685, Tree::V32] {
        let got = missed(&tree.kernel());
        assert_eq!(got, (4, TickWhy::MissedPreemption), "cfs/T55");
    }
    // The rule of 2.6.31 with the tunables of 2.6.32 (D01), and with its own.
    let rule = Kernel::compose(Base::V2_6_31, Tree::V31.deltas().with(DeltaId(1), true));
    for kernel in [rule, Tree::Rc1.kernel(), Tree::C92f6.kernel()] {
        assert_eq!(missed(&kernel), (10, TickWhy::SliceExpired), "cfs/T56");
    }
    let own = missed(&Tree::V31.kernel());
    assert_eq!(own, (40, TickWhy::SliceExpired), "2.6.31 as it was");
}

/// A runs at 0, B waits at `b` ms, on 2.6.32 with that rule of the clause.
fn two_hogs(rule: TickMissed, b: i64) -> World {
    let mut kernel = Tree::V32.kernel();
    kernel.rules.tick_missed_preempt = rule;
    let mut w = World::with(&kernel, 8);
    w.waiting_at([0, b]);
    let _ = w.schedule();
    w
}

#[test]
fn t57_the_unsigned_comparison_makes_slices_of_the_left_longer() {
    let mut w = two_hogs(TickMissed::Unsigned, 5);
    assert_eq!(w.curr(), Some(TaskId(0)), "cfs/T57: A runs first");
    let (asked, switched) = reschedules(&mut w, 1000, 5);
    assert_eq!(asked, [4, 14, 18, 22, 32], "cfs/T57");
    assert_eq!(switched, [14, 32], "cfs/T57: A to B, B to A");
    assert_eq!(w.curr(), Some(TaskId(0)), "cfs/T57: A again");
}

#[test]
fn t58_compared_signed_they_take_turns() {
    let (asked, switched) = reschedules(&mut two_hogs(TickMissed::Signed, 5), 1000, 4);
    assert_eq!(asked, [10, 20, 30, 40], "cfs/T58");
    assert_eq!(switched, asked, "cfs/T58");
}

#[test]
fn t59_even_equals_are_drawn_apart() {
    let mut w = two_hogs(TickMissed::Unsigned, 0);
    assert_eq!(w.curr(), Some(TaskId(0)), "cfs/T59: A runs first");
    let (asked, switched) = reschedules(&mut w, 1000, 5);
    assert_eq!(asked, [10, 14, 18, 28, 32], "cfs/T59");
    assert_eq!(
        switched,
        [10, 28],
        "cfs/T59: A to B, and 18 ms later B to A"
    );
    assert_eq!(w.curr(), Some(TaskId(0)), "cfs/T59: A again");
}

#[test]
fn the_unsigned_clause_says_its_name() {
    let mut w = two_hogs(TickMissed::Unsigned, 5);
    w.advance(3 * MS);
    assert_eq!(w.tick().why, TickWhy::TooShort);
    w.advance(MS);
    assert_eq!(w.tick().why, TickWhy::MissedUnsigned);
}

#[test]
fn a_slice_of_exactly_its_length_and_a_gap_of_exactly_a_slice_go_on() {
    let mut w = two_hogs(TickMissed::Signed, 0);
    w.advance(9_995_122);
    assert_eq!(w.tick().why, TickWhy::SliceLeft);
    w.advance(1);
    assert_eq!(w.tick().why, TickWhy::SliceExpired);
    let mut w = two_hogs(TickMissed::Signed, 0);
    w.advance(5 * MS);
    w.s.fixture().vruntime(TaskId(1), 5 * MS as i64 - 9_995_122);
    assert_eq!(w.tick().why, TickWhy::SliceLeft);
    w.s.fixture().vruntime(TaskId(1), 5 * MS as i64 - 9_995_123);
    assert_eq!(w.tick().why, TickWhy::MissedPreemption);
}

#[test]
fn without_wakeup_preemption_the_tick_checks_a_lone_task_too_but_not_the_missed() {
    let mut w = World::new(Tree::V32, 8).set(Feature::WakeupPreempt, false);
    w.running(0);
    w.advance(20 * MS);
    assert_eq!(w.tick().why, TickWhy::SliceExpired, "its slice is 19.98 ms");
    let mut w = World::new(Tree::V32, 8);
    w.running(0);
    w.advance(20 * MS);
    assert_eq!(w.tick().why, TickWhy::Alone);
    assert_eq!(missed_without_preemption(), TickWhy::SliceLeft);
}

fn missed_without_preemption() -> TickWhy {
    let mut w = World::new(Tree::V32, 8).set(Feature::WakeupPreempt, false);
    let curr = w.running(0);
    w.s.fixture().vruntime(curr, 10 * MS as i64);
    w.waiting_at([-5]);
    w.advance(5 * MS);
    w.tick().why
}

#[test]
fn an_expired_slice_costs_the_buddy_mark() {
    let mut w = World::new(Tree::Rc1, 8);
    let [curr, _] = w.waiting_at([0, 0]);
    let _ = w.schedule();
    w.s.fixture().buddies(super::CPU, None, Some(curr));
    w.advance(9 * MS);
    assert_eq!(w.tick().why, TickWhy::SliceLeft);
    assert_eq!(w.marks().1, Some(curr));
    w.advance(MS);
    assert_eq!(w.tick().why, TickWhy::SliceExpired);
    assert_eq!(w.marks().1, None);
}

/// The share of the first of two hogs of those nice values after so many seconds of ticks at HZ 1000.
fn long_run_share(tree: Tree, first: i64, other: i64, seconds: u64) -> f64 {
    let mut w = World::new(tree, 1);
    let tasks: [TaskId; 2] = [w.waiting(first, 0), w.waiting(other, 0)];
    let _ = w.schedule();
    for _ in 0..seconds * 1000 {
        w.advance(MS);
        if w.tick().resched {
            let _ = w.schedule();
        }
    }
    w.se(tasks[0]).sum_exec as f64 / w.now as f64
}

#[test]
fn t10_long_run_shares_go_by_weight() {
    for tree in [Tree::V31, Tree::Rc1, Tree::V32, Tree::L32, Tree::L65] {
        // 1024/1359 and 1024/1844, to the four digits that 1000 s with slices of some ms can have.
        for (other, expected) in [(5, "0.7535"), (1, "0.5553")] {
            let share = long_run_share(tree, 0, other, 1000);
            let digits = alloc::format!("{share:.4}");
            assert_eq!(digits, expected, "cfs/T10 {tree:?} nice {other}");
        }
    }
}

#[test]
fn one_step_of_nice_is_55_to_45_wherever_it_is() {
    for tree in [Tree::V32, Tree::L32, Tree::L65] {
        for nice in [-20, -10, -1, 0, 5, 10, 18] {
            let share = long_run_share(tree, nice, nice + 1, 200);
            assert!(
                (share - 0.555).abs() < 0.011,
                "{tree:?} nice {nice}: {share}"
            );
        }
    }
}

/// When the tick ends the run of a nice −20 task among 40 of nice 19, ms.
fn end_of_the_heavy(tree: Tree) -> u64 {
    let mut w = World::new(tree, 8);
    w.running(-20);
    for _ in 0..40 {
        w.waiting(19, 0);
    }
    reschedules(&mut w, 1000, 1).0[0]
}

#[test]
fn t38_at_the_tick_of_6_5_no_slice_is_longer_than_the_latency() {
    assert_eq!(end_of_the_heavy(Tree::L65), 25, "cfs/T38: beyond 24 ms");
    let mut w = World::new(Tree::L65, 8);
    w.running(-20);
    for _ in 0..40 {
        w.waiting(19, 0);
    }
    w.advance(24_000_000);
    assert_eq!(w.tick().why, TickWhy::SliceLeft, "cfs/T38: 24 000 000 ns");
    w.advance(1);
    assert_eq!(w.tick().why, TickWhy::SliceExpired, "cfs/T38: and one more");
    let plain = Kernel::compose(Base::V6_1, DeltaSet::default());
    let mut w = World::with(&plain, 8);
    w.running(-20);
    for _ in 0..40 {
        w.waiting(19, 0);
    }
    assert_eq!(
        reschedules(&mut w, 1000, 1).0,
        [123],
        "6.1: beyond 122.17 ms"
    );
}

#[test]
fn a_slice_that_is_over_goes_on_being_over_when_its_task_is_picked_again() {
    // cfs-checked C3: nice 0 beside nice 19 on one CPU at HZ 250.
    let mut w = World::new(Tree::L65, 1);
    let heavy = w.running(-20);
    w.waiting(19, 1000 * MS as i64);
    let mut why = Vec::new();
    for _ in 0..4 {
        w.advance(4 * MS);
        why.push(w.tick().why);
        assert_eq!(w.schedule().task, Some(heavy));
    }
    assert_eq!(why[0], TickWhy::SliceLeft, "4 of 5.999 ms");
    assert!(
        why[1..].iter().all(|w| *w == TickWhy::SliceExpired),
        "{why:?}"
    );
}
