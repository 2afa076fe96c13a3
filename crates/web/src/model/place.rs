//! Where the pictures of one moment look: at the cursor, or, until somebody has set one, at a decision worth a look.

use super::view::{Asked, Cursor, View};
use super::{Model, Side};
use crate::protocol::{PickWhy, Snapshot};

impl Model {
    /// The place that the queue, the machine and the explanation are about.
    pub fn place(&self) -> Option<Cursor> {
        self.view.cursor.or(self.suggested)
    }

    /// What is asked there.
    pub fn asked(&self) -> Option<Asked> {
        match self.view.cursor {
            Some(_) => self.view.asked,
            None => self.suggested.map(|_| Asked::Pick),
        }
    }

    /// The view with everything in it that follows from the runs: what the timeline draws.
    pub fn shown_view(&self) -> View {
        View {
            cursor: self.place(),
            asked: self.asked(),
            ..self.view
        }
    }

    /// The view that the timeline asks for, without what it only gives back from [`Model::shown_view`].
    #[must_use]
    pub fn own_view(&self, wanted: View) -> View {
        let shown = self.shown_view();
        let same_place = (wanted.cursor, wanted.asked) == (shown.cursor, shown.asked);
        let (cursor, asked) = if same_place {
            (self.view.cursor, self.view.asked)
        } else {
            (wanted.cursor, wanted.asked)
        };
        View {
            cursor,
            asked,
            ..wanted
        }
    }

    /// The view with the cursor at another moment, on the CPU where it is.
    pub fn at_time(&self, at_ns: u64) -> View {
        let (side, cpu) = self
            .place()
            .map_or((Side::A, 0), |place| (place.side, place.cpu));
        self.looking_at(Cursor { side, cpu, at_ns })
    }

    /// The view with the cursor on another CPU, at the moment where it is.
    pub fn on_cpu(&self, side: Side, cpu: u16) -> View {
        let end = self.recorded_ns();
        let at_ns = self.place().map_or(end, |place| place.at_ns);
        self.looking_at(Cursor { side, cpu, at_ns })
    }

    fn looking_at(&self, cursor: Cursor) -> View {
        let end = self.recorded_ns();
        View {
            cursor: Some(cursor),
            asked: Some(Asked::Pick),
            window: self.view.window.map(|w| w.showing(cursor.at_ns, end)),
            ..self.view
        }
    }
}

/// The switch with the most to tell: one to a buddy although others were further left, if there is one, among the
/// longest queue; of equals the first.
pub(super) fn suggestion(side: Side, run: &Snapshot) -> Option<Cursor> {
    let mut best = None;
    for (cpu, lane) in (0..).zip(&run.trace.lanes) {
        let mut last = None;
        for switch in lane.walk(0) {
            // Of two switches of a CPU at one instant only the first can be asked for.
            let first = last.replace(switch.at_ns) != Some(switch.at_ns);
            let buddy = matches!(switch.pick, PickWhy::NextBuddy | PickWhy::LastBuddy);
            let worth = (buddy, switch.waiting);
            let better = best
                .is_none_or(|(most, at, _)| worth > most || (worth == most && switch.at_ns < at));
            if first && switch.waiting > 0 && better {
                best = Some((worth, switch.at_ns, cpu));
            }
        }
    }
    best.map(|(_, at_ns, cpu)| Cursor { side, cpu, at_ns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use crate::model::Action;
    use crate::protocol::{Halt, Reply};
    use crate::url;
    use std::rc::Rc;

    /// A run that has ended.
    fn ended() -> Model {
        let mut model = Model::new(url::read("w=hogs(count=2)"));
        let snapshot = Demo::small(Side::A).snapshot();
        for action in [
            Action::Started {
                side: Side::A,
                run: 1,
            },
            Action::Arrived(Rc::new(snapshot)),
            Action::Replied(
                Side::A,
                Box::new(Reply::Ended {
                    run: 1,
                    why: Halt::Finished,
                    wall_ms: 1.0,
                }),
            ),
        ] {
            model = model.reduce(action);
        }
        model
    }

    #[test]
    fn a_run_that_has_ended_suggests_a_buddy_with_a_long_queue() {
        let model = ended();
        assert_eq!(model.view.cursor, None, "nothing is written into the link");
        let place = model.place().expect("something to see");
        let snapshot = model.run(Side::A).numbers().expect("it has run");
        let lane = &snapshot.trace.lanes[usize::from(place.cpu)];
        let index = lane.index_at(place.at_ns).expect("a switch");
        let switch = lane.switch(index).expect("there");
        assert_eq!(switch.at_ns, place.at_ns);
        assert_eq!(switch.waiting, 11, "the longest that are invented");
        assert!(matches!(
            switch.pick,
            PickWhy::NextBuddy | PickWhy::LastBuddy
        ));
        assert_eq!(model.asked(), Some(Asked::Pick));
        assert_eq!(model.question().map(|q| q.at_ns), Some(place.at_ns));
    }

    #[test]
    fn a_suggestion_that_comes_back_from_the_timeline_is_no_cursor() {
        let model = ended();
        let zoomed = View {
            colour: super::super::view::ColourBy::Kind,
            ..model.shown_view()
        };
        let own = model.own_view(zoomed);
        assert_eq!((own.cursor, own.asked), (None, None));
        assert_eq!(own.colour, zoomed.colour);
        let clicked = View {
            cursor: Some(Cursor {
                side: Side::A,
                cpu: 3,
                at_ns: 5,
            }),
            ..model.shown_view()
        };
        assert_eq!(model.own_view(clicked).cursor, clicked.cursor);
    }

    #[test]
    fn a_new_setup_suggests_nothing_yet() {
        let model = ended().reduce(Action::Compare(true));
        assert_eq!(model.place(), None);
    }

    #[test]
    fn charts_move_the_time_and_the_machine_moves_the_cpu() {
        let model = ended();
        let place = model.place().expect("something to see");
        let view = model.at_time(77);
        let cursor = view.cursor.expect("set");
        assert_eq!((cursor.cpu, cursor.at_ns), (place.cpu, 77));
        let cursor = model.on_cpu(Side::A, 9).cursor.expect("set");
        assert_eq!((cursor.cpu, cursor.at_ns), (9, place.at_ns));
    }
}
