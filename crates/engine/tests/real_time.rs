//! Real-time tasks and several CPUs, from outside: nobody waits while a CPU has less urgent work.

mod lab;

use lab::{read, run, share};
use schedlab_engine::config::Scenario;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;

const KERNELS: [&str; 5] = ["2.6.31", "2.6.32", "3.2final", "6.1", "6.5"];

/// How long at a time, ns, tasks were runnable on CPUs 0 and 1 while one of these ran none.
struct Waits {
    cpus: Vec<bool>,
    runnable: usize,
    since: Option<u64>,
    longest: u64,
}

impl Observer for Waits {
    fn record(&mut self, at: Instant, event: &Event) {
        match *event {
            Event::Fork { .. } | Event::Wakeup { .. } => self.runnable += 1,
            Event::Switch {
                cpu, state, next, ..
            } => {
                let leaves = state == schedlab_engine::observe::PrevState::Sleeping;
                self.runnable -= usize::from(leaves && self.cpus[cpu.index()]);
                self.cpus[cpu.index()] = next.is_some();
            }
            _ => return,
        }
        let busy = self.cpus.iter().filter(|runs| **runs).count();
        let waits = busy < self.runnable.min(self.cpus.len());
        if let Some(since) = self.since.filter(|_| !waits) {
            self.longest = self.longest.max(at.0 - since);
            self.since = None;
        }
        if waits {
            self.since.get_or_insert(at.0);
        }
    }
}

fn longest_wait(text: &str) -> u64 {
    let scenario = Scenario::try_from(&read(text, text)).expect("sound");
    let mut waits = Waits {
        cpus: vec![false; 2],
        runnable: 0,
        since: None,
        longest: 0,
    };
    Sim::new(&scenario).run_until(Instant::FAR, &mut waits);
    waits.longest
}

#[test]
fn two_fifo_tasks_never_leave_one_of_two_cpus_idle() {
    for kernel in KERNELS {
        for (a, b) in [(10, 20), (20, 20)] {
            let text = format!(
                "kernel {kernel}\nmachine q6600\nduration 2s
                 task a policy fifo {a} cpus 0-1 forever {{ run 1ms..5ms; sleep 1ms..9ms }}
                 task b policy fifo {b} cpus 0-1 forever {{ run 1ms..5ms; sleep 1ms..9ms }}"
            );
            let longest = longest_wait(&text);
            assert!(longest < 200_000, "{longest} ns: {text}");
        }
    }
}

/// The third waits for one of the others, and takes the CPU that is left first, wherever it waited.
#[test]
fn who_waits_takes_the_first_cpu_that_becomes_free() {
    for kernel in KERNELS {
        let text = format!(
            "kernel {kernel}\nmachine q6600\nduration 2s
             task a policy fifo 30 cpus 0-1 forever {{ run 3ms..5ms; sleep 1ms..4ms }}
             task b policy fifo 20 cpus 0-1 forever {{ run 1ms..5ms; sleep 1ms..9ms }}
             task c policy rr 10 cpus 0-1 forever {{ run 2ms; sleep 2ms }}"
        );
        let longest = longest_wait(&text);
        assert!(longest < 200_000, "{longest} ns: {text}");
    }
}

/// Nine tenths of one CPU are taken; three fair hogs then want the three others, and one of four has to take that one.
#[test]
fn fair_tasks_keep_off_a_cpu_that_real_time_tasks_take() {
    for kernel in ["2.6.32", "3.2final", "6.1", "6.5"] {
        let text = format!(
            "kernel {kernel}\nmachine q6600\nduration 6s
             task rt policy fifo 9 cpus 0 forever {{ run 9ms; sleep 1ms }}
             task hog * 3 run forever"
        );
        let (report, sim) = run(&read(&text, &text));
        let hogs = share(&report, &sim, "hog");
        // 3 of 3.9 CPUs; evenly spread with one of them beside the real-time task it would be 2.1 of 3.
        assert!(hogs >= 755, "{kernel}: {hogs}");
    }
}
