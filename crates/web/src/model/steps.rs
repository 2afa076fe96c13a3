//! What the cursor can step to: switches, wakeups and migrations, in the order in which they happened.
//!
//! The steps through what is recorded and the step that simulates the next event agree on what an event is.

use super::view::{Asked, Cursor, View};
use super::{Model, Side};
use crate::protocol::Snapshot;

/// What happened. At one instant a task moves before it is said to wake, and wakes before it is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Move,
    Wakeup,
    Pick,
}

/// Something that the cursor can stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    at_ns: u64,
    kind: Kind,
    cpu: u16,
    /// Who wakes or moves.
    task: u32,
}

/// Which way a step goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Back,
    Forward,
}

impl Event {
    /// The event that a cursor stands on, or behind.
    fn of(cursor: Cursor, asked: Option<Asked>) -> Self {
        let (kind, task) = match asked {
            Some(Asked::Preempt { task } | Asked::Placement { task }) => (Kind::Wakeup, task),
            Some(Asked::Migration { task }) => (Kind::Move, task),
            Some(Asked::Pick) | None => (Kind::Pick, 0),
        };
        Self {
            at_ns: cursor.at_ns,
            kind,
            cpu: cursor.cpu,
            task,
        }
    }

    fn asked(self) -> Asked {
        let task = self.task;
        match self.kind {
            Kind::Move => Asked::Migration { task },
            Kind::Wakeup => Asked::Preempt { task },
            Kind::Pick => Asked::Pick,
        }
    }
}

impl Model {
    /// The view with the cursor on `event` of the run on `side`.
    pub(super) fn at_event(&self, side: Side, event: Event) -> View {
        let (cpu, at_ns) = (event.cpu, event.at_ns);
        let end_ns = self.run(side).numbers().map_or(0, |s| s.trace.end_ns);
        View {
            cursor: Some(Cursor { side, cpu, at_ns }),
            asked: Some(event.asked()),
            window: self.view.window.map(|w| w.showing(at_ns, end_ns)),
            ..self.view
        }
    }

    /// The view one step on; `same_cpu` steps over all but the switches of the CPU of the cursor.
    pub(super) fn stepped(&self, direction: Direction, same_cpu: bool) -> Option<View> {
        let from = self.place().unwrap_or_else(|| Cursor {
            side: Side::A,
            cpu: 0,
            at_ns: self.view.window_or_all(self.recorded_ns()).middle_ns(),
        });
        let snapshot = self.run(from.side).numbers()?;
        let here = Event::of(from, self.asked());
        let switches =
            switches(snapshot, here, direction).filter(|e| !same_cpu || e.cpu == from.cpu);
        let marks = (!same_cpu).then(|| marks(snapshot, here, direction));
        let all = switches.chain(marks.into_iter().flatten());
        let event = match direction {
            Direction::Back => all.filter(|event| *event < here).max(),
            Direction::Forward => all.filter(|event| *event > here).min(),
        };
        Some(self.at_event(from.side, event?))
    }
}

/// Of each CPU the switches next to `here`.
fn switches(snapshot: &Snapshot, here: Event, direction: Direction) -> impl Iterator<Item = Event> {
    let lanes = (0..).zip(&snapshot.trace.lanes);
    lanes.flat_map(move |(cpu, lane)| {
        let last = lane.index_at(here.at_ns);
        let near = match direction {
            Direction::Back => [last, lane.index_at(here.at_ns.wrapping_sub(1))],
            Direction::Forward => [last, last.map_or(Some(0), |last| Some(last + 1))],
        };
        let found = near.map(|index| lane.switch(index?));
        found.into_iter().flatten().map(move |switch| Event {
            at_ns: switch.at_ns,
            kind: Kind::Pick,
            cpu,
            task: 0,
        })
    })
}

/// The wakeups and migrations at `here`, and those next to it.
fn marks(snapshot: &Snapshot, here: Event, direction: Direction) -> Vec<Event> {
    let trace = &snapshot.trace;
    let (from, to) = match direction {
        Direction::Back => (0, here.at_ns),
        Direction::Forward => (here.at_ns, u64::MAX),
    };
    let wakeups = trace.wakeups_in(from, to).map(|w| Event {
        at_ns: w.at_ns,
        kind: Kind::Wakeup,
        cpu: w.to_cpu,
        task: w.task,
    });
    let moves = trace.migrations_in(from, to).map(|m| Event {
        at_ns: m.at_ns,
        kind: Kind::Move,
        cpu: m.to_cpu,
        task: m.task,
    });
    let mut found = nearest(wakeups, here, direction);
    found.extend(nearest(moves, here, direction));
    found
}

/// The events at the instant of `here`, and those at the first one beyond it.
fn nearest(
    events: impl DoubleEndedIterator<Item = Event>,
    here: Event,
    direction: Direction,
) -> Vec<Event> {
    let mut beyond = None;
    let near = |event: &Event| {
        event.at_ns == here.at_ns || *beyond.get_or_insert(event.at_ns) == event.at_ns
    };
    match direction {
        Direction::Back => events.rev().take_while(near).collect(),
        Direction::Forward => events.take_while(near).collect(),
    }
}

