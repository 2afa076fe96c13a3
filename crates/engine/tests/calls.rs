//! What tasks call the scheduler for (fork, exec, exit, sched_setaffinity) and what the scheduler itself costs, under
//! kernels old and new.

mod lab;

use lab::{read, run, share};
use schedlab_engine::config::Scenario;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::{Account, Event, Observer};
use schedlab_engine::sched::decision::{IdleType, MigrateWhy};
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;

const KERNELS: [&str; 6] = ["2.6.31", "2.6.32", "3.2final", "6.1", "6.1y", "6.5"];

/// Everything that happened, with its time.
#[derive(Default)]
struct Log(Vec<(u64, Event)>);

impl Observer for Log {
    fn record(&mut self, at: Instant, event: &Event) {
        self.0.push((at.0, *event));
    }
}

impl Log {
    /// When that was first so, µs.
    fn first(&self, is: impl Fn(&Event) -> bool) -> Option<u64> {
        let found = self.0.iter().find(|(_, event)| is(event));
        found.map(|(at, _)| at / 1000)
    }

    /// When `task` first got a CPU after that time, µs.
    fn runs(&self, task: u32, after: u64) -> u64 {
        let later = self.0.iter().filter(|(at, _)| at / 1000 >= after);
        let gets = |event: &Event| matches!(event, Event::Switch { next: Some(next), .. } if *next == TaskId(task));
        let found = later
            .map(|(at, event)| (at / 1000, event))
            .find(|(_, event)| gets(event));
        found.map_or(u64::MAX, |(at, _)| at)
    }
}

fn log(kernel: &str, text: &str) -> Log {
    let text = format!("kernel {kernel}\nduration 200ms\n{text}");
    let scenario = Scenario::try_from(&read(&text, &text)).expect("sound");
    let mut log = Log::default();
    Sim::new(&scenario).run_until(Instant::FAR, &mut log);
    log
}

/// `child_runs_first` has the child before its parent, by exchanging their vruntimes, which takes a child that is placed
/// to the right of it; `START_DEBIT` has it wait for a slice otherwise.
#[test]
fn a_child_waits_its_turn_or_runs_first() {
    for kernel in KERNELS {
        let waits = |first: &str, debit: &str| {
            let text = format!(
                "machine classroom-1\ntunable child_runs_first {first}\nfeature {debit}
                 child kid run 5ms
                 task parent {{ run 20ms; fork kid; run 60ms }}
                 task beside run 100ms"
            );
            let log = log(kernel, &text);
            let forked = log.first(|event| {
                matches!(
                    event,
                    Event::Fork {
                        parent: Some(_),
                        ..
                    }
                )
            });
            let forked = forked.expect("it forks");
            log.runs(2, forked) - forked
        };
        let (first, debit) = (waits("on", "START_DEBIT"), waits("off", "START_DEBIT"));
        assert!(first < 100, "{kernel}: first after {first} us");
        assert!(debit > 1000, "{kernel}: with debit after {debit} us");
        let free = waits("off", "NO_START_DEBIT");
        assert!(
            free <= debit,
            "{kernel}: without debit after {free} us, with it {debit}"
        );
    }
}

#[test]
fn exec_selects_another_cpu() {
    for kernel in KERNELS {
        let text = "machine q6600
            task hog * 3 cpus 0 run forever
            task x cpus 0 { run 2ms; cpus 0-3; exec 50us; run 20ms }";
        let log = log(kernel, text);
        let goes = |event: &Event| {
            matches!(
                event,
                Event::Migrate {
                    task: TaskId(3),
                    from: CpuId(0),
                    why: MigrateWhy::Exec,
                    ..
                }
            )
        };
        assert!(log.first(goes).is_some(), "{kernel}");
    }
}

#[test]
fn the_end_of_a_child_wakes_who_waits_for_it() {
    for kernel in KERNELS {
        let text = "machine classroom-1
            child kid { run 3ms; exit; run forever }
            task parent { run 1ms; fork kid and wait; run 1ms; fork kid; fork kid; join; run 1ms }";
        let log = log(kernel, text);
        let exits = log
            .0
            .iter()
            .filter(|(_, event)| matches!(event, Event::Exit { .. }));
        let exits: Vec<u64> = exits.map(|(at, _)| at / 1000).collect();
        assert_eq!(exits.len(), 4, "{kernel}");
        for exit in [exits[0], exits[2]] {
            let wait = log.runs(0, exit) - exit;
            assert!(wait < 100, "{kernel}: {wait} us after {exit}");
        }
    }
}

/// The tick of an idle CPU stands: it is asked to balance, for itself too, once the two may go there.
#[test]
fn tasks_that_are_let_go_reach_a_cpu_without_ticks() {
    for kernel in KERNELS {
        let text = format!(
            "kernel {kernel}\nmachine qemu-2c\nnohz on\nduration 2s
             task first cpus 0 {{ run 50ms; cpus 0-1; run forever }}
             task second cpus 0 {{ run 50ms; cpus 0-1; run forever }}"
        );
        let (report, _) = run(&read(kernel, &text));
        let ran: Vec<u64> = report
            .tasks
            .iter()
            .map(|task| task.cpu_ns / 1_000_000)
            .collect();
        // They share one CPU for the first 100 ms.
        assert!(ran.iter().all(|ms| *ms > 1_800), "{kernel}: {ran:?} ms");
    }
}

