//! The stage: tiles, pictures, and what they say to those who do not see them.

use crate::dom::{classes, html};
use crate::format;
use crate::model::{Action, Model, RunState, Side};
use crate::parts::Parts;
use crate::protocol::About;
use crate::remarks::remarks;
use crate::text::{Msg, fill, text};
use crate::tiles::{Tiles, silent, tile_row};
use crate::view::chart::{
    Accounts, Distribution, DistributionAs, Latency, QueueMeasure, Queues, Throughput,
};
use crate::view::figure::{Figure, FigureProps};
use crate::view::picture::Runs;
use crate::view::run_queue::QueuePicture;
use crate::view::timeline::Timeline;
use crate::view::topology::TopologyPicture;
use crate::why::{OnPart, Why};
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`Stage`].
#[derive(Properties, PartialEq)]
pub(crate) struct StageProps {
    /// What the page knows.
    pub(crate) model: Rc<Model>,
    /// Told what happens.
    pub(crate) dispatch: Callback<Action>,
    /// Told which differences of A and B are asked for.
    pub(crate) on_part: OnPart,
}

/// The stage.
#[component]
pub(crate) fn Stage(props: &StageProps) -> Html {
    let tiles = Tiles::of(&props.model);
    if refused(&props.model) {
        return html! {
            <main class="stage" aria-label={text(Msg::StageLabel)}>
                <div class="card"><p class="note">{ text(Msg::StageRefused) }</p></div>
                { said(&props.model) }
            </main>
        };
    }
    html! {
        <main class="stage" aria-label={text(Msg::StageLabel)}>
            <div class="stage-grid">
                <div>{ tile_row(&tiles) }{ remarks(&props.model, &props.dispatch) }</div>
                { charts(props) }
                <div class={classes!("inspect", stale(&props.model).then_some("stale"), props.model.view.cursor.map(|_| "asked"), is_low(&runs(&props.model)).then_some("low"))}>
                    { timeline(props) }
                    <div class="beside">
                        <Why model={Rc::clone(&props.model)} on_part={props.on_part.clone()} dispatch={props.dispatch.clone()} />
                        <div class="card queue-card">{ queue(&props.model) }</div>
                    </div>
                    <Parts runs={runs(&props.model)} />
                </div>
                { machine(props) }
            </div>
            { said(&props.model) }
        </main>
    }
}

/// Is there nothing to show, and nothing to wait for?
fn refused(model: &Model) -> bool {
    let over = |side: &Side| model.run(*side).is_over();
    runs(model).is_empty() && model.sides().iter().all(over)
}

/// What is said aloud.
fn said(model: &Model) -> Html {
    html! { <p class="sr-only" role="status" aria-live="polite">{ announcement(model) }</p> }
}

/// What the pictures are made of.
fn runs(model: &Model) -> Runs {
    let of = |side: Side| {
        model
            .sides()
            .contains(&side)
            .then(|| model.run(side).snapshot.clone())
    };
    Runs {
        a: of(Side::A).flatten(),
        b: of(Side::B).flatten(),
    }
}

/// Is any picture one of an earlier setup?
fn stale(model: &Model) -> bool {
    model
        .sides()
        .iter()
        .any(|s| model.run(*s).snapshot.is_some() && model.run(*s).is_stale())
}

/// So many lanes at most leave room for the run queue under them.
const LOW: usize = 8;

/// Are the lanes so few that what stands beside them is higher?
fn is_low(runs: &Runs) -> bool {
    runs.iter().map(|(_, run)| run.cpus()).sum::<usize>() <= LOW
}

fn charts(props: &StageProps) -> Html {
    let model = &props.model;
    let (runs, window) = (runs(model), model.view.window);
    let on_time = || on_time(props);
    html! {
        <section class={classes!("charts", stale(model).then_some("stale"))}>
            if !silent(&runs) {
                <div class="card"><Figure {window} on_time={on_time()}
                    ..FigureProps::of("throughput", Throughput { runs: runs.clone() }) /></div>
            }
            <div class="card"><Figure {window} on_time={on_time()}
                ..FigureProps::of("latency", Latency { runs: runs.clone() }) /></div>
            <div class="card"><Figure
                ..FigureProps::of("distribution", Distribution { runs: runs.clone(), heights: DistributionAs::default() }) /></div>
            <div class="card"><Figure ..FigureProps::of("accounts", Accounts { runs }) /></div>
        </section>
    }
}

