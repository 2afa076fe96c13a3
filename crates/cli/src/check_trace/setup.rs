//! From a recording's files to what the engine replays: the kernel with its switches, and who takes part.

use schedlab_engine::machine::Machine;
use schedlab_engine::machine::topology::Topology;
use schedlab_engine::replay::{Class, End, Ended, Event, Member, Name, Recording, Row};
use schedlab_engine::sched::SchedSetup;
use schedlab_engine::sched::features::Feature;
use schedlab_engine::sched::profile::Profile;
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::task::{Nice, Policy};
use schedlab_engine::time::Hz;
use schedlab_engine::words::plural::counted;
use schedlab_formats::recording::{Knobs, Params, Recording as Files, TaskSummary};
use std::collections::BTreeMap;

/// Knobs that decide nothing that a replay of one CPU could show: how others are scaled at boot, and warnings.
const SILENT: [&str; 3] = ["tunable_scaling", "latency_warn_once", "latency_warn_ms"];

/// The tick rate of every recorded kernel (their `CONFIG_HZ`).
const RECORDED_HZ: Hz = Hz(250);

/// The recording as the engine replays it, or why it cannot.
pub(super) fn replayable(files: &Files) -> Result<Recording, String> {
    let Some(trace) = &files.trace else {
        return Err("no trace was taken, only counts".into());
    };
    let setup = setup(files)?;
    let cpus = setup.topology.cpus();
    if let Some(cpu) = trace.rows.iter().flat_map(cpus_of).find(|cpu| *cpu >= cpus) {
        return Err(format!(
            "its machine has {}, and its trace names CPU {cpu}",
            counted(cpus, "CPU", "CPUs")
        ));
    }
    let groups = groups(files)?;
    let mut members = members(files, &trace.names, &groups);
    for row in &trace.rows {
        if let Event::Fork { parent, child } = row.event {
            inherit(&mut members, parent, child);
        }
    }
    let recording = Recording {
        setup,
        groups: groups.into_values().collect(),
        members,
        rows: trace.rows.clone(),
        end: end(files, &trace.names),
    };
    if loses_yields(&recording) {
        return Err("sched_yield forfeits time without a row, and no charges tell of it".into());
    }
    Ok(recording)
}

/// Does who yields move by an unknown distance? In EEVDF it goes to its deadline, and when it did so and was picked again
/// only charges can tell.
fn loses_yields(recording: &Recording) -> bool {
    let eevdf = recording.setup.kernel.rules.is_eevdf();
    let yields = recording.members.iter().any(|member| member.yields);
    eevdf && yields && !recording.is_exact()
}

/// The CPUs that a row names.
fn cpus_of(row: &Row) -> [u16; 3] {
    match row.event {
        Event::Wakeup { cpu, .. } | Event::WakeupNew { cpu, .. } | Event::Waking { cpu, .. } => {
            [row.cpu, cpu, cpu]
        }
        Event::Migrate { from, to, .. } => [row.cpu, from, to],
        _ => [row.cpu; 3],
    }
}

fn setup(files: &Files) -> Result<SchedSetup, String> {
    let topology = machine(&files.params.topology)?.topology();
    on(files, topology.map_err(|problem| format!("{problem:?}"))?)
}

/// The recorded kernel as it was set, on a machine of that shape.
pub(super) fn on(files: &Files, topology: Topology) -> Result<SchedSetup, String> {
    let tag = files.summary.kernel_tag.as_str();
    // Stable releases were recorded: their profile has a y.
    let profile = Profile::by_name(&format!("{tag}y")).or_else(|| Profile::by_name(tag));
    let mut kernel = profile
        .ok_or_else(|| format!("kernel {tag}: the engine has no profile of it"))?
        .kernel();
    let (knobs, boot) = (&files.params.knobs, &files.params.default_knobs);
    for (word, on) in &knobs.features {
        match Feature::by_name(word) {
            Some(feature) => kernel.features = kernel.features.with(feature, *on),
            None if boot.features.contains(&(word.clone(), *on)) => {}
            None => return Err(format!("feature {word}: the engine does not know it")),
        }
    }
    let mut setup = SchedSetup::on(topology, kernel, RECORDED_HZ);
    tune(&mut setup, knobs, boot)?;
    Ok(setup)
}

