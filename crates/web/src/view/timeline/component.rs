//! The timeline on the page: two canvases, the pointer, the wheel, a few keys.
//!
//! Thin: what is drawn, found and meant is decided by the neighbours. The lower canvas is painted when time or data
//! change, the upper one when the pointer or the cursor move.

use crate::dom::{html, use_effect_with};
use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, HtmlElement, HtmlSelectElement};
use yew::prelude::*;

use super::controls::{Legend, controls};
use super::focus;
use super::hand::{Hand, Now};
use super::hit::Hit;
use super::layout::Layout;
use super::picture::{Means, Pyramids, Scope};
use super::tip::{Tip, beside, tip};
use crate::format;
use crate::model::view::{Cursor, View};
use crate::number::px;
use crate::protocol::RunSide;
use crate::text::{Msg, fill, text};
use crate::view::figure::{Data, data_button, position};
use crate::view::files::FileKind;
use crate::view::geometry::Point;
use crate::view::host::{self, Stage, use_stage};
use crate::view::picture::{Runs, letter};

/// Properties of [`Timeline`].
#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    /// The runs.
    pub runs: Runs,
    /// The stretch of time, the cursor, the colours.
    pub view: View,
    /// Is the cursor one that somebody has set? Then its lane is kept in sight.
    #[prop_or_default]
    pub chosen: bool,
    /// Told how to look instead.
    pub on_look: Callback<View>,
}

/// Rows of the table behind the timeline.
const ROWS: usize = 200;

/// The timeline.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let (host, lower, upper) = (use_node_ref(), use_node_ref(), use_node_ref());
    // The height follows from the lanes, so a change of it is no reason to paint again.
    let stage = use_stage(&host).map(|stage| Stage {
        height: 0.0,
        ..stage
    });
    let pointed = use_state_eq(|| None::<(Point, Hit)>);
    let open = use_state_eq(|| false);
    let listed = use_state_eq(|| None::<LaneOf>);
    let at_cursor = || props.view.cursor.map(|cursor| (cursor.side, cursor.cpu));
    let lane = listed.or_else(at_cursor).unwrap_or_default();
    let hand = use_memo((), |()| RefCell::new(Hand::default()));
    let scope = Scope {
        runs: props.runs.clone(),
        window: props.view.window_or_all(props.runs.recorded_ns()),
        colour: props.view.colour,
    };
    if let Some(stage) = &stage {
        hand.borrow_mut().now = Some(Now {
            layout: Rc::new(Layout::new(&props.runs, stage.width, &stage.font)),
            view: props.view,
            scope: scope.clone(),
            stage: stage.clone(),
            on_look: props.on_look.clone(),
        });
    }
    use_painted(&host, &lower, &hand, &(scope.clone(), stage.clone()));
    use_overlay(
        &upper,
        &hand,
        (scope.clone(), stage.clone(), props.view.cursor, *pointed),
    );
    use_wheel(&upper, &hand);
    let place = use_node_ref();
    use_lane_in_sight(&place, &hand, props.view.cursor.filter(|_| props.chosen));

    let said = pointed
        .as_ref()
        .and_then(|(at, hit)| Some((*at, tip(&props.runs, *hit)?)));
    let at_cursor = props.view.cursor.and_then(|cursor| {
        let run = props.runs.get(cursor.side)?;
        let index = run
            .trace
            .lanes
            .get(usize::from(cursor.cpu))?
            .index_at(cursor.at_ns)?;
        tip(
            &props.runs,
            Hit::Slice {
                side: cursor.side,
                cpu: cursor.cpu,
                index,
            },
        )
    });
    let summary = use_memo(scope.clone(), Scope::summary);
    let toggle = {
        let open = open.clone();
        Callback::from(move |()| open.set(!*open))
    };
    let label = format!("{}. {}", text(Msg::Timeline), text(Msg::TimelineKeys));
    let (moved, pressed, released, left) = pointer_callbacks(&hand, &pointed);
    let double = {
        let hand = hand.clone();
        move |event: MouseEvent| hand.borrow_mut().enter(position(&event))
    };
    let key = {
        let hand = hand.clone();
        move |event: KeyboardEvent| {
            if hand.borrow_mut().key(&event.key(), event.shift_key()) {
                event.prevent_default();
                event.stop_propagation();
            }
        }
    };
    html! {
        <figure class="picture timeline" id="timeline">
            <figcaption>
                <span class="picture-title">{ text(Msg::Timeline) }</span>
                <span class="picture-beside">{ limit(&props.runs) }</span>
                { controls(props.view, props.runs.recorded_ns(), &props.on_look) }
                { data_button("timeline", *open, &toggle) }
            </figcaption>
            <div class="timeline-body" ref={host}>
                <canvas ref={lower} aria-hidden="true" />
                <canvas ref={upper} class="timeline-hand" id="timeline-hand" tabindex="0" role="application" aria-label={label}
                    aria-describedby="timeline-summary" data-page-keys="true"
                    onpointermove={moved} onpointerdown={pressed} onpointerup={released.clone()}
                    onpointercancel={released} onpointerleave={left} ondblclick={double} onkeydown={key} />
                <span ref={place} class="timeline-place" aria-hidden="true"></span>
                if let Some((at, tip)) = said {
                    <TipBox {at} {tip} />
                }
            </div>
            <Legend runs={props.runs.clone()} colour={props.view.colour} theme={stage.map(|stage| stage.theme).unwrap_or_default()} />
            <p class="sr-only" id="timeline-summary">{ (*summary).clone() }</p>
            <p class="sr-only" aria-live="polite">{ at_cursor.map(|tip| tip.sentence()) }</p>
            if *open {
                <Data id="timeline" table={scope.table(lane.0, lane.1, ROWS)} part={lane_choice(&props.runs, lane, &listed)}
                    on_close={toggle} on_save={saver(&hand, lane)} />
            }
        </figure>
    }
}

