//! The driver: walks the rows of a trace and calls the door as that kernel did.

use super::asks::Asks;
use super::facts::{Claim, Divergence, FactKind, Facts, Standing};
use super::input::{Class, End, Event, Member, Name, Recording, Row};
use super::owed::Owed;
use super::select::Selecting;
use super::start::Start;
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::rq::{GroupId, SchedEntity};
use crate::task::TaskId;
use alloc::vec::Vec;

/// How far two vruntimes may be apart, ns of a nice-0 task, for a recording without charges to be unable to
/// tell their order. A switch is known to about 1 µs and tasks wait through dozens of them; preemptions and picks of
/// 6.1 that differ are within this (60 µs also is the rule by which `summary.json` tells a preemption).
const TIE: u64 = 60_000;

/// The same for groups of EEVDF in a recording with charges, ns: by a wakeup in another group they are charged at a clock
/// that no row tells.
const GROUP_CLOCK: i64 = 1_500;

/// More than any two vruntimes are apart: how far an unknown one may be off, ns.
pub(super) const ANYWHERE: i64 = 1 << 36;

/// What is believed of a member.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Belief {
    /// Its task, once it has taken part.
    pub task: Option<TaskId>,
    /// Is its vruntime the recorded one: to the ns, or in a recording without charges as far as it can be?
    pub known: bool,
    /// Was it adopted from the charge that comes next, which then is no fact?
    pub adopted: bool,
    /// How many of its renices have happened.
    pub renices: usize,
    /// Is it ending?
    pub exiting: bool,
    /// Searches for an idle CPU that its wakeups made: from the first on it is known where it was before the last.
    pub searches: u32,
    /// Where it would have gone when it was forked, before its row.
    pub forked_to: Option<CpuId>,
}

/// A charge that has been read and whose cause is the row after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    /// Who was charged.
    pub task: Name,
    /// The vruntime after it, where the kernel tells.
    pub vruntime: Option<i64>,
}

/// What is known of one CPU.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Who runs.
    pub curr: Option<Name>,
    /// How many of classes above are runnable.
    pub above: u32,
    pub asks: Asks,
    /// A tick's handler has started and its charge has not been seen.
    pub handler: Option<FactKind>,
    pub charge: Option<Charge>,
    /// The running task has yielded and schedule() has not followed yet.
    pub yielded: bool,
}

/// A replay under way.
pub(super) struct Driver<'r> {
    pub rec: &'r Recording,
    pub s: Sched,
    pub groups: Vec<GroupId>,
    pub beliefs: Vec<Belief>,
    /// Members by task.
    pub names: Vec<Name>,
    pub start: Start,
    /// The CPU that is looked at, and what is known of it.
    pub cpu: CpuId,
    pub lane: Lane,
    /// What is known of the others, by CPU; the place of the one that is looked at stands empty.
    parked: Vec<Lane>,
    /// Selections that have not come out as recorded.
    pub selecting: Vec<Selecting>,
    /// The row, and its time.
    pub at: usize,
    pub t: i64,
    pub exact: bool,
    pub facts: Facts,
}

