//! 7.3: one queue of tasks for each CPU, and its rules for shorter slices. Ids are those of the section on 7.3.

use super::*;
use crate::sched::decision::PreemptWhy;
use crate::sched::eevdf::flat;
use crate::sched::tunables::PreemptModel;

const M: i64 = MS as i64;

fn vprot(column: &str, states: &[State]) -> i64 {
    let (w, t) = World::flat(column, states, true);
    w.own(t[0]).vprot
}

#[test]
fn p1_to_p3_protected_while_eligible_if_a_shorter_slice_waits() {
    let curr = (0, 0, 50 * M, Some(50 * MS));
    let other = |vruntime| (0, vruntime, vruntime + 500_000, Some(500 * US));
    assert_eq!(vprot("7.1", &[curr, other(2 * M)]), 500_000, "P1");
    assert_eq!(vprot("7.3", &[curr, other(2 * M)]), 2_000_001, "P1");
    assert_eq!(vprot("7.3", &[curr, other(-M)]), -999_999, "P2");
    let equal = [curr, (0, -M, 49 * M, Some(50 * MS))];
    for column in &ALL[2..] {
        assert_eq!(vprot(column, &equal), 50 * M, "P3 {column}");
    }
}

#[test]
fn without_preempt_short_it_is_protected_for_the_shorter_slice() {
    let mut w = World::new("7.3").feature(Feature::PreemptShort, false);
    let states = [
        (0, 0, 50 * M, Some(50 * MS)),
        (0, 2 * M, 3 * M, Some(500 * US)),
    ];
    let t = w.fill(&states, true);
    assert_eq!(w.own(t[0]).vprot, 500_000);
}

/// A lone task asks nobody: without parity and with a slice that is not the unscaled base one its own vruntime is the
/// average.
#[test]
fn alone_it_is_protected_up_to_where_it_is() {
    let mut w = World::new("7.3").feature(Feature::RunToParity, false);
    let t = w.fill(&[(0, 7 * M, 57 * M, Some(50 * MS))], true);
    assert_eq!(w.own(t[0]).vprot, 7 * M + 1);
}

/// W runs with a long slice and little left of it when a shorter one wakes; so does a third task that is due earlier.
fn short_wakes(column: &str, third: bool, pick_buddy: bool) -> (World, Vec<TaskId>, Preempt) {
    let mut w = World::new(column).feature(Feature::PickBuddy, pick_buddy);
    let states = [(0, 0, M, Some(20 * MS)), (0, 0, M / 2, Some(8 * MS))];
    let states = if third { &states[..] } else { &states[..1] };
    let mut t = w.fill(states, true);
    let p = w.sleeper(0, Some(8 * MS));
    t.insert(1, p);
    let verdict = w.wake(p);
    (w, t, verdict)
}

#[test]
fn w1_w2_a_shorter_slice_preempts_if_it_is_eligible_and_is_next() {
    let (_, _, verdict) = short_wakes("7.1", false, true);
    assert_eq!(verdict.why, PreemptWhy::CurrDeadline, "W1");
    for third in [false, true] {
        let (w, t, verdict) = short_wakes("7.3", third, true);
        assert_eq!(verdict.why, PreemptWhy::ShortSlice, "W1, W2");
        let next = w.s.cfs(ROOT).next.and_then(|se| w.s.se(se).task);
        assert_eq!(next, Some(t[1]), "W1, W2");
    }
    let (mut w, t, _) = short_wakes("7.3", true, true);
    assert_eq!(w.schedule(), Some(t[1]), "W2");
    let (mut w, t, _) = short_wakes("7.3", true, false);
    assert_eq!(w.schedule(), Some(t[2]), "W2, NO_PICK_BUDDY");
}

