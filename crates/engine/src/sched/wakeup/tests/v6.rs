//! CPU selection of 6.1 and 6.5 against the worked examples of cfs.md §22, and each exit of the search.

use super::*;
use crate::machine::topology::TopologySpec;
use crate::sched::TaskSpec;
use crate::sched::rq::GroupId;
use crate::sched::rules::Select;
use crate::sched::test_machines::shaped;
use crate::sched::wakeup::near::idle_scan;
use crate::sched::wakeup::wide::is_wide;
use crate::task::Policy;

/// Four cores of two threads with one cache, twice.
const TWO_SOCKETS: TopologySpec<'_> = TopologySpec {
    cpus: 16,
    smt: "0,8|1,9|2,10|3,11|4,12|5,13|6,14|7,15",
    l2: "",
    llc: "0-3,8-11|4-7,12-15",
    packages: "0-3,8-11|4-7,12-15",
    nodes: "0-3,8-11|4-7,12-15",
    node_distance: &[],
    capacity: &[],
};

/// Four CPUs with one cache.
const FLAT: TopologySpec<'_> = TopologySpec {
    cpus: 4,
    smt: "",
    llc: "0-3",
    nodes: "",
    packages: "",
    ..TWO_SOCKETS
};

fn booted(spec: &TopologySpec<'_>) -> Sched {
    shaped(spec, &kernel("6.1", &[]))
}

/// A task for each of `cpus`, running.
fn busy(s: &mut Sched, cpus: &[u16]) {
    for cpu in cpus {
        let task = sleeper(s, *cpu);
        let _ = s.wake_up_new_task(task, CpuId(*cpu));
        let _ = s.pick_next_task(CpuId(*cpu));
    }
}

fn wake(s: &Sched, this: u16, wakee: TaskId, sync: bool) -> (u16, Why) {
    let (steps, got) = s.select_candidates(wakee, CpuId(this), SelectKind::Wake, sync);
    let again = s.select_task_rq(wakee, CpuId(this), SelectKind::Wake, sync);
    assert_eq!(got, again, "an explanation agrees with the decision");
    let looked = steps.iter().filter(|s| matches!(s, Step::Looked { .. }));
    assert_eq!(got.visited, looked.count() as u32, "{steps:?}");
    (got.cpu.0, got.why)
}

fn target(s: &Sched, this: u16, wakee: TaskId, sync: bool) -> Option<(u16, TargetWhy)> {
    let (steps, _) = s.select_candidates(wakee, CpuId(this), SelectKind::Wake, sync);
    steps.iter().find_map(|step| match step {
        Step::Target { cpu, why } => Some((cpu.0, *why)),
        _ => None,
    })
}

#[test]
fn t139_the_busier_a_cache_the_fewer_cpus_are_looked_at() {
    let at = |percent: u64| idle_scan(16, 117, 16 * 1024 * percent / 100);
    assert_eq!([0, 25, 50, 75, 85].map(at), [16, 14, 10, 3, 0], "cfs/T139");
    let mut s = booted(&FLAT);
    s.update_idle_cpu_scan(CpuId(1), (2, 117), 0);
    assert_eq!(s.llc_state(CpuId(3)).nr_idle_scan, 4, "another domain");
    s.update_idle_cpu_scan(CpuId(1), (4, 117), 4 * 768);
    assert_eq!(
        s.llc_state(CpuId(3)).nr_idle_scan,
        idle_scan(4, 117, 4 * 768)
    );
}

#[test]
fn t140_a_sync_waker_alone_pulls_but_an_idle_cpu_may_take_the_wakee() {
    let mut s = booted(&FLAT);
    busy(&mut s, &[0, 1]);
    let wakee = sleeper(&mut s, 1);
    assert_eq!(
        target(&s, 0, wakee, true),
        Some((0, TargetWhy::SyncAlone)),
        "cfs/T140"
    );
    assert_eq!(wake(&s, 0, wakee, true), (2, Why::IdleCpu));
    busy(&mut s, &[2, 3]);
    assert_eq!(wake(&s, 0, wakee, true), (0, Why::NoIdle), "cfs/T140");
}

