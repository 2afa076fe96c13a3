//! The topology of a machine: which CPUs share a core, a cache, a package, a node, and how far two are apart.
//!
//! Not here: times (the cost model) and scheduling domains ([`super::sched_domain`]). A [`Topology`] is
//! checked once, when it is built from lists that a catalog, a file or a user wrote; after that it cannot be wrong.

use super::cpumask::{CpuId, CpuListError, CpuMask};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// What CPUs can have in common, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Unit {
    /// A core: its hardware threads (SMT siblings).
    Core,
    /// A second-level cache.
    L2,
    /// A last-level cache.
    Llc,
    /// A package (socket).
    Package,
    /// A NUMA node.
    Node,
}

impl Unit {
    /// Every unit, smallest first.
    pub const ALL: [Unit; 5] = [Unit::Core, Unit::L2, Unit::Llc, Unit::Package, Unit::Node];

    /// The word for it in lists and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Core => "smt",
            Unit::L2 => "l2",
            Unit::Llc => "llc",
            Unit::Package => "packages",
            Unit::Node => "nodes",
        }
    }
}

/// How far two CPUs are apart, nearest first: what a cache line has to travel between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Distance {
    /// The same CPU.
    SelfCpu,
    /// Another hardware thread of the core.
    Smt,
    /// Another core, the same L2.
    L2,
    /// The same last-level cache, another L2.
    Llc,
    /// The same package and node, another last-level cache.
    Pkg,
    /// Another package or node.
    Remote,
}

impl Distance {
    /// Every distance, nearest first.
    pub const ALL: [Distance; 6] = [
        Distance::SelfCpu,
        Distance::Smt,
        Distance::L2,
        Distance::Llc,
        Distance::Pkg,
        Distance::Remote,
    ];

    /// The word for it in tables and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Distance::SelfCpu => "self",
            Distance::Smt => "smt",
            Distance::L2 => "l2",
            Distance::Llc => "llc",
            Distance::Pkg => "pkg",
            Distance::Remote => "remote",
        }
    }
}

/// A topology as someone wrote it down: sets of CPUs in cpuset list syntax, several sets separated by `|`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TopologySpec<'a> {
    /// Number of CPUs, 1 … 256; they are numbered from 0.
    pub cpus: u16,
    /// Cores of several threads; a CPU in no set is a core of its own.
    pub smt: &'a str,
    /// L2 caches shared by several cores; empty: one for each core. A CPU in no set has its own.
    pub l2: &'a str,
    /// Last-level caches; empty: the L2 is the last level.
    pub llc: &'a str,
    /// Packages; empty: one.
    pub packages: &'a str,
    /// NUMA nodes; empty: one.
    pub nodes: &'a str,
    /// Distances between nodes as the firmware's SLIT gives them, row by row; empty: 10 within, 20 between.
    pub node_distance: &'a [u32],
    /// Computing capacity of each CPU, 1 … 1024, 1024 = the strongest; empty: all 1024.
    pub capacity: &'a [u32],
}

/// Something wrong with a [`TopologySpec`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyProblem {
    /// The number of CPUs is not in 1 … 256.
    CpuCount(u16),
    /// A set is not a list of CPUs.
    BadList {
        /// Which list.
        unit: Unit,
        /// The set as written.
        text: String,
        /// What is wrong with it.
        error: CpuListError,
    },
    /// A CPU is listed that the machine does not have.
    NoSuchCpu {
        /// Which list.
        unit: Unit,
        /// The CPU.
        cpu: CpuId,
    },
    /// A CPU is in two sets of one list.
    Twice {
        /// Which list.
        unit: Unit,
        /// The CPU.
        cpu: CpuId,
    },
    /// A CPU is in no set of a list that must name all.
    Missing {
        /// Which list.
        unit: Unit,
        /// The CPU.
        cpu: CpuId,
    },
    /// A smaller unit reaches beyond a larger one.
    NotNested {
        /// The smaller unit.
        inner: Unit,
        /// The larger unit.
        outer: Unit,
        /// A CPU of the smaller unit.
        cpu: CpuId,
    },
    /// The node distances are not one row of positive numbers per node.
    NodeDistance,
    /// The capacities are not one number of 1 … 1024 per CPU.
    Capacity,
}

