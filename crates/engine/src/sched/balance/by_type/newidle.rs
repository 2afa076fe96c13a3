//! What a CPU of 6.1 or later does that is about to go idle: it looks while that costs less than it usually idles, and
//! with `NI_RANDOM` as often as it used to find something.
//!
//! Source: kernel/sched/fair.c of 6.1: `newidle_balance`, `update_newidle_cost`; 33cf66d8 (6.19, and the stable series)
//! for `NI_RANDOM`: `update_newidle_stats`; 155213a2aed4 (6.17, 6.18) and 9fe89f022c05 (7.1) for the same.

use crate::machine::CpuId;
use crate::machine::sched_domain::DomainOf;
use crate::sched::Sched;
use crate::sched::balance::Balanced;
use crate::sched::balance::attempt::{LdMoved, Outcome};
use crate::sched::decision::{BalanceWhy, IdleType};
use crate::sched::features::Feature;
use crate::sched::rq::NewIdleState;
use crate::sched::sd_flags::SdFlags;
use alloc::sync::Arc;

/// Searches that are counted before the older ones are halved, and faces of the dice.
const CALLS: u32 = 1024;

/// Time between two halvings counts as one success in each 4.2 ms (`NI_RATE`, 9fe89f022c05: 2²² ns).
const RATE_SHIFT: u32 = 22;

/// Beyond the migration cost by so many ns no search is taken to be dearer (155213a2aed4: `update_newidle_cost`).
const BUMP_MARGIN: u64 = 200;

impl Sched {
    /// The search itself. A CPU that a woken task is on its way to does not go idle for long: it does not look.
    pub(in crate::sched::balance) fn newidle_balance(&mut self, this: CpuId, out: &mut Balanced) {
        self.update_misfit_status(this, None);
        let domains = Arc::clone(&self.domains);
        let rq = &mut self.rq[this.index()];
        if !rq.wake_list.is_empty() {
            if let Some(d) = domains.at(this, 0) {
                out.refuse(d, IdleType::NewlyIdle, BalanceWhy::WakeupPending);
            }
            return;
        }
        rq.idle_stamp = Some(rq.clock);
        let mut next_balance = self.jiffies + u64::from(self.hz.0);
        let avg_idle = self.rq[this.index()].avg_idle;
        let lowest = domains.at(this, 0);
        let too_dear = lowest.is_some_and(|d| avg_idle < self.newidle(this, d).max_cost);
        if !self.overload || too_dear {
            if let Some(d) = lowest {
                next_balance = next_balance.min(self.next_balance_of(this, d));
                let why = if self.overload {
                    BalanceWhy::Throttled
                } else {
                    BalanceWhy::NoOverload
                };
                out.refuse(d, IdleType::NewlyIdle, why);
            }
        } else {
            self.update_blocked_averages(this);
            self.search_while_cheap(this, &mut next_balance, out);
        }
        let rq = &mut self.rq[this.index()];
        rq.next_balance = rq.next_balance.min(next_balance);
        if rq.nr_running > 0 {
            rq.idle_stamp = None;
        } else {
            self.nohz_newidle_balance(this);
        }
    }

    /// Domain by domain, until tasks came or the time is up.
    fn search_while_cheap(&mut self, this: CpuId, next_balance: &mut u64, out: &mut Balanced) {
        let domains = Arc::clone(&self.domains);
        let mut spent = 0;
        for d in domains.of(this) {
            *next_balance = self.next_balance_of(this, d).min(*next_balance);
            if self.rq[this.index()].avg_idle < spent + self.newidle(this, d).max_cost {
                out.refuse(d, IdleType::NewlyIdle, BalanceWhy::Throttled);
                break;
            }
            if !d.sd.spec.flags.any(SdFlags::BALANCE_NEWIDLE) {
                continue;
            }
            let Some(worth) = self.throw_dice(this, d) else {
                self.count_search(this, d, 0);
                out.refuse(d, IdleType::NewlyIdle, BalanceWhy::DiceLost);
                continue;
            };
            let outcome = self.load_balance_by_type(this, d, IdleType::NewlyIdle, &mut out.moved);
            out.note(d, IdleType::NewlyIdle, &outcome);
            let cost = self.cost_of(&outcome);
            spent += cost;
            let found = outcome.ld_moved == LdMoved::Tasks;
            if self.features.has(Feature::NiRandom) {
                self.count_search(this, d, if found { worth } else { 0 });
            }
            let booked = if self.rules.failed_search_dear && !found {
                self.newidle(this, d).max_cost * 3 / 2
            } else {
                cost
            };
            self.note_newidle_cost(this, d, booked);
            if self.rq[this.index()].nr_running > 0 {
                break;
            }
        }
        let rq = &mut self.rq[this.index()];
        rq.max_idle_balance_cost = rq.max_idle_balance_cost.max(spent);
    }

