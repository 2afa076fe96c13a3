//! The machine at one moment: nodes, packages, caches and cores as boxes in boxes, and on each CPU who runs and how many
//! wait.

use std::rc::Rc;

use super::geometry::{Point, Rect};
use super::palette::Colour;
use super::picture::{Frame, Hover, Picture, Runs, Table, letter};
use super::scene::{Align, Label, Scene, Shape, Stroke};
use super::timeline::colours::Colours;
use super::timeline::layout::cpus_in_order;
use super::timeline::tip::task_name;
use crate::format;
use crate::model::view::ColourBy;
use crate::protocol::{CpuPlace, RunSide, Slice, Snapshot, Topology};
use crate::text::{Msg, fill, text};

/// The picture.
#[derive(Clone, Debug, PartialEq)]
pub struct TopologyPicture {
    /// The runs.
    pub runs: Runs,
    /// The moment, ns; none is the latest that is recorded.
    pub at_ns: Option<u64>,
    /// What has just happened at that moment, in words.
    pub when: String,
    /// What colours mean.
    pub colour: ColourBy,
}

/// Size of texts in units of the picture's font.
const SMALL: f64 = 0.82;

/// Between boxes, px.
const GAP: f64 = 4.0;

/// One CPU on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The CPU.
    pub cpu: u16,
    /// Where.
    pub rect: Rect,
}

/// A map of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Boxes of what is shared, outermost first.
    pub boxes: Vec<Rect>,
    /// CPUs.
    pub cells: Vec<Cell>,
}

/// CPUs that share a package, by last-level cache.
type Package = Vec<Vec<u16>>;

/// The CPUs of a machine by package and by last-level cache.
fn packages(topology: &Topology) -> Vec<Package> {
    let place = |cpu: u16| topology[usize::from(cpu)];
    let by = |key: fn(CpuPlace) -> u16| move |a: &u16, b: &u16| key(place(*a)) == key(place(*b));
    let cpus = cpus_in_order(topology);
    let of_package = |cpus: &[u16]| {
        cpus.chunk_by(by(|place| place.llc))
            .map(<[u16]>::to_vec)
            .collect()
    };
    cpus.chunk_by(by(|place| place.package))
        .map(of_package)
        .collect()
}

/// CPUs of a cache stand in two rows, as many columns as it takes.
fn columns(llc: &[u16]) -> usize {
    llc.len().div_ceil(2)
}

impl Map {
    /// The map of a machine in a rectangle.
    pub fn new(topology: &Topology, area: Rect) -> Map {
        let packages = packages(topology);
        let mut map = Map::default();
        if packages.is_empty() {
            return map;
        }
        let wide = |package: &Package| package.iter().map(|llc| columns(llc)).sum::<usize>();
        let total: usize = packages.iter().map(wide).sum();
        let widest = packages.iter().map(wide).max().unwrap_or(1);
        // As few rows of packages as leave a cell some width; never fewer columns than one package has.
        let per_row = ((area.w / 30.0) as usize).max(widest);
        let rows = total.div_ceil(per_row).max(1);
        let in_row = packages.len().div_ceil(rows);
        let high = area.h / packages.len().div_ceil(in_row) as f64;
        for (row, packages) in packages.chunks(in_row).enumerate() {
            let slot = area.w / in_row as f64;
            for (i, package) in packages.iter().enumerate() {
                let rect = Rect::new(
                    area.x + slot * i as f64,
                    area.y + high * row as f64,
                    slot,
                    high,
                );
                map.package(package, rect.inset(GAP / 2.0, GAP / 2.0));
            }
        }
        map
    }

    fn package(&mut self, package: &Package, rect: Rect) {
        self.boxes.push(rect);
        let inner = rect.inset(GAP, GAP);
        let total: usize = package.iter().map(|llc| columns(llc)).sum();
        let gaps = GAP * (package.len() - 1) as f64;
        let column = (inner.w - gaps).max(1.0) / total.max(1) as f64;
        let mut x = inner.x;
        for llc in package {
            let wide = column * columns(llc) as f64;
            let cache = Rect::new(x, inner.y, wide, inner.h);
            self.boxes.push(cache);
            self.llc(llc, cache.inset(2.0, 2.0));
            x += wide + GAP;
        }
    }

    fn llc(&mut self, llc: &[u16], area: Rect) {
        let (columns, rows) = (columns(llc), llc.len().min(2));
        let (wide, high) = (area.w / columns as f64, area.h / rows as f64);
        for (i, &cpu) in llc.iter().enumerate() {
            // Neighbours in order stand above each other: hardware threads of a core are one column.
            let (column, row) = (i / rows, i % rows);
            let rect = Rect::new(
                area.x + wide * column as f64,
                area.y + high * row as f64,
                wide,
                high,
            );
            self.cells.push(Cell {
                cpu,
                rect: rect.inset(0.75, 0.75),
            });
        }
    }
}

