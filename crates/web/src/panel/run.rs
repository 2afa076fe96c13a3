//! How it is run: seed, duration, speed, and behind a fold ticks and limits.
//!
//! Each line is a part of a link: what is typed is read as that part, so a field takes exactly what a link takes.

use super::{BlockProps, block_head};
use crate::dom::{classes, html};
use crate::model::Change;
use crate::part::{Field, Glyph, Reader, icon, undo_button};
use crate::text::{Msg, text};
use crate::typed::{self, Typed};
use schedlab_engine::config::{Config, LIMITS};
use schedlab_engine::fragment;
use schedlab_engine::time::Nanos;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What a link says where the kernel or the workload decides.
const NONE: &str = "none";

/// Seed, duration, ticks and limits.
#[component]
pub(super) fn RunBlock(props: &BlockProps) -> Html {
    let config = &props.config;
    let on_change = &props.on_change;
    let reseed = on_change.reform(|_: MouseEvent| Change::shared(|c| c.seed = next_seed(c.seed)));
    let reseed = html! {
        <button type="button" class="button small" onclick={reseed}>
            { icon(Glyph::Dice) }{ text(Msg::RunReseed) }
        </button>
    };
    let until = if config.ends() {
        text(Msg::RunUntilDone).to_string()
    } else {
        LIMITS.endless.to_string()
    };
    let duration = config.duration.map_or(until.clone(), |d| d.to_string());
    html! {
        <section class="block">
            { block_head(Msg::RunTitle, 0, reseed) }
            <Line part="seed" label={Msg::RunSeed} value={config.seed.to_string()} default="1" reset="1"
                on_change={on_change.clone()} />
            <Line part="dur" label={Msg::RunDuration} value={duration} default={until} reset={NONE}
                on_change={on_change.clone()} />
            { ticks(config, on_change) }
        </section>
    }
}

/// The seed after `seed`: far from it, always the same, short enough to read out.
const fn next_seed(seed: u64) -> u64 {
    seed.wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
        >> 44
}

fn ticks(config: &Config, on_change: &Callback<Change>) -> Html {
    let skew = config.skew_tick.unwrap_or(config.kernel.skew_tick);
    html! {
        <details class="fold">
            <summary>{ text(Msg::RunMore) }</summary>
            <Line part="hz" label={Msg::RunHz} value={config.hz_in_force().0.to_string()}
                default={config.kernel.hz.to_string()} reset={NONE} on_change={on_change.clone()} />
            <Line part="phase" label={Msg::RunPhase} value={config.phase.to_string()}
                default={Nanos::ZERO.to_string()} reset="0" on_change={on_change.clone()} />
            { switch("skew_tick", Msg::RunSkew, skew, skew != config.kernel.skew_tick, on_change) }
            { switch("nohz", Msg::RunNohz, config.nohz, config.nohz, on_change) }
            <Line part="events" label={Msg::RunEvents} value={config.max_events.to_string()}
                default={LIMITS.default_events.to_string()} reset={NO_EVENTS} on_change={on_change.clone()} />
        </details>
    }
}

/// What resets the event limit; a test holds it against [`LIMITS`].
const NO_EVENTS: &str = "1000000000";

/// The change that a part of a link makes.
fn say(part: &'static str, text: &str) -> Change {
    let over = format!("{part}={text}");
    Change::shared(move |config| {
        let link = fragment::overlay(&fragment::print(config), &over);
        *config = fragment::parse(&link).0;
    })
}

#[derive(Properties, PartialEq)]
struct LineProps {
    /// The key of the part.
    part: &'static str,
    /// Its name.
    label: Msg,
    /// Its value, as it is written.
    value: AttrValue,
    /// Its value if nobody sets it.
    default: AttrValue,
    /// What a link says to set it back.
    reset: &'static str,
    on_change: Callback<Change>,
}

/// A part with a field.
#[component]
fn Line(props: &LineProps) -> Html {
    let part = props.part;
    let changed = props.value != props.default;
    let id = format!("run-{part}");
    let on_type: Reader = {
        let on_change = props.on_change.clone();
        Rc::new(move |typed: &str| {
            let typed = if typed.trim() == text(Msg::RunUntilDone) {
                NONE
            } else {
                typed
            };
            let Typed { value, complaint } = typed::part(part, typed, part_text(part));
            Typed {
                value: value.map(|value| on_change.emit(say(part, &value))),
                complaint,
            }
        })
    };
    let back = {
        let (on_change, reset) = (props.on_change.clone(), props.reset);
        Callback::from(move |()| on_change.emit(say(part, reset)))
    };
    html! {
        <div class={classes!("param", changed.then_some("changed"))}>
            <label for={id.clone()}>{ text(props.label) }</label>
            if changed {
                { undo_button(text(props.label), &props.default, &back) }
            }
            <Field {id} label={text(props.label)} value={props.value.clone()} {on_type} on_nudge={None} />
        </div>
    }
}

/// Writes the part of a configuration with the key `part`.
fn part_text(part: &'static str) -> impl Fn(&Config) -> String {
    move |config| {
        let hz = config.hz.map(|hz| hz.0.to_string());
        let duration = config.duration.map(|d| d.to_string());
        match part {
            "seed" => config.seed.to_string(),
            "dur" => duration.unwrap_or_else(|| NONE.to_string()),
            "hz" => hz.unwrap_or_else(|| NONE.to_string()),
            "phase" => config.phase.to_string(),
            _ => config.max_events.to_string(),
        }
    }
}

fn switch(
    part: &'static str,
    label: Msg,
    on: bool,
    changed: bool,
    on_change: &Callback<Change>,
) -> Html {
    let onchange = on_change.reform(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        say(part, if on { "on" } else { "off" })
    });
    let id = format!("run-{part}");
    html! {
        <div class={classes!("param", changed.then_some("changed"))}>
            <label for={id.clone()}>{ text(label) }</label>
            <span class="switch"><input type="checkbox" role="switch" {id} checked={on} {onchange} /><span></span></span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_a_link_says() {
        let config = Config::default();
        for (part, typed) in [
            ("seed", "9"),
            ("dur", "1.5s"),
            ("hz", "250"),
            ("phase", "100us"),
            ("events", "5000"),
        ] {
            let said = say(part, typed).of(&config);
            assert_eq!(part_text(part)(&said), typed, "{part}");
        }
        assert_eq!(
            say("dur", NONE).of(&say("dur", "1s").of(&config)).duration,
            None
        );
        assert_eq!(
            say("events", NO_EVENTS)
                .of(&say("events", "7").of(&config))
                .max_events,
            LIMITS.default_events
        );
    }

    #[test]
    fn seeds_go_on_and_stay_short() {
        let mut seed = 1;
        for _ in 0..100 {
            let next = next_seed(seed);
            assert!(next != seed && next < 1 << 20);
            seed = next;
        }
    }
}
