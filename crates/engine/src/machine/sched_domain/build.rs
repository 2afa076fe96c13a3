//! Building the domains of a machine, level by level, and pruning them for each CPU.
//!
//! Not here: what the domains are used for. Group powers are computed before pruning, as the kernel does.

use super::{SCHED_LOAD_SCALE, SchedDomain, SchedGroup, Seat};
use crate::machine::cpumask::{CpuId, CpuMask};
use crate::machine::sd_flags::{CpuPower, DomainTable, Intervals, Level, SdFlags, SdSpec};
use crate::machine::topology::{Topology, Unit};
use alloc::vec;
use alloc::vec::Vec;

/// Power of a core of several threads (`SD_SIBLING_INIT.smt_gain` of 2.6.32, include/linux/topology.h: 15 %
/// more than one thread alone).
const SMT_GAIN: u64 = 1178;

/// Nodes that a NODE domain spans at most (sched.c: `SD_NODES_PER_DOMAIN`).
const SD_NODES_PER_DOMAIN: usize = 16;

/// Nodes further apart than this are not forked to, nor woken affine (`node_reclaim_distance` of x86; `sd_init` of
/// 6.1 and 6.5).
const NODE_RECLAIM_DISTANCE: u32 = 30;

/// Flags that mean nothing in a domain of a single group (sched.c: `sd_degenerate`, `sd_parent_degenerate`).
const NEED_GROUPS: SdFlags = SdFlags(
    SdFlags::LOAD_BALANCE.0
        | SdFlags::BALANCE_NEWIDLE.0
        | SdFlags::BALANCE_FORK.0
        | SdFlags::BALANCE_EXEC.0
        | SdFlags::SHARE_CPUPOWER.0
        | SdFlags::SHARE_PKG_RESOURCES.0,
);

/// What 6.1 and 6.5 add to them (include/linux/sched/sd_flags.h: `SDF_NEEDS_GROUPS`).
const NEED_GROUPS_V6: SdFlags = SdFlags(SdFlags::PREFER_SIBLING.0 | SdFlags::SERIALIZE.0);

/// All domains, and for each CPU its seats, lowest first.
pub(super) struct Built {
    pub(super) domains: Vec<SchedDomain>,
    pub(super) seats: Vec<Vec<Seat>>,
}

/// Builds the levels of every CPU (`build_sched_domains`), then prunes (`cpu_attach_domain`). Since 3.2 the first
/// level that spans the machine is the last.
pub(super) fn build(
    topology: &Topology,
    levels: &[SdSpec; 5],
    (table, rule): (DomainTable, CpuPower),
) -> Built {
    let cpus = usize::from(topology.cpus());
    let mut unpruned = Unpruned {
        topology,
        table,
        rule,
        domains: Vec::new(),
        seats: vec![[None; 5]; cpus],
    };
    let mut complete = vec![false; cpus];
    for spec in levels {
        for cpu in &topology.all() {
            if complete[cpu.index()] {
                continue;
            }
            unpruned.add(spec, cpu);
            let spans_all = unpruned
                .below(spec.level, cpu)
                .is_some_and(|sd| sd.span == topology.all());
            complete[cpu.index()] = table >= DomainTable::V3_2 && spans_all;
        }
    }
    let attached = (0..cpus).map(|cpu| unpruned.attach(cpu));
    let (seats, inherit): (Vec<_>, Vec<_>) = attached.unzip();
    for domain in inherit.into_iter().flatten() {
        let flags = &mut unpruned.domains[usize::from(domain)].spec.flags;
        *flags = *flags | SdFlags::PREFER_SIBLING;
    }
    Built {
        domains: unpruned.domains,
        seats,
    }
}

struct Unpruned<'a> {
    topology: &'a Topology,
    table: DomainTable,
    rule: CpuPower,
    domains: Vec<SchedDomain>,
    /// Of each CPU, by level.
    seats: Vec<[Option<Seat>; 5]>,
}

