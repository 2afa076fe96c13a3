//! A choice of a few, side by side.

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

/// Properties of [`Segmented`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props<T: Clone + PartialEq + 'static> {
    /// What the choice is about.
    pub(crate) label: AttrValue,
    /// The few.
    pub(crate) segments: Vec<Segment<T>>,
    /// The one chosen.
    pub(crate) chosen: T,
    /// Told what is chosen.
    pub(crate) on_choose: Callback<T>,
}

/// A choice of a few, side by side.
#[component]
pub(crate) fn Segmented<T: Clone + PartialEq + 'static>(props: &Props<T>) -> Html {
    let button = |segment: &Segment<T>| {
        let on_choose = props.on_choose.clone();
        let value = segment.value.clone();
        let pressed = segment.value == props.chosen;
        html! {
            <button type="button" aria-pressed={pressed.to_string()} aria-label={segment.label.clone()}
                class={segment.class} onclick={move |_| on_choose.emit(value.clone())}>
                { segment.words.clone() }
            </button>
        }
    };
    html! {
        <div class="segmented" role="group" aria-label={props.label.clone()}>
            { for props.segments.iter().map(button) }
        </div>
    }
}