/// Before 2.6.36 another idle CPU is made the one that balances by a reschedule, in which it looks for something to pull
/// (2.6.31 does that between threads of a core only, which these CPUs are not).
#[test]
fn a_cpu_that_is_to_balance_for_all_goes_idle_anew() {
    for kernel in ["2.6.32-rc1", "2.6.32"] {
        let log = log(
            kernel,
            "machine q6600\nnohz on
             task busy cpus 0 run forever
             task keeper cpus 1 { run 5ms; sleep 25ms; run forever }
             task brief * 2 cpus 2-3 run 10ms",
        );
        let later = log.0.iter().filter(|(at, _)| *at > 20_000_000);
        let later: Vec<&Event> = later.map(|(_, event)| event).collect();
        let runs = |event: &&Event| {
            matches!(
                event,
                Event::Switch {
                    cpu: CpuId(2 | 3),
                    ..
                }
            )
        };
        assert!(!later.iter().any(runs), "{kernel}");
        let looks = |event: &Event| {
            matches!(
                event,
                Event::Balance {
                    cpu: CpuId(2 | 3),
                    idle: IdleType::NewlyIdle,
                    ..
                }
            )
        };
        assert!(later.into_iter().any(looks), "{kernel}");
    }
}

/// One that runs elsewhere goes at once, a sleeping one when it wakes, and a child has its parent's CPUs.
#[test]
fn a_new_mask_holds_at_once() {
    for kernel in KERNELS {
        let text = "machine q6600
            child kid run 3ms
            task x { run 2ms; cpus 3; run 2ms; fork kid; sleep 10ms; cpus 1-2; run 2ms; sleep 1ms; run 5ms }
            task filler * 3 run forever";
        let log = log(kernel, text);
        let moved = |to: &[u16]| {
            let to = to.to_vec();
            log.first(move |event| {
                matches!(event, Event::Migrate { task: TaskId(0), to: cpu, why: MigrateWhy::Affinity, .. } if to.contains(&cpu.0))
            })
        };
        let starts_there = log.first(|event| {
            matches!(
                event,
                Event::Switch {
                    cpu: CpuId(3),
                    next: Some(TaskId(0)),
                    ..
                }
            )
        });
        assert!(moved(&[3]).is_some() || starts_there.is_some(), "{kernel}");
        let then = moved(&[1, 2]);
        assert!(then.is_some(), "{kernel}");
        for (at, event) in &log.0 {
            let Event::Switch {
                cpu,
                next: Some(next),
                ..
            } = *event
            else {
                continue;
            };
            if next == TaskId(4) {
                assert_eq!(cpu, CpuId(3), "{kernel}: the child");
            }
            let late = then.is_some_and(|then| at / 1000 > then);
            if next == TaskId(0) && late {
                assert!([1, 2].contains(&cpu.0), "{kernel}: {cpu:?} at {at}");
            }
        }
    }
}

/// Hundredths of a per cent of all CPU time, by account.
fn parts(kernel: &str, change: &str) -> impl Fn(Account) -> u64 {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/tbench.lab");
    let text = std::fs::read_to_string(path).expect("the scenario");
    let text = text.replace(
        "kernel 2.6.32-rc1\ncommits D20",
        &format!("kernel {kernel}\n{change}"),
    );
    let (report, sim) = run(&read(&text, &text));
    assert!(share(&report, &sim, "server") > 300);
    let rows = report.totals.accounts;
    let all: u64 = rows.iter().flatten().sum();
    move |account| {
        let of = rows.iter().map(|row| row[account as usize]);
        of.sum::<u64>() * 10_000 / all
    }
}

/// "select_task_rq_fair takes about 5 % of CPU, against under 0.5 %" (Yanmin Zhang, October 2009, tbench on Nehalem): the
/// loop over the CPUs of the node is what it costs.
#[test]
fn selection_costs_ten_times_as_much_where_it_looks_at_a_whole_node() {
    let at_node = parts("2.6.32-rc1", "commits D20")(Account::Selection);
    assert!((300..=700).contains(&at_node), "{at_node}");
    for (kernel, change) in [
        ("2.6.31", ""),
        ("2.6.32-rc1", "sd_flags -PREFER_LOCAL"),
        ("2.6.32", ""),
    ] {
        let without = parts(kernel, change)(Account::Selection);
        assert!((5..50).contains(&without), "{kernel} {change}: {without}");
        assert!(
            at_node >= 8 * without,
            "{kernel} {change}: {at_node} against {without}"
        );
    }
}

/// The same in later kernels, which look for an idle CPU: less than a node's worth, and every cost is in an account.
#[test]
fn later_kernels_pay_for_idle_cpus_and_for_newly_idle_searches() {
    for kernel in ["3.2final", "6.1", "6.5"] {
        let part = parts(kernel, "");
        let selection = part(Account::Selection);
        assert!((60..300).contains(&selection), "{kernel}: {selection}");
        let switching = part(Account::Switch);
        assert!((500..1200).contains(&switching), "{kernel}: {switching}");
        // In 3.2 hardly anybody moves, so that next to nothing has to be fetched.
        assert!(part(Account::Refill) > 0, "{kernel}");
    }
    // Newly idle searches of 6.1 cost as much as selection; 3.2 refuses to look when it idles shortly.
    let balancing = ["3.2final", "6.1"].map(|kernel| parts(kernel, "")(Account::Balancing));
    assert!(balancing[0] < 20 && balancing[1] > 50, "{balancing:?}");
}
