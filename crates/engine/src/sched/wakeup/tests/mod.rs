//! CPU selection against the worked examples of cfs.md §22 and the scan counts of §14.4.

use super::*;
use crate::sched::features::Feature;
use crate::sched::profile::Kernel;
use crate::sched::rq::Averages;
use crate::sched::test_machines::{flat, kernel, load, on, sleeper};
use crate::task::Nice;
use PlacementWhy as Why;

mod v3_2;
mod v6;

struct Wake {
    this: usize,
    prev: usize,
    sync: bool,
    /// Average overlap of waker and wakee, ns.
    overlap: i64,
    features: &'static [Feature],
}

/// A wakeup on one CPU of an L2 pair of a task that last ran on the other; what it says.
fn affine(kernel: &Kernel, wake: &Wake) -> Placement {
    affine_of(kernel, wake, [wake.overlap; 2])
}

/// The same with overlaps of the waker and of the wakee.
fn affine_of(kernel: &Kernel, wake: &Wake, overlaps: [i64; 2]) -> Placement {
    let mut s = on("tigerton-4x4", kernel);
    for feature in wake.features {
        s.features = s.features.with(*feature, true);
    }
    let waker = load(&mut s, 0, wake.this).expect("a waker");
    load(&mut s, 4, wake.prev);
    let wakee = sleeper(&mut s, 4);
    let [own, other] = overlaps.map(|avg_overlap| Averages {
        avg_overlap,
        ..Averages::default()
    });
    s.fixture().averages(waker, own).averages(wakee, other);
    s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, wake.sync)
}

const THIS: CpuId = CpuId(0);
const PREV: CpuId = CpuId(4);

