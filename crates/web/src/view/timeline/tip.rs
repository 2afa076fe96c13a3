//! What is said of a thing in the timeline: a name, and lines of names and values.

use super::hit::Hit;
use super::marks::Mark;
use crate::format;
use crate::protocol::{EndWhy, Migration, PickWhy, Slice, Snapshot, Wakeup};
use crate::text::{Msg, fill, text};
use crate::view::geometry::Point;
use crate::view::picture::Runs;

/// What is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// What it is.
    pub title: String,
    /// What is known of it: names and values.
    pub lines: Vec<(String, String)>,
}

impl Tip {
    /// All of it in one sentence, to be read aloud.
    pub fn sentence(&self) -> String {
        let lines = self
            .lines
            .iter()
            .map(|(name, value)| format!("{name} {value}"));
        std::iter::once(self.title.clone())
            .chain(lines)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn line(&mut self, name: Msg, value: impl Into<String>) {
        self.lines.push((text(name).to_string(), value.into()));
    }
}

/// What a task is called.
pub fn task_name(run: &Snapshot, task: Option<u32>) -> String {
    match task {
        None => text(Msg::TimelineIdle).to_string(),
        Some(task) => {
            let known = run
                .tasks
                .get(task as usize)
                .map(|info| info.comm.to_string());
            known.unwrap_or_else(|| task.to_string())
        }
    }
}

/// What a reason to pick is called.
pub fn pick_name(pick: PickWhy) -> &'static str {
    text(match pick {
        PickWhy::Idle => Msg::PickIdle,
        PickWhy::Only => Msg::PickOnly,
        PickWhy::Leftmost => Msg::PickLeftmost,
        PickWhy::NextBuddy | PickWhy::EligibleBuddy => Msg::PickNext,
        PickWhy::LastBuddy => Msg::PickLast,
        PickWhy::SecondForSkip => Msg::PickSecond,
        PickWhy::RealTime => Msg::PickRealTime,
        PickWhy::EarliestDeadline => Msg::PickDeadline,
        PickWhy::Protected => Msg::PickProtected,
    })
}

/// What the end of a slice is called.
pub fn end_name(end: EndWhy) -> &'static str {
    text(match end {
        EndWhy::Sleeping => Msg::EndedSleeping,
        EndWhy::Exited => Msg::EndedExited,
        EndWhy::Yielded => Msg::EndedYielded,
        EndWhy::WakeupPreempt => Msg::EndedWakeup,
        EndWhy::Tick => Msg::EndedTick,
        EndWhy::Hrtick => Msg::EndedHrtick,
        EndWhy::Fork => Msg::EndedFork,
        EndWhy::Balance => Msg::EndedBalance,
        EndWhy::Nice => Msg::EndedNice,
        EndWhy::Stopper => Msg::EndedStopper,
        EndWhy::Bandwidth => Msg::EndedBandwidth,
        EndWhy::Charge => Msg::EndedCharge,
        EndWhy::Other => Msg::EndedOther,
    })
}

/// How far from the pointer a tip is, px.
const BESIDE: f64 = 14.0;

/// Where a tip of that width and height goes, its left and its top, in a picture with so much `room`: beside the pointer,
/// and inside the picture but for a tip higher than that, which hangs out below, where nothing cuts it off.
pub fn beside(at: Point, [width, height]: [f64; 2], room: [f64; 2]) -> [f64; 2] {
    let x = if at.x + BESIDE + width <= room[0] {
        at.x + BESIDE
    } else {
        at.x - BESIDE - width
    };
    let y = (at.y + BESIDE).min((room[1] - height).max(at.y - BESIDE - height));
    [x.max(0.0), y.max(0.0)]
}

/// What is said of something in the timeline.
pub fn tip(runs: &Runs, hit: Hit) -> Option<Tip> {
    match hit {
        Hit::Minimap(_) | Hit::Axis | Hit::Idle { index: None, .. } => None,
        Hit::Mark(Mark::Wakeup(side, wakeup)) => Some(of_wakeup(runs.get(side)?, &wakeup)),
        Hit::Mark(Mark::Migration(side, migration)) => {
            Some(of_migration(runs.get(side)?, &migration))
        }
        Hit::Slice { side, cpu, index }
        | Hit::Idle {
            side,
            cpu,
            index: Some(index),
            ..
        } => {
            let run = runs.get(side)?;
            let slice = run
                .trace
                .lanes
                .get(usize::from(cpu))?
                .slice(index, run.trace.end_ns)?;
            Some(of_slice(run, cpu, &slice))
        }
    }
}

