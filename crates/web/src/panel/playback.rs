//! Playback: run and pause, a step either way, how fast, and any moment of what is recorded.
//!
//! It stands at the foot of the column, apart from the blocks: it changes with every number that comes.

use crate::dom::html;
use crate::format;
use crate::keyboard::Command;
use crate::model::pace::{Playback, SPEEDS_NS};
use crate::part::{Glyph, icon};
use crate::text::{Msg, fill, text};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Properties of [`PlaybackBar`].
#[derive(Properties, PartialEq)]
pub(crate) struct PlaybackProps {
    /// What is going on.
    pub(crate) playback: Playback,
    /// Told what is asked for.
    pub(crate) on_command: Callback<Command>,
    /// Told how fast to go: simulated ns for each real second; none: as fast as it goes.
    pub(crate) on_speed: Callback<Option<u64>>,
    /// Told which moment to show, ns.
    pub(crate) on_seek: Callback<u64>,
}

/// The controls of playback.
#[component]
pub(crate) fn PlaybackBar(props: &PlaybackProps) -> Html {
    let Playback {
        going,
        at_ns,
        end_ns,
        now_ns,
        ..
    } = props.playback;
    let button = |glyph: Glyph, (words, what): (Msg, Msg), command: Command| {
        let onclick = props.on_command.reform(move |_: MouseEvent| command);
        html! {
            <button type="button" class="button icon" aria-label={text(words)} title={text(what)} {onclick}>
                { icon(glyph) }
            </button>
        }
    };
    let (glyph, words) = if going {
        (Glyph::Pause, Msg::HeadPause)
    } else {
        (Glyph::Play, Msg::HeadRun)
    };
    let oninput = props.on_seek.reform(|event: InputEvent| {
        let ns = event
            .target_unchecked_into::<HtmlInputElement>()
            .value_as_number();
        ns.max(0.0) as u64
    });
    let span = |ns: u64| format::span(ns as f64).text();
    let key = if now_ns > end_ns {
        Msg::PlayPlaceRecorded
    } else {
        Msg::PlayPlace
    };
    let [at, end, now] = [at_ns, end_ns, now_ns].map(span);
    let place = fill(key, &[("at", &at), ("end", &end), ("now", &now)]);
    html! {
        <section class="playback" aria-label={text(Msg::PlayLabel)}>
            <div class="row">
                { button(glyph, (words, words), Command::RunPause) }
                { button(Glyph::Back, (Msg::HeadStepBack, Msg::KeyStepBack), Command::StepBack) }
                { button(Glyph::Forward, (Msg::HeadStepForward, Msg::KeyStepForward), Command::StepForward) }
                { speed(props) }
            </div>
            <div class="row">
                <input type="range" min="0" max={end_ns.max(1).to_string()} step={(end_ns / 1000).max(1).to_string()}
                    value={at_ns.to_string()} disabled={end_ns == 0} aria-label={text(Msg::PlaySeek)}
                    aria-valuetext={place.clone()} {oninput} />
                <span class="note">{ place }</span>
            </div>
        </section>
    }
}

/// The choice of speeds; one that came with the link and is not on offer is offered too.
fn speed(props: &PlaybackProps) -> Html {
    let chosen = props.playback.speed_ns;
    let mut all: Vec<Option<u64>> = SPEEDS_NS.iter().rev().copied().map(Some).collect();
    all.insert(0, None);
    if !all.contains(&chosen) {
        all.push(chosen);
    }
    let words = |speed: Option<u64>| match speed {
        None => text(Msg::RunSpeedFull).to_string(),
        Some(ns) => fill(
            Msg::RunSpeedRatio,
            &[("simulated", &format::exact_span(ns as i64).text())],
        ),
    };
    let value = |speed: Option<u64>| speed.map_or_else(String::new, |ns| ns.to_string());
    let onchange = props.on_speed.reform(|event: Event| {
        event
            .target_unchecked_into::<HtmlSelectElement>()
            .value()
            .parse()
            .ok()
    });
    html! {
        <select class="pick" aria-label={text(Msg::RunSpeed)} {onchange}>
            { for all.iter().map(|speed| html! {
                <option value={value(*speed)} selected={*speed == chosen}>{ words(*speed) }</option>
            }) }
        </select>
    }
}
