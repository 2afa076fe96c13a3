//! Which machine: a choice, a word about it, a small map, and how sure each fact is.

use super::map::Map;
use super::{BlockProps, block_head};
use crate::dom::html;
use crate::model::Change;
use crate::text::{Msg, text};
use schedlab_engine::machine::Machine;
use schedlab_engine::machine::catalog::{CATALOG, Mark};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The machine.
#[component]
pub(super) fn MachineBlock(props: &BlockProps) -> Html {
    let machine = props.config.machine;
    let onchange = props.on_change.reform(|event: Event| {
        let name = event.target_unchecked_into::<HtmlSelectElement>().value();
        Change::shared(move |c| {
            if let Some(machine) = Machine::by_name(&name) {
                c.set_machine(machine);
            }
        })
    });
    let option = |m: &'static Machine| {
        html! { <option value={m.name.as_ref()} selected={m.name == machine.name}>{ m.name.as_ref() }</option> }
    };
    html! {
        <section class="block">
            { block_head(Msg::MachineTitle, 0, Html::default()) }
            <select class="pick" aria-label={text(Msg::MachinePick)} {onchange}>
                { for CATALOG.iter().map(option) }
            </select>
            <p class="pick-note">{ machine.title.as_ref() }</p>
            <Map {machine} />
            <details class="fold">
                <summary>{ text(Msg::MachineFacts) }</summary>
                <ul class="facts">{ for machine.facts.iter().map(|fact| html! {
                    <li><span class="mark">{ mark(fact.mark) }</span>{ fact.what }<small>{ fact.source }</small></li>
                }) }</ul>
            </details>
        </section>
    }
}

fn mark(mark: Mark) -> &'static str {
    text(match mark {
        Mark::Known => Msg::MarkKnown,
        Mark::Derived => Msg::MarkDerived,
        Mark::Chosen => Msg::MarkChosen,
    })
}
