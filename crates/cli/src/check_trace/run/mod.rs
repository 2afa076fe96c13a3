//! The run half of `check-trace`: the task programs of a recording run in the simulator, and what comes of it is
//! compared with what was recorded.
//!
//! Taken from the recording are the kernel with its switches, the tick's phase, the order in which tasks are woken and
//! where their vruntimes stand, and when kernel threads wake and for how long they run. Everything else is the
//! simulator's own.

mod beside;
mod compare;
mod simulate;
mod world;

pub(super) use compare::{Check, Ran};

use super::setup;
use compare::Judge;
use schedlab_engine::config::{Scenario, Ticks};
use schedlab_engine::replay::Event;
use schedlab_engine::time::{Instant, Nanos};
use schedlab_formats::recording::{Range, Recording, Scenario as Source};
use std::collections::BTreeMap;

/// How a run of a recording's programs compares, or why there is none.
pub(super) fn run(
    files: &Recording,
    repeats: Option<&BTreeMap<String, Range>>,
) -> Result<Ran, String> {
    let (scenario, names) = scenario(files)?;
    let simulated = simulate::simulate(&scenario, names);
    let name = files.params.scenario.as_str();
    let chaotic = ["e_", "h_cyc", "h_realcyc"]
        .iter()
        .any(|p| name.starts_with(p));
    let judge = match (chaotic, files.params.topology.as_str()) {
        (true, _) => Judge::Regime,
        (false, "up") => Judge::Numbers,
        (false, _) => Judge::Several,
    };
    Ok(compare::compare(&simulated, &files.summary, repeats, judge))
}

/// More events than any recording has, by far.
const MAX_EVENTS: u64 = 20_000_000;

/// What is to be simulated, and the name of each task in order of its template.
fn scenario(files: &Recording) -> Result<(Scenario, Vec<String>), String> {
    let trace = files
        .trace
        .as_ref()
        .ok_or("no trace was taken, only counts")?;
    let source = Source::of(&files.params).map_err(|error| error.to_string())?;
    let machine = setup::machine(&files.params.topology)?;
    let topology = machine
        .topology()
        .map_err(|problem| format!("{problem:?}"))?;
    let setup = setup::on(files, topology.clone())?;
    let hz = setup.hz;
    let cast = world::cast(files, &source, trace, &setup)?;
    let first_tick = trace
        .rows
        .iter()
        .find(|row| row.event == Event::Tick && row.t >= 0);
    let period = i64::try_from(hz.period().0).unwrap_or(i64::MAX);
    let phase = first_tick.map_or(0, |row| row.t.rem_euclid(period));
    let end = files.summary.counts.t_end_ns;
    let mut kernel = setup.kernel;
    kernel.tunables = setup.tunables;
    let scenario = Scenario {
        machine,
        topology,
        kernel,
        ticks: Ticks {
            hz,
            phase: Nanos(phase.unsigned_abs()),
            skewed: false,
            nohz: true,
            idle_before: true,
        },
        groups: cast.groups,
        world: cast.world,
        seed: 1,
        end: Instant(if cast.ends {
            end.saturating_mul(4)
        } else {
            end
        }),
        to_the_end: !cast.ends,
        max_events: MAX_EVENTS,
    };
    Ok((scenario, cast.names))
}
