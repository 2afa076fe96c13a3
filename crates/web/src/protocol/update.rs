//! What the worker sends while a run goes on: the new numbers, and what was added to the trace.
//!
//! Sums, series and the histogram come whole each time (they are small and bounded); tasks and the trace come as what
//! is new. The order of the fields below is the order of the words.

use std::rc::Rc;

use super::codec::{DecodeError, Reader, Writer};
use super::snapshot::{
    Account, CpuPlace, Histogram, Part, RunSide, Series, TaskInfo, Tiles, Topology,
};
use super::trace::{LaneChunk, Migrations, Wakeups};
use super::wire::Wire;

/// Raised by any change of the format.
pub const VERSION: u32 = 3;

/// "SLUP": the first word of an update.
const MAGIC: u32 = 0x534c_5550;

/// One message of the stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// Number of the run.
    pub run: u32,
    /// Which of the compared runs.
    pub side: RunSide,
    /// Number of this update in its run, from 0.
    pub seq: u32,
    /// Is this the last one?
    pub done: bool,
    /// Simulated time reached, ns.
    pub now_ns: u64,
    /// How much of the run is done, 0 … 1.
    pub progress: f32,
    /// The machine; only read from update 0.
    pub topology: Topology,
    /// Tasks that appeared since the last update, numbered on from those before.
    pub new_tasks: Vec<TaskInfo>,
    /// Sums since the start.
    pub tiles: Tiles,
    /// Measures over time since the start.
    pub series: Series,
    /// Time from wakeup to running since the start.
    pub latency: Histogram,
    /// CPU time by account since the start, ns, in the order of `Account::ALL`.
    pub accounts_ns: [f64; Account::COUNT],
    /// What tasks amount to since the start.
    pub parts: Vec<Part>,
    /// What was recorded since the last update.
    pub trace: TraceDelta,
}

/// What is added to a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceDelta {
    /// Switches of each CPU. The first update gives every CPU a switch at 0 to what it runs then.
    pub lanes: Vec<LaneChunk>,
    /// Wakeups.
    pub wakeups: Wakeups,
    /// Migrations.
    pub migrations: Migrations,
    /// Everything up to here is recorded, ns.
    pub end_ns: u64,
    /// Did the recording stop at its limit?
    pub full: bool,
}

/// The words of an update.
pub fn encode(update: &Update) -> Vec<u32> {
    let mut to = Writer::default();
    to.u32(MAGIC);
    to.u32(VERSION);
    to.u32(update.run);
    to.u32(u32::from(update.side == RunSide::B));
    to.u32(update.seq);
    to.u32(u32::from(update.done));
    to.u64(update.now_ns);
    to.u32(update.progress.to_bits());
    write_topology(&mut to, &update.topology);
    write_tasks(&mut to, &update.new_tasks);
    write_tiles(&mut to, &update.tiles);
    write_series(&mut to, &update.series);
    to.f64s(&update.latency.edges_ns);
    to.f64s(&update.latency.counts);
    to.f64s(&update.accounts_ns);
    update.parts.put(&mut to);
    write_trace(&mut to, &update.trace);
    to.words
}

/// The update in an array of words.
///
/// # Errors
/// When the array is anything but a whole update of this version.
pub fn decode(words: &[u32]) -> Result<Update, DecodeError> {
    let mut from = Reader::new(words);
    if from.u32()? != MAGIC {
        return Err(DecodeError::NotOurs);
    }
    match from.u32()? {
        VERSION => (),
        other => return Err(DecodeError::OtherVersion(other)),
    }
    let update = Update {
        run: from.u32()?,
        side: if read_flag(&mut from)? {
            RunSide::B
        } else {
            RunSide::A
        },
        seq: from.u32()?,
        done: read_flag(&mut from)?,
        now_ns: from.u64()?,
        progress: f32::from_bits(from.u32()?),
        topology: read_topology(&mut from)?,
        new_tasks: read_tasks(&mut from)?,
        tiles: read_tiles(&mut from)?,
        series: read_series(&mut from)?,
        latency: read_histogram(&mut from)?,
        accounts_ns: from.f64s()?.try_into().map_err(|_| DecodeError::Invalid)?,
        parts: Wire::take(&mut from)?,
        trace: read_trace(&mut from)?,
    };
    if !from.is_at_end() {
        return Err(DecodeError::Invalid);
    }
    Ok(update)
}

