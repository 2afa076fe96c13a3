//! Does a wakee preempt? One queue.

use super::*;
use crate::sched::decision::PreemptWhy;

/// C has run that long when W wakes.
fn pair(w: &mut World, slices: [Option<u64>; 2], ran: u64) -> [TaskId; 2] {
    let c = w.sleeper(0, slices[0]);
    let p = w.sleeper(0, slices[1]);
    w.s.activate_task(c, true);
    w.schedule();
    w.after(ran);
    [c, p]
}

fn woken(column: &str, slices: [Option<u64>; 2], ran: u64) -> (World, [TaskId; 2], Preempt) {
    let mut w = World::new(column);
    let t = pair(&mut w, slices, ran);
    let verdict = w.wake(t[1]);
    (w, t, verdict)
}

const LONG_SHORT: [Option<u64>; 2] = [Some(20 * MS), Some(8 * MS)];

fn left(w: &World, task: TaskId) -> i64 {
    w.own(task).vprot - w.vruntime(task)
}

#[test]
fn g1_g4_g5_equal_slices_do_not_preempt() {
    for column in ALL {
        let (w, [c, _], verdict) = woken(column, [None, None], MS);
        assert!(!verdict.yes, "G1 {column}");
        if ["6.18", "tip-2026-04"].contains(&column) {
            assert_eq!(left(&w, c), 1_800_000, "G4, G5 {column}");
        }
    }
}

#[test]
fn g2_g3_g6_a_shorter_slice_does_if_its_deadline_is_earlier() {
    for column in &ALL[1..] {
        let (_, _, verdict) = woken(column, LONG_SHORT, MS);
        assert!(verdict.yes, "G2 {column}");
    }
    for column in ["6.18", "tip-2026-04"] {
        let (w, [c, _], verdict) = woken(column, LONG_SHORT, 13 * MS);
        assert_eq!(
            (verdict.yes, left(&w, c)),
            (false, 7_000_000),
            "G3 {column}"
        );
        let (_, _, verdict) = woken(column, [Some(8 * MS), Some(20 * MS)], MS);
        assert!(!verdict.yes, "G6 {column}");
    }
}

#[test]
fn g7_g8_policies() {
    for column in ALL {
        let mut w = World::new(column);
        let c = w.sleeper(0, Some(8 * MS));
        let batch = w.task_of(Policy::Batch, 0, GroupId::default());
        w.s.set_slice(batch, Some(2 * MS));
        w.s.activate_task(c, true);
        w.schedule();
        w.after(MS);
        assert_eq!(w.wake(batch).why, PreemptWhy::NotNormal, "G7 {column}");
        let mut w = World::new(column);
        let idle = w.task_of(Policy::Idle, 0, GroupId::default());
        let normal = w.sleeper(0, None);
        w.s.activate_task(idle, true);
        w.schedule();
        w.after(10 * US);
        assert_eq!(
            w.wake(normal).why,
            PreemptWhy::CurrIdlePolicy,
            "G8 {column}"
        );
    }
}

#[test]
fn g9_g10_new_tasks() {
    for column in ["6.6", "6.12", "6.18", "tip-2026-04"] {
        let mut w = World::new(column);
        let [_, child] = pair(&mut w, [None, None], MS);
        w.clock();
        assert!(!w.s.wake_up_new_task(child, CPU).yes, "G9 {column}");
    }
    let mut w = World::new("7.0");
    let [_, child] = pair(&mut w, [Some(20 * MS), Some(4 * MS)], MS);
    w.clock();
    let verdict = w.s.wake_up_new_task(child, CPU);
    assert_eq!(verdict.why, PreemptWhy::ShortSlice, "G10");
}

#[test]
fn g11_to_g13_buddies() {
    let tip = || World::new("tip-2026-04").feature(Feature::NextBuddy, true);
    let sync = WakeFlags {
        sync: true,
        fork: false,
    };
    let mut w = tip();
    let [_, p] = pair(&mut w, [None, None], MS);
    assert_eq!(w.wake_with(p, sync).why, PreemptWhy::SyncGoesOn, "G11");
    let next = w.s.cfs(ROOT).next.and_then(|se| w.s.se(se).task);
    assert_eq!(next, Some(p), "G11");
    let mut w = tip();
    let [_, p] = pair(&mut w, [None, None], MS);
    assert_eq!(w.wake(p).why, PreemptWhy::Picked, "G12");
    let (w, _, verdict) = woken("tip-2026-04", [None, None], MS);
    assert_eq!((verdict.yes, w.s.cfs(ROOT).next), (false, None), "G13");
    let mut w = tip();
    let c = w.fill(&[(0, 0, 9 * MS as i64, Some(9 * MS))], true)[0];
    let p = w.sleeper(0, Some(9 * MS));
    w.set(p, |_, own| own.vlag = 2 * MS as i64);
    w.after(600 * US);
    let verdict = w.wake_with(p, sync);
    assert!(w.own(p).deadline < w.own(c).deadline, "G14: earlier");
    assert_eq!(verdict.why, PreemptWhy::SyncGoesOn, "G14");
}

/// The pick of a wakeup passes over buddies until 6.19: it is the protection that keeps the running task, though
/// `schedule()` would take the wakee that was just marked.
#[test]
fn a_lost_wakeup_tells_what_its_own_pick_took() {
    for (column, why) in [
        ("6.18", PreemptWhy::CurrProtected),
        ("7.0", PreemptWhy::Picked),
    ] {
        let mut w = World::new(column).feature(Feature::NextBuddy, true);
        let [_, p] = pair(&mut w, [None, None], MS);
        assert_eq!(w.wake(p).why, why, "{column}");
        assert!(w.s.cfs(ROOT).next.is_some(), "{column}");
    }
}

#[test]
fn h15_a_sleeper_in_front_hides_the_wakee_until_the_pick_lets_it_go() {
    let m = MS as i64;
    for (column, preempts) in [("tip-2026-04", false), ("seed", false), ("7.1", true)] {
        let states = [
            (0, 0, 20 * m, Some(20 * MS)),
            (0, -m / 10, m, Some(20 * MS)),
        ];
        let (mut w, t) = World::flat(column, &states, true);
        w.set(t[1], |_, own| own.vlag = -1);
        w.s.fixture().delayed(t[1]);
        let p = w.sleeper(0, Some(8 * MS));
        let verdict = w.wake(p);
        assert_eq!(
            (verdict.yes, w.on_rq(t[1])),
            (preempts, !preempts),
            "H15 {column}"
        );
    }
}
