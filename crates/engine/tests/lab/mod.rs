//! Scenario files in tests: read, run, and what came out.

use schedlab_engine::config::{Config, Scenario};
use schedlab_engine::fragment::{FileRead, parse_file};
use schedlab_engine::observe::metrics::{Metrics, Report};
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;

/// What a file says; nothing is wrong with it.
pub(crate) fn read(name: &str, text: &str) -> Config {
    let FileRead {
        config,
        errors,
        warnings,
    } = parse_file(text);
    assert_eq!(errors, [], "{name}");
    assert_eq!(warnings, [], "{name}");
    assert_eq!(config.problems(), [], "{name}");
    config
}

pub(crate) fn run(config: &Config) -> (Report, Sim) {
    let scenario = Scenario::try_from(config).expect("a sound configuration");
    let mut sim = Sim::new(&scenario);
    let mut metrics = Metrics::new(sim.cast());
    sim.run_until(Instant::FAR, &mut metrics);
    let report = metrics.report(sim.totals());
    (report, sim)
}

/// Thousandths of all CPU time that tasks of that role had.
pub(crate) fn share(report: &Report, sim: &Sim, role: &str) -> u64 {
    let world = sim.world();
    let of = |only: Option<&str>| {
        let tasks = report.tasks.iter();
        let roles = tasks.map(|t| (&world.templates[t.template.0 as usize].role, t.cpu_ns));
        let chosen = roles.filter(|(r, _)| only.is_none_or(|role| ***r == *role));
        chosen.map(|(_, ns)| ns).sum::<u64>()
    };
    of(Some(role)) * 1000 / of(None)
}
