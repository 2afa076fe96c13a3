//! Every decision of a run can be told, with its numbers and without gaps.

use super::words::{in_short, tell};
use crate::protocol::explained::{
    Candidate, Decision, Explained, Idle, Pick, Role, Try, Verdict, Waiting, Wakeup, Wants,
};
use crate::protocol::{EndWhy, Parting, Partings, PickWhy, PlacementWhy, PreemptWhy, Search};
use schedlab_engine::config::Config;
use schedlab_engine::fragment;

fn config(link: &str) -> Config {
    fragment::parse(link).0
}

fn pick() -> Pick {
    Pick {
        before: Some("recv 0.1".to_string()),
        left: EndWhy::Sleeping as u8,
        taken: Some("send 4.2".to_string()),
        why: PickWhy::LastBuddy as u8,
        candidates: vec![
            Candidate {
                name: "recv 4.9".to_string(),
                role: Role::Next,
                vruntime_ns: 9_000_000,
                gap_ns: 6_000_000,
                limit_ns: 5_000_000,
                wants: None,
                buddy: false,
                verdict: Verdict::TooFar,
            },
            Candidate {
                name: "send 4.2".to_string(),
                role: Role::Last,
                vruntime_ns: 6_666_000,
                gap_ns: 3_666_000,
                limit_ns: 5_000_000,
                wants: None,
                buddy: false,
                verdict: Verdict::Take,
            },
        ],
        waiting: vec![Waiting {
            name: "recv 4.7".to_string(),
            gap_ns: 0,
            running: false,
        }],
        more: 0,
        tasks: 3,
        throttled: Vec::new(),
    }
}

fn explained(decision: Decision) -> Explained {
    Explained {
        cpu: 3,
        at_ns: 12_463_100,
        decision,
    }
}

fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

#[test]
fn an_idle_cpu_is_told_with_who_could_have_run_there() {
    let idle = Idle {
        since_ns: 12_000_000,
        left: Some(("recv 0.1".to_string(), EndWhy::Sleeping as u8)),
        next: Some((13_463_100, "hog 2".to_string())),
        waiting: vec![("hog 3".to_string(), 7)],
        more: 2,
        tries: vec![Try {
            at_ns: 12_000_000,
            domain: "MC".to_string(),
            newly: true,
            why: 0,
            moved: 0,
        }],
        throttled: vec![("group A".to_string(), 1)],
    };
    let told = tell(&explained(Decision::Idle(idle)), &config("k=2.6.32-rc1"));
    let sentences: Vec<String> = told.sentences.iter().map(|s| plain(s)).collect();
    assert_eq!(
        sentences,
        [
            "CPU 3 has been idle since 12 ms.",
            "recv 0.1 went to sleep.",
            "hog 2 runs here next, at 13.4631 ms: 1 ms from here.",
            "1 task of group A waits here, but group A is throttled: its quota is used up until the next period.",
            "Meanwhile 3 tasks that may run here wait on other CPUs: hog 3 (CPU 7), and 2 more.",
        ]
        .map(plain)
    );
    assert_eq!(
        plain(&told.tables[0].rows[0].cells[0]),
        "MC, at 12 ms, just before it fell idle"
    );
}

#[test]
fn a_pick_is_told_with_its_numbers_and_its_commit() {
    let told = tell(&explained(Decision::Pick(pick())), &config("k=2.6.32-rc1"));
    let words = plain(&told.sentences.join(" "));
    assert!(words.contains("recv 0.1 went to sleep"), "{words}");
    assert!(
        words.contains("3.666 ms") && words.contains("5 ms") && words.contains("last buddy"),
        "{words}"
    );
    let rows = &told.tables[0].rows;
    assert_eq!(rows.len(), 3);
    assert_eq!(
        rows.iter().map(|r| r.chosen).collect::<Vec<_>>(),
        [false, true, false]
    );
    assert!(
        rows.iter()
            .all(|r| r.cells.len() == told.tables[0].head.len())
    );
    assert!(
        told.cited[0].source.contains("de69a80be3"),
        "{:?}",
        told.cited
    );
    let before = tell(&explained(Decision::Pick(pick())), &config("k=2.6.31"));
    assert_eq!(before.cited[0].source, "pick_next_entity");
}

/// A pick without buddies is as old as CFS; commits about buddies have no part in it.
#[test]
fn a_plain_pick_of_the_leftmost_cites_no_commit() {
    let mut plain = pick();
    plain.candidates.truncate(1);
    plain.candidates[0].role = Role::Left;
    plain.candidates[0].verdict = Verdict::Take;
    plain.why = PickWhy::Leftmost as u8;
    let told = tell(&explained(Decision::Pick(plain)), &config("k=2.6.32-rc1"));
    assert_eq!(told.cited.len(), 1);
    assert_eq!(
        (&*told.cited[0].words, &*told.cited[0].source),
        ("As in 2.6.31.", "pick_next_entity")
    );
    assert!(plain_caption(&told).ends_with("3 tasks could run, and 2 wait after it."));
}

fn plain_caption(told: &super::words::Told) -> String {
    plain(&told.tables[0].caption)
}

