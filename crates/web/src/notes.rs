//! What went wrong, where the reader sees it: notes about the link, setups that cannot run, workers that broke down.

use crate::dom::{classes, html};
use crate::model::{Action, Model, RunState, Side};
use crate::part::{Glyph, icon};
use crate::text::{Msg, fill, text};
use crate::url::Note;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`Notes`].
#[derive(Properties, PartialEq)]
pub(crate) struct NotesProps {
    /// What the page knows.
    pub(crate) model: Rc<Model>,
    /// The address of this experiment.
    pub(crate) link: AttrValue,
    /// Told what happens.
    pub(crate) dispatch: Callback<Action>,
    /// Told that a broken side is to be tried again.
    pub(crate) on_retry: Callback<Side>,
}

/// Everything that went wrong.
#[component]
pub(crate) fn Notes(props: &NotesProps) -> Html {
    let failures: Vec<Html> = props
        .model
        .sides()
        .iter()
        .flat_map(|side| failed(*side, props))
        .collect();
    if props.model.notes.is_empty() && failures.is_empty() {
        return html! { <div class="notes"></div> };
    }
    let several = props.model.notes.len() > 1;
    let all = {
        let (dispatch, count) = (props.dispatch.clone(), props.model.notes.len());
        move |_| (0..count).for_each(|_| dispatch.emit(Action::Dismiss(0)))
    };
    html! {
        <section class="notes" aria-label={text(Msg::NotesLabel)}>
            <div role="alert"><ul class="noted">
                { for failures }
                { for props.model.notes.iter().enumerate().map(|(i, note)| noted(i, note, &props.dispatch)) }
                if several {
                    <li><span></span><button type="button" class="button" onclick={all}>{ text(Msg::NoteDismissAll) }</button></li>
                }
            </ul></div>
        </section>
    }
}

fn tag(side: Side) -> Html {
    let class = if side == Side::A { "side-a" } else { "side-b" };
    html! { <b class={classes!("tag", class)}>{ format!("{side:?}") }</b> }
}

fn noted(index: usize, note: &Note, dispatch: &Callback<Action>) -> Html {
    let fix = note.fix.as_ref().map(|(value, setup)| {
        let (dispatch, setup) = (dispatch.clone(), setup.clone());
        let onclick = move |_| {
            dispatch.emit(Action::Edit { setup: setup.clone(), merge: None });
            dispatch.emit(Action::Dismiss(index));
        };
        html! { <button type="button" class="button" {onclick}>{ fill(Msg::NoteFix, &[("value", value)]) }</button> }
    });
    let dismiss = dispatch.reform(move |_: MouseEvent| Action::Dismiss(index));
    html! {
        <li>
            { for note.side.map(tag) }
            <span>{ &note.words }{ for fix }</span>
            <button type="button" class="button icon" aria-label={text(Msg::NoteDismiss)} onclick={dismiss}>
                { icon(Glyph::Close) }
            </button>
        </li>
    }
}

fn failed(side: Side, props: &NotesProps) -> Vec<Html> {
    let name = format!("{side:?}");
    let run = props.model.run(side);
    if run.outdated {
        return Vec::new();
    }
    match &run.state {
        RunState::Rejected(problems) => {
            let words = |p: &String| fill(Msg::NoteRejected, &[("side", &name), ("problem", p)]);
            problems
                .iter()
                .map(|p| html! { <li>{ tag(side) }<span>{ words(p) }</span></li> })
                .collect()
        }
        RunState::Broken(words) => {
            let words = fill(
                Msg::NoteBroken,
                &[("side", &name), ("words", words), ("link", &props.link)],
            );
            let retry = props.on_retry.reform(move |_: MouseEvent| side);
            vec![html! {
                <li>{ tag(side) }<span>{ words }
                    <button type="button" class="button" onclick={retry}>{ text(Msg::NoteRetry) }</button></span></li>
            }]
        }
        _ => Vec::new(),
    }
}