impl Unpruned<'_> {
    /// Gives `cpu` its domain of one level, if the machine has that level.
    fn add(&mut self, spec: &SdSpec, cpu: CpuId) {
        let Some(span) = self.span(spec.level, cpu) else {
            return;
        };
        let known = |sd: &SchedDomain| sd.spec.level == spec.level && sd.span == span;
        let domain = self.domains.iter().position(known).unwrap_or_else(|| {
            let sd = self.domain(spec, span, cpu);
            self.domains.push(sd);
            self.domains.len() - 1
        });
        if self.domains[domain].asym_capacity {
            self.keep_together_below(spec.level, cpu);
        }
        let groups = &self.domains[domain].groups;
        let own = groups.iter().position(|g| g.span.contains(cpu));
        self.seats[cpu.index()][spec.level as usize] = own.map(|own| Seat {
            domain: domain as u16,
            own: own as u16,
        });
    }

    /// Tasks are not spread over CPUs of different capacities (`sd_init` of 6.1 and 6.5).
    fn keep_together_below(&mut self, level: Level, cpu: CpuId) {
        let lower = &self.seats[cpu.index()][..level as usize];
        if let Some(child) = lower.iter().flatten().next_back() {
            let flags = &mut self.domains[usize::from(child.domain)].spec.flags;
            *flags = flags.with(SdFlags::PREFER_SIBLING, false);
        }
    }

    /// The CPUs of a level's domain. A last-level cache that reaches beyond its node is cut at the node: the
    /// kernels of the time take the nesting for granted.
    fn span(&self, level: Level, cpu: CpuId) -> Option<CpuMask> {
        let topology = self.topology;
        let node = topology.span_of(Unit::Node, cpu);
        Some(match level {
            Level::Sibling => topology.span_of(Unit::Core, cpu).and(node),
            Level::Mc => topology.span_of(Unit::Llc, cpu).and(node),
            Level::Cpu => *node,
            Level::Node if self.table >= DomainTable::V6 => self.nearest_nodes(cpu)?,
            Level::Node => node_span(topology, topology.unit_of(Unit::Node, cpu)),
            Level::AllNodes if self.table >= DomainTable::V6 => topology.all(),
            Level::AllNodes => {
                let large = SD_NODES_PER_DOMAIN * node.weight();
                return (usize::from(topology.cpus()) > large).then(|| topology.all());
            }
        })
    }

    /// The node of `cpu` and those at the smallest distance from it. All further ones are taken together: the kernel
    /// has a level for each distance (`sched_init_numa`).
    fn nearest_nodes(&self, cpu: CpuId) -> Option<CpuMask> {
        let topology = self.topology;
        let spans = topology.spans(Unit::Node);
        let node = topology.unit_of(Unit::Node, cpu);
        let distance = |other: u16| topology.node_distance(node, other);
        let others = || (0..spans.len() as u16).filter(|other| *other != node);
        let nearest = others().map(distance).min()?;
        let near = others().filter(|other| distance(*other) == nearest);
        Some(near.fold(spans[usize::from(node)], |span, other| {
            span.or(&spans[usize::from(other)])
        }))
    }

    /// The domain of `cpu` at one level.
    fn domain(&self, spec: &SdSpec, span: CpuMask, cpu: CpuId) -> SchedDomain {
        let level = spec.level;
        let mut groups: Vec<SchedGroup> = Vec::new();
        for first in self.in_ring_order(level, &span) {
            if !groups.iter().any(|g| g.span.contains(first)) {
                let of_group = self.group_span(level, first);
                let power = match self.rule {
                    CpuPower::PerCpu => self.capacities(&of_group).map(u64::from).sum(),
                    CpuPower::SharedCountsOnce | CpuPower::Sum => self.power(spec, &span, first),
                };
                groups.push(SchedGroup::new(of_group, power, self.rule));
            }
        }
        let (weight, cpus) = (span.weight() as u32, u32::from(self.topology.cpus()));
        let (shortest, longest) = match spec.intervals {
            Intervals::AsTheyAre => (1, 1),
            Intervals::LongestByCpus => (1, cpus),
            Intervals::BySpan => (weight, weight),
        };
        let v6 = self.table >= DomainTable::V6;
        let mut seen = self.capacities(&span);
        let first = seen.next();
        let spec = SdSpec {
            min_interval: spec.min_interval * shortest,
            max_interval: spec.max_interval * longest,
            flags: self.flags(spec, &span, cpu),
            ..*spec
        };
        SchedDomain {
            spec,
            cpus: span.iter().collect(),
            span,
            groups,
            capacity: 0,
            asym_capacity: v6 && seen.any(|capacity| Some(capacity) != first),
            imb_numa_nr: if v6 {
                self.imb_numa_nr(spec.level, weight, cpu)
            } else {
                0
            },
        }
    }

    /// The capacities of the CPUs of `span`.
    fn capacities<'s>(&'s self, span: &CpuMask) -> impl Iterator<Item = u32> + use<'s> {
        let cpus: Vec<CpuId> = span.iter().collect();
        cpus.into_iter().map(|cpu| self.topology.capacity(cpu))
    }

    /// The flags of a row, without those that do not go with nodes so far apart.
    fn flags(&self, spec: &SdSpec, span: &CpuMask, cpu: CpuId) -> SdFlags {
        let between_nodes = matches!(spec.level, Level::Node | Level::AllNodes);
        if self.table < DomainTable::V6 || !between_nodes {
            return spec.flags;
        }
        let topology = self.topology;
        let node = topology.unit_of(Unit::Node, cpu);
        let distance =
            |other: CpuId| topology.node_distance(node, topology.unit_of(Unit::Node, other));
        let far = span
            .iter()
            .any(|other| distance(other) > NODE_RECLAIM_DISTANCE);
        let near_only = SdFlags::BALANCE_EXEC | SdFlags::BALANCE_FORK | SdFlags::WAKE_AFFINE;
        spec.flags
            .with(near_only, spec.flags.has(near_only) && !far)
    }

    /// How many tasks a node may have before another takes some of them (`build_sched_domains` of 6.1: an eighth of
    /// its CPUs, or one for each of its last-level caches; more for levels that span more than the nearest nodes).
    fn imb_numa_nr(&self, level: Level, weight: u32, cpu: CpuId) -> u32 {
        let of_unit = |unit| self.topology.span_of(unit, cpu).weight() as u32;
        let node = of_unit(Unit::Node);
        let caches = node / of_unit(Unit::Llc).clamp(1, node);
        let imb = if caches == 1 { node >> 3 } else { caches }.max(1);
        match level {
            Level::Sibling | Level::Mc => 0,
            Level::Cpu | Level::Node => imb,
            Level::AllNodes => {
                let nearest = self
                    .nearest_nodes(cpu)
                    .map_or(weight, |near| near.weight() as u32);
                imb * (weight / nearest).max(1)
            }
        }
    }

    /// CPUs of `span` such that taking their groups in turn gives the ring: by first CPU; before 3.2, nodes by number.
    fn in_ring_order(&self, level: Level, span: &CpuMask) -> Vec<CpuId> {
        match level {
            Level::Node if self.table < DomainTable::V3_2 => {
                let nodes = self.topology.spans(Unit::Node).iter();
                nodes.filter_map(|node| node.and(span).lowest()).collect()
            }
            _ => span.iter().collect(),
        }
    }

    /// The group of `cpu` in a domain of `level`: the span of the level below (`cpu_to_*_group`).
    fn group_span(&self, level: Level, cpu: CpuId) -> CpuMask {
        let below = match level {
            Level::Sibling => return CpuMask::just(cpu),
            Level::Mc => Level::Sibling,
            Level::Cpu => Level::Mc,
            Level::Node | Level::AllNodes => Level::Cpu,
        };
        self.below(below, cpu)
            .map_or_else(|| CpuMask::just(cpu), |sd| sd.span)
    }

    fn below(&self, level: Level, cpu: CpuId) -> Option<&SchedDomain> {
        let seat = self.seats[cpu.index()][level as usize]?;
        self.domains.get(usize::from(seat.domain))
    }

    /// Power of the group of `first` in a domain of `spec`'s level (`init_sched_groups_power`,
    /// `init_numa_sched_groups_power`).
    fn power(&self, spec: &SdSpec, span: &CpuMask, first: CpuId) -> u64 {
        let child = match spec.level {
            Level::Sibling => return self.lowest_power(spec, span),
            Level::Mc => self.below(Level::Sibling, first),
            Level::Cpu => self.below(Level::Mc, first),
            Level::Node | Level::AllNodes => self.below(Level::Cpu, first),
        };
        let Some(child) = child else {
            return SCHED_LOAD_SCALE;
        };
        let shared = child
            .spec
            .flags
            .any(SdFlags::SHARE_CPUPOWER | SdFlags::SHARE_PKG_RESOURCES);
        let within_node = matches!(spec.level, Level::Mc | Level::Cpu);
        let once = self.rule == CpuPower::SharedCountsOnce
            && within_node
            && shared
            && !spec.flags.any(SdFlags::POWERSAVINGS_BALANCE);
        if once {
            return SCHED_LOAD_SCALE;
        }
        child.groups.iter().map(|g| g.power).sum()
    }

    /// Power of a single hardware thread.
    fn lowest_power(&self, spec: &SdSpec, span: &CpuMask) -> u64 {
        let threads = span.weight() as u64;
        let shares = spec.flags.any(SdFlags::SHARE_CPUPOWER) && threads > 1;
        match self.rule {
            CpuPower::Sum if shares => SMT_GAIN / threads,
            _ => SCHED_LOAD_SCALE,
        }
    }

    /// The domains that stay, lowest first (`cpu_attach_domain`): a parent that adds nothing to its child goes,
    /// and at last the lowest if it has nothing to balance. In 6.1 and 6.5 a child inherits `SD_PREFER_SIBLING`; the
    /// second list has the domains that do.
    fn attach(&self, cpu: usize) -> (Vec<Seat>, Vec<u16>) {
        let sd = |seat: &Seat| &self.domains[usize::from(seat.domain)];
        let nodes = self.topology.spans(Unit::Node).len();
        let mut kept: Vec<Seat> = Vec::new();
        let mut inherit = Vec::new();
        for seat in self.seats[cpu].iter().flatten() {
            match kept.last() {
                Some(child) if parent_degenerate(sd(child), sd(seat), (self.table, nodes)) => {
                    let prefers = sd(seat).spec.flags.any(SdFlags::PREFER_SIBLING);
                    if self.table >= DomainTable::V6 && prefers {
                        inherit.push(child.domain);
                    }
                }
                _ => kept.push(*seat),
            }
        }
        if kept
            .first()
            .is_some_and(|lowest| degenerate(sd(lowest), self.table))
        {
            kept.remove(0);
        }
        (kept, inherit)
    }
}

