//! One attempt to balance one domain, and what it leaves behind.
//!
//! Source: kernel/sched/fair.c of 6.1 and 6.6: `load_balance`, `should_we_balance`, `need_active_balance`,
//! `active_load_balance_cpu_stop`.

use super::busiest::{Imbalance, find_busiest_group, find_busiest_queue};
use super::detach::Env;
use super::stats::Search;
use crate::machine::CpuId;
use crate::machine::sched_domain::DomainOf;
use crate::sched::Sched;
use crate::sched::balance::attempt::{LdMoved, MAX_PINNED_INTERVAL, Outcome};
use crate::sched::balance::{Attempt, Balanced};
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy, Migration, Moved};
use crate::sched::rq::SdState;
use crate::sched::sd_flags::SdFlags;
use crate::time::Instant;
use alloc::vec::Vec;

/// How looking for tasks ended.
enum Tried {
    /// No imbalance, or none that this CPU is to see to.
    Balanced,
    /// Nothing but pinned tasks, on every CPU that could give some.
    AllPinned,
    /// This CPU was looked at, and so many tasks were moved.
    Moved(CpuId, usize),
}

impl Sched {
    /// Balances one domain, into `this` (`load_balance`).
    pub(in crate::sched::balance) fn load_balance_by_type(
        &mut self,
        this: CpuId,
        d: DomainOf<'_>,
        idle: IdleType,
        moved: &mut Vec<Moved>,
    ) -> Outcome {
        let mut env = Env::new(this, d, idle);
        let mut outcome = Outcome::balanced(BalanceWhy::NoBusiestGroup);
        let tried = self.try_move(&mut env, d, (&mut outcome, moved));
        let periodic = idle != IdleType::NewlyIdle;
        let max_interval = d.sd.spec.max_interval;
        let counts =
            periodic && !(self.rules.misfit_is_no_failure && env.kind == Migration::Misfit);
        match tried {
            Tried::Balanced | Tried::AllPinned => {
                if matches!(tried, Tried::Balanced) && !env.all_pinned {
                    self.set_imbalanced(this, d, false);
                }
                let state = self.state(this, d);
                state.nr_balance_failed = 0;
                if counts {
                    stretch(state, max_interval, env.all_pinned);
                }
            }
            Tried::Moved(busiest, 0) => {
                self.state(this, d).nr_balance_failed += u32::from(counts);
                outcome.why = self.push_instead(&mut env, d, (busiest, outcome.why));
                if outcome.why == BalanceWhy::PushPinned {
                    if counts {
                        stretch(self.state(this, d), max_interval, env.all_pinned);
                    }
                    return outcome;
                }
                let asks_on = self.need_active_balance(&env, d);
                if outcome.why != BalanceWhy::Active || asks_on {
                    self.state(this, d).balance_interval = d.sd.spec.min_interval;
                }
            }
            Tried::Moved(..) => {
                (outcome.ld_moved, outcome.why) = (LdMoved::Tasks, BalanceWhy::Pulled);
                let state = self.state(this, d);
                state.nr_balance_failed = 0;
                state.balance_interval = d.sd.spec.min_interval;
            }
        }
        outcome
    }

    /// Nothing could be moved: perhaps the running task of `busiest` is to be pushed.
    fn push_instead(
        &mut self,
        env: &mut Env,
        d: DomainOf<'_>,
        (busiest, why): (CpuId, BalanceWhy),
    ) -> BalanceWhy {
        if !self.need_active_balance(env, d) {
            return why;
        }
        let curr = self.rq[busiest.index()].curr;
        if !curr.is_some_and(|curr| self.tasks[curr.index()].allowed.contains(env.this)) {
            return BalanceWhy::PushPinned;
        }
        env.all_pinned = false;
        let push_cpu = &mut self.rq[busiest.index()].push_cpu;
        if push_cpu.is_some() {
            return why;
        }
        *push_cpu = Some(env.this);
        BalanceWhy::Active
    }

    /// Looks for the busiest CPU and takes tasks from it. One of nothing but pinned tasks is left out and the search
    /// starts again; tasks that may not come here may go to another CPU of this group.
    fn try_move(
        &mut self,
        env: &mut Env,
        d: DomainOf<'_>,
        (outcome, moved): (&mut Outcome, &mut Vec<Moved>),
    ) -> Tried {
        loop {
            if !self.should_we_balance(env, d) {
                outcome.why = BalanceWhy::NotDesignated;
                return Tried::Balanced;
            }
            self.update_group_power(env.dst, d, env.idle);
            let search = Search {
                dst: env.dst,
                domain: d,
                idle: env.idle,
                cpus: env.cpus,
            };
            let found = find_busiest_group(self, &search);
            outcome.visited += found.stats.visited;
            let top = self.domains.at(env.this, d.index + 1).is_none();
            if top {
                self.overload = found.stats.overload;
            }
            self.overutilized = found.stats.overutilized || self.overutilized && !top;
            if env.idle != IdleType::NewlyIdle {
                let domain = (d.sd.cpus.len() as u32, d.sd.spec.imbalance_pct);
                self.update_idle_cpu_scan(env.dst, domain, found.stats.total_util);
            }
            let (group, imbalance) = match found.verdict {
                Ok(verdict) => verdict,
                Err(why) => {
                    outcome.why = why;
                    return Tried::Balanced;
                }
            };
            (outcome.kind, outcome.imbalance) = imbalance;
            outcome.busiest = find_busiest_queue(self, &search, group, imbalance);
            let Some(busiest) = outcome.busiest else {
                outcome.why = BalanceWhy::NoBusiestQueue;
                return Tried::Balanced;
            };
            env.start(busiest, imbalance);
            if self.rq[busiest.index()].nr_running <= 1 {
                outcome.why = BalanceWhy::LoneTask;
                return Tried::Moved(busiest, 0);
            }
            outcome.why = BalanceWhy::AllHotOrPinned;
            let taken = self.take_tasks(env, d, moved);
            if env.some_pinned && env.imbalance > 0 {
                self.set_imbalanced(env.this, d, true);
            }
            if env.all_pinned {
                env.cpus.remove(busiest);
                if env.cpus.is_subset(&d.local().span) {
                    return Tried::AllPinned;
                }
                continue;
            }
            return Tried::Moved(busiest, taken);
        }
    }

