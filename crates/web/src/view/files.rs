//! Pictures and their data as files to keep.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::geometry::Rect;
use super::host::{self, Stage};
use super::palette::Colour;
use super::picture::Table;
use super::scene::{Shape, paint};
use super::surface::SvgSurface;

/// Kinds of files a picture can be kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// The picture, sharp at any size.
    Svg,
    /// The picture, in pixels.
    Png,
    /// The data behind it.
    Csv,
}

/// A picture that is to be kept.
pub(crate) struct Keepsake<'a> {
    /// The name of the file, without what is behind the dot.
    pub(crate) name: &'a str,
    /// What it shows, for those who do not see it.
    pub(crate) title: &'a str,
    /// Its shapes.
    pub(crate) shapes: &'a [Shape],
    /// Its size and looks.
    pub(crate) stage: &'a Stage,
}

/// Physical pixels in a px of a picture in a file: sharp on paper, too.
const FILE_RATIO: f64 = 2.0;

impl Keepsake<'_> {
    /// Offers the picture as a file.
    pub(crate) fn save(
        &self,
        kind: FileKind,
        table: impl FnOnce() -> Table,
    ) -> Result<(), JsValue> {
        match kind {
            FileKind::Csv => save(
                &format!("{}.csv", self.name),
                "text/csv",
                &table().csv().into(),
            ),
            FileKind::Svg => save(
                &format!("{}.svg", self.name),
                "image/svg+xml",
                &self.svg().into(),
            ),
            FileKind::Png => self.save_png(),
        }
    }

    fn ground(&self) -> Shape {
        Shape::Box(
            Rect::new(0.0, 0.0, self.stage.width, self.stage.height),
            Colour::Panel.into(),
        )
    }

    fn svg(&self) -> String {
        let (stage, mut surface) = (self.stage, SvgSurface::new(self.stage.font.size));
        paint(&mut surface, &[self.ground()], stage.theme);
        paint(&mut surface, self.shapes, stage.theme);
        surface.finish(stage.width, stage.height, &stage.font.family, self.title)
    }

    fn save_png(&self) -> Result<(), JsValue> {
        let canvas = host::new_canvas();
        let stage = Stage {
            ratio: FILE_RATIO,
            ..self.stage.clone()
        };
        host::prepare(&canvas, &stage);
        host::draw(&canvas, self.stage, &[self.ground()]);
        host::draw(&canvas, self.stage, self.shapes);
        let name = format!("{}.png", self.name);
        let done = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
            if let Some(blob) = blob {
                // A browser that keeps no file has said so itself.
                let _ = save_blob(&name, &blob);
            }
        });
        canvas.to_blob(done.unchecked_ref())
    }
}

fn save(name: &str, kind: &str, content: &JsValue) -> Result<(), JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&Array::of1(content), &options)?;
    save_blob(name, &blob)
}

fn save_blob(name: &str, blob: &web_sys::Blob) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let document = document.ok_or("no page")?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    let address = web_sys::Url::create_object_url_with_blob(blob)?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    web_sys::Url::revoke_object_url(&address)
}