/// The node and its nearest others, 16 in all (`sched_domain_node_span`, `find_next_best_node`: strictly nearer
/// wins, so of equals the first in order of number from the node on).
fn node_span(topology: &Topology, node: u16) -> CpuMask {
    let spans = topology.spans(Unit::Node);
    let n = spans.len() as u16;
    let mut span = spans[usize::from(node)];
    let mut others: Vec<u16> = (1..n).map(|i| (node + i) % n).collect();
    for _ in 1..SD_NODES_PER_DOMAIN {
        let near = |place: &usize| topology.node_distance(node, others[*place]);
        let Some(nearest) = (0..others.len()).min_by_key(near) else {
            break;
        };
        span = span.or(&spans[usize::from(others.remove(nearest))]);
    }
    span
}

/// The flags that mean nothing in a domain of a single group.
fn need_groups(table: DomainTable) -> SdFlags {
    match table {
        DomainTable::V31 | DomainTable::Retuned | DomainTable::V3_2 => NEED_GROUPS,
        DomainTable::V6 | DomainTable::V6_7 => NEED_GROUPS | NEED_GROUPS_V6,
    }
}

/// `sd_degenerate`: a single CPU, or nothing that works with a single group.
fn degenerate(sd: &SchedDomain, table: DomainTable) -> bool {
    let flags = sd.spec.flags;
    let balances = flags.any(need_groups(table)) && sd.groups.len() > 1;
    let wakes = flags.any(SdFlags::WAKE_AFFINE | SdFlags::WAKE_BALANCE);
    sd.cpus.len() == 1 || !(balances || wakes)
}

/// `sd_parent_degenerate`: the parent spans no more and has no flag of its own. `SD_WAKE_BALANCE` is a part of
/// `SD_WAKE_AFFINE`; on a machine of one node `SD_SERIALIZE` of a single group counts for nothing.
fn parent_degenerate(
    child: &SchedDomain,
    parent: &SchedDomain,
    (table, nodes): (DomainTable, usize),
) -> bool {
    if degenerate(parent, table) {
        return true;
    }
    let mut flags = parent.spec.flags;
    if child.spec.flags.any(SdFlags::WAKE_AFFINE) {
        flags = flags.with(SdFlags::WAKE_BALANCE, false);
    }
    if parent.groups.len() == 1 {
        flags = flags.with(need_groups(table), false);
        flags = flags.with(
            SdFlags::SERIALIZE,
            flags.any(SdFlags::SERIALIZE) && nodes > 1,
        );
    }
    child.span == parent.span && child.spec.flags.has(flags)
}
