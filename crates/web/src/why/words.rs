//! Decisions in sentences that a student can follow, and in tables that an engineer can check. Pure.

use super::cite::{self, Cited};
use super::idle::{since_words, tell_idle};
use super::pick::{pick_words, tell_pick};
use crate::format;
use crate::protocol::explained::{Decision, Explained, Move, Step, Wakeup};
use crate::protocol::{EndWhy, MigrateWhy, Parting, Partings, PlacementWhy, PreemptWhy, Search};
use crate::text::{Msg, fill, text};
use schedlab_engine::config::Config;
use schedlab_engine::observe::parting::Kind;
use schedlab_engine::sched::features::Feature;

/// A decision, told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Told {
    /// What happened and why, one thought each.
    pub(super) sentences: Vec<String>,
    /// What was compared.
    pub(super) tables: Vec<Table>,
    /// The rules behind it.
    pub(super) cited: Vec<Cited>,
}

/// Rows of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// What they are.
    pub(super) caption: String,
    /// What the columns are.
    pub(super) head: Vec<&'static str>,
    /// Which columns hold numbers.
    pub(super) numbers: &'static [usize],
    /// The rows.
    pub(super) rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    /// The cells; the first names the row.
    pub(super) cells: Vec<String>,
    /// What that is considered as.
    pub(super) role: String,
    /// Is it the one that was chosen?
    pub(super) chosen: bool,
}

impl Table {
    /// Does that column hold numbers?
    pub(super) fn is_number(&self, column: usize) -> bool {
        self.numbers.contains(&column)
    }
}

/// `explained`, under the kernel of `config`.
pub(super) fn tell(explained: &Explained, config: &Config) -> Told {
    match &explained.decision {
        Decision::Pick(pick) => tell_pick(pick, explained.cpu, config),
        Decision::Wakeup(wakeup) => tell_wakeup(wakeup, config),
        Decision::Idle(idle) => tell_idle(idle, explained),
        Decision::Move(moved) => Told {
            sentences: vec![move_words(moved)],
            ..Told::default()
        },
        Decision::End { task } => Told {
            sentences: vec![end_words(task)],
            ..Told::default()
        },
    }
}

/// The line that says which decision it is, where and when.
pub(super) fn place_of(decision: &Decision) -> Msg {
    match decision {
        Decision::Pick(_) => Msg::WhyPickPlace,
        Decision::Wakeup(_) => Msg::WhyWakeupPlace,
        Decision::Move(_) => Msg::WhyMovePlace,
        Decision::Idle(_) => Msg::WhyIdlePlace,
        Decision::End { .. } => Msg::WhyEndPlace,
    }
}

/// The same in one sentence, with its place and time.
pub(super) fn in_short(explained: &Explained) -> String {
    let what = match &explained.decision {
        Decision::Pick(pick) => {
            let left = pick.before.iter().map(|task| left_words(task, pick.left));
            let words: Vec<String> = left.chain([pick_words(pick, explained.cpu)]).collect();
            words.join(" ")
        }
        Decision::Wakeup(wakeup) => [
            wakeup_words(wakeup),
            placed_words(wakeup),
            preempt_words(wakeup),
        ]
        .join(" "),
        Decision::Move(moved) => move_words(moved),
        Decision::Idle(idle) => since_words(idle, explained.cpu),
        Decision::End { task } => end_words(task),
    };
    let at = time(explained.at_ns as i64);
    fill(
        Msg::WhyShort,
        &[
            ("at", &at),
            ("cpu", &explained.cpu.to_string()),
            ("what", &what),
        ],
    )
}