/// Id, wakeup, and where it goes under 2.6.31 and 2.6.32.
type Row = (&'static str, Wake, (CpuId, Why), (CpuId, Why));

const STAYS: (CpuId, Why) = (PREV, Why::PrevNotAffine);
const SYNC: (CpuId, Why) = (THIS, Why::AffineSync);
const PULLED: (CpuId, Why) = (THIS, Why::AffineBalanced);

const fn sync(this: usize, prev: usize) -> Wake {
    Wake {
        sync: true,
        ..plain(this, prev)
    }
}

const fn plain(this: usize, prev: usize) -> Wake {
    Wake {
        this,
        prev,
        sync: false,
        overlap: 0,
        features: &[],
    }
}

const OVERLAP: Wake = Wake {
    overlap: 600_000,
    ..sync(1, 0)
};

/// The hint is lost above `migration_cost`, not at it.
const AT_COST: Wake = Wake {
    overlap: 500_000,
    ..sync(1, 0)
};

/// The worked examples, and beside them the edges: 100 · (27 + 1) = 112 · 25.
const WAKE_AFFINE: [Row; 14] = [
    ("T104", sync(1, 0), (THIS, Why::AffineLowTotal), SYNC),
    ("T105", plain(1, 0), STAYS, STAYS),
    ("T106", sync(1, 1), SYNC, SYNC),
    ("T107", plain(1, 1), STAYS, STAYS),
    ("T108", plain(1, 2), PULLED, PULLED),
    ("T109", sync(2, 1), STAYS, STAYS),
    ("T110", sync(2, 2), SYNC, SYNC),
    ("T110", plain(2, 2), STAYS, STAYS),
    ("T111", plain(8, 8), STAYS, STAYS),
    ("T111", plain(8, 9), PULLED, PULLED),
    ("T112", OVERLAP, STAYS, STAYS),
    (
        "overlap at cost",
        AT_COST,
        (THIS, Why::AffineLowTotal),
        SYNC,
    ),
    ("just balanced", plain(27, 25), PULLED, PULLED),
    ("not any more", plain(28, 25), STAYS, STAYS),
];

#[test]
fn t104_to_t112_wake_affine() {
    for (id, wake, old, new) in WAKE_AFFINE {
        let got = affine(&kernel("2.6.31", &[]), &wake);
        assert_eq!((got.cpu, got.why), old, "cfs/{id} 2.6.31");
        for profile in ["2.6.32-rc1", "2.6.32"] {
            let got = affine(&kernel(profile, &[]), &wake);
            assert_eq!((got.cpu, got.why), new, "cfs/{id} {profile}");
        }
    }
}

/// The hint goes if either of the two overlaps too long, and comes only if both overlap too little.
#[test]
fn t112_t113_ask_both_tasks() {
    let (short, long) = (100_000, 600_000);
    let (_, over, _, _) = WAKE_AFFINE
        .iter()
        .find(|row| row.0 == "T112")
        .expect("it is there");
    let more = Wake {
        features: &[Feature::SyncMore],
        ..plain(1, 0)
    };
    for overlaps in [[short, long], [long, short]] {
        for profile in ["2.6.31", "2.6.32-rc1", "2.6.32"] {
            let got = affine_of(&kernel(profile, &[]), over, overlaps);
            assert_eq!((got.cpu, got.why), STAYS, "cfs/T112 {profile} {overlaps:?}");
        }
        let got = affine_of(&kernel("2.6.32", &[]), &more, overlaps);
        assert_eq!(got.cpu, PREV, "cfs/T113 {overlaps:?}");
    }
    for profile in ["2.6.31", "2.6.32-rc1", "2.6.32"] {
        let got = affine_of(&kernel(profile, &[]), over, [short, short]);
        assert_eq!(got.cpu, THIS, "cfs/T112 {profile}");
    }
}

#[test]
fn t113_sync_more_adds_the_hint() {
    let wake = Wake {
        overlap: 100_000,
        features: &[Feature::SyncMore],
        ..plain(1, 0)
    };
    let got = affine(&kernel("2.6.32", &[]), &wake);
    assert_eq!((got.cpu, got.why), (THIS, Why::AffineSync), "cfs/T113");
    let without = Wake {
        features: &[],
        ..wake
    };
    assert_eq!(affine(&kernel("2.6.32", &[]), &without).cpu, PREV);
}

#[test]
fn each_delta_of_wake_affine_shows() {
    let sync_idle = Wake {
        this: 1,
        prev: 0,
        sync: true,
        ..plain(1, 0)
    };
    let got = affine(&kernel("2.6.32", &[-6]), &sync_idle);
    assert_eq!(
        got.why,
        Why::AffineLowTotal,
        "without D06 only the low-load clause pulls"
    );
    let long = Wake {
        overlap: 600_000,
        ..sync_idle
    };
    let mut no_sync_less = kernel("2.6.32", &[]);
    no_sync_less.features = no_sync_less.features.with(Feature::SyncLess, false);
    assert_eq!(
        affine(&no_sync_less, &long).cpu,
        THIS,
        "NO_SYNC_LESS keeps the hint"
    );
    let mut no_affine = kernel("2.6.32", &[]);
    no_affine.features = no_affine.features.with(Feature::AffineWakeups, false);
    let got = affine(&no_affine, &sync_idle);
    assert_eq!((got.cpu, got.why), (PREV, Why::PrevNoDomain));
    // 2.6.31 pulls passively: this load 9, previous 12: 112 · 9 ≤ 100 · 12, but 100 · 10 ≤ 112 · 12 too;
    // with AFFINE_WAKEUPS off only the first is asked.
    let mut no_affine = kernel("2.6.31", &[]);
    no_affine.features = no_affine.features.with(Feature::AffineWakeups, false);
    let wake = Wake {
        this: 9,
        prev: 12,
        ..plain(1, 0)
    };
    assert_eq!(affine(&no_affine, &wake).why, Why::PassiveBalance);
}

#[test]
fn passive_balancing_pulls_up_to_its_edge() {
    let mut no_affine = kernel("2.6.31", &[]);
    no_affine.features = no_affine.features.with(Feature::AffineWakeups, false);
    // 112 · 25 = 100 · 28.
    let why = |this| affine(&no_affine, &plain(this, 28)).why;
    assert_eq!(why(25), Why::PassiveBalance);
    assert_eq!(why(26), Why::PrevNotAffine);
}

/// The low-load clause of 2.6.31 asks for no more than one task's weight on both CPUs together, and that is what
/// there is: the waker aside, one nice-0 task. The wakee is too heavy (nice −5) for the first clause.
#[test]
fn the_low_load_clause_pulls_up_to_its_edge() {
    let mut s = on("tigerton-4x4", &kernel("2.6.31", &[]));
    load(&mut s, 0, 1);
    load(&mut s, 4, 1);
    let wakee = sleeper(&mut s, 4);
    s.set_nice(wakee, Nice::new(-5));
    let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, true);
    assert_eq!((got.cpu, got.why), (THIS, Why::AffineLowTotal));
}

