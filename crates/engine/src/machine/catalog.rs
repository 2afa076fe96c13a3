//! The machines: each a row of facts about a real (or a classroom) computer, with how sure each fact is.
//!
//! Not here: what an operation costs (the cost model reads these numbers), nor any choice of a user. Times are
//! kept in whole picoseconds so that no float is needed; shares and speeds in thousandths.

use super::cost::Generation;
use super::emulated;
use super::energy::{PerfDomain, PerfState};
use super::nehalem;
use super::snapdragon;
use super::topology::{Distance, Topology, TopologyProblem, TopologySpec};
use super::{CpuId, CpuMask};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// How a fact is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// Measured or printed by the source named.
    Known,
    /// Worked out from known numbers.
    Derived,
    /// Chosen: plausible, and open to doubt.
    Chosen,
}

/// One fact of a machine row, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What is known.
    pub what: &'static str,
    /// How.
    pub mark: Mark,
    /// From where.
    pub source: &'static str,
}

/// Cache sizes, KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSizes {
    /// First-level data cache, one for each core.
    pub l1d: u32,
    /// Second-level cache, one for each set of the topology.
    pub l2: u32,
    /// Third-level cache; 0 = there is none and the L2 is the last level.
    pub l3: u32,
}

/// Load-to-use times of the caches, picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadTimes {
    /// First level.
    pub l1: u32,
    /// Second level.
    pub l2: u32,
    /// Third level; 0 = there is none.
    pub l3: u32,
}

/// One-way transfer of a modified cache line, picoseconds, by distance; none where the machine has no such pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferTimes {
    /// Between threads of a core.
    pub smt: Option<u32>,
    /// Between cores that share the L2.
    pub l2: Option<u32>,
    /// Between cores that share the last-level cache only.
    pub llc: Option<u32>,
    /// Within a package, across last-level caches.
    pub pkg: Option<u32>,
    /// Across packages or nodes.
    pub remote: Option<u32>,
}

impl TransferTimes {
    /// The time for `distance`: zero to oneself, and the next longer one that the row gives (else the longest)
    /// where it gives none.
    pub fn at(&self, distance: Distance) -> u32 {
        let rows = [self.smt, self.l2, self.llc, self.pkg, self.remote];
        let Some(from) = (distance as usize).checked_sub(1) else {
            return 0;
        };
        let longer = rows[from..].iter().flatten().next();
        let shorter = rows[..from].iter().flatten().next_back();
        longer.or(shorter).copied().unwrap_or(0)
    }
}

/// One idle state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleState {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Worst-case exit latency, microseconds.
    pub exit_us: u32,
    /// How long a CPU should stay in it for it to pay, microseconds.
    pub residency_us: u32,
    /// The CPUs that have it; empty = all.
    pub cpus: Cow<'static, str>,
}

/// The speeds of a machine: what its silicon takes for the elementary steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speeds {
    /// Speed relative to the reference core, a Core 2 core at 2.4 GHz, in thousandths.
    pub speed_milli: u32,
    /// Speed of each thread while both of a core are busy, in thousandths of its speed alone; none without SMT.
    pub smt_share_milli: Option<u32>,
    /// Cache sizes.
    pub cache_kb: CacheSizes,
    /// Load-to-use times.
    pub load_ps: LoadTimes,
    /// Memory access time, nanoseconds: that of the own node, as nobody here knows whose memory is where.
    pub mem_ns: u32,
    /// Line transfer times between CPUs.
    pub c2c_ps: TransferTimes,
}

/// Which CPUs share what, as text; what [`TopologySpec`] borrows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Number of CPUs.
    pub cpus: u16,
    /// Cores of several threads, as [`TopologySpec::smt`].
    pub smt: Cow<'static, str>,
    /// Shared L2 caches, as [`TopologySpec::l2`].
    pub l2: Cow<'static, str>,
    /// Last-level caches, as [`TopologySpec::llc`].
    pub llc: Cow<'static, str>,
    /// Packages, as [`TopologySpec::packages`].
    pub packages: Cow<'static, str>,
    /// Nodes, as [`TopologySpec::nodes`].
    pub nodes: Cow<'static, str>,
    /// Node distances, as [`TopologySpec::node_distance`].
    pub node_distance: Cow<'static, [u32]>,
    /// Capacities, as [`TopologySpec::capacity`].
    pub capacity: Cow<'static, [u32]>,
    /// What the CPUs cost at each of their speeds; empty where that is not known.
    pub energy: Cow<'static, [PerfDomain]>,
}

