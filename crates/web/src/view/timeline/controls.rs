//! Beside the timeline: how far in, what colours mean, what signs mean.

use crate::dom::html;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::colours::legend;
use crate::model::view::{ColourBy, View, Window};
use crate::text::{Msg, fill, text};
use crate::view::palette::{Colour, DATA_COLOURS, Rgb, Theme};
use crate::view::picture::Runs;

/// One press of a zoom button.
const ZOOM: f64 = 0.5;

const fn colour_name(by: ColourBy) -> Msg {
    match by {
        ColourBy::Task => Msg::ColourTask,
        ColourBy::Group => Msg::ColourGroup,
        ColourBy::Kind => Msg::ColourKind,
        ColourBy::Reason => Msg::ColourReason,
    }
}

/// Colour and zoom of a view of a trace that ends at `end_ns`.
pub(super) fn controls(view: View, end_ns: u64, on_look: &Callback<View>) -> Html {
    let zoom = |name: Msg, path: &'static str, window: Option<Window>| {
        let onclick = on_look.reform(move |_: MouseEvent| View { window, ..view });
        html! {
            <button type="button" class="picture-button" aria-label={text(name)} title={text(name)} {onclick}>
                <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"
                    aria-hidden="true"><path d={path} /></svg>
            </button>
        }
    };
    let now = view.window_or_all(end_ns);
    let fixed = view
        .cursor
        .map(|cursor| cursor.at_ns)
        .filter(|at| now.contains(*at));
    let zoomed = |factor| {
        let window = now.zoomed(factor, fixed.unwrap_or(now.middle_ns()), end_ns);
        Some(window).filter(|window| *window != Window::new(0, end_ns))
    };
    let on_colour = {
        let on_look = on_look.clone();
        move |event: Event| {
            let index = event
                .target_unchecked_into::<HtmlSelectElement>()
                .selected_index();
            if let Some(colour) = usize::try_from(index)
                .ok()
                .and_then(|i| ColourBy::ALL.get(i))
            {
                on_look.emit(View {
                    colour: *colour,
                    ..view
                });
            }
        }
    };
    let option = |by: &ColourBy| {
        html! { <option selected={*by == view.colour}>{ text(colour_name(*by)) }</option> }
    };
    html! {
        <>
            <label class="timeline-colour">
                { text(Msg::ColourBy) }
                <select onchange={on_colour}>{ for ColourBy::ALL.iter().map(option) }</select>
            </label>
            { zoom(Msg::TimelineZoomOut, "M4 8h8", zoomed(1.0 / ZOOM)) }
            { zoom(Msg::TimelineZoomIn, "M4 8h8M8 4v8", zoomed(ZOOM)) }
            { zoom(Msg::TimelineZoomAll, "M2.5 4v8M13.5 4v8M5 8h6M6.6 6.2 4.8 8l1.8 1.8M9.4 6.2 11.2 8 9.4 9.8", None) }
        </>
    }
}

/// What colours mean where they go round.
fn many(runs: &Runs, colour: ColourBy) -> Option<String> {
    let words = match colour {
        ColourBy::Task => Msg::LegendTasks,
        ColourBy::Group => Msg::LegendGroups,
        ColourBy::Kind | ColourBy::Reason => return None,
    };
    (!runs.is_empty()).then(|| fill(words, &[("n", &DATA_COLOURS.to_string())]))
}

#[derive(Properties, PartialEq)]
pub(super) struct LegendProps {
    pub(super) runs: Runs,
    pub(super) colour: ColourBy,
    pub(super) theme: Theme,
}

/// What signs and colours mean.
#[component]
pub(super) fn Legend(props: &LegendProps) -> Html {
    let sign = |path: &'static str, full: bool, name: Msg| {
        let fill = if full { "currentColor" } else { "none" };
        html! {
            <span>
                <svg viewBox="0 0 12 12" {fill} stroke="currentColor" aria-hidden="true"><path d={path} /></svg>
                { text(name) }
            </span>
        }
    };
    let swatch = |(name, colour): (String, Colour)| {
        let Rgb(r, g, b) = props.theme.rgb(colour);
        html! {
            <span>
                <svg viewBox="0 0 12 12" aria-hidden="true">
                    <rect x="1" y="1" width="10" height="10" stroke="var(--edge)" stroke-width="0.7" fill={format!("#{r:02x}{g:02x}{b:02x}")} />
                </svg>
                { name }
            </span>
        }
    };
    let named = legend(&props.runs, props.colour);
    let many = named
        .is_empty()
        .then(|| many(&props.runs, props.colour))
        .flatten();
    html! {
        <div class="timeline-legend">
            <div><b>{ text(Msg::LegendColours) }</b>
            { for named.into_iter().map(swatch) }
            { for many.map(|words| html! { <span>{ words }</span> }) }
            { swatch((text(Msg::AccountIdle).to_string(), Colour::Track)) }
            <span>{ text(Msg::LegendShared) }</span></div>
            <div><b>{ text(Msg::LegendSigns) }</b>
            { sign("M6 1v7M2.5 5 6 10 9.5 5z", true, Msg::SignPreempts) }
            { sign("M6 1v9M2.5 5 6 10 9.5 5", false, Msg::SignWakes) }
            { sign("M6 2 10 6 6 10 2 6z", true, Msg::SignMigrates) }
            { sign("M3 2h7v7z", true, Msg::SignPreempted) }
            { sign("M6 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4z", true, Msg::SignNext) }
            { sign("M4 4h4v4h-4z", true, Msg::SignLast) }</div>
        </div>
    }
}
