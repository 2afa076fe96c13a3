//! Starting operations: what an operation takes, or that it cannot go on yet.

use super::cpu::Activity;
use super::run::Then;
use super::schedule::Leaving;
use super::thread::Phase;
use super::{Sim, Stop};
use crate::machine::CpuId;
use crate::machine::cost::PathKind;
use crate::observe::{Account, Event, Observer};
use crate::rng::Stream;
use crate::task::TaskId;
use crate::time::Nanos;
use crate::workload::ipc::{BarrierId, ChannelId, ChannelKind, LockId, QueueId, QueueKind};
use crate::workload::program::{MarkId, Op, Since, Span};
use crate::workload::sample::sample;

/// Operations in a row that take no time after which a program counts as stuck.
const OPS_AT_ONCE: u32 = 1_000_000;

/// What became of the attempt to start an operation.
enum Started {
    /// It took no time; the next one is due.
    Instantly,
    /// It takes time now.
    Busy,
    /// It cannot go on yet: the task sleeps.
    Blocked,
    /// What it changes or tests is seen by others, so it has to wait until the costs so far are paid.
    TooEarly,
}

/// A task on a CPU, about to start an operation.
#[derive(Clone, Copy)]
struct Starter {
    cpu: CpuId,
    task: TaskId,
    /// Are costs still to be paid?
    early: bool,
}

impl Sim {
    /// Starts the next operation of the task on `cpu`. Operations that take no time are carried out on the way.
    #[inline]
    pub(super) fn start_ops(&mut self, cpu: CpuId, obs: &mut impl Observer) -> Then {
        let this = &self.cpus[cpu.index()];
        let early = this.begin > self.now;
        let Some(task) = this.curr else {
            return Then::Nothing;
        };
        let starter = Starter { cpu, task, early };
        for _ in 0..OPS_AT_ONCE {
            let op = self.stage.world.ops[self.threads[task.index()].pc as usize];
            let started = match op {
                Op::Send(channel, bytes) => self.start_send(starter, channel, bytes),
                Op::Recv(channel, bytes) => self.start_recv(starter, channel, bytes),
                Op::End(start) => self.end_of_loop(task, start),
                _ => self.start_op(starter, op, obs),
            };
            match started {
                Started::Instantly => {}
                Started::Busy => return Then::Nothing,
                Started::TooEarly => return self.wait_for_begin(cpu),
                Started::Blocked => return Then::Schedule(Leaving::Sleeps),
            }
        }
        self.stop = Some(Stop::Stuck(Some(task)));
        Then::Nothing
    }

    fn start_op(&mut self, starter: Starter, op: Op, obs: &mut impl Observer) -> Started {
        let Starter { cpu, task, early } = starter;
        match op {
            Op::Run(span) => {
                let span = self.span(task, span);
                self.busy_run(cpu, span)
            }
            Op::Sys(span) | Op::Exec(span) => {
                let span = self.span(task, span);
                let work = self.stage.costs.work(cpu, span);
                self.busy_paced(cpu, work.0 * u64::from(self.pace))
            }
            Op::Lock(lock) => {
                self.begin_lock(cpu, lock);
                Started::Busy
            }
            Op::Unlock(lock) => {
                self.begin_unlock(cpu, lock);
                Started::Busy
            }
            Op::LockHere(first, count) => {
                let number = u32::from(cpu.0) % count;
                let here = self
                    .thread(task)
                    .here
                    .get_or_insert(LockId(first.0 + number));
                let lock = *here;
                self.begin_lock(cpu, lock);
                Started::Busy
            }
            Op::UnlockHere => {
                match self.thread(task).here {
                    Some(lock) => self.begin_unlock(cpu, lock),
                    None => self.busy_user(cpu, Account::Work, self.stage.costs.lock.fast),
                }
                Started::Busy
            }
            Op::Wait(queue) => self.start_wait(starter, queue),
            Op::Wake(..) | Op::WakeAll(_) => self.busy_futex_send(cpu),
            Op::Fork(_) => self.busy_kernel(cpu, u64::from(self.stage.costs.direct.fork)),
            Op::Exit => self.busy_kernel(cpu, u64::from(self.stage.costs.direct.exit)),
            Op::Yield
            | Op::SetNice(_)
            | Op::SetCpus(_)
            | Op::SetCpuset(..)
            | Op::SetAutogroupNice(_) => {
                self.busy_kernel(cpu, u64::from(self.stage.costs.direct.syscall))
            }
            Op::Loop(_) | Op::Choose(..) | Op::Jump(_) => self.control(task, op),
            _ if early => Started::TooEarly,
            Op::Sleep(_) | Op::SleepUntil(_) | Op::Timer(..) => self.start_sleep(cpu, task, op),
            Op::ForkWait(_) | Op::Join => self.start_join(cpu, task, op),
            Op::Barrier(barrier) => self.start_barrier(cpu, task, barrier),
            Op::Mark(mark) => self.pass_mark(task, (mark, None), obs),
            Op::Measure(mark, since) => {
                let took = self.measured(task, since);
                self.pass_mark(task, (mark, took), obs)
            }
            Op::Send(..) | Op::Recv(..) | Op::End(_) => unreachable!("start_ops starts these"),
        }
    }

