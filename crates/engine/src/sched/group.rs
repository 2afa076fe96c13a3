//! Task groups across CPUs: how much of a group's shares each of its queues carries as the weight of its entity.
//!
//! 3.2 keeps a decayed load of each queue (`update_cfs_load`), 6.1 the load that is tracked anyway (`calc_group_shares`);
//! both give a queue the group's shares in proportion to its part of the group's load, its own part taken as it is now.
//! 2.6.31 and 2.6.32 share out by what balancing sees: not here.
//! Not here: placing and picking of group entities, which go by the rules of all entities.

use super::Sched;
use super::eevdf;
use super::pelt::Action;
use super::rq::{CfsRqId, EntityId, LoadWeight};
use super::rules::GroupShares;
use super::weight;
use crate::machine::CpuId;
use crate::time::Instant;

/// `MIN_SHARES`: an entity never weighs less.
pub(super) const MIN_SHARES: u64 = 2;

/// Averages are published no more often than this, ns (`NSEC_PER_MSEC` in `update_tg_load_avg`).
const PUBLISHED_EVERY: u64 = 1_000_000;

/// What a queue of a group has of the group's load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueShare {
    /// Its part of [`super::rq::TaskGroup::load`] (`load_contribution`, `tg_load_avg_contrib`).
    pub(super) contribution: u64,
    /// Its part of [`super::rq::TaskGroup::runnable`] (7.3: `tg_runnable_avg_contrib`).
    runnable: u64,
    /// When both may be published again, ns (7.3: `last_update_tg_load_avg`).
    due: u64,
    /// Σ load × time, halved as the period passes the window (3.2: `load_avg`).
    load_avg: u64,
    /// The time in that sum, ns (3.2: `load_period`).
    period: u64,
    /// The clock at the last update, ns (3.2: `load_stamp`).
    stamp: u64,
    /// The clock when it was last loaded, ns (3.2: `load_last`).
    last: u64,
    /// What it ran since the last update, ns (3.2: `load_unacc_exec_time`).
    unaccounted: u64,
}

impl Sched {
    /// The queue `q` ran for `ns` (`__update_curr` of 3.2).
    pub(super) fn share_runtime(&mut self, q: CfsRqId, ns: u64) {
        self.cfs_mut(q).share.unaccounted += ns;
    }

    #[inline]
    pub(super) fn divides_shares(&self) -> bool {
        self.rules.group_shares != GroupShares::Whole
    }

    /// Before the weights on `q` change by an entity that comes or goes.
    #[inline]
    pub(super) fn share_before(&mut self, q: CfsRqId) {
        if self.rules.group_shares == GroupShares::Window {
            self.update_cfs_load(q, false);
        }
    }

    /// After that: the group of `q` weighs anew in the queue above.
    #[inline]
    pub(super) fn share_after(&mut self, q: CfsRqId) {
        if self.rules.group_shares == GroupShares::Window {
            self.update_cfs_shares(q);
        }
    }

    /// `se` stays queued while something below it came or went (`enqueue_task_fair`, `dequeue_task_fair`).
    pub(super) fn share_above(&mut self, se: EntityId) {
        match self.rules.group_shares {
            GroupShares::Whole => {}
            GroupShares::Window => {
                let q = self.se(se).cfs_rq;
                self.update_cfs_load(q, false);
                self.update_cfs_shares(q);
            }
            GroupShares::Tracked => self.update_cfs_group(se),
        }
    }

    /// The tick looks at one level (`update_entity_shares_tick` of 3.2, `update_cfs_group` of 6.1).
    #[inline]
    pub(super) fn share_at_tick(&mut self, se: EntityId) {
        match self.rules.group_shares {
            GroupShares::Whole => {}
            GroupShares::Window => {
                let q = self.se(se).cfs_rq;
                if self.cfs(q).share.unaccounted > self.tunables.shares_window {
                    self.update_cfs_load(q, false);
                    self.update_cfs_shares(q);
                }
            }
            GroupShares::Tracked => self.update_cfs_group(se),
        }
    }

