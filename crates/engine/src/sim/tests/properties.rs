//! What must hold in every run: each task is in one place, runs only where it may, and no time is lost.

use super::*;
use crate::config::{GroupSpec, ProblemKind, random};
use crate::machine::CpuMask;
use crate::observe::{Hash, PrevState};
use crate::sched::rules::ThrottledRt;

/// Where a task is, as events alone tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Asleep,
    Waiting(u16),
    Running(u16),
    Dead,
}

/// Follows every task and CPU from the outside.
pub(super) struct Checker<'a> {
    world: &'a World,
    /// Do tasks confine themselves, or groups have CPUs of their own?
    masks_change: bool,
    everywhere: CpuMask,
    places: Vec<(Place, CpuMask)>,
    running: Vec<Option<TaskId>>,
    last: Instant,
}

impl<'a> Checker<'a> {
    pub(super) fn new(scenario: &'a Scenario) -> Checker<'a> {
        let cpus = usize::from(scenario.topology.cpus());
        let given = scenario.groups.iter().any(|group| group.cpus.is_some());
        Checker {
            world: &scenario.world,
            masks_change: given || !scenario.world.masks.is_empty(),
            everywhere: CpuMask::first(cpus),
            places: Vec::new(),
            running: vec![None; cpus],
            last: Instant::ZERO,
        }
    }

    fn place(&mut self, task: TaskId) -> &mut Place {
        &mut self.places[task.index()].0
    }

    fn put(&mut self, task: TaskId, cpu: CpuId) {
        assert!(
            self.places[task.index()].1.contains(cpu),
            "{task:?} may not be on {cpu:?}"
        );
        *self.place(task) = Place::Waiting(cpu.0);
    }

    fn appear(&mut self, task: TaskId, template: usize) {
        let allowed = self.world.templates[template].allowed;
        // Then they may be anywhere for all that events tell.
        let allowed = if allowed.is_empty() || self.masks_change {
            self.everywhere
        } else {
            allowed
        };
        if self.places.len() <= task.index() {
            self.places
                .resize(task.index() + 1, (Place::Nowhere, self.everywhere));
        }
        assert_eq!(self.places[task.index()].0, Place::Nowhere);
        self.places[task.index()].1 = allowed;
    }

    fn switch(&mut self, cpu: CpuId, prev: Option<TaskId>, state: PrevState, next: Option<TaskId>) {
        assert_ne!(prev, next, "a switch changes the task");
        assert_eq!(self.running[cpu.index()], prev);
        if let Some(prev) = prev {
            let left = match state {
                PrevState::Runnable | PrevState::Yielded => Place::Waiting(cpu.0),
                PrevState::Sleeping => Place::Asleep,
                PrevState::Exited => Place::Dead,
            };
            assert_eq!(
                core::mem::replace(self.place(prev), left),
                Place::Running(cpu.0)
            );
        }
        if let Some(next) = next {
            let before = core::mem::replace(self.place(next), Place::Running(cpu.0));
            assert_eq!(before, Place::Waiting(cpu.0), "{next:?}");
        }
        self.running[cpu.index()] = next;
    }
}

impl Observer for Checker<'_> {
    fn record(&mut self, now: Instant, event: &Event) {
        assert!(now >= self.last, "time never goes back");
        self.last = now;
        match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                ..
            } => self.switch(cpu, prev, state, next),
            Event::Wakeup {
                task, placement, ..
            } => {
                assert_eq!(*self.place(task), Place::Asleep, "{task:?} is woken");
                self.put(task, placement.cpu);
            }
            Event::Fork {
                child,
                template,
                placement,
                ..
            } => {
                self.appear(child, template.0 as usize);
                self.put(child, placement.cpu);
            }
            Event::Migrate { task, from, to, .. } => {
                assert_ne!(from, to);
                let place = self.places.get(task.index()).map(|p| p.0);
                if let Some(Place::Waiting(cpu)) = place {
                    assert_eq!(cpu, from.0);
                    self.put(task, to);
                }
                assert!(
                    !matches!(place, Some(Place::Running(_) | Place::Dead)),
                    "{task:?} {place:?}"
                );
            }
            _ => {}
        }
    }
}

/// The simulator's own books, which are counted anew.
#[derive(Default)]
pub(super) struct Books {
    /// What each queue's `min_vruntime` was.
    min_vruntime: Vec<i64>,
}

impl Books {
    pub(super) fn recount(&mut self, sim: &Sim) {
        let rqs = || sim.sched.rq.iter();
        let waiting: u32 = rqs().map(|rq| rq.nr_running).sum();
        // Who sleeps but is still queued is no more runnable for that.
        let waiting = waiting as usize - delayed(sim);
        let on_their_way: usize = rqs().map(|rq| rq.wake_list.len()).sum();
        let held_back = held_back(sim);
        assert_eq!(
            waiting + on_their_way + held_back,
            sim.runnable as usize,
            "nobody is lost"
        );
        for cpu in &sim.topology().all() {
            assert_eq!(sim.sched.rq[cpu.index()].curr, sim.running(cpu));
            let accounts = sim.accounts(cpu);
            assert_eq!(
                accounts.iter().sum::<u64>(),
                sim.now,
                "CPU {} at {}",
                cpu.0,
                sim.now
            );
        }
        self.recount_queues(sim);
    }

