//! Links say everything and survive everything.

use super::*;
use crate::model::Change;
use crate::model::view::{Asked, ColourBy, Cursor, Window};
use schedlab_engine::config::random;

fn looked_at() -> View {
    View {
        window: Some(Window::new(12_400_000, 12_520_001)),
        cursor: Some(Cursor {
            side: Side::B,
            cpu: 3,
            at_ns: 12_463_100,
        }),
        asked: Some(Asked::Preempt { task: 17 }),
        colour: ColourBy::Group,
        speed_ns: Some(1_000_000),
    }
}

#[test]
fn nothing_is_the_welcome_and_the_welcome_is_nothing() {
    for empty in ["", "#"] {
        let link = read(empty);
        assert_eq!(link.setup, Setup::welcome());
        assert!(link.notes.is_empty());
    }
    assert_eq!(write(&Setup::welcome(), &View::default(), None), "");
    let b = Setup::welcome().b.expect("a comparison");
    assert_eq!(
        (Setup::welcome().a.kernel.name, b.kernel.name),
        ("2.6.31", "2.6.32-rc1")
    );
}

#[test]
fn what_is_shared_says_what_is_compared_even_of_the_welcome() {
    let welcome = Setup::welcome();
    let pair = "v=1&k=2.6.31&vs&k=2.6.32-rc1";
    assert_eq!(shared(&welcome, &View::default()), pair);
    let looked = write(&welcome, &looked_at(), None);
    assert!(looked.starts_with(&format!("{pair}&view&z=")), "{looked}");
    assert_eq!(looked, shared(&welcome, &looked_at()));
    let link = read(&looked);
    assert_eq!((link.setup, link.view), (welcome, looked_at()));
}

#[test]
fn a_link_of_the_command_line_is_one_run() {
    let link = read("v=1&m=q6600&k=2.6.32");
    assert!(link.notes.is_empty(), "{:?}", link.notes);
    assert_eq!(
        (link.setup.a.machine.name.as_ref(), link.setup.b),
        ("q6600", None)
    );
}

#[test]
fn what_is_different_in_b_stands_after_vs() {
    let link = read("m=q6600&k=2.6.31&vs&k=2.6.32-rc1&d=-D13");
    let b = link.setup.b.clone().expect("a comparison");
    assert_eq!(
        (link.setup.a.kernel.name, b.kernel.name),
        ("2.6.31", "2.6.32-rc1")
    );
    assert_eq!(b.machine.name, "q6600");
    assert_eq!(
        write(&link.setup, &View::default(), None),
        "v=1&m=q6600&k=2.6.31&vs&k=2.6.32-rc1&d=-D13"
    );
}

#[test]
fn every_setup_and_view_comes_back_from_its_link() {
    let configs = random::list(7, 60);
    for pair in configs.chunks(2) {
        let [a, b] = pair else { continue };
        let canonical = |c: &Config| Rc::new(c.canonical());
        let alone = Setup {
            a: canonical(a),
            b: None,
            typed: None,
        };
        let both = Setup {
            a: canonical(a),
            b: Some(canonical(b)),
            typed: None,
        };
        let same = Setup {
            a: canonical(a),
            b: Some(canonical(a)),
            typed: None,
        };
        for setup in [alone, both, same] {
            for view in [View::default(), looked_at()] {
                let text = write(&setup, &view, None);
                let link = read(&format!("#{text}"));
                assert_eq!(link.setup, setup, "{text}");
                assert_eq!(link.view, view, "{text}");
                assert!(
                    link.notes.iter().all(|n| n.fix.is_none()),
                    "{text}: {:?}",
                    link.notes
                );
            }
        }
    }
}

#[test]
fn a_mistake_is_noted_where_it_is_and_can_be_mended() {
    let link = read("k=2.6.31&f=NO_WAKEUP_PREEMT&vs&k=2.6.32-rc2");
    let about: Vec<_> = link.notes.iter().map(|n| n.side).collect();
    assert_eq!(about, [Some(Side::A), Some(Side::B)], "{:?}", link.notes);
    let (meant, mended) = link.notes[0].fix.clone().expect("near a name");
    assert!(meant.contains("WAKEUP_PREEMPT"), "{meant}");
    assert_eq!(mended, "k=2.6.31&f=NO_WAKEUP_PREEMPT&vs&k=2.6.32-rc2");
    let (_, mended) = link.notes[1].fix.clone().expect("near a name");
    assert_eq!(mended, "k=2.6.31&f=NO_WAKEUP_PREEMT&vs&k=2.6.32-rc1");
    let text = "k=2.6.31&f=NO_WAKEUP_PREEMT&vs&k=2.6.32-rc2";
    let places = link
        .notes
        .iter()
        .map(|n| text.get(n.at.clone().expect("a place")));
    assert_eq!(
        places.collect::<Vec<_>>(),
        [Some("NO_WAKEUP_PREEMT"), Some("2.6.32-rc2")]
    );
}

