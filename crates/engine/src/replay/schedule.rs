//! schedule(): whom the policy takes, beside whom the kernel took.

use super::asks::Evidence;
use super::charge::SWITCH_LAG;
use super::driver::{ANYWHERE, Driver};
use super::facts::{Claim, FactKind};
use super::input::{Class, Left, Name};
use crate::sched::{Sched, WakeFlags};
use crate::task::TaskId;
use alloc::vec::Vec;

/// How long before a switch's row, or after a re-pick's charge, schedule() picks, ns.
const PICK_LEAD: i64 = 1_000;

impl Driver<'_> {
    /// A switch was recorded.
    pub(super) fn switch(&mut self, prev: Name, left: Left, next: Name) {
        if self.lane.curr.is_none() {
            self.first_switch(prev, left);
        }
        let charged = self.lane.charge.is_some();
        let evidence = Evidence::of(left, charged);
        if self.curr_fair().is_some() {
            self.close_yield(prev, left);
            self.resolve(evidence);
        }
        self.s.begin_schedule(self.cpu);
        if !self.exact {
            self.read_clock(self.t - SWITCH_LAG);
        }
        if left == Left::Gone {
            self.count_above(prev, false);
        }
        self.leave(prev, left);
        self.newly_idle_beside();
        self.take(next);
        self.lane.curr = Some(next);
        self.lane.yielded = false;
    }

    /// A task that is switched out though nobody asked has yielded, if that is what it does.
    fn close_yield(&mut self, prev: Name, left: Left) {
        let unasked = left == Left::Runnable && !self.need() && !self.lane.yielded;
        if unasked && self.member(prev).yields && !self.exact {
            self.read_clock(self.t - SWITCH_LAG);
            self.s.yield_task(self.cpu);
            self.lane.yielded = true;
        }
    }

    /// The task that ran goes.
    fn leave(&mut self, prev: Name, left: Left) {
        let Some((_, task)) = self.curr_fair().filter(|(name, _)| *name == prev) else {
            return;
        };
        if left == Left::Gone {
            if self.beliefs[prev.index()].exiting {
                self.s.deactivate_dead(task);
                self.s.task_dead(task);
            } else {
                self.s.deactivate_task(task, true);
            }
        }
    }

    /// Asks who runs next and lets the recorded one run.
    fn take(&mut self, next: Name) {
        if self.is(next, Class::Above) {
            self.s.leave_to_class_above(self.cpu);
            self.check_charge();
            return;
        }
        if self.is(next, Class::Fair) {
            self.must_be_queued(next);
        }
        self.s.put_prev_task(self.cpu);
        self.check_charge();
        self.pick(
            FactKind::Pick,
            Some(next).filter(|n| self.is(*n, Class::Fair)),
        );
    }

    /// schedule() takes the running task again, without a row of its own.
    pub(super) fn repick(&mut self) {
        let Some((curr, _)) = self.curr_fair() else {
            return;
        };
        self.resolve(Evidence::Asked);
        self.s.begin_schedule(self.cpu);
        self.s.put_prev_task(self.cpu);
        self.pick(FactKind::Repick, Some(curr));
        self.lane.yielded = false;
    }

    /// Would a schedule() now take the running task again?
    pub(super) fn would_repick(&self) -> bool {
        let mut s = self.s.clone();
        s.begin_schedule(self.cpu);
        s.put_prev_task(self.cpu);
        s.judge_pick(self.cpu).task == self.s.rq[self.cpu.index()].curr
    }

    /// The same, if vruntimes were a little different, by no more than they may be?
    pub(super) fn may_repick(&self) -> bool {
        let mut s = self.s.clone();
        s.begin_schedule(self.cpu);
        s.put_prev_task(self.cpu);
        let predicted = s.judge_pick(self.cpu).task.map(|task| self.name(task));
        self.tie(&s, predicted, self.lane.curr).is_some()
    }

    fn pick(&mut self, kind: FactKind, recorded: Option<Name>) {
        let arms_at = if kind == FactKind::Pick {
            -PICK_LEAD
        } else {
            PICK_LEAD
        };
        let predicted = self.s.judge_pick(self.cpu).task.map(|task| self.name(task));
        let as_recorded = predicted == recorded;
        if as_recorded {
            self.facts.right(kind);
        } else if let Some((nudged, room)) = self.tie(&self.s, predicted, recorded) {
            self.facts.tie(kind);
            self.s = nudged;
            self.start.room.moved(room);
        } else if let Some(nudged) = self.adopted(predicted, recorded) {
            self.wrong(kind, Claim::Runs(predicted), Claim::Runs(recorded));
            self.s = nudged;
        } else {
            self.wrong(kind, Claim::Runs(predicted), Claim::Runs(recorded));
            self.timed(|driver| driver.pick_as_recorded(recorded), arms_at);
            return;
        }
        self.timed(Driver::pick_next, arms_at);
    }

    fn pick_next(&mut self) {
        let _ = self.s.pick_next_task(self.cpu);
    }

    /// Would the recorded task have been taken if vruntimes were a little different, by no more than they may be?
    /// Then with the least difference that does.
    /// With by how much groups move for that, ns.
    fn tie(
        &self,
        s: &Sched,
        predicted: Option<Name>,
        recorded: Option<Name>,
    ) -> Option<(Sched, i64)> {
        let (predicted, recorded) = (predicted?, recorded?);
        let (p, r) = (self.task(predicted)?, self.task(recorded)?);
        let unknown = self.unknown(r);
        let (slack_p, slack_r) = self.slacks(predicted, recorded);
        let before = s;
        let nudged = least(slack_p.max(slack_r), |by| {
            let mut s = before.clone();
            s.fixture()
                .nudge((p, by.min(slack_p)), (r, -by.min(slack_r)));
            for task in unknown.iter().filter(|task| **task != p) {
                s.fixture().nudge((*task, by), (r, 0));
            }
            (s.judge_pick(self.cpu).task == Some(r)).then_some(s)
        });
        if let Some((_, s)) = nudged {
            return Some((s, 0));
        }
        if let Some(s) = self.without_doubted_mark(s, predicted, r) {
            return Some((s, 0));
        }
        let (sign, room) = self.room(predicted, recorded)?;
        let (by, s) = least(room, |by| {
            let mut s = before.clone();
            s.fixture().shift_groups(self.cpu, sign * by);
            (s.judge_pick(self.cpu).task == Some(r)).then_some(s)
        })?;
        Some((s, sign * by))
    }

    /// In a recording without charges a wrong pick is adopted as the least difference of the two vruntimes that makes
    /// it.
    fn adopted(&self, predicted: Option<Name>, recorded: Option<Name>) -> Option<Sched> {
        let (p, r) = (self.task(predicted?)?, self.task(recorded?)?);
        if self.exact {
            return None;
        }
        let nudged = least(ANYWHERE, |by| {
            let mut s = self.s.clone();
            s.fixture().nudge((p, by / 2), (r, -by / 2));
            (s.judge_pick(self.cpu).task == Some(r)).then_some(s)
        });
        nudged.map(|(_, s)| s)
    }

    /// The predicted task may be first only because it was marked by a verdict that was too close to tell; without it
    /// whoever was woken after it had to pass the check.
    fn without_doubted_mark(&self, s: &Sched, predicted: Name, recorded: TaskId) -> Option<Sched> {
        let (p, later) = (
            self.task(predicted)?,
            self.lane.asks.after_doubted(predicted)?,
        );
        let mut s = s.clone();
        s.fixture().unmark(p);
        let tasks = later.iter().filter_map(|name| self.task(*name));
        for wakee in tasks.filter(|task| self.waits_here(*task)) {
            s.rq[self.cpu.index()].need_resched = false;
            let _ = s.check_preempt_curr(self.cpu, wakee, WakeFlags::default());
        }
        (s.judge_pick(self.cpu).task == Some(recorded)).then_some(s)
    }

    /// In which direction, and how far, groups may move for `recorded` to come before `predicted`: only if one of them
    /// is in a group and the other is not.
    pub(super) fn room(&self, predicted: Name, recorded: Name) -> Option<(i64, i64)> {
        let inside = |name: Name| self.member(name).group.is_some();
        match (inside(predicted), inside(recorded)) {
            (true, false) => Some((1, self.start.room.right)),
            (false, true) => Some((-1, self.start.room.left)),
            _ => None,
        }
    }

    /// Who waits with a vruntime of which nothing is known, beside `but`.
    fn unknown(&self, but: TaskId) -> Vec<TaskId> {
        let unknown = |name: &Name| !self.beliefs[name.index()].known;
        let tasks = self
            .names
            .iter()
            .filter(|name| unknown(name))
            .filter_map(|n| self.task(*n));
        tasks
            .filter(|task| *task != but && self.waits_here(*task))
            .collect()
    }

    /// Lets the recorded task run although the policy would take another, and goes on from there.
    fn pick_as_recorded(&mut self, recorded: Option<Name>) {
        let Some(task) = recorded.and_then(|name| self.task(name)) else {
            self.s.leave_to_class_above(self.cpu);
            return;
        };
        if self.is_eevdf() {
            self.s.fixture().run_next(self.cpu, task);
            return;
        }
        let displaced = self.s.fixture().make_first(task);
        self.pick_next();
        self.s.fixture().put_back(displaced);
    }
}

/// The least number of 1 to `most` for which `attempt` succeeds, with what it gives; it succeeds for every greater one.
pub(super) fn least<T>(most: i64, attempt: impl Fn(i64) -> Option<T>) -> Option<(i64, T)> {
    if most == 0 {
        return None;
    }
    let (mut fails, mut works, mut found) = (0, most, attempt(most)?);
    while works - fails > 1 {
        let middle = fails + (works - fails) / 2;
        match attempt(middle) {
            Some(got) => (works, found) = (middle, got),
            None => fails = middle,
        }
    }
    Some((works, found))
}
