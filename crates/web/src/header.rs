//! The head of the page: what is running, what is compared, and the ways out (share, theme, help).

use crate::dom::html;
use crate::format;
use crate::keyboard::Command;
use crate::model::{Model, Run, RunState, Side};
use crate::number::px;
use crate::part::{Glyph, Segment, icon, segmented};
use crate::protocol::Halt;
use crate::text::{Msg, fill, text};
use crate::theme::Theme;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Properties of [`Header`].
#[derive(Properties, PartialEq)]
pub(crate) struct HeaderProps {
    /// What the page knows.
    pub(crate) model: Rc<Model>,
    /// Which colours.
    pub(crate) theme: Theme,
    /// Told what is asked for.
    pub(crate) on_command: Callback<Command>,
    /// Told that the setup column is asked for (on narrow screens).
    pub(crate) on_setup: Callback<()>,
    /// Told that sharing is asked for.
    pub(crate) on_share: Callback<()>,
    /// Told which colours are asked for.
    pub(crate) on_theme: Callback<Theme>,
}

/// The head of the page.
#[component]
pub(crate) fn Header(props: &HeaderProps) -> Html {
    let model = &props.model;
    let command = |c: Command| props.on_command.reform(move |_: MouseEvent| c);
    let history = &model.history;
    html! {
        <header class="bar">
            { skips() }
            <h1 class="brand">{ text(Msg::Brand) }</h1>
            <button type="button" class="button framed only-narrow" aria-label={text(Msg::HeadSetup)}
                onclick={props.on_setup.reform(|_: MouseEvent| ())}>
                { icon(Glyph::Sliders) }<span class="hide-small">{ text(Msg::HeadSetup) }</span>
            </button>
            { transport(props) }
            { status(model) }
            <div class="tools">
                <button type="button" class="button icon" aria-label={text(Msg::HeadUndo)} title={text(Msg::HeadUndo)}
                    disabled={!history.can_undo()} onclick={command(Command::Undo)}>{ icon(Glyph::Undo) }</button>
                <button type="button" class="button icon" aria-label={text(Msg::HeadRedo)} title={text(Msg::HeadRedo)}
                    disabled={!history.can_redo()} onclick={command(Command::Redo)}>{ icon(Glyph::Redo) }</button>
                { compare(props) }
                <button type="button" class="button" aria-label={text(Msg::HeadShare)} onclick={props.on_share.reform(|_: MouseEvent| ())}>
                    { icon(Glyph::Share) }<span class="hide-small">{ text(Msg::HeadShare) }</span>
                </button>
                { theme(props) }
                <button type="button" class="button icon" aria-label={text(Msg::HeadHelp)} title={text(Msg::HeadHelp)}
                    onclick={command(Command::Help)}>{ icon(Glyph::Help) }</button>
            </div>
        </header>
    }
}

/// The parts of the page that the first Tabs lead to, by their ids.
const SKIPS: [(&str, Msg); 3] = [
    ("tiles", Msg::SkipResults),
    ("timeline-hand", Msg::SkipTimeline),
    ("why", Msg::SkipWhy),
];

/// Ways past the setup column, seen when they have the focus. No links: the text behind the `#` is the experiment.
fn skips() -> Html {
    let way = |(id, words): &(&'static str, Msg)| {
        let id = *id;
        let onclick = move |_: MouseEvent| {
            let document = web_sys::window().and_then(|w| w.document());
            let target = document.and_then(|d| d.get_element_by_id(id));
            if let Some(target) = target.and_then(|t| t.dyn_into::<HtmlElement>().ok()) {
                let _ = target.focus();
            }
        };
        html! { <button type="button" class="button main" {onclick}>{ text(*words) }</button> }
    };
    html! { <div class="skips">{ for SKIPS.iter().map(way) }</div> }
}

fn transport(props: &HeaderProps) -> Html {
    let model = &props.model;
    let going = model.busy() && !model.halted;
    let (glyph, words) = if going {
        (Glyph::Pause, Msg::HeadPause)
    } else {
        (Glyph::Play, Msg::HeadRun)
    };
    let button = |glyph: Glyph, words: Msg, command: Command| {
        html! {
            <button type="button" class="button icon" aria-label={text(words)} title={text(words)}
                onclick={props.on_command.reform(move |_: MouseEvent| command)}>{ icon(glyph) }</button>
        }
    };
    html! {
        <div class="transport only-narrow">
            { button(glyph, words, Command::RunPause) }
            { button(Glyph::Back, Msg::HeadStepBack, Command::StepBack) }
            { button(Glyph::Forward, Msg::HeadStepForward, Command::StepForward) }
        </div>
    }
}