    /// Every queue of `cpu` that belongs to a group is brought up to date before balancing looks (`update_shares` of
    /// 3.2). The clock was read just before.
    pub fn update_shares(&mut self, cpu: CpuId) {
        if self.rules.group_shares != GroupShares::Window {
            return;
        }
        for group in (1..self.groups.len() as u32).rev() {
            let q = self.group_cfs_rq(super::rq::GroupId(group), cpu);
            self.update_cfs_load(q, true);
            self.update_cfs_shares(q);
        }
    }

    /// `q` is no longer held back: the time that it was is left out of its window (`tg_unthrottle_up` of 3.2).
    pub(super) fn share_after_pause(&mut self, q: CfsRqId) {
        if self.rules.group_shares != GroupShares::Window {
            return;
        }
        let clock = self.rq_of(q).clock;
        let share = &mut self.cfs_mut(q).share;
        let pause = clock - share.stamp;
        share.stamp += pause;
        share.last += pause;
        self.update_cfs_shares(q);
    }

    /// The decayed load of a queue, and its part of the group's (3.2: `update_cfs_load`).
    fn update_cfs_load(&mut self, q: CfsRqId, publish: bool) {
        let (now, load) = (self.rq_of(q).clock, self.cfs(q).load);
        let window = self.tunables.shares_window;
        if self.cfs(q).se.is_none() || self.is_held_back(q) {
            return;
        }
        let share = &mut self.cfs_mut(q).share;
        let mut passed = now.saturating_sub(share.stamp);
        // Idle for four windows: what was before is forgotten.
        if share.stamp > share.last && now.saturating_sub(share.last) > 4 * window {
            (share.period, share.load_avg) = (0, 0);
            passed = window - 1;
        }
        (share.stamp, share.unaccounted) = (now, 0);
        share.period += passed;
        if load > 0 {
            share.last = now;
            share.load_avg += passed * load;
        }
        let due = publish || share.period > window || share.period == 0;
        if due {
            self.publish_load(q, publish);
        }
        let share = &mut self.cfs_mut(q).share;
        while share.period > window {
            share.period /= 2;
            share.load_avg /= 2;
        }
    }

    /// A change by more than an eighth, or any if `always`, is added to the group's load
    /// (3.2: `update_cfs_rq_load_contribution`).
    fn publish_load(&mut self, q: CfsRqId, always: bool) {
        let share = self.cfs(q).share;
        let load = share.load_avg / (share.period + 1);
        if always || load.abs_diff(share.contribution) > share.contribution / 8 {
            self.contribute(q, load);
        }
    }

    /// A tracked change by more than a 64th is added to the group's load (6.1: `update_tg_load_avg`).
    pub(super) fn update_tg_load_avg(&mut self, q: CfsRqId) {
        if self.cfs(q).se.is_none() {
            return;
        }
        if self.rules.runnable_published {
            return self.publish_averages(q);
        }
        let (load, before) = (
            self.pelt.cfs(q).avg.load_avg,
            self.cfs(q).share.contribution,
        );
        if load.abs_diff(before) > before / 64 {
            self.contribute(q, load);
        }
    }

    /// The same of the load and of the tasks that can run, together, and no more often than once in a millisecond
    /// (7.3: `update_tg_load_avg`; 1528c661c24b).
    fn publish_averages(&mut self, q: CfsRqId) {
        let clock = self.rq_of(q).clock;
        let (avg, share) = (self.pelt.cfs(q).avg, self.cfs(q).share);
        let moved = |now: u64, before: u64| now.abs_diff(before) > before / 64;
        let changed =
            moved(avg.load_avg, share.contribution) || moved(avg.runnable_avg, share.runnable);
        if clock < share.due || !changed {
            return;
        }
        self.contribute(q, avg.load_avg);
        let group = self.cfs(q).group;
        let sum = &mut self.groups[group.0 as usize].runnable;
        *sum = *sum - share.runnable + avg.runnable_avg;
        let share = &mut self.cfs_mut(q).share;
        (share.runnable, share.due) = (avg.runnable_avg, clock + PUBLISHED_EVERY);
    }

