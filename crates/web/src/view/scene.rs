//! What a picture consists of, before anything is painted: shapes in pixels with colours by meaning.
//!
//! Layout functions make scenes, tests read them, [`paint`] hands them to a surface, and what is under the pointer is
//! found among the very shapes that were painted. Nothing here knows a canvas.

use std::ops::Range;
use std::rc::Rc;

use super::geometry::{Point, Rect};
use super::palette::{Colour, Theme};
use super::surface::{Pen, Surface, TextStyle};

/// A colour and how opaque it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink {
    /// The colour.
    pub colour: Colour,
    /// 0 … 1.
    pub alpha: f32,
}

impl From<Colour> for Ink {
    fn from(colour: Colour) -> Ink {
        Ink { colour, alpha: 1.0 }
    }
}

impl Colour {
    /// The colour, `alpha` opaque.
    pub fn alpha(self, alpha: f32) -> Ink {
        Ink {
            colour: self,
            alpha,
        }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dash {
    /// Without gaps.
    #[default]
    Solid,
    /// Long dashes.
    Dashed,
    /// Short ones.
    Dotted,
}

/// A line's colour, width and pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub ink: Ink,
    /// Its width, px.
    pub width: f64,
    /// Its pattern.
    pub dash: Dash,
}

impl Stroke {
    /// A solid line.
    pub fn new(ink: impl Into<Ink>, width: f64) -> Stroke {
        Stroke {
            ink: ink.into(),
            width,
            dash: Dash::Solid,
        }
    }

    /// The same line with a pattern.
    #[must_use]
    pub fn dashed(self, dash: Dash) -> Stroke {
        Stroke { dash, ..self }
    }
}

/// Which end of a text its point is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// The text starts there.
    #[default]
    Start,
    /// The text has its middle there.
    Middle,
    /// The text ends there.
    End,
}

/// A line of text; its point is on the middle of its height.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where.
    pub at: Point,
    /// What.
    pub text: String,
    /// In which colour.
    pub ink: Ink,
    /// Which end of it `at` is.
    pub align: Align,
    /// Size in units of the picture's font.
    pub scale: f64,
    /// Bold?
    pub bold: bool,
}

impl Label {
    /// Ordinary text that starts at a point.
    pub fn new(at: Point, text: impl Into<String>, colour: Colour) -> Label {
        Label {
            at,
            text: text.into(),
            ink: colour.into(),
            align: Align::Start,
            scale: 1.0,
            bold: false,
        }
    }

    /// The same text, aligned otherwise.
    #[must_use]
    pub fn aligned(self, align: Align) -> Label {
        Label { align, ..self }
    }

    /// The same text, in bold.
    #[must_use]
    pub fn bold(self) -> Label {
        Label { bold: true, ..self }
    }

    /// The same text, of another size.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Label {
        Label { scale, ..self }
    }

    /// The area that it covers, given the width and the height of its text.
    pub fn area(&self, width: f64, height: f64) -> Rect {
        let left = match self.align {
            Align::Start => 0.0,
            Align::Middle => width / 2.0,
            Align::End => width,
        };
        Rect::new(self.at.x - left, self.at.y - height / 2.0, width, height)
    }
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Box(Rect, Ink),
    /// The outline of a rectangle.
    Frame(Rect, Stroke),
    /// A line between two points.
    Line(Point, Point, Stroke),
    /// A line through many points.
    Path(Vec<Point>, Stroke),
    /// A filled area.
    Area(Vec<Point>, Ink),
    /// A filled circle: middle, radius.
    Dot(Point, f64, Ink),
    /// Text.
    Text(Label),
    /// Some rows of an image, stretched over a rectangle.
    Pixels(Rect, Rc<Pixels>, Range<usize>),
    /// What follows is only seen inside this rectangle, until the next [`Shape::Unclip`].
    Clip(Rect),
    /// Ends the last [`Shape::Clip`].
    Unclip,
}

/// A small picture made of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels in a row.
    pub width: usize,
    /// Red, green, blue, alpha of each pixel, row after row.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// Number of rows.
    pub fn height(&self) -> usize {
        self.rgba.len() / 4 / self.width.max(1)
    }
}

/// Shapes in the order they are painted, and what is meant by some of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene<T> {
    /// What is drawn, first to last.
    pub shapes: Vec<Shape>,
    /// Which shapes stand for something that can be pointed at: index in `shapes`, and what it stands for.
    pub targets: Vec<(usize, T)>,
}

impl<T> Default for Scene<T> {
    fn default() -> Self {
        Scene {
            shapes: Vec::new(),
            targets: Vec::new(),
        }
    }
}

