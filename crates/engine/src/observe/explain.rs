//! Explanations: what a decision compared, asked of the functions that decide, at the moment they decide.
//!
//! An observer that has a [`Notebook`] is shown the scheduler just before each pick and each selection; nobody
//! else pays for it. So an explanation cannot disagree with what happened. Not here: words.

use super::event::{Event, Observer};
use crate::machine::CpuId;
use crate::sched::rq::{EntityId, GroupId};
use crate::sched::timeline::Waiting;
use crate::sched::wakeup::{SelectKind, Step};
use crate::sched::{Candidate, Sched};
use crate::sim::Sim;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use alloc::vec::Vec;

/// Waiting tasks listed with a pick.
const LISTED: usize = 32;

/// How far an explanation looks ahead at first, and at most at a time, before it asks whether to go on.
const SLICES: (Nanos, Nanos) = (Nanos(1_000), Nanos(100_000_000));

/// A task that waits on the root queue of a CPU, or runs and competes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What waits.
    pub se: EntityId,
    /// The task; none if it is a group.
    pub task: Option<TaskId>,
    /// Its vruntime less that of the leftmost that waits, ns.
    pub behind: i64,
    /// Its weight; 1024 is nice 0.
    pub weight: u64,
    /// Is it the next buddy?
    pub next_buddy: bool,
    /// Is it the last buddy?
    pub last_buddy: bool,
    /// Does it run, and take part in the pick without being put back?
    pub running: bool,
}

/// What a decision was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Who runs next.
    Pick {
        /// On which CPU.
        cpu: CpuId,
        /// Who is taken; none = idle.
        task: Option<TaskId>,
        /// Every comparison, in the kernel's order; the last one is taken.
        candidates: Vec<Candidate>,
        /// Who waits, and who runs and competes, leftmost first, at most 32.
        waiting: Vec<Place>,
        /// How many these are in all.
        nr_running: u32,
        /// How many tasks that is, with those in groups.
        tasks: u32,
        /// The queue's `min_vruntime`, ns.
        min_vruntime: i64,
        /// Groups that are throttled here, and how many of their tasks wait for that.
        throttled: Vec<(GroupId, u32)>,
    },
    /// Which CPU a task goes to.
    Selection {
        /// The task.
        task: TaskId,
        /// For a wakeup, a fork or an exec.
        kind: SelectKind,
        /// What was looked at, in the kernel's order.
        steps: Vec<Step>,
    },
}

/// Who waits on the root queue of `cpu`, and who runs and competes, leftmost first, at most as many as are listed.
fn places(sched: &Sched, cpu: CpuId) -> Vec<Place> {
    let q = &sched.cfs_rq[usize::from(cpu.0)];
    let running = sched.competing(cpu);
    let waiting = sched.leftmost(cpu, LISTED);
    let left = waiting.first().copied().or(running);
    let left = left.map_or(0, |first| first.vruntime);
    let place = |waiting: Waiting| {
        let entity = &sched.se[waiting.se.0 as usize];
        Place {
            se: waiting.se,
            task: entity.task,
            behind: waiting.vruntime - left,
            weight: entity.load.weight,
            next_buddy: q.next == Some(waiting.se),
            last_buddy: q.last == Some(waiting.se),
            running: running.is_some_and(|running| running.se == waiting.se),
        }
    };
    let mut places: Vec<Place> = waiting.into_iter().map(place).collect();
    if let Some(running) = running.map(place) {
        let at = places.partition_point(|place| place.behind <= running.behind);
        places.insert(at, running);
        places.truncate(LISTED);
    }
    places
}

/// Where the comparisons behind decisions are written down.
#[derive(Clone, Debug, Default)]
pub struct Notebook {
    /// What was decided, and when, and has not been told yet.
    pending: Vec<(Instant, Basis)>,
}

impl Notebook {
    /// `cpu` is about to pick.
    pub fn pick(&mut self, sched: &Sched, cpu: CpuId) {
        let q = &sched.cfs_rq[usize::from(cpu.0)];
        let clock = sched.rq[cpu.index()].clock;
        let basis = Basis::Pick {
            cpu,
            task: sched.judge_pick(cpu).task,
            candidates: sched.pick_candidates(cpu).collect(),
            waiting: places(sched, cpu),
            nr_running: q.nr_running,
            tasks: sched.rq[cpu.index()].h_nr_running,
            min_vruntime: q.min_vruntime,
            throttled: sched.throttled_on(cpu),
        };
        self.pending.push((Instant(clock), basis));
    }

