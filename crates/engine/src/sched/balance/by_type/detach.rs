//! Which tasks of the busiest CPU move: those that ran longest ago first, as long as they are worth it.
//!
//! Kernels since 5.12 that can choose how they preempt (`PREEMPT_DYNAMIC`) are built to preempt, whatever they choose: a
//! newly idle CPU pulls one task and is done.
//! Source: kernel/sched/fair.c of 6.1, 6.12 and 6.18: `detach_tasks`, `detach_one_task`, `can_migrate_task`, `task_hot`,
//! `attach_tasks`, `task_fits_capacity`, `update_misfit_status`.

use crate::machine::sched_domain::DomainOf;
use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::{IdleType, MigrateWhy, Migration, Moved};
use crate::sched::features::Feature;
use crate::sched::pelt::fits_capacity;
use crate::sched::rq::CfsRqId;
use crate::sched::sd_flags::SdFlags;
use crate::sched::{Sched, WakeFlags, eevdf};
use crate::task::{Policy, TaskId};
use crate::time::Instant;
use alloc::vec::Vec;

/// After so many tasks the lock is dropped for a moment (`SCHED_NR_MIGRATE_BREAK`).
const BREAK: u32 = 32;

/// With `LB_MIN` a task of less load is left alone, if the last attempt did not fail (`detach_tasks`).
const LB_MIN_LOAD: u64 = 16;

/// `lb_env`: what an attempt is about.
#[derive(Clone, Copy)]
pub(super) struct Env {
    /// The CPU that balances.
    pub(super) this: CpuId,
    /// Where tasks go: that CPU, or another of its group.
    pub(super) dst: CpuId,
    /// Where they come from.
    pub(super) src: CpuId,
    /// How idle the balancing CPU is.
    pub(super) idle: IdleType,
    /// CPUs that are left.
    pub(super) cpus: CpuMask,
    /// What is to be moved.
    pub(super) kind: Migration,
    /// How much of it is left.
    pub(super) imbalance: i64,
    /// Was no task seen that may run here?
    pub(super) all_pinned: bool,
    /// Was one seen that may not?
    pub(super) some_pinned: bool,
    /// Where such a one may run.
    other: Option<CpuId>,
    /// Does the migration thread push?
    pushes: bool,
    /// Tasks looked at.
    pub(super) visits: u32,
}

impl Env {
    pub(super) fn new(this: CpuId, d: DomainOf<'_>, idle: IdleType) -> Env {
        Env {
            this,
            dst: this,
            src: this,
            idle,
            cpus: d.sd.span,
            kind: Migration::Load,
            imbalance: 0,
            all_pinned: false,
            some_pinned: false,
            other: None,
            pushes: false,
            visits: 0,
        }
    }

    /// What the migration thread of `busiest` does for `target`.
    pub(super) fn pushing(busiest: CpuId, target: CpuId, d: DomainOf<'_>) -> Env {
        Env {
            src: busiest,
            pushes: true,
            ..Env::new(target, d, IdleType::Idle)
        }
    }

    fn why(&self) -> MigrateWhy {
        match self.idle {
            IdleType::Idle => MigrateWhy::IdlePeriodic,
            IdleType::NotIdle => MigrateWhy::Periodic,
            IdleType::NewlyIdle => MigrateWhy::NewIdle,
        }
    }
}

impl Sched {
    /// Takes tasks until the imbalance is gone; then, if some may not come here, those that may go to another CPU of
    /// this group. Returns how many.
    pub(super) fn take_tasks(
        &mut self,
        env: &mut Env,
        d: DomainOf<'_>,
        moved: &mut Vec<Moved>,
    ) -> usize {
        let before = moved.len();
        let mut pause = BREAK;
        loop {
            let clock = Instant(self.rq[env.this.index()].clock);
            self.update_rq_clock(env.src, clock);
            let (taken, paused) = self.detach_tasks(env, d, pause);
            self.update_rq_clock(env.dst, clock);
            for task in taken.iter().rev() {
                self.attach_task(*task, env.dst);
                moved.push(Moved {
                    task: *task,
                    from: env.src,
                    to: env.dst,
                    why: env.why(),
                });
            }
            if paused && env.visits < self.rq[env.src.index()].nr_running {
                pause += BREAK;
                continue;
            }
            match env.other.filter(|_| env.imbalance > 0) {
                Some(other) => {
                    env.cpus.remove(env.dst);
                    (env.dst, env.other, env.visits) = (other, None, 0);
                    pause = BREAK;
                }
                None => return moved.len() - before,
            }
        }
    }

    /// One go at the tasks of the busiest CPU; true if it was paused. What is passed over goes to the front of the
    /// list, so that others come first the next time.
    fn detach_tasks(&mut self, env: &mut Env, d: DomainOf<'_>, pause: u32) -> (Vec<TaskId>, bool) {
        let mut taken = Vec::new();
        if self.rq[env.src.index()].nr_running <= 1 {
            env.all_pinned = false;
            return (taken, false);
        }
        let most = self
            .tunables
            .nr_migrate
            .min(self.rq[env.src.index()].nr_running);
        while env.imbalance > 0 {
            let nr = self.rq[env.src.index()].nr_running;
            let Some(task) = self.last_task(env.src) else {
                break;
            };
            if env.idle != IdleType::NotIdle && nr <= 1 {
                break;
            }
            env.visits += 1;
            if env.visits > most && !(env.all_pinned && self.rules.pinned_search_goes_on) {
                break;
            }
            if env.visits > pause {
                return (taken, true);
            }
            if self.can_migrate_by_type(env, d, task) && self.worth(env, d, task) {
                self.deactivate_task(task, false);
                self.set_task_cpu(task, env.dst);
                taken.push(task);
                if env.idle == IdleType::NewlyIdle {
                    break;
                }
            } else {
                self.move_to_front(task);
            }
        }
        (taken, false)
    }

