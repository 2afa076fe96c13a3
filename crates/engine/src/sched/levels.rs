//! The domain levels of each kernel as its rules make them: numbers and flags, before a machine is looked at.
//!
//! Not here: what the domains of a machine are (`machine/sched_domain`).

use super::profile::Kernel;
use super::rules::{CpuPower, DomainTable, PreferLocal, Rules, Select};
use super::sd_flags::{Intervals, Level, LoadIdx, SdFlags, SdSpec};

impl Kernel {
    /// Where this kernel knows no such flag: what it does instead, always.
    pub const fn instead_of_flag(&self, flag: SdFlags) -> Option<&'static str> {
        let separate = matches!(self.rules.select, Select::Separate);
        let v6 = matches!(self.rules.domains, DomainTable::V6 | DomainTable::V6_7);
        let counts_once = matches!(self.rules.cpu_power, CpuPower::SharedCountsOnce);
        match flag {
            SdFlags::LOAD_BALANCE if v6 => Some("gone since 5.8: every domain balances"),
            SdFlags::BALANCE_WAKE if separate => {
                Some("it comes with D07: wakeups look at two CPUs")
            }
            SdFlags::WAKE_BALANCE if !separate => {
                Some("gone since 2.6.32: nothing pulls passively")
            }
            SdFlags::PREFER_LOCAL if separate => {
                Some("it comes with D10, on D07: nothing is counted")
            }
            SdFlags::PREFER_LOCAL if v6 => Some("gone long before: nothing is counted"),
            SdFlags::PREFER_SIBLING if counts_once => {
                Some("it comes with D09: what shares a cache counts as one CPU")
            }
            SdFlags::POWERSAVINGS_BALANCE if v6 => Some("gone since 3.5: nothing is packed"),
            _ => None,
        }
    }
}

/// The domain levels under `rules`: `SD_SIBLING_INIT` … `SD_ALLNODES_INIT`, or what `sd_init` makes of a level.
pub(super) fn domains(rules: &Rules) -> [SdSpec; 5] {
    Level::ALL.map(|level| {
        let numbers = match rules.domains {
            DomainTable::V31 | DomainTable::Retuned | DomainTable::V3_2 => numbers_of(level),
            DomainTable::V6 | DomainTable::V6_7 => numbers_of_v6(level),
        };
        SdSpec {
            idx: match rules.domains {
                DomainTable::V31 | DomainTable::V6 | DomainTable::V6_7 => numbers.idx,
                DomainTable::Retuned | DomainTable::V3_2 => LoadIdx {
                    newidle: 0,
                    wake: 0,
                    forkexec: 0,
                    ..numbers.idx
                },
            },
            flags: flags_of(level, rules),
            ..numbers
        }
    })
}

/// Intervals, busy factor, imbalance percentage, nice tries and load indices of 2.6.31.
const fn numbers_of(level: Level) -> SdSpec {
    const fn idx(busy: u8, idle: u8, newidle: u8, wake: u8, forkexec: u8) -> LoadIdx {
        LoadIdx {
            busy,
            idle,
            newidle,
            wake,
            forkexec,
        }
    }
    let (interval, busy_factor, imbalance_pct, cache_nice_tries, idx) = match level {
        Level::Sibling => ((1, 2), 64, 110, 0, idx(0, 0, 0, 0, 0)),
        Level::Mc => ((1, 4), 64, 125, 1, idx(2, 0, 0, 1, 1)),
        Level::Cpu => ((1, 4), 64, 125, 1, idx(2, 1, 2, 1, 1)),
        Level::Node => ((8, 32), 32, 125, 2, idx(3, 2, 2, 1, 1)),
        Level::AllNodes => ((64, 64), 128, 133, 1, idx(3, 3, 0, 0, 0)),
    };
    SdSpec {
        level,
        min_interval: interval.0,
        max_interval: interval.1,
        intervals: match level {
            Level::AllNodes => Intervals::LongestByCpus,
            _ => Intervals::AsTheyAre,
        },
        busy_factor,
        imbalance_pct,
        cache_nice_tries,
        idx,
        flags: SdFlags::EMPTY,
    }
}

/// The same of 6.1 and 6.5, which have no load indices (kernel/sched/topology.c: `sd_init`).
const fn numbers_of_v6(level: Level) -> SdSpec {
    let (imbalance_pct, cache_nice_tries) = match level {
        Level::Sibling => (110, 0),
        Level::Mc | Level::Cpu => (117, 1),
        Level::Node | Level::AllNodes => (117, 2),
    };
    SdSpec {
        min_interval: 1,
        max_interval: 2,
        intervals: Intervals::BySpan,
        busy_factor: 16,
        imbalance_pct,
        cache_nice_tries,
        idx: numbers_of(Level::Sibling).idx,
        ..numbers_of(level)
    }
}

/// The flags of a level, each with the rule that turns it on. 6.1 and 6.5 have no `SD_LOAD_BALANCE`: every domain
/// balances.
fn flags_of(level: Level, rules: &Rules) -> SdFlags {
    let table = rules.domains;
    let v6 = table >= DomainTable::V6;
    let inner = v6 || level != Level::AllNodes;
    let threads = level == Level::Sibling;
    let cached = matches!(level, Level::Mc | Level::Cpu);
    let retuned = table != DomainTable::V31;
    let local = match rules.prefer_local {
        PreferLocal::Nowhere => false,
        PreferLocal::McAndCpu => cached,
        PreferLocal::Node => level == Level::Node,
    };
    let prefer_sibling = match rules.cpu_power {
        CpuPower::SharedCountsOnce => false,
        CpuPower::Sum => cached,
        CpuPower::PerCpu => threads || cached,
    };
    let one_cache = level == Level::Mc || threads && table >= DomainTable::V3_2;
    [
        (SdFlags::LOAD_BALANCE, true),
        (
            SdFlags::BALANCE_NEWIDLE,
            retuned || matches!(level, Level::Sibling | Level::AllNodes),
        ),
        (SdFlags::BALANCE_EXEC | SdFlags::BALANCE_FORK, inner),
        (SdFlags::WAKE_AFFINE, inner || !retuned),
        (
            SdFlags::WAKE_BALANCE,
            inner && rules.select == Select::Separate,
        ),
        (SdFlags::BALANCE_WAKE, inner && rules.balance_wake),
        (SdFlags::PREFER_LOCAL, local),
        (SdFlags::SHARE_CPUPOWER, threads),
        (SdFlags::SHARE_PKG_RESOURCES, one_cache),
        (SdFlags::PREFER_SIBLING, prefer_sibling),
        (
            SdFlags::SERIALIZE,
            matches!(level, Level::Node | Level::AllNodes),
        ),
    ]
    .into_iter()
    .fold(SdFlags::EMPTY, |flags, (flag, on)| {
        flags.with(flag, flags.has(flag) || on)
    })
}
