//! One JSON object a line, everything in it. Times and numbers are whole; names need no escapes beyond those
//! made here.

use super::cast::{Cast, pid};
use super::csv::state_letter;
use schedlab_engine::observe::Event;
use schedlab_engine::sched::decision::{Placement, Preempt};
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use std::io::{self, Write};

/// A task as its number, or `null` for idle.
fn id(task: Option<TaskId>) -> String {
    task.map_or_else(|| String::from("null"), |t| pid(t).to_string())
}

fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    let inner: Vec<String> = text.chars().map(escape).collect();
    format!("\"{}\"", inner.concat())
}

fn placement(p: Placement) -> String {
    let (cpu, visited, why) = (p.cpu.0, p.visited, p.why);
    format!("\"target\":{cpu},\"placement\":\"{why:?}\",\"visited\":{visited}")
}

fn preempt(p: Preempt) -> String {
    let (yes, why, gap, gran) = (p.yes, p.why, p.gap, p.gran);
    format!("\"preempt\":{yes},\"preempt_why\":\"{why:?}\",\"gap\":{gap},\"gran\":{gran}")
}

pub(super) fn write(
    to: &mut impl Write,
    now: Instant,
    event: &Event,
    cast: &Cast<'_>,
) -> io::Result<()> {
    write!(to, "{{\"t\":{},", now.0)?;
    match *event {
        Event::Switch {
            cpu,
            prev,
            state,
            next,
            why,
            forced,
        } => {
            let (prev_id, next) = (id(prev), id(next));
            let state = state_letter(prev, state);
            let forced = forced.map_or_else(|| String::from("null"), |c| format!("\"{c:?}\""));
            write!(
                to,
                "\"ev\":\"switch\",\"cpu\":{},\"prev\":{prev_id},\"state\":\"{state}\",\"next\":{next},\
                 \"why\":\"{why:?}\",\"forced\":{forced}",
                cpu.0
            )?;
        }
        Event::Wakeup {
            task,
            prev_cpu,
            waker,
            waker_cpu,
            sync,
            placement: p,
            preempt: check,
        } => write!(
            to,
            "\"ev\":\"wakeup\",\"cpu\":{},\"task\":{},\"prev_cpu\":{},\"waker\":{},\"sync\":{sync},{},{}",
            waker_cpu.0,
            pid(task),
            prev_cpu.0,
            id(waker),
            placement(p),
            preempt(check)
        )?,
        Event::Fork {
            parent,
            child,
            placement: p,
            preempt: check,
            ..
        } => write!(
            to,
            "\"ev\":\"fork\",\"parent\":{},\"task\":{},\"comm\":{},\"prio\":{},{},{}",
            id(parent),
            pid(child),
            quoted(&cast.comm(child)),
            cast.prio(child),
            placement(p),
            preempt(check)
        )?,
        ref other => rest(to, other)?,
    }
    writeln!(to, "}}")
}

/// The events with fewer fields.
fn rest(to: &mut impl Write, event: &Event) -> io::Result<()> {
    match *event {
        Event::Migrate {
            task,
            from,
            to: there,
            why,
        } => write!(
            to,
            "\"ev\":\"migrate\",\"cpu\":{},\"task\":{},\"from\":{},\"to\":{},\"why\":\"{why:?}\"",
            there.0,
            pid(task),
            from.0,
            there.0
        ),
        Event::Exit { task, cpu } => {
            write!(
                to,
                "\"ev\":\"exit\",\"cpu\":{},\"task\":{}",
                cpu.0,
                pid(task)
            )
        }
        Event::Tick { cpu, tick, hrtick } => {
            let name = if hrtick { "hrtick" } else { "tick" };
            let (cpu, resched, why) = (cpu.0, tick.resched, tick.why);
            write!(
                to,
                "\"ev\":\"{name}\",\"cpu\":{cpu},\"resched\":{resched},\"why\":\"{why:?}\""
            )
        }
        Event::Balance {
            cpu,
            level,
            idle,
            why,
            moved,
        } => write!(
            to,
            "\"ev\":\"balance\",\"cpu\":{},\"level\":{level},\"idle\":\"{idle:?}\",\"why\":\"{why:?}\",\
             \"moved\":{moved}",
            cpu.0
        ),
        Event::Throttle {
            cpu,
            group,
            throttled,
        } => {
            let name = if throttled { "throttle" } else { "unthrottle" };
            let (cpu, group) = (cpu.0, group.0);
            write!(to, "\"ev\":\"{name}\",\"cpu\":{cpu},\"group\":{group}")
        }
        ref other => of_task(to, other),
    }
}

/// What a task does or may do, of which nothing is scheduled.
fn of_task(to: &mut impl Write, event: &Event) -> io::Result<()> {
    match *event {
        Event::Affinity { task, allowed } => write!(
            to,
            "\"ev\":\"affinity\",\"task\":{},\"cpus\":\"{allowed}\"",
            pid(task)
        ),
        Event::Message {
            channel,
            task,
            bytes,
        } => write!(
            to,
            "\"ev\":\"message\",\"task\":{},\"channel\":{},\"bytes\":{bytes}",
            pid(task),
            channel.0
        ),
        Event::Mark { mark, task, took } => {
            let (task, mark) = (pid(task), mark.0);
            write!(to, "\"ev\":\"mark\",\"task\":{task},\"mark\":{mark}")?;
            took.map_or(Ok(()), |took| write!(to, ",\"took\":{}", took.0))
        }
        _ => Ok(()),
    }
}
