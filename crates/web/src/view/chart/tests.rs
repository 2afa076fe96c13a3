//! Every chart, at every size it meets: text stays inside and apart, words and tables say what is drawn.

use std::rc::Rc;

use super::*;
use crate::demo::Demo;
use crate::protocol::{RunSide, Snapshot};
use crate::view::check::check;
use crate::view::fonts::FontMetrics;
use crate::view::geometry::Point;
use crate::view::picture::{Frame, Picture, Runs};
use crate::view::scene::Shape;

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
fn a_bin_without_a_latency_interrupts_the_line() {
    let mut run = Demo::small(RunSide::A).snapshot();
    run.series.latency_p50_ns = vec![f32::NAN; run.series.latency_p99_ns.len()];
    run.series.latency_p99_ns.fill(1e5);
    run.series.latency_p99_ns[3] = f32::NAN;
    run.series.latency_p99_ns[7] = 0.0;
    let font = FontMetrics::wide_sans(12.0);
    let frame = Frame {
        width: 300.0,
        height: 130.0,
        font: &font,
    };
    let runs = Runs {
        a: Some(Rc::new(run)),
        b: None,
    };
    let scene = Latency { runs }.scene(&frame);
    let pieces = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Path(points, _) => Some(points),
        _ => None,
    });
    let pieces: Vec<_> = pieces.collect();
    assert_eq!(
        pieces.iter().map(|p| p.len()).collect::<Vec<_>>()[..2],
        [3, 3]
    );
    assert_eq!(pieces.len(), 3);
    let level = pieces[0][0].y;
    assert!(
        pieces
            .iter()
            .flat_map(|p| p.iter())
            .all(|at| (at.y - level).abs() < 1e-9)
    );
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
    run.series.latency_p50_ns[20] = f32::NAN;
    run.series.latency_p99_ns[20] = f32::NAN;
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

/// The names at the ends of the lines, from the top.
fn names(runs: Runs) -> Vec<(String, f64)> {
    let font = FontMetrics::wide_sans(12.0);
    let frame = Frame {
        width: 300.0,
        height: 130.0,
        font: &font,
    };
    let shapes = Latency { runs }.scene(&frame).shapes;
    let mut names: Vec<(String, f64)> = shapes
        .into_iter()
        .filter_map(|shape| match shape {
            Shape::Text(label) if label.bold => Some((label.text, label.at.y)),
            _ => None,
        })
        .collect();
    names.sort_by(|a, b| a.1.total_cmp(&b.1));
    names
}

#[test]
fn the_names_of_lines_stand_in_the_order_of_the_lines() {
    let run = |side, p50: f32, p99: f32| {
        let mut run = Demo::small(side).snapshot();
        run.series.latency_p50_ns.fill(p50);
        run.series.latency_p99_ns.fill(p99);
        Some(Rc::new(run))
    };
    // As far apart as can be told, nearly alike, and alike.
    for (a, b) in [
        ((1e5, 4e6), (2e5, 9e6)),
        ((1e5, 1.001e5), (1e5, 1.002e5)),
        ((1e5, 1e5), (1e5, 1e5)),
    ] {
        let names = names(Runs {
            a: run(RunSide::A, a.0, a.1),
            b: run(RunSide::B, b.0, b.1),
        });
        let order: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        let (of_a, of_b) = (
            order.iter().filter(|n| n.starts_with('A')),
            order.iter().filter(|n| n.starts_with('B')),
        );
        assert_eq!(of_a.collect::<Vec<_>>(), [&"A p99", &"A p50"], "{a:?}");
        assert_eq!(of_b.collect::<Vec<_>>(), [&"B p99", &"B p50"], "{b:?}");
        let apart = names.windows(2).all(|two| two[1].1 - two[0].1 > 10.0);
        assert!(apart, "{names:?}");
    }
}

#[test]
fn lines_have_as_many_points_as_can_be_read() {
    let run = Demo::small(RunSide::A).snapshot();
    assert!(
        run.series.bins() > 128,
        "there is something to put together"
    );
    let bins = plot::Bins::of_line(&run);
    assert!((32..=64).contains(&bins.count), "{bins:?}");
    let runs = Runs {
        a: Some(Rc::new(run)),
        b: None,
    };
    let font = FontMetrics::wide_sans(12.0);
    let frame = Frame {
        width: 300.0,
        height: 130.0,
        font: &font,
    };
    for shapes in [
        Latency { runs: runs.clone() }.scene(&frame).shapes,
        Throughput { runs }.scene(&frame).shapes,
    ] {
        let longest = shapes.iter().filter_map(|shape| match shape {
            Shape::Path(points, _) => Some(points.len()),
            _ => None,
        });
        let longest = longest.max().expect("a line");
        assert!(longest <= 64, "{longest}");
    }
}
