//! The root component: one model, and the three things that follow from it outside: runs, the address, the keyboard.

use crate::address::{self, Address};
use crate::dom::{classes, html, use_effect_with};
use crate::engine::Engine;
use crate::header::Header;
use crate::keyboard::{self, Command, Focus};
use crate::model::pace::Play;
use crate::model::{Action, Model, Question, Side, View};
use crate::notes::Notes;
use crate::panel::{Column, PlaybackBar};
use crate::protocol::Request;
use crate::sheets::{Open, Sheets};
use crate::stage::Stage;
use crate::text::{Msg, text};
use crate::theme::Theme;
use crate::url;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use schedlab_engine::fragment;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, KeyboardEvent as DomKey};
use yew::prelude::*;

/// A change waits this long for the next one before it runs, ms.
const DEBOUNCE_MS: u32 = 30;

/// A cursor rests this long before it asks, ms.
const QUESTION_MS: u32 = 15;

/// The model as a component keeps it.
#[derive(PartialEq)]
struct Store(Rc<Model>);

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Store(Rc::new(self.0.reduce(action))))
    }
}

/// What buttons in several places lead to.
struct Ways {
    share: Callback<()>,
    changes: Callback<()>,
    show_setup: Callback<()>,
    hide_setup: Callback<()>,
}

