//! Fairness: how far the CPU time of each task is from its ideal share, over every window of 100 slices.
//!
//! The measure is the lag of EEVDF (Stoica and Abdel-Wahab, 1995, section 2: Sᵢ(t₀, t₁) − sᵢ(t₀, t₁), and V advances by
//! 1/Σw; `entity_lag` of kernel/sched/fair.c): while tasks of a queue run, each that can run there is owed its weight's part of
//! that time. What is compared is the change of that lag over a window, which needs no vruntime and so is the same for
//! every kernel:
//!
//! * A queue is what fair tasks of one group compete in on one CPU. Its time is that in which one of them is on the CPU: that
//!   of real-time tasks, of groups beside or below it, and that in which it is throttled is not theirs to share out.
//! * A task is there from its wakeup, or fork, until it sleeps or ends; moves between CPUs go on with what is owed so far.
//! * A window is 100 slices long, begins at a multiple of the slice, and counts if the task could run in all of it. Any
//!   other of that length deviates by less than one slice more: two that begin δ apart differ by at most δ.
//!
//! Not here: what groups have of each other, for their weights follow averages; and what CPUs have of each other: five tasks on
//! four CPUs are treated fairly on each of them.

#[cfg(test)]
mod tests;

use super::event::{Event, Observer, PrevState};
use crate::machine::CpuId;
use crate::sched::rq::GroupId;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use alloc::vec;
use alloc::vec::Vec;

/// Slices in a window.
pub const SLICES: u64 = 100;

/// Binary places of what a queue owes to a weight of one: an hour fits, and a thousand million turns add up to less than
/// a microsecond of rounding for the heaviest task (88761 of 2⁴⁰ parts of a nanosecond each).
const PLACES: u32 = 40;
/// To round to the nearest nanosecond.
const HALF: u128 = 1 << (PLACES - 1);

/// By what a task is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The weight of its nice value; none = it is not a fair task.
    pub weight: Option<u64>,
    /// Its task group.
    pub group: GroupId,
}

/// What a run consists of, as far as fairness goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Number of CPUs.
    pub cpus: u16,
    /// The slice of a task that asks for none.
    pub slice: Nanos,
    /// Does every nice value stay what it was declared? Else nobody is judged: no event tells of a new one.
    pub constant: bool,
    /// By template.
    pub of: Vec<Claim>,
}

/// The window in which a task is furthest from its ideal share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Whose.
    pub task: TaskId,
    /// Where it was at the end.
    pub cpu: CpuId,
    /// When it began.
    pub from: Instant,
    /// When it ended.
    pub to: Instant,
    /// The CPU time that the task had.
    pub received: Nanos,
    /// The CPU time that its weight gives it.
    pub ideal: Nanos,
}

impl Deviation {
    /// How much more than its ideal share the task had, ns; less than nothing: how much less.
    pub const fn ahead(&self) -> i64 {
        self.received.0.wrapping_sub(self.ideal.0).cast_signed()
    }
}

/// How fair a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The slice of a task that asks for none.
    pub slice: Nanos,
    /// The length of a window.
    pub window: Nanos,
    /// Was anybody judged ([`Claims::constant`])?
    pub judged: bool,
    /// In how many of them, of all tasks together, a task could run all the time.
    pub windows: u64,
    /// The first of those with the largest deviation; none = there is no window.
    pub worst: Option<Deviation>,
}

/// CPU time up to a multiple of the slice, ns.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    received: u64,
    ideal: u64,
}

#[derive(Clone, Debug, Default)]
struct Member {
    /// 0: it is not judged.
    weight: u64,
    group: usize,
    /// The queue that it can run in.
    queue: Option<usize>,
    received: u64,
    /// What it was owed before it came to that queue.
    ideal: u128,
    /// What that queue owed to a weight of one then.
    since: u128,
    /// Since it can run; the last 100 are kept, in a ring.
    samples: Vec<Sample>,
    taken: u64,
}

