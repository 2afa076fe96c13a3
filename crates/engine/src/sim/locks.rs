//! Locks: who holds one, who spins for it, who sleeps for it (workloads-machines.md §1.1).
//!
//! A futex sleeps at once; an adaptive lock spins first (InnoDB); a spin-sleep lock spins, then sleeps for times that
//! grow, and its release wakes nobody (PostgreSQL, `s_lock.c`); a kernel spinlock spins until it is handed over, and
//! neither holder nor spinner can be preempted.

use super::Sim;
use super::cpu::Activity;
use super::run::Then;
use super::schedule::Leaving;
use super::thread::Phase;
use crate::event_queue::Slot;
use crate::machine::CpuId;
use crate::observe::{Account, Observer};
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use crate::workload::ipc::{LockId, LockKind, WaitList};

/// Rounds that an adaptive lock spins (InnoDB's `innodb_sync_spin_loops`, 30).
const ADAPTIVE_ROUNDS: u16 = 30;

/// Sleeps of a spin-sleep lock: first 1 ms, at most 1 s, 1000 of them before it gives up
/// (`MIN_DELAY_USEC`, `MAX_DELAY_USEC`, `NUM_DELAYS` of `s_lock.c`).
const MIN_DELAY_US: u32 = 1_000;
const MAX_DELAY_US: u32 = 1_000_000;
const MAX_SLEEPS: u16 = 1_000;

/// Tries between sleeps: 100 at first, 10 … 1000 (`DEFAULT_`, `MIN_`, `MAX_SPINS_PER_DELAY` of `s_lock.c`).
pub(super) const DEFAULT_TRIES: u16 = 100;
const TRIES: (u16, u16) = (10, 1_000);

/// A lock.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    kind: LockKind,
    holder: Option<TaskId>,
    /// Sleepers; of a kernel spinlock, spinners.
    waiters: WaitList,
}

impl Lock {
    pub(super) fn new(kind: LockKind) -> Lock {
        Lock {
            kind,
            holder: None,
            waiters: WaitList::default(),
        }
    }
}

impl Sim {
    /// The first try begins.
    pub(super) fn begin_lock(&mut self, cpu: CpuId, lock: LockId) {
        let costs = self.stage.costs.lock;
        match self.locks[lock.0 as usize].kind {
            LockKind::Futex | LockKind::Adaptive => self.busy_user(cpu, Account::Work, costs.fast),
            LockKind::SpinSleep => self.busy_user(cpu, Account::Work, costs.spin_try),
            LockKind::KernelSpin => self.busy_system(cpu, costs.kernel),
        }
    }

    /// A try, a round of spinning, or the way to sleep is over.
    pub(super) fn end_lock(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        id: LockId,
        obs: &mut impl Observer,
    ) -> Then {
        let lock = &mut self.locks[id.0 as usize];
        let kind = lock.kind;
        // Who holds it and takes it again waits for itself, as with every other kind.
        let spun = self.threads[task.index()].phase == Phase::Waited;
        let handed_over = lock.holder == Some(task) && kind == LockKind::KernelSpin && spun;
        if lock.holder.is_none() || handed_over {
            lock.holder = Some(task);
            return self.acquired(task, (kind, handed_over));
        }
        match kind {
            LockKind::Futex => self.lock_by_futex(cpu, task, id),
            LockKind::Adaptive => self.spin_adaptive(cpu, task, id),
            LockKind::SpinSleep => self.spin_then_sleep(cpu, task, obs),
            LockKind::KernelSpin => self.spin_in_kernel(cpu, task, id),
        }
    }

    fn acquired(&mut self, task: TaskId, (kind, handed_over): (LockKind, bool)) -> Then {
        let thread = self.thread(task);
        thread.phase = Phase::Fresh;
        thread.spin.rounds = 0;
        if kind == LockKind::KernelSpin && !handed_over {
            thread.no_preempt += 1;
        }
        if kind == LockKind::SpinSleep {
            // finish_spin_delay: more tries when spinning was enough, one less when it was not.
            let (low, high) = TRIES;
            thread.spin.tries = match thread.spin.sleeps {
                0 => (thread.spin.tries + 100).min(high),
                _ => (thread.spin.tries - 1).max(low),
            };
            (thread.spin.sleeps, thread.spin.delay_us) = (0, 0);
        }
        thread.pc += 1;
        Then::Between
    }

    /// Into the kernel, and if the lock is still held there, to sleep.
    fn lock_by_futex(&mut self, cpu: CpuId, task: TaskId, id: LockId) -> Then {
        if self.thread(task).phase == Phase::Fresh {
            self.thread(task).phase = Phase::Waited;
            self.busy_system(cpu, self.stage.costs.lock.block);
            return Then::Nothing;
        }
        self.thread(task).phase = Phase::Fresh;
        let mut list = self.locks[id.0 as usize].waiters;
        self.push_back(&mut list, task);
        self.locks[id.0 as usize].waiters = list;
        self.fall_asleep(task);
        Then::Schedule(Leaving::Sleeps)
    }