/// The page.
#[component]
pub(crate) fn App() -> Html {
    let store = use_reducer(|| Store(Rc::new(Model::new(url::read(&address::fragment())))));
    let model = Rc::clone(&store.0);
    let dispatch = {
        let dispatcher = store.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let engine = use_memo((), |()| Engine::new(dispatch.clone()));
    let theme = use_state_eq(Theme::kept);
    let sheet = use_state_eq(|| None::<Open>);
    let setup_open = use_state_eq(|| false);
    let search = use_node_ref();

    use_runs(Side::A, &model, &engine);
    use_runs(Side::B, &model, &engine);
    use_speed(&model, &engine);
    use_address(&model, &dispatch);
    use_questions(&model, &engine, &dispatch);
    use_effect_with(*theme, |theme| theme.put());
    use_effect_with((), |()| remove_notice());

    let on_command = {
        let (dispatch, engine, sheet) = (dispatch.clone(), Rc::clone(&engine), sheet.clone());
        let (setup_open, search) = (setup_open.clone(), search.clone());
        use_callback(
            Rc::clone(&model),
            move |command: Command, model| match command {
                Command::Help => sheet.set(Some(Open::Keys)),
                Command::Search => {
                    setup_open.set(true);
                    if let Some(field) = search.cast::<HtmlInputElement>() {
                        let _ = field.focus();
                        field.select();
                    }
                }
                Command::RunPause => run_or_pause(model, &engine, &dispatch),
                Command::StepForward if model.steps().is_some() => {
                    if let Some(side) = model.steps() {
                        dispatch.emit(Action::Stepping(side));
                        engine.ask(side, &Request::Step);
                    }
                }
                other => {
                    if let Some(action) = model.command(other) {
                        dispatch.emit(action);
                    }
                }
            },
        )
    };
    use_keyboard(&on_command);

    let link = AttrValue::from(url::shared(&model.setup, &model.view));
    // The same ones each time: what is given other callbacks is drawn again, and the setup column is long.
    let ways = use_memo((), |()| {
        let (sheet, setup_open) = (sheet.setter(), setup_open.setter());
        let open = |which: Open| {
            let sheet = sheet.clone();
            Callback::from(move |()| sheet.set(Some(which)))
        };
        let set_setup = |on: bool| {
            let setup_open = setup_open.clone();
            Callback::from(move |()| setup_open.set(on))
        };
        Ways {
            share: open(Open::Share),
            changes: open(Open::Changes),
            show_setup: set_setup(true),
            hide_setup: set_setup(false),
        }
    });
    let on_retry = {
        let (engine, model) = (Rc::clone(&engine), Rc::clone(&model));
        Callback::from(move |side| engine.start(&model.setup, side, model.pace(0)))
    };
    let on_part = {
        let (engine, model, dispatch) = (Rc::clone(&engine), Rc::clone(&model), dispatch.clone());
        Callback::from(move |(search, at)| {
            if let Some(b) = &model.setup.b {
                dispatch.emit(Action::Diverging(at));
                let (from, other) = (fragment::print(&model.setup.a), fragment::print(b));
                let request = Request::Diverge {
                    from,
                    other,
                    search,
                };
                engine.ask(Side::A, &request);
            }
        })
    };
    let on_seek = {
        let model = Rc::clone(&model);
        dispatch.reform(move |at_ns| Action::Look(model.at_time(at_ns)))
    };
    let on_speed = {
        let view = model.view;
        dispatch.reform(move |speed_ns| Action::Look(View { speed_ns, ..view }))
    };
    let on_theme = {
        let theme = theme.clone();
        Callback::from(move |next| theme.set(next))
    };
    html! {
        <div class="page">
            <Header model={Rc::clone(&model)} theme={*theme} on_command={on_command.clone()} on_setup={ways.show_setup.clone()}
                on_share={ways.share.clone()} {on_theme} />
            <Notes model={Rc::clone(&model)} link={address::whole(&link)} dispatch={dispatch.clone()} {on_retry} />
            <div class={classes!("scrim", setup_open.then_some("open"))}
                onclick={ways.hide_setup.reform(|_: MouseEvent| ())}></div>
            <aside class={classes!("setup", setup_open.then_some("open"))} aria-label={text(Msg::SetupLabel)}>
                <Column setup={model.setup.clone()} editing={model.editing} linked={model.linked}
                    dispatch={dispatch.clone()} on_list={ways.changes.clone()} on_close={ways.hide_setup.clone()}
                    search={search} />
                <PlaybackBar playback={model.playback()} on_command={on_command.clone()} {on_speed} {on_seek} />
            </aside>
            <Stage model={Rc::clone(&model)} dispatch={dispatch.clone()} {on_part} />
            if let Some(which) = *sheet {
                <Sheets open={which} setup={model.setup.clone()} {link} hashes={model.hashes()}
                    editing={model.editing} linked={model.linked}
                    dispatch={dispatch} on_close={let sheet = sheet.clone(); Callback::from(move |()| sheet.set(None))} />
            }
        </div>
    }
}

/// Takes away the words that stood there before the page could draw itself.
fn remove_notice() {
    let document = web_sys::window().and_then(|w| w.document());
    if let Some(notice) = document.and_then(|d| d.get_element_by_id("boot-notice")) {
        notice.remove();
    }
}

fn run_or_pause(model: &Model, engine: &Engine, dispatch: &Callback<Action>) {
    match model.play() {
        Play::Halt => {
            dispatch.emit(Action::Halt(true));
            for side in model.sides() {
                engine.ask(*side, &Request::Halt(true));
            }
        }
        Play::Resume => {
            dispatch.emit(Action::Follow);
            for side in model.sides() {
                engine.ask(*side, &Request::Halt(false));
            }
        }
        Play::Start(from_ns) => {
            dispatch.emit(Action::Follow);
            for side in model.sides() {
                engine.start(&model.setup, *side, model.pace(from_ns));
            }
        }
    }
}

/// A run that is going on goes on at another pace when that is changed.
#[hook]
fn use_speed(model: &Rc<Model>, engine: &Rc<Engine>) {
    let (engine, model) = (Rc::clone(engine), Rc::clone(model));
    use_effect_with(model.view.speed_ns, move |_| {
        for side in model.sides().iter().filter(|_| model.busy()) {
            engine.ask(*side, &Request::Pace(model.pace(0)));
        }
    });
}

/// A side runs when its configuration changes: the first time at once, then a moment after the last change.
#[hook]
fn use_runs(side: Side, model: &Rc<Model>, engine: &Rc<Engine>) {
    let first = use_mut_ref(|| true);
    let present = model.sides().contains(&side);
    let config = present.then(|| Rc::clone(model.setup.config(side)));
    let (engine, model) = (Rc::clone(engine), Rc::clone(model));
    use_effect_with(config, move |config| {
        let patience = if std::mem::take(&mut *first.borrow_mut()) {
            0
        } else {
            DEBOUNCE_MS
        };
        let timer = if config.is_some() {
            Some(Timeout::new(patience, move || {
                engine.start(&model.setup, side, model.pace(0));
            }))
        } else {
            engine.drop_side(side);
            None
        };
        move || drop(timer)
    });
}

/// A cursor somewhere asks the worker what is there.
#[hook]
fn use_questions(model: &Rc<Model>, engine: &Rc<Engine>, dispatch: &Callback<Action>) {
    let tickets = use_mut_ref(|| 0_u32);
    let (engine, dispatch) = (Rc::clone(engine), dispatch.clone());
    use_effect_with(model.question(), move |question| {
        let question = *question;
        let timer = question.map(|question| {
            Timeout::new(QUESTION_MS, move || {
                let ticket = {
                    let mut tickets = tickets.borrow_mut();
                    *tickets += 1;
                    *tickets
                };
                dispatch.emit(Action::Inspecting(ticket, question));
                let Question {
                    cpu, at_ns, about, ..
                } = question;
                engine.ask(
                    question.side,
                    &Request::Inspect {
                        ticket,
                        cpu,
                        at_ns,
                        about,
                    },
                );
            })
        });
        move || drop(timer)
    });
}

/// The address follows the model, and the model an address that somebody else changed.
#[hook]
fn use_address(model: &Rc<Model>, dispatch: &Callback<Action>) {
    let address = use_mut_ref(Address::default);
    {
        let address = Rc::clone(&address);
        let dispatch = dispatch.clone();
        use_effect_with((), move |()| {
            let listener = web_sys::window().map(|window| {
                EventListener::new(&window, "popstate", move |_| {
                    let link = url::read(&address::fragment());
                    address.borrow_mut().opened(&link.setup);
                    dispatch.emit(Action::Opened(Box::new(link)));
                })
            });
            move || drop(listener)
        });
    }
    let text = model.address();
    let (setup, trail) = (model.setup.clone(), model.trail);
    use_effect_with(text, move |text| {
        address.borrow_mut().follow(text.clone(), &setup, trail);
    });
}

/// Keys that no control wants for itself.
#[hook]
fn use_keyboard(on_command: &Callback<Command>) {
    let on_command = on_command.clone();
    use_effect_with(on_command, |on_command| {
        let on_command = on_command.clone();
        let listener = web_sys::window()
            .and_then(|w| w.document())
            .map(|document| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&document, "keydown", options, move |event| {
                    let Some(key) = event.dyn_ref::<DomKey>() else {
                        return;
                    };
                    let modified = key.ctrl_key() || key.alt_key() || key.meta_key();
                    if let Some(command) = keyboard::command(&key.key(), modified, focus(key)) {
                        event.prevent_default();
                        on_command.emit(command);
                    }
                })
            });
        move || drop(listener)
    });
}

/// What has the keyboard's attention.
fn focus(event: &DomKey) -> Focus {
    let Some(element) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
        return Focus::Page;
    };
    let is = |selector: &str| element.closest(selector).ok().flatten().is_some();
    if is("dialog") {
        Focus::Sheet
    } else if is("textarea, select, input:not([type=range]):not([type=checkbox])") {
        Focus::Writing
    } else if is("button, input, summary, a, [role=slider], [tabindex]:not([data-page-keys])") {
        Focus::Control
    } else {
        Focus::Page
    }
}
