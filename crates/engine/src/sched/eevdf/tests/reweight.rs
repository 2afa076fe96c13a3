//! Changes of weight, and yielding.

use super::*;
use crate::sched::eevdf::protect;

const M: i64 = MS as i64;
const HALF: u64 = 512 << 10;

#[test]
fn i2_who_is_alone_is_never_rescheduled() {
    for column in ALL {
        let (mut w, _) = World::flat(column, &[(0, 0, 3 * M, None)], true);
        w.now += 40 * MS;
        assert!(!w.tick(), "I2 {column}");
    }
}

#[test]
fn i3_i4_yielding() {
    for (column, slice, i3, i4) in [
        ("6.12", 3 * M, (M, 6 * M), (M, 6 * M)),
        (
            "tip-2026-04",
            2_800_000,
            (M, 2_800_000),
            (2_800_000, 5_600_000),
        ),
    ] {
        let yields = |other: State| {
            let (mut w, t) = World::flat(column, &[(0, 0, slice, None), other], true);
            w.after(MS);
            w.s.yield_task(CPU);
            (w.vruntime(t[0]), w.own(t[0]).deadline)
        };
        assert_eq!(yields((0, 0, slice, None)), i3, "I3 {column}");
        assert_eq!(yields((0, 2 * M, 5 * M, None)), i4, "I4 {column}");
    }
}

#[test]
fn i5_i7_a_queued_entity_keeps_its_lag_in_time() {
    let states = [(0, 0, 3 * M, None), (0, 2 * M, 6 * M, None)];
    let halved = |column: &str, runs| {
        let (mut w, t) = World::flat(column, &states, runs);
        w.s.fixture().reweight(t[0], HALF);
        (w.vruntime(t[0]), w.own(t[0]).deadline, w.average())
    };
    for column in ["6.6", "6.12", "6.18", "7.0", "tip-2026-04"] {
        assert_eq!(halved(column, false), (-M, 5 * M, M), "I5 {column}");
    }
    for column in ["6.12", "tip-2026-04"] {
        assert_eq!(halved(column, true), (-M, 5 * M, M), "I7 {column}");
    }
    for column in ["6.18", "7.0"] {
        let got = halved(column, true);
        assert_eq!(got, (-1_333_333, 4_666_667, 888_889), "I7 {column}");
    }
}

#[test]
fn i6_whether_the_running_one_stays_protected() {
    for (column, stays) in [
        ("6.12", false),
        ("6.18", false),
        ("7.0", true),
        ("tip-2026-04", true),
    ] {
        let states = [
            (0, 100 * M, 103 * M, Some(3 * MS)),
            (0, 101 * M, 104 * M, Some(3 * MS)),
        ];
        let (mut w, t) = World::flat(column, &states, true);
        w.s.fixture().reweight(t[0], HALF);
        let se = w.s.tasks[t[0].index()].se;
        assert_eq!(protect::holds(&w.s, se), stays, "I6 {column}");
    }
}
