//! Published experiments, run again in small.

use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn output(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_schedlab"));
    let command = command.arg("reproduce").args(args).stdin(Stdio::null());
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("what it prints is UTF-8")
}

fn json(args: &[&str]) -> Value {
    let output = output(args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("output is JSON")
}

fn rows(of: &Value) -> &Vec<Value> {
    of.as_array().expect("an array")
}

#[test]
fn experiments_that_can_be_reproduced_are_listed() {
    let done = output(&[]);
    assert_eq!(done.status.code(), Some(0));
    for name in ["tigerton", "free-3", "cyc-rb5"] {
        assert!(text(&done.stdout).contains(name), "{name}");
    }
    let listed = json(&["--json"]);
    let names: Vec<_> = rows(&listed["experiments"])
        .iter()
        .map(|e| &e["name"])
        .collect();
    assert_eq!(names, ["2009", "2011", "2026"]);
}

#[test]
fn what_cannot_be_reproduced_is_an_error_that_says_what_can() {
    let cases: &[(&[&str], &str)] = &[
        (
            &["2011", "fre-1"],
            "reproduce: no table of 2011 fre-1; did you mean free-1?",
        ),
        (
            &["hackbench"],
            "reproduce: no experiment hackbench; use 2009, 2011, 2026",
        ),
        (
            &["--strict"],
            "reproduce: no option --strict; see schedlab reproduce --help",
        ),
        (
            &["2026", "--loops", "5"],
            "reproduce: --loops: the runs of 2026 end by time; use --dur TIME",
        ),
        (
            &["2009", "--dur", "1s"],
            "reproduce: --dur: the runs of 2009 end when their work is done; use --loops N",
        ),
        (
            &["2026", "--dur", "7"],
            "--dur 7: use a time from 1us to 3600s",
        ),
    ];
    for (args, words) in cases {
        let done = output(args);
        assert_eq!(done.status.code(), Some(2));
        assert_eq!(text(&done.stderr), format!("schedlab: error: {words}\n"));
    }
}

/// The regression of 2009 with so few loops that 2.6.31 is far slower: whatever was reported as worse misses.
#[test]
fn the_regression_of_2009_is_judged_by_what_comes_out() {
    let all = json(&["2009", "--json", "--loops", "2"]);
    assert_eq!(all["loops"], 2);
    let tables = rows(&all["changes"]);
    let names: Vec<_> = tables.iter().map(|t| &t["name"]).collect();
    assert_eq!(
        names,
        [
            "tigerton",
            "stoakley",
            "nehalem",
            "tigerton-patched",
            "stoakley-patched"
        ]
    );
    let lengths: Vec<_> = tables.iter().map(|t| rows(&t["rows"]).len()).collect();
    assert_eq!(lengths, [7, 7, 3, 2, 2]);
    let rc1_of = |table: usize, row: usize| {
        let row = &rows(&tables[table]["rows"])[row];
        (&row["name"], &row["hash"], &row["simulated"])
    };
    assert_eq!(rc1_of(0, 1), rc1_of(3, 0), "the same run");
    assert_eq!(rc1_of(1, 1), rc1_of(4, 0), "the same run");
    for table in tables {
        let name = table["name"].as_str().expect("a name");
        let patched = name.ends_with("-patched");
        let base_name = if patched { "2.6.32-rc1" } else { "2.6.31" };
        let rows = rows(&table["rows"]);
        assert_eq!(rows[0]["verdict"], "base");
        assert_eq!(table["base"], base_name);
        let base = rows[0]["simulated"].as_f64().expect("a time");
        for row in rows {
            let link = row["link"].as_str().expect("a link");
            assert!(link.contains("hackbench(groups=100,loops=2)"), "{link}");
            let ratio = row["ratio"].as_f64().expect("a number");
            let took = row["simulated"].as_f64().expect("a time");
            assert!((took / base - ratio).abs() < 1e-9 && took > 0.0, "{row}");
            let verdict = row["verdict"].as_str();
            assert_eq!(
                verdict.is_none(),
                row["reported"].is_null() && row["name"] != base_name
            );
            match row["reported"].as_str() {
                Some(said) if said.ends_with("worse") => {
                    assert!(ratio < 1.0 && verdict == Some("miss"), "{row}");
                }
                Some("no loss" | "some gain") => assert_eq!(verdict, Some("agrees"), "{row}"),
                Some("unclear or small loss") => {
                    let near = (0.95..=1.05).contains(&ratio);
                    assert_eq!(verdict == Some("agrees"), near, "{row}");
                }
                // Eight or ten per cent less and five points more or less.
                Some(said @ ("about 8 % better" | "about 10 % better")) => {
                    let less = if said.contains('8') { 0.08 } else { 0.10 };
                    let near = (1.0 - ratio - less).abs() <= 0.05;
                    let judged = match ratio {
                        _ if near => "agrees",
                        ..1.0 => "direction only",
                        _ => "miss",
                    };
                    assert_eq!(verdict, Some(judged), "{row}");
                }
                other => assert_eq!(other, None),
            }
        }
    }
    let page = output(&["2009", "stoakley", "--markdown", "--loops", "2"]);
    let page = text(&page.stdout);
    assert!(page.contains("\n| 2.6.31 | - | "), "{page}");
    assert!(page.contains("Not the published size: 2 loops."), "{page}");
    assert!(page.contains("\nOf 3 comparisons "), "{page}");
}

/// What a tenth of the third of a second shows, and that a short run is called one.
#[test]
fn the_latencies_of_2026_are_measured_and_judged() {
    let all = json(&["2026", "--json", "--dur", "200ms"]);
    assert_eq!(all["duration_ns"], 200_000_000);
    let table = &all["latencies"][0];
    let columns = rows(&table["columns"]);
    assert_eq!(columns.len(), 3);
    for column in columns {
        let samples = column["simulated"]["samples"].as_f64().expect("a number");
        // One each 2777 us, less one or two for each wait of some ms.
        assert!((66.0..=73.0).contains(&samples), "{column}");
        let p50 = column["simulated"]["P50"].as_f64().expect("a number");
        let max = column["simulated"]["max"].as_f64().expect("a number");
        assert!(0.0 < p50 && p50 <= max, "{column}");
        let answers = rows(&column["answers"])
            .iter()
            .map(|a| a["n"].as_u64().expect("a number"));
        assert!(answers.sum::<u64>() as f64 >= samples - 1.0, "{column}");
    }
    let claims = rows(&table["claims"]);
    assert_eq!(claims.len(), 9);
    assert!(claims.iter().all(|claim| claim["holds"].is_boolean()));
    // The patch is what the third column is about.
    let max = |at: usize| columns[at]["simulated"]["max"].as_f64();
    assert!(max(2) < max(1), "{table}");
    let short = text(&output(&["2026", "--dur", "20ms"]).stdout);
    assert!(
        short.contains("Not the published size: 20ms of simulated time."),
        "{short}"
    );
}

#[test]
fn a_line_for_each_finished_row_is_written_where_nobody_sees_a_terminal() {
    let done = output(&["2011", "free-1", "--dur", "1ms", "--progress"]);
    let told = text(&done.stderr);
    assert_eq!(told.lines().count(), 5, "{told}");
    assert!(told.starts_with("1 of 5 done, after "), "{told}");
    assert!(told.contains(": free-1 virgin, in "), "{told}");
    // What is short says nothing unless it is asked.
    let quiet = output(&["2011", "free-1", "--dur", "1ms"]);
    assert_eq!(text(&quiet.stderr), "");
}
