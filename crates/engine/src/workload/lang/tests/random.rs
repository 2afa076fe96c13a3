//! Random scripts and random texts.

use super::super::tree::*;
use super::*;
use crate::machine::CpuId;
use crate::rng::Stream;
use crate::task::{Nice, Policy};
use crate::time::{Instant, Nanos};
use crate::workload::ipc::{ChannelKind, LockKind, QueueKind};
use crate::workload::program::{Dist, TimerMode};
use alloc::vec;
use proptest::prelude::*;

/// Draws, one after the other.
struct Dice(Stream, u32);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.1 += 1;
        self.0.below(self.1, n)
    }

    fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize].clone()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Dice) -> T) -> Option<T> {
        (self.below(3) == 0).then(|| make(self))
    }

    fn time(&mut self) -> Nanos {
        let magnitude = self.below(42);
        Nanos(self.below(1 << magnitude).min(3_600_000_000_000))
    }

    fn length(&mut self) -> Length {
        let (a, b) = (self.time(), self.time());
        Length::Drawn(match self.below(5) {
            0 => Dist::Uniform(a.min(b), a.max(b)),
            1 => Dist::Exponential(a),
            2 => Dist::Normal(a, b),
            3 => Dist::LogNormal(a, self.below(10_001) as u32),
            _ => return Length::Fixed(a),
        })
    }

    fn cpus(&mut self) -> CpuMask {
        let n = 1 + self.below(5);
        (0..n).map(|_| CpuId(self.below(256) as u16)).collect()
    }

    fn nice(&mut self) -> Nice {
        Nice::new(self.below(40) as i64 - 20)
    }

    /// The things that every random script has, five of each, in a team and outside of it.
    fn thing(&mut self, sort: Sort, names: &[&str], copies: u32) -> Ref {
        let name = self.one_of(names);
        let index = match self.below(7) {
            0 if copies <= 5 => Index::Me,
            1 if copies <= 5 => Index::Next,
            2 => Index::Each,
            3 if copies <= 5 => Index::Others,
            4 if sort == Sort::Lock => Index::Here,
            _ => Index::Number(self.below(5) as u32),
        };
        let name = format!("{}-{name}", sort.word());
        Ref { name, index }
    }

    fn stmt(&mut self, names: &[&str], copies: u32, depth: usize) -> Stmt {
        let thing = |dice: &mut Dice, sort| dice.thing(sort, names, copies);
        match self.below(if depth < 3 { 28 } else { 24 }) {
            0 => Stmt::Run(self.length()),
            1 => Stmt::Sys(self.length()),
            2 => Stmt::Sleep(self.length()),
            3 => Stmt::SleepUntil(Instant(self.time().0)),
            4 => {
                let modes = [
                    TimerMode::Skip,
                    TimerMode::Absolute,
                    TimerMode::Relative,
                    TimerMode::Aligned,
                ];
                Stmt::Timer(Nanos(self.time().0.max(1)), self.one_of(&modes))
            }
            5 => Stmt::Send(thing(self, Sort::Channel), 1 + self.below(4096) as u32),
            6 => Stmt::Recv(thing(self, Sort::Channel), 1 + self.below(65_536) as u32),
            7 => Stmt::Lock(thing(self, Sort::Lock)),
            8 => Stmt::Unlock(thing(self, Sort::Lock)),
            9 => Stmt::Wait(thing(self, Sort::Queue)),
            10 => Stmt::Wake(thing(self, Sort::Queue), 1 + self.below(3) as u32),
            11 => Stmt::WakeAll(thing(self, Sort::Queue)),
            12 => Stmt::Barrier(thing(self, Sort::Barrier)),
            13 => Stmt::Fork("kid".into()),
            14 => Stmt::ForkWait("kid".into()),
            15 => Stmt::Exec(self.length()),
            16 => Stmt::Exit,
            17 => Stmt::Join,
            18 => Stmt::Yield,
            19 => Stmt::Nice(self.nice()),
            20 => Stmt::Cpus(self.cpus()),
            21 => {
                let origins = [Origin::Expiry, Origin::Wake, Origin::Mark("m".into())];
                Stmt::Mark("m".into(), self.maybe(|dice| dice.one_of(&origins)))
            }
            22 => Stmt::Cpuset("G".into(), self.cpus()),
            23 => Stmt::AutogroupNice(self.nice()),
            24 => Stmt::Loop(None, self.body(names, copies, depth + 1)),
            25 => Stmt::Loop(
                Some(self.below(1_000_000_001) as u32),
                self.body(names, copies, depth + 1),
            ),
            26 => Stmt::RunForever,
            _ => {
                let share = self.below(1001) as u16;
                let yes = self.body(names, copies, depth + 1);
                Stmt::Choose(share, yes, self.body(names, copies, depth + 1))
            }
        }
    }

    fn body(&mut self, names: &[&str], copies: u32, depth: usize) -> Vec<Stmt> {
        let n = self.below(4);
        (0..n).map(|_| self.stmt(names, copies, depth)).collect()
    }

    fn task(&mut self, name: &str, names: &[&str]) -> Item {
        let count = self.maybe(|dice| 1 + dice.below(7) as u32);
        let child = name == "kid";
        Item::Task(Task {
            name: name.into(),
            count,
            child,
            traits: Traits {
                nice: self.maybe(Dice::nice),
                policy: self.maybe(|d| d.one_of(&[Policy::Normal, Policy::Batch, Policy::Idle])),
                slice: self.maybe(Dice::time),
                slack: self.maybe(Dice::time),
                cpus: self.maybe(Dice::cpus),
                group: self.maybe(|_| "G".into()),
                session: self.maybe(|_| "tty".into()),
                start: if child {
                    None
                } else {
                    self.maybe(|d| Instant(d.time().0))
                },
                ws_kb: self.maybe(|d| d.below(65_537) as u32),
                space: self.maybe(|_| "here".into()),
                role: self.maybe(|_| "role".into()),
            },
            body: self.body(names, count.unwrap_or(1), 0),
        })
    }

    fn things(&mut self, suffix: &str) -> Vec<Item> {
        let kinds = [ChannelKind::Unix, ChannelKind::Pipe, ChannelKind::Tcp];
        let kind = self.one_of(&kinds);
        let locks = [
            LockKind::Futex,
            LockKind::Adaptive,
            LockKind::SpinSleep,
            LockKind::KernelSpin,
        ];
        let kinds = [
            ThingKind::Channel(
                kind,
                self.maybe(|d| 4096 * (1 + d.below(16) as u32)),
                self.below(2) == 0,
            ),
            ThingKind::Queue(self.one_of(&[
                QueueKind::Poll,
                QueueKind::Condition,
                QueueKind::Semaphore,
            ])),
            ThingKind::Lock(self.one_of(&locks)),
            ThingKind::Barrier(1 + self.below(9) as u32),
        ];
        let thing = |kind: ThingKind| {
            Item::Thing(Thing {
                name: format!("{}-{suffix}", kind.sort().word()),
                count: Some(5),
                kind,
            })
        };
        kinds.map(thing).into()
    }

    fn items(&mut self) -> Vec<Item> {
        let mut items = self.things("x");
        items.push(self.task("kid", &["x"]));
        items.push(self.task("one", &["x"]));
        let mut inside = self.things("y");
        inside.push(self.task("two", &["x", "y"]));
        items.push(Item::Team(Team {
            name: "team".into(),
            count: self.maybe(|d| 1 + d.below(4) as u32),
            items: inside,
        }));
        items
    }
}

