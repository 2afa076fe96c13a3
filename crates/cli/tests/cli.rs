//! The program as a user meets it: output, exit codes, errors, signals.

use serde_json::Value;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// A run that is over at once.
const SMALL: &str = "m=q6600&w=hackbench(groups=1,fan=4,loops=5)";
/// A run that takes minutes.
const LONG: &str = "w=hackbench(groups=100,loops=100000)";

fn schedlab(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_schedlab"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs to the end.
fn output(args: &[&str]) -> Output {
    schedlab(args).output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("errors are UTF-8")
}

fn json(args: &[&str]) -> Value {
    let output = output(args);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    serde_json::from_slice(&output.stdout).expect("output is JSON")
}

/// Waits, but not for ever.
fn wait(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status;
        }
        if started.elapsed() > Duration::from_mins(1) {
            child.kill().expect("a child of ours");
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_run_is_reported() {
    let done = output(&["run", SMALL]);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(err(&done), "");
    let text = out(&done);
    for part in [
        "v=1&m=q6600&w=hackbench(groups=1,fan=4,loops=5)",
        "every workload that ends has ended",
        "Throughput\n  80 messages in ",
        "CPU time by account, 4 CPUs",
        "wakeup to running",
        "Switches: ",
        "Migrations: ",
        "CPU selection: ",
        "Tasks by role",
        "\nHash ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains('\x1b'), "no styles where no terminal is");
}

#[test]
fn the_same_experiment_has_the_same_hash_however_it_is_given() {
    let hash = |args: &[&str]| json(args)["hash"].clone();
    let plain = hash(&["run", SMALL, "--json"]);
    assert_eq!(hash(&["run", "--json", SMALL]), plain);
    let escaped = SMALL.replace('(', "%28").replace(',', "%2C");
    assert_eq!(hash(&["run", "--json", &escaped]), plain);
    let path = std::env::temp_dir().join(format!("schedlab-{}.txt", std::process::id()));
    let text = "# a file\nm=q6600\nw=hackbench(groups=1,fan=4,loops=5) # small\n";
    std::fs::write(&path, text).expect("a temporary file");
    let name = path.to_string_lossy();
    assert_eq!(hash(&["run", "--json", &name]), plain);
    std::fs::remove_file(&path).expect("our file");

    let mut child = schedlab(&["run", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    let done = child.wait_with_output().expect("it ends");
    let value: Value = serde_json::from_slice(&done.stdout).expect("output is JSON");
    assert_eq!(value["hash"], plain);
}

fn has_the_keys_of_a_distribution(value: &Value) {
    let keys = value.as_object().expect("a distribution").keys();
    let expected = [
        "max", "mean", "min", "n", "p10", "p50", "p90", "p99", "p999",
    ];
    assert!(keys.eq(expected.iter()), "{value}");
}

#[test]
fn a_scenario_is_run_shown_and_refused_with_the_place_of_every_fault() {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("schedlab-{}.lab", std::process::id()));
    let text = "machine q6600 # old\ngroup A\ntask hog * 2 in A run forever\nduration 5ms\n";
    std::fs::write(&path, text).expect("a temporary file");
    let name = path.to_string_lossy();
    let run = json(&["run", "--json", &name]);
    assert_eq!(run["config"]["script"], "task hog * 2 in A run forever\n");
    assert_eq!(run["config"]["groups"][0]["shares"], 1024);
    assert_eq!(run["tasks"]["hog 1"]["role"], "hog");
    let link = out(&output(&["show", "--link", &name]));
    assert_eq!(link.trim(), run["link"].as_str().expect("a link"));
    assert_eq!(json(&["run", "--json", link.trim()])["hash"], run["hash"]);
    let shown = out(&output(&["show", link.trim()]));
    let file = "machine q6600\nkernel 2.6.32-rc1\ngroup A\nduration 5ms\n\ntask hog * 2 in A run forever\n";
    assert_eq!(shown, file);
    let compared = output(&["compare", &name, "&k=2.6.31"]);
    assert_eq!(compared.status.code(), Some(0), "{}", err(&compared));

    std::fs::write(&path, "machine q660\n\ntask hog nise 5 run forever\n").expect("our file");
    let refused = output(&["run", &name]);
    assert_eq!(refused.status.code(), Some(2));
    let lines = err(&refused);
    assert!(
        lines.contains(".lab:1:9: \"q660\" is no machine. Did you mean q6600?\n"),
        "{lines}"
    );
    assert!(
        lines.contains(".lab:3:10: \"nise\" stands where"),
        "{lines}"
    );
    std::fs::remove_file(&path).expect("our file");

    let program = out(&output(&[
        "show",
        "--program",
        "w=hackbench(groups=2,fan=3)",
    ]));
    assert!(
        program.contains("team group * 2 {\n    socket data * 3 counted\n"),
        "{program}"
    );
    let argument = output(&["run", "task a loop 3 { run 1ms; yield }"]);
    assert_eq!(argument.status.code(), Some(0), "{}", err(&argument));
}

#[test]
fn the_json_has_the_fields_of_the_recordings() {
    let run = json(&["run", SMALL, "--json"]);
    assert_eq!(run["schema"], 1);
    assert_eq!(run["stop"], "done");
    assert_eq!(run["partial"], false);
    let global = &run["global"];
    for field in [
        "t_end_ns",
        "context_switches",
        "wakeups",
        "wakeup_preemptions",
        "wakeup_preemptions_by_pair",
        "tick_preemptions",
        "other_involuntary",
        "involuntary",
        "voluntary",
        "migrations",
        "ticks",
        "hrticks",
        "idle_ns",
        "tasks_cpu_ns",
        "other_cpu_ns",
        "makespan_ns",
        "completed",
        "total_count",
        "wake_to_run_all_ns",
        "run_all_ns",
    ] {
        assert!(!global[field].is_null(), "global.{field}");
    }
    assert_eq!(global["messages"], 80);
    assert_eq!(
        global["completed"], 9,
        "how many have ended, as in the recordings"
    );
    let tasks = run["tasks"].as_object().expect("tasks by name");
    assert_eq!(tasks.len(), 9);
    for (name, task) in tasks {
        for field in [
            "nice",
            "policy",
            "slice_ns",
            "count",
            "cpu_ns",
            "share",
            "sw_voluntary",
            "sw_involuntary",
            "wakeups",
            "migrations",
        ] {
            assert!(!task[field].is_null(), "{name}.{field}");
        }
        has_the_keys_of_a_distribution(&task["run_ns"]);
        has_the_keys_of_a_distribution(&task["wake_to_run_ns"]);
    }
    has_the_keys_of_a_distribution(&global["run_all_ns"]);
    has_the_keys_of_a_distribution(&global["wake_to_run_all_ns"]);
    let accounts = run["accounts"].as_object().expect("accounts by name");
    let sum: u64 = accounts.values().filter_map(Value::as_u64).sum();
    assert_eq!(
        Some(sum),
        global["t_end_ns"].as_u64().map(|t| 4 * t),
        "CPUs x time"
    );
}

#[test]
fn warnings_name_the_place_and_the_run_goes_on() {
    let done = output(&["run", "m=q6600&f=NEXT_BUDY&w=hogs&dur=1ms"]);
    assert_eq!(done.status.code(), Some(0));
    let expected = "schedlab: warning: fragment:1:11: f: \"NEXT_BUDY\" is no feature; ignored. \
                    Did you mean NEXT_BUDDY?\n";
    assert_eq!(err(&done), expected);
    let strict = output(&["run", "--strict", "m=q6600&f=NEXT_BUDY&w=hogs&dur=1ms"]);
    assert_eq!(strict.status.code(), Some(2));
    assert_eq!(out(&strict), "");
    // Nothing runs, so nothing is ignored or used instead.
    let expected = "schedlab: error: fragment:1:11: f: \"NEXT_BUDY\" is no feature. \
                    Did you mean NEXT_BUDDY?\n";
    assert_eq!(err(&strict), expected);
    let refused = output(&["run", "k=2.6.33&w=hackbnech&m=q660"]);
    assert_eq!(refused.status.code(), Some(2));
    let lines = [
        "fragment:1:3: k: \"2.6.33\" is no kernel. Did you mean 2.6.32?",
        "fragment:1:12: w: \"hackbnech\" is no workload. Did you mean hackbench?",
        "fragment:1:24: m: \"q660\" is no machine. Did you mean q6600?",
    ];
    let expected = lines.map(|line| format!("schedlab: error: {line}\n"));
    assert_eq!(err(&refused), expected.concat());
}

#[test]
fn bad_input_ends_with_2_and_says_what_to_do() {
    let cases: &[(&[&str], &str)] = &[
        (&["rnu"], "no command rnu; did you mean run?"),
        (
            &["run", "--jsno"],
            "run: no option --jsno; did you mean --json?",
        ),
        (&["run", "nowhere.txt"], "nowhere.txt: cannot read: "),
        (&["run", "/"], "/: cannot read: "),
        (
            &["run", env!("CARGO_BIN_EXE_schedlab")],
            ": nothing of this is an experiment",
        ),
        (
            &["run", "f=NEXT_BUDY"],
            "fragment:1:3: f: \"NEXT_BUDY\" is no feature. Did you mean NEXT_BUDDY?\n",
        ),
        (
            &["run", "w=none"],
            "fragment: w: nothing runs; add a workload",
        ),
        (
            &["run", "m=q6600&w=hogs(cpu=9)"],
            "cpu=9, but the machine has 4 CPUs",
        ),
        (
            &["run", "w=hackbench(groups=512,fan=256)"],
            "262145 tasks are too many",
        ),
        (
            &["run", "k=2.6.31", "w=hogs"],
            "one argument too many: w=hogs",
        ),
        (
            &["compare", "v=1"],
            "compared with what? Name two experiments",
        ),
        (
            &["compare", "v=1", "&w=none"],
            "B: fragment: w: nothing runs",
        ),
        (
            &["list", "machine"],
            "list: nothing is called machine; did you mean machines?",
        ),
        (&["explain", "v=1"], "explain: --at TIME is needed"),
        (
            &["explain", "v=1", "--at", "noon"],
            "--at noon: use a time from 0 to 3600s",
        ),
        (
            &["explain", "m=q6600", "--at", "1ms", "--cpu", "4"],
            "--cpu 4: the machine has 4 CPUs",
        ),
        (
            &["bench", "nothing"],
            "bench: no scenario nothing; use hackbench",
        ),
    ];
    for (args, words) in cases {
        let done = output(args);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {}", err(&done));
        assert_eq!(out(&done), "", "{args:?}");
        assert!(err(&done).contains(words), "{args:?}: {}", err(&done));
        assert!(err(&done).starts_with("schedlab: error: "), "{args:?}");
    }
}

#[test]
fn a_benchmark_prints_a_line_for_programs() {
    let done = output(&["bench", "classroom", "--rounds", "1", "--lines"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let line = out(&done);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        (words.len(), words[0], words[4]),
        (7, "classroom", "60000000000")
    );
    assert!(words[6].starts_with("m=classroom-1"));
}

#[test]
fn no_malformed_link_makes_it_panic() {
    let list = include_str!("../../engine/tests/data/bad-fragments.txt");
    let links = list
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .map(|(_, link)| link);
    for link in links.step_by(4) {
        // A short run whatever the rest says; the last part counts.
        let text = format!("w=hogs&dur=1ms&{link}&events=1000");
        let done = output(&["run", "--quiet", &text]);
        let code = done.status.code();
        assert!(
            matches!(code, Some(0 | 2)),
            "{text}: {code:?} {}",
            err(&done)
        );
        assert!(!err(&done).contains("panicked"), "{text}: {}", err(&done));
        assert!(!err(&done).is_empty(), "{text}");
    }
}

#[test]
fn huge_input_is_cut_and_said() {
    let mut child = schedlab(&["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        let chunk = "w=hogs&dur=1ms\n".repeat(1000);
        while stdin.write_all(chunk.as_bytes()).is_ok() {}
    });
    let done = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends when the pipe closes");
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert!(err(&done).contains("only 65536 bytes of it are read"));
    let zeros = output(&["run", "/dev/zero"]);
    assert_eq!(zeros.status.code(), Some(2), "{}", err(&zeros));
    assert!(err(&zeros).contains("/dev/zero: nothing of this is an experiment"));
}

#[test]
fn ctrl_c_stops_a_run_and_reports_what_there_was() {
    let mut child = schedlab(&["run", "--json", "--progress", LONG])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stderr = child.stderr.take().expect("a pipe");
    let mut told = vec![0; 64];
    let read = stderr.read(&mut told).expect("progress is told");
    assert!(String::from_utf8_lossy(&told[..read]).contains("% done"));
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status();
    assert!(kill.expect("kill is there").success());
    // The report may be longer than a pipe holds.
    let mut stdout = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).map(|_| text)
    });
    assert_eq!(wait(&mut child).code(), Some(130));
    let text = reader.join().expect("a thread of ours").expect("a pipe");
    let run: Value = serde_json::from_slice(&text).expect("output is JSON");
    assert_eq!(run["stop"], "interrupted");
    assert_eq!(run["partial"], true);
    assert!(run["global"]["messages"].as_u64() > Some(0));
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    for args in [
        &["list"][..],
        &["run", SMALL, "--json"],
        &["run", "w=hackbench(groups=2,loops=50)", "--trace", "-"],
    ] {
        // Gone before anything is written, however fast the program is.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut child = schedlab(args)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        assert_eq!(wait(&mut child).code(), Some(141), "{args:?}");
        let mut words = String::new();
        let stderr = child.stderr.as_mut().expect("a pipe");
        stderr.read_to_string(&mut words).expect("a pipe");
        assert_eq!(words, "", "{args:?}");
    }
}

#[test]
fn a_trace_is_written_in_the_format_that_its_name_asks_for() {
    let base = std::env::temp_dir().join(format!("schedlab-trace-{}", std::process::id()));
    let first = |extension: &str| {
        let path = base.with_extension(extension);
        let done = output(&["run", SMALL, "--trace", &path.to_string_lossy()]);
        assert_eq!(done.status.code(), Some(0), "{}", err(&done));
        let text = std::fs::read_to_string(&path).expect("the trace");
        std::fs::remove_file(&path).expect("our file");
        text.lines().next().expect("a line").to_string()
    };
    let all = output(&["run", SMALL, "--trace", "-", "--trace-format", "jsonl"]);
    for line in out(&all).lines() {
        let event: Value = serde_json::from_str(line).expect("each line is an object");
        assert!(event["t"].is_u64() && event["ev"].is_string(), "{line}");
    }
    assert!(first("txt").contains("sched:sched_"));
    assert!(first("jsonl").starts_with("{\"t\":"));
    assert_eq!(first("csv"), "t_ns,cpu,ev,a,b,c");
    let nowhere = output(&["run", SMALL, "--trace", "/nowhere/trace"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(err(&nowhere).contains("/nowhere/trace: cannot write"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let full = output(&["run", SMALL, "--trace", "/dev/full"]);
    assert_eq!(full.status.code(), Some(1));
    assert!(
        err(&full).contains("/dev/full: cannot write"),
        "{}",
        err(&full)
    );
}

#[test]
fn two_experiments_are_compared_down_to_the_first_decision() {
    let done = output(&["compare", SMALL, "&k=2.6.31"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let text = out(&done);
    assert!(text.contains("From A to B: k=2.6.31"), "{text}");
    assert!(text.contains("messages a second"), "{text}");
    assert!(text.contains("First decided differently: the "), "{text}");
    let same = json(&["compare", SMALL, SMALL, "--json"]);
    assert_eq!(same["same"], true);
    assert_eq!(same["difference"], "");
    assert!(same["first_decision"].is_null());
}

#[test]
fn a_decision_is_explained_with_its_numbers_and_its_commit() {
    let link = "m=classroom-1&k=2.6.32-rc1&w=hogs(count=3)";
    let done = output(&["explain", link, "--at", "48.5ms"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let text = out(&done);
    for part in [
        "CPU 0 of classroom-1 under 2.6.32-rc1, from 48.500000 ms on; running: hog ",
        "tick: reschedule: ran longer than its slice",
        "candidate",
        "leftmost",
        "taken",
        "3 runnable",
        "picker ClearBoth, D13 clear_both (commit de69a80be3)",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let late = output(&["explain", SMALL, "--at", "1h"]);
    assert_eq!(late.status.code(), Some(2));
    let late = output(&["explain", SMALL, "--at", "3000s"]);
    assert_eq!(late.status.code(), Some(2));
    assert!(
        err(&late).contains("nothing is decided from then on; the run ends at"),
        "{}",
        err(&late)
    );
}

#[test]
fn everything_there_is_is_listed() {
    let all = out(&output(&["list"]));
    for name in [
        "tigerton-4x4",
        "2.6.32-rc1",
        "D13 clear_both",
        "NEXT_BUDDY",
        "wakeup_granularity",
        "BALANCE_NEWIDLE",
        "hackbench",
        "skew_tick",
    ] {
        assert!(all.contains(name), "{name}");
    }
    let lists = json(&["list", "--json"]);
    let machines = schedlab_engine::machine::catalog::CATALOG.len();
    assert_eq!(lists["machines"].as_array().map(Vec::len), Some(machines));
    let features = json(&["list", "features", "--json", "--for", "k=2.6.31"]);
    let next = features
        .as_array()
        .into_iter()
        .flatten()
        .find(|f| f["name"] == "NEXT_BUDDY");
    assert!(
        next.expect("a feature")["default"].is_null(),
        "2.6.31 has it not"
    );
}

#[test]
fn help_and_version_are_there() {
    for args in [
        &["--help"][..],
        &["help"],
        &["run", "--help"],
        &["help", "run"],
        &[],
        &["-V"],
    ] {
        let done = output(args);
        assert_eq!(done.status.code(), Some(0), "{args:?}");
        assert!(out(&done).starts_with("schedlab"), "{args:?}");
    }
}

#[test]
fn random_experiments_have_the_same_hashes_every_time() {
    let args = ["hash", "--count", "3"];
    let (one, other) = (out(&output(&args)), out(&output(&args)));
    assert_eq!(one, other);
    assert_eq!(one.lines().count(), 3);
}
