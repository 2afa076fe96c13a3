//! A text that one wants to take along, with a button that copies it.

use crate::dom::{html, use_effect_with};
use crate::text::{Msg, text};
use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::*;
use web_sys::{Clipboard, HtmlTextAreaElement};
use yew::prelude::*;

/// How long the outcome is shown, ms.
const SHOWN_MS: u32 = 1_600;

/// What the button says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nobody has pressed it.
    None,
    /// The text is in the clipboard.
    Copied,
    /// The browser allows no copying; the text is selected instead.
    Selected,
}

/// Properties of [`CopyBox`].
#[derive(Properties, PartialEq)]
pub(crate) struct CopyBoxProps {
    /// What it is called; also makes its id.
    pub(crate) label: AttrValue,
    /// Its id.
    pub(crate) id: AttrValue,
    /// The text.
    pub(crate) value: AttrValue,
}

/// A text with a button that copies it.
#[component]
pub(crate) fn CopyBox(props: &CopyBoxProps) -> Html {
    let area = use_node_ref();
    let outcome = use_state_eq(|| Outcome::None);
    {
        let outcome = outcome.clone();
        use_effect_with(*outcome, move |now| {
            let timer = (*now != Outcome::None)
                .then(|| Timeout::new(SHOWN_MS, move || outcome.set(Outcome::None)));
            move || drop(timer)
        });
    }
    let onclick = {
        let (area, outcome, value) = (area.clone(), outcome.setter(), props.value.clone());
        move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                area.select();
            }
            copy(&value, &outcome);
        }
    };
    let words = text(match *outcome {
        Outcome::None => Msg::ShareCopy,
        Outcome::Copied => Msg::ShareCopied,
        Outcome::Selected => Msg::ShareSelected,
    });
    html! {
        <div class="copy">
            <label for={props.id.clone()}>{ props.label.clone() }</label>
            <textarea ref={area} id={props.id.clone()} readonly=true spellcheck="false" rows="2"
                value={props.value.clone()} />
            <button type="button" class="button framed" {onclick}>
                <span aria-live="polite">{ words }</span>
            </button>
        </div>
    }
}

/// Copies `value`, and tells how that ended.
fn copy(value: &str, outcome: &UseStateSetter<Outcome>) {
    let Some(clipboard) = clipboard() else {
        outcome.set(Outcome::Selected);
        return;
    };
    let (copied, refused) = (outcome.clone(), outcome.clone());
    let copied = Closure::once(move |_: JsValue| copied.set(Outcome::Copied));
    let refused = Closure::once(move |_: JsValue| refused.set(Outcome::Selected));
    let _ = clipboard.write_text(value).then2(&copied, &refused);
    // One of them is called later, when this function is long over.
    copied.forget();
    refused.forget();
}

/// The clipboard, which a page that came over plain http from another machine has not.
fn clipboard() -> Option<Clipboard> {
    let navigator = web_sys::window()?.navigator();
    js_sys::Reflect::get(&navigator, &"clipboard".into())
        .ok()
        .filter(JsValue::is_object)
        .map(JsCast::unchecked_into)
}
