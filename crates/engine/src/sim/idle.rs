//! How deep an idle CPU sleeps, and so how long it takes to wake.
//!
//! A governor in the manner of the kernel's menu governor, reduced to what matters here (chosen,
//! workloads-machines.md §3.2): the shorter of the time to the next tick and the mean of the last eight idle
//! spells picks the deepest state that pays. Not here: leaving the first state, which is a direct cost.

use crate::machine::catalog::IdleState;

/// Idle spells remembered.
const SPELLS: usize = 8;

/// Exit latencies in the tables are worst cases; a third is typical (chosen, §3.2).
const TYPICAL: u64 = 3;

/// What one CPU remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IdleGovernor {
    since: u64,
    spells: [u64; SPELLS],
    next: u8,
    /// What leaving the present state takes beyond leaving the first, ns.
    exit_extra: u64,
}

impl IdleGovernor {
    /// The CPU goes idle; its next tick is at `tick`.
    pub(super) fn enter(&mut self, now: u64, tick: u64, states: &[IdleState]) {
        self.since = now;
        let Some((first, deeper)) = states
            .split_first()
            .filter(|(_, deeper)| !deeper.is_empty())
        else {
            return;
        };
        let mean = self.spells.iter().sum::<u64>() / SPELLS as u64;
        let expected = mean.min(tick.saturating_sub(now));
        let pays = |state: &&IdleState| u64::from(state.residency_us) * 1000 <= expected;
        let exit = deeper
            .iter()
            .take_while(pays)
            .last()
            .unwrap_or(first)
            .exit_us;
        self.exit_extra = u64::from(exit - first.exit_us) * 1000 / TYPICAL;
    }

    /// The CPU goes to work.
    pub(super) fn leave(&mut self, now: u64) {
        self.spells[usize::from(self.next)] = now.saturating_sub(self.since);
        self.next = (self.next + 1) % SPELLS as u8;
    }

    /// What waking it takes beyond leaving the first state, ns.
    pub(super) fn exit_extra(&self) -> u64 {
        self.exit_extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    #[test]
    fn long_idle_spells_lead_to_deep_states_and_a_near_tick_out_of_them() {
        let nehalem = Machine::by_name("nehalem-ep-2x4x2").expect("in the catalog");
        let mut governor = IdleGovernor::default();
        governor.enter(0, u64::MAX, &nehalem.idle);
        assert_eq!(governor.exit_extra(), 0);
        for spell in 1..=16 {
            governor.enter(0, u64::MAX, &nehalem.idle);
            governor.leave(spell * 1_000_000);
        }
        governor.enter(0, u64::MAX, &nehalem.idle);
        // C6: (200 − 3) µs, a third of it.
        assert_eq!(governor.exit_extra(), 65_666);
        governor.enter(0, 100_000, &nehalem.idle);
        assert_eq!(governor.exit_extra(), 17_000 / 3);
    }
}
