//! T114 … T119, T126, T129, T136, T137: which group is busiest, when a domain is due, what is cache-hot.

use crate::machine::CpuId;
use crate::machine::CpuMask;
use crate::machine::sched_domain::DomainOf;
use crate::machine::topology::TopologySpec;
use crate::sched::Sched;
use crate::sched::balance::busiest::{Verdict, find_busiest_group, find_busiest_queue};
use crate::sched::balance::stats::Search;
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy};
use crate::sched::rules::Balancing;
use crate::sched::sd_flags::{Level, SdFlags};
use crate::sched::test_machines::{kernel, load, on, shaped, sleeper};
use crate::task::Nice;
use crate::time::{Hz, Instant};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Two sockets of four cores, each socket with one cache, uniform memory.
const TWO_SOCKETS: TopologySpec<'_> = TopologySpec {
    cpus: 8,
    smt: "",
    l2: "",
    llc: "0-3|4-7",
    packages: "0-3|4-7",
    nodes: "",
    node_distance: &[],
    capacity: &[],
};

fn at(s: &Sched, cpu: u16, level: Level) -> DomainOf<'_> {
    let mut domains = s.domains.of(CpuId(cpu));
    domains
        .find(|d| d.sd.spec.level == level)
        .expect("the level exists")
}

/// The imbalance that CPU 0 sees at a level, or why it sees none.
fn imbalance(s: &Sched, level: Level, idle: IdleType) -> Result<u64, BalanceWhy> {
    let search = Search {
        this: CpuId(0),
        domain: at(s, 0, level),
        idle,
        cpus: None,
    };
    match find_busiest_group(s, &search, false).verdict {
        Verdict::Pull(_, imbalance) => Ok(imbalance),
        Verdict::Balanced(why) => Err(why),
    }
}

/// A machine with so many nice-0 tasks on each CPU.
fn loaded(mut s: Sched, tasks: &[usize]) -> Sched {
    for (cpu, n) in tasks.iter().enumerate() {
        load(&mut s, cpu as u16, *n);
    }
    s
}

#[test]
fn t114_an_idle_pair_and_a_pair_with_one_task_each() {
    let pairs = |profile| loaded(on("q6600", &kernel(profile, &[])), &[0, 0, 1, 1]);
    let got = imbalance(&pairs("2.6.31"), Level::Cpu, IdleType::Idle);
    assert_eq!(got, Ok(1024), "cfs/T114 2.6.31");
    for profile in ["2.6.32-rc1", "2.6.32"] {
        let got = imbalance(&pairs(profile), Level::Cpu, IdleType::Idle);
        assert_eq!(got, Err(BalanceWhy::OneTaskEach), "cfs/T114 {profile}");
    }
    let got = imbalance(&pairs("3.2"), Level::Cpu, IdleType::Idle);
    assert_eq!(got, Ok(1024), "cfs/T114 3.2");
}

#[test]
fn t115_an_idle_socket_and_a_full_one() {
    let sockets = |profile| {
        let s = shaped(&TWO_SOCKETS, &kernel(profile, &[]));
        loaded(s, &[0, 0, 0, 0, 1, 1, 1, 1])
    };
    let got = imbalance(&sockets("2.6.31"), Level::Cpu, IdleType::Idle);
    assert_eq!(got, Ok(2048), "cfs/T115 2.6.31");
    let got = imbalance(&sockets("2.6.32"), Level::Cpu, IdleType::Idle);
    assert_eq!(got, Err(BalanceWhy::OneTaskEach), "cfs/T115 2.6.32");
    let got = imbalance(&sockets("3.2"), Level::Cpu, IdleType::Idle);
    assert_eq!(got, Ok(2048), "cfs/T115 3.2");
}

#[test]
fn t116_an_idle_pair_and_a_pair_with_two_tasks_and_one() {
    let pairs = |profile| loaded(on("q6600", &kernel(profile, &[])), &[0, 0, 2, 1]);
    let got = |profile| imbalance(&pairs(profile), Level::Cpu, IdleType::NewlyIdle);
    assert_eq!(got("2.6.31"), Ok(1536), "cfs/T116 2.6.31");
    assert_eq!(got("2.6.32"), Ok(1024), "cfs/T116 2.6.32");
    assert_eq!(got("3.2"), Ok(1536), "cfs/T116 3.2");
}