/// A sync wakeup from an interrupt on an idle CPU takes the weight of the idle task, 1024, off a load of nothing: it
/// wraps, and with the wakee's weight it is nothing again.
#[test]
fn the_idle_task_weighs_as_much_as_nice_0() {
    let mut s = on("tigerton-4x4", &kernel("2.6.31", &[]));
    let wakee = sleeper(&mut s, 4);
    let (steps, got) = s.select_candidates(wakee, CpuId(0), SelectKind::Wake, true);
    assert_eq!((got.cpu, got.why), (THIS, Why::AffineSync));
    let seen = steps.iter().find_map(|step| match step {
        Step::Affine(affine) => Some(affine.this_load),
        _ => None,
    });
    assert_eq!(seen, Some(0_u64.wrapping_sub(1024)));
}

/// With `SD_POWERSAVINGS_BALANCE` two tasks count as one in the test for room.
#[test]
fn saving_power_a_pair_has_room_for_twice_as_many() {
    let mut kernel = kernel("2.6.32", &[]);
    let mc = &mut kernel.domains[Level::Mc as usize];
    mc.flags = mc.flags.with(SdFlags::POWERSAVINGS_BALANCE, true);
    let fork = |others: usize| {
        let mut s = on("tigerton-4x4", &kernel);
        load(&mut s, 0, 2);
        load(&mut s, 4, others);
        let child = sleeper(&mut s, 0);
        s.select_task_rq(child, CpuId(0), SelectKind::Fork, false)
            .why
    };
    assert_eq!(fork(1), Why::LocalHasRoom, "3 / 2 < 2");
    assert_eq!(fork(2), Why::Idlest, "4 / 2 = 2");
}

/// A wakeup on CPU 0, which runs the waker, of a task that last ran on `prev`; `queued` tasks on other CPUs.
fn scan(
    machine: &str,
    kernel: &Kernel,
    prev: u16,
    queued: &[(u16, usize)],
) -> (Vec<Step>, Placement) {
    let mut s = on(machine, kernel);
    load(&mut s, 0, 1);
    for (cpu, n) in queued {
        load(&mut s, *cpu, *n);
    }
    let wakee = sleeper(&mut s, prev);
    let (steps, placement) = s.select_candidates(wakee, CpuId(0), SelectKind::Wake, false);
    let again = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, false);
    assert_eq!(placement, again, "an explanation agrees with the decision");
    (steps, placement)
}

fn affine_level(steps: &[Step]) -> Option<Level> {
    steps.iter().find_map(|step| match step {
        Step::Affine(affine) => Some(affine.level),
        _ => None,
    })
}

#[test]
fn t122_t123_prefer_local_scans_of_nehalem() {
    for (prev, level) in [(1, Level::Mc), (4, Level::Node)] {
        let (steps, got) = scan("nehalem-ep-2x4x2", &kernel("2.6.32-rc1", &[]), prev, &[]);
        assert_eq!(got.visited, 8, "cfs/T122");
        assert_eq!(affine_level(&steps), Some(level), "cfs/T122");
        let d20 = kernel("2.6.32-rc1", &[20]);
        // Whatever else runs: nothing, a task on the previous CPU, two on each CPU but the waker's.
        let full: Vec<(u16, usize)> = (1..16).map(|cpu| (cpu, 2)).collect();
        for others in [&[][..], &[(prev, 1)], &full] {
            let (steps, got) = scan("nehalem-ep-2x4x2", &d20, prev, others);
            assert_eq!(got.visited, 16, "cfs/T123 {prev} {others:?}");
            assert_eq!(affine_level(&steps), Some(level), "cfs/T123 {prev}");
        }
        let (_, got) = scan("nehalem-ep-2x4x2", &kernel("2.6.32", &[]), prev, &[]);
        assert_eq!(got.visited, 0, "final: no level is flagged");
        let (_, got) = scan("nehalem-ep-2x4x2", &kernel("2.6.31", &[]), prev, &[]);
        assert_eq!(got.visited, 0, "2.6.31 has no such test");
    }
}