    fn spin_adaptive(&mut self, cpu: CpuId, task: TaskId, id: LockId) -> Then {
        let rounds = self.thread(task).spin.rounds;
        if rounds >= ADAPTIVE_ROUNDS {
            return self.lock_by_futex(cpu, task, id);
        }
        self.thread(task).spin.rounds = rounds + 1;
        self.busy_user(cpu, Account::Spin, self.stage.costs.lock.adaptive_round);
        Then::Nothing
    }

    fn spin_then_sleep(&mut self, cpu: CpuId, task: TaskId, obs: &mut impl Observer) -> Then {
        let try_cost = self.stage.costs.lock.spin_try;
        let dice = self.draw_below(task, 1 << 32);
        let thread = self.thread(task);
        thread.spin.rounds += 1;
        if thread.spin.rounds < thread.spin.tries {
            self.busy_user(cpu, Account::Spin, try_cost);
            return Then::Nothing;
        }
        let spin = &mut thread.spin;
        (spin.rounds, spin.sleeps) = (0, spin.sleeps + 1);
        if spin.sleeps > MAX_SLEEPS {
            // A stuck spinlock: PostgreSQL panics.
            self.gave_up += 1;
            self.exit(cpu, task, obs);
            return Then::Schedule(Leaving::Exits);
        }
        // Grows by a random factor between 1 and 2; beyond the longest it starts over.
        let grown = spin.delay_us + ((u64::from(spin.delay_us) * dice) >> 32) as u32 + 1;
        spin.delay_us = match spin.delay_us {
            0 => MIN_DELAY_US,
            _ if grown > MAX_DELAY_US => MIN_DELAY_US,
            _ => grown,
        };
        let until =
            Instant(self.now) + Nanos::from_micros(u64::from(self.thread(task).spin.delay_us));
        self.sleep_until(cpu, task, until);
        self.thread(task).phase = Phase::Fresh;
        Then::Schedule(Leaving::Sleeps)
    }

    fn spin_in_kernel(&mut self, cpu: CpuId, task: TaskId, id: LockId) -> Then {
        let mut list = self.locks[id.0 as usize].waiters;
        self.push_back(&mut list, task);
        self.locks[id.0 as usize].waiters = list;
        let thread = self.thread(task);
        thread.phase = Phase::Waited;
        thread.no_preempt += 1;
        self.cpu(cpu)
            .start(Activity::KernelSpin, Account::Spin, (0, 0));
        self.queue.clear(cpu, Slot::End);
        Then::Nothing
    }

    /// A release begins.
    pub(super) fn begin_unlock(&mut self, cpu: CpuId, id: LockId) {
        let costs = self.stage.costs.lock;
        let lock = &self.locks[id.0 as usize];
        match lock.kind {
            LockKind::Futex | LockKind::Adaptive if !lock.waiters.is_empty() => {
                self.busy_system(cpu, costs.release);
            }
            LockKind::KernelSpin => self.busy_system(cpu, costs.kernel),
            _ => self.busy_user(cpu, Account::Work, costs.fast),
        }
    }

    /// A release is over. Releasing what one does not hold does nothing.
    pub(super) fn end_unlock(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        id: LockId,
        obs: &mut impl Observer,
    ) {
        let lock = &mut self.locks[id.0 as usize];
        if lock.holder != Some(task) {
            return;
        }
        lock.holder = None;
        let (kind, mut list) = (lock.kind, lock.waiters);
        if kind == LockKind::KernelSpin {
            self.thread(task).no_preempt -= 1;
        }
        if kind == LockKind::SpinSleep {
            return;
        }
        let Some(first) = self.pop_front(&mut list) else {
            return;
        };
        self.locks[id.0 as usize].waiters = list;
        if kind == LockKind::KernelSpin {
            self.hand_over(cpu, first, id);
            return;
        }
        let mut woken = WaitList::default();
        self.push_back(&mut woken, first);
        self.wake_list(cpu, woken, (false, true), obs);
    }

    /// The spinner that came first gets the lock as soon as its line arrives.
    fn hand_over(&mut self, from: CpuId, spinner: TaskId, id: LockId) {
        self.locks[id.0 as usize].holder = Some(spinner);
        let cpu = self.sched.tasks[spinner.index()].cpu;
        self.settle(cpu);
        let distance = self.stage.topology.distance(from, cpu);
        let wire = u64::from(self.stage.costs.lines(1, distance));
        self.cpu(cpu)
            .start(Activity::Kernel, Account::Spin, (wire, 0));
        self.arm(cpu);
    }
}
