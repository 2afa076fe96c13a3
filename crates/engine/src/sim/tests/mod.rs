//! The simulator as a whole: one run, its checkpoints, its sums.

use super::*;
use crate::config::{Config, WorkloadSpec};
use crate::experiments::Experiment;
use crate::machine::Machine;
use crate::observe::{Account, Metrics};
use crate::sched::features::Feature;
use crate::sched::profile::{PROFILES, Profile};
use crate::sched::sd_flags::Level;
use crate::sched::tunables::Tunable;
use crate::time::{Hz, Nanos};
use crate::workload::WorkloadKind;
use alloc::boxed::Box;
use alloc::vec::Vec;

mod pipes;
mod programs;
mod properties;
mod small;

fn config(machine: &str, kernel: &str, workloads: Vec<WorkloadSpec>) -> Config {
    let machine = Machine::by_name(machine).expect("in the catalog");
    let kernel = Profile::by_name(kernel).expect("in the table");
    Config::new(machine, kernel, workloads)
}

fn checked(config: &Config) -> Scenario {
    Scenario::try_from(config).expect("sound")
}

/// Keeps everything, as text.
#[derive(Default)]
struct Log(Vec<alloc::string::String>);

impl Observer for Log {
    fn record(&mut self, now: Instant, event: &Event) {
        self.0.push(alloc::format!("{} {event:?}", now.0));
    }
}

/// Keeps the instant of every switch from one task to another.
#[derive(Default)]
struct Switches(Vec<u64>);

impl Observer for Switches {
    fn record(&mut self, now: Instant, event: &Event) {
        if let Event::Switch {
            prev: Some(_),
            next: Some(_),
            ..
        } = event
        {
            self.0.push(now.0);
        }
    }
}

/// Counts messages received.
#[derive(Default)]
struct Messages(u64);

impl Observer for Messages {
    fn record(&mut self, _now: Instant, event: &Event) {
        self.0 += u64::from(matches!(event, Event::Message { .. }));
    }
}

/// Two hogs on one CPU that is tuned as eight are: when they change places, in ms.
fn hog_switches(kernel: &str, hz: u32, (latency, min, wakeup): (i64, i64, i64)) -> Vec<u64> {
    let mut config = config(
        "classroom-1",
        kernel,
        alloc::vec![WorkloadSpec::new(WorkloadKind::Hogs)],
    );
    config.hz = Some(Hz(hz));
    config.duration = Some(Nanos::from_millis(125));
    let ms = 1_000_000;
    config.tunables.insert(Tunable::SchedLatency, latency * ms);
    config.tunables.insert(Tunable::MinGranularity, min * ms);
    config
        .tunables
        .insert(Tunable::WakeupGranularity, wakeup * ms);
    let mut switches = Switches::default();
    let mut sim = Sim::without_costs(&checked(&config));
    sim.run_until(Instant::FAR, &mut switches);
    switches.0.iter().map(|at| at / 1_000_000).collect()
}

#[test]
fn t40_two_hogs_change_places_every_40_ms() {
    let at = hog_switches("2.6.31", 1000, (80, 16, 20));
    assert_eq!(at, [40, 80, 120], "cfs/T40");
}

#[test]
fn t41_two_hogs_change_places_every_10_ms() {
    let at = hog_switches("2.6.32-rc1", 1000, (20, 4, 4));
    assert_eq!(at[..4], [10, 20, 30, 40], "cfs/T41");
}

/// With HRTICK a slice ends when it is used up, not at the tick after: 2 498 780 ns for two of them on one CPU.
#[test]
fn t24_hrtick_ends_a_slice_to_the_nanosecond() {
    let hogs = WorkloadSpec::new(WorkloadKind::Hogs);
    let mut config = config("classroom-1", "2.6.32-rc1", alloc::vec![hogs]);
    config.features.insert(Feature::Hrtick, true);
    config.duration = Some(Nanos::from_millis(9));
    let mut switches = Switches::default();
    Sim::without_costs(&checked(&config)).run_until(Instant::FAR, &mut switches);
    assert_eq!(switches.0, [2_498_780, 4_997_560, 7_496_340], "cfs/T24");
}

