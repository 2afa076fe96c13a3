//! Scheduling domains: for each CPU the levels at which it balances, each with its groups, as the kernel builds
//! them at boot and prunes what adds nothing (sched.c of 2.6.31, 2.6.32 and 3.2, kernel/sched/topology.c of 6.1 and
//! 6.5: `build_sched_domains`, `init_sched_groups_power`, `cpu_attach_domain`).
//!
//! Not here: any load. The levels come in as a table ([`SdSpec`]), the shape from the [`Topology`]; nothing
//! changes after [`Domains::new`].

mod build;
#[cfg(test)]
mod tests;

use super::cpumask::{CpuId, CpuMask};
use super::sd_flags::{CpuPower, DomainTable, Intervals, SdFlags, SdSpec};
use super::topology::{Topology, Unit};
use alloc::vec::Vec;
use build::Built;

/// The load of one nice-0 task, and the power of one full CPU (`SCHED_LOAD_SCALE`, include/linux/sched.h).
pub const SCHED_LOAD_SCALE: u64 = 1024;

/// `sched_group`: CPUs that a domain treats as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedGroup {
    /// Its CPUs.
    pub span: CpuMask,
    /// The same, in rising order.
    pub cpus: Vec<CpuId>,
    /// `cpu_power`; 1024 is one full CPU.
    pub power: u64,
    /// How many tasks it may run before it counts as busy, before `SD_PREFER_SIBLING`.
    pub capacity: u64,
    /// Its number among all groups of the machine.
    pub number: u32,
    /// The smallest and the largest capacity of its CPUs; 1024 is the strongest.
    pub capacities: (u32, u32),
    /// Cores in it (6.6: `sched_group->cores`).
    pub cores: u32,
    /// Is it one core of several threads (`SD_SHARE_CPUCAPACITY` of its flags)?
    pub one_core: bool,
    division: Division,
}

/// How loads are divided by the power of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    /// 2.6.31: multiply with this 32-bit reciprocal (lib/reciprocal_div.c: ⌈2³²/power⌉).
    Reciprocal(u32),
    /// Since 2.6.32: divide.
    Plain,
    /// The same for a power of two, which is what most groups have.
    Shift(u32),
}

impl SchedGroup {
    fn new(span: CpuMask, power: u64, rule: CpuPower) -> SchedGroup {
        let (capacity, division) = match rule {
            // sched.c of 2.6.31: update_sg_lb_stats.
            CpuPower::SharedCountsOnce => {
                let reciprocal = (1_u64 << 32).div_ceil(power) as u32;
                (power / SCHED_LOAD_SCALE, Division::Reciprocal(reciprocal))
            }
            // sched.c of 2.6.32: update_sg_lb_stats, DIV_ROUND_CLOSEST.
            CpuPower::Sum if power.is_power_of_two() => (
                round_closest(power),
                Division::Shift(power.trailing_zeros()),
            ),
            CpuPower::Sum => (round_closest(power), Division::Plain),
            // kernel/sched/fair.c of 6.1: update_sg_lb_stats compares with the number of CPUs.
            CpuPower::PerCpu => (span.weight() as u64, Division::Plain),
        };
        SchedGroup {
            span,
            cpus: span.iter().collect(),
            power,
            capacity,
            number: 0,
            capacities: (SCHED_LOAD_SCALE as u32, SCHED_LOAD_SCALE as u32),
            cores: 0,
            one_core: false,
            division,
        }
    }

    /// `x / power` as the kernel computes it: 2.6.31 cuts `x` to 32 bits and multiplies with the reciprocal
    /// (sched.c: `sg_div_cpu_power`).
    #[inline]
    pub fn div_power(&self, x: u64) -> u64 {
        match self.division {
            Division::Reciprocal(r) => (u64::from(x as u32) * u64::from(r)) >> 32,
            Division::Plain => x / self.power,
            Division::Shift(bits) => x >> bits,
        }
    }
}

/// `DIV_ROUND_CLOSEST(power, SCHED_LOAD_SCALE)`: power in whole CPUs.
const fn round_closest(power: u64) -> u64 {
    (power + SCHED_LOAD_SCALE / 2) / SCHED_LOAD_SCALE
}

/// `sched_domain`: a level as the CPUs of one span share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedDomain {
    /// Its row of the table.
    pub spec: SdSpec,
    /// Its CPUs.
    pub span: CpuMask,
    /// The same, in rising order.
    pub cpus: Vec<CpuId>,
    /// Its groups in the order of the ring.
    pub groups: Vec<SchedGroup>,
    /// What the `SD_PREFER_LOCAL` test compares the number of running tasks with: the power of the CPUs in
    /// whole CPUs, rounded (sched_fair.c of 2.6.32: `select_task_rq_fair`).
    pub capacity: u64,
    /// Do its CPUs differ in capacity (`SD_ASYM_CPUCAPACITY`)?
    pub asym_capacity: bool,
    /// Up to how many tasks a node may keep together while another is less busy; 0 below the node.
    pub imb_numa_nr: u32,
}

impl SchedDomain {
    /// The interval that balancing starts with, ms (`SD_*_INIT.balance_interval`, `sd_init`).
    pub fn first_interval(&self) -> u32 {
        match self.spec.intervals {
            Intervals::AsTheyAre => 1,
            Intervals::LongestByCpus | Intervals::BySpan => self.spec.min_interval,
        }
    }
}

/// A domain as one of its CPUs sees it: the ring of groups starts with the CPU's own.
#[derive(Clone, Copy, Debug)]
pub struct DomainOf<'a> {
    /// The domain.
    pub sd: &'a SchedDomain,
    /// Its place among the CPU's domains, 0 = lowest.
    pub index: usize,
    own: usize,
}

