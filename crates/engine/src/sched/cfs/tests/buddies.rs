//! Who is picked when buddies are marked, and what is left of the marks (cfs/T70 … T82).

use super::{CPU, MS, Tree, World};
use crate::sched::decision::PickWhy;
use crate::sched::features::Feature;
use crate::task::{Policy, TaskId};
use alloc::string::String;
use alloc::vec::Vec;

/// The columns of the table; D24 once without and once with `NEXT_BUDDY`.
const COLUMNS: [(Tree, bool); 8] = [
    (Tree::V31, false),
    (Tree::Rc1, false),
    (Tree::C92f6, false),
    (Tree::D24, false),
    (Tree::D24, true),
    (Tree::F685, false),
    (Tree::L32, false),
    (Tree::L65, false),
];

/// A world with a wakeup granularity of 4 ms and A, B, C … waiting at those ms.
fn world(column: (Tree, bool), waiting: &[f64]) -> (World, Vec<TaskId>) {
    let mut w = World::new(column.0, 8).set(Feature::NextBuddy, column.1);
    w.s.tunables.wakeup_granularity = 4 * MS;
    let at = waiting.iter().map(|ms| (ms * 1e6) as i64);
    let tasks = at.map(|v| w.waiting(0, v)).collect();
    (w, tasks)
}

/// Picks and says `picked → next,last`, in letters.
fn picked(w: &mut World, tasks: &[TaskId]) -> String {
    let letter = |task: Option<TaskId>| {
        let at = task.and_then(|task| tasks.iter().position(|t| *t == task));
        at.map_or('–', |i| char::from(b'A' + i as u8))
    };
    let pick = letter(w.schedule().task);
    let (next, last) = w.marks();
    alloc::format!("{pick} → {},{}", letter(next), letter(last))
}

/// Picks from A, B, C at those ms with the marks given by letter, in every column.
fn row(waiting: &[f64], next: Option<usize>, last: Option<usize>) -> [String; 8] {
    COLUMNS.map(|column| {
        let (mut w, tasks) = world(column, waiting);
        let task = |i: usize| tasks[i];
        w.s.fixture().buddies(CPU, next.map(task), last.map(task));
        picked(&mut w, &tasks)
    })
}

#[test]
fn t71_both_buddies_are_near() {
    let row = row(&[100., 98., 95.], Some(1), Some(0));
    let expected = [
        "B → –,A",
        "B → –,–",
        "B → –,A",
        "C → B,A",
        "B → –,A",
        "B → –,A",
        "B → –,A",
        "B → –,A",
    ];
    assert_eq!(row, expected, "cfs/T71");
}

#[test]
fn t72_the_last_buddy_is_nearer() {
    let row = row(&[97., 98., 95.], Some(1), Some(0));
    let expected = [
        "B → –,A",
        "B → –,–",
        "B → –,A",
        "A → B,–",
        "B → –,A",
        "A → B,–",
        "B → –,A",
        "B → –,A",
    ];
    assert_eq!(row, expected, "cfs/T72");
}

#[test]
fn t73_both_buddies_are_far() {
    let row = row(&[105., 104., 95.], Some(1), Some(0));
    let expected = [
        "C → B,A",
        "C → –,–",
        "C → –,–",
        "C → B,A",
        "C → B,A",
        "C → B,A",
        "C → B,A",
        "C → B,A",
    ];
    assert_eq!(row, expected, "cfs/T73");
}

#[test]
fn t74_only_the_last_buddy_is_near() {
    let row = row(&[97., 104., 95.], Some(1), Some(0));
    let expected = [
        "A → B,–",
        "A → –,–",
        "A → –,–",
        "A → B,–",
        "A → B,–",
        "A → B,–",
        "A → B,–",
        "A → B,–",
    ];
    assert_eq!(row, expected, "cfs/T74");
}