/// What CPU 0 pulls at `Level::Mc`, once everything has cooled: the imbalance, and from where to where.
fn pulled(mut s: Sched, idle: IdleType) -> (u64, Vec<(CpuId, CpuId)>) {
    for cpu in [0, 1] {
        s.update_rq_clock(CpuId(cpu), Instant(10_000_000));
    }
    let domains = Arc::clone(&s.domains);
    let mc = domains.at(CpuId(0), 0).expect("MC is the lowest");
    let mut moved = Vec::new();
    let apart = s.rules.balancing == Balancing::NewIdleApart;
    let outcome = if apart && idle == IdleType::NewlyIdle {
        s.load_balance_newidle(CpuId(0), mc, &mut moved)
    } else {
        s.load_balance(CpuId(0), mc, idle, &mut moved)
    };
    let moved = moved.iter().map(|m| (m.from, m.to));
    (outcome.imbalance, moved.collect())
}

#[test]
fn t117_to_t119_within_a_pair() {
    let one_task = (1024, alloc::vec![(CpuId(1), CpuId(0))]);
    for profile in ["2.6.31", "2.6.32-rc1", "2.6.32", "3.2"] {
        let pair = |tasks: [usize; 2]| loaded(on("q6600", &kernel(profile, &[])), &tasks);
        let got = imbalance(&pair([0, 2]), Level::Mc, IdleType::NewlyIdle);
        assert_eq!(got, Ok(1024), "cfs/T117 {profile}");
        let got = pulled(pair([0, 2]), IdleType::NewlyIdle);
        assert_eq!(got, one_task, "cfs/T117 {profile}: one task");
        let got = imbalance(&pair([1, 2]), Level::Mc, IdleType::NotIdle);
        assert_eq!(got, Ok(1024), "cfs/T118 {profile}");
        let got = pulled(pair([1, 2]), IdleType::NotIdle);
        assert_eq!(got, one_task, "cfs/T118 {profile}: one task moves");
        let got = imbalance(&pair([4, 5]), Level::Mc, IdleType::NotIdle);
        assert_eq!(got, Err(BalanceWhy::WithinPct), "cfs/T118 {profile}");
        let got = pulled(pair([4, 5]), IdleType::NotIdle);
        assert_eq!(got, (0, Vec::new()), "cfs/T118 {profile}: none moves");
        let got = imbalance(&pair([0, 1]), Level::Mc, IdleType::Idle);
        assert_eq!(got, Err(BalanceWhy::NoBusiestGroup), "cfs/T119 {profile}");
    }
}

/// Queues tasks of that nice value, lets the first run, and lets the averages arrive.
fn load_nice(s: &mut Sched, cpu: u16, n: usize, nice: i64) {
    for _ in 0..n {
        let task = sleeper(s, cpu);
        s.set_nice(task, Nice::new(nice));
        s.activate_task(task, false);
    }
    load(s, cpu, 0);
}

/// Four nice-5 tasks (1340) beside two of nice 0 (2048). 354 are less than a task; the busiest group's tasks are the
/// heavier ones, so that a difference of 708 and a task (1024) need only be worth one task, not two.
#[test]
fn a_small_imbalance_of_heavier_tasks_is_worth_one() {
    for profile in ["2.6.31", "2.6.32"] {
        let mut s = on("q6600", &kernel(profile, &[]));
        load_nice(&mut s, 0, 4, 5);
        load_nice(&mut s, 1, 2, 0);
        let got = imbalance(&s, Level::Mc, IdleType::NotIdle);
        assert_eq!(got, Ok(1024), "{profile}");
    }
}

/// A pair with one nice-0 task (512 for each CPU) and one with three of nice 1 (1230): the imbalance is 718, less than
/// a task of 820; 718 + 820 are not two tasks. But the one moved runs on an idle CPU: min(820, 1230) + min(1024, 512)
/// becomes min(820, 820) + min(1024, 922).
#[test]
fn a_small_imbalance_is_taken_if_that_raises_throughput() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load_nice(&mut s, 1, 1, 0);
    load_nice(&mut s, 2, 2, 1);
    load_nice(&mut s, 3, 1, 1);
    let got = imbalance(&s, Level::Cpu, IdleType::Idle);
    assert_eq!(got, Ok(820));
}

/// Five tasks are what a socket of eight threads may run (without `SD_PREFER_SIBLING` below), but they are on one
/// thread: 5120 apart, where two average tasks are 444.
#[test]
fn a_group_that_is_imbalanced_within_is_busiest_though_not_full() {
    let mut kernel = kernel("2.6.32", &[]);
    for level in [Level::Mc, Level::Cpu] {
        let spec = &mut kernel.domains[level as usize];
        spec.flags = spec.flags.with(SdFlags::PREFER_SIBLING, false);
    }
    let spread = |tasks: [usize; 5]| {
        let mut s = on("nehalem-ep-2x4x2", &kernel);
        for (cpu, n) in [4, 5, 6, 7, 12].into_iter().zip(tasks) {
            load(&mut s, cpu, n);
        }
        imbalance(&s, Level::Node, IdleType::Idle)
    };
    assert_eq!(spread([5, 0, 0, 0, 0]), Ok(2558));
    assert_eq!(spread([1; 5]), Err(BalanceWhy::NoBusiestGroup));
}