impl fmt::Display for TopologyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopologyProblem::CpuCount(n) => {
                write!(f, "{n} CPUs: must be 1 to {}", CpuMask::MAX_CPUS)
            }
            TopologyProblem::BadList { unit, text, error } => {
                write!(f, "{}: '{text}' is no CPU list: {error}", unit.name())
            }
            TopologyProblem::NoSuchCpu { unit, cpu } => {
                write!(f, "{}: there is no CPU {}", unit.name(), cpu.0)
            }
            TopologyProblem::Twice { unit, cpu } => {
                write!(f, "{}: CPU {} is in two sets", unit.name(), cpu.0)
            }
            TopologyProblem::Missing { unit, cpu } => {
                write!(f, "{}: CPU {} is in no set", unit.name(), cpu.0)
            }
            TopologyProblem::NotNested { inner, outer, cpu } => {
                let (inner, outer) = (inner.name(), outer.name());
                write!(
                    f,
                    "the {inner} set of CPU {} reaches beyond its {outer} set",
                    cpu.0
                )
            }
            TopologyProblem::NodeDistance => {
                f.write_str("node distances: one row of positive numbers for each node")
            }
            TopologyProblem::Capacity => {
                f.write_str("capacities: one number of 1 to 1024 for each CPU")
            }
        }
    }
}

/// The sets of one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sets {
    /// Which set a CPU is in.
    of: Vec<u16>,
    /// The sets, in the order listed.
    spans: Vec<CpuMask>,
}

/// Which CPUs share what. Checked: every CPU is in exactly one set of each unit, and cores lie within L2s,
/// L2s within last-level caches, these within packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    cpus: u16,
    sets: [Sets; 5],
    distance: Vec<Distance>,
    node_distance: Vec<u32>,
    capacity: Vec<u32>,
}

/// Node distance within a node and between nodes where the firmware gives none (`LOCAL_DISTANCE`,
/// `REMOTE_DISTANCE`, include/linux/topology.h).
const NODE_DISTANCE: (u32, u32) = (10, 20);

/// A capacity of 1024 is a full CPU (`SCHED_LOAD_SCALE`).
const FULL_CAPACITY: u32 = 1024;

impl Topology {
    /// Checks `spec` and works the distances out.
    ///
    /// # Errors
    /// Everything that is wrong with it, not only the first.
    pub fn new(spec: &TopologySpec<'_>) -> Result<Topology, Vec<TopologyProblem>> {
        if !(1..=CpuMask::MAX_CPUS).contains(&usize::from(spec.cpus)) {
            return Err(vec![TopologyProblem::CpuCount(spec.cpus)]);
        }
        let mut problems = Vec::new();
        let sets = sets_of(spec, &mut problems);
        if problems.is_empty() {
            check_nesting(&sets, &mut problems);
        }
        let node_distance = node_distances(spec, sets[4].spans.len(), &mut problems);
        let capacity = capacities(spec, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Topology {
            cpus: spec.cpus,
            distance: distances(&sets, spec.cpus),
            sets,
            node_distance,
            capacity,
        })
    }

    /// Number of CPUs.
    pub fn cpus(&self) -> u16 {
        self.cpus
    }

    /// Every CPU.
    pub fn all(&self) -> CpuMask {
        CpuMask::first(usize::from(self.cpus))
    }

    /// How far `a` and `b` are apart.
    #[inline]
    pub fn distance(&self, a: CpuId, b: CpuId) -> Distance {
        self.distance[a.index() * usize::from(self.cpus) + b.index()]
    }

    /// The number of the set of `unit` that `cpu` is in.
    pub fn unit_of(&self, unit: Unit, cpu: CpuId) -> u16 {
        self.sets[unit as usize].of[cpu.index()]
    }

    /// The CPUs that share `unit` with `cpu`, itself included.
    pub fn span_of(&self, unit: Unit, cpu: CpuId) -> &CpuMask {
        &self.sets[unit as usize].spans[usize::from(self.unit_of(unit, cpu))]
    }

    /// Every set of `unit`, in the order of their numbers.
    pub fn spans(&self, unit: Unit) -> &[CpuMask] {
        &self.sets[unit as usize].spans
    }

    /// The firmware's distance between two nodes.
    pub fn node_distance(&self, a: u16, b: u16) -> u32 {
        self.node_distance[usize::from(a) * self.spans(Unit::Node).len() + usize::from(b)]
    }

    /// Computing capacity of `cpu`, 1 … 1024.
    pub fn capacity(&self, cpu: CpuId) -> u32 {
        self.capacity[cpu.index()]
    }
}

