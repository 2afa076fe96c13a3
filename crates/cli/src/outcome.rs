//! One experiment, done: what it was, how it went, what came out.

use crate::args::Output;
use crate::drive::{Driven, drive};
use crate::failure::Failure;
use crate::input::{FRAGMENT, Given};
use crate::table::COLUMNS;
use crate::words::Names;
use schedlab_engine::config::{Config, LIMITS, Problems, Scenario};
use schedlab_engine::fragment;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::fairness::Verdict;
use schedlab_engine::observe::metrics::measured;
use schedlab_engine::observe::{Fairness, Hash, Metrics, Observer, Report};
use schedlab_engine::sim::{Sim, Stop};
use schedlab_engine::task::TaskId;
use schedlab_engine::words::plural::form;
use schedlab_engine::workload::program::MarkId;

/// A run and its results.
pub(crate) struct Outcome {
    /// What it was called: a file, or `fragment`.
    pub name: String,
    /// What was asked for.
    pub config: Config,
    /// What ran.
    pub scenario: Scenario,
    /// How it went.
    pub driven: Driven,
    /// What came out.
    pub report: Report,
    /// How fair it was.
    pub fairness: Verdict,
    /// The hash of its events.
    pub hash: u64,
    /// Who was at it when it stopped as no run should, and where that is written.
    culprits: Vec<(TaskId, String)>,
}

impl Given {
    /// Checks it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn scenario(&self) -> Result<Scenario, Failure> {
        let told = |p: Problems| p.0.iter().map(|p| self.problem(p)).collect();
        Scenario::try_from(&self.config).map_err(|p| Failure::Input(told(p)))
    }

    /// Runs it to its end, with `observer` told of everything; `enough` ends it early.
    ///
    /// # Errors
    /// If it cannot be run.
    pub(crate) fn run<O: Observer>(
        &self,
        output: &Output,
        observer: &mut O,
        enough: impl Fn(&O) -> bool,
    ) -> Result<Outcome, Failure> {
        let scenario = self.scenario()?;
        let mut sim = Sim::new(&scenario);
        let counts = (Metrics::new(sim.cast()), Fairness::new(sim.claims()));
        let mut watch = ((counts, Hash::default()), observer);
        let driven = drive(&mut sim, &scenario, &mut watch, output.progress, |w| {
            enough(w.1)
        });
        let (((metrics, mut fairness), hash), _) = watch;
        let report = metrics.report(sim.totals());
        let fairness = fairness.verdict(report.totals.now);
        let declared = |task: TaskId| {
            let template = report.tasks[task.index()].template;
            let name = &scenario.world.templates[template.0 as usize].name;
            self.declared(name.split(' ').next().unwrap_or(name))
        };
        let culprits = culprits(&sim, driven.progress.stop).into_iter();
        let culprits = culprits.map(|task| (task, declared(task))).collect();
        Ok(Outcome {
            name: self.name.clone(),
            culprits,
            config: self.config.clone(),
            report,
            fairness,
            hash: hash.get(),
            driven,
            scenario,
        })
    }
}

/// Who was at it when a run stopped as none should: the task that goes round, or those on the CPUs.
fn culprits(sim: &Sim, stop: Option<Stop>) -> Vec<TaskId> {
    let on_cpus = || (0..sim.topology().cpus()).filter_map(|cpu| sim.running(CpuId(cpu)));
    match stop {
        Some(Stop::Stuck(Some(task))) => vec![task],
        Some(Stop::Stuck(None) | Stop::Tasks) => on_cpus().collect(),
        _ => Vec::new(),
    }
}

impl Outcome {
    /// The link, if it is what the report is headed by: that of a fragment, unless it is long.
    fn heading_link(&self) -> Option<String> {
        let link = fragment::print(&self.config);
        let short = self.name == FRAGMENT && link.chars().count() + "A: ".len() <= COLUMNS;
        short.then_some(link)
    }

    /// What the report is headed by: the link, or what the experiment was called. The name comes from elsewhere.
    pub(crate) fn title(&self) -> String {
        self.heading_link()
            .unwrap_or_else(|| fragment::visible(self.name.chars()))
    }

    /// The link where it does not stand above.
    pub(crate) fn link_below(&self) -> Option<String> {
        match self.heading_link() {
            Some(_) => None,
            None => Some(fragment::print(&self.config)),
        }
    }

    /// Was it stopped before its end?
    pub(crate) const fn partial(&self) -> bool {
        !matches!(
            self.driven.progress.stop,
            Some(Stop::Done | Stop::Time | Stop::Quiet)
        )
    }