#[test]
fn a_still_shorter_slice_that_is_next_stays_so() {
    let (mut w, _, _) = short_wakes("7.3", false, true);
    w.s.tunables.preempt = PreemptModel::Full;
    w.s.resched(CPU);
    let first = w.s.cfs(ROOT).next;
    for (slice, stays) in [(9 * MS, true), (8 * MS, false)] {
        let p = w.sleeper(0, Some(slice));
        // A request is pending: it is asked about all the same.
        assert_eq!(w.wake(p).why, PreemptWhy::ShortSlice);
        assert_eq!(w.s.cfs(ROOT).next == first, stays, "{slice}");
    }
    let mut w = w.feature(Feature::PreemptShort, false);
    let p = w.sleeper(0, Some(MS));
    assert_eq!(w.wake(p).why, PreemptWhy::AlreadyPending);
}

/// A wakeup that is not even asked about shortens the protection of who runs; it counts from the average.
#[test]
fn every_no_shortens_the_protection() {
    for (column, left) in [("7.1", 50 * M), ("7.3", 2_800_000 - 2 * M)] {
        let mut w = World::new(column);
        let t = w.fill(&[(0, 0, 50 * M, Some(50 * MS))], true);
        let other = w.sleeper(0, Some(50 * MS));
        w.s.activate_task(other, true);
        w.s.fixture().protect(t[0]);
        w.after(4 * MS);
        let batch = w.task_of(Policy::Batch, 0, GroupId::default());
        assert_eq!(w.wake(batch).why, PreemptWhy::NotNormal);
        let from = w.vruntime(t[0]);
        assert_eq!(from, 4 * M);
        // W + w: the average of 4, 0 and, placed there, 2 ms.
        assert_eq!(w.average(), 2 * M);
        assert_eq!(
            w.own(t[0]).vprot - if left > 4 * M { 0 } else { from },
            left,
            "{column}"
        );
    }
}

/// By then it would be owed time, which is forgotten: it goes where the running task is.
#[test]
fn a_delayed_task_is_placed_by_the_average_of_now() {
    for (column, average) in [("7.1", 0), ("7.3", 4 * M)] {
        let states = [(0, 0, 50 * M, Some(50 * MS)), (0, 0, 50 * M, Some(50 * MS))];
        let (mut w, t) = World::flat(column, &states, true);
        w.set(t[1], |_, own| own.vlag = 0);
        w.s.fixture().delayed(t[1]);
        w.after(4 * MS);
        w.s.requeue_delayed_task(t[1]);
        assert_eq!(w.average(), average, "{column}");
    }
}

fn part(w: &World, task: TaskId) -> u64 {
    flat::h_weight(&w.s, w.s.tasks[task.index()].se)
}

fn members(w: &mut World, group: GroupId, count: usize) -> Vec<TaskId> {
    let new = |_| {
        let task = w.task_of(Policy::Normal, 0, group);
        w.s.activate_task(task, true);
        task
    };
    (0..count).map(new).collect()
}

#[test]
fn g1_to_g3_parts_of_the_weights_above() {
    let mut w = World::new("7.3");
    let a = w.s.new_group(GroupId(0), 1024);
    let tasks = members(&mut w, a, 3);
    assert!(tasks.iter().all(|task| part(&w, *task) == 349_525), "G1");
    assert_eq!(w.own(tasks[2]).weight, 349_525, "G1: the last to come");
    let mut w = World::new("7.3");
    let a = w.s.new_group(GroupId(0), 1024);
    let b = w.s.new_group(a, 1024);
    let beside = members(&mut w, a, 1)[0];
    let below = members(&mut w, b, 2);
    assert_eq!(part(&w, beside), 524_288, "G2");
    assert!(below.iter().all(|task| part(&w, *task) == 262_144), "G2");
    let mut w = World::new("7.3");
    let a = w.s.new_group(GroupId(0), 2);
    let tasks = members(&mut w, a, 4096);
    assert_eq!(part(&w, tasks[0]), 2, "G3");
}