/// Puts the cursor where a chart was clicked.
fn on_time(props: &StageProps) -> Callback<u64> {
    let model = Rc::clone(&props.model);
    props
        .dispatch
        .reform(move |at_ns| Action::Look(model.at_time(at_ns)))
}

/// One lane for each CPU, A above B.
fn timeline(props: &StageProps) -> Html {
    let model = &props.model;
    let on_look = {
        let model = Rc::clone(model);
        props
            .dispatch
            .reform(move |view| Action::Look(model.own_view(view)))
    };
    html! {
        <section class="card" id="timeline-card">
            <Timeline runs={runs(model)} view={model.shown_view()} chosen={model.view.cursor.is_some()} {on_look} />
        </section>
    }
}

/// What has happened when things are as the queue and the machine show them.
fn when(model: &Model) -> String {
    let Some((moment, (about, at_ns))) = model.moment().and_then(|m| Some((m, m.decided?))) else {
        return text(Msg::MomentAll).to_string();
    };
    let far = moment.place.at_ns.saturating_sub(at_ns);
    let key = match about {
        About::Pick if far > 0 => Msg::MomentPickFar,
        About::Pick => Msg::MomentPick,
        About::Wakeup(_) => Msg::MomentWakeup,
        About::Move(_) => Msg::MomentMove,
    };
    fill(key, &[("far", &format::exact_span(far as i64).text())])
}

/// Who is runnable on the CPU of the cursor.
fn queue(model: &Model) -> Html {
    let side = model.moment().map_or(Side::A, |moment| moment.place.side);
    let queue = model.inspected().and_then(|found| found.queue.clone());
    let (when, ahead) = (when(model), model.is_ahead());
    html! { <Figure ..FigureProps::of("queue", QueuePicture { queue, side, when, ahead }) /> }
}

/// The machine at the cursor, and what became of each CPU over time.
fn machine(props: &StageProps) -> Html {
    let model = &props.model;
    let (runs, window) = (runs(model), model.view.window);
    let map = TopologyPicture {
        runs: runs.clone(),
        at_ns: model.moment().map(|moment| moment.place.at_ns),
        when: when(model),
        colour: model.view.colour,
    };
    let on_place = {
        let model = Rc::clone(model);
        props
            .dispatch
            .reform(move |(side, cpu)| Action::Look(model.on_cpu(side, cpu)))
    };
    let strips = |id: &'static str, measure| {
        html! {
            <div class="card"><Figure {window} on_time={on_time(props)}
                ..FigureProps::of(id, Queues { runs: runs.clone(), measure }) /></div>
        }
    };
    html! {
        <section class={classes!("machine", stale(model).then_some("stale"))}>
            <div class="card"><Figure {on_place} ..FigureProps::of("machine", map) /></div>
            { strips("depth", QueueMeasure::Waiting) }
            { strips("use", QueueMeasure::Busy) }
        </section>
    }
}

/// What is said aloud when a run ends.
fn announcement(model: &Model) -> String {
    let words = |side: &Side| {
        let run = Some(model.run(*side)).filter(|run| run.is_over())?;
        let name = [("side", format!("{side:?}"))];
        let name = [("side", name[0].1.as_str())];
        match (&run.state, run.numbers()) {
            (RunState::Ended(_), Some(snapshot)) => {
                let now = format::span(snapshot.now_ns as f64).text();
                let messages = format::whole(snapshot.tiles.messages as f64);
                Some(fill(
                    Msg::AnnounceEnded,
                    &[name[0], ("now", &now), ("messages", &messages)],
                ))
            }
            (RunState::Rejected(_), _) => Some(fill(Msg::AnnounceProblem, &name)),
            (RunState::Broken(_), _) => Some(fill(Msg::AnnounceBroken, &name)),
            _ => None,
        }
    };
    let sides: Vec<String> = model.sides().iter().filter_map(words).collect();
    if sides.len() == model.sides().len() {
        sides.join(" ")
    } else {
        String::new()
    }
}
