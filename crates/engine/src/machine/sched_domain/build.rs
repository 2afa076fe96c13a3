//! Building the domains of a machine, level by level, and pruning them for each CPU.
//!
//! Not here: what the domains are used for. Group powers are computed before pruning, as the kernel does.

use super::{SCHED_LOAD_SCALE, SchedDomain, SchedGroup, Seat};
use crate::machine::cpumask::{CpuId, CpuMask};
use crate::machine::sd_flags::{CpuPower, Level, SdFlags, SdSpec};
use crate::machine::topology::{Topology, Unit};
use alloc::vec;
use alloc::vec::Vec;

/// Power of a core of several threads (`SD_SIBLING_INIT.smt_gain` of 2.6.32, include/linux/topology.h: 15 %
/// more than one thread alone).
const SMT_GAIN: u64 = 1178;

/// Nodes that a NODE domain spans at most (sched.c: `SD_NODES_PER_DOMAIN`).
const SD_NODES_PER_DOMAIN: usize = 16;

/// Flags that mean nothing in a domain of a single group (sched.c: `sd_degenerate`, `sd_parent_degenerate`).
const NEED_GROUPS: SdFlags = SdFlags(
    SdFlags::LOAD_BALANCE.0
        | SdFlags::BALANCE_NEWIDLE.0
        | SdFlags::BALANCE_FORK.0
        | SdFlags::BALANCE_EXEC.0
        | SdFlags::SHARE_CPUPOWER.0
        | SdFlags::SHARE_PKG_RESOURCES.0,
);

/// All domains, and for each CPU its seats, lowest first.
pub(super) struct Built {
    pub(super) domains: Vec<SchedDomain>,
    pub(super) seats: Vec<Vec<Seat>>,
}

/// Builds every level for every CPU (`build_sched_domains`), then prunes (`cpu_attach_domain`).
pub(super) fn build(topology: &Topology, levels: &[SdSpec; 5], rule: CpuPower) -> Built {
    let mut unpruned = Unpruned {
        topology,
        rule,
        domains: Vec::new(),
        seats: vec![[None; 5]; usize::from(topology.cpus())],
    };
    for spec in levels {
        for cpu in topology.all().iter() {
            unpruned.add(spec, cpu);
        }
    }
    let cpus = 0..unpruned.seats.len();
    let seats = cpus.map(|cpu| unpruned.attach(cpu)).collect();
    Built {
        domains: unpruned.domains,
        seats,
    }
}

struct Unpruned<'a> {
    topology: &'a Topology,
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
            let sd = self.domain(spec, span);
            self.domains.push(sd);
            self.domains.len() - 1
        });
        let groups = &self.domains[domain].groups;
        let own = groups.iter().position(|g| g.span.contains(cpu));
        self.seats[cpu.index()][spec.level as usize] = own.map(|own| Seat {
            domain: domain as u16,
            own: own as u16,
        });
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
            Level::Node => node_span(topology, topology.unit_of(Unit::Node, cpu)),
            Level::AllNodes => {
                let large = SD_NODES_PER_DOMAIN * node.weight();
                return (usize::from(topology.cpus()) > large).then(|| topology.all());
            }
        })
    }

    fn domain(&self, spec: &SdSpec, span: CpuMask) -> SchedDomain {
        let level = spec.level;
        let mut groups: Vec<SchedGroup> = Vec::new();
        for first in self.in_ring_order(level, &span) {
            if !groups.iter().any(|g| g.span.contains(first)) {
                let of_group = self.group_span(level, first);
                groups.push(SchedGroup::new(
                    of_group,
                    self.power(spec, &span, first),
                    self.rule,
                ));
            }
        }
        let cpus = u32::from(self.topology.cpus());
        SchedDomain {
            spec: SdSpec {
                max_interval: match level {
                    Level::AllNodes => spec.max_interval * cpus,
                    _ => spec.max_interval,
                },
                ..*spec
            },
            cpus: span.iter().collect(),
            span,
            groups,
            capacity: 0,
        }
    }

    /// CPUs of `span` such that taking their groups in turn gives the ring: by first CPU, nodes by number.
    fn in_ring_order(&self, level: Level, span: &CpuMask) -> Vec<CpuId> {
        match level {
            Level::Node => {
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
    /// and at last the lowest if it has nothing to balance.
    fn attach(&self, cpu: usize) -> Vec<Seat> {
        let sd = |seat: &Seat| &self.domains[usize::from(seat.domain)];
        let nodes = self.topology.spans(Unit::Node).len();
        let mut kept: Vec<Seat> = Vec::new();
        for seat in self.seats[cpu].iter().flatten() {
            let adds = kept
                .last()
                .is_none_or(|child| !parent_degenerate(sd(child), sd(seat), nodes));
            if adds {
                kept.push(*seat);
            }
        }
        if kept.first().is_some_and(|lowest| degenerate(sd(lowest))) {
            kept.remove(0);
        }
        kept
    }
}

/// The node and its nearest others, 16 in all (`sched_domain_node_span`, `find_next_best_node`: strictly nearer
/// wins, so of equals the first in order of number from the node on).
fn node_span(topology: &Topology, node: u16) -> CpuMask {
    let spans = topology.spans(Unit::Node);
    let n = spans.len() as u16;
    let mut others: Vec<u16> = (1..n).map(|i| (node + i) % n).collect();
    others.sort_by_key(|other| topology.node_distance(node, *other));
    let nearest = others.iter().take(SD_NODES_PER_DOMAIN - 1);
    nearest.fold(spans[usize::from(node)], |span, other| {
        span.or(&spans[usize::from(*other)])
    })
}

/// `sd_degenerate`: a single CPU, or nothing that works with a single group.
fn degenerate(sd: &SchedDomain) -> bool {
    let flags = sd.spec.flags;
    let balances = flags.any(NEED_GROUPS) && sd.groups.len() > 1;
    let wakes = flags.any(SdFlags::WAKE_AFFINE | SdFlags::WAKE_BALANCE);
    sd.cpus.len() == 1 || !(balances || wakes)
}

/// `sd_parent_degenerate`: the parent spans no more and has no flag of its own. `SD_WAKE_BALANCE` is a part of
/// `SD_WAKE_AFFINE`; on a machine of one node `SD_SERIALIZE` of a single group counts for nothing.
fn parent_degenerate(child: &SchedDomain, parent: &SchedDomain, nodes: usize) -> bool {
    if degenerate(parent) {
        return true;
    }
    let mut flags = parent.spec.flags;
    if child.spec.flags.any(SdFlags::WAKE_AFFINE) {
        flags = flags.with(SdFlags::WAKE_BALANCE, false);
    }
    if parent.groups.len() == 1 {
        flags = flags.with(NEED_GROUPS, false);
        flags = flags.with(
            SdFlags::SERIALIZE,
            flags.any(SdFlags::SERIALIZE) && nodes > 1,
        );
    }
    child.span == parent.span && child.spec.flags.has(flags)
}
