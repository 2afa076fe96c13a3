//! Painting in turns, so that no task of the page's thread lasts as long as all pictures together do.
//!
//! What is painted is not known here. Of two paintings of the same canvas only the later one is done.

use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use web_sys::HtmlCanvasElement;

/// A turn ends with the painting during which so much time has gone, ms.
const TURN_MS: f64 = 8.0;

type Painting = (HtmlCanvasElement, Box<dyn FnOnce()>);

thread_local! {
    static WAITING: RefCell<Vec<Painting>> = const { RefCell::new(Vec::new()) };
}

/// Paints `canvas` when its turn has come.
pub(crate) fn soon(canvas: HtmlCanvasElement, paint: impl FnOnce() + 'static) {
    WAITING.with_borrow_mut(|waiting| {
        let first = waiting.is_empty();
        let known = waiting.iter_mut().find(|(of, _)| *of == canvas);
        match known {
            Some((_, earlier)) => *earlier = Box::new(paint),
            None => waiting.push((canvas, Box::new(paint))),
        }
        if first {
            Timeout::new(0, turn).forget();
        }
    });
}

fn turn() {
    let end = js_sys::Date::now() + TURN_MS;
    while js_sys::Date::now() < end {
        let next = WAITING.with_borrow_mut(|waiting| {
            let any = !waiting.is_empty();
            any.then(|| waiting.remove(0))
        });
        let Some((_, paint)) = next else { return };
        paint();
    }
    if WAITING.with_borrow(|waiting| !waiting.is_empty()) {
        Timeout::new(0, turn).forget();
    }
}