#[test]
fn a_tickless_idle_cpu_is_left_alone_until_a_timer_wakes_it() {
    let sleeper = WorkloadSpec::new(WorkloadKind::Sleeper).with("cpu", 1);
    let mut config = config("q6600", "2.6.32", alloc::vec![sleeper]);
    config.nohz = true;
    config.duration = Some(Nanos::from_millis(101));
    let mut sim = Sim::new(&checked(&config));
    let mut metrics = Metrics::new(sim.cast());
    sim.run_until(Instant::FAR, &mut metrics);
    let report = metrics.report(sim.totals());
    // Ten periods of 10 ms with 1 ms of work: one tick or two of each while there is work, on its CPU and on the one
    // that balances for the others, and on both one more that finds nothing to do.
    assert!(
        (20..=60).contains(&report.global.ticks),
        "{}",
        report.global.ticks
    );
    assert_eq!(report.global.wakeups, 10);
    config.nohz = false;
    let mut sim = Sim::new(&checked(&config));
    let mut metrics = Metrics::new(sim.cast());
    sim.run_until(Instant::FAR, &mut metrics);
    let ticks = metrics.report(sim.totals()).global.ticks;
    assert!((399..=404).contains(&ticks), "{ticks}");
}

#[test]
fn t50_t52_at_other_tick_rates() {
    let at = |kernel, hz, tuned| hog_switches(kernel, hz, tuned)[..2].to_vec();
    assert_eq!(at("2.6.31", 250, (80, 16, 20)), [40, 80], "cfs/T50");
    assert_eq!(at("2.6.32-rc1", 250, (20, 4, 4)), [12, 24], "cfs/T50");
    assert_eq!(at("2.6.31", 100, (80, 16, 20)), [40, 80], "cfs/T52");
    assert_eq!(at("2.6.32-rc1", 100, (20, 4, 4)), [10, 20], "cfs/T52");
}

/// Round trips a second of one pair with its client on CPU 3.
fn round_trips(machine: &str, server: i64) -> u64 {
    let pair = WorkloadSpec::new(WorkloadKind::TcpRr)
        .with("client", 3)
        .with("server", server);
    let mut sim = Sim::new(&checked(&config(machine, "2.6.31", alloc::vec![pair])));
    let mut messages = Messages::default();
    sim.run_until(Instant::FAR, &mut messages);
    messages.0
}

/// The calibration of workloads-machines.md §3.3, less what ticks take (0.08 %); on one CPU a partner that was
/// preempted need not be woken, which saves the selection (0.5 %).
#[test]
fn pinned_tcp_rr_lands_on_the_fit_of_the_published_table() {
    for (server, fitted) in [(3, 95_274), (2, 95_274), (1, 43_298), (0, 43_298)] {
        let rate = round_trips("q6600", server);
        assert!(
            rate.abs_diff(fitted) * 1000 < fitted * 5,
            "3->{server}: {rate}, fitted {fitted}"
        );
    }
}

/// The order of the E5620's table (workloads-machines.md §3.3): one CPU, another core, the other thread, the other
/// socket. The hop between threads is (S + W) / share + lines, here to within what the switch does not share.
#[test]
fn threads_of_a_core_are_the_slowest_pair_of_a_socket() {
    let rates = [3, 2, 11, 5].map(|server| round_trips("nehalem-ep-2x4x2", server));
    assert!(rates[0] > rates[1] && rates[1] > rates[2], "{rates:?}");
    // 2 × ((3998 / 1.5 + 680) / 0.575 + 50 × 7) ns.
    let fitted = 1_000_000_000 / (2 * ((2_665 + 680) * 1000 / 575 + 350));
    assert!(
        rates[2].abs_diff(fitted) * 10 < fitted,
        "{rates:?} {fitted}"
    );
}

