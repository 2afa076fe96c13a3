//! What a canvas on the page knows of its surroundings: how much room it has, its font, light or dark.
//!
//! All of it comes from the style sheet as it is in force, so that a picture follows the reader's text size, a change of
//! theme or a narrower window by itself. Nothing here knows what is drawn.

use crate::dom::use_effect_with;
use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{
    CssStyleDeclaration, Element, HtmlCanvasElement, MutationObserver, MutationObserverInit,
    ResizeObserver,
};
use yew::prelude::*;

use super::fonts::FontMetrics;
use super::palette::Theme;
use super::scene::{Shape, paint};
use super::surface::{CanvasSurface, context_of};
use crate::number::{px, within};

/// The room around a canvas and how it looks there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    /// Width of the element around it, px.
    pub(crate) width: f64,
    /// Its height, px.
    pub(crate) height: f64,
    /// Physical pixels in a px.
    pub(crate) ratio: f64,
    /// Its font.
    pub(crate) font: Rc<FontMetrics>,
    /// Light or dark.
    pub(crate) theme: Theme,
}

/// Scrolls by the least that shows `element` within what the style sheet pads off.
pub(crate) fn bring_in_sight(element: &Element) {
    #[wasm_bindgen]
    extern "C" {
        type Scrolled;
        #[wasm_bindgen(method, js_name = scrollIntoView)]
        fn scroll_into_view(this: &Scrolled, how: &JsValue);
    }
    let how = js_sys::Object::new();
    js_sys::Reflect::set(&how, &"block".into(), &"nearest".into())
        .expect("a fresh object takes anything");
    element.unchecked_ref::<Scrolled>().scroll_into_view(&how);
}

/// What is around the canvas inside `host`; nothing before the first look. Follows every change.
#[hook]
pub(crate) fn use_stage(host: &NodeRef) -> Option<Stage> {
    let stage = use_state_eq(|| None);
    let (host, setter) = (host.clone(), stage.setter());
    use_effect_with((), move |()| {
        let element = host.cast::<Element>();
        let watch = element.map(|element| Watch::new(element, move |now| setter.set(Some(now))));
        move || drop(watch)
    });
    (*stage).clone()
}

/// Watches an element for as long as it is kept.
struct Watch {
    sizes: ResizeObserver,
    themes: MutationObserver,
    _system: Option<gloo_events::EventListener>,
    _look: Closure<dyn FnMut()>,
}

impl Watch {
    fn new(element: Element, on_change: impl Fn(Stage) + 'static) -> Watch {
        let window = web_sys::window().expect("a picture is on a page");
        let root = window
            .document()
            .and_then(|document| document.document_element());
        let watched = element.clone();
        let on_change = Rc::new(move || on_change(Stage::of(&element)));

        let looked = Rc::clone(&on_change);
        let look = Closure::<dyn FnMut()>::new(move || looked());
        let function = look.as_ref().unchecked_ref();
        let sizes = ResizeObserver::new(function).expect("the callback is a function");
        sizes.observe(&watched);
        let themes = MutationObserver::new(function).expect("the callback is a function");
        if let Some(root) = root {
            let what = MutationObserverInit::new();
            what.set_attributes(true);
            themes
                .observe_with_options(&root, &what)
                .expect("attributes can be observed");
        }
        let system = window
            .match_media("(prefers-color-scheme: dark)")
            .ok()
            .flatten();
        let system = system
            .map(|query| gloo_events::EventListener::new(&query, "change", move |_| on_change()));
        Watch {
            sizes,
            themes,
            _system: system,
            _look: look,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.sizes.disconnect();
        self.themes.disconnect();
    }
}

impl Stage {
    fn of(element: &Element) -> Stage {
        let window = web_sys::window().expect("a picture is on a page");
        let style = window.get_computed_style(element).ok().flatten();
        let style = style.expect("an element on the page has a style");
        Stage {
            width: f64::from(element.client_width()),
            height: f64::from(element.client_height()),
            ratio: window.device_pixel_ratio(),
            font: font_of(&style),
            theme: theme_of(&style),
        }
    }
}

fn property(style: &CssStyleDeclaration, name: &str) -> String {
    style.get_property_value(name).unwrap_or_default()
}

/// Light text means a dark theme: a computed colour is always `rgb(r, g, b)`.
fn theme_of(style: &CssStyleDeclaration) -> Theme {
    let colour = property(style, "color");
    let digits = colour
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|part| part.parse::<u32>().ok());
    let sum: u32 = digits.take(3).sum();
    if sum > 3 * 128 {
        Theme::Dark
    } else {
        Theme::Light
    }
}

