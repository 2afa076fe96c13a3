//! Where two runs part: the first decision that one of them took differently.
//!
//! Both are run once more, side by side, a few thousand events at a time, and compared event by event. Not here:
//! how results differ.

use super::Sim;
use crate::config::Scenario;
use crate::observe::{Event, Observer};
use crate::sched::decision::{MigrateWhy, PickWhy, PlacementWhy, PreemptWhy};
use crate::time::Instant;
use alloc::vec::Vec;

/// Events compared at a time.
const CHUNK: u64 = 4096;

/// An event and when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dated {
    /// When.
    pub at: Instant,
    /// What.
    pub event: Event,
}

/// Where two runs part. Events are counted from 0: switches, wakeups, migrations by balancing, forks, exits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    /// The first event that is not the same, times and reasons aside.
    pub decision: Option<Parting>,
    /// Before that: the first event that is the same for another reason.
    pub reason: Option<Parting>,
    /// Before both: the first event that comes at another time.
    pub time: Option<Parting>,
}

/// One event on which two runs are not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// Its number.
    pub number: u64,
    /// What one did; none = its run was over.
    pub a: Option<Dated>,
    /// What the other did.
    pub b: Option<Dated>,
}

/// Keeps the events that are compared.
#[derive(Default)]
struct Keep(Vec<Dated>);

impl Observer for Keep {
    fn record(&mut self, at: Instant, event: &Event) {
        let decision = match event {
            // The wakeup or fork that comes with it says more.
            Event::Migrate { why, .. } => !matches!(why, MigrateWhy::Wakeup | MigrateWhy::Fork),
            Event::Switch { .. }
            | Event::Wakeup { .. }
            | Event::Fork { .. }
            | Event::Exit { .. } => true,
            _ => false,
        };
        if decision {
            self.0.push(Dated { at, event: *event });
        }
    }
}

/// Runs both until they part, or `stop` says that it takes too long.
pub fn find(a: &Scenario, b: &Scenario, stop: impl Fn() -> bool) -> Divergence {
    let (mut a, mut b) = (Sim::new(a), Sim::new(b));
    let (mut kept_a, mut kept_b) = (Keep::default(), Keep::default());
    let mut found = Divergence::default();
    let mut number = 0;
    while found.decision.is_none() && !stop() {
        a.run_told(Instant::FAR, CHUNK, &mut kept_a);
        b.run_told(Instant::FAR, CHUNK, &mut kept_b);
        let both = kept_a.0.len().min(kept_b.0.len());
        for (x, y) in kept_a.0.drain(..both).zip(kept_b.0.drain(..both)) {
            note(&mut found, number, Some(x), Some(y));
            number += 1;
            if found.decision.is_some() {
                return found;
            }
        }
        let over = |sim: &Sim| sim.progress().stop.is_some();
        let (rest_a, rest_b) = (kept_a.0.first().copied(), kept_b.0.first().copied());
        if over(&a) && rest_a.is_none() || over(&b) && rest_b.is_none() {
            // One is over; what the other still does is where they part.
            if rest_a.is_some() || rest_b.is_some() {
                note(&mut found, number, rest_a, rest_b);
                return found;
            }
            if over(&a) && over(&b) {
                return found;
            }
        }
    }
    found
}

/// Notes what is the first of its kind.
fn note(found: &mut Divergence, number: u64, a: Option<Dated>, b: Option<Dated>) {
    let parting = Some(Parting { number, a, b });
    let (Some(x), Some(y)) = (a, b) else {
        found.decision = parting;
        return;
    };
    if x == y {
        return;
    }
    if !same_outcome(&x.event, &y.event) {
        found.decision = parting;
    } else if x.event != y.event {
        found.reason = found.reason.or(parting);
    } else {
        found.time = found.time.or(parting);
    }
}

/// Is the outcome the same, whatever the reasons and the numbers compared?
fn same_outcome(a: &Event, b: &Event) -> bool {
    outcome(a) == outcome(b)
}

/// An event without its reasons.
fn outcome(event: &Event) -> Event {
    let mut plain = *event;
    match &mut plain {
        Event::Switch { why, forced, .. } => {
            *why = PickWhy::Idle;
            *forced = None;
        }
        Event::Wakeup {
            placement, preempt, ..
        }
        | Event::Fork {
            placement, preempt, ..
        } => {
            placement.visited = 0;
            placement.why = PlacementWhy::SameCpu;
            preempt.why = PreemptWhy::IdleCpu;
            preempt.gap = 0;
            preempt.gran = 0;
        }
        Event::Migrate { why, .. } => *why = MigrateWhy::Wakeup,
        _ => {}
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragment;

    fn scenario(link: &str) -> Scenario {
        Scenario::try_from(&fragment::parse(link).0).expect("a sound configuration")
    }

    const SMALL: &str = "w=hackbench(groups=1,fan=3,loops=4)";

    #[test]
    fn a_run_does_not_part_from_itself() {
        let a = scenario(SMALL);
        assert_eq!(find(&a, &a, || false), Divergence::default());
    }

    #[test]
    fn other_kernels_part_and_everything_before_was_the_same() {
        let (a, b) = (
            scenario(&alloc::format!("k=2.6.31&{SMALL}")),
            scenario(&alloc::format!("k=2.6.32-rc1&{SMALL}")),
        );
        let parting = find(&a, &b, || false).decision.expect("they part");
        let (mut kept_a, mut kept_b) = (Keep::default(), Keep::default());
        Sim::new(&a).run_until(Instant::FAR, &mut kept_a);
        Sim::new(&b).run_until(Instant::FAR, &mut kept_b);
        let pairs = kept_a.0.iter().zip(&kept_b.0);
        assert!(pairs.clone().count() as u64 >= parting.number);
        let before = pairs.take(parting.number as usize);
        assert!(
            before
                .clone()
                .all(|(x, y)| same_outcome(&x.event, &y.event))
        );
        assert_ne!(parting.a.map(|d| d.event), parting.b.map(|d| d.event));
    }

    #[test]
    fn it_stops_when_asked_to() {
        let a = scenario(SMALL);
        assert_eq!(find(&a, &a, || true), Divergence::default());
    }
}
