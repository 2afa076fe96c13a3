//! The domains of the machines of the catalog under each kernel, against cfs.md §14.4, §15 and T120, T121.

use super::*;
use crate::machine::Machine;
use crate::machine::sd_flags::Level;
use crate::machine::topology::TopologySpec;
use crate::sched::profile::{Base, DeltaId, Kernel, Profile};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

fn kernel(profile: &str, extra: &[u8]) -> Kernel {
    let profile = Profile::by_name(profile).expect("a profile");
    let deltas = profile.deltas;
    let deltas = extra
        .iter()
        .fold(deltas, |set, id| set.with(DeltaId(*id), true));
    Kernel::compose(profile.base, deltas)
}

fn domains_of(topology: &Topology, kernel: &Kernel) -> Domains {
    Domains::new(topology, &kernel.domains, kernel.rules.domain_rules())
}

fn machine(name: &str) -> Topology {
    let machine = Machine::by_name(name).expect("in the catalog");
    machine.topology().expect("sound")
}

/// The levels of every CPU, once each: `MC2 CPU16`.
fn levels(topology: &Topology, kernel: &Kernel) -> String {
    let domains = domains_of(topology, kernel);
    let of = |cpu| {
        let names = domains.of(cpu).map(|d| {
            let level = d.sd.spec.level.name_in(domains.table());
            format!("{level}{}", d.sd.cpus.len())
        });
        names.collect::<Vec<_>>().join(" ")
    };
    let mut seen: Vec<String> = topology.all().iter().map(of).collect();
    seen.dedup();
    assert_eq!(seen.len(), 1, "every CPU sees the same levels");
    seen.remove(0)
}

/// One level of a CPU as `power/capacity: group | group`, own group first.
fn ring(domains: &Domains, cpu: u16, level: Level) -> String {
    let domain = domains
        .of(CpuId(cpu))
        .find(|d| d.sd.spec.level == level)
        .expect("the level exists");
    let first = domain.local();
    let groups: Vec<_> = domain.groups().map(|g| format!("{}", g.span)).collect();
    format!("{}/{}: {}", first.power, first.capacity, groups.join(" | "))
}

#[test]
fn levels_that_stay_after_pruning() {
    let table = [
        (
            "tigerton-4x4",
            "MC2 CPU16",
            "MC2 CPU16",
            "MC2 CPU16 NODE16",
            "MC2 CPU16",
        ),
        (
            "stoakley-2x4",
            "MC2 CPU8",
            "MC2 CPU8",
            "MC2 CPU8 NODE8",
            "MC2 CPU8",
        ),
        (
            "q6600",
            "MC2 CPU4",
            "MC2 CPU4",
            "MC2 CPU4 NODE4",
            "MC2 CPU4",
        ),
        (
            "nehalem-ep-2x4x2",
            "SIBLING2 MC8 NODE16",
            "SIBLING2 MC8 NODE16",
            "SIBLING2 MC8 NODE16",
            "SIBLING2 MC8 NODE16",
        ),
        ("classroom-1", "", "", "", ""),
    ];
    for (name, v31, rc1, local_node, last) in table {
        let topology = machine(name);
        assert_eq!(levels(&topology, &kernel("2.6.31", &[])), v31, "{name} P1");
        assert_eq!(
            levels(&topology, &kernel("2.6.32-rc1", &[])),
            rc1,
            "{name} P2"
        );
        let d20 = kernel("2.6.32-rc1", &[20]);
        assert_eq!(levels(&topology, &d20), local_node, "{name} P2 + D20");
        assert_eq!(levels(&topology, &kernel("2.6.32", &[])), last, "{name} P7");
    }
}

#[test]
fn rings_start_with_the_own_group_and_follow_first_cpus() {
    let tigerton = domains_of(&machine("tigerton-4x4"), &kernel("2.6.32", &[]));
    assert_eq!(ring(&tigerton, 4, Level::Mc), "1024/1: 4 | 0");
    assert_eq!(
        ring(&tigerton, 6, Level::Cpu),
        "2048/2: 2,6 | 3,7 | 8,12 | 9,13 | 10,14 | 11,15 | 0,4 | 1,5"
    );
    let nehalem = domains_of(&machine("nehalem-ep-2x4x2"), &kernel("2.6.32", &[]));
    assert_eq!(
        ring(&nehalem, 10, Level::Mc),
        "1178/1: 2,10 | 3,11 | 0,8 | 1,9"
    );
    assert_eq!(
        ring(&nehalem, 5, Level::Node),
        "4712/5: 4-7,12-15 | 0-3,8-11"
    );
}