/// The font in force; each is measured once.
fn font_of(style: &CssStyleDeclaration) -> Rc<FontMetrics> {
    thread_local! {
        static KNOWN: RefCell<Vec<Rc<FontMetrics>>> = const { RefCell::new(Vec::new()) };
    }
    let family = property(style, "font-family");
    let size = property(style, "font-size");
    // The browser reads the number off the front; Rust's own way to do that weighs 10 kB.
    let size = Some(js_sys::parse_float(&size)).filter(|px| px.is_finite());
    let size = size.unwrap_or(13.0);
    KNOWN.with_borrow_mut(|known| {
        let same =
            |font: &&Rc<FontMetrics>| font.family == family && (font.size - size).abs() < 0.01;
        if let Some(font) = known.iter().find(same) {
            return Rc::clone(font);
        }
        let font = Rc::new(measured(size, family));
        known.push(Rc::clone(&font));
        font
    })
}

/// At a hundred times the size, so that hinting does not matter.
fn measured(size: f64, family: String) -> FontMetrics {
    let context = context_of(&new_canvas());
    context.set_font(&format!("100px {family}"));
    FontMetrics::measured(size, family, |c| {
        let mut text = [0; 4];
        let width = context
            .measure_text(c.encode_utf8(&mut text))
            .map(|m| m.width());
        width.map_or(0.75, |px| px / 100.0)
    })
}

/// A canvas that is not on the page.
pub(crate) fn new_canvas() -> HtmlCanvasElement {
    let document = web_sys::window().and_then(|window| window.document());
    let canvas = document.and_then(|document| document.create_element("canvas").ok());
    canvas.expect("a page can make a canvas").unchecked_into()
}

/// Sizes a canvas for sharp pixels and empties it; sizing is left out where it would change nothing.
pub(crate) fn prepare(canvas: &HtmlCanvasElement, stage: &Stage) {
    let pixels = physical(stage);
    let context = context_of(canvas);
    if [canvas.width(), canvas.height()] == pixels {
        context
            .reset_transform()
            .expect("a context has a transform");
        context.clear_rect(0.0, 0.0, f64::from(pixels[0]), f64::from(pixels[1]));
    } else {
        canvas.set_width(pixels[0]);
        canvas.set_height(pixels[1]);
        let style = canvas.style();
        for (name, length) in [("width", stage.width), ("height", stage.height)] {
            style
                .set_property(name, &format!("{}px", px(length)))
                .expect("a size is a valid value");
        }
    }
    let scale = [(pixels[0], stage.width), (pixels[1], stage.height)]
        .map(|(n, px)| f64::from(n) / px.max(1.0));
    context
        .scale(scale[0], scale[1])
        .expect("a context has a transform");
}

/// Paints a canvas that lies over another. One that was empty and stays empty is left alone: the browser would put the
/// whole page together again for nothing.
pub(crate) fn paint_over(canvas: &HtmlCanvasElement, stage: &Stage, shapes: &[Shape]) {
    let (mark, empty) = ("data-empty", shapes.is_empty());
    let same_size = [canvas.width(), canvas.height()] == physical(stage);
    if empty && same_size && canvas.has_attribute(mark) {
        return;
    }
    prepare(canvas, stage);
    draw(canvas, stage, shapes);
    let marked = if empty {
        canvas.set_attribute(mark, "")
    } else {
        canvas.remove_attribute(mark)
    };
    marked.expect("the name of the attribute is a valid one");
}

/// The pixels of a canvas of that size.
fn physical(stage: &Stage) -> [u32; 2] {
    [stage.width, stage.height].map(|px| within((px * stage.ratio).round(), 1.0, 16_384.0) as u32)
}

/// Draws shapes on a prepared canvas.
pub(crate) fn draw(canvas: &HtmlCanvasElement, stage: &Stage, shapes: &[Shape]) {
    thread_local! {
        static SCRATCH: HtmlCanvasElement = new_canvas();
    }
    let context = context_of(canvas);
    SCRATCH.with(|scratch| {
        let mut surface = CanvasSurface::new(&context, &stage.font, scratch);
        paint(&mut surface, shapes, stage.theme);
    });
}
