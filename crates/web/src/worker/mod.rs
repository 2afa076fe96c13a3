//! The worker's side: takes requests, drives a run in slices, streams what is new, answers questions about it.
//!
//! Between two slices the worker listens, so a new configuration supersedes the old at once. A slice ends by a message
//! to itself, which the browser delivers after whatever the page has sent.

mod bench;
mod explain;
mod record;
mod session;

use crate::boot;
use crate::protocol::{Parting, Reply, Request, RunSide, encode};
use js_sys::{Array, Uint32Array};
use schedlab_engine::config::Scenario;
use schedlab_engine::fragment;
use schedlab_engine::sim::{Sim, divergence};
use session::Session;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessagePort};

/// The first numbers of a run are sent after this much simulation, ms: soon, whatever they are worth.
const FIRST_SLICE_MS: f64 = 6.0;

/// So long the worker simulates before it listens again, ms.
const SLICE_MS: f64 = 24.0;

/// Numbers are sent this far apart, ms; more often nobody sees.
const BETWEEN_UPDATES_MS: f64 = 90.0;

/// So many updates may be on their way: a page that is slower than the worker is not buried.
const UNSEEN: u32 = 2;

/// Starts to answer.
pub(crate) fn start(scope: &DedicatedWorkerGlobalScope) {
    tell_of_panics(scope.clone());
    let desk = Rc::new(Desk::new(scope.clone()));
    Desk::turn_on_ticks(&desk);
    boot::listen(scope, move |message| {
        if let Ok(request) = serde_wasm_bindgen::from_value::<Request>(message) {
            desk.handle(request);
        }
    });
}

/// A mistake of the engine is told in its own words before the worker ends.
fn tell_of_panics(scope: DedicatedWorkerGlobalScope) {
    std::panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        post(&scope, &Reply::Broken(info.to_string()));
    }));
}

fn post(scope: &DedicatedWorkerGlobalScope, reply: &Reply) {
    let reply = serde_wasm_bindgen::to_value(reply).expect("a reply is plain data");
    scope
        .post_message(&reply)
        .expect("plain data can be posted");
}

/// What is on the worker's desk.
struct Desk {
    scope: DedicatedWorkerGlobalScope,
    ticks: MessagePort,
    inner: RefCell<Work>,
}

#[derive(Default)]
struct Work {
    session: Option<Session>,
    run: u32,
    halted: bool,
    /// Is a tick on its way?
    ticking: bool,
    /// Updates that the page has not asked to follow yet.
    unseen: u32,
    /// When the last update went, ms.
    sent_at: f64,
    /// Real time spent on the run, ms.
    wall_ms: f64,
}

impl Desk {
    fn new(scope: DedicatedWorkerGlobalScope) -> Self {
        let channel = MessageChannel::new().expect("a worker has channels");
        let ticks = channel.port2();
        let desk = Self {
            scope,
            ticks,
            inner: RefCell::default(),
        };
        CHANNEL.with_borrow_mut(|kept| *kept = Some(channel));
        desk
    }

    /// A message to oneself carries on with the run.
    fn turn_on_ticks(desk: &Rc<Self>) {
        let ticked = Rc::clone(desk);
        let on_tick = Closure::<dyn FnMut()>::new(move || ticked.tick());
        CHANNEL.with_borrow(|kept| {
            if let Some(channel) = kept {
                channel
                    .port1()
                    .set_onmessage(Some(on_tick.as_ref().unchecked_ref()));
            }
        });
        // It ticks for as long as the worker lives.
        on_tick.forget();
    }

