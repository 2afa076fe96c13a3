//! Lines as `perf sched script` prints them; behind the kernel's own fields stands what only a simulation knows:
//! why.

use super::cast::{Cast, pid};
use super::csv::state_letter;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::Event;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use std::io::{self, Write};

/// `comm tid [cpu] time: sched:event:`, for the task that ran on `cpu`.
fn prefix(
    to: &mut impl Write,
    now: Instant,
    (cpu, curr): (CpuId, Option<TaskId>),
    cast: &Cast<'_>,
    event: &str,
) -> io::Result<()> {
    let comm = curr.map_or_else(|| String::from("swapper"), |t| cast.comm(t));
    let tid = curr.map_or(0, pid);
    let (seconds, nanos) = (now.0 / 1_000_000_000, now.0 % 1_000_000_000);
    write!(
        to,
        "{comm:>16} {tid:>6} [{:03}] {seconds:>5}.{nanos:09}: sched:{event}:",
        cpu.0
    )
}

fn who(cast: &Cast<'_>, cpu: CpuId, task: Option<TaskId>) -> (String, u32, i32) {
    match task {
        Some(task) => (cast.comm(task), pid(task), cast.prio(task)),
        None => (format!("swapper/{}", cpu.0), 0, 120),
    }
}

pub(super) fn write(
    to: &mut impl Write,
    now: Instant,
    event: &Event,
    cast: &Cast<'_>,
) -> io::Result<()> {
    match *event {
        Event::Switch {
            cpu,
            prev,
            state,
            next,
            why,
            forced,
        } => {
            prefix(to, now, (cpu, prev), cast, "sched_switch")?;
            let (comm, pid, prio) = who(cast, cpu, prev);
            let letter = state_letter(prev, state);
            write!(
                to,
                " prev_comm={comm} prev_pid={pid} prev_prio={prio} prev_state={letter} ==>"
            )?;
            let (comm, pid, prio) = who(cast, cpu, next);
            write!(
                to,
                " next_comm={comm} next_pid={pid} next_prio={prio} why={why:?}"
            )?;
            forced.map_or(Ok(()), |cause| write!(to, " forced={cause:?}"))?;
            writeln!(to)
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
            let curr = waker.or_else(|| cast.curr(waker_cpu));
            prefix(to, now, (waker_cpu, curr), cast, "sched_wakeup")?;
            let (comm, pid, prio) = who(cast, waker_cpu, Some(task));
            writeln!(
                to,
                " comm={comm} pid={pid} prio={prio} target_cpu={:03} prev_cpu={:03} sync={} \
                 placement={:?} visited={} preempt={} preempt_why={:?} gap={} gran={}",
                placement.cpu.0,
                prev_cpu.0,
                u8::from(sync),
                placement.why,
                placement.visited,
                u8::from(preempt.yes),
                preempt.why,
                preempt.gap,
                preempt.gran
            )
        }
        ref other => rest(to, now, other, cast),
    }
}

/// The events with fewer fields.
fn rest(to: &mut impl Write, now: Instant, event: &Event, cast: &Cast<'_>) -> io::Result<()> {
    match *event {
        Event::Migrate {
            task,
            from,
            to: there,
            why,
        } => {
            prefix(
                to,
                now,
                (there, cast.curr(there)),
                cast,
                "sched_migrate_task",
            )?;
            let (comm, pid, prio) = who(cast, there, Some(task));
            let (from, there) = (from.0, there.0);
            writeln!(
                to,
                " comm={comm} pid={pid} prio={prio} orig_cpu={from} dest_cpu={there} why={why:?}"
            )
        }
        Event::Fork {
            parent,
            child,
            placement,
            preempt,
            ..
        } => {
            let cpu = parent.map_or(placement.cpu, |p| cast.cpu_of(p));
            let (comm, child_pid, prio) = who(cast, cpu, Some(child));
            if let Some(parent) = parent {
                prefix(to, now, (cpu, Some(parent)), cast, "sched_process_fork")?;
                let (parent, pid) = (cast.comm(parent), pid(parent));
                writeln!(
                    to,
                    " comm={parent} pid={pid} child_comm={comm} child_pid={child_pid}"
                )?;
            }
            prefix(to, now, (cpu, parent), cast, "sched_wakeup_new")?;
            writeln!(
                to,
                " comm={comm} pid={child_pid} prio={prio} target_cpu={:03} placement={:?} \
                 preempt={} preempt_why={:?}",
                placement.cpu.0,
                placement.why,
                u8::from(preempt.yes),
                preempt.why
            )
        }
        Event::Exit { task, cpu } => {
            prefix(to, now, (cpu, Some(task)), cast, "sched_process_exit")?;
            let (comm, pid, prio) = who(cast, cpu, Some(task));
            writeln!(to, " comm={comm} pid={pid} prio={prio}")
        }
        // What perf has no tracepoint for.
        _ => Ok(()),
    }
}
