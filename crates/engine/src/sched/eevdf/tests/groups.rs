//! Two groups on one CPU: A, which runs, and B, whose only task wakes.

use super::*;
use crate::sched::decision::PreemptWhy;
use crate::sched::eevdf::charge;

struct Seed {
    w: World,
    a: GroupId,
    b: GroupId,
    tasks: Vec<TaskId>,
    wakee: TaskId,
}

/// How the case differs from the plain one.
#[derive(Clone, Copy, Debug)]
struct Case {
    weight: u64,
    slices: [Option<u64>; 2],
    ran: u64,
    buddy: bool,
    hz: u32,
}

const PLAIN: Case = Case {
    weight: 128 << 10,
    slices: [Some(20 * MS), Some(8 * MS)],
    ran: MS,
    buddy: true,
    hz: 250,
};

/// A's three tasks are queued and one runs; one that runs first sleeps while it is eligible, which makes A the root's
/// buddy. A has an eighth of B's shares and all of its load here: it weighs what a group of equal shares does that is as
/// busy on eight CPUs.
fn seed(column: &str, case: Case) -> Seed {
    let mut w = World::at_hz(column, case.hz);
    let [a, b] = [case.weight >> 10, 1024].map(|shares| w.s.new_group(GroupId::default(), shares));
    let mut member = |group, slice| {
        let task = w.task_of(Policy::Normal, 0, group);
        w.s.set_slice(task, slice);
        task
    };
    let tasks: Vec<_> = (0..3).map(|_| member(a, case.slices[0])).collect();
    let wakee = member(b, case.slices[1]);
    for task in &tasks {
        w.s.activate_task(*task, true);
    }
    let mut seed = Seed {
        w,
        a,
        b,
        tasks,
        wakee,
    };
    seed.w.schedule();
    if case.buddy {
        seed.w.block();
    }
    seed.w.after(case.ran);
    seed
}

impl Seed {
    fn entity(&self, group: GroupId) -> (Virtual, i64) {
        let q = self.w.s.group_cfs_rq(group, CPU);
        let se = self.w.s.cfs(q).se.expect("below the root");
        (*self.w.s.eevdf.se(se), self.w.s.se(se).vruntime)
    }

    /// The group that is the root's buddy.
    fn buddy(&self) -> Option<GroupId> {
        let next = self.w.s.cfs(ROOT).next?;
        let q = self.w.s.se(next).my_q?;
        Some(self.w.s.cfs(q).group)
    }
}

#[test]
fn h1_to_h4_the_buddy_that_a_sleeper_leaves_takes_the_cpu_back() {
    for (column, preempts) in [
        ("6.18", true),
        ("7.0", false),
        ("tip-2026-04", false),
        ("seed", true),
    ] {
        let mut c = seed(column, PLAIN);
        assert_eq!(c.buddy(), Some(c.a), "H1 {column}");
        let verdict = c.w.wake(c.wakee);
        assert_eq!(verdict.yes, preempts, "H2 {column}: {verdict:?}");
        let buddy = (column != "seed").then_some(c.a);
        assert_eq!(c.buddy(), buddy, "H3 {column}");
        if preempts {
            let next = c.w.schedule();
            let expected = if column == "seed" {
                c.wakee
            } else {
                c.tasks[2]
            };
            assert_eq!(next, Some(expected), "H4 {column}");
        } else {
            assert_eq!(verdict.why, PreemptWhy::BuddyFirst, "{column}");
        }
    }
}

#[test]
fn h5_h6_the_wait_ends_when_a_task_of_a_blocks_or_its_protection_does() {
    let mut c = seed("tip-2026-04", PLAIN);
    assert!(!c.w.wake(c.wakee).yes);
    let (own, vruntime) = c.entity(c.a);
    let wall = ((own.vprot - vruntime) * own.weight as i64) >> 20;
    assert_eq!(wall, 8_000_000, "H5");
    c.w.after(1);
    assert_eq!(c.w.block(), Some(c.wakee), "H6");
}

#[test]
fn h7_to_h9_what_decides_beside_the_buddy() {
    for column in ["tip-2026-04", "seed"] {
        let equal = Case {
            slices: [None, None],
            ..PLAIN
        };
        let mut c = seed(column, equal);
        assert!(!c.w.wake(c.wakee).yes, "H7 {column}");
        let unmarked = Case {
            buddy: false,
            ..PLAIN
        };
        let mut c = seed(column, unmarked);
        assert!(c.w.wake(c.wakee).yes, "H8 {column}");
        let late = Case {
            ran: 19_050 * US,
            ..PLAIN
        };
        let mut c = seed(column, late);
        assert!(!c.w.wake(c.wakee).yes, "H9 {column}");
    }
}

