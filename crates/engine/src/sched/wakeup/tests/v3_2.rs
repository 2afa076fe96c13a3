//! CPU selection of 3.2 and its variants against the worked examples of cfs.md §22.

use super::*;
use crate::machine::topology::TopologySpec;
use crate::sched::test_machines::shaped;

/// Four cores of two threads with one cache; siblings are i and i + 4 (E5620).
const E5620: TopologySpec<'_> = TopologySpec {
    cpus: 8,
    smt: "0,4|1,5|2,6|3,7",
    l2: "",
    llc: "0-7",
    packages: "",
    nodes: "",
    node_distance: &[],
    capacity: &[],
};

/// The cpuset of the measurements: core 0 is left out.
const CPUSET: [u16; 6] = [1, 2, 3, 5, 6, 7];
const ALL: [u16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// A wakeup on `this` of a task that ran on `prev` and may run on `allowed`, with one task on each of `busy`.
fn wake(
    kernel: &Kernel,
    (this, prev, sync): (u16, u16, bool),
    allowed: &[u16],
    busy: &[u16],
) -> (Vec<Step>, Placement) {
    let mut s = shaped(&E5620, kernel);
    for cpu in busy {
        load(&mut s, *cpu, 1);
    }
    let wakee = sleeper(&mut s, prev);
    s.tasks[wakee.index()].allowed = allowed.iter().map(|cpu| CpuId(*cpu)).collect();
    let told = s.select_candidates(wakee, CpuId(this), SelectKind::Wake, sync);
    let again = s.select_task_rq(wakee, CpuId(this), SelectKind::Wake, sync);
    assert_eq!(told.1, again, "an explanation agrees with the decision");
    told
}

/// Id; this, prev, sync (such that `wake_affine` makes the wanted one the target); allowed; busy; where it goes under
/// virgin, mikie, suresh and 3.2final.
type Row = (
    &'static str,
    (u16, u16, bool),
    &'static [u16],
    &'static [u16],
    [u16; 4],
);

const ROWS: [Row; 11] = [
    ("T93", (3, 3, false), &CPUSET, &[3], [7, 1, 1, 1]),
    ("T94", (1, 1, false), &CPUSET, &[1], [5, 2, 2, 2]),
    ("T95", (3, 3, false), &CPUSET, &[1, 2, 3], [7, 5, 7, 7]),
    ("T96", (3, 3, false), &CPUSET, &[1, 2, 3, 7], [3, 5, 3, 3]),
    ("T97", (3, 3, false), &CPUSET, &[1, 2, 3, 5], [7, 6, 7, 7]),
    ("T98", (1, 3, true), &CPUSET, &[1], [2, 2, 2, 2]),
    ("T99", (1, 3, false), &CPUSET, &[1], [3, 3, 3, 3]),
    ("T100", (3, 7, true), &CPUSET, &[3], [7, 1, 1, 1]),
    ("T101", (3, 7, false), &CPUSET, &[3], [7, 7, 7, 7]),
    ("T102", (2, 2, false), &ALL, &[2, 3], [6, 0, 0, 0]),
    ("T103", (0, 1, true), &ALL, &[0, 1, 2, 3], [4, 4, 4, 4]),
];

const VARIANTS: [&str; 4] = ["3.2-virgin", "mikie", "suresh", "3.2final"];

#[test]
fn t93_to_t103_select_idle_sibling() {
    for (id, wakeup, allowed, busy, expected) in ROWS {
        for (variant, cpu) in VARIANTS.into_iter().zip(expected) {
            let (steps, got) = wake(&kernel(variant, &[]), wakeup, allowed, busy);
            assert_eq!(got.cpu, CpuId(cpu), "cfs/{id} {variant} {steps:?}");
            let looked = steps.iter().filter(|s| matches!(s, Step::Looked { .. }));
            assert_eq!(got.visited, looked.count() as u32, "{id} {variant}");
        }
    }
}

/// The pair that sits on one CPU: the virgin kernel stacks it although other cores idle, for the walk ends at the core.
#[test]
fn what_the_variants_say_of_a_pair_on_one_cpu() {
    let why = |variant, busy: &[u16]| {
        let (_, got) = wake(&kernel(variant, &[]), (3, 3, true), &CPUSET, busy);
        (got.cpu.0, got.why)
    };
    assert_eq!(why("3.2-virgin", &[3, 7]), (3, Why::NoIdle), "cfs/T96");
    assert_eq!(why("mikie", &[3, 7]), (1, Why::IdleCpu));
    assert_eq!(why("suresh", &[3, 7]), (1, Why::IdleGroup));
    assert_eq!(why("3.2final", &[3, 7]), (1, Why::IdleGroup));
    assert_eq!(why("mikie2", &[3, 7]), (3, Why::SyncStacked));
    assert_eq!(why("mikie2", &[]), (3, Why::TargetIdle));
}

#[test]
fn sibling_limit_sync_lets_a_lone_sync_waker_leave_its_cpu() {
    let limit = kernel("mikie2", &[]);
    let mut no_limit = limit;
    no_limit.features = no_limit.features.with(Feature::SiblingLimitSync, false);
    let at = |kernel, sync| wake(kernel, (3, 3, sync), &CPUSET, &[3]).1.cpu;
    assert_eq!(at(&limit, true), CpuId(3));
    assert_eq!(at(&limit, false), CpuId(1), "only sync wakeups");
    assert_eq!(at(&no_limit, true), CpuId(1), "else as suresh");
}

#[test]
fn t104_to_t112_wake_affine_of_3_2() {
    const ROWS: [(&str, Wake, bool); 11] = [
        ("T104", sync(1, 0), true),
        ("T105", plain(1, 0), false),
        ("T106", sync(1, 1), true),
        ("T107", plain(1, 1), false),
        ("T108", plain(1, 2), true),
        ("T109", sync(2, 1), false),
        ("T110", sync(2, 2), true),
        ("T110", plain(2, 2), false),
        ("T111", plain(8, 8), false),
        ("T111", plain(8, 9), true),
        ("T112", OVERLAP, true),
    ];
    for (id, wake, yes) in ROWS {
        let mut s = on("tigerton-4x4", &kernel("3.2final", &[]));
        let waker = load(&mut s, 0, wake.this).expect("a waker");
        load(&mut s, 4, wake.prev);
        let wakee = sleeper(&mut s, 4);
        let averages = Averages {
            avg_overlap: wake.overlap,
            ..Averages::default()
        };
        s.fixture()
            .averages(waker, averages)
            .averages(wakee, averages);
        let (steps, _) = s.select_candidates(wakee, CpuId(0), SelectKind::Wake, wake.sync);
        let answer = steps.iter().find_map(|step| match step {
            Step::Affine(affine) => Some(affine.yes),
            _ => None,
        });
        assert_eq!(answer, Some(yes), "cfs/{id}");
    }
}

/// Loads are weighed by what the CPUs can do: a thread of a core counts 589.
#[test]
fn wake_affine_weighs_by_power() {
    let spec = TopologySpec {
        cpus: 3,
        smt: "0,1",
        llc: "0-2",
        ..TopologySpec::default()
    };
    let answer = |this: u16, prev: u16| {
        let mut s = shaped(&spec, &kernel("3.2final", &[]));
        load(&mut s, this, 1);
        load(&mut s, prev, 2);
        let wakee = sleeper(&mut s, prev);
        let (steps, _) = s.select_candidates(wakee, CpuId(this), SelectKind::Wake, false);
        let affine = |step: &Step| match step {
            Step::Affine(affine) => Some((affine.yes, affine.powers)),
            _ => None,
        };
        steps.iter().find_map(affine)
    };
    assert_eq!(answer(2, 0), Some((true, [1024, 589])));
    // 100 · 1024 · 2 > 112 · 589 · 2
    assert_eq!(answer(0, 2), Some((false, [589, 1024])));
}

/// A sleeping task keeps its CPU when its mask changes; the wakeup sees to it, in its node first.
#[test]
fn a_sleeper_is_moved_when_it_wakes() {
    let mut s = on("nehalem-ep-2x4x2", &kernel("3.2final", &[]));
    load(&mut s, 0, 1);
    let node_of_4 = s.near.node[4];
    let wakee = sleeper(&mut s, 4);
    let other = CpuMask::first(16)
        .without(&node_of_4)
        .lowest()
        .expect("two nodes");
    let near = node_of_4.iter().find(|cpu| cpu.0 > 4).expect("eight CPUs");
    let mask = CpuMask::just(other).or(&CpuMask::just(near));
    assert_eq!(s.set_allowed(wakee, mask), None);
    assert_eq!(s.tasks[wakee.index()].cpu, CpuId(4), "not moved");
    let waker = if other == CpuId(0) {
        CpuId(1)
    } else {
        CpuId(0)
    };
    let got = s.select_task_rq(wakee, waker, SelectKind::Wake, false);
    assert!(mask.contains(got.cpu), "{got:?}");
    let mut old = on("nehalem-ep-2x4x2", &kernel("2.6.32", &[]));
    let wakee = sleeper(&mut old, 4);
    assert_eq!(old.set_allowed(wakee, mask), None);
    assert!(
        mask.contains(old.tasks[wakee.index()].cpu),
        "2.6.32 moves it at once"
    );
}

/// Woken tasks wait on a list, the last first, and make the CPU count as busy.
#[test]
fn remote_wakeups_are_queued_last_in_first_out() {
    let mut s = shaped(&E5620, &kernel("3.2final", &[]));
    let tasks = [(); 3].map(|()| sleeper(&mut s, 2));
    assert!(s.queues_wakeup(CpuId(0), CpuId(2)) && !s.queues_wakeup(CpuId(2), CpuId(2)));
    let interrupts = tasks.map(|task| s.queue_wakeup(task));
    assert_eq!(interrupts, [true, false, false]);
    assert!(!s.idle_cpu(CpuId(2)));
    let order = [(); 4].map(|()| s.next_queued_wakeup(CpuId(2)));
    assert_eq!(
        order,
        [Some(tasks[2]), Some(tasks[1]), Some(tasks[0]), None]
    );
    s.features = s.features.with(Feature::TtwuQueue, false);
    assert!(!s.queues_wakeup(CpuId(0), CpuId(2)), "NO_TTWU_QUEUE");
    let old = shaped(&E5620, &kernel("2.6.32", &[]));
    assert!(!old.queues_wakeup(CpuId(0), CpuId(2)));
}