    /// Is this CPU the one to balance: the first idle one of its group, by the rule one whose whole core is idle, else its
    /// first? A newly idle one always is (`should_we_balance`).
    fn should_we_balance(&self, env: &Env, d: DomainOf<'_>) -> bool {
        if !env.cpus.contains(env.dst) {
            return false;
        }
        if env.idle == IdleType::NewlyIdle {
            let rq = &self.rq[env.dst.index()];
            return rq.nr_running == 0 && rq.wake_list.is_empty();
        }
        let group = &d.local().cpus;
        let idle = |cpu: &&CpuId| env.cpus.contains(**cpu) && self.idle_cpu(**cpu);
        let mut first_idle = group.iter().find(idle);
        let cores = self.rules.idle_core_balances && self.near.has_threads();
        if cores && !d.sd.spec.flags.any(SdFlags::SHARE_CPUPOWER) {
            let of_core = |cpu: &&CpuId| idle(cpu) && self.is_core_idle(**cpu);
            first_idle = group.iter().find(of_core).or(first_idle);
        }
        first_idle.or(group.first()) == Some(&env.dst)
    }

    /// Is it time to push the running task? If it is too much for its CPU, or if tasks could not be moved often enough
    /// (`need_active_balance`).
    fn need_active_balance(&self, env: &Env, d: DomainOf<'_>) -> bool {
        let (state, pct) = (
            &self.rq[env.this.index()].sd[d.index],
            d.sd.spec.imbalance_pct,
        );
        // Real-time tasks take so much of that CPU that its only fair task had better run here.
        let squeezed = env.idle != IdleType::NotIdle
            && self.nr_to_balance(env.src) == 1
            && self.has_reduced_capacity(env.src, pct)
            && self.cpu_capacity(env.src) * pct < self.cpu_capacity(env.dst) * 100;
        match env.kind {
            _ if squeezed => true,
            Migration::Misfit => true,
            Migration::Task => state.nr_balance_failed > d.sd.spec.cache_nice_tries + 2,
            Migration::Load | Migration::Util => false,
        }
    }

    fn state(&mut self, this: CpuId, d: DomainOf<'_>) -> &mut SdState {
        &mut self.rq[this.index()].sd[d.index]
    }

    /// Remembers in the level above whether pinned tasks kept this one from its goal.
    fn set_imbalanced(&mut self, this: CpuId, d: DomainOf<'_>, on: bool) {
        let parent = self.domains.at(this, d.index + 1);
        if let Some(group) = parent.map(|parent| parent.local().number) {
            self.imbalanced[group as usize] = on;
        }
    }

    /// The migration thread of `busiest` has taken the CPU: it pushes the task that ran longest ago and may go.
    pub(in crate::sched::balance) fn push_by_type(
        &mut self,
        busiest: CpuId,
        target: CpuId,
        d: DomainOf<'_>,
    ) -> Balanced {
        let mut out = Balanced::default();
        let clock = Instant(self.rq[busiest.index()].clock);
        self.update_rq_clock(target, clock);
        let mut env = Env::pushing(busiest, target, d);
        let pushed = self.detach_one(&mut env, d);
        if let Some(task) = pushed {
            self.attach_task(task, target);
            self.state(target, d).nr_balance_failed = 0;
            out.moved.push(Moved {
                task,
                from: busiest,
                to: target,
                why: MigrateWhy::Active,
            });
        }
        out.attempts.push(Attempt {
            level: d.sd.spec.level,
            idle: IdleType::Idle,
            why: match pushed {
                Some(_) => BalanceWhy::Pulled,
                None => BalanceWhy::AllHotOrPinned,
            },
            kind: Migration::Task,
            imbalance: 0,
            busiest: Some(busiest),
            visited: 0,
            stops: false,
        });
        out
    }
}

impl Env {
    /// Tasks are to be taken from `busiest`.
    fn start(&mut self, busiest: CpuId, (kind, imbalance): Imbalance) {
        self.src = busiest;
        self.kind = kind;
        self.imbalance = imbalance as i64;
        self.all_pinned = true;
        self.visits = 0;
    }
}

/// A balanced domain is looked at half as often, one of pinned tasks even beyond its longest interval.
fn stretch(state: &mut SdState, max_interval: u32, all_pinned: bool) {
    let pinned = all_pinned && state.balance_interval < MAX_PINNED_INTERVAL;
    if pinned || state.balance_interval < max_interval {
        state.balance_interval *= 2;
    }
}