/// How far the recording goes, if it did not go all the way.
fn limit(runs: &Runs) -> Option<String> {
    let full = runs.iter().any(|(_, run)| run.trace.full);
    let span = |ns: u64| format::span(ns as f64).text();
    let (time, all) = (span(runs.recorded_ns()), span(runs.end_ns()));
    full.then(|| fill(Msg::TimelineFull, &[("time", &time), ("all", &all)]))
}

/// A lane by its run and CPU.
type LaneOf = (RunSide, u16);

/// Which lane's slices are listed: another one may be chosen.
fn lane_choice(runs: &Runs, listed: LaneOf, choice: &UseStateHandle<Option<LaneOf>>) -> Html {
    let lanes = runs
        .iter()
        .flat_map(|(side, run)| (0..run.cpus() as u16).map(move |cpu| (side, cpu)));
    let lanes: Vec<LaneOf> = lanes.collect();
    let name = |(side, cpu): LaneOf| {
        let words = fill(Msg::PictureCpu, &[("cpu", &cpu.to_string())]);
        if runs.compared() {
            format!("{} · {words}", letter(side))
        } else {
            words
        }
    };
    let option =
        |lane: &LaneOf| html! { <option selected={*lane == listed}>{ name(*lane) }</option> };
    let options: Vec<Html> = lanes.iter().map(option).collect();
    let setter = choice.setter();
    let onchange = move |event: Event| {
        let index = event
            .target_unchecked_into::<HtmlSelectElement>()
            .selected_index();
        setter.set(
            usize::try_from(index)
                .ok()
                .and_then(|i| lanes.get(i).copied()),
        );
    };
    html! {
        <label class="timeline-colour">{ text(Msg::TimelineSlices) }<select {onchange}>{ for options }</select></label>
    }
}

/// Paints the lower canvas when time or data change.
#[hook]
fn use_painted(
    host: &NodeRef,
    canvas: &NodeRef,
    hand: &Rc<RefCell<Hand>>,
    scope: &(Scope, Option<Stage>),
) {
    let (host, canvas, hand) = (host.clone(), canvas.clone(), hand.clone());
    let pyramids = use_mut_ref(Pyramids::default);
    use_effect_with(scope.clone(), move |(scope, stage)| {
        let parts = (
            host.cast::<HtmlElement>(),
            canvas.cast::<HtmlCanvasElement>(),
            stage,
        );
        let (Some(host), Some(canvas), Some(stage)) = parts else {
            return;
        };
        let Some(layout) = hand.borrow().now.as_ref().map(|now| Rc::clone(&now.layout)) else {
            return;
        };
        let mut pyramids = pyramids.borrow_mut();
        pyramids.follow(&scope.runs);
        let means = Means {
            layout: &layout,
            font: &stage.font,
            theme: stage.theme,
            ratio: stage.ratio,
            pyramids: &pyramids,
        };
        let scene = scope.scene(&means);
        host.style()
            .set_property("height", &format!("{}px", px(layout.height)))
            .expect("a size is a valid value");
        let stage = Stage {
            height: layout.height,
            ..stage.clone()
        };
        host::prepare(&canvas, &stage);
        host::draw(&canvas, &stage, &scene.shapes);
        hand.borrow_mut().marks = scene;
    });
}

type Over = (Scope, Option<Stage>, Option<Cursor>, Option<(Point, Hit)>);

