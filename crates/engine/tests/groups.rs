//! Sessions and cpusets, from outside: who gets how much, and who runs where.

mod lab;

use lab::{read, run, share};
use schedlab_engine::config::Scenario;
use schedlab_engine::fragment::parse_file;
use schedlab_engine::machine::{CpuId, CpuMask};
use schedlab_engine::observe::{Event, Hash, Observer};
use schedlab_engine::sched::rq::SchedTask;
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use std::collections::BTreeMap;

const CFS: [&str; 4] = ["2.6.32", "3.2final", "6.1", "6.5"];

/// Thousandths of all CPU time that a role has.
fn share_of(role: &str, text: &str) -> u64 {
    let (report, sim) = run(&read(text, text));
    share(&report, &sim, role)
}

fn hash(text: &str) -> u64 {
    let scenario = Scenario::try_from(&read(text, text)).expect("sound");
    let mut hash = Hash::default();
    Sim::new(&scenario).run_until(Instant::FAR, &mut hash);
    hash.get()
}

fn near(is: u64, should: u64, what: &str) {
    assert!(
        is.abs_diff(should) <= 15,
        "{what}: {is} instead of {should}"
    );
}

const TWO_SESSIONS: &str = "machine classroom-1
    duration 4s
    task build * 4 session build run forever
    task game session game run forever";

#[test]
fn sessions_share_the_cpu_equally_since_2_6_38() {
    for (kernel, autogroup, build) in [
        ("2.6.32", "", 800),
        ("3.2final", "", 500),
        ("3.2final", "tunable autogroup_enabled off", 800),
        ("6.1", "", 500),
        ("6.1", "tunable autogroup_enabled off", 800),
        ("6.5", "", 500),
    ] {
        let text = format!("kernel {kernel}\n{TWO_SESSIONS}\n{autogroup}");
        near(share_of("build", &text), build, &text);
    }
}

#[test]
fn without_autogroup_a_session_is_nothing() {
    for kernel in CFS {
        let off = if kernel == "2.6.32" {
            ""
        } else {
            "tunable autogroup_enabled off"
        };
        let sessions = format!("kernel {kernel}\n{off}\n{TWO_SESSIONS}");
        let none = sessions
            .replace("session build", "")
            .replace("session game", "");
        assert_eq!(hash(&sessions), hash(&none), "{kernel}");
    }
}

/// `task_wants_autogroup`: only tasks of the root group; children are in their parent's session.
#[test]
fn only_tasks_of_the_root_group_are_in_the_group_of_their_session() {
    for kernel in ["3.2final", "6.1"] {
        let text = format!(
            "kernel {kernel}
             machine classroom-1
             duration 4s
             group A
             child job run forever
             task make session build {{ loop 3 fork job; run forever }}
             task other in A session build run forever"
        );
        near(share_of("other", &text), 500, &text);
        let text = text.replace("in A", "");
        near(share_of("other", &text), 200, &text);
    }
}

/// 110 of 110 + 1024; the group's weight is that of the nice value, however many are in it.
#[test]
fn a_session_has_a_nice_value() {
    for kernel in ["3.2final", "6.1"] {
        let text = format!(
            "kernel {kernel}
             machine classroom-1
             duration 8s
             task build * 3 session build {{ autogroup nice 10; run forever }}
             task game session game run forever"
        );
        near(share_of("build", &text), 97, &text);
        // Nobody has another share for it in the session that the machine began with.
        let text = text
            .replace("session build", "")
            .replace("session game", "");
        near(share_of("build", &text), 750, &text);
    }
}

/// 20 ms of each 100 ms: what was not used in one period is there in the next, as far as the burst goes.
#[test]
fn a_burst_saves_quota_for_later() {
    let last = |burst: &str| {
        let text = format!(
            "kernel 6.1\nmachine classroom-1\nduration 1500ms\ngroup A quota 20ms{burst}
             task a in A {{ loop 5 {{ timer 200ms; run 35ms; mark done }} }}"
        );
        let (report, _) = run(&read(&text, &text));
        report.marks[0].last.0 / 1_000_000
    };
    // 35 ms take two periods, or with 15 ms left over one.
    let (none, some) = (last(""), last(" burst 15ms"));
    assert!(none > some + 40, "{none} ms, with a burst {some} ms");
    let refused = parse_file("kernel 3.2final\ngroup A quota 20ms burst 5ms\ntask a exit");
    let says: Vec<String> = refused
        .config
        .problems()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        says[0].contains("A has a burst, but 3.2final knows none"),
        "{says:?}"
    );
    let more = parse_file("kernel 6.1\ngroup A quota 20ms burst 25ms\ntask a exit");
    assert_eq!(more.config.problems().len(), 1);
}

/// Where each role ran, from that time on.
struct Where {
    roles: Vec<String>,
    from: Instant,
    seen: BTreeMap<String, CpuMask>,
}

impl Where {
    fn ran(&mut self, at: Instant, task: Option<TaskId>, cpu: CpuId) {
        if let Some(task) = task.filter(|_| at >= self.from) {
            let role = self.roles[task.index()].clone();
            self.seen.entry(role).or_default().insert(cpu);
        }
    }
}

