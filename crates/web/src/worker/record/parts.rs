//! What tasks amount to: a row for each while they are few, and else one for all that do the same in the same group.

use crate::protocol::Part;
use crate::worker::names::TaskNames;
use schedlab_engine::observe::histogram::Distribution;
use schedlab_engine::observe::metrics::{Metrics, PartReport};
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::workload::{Template, World};

/// So many tasks have a row each: as many as are read at a glance.
const FEW: usize = 12;

/// So many rows there are at most; the last one takes in all that would have one of their own beyond it.
const MOST: usize = 24;

/// The rows of the run so far.
pub(super) fn parts(metrics: &Metrics, sim: &Sim, groups: &[String]) -> Vec<Part> {
    let tasks = sim.tasks();
    let few = tasks <= FEW;
    let mut own = TaskNames::default();
    let (mut names, mut keys) = (Vec::new(), Vec::new());
    let part_of: Vec<usize> = (0..tasks)
        .map(|number| {
            let template = sim.template(TaskId(number as u32));
            let group = group(sim.world(), template);
            let key = (group, &*template.role);
            let known = keys.iter().position(|k| *k == key).filter(|_| !few);
            known.unwrap_or_else(|| {
                if names.len() == MOST {
                    names[MOST - 1] = "…".to_string();
                    return MOST - 1;
                }
                let what = if few {
                    own.next(&template.name)
                } else {
                    template.role.to_string()
                };
                let within = group
                    .checked_sub(1)
                    .and_then(|g| groups.get(usize::from(g)));
                names.push(within.map_or_else(|| what.clone(), |group| format!("{group}: {what}")));
                keys.push(key);
                names.len() - 1
            })
        })
        .collect();
    let reports = metrics.parts(sim.progress().now, names.len(), |task| part_of[task]);
    names.into_iter().zip(reports).map(shown).collect()
}

/// The group that a task is in, its own or its session's, from 1; 0 = the root group.
pub(super) fn group(world: &World, template: &Template) -> u16 {
    let session = usize::from(template.session).checked_sub(1);
    let of_session = || world.session_groups.get(session?).copied();
    match template.group {
        0 => of_session().unwrap_or(0),
        own => own,
    }
}

fn shown((name, report): (String, PartReport)) -> Part {
    let waits = report.wake_to_run.distribution();
    let ns = |of: fn(&Distribution) -> u64| waits.as_ref().map_or(f64::NAN, |d| of(d) as f64);
    Part {
        name,
        tasks: report.tasks,
        cpu_ns: report.cpu_ns,
        voluntary: report.sw_voluntary,
        involuntary: report.sw_involuntary,
        wakeups: report.wakeups,
        p50_ns: ns(|d| d.p50),
        p99_ns: ns(|d| d.p99),
    }
}