fn compare(props: &HeaderProps) -> Html {
    let on = props.model.setup.b.is_some();
    let segment = |value: bool, words: Msg, label: Msg| Segment {
        value,
        words: text(words).into(),
        label: text(label).into(),
        class: "",
    };
    let segments = vec![
        segment(false, Msg::HeadOnlyA, Msg::HeadOnlyALabel),
        segment(true, Msg::HeadCompare, Msg::HeadCompareLongLabel),
    ];
    let on_command = props.on_command.clone();
    let on_choose = Callback::from(move |chosen: bool| {
        if chosen != on {
            on_command.emit(Command::Compare);
        }
    });
    segmented(text(Msg::HeadCompareLabel), &segments, on, &on_choose)
}

fn theme(props: &HeaderProps) -> Html {
    let next = props.theme.next();
    let label = fill(
        Msg::HeadTheme,
        &[("theme", props.theme.words()), ("next", next.words())],
    );
    let glyph = match props.theme {
        Theme::Auto => Glyph::Auto,
        Theme::Light => Glyph::Light,
        Theme::Dark => Glyph::Dark,
    };
    html! {
        <button type="button" class="button icon" aria-label={label.clone()} title={label}
            onclick={props.on_theme.reform(move |_: MouseEvent| next)}>{ icon(glyph) }</button>
    }
}

/// How far the run is, in words and as a bar.
fn status(model: &Model) -> Html {
    let runs: Vec<&Run> = model.sides().iter().map(|s| model.run(*s)).collect();
    let progress = runs
        .iter()
        .map(|r| {
            r.numbers()
                .filter(|_| !r.is_stale())
                .map_or(0.0, |s| s.progress)
        })
        .sum::<f32>();
    let progress = progress / runs.len().max(1) as f32;
    let words = words(model, &runs);
    html! {
        <output class="status" aria-live="off" title={words.clone()}>
            if model.busy() {
                <progress max="1" value={px(progress.into())} aria-label={text(Msg::HeadRun)}></progress>
            }
            { words }
        </output>
    }
}

fn words(model: &Model, runs: &[&Run]) -> String {
    let reached = runs
        .iter()
        .filter(|r| !r.is_stale())
        .filter_map(|r| r.numbers())
        .map(|s| s.now_ns)
        .max();
    let Some(now) = reached else {
        let failed = runs.iter().any(|r| r.is_over());
        return text(if failed {
            Msg::StatusFailed
        } else {
            Msg::StatusStarting
        })
        .to_string();
    };
    if model.halted && model.busy() {
        // To the nanosecond: the next event is seldom further.
        let now = format::exact_span(now as i64).text();
        return fill(Msg::StatusPaused, &[("now", &now)]);
    }
    let now = format::span(now as f64).text();
    if model.busy() {
        return fill(Msg::StatusRunning, &[("now", &now)]);
    }
    let wall = runs.iter().filter_map(|r| r.wall_ms).fold(0.0, f64::max);
    let wall = format::span(wall * 1e6).text();
    let seed = model.setup.config(Side::A).seed.to_string();
    let ended = fill(
        Msg::StatusEnded,
        &[("now", &now), ("wall", &wall), ("seed", &seed)],
    );
    match runs.iter().find_map(|r| end_words(r)) {
        Some(why) => format!("{ended} · {why}"),
        None => ended,
    }
}

/// Why a run is over, where that is not the usual way.
fn end_words(run: &Run) -> Option<String> {
    let RunState::Ended(why) = run.state else {
        return None;
    };
    let words = match why {
        Halt::Finished => return None,
        Halt::Time => match &run.of {
            Some(config) if config.duration.is_none() => {
                let after = config.duration_in_force().to_string();
                return Some(fill(Msg::EndLimit, &[("after", &after)]));
            }
            _ => Msg::EndTime,
        },
        Halt::Events => Msg::EndEvents,
        Halt::Quiet => Msg::EndQuiet,
        Halt::Stuck => Msg::EndStuck,
        Halt::Tasks => Msg::EndTasks,
    };
    Some(text(words).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_engine::fragment;

    #[test]
    fn a_run_ends_at_the_time_asked_for_only_if_somebody_asked() {
        let words = |link: &str| {
            end_words(&Run {
                of: Some(Rc::new(fragment::parse(link).0)),
                state: RunState::Ended(Halt::Time),
                ..Run::default()
            })
        };
        assert_eq!(
            words("w=hogs&dur=2s").as_deref(),
            Some("stopped at the time asked for")
        );
        assert_eq!(
            words("w=hogs").as_deref(),
            Some("stopped after 1s: nothing that runs ends by itself")
        );
    }
}
