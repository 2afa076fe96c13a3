//! What is under the pointer, found where it was drawn.

use super::layout::Layout;
use super::marks::Mark;
use super::minimap::{self, Part};
use crate::model::view::{Asked, Cursor, Window};
use crate::protocol::RunSide;
use crate::view::geometry::Point;
use crate::view::picture::Runs;
use crate::view::scene::Scene;
use crate::view::time_scale::TimeScale;

/// How far from a thin thing it is still meant, px.
pub const REACH: f64 = 3.5;

/// Something in the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hit {
    /// A part of the minimap.
    Minimap(Part),
    /// The time axis.
    Axis,
    /// A wakeup or a migration.
    Mark(Mark),
    /// Idle time.
    Idle {
        /// The run.
        side: RunSide,
        /// The CPU.
        cpu: u16,
        /// The number of the switch that begins it; none: it is idle from the start.
        index: Option<usize>,
        /// Where in it, ns.
        at_ns: u64,
    },
    /// A slice: the lane and the number of the switch that begins it.
    Slice {
        /// The run.
        side: RunSide,
        /// The CPU.
        cpu: u16,
        /// The number of the switch.
        index: usize,
    },
}

/// What is at a point of a timeline that shows `scale`; `marks` is the scene they were drawn from.
pub fn hit(
    (layout, runs): (&Layout, &Runs),
    scale: &TimeScale,
    marks: &Scene<Mark>,
    at: Point,
) -> Option<Hit> {
    let end_ns = runs.recorded_ns();
    if let Some(part) = minimap::part(layout, end_ns, scale.window(), at) {
        return Some(Hit::Minimap(part));
    }
    if layout.axis.contains(at, 1.0) {
        return Some(Hit::Axis);
    }
    if let Some(mark) = marks
        .at(at, REACH)
        .filter(|_| layout.plot.contains(at, 2.0))
    {
        return Some(Hit::Mark(*mark));
    }
    let lane = layout.lane_at(at)?;
    let run = runs.get(lane.side)?;
    let ns = scale.ns(at.x);
    let column = run.trace.lanes.get(usize::from(lane.cpu))?;
    if ns > run.trace.end_ns {
        return None;
    }
    let (side, cpu) = (lane.side, lane.cpu);
    let index = column.index_at(ns);
    let runs = |index: &usize| column.switch(*index).is_some_and(|s| s.task.is_some());
    Some(match index.filter(runs) {
        Some(index) => Hit::Slice { side, cpu, index },
        None => Hit::Idle {
            side,
            cpu,
            index,
            at_ns: ns,
        },
    })
}

/// The place and the question that a click on something stands for.
pub fn question(runs: &Runs, hit: Hit) -> Option<(Cursor, Option<Asked>)> {
    match hit {
        Hit::Minimap(_) | Hit::Axis => None,
        Hit::Mark(Mark::Wakeup(side, wakeup)) => {
            let cursor = Cursor {
                side,
                cpu: wakeup.to_cpu,
                at_ns: wakeup.at_ns,
            };
            Some((cursor, Some(Asked::Preempt { task: wakeup.task })))
        }
        Hit::Mark(Mark::Migration(side, migration)) => {
            let cursor = Cursor {
                side,
                cpu: migration.to_cpu,
                at_ns: migration.at_ns,
            };
            Some((
                cursor,
                Some(Asked::Migration {
                    task: migration.task,
                }),
            ))
        }
        Hit::Idle {
            side, cpu, at_ns, ..
        } => Some((Cursor { side, cpu, at_ns }, Some(Asked::Pick))),
        Hit::Slice { side, cpu, index } => {
            let lane = runs.get(side)?.trace.lanes.get(usize::from(cpu))?;
            let at_ns = lane.switch(index)?.at_ns;
            Some((Cursor { side, cpu, at_ns }, Some(Asked::Pick)))
        }
    }
}

/// The stretch of time that shows a slice with some of its neighbours.
pub fn around(runs: &Runs, hit: Hit) -> Option<Window> {
    let (Hit::Slice { side, cpu, index }
    | Hit::Idle {
        side,
        cpu,
        index: Some(index),
        ..
    }) = hit
    else {
        return None;
    };
    let run = runs.get(side)?;
    let slice = run
        .trace
        .lanes
        .get(usize::from(cpu))?
        .slice(index, run.trace.end_ns)?;
    let length = (slice.end_ns - slice.begin.at_ns).max(100);
    let from = slice.begin.at_ns.saturating_sub(length * 2);
    Some(Window::new(from, slice.end_ns.saturating_add(length * 2)))
}