/// The group's first tasks still have its weight when the others have come.
#[test]
fn what_a_waiting_task_weighs_may_be_out_of_date() {
    let mut w = World::new("7.3");
    let a = w.s.new_group(GroupId(0), 1024);
    let tasks = members(&mut w, a, 3);
    let weights = |w: &World| [0, 1, 2].map(|i| w.own(tasks[i]).weight);
    assert_eq!(weights(&w), [1_048_576, 524_288, 349_525]);
    assert_eq!(w.schedule(), Some(tasks[0]));
    assert_eq!(
        weights(&w),
        [349_525, 524_288, 349_525],
        "as it comes to run"
    );
    let more = members(&mut w, a, 1)[0];
    assert_eq!(weights(&w), [349_525, 524_288, 349_525]);
    w.after(4 * MS);
    w.tick();
    assert_eq!(weights(&w), [262_144, 524_288, 349_525], "at its tick");
    w.s.set_nice(more, Nice::new(5));
    assert_eq!(w.own(more).weight, 1_048_576 * 335 / (3 * 1024 + 335));
    let queue = w.s.group_cfs_rq(a, CPU);
    assert_eq!(w.s.eevdf.q(queue).weight(), (3 * 1024 + 335) << 10);
    assert_eq!(w.s.eevdf.q(queue).nr(), 0, "nobody competes in the group");
    let group = w.s.cfs(queue).se.expect("below the root");
    assert_eq!(w.s.se(group).vruntime, 0);
}

/// A running task that weighs anew keeps what it is owed, what it has left and its protection in time.
#[test]
fn a_task_that_weighs_anew_keeps_its_times() {
    let mut w = World::new("7.3");
    let a = w.s.new_group(GroupId(0), 1024);
    let beside = members(&mut w, GroupId(0), 1)[0];
    let tasks = members(&mut w, a, 1);
    for task in [beside, tasks[0]] {
        w.set(task, |v, own| (*v, own.deadline) = (0, 2_800_000));
    }
    w.set(beside, |v, _| *v = 1);
    assert_eq!(w.schedule(), Some(tasks[0]));
    w.after(1_000_000);
    let more = members(&mut w, a, 1)[0];
    assert_eq!(w.own(tasks[0]).weight, 1_048_576, "not yet");
    let lag = |w: &World| w.average() - w.vruntime(tasks[0]);
    let left = |w: &World| w.own(tasks[0]).deadline - w.vruntime(tasks[0]);
    let (before, time) = (lag(&w), left(&w));
    w.tick();
    assert_eq!(w.own(tasks[0]).weight, 524_288);
    assert_eq!((lag(&w), left(&w)), (2 * before, 2 * time));
    assert_eq!(w.own(tasks[0]).vprot, w.own(tasks[0]).deadline);
    assert_eq!(w.own(more).weight, 524_288);
}

/// Who runs for how long, of the tasks of one group or of two, with slices of their own; each ms.
fn turns(column: &str, groups: [usize; 3], slices: [u64; 3]) -> Vec<usize> {
    let mut w = World::at_hz(column, 1000);
    let made = [0, 1].map(|_| w.s.new_group(GroupId::default(), 1024));
    let tasks: Vec<TaskId> = groups
        .iter()
        .zip(slices)
        .map(|(group, slice)| {
            let task = w.task_of(Policy::Normal, 0, made[*group]);
            w.s.set_slice(task, Some(slice));
            task
        })
        .collect();
    for task in &tasks {
        w.s.activate_task(*task, true);
    }
    let mut turns = alloc::vec![0; 3];
    w.schedule();
    for _ in 0..12_000 {
        w.now += MS;
        if w.tick() {
            w.schedule();
        }
        let running = w.s.rq[0].curr.expect("nobody sleeps");
        let at = tasks.iter().position(|task| *task == running);
        turns[at.expect("one of them")] += 1;
    }
    turns
}