#[test]
fn t124_t125_prefer_local_on_tigerton() {
    let others = [(8, 1), (1, 2), (5, 2), (9, 2)];
    let (steps, got) = scan("tigerton-4x4", &kernel("2.6.32-rc1", &[]), 8, &others);
    assert_eq!(got.visited, 18, "cfs/T124 with D12");
    assert_eq!(affine_level(&steps), Some(Level::Cpu), "cfs/T124 with D12");
    let (steps, got) = scan("tigerton-4x4", &kernel("2.6.32-rc1", &[-12]), 8, &others);
    assert_eq!(
        (got.visited, got.cpu),
        (2, CpuId(8)),
        "cfs/T124 without D12"
    );
    assert_eq!(
        (affine_level(&steps), got.why),
        (None, Why::PrevAborted),
        "cfs/T124"
    );
    // The pair is full (2 of 2), the machine has 15 of 16.
    let full_pair = [(4, 1), (8, 4), (1, 4), (5, 5)];
    let (steps, got) = scan("tigerton-4x4", &kernel("2.6.32-rc1", &[-12]), 8, &full_pair);
    assert_eq!((got.visited, got.why), (18, Why::PrevAborted), "cfs/T125");
    assert_eq!(affine_level(&steps), None, "cfs/T125");
}

/// cfs.md §14.4, the table of scan counts, row Tigerton.
#[test]
fn scan_counts_of_tigerton() {
    let d20 = kernel("2.6.32-rc1", &[20]);
    let (_, got) = scan("tigerton-4x4", &d20, 4, &[]);
    assert_eq!(got.visited, 16, "D20: the NODE level, at every wakeup");
    let (_, got) = scan("tigerton-4x4", &kernel("2.6.32-rc1", &[]), 4, &[]);
    assert_eq!(
        got.visited, 2,
        "rc1: the pair has room and holds the previous CPU"
    );
    let (_, got) = scan("tigerton-4x4", &kernel("2.6.32-rc1", &[]), 4, &[(4, 1)]);
    assert_eq!(got.visited, 18, "rc1: the pair is full");
    let (_, got) = scan("tigerton-4x4", &kernel("2.6.32", &[]), 4, &[]);
    assert_eq!(got.visited, 0);
    let (_, got) = scan("stoakley-2x4", &kernel("2.6.32-rc1", &[]), 3, &[]);
    assert_eq!(got.visited, 2 + 8);
}

#[test]
fn d26_stops_counting_once_no_balancing_domain_is_wanted() {
    let kernel_of = |extra: &[i8]| {
        let mut kernel = kernel("2.6.32-rc1", extra);
        let node = &mut kernel.domains[Level::Node as usize];
        node.flags = node.flags.with(SdFlags::PREFER_LOCAL, true);
        kernel
    };
    let (_, got) = scan("nehalem-ep-2x4x2", &kernel_of(&[]), 4, &[]);
    assert_eq!(got.visited, 8 + 16);
    let (_, got) = scan("nehalem-ep-2x4x2", &kernel_of(&[26]), 4, &[]);
    assert_eq!(got.visited, 8);
}

