//! Ending operations: what an operation does once its time has passed.

use super::Sim;
use super::run::Then;
use super::schedule::Leaving;
use super::start::{path_of, queue_is_sync};
use super::thread::Phase;
use super::wake::{Wake, WakePath};
use crate::machine::CpuId;
use crate::machine::cost::PathKind;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer};
use crate::sched::decision::MigrateWhy;
use crate::sched::rq::GroupId;
use crate::sched::wakeup::SelectKind;
use crate::sched::weight::task_weight;
use crate::task::{Nice, Policy, TaskId};
use crate::time::Instant;
use crate::workload::ipc::{BarrierId, ChannelId, ChannelKind, QueueId, QueueKind, WaitList};
use crate::workload::program::{Op, TemplateId};

impl Sim {
    /// The operation of `task`, on `cpu`, has taken its time.
    #[inline]
    pub(super) fn finish_op(&mut self, cpu: CpuId, task: TaskId, obs: &mut impl Observer) -> Then {
        let op = self.stage.world.ops[self.threads[task.index()].pc as usize];
        match op {
            Op::Send(channel, bytes) => self.send(cpu, task, (channel, bytes), obs),
            Op::Recv(channel, bytes) => self.recv(cpu, task, (channel, bytes), obs),
            _ => self.carry_out(cpu, task, op, obs),
        }
    }

    fn carry_out(&mut self, cpu: CpuId, task: TaskId, op: Op, obs: &mut impl Observer) -> Then {
        match op {
            Op::Wait(_) | Op::Barrier(_) => self.pass(cpu, task, op, obs),
            Op::Wake(queue, count) => self.wake_some(cpu, queue, count, obs),
            Op::WakeAll(queue) => self.wake_all(cpu, queue, obs),
            Op::Fork(template) => self.fork(cpu, task, template, obs),
            Op::ForkWait(template) => {
                self.fork_and_wait(cpu, task, template, obs);
                return Then::Between;
            }
            Op::Exec(_) => return self.exec(cpu, task, obs),
            Op::Exit => {
                self.exit(cpu, task, obs);
                return Then::Schedule(Leaving::Exits);
            }
            Op::Yield => {
                self.thread(task).pc += 1;
                return Then::Schedule(Leaving::Yields);
            }
            Op::SetNice(nice) => self.set_nice(cpu, task, nice),
            Op::SetCpus(mask) => return self.set_cpus(cpu, task, mask, obs),
            Op::SetCpuset(group, mask) => return self.set_cpuset(cpu, task, (group, mask), obs),
            Op::SetAutogroupNice(nice) => self.set_autogroup_nice(cpu, task, nice),
            Op::Lock(lock) => return self.end_lock(cpu, task, lock, obs),
            Op::Unlock(lock) => self.end_unlock(cpu, task, lock, obs),
            Op::LockHere(..) => {
                let chosen = self.thread(task).here;
                return chosen.map_or(Then::Between, |lock| self.end_lock(cpu, task, lock, obs));
            }
            Op::UnlockHere => {
                if let Some(lock) = self.thread(task).here.take() {
                    self.end_unlock(cpu, task, lock, obs);
                }
            }
            _ => {}
        }
        self.thread(task).pc += 1;
        Then::Between
    }

    /// The end of `send`: the message goes, and sleepers are woken.
    #[inline]
    fn send(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        (to, bytes): (ChannelId, u32),
        obs: &mut impl Observer,
    ) -> Then {
        let channel = &mut self.channels[to.0 as usize];
        // Another writer may have been faster.
        if !channel.has_room(bytes) {
            self.sleep_on_writers(task, to);
            return Then::Schedule(Leaving::Sleeps);
        }
        let was_empty = channel.is_empty();
        channel.put(bytes, cpu);
        if channel.kind == ChannelKind::ExclusivePipe {
            self.threads[task.index()].pc += 1;
            self.wake_after_write(cpu, task, (to, was_empty), obs);
            return Then::Between;
        }
        let sleepers = core::mem::take(&mut channel.readers);
        let process = path_of(channel.kind) != PathKind::Tcp;
        self.threads[task.index()].pc += 1;
        self.wake_list(cpu, sleepers, (true, process), obs);
        Then::Between
    }

