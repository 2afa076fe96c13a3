//! Where a replay starts: what the trace itself says of vruntimes that were there before it.
//!
//! A task's first charge tells what its vruntime was when it was placed. `min_vruntime` at the start is not told:
//! it is no more than a latency right of any task that was placed by it, and known as soon as the queue has
//! passed that point.

use super::driver::{Belief, Driver};
use super::input::{Class, Event, Left, Name};
use crate::machine::{CpuId, CpuMask};
use crate::sched::TaskSpec;
use crate::sched::rq::GroupId;
use crate::task::{Nice, TaskId};
use alloc::vec::Vec;

/// What is not known at the start.
#[derive(Debug, Default)]
pub(super) struct Start {
    /// By group, the root first: `min_vruntime` is sure once it is at or beyond this.
    sure_from: Vec<i64>,
    /// How far groups may move.
    pub room: Room,
}

/// How far the groups of the root queue, as a whole, may yet turn out to be from where they are believed to be
/// beside the root queue's tasks, ns. They are placed by `min_vruntime` at the start, which is known to a latency.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// To the left.
    pub left: i64,
    /// To the right.
    pub right: i64,
}

impl Room {
    /// The groups have moved by so much, no further than they had to.
    pub(super) fn moved(&mut self, by: i64) {
        if by > 0 {
            *self = Room {
                left: 0,
                right: (self.right - by).max(0),
            };
        } else if by < 0 {
            *self = Room {
                left: (self.left + by).max(0),
                right: 0,
            };
        }
    }
}

/// Where time starts in a recording that tells no vruntimes, ns: far enough from 0 for credits.
const ORIGIN: i64 = 1 << 40;

/// How much further right each task starts than the one before it, ns: they set themselves up one after the other,
/// which took 6 to 9 µs in the recordings that tell.
const SETUP: i64 = 8_000;

/// The vruntime of who has slept so long that it is placed by its credit, ns.
const LONG_AGO: i64 = -(1 << 60);