#[test]
fn t75_t76_the_granularity_itself_is_near_enough() {
    let picks = |at: f64| row(&[at, 200., 95.], None, Some(0));
    assert!(
        picks(99.).iter().all(|p| p.as_str() == "A → –,–"),
        "cfs/T75"
    );
    let expected = [
        "C → –,A",
        "C → –,–",
        "C → –,–",
        "C → –,A",
        "C → –,A",
        "C → –,A",
        "C → –,A",
        "C → –,A",
    ];
    assert_eq!(picks(99.000_001), expected, "cfs/T76");
}

#[test]
fn t79_only_de69a80b_forgets_the_last_buddy_when_the_next_is_chosen() {
    let lasts = [Tree::Rc1, Tree::C92f6].map(|tree| {
        let (mut w, tasks) = world((tree, true), &[97., 98., 95.]);
        w.s.fixture().buddies(CPU, Some(tasks[1]), Some(tasks[0]));
        assert_eq!(w.schedule().why, PickWhy::NextBuddy);
        w.marks().1.is_some()
    });
    assert_eq!(lasts, [false, true], "cfs/T79");
}

#[test]
fn t79b_a_surviving_mark_hogs_later() {
    let later = COLUMNS.map(|column| {
        let (mut w, mut tasks) = world(column, &[105., 104., 95.]);
        w.s.fixture().buddies(CPU, Some(tasks[1]), Some(tasks[0]));
        assert_eq!(w.schedule().task, Some(tasks[2]));
        w.s.fixture().vruntime(tasks[2], 102 * MS as i64);
        tasks.push(w.waiting(0, 101 * MS as i64));
        picked(&mut w, &tasks).chars().next().expect("a letter")
    });
    assert_eq!(later, ['B', 'D', 'D', 'A', 'B', 'A', 'B', 'B'], "cfs/T79b");
}

/// S runs at 100 ms and wakes R1 to 85 and R2 to 86 ms.
fn multicast(tree: Tree, gran: u64) -> (World, [TaskId; 3]) {
    let mut w = World::new(tree, 8);
    w.s.tunables.wakeup_granularity = gran * MS;
    let sender = w.running(0);
    w.s.fixture().vruntime(sender, 100 * MS as i64);
    let receivers = [w.plain_sleeper(), w.plain_sleeper()];
    for (r, ms) in receivers.into_iter().zip([85, 86]) {
        let _ = w.wake_at(r, ms * MS as i64, false);
    }
    (w, [sender, receivers[0], receivers[1]])
}

/// The order in which they run, each going to sleep at once.
fn order_of(w: &mut World) -> [Option<TaskId>; 3] {
    let first = w.schedule().task;
    [first, w.block().task, w.block().task]
}

#[test]
fn t80_in_2_6_31_the_sender_of_a_multicast_resumes_early() {
    let (mut w, [s, r1, r2]) = multicast(Tree::V31, 20);
    assert_eq!(order_of(&mut w), [Some(r2), Some(s), Some(r1)], "cfs/T80");
}

#[test]
fn t81_in_rc1_it_waits_for_all_receivers() {
    let (mut w, [s, r1, r2]) = multicast(Tree::Rc1, 4);
    assert_eq!(order_of(&mut w), [Some(r1), Some(r2), Some(s)], "cfs/T81");
}

#[test]
fn t82_in_rc1_with_the_old_granularity_it_is_elected_again_at_once() {
    let (mut w, [s, ..]) = multicast(Tree::Rc1, 20);
    assert_eq!(w.marks(), (None, Some(s)));
    let pick = w.schedule();
    assert_eq!(
        (pick.task, pick.why),
        (Some(s), PickWhy::LastBuddy),
        "cfs/T82"
    );
    assert_eq!(w.marks(), (None, None), "cfs/T82");
}

/// A small generator: every state of the brute force comes from its number alone.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[test]
fn t70_without_a_next_buddy_92f6a5e3_is_de69a80b() {
    let mut worlds = [Tree::Rc1, Tree::C92f6].map(|tree| world((tree, false), &[0.; 6]));
    let mut dice = Dice(70);
    for state in 0..200_000 {
        let at: [i64; 6] = core::array::from_fn(|_| dice.roll(9_000_000) as i64);
        let last = [None, Some(dice.roll(6) as usize)][dice.roll(4).min(1) as usize];
        let results = worlds.each_mut().map(|(w, tasks)| {
            for (task, v) in tasks.iter().zip(at) {
                w.s.fixture().vruntime(*task, v);
            }
            w.s.fixture().buddies(CPU, None, last.map(|i| tasks[i]));
            (w.schedule(), w.marks())
        });
        assert_eq!(
            results[0], results[1],
            "cfs/T70, state {state}: {at:?} {last:?}"
        );
    }
}