/// A machine: a row of the catalog, or one's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name in links and lists.
    pub name: Cow<'static, str>,
    /// What it is, in a few words.
    pub title: Cow<'static, str>,
    /// Which CPUs share what.
    pub layout: Layout,
    /// How fast it is.
    pub speeds: Speeds,
    /// Which measured direct costs are scaled by its speed.
    pub generation: Generation,
    /// Idle states, shallowest first.
    pub idle: Cow<'static, [IdleState]>,
    /// What of this is known, and how; empty for one's own.
    pub facts: Cow<'static, [Fact]>,
}

impl IdleState {
    /// Does `cpu` have it?
    pub fn is_of(&self, cpu: CpuId) -> bool {
        let listed = self.cpus.parse::<CpuMask>();
        self.cpus.is_empty() || listed.is_ok_and(|cpus| cpus.contains(cpu))
    }
}

impl Machine {
    /// The machine of that name.
    pub fn by_name(name: &str) -> Option<&'static Machine> {
        CATALOG.iter().find(|m| m.name == name)
    }

    /// Its topology, checked.
    ///
    /// # Errors
    /// Everything that is wrong with it; nothing is with a row of the catalog.
    pub fn topology(&self) -> Result<Topology, Vec<TopologyProblem>> {
        Topology::new(&TopologySpec {
            cpus: self.layout.cpus,
            smt: &self.layout.smt,
            l2: &self.layout.l2,
            llc: &self.layout.llc,
            packages: &self.layout.packages,
            nodes: &self.layout.nodes,
            node_distance: &self.layout.node_distance,
            capacity: &self.layout.capacity,
        })
    }
}

pub(super) const fn text(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

pub(super) const fn idle(name: &'static str, exit_us: u32, residency_us: u32) -> IdleState {
    IdleState {
        name: text(name),
        exit_us,
        residency_us,
        cpus: text(""),
    }
}

pub(super) const fn fact(mark: Mark, what: &'static str, source: &'static str) -> Fact {
    Fact { what, mark, source }
}

/// Core 2 leaves no state but C1 worth modelling: exit 1 us, residency 2 us.
const CORE2_IDLE: &[IdleState] = &[idle("C1", 1, 2)];

/// The reference core: a Core 2 at 2.4 GHz with 4 MB of L2, no other cache to talk to.
const CORE2: Speeds = Speeds {
    speed_milli: 1000,
    smt_share_milli: None,
    cache_kb: CacheSizes {
        l1d: 32,
        l2: 4096,
        l3: 0,
    },
    load_ps: LoadTimes {
        l1: 1250,
        l2: 5800,
        l3: 0,
    },
    mem_ns: 110,
    c2c_ps: NO_OTHER,
};

/// No pair of CPUs at any distance.
pub(super) const NO_OTHER: TransferTimes = TransferTimes {
    smt: None,
    l2: None,
    llc: None,
    pkg: None,
    remote: None,
};

/// One node of uniform memory, cores of one thread, the L2 as last level.
const fn core2_layout(cpus: u16, l2: &'static str, packages: &'static str) -> Layout {
    Layout {
        cpus,
        smt: text(""),
        l2: text(l2),
        llc: text(""),
        packages: text(packages),
        nodes: text(""),
        node_distance: Cow::Borrowed(&[]),
        capacity: Cow::Borrowed(&[]),
        energy: Cow::Borrowed(&[]),
    }
}

/// Every machine.
pub static CATALOG: [Machine; 12] = [
    TIGERTON_4X4,
    STOAKLEY_2X4,
    Q6600,
    nehalem::NEHALEM_EP_2X4X2,
    nehalem::WESTMERE_E5620,
    snapdragon::RB5,
    LITTLE_BIG_4,
    CLASSROOM_1,
    emulated::QEMU_1,
    emulated::QEMU_2C,
    emulated::QEMU_2S2C,
    emulated::QEMU_2C2T,
];

const TIGERTON_4X4: Machine = Machine {
    name: text("tigerton-4x4"),
    title: text("4 sockets x 4 cores, Xeon 7300 (2009)"),
    layout: core2_layout(
        16,
        "0,4|8,12|1,5|9,13|2,6|10,14|3,7|11,15",
        "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15",
    ),
    speeds: Speeds {
        mem_ns: 160,
        c2c_ps: TransferTimes {
            l2: Some(10_000),
            pkg: Some(140_000),
            remote: Some(200_000),
            ..NO_OTHER
        },
        ..CORE2
    },
    generation: Generation::Core2,
    idle: Cow::Borrowed(CORE2_IDLE),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Known,
            "4 sockets of 4 cores",
            "the thread of October 2009",
        ),
        fact(
            Mark::Known,
            "two dies a package, 4 MB of L2 each (8 MB parts), one 1066 MHz bus a socket, 64 MB snoop filter",
            "press pages of the Xeon 7300 platform",
        ),
        fact(
            Mark::Derived,
            "CPU numbers: package = cpu mod 4, L2 pairs (0,4), (8,12)",
            "a 4-socket X7460 of the same platform, hwloc test data",
        ),
        fact(
            Mark::Known,
            "10 ns a line within an L2 pair",
            "pinned TCP_RR on the Q6600",
        ),
        fact(
            Mark::Chosen,
            "clock 2.4 GHz (speed 1.0), memory 160 ns, 140 ns a line within the package, 200 ns across",
            "no measurement found",
        ),
    ]),
};

