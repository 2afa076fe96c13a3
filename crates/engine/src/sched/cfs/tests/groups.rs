//! Nested groups: every rule level by level (section 19, without the arithmetic of shares).

use super::{CPU, MS, Tree, World};
use crate::sched::decision::PreemptWhy;
use crate::sched::rq::{CfsRqId, GroupId};
use crate::sched::{Role, WakeFlags};
use crate::task::{Policy, TaskId};
use alloc::vec::Vec;

const M: i64 = MS as i64;

/// On 1 CPU: group A (weight 1024) with a1 and, below it, group C (512) with c1; group B (2048) with b1.
struct Tree3 {
    w: World,
    a: GroupId,
    c: GroupId,
    a1: TaskId,
    b1: TaskId,
    c1: TaskId,
}

fn three(tree: Tree) -> Tree3 {
    let mut w = World::new(tree, 1);
    let root = GroupId::default();
    let a = w.s.new_group(root, 1024);
    let b = w.s.new_group(root, 2048);
    let c = w.s.new_group(a, 512);
    let [a1, b1, c1] = [a, b, c].map(|group| w.sleeper(Policy::Normal, 0, group));
    Tree3 {
        w,
        a,
        c,
        a1,
        b1,
        c1,
    }
}

impl Tree3 {
    fn start(&mut self, p: TaskId) {
        self.w.s.activate_task(p, true);
    }

    /// a1, b1, c1 in this order.
    fn start_all(&mut self) {
        for p in [self.a1, self.b1, self.c1] {
            self.start(p);
        }
    }

    fn queue(&self, group: GroupId) -> CfsRqId {
        self.w.s.group_cfs_rq(group, CPU)
    }

    fn nr(&self, group: GroupId) -> u32 {
        self.w.s.cfs(self.queue(group)).nr_running
    }

    fn group_vruntime(&self, group: GroupId) -> i64 {
        let se = self
            .w
            .s
            .cfs(self.queue(group))
            .se
            .expect("a group below the root");
        self.w.s.se(se).vruntime
    }
}

#[test]
fn a_group_is_queued_with_its_first_task_and_leaves_with_its_last() {
    let mut t = three(Tree::V32);
    t.start(t.c1);
    assert_eq!([t.nr(t.c), t.nr(t.a), t.nr(GroupId::default())], [1, 1, 1]);
    assert_eq!(t.w.s.rq[0].load, 1024, "of the top group, not of its tasks");
    t.start(t.a1);
    assert_eq!([t.nr(t.c), t.nr(t.a), t.nr(GroupId::default())], [1, 2, 1]);
    assert_eq!(t.w.s.rq[0].nr_running, 2, "tasks at any depth");
    t.w.s.deactivate_task(t.c1, true);
    assert_eq!([t.nr(t.c), t.nr(t.a), t.nr(GroupId::default())], [0, 1, 1]);
    t.w.s.deactivate_task(t.a1, true);
    assert_eq!((t.nr(GroupId::default()), t.w.s.rq[0].load), (0, 0));
}

#[test]
fn a_group_that_wakes_gets_the_credit_of_a_sleeper_at_each_level() {
    let mut t = three(Tree::V32);
    t.w.s.fixture().min_vruntime(CPU, 100 * M);
    t.start(t.c1);
    assert_eq!(
        t.group_vruntime(t.a),
        97_500_000,
        "half of 5 ms left of the root's 100 ms"
    );
    assert_eq!(t.group_vruntime(t.c), -2_500_000);
    assert_eq!(
        t.w.vruntime(t.c1),
        0,
        "its own vruntime is right of the credit"
    );
}

#[test]
fn a_group_wakes_even_if_its_task_was_only_moved_there() {
    let mut t = three(Tree::V32);
    t.w.s.fixture().min_vruntime(CPU, 100 * M);
    t.w.s.activate_task(t.a1, false);
    assert_eq!(t.group_vruntime(t.a), 97_500_000);
}

