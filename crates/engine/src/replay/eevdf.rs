//! What a replay of EEVDF does otherwise: vruntimes are told at the end only, and count from anywhere.

use super::asks::Ask;
use super::driver::Driver;
use super::facts::{Claim, FactKind};
use super::input::{End, Ended, Name};
use super::schedule::least;
use crate::sched::Sched;
use crate::sched::decision::Preempt;
use crate::task::TaskId;
use alloc::vec::Vec;

impl Driver<'_> {
    /// Is it EEVDF that is replayed?
    pub(super) fn is_eevdf(&self) -> bool {
        self.s.rules.is_eevdf()
    }

    /// How far a vruntime may be from the true one, ns: what a kernel thread was owed before the trace began is not told,
    /// but its limit is (`entity_lag`).
    pub(super) fn slack_in_eevdf(&self, name: Name, task: TaskId) -> i64 {
        let known = self.beliefs[name.index()].known;
        let ns = match (self.exact, known) {
            (true, _) => return 0,
            (false, true) => self.blur(),
            (_, false) => (2 * self.s.tunables.base_slice).max(self.s.hz.period().0),
        };
        self.s.weighted_of(task, ns)
    }

    /// The state before the verdict on `wakee`, if that may be wrong about where it stands.
    pub(super) fn before_verdict(&self, wakee: Name) -> Option<Sched> {
        let (curr, _) = self.curr_fair()?;
        let doubtful = self.is_eevdf() && self.slack_between(curr, wakee) > 0;
        doubtful.then(|| self.s.clone())
    }

    /// The verdict on `wakee`; it could be the other if the two stood a little otherwise, by no more than they may.
    pub(super) fn doubtful_question(&self, wakee: Name, verdict: Preempt, before: &Sched) -> Ask {
        let flags = self.flags_of(wakee);
        let turned = self
            .curr_fair()
            .zip(self.task(wakee))
            .and_then(|((curr, running), task)| {
                let slack = self.slack_between(curr, wakee);
                let signs = if verdict.yes { [1, -1] } else { [-1, 1] };
                let attempts = signs.map(|sign| {
                    let found = least(slack, |by| {
                        let mut s = before.clone();
                        s.fixture().nudge((task, sign * by), (running, 0));
                        let other = s.check_preempt_curr(self.cpu, task, flags);
                        (other.yes != verdict.yes).then_some(())
                    });
                    found.map(|(by, ())| sign * by)
                });
                attempts.into_iter().flatten().next()
            });
        Ask {
            kind: FactKind::Preempt,
            yes: verdict.yes,
            wakee: Some(wakee),
            beyond: turned,
            near: turned.is_some(),
        }
    }

    /// The verdict was the other one: the wakee stands where it says so.
    pub(super) fn turn_in_eevdf(&mut self, wakee: Name, by: i64) {
        let queued = self.task(wakee).filter(|task| self.waits_here(*task));
        if let (Some(task), Some((_, curr))) = (queued, self.curr_fair()) {
            self.s.fixture().nudge((task, by), (curr, 0));
        }
    }

    /// Compares vruntimes and deadlines with what the kernel itself said. Where they count from is arbitrary: in each group
    /// from where most agree.
    pub(super) fn compare_lags(&mut self, end: &End) {
        for group in 0..=self.groups.len() as u32 {
            let told = self.told(end, group);
            let shifts: Vec<i64> = told
                .iter()
                .map(|(ended, v, _)| ended.vruntime - v)
                .collect();
            let agree = |shift: i64| shifts.iter().filter(|other| **other == shift).count();
            // Of equally many the first.
            let best = shifts
                .iter()
                .rev()
                .copied()
                .max_by_key(|shift| agree(*shift));
            let Some(shift) = best else { continue };
            let known = |ended: &Ended| self.beliefs[ended.name.index()].known;
            let known: Vec<_> = told.iter().filter(|(ended, ..)| known(ended)).collect();
            let from = known
                .iter()
                .position(|(ended, v, _)| ended.vruntime - v == shift);
            for (at, (ended, v, d)) in known.iter().enumerate() {
                let name = ended.name;
                if Some(at) != from {
                    let claim = |v| Claim::Vruntime(name, v);
                    self.compare(FactKind::End, claim(v + shift), claim(ended.vruntime));
                }
                if let Some(deadline) = ended.deadline {
                    let claim = |d| Claim::Deadline(name, d);
                    self.compare(FactKind::End, claim(d + shift), claim(deadline));
                }
            }
            let off = shifts.iter().map(|other| other.abs_diff(shift));
            self.facts.off = off.fold(self.facts.off, u64::saturating_add);
        }
    }

    /// Who of a group is told of, as far as nothing has happened to it after the trace had ended, with vruntime and
    /// deadline.
    fn told(&self, end: &End, group: u32) -> Vec<(Ended, i64, i64)> {
        let of_group = end
            .tasks
            .iter()
            .filter(|ended| self.group(ended.name).0 == group);
        let told = of_group.filter_map(|ended| {
            let belief = self.beliefs[ended.name.index()];
            let task = self.task(ended.name).filter(|_| !belief.exiting)?;
            let runnable = self.entity(task).on_rq && !self.s.is_delayed(task);
            let deadline = self.s.eevdf.se(self.s.tasks[task.index()].se).deadline;
            (runnable == ended.runnable).then(|| (*ended, self.vruntime(task), deadline))
        });
        told.collect()
    }
}
