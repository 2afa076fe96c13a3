//! What is asked about the place of the cursor: the question that the worker gets, and the moment that the pictures show.

use super::view::Cursor;
use super::{Inspection, Model, Side};
use crate::protocol::About;

/// A question about a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// About which run.
    pub side: Side,
    /// Its number.
    pub run: u32,
    /// About which CPU.
    pub cpu: u16,
    /// The moment whose queue is shown, ns.
    pub at_ns: u64,
    /// The decision, and when it was, ns.
    pub about: Option<(About, u64)>,
}

impl Model {
    /// What the cursor asks, if it is in a run that is shown.
    pub fn question(&self) -> Option<Question> {
        let cursor = self.place().filter(|c| self.sides().contains(&c.side))?;
        let run = self.run(cursor.side);
        let snapshot = run.numbers().filter(|_| !run.is_stale())?;
        if self.is_ahead() {
            return None;
        }
        let lane = snapshot.trace.lanes.get(usize::from(cursor.cpu))?;
        let about = self.asked().map(About::from);
        let when = |about| match about {
            // A pick is asked about by pointing anywhere into the slice that it began.
            About::Pick => lane
                .index_at(cursor.at_ns)
                .and_then(|i| lane.switch(i))
                // Before the first one it is idle from the start.
                .map_or(Some(0), |s| Some(s.at_ns)),
            About::Wakeup(_) | About::Move(_) => Some(cursor.at_ns),
        };
        let about = about.and_then(|about| Some((about, when(about)?)));
        Some(Question {
            side: cursor.side,
            run: run.id,
            cpu: cursor.cpu,
            at_ns: cursor.at_ns,
            about,
        })
    }

    /// Has the run not come to the cursor yet?
    pub fn is_ahead(&self) -> bool {
        let running = |place: &Cursor| {
            let run = self.run(place.side);
            let reached = run.numbers().map_or(0, |s| s.trace.end_ns);
            !run.is_over() && !run.is_stale() && place.at_ns > reached
        };
        self.place().as_ref().is_some_and(running)
    }

    /// What was found out last, if it is about the run whose numbers are shown.
    pub fn inspected(&self) -> Option<&Inspection> {
        let of = self.inspection.of.as_ref()?;
        let numbers = self.run(of.side).numbers()?;
        let is_about = numbers.run == of.run && self.sides().contains(&of.side);
        let wanted = self.place().is_some() || self.run(of.side).is_stale();
        (is_about && wanted && !self.is_ahead()).then_some(&self.inspection)
    }

    /// The one moment that the run queue, the machine and the explanation are about: that of the last answer. The cursor
    /// is ahead of it for as long as the worker takes.
    pub fn moment(&self) -> Option<Moment> {
        let of = self.inspected().and_then(|found| found.of);
        let from = |q: Question| Moment {
            place: Cursor {
                side: q.side,
                cpu: q.cpu,
                at_ns: q.at_ns,
            },
            decided: q.about,
        };
        let unasked = |place| Moment {
            place,
            decided: None,
        };
        of.or_else(|| self.question())
            .map(from)
            .or_else(|| self.place().map(unasked))
    }
}

/// What the pictures of one moment show: how things are on a CPU when everything up to then has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Where and when.
    pub place: Cursor,
    /// The decision that is told with it, and when it was, ns.
    pub decided: Option<(About, u64)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{self, Demo};
    use crate::model::view::{Asked, View};
    use crate::model::{Action, place::ended};
    use crate::protocol::{Reply, Snapshot};
    use crate::url;
    use std::rc::Rc;

    /// `model` after the worker has answered.
    fn answered(model: &Model) -> Model {
        let question = model.question().expect("something is asked");
        let ticket = model.inspection.ticket + 1;
        let asked = model.reduce(Action::Inspecting(ticket, question));
        let reply = Reply::Inspected {
            ticket,
            queue: Some(demo::run_queue()),
            explained: None,
        };
        asked.reduce(Action::Replied(question.side, Box::new(reply)))
    }

    #[test]
    fn the_moment_is_that_of_the_last_answer() {
        let first = answered(&ended());
        let place = first.place().expect("suggested");
        assert_eq!(first.moment().map(|m| m.place), Some(place));
        let moved = first.reduce(Action::Look(first.at_time(77)));
        assert_eq!(moved.place().map(|p| p.at_ns), Some(77));
        assert_eq!(moved.moment(), first.moment(), "until the answer comes");
        let then = answered(&moved).moment().expect("it has come");
        assert_eq!(then.place.at_ns, 77);
        assert!(then.decided.is_some_and(|(_, at)| at <= 77));
    }

    #[test]
    fn what_was_found_in_an_old_run_goes_with_its_numbers() {
        let old = answered(&ended());
        let started = old.reduce(Action::Started {
            side: Side::A,
            run: 2,
        });
        assert!(started.inspected().is_some(), "dimmed, like its numbers");
        let snapshot = Snapshot {
            run: 2,
            ..Demo::small(Side::A).snapshot()
        };
        let going = started.reduce(Action::Arrived(Rc::new(snapshot)));
        assert_eq!(going.inspected(), None);
    }

    #[test]
    fn a_cursor_ahead_of_the_run_asks_when_it_is_reached() {
        let model = Model::new(url::read("w=hogs(count=2)"));
        let started = model.reduce(Action::Started {
            side: Side::A,
            run: 1,
        });
        let mut update = None;
        for one in Demo::small(Side::A).updates().into_iter().take(2) {
            update = Some(Snapshot::advance(update.as_ref(), one));
        }
        let half = started.reduce(Action::Arrived(Rc::new(update.expect("at least one"))));
        let ahead = Cursor {
            side: Side::A,
            cpu: 1,
            at_ns: half.recorded_ns() + 1,
        };
        let half = half.reduce(Action::Look(View {
            cursor: Some(ahead),
            asked: Some(Asked::Pick),
            ..half.view
        }));
        assert!(half.is_ahead());
        assert_eq!(half.question(), None);
        let whole = half.reduce(Action::Arrived(Rc::new(Demo::small(Side::A).snapshot())));
        assert_eq!(whole.question().map(|q| q.at_ns), Some(ahead.at_ns));
    }
}
