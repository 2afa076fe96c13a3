//! The address bar: follows the model, and tells it when somebody else changed it.

use crate::model::{Setup, Trail};
use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Nudges reach the address this much later, ms: browsers forbid writing it more than a few times a second.
const PATIENCE_MS: u32 = 200;

/// What the address says, without its `#`.
pub(crate) fn fragment() -> String {
    let hash = web_sys::window().and_then(|w| w.location().hash().ok());
    hash.map(|h| h.trim_start_matches('#').to_string())
        .unwrap_or_default()
}

/// The whole address with `fragment`.
pub(crate) fn whole(fragment: &str) -> String {
    let href = web_sys::window()
        .and_then(|w| w.location().href().ok())
        .unwrap_or_default();
    let base = href.split('#').next().unwrap_or_default();
    if fragment.is_empty() {
        base.to_string()
    } else {
        format!("{base}#{fragment}")
    }
}

/// Writes the address.
#[derive(Default)]
pub(crate) struct Address {
    /// The setup that is written there.
    setup: Option<Setup>,
    /// A nudge that is not written yet.
    pending: Rc<RefCell<Option<(String, Timeout)>>>,
}

impl Address {
    /// The address becomes `text`, the link of `setup`: as a new entry where a choice was made.
    pub(crate) fn follow(&mut self, text: String, setup: &Setup, trail: Trail) {
        let chosen = trail == Trail::Push && self.setup.as_ref().is_some_and(|s| s != setup);
        self.setup = Some(setup.clone());
        if chosen {
            let nudge = self.pending.borrow_mut().take();
            if let Some((text, _)) = nudge {
                put(&text, false);
            }
            put(&text, true);
            return;
        }
        let pending = Rc::clone(&self.pending);
        let timer = Timeout::new(PATIENCE_MS, move || {
            let nudge = pending.borrow_mut().take();
            if let Some((text, _)) = nudge {
                put(&text, false);
            }
        });
        *self.pending.borrow_mut() = Some((text, timer));
    }

    /// Somebody else changed the address: it stays as it is.
    pub(crate) fn opened(&mut self, setup: &Setup) {
        self.setup = Some(setup.clone());
        self.pending.borrow_mut().take();
    }
}

fn put(text: &str, push: bool) {
    if text == fragment() {
        return;
    }
    let Some(history) = web_sys::window().and_then(|w| w.history().ok()) else {
        return;
    };
    let url = whole(text);
    // A browser that refuses (too often, or an opaque origin) leaves the old address: the page goes on.
    let _ = if push {
        history.push_state_with_url(&JsValue::NULL, "", Some(&url))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
    };
}
