//! The same of EEVDF, whose charges tell no vruntimes: 6.12 as it was recorded, with slices of 0.7 ms.

use super::{A, B, IDLE, INIT, charge, recording, switch, two_hogs, wakeup};
use crate::replay::{Claim, Class, End, Ended, Event, FactKind, Left, Name, Recording, replay};
use crate::sched::SchedSetup;
use crate::sched::profile::Profile;
use crate::time::Hz;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

const US: i64 = 1_000;
const C: Name = Name(4);

/// A kernel that keeps vruntimes for itself.
fn bare(rows: Vec<(i64, Event)>) -> Recording {
    let kernel = Profile::by_name("6.12y").expect("a profile").kernel();
    let mut bare = recording(rows);
    bare.setup = SchedSetup::boot(kernel, 1, Hz(250));
    for row in &mut bare.rows {
        if let Event::Runtime { vruntime, .. } = &mut row.event {
            *vruntime = None;
        }
    }
    let third = bare.members[A.index()].clone();
    bare.members.push(third);
    bare
}

fn ran(task: Name, ns: i64) -> Event {
    charge(task, ns as u64, 0)
}

/// The hogs of CFS do the same here: after 4 ms each has had more than its slice, and then they are even.
#[test]
fn two_hogs_take_turns_without_vruntimes() {
    let mut rows = two_hogs();
    rows.pop();
    let facts = replay(&bare(rows));
    assert_eq!(facts.first, None);
    let right = |kind| facts.of(kind).right;
    assert_eq!((right(FactKind::Pick), right(FactKind::Tick)), (2, 2));
    assert_eq!(right(FactKind::Repick), 1, "a is beyond the average still");
    assert_eq!(facts.total().facts(), facts.total().right);
}

/// Wherever the kernel counts from.
#[test]
fn distances_and_deadlines_at_the_end_are_compared_to_the_nanosecond() {
    let mut rows = two_hogs();
    rows.pop();
    let ended = |name, vruntime: i64, deadline: i64| Ended {
        name,
        runnable: true,
        vruntime: 7_000_000_000 + vruntime,
        deadline: Some(7_000_000_000 + deadline),
    };
    // Each got its new deadline at the tick, and ran for 2 µs more.
    let mut recording = bare(rows);
    let tasks = vec![
        ended(A, 4_002_000, 4_700_000),
        ended(B, 4_000_000, 4_698_000),
    ];
    recording.end = Some(End {
        min_vruntime: None,
        tasks,
    });
    let facts = replay(&recording);
    assert_eq!((facts.of(FactKind::End).right, facts.first), (3, None));

    let end = recording.end.as_mut().expect("just set");
    end.tasks[1].deadline = Some(7_004_698_001);
    let facts = replay(&recording);
    assert_eq!(facts.of(FactKind::End).wrong, 1);
    let first = facts.first.expect("it is wrong");
    assert_eq!(first.predicted, Claim::Deadline(B, 7_004_698_000));
    assert_eq!(first.recorded, Claim::Deadline(B, 7_004_698_001));
}

/// `a` has been owed time since it slept, and is woken. When its slice is over at the wakeup of `c`, schedule() takes it
/// again, with the clock of that wakeup: no row tells. The charge as it goes to sleep does.
#[test]
fn an_answer_that_left_no_row_is_told_by_the_next_charge() {
    let rows = vec![
        (-5 * US, switch(IDLE, Left::Runnable, INIT)),
        (0, wakeup(B)),
        (5 * US, switch(INIT, Left::Gone, B)),
        (100 * US, ran(B, 100 * US)),
        (101 * US, wakeup(A)),
        (4_000 * US, Event::Tick),
        (4_001 * US, ran(B, 3_900 * US)),
        (4_003 * US, ran(B, 2 * US)),
        (4_004 * US, switch(B, Left::Runnable, A)),
        (5_003 * US, ran(A, 1_000 * US)),
        (5_004 * US, switch(A, Left::Gone, B)),
        (8_000 * US, Event::Tick),
        (8_001 * US, ran(B, 3_000 * US)),
        (8_501 * US, ran(B, 500 * US)),
        (8_502 * US, wakeup(A)),
        (8_504 * US, switch(B, Left::Runnable, A)),
        (9_301 * US, ran(A, 800 * US)),
        (9_302 * US, wakeup(C)),
        (9_306 * US, ran(A, 5 * US)),
        (9_307 * US, switch(A, Left::Gone, C)),
    ];
    let facts = replay(&bare(rows));
    assert_eq!(facts.first, None);
    let right = |kind| facts.of(kind).right;
    assert_eq!((right(FactKind::Preempt), right(FactKind::Repick)), (3, 1));
    assert_eq!(right(FactKind::Pick), 5);
}

/// A kernel thread preempts `a` in the midst of its slice: it was owed time when the trace began. That is no merit of the
/// rules.
#[test]
fn what_a_kernel_thread_was_owed_is_found_and_makes_ties() {
    let rows = vec![
        (-5 * US, switch(IDLE, Left::Runnable, INIT)),
        (0, wakeup(A)),
        (5 * US, switch(INIT, Left::Gone, A)),
        (501 * US, ran(A, 500 * US)),
        (502 * US, wakeup(C)),
        (504 * US, switch(A, Left::Runnable, C)),
        (510 * US, ran(C, 6 * US)),
        (511 * US, switch(C, Left::Gone, A)),
    ];
    let mut recording = bare(rows);
    let thread = &mut recording.members[C.index()];
    (thread.name, thread.rested, thread.class) = ("kworker/0:1:9".to_string(), true, Class::Fair);
    let facts = replay(&recording);
    assert_eq!((facts.fitted, facts.total().wrong), (1, 0));
    assert_eq!(facts.of(FactKind::Preempt).ties, 1);

    // Of a task of the scenario nothing is unknown.
    recording.members[C.index()].rested = false;
    let facts = replay(&recording);
    assert_eq!((facts.fitted, facts.total().ties), (0, 0));
    assert_eq!(facts.of(FactKind::Preempt).wrong, 1);
}