/// The machine of the catalog that a topology of the recordings is.
pub(super) fn machine(topology: &str) -> Result<&'static Machine, String> {
    let name = match topology {
        "up" => "qemu-1",
        "smp2c" => "qemu-2c",
        "smp4s2c2" => "qemu-2s2c",
        "smp4c2t2" => "qemu-2c2t",
        other => return Err(format!("topology {other}: no machine of the catalog")),
    };
    Machine::by_name(name).ok_or_else(|| format!("no machine {name}"))
}

/// Sets the tunables that were in force.
fn tune(setup: &mut SchedSetup, knobs: &Knobs, boot: &Knobs) -> Result<(), String> {
    for (name, value) in &knobs.numbers {
        match Tunable::by_name(name.strip_suffix("_ns").unwrap_or(name)) {
            Some(tunable) => {
                let (least, most) = tunable.info().range;
                if !(least..=most).contains(value) {
                    return Err(format!("{name} = {value}: not from {least} to {most}"));
                }
                setup.tunables.set(tunable, *value);
            }
            None if SILENT.contains(&name.as_str()) || boot.numbers.get(name) == Some(value) => {}
            None => return Err(format!("{name}: the engine has no such tunable")),
        }
    }
    Ok(())
}

/// The groups of the scenario with their shares, in order of name.
fn groups(files: &Files) -> Result<BTreeMap<String, u64>, String> {
    let mut groups = BTreeMap::new();
    for (_, task) in &files.summary.tasks {
        if task.cgroup.contains('/') {
            return Err(format!(
                "group {}: groups in groups are not replayed",
                task.cgroup
            ));
        }
        if !task.cgroup.is_empty() {
            groups.insert(task.cgroup.clone(), shares(&files.params, &task.cgroup)?);
        }
    }
    Ok(groups)
}

/// `cpu.weight` of a group as shares: 100 is 1024 (kernel/sched/core.c: `cpu_weight_write_u64`).
fn shares(params: &Params, group: &str) -> Result<u64, String> {
    let line = params.source.iter().find_map(|line| {
        let mut words = line.split_whitespace();
        let own = words.next() == Some("cg") && words.next() == Some(group);
        own.then(|| words.map(str::to_string).collect::<Vec<_>>())
    });
    for word in line.unwrap_or_default() {
        let Some((key, value)) = word.split_once('=') else {
            continue;
        };
        match (key, value.parse::<u64>()) {
            ("cpu.weight", Ok(weight @ 1..=10_000)) => return Ok(weight * 1024 / 100),
            _ => return Err(format!("group {group}: {word} is not replayed")),
        }
    }
    Ok(1024)
}

fn members(files: &Files, names: &[String], groups: &BTreeMap<String, u64>) -> Vec<Member> {
    let tasks: BTreeMap<&str, &TaskSummary> = files
        .summary
        .tasks
        .iter()
        .map(|(name, task)| (name.as_str(), task))
        .collect();
    let member = |name: &String| match tasks.get(name.as_str()) {
        Some(task) => of_scenario(name, task, groups),
        None => of_system(name, &files.params),
    };
    names.iter().map(member).collect()
}

/// A task of the scenario.
fn of_scenario(name: &str, task: &TaskSummary, groups: &BTreeMap<String, u64>) -> Member {
    let ops = || task.ops.split([',', '{', '}']).map(str::trim);
    let nice = |op: &str| op.strip_prefix('n')?.parse().ok().map(Nice::new);
    let hackbench = hackbench_group(name).filter(|_| task.ops.is_empty());
    Member {
        name: name.to_string(),
        class: if matches!(task.policy, 1 | 2 | 6) {
            Class::Above
        } else {
            Class::Fair
        },
        policy: match task.policy {
            3 => Policy::Batch,
            5 => Policy::Idle,
            _ => Policy::Normal,
        },
        nice: Nice::new(task.nice),
        slice: Some(task.slice_ns).filter(|ns| *ns > 0),
        group: groups.keys().position(|group| *group == task.cgroup),
        rested: false,
        yields: ops().any(|op| op == "y"),
        bound: None,
        reads_clock: ops().any(computes),
        reads: ops()
            .filter_map(|op| pipe(op, 'd'))
            .chain(hackbench)
            .collect(),
        writes: ops()
            .filter_map(|op| pipe(op, 'w'))
            .chain(hackbench)
            .collect(),
        renices: ops().filter_map(nice).collect(),
    }
}

