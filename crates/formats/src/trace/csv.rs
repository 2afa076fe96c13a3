//! Columns as recordings of real kernels have them: t_ns, cpu, ev, a, b, c.
//!
//! S switch (prev, state, next), W wakeup (task, cpu), N new task (child, cpu), M migration (task, from, to),
//! F fork (parent, child), X exit (task), T tick, H hrtick. A task is `name:pid`, as recordings write those of whose
//! name there may be several; idle is `idle`.

use super::cast::{Cast, pid};
use schedlab_engine::observe::{Event, PrevState};
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use std::io::{self, Write};

fn name(cast: &Cast<'_>, task: TaskId) -> String {
    format!("{}:{}", cast.comm(task), pid(task))
}

fn name_or_idle(cast: &Cast<'_>, task: Option<TaskId>) -> String {
    task.map_or_else(|| String::from("idle"), |t| name(cast, t))
}

pub(super) fn write(
    to: &mut impl Write,
    now: Instant,
    event: &Event,
    cast: &Cast<'_>,
) -> io::Result<()> {
    let t = now.0;
    match *event {
        Event::Switch {
            cpu,
            prev,
            state,
            next,
            ..
        } => {
            let (prev_name, next) = (name_or_idle(cast, prev), name_or_idle(cast, next));
            let state = state_letter(prev, state);
            writeln!(to, "{t},{},S,{prev_name},{state},{next}", cpu.0)
        }
        Event::Wakeup {
            task,
            waker_cpu,
            placement,
            ..
        } => {
            let task = name(cast, task);
            writeln!(to, "{t},{},W,{task},{},", waker_cpu.0, placement.cpu.0)
        }
        Event::Migrate {
            task,
            from,
            to: there,
            ..
        } => {
            let task = name(cast, task);
            writeln!(to, "{t},{},M,{task},{},{}", there.0, from.0, there.0)
        }
        Event::Fork {
            parent,
            child,
            placement,
            ..
        } => {
            let (child, target) = (name(cast, child), placement.cpu.0);
            let cpu = parent.map_or(target, |p| cast.cpu_of(p).0);
            if let Some(parent) = parent {
                writeln!(to, "{t},{cpu},F,{},{child},", name(cast, parent))?;
            }
            writeln!(to, "{t},{cpu},N,{child},{target},")
        }
        Event::Exit { task, cpu } => writeln!(to, "{t},{},X,{},,", cpu.0, name(cast, task)),
        Event::Tick { cpu, hrtick, .. } => {
            let letter = if hrtick { 'H' } else { 'T' };
            writeln!(to, "{t},{},{letter},,,", cpu.0)
        }
        Event::Balance { .. }
        | Event::Throttle { .. }
        | Event::Affinity { .. }
        | Event::Message { .. }
        | Event::Mark { .. } => Ok(()),
    }
}

/// The state as `sched_switch` shows it; the idle task is always runnable.
pub(super) const fn state_letter(prev: Option<TaskId>, state: PrevState) -> char {
    match (prev, state) {
        (None, _) | (_, PrevState::Runnable | PrevState::Yielded) => 'R',
        (_, PrevState::Sleeping) => 'S',
        (_, PrevState::Exited) => 'X',
    }
}