/// The last of the events that `now` has and `before` has not; nothing if there is none.
pub(super) fn newest(before: &Snapshot, now: &Snapshot) -> Option<Event> {
    let (old, new) = (&before.trace, &now.trace);
    let end = Event {
        at_ns: new.end_ns,
        kind: Kind::Pick,
        cpu: u16::MAX,
        task: u32::MAX,
    };
    let lanes = (0..).zip(new.lanes.iter().zip(&old.lanes));
    let switched = lanes.filter_map(|(cpu, (new, old))| {
        let index = new.len().checked_sub(1).filter(|_| new.len() > old.len())?;
        Some(Event {
            at_ns: new.switch(index)?.at_ns,
            cpu,
            task: 0,
            ..end
        })
    });
    let count = |trace: &crate::protocol::Trace| {
        let wakeups: usize = trace.wakeups.iter().map(|chunk| chunk.len()).sum();
        let moves: usize = trace.migrations.iter().map(|chunk| chunk.len()).sum();
        (wakeups, moves)
    };
    let ((old_wakeups, old_moves), (wakeups, moves)) = (count(old), count(new));
    let marked = marks(now, end, Direction::Back);
    let fresh = marked.into_iter().filter(|event| match event.kind {
        Kind::Move => moves > old_moves,
        _ => wakeups > old_wakeups,
    });
    switched.chain(fresh).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use crate::model::place::ended;
    use crate::model::{Action, Model};
    use crate::url;
    use std::collections::BTreeSet;
    use std::rc::Rc;

    /// Everything that happened up to the instant that the steps have come to.
    fn all(model: &Model, until_ns: u64) -> BTreeSet<Event> {
        let snapshot = model.run(Side::A).numbers().expect("it has run");
        let end = Event {
            at_ns: until_ns,
            kind: Kind::Pick,
            cpu: u16::MAX,
            task: u32::MAX,
        };
        let wakeups = snapshot.trace.wakeups_in(0, until_ns).map(|w| Event {
            at_ns: w.at_ns,
            kind: Kind::Wakeup,
            cpu: w.to_cpu,
            task: w.task,
        });
        let moves = snapshot.trace.migrations_in(0, until_ns).map(|m| Event {
            at_ns: m.at_ns,
            kind: Kind::Move,
            cpu: m.to_cpu,
            task: m.task,
        });
        let lanes = (0..).zip(&snapshot.trace.lanes);
        let switches = lanes.flat_map(|(cpu, lane)| {
            lane.walk(0).map(move |s| Event {
                at_ns: s.at_ns,
                cpu,
                task: 0,
                ..end
            })
        });
        let switches = switches.filter(|e| e.at_ns <= until_ns);
        wakeups.chain(moves).chain(switches).collect()
    }

    #[test]
    fn steps_meet_every_event_both_ways() {
        let model = ended();
        let mut model = model.reduce(Action::Look(View {
            cursor: Some(Cursor {
                side: Side::A,
                cpu: 0,
                at_ns: 0,
            }),
            asked: Some(Asked::Pick),
            ..model.view
        }));
        let here = |model: &Model| {
            let cursor = model.view.cursor.expect("it stands somewhere");
            Event::of(cursor, model.view.asked)
        };
        let mut met = vec![here(&model)];
        for _ in 0..400 {
            let view = model.stepped(Direction::Forward, false).expect("more");
            model = model.reduce(Action::Look(view));
            met.push(here(&model));
        }
        let until = met.last().expect("some").at_ns - 1;
        let expected = all(&model, until);
        let past: BTreeSet<Event> = met.iter().copied().filter(|e| e.at_ns <= until).collect();
        let expected: BTreeSet<Event> = expected.into_iter().filter(|e| *e >= met[0]).collect();
        assert!(past == expected, "{} of {}", past.len(), expected.len());
        let kinds: BTreeSet<Kind> = met.iter().map(|event| event.kind).collect();
        assert_eq!(kinds.len(), 3, "switches, wakeups and migrations");
        for event in met.iter().rev().skip(1) {
            let view = model.stepped(Direction::Back, false).expect("more");
            model = model.reduce(Action::Look(view));
            assert_eq!(here(&model), *event);
        }
    }

    #[test]
    fn a_step_of_a_cpu_meets_its_switches_only() {
        let model = ended();
        let place = model.place().expect("suggested");
        let view = model.stepped(Direction::Forward, true).expect("more");
        let cursor = view.cursor.expect("set");
        assert_eq!((cursor.cpu, view.asked), (place.cpu, Some(Asked::Pick)));
        assert!(cursor.at_ns > place.at_ns);
    }

    #[test]
    fn the_cursor_goes_to_what_a_step_has_simulated() {
        let demo = Demo {
            updates: 400,
            ..Demo::small(Side::A)
        };
        let mut shown = None;
        let mut snapshots = demo.updates().into_iter().map(|update| {
            shown = Some(Snapshot::advance(shown.as_ref(), update));
            Rc::new(shown.clone().expect("just made"))
        });
        let mut next = || Action::Arrived(snapshots.next().expect("there are 400"));
        let begun = Model::new(url::read("w=hogs(count=2)"))
            .reduce(Action::Started {
                side: Side::A,
                run: 1,
            })
            .reduce(next())
            .reduce(Action::Halt(true));
        assert_eq!(begun.view.cursor, None);
        let asked = begun.reduce(Action::Stepping(Side::A));
        let stepped = asked.reduce(next());
        let cursor = stepped.view.cursor.expect("it goes there");
        let before = begun.recorded_ns();
        assert!((before..=stepped.recorded_ns()).contains(&cursor.at_ns));
        assert!(stepped.address().contains("at=A:"));
        let unasked = stepped.reduce(next());
        assert_eq!(unasked.view.cursor, Some(cursor), "nobody asked again");
    }
}