/// Does an operation use CPU time (`h`, `r200`)? On several CPUs it is over when the task's own CPU clock says so.
fn computes(op: &str) -> bool {
    op == "h"
        || op
            .strip_prefix('r')
            .is_some_and(|us| us.parse::<u64>().is_ok())
}

/// The group of a task of `hb`, `r0_3` or `s0_3`, whose pipes count as one here: senders wake receivers by what they write,
/// and receivers wake senders by the room they make. No other pipe has such a number.
fn hackbench_group(name: &str) -> Option<u32> {
    let (group, member) = name.strip_prefix(['r', 's'])?.split_once('_')?;
    let _: u32 = member.parse().ok()?;
    group.parse::<u32>().ok()?.checked_add(1 << 31)
}

/// The pipe of a read (`d`) or a write (`w`).
fn pipe(op: &str, letter: char) -> Option<u32> {
    op.strip_prefix(letter)?.parse().ok()
}

/// The CPU of a kernel thread that is bound to one: `ksoftirqd/1`, `kworker/1:0`, but not `kworker/u4:0`.
fn bound(comm: &str) -> Option<u16> {
    let (_, place) = comm.split_once('/')?;
    place.split(':').next()?.trim_end_matches('H').parse().ok()
}

/// The idle task, the controller and kernel threads.
fn of_system(name: &str, params: &Params) -> Member {
    let comm = name.rsplit_once(':').map_or(name, |(comm, _)| comm);
    let class = match (name, comm) {
        ("idle", _) => Class::Idle,
        // The controller is process 1, SCHED_FIFO; migration threads belong to the stop class.
        _ if name.ends_with(":1") || comm.starts_with("migration/") => Class::Above,
        _ => Class::Fair,
    };
    // The printing threads of consoles: kernel/printk/nbcon.c, nbcon_kthread_create.
    let heavy = comm.starts_with("kworker/") && comm.ends_with('H') || comm.starts_with("pr/");
    let nice = match comm {
        _ if heavy => -20,
        "ksmd" => 5,
        "khugepaged" => 19,
        _ => 0,
    };
    let in_child = |found: &dyn Fn(&str) -> bool| {
        let programs = params.source.iter().filter_map(|l| l.strip_prefix("prog "));
        let mut ops = programs.flat_map(|words| words.split([',', ' ', '{', '}']).skip(1));
        ops.any(found)
    };
    Member {
        name: name.to_string(),
        class,
        policy: Policy::Normal,
        nice: Nice::new(nice),
        slice: None,
        group: None,
        rested: true,
        yields: in_child(&|op| op == "y"),
        bound: bound(comm),
        reads_clock: comm.strip_suffix(".c").is_some() && in_child(&computes),
        reads: Vec::new(),
        writes: Vec::new(),
        renices: Vec::new(),
    }
}

/// What the kernel said at the end, if the trace goes that far, of those who are named in it.
fn end(files: &Files, names: &[String]) -> Option<End> {
    let end = files
        .end
        .as_ref()
        .filter(|_| files.summary.trace_complete)?;
    let named = |comm: &str, pid: u32| {
        let thread = format!("{comm}:{pid}");
        let found = names
            .iter()
            .position(|name| *name == comm || *name == thread)?;
        Some(Name(found as u32))
    };
    let tasks = end.tasks.iter();
    Some(End {
        min_vruntime: end.min_vruntime,
        tasks: tasks
            .filter_map(|task| {
                Some(Ended {
                    name: named(&task.comm, task.pid)?,
                    runnable: task.runnable,
                    vruntime: task.vruntime,
                    deadline: task.deadline,
                })
            })
            .collect(),
    })
}

/// A child has what its parent has, but for its program.
fn inherit(members: &mut [Member], parent: Name, child: Name) {
    let Some(from) = members.get(parent.index()).cloned() else {
        return;
    };
    if let Some(to) = members.get_mut(child.index()) {
        (to.class, to.policy, to.nice) = (from.class, from.policy, from.nice);
        (to.group, to.slice, to.rested) = (from.group, from.slice, false);
    }
}
