//! Pairs the decisions of two runs: those are alike that are of the same kind, about the same task, and have the same
//! number since the same of its wakeups. So one that is late, or early, is still compared with its like.
//!
//! Not here: how the runs are driven.

use super::event::{Event, PrevState};
use crate::order::Map;
use crate::sched::decision::MigrateWhy;
use crate::task::TaskId;
use crate::time::Instant;
use alloc::vec::Vec;

/// An event and when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dated {
    /// When.
    pub at: Instant,
    /// What.
    pub event: Event,
}

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// On which CPU a woken or new task goes.
    Selection,
    /// Whether it preempts there.
    Preemption,
    /// How a task leaves its CPU, and who runs there then.
    Pick,
    /// Where balancing moves a task.
    Move,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Selection, Kind::Preemption, Kind::Pick, Kind::Move];
}

/// One decision that two runs took differently, or only one of them had to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// What was decided.
    pub kind: Kind,
    /// About whom, in the first run and in the other.
    pub tasks: [Option<TaskId>; 2],
    /// The last of its wakeups, from 1; 0 = it had only been started.
    pub wakeup: u32,
    /// Its number among those of its kind since then, from 0.
    pub nth: u32,
    /// What the first run did; none = it came to no such decision.
    pub a: Option<Dated>,
    /// What the other did.
    pub b: Option<Dated>,
}

impl Parting {
    /// When the earlier of the two was.
    pub fn first(&self) -> Instant {
        let times = [self.a, self.b].map(|d| d.map_or(Instant::FAR, |d| d.at));
        times[0].min(times[1])
    }
}

/// Where two runs part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partings {
    /// The first decisions with another outcome, in the order of time.
    pub decisions: Vec<Parting>,
    /// The first with the same outcome for another reason, if it comes before them.
    pub reason: Option<Parting>,
    /// The first that is the same at another time, if it comes before them.
    pub time: Option<Parting>,
    /// Tasks that only one of the runs has; they are not compared.
    pub only: [Vec<TaskId>; 2],
}

/// No task: the idle one, or one that the other run has not.
const NOBODY: u32 = u32::MAX;

/// What came out of a decision, in numbers that mean the same in both runs.
type Outcome = [u32; 2];

/// A decision whose like the other run has not come to.
#[derive(Clone, Copy)]
struct Half {
    side: usize,
    key: (u32, Kind, u32),
    dated: Dated,
    outcome: Outcome,
}

/// What is known of a task in one of the runs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Life {
    task: TaskId,
    wakeup: u32,
    picks: u32,
    moves: u32,
    ended: bool,
}

/// A task, whatever its number.
#[derive(Default)]
struct Who {
    key: u64,
    lives: [Option<Life>; 2],
    halves: Vec<Half>,
}

/// Compares two runs as they are told.
#[derive(Default)]
pub struct Pairing {
    /// Differences before that are passed over.
    from: Instant,
    whos: Vec<Who>,
    /// Who has that key: who made it, what it is called, and how many of that name came before.
    by_key: Map<u64, u32>,
    /// How many of a name there are, for each maker and side.
    named: Map<u64, u32>,
    /// So many of `whos` were there from the start, in one of the runs or in both.
    whos_from_start: usize,
    /// Of each side: who a task is, and keys of the names of templates.
    tasks: [Vec<u32>; 2],
    templates: [Vec<u64>; 2],
    found: Partings,
}