/// Which decision it is that is not the same, the one at place `at` of those that were found.
pub(super) fn parting(parting: &Parting, all: &Partings, at: usize) -> String {
    let told = parting.a.as_ref().or(parting.b.as_ref());
    let task = told.and_then(Explained::subject).unwrap_or_default();
    let Search { from_ns, skip } = all.search;
    let count = skip as usize + all.found.len();
    let [n, count, wakeup] =
        [skip as usize + at + 1, count, parting.wakeup as usize].map(|n| n.to_string());
    let count = if all.more {
        fill(Msg::WhyPartMore, &[("n", &count)])
    } else {
        count
    };
    let nth = (parting.nth + 1).to_string();
    let since = if parting.wakeup == 0 {
        Msg::PartStart
    } else {
        Msg::PartWakeup
    };
    let what = match by_code(&Kind::ALL, parting.kind) {
        Kind::Selection => Msg::PartSelection,
        Kind::Preemption => Msg::PartPreemption,
        Kind::Pick => Msg::PartPick,
        Kind::Move => Msg::PartMove,
    };
    let since = fill(since, &[("task", task), ("n", &wakeup)]);
    let what = fill(what, &[("nth", &nth)]);
    let values = [
        ("n", &*n),
        ("all", &count),
        ("from", &time(from_ns as i64)),
        ("since", &since),
        ("what", &what),
    ];
    let key = if from_ns > 0 {
        Msg::WhyPartedFrom
    } else {
        Msg::WhyParted
    };
    fill(key, &values)
}

/// The reason with that code; the first one where the code is unknown.
pub(super) fn by_code<T: Copy>(all: &[T], code: u8) -> T {
    all.get(usize::from(code)).copied().unwrap_or(all[0])
}

pub(super) fn time(ns: i64) -> String {
    format::exact_span(ns).text()
}

pub(super) fn name(task: Option<&String>) -> &str {
    task.map_or_else(|| text(Msg::WhyIdleTask), String::as_str)
}

/// How `task` stopped.
pub(super) fn left_words(task: &str, code: u8) -> String {
    let left = match by_code(&EndWhy::ALL, code) {
        EndWhy::Sleeping => Msg::LeftSleeping,
        EndWhy::Exited => Msg::LeftExited,
        EndWhy::Yielded => Msg::LeftYielded,
        EndWhy::WakeupPreempt => Msg::LeftPreempted,
        EndWhy::Tick => Msg::LeftTick,
        EndWhy::Hrtick => Msg::LeftHrtick,
        EndWhy::Fork => Msg::LeftFork,
        EndWhy::Balance => Msg::LeftBalance,
        EndWhy::Nice => Msg::LeftNice,
        EndWhy::Stopper => Msg::LeftStopper,
        EndWhy::Bandwidth => Msg::LeftBandwidth,
        EndWhy::Charge => Msg::LeftCharge,
        EndWhy::Other => Msg::LeftOther,
    };
    fill(left, &[("task", task)])
}

fn tell_wakeup(wakeup: &Wakeup, config: &Config) -> Told {
    let mut cited = Vec::new();
    let why = by_code(PreemptWhy::ALL, wakeup.preempt);
    if wakeup.gran_ns > 0 {
        cited.push(cite::feature(Feature::AdaptiveGran));
    }
    if why == PreemptWhy::FeatureOff {
        cited.push(cite::feature(Feature::WakeupPreempt));
    }
    if wakeup.steps.iter().any(|step| step.affine) {
        let exists = config.kernel_in_force().exists;
        let deciding = [Feature::WaWeight, Feature::AffineWakeups];
        let feature = deciding.into_iter().find(|f| exists.has(*f));
        cited.extend(feature.map(cite::feature));
    }
    cited.push(cite::rule(config, "select", "select_task_rq_fair"));
    Told {
        sentences: vec![
            wakeup_words(wakeup),
            placed_words(wakeup),
            preempt_words(wakeup),
        ],
        tables: [gap_table(wakeup), steps_table(&wakeup.steps)]
            .into_iter()
            .flatten()
            .collect(),
        cited,
    }
}

