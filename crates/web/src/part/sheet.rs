//! A sheet that opens over the page and gives the focus back when it closes.

use crate::dom::{html, use_effect_with};
use crate::part::{Glyph, icon};
use crate::text::{Msg, text};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// Properties of [`Sheet`].
#[derive(Properties, PartialEq)]
pub(crate) struct SheetProps {
    /// Its heading.
    pub(crate) title: AttrValue,
    /// Told when it wants to close.
    pub(crate) on_close: Callback<()>,
    /// What is on it.
    pub(crate) children: Html,
}

/// A sheet over the page. It is there as long as it is in the tree.
#[component]
pub(crate) fn Sheet(props: &SheetProps) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            let dialog: Option<HtmlDialogElement> = dialog.cast();
            if let Some(dialog) = &dialog {
                // A dialog that is open already refuses; then it is as it should be.
                let _ = dialog.show_modal();
            }
            // Closing gives the focus back to whatever opened the sheet.
            move || {
                if let Some(dialog) = dialog {
                    dialog.close();
                }
            }
        });
    }
    let close = props.on_close.reform(|_: MouseEvent| ());
    let oncancel = props
        .on_close
        .reform(|event: Event| event.prevent_default());
    let on_backdrop = {
        let on_close = props.on_close.clone();
        move |event: MouseEvent| {
            let target = event.target();
            if target.is_some_and(|t| t.dyn_ref::<HtmlDialogElement>().is_some()) {
                on_close.emit(());
            }
        }
    };
    html! {
        <dialog ref={dialog} aria-label={props.title.clone()} {oncancel} onclick={on_backdrop}>
            <div class="sheet">
                <div class="sheet-head">
                    <h2>{ props.title.clone() }</h2>
                    <button type="button" class="button icon" aria-label={text(Msg::SheetClose)} onclick={close}>
                        { icon(Glyph::Close) }
                    </button>
                </div>
                { props.children.clone() }
            </div>
        </dialog>
    }
}