/// With `TTWU_QUEUE` the enqueue is done by the CPU that is interrupted for it, not by the waker: a pinned pair takes
/// as long, but as much time as a wakeup's enqueue goes from the one CPU's kernel to the other's interrupts.
#[test]
fn a_queued_wakeup_is_enqueued_by_the_cpu_it_goes_to() {
    let pair = WorkloadSpec::new(WorkloadKind::TcpRr)
        .with("client", 3)
        .with("server", 1);
    let run = |queue: bool| {
        let mut config = config("q6600", "3.2final", alloc::vec![pair.clone()]);
        config.features.insert(Feature::TtwuQueue, queue);
        let mut sim = Sim::new(&checked(&config));
        let mut messages = Messages::default();
        sim.run_until(Instant::FAR, &mut messages);
        let of = |account: Account| sim.accounts(CpuId(1))[account as usize] as i64;
        let queue = i64::from(sim.stage.costs.direct.queue);
        (messages.0, of(Account::Interrupt) / queue)
    };
    let ((rate, interrupts), (direct, ticks)) = (run(true), run(false));
    assert!(rate.abs_diff(direct) * 20 < direct, "{rate} {direct}");
    let enqueues = interrupts - ticks;
    assert!(
        (enqueues - rate as i64).abs() * 20 < rate as i64,
        "{enqueues} of {rate}"
    );
}

fn small_mix() -> Config {
    let mut config = config(
        "q6600",
        "2.6.32-rc1",
        alloc::vec![
            WorkloadSpec::new(WorkloadKind::Hackbench)
                .with("groups", 2)
                .with("fan", 3)
                .with("loops", 40),
            WorkloadSpec::new(WorkloadKind::Sleeper).with("count", 2),
            WorkloadSpec::new(WorkloadKind::TcpRr),
            WorkloadSpec::new(WorkloadKind::Hogs)
                .with("count", 3)
                .with("nice", 5),
        ],
    );
    config.duration = Some(Nanos::from_millis(60));
    config
}

#[test]
fn the_same_scenario_is_the_same_run_and_a_clone_goes_on_as_the_original() {
    let scenario = checked(&small_mix());
    let mut straight = Log::default();
    let whole = Sim::new(&scenario).run_until(Instant::FAR, &mut straight);
    assert!(whole.events > 1_000, "{whole:?}");
    let mut sim = Sim::new(&scenario);
    let mut log = Log::default();
    sim.run_events(whole.events / 2, &mut log);
    let mut copy = sim.clone();
    let mut copied = Log(log.0.clone());
    sim.run_until(Instant::FAR, &mut log);
    while copy.run_events(97, &mut copied).stop.is_none() {}
    assert!(straight.0 == log.0 && straight.0 == copied.0);
}

#[test]
fn every_nanosecond_of_every_cpu_is_in_one_account() {
    let mut sim = Sim::new(&checked(&small_mix()));
    let mut at = 0;
    while sim.run_until(Instant(at), &mut ()).stop.is_none() {
        let now = sim.progress().now.0;
        for cpu in &sim.topology().all() {
            assert_eq!(sim.accounts(cpu).iter().sum::<u64>(), now, "CPU {}", cpu.0);
        }
        at += 333_331;
    }
    assert_eq!(sim.progress().stop, Some(Stop::Time));
}

#[test]
fn every_message_arrives_and_every_task_ends() {
    for via in [0, 1] {
        for kernel in PROFILES.iter().map(|p| p.name) {
            let spec = WorkloadSpec::new(WorkloadKind::Hackbench)
                .with("groups", 3)
                .with("fan", 4)
                .with("loops", 300)
                .with("via", via);
            let mut sim = Sim::new(&checked(&config("stoakley-2x4", kernel, alloc::vec![spec])));
            let mut messages = Messages::default();
            let progress = sim.run_until(Instant::FAR, &mut messages);
            assert_eq!(progress.stop, Some(Stop::Done));
            assert_eq!(messages.0, 3 * 4 * 4 * 300);
            assert!(sim.channels.iter().all(Channel::is_empty));
        }
    }
}

