//! Decisions for the page: the engine's explanations with names in place of numbers.
//!
//! What was decided is asked of the engine at the moment just before; here it is only found and put in the shape of the
//! protocol. Pure.

use super::names::TaskNames;
use crate::protocol::explained::{
    Candidate, Decision, Explained, Move, Pick, Role, Step, Verdict, Waiting, Wakeup, Wants,
};
use crate::protocol::{About, Parting, Partings};
use schedlab_engine::config::{Config, GroupSpec, Scenario};
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::explain::{self, Basis, Place};
use schedlab_engine::observe::parting::{self, Dated};
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::order::sorted;
use schedlab_engine::sched;
use schedlab_engine::sched::decision::{Placement, Preempt};
use schedlab_engine::sched::rq::{EntityId, GroupId};
use schedlab_engine::sched::rules::DomainTable;
use schedlab_engine::sched::wakeup::Step as Looked;
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;

/// The decision `about` something on `cpu` at `at`; `before` is the run just before that instant.
pub(super) fn explained(
    (before, groups): (&Sim, &[String]),
    cpu: CpuId,
    at: Instant,
    about: About,
) -> Option<Explained> {
    let wanted = |event: &Event| is_about(event, cpu, about);
    // It happened, so it is near: nobody waits for long.
    let explanation = explain::explain(before, Some(cpu), || false)?;
    let found = explanation
        .decisions
        .into_iter()
        .find(|d| d.at == at && d.event.as_ref().is_some_and(wanted))?;
    let event = found.event?;
    let (then, running) = just_before(before.clone(), wanted);
    tell(
        &Names::new(&then, groups),
        &running,
        Dated { at, event },
        found.basis,
    )
}

/// Does `event` answer the question?
fn is_about(event: &Event, on: CpuId, about: About) -> bool {
    match (*event, about) {
        (Event::Switch { cpu, .. }, About::Pick) => cpu == on,
        (Event::Wakeup { task, .. } | Event::Fork { child: task, .. }, About::Wakeup(asked))
        | (Event::Migrate { task, .. }, About::Move(asked)) => task.0 == asked,
        _ => false,
    }
}

/// So many events may lie between the instant before and the one asked about.
const NEAR: u32 = 100_000;

/// Sees whether something happened.
struct Seen<F> {
    wanted: F,
    yes: bool,
}

impl<F: Fn(&Event) -> bool> Observer for Seen<F> {
    fn record(&mut self, _: Instant, event: &Event) {
        self.yes |= (self.wanted)(event);
    }
}

/// The run when the wanted event has happened, and what ran on each CPU just before it did.
fn just_before(mut sim: Sim, wanted: impl Fn(&Event) -> bool) -> (Sim, Vec<Option<TaskId>>) {
    let mut seen = Seen { wanted, yes: false };
    let mut running = Vec::new();
    for _ in 0..NEAR {
        running = sim
            .topology()
            .all()
            .iter()
            .map(|cpu| sim.running(cpu))
            .collect();
        let over = sim.run_told(Instant::FAR, 1, &mut seen).stop.is_some();
        if seen.yes || over {
            break;
        }
    }
    (sim, running)
}

/// `dated` with names in place of numbers, and what it was decided from; `running` is what ran on each CPU.
fn tell(
    names: &Names<'_>,
    running: &[Option<TaskId>],
    dated: Dated,
    basis: Option<Basis>,
) -> Option<Explained> {
    let Dated { at, event } = dated;
    let (cpu, decision) = match event {
        Event::Switch { cpu, .. } => (cpu, Decision::Pick(pick(names, &event, basis)?)),
        Event::Wakeup {
            task,
            prev_cpu,
            waker,
            waker_cpu,
            sync,
            placement,
            preempt,
        } => {
            let to = placement.cpu;
            let told = Wakeup {
                woken: names.of(task),
                waker: names.maybe(waker),
                from_cpu: waker_cpu.0,
                prev_cpu: prev_cpu.0,
                sync,
                ..placed(names, (placement, preempt), running, basis)
            };
            (to, Decision::Wakeup(told))
        }
        Event::Fork {
            parent,
            child,
            placement,
            preempt,
            ..
        } => {
            let to = placement.cpu;
            let told = Wakeup {
                woken: names.of(child),
                new: true,
                waker: names.maybe(parent),
                ..placed(names, (placement, preempt), running, basis)
            };
            (to, Decision::Wakeup(told))
        }
        Event::Migrate {
            task,
            from,
            to,
            why,
        } => {
            let moved = Move {
                task: names.of(task),
                from_cpu: from.0,
                to_cpu: to.0,
                why: why as u8,
            };
            (to, Decision::Move(moved))
        }
        Event::Exit { task, cpu } => (
            cpu,
            Decision::End {
                task: names.of(task),
            },
        ),
        _ => return None,
    };
    Some(Explained {
        cpu: cpu.0,
        at_ns: at.0,
        decision,
    })
}