    /// How long it is since then; none if that has not been yet.
    fn measured(&mut self, task: TaskId, since: Since) -> Option<Nanos> {
        let thread = &self.threads[task.index()];
        let from = match since {
            Since::Expiry => thread.expiry,
            Since::Wake => thread.woken_at,
            Since::Mark(mark) => thread.stamps.iter().find(|(of, _)| *of == mark)?.1,
        };
        Some(Nanos(self.now - from))
    }

    fn pass_mark(
        &mut self,
        task: TaskId,
        (mark, took): (MarkId, Option<Nanos>),
        obs: &mut impl Observer,
    ) -> Started {
        self.tell(obs, &Event::Mark { mark, task, took });
        if self.stage.world.remembered[usize::from(mark.0)] {
            let now = self.now;
            let stamps = &mut self.threads[task.index()].stamps;
            match stamps.iter_mut().find(|(of, _)| *of == mark) {
                Some((_, at)) => *at = now,
                None => stamps.push((mark, now)),
            }
        }
        self.done(task)
    }

    /// The operation is over without having taken time.
    fn done(&mut self, task: TaskId) -> Started {
        self.thread(task).pc += 1;
        Started::Instantly
    }

    fn busy_run(&mut self, cpu: CpuId, span: Nanos) -> Started {
        let work = self.stage.costs.work(cpu, span);
        self.cpu(cpu)
            .start(Activity::Run, Account::Work, (0, work.0));
        self.arm(cpu);
        Started::Busy
    }

    fn busy_kernel(&mut self, cpu: CpuId, work: u64) -> Started {
        let work = self.path_on(cpu, work);
        self.busy_paced(cpu, work)
    }

    /// Works in the kernel for as long as that takes here and now.
    fn busy_paced(&mut self, cpu: CpuId, work: u64) -> Started {
        self.cpu(cpu)
            .start(Activity::Kernel, Account::Kernel, (0, work));
        self.arm(cpu);
        Started::Busy
    }

    /// A path through the kernel to a channel: until that is free, then waiting for lines, and work.
    #[inline]
    fn busy_channel(
        &mut self,
        cpu: CpuId,
        channel: ChannelId,
        (wire, work): (u32, u32),
    ) -> Started {
        let path = (u64::from(wire), self.path_on(cpu, u64::from(work)));
        let mut activity = Activity::Kernel;
        if self.channels[channel.0 as usize].kind == ChannelKind::ExclusivePipe {
            self.spin_for(cpu, channel, path.0 + path.1);
            activity = Activity::Locked;
        }
        self.cpu(cpu).start(activity, Account::Kernel, path);
        self.arm(cpu);
        Started::Busy
    }

