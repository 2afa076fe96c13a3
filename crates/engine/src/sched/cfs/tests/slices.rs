//! Periods and slices (cfs/T19 … T38).

use super::{MS, Tree, World};
use crate::sched::tunables::Tunable;
use crate::task::{Policy, TaskId};
use alloc::vec::Vec;

/// The slice of a nice-0 task among `nr` of them.
fn slice_of_equals(tree: Tree, cpus: usize, nr: usize) -> u64 {
    let mut w = World::new(tree, cpus);
    let tasks: Vec<TaskId> = (0..nr).map(|_| w.waiting(0, 0)).collect();
    w.s.sched_slice(tasks[0])
}

fn slices(tree: Tree, cpus: usize, nice: &[i64]) -> Vec<u64> {
    let mut w = World::new(tree, cpus);
    let tasks: Vec<TaskId> = nice.iter().map(|n| w.waiting(*n, 0)).collect();
    tasks.into_iter().map(|p| w.s.sched_slice(p)).collect()
}

#[test]
fn t19_to_t26_equal_tasks_share_the_period_but_for_the_rounding() {
    let cases = [
        ("T19", Tree::V31, 8, 1, 79_921_951),
        ("T19", Tree::V31, 8, 2, 39_980_488),
        ("T19", Tree::V31, 8, 3, 26_657_982),
        ("T19", Tree::V31, 8, 4, 19_995_117),
        ("T19", Tree::V31, 8, 5, 15_996_876),
        ("T20", Tree::V32, 8, 2, 9_995_122),
        ("T20", Tree::V32, 8, 3, 6_664_495),
        ("T20", Tree::V32, 8, 4, 4_998_779),
        ("T20", Tree::V32, 8, 5, 3_999_219),
        ("T20", Tree::V32, 8, 10, 3_999_605),
        ("T23", Tree::V31, 1, 2, 9_995_122),
        ("T23", Tree::V31, 1, 3, 6_664_495),
        ("T24", Tree::V32, 1, 2, 2_498_780),
        ("T24", Tree::V32, 1, 3, 1_666_124),
        ("T24", Tree::V32, 1, 5, 999_805),
        ("T26", Tree::V31, 4, 2, 29_985_366),
        ("T26", Tree::V32, 4, 2, 7_496_341),
        ("T21", Tree::L32, 8, 2, 12_000_000),
        ("T21", Tree::L32, 8, 3, 7_999_998),
        ("T21", Tree::L32, 8, 4, 6_000_000),
        ("T21", Tree::L32, 8, 5, 4_799_995),
        ("T21", Tree::L32, 8, 8, 3_000_000),
        ("T21", Tree::L32, 8, 9, 2_999_995),
        ("T21", Tree::L32, 8, 10, 2_999_997),
        ("T22", Tree::L65, 8, 2, 11_999_994),
        ("T22", Tree::L65, 8, 3, 7_999_998),
        ("T22", Tree::L65, 8, 4, 5_999_994),
        ("T22", Tree::L65, 8, 8, 3_000_000),
        ("T22", Tree::L65, 8, 9, 3_000_000),
        ("T22", Tree::L65, 8, 10, 3_000_000),
        ("T25", Tree::L32, 1, 3, 2_000_000),
        ("T25", Tree::L32, 1, 8, 750_000),
        ("T26", Tree::L32, 4, 2, 9_000_000),
        ("T26", Tree::L65, 4, 2, 8_999_995),
    ];
    for (id, tree, cpus, nr, expected) in cases {
        let slice = slice_of_equals(tree, cpus, nr);
        assert_eq!(slice, expected, "cfs/{id} {tree:?} {cpus} CPUs, {nr} tasks");
    }
}

#[test]
fn t27_t30_slices_go_by_weight() {
    let three = slices(Tree::V32, 8, &[0, 5, -5]);
    assert_eq!(three, [4_570_408, 1_495_203, 13_929_930], "cfs/T27");
    let three = slices(Tree::L32, 8, &[0, 5, -5]);
    assert_eq!(three, [5_485_714, 1_794_648, 16_719_637], "cfs/T28");
    let three = slices(Tree::L65, 8, &[0, 5, -5]);
    assert_eq!(three, [5_485_713, 3_000_000, 16_719_641], "cfs/T29");
    let two = slices(Tree::L65, 1, &[0, 19]);
    assert_eq!(two, [5_913_378, 750_000], "cfs/T31");
    let two = slices(Tree::V32, 1, &[0, 19]);
    assert_eq!(two, [4_923_077, 72_115], "cfs/T30");
}