#[test]
fn sched_idle_tasks_are_nobodys_buddies() {
    let mut w = World::new(Tree::V31, 8);
    let curr = w.running(0);
    let idle = w.sleeper(Policy::Idle, 0, crate::sched::rq::GroupId::default());
    let verdict = w.wake_at(idle, -100 * MS as i64, false);
    assert!(!verdict.yes);
    assert_eq!(w.marks(), (None, Some(curr)));
}

#[test]
fn a_buddy_that_leaves_is_none_any_more() {
    let (mut w, tasks) = world((Tree::V31, false), &[1., 2.]);
    w.s.fixture().buddies(CPU, Some(tasks[1]), Some(tasks[1]));
    w.s.deactivate_task(tasks[1], false);
    assert_eq!(w.marks(), (None, None));
}

#[test]
fn candidates_tell_why_each_was_not_taken() {
    use crate::sched::{Role, Verdict};
    let (mut w, tasks) = world((Tree::D24, false), &[105., 98., 95.]);
    w.s.fixture().buddies(CPU, Some(tasks[1]), Some(tasks[0]));
    let rows: Vec<_> = w.s.pick_candidates(CPU).collect();
    let told: Vec<_> = rows.iter().map(|r| (r.role, r.verdict, r.gap)).collect();
    let ms = |n| n * MS as i64;
    let expected = [
        (Role::Next, Verdict::FeatureOff, ms(3)),
        (Role::Last, Verdict::TooFar, ms(10)),
        (Role::Left, Verdict::Take, 0),
    ];
    assert_eq!(told, expected);
    assert_eq!(rows[1].limit, 4 * MS);
}

#[test]
fn before_it_was_a_feature_the_next_buddy_was_looked_at_always() {
    use crate::sched::profile::{Base, DeltaSet, Kernel};
    let mut w = World::with(&Kernel::compose(Base::V2_6_31, DeltaSet::of(&[24])), 8);
    let [a, _] = w.waiting_at([3, 0]);
    w.s.fixture().buddies(CPU, Some(a), None);
    assert_eq!(w.schedule().why, PickWhy::NextBuddy);
}

/// C has yielded and is leftmost: who is picked, and is the mark still there?
fn skipped(tree: Tree, a: f64, b: f64) -> (char, bool) {
    let (mut w, tasks) = world((tree, false), &[a, b, 95.]);
    w.s.fixture().skip(CPU, Some(tasks[2]));
    let pick = picked(&mut w, &tasks).chars().next().expect("a letter");
    (pick, w.s.cfs_rq[0].skip.is_some())
}

#[test]
fn t77_t78_who_has_yielded_is_skipped_unless_the_second_is_too_far() {
    for tree in [Tree::L32, Tree::L65] {
        assert_eq!(skipped(tree, 97., 98.), ('A', true), "cfs/T77 {tree:?}");
        assert_eq!(skipped(tree, 100., 101.), ('C', false), "cfs/T78 {tree:?}");
    }
}

#[test]
fn in_6_5_the_running_task_competes_and_equals_go_before_it() {
    let mut w = World::new(Tree::L65, 8);
    let curr = w.running(0);
    let [other] = w.waiting_at([5]);
    w.advance(5 * MS - 1);
    let pick = w.schedule();
    assert_eq!((pick.task, pick.why), (Some(curr), PickWhy::Leftmost));
    assert_eq!(w.se(curr).prev_sum_exec, 0, "its slice goes on");
    w.advance(1);
    assert_eq!(w.schedule().task, Some(other));
    assert_eq!(w.se(curr).sum_exec, 5 * MS);
}