/// With `SD_POWERSAVINGS_BALANCE` at the level (and no `SD_PREFER_SIBLING` below) the fuller group takes the tasks
/// of the other; of equals the one of the lower CPUs.
#[test]
fn power_saving_packs_tasks_into_one_pair() {
    let mut kernel = kernel("2.6.32", &[]);
    let [_, mc, cpu, ..] = &mut kernel.domains;
    mc.flags = mc.flags.with(SdFlags::PREFER_SIBLING, false);
    cpu.flags = cpu.flags.with(SdFlags::POWERSAVINGS_BALANCE, true);
    let got =
        |tasks: &[usize], idle| imbalance(&loaded(on("q6600", &kernel), tasks), Level::Cpu, idle);
    assert_eq!(got(&[0, 1, 1, 0], IdleType::Idle), Ok(1024));
    let no = BalanceWhy::NoBusiestGroup;
    assert_eq!(
        got(&[0, 0, 1, 0], IdleType::Idle),
        Err(no),
        "an idle pair takes nothing"
    );
    assert_eq!(
        got(&[1, 1, 1, 0], IdleType::NotIdle),
        Err(no),
        "a busy CPU saves nothing"
    );
}

#[test]
fn a_queue_whose_only_task_is_too_heavy_is_passed_over() {
    for profile in ["2.6.31", "2.6.32"] {
        let s = loaded(on("q6600", &kernel(profile, &[])), &[0, 0, 1, 2]);
        let group = &at(&s, 2, Level::Cpu).local();
        let all = CpuMask::first(4);
        let queue =
            |imbalance, cpus: &CpuMask| find_busiest_queue(&s, group, imbalance, Some(cpus));
        assert_eq!(queue(1024, &all), Some(CpuId(3)), "{profile}");
        assert_eq!(queue(1023, &CpuMask::just(CpuId(2))), None, "{profile}");
        assert_eq!(
            queue(1024, &CpuMask::just(CpuId(2))),
            Some(CpuId(2)),
            "{profile}"
        );
    }
}

#[test]
fn t126_balance_intervals() {
    let mut s = on("nehalem-ep-2x4x2", &kernel("2.6.32", &[]));
    let mut jiffies = |level, ms, idle| {
        let index = at(&s, 0, level).index;
        s.rq[0].sd[index].balance_interval = ms;
        s.balance_interval(CpuId(0), at(&s, 0, level), idle)
    };
    let busy = [1, 4].map(|ms| jiffies(Level::Mc, ms, IdleType::NotIdle));
    assert_eq!(busy, [64, 256], "cfs/T126 MC");
    let busy = [1, 8, 32].map(|ms| jiffies(Level::Node, ms, IdleType::NotIdle));
    assert_eq!(busy, [32, 256, 1024], "cfs/T126 NODE");
    let idle = [1, 4].map(|ms| jiffies(Level::Mc, ms, IdleType::Idle));
    assert_eq!(idle, [1, 4], "cfs/T126 idle");
    let pinned = jiffies(Level::Mc, 512, IdleType::NotIdle);
    assert_eq!(pinned, 6400, "at most HZ · NR_CPUS / 10");
    let mut s_3_2 = on("nehalem-ep-2x4x2", &kernel("3.2", &[]));
    s_3_2.rq[0].sd[1].balance_interval = 512;
    let pinned = s_3_2.balance_interval(CpuId(0), at(&s_3_2, 0, Level::Mc), IdleType::NotIdle);
    assert_eq!(pinned, 1600, "at most HZ · CPUs / 10 in 3.2");
    s.hz = Hz(250);
    assert_eq!(s.msecs_to_jiffies(1), 1, "rounded up");
    assert_eq!(s.msecs_to_jiffies(9), 3);
}