#[test]
fn t120_power_and_capacity() {
    let new = domains_of(&machine("nehalem-ep-2x4x2"), &kernel("2.6.32-rc1", &[]));
    assert!(
        ring(&new, 0, Level::Sibling).starts_with("589/1:"),
        "cfs/T120 thread"
    );
    assert!(
        ring(&new, 0, Level::Mc).starts_with("1178/1:"),
        "cfs/T120 core"
    );
    assert!(
        ring(&new, 0, Level::Node).starts_with("4712/5:"),
        "cfs/T120 socket"
    );
    assert_eq!(new.power_of(CpuId(9)), 589);
    let old = domains_of(&machine("nehalem-ep-2x4x2"), &kernel("2.6.31", &[]));
    for level in [Level::Sibling, Level::Mc, Level::Node] {
        assert!(
            ring(&old, 0, level).starts_with("1024/1:"),
            "2.6.31 {level:?}"
        );
    }
    let old = domains_of(&machine("tigerton-4x4"), &kernel("2.6.31", &[]));
    assert!(
        ring(&old, 0, Level::Cpu).starts_with("1024/1: 0,4 | 1,5"),
        "an L2 pair counts once"
    );
}

#[test]
fn t121_capacity_that_prefer_local_compares_with() {
    let capacity = |name, kernel: &Kernel, level| {
        let domains = domains_of(&machine(name), kernel);
        let mut of = domains.of(CpuId(0));
        of.find(|d| d.sd.spec.level == level)
            .expect("the level exists")
            .sd
            .capacity
    };
    let rc1 = kernel("2.6.32-rc1", &[]);
    assert_eq!(
        capacity("tigerton-4x4", &rc1, Level::Mc),
        2,
        "cfs/T121 pair"
    );
    assert_eq!(capacity("tigerton-4x4", &rc1, Level::Cpu), 16);
    assert_eq!(
        capacity("nehalem-ep-2x4x2", &rc1, Level::Mc),
        5,
        "cfs/T121 MC"
    );
    assert_eq!(
        capacity("nehalem-ep-2x4x2", &rc1, Level::Node),
        9,
        "cfs/T121 NODE"
    );
}

#[test]
fn a_flag_that_a_parent_alone_has_keeps_it_alive() {
    let mut kernel = kernel("2.6.32", &[]);
    let node = &mut kernel.domains[Level::Node as usize];
    node.flags = node.flags.with(SdFlags::PREFER_LOCAL, true);
    assert_eq!(levels(&machine("q6600"), &kernel), "MC2 CPU4 NODE4");
    let domains = domains_of(&machine("q6600"), &kernel);
    assert_eq!(ring(&domains, 2, Level::Node), "4096/4: 0-3");
}

#[test]
fn all_nodes_exists_only_beyond_sixteen_nodes() {
    let list = |n: u16| (0..n).map(|c| format!("{c}")).collect::<Vec<_>>().join("|");
    let topology = |n: u16| {
        let nodes = list(n);
        let spec = TopologySpec {
            cpus: n,
            nodes: &nodes,
            packages: &nodes,
            ..TopologySpec::default()
        };
        Topology::new(&spec).expect("sound")
    };
    let kernel = kernel("2.6.32", &[]);
    assert_eq!(levels(&topology(16), &kernel), "NODE16");
    assert_eq!(levels(&topology(20), &kernel), "NODE16 ALLNODES20");
    let domains = domains_of(&topology(20), &kernel);
    let all = domains.at(CpuId(0), 1).expect("ALLNODES").sd;
    assert_eq!((all.first_interval(), all.spec.max_interval), (64, 64 * 20));
    let node = domains.at(CpuId(18), 0).expect("NODE").sd;
    assert_eq!(
        format!("{}", node.span),
        "0-13,18-19",
        "the nearest by number"
    );
}

#[test]
fn the_reciprocal_of_2_6_31_rounds_and_cuts_as_the_kernel_does() {
    let old = SchedGroup::new(CpuMask::first(3), 3072, CpuPower::SharedCountsOnce);
    // ⌈2³²/3072⌉ = 1 398 102: 6144 · 1 398 102 >> 32 = 2.
    assert_eq!(old.div_power(6143), 1);
    assert_eq!(old.div_power(6144), 2);
    assert_eq!(
        old.div_power((1 << 32) + 6144),
        2,
        "the dividend is 32 bits wide"
    );
    let new = SchedGroup::new(CpuMask::first(3), 3072, CpuPower::Sum);
    assert_eq!(new.div_power((1 << 32) + 6144), 1_398_103);
}

/// The kernel of a base without deltas.
fn base(base: Base) -> Kernel {
    base.kernel()
}

