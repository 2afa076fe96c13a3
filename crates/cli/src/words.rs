//! Events in words: one line each, with the reason.

use crate::numbers::time;
use schedlab_engine::observe::{Cause, Event, PrevState};
use schedlab_engine::sched::decision::{Placement, Preempt};
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;

/// An instant as milliseconds, to the nanosecond: `12.345678 ms`.
pub(crate) fn instant(at: Instant) -> String {
    format!("{:>5}.{:06} ms", at.0 / 1_000_000, at.0 % 1_000_000)
}

fn name(task: TaskId, names: &[String]) -> &str {
    names.get(task.index()).map_or("a task", String::as_str)
}

fn someone(task: Option<TaskId>, names: &[String]) -> &str {
    task.map_or("idle", |t| name(t, names))
}

/// What happened, and why.
pub(crate) fn event(event: &Event, names: &[String]) -> String {
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
        Event::Exit { task, cpu } => format!("CPU {}: {} ends", cpu.0, name(*task, names)),
        other => format!("{other:?}"),
    }
}

/// What asked for a reschedule.
const fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Wakeup => "a wakeup",
        Cause::Fork => "a new task",
        Cause::Tick => "the tick",
        Cause::Hrtick => "the hrtick",
        Cause::Balance => "a task pulled here",
        Cause::Yield => "its own yield",
        Cause::Nice => "a changed nice value",
        Cause::Stopper => "active balancing",
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

fn signed(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}", time(ns.unsigned_abs()))
}