/// Report against the simulator's own sums, and against the tasks' own.
#[test]
fn what_is_counted_agrees_with_what_is_summed() {
    let mut sim = Sim::new(&checked(&small_mix()));
    let mut metrics = Metrics::new(sim.cast());
    let progress = sim.run_until(Instant::FAR, &mut metrics);
    let report = metrics.report(sim.totals());
    let global = &report.global;
    let counted =
        global.context_switches + global.wakeups + global.migrations + global.forks + global.exits;
    assert_eq!(counted, progress.events);
    let idle: u64 = report
        .totals
        .accounts
        .iter()
        .map(|row| row[Account::Idle as usize])
        .sum();
    // Idle CPUs tick, balance and wake tasks for timers; all of that is not idle to the accounts.
    assert!(
        idle <= global.idle_ns && idle * 10 > global.idle_ns * 9,
        "{idle} {}",
        global.idle_ns
    );
    assert_eq!(
        global.tasks_cpu_ns,
        report.tasks.iter().map(|task| task.cpu_ns).sum()
    );
    assert_eq!(report.workloads[0].messages, 2 * 3 * 3 * 40);
    assert_eq!(report.series.messages.iter().sum::<u64>(), global.messages);
    let busy: u64 = report.series.busy.iter().sum();
    assert_eq!(busy, global.tasks_cpu_ns);
    assert_eq!(report.marks.len(), 3);
    for (number, task) in report.tasks.iter().enumerate() {
        let charged = sim.sum_exec(TaskId(number as u32));
        // The kernel charges up to its last look at the clock.
        assert!(
            charged.abs_diff(task.cpu_ns) < 2_000_000,
            "{number}: {charged} {}",
            task.cpu_ns
        );
    }
}

/// What so many equal hogs get of a machine in `ms`, ppm, least first, with `change` made to the scenario; hardly any
/// CPU time may go unused.
fn shares_of_hogs(
    (kernel, machine): (&str, &'static Machine),
    hogs: i64,
    ms: u64,
    change: impl FnOnce(&mut Scenario),
) -> Vec<u64> {
    let spec = WorkloadSpec::new(WorkloadKind::Hogs).with("count", hogs);
    let mut config = config("q6600", kernel, alloc::vec![spec]);
    config.machine = machine;
    config.duration = Some(Nanos::from_millis(ms));
    let mut scenario = checked(&config);
    change(&mut scenario);
    let mut sim = Sim::new(&scenario);
    let mut metrics = Metrics::new(sim.cast());
    sim.run_until(Instant::FAR, &mut metrics);
    let report = metrics.report(sim.totals());
    let idle = report.global.idle_ns / (u64::from(machine.layout.cpus) * ms);
    assert!(idle < 1000, "{kernel}: idle for {idle} ppm");
    let mut shares: Vec<u64> = report.tasks.iter().map(|t| t.share_ppm).collect();
    shares.sort_unstable();
    shares
}

/// What the least gets of what the most gets, percent.
fn evenness(shares: &[u64]) -> u64 {
    100 * shares[0] / shares[shares.len() - 1]
}

fn q6600() -> &'static Machine {
    Machine::by_name("q6600").expect("in the catalog")
}

/// A fact of the field: five equal hogs on four CPUs get a fifth of the machine each, and no CPU idles.
#[test]
fn since_5_10_five_hogs_share_four_cpus() {
    for kernel in ["6.1", "6.1y", "6.5"] {
        let shares = shares_of_hogs((kernel, q6600()), 5, 120_000, |_| ());
        let fair = |ppm: &u64| (185_000..=215_000).contains(ppm);
        assert!(shares.iter().all(fair), "{kernel}: {shares:?}");
    }
}