/// 3.2 and 6.x stop at the first level that spans the machine; 6.x calls the levels by other names.
#[test]
fn levels_of_later_kernels() {
    let table = [
        ("tigerton-4x4", "MC2 CPU16", "MC2 DIE16"),
        ("stoakley-2x4", "MC2 CPU8", "MC2 DIE8"),
        ("q6600", "MC2 CPU4", "MC2 DIE4"),
        ("nehalem-ep-2x4x2", "SIBLING2 MC8 NODE16", "SMT2 MC8 NUMA16"),
        ("classroom-1", "", ""),
    ];
    for (name, v3_2, v6) in table {
        let topology = machine(name);
        assert_eq!(levels(&topology, &base(Base::V3_2)), v3_2, "{name} 3.2");
        assert_eq!(levels(&topology, &base(Base::V6_1)), v6, "{name} 6.1");
    }
    let mut kernel = base(Base::V3_2);
    let node = &mut kernel.domains[Level::Node as usize];
    node.flags = node.flags.with(SdFlags::PREFER_LOCAL, true);
    assert_eq!(
        levels(&machine("q6600"), &kernel),
        "MC2 CPU4",
        "CPU spans all: NODE is never built"
    );
}

/// cfs/T120 in 3.2, which also gives a thread of four a capacity, and 6.x, where a thread is a CPU like any other.
#[test]
fn t120_power_of_later_kernels() {
    let nehalem = machine("nehalem-ep-2x4x2");
    let v3_2 = domains_of(&nehalem, &base(Base::V3_2));
    let first = |domains: &Domains, level| {
        let ring = ring(domains, 0, level);
        ring.split(':').next().map(String::from)
    };
    let got = [Level::Sibling, Level::Mc, Level::Node].map(|l| first(&v3_2, l));
    let expected = ["589/1", "1178/1", "4712/5"].map(|t| Some(String::from(t)));
    assert_eq!(got, expected, "cfs/T120 3.2");
    let v6 = domains_of(&nehalem, &base(Base::V6_1));
    let got = [Level::Sibling, Level::Mc, Level::Node].map(|l| first(&v6, l));
    let expected = ["1024/1", "2048/2", "8192/8"].map(|t| Some(String::from(t)));
    assert_eq!(got, expected, "6.x: 1024 each");
}

/// `sd_init` of 6.1: intervals by span, percentages and tries by what the level shares, `SD_PREFER_SIBLING` but
/// between nodes, `SD_SERIALIZE` only there; an imbalance of an eighth of a node is left alone.
#[test]
fn rows_of_6_1_follow_the_span() {
    let domains = domains_of(&machine("nehalem-ep-2x4x2"), &base(Base::V6_1));
    let row = |d: DomainOf<'_>| {
        let spec = &d.sd.spec;
        assert_eq!(spec.busy_factor, 16);
        assert_eq!(d.sd.first_interval(), spec.min_interval);
        (
            (spec.min_interval, spec.max_interval),
            (spec.imbalance_pct, spec.cache_nice_tries),
            spec.flags.any(SdFlags::PREFER_SIBLING),
            spec.flags.any(SdFlags::SERIALIZE),
            d.sd.imb_numa_nr,
        )
    };
    let rows: Vec<_> = domains.of(CpuId(3)).map(row).collect();
    let expected = [
        ((2, 4), (110, 0), true, false, 0),
        ((8, 16), (117, 1), true, false, 0),
        ((16, 32), (117, 2), false, true, 1),
    ];
    assert_eq!(rows, expected);
}

/// Four nodes in a row of two pairs: 6.x has a level for the near ones, and beyond a distance of 30 neither forks nor
/// pulls wakees there. An asymmetric machine is known as such.
#[test]
fn far_nodes_and_unequal_cpus_in_6_1() {
    let distance = [
        10, 20, 40, 40, //
        20, 10, 40, 40, //
        40, 40, 10, 20, //
        40, 40, 20, 10,
    ];
    let spec = TopologySpec {
        cpus: 8,
        nodes: "0-1|2-3|4-5|6-7",
        packages: "0-1|2-3|4-5|6-7",
        node_distance: &distance,
        capacity: &[512, 1024, 1024, 1024, 1024, 1024, 1024, 1024],
        ..TopologySpec::default()
    };
    let topology = Topology::new(&spec).expect("sound");
    let domains = domains_of(&topology, &base(Base::V6_1));
    let of: Vec<_> = domains.of(CpuId(0)).collect();
    let spans: Vec<_> = of.iter().map(|d| format!("{}", d.sd.span)).collect();
    assert_eq!(spans, ["0-1", "0-3", "0-7"]);
    let near = SdFlags::BALANCE_EXEC | SdFlags::BALANCE_FORK | SdFlags::WAKE_AFFINE;
    let flags: Vec<_> = of.iter().map(|d| d.sd.spec.flags.any(near)).collect();
    assert_eq!(flags, [true, true, false]);
    assert!(of.iter().all(|d| d.sd.asym_capacity));
    assert!(domains.of(CpuId(7)).take(2).all(|d| !d.sd.asym_capacity));
    assert_eq!(
        (domains.power_of(CpuId(0)), of[0].local().power),
        (512, 512)
    );
    assert_eq!(of[1].local().power, 1536);
}
