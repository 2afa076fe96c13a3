//! What a run looks like at one moment: everything the pictures and tiles are made of.
//!
//! A snapshot is immutable and shared by `Rc`; the next one shares the parts of the trace that did not change. All
//! times are simulated nanoseconds since the start of the run.

use std::rc::Rc;

use super::codec::{DecodeError, Reader, Writer};
use super::trace::{LaneChunk, Trace};
use super::update::Update;
use super::wire::{Wire, wire_enum, wire_struct};

/// Which of the two compared runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunSide {
    /// The first, or only, run.
    #[default]
    A,
    /// The run it is compared with.
    B,
}

wire_enum!(RunSide { A, B });

impl RunSide {
    /// The one that it is compared with.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            RunSide::A => RunSide::B,
            RunSide::B => RunSide::A,
        }
    }
}

/// The numbers of the tiles, as sums since the start; rates are these over `now_ns`, that of messages over `measured_ns`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tiles {
    /// Does the workload count messages at all?
    pub counts: bool,
    /// Messages received.
    pub messages: u64,
    /// The time in which they were, as the workloads measure it: without their start where they say when that ends, ns.
    pub measured_ns: u64,
    /// Context switches, switches to idle included.
    pub switches: u64,
    /// Running tasks preempted because of a wakeup.
    pub preempted_by_wakeup: u64,
    /// Running tasks preempted by the tick.
    pub preempted_by_tick: u64,
    /// Tasks that changed their CPU.
    pub migrations: u64,
    /// Wakeups.
    pub wakeups: u64,
    /// CPU time idle while an allowed task waited elsewhere, ns over all CPUs.
    pub wasted_ns: u64,
    /// Median of the time from wakeup to running, ns; NaN while there was no wakeup.
    pub latency_p50_ns: f64,
    /// 99th percentile of it, ns.
    pub latency_p99_ns: f64,
    /// The longest, ns.
    pub latency_max_ns: f64,
    /// Events narrated so far.
    pub events: u64,
    /// Hash over the events so far.
    pub hash: u64,
}

/// A line over time has at most so many points: more than that is noise at the width that a chart has.
pub const BINS_SHOWN: usize = 64;

/// Measures over time, in bins of equal width. The worker doubles the width when there are too many bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Width of a bin, ns; the last bin may not be full yet.
    pub bin_ns: u64,
    /// Messages received in each bin.
    pub messages: Vec<f32>,
    /// Width of a bin of latencies, ns: there are fewer of these, because a percentile wants many values.
    pub latency_bin_ns: u64,
    /// Median wakeup latency of each such bin, ns; NaN where nothing woke.
    pub latency_p50_ns: Vec<f32>,
    /// 99th percentile of each such bin, ns; NaN where nothing woke.
    pub latency_p99_ns: Vec<f32>,
    /// Share of each bin a CPU was not idle, 0 … 1: all bins of CPU 0, then of CPU 1, …
    pub busy: Vec<f32>,
    /// Mean number of tasks waiting (runnable, not running) on a CPU: ordered as `busy`.
    pub waiting: Vec<f32>,
}

impl Series {
    /// Number of bins; those of latencies have their own.
    pub fn bins(&self) -> usize {
        self.messages.len()
    }

    /// The `busy` values of one CPU.
    pub fn busy_of(&self, cpu: usize) -> &[f32] {
        row(&self.busy, self.bins(), cpu)
    }

    /// The `waiting` values of one CPU.
    pub fn waiting_of(&self, cpu: usize) -> &[f32] {
        row(&self.waiting, self.bins(), cpu)
    }
}

fn row(values: &[f32], bins: usize, cpu: usize) -> &[f32] {
    values.get(cpu * bins..(cpu + 1) * bins).unwrap_or(&[])
}

/// A histogram over bins of any width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Bounds of the bins, ascending, one more than there are counts, ns.
    pub edges_ns: Vec<f64>,
    /// Values in each bin, lower bound included.
    pub counts: Vec<f64>,
}

impl Histogram {
    /// Number of values.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Where CPU time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// The programs' own work, system calls included.
    Work,
    /// Switching from one task to the next.
    Switch,
    /// Refilling caches after a switch or a move.
    Refill,
    /// Selecting a CPU for a woken task.
    Selection,
    /// Load balancing.
    Balancing,
    /// Ticks and timer interrupts.
    Interrupt,
    /// Nothing to run.
    Idle,
}