const STOAKLEY_2X4: Machine = Machine {
    name: text("stoakley-2x4"),
    title: text("2 sockets x 4 cores, Xeon 5400 (2009)"),
    layout: core2_layout(8, "0,4|2,6|1,5|3,7", "0,2,4,6|1,3,5,7"),
    speeds: Speeds {
        speed_milli: 1250,
        cache_kb: CacheSizes {
            l1d: 32,
            l2: 6144,
            l3: 0,
        },
        load_ps: LoadTimes {
            l1: 1060,
            l2: 5300,
            l3: 0,
        },
        mem_ns: 120,
        c2c_ps: TransferTimes {
            l2: Some(9_000),
            pkg: Some(125_000),
            remote: Some(150_000),
            ..NO_OTHER
        },
        ..CORE2
    },
    generation: Generation::Core2,
    idle: Cow::Borrowed(CORE2_IDLE),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Known,
            "2 sockets of 4 cores",
            "the thread of October 2009",
        ),
        fact(
            Mark::Known,
            "CPU numbers: packages even and odd, L2 pairs (0,4), (2,6), (1,5), (3,7)",
            "a real 2 x E5345 server, hwloc test data",
        ),
        fact(
            Mark::Known,
            "memory 120 ns",
            "AnandTech 2143, measured on the older E5345",
        ),
        fact(
            Mark::Chosen,
            "clock 2.83 GHz (speed 1.25), 9, 125, 150 ns a line",
            "no measurement found",
        ),
    ]),
};

const Q6600: Machine = Machine {
    name: text("q6600"),
    title: text("Core 2 Quad Q6600, two L2 pairs (2007-2011)"),
    layout: core2_layout(4, "0,1|2,3", ""),
    speeds: Speeds {
        c2c_ps: TransferTimes {
            l2: Some(10_000),
            pkg: Some(136_000),
            ..NO_OTHER
        },
        ..CORE2
    },
    generation: Generation::Core2,
    idle: Cow::Borrowed(CORE2_IDLE),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Derived,
            "L2 pairs (0,1), (2,3)",
            "the pinned TCP_RR table of November 2011",
        ),
        fact(
            Mark::Known,
            "2.4 GHz: the reference core",
            "the thread of November 2011",
        ),
        fact(
            Mark::Derived,
            "10 ns a line within the pair, 136 ns across (mean of 133 and 140)",
            "a fit of the pinned TCP_RR table",
        ),
        fact(Mark::Chosen, "memory 110 ns", "no measurement found"),
    ]),
};

const CLASSROOM_1: Machine = Machine {
    name: text("classroom-1"),
    title: text("One CPU, no balancing, no placement"),
    layout: core2_layout(1, "", ""),
    speeds: CORE2,
    generation: Generation::Core2,
    idle: Cow::Borrowed(CORE2_IDLE),
    facts: Cow::Borrowed(&[fact(
        Mark::Chosen,
        "one core of the reference kind",
        "made for the classroom",
    )]),
};

const fn at(capacity: u32, power: u32) -> PerfState {
    PerfState { capacity, power }
}