/// Paints the upper canvas when the pointer or the cursor move.
#[hook]
fn use_overlay(canvas: &NodeRef, hand: &Rc<RefCell<Hand>>, over: Over) {
    let (canvas, hand) = (canvas.clone(), hand.clone());
    use_effect_with(over, move |(scope, stage, cursor, pointed)| {
        let (Some(canvas), Some(stage)) = (canvas.cast::<HtmlCanvasElement>(), stage) else {
            return;
        };
        let Some(layout) = hand.borrow().now.as_ref().map(|now| Rc::clone(&now.layout)) else {
            return;
        };
        let scale = scope.scale(&layout);
        let parts = (layout.as_ref(), &scope.runs);
        let mut shapes = Vec::new();
        if let Some(cursor) = cursor {
            shapes.extend(focus::cursor(parts, &scale, *cursor));
        }
        if let Some((at, hit)) = pointed {
            shapes.extend(focus::hover(parts, &scale, *hit));
            shapes.extend(focus::stretch(&layout, hand.borrow().stretch(at.x)));
        }
        let stage = Stage {
            height: layout.height,
            ..stage.clone()
        };
        host::paint_over(&canvas, &stage, &shapes);
    });
}

/// Scrolls by the least that brings the lane of the cursor out from under what stays at the foot of the page.
#[hook]
fn use_lane_in_sight(place: &NodeRef, hand: &Rc<RefCell<Hand>>, cursor: Option<Cursor>) {
    let (place, hand) = (place.clone(), hand.clone());
    use_effect_with(cursor, move |cursor| {
        let hand = hand.borrow();
        let layout = hand.now.as_ref().map(|now| &now.layout);
        let lane = cursor.and_then(|at| layout?.lane(at.side, at.cpu));
        if let Some((lane, place)) = lane.zip(place.cast::<HtmlElement>()) {
            for (name, px_) in [("top", lane.rect.y), ("height", lane.rect.h)] {
                place
                    .style()
                    .set_property(name, &format!("{}px", px(px_)))
                    .expect("a place is a valid value");
            }
            host::bring_in_sight(&place);
        }
    });
}

/// Listens to the wheel; the browser only lets a listener of its own keep the page from scrolling.
#[hook]
fn use_wheel(canvas: &NodeRef, hand: &Rc<RefCell<Hand>>) {
    let (canvas, hand) = (canvas.clone(), hand.clone());
    use_effect_with((), move |()| {
        let listener = canvas.cast::<Element>().map(|element| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&element, "wheel", options, move |event| {
                let event: &WheelEvent = event.unchecked_ref();
                if hand.borrow_mut().wheel(event) {
                    event.prevent_default();
                }
            })
        });
        move || drop(listener)
    });
}

type PointerCallback = Callback<PointerEvent>;

fn pointer_callbacks(
    hand: &Rc<RefCell<Hand>>,
    pointed: &UseStateHandle<Option<(Point, Hit)>>,
) -> (
    PointerCallback,
    PointerCallback,
    PointerCallback,
    PointerCallback,
) {
    let (on_move, on_press, on_release) = (hand.clone(), hand.clone(), hand.clone());
    let (set, unset) = (pointed.setter(), pointed.setter());
    let moved = Callback::from(move |event: PointerEvent| {
        let mut hand = on_move.borrow_mut();
        let at = position(&event);
        hand.moved(event.pointer_id(), at);
        let shown = event.pointer_type() != "touch" && !hand.is_busy();
        set.set(hand.hit(at).filter(|_| shown).map(|hit| (at, hit)));
    });
    let pressed = Callback::from(move |event: PointerEvent| {
        if event.button() == 0 {
            if let Some(element) = event.target_dyn_into::<Element>() {
                // A pointer that is already gone cannot be captured, and need not be.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            on_press
                .borrow_mut()
                .pressed(event.pointer_id(), position(&event));
        }
    });
    let released = Callback::from(move |event: PointerEvent| {
        let cancelled = event.type_() == "pointercancel";
        on_release
            .borrow_mut()
            .released(event.pointer_id(), position(&event), cancelled);
    });
    let left = Callback::from(move |_| unset.set(None));
    (moved, pressed, released, left)
}

fn saver(hand: &Rc<RefCell<Hand>>, lane: LaneOf) -> Callback<FileKind> {
    let hand = hand.clone();
    Callback::from(move |kind| hand.borrow().save(kind, lane))
}

#[derive(Properties, PartialEq)]
struct TipBoxProps {
    at: Point,
    tip: Tip,
}

/// What is known of the thing under the pointer, beside it.
#[component]
fn TipBox(props: &TipBoxProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((props.at, props.tip.clone()), move |(at, _)| {
            let Some(element) = node.cast::<HtmlElement>() else {
                return;
            };
            let Some(host) = element.parent_element() else {
                return;
            };
            let size = [element.offset_width(), element.offset_height()].map(f64::from);
            let room = [host.client_width(), host.client_height()].map(f64::from);
            let [x, y] = beside(*at, size, room);
            for (name, place) in [("left", x), ("top", y)] {
                element
                    .style()
                    .set_property(name, &format!("{}px", px(place)))
                    .expect("a place is a valid value");
            }
        });
    }
    let line =
        |(name, value): &(String, String)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> };
    html! {
        <div class="tip" ref={node} aria-hidden="true">
            <b>{ &props.tip.title }</b>
            <dl>{ for props.tip.lines.iter().map(line) }</dl>
        </div>
    }
}
