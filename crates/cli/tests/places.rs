//! Every error and warning names its place, whatever the text it is about, and says what to do.

mod common;

use common::{out, run};
use std::path::PathBuf;

/// What is said of a run; nothing of it is a crash.
fn said(args: &[&str]) -> String {
    let (code, _, err) = run(args);
    assert!(matches!(code, Some(0..=2)), "{args:?}: {code:?} {err}");
    err
}

/// A file that goes away with the test.
struct Text(PathBuf);

impl Text {
    fn new(name: &str, content: &str) -> Text {
        let path = std::env::temp_dir().join(format!("schedlab-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("a temporary file");
        Text(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("a name in UTF-8")
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Texts, and the line that is said of each.
const SAID: &[(&str, &str)] = &[
    (
        "w=hogs&dur=1ms&bar=1",
        "warning: fragment:1:16: \"bar\" is no part of a link; ignored. See schedlab list keys",
    ),
    (
        "w=hogs&dur=1ms&z=1ms..2ms",
        "warning: fragment:1:16: \"z\" is no part of a link; ignored. Only the page shows it, behind &view&",
    ),
    (
        "k=7.3&w=hogs&dur=1ms&cgroup_mode=smp",
        "warning: fragment:1:22: \"cgroup_mode\" is no part of a link; ignored. Did you mean t=cgroup_mode:smp?",
    ),
    (
        "w=hogs&dur=1ms&HRTICK=0",
        "warning: fragment:1:16: \"HRTICK\" is no part of a link; ignored. Did you mean f=NO_HRTICK?",
    ),
    (
        "dur=1ms&hogs(count=2)",
        "warning: fragment:1:9: \"hogs(count\" is no part of a link; ignored. Did you mean w=hogs(count=2)?",
    ),
    (
        "w=hogs&dur=1ms&q6600",
        "warning: fragment:1:16: \"q6600\" is not of the form key=value; ignored. Did you mean m=q6600?",
    ),
    (
        "w=hogs&dur=1ms&loops=5",
        "warning: fragment:1:16: \"loops\" is no part of a link; ignored. It is said of a workload, \
         such as hackbench: w=hackbench(loops=…)",
    ),
    (
        "w=hogs&dur=1ms&quota=5ms",
        "warning: fragment:1:16: \"quota\" is no part of a link; ignored. It is said of a group: g=NAME(quota=…)",
    ),
    (
        "w=hogs&g=A(cpus=999)&dur=1ms",
        "warning: fragment:1:17: g: \"999\" is not a list of CPUs such as 0-3,8; ignored. The last CPU here is 15",
    ),
    (
        "w=(task+a+cpus+0-999+run+1ms)&m=q6600",
        "warning: fragment:1:16: w: \"0-999\" is no list of CPUs such as 0-3,8: 999 is above 255; \
         the default runs instead: hackbench(loops=50). The last CPU here is 3",
    ),
    (
        "m=laptop",
        "error: fragment:1:3: m: \"laptop\" is no machine. See schedlab list machines",
    ),
    (
        "k=2.6.33",
        "error: fragment:1:3: k: \"2.6.33\" is no kernel. Did you mean 2.6.32?",
    ),
    (
        "w=hogs(in=A)&dur=1ms",
        "warning: fragment:1:11: w: \"A\" is no group; ignored. Declare it before, as in g=NAME",
    ),
    (
        "w=(task+a+forever+mark+x)",
        "error: fragment: stopped: a goes round without using any time; let its loop run, sleep or wait, or end it",
    ),
    (
        "w=(child+c+run+1ms;task+a+forever+fork+c)",
        " ran; fork fewer, or end the run earlier with dur=TIME",
    ),
    (
        "w=(lock+l;task+a+(run+1us;unlock+l))",
        "warning: fragment: task a: unlock l: it does not hold l there, so that nothing happens; \
         lock it before, or take this out",
    ),
    (
        "w=(task+a+forever(timer+1ns;run+1us))&dur=1us",
        "warning: fragment: task a: timer 1ns: no timer comes as often, its interrupt takes longer than that; \
         the task hardly sleeps, and the run is slow; use 1us or more",
    ),
    (
        "k=6.1&w=hogs&dur=1ms&vs&k=6.5&view&by=kind",
        "warning: fragment: \"vs\" begins another experiment, which is left out; \
         schedlab compare with this link runs both",
    ),
];

#[test]
fn each_fault_has_one_line_with_place_and_remedy() {
    for (text, line) in SAID {
        let err = said(&["run", text]);
        assert!(err.ends_with(&format!("{line}\n")), "{text}: {err}");
        assert_eq!(err.lines().count(), 1, "{text}: {err}");
    }
    assert_eq!(
        said(&["show", "k=6.1&w=hogs&view&z=1ms..2ms&at=A:3:1ms"]),
        ""
    );
    // A switch that is set and taken back is an experiment.
    let err = said(&["show", "f=HRTICK,NO_HRTICK"]);
    assert!(err.contains("used NO_HRTICK. Say it once\n"), "{err}");
    assert!(!err.contains("nothing of this"), "{err}");
    let err = said(&["show", "f=BUDDY,NO_HRTICK"]);
    assert!(!err.contains("nothing of this"), "{err}");
}

#[test]
fn strict_has_no_word_of_a_warning() {
    for (text, error) in [
        (
            "w=hogs(count=3",
            "lacks its closing parenthesis. Did you mean hogs(count=3)?",
        ),
        (
            "w=hogs(count=3)x",
            "follows a closing parenthesis. Leave it out, or put a semicolon before it",
        ),
        (
            "w=hogs&seed=5&seed=7",
            "was said before, differently. Say it once",
        ),
        (
            "w=hogs(count=0)",
            "is not within 1 \u{2026} 4096. Did you mean 1?",
        ),
    ] {
        let err = said(&["run", "--strict", text]);
        assert!(err.ends_with(&format!("{error}\n")), "{text}: {err}");
        assert!(err.starts_with("schedlab: error: "), "{text}: {err}");
    }
}

#[test]
fn nothing_is_no_experiment() {
    for content in ["", "\n\n", "# nothing but a comment\n", "\u{feff}\n", "&&"] {
        let file = Text::new("empty", content);
        for command in [&["run"][..], &["show"], &["explain", "--at", "1ms"]] {
            let args = [command, &[file.name()]].concat();
            let err = said(&args);
            assert!(
                err.contains("there is nothing in it; say what to run"),
                "{content:?}: {err}"
            );
        }
    }
    let err = said(&["run", "-"]);
    assert!(
        err.contains("standard input: there is nothing in it"),
        "{err}"
    );
    // Without an argument it is the default.
    assert!(out(&["show", "--link"]).starts_with("v=1"));
}

#[test]
fn lines_of_the_other_form_are_told_as_such() {
    let link = Text::new("link", "k=6.1\nmachine q6600\ntask hog run forever\n");
    let err = said(&["run", link.name()]);
    for words in [
        ":2:1: \"machine q6600\" is a line of a scenario, and this is a link: write machine=q6600, ",
        ":3:1: \"task hog run forever\" is a line of a scenario, and this is a link: write w=(task+hog+run+forever), ",
    ] {
        assert!(err.contains(words), "{err}");
    }
    let scenario = Text::new("scenario", "machine q6600\nk=6.1\ntask hog run forever\n");
    let err = said(&["run", scenario.name()]);
    let words = ":2:1: \"k=6.1\" is of a link; in a scenario say kernel 6.1";
    assert!(err.contains(words), "{err}");
    let odd = Text::new("odd", "lock l\n\ntask a { run 1us\n unlock l\n}\n");
    let err = said(&["run", odd.name()]);
    assert!(err.contains("-odd:3: task a: unlock l: "), "{err}");
}

#[test]
fn of_two_experiments_it_is_said_which_is_meant() {
    let small = "w=hogs&dur=1ms";
    for (a, b, line) in [
        (
            "f=ZZZ",
            small,
            "error: A: fragment:1:3: f: \"ZZZ\" is no feature",
        ),
        (
            small,
            "&f=NEXT_BUDY",
            "warning: B: fragment:1:4: f: \"NEXT_BUDY\" is no feature; ignored. Did you mean NEXT_BUDDY?",
        ),
        (
            "w=hogs&dur=1ms&f=NEXT_BUDDY",
            "&k=2.6.31",
            "warning: B: fragment: of what A says, f: \"NEXT_BUDDY\" does not exist in this 2.6.31",
        ),
        (
            small,
            "&w=hogs(cpu=99)",
            "error: B: fragment: w: hogs (number 1): cpu=99, but the machine has 16 CPUs",
        ),
        (
            small,
            "&",
            "error: B: fragment: nothing stands behind the &; say what differs, such as '&k=2.6.31'",
        ),
        (small, "nowhere", "error: B: nowhere: cannot read: "),
    ] {
        let err = said(&["compare", a, b]);
        assert!(
            err.starts_with(&format!("schedlab: {line}")),
            "{a} {b}: {err}"
        );
    }
    // A link of the page names both.
    let text = out(&["compare", "w=hogs&dur=1ms&vs&k=2.6.31&view&by=kind"]);
    assert!(text.contains("From A to B: k=2.6.31"), "{text}");
    // And no third, whichever argument says it.
    let more = "\"vs\" stands here again; what follows is left out";
    let err = said(&["compare", "w=hogs&dur=1ms&vs&k=2.6.31&vs&k=6.1"]);
    let start = format!("schedlab: warning: A: fragment:1:28: {more}");
    assert!(err.starts_with(&start) && err.lines().count() == 1, "{err}");
    let err = said(&["compare", "w=hogs&dur=1ms", "&k=2.6.31&vs&k=6.1"]);
    assert!(
        err.contains("warning: B: fragment: \"vs\" begins another experiment"),
        "{err}"
    );
}

/// Whoever reads no further ends it quietly.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_schedlab"));
    let command = command
        .arg("list")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(141));
    assert!(done.stderr.is_empty());
}

/// A scenario is told in its own words: by the line of the task, without keys of links.
#[test]
fn what_is_said_of_a_scenario_is_in_its_syntax() {
    for (text, line) in [
        (
            "machine q6600\ntask a run 1ms\ntask b cpus 99 run 1ms\n",
            "error: fragment:3: task b may run on 99 only, but the machine has 4 CPUs; use 0 to 3 or another machine",
        ),
        (
            "machine zzz\ntask a run 1ms\n",
            "error: fragment:1:9: \"zzz\" is no machine. See schedlab list machines",
        ),
        (
            "kernel zzz\ntask a run 1ms\n",
            "error: fragment:1:8: \"zzz\" is no kernel. See schedlab list kernels",
        ),
        (
            "kernel 6.17\ntask a run 1ms\n",
            "error: fragment:1:8: \"6.17\" is no kernel. Did you mean 6.18?",
        ),
        (
            "kernel 6.6\ntask a in A { run 1ms }\ntask b in A run 1ms\n",
            "error: fragment:2:11: \"A\" is no group. Declare it before, as in group NAME",
        ),
        (
            "kernel 2.6.31\nfeature NEXT_BUDDY\ntask a run 1ms\n",
            "Add commits D05, or take another kernel",
        ),
        (
            "group A weight\ntask a run 1ms\n",
            "error: fragment:1:9: \"weight\" is not something said of a group, such as weight 300",
        ),
        (
            "tunable sched_latency\ntask a run 1ms\n",
            "\"sched_latency\" is not a tunable with its value such as wakeup_granularity 8ms",
        ),
        (
            "machine q6600\nseed 1\n",
            "error: fragment: nothing runs; add a workload such as hackbench",
        ),
    ] {
        let err = said(&["run", text]);
        assert!(err.ends_with(&format!("{line}\n")), "{text}: {err}");
        assert_eq!(err.lines().count(), 1, "{text}: {err}");
    }
}

/// Who takes a lock twice waits for itself, whatever the kind; who gives one up is told of.
#[test]
fn a_lock_that_is_never_had_is_told() {
    for kind in ["futex", "adaptive", "kernel-spin", "spin-sleep"] {
        let text =
            format!("lock l {kind}\nduration 10ms\ntask a {{\nlock l\nlock l\nmark had\n}}\n");
        let (code, out, err) = run(&["run", "--json", &text]);
        assert_eq!(code, Some(0), "{err}");
        assert!(
            err.contains("fragment:3: task a: lock l: it holds l already, and waits for itself"),
            "{err}"
        );
        assert!(!out.contains("\"had\""), "{kind}: it has the lock twice");
    }
    let text = out(&["run", "lock l spin-sleep; task a { lock l; lock l }"]);
    assert!(
        text.contains("; 1 task gave up a spin-sleep lock"),
        "{text}"
    );
}
