//! What is recorded of real runs adds up.

use super::*;
use crate::protocol::{Account as Shown, EndWhy, Snapshot};
use crate::worker::session::Session;
use schedlab_engine::fragment;
use schedlab_engine::observe::{Cause, PrevState};

/// Runs `link` to its end, taking an update every `every` events.
fn run(link: &str, every: u64) -> Snapshot {
    let (config, warnings) = fragment::parse(link);
    assert_eq!(warnings, [], "{link}");
    let scenario = Scenario::try_from(&config).expect("sound");
    let mut sim = Sim::new(&scenario);
    let mut recorder = Recorder::new(1, RunSide::A, &scenario, &sim);
    let mut snapshot = Snapshot::advance(None, recorder.take(&sim, &[]));
    while sim.progress().stop.is_none() {
        sim.run_events(every, &mut recorder);
        snapshot = Snapshot::advance(Some(&snapshot), recorder.take(&sim, &[]));
    }
    snapshot
}

const SMALL: &str = "w=hackbench(groups=2,fan=5,loops=20)";

#[test]
fn every_message_is_counted_and_every_task_has_its_name() {
    let end = run(SMALL, 1_000);
    assert!(end.done);
    assert_eq!(end.tiles.messages, 2 * 5 * 5 * 20);
    assert_eq!(end.tasks.len(), 21);
    assert!(
        end.tasks
            .iter()
            .any(|t| &*t.comm == "recv 1.4" && &*t.group == "group 1"),
        "{:?}",
        end.tasks
    );
    let in_bins: f32 = end.series.messages.iter().sum();
    assert_eq!(in_bins as u64, end.tiles.messages);
    assert_eq!(end.latency.total() as u64, latencies(&end));
}

#[test]
fn a_few_tasks_have_a_row_each_and_many_one_for_what_they_do() {
    let few = run("m=classroom-1&k=6.12&w=hogs(count=3)&dur=300ms", 1_000);
    let names: Vec<&str> = few.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["hog 0", "hog 1", "hog 2"]);
    let ran: u64 = few.parts.iter().map(|part| part.cpu_ns).sum();
    assert!(ran > 295_000_000 && ran <= few.now_ns, "{ran}");
    assert!(few.parts.iter().all(|part| part.involuntary > 10));

    let many = run(SMALL, 1_000);
    assert!(many.parts.len() <= 4, "{:?}", many.parts);
    assert_eq!(many.parts.iter().map(|part| part.tasks).sum::<u64>(), 21);
    let woken: u64 = many.parts.iter().map(|part| part.wakeups).sum();
    assert_eq!(woken, many.tiles.wakeups);
}

#[test]
fn the_hrtick_and_every_other_cause_has_its_own_end() {
    use std::collections::BTreeSet;
    let ends: BTreeSet<EndWhy> = Cause::ALL
        .iter()
        .map(|cause| end_why(PrevState::Runnable, Some(*cause)))
        .chain([end_why(PrevState::Runnable, None)])
        .collect();
    assert_eq!(ends.len(), Cause::ALL.len() + 1, "{ends:?}");
    let end = run(
        "m=classroom-1&k=7.3&w=(task+short+slice+8ms+forever(run+1ms);task+hog*2+run+forever)&dur=200ms",
        u64::MAX,
    );
    let lane = &end.trace.lanes[0];
    let ended = (0..lane.len())
        .filter_map(|i| lane.switch(i))
        .map(|s| s.prev_end);
    assert!(
        ended.clone().any(|end| end == EndWhy::Hrtick),
        "{:?}",
        ended.collect::<Vec<_>>()
    );
}

/// Wakeups and forks whose task ran afterwards: all of them, in a run that ended.
fn latencies(end: &Snapshot) -> u64 {
    end.tiles.wakeups + end.tasks.len() as u64
}

/// Who woke, in order.
fn woken(run: &Snapshot) -> Vec<(u64, u32)> {
    let all = run
        .trace
        .wakeups
        .iter()
        .flat_map(|w| w.at_ns.iter().copied().zip(w.task.iter().copied()));
    all.collect()
}

#[test]
fn it_does_not_matter_how_often_one_looks() {
    let (often, once) = (run(SMALL, 50), run(SMALL, u64::MAX));
    assert_eq!(often.tiles, once.tiles);
    // As text, because NaN is not equal to itself.
    assert!(
        format!("{:?}", often.series) == format!("{:?}", once.series),
        "series differ"
    );
    assert_eq!(often.latency, once.latency);
    assert_eq!(woken(&often), woken(&once));
    for (a, b) in often.trace.lanes.iter().zip(&once.trace.lanes) {
        assert_eq!(a.len(), b.len());
        assert!((0..a.len()).all(|i| a.switch(i) == b.switch(i)));
    }
}