/// In which jiffies CPU 0 balances at a level when nothing is out of balance, and each attempt doubles the interval
/// up to the longest.
#[test]
fn t126_balance_periods_in_ticks() {
    let when = |tasks: usize, idle, level: Level, until: u64| {
        let mut s = loaded(on("nehalem-ep-2x4x2", &kernel("2.6.32", &[])), &[tasks; 16]);
        let due = |jiffies: &u64| {
            let got = s.rebalance_domains(CpuId(0), *jiffies, idle);
            got.attempts.iter().any(|a| a.level == level)
        };
        (1..=until).filter(due).collect::<Vec<_>>()
    };
    let busy = IdleType::NotIdle;
    // Intervals of 1, 2 and 4 ms, 64 times as long while busy.
    let mc = [64, 64 + 128, 448, 448 + 256];
    assert_eq!(when(1, busy, Level::Mc, 800), mc, "cfs/T126 MC");
    // Of 1, 2, 4, 8, 16 and 32 ms, 32 times as long.
    let node = [32, 32 + 64, 224, 224 + 256, 992, 992 + 1024, 2016 + 1024];
    assert_eq!(when(1, busy, Level::Node, 3100), node, "cfs/T126 NODE");
    let idle = [1, 1 + 2, 3 + 4, 7 + 4];
    assert_eq!(
        when(0, IdleType::Idle, Level::Mc, 12),
        idle,
        "cfs/T126 idle"
    );
}

#[test]
fn t129_a_busy_hardware_thread_ends_a_newly_idle_search() {
    let newly_idle = |sibling: usize| {
        let mut s = on("nehalem-ep-2x4x2", &kernel("2.6.32", &[]));
        load(&mut s, 8, sibling);
        load(&mut s, 1, 3);
        s.update_rq_clock(CpuId(0), Instant(10_000_000));
        s.idle_balance(CpuId(0))
    };
    let got = newly_idle(1);
    let seen: Vec<_> = got
        .attempts
        .iter()
        .map(|a| (a.level, a.why, a.stops))
        .collect();
    assert_eq!(
        seen,
        [(Level::Sibling, BalanceWhy::SiblingBusy, true)],
        "cfs/T129"
    );
    assert_eq!((got.moved.len(), got.visited), (0, 2), "cfs/T129");
    let got = newly_idle(0);
    assert_eq!(
        got.attempts.len(),
        2,
        "with an idle sibling it looks at MC too"
    );
    assert_eq!(got.moved.first().map(|m| m.from), Some(CpuId(1)));
}

#[test]
fn t136_t137_cache_hot() {
    let hot = |profile, ran_ago: u64, next: bool, puller_tasks: usize| {
        let mut s = on("q6600", &kernel(profile, &[]));
        load(&mut s, 0, puller_tasks);
        load(&mut s, 1, 1);
        let p = sleeper(&mut s, 1);
        s.activate_task(p, false);
        s.rq[1].clock = ran_ago;
        s.fixture().buddies(CpuId(1), next.then_some(p), None);
        s.task_hot(p, MigrateWhy::NewIdle, CpuId(0))
    };
    for profile in ["2.6.31", "2.6.32-rc1", "2.6.32", "3.2"] {
        assert!(hot(profile, 499_999, false, 1), "cfs/T136 {profile}");
        assert!(!hot(profile, 500_000, false, 1), "cfs/T136 {profile}");
        assert!(
            hot(profile, 500_000, true, 1),
            "cfs/T137 puller busy {profile}"
        );
    }
    assert!(hot("2.6.32-rc1", 500_000, true, 0), "cfs/T137 rc1");
    assert!(!hot("2.6.32", 500_000, true, 0), "cfs/T137 final");
    assert!(!hot("3.2", 500_000, true, 0), "cfs/T137 3.2");
}

/// Galbraith's mail of 2009-10-16 (D24): a buddy is hot only on a queue of at least `nr_latency` tasks.
#[test]
fn d24_buddies_are_hot_at_scale_only() {
    let hot = |tasks: usize| {
        let mut s = on("q6600", &kernel("2.6.32-rc1", &[20, 21, 24, -13]));
        load(&mut s, 1, tasks - 1);
        let p = sleeper(&mut s, 1);
        s.activate_task(p, false);
        s.rq[1].clock = 1_000_000;
        s.fixture().buddies(CpuId(1), None, Some(p));
        s.task_hot(p, MigrateWhy::NewIdle, CpuId(0))
    };
    assert!(!hot(4));
    assert!(hot(5));
}

#[test]
fn migration_cost_has_two_special_values() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 1, 1);
    let p = sleeper(&mut s, 1);
    s.activate_task(p, false);
    s.tunables.migration_cost = 0;
    assert!(
        !s.task_hot(p, MigrateWhy::NewIdle, CpuId(0)),
        "0: nothing is hot"
    );
    s.tunables.migration_cost = -1;
    s.rq[1].clock = u64::MAX / 4;
    assert!(
        s.task_hot(p, MigrateWhy::NewIdle, CpuId(0)),
        "-1: everything is"
    );
}
