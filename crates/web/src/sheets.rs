//! The sheets that open over the page: share, keys, changes.

use crate::address;
use crate::dom::html;
use crate::keyboard::{BINDINGS, LANE_BINDINGS, OWN_KEYS};
use crate::model::{Action, Setup, Side};
use crate::panel::changes::{self, Changed};
use crate::part::{CopyBox, Sheet, undo_button};
use crate::text::{Msg, fill, text};
use crate::url;
use yew::prelude::*;

/// Which sheet is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// Links and commands to take along.
    Share,
    /// All keys.
    Keys,
    /// What is changed, to be undone one by one.
    Changes,
}

/// Properties of the sheets.
#[derive(Properties, PartialEq)]
pub(crate) struct SheetsProps {
    /// Which one.
    pub(crate) open: Open,
    /// What is simulated.
    pub(crate) setup: Setup,
    /// The link of what is shown, without its `#`.
    pub(crate) link: AttrValue,
    /// The hashes of the runs that are over.
    pub(crate) hashes: Vec<(Side, String)>,
    /// Which side is edited.
    pub(crate) editing: Side,
    /// Do shared settings change on both sides?
    pub(crate) linked: bool,
    /// Told what happens.
    pub(crate) dispatch: Callback<Action>,
    /// Told to close.
    pub(crate) on_close: Callback<()>,
}

/// The open sheet.
#[component]
pub(crate) fn Sheets(props: &SheetsProps) -> Html {
    let (title, body) = match props.open {
        Open::Share => (text(Msg::ShareTitle).to_string(), share(props)),
        Open::Keys => (text(Msg::KeysTitle).to_string(), keys()),
        Open::Changes => {
            let side = format!("{:?}", props.editing);
            (fill(Msg::ChangesTitle, &[("side", &side)]), list(props))
        }
    };
    html! { <Sheet {title} on_close={props.on_close.clone()}>{ body }</Sheet> }
}

fn share(props: &SheetsProps) -> Html {
    let link = address::whole(&props.link);
    let length = fill(
        Msg::ShareLength,
        &[("n", &link.chars().count().to_string())],
    );
    html! {
        <>
            <CopyBox id="share-link" label={text(Msg::ShareLink)} value={link} />
            <p class="note">{ length }</p>
            <CopyBox id="share-command" label={text(Msg::ShareCommand)} value={url::command(&props.setup)} />
            { hashes(&props.hashes) }
        </>
    }
}

/// What comes out, in a word that can be compared by eye.
fn hashes(hashes: &[(Side, String)]) -> Html {
    if hashes.is_empty() {
        return Html::default();
    }
    let line = |(side, hash): &(Side, String)| {
        let label = fill(Msg::ShareHash, &[("side", &format!("{side:?}"))]);
        html! { <><dt>{ label }</dt><dd><code>{ hash }</code></dd></> }
    };
    html! {
        <>
            <dl class="hashes">{ for hashes.iter().map(line) }</dl>
            <p class="note">{ text(Msg::ShareHashes) }</p>
        </>
    }
}

fn keys() -> Html {
    let row = |(shown, words): (&[&'static str], Msg)| {
        html! {
            <>
                <dt>{ for shown.iter().map(|key| html! { <kbd>{ *key }</kbd> }) }</dt>
                <dd>{ text(words) }</dd>
            </>
        }
    };
    html! {
        <>
            <p>{ text(Msg::HelpAbout) }</p>
            <dl class="keys">{ for BINDINGS.iter().map(|b| row((b.shown, b.words))) }</dl>
            <h3>{ text(Msg::KeysLane) }</h3>
            <dl class="keys">{ for LANE_BINDINGS.iter().map(|b| row((b.2, b.4))) }</dl>
            <h3>{ text(Msg::KeysOwn) }</h3>
            <dl class="keys">{ for OWN_KEYS.iter().map(|b| row(*b)) }</dl>
        </>
    }
}

fn list(props: &SheetsProps) -> Html {
    let config = props.setup.config(props.editing);
    let changed = changes::changed(config);
    html! {
        <>
            if changed.is_empty() {
                <p class="note">{ text(Msg::ChangesNone) }</p>
            }
            <ul class="change-list">{ for changed.iter().map(|c| line(c, props)) }</ul>
            if changed.len() > 1 {
                <button type="button" class="button framed" onclick={undo_all(props)}>{ text(Msg::ChangesUndoAll) }</button>
            }
            if let Some(b) = &props.setup.b {
                <h3>{ text(Msg::DifferencesTitle) }</h3>
                { differences(&changes::differences(&props.setup.a, b)) }
            }
        </>
    }
}

fn line(changed: &Changed, props: &SheetsProps) -> Html {
    let undo = {
        let (dispatch, setup, change) = (
            props.dispatch.clone(),
            props.setup.clone(),
            changed.undo.clone(),
        );
        let (side, linked) = (props.editing, props.linked);
        Callback::from(move |()| {
            dispatch.emit(Action::Edit {
                setup: setup.changed(side, &change, linked),
                merge: None,
            });
        })
    };
    let from_to = fill(
        Msg::ChangesFromTo,
        &[("from", &changed.from), ("to", &changed.to)],
    );
    html! {
        <li key={changed.name.clone()}>
            <span class="item-name">{ &changed.name }</span>
            <span class="from-to">{ from_to }</span>
            { undo_button(&changed.name.clone(), &changed.from.clone(), &undo) }
        </li>
    }
}

fn undo_all(props: &SheetsProps) -> Callback<MouseEvent> {
    let (setup, side, linked) = (props.setup.clone(), props.editing, props.linked);
    props.dispatch.reform(move |_| {
        let mut setup = setup.clone();
        // A commit that goes may take features with it, so the list is made anew each time.
        while let Some(first) = changes::changed(setup.config(side)).first() {
            setup = setup.changed(side, &first.undo, linked);
        }
        Action::Edit { setup, merge: None }
    })
}

fn differences(list: &[changes::Difference]) -> Html {
    if list.is_empty() {
        return html! { <p class="note">{ text(Msg::DifferencesNone) }</p> };
    }
    let row = |d: &changes::Difference| {
        html! { <tr><th scope="row">{ d.part }</th><td>{ &d.in_a }</td><td>{ &d.in_b }</td></tr> }
    };
    html! {
        <div class="table-scroll">
            <table class="data">
                <thead><tr><td></td><th scope="col" class="side-a">{ "A" }</th><th scope="col" class="side-b">{ "B" }</th></tr></thead>
                <tbody>{ for list.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