#[test]
fn h11_h12_the_patch_leaves_the_mark_of_a_third_group() {
    let mut c = seed("seed", PLAIN);
    let third = c.w.s.new_group(GroupId::default(), 1024);
    let task = c.w.task_of(Policy::Normal, 0, third);
    c.w.s.set_slice(task, Some(20 * MS));
    c.w.s.activate_task(task, true);
    let q = c.w.s.group_cfs_rq(third, CPU);
    c.w.s.cfs_mut(ROOT).next = c.w.s.cfs(q).se;
    assert!(c.w.wake(c.wakee).yes, "H11");
    assert_eq!(c.buddy(), Some(third), "H11");
    assert_eq!(c.w.schedule(), Some(task), "H12");
}

#[test]
fn h13_h14_slices_of_groups_and_who_is_eligible_at_the_wakeup() {
    let mut c = seed("tip-2026-04", PLAIN);
    assert_eq!(c.entity(c.a).0.slice, 20 * MS, "H13");
    c.w.s.activate_task(c.wakee, true);
    assert_eq!(c.entity(c.b).0.slice, 8 * MS, "H13");
    let _ = charge::update_curr(&mut c.w.s, ROOT);
    for group in [c.a, c.b] {
        let (_, vruntime) = c.entity(group);
        assert!(avg::vruntime_eligible(&c.w.s, ROOT, vruntime), "H14");
    }
}

/// The wakee wakes; how long it waits if the thread of A never blocks and the first tick comes after `phase`, in ns.
fn waits(case: &mut Seed, phase: u64, tick: u64) -> u64 {
    let woken = case.w.now;
    if case.w.wake(case.wakee).yes {
        case.w.schedule();
    }
    let mut next = woken + phase;
    while case.w.s.rq[0].curr != Some(case.wakee) && case.w.now - woken < 60 * MS {
        (case.w.now, next) = (next, next + tick);
        if case.w.tick() {
            case.w.schedule();
        }
    }
    case.w.now - woken
}

#[test]
fn h10_late_in_a_long_slice_only_the_tick_ends_the_wait() {
    for column in ["tip-2026-04", "seed"] {
        let late = Case {
            ran: 19_050 * US,
            ..PLAIN
        };
        let wait = waits(&mut seed(column, late), 500 * US, 4 * MS);
        assert_eq!(wait, 4_500 * US, "H10 {column}");
    }
}

/// The longest and the mean wait, us, and the share of wakees that did not wait, in thousandths: forty points in a slice
/// of A, sixteen of a tick.
fn sweep(column: &str, case: Case) -> (u64, u64, u64) {
    let (slice, tick) = (
        case.slices[0].unwrap_or(2_800_000),
        1_000_000_000 / u64::from(case.hz),
    );
    let mut all = Vec::new();
    for i in 0..40 {
        for j in 0..16 {
            let case = Case {
                ran: (2 * i + 1) * slice / 80,
                ..case
            };
            all.push(waits(
                &mut seed(column, case),
                (2 * j + 1) * tick / 32,
                tick,
            ));
        }
    }
    let at_once = all.iter().filter(|wait| **wait == 0).count() as u64;
    let (most, sum) = (all.iter().max(), all.iter().sum::<u64>());
    (
        most.map_or(0, |most| most / US),
        sum / 640 / US,
        at_once * 1000 / 640,
    )
}

#[test]
fn l1_what_the_patch_does_to_the_wait() {
    let plain = Case {
        slices: [None, None],
        ..PLAIN
    };
    let thousand = Case { hz: 1000, ..PLAIN };
    let heavy = Case {
        weight: 1024 << 10,
        ..PLAIN
    };
    for (column, case, told) in [
        ("tip-2026-04", plain, (6625, 3393, 0)),
        ("seed", plain, (6625, 3393, 0)),
        ("6.18", PLAIN, (4625, 2025, 0)),
        ("tip-2026-04", PLAIN, (11_875, 8400, 0)),
        ("seed", PLAIN, (4625, 125, 950)),
        ("seed", heavy, (11_625, 2400, 600)),
        ("tip-2026-04", thousand, (8968, 6900, 0)),
        ("seed", thousand, (1718, 50, 950)),
    ] {
        assert_eq!(sweep(column, case), told, "L1 {column} {case:?}");
    }
}

/// The weight of a group of which so much load is on this CPU, with `queued` tasks, and so much on the others.
fn weight_of_group(queued: usize, elsewhere: u64) -> u64 {
    let mut w = World::new("7.1");
    let group = w.s.new_group(GroupId::default(), 1024);
    for _ in 0..queued {
        let task = w.task_of(Policy::Normal, 0, group);
        w.s.activate_task(task, true);
    }
    let q = w.s.group_cfs_rq(group, CPU);
    // What is there is this CPU's: nobody else has brought any.
    w.s.groups[group.0 as usize].load += elsewhere;
    let se = w.s.cfs(q).se.expect("below the root");
    w.s.update_cfs_group(se);
    w.s.eevdf.se(se).weight
}

#[test]
fn j1_to_j4_a_group_weighs_its_part_of_the_shares() {
    assert_eq!(weight_of_group(1, 7168), 131_072, "J1");
    assert_eq!(weight_of_group(1, 0), 1_048_576, "J2");
    assert_eq!(weight_of_group(3, 1024), 786_432, "J3");
    assert_eq!(weight_of_group(1, 1 << 40), 2, "J4");
}