impl Member {
    /// Now, and one window ago if it could run since then.
    fn sample(&mut self, owed: u128) -> Option<(Sample, Sample)> {
        let ideal = self.ideal + u128::from(self.weight) * (owed - self.since);
        let now = Sample {
            received: self.received,
            ideal: ((ideal + HALF) >> PLACES) as u64,
        };
        let at = (self.taken % SLICES) as usize;
        self.taken += 1;
        match self.samples.get_mut(at) {
            None => {
                self.samples.push(now);
                None
            }
            Some(old) => {
                let before = core::mem::replace(old, now);
                Some((before, now)).filter(|_| self.taken > SLICES)
            }
        }
    }
}

/// The fair tasks of one group on one CPU.
#[derive(Clone, Debug, Default)]
struct Queue {
    members: Vec<TaskId>,
    weight: u64,
    /// Who of them is on the CPU.
    running: Option<TaskId>,
    /// What a weight of one has been owed so far, 2⁻⁴⁰ ns.
    owed: u128,
    /// Counted up to then, ns.
    last: u64,
    /// The next multiple of the slice, while anybody is there, ns.
    next: u64,
}

impl Queue {
    /// Nobody comes or goes up to `to`. Who was on the CPU, and for how long.
    #[inline]
    fn share_out(&mut self, to: u64) -> Option<(TaskId, u64)> {
        let passed = to - self.last;
        self.last = to;
        let running = self.running?;
        // As a rule it fits into 64 bits, which are divided faster.
        self.owed += if passed >> (u64::BITS - PLACES) == 0 {
            u128::from((passed << PLACES) / self.weight)
        } else {
            (u128::from(passed) << PLACES) / u128::from(self.weight)
        };
        Some((running, passed))
    }
}

/// Watches how CPU time is shared out.
#[derive(Clone, Debug)]
pub struct Fairness {
    claims: Claims,
    groups: usize,
    queues: Vec<Queue>,
    tasks: Vec<Member>,
    windows: u64,
    worst: Option<Deviation>,
}

impl Fairness {
    /// Nothing has run.
    pub fn new(claims: Claims) -> Fairness {
        let last = claims.of.iter().map(|claim| claim.group.0).max();
        let groups = last.map_or(0, |last| last as usize + 1);
        Fairness {
            queues: vec![Queue::default(); groups * usize::from(claims.cpus)],
            groups,
            tasks: Vec::new(),
            windows: 0,
            worst: None,
            claims,
        }
    }

    /// How fair it was up to `now`.
    pub fn verdict(&mut self, now: Instant) -> Verdict {
        for queue in 0..self.queues.len() {
            self.advance(queue, now);
        }
        Verdict {
            slice: self.claims.slice,
            window: Nanos(self.window()),
            judged: self.claims.constant,
            windows: self.windows,
            worst: self.worst,
        }
    }

    const fn window(&self) -> u64 {
        self.claims.slice.0.saturating_mul(SLICES)
    }

    /// Counts the time of a queue up to `now`, and looks at its tasks at each multiple of the slice.
    fn advance(&mut self, at: usize, Instant(now): Instant) {
        let queue = &self.queues[at];
        if queue.last == now {
            return;
        }
        if queue.members.is_empty() {
            self.queues[at].last = now;
            return;
        }
        while self.queues[at].next <= now {
            let next = self.queues[at].next;
            self.count(at, next);
            self.look(at, next);
            self.queues[at].next += self.claims.slice.0;
        }
        self.count(at, now);
    }

    #[inline]
    fn count(&mut self, at: usize, to: u64) {
        if let Some((task, ran)) = self.queues[at].share_out(to) {
            self.tasks[task.index()].received += ran;
        }
    }

