//! Counting by hand, and as the recordings' summaries count.

use super::*;
use crate::observe::event::Cause;
use crate::observe::test_events::{self, fork, wakeup};

/// Two CPUs, two tasks of two roles that may run on both, a third pinned to CPU 0.
fn metrics() -> Metrics {
    let both = CpuMask::first(2);
    Metrics::new(Cast {
        cpus: 2,
        distance: vec![
            Distance::SelfCpu,
            Distance::L2,
            Distance::L2,
            Distance::SelfCpu,
        ],
        role_of: vec![0, 1, 1],
        roles: vec!["sender".into(), "receiver".into()],
        workload_of: vec![0, 0, 0],
        allowed: vec![both, both, CpuMask::just(CpuId(0))],
        group_of: vec![GroupId(0), GroupId(1), GroupId(0)],
        above: vec![None, Some(GroupId(0))],
        confines: true,
        workloads: 1,
        marks: 1,
    })
}

fn switch(cpu: u16, prev: Option<u32>, state: PrevState, next: Option<u32>) -> Event {
    test_events::switch(cpu, (prev, state, Cause::Wakeup), next)
}

fn tick(cpu: u16) -> Event {
    let tick = Tick {
        resched: true,
        why: TickWhy::SliceExpired,
    };
    Event::Tick {
        cpu: CpuId(cpu),
        tick,
        hrtick: false,
    }
}

fn totals(now: u64) -> Totals {
    Totals {
        now: Instant(now),
        accounts: Vec::new(),
        events: 0,
        gave_up: 0,
        quotas: Vec::new(),
    }
}

fn play(events: &[(u64, Event)]) -> Metrics {
    let mut metrics = metrics();
    for (at, event) in events {
        metrics.record(Instant(*at), event);
    }
    metrics
}

use PrevState::{Exited, Runnable, Sleeping};

#[test]
fn runs_waits_and_ways_of_leaving_are_counted_for_each_task() {
    let metrics = play(&[
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (10, switch(0, None, Runnable, Some(0))),
        (50, switch(0, Some(0), Runnable, Some(1))),
        (60, switch(0, Some(1), Sleeping, Some(0))),
        (65, wakeup(1, 0)),
        (100, switch(0, Some(0), Exited, Some(1))),
    ]);
    let report = metrics.report(totals(130));
    let [first, second] = &report.tasks[..] else {
        panic!("two tasks");
    };
    assert_eq!((first.cpu_ns, second.cpu_ns), (80, 40));
    assert_eq!((first.share_ppm, second.share_ppm), (666_667, 333_333));
    assert_eq!((first.sw_voluntary, first.sw_involuntary), (1, 1));
    assert_eq!((second.wakeups, second.sw_voluntary), (1, 1));
    assert_eq!(first.exit, Some(Instant(100)));
    let waited = second.wake_to_run.expect("it waited twice");
    assert_eq!((waited.min, waited.max, waited.n), (35, 50, 2));
    assert_eq!(first.run.map(|run| run.n), Some(2));
    // After the fork 10, after the preemption 10; the other 50 and 35, each from its fork or wakeup.
    assert_eq!((first.waited_ns, first.longest_wait_ns), (20, 10));
    assert_eq!((second.waited_ns, second.longest_wait_ns), (85, 50));
    let global = report.global;
    assert_eq!(
        (
            global.context_switches,
            global.voluntary,
            global.involuntary
        ),
        (4, 2, 1)
    );
    assert_eq!((global.tasks_cpu_ns, global.idle_ns), (120, 260 - 120));
    assert_eq!(global.makespan, Some(Instant(100)));
}

#[test]
fn parts_are_the_sums_of_their_tasks() {
    let metrics = play(&[
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, fork(2, 0)),
        (10, switch(0, None, Runnable, Some(0))),
        (50, switch(0, Some(0), Runnable, Some(1))),
        (60, switch(0, Some(1), Sleeping, Some(2))),
        (65, wakeup(1, 0)),
        (100, switch(0, Some(2), Exited, Some(1))),
    ]);
    let parts = metrics.parts(Instant(130), 2, |task| task.min(1));
    let [first, rest] = &parts[..] else {
        panic!("two parts");
    };
    assert_eq!((first.tasks, rest.tasks), (1, 2));
    assert_eq!((first.cpu_ns, rest.cpu_ns), (40, 10 + 30 + 40));
    assert_eq!((first.sw_voluntary, first.sw_involuntary), (0, 1));
    assert_eq!((rest.sw_voluntary, rest.sw_involuntary), (2, 0));
    assert_eq!((first.wakeups, rest.wakeups), (0, 1));
    assert_eq!((first.wake_to_run.n(), rest.wake_to_run.n()), (1, 3));
}

/// One that was preempted and never ran again has waited longest, although it was woken but once.
#[test]
fn every_wait_on_a_run_queue_counts_and_one_that_goes_on_too() {
    let metrics = play(&[
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (5, switch(0, None, Runnable, Some(0))),
        (50, switch(0, Some(0), Runnable, Some(1))),
    ]);
    let report = metrics.report(totals(1_000));
    let [first, second] = &report.tasks[..] else {
        panic!("two tasks");
    };
    assert_eq!((first.waited_ns, first.longest_wait_ns), (5 + 950, 950));
    assert_eq!((second.waited_ns, second.longest_wait_ns), (50, 50));
    let woken = first.wake_to_run.expect("it was forked");
    assert_eq!((woken.max, woken.n), (5, 1), "wakeups and forks alone");
}