/// What groups are called: those of the configuration, and then those of sessions.
pub(super) fn group_names(config: &Config, scenario: &Scenario) -> Vec<String> {
    let named = |group: &GroupSpec| format!("group {}", group.name);
    let mut names: Vec<String> = config.groups.iter().map(named).collect();
    let world = &scenario.world;
    for (session, number) in world.sessions.iter().zip(&world.session_groups) {
        if usize::from(*number) == names.len() + 1 {
            names.push(format!("session {session}"));
        }
    }
    names
}

/// Who is who at one moment of a run.
pub(super) struct Names<'a> {
    /// That moment.
    pub(super) sim: &'a Sim,
    groups: &'a [String],
    tasks: Vec<String>,
}

impl<'a> Names<'a> {
    /// Those who are there in `sim`, whose groups are called `groups`.
    pub(super) fn new(sim: &'a Sim, groups: &'a [String]) -> Self {
        let mut names = TaskNames::default();
        let tasks = (0..sim.tasks() as u32).map(|n| names.next(&sim.template(TaskId(n)).name));
        Self {
            sim,
            groups,
            tasks: tasks.collect(),
        }
    }

    /// A task, or a group that is queued for its tasks.
    pub(super) fn entity(&self, se: EntityId, task: Option<TaskId>) -> String {
        if let Some(task) = task {
            return self.of(task);
        }
        let sched = self.sim.sched();
        let queue = sched.se[se.0 as usize].my_q;
        self.group(queue.map_or(GroupId(0), |queue| sched.cfs_rq[queue.0 as usize].group))
    }

    fn group(&self, group: GroupId) -> String {
        let below = (group.0 as usize).checked_sub(1);
        let name = below.and_then(|below| self.groups.get(below));
        name.cloned().unwrap_or_else(|| "group".to_string())
    }

    /// Groups that are throttled on `cpu`, and how many of their tasks wait for that.
    pub(super) fn throttled(&self, cpu: CpuId) -> Vec<(String, u32)> {
        let groups = self.sim.sched().throttled_on(cpu).into_iter();
        groups.map(|(group, n)| (self.group(group), n)).collect()
    }

    pub(super) fn of(&self, task: TaskId) -> String {
        let name = self.tasks.get(task.index()).cloned();
        name.unwrap_or_else(|| format!("#{}", task.0))
    }

    fn maybe(&self, task: Option<TaskId>) -> Option<String> {
        task.map(|task| self.of(task))
    }
}

fn pick(names: &Names<'_>, event: &Event, basis: Option<Basis>) -> Option<Pick> {
    let Event::Switch {
        prev,
        state,
        next,
        why,
        forced,
        ..
    } = *event
    else {
        return None;
    };
    let mut pick = Pick {
        before: names.maybe(prev),
        left: super::record::end_why(state, forced) as u8,
        taken: names.maybe(next),
        why: why as u8,
        candidates: Vec::new(),
        waiting: Vec::new(),
        more: 0,
        tasks: 0,
        throttled: Vec::new(),
    };
    if let Some(Basis::Pick {
        candidates,
        waiting,
        nr_running,
        tasks,
        throttled,
        ..
    }) = basis
    {
        let considered = |p: &Place| candidates.iter().any(|c| c.se == p.se);
        let others = waiting.iter().filter(|p| !considered(p));
        pick.waiting = others
            .map(|p| Waiting {
                name: names.entity(p.se, p.task),
                gap_ns: p.behind,
                running: p.running,
            })
            .collect();
        let buddy = |se: EntityId| waiting.iter().any(|p| p.se == se && p.next_buddy);
        let candidate = |c: &sched::Candidate| candidate(names, c, buddy(c.se));
        pick.candidates = candidates.iter().map(candidate).collect();
        let again = |i: usize| candidates[..i].iter().any(|c| c.se == candidates[i].se);
        // Those of groups are compared too, and are none of the queue that is counted.
        let se = &names.sim.sched().se;
        let on_root = |i: usize| se[candidates[i].se.0 as usize].parent.is_none();
        let distinct = (0..candidates.len()).filter(|i| on_root(*i) && !again(*i));
        let listed = distinct.count() + pick.waiting.len();
        pick.more = nr_running.saturating_sub(listed as u32);
        pick.tasks = tasks;
        let throttled = throttled.into_iter();
        pick.throttled = throttled
            .map(|(group, n)| (names.group(group), n))
            .collect();
    }
    Some(pick)
}