/// EEVDF: who is taken, the eligible by deadline, the others by vruntime; none has a later deadline that has not.
#[test]
fn candidates_of_eevdf_are_told_in_the_order_of_the_rule() {
    let one = |name: &str, role, gap_ns, due_ns, eligible, verdict| Candidate {
        name: name.to_string(),
        role,
        vruntime_ns: 0,
        gap_ns,
        limit_ns: 0,
        wants: Some(Wants {
            due_ns,
            slice_ns: 3_000_000,
            eligible,
            ..Wants::default()
        }),
        buddy: false,
        verdict,
    };
    let later = Verdict::LaterDeadline;
    let candidates = vec![
        one(
            "far",
            Role::Deadline,
            9_000,
            100,
            false,
            Verdict::NotEligible,
        ),
        one("late", Role::Deadline, -5, 900, true, later),
        one(
            "near",
            Role::Deadline,
            4_000,
            200,
            false,
            Verdict::NotEligible,
        ),
        one("early", Role::Deadline, -5, 100, true, later),
        one("runs", Role::Protected, -9, 500, true, Verdict::Take),
    ];
    let pick = Pick {
        candidates,
        why: PickWhy::Protected as u8,
        waiting: Vec::new(),
        tasks: 5,
        ..pick()
    };
    let told = tell(&explained(Decision::Pick(pick)), &config("k=6.12"));
    let rows = told.tables[0].rows.iter();
    let rows: Vec<_> = rows
        .map(|row| (&*row.cells[0], row.cells.last().map_or("", |cell| cell)))
        .collect();
    assert_eq!(
        rows,
        [
            ("runs", "taken"),
            ("early", "passed over"),
            ("late", "later deadline"),
            ("near", "not eligible"),
            ("far", "not eligible"),
        ]
    );
    assert!(plain_caption(&told).contains("5 tasks could run, and 4 wait after it."));
}

#[test]
fn differences_are_numbered_on_over_their_pages() {
    let parting = Parting {
        kind: 0,
        wakeup: 2,
        nth: 0,
        a: Some(explained(Decision::Pick(pick()))),
        b: None,
        about: None,
    };
    let words = |from_ns, skip, more| {
        let all = Partings {
            found: vec![parting.clone(); 4],
            search: Search { from_ns, skip },
            more,
            ..Partings::default()
        };
        plain(&super::words::parting(&parting, &all, 1))
    };
    assert!(words(0, 0, false).starts_with("Difference 2 of 4, after wakeup 2"));
    let on = words(5_000_000, 32, true);
    assert!(
        on.starts_with("From 5 ms on: difference 34 of more than 36, "),
        "{on}"
    );
}

#[test]
fn a_preemption_that_did_not_happen_says_how_much_was_missing() {
    let wakeup = Wakeup {
        woken: "recv 1.1".to_string(),
        new: false,
        waker: Some("send 1.2".to_string()),
        from_cpu: 1,
        prev_cpu: 2,
        to_cpu: 3,
        sync: true,
        placed: PlacementWhy::AffineBalanced as u8,
        visited: 2,
        steps: Vec::new(),
        running: Some("send 1.3".to_string()),
        preempts: false,
        preempt: PreemptWhy::WithinGranularity as u8,
        gap_ns: 800_000,
        gran_ns: 5_000_000,
    };
    let told = tell(&explained(Decision::Wakeup(wakeup.clone())), &config(""));
    let words = plain(&told.sentences.join(" "));
    for part in [
        "send 1.2",
        "CPU 1",
        "CPU 2",
        "CPU 3",
        "sync",
        "does not preempt send 1.3",
        "800 µs",
        "5 ms",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(told.tables.len(), 1);
    let short = plain(&in_short(&explained(Decision::Wakeup(wakeup))));
    assert!(short.starts_with("12.4631 ms, CPU 3: "), "{short}");
}

#[test]
fn every_reason_makes_a_sentence_without_holes() {
    let sentence = |text: &str| {
        assert!(!text.contains('{') && !text.contains('}'), "{text}");
        assert!(text.ends_with('.'), "{text}");
    };
    for why in 0..PickWhy::ALL.len() as u8 {
        for left in 0..EndWhy::ALL.len() as u8 {
            let told = tell(
                &explained(Decision::Pick(Pick {
                    left,
                    why,
                    ..pick()
                })),
                &config(""),
            );
            told.sentences.iter().for_each(|s| sentence(s));
        }
    }
    for preempt in 0..PreemptWhy::ALL.len() as u8 {
        for placed in 0..PlacementWhy::ALL.len() as u8 {
            let wakeup = Wakeup {
                woken: "x".to_string(),
                new: placed % 2 == 0,
                waker: (preempt % 2 == 0).then(|| "y".to_string()),
                from_cpu: 0,
                prev_cpu: 0,
                to_cpu: 0,
                sync: preempt % 3 == 0,
                placed,
                visited: 0,
                steps: Vec::new(),
                running: None,
                preempts: preempt % 2 == 1,
                preempt,
                gap_ns: 0,
                gran_ns: 0,
            };
            let told = tell(&explained(Decision::Wakeup(wakeup)), &config(""));
            told.sentences.iter().for_each(|s| sentence(s));
        }
    }
}

#[test]
fn rows_and_the_rest_add_up_to_all_who_wait() {
    let waiting = |n: usize| {
        let one = |i| Waiting {
            name: format!("recv 5.{i}"),
            gap_ns: i as i64,
            running: false,
        };
        (0..n).map(one).collect::<Vec<_>>()
    };
    for (listed, more, last) in [
        (1, 0, "recv 5.0"),
        (6, 0, "recv 5.5"),
        (7, 0, "and 1 more"),
        (30, 9, "and 33 more"),
    ] {
        let pick = Pick {
            waiting: waiting(listed),
            more,
            tasks: 2 + listed as u32 + more,
            ..pick()
        };
        let told = tell(&explained(Decision::Pick(pick)), &config(""));
        let table = &told.tables[0];
        assert_eq!(table.rows.last().map(|r| r.cells[0].as_str()), Some(last));
        assert!(
            table.rows.iter().all(|r| r.cells.len() == table.head.len()),
            "{table:?}"
        );
    }
}
