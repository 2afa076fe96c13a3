//! Reading what is a recording, and refusing what is not.

use super::{End, Params, Recording, Repeats, Summary, Trace, Unreadable};
use flate2::Compression;
use flate2::write::GzEncoder;
use schedlab_engine::replay::{Event, Left, Name};
use std::io::Write;

const PARAMS: &str = r#"{"scenario": "two", "kernel": "Linux", "topology": "up",
    "knobs": {"latency_ns": "6000000", "features": "START_DEBIT NO_NEXT_BUDDY ", "preempt": "none (voluntary) full",
        "cgroup_mode": "up (concur)"},
    "source": ["scn two", "end"], "domains": null}"#;

const SUMMARY: &str = r#"{"kernel_tag": "6.1", "global": {"t_end_ns": 5, "trace_complete": true, "makespan_ns": null},
    "tasks": {"hog": {"nice": -5, "policy": 0, "ops": "h", "share": 0.5,
        "run_ns": {"min": 1, "p10": 1, "p50": 2, "p90": 3, "max": 3, "mean": 2.5, "n": 3},
        "wake_to_run_ns": {"n": 0}, "exit_ns": null}}}"#;

const TRACE: &str = "t_ns,cpu,ev,a,b,c\n-5,0,W,hog,0,\n7,0,S,idle,R,hog\n9,1,R,hog,2,18446744073709551615\n9,0,T,,,\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn a_recording_is_read() {
    let trace = gzip(TRACE);
    let read = Recording::read(PARAMS.as_bytes(), SUMMARY.as_bytes(), Some(&trace), None);
    let recording = read.expect("all of it is in order");
    let knobs = &recording.params.knobs;
    assert_eq!(knobs.numbers.get("latency_ns"), Some(&6_000_000));
    assert_eq!(knobs.features[1], ("NEXT_BUDDY".to_string(), false));
    assert_eq!(knobs.preempt, "voluntary");
    assert_eq!(
        knobs.words.get("cgroup_mode").map(String::as_str),
        Some("up (concur)")
    );
    let (name, hog) = &recording.summary.tasks[0];
    assert_eq!((name.as_str(), hog.nice, hog.share), ("hog", -5, Some(0.5)));
    assert_eq!(
        hog.run_ns.map(|run| (run.p50, run.p99)),
        Some((2, 3)),
        "p99 is the largest of few"
    );
    assert_eq!(hog.wake_to_run_ns, None, "nothing was counted");
    let trace = recording.trace.expect("it was given");
    assert_eq!(trace.names, ["hog", "idle"]);
    let (hog, idle) = (Name(0), Name(1));
    let switch = Event::Switch {
        prev: idle,
        left: Left::Runnable,
        next: hog,
    };
    assert_eq!(trace.rows[1].event, switch);
    let charge = Event::Runtime {
        task: hog,
        ns: 2,
        vruntime: Some(-1),
    };
    assert_eq!(
        (trace.rows[2].cpu, trace.rows[2].event),
        (1, charge),
        "left of 0 is near 2^64"
    );
}

#[test]
fn bad_lines_are_named_with_column() {
    let cases = [
        (
            "",
            "trace.csv.gz:1: the columns t_ns,cpu,ev,a,b,c were expected",
        ),
        (
            "t_ns,cpu,ev,a,b\n",
            "trace.csv.gz:1: the columns t_ns,cpu,ev,a,b,c were expected",
        ),
        (
            "1,0,S,a,R",
            "trace.csv.gz:2: 6 cells were expected, here are 5",
        ),
        (
            "1.5,0,T,,,",
            "trace.csv.gz:2: t_ns: a whole number that fits here was expected, here is \u{201c}1.5\u{201d}",
        ),
        (
            "17592186044417,0,T,,,",
            "trace.csv.gz:2: t_ns: a number from -17592186044416 to 17592186044416 was expected",
        ),
        (
            "1,70000,T,,,",
            "trace.csv.gz:2: cpu: a whole number that fits here was expected",
        ),
        (
            "1,0,Q,,,",
            "trace.csv.gz:2: ev: one of S W N K M F X R T H was expected",
        ),
        ("1,0,W,,0,", "trace.csv.gz:2: a: a task was expected"),
        (
            "1,0,S,a,,b",
            "trace.csv.gz:2: b: the state of the task that leaves was expected",
        ),
        (
            "1,0,R,a,-1,1",
            "trace.csv.gz:2: b: a charge that fits into the time of the trace was expected",
        ),
        (
            "1,0,R,a,17592186044416,\n1,0,R,a,1,",
            "trace.csv.gz:3: b: a charge that fits",
        ),
        (
            "1,0,R,a,1,9223372036854775807",
            "trace.csv.gz:2: c: a vruntime within 36 years",
        ),
        (
            "1,0,R,a,1,18446744073709551616",
            "trace.csv.gz:2: c: a whole number that fits here",
        ),
    ];
    for (text, words) in cases {
        let whole = text.is_empty() || text.starts_with('t');
        let text = if whole {
            text.to_string()
        } else {
            format!("t_ns,cpu,ev,a,b,c\n{text}\n")
        };
        let error = Trace::read(&gzip(&text)).expect_err(&text);
        assert!(error.to_string().starts_with(words), "{text}: {error}");
    }
}

