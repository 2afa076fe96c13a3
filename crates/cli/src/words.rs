//! Events in words: one line each, with the reason.

use crate::numbers::time;
use schedlab_engine::config::{GroupSpec, Scenario};
use schedlab_engine::machine::sd_flags::{DomainTable, Level};
use schedlab_engine::observe::{Cause, Event, Observer, PrevState};
use schedlab_engine::sched::decision::{IdleType, Placement, Preempt};
use schedlab_engine::sched::rq::GroupId;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use schedlab_engine::words::plural::counted;
use schedlab_engine::workload::World;
use schedlab_engine::workload::program::TemplateId;
use std::collections::BTreeSet;

/// An instant as milliseconds, to the nanosecond: `12.345678 ms`.
pub(crate) fn instant(at: Instant) -> String {
    format!("{:>5}.{:06} ms", at.0 / 1_000_000, at.0 % 1_000_000)
}

/// Names of tasks, learnt from the events that create them. A name that comes twice has the task's number
/// behind it.
pub(crate) struct Names<'w> {
    world: &'w World,
    /// By what the kernel calls its domain levels.
    table: DomainTable,
    groups: &'w [GroupSpec],
    by_number: Vec<String>,
    seen: BTreeSet<&'w str>,
}

impl<'w> Names<'w> {
    /// Nobody is known yet.
    pub(crate) fn new(scenario: &'w Scenario, groups: &'w [GroupSpec]) -> Names<'w> {
        Names {
            world: &scenario.world,
            table: scenario.kernel.rules.domains,
            groups,
            by_number: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    /// The name of a task; a new one is moved before its fork is told.
    pub(crate) fn of(&self, task: TaskId) -> &str {
        self.by_number
            .get(task.index())
            .map_or("a new task", String::as_str)
    }

    /// The name of a group; 1 is the first below the root group, those of sessions come last.
    pub(crate) fn group(&self, group: GroupId) -> String {
        let below_root = (group.0 as usize).checked_sub(1);
        let spec = below_root.and_then(|i| self.groups.get(i));
        if let Some(spec) = spec {
            return format!("group {}", spec.name);
        }
        let (world, of) = (self.world, |at: &u16| u32::from(*at) == group.0);
        let session = world.session_groups.iter().position(of);
        match session.and_then(|at| world.sessions.get(at)) {
            Some(session) => format!("session {session}"),
            None => String::from("a group"),
        }
    }

    /// Task `number` is made from `template`; tasks come in the order of their numbers.
    pub(crate) fn add(&mut self, template: TemplateId) {
        let name = self.world.templates[template.0 as usize].name.as_str();
        let number = self.by_number.len();
        let first = self.seen.insert(name);
        self.by_number.push(if first {
            name.to_string()
        } else {
            format!("{name}#{number}")
        });
    }

    /// All names, by number.
    pub(crate) fn into_all(self) -> Vec<String> {
        self.by_number
    }
}

impl Observer for Names<'_> {
    fn record(&mut self, _: Instant, event: &Event) {
        if let Event::Fork { template, .. } = event {
            self.add(*template);
        }
    }
}

fn name<'n>(task: TaskId, names: &'n Names<'_>) -> &'n str {
    names.of(task)
}

fn someone<'n>(task: Option<TaskId>, names: &'n Names<'_>) -> &'n str {
    task.map_or("idle", |t| name(t, names))
}

/// What happened, and why.
pub(crate) fn event(event: &Event, names: &Names<'_>) -> String {
    match event {
        Event::Switch {
            cpu,
            prev,
            state,
            next,
            why,
            forced,
        } => {
            let (from, to) = (someone(*prev, names), someone(*next, names));
            let left = left(*prev, *state);
            let cause = forced.map_or(String::new(), |c| {
                format!(", asked for by: {}", cause_word(c))
            });
            format!("CPU {}: {from}{left} -> {to}: {}{cause}", cpu.0, why.what())
        }
        Event::Wakeup {
            task,
            prev_cpu,
            waker,
            waker_cpu,
            sync,
            placement,
            preempt,
        } => {
            let by = waker.map_or("a timer", |w| name(w, names));
            let sync = if *sync { " (sync)" } else { "" };
            let woken = name(*task, names);
            format!(
                "CPU {}: {by} wakes {woken}{sync}, last on CPU {}: {}; {}",
                waker_cpu.0,
                prev_cpu.0,
                placed(*placement),
                preempts(preempt)
            )
        }
        Event::Fork {
            parent,
            child,
            placement,
            preempt,
            ..
        } => {
            let (by, new) = (
                parent.map_or("the start", |p| name(p, names)),
                name(*child, names),
            );
            format!(
                "{by} creates {new}: {}; {}",
                placed(*placement),
                preempts(preempt)
            )
        }
        Event::Migrate {
            task,
            from,
            to,
            why,
        } => {
            let who = name(*task, names);
            format!(
                "{who} moves from CPU {} to CPU {}: {}",
                from.0,
                to.0,
                why.what()
            )
        }
        other => lesser(other, names),
    }
}