impl<'r> Driver<'r> {
    pub(super) fn new(rec: &'r Recording, owed: &[Owed]) -> Driver<'r> {
        let mut s = Sched::new(&rec.setup);
        let root = GroupId::default();
        let groups = rec.groups.iter().map(|shares| s.new_group(root, *shares));
        let groups = groups.collect();
        let mut driver = Driver {
            rec,
            s,
            groups,
            beliefs: alloc::vec![Belief::default(); rec.members.len()],
            names: Vec::new(),
            start: Start::default(),
            cpu: CpuId(0),
            lane: Lane::default(),
            parked: rec
                .setup
                .topology
                .all()
                .iter()
                .map(|_| Lane::default())
                .collect(),
            selecting: Vec::new(),
            at: 0,
            t: 0,
            exact: rec.is_exact(),
            facts: Facts::default(),
        };
        driver.prepare();
        driver.owe(owed);
        driver
    }

    /// Walks the whole trace.
    pub(super) fn run(mut self) -> Facts {
        while let Some(row) = self.rec.rows.get(self.at) {
            self.t = row.t;
            self.go_to(CpuId(row.cpu));
            self.step(*row);
            self.at += 1;
        }
        if let Some(end) = self.rec.end.as_ref().filter(|_| self.exact) {
            if self.is_eevdf() {
                self.compare_lags(end);
            } else {
                self.compare_end(end);
            }
        }
        self.facts
    }

    /// Compares with what the kernel itself said. Who was woken or left after the trace had ended is passed over.
    fn compare_end(&mut self, end: &End) {
        let kind = FactKind::End;
        let first = self.names.first().copied();
        let sure = first.is_some_and(|name| self.min_is_sure(name)) && self.groups.is_empty();
        if let Some(min) = end.min_vruntime.filter(|_| sure) {
            let predicted = self.s.cfs_rq[0].min_vruntime;
            self.compare(kind, Claim::Min(predicted), Claim::Min(min));
        }
        for ended in &end.tasks {
            let name = ended.name;
            let known = self.beliefs[name.index()].known;
            let task = self.task(name).filter(|_| known);
            if let Some(task) = task.filter(|task| self.entity(*task).on_rq == ended.runnable) {
                let predicted = self.vruntime(task);
                let claim = |v| Claim::Vruntime(name, v);
                self.compare(kind, claim(predicted), claim(ended.vruntime));
            }
        }
    }

    /// Looks at another CPU.
    pub(super) fn go_to(&mut self, cpu: CpuId) {
        core::mem::swap(&mut self.lane, &mut self.parked[self.cpu.index()]);
        core::mem::swap(&mut self.lane, &mut self.parked[cpu.index()]);
        self.cpu = cpu;
    }

    /// A task of a class above becomes runnable, or is no longer: `rq->nr_running` counts it, too.
    pub(super) fn count_above(&mut self, name: Name, comes: bool) {
        if !self.is(name, Class::Above) {
            return;
        }
        let nr_running = &mut self.s.rq[self.cpu.index()].nr_running;
        if comes {
            self.lane.above += 1;
            *nr_running += 1;
        } else if self.lane.above > 0 {
            self.lane.above -= 1;
            *nr_running -= 1;
        }
    }

    /// Does a step on another CPU and comes back.
    pub(super) fn on(&mut self, cpu: CpuId, step: impl FnOnce(&mut Self)) {
        let here = self.cpu;
        self.go_to(cpu);
        step(self);
        self.go_to(here);
    }

    /// How many CPUs there are.
    pub(super) fn cpus(&self) -> usize {
        self.s.rq.len()
    }

    fn step(&mut self, row: Row) {
        if self.cpus() > 1 {
            self.read_own_clocks();
        }
        if !self.selecting.is_empty() {
            self.reconsider(row);
        }
        self.settle(row.event);
        if row.event != Event::Hrtick && self.lane.handler != Some(FactKind::Hrtick) {
            self.miss_hrtick();
        }
        match row.event {
            Event::Waking { task, cpu } => self.waking(task, CpuId(cpu)),
            Event::Migrate { task, to, .. } => self.migrate(task, CpuId(to)),
            Event::Exit { task } => self.beliefs[task.index()].exiting = true,
            Event::Tick => self.handler_starts(FactKind::Tick),
            Event::Hrtick => self.hrtick_starts(),
            Event::Runtime { task, ns, vruntime } => self.runtime(task, ns, vruntime),
            Event::Wakeup { task, cpu } => self.on(CpuId(cpu), |there| {
                there.settle(row.event);
                there.wakeup(task);
            }),
            Event::WakeupNew { task, cpu } => {
                let this = self.cpu;
                self.select_for_new(task, CpuId(cpu));
                self.on(CpuId(cpu), |there| {
                    there.settle(row.event);
                    there.wakeup_new(task, this);
                });
            }
            Event::Fork { parent, child } => self.fork(parent, child),
            Event::Switch { prev, left, next } => self.switch(prev, left, next),
        }
    }

    pub(super) fn member(&self, name: Name) -> &'r Member {
        &self.rec.members[name.index()]
    }

    pub(super) fn is(&self, name: Name, class: Class) -> bool {
        self.member(name).class == class
    }

    pub(super) fn task(&self, name: Name) -> Option<TaskId> {
        self.beliefs[name.index()].task
    }

    pub(super) fn name(&self, task: TaskId) -> Name {
        self.names[task.index()]
    }