    /// Every queue has as many entities and as much weight as it says, and its `min_vruntime` never goes back.
    fn recount_queues(&mut self, sim: &Sim) {
        let queues = &sim.sched.cfs_rq;
        let mut counted = vec![(0, 0); queues.len()];
        for se in sim.sched.se.iter().filter(|se| se.on_rq) {
            let (nr, weight) = &mut counted[se.cfs_rq.0 as usize];
            (*nr, *weight) = (*nr + 1, *weight + se.load.weight);
        }
        self.min_vruntime.resize(queues.len(), i64::MIN);
        for ((cfs, counted), before) in queues.iter().zip(counted).zip(&mut self.min_vruntime) {
            assert_eq!((cfs.nr_running, cfs.load), counted);
            assert!(cfs.min_vruntime >= *before, "min_vruntime went back");
            *before = cfs.min_vruntime;
        }
    }
}

/// Tasks that sleep, but are queued and counted for the time they owe.
fn delayed(sim: &Sim) -> usize {
    let s = &sim.sched;
    let tasks = (0..s.tasks.len() as u32).map(TaskId);
    tasks
        .filter(|p| s.is_delayed(*p) && !s.is_task_held_back(*p))
        .count()
}

/// Runnable tasks that their CPU does not count: those that a quota holds back, and in 6.1 and 6.5 real-time ones that
/// have run all they may.
fn held_back(sim: &Sim) -> usize {
    let s = &sim.sched;
    let tasks = (0..s.tasks.len() as u32).map(TaskId);
    let fair = tasks.filter(|p| !s.is_rt(*p) && s.is_queued(*p) && s.is_task_held_back(*p));
    let fair = fair.filter(|p| !s.is_delayed(*p));
    let uncounted = s.rules.throttled_rt == ThrottledRt::Uncounted;
    let rt = s.rt.rq.iter().filter(|rt| rt.throttled && uncounted);
    fair.count() + rt.map(|rt| rt.queue.len()).sum::<usize>()
}

/// Runs `scenario`, watched; what is left of it when cut in pieces is the same.
pub(super) fn check(scenario: &Scenario) -> (Progress, u64) {
    let mut checker = Checker::new(scenario);
    let mut hash = Hash::default();
    let mut sim = Sim::new(scenario);
    let mut metrics = Metrics::new(sim.cast());
    let (mut middle, mut books) = (None, Books::default());
    while sim.progress().stop.is_none() {
        sim.run_events(701, &mut (&mut checker, (&mut hash, &mut metrics)));
        books.recount(&sim);
        if middle.is_none() && sim.events > 3_000 {
            middle = Some((sim.clone(), hash));
        }
    }
    let progress = sim.progress();
    if let Some((mut sim, mut from_middle)) = middle {
        assert_eq!(sim.run_until(Instant::FAR, &mut from_middle), progress);
        assert_eq!(from_middle.get(), hash.get());
    }
    let report = metrics.report(sim.totals());
    let busy: u64 = report.series.busy.iter().sum();
    assert_eq!(busy, report.global.tasks_cpu_ns);
    (progress, hash.get())
}

#[test]
fn every_random_experiment_keeps_the_books() {
    let mut events = 0;
    for (n, config) in random::list(11, 40).iter_mut().enumerate() {
        config.max_events = config.max_events.min(30_000);
        let (progress, _) = check(&checked(config));
        assert!(
            !matches!(progress.stop, Some(Stop::Stuck(_) | Stop::Tasks)),
            "{n}: {progress:?}"
        );
        events += progress.events;
    }
    assert!(events > 100_000, "{events}");
}

/// Tasks of random scripts, in groups or not, on the machine and kernel of a random experiment.
#[test]
fn every_random_script_keeps_the_books() {
    let (mut events, mut stuck) = (0, 0);
    for (seed, mut config) in (0..).zip(random::list(12, 60)) {
        config.workloads.truncate(seed as usize % 2);
        config.script = crate::workload::lang::tests::random::script(seed).in_group("G");
        for spec in &mut config.workloads {
            spec.group = Some("F".into());
        }
        config.groups = vec![GroupSpec::new("F"), GroupSpec::new("G")];
        config.groups[1].parent = (seed % 3 == 0).then(|| "F".into());
        config.duration = Some(Nanos::from_millis(50));
        config.max_events = 10_000;
        let able = |kind: &ProblemKind| matches!(kind, ProblemKind::NoCpus { .. });
        let problems = config.problems();
        if !problems.is_empty() {
            assert!(problems.iter().all(|p| able(&p.kind)), "{problems:?}");
            continue;
        }
        let (progress, _) = check(&checked(&config));
        events += progress.events;
        stuck += u32::from(matches!(progress.stop, Some(Stop::Stuck(_))));
    }
    assert!(events > 20_000, "{events}");
    assert!(stuck < 20, "{stuck}");
}