/// Without groups a task's load is its own; `prev` counts the wakee, which sleeps there.
#[test]
fn t141_wake_affine_by_tracked_load() {
    for (others, expected) in [(2, 0), (1, 1)] {
        let mut kernel = kernel("6.5", &[]);
        for spec in &mut kernel.domains {
            spec.imbalance_pct = 117;
        }
        let mut s = shaped(&FLAT, &kernel);
        busy(&mut s, &[0]);
        let wakee = sleeper(&mut s, 1);
        let _ = s.wake_up_new_task(wakee, CpuId(1));
        for _ in 0..others {
            busy(&mut s, &[1]);
        }
        s.deactivate_task(wakee, true);
        assert_eq!(s.cpu_load(CpuId(0)), 1024, "cfs/T141: this");
        assert_eq!(s.cpu_load(CpuId(1)), 1024 * (others + 1), "cfs/T141: prev");
        let got = target(&s, 0, wakee, false).map(|(cpu, _)| cpu);
        assert_eq!(got, Some(expected), "cfs/T141");
        s.features = s.features.with(Feature::WaWeight, false);
        assert_eq!(
            target(&s, 0, wakee, false),
            Some((1, TargetWhy::NotPulled)),
            "NO_WA_WEIGHT"
        );
    }
}

/// Worked examples `eevdf/K1` and `K2`.
#[test]
fn k1_k2_a_cache_of_eight() {
    let scans = [0, 2048, 4096, 6144, 7000, 8192].map(|util| idle_scan(8, 117, util));
    assert_eq!(scans, [8, 7, 5, 1, 0, 0], "K1");
    let wide = [(10, 3), (80, 9), (72, 9)].map(|(waker, wakee)| is_wide(waker, wakee, 8));
    assert_eq!(wide, [false, true, true], "K2");
}

#[test]
fn t142_wake_wide() {
    assert!(!is_wide(7, 100, 8), "cfs/T142");
    assert!(is_wide(8, 64, 8), "cfs/T142");
    assert!(!is_wide(8, 63, 8), "cfs/T142");
}

/// A waker that goes round among many makes its wakees wide, once they wake others too.
#[test]
fn flips_count_changes_of_the_wakee_and_halve_each_second() {
    let mut s = booted(&FLAT);
    busy(&mut s, &[0]);
    let waker = s.rq[0].curr.expect("runs");
    let tasks = [(); 2].map(|()| sleeper(&mut s, 1));
    for _ in 0..5 {
        s.record_wakee(CpuId(0), tasks[0]);
        s.record_wakee(CpuId(0), tasks[1]);
        s.record_wakee(CpuId(0), tasks[1]);
    }
    assert_eq!(s.tasks[waker.index()].wakees.flips, 10);
    s.record_wakee(CpuId(3), tasks[0]);
    assert_eq!(s.rq[3].idle_wakees.flips, 1, "the idle task's own");
    s.jiffies = 1002;
    s.record_wakee(CpuId(0), tasks[1]);
    assert_eq!(s.tasks[waker.index()].wakees.flips, 5);
    s.tasks[tasks[0].index()].wakees.flips = 4;
    s.tasks[waker.index()].wakees.flips = 16;
    assert_eq!(
        target(&s, 0, tasks[0], true),
        Some((1, TargetWhy::NoAffine)),
        "wide"
    );
    s.tasks[waker.index()].wakees.flips = 15;
    assert_eq!(
        target(&s, 0, tasks[0], true),
        Some((0, TargetWhy::SyncAlone))
    );
}

#[test]
fn wa_idle_asks_for_idleness_first() {
    let mut s = booted(&TWO_SOCKETS);
    let wakee = sleeper(&mut s, 1);
    assert_eq!(
        target(&s, 0, wakee, false),
        Some((1, TargetWhy::PrevIdle)),
        "both idle"
    );
    busy(&mut s, &[1]);
    assert_eq!(
        target(&s, 0, wakee, false),
        Some((0, TargetWhy::ThisIdle)),
        "an interrupt"
    );
    assert_ne!(
        target(&s, 4, wakee, false).map(|(_, why)| why),
        Some(TargetWhy::ThisIdle),
        "another cache"
    );
    s.features = s.features.with(Feature::WaIdle, false);
    assert_ne!(
        target(&s, 0, wakee, false).map(|(_, why)| why),
        Some(TargetWhy::ThisIdle)
    );
}

