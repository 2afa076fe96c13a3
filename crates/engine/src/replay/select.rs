//! Which CPU a task goes to: what selection says at the moment of a wakeup or fork, beside where the task went.
//!
//! Who is idle, who runs and where the task was come from the record. The kernel's balancing leaves traces that
//! selection reads (loads of idle CPUs, how many CPUs a search may look at), so its passes are made beside the record:
//! what they learn is kept, whom they would move is not.

use super::charge::TURN;
use super::driver::Driver;
use super::facts::{Claim, FactKind};
use super::input::{Class, Event, Left, Name, Row};
use crate::machine::CpuId;
use crate::sched::balance::Balanced;
use crate::sched::decision::{IdleType, Placement};
use crate::sched::features::Feature;
use crate::sched::wakeup::SelectKind;
use crate::sched::{Sched, WakeFlags};
use crate::task::TaskId;

/// How often whom the controller woke last was another, before it forked a task; its children inherit that. The
/// recordings tell it to be from 8 to 24 (with 0 nearly 300 facts of `l4_fanout` go wrong).
pub const FLIPS_OF_CONTROLLER: u32 = 12;

/// A selection that has not come out as recorded yet. It may have been made a little after its row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selecting {
    task: TaskId,
    name: Name,
    kind: SelectKind,
    this: CpuId,
    to: CpuId,
    sync: bool,
    /// What came out first.
    placement: Placement,
}

