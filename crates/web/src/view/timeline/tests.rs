//! The timeline as a whole: what is drawn, what is found, what is said.

use std::rc::Rc;

use super::colours::Colours;
use super::hit::{Hit, hit, question};
use super::lanes::{slice_rect, slices_in};
use super::layout::Layout;
use super::marks::Mark;
use super::minimap::Part;
use super::picture::{MOST_SLICES, Means, Pyramids, Scope};
use super::tip::tip;
use super::{focus, minimap};
use crate::demo::Demo;
use crate::model::view::{Asked, ColourBy, Cursor, Window};
use crate::protocol::{EndWhy, Lane, LaneChunk, PickWhy, RunSide, Snapshot, Switch};
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::{Colour, Theme};
use crate::view::picture::Runs;
use crate::view::scene::{Scene, Shape};

const ALL: Window = Window {
    from_ns: 0,
    to_ns: 520_000_000,
};
const NEAR: Window = Window {
    from_ns: 209_000_000,
    to_ns: 210_000_000,
};
const NEARER: Window = Window {
    from_ns: 209_000_000,
    to_ns: 209_100_000,
};

/// A timeline at rest.
struct World {
    scope: Scope,
    layout: Layout,
    font: FontMetrics,
    pyramids: Pyramids,
}

impl World {
    fn new(runs: Runs, window: Window) -> World {
        let font = FontMetrics::wide_sans(13.0);
        let mut pyramids = Pyramids::default();
        pyramids.follow(&runs);
        World {
            layout: Layout::new(&runs, 1200.0, &font),
            scope: Scope {
                runs,
                window,
                colour: ColourBy::Task,
            },
            font,
            pyramids,
        }
    }

    fn scene(&self) -> Scene<Mark> {
        self.scope.scene(&Means {
            layout: &self.layout,
            font: &self.font,
            theme: Theme::Light,
            ratio: 1.0,
            pyramids: &self.pyramids,
        })
    }

    fn hit(&self, at: Point) -> Option<Hit> {
        let scale = self.scope.scale(&self.layout);
        hit((&self.layout, &self.scope.runs), &scale, &self.scene(), at)
    }
}

fn both() -> Runs {
    let demo = |side| Some(Rc::new(Demo::small(side).snapshot()));
    Runs {
        a: demo(RunSide::A),
        b: demo(RunSide::B),
    }
}

fn count(scene: &Scene<Mark>, wanted: fn(&Shape) -> bool) -> usize {
    scene.shapes.iter().filter(|shape| wanted(shape)).count()
}

#[test]
fn many_slices_are_pixels_and_few_are_boxes() {
    let pixels = |shape: &Shape| matches!(shape, Shape::Pixels(..));
    let data = |shape: &Shape| matches!(shape, Shape::Box(_, ink) if matches!(ink.colour, Colour::Data(_)));
    let far = World::new(both(), ALL).scene();
    assert_eq!(
        (count(&far, pixels), count(&far, data)),
        (8, 0),
        "one picture for each package"
    );
    let near = World::new(both(), NEAR).scene();
    assert_eq!(count(&near, pixels), 0);
    assert!((100..MOST_SLICES).contains(&count(&near, data)));
}

#[test]
fn names_stay_in_their_slices_and_axis_texts_apart() {
    for window in [NEAR, NEARER] {
        let world = World::new(both(), window);
        let scene = world.scene();
        let boxes: Vec<Rect> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Box(rect, ink) if matches!(ink.colour, Colour::Data(_)) => Some(*rect),
                _ => None,
            })
            .collect();
        let mut named = 0;
        let mut others: Vec<Rect> = Vec::new();
        for shape in &scene.shapes {
            let Shape::Text(label) = shape else { continue };
            let area = label.area(
                world.font.width(&label.text) * label.scale,
                world.font.size * label.scale * 0.75,
            );
            if matches!(label.ink.colour, Colour::OnData(_)) {
                named += 1;
                assert!(
                    boxes
                        .iter()
                        .any(|slice| slice.contains(Point::new(area.x, area.y), 0.5)
                            && slice.contains(Point::new(area.right(), area.bottom()), 0.5)),
                    "{label:?}"
                );
            } else {
                assert!(
                    others.iter().all(|other| !other.overlaps(&area)),
                    "{label:?}"
                );
                assert!(
                    area.x >= 0.0 && area.right() <= world.layout.width,
                    "{label:?}"
                );
                others.push(area);
            }
        }
        assert!(named > 20, "{named} names");
    }
}