const LITTLE_BIG_4: Machine = Machine {
    name: text("little-big-4"),
    title: text("2 little + 2 big CPUs, the example of the kernel's documentation"),
    layout: Layout {
        cpus: 4,
        smt: text(""),
        l2: text("0,1|2,3"),
        llc: text(""),
        packages: text(""),
        nodes: text(""),
        node_distance: Cow::Borrowed(&[]),
        capacity: Cow::Borrowed(&[512, 512, 1024, 1024]),
        energy: Cow::Borrowed(&[
            PerfDomain {
                cpus: text("0-1"),
                states: Cow::Borrowed(&[at(170, 50), at(341, 150), at(512, 300)]),
            },
            PerfDomain {
                cpus: text("2-3"),
                states: Cow::Borrowed(&[at(512, 400), at(768, 800), at(1024, 1700)]),
            },
        ]),
    },
    speeds: Speeds {
        c2c_ps: TransferTimes {
            l2: Some(10_000),
            pkg: Some(136_000),
            ..NO_OTHER
        },
        ..CORE2
    },
    generation: Generation::Core2,
    idle: Cow::Borrowed(CORE2_IDLE),
    facts: Cow::Borrowed(&[
        fact(
            Mark::Known,
            "two little CPUs of capacity 512, two big ones of 1024, and what each costs at three speeds",
            "Documentation/scheduler/sched-energy.rst",
        ),
        fact(
            Mark::Chosen,
            "a cache for each pair, and everything else: the big CPUs are those of the Q6600",
            "made to show energy-aware placement",
        ),
    ]),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::topology::Unit;
    use alloc::string::{String, ToString};

    fn topology(name: &str) -> Topology {
        let machine = Machine::by_name(name).expect("in the catalog");
        machine.topology().expect("sound")
    }

    #[test]
    fn every_machine_is_sound_and_named_once() {
        for machine in &CATALOG {
            let topology = machine.topology().expect("sound");
            assert_eq!(topology.cpus(), machine.layout.cpus);
            let same = CATALOG.iter().filter(|m| m.name == machine.name);
            assert_eq!(same.count(), 1, "{}", machine.name);
            assert!(!machine.facts.is_empty(), "{}", machine.name);
            let smt = topology.spans(Unit::Core).len() < usize::from(topology.cpus());
            assert_eq!(
                smt,
                machine.speeds.smt_share_milli.is_some(),
                "{}",
                machine.name
            );
        }
    }

    #[test]
    fn tigerton_pairs_share_a_cache_and_packages_interleave() {
        let tigerton = topology("tigerton-4x4");
        let to = |cpu| tigerton.distance(CpuId(0), CpuId(cpu)).name();
        assert_eq!(
            [to(4), to(8), to(12), to(1)],
            ["l2", "pkg", "pkg", "remote"]
        );
        assert_eq!(tigerton.spans(Unit::Llc).len(), 8);
        let package = tigerton.span_of(Unit::Package, CpuId(6));
        assert_eq!(package.to_string(), "2,6,10,14");
    }

    #[test]
    fn nehalem_threads_share_a_core_and_sockets_are_nodes() {
        let nehalem = topology("nehalem-ep-2x4x2");
        let to = |cpu| nehalem.distance(CpuId(0), CpuId(cpu)).name();
        assert_eq!(
            [to(8), to(1), to(11), to(4)],
            ["smt", "llc", "llc", "remote"]
        );
        assert_eq!(nehalem.node_distance(0, 1), 21);
        let node: CpuMask = "4-7,12-15".parse().expect("a list");
        assert_eq!(nehalem.span_of(Unit::Node, CpuId(13)), &node);
    }

    #[test]
    fn the_e5620_has_one_cache_and_siblings_are_four_apart() {
        let e5620 = topology("westmere-e5620");
        let to = |cpu| e5620.distance(CpuId(3), CpuId(cpu)).name();
        assert_eq!([to(3), to(7), to(0), to(6)], ["self", "smt", "llc", "llc"]);
        assert_eq!(e5620.spans(Unit::Llc).len(), 1);
    }

    #[test]
    fn each_cpu_has_the_idle_states_that_are_listed_for_it() {
        let of = |machine: &str, cpu| -> Vec<String> {
            let machine = Machine::by_name(machine).expect("in the catalog");
            let states = machine.idle.iter().filter(|s| s.is_of(CpuId(cpu)));
            states.map(|state| state.name.to_string()).collect()
        };
        assert_eq!(of("nehalem-ep-2x4x2", 7), ["C1", "C1E", "C3", "C6"]);
        assert_eq!(of("rb5", 3), ["WFI", "little-off"]);
        assert_eq!(of("rb5", 4), ["WFI", "big-off"]);
    }

    #[test]
    fn the_rb5_has_four_little_three_big_and_a_prime_core_behind_one_cache() {
        let rb5 = topology("rb5");
        let capacities: Vec<u32> = rb5.all().iter().map(|cpu| rb5.capacity(cpu)).collect();
        assert_eq!(capacities, [284, 284, 284, 284, 872, 872, 872, 1024]);
        assert_eq!(rb5.spans(Unit::Llc).len(), 1);
        assert_eq!(rb5.distance(CpuId(0), CpuId(7)).name(), "llc");
    }

    #[test]
    fn a_transfer_time_that_a_row_lacks_is_the_next_longer_one() {
        let times = Machine::by_name("q6600")
            .expect("in the catalog")
            .speeds
            .c2c_ps;
        let at = Distance::ALL.map(|d| times.at(d));
        assert_eq!(at, [0, 10_000, 10_000, 136_000, 136_000, 136_000]);
        assert_eq!(TransferTimes::default().at(Distance::Llc), 0);
    }
}
