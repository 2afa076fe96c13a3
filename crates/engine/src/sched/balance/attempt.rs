//! One attempt to balance one domain, and what it leaves behind: failures counted, intervals stretched, a
//! migration thread woken.
//!
//! Source: `load_balance`, `load_balance_newidle`, `active_load_balance` of 2.6.31 and 2.6.32, `load_balance` and
//! `active_load_balance_cpu_stop` of 3.2, with `sched_mc_power_savings` 0.

use super::busiest::{Verdict, find_busiest_group, find_busiest_queue};
use super::pull::Pull;
use super::stats::Search;
use super::{Attempt, Balanced};
use crate::machine::CpuId;
use crate::machine::CpuMask;
use crate::machine::sched_domain::DomainOf;
use crate::sched::Sched;
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy, Migration, Moved};
use crate::sched::rq::SdState;
use crate::sched::rules::Balancing;
use crate::sched::sd_flags::SdFlags;
use crate::time::Instant;
use alloc::vec::Vec;

/// A domain in which every task is pinned is looked at less and less, up to this, ms
/// (`MAX_PINNED_INTERVAL`).
pub(super) const MAX_PINNED_INTERVAL: u32 = 512;

/// `ld_moved`: 0, 1, −1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LdMoved {
    /// Nothing.
    Nothing,
    /// Tasks were pulled.
    Tasks,
    /// Nothing, and further levels need not be tried: a failure, or a busy hardware thread beside this one.
    Stop,
}

impl LdMoved {
    pub(super) const fn stops(self) -> bool {
        !matches!(self, LdMoved::Nothing)
    }
}

/// How an attempt ended.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) ld_moved: LdMoved,
    pub(super) why: BalanceWhy,
    pub(super) kind: Migration,
    pub(super) imbalance: u64,
    pub(super) busiest: Option<CpuId>,
    pub(super) visited: u32,
}

impl Outcome {
    pub(super) const fn balanced(why: BalanceWhy) -> Outcome {
        Outcome {
            ld_moved: LdMoved::Nothing,
            why,
            kind: Migration::Load,
            imbalance: 0,
            busiest: None,
            visited: 0,
        }
    }
}

/// What looking for tasks and pulling them came to.
struct Tried {
    outcome: Outcome,
    /// No imbalance, or none that this CPU is to see to.
    balanced: bool,
    /// The last queue looked at held only tasks that may not run here, or that weigh too much.
    all_pinned: bool,
    /// Is every hardware thread of this core idle?
    sd_idle: bool,
}

impl Sched {
    /// Periodic balancing of one domain; in 3.2 that of a newly idle CPU too, whose failures do not count
    /// (`load_balance`).
    pub(super) fn load_balance(
        &mut self,
        this: CpuId,
        d: DomainOf<'_>,
        idle: IdleType,
        moved: &mut Vec<Moved>,
    ) -> Outcome {
        let why = match idle {
            IdleType::Idle => MigrateWhy::IdlePeriodic,
            IdleType::NotIdle => MigrateWhy::Periodic,
            IdleType::NewlyIdle => MigrateWhy::NewIdle,
        };
        let pull = Pull::into(this, d, why);
        let mut tried = self.try_pull(&pull, d, idle, moved);
        let spec = &d.sd.spec;
        if tried.balanced {
            let state = self.sd_state(this, d);
            state.nr_balance_failed = 0;
            stretch(state, spec.max_interval, tried.all_pinned);
            return self.end(this, d, &tried);
        }
        if tried.outcome.ld_moved == LdMoved::Nothing {
            let periodic = idle != IdleType::NewlyIdle;
            let state = self.sd_state(this, d);
            state.nr_balance_failed += u32::from(periodic);
            if periodic && state.nr_balance_failed > spec.cache_nice_tries + 2 {
                match self.ask_to_push(this, d, tried.outcome.busiest) {
                    Push::Pinned => {
                        stretch(self.sd_state(this, d), spec.max_interval, true);
                        return self.end(this, d, &tried);
                    }
                    Push::Asked => tried.outcome.why = BalanceWhy::Active,
                    Push::UnderWay => {}
                }
            }
        } else {
            self.sd_state(this, d).nr_balance_failed = 0;
        }
        let state = self.sd_state(this, d);
        if tried.outcome.why != BalanceWhy::Active {
            state.balance_interval = spec.min_interval;
        } else if state.balance_interval < spec.max_interval {
            state.balance_interval *= 2;
        }
        self.end(this, d, &tried)
    }