    /// The end of `recv`: what is there is taken, and writers are woken if the channel says so.
    #[inline]
    fn recv(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        (from, bytes): (ChannelId, u32),
        obs: &mut impl Observer,
    ) -> Then {
        let channel = &mut self.channels[from.0 as usize];
        // Another reader may have been faster.
        if channel.is_empty() {
            self.sleep_on_readers(task, from);
            return Then::Schedule(Leaving::Sleeps);
        }
        let was_full = channel.is_full();
        let thread = &mut self.threads[task.index()];
        let (got, room) = channel.take(bytes - thread.got);
        thread.got += got;
        let whole = thread.got == bytes;
        if whole {
            thread.got = 0;
            thread.pc += 1;
        }
        let exclusive = channel.kind == ChannelKind::ExclusivePipe;
        let sleepers = match (room && !exclusive, path_of(channel.kind)) {
            (false, _) => WaitList::default(),
            (true, PathKind::Pipe) => core::mem::take(&mut channel.readers),
            (true, _) => core::mem::take(&mut channel.writers),
        };
        // sk_stream_write_space does not promise to sleep; the others do.
        let sync = path_of(channel.kind) != PathKind::Tcp;
        if whole && channel.counted {
            let event = Event::Message {
                channel: from,
                task,
                bytes,
            };
            obs.record(Instant(self.now), &event);
        }
        if exclusive {
            self.wake_after_read(cpu, task, (from, was_full), obs);
        } else {
            self.wake_list(cpu, sleepers, (sync, true), obs);
        }
        Then::Between
    }

    /// Something was written to a pipe with exclusive waits: a reader is woken if it was empty, and the next writer if
    /// this one had slept and there is room (`pipe_write` since 5.5).
    fn wake_after_write(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        (to, was_empty): (ChannelId, bool),
        obs: &mut impl Observer,
    ) {
        let slept = core::mem::replace(&mut self.threads[task.index()].phase, Phase::Fresh);
        let goes_on = slept == Phase::Waited && !self.channels[to.0 as usize].is_full();
        self.wake_one_of_each(cpu, to, (was_empty, goes_on), obs);
    }

    /// Something was read from one: a writer is woken if it was full, though no page may have become free, and the next
    /// reader if this one had slept and something is left (`pipe_read` since 5.5).
    fn wake_after_read(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        (from, was_full): (ChannelId, bool),
        obs: &mut impl Observer,
    ) {
        let slept = core::mem::replace(&mut self.threads[task.index()].phase, Phase::Fresh);
        let goes_on = slept == Phase::Waited && !self.channels[from.0 as usize].is_empty();
        self.wake_one_of_each(cpu, from, (goes_on, was_full), obs);
    }

    fn wake_one_of_each(
        &mut self,
        cpu: CpuId,
        channel: ChannelId,
        (reader, writer): (bool, bool),
        obs: &mut impl Observer,
    ) {
        let at = channel.0 as usize;
        let mut chosen = WaitList::default();
        let (mut readers, mut writers) = (self.channels[at].readers, self.channels[at].writers);
        let first = if reader {
            self.pop_front(&mut readers)
        } else {
            None
        };
        let second = if writer {
            self.pop_front(&mut writers)
        } else {
            None
        };
        for woken in [first, second].into_iter().flatten() {
            self.push_back(&mut chosen, woken);
        }
        (self.channels[at].readers, self.channels[at].writers) = (readers, writers);
        self.wake_list(cpu, chosen, (true, true), obs);
    }

    /// The way back from having waited; the last at a barrier lets the others go.
    fn pass(&mut self, cpu: CpuId, task: TaskId, op: Op, obs: &mut impl Observer) {
        let last = self.thread(task).phase == Phase::Last;
        self.thread(task).phase = Phase::Fresh;
        if let (true, Op::Barrier(BarrierId(barrier))) = (last, op) {
            let sleepers = core::mem::take(&mut self.barriers[barrier as usize].sleepers);
            self.wake_list(cpu, sleepers, (false, true), obs);
        }
    }