/// The sets of all five units, with the defaults for lists left empty.
fn sets_of(spec: &TopologySpec<'_>, problems: &mut Vec<TopologyProblem>) -> [Sets; 5] {
    let all = CpuMask::first(usize::from(spec.cpus));
    let mut listed = |unit, text| parse(unit, text, &all, problems);
    let core = complete(listed(Unit::Core, spec.smt), &all);
    let l2 = match spec.l2.trim() {
        "" => core.clone(),
        text => complete(listed(Unit::L2, text), &all),
    };
    let llc = match spec.llc.trim() {
        "" => l2.clone(),
        text => listed(Unit::Llc, text),
    };
    let one_by_default = |text: &str, sets: Vec<CpuMask>| match text.trim() {
        "" => vec![all],
        _ => sets,
    };
    let packages = one_by_default(spec.packages, listed(Unit::Package, spec.packages));
    let nodes = one_by_default(spec.nodes, listed(Unit::Node, spec.nodes));
    for (unit, spans) in [
        (Unit::Llc, &llc),
        (Unit::Package, &packages),
        (Unit::Node, &nodes),
    ] {
        let missing = all.without(&union(spans)).iter();
        problems.extend(missing.map(|cpu| TopologyProblem::Missing { unit, cpu }));
    }
    [core, l2, llc, packages, nodes].map(|spans| index(spans, spec.cpus))
}

/// The sets of one list, without CPUs that do not exist or were listed before.
fn parse(
    unit: Unit,
    text: &str,
    all: &CpuMask,
    problems: &mut Vec<TopologyProblem>,
) -> Vec<CpuMask> {
    let mut seen = CpuMask::EMPTY;
    let mut spans = Vec::new();
    for item in text.split('|').filter(|_| !text.trim().is_empty()) {
        let mask: CpuMask = match item.parse() {
            Ok(mask) => mask,
            Err(error) => {
                let text = item.to_string();
                problems.push(TopologyProblem::BadList { unit, text, error });
                continue;
            }
        };
        let unknown = mask.without(all).iter();
        problems.extend(unknown.map(|cpu| TopologyProblem::NoSuchCpu { unit, cpu }));
        let twice = mask.and(&seen).iter();
        problems.extend(twice.map(|cpu| TopologyProblem::Twice { unit, cpu }));
        let fresh = mask.and(all).without(&seen);
        seen = seen.or(&fresh);
        spans.push(fresh);
    }
    spans
}

/// `spans` and a set of its own for every CPU in none.
fn complete(mut spans: Vec<CpuMask>, all: &CpuMask) -> Vec<CpuMask> {
    let alone = all.without(&union(&spans));
    spans.extend(alone.iter().map(CpuMask::just));
    spans
}

fn union(spans: &[CpuMask]) -> CpuMask {
    spans.iter().fold(CpuMask::EMPTY, |a, b| a.or(b))
}

fn index(spans: Vec<CpuMask>, cpus: u16) -> Sets {
    let mut of = vec![0; usize::from(cpus)];
    for (number, span) in spans.iter().enumerate() {
        span.iter().for_each(|cpu| of[cpu.index()] = number as u16);
    }
    Sets { of, spans }
}

/// Each unit lies within the next, up to the package. Nodes are apart from that: a package may hold several,
/// and a node several packages.
fn check_nesting(sets: &[Sets; 5], problems: &mut Vec<TopologyProblem>) {
    for pair in [Unit::Core, Unit::L2, Unit::Llc, Unit::Package].windows(2) {
        let (inner, outer) = (pair[0], pair[1]);
        let (small, large) = (&sets[inner as usize], &sets[outer as usize]);
        let stray = small.spans.iter().filter_map(|span| {
            let cpu = span.lowest()?;
            let around = &large.spans[usize::from(large.of[cpu.index()])];
            (!span.is_subset(around)).then_some(cpu)
        });
        problems.extend(stray.map(|cpu| TopologyProblem::NotNested { inner, outer, cpu }));
    }
}

fn node_distances(
    spec: &TopologySpec<'_>,
    nodes: usize,
    problems: &mut Vec<TopologyProblem>,
) -> Vec<u32> {
    let given = spec.node_distance;
    if given.is_empty() {
        let (local, remote) = NODE_DISTANCE;
        let between = |i: usize| {
            if i / nodes == i % nodes {
                local
            } else {
                remote
            }
        };
        return (0..nodes * nodes).map(between).collect();
    }
    if given.len() != nodes * nodes || given.contains(&0) {
        problems.push(TopologyProblem::NodeDistance);
    }
    given.to_vec()
}

