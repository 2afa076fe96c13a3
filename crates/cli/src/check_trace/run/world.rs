//! From a recording's scenario to the simulator's cast: programs, groups, and kernel threads as they were seen.

use schedlab_engine::config::Group;
use schedlab_engine::machine::{CpuId, CpuMask};
use schedlab_engine::replay::{Event, FLIPS_OF_CONTROLLER, Left, Name};
use schedlab_engine::sched::SchedSetup;
use schedlab_engine::sched::weight::{calc_delta_fair, task_weight};
use schedlab_engine::task::{Nice, Policy, RtPriority};
use schedlab_engine::time::{Instant, Nanos};
use schedlab_engine::workload::ipc::{ChannelId, ChannelKind, ChannelSpec};
use schedlab_engine::workload::program::{Op, Span, TemplateId, TimerMode};
use schedlab_engine::workload::{Inherits, Member, Slept, Start, Template, World};
use schedlab_formats::recording::{Does, Op as Source, Recording, Scenario, Task, Trace};
use std::collections::BTreeMap;

/// Who plays, and what.
pub(super) struct Cast {
    pub(super) world: World,
    /// The name of each template.
    pub(super) names: Vec<String>,
    pub(super) groups: Vec<Group>,
    /// Does the run end when tasks have ended, and not by the clock?
    pub(super) ends: bool,
}

/// What the first run of a task takes beside its program, for page faults: 4 µs in the random mixes, 72 µs else
/// (cfs-checked.md §3, "Distortions").
fn first_run(scenario: &str) -> Nanos {
    Nanos::from_micros(if scenario.starts_with('x') { 4 } else { 72 })
}

/// Who woke the tasks.
pub(super) const CONTROLLER: &str = "init:1";

pub(super) struct Builder<'a> {
    pub(super) files: &'a Recording,
    source: &'a Scenario,
    pub(super) trace: &'a Trace,
    setup: &'a SchedSetup,
    world: World,
    names: Vec<String>,
    pipes: BTreeMap<u32, ChannelId>,
    /// Children by program and by who forks them.
    children: BTreeMap<(String, String), TemplateId>,
    ends: bool,
    /// Where the vruntimes of the root group begin, if charges tell.
    pub(super) root: Option<i64>,
}

/// The cast of a recording.
pub(super) fn cast(
    files: &Recording,
    source: &Scenario,
    trace: &Trace,
    setup: &SchedSetup,
) -> Result<Cast, String> {
    if let Some(line) = source.foreign.first() {
        return Err(format!("runs a program of somebody else\u{2019}s: {line}"));
    }
    let mut builder = Builder {
        files,
        source,
        trace,
        setup,
        world: World::new(),
        names: Vec::new(),
        pipes: BTreeMap::new(),
        children: BTreeMap::new(),
        ends: false,
        root: None,
    };
    builder.tasks()?;
    builder.kernel_threads();
    builder.control();
    builder.world.members.push(Member { kind: None });
    // Every kernel that was recorded is later than 5.5.
    builder.world.make_pipes_exclusive();
    let group = |(_, weight): &(String, u64)| Group {
        parent: 0,
        shares: weight * 1024 / 100,
        quota: None,
        cpus: None,
    };
    Ok(Cast {
        groups: source.groups.iter().map(group).collect(),
        world: builder.world,
        names: builder.names,
        ends: builder.ends,
    })
}

/// One task to be made: its line, its own name, its place among its line's.
struct Part<'a> {
    line: &'a Task,
    name: String,
    ops: Vec<Op>,
}

impl<'a> Builder<'a> {
    /// The scenario's tasks, in the order in which they were woken.
    fn tasks(&mut self) -> Result<(), String> {
        let source = self.source;
        let mut parts: Vec<Part<'a>> = Vec::new();
        for line in &source.tasks {
            match &line.does {
                Does::Program(ops) => {
                    for n in 0..line.count {
                        let name = match line.count {
                            1 => line.name.clone(),
                            _ => format!("{}{n}", line.name),
                        };
                        let body = self.program(ops, line, &name)?;
                        parts.push(Part {
                            line,
                            name,
                            ops: forever(body),
                        });
                    }
                }
                Does::Hackbench {
                    groups,
                    fan,
                    loops,
                    size,
                    waited,
                } => {
                    self.ends |= waited;
                    for group in 0..*groups {
                        self.hackbench(line, (group, *fan, *loops, *size), &mut parts);
                    }
                }
            }
        }
        let woken = self.wakeups();
        let when = |part: &Part<'_>| woken.get(part.name.as_str()).copied();
        if let Some(part) = parts.iter().find(|part| when(part).is_none()) {
            return Err(format!("task {} is never woken in the trace", part.name));
        }
        parts.sort_by_key(|part| when(part));
        let bases = self.bases(&parts);
        let release = self.release();
        self.root = bases.get(&None).copied();
        let first = Op::Sys(Span::Fixed(first_run(&self.files.params.scenario)));
        for part in parts {
            let base = bases.get(&part.line.group).copied().unwrap_or(0);
            let vruntime = self.vruntime(&part).map_or(0, |v| v - base);
            let at = when(&part).unwrap_or(0).max(0).unsigned_abs();
            let start = Start::Asleep(Slept {
                vruntime,
                ..self.first_wakeup(&part.name, (at, release))
            });
            let mut ops = vec![first];
            ops.extend(part.ops);
            let ends = matches!(part.line.does, Does::Hackbench { waited: true, .. });
            self.add(part.line, part.name, &ops, (start, ends))?;
        }
        Ok(())
    }