/// A random script that every machine and kernel can run. It says odd things, over and over.
pub(crate) fn script(seed: u64) -> Script {
    let mut items = Dice(Stream::new(seed, 2), 0).items();
    items.iter_mut().for_each(repeat);
    let written = Script {
        items: Arc::new(items),
        tasks: 0,
    };
    super::script(&written.pretty())
}

fn repeat(item: &mut Item) {
    match item {
        Item::Task(task) => {
            (task.traits.slice, task.traits.cpus) = (None, None);
            if !task.child {
                let body = core::mem::take(&mut task.body);
                task.body = vec![Stmt::Loop(Some(1000), body)];
            }
        }
        Item::Team(team) => team.items.iter_mut().for_each(repeat),
        Item::Thing(_) => {}
    }
}

proptest! {
    #[test]
    fn random_scripts_are_read_back_as_they_were_written(seed: u64) {
        let items = Dice(Stream::new(seed, 0), 0).items();
        let written = Script { items: Arc::new(items), tasks: 0 };
        let parsed = parse(&written.pretty(), &[]);
        prop_assert_eq!(&parsed.faults, &[], "{}", written.pretty());
        prop_assert_eq!(&parsed.script.items, &written.items);
        let compact = written.compact();
        let safe = |c: char| c.is_ascii_alphanumeric() || "+;()*.,-_".contains(c);
        prop_assert!(compact.chars().all(safe), "{}", compact);
        let again = parse(&compact.replace('+', " "), &[]);
        prop_assert_eq!(again.faults, []);
        prop_assert_eq!(&again.script, &parsed.script);
        let mut world = World::new();
        parsed.script.build(&mut world, 0, &|_| 1);
        prop_assert_eq!(world.templates.len() as u32, parsed.script.tasks());
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,200}") {
        told(&text);
    }

    #[test]
    fn no_mixture_of_its_words_breaks_the_reader(picks in prop::collection::vec(0_usize..PIECES.len(), 0..80)) {
        let text: Vec<&str> = picks.iter().map(|at| PIECES[*at]).collect();
        told(&text.join(" "));
        told(&text.concat());
    }

    #[test]
    fn a_script_with_a_piece_missing_or_doubled_breaks_nothing(seed: u64, from in 0_usize..3000, length in 0_usize..40) {
        let items = Dice(Stream::new(seed, 1), 0).items();
        let mut text = Script { items: Arc::new(items), tasks: 0 }.pretty();
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        let piece = text.get(from..to).unwrap_or("").to_string();
        told(&(text.clone() + &piece));
        text.replace_range(from..to, "");
        told(&text);
    }
}

