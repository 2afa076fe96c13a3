//! What is modelled in outline: parts of the kernel whose rules are cited here, but of which some are left out or were
//! compared with no recording.
//!
//! A part that is not in this table is modelled rule for rule. Not here: the rules themselves, and what is not modelled
//! because nothing of it can be configured.

use super::profile::Profile;
use super::rules::{Balancing, Bandwidth, Rules};

/// A part of the kernel that is modelled in outline.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// The part.
    pub name: &'static str,
    /// What is there, and what is left out.
    pub what: &'static str,
    /// The kernel's functions that it follows.
    pub cite: &'static str,
    /// Has a kernel with these rules that part?
    within: fn(&Rules) -> bool,
}

/// Every part that is an outline.
pub const OUTLINES: &[Outline] = &[
    Outline {
        name: "load balancing",
        what: "Branch by branch as in fair.c, but compared with no recording; left out are NUMA balancing, asymmetric \
               packing, the cluster level, capacity lost to interrupts, and node distances beyond the nearest.",
        cite: "load_balance, find_busiest_group, calculate_imbalance, detach_tasks, newidle_balance of fair.c, 6.1; \
               sibling_imbalance, smt_balance, should_we_balance of fair.c, 6.6, and can_migrate_task of 6.18",
        within: |rules| matches!(rules.balancing, Balancing::ByGroupType),
    },
    Outline {
        name: "energy-aware placement",
        what: "Left out before 6.6: unequal CPUs are placed on by capacity alone.",
        cite: "find_energy_efficient_cpu, sched_energy_present of fair.c, 6.1",
        within: |rules| matches!(rules.balancing, Balancing::ByGroupType) && !rules.is_eevdf(),
    },
    Outline {
        name: "energy-aware placement",
        what: "On machines whose costs are known (little-big-4; not rb5), if the tunable energy_aware asks for it; speeds are \
               only taken to follow utilisation: CPUs here run at their highest. Left out are what real-time tasks use, \
               hints (uclamp), heat, and that 7.1 takes no group for overloaded unless one of its CPUs is too busy.",
        cite: "find_energy_efficient_cpu, compute_energy, cpu_overutilized of fair.c, 6.6 to 7.1; sched-energy.rst",
        within: Rules::is_eevdf,
    },
    Outline {
        name: "cache-aware balancing",
        what: "Left out: where a node has several last-level caches, a process of several threads comes to prefer the \
               one in which it runs most, and balancing gathers its threads there as long as the cache is not more than \
               half busy. Selection of a CPU never looks at it, and tasks that are processes of their own have no \
               preference.",
        cite: "can_migrate_llc, task_cache_work, group_llc_balance of fair.c, 7.2 (df0d98475954)",
        within: |rules| rules.cache_aware,
    },
    Outline {
        name: "bandwidth",
        what: "Quotas of groups: pool, slices, throttling, the timer of periods and the one of slack; compared with no \
               recording, and the periods of all groups begin at the same time, which 6.5 takes care to \
               avoid (41abdba9).",
        cite: "assign_cfs_rq_runtime, throttle_cfs_rq, unthrottle_cfs_rq, sched_cfs_period_timer of sched_fair.c, 3.2, \
               and fair.c, 6.1",
        within: |rules| !matches!(rules.bandwidth, Bandwidth::Absent),
    },
    Outline {
        name: "cpusets",
        what: "CPUs of groups, before the run and changed during it, within those of the groups above and with what tasks \
               ask for themselves; left out are partitions and sched_load_balance, which cut scheduling domains in \
               parts, and memory nodes.",
        cite: "validate_change, update_cpumask of cpuset.c, 2.6.31 to 6.1; __sched_setaffinity, set_cpus_allowed_ptr",
        within: |_| true,
    },
    Outline {
        name: "real-time tasks",
        what: "SCHED_FIFO and SCHED_RR by priority, round-robin slices, the limit of 0.95 s of each second, pushing and \
               pulling between CPUs, what is left of a CPU's power or capacity to fair tasks; compared with no \
               recording, and there are no real-time groups. Who does the work of a move (RT_PUSH_IPI), the capacity of \
               unequal CPUs and, before 2.6.38, the weight of these tasks in a CPU's load are left out.",
        cite: "pick_next_task_rt, check_preempt_curr_rt, task_tick_rt, sched_rt_runtime_exceeded, select_task_rq_rt, \
               push_rt_task, pull_rt_task of sched_rt.c, 2.6.31 to 3.2, and rt.c, 6.1; scale_rt_power, \
               scale_rt_capacity",
        within: |_| true,
    },
];

impl Profile {
    /// The parts of it that are modelled in outline.
    pub fn outlines(&self) -> impl Iterator<Item = &'static Outline> {
        let rules = self.kernel().rules;
        OUTLINES.iter().filter(move |part| (part.within)(&rules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_kernel_has_the_outlines_of_the_parts_that_it_has() {
        let of = |name: &str| {
            let profile = Profile::by_name(name).expect("a known profile");
            profile.outlines().map(|part| part.name).collect::<Vec<_>>()
        };
        assert_eq!(of("2.6.31"), ["cpusets", "real-time tasks"]);
        assert_eq!(of("3.2final"), ["bandwidth", "cpusets", "real-time tasks"]);
        let all: Vec<_> = OUTLINES.iter().map(|part| part.name).collect();
        let but = |left_out: &[&str]| -> Vec<&str> {
            let kept = all.iter().filter(|name| !left_out.contains(*name));
            kept.copied().collect()
        };
        let cache = "cache-aware balancing";
        let energy = "energy-aware placement";
        assert_eq!(all.iter().filter(|name| **name == energy).count(), 2);
        let once = |list: Vec<&'static str>| {
            let mut seen = list;
            seen.dedup();
            seen
        };
        assert_eq!(of("7.3"), once(all.clone()));
        for kernel in ["6.1", "6.5", "7.1"] {
            assert_eq!(of(kernel), once(but(&[cache])));
        }
    }
}
