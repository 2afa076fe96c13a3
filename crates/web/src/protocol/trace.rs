//! What happened switch by switch, in columns: one lane a CPU, wakeups, migrations.
//!
//! Columns come in chunks, one an update, that never change afterwards; a longer trace shares the chunks of a shorter
//! one. Nothing here is drawn.

use std::rc::Rc;

use schedlab_engine::sched::decision::{MigrateWhy, PickWhy, PlacementWhy, PreemptWhy};

use super::update::TraceDelta;

/// The task number that stands for "no task": the idle task, or a wakeup that no task made.
pub const NO_TASK: u32 = u32::MAX;

/// Why a task stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EndWhy {
    /// It went to sleep, or there was none.
    Sleeping,
    /// It exited.
    Exited,
    /// It yielded.
    Yielded,
    /// A woken task preempted it.
    WakeupPreempt,
    /// The tick ended its turn.
    Tick,
    /// The hrtick ended its turn.
    Hrtick,
    /// A new task preempted it.
    Fork,
    /// A task pulled to its CPU preempted it.
    Balance,
    /// A changed nice value ended its turn.
    Nice,
    /// Active balancing took it off to move it.
    Stopper,
    /// A limit was reached: of a group, or of real-time tasks.
    Bandwidth,
    /// It was charged because of another, and its time was over.
    Charge,
    /// It was preempted, and nothing asked for it.
    Other,
}

impl EndWhy {
    /// Every reason, in the order of their codes.
    pub const ALL: [EndWhy; 13] = [
        EndWhy::Sleeping,
        EndWhy::Exited,
        EndWhy::Yielded,
        EndWhy::WakeupPreempt,
        EndWhy::Tick,
        EndWhy::Hrtick,
        EndWhy::Fork,
        EndWhy::Balance,
        EndWhy::Nice,
        EndWhy::Stopper,
        EndWhy::Bandwidth,
        EndWhy::Charge,
        EndWhy::Other,
    ];

    /// Was it runnable and taken off against its will?
    pub fn is_preemption(self) -> bool {
        !matches!(self, EndWhy::Sleeping | EndWhy::Exited | EndWhy::Yielded)
    }
}

/// One context switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// When, ns.
    pub at_ns: u64,
    /// Who runs from now on; `None` is idle.
    pub task: Option<u32>,
    /// Why it was picked.
    pub pick: PickWhy,
    /// Why the one before stopped.
    pub prev_end: EndWhy,
    /// Tasks left waiting on this CPU (at most 65 535 are counted).
    pub waiting: u16,
}

/// Switches of one CPU, ascending in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneChunk {
    /// When, ns.
    pub at_ns: Vec<u64>,
    /// Who runs from then on, or [`NO_TASK`].
    pub task: Vec<u32>,
    /// `pick`, `prev_end` and `waiting` of [`Switch`], packed.
    pub info: Vec<u32>,
}

impl LaneChunk {
    /// Why tasks were picked: a bit for each place in `PickWhy::ALL`.
    pub fn picks(&self) -> u32 {
        let picks = (0..self.len()).map(|index| self.switch(index));
        picks.fold(0, |all, switch| all | 1 << switch.pick as u32)
    }

    /// Appends a switch, which must not lie before the last one.
    pub fn push(&mut self, switch: Switch) {
        debug_assert!(self.at_ns.last().is_none_or(|&last| last <= switch.at_ns));
        self.at_ns.push(switch.at_ns);
        self.task.push(switch.task.unwrap_or(NO_TASK));
        let (pick, end) = (switch.pick as u32, switch.prev_end as u32);
        self.info
            .push(pick | end << 8 | u32::from(switch.waiting) << 16);
    }

    /// Number of switches.
    pub fn len(&self) -> usize {
        self.at_ns.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.at_ns.is_empty()
    }

    /// The switch at `index`, which must exist.
    pub fn switch(&self, index: usize) -> Switch {
        let info = self.info[index];
        Switch {
            at_ns: self.at_ns[index],
            task: Some(self.task[index]).filter(|&task| task != NO_TASK),
            pick: by_code(PickWhy::ALL, info),
            prev_end: by_code(&EndWhy::ALL, info >> 8),
            waiting: (info >> 16) as u16,
        }
    }
}

/// The reason with the code in the lowest byte; the first one where the code is unknown.
fn by_code<T: Copy>(all: &[T], code: u32) -> T {
    all.get((code & 0xff) as usize).copied().unwrap_or(all[0])
}

/// All switches of one CPU so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Chunks in time order, none of them empty.
    pub chunks: Vec<Rc<LaneChunk>>,
    /// How many switches lie before each chunk.
    firsts: Vec<usize>,
}

/// A stretch of time in which one task, or nobody, ran on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The switch that began it.
    pub begin: Switch,
    /// When it ended, ns; the end of the trace if it has not.
    pub end_ns: u64,
    /// Why it ended, if it has.
    pub end: Option<EndWhy>,
}