/// The same three hogs: in one group a third each, in two a half and two quarters. What groups get is the same whether
/// tasks compete in one queue or on levels.
#[test]
fn groups_share_alike_in_one_queue_and_on_levels() {
    for column in ["7.1", "7.3"] {
        for (groups, expected) in [
            ([0, 0, 0], [4000, 4000, 4000]),
            ([0, 0, 1], [3000, 3000, 6000]),
        ] {
            let got = turns(column, groups, [3 * MS; 3]);
            let near = got
                .iter()
                .zip(expected)
                .all(|(is, should)| is.abs_diff(should) <= 30);
            assert!(near, "{column}: {groups:?} {got:?}");
        }
    }
}

/// Two tasks that wake and one that computes. In one group the wakee with the short slice meets the running task
/// itself; in two groups 7.1 compares the groups, each with the shortest slice below it: the running task's companion
/// keeps the wakee off. 7.3 compares the tasks in either case.
#[test]
fn in_two_groups_7_1_compares_groups_and_7_3_tasks() {
    let verdict = |column, two: bool| {
        let mut w = World::new(column);
        let [a, b] = [0, 1].map(|_| w.s.new_group(GroupId::default(), 1024));
        let mut member = |group, slice| {
            let task = w.task_of(Policy::Normal, 0, group);
            w.s.set_slice(task, Some(slice));
            task
        };
        let hog = member(a, 20 * MS);
        let companion = member(a, 4 * MS);
        let p = member(if two { b } else { a }, 8 * MS);
        for task in [hog, companion] {
            w.s.activate_task(task, true);
        }
        while w.schedule() != Some(hog) {
            w.after(3 * MS);
            w.tick();
        }
        w.after(100 * US);
        w.wake(p).why
    };
    assert_eq!(verdict("7.1", false), PreemptWhy::ShortSlice);
    assert_eq!(verdict("7.1", true), PreemptWhy::CurrProtected);
    assert_eq!(verdict("7.3", false), PreemptWhy::ShortSlice);
    assert_eq!(verdict("7.3", true), PreemptWhy::ShortSlice);
}

/// `7.3/up/a_hogs3_b12`: a slice of 12 ms is over when 12 ms are charged. A run begins a little after a tick, so that
/// the third tick after it comes too early, and the fourth ends it.
#[test]
fn a_slice_of_three_ticks_lasts_four() {
    let mut w = World::new("7.3").feature(Feature::Hrtick, false);
    w.s.tunables.base_slice = 12 * MS;
    for _ in 0..3 {
        let task = w.sleeper(0, None);
        w.s.activate_task(task, true);
    }
    let mut runs = Vec::new();
    let mut since = 5 * US;
    w.after(since);
    w.schedule();
    for tick in 1..=12 {
        w.now = tick * 4 * MS;
        if w.tick() {
            w.after(5 * US);
            w.schedule();
            runs.push((w.now - since) / MS);
            since = w.now;
        }
    }
    assert_eq!(runs, [16, 16, 16]);
}

/// `7.3/up/h_cg_root_mix`: what waits still weighs its part from before the sleeper of its group woke.
#[test]
fn parts_are_out_of_date_beside_a_sleeper_that_woke() {
    let mut w = World::new("7.3");
    let a = w.s.new_group(GroupId(0), 3072);
    let hogs = members(&mut w, a, 2);
    let r = members(&mut w, GroupId(0), 1)[0];
    let slp = w.task_of(Policy::Normal, 0, a);
    let mut ran = Vec::new();
    while hogs.iter().chain([&r]).any(|task| !ran.contains(task)) {
        ran.extend(w.schedule());
        w.after(4 * MS);
        w.tick();
    }
    let _ = w.wake(slp);
    let weights = [hogs[0], hogs[1], slp, r].map(|task| w.own(task).weight);
    assert_eq!(weights, [1_572_864, 1_572_864, 1_048_575, 1_048_576]);
}