#[test]
fn a_slice_is_shared_out_at_each_level() {
    let mut t = three(Tree::V32);
    t.start_all();
    // c1: all of C, 512 of 1536 in A, 1024 of 3072 at the root; each step rounds.
    let slices = [t.a1, t.b1, t.c1].map(|p| t.w.s.sched_slice(p));
    assert_eq!(slices, [1_110_026, 3_329_006, 554_472]);
}

#[test]
fn a_pick_descends_and_every_level_has_its_own_current() {
    let mut t = three(Tree::V32);
    t.start_all();
    let rows: Vec<_> =
        t.w.s
            .pick_candidates(CPU)
            .map(|c| (c.cfs_rq, c.role))
            .collect();
    assert_eq!(
        rows,
        [
            (CfsRqId(0), Role::Left),
            (t.queue(t.a), Role::Left),
            (t.queue(t.c), Role::Left)
        ]
    );
    assert_eq!(
        t.w.schedule().task,
        Some(t.c1),
        "groups that woke at once: A came first, C is left of a1"
    );
    let running = |q: CfsRqId| t.w.s.cfs(q).curr.is_some();
    assert!(
        [CfsRqId(0), t.queue(t.a), t.queue(t.c)]
            .into_iter()
            .all(running)
    );
    assert!(!running(CfsRqId(2)), "B waits");
}

#[test]
fn time_is_charged_to_the_task_by_its_weight_and_to_each_group_by_the_groups() {
    let mut t = three(Tree::V32);
    t.start(t.b1);
    t.start(t.c1);
    assert_eq!(t.w.schedule().task, Some(t.b1));
    let before = [t.w.vruntime(t.b1), t.group_vruntime(GroupId(2))];
    t.w.advance(MS);
    let _ = t.w.tick();
    let after = [t.w.vruntime(t.b1), t.group_vruntime(GroupId(2))];
    assert_eq!(after[0] - before[0], M);
    // 2^20 · 10⁶ against 2³²/2048 as a queue's inverse: a little less than half.
    assert_eq!(after[1] - before[1], 499_756);
}

#[test]
fn a_wakee_in_another_group_is_compared_where_the_groups_meet() {
    let mut t = three(Tree::V31);
    t.start(t.c1);
    assert_eq!(t.w.schedule().task, Some(t.c1));
    t.w.advance(2 * MS);
    t.start(t.a1);
    let flags = WakeFlags::default();
    let verdict = t.w.s.check_preempt_curr(CPU, t.a1, flags);
    assert_eq!(
        verdict.gap,
        t.group_vruntime(t.c) - t.w.vruntime(t.a1),
        "C against a1, in A"
    );
    let marks = |t: &Tree3, q: CfsRqId| (t.w.s.cfs(q).next, t.w.s.cfs(q).last);
    let entity = |t: &Tree3, q: CfsRqId| t.w.s.cfs(q).se;
    let (in_a, in_c) = (t.queue(t.a), t.queue(t.c));
    let a1 = Some(t.w.s.tasks[t.a1.index()].se);
    let c1 = Some(t.w.s.tasks[t.c1.index()].se);
    assert_eq!(marks(&t, in_c), (None, c1));
    assert_eq!(marks(&t, in_a), (a1, entity(&t, in_c)));
    assert_eq!(marks(&t, CfsRqId(0)), (entity(&t, in_a), entity(&t, in_a)));
}

#[test]
fn a_group_is_no_last_buddy_in_2_6_32_but_its_task_is() {
    let last = |same_group: bool| {
        let mut t = three(Tree::V32);
        t.w.s.tunables.nr_latency = 1;
        t.start(t.a1);
        let _ = t.w.schedule();
        t.w.s.fixture().vruntime(t.a1, 500 * M);
        t.w.advance(500 * MS);
        let _ = t.w.tick();
        let group = if same_group { t.a } else { GroupId(2) };
        let p = t.w.sleeper(Policy::Normal, 0, group);
        t.w.s.fixture().vruntime(p, 0);
        t.start(p);
        let verdict = t.w.s.check_preempt_curr(CPU, p, WakeFlags::default());
        assert_eq!(verdict.why, PreemptWhy::BeyondGranularity);
        t.w.s.cfs(t.queue(t.a)).last.is_some()
    };
    assert!(last(true));
    assert!(!last(false));
}

