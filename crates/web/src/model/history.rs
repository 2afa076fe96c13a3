//! Undo and redo: the setups before and after the present one.

use super::Setup;

/// So many changes can be undone.
const DEPTH: usize = 200;

/// The setups before and after the present one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    past: Vec<Setup>,
    future: Vec<Setup>,
    /// The nudge that is going on, if there is one.
    merging: Option<&'static str>,
}

impl History {
    /// Can anything be undone?
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Can anything be redone?
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// `present` is about to be left. Tells whether that only continues the nudge called `merge`.
    pub(super) fn record(&mut self, present: &Setup, merge: Option<&'static str>) -> bool {
        self.future.clear();
        if merge.is_some() && merge == self.merging {
            return true;
        }
        self.merging = merge;
        if self.past.len() == DEPTH {
            self.past.remove(0);
        }
        self.past.push(present.clone());
        false
    }

    /// The nudge has ended: the next one is a change of its own.
    pub(super) fn settle(&mut self) {
        self.merging = None;
    }

    /// The setup before `present`.
    pub(super) fn undo(&mut self, present: &Setup) -> Option<Setup> {
        let setup = self.past.pop()?;
        self.merging = None;
        self.future.push(present.clone());
        Some(setup)
    }

    /// The setup after `present`.
    pub(super) fn redo(&mut self, present: &Setup) -> Option<Setup> {
        let setup = self.future.pop()?;
        self.merging = None;
        self.past.push(present.clone());
        Some(setup)
    }

    /// The back or forward button led from `present` to `target`: if that is one step of this history, takes it.
    pub(super) fn went_to(&mut self, target: &Setup, present: &Setup) -> bool {
        if self.past.last() == Some(target) {
            return self.undo(present).is_some();
        }
        self.future.last() == Some(target) && self.redo(present).is_some()
    }
}
