//! A text that one wants to take along, with a button that copies it.

use crate::text::{Msg, text};
use gloo_timers::callback::Timeout;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// How long a success is shown, ms.
const SHOWN_MS: u32 = 1_600;

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
    let copied = use_state(|| false);
    {
        let copied = copied.clone();
        use_effect_with(*copied, move |on| {
            let timer = on.then(|| Timeout::new(SHOWN_MS, move || copied.set(false)));
            move || drop(timer)
        });
    }
    let onclick = {
        let (area, copied, value) = (area.clone(), copied.clone(), props.value.clone());
        move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                area.select();
            }
            if let Some(window) = web_sys::window() {
                // Where the browser forbids it, the text is selected and can be copied by hand.
                let _ = window.navigator().clipboard().write_text(&value);
            }
            copied.set(true);
        }
    };
    let words = if *copied {
        Msg::ShareCopied
    } else {
        Msg::ShareCopy
    };
    html! {
        <div class="copy">
            <label for={props.id.clone()}>{ props.label.clone() }</label>
            <textarea ref={area} id={props.id.clone()} readonly=true spellcheck="false" rows="2"
                value={props.value.clone()} />
            <button type="button" class="button framed" {onclick}>
                <span aria-live="polite">{ text(words) }</span>
            </button>
        </div>
    }
}
