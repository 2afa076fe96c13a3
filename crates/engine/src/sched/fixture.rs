//! The one test door: puts a scheduler into a state that a worked example, or a recording, starts from.
//!
//! Nothing but tests and replays may use it; the simulator lets states come about.

use super::eevdf::Virtual;
use super::rq::{Averages, CfsRqId, EntityId};
use super::{Sched, eevdf, fair, weight};
use crate::machine::CpuId;
use crate::task::TaskId;
use alloc::vec::Vec;

/// Access to a scheduler's state.
#[derive(Debug)]
pub struct Fixture<'a>(&'a mut Sched);

/// What [`Fixture::make_first`] displaced: entities from the task up, their vruntimes, and the marks of their queues.
#[derive(Debug)]
pub struct Displaced(Vec<(EntityId, i64, [Option<EntityId>; 3])>);

impl Sched {
    /// The test door.
    pub fn fixture(&mut self) -> Fixture<'_> {
        Fixture(self)
    }

    /// Runtime as weighted time of that task, ns.
    pub fn weighted_of(&self, task: TaskId, ns: u64) -> i64 {
        let load = self.se(self.tasks[task.index()].se).load;
        self.weighted(ns, load) as i64
    }
}

impl Fixture<'_> {
    /// Gives a task a vruntime, ns, wherever it is; a waiting one goes behind its new equals. In EEVDF its deadline and
    /// what protects it go with it.
    pub fn vruntime(&mut self, task: TaskId, vruntime: i64) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        self.place(se, vruntime);
        self
    }

    fn place(&mut self, se: EntityId, vruntime: i64) {
        if self.0.rules.is_eevdf() {
            self.due_of(se, |old, own| {
                own.deadline += vruntime - *old;
                own.vprot += vruntime - *old;
                *old = vruntime;
            });
            return;
        }
        let entity = self.0.se_mut(se);
        let old = core::mem::replace(&mut entity.vruntime, vruntime);
        let (q, on_rq) = (entity.cfs_rq, entity.on_rq);
        let cfs = self.0.cfs_mut(q);
        if on_rq && cfs.curr != Some(se) {
            cfs.timeline.remove(old, se);
            cfs.timeline.insert(vruntime, se);
        }
    }

    /// Moves two tasks by so many ns each, where their ancestors share a queue.
    pub fn nudge(&mut self, (a, by_a): (TaskId, i64), (b, by_b): (TaskId, i64)) -> &mut Self {
        let [mut a, mut b] = [a, b].map(|task| self.0.tasks[task.index()].se);
        if !self.0.rules.flat {
            (a, b) = self.0.find_matching_se(a, b);
        }
        for (se, by) in [(a, by_a), (b, by_b)] {
            let vruntime = self.0.se(se).vruntime + by;
            self.place(se, vruntime);
        }
        self
    }

    /// Moves every queued group of the root queue of a CPU by so many ns.
    pub fn shift_groups(&mut self, cpu: CpuId, by: i64) -> &mut Self {
        let root = CfsRqId(u32::from(cpu.0));
        for se in (0..self.0.se.len() as u32).map(EntityId) {
            let entity = self.0.se(se);
            if entity.my_q.is_some() && entity.cfs_rq == root && entity.on_rq {
                self.place(se, entity.vruntime + by);
            }
        }
        self
    }

    /// Takes the marks of a task and of its groups away.
    pub fn unmark(&mut self, task: TaskId) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        fair::clear_buddies(self.0, se);
        self
    }

    /// Makes a task the next pick of its CPU whatever the policy says: at every level no mark stands against it
    /// and it is leftmost. Answers with what is to be put back.
    pub fn make_first(&mut self, task: TaskId) -> Displaced {
        let se = self.0.tasks[task.index()].se;
        let levels: Vec<EntityId> = self.0.levels(se).collect();
        let mut displaced = Displaced(Vec::new());
        for se in levels {
            let (q, vruntime) = (self.0.se(se).cfs_rq, self.0.se(se).vruntime);
            let cfs = self.0.cfs_mut(q);
            let marks = [&mut cfs.next, &mut cfs.last, &mut cfs.skip].map(Option::take);
            displaced.0.push((se, vruntime, marks));
            let left = cfs.timeline.leftmost().map(|left| left.vruntime);
            let curr = cfs.curr.map(|curr| self.0.se(curr).vruntime);
            let first = left.into_iter().chain(curr).min();
            self.place(se, first.unwrap_or(0) - 1);
        }
        displaced
    }

    /// Puts back what [`Fixture::make_first`] has moved, but for the marks of the task itself: it has been picked.
    pub fn put_back(&mut self, displaced: Displaced) -> &mut Self {
        for (se, vruntime, marks) in displaced.0 {
            self.place(se, vruntime);
            let q = self.0.se(se).cfs_rq;
            let cfs = self.0.cfs_mut(q);
            [cfs.next, cfs.last, cfs.skip] = marks.map(|mark| mark.filter(|marked| *marked != se));
        }
        self
    }

    /// Lets a queued task run next on `cpu` although the policy would take another, as [`Sched::pick_next_task`] would
    /// had it picked that.
    pub fn run_next(&mut self, cpu: CpuId, task: TaskId) -> &mut Self {
        let s = &mut *self.0;
        let own = s.tasks[task.index()].se;
        if s.competes(cpu) {
            s.change_places(cpu, Some(task));
        } else if s.rules.flat {
            s.take_up_levels(own, None);
        } else {
            let levels: Vec<EntityId> = s.levels(own).collect();
            levels.into_iter().rev().for_each(|se| s.take_up(se));
        }
        s.finish_pick(cpu, Some(task));
        self
    }

    /// Sets `min_vruntime` of the root queue of a CPU, ns.
    pub fn min_vruntime(&mut self, cpu: CpuId, vruntime: i64) -> &mut Self {
        self.0.cfs_mut(CfsRqId(u32::from(cpu.0))).min_vruntime = vruntime;
        self
    }

    /// Marks the buddies of the queue that `cpu`'s root group has.
    pub fn buddies(&mut self, cpu: CpuId, next: Option<TaskId>, last: Option<TaskId>) -> &mut Self {
        let se = |task: TaskId| self.0.tasks[task.index()].se;
        let (next, last) = (next.map(se), last.map(se));
        let cfs = self.0.cfs_mut(CfsRqId(u32::from(cpu.0)));
        (cfs.next, cfs.last) = (next, last);
        self
    }

    /// Marks who has yielded on the queue that `cpu`'s root group has.
    pub fn skip(&mut self, cpu: CpuId, skip: Option<TaskId>) -> &mut Self {
        let se = skip.map(|task| self.0.tasks[task.index()].se);
        self.0.cfs_mut(CfsRqId(u32::from(cpu.0))).skip = se;
        self
    }

    /// Sets a task's averages.
    pub fn averages(&mut self, task: TaskId, avg: Averages) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        self.0.se_mut(se).avg = avg;
        self
    }

    /// Changes the vruntime of a task and what EEVDF knows of it, wherever it is.
    pub fn due(&mut self, task: TaskId, change: impl FnOnce(&mut i64, &mut Virtual)) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        self.due_of(se, change)
    }

    fn due_of(&mut self, se: EntityId, change: impl FnOnce(&mut i64, &mut Virtual)) -> &mut Self {
        let s = &mut *self.0;
        let waits = eevdf::waits(s, se);
        let (q, before) = (eevdf::queue_of(s, se), s.eevdf.se(se).weight);
        if waits {
            eevdf::leave_tree(s, q, se);
        }
        let mut vruntime = s.se(se).vruntime;
        change(&mut vruntime, s.eevdf.se_mut(se));
        s.se_mut(se).vruntime = vruntime;
        let scaled = weight::scale_load_down(s.eevdf.se(se).weight);
        if s.eevdf.se(se).weight != before {
            s.se_mut(se).load = weight::queue_weight(s.rules.fixed_point, scaled);
        }
        if waits {
            eevdf::enter_tree(s, q, se);
        }
        self
    }

    /// A queued task sleeps, but stays for what it owes.
    pub fn delayed(&mut self, task: TaskId) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        eevdf::set_delayed(self.0, se, true);
        self
    }

    /// The running task begins its protection anew.
    pub fn protect(&mut self, task: TaskId) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        let q = eevdf::queue_of(self.0, se);
        eevdf::set_protect_slice(self.0, q, se);
        self
    }

    /// Gives a task another weight where it is, as a share of its group would (1048576 is nice 0).
    pub fn reweight(&mut self, task: TaskId, weight: u64) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        let q = self.0.se(se).cfs_rq;
        let load = weight::queue_weight(self.0.rules.fixed_point, weight::scale_load_down(weight));
        eevdf::reweight_queued(self.0, q, se, weight, &|s| s.se_mut(se).load = load);
        self
    }

    /// Makes a task look as if it had run that long since it was picked, ns.
    pub fn ran(&mut self, task: TaskId, ns: u64) -> &mut Self {
        let se = self.0.tasks[task.index()].se;
        let entity = self.0.se_mut(se);
        entity.sum_exec = entity.prev_sum_exec + ns;
        self
    }
}
