//! What runs: a mix of workloads, each with its parameters.

use super::{BlockProps, block_head};
use crate::format;
use crate::model::Change;
use crate::part::{Field, Glyph, Reader, icon, undo_button};
use crate::text::{Msg, fill, text};
use crate::typed::{self, Typed};
use schedlab_engine::config::text::param_text;
use schedlab_engine::config::{LIMITS, WorkloadSpec};
use schedlab_engine::workload::{ParamInfo, ParamUnit, WorkloadKind};
use std::rc::Rc;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The mix.
#[component]
pub(super) fn LoadBlock(props: &BlockProps) -> Html {
    let loads = &props.config.workloads;
    let add = props.on_change.reform(|_: MouseEvent| {
        Change::shared(|c| c.workloads.push(WorkloadSpec::new(WorkloadKind::Hogs)))
    });
    let line = |(index, spec): (usize, &WorkloadSpec)| {
        html! { <Load key={index} {index} spec={spec.clone()} on_change={props.on_change.clone()} /> }
    };
    html! {
        <section class="block">
            { block_head(Msg::LoadTitle, 0, Html::default()) }
            if loads.is_empty() && props.config.script.is_empty() {
                <p class="note warn">{ text(Msg::LoadNone) }</p>
            }
            { for loads.iter().enumerate().map(line) }
            <button type="button" class="button framed wide" disabled={loads.len() >= LIMITS.workloads} onclick={add}>
                { icon(Glyph::Add) }{ text(Msg::LoadAdd) }
            </button>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct LoadProps {
    index: usize,
    spec: WorkloadSpec,
    on_change: Callback<Change>,
}

/// One workload of the mix.
#[component]
fn Load(props: &LoadProps) -> Html {
    let (index, kind) = (props.index, props.spec.kind);
    let onchange = props.on_change.reform(move |event: Event| {
        let name = event.target_unchecked_into::<HtmlSelectElement>().value();
        Change::shared(move |c| {
            if let (Some(slot), Some(kind)) =
                (c.workloads.get_mut(index), WorkloadKind::by_name(&name))
            {
                *slot = WorkloadSpec::new(kind);
            }
        })
    });
    let remove = props.on_change.reform(move |_: MouseEvent| {
        Change::shared(move |c| {
            if index < c.workloads.len() {
                c.workloads.remove(index);
            }
        })
    });
    let option = |k: &WorkloadKind| html! { <option value={k.name()} selected={*k == kind}>{ k.name() }</option> };
    let place = (index + 1).to_string();
    html! {
        <div class="load">
            <div class="load-head">
                <select class="pick" aria-label={fill(Msg::LoadPick, &[("n", &place)])} {onchange}>
                    { for WorkloadKind::ALL.iter().map(option) }
                </select>
                <button type="button" class="undo" aria-label={fill(Msg::LoadRemove, &[("name", kind.name())])}
                    onclick={remove}>{ icon(Glyph::Close) }</button>
            </div>
            <p class="pick-note">{ kind.what() }{ " " }<b>{ size(&props.spec) }</b></p>
            { for kind.params().iter().enumerate().map(|(at, param)| html! {
                <Param key={param.name} load={index} {kind} {at} value={props.spec.values.get(at).copied().unwrap_or(param.default)}
                    on_change={props.on_change.clone()} />
            }) }
        </div>
    }
}

/// How many tasks, and how many messages where that is known.
fn size(spec: &WorkloadSpec) -> String {
    let tasks = fill(
        Msg::LoadTasks,
        &[("n", &format::whole(spec.kind.tasks(&spec.values) as f64))],
    );
    let get = |name| spec.get(name).unwrap_or(0) as f64;
    match spec.kind {
        WorkloadKind::Hackbench => {
            let messages = get("groups") * get("fan") * get("fan") * get("loops");
            format!(
                "{tasks}, {}",
                fill(Msg::LoadMessages, &[("n", &format::whole(messages))])
            )
        }
        _ => tasks,
    }
}

#[derive(Properties, PartialEq)]
struct ParamProps {
    load: usize,
    kind: WorkloadKind,
    at: usize,
    value: i64,
    on_change: Callback<Change>,
}

fn set(load: usize, at: usize, value: i64) -> Change {
    Change::shared(move |c| {
        if let Some(slot) = c.workloads.get_mut(load).and_then(|w| w.values.get_mut(at)) {
            *slot = value;
        }
    })
}

/// One parameter of a workload.
#[component]
fn Param(props: &ParamProps) -> Html {
    let (load, at) = (props.load, props.at);
    let Some(param) = props.kind.params().get(at) else {
        return Html::default();
    };
    let changed = props.value != param.default;
    let id = format!("load-{load}-{}", param.name);
    let back = {
        let (on_change, default) = (props.on_change.clone(), param.default);
        Callback::from(move |()| on_change.emit(set(load, at, default)))
    };
    html! {
        <div class={classes!("param", changed.then_some("changed"))}>
            <label for={id.clone()} title={param.what}>{ param.name }<small>{ param.what }</small></label>
            if changed {
                { undo_button(param.name, &param_text(param, param.default), &back) }
            }
            if param.unit == ParamUnit::Choice {
                { choice(props, param, id) }
            } else {
                { number(props, param, id) }
            }
        </div>
    }
}

fn choice(props: &ParamProps, param: &'static ParamInfo, id: String) -> Html {
    let (load, at) = (props.load, props.at);
    let onchange = props.on_change.reform(move |event: Event| {
        let chosen = event
            .target_unchecked_into::<HtmlSelectElement>()
            .selected_index();
        set(load, at, i64::from(chosen))
    });
    let option = |(i, word): (usize, &&'static str)| {
        html! { <option value={i.to_string()} selected={i as i64 == props.value}>{ word }</option> }
    };
    html! { <select class="pick" {id} {onchange}>{ for param.choices.iter().enumerate().map(option) }</select> }
}

fn number(props: &ParamProps, param: &'static ParamInfo, id: String) -> Html {
    let (load, at, kind, value) = (props.load, props.at, props.kind, props.value);
    let on_type: Reader = {
        let on_change = props.on_change.clone();
        Rc::new(move |text: &str| {
            let Typed { value, complaint } = typed::param(kind, at, text);
            Typed {
                value: value.map(|value| on_change.emit(set(load, at, value))),
                complaint,
            }
        })
    };
    let on_nudge = props
        .on_change
        .reform(move |by: i64| set(load, at, nudged(param, value, by)).nudge(param.name));
    html! { <Field {id} label={format!("{} {}", kind.name(), param.name)} value={param_text(param, value)} {on_type} {on_nudge} /> }
}

/// The next value up or down: counts by one, times by doubling.
fn nudged(param: &ParamInfo, value: i64, by: i64) -> i64 {
    let next = match (param.unit, by > 0) {
        (ParamUnit::Time | ParamUnit::KiB, true) => value.saturating_mul(2).max(1),
        (ParamUnit::Time | ParamUnit::KiB, false) => value / 2,
        _ => value.saturating_add(by),
    };
    next.clamp(param.min, param.max)
}