#[test]
fn the_tick_checks_every_level() {
    let mut t = three(Tree::Rc1);
    t.start(t.a1);
    t.start(t.b1);
    assert_eq!(t.w.schedule().task, Some(t.a1));
    // Alone in A, but A has 1.67 of 5 ms at the root.
    t.w.advance(MS);
    assert!(!t.w.tick().resched);
    t.w.advance(MS);
    assert!(t.w.tick().resched);
    assert_eq!(t.w.schedule().task, Some(t.b1));
}

#[test]
fn shares_come_out_by_the_groups_weights() {
    let mut t = three(Tree::Rc1);
    t.start_all();
    let _ = t.w.schedule();
    for _ in 0..60_000 {
        t.w.advance(MS);
        if t.w.tick().resched {
            let _ = t.w.schedule();
        }
    }
    // A : B = 1 : 2, and within A a1 : C = 2 : 1.
    let expected = [2. / 9., 6. / 9., 1. / 9.];
    for (p, expected) in [t.a1, t.b1, t.c1].into_iter().zip(expected) {
        let share = t.w.se(p).sum_exec as f64 / t.w.now as f64;
        assert!((share - expected).abs() < 0.002, "{p:?}: {share}");
    }
}

#[test]
fn since_3_2_the_group_that_a_sleeper_leaves_is_marked_next() {
    for (tree, marked) in [(Tree::V32, false), (Tree::L32, true), (Tree::L65, true)] {
        let mut t = three(tree);
        t.start(t.a1);
        t.start(t.b1);
        let second = t.w.sleeper(Policy::Normal, 0, t.a);
        t.start(second);
        t.w.s.deactivate_task(t.a1, true);
        let entity = t.w.s.cfs(t.queue(t.a)).se;
        let next = t.w.s.cfs(CfsRqId(0)).next;
        assert_eq!(next.is_some() && next == entity, marked, "{tree:?}");
    }
}

#[test]
fn in_6_5_a_switch_within_a_group_leaves_the_groups_slice_alone() {
    // cfs-checked C3: only the levels below the common ancestor are put and set.
    for (tree, kept) in [(Tree::L32, false), (Tree::L65, true)] {
        let mut t = three(tree);
        t.start(t.a1);
        let second = t.w.sleeper(Policy::Normal, 0, t.a);
        t.start(second);
        let first = t.w.schedule().task;
        t.w.advance(MS);
        t.w.s.fixture().vruntime(first.expect("one runs"), 100 * M);
        assert_ne!(t.w.schedule().task, first);
        let group = t.w.s.cfs(t.queue(t.a)).se.expect("below the root");
        let entity = t.w.s.se(group);
        assert_eq!(entity.prev_sum_exec == 0, kept, "{tree:?}");
        assert_eq!(entity.sum_exec, MS);
    }
}

#[test]
fn four_hogs_in_one_group_get_as_much_as_one_in_another() {
    for tree in [Tree::Rc1, Tree::V32, Tree::L32, Tree::L65] {
        let mut w = World::new(tree, 1);
        let [a, b] = [0, 0].map(|_| w.s.new_group(GroupId(0), 1024));
        let lone = w.sleeper(Policy::Normal, 0, a);
        let four = [0; 4].map(|_| w.sleeper(Policy::Normal, 0, b));
        w.s.activate_task(lone, true);
        for p in four {
            w.s.activate_task(p, true);
        }
        let _ = w.schedule();
        for _ in 0..60_000 {
            w.advance(MS);
            if w.tick().resched {
                let _ = w.schedule();
            }
        }
        let share = |p: TaskId| w.se(p).sum_exec as f64 / w.now as f64;
        assert!(
            (share(lone) - 0.5).abs() < 0.002,
            "{tree:?}: {}",
            share(lone)
        );
        for p in four {
            assert!((share(p) - 0.125).abs() < 0.002, "{tree:?}: {}", share(p));
        }
    }
}