    fn wake_some(&mut self, cpu: CpuId, queue: QueueId, count: u32, obs: &mut impl Observer) {
        let at = queue.0 as usize;
        let mut list = self.queues[at].sleepers;
        let mut chosen = WaitList::default();
        let mut left = count;
        while left > 0 {
            let Some(task) = self.pop_front(&mut list) else {
                break;
            };
            self.push_back(&mut chosen, task);
            left -= 1;
        }
        self.queues[at].sleepers = list;
        if self.queues[at].kind == QueueKind::Semaphore {
            self.queues[at].kept = self.queues[at].kept.saturating_add(left);
        }
        let sync = queue_is_sync(self.queues[at].kind);
        self.queues[at].open |= sync;
        self.wake_list(cpu, chosen, (sync, true), obs);
    }

    fn wake_all(&mut self, cpu: CpuId, queue: QueueId, obs: &mut impl Observer) {
        let queue = &mut self.queues[queue.0 as usize];
        let sleepers = core::mem::take(&mut queue.sleepers);
        let sync = queue_is_sync(queue.kind);
        queue.open |= sync;
        self.wake_list(cpu, sleepers, (sync, true), obs);
    }

    /// `execve`: the kernel selects a CPU anew, while the task has little to lose (`sched_exec`).
    fn exec(&mut self, cpu: CpuId, task: TaskId, obs: &mut impl Observer) -> Then {
        self.thread(task).pc += 1;
        self.settle(cpu);
        if let Some(book) = obs.notebook() {
            book.selection(&self.sched, task, cpu, (SelectKind::Exec, false));
        }
        let placement = self
            .sched
            .select_task_rq(task, cpu, SelectKind::Exec, false);
        let price = self.stage.costs.select(cpu, placement.visited);
        self.charge(cpu, Account::Selection, price);
        if placement.cpu == cpu {
            return Then::Between;
        }
        Then::Schedule(Leaving::Moves(placement.cpu, MigrateWhy::Exec))
    }

    fn fork_and_wait(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        template: TemplateId,
        obs: &mut impl Observer,
    ) {
        self.fork(cpu, task, template, obs);
        let child = TaskId(self.threads.len() as u32 - 1);
        let thread = self.thread(task);
        thread.phase = Phase::Waited;
        thread.last_child = Some(child);
    }

    fn set_nice(&mut self, cpu: CpuId, task: TaskId, nice: Nice) {
        self.sched.update_rq_clock(cpu, Instant(self.now));
        self.sched.set_nice(task, nice);
        if self.sched.rq[cpu.index()].need_resched {
            self.cpu(cpu).forced.get_or_insert(Cause::Nice);
        }
    }

    /// The group of the task's session gets the weight of a nice value; without such a group the kernel refuses
    /// (`proc_sched_autogroup_set_nice`).
    fn set_autogroup_nice(&mut self, cpu: CpuId, task: TaskId, nice: Nice) {
        let world = &self.stage.world;
        let session = world.templates[self.threads[task.index()].template.0 as usize].session;
        let at = usize::from(session).checked_sub(1);
        let group = at.and_then(|at| world.session_groups.get(at).copied());
        if let Some(group) = group.filter(|group| *group > 0) {
            let shares = task_weight(Policy::Normal, nice).weight;
            self.settle(cpu);
            let (group, now) = (GroupId(group.into()), Instant(self.now));
            self.sched.set_group_shares(group, shares, now);
        }
    }

    /// Tells that `task` ends, and its parent, if that waits for it.
    pub(super) fn exit(&mut self, cpu: CpuId, task: TaskId, obs: &mut impl Observer) {
        self.tell_counted(obs, &Event::Exit { task, cpu });
        self.bury(task);
        let Some(parent) = self.thread(task).parent else {
            return;
        };
        let thread = self.thread(parent);
        thread.children -= 1;
        if thread.last_child == Some(task) {
            thread.last_child = None;
        }
        if core::mem::take(&mut thread.joining) {
            // __wake_up_parent: a sync wakeup.
            let wake = Wake {
                task: parent,
                waker: Some(task),
                this: cpu,
                process: true,
                sync: true,
                path: WakePath::First,
            };
            self.wake(wake, obs);
        }
    }
}