    fn contribute(&mut self, q: CfsRqId, load: u64) {
        let group = self.cfs(q).group;
        let before = core::mem::replace(&mut self.cfs_mut(q).share.contribution, load);
        let sum = &mut self.groups[group.0 as usize].load;
        *sum = *sum - before + load;
    }

    /// The group of `q` weighs anew (3.2: `update_cfs_shares`).
    fn update_cfs_shares(&mut self, q: CfsRqId) {
        let se = self.cfs(q).se.filter(|_| !self.is_held_back(q));
        if let Some(se) = se {
            let shares = self.shares_of(q, self.cfs(q).load);
            self.reweight_entity(se, shares);
        }
    }

    /// If `se` is a group's, it weighs anew (6.1: `update_cfs_group`, `calc_group_shares`).
    #[inline]
    pub(super) fn update_cfs_group(&mut self, se: EntityId) {
        if self.rules.group_shares == GroupShares::Tracked {
            self.weigh_by_load(se);
        }
    }

    fn weigh_by_load(&mut self, se: EntityId) {
        let my_q = self.se(se).my_q.filter(|q| !self.is_held_back(*q));
        if let Some(q) = my_q {
            if self.rules.is_eevdf() {
                return self.update_weight_on_64_bits(q, se);
            }
            let load = self.cfs(q).load.max(self.pelt.cfs(q).avg.load_avg);
            let shares = self.shares_of(q, load);
            self.reweight_entity(se, shares);
        }
    }

    /// Gives a group other shares, which count on every CPU from now on (`sched_group_set_shares`). The root group has
    /// none.
    pub fn set_group_shares(&mut self, group: super::rq::GroupId, shares: u64, now: Instant) {
        let this = &mut self.groups[group.0 as usize];
        if this.parent.is_none() || core::mem::replace(&mut this.shares, shares) == shares {
            return;
        }
        for cpu in (0..self.rq.len()).map(|cpu| CpuId(cpu as u16)) {
            if self.rules.group_shares == GroupShares::Tracked {
                self.update_rq_clock(cpu, now);
            }
            let mut level = self.cfs(self.group_cfs_rq(group, cpu)).se;
            while let Some(se) = level {
                self.share_anew(se);
                level = self.se(se).parent;
            }
        }
    }

    /// The shares that `se` stands for may have changed.
    fn share_anew(&mut self, se: EntityId) {
        let entity = self.se(se);
        match (self.rules.group_shares, entity.my_q) {
            (GroupShares::Whole, Some(q)) => {
                let shares = self.groups[self.cfs(q).group.0 as usize].shares;
                self.reweight_entity(se, shares);
            }
            (GroupShares::Window, Some(q)) => self.update_cfs_shares(q),
            (GroupShares::Tracked, Some(_)) => {
                self.update_load_avg(se, Action::Age);
                self.update_cfs_group(se);
            }
            (_, None) => {}
        }
    }

    /// The part of the group's shares that falls to `q`, which carries `load` now (3.2: `calc_cfs_shares`).
    fn shares_of(&self, q: CfsRqId, load: u64) -> u64 {
        let cfs = self.cfs(q);
        let group = &self.groups[cfs.group.0 as usize];
        let all = group.load - cfs.share.contribution + load;
        let shares = group.shares * load;
        let shares = shares.checked_div(all).unwrap_or(shares);
        shares.clamp(MIN_SHARES, group.shares.max(MIN_SHARES))
    }

