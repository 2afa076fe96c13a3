//! One CPU of the simulation: what it is doing, until when, and where its time went.
//!
//! Everything before [`Cpu::begin`] is in an account. From there on it does what [`Cpu::activity`] says; what is
//! left of that is in `wire` (waiting for lines, at the same speed beside any sibling) and `work`. An interrupt
//! moves `begin`; a switch puts its price before it. Not here: deciding anything.

use super::idle::IdleGovernor;
use super::wake::Woken;
use crate::machine::CpuId;
use crate::observe::event::Cause;
use crate::observe::{Account, Accounts};
use crate::sched::balance::NohzKick;
use crate::task::TaskId;
use crate::workload::ipc::WaitList;
use alloc::vec::Vec;

/// What a CPU is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// Nothing.
    Idle,
    /// Computing, or spinning, for its task; may be interrupted for another at any time.
    Run,
    /// In the kernel for its task; where `preempt` says so it may be interrupted, else it reschedules at the end.
    Kernel,
    /// The same with the mutex of a pipe, whose waiters spin until its time is over: reschedules at the end.
    Locked,
    /// Spinning in the kernel until another CPU hands a lock over.
    KernelSpin,
    /// Between two operations, until the costs of the last are paid.
    Tail,
}

/// Tasks still to be woken by the operation that has just ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chain {
    /// Who.
    pub(super) list: WaitList,
    /// With the sync hint?
    pub(super) sync: bool,
    /// Not from an interrupt: the waker's averages count.
    pub(super) process: bool,
}

/// One CPU.
#[derive(Clone, Debug)]
pub(super) struct Cpu {
    /// The task on it, or idle.
    pub(super) curr: Option<TaskId>,
    /// What it is doing.
    pub(super) activity: Activity,
    /// The account of that.
    pub(super) account: Account,
    /// Has the activity made progress already?
    pub(super) begun: bool,
    /// Time up to here is accounted for, ns.
    pub(super) begin: u64,
    /// Left to wait for lines, ns.
    pub(super) wire: u64,
    /// Left to do at full speed, ns.
    pub(super) work: u64,
    /// Wakeups still to be made.
    pub(super) chain: Chain,
    /// The address space that is loaded.
    pub(super) space: u32,
    /// What asked for a reschedule first.
    pub(super) forced: Option<Cause>,
    /// Tasks that other CPUs have woken and left for this one to enqueue.
    pub(super) woken: Vec<Woken>,
    /// When the interrupt for them arrives, ns.
    pub(super) interrupted_at: u64,
    /// The stopper thread is to push the running task to that CPU.
    pub(super) stopper: Option<CpuId>,
    /// Tasks queued here that its stopper thread is to move, because they may not run here any longer.
    pub(super) evicted: Vec<TaskId>,
    /// Its tick is stopped while it is idle.
    pub(super) tick_stopped: bool,
    /// What it has been asked to do for CPUs without ticks.
    pub(super) nohz_kick: NohzKick,
    /// The other thread of its core.
    pub(super) sibling: Option<CpuId>,
    /// It runs at the share of a thread beside a busy one until then, ns.
    slow_until: u64,
    /// How deep it sleeps.
    pub(super) idle: IdleGovernor,
    /// Time before `begin`, by account.
    accounts: Accounts,
    /// How much of that lies between the last settling and `begin`.
    ahead: [u32; Account::COUNT],
    /// Is any of that not zero?
    charged: bool,
}

impl Cpu {
    /// An idle CPU at time 0.
    pub(super) fn new(sibling: Option<CpuId>) -> Cpu {
        Cpu {
            curr: None,
            activity: Activity::Idle,
            account: Account::Idle,
            begun: false,
            begin: 0,
            wire: 0,
            work: 0,
            chain: Chain::default(),
            space: u32::MAX,
            forced: None,
            woken: Vec::new(),
            interrupted_at: 0,
            stopper: None,
            evicted: Vec::new(),
            tick_stopped: false,
            nohz_kick: NohzKick::default(),
            sibling,
            slow_until: 0,
            idle: IdleGovernor::default(),
            accounts: [0; Account::COUNT],
            ahead: [0; Account::COUNT],
            charged: false,
        }
    }

    /// Has its stopper thread something to do?
    #[inline]
    pub(super) fn stopper_is_due(&self) -> bool {
        self.stopper.is_some() || !self.evicted.is_empty()
    }

    /// Brings accounts and progress up to `now`.
    #[inline]
    pub(super) fn settle(&mut self, now: u64, share_milli: u32) {
        if now <= self.begin {
            return;
        }
        let wire = (now - self.begin).min(self.wire);
        self.wire -= wire;
        let done = self.done_between(self.begin + wire, now, share_milli);
        self.work = self.work.saturating_sub(done);
        self.account_to(now);
    }