/// The events without comparisons.
fn lesser(event: &Event, names: &Names<'_>) -> String {
    match event {
        Event::Exit { task, cpu } => format!("CPU {}: {} ends", cpu.0, name(*task, names)),
        Event::Tick { cpu, tick, hrtick } => {
            let name = if *hrtick { "hrtick" } else { "tick" };
            let verdict = if tick.resched { "reschedule" } else { "go on" };
            format!("CPU {}: {name}: {verdict}: {}", cpu.0, tick.why.what())
        }
        Event::Balance {
            cpu,
            level,
            idle,
            why,
            moved,
        } => {
            let (level, idle) = (level_name(*level, names.table), idle_word(*idle));
            let moved = match moved {
                0 => String::new(),
                n => format!(" ({})", counted(*n, "task", "tasks")),
            };
            format!(
                "CPU {}: balances {level}, {idle}: {}{moved}",
                cpu.0,
                why.what()
            )
        }
        Event::Throttle {
            cpu,
            group,
            throttled,
        } => {
            let group = names.group(*group);
            let what = if *throttled {
                "is throttled: its quota is used up"
            } else {
                "is no longer throttled"
            };
            format!("CPU {}: {group} {what}", cpu.0)
        }
        Event::Affinity { task, allowed } => {
            format!("{} may have CPUs {allowed}", name(*task, names))
        }
        Event::Message { task, bytes, .. } => {
            format!(
                "{} takes a message of {}",
                name(*task, names),
                counted(*bytes, "byte", "bytes")
            )
        }
        Event::Mark { task, .. } => format!("{} passes a mark", name(*task, names)),
        Event::Switch { .. }
        | Event::Wakeup { .. }
        | Event::Fork { .. }
        | Event::Migrate { .. } => String::new(),
    }
}

/// The kind of balancing, in a word or two.
pub(crate) const fn idle_word(idle: IdleType) -> &'static str {
    match idle {
        IdleType::Idle => "idle",
        IdleType::NotIdle => "busy",
        IdleType::NewlyIdle => "newly idle",
    }
}

/// What a kernel with that table calls a domain level, by its number.
pub(crate) fn level_name(level: u8, table: DomainTable) -> &'static str {
    let level = Level::ALL.get(usize::from(level));
    level.map_or("?", |l| l.name_in(table))
}

/// What asked for a reschedule.
pub(crate) const fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Wakeup => "a wakeup",
        Cause::Fork => "a new task",
        Cause::Tick => "the tick",
        Cause::Hrtick => "the hrtick",
        Cause::Balance => "a task pulled here",
        Cause::Yield => "its own yield",
        Cause::Nice => "a changed nice value",
        Cause::Stopper => "active balancing",
        Cause::Bandwidth => "a limit on its group or class",
        Cause::Charge => "its time was over as it was charged",
    }
}

/// In which state a task left the CPU.
fn left(prev: Option<TaskId>, state: PrevState) -> &'static str {
    match (prev, state) {
        (None, _) => "",
        (_, PrevState::Runnable) => " (preempted)",
        (_, PrevState::Yielded) => " (yields)",
        (_, PrevState::Sleeping) => " (sleeps)",
        (_, PrevState::Exited) => " (ends)",
    }
}

fn placed(p: Placement) -> String {
    format!(
        "to CPU {}, {} ({} run queues read)",
        p.cpu.0,
        p.why.what(),
        p.visited
    )
}

fn preempts(p: &Preempt) -> String {
    let verdict = if p.yes {
        "preempts"
    } else {
        "does not preempt"
    };
    let numbers = match p.gran {
        0 => String::new(),
        gran => format!(" (gap {}, granularity {})", signed(p.gap), time(gran)),
    };
    format!("{verdict}: {}{numbers}", p.why.what())
}

/// Nanoseconds with a sign.
pub(crate) fn signed(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}", time(ns.unsigned_abs()))
}
