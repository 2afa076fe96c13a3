//! What kernel threads were owed when an EEVDF trace began, which it does not tell: one number a thread, and those with
//! which the least goes wrong are taken.
//!
//! Tasks of the scenario are owed nothing if each ran alone before it went to sleep. Nor are threads that did; so zero is
//! tried first, and others only if facts come out wrong: first for threads, then for tasks whose very first run comes
//! before another's that the rules would take. What comes out right by a number fitted to it is a tie.

use super::driver::Driver;
use super::facts::{Claim, Facts};
use super::input::{Event, Name, Recording};
use alloc::vec::Vec;

/// A thread, and its lag when the trace began, ns.
pub(super) type Owed = (Name, i64);

/// What is tried first for a thread, ns, with both signs: up to the limit of 8 ms that slices of 4 ms have.
const TRIES: [i64; 12] = [
    1_000, 4_000, 16_000, 64_000, 256_000, 500_000, 1_000_000, 1_500_000, 2_000_000, 3_000_000,
    4_000_000, 8_000_000,
];

/// And then around the best of them in ever smaller steps, down to this, ns.
const FINEST: i64 = 1;

/// Where more than this part of the facts is wrong, something else is: nothing is tried, unless they are few.
const MOST: u64 = 10;

/// So many are few.
const FEW: u64 = 8;

/// So many first runs out of turn are looked at.
const FIRST_RUNS: usize = 8;

/// So often every thread is looked at anew.
const ROUNDS: usize = 2;

/// Replays, with the lags that explain most.
pub(super) fn replay(rec: &Recording) -> Facts {
    let plain = Driver::new(rec, &[]).run();
    let fits = rec.setup.kernel.rules.is_eevdf() && rec.is_exact();
    let score = plain.total();
    if !fits || score.wrong == 0 || score.wrong > FEW.max(score.facts() / MOST) {
        return plain;
    }
    let (mut facts, mut owed) = search(rec, &plain, Aim::Count);
    if facts.total().wrong > 0 {
        let (other, others) = search(rec, &plain, Aim::First);
        if Aim::Count.badness(&other) < Aim::Count.badness(&facts) {
            (facts, owed) = (other, others);
        }
    }
    let (other, others) = first_runs(rec, (facts.clone(), owed.clone()));
    if Aim::Count.badness(&other) < Aim::Count.badness(&facts) {
        (facts, owed) = (other, others);
    }
    facts.fitted = owed.iter().filter(|(_, lag)| *lag != 0).count() as u32;
    facts.as_ties(&plain);
    facts
}

/// What is made as small as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// Wrong facts, and by how much everybody ends off.
    Count,
    /// The part of the trace after the first wrong fact, and then those: a later one may only follow from it.
    First,
}

impl Aim {
    fn badness(self, facts: &Facts) -> (usize, u64, u64) {
        let first = facts
            .first
            .as_ref()
            .map_or(0, |first| usize::MAX - first.row);
        let before = if self == Aim::First { first } else { 0 };
        (before, facts.total().wrong, facts.off)
    }
}

fn search(rec: &Recording, plain: &Facts, aim: Aim) -> (Facts, Vec<Owed>) {
    let mut best = (plain.clone(), threads(rec));
    for _ in 0..ROUNDS {
        for thread in 0..best.1.len() {
            try_thread(rec, thread, aim, &mut best);
        }
    }
    best
}

/// Kernel threads in the order in which they first wake.
fn threads(rec: &Recording) -> Vec<Owed> {
    let mut owed: Vec<Owed> = Vec::new();
    for row in &rec.rows {
        if let Event::Wakeup { task, .. } = row.event {
            let rested = rec
                .members
                .get(task.index())
                .is_some_and(|member| member.rested);
            if rested && owed.iter().all(|(name, _)| *name != task) {
                owed.push((task, 0));
            }
        }
    }
    owed
}

/// Tries lags of the two tasks of the scenario between which the first wrong fact decides, as long as it is one's first run.
fn first_runs(rec: &Recording, mut best: (Facts, Vec<Owed>)) -> (Facts, Vec<Owed>) {
    for _ in 0..FIRST_RUNS {
        let Some(first) = &best.0.first else { break };
        let (Claim::Runs(Some(predicted)), Claim::Runs(Some(recorded))) =
            (first.predicted, first.recorded)
        else {
            break;
        };
        let fresh = |one: &super::facts::Standing| one.name == recorded && one.ran == 0;
        if !first.runnable.iter().any(fresh) {
            break;
        }
        let before = Aim::First.badness(&best.0);
        for name in [recorded, predicted] {
            let known = best.1.iter().position(|(of, _)| *of == name);
            let place = known.unwrap_or(best.1.len());
            if known.is_none() {
                best.1.push((name, 0));
            }
            try_thread(rec, place, Aim::First, &mut best);
        }
        if Aim::First.badness(&best.0) == before {
            break;
        }
    }
    best
}

fn try_thread(rec: &Recording, thread: usize, aim: Aim, best: &mut (Facts, Vec<Owed>)) {
    for lag in TRIES.iter().flat_map(|lag| [*lag, -lag]) {
        attempt(rec, (thread, lag), aim, best);
    }
    let mut step = FINEST << 18;
    while step >= FINEST {
        let before = best.1[thread].1;
        for lag in [before + step, before - step] {
            attempt(rec, (thread, lag), aim, best);
        }
        if best.1[thread].1 == before {
            step /= 2;
        }
    }
}

/// Keeps a lag that is better.
fn attempt(rec: &Recording, (thread, lag): (usize, i64), aim: Aim, best: &mut (Facts, Vec<Owed>)) {
    if best.0.total().wrong == 0 {
        return;
    }
    let mut owed = best.1.clone();
    owed[thread].1 = lag;
    let facts = Driver::new(rec, &owed).run();
    if aim.badness(&facts) < aim.badness(&best.0) {
        *best = (facts, owed);
    }
}

impl Driver<'_> {
    /// Threads are owed something from the start.
    pub(super) fn owe(&mut self, owed: &[Owed]) {
        for (name, lag) in owed {
            if let Some(task) = self.task(*name) {
                self.s.fixture().due(task, |_, own| own.vlag = *lag);
            }
        }
    }
}