    fn look(&mut self, at: usize, now: u64) {
        let window = self.window();
        let queue = &self.queues[at];
        for task in &queue.members {
            let Some((before, after)) = self.tasks[task.index()].sample(queue.owed) else {
                continue;
            };
            self.windows += 1;
            let deviation = Deviation {
                task: *task,
                cpu: CpuId((at / self.groups) as u16),
                from: Instant(now - window),
                to: Instant(now),
                received: Nanos(after.received - before.received),
                ideal: Nanos(after.ideal - before.ideal),
            };
            let worst = self.worst.map(|worst| worst.ahead().unsigned_abs());
            if worst.is_none_or(|worst| deviation.ahead().unsigned_abs() > worst) {
                self.worst = Some(deviation);
            }
        }
    }

    fn appears(&mut self, task: TaskId, template: usize) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize_with(task.index() + 1, Member::default);
        }
        let claim = self.claims.of[template];
        let member = &mut self.tasks[task.index()];
        member.weight = claim.weight.filter(|_| self.claims.constant).unwrap_or(0);
        member.group = claim.group.0 as usize;
    }

    /// A task can run on `cpu`, if it does not already.
    fn comes(&mut self, now: Instant, task: TaskId, cpu: CpuId) {
        let member = &self.tasks[task.index()];
        if member.weight == 0 || member.queue.is_some() {
            return;
        }
        let at = cpu.index() * self.groups + member.group;
        self.advance(at, now);
        let slice = self.claims.slice.0;
        let (queue, member) = (&mut self.queues[at], &mut self.tasks[task.index()]);
        if queue.members.is_empty() {
            queue.next = (now.0 / slice + 1) * slice;
        }
        queue.members.push(task);
        queue.weight += member.weight;
        member.since = queue.owed;
        member.queue = Some(at);
        // One that is moved has been looked at as it went.
        if member.taken == 0 && now.0 + slice == queue.next {
            member.sample(queue.owed);
        }
    }

    /// A task can no longer run where it could.
    fn goes(&mut self, now: Instant, task: TaskId) {
        let Some(at) = self.tasks[task.index()].queue else {
            return;
        };
        self.advance(at, now);
        let (queue, member) = (&mut self.queues[at], &mut self.tasks[task.index()]);
        if let Some(place) = queue.members.iter().position(|other| *other == task) {
            queue.members.swap_remove(place);
        }
        queue.weight -= member.weight;
        queue.running = queue.running.filter(|running| *running != task);
        member.ideal += u128::from(member.weight) * (queue.owed - member.since);
        member.queue = None;
    }

    fn switch(
        &mut self,
        now: Instant,
        (prev, state): (Option<TaskId>, PrevState),
        next: Option<TaskId>,
    ) {
        if let Some(prev) = prev {
            if let Some(at) = self.tasks[prev.index()].queue {
                self.advance(at, now);
                self.queues[at].running = None;
            }
            if state.voluntary() {
                self.goes(now, prev);
                let member = &mut self.tasks[prev.index()];
                member.taken = 0;
                if state == PrevState::Exited {
                    member.samples = Vec::new();
                }
            }
        }
        if let Some(next) = next
            && let Some(at) = self.tasks[next.index()].queue
        {
            self.advance(at, now);
            self.queues[at].running = Some(next);
        }
    }
}

impl Observer for Fairness {
    fn record(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::Switch {
                prev, state, next, ..
            } => self.switch(now, (prev, state), next),
            Event::Wakeup {
                task, placement, ..
            } => self.comes(now, task, placement.cpu),
            Event::Fork {
                child,
                template,
                placement,
                ..
            } => {
                self.appears(child, template.0 as usize);
                self.comes(now, child, placement.cpu);
            }
            // A task that wakes, or is new, moves first.
            Event::Migrate { task, to, .. } => {
                let member = self.tasks.get(task.index());
                if member.is_some_and(|member| member.queue.is_some()) {
                    self.goes(now, task);
                    self.comes(now, task, to);
                }
            }
            Event::Exit { .. }
            | Event::Tick { .. }
            | Event::Balance { .. }
            | Event::Throttle { .. }
            | Event::Affinity { .. }
            | Event::Message { .. }
            | Event::Mark { .. } => {}
        }
    }
}