/// What happens, and how many preemptions it makes: by wakeup, by tick, others.
type Case<'a> = (&'a [(u64, Event)], [u64; 3]);

/// The rule of the recordings' summaries: the task woken last here, at most 60 µs ago, no tick since.
#[test]
fn preemptions_are_told_apart_as_in_the_summaries_of_recordings() {
    let us = 1_000;
    let start = [
        (0, fork(0, 0)),
        (0, fork(1, 0)),
        (0, fork(2, 0)),
        (0, switch(0, None, Runnable, Some(0))),
    ];
    let cases: [Case; 6] = [
        // Pushed off, and nobody comes: it counts, too.
        (
            &[
                (100 * us, wakeup(1, 1)),
                (200 * us, switch(0, Some(0), Runnable, None)),
            ],
            [0, 0, 1],
        ),
        (
            &[
                (100 * us, wakeup(1, 0)),
                (160 * us, switch(0, Some(0), Runnable, Some(1))),
            ],
            [1, 0, 0],
        ),
        (
            &[
                (100 * us, wakeup(1, 0)),
                (161 * us, switch(0, Some(0), Runnable, Some(1))),
            ],
            [0, 0, 1],
        ),
        (
            &[
                (100 * us, wakeup(1, 0)),
                (120 * us, tick(0)),
                (121 * us, switch(0, Some(0), Runnable, Some(1))),
            ],
            [0, 1, 0],
        ),
        (
            &[
                (90 * us, tick(0)),
                (100 * us, wakeup(1, 0)),
                (101 * us, switch(0, Some(0), Runnable, Some(1))),
            ],
            [1, 0, 0],
        ),
        (
            &[
                (100 * us, wakeup(1, 0)),
                (101 * us, wakeup(2, 0)),
                (102 * us, switch(0, Some(0), Runnable, Some(1))),
            ],
            [0, 0, 1],
        ),
    ];
    for (events, expected) in cases {
        // Tasks 1 and 2 were asleep before they are woken.
        let all: Vec<(u64, Event)> = start.iter().chain(events).copied().collect();
        let global = play(&all).global(Instant(1));
        let counted = [
            global.wakeup_preemptions,
            global.tick_preemptions,
            global.other_involuntary,
        ];
        assert_eq!(counted, expected, "{events:?}");
        assert_eq!(global.causes, [(Some(Cause::Wakeup), 1)]);
    }
}

#[test]
fn a_cpu_is_wasted_while_a_task_that_may_run_there_waits_behind_another() {
    let wasted =
        |events: &[(u64, Event)], until| play(events).report(totals(until)).global.wasted_ns;
    let both_busy_one = [
        (0, fork(0, 0)),
        (0, switch(0, None, Runnable, Some(0))),
        (100, fork(1, 0)),
    ];
    assert_eq!(wasted(&both_busy_one, 150), 50);
    // A task that is about to run on an idle CPU does not wait for another.
    assert_eq!(wasted(&[(0, fork(1, 1))], 70), 0);
    // Pinned to the busy CPU.
    let pinned = [both_busy_one[0], both_busy_one[1], (100, fork(2, 0))];
    assert_eq!(wasted(&pinned, 150), 0);
    // Confined to the busy CPU while it waits, and let go again.
    let affinity = |task, allowed| Event::Affinity {
        task: TaskId(task),
        allowed,
    };
    let (there, both) = (CpuMask::just(CpuId(0)), CpuMask::first(2));
    let confined = [
        both_busy_one[0],
        both_busy_one[1],
        both_busy_one[2],
        (120, affinity(1, there)),
        (140, affinity(1, both)),
    ];
    assert_eq!(wasted(&confined, 150), 20 + 10);
    // Its group is throttled there while it waits; the other waits in no group and is not.
    let throttle_on = |cpu, throttled| Event::Throttle {
        cpu: CpuId(cpu),
        group: GroupId(1),
        throttled,
    };
    let throttle = |throttled| throttle_on(0, throttled);
    let held_back = [
        both_busy_one[0],
        both_busy_one[1],
        both_busy_one[2],
        (120, throttle(true)),
        (140, throttle(false)),
    ];
    assert_eq!(wasted(&held_back, 150), 20 + 10);
    // It is throttled on the CPU that is idle.
    let held_off = [
        both_busy_one[0],
        both_busy_one[1],
        both_busy_one[2],
        (120, throttle_on(1, true)),
        (140, throttle_on(1, false)),
    ];
    assert_eq!(wasted(&held_off, 150), 20 + 10);
    // So it is when it is preempted for that.
    let preempted = [
        (0, fork(1, 0)),
        (0, switch(0, None, Runnable, Some(1))),
        (0, fork(0, 0)),
        (100, throttle(true)),
        (100, switch(0, Some(1), Runnable, Some(0))),
    ];
    assert_eq!(wasted(&preempted, 150), 100);
    // Pulled to the idle one.
    let moved = Event::Migrate {
        task: TaskId(1),
        from: CpuId(0),
        to: CpuId(1),
        why: MigrateWhy::NewIdle,
    };
    let pulled = [
        both_busy_one[0],
        both_busy_one[1],
        both_busy_one[2],
        (130, moved),
    ];
    assert_eq!(wasted(&pulled, 900), 30);
}
