//! The page's state and the one function that changes it.
//!
//! `reduce` is pure: no browser, no worker, no clock. What must happen outside (a run started, the address written)
//! follows from the state, in `app`. The wheels: a [`Setup`] says what is simulated, a [`View`] how it is looked at, a
//! [`Run`] what came out of one side.

mod alike;
mod commands;
mod history;
pub mod pace;
mod place;
mod question;
mod run;
mod setup;
mod shown_by;
mod steps;
#[cfg(test)]
mod tests;
pub mod view;

pub use alike::Alike;
pub use history::History;
pub use question::{Moment, Question};
pub use run::{Run, RunState};
pub use setup::{Change, Setup, Side, offered};
pub use shown_by::shown_by;
pub use view::View;

use crate::protocol::{Explained, Partings, Reply, RunQueue, Snapshot};
use crate::url::{self, Link, Note};
use std::rc::Rc;
use view::{Cursor, Window};

/// So much before and after the place where two runs part is shown, ns.
const PARTING_NS: u64 = 200_000;

/// How the address has to follow the last change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trail {
    /// It is already there, or a nudge: no new entry for the back button.
    #[default]
    Replace,
    /// A choice: the back button undoes it.
    Push,
}

/// What is known about the place the cursor is at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// Number of the request whose answer is awaited or shown.
    pub ticket: u32,
    /// The question that was asked last.
    pub asked: Option<Question>,
    /// The question that what follows answers.
    pub of: Option<Question>,
    /// The run queue there.
    pub queue: Option<Rc<RunQueue>>,
    /// The decision there.
    pub explained: Option<Rc<Explained>>,
    /// Has the answer come?
    pub answered: bool,
}

/// Where the two runs part.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Divergence {
    /// Nobody has asked.
    #[default]
    Unknown,
    /// The worker is looking; of what it finds the one at this place is to be shown.
    Searching(usize),
    /// In these decisions, of which one is shown; nowhere if there are none.
    In(Rc<Partings>, usize),
}

/// Everything the page knows. Equal means: the very one, for each action makes another, and looking through two of them
/// would find out what is known.
#[derive(Clone, Debug)]
pub struct Model {
    /// What is simulated.
    pub setup: Setup,
    /// Both as they were when B was put away: what B had of its own comes back with it.
    pub parked: Option<Setup>,
    /// Which side the setup column edits.
    pub editing: Side,
    /// Do machine, workload and run settings change on both sides at once?
    pub linked: bool,
    /// How it is looked at.
    pub view: View,
    /// What came out of A and of B.
    pub runs: [Run; 2],
    /// Before and after.
    pub history: History,
    /// What was wrong with the link.
    pub notes: Vec<Note>,
    /// The view as it was typed, where something of it was not understood, until another is looked at.
    pub typed_view: Option<Rc<str>>,
    /// What is known about the place of the cursor.
    pub inspection: Inspection,
    /// The run and the CPU that the cursor was on last.
    pub lane: (Side, u16),
    /// A place worth a look, until somebody chooses one; known when the runs are over.
    pub suggested: Option<Cursor>,
    /// Where A and B part.
    pub divergence: Divergence,
    /// How the address has to follow.
    pub trail: Trail,
    /// Is the run halted?
    pub halted: bool,
    /// The run whose next event is simulated: the cursor goes there.
    pub stepping: Option<Side>,
}

/// Something that happens to the page.
#[derive(Clone, Debug)]
pub enum Action {
    /// The setup is changed; edits with the same `merge` that follow each other are undone together.
    Edit {
        /// The new setup.
        setup: Setup,
        /// What kind of nudge it is, if it is one.
        merge: Option<&'static str>,
    },
    /// The link was written anew.
    Typed(Box<Link>),
    /// A nudge has come to its end.
    Settle,
    /// Back to the setup before the last change.
    Undo,
    /// Forth again.
    Redo,
    /// Show B beside A, or A alone.
    Compare(bool),
    /// The setup column edits that side.
    EditSide(Side),
    /// Machine, workload and run settings change on both sides, or on one.
    LinkSides(bool),
    /// The address was changed from outside.
    Opened(Box<Link>),
    /// Look in another way.
    Look(View),
    /// A note has been read.
    Dismiss(usize),
    /// A run was asked for.
    Started {
        /// Which side.
        side: Side,
        /// Its number.
        run: u32,
    },
    /// Run on, or halt.
    Halt(bool),
    /// No cursor any more: what is played is shown where it is.
    Follow,
    /// Numbers came from a worker.
    Arrived(Rc<Snapshot>),
    /// A worker said something.
    Replied(Side, Box<Reply>),
    /// A worker broke down, with its last words.
    Broke(Side, String),
    /// The queue and decision at the cursor were asked for, under a number.
    Inspecting(u32, Question),
    /// The next event of a halted run was asked for.
    Stepping(Side),
    /// Differences were asked for, of which the one at that place is to be shown.
    Diverging(usize),
    /// That one of them is to be shown.
    Part(usize),
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Model {
    /// The page as a link opens it.
    pub fn new(link: Link) -> Self {
        Self {
            setup: link.setup,
            parked: None,
            editing: Side::A,
            linked: true,
            view: link.view,
            runs: [Run::default(), Run::default()],
            history: History::default(),
            notes: link.notes,
            typed_view: link.typed_view,
            inspection: Inspection::default(),
            lane: link.view.cursor.map_or((Side::A, 0), |c| (c.side, c.cpu)),
            suggested: None,
            divergence: Divergence::default(),
            trail: Trail::Replace,
            halted: false,
            stepping: None,
        }
        .with_sides_in_order()
    }

    /// The run of one side.
    pub fn run(&self, side: Side) -> &Run {
        &self.runs[side as usize]
    }

    /// The sides that are shown.
    pub fn sides(&self) -> &'static [Side] {
        self.setup.sides()
    }

