//! The page's state, without a page.

use super::*;
use crate::protocol::{Halt, Parting};
use crate::url;
use schedlab_engine::sched::features::Feature;
use schedlab_engine::sched::profile::DeltaId;

fn model(link: &str) -> Model {
    Model::new(url::read(link))
}

fn feature(model: &Model, on: bool, merge: Option<&'static str>) -> Action {
    let change = Change::own(move |c| {
        c.features.insert(Feature::LastBuddy, on);
    });
    Action::Edit {
        setup: model.setup.changed(model.editing, &change, true),
        merge,
    }
}

fn seed(model: &Model, seed: u64) -> Action {
    let change = Change::shared(move |c| c.seed = seed);
    Action::Edit {
        setup: model.setup.changed(model.editing, &change, model.linked),
        merge: Some("seed"),
    }
}

#[test]
fn an_edit_can_be_undone_and_redone() {
    let start = model("k=2.6.31");
    let edited = start.reduce(feature(&start, false, None));
    assert_ne!(edited.setup, start.setup);
    assert_eq!(edited.trail, Trail::Push);
    let undone = edited.reduce(Action::Undo);
    assert_eq!(undone.setup, start.setup);
    assert_eq!(undone.reduce(Action::Redo).setup, edited.setup);
    assert_eq!(
        undone.reduce(Action::Undo).setup,
        start.setup,
        "nothing more to undo"
    );
}

#[test]
fn a_nudge_is_one_change_however_long_it_takes() {
    let start = model("k=2.6.31");
    let mut dragged = start.clone();
    for value in 2..20 {
        dragged = dragged.reduce(seed(&dragged, value));
    }
    assert_eq!(dragged.trail, Trail::Replace);
    assert_eq!(dragged.reduce(Action::Undo).setup, start.setup);
    let settled = dragged.reduce(Action::Settle);
    let again = settled.reduce(seed(&settled, 99));
    assert_eq!(again.trail, Trail::Push, "a new nudge is a new change");
    assert_eq!(again.reduce(Action::Undo).setup, dragged.setup);
}

#[test]
fn an_edit_that_changes_nothing_is_none() {
    let start = model("");
    let same = start.reduce(Action::Edit {
        setup: start.setup.clone(),
        merge: None,
    });
    assert_eq!((&same.setup, same.trail), (&start.setup, start.trail));
    assert!(!same.history.can_undo());
}

#[test]
fn shared_settings_change_on_both_sides_and_kernels_on_one() {
    let start = model("");
    let seeded = start.reduce(seed(&start, 5));
    assert_eq!(
        (seeded.setup.a.seed, seeded.setup.b.as_ref().map(|b| b.seed)),
        (5, Some(5))
    );
    let unlinked = start.reduce(Action::LinkSides(false));
    let seeded = unlinked.reduce(seed(&unlinked, 5));
    assert_eq!(
        (seeded.setup.a.seed, seeded.setup.b.as_ref().map(|b| b.seed)),
        (5, Some(1))
    );
    let on_b = start.reduce(Action::EditSide(Side::B));
    let change = Change::own(|c| c.set_delta(DeltaId(13), false));
    let setup = on_b.setup.changed(Side::B, &change, true);
    assert_eq!(setup.a, start.setup.a);
    assert!(!setup.b.expect("a comparison").deltas.has(DeltaId(13)));
}

#[test]
fn leaving_the_comparison_keeps_b_for_later() {
    let start = model("");
    let alone = start
        .reduce(Action::EditSide(Side::B))
        .reduce(Action::Compare(false));
    assert_eq!(alone.setup.b, None);
    assert_eq!(alone.editing, Side::A, "nobody edits what is not there");
    assert_eq!(alone.reduce(Action::Compare(true)).setup, start.setup);
    let single = model("k=2.6.31").reduce(Action::Compare(true));
    assert_eq!(
        single.setup.b.as_ref(),
        Some(&single.setup.a),
        "the first B is A"
    );
}

/// A is as it was: the cursor in it stays where it is; one in B goes with B.
#[test]
fn comparing_keeps_the_cursor_in_what_is_still_shown() {
    let looked = |link: &str| model(link).reduce(Action::Compare(link.contains("vs")));
    let alone = looked("w=hogs&vs&seed=2&view&at=A:0:5ms&ask=pick").reduce(Action::Compare(false));
    assert!(alone.view.cursor.is_some() && alone.view.asked.is_some());
    let both = alone.reduce(Action::Compare(true));
    assert_eq!(both.view, alone.view);
    let in_b = looked("w=hogs&vs&seed=2&view&at=B:0:5ms&ask=pick").reduce(Action::Compare(false));
    assert_eq!((in_b.view.cursor, in_b.view.asked), (None, None));
}