fn read_flag(from: &mut Reader<'_>) -> Result<bool, DecodeError> {
    match from.u32()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(DecodeError::Invalid),
    }
}

fn write_topology(to: &mut Writer, topology: &Topology) {
    to.u32(topology.len() as u32);
    for cpu in topology {
        to.u32(u32::from(cpu.node) | u32::from(cpu.package) << 16);
        to.u32(u32::from(cpu.llc) | u32::from(cpu.core) << 16);
    }
}

fn read_topology(from: &mut Reader<'_>) -> Result<Topology, DecodeError> {
    let cpus = from.length(2)?;
    (0..cpus)
        .map(|_| {
            let (above, below) = (from.u32()?, from.u32()?);
            Ok(CpuPlace {
                node: above as u16,
                package: (above >> 16) as u16,
                llc: below as u16,
                core: (below >> 16) as u16,
            })
        })
        .collect()
}

/// Kinds and groups are few: they go once, tasks name them by number.
fn write_tasks(to: &mut Writer, tasks: &[TaskInfo]) {
    let mut words: Vec<Rc<str>> = Vec::new();
    let mut number = |word: &Rc<str>| {
        let known = words.iter().position(|known| known == word);
        known.unwrap_or_else(|| {
            words.push(Rc::clone(word));
            words.len() - 1
        }) as u32
    };
    let numbered = |task: &TaskInfo| [number(&task.kind), number(&task.group)];
    let numbers: Vec<[u32; 2]> = tasks.iter().map(numbered).collect();
    to.u32(words.len() as u32);
    for word in &words {
        to.text(word);
    }
    to.u32(tasks.len() as u32);
    for (task, [kind, group]) in tasks.iter().zip(numbers) {
        to.text(&task.comm);
        to.u32(kind);
        to.u32(group);
    }
}

fn read_tasks(from: &mut Reader<'_>) -> Result<Vec<TaskInfo>, DecodeError> {
    let words = from.length(1)?;
    let words: Vec<Rc<str>> = (0..words)
        .map(|_| Ok(Rc::from(from.text()?)))
        .collect::<Result<_, DecodeError>>()?;
    let tasks = from.length(3)?;
    let word = |number: u32| {
        let known = words.get(number as usize);
        known.map(Rc::clone).ok_or(DecodeError::Invalid)
    };
    (0..tasks)
        .map(|_| {
            Ok(TaskInfo {
                comm: Rc::from(from.text()?),
                kind: word(from.u32()?)?,
                group: word(from.u32()?)?,
            })
        })
        .collect()
}

fn write_tiles(to: &mut Writer, tiles: &Tiles) {
    for count in [
        tiles.messages,
        tiles.measured_ns,
        tiles.switches,
        tiles.preempted_by_wakeup,
        tiles.preempted_by_tick,
        tiles.migrations,
        tiles.wakeups,
        tiles.wasted_ns,
    ] {
        to.u64(count);
    }
    tiles.counts.put(to);
    to.f64(tiles.latency_p50_ns);
    to.f64(tiles.latency_p99_ns);
    to.f64(tiles.latency_max_ns);
    to.u64(tiles.events);
    to.u64(tiles.hash);
}

fn read_tiles(from: &mut Reader<'_>) -> Result<Tiles, DecodeError> {
    Ok(Tiles {
        messages: from.u64()?,
        measured_ns: from.u64()?,
        switches: from.u64()?,
        preempted_by_wakeup: from.u64()?,
        preempted_by_tick: from.u64()?,
        migrations: from.u64()?,
        wakeups: from.u64()?,
        wasted_ns: from.u64()?,
        counts: read_flag(from)?,
        latency_p50_ns: from.f64()?,
        latency_p99_ns: from.f64()?,
        latency_max_ns: from.f64()?,
        events: from.u64()?,
        hash: from.u64()?,
    })
}

