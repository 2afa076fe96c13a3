//! Where everything in the timeline is: lanes, axis, minimap. Depends on the machine and the room, not on time.

use crate::protocol::{RunSide, Snapshot, Topology};
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::picture::Runs;
use schedlab_engine::order::sorted;

/// One CPU of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneBox {
    /// The run.
    pub side: RunSide,
    /// The CPU.
    pub cpu: u16,
    /// Where its slices are.
    pub rect: Rect,
}

/// Lanes without a gap between them: CPUs of one package of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The run.
    pub side: RunSide,
    /// Its lanes: a range of [`Layout::lanes`].
    pub lanes: std::ops::Range<usize>,
    /// All of them.
    pub rect: Rect,
}

/// Where everything is.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Width of the picture, px.
    pub width: f64,
    /// Height it needs, px.
    pub height: f64,
    /// The whole run, small.
    pub minimap: Rect,
    /// The texts of the time axis.
    pub axis: Rect,
    /// Everything that moves with time: from the top of the first lane to the bottom of the last.
    pub plot: Rect,
    /// Lanes from top to bottom.
    pub lanes: Vec<LaneBox>,
    /// Lanes drawn in one go.
    pub blocks: Vec<Block>,
}

/// Height of a lane with its gap, px at a font of 13 px, by how many lanes there are.
fn pitch(lanes: usize) -> f64 {
    match lanes {
        0..=8 => 22.0,
        9..=16 => 17.0,
        17..=36 => 13.0,
        37..=72 => 10.0,
        _ => 8.0,
    }
}

/// CPUs in the order of the machine: those that share something are neighbours.
pub fn cpus_in_order(topology: &Topology) -> Vec<u16> {
    let cpus: Vec<u16> = (0..topology.len() as u16).collect();
    let place = |cpu: &u16| {
        let place = topology[usize::from(*cpu)];
        (place.node, place.package, place.llc, place.core)
    };
    sorted(&cpus, |a, b| place(a).cmp(&place(b)))
}

impl Layout {
    /// The layout for some runs on so much width.
    pub fn new(runs: &Runs, width: f64, font: &FontMetrics) -> Layout {
        let scale = font.size / 13.0;
        let count: usize = runs.iter().map(|(_, run)| run.cpus()).sum();
        let pitch = (pitch(count) * scale).round();
        let gutter = gutter(runs, font);
        let (plot_x, plot_w) = (gutter, (width - gutter - 1.0).max(10.0));
        let line = font.line_height();
        let rows = runs.iter().count().max(1) as f64;
        let minimap = Rect::new(plot_x, 1.0, plot_w, (rows * line * 0.8).round() + 2.0);
        let axis = Rect::new(plot_x, minimap.bottom() + 3.0, plot_w, line);
        let top = axis.bottom() + 2.0;
        let mut layout = Layout {
            width,
            height: 0.0,
            minimap,
            axis,
            plot: Rect::new(plot_x, top, plot_w, 0.0),
            lanes: Vec::with_capacity(count),
            blocks: Vec::new(),
        };
        let mut y = top;
        for (side, run) in runs.iter() {
            if y > top {
                y += (7.0 * scale).round();
            }
            y = layout.add_run(side, run, y, pitch);
        }
        layout.plot.h = (y - top).max(pitch);
        layout.height = layout.plot.bottom() + 2.0;
        layout
    }

    /// Adds the lanes of a run below `y`; returns where they end.
    fn add_run(&mut self, side: RunSide, run: &Snapshot, mut y: f64, pitch: f64) -> f64 {
        let package = |cpu: u16| {
            let place = run.topology[usize::from(cpu)];
            (place.node, place.package)
        };
        let cpus = cpus_in_order(&run.topology);
        for (i, cpus) in cpus.chunk_by(|&a, &b| package(a) == package(b)).enumerate() {
            if i > 0 {
                y += 2.0;
            }
            let first = self.lanes.len();
            let block = Rect::new(self.plot.x, y, self.plot.w, cpus.len() as f64 * pitch);
            for &cpu in cpus {
                let rect = Rect::new(self.plot.x, y, self.plot.w, pitch - 1.0);
                self.lanes.push(LaneBox { side, cpu, rect });
                y += pitch;
            }
            let lanes = first..self.lanes.len();
            self.blocks.push(Block {
                side,
                lanes,
                rect: block,
            });
        }
        y
    }