/// What the page did not understand of how to look stays in the address until it is looked at otherwise.
#[test]
fn a_view_with_a_fault_stays_as_it_was_typed() {
    let typed = "v=1&w=hogs&view&z=1ms..x&by=group";
    let faulty = model(typed);
    assert_eq!(faulty.notes.len(), 1);
    assert_eq!(faulty.address(), typed);
    let looked = faulty.reduce(Action::Look(faulty.view));
    assert_eq!(looked.address(), typed, "it is the same view");
    let read = faulty.reduce(Action::Dismiss(0));
    assert_eq!(read.address(), "v=1&w=hogs&view&by=group");
    let zoomed = faulty.reduce(Action::Look(View::default()));
    assert_eq!(zoomed.address(), "v=1&w=hogs");
    let opened = model("").reduce(Action::Opened(Box::new(url::read(typed))));
    assert_eq!(opened.address(), typed);
}

/// The page of differences that was asked for comes with the one that is shown first; an answer about an earlier setup
/// is none.
#[test]
fn differences_come_by_pages() {
    let parting = Parting {
        kind: 0,
        wakeup: 0,
        nth: 0,
        a: None,
        b: None,
        about: None,
    };
    let found = |n| {
        let found = vec![parting.clone(); n];
        let all = Partings {
            found,
            ..Partings::default()
        };
        Action::Replied(Side::A, Box::new(Reply::Diverged(all)))
    };
    let shown = |model: &Model| match &model.divergence {
        Divergence::In(all, at) => Some((all.found.len(), *at)),
        _ => None,
    };
    let searching = model("").reduce(Action::Diverging(31));
    assert_eq!(shown(&searching.reduce(found(32))), Some((32, 31)));
    assert_eq!(shown(&searching.reduce(found(3))), Some((3, 2)), "the last");
    assert_eq!(shown(&model("").reduce(found(3))), None, "nobody asked");
}

#[test]
fn b_comes_back_like_a_but_for_what_it_had_of_its_own() {
    let b_of = |model: &Model| model.address();
    let alone = model("").reduce(Action::Compare(false));
    let moved = alone.reduce(Action::Edit {
        setup: url::read("m=q6600&k=2.6.31&f=NO_LAST_BUDDY&w=hogs(count=3)").setup,
        merge: None,
    });
    let both = moved.reduce(Action::Compare(true));
    assert_eq!(
        b_of(&both),
        "v=1&m=q6600&k=2.6.31&f=NO_LAST_BUDDY&w=hogs(count=3)&vs&k=2.6.32-rc1"
    );
    assert_eq!(both.editing, Side::B, "the next change is B's");
    // Another link is another experiment.
    let opened = alone.reduce(Action::Opened(Box::new(url::read("m=q6600"))));
    let both = opened.reduce(Action::Compare(true));
    assert_eq!(b_of(&both), "v=1&m=q6600&vs", "a copy of A");
}

#[test]
fn the_back_button_is_an_undo() {
    let start = model("k=2.6.31");
    let edited = start.reduce(feature(&start, false, None));
    let back = edited.reduce(Action::Opened(Box::new(url::read("k=2.6.31"))));
    assert_eq!(back.setup, start.setup);
    assert_eq!(back.trail, Trail::Replace, "the address is already there");
    assert!(back.history.can_redo());
    let elsewhere = edited.reduce(Action::Opened(Box::new(url::read("m=q6600"))));
    assert_eq!(
        elsewhere.reduce(Action::Undo).setup,
        edited.setup,
        "a typed address is a change"
    );
}

#[test]
fn looking_runs_nothing_and_a_change_looks_anew() {
    let start = model("k=2.6.31");
    let cursor = Cursor {
        side: Side::A,
        cpu: 1,
        at_ns: 5,
    };
    let looked = start.reduce(Action::Look(View {
        cursor: Some(cursor),
        ..start.view
    }));
    assert_eq!(
        (looked.setup.clone(), looked.runs.clone()),
        (start.setup.clone(), start.runs.clone())
    );
    let edited = looked.reduce(feature(&looked, false, None));
    assert_eq!(edited.view.cursor, None, "that moment is of the old run");
}

#[test]
fn answers_of_old_runs_are_dropped() {
    let started = model("k=2.6.31").reduce(Action::Started {
        side: Side::A,
        run: 7,
    });
    let late = started.reduce(Action::Arrived(Rc::new(Snapshot {
        run: 6,
        ..Snapshot::default()
    })));
    assert!(late.run(Side::A).snapshot.is_none());
    let ended = Reply::Ended {
        run: 6,
        why: Halt::Finished,
        wall_ms: 1.0,
    };
    assert_eq!(
        late.reduce(Action::Replied(Side::A, Box::new(ended)))
            .run(Side::A)
            .state,
        RunState::Running
    );
    let arrived = started.reduce(Action::Arrived(Rc::new(Snapshot {
        run: 7,
        ..Snapshot::default()
    })));
    assert!(!arrived.run(Side::A).is_stale());
    let superseded = arrived.reduce(Action::Started {
        side: Side::A,
        run: 8,
    });
    assert!(
        superseded.run(Side::A).is_stale(),
        "the old picture stays, dimmed"
    );
    assert!(superseded.run(Side::A).snapshot.is_some());
}