/// Reads a text; what is wrong points into it and has words.
fn told(text: &str) {
    let parsed = parse(text, &["kernel"]);
    for fault in &parsed.faults {
        assert!(
            text.get(fault.range.clone()).is_some(),
            "{text:?}: {fault:?}"
        );
        assert!(!fault.says.is_empty());
    }
    assert!(parsed.faults.is_empty() || parsed.script.is_empty());
    if parsed.faults.is_empty() {
        let again = parse(&parsed.script.pretty(), &[]);
        assert_eq!(again.script, parsed.script, "{text:?}");
    }
}

const PIECES: [&str; 60] = [
    "task",
    "child",
    "team",
    "pipe",
    "socket",
    "tcp",
    "queue",
    "lock",
    "barrier",
    "kernel",
    "a",
    "b",
    "c",
    "p.me",
    "a.each",
    "b.0",
    "{",
    "}",
    "(",
    ")",
    "*",
    "3",
    "65536",
    ";",
    "\n",
    "#",
    "run",
    "forever",
    "sleep",
    "until",
    "1ms",
    "1ms..2ms",
    "exponential",
    "normal",
    "sd",
    "sigma",
    "timer",
    "skip",
    "send",
    "recv",
    "100B",
    "wait",
    "wake",
    "fork",
    "and",
    "loop",
    "choose",
    "30%",
    "else",
    "nice",
    "5",
    "cpus",
    "0-3",
    "in",
    "of",
    "poll",
    "counted",
    "buffer",
    "mark",
    "\u{e9}\u{1b}",
];
