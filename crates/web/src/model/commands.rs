//! What the keys do to the model: steps of the cursor, zoom, questions.

use super::view::{Asked, Cursor, View, Window};
use super::{Action, Model, Side};
use crate::keyboard::Command;
use crate::protocol::Snapshot;

/// One press of a zoom key.
const ZOOM: f64 = 0.5;

impl Model {
    /// The action that `command` stands for; none if it has no meaning now.
    pub fn command(&self, command: Command) -> Option<Action> {
        match command {
            Command::StepBack => self.stepped(Direction::Back, false),
            Command::StepForward => self.stepped(Direction::Forward, false),
            Command::SwitchBack => self.stepped(Direction::Back, true),
            Command::SwitchForward => self.stepped(Direction::Forward, true),
            Command::ZoomIn => Some(self.zoomed(ZOOM)),
            Command::ZoomOut => Some(self.zoomed(1.0 / ZOOM)),
            Command::ZoomAll => Some(Action::Look(View {
                window: None,
                ..self.view
            })),
            Command::Why => self.why(),
            Command::Compare => Some(Action::Compare(self.setup.b.is_none())),
            Command::Undo => Some(Action::Undo),
            Command::Redo => Some(Action::Redo),
            Command::RunPause | Command::Search | Command::Help => None,
        }
    }

    /// The end of what is recorded on any side, ns.
    pub fn recorded_ns(&self) -> u64 {
        let ends = self
            .sides()
            .iter()
            .filter_map(|s| self.run(*s).numbers())
            .map(|s| s.trace.end_ns);
        ends.max().unwrap_or(0)
    }

    fn zoomed(&self, factor: f64) -> Action {
        let end = self.recorded_ns();
        let window = self.view.window_or_all(end);
        let fixed = self
            .place()
            .map(|c| c.at_ns)
            .filter(|at| window.contains(*at));
        let window = window.zoomed(factor, fixed.unwrap_or(window.middle_ns()), end);
        let all = window == Window::new(0, end);
        Action::Look(View {
            window: (!all).then_some(window),
            ..self.view
        })
    }

    fn why(&self) -> Option<Action> {
        let cursor = self.place()?;
        Some(Action::Look(View {
            cursor: Some(cursor),
            asked: Some(Asked::Pick),
            ..self.view
        }))
    }

    fn stepped(&self, direction: Direction, same_cpu: bool) -> Option<Action> {
        let from = self.place().unwrap_or_else(|| Cursor {
            side: Side::A,
            cpu: 0,
            at_ns: self.view.window_or_all(self.recorded_ns()).middle_ns(),
        });
        let snapshot = self.run(from.side).numbers()?;
        let (cpu, at_ns) = next_switch(snapshot, from, direction, same_cpu)?;
        let cursor = Cursor { cpu, at_ns, ..from };
        let window = self
            .view
            .window
            .map(|w| w.showing(at_ns, snapshot.trace.end_ns));
        Some(Action::Look(View {
            cursor: Some(cursor),
            window,
            asked: Some(Asked::Pick),
            ..self.view
        }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forward,
}

/// The CPU and time of the nearest switch before or after `from`. At one instant, lower CPUs come first.
fn next_switch(
    snapshot: &Snapshot,
    from: Cursor,
    direction: Direction,
    same_cpu: bool,
) -> Option<(u16, u64)> {
    let lanes = snapshot
        .trace
        .lanes
        .iter()
        .enumerate()
        .map(|(cpu, lane)| (cpu as u16, lane));
    let here = (from.at_ns, from.cpu);
    let candidates = lanes
        .filter(|(cpu, _)| !same_cpu || *cpu == from.cpu)
        .filter_map(|(cpu, lane)| {
            let at_or_before = lane.index_at(from.at_ns);
            let index = match direction {
                Direction::Back => {
                    let index = at_or_before?;
                    let own = lane.switch(index)?.at_ns;
                    if (own, cpu) < here {
                        index
                    } else {
                        index.checked_sub(1)?
                    }
                }
                Direction::Forward => {
                    let index = at_or_before.unwrap_or(0);
                    let own = lane.switch(index)?.at_ns;
                    if (own, cpu) > here { index } else { index + 1 }
                }
            };
            lane.switch(index).map(|s| (s.at_ns, cpu))
        });
    let best = match direction {
        Direction::Back => candidates.max(),
        Direction::Forward => candidates.min(),
    };
    best.map(|(at, cpu)| (cpu, at))
}