    /// What a search took, by the clock of the CPU.
    fn cost_of(&self, outcome: &Outcome) -> u64 {
        let cost = self.search_cost;
        u64::from(cost.base) + u64::from(cost.queue) * u64::from(outcome.visited)
    }

    /// Is the domain looked at this time, and for how many searches does that count? With `NI_RANDOM` a die of 1024
    /// faces decides by how often searches succeeded; without it, or the die, always.
    fn throw_dice(&mut self, this: CpuId, d: DomainOf<'_>) -> Option<u32> {
        if !self.features.has(Feature::NiRandom) {
            return Some(1);
        }
        let ratio = self.newidle(this, d).ratio;
        if self.rules.sure_search_free && ratio >= CALLS {
            return Some(1);
        }
        let weight = 1 + ratio;
        let die = self.rq[this.index()].throw() % CALLS;
        (die <= weight).then_some((CALLS + weight / 2) / weight)
    }

    /// Counts one search and its success, if it was one: older ones are halved from time to time, and then it is worked
    /// out how often they succeed. With `NI_RATE` searches that are rare count as if they did (`update_newidle_stats`).
    fn count_search(&mut self, this: CpuId, d: DomainOf<'_>, success: u32) {
        let now = self.rq[this.index()].clock;
        let (rate, sure) = (
            self.features.has(Feature::NiRate),
            self.rules.sure_search_free,
        );
        let state = self.newidle_mut(this, d);
        state.calls += 1;
        state.successes += success;
        if state.calls < CALLS {
            return;
        }
        let rare = if rate {
            now.saturating_sub(state.stamp) >> RATE_SHIFT
        } else {
            0
        };
        let ratio = u64::from(state.successes) + rare;
        let most = if sure { CALLS } else { u32::MAX };
        state.ratio = ratio.min(u64::from(most)) as u32;
        state.stamp = now;
        state.calls /= 2;
        state.successes /= 2;
    }

    fn newidle(&self, this: CpuId, d: DomainOf<'_>) -> &NewIdleState {
        &self.rq[this.index()].sd[d.index].newidle
    }

    fn newidle_mut(&mut self, this: CpuId, d: DomainOf<'_>) -> &mut NewIdleState {
        &mut self.rq[this.index()].sd[d.index].newidle
    }

    /// When the domain is due next, for an idle CPU (`update_next_balance`).
    fn next_balance_of(&self, this: CpuId, d: DomainOf<'_>) -> u64 {
        let last = self.rq[this.index()].sd[d.index].last_balance;
        last + self.balance_interval(this, d, IdleType::Idle)
    }

    /// A search of that cost was made: the highest is remembered, and fades by 1 % a second (`update_newidle_cost`).
    /// True if it faded.
    fn note_newidle_cost(&mut self, this: CpuId, d: DomainOf<'_>, cost: u64) -> bool {
        let (jiffies, hz) = (self.jiffies, u64::from(self.hz.0));
        let most = if self.rules.failed_search_dear {
            self.migration_cost() + BUMP_MARGIN
        } else {
            u64::MAX
        };
        let state = self.newidle_mut(this, d);
        if cost > state.max_cost {
            (state.max_cost, state.last_decay) = (cost.min(most), jiffies);
        } else if jiffies > state.last_decay + hz {
            (state.max_cost, state.last_decay) = (state.max_cost * 253 / 256, jiffies);
            return true;
        }
        false
    }

    /// The pass of a tick comes by: lets the cost fade. True if it did.
    pub(in crate::sched::balance) fn fade_newidle_cost(
        &mut self,
        this: CpuId,
        d: DomainOf<'_>,
    ) -> bool {
        self.note_newidle_cost(this, d, 0)
    }
}
