//! The tunables: each with a field that takes `3ms` or `750us`, a logarithmic slider, and a tick at its default; with
//! its words, if it has some.

use super::features::missing;
use super::{BlockProps, absent_head, block_head, found};
use crate::dom::{classes, html};
use crate::model::Change;
use crate::number::px;
use crate::part::{Field, Item, Reader, undo_button};
use crate::slider::{LogScale, STEPS};
use crate::text::{Msg, fill};
use crate::typed::{self, Typed};
use schedlab_engine::config::Config;
use schedlab_engine::config::text::{switch_text, tunable_text};
use schedlab_engine::sched::features::Effect;
use schedlab_engine::sched::profile::Set;
use schedlab_engine::sched::tunables::{Tunable, TunableUnit};
use std::rc::Rc;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// The tunables.
#[component]
pub(super) fn KnobsBlock(props: &BlockProps) -> Html {
    let shown = |t: &&Tunable| {
        found(
            &props.query,
            &[t.info().name, t.info().what, t.info().sysctl],
        )
    };
    let settable = props.config.kernel_of_deltas().settable;
    let all = || Tunable::ALL.iter().filter(shown).copied();
    let here: Vec<Tunable> = all().filter(|t| settable.has(*t)).collect();
    // What another kernel has comes last, with the reason why this one has not.
    let absent = all().filter(|t| !settable.has(*t) && why_absent(*t, &props.config).is_some());
    let absent: Vec<Tunable> = absent.collect();
    if here.is_empty() && absent.is_empty() {
        return Html::default();
    }
    let changes = props.config.canonical().tunables.len();
    let line = |tunable: Tunable| {
        let knob = KnobProps {
            tunable,
            config: Rc::clone(&props.config),
            on_change: props.on_change.clone(),
            on_settle: props.on_settle.clone(),
        };
        if tunable.info().unit == TunableUnit::Switch {
            html! { <Switch key={tunable.info().name} ..knob /> }
        } else {
            html! { <Knob key={tunable.info().name} ..knob /> }
        }
    };
    html! {
        <section class="block">
            { block_head(Msg::KnobsTitle, changes, Html::default()) }
            <ul>{ for here.into_iter().map(line) }</ul>
            if !absent.is_empty() {
                { absent_head(props) }
                <ul>{ for absent.into_iter().map(line) }</ul>
            }
        </section>
    }
}

/// Properties of a knob.
#[derive(Properties, PartialEq)]
struct KnobProps {
    tunable: Tunable,
    config: Rc<Config>,
    on_change: Callback<Change>,
    on_settle: Callback<()>,
}

impl KnobProps {
    fn default_value(&self) -> i64 {
        self.config.default_tunable(self.tunable)
    }

    fn value(&self) -> i64 {
        self.config
            .tunables
            .get(&self.tunable)
            .copied()
            .unwrap_or_else(|| self.default_value())
    }

    fn set(&self, value: i64) -> Change {
        let tunable = self.tunable;
        Change::own(move |c| {
            c.tunables.insert(tunable, value);
            *c = c.canonical();
        })
    }
}

/// Why the kernel has no such tunable, if it is told: it comes with a commit, or something else holds always.
fn why_absent(tunable: Tunable, config: &Config) -> Option<String> {
    let (base, kernel) = (config.kernel.base, config.kernel.name);
    let comes = base.first_with(&|set| matches!(set, Set::Tunable(t, _) if *t == tunable));
    let instead = base.instead_of_tunable(tunable);
    let there = config.kernel_of_deltas().settable.has(tunable);
    let told = !there && (comes.is_some() || instead.is_some());
    told.then(|| missing(kernel, (comes, instead)))
}

/// What a knob is, in full.
fn story(props: &KnobProps, absent: Option<String>) -> Html {
    let info = props.tunable.info();
    if let Some(why) = absent {
        return html! {
            <>
                <p>{ info.what }</p>
                <p class="note warn">{ why }</p>
                <p class="source">{ fill(Msg::KnobsSysctl, &[("name", info.sysctl)]) }</p>
            </>
        };
    }
    let kernel = props.config.kernel_of_deltas();
    let cpus = usize::from(props.config.machine.layout.cpus);
    let by = props.config.kernel_in_force().tunables.tunable_scaling;
    let factor = kernel.scaling.factor(by, cpus);
    html! {
        <>
            <p>{ info.what }</p>
            if info.scaled {
                <p>{ fill(Msg::KnobsScaled, &[("factor", &factor.to_string())]) }</p>
            }
            if let Effect::Inert(why) = info.effect {
                <p class="note warn">{ fill(Msg::FeaturesInert, &[("why", why)]) }</p>
            }
            <p class="source">{ fill(Msg::KnobsSysctl, &[("name", info.sysctl)]) }</p>
        </>
    }
}