/// A link compares two; what is said of a third is kept as it was typed, and told.
#[test]
fn a_third_experiment_is_left_out_and_noted() {
    let text = "k=6.1&vs&k=6.5&vs&k=6.6&f=NO_SUCH";
    let link = read(text);
    let kernel = link.setup.b.as_ref().map(|b| b.kernel.name);
    assert_eq!((link.setup.a.kernel.name, kernel), ("6.1", Some("6.5")));
    let [note] = link.notes.as_slice() else {
        panic!("{:?}", link.notes);
    };
    assert_eq!(note.words, PageLink::MORE);
    let place = note.at.clone().and_then(|at| text.get(at));
    assert_eq!(place, Some("vs&k=6.6&f=NO_SUCH"));
    assert_eq!(write(&link.setup, &link.view, None), text);
    let after = link
        .setup
        .changed(Side::B, &Change::own(|c| c.seed = 7), false);
    assert_eq!(
        write(&retyped(&link.setup, after), &View::default(), None),
        "k=6.1&vs&k=6.5&seed=7&vs&k=6.6&f=NO_SUCH"
    );
    assert_eq!(
        read("k=6.1&view&vs&k=6.5").notes.len(),
        2,
        "nor in the view"
    );
}

/// What is typed stays as it is for as long as something of it is not understood.
#[test]
fn a_link_with_a_fault_is_written_as_it_was_typed() {
    for text in [
        "w=hackbench(groups=10,lops=50)+hogs(count=3)",
        "m=nowhere",
        "k=9.9&m=q6600",
        "t=wakeup_granulrity:8ms",
        "f=NO_SUCH&vs&k=2.6.31",
        "k=2.6.31&vs&d=D99",
        "g=A(weigth=3)&w=hogs(in=A)",
        "w=(task+a+rn+1ms)",
        "nonsense",
    ] {
        let link = read(text);
        assert!(!link.notes.is_empty(), "{text}");
        assert_eq!(write(&link.setup, &View::default(), None), text);
        let looked = write(&link.setup, &looked_at(), None);
        let again = read(&looked);
        assert_eq!(
            (again.setup, again.view),
            (link.setup, looked_at()),
            "{text}"
        );
    }
    let advised = read("k=6.6&w=(task+a+slice+3ms+run+forever)");
    assert_eq!((advised.notes.len(), advised.setup.typed), (1, None));
}

#[test]
fn a_change_elsewhere_leaves_a_fault_where_it_is() {
    let changed = |text: &str, side, change: fn(&mut Config)| {
        let before = read(text).setup;
        let after = before.changed(side, &Change::own(change), false);
        write(&retyped(&before, after), &View::default(), None)
    };
    let seed: fn(&mut Config) = |c| c.seed = 7;
    assert_eq!(
        changed("w=hogs(cuont=2)", Side::A, seed),
        "w=hogs(cuont=2)&seed=7"
    );
    assert_eq!(
        changed("w=hogs(cuont=2)&vs&k=2.6.31", Side::B, seed),
        "w=hogs(cuont=2)&vs&k=2.6.31&seed=7"
    );
    assert_eq!(
        changed("k=2.6.31&vs&f=NO_SUCH", Side::A, seed),
        "k=2.6.31&seed=7&vs&f=NO_SUCH&seed=1"
    );
    let mend: fn(&mut Config) = |c| c.workloads[0].values[0] = 3;
    assert_eq!(
        changed("w=hogs(cuont=2)", Side::A, mend),
        "v=1&w=hogs(count=3)"
    );
}

#[test]
fn what_browsers_escape_is_escaped_before() {
    assert_eq!(escaped(" m=q6600 \n"), "m=q6600");
    assert_eq!(escaped("t=x:8 µs\nw=\"<"), "t=x:8+%C2%B5s&w=%22%3C");
}

#[test]
fn a_mistake_of_a_is_not_said_again_of_b() {
    let link = read("m=nonsense&k=2.6.31&vs&k=2.6.32");
    assert_eq!(link.notes.len(), 1, "{:?}", link.notes);
}

#[test]
fn an_escaped_link_is_read_all_the_same() {
    let plain = read("k=2.6.31&vs&k=2.6.32&view&at=A:0:5us");
    for mark in ["%26", "%2526"] {
        let escaped = "k=2.6.31&vs&k=2.6.32&view".replace('&', mark);
        assert_eq!(read(&escaped).setup, plain.setup, "{escaped}");
    }
    assert!(plain.view.cursor.is_some());
}

#[test]
fn a_view_that_makes_no_sense_is_noted_and_left_out() {
    for bad in [
        "at=C:0:1ms",
        "at=A:x:1ms",
        "z=5ms..4ms",
        "z=1..2",
        "ask=who",
        "by=smell",
        "q",
        "at=A:0:99999999999999999999s",
    ] {
        let link = read(&format!("k=2.6.31&view&{bad}"));
        assert_eq!(link.view, View::default(), "{bad}");
        assert_eq!(link.notes.len(), 1, "{bad}");
    }
    assert_eq!(
        read("view&ask=pick").view,
        View::default(),
        "about no place"
    );
}

#[test]
fn any_text_is_a_link() {
    let words = [
        "vs", "view", "&", "=", "%", "%2", "#", "k", "2.6.32", "é", "\u{0}", "(", ";", "at",
        "z=..", "D13",
    ];
    let mut state = 1_u64;
    for _ in 0..2_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            text.push_str(words[(state >> 33) as usize % words.len()]);
        }
        let link = read(&text);
        let again = read(&write(&link.setup, &link.view, None));
        assert_eq!(again.setup, link.setup, "{text}");
    }
}

#[test]
fn the_command_runs_the_same() {
    let link = read("m=q6600&k=2.6.31&vs&k=2.6.32");
    let command = command(&link.setup);
    assert_eq!(
        command,
        "schedlab compare 'v=1&m=q6600&k=2.6.31' 'v=1&m=q6600&k=2.6.32'"
    );
}