/// FNV-1a: names and numbers as one.
fn mixed(key: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(key ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

impl Pairing {
    /// Of differences only those at `from` and after it are found; all decisions are paired.
    pub fn from(from: Instant) -> Self {
        Self {
            from,
            ..Self::default()
        }
    }

    /// The run on `side` has templates with those names, and tasks that are there from the start.
    pub fn begin<'n>(
        &mut self,
        side: usize,
        templates: impl Iterator<Item = &'n str>,
        tasks: impl Iterator<Item = &'n str>,
    ) {
        self.templates[side] = templates.map(|name| mixed(0, name.as_bytes())).collect();
        for (n, name) in (0..).zip(tasks) {
            self.born(side, TaskId(n), 0, mixed(0, name.as_bytes()));
        }
        self.whos_from_start = self.whos.len();
    }

    /// Is `who`, who was there from the start, in one of the runs only?
    fn is_only(&self, who: u32) -> bool {
        let lives = self.whos.get(who as usize).map(|who| who.lives);
        let made = (who as usize) < self.whos_from_start;
        made && lives.is_some_and(|lives| lives.contains(&None))
    }

    /// `task` is there, made by who has the key `maker`.
    fn born(&mut self, side: usize, task: TaskId, maker: u64, name: u64) {
        let kin = mixed(maker, &name.to_le_bytes());
        let of_side = mixed(kin, &[side as u8]);
        let count: u32 = self.named.get(&of_side).copied().unwrap_or_default();
        let key = mixed(kin, &count.to_le_bytes());
        self.named.insert(of_side, count + 1);
        let known = self.by_key.get(&key).copied();
        let who = known.unwrap_or(self.whos.len() as u32);
        if known.is_none() {
            self.by_key.insert(key, who);
            self.whos.push(Who {
                key,
                ..Who::default()
            });
        }
        self.whos[who as usize].lives[side] = Some(Life {
            task,
            wakeup: 0,
            picks: 0,
            moves: 0,
            ended: false,
        });
        let tasks = &mut self.tasks[side];
        if tasks.len() <= task.index() {
            tasks.resize(task.index() + 1, NOBODY);
        }
        tasks[task.index()] = who;
    }

    fn who(&self, side: usize, task: Option<TaskId>) -> u32 {
        let who = task.and_then(|task| self.tasks[side].get(task.index()));
        who.copied().unwrap_or(NOBODY)
    }

    /// What happened in the run on `side`.
    pub fn record(&mut self, side: usize, at: Instant, event: &Event) {
        let dated = Dated { at, event: *event };
        match *event {
            Event::Wakeup {
                task,
                placement,
                preempt,
                ..
            } => {
                let who = self.who(side, Some(task));
                let Some(life) = self.life(side, who) else {
                    return;
                };
                (life.picks, life.moves) = (0, 0);
                life.wakeup += 1;
                let wakeup = life.wakeup;
                self.alone(1 - side, who, |half| half.key.0 < wakeup);
                let outcome = [placement.cpu.0.into(), preempt.yes.into()];
                self.put(side, who, (Kind::Selection, 0), (dated, outcome));
            }
            Event::Fork {
                parent,
                child,
                template,
                placement,
                preempt,
            } => {
                if let Some(parent) = parent {
                    let maker = self.who(side, Some(parent));
                    let maker = self.whos.get(maker as usize).map_or(0, |who| who.key);
                    let name = self.templates[side][template.0 as usize];
                    self.born(side, child, maker, name);
                }
                let who = self.who(side, Some(child));
                let outcome = [placement.cpu.0.into(), preempt.yes.into()];
                self.put(side, who, (Kind::Selection, 0), (dated, outcome));
            }
            Event::Switch {
                prev: Some(prev),
                state,
                next,
                ..
            } => {
                let who = self.who(side, Some(prev));
                let outcome = [state as u32, self.who(side, next)];
                let Some(life) = self.life(side, who) else {
                    return;
                };
                let nth = life.picks;
                life.picks += 1;
                life.ended = state == PrevState::Exited;
                self.put(side, who, (Kind::Pick, nth), (dated, outcome));
                if state == PrevState::Exited {
                    self.alone(1 - side, who, |_| true);
                }
            }
            Event::Migrate { task, to, why, .. }
                if !matches!(why, MigrateWhy::Wakeup | MigrateWhy::Fork) =>
            {
                let who = self.who(side, Some(task));
                let Some(life) = self.life(side, who) else {
                    return;
                };
                let nth = life.moves;
                life.moves += 1;
                self.put(side, who, (Kind::Move, nth), (dated, [to.0.into(), 0]));
            }
            _ => {}
        }
    }

    fn life(&mut self, side: usize, who: u32) -> Option<&mut Life> {
        self.whos.get_mut(who as usize)?.lives[side].as_mut()
    }

    /// Compares a decision with its like, or keeps it until that comes.
    fn put(
        &mut self,
        side: usize,
        who: u32,
        (kind, nth): (Kind, u32),
        (dated, outcome): (Dated, Outcome),
    ) {
        if self.is_only(who) {
            return;
        }
        let Some(one) = self.whos.get_mut(who as usize) else {
            return;
        };
        let wakeup = one.lives[side].map_or(0, |life| life.wakeup);
        let half = Half {
            side,
            key: (wakeup, kind, nth),
            dated,
            outcome,
        };
        let like = |other: &Half| other.side != side && other.key == half.key;
        if let Some(place) = one.halves.iter().position(like) {
            let other = one.halves.swap_remove(place);
            let tasks = one.lives.map(|life| life.map(|l| l.task));
            self.compare(tasks, half, other);
        } else {
            let passed = one.lives[1 - side].is_some_and(|l| l.ended || l.wakeup > wakeup);
            one.halves.push(half);
            if passed {
                self.alone(side, who, |kept| kept.key == half.key);
            }
        }
    }

    /// The kept decisions of `side` about `who` that are `such` have no like in the other run.
    fn alone(&mut self, side: usize, who: u32, such: impl Fn(&Half) -> bool) {
        let Some(one) = self.whos.get_mut(who as usize) else {
            return;
        };
        let tasks = one.lives.map(|life| life.map(|l| l.task));
        let mut i = 0;
        while i < one.halves.len() {
            let half = one.halves[i];
            if half.side == side && such(&half) {
                one.halves.swap_remove(i);
                if half.dated.at >= self.from {
                    self.found.decisions.push(half.parting(tasks, None));
                }
            } else {
                i += 1;
            }
        }
    }

    /// Notes how two decisions that are alike differ.
    fn compare(&mut self, tasks: [Option<TaskId>; 2], x: Half, y: Half) {
        let mut parting = x.parting(tasks, Some(y));
        if parting.first() < self.from {
            return;
        }
        if x.outcome != y.outcome {
            if x.key.1 == Kind::Selection && x.outcome[0] == y.outcome[0] {
                parting.kind = Kind::Preemption;
            }
            self.found.decisions.push(parting);
            return;
        }
        let first = if reason(&x.dated.event) != reason(&y.dated.event) {
            &mut self.found.reason
        } else if x.dated.at != y.dated.at {
            &mut self.found.time
        } else {
            return;
        };
        if first.is_none_or(|first| parting.first() < first.first()) {
            *first = Some(parting);
        }
    }

    /// How many of the first differences are certain: everything before them has been compared.
    pub fn certain(&self) -> usize {
        let open = self.open();
        let before = |parting: &&Parting| parting.first() < open;
        self.found.decisions.iter().filter(before).count()
    }

    /// When the first decision was that waits for its like.
    fn open(&self) -> Instant {
        let halves = self.whos.iter().flat_map(|who| &who.halves);
        halves
            .map(|half| half.dated.at)
            .min()
            .unwrap_or(Instant::FAR)
    }

    /// The differences that are certain, in no order.
    pub fn so_far(mut self) -> Partings {
        let open = self.open();
        self.found
            .decisions
            .retain(|parting| parting.first() < open);
        self.told()
    }

    /// The differences of two runs that ended then, in no order.
    pub fn over(mut self, ends: [Instant; 2]) -> Partings {
        for who in 0..self.whos.len() as u32 {
            for side in [0, 1] {
                let other = self.whos[who as usize].lives[1 - side];
                // A run that is slower than the other is cut off earlier: what it did not come to is no decision.
                let was_there = |half: &Half| {
                    other.is_some_and(|l| half.key.0 <= l.wakeup) && half.dated.at <= ends[1 - side]
                };
                self.alone(side, who, was_there);
            }
        }
        self.told()
    }

    fn told(self) -> Partings {
        let mut found = self.found;
        for who in &self.whos {
            if let [Some(life), None] = who.lives {
                found.only[0].push(life.task);
            }
            if let [None, Some(life)] = who.lives {
                found.only[1].push(life.task);
            }
        }
        found
    }
}

impl Half {
    fn parting(&self, tasks: [Option<TaskId>; 2], like: Option<Half>) -> Parting {
        let (own, like) = (Some(self.dated), like.map(|like| like.dated));
        let (a, b) = if self.side == 0 {
            (own, like)
        } else {
            (like, own)
        };
        let (wakeup, kind, nth) = self.key;
        Parting {
            kind,
            tasks,
            wakeup,
            nth,
            a,
            b,
        }
    }
}

/// Why it came out so, whatever the numbers compared: codes of reasons.
fn reason(event: &Event) -> [u8; 2] {
    match *event {
        Event::Wakeup {
            placement, preempt, ..
        }
        | Event::Fork {
            placement, preempt, ..
        } => [placement.why as u8, preempt.why as u8],
        Event::Switch { why, forced, .. } => [why as u8, forced.map_or(u8::MAX, |c| c as u8)],
        Event::Migrate { why, .. } => [why as u8, 0],
        _ => [0; 2],
    }
}