    /// A CPU for `task` is about to be selected, on `this`.
    pub fn selection(
        &mut self,
        sched: &Sched,
        task: TaskId,
        this: CpuId,
        (kind, sync): (SelectKind, bool),
    ) {
        let (steps, _) = sched.select_candidates(task, this, kind, sync);
        let clock = sched.rq[this.index()].clock;
        let basis = Basis::Selection { task, kind, steps };
        self.pending.push((Instant(clock), basis));
    }

    /// What `event` was decided from.
    fn basis_of(&mut self, event: &Event) -> Option<Basis> {
        let fits = |(_, basis): &(Instant, Basis)| match (basis, event) {
            (Basis::Pick { cpu, .. }, Event::Switch { cpu: on, .. }) => cpu == on,
            (Basis::Selection { task, .. }, Event::Wakeup { task: woken, .. }) => task == woken,
            (Basis::Selection { task, .. }, Event::Fork { child, .. }) => task == child,
            _ => false,
        };
        let at = self.pending.iter().rposition(fits)?;
        Some(self.pending.remove(at).1)
    }
}

/// Something that happened, and what it was decided from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// When.
    pub at: Instant,
    /// What; none: the CPU picked the task that ran before.
    pub event: Option<Event>,
    /// From what; none where nothing is compared, as at a tick.
    pub basis: Option<Basis>,
}

/// What a CPU does from some time on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The CPU.
    pub cpu: CpuId,
    /// What ran on it at first; none = idle.
    pub running: Option<TaskId>,
    /// What happened, up to and with the next pick.
    pub decisions: Vec<Explained>,
}

/// Writes down what happens on one CPU.
struct Watch {
    cpu: CpuId,
    notebook: Notebook,
    decisions: Vec<Explained>,
    picked: bool,
}

impl Watch {
    /// A pick of the task that ran before makes no event.
    fn silent_picks(&mut self) {
        let is_pick = |(_, basis): &mut (Instant, Basis)| matches!(basis, Basis::Pick { .. });
        for (at, basis) in self.notebook.pending.extract_if(.., is_pick) {
            let ours = matches!(basis, Basis::Pick { cpu, .. } if cpu == self.cpu);
            if ours && !self.picked {
                self.picked = true;
                self.decisions.push(Explained {
                    at,
                    event: None,
                    basis: Some(basis),
                });
            }
        }
    }
}

/// Does `event` happen on `cpu`, or to its queue?
fn concerns(event: &Event, cpu: CpuId) -> bool {
    match *event {
        Event::Switch { cpu: on, .. }
        | Event::Exit { cpu: on, .. }
        | Event::Tick { cpu: on, .. }
        | Event::Balance { cpu: on, .. }
        | Event::Throttle { cpu: on, .. } => on == cpu,
        Event::Wakeup {
            waker_cpu,
            placement,
            ..
        } => waker_cpu == cpu || placement.cpu == cpu,
        Event::Migrate { from, to, .. } => from == cpu || to == cpu,
        Event::Fork { placement, .. } => placement.cpu == cpu,
        Event::Affinity { .. } | Event::Message { .. } | Event::Mark { .. } => false,
    }
}

impl Observer for Watch {
    fn record(&mut self, at: Instant, event: &Event) {
        let basis = self.notebook.basis_of(event);
        self.silent_picks();
        if self.picked || !concerns(event, self.cpu) {
            return;
        }
        self.picked = matches!(event, Event::Switch { .. });
        self.decisions.push(Explained {
            at,
            event: Some(*event),
            basis,
        });
    }

    fn notebook(&mut self) -> Option<&mut Notebook> {
        Some(&mut self.notebook)
    }
}

/// The first CPU on which anything happens.
#[derive(Default)]
struct First(Option<CpuId>);

impl Observer for First {
    fn record(&mut self, _: Instant, event: &Event) {
        if let Event::Switch { cpu, .. } = event {
            self.0.get_or_insert(*cpu);
        }
    }
}