fn candidate(names: &Names<'_>, c: &sched::Candidate, buddy: bool) -> Candidate {
    Candidate {
        name: names.entity(c.se, c.task),
        role: match c.role {
            sched::Role::Next => Role::Next,
            sched::Role::Last => Role::Last,
            sched::Role::Second => Role::Second,
            sched::Role::Left => Role::Left,
            sched::Role::Current => Role::Current,
            sched::Role::Protected => Role::Protected,
            sched::Role::Deadline => Role::Deadline,
        },
        vruntime_ns: c.vruntime,
        gap_ns: c.gap,
        limit_ns: c.limit,
        wants: c.wants.map(|w| Wants {
            due_ns: w.deadline - c.vruntime + c.gap,
            slice_ns: w.slice,
            eligible: w.eligible,
            protected: w.protected,
            delayed: w.delayed,
        }),
        buddy,
        verdict: match c.verdict {
            sched::Verdict::Take => Verdict::Take,
            sched::Verdict::TooFar => Verdict::TooFar,
            sched::Verdict::FeatureOff => Verdict::FeatureOff,
            sched::Verdict::NotEligible => Verdict::NotEligible,
            sched::Verdict::LaterDeadline => Verdict::LaterDeadline,
        },
    }
}

/// What wakeups and forks have in common.
fn placed(
    names: &Names<'_>,
    (placement, preempt): (Placement, Preempt),
    running: &[Option<TaskId>],
    basis: Option<Basis>,
) -> Wakeup {
    let steps = match basis {
        Some(Basis::Selection { steps, .. }) => {
            let domains = names.sim.sched().rules.domains;
            steps.iter().map(|looked| step(looked, domains)).collect()
        }
        _ => Vec::new(),
    };
    let cpu = placement.cpu;
    Wakeup {
        woken: String::new(),
        new: false,
        waker: None,
        from_cpu: cpu.0,
        prev_cpu: cpu.0,
        to_cpu: cpu.0,
        sync: false,
        placed: placement.why as u8,
        visited: placement.visited,
        steps,
        running: names.maybe(running.get(cpu.index()).copied().flatten()),
        preempts: preempt.yes,
        preempt: preempt.why as u8,
        gap_ns: preempt.gap,
        gran_ns: preempt.gran,
    }
}

fn step(step: &Looked, domains: DomainTable) -> Step {
    let told = step.told(domains);
    Step {
        what: told.what,
        found: told.found,
        chosen: told.chosen,
        affine: matches!(step, Looked::Affine(_)),
    }
}

/// Where two runs part, for the page. `runs` are at their start.
pub(super) fn partings(runs: [Sim; 2], found: &parting::Partings) -> Partings {
    let only = |side: usize| {
        let tasks = &found.only[side];
        let first = tasks.first()?;
        Some((Names::new(&runs[side], &[]).of(*first), tasks.len() as u32))
    };
    let (only_a, only_b) = (only(0), only(1));
    let [a, b] = runs;
    let told_a = told_in_order(a, found.decisions.iter().map(|p| p.a));
    let told_b = told_in_order(b, found.decisions.iter().map(|p| p.b));
    let all = found.decisions.iter().zip(told_a.into_iter().zip(told_b));
    let one = |(p, (a, b)): (&parting::Parting, (Option<Explained>, Option<Explained>))| Parting {
        kind: p.kind as u8,
        wakeup: p.wakeup,
        nth: p.nth,
        a,
        b,
        about: p.a.or(p.b).and_then(|dated| match dated.event {
            Event::Switch { .. } => Some(About::Pick),
            Event::Wakeup { task, .. } | Event::Fork { child: task, .. } => {
                Some(About::Wakeup(task.0))
            }
            Event::Migrate { task, .. } => Some(About::Move(task.0)),
            _ => None,
        }),
    };
    Partings {
        found: all.map(one).collect(),
        only_a,
        only_b,
        ..Partings::default()
    }
}

/// What happens in the run that `sim` stands at the start of, told each in its place.
fn told_in_order(mut sim: Sim, all: impl Iterator<Item = Option<Dated>>) -> Vec<Option<Explained>> {
    let all: Vec<(usize, Option<Dated>)> = all.enumerate().collect();
    let mut told: Vec<Option<Explained>> = all.iter().map(|_| None).collect();
    let at = |dated: &Option<Dated>| dated.map(|d| d.at);
    for (place, dated) in sorted(&all, |(_, x), (_, y)| at(x).cmp(&at(y))) {
        let Some(dated) = dated else { continue };
        if let Some(before) = dated.at.0.checked_sub(1) {
            sim.run_told(Instant(before), u64::MAX, &mut ());
        }
        let same = |event: &Event| *event == dated.event;
        let (then, running) = just_before(sim.clone(), same);
        // Nothing is compared here, so that no group is named.
        told[place] = tell(&Names::new(&then, &[]), &running, dated, None);
    }
    told
}
