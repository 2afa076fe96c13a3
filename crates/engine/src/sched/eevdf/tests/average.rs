//! The average, eligibility, weighted time, base slices.

use super::*;
use crate::sched::tunables::Scaling;

const D: i64 = 9;

#[test]
fn a1_to_a9_the_average_and_who_is_eligible() {
    for column in ALL {
        let average = |states: &[State], runs| World::flat(column, states, runs).0.average();
        let at = |nice, v| (nice, v, D + v, None);
        assert_eq!(average(&[at(0, 0), at(0, 1000)], false), 500, "A1 {column}");
        assert_eq!(average(&[at(0, 0), at(5, 1000)], false), 246, "A2 {column}");
        assert_eq!(average(&[at(0, -1), at(0, 0)], false), -1, "A3 {column}");
        let (w, t) = World::flat(column, &[at(0, 0), at(0, 1)], false);
        let got = (w.average(), w.eligible(t[0]), w.eligible(t[1]));
        assert_eq!(got, (0, true, false), "A4 {column}");
        let (w, t) = World::flat(column, &[at(0, 5), at(0, 5), at(0, 5)], false);
        assert!(t.iter().all(|t| w.eligible(*t)), "A5 {column}");
        let (w, t) = World::flat(column, &[at(-5, 0), at(0, 2000), at(5, 4000)], false);
        assert_eq!(w.average(), 756, "A6 {column}");
        let eligible: Vec<_> = t.iter().map(|t| w.eligible(*t)).collect();
        assert_eq!(eligible, [true, false, false], "A7 {column}");
        let (w, t) = World::flat(column, &[at(0, 100)], true);
        assert_eq!((w.average(), w.eligible(t[0])), (100, true), "A8 {column}");
        assert_eq!(average(&[at(0, 300), at(0, 0)], true), 150, "A9 {column}");
    }
}

#[test]
fn a10_b8_whole_weights_tell_groups_apart_that_scaled_ones_do_not() {
    for (column, average, ms) in [
        ("7.0", 998_050_682, 7_999_999),
        ("tip-2026-04", 998_571_531, 7_973_961),
    ] {
        let s = 1_000_000_000;
        let (mut w, t) = World::flat(column, &[(0, 0, D, None), (0, s, s + D, None)], false);
        w.set(t[0], |_, own| own.weight = 1500);
        assert_eq!(w.average(), average, "A10 {column}");
        w.set(t[0], |_, own| own.weight = 131_500);
        let se = w.s.tasks[t[0].index()].se;
        assert_eq!(w.s.virtual_time(MS, se), ms, "B8 {column}");
    }
}

#[test]
fn b1_to_b4_time_as_vruntime() {
    let time = |column, policy, nice, ns| {
        let mut w = World::new(column);
        let task = w.task_of(policy, nice, GroupId::default());
        w.s.virtual_time(ns, w.s.tasks[task.index()].se)
    };
    for column in ["6.12", "tip-2026-04"] {
        assert_eq!(time(column, Policy::Normal, 0, 3 * MS), 3_000_000, "B1");
        for (nice, ns) in [
            (5, 3_056_716),
            (-5, 328_099),
            (19, 68_266_666),
            (-20, 11_536),
        ] {
            assert_eq!(
                time(column, Policy::Normal, nice, MS),
                ns,
                "B2 {nice} {column}"
            );
        }
    }
    let tip = "tip-2026-04";
    assert_eq!(time(tip, Policy::Idle, 0, MS), 341_333_333, "B3");
    let (mut w, t) = World::flat(tip, &[(0, 0, D, None)], false);
    w.set(t[0], |_, own| own.weight = 128 << 10);
    let se = w.s.tasks[t[0].index()].se;
    assert_eq!(w.s.virtual_time(20 * MS, se), 160_000_000, "B4");
}

#[test]
fn b5_base_slices_by_cpus() {
    let at = |column, cpus| {
        let kernel = kernel(column);
        assert_eq!(kernel.scaling, Scaling::UpTo8);
        kernel.tunables.scaled(kernel.scaling, cpus).base_slice
    };
    for (cpus, old, new) in [
        (1, 750_000, 700_000),
        (2, 1_500_000, 1_400_000),
        (4, 2_250_000, 2_100_000),
        (8, 3_000_000, 2_800_000),
        (16, 3_000_000, 2_800_000),
        (64, 3_000_000, 2_800_000),
    ] {
        for column in ["6.6", "6.12"] {
            assert_eq!(at(column, cpus), old, "B5 {column} {cpus}");
        }
        for column in ["6.12y", "6.18", "7.0", "tip-2026-04", "7.1"] {
            assert_eq!(at(column, cpus), new, "B5 {column} {cpus}");
        }
    }
}

#[test]
fn b7_slices_that_are_asked_for_are_held_between_100_us_and_100_ms() {
    let mut w = World::new("6.12");
    for (asked, got) in [(50 * US, 100 * US), (5 * MS, 5 * MS), (200 * MS, 100 * MS)] {
        let task = w.sleeper(0, Some(asked));
        assert_eq!(w.own(task).slice, got, "B7");
    }
    let mut w = World::new("6.6");
    let task = w.sleeper(0, Some(5 * MS));
    assert_eq!(w.own(task).slice, 3 * MS, "6.6 takes no notice");
}