#[test]
fn every_slice_is_found_where_it_is_drawn() {
    let world = World::new(both(), NEAR);
    let scale = world.scope.scale(&world.layout);
    for lane in &world.layout.lanes {
        let run = world.scope.runs.get(lane.side).expect("there are two");
        let column = &run.trace.lanes[usize::from(lane.cpu)];
        for (index, slice) in slices_in(column, NEAR.from_ns, NEAR.to_ns, run.trace.end_ns) {
            let Some(rect) = slice_rect(lane, &slice, &scale).filter(|rect| rect.w > 1.0) else {
                continue;
            };
            let none = Scene::default();
            let found = hit(
                (&world.layout, &world.scope.runs),
                &scale,
                &none,
                rect.middle(),
            );
            let found = match found {
                Some(Hit::Idle {
                    side,
                    cpu,
                    index: Some(index),
                    at_ns,
                }) => {
                    let asked = question(&world.scope.runs, found.expect("just found"));
                    let cursor = Cursor { side, cpu, at_ns };
                    assert_eq!(
                        asked,
                        Some((cursor, Some(Asked::Pick))),
                        "there, not at its start"
                    );
                    Some(Hit::Slice { side, cpu, index })
                }
                other => other,
            };
            assert_eq!(
                found,
                Some(Hit::Slice {
                    side: lane.side,
                    cpu: lane.cpu,
                    index
                })
            );
        }
    }
}

