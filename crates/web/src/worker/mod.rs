//! The worker's side: takes requests, drives a run in slices, streams what is new, answers questions about it.
//!
//! Between two slices the worker listens, so a new configuration supersedes the old at once. A slice ends by a message
//! to itself, which the browser delivers after whatever the page has sent.

mod bench;
mod explain;
mod idle;
mod names;
mod record;
mod session;

use crate::boot;
use crate::model::pace::{Pacer, Turn};
use crate::protocol::{PAGE, Pace, Partings, Reply, Request, RunSide, Search, encode};
use gloo_timers::callback::Timeout;
use js_sys::{Array, Uint32Array};
use schedlab_engine::config::Scenario;
use schedlab_engine::fragment;
use schedlab_engine::sim::{Sim, divergence};
use schedlab_engine::time::Instant;
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

/// The same while a run is played: often enough to be seen as a motion.
const BETWEEN_FRAMES_MS: f64 = 50.0;

/// So long a played run rests at most before it looks at the clock again, ms.
const REST_MS: f64 = 20.0;

/// So many updates may be on their way: a page that is slower than the worker is not buried.
const UNSEEN: u32 = 2;

/// Starts to answer.
pub(crate) fn start(scope: &DedicatedWorkerGlobalScope) {
    #[cfg(debug_assertions)]
    tell_of_panics(scope.clone());
    let desk = Rc::new(Desk::new(scope.clone()));
    Desk::turn_on_ticks(&desk);
    boot::listen(scope, move |message| {
        let words = message.dyn_ref::<Uint32Array>().map(Uint32Array::to_vec);
        if let Some(Ok(request)) = words.as_deref().map(Request::decode) {
            desk.handle(request);
        }
    });
}

/// A mistake of the engine is told in its own words before the worker ends; in the site that is shipped panics have none.
#[cfg(debug_assertions)]
fn tell_of_panics(scope: DedicatedWorkerGlobalScope) {
    std::panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        post(&scope, &Reply::Broken(info.to_string()));
    }));
}

fn post(scope: &DedicatedWorkerGlobalScope, reply: &Reply) {
    send_words(scope, &reply.encode());
}

