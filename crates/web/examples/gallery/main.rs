//! Every picture on invented runs: to look at them and to measure them without an engine.

use std::rc::Rc;

use schedlab_web::demo::{self, Demo};
use schedlab_web::model::view::View;
use schedlab_web::protocol::RunSide;
use schedlab_web::view::chart::{
    Accounts, Distribution, DistributionAs, Latency, QueueMeasure, Queues, Throughput,
};
use schedlab_web::view::figure::Figure;
use schedlab_web::view::picture::{AnyPicture, Runs};
use schedlab_web::view::run_queue::QueuePicture;
use schedlab_web::view::timeline::Timeline;
use schedlab_web::view::topology::TopologyPicture;
use yew::prelude::*;

/// How many slices the address asks for: `#1000000`.
fn wanted() -> Option<u64> {
    let hash = web_sys::window()?.location().hash().ok()?;
    hash.trim_start_matches('#').parse().ok()
}

#[component]
fn Gallery() -> Html {
    let runs = use_memo((), |()| {
        let demo = |side| {
            let demo = wanted().map_or(Demo::small(side), |slices| Demo::large(side, slices / 2));
            Some(Rc::new(demo.snapshot()))
        };
        Runs {
            a: demo(RunSide::A),
            b: demo(RunSide::B),
        }
    });
    let queue = use_memo((), |()| QueuePicture {
        queue: Some(Rc::new(demo::run_queue())),
        side: RunSide::A,
        ..QueuePicture::default()
    });
    let view = use_state(View::default);
    let on_look = {
        let view = view.clone();
        Callback::from(move |next| view.set(next))
    };
    let (runs, window) = ((*runs).clone(), view.window);
    html! {
        <main class="stage gallery">
            <div class="charts">
                <div class="card"><Figure id="throughput" {window} picture={AnyPicture::from(Throughput { runs: runs.clone() })} /></div>
                <div class="card"><Figure id="latency" {window} picture={AnyPicture::from(Latency { runs: runs.clone() })} /></div>
                <div class="card"><Figure id="distribution"
                    picture={AnyPicture::from(Distribution { runs: runs.clone(), heights: DistributionAs::Shares })} /></div>
                <div class="card"><Figure id="queues" {window}
                    picture={AnyPicture::from(Queues { runs: runs.clone(), measure: QueueMeasure::Waiting })} /></div>
                <div class="card"><Figure id="accounts" picture={AnyPicture::from(Accounts { runs: runs.clone() })} /></div>
            </div>
            <div class="card"><Timeline runs={runs.clone()} view={*view} {on_look} /></div>
            <div class="pair">
                <div class="card"><Figure id="queue" picture={AnyPicture::from((*queue).clone())} /></div>
                <div class="card"><Figure id="topology" picture={AnyPicture::from(TopologyPicture {
                    runs,
                    at_ns: view.cursor.map(|cursor| cursor.at_ns),
                    when: String::new(),
                    colour: view.colour,
                })} /></div>
            </div>
        </main>
    }
}

fn main() {
    yew::Renderer::<Gallery>::new().render();
}
