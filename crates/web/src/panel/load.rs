//! What runs: a mix of workloads, each with its parameters.

use super::{BlockProps, block_head};
use crate::dom::{classes, html};
use crate::format;
use crate::model::{Change, offered};
use crate::part::{Field, Glyph, Reader, icon, undo_button};
use crate::text::{Msg, fill, text};
use crate::typed::{self, Typed};
use schedlab_engine::config::text::param_text;
use schedlab_engine::config::{Config, GroupSpec, LIMITS, Quota, WorkloadSpec};
use schedlab_engine::fragment::Fault;
use schedlab_engine::machine::Machine;
use schedlab_engine::workload::{ParamInfo, ParamUnit, WorkloadKind};
use std::rc::Rc;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The mix.
#[component]
pub(super) fn LoadBlock(props: &BlockProps) -> Html {
    let loads = &props.config.workloads;
    let add = props
        .on_change
        .reform(|_: MouseEvent| Change::shared(|c| c.workloads.push(offered(WorkloadKind::Hogs))));
    let line = |(index, spec): (usize, &WorkloadSpec)| {
        html! { <Load key={index.to_string()} machine={props.config.machine} {index} spec={spec.clone()} on_change={props.on_change.clone()} /> }
    };
    html! {
        <section class="block">
            { block_head(Msg::LoadTitle, 0, Html::default()) }
            if loads.is_empty() && props.config.script.is_empty() {
                <p class="note warn">{ text(Msg::LoadNone) }</p>
            }
            if props.config.slices_go_unheard() {
                <p class="note warn">{ unheard(props.config.kernel.name) }</p>
            }
            { for loads.iter().enumerate().map(line) }
            { written(&props.config) }
            { hint() }
            <button type="button" class="button framed wide" disabled={loads.len() >= LIMITS.workloads} onclick={add}>
                { icon(Glyph::Add) }{ text(Msg::LoadAdd) }
            </button>
        </section>
    }
}

/// What becomes of the slices that tasks ask for where the kernel gives its own.
fn unheard(kernel: &'static str) -> String {
    let fault = Fault::Unheard { kernel };
    fill(Msg::LoadSlice, &[("fault", &fault.to_string())])
}

/// What is there in the workload language, to be read: groups with what they may use, and tasks.
fn written(config: &Config) -> Html {
    let group = |group: &GroupSpec| html! { <li><span class="mark">{ &group.name }</span>{ share(group) }</li> };
    let tasks = config.script.tasks();
    html! {
        <>
            if !config.groups.is_empty() {
                <h3>{ text(Msg::LoadGroups) }</h3>
                <ul class="facts">{ for config.groups.iter().map(group) }</ul>
            }
            if tasks > 0 {
                <h3>{ fill(Msg::LoadTasks, &[("n", &format::whole(tasks.into()))]) }</h3>
                <pre class="script">{ config.script.pretty() }</pre>
            }
        </>
    }
}

/// How what has no control of its own is written.
fn hint() -> Html {
    html! {
        <details class="fold">
            <summary>{ text(Msg::LoadHint) }</summary>
            <p class="note">{ text(Msg::LoadHintHow) }</p>
            <pre class="script">{ text(Msg::LoadHintExample) }</pre>
            <p class="note">{ text(Msg::LoadHintMore) }</p>
        </details>
    }
}

/// In what a group is, and what share of it it gets.
fn share(group: &GroupSpec) -> String {
    let mut words = Vec::new();
    if let Some(parent) = &group.parent {
        words.push(fill(Msg::LoadIn, &[("group", parent)]));
    }
    let (words_of, n) = match group.weight() {
        Some(weight) => (Msg::GroupWeight, weight),
        None => (Msg::GroupShares, group.shares),
    };
    words.push(fill(words_of, &[("n", &n.to_string())]));
    if let Some(Quota {
        quota,
        period,
        burst,
    }) = group.quota
    {
        let (quota, period) = (quota.to_string(), period.to_string());
        let values = [("quota", quota.as_str()), ("period", &period)];
        words.push(fill(Msg::GroupQuota, &values));
        if burst.0 > 0 {
            words.push(fill(Msg::GroupBurst, &[("burst", &burst.to_string())]));
        }
    }
    if let Some(cpus) = group.cpus {
        words.push(fill(Msg::GroupCpus, &[("cpus", &cpus.to_string())]));
    }
    words.join(", ")
}

#[derive(Properties, PartialEq)]
struct LoadProps {
    machine: &'static Machine,
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
                let group = slot.group.take();
                *slot = WorkloadSpec {
                    group,
                    ..offered(kind)
                };
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
            <p class="pick-note">
                { kind.what() }{ " " }<b>{ size(&props.spec) }</b>
                if let Some(group) = &props.spec.group {
                    { ", " }{ fill(Msg::LoadIn, &[("group", group)]) }
                }
            </p>
            { for kind.params().iter().enumerate().map(|(at, param)| html! {
                <Param key={param.name} machine={props.machine} load={index} {kind} {at} value={props.spec.values.get(at).copied().unwrap_or(param.default)}
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
    machine: &'static Machine,
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
    // Neither what the page begins with nor what the workload has by itself is a change.
    let start = offered(props.kind).values.get(at).copied();
    let start = start.unwrap_or(param.default);
    let changed = props.value != start && props.value != param.default;
    let id = format!("load-{load}-{}", param.name);
    let back = {
        let on_change = props.on_change.clone();
        Callback::from(move |()| on_change.emit(set(load, at, start)))
    };
    html! {
        <div class={classes!("param", changed.then_some("changed"))}>
            <label for={id.clone()} title={param.what}>{ param.name }<small>{ param.what }{ (param.unit == ParamUnit::KiB).then(|| format!(" {}", text(Msg::LoadKib))) }</small></label>
            if changed {
                { undo_button(param.name, &param_text(param, start), &back) }
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
    let machine = props.machine;
    let on_type: Reader = {
        let on_change = props.on_change.clone();
        Rc::new(move |text: &str| {
            let Typed { value, complaint } = typed::param(machine, kind, at, text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_engine::fragment;

    #[test]
    fn a_group_says_in_what_it_is_and_what_it_may_use() {
        let (config, _) =
            fragment::parse("k=6.1&g=A(weight=300);B(in=A,quota=50ms);C(shares=1023)");
        let words: Vec<String> = config.groups.iter().map(share).collect();
        assert_eq!(
            words,
            [
                "weight 300",
                "in A, weight 100, at most 50ms of each 100ms",
                "1023 shares"
            ]
        );
    }

    #[test]
    fn the_example_of_the_hint_is_a_link_without_a_fault() {
        let (config, warnings) = fragment::parse(&format!("k=6.12&{}", text(Msg::LoadHintExample)));
        assert_eq!(warnings, []);
        assert_eq!(
            (
                config.groups.len(),
                config.workloads.len(),
                config.script.tasks()
            ),
            (2, 2, 1)
        );
    }

    /// Nobody has changed the experiment that the page begins with, nor a workload that is taken as it is offered.
    #[test]
    fn what_is_offered_is_what_links_have_by_default() {
        let hackbench = offered(WorkloadKind::Hackbench);
        assert_eq!(Config::default().workloads, [hackbench]);
        let hogs = offered(WorkloadKind::Hogs);
        assert_eq!(hogs, WorkloadSpec::new(WorkloadKind::Hogs));
    }
}