/// Words go as one buffer that moves instead of being copied.
fn send_words(scope: &DedicatedWorkerGlobalScope, words: &[u32]) {
    let words = Uint32Array::from(words);
    let moved = Array::of1(&words.buffer());
    scope
        .post_message_with_transfer(&words, &moved)
        .expect("a buffer can be moved once");
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
    pacer: Pacer,
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
            Request::Run {
                run,
                side,
                config,
                pace,
            } => self.begin((run, side), &config, pace),
            Request::More { other_ns } => {
                let mut work = self.inner.borrow_mut();
                work.unseen = work.unseen.saturating_sub(1);
                work.pacer.other_ns = other_ns;
            }
            Request::Halt(on) => self.halt(on),
            Request::Pace(pace) => self.inner.borrow_mut().pacer = Pacer::new(pace),
            Request::Step => self.step(),
            Request::Inspect {
                ticket,
                cpu,
                at_ns,
                about,
            } => {
                let work = self.inner.borrow();
                let session = work.session.as_ref();
                // What is earlier first: what is later is near then.
                let explained = session
                    .zip(about)
                    .and_then(|(s, about)| s.told(cpu, about, at_ns))
                    .map(Rc::new);
                let queue = session.and_then(|s| s.queue(cpu, at_ns));
                post(
                    &self.scope,
                    &Reply::Inspected {
                        ticket,
                        queue,
                        explained,
                    },
                );
            }
            Request::Diverge {
                from,
                other,
                search,
            } => post(
                &self.scope,
                &Reply::Diverged(diverge(&from, &other, search)),
            ),
            Request::Bench { config, watched } => {
                post(&self.scope, &bench::bench(&config, watched, now_ms));
            }
        }
        self.schedule_tick();
    }

    fn begin(&self, (run, side): (u32, RunSide), config: &str, pace: Pace) {
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
            session: Some(Session::new(run, side, &config, &scenario)),
            run,
            ticking,
            pacer: Pacer::new(pace),
            ..Work::default()
        };
    }

    /// A run that halts shows where.
    fn halt(&self, on: bool) {
        let work = &mut *self.inner.borrow_mut();
        work.halted = on;
        work.pacer = work.pacer.rested();
        if let Some(session) = work.session.as_mut().filter(|s| on && s.halt().is_none()) {
            self.send(session);
            work.unseen += 1;
        }
    }

    /// One event more.
    fn step(&self) {
        let work = &mut *self.inner.borrow_mut();
        let Some(session) = work.session.as_mut().filter(|s| s.halt().is_none()) else {
            return;
        };
        session.step();
        self.send(session);
        work.unseen += 1;
        self.tell_end(work);
    }

    fn schedule_tick(&self) {
        let mut work = self.inner.borrow_mut();
        let now = work.session.as_ref().filter(|s| s.halt().is_none());
        let Some(now) = now
            .map(Session::now_ns)
            .filter(|_| !work.halted && !work.ticking)
        else {
            return;
        };
        work.ticking = true;
        let (turn, pacer) = work.pacer.turn(now, now_ms());
        work.pacer = pacer;
        let ticks = self.ticks.clone();
        let tick = move || {
            ticks
                .post_message(&JsValue::NULL)
                .expect("nothing can be posted");
        };
        match turn {
            Turn::Run(_) => tick(),
            Turn::Rest(ms) => {
                Timeout::new(ms.min(REST_MS).ceil() as u32, tick).forget();
            }
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
        let (turn, pacer) = work.pacer.turn(session.now_ns(), begun);
        work.pacer = pacer;
        if let Turn::Run(until_ns) = turn {
            let budget = if first { FIRST_SLICE_MS } else { SLICE_MS };
            session.slice(until_ns, budget, now_ms);
        }
        let now = now_ms();
        // A first slice that took no time is no longer the first either.
        work.wall_ms += (now - begun).max(f64::MIN_POSITIVE);
        let between = if work.pacer.is_paced() {
            BETWEEN_FRAMES_MS
        } else {
            BETWEEN_UPDATES_MS
        };
        let due = now - work.sent_at >= between && work.unseen < UNSEEN;
        if first || due || session.halt().is_some() {
            self.send(&mut session);
            work.unseen += 1;
            work.sent_at = now;
        }
        work.session = Some(session);
        self.tell_end(work);
    }

    /// Tells why the run is over, if it is.
    fn tell_end(&self, work: &Work) {
        if let Some(why) = work.session.as_ref().and_then(Session::halt) {
            let (run, wall_ms) = (work.run, work.wall_ms);
            post(&self.scope, &Reply::Ended { run, why, wall_ms });
        }
    }

    fn send(&self, session: &mut Session) {
        send_words(&self.scope, &encode(&session.update()));
    }
}

/// So long two runs are searched for their differences, ms.
const PATIENCE_MS: f64 = 5_000.0;

/// Where the runs of two links decide differently; nothing where they do not, or cannot be run.
fn diverge(from: &str, other: &str, search: Search) -> Partings {
    let scenario = |link: &str| Scenario::try_from(&fragment::parse(link).0).ok();
    let (Some(a), Some(b)) = (scenario(from), scenario(other)) else {
        return Partings::default();
    };
    let end = now_ms() + PATIENCE_MS;
    let skip = search.skip as usize;
    let page = skip + PAGE as usize;
    // One more tells whether there are more.
    let wanted = (Instant(search.from_ns), page + 1);
    let mut found = divergence::find(&a, &b, wanted, || now_ms() > end);
    let more = found.decisions.len() == wanted.1;
    found.decisions.truncate(page);
    found.decisions.drain(..skip.min(found.decisions.len()));
    Partings {
        search,
        more,
        ..explain::partings([Sim::new(&a), Sim::new(&b)], &found)
    }
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
