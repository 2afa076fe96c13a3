//! Which kernel: a release, and each commit of its story as a switch.

use super::{BlockProps, block_head, found};
use crate::dom::html;
use crate::model::Change;
use crate::part::{Item, Rove};
use crate::text::{Msg, fill, text};
use schedlab_engine::config::Config;
use schedlab_engine::config::text::switch_text;
use schedlab_engine::fragment::delta_words;
use schedlab_engine::sched::outline::Outline;
use schedlab_engine::sched::profile::{DELTAS, Delta, DeltaProblem, Family, PROFILES, Profile};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The release and its commits.
#[component]
pub(super) fn KernelBlock(props: &BlockProps) -> Html {
    let kernel = props.config.kernel;
    let onchange = props.on_change.reform(|event: Event| {
        let name = event.target_unchecked_into::<HtmlSelectElement>().value();
        Change::own(move |c| {
            if let Some(kernel) = Profile::by_name(&name) {
                c.set_kernel(kernel);
            }
        })
    });
    let option = |p: &'static Profile| html! { <option value={p.name} selected={p.name == kernel.name}>{ format!("{} · {}", p.name, p.short) }</option> };
    let family = match kernel.family {
        Family::Cfs => "CFS",
        Family::Eevdf => "EEVDF",
    };
    let changed = DELTAS
        .iter()
        .filter(|d| props.config.delta_changed(d.id))
        .count();
    html! {
        <section class="block">
            { block_head(Msg::KernelTitle, changed, Html::default()) }
            <select class="pick" aria-label={text(Msg::KernelPick)} {onchange}>{ for PROFILES.iter().map(option) }</select>
            <p class="pick-note">
                { fill(Msg::KernelReleased, &[("family", family), ("date", kernel.released)]) }{ ". " }{ kernel.what }
            </p>
            { outlines(kernel) }
            { commits(props) }
        </section>
    }
}

/// The parts of the kernel that are modelled in outline, each with what is left out and where it comes from.
fn outlines(kernel: &Profile) -> Html {
    let parts = kernel.outlines().count();
    if parts == 0 {
        return Html::default();
    }
    let line = |part: &'static Outline| {
        html! {
            <li>
                <span class="mark">{ text(Msg::MarkOutline) }</span>
                <span><b>{ part.name }</b>{ ". " }{ part.what }</span>
                <small>{ part.cite }</small>
            </li>
        }
    };
    html! {
        <details class="fold">
            <summary>{ fill(Msg::KernelOutlines, &[("n", &parts.to_string())]) }</summary>
            <ul class="facts">{ for kernel.outlines().map(line) }</ul>
        </details>
    }
}

/// The commits in two groups: those in the release and those that are not.
fn commits(props: &BlockProps) -> Html {
    let config = &props.config;
    let problems = config.delta_problems();
    let group = |inside: bool, heading: Msg| {
        let all: Vec<&Delta> = DELTAS
            .iter()
            .filter(|d| d.base == config.kernel.base)
            .filter(|d| config.kernel.deltas.has(d.id) == inside)
            .collect();
        let shown: Vec<&&Delta> = all.iter().filter(|d| matches(d, &props.query)).collect();
        if shown.is_empty() {
            return Html::default();
        }
        let on = all.iter().filter(|d| config.deltas.has(d.id)).count();
        let count = fill(
            Msg::KernelCount,
            &[("on", &on.to_string()), ("all", &all.len().to_string())],
        );
        let lines = shown
            .into_iter()
            .map(|delta| commit(delta, config, &problems, &props.on_change));
        html! {
            <details class="fold" open=true>
                <summary>
                    { fill(heading, &[("kernel", config.kernel.name)]) }<span class="count">{ count }</span>
                </summary>
                <Rove><ul>{ for lines }</ul></Rove>
            </details>
        }
    };
    html! { <>{ group(true, Msg::KernelInIt) }{ group(false, Msg::KernelNotInIt) }</> }
}

fn matches(delta: &Delta, query: &str) -> bool {
    found(
        query,
        &[delta.name, delta.commits, delta.what, &delta.id.to_string()],
    )
}

/// Eight digits of the first commit, or the release in whose sources it was read, or that it was but a mail.
fn short(delta: &Delta) -> String {
    let hash: String = delta
        .commits
        .chars()
        .take_while(char::is_ascii_hexdigit)
        .take(8)
        .collect();
    let read_in = [".c of ", ".h of "]
        .iter()
        .find_map(|of| delta.commits.split_once(of));
    if hash.len() == 8 {
        hash
    } else if let Some((_, release)) = read_in {
        let release = release.split([':', ',']).next().unwrap_or(release);
        fill(Msg::KernelIn, &[("kernel", release)])
    } else {
        text(Msg::KernelMail).to_string()
    }
}

fn commit(
    delta: &'static Delta,
    config: &Config,
    problems: &[DeltaProblem],
    on_change: &Callback<Change>,
) -> Html {
    let id = delta.id;
    let on = config.deltas.has(id);
    let on_switch = on_change.reform(move |on| Change::own(move |c| c.set_delta(id, on)));
    let problem = problems.iter().find(|p| match p {
        DeltaProblem::NoEffect { delta, .. } | DeltaProblem::Lacks { delta, .. } => *delta == id,
    });
    let source = fill(
        Msg::KernelSource,
        &[("date", delta.date), ("commits", delta.commits)],
    );
    html! {
        <Item key={id.to_string()} id={format!("commit-{}", id.0)} name={short(delta)} what={delta.name.replace('_', " ")} {on}
            changed={config.delta_changed(id)} absent=false default_words={switch_text(config.kernel.deltas.has(id))} {on_switch}>
            <p><b>{ id.to_string() }{ " " }{ delta.name.replace('_', " ") }</b></p>
            <p>{ delta.what }</p>
            if let Some(problem) = problem {
                <p class="note warn">{ format!("{id} {}", delta_words(problem)) }</p>
            }
            <p class="source">{ source }</p>
        </Item>
    }
}