/// The map of one run and where its letter stands.
struct Placed<'a> {
    side: RunSide,
    run: &'a Rc<Snapshot>,
    map: Map,
    area: Rect,
}

/// How much of a cell's texts there is room for: a number and a count beside each other want 44 × 15 px.
fn roominess(placed: &[Placed<'_>]) -> f64 {
    let cells = placed.iter().filter_map(|placed| placed.map.cells.first());
    cells
        .map(|cell| (cell.rect.w / 44.0).min(cell.rect.h / 15.0))
        .fold(f64::INFINITY, f64::min)
}

impl TopologyPicture {
    fn placed<'a>(&'a self, frame: &Frame<'_>) -> Vec<Placed<'a>> {
        let [stacked, beside] = [false, true].map(|beside| self.placed_so(frame, beside));
        if roominess(&beside) > roominess(&stacked) {
            beside
        } else {
            stacked
        }
    }

    /// One map beside the other, or one above the other.
    fn placed_so<'a>(&'a self, frame: &Frame<'_>, beside: bool) -> Vec<Placed<'a>> {
        let count = self.runs.iter().count().max(1) as f64;
        let (wide, high) = if beside {
            (frame.width / count, frame.height)
        } else {
            (frame.width, frame.height / count)
        };
        let left = if self.runs.compared() {
            frame.font.size * 1.3
        } else {
            0.0
        };
        let place = |(i, (side, run)): (usize, (RunSide, &'a Rc<Snapshot>))| {
            let (x, y) = if beside {
                (wide * i as f64, 0.0)
            } else {
                (0.0, high * i as f64)
            };
            let area = Rect::new(x + left, y, (wide - left).max(1.0), high);
            Placed {
                side,
                run,
                map: Map::new(&run.topology, area),
                area,
            }
        };
        self.runs.iter().enumerate().map(place).collect()
    }

    /// What goes on on a CPU at the moment shown.
    fn slice(&self, run: &Snapshot, cpu: u16) -> Option<Slice> {
        let lane = run.trace.lanes.get(usize::from(cpu))?;
        let end_ns = run.trace.end_ns;
        let at_ns = self.at_ns.unwrap_or(end_ns).min(end_ns);
        lane.slice(lane.index_at(at_ns)?, end_ns)
    }

    fn at(&self) -> u64 {
        let recorded = self.runs.recorded_ns();
        self.at_ns.map_or(recorded, |at_ns| at_ns.min(recorded))
    }
}

/// What a cell shows of a slice.
fn cell(
    scene: &mut Scene<()>,
    cell: &Cell,
    slice: Option<&Slice>,
    (run, colours): (&Snapshot, &Colours),
    frame: &Frame<'_>,
) {
    let running = slice.and_then(|slice| Some((slice.begin.task?, slice)));
    let (ground, ink) = match running {
        Some((task, slice)) => {
            let colour = colours.of(task, slice.begin.pick);
            (Colour::Data(colour), Colour::OnData(colour))
        }
        None => (Colour::Track, Colour::Mute),
    };
    scene.fill(cell.rect, ground);
    let name = running.map(|(task, _)| task_name(run, Some(task)));
    let waiting = slice.map_or(0, |slice| slice.begin.waiting);
    for label in cell_texts(cell, name, waiting, frame) {
        scene.text(Label {
            ink: ink.into(),
            scale: SMALL * label.scale,
            ..label
        });
    }
}

/// How many wait may be written so much smaller than the rest where it does not fit otherwise: it says more than a name.
const SMALLEST: f64 = 0.7;

/// The number of the CPU, how many wait, who runs: as much of it as fits.
fn cell_texts(cell: &Cell, name: Option<String>, waiting: u16, frame: &Frame<'_>) -> Vec<Label> {
    let (rect, font) = (cell.rect, frame.font.scaled(SMALL));
    let line = font.line_height();
    let number = cell.cpu.to_string();
    let queue = Some(format!("+{waiting}")).filter(|_| waiting > 0);
    if font.size > rect.h || font.width(&number) + 2.0 > rect.w {
        return Vec::new();
    }
    let label = |x: f64, y: f64, text: String, align| {
        Label::new(Point::new(x, y), text, Colour::Ink).aligned(align)
    };
    let (middle, second) = (rect.middle(), rect.h >= 2.0 * line);
    let name = name.filter(|name| second && font.width(name) + 4.0 <= rect.w);
    let beside = queue
        .as_ref()
        .is_some_and(|queue| font.width(&number) + font.bold_width(queue) + 9.0 <= rect.w);
    let fit = |queue: &String| ((rect.w - 2.0) / font.bold_width(queue)).min(1.0);
    let below = queue
        .as_ref()
        .filter(|queue| !beside && second && fit(queue) >= SMALLEST);
    let two = name.is_some() || below.is_some();
    let y = if two { middle.y - line / 2.0 } else { middle.y };
    let mut texts = Vec::new();
    if let Some(below) = below {
        let text = label(middle.x, y + line, below.clone(), Align::Middle);
        texts.push(text.scaled(fit(below)).bold());
    } else if let Some(name) = name {
        texts.push(label(middle.x, y + line, name, Align::Middle));
    }
    if let (true, Some(queue)) = (beside, queue) {
        texts.push(label(rect.x + 3.0, y, number, Align::Start));
        texts.push(label(rect.right() - 3.0, y, queue, Align::End).bold());
    } else {
        texts.push(label(middle.x, y, number, Align::Middle));
    }
    texts
}

impl Picture for TopologyPicture {
    fn title(&self) -> String {
        if self.runs.is_empty() {
            return text(Msg::Topology).to_string();
        }
        let at = format::exact_span(self.at() as i64).text();
        fill(Msg::TopologyTitle, &[("at", &at)])
    }

    fn unit(&self) -> String {
        fill(Msg::TopologyUnit, &[("when", &self.when)])
    }

    fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn scene(&self, frame: &Frame<'_>) -> Scene<()> {
        let mut scene = Scene::default();
        for placed in self.placed(frame) {
            let colours = Colours::new(&self.runs, placed.run, self.colour);
            for rect in &placed.map.boxes {
                scene.add(Shape::Frame(
                    rect.inset(0.5, 0.5),
                    Stroke::new(Colour::Line, 1.0),
                ));
            }
            for spot in &placed.map.cells {
                let slice = self.slice(placed.run, spot.cpu);
                cell(
                    &mut scene,
                    spot,
                    slice.as_ref(),
                    (placed.run, &colours),
                    frame,
                );
            }
            if self.runs.compared() {
                let x = placed.area.x - frame.font.size * 1.3;
                let at = Point::new(x, placed.area.y + frame.font.line_height() * 0.8);
                scene.text(Label::new(at, letter(placed.side), Colour::Side(placed.side)).bold());
            }
        }
        scene
    }

    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover> {
        let placed = self.placed(frame);
        let (placed, cell) = placed.iter().find_map(|placed| {
            let cell = placed
                .map
                .cells
                .iter()
                .find(|cell| cell.rect.contains(at, 0.75))?;
            Some((placed, cell))
        })?;
        let slice = self.slice(placed.run, cell.cpu);
        let mut words = vec![fill(Msg::PictureCpu, &[("cpu", &cell.cpu.to_string())])];
        if let Some(slice) = slice {
            words.push(task_name(placed.run, slice.begin.task));
            let waiting = slice.begin.waiting.to_string();
            words.push(fill(Msg::TopologyWaiting, &[("count", &waiting)]));
        }
        Some(Hover {
            shapes: vec![Shape::Frame(cell.rect, Stroke::new(Colour::Ink, 1.5))],
            text: words.join(" · "),
            place: Some((placed.side, cell.cpu)),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let sentences = self.runs.iter().map(|(side, run)| {
            let slices = (0..run.cpus() as u16).filter_map(|cpu| self.slice(run, cpu));
            let (mut running, mut waiting) = (0u32, 0u32);
            for slice in slices {
                running += u32::from(slice.begin.task.is_some());
                waiting += u32::from(slice.begin.waiting);
            }
            let values = [
                ("run", letter(side).to_string()),
                ("running", running.to_string()),
                ("cpus", run.cpus().to_string()),
                ("waiting", waiting.to_string()),
            ];
            fill(
                Msg::TopologySummary,
                &values.each_ref().map(|(k, v)| (*k, v.as_str())),
            )
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn table(&self) -> Table {
        let heads = [
            Msg::TopologyRun,
            Msg::PictureCpuHead,
            Msg::TopologyPackage,
            Msg::TopologyCache,
            Msg::TimelineTask,
            Msg::TimelineQueue,
        ];
        let head = heads.map(|msg| text(msg).to_string()).to_vec();
        let rows = self.runs.iter().flat_map(|(side, run)| {
            run.topology.iter().enumerate().map(move |(cpu, place)| {
                let slice = self.slice(run, cpu as u16);
                let task = slice.map_or_else(String::new, |slice| task_name(run, slice.begin.task));
                let waiting = slice.map_or(0, |slice| slice.begin.waiting);
                vec![
                    letter(side).to_string(),
                    cpu.to_string(),
                    place.package.to_string(),
                    place.llc.to_string(),
                    task,
                    waiting.to_string(),
                ]
            })
        });
        Table {
            head,
            rows: rows.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use crate::view::check::check;
    use crate::view::fonts::FontMetrics;

    fn runs(cpus: (u16, u16, u16)) -> Runs {
        let demo = |side| {
            Some(Rc::new(
                Demo {
                    cpus,
                    ..Demo::small(side)
                }
                .snapshot(),
            ))
        };
        Runs {
            a: demo(RunSide::A),
            b: demo(RunSide::B),
        }
    }

    fn picture(runs: Runs) -> TopologyPicture {
        TopologyPicture {
            runs,
            at_ns: Some(12_463_100),
            when: "just after the pick".to_string(),
            colour: ColourBy::Task,
        }
    }

    #[test]
    fn machines_of_any_shape_hold_their_texts() {
        for cpus in [(4, 2, 2), (1, 1, 1), (2, 1, 8), (8, 4, 4), (1, 1, 64)] {
            check(&picture(runs(cpus)));
            check(&picture(Runs {
                b: None,
                ..runs(cpus)
            }));
        }
        check(&picture(Runs::default()));
        check(&picture(Runs {
            a: Some(Rc::new(Snapshot::default())),
            b: None,
        }));
    }

    #[test]
    fn a_machine_without_a_run_has_no_moment() {
        let none = picture(Runs::default());
        assert!(none.is_empty());
        assert_eq!(none.title(), "The machine, CPU by CPU");
        let there = picture(runs((4, 2, 2)));
        assert_eq!(there.title(), "Machine at 12.4631\u{202f}ms");
        assert!(there.unit().starts_with("just after the pick"));
    }

    #[test]
    fn every_cpu_has_a_cell_of_its_own_inside_its_boxes() {
        for cpus in [(4, 2, 2), (1, 1, 3), (8, 4, 4)] {
            let topology = runs(cpus).a.expect("there is an A").topology.clone();
            let area = Rect::new(10.0, 5.0, 500.0, 120.0);
            let map = Map::new(&topology, area);
            let mut seen: Vec<u16> = map.cells.iter().map(|cell| cell.cpu).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..topology.len() as u16).collect::<Vec<_>>());
            for (i, cell) in map.cells.iter().enumerate() {
                assert!(cell.rect.w > 0.0 && cell.rect.h > 0.0);
                assert!(
                    map.cells[..i]
                        .iter()
                        .all(|other| !other.rect.overlaps(&cell.rect))
                );
                let around = map
                    .boxes
                    .iter()
                    .filter(|rect| rect.within(&cell.rect) == Some(cell.rect));
                assert_eq!(around.count(), 2, "a package and a cache");
            }
        }
    }

    /// A hundred tasks in the narrow cells that two machines have beside other pictures.
    #[test]
    fn how_many_wait_is_said_in_a_narrow_cell_too() {
        let font = FontMetrics::wide_sans(13.0);
        let frame = Frame {
            width: 340.0,
            height: 195.0,
            font: &font,
        };
        let narrow = |w: f64| Cell {
            cpu: 6,
            rect: Rect::new(0.0, 0.0, w, 40.0),
        };
        let wide = font.scaled(SMALL).bold_width("+106");
        for w in [wide + 2.0, wide, 0.8 * wide] {
            let texts = cell_texts(&narrow(w), Some("send 1.2".to_string()), 106, &frame);
            let texts: Vec<&str> = texts.iter().map(|label| &*label.text).collect();
            assert_eq!(texts, ["+106", "6"], "{w}");
        }
    }

    #[test]
    fn a_cell_says_who_runs_and_names_its_place() {
        let font = FontMetrics::wide_sans(13.0);
        let frame = Frame {
            width: 460.0,
            height: 140.0,
            font: &font,
        };
        let picture = picture(runs((4, 2, 2)));
        let placed = picture.placed(&frame);
        let cell = placed[1].map.cells[3];
        let hover = picture
            .hover(&frame, cell.rect.middle())
            .expect("there is a cell");
        assert_eq!(hover.place, Some((RunSide::B, cell.cpu)));
        assert!(hover.text.contains(&cell.cpu.to_string()));
    }
}