/// Every exit of the search, on cores of two threads.
#[test]
fn the_search_goes_from_the_target_to_a_core_to_a_thread() {
    let mut s = booted(&TWO_SOCKETS);
    let wakee = sleeper(&mut s, 1);
    assert_eq!(wake(&s, 0, wakee, false), (1, Why::TargetIdle));
    busy(&mut s, &[0, 1]);
    // The target is CPU 0 (sync, alone); the first wholly idle core after it is that of CPU 2.
    assert_eq!(wake(&s, 0, wakee, true), (2, Why::IdleCore));
    busy(&mut s, &[2, 3]);
    // No core is: the first idle thread after CPU 0, of the core of CPU 1 (CPU 1 was looked at before).
    assert_eq!(wake(&s, 0, wakee, true), (9, Why::IdleCpu));
    let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, true);
    s.commit_selection(wakee, CpuId(0), &got, 0);
    assert!(!s.llc_state(CpuId(0)).has_idle_cores, "and all are told so");
    assert_eq!(
        wake(&s, 0, wakee, true),
        (9, Why::IdleThread),
        "of its last core"
    );
    busy(&mut s, &[9]);
    assert_eq!(wake(&s, 0, wakee, true), (8, Why::IdleCpu));
    s.llc_state_mut(CpuId(0)).nr_idle_scan = 0;
    assert_eq!(wake(&s, 0, wakee, true), (0, Why::ScanSkipped));
    s.features = s.features.with(Feature::SisUtil, false);
    assert_eq!(
        wake(&s, 0, wakee, true),
        (8, Why::IdleCpu),
        "NO_SIS_UTIL looks at all"
    );
    s.llc_state_mut(CpuId(0)).nr_idle_scan = 8;
    busy(&mut s, &[8, 10, 11]);
    assert_eq!(
        wake(&s, 0, wakee, true),
        (0, Why::NoIdle),
        "the other cache is not looked at"
    );
    s.tasks[wakee.index()].allowed = CpuMask::just(CpuId(5));
    assert_eq!(wake(&s, 0, wakee, true), (5, Why::OnlyCpu));
}

#[test]
fn a_cpu_used_recently_is_tried_before_the_search() {
    let mut s = booted(&FLAT);
    busy(&mut s, &[0, 1]);
    let wakee = sleeper(&mut s, 1);
    s.tasks[wakee.index()].recent_used_cpu = CpuId(3);
    assert_eq!(wake(&s, 0, wakee, true), (3, Why::RecentIdle));
    let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, true);
    s.commit_selection(wakee, CpuId(0), &got, 0);
    assert_eq!(
        s.tasks[wakee.index()].recent_used_cpu,
        CpuId(1),
        "where it was before"
    );
    assert_eq!(wake(&s, 0, wakee, true), (2, Why::IdleCpu));
}

/// A CPU with nothing but `SCHED_IDLE` tasks is as good as idle.
#[test]
fn a_cpu_of_idle_policy_counts_as_free() {
    let mut s = booted(&FLAT);
    busy(&mut s, &[0]);
    let lazy = s.new_task(TaskSpec {
        nice: Nice::new(0),
        policy: Policy::Idle,
        allowed: CpuMask::first(4),
        group: GroupId(0),
        parent: None,
        vruntime: None,
    });
    s.set_task_cpu(lazy, CpuId(1));
    let _ = s.wake_up_new_task(lazy, CpuId(0));
    let _ = s.pick_next_task(CpuId(1));
    let wakee = sleeper(&mut s, 1);
    s.features = s.features.with(Feature::WaWeight, false);
    assert_eq!(wake(&s, 0, wakee, false), (1, Why::TargetIdle));
}

#[test]
fn a_core_that_goes_idle_is_remembered() {
    let mut s = booted(&TWO_SOCKETS);
    s.llc_state_mut(CpuId(0)).has_idle_cores = false;
    busy(&mut s, &[0, 8]);
    for cpu in [0, 8] {
        let task = s.rq[cpu].curr.expect("runs");
        s.begin_schedule(CpuId(cpu as u16));
        s.deactivate_task(task, true);
        s.put_prev_task(CpuId(cpu as u16));
        assert!(!s.llc_state(CpuId(0)).has_idle_cores);
        let _ = s.pick_next_task(CpuId(cpu as u16));
    }
    assert!(s.llc_state(CpuId(0)).has_idle_cores, "both threads idle");
}

/// Forks go where most CPUs idle, then to the least load.
#[test]
fn forks_spread_by_group_type() {
    let mut s = booted(&TWO_SOCKETS);
    let fork = |s: &Sched, child: TaskId| {
        let (_, got) = s.select_candidates(child, CpuId(0), SelectKind::Fork, false);
        (got.cpu, got.why)
    };
    busy(&mut s, &[0, 1, 2]);
    let child = sleeper(&mut s, 0);
    // Node 1 has eight idle CPUs of eight, node 0 five: more than the two that keep a pair together.
    let (cpu, why) = fork(&s, child);
    assert_eq!(why, Why::Idlest);
    assert!(s.near.node[4].contains(cpu), "{cpu:?}");
    // One task each: the difference is tolerated, and the child stays in the node.
    let mut s = booted(&TWO_SOCKETS);
    busy(&mut s, &[0, 4]);
    let child = sleeper(&mut s, 0);
    let (cpu, _) = fork(&s, child);
    assert!(s.near.node[0].contains(cpu), "{cpu:?}");
    // Everything is full and overloaded: by load, within the percentage.
    let mut s = booted(&FLAT);
    busy(&mut s, &[0, 0, 0, 1, 1, 1, 2, 2, 3, 3]);
    let child = sleeper(&mut s, 0);
    let (cpu, _) = fork(&s, child);
    assert!([2, 3].contains(&cpu.0), "{cpu:?}");
}