#[test]
fn bad_fields_are_named_by_their_path() {
    let summary = |text: String| Summary::read(text.as_bytes()).map(drop);
    let params = |text: String| Params::read(text.as_bytes()).map(drop);
    let repeats = |text: String| Repeats::read(text.as_bytes()).map(drop);
    let cases: [(Result<(), Unreadable>, &str); 8] = [
        (
            summary(SUMMARY.replace("-5", "-5.5")),
            "summary.json: tasks.hog.nice: a whole number was expected",
        ),
        (
            summary(SUMMARY.replace("\"max\": 3,", "")),
            "summary.json: tasks.hog.run_ns.max: this field was expected",
        ),
        (
            summary(SUMMARY.replace("\"policy\": 0", "\"policy\": 1e30")),
            "summary.json: tasks.hog.policy: a whole number of 0 or more",
        ),
        (
            summary(SUMMARY.replace("\"6.1\"", "6.1")),
            "summary.json: kernel_tag: a text was expected, here is a number",
        ),
        (
            summary("[]".into()),
            "summary.json: an object was expected, here is a list",
        ),
        (
            params(PARAMS.replace("\"6000000\"", "6")),
            "params.json: knobs.latency_ns: a text was expected",
        ),
        (
            params(PARAMS.replace('\n', "\n}")),
            "params.json:2: no JSON: ",
        ),
        (
            repeats("{\"a\": {\"spread\": {\"n\": {\"min\": 1}}}}".into()),
            "up-repeats.json: a.spread.n.max: this field was",
        ),
    ];
    for (result, words) in cases {
        let error = result.expect_err(words).to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn no_damage_to_the_bytes_does_more_than_an_error() {
    let good = gzip(TRACE);
    for length in 0..good.len() {
        assert!(Trace::read(&good[..length]).is_err(), "cut at {length}");
    }
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let _ = Trace::read(&bytes);
        }
    }
    for text in [PARAMS, SUMMARY] {
        for length in 0..text.len() {
            let cut = &text.as_bytes()[..length];
            assert!(
                Params::read(cut).is_err() && Summary::read(cut).is_err(),
                "cut at {length}"
            );
        }
    }
}

#[test]
fn the_end_is_read_to_the_nanosecond() {
    let text = "cfs_rq[0]:/A\n  .min_vruntime : 7.000000\n\ncfs_rq[0]:/\n  .min_vruntime   : 638.287572\n
runnable tasks:\n S  task   PID   tree-key  switches\n------\n>R  init  1  0.000000  262\n S  slp  80  -1386.229030  190 x\n\n R a 1 b\n";
    let end = End::read(&gzip(text)).expect("it is in order");
    assert_eq!(end.min_vruntime, Some(638_287_572));
    let slp = end.tasks.last().expect("two tasks");
    assert_eq!(
        (slp.comm.as_str(), slp.pid, slp.runnable),
        ("slp", 80, false)
    );
    assert_eq!(
        (slp.vruntime, end.tasks[0].runnable),
        (-1_386_229_030, true)
    );
    for (from, to, words) in [
        ("80", "8x", "rq_end.txt.gz:11: PID: a number was expected"),
        (
            "229030",
            "22903",
            "rq_end.txt.gz:11: tree-key: milliseconds",
        ),
        (
            "638",
            "9223372036854775807",
            "rq_end.txt.gz:5: min_vruntime: milliseconds",
        ),
    ] {
        let error = End::read(&gzip(&text.replace(from, to))).expect_err(to);
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

#[test]
fn the_end_of_eevdf_has_deadlines() {
    let text = "runnable tasks:
 S  task   PID   vruntime   eligible    deadline   slice
------
 R hog0 130 5642.171419 E 5644.990859 3.000000 500.0
 S cyc 127 6.164752 N 14.125132 S 8.000000 7.3
";
    let end = End::read(&gzip(text)).expect("it is in order");
    let told = |n: usize| (end.tasks[n].vruntime, end.tasks[n].deadline);
    assert_eq!(told(0), (5_642_171_419, Some(5_644_990_859)));
    assert_eq!(told(1), (6_164_752, Some(14_125_132)));
    let weighed = text
        .replace("PID   vruntime", "PID weight vruntime")
        .replace("130 5642", "130 1048576 5642")
        .replace("127 6.1", "127 349525 6.1");
    assert_eq!(End::read(&gzip(&weighed)).expect("it is in order"), end);
    for (from, to, words) in [
        (
            "6.164752",
            "6.16",
            "rq_end.txt.gz:5: vruntime: milliseconds",
        ),
        ("990859", "", "rq_end.txt.gz:4: deadline: milliseconds"),
    ] {
        let error = End::read(&gzip(&text.replace(from, to))).expect_err(to);
        assert!(error.to_string().starts_with(words), "{error}");
    }
}