impl<T> Scene<T> {
    /// Adds a shape.
    pub fn add(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Adds a filled rectangle.
    pub fn fill(&mut self, rect: Rect, ink: impl Into<Ink>) {
        self.add(Shape::Box(rect, ink.into()));
    }

    /// Adds a line.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.add(Shape::Line(from, to, stroke));
    }

    /// Adds text.
    pub fn text(&mut self, label: Label) {
        self.add(Shape::Text(label));
    }

    /// Adds a shape that stands for something.
    pub fn target(&mut self, shape: Shape, what: T) {
        self.targets.push((self.shapes.len(), what));
        self.add(shape);
    }

    /// What the topmost shape at `point`, or within `reach` px of it, stands for.
    pub fn at(&self, point: Point, reach: f64) -> Option<&T> {
        let near = |(index, _): &&(usize, T)| self.shapes[*index].is_near(point, reach);
        self.targets.iter().rev().find(near).map(|(_, what)| what)
    }
}

impl Shape {
    /// Is the point on it, or at most `reach` px away? Text, pixels and clips are never meant.
    pub fn is_near(&self, point: Point, reach: f64) -> bool {
        match self {
            Shape::Box(rect, _) | Shape::Frame(rect, _) => rect.contains(point, reach),
            Shape::Line(from, to, _) => point.distance_to_line(*from, *to) <= reach,
            Shape::Path(points, _) => points
                .windows(2)
                .any(|pair| point.distance_to_line(pair[0], pair[1]) <= reach),
            Shape::Area(points, _) => bounds(points).contains(point, reach),
            Shape::Dot(middle, radius, _) => {
                point.distance_to_line(*middle, *middle) <= radius + reach
            }
            Shape::Text(_) | Shape::Pixels(..) | Shape::Clip(_) | Shape::Unclip => false,
        }
    }
}

fn bounds(points: &[Point]) -> Rect {
    let all = |pick: fn(&Point) -> f64| {
        let low = points.iter().map(pick).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    Rect::between(all(|p| p.x), all(|p| p.y))
}

/// Draws shapes on a surface, in the colours of a theme.
pub fn paint(surface: &mut impl Surface, shapes: &[Shape], theme: Theme) {
    let pen = |stroke: &Stroke| Pen {
        rgb: theme.rgb(stroke.ink.colour),
        alpha: stroke.ink.alpha,
        width: stroke.width,
        dash: stroke.dash,
    };
    let fill = |ink: &Ink| (theme.rgb(ink.colour), ink.alpha);
    for shape in shapes {
        match shape {
            Shape::Box(rect, ink) => surface.rect(*rect, fill(ink)),
            Shape::Frame(rect, stroke) => surface.frame(*rect, pen(stroke)),
            Shape::Line(from, to, stroke) => surface.path(&[*from, *to], pen(stroke)),
            Shape::Path(points, stroke) => surface.path(points, pen(stroke)),
            Shape::Area(points, ink) => surface.area(points, fill(ink)),
            Shape::Dot(middle, radius, ink) => surface.dot(*middle, *radius, fill(ink)),
            Shape::Text(label) => surface.text(
                label.at,
                &label.text,
                TextStyle {
                    fill: fill(&label.ink),
                    align: label.align,
                    scale: label.scale,
                    bold: label.bold,
                },
            ),
            Shape::Pixels(rect, pixels, rows) => surface.pixels(*rect, pixels, rows.clone()),
            Shape::Clip(rect) => surface.clip(*rect),
            Shape::Unclip => surface.unclip(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_target_is_found() {
        let mut scene = Scene::default();
        scene.target(
            Shape::Box(Rect::new(0.0, 0.0, 10.0, 10.0), Colour::Ink.into()),
            "under",
        );
        scene.fill(Rect::new(0.0, 0.0, 10.0, 10.0), Colour::Mute);
        let line = Stroke::new(Colour::Ink, 1.0);
        scene.target(
            Shape::Line(Point::new(5.0, 0.0), Point::new(5.0, 10.0), line),
            "over",
        );
        assert_eq!(scene.at(Point::new(6.0, 3.0), 2.0), Some(&"over"));
        assert_eq!(scene.at(Point::new(9.0, 3.0), 2.0), Some(&"under"));
        assert_eq!(scene.at(Point::new(13.0, 3.0), 2.0), None);
    }

    #[test]
    fn labels_know_their_area() {
        let label = Label::new(Point::new(100.0, 50.0), "x", Colour::Ink);
        assert_eq!(label.area(20.0, 10.0), Rect::new(100.0, 45.0, 20.0, 10.0));
        let end = label.clone().aligned(Align::End);
        assert_eq!(end.area(20.0, 10.0), Rect::new(80.0, 45.0, 20.0, 10.0));
        let middle = label.aligned(Align::Middle);
        assert_eq!(middle.area(20.0, 10.0).x.to_bits(), 90.0f64.to_bits());
    }
}
