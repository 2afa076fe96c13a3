//! Whom the pick takes: deadlines, ties, protection, buddies.

use super::*;

const M: i64 = MS as i64;

#[test]
fn d1_the_earliest_deadline_of_those_that_are_eligible() {
    for column in ALL {
        let states = [
            (0, 0, 10 * M, None),
            (0, 0, 5 * M, None),
            (0, 9 * M, 4 * M, None),
        ];
        let (w, t) = World::flat(column, &states, false);
        assert_eq!(w.pick(true), Some(t[1]), "D1 {column}");
    }
}

#[test]
fn d2_to_d4_ties_and_protection() {
    for column in ALL {
        let (mut w, t) = World::flat(column, &[(0, 0, 5 * M, None), (0, 0, 5 * M, None)], true);
        w.set(t[0], |v, own| (own.vprot, own.parity) = (*v, false));
        let winner = if column == "6.6" { t[0] } else { t[1] };
        assert_eq!(w.pick(true), Some(winner), "D2 {column}");
        let (mut w, t) = World::flat(column, &[(0, 0, 8 * M, None), (0, 0, 3 * M, None)], true);
        assert_eq!(w.pick(true), Some(t[0]), "D3 {column}");
        w.set(t[0], |v, _| *v = 1);
        assert_eq!(w.pick(true), Some(t[1]), "D4 {column}");
    }
}

#[test]
fn d5_to_d8_how_far_protection_reaches() {
    let long = (0, 0, 20 * M, Some(20 * MS));
    let short = (0, 5 * M, 13 * M, Some(8 * MS));
    for column in ["6.18", "7.0", "tip-2026-04", "seed", "7.1"] {
        let (w, t) = World::flat(column, &[long, short], true);
        assert_eq!(w.own(t[0]).vprot, 8_000_000, "D5 {column}");
        let (w, t) = World::flat(column, &[long], true);
        assert_eq!(w.own(t[0]).vprot, 20_000_000, "D6 {column}");
        let mut w = World::new(column).feature(Feature::RunToParity, false);
        let t = w.fill(&[long, (0, 0, 9 * M, None)], true);
        assert_eq!(w.own(t[0]).vprot, 700_000, "D7 {column}");
        let (mut w, t) = World::flat(column, &[(0, 0, 160 * M, Some(20 * MS)), short], true);
        w.set(t[0], |_, own| own.weight = 128 << 10);
        w.s.fixture().protect(t[0]);
        // Exact since the division is.
        let inverse = ["6.18", "7.0"].contains(&column);
        let vprot = if inverse { 63_999_998 } else { 64_000_000 };
        assert_eq!(w.own(t[0]).vprot, vprot, "D8 {column}");
    }
}

#[test]
fn d9_to_d11_where_the_buddy_is_honoured() {
    let marked = |column, v| {
        let states = [
            (0, 0, 4 * M, None),
            (0, 0, 3 * M, None),
            (0, v, 9 * M, None),
        ];
        let (mut w, t) = World::flat(column, &states, false);
        w.s.fixture().buddies(CPU, Some(t[2]), None);
        (w, t)
    };
    for column in ALL {
        let (w, t) = marked(column, 0);
        let old = ["6.6", "6.12"].contains(&column);
        let winner = if old { t[1] } else { t[2] };
        let picked = w.s.judge_pick(CPU).task;
        assert_eq!(picked, Some(winner), "D9 {column}");
    }
    for column in ["6.18", "tip-2026-04", "seed"] {
        let (w, t) = marked(column, 3);
        assert_eq!(w.s.judge_pick(CPU).task, Some(t[1]), "D10 {column}");
    }
    for (column, winner) in [("6.18", 1), ("7.0", 2), ("seed", 1)] {
        let (w, t) = marked(column, 0);
        assert_eq!(w.pick(false), Some(t[winner]), "D11 {column}");
    }
}

/// Source: `pick_next_task_fair` of 6.6, `__set_next_task_fair` of 6.12; the recordings of 6.12 with `HRTICK` agree.
#[test]
fn the_hrtick_is_armed_for_who_comes_to_the_cpu() {
    for (column, again) in [
        ("6.6", true),
        ("6.12", false),
        ("6.18", false),
        ("7.1", false),
    ] {
        let mut w = World::new(column).feature(Feature::Hrtick, true);
        let t = w.fill(&[(0, 0, 10 * M, None), (0, 50 * M, 60 * M, None)], false);
        assert_eq!(w.schedule(), Some(t[0]));
        assert!(w.s.rq[0].hrtick.is_some(), "{column}");
        w.now += MS / 2;
        assert_eq!(
            w.schedule(),
            Some(t[0]),
            "of {column} it is the better one still"
        );
        assert_eq!(w.s.rq[0].hrtick.is_some(), again, "{column}");
    }
}
