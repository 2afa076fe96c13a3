//! Where the pictures of one moment look: at the cursor; where none is set, at what is played, or at a decision worth
//! a look.

use super::pace::IN_VIEW_S;
use super::view::{Asked, Cursor, View, Window};
use super::{Model, Side};
use crate::protocol::{PickWhy, Snapshot};

impl Model {
    /// The place that the queue, the machine and the explanation are about.
    pub fn place(&self) -> Option<Cursor> {
        self.view.cursor.or_else(|| self.edge()).or(self.suggested)
    }

    /// What is asked there.
    pub fn asked(&self) -> Option<Asked> {
        if self.view.cursor.is_some() {
            return self.view.asked;
        }
        // What is played changes too often to be read.
        let still = !self.busy() || self.halted;
        self.place().filter(|_| still).map(|_| Asked::Pick)
    }

    /// The view with everything in it that follows from the runs: what the timeline draws.
    pub fn shown_view(&self) -> View {
        View {
            window: self.shown_window(),
            cursor: self.place(),
            asked: self.asked(),
            ..self.view
        }
    }

    /// The stretch of time that the timeline shows: it follows what is played.
    fn shown_window(&self) -> Option<Window> {
        let followed = self.edge().filter(|_| self.view.cursor.is_none());
        let Some(Cursor { at_ns, .. }) = followed else {
            return self.view.window;
        };
        let long = self
            .view
            .speed_ns
            .map(|speed| speed.saturating_mul(IN_VIEW_S));
        let last = |long| (long < at_ns).then(|| Window::new(at_ns - long, at_ns));
        match self.view.window {
            Some(window) => Some(window.showing(at_ns, self.recorded_ns())),
            None => long.and_then(last),
        }
    }

    /// The view that the timeline asks for, without what it only gives back from [`Model::shown_view`].
    #[must_use]
    pub fn own_view(&self, wanted: View) -> View {
        let shown = self.shown_view();
        let window = if wanted.window == shown.window {
            self.view.window
        } else {
            wanted.window
        };
        let same_place = (wanted.cursor, wanted.asked) == (shown.cursor, shown.asked);
        let (cursor, asked) = if same_place {
            (self.view.cursor, self.view.asked)
        } else {
            (wanted.cursor, wanted.asked)
        };
        View {
            window,
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

/// Up to so many waiting tasks can be told apart in a picture.
const READABLE: u16 = 12;

/// Does it run a buddy, how many wait if they can be told apart, how near is it to the middle of the run?
type Worth = (bool, Option<u16>, u64);

/// The switch with the most to tell: one to a buddy before others, in a queue as long as can be read; of equals the one
/// nearest to the middle of the run, where it is neither starting nor ending.
pub(super) fn suggestion(side: Side, run: &Snapshot) -> Option<Cursor> {
    let middle = run.trace.end_ns / 2;
    let mut best: Option<(Worth, Cursor)> = None;
    for (cpu, lane) in (0..).zip(&run.trace.lanes) {
        let mut last = None;
        for switch in lane.walk(0) {
            // Of two switches of a CPU at one instant only the first can be asked for.
            let first = last.replace(switch.at_ns) != Some(switch.at_ns);
            let buddy = matches!(
                switch.pick,
                PickWhy::NextBuddy | PickWhy::LastBuddy | PickWhy::EligibleBuddy
            );
            let readable = Some(switch.waiting).filter(|n| *n <= READABLE);
            let nearness = u64::MAX - switch.at_ns.abs_diff(middle);
            let worth = (buddy, readable, nearness);
            if first && switch.waiting > 0 && best.is_none_or(|(most, _)| worth > most) {
                let at_ns = switch.at_ns;
                best = Some((worth, Cursor { side, cpu, at_ns }));
            }
        }
    }
    best.map(|(_, place)| place)
}

/// A run that has ended. Only for tests.
#[cfg(test)]
pub(super) fn ended() -> Model {
    use super::Action;
    use crate::protocol::{Halt, Reply};
    let model = Model::new(crate::url::read("w=hogs(count=2)"));
    let snapshot = crate::demo::Demo::small(Side::A).snapshot();
    let over = Reply::Ended {
        run: 1,
        why: Halt::Finished,
        wall_ms: 1.0,
    };
    let actions = [
        Action::Started {
            side: Side::A,
            run: 1,
        },
        Action::Arrived(std::rc::Rc::new(snapshot)),
        Action::Replied(Side::A, Box::new(over)),
    ];
    let after = |model: Model, action| model.reduce(action);
    actions.into_iter().fold(model, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Action;

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
        let old = ended();
        let compared = old.reduce(Action::Compare(true));
        assert_eq!(compared.place(), old.place(), "A is as it was");
        let other = crate::url::read("w=hogs(count=3)");
        let model = old.reduce(Action::Opened(Box::new(other)));
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