    /// The same at the end of what it does: nothing is left of that.
    #[inline]
    pub(super) fn complete(&mut self, now: u64) {
        (self.wire, self.work) = (0, 0);
        if now > self.begin {
            self.account_to(now);
        }
    }

    #[inline]
    fn account_to(&mut self, now: u64) {
        self.accounts[self.account as usize] += now - self.begin;
        self.begin = now;
        self.begun = true;
        if self.charged {
            self.ahead = [0; Account::COUNT];
            self.charged = false;
        }
    }

    /// Occupies the CPU for `ns` before it goes on; settled before.
    #[inline]
    pub(super) fn charge(&mut self, account: Account, ns: u32, share_milli: u32) {
        let ns = self.slowed(ns, share_milli);
        self.charged = true;
        self.begin += u64::from(ns);
        self.accounts[account as usize] += u64::from(ns);
        self.ahead[account as usize] += ns;
    }

    /// How long something short takes, beside a busy sibling or not.
    #[inline]
    pub(super) fn slowed(&self, ns: u32, share_milli: u32) -> u32 {
        if self.begin < self.slow_until {
            return (u64::from(ns) * 1000 / u64::from(share_milli)) as u32;
        }
        ns
    }

    /// Starts something.
    #[inline]
    pub(super) fn start(&mut self, activity: Activity, account: Account, (wire, work): (u64, u64)) {
        self.activity = activity;
        self.account = account;
        self.begun = false;
        self.wire = wire;
        self.work = work;
    }

    /// When it will be done with what it does, ns.
    #[inline]
    pub(super) fn end(&self, share_milli: u32) -> u64 {
        let from = self.begin + self.wire;
        if from >= self.slow_until {
            return from + self.work;
        }
        self.end_beside_busy(from, share_milli)
    }

    fn end_beside_busy(&self, from: u64, share_milli: u32) -> u64 {
        let slow_span = self.slow_until - from;
        let whole = (self.work * 1000).div_ceil(u64::from(share_milli));
        if whole <= slow_span {
            return from + whole;
        }
        self.slow_until + (self.work - share(slow_span, share_milli))
    }

    /// Work done between two instants.
    #[inline]
    fn done_between(&self, from: u64, to: u64, share_milli: u32) -> u64 {
        if from >= self.slow_until {
            return to - from;
        }
        let slow_to = self.slow_until.min(to);
        share(slow_to - from, share_milli) + (to - slow_to)
    }

    /// The sibling became busy, or idle until which it counts as busy; settled before.
    pub(super) fn slow_until(&mut self, until: u64) {
        self.slow_until = until;
    }

    /// Its accounts at `now`: their sum is `now`. What was charged for later is taken off again.
    pub(super) fn accounts_at(&self, now: u64) -> Accounts {
        let mut accounts = self.accounts;
        if now >= self.begin {
            accounts[self.account as usize] += now - self.begin;
            return accounts;
        }
        let mut over = self.begin - now;
        for (account, &ahead) in accounts.iter_mut().zip(&self.ahead).rev() {
            let off = over.min(u64::from(ahead));
            *account -= off;
            over -= off;
        }
        debug_assert_eq!(over, 0, "only charges reach into the future");
        accounts
    }
}

/// What gets done in `span` at a share of full speed. No time of a run is later than 2^52 ns, so that this and the
/// inverse fit.
fn share(span: u64, share_milli: u32) -> u64 {
    span * u64::from(share_milli) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(work: u64) -> Cpu {
        let mut cpu = Cpu::new(None);
        cpu.start(Activity::Run, Account::Work, (0, work));
        cpu
    }

    #[test]
    fn charges_delay_and_accounts_always_sum_to_the_time() {
        let mut cpu = busy(100);
        cpu.settle(30, 1000);
        cpu.charge(Account::Interrupt, 8, 1000);
        cpu.charge(Account::Balancing, 5, 1000);
        assert_eq!(cpu.end(1000), 113);
        for now in [30, 33, 38, 41, 43, 44, 113] {
            assert_eq!(cpu.accounts_at(now).iter().sum::<u64>(), now);
        }
        assert_eq!(cpu.accounts_at(40)[Account::Work as usize], 30);
        cpu.settle(113, 1000);
        assert_eq!(cpu.work, 0);
        assert_eq!(cpu.accounts_at(113)[Account::Work as usize], 100);
    }

    #[test]
    fn a_busy_sibling_slows_work_but_not_lines() {
        let mut cpu = busy(575);
        cpu.wire = 40;
        cpu.slow_until(u64::MAX);
        assert_eq!(cpu.end(575), 1_040);
        cpu.settle(540, 575);
        assert_eq!((cpu.wire, cpu.work), (0, 575 - 287));
        // The sibling goes idle; what is left is done at full speed from 640 on.
        cpu.slow_until(640);
        assert_eq!(cpu.end(575), 640 + (288 - 57));
        assert_eq!(cpu.accounts_at(900).iter().sum::<u64>(), 900);
    }
}