    /// The task of `cpu` that ran longest ago.
    fn last_task(&self, cpu: CpuId) -> Option<TaskId> {
        self.cfs(CfsRqId(u32::from(cpu.0))).last_task
    }

    /// Is `p` no more than what is to be moved? If so it is taken off that. After failures more is accepted.
    fn worth(&self, env: &mut Env, d: DomainOf<'_>, p: TaskId) -> bool {
        let failed = self.rq[env.this.index()].sd[d.index].nr_balance_failed;
        let takes = match env.kind {
            Migration::Load => {
                let load = self.task_h_load(p).max(1);
                let small = load < LB_MIN_LOAD && failed == 0;
                if self.features.has(Feature::LbMin) && small {
                    return false;
                }
                if load.checked_shr(failed).unwrap_or(0) as i64 > env.imbalance {
                    return false;
                }
                load as i64
            }
            Migration::Util => {
                let util = self.task_util_est(p);
                let failed = if self.rules.util_after_failures {
                    failed
                } else {
                    0
                };
                if util.checked_shr(failed).unwrap_or(0) as i64 > env.imbalance {
                    return false;
                }
                util as i64
            }
            Migration::Task => 1,
            Migration::Misfit if self.fits(p, env.src) => return false,
            Migration::Misfit => env.imbalance,
        };
        env.imbalance -= takes;
        true
    }

    /// May `p` go, and is it not kept by its warm cache? (`can_migrate_task`)
    fn can_migrate_by_type(&self, env: &mut Env, d: DomainOf<'_>, p: TaskId) -> bool {
        let rules = &self.rules;
        if rules.delayed_stay && env.kind != Migration::Load && self.is_delayed(p) {
            return false;
        }
        if self.is_held_back_between(p, env.dst) {
            return false;
        }
        let failed = self.rq[env.this.index()].sd[d.index].nr_balance_failed;
        if rules.eligible_first && failed == 0 && self.stays_ineligible(p, env.dst) {
            return false;
        }
        let allowed = &self.tasks[p.index()].allowed;
        if !allowed.contains(env.dst) {
            env.some_pinned = true;
            let asked = env.idle == IdleType::NewlyIdle || env.other.is_some() || env.pushes;
            if !asked {
                let group = d.local().cpus.iter().filter(|cpu| env.cpus.contains(**cpu));
                env.other = group.copied().find(|cpu| allowed.contains(*cpu));
            }
            return false;
        }
        env.all_pinned = false;
        if self.rq[env.src.index()].curr == Some(p) && !env.pushes {
            return false;
        }
        env.pushes || failed > d.sd.spec.cache_nice_tries || !self.task_hot_by_type(p, env.dst, d)
    }

    /// Has `p` had more than its share, and will there be others on `dst` that have not
    /// (`task_is_ineligible_on_dst_cpu`)?
    fn stays_ineligible(&self, p: TaskId, dst: CpuId) -> bool {
        let task = &self.tasks[p.index()];
        let others = if self.rules.flat {
            self.rq[dst.index()].h_nr_running
        } else {
            self.cfs(self.group_cfs_rq(task.group, dst)).nr_running
        };
        self.features.has(Feature::PlaceLag) && others > 0 && !eevdf::entity_eligible(self, task.se)
    }

    /// Is `p` likely to have its data in the cache of its CPU? Threads of a core share theirs (`task_hot`).
    pub(in crate::sched::balance) fn task_hot_by_type(
        &self,
        p: TaskId,
        dst: CpuId,
        d: DomainOf<'_>,
    ) -> bool {
        let task = &self.tasks[p.index()];
        let threads = d.sd.spec.flags.any(SdFlags::SHARE_CPUPOWER);
        if task.policy == Policy::Idle || threads {
            return false;
        }
        self.task_hot(p, MigrateWhy::Periodic, dst)
    }

    /// The migration thread takes the task that ran longest ago of those that may go (`detach_one_task`).
    pub(super) fn detach_one(&mut self, env: &mut Env, d: DomainOf<'_>) -> Option<TaskId> {
        let mut next = self.last_task(env.src);
        while let Some(task) = next {
            if self.can_migrate_by_type(env, d, task) {
                self.deactivate_task(task, false);
                self.set_task_cpu(task, env.dst);
                return Some(task);
            }
            next = self.tasks[task.index()].link.prev;
        }
        None
    }

    /// Puts a task that was taken on its new CPU, and asks whether it preempts there (`attach_task`).
    pub(super) fn attach_task(&mut self, task: TaskId, cpu: CpuId) {
        self.activate_task(task, false);
        let _ = self.check_preempt_curr(cpu, task, WakeFlags::default());
    }

    /// Does `p` leave its CPU some room? (`task_fits_capacity`)
    fn fits(&self, p: TaskId, cpu: CpuId) -> bool {
        fits_capacity(self.task_util_est(p), self.cpu_capacity(cpu))
    }

    /// Remembers whether what `cpu` runs is too much for it (`update_misfit_status`).
    #[inline]
    pub(in crate::sched) fn update_misfit_status(&mut self, cpu: CpuId, running: Option<TaskId>) {
        if self.domains.asym_capacity() {
            self.note_misfit(cpu, running);
        }
    }

    fn note_misfit(&mut self, cpu: CpuId, running: Option<TaskId>) {
        let misfit =
            running.filter(|p| self.tasks[p.index()].allowed.weight() > 1 && !self.fits(*p, cpu));
        let load = misfit.map_or(0, |p| self.task_h_load(p).max(1));
        self.rq[cpu.index()].misfit_task_load = load;
    }
}
