//! Tables of latencies: each column is run as its link says, every sample is kept, and so is how the scheduler answered the
//! wakeups that the samples come from.
//!
//! Not here: how it is printed (`print_latency`), nor what a table claims (the engine's `experiments`).

use super::{Reproduce, settings};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Finished;
use schedlab_engine::experiments::{Column, LatencyTable, Samples};
use schedlab_engine::fragment;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::{Cause, Event, Observer};
use schedlab_engine::sched::decision::PreemptWhy;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::{Instant, Nanos};
use schedlab_engine::workload::World;
use schedlab_engine::workload::program::MarkId;

/// A wait on a run queue that is longer than this is a late one: a tenth of a tick or more, and ten times what the way to an
/// idle CPU takes.
pub(super) const LATE: Nanos = Nanos::from_micros(500);

/// A column and what came of it.
pub(super) struct Done<'e> {
    pub(super) column: &'e Column,
    /// What was run.
    pub(super) link: String,
    pub(super) samples: Samples,
    /// How wakeups of the tasks that measure were answered, the most frequent answer first.
    pub(super) answers: Vec<Answer>,
    /// What ended their late waits, the most frequent first.
    pub(super) ends: Vec<(End, u64)>,
    /// The first late wait.
    pub(super) first: Option<Late>,
    /// The hash of the run.
    pub(super) hash: u64,
}

/// How a wakeup was answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The exit that the test whether the wakee preempts took.
    pub(super) why: PreemptWhy,
    /// How often.
    pub(super) n: u64,
    /// Of these: how often the wakee then waited for long.
    pub(super) late: u64,
    /// The longest such wait.
    pub(super) longest: Nanos,
}

/// What brought the wakee onto the CPU at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The task that ran went to sleep.
    Slept,
    /// Something asked for a reschedule.
    Asked(Option<Cause>),
    /// It was moved to a CPU that had become idle.
    Idle,
}

/// One late wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late {
    /// When the wakeup was.
    pub(super) at: Instant,
    /// Where the wakee was queued.
    pub(super) cpu: CpuId,
    /// How long it waited.
    pub(super) waited: Nanos,
    /// Why it did not preempt.
    pub(super) why: PreemptWhy,
}

/// A wakeup of a task that measures, until it runs.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    task: TaskId,
    at: Instant,
    cpu: CpuId,
    why: PreemptWhy,
}

/// Watches the tasks of one role.
struct Watch<'w> {
    world: &'w World,
    role: &'w str,
    mark: Option<MarkId>,
    tasks: Vec<TaskId>,
    waiting: Vec<Waiting>,
    samples: Vec<u64>,
    answers: Vec<Answer>,
    ends: Vec<(End, u64)>,
    first: Option<Late>,
}

impl Watch<'_> {
    /// A task that measures comes onto a CPU.
    fn runs(&mut self, now: Instant, task: TaskId, end: End) {
        let Some(at) = self.waiting.iter().position(|w| w.task == task) else {
            return;
        };
        let wait = self.waiting.swap_remove(at);
        let waited = now.since(wait.at);
        let known = self.answers.iter().position(|a| a.why == wait.why);
        let at = known.unwrap_or_else(|| {
            self.answers.push(Answer {
                why: wait.why,
                n: 0,
                late: 0,
                longest: Nanos::ZERO,
            });
            self.answers.len() - 1
        });
        let answer = &mut self.answers[at];
        answer.n += 1;
        answer.longest = answer.longest.max(waited);
        if waited <= LATE {
            return;
        }
        answer.late += 1;
        match self.ends.iter_mut().find(|(known, _)| *known == end) {
            Some((_, n)) => *n += 1,
            None => self.ends.push((end, 1)),
        }
        self.first.get_or_insert(Late {
            at: wait.at,
            cpu: wait.cpu,
            waited,
            why: wait.why,
        });
    }
}

impl Observer for Watch<'_> {
    fn record(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::Fork {
                child, template, ..
            } if *self.world.templates[template.0 as usize].role == *self.role => {
                self.tasks.push(child);
            }
            Event::Wakeup {
                task,
                placement,
                preempt,
                ..
            } if self.tasks.contains(&task) => self.waiting.push(Waiting {
                task,
                at: now,
                cpu: placement.cpu,
                why: preempt.why,
            }),
            Event::Switch {
                prev,
                state,
                next: Some(next),
                forced,
                ..
            } if self.tasks.contains(&next) => {
                let end = match prev {
                    None => End::Idle,
                    Some(_) if state.voluntary() => End::Slept,
                    Some(_) => End::Asked(forced),
                };
                self.runs(now, next, end);
            }
            Event::Mark {
                mark,
                took: Some(took),
                ..
            } if Some(mark) == self.mark => self.samples.push(took.0),
            _ => {}
        }
    }
}

/// Runs every column; what Ctrl-C leaves is not worth showing.
pub(super) fn columns<'e>(
    table: &'e LatencyTable,
    asked: &Reproduce,
    finished: &mut Finished,
) -> Result<Vec<Done<'e>>, Failure> {
    let mut done = Vec::new();
    for column in table.columns {
        if interrupt::asked() {
            break;
        }
        done.push(run(table, column, asked)?);
        finished.one(&format!("{} {}", table.name, column.name));
    }
    Ok(done)
}

fn run<'e>(
    table: &LatencyTable,
    column: &'e Column,
    asked: &Reproduce,
) -> Result<Done<'e>, Failure> {
    let given = asked.given(table.link, column.link)?;
    let scenario = given.scenario()?;
    let marks = &scenario.world.marks;
    let mut watch = Watch {
        world: &scenario.world,
        role: table.role,
        mark: marks
            .iter()
            .position(|mark| mark == table.mark)
            .map(|at| MarkId(at as u16)),
        tasks: Vec::new(),
        waiting: Vec::new(),
        samples: Vec::new(),
        answers: Vec::new(),
        ends: Vec::new(),
        first: None,
    };
    let outcome = given.run(&settings(asked), &mut watch, |_| false)?;
    outcome.failure()?;
    watch.answers.sort_by_key(|a| std::cmp::Reverse(a.n));
    watch.ends.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    Ok(Done {
        column,
        link: fragment::print(&outcome.config),
        samples: Samples::new(watch.samples),
        answers: watch.answers,
        ends: watch.ends,
        first: watch.first,
        hash: outcome.hash,
    })
}
