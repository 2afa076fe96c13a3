//! CFS bandwidth: a group with a quota may run so long in each period, on all CPUs together, and then waits.
//!
//! The group has a pool of runtime that a timer fills each period; its queues take slices of it, and a queue that
//! gets none is throttled: its entity leaves the queue above, with all that is below it, until the pool is filled.
//! Here is what moves runtime; [`throttle`] is what happens to queues. A timer is the driver's: [`Sched::bandwidth_timer`]
//! says when the next is due, [`Sched::bandwidth_timer_fires`] is what it does.
//! Source: kernel/sched_fair.c of 3.2, kernel/sched/fair.c of 6.1, the function named at each. 6.5 (since 41abdba9)
//! starts the periods of each group at a random time, which is not modelled.

#[cfg(test)]
mod tests;
mod throttle;

use super::Sched;
use super::rq::{CfsRqId, GroupId};
use super::rules::Bandwidth;
use crate::machine::{CpuId, CpuMask};
use crate::time::Instant;
use alloc::vec::Vec;

/// What a queue takes from the pool at a time, ns (`sysctl_sched_cfs_bandwidth_slice`: 5000 µs).
const SLICE: u64 = 5_000_000;

/// What a queue keeps when it gives runtime back, ns (`min_cfs_rq_runtime`).
const KEPT: i64 = 1_000_000;

/// Runtime that was given back is handed out after that, ns (`cfs_bandwidth_slack_period`).
const SLACK_PERIOD: u64 = 5_000_000;

/// Not if the next period is that near, ns (`min_bandwidth_expiration`).
const PERIOD_NEAR: u64 = 2_000_000;

/// A quota, ns (`cpu.max`, `cpu.cfs_quota_us` and `cpu.cfs_period_us`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CfsQuota {
    /// What may be used of each period, of all CPUs together.
    pub quota: u64,
    /// The length of a period.
    pub period: u64,
    /// What of unused quota may be kept beyond it (`cpu.cfs_burst_us`, since 5.14, f4183717).
    pub burst: u64,
}

/// `cfs_bandwidth`: what a group may still use.
#[derive(Clone, Debug, Default)]
pub struct GroupBandwidth {
    /// Its quota; none = no limit.
    pub quota: Option<CfsQuota>,
    /// What is left in the pool, ns.
    pub runtime: u64,
    /// Until when that may be used, ns (3.2).
    expires: u64,
    /// Did nobody take from the pool since it was filled?
    idle: bool,
    /// When the pool is filled next; none while nobody needs that.
    timer: Option<u64>,
    /// When runtime that was given back is handed out.
    slack: Option<u64>,
    /// The CPU whose timers these are.
    timer_cpu: CpuId,
    /// Throttled queues, in the order in which they were.
    pub throttled: Vec<CfsRqId>,
    /// Periods that began while somebody used the pool (`cpu.stat`).
    pub nr_periods: u64,
    /// Those of them that began with a throttled queue.
    pub nr_throttled: u64,
    /// How long queues were throttled, ns, once they no longer are.
    pub throttled_time: u64,
    /// How often one was.
    throttles: u64,
}

/// What a quota has done to its group: the first three as in `cpu.stat`, but that those still throttled count too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaStat {
    /// Periods that began while somebody used the pool.
    pub nr_periods: u64,
    /// Those of them that began with a throttled queue.
    pub nr_throttled: u64,
    /// How long queues were throttled, ns, each CPU by itself.
    pub throttled_time: u64,
    /// How often a queue was.
    pub throttles: u64,
}

/// What a queue may still use.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueRuntime {
    /// Does its group have a quota?
    enabled: bool,
    /// Runtime in hand, ns; below 0 what it ran too long.
    pub remaining: i64,
    /// Until when that may be used, ns (3.2).
    expires: u64,
    /// Is it throttled itself?
    pub throttled: bool,
    /// How many of itself and the queues above it are.
    pub throttle_count: u32,
    /// The clock when it was throttled, ns.
    since: u64,
    /// Tracked load stands still while it is throttled: since when (`throttled_clock_pelt`), and for how long in all.
    pelt_since: u64,
    pelt_time: u64,
}

/// A queue of a group was throttled, or no longer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttling {
    /// The queue's CPU.
    pub cpu: CpuId,
    /// The group.
    pub group: GroupId,
    /// Is it throttled now?
    pub throttled: bool,
}

/// The quotas of all groups.
#[derive(Clone, Debug, Default)]
pub struct Quotas {
    /// Has any group ever had one (`cfs_bandwidth_used`)?
    pub used: bool,
    /// Has a timer been started, stopped or moved, or a queue been throttled or not, since the driver looked?
    pub(super) changed: bool,
    /// Which queues were, in order.
    throttlings: Vec<Throttling>,
    /// By group.
    pub groups: Vec<GroupBandwidth>,
    /// By queue.
    pub queues: Vec<QueueRuntime>,
}

