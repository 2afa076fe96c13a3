//! A surface that writes SVG: the same picture for a paper or a slide.
//!
//! Colours and sizes are presentation attributes, so the file needs no style sheet and obeys any content policy.

use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;

use super::{Fill, Pen, Surface, TextStyle};
use crate::number::{fixed, px};
use crate::view::geometry::{Point, Rect};
use crate::view::palette::Rgb;
use crate::view::scene::{Align, Pixels};

/// SVG in the making.
pub struct SvgSurface {
    body: String,
    font_size: f64,
    clips: usize,
}

impl SvgSurface {
    /// An empty picture; `font_size` is that of ordinary text, px.
    pub fn new(font_size: f64) -> SvgSurface {
        SvgSurface {
            body: String::new(),
            font_size,
            clips: 0,
        }
    }

    /// The file: `width` × `height` px, `title` for those who do not see it.
    pub fn finish(self, width: f64, height: f64, family: &str, title: &str) -> String {
        let [width, height] = [width, height].map(|length| fixed(length, 0));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{}\" font-size=\"{}\" role=\"img\">\
             <title>{}</title>\n{}</svg>\n",
            escaped(family),
            px(self.font_size),
            escaped(title),
            self.body
        )
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        self.body
            .write_fmt(element)
            .expect("writing to a string cannot fail");
        self.body.push('\n');
    }
}

impl Surface for SvgSurface {
    fn rect(&mut self, rect: Rect, fill: Fill) {
        self.put(format_args!("<rect {} {}/>", place(rect), filled(fill)));
    }

    fn frame(&mut self, rect: Rect, pen: Pen) {
        self.put(format_args!("<rect {} {}/>", place(rect), stroked(pen)));
    }

    fn path(&mut self, points: &[Point], pen: Pen) {
        self.put(format_args!(
            "<polyline points=\"{}\" {}/>",
            list(points),
            stroked(pen)
        ));
    }

    fn area(&mut self, points: &[Point], fill: Fill) {
        self.put(format_args!(
            "<polygon points=\"{}\" {}/>",
            list(points),
            filled(fill)
        ));
    }

    fn dot(&mut self, middle: Point, radius: f64, fill: Fill) {
        self.put(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>",
            px(middle.x),
            px(middle.y),
            px(radius),
            filled(fill)
        ));
    }

    fn text(&mut self, at: Point, text: &str, style: TextStyle) {
        let anchor = match style.align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let weight = if style.bold {
            " font-weight=\"600\""
        } else {
            ""
        };
        let size = self.font_size * style.scale;
        // A third of the size below the middle is the base line of most fonts.
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\"{weight} {}>{}</text>",
            px(at.x),
            px(at.y + size * 0.35),
            px(size),
            filled(style.fill),
            escaped(text)
        ));
    }

    /// Neighbours of one colour become one rectangle: a file of rectangles stays sharp at any size.
    fn pixels(&mut self, rect: Rect, pixels: &Rc<Pixels>, rows: Range<usize>) {
        let stride = pixels.width * 4;
        let rgba = &pixels.rgba[rows.start * stride..rows.end * stride];
        let (wide, high) = (rect.w / pixels.width as f64, rect.h / rows.len() as f64);
        for (y, row) in rgba.chunks_exact(stride).enumerate() {
            let mut before = 0;
            for run in row.as_chunks::<4>().0.chunk_by(|a, b| a == b) {
                let [red, green, blue, alpha] = run[0];
                let part = Rect::new(
                    rect.x + before as f64 * wide,
                    rect.y + y as f64 * high,
                    run.len() as f64 * wide,
                    high,
                );
                if alpha > 0 {
                    let rgb = Rgb(red, green, blue);
                    self.rect(part, (rgb, f32::from(alpha) / 255.0));
                }
                before += run.len();
            }
        }
    }

    fn clip(&mut self, rect: Rect) {
        self.clips += 1;
        let id = self.clips;
        self.put(format_args!(
            "<clipPath id=\"c{id}\"><rect {}/></clipPath><g clip-path=\"url(#c{id})\">",
            place(rect)
        ));
    }

    fn unclip(&mut self) {
        self.put(format_args!("</g>"));
    }
}

fn place(rect: Rect) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        px(rect.x),
        px(rect.y),
        px(rect.w),
        px(rect.h)
    )
}

fn list(points: &[Point]) -> String {
    let mut out = String::with_capacity(points.len() * 12);
    for point in points {
        out.push_str(&px(point.x));
        out.push(',');
        out.push_str(&px(point.y));
        out.push(' ');
    }
    out.truncate(out.trim_end().len());
    out
}

fn hex(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn opacity(name: &str, alpha: f32) -> String {
    if alpha >= 1.0 {
        return String::new();
    }
    format!(" {name}-opacity=\"{}\"", px(f64::from(alpha)))
}

fn filled((rgb, alpha): Fill) -> String {
    format!("fill=\"{}\"{}", hex(rgb), opacity("fill", alpha))
}

fn stroked(pen: Pen) -> String {
    let dashes: Vec<String> = pen.pattern().iter().map(|&length| px(length)).collect();
    let pattern = if dashes.is_empty() {
        String::new()
    } else {
        format!(" stroke-dasharray=\"{}\"", dashes.join(" "))
    };
    format!(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}{pattern}",
        hex(pen.rgb),
        px(pen.width),
        opacity("stroke", pen.alpha)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::palette::{Colour, Theme};
    use crate::view::scene::{Dash, Label, Shape, Stroke, paint};

    fn svg(shapes: &[Shape]) -> String {
        let mut surface = SvgSurface::new(10.0);
        paint(&mut surface, shapes, Theme::Light);
        surface.finish(100.0, 50.0, "sans-serif", "a < b")
    }

    #[test]
    fn shapes_become_elements() {
        let text = svg(&[
            Shape::Box(Rect::new(1.0, 2.0, 3.0, 4.5), Colour::Panel.alpha(0.5)),
            Shape::Path(
                vec![Point::new(0.0, 0.0), Point::new(10.0, 1.0 / 3.0)],
                Stroke::new(Colour::Ink, 1.5).dashed(Dash::Dashed),
            ),
            Shape::Text(Label::new(Point::new(5.0, 5.0), "a<b & \"c\"", Colour::Ink).bold()),
        ]);
        assert!(text.contains("<rect x=\"1\" y=\"2\" width=\"3\" height=\"4.5\" fill=\"#ffffff\" fill-opacity=\"0.5\"/>"));
        assert!(text.contains("points=\"0,0 10,0.33\""));
        assert!(text.contains("stroke-dasharray=\"5 3\""));
        assert!(text.contains(">a&lt;b &amp; &quot;c&quot;</text>"));
        assert!(text.contains("<title>a &lt; b</title>"));
    }

    #[test]
    fn clips_are_closed() {
        let area = Rect::new(0.0, 0.0, 1.0, 1.0);
        let text = svg(&[
            Shape::Clip(area),
            Shape::Unclip,
            Shape::Clip(area),
            Shape::Unclip,
        ]);
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        assert!(text.contains("id=\"c1\"") && text.contains("id=\"c2\""));
    }

    #[test]
    fn equal_neighbours_become_one_rectangle() {
        let (red, none) = ([255, 0, 0, 255], [0, 0, 0, 0]);
        let rgba = [red, red, none, red].concat();
        let text = svg(&[Shape::Pixels(
            Rect::new(0.0, 0.0, 40.0, 2.0),
            Rc::new(Pixels { width: 4, rgba }),
            0..1,
        )]);
        assert_eq!(text.matches("#ff0000").count(), 2);
        assert!(text.contains("width=\"20\""));
    }
}
