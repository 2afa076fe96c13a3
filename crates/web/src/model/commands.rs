//! What the keys do to the model: steps of the cursor, zoom, questions.

use super::steps::Direction;
use super::view::{Asked, View, Window};
use super::{Action, Model};
use crate::keyboard::Command;

/// One press of a zoom key.
const ZOOM: f64 = 0.5;

impl Model {
    /// The action that `command` stands for; none if it has no meaning now.
    pub fn command(&self, command: Command) -> Option<Action> {
        match command {
            Command::StepBack => self.stepped(Direction::Back, false).map(Action::Look),
            Command::StepForward => self.stepped(Direction::Forward, false).map(Action::Look),
            Command::SwitchBack => self.stepped(Direction::Back, true).map(Action::Look),
            Command::SwitchForward => self.stepped(Direction::Forward, true).map(Action::Look),
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
}