impl Driver<'_> {
    /// A task of the scenario was forked by the controller.
    pub(super) fn inherit_flips(&mut self, task: TaskId, rested: bool) {
        if !rested {
            self.s.tasks[task.index()].wakees.flips = FLIPS_OF_CONTROLLER;
        }
    }

    /// `name`, which was on `from`, is about to be woken on the CPU that is looked at.
    pub(super) fn waking(&mut self, name: Name, from: CpuId) {
        let (Some(task), Some(to)) = (self.task(name), self.goes_to(name)) else {
            return;
        };
        if self.cpus() == 1 {
            return;
        }
        if self.entity(task).on_rq {
            self.waking_on_its_cpu(name, task, to);
            return;
        }
        if self.s.tasks[task.index()].cpu != from {
            self.s.set_task_cpu(task, from);
        }
        self.s.record_wakee(self.cpu, task);
        let sync = self.flags_of(name).sync;
        self.select((name, task), SelectKind::Wake, sync, to);
    }

    /// A new task gets its CPU.
    pub(super) fn select_for_new(&mut self, child: Name, to: CpuId) {
        let Some(task) = self.task(child).filter(|task| !self.entity(*task).on_rq) else {
            return;
        };
        if self.cpus() > 1 {
            self.select((child, task), SelectKind::Fork, false, to);
        }
    }

    fn select(&mut self, (name, task): (Name, TaskId), kind: SelectKind, sync: bool, to: CpuId) {
        let this = self.cpu;
        let placement = self.s.select_task_rq(task, this, kind, sync);
        let selecting = Selecting {
            task,
            name,
            kind,
            this,
            to,
            sync,
            placement,
        };
        if placement.cpu == to {
            self.facts.right(FactKind::Select);
            self.adopt_selection(selecting);
        } else if self.may_select_as_recorded(&selecting) || self.forked_to(name) == Some(to) {
            self.facts.tie(FactKind::Select);
            self.adopt_selection(selecting);
        } else if kind == SelectKind::Wake {
            self.selecting.push(selecting);
        } else {
            self.selected_otherwise(selecting);
        }
    }

    /// Where a new task would have gone when it was forked: its row is written when it is queued.
    fn forked_to(&mut self, name: Name) -> Option<CpuId> {
        self.beliefs[name.index()].forked_to.take()
    }

    /// Before a row: selections that are open may have been made after what the row before it tells. The next row of the
    /// waker's CPU, or of the wakee, comes after them.
    pub(super) fn reconsider(&mut self, row: Row) {
        for open in core::mem::take(&mut self.selecting) {
            let s = &self.s;
            let now = s.select_task_rq(open.task, open.this, open.kind, open.sync);
            let of_wakee = match row.event {
                Event::Migrate { task, .. } | Event::Wakeup { task, .. } => task == open.name,
                _ => false,
            };
            if now.cpu == open.to || self.may_select_as_recorded(&open) {
                self.facts.tie(FactKind::Select);
                self.adopt_selection(open);
            } else if of_wakee || CpuId(row.cpu) == open.this {
                self.selected_otherwise(open);
            } else {
                self.selecting.push(open);
            }
        }
    }

    fn selected_otherwise(&mut self, open: Selecting) {
        let (task, placement) = (open.name, open.placement);
        let claim = |cpu, why| Claim::Goes { task, cpu, why };
        self.wrong(
            FactKind::Select,
            claim(placement.cpu, Some(placement.why)),
            claim(open.to, None),
        );
        self.adopt_selection(open);
    }

    /// The task goes where it went.
    fn adopt_selection(&mut self, open: Selecting) {
        if open.kind != SelectKind::Wake || self.entity(open.task).on_rq {
            return;
        }
        let adopted = Placement {
            cpu: open.to,
            ..open.placement
        };
        let home = self.s.tasks[open.task.index()].cpu;
        self.s.commit_selection(open.task, open.this, &adopted, 0);
        let recent = self.s.tasks[open.task.index()].recent_used_cpu;
        self.beliefs[open.name.index()].searches += u32::from(recent == home);
        if open.to != home {
            self.s.set_task_cpu(open.task, open.to);
        }
        self.s.queue_wakeup(open.task);
    }

    /// Would it have come out as recorded in a state that the trace cannot tell from this one?
    fn may_select_as_recorded(&self, open: &Selecting) -> bool {
        let chooses = |s: &Sched| {
            let placement = s.select_task_rq(open.task, open.this, open.kind, open.sync);
            placement.cpu == open.to
        };
        let states = [
            self.with_idle_now(open.to),
            self.without_pending(open.to),
            self.with_recent(open),
            self.with_stamp(open),
            self.without_pinned(),
        ];
        states.iter().flatten().any(chooses)
    }

    /// The row of a switch is written after `rq->curr` has changed.
    fn with_idle_now(&self, cpu: CpuId) -> Option<Sched> {
        let rows = self.rec.rows[self.at..].iter();
        let mut soon = rows.take_while(|row| row.t - self.t <= TURN);
        let goes_idle = soon.find_map(|row| match row.event {
            Event::Switch { left, next, .. } if row.cpu == cpu.0 => {
                Some(left == Left::Gone && self.is(next, Class::Idle))
            }
            _ => None,
        });
        let curr = self.s.rq[cpu.index()]
            .curr
            .filter(|_| goes_idle == Some(true))?;
        let mut s = self.s.clone();
        s.deactivate_task(curr, true);
        s.put_prev_task(cpu);
        let _ = s.pick_next_task(cpu);
        Some(s)
    }

    /// An interrupted CPU takes back that it is about to be given something before it queues that (`ttwu_pending`;
    /// the other way round since d6962c4f, 6.2).
    fn without_pending(&self, cpu: CpuId) -> Option<Sched> {
        if self.s.rq[cpu.index()].wake_list.is_empty() {
            return None;
        }
        let mut s = self.s.clone();
        s.rq[cpu.index()].wake_list.clear();
        Some(s)
    }

    /// Where a task had been before the trace began is not told.
    fn with_recent(&self, open: &Selecting) -> Option<Sched> {
        if self.beliefs[open.name.index()].searches > 0 {
            return None;
        }
        let mut s = self.s.clone();
        s.tasks[open.task.index()].recent_used_cpu = open.to;
        Some(s)
    }

    /// Which of two idle CPUs was the last to go idle is known as far as the clock is.
    fn with_stamp(&self, open: &Selecting) -> Option<Sched> {
        let stamp = |cpu: CpuId| self.s.rq[cpu.index()].idle_stamp;
        let theirs = stamp(open.placement.cpu);
        let unknown = stamp(open.to).is_none();
        let close = theirs
            .zip(stamp(open.to))
            .is_some_and(|(a, b)| a.abs_diff(b) <= TURN.unsigned_abs());
        if !(unknown || close) {
            return None;
        }
        let mut s = self.s.clone();
        s.rq[open.to.index()].idle_stamp = Some(theirs.unwrap_or(0) + 1);
        Some(s)
    }

    /// Whether a CPU that went idle searched, and came upon a task that is bound elsewhere, the dice of `NI_RANDOM` decided,
    /// which no trace tells.
    fn without_pinned(&self) -> Option<Sched> {
        let rolled = self.s.features.has(Feature::NiRandom) && self.s.imbalanced.contains(&true);
        rolled.then(|| {
            let mut s = self.s.clone();
            s.imbalanced.fill(false);
            s
        })
    }

    /// The wakee has not left its CPU yet. If it is on the way to sleep, and the waker need not wait for that, it stays
    /// (`try_to_wake_up`: `ttwu_queue_wakelist` while `on_cpu`); if not nothing is selected.
    fn waking_on_its_cpu(&mut self, name: Name, task: TaskId, to: CpuId) {
        let home = self.s.tasks[task.index()].cpu;
        if !(self.sleeps_before_it_is_woken(name) && self.s.queues_wakeup(self.cpu, home)) {
            return;
        }
        let claim = |cpu| Claim::Goes {
            task: name,
            cpu,
            why: None,
        };
        self.compare(FactKind::Select, claim(home), claim(to));
    }

    fn sleeps_before_it_is_woken(&self, name: Name) -> bool {
        let mut rows = self.rec.rows[self.at + 1..].iter();
        let next = rows.find_map(|row| match row.event {
            Event::Wakeup { task, .. } if task == name => Some(false),
            Event::Switch { prev, left, .. } if prev == name => Some(left == Left::Gone),
            _ => None,
        });
        next == Some(true)
    }

    /// Where the task that is being woken gets queued.
    fn goes_to(&self, name: Name) -> Option<CpuId> {
        let mut rows = self.rec.rows[self.at + 1..].iter();
        rows.find_map(|row| match row.event {
            Event::Wakeup { task, cpu } if task == name => Some(CpuId(cpu)),
            _ => None,
        })
    }

    /// The flags of a wakeup of `name` by the running task.
    pub(super) fn flags_of(&self, name: Name) -> WakeFlags {
        self.s.wake_flags(self.is_sync(name))
    }

    /// Does the running task wake `name` by a pipe? Those wakeups promise that the waker sleeps soon; timers do not.
    fn is_sync(&self, name: Name) -> bool {
        let Some((waker, _)) = self.curr_fair() else {
            return false;
        };
        let (waker, wakee) = (self.member(waker), self.member(name));
        let fills = waker.writes.iter().any(|pipe| wakee.reads.contains(pipe));
        fills || waker.reads.iter().any(|pipe| wakee.writes.contains(pipe))
    }

    /// Nothing is left to run: the kernel looks around for something to pull. What it would is not pulled.
    pub(super) fn newly_idle_beside(&mut self) {
        let cpu = self.cpu;
        if self.cpus() == 1 || self.s.rq[cpu.index()].nr_running > 0 {
            return;
        }
        let mut beside = self.s.clone();
        let balanced = beside.idle_balance(cpu);
        if balanced.moved.is_empty() {
            self.s = beside;
        } else {
            let clock = self.s.rq[cpu.index()].clock;
            self.s.rq[cpu.index()].idle_stamp = Some(clock);
            self.s.update_blocked_averages(cpu);
        }
        let now = self.instant();
        self.s.nohz_run_idle_balance(cpu, now);
    }

    /// The tick's balancing pass. What it would move is not moved: the record does that.
    pub(super) fn balance_beside(&mut self) {
        let cpu = self.cpu;
        let idle = if self
            .lane
            .curr
            .is_some_and(|curr| !self.is(curr, Class::Idle))
        {
            IdleType::NotIdle
        } else {
            IdleType::Idle
        };
        let jiffies = self.s.jiffies;
        let busy = idle == IdleType::NotIdle;
        let kick = busy.then(|| self.s.nohz_balancer_kick(cpu, jiffies));
        let mut beside = self.s.clone();
        let balanced = beside.rebalance_domains(cpu, jiffies, idle);
        self.adopt_passes(beside, &[(cpu, balanced)]);
        match kick {
            Some(Some((ilb, kick))) => {
                let now = self.instant();
                let mut beside = self.s.clone();
                let passes = beside.nohz_idle_balance(ilb, kick, now);
                self.adopt_passes(beside, &passes);
            }
            Some(None) => {}
            // The tick that finds a CPU idle is its last.
            None => {
                let _ = self.s.nohz_stop_tick(cpu);
            }
        }
    }

    /// Keeps what balancing passes learnt; and if they moved nothing, all that they did.
    fn adopt_passes(&mut self, mut beside: Sched, passes: &[(CpuId, Balanced)]) {
        if passes.iter().all(|(_, pass)| pass.moved.is_empty()) {
            self.s = beside;
            return;
        }
        for (cpu, _) in passes {
            let (ours, theirs) = (&mut self.s.rq[cpu.index()], &mut beside.rq[cpu.index()]);
            ours.next_balance = theirs.next_balance;
            core::mem::swap(&mut ours.sd, &mut theirs.sd);
        }
        self.s.llc = beside.llc;
        self.s.nohz = beside.nohz;
        for (cpu, _) in passes {
            self.s.update_blocked_averages(*cpu);
        }
    }
}
