//! Of which type a group of CPUs is: how busy, for selection and balancing of 6.1 and later alike.
//!
//! Not here: counting, which the two do differently ([`super::wakeup`], [`super::balance`]). The type of asymmetric
//! packing needs CPUs of different priority, which no machine here has.
//! Source: kernel/sched/fair.c of 6.1 and 6.6: `enum group_type`, `group_classify`, `group_is_overloaded`,
//! `group_has_capacity`.

use super::decision::reasons;

reasons! {
    /// How busy a group is, least busy first (`enum group_type`).
    #[derive(Default)]
    GroupType {
        #[default]
        HasSpare "has room",
        FullyBusy "is fully busy",
        Misfit "is too weak for the task",
        SmtBalance "has several busy threads on one core",
        Imbalanced "could not be balanced below, for tasks that are pinned",
        Overloaded "is overloaded",
    }
}

/// A difference of so many tasks, or idle CPUs, may stay between nodes, so that a pair of tasks that communicate keeps
/// together (`NUMA_IMBALANCE_MIN`, `adjust_numa_imbalance`).
pub(super) const NUMA_IMBALANCE_MIN: u64 = 2;

/// What the type of a group depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupUse {
    /// Its capacity.
    pub(super) capacity: u64,
    /// Utilisation of its CPUs.
    pub(super) util: u64,
    /// Tasks runnable on them of late, 1024 each.
    pub(super) runnable: u64,
    /// Runnable tasks.
    pub(super) nr_running: u64,
    /// CPUs.
    pub(super) weight: u64,
    /// Did pinned tasks keep the level below from its goal (`sg_imbalanced`)?
    pub(super) imbalanced: bool,
    /// Is it a core with several tasks, and an idle CPU looks (`smt_balance`, 6.6)?
    pub(super) busy_threads: bool,
    /// Is a task too much for its CPU (`group_misfit_task_load`)?
    pub(super) misfit: bool,
}

/// The busiest type that applies (`group_classify`).
pub(super) const fn group_classify(group: &GroupUse, pct: u64) -> GroupType {
    let waits = group.capacity * pct < group.runnable * 100;
    let tight = group.capacity * 100 < group.util * pct;
    let loose = group.capacity * 100 > group.util * pct;
    if group.nr_running > group.weight && (tight || waits) {
        GroupType::Overloaded
    } else if group.imbalanced {
        GroupType::Imbalanced
    } else if group.busy_threads {
        GroupType::SmtBalance
    } else if group.misfit {
        GroupType::Misfit
    } else if group.nr_running < group.weight || (!waits && loose) {
        GroupType::HasSpare
    } else {
        GroupType::FullyBusy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked example `eevdf/K9`.
    #[test]
    fn k9_types_of_four_cpus() {
        let of = |(nr_running, util, runnable)| {
            let group = GroupUse {
                capacity: 4096,
                weight: 4,
                ..pair(nr_running, util, runnable)
            };
            group_classify(&group, 117)
        };
        let all = [
            (3, 2000, 2000),
            (4, 3600, 3600),
            (6, 3900, 6000),
            (6, 1000, 1200),
        ];
        let spare = GroupType::HasSpare;
        let told = [spare, GroupType::FullyBusy, GroupType::Overloaded, spare];
        assert_eq!(all.map(of), told, "K9");
    }

    /// Two CPUs with so many tasks, which use and want so much of the 2048 there are.
    fn pair(nr_running: u64, util: u64, runnable: u64) -> GroupUse {
        GroupUse {
            capacity: 2048,
            util,
            runnable,
            nr_running,
            weight: 2,
            imbalanced: false,
            busy_threads: false,
            misfit: false,
        }
    }

    #[test]
    fn the_busiest_type_that_applies_is_the_type() {
        use GroupType as Type;
        for (group, expected) in [
            (pair(1, 2048, 2048), Type::HasSpare),
            (pair(2, 1750, 2048), Type::HasSpare),
            // 1751 × 117 is more than 2048 × 100.
            (pair(2, 1751, 2048), Type::FullyBusy),
            (pair(2, 1000, 2397), Type::FullyBusy),
            (pair(3, 1751, 2048), Type::Overloaded),
            (pair(3, 1000, 2397), Type::Overloaded),
            (pair(3, 1750, 2396), Type::HasSpare),
        ] {
            assert_eq!(group_classify(&group, 117), expected, "{group:?}");
            let threads = GroupUse {
                busy_threads: true,
                misfit: true,
                ..group
            };
            let of_threads = expected.max(Type::SmtBalance);
            assert_eq!(group_classify(&threads, 117), of_threads, "{group:?}");
            let imbalanced = GroupUse {
                imbalanced: true,
                ..threads
            };
            let expected = expected.max(Type::Imbalanced);
            assert_eq!(group_classify(&imbalanced, 117), expected, "{group:?}");
        }
    }
}