/// What `cpu` does next and why, from where `sim` stands, up to its next pick; without a CPU, of the one that
/// switches first. `sim` itself does not move. None if nothing more happens there, or if `stop` says that it takes too
/// long.
pub fn explain(sim: &Sim, cpu: Option<CpuId>, stop: impl Fn() -> bool) -> Option<Explanation> {
    let cpu = cpu.or_else(|| first(sim.clone(), &stop))?;
    let mut sim = sim.clone();
    let running = sim.running(cpu);
    let mut watch = Watch {
        cpu,
        notebook: Notebook::default(),
        decisions: Vec::new(),
        picked: false,
    };
    let picked = |watch: &mut Watch| {
        watch.silent_picks();
        watch.picked
    };
    go_on(&mut sim, &mut watch, picked, stop);
    watch.picked.then_some(Explanation {
        cpu,
        running,
        decisions: watch.decisions,
    })
}

fn first(mut sim: Sim, stop: impl Fn() -> bool) -> Option<CpuId> {
    let mut first = First::default();
    go_on(&mut sim, &mut first, |first| first.0.is_some(), stop);
    first.0
}

/// Runs in growing slices until `observer` has had `enough`, the run is over, or `stop` says so. A CPU on which
/// nothing is decided may tick for hours.
fn go_on<O: Observer>(
    sim: &mut Sim,
    observer: &mut O,
    enough: impl Fn(&mut O) -> bool,
    stop: impl Fn() -> bool,
) {
    let (mut span, longest) = SLICES;
    loop {
        let until = sim.progress().now + span;
        let over = sim.run_told(until, u64::MAX, observer).stop.is_some();
        if enough(observer) || over || stop() {
            return;
        }
        span = longest.min(Nanos(2 * span.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Scenario, random};
    use crate::fragment;
    use crate::sched::Verdict;
    use crate::sched::decision::PickWhy;
    use alloc::vec;
    use core::cell::Cell;

    fn sim(link: &str) -> Sim {
        let (config, _) = fragment::parse(link);
        Sim::new(&Scenario::try_from(&config).expect("a sound configuration"))
    }

    #[test]
    fn ticks_and_the_pick_after_them_are_explained() {
        let mut sim = sim("m=classroom-1&k=2.6.31&w=hogs(count=3)");
        sim.run_until(Instant::ZERO + Nanos::from_millis(50), &mut ());
        let explanation = explain(&sim, None, || false).expect("three hogs take turns");
        assert_eq!(explanation.cpu, CpuId(0));
        assert_eq!(explanation.running, sim.running(CpuId(0)));
        let (pick, ticks) = explanation.decisions.split_last().expect("a pick");
        let only_ticks = |d: &Explained| matches!(d.event, Some(Event::Tick { .. }));
        assert!(!ticks.is_empty() && ticks.iter().all(only_ticks));
        let Some(Basis::Pick {
            candidates,
            waiting,
            nr_running,
            ..
        }) = &pick.basis
        else {
            panic!("a pick has its comparisons: {pick:?}");
        };
        assert_eq!((waiting.len(), *nr_running), (3, 3));
        assert_eq!(waiting[0].behind, 0);
        assert_eq!(candidates.last().map(|c| c.verdict), Some(Verdict::Take));
    }

    /// A CPU that idles although tasks wait on it says that their group is throttled.
    #[test]
    fn a_pick_names_the_groups_that_are_throttled() {
        let mut sim = sim(
            "m=classroom-1&k=6.1&g=A(quota=20ms,period=100ms);B(in=A)&w=hogs(count=3,in=B);hogs(count=1,in=A)",
        );
        let throttled = |sim: &Sim| {
            let picks = explain(sim, Some(CpuId(0)), || false)?.decisions;
            picks.into_iter().find_map(|d| match d.basis {
                Some(Basis::Pick { throttled, .. }) => Some(throttled),
                _ => None,
            })
        };
        assert_eq!(throttled(&sim), Some(vec![]));
        // The quota of the first period is used up in it.
        sim.run_until(Instant::ZERO + Nanos::from_millis(19), &mut ());
        let mut named = Vec::new();
        for _ in 0..200 {
            named.extend(throttled(&sim).filter(|groups| !groups.is_empty()));
            sim.run_events(1, &mut ());
        }
        assert!(named.contains(&vec![(GroupId(1), 4)]), "{named:?}");
        assert!(named.iter().all(|groups| groups[0].0 == GroupId(1)));
    }

    /// In 6.1 the running task competes from where it is, and is listed with those that wait.
    #[test]
    fn a_running_task_that_competes_is_among_those_listed() {
        let mut sim = sim("m=classroom-1&k=6.1&w=hogs(count=3)");
        sim.run_until(Instant::ZERO + Nanos::from_millis(50), &mut ());
        let explanation = explain(&sim, None, || false).expect("three hogs take turns");
        let Some(Some(Basis::Pick {
            waiting,
            nr_running,
            ..
        })) = explanation.decisions.last().map(|d| d.basis.clone())
        else {
            panic!("a pick has its comparisons");
        };
        assert_eq!((waiting.len(), nr_running), (3, 3));
        let running: Vec<_> = waiting.iter().filter(|place| place.running).collect();
        assert_eq!(running.len(), 1);
        assert_eq!(running[0].task, explanation.running);
        assert!(waiting.is_sorted_by_key(|place| place.behind));
    }

    #[test]
    fn a_wakeup_comes_with_the_steps_of_its_selection() {
        let mut sim = sim("w=hackbench(groups=2)");
        sim.run_until(Instant::ZERO + Nanos::from_millis(20), &mut ());
        let steps = (0..200).find_map(|_| {
            sim.run_events(1, &mut ());
            let decisions = explain(&sim, None, || false)?.decisions;
            decisions.into_iter().find_map(|d| match d.basis {
                Some(Basis::Selection { steps, .. }) => Some(steps).filter(|s| !s.is_empty()),
                _ => None,
            })
        });
        assert!(steps.is_some(), "some wakeup looks around");
    }

    /// What is asked just before a decision is what is then decided, whatever the kernel.
    #[test]
    fn no_explanation_disagrees_with_what_happened() {
        struct Compare {
            notebook: Notebook,
            picks: u32,
            selections: u32,
        }
        impl Observer for Compare {
            fn record(&mut self, _: Instant, event: &Event) {
                match (self.notebook.basis_of(event), *event) {
                    (
                        Some(Basis::Pick {
                            task, candidates, ..
                        }),
                        Event::Switch { next, why, .. },
                    ) => {
                        assert_eq!(task, next);
                        // Real-time tasks have no comparisons: the most urgent runs.
                        let fair = next.filter(|_| why != PickWhy::RealTime);
                        let taken = candidates.last().map(|c| c.verdict);
                        assert_eq!(taken, fair.map(|_| Verdict::Take));
                        self.picks += 1;
                    }
                    (Some(Basis::Selection { .. }), _) => self.selections += 1,
                    _ => {}
                }
            }
            fn notebook(&mut self) -> Option<&mut Notebook> {
                Some(&mut self.notebook)
            }
        }
        let mut all = Compare {
            notebook: Notebook::default(),
            picks: 0,
            selections: 0,
        };
        for config in random::list(11, 40) {
            let scenario = Scenario::try_from(&config).expect("random configurations are sound");
            Sim::new(&scenario).run_events(2_000, &mut all);
            all.notebook = Notebook::default();
        }
        assert!(all.picks > 5_000 && all.selections > 2_000);
    }

    #[test]
    fn asking_does_not_move_the_run() {
        let mut asked = sim("m=q6600&w=hackbench(groups=1,fan=4,loops=5)");
        asked.run_events(50, &mut ());
        let before = asked.progress();
        assert!(explain(&asked, Some(CpuId(1)), || false).is_some());
        assert_eq!(asked.progress(), before);
    }

    #[test]
    fn a_cpu_that_does_nothing_more_has_no_explanation() {
        let mut sim = sim("m=q6600&w=hogs(count=1,cpu=0)&dur=10ms");
        sim.run_until(Instant::FAR, &mut ());
        assert_eq!(explain(&sim, None, || false), None);
    }

    #[test]
    fn waiting_for_a_cpu_that_only_ticks_can_be_given_up() {
        let sim = sim("m=q6600&w=hogs(count=1,cpu=0)&dur=3600s");
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 20
        };
        assert_eq!(explain(&sim, Some(CpuId(3)), stop), None);
        assert_eq!(asked.get(), 20);
    }
}