fn capacities(spec: &TopologySpec<'_>, problems: &mut Vec<TopologyProblem>) -> Vec<u32> {
    if spec.capacity.is_empty() {
        return vec![FULL_CAPACITY; usize::from(spec.cpus)];
    }
    let sound = |c: &u32| (1..=FULL_CAPACITY).contains(c);
    if spec.capacity.len() != usize::from(spec.cpus) || !spec.capacity.iter().all(sound) {
        problems.push(TopologyProblem::Capacity);
    }
    spec.capacity.to_vec()
}

/// The distance of every pair of CPUs, row by row.
fn distances(sets: &[Sets; 5], cpus: u16) -> Vec<Distance> {
    let same =
        |unit: Unit, a: usize, b: usize| sets[unit as usize].of[a] == sets[unit as usize].of[b];
    let between = |a: usize, b: usize| {
        if a == b {
            Distance::SelfCpu
        } else if same(Unit::Core, a, b) {
            Distance::Smt
        } else if same(Unit::L2, a, b) {
            Distance::L2
        } else if same(Unit::Llc, a, b) {
            Distance::Llc
        } else if same(Unit::Package, a, b) && same(Unit::Node, a, b) {
            Distance::Pkg
        } else {
            Distance::Remote
        }
    };
    let n = usize::from(cpus);
    (0..n * n).map(|i| between(i / n, i % n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: TopologySpec<'_> = TopologySpec {
        cpus: 4,
        smt: "",
        l2: "0,1|2,3",
        llc: "",
        packages: "",
        nodes: "",
        node_distance: &[],
        capacity: &[],
    };

    fn problems(spec: &TopologySpec<'_>) -> Vec<String> {
        let problems = Topology::new(spec).expect_err("a bad topology");
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lists_left_empty_mean_the_plain_thing() {
        let topology = Topology::new(&PAIRS).expect("sound");
        assert_eq!(topology.spans(Unit::Core).len(), 4);
        assert_eq!(topology.spans(Unit::Llc), topology.spans(Unit::L2));
        assert_eq!(topology.span_of(Unit::Node, CpuId(2)).to_string(), "0-3");
        let row: Vec<_> = (0..4)
            .map(|b| topology.distance(CpuId(1), CpuId(b)).name())
            .collect();
        assert_eq!(row, ["l2", "self", "pkg", "pkg"]);
        assert_eq!(topology.capacity(CpuId(3)), 1024);
    }

    #[test]
    fn cores_without_a_second_thread_need_no_mention() {
        let spec = TopologySpec {
            smt: "0,1",
            l2: "0,1|2,3",
            llc: "0-3",
            ..PAIRS
        };
        let topology = Topology::new(&spec).expect("sound");
        let row: Vec<_> = (0..4)
            .map(|b| topology.distance(CpuId(0), CpuId(b)).name())
            .collect();
        assert_eq!(row, ["self", "smt", "llc", "llc"]);
        assert_eq!(topology.distance(CpuId(2), CpuId(3)), Distance::L2);
    }

    #[test]
    fn another_node_is_remote_even_in_one_package() {
        let spec = TopologySpec {
            nodes: "0,1|2,3",
            ..PAIRS
        };
        let topology = Topology::new(&spec).expect("sound");
        assert_eq!(topology.distance(CpuId(1), CpuId(2)), Distance::Remote);
        assert_eq!(topology.node_distance(0, 0), 10);
        assert_eq!(topology.node_distance(1, 0), 20);
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let spec = TopologySpec {
            l2: "0,1|1-2|x",
            packages: "0-2|9",
            node_distance: &[10, 20],
            capacity: &[1024, 0, 1, 1],
            ..PAIRS
        };
        let expected = [
            "l2: CPU 1 is in two sets",
            "l2: 'x' is no CPU list: 'x' is no CPU number",
            "packages: there is no CPU 9",
            "packages: CPU 3 is in no set",
            "node distances: one row of positive numbers for each node",
            "capacities: one number of 1 to 1024 for each CPU",
        ];
        assert_eq!(problems(&spec), expected);
        assert_eq!(
            problems(&TopologySpec { cpus: 257, ..PAIRS }),
            ["257 CPUs: must be 1 to 256"]
        );
        let spec = TopologySpec {
            packages: "0|1-3",
            ..PAIRS
        };
        assert_eq!(
            problems(&spec),
            ["the llc set of CPU 0 reaches beyond its packages set"]
        );
    }
}
