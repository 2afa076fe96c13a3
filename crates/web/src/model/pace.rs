//! Playback: how fast a run goes, what the next press of "play" means, and what a paced run does at a moment.
//!
//! All of it is values: the worker has the clock and does what [`Pacer::turn`] says.

use super::steps::Direction;
use super::view::Cursor;
use super::{Model, Side};
use crate::protocol::Pace;

/// The speeds on offer, simulated ns for each real second.
pub const SPEEDS_NS: [u64; 6] = [
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// A paced run that is later than this gives up what it is behind instead of rushing, ms.
const LATE_MS: f64 = 250.0;

/// A paced run is at most so far ahead of the one it is compared with, ms of real time.
const AHEAD_MS: f64 = 150.0;

/// So much real time is in view while a run is played, s.
pub(super) const IN_VIEW_S: u64 = 4;

/// What a run does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// It simulates, at most up to there, ns.
    Run(u64),
    /// Nothing, for that long, ms.
    Rest(f64),
}

/// Keeps a run to its pace.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pacer {
    pace: Pace,
    /// A real moment, ms, and where the run was then, ns.
    anchor: Option<(f64, u64)>,
    /// How far the run is that this one is compared with, ns.
    pub other_ns: Option<u64>,
}

impl Pacer {
    /// At that pace from the next turn on.
    pub const fn new(pace: Pace) -> Self {
        Self {
            pace,
            anchor: None,
            other_ns: None,
        }
    }

    /// Is it slower than it could be?
    pub const fn is_paced(&self) -> bool {
        self.pace.ns_per_s.is_some()
    }

    /// The pacer of a run that has stood still: what was missed is not made up for.
    #[must_use]
    pub const fn rested(self) -> Self {
        Self::new(self.pace)
    }

    /// What a run that is at `sim_ns` does at the real moment `real_ms`, and the pacer after it.
    #[must_use]
    pub fn turn(self, sim_ns: u64, real_ms: f64) -> (Turn, Self) {
        let Some(speed) = self.pace.ns_per_s else {
            return (Turn::Run(u64::MAX), self);
        };
        if sim_ns < self.pace.from_ns {
            return (Turn::Run(self.pace.from_ns), self);
        }
        let ns_per_ms = speed as f64 / 1e3;
        let due = |(since_ms, since_ns): (f64, u64)| {
            since_ns.saturating_add(((real_ms - since_ms).max(0.0) * ns_per_ms) as u64)
        };
        let kept = self
            .anchor
            .filter(|anchor| due(*anchor).saturating_sub(sim_ns) as f64 <= LATE_MS * ns_per_ms);
        let anchor = kept.unwrap_or((real_ms, sim_ns));
        let ahead = (AHEAD_MS * ns_per_ms) as u64;
        let most = self
            .other_ns
            .map_or(u64::MAX, |ns| ns.saturating_add(ahead));
        let turn = match due(anchor).min(most.max(self.pace.from_ns)) {
            due if due > sim_ns => Turn::Run(due),
            due => Turn::Rest(((sim_ns - due) as f64 + 1.0) / ns_per_ms),
        };
        let anchor = Some(anchor);
        (turn, Self { anchor, ..self })
    }
}

/// What "play or pause" means now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    /// What goes on halts.
    Halt,
    /// What is halted goes on.
    Resume,
    /// The runs start, and are paced from there on, ns.
    Start(u64),
}

/// What the controls of playback show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playback {
    /// Does anything go on?
    pub going: bool,
    /// The moment shown, ns.
    pub at_ns: u64,
    /// So far one can go, ns.
    pub end_ns: u64,
    /// So far it was simulated, ns: further, where not all of it is recorded.
    pub now_ns: u64,
    /// Simulated ns for each real second; none: as fast as it goes.
    pub speed_ns: Option<u64>,
}

impl Model {
    /// What the controls of playback show.
    pub fn playback(&self) -> Playback {
        let end_ns = self.recorded_ns();
        let at_ns = self.view.cursor.map_or(end_ns, |c| c.at_ns.min(end_ns));
        let sides = self.sides().iter();
        let numbers = sides.filter_map(|side| self.run(*side).numbers());
        let full = numbers.filter(|s| s.trace.full).map(|s| s.now_ns).max();
        Playback {
            going: self.busy() && !self.halted,
            at_ns,
            end_ns,
            now_ns: full.unwrap_or(end_ns),
            speed_ns: self.view.speed_ns,
        }
    }

