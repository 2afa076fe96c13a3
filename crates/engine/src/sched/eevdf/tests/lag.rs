//! How far entities get from the average (section 4: the clamp of the lag), over random lives on one CPU.
//!
//! What is stored when a task leaves is within the bound of its version, and it comes back with it. Of those that are
//! queued that holds while all have one weight and one slice, or nobody sleeps; else a heavy task that comes or goes
//! with a lag moves the average, and the lag of light ones with it.

use super::*;

/// What the tasks of a life are, and whether they sleep.
#[derive(Clone, Copy)]
struct Life {
    nices: &'static [i64],
    slices: &'static [Option<u64>],
    sleeps: bool,
}

const NICES: &[i64] = &[-20, -5, 0, 5, 19];
const SLICES: &[Option<u64>] = &[Some(MS), None, Some(10 * MS), Some(100 * MS)];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize]
    }
}

fn lag(w: &World, task: TaskId) -> i64 {
    w.average() - w.vruntime(task)
}

fn limit(w: &World, task: TaskId) -> i64 {
    avg::lag_limit(&w.s, ROOT, w.s.tasks[task.index()].se)
}

/// The running task goes to sleep: what it stores is within its bound.
fn leaves(w: &mut World, task: TaskId) {
    w.clock();
    let bound = limit(w, task);
    w.block();
    let stored = w.own(task).vlag;
    assert!(stored.abs() <= bound, "{task:?} stores {stored} of {bound}");
}

/// It wakes: to nanoseconds it lags by as much as it stored, if somebody is there.
fn returns(w: &mut World, task: TaskId) {
    if w.s.is_delayed(task) {
        let _ = w.wake(task);
        return;
    }
    w.clock();
    let alone = w.s.eevdf.q(ROOT).nr() == 0;
    let stored = if alone { 0 } else { w.own(task).vlag };
    w.s.activate_task(task, true);
    let off = lag(w, task) - stored;
    assert!(off.abs() <= 2, "{task:?} stored {stored}, {off} off");
    let _ = w.s.check_preempt_curr(CPU, task, WakeFlags::default());
}

/// Lives so, and asks `check` of every queued task after every step.
fn live(column: &str, seed: u64, life: Life, check: fn(&World, TaskId)) {
    let mut dice = Dice(seed);
    let mut w = World::new(column);
    let mut new = || {
        let nice = dice.one_of(life.nices);
        w.sleeper(nice, dice.one_of(life.slices))
    };
    let tasks = [new(), new(), new(), new()];
    for task in tasks {
        w.s.activate_task(task, true);
    }
    w.schedule();
    let mut next_tick = 4 * MS;
    for _ in 0..2000 {
        w.now = next_tick.min(w.now + 1 + dice.roll(700 * US));
        let task = dice.one_of(&tasks);
        if w.now == next_tick {
            next_tick += 4 * MS;
            w.tick();
        } else if life.sleeps && w.s.rq[0].curr == Some(task) {
            leaves(&mut w, task);
        } else if life.sleeps && (!w.on_rq(task) || w.s.is_delayed(task)) {
            returns(&mut w, task);
        }
        w.clock();
        if w.s.rq[0].need_resched || w.s.rq[0].curr.is_none() {
            w.schedule();
        }
        let queued = tasks.iter().filter(|task| w.on_rq(**task));
        queued.for_each(|task| check(&w, *task));
    }
}

fn lives(life: Life, check: fn(&World, TaskId)) {
    for column in ALL {
        for seed in 0..10 {
            live(column, seed, life, check);
        }
    }
}

fn within_the_bound_of_its_version(w: &World, task: TaskId) {
    let (lag, bound) = (lag(w, task), limit(w, task));
    assert!(lag.abs() <= bound, "{task:?}: {lag} of {bound}");
}

#[test]
fn equals_stay_within_the_bound_whether_they_sleep_or_not() {
    for sleeps in [false, true] {
        let life = Life {
            nices: &[0],
            slices: &[None],
            sleeps,
        };
        lives(life, within_the_bound_of_its_version);
    }
}

/// A waiting task waits for no more than the longest slice and a tick, in which slices end. Up to 6.18 that may be more
/// than twice one's own slice, where the lag is cut when one leaves.
#[test]
fn hogs_stay_within_the_longest_slice_and_a_tick() {
    let life = Life {
        nices: NICES,
        slices: SLICES,
        sleeps: false,
    };
    lives(life, |w, task| {
        let se = w.s.tasks[task.index()].se;
        let bound = w.s.virtual_time(100 * MS + 4 * MS, se);
        let lag = lag(w, task);
        assert!(lag.abs() <= bound, "{task:?}: {lag} of {bound}");
    });
}

#[test]
fn whoever_leaves_stores_a_lag_within_the_bound_and_comes_back_with_it() {
    let life = Life {
        nices: NICES,
        slices: SLICES,
        sleeps: true,
    };
    lives(life, |_, _| ());
}