impl Account {
    /// Every account, in the order they are stacked.
    pub const ALL: [Account; Account::COUNT] = [
        Account::Work,
        Account::Switch,
        Account::Refill,
        Account::Selection,
        Account::Balancing,
        Account::Interrupt,
        Account::Idle,
    ];
    /// How many there are.
    pub const COUNT: usize = 7;
}

/// Where a CPU sits; numbers are unique over the whole machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuPlace {
    /// NUMA node.
    pub node: u16,
    /// Package (socket).
    pub package: u16,
    /// Last-level cache.
    pub llc: u16,
    /// Core; hardware threads of one core share it.
    pub core: u16,
}

/// The machine as the pictures need it; the index is the CPU number.
pub type Topology = Vec<CpuPlace>;

/// What a task is called and how it is coloured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskInfo {
    /// Its display name.
    pub comm: Rc<str>,
    /// What it does in its workload (sender, receiver, hog, …).
    pub kind: Rc<str>,
    /// What the group is called that it is in: its task group, or that of the workload.
    pub group: Rc<str>,
}

/// What a task, or several of one kind, amount to since the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The task's name, or what the tasks do; with their group, where they are in one.
    pub name: String,
    /// How many tasks.
    pub tasks: u64,
    /// CPU time, ns.
    pub cpu_ns: u64,
    /// Times that they went to sleep or ended.
    pub voluntary: u64,
    /// Times that they were taken off a CPU, or yielded.
    pub involuntary: u64,
    /// Times that they were woken.
    pub wakeups: u64,
    /// Median of the time from wakeup to running, ns; NaN while there was none.
    pub p50_ns: f64,
    /// 99th percentile of it, ns.
    pub p99_ns: f64,
}

wire_struct!(Part {
    name,
    tasks,
    cpu_ns,
    voluntary,
    involuntary,
    wakeups,
    p50_ns,
    p99_ns
});

/// One moment of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Number of the run; a later run has a greater one.
    pub run: u32,
    /// Which of the compared runs.
    pub side: RunSide,
    /// Number of the update that made it, from 0.
    pub seq: u32,
    /// Has the run ended?
    pub done: bool,
    /// Simulated time reached, ns.
    pub now_ns: u64,
    /// How much of the run is done, 0 … 1.
    pub progress: f32,
    /// The machine.
    pub topology: Rc<Topology>,
    /// All tasks so far; the index is the task number.
    pub tasks: Rc<Vec<TaskInfo>>,
    /// Sums.
    pub tiles: Tiles,
    /// Measures over time.
    pub series: Series,
    /// Time from wakeup to running.
    pub latency: Histogram,
    /// CPU time by account in the order of [`Account::ALL`], ns over all CPUs.
    pub accounts_ns: [f64; Account::COUNT],
    /// What happened, switch by switch.
    pub trace: Trace,
    /// What tasks amount to.
    pub parts: Vec<Part>,
    /// Why tasks were picked so far: a bit for each place in `PickWhy::ALL`.
    pub picks: u32,
}

impl Snapshot {
    /// Messages a second of the time that the workloads measure; not finite while that is none.
    pub fn throughput(&self) -> f64 {
        self.tiles.messages as f64 * 1e9 / self.tiles.measured_ns as f64
    }

    /// The snapshot after `update`, given the one before. An update with number 0 starts afresh.
    pub fn advance(before: Option<&Snapshot>, update: Update) -> Snapshot {
        let before = before.filter(|before| {
            update.seq > 0 && before.run == update.run && before.side == update.side
        });
        let cpus = update.topology.len();
        let old = before.cloned().unwrap_or_else(|| Snapshot {
            topology: Rc::new(update.topology),
            trace: Trace::new(cpus),
            ..Snapshot::default()
        });
        let picks = update.trace.lanes.iter().map(LaneChunk::picks);
        let picks = picks.fold(old.picks, |all, picks| all | picks);
        Snapshot {
            picks,
            run: update.run,
            side: update.side,
            seq: update.seq,
            done: update.done,
            now_ns: update.now_ns,
            progress: update.progress,
            topology: old.topology,
            tasks: with_more(old.tasks, update.new_tasks),
            tiles: update.tiles,
            series: update.series,
            latency: update.latency,
            accounts_ns: update.accounts_ns,
            parts: update.parts,
            trace: old.trace.with(update.trace),
        }
    }

    /// Number of CPUs.
    pub fn cpus(&self) -> usize {
        self.topology.len()
    }
}

fn with_more(tasks: Rc<Vec<TaskInfo>>, more: Vec<TaskInfo>) -> Rc<Vec<TaskInfo>> {
    if more.is_empty() {
        return tasks;
    }
    Rc::new(tasks.iter().cloned().chain(more).collect())
}