    /// The same in whole weights, by which EEVDF goes; an empty queue leaves its group's entity as it is
    /// (`update_cfs_group` of 6.12).
    fn update_weight_on_64_bits(&mut self, q: CfsRqId, se: EntityId) {
        if self.eevdf.q(q).weight() == 0 {
            return;
        }
        let shares = self.group_weight(q);
        if shares == self.eevdf.se(se).weight {
            return;
        }
        let load = weight::queue_weight(self.rules.fixed_point, weight::scale_load_down(shares));
        let q = self.se(se).cfs_rq;
        if self.rules.flat {
            eevdf::flat::set_group_weight(self, q, se, shares);
            self.set_load(se, load);
        } else if self.se(se).on_rq {
            eevdf::reweight_queued(self, q, se, shares, &|s| s.set_load(se, load));
        } else {
            eevdf::set_weight_off_queue(self, se, shares);
            self.set_load(se, load);
        }
    }

    /// Gives a group's entity another weight where it is (`reweight_entity`).
    fn reweight_entity(&mut self, se: EntityId, weight: u64) {
        let entity = self.se(se);
        let (q, on_rq) = (entity.cfs_rq, entity.on_rq);
        if weight == entity.load.weight {
            return;
        }
        if on_rq && self.cfs(q).curr == Some(se) {
            self.update_curr(q);
        }
        let load = weight::queue_weight(self.rules.fixed_point, weight);
        self.set_load(se, load);
    }

