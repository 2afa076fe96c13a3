//! A small map of a machine: packages around caches around CPUs, each CPU with its number.
//!
//! `layout` is pure and tested; the component only writes its rectangles down.

use crate::dom::html;
use crate::number::px;
use crate::text::{Msg, fill};
use schedlab_engine::machine::topology::{Topology, Unit};
use schedlab_engine::machine::{CpuId, CpuMask, Machine};
use schedlab_engine::order::sorted;
use yew::prelude::*;

/// A rectangle of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rect {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// Everything on the map.
#[derive(Clone, Debug, Default, PartialEq)]
struct Drawing {
    packages: Vec<Rect>,
    caches: Vec<Rect>,
    cpus: Vec<(u16, Rect)>,
    width: f32,
    height: f32,
}

const CELL: (f32, f32) = (17.0, 14.0);
const GAP: f32 = 2.0;
const PAD: f32 = 3.0;
/// Wider than this a map starts a new row of packages.
const ROOM: f32 = 300.0;

/// The size of a cache's box with `cpus` in two rows.
fn cache_size(cpus: usize) -> (f32, f32) {
    let (columns, rows) = if cpus > 1 {
        (cpus.div_ceil(2), 2)
    } else {
        (1, 1)
    };
    let side = |n: usize, cell: f32| n as f32 * (cell + GAP) - GAP + 2.0 * PAD;
    (side(columns, CELL.0), side(rows, CELL.1))
}

fn layout(topology: &Topology) -> Drawing {
    let mut drawing = Drawing::default();
    let (mut x, mut y, mut row_height) = (0.5, 0.5, 0.0_f32);
    for package in topology.spans(Unit::Package) {
        let caches = within(topology, package);
        let sizes: Vec<_> = caches.iter().map(|c| cache_size(c.weight())).collect();
        let inner: f32 = sizes.iter().map(|s| s.0 + PAD).sum::<f32>() - PAD;
        let height = sizes.iter().map(|s| s.1).fold(0.0, f32::max) + 2.0 * PAD;
        let width = inner + 2.0 * PAD;
        if x > 1.0 && x + width > ROOM {
            (x, y, row_height) = (0.5, y + row_height + 2.0 * PAD, 0.0);
        }
        drawing.packages.push(Rect {
            x,
            y,
            width,
            height,
        });
        let mut inside = x + PAD;
        for (cache, (width, height)) in caches.iter().zip(sizes) {
            let rect = Rect {
                x: inside,
                y: y + PAD,
                width,
                height,
            };
            drawing.caches.push(rect);
            place_cpus(&mut drawing, topology, cache, rect);
            inside += width + PAD;
        }
        drawing.width = drawing.width.max(x + width + 0.5);
        row_height = row_height.max(height);
        x += width + 2.0 * PAD;
    }
    drawing.height = y + row_height + 0.5;
    drawing
}

/// The last-level caches within `package`.
fn within(topology: &Topology, package: &CpuMask) -> Vec<CpuMask> {
    topology
        .spans(Unit::Llc)
        .iter()
        .filter(|c| c.is_subset(package))
        .copied()
        .collect()
}

/// CPUs of a cache in columns of two, threads of a core above each other.
fn place_cpus(drawing: &mut Drawing, topology: &Topology, cache: &CpuMask, rect: Rect) {
    let cpus: Vec<CpuId> = cache.iter().collect();
    let core = |cpu: &CpuId| topology.unit_of(Unit::Core, *cpu);
    let cpus = sorted(&cpus, |a, b| core(a).cmp(&core(b)));
    for (i, cpu) in cpus.into_iter().enumerate() {
        let (column, row) = (i / 2, i % 2);
        let cell = Rect {
            x: rect.x + PAD + column as f32 * (CELL.0 + GAP),
            y: rect.y + PAD + row as f32 * (CELL.1 + GAP),
            width: CELL.0,
            height: CELL.1,
        };
        drawing.cpus.push((cpu.0, cell));
    }
}

/// Properties of [`Map`].
#[derive(Properties)]
pub(super) struct MapProps {
    /// The machine.
    pub(super) machine: &'static Machine,
}

