//! What holds for every picture at every size it meets. Only for tests.

use super::fonts::FontMetrics;
use super::geometry::{Point, Rect};
use super::picture::{Frame, Picture};
use super::scene::{Scene, Shape};

const SIZES: [(f64, f64); 5] = [
    (300.0, 130.0),
    (220.0, 110.0),
    (640.0, 200.0),
    (340.0, 150.0),
    (1200.0, 400.0),
];

/// The areas of all texts.
fn texts(scene: &Scene<()>, font: &FontMetrics) -> Vec<(Rect, String)> {
    let area = |shape: &Shape| match shape {
        Shape::Text(label) => {
            let width = if label.bold {
                font.bold_width(&label.text)
            } else {
                font.width(&label.text)
            };
            let width = width * label.scale;
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

/// Every size: texts inside the picture and apart, no number that is none, words without gaps, a table with even rows.
pub(super) fn check(picture: &impl Picture) {
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
        for x in 0..7 {
            for y in 0..5 {
                let at = Point::new(f64::from(x) * width / 6.0, f64::from(y) * height / 4.0);
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