impl Driver<'_> {
    /// Creates everybody who is there from the start and finds out what can be known of their vruntimes.
    pub(super) fn prepare(&mut self) {
        let forked = self.forked();
        let members = (0..self.rec.members.len() as u32).map(Name);
        let there: Vec<Name> = members
            .filter(|name| self.is(*name, Class::Fair) && !forked.contains(name))
            .collect();
        for name in &there {
            self.create(*name, None);
        }
        let least = self.least_of_groups(&there);
        for name in there {
            self.set_up(name, least[self.group(name).0 as usize]);
        }
        self.set_up_queues(&least);
        // Everybody has been asleep for long.
        for cpu in &self.rec.setup.topology.all() {
            let _ = self.s.nohz_stop_tick(cpu);
        }
    }

    /// By group, the root first: the least vruntime that anybody was placed at for the first time, if any is known.
    fn least_of_groups(&self, names: &[Name]) -> Vec<Option<i64>> {
        let mut least: Vec<Option<i64>> = alloc::vec![None; 1 + self.groups.len()];
        for name in names {
            let group = self.group(*name).0 as usize;
            let placed = self.placed(*name, 0);
            least[group] = least[group].into_iter().chain(placed).min();
        }
        least
    }

    /// Gives a member the vruntime with which it is placed first, or for want of that one like its neighbours'. In EEVDF
    /// it stands at the average: it ran alone before it went to sleep; what a kernel thread did before is not told.
    fn set_up(&mut self, name: Name, least: Option<i64>) {
        let rested = self.member(name).rested;
        if self.is_eevdf() {
            self.beliefs[name.index()].known = !rested;
            return;
        }
        self.beliefs[name.index()].known = !self.exact && !rested;
        let fresh = least.unwrap_or(ORIGIN + SETUP * i64::from(name.0));
        let guess = if rested { LONG_AGO } else { fresh };
        let vruntime = self.placed(name, 0).unwrap_or(guess);
        if let Some(task) = self.task(name) {
            self.s.fixture().vruntime(task, vruntime);
        }
    }

    fn set_up_queues(&mut self, least: &[Option<i64>]) {
        let latency = self.s.tunables.sched_latency as i64;
        self.start.room = Room {
            left: latency,
            right: latency,
        };
        for (group, least) in least.iter().enumerate() {
            let reached = if group == 0 { self.reached() } else { None };
            let (min, sure) = match least {
                Some(v) => (reached.unwrap_or(v - latency), v + latency),
                None => (ORIGIN, ORIGIN),
            };
            let cpus = self.cpus();
            for queue in &mut self.s.cfs_rq[group * cpus..(group + 1) * cpus] {
                queue.min_vruntime = min;
            }
            self.start.sure_from.push(sure);
        }
    }

    /// What `min_vruntime` of the root queue had reached at least, if groups are placed by it: each task ran alone
    /// before it blocked to wait for the start, which takes `min_vruntime` along.
    fn reached(&self) -> Option<i64> {
        let plain = |name: &Name| {
            let member = self.member(*name);
            let root = member.class == Class::Fair && member.group.is_none();
            root && !member.rested && member.nice == Nice::default()
        };
        let names = (0..self.rec.members.len() as u32).map(Name);
        let own = names
            .filter(plain)
            .filter_map(|name| self.placed(name, 0))
            .max();
        own.filter(|_| !self.groups.is_empty())
    }

    /// Who is born in the trace.
    fn forked(&self) -> Vec<Name> {
        let child = |row: &super::Row| match row.event {
            Event::Fork { child, .. } => Some(child),
            _ => None,
        };
        self.rec.rows.iter().filter_map(child).collect()
    }

    pub(super) fn group(&self, name: Name) -> GroupId {
        let index = self.member(name).group;
        index.map_or(GroupId::default(), |index| self.groups[index])
    }

    /// Makes the task of a member.
    pub(super) fn create(&mut self, name: Name, parent: Option<TaskId>) -> TaskId {
        let member = self.member(name);
        let task = self.s.new_task(TaskSpec {
            nice: member.nice,
            policy: member.policy,
            allowed: match member.bound.filter(|cpu| usize::from(*cpu) < self.cpus()) {
                Some(cpu) => CpuMask::just(CpuId(cpu)),
                None => CpuMask::first(self.cpus()),
            },
            group: self.group(name),
            parent,
            // Who is there from the start has been asleep; where its vruntime stands is found out later.
            vruntime: parent.is_none().then_some(0),
        });
        self.s.set_slice(task, member.slice);
        if parent.is_none() {
            self.inherit_flips(task, member.rested);
        }
        self.names.push(name);
        self.beliefs[name.index()] = Belief {
            task: Some(task),
            ..Belief::default()
        };
        task
    }

    /// The vruntime that a task had when it was placed before row `from`, as its first charge after that tells.
    pub(super) fn placed(&self, name: Name, from: usize) -> Option<i64> {
        let task = self.task(name)?;
        self.rec.rows[from..]
            .iter()
            .find_map(|row| match row.event {
                Event::Runtime {
                    task: charged,
                    ns,
                    vruntime: Some(v),
                } if charged == name => Some(v - self.s.weighted_of(task, ns)),
                _ => None,
            })
    }

    /// Is `min_vruntime` of that member's queue certainly the kernel's? Where groups compete in it their vruntimes, which
    /// no trace has, decide.
    pub(super) fn min_is_sure(&self, name: Name) -> bool {
        let group = self.group(name).0 as usize;
        let follows_groups = group == 0 && !self.groups.is_empty();
        let min = self.s.cfs_rq[group * self.cpus() + self.cpu.index()].min_vruntime;
        !follows_groups && min >= self.start.sure_from[group]
    }

    /// May the placement of `name` tell `min_vruntime` of the root queue? If so the task is moved so far left that it
    /// is placed by its credit.
    pub(super) fn try_to_learn(&mut self, name: Name, task: TaskId) -> Option<i64> {
        let root = self.group(name) == GroupId::default() && !self.groups.is_empty();
        let learns = self.exact && !self.is_eevdf();
        let asks = learns && root && self.beliefs[name.index()].known;
        let own = self.vruntime(task);
        asks.then(|| {
            self.s.fixture().vruntime(task, LONG_AGO);
            own
        })
    }

    /// The task had the vruntime `own` and was placed further right: so by its credit, and what the prediction lacks
    /// `min_vruntime` lacked, with every group that was placed by it.
    pub(super) fn learn(&mut self, name: Name, task: TaskId, own: i64) {
        let placed = self.placed(name, self.at).unwrap_or(own);
        if placed > own {
            let lacks = placed - self.vruntime(task);
            self.s.cfs_rq[self.cpu.index()].min_vruntime += lacks;
            self.s.fixture().shift_groups(self.cpu, lacks);
            self.start.room.moved(lacks);
        }
        self.s.fixture().vruntime(task, placed);
    }

    /// Makes sure that who leaves or enters the CPU is on the queue where it must have been.
    pub(super) fn must_be_queued(&mut self, name: Name) {
        let Some(task) = self.task(name) else { return };
        self.bring_here(task);
        if !self.entity(task).on_rq {
            self.s.activate_task(task, false);
        } else if self.s.is_delayed(task) {
            self.s.requeue_delayed_task(task);
        }
    }

    /// The first row of a CPU says who has been running on it.
    pub(super) fn first_switch(&mut self, prev: Name, left: Left) {
        self.lane.curr = Some(prev);
        self.count_above(prev, true);
        if self.is(prev, Class::Fair) && left == Left::Runnable {
            self.must_be_queued(prev);
        }
    }
}