    /// A CPU about to go idle looks for tasks in one domain; intervals do not change, and a failure ends its
    /// search (`load_balance_newidle`).
    pub(super) fn load_balance_newidle(
        &mut self,
        this: CpuId,
        d: DomainOf<'_>,
        moved: &mut Vec<Moved>,
    ) -> Outcome {
        let pull = Pull::into(this, d, MigrateWhy::NewIdle);
        let tried = self.try_pull(&pull, d, IdleType::NewlyIdle, moved);
        let mut outcome = tried.outcome;
        if !tried.balanced && outcome.ld_moved == LdMoved::Nothing {
            outcome.ld_moved = LdMoved::Stop;
        } else if tried.balanced && self.sibling_busy(this, d, tried.sd_idle) {
            (outcome.ld_moved, outcome.why) = (LdMoved::Stop, BalanceWhy::SiblingBusy);
        } else {
            self.sd_state(this, d).nr_balance_failed = 0;
        }
        outcome
    }

    /// The result of a periodic attempt: nothing moved in a core with a busy thread counts as not idle further
    /// up.
    fn end(&self, this: CpuId, d: DomainOf<'_>, tried: &Tried) -> Outcome {
        let mut outcome = tried.outcome;
        let nothing = outcome.ld_moved == LdMoved::Nothing;
        if nothing && self.sibling_busy(this, d, tried.sd_idle) {
            outcome.ld_moved = LdMoved::Stop;
        }
        outcome
    }

    /// Is this a core with a busy hardware thread? Saving power at the level above switches the question off; since
    /// 2.6.38 (46e49b38) it is not asked.
    fn sibling_busy(&self, this: CpuId, d: DomainOf<'_>, sd_idle: bool) -> bool {
        !sd_idle && self.asks_for_idle_core(this, d)
    }

    fn asks_for_idle_core(&self, this: CpuId, d: DomainOf<'_>) -> bool {
        let parent = self.domains.at(this, d.index + 1);
        let saving = parent.is_some_and(|p| p.sd.spec.flags.any(SdFlags::POWERSAVINGS_BALANCE));
        let asks = self.rules.balancing == Balancing::NewIdleApart;
        asks && d.sd.spec.flags.any(SdFlags::SHARE_CPUPOWER) && !saving
    }

    /// Finds the busiest group and queue and pulls; a queue of nothing but pinned tasks is left out and the
    /// search starts again.
    fn try_pull(
        &mut self,
        pull: &Pull,
        d: DomainOf<'_>,
        idle: IdleType,
        moved: &mut Vec<Moved>,
    ) -> Tried {
        let this = pull.this;
        let mut left_over: Option<CpuMask> = None;
        let mut tried = Tried {
            outcome: Outcome::balanced(BalanceWhy::NoBusiestGroup),
            balanced: true,
            all_pinned: false,
            sd_idle: idle != IdleType::NotIdle && self.asks_for_idle_core(this, d),
        };
        self.update_group_power(this, d, idle);
        loop {
            let search = Search {
                this,
                domain: d,
                idle,
                cpus: left_over.as_ref(),
            };
            let found = find_busiest_group(self, &search, tried.sd_idle);
            tried.sd_idle = found.sd_idle;
            tried.outcome.visited += found.visited;
            let (group, imbalance) = match found.verdict {
                Verdict::Balanced(why) => return tried.settled(why),
                Verdict::Pull(group, imbalance) => (group, imbalance),
            };
            tried.outcome.imbalance = imbalance;
            let busiest = find_busiest_queue(self, group, imbalance, left_over.as_ref());
            tried.outcome.busiest = busiest;
            let Some(busiest) = busiest else {
                return tried.settled(BalanceWhy::NoBusiestQueue);
            };
            tried.balanced = false;
            if self.rq[busiest.index()].nr_running <= 1 {
                return tried.failed(BalanceWhy::LoneTask);
            }
            self.read_clock_of(busiest, this);
            let pulled = self.move_tasks(pull, busiest, imbalance, moved);
            tried.all_pinned = pulled.all_pinned;
            if pulled.all_pinned {
                // This CPU itself is always left, so the kernel's test for an empty mask never holds.
                left_over.get_or_insert(d.sd.span).remove(busiest);
                continue;
            }
            if !pulled.any {
                let small = imbalance == 0;
                return tried.failed(if small {
                    BalanceWhy::SmallImbalance
                } else {
                    BalanceWhy::AllHotOrPinned
                });
            }
            tried.outcome.ld_moved = LdMoved::Tasks;
            return tried.failed(BalanceWhy::Pulled);
        }
    }

