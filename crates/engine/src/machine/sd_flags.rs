//! The flags and numbers of a scheduling-domain level, as data: `SD_*_INIT` of each kernel as a table row.
//!
//! Source: include/linux/topology.h and arch/x86/include/asm/topology.h of 2.6.31, 2.6.32 and 3.2; `sd_init` of
//! kernel/sched/topology.c of 6.1 and 6.5.

use core::ops::BitOr;

/// Domain flags, a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SdFlags(pub u32);

macro_rules! sd_flags {
    ($($id:ident $bit:literal $what:literal;)*) => {
        impl SdFlags {
            $(#[doc = $what] pub const $id: SdFlags = SdFlags(1 << $bit);)*
            /// Every flag with its name (without `SD_`) and its one-sentence meaning.
            pub const ALL: &'static [(SdFlags, &'static str, &'static str)] =
                &[$((SdFlags::$id, stringify!($id), $what)),*];
        }
    };
}

sd_flags! {
    LOAD_BALANCE 0 "Balance load in this domain.";
    BALANCE_NEWIDLE 1 "Balance when a CPU is about to go idle.";
    BALANCE_EXEC 2 "Balance on exec.";
    BALANCE_FORK 3 "Balance on fork and clone.";
    BALANCE_WAKE 4 "Balance on wakeup: find the idlest CPU (2.6.32 development, off since 182a85f8).";
    WAKE_AFFINE 5 "Consider pulling a woken task to the waker's CPU.";
    WAKE_BALANCE 6 "2.6.31: pull a woken task to a less loaded waker's CPU even without affinity.";
    PREFER_LOCAL 7 "Keep fork and wakeup placement inside the domain while it has capacity left.";
    SHARE_CPUPOWER 8 "The CPUs are threads of one core.";
    SHARE_PKG_RESOURCES 9 "The CPUs share a cache.";
    PREFER_SIBLING 10 "Spread tasks over sibling domains: a child group counts as one CPU.";
    SERIALIZE 11 "Only one CPU of the system balances at this level at a time.";
    POWERSAVINGS_BALANCE 12 "Pack tasks to save power (off unless sched_mc_power_savings is set).";
}

impl SdFlags {
    /// No flag.
    pub const EMPTY: SdFlags = SdFlags(0);

    /// Are all of `flags` set?
    pub const fn has(self, flags: SdFlags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Is any of `flags` set?
    pub const fn any(self, flags: SdFlags) -> bool {
        self.0 & flags.0 != 0
    }

    /// The set with `flags` on or off.
    #[must_use]
    pub const fn with(self, flags: SdFlags, on: bool) -> SdFlags {
        SdFlags(if on {
            self.0 | flags.0
        } else {
            self.0 & !flags.0
        })
    }

    /// Its name without `SD_`, if it is one flag.
    pub fn name(self) -> &'static str {
        let known = SdFlags::ALL.iter().find(|(flag, ..)| *flag == self);
        known.map_or("", |(_, name, _)| name)
    }

    /// The flag that any kernel calls so, with or without `SD_`.
    pub fn by_name(name: &str) -> Option<SdFlags> {
        let bare = name.strip_prefix("SD_").unwrap_or(name);
        let same = |(_, n, _): &&(SdFlags, &str, &str)| *n == bare;
        match SdFlags::ALL.iter().find(same) {
            Some((flag, ..)) => Some(*flag),
            None => (bare == SHARE_CPUCAPACITY).then_some(SdFlags::SHARE_CPUPOWER),
        }
    }

    /// Its name in a kernel with that table.
    pub fn name_in(self, table: DomainTable) -> &'static str {
        if self == SdFlags::SHARE_CPUPOWER && table >= DomainTable::V6 {
            return SHARE_CPUCAPACITY;
        }
        self.name()
    }

    /// Why the flag of that name cannot be set here, although some kernel has it; with or without `SD_`.
    pub fn why_fixed(name: &str) -> Option<&'static str> {
        let bare = name.strip_prefix("SD_").unwrap_or(name);
        let row = FIXED.iter().find(|(names, _)| names.contains(&bare));
        row.map(|(_, why)| *why)
    }
}

/// What SHARE_CPUPOWER is called since 3.16 (5d4dfddd4f02).
const SHARE_CPUCAPACITY: &str = "SHARE_CPUCAPACITY";

/// Flags of these kernels that nobody sets here, and why (include/linux/sched.h, include/linux/sched/sd_flags.h).
const FIXED: &[(&[&str], &str)] = &[
    (
        &["WAKE_IDLE", "WAKE_IDLE_FAR"],
        "no domain of x86 has it in 2.6.31, and later kernels do not know it",
    ),
    (
        &[
            "ASYM_CPUCAPACITY",
            "ASYM_CPUCAPACITY_FULL",
            "NUMA",
            "OVERLAP",
        ],
        "it follows from the machine",
    ),
    (&["ASYM_PACKING"], "no machine here ranks its CPUs"),
];