impl PartialEq for MapProps {
    fn eq(&self, other: &Self) -> bool {
        self.machine.name == other.machine.name
    }
}

/// The map.
#[component]
pub(super) fn Map(props: &MapProps) -> Html {
    let Ok(topology) = props.machine.topology() else {
        return Html::default();
    };
    let drawing = layout(&topology);
    let words = fill(
        Msg::MachineMap,
        &[
            ("packages", &drawing.packages.len().to_string()),
            ("caches", &drawing.caches.len().to_string()),
            ("cpus", &drawing.cpus.len().to_string()),
        ],
    );
    let rect = |class: &'static str, radius: &'static str, r: &Rect| {
        html! {
            <rect {class} rx={radius} x={px(r.x.into())} y={px(r.y.into())} width={px(r.width.into())}
                height={px(r.height.into())} />
        }
    };
    let cpu = |(number, r): &(u16, Rect)| {
        html! {
            <>
                { rect("cpu", "2", r) }
                <text x={px((r.x + r.width / 2.0).into())} y={px((r.y + r.height / 2.0 + 0.5).into())}>{ number.to_string() }</text>
            </>
        }
    };
    // Small machines are not blown up.
    let width = drawing.width.max(200.0);
    let view_box = format!("0 0 {} {}", px(width.into()), px(drawing.height.into()));
    html! {
        <svg class="map" viewBox={view_box} preserveAspectRatio="xMinYMin meet" role="img" aria-label={words}>
            { for drawing.packages.iter().map(|r| rect("package", "5", r)) }
            { for drawing.caches.iter().map(|r| rect("cache", "3", r)) }
            { for drawing.cpus.iter().map(cpu) }
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_engine::machine::catalog::CATALOG;

    fn inside(inner: &Rect, outer: &Rect) -> bool {
        inner.x >= outer.x
            && inner.y >= outer.y
            && inner.x + inner.width <= outer.x + outer.width
            && inner.y + inner.height <= outer.y + outer.height
    }

    fn apart(a: &Rect, b: &Rect) -> bool {
        a.x + a.width <= b.x
            || b.x + b.width <= a.x
            || a.y + a.height <= b.y
            || b.y + b.height <= a.y
    }

    #[test]
    fn every_cpu_has_a_place_of_its_own_inside_its_cache_and_package() {
        for machine in &CATALOG {
            let topology = machine.topology().expect("a sound machine");
            let drawing = layout(&topology);
            assert_eq!(
                drawing.cpus.len(),
                usize::from(machine.layout.cpus),
                "{}",
                machine.name
            );
            for (i, (cpu, rect)) in drawing.cpus.iter().enumerate() {
                assert_eq!(
                    drawing.caches.iter().filter(|c| inside(rect, c)).count(),
                    1,
                    "{} {cpu}",
                    machine.name
                );
                assert!(
                    drawing.cpus[..i]
                        .iter()
                        .all(|(_, other)| apart(rect, other)),
                    "{} {cpu}",
                    machine.name
                );
            }
            for cache in &drawing.caches {
                assert_eq!(
                    drawing.packages.iter().filter(|p| inside(cache, p)).count(),
                    1,
                    "{}",
                    machine.name
                );
            }
            for package in &drawing.packages {
                assert!(
                    package.x + package.width <= drawing.width,
                    "{}",
                    machine.name
                );
                assert!(
                    package.y + package.height <= drawing.height,
                    "{}",
                    machine.name
                );
            }
        }
    }

    #[test]
    fn threads_of_a_core_stand_above_each_other() {
        let machine = Machine::by_name("nehalem-ep-2x4x2").expect("in the catalog");
        let drawing = layout(&machine.topology().expect("sound"));
        let x = |n: u16| {
            drawing
                .cpus
                .iter()
                .find(|(cpu, _)| *cpu == n)
                .expect("placed")
                .1
                .x
        };
        assert!((x(0) - x(8)).abs() < f32::EPSILON);
        assert!((x(0) - x(1)).abs() > 1.0);
    }
}