impl Quotas {
    /// What is known of a queue.
    pub fn queue(&self, q: CfsRqId) -> &QueueRuntime {
        &self.queues[q.0 as usize]
    }

    fn queue_mut(&mut self, q: CfsRqId) -> &mut QueueRuntime {
        &mut self.queues[q.0 as usize]
    }

    /// What is known of a group.
    pub fn group(&self, group: GroupId) -> &GroupBandwidth {
        &self.groups[group.0 as usize]
    }

    /// The driver is to be told of it.
    fn note(&mut self, cpu: CpuId, group: GroupId, throttled: bool) {
        self.changed = true;
        self.throttlings.push(Throttling {
            cpu,
            group,
            throttled,
        });
    }

    fn group_mut(&mut self, group: GroupId) -> &mut GroupBandwidth {
        &mut self.groups[group.0 as usize]
    }
}

impl GroupBandwidth {
    /// The timer of the period starts if it stands, on the grid that it always had (`start_cfs_bandwidth`).
    fn start(&mut self, period: u64, now: u64, cpu: CpuId) {
        self.timer = Some((now / period + 1) * period);
        self.timer_cpu = cpu;
    }

    /// `__refill_cfs_bandwidth_runtime`.
    fn refill(&mut self, quota: CfsQuota, now: u64) {
        let most = quota.quota + quota.burst;
        self.runtime = (self.runtime + quota.quota).min(most);
        self.expires = now + quota.period;
    }

    /// Is the pool filled within that time (`runtime_refresh_within`)?
    fn refilled_within(&self, ns: u64, now: u64) -> bool {
        self.timer.is_some_and(|at| at.saturating_sub(now) < ns)
    }

    fn next_timer(&self) -> Option<u64> {
        self.timer.into_iter().chain(self.slack).min()
    }
}

/// What the driver calls.
impl Sched {
    /// Gives `group` another quota, or none; its queues start anew (`tg_set_cfs_bandwidth`).
    ///
    /// # Panics
    /// If it is the root group, or the kernel has no quotas.
    pub fn set_quota(&mut self, group: GroupId, quota: Option<CfsQuota>, now: Instant) {
        assert!(group.0 > 0, "the root group has no quota");
        assert_ne!(self.rules.bandwidth, Bandwidth::Absent, "no such kernel");
        self.quotas.used = true;
        self.quotas.changed = true;
        let runs_on = self.rules.bandwidth == Bandwidth::Kept;
        let pool = self.quotas.group_mut(group);
        pool.quota = quota;
        pool.slack = pool.slack.filter(|_| quota.is_some());
        if let Some(quota) = quota {
            pool.refill(quota, now.0);
            if runs_on || pool.timer.is_some() {
                pool.start(quota.period, now.0, CpuId(0));
            }
        }
        for cpu in 0..self.rq.len() {
            let q = self.group_cfs_rq(group, CpuId(cpu as u16));
            let queue = self.quotas.queue_mut(q);
            (queue.enabled, queue.remaining) = (quota.is_some(), 0);
            if queue.throttled {
                self.unthrottle(q, now);
            }
        }
    }

    /// When the next timer of a quota, or of real-time tasks, is due, and on which CPU.
    pub fn bandwidth_timer(&self) -> Option<(Instant, CpuId)> {
        let timers = self.quotas.groups.iter();
        let timers = timers.filter_map(|pool| Some((pool.next_timer()?, pool.timer_cpu)));
        let timers = timers.chain(self.rt.timer.map(|at| (at, CpuId(0))));
        timers.min().map(|(at, cpu)| (Instant(at), cpu))
    }

    /// What the quota of `group` has done up to `now`; none if it has none.
    pub fn quota_stat(&self, group: GroupId, now: Instant) -> Option<QuotaStat> {
        let pool = self.quotas.groups.get(group.0 as usize)?;
        let _ = pool.quota?;
        let since = |q: &CfsRqId| now.0.saturating_sub(self.quotas.queue(*q).since);
        let still: u64 = pool.throttled.iter().map(since).sum();
        Some(QuotaStat {
            nr_periods: pool.nr_periods,
            nr_throttled: pool.nr_throttled,
            throttled_time: pool.throttled_time + still,
            throttles: pool.throttles,
        })
    }

    /// Has [`Sched::bandwidth_timer`] or [`Sched::take_throttlings`] another answer than when this was last asked?
    #[inline]
    pub fn bandwidth_timer_changed(&mut self) -> bool {
        core::mem::take(&mut self.quotas.changed)
    }