    /// The lane at a height; a gap belongs to the lane above it.
    pub fn lane_at(&self, at: Point) -> Option<&LaneBox> {
        if !self.plot.contains(at, 0.0) {
            return None;
        }
        let below = self.lanes.partition_point(|lane| lane.rect.y <= at.y);
        self.lanes.get(below.checked_sub(1)?)
    }

    /// The lane of a CPU.
    pub fn lane(&self, side: RunSide, cpu: u16) -> Option<&LaneBox> {
        self.lanes
            .iter()
            .find(|lane| lane.side == side && lane.cpu == cpu)
    }

    /// The CPU above or below another, in the order of the lanes.
    pub fn beside(&self, side: RunSide, cpu: u16, by: isize) -> Option<&LaneBox> {
        let same = |lane: &LaneBox| lane.side == side && lane.cpu == cpu;
        let index = self.lanes.iter().position(same)?;
        self.lanes.get(index.checked_add_signed(by)?)
    }

    /// The row of a run in the minimap.
    pub fn minimap_row(&self, row: usize, rows: usize) -> Rect {
        let inner = self.minimap.inset(0.0, 1.0);
        let high = inner.h / rows.max(1) as f64;
        Rect::new(inner.x, inner.y + row as f64 * high, inner.w, high)
    }
}

/// Room for the names of lanes at the left.
fn gutter(runs: &Runs, font: &FontMetrics) -> f64 {
    let cpus = runs.iter().map(|(_, run)| run.cpus()).max().unwrap_or(1);
    let name = font.width(&super::lanes::lane_name(cpus.saturating_sub(1) as u16));
    let letter = if runs.compared() {
        font.size * 1.3
    } else {
        0.0
    };
    (letter + name * super::lanes::NAME + 10.0).ceil()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use std::rc::Rc;

    fn runs() -> Runs {
        let demo = |side| Some(Rc::new(Demo::small(side).snapshot()));
        Runs {
            a: demo(RunSide::A),
            b: demo(RunSide::B),
        }
    }

    #[test]
    fn lanes_neither_touch_nor_get_lost() {
        let layout = Layout::new(&runs(), 1000.0, &FontMetrics::wide_sans(13.0));
        assert_eq!((layout.lanes.len(), layout.blocks.len()), (32, 8));
        for pair in layout.lanes.windows(2) {
            assert!(pair[0].rect.bottom() < pair[1].rect.y);
        }
        let last = layout.lanes.last().expect("there are lanes");
        assert!(last.rect.bottom() <= layout.plot.bottom() && layout.plot.bottom() < layout.height);
        assert!(!layout.minimap.overlaps(&layout.axis) && !layout.axis.overlaps(&layout.plot));
    }

    #[test]
    fn cpus_that_share_a_cache_are_neighbours() {
        let layout = Layout::new(&runs(), 1000.0, &FontMetrics::wide_sans(13.0));
        let first: Vec<u16> = layout.lanes.iter().take(4).map(|lane| lane.cpu).collect();
        assert_eq!(
            first,
            [0, 8, 4, 12],
            "package 0 has CPUs 0, 4, 8, 12; its first cache 0 and 8"
        );
    }

    #[test]
    fn a_point_finds_its_lane() {
        let layout = Layout::new(&runs(), 1000.0, &FontMetrics::wide_sans(13.0));
        for lane in &layout.lanes {
            assert_eq!(layout.lane_at(lane.rect.middle()), Some(lane));
            assert_eq!(layout.lane(lane.side, lane.cpu), Some(lane));
        }
        assert_eq!(
            layout.lane_at(Point::new(1.0, layout.lanes[0].rect.y)),
            None
        );
        let below = layout.beside(RunSide::A, 0, 1).map(|lane| lane.cpu);
        assert_eq!(below, Some(8));
        assert_eq!(layout.beside(RunSide::A, 0, -1), None);
    }

    #[test]
    fn no_run_is_an_empty_timeline() {
        let layout = Layout::new(&Runs::default(), 0.0, &FontMetrics::wide_sans(13.0));
        assert!(layout.lanes.is_empty() && layout.height > 0.0 && layout.plot.w > 0.0);
    }
}
