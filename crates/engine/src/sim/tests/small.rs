//! Every small world under every kernel: up to three tasks on one or two CPUs with every short program, run to its end.
//! After each event everything is counted anew.

use super::programs::world;
use super::properties::{Books, Checker};
use super::*;
use crate::machine::CpuMask;
use crate::task::{Nice, Policy, RtPriority};
use crate::workload::ipc::{ChannelId, LockId};
use crate::workload::program::{MaskId, Op, Span, TemplateId};

/// What programs are spelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    Run,
    Sleep,
    Send,
    Recv,
    Yield,
    Locked,
    Fork,
    Renice,
    Confine,
}

const PIPE: ChannelId = ChannelId(1);
const LOCK: LockId = LockId(0);

const fn run(us: u64) -> Op {
    Op::Run(Span::Fixed(Nanos::from_micros(us)))
}

impl Letter {
    /// Among `tasks` tasks, of which the child is the next.
    fn ops(self, tasks: usize) -> Vec<Op> {
        match self {
            // Longer than a slice, so that ticks have something to end.
            Letter::Run => vec![run(9_000)],
            Letter::Sleep => vec![Op::Sleep(Span::Fixed(Nanos::from_micros(300)))],
            Letter::Send => vec![Op::Send(PIPE, 1)],
            Letter::Recv => vec![Op::Recv(PIPE, 1)],
            Letter::Yield => vec![Op::Yield],
            Letter::Locked => vec![Op::Lock(LOCK), run(50), Op::Unlock(LOCK)],
            Letter::Fork => vec![Op::Fork(TemplateId(tasks as u32))],
            Letter::Renice => vec![Op::SetNice(Nice::new(5))],
            Letter::Confine => vec![Op::SetCpus(MaskId(0))],
        }
    }
}

/// Every word of 1 to `longest` letters.
fn words(letters: &[Letter], longest: usize) -> Vec<Vec<Letter>> {
    let mut all: Vec<Vec<Letter>> = Vec::new();
    let mut last = vec![Vec::new()];
    for _ in 0..longest {
        let longer = |word: &Vec<Letter>| {
            let with = |letter: &Letter| [word.as_slice(), &[*letter]].concat();
            letters.iter().map(with).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Every choice of `n` of `things`, in which order does not count and one may come again.
fn choices<T: Clone>(things: &[T], n: usize) -> Vec<Vec<T>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let from = |(i, first): (usize, &T)| {
        let rest = choices(&things[i..], n - 1);
        let with = |mut rest: Vec<T>| {
            rest.insert(0, first.clone());
            rest
        };
        rest.into_iter().map(with).collect::<Vec<_>>()
    };
    things.iter().enumerate().flat_map(from).collect()
}

/// A machine with a kernel, to be given worlds.
struct Stand {
    name: &'static str,
    scenario: Scenario,
    exclusive_pipes: bool,
}

fn stands(machines: &[&str]) -> Vec<Stand> {
    let stand = |machine: &str, kernel: &'static Profile| Stand {
        name: kernel.name,
        scenario: checked(&config(
            machine,
            kernel.name,
            vec![WorkloadSpec::new(WorkloadKind::Hogs)],
        )),
        exclusive_pipes: kernel.base.exclusive_pipes(),
    };
    let of = |machine: &&str| {
        PROFILES
            .iter()
            .map(|k| stand(machine, k))
            .collect::<Vec<_>>()
    };
    machines.iter().flat_map(of).collect()
}

impl Stand {
    /// Runs tasks with those programs and policies to the end.
    fn run(&mut self, tasks: &[(Vec<Letter>, Policy)]) {
        let spelled = |(word, _): &(Vec<Letter>, Policy)| {
            let ops = word.iter().flat_map(|letter| letter.ops(tasks.len()));
            ops.collect::<Vec<Op>>()
        };
        let programs: Vec<Vec<Op>> = tasks.iter().map(spelled).collect();
        let programs: Vec<&[Op]> = programs.iter().map(Vec::as_slice).collect();
        let mut world = world(&programs, &[&[run(100)]]);
        for (template, (_, policy)) in world.templates.iter_mut().zip(tasks) {
            template.policy = *policy;
        }
        let last = CpuId(self.scenario.topology.cpus() - 1);
        world.masks.push(CpuMask::just(last));
        if self.exclusive_pipes {
            world.make_pipes_exclusive();
        }
        self.scenario.to_the_end = false;
        self.scenario.world = world;
        let stop = to_the_end(&self.scenario);
        let may_wait = tasks.iter().any(|(word, _)| word.contains(&Letter::Recv));
        let ended = stop == Stop::Done || may_wait && stop == Stop::Quiet;
        assert!(ended, "{} {tasks:?}: {stop:?}", self.name);
    }
}

/// One event after the other, with a look at the books after each.
fn to_the_end(scenario: &Scenario) -> Stop {
    let mut checker = Checker::new(scenario);
    let mut sim = Sim::new(scenario);
    let mut books = Books::default();
    loop {
        let progress = sim.run_events(1, &mut checker);
        books.recount(&sim);
        if let Some(stop) = progress.stop {
            return stop;
        }
    }
}

const LETTERS: [Letter; 9] = [
    Letter::Run,
    Letter::Sleep,
    Letter::Send,
    Letter::Recv,
    Letter::Yield,
    Letter::Locked,
    Letter::Fork,
    Letter::Renice,
    Letter::Confine,
];

fn normal(words: Vec<Vec<Letter>>) -> Vec<(Vec<Letter>, Policy)> {
    words
        .into_iter()
        .map(|word| (word, Policy::Normal))
        .collect()
}

#[test]
fn two_tasks_with_every_program_of_two_steps() {
    let worlds = choices(&words(&LETTERS, 2), 2);
    assert_eq!(worlds.len(), 90 * 91 / 2);
    for stand in &mut stands(&["qemu-2c"]) {
        for world in &worlds {
            stand.run(&normal(world.clone()));
        }
    }
}

#[test]
fn three_tasks_that_run_sleep_and_wake_each_other() {
    let letters = &LETTERS[..4];
    let worlds = choices(&words(letters, 2), 3);
    assert_eq!(worlds.len(), 20 * 21 * 22 / 6);
    for stand in &mut stands(&["classroom-1", "qemu-2c"]) {
        for world in &worlds {
            stand.run(&normal(world.clone()));
        }
    }
}

#[test]
fn three_tasks_of_every_policy() {
    let policies = [
        Policy::Normal,
        Policy::Batch,
        Policy::Idle,
        Policy::Rr(RtPriority::new(10)),
        Policy::Fifo(RtPriority::new(50)),
    ];
    let steps = [Letter::Run, Letter::Sleep, Letter::Yield, Letter::Fork];
    let each = |step: &Letter| policies.map(|policy| (vec![*step, Letter::Run], policy));
    let tasks: Vec<_> = steps.iter().flat_map(each).collect();
    let worlds = choices(&tasks, 3);
    assert_eq!(worlds.len(), 20 * 21 * 22 / 6);
    for stand in &mut stands(&["classroom-1", "qemu-2c"]) {
        for world in &worlds {
            stand.run(world);
        }
    }
}