    /// What "play or pause" means: a played run goes on from where the cursor was put.
    pub fn play(&self) -> Play {
        let Playback {
            going,
            at_ns,
            end_ns,
            speed_ns,
            ..
        } = self.playback();
        if going {
            return Play::Halt;
        }
        match speed_ns {
            Some(_) if at_ns < end_ns => Play::Start(at_ns),
            _ if self.busy() => Play::Resume,
            _ => Play::Start(0),
        }
    }

    /// The pace of a run that starts.
    pub fn pace(&self, from_ns: u64) -> Pace {
        Pace {
            ns_per_s: self.view.speed_ns,
            from_ns,
        }
    }

    /// Where a run that is played, or halted on its way, has come to; nothing while all goes at full speed.
    pub(super) fn edge(&self) -> Option<Cursor> {
        let slow = self.halted || self.view.speed_ns.is_some();
        let (side, cpu) = self.lane;
        let run = self.run(side);
        let shown = self.busy() && slow && self.sides().contains(&side) && !run.is_stale();
        let at_ns = run.numbers().filter(|_| shown)?.trace.end_ns;
        Some(Cursor { side, cpu, at_ns })
    }

    /// Whose next event has to be simulated when the cursor steps forward: that of a halted run of which no later one is
    /// recorded.
    pub fn steps(&self) -> Option<Side> {
        let edge = self.edge().filter(|_| self.halted)?;
        let at_end = self.stepped(Direction::Forward, false).is_none();
        at_end.then_some(edge.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use crate::model::{Action, View};
    use crate::protocol::{Halt, Reply, Snapshot};
    use crate::url;
    use std::rc::Rc;

    const SLOW: Pace = Pace {
        ns_per_s: Some(1_000_000),
        from_ns: 0,
    };

    #[test]
    fn full_speed_never_rests() {
        let pacer = Pacer::new(Pace::default());
        assert_eq!(pacer.turn(5, 1.0), (Turn::Run(u64::MAX), pacer));
    }

    #[test]
    fn a_played_run_keeps_to_its_ratio() {
        let (turn, pacer) = Pacer::new(SLOW).turn(0, 1_000.0);
        assert_eq!(turn, Turn::Rest(0.001), "nothing is due at first");
        let (turn, pacer) = pacer.turn(0, 1_020.0);
        assert_eq!(turn, Turn::Run(20_000), "20 ms of 1 ms a second");
        let (turn, pacer) = pacer.turn(20_000, 1_020.0);
        assert!(matches!(turn, Turn::Rest(_)));
        assert_eq!(pacer.turn(20_000, 1_100.0).0, Turn::Run(100_000));
    }

    #[test]
    fn of_two_played_runs_none_leaves_the_other_behind() {
        let (_, pacer) = Pacer::new(SLOW).turn(0, 0.0);
        let behind = Pacer {
            other_ns: Some(50_000),
            ..pacer
        };
        assert_eq!(behind.turn(0, 200.0).0, Turn::Run(200_000));
        assert_eq!(behind.turn(0, 240.0).0, Turn::Run(200_000), "no further");
        assert!(matches!(behind.turn(200_000, 240.0).0, Turn::Rest(_)));
        let caught_up = Pacer {
            other_ns: Some(150_000),
            ..pacer
        };
        assert_eq!(caught_up.turn(200_000, 240.0).0, Turn::Run(240_000));
    }

    #[test]
    fn what_was_missed_is_not_made_up_for() {
        let (_, pacer) = Pacer::new(SLOW).turn(0, 0.0);
        let (turn, late) = pacer.turn(0, 5_000.0);
        assert!(matches!(turn, Turn::Rest(_)), "{turn:?}");
        assert_eq!(late.turn(0, 5_010.0).0, Turn::Run(10_000));
        let (turn, _) = pacer.rested().turn(0, 100.0);
        assert!(matches!(turn, Turn::Rest(_)), "a pause is no time");
    }

    #[test]
    fn the_way_to_the_cursor_is_not_paced() {
        let pacer = Pacer::new(Pace {
            from_ns: 70_000,
            ..SLOW
        });
        assert_eq!(pacer.turn(10, 3.0), (Turn::Run(70_000), pacer));
        assert!(matches!(pacer.turn(70_000, 9.0).0, Turn::Rest(_)));
    }

    #[test]
    fn any_pace_and_any_clock_give_a_turn() {
        for speed in [1, u64::MAX] {
            for real in [0.0, -5.0, f64::NAN, f64::MAX] {
                let pacer = Pacer::new(Pace {
                    ns_per_s: Some(speed),
                    from_ns: 0,
                });
                let (_, pacer) = pacer.turn(7, 1.0);
                let (turn, _) = pacer.turn(u64::MAX, real);
                assert!(!matches!(turn, Turn::Rest(ms) if ms.is_nan()), "{turn:?}");
            }
        }
    }

    fn snapshot(side: Side, updates: usize) -> Rc<Snapshot> {
        let mut shown = None;
        for update in Demo::small(side).updates().into_iter().take(updates) {
            shown = Some(Snapshot::advance(shown.as_ref(), update));
        }
        Rc::new(shown.expect("at least one"))
    }

    /// A run at 1 ms a second that has half of its numbers.
    fn played() -> Model {
        let model = Model::new(url::read("w=hogs(count=2)&view&play=1ms"));
        let started = model.reduce(Action::Started {
            side: Side::A,
            run: 1,
        });
        started.reduce(Action::Arrived(snapshot(Side::A, 2)))
    }

    #[test]
    fn a_played_run_is_shown_where_it_has_come_to() {
        let model = played();
        assert_eq!(model.view.speed_ns, Some(1_000_000), "the link says so");
        let end = model.recorded_ns();
        assert_eq!(model.place().map(|place| place.at_ns), Some(end));
        let window = model.shown_view().window.expect("the last seconds");
        assert_eq!((window.to_ns, window.length_ns()), (end, 4_000_000));
        assert_eq!(model.own_view(model.shown_view()), model.view);
        let fast = model.reduce(Action::Look(View::default()));
        assert_eq!((fast.place(), fast.shown_view().window), (None, None));
    }

    #[test]
    fn of_what_is_not_all_recorded_it_is_said_how_much_it_is() {
        let mut snapshot = Demo::small(Side::A).snapshot();
        let recorded = snapshot.trace.end_ns;
        snapshot.now_ns = 3 * recorded;
        let shown = |snapshot: &Snapshot| {
            let playback = played().reduce(Action::Arrived(Rc::new(snapshot.clone())));
            let playback = playback.playback();
            (playback.end_ns, playback.now_ns)
        };
        assert_eq!(shown(&snapshot), (recorded, recorded));
        snapshot.trace.full = true;
        assert_eq!(shown(&snapshot), (recorded, 3 * recorded));
    }

    #[test]
    fn play_halts_resumes_and_goes_on_from_the_cursor() {
        let model = played();
        assert_eq!(model.play(), Play::Halt);
        let halted = model.reduce(Action::Halt(true));
        assert_eq!(halted.play(), Play::Resume);
        assert_eq!(halted.steps(), Some(Side::A));
        let back = halted.reduce(Action::Look(halted.at_time(77)));
        assert_eq!(back.play(), Play::Start(77));
        assert_eq!(back.steps(), None, "the next event is recorded");
        assert_eq!(back.pace(77).from_ns, 77);
        let ended = Reply::Ended {
            run: 1,
            why: Halt::Finished,
            wall_ms: 1.0,
        };
        let over = model.reduce(Action::Replied(Side::A, Box::new(ended)));
        assert_eq!(over.play(), Play::Start(0));
        assert_eq!(over.steps(), None);
    }

    #[test]
    fn going_on_leaves_the_cursor_for_its_cpu() {
        let model = played();
        let looked = model.reduce(Action::Look(model.on_cpu(Side::A, 5)));
        let going = looked.reduce(Action::Follow);
        assert_eq!(going.view.cursor, None);
        let place = going.place().expect("where it has come to");
        assert_eq!((place.cpu, place.at_ns), (5, going.recorded_ns()));
    }
}
