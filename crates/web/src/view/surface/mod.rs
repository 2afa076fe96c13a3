//! What can be painted on: a canvas on the screen, or SVG text for a paper.
//!
//! A surface knows rectangles, lines and text in plain colours. What they mean is decided before ([`super::scene`]).

mod canvas;
mod svg;

pub use canvas::CanvasSurface;
pub(crate) use canvas::context_of;
pub use svg::SvgSurface;

use std::ops::Range;
use std::rc::Rc;

use super::geometry::{Point, Rect};
use super::palette::Rgb;
use super::scene::{Align, Dash, Pixels};

/// A colour and its opacity, 0 … 1.
pub type Fill = (Rgb, f32);

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub rgb: Rgb,
    /// Its opacity, 0 … 1.
    pub alpha: f32,
    /// Its width, px.
    pub width: f64,
    /// Its pattern.
    pub dash: Dash,
}

impl Pen {
    /// Lengths of dashes and gaps, px; none for a solid line.
    fn pattern(&self) -> &'static [f64] {
        match self.dash {
            Dash::Solid => &[],
            Dash::Dashed => &[5.0, 3.0],
            Dash::Dotted => &[1.5, 2.5],
        }
    }
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Its colour.
    pub fill: Fill,
    /// Which end of it the point is.
    pub align: Align,
    /// Size in units of the picture's font.
    pub scale: f64,
    /// Bold?
    pub bold: bool,
}

/// Something that can be painted on. Units are CSS pixels, y downwards.
pub trait Surface {
    /// Fills a rectangle.
    fn rect(&mut self, rect: Rect, fill: Fill);
    /// Draws the outline of a rectangle, centred on its edges.
    fn frame(&mut self, rect: Rect, pen: Pen);
    /// Draws a line through points.
    fn path(&mut self, points: &[Point], pen: Pen);
    /// Fills the area within points.
    fn area(&mut self, points: &[Point], fill: Fill);
    /// Fills a circle.
    fn dot(&mut self, middle: Point, radius: f64, fill: Fill);
    /// Writes a line of text whose height has its middle at `at`.
    fn text(&mut self, at: Point, text: &str, style: TextStyle);
    /// Stretches some rows of an image over a rectangle, without smoothing.
    fn pixels(&mut self, rect: Rect, pixels: &Rc<Pixels>, rows: Range<usize>);
    /// Paints only inside a rectangle until [`Surface::unclip`].
    fn clip(&mut self, rect: Rect);
    /// Ends the last [`Surface::clip`].
    fn unclip(&mut self);
}