impl Observer for Where {
    fn record(&mut self, at: Instant, event: &Event) {
        if let Event::Switch {
            cpu, prev, next, ..
        } = *event
        {
            self.ran(at, prev, cpu);
            self.ran(at, next, cpu);
        }
    }
}

/// Of each role: where it ran after `from` ms, and where it may run in the end.
fn places(kernel: &str, text: &str, from: u64) -> BTreeMap<String, (CpuMask, String)> {
    let text = format!("kernel {kernel}\nmachine q6600\nduration 1s\n{text}");
    let scenario = Scenario::try_from(&read(&text, &text)).expect("sound");
    let templates = scenario.world.templates.iter();
    let roles: Vec<String> = templates.map(|t| t.role.to_string()).collect();
    let mut seen = Where {
        roles: roles.clone(),
        from: Instant(from * 1_000_000),
        seen: BTreeMap::new(),
    };
    let mut sim = Sim::new(&scenario);
    sim.run_until(Instant::FAR, &mut seen);
    let tasks = roles.into_iter().zip(&sim.sched().tasks);
    let place = |(role, task): (String, &SchedTask)| {
        let ran = seen.seen.get(&role).copied().unwrap_or_default();
        (role, (ran, task.allowed.to_string()))
    };
    tasks.map(place).collect()
}

fn list(cpus: &str) -> CpuMask {
    cpus.parse().expect("a list of CPUs")
}

#[test]
fn tasks_keep_to_the_cpus_of_their_group() {
    let text = "group A cpus 0-1
        group B in A cpus 1
        group C cpus 2-3
        task a * 3 in A run forever
        task b * 2 in B forever { run 3ms; sleep 1ms }
        task c * 3 in C forever { run 1ms; yield; sleep 500us }
        task rt in C policy fifo 3 forever { run 500us; sleep 2ms }
        task partly in A cpus 1-3 run forever
        task astray in A cpus 2-3 forever { run 2ms; sleep 1ms }
        task refused in C { cpus 0-1; run 10ms; sleep 1ms; run forever }";
    for kernel in CFS {
        let at = places(kernel, text, 0);
        for (role, cpus) in [
            ("a", "0-1"),
            ("b", "1"),
            ("c", "2-3"),
            ("rt", "2-3"),
            ("partly", "1"),
            ("astray", "0-1"),
            ("refused", "2-3"),
        ] {
            let (ran, allowed) = &at[role];
            assert_eq!(allowed, cpus, "{kernel} {role}");
            assert!(
                !ran.is_empty() && ran.is_subset(&list(cpus)),
                "{kernel} {role}: {ran}"
            );
        }
        assert_eq!(at["a"].0, list("0-1"), "{kernel}");
    }
}

/// Running, waiting and sleeping tasks leave; what a task had asked for is forgotten before 6.2.
#[test]
fn a_cpuset_that_changes_takes_its_tasks_along() {
    let text = "group A cpus 0-1
        group B in A
        task hog * 3 in A run forever
        task below in B run forever
        task sleeper * 2 in A forever { run 300us; sleep 3ms }
        task asked in A cpus 1 forever { run 2ms; sleep 2ms }
        task admin { sleep until 300ms; cpuset A 2-3; sleep until 600ms; cpuset A 0-3 }
        task filler * 6 run forever";
    for kernel in CFS {
        let wide = places(kernel, text, 0);
        let narrow = text.replace("; sleep until 600ms; cpuset A 0-3", "");
        let after = places(kernel, &narrow, 310);
        for role in ["hog", "below", "sleeper", "asked"] {
            let (ran, allowed) = &after[role];
            assert_eq!(allowed, "2-3", "{kernel} {role}");
            assert!(
                !ran.is_empty() && ran.is_subset(&list("2-3")),
                "{kernel} {role}: {ran}"
            );
            assert!(wide[role].0.intersects(&list("0-1")), "{kernel} {role}");
            let own = role == "asked" && kernel == "6.5";
            assert_eq!(
                wide[role].1,
                if own { "1" } else { "0-3" },
                "{kernel} {role}"
            );
        }
    }
}

/// Before cgroup v2 the write is refused; since then what both have counts, and all of the upper one if that is nothing.
#[test]
fn a_cpuset_is_within_the_one_above() {
    let text = "group A cpus 0-1
        group B in A
        task b in B forever { run 2ms; sleep 1ms }
        task admin cpus 3 { cpuset B 1-2; sleep until 500ms; cpuset B 3 }";
    for kernel in CFS {
        let nested = ["2.6.32", "3.2final"].contains(&kernel);
        let first = places(
            kernel,
            &text.replace("; sleep until 500ms; cpuset B 3", ""),
            10,
        );
        assert_eq!(first["b"].1, if nested { "0-1" } else { "1" }, "{kernel}");
        assert_eq!(places(kernel, text, 510)["b"].1, "0-1", "{kernel}");
    }
    let outside = "group A cpus 0-1\ngroup B in A cpus 1-2\ntask b in B exit";
    for kernel in CFS {
        let config = parse_file(&format!("kernel {kernel}\nmachine q6600\n{outside}")).config;
        let refused = ["2.6.32", "3.2final"].contains(&kernel);
        assert_eq!(config.problems().len(), usize::from(refused), "{kernel}");
    }
}
