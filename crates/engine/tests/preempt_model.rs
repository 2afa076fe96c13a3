//! What `preempt` is worth to a task that wakes while another is in the kernel, from outside.

mod lab;

use lab::{read, run, share};
use schedlab_engine::fragment::parse;
use schedlab_engine::observe::Account;
use schedlab_engine::observe::metrics::{Report, TaskReport};
use schedlab_engine::sim::Sim;

/// The tick of these kernels, ns.
const TICK: u64 = 4_000_000;
/// How long the other task is in the kernel at a time, ns.
const SYS: u64 = 30_000_000;

/// The task of that role.
fn task<'r>(report: &'r Report, sim: &Sim, role: &str) -> &'r TaskReport {
    let templates = &sim.world().templates;
    let of = |task: &&TaskReport| *templates[task.template.0 as usize].role == *role;
    report.tasks.iter().find(of).expect("there is one")
}

/// The median time between waking and running of a task that sleeps for 5 ms at a time, ns, beside one that is in
/// the kernel for 30 ms at a time. With its short slice nearly every wakeup is to preempt.
fn median_wait(kernel: &str, model: &str) -> u64 {
    let text = format!(
        "kernel {kernel}\nmachine classroom-1\nhz 250\nduration 3s\nfeatures NO_HRTICK\ntunables preempt:{model}
         task s slice 100us forever {{ sleep 5ms; run 10us }}
         task copy forever {{ sys 30ms }}"
    );
    let (report, sim) = run(&read(&text, &text));
    let waits = task(&report, &sim, "s").wake_to_run.as_ref();
    waits.expect("it has woken").p50
}

#[test]
fn full_preempts_within_a_system_call_and_voluntary_at_its_end() {
    for kernel in ["6.12", "7.1"] {
        let full = median_wait(kernel, "full");
        assert!(full < 100_000, "{kernel}: {full}");
        for model in ["none", "voluntary"] {
            let wait = median_wait(kernel, model);
            assert!(
                (SYS / 2..=SYS + TICK).contains(&wait),
                "{kernel} {model}: {wait}"
            );
        }
    }
}

/// A request of the fair class is forced at the tick after it.
#[test]
fn lazy_waits_for_the_next_tick() {
    for kernel in ["6.18", "7.1"] {
        let wait = median_wait(kernel, "lazy");
        assert!(
            (TICK / 2..=TICK + 100_000).contains(&wait),
            "{kernel}: {wait}"
        );
    }
}

/// Real-time tasks ask for no favour of the fair class.
#[test]
fn a_real_time_task_preempts_a_lazy_kernel_at_once() {
    let text = "kernel 7.1\nmachine classroom-1\nduration 3s\ntunables preempt:lazy
         task copy forever { sys 30ms }
         task s policy fifo 10 forever { sleep 7ms; run 10us }";
    let (report, sim) = run(&read(text, text));
    let waits = task(&report, &sim, "s").wake_to_run.as_ref();
    assert!(waits.expect("it has woken").max < 100_000);
}

/// Whoever is preempted in the kernel goes on there: neither what is left nor its account is lost.
#[test]
fn a_preempted_system_call_goes_on_where_it_was() {
    for kernel in ["6.1", "6.12", "7.1"] {
        let ends = |model: &str| {
            let text = format!(
                "kernel {kernel}\nmachine classroom-1\ntunables preempt:{model}
                 task copy {{ loop 20 {{ sys 30ms }} }}
                 task s {{ loop 50 {{ sleep 7ms; run 1ms }} }}"
            );
            let (report, sim) = run(&read(&text, &text));
            let copy = task(&report, &sim, "copy");
            // 600 ms beside the 50 ms of the other.
            assert!((915..=930).contains(&share(&report, &sim, "copy")));
            (
                copy.cpu_ns,
                copy.sw_involuntary,
                report.totals.accounts[0][Account::Kernel as usize],
            )
        };
        let (voluntary, full) = (ends("voluntary"), ends("full"));
        assert!(full.1 > voluntary.1, "{kernel}: {full:?} {voluntary:?}");
        for (long, account) in [(full.0, full.2), (voluntary.0, voluntary.2)] {
            // 600 ms of work, and what switches and ticks cost.
            let spread = 580_000_000..620_000_000;
            assert!(
                spread.contains(&long) && spread.contains(&account),
                "{kernel}: {long} {account}"
            );
        }
    }
}

#[test]
fn a_kernel_without_the_lazy_model_says_so() {
    let (_, warnings) = parse("k=6.12&t=preempt:lazy");
    let said: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert!(said.len() == 1 && said[0].contains("D69"), "{said:?}");
    assert_eq!(parse("k=6.12&d=D69&t=preempt:lazy").1, []);
}

/// The median time between waking and running of a task that another CPU wakes every 7 ms, beside one that computes, ns.
fn median_remote_wait(model: &str, feature: &str) -> u64 {
    let text = format!(
        "kernel 7.1\nmachine q6600\nhz 250\nduration 3s\nfeatures {feature},NO_TTWU_QUEUE\ntunables preempt:{model}
         queue q
         task hog cpus 3 run forever
         task s slice 100us cpus 3 forever {{ wait q; run 10us }}
         task waker cpus 2 forever {{ sleep 7ms; wake q }}"
    );
    let (report, sim) = run(&read(&text, &text));
    let waits = task(&report, &sim, "s").wake_to_run.as_ref();
    waits.expect("it has woken").p50
}

/// No interrupt is sent for a lazy request, so that who computes hears of it at the tick.
#[test]
fn a_lazy_request_of_another_cpu_waits_for_the_tick() {
    let waits = ["voluntary", "full", "lazy"].map(|model| median_remote_wait(model, "NO_HRTICK"));
    assert!(waits[0] < 100_000 && waits[1] < 100_000, "{waits:?}");
    assert!((TICK / 8..=TICK + 100_000).contains(&waits[2]), "{waits:?}");
}

/// The interrupt takes its time whether the hrtick is set on the way or not.
#[test]
fn a_preemption_by_another_cpu_takes_as_long_with_the_hrtick() {
    let waits = ["HRTICK", "NO_HRTICK"].map(|feature| median_remote_wait("full", feature));
    assert!(waits[0] >= waits[1] && waits[1] > 0, "{waits:?}");
}
