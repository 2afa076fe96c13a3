//! Every chart, at every size it meets: text stays inside and apart, words and tables say what is drawn.

use std::rc::Rc;

use super::*;
use crate::demo::Demo;
use crate::protocol::{RunSide, Snapshot};
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::picture::{Frame, Picture, Runs};
use crate::view::scene::{Scene, Shape};

const SIZES: [(f64, f64); 5] = [
    (300.0, 130.0),
    (220.0, 110.0),
    (640.0, 200.0),
    (340.0, 150.0),
    (1200.0, 400.0),
];

fn runs() -> Vec<Runs> {
    let demo = |side| Some(Rc::new(Demo::small(side).snapshot()));
    let empty = || Some(Rc::new(Snapshot::default()));
    vec![
        Runs {
            a: demo(RunSide::A),
            b: demo(RunSide::B),
        },
        Runs {
            a: demo(RunSide::A),
            b: None,
        },
        Runs {
            a: empty(),
            b: demo(RunSide::B),
        },
        Runs {
            a: empty(),
            b: empty(),
        },
        Runs::default(),
    ]
}

/// The areas of all texts.
fn texts(scene: &Scene<()>, font: &FontMetrics) -> Vec<(Rect, String)> {
    let area = |shape: &Shape| match shape {
        Shape::Text(label) => {
            let width = font.width(&label.text) * label.scale;
            Some((
                label.area(width, font.size * label.scale),
                label.text.clone(),
            ))
        }
        _ => None,
    };
    scene.shapes.iter().filter_map(area).collect()
}

fn is_finite(shape: &Shape) -> bool {
    let point = |p: &Point| p.x.is_finite() && p.y.is_finite();
    let rect = |r: &Rect| r.x.is_finite() && r.y.is_finite() && r.w >= 0.0 && r.h >= 0.0;
    match shape {
        Shape::Box(r, _) | Shape::Frame(r, _) | Shape::Pixels(r, ..) | Shape::Clip(r) => rect(r),
        Shape::Line(a, b, _) => point(a) && point(b),
        Shape::Path(points, _) | Shape::Area(points, _) => points.iter().all(point),
        Shape::Dot(p, ..) => point(p),
        Shape::Text(label) => point(&label.at),
        Shape::Unclip => true,
    }
}

fn check(picture: &impl Picture) {
    let font = FontMetrics::wide_sans(12.0);
    for (width, height) in SIZES {
        let frame = Frame {
            width,
            height,
            font: &font,
        };
        let scene = picture.scene(&frame);
        assert!(scene.shapes.iter().all(is_finite), "{}", picture.title());
        let texts = texts(&scene, &font);
        let inside = Rect::new(-0.6, -0.6, width + 1.2, height + 1.2);
        for (i, (area, text)) in texts.iter().enumerate() {
            let fits = inside.contains(Point::new(area.x, area.y), 0.0)
                && inside.contains(Point::new(area.right(), area.bottom()), 0.0);
            assert!(fits, "{}: {text} leaves {width}×{height}", picture.title());
            for (other, with) in &texts[..i] {
                assert!(
                    !area.overlaps(other),
                    "{}: {text} on {with} at {width}×{height}",
                    picture.title()
                );
            }
        }
        for x in 0..12 {
            for y in 0..6 {
                let at = Point::new(f64::from(x) * width / 11.0, f64::from(y) * height / 5.0);
                if let Some(hover) = picture.hover(&frame, at) {
                    assert!(!hover.text.is_empty() && hover.shapes.iter().all(is_finite));
                }
            }
        }
    }
    let table = picture.table();
    for row in &table.rows {
        assert_eq!(row.len(), table.head.len(), "{}", picture.title());
    }
    let words = [picture.title(), picture.unit(), picture.summary()].join(" ");
    assert!(!words.contains('{') && !words.contains("NaN"), "{words}");
}

#[test]
fn throughput_holds_its_texts() {
    for runs in runs() {
        check(&Throughput { runs });
    }
}

#[test]
fn latency_holds_its_texts() {
    for runs in runs() {
        check(&Latency { runs });
    }
}

#[test]
fn distribution_holds_its_texts() {
    for heights in [DistributionAs::Shares, DistributionAs::UpTo] {
        for runs in runs() {
            check(&Distribution { runs, heights });
        }
    }
}

#[test]
fn queues_hold_their_texts() {
    for measure in [QueueMeasure::Waiting, QueueMeasure::Busy] {
        for runs in runs() {
            check(&Queues { runs, measure });
        }
    }
}

#[test]
fn accounts_hold_their_texts() {
    for runs in runs() {
        check(&Accounts { runs });
    }
}

#[test]
fn the_hover_line_says_what_the_table_says() {
    let runs = runs().swap_remove(0);
    let chart = Throughput { runs };
    let font = FontMetrics::wide_sans(12.0);
    let frame = Frame {
        width: 400.0,
        height: 200.0,
        font: &font,
    };
    let hover = chart
        .hover(&frame, Point::new(200.0, 60.0))
        .expect("the pointer is over the plot");
    assert!(
        hover.text.contains("A ") && hover.text.contains("B ") && hover.text.contains("M/s"),
        "{}",
        hover.text
    );
    assert_eq!(
        hover
            .shapes
            .iter()
            .filter(|shape| matches!(shape, Shape::Dot(..)))
            .count(),
        4
    );
    assert!(hover.at_ns.is_some_and(|ns| ns < 520_000_000));
}

#[test]
fn a_missing_value_interrupts_a_line() {
    let mut run = Demo::small(RunSide::A).snapshot();
    run.series.latency_p50_ns[50] = f32::NAN;
    run.series.latency_p99_ns[50] = f32::NAN;
    let whole = Latency {
        runs: Runs {
            a: Some(Rc::new(Demo::small(RunSide::A).snapshot())),
            b: None,
        },
    };
    let cut = Latency {
        runs: Runs {
            a: Some(Rc::new(run)),
            b: None,
        },
    };
    let font = FontMetrics::wide_sans(12.0);
    let frame = Frame {
        width: 400.0,
        height: 200.0,
        font: &font,
    };
    let lines = |chart: &Latency| {
        let shapes = chart.scene(&frame).shapes;
        shapes
            .iter()
            .filter(|shape| matches!(shape, Shape::Path(..)))
            .count()
    };
    assert_eq!((lines(&whole), lines(&cut)), (2, 4));
}
