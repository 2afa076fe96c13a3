//! Idle CPUs without ticks: who asks, who is asked, and that waiting tasks get to them.

use super::by_type::{ONE_CACHE, TWO_CACHES, hogs, loaded};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::balance::NohzKick;
use crate::sched::test_machines::{kernel, load, on, shaped};
use crate::time::Instant;
use alloc::vec::Vec;

const MS: u64 = 1_000_000;

/// Later than every interval, so that every pass is due.
const LATE: u64 = 100_000;

/// Stops the ticks of those CPUs.
fn stop(s: &mut Sched, cpus: impl IntoIterator<Item = u16>) {
    for cpu in cpus {
        assert!(s.nohz_stop_tick(CpuId(cpu)), "CPU {cpu} keeps its tick");
    }
}

#[test]
fn two_tasks_on_one_cpu_have_an_idle_one_balance_for_all() {
    let mut s = loaded(shaped(&TWO_CACHES, &kernel("6.1", &[])), &[2]);
    stop(&mut s, 0..8);
    let (ilb, kick) = s.nohz_balancer_kick(CpuId(0), LATE).expect("two tasks");
    assert_eq!(ilb, CpuId(1), "the first idle CPU");
    assert!(kick.balance && kick.stats && kick.next, "{kick:?}");
    assert_eq!(
        s.nohz_balancer_kick(CpuId(0), LATE).map(|k| k.1.balance),
        Some(false),
        "once a jiffy"
    );
    let now = Instant(1_000 * MS);
    let passes = s.nohz_idle_balance(ilb, kick, now);
    let cpus: Vec<u16> = passes.iter().map(|(cpu, _)| cpu.0).collect();
    assert_eq!(
        cpus[0], 2,
        "the next CPU comes first, the one that does it last"
    );
    let moved: Vec<_> = passes.iter().flat_map(|(_, pass)| &pass.moved).collect();
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert_eq!((moved[0].from, moved[0].to), (CpuId(0), CpuId(cpus[0])));
}

#[test]
fn one_task_a_cache_leaves_idle_cpus_alone() {
    let mut s = loaded(shaped(&TWO_CACHES, &kernel("6.1", &[])), &[1, 0, 0, 0, 1]);
    stop(&mut s, [1, 2, 3, 5, 6, 7]);
    let kick = s.nohz_balancer_kick(CpuId(0), 10).map(|(_, kick)| kick);
    assert!(kick.is_none_or(|kick| !kick.balance), "{kick:?}");
    // A second busy CPU at the same cache is worth a look.
    hogs(&mut s, 1, 1, 0);
    let _ = s.nohz_balancer_kick(CpuId(1), 10);
    let kick = s.nohz_balancer_kick(CpuId(0), 12).map(|(_, kick)| kick);
    assert!(kick.is_some_and(|kick| kick.balance), "{kick:?}");
}

#[test]
fn who_gets_work_while_it_balances_for_others_stops() {
    let mut s = loaded(shaped(&ONE_CACHE, &kernel("6.1", &[])), &[2]);
    stop(&mut s, 0..8);
    let (ilb, kick) = s.nohz_balancer_kick(CpuId(0), LATE).expect("two tasks");
    s.rq[ilb.index()].need_resched = true;
    assert_eq!(s.nohz_idle_balance(ilb, kick, Instant(1_000 * MS)), []);
}

/// 3.2: the first busy CPU asks if it has two tasks, the second if it has any, a third never.
#[test]
fn two_busy_cpus_may_ask_in_3_2() {
    let mut s = on("q6600", &kernel("3.2", &[]));
    for cpu in 0..3 {
        load(&mut s, cpu, 1);
    }
    stop(&mut s, [3]);
    for cpu in 0..3 {
        s.rq[cpu].next_balance = LATE;
    }
    assert_eq!(s.nohz_balancer_kick(CpuId(0), 10), None, "one task");
    let second = s.nohz_balancer_kick(CpuId(1), 10);
    assert_eq!(second, Some((CpuId(3), NohzKick::BALANCE)));
    assert_eq!(s.nohz_balancer_kick(CpuId(2), 11), None, "the third");
    load(&mut s, 0, 1);
    assert!(s.nohz_balancer_kick(CpuId(0), 11).is_some(), "two tasks");
}

/// 2.6.32: one idle CPU keeps its tick as long as not all are idle; if it gets work, the first busy tick of who was idle
/// finds another.
#[test]
fn one_idle_cpu_owns_balancing_in_2_6_32() {
    let mut s = on("q6600", &kernel("2.6.32", &[]));
    load(&mut s, 0, 2);
    assert!(!s.nohz_stop_tick(CpuId(1)), "the first to go idle owns it");
    stop(&mut s, [2, 3]);
    assert!(s.nohz_owns(CpuId(1)));
    s.nohz_restart_tick(CpuId(1));
    load(&mut s, 1, 1);
    let kick = s.nohz_balancer_kick(CpuId(1), 10);
    assert_eq!(kick, Some((CpuId(2), NohzKick::BALANCE)), "nobody owns it");
    assert!(!s.nohz_stop_tick(CpuId(2)), "it does from now on");
    let passes = s.nohz_idle_balance(CpuId(2), NohzKick::BALANCE, Instant(MS));
    assert!(
        passes.iter().all(|(cpu, _)| *cpu == CpuId(3)),
        "itself it has seen to before"
    );
}
