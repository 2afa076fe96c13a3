//! Where two runs part: decisions of the same kind about the same task that they took differently.
//!
//! Both are run once more, side by side in simulated time, and told to a [`Pairing`]. Not here: how results differ.

use super::Sim;
use crate::config::Scenario;
use crate::observe::parting::{Pairing, Parting, Partings};
use crate::observe::{Event, Observer};
use crate::order::sorted;
use crate::task::TaskId;
use crate::time::Instant;

/// Events of one run between two looks.
const CHUNK: u64 = 4096;

/// What one of the runs tells.
struct Told<'p> {
    pairing: &'p mut Pairing,
    side: usize,
}

impl Observer for Told<'_> {
    fn record(&mut self, at: Instant, event: &Event) {
        self.pairing.record(self.side, at, event);
    }
}

/// Runs both until it is certain what the first `most` decisions are that differ, at `from` or after it, or `stop` says
/// that it takes too long.
pub fn find(
    a: &Scenario,
    b: &Scenario,
    (from, most): (Instant, usize),
    stop: impl Fn() -> bool,
) -> Partings {
    let mut runs = [Sim::new(a), Sim::new(b)];
    let mut pairing = Pairing::from(from);
    for (side, sim) in runs.iter().enumerate() {
        let names = sim.world().templates.iter().map(|t| &*t.name);
        let there = (0..sim.tasks() as u32).map(|n| &*sim.template(TaskId(n)).name);
        pairing.begin(side, names, there);
    }
    loop {
        let over = [0, 1].map(|side: usize| runs[side].progress().stop.is_some());
        if over == [true; 2] {
            return ordered(pairing.over(runs.map(|sim| sim.progress().now)), most);
        }
        if stop() || pairing.certain() >= most {
            return ordered(pairing.so_far(), most);
        }
        let now = [0, 1].map(|side: usize| runs[side].progress().now);
        let side = usize::from(over[0] || !over[1] && now[1] < now[0]);
        let told = &mut Told {
            pairing: &mut pairing,
            side,
        };
        runs[side].run_told(Instant::FAR, CHUNK, told);
    }
}

/// The first `most` of what was `found`, in the order of time, and what else comes before them.
fn ordered(mut found: Partings, most: usize) -> Partings {
    found.decisions = sorted(&found.decisions, |x, y| x.first().cmp(&y.first()));
    found.decisions.truncate(most);
    let first = found.decisions.first().map_or(Instant::FAR, Parting::first);
    found.reason = found.reason.filter(|parting| parting.first() < first);
    found.time = found.time.filter(|parting| parting.first() < first);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragment;
    use crate::observe::parting::Kind;
    use alloc::vec;
    use alloc::vec::Vec;

    fn scenario(link: &str) -> Scenario {
        Scenario::try_from(&fragment::parse(link).0).expect("a sound configuration")
    }

    fn all(a: &str, b: &str) -> Partings {
        find(
            &scenario(a),
            &scenario(b),
            (Instant::ZERO, usize::MAX),
            || false,
        )
    }

    const SMALL: &str = "w=hackbench(groups=1,fan=3,loops=4)";

    #[test]
    fn a_run_does_not_part_from_itself() {
        assert_eq!(all(SMALL, SMALL), Partings::default());
    }

    #[test]
    fn other_kernels_part_in_order_and_each_time_in_the_same_decision_of_the_same_task() {
        let [a, b] = ["k=2.6.31", "k=2.6.32-rc1"].map(|k| alloc::format!("{k}&{SMALL}"));
        let found = all(&a, &b);
        assert!(found.decisions.len() > 1);
        assert!(found.decisions.is_sorted_by_key(Parting::first));
        for parting in &found.decisions {
            if let (Some(a), Some(b)) = (parting.a, parting.b) {
                assert_ne!(a.event, b.event);
                assert_eq!(
                    core::mem::discriminant(&a.event),
                    core::mem::discriminant(&b.event)
                );
            }
        }
        let one = find(&scenario(&a), &scenario(&b), (Instant::ZERO, 1), || false);
        assert_eq!(one.decisions[..], found.decisions[..1], "the first of all");
    }

    /// What differs late is found however much differs before, and it is the same that a search from the start comes to.
    #[test]
    fn differences_from_some_time_on_are_those_of_all_that_are_not_before_it() {
        let [a, b] = ["k=2.6.31", "k=2.6.32-rc1"].map(|k| alloc::format!("{k}&{SMALL}"));
        let found = all(&a, &b).decisions;
        let middle = found[found.len() / 2].first();
        assert!(Instant::ZERO < middle);
        let late = |most| {
            let stop = || false;
            find(&scenario(&a), &scenario(&b), (middle, most), stop).decisions
        };
        let expected: Vec<Parting> = found
            .iter()
            .copied()
            .filter(|p| p.first() >= middle)
            .collect();
        assert_eq!(late(usize::MAX), expected);
        assert_eq!(late(2), expected[..2], "and a page of them begins alike");
    }

    /// One CPU, by hand: a hog runs from the start, a nap wakes at 10 ms and every 10 ms after it computed 1 ms. With
    /// wakeup preemption it gets the CPU at once; without, it waits for the tick. Nothing else differs.
    #[test]
    fn a_world_that_can_be_checked_by_hand() {
        let link = "m=classroom-1&k=2.6.32-rc1&dur=25ms&w=(task+hog+run+forever;task+nap+forever(sleep+10ms;run+1ms))";
        let found = all(link, &alloc::format!("{link}&f=NO_WAKEUP_PREEMPT"));
        let short = |p: &Parting| {
            let ms = |at: Option<crate::observe::parting::Dated>| at.map(|d| d.at.0 / 1_000_000);
            (p.kind, p.tasks[0], p.wakeup, p.nth, ms(p.a), ms(p.b))
        };
        let told: Vec<_> = found.decisions.iter().map(short).collect();
        let [hog, nap] = [0, 1].map(|n| Some(TaskId(n)));
        assert_eq!(
            told,
            [
                (Kind::Preemption, nap, 1, 0, Some(10), Some(10)),
                // It had the CPU at 10 ms in one run, and from the tick at 13 ms on in the other.
                (Kind::Preemption, nap, 2, 0, Some(21), Some(24)),
                // The run ends at 25 ms: the other has only waited since 24 ms.
                (Kind::Pick, hog, 0, 1, Some(21), None),
                (Kind::Pick, nap, 2, 0, Some(22), None),
            ]
        );
        let verdict = |dated: Option<crate::observe::parting::Dated>| match dated?.event {
            Event::Wakeup { preempt, .. } => Some(preempt.yes),
            _ => None,
        };
        let first = found.decisions[0];
        assert_eq!([first.a, first.b].map(verdict), [Some(true), Some(false)]);
    }

    #[test]
    fn tasks_of_one_run_only_are_told_and_the_others_compared() {
        let found = all(
            "m=q6600&w=hogs(count=2)&dur=20ms",
            "m=q6600&w=hogs(count=3)&dur=20ms",
        );
        assert_eq!(found.only, [vec![], vec![TaskId(2)]]);
        let found = all(
            "m=q6600&w=hogs(count=2)&dur=20ms",
            "m=q6600&w=hogs(count=2);sleeper&dur=20ms",
        );
        assert_eq!((found.only[0].len(), found.only[1].len()), (0, 1));
    }

    #[test]
    fn it_stops_when_asked_to() {
        let [a, b] = [SMALL, "w=hackbench(groups=2,fan=3,loops=4)"].map(scenario);
        assert_eq!(find(&a, &b, (Instant::ZERO, 1), || true).decisions, vec![]);
    }
}