/// A tunable that is on or off.
#[component]
fn Switch(props: &KnobProps) -> Html {
    let info = props.tunable.info();
    let absent = why_absent(props.tunable, &props.config);
    let there = absent.is_none();
    let (value, default) = (there && props.value() != 0, props.default_value() != 0);
    let tunable = props.tunable;
    let on_switch = props.on_change.reform(move |on: bool| {
        Change::own(move |c| {
            c.tunables.insert(tunable, i64::from(on));
            *c = c.canonical();
        })
    });
    html! {
        <Item id={format!("knob-{}", info.name)} name={info.name} what={info.what} on={value}
            changed={there && value != default} absent={!there} default_words={switch_text(default)} {on_switch}>
            { story(props, absent) }
        </Item>
    }
}

/// A tunable that is a number.
#[component]
fn Knob(props: &KnobProps) -> Html {
    let open = use_state(|| false);
    let (tunable, info) = (props.tunable, props.tunable.info());
    let absent = why_absent(tunable, &props.config);
    let there = absent.is_none();
    let (value, default) = (props.value(), props.default_value());
    let changed = there && value != default;
    let id = format!("knob-{}", info.name);
    let more = format!("{id}-more");
    let on_type: Reader = {
        let (on_change, config) = (props.on_change.clone(), Rc::clone(&props.config));
        let on_settle = props.on_settle.clone();
        let within = Rc::clone(&config);
        let emit = move |value| {
            let props = KnobProps {
                tunable,
                config: Rc::clone(&config),
                on_change: on_change.clone(),
                on_settle: on_settle.clone(),
            };
            on_change.emit(props.set(value));
        };
        Rc::new(move |typed: &str| {
            let Typed { value, complaint } = typed::tunable(&within, tunable, typed);
            Typed {
                value: value.map(&emit),
                complaint,
            }
        })
    };
    let undo = {
        let (on_change, change) = (props.on_change.clone(), props.set(default));
        Callback::from(move |()| on_change.emit(change.clone()))
    };
    let toggle = {
        let open = open.clone();
        move |_| open.set(!*open)
    };
    html! {
        <li class={classes!("item", "knob", changed.then_some("changed"), (!there).then_some("absent"))}>
            <div class="item-line">
                <button type="button" class="item-toggle" aria-expanded={open.to_string()} aria-controls={more.clone()}
                    onclick={toggle}>
                    <span class="item-name">{ info.name }</span>
                    <span class="item-what">{ if *open { "" } else { info.what } }</span>
                </button>
                if changed {
                    { undo_button(info.name, &tunable_text(tunable, default), &undo) }
                }
                if there && info.unit == TunableUnit::Word {
                    { choice(props, value) }
                } else if there {
                    <Field id={id.clone()} label={fill(Msg::KnobsValue, &[("name", info.name)])}
                        value={tunable_text(tunable, value)} {on_type} on_nudge={None} />
                }
            </div>
            if there && info.unit != TunableUnit::Word {
                { slider(props, value, default) }
            }
            <div class="item-more flush" id={more} hidden={!*open}>{ story(props, absent) }</div>
        </li>
    }
}

/// The words that a knob may be set to.
fn choice(props: &KnobProps, value: i64) -> Html {
    let (tunable, name) = (props.tunable, props.tunable.info().name);
    let onchange = props.on_change.reform(move |event: Event| {
        let picked = event
            .target_unchecked_into::<HtmlSelectElement>()
            .selected_index();
        Change::own(move |c| {
            c.tunables.insert(tunable, i64::from(picked));
            *c = c.canonical();
        })
    });
    let words = props.config.kernel_in_force().words_of(tunable);
    let option = |(number, word): (i64, &&'static str)| {
        html! { <option selected={number == value}>{ *word }</option> }
    };
    html! {
        <select class="pick" id={format!("knob-{name}")} aria-label={fill(Msg::KnobsValue, &[("name", name)])} {onchange}>
            { for (0..).zip(words).map(option) }
        </select>
    }
}

/// The slider of a knob, with a tick where its default is.
fn slider(props: &KnobProps, value: i64, default: i64) -> Html {
    let info = props.tunable.info();
    let scale = LogScale::new(info.range);
    let (tunable, name) = (props.tunable, info.name);
    let oninput = props.on_change.reform(move |event: InputEvent| {
        let place = event
            .target_unchecked_into::<HtmlInputElement>()
            .value_as_number() as u32;
        let value = scale.value(place);
        Change::own(move |c| {
            c.tunables.insert(tunable, value);
            *c = c.canonical();
        })
        .nudge(name)
    });
    let onchange = props.on_settle.reform(|_: Event| ());
    let tick = f64::from(scale.place(default)) / f64::from(STEPS);
    html! {
        <div class="slider">
            // The thumb is 14 px wide and stays inside the track: its middle runs from 7 px to 7 px before the end, as the
            // style sheet has it. The mark is higher than the thumb, which does not hide it.
            <svg aria-hidden="true">
                <rect class="default-mark" x={format!("{}%", px(tick * 100.0))} y="2" width="2" height="20" rx="1" />
            </svg>
            <input type="range" min="0" max={STEPS.to_string()} step="1" value={scale.place(value).to_string()}
                aria-label={fill(Msg::KnobsSlider, &[("name", info.name)])}
                aria-valuetext={tunable_text(tunable, value)} {oninput} {onchange} />
        </div>
    }
}
