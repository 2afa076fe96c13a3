//! Requests to reschedule that were predicted, or predicted not to be made, and that later rows confirm.
//!
//! A trace does not show the request, only what becomes of it: the task is switched out although it is still
//! runnable, or it is charged by a schedule() that takes it again. A wakeup that asks, or finds that somebody has
//! asked, also keeps the next schedule() from reading the clock, so that a task that goes to sleep right after it is
//! not charged a second time.

use super::driver::Driver;
use super::facts::{Claim, FactKind};
use super::input::{Event, Left, Name};
use crate::machine::CpuId;
use crate::sched::WakeFlags;
use crate::sched::rq::Skipping;
use alloc::vec::Vec;

/// After this long, ns, a request that no switch has followed was answered by taking the same task again: a task
/// in user mode, and nearly every system call of the recorded programs, gets to schedule() sooner.
const SOON: i64 = 20_000;

/// After this long, ns, the request was not made: the longest system call, fork, takes a tenth.
const LATE: i64 = 1_000_000;

/// One prediction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// What it is about.
    pub kind: FactKind,
    /// Was a reschedule asked for?
    pub yes: bool,
    /// Who was woken.
    pub wakee: Option<Name>,
    /// By how much its lead is beyond the limit, ns, if vruntimes were compared.
    pub beyond: Option<i64>,
    /// Is that so little that the recording cannot tell?
    pub near: bool,
}

/// Predictions that nothing has confirmed yet.
#[derive(Debug, Default)]
pub(super) struct Asks {
    open: Vec<Ask>,
    /// From the one whom the last ones confirmed let preempt by so little that the recording cannot tell: who was
    /// woken until the switch.
    doubted: Vec<Name>,
    /// When the last of them was made.
    since: i64,
    /// Has somebody of a class above asked? That is certain and no prediction.
    certain: bool,
    /// Was it a lazy one of another CPU? No interrupt tells of that: the running task hears of it at the next one.
    unheard: bool,
    /// Did the last wakeup charge the running task, so that the next schedule() tells by a charge whether it
    /// was kept from reading the clock?
    telling: bool,
}

/// What a schedule() tells of the requests before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// It was asked for.
    Asked,
    /// The task left by itself; was it charged once more?
    Left {
        /// A charge precedes the switch.
        charged: bool,
    },
}

impl Evidence {
    /// What a switch away from the running task tells.
    pub(super) const fn of(left: Left, charged: bool) -> Evidence {
        match left {
            Left::Runnable => Evidence::Asked,
            Left::Gone => Evidence::Left { charged },
        }
    }
}

impl Asks {
    /// If `wakee` was marked by a verdict that is too close to tell: who was woken after it.
    pub(super) fn after_doubted(&self, wakee: Name) -> Option<&[Name]> {
        let (first, rest) = self.doubted.split_first()?;
        (*first == wakee).then_some(rest)
    }

    /// Does the next charge tell whether the clock was left unread?
    pub(super) fn tells(&self) -> bool {
        self.telling && !self.certain && self.any()
    }

    /// Is any open?
    pub(super) fn any(&self) -> bool {
        !self.open.is_empty()
    }
}