impl Lane {
    /// Number of switches.
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.len());
        self.firsts.last().map_or(0, |first| first + last)
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The switch with this number.
    pub fn switch(&self, index: usize) -> Option<Switch> {
        let chunk = self.firsts.partition_point(|&first| first <= index);
        let chunk = chunk.checked_sub(1)?;
        let inside = index - self.firsts[chunk];
        (inside < self.chunks[chunk].len()).then(|| self.chunks[chunk].switch(inside))
    }

    /// The slice that the switch with this number begins; `trace_end_ns` ends the last one.
    pub fn slice(&self, index: usize, trace_end_ns: u64) -> Option<Slice> {
        let begin = self.switch(index)?;
        let next = self.switch(index + 1);
        Some(Slice {
            begin,
            end_ns: next.map_or(trace_end_ns.max(begin.at_ns), |next| next.at_ns),
            end: next.map(|next| next.prev_end),
        })
    }

    /// Number of the last switch at or before `ns`.
    pub fn index_at(&self, ns: u64) -> Option<usize> {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.at_ns[0] <= ns)
            .checked_sub(1)?;
        let inside = self.chunks[chunk].at_ns.partition_point(|&at| at <= ns);
        Some(self.firsts[chunk] + inside - 1)
    }

    /// The switches from number `first` on.
    pub fn walk(&self, first: usize) -> impl Iterator<Item = Switch> {
        let chunk = self
            .firsts
            .partition_point(|&start| start <= first)
            .saturating_sub(1);
        let skipped = first - self.firsts.get(chunk).copied().unwrap_or(0);
        let chunks = self.chunks.iter().skip(chunk).enumerate();
        chunks.flat_map(move |(i, chunk)| {
            let start = if i == 0 { skipped } else { 0 };
            (start..chunk.len()).map(|row| chunk.switch(row))
        })
    }

    /// Appends what has happened since.
    pub(crate) fn push(&mut self, chunk: LaneChunk) {
        if !chunk.is_empty() {
            self.firsts.push(self.len());
            self.chunks.push(Rc::new(chunk));
        }
    }
}

/// One wakeup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wakeup {
    /// When, ns.
    pub at_ns: u64,
    /// Who woke up.
    pub task: u32,
    /// Who woke it; `None` is a timer.
    pub waker: Option<u32>,
    /// The CPU it was woken from.
    pub from_cpu: u16,
    /// The CPU it was put on.
    pub to_cpu: u16,
    /// The CPU it last ran on.
    pub prev_cpu: u16,
    /// Did the waker say that it is about to sleep?
    pub sync: bool,
    /// Is the CPU it was put on asked to reschedule?
    pub preempts: bool,
    /// Which exit the preemption check took.
    pub preempt: PreemptWhy,
    /// Why that CPU was selected.
    pub placement: PlacementWhy,
}

/// Wakeups, ascending in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wakeups {
    /// When, ns.
    pub at_ns: Vec<u64>,
    /// Who woke up.
    pub task: Vec<u32>,
    /// Who woke it, or [`NO_TASK`].
    pub waker: Vec<u32>,
    /// `from_cpu`, and `to_cpu` above it.
    pub cpus: Vec<u32>,
    /// `prev_cpu`, `preempt`, `placement`, `sync` and `preempts` of [`Wakeup`], packed.
    pub info: Vec<u32>,
}

const SYNC: u32 = 1 << 31;
const PREEMPTS: u32 = 1 << 30;

impl Wakeups {
    /// Appends a wakeup, which must not lie before the last one.
    pub fn push(&mut self, wakeup: Wakeup) {
        debug_assert!(self.at_ns.last().is_none_or(|&last| last <= wakeup.at_ns));
        self.at_ns.push(wakeup.at_ns);
        self.task.push(wakeup.task);
        self.waker.push(wakeup.waker.unwrap_or(NO_TASK));
        self.cpus.push(pair(wakeup.from_cpu, wakeup.to_cpu));
        let flags = (u32::from(wakeup.sync) * SYNC) | (u32::from(wakeup.preempts) * PREEMPTS);
        let why = (wakeup.preempt as u32 & 0x7f) << 16 | (wakeup.placement as u32 & 0x7f) << 23;
        self.info.push(u32::from(wakeup.prev_cpu) | why | flags);
    }

    /// Number of wakeups.
    pub fn len(&self) -> usize {
        self.at_ns.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.at_ns.is_empty()
    }

    /// The wakeup at `index`, which must exist.
    pub fn get(&self, index: usize) -> Wakeup {
        let info = self.info[index];
        let (from_cpu, to_cpu) = unpair(self.cpus[index]);
        Wakeup {
            at_ns: self.at_ns[index],
            task: self.task[index],
            waker: Some(self.waker[index]).filter(|&waker| waker != NO_TASK),
            from_cpu,
            to_cpu,
            prev_cpu: (info & 0xffff) as u16,
            sync: info & SYNC != 0,
            preempts: info & PREEMPTS != 0,
            preempt: by_code(PreemptWhy::ALL, info >> 16 & 0x7f),
            placement: by_code(PlacementWhy::ALL, info >> 23 & 0x7f),
        }
    }
}