    fn handle(&self, request: Request) {
        match request {
            Request::Run { run, side, config } => self.begin(run, side, &config),
            Request::More => {
                let mut work = self.inner.borrow_mut();
                work.unseen = work.unseen.saturating_sub(1);
            }
            Request::Halt(on) => self.inner.borrow_mut().halted = on,
            Request::Inspect {
                ticket,
                cpu,
                at_ns,
                about,
            } => {
                let work = self.inner.borrow();
                let session = work.session.as_ref();
                let queue = session.and_then(|s| s.queue(cpu, at_ns));
                let explained = session
                    .zip(about)
                    .and_then(|(s, about)| s.explained(cpu, about));
                post(
                    &self.scope,
                    &Reply::Inspected {
                        ticket,
                        queue,
                        explained,
                    },
                );
            }
            Request::Diverge { from, other } => {
                post(&self.scope, &Reply::Diverged(diverge(&from, &other)));
            }
            Request::Bench { config, watched } => {
                post(&self.scope, &bench::bench(&config, watched, now_ms));
            }
        }
        self.schedule_tick();
    }

    fn begin(&self, run: u32, side: RunSide, config: &str) {
        let (config, _) = fragment::parse(config);
        let scenario = match Scenario::try_from(&config) {
            Ok(scenario) => scenario,
            Err(problems) => {
                let problems = problems.0.iter().map(ToString::to_string).collect();
                self.inner.borrow_mut().session = None;
                post(&self.scope, &Reply::Rejected { run, problems });
                return;
            }
        };
        let ticking = self.inner.borrow().ticking;
        *self.inner.borrow_mut() = Work {
            session: Some(Session::new(run, side, &scenario)),
            run,
            ticking,
            ..Work::default()
        };
    }

    fn schedule_tick(&self) {
        let mut work = self.inner.borrow_mut();
        let going = work.session.as_ref().is_some_and(|s| s.halt().is_none()) && !work.halted;
        if going && !work.ticking {
            work.ticking = true;
            self.ticks
                .post_message(&JsValue::NULL)
                .expect("nothing can be posted");
        }
    }

    fn tick(&self) {
        {
            let mut work = self.inner.borrow_mut();
            work.ticking = false;
            let halted = work.halted;
            if let Some(session) = work.session.take_if(|s| !halted && s.halt().is_none()) {
                self.carry_on(&mut work, session);
            }
        }
        self.schedule_tick();
    }

    /// One slice, and what is to be sent after it.
    fn carry_on(&self, work: &mut Work, mut session: Session) {
        let begun = now_ms();
        let first = work.wall_ms == 0.0;
        session.slice(if first { FIRST_SLICE_MS } else { SLICE_MS }, now_ms);
        let now = now_ms();
        work.wall_ms += now - begun;
        let over = session.halt();
        let due = now - work.sent_at >= BETWEEN_UPDATES_MS && work.unseen < UNSEEN;
        if first || due || over.is_some() {
            self.send(&mut session);
            work.unseen += 1;
            work.sent_at = now;
        }
        if let Some(why) = over {
            post(
                &self.scope,
                &Reply::Ended {
                    run: work.run,
                    why,
                    wall_ms: work.wall_ms,
                },
            );
        }
        work.session = Some(session);
    }

    /// The new numbers go as one buffer that moves instead of being copied.
    fn send(&self, session: &mut Session) {
        let words = Uint32Array::from(encode(&session.update()).as_slice());
        let moved = Array::of1(&words.buffer());
        self.scope
            .post_message_with_transfer(&words, &moved)
            .expect("a buffer can be moved once");
    }
}

/// So long two runs are searched for their first difference, ms.
const PATIENCE_MS: f64 = 5_000.0;

/// Where the runs of two links first decide differently; none where they do not, or cannot be run.
fn diverge(from: &str, other: &str) -> Option<Parting> {
    let scenario = |link: &str| Scenario::try_from(&fragment::parse(link).0).ok();
    let (a, b) = (scenario(from)?, scenario(other)?);
    let end = now_ms() + PATIENCE_MS;
    let found = divergence::find(&a, &b, || now_ms() > end);
    explain::parting((Sim::new(&a), Sim::new(&b)), &found)
}

thread_local! {
    /// Both ends of the channel to oneself, which would otherwise be collected.
    static CHANNEL: RefCell<Option<MessageChannel>> = const { RefCell::new(None) };
}

/// Real time, ms.
fn now_ms() -> f64 {
    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        fn now() -> f64;
    }
    now()
}
