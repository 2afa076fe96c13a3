//! The column itself: whose configuration is edited, a search over all of it, and the blocks.

use super::domains::DomainsBlock;
use super::features::FeaturesBlock;
use super::kernel::KernelBlock;
use super::knobs::KnobsBlock;
use super::load::LoadBlock;
use super::machine::MachineBlock;
use super::run::RunBlock;
use super::{BlockProps, changes, lower_case};
use crate::dom::{classes, html};
use crate::model::{Action, Change, Setup, Side};
use crate::part::{Glyph, Segment, icon, segmented};
use crate::text::{Msg, fill, text};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Column`].
#[derive(Properties, PartialEq)]
pub(crate) struct ColumnProps {
    /// What is simulated.
    pub(crate) setup: Setup,
    /// Which side is edited.
    pub(crate) editing: Side,
    /// Do shared settings change on both sides?
    pub(crate) linked: bool,
    /// Told what happens.
    pub(crate) dispatch: Callback<Action>,
    /// Told that the list of changes is asked for.
    pub(crate) on_list: Callback<()>,
    /// Told to close (on narrow screens).
    pub(crate) on_close: Callback<()>,
    /// Where the search field is, for the key that leads there.
    pub(crate) search: NodeRef,
}

/// The setup column.
#[component]
pub(crate) fn Column(props: &ColumnProps) -> Html {
    let query = use_state(String::new);
    let config = props.setup.config(props.editing);
    let on_change = {
        let (setup, side, linked) = (props.setup.clone(), props.editing, props.linked);
        props.dispatch.reform(move |change: Change| Action::Edit {
            setup: setup.changed(side, &change, linked),
            merge: change.merge,
        })
    };
    let on_settle = props.dispatch.reform(|()| Action::Settle);
    let searching = !query.is_empty();
    let query_words = AttrValue::from(lower_case(&query));
    let block = || BlockProps {
        config: Rc::clone(config),
        query: query_words.clone(),
        on_change: on_change.clone(),
        on_settle: on_settle.clone(),
    };
    html! {
        <>
            <div class="setup-head">
                { sides(props) }
                { search(&query, &props.search) }
                <div class="row">
                    { tally(props) }
                    <button type="button" class="button icon only-narrow" aria-label={text(Msg::SetupClose)}
                        onclick={props.on_close.reform(|_: MouseEvent| ())}>{ icon(Glyph::Close) }</button>
                </div>
            </div>
            if !searching {
                <MachineBlock ..block() />
            }
            <KernelBlock ..block() />
            <KnobsBlock ..block() />
            <FeaturesBlock ..block() />
            <DomainsBlock ..block() />
            if !searching {
                <LoadBlock ..block() />
                <RunBlock ..block() />
            }
        </>
    }
}

/// Which side is edited, if there are two.
fn sides(props: &ColumnProps) -> Html {
    if props.setup.b.is_none() {
        return Html::default();
    }
    let segment = |side: Side| {
        let kernel = props.setup.config(side).kernel.name;
        let words = fill(
            Msg::SetupSide,
            &[("side", &format!("{side:?}")), ("kernel", kernel)],
        );
        let class = if side == Side::A { "side-a" } else { "side-b" };
        Segment {
            value: side,
            words: words.clone().into(),
            label: words.into(),
            class,
        }
    };
    let on_choose = props.dispatch.reform(Action::EditSide);
    let link = {
        let (dispatch, linked) = (props.dispatch.clone(), props.linked);
        move |_| dispatch.emit(Action::LinkSides(!linked))
    };
    let glyph = if props.linked {
        Glyph::Link
    } else {
        Glyph::Unlinked
    };
    html! {
        <div class="row">
            { segmented(text(Msg::SetupEdits), &[segment(Side::A), segment(Side::B)], props.editing, &on_choose) }
            <button type="button" class="button icon framed" aria-pressed={props.linked.to_string()}
                aria-label={text(Msg::SetupLink)} title={text(Msg::SetupLink)} onclick={link}>{ icon(glyph) }</button>
        </div>
    }
}

fn search(query: &UseStateHandle<String>, node: &NodeRef) -> Html {
    let oninput = {
        let query = query.clone();
        move |event: InputEvent| {
            query.set(event.target_unchecked_into::<HtmlInputElement>().value());
        }
    };
    let onkeydown = {
        let query = query.clone();
        move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                query.set(String::new());
                let _ = event.target_unchecked_into::<HtmlInputElement>().blur();
            }
        }
    };
    html! {
        <label class="search">
            <span class="sr-only">{ text(Msg::SetupSearch) }</span>
            <input ref={node.clone()} id="setup-search" type="search" value={(**query).clone()} autocomplete="off"
                spellcheck="false" placeholder={text(Msg::SetupSearch)} {oninput} {onkeydown} />
            { icon(Glyph::Search) }
            <kbd aria-hidden="true">{ "/" }</kbd>
        </label>
    }
}

/// How many changes there are; a press lists them.
fn tally(props: &ColumnProps) -> Html {
    let count = changes::changed(props.setup.config(props.editing)).len();
    let mut words = match count {
        0 => text(Msg::ChangesNone).to_string(),
        n => fill(Msg::ChangesCount, &[("n", &n.to_string())]),
    };
    if let Some(b) = &props.setup.b {
        let parts = changes::differences(&props.setup.a, b);
        let parts: Vec<&str> = parts.iter().map(|d| d.part).collect();
        let of_b = match parts.as_slice() {
            [] => text(Msg::DifferencesCopy).to_string(),
            _ => fill(Msg::DifferencesIn, &[("parts", &parts.join(", "))]),
        };
        words = format!("{words} · {of_b}");
    }
    html! {
        <button type="button" class={classes!("tally", (count > 0).then_some("changed"))}
            onclick={props.on_list.reform(|_: MouseEvent| ())}>{ words }</button>
    }
}