impl Driver<'_> {
    /// Notes a prediction: does that event ask for a reschedule?
    pub(super) fn ask(&mut self, ask: Ask, telling: bool) {
        let elsewhere = CpuId(self.rec.rows[self.at].cpu) != self.cpu;
        self.lane.asks.open.push(ask);
        self.lane.asks.since = self.t;
        self.lane.asks.unheard = elsewhere && self.s.rq[self.cpu.index()].resched_lazy;
        self.lane.asks.telling = telling;
    }

    /// Somebody of a class above asks.
    pub(super) fn ask_certainly(&mut self) {
        self.s.rq[self.cpu.index()].need_resched = true;
        self.lane.asks.certain = true;
        self.lane.asks.telling = false;
        self.lane.asks.unheard = false;
        self.lane.asks.since = self.t;
    }

    /// A request of some time ago was answered by taking the same task again, if that is what the rules say.
    pub(super) fn repick_by_now(&mut self) {
        let waited = (self.t - self.lane.asks.since) / self.cpus() as i64;
        let asks = &self.lane.asks;
        let asked = self.need() && asks.any() && !asks.certain && !asks.unheard;
        if asked && waited > SOON && self.would_repick() {
            self.repick();
        }
    }

    /// A request that the rows before this one have not answered was answered without a trace, or not made.
    pub(super) fn settle(&mut self, event: Event) {
        let open = !self.lane.asks.open.is_empty();
        if !open || self.lane.asks.certain || self.curr_fair().is_none() {
            return;
        }
        if !self.need() {
            let goes_on = !matches!(event, Event::Switch { .. } | Event::Runtime { .. });
            if goes_on {
                self.confirm(None);
            }
            return;
        }
        if self.lane.asks.unheard {
            let interrupts = matches!(event, Event::Tick | Event::Hrtick);
            self.lane.asks.unheard = !interrupts;
            self.lane.asks.since = self.t;
            return;
        }
        let waited = (self.t - self.lane.asks.since) / self.cpus() as i64;
        let here = matches!(event, Event::Switch { .. });
        let visible = self.exact && !self.lane.asks.telling;
        let left = matches!(
            event,
            Event::Switch {
                left: Left::Gone,
                ..
            }
        );
        let repicks = || self.would_repick() || waited > LATE && !here && self.may_repick();
        if waited > SOON && !visible && repicks() {
            self.repick();
        } else if waited > LATE && !here || waited > SOON && left && !self.exact {
            self.refute();
        }
    }

    /// Every open prediction was right, but for the one at `but`.
    fn confirm(&mut self, but: Option<usize>) {
        let open = core::mem::take(&mut self.lane.asks.open);
        let doubted = open.iter().position(|ask| ask.yes && ask.near);
        let batch = doubted.map_or(&[][..], |from| &open[from..]);
        self.lane.asks.doubted = batch.iter().filter_map(|ask| ask.wakee).collect();
        for (index, ask) in open.into_iter().enumerate() {
            if Some(index) != but {
                self.facts.right(ask.kind);
                continue;
            }
            if ask.near {
                self.facts.tie(ask.kind);
            } else {
                let (predicted, recorded) =
                    (Claim::Reschedules(ask.yes), Claim::Reschedules(!ask.yes));
                self.wrong(ask.kind, predicted, recorded);
            }
            self.turn(ask);
        }
        self.lane.asks.certain = false;
    }

    /// Where vruntimes are not known to the ns the wakee is moved to where the verdict is the recorded one, with the
    /// marks that go with that.
    fn turn(&mut self, ask: Ask) {
        let (Some((name, curr)), Some(wakee), Some(beyond)) =
            (self.curr_fair(), ask.wakee, ask.beyond)
        else {
            return;
        };
        if self.is_eevdf() {
            self.turn_in_eevdf(wakee, beyond);
            return;
        }
        let queued = self.task(wakee).filter(|task| self.waits_here(*task));
        let Some(task) = queued.filter(|_| self.slack_between(name, wakee) > 0) else {
            return;
        };
        let by = if ask.yes { beyond } else { beyond - 1 };
        if self.member(wakee).group.is_some() {
            self.start.room.moved(by);
        } else {
            self.start.room.moved(-by);
        }
        self.s.fixture().nudge((task, by), (curr, 0));
        if ask.yes {
            self.s.fixture().unmark(task);
        } else {
            let _ = self
                .s
                .check_preempt_curr(self.cpu, task, WakeFlags::default());
        }
    }

    /// The task was rescheduled, and nobody was predicted to ask for it: the last prediction was wrong.
    pub(super) fn unasked(&mut self) {
        let last = self.lane.asks.open.len().checked_sub(1);
        self.confirm(last);
    }

    /// The reschedule that was predicted has not come.
    fn refute(&mut self) {
        let last_yes = self.lane.asks.open.iter().rposition(|ask| ask.yes);
        let rq = &mut self.s.rq[self.cpu.index()];
        (rq.need_resched, rq.clock_skip) = (false, Skipping::No);
        self.confirm(last_yes);
    }

    /// schedule() runs.
    pub(super) fn resolve(&mut self, evidence: Evidence) {
        let need = self.need();
        let last = self.lane.asks.open.len().checked_sub(1);
        match evidence {
            Evidence::Asked if need || self.lane.yielded => self.confirm(None),
            Evidence::Asked => self.confirm(last),
            Evidence::Left { charged } if self.exact && self.lane.asks.telling => {
                let agrees = need != charged;
                self.confirm(last.filter(|_| !agrees));
            }
            Evidence::Left { .. } => {
                self.lane.asks.open.clear();
                self.lane.asks.certain = false;
            }
        }
    }
}
