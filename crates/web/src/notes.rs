//! What went wrong, where the reader sees it: notes about the link, setups that cannot run, workers that broke down.

use crate::dom::{classes, html, use_effect_with};
use crate::model::{Action, Model, RunState, Setup, Side, View};
use crate::part::{Glyph, has_focus, icon};
use crate::text::{Msg, fill, text};
use crate::url::{self, Note};
use std::ops::Range;
use std::rc::Rc;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// So many bytes around a fault are shown with it.
const AROUND: usize = 24;

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
    let field = use_node_ref();
    let failures: Vec<Html> = props
        .model
        .sides()
        .iter()
        .flat_map(|side| failed(*side, props))
        .collect();
    if props.model.notes.is_empty() && failures.is_empty() {
        return html! { <div class="notes"></div> };
    }
    let typed = props
        .model
        .setup
        .typed
        .clone()
        .filter(|_| !props.model.notes.is_empty());
    let several = props.model.notes.len() > 1;
    let all = {
        let (dispatch, count) = (props.dispatch.clone(), props.model.notes.len());
        move |_| (0..count).for_each(|_| dispatch.emit(Action::Dismiss(0)))
    };
    let context = Context {
        typed: typed.clone(),
        field: field.clone(),
        dispatch: props.dispatch.clone(),
    };
    html! {
        <section class="notes" aria-label={text(Msg::NotesLabel)}>
            <div class="noted">
                <div role="alert"><ul>
                    { for failures }
                    { for props.model.notes.iter().enumerate().map(|(i, note)| noted(i, note, &context)) }
                </ul></div>
                if let Some(text) = typed {
                    <TypedLink text={AttrValue::from(text)} {field} setup={props.model.setup.clone()}
                        dispatch={props.dispatch.clone()} />
                }
                if several {
                    <button type="button" class="button" onclick={all}>{ text(Msg::NoteDismissAll) }</button>
                }
            </div>
        </section>
    }
}

/// What all notes have in common.
struct Context {
    typed: Option<Rc<str>>,
    field: NodeRef,
    dispatch: Callback<Action>,
}

impl Context {
    /// The place of a fault with a little around it; a press selects it in the field.
    fn place(&self, at: &Range<usize>) -> Option<Html> {
        let typed = self.typed.as_deref()?;
        let found = typed.get(at.clone()).filter(|found| !found.is_empty())?;
        let from = typed.floor_char_boundary(at.start.saturating_sub(AROUND));
        let to = typed.floor_char_boundary(at.end + AROUND);
        let (before, after) = (typed.get(from..at.start)?, typed.get(at.end..to)?);
        let cut = |is: bool| if is { "\u{2026}" } else { "" };
        let units = |text: &str| text.encode_utf16().count() as u32;
        let start = units(typed.get(..at.start)?);
        let end = start + units(found);
        let field = self.field.clone();
        let onclick = move |_| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                let _ = field.focus();
                let _ = field.set_selection_range(start, end);
            }
        };
        Some(html! {
            <button type="button" class="button place" title={text(Msg::NotePlace)} {onclick}>
                <code>{ cut(from > 0) }{ before }<mark>{ found }</mark>{ after }{ cut(to < typed.len()) }</code>
            </button>
        })
    }
}

/// Properties of [`TypedLink`].
#[derive(Properties, PartialEq)]
struct TypedLinkProps {
    text: AttrValue,
    field: NodeRef,
    setup: Setup,
    dispatch: Callback<Action>,
}

/// The link as it was typed, to be mended.
#[component]
fn TypedLink(props: &TypedLinkProps) -> Html {
    let draft = use_state(|| None::<String>);
    {
        let (draft, field) = (draft.clone(), props.field.clone());
        use_effect_with(props.text.clone(), move |_| {
            if !has_focus(&field) {
                draft.set(None);
            }
        });
    }
    let oninput = {
        let draft = draft.setter();
        move |event: InputEvent| {
            draft.set(Some(
                event.target_unchecked_into::<HtmlTextAreaElement>().value(),
            ));
        }
    };
    let read = props
        .dispatch
        .reform(|text: String| Action::Typed(Box::new(url::read(&text))));
    let take = {
        let (draft, read) = (draft.clone(), read.clone());
        move || {
            if let Some(text) = &*draft {
                read.emit(url::escaped(text));
                draft.set(None);
            }
        }
    };
    let onkeydown = {
        let (draft, take) = (draft.setter(), take.clone());
        move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                take();
            }
            "Escape" => draft.set(None),
            _ => {}
        }
    };
    let keep = {
        let setup = props.setup.plain();
        read.reform(move |_: MouseEvent| url::shared(&setup, &View::default()))
    };
    let shown = draft
        .as_ref()
        .map_or_else(|| props.text.clone(), |d| d.clone().into());
    html! {
        <div class="copy">
            <label for="typed-link">{ text(Msg::NoteTyped) }</label>
            <textarea ref={props.field.clone()} id="typed-link" rows="1" autocomplete="off" spellcheck="false" value={shown}
                {oninput} {onkeydown} onblur={move |_| take()} />
            <button type="button" class="button" onclick={keep}>{ text(Msg::NoteKeep) }</button>
        </div>
    }
}

fn tag(side: Side) -> Html {
    let class = if side == Side::A { "side-a" } else { "side-b" };
    html! { <b class={classes!("tag", class)}>{ format!("{side:?}") }</b> }
}

fn noted(index: usize, note: &Note, context: &Context) -> Html {
    let dispatch = &context.dispatch;
    let fix = note.fix.as_ref().map(|(value, link)| {
        let link = link.clone();
        let onclick =
            dispatch.reform(move |_: MouseEvent| Action::Typed(Box::new(url::read(&link))));
        html! { <button type="button" class="button" {onclick}>{ fill(Msg::NoteFix, &[("value", value)]) }</button> }
    });
    let place = note.at.as_ref().and_then(|at| context.place(at));
    let dismiss = dispatch.reform(move |_: MouseEvent| Action::Dismiss(index));
    html! {
        <li>
            { for note.side.map(tag) }
            <span>{ &note.words }{ for place }{ for fix }</span>
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
