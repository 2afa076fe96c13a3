//! What is said about texts that are wrong.

use super::*;

/// Everything that is wrong, each with the text it is about.
fn faults(text: &str) -> Vec<String> {
    let parsed = parse(text, &["machine", "kernel"]);
    assert!(parsed.script.is_empty() || parsed.faults.is_empty());
    let told = parsed.faults.iter();
    told.map(|f| {
        let before = text.get(..f.range.start).unwrap_or("");
        let start = before.matches('\n').count() + 1;
        format!("{start}: {f}")
    })
    .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn each_fault_says_what_was_found_what_was_expected_and_what_was_meant() {
    let cases = [
        (
            "task hog nise 5 run forever",
            "1: \"nise\" stands where a trait of the task or what it does is expected. Did you mean nice?",
        ),
        (
            "taks hog run forever",
            "1: \"taks\" stands where a declaration (task, team, pipe, lock, \u{2026}) or a setting \
             (machine, kernel, \u{2026}) is expected. Did you mean task?",
        ),
        ("task", "1: the text ends where a name is expected"),
        (
            "task a\n",
            "1: the line ends where a trait of the task or what it does, or a block in { } is expected",
        ),
        (
            "task a run 5",
            "1: \"5\" is not a time such as 8ms, 750us or 1.5s: the unit is missing",
        ),
        (
            "task a run exponetial 1ms",
            "1: \"exponetial\" stands where a time such as 8ms, a range such as 1ms..3ms, or exponential, \
             normal, lognormal is expected. Did you mean exponential?",
        ),
        (
            "task a { mark begin; mark whole since begn }",
            "1: \"begn\" is no mark that anybody passes, nor expiry or wake. Did you mean begin?",
        ),
        (
            "pipe p * 4; task a send p.here 1B",
            "1: \"p\" has none for each CPU: .here is for locks alone",
        ),
        (
            "queue q sempahore; task a wait q",
            "1: \"sempahore\" stands where poll, semaphore or the end is expected. Did you mean semaphore?",
        ),
        ("task a run 3ms..1ms", "1: \"3ms..1ms\" runs backwards"),
        (
            "task a run 1ms 2ms",
            "1: \"2ms\" stands where the end of the line, or ; is expected",
        ),
        ("task a { run 1ms", "1: \"{\" is never closed"),
        ("task a { run 1ms )", "1: \")\" closes a {"),
        ("task a exit }", "1: \"}\" closes nothing"),
        (
            "pipe data; task a send dta 1",
            "1: \"dta\" is no channel. Did you mean data?",
        ),
        (
            "lock l; task a send l 1",
            "1: \"l\" is a lock, not a channel",
        ),
        (
            "pipe p * 3; task a send p 1",
            "1: \"p\" is one of 3: say p.0 to p.2, .me, .next, .each or .others",
        ),
        (
            "pipe p; task a send p.me 1",
            "1: \"p\" is the only one of its name: say p",
        ),
        (
            "pipe p * 3; task a * 4 send p.me 1",
            "1: \"p\" has 3 for 4 tasks: each task needs one of its number",
        ),
        (
            "pipe p * 3; task a send p.3 1",
            "1: \"p\" has no number 3: the last is p.2",
        ),
        (
            "pipe p buffer 4KiB; task a send p 5000",
            "1: \"p\" holds 4096 bytes: 5000 never fit",
        ),
        (
            "team t { pipe p }; task a send p 1",
            "1: \"p\" belongs to each copy of the team t; nothing outside of it can name it",
        ),
        (
            "task a exit; pipe a",
            "1: \"a\" is declared already; choose another name",
        ),
        (
            "task a loop 1 loop 1 loop 1 loop 1 loop 1 yield",
            "1: \"loop\" is one loop too many inside each other: at most 4",
        ),
        (
            "task a cpus 3-1 exit",
            "1: \"3-1\" is no list of CPUs such as 0-3,8: '3-1' runs backwards",
        ),
        (
            "task a nice 20 exit",
            "1: \"20\" is not within -20 \u{2026} 19",
        ),
        (
            "child a start 1ms exit",
            "1: \"start\" is for tasks that are there from the start; a child starts when it is forked",
        ),
        ("task a fork a", "1: \"a\" is a task, not a child"),
        (
            "team t { team u { } }",
            "1: \"team\" may not stand in another team",
        ),
    ];
    for (text, said) in cases {
        assert_eq!(faults(text), [said], "{text}");
    }
}

#[test]
fn all_faults_are_found_and_none_hides_the_next() {
    let text = "pipe p\ntask a { send q 1; rnu 1ms\n sleep 5 }\nlok l\ntask b nice 99 run 1ms\n";
    let lines: Vec<String> = faults(text)
        .iter()
        .map(|f| f.split_inclusive(':').take(1).collect())
        .collect();
    assert_eq!(lines, ["2:", "2:", "3:", "4:", "5:"]);
}

#[test]
fn what_is_too_large_is_refused_before_it_is_built() {
    let cases = [
        (
            "task a * 65536 exit; task b exit",
            "too many tasks: at most 65536 in all",
        ),
        (
            "team t * 65536 { pipe p * 2 }",
            "too many things: at most 65536 in all",
        ),
        (
            "pipe p * 65536; task a * 65536 send p.each 1; task b * 2 send p.others 1",
            "too many tasks: at most 65536 in all",
        ),
        (
            "pipe p * 65536; task a * 40000 send p.others 1",
            "too many operations when everything is unrolled: at most 2097152",
        ),
        (
            "team t * 60000 { child c exit }; task a * 3 { fork t; fork t; fork t }",
            "",
        ),
    ];
    for (text, says) in cases {
        let said: Vec<String> = parse(text, &[])
            .faults
            .iter()
            .map(|f| f.says.clone())
            .collect();
        match says {
            "" => assert_eq!(said, [""; 0], "{text}"),
            says => assert_eq!(said, [says], "{text}"),
        }
    }
    let long = "task a exit # ".repeat(10_000);
    assert_eq!(parse(&long, &[]).faults.len(), 1);
    let deep = format!("task a {}", "{".repeat(60_000));
    assert!(!parse(&deep, &[]).faults.is_empty());
    let deep = format!("task a {}", "choose 1% ".repeat(6_000));
    assert!(!parse(&deep, &[]).faults.is_empty());
    let many = "x\n".repeat(30_000);
    assert_eq!(parse(&many, &[]).faults.len(), MAX_FAULTS);
}

/// One brace that is missing, or too many, is one fault, whatever stands behind it.
#[test]
fn a_missing_brace_is_one_fault() {
    let body =
        "  run 1ms\n  lock l\n  sleep 1ms\n  unlock l\n  loop 3 {\n    yield\n  }\n  mark m\n";
    let behind = "task b run 1ms\npipe p\ntask c {\n  send p 1B\n}\nkernel 6.1\n";
    for (head, said) in [
        (
            format!("lock l\ntask a\n{body}}}\n"),
            "2: the line ends where a trait of the task or what it does, or a block in { } is expected",
        ),
        (
            format!("lock l\ntask a forever\n{body}}}\n"),
            "2: the line ends where what to repeat, or a block in { } is expected",
        ),
        (
            format!("lock l\ntask a run 1ms\n{body}}}\n"),
            "3: \"run\" is what a task does, and stands in no task: perhaps a { is missing before it",
        ),
        (
            format!("lock l\ntask a {{\n forever\n{body}}}\n}}\n"),
            "3: the line ends where what to repeat, or a block in { } is expected",
        ),
        (
            format!("lock l\ntask a {{\n choose 50%\n{body}}} else {{\n{body}}}\n}}\n"),
            "3: the line ends where what to do in that share of cases, or a block in { } is expected",
        ),
        (
            format!("team t * 2\nlock l\ntask a {{\n{body}}}\n}}\n"),
            "1: the line ends where the team's declarations in { } is expected",
        ),
        (
            format!("team t * 2 {{\nlock l\ntask a forever\n{body}}}\ntask d lock l\n}}\n"),
            "3: the line ends where what to repeat, or a block in { } is expected",
        ),
        (
            format!("lock l\ntask a {{\n{body}"),
            "2: \"{\" is not closed before the next task",
        ),
        (
            format!("lock l\ntask a {{\n forever {{\n{body}"),
            "3: \"{\" is not closed before the next task",
        ),
        (
            format!("team t {{\nlock l\ntask a {{\n{body}\ntask d {{\n{body}}}\n}}\n"),
            "3: \"{\" is not closed before the next task",
        ),
        (
            format!("lock l\ntask a {{\n{body}}}\n}}\n"),
            "12: \"}\" closes nothing",
        ),
    ] {
        let text = format!("{head}{behind}");
        assert_eq!(faults(&text), [said], "{text}");
    }
    assert_eq!(
        faults("task a {\n  forever {\n    run 1ms\n"),
        ["2: \"{\" is never closed"]
    );
}

/// A declaration that is not understood, and a name that nobody declares, are one fault each.
#[test]
fn a_name_is_told_once() {
    let text = "lok l\npipe p * x\ntask a { lock l; unlock l; send p 1B; send q 1B; recv q 1B; send q 2B }\n";
    let starts = ["1: \"lok\"", "2: \"x\"", "3: \"q\" is no channel"];
    let faults = faults(text);
    assert_eq!(faults.len(), starts.len(), "{faults:?}");
    for (fault, start) in faults.iter().zip(starts) {
        assert!(fault.starts_with(start), "{fault}");
    }
}
