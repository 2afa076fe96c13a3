//! What is asked about the place of the cursor: the question that the worker gets.

use super::{Model, Side};
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
        let lane = snapshot.trace.lanes.get(usize::from(cursor.cpu))?;
        let about = self.asked().map(About::from);
        let when = |about| match about {
            // A pick is asked about by pointing anywhere into the slice that it began.
            About::Pick => lane
                .index_at(cursor.at_ns)
                .and_then(|i| lane.switch(i))
                .map(|s| s.at_ns),
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
}