    /// Takes the mutex of a pipe for `ns`, once it is free.
    #[inline(never)]
    fn spin_for(&mut self, cpu: CpuId, channel: ChannelId, ns: u64) {
        let now = self.now.max(self.cpus[cpu.index()].begin);
        let spin = self.channels[channel.0 as usize].hold(now, ns);
        if spin > 0 {
            self.occupy(cpu, Account::Spin, spin as u32);
        }
    }

    fn busy_futex_send(&mut self, cpu: CpuId) -> Started {
        let work = self.stage.costs.send(PathKind::Futex, 0);
        self.busy_kernel(cpu, u64::from(work))
    }

    fn busy_futex_recv(&mut self, cpu: CpuId) -> Started {
        let work = self.stage.costs.recv(PathKind::Futex, 0);
        self.busy_kernel(cpu, u64::from(work))
    }

    /// Does something short in the kernel.
    pub(super) fn busy_system(&mut self, cpu: CpuId, work: u32) {
        let work = self.path_on(cpu, u64::from(work));
        self.cpu(cpu)
            .start(Activity::Kernel, Account::Kernel, (0, work));
        self.arm(cpu);
    }

    /// Spins, or does something as short, in user mode.
    pub(super) fn busy_user(&mut self, cpu: CpuId, account: Account, work: u32) {
        let work = self.stage.costs.path_on(cpu, u64::from(work));
        self.cpu(cpu).start(Activity::Run, account, (0, work));
        self.arm(cpu);
    }

    #[inline]
    fn start_send(&mut self, starter: Starter, to: ChannelId, bytes: u32) -> Started {
        let channel = &self.channels[to.0 as usize];
        if channel.has_room(bytes) {
            let work = self.stage.costs.send(path_of(channel.kind), bytes);
            return self.busy_channel(starter.cpu, to, (0, work));
        }
        if starter.early {
            return Started::TooEarly;
        }
        self.sleep_on_writers(starter.task, to);
        Started::Blocked
    }

    #[inline]
    fn start_recv(&mut self, starter: Starter, from: ChannelId, bytes: u32) -> Started {
        let channel = &self.channels[from.0 as usize];
        if let Some(writer) = channel.writer() {
            let bytes = bytes.min(channel.bytes());
            let distance = self.stage.topology.distance(writer, starter.cpu);
            let (costs, kind) = (&self.stage.costs, path_of(channel.kind));
            let path = (costs.carry(kind, bytes, distance), costs.recv(kind, bytes));
            return self.busy_channel(starter.cpu, from, path);
        }
        if starter.early {
            return Started::TooEarly;
        }
        self.sleep_on_readers(starter.task, from);
        Started::Blocked
    }

    fn start_wait(&mut self, starter: Starter, queue: QueueId) -> Started {
        let open = self.queues[queue.0 as usize].open;
        if open || self.thread(starter.task).phase == Phase::Waited {
            self.thread(starter.task).phase = Phase::Waited;
            return self.busy_futex_recv(starter.cpu);
        }
        if starter.early {
            return Started::TooEarly;
        }
        if self.queues[queue.0 as usize].kept > 0 {
            self.queues[queue.0 as usize].kept -= 1;
            let now = self.now;
            let thread = self.thread(starter.task);
            (thread.phase, thread.woken_at) = (Phase::Waited, now);
            return self.busy_futex_recv(starter.cpu);
        }
        self.sleep_on_queue(starter.task, queue);
        Started::Blocked
    }

    fn start_barrier(&mut self, cpu: CpuId, task: TaskId, barrier: BarrierId) -> Started {
        if self.thread(task).phase == Phase::Waited {
            return self.busy_futex_recv(cpu);
        }
        let parties = self.stage.world.barriers[barrier.0 as usize];
        let arrived = &mut self.barriers[barrier.0 as usize].arrived;
        *arrived += 1;
        if *arrived >= parties {
            *arrived = 0;
            self.thread(task).phase = Phase::Last;
            return self.busy_futex_send(cpu);
        }
        self.sleep_at_barrier(task, barrier);
        Started::Blocked
    }