    /// `se` weighs that from now on, and so do the queues that count it.
    fn set_load(&mut self, se: EntityId, load: LoadWeight) {
        let weight = load.weight;
        let entity = self.se_mut(se);
        let (q, on_rq, top) = (entity.cfs_rq, entity.on_rq, entity.parent.is_none());
        let old = core::mem::replace(&mut entity.load, load).weight;
        if on_rq {
            let cfs = self.cfs_mut(q);
            cfs.load = cfs.load - old + weight;
            if top {
                let cpu = cfs.cpu;
                let rq = &mut self.rq[cpu.index()];
                rq.load = rq.load - old + weight;
            }
        }
        if self.tracks_load() {
            self.track_reweight(se, old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{CpuId, CpuMask};
    use crate::sched::TaskSpec;
    use crate::sched::profile::{Base, DeltaSet, Kernel};
    use crate::sched::rq::GroupId;
    use crate::sched::test_machines::flat;
    use crate::task::{Nice, Policy, TaskId};
    use crate::time::Instant;

    const MS: u64 = 1_000_000;

    /// Two CPUs, a group with a hog on each, and a hog beside it on each.
    struct World {
        s: Sched,
        now: u64,
        group: GroupId,
        hogs: [TaskId; 2],
    }

    fn world(base: Base, shares: u64) -> World {
        let mut s = flat(2, &Kernel::compose(base, DeltaSet::default()));
        let group = s.new_group(GroupId(0), shares);
        let hog = |s: &mut Sched, cpu: u16, group| {
            let task = s.new_task(TaskSpec {
                nice: Nice::new(0),
                policy: Policy::Normal,
                allowed: CpuMask::just(CpuId(cpu)),
                group,
                parent: None,
                vruntime: None,
            });
            s.update_rq_clock(CpuId(cpu), Instant(1));
            let _ = s.task_fork(task, CpuId(cpu), Instant(1));
            let _ = s.wake_up_new_task(task, CpuId(cpu));
            task
        };
        let hogs = [0, 1].map(|cpu| hog(&mut s, cpu, group));
        for cpu in [0, 1] {
            hog(&mut s, cpu, GroupId(0));
            let _ = s.pick_next_task(CpuId(cpu));
        }
        World {
            s,
            now: 1,
            group,
            hogs,
        }
    }

    impl World {
        /// Ticks of a millisecond on both CPUs.
        fn run(&mut self, ms: u64) {
            for _ in 0..ms {
                self.now += MS;
                for cpu in [0, 1].map(CpuId) {
                    self.s.update_rq_clock(cpu, Instant(self.now));
                    if self.s.task_tick(cpu).resched {
                        self.schedule(cpu);
                    }
                }
            }
        }

        fn schedule(&mut self, cpu: CpuId) {
            self.s.begin_schedule(cpu);
            self.s.update_rq_clock(cpu, Instant(self.now));
            self.s.put_prev_task(cpu);
            let _ = self.s.pick_next_task(cpu);
        }

        /// The weight of the group's entity on each CPU.
        fn weights(&self) -> [u64; 2] {
            [0, 1].map(|cpu| {
                let q = self.s.group_cfs_rq(self.group, CpuId(cpu));
                let se = self.s.cfs(q).se.expect("below the root");
                self.s.se(se).load.weight
            })
        }
    }

    #[test]
    fn a_group_that_is_equally_busy_everywhere_divides_its_shares_equally() {
        for base in [Base::V3_2, Base::V6_1] {
            let mut w = world(base, 1024);
            w.run(1_000);
            for weight in w.weights() {
                assert!(weight.abs_diff(512) <= 16, "{base:?}: {weight}");
            }
            let hogs = w.hogs.map(|hog| {
                let se = w.s.tasks[hog.index()].se;
                w.s.se(se).sum_exec
            });
            w.run(3_000);
            // 512 against a task of 1024 on each CPU: a third.
            for (hog, before) in w.hogs.into_iter().zip(hogs) {
                let se = w.s.tasks[hog.index()].se;
                let share = (w.s.se(se).sum_exec - before) as f64 / 3e9;
                assert!((share - 1.0 / 3.0).abs() < 0.01, "{base:?}: {share}");
            }
        }
    }

    #[test]
    fn what_one_cpu_no_longer_carries_falls_to_the_other() {
        for base in [Base::V3_2, Base::V6_1] {
            let mut w = world(base, 1024);
            w.run(500);
            let cpu = CpuId(1);
            w.s.begin_schedule(cpu);
            w.s.update_rq_clock(cpu, Instant(w.now));
            let runs = w.s.rq[cpu.index()].curr == Some(w.hogs[1]);
            w.s.deactivate_task(w.hogs[1], true);
            if runs {
                w.s.put_prev_task(cpu);
                let _ = w.s.pick_next_task(cpu);
            }
            for _ in 0..10 {
                w.run(100);
                w.s.update_blocked_averages(cpu);
                w.s.update_shares(cpu);
            }
            w.run(1);
            assert!(w.weights()[0] >= 1020, "{base:?}: {:?}", w.weights());
        }
    }

    #[test]
    fn on_one_cpu_a_group_weighs_all_of_its_shares_whatever_it_holds() {
        for (base, group_shares) in [(Base::V3_2, 300), (Base::V6_1, 2048)] {
            let lone = Kernel::compose(base, DeltaSet::default());
            let mut s = flat(1, &lone);
            let group = s.new_group(GroupId(0), group_shares);
            for nice in [0, 5, -5] {
                let task = s.new_task(TaskSpec {
                    nice: Nice::new(nice),
                    policy: Policy::Normal,
                    allowed: CpuMask::just(CpuId(0)),
                    group,
                    parent: None,
                    vruntime: None,
                });
                let _ = s.task_fork(task, CpuId(0), Instant(1));
                let _ = s.wake_up_new_task(task, CpuId(0));
                let q = s.group_cfs_rq(group, CpuId(0));
                let se = s.cfs(q).se.expect("below the root");
                assert_eq!(s.se(se).load.weight, group_shares, "{base:?}");
            }
        }
    }

    #[test]
    fn nobody_weighs_less_than_two_or_more_than_the_groups_shares() {
        for base in [Base::V3_2, Base::V6_1] {
            let mut w = world(base, 2);
            w.run(300);
            assert_eq!(w.weights(), [2, 2], "{base:?}");
        }
    }
}
