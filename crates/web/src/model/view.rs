//! How results are looked at: the part of the page's state that never re-runs anything.
//!
//! Not here: what is simulated (the configurations), nor what came out (the snapshots). All times are simulated
//! nanoseconds since the start of the run.

use crate::number::within;
use crate::protocol::{About, RunSide};

/// The shortest stretch of time that fills the timeline, ns.
const SHORTEST_NS: u64 = 200;

/// A stretch of simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its start, ns.
    pub from_ns: u64,
    /// Its end, ns; after the start.
    pub to_ns: u64,
}

impl Window {
    /// From `from_ns` to `to_ns`, made long enough to be seen.
    pub fn new(from_ns: u64, to_ns: u64) -> Self {
        let to_ns = to_ns.max(from_ns.saturating_add(SHORTEST_NS));
        Self { from_ns, to_ns }
    }

    /// Its length, ns.
    pub fn length_ns(self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Its middle, ns.
    pub fn middle_ns(self) -> u64 {
        self.from_ns + self.length_ns() / 2
    }

    /// Does it contain `at_ns`?
    pub fn contains(self, at_ns: u64) -> bool {
        (self.from_ns..=self.to_ns).contains(&at_ns)
    }

    /// Stretched by `factor` around `fixed_ns`, which stays where it is, and kept within 0 … `end_ns`.
    #[must_use]
    pub fn zoomed(self, factor: f64, fixed_ns: u64, end_ns: u64) -> Self {
        let fixed = fixed_ns.clamp(self.from_ns, self.to_ns);
        let longest = end_ns.max(SHORTEST_NS) as f64;
        let length = within(
            self.length_ns() as f64 * factor,
            SHORTEST_NS as f64,
            longest,
        );
        let share = (fixed - self.from_ns) as f64 / self.length_ns() as f64;
        let from = (fixed as f64 - length * share).max(0.0) as u64;
        Self::new(from, from + length as u64).kept_within(end_ns)
    }

    /// Moved by `by_ns` and kept within 0 … `end_ns`.
    #[must_use]
    pub fn panned(self, by_ns: i64, end_ns: u64) -> Self {
        let from = self.from_ns.saturating_add_signed(by_ns);
        Self {
            from_ns: from,
            to_ns: from + self.length_ns(),
        }
        .kept_within(end_ns)
    }

    /// Moved by the least that makes `at_ns` visible, some way from the edge.
    #[must_use]
    pub fn showing(self, at_ns: u64, end_ns: u64) -> Self {
        let margin = self.length_ns() / 10;
        let (low, high) = (self.from_ns + margin, self.to_ns - margin);
        if (low..=high).contains(&at_ns) {
            return self;
        }
        let by = at_ns as i64 - if at_ns < low { low } else { high } as i64;
        self.panned(by, end_ns)
    }

    fn kept_within(self, end_ns: u64) -> Self {
        let length = self.length_ns().min(end_ns.max(SHORTEST_NS));
        let from = self.from_ns.min(end_ns.saturating_sub(length));
        Self {
            from_ns: from,
            to_ns: from + length,
        }
    }
}

/// A place in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// In which of the compared runs.
    pub side: RunSide,
    /// On which CPU.
    pub cpu: u16,
    /// When, ns.
    pub at_ns: u64,
}

/// A decision that somebody asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Why does this task run? The switch on `cpu` at `at_ns`.
    Pick,
    /// Why did this wakeup preempt, or not? The wakeup of `task` at `at_ns`.
    Preempt {
        /// Who woke up.
        task: u32,
    },
    /// Why was this CPU selected? The wakeup of `task` at `at_ns`.
    Placement {
        /// Who woke up.
        task: u32,
    },
    /// Why did this task move? The migration of `task` at `at_ns`.
    Migration {
        /// Who moved.
        task: u32,
    },
}

impl From<About> for Asked {
    fn from(about: About) -> Self {
        match about {
            About::Pick => Asked::Pick,
            About::Wakeup(task) => Asked::Preempt { task },
            About::Move(task) => Asked::Migration { task },
        }
    }
}

impl From<Asked> for About {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Pick => About::Pick,
            Asked::Preempt { task } | Asked::Placement { task } => About::Wakeup(task),
            Asked::Migration { task } => About::Move(task),
        }
    }
}

/// What the colours of the timeline mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Each task its own.
    #[default]
    Task,
    /// Each group of the workload its own.
    Group,
    /// What tasks do in their workload: senders, receivers, hogs.
    Kind,
    /// Why the task was picked.
    Reason,
}

impl ColourBy {
    /// Every meaning, in the order they are offered.
    pub const ALL: [ColourBy; 4] = [
        ColourBy::Task,
        ColourBy::Group,
        ColourBy::Kind,
        ColourBy::Reason,
    ];

    /// Its name in links.
    pub const fn name(self) -> &'static str {
        match self {
            ColourBy::Task => "task",
            ColourBy::Group => "group",
            ColourBy::Kind => "kind",
            ColourBy::Reason => "reason",
        }
    }

    /// The meaning of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// How results are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The stretch of time in the timeline; none: all of it.
    pub window: Option<Window>,
    /// The place that run queue and explanation are about.
    pub cursor: Option<Cursor>,
    /// What is asked about that place.
    pub asked: Option<Asked>,
    /// What the colours mean.
    pub colour: ColourBy,
    /// How fast runs are played: simulated ns for each real second; none: as fast as it goes.
    pub speed_ns: Option<u64>,
}

impl View {
    /// The stretch of time shown of a trace that ends at `end_ns`.
    pub fn window_or_all(&self, end_ns: u64) -> Window {
        self.window.unwrap_or(Window::new(0, end_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u64 = 1_000_000;

    #[test]
    fn zooming_keeps_the_fixed_point_and_the_bounds() {
        let all = Window::new(0, END);
        let half = all.zoomed(0.5, 250_000, END);
        assert_eq!(half, Window::new(125_000, 625_000));
        assert_eq!(
            half.zoomed(1000.0, 250_000, END),
            all,
            "never beyond the trace"
        );
        assert_eq!(all.zoomed(0.0, END, END).length_ns(), SHORTEST_NS);
        assert_eq!(all.zoomed(f64::NAN, 0, END).from_ns, 0, "total");
    }

    #[test]
    fn panning_stops_at_both_ends() {
        let window = Window::new(100, 1_100);
        assert_eq!(window.panned(-500, END), Window::new(0, 1_000));
        assert_eq!(
            window.panned(i64::MAX / 2, END),
            Window::new(END - 1_000, END)
        );
        assert_eq!(window.panned(50, END), Window::new(150, 1_150));
    }

    #[test]
    fn a_cursor_outside_pulls_the_window_along() {
        let window = Window::new(10_000, 20_000);
        assert_eq!(window.showing(15_000, END), window);
        assert!(window.showing(50_000, END).contains(50_000));
        assert!(window.showing(0, END).contains(0));
        assert!(window.showing(END, END).contains(END));
    }

    #[test]
    fn colours_are_found_by_their_names() {
        for colour in ColourBy::ALL {
            assert_eq!(ColourBy::by_name(colour.name()), Some(colour));
        }
    }
}