/// Of two idle groups find_idlest_group prefers the other one (0 < 112 · 0 is false), so the search ends on the
/// second CPU of the first idle pair. cfs.md §14.4: rc1 keeps a child on its parent's CPU while the parent's L2 pair has room; D20 keeps it in the
/// node; 2.6.31 and the final kernel spread.
#[test]
fn forks_spread_unless_prefer_local_keeps_them() {
    let fork = |kernel: &Kernel| {
        let mut s = on("tigerton-4x4", kernel);
        load(&mut s, 0, 1);
        let child = sleeper(&mut s, 0);
        let got = s.select_task_rq(child, CpuId(0), SelectKind::Fork, false);
        (got.cpu, got.why)
    };
    assert_eq!(fork(&kernel("2.6.31", &[])), (CpuId(5), Why::Idlest));
    assert_eq!(
        fork(&kernel("2.6.32-rc1", &[])),
        (CpuId(0), Why::LocalHasRoom)
    );
    assert_eq!(fork(&kernel("2.6.32-rc1", &[20])), (CpuId(5), Why::Idlest));
    assert_eq!(fork(&kernel("2.6.32", &[])), (CpuId(5), Why::Idlest));
}

#[test]
fn sd_balance_wake_sends_a_wakee_to_the_idlest_cpu() {
    let wake = |kernel: &Kernel| {
        let mut s = on("tigerton-4x4", kernel);
        load(&mut s, 0, 2);
        load(&mut s, 4, 2);
        let wakee = sleeper(&mut s, 4);
        let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, false);
        (got.cpu, got.why)
    };
    // D11 turned it off; D10 would keep the search within a domain that has room.
    assert_eq!(
        wake(&kernel("2.6.32-rc1", &[-11, -10])),
        (CpuId(5), Why::Idlest)
    );
    assert_eq!(
        wake(&kernel("2.6.32-rc1", &[-10])),
        (CpuId(4), Why::PrevNotAffine)
    );
}

/// Two CPUs with caches of their own; CPU 0 asks.
fn idlest_group(kernel: &Kernel, loads: [usize; 2]) -> CpuId {
    let mut s = flat(2, kernel);
    load(&mut s, 0, loads[0]);
    load(&mut s, 1, loads[1]);
    let child = sleeper(&mut s, 0);
    s.select_task_rq(child, CpuId(0), SelectKind::Fork, false)
        .cpu
}

#[test]
fn t128_find_idlest_group() {
    for profile in ["2.6.31", "2.6.32"] {
        let kernel = || kernel(profile, &[]);
        assert_eq!(idlest_group(&kernel(), [1, 0]), CpuId(1), "cfs/T128 idlest");
        assert_eq!(idlest_group(&kernel(), [1, 1]), CpuId(0), "cfs/T128 none");
        assert_eq!(idlest_group(&kernel(), [2, 1]), CpuId(1), "cfs/T128 idlest");
    }
}

#[test]
fn a_mask_is_respected() {
    for profile in ["2.6.31", "2.6.32-rc1", "2.6.32"] {
        let mut s = on("tigerton-4x4", &kernel(profile, &[]));
        load(&mut s, 0, 1);
        let wakee = sleeper(&mut s, 4);
        s.tasks[wakee.index()].allowed = CpuMask::just(PREV);
        let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, true);
        assert_eq!((got.cpu, got.why), (PREV, Why::NotAllowed), "{profile}");
        s.tasks[wakee.index()].allowed = [9, 13].into_iter().map(CpuId).collect();
        let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Fork, false);
        assert!([9, 13].contains(&got.cpu.0), "{profile}");
    }
}

#[test]
fn a_machine_of_one_cpu_asks_nothing() {
    for profile in ["2.6.31", "2.6.32-rc1", "2.6.32"] {
        let mut s = on("classroom-1", &kernel(profile, &[]));
        load(&mut s, 0, 1);
        let wakee = sleeper(&mut s, 0);
        let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, false);
        let expected = Placement {
            cpu: CpuId(0),
            why: Why::SameCpu,
            visited: 0,
        };
        assert_eq!(got, expected, "{profile}");
        let fork = s.select_task_rq(wakee, CpuId(0), SelectKind::Fork, false);
        assert_eq!(fork.why, Why::NoDomain, "{profile}");
    }
}
