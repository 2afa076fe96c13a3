//! A surface on the screen: the 2D context of a canvas.
//!
//! Calls into the browser cost more than anything else here, so the last colour, width and font are remembered and
//! only set when they change.

use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::{Fill, Pen, Surface, TextStyle};
use crate::number::px;
use crate::view::fonts::FontMetrics;
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Rgb;
use crate::view::scene::{Align, Dash, Pixels};

/// Paints on a canvas.
pub struct CanvasSurface<'a> {
    context: &'a CanvasRenderingContext2d,
    font: &'a FontMetrics,
    /// Where rows of pixels are put before they are stretched.
    scratch: &'a HtmlCanvasElement,
    fill: Option<(Rgb, u32)>,
    pen: Option<(Rgb, u32)>,
    width: Option<f64>,
    dash: Option<Dash>,
    text: Option<(u64, bool, Align)>,
    /// The image on the scratch canvas.
    laid: Option<Rc<Pixels>>,
}

impl<'a> CanvasSurface<'a> {
    /// A surface on `context`, which was sized and scaled before. `scratch` is any canvas that is not shown.
    pub fn new(
        context: &'a CanvasRenderingContext2d,
        font: &'a FontMetrics,
        scratch: &'a HtmlCanvasElement,
    ) -> CanvasSurface<'a> {
        context.set_text_baseline("middle");
        context.set_line_join("round");
        CanvasSurface {
            context,
            font,
            scratch,
            fill: None,
            pen: None,
            width: None,
            dash: None,
            text: None,
            laid: None,
        }
    }

    fn set_fill(&mut self, (rgb, alpha): Fill) {
        let key = (rgb, alpha.to_bits());
        if self.fill != Some(key) {
            self.context.set_fill_style_str(&css(rgb, alpha));
            self.fill = Some(key);
        }
    }

    fn set_pen(&mut self, pen: Pen) {
        let key = (pen.rgb, pen.alpha.to_bits());
        if self.pen != Some(key) {
            self.context.set_stroke_style_str(&css(pen.rgb, pen.alpha));
            self.pen = Some(key);
        }
        if self.width != Some(pen.width) {
            self.context.set_line_width(pen.width);
            self.width = Some(pen.width);
        }
        if self.dash != Some(pen.dash) {
            let pattern: js_sys::Array =
                pen.pattern().iter().map(|&px| JsValue::from(px)).collect();
            self.context
                .set_line_dash(&pattern)
                .expect("lengths are positive numbers");
            self.dash = Some(pen.dash);
        }
    }

    /// Puts an image on the scratch canvas, once for all its rows.
    fn lay(&self, pixels: &Pixels) {
        let (width, height) = (pixels.width as u32, pixels.height() as u32);
        if self.scratch.width() < width || self.scratch.height() < height {
            self.scratch.set_width(width.max(self.scratch.width()));
            self.scratch.set_height(height.max(self.scratch.height()));
        }
        let data =
            ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels.rgba), width, height)
                .expect("there are width times height pixels");
        context_of(self.scratch)
            .put_image_data(&data, 0.0, 0.0)
            .expect("the scratch canvas holds only our own pixels");
    }

    fn trace(&self, points: &[Point]) {
        self.context.begin_path();
        for (i, point) in points.iter().enumerate() {
            if i == 0 {
                self.context.move_to(point.x, point.y);
            } else {
                self.context.line_to(point.x, point.y);
            }
        }
    }
}

impl Surface for CanvasSurface<'_> {
    fn rect(&mut self, rect: Rect, fill: Fill) {
        self.set_fill(fill);
        self.context.fill_rect(rect.x, rect.y, rect.w, rect.h);
    }

    fn frame(&mut self, rect: Rect, pen: Pen) {
        self.set_pen(pen);
        self.context.stroke_rect(rect.x, rect.y, rect.w, rect.h);
    }

    fn path(&mut self, points: &[Point], pen: Pen) {
        self.set_pen(pen);
        self.trace(points);
        self.context.stroke();
    }

    fn area(&mut self, points: &[Point], fill: Fill) {
        self.set_fill(fill);
        self.trace(points);
        self.context.fill();
    }

    fn dot(&mut self, middle: Point, radius: f64, fill: Fill) {
        self.set_fill(fill);
        self.context.begin_path();
        self.context
            .arc(middle.x, middle.y, radius, 0.0, std::f64::consts::TAU)
            .expect("the radius is not negative");
        self.context.fill();
    }

    fn text(&mut self, at: Point, text: &str, style: TextStyle) {
        self.set_fill(style.fill);
        let key = (style.scale.to_bits(), style.bold, style.align);
        if self.text != Some(key) {
            let weight = if style.bold { "600 " } else { "" };
            let size = self.font.size * style.scale;
            let family = &self.font.family;
            self.context
                .set_font(&format!("{weight}{}px {family}", px(size)));
            self.context.set_text_align(match style.align {
                Align::Start => "left",
                Align::Middle => "center",
                Align::End => "right",
            });
            self.text = Some(key);
        }
        self.context
            .fill_text(text, at.x, at.y)
            .expect("coordinates are numbers");
    }

    fn pixels(&mut self, rect: Rect, pixels: &Rc<Pixels>, rows: Range<usize>) {
        if pixels.rgba.is_empty() {
            return;
        }
        if self
            .laid
            .as_ref()
            .is_none_or(|laid| !Rc::ptr_eq(laid, pixels))
        {
            self.lay(pixels);
            self.laid = Some(Rc::clone(pixels));
        }
        self.context.set_image_smoothing_enabled(false);
        self.context
            .draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                self.scratch,
                0.0,
                rows.start as f64,
                pixels.width as f64,
                rows.len() as f64,
                rect.x,
                rect.y,
                rect.w,
                rect.h,
            )
            .expect("the scratch canvas has a size");
    }

    fn clip(&mut self, rect: Rect) {
        self.context.save();
        self.context.begin_path();
        self.context.rect(rect.x, rect.y, rect.w, rect.h);
        self.context.clip();
    }

    /// Restoring brings back older settings, so nothing that was remembered holds any longer.
    fn unclip(&mut self) {
        self.context.restore();
        self.fill = None;
        self.pen = None;
        self.width = None;
        self.dash = None;
        self.text = None;
    }
}

/// The 2D context of a canvas.
///
/// # Panics
/// If the canvas already has a context of another kind, which none of ours has.
pub(crate) fn context_of(canvas: &HtmlCanvasElement) -> CanvasRenderingContext2d {
    canvas
        .get_context("2d")
        .ok()
        .flatten()
        .expect("every browser that runs wasm has a 2D context")
        .unchecked_into()
}

fn css(Rgb(r, g, b): Rgb, alpha: f32) -> String {
    if alpha >= 1.0 {
        format!("#{r:02x}{g:02x}{b:02x}")
    } else {
        format!("rgb({r} {g} {b} / {})", px(alpha.into()))
    }
}
