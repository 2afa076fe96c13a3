//! Falling asleep: on a channel, a queue, a barrier, a timer; and the lists that sleepers are linked in.

use super::Sim;
use super::thread::{Life, Phase};
use crate::machine::CpuId;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use crate::workload::ipc::{BarrierId, ChannelId, ChannelKind, QueueId, QueueKind, WaitList};
use crate::workload::program::{Op, TimerMode};

impl Sim {
    /// The task stops being runnable; schedule() takes it off its queue.
    pub(super) fn fall_asleep(&mut self, task: TaskId) {
        self.thread(task).life = Life::Asleep;
        self.runnable -= 1;
    }

    /// Waits for something to read.
    pub(super) fn sleep_on_readers(&mut self, task: TaskId, channel: ChannelId) {
        let mut list = self.channels[channel.0 as usize].readers;
        self.queue_up(&mut list, task, channel);
        self.channels[channel.0 as usize].readers = list;
        self.fall_asleep(task);
    }

    /// Waits for room to write. A pipe has one list for all.
    pub(super) fn sleep_on_writers(&mut self, task: TaskId, channel: ChannelId) {
        if self.channels[channel.0 as usize].kind == ChannelKind::Pipe {
            return self.sleep_on_readers(task, channel);
        }
        let mut list = self.channels[channel.0 as usize].writers;
        self.queue_up(&mut list, task, channel);
        self.channels[channel.0 as usize].writers = list;
        self.fall_asleep(task);
    }

    /// Links a sleeper in to be woken first, or last where waits are exclusive; there it remembers that it slept.
    fn queue_up(&mut self, list: &mut WaitList, task: TaskId, channel: ChannelId) {
        if self.channels[channel.0 as usize].kind == ChannelKind::ExclusivePipe {
            self.push_back(list, task);
            self.thread(task).phase = Phase::Waited;
        } else {
            self.push_front(list, task);
        }
    }

    /// Waits on a condition queue: a futex queue is first come, first served; a poller goes to the head of the
    /// pipe's list, as every waiter that is not exclusive.
    pub(super) fn sleep_on_queue(&mut self, task: TaskId, queue: QueueId) {
        let at = queue.0 as usize;
        let mut list = self.queues[at].sleepers;
        match self.queues[at].kind {
            QueueKind::Poll => self.push_front(&mut list, task),
            QueueKind::Condition | QueueKind::Semaphore => self.push_back(&mut list, task),
        }
        self.queues[at].sleepers = list;
        self.thread(task).phase = Phase::Waited;
        self.fall_asleep(task);
    }

    /// Waits for the others at a barrier.
    pub(super) fn sleep_at_barrier(&mut self, task: TaskId, barrier: BarrierId) {
        let mut list = self.barriers[barrier.0 as usize].sleepers;
        self.push_back(&mut list, task);
        self.barriers[barrier.0 as usize].sleepers = list;
        self.thread(task).phase = Phase::Waited;
        self.fall_asleep(task);
    }

    /// Sleeps until `at`, when the timer of `cpu` fires; late by its timer slack.
    pub(super) fn sleep_until(&mut self, cpu: CpuId, task: TaskId, at: Instant) {
        let thread = self.thread(task);
        thread.phase = Phase::Waited;
        let late = at + Nanos(thread.slack);
        self.queue.add_timer(late, cpu, task.0);
        self.fall_asleep(task);
    }

    /// When the task that starts `op` is to be woken, timer slack aside; none = it does not sleep.
    pub(super) fn wake_time(&mut self, task: TaskId, op: Op) -> Option<Instant> {
        let now = Instant(self.now);
        let at = match op {
            Op::Sleep(span) => now + self.span(task, span),
            Op::SleepUntil(at) => at,
            Op::Timer(period, mode) => self.next_period(task, period.0.max(1), mode),
            _ => now,
        };
        self.thread(task).expiry = at.0;
        (at > now).then_some(at)
    }

    /// Begins the next period of the task; the first one now.
    fn next_period(&mut self, task: TaskId, period: u64, mode: TimerMode) -> Instant {
        let now = self.now;
        if mode == TimerMode::Aligned {
            return Instant((now / period + 1).saturating_mul(period));
        }
        let thread = self.thread(task);
        let next = thread
            .period
            .map_or(now, |began| began.saturating_add(period));
        let next = if thread.period.is_none() {
            now.saturating_add(period)
        } else if next >= now {
            next
        } else {
            match mode {
                TimerMode::Absolute => next,
                TimerMode::Relative => now,
                TimerMode::Skip | TimerMode::Aligned => {
                    next + (now - next).div_ceil(period) * period
                }
            }
        };
        thread.period = Some(next);
        Instant(next)
    }

    /// Links a sleeper in to be woken first (`prepare_to_wait`, which puts it at the head).
    pub(super) fn push_front(&mut self, list: &mut WaitList, task: TaskId) {
        self.thread(task).next = list.head;
        list.head = Some(task);
        if list.tail.is_none() {
            list.tail = Some(task);
        }
    }

    /// Links a sleeper in to be woken last (`prepare_to_wait_exclusive`, futexes).
    pub(super) fn push_back(&mut self, list: &mut WaitList, task: TaskId) {
        self.thread(task).next = None;
        match list.tail {
            Some(tail) => self.thread(tail).next = Some(task),
            None => list.head = Some(task),
        }
        list.tail = Some(task);
    }

    /// Takes out the sleeper to be woken first.
    pub(super) fn pop_front(&mut self, list: &mut WaitList) -> Option<TaskId> {
        let task = list.head?;
        list.head = self.thread(task).next.take();
        if list.head.is_none() {
            list.tail = None;
        }
        Some(task)
    }
}