    /// The hash of each run that has come to its end, as the command line prints it.
    pub fn hashes(&self) -> Vec<(Side, String)> {
        let hash = |side: &Side| Some((*side, format!("{:016x}", self.hash(*side)?)));
        self.sides().iter().filter_map(hash).collect()
    }

    /// Is anything still going on?
    pub fn busy(&self) -> bool {
        self.sides()
            .iter()
            .any(|side| self.run(*side).state == RunState::Running)
    }

    /// The page after `action`.
    #[must_use]
    pub fn reduce(&self, action: Action) -> Self {
        let mut next = self.clone();
        match action {
            Action::Edit { setup, merge } => next.edit(setup, merge),
            Action::Typed(link) => next.retype(*link),
            Action::Settle => next.history.settle(),
            Action::Undo => next.travel(History::undo),
            Action::Redo => next.travel(History::redo),
            Action::Compare(on) => next.compare(on),
            Action::EditSide(side) => next.editing = side,
            Action::LinkSides(on) => next.linked = on,
            Action::Opened(link) => next.open(*link),
            Action::Look(view) => next.look(view),
            Action::Dismiss(index) => {
                if index < next.notes.len() {
                    next.notes.remove(index);
                }
                if next.notes.is_empty() {
                    next.typed_view = None;
                }
            }
            other => next.hear(other),
        }
        next.with_sides_in_order()
    }

    /// What comes from the workers.
    fn hear(&mut self, action: Action) {
        match action {
            Action::Started { side, run } => {
                self.runs[side as usize].start(run, self.setup.config(side));
            }
            Action::Halt(on) => self.halted = on,
            Action::Follow => {
                self.view.cursor = None;
                self.view.asked = None;
                self.halted = false;
                self.stepping = None;
            }
            Action::Stepping(side) => self.stepping = Some(side),
            Action::Arrived(snapshot) => self.arrive(&snapshot),
            Action::Replied(side, reply) => self.answer(side, *reply),
            Action::Broke(side, words) => self.runs[side as usize].state = RunState::Broken(words),
            Action::Inspecting(ticket, question) => {
                self.inspection.ticket = ticket;
                self.inspection.asked = Some(question);
                self.inspection.answered = false;
            }
            Action::Part(at) => {
                if let Divergence::In(all, _) = self.divergence.clone() {
                    self.part(all, at);
                }
            }
            Action::Diverging(at) => self.divergence = Divergence::Searching(at),
            _ => {}
        }
    }

    /// A control has changed the setup: of a link with faults, all that it does not touch stays as it was typed.
    fn edit(&mut self, setup: Setup, merge: Option<&'static str>) {
        let setup = url::retyped(&self.setup, setup);
        if setup == self.setup {
            return;
        }
        if self.setup.typed.is_some() {
            let still = url::notes(&setup);
            let known = |note: &Note| self.notes.iter().any(|old| old.is_like(note));
            self.notes = still.into_iter().filter(known).collect();
        }
        let merged = self.history.record(&self.setup, merge);
        self.trail = if merged { Trail::Replace } else { Trail::Push };
        self.change(setup);
    }

    fn retype(&mut self, link: Link) {
        self.notes = link.notes;
        self.typed_view = None;
        if link.setup != self.setup {
            self.history.record(&self.setup, None);
            self.trail = Trail::Push;
            self.change(link.setup);
        }
    }

    /// Whatever was known about the old setup is not about the new one.
    fn change(&mut self, setup: Setup) {
        self.setup = setup;
        self.typed_view = None;
        self.view.cursor = None;
        self.view.asked = None;
        self.inspection = Inspection {
            ticket: self.inspection.ticket + 1,
            ..Inspection::default()
        };
        self.suggested = None;
        self.divergence = Divergence::Unknown;
        self.halted = false;
        self.stepping = None;
        for side in self.setup.sides() {
            self.runs[*side as usize].follow(self.setup.config(*side));
        }
    }