#[test]
fn every_arrow_is_found_where_it_is_drawn_and_asks_its_question() {
    let world = World::new(both(), NEARER);
    let scene = world.scene();
    assert!(scene.targets.len() > 10, "there are arrows");
    for (index, mark) in &scene.targets {
        let at = match &scene.shapes[*index] {
            Shape::Line(from, to, _) => Point::new(from.x, f64::midpoint(from.y, to.y)),
            Shape::Path(points, _) | Shape::Area(points, _) => points[1],
            other => panic!("no mark looks like {other:?}"),
        };
        if !world.layout.plot.contains(at, 0.0) {
            continue;
        }
        let Some(Hit::Mark(found)) = world.hit(at) else {
            panic!("{mark:?} is lost at {at:?}")
        };
        let (cursor, asked) =
            question(&world.scope.runs, Hit::Mark(found)).expect("a mark asks something");
        match (found, asked) {
            (Mark::Wakeup(side, wakeup), Some(Asked::Preempt { task })) => {
                assert_eq!(
                    (cursor.side, cursor.cpu, task),
                    (side, wakeup.to_cpu, wakeup.task)
                );
            }
            (Mark::Migration(side, migration), Some(Asked::Migration { task })) => {
                assert_eq!(
                    (cursor.side, cursor.cpu, task),
                    (side, migration.to_cpu, migration.task)
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn arrows_wait_until_there_are_few() {
    assert!(World::new(both(), NEAR).scene().targets.is_empty());
    assert!(World::new(both(), ALL).scene().targets.is_empty());
}

#[test]
fn pyramid_and_slices_agree_where_they_meet() {
    let runs = both();
    let world = World::new(runs.clone(), Window::new(200_000_000, 240_000_000));
    let scale = world.scope.scale(&world.layout);
    let run = runs.a.as_ref().expect("there is an A");
    let picture = |pyramids: &[super::pyramid::Pyramid]| {
        let inks = Colours::new(&runs, run, ColourBy::Task).inks(Theme::Light);
        let source = super::pixels::Source {
            side: RunSide::A,
            pyramids,
            inks,
        };
        super::pixels::rows(&world.layout, &runs, &scale, 1.0, &[source])
    };
    let mut grown = Pyramids::default();
    grown.follow(&runs);
    // Pyramids that know nothing but their first width: rows come from the slices.
    let fine = picture(grown.of(RunSide::A));
    let columns = fine.width;
    let exact = picture(&vec![super::pyramid::Pyramid::too_coarse(); run.cpus()]);
    let same = fine
        .rgba
        .chunks_exact(4)
        .zip(exact.rgba.chunks_exact(4))
        .take(columns * 16 * super::pixels::ROWS)
        .filter(|(a, b)| a == b);
    let share = same.count() as f64 / (columns * 16 * super::pixels::ROWS) as f64;
    assert!(
        share > 0.6,
        "{share}: buckets and pixels end at different times, but most agree"
    );
}

#[test]
fn a_slice_that_has_not_ended_is_painted_to_the_end_of_the_recording() {
    let mut runs = both();
    let mut run = runs.a.as_deref().expect("there is an A").clone();
    let mut chunk = LaneChunk::default();
    for (at_ns, task) in [(0, None), (100_000_000, Some(0))] {
        chunk.push(Switch {
            at_ns,
            task,
            pick: PickWhy::Only,
            prev_end: EndWhy::Sleeping,
            waiting: 0,
        });
    }
    run.trace.lanes[0] = Lane::default();
    run.trace.lanes[0].push(chunk);
    runs.a = Some(Rc::new(run));
    let world = World::new(runs.clone(), Window::new(0, 520_000_000));
    let scale = world.scope.scale(&world.layout);
    let run = runs.a.as_ref().expect("there is an A");
    let inks = Colours::new(&runs, run, ColourBy::Task).inks(Theme::Light);
    let (task, track) = (inks.tasks[0], inks.track);
    let source = super::pixels::Source {
        side: RunSide::A,
        pyramids: world.pyramids.of(RunSide::A),
        inks,
    };
    let rows = super::pixels::rows(&world.layout, &runs, &scale, 1.0, &[source]);
    let pixel = |ns: u64| {
        let at = (scale.px(ns) - world.layout.plot.x) as usize * 4;
        let found = &rows.rgba[at..at + 3];
        crate::view::palette::Rgb(found[0], found[1], found[2])
    };
    assert_eq!([50_000_000, 99_000_000].map(pixel), [track; 2]);
    assert_eq!(
        [101_000_000, 300_000_000, 518_000_000].map(pixel),
        [task; 3]
    );
}

#[test]
fn nothing_is_drawn_beyond_the_recording() {
    let world = World::new(both(), Window::new(500_000_000, 540_000_000));
    let scale = world.scope.scale(&world.layout);
    let end = scale.px(520_000_000);
    let scene = world.scene();
    for shape in &scene.shapes {
        if let Shape::Box(rect, ink) = shape
            && (ink.colour == Colour::Track || matches!(ink.colour, Colour::Data(_)))
            && rect.y >= world.layout.plot.y
        {
            assert!(rect.right() <= end + 0.01, "{rect:?}");
        }
    }
    let beyond = Point::new(end + 5.0, world.layout.plot.y + 5.0);
    assert_eq!(world.hit(beyond), None);
}

#[test]
fn the_minimap_knows_its_parts() {
    let world = World::new(both(), Window::new(100_000_000, 200_000_000));
    let rect = minimap::window_rect(&world.layout, 520_000_000, world.scope.window);
    let y = world.layout.minimap.middle().y;
    let at = |x: f64| world.hit(Point::new(x, y));
    assert_eq!(at(rect.x), Some(Hit::Minimap(Part::Start)));
    assert_eq!(at(rect.right()), Some(Hit::Minimap(Part::End)));
    assert_eq!(at(rect.middle().x), Some(Hit::Minimap(Part::Inside)));
    assert_eq!(at(rect.right() + 40.0), Some(Hit::Minimap(Part::Outside)));
    let narrow = World::new(both(), Window::new(100_000_000, 100_000_200));
    let rect = minimap::window_rect(&narrow.layout, 520_000_000, narrow.scope.window);
    assert_eq!(
        narrow.hit(Point::new(rect.middle().x, y)),
        Some(Hit::Minimap(Part::Inside)),
        "even a hair can be taken"
    );
}

#[test]
fn a_slice_says_who_it_is_and_a_click_asks_why() {
    let world = World::new(both(), NEAR);
    let lane = world.layout.lanes[5];
    let found = world
        .hit(Point::new(600.0, lane.rect.middle().y))
        .expect("something ran");
    let said = tip(&world.scope.runs, found).expect("a slice has a tip");
    assert!(said.title.contains("CPU"), "{said:?}");
    assert!(said.lines.len() >= 4 && !said.sentence().contains('{'));
    let (cursor, asked) = question(&world.scope.runs, found).expect("a slice asks");
    assert_eq!(
        (cursor.side, cursor.cpu, asked),
        (lane.side, lane.cpu, Some(Asked::Pick))
    );
    let shapes = focus::cursor(
        (&world.layout, &world.scope.runs),
        &world.scope.scale(&world.layout),
        cursor,
    );
    assert!(
        shapes.iter().any(|shape| matches!(shape, Shape::Frame(..))),
        "the slice has a frame"
    );
}

#[test]
fn a_cursor_anywhere_is_drawn_or_left_out() {
    let world = World::new(both(), NEAR);
    let scale = world.scope.scale(&world.layout);
    for (side, cpu, at_ns) in [
        (RunSide::A, 0, 0),
        (RunSide::B, 15, u64::MAX),
        (RunSide::A, 999, 209_500_000),
    ] {
        let cursor = Cursor { side, cpu, at_ns };
        let shapes = focus::cursor((&world.layout, &world.scope.runs), &scale, cursor);
        assert!(matches!(shapes.last(), Some(Shape::Unclip)));
    }
}

#[test]
fn a_moment_out_of_sight_is_marked_at_the_end_where_it_is() {
    let world = World::new(both(), NEAR);
    let scale = world.scope.scale(&world.layout);
    let lane = world.layout.lane(RunSide::B, 3).expect("it is there").rect;
    let arrows = |at_ns| {
        let (side, cpu) = (RunSide::B, 3);
        let cursor = Cursor { side, cpu, at_ns };
        let shapes = focus::cursor((&world.layout, &world.scope.runs), &scale, cursor);
        let tip = |shape: Shape| match shape {
            Shape::Area(points, _) => Some(points[1].x),
            _ => None,
        };
        shapes.into_iter().filter_map(tip).collect::<Vec<f64>>()
    };
    let of_lane = lane.x;
    assert_eq!(arrows(NEAR.middle_ns()), [of_lane], "seen");
    assert_eq!(arrows(5), [of_lane, lane.x + 3.0], "before");
    assert_eq!(arrows(ALL.to_ns), [of_lane, lane.right() - 3.0], "after");
}

#[test]
fn colours_are_the_same_in_both_runs() {
    let runs = both();
    let [a, b] = [RunSide::A, RunSide::B].map(|side| runs.get(side).expect("there are two"));
    for by in ColourBy::ALL {
        let [a, b] = [a, b].map(|run| Colours::new(&runs, run, by));
        for task in 0..400 {
            assert_eq!(
                a.of(task, PickWhy::Leftmost),
                b.of(task, PickWhy::Leftmost),
                "{by:?}"
            );
        }
    }
    let colours = Colours::new(&runs, a, ColourBy::Kind);
    assert_ne!(
        colours.of(0, PickWhy::Only),
        colours.of(20, PickWhy::Only),
        "a sender and a receiver"
    );
    let colours = Colours::new(&runs, a, ColourBy::Reason);
    assert_ne!(
        colours.of(0, PickWhy::NextBuddy),
        colours.of(0, PickWhy::Leftmost)
    );
}

#[test]
fn empty_runs_and_damaged_ones_are_drawn_all_the_same() {
    let mut lost = Demo::small(RunSide::A).snapshot();
    lost.tasks = Rc::default();
    let runs = [
        Runs::default(),
        Runs {
            a: Some(Rc::new(Snapshot::default())),
            b: None,
        },
        Runs {
            a: Some(Rc::new(lost)),
            b: None,
        },
    ];
    for runs in runs {
        for window in [ALL, NEARER] {
            let world = World::new(runs.clone(), window);
            assert!(!world.scene().shapes.is_empty());
            assert!(!world.scope.summary().contains('{'));
            let _ = world.hit(Point::new(600.0, 80.0));
        }
    }
}

#[test]
fn the_table_lists_what_the_lane_shows() {
    let world = World::new(both(), NEAR);
    let table = world.scope.table(RunSide::B, 3, 10);
    assert_eq!(table.rows.len(), 10);
    assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
    assert!(world.scope.table(RunSide::B, 999, 10).rows.is_empty());
}

#[test]
fn a_tip_is_never_cut_off_at_the_top_or_the_left() {
    let tip = [200.0, 150.0];
    for high in [80.0, 150.0, 600.0] {
        for (x, y) in [(0.0, 0.0), (5.0, 40.0), (395.0, 79.0)] {
            let [left, top] = super::tip::beside(Point { x, y }, tip, [400.0, high]);
            assert!(left >= 0.0 && left + tip[0] <= 400.0, "{left} at {x}");
            assert!(top >= 0.0, "{top} at {y} of {high}");
            assert!(top == 0.0 || top + tip[1] <= high, "{top} at {y} of {high}");
        }
    }
}
