//! Driving a run: in slices short enough that progress is told and Ctrl-C is answered at once.

use crate::failure::say;
use crate::interrupt;
use crate::numbers::time;
use crate::progress::{Progress as Shown, Stand};
use schedlab_engine::config::Scenario;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sim::{Progress, Sim};
use schedlab_engine::time::{Instant, Nanos};
use std::time::Duration;

/// A slice takes about this long.
const SLICE: Duration = Duration::from_millis(20);
/// The first slice, simulated ns.
const FIRST: u64 = 1_000_000;

/// Of a run that takes longer it is said if hardly anything happens in it.
const SLOW: Duration = Duration::from_secs(10);
/// So many events in that time are hardly any: the engine works through millions a second.
const FEW: u64 = 100_000;

/// Says what to do about a run that takes long although hardly anything happens in it.
fn advise(now: Instant, events: u64, elapsed: Duration) {
    if events < FEW && Duration::from_nanos(now.0) < elapsed {
        let (now, elapsed) = (time(now.0), time(elapsed.as_nanos() as u64));
        let words = format!(
            "{elapsed} for {now} of simulated time with {events} events: what its tasks do takes too \
             little time each; make that longer, or the run shorter with dur=TIME"
        );
        say("warning", &words);
    }
}

/// A run that is over, or was stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driven {
    /// How far it is; without a reason to stop it was stopped from outside.
    pub progress: Progress,
    /// Real time it took.
    pub elapsed: Duration,
}

/// Counts messages for the progress line.
#[derive(Default)]
struct Messages(u64);

impl Observer for Messages {
    fn record(&mut self, _: Instant, event: &Event) {
        self.0 += u64::from(matches!(event, Event::Message { .. }));
    }
}

/// Runs `sim` to its end, or until Ctrl-C, or until `observer` has had `enough`.
pub(crate) fn drive<O: Observer>(
    sim: &mut Sim,
    scenario: &Scenario,
    observer: &mut O,
    progress: Option<bool>,
    enough: impl Fn(&O) -> bool,
) -> Driven {
    drive_until(sim, scenario, (observer, enough), progress, Instant::FAR)
}

/// The same, no further than `last`.
pub(crate) fn drive_until<O: Observer>(
    sim: &mut Sim,
    scenario: &Scenario,
    (observer, enough): (&mut O, impl Fn(&O) -> bool),
    progress: Option<bool>,
    last: Instant,
) -> Driven {
    interrupt::listen();
    let started = std::time::Instant::now();
    let mut shown = Shown::new(progress);
    let mut messages = Messages::default();
    let all = scenario.estimate().messages.filter(|n| *n > 0);
    let mut span = FIRST;
    let mut is_told = progress == Some(false);
    loop {
        let from = std::time::Instant::now();
        let until = last.min(sim.progress().now + Nanos(span));
        let stand = sim.run_until(until, &mut (&mut *observer, &mut messages));
        let there = until == last;
        if stand.stop.is_some() || there || interrupt::asked() || enough(observer) {
            shown.finish();
            return Driven {
                progress: stand,
                elapsed: started.elapsed(),
            };
        }
        if !is_told && started.elapsed() > SLOW {
            is_told = true;
            advise(stand.now, stand.events, started.elapsed());
        }
        shown.tell(&Stand {
            now: stand.now.0,
            end: scenario.to_the_end.then_some(scenario.end.0),
            events: stand.events,
            messages: (messages.0, all),
        });
        span = match from.elapsed() {
            short if short < SLICE / 2 => span.saturating_mul(2),
            long if long > SLICE * 2 => (span / 2).max(1),
            _ => span,
        };
    }
}