/// On unequal CPUs an idle one on which the task does not fit is passed over.
#[test]
fn a_heavy_task_is_kept_off_weak_cpus() {
    let spec = TopologySpec {
        capacity: &[400, 400, 1024, 1024],
        ..FLAT
    };
    let mut s = booted(&spec);
    let wakee = sleeper(&mut s, 2);
    let _ = s.wake_up_new_task(wakee, CpuId(2));
    assert_eq!(s.task_util(wakee), 512);
    s.deactivate_task(wakee, true);
    busy(&mut s, &[2]);
    s.set_task_cpu(wakee, CpuId(1));
    assert_eq!(wake(&s, 0, wakee, false), (3, Why::IdleCpu));
}

/// Queued if it saves a look at another cache, or if the CPU has nothing else to do; first in, first out.
#[test]
fn remote_wakeups_are_queued_across_caches_and_for_idle_cpus() {
    let mut s = booted(&TWO_SOCKETS);
    assert_eq!(s.rules.select, Select::IdleFirst);
    busy(&mut s, &[1, 4]);
    let queues = |s: &Sched, cpu| s.queues_wakeup(CpuId(0), CpuId(cpu));
    assert!(queues(&s, 2), "idle");
    assert!(!queues(&s, 1), "busy, and the cache is shared");
    assert!(queues(&s, 4), "another cache");
    assert!(!queues(&s, 0), "its own");
    let tasks = [(); 2].map(|()| sleeper(&mut s, 2));
    let _ = tasks.map(|task| s.queue_wakeup(task));
    let order = [(); 2].map(|()| s.next_queued_wakeup(CpuId(2)));
    assert_eq!(order, tasks.map(Some));
}

/// `SIS_PROP` looks at as many CPUs as the expected idle time pays for, but at three.
#[test]
fn sis_prop_bounds_the_search_by_idle_time() {
    let mut kernel = kernel("6.1", &[]);
    kernel.features = kernel
        .features
        .with(Feature::SisUtil, false)
        .with(Feature::SisProp, true);
    let spec = TopologySpec {
        cpus: 8,
        llc: "0-7",
        ..FLAT
    };
    let mut s = shaped(&spec, &kernel);
    busy(&mut s, &[0, 1, 2, 3, 4]);
    let wakee = sleeper(&mut s, 1);
    assert_eq!(
        wake(&s, 0, wakee, true),
        (0, Why::NoIdle),
        "looked at 1, 2, 3"
    );
    s.rq[0].wake_avg_idle = 1_000_000;
    assert_eq!(wake(&s, 0, wakee, true), (5, Why::IdleCpu));
    for _ in 0..100 {
        let got = s.select_task_rq(wakee, CpuId(0), SelectKind::Wake, true);
        s.commit_selection(wakee, CpuId(0), &got, 20_000);
    }
    assert_eq!(wake(&s, 0, wakee, true), (0, Why::NoIdle), "paid for");
}

/// A child is a copy of its parent: whom that woke, and how often it changed, counts for the child's own wakeups, too.
#[test]
fn a_child_flips_as_its_parent_did_and_was_last_where_that_forked_it() {
    let mut s = booted(&FLAT);
    busy(&mut s, &[2]);
    let parent = s.rq[2].curr.expect("runs");
    for cpu in [0, 1, 0] {
        let wakee = sleeper(&mut s, cpu);
        s.record_wakee(CpuId(2), wakee);
    }
    let spec = TaskSpec {
        nice: Nice::default(),
        policy: Policy::Normal,
        allowed: CpuMask::first(4),
        group: GroupId::default(),
        parent: Some(parent),
        vruntime: None,
    };
    let child = s.new_task(spec);
    assert_eq!(
        s.tasks[child.index()].wakees,
        s.tasks[parent.index()].wakees
    );
    assert_eq!(s.tasks[child.index()].wakees.flips, 3);
    s.set_task_cpu(child, CpuId(3));
    let _ = s.wake_up_new_task(child, CpuId(2));
    assert_eq!(s.tasks[child.index()].recent_used_cpu, CpuId(2));
}
