//! What a CPU does that is about to go idle: it looks for tasks to pull, unless its idle periods are too short for that.
//!
//! Not here: the search of 6.1 and 6.5 ([`super::by_type`]).
//! Source: kernel/sched.c of 2.6.31 and 2.6.32 (`idle_balance`), kernel/sched_fair.c and sched.c of 3.2
//! (`idle_balance`, `ttwu_do_wakeup`, `update_avg`), kernel/sched/core.c of 6.1 (`ttwu_do_wakeup`).

use super::Balanced;
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::decision::{BalanceWhy, IdleType};
use crate::sched::rules::Balancing;
use crate::sched::sd_flags::SdFlags;
use alloc::sync::Arc;

/// An average of idle periods follows each by this part of the difference, a power of two (`update_avg`).
const AVG_SHIFT: u32 = 3;

impl Sched {
    /// schedule() on `this` is about to go idle. Its clock has just been read.
    pub fn idle_balance(&mut self, this: CpuId) -> Balanced {
        let mut out = Balanced::default();
        let domains = Arc::clone(&self.domains);
        if self.rules.balancing != Balancing::NewIdleApart {
            if self.rules.balancing == Balancing::ByGroupType {
                self.newidle_balance(this, &mut out);
                return out;
            }
            let rq = &mut self.rq[this.index()];
            rq.idle_stamp = Some(rq.clock);
            if self.rq[this.index()].avg_idle < self.migration_cost() {
                if let Some(lowest) = domains.at(this, 0) {
                    out.refuse(lowest, IdleType::NewlyIdle, BalanceWhy::Throttled);
                }
                return out;
            }
        }
        self.search_domains(this, &mut out);
        out
    }

    /// The first domain in which something happens ends the search: in 2.6.31 and 2.6.32 be it a pull or a failure,
    /// in 3.2 a pull.
    fn search_domains(&mut self, this: CpuId, out: &mut Balanced) {
        let domains = Arc::clone(&self.domains);
        let mut next_balance = self.jiffies + u64::from(self.hz.0);
        let mut stopped = false;
        for d in domains.of(this) {
            let flags = d.sd.spec.flags;
            if !flags.any(SdFlags::LOAD_BALANCE) {
                continue;
            }
            if flags.any(SdFlags::BALANCE_NEWIDLE) {
                let outcome = if self.rules.balancing == Balancing::NewIdleApart {
                    self.load_balance_newidle(this, d, &mut out.moved)
                } else {
                    self.load_balance(this, d, IdleType::NewlyIdle, &mut out.moved)
                };
                out.note(d, IdleType::NewlyIdle, &outcome);
                stopped = outcome.ld_moved.stops();
            }
            let state = &self.rq[this.index()].sd[d.index];
            let interval = self.msecs_to_jiffies(u64::from(state.balance_interval));
            next_balance = next_balance.min(state.last_balance + interval);
            if stopped {
                break;
            }
        }
        let jiffies = self.jiffies;
        let rq = &mut self.rq[this.index()];
        if stopped {
            rq.idle_stamp = None;
        }
        if stopped || jiffies > rq.next_balance {
            rq.next_balance = next_balance;
        }
    }

    /// A wakeup has put something on `cpu`: if that was idle, its idle period has ended (`ttwu_do_wakeup`).
    pub(in crate::sched) fn end_idle_period(&mut self, cpu: CpuId) {
        let Some(since) = self.rq[cpu.index()].idle_stamp.take() else {
            return;
        };
        let by_type = self.rules.balancing == Balancing::ByGroupType;
        let (cost, jiffies) = (self.migration_cost(), self.jiffies);
        let rq = &mut self.rq[cpu.index()];
        let period = rq.clock.wrapping_sub(since);
        if by_type {
            rq.avg_idle = follow_evenly(rq.avg_idle, period).min(2 * rq.max_idle_balance_cost);
        } else if period > 2 * cost {
            rq.avg_idle = 2 * cost;
        } else {
            rq.avg_idle = follow(rq.avg_idle, period);
        }
        // What a search for an idle CPU may use of the next (6.1: SIS_PROP; 94aafc3e).
        (rq.wake_avg_idle, rq.wake_stamp) = (rq.avg_idle / 2, jiffies);
    }

    /// `sysctl_sched_migration_cost` as the unsigned number that it is.
    pub(super) fn migration_cost(&self) -> u64 {
        u64::from(self.tunables.migration_cost as u32)
    }
}

/// `update_avg`.
const fn follow(avg: u64, sample: u64) -> u64 {
    let difference = sample.wrapping_sub(avg) as i64;
    avg.wrapping_add((difference >> AVG_SHIFT) as u64)
}

/// The same of 6.1 and 6.5, which rounds towards zero.
const fn follow_evenly(avg: u64, sample: u64) -> u64 {
    let difference = sample.wrapping_sub(avg) as i64;
    avg.wrapping_add((difference / (1 << AVG_SHIFT)) as u64)
}
