//! The page's end of the workers: starts runs, passes on what comes back, starts a new worker where one broke down.
//!
//! Each side has a worker of its own, so that two runs use two cores and one that breaks down leaves the other alone.
//! Not here: what a run is (the worker), nor what its numbers mean (the model).

use crate::boot::EngineWorker;
use crate::model::{Action, Setup, Side};
use crate::protocol::{self, DecodeError, Pace, Reply, Request, Snapshot, Update};
use gloo_timers::callback::Timeout;
use js_sys::{Array, Object, Uint32Array};
use schedlab_engine::fragment;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use yew::Callback;

/// The page's end of the workers.
#[derive(Clone)]
pub(crate) struct Engine(Rc<Inner>);

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Inner {
    dispatch: Callback<Action>,
    sides: [RefCell<Line>; 2],
    /// The number of the last run.
    runs: RefCell<u32>,
}

/// One side's worker and what came from it.
#[derive(Default)]
struct Line {
    worker: Option<EngineWorker>,
    latest: Option<Rc<Snapshot>>,
    run: u32,
}

impl Engine {
    /// No worker yet; `dispatch` is told what comes.
    pub(crate) fn new(dispatch: Callback<Action>) -> Self {
        Self(Rc::new(Inner {
            dispatch,
            sides: [RefCell::default(), RefCell::default()],
            runs: RefCell::new(0),
        }))
    }

    /// Runs one side of `setup` from the start; whatever it was at is over.
    pub(crate) fn start(&self, setup: &Setup, side: Side, pace: Pace) {
        let run = {
            let mut runs = self.0.runs.borrow_mut();
            *runs += 1;
            *runs
        };
        self.0.sides[side as usize].borrow_mut().run = run;
        self.0.dispatch.emit(Action::Started { side, run });
        let config = fragment::print(setup.config(side));
        let request = Request::Run {
            run,
            side,
            config,
            pace,
        };
        self.ask(side, &request);
    }

    /// Nothing of that side is needed any more.
    pub(crate) fn drop_side(&self, side: Side) {
        *self.0.sides[side as usize].borrow_mut() = Line::default();
    }

    /// Asks the worker of `side`; starts one if there is none.
    pub(crate) fn ask(&self, side: Side, request: &Request) {
        let message = Uint32Array::from(request.encode().as_slice()).into();
        let mut line = self.0.sides[side as usize].borrow_mut();
        if line.worker.is_none() {
            match self.spawn(side) {
                Ok(worker) => line.worker = Some(worker),
                Err(error) => {
                    drop(line);
                    let words = error.unchecked_into::<Object>().to_string().into();
                    self.0.dispatch.emit(Action::Broke(side, words));
                    return;
                }
            }
        }
        if let Some(worker) = &line.worker {
            worker.post(message, Array::new());
        }
    }

    fn spawn(&self, side: Side) -> Result<EngineWorker, JsValue> {
        let (heard, broke) = (self.clone(), self.clone());
        EngineWorker::spawn(
            move |message| heard.hear(side, &message),
            move |words| broke.broke(side, words),
        )
    }

    fn hear(&self, side: Side, message: &JsValue) {
        let Some(words) = message.dyn_ref::<Uint32Array>().map(Uint32Array::to_vec) else {
            return;
        };
        let error = match protocol::decode(&words) {
            Ok(update) => return self.advance(side, update),
            Err(DecodeError::NotOurs) => match Reply::decode(&words) {
                Ok(Reply::Broken(words)) => return self.broke(side, words),
                Ok(reply) => {
                    return self.0.dispatch.emit(Action::Replied(side, Box::new(reply)));
                }
                Err(error) => error,
            },
            Err(error) => error,
        };
        self.broke(side, error.to_string());
    }

    fn advance(&self, side: Side, update: Update) {
        let snapshot = {
            let mut line = self.0.sides[side as usize].borrow_mut();
            if update.run != line.run {
                return;
            }
            let snapshot = Rc::new(Snapshot::advance(line.latest.as_deref(), update));
            line.latest = Some(Rc::clone(&snapshot));
            snapshot
        };
        self.0.dispatch.emit(Action::Arrived(snapshot));
        let other_ns = self.going(side.other());
        self.ask(side, &Request::More { other_ns });
    }

    /// How far the run of `side` is that goes on, ns.
    fn going(&self, side: Side) -> Option<u64> {
        let line = self.0.sides[side as usize].borrow();
        let own = |s: &&Rc<Snapshot>| line.worker.is_some() && s.run == line.run && !s.done;
        line.latest.as_ref().filter(own).map(|s| s.now_ns)
    }

    /// The worker's memory is not to be trusted any more: it goes, and the next question starts another.
    fn broke(&self, side: Side, words: String) {
        let engine = self.clone();
        // Not at once: this is called by the very worker that goes.
        Timeout::new(0, move || {
            let broken = engine.0.sides[side as usize].borrow_mut().worker.take();
            if broken.is_some() {
                engine.0.dispatch.emit(Action::Broke(side, words));
            }
        })
        .forget();
    }
}
