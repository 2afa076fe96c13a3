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
use crate::protocol::{Explained, PAGE, Partings, Search};
use crate::text::{Msg, fill, text};
use cite::Cited;
use std::rc::Rc;
use words::{Table, Told, tell};
use yew::prelude::*;

/// Told which differences are asked for, and which of them is shown then.
pub(crate) type OnPart = Callback<(Search, usize)>;

/// Properties of [`Why`].
#[derive(Properties, PartialEq)]
pub(crate) struct WhyProps {
    /// What the page knows.
    pub(crate) model: Rc<Model>,
    /// Told which differences are asked for.
    pub(crate) on_part: OnPart,
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
    let searching = matches!(model.divergence, Divergence::Searching(_));
    let from = |words: String, from_ns: u64| {
        let search = Search { from_ns, skip: 0 };
        let onclick = props.on_part.reform(move |_: MouseEvent| (search, 0));
        html! {
            <button type="button" class="button framed small" disabled={searching} {onclick}>{ words }</button>
        }
    };
    let later = model.place().map(|place| {
        let at = format::span(place.at_ns as f64).text();
        from(fill(Msg::WhyPartFrom, &[("at", &at)]), place.at_ns)
    });
    html! {
        <div class="parts-of">{ from(text(Msg::WhyPart).to_string(), 0) }{ for later }</div>
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
        Divergence::Searching(_) => text(Msg::WhySearching).to_string(),
        Divergence::In(all, at) => return Some(parted(all, *at, props)),
    };
    Some(html! { <p class="note">{ words }</p> })
}

/// How to the difference `by` places on.
enum Way {
    /// It is here.
    Here(usize),
    /// It is on another page, at that place.
    Page(Search, usize),
}

/// The way to the difference after, or before, the one at place `at`.
fn way(all: &Partings, at: usize, on: bool) -> Option<Way> {
    let Search { from_ns, skip } = all.search;
    let page = |skip| Search { from_ns, skip };
    if on {
        let next = at + 1;
        let after = page(skip + all.found.len() as u32);
        let here = (next < all.found.len()).then_some(Way::Here(next));
        return here.or_else(|| all.more.then_some(Way::Page(after, 0)));
    }
    match at.checked_sub(1) {
        Some(before) => Some(Way::Here(before)),
        // Pages are of one length: the one before ends where this begins.
        None => (skip > 0).then(|| Way::Page(page(skip.saturating_sub(PAGE)), PAGE as usize - 1)),
    }
}

/// One of the differences, with ways to the one before and the one after it.
fn parted(all: &Rc<Partings>, at: usize, props: &WhyProps) -> Html {
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
    let step = |key: Msg, on: bool| {
        let to = way(all, at, on);
        let disabled = to.is_none();
        let (dispatch, on_part) = (props.dispatch.clone(), props.on_part.clone());
        let onclick = move |_: MouseEvent| match to {
            Some(Way::Here(at)) => dispatch.emit(Action::Part(at)),
            Some(Way::Page(search, at)) => on_part.emit((search, at)),
            None => {}
        };
        html! {
            <button type="button" class="button framed small" {disabled} {onclick}>{ text(key) }</button>
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
            <p>{ words::parting(parting, all, at) }</p>
            <ul>{ line(Side::A, &parting.a) }{ line(Side::B, &parting.b) }</ul>
            <div class="row">{ step(Msg::WhyPartBack, false) }{ step(Msg::WhyPartNext, true) }</div>
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
