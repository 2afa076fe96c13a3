//! Runs a scenario and keeps its events as rows of a trace.

use super::compare::Simulated;
use schedlab_engine::config::Scenario;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::replay::{Event as Recorded, Left, Name, Row};
use schedlab_engine::sched::decision::MigrateWhy;
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use schedlab_engine::workload::Start;
use schedlab_formats::recording::count;

/// Runs `scenario`, whose templates have those names.
pub(super) fn simulate(scenario: &Scenario, names: Vec<String>) -> Simulated {
    let mut rows = Rows::of(scenario);
    let mut sim = Sim::new(scenario);
    let end = sim.run_until(scenario.end, &mut rows).now.0;
    let mut all = vec!["idle".to_string()];
    all.extend(names);
    Simulated {
        count: count(&all, &rows.rows, end),
        names: all,
    }
}

/// The rows so far. Name 0 is the idle task, name n + 1 template n.
struct Rows {
    /// The template of each task, by number.
    tasks: Vec<u32>,
    rows: Vec<Row>,
}

impl Rows {
    /// The tasks that are there from the start are numbered in order of their templates.
    fn of(scenario: &Scenario) -> Rows {
        let templates = (0..).zip(&scenario.world.templates);
        let first = templates.filter(|(_, t)| t.start != Start::Forked);
        Rows {
            tasks: first.map(|(n, _)| n).collect(),
            rows: Vec::new(),
        }
    }

    fn name(&self, task: Option<TaskId>) -> Name {
        Name(task.map_or(0, |task| self.tasks[task.index()] + 1))
    }
}

impl Rows {
    /// Where that is recorded, and as what; none if a recording has no event for it.
    fn recorded(&self, event: &Event) -> Option<(CpuId, Recorded)> {
        Some(match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                ..
            } => {
                let left = if state.voluntary() {
                    Left::Gone
                } else {
                    Left::Runnable
                };
                let (prev, next) = (self.name(prev), self.name(next));
                (cpu, Recorded::Switch { prev, left, next })
            }
            Event::Wakeup {
                task, placement, ..
            } => {
                let (task, cpu) = (self.name(Some(task)), placement.cpu);
                (cpu, Recorded::Wakeup { task, cpu: cpu.0 })
            }
            Event::Fork {
                child, placement, ..
            } => {
                let (task, cpu) = (self.name(Some(child)), placement.cpu);
                (cpu, Recorded::WakeupNew { task, cpu: cpu.0 })
            }
            // A child that is not there yet is put on its CPU without an event (`__set_task_cpu`).
            Event::Migrate {
                task,
                from,
                to,
                why,
                ..
            } if why != MigrateWhy::Fork => {
                let (task, from_cpu, to) = (self.name(Some(task)), from.0, to.0);
                let from_to = Recorded::Migrate {
                    task,
                    from: from_cpu,
                    to,
                };
                (from, from_to)
            }
            Event::Exit { task, cpu } => {
                let task = self.name(Some(task));
                (cpu, Recorded::Exit { task })
            }
            Event::Tick {
                cpu, hrtick: true, ..
            } => (cpu, Recorded::Hrtick),
            Event::Tick { cpu, .. } => (cpu, Recorded::Tick),
            _ => return None,
        })
    }
}

impl Observer for Rows {
    fn record(&mut self, now: Instant, event: &Event) {
        match event {
            Event::Fork {
                child, template, ..
            } if child.index() == self.tasks.len() => self.tasks.push(template.0),
            _ => {}
        }
        if let Some((cpu, event)) = self.recorded(event) {
            self.rows.push(Row {
                t: i64::try_from(now.0).unwrap_or(i64::MAX),
                cpu: cpu.0,
                event,
            });
        }
    }
}
