//! Why: the decision at the cursor, in words, with every candidate and what was said of it.

mod cite;
mod idle;
mod pick;
#[cfg(test)]
mod tests;
mod words;

use crate::dom::{classes, html};
use crate::format;
use crate::model::{Action, Divergence, Model, Side, View};
use crate::part::{Glyph, icon};
use crate::protocol::{Explained, Partings};
use crate::text::{Msg, fill, text};
use cite::Cited;
use std::rc::Rc;
use words::{Table, Told, tell};
use yew::prelude::*;

/// Properties of [`Why`].
#[derive(Properties, PartialEq)]
pub(crate) struct WhyProps {
    /// What the page knows.
    pub(crate) model: Rc<Model>,
    /// Told that the first difference is asked for.
    pub(crate) on_part: Callback<()>,
    /// Told what happens.
    pub(crate) dispatch: Callback<Action>,
}

/// The panel.
#[component]
pub(crate) fn Why(props: &WhyProps) -> Html {
    let model = &props.model;
    let place = place(model);
    html! {
        <section class="card why" id="why" aria-labelledby="why-title" tabindex="-1">
            <div class="card-head">
                <h2 id="why-title">{ text(Msg::WhyTitle) }</h2>
                { for place.map(|place| html! { <span class="note">{ place }</span> }) }
                { part_button(props) }
                { close_button(props) }
            </div>
            { for parting(props) }
            { answer(model) }
        </section>
    }
}

/// What is explained: which decision, where, and when it was.
fn place(model: &Model) -> Option<String> {
    let place = model.moment()?.place;
    let told = model.inspected().and_then(|found| found.explained.clone());
    let (key, cpu, at_ns) = match told.as_deref() {
        Some(Explained {
            cpu,
            at_ns,
            decision,
        }) => (words::place_of(decision), *cpu, *at_ns),
        None => (Msg::WhyPlace, place.cpu, place.at_ns),
    };
    let at = format::exact_span(at_ns as i64).text();
    let side = format!("{:?}", place.side);
    let values = [("side", &*side), ("cpu", &*cpu.to_string()), ("at", &at)];
    Some(fill(key, &values))
}

/// Leads to where the two runs part.
fn part_button(props: &WhyProps) -> Html {
    let model = &props.model;
    if model.setup.b.is_none() {
        return Html::default();
    }
    let searching = model.divergence == Divergence::Searching;
    let onclick = props.on_part.reform(|_: MouseEvent| ());
    html! {
        <button type="button" class="button framed small" disabled={searching} {onclick}>{ text(Msg::WhyPart) }</button>
    }
}

/// Puts the panel away where it lies over the foot of a narrow page: nothing is asked any more.
fn close_button(props: &WhyProps) -> Html {
    let view = props.model.view;
    let onclick = props.dispatch.reform(move |_: MouseEvent| {
        Action::Look(View {
            cursor: None,
            asked: None,
            ..view
        })
    });
    html! {
        <button type="button" class="picture-button why-close" aria-label={text(Msg::WhyClose)} {onclick}>{ icon(Glyph::Close) }</button>
    }
}

/// What is known of where they part.
fn parting(props: &WhyProps) -> Option<Html> {
    let words = match &props.model.divergence {
        Divergence::Unknown => return None,
        Divergence::Searching => text(Msg::WhySearching).to_string(),
        Divergence::In(all, at) => return Some(parted(all, *at, &props.dispatch)),
    };
    Some(html! { <p class="note">{ words }</p> })
}

/// One of the differences, with ways to the one before and the one after it.
fn parted(all: &Rc<Partings>, at: usize, dispatch: &Callback<Action>) -> Html {
    let only = [("A", "B", &all.only_a), ("B", "A", &all.only_b)];
    let only = only.into_iter().filter_map(|(side, other, only)| {
        let (task, n) = only.as_ref()?;
        let values = [
            ("side", side),
            ("other", other),
            ("task", task),
            ("n", &n.to_string()),
        ];
        Some(html! { <p>{ fill(Msg::WhyOnly, &values) }</p> })
    });
    let Some(parting) = all.found.get(at) else {
        return html! { <div class="parting">{ for only }<p>{ text(Msg::WhyNowhere) }</p></div> };
    };
    let count = all.found.len();
    let step = |key: Msg, to: Option<usize>| {
        let to = to.filter(|to| *to < count);
        let onclick = dispatch.reform(move |_: MouseEvent| Action::Part(to.unwrap_or(at)));
        html! {
            <button type="button" class="button framed small" disabled={to.is_none()} {onclick}>{ text(key) }</button>
        }
    };
    let line = |side: Side, explained: &Option<Explained>| {
        let class = if side == Side::A { "side-a" } else { "side-b" };
        let words = explained
            .as_ref()
            .map_or_else(|| text(Msg::WhyOver).to_string(), words::in_short);
        html! { <li><b class={classes!("tag", class)}>{ format!("{side:?}") }</b><span>{ words }</span></li> }
    };
    html! {
        <div class="parting">
            { for only }
            <p>{ words::parting(parting, at, count) }</p>
            <ul>{ line(Side::A, &parting.a) }{ line(Side::B, &parting.b) }</ul>
            <div class="row">{ step(Msg::WhyPartBack, at.checked_sub(1)) }{ step(Msg::WhyPartNext, Some(at + 1)) }</div>
        </div>
    }
}

fn answer(model: &Model) -> Html {
    let found = model.inspected();
    if let Some(explained) = found.and_then(|found| found.explained.as_ref()) {
        let side = model.moment().map_or(Side::A, |m| m.place.side);
        return told(&tell(explained, model.setup.config(side)));
    }
    let words = match (model.place(), model.asked()) {
        (None, _) | (_, None) => Msg::WhyHint,
        _ if model.is_ahead() => Msg::MomentAhead,
        _ if found.is_some_and(|found| found.answered) => Msg::WhyUnknown,
        _ => Msg::WhyAsking,
    };
    html! { <p class="note">{ text(words) }</p> }
}

fn told(told: &Told) -> Html {
    let sentence = |s: &String| html! { <p class="why-lead">{ s }</p> };
    let cited = |c: &Cited| {
        html! { <p class="note">{ &c.words }{ " " }<code>{ &c.source }</code></p> }
    };
    html! {
        <>
            { for told.sentences.iter().map(sentence) }
            { for told.tables.iter().map(table) }
            { for told.cited.iter().map(cited) }
        </>
    }
}

fn table(table: &Table) -> Html {
    let head = |(i, name): (usize, &&'static str)| {
        let class = table.is_number(i).then_some("num");
        html! { <th scope="col" {class}>{ *name }</th> }
    };
    let cell = |(i, cell): (usize, &String), role: &str| {
        let class = table.is_number(i).then_some("num");
        if i == 0 {
            html! { <th scope="row">{ cell }{ " " }<small>{ role }</small></th> }
        } else {
            html! { <td {class}>{ cell }</td> }
        }
    };
    html! {
        <div class="table-scroll" tabindex="0" role="region" aria-label={table.caption.clone()}>
            <table class="data">
                <caption>{ &table.caption }</caption>
                <thead><tr>{ for table.head.iter().enumerate().map(head) }</tr></thead>
                <tbody>
                    { for table.rows.iter().map(|row| html! {
                        <tr class={row.chosen.then_some("chosen")}>{ for row.cells.iter().enumerate().map(|at| cell(at, &row.role)) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
