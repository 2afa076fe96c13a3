//! A CPU that is idle: since when, who left it, who comes next, who waits elsewhere, and what balancing tried. Pure.

use super::explain::Names;
use crate::protocol::explained::{Idle, Try};
use schedlab_engine::machine::CpuId;
use schedlab_engine::machine::sd_flags::Level;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sched::decision::IdleType;
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;

/// A CPU balances before it goes idle: so long before, ns, what it tried then is looked for at most.
pub(super) const BEFORE_NS: u64 = 1_000_000;

/// So many tasks that wait elsewhere are named.
const LISTED: usize = 6;

/// Keeps what has happened on a CPU since a task left it.
struct Watch {
    cpu: CpuId,
    left: Option<(TaskId, u8)>,
    /// The last try in each domain, the lowest first.
    tries: [Option<(u64, IdleType, u8, u16)>; Level::ALL.len()],
    next: Option<(u64, TaskId)>,
}

impl Observer for Watch {
    fn record(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                forced,
                ..
            } if cpu == self.cpu => {
                if let Some(prev) = prev {
                    self.left = Some((prev, super::record::end_why(state, forced) as u8));
                }
                if let Some(next) = next {
                    self.tries = [None; Level::ALL.len()];
                    self.next.get_or_insert((now.0, next));
                }
            }
            Event::Balance {
                cpu,
                level,
                idle,
                why,
                moved,
            } if cpu == self.cpu && idle != IdleType::NotIdle => {
                if let Some(last) = self.tries.get_mut(usize::from(level)) {
                    *last = Some((now.0, idle, why as u8, moved));
                }
            }
            _ => {}
        }
    }
}

/// What is true at `at_ns` of `cpu`, which has been idle since `since_ns`; `before` is the run some time before that.
/// Who comes next is looked for up to `end_ns`. None if a task runs there.
pub(super) fn idle(
    (mut sim, groups): (Sim, &[String]),
    cpu: CpuId,
    [since_ns, at_ns, end_ns]: [u64; 3],
) -> Option<Idle> {
    let mut watch = Watch {
        cpu,
        left: None,
        tries: [None; Level::ALL.len()],
        next: None,
    };
    sim.run_told(Instant(at_ns), u64::MAX, &mut watch);
    if sim.running(cpu).is_some() {
        return None;
    }
    watch.next = None;
    let mut told = {
        let names = Names::new(&sim, groups);
        let (waiting, more) = waiting(&names, cpu);
        Idle {
            since_ns,
            left: watch.left.map(|(task, why)| (names.of(task), why)),
            next: None,
            waiting,
            more,
            tries: tries(&watch, &sim),
            throttled: names.throttled(cpu),
        }
    };
    while watch.next.is_none() && sim.progress().now.0 < end_ns {
        if sim.run_told(Instant(end_ns), 64, &mut watch).stop.is_some() {
            break;
        }
    }
    let names = Names::new(&sim, groups);
    told.next = watch.next.map(|(at, task)| (at, names.of(task)));
    Some(told)
}

/// Who waits on other CPUs and may run on `cpu`, with the CPU; and how many more do.
fn waiting(names: &Names<'_>, cpu: CpuId) -> (Vec<(String, u16)>, u32) {
    let sched = names.sim.sched();
    let mut all = Vec::new();
    for other in names
        .sim
        .topology()
        .all()
        .iter()
        .filter(|other| *other != cpu)
    {
        for waiting in sched.leftmost(other, usize::MAX) {
            let task = sched.se[waiting.se.0 as usize].task;
            // One that sleeps but is still queued waits for nothing.
            let may = task.is_none_or(|task| {
                sched.tasks[task.index()].allowed.contains(cpu) && !sched.is_delayed(task)
            });
            if may {
                all.push((names.entity(waiting.se, task), other.0));
            }
        }
    }
    let more = all.len().saturating_sub(LISTED) as u32;
    all.truncate(LISTED);
    (all, more)
}

fn tries(watch: &Watch, sim: &Sim) -> Vec<Try> {
    let table = sim.sched().rules.domains;
    let levels = Level::ALL.iter().zip(watch.tries);
    let told = levels.filter_map(|(level, last)| {
        let (at_ns, idle, why, moved) = last?;
        Some(Try {
            at_ns,
            domain: level.name_in(table).to_string(),
            newly: idle == IdleType::NewlyIdle,
            why,
            moved: moved.into(),
        })
    });
    told.collect()
}
