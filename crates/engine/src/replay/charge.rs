//! Charges and ticks: the clock of an exact recording, and what each of its steps was for.

use super::asks::Ask;
use super::driver::{Charge, Driver};
use super::facts::{Claim, FactKind};
use super::input::{Class, Event, Left, Name, Row};
use crate::task::TaskId;
use crate::time::Instant;

/// The clock at time 0 of a trace, ns: rows before it have times of their own.
const EPOCH: i64 = 1 << 32;

/// How long after the clock was read a charge's row is written, ns: only where no charge chains clocks together.
const CHARGE_LAG: i64 = 600;

/// How long after schedule() read the clock the switch's row is written, ns: only where no charge tells the clock.
pub(super) const SWITCH_LAG: i64 = 2_500;

/// How long before the tick's handler reads the clock its row is written, ns.
const TICK_LEAD: i64 = 1_100;

/// By how much each end of a run may be off where no charge tells its length, ns, and virtual CPUs take turns.
const CLOCK_ERROR: i64 = 2_000;

/// By how much an hrtick may seem late or early, ns: the timer's own delay and the clock's uncertainty after idling.
const HRTICK_TOLERANCE: i64 = 5_000;

/// A turn of the emulator, ns: of several CPUs each runs so long while the others stand still.
pub(super) const TURN: i64 = 10_000;

/// A charge by a wakeup comes no longer before the wakeup's row, ns.
const BEFORE_WAKEUP: i64 = 20_000;

/// A wakeup this soon after a yield's charge, ns, came before the schedule() of that yield.
const WITHIN_YIELD: i64 = 2_500;

/// A tick this soon after it, ns, too: 1 377 was within one, 2 165 was not.
const TICK_WITHIN_YIELD: i64 = 1_750;

/// What a charge of the running task was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The tick or hrtick whose handler has started.
    Handler(FactKind),
    /// A wakeup, a fork or a switch, which the next row tells.
    Next,
    /// `sched_yield`.
    Yield,
    /// schedule() took the same task again.
    Repick,
    /// `set_user_nice` on itself.
    Renice,
    /// The same, although nobody was predicted to ask.
    Unasked,
    /// Somebody wanted to know its runtime (`task_sched_runtime`), as at its exit.
    Read,
}