    fn start_join(&mut self, cpu: CpuId, task: TaskId, op: Op) -> Started {
        let thread = &self.threads[task.index()];
        let all = op == Op::Join;
        if !all && thread.phase == Phase::Fresh {
            return self.busy_kernel(cpu, u64::from(self.stage.costs.direct.fork));
        }
        let waits = if all {
            thread.children > 0
        } else {
            thread.last_child.is_some()
        };
        if waits {
            self.thread(task).joining = true;
            self.fall_asleep(task);
            return Started::Blocked;
        }
        self.thread(task).phase = Phase::Fresh;
        self.done(task)
    }

    fn start_sleep(&mut self, cpu: CpuId, task: TaskId, op: Op) -> Started {
        if self.thread(task).phase == Phase::Waited {
            self.thread(task).phase = Phase::Fresh;
            return self.done(task);
        }
        match self.wake_time(task, op) {
            Some(at) => {
                self.sleep_until(cpu, task, at);
                Started::Blocked
            }
            None => self.done(task),
        }
    }

    fn control(&mut self, task: TaskId, op: Op) -> Started {
        match op {
            Op::Choose(per_mille, otherwise) => {
                let dice = self.draw_below(task, 1000);
                if dice >= u64::from(per_mille) {
                    self.thread(task).pc = otherwise;
                    return Started::Instantly;
                }
            }
            Op::Jump(to) => {
                self.thread(task).pc = to;
                return Started::Instantly;
            }
            Op::Loop(rounds) => {
                let thread = self.thread(task);
                thread.loops[usize::from(thread.depth)] = rounds;
                thread.depth += 1;
            }
            _ => {}
        }
        self.done(task)
    }

    #[inline]
    fn end_of_loop(&mut self, task: TaskId, start: u32) -> Started {
        let thread = &mut self.threads[task.index()];
        let left = &mut thread.loops[usize::from(thread.depth) - 1];
        if *left != Op::FOREVER {
            *left -= 1;
        }
        if *left > 0 {
            thread.pc = start;
        } else {
            thread.depth -= 1;
            thread.pc += 1;
        }
        Started::Instantly
    }

    fn stream(&self, task: TaskId) -> Stream {
        Stream::new(self.stage.seed, task.0)
    }

    /// One of `0..n` from the task's own stream.
    pub(super) fn draw_below(&mut self, task: TaskId, n: u64) -> u64 {
        let stream = self.stream(task);
        let thread = self.thread(task);
        thread.draws += 1;
        stream.below(thread.draws - 1, n)
    }

    /// How long a span of the program is this time.
    pub(super) fn span(&mut self, task: TaskId, span: Span) -> Nanos {
        match span {
            Span::Fixed(ns) => ns,
            Span::Drawn(dist) => {
                let dist = self.stage.world.dists[dist.0 as usize];
                let stream = self.stream(task);
                let (ns, used) = sample(dist, stream, self.thread(task).draws);
                self.thread(task).draws += used;
                ns
            }
        }
    }
}

/// The price list of a kind of channel.
#[inline]
pub(super) fn path_of(kind: ChannelKind) -> PathKind {
    match kind {
        ChannelKind::Unix => PathKind::Unix,
        ChannelKind::Pipe | ChannelKind::ExclusivePipe => PathKind::Pipe,
        ChannelKind::Tcp => PathKind::Tcp,
    }
}

/// Does waking sleepers of that kind of queue carry the sync hint?
pub(super) fn queue_is_sync(kind: QueueKind) -> bool {
    match kind {
        QueueKind::Poll => true,
        QueueKind::Condition | QueueKind::Semaphore => false,
    }
}
