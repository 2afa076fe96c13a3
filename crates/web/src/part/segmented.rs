//! A choice of a few, side by side.

use crate::dom::html;
use yew::prelude::*;

/// One of the few.
#[derive(Clone, PartialEq)]
pub(crate) struct Segment<T> {
    /// What choosing it means.
    pub(crate) value: T,
    /// What it says.
    pub(crate) words: AttrValue,
    /// Its longer name for those who hear it.
    pub(crate) label: AttrValue,
    /// Its look.
    pub(crate) class: &'static str,
}

/// A choice called `label` of a few, side by side; `on_choose` is told which.
pub(crate) fn segmented<T: Copy + PartialEq + 'static>(
    label: &'static str,
    segments: &[Segment<T>],
    chosen: T,
    on_choose: &Callback<T>,
) -> Html {
    let button = |segment: &Segment<T>| {
        let value = segment.value;
        let pressed = value == chosen;
        html! {
            <button type="button" aria-pressed={pressed.to_string()} aria-label={segment.label.clone()}
                class={segment.class} onclick={on_choose.reform(move |_: MouseEvent| value)}>
                { segment.words.clone() }
            </button>
        }
    };
    html! {
        <div class="segmented" role="group" aria-label={label}>
            { for segments.iter().map(button) }
        </div>
    }
}
