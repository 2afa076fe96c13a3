//! How fast this worker simulates: the engine by itself, or with everything that the page is told of a run.
//!
//! `cargo xtask bench` asks for it; the page never does. Not here: which experiments are run, and what they must come to.

use super::BETWEEN_UPDATES_MS;
use super::session::Session;
use crate::protocol::{Reply, RunSide, encode};
use schedlab_engine::config::{Config, Scenario};
use schedlab_engine::fragment;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;

/// Runs `config` from beginning to end without listening in between.
pub(super) fn bench(config: &str, watched: bool, clock: fn() -> f64) -> Reply {
    let (config, _) = fragment::parse(config);
    match Scenario::try_from(&config) {
        Ok(scenario) if watched => seen(&config, &scenario, clock),
        Ok(scenario) => unseen(&scenario, clock),
        Err(problems) => Reply::Rejected {
            run: 0,
            problems: problems.0.iter().map(ToString::to_string).collect(),
        },
    }
}

/// Nobody watches, so there is nothing to tell but that it came as far.
fn unseen(scenario: &Scenario, clock: fn() -> f64) -> Reply {
    let mut sim = Sim::new(scenario);
    let begun = clock();
    let progress = sim.run_told(Instant::FAR, u64::MAX, &mut ());
    Reply::Benched {
        hash: None,
        events: progress.events,
        ms: clock() - begun,
    }
}

/// As for the page: recorded, counted, kept for coming back to, and encoded as often as the page is told.
fn seen(config: &Config, scenario: &Scenario, clock: fn() -> f64) -> Reply {
    let mut session = Session::new(0, RunSide::A, config, scenario);
    let begun = clock();
    loop {
        session.slice(u64::MAX, BETWEEN_UPDATES_MS, clock);
        let update = session.update();
        let words = encode(&update);
        if session.halt().is_some() && !words.is_empty() {
            return Reply::Benched {
                hash: Some(format!("{:016x}", update.tiles.hash)),
                events: update.tiles.events,
                ms: clock() - begun,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_the_run_that_the_page_would_see() {
        let link = "w=hackbench(groups=1,fan=2,loops=3)";
        // `schedlab run --json` gives the same.
        let known = Some("4bf6c9f5ca743464".to_string());
        for (watched, hash) in [(false, None), (true, known)] {
            let (events, ms) = (53, 0.0);
            let benched = Reply::Benched { hash, events, ms };
            assert_eq!(bench(link, watched, || 0.0), benched);
        }
        let rejected = bench("w=none", true, || 0.0);
        assert!(matches!(rejected, Reply::Rejected { .. }));
    }
}