fn wakeup_words(w: &Wakeup) -> String {
    let key = match (&w.waker, w.new) {
        (Some(_), true) => Msg::WokenFork,
        (None, true) => Msg::WokenStart,
        (Some(_), false) if w.sync => Msg::WokenSync,
        (Some(_), false) => Msg::WokenBy,
        (None, false) => Msg::WokenTimer,
    };
    let (from, prev) = (w.from_cpu.to_string(), w.prev_cpu.to_string());
    fill(
        key,
        &[
            ("waker", name(w.waker.as_ref())),
            ("task", &w.woken),
            ("from", &from),
            ("prev", &prev),
        ],
    )
}

fn placed_words(w: &Wakeup) -> String {
    let why = by_code(PlacementWhy::ALL, w.placed).what();
    let (cpu, visited) = (w.to_cpu.to_string(), w.visited.to_string());
    let placed = fill(Msg::Placed, &[("cpu", &cpu), ("why", why)]);
    if w.visited == 0 {
        return placed;
    }
    format!(
        "{placed} {}",
        fill(Msg::PlacedRead, &[("visited", &visited)])
    )
}

fn preempt_words(w: &Wakeup) -> String {
    let why = by_code(PreemptWhy::ALL, w.preempt);
    let running = name(w.running.as_ref());
    let (gap, gran) = (time(w.gap_ns), time(w.gran_ns as i64));
    let values = [
        ("task", w.woken.as_str()),
        ("running", running),
        ("gap", &gap),
        ("gran", &gran),
        ("why", why.what()),
    ];
    let key = match why {
        PreemptWhy::IdleCpu => Msg::PreemptIdle,
        PreemptWhy::BeyondGranularity => Msg::PreemptBeyond,
        PreemptWhy::WithinGranularity => Msg::PreemptWithin,
        PreemptWhy::NotBehind => Msg::PreemptNotBehind,
        _ if w.preempts => Msg::PreemptYes,
        _ => Msg::PreemptNo,
    };
    fill(key, &values)
}

fn gap_table(w: &Wakeup) -> Option<Table> {
    if w.gap_ns == 0 && w.gran_ns == 0 {
        return None;
    }
    let row = |words: Msg, ns: i64| Row {
        cells: vec![text(words).to_string(), time(ns)],
        chosen: false,
        ..Row::default()
    };
    let verdict = text(if w.preempts {
        Msg::VerdictPreempts
    } else {
        Msg::VerdictPreemptsNot
    });
    Some(Table {
        caption: text(Msg::GapCaption).to_string(),
        head: vec![text(Msg::HeadQuantity), text(Msg::HeadValue)],
        numbers: &[1],
        rows: vec![
            row(Msg::GapRow, w.gap_ns),
            row(Msg::GranRow, w.gran_ns as i64),
            Row {
                cells: vec![text(Msg::GapVerdict).to_string(), verdict.to_string()],
                chosen: true,
                ..Row::default()
            },
        ],
    })
}

fn steps_table(steps: &[Step]) -> Option<Table> {
    if steps.is_empty() {
        return None;
    }
    Some(Table {
        caption: text(Msg::StepsCaption).to_string(),
        head: vec![text(Msg::HeadStep), text(Msg::HeadFinding)],
        numbers: &[],
        rows: steps
            .iter()
            .map(|step| Row {
                cells: vec![step.what.clone(), step.found.clone()],
                chosen: step.chosen,
                ..Row::default()
            })
            .collect(),
    })
}

fn move_words(moved: &Move) -> String {
    let why = by_code(MigrateWhy::ALL, moved.why).what();
    let (from, to) = (moved.from_cpu.to_string(), moved.to_cpu.to_string());
    fill(
        Msg::Moved,
        &[
            ("task", &moved.task),
            ("from", &from),
            ("to", &to),
            ("why", why),
        ],
    )
}

fn end_words(task: &str) -> String {
    fill(Msg::Ended, &[("task", task)])
}