    /// The clock of the busiest queue is read as it is locked (`double_rq_lock`); since 2.6.35 (a64692a3) not before a
    /// task leaves it, so that its tasks seem to have run more recently than they did.
    fn read_clock_of(&mut self, busiest: CpuId, this: CpuId) {
        if self.rules.balancing == Balancing::NewIdleApart {
            let clock = Instant(self.rq[this.index()].clock);
            self.update_rq_clock(busiest, clock);
        }
    }

    fn sd_state(&mut self, this: CpuId, d: DomainOf<'_>) -> &mut SdState {
        &mut self.rq[this.index()].sd[d.index]
    }

    /// Tasks could not be pulled often enough: the busiest CPU's migration thread is to push the running one.
    /// Afterwards one failure more makes it be asked again.
    fn ask_to_push(&mut self, this: CpuId, d: DomainOf<'_>, busiest: Option<CpuId>) -> Push {
        let Some(busiest) = busiest else {
            return Push::Pinned;
        };
        let curr = self.rq[busiest.index()].curr;
        if !curr.is_some_and(|curr| self.tasks[curr.index()].allowed.contains(this)) {
            return Push::Pinned;
        }
        self.sd_state(this, d).nr_balance_failed = d.sd.spec.cache_nice_tries + 1;
        let push_cpu = &mut self.rq[busiest.index()].push_cpu;
        if push_cpu.is_some() {
            return Push::UnderWay;
        }
        *push_cpu = Some(this);
        Push::Asked
    }

    /// The migration thread of `busiest` has taken the CPU: it pushes one task to `target`, the one that was
    /// running if that is the first that may go. Before: `begin_schedule`, `update_rq_clock`,
    /// `put_prev_task`; after: `pick_next_task`.
    pub fn active_load_balance(&mut self, busiest: CpuId, target: CpuId) -> Balanced {
        self.rq[busiest.index()].push_cpu = None;
        let mut out = Balanced::default();
        let domains = alloc::sync::Arc::clone(&self.domains);
        let mut both = domains
            .of(target)
            .filter(|d| d.sd.spec.flags.any(SdFlags::LOAD_BALANCE) && d.sd.span.contains(busiest));
        let Some(d) = both
            .next()
            .filter(|_| self.rq[busiest.index()].nr_running > 0)
        else {
            return out;
        };
        if self.rules.balancing == Balancing::ByGroupType {
            return self.push_by_type(busiest, target, d);
        }
        let clock = Instant(self.rq[busiest.index()].clock);
        self.update_rq_clock(target, clock);
        let pull = Pull::pushed(target, d);
        let pushed = self.move_one_task(&pull, busiest, &mut out.moved);
        out.attempts.push(Attempt {
            level: d.sd.spec.level,
            idle: IdleType::Idle,
            why: if pushed {
                BalanceWhy::Pulled
            } else {
                BalanceWhy::AllHotOrPinned
            },
            kind: Migration::Load,
            imbalance: 0,
            busiest: Some(busiest),
            visited: 0,
            stops: false,
        });
        out
    }
}

/// What became of the wish to have a task pushed.
enum Push {
    /// The running task may not come here, or nothing runs.
    Pinned,
    /// The migration thread was woken.
    Asked,
    /// It had been asked before.
    UnderWay,
}

impl Tried {
    fn settled(mut self, why: BalanceWhy) -> Tried {
        self.balanced = true;
        self.outcome.why = why;
        self
    }

    fn failed(mut self, why: BalanceWhy) -> Tried {
        self.outcome.why = why;
        self
    }
}

/// A balanced domain is looked at half as often, one of pinned tasks even beyond its longest interval.
fn stretch(state: &mut SdState, max_interval: u32, all_pinned: bool) {
    let pinned = all_pinned && state.balance_interval < MAX_PINNED_INTERVAL;
    if pinned || state.balance_interval < max_interval {
        state.balance_interval *= 2;
    }
}
