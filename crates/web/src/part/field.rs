//! A field for one value: what is typed is read when it is left or Enter is pressed, and what is wrong is said below it.

use crate::dom::{html, use_effect_with};
use crate::typed::Typed;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Reads what was typed; tells whether a value was taken, and what is wrong.
pub(crate) type Reader = Rc<dyn Fn(&str) -> Typed<()>>;

/// Properties of [`Field`].
#[derive(Properties)]
pub(crate) struct FieldProps {
    /// Its id.
    pub(crate) id: AttrValue,
    /// Its name for those who hear it.
    pub(crate) label: AttrValue,
    /// The value in force, as it is written.
    pub(crate) value: AttrValue,
    /// Told what was typed.
    pub(crate) on_type: Reader,
    /// Told that the arrow keys ask for more (1) or less (−1).
    pub(crate) on_nudge: Option<Callback<i64>>,
}

impl PartialEq for FieldProps {
    /// The reader is made anew at every look; what it reads into is what `value` shows.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.label == other.label
            && self.value == other.value
            && Rc::ptr_eq(&self.on_type, &other.on_type)
    }
}

/// Is that what one writes into?
pub(crate) fn has_focus(field: &NodeRef) -> bool {
    let field = field.cast::<web_sys::Element>();
    field.is_some_and(|field| field.matches(":focus").unwrap_or(false))
}

/// A field for one value.
#[component]
pub(crate) fn Field(props: &FieldProps) -> Html {
    // What stands in the field while it differs from the value in force.
    let draft = use_state(|| None::<String>);
    let complaint = use_state(|| None::<String>);
    // Is the value about to change to the nearest of what was typed?
    let own = use_mut_ref(|| false);
    let input = use_node_ref();
    {
        // A value that changes elsewhere (undo, a link, a slider) puts an end to what was typed, unless it still is, and to
        // its complaint.
        let (draft, complaint, own) = (draft.clone(), complaint.clone(), Rc::clone(&own));
        let input = input.clone();
        use_effect_with(props.value.clone(), move |_| {
            if !has_focus(&input) {
                draft.set(None);
            }
            if !own.replace(false) {
                complaint.set(None);
            }
        });
    }
    let oninput = {
        let draft = draft.clone();
        move |event: InputEvent| {
            draft.set(Some(
                event.target_unchecked_into::<HtmlInputElement>().value(),
            ));
        }
    };
    let take = {
        let (draft, complaint, read) =
            (draft.clone(), complaint.clone(), Rc::clone(&props.on_type));
        move || {
            let Some(text) = (*draft).clone() else { return };
            let typed = read(&text);
            if typed.value.is_some() {
                draft.set(None);
                own.replace(typed.complaint.is_some());
            }
            complaint.set(typed.complaint);
        }
    };
    let onkeydown = {
        let (draft, complaint, take, nudge) = (
            draft.clone(),
            complaint.clone(),
            take.clone(),
            props.on_nudge.clone(),
        );
        move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => take(),
            "Escape" => {
                draft.set(None);
                complaint.set(None);
            }
            key @ ("ArrowUp" | "ArrowDown") => {
                event.prevent_default();
                draft.set(None);
                if let Some(nudge) = &nudge {
                    nudge.emit(if key == "ArrowUp" { 1 } else { -1 });
                }
            }
            _ => {}
        }
    };
    let shown = draft
        .as_ref()
        .map_or_else(|| props.value.clone(), |d| d.clone().into());
    let words_id = format!("{}-words", props.id);
    html! {
        <>
            <input ref={input} type="text" id={props.id.clone()} value={shown} aria-label={props.label.clone()}
                aria-invalid={complaint.is_some().then_some("true")}
                aria-describedby={complaint.is_some().then(|| words_id.clone())}
                autocomplete="off" spellcheck="false" {oninput} {onkeydown} onblur={move |_| take()} />
            if let Some(words) = &*complaint {
                <span class="complaint" id={words_id} role="alert">{ words }</span>
            }
        </>
    }
}