fn at(ns: u64) -> String {
    format::exact_span(ns as i64).text()
}

fn of_slice(run: &Snapshot, cpu: u16, slice: &Slice) -> Tip {
    let name = task_name(run, slice.begin.task);
    let place = fill(Msg::PictureCpu, &[("cpu", &cpu.to_string())]);
    let mut tip = Tip {
        title: format!("{name} · {place}"),
        lines: Vec::new(),
    };
    tip.line(Msg::TimelineStart, at(slice.begin.at_ns));
    tip.line(
        Msg::TimelineLength,
        format::span((slice.end_ns - slice.begin.at_ns) as f64).text(),
    );
    if let Some(task) = slice.begin.task {
        tip.line(Msg::TimelinePicked, pick_name(slice.begin.pick));
        if let Some(wakeup) = wakeup_of(run, task, cpu, slice.begin.at_ns) {
            let waited = (slice.begin.at_ns - wakeup.at_ns) as f64;
            tip.line(Msg::TimelineWoken, task_or_timer(run, wakeup.waker));
            tip.line(Msg::TimelineWaited, format::span(waited).text());
        }
    }
    tip.line(Msg::TimelineQueue, slice.begin.waiting.to_string());
    tip.line(
        Msg::TimelineEnded,
        slice.end.map_or(text(Msg::TimelineRunning), |end| {
            if slice.begin.task.is_some() {
                end_name(end)
            } else {
                text(Msg::EndedIdle)
            }
        }),
    );
    tip
}

fn task_or_timer(run: &Snapshot, waker: Option<u32>) -> String {
    waker.map_or_else(
        || text(Msg::TimelineTimer).to_string(),
        |waker| task_name(run, Some(waker)),
    )
}

/// How far back the wakeup of a slice is looked for, ns.
const FAR_NS: u64 = 1_000_000_000;

/// Among how many wakeups: a hand that moves must not wait for a search.
const MANY: usize = 20_000;

/// The wakeup that a task's slice on a CPU follows, if it ran nowhere in between.
pub fn wakeup_of(run: &Snapshot, task: u32, cpu: u16, start_ns: u64) -> Option<Wakeup> {
    let lane = run.trace.lanes.get(usize::from(cpu))?;
    let mut found = run
        .trace
        .wakeups_in(start_ns.saturating_sub(FAR_NS), start_ns)
        .rev()
        .take(MANY);
    let wakeup = found.find(|wakeup| wakeup.task == task)?;
    let first = lane.index_at(wakeup.at_ns).unwrap_or(0);
    let ran = lane
        .walk(first)
        .take_while(|switch| switch.at_ns < start_ns)
        .any(|switch| switch.task == Some(task) && switch.at_ns >= wakeup.at_ns);
    (!ran).then_some(wakeup)
}

fn of_wakeup(run: &Snapshot, wakeup: &Wakeup) -> Tip {
    let name = task_name(run, Some(wakeup.task));
    let mut tip = Tip {
        title: fill(Msg::TimelineWakeup, &[("task", &name)]),
        lines: Vec::new(),
    };
    tip.line(Msg::TimelineStart, at(wakeup.at_ns));
    tip.line(Msg::TimelineWoken, task_or_timer(run, wakeup.waker));
    tip.line(Msg::TimelineTo, cpus(wakeup.from_cpu, wakeup.to_cpu));
    tip.line(Msg::TimelinePlaced, wakeup.placement.what());
    let preempts = text(if wakeup.preempts {
        Msg::TimelineYes
    } else {
        Msg::TimelineNo
    });
    tip.line(
        Msg::TimelinePreempts,
        format!("{preempts}: {}", wakeup.preempt.what()),
    );
    tip
}

fn of_migration(run: &Snapshot, migration: &Migration) -> Tip {
    let name = task_name(run, Some(migration.task));
    let mut tip = Tip {
        title: fill(Msg::TimelineMigration, &[("task", &name)]),
        lines: Vec::new(),
    };
    tip.line(Msg::TimelineStart, at(migration.at_ns));
    tip.line(Msg::TimelineTo, cpus(migration.from_cpu, migration.to_cpu));
    tip.line(Msg::TimelineWhy, migration.why.what());
    tip
}

fn cpus(from: u16, to: u16) -> String {
    fill(
        Msg::TimelineFromTo,
        &[("from", &from.to_string()), ("to", &to.to_string())],
    )
}
