//! Wakeups and forks: the wakee is placed and queued, and the question is whether it preempts.

use super::asks::Ask;
use super::driver::Driver;
use super::facts::FactKind;
use super::input::{Class, Name};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::decision::Preempt;
use crate::sched::wakeup::SelectKind;
use crate::task::TaskId;
use crate::time::Instant;

/// How long after the clock was read a wakeup's row is written, ns: only where no charge tells the clock.
const WAKEUP_LAG: i64 = 1_700;

/// How long after the clocks were read a migration's row is written, ns.
const MOVE_LAG: i64 = 1_000;

/// How long before a wakeup's row the wakee is enqueued, ns.
const WAKEUP_LEAD: i64 = 1_000;

/// How long after the clock was read a fork's row is written, ns: only where no charge tells the clock.
const FORK_LAG: i64 = 4_000;

impl Driver<'_> {
    /// Does waking `task` charge the running task, so that a charge precedes the wakeup's row? Its queue must be
    /// on the way from the wakee to the root.
    pub(super) fn wakes_in_sight(&self, task: Name) -> bool {
        let Some((curr, _)) = self.curr_fair() else {
            return false;
        };
        let group = self.member(curr).group;
        let one_queue = group.is_none() || self.s.rules.flat;
        self.is(task, Class::Fair) && (one_queue || group == self.member(task).group)
    }

    /// A task was woken.
    pub(super) fn wakeup(&mut self, name: Name) {
        let charged = self.lane.charge.is_some();
        if !charged {
            self.read_clock(self.t - WAKEUP_LAG);
        }
        let Some(task) = self.task(name) else {
            self.count_above(name, true);
            if self.curr_fair().is_some() {
                self.ask_certainly();
            }
            return;
        };
        self.s.rq[self.cpu.index()]
            .wake_list
            .retain(|queued| *queued != task);
        let here = self.s.tasks[task.index()].cpu == self.cpu;
        self.bring_here(task);
        if self.s.is_delayed(task) && self.s.rq[self.cpu.index()].curr != Some(task) {
            self.wake_where_queued(name, task, charged);
            return;
        }
        if self.entity(task).on_rq {
            // The running task itself: it was about to sleep, and nothing is enqueued.
            if here {
                self.s.charge_curr(self.cpu);
                self.check_charge();
            }
            return;
        }
        let own = self.try_to_learn(name, task);
        self.timed(|driver| driver.s.activate_task(task, true), -WAKEUP_LEAD);
        if let Some(own) = own {
            self.learn(name, task, own);
        }
        self.doubt_placement(name);
        let before = self.before_verdict(name);
        self.ask_whether_it_preempts(name, charged, before);
    }

    /// A task that slept, but stayed queued for what it owed, is wanted again (`ttwu_runnable`).
    fn wake_where_queued(&mut self, name: Name, task: TaskId, charged: bool) {
        let before = self.before_verdict(name);
        self.s.requeue_delayed_task(task);
        self.ask_whether_it_preempts(name, charged, before);
    }

    /// A task was moved, asleep or waiting.
    pub(super) fn migrate(&mut self, name: Name, to: CpuId) {
        let Some(task) = self.task(name) else { return };
        let from = self.s.tasks[task.index()].cpu;
        if self.s.rq[from.index()].curr == Some(task) || from == to {
            return;
        }
        if !self.entity(task).on_rq {
            self.s.set_task_cpu(task, to);
            return;
        }
        self.on(from, |there| there.read_clock(there.t - MOVE_LAG));
        self.on(to, |there| {
            there.read_clock(there.t - MOVE_LAG);
            let verdict = there.s.move_task(task, to);
            if there.curr_fair().is_some() {
                there.ask(there.open_question(name, verdict), false);
            }
        });
    }

    /// Whoever was moved here without a row.
    pub(super) fn bring_here(&mut self, task: TaskId) {
        let cpu = self.cpu;
        if self.s.tasks[task.index()].cpu == cpu {
            return;
        }
        if !self.entity(task).on_rq {
            self.s.set_task_cpu(task, cpu);
            return;
        }
        let from = self.s.tasks[task.index()].cpu;
        if self.s.rq[from.index()].curr == Some(task) {
            self.s.leave_to_class_above(from);
        }
        let _ = self.s.move_task(task, cpu);
    }

    /// A new task was queued. The row is written before the preemption check.
    pub(super) fn wakeup_new(&mut self, name: Name, parents: CpuId) {
        let charged = self.lane.charge.is_some();
        if !charged {
            self.read_clock(self.t - WAKEUP_LAG);
        }
        let Some(task) = self.task(name).filter(|task| !self.entity(*task).on_rq) else {
            return;
        };
        self.bring_here(task);
        let verdict = self.s.wake_up_new_task(task, parents);
        self.doubt_placement(name);
        if self.curr_fair().is_some() {
            self.check_charge();
            self.ask(self.open_question(name, verdict), charged);
        }
    }

    /// The running task forks: its child starts with its vruntime.
    pub(super) fn fork(&mut self, parent: Name, child: Name) {
        // Where a new task is placed when it is enqueued, forking it charges nobody (`task_fork_fair`, up to 6.6).
        let charges = !(self.is_eevdf() && self.s.rules.initial_at_enqueue);
        if charges && self.lane.charge.is_none() {
            self.read_clock(self.t - FORK_LAG);
        }
        if self.is(child, Class::Fair) && self.task(child).is_none() {
            let known = self.beliefs[parent.index()].known && self.min_is_sure(child);
            let parent = self.task(parent);
            let task = self.create(child, parent);
            let _ = self
                .s
                .task_fork(task, self.cpu, Instant(self.s.rq[self.cpu.index()].clock));
            let belief = &mut self.beliefs[child.index()];
            belief.known = known;
            let placement = self
                .s
                .select_task_rq(task, self.cpu, SelectKind::Fork, false);
            belief.forked_to = Some(placement.cpu);
        }
        if charges {
            self.s.charge_curr(self.cpu);
        }
        self.check_charge();
    }

    fn ask_whether_it_preempts(&mut self, name: Name, charged: bool, before: Option<Sched>) {
        let (Some(task), Some(_)) = (self.task(name), self.curr_fair()) else {
            return;
        };
        let flags = self.flags_of(name);
        let verdict = self.s.check_preempt_curr(self.cpu, task, flags);
        self.check_charge();
        let telling = charged || !self.exact;
        let ask = match before {
            Some(before) => self.doubtful_question(name, verdict, &before),
            None => self.open_question(name, verdict),
        };
        self.ask(ask, telling);
    }

    /// The verdict on `wakee`; it could be the other if vruntimes were a little different, by no more than they may
    /// be.
    fn open_question(&self, wakee: Name, verdict: Preempt) -> Ask {
        let margin = verdict.gap - verdict.gran as i64;
        let slack = self.curr_fair().map_or(0, |(curr, _)| {
            let (first, second) = if verdict.yes {
                (wakee, curr)
            } else {
                (curr, wakee)
            };
            let room = self.room(first, second).map_or(0, |(_, room)| room);
            self.slack_between(curr, wakee).max(room)
        });
        let near = verdict.gap != 0 && margin.abs() <= slack;
        Ask {
            kind: FactKind::Preempt,
            yes: verdict.yes,
            wakee: Some(wakee),
            beyond: (verdict.gap != 0).then_some(margin),
            near,
        }
    }

    /// Where a placement rests on something that is not known yet, the recorded one is adopted at once.
    fn doubt_placement(&mut self, name: Name) {
        let Some(task) = self.task(name) else { return };
        let doubtful = !self.beliefs[name.index()].known || !self.min_is_sure(name);
        if !(self.exact && doubtful) {
            return;
        }
        if self.is_eevdf() {
            return;
        }
        let placed = self.placed(name, self.at);
        let belief = &mut self.beliefs[name.index()];
        (belief.known, belief.adopted) = (placed.is_some(), true);
        if let Some(placed) = placed {
            self.s.fixture().vruntime(task, placed);
        }
    }
}