/// Before 5.10 they do not: a miss of that bound (18.5 to 21.5 %, of which the least is 86 % of the most), and a fact
/// of those kernels. The busy intervals of all levels are multiples of each other, so that levels act in the same tick,
/// and to the upper one looks balanced what the lower has just moved (e4d32e4d). With the upper level's `busy_factor`
/// one less, in a file of /proc/sys/kernel/sched_domain, the same kernels come nearer to equal shares.
#[test]
fn before_5_10_five_hogs_miss_equal_shares_of_four_cpus() {
    for kernel in ["2.6.31", "2.6.32", "3.2-virgin", "3.2final"] {
        let with = |less: u32| {
            let cpu = Level::Cpu as usize;
            let change = |s: &mut Scenario| s.kernel.domains[cpu].busy_factor -= less;
            evenness(&shares_of_hogs((kernel, q6600()), 5, 120_000, change))
        };
        let (as_is, apart) = (with(0), with(1));
        assert!(as_is < 86, "{kernel}: {as_is} %");
        assert!(apart > as_is + 10, "{kernel}: {as_is} %, {apart} %");
    }
}

/// What was measured when that was changed: threads that always run on two clusters of four cores, the least that any
/// did against the most. 9 threads: 78.3 % on average with v5.9-rc1, and with the patches 91.2 %, 85.67 % at worst;
/// 11 threads: 65.9 %, 91.3 % and 87.26 % (Vincent Guittot, 2020-09-21, "sched/fair: Improve fairness between cfs
/// tasks", v2).
#[test]
fn hogs_on_two_clusters_of_four_are_as_even_since_5_10_as_was_measured() {
    let mut machine = q6600().clone();
    machine.layout.cpus = 8;
    (machine.layout.l2, machine.layout.llc) = ("".into(), "0-3|4-7".into());
    let machine: &'static Machine = Box::leak(Box::new(machine));
    for (hogs, worst) in [(9, 86), (11, 88)] {
        let even = |kernel| evenness(&shares_of_hogs((kernel, machine), hogs, 30_000, |_| ()));
        for kernel in ["6.1", "6.5"] {
            assert!(
                even(kernel) >= worst,
                "{kernel}, {hogs}: {} %",
                even(kernel)
            );
        }
        for kernel in ["2.6.32", "3.2-virgin"] {
            assert!(even(kernel) < worst, "{kernel}, {hogs}: {} %", even(kernel));
        }
    }
}

/// What the free pairs of 2011 do by the rules, as docs/history-2011.md has it: settle, or move at every wakeup.
#[test]
fn free_pairs_of_2011_settle_or_move_at_every_wakeup() {
    let moves = |table: &str, row: &str| {
        let experiment = Experiment::by_name("2011").expect("an experiment");
        let mut tables = experiment.tables.iter();
        let table = tables.find(|t| t.name == table).expect("a table");
        let row = table.rows.iter().find(|r| r.name == row).expect("a row");
        let link = crate::fragment::overlay(table.link, row.link);
        let link = crate::fragment::overlay(&link, "dur=50ms");
        let mut sim = Sim::new(&checked(&crate::fragment::parse(&link).0));
        let mut metrics = Metrics::new(sim.cast());
        sim.run_until(Instant::FAR, &mut metrics);
        let global = metrics.report(sim.totals()).global;
        100 * global.migrations / global.wakeups
    };
    for (table, row, settles) in [
        ("free-1", "virgin", true),
        ("free-1", "suresh", false),
        ("free-1", "mikie", true),
        ("free-hogs", "suresh", true),
        ("free-3", "suresh", true),
        ("free-3", "mikie", false),
    ] {
        let hundredths = moves(table, row);
        let right = if settles {
            hundredths < 2
        } else {
            hundredths > 97
        };
        assert!(right, "{table} {row}: {hundredths} moves in 100 wakeups");
    }
}