    /// What was throttled and let go since this was last asked, in order.
    pub fn take_throttlings(&mut self) -> Vec<Throttling> {
        core::mem::take(&mut self.quotas.throttlings)
    }

    /// The timer that is due fires; the CPUs that are to reschedule for it.
    pub fn bandwidth_timer_fires(&mut self, now: Instant) -> CpuMask {
        let due = |pool: &GroupBandwidth| pool.next_timer().is_some_and(|at| at <= now.0);
        self.quotas.changed = true;
        let Some(group) = self.quotas.groups.iter().position(due) else {
            return self.rt_period_timer(now);
        };
        let group = GroupId(group as u32);
        let slack = self.quotas.group(group).slack;
        if slack.is_some_and(|at| at <= now.0) {
            self.slack_timer(group, now)
        } else {
            self.period_timer(group, now)
        }
    }

    /// The pool is filled, and what is throttled gets its part first; after a period in which nobody took from it the
    /// timer stops (`sched_cfs_period_timer`, `do_sched_cfs_period_timer`).
    fn period_timer(&mut self, group: GroupId, now: Instant) -> CpuMask {
        let fills_always = self.rules.bandwidth == Bandwidth::Kept;
        let pool = self.quotas.group_mut(group);
        let (Some(quota), Some(at)) = (pool.quota, pool.timer) else {
            pool.timer = None;
            return CpuMask::EMPTY;
        };
        let periods = (now.0 - at) / quota.period + 1;
        pool.timer = Some(at + periods * quota.period);
        pool.nr_periods += periods;
        let throttled = !pool.throttled.is_empty();
        let stops = pool.idle && !throttled;
        if fills_always || !stops {
            pool.refill(quota, now.0);
        }
        if stops {
            pool.timer = None;
            return CpuMask::EMPTY;
        }
        pool.idle = !throttled;
        if !throttled {
            return CpuMask::EMPTY;
        }
        pool.nr_throttled += periods;
        self.distribute(group, now)
    }

    /// What queues gave back goes to those that are throttled (`do_sched_cfs_slack_timer`).
    fn slack_timer(&mut self, group: GroupId, now: Instant) -> CpuMask {
        let pool = self.quotas.group_mut(group);
        pool.slack = None;
        if pool.refilled_within(PERIOD_NEAR, now.0) || pool.runtime <= SLICE {
            return CpuMask::EMPTY;
        }
        self.distribute(group, now)
    }

    /// Throttled queues get what they ran too long and 1 ns, in the order in which they were throttled, while there is
    /// some (`distribute_cfs_runtime`).
    fn distribute(&mut self, group: GroupId, now: Instant) -> CpuMask {
        let mut asked = CpuMask::EMPTY;
        for q in self.quotas.group(group).throttled.clone() {
            let pool = self.quotas.group_mut(group);
            if pool.runtime == 0 {
                break;
            }
            let expires = pool.expires;
            let missing = (1 - self.quotas.queue(q).remaining).max(0) as u64;
            let pool = self.quotas.group_mut(group);
            let amount = missing.min(pool.runtime);
            pool.runtime -= amount;
            let queue = self.quotas.queue_mut(q);
            (queue.remaining, queue.expires) = (queue.remaining + amount as i64, expires);
            if queue.remaining > 0 && self.unthrottle(q, now) {
                asked.insert(self.cfs(q).cpu);
            }
        }
        asked
    }
}

/// What the queues do.
impl Sched {
    /// Is `q` throttled itself (`cfs_rq_throttled`)?
    #[inline]
    pub(super) fn is_throttled(&self, q: CfsRqId) -> bool {
        self.quotas.used && self.quotas.queue(q).throttled
    }

    /// Is `q` throttled, or a queue above it (`throttled_hierarchy`)?
    #[inline]
    pub(super) fn is_held_back(&self, q: CfsRqId) -> bool {
        self.quotas.used && self.quotas.queue(q).throttle_count > 0
    }

    /// Room for a new group and for a new queue, which is held back if the one above is (`sync_throttle`).
    pub(super) fn quota_new_group(&mut self) {
        self.quotas.groups.push(GroupBandwidth::default());
    }

    pub(super) fn quota_new_queue(&mut self, above: Option<CfsRqId>) {
        let above = above.map(|q| *self.quotas.queue(q)).unwrap_or_default();
        self.quotas.queues.push(QueueRuntime {
            throttle_count: above.throttle_count,
            pelt_since: above.pelt_since,
            ..QueueRuntime::default()
        });
    }