    /// Was it stopped by Ctrl-C?
    pub(crate) const fn interrupted(&self) -> bool {
        self.driven.progress.stop.is_none()
    }

    /// If it ended as no run should.
    pub(crate) fn failure(&self) -> Result<(), Failure> {
        match self.driven.progress.stop {
            Some(Stop::Stuck(_) | Stop::Tasks) => {
                let place = self.culprits.first().map_or(&self.name, |(_, place)| place);
                Err(Failure::Run(vec![format!("{place}: {}", self.ended())]))
            }
            _ => Ok(()),
        }
    }

    /// Those who were at it when it stopped: `a, b and 3 more`.
    fn at_it(&self) -> String {
        const SHOWN: usize = 4;
        let names = self.names();
        let first = self.culprits.iter().take(SHOWN);
        let mut who: Vec<&str> = first.map(|(task, _)| names.of(*task)).collect();
        let more = self.culprits.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| format!("{more} more"));
        who.extend(more.as_deref());
        match who.split_last() {
            Some((last, [])) => (*last).to_string(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::from("nobody"),
        }
    }

    /// Why it ended, in words, and who ended before it should.
    pub(crate) fn ended(&self) -> String {
        let gave_up = self.report.totals.gave_up;
        if gave_up == 0 {
            return self.stopped();
        }
        let tasks = form(gave_up, "task", "tasks");
        format!(
            "{}; {gave_up} {tasks} gave up a spin-sleep lock",
            self.stopped()
        )
    }

    /// Why it stopped.
    fn stopped(&self) -> String {
        match self.driven.progress.stop {
            Some(Stop::Done) => String::from("every workload that ends has ended"),
            Some(Stop::Time) => String::from("its time is up"),
            Some(Stop::Quiet) => String::from("everything sleeps, and nothing will ever wake it"),
            Some(Stop::Events) => {
                let limit = crate::numbers::count(self.scenario.max_events);
                let events = form(self.scenario.max_events, "event", "events");
                format!("stopped at its limit of {limit} {events}; events=N allows N")
            }
            Some(Stop::Stuck(Some(_))) => format!(
                "stopped: {} goes round without using any time; \
                 let its loop run, sleep or wait, or end it",
                self.at_it()
            ),
            Some(Stop::Stuck(None)) => format!(
                "stopped: time stands still while {} ran last; let their loops run or sleep",
                self.at_it()
            ),
            Some(Stop::Tasks) => format!(
                "stopped: one task too many was forked, at most {} in all, while {} ran; \
                 fork fewer, or end the run earlier with dur=TIME",
                crate::numbers::count(LIMITS.tasks),
                self.at_it()
            ),
            None => String::from("stopped by Ctrl-C: what follows is what there was so far"),
        }
    }

    /// The word for it in JSON.
    pub(crate) const fn stop_word(&self) -> &'static str {
        match self.driven.progress.stop {
            Some(Stop::Done) => "done",
            Some(Stop::Time) => "time",
            Some(Stop::Quiet) => "quiet",
            Some(Stop::Events) => "events",
            Some(Stop::Stuck(_)) => "stuck",
            Some(Stop::Tasks) => "tasks",
            None => "interrupted",
        }
    }

    /// The time that the workloads themselves measure, ns.
    pub(crate) fn measured_ns(&self) -> u64 {
        let report = &self.report;
        measured(&report.marks, &self.scenario.world.marks, report.totals.now).0
    }

    /// Simulated seconds; never zero, so that rates can be taken.
    pub(crate) fn seconds(&self) -> f64 {
        (self.report.totals.now.0 as f64 / 1e9).max(1e-9)
    }

    /// Messages a simulated second.
    pub(crate) fn messages_per_second(&self) -> f64 {
        let seconds = self.measured_ns() as f64 / 1e9;
        if seconds > 0.0 {
            self.report.global.messages as f64 / seconds
        } else {
            0.0
        }
    }

    /// The name of a mark.
    pub(crate) fn mark_name(&self, mark: MarkId) -> &str {
        &self.scenario.world.marks[usize::from(mark.0)]
    }

    /// Names of tasks, by number, each only once.
    pub(crate) fn names(&self) -> Names<'_> {
        let mut names = Names::new(&self.scenario, &self.config.groups);
        self.report
            .tasks
            .iter()
            .for_each(|task| names.add(task.template));
        names
    }
}