#[test]
fn numbers_are_stale_from_the_change_on_and_not_from_the_next_run_on() {
    let snapshot = Rc::new(Snapshot {
        run: 1,
        ..Snapshot::default()
    });
    let ended = Reply::Ended {
        run: 1,
        why: Halt::Finished,
        wall_ms: 1.0,
    };
    let over = model("k=2.6.31")
        .reduce(Action::Started {
            side: Side::A,
            run: 1,
        })
        .reduce(Action::Arrived(snapshot))
        .reduce(Action::Replied(Side::A, Box::new(ended)));
    assert!(over.run(Side::A).is_over() && !over.run(Side::A).is_stale());
    let edited = over.reduce(feature(&over, false, None));
    assert!(edited.run(Side::A).is_stale());
    assert!(!edited.run(Side::A).is_over(), "another one is to be run");
    let undone = edited.reduce(Action::Undo);
    assert!(undone.run(Side::A).is_over() && !undone.run(Side::A).is_stale());
    let again = edited.reduce(Action::Started {
        side: Side::A,
        run: 2,
    });
    assert!(!again.run(Side::A).outdated);
}

#[test]
fn a_run_ends_is_rejected_or_breaks() {
    let started = model("k=2.6.31").reduce(Action::Started {
        side: Side::A,
        run: 1,
    });
    assert!(started.busy());
    let ended = started.reduce(Action::Replied(
        Side::A,
        Box::new(Reply::Ended {
            run: 1,
            why: Halt::Events,
            wall_ms: 12.0,
        }),
    ));
    assert_eq!(ended.run(Side::A).state, RunState::Ended(Halt::Events));
    assert!(!ended.busy());
    let rejected = Reply::Rejected {
        run: 1,
        problems: vec!["w: nothing runs".to_string()],
    };
    assert!(
        started
            .reduce(Action::Replied(Side::A, Box::new(rejected)))
            .run(Side::A)
            .is_over()
    );
    let broken = started.reduce(Action::Broke(Side::A, "out of memory".to_string()));
    assert!(broken.run(Side::A).is_over());
}

#[test]
fn an_inspection_of_an_old_place_is_dropped() {
    let question = Question {
        side: Side::A,
        run: 1,
        cpu: 0,
        at_ns: 5,
        about: None,
    };
    let asked = model("k=2.6.31").reduce(Action::Inspecting(3, question));
    let reply = |ticket| {
        Action::Replied(
            Side::A,
            Box::new(Reply::Inspected {
                ticket,
                queue: Some(RunQueue::default()),
                explained: None,
            }),
        )
    };
    assert!(asked.reduce(reply(2)).inspection.queue.is_none());
    assert!(asked.reduce(reply(3)).inspection.queue.is_some());
}

/// The typed text and what is said of it go together, through edits, undo and the back button.
#[test]
fn a_fault_stays_until_it_is_mended_and_comes_back_with_undo() {
    let text = |model: &Model| model.address();
    let typed = "w=hogs(cuont=2);slepper&f=NO_SUCH";
    let start = model(typed);
    assert_eq!((text(&start), start.notes.len()), (typed.to_string(), 3));
    let seeded = start.reduce(Action::Dismiss(0)).reduce(seed(&start, 5));
    assert_eq!(text(&seeded), format!("{typed}&seed=5"));
    assert_eq!(seeded.notes.len(), 2, "what was dismissed stays away");
    let fixed = |model: &Model, at: usize| {
        let (_, link) = model.notes[at].fix.clone().expect("something near");
        model.reduce(Action::Typed(Box::new(url::read(&link))))
    };
    let one = fixed(&start, 0);
    assert_eq!(text(&one), "w=hogs(count=2);slepper&f=NO_SUCH");
    assert_eq!((one.notes.len(), one.trail), (2, Trail::Push));
    let two = fixed(&one, 0);
    assert_eq!(text(&two), "w=hogs(count=2);sleeper&f=NO_SUCH");
    let undone = two.reduce(Action::Undo);
    assert_eq!((text(&undone), undone.notes.len()), (text(&one), 2));
    let back = undone.reduce(Action::Opened(Box::new(url::read(typed))));
    assert_eq!((text(&back), back.notes.len()), (typed.to_string(), 3));
    assert!(back.history.can_redo());
    let kept = start.setup.plain();
    let plain = start.reduce(Action::Typed(Box::new(url::read(&url::shared(
        &kept,
        &start.view,
    )))));
    assert_eq!(text(&plain), "v=1&w=hogs");
    assert_eq!(plain.notes, []);
}

#[test]
fn a_note_is_dismissed_by_its_place_and_never_twice() {
    let noted = model("m=nowhere&k=nothing");
    assert_eq!(noted.notes.len(), 2);
    let one = noted.reduce(Action::Dismiss(0));
    assert_eq!(one.notes, noted.notes[1..]);
    assert_eq!(one.reduce(Action::Dismiss(9)).notes, one.notes);
}
