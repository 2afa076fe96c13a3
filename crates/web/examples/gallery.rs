//! Every picture on invented runs: to look at them and to measure them without an engine.

use std::rc::Rc;

use schedlab_web::demo::Demo;
use schedlab_web::model::view::Window;
use schedlab_web::protocol::RunSide;
use schedlab_web::view::chart::{
    Accounts, Distribution, DistributionAs, Latency, QueueMeasure, Queues, Throughput,
};
use schedlab_web::view::figure::Figure;
use schedlab_web::view::picture::Runs;
use yew::prelude::*;

#[component]
fn Gallery() -> Html {
    let runs = use_memo((), |()| {
        let demo = |side| Some(Rc::new(Demo::small(side).snapshot()));
        Runs {
            a: demo(RunSide::A),
            b: demo(RunSide::B),
        }
    });
    let window = use_state(|| Some(Window::new(100_000_000, 140_000_000)));
    let (runs, window) = ((*runs).clone(), *window);
    html! {
        <main class="stage gallery">
            <div class="charts">
                <div class="card"><Figure<Throughput> id="throughput" picture={Throughput { runs: runs.clone(), window }} /></div>
                <div class="card"><Figure<Latency> id="latency" picture={Latency { runs: runs.clone(), window }} /></div>
                <div class="card"><Figure<Distribution> id="distribution"
                    picture={Distribution { runs: runs.clone(), heights: DistributionAs::Shares }} /></div>
                <div class="card"><Figure<Queues> id="queues"
                    picture={Queues { runs: runs.clone(), window, measure: QueueMeasure::Waiting }} /></div>
                <div class="card"><Figure<Accounts> id="accounts" picture={Accounts { runs: runs.clone() }} /></div>
            </div>
        </main>
    }
}

fn main() {
    yew::Renderer::<Gallery>::new().render();
}