/// A task that changed its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// When, ns.
    pub at_ns: u64,
    /// Who.
    pub task: u32,
    /// From which CPU.
    pub from_cpu: u16,
    /// To which CPU.
    pub to_cpu: u16,
    /// Why.
    pub why: MigrateWhy,
}

/// Migrations, ascending in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migrations {
    /// When, ns.
    pub at_ns: Vec<u64>,
    /// Who.
    pub task: Vec<u32>,
    /// `from_cpu`, and `to_cpu` above it.
    pub cpus: Vec<u32>,
    /// The code of `why`.
    pub why: Vec<u32>,
}

impl Migrations {
    /// Appends a migration, which must not lie before the last one.
    pub fn push(&mut self, migration: Migration) {
        debug_assert!(
            self.at_ns
                .last()
                .is_none_or(|&last| last <= migration.at_ns)
        );
        self.at_ns.push(migration.at_ns);
        self.task.push(migration.task);
        self.cpus.push(pair(migration.from_cpu, migration.to_cpu));
        self.why.push(migration.why as u32);
    }

    /// Number of migrations.
    pub fn len(&self) -> usize {
        self.at_ns.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.at_ns.is_empty()
    }

    /// The migration at `index`, which must exist.
    pub fn get(&self, index: usize) -> Migration {
        let (from_cpu, to_cpu) = unpair(self.cpus[index]);
        Migration {
            at_ns: self.at_ns[index],
            task: self.task[index],
            from_cpu,
            to_cpu,
            why: by_code(MigrateWhy::ALL, self.why[index]),
        }
    }
}

fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

fn unpair(both: u32) -> (u16, u16) {
    (both as u16, (both >> 16) as u16)
}

/// Everything recorded of a run, for as long as it was recorded: a trace has a limit, a run need not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// One lane a CPU.
    pub lanes: Vec<Lane>,
    /// Wakeups in time order, in chunks.
    pub wakeups: Vec<Rc<Wakeups>>,
    /// Migrations in time order, in chunks.
    pub migrations: Vec<Rc<Migrations>>,
    /// Everything up to here is recorded, ns.
    pub end_ns: u64,
    /// Did the recording stop at its limit?
    pub full: bool,
}

impl Trace {
    /// Nothing recorded yet on `cpus` CPUs.
    pub fn new(cpus: usize) -> Trace {
        Trace {
            lanes: vec![Lane::default(); cpus],
            ..Trace::default()
        }
    }

    /// Number of switches on all CPUs.
    pub fn switches(&self) -> usize {
        self.lanes.iter().map(Lane::len).sum()
    }

    /// The wakeups from `from_ns` to `to_ns`.
    pub fn wakeups_in(&self, from_ns: u64, to_ns: u64) -> impl DoubleEndedIterator<Item = Wakeup> {
        let chunks = self.wakeups.iter();
        chunks.flat_map(move |chunk| rows(&chunk.at_ns, from_ns, to_ns).map(|row| chunk.get(row)))
    }

    /// The migrations from `from_ns` to `to_ns`.
    pub fn migrations_in(
        &self,
        from_ns: u64,
        to_ns: u64,
    ) -> impl DoubleEndedIterator<Item = Migration> {
        let chunks = self.migrations.iter();
        chunks.flat_map(move |chunk| rows(&chunk.at_ns, from_ns, to_ns).map(|row| chunk.get(row)))
    }

    /// How many wakeups there are from `from_ns` to `to_ns`.
    pub fn wakeups_count(&self, from_ns: u64, to_ns: u64) -> usize {
        self.wakeups
            .iter()
            .map(|chunk| rows(&chunk.at_ns, from_ns, to_ns).len())
            .sum()
    }

    /// The trace with more at its end.
    #[must_use]
    pub fn with(mut self, delta: TraceDelta) -> Trace {
        for (lane, chunk) in self.lanes.iter_mut().zip(delta.lanes) {
            lane.push(chunk);
        }
        if !delta.wakeups.is_empty() {
            self.wakeups.push(Rc::new(delta.wakeups));
        }
        if !delta.migrations.is_empty() {
            self.migrations.push(Rc::new(delta.migrations));
        }
        self.end_ns = delta.end_ns;
        self.full = delta.full;
        self
    }
}

/// Which rows of an ascending column lie from `from_ns` to `to_ns`.
fn rows(at_ns: &[u64], from_ns: u64, to_ns: u64) -> std::ops::Range<usize> {
    let first = at_ns.partition_point(|&at| at < from_ns);
    first..at_ns.partition_point(|&at| at <= to_ns).max(first)
}
