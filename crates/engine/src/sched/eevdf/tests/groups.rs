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
#[derive(Clone, Copy)]
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
/// buddy. A weighs an eighth of its shares, as a group does that is as busy on eight CPUs.
fn seed(column: &str, case: Case) -> Seed {
    let mut w = World::at_hz(column, case.hz);
    let [a, b] = [0, 1].map(|_| w.s.new_group(GroupId::default(), 1024));
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
    seed.weigh(case.weight);
    seed.w.schedule();
    if case.buddy {
        seed.w.block();
    }
    seed.weigh(case.weight);
    seed.w.after(case.ran);
    seed
}

impl Seed {
    /// A's entity gets that weight, with the deadline and the protection that go with it: the machine's other CPUs,
    /// which would carry the rest, are not there.
    fn weigh(&mut self, weight: u64) {
        self.w.s.fixture().group_due(self.a, CPU, |v, own| {
            let old = own.weight as i64;
            let rescale = |to: i64| *v + (to - *v) * old / weight as i64;
            own.deadline = rescale(own.deadline);
            own.vprot = rescale(own.vprot);
            own.weight = weight;
        });
        self.w.s.groups[self.a.0 as usize].load = 1_000_000;
        self.w.s.groups[self.a.0 as usize].shares = weight >> 10;
    }

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