impl BitOr for SdFlags {
    type Output = SdFlags;
    fn bitor(self, other: SdFlags) -> SdFlags {
        SdFlags(self.0 | other.0)
    }
}

/// A domain level, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Hardware threads of one core.
    Sibling,
    /// CPUs sharing the last-level cache.
    Mc,
    /// CPUs of the node.
    Cpu,
    /// Nearest nodes, at most 16.
    Node,
    /// All nodes; only on machines of more than 16 nodes.
    AllNodes,
}

impl Level {
    /// Every level, lowest first.
    pub const ALL: [Level; 5] = [
        Level::Sibling,
        Level::Mc,
        Level::Cpu,
        Level::Node,
        Level::AllNodes,
    ];

    /// The name that `/proc/sys/kernel/sched_domain` prints.
    pub const fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The name in a kernel with that table.
    pub const fn name_in(self, table: DomainTable) -> &'static str {
        match table {
            DomainTable::V31 | DomainTable::Retuned | DomainTable::V3_2 => self.names()[0],
            DomainTable::V6 => self.names()[1],
            DomainTable::V6_7 => self.names()[2],
        }
    }

    /// Up to 3.2, from 6.1 to 6.6, and since 6.7.
    const fn names(self) -> [&'static str; 3] {
        match self {
            Level::Sibling => ["SIBLING", "SMT", "SMT"],
            Level::Mc => ["MC", "MC", "MC"],
            Level::Cpu => ["CPU", "DIE", "PKG"],
            Level::Node => ["NODE", "NUMA", "NUMA"],
            Level::AllNodes => ["ALLNODES", "NUMA2", "NUMA2"],
        }
    }

    /// The level that any kernel calls so.
    pub fn by_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|l| l.names().contains(&name))
    }
}

/// Which `cpu_load[]` each kind of balancing reads (0 = instantaneous, k = `cpu_load[k-1]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadIdx {
    /// `busy_idx`.
    pub busy: u8,
    /// `idle_idx`.
    pub idle: u8,
    /// `newidle_idx`.
    pub newidle: u8,
    /// `wake_idx`.
    pub wake: u8,
    /// `forkexec_idx`.
    pub forkexec: u8,
}

/// What a kernel says of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdSpec {
    /// The level.
    pub level: Level,
    /// Shortest balance interval, ms.
    pub min_interval: u32,
    /// Longest balance interval, ms.
    pub max_interval: u32,
    /// What these intervals are multiplied with, and which comes first.
    pub intervals: Intervals,
    /// Interval multiplier of a busy CPU.
    pub busy_factor: u32,
    /// Imbalance tolerated, percent.
    pub imbalance_pct: u64,
    /// Failures tolerated before cache-hot tasks move.
    pub cache_nice_tries: u32,
    /// Load indices.
    pub idx: LoadIdx,
    /// Flags.
    pub flags: SdFlags,
}

/// How the power of a group is computed, and with it how many tasks it may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuPower {
    /// A group whose child level shares power or cache counts 1024 in all (2.6.31:
    /// `init_sched_groups_power`).
    SharedCountsOnce,
    /// Straight sum, a thread of two counting 589, `SD_PREFER_SIBLING` (f93e65c1 and others).
    Sum,
    /// What the architecture says of each CPU, threads of a core included (6.1, 6.5:
    /// `arch_scale_cpu_capacity`; `smt_gain` has gone).
    PerCpu,
}

/// Rows of the domain levels, and how they become domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DomainTable {
    /// 2.6.31.
    V31,
    /// `SD_BALANCE_NEWIDLE` at every level, wake, newidle and forkexec indices 0 (840a0653 and others).
    Retuned,
    /// The same; threads of a core share a cache, and no level is built above the first that spans the
    /// machine (3.2: `build_sched_domains`).
    V3_2,
    /// Numbers follow the span and the flags; a level for each distance between nodes (6.1, 6.5: `sd_init`).
    V6,
    /// The same; the level of a node's CPUs has another name (f577cd57bfaa).
    V6_7,
}

/// How the intervals of a row become those of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervals {
    /// They are as the row says, after a first one of 1 ms.
    AsTheyAre,
    /// The longest is multiplied by the number of CPUs of the machine; the shortest comes first (ALLNODES).
    LongestByCpus,
    /// Both are multiplied by the CPUs of the domain; the shortest comes first (6.1, 6.5: `sd_init`).
    BySpan,
}