#[test]
fn t32_t34_the_period_grows_beyond_nr_latency() {
    let check = |id, tree, nr: &[u32], ms: &[u64]| {
        let got = nr.iter().map(|n| World::new(tree, 8).s.sched_period(*n));
        let expected: Vec<u64> = ms.iter().map(|ms| ms * MS).collect();
        assert_eq!(got.collect::<Vec<_>>(), expected, "cfs/{id} {tree:?}");
    };
    check("T32", Tree::V32, &[5, 6, 16, 40], &[20, 24, 64, 160]);
    check("T33", Tree::L32, &[8, 9, 16], &[24, 27, 48]);
    check("T33", Tree::L65, &[8, 9, 16], &[24, 27, 48]);
    check("T34", Tree::V31, &[5, 6, 40], &[80, 96, 640]);
}

#[test]
fn t35_t36_a_task_that_is_not_queued_yet_counts_itself_in() {
    for (id, tree, slice, vslice) in [
        ("T35", Tree::V32, 2_810_405, 8_590_611),
        ("T36", Tree::V31, 11_241_622, 34_362_384),
        ("T37", Tree::L65, 3_373_897, 10_313_046),
    ] {
        let mut w = World::new(tree, 8);
        w.waiting(0, 0);
        w.waiting(0, 0);
        let child = w.sleeper(Policy::Normal, 5, crate::sched::rq::GroupId::default());
        assert_eq!(w.s.sched_slice(child), slice, "cfs/{id}");
        assert_eq!(w.s.sched_vslice(child), vslice, "cfs/{id}");
    }
}

#[test]
fn the_task_to_come_may_be_the_one_that_lengthens_the_period() {
    let mut w = World::new(Tree::V32, 8);
    for _ in 0..5 {
        w.waiting(0, 0);
    }
    let child = w.plain_sleeper();
    assert_eq!(
        w.s.sched_slice(child),
        3_999_350,
        "a sixth of 24 ms, not of 20"
    );
}

#[test]
fn nr_latency_rounds_up_when_an_administrator_sets_its_parts() {
    let mut w = World::new(Tree::V32, 8);
    w.s.tunables.set(Tunable::MinGranularity, 3 * MS as i64);
    assert_eq!([7, 8].map(|n| w.s.sched_period(n) / MS), [20, 24]);
}

#[test]
fn t38_a_heavy_task_among_many_light_ones_gets_most_of_a_long_period() {
    let mut nice = [19; 41];
    nice[0] = -20;
    assert_eq!(slices(Tree::V31, 8, &nice)[0], 651_593_945, "cfs/T38");
    assert_eq!(slices(Tree::V32, 8, &nice)[0], 162_898_486, "cfs/T38");
    for tree in [Tree::L32, Tree::L65] {
        assert_eq!(slices(tree, 8, &nice)[0], 122_173_864, "cfs/T38 {tree:?}");
    }
}

#[test]
fn a_sched_idle_task_beside_others_may_have_a_shorter_slice() {
    let mut w = World::new(Tree::L65, 8);
    let idle = |w: &mut World| {
        let p = w.sleeper(Policy::Idle, 0, crate::sched::rq::GroupId::default());
        w.s.activate_task(p, false);
        p
    };
    let p = idle(&mut w);
    idle(&mut w);
    assert_eq!(w.s.sched_slice(p), 11_999_999, "nothing but idle tasks");
    w.waiting(0, 0);
    assert_eq!(w.s.sched_slice(p), 750_000, "3 of 1030 of 24 ms are less");
    let mut w = World::new(Tree::L65, 8);
    let many: Vec<TaskId> = (0..10).map(|_| idle(&mut w)).collect();
    assert_eq!(w.s.sched_slice(many[0]), 3 * MS, "the floor of all");
}