    /// The running task, if it is a fair one.
    pub(super) fn curr_fair(&self) -> Option<(Name, TaskId)> {
        let name = self.lane.curr?;
        let task = self.task(name)?;
        (self.s.rq[self.cpu.index()].curr == Some(task)).then_some((name, task))
    }

    pub(super) fn entity(&self, task: TaskId) -> &SchedEntity {
        &self.s.se[self.s.tasks[task.index()].se.0 as usize]
    }

    /// Is it queued on the CPU that is looked at?
    pub(super) fn waits_here(&self, task: TaskId) -> bool {
        self.entity(task).on_rq && self.s.tasks[task.index()].cpu == self.cpu
    }

    pub(super) fn vruntime(&self, task: TaskId) -> i64 {
        self.entity(task).vruntime
    }

    /// Is a reschedule asked for?
    pub(super) fn need(&self) -> bool {
        self.s.rq[self.cpu.index()].need_resched
    }

    /// How far a vruntime may be from the true one, ns.
    pub(super) fn slack(&self, name: Name) -> i64 {
        let Some(task) = self.task(name) else {
            return ANYWHERE;
        };
        if self.is_eevdf() {
            return self.slack_in_eevdf(name, task);
        }
        match (self.exact, self.beliefs[name.index()].known) {
            (_, false) => ANYWHERE,
            (true, true) => 0,
            (false, true) => self
                .s
                .weighted_of(task, self.blur())
                .max(self.blur() as i64),
        }
    }

    /// What vruntimes cannot be told apart by: virtual CPUs take turns, so that each knows the time as much worse as
    /// there are of them.
    pub(super) fn blur(&self) -> u64 {
        TIE * self.cpus() as u64
    }

    /// How far two vruntimes may be from the true ones, ns. Where groups compete, the charges that wakeups of other
    /// groups make are not in the trace.
    pub(super) fn slacks(&self, a: Name, b: Name) -> (i64, i64) {
        let apart = self.group(a) != self.group(b) && !self.s.rules.flat;
        let least = match (apart, self.is_eevdf() && self.exact) {
            (false, _) => 0,
            (true, false) => self.blur() as i64,
            (true, true) => GROUP_CLOCK,
        };
        (self.slack(a).max(least), self.slack(b).max(least))
    }

    /// By how much their difference may be off, ns.
    pub(super) fn slack_between(&self, a: Name, b: Name) -> i64 {
        let (a, b) = self.slacks(a, b);
        a.max(b)
    }

    /// Compares two claims and keeps the first that differ.
    pub(super) fn compare(&mut self, kind: FactKind, predicted: Claim, recorded: Claim) {
        if predicted == recorded {
            self.facts.right(kind);
        } else {
            self.wrong(kind, predicted, recorded);
        }
    }

    /// Counts a wrong fact, with the state in which the rules went wrong.
    pub(super) fn wrong(&mut self, kind: FactKind, predicted: Claim, recorded: Claim) {
        let (row, t, cpu) = (self.at, self.t, self.cpu);
        let (s, names) = (&self.s, &self.names);
        self.facts.wrong(kind, || Divergence {
            row,
            t,
            kind,
            predicted,
            recorded,
            min_vruntime: (!s.rules.is_eevdf()).then(|| s.cfs_rq[cpu.index()].min_vruntime),
            runnable: standings(s, names, cpu),
        });
    }
}

/// Who is runnable, by vruntime.
fn standings(s: &Sched, names: &[Name], cpu: CpuId) -> Vec<Standing> {
    let curr = s.rq[cpu.index()].curr;
    let mut all: Vec<Standing> = names
        .iter()
        .enumerate()
        .filter_map(|(index, name)| {
            let task = TaskId(index as u32);
            let entity = &s.se[s.tasks[index].se.0 as usize];
            let here = entity.on_rq && s.tasks[index].cpu == cpu;
            here.then_some(Standing {
                name: *name,
                vruntime: entity.vruntime,
                deadline: (s.rules.is_eevdf()).then(|| s.eevdf.se(s.tasks[index].se).deadline),
                delayed: s.is_delayed(task),
                ran: entity.sum_exec.wrapping_sub(entity.prev_sum_exec),
                running: curr == Some(task),
            })
        })
        .collect();
    all.sort_by_key(|standing| standing.vruntime);
    all
}