fn write_series(to: &mut Writer, series: &Series) {
    to.u64(series.bin_ns);
    to.f32s(&series.messages);
    to.u64(series.latency_bin_ns);
    to.f32s(&series.latency_p50_ns);
    to.f32s(&series.latency_p99_ns);
    to.f32s(&series.busy);
    to.f32s(&series.waiting);
}

fn read_series(from: &mut Reader<'_>) -> Result<Series, DecodeError> {
    let series = Series {
        bin_ns: from.u64()?,
        messages: from.f32s()?,
        latency_bin_ns: from.u64()?,
        latency_p50_ns: from.f32s()?,
        latency_p99_ns: from.f32s()?,
        busy: from.f32s()?,
        waiting: from.f32s()?,
    };
    let same = series.latency_p50_ns.len() == series.latency_p99_ns.len();
    let rows = series.busy.len() == series.waiting.len();
    if same && rows {
        Ok(series)
    } else {
        Err(DecodeError::Invalid)
    }
}

fn read_histogram(from: &mut Reader<'_>) -> Result<Histogram, DecodeError> {
    let histogram = Histogram {
        edges_ns: from.f64s()?,
        counts: from.f64s()?,
    };
    let (edges, counts) = (histogram.edges_ns.len(), histogram.counts.len());
    if edges == counts + 1 || (edges == 0 && counts == 0) {
        Ok(histogram)
    } else {
        Err(DecodeError::Invalid)
    }
}

fn write_trace(to: &mut Writer, trace: &TraceDelta) {
    to.u32(trace.lanes.len() as u32);
    for lane in &trace.lanes {
        to.u64s(&lane.at_ns);
        to.u32s(&lane.task);
        to.u32s(&lane.info);
    }
    let Wakeups {
        at_ns,
        task,
        waker,
        cpus,
        info,
    } = &trace.wakeups;
    to.u64s(at_ns);
    for column in [task, waker, cpus, info] {
        to.u32s(column);
    }
    let Migrations {
        at_ns,
        task,
        cpus,
        why,
    } = &trace.migrations;
    to.u64s(at_ns);
    for column in [task, cpus, why] {
        to.u32s(column);
    }
    to.u64(trace.end_ns);
    to.u32(u32::from(trace.full));
}

fn read_trace(from: &mut Reader<'_>) -> Result<TraceDelta, DecodeError> {
    let lanes = from.length(3)?;
    Ok(TraceDelta {
        lanes: (0..lanes)
            .map(|_| read_lane(from))
            .collect::<Result<_, _>>()?,
        wakeups: read_wakeups(from)?,
        migrations: read_migrations(from)?,
        end_ns: from.u64()?,
        full: read_flag(from)?,
    })
}

fn read_lane(from: &mut Reader<'_>) -> Result<LaneChunk, DecodeError> {
    let at_ns = read_times(from)?;
    let rows = at_ns.len();
    Ok(LaneChunk {
        at_ns,
        task: read_column(from, rows)?,
        info: read_column(from, rows)?,
    })
}

fn read_wakeups(from: &mut Reader<'_>) -> Result<Wakeups, DecodeError> {
    let at_ns = read_times(from)?;
    let rows = at_ns.len();
    Ok(Wakeups {
        at_ns,
        task: read_column(from, rows)?,
        waker: read_column(from, rows)?,
        cpus: read_column(from, rows)?,
        info: read_column(from, rows)?,
    })
}

fn read_migrations(from: &mut Reader<'_>) -> Result<Migrations, DecodeError> {
    let at_ns = read_times(from)?;
    let rows = at_ns.len();
    Ok(Migrations {
        at_ns,
        task: read_column(from, rows)?,
        cpus: read_column(from, rows)?,
        why: read_column(from, rows)?,
    })
}

fn read_times(from: &mut Reader<'_>) -> Result<Vec<u64>, DecodeError> {
    let times = from.u64s()?;
    if times.is_sorted() {
        Ok(times)
    } else {
        Err(DecodeError::Invalid)
    }
}

fn read_column(from: &mut Reader<'_>, rows: usize) -> Result<Vec<u32>, DecodeError> {
    let column = from.u32s()?;
    if column.len() == rows {
        Ok(column)
    } else {
        Err(DecodeError::Invalid)
    }
}