    fn travel(&mut self, step: fn(&mut History, &Setup) -> Option<Setup>) {
        if let Some(setup) = step(&mut self.history, &self.setup) {
            self.trail = Trail::Push;
            if setup.typed.is_some() || self.setup.typed.is_some() {
                self.notes = url::notes(&setup);
            }
            self.change(setup);
        }
    }

    fn compare(&mut self, on: bool) {
        if on == self.setup.b.is_some() {
            return;
        }
        let setup = if on {
            // What is changed next is what B is to show.
            self.editing = Side::B;
            self.setup.compared_as(self.parked.take().as_ref())
        } else {
            self.parked = Some(self.setup.clone());
            self.setup.alone()
        };
        // A as it was is still looked at where it was; what was looked at in a B that is gone is not.
        let view = self.view;
        self.edit(setup, None);
        let still = |cursor: &Cursor| self.setup.sides().contains(&cursor.side);
        self.view.cursor = view.cursor.filter(still);
        self.view.asked = view.asked.filter(|_| self.view.cursor.is_some());
        self.suggest();
    }

    fn open(&mut self, link: Link) {
        self.trail = Trail::Replace;
        self.notes = link.notes;
        if link.setup != self.setup && !self.history.went_to(&link.setup, &self.setup) {
            self.history.record(&self.setup, None);
            self.parked = None;
        }
        if link.setup == self.setup {
            self.look(link.view);
        } else {
            self.change(link.setup);
            self.view = link.view;
        }
        self.typed_view = link.typed_view;
    }

    fn look(&mut self, view: View) {
        if let Some(Cursor { side, cpu, .. }) = view.cursor {
            self.lane = (side, cpu);
        }
        if view != self.view {
            self.typed_view = None;
        }
        self.view = view;
    }

    /// What the address says, without its `#`.
    pub fn address(&self) -> String {
        url::write(&self.setup, &self.view, self.typed_view.as_deref())
    }

    fn answer(&mut self, side: Side, reply: Reply) {
        match reply {
            Reply::Rejected { run, problems } => self.runs[side as usize].reject(run, problems),
            Reply::Ended { run, why, wall_ms } => {
                self.runs[side as usize].end(run, why, wall_ms);
                self.suggest();
            }
            Reply::Inspected {
                ticket,
                queue,
                explained,
            } => {
                if ticket == self.inspection.ticket {
                    self.inspection.of = self.inspection.asked;
                    self.inspection.queue = queue.map(Rc::new);
                    self.inspection.explained = explained;
                    self.inspection.answered = true;
                }
            }
            Reply::Diverged(partings) => {
                let at = match self.divergence {
                    // They are about an earlier setup.
                    Divergence::Unknown => return,
                    Divergence::Searching(at) => at,
                    Divergence::In(..) => 0,
                };
                let last = partings.found.len().saturating_sub(1);
                self.part(Rc::new(partings), at.min(last));
            }
            // The page never asks.
            Reply::Benched { .. } => {}
            Reply::Broken(words) => self.runs[side as usize].state = RunState::Broken(words),
        }
    }

    /// New numbers; after a step the cursor goes to what has happened.
    fn arrive(&mut self, snapshot: &Rc<Snapshot>) {
        let side = snapshot.side;
        let before = self.run(side).snapshot.clone();
        self.runs[side as usize].arrive(Rc::clone(snapshot));
        if self.stepping != Some(side) {
            return;
        }
        let newest = before.and_then(|before| steps::newest(&before, snapshot));
        if let Some(event) = newest {
            self.stepping = None;
            self.look(self.at_event(side, event));
        }
    }

    /// When all is over, there is something to look at.
    fn suggest(&mut self) {
        let run = self.run(Side::A);
        let sound = !self.busy() && !run.is_stale();
        let numbers = run.numbers().filter(|_| sound);
        self.suggested = numbers.and_then(|run| place::suggestion(Side::A, run));
    }

    /// The runs part there: that is where to look.
    fn part(&mut self, all: Rc<Partings>, at: usize) {
        if let Some(parting) = all.found.get(at) {
            let sides = [(Side::A, &parting.a), (Side::B, &parting.b)];
            let place = sides
                .iter()
                .find_map(|(s, told)| Some((*s, told.as_ref()?)));
            if let Some((side, place)) = place {
                let (cpu, at_ns) = (place.cpu, place.at_ns);
                self.view.cursor = Some(Cursor { side, cpu, at_ns });
                self.view.asked = parting.about.map(Into::into);
                self.view.window = Some(Window::new(
                    at_ns.saturating_sub(PARTING_NS),
                    at_ns + PARTING_NS,
                ));
            }
        }
        self.divergence = Divergence::In(all, at);
    }

    /// The side that is edited is one that is shown.
    fn with_sides_in_order(mut self) -> Self {
        if self.setup.b.is_none() {
            self.editing = Side::A;
        }
        self
    }
}