impl Driver<'_> {
    /// A tick's handler starts. With charges its step is taken when the charge is seen.
    pub(super) fn handler_starts(&mut self, kind: FactKind) {
        let several = self.cpus() > 1;
        self.s.jiffies = ((self.t + EPOCH).max(0) as u64) / self.s.hz.period().0;
        if several || !self.exact {
            self.read_clock(self.t + TICK_LEAD);
        }
        match self.curr_fair() {
            None => {}
            Some(_) if self.exact => self.lane.handler = Some(kind),
            Some(_) => self.handle(kind),
        }
        if several {
            self.balance_beside();
        }
    }

    fn hrtick_tolerance(&self) -> i64 {
        let turns = self.cpus() as i64 - 1;
        HRTICK_TOLERANCE + turns * TURN
    }

    /// Who computes on any CPU has just read how much CPU time it has used, which charges it (`task_sched_runtime`):
    /// `min_vruntime` is never far behind.
    pub(super) fn read_own_clocks(&mut self) {
        for cpu in &self.rec.setup.topology.all() {
            self.on(cpu, |there| {
                let reads = |name: Name| there.member(name).reads_clock;
                if !there.curr_fair().is_some_and(|(name, _)| reads(name)) {
                    return;
                }
                there.repick_by_now();
                if !there.need() {
                    there.read_clock(there.t - TURN);
                    there.s.charge_curr(cpu);
                }
            });
        }
    }

    /// Now, in the time of the clocks.
    pub(super) fn instant(&self) -> Instant {
        Instant((self.t + EPOCH).max(0) as u64)
    }

    /// When the hrtick is to fire, in the time of the trace, ns.
    fn armed_for(&self) -> Option<i64> {
        let at = self.s.rq[self.cpu.index()].hrtick?;
        Some(at as i64 - EPOCH)
    }

    /// Does a step of the door that may arm the hrtick, at `after` ns from the row: its timer runs by the time that it
    /// is then, which the queue's clock may be behind.
    pub(super) fn timed(&mut self, step: impl FnOnce(&mut Self), after: i64) {
        let before = self.s.rq[self.cpu.index()].hrtick;
        step(self);
        let rq = &mut self.s.rq[self.cpu.index()];
        let behind = (self.t + after + EPOCH) as u64;
        if rq.hrtick != before {
            let late = behind.saturating_sub(rq.clock);
            rq.hrtick = rq.hrtick.map(|at| at.saturating_add(late));
        }
    }

    /// An hrtick that was armed and has not fired by now was not armed.
    pub(super) fn miss_hrtick(&mut self) {
        let armed = self
            .armed_for()
            .filter(|at| self.t - at > self.hrtick_tolerance());
        if armed.is_some() {
            self.wrong(FactKind::Hrtick, Claim::Fires(armed), Claim::Fires(None));
            self.s.rq[self.cpu.index()].hrtick = None;
        }
    }

    /// The hrtick fires: when was it to?
    pub(super) fn hrtick_starts(&mut self) {
        let armed = self.armed_for();
        let in_time = armed.is_some_and(|at| (self.t - at).abs() <= self.hrtick_tolerance());
        if in_time {
            self.facts.right(FactKind::Hrtick);
        } else {
            self.wrong(
                FactKind::Hrtick,
                Claim::Fires(armed),
                Claim::Fires(Some(self.t)),
            );
        }
        self.handler_starts(FactKind::Hrtick);
    }

    /// The tick's or hrtick's look at the running task.
    fn handle(&mut self, kind: FactKind) {
        if kind == FactKind::Hrtick {
            let _ = self.s.hrtick_fire(self.cpu);
            self.ask_certainly();
        } else {
            let others = [-1, 1].map(|sign| self.would_tick(sign));
            let yes = self.s.task_tick(self.cpu).resched;
            let ask = Ask {
                kind,
                yes,
                wakee: None,
                beyond: None,
                near: others.contains(&!yes),
            };
            self.ask(ask, false);
        }
    }

    /// Would the tick ask for a reschedule if the running task had run as much longer, and stood as much further
    /// right, as may be? Shorter and left for a `sign` of -1.
    fn would_tick(&self, sign: i64) -> bool {
        let mut s = self.s.clone();
        if let Some((name, task)) = self.curr_fair().filter(|_| !self.exact) {
            let clock = &mut s.rq[self.cpu.index()].clock;
            *clock = clock.saturating_add_signed(sign * CLOCK_ERROR * self.cpus() as i64);
            let by = sign * self.slack(name);
            if self.is_eevdf() {
                // Its deadline stays where it is.
                s.fixture().due(task, |vruntime, _| *vruntime += by);
            } else {
                s.fixture().vruntime(task, self.vruntime(task) + by);
            }
        }
        s.task_tick(self.cpu).resched
    }

    /// Somebody was charged.
    pub(super) fn runtime(&mut self, task: Name, ns: u64, vruntime: Option<i64>) {
        let Some((curr, id)) = self.curr_fair().filter(|(name, _)| *name == task) else {
            if self.is(task, Class::Above) {
                self.read_clock(self.t - CHARGE_LAG);
            }
            return;
        };
        self.repick_unseen(curr);
        let clock = self.entity(id).exec_start.wrapping_add(ns);
        self.s.rq[self.cpu.index()].clock = clock;
        self.lane.charge = Some(Charge {
            task: curr,
            vruntime,
        });
        let cause = self.cause(curr);
        self.lane.handler = None;
        match cause {
            Cause::Next => return,
            Cause::Handler(kind) => {
                self.handle(kind);
                self.end_yield();
            }
            Cause::Yield => self.yields(),
            Cause::Repick => self.repick(),
            Cause::Renice => self.renices(curr, id),
            Cause::Read => self.s.charge_curr(self.cpu),
            Cause::Unasked => {
                self.unasked();
                self.repick();
            }
        }
        self.check_charge();
    }

    /// A wakeup asked, and kept the schedule() that followed from reading the clock; that one took the same task again and
    /// has left no row. That it has been is told by this charge, with which the task goes to sleep: had the request
    /// still stood, there would be none.
    fn repick_unseen(&mut self, curr: Name) {
        let next = self.rec.rows.get(self.at + 1).map(|row| row.event);
        let sleeps =
            matches!(next, Some(Event::Switch { prev, left: Left::Gone, .. }) if prev == curr);
        if sleeps && self.need() && self.lane.asks.tells() && self.would_repick() {
            self.repick();
        }
    }

    fn cause(&self, curr: Name) -> Cause {
        if let Some(kind) = self.lane.handler {
            return Cause::Handler(kind);
        }
        let member = self.member(curr);
        let soon = |row: &&Row| row.t - self.t <= BEFORE_WAKEUP;
        let next = self.rec.rows.get(self.at + 1);
        let next = match next.map(|row| row.event) {
            Some(Event::Wakeup { .. } | Event::WakeupNew { .. }) => next.filter(soon),
            _ => next,
        };
        let next = next.map(|row| row.event);
        let renices = self.beliefs[curr.index()].renices < member.renices.len();
        match next {
            Some(Event::Wakeup { task, .. } | Event::WakeupNew { task, .. })
                if self.wakes_in_sight(task) =>
            {
                Cause::Next
            }
            Some(Event::Fork { .. }) => Cause::Next,
            Some(Event::Switch { prev, left, .. }) if prev == curr => {
                let asked = self.need() || left == Left::Gone || self.lane.yielded;
                if asked || !member.yields {
                    Cause::Next
                } else {
                    Cause::Yield
                }
            }
            _ if self.need() => Cause::Repick,
            _ if member.yields => Cause::Yield,
            _ if renices => Cause::Renice,
            _ if self.lane.asks.any() && !self.beliefs[curr.index()].exiting => Cause::Unasked,
            _ => Cause::Read,
        }
    }

    /// The running task yields; unless a switch shows what schedule() did then, it took the same task again.
    fn yields(&mut self) {
        self.s.yield_task(self.cpu);
        self.lane.yielded = true;
        if !self.schedules_later() {
            self.repick();
        }
    }

    /// Does something come between the yield and its schedule(), or the switch as its next row: at most wakeups, or the
    /// tick? One that came due within `do_sched_yield` is let in before schedule(): interrupts are on again by then.
    fn schedules_later(&self) -> bool {
        let next = self.rec.rows.get(self.at + 1);
        match next.map(|row| (row.t - self.t, row.event)) {
            Some((_, Event::Switch { .. })) => true,
            Some((after, Event::Runtime { .. })) => after <= WITHIN_YIELD,
            Some((after, Event::Tick)) => after <= TICK_WITHIN_YIELD,
            _ => false,
        }
    }

    /// The handler of a tick that came within a yield is done: schedule() follows, and takes the same task again unless the
    /// next rows tell otherwise.
    fn end_yield(&mut self) {
        let before = self
            .at
            .checked_sub(2)
            .map(|first| &self.rec.rows[first..self.at]);
        let within = |rows: &[Row]| {
            rows[1].event == Event::Tick && rows[1].t - rows[0].t <= TICK_WITHIN_YIELD
        };
        if self.lane.yielded && before.is_some_and(within) && !self.schedules_later() {
            self.repick();
        }
    }

    fn renices(&mut self, curr: Name, id: TaskId) {
        let belief = &mut self.beliefs[curr.index()];
        let nice = self.rec.members[curr.index()].renices[belief.renices];
        belief.renices += 1;
        self.s.set_nice(id, nice);
    }

    /// Compares the vruntime that a charge left behind with the recorded one, and adopts that.
    pub(super) fn check_charge(&mut self) {
        let Some(Charge {
            task: name,
            vruntime: Some(vruntime),
        }) = self.lane.charge.take()
        else {
            return;
        };
        let Some(task) = self.task(name) else { return };
        let belief = self.beliefs[name.index()];
        if belief.known && !belief.adopted {
            let predicted = self.vruntime(task);
            let kind = FactKind::Vruntime;
            let (predicted, recorded) = (
                Claim::Vruntime(name, predicted),
                Claim::Vruntime(name, vruntime),
            );
            self.compare(kind, predicted, recorded);
        }
        let belief = &mut self.beliefs[name.index()];
        (belief.known, belief.adopted) = (true, false);
        if self.vruntime(task) != vruntime {
            self.s.fixture().vruntime(task, vruntime);
        }
    }

    /// The kernel reads the clock at about `t`.
    pub(super) fn read_clock(&mut self, t: i64) {
        self.s
            .update_rq_clock(self.cpu, Instant((t + EPOCH).max(0) as u64));
    }
}
