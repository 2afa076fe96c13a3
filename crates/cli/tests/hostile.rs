//! What careless and hostile users do: files that are none, names that are commands to a terminal, options that
//! contradict each other, signals at the wrong moment. Each ends soon, with an exit code and a sentence.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A run that is over at once.
const SMALL: &str = "w=hogs&dur=1ms";

fn schedlab<S: AsRef<OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_schedlab"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Exit code, output, errors.
fn outcome(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("what it prints is UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn run<S: AsRef<OsStr>>(args: &[S]) -> (Option<i32>, String, String) {
    outcome(schedlab(args).output().expect("the program starts"))
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("schedlab-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path.to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Arguments, and words of what is said of them.
const WRONG: &[(&[&str], &str)] = &[
    (&[""], "no command \"\"; use run, "),
    (&["list", ""], "list: nothing is called \"\"; use machines"),
    (
        &["list", "machines", "kernels"],
        "see schedlab list kernels",
    ),
    (&["run", " "], "\" \": cannot read: "),
    (
        &["run", "&"],
        "fragment: there is nothing in it; say what to run",
    ),
    (
        &["run", ""],
        "fragment: there is nothing in it; say what to run",
    ),
    (&["run", "="], "nothing of this is an experiment"),
    (
        &["run", SMALL, "--tasks", "-1"],
        "--tasks -1: use a whole number, or all",
    ),
    (
        &["run", SMALL, "--json=yes"],
        "unexpected argument for option '--json'",
    ),
    (
        &["run", SMALL, "--json", "--trace", "-"],
        "both want standard output",
    ),
    (
        &["run", SMALL, "--trace-format", "perf"],
        "needs --trace FILE",
    ),
    (
        &["compare", "-", "-"],
        "standard input can be read only once",
    ),
    (
        &["explain", SMALL, "--at", ""],
        "--at \"\": use a time from 0 to 3600s",
    ),
    (
        &["explain", SMALL, "--at=-1ms"],
        "--at -1ms: use a time from 0 to 3600s",
    ),
    (
        &["explain", SMALL, "--at", "3601s"],
        "--at 3601s: use a time from 0 to 3600s",
    ),
    (
        &["explain", SMALL, "--at", "9999999999999999999999s"],
        "use a time from 0 to 3600s",
    ),
    (
        &["explain", SMALL, "--at", "2ms"],
        "nothing is decided from then on; the run ends at 1.00 ms",
    ),
    (
        &["explain", SMALL, "--at", "0", "--cpu", "-1"],
        "--cpu -1: use the number of a CPU, from 0 on",
    ),
    (
        &["explain", SMALL, "--at", "0", "--cpu", "99"],
        "the machine has 16 CPUs; use 0 to 15",
    ),
    (
        &["explain", SMALL, "--at", "0", "--cpu", "99999999999"],
        "the machine has 16 CPUs; use 0 to 15",
    ),
    (
        &["bench", "--rounds", "0"],
        "--rounds 0: use a whole number, 1 to 1000",
    ),
    (&["bench", ""], "bench: no scenario \"\"; use hackbench"),
    (
        &["hash", "--count", "0"],
        "--count 0: use a whole number, 1 to ",
    ),
    (
        &["hash", "--seed", "18446744073709551616"],
        "use a whole number, 0 to 18446744073709551615",
    ),
];

#[test]
fn wrong_arguments_end_with_2_and_the_remedy() {
    for (args, words) in WRONG {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(
            err.starts_with("schedlab: error: ") && err.contains(words),
            "{args:?}: {err}"
        );
    }
}

#[test]
fn no_name_commands_the_terminal() {
    let folder = Folder::new("names");
    let odd = folder.file("e\u{1b}[31m\u{202e}\nf", "zz=1");
    let missing = "\u{1b}[2J\nno/file".to_string();
    let link = "w=hogs&dur=1ms&k=\u{1b}]0;x\u{7}&m=\u{202e}&k=2.6\u{9b}2J".to_string();
    let bare = |word: &str| word.to_string();
    let cases: Vec<Vec<String>> = vec![
        vec![missing.clone()],
        vec![bare("run"), missing.clone()],
        vec![bare("run"), odd],
        vec![bare("run"), link],
        vec![bare("run"), bare(SMALL), bare("--trace"), missing.clone()],
        vec![bare("run"), format!("--{missing}")],
        vec![bare("list"), missing.clone()],
        vec![bare("bench"), missing.clone()],
        vec![bare("explain"), bare(SMALL), bare("--at"), missing],
    ];
    for args in cases {
        let (code, _, err) = run(&args);
        assert!(
            code != Some(101) && !err.is_empty(),
            "{args:?}: {code:?} {err}"
        );
        let odd = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!err.contains(odd), "{args:?}: {err:?}");
        let told = err.lines().all(|line| line.starts_with("schedlab: "));
        assert!(told, "a line break in a name starts no line: {err}");
    }
}

#[test]
fn files_that_are_no_experiments_are_told_apart_from_those_that_are() {
    let folder = Folder::new("files");
    let refused: &[(&str, &[u8])] = &[
        (
            "junk",
            &[0x7f, b'E', b'L', b'F', 0, 255, 254, b'\n', 1, 2, 3],
        ),
        ("utf16", b"w\0=\0h\0o\0g\0s\0"),
        ("words", b"Lorem ipsum dolor sit amet\n"),
    ];
    let blank = folder.file("blank between parts", b"w=hogs dur=1ms");
    let (code, out, err) = run(&["run", &blank]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("\"hogs dur=1ms\" is no workload"), "{err}");
    for (name, content) in refused {
        let (code, out, err) = run(&["run", &folder.file(name, content)]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{name}: {err}");
        assert!(
            err.contains("nothing of this is an experiment"),
            "{name}: {err}"
        );
    }
    let taken: &[(&str, &[u8], &str)] = &[
        ("plain", b"w=hogs\ndur=1ms\n", ""),
        (
            "windows",
            b"\xef\xbb\xbf# two parts\r\nw=hogs\r\ndur=1ms\r\n",
            "",
        ),
        ("marked", b"\xef\xbb\xbfw=hogs&dur=1ms", ""),
        ("zero", b"w=hogs\0&dur=1ms", "\"hogs\\0\" is no workload"),
        (
            "latin",
            b"w=hogs&dur=1ms&k=\xe9",
            "\"\u{fffd}\" is no kernel",
        ),
    ];
    for (name, content, words) in taken {
        let (code, out, err) = run(&["run", &folder.file(name, content)]);
        assert_eq!(code, Some(0), "{name}: {err}");
        assert!(out.contains("dur=1ms"), "{name}: {out}");
        assert!(
            err.contains(words) && err.is_empty() == words.is_empty(),
            "{name}: {err}"
        );
    }
}

#[test]
fn a_value_held_to_its_range_is_used_as_the_warning_says() {
    for (link, canonical) in [
        (
            "w=hackbench(groups=1,fan=1,loops=0)",
            "v=1&w=hackbench(groups=1,fan=1,loops=1)\n",
        ),
        ("w=hogs(count=-7)&dur=0", "v=1&w=hogs(count=1)&dur=1us\n"),
    ] {
        let (code, out, err) = run(&["run", link]);
        assert_eq!(code, Some(0), "{link}: {err}");
        assert!(err.contains("; used 1"), "{link}: {err}");
        assert!(out.starts_with(canonical), "{link}: {out}");
    }
}

#[test]
fn a_trace_never_destroys_what_it_should_not() {
    let folder = Folder::new("traces");
    let experiment = folder.file("experiment", SMALL);
    let same = folder
        .0
        .join(".")
        .join("experiment")
        .to_string_lossy()
        .into_owned();
    let (code, _, err) = run(&["run", &experiment, "--trace", &same]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("is the experiment itself"), "{err}");
    let read = |path: &str| std::fs::read_to_string(path).expect("it is still there");
    assert_eq!(read(&experiment), SMALL);
    let hard = folder.0.join("hard").to_string_lossy().into_owned();
    std::fs::hard_link(&experiment, &hard).expect("on the same disk");
    let (code, _, err) = run(&["run", &experiment, "--trace", &hard]);
    assert_eq!(code, Some(2), "{err}");
    assert_eq!(read(&experiment), SMALL);
    let old = folder.file("old.csv", "precious");
    let (code, _, err) = run(&["run", "w=none", "--trace", &old]);
    assert_eq!(code, Some(2), "{err}");
    assert_eq!(
        read(&old),
        "precious",
        "a run that cannot be overwrites nothing"
    );
    for target in ["", "/", "/nowhere/at/all"] {
        let (code, out, err) = run(&["run", SMALL, "--trace", target]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{target}: {err}");
        assert!(err.contains("cannot write: "), "{target}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_said_whatever_the_command() {
    for args in [
        &["run", SMALL][..],
        &["run", SMALL, "--json"],
        &["run", SMALL, "--trace", "-"],
        &["compare", SMALL, "&k=2.6.31"],
        &["explain", "w=hogs", "--at", "1ms"],
        &["list"],
        &["hash", "--count", "1"],
        &["help"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("a device");
        let done = schedlab(args)
            .stdout(full)
            .output()
            .expect("the program starts");
        let (code, _, err) = outcome(done);
        assert_eq!(code, Some(1), "{args:?}: {err}");
        assert!(
            err.contains("standard output: cannot write"),
            "{args:?}: {err}"
        );
        let full = std::fs::File::create("/dev/full").expect("a device");
        let status = schedlab(args).stdout(Stdio::null()).stderr(full).status();
        assert_eq!(
            status.expect("the program starts").code(),
            Some(0),
            "{args:?}"
        );
    }
}

/// One Ctrl-C after a while; how the program ends.
fn interrupted(mut child: Child) -> Output {
    std::thread::sleep(Duration::from_millis(600));
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status();
    assert!(kill.expect("kill is there").success());
    let started = Instant::now();
    while child.try_wait().expect("a child of ours").is_none() {
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().expect("a child of ours");
            panic!("one Ctrl-C is not enough");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("it has ended")
}

#[cfg(unix)]
#[test]
fn one_ctrl_c_is_enough_wherever_it_comes() {
    use std::os::unix::process::ExitStatusExt;
    let spawn = |args: &[&str], stdin: Stdio| {
        let mut command = schedlab(args);
        let command = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    let quiet = "w=hogs(count=1,cpu=0)&dur=3600s";
    let long = "w=hackbench(groups=100,loops=100000)";
    for args in [
        &["explain", quiet, "--at", "1ms", "--cpu", "15"][..],
        &["explain", long, "--at", "3000s"],
        &["compare", long, "&k=2.6.31"],
        &["run", long, "--trace", "/dev/null"],
        &["hash", "--count", "1000000"],
        &["reproduce", "2009"],
    ] {
        let done = interrupted(spawn(args, Stdio::null()));
        let code = done.status.code();
        assert_eq!(
            code,
            Some(130),
            "{args:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        let err = String::from_utf8_lossy(&done.stderr);
        if matches!(args[0], "explain" | "hash" | "reproduce") {
            assert!(
                err.contains("schedlab: stopped by Ctrl-C: "),
                "{args:?}: {err}"
            );
        }
        if args[0] == "compare" {
            let out = String::from_utf8_lossy(&done.stdout);
            assert!(out.contains("what follows is no comparison"), "{out}");
        }
    }
    // While it waits for its input it is ended as every program is.
    let mut child = spawn(&["run", "-"], Stdio::piped());
    let open = child.stdin.take();
    assert_eq!(interrupted(child).status.signal(), Some(2));
    drop(open);
}

#[test]
fn names_lead_where_the_help_says() {
    let (code, commits, _) = run(&["list", "commits"]);
    assert_eq!(code, Some(0));
    assert_eq!(commits, run(&["list", "deltas"]).1);
    for (list, reason) in [
        (
            "tunables",
            "[inert: these kernels do not divide a group's shares among its CPUs here]",
        ),
        (
            "flags",
            "2.6.32-rc1: gone since 2.6.32: nothing pulls passively.",
        ),
    ] {
        let text = run(&["list", list]).1;
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(reason), "{list}");
    }
}