#[test]
fn lanes_switch_in_order_and_busy_time_is_what_the_accounts_say() {
    let end = run(SMALL, 700);
    let mut switches = 0;
    for lane in &end.trace.lanes {
        let at: Vec<u64> = (0..lane.len())
            .map(|i| lane.switch(i).expect("there").at_ns)
            .collect();
        assert!(at.is_sorted());
        switches += lane.len() as u64 - 1;
    }
    assert_eq!(switches, end.tiles.switches);
    let idle = end.accounts_ns[Shown::Idle as usize];
    let all: f64 = end.accounts_ns.iter().sum();
    assert_eq!(all as u64, end.now_ns * end.cpus() as u64);
    let bin = |i: usize| (end.now_ns - i as u64 * end.series.bin_ns).min(end.series.bin_ns) as f64;
    let busy = (0..end.cpus()).map(|cpu| {
        end.series
            .busy_of(cpu)
            .iter()
            .enumerate()
            .map(|(i, share)| f64::from(*share) * bin(i))
            .sum::<f64>()
    });
    let busy: f64 = busy.sum();
    assert!(
        (busy - (all - idle)).abs() < 0.02 * all,
        "{busy} {all} {idle}"
    );
}

#[test]
fn messages_are_measured_from_go_to_done() {
    struct Marks(Vec<(u16, u64)>);
    impl Observer for Marks {
        fn record(&mut self, now: Instant, event: &Event) {
            if let Event::Mark { mark, .. } = event {
                self.0.push((mark.0, now.0));
            }
        }
    }
    let (config, _) = fragment::parse(SMALL);
    let mut sim = Sim::new(&Scenario::try_from(&config).expect("sound"));
    let mut marks = Marks(Vec::new());
    sim.run_events(u64::MAX, &mut marks);
    let [(0, go), (1, done)] = marks.0[..] else {
        panic!("{:?} is not go and done", marks.0)
    };
    let end = run(SMALL, 700);
    assert_eq!(end.tiles.measured_ns, done - go);
    assert!(go > 0 && end.tiles.measured_ns < end.now_ns);
    let rate = end.tiles.messages as f64 * 1e9 / (done - go) as f64;
    assert!((end.throughput() - rate).abs() < 1e-6 * rate);
    let free = run("w=hogs(count=4)&dur=10ms", 700);
    assert_eq!(free.tiles.measured_ns, free.now_ns, "nobody says go");
}

#[test]
fn waiting_elsewhere_while_idle_is_wasted_and_pinned_tasks_waste_nothing() {
    let pinned = run("w=hogs(count=4,cpu=0)&dur=100ms", 1_000);
    assert_eq!(pinned.tiles.wasted_ns, 0, "nobody else may run them");
    let free = run("w=hogs(count=40)&dur=100ms", 1_000);
    assert!(free.tiles.wasted_ns < free.now_ns * free.cpus() as u64);
    let waiting = pinned.series.waiting_of(0);
    assert!(
        waiting.iter().any(|w| (*w - 3.0).abs() < 0.01),
        "{waiting:?}"
    );
}

#[test]
fn progress_goes_from_nothing_to_all() {
    let (config, _) = fragment::parse(SMALL);
    let scenario = Scenario::try_from(&config).expect("sound");
    let mut sim = Sim::new(&scenario);
    let mut recorder = Recorder::new(1, RunSide::A, &scenario, &sim);
    let mut last = recorder.take(&sim, &[]).progress;
    assert!(last < f32::EPSILON);
    while sim.progress().stop.is_none() {
        sim.run_events(500, &mut recorder);
        let progress = recorder.take(&sim, &[]).progress;
        assert!(progress >= last);
        last = progress;
    }
    assert!((last - 1.0).abs() < f32::EPSILON);
}

#[test]
fn tasks_are_in_the_groups_that_the_kernel_knows_or_the_workload_names() {
    let groups = |link: &str| {
        let (config, _) = fragment::parse(link);
        let scenario = Scenario::try_from(&config).expect("sound");
        let mut session = Session::new(1, RunSide::A, &config, &scenario);
        let tasks = session.update().new_tasks;
        let mut groups: Vec<String> = tasks.iter().map(|t| t.group.to_string()).collect();
        groups.dedup();
        groups
    };
    let link = "k=6.12&g=A;games(weight=300)&w=hogs(in=games);hogs(in=A);hogs";
    assert_eq!(groups(link), ["group games", "group A", "in no group"]);
    let end = run(SMALL, u64::MAX);
    let of_workload = |name: &str| end.tasks.iter().any(|task| &*task.group == name);
    assert!(of_workload("group 0") && of_workload("group 1"));
}