    /// `q` ran for `ns`, or is about to run: the CPU is to reschedule if no runtime is to be had for that
    /// (`account_cfs_rq_runtime`).
    pub(super) fn account_runtime(&mut self, q: CfsRqId, ns: u64) {
        let rule = self.rules.bandwidth;
        let queue = self.quotas.queue_mut(q);
        if !queue.enabled {
            return;
        }
        queue.remaining -= ns as i64;
        if rule == Bandwidth::Expires {
            self.expire(q);
        }
        let queue = self.quotas.queue(q);
        if queue.remaining > 0 || (queue.throttled && rule == Bandwidth::Kept) {
            return;
        }
        if !self.assign(q, SLICE) && self.cfs(q).curr.is_some() {
            self.resched(self.cfs(q).cpu);
        }
    }

    /// Runtime of a period that is over is lost; if only this CPU's clock is ahead it may be used for another tick
    /// (3.2: `expire_cfs_rq_runtime`; gone since 5.4, de53fd7aedb1).
    fn expire(&mut self, q: CfsRqId) {
        let (clock, tick) = (self.rq_of(q).clock, self.hz.period().0);
        let of_pool = self.quotas.group(self.cfs(q).group).expires;
        let queue = self.quotas.queue_mut(q);
        if clock < queue.expires || queue.remaining < 0 {
            return;
        }
        if queue.expires >= of_pool {
            queue.expires += tick;
        } else {
            queue.remaining = 0;
        }
    }

    /// Takes from the pool what is missing to `target`; true if there is some to run with
    /// (`assign_cfs_rq_runtime`). In 3.2 a pool whose timer stands is filled.
    fn assign(&mut self, q: CfsRqId, target: u64) -> bool {
        let (cpu, group) = (self.cfs(q).cpu, self.cfs(q).group);
        let (clock, rule) = (self.rq_of(q).clock, self.rules.bandwidth);
        let missing = (target as i64 - self.quotas.queue(q).remaining).max(0) as u64;
        let pool = self.quotas.group_mut(group);
        let Some(quota) = pool.quota else { return true };
        let starts = pool.timer.is_none();
        if starts {
            if rule == Bandwidth::Expires {
                pool.refill(quota, clock);
            }
            pool.start(quota.period, clock, cpu);
        }
        let amount = missing.min(pool.runtime);
        if pool.runtime > 0 {
            pool.runtime -= amount;
            pool.idle = false;
        }
        let expires = pool.expires;
        self.quotas.changed |= starts;
        let queue = self.quotas.queue_mut(q);
        queue.remaining += amount as i64;
        queue.expires = queue.expires.max(expires);
        queue.remaining > 0
    }

    /// `q` has just got its first entity: without runtime it is throttled. One that runs is looked at when its task
    /// leaves (`check_enqueue_throttle`).
    pub(super) fn check_enqueue_throttle(&mut self, q: CfsRqId) {
        let queue = self.quotas.queue(q);
        if !queue.enabled || queue.throttled || self.cfs(q).curr.is_some() {
            return;
        }
        self.account_runtime(q, 0);
        if self.quotas.queue(q).remaining <= 0 {
            self.throttle(q);
        }
    }

    /// An entity of `q` is leaving its CPU, or is about to compete for it: is `q` throttled now
    /// (`check_cfs_rq_runtime`)?
    pub(super) fn check_runtime(&mut self, q: CfsRqId) -> bool {
        let queue = self.quotas.queue(q);
        if !queue.enabled || queue.remaining > 0 {
            return false;
        }
        queue.throttled || self.throttle(q)
    }

    /// An entity has left `q`. With the last one, all runtime but a little goes back to the pool; in 3.2 by a slip
    /// with any but the last (`return_cfs_rq_runtime`; f1b17280).
    pub(super) fn return_runtime(&mut self, q: CfsRqId) {
        let (rule, clock) = (self.rules.bandwidth, self.rq_of(q).clock);
        let gives = (self.cfs(q).nr_running == 0) == (rule == Bandwidth::Kept);
        let queue = *self.quotas.queue(q);
        let slack = queue.remaining - KEPT;
        if !queue.enabled || !gives || slack <= 0 {
            return;
        }
        self.quotas.queue_mut(q).remaining = KEPT;
        let pool = self.quotas.group_mut(self.cfs_rq[q.0 as usize].group);
        if rule == Bandwidth::Expires && queue.expires != pool.expires {
            return;
        }
        pool.runtime += slack as u64;
        let waited_for = pool.runtime > SLICE && !pool.throttled.is_empty();
        // start_cfs_slack_bandwidth
        let near = pool.refilled_within(SLACK_PERIOD + PERIOD_NEAR, clock);
        if waited_for && !near && pool.slack.is_none() {
            pool.slack = Some(clock + SLACK_PERIOD);
            self.quotas.changed = true;
        }
    }
}