impl<'a> DomainOf<'a> {
    /// The groups in ring order, the CPU's own first.
    pub fn groups(self) -> impl Iterator<Item = &'a SchedGroup> {
        let (before, from) = self.sd.groups.split_at(self.own);
        from.iter().chain(before)
    }

    /// The group of the CPU itself.
    pub fn local(self) -> &'a SchedGroup {
        &self.sd.groups[self.own]
    }
}

/// Where a CPU sits in a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seat {
    domain: u16,
    own: u16,
}

/// The scheduling domains of a machine under one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains {
    levels: Vec<SchedDomain>,
    seats: Vec<Seat>,
    /// Where the seats of a CPU start; one more at the end.
    starts: Vec<u32>,
    power_of: Vec<u64>,
    flags_of: Vec<SdFlags>,
    table: DomainTable,
    rule: CpuPower,
    asym_capacity: bool,
}

impl Domains {
    /// Builds and prunes the domains of `topology` from the levels of a kernel, lowest first.
    pub fn new(
        topology: &Topology,
        levels: &[SdSpec; 5],
        (table, rule): (DomainTable, CpuPower),
    ) -> Domains {
        let Built { mut domains, seats } = build::build(topology, levels, (table, rule));
        let lowest_group = |(cpu, seats): (usize, &Vec<Seat>)| match seats.first() {
            _ if rule == CpuPower::PerCpu => u64::from(topology.capacity(CpuId(cpu as u16))),
            Some(seat) => domains[usize::from(seat.domain)].groups[usize::from(seat.own)].power,
            None => SCHED_LOAD_SCALE,
        };
        let power_of: Vec<u64> = seats.iter().enumerate().map(lowest_group).collect();
        let groups = domains.iter_mut().flat_map(|sd| &mut sd.groups);
        for (number, group) in (0..).zip(groups) {
            let capacities = || group.cpus.iter().map(|cpu| topology.capacity(*cpu));
            group.capacities = (
                capacities().min().unwrap_or(0),
                capacities().max().unwrap_or(0),
            );
            group.number = number;
            let core = |cpu: &CpuId| topology.span_of(Unit::Core, *cpu).lowest() == Some(*cpu);
            group.cores = group.cpus.iter().filter(|cpu| core(cpu)).count() as u32;
            group.one_core = group.cores == 1 && group.cpus.len() > 1;
        }
        for sd in &mut domains {
            sd.capacity = round_closest(sd.cpus.iter().map(|c| power_of[c.index()]).sum());
        }
        let flags_of = seats.iter().map(|seats| {
            let flags = seats
                .iter()
                .map(|s| domains[usize::from(s.domain)].spec.flags);
            flags.fold(SdFlags::EMPTY, |all, flags| all | flags)
        });
        let flags_of = flags_of.collect();
        let ends = seats.iter().scan(0, |end, seats| {
            *end += seats.len() as u32;
            Some(*end)
        });
        let asym_capacity = domains.iter().any(|sd| sd.asym_capacity);
        Domains {
            levels: domains,
            starts: core::iter::once(0).chain(ends).collect(),
            seats: seats.into_iter().flatten().collect(),
            power_of,
            flags_of,
            table,
            rule,
            asym_capacity,
        }
    }

    /// The domains of `cpu`, lowest first.
    #[inline]
    pub fn of(
        &self,
        cpu: CpuId,
    ) -> impl DoubleEndedIterator<Item = DomainOf<'_>> + ExactSizeIterator {
        let seats = &self.seats[self.range(cpu)];
        let seen = |(index, seat): (usize, &Seat)| self.seen_from(index, *seat);
        seats.iter().enumerate().map(seen)
    }

    /// One domain of `cpu` by its place, 0 = lowest.
    pub fn at(&self, cpu: CpuId, index: usize) -> Option<DomainOf<'_>> {
        let seats = &self.seats[self.range(cpu)];
        seats.get(index).map(|seat| self.seen_from(index, *seat))
    }

    fn seen_from(&self, index: usize, seat: Seat) -> DomainOf<'_> {
        DomainOf {
            sd: &self.levels[usize::from(seat.domain)],
            index,
            own: usize::from(seat.own),
        }
    }

    /// Power of one CPU: that of its group in its lowest domain, 1024 without any (sched.c: `power_of`).
    pub fn power_of(&self, cpu: CpuId) -> u64 {
        self.power_of[cpu.index()]
    }

    /// The flags that any domain of `cpu` has.
    #[inline]
    pub fn flags_of(&self, cpu: CpuId) -> SdFlags {
        self.flags_of[cpu.index()]
    }

    /// The power of every group, by number.
    pub fn group_powers(&self) -> Vec<u64> {
        let groups = self.levels.iter().flat_map(|sd| &sd.groups);
        groups.map(|group| group.power).collect()
    }

    /// How many groups there are in all.
    pub fn groups(&self) -> usize {
        self.levels.iter().map(|sd| sd.groups.len()).sum()
    }

    /// Do the CPUs of the machine differ in capacity, to a kernel that knows of that?
    pub fn asym_capacity(&self) -> bool {
        self.asym_capacity
    }

    /// The rule that gave the powers.
    pub fn rule(&self) -> CpuPower {
        self.rule
    }

    /// The table that gave the levels.
    pub fn table(&self) -> DomainTable {
        self.table
    }

    fn range(&self, cpu: CpuId) -> core::ops::Range<usize> {
        let start = |i: usize| self.starts[i] as usize;
        start(cpu.index())..start(cpu.index() + 1)
    }
}
