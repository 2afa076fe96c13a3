//! Who was there beside the scenario's tasks: kernel threads, and the controller that woke the tasks. They run when and
//! where they were seen, and for as long.

use super::world::{Builder, CONTROLLER};
use schedlab_engine::machine::CpuId;
use schedlab_engine::replay::{Event, Left, Name};
use schedlab_engine::task::{Nice, Policy};
use schedlab_engine::time::{Instant, Nanos};
use schedlab_engine::workload::program::{Op, Span};
use schedlab_engine::workload::{Slept, Start};
use schedlab_formats::recording::{Does, Task, Trace};
use std::collections::BTreeMap;

/// What a switch takes of the time that a recorded kernel thread was on the CPU (cfs-checked.md §1.3).
const SWITCH: u64 = 3_400;

/// A wakeup that follows a tick within that is the tick's own doing: it comes before the tick's reschedule
/// (cfs-checked.md §1.2).
const OF_TICK: i64 = 20_000;

/// The vruntime of a kernel thread when it first wakes, ns, where charges do not tell: so far left that it gets all the credit there is.
const LONG_ASLEEP: i64 = -(1 << 50);

/// So long after the tick has begun it comes then: the tick's handler takes more.
const IN_TICK: i64 = 1_000;

impl Builder<'_> {
    /// The controller, as long as it kept its CPU from the tasks that it had woken.
    pub(super) fn control(&mut self) {
        if let Some((cpu, until)) = self.controller() {
            let busy = Nanos(until.saturating_sub(SWITCH).max(100));
            let ops = vec![Op::Run(Span::Fixed(busy))];
            self.beside(CONTROLLER, (cpu, "fifo"), ops, (0, 0));
        }
    }

    /// Everybody else who was seen, but for the controller: woken when they were, and running for as long.
    pub(super) fn kernel_threads(&mut self) {
        let trace = self.trace;
        for (at, name) in (0..).zip(&trace.names) {
            let comm = name.rsplit_once(':').map_or("", |(comm, _)| comm);
            let of_scenario = comm.is_empty() || is_child(comm) || comm == "init";
            if of_scenario || comm.starts_with("migration/") {
                continue;
            }
            let mut by_cpu: BTreeMap<u16, Vec<(u64, u64)>> = BTreeMap::new();
            for (when, ns, cpu) in bursts(trace, Name(at)) {
                by_cpu.entry(cpu).or_default().push((when, ns));
            }
            for (cpu, bursts) in by_cpu {
                self.kernel_thread(name, cpu, &bursts);
            }
        }
    }

    /// What one of them did on one CPU.
    fn kernel_thread(&mut self, name: &str, cpu: u16, bursts: &[(u64, u64)]) {
        let known = self.vruntime_of(name, Policy::Normal, Nice::default());
        let vruntime = known
            .zip(self.root)
            .map_or(LONG_ASLEEP, |(v, base)| v - base);
        let mut ops = Vec::new();
        for (when, ns) in bursts {
            ops.push(Op::SleepUntil(Instant(*when)));
            ops.push(Op::Run(Span::Fixed(Nanos(*ns))));
        }
        let woken = bursts.first().map_or(0, |(when, _)| *when);
        self.beside(name, (cpu, "other"), ops, (woken, vruntime));
    }

    /// Somebody beside the scenario, who stays until the end.
    fn beside(
        &mut self,
        name: &str,
        (cpu, policy): (u16, &str),
        mut ops: Vec<Op>,
        (woken, vruntime): (u64, i64),
    ) {
        let line = Task {
            name: name.into(),
            count: 1,
            cpus: vec![cpu],
            group: None,
            nice: 0,
            policy: policy.into(),
            slice_ns: 0,
            does: Does::Program(Vec::new()),
        };
        ops.push(Op::SleepUntil(Instant(self.files.summary.counts.t_end_ns)));
        let start = Start::Asleep(Slept {
            woken: Instant(woken),
            vruntime,
            cpu: CpuId(cpu),
            waker: CpuId(cpu),
            flips: 0,
        });
        // A policy and a group that are there: adding cannot fail.
        let _ = self.add(&line, name.into(), &ops, (start, false));
    }
}

/// Is it a task that one of the scenario forked?
fn is_child(comm: &str) -> bool {
    comm.strip_suffix(".c").is_some()
}

/// When a kernel thread was woken, for how long it ran then, and where.
fn bursts(trace: &Trace, who: Name) -> Vec<(u64, u64, u16)> {
    let mut bursts = Vec::new();
    let (mut woken, mut tick) = (None, i64::MIN);
    let (mut since, mut ran) = (None, 0);
    for row in &trace.rows {
        match row.event {
            Event::Tick => tick = row.t,
            Event::Wakeup { task, cpu } if task == who => {
                let of_tick = row.t - tick <= OF_TICK;
                woken = Some((if of_tick { tick + IN_TICK } else { row.t }, cpu));
                ran = 0;
            }
            Event::Switch { next, .. } if next == who => since = Some(row.t),
            Event::Switch { prev, left, .. } if prev == who => {
                ran += since
                    .take()
                    .map_or(0, |since| row.t - since)
                    .max(0)
                    .unsigned_abs();
                if let (Left::Gone, Some((when, cpu))) = (left, woken) {
                    if when >= 0 {
                        bursts.push((
                            when.unsigned_abs(),
                            ran.saturating_sub(SWITCH).max(100),
                            cpu,
                        ));
                    }
                    woken = None;
                }
            }
            _ => {}
        }
    }
    bursts
}
