//! Arguments as they are understood, and what is said of those that are not.

use super::*;

fn args(line: &str) -> Result<Command, String> {
    parse(line.split_whitespace().map(OsString::from))
}

#[test]
fn commands_are_read() {
    assert_eq!(args(""), Ok(Command::Help(None)));
    assert_eq!(args("-V"), Ok(Command::Version));
    assert_eq!(args("run -h"), Ok(Command::Help(Some("run".into()))));
    let Ok(Command::Run(run)) = args("run k=2.6.31 --json --trace t.jsonl --tasks all") else {
        panic!("a run");
    };
    assert_eq!(run.source, Source::of("k=2.6.31".into()));
    assert!(run.output.json);
    assert_eq!(run.output.tasks, Some(usize::MAX));
    assert_eq!(run.trace, Some(("t.jsonl".into(), Format::JsonLines)));
    assert_eq!(
        args("hash --count 3 --seed=7"),
        Ok(Command::Hash { count: 3, seed: 7 })
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn what_is_wrong_is_named_with_what_was_meant() {
    let cases = [
        ("rnu", "no command rnu; did you mean run?"),
        ("--hepl", "no option --hepl; did you mean --help?"),
        ("run --jsno", "run: no option --jsno; did you mean --json?"),
        (
            "run a=1 b=2",
            "run: one argument too many: b=2; quote the fragment: & and ; mean something to the shell",
        ),
        (
            "run --trace",
            "missing argument for option '--trace'; see schedlab --help",
        ),
        (
            "run --trace-format perf",
            "run: --trace-format needs --trace FILE",
        ),
        (
            "run --trace t --trace-format xml",
            "--trace-format xml: use perf or jsonl or csv",
        ),
        (
            "compare",
            "compare: name two experiments, for example v=1 '&k=2.6.31'",
        ),
        (
            "list machine",
            "list: nothing is called machine; did you mean machines?",
        ),
        (
            "explain v=1",
            "explain: --at TIME is needed, for example --at 12.5ms",
        ),
        (
            "explain --at 1ms --cpu x",
            "--cpu x: use the number of a CPU, from 0 on",
        ),
        (
            "hash --count -1",
            "--count -1: use a whole number, 1 to 4294967295",
        ),
        (
            "bench --rounds 0",
            "--rounds 0: use a whole number, 1 to 1000",
        ),
        (
            "list machines kernels",
            "list: no kernel is called kernels; see schedlab list kernels",
        ),
        (
            "list features 6.6.1",
            "list: no kernel is called 6.6.1; the nearest is 6.6; see schedlab list kernels",
        ),
        (
            "list features 6.6 6.12",
            "list: one argument too many: 6.12; see schedlab list --help",
        ),
        ("run --tasks=", "--tasks \"\": use a whole number, or all"),
        (
            "run --json --trace -",
            "run: --json and --trace - both want standard output; give --trace a file",
        ),
        (
            "compare a=1 b=2 --tasks 3",
            "compare: no option --tasks; see schedlab compare --help",
        ),
        (
            "compare - -",
            "compare: standard input can be read only once; give A or B as a file",
        ),
    ];
    for (line, words) in cases {
        assert_eq!(args(line), Err(words.into()), "{line}");
    }
}
