//! Points and rectangles on the picture, in CSS pixels, y downwards.

use crate::number::within;

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Pixels from the left edge of the picture.
    pub x: f64,
    /// Pixels from its top edge.
    pub y: f64,
}

impl Point {
    /// The point at (`x`, `y`).
    pub const fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// How far it is from the line between two points.
    pub fn distance_to_line(self, from: Point, to: Point) -> f64 {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length2 = dx * dx + dy * dy;
        let along = ((self.x - from.x) * dx + (self.y - from.y) * dy) / length2.max(1e-9);
        let along = within(along, 0.0, 1.0);
        let (x, y) = (self.x - from.x - along * dx, self.y - from.y - along * dy);
        (x * x + y * y).sqrt()
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width, not negative.
    pub w: f64,
    /// Height, not negative.
    pub h: f64,
}

impl Rect {
    /// A rectangle from its left top corner and size.
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Rect {
        Rect { x, y, w, h }
    }

    /// A rectangle between two x and two y, in any order.
    pub fn between(x: (f64, f64), y: (f64, f64)) -> Rect {
        Rect::new(
            x.0.min(x.1),
            y.0.min(y.1),
            (x.1 - x.0).abs(),
            (y.1 - y.0).abs(),
        )
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// Its middle.
    pub fn middle(&self) -> Point {
        Point::new(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Is the point in it, or at most `margin` outside?
    pub fn contains(&self, point: Point, margin: f64) -> bool {
        (self.x - margin..=self.right() + margin).contains(&point.x)
            && (self.y - margin..=self.bottom() + margin).contains(&point.y)
    }

    /// Do the two have some area in common?
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// The part of it that is inside `other`, if any.
    pub fn within(&self, other: &Rect) -> Option<Rect> {
        let x = (self.x.max(other.x), self.right().min(other.right()));
        let y = (self.y.max(other.y), self.bottom().min(other.bottom()));
        (x.0 < x.1 && y.0 < y.1).then(|| Rect::between(x, y))
    }

    /// Smaller by `left_right` on both sides and `top_bottom` at both ends.
    #[must_use]
    pub fn inset(&self, left_right: f64, top_bottom: f64) -> Rect {
        Rect::new(
            self.x + left_right,
            self.y + top_bottom,
            (self.w - 2.0 * left_right).max(0.0),
            (self.h - 2.0 * top_bottom).max(0.0),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_meet_and_miss() {
        let rect = Rect::new(10.0, 10.0, 20.0, 10.0);
        assert!(rect.overlaps(&Rect::new(29.0, 19.0, 5.0, 5.0)));
        assert!(
            !rect.overlaps(&Rect::new(30.0, 10.0, 5.0, 5.0)),
            "touching is not overlapping"
        );
        assert_eq!(
            rect.within(&Rect::new(0.0, 15.0, 15.0, 100.0)),
            Some(Rect::new(10.0, 15.0, 5.0, 5.0))
        );
        assert_eq!(rect.within(&Rect::new(0.0, 0.0, 10.0, 10.0)), None);
        assert!(rect.inset(15.0, 1.0).w.abs() < 1e-9, "no size is negative");
    }

    #[test]
    fn distance_to_a_line_ends_at_its_ends() {
        let (from, to) = (Point::new(0.0, 0.0), Point::new(10.0, 0.0));
        assert!((Point::new(5.0, 3.0).distance_to_line(from, to) - 3.0).abs() < 1e-9);
        assert!((Point::new(13.0, 4.0).distance_to_line(from, to) - 5.0).abs() < 1e-9);
        assert!((Point::new(3.0, 4.0).distance_to_line(from, from) - 5.0).abs() < 1e-9);
    }
}