    /// When each task was first woken.
    fn wakeups(&self) -> BTreeMap<&'a str, i64> {
        let mut first = BTreeMap::new();
        for row in &self.trace.rows {
            if let Event::Wakeup { task, .. } = row.event {
                first
                    .entry(self.trace.names[task.index()].as_str())
                    .or_insert(row.t);
            }
        }
        first
    }

    /// How the controller, which woke everybody, came to be where it was: its CPU, the one on which the tasks had fallen
    /// asleep that it had set up before, one after the other, and when it first woke one of them.
    fn release(&self) -> Slept {
        let of_scenario = |name: Name| !self.trace.names[name.index()].contains(':');
        let rows = || self.trace.rows.iter().filter(|row| row.t >= 0);
        let woken = rows().find_map(|row| match row.event {
            Event::Wakeup { task, cpu } if of_scenario(task) => Some((row.t, cpu)),
            _ => None,
        });
        let (at, cpu) = woken.unwrap_or((0, 0));
        Slept {
            woken: Instant(at.unsigned_abs()),
            vruntime: 0,
            cpu: CpuId(cpu),
            waker: CpuId(self.controller().map_or(0, |(cpu, _)| cpu)),
            flips: FLIPS_OF_CONTROLLER,
        }
    }

    /// The CPU of the controller, and when it left that to the tasks.
    pub(super) fn controller(&self) -> Option<(u16, u64)> {
        self.trace.rows.iter().find_map(|row| match row.event {
            Event::Switch {
                prev,
                left: Left::Gone,
                ..
            } if row.t >= 0 && self.trace.names[prev.index()] == CONTROLLER => {
                Some((row.cpu, row.t.unsigned_abs()))
            }
            _ => None,
        })
    }

    /// When and from where a task was first woken, as far as the trace tells.
    fn first_wakeup(&self, name: &str, (at, release): (u64, Slept)) -> Slept {
        let queued = Slept {
            woken: Instant(at),
            ..release
        };
        if self.setup.topology.cpus() == 1 {
            return queued;
        }
        let waking = self.trace.rows.iter().find_map(|row| match row.event {
            Event::Waking { task, cpu } if self.trace.names[task.index()] == name => {
                Some((row.t.max(0).unsigned_abs(), cpu, row.cpu))
            }
            _ => None,
        });
        waking.map_or(queued, |(at, cpu, waker)| Slept {
            woken: Instant(at),
            cpu: CpuId(cpu),
            waker: CpuId(waker),
            ..release
        })
    }

    /// The smallest vruntime of each group: queues of the simulator begin at 0.
    fn bases(&self, parts: &[Part<'_>]) -> BTreeMap<Option<String>, i64> {
        let mut bases = BTreeMap::new();
        for part in parts {
            if let Some(vruntime) = self.vruntime(part) {
                let base = bases.entry(part.line.group.clone()).or_insert(vruntime);
                *base = vruntime.min(*base);
            }
        }
        bases
    }

    /// Where the vruntime of a task stood when it was woken, as its first charge tells.
    fn vruntime(&self, part: &Part<'_>) -> Option<i64> {
        let policy = policy(&part.line.policy).unwrap_or_default();
        self.vruntime_of(&part.name, policy, Nice::new(part.line.nice))
    }

    pub(super) fn vruntime_of(&self, name: &str, policy: Policy, nice: Nice) -> Option<i64> {
        let first = self.trace.rows.iter().find_map(|row| match row.event {
            Event::Runtime {
                task,
                ns,
                vruntime: Some(after),
            } if self.trace.names[task.index()] == name => Some((ns, after)),
            _ => None,
        });
        let load = task_weight(policy, nice);
        first.map(|(ns, after)| {
            after - calc_delta_fair(self.setup.kernel.rules.fixed_point, ns, load) as i64
        })
    }

    fn hackbench(
        &mut self,
        line: &'a Task,
        (group, fan, loops, size): (u32, u32, u32, u32),
        parts: &mut Vec<Part<'a>>,
    ) {
        let pipes: Vec<ChannelId> = (0..fan).map(|_| self.pipe(None)).collect();
        for (n, pipe) in pipes.iter().enumerate() {
            parts.push(Part {
                line,
                name: format!("r{group}_{n}"),
                ops: vec![
                    Op::Loop(loops),
                    Op::Loop(fan),
                    Op::Recv(*pipe, size),
                    Op::End(0),
                    Op::End(0),
                ],
            });
        }
        for n in 0..fan {
            let mut ops = vec![Op::Loop(loops)];
            ops.extend(pipes.iter().map(|pipe| Op::Send(*pipe, size)));
            ops.push(Op::End(0));
            parts.push(Part {
                line,
                name: format!("s{group}_{n}"),
                ops,
            });
        }
    }

    fn pipe(&mut self, number: Option<u32>) -> ChannelId {
        if let Some(known) = number.and_then(|n| self.pipes.get(&n)) {
            return *known;
        }
        let pipe = self.world.channel(ChannelSpec {
            kind: ChannelKind::Pipe,
            capacity: None,
            counted: false,
        });
        if let Some(number) = number {
            self.pipes.insert(number, pipe);
        }
        pipe
    }

    fn program(&mut self, source: &[Source], line: &Task, name: &str) -> Result<Vec<Op>, String> {
        let mut ops = Vec::new();
        for op in source {
            self.operation(op, (line, name), &mut ops)?;
        }
        Ok(ops)
    }

    fn operation(
        &mut self,
        op: &Source,
        (line, name): (&Task, &str),
        ops: &mut Vec<Op>,
    ) -> Result<(), String> {
        let fixed = |us: &u64| Span::Fixed(Nanos::from_micros(*us));
        let op = match op {
            Source::Run(us) => Op::Run(fixed(us)),
            Source::Hog => Op::Run(Span::Fixed(Nanos::from_secs(3600))),
            Source::Sleep(us) => Op::Sleep(fixed(us)),
            Source::Period(us) => Op::Timer(Nanos::from_micros(*us), TimerMode::Aligned),
            Source::Until(us) => Op::SleepUntil(Instant(Nanos::from_micros(*us).0)),
            Source::Yield => Op::Yield,
            Source::Write(n) => Op::Send(self.pipe(Some(*n)), 4),
            Source::Read(n) => Op::Recv(self.pipe(Some(*n)), 4),
            Source::Nice(nice) => Op::SetNice(Nice::new(*nice)),
            Source::Fork(program) => Op::Fork(self.child(program, line, name)?),
            Source::ForkWait(program) => Op::ForkWait(self.child(program, line, name)?),
            Source::ExecWait => return Err("runs another program, whose time is not told".into()),
            Source::Count => return Ok(()),
            Source::Loop(rounds, body) => {
                ops.push(Op::Loop(*rounds));
                for op in body {
                    self.operation(op, (line, name), ops)?;
                }
                Op::End(0)
            }
        };
        ops.push(op);
        Ok(())
    }

    fn child(&mut self, program: &str, line: &Task, parent: &str) -> Result<TemplateId, String> {
        let key = (program.to_string(), parent.to_string());
        if let Some(known) = self.children.get(&key) {
            return Ok(*known);
        }
        let source = self.source;
        let body = source
            .programs
            .get(program)
            .ok_or_else(|| format!("program {program} is not there"))?;
        let name = format!("{parent}.c");
        let ops = self.program(body, line, &name)?;
        let id = self.add(line, name, &ops, (Start::Forked, false))?;
        self.children.insert(key, id);
        Ok(id)
    }

    pub(super) fn add(
        &mut self,
        line: &Task,
        name: String,
        ops: &[Op],
        (start, ends): (Start, bool),
    ) -> Result<TemplateId, String> {
        let policy = policy(&line.policy)?;
        let group = match &line.group {
            None => 0,
            Some(name) => {
                let at = self
                    .source
                    .groups
                    .iter()
                    .position(|(group, _)| group == name);
                at.ok_or_else(|| format!("group {name} is not there"))? as u16 + 1
            }
        };
        let cpus = line.cpus.iter().map(|cpu| CpuId(*cpu));
        let watches_clock = self.setup.topology.cpus() > 1 && !line.name.contains(':');
        let program = self.world.program(ops);
        self.names.push(name.clone());
        let space = self.world.templates.len() as u32;
        Ok(self.world.template(Template {
            name,
            role: "task".into(),
            workload: 0,
            space,
            nice: Nice::new(line.nice),
            policy,
            slice: (line.slice_ns > 0).then_some(Nanos(line.slice_ns)),
            slack: None,
            allowed: cpus.collect::<CpuMask>(),
            inherits: Inherits {
                nice: start == Start::Forked,
                allowed: start == Start::Forked,
            },
            group,
            session: 0,
            ws_kb: 0,
            program,
            start,
            watches_clock,
            ends,
        }))
    }
}

fn policy(word: &str) -> Result<Policy, String> {
    match word {
        "other" => Ok(Policy::Normal),
        "batch" => Ok(Policy::Batch),
        "idle" => Ok(Policy::Idle),
        "fifo" => Ok(Policy::Fifo(RtPriority::new(50))),
        other => Err(format!("policy {other} is not simulated")),
    }
}

fn forever(body: Vec<Op>) -> Vec<Op> {
    let mut ops = vec![Op::Loop(Op::FOREVER)];
    ops.extend(body);
    ops.push(Op::End(0));
    ops
}
