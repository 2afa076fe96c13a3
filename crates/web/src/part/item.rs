//! A line of the setup column: a switch, its name, a word about it, and the whole story when it is opened.

use crate::dom::{classes, html};
use crate::part::{Glyph, icon};
use crate::text::{Msg, fill};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Item`].
#[derive(Properties, PartialEq)]
pub(crate) struct ItemProps {
    /// Makes ids; unique on the page.
    pub(crate) id: AttrValue,
    /// The kernel's own name.
    pub(crate) name: AttrValue,
    /// A few words.
    pub(crate) what: AttrValue,
    /// On or off.
    pub(crate) on: bool,
    /// Does it differ from the release?
    pub(crate) changed: bool,
    /// Can it be switched at all?
    pub(crate) absent: bool,
    /// What it goes back to.
    pub(crate) default_words: AttrValue,
    /// Told when it is switched.
    pub(crate) on_switch: Callback<bool>,
    /// The whole story.
    pub(crate) children: Html,
}

/// A switch with its name and its story.
#[component]
pub(crate) fn Item(props: &ItemProps) -> Html {
    let open = use_state(|| false);
    let more = format!("{}-more", props.id);
    let toggle = {
        let open = open.clone();
        move |_| open.set(!*open)
    };
    let onchange = props
        .on_switch
        .reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let back = {
        let (on_switch, on) = (props.on_switch.clone(), props.on);
        Callback::from(move |()| on_switch.emit(!on))
    };
    html! {
        <li class={classes!("item", props.changed.then_some("changed"), props.absent.then_some("absent"))}>
            <div class="item-line">
                <span class="switch">
                    <input type="checkbox" role="switch" id={props.id.clone()} checked={props.on}
                        disabled={props.absent} aria-label={props.name.clone()} aria-describedby={more.clone()}
                        {onchange} />
                    <span></span>
                </span>
                <button type="button" class="item-toggle" aria-expanded={open.to_string()}
                    aria-controls={more.clone()} onclick={toggle}>
                    <span class="item-name">{ props.name.clone() }</span>
                    <span class="item-what">{ if *open { AttrValue::from("") } else { props.what.clone() } }</span>
                </button>
                if props.changed {
                    { undo_button(&props.name.clone(), &props.default_words.clone(), &back) }
                }
            </div>
            <div class="item-more" id={more} hidden={!*open}>{ props.children.clone() }</div>
        </li>
    }
}

/// A small button that takes the change of `name` back to `value`.
pub(crate) fn undo_button(name: &str, value: &str, on_undo: &Callback<()>) -> Html {
    let label = fill(Msg::ChangesUndo, &[("name", name)]);
    let title = fill(Msg::ChangesReset, &[("value", value)]);
    html! {
        <button type="button" class="undo" aria-label={label} title={title}
            onclick={on_undo.reform(|_: MouseEvent| ())}>
            { icon(Glyph::Reset) }
        </button>
    }
}
