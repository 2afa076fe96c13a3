//! Scenario files, from outside: the examples run, what is documented holds, every bad file is told so, and every
//! configuration comes back from a file as it does from a link.

mod lab;

use lab::{read, run, share};
use schedlab_engine::config::{Config, Scenario, random};
use schedlab_engine::fragment::{self, FileRead, is_scenario, parse_file, print_file};
use schedlab_engine::observe::metrics::Report;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use schedlab_engine::workload::lang::{DECLARATIONS, STATEMENTS, TRAITS, Word};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file of `scenarios/`, with its name.
fn files() -> Vec<(String, String)> {
    let folder = root().join("scenarios");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of scenarios")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read_to_string(path).expect("a text"))
        })
        .collect();
    files.sort();
    files
}

/// It comes back from a file, from a link, and with the catalog written out.
fn comes_back(config: &Config) {
    let text = print_file(config);
    let again = parse_file(&text);
    assert_eq!(again.errors, [], "{text}");
    assert_eq!(again.config, *config, "{text}");
    assert_eq!(print_file(&again.config), text);
    let link = fragment::print(config);
    let (again, warnings) = fragment::parse(&link);
    assert_eq!(again, *config, "{link}");
    assert!(
        warnings.iter().all(fragment::Warning::is_advice),
        "{link}: {warnings:?}"
    );
}

#[test]
fn the_examples_are_read_and_come_back_from_files_and_links() {
    let files = files();
    assert!(files.len() >= 7);
    for (name, text) in files {
        assert!(is_scenario(&text), "{name}");
        let config = read(&name, &text);
        comes_back(&config);
        comes_back(&config.written_out());
    }
}

fn example(name: &str) -> (Report, Sim) {
    let (_, text) = files()
        .into_iter()
        .find(|(n, _)| n == name)
        .expect("an example");
    run(&read(name, &text))
}

#[test]
fn the_examples_show_what_they_say() {
    let (report, sim) = example("nice-hogs");
    // Weights 3121, 1024, 335 and 110.
    let expected = [("m5", 3121), ("zero", 1024), ("p5", 335), ("p10", 110)];
    let sum: u64 = expected.iter().map(|(_, w)| w).sum();
    for (role, weight) in expected {
        let (is, should) = (share(&report, &sim, role), weight * 1000 / sum);
        assert!(
            is.abs_diff(should) <= 10,
            "{role}: {is} instead of {should}"
        );
    }

    let (report, sim) = example("two-groups");
    let lone = share(&report, &sim, "lone");
    assert!(lone.abs_diff(500) <= 15, "{lone}");
    assert_eq!(report.global.messages, 4000);

    let (report, sim) = example("quota");
    let held = share(&report, &sim, "held");
    assert!(held.abs_diff(100) <= 5, "{held}");

    let (report, sim) = example("sessions");
    let build = share(&report, &sim, "build");
    assert!(build.abs_diff(500) <= 15, "{build}");

    let (report, sim) = example("cpusets");
    let batch = share(&report, &sim, "batch");
    // 2 + 1 of 4 + 3 seconds.
    assert!(batch.abs_diff(429) <= 5, "{batch}");

    let (report, sim) = example("real-time");
    let fair = share(&report, &sim, "fair");
    assert!(fair.abs_diff(50) <= 2, "{fair}");
    let timer = share(&report, &sim, "ticker");
    assert!(timer.abs_diff(10) <= 1, "{timer}");

    let (report, sim) = example("hackbench");
    assert_eq!(report.global.messages, 2 * 4 * 4 * 50);
    assert_eq!(sim.world().templates.len(), 17);

    let (report, _) = example("cyclictest");
    let periods: u64 = report.marks.iter().map(|m| m.n).sum();
    assert!((2100..=2163).contains(&periods), "{periods} of 3 × 720");

    let (report, sim) = example("oltp");
    let transactions: u64 = report.marks.iter().map(|m| m.n).sum();
    assert!(transactions > 1000 && transactions.abs_diff(report.global.messages) <= 8);
    assert_eq!(sim.world().locks.len(), 5);

    let (report, sim) = example("ping-pong");
    assert!(
        share(&report, &sim, "ping") > 100,
        "buddies keep the pair running"
    );
    assert!(report.global.messages > 1000);
}

/// A workload of the catalog and the same written out run alike, to the event.
#[test]
fn a_workload_that_is_written_out_runs_as_before() {
    use schedlab_engine::observe::Hash;
    let links = [
        "w=hackbench(groups=2,fan=3,loops=5,as=thread);hogs(count=2);tcp_rr(pairs=2);sleeper&dur=20ms",
        "m=q6600&k=2.6.31&g=A(weight=50);B&w=hogs(in=A);hogs(nice=5,in=B,start=1ms);hackbench(groups=1,fan=2,via=pipes,in=A)&dur=50ms",
    ];
    for link in links {
        let (config, warnings) = fragment::parse(link);
        assert_eq!(warnings, []);
        let hash = |config: &Config| {
            let mut hash = Hash::default();
            let scenario = Scenario::try_from(config).expect("a sound configuration");
            Sim::new(&scenario).run_until(Instant::FAR, &mut hash);
            hash.get()
        };
        let written = config.written_out();
        assert!(written.workloads.is_empty() && !written.script.is_empty());
        assert_eq!(hash(&config), hash(&written), "{link}");
        comes_back(&written);
    }
}

#[test]
fn every_random_configuration_comes_back_from_a_file() {
    for config in random::list(11, 60) {
        comes_back(&config);
        comes_back(&config.written_out());
    }
}

/// The blocks of the document that are marked as being in the language.
fn blocks(document: &str) -> Vec<&str> {
    let parts = document.split("```lab\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}

/// The last column of the row that begins with that form: its example.
fn row<'d>(document: &'d str, word: &Word) -> &'d str {
    let form = word.form.replace('|', "\\|");
    let begins = format!("| `{form}` | {} | `", word.what);
    let row = document.lines().find_map(|line| line.strip_prefix(&begins));
    let row = row.unwrap_or_else(|| panic!("no row begins with {begins}"));
    row.strip_suffix("` |").expect("the end of a row")
}

#[test]
fn the_document_names_every_word_and_its_examples_work() {
    let path = root().join("docs/workload-language.md");
    let document = std::fs::read_to_string(path).expect("the document");
    for block in blocks(&document) {
        let config = read("an example of the document", block);
        comes_back(&config);
        let mut short = config.clone();
        short.duration = Some(schedlab_engine::time::Nanos::from_millis(20));
        let (report, _) = run(&short);
        assert!(report.global.context_switches > 0, "{block}");
    }
    for word in DECLARATIONS {
        let example = row(&document, word);
        assert!(example.starts_with(word.word), "{example}");
        read("a declaration", &format!("{example}\ntask some exit"));
    }
    for word in TRAITS {
        let example = row(&document, word);
        assert!(example.starts_with(word.word), "{example}");
        // Kernels that let a task have a slice are still to come.
        let text = format!("group A\ntask x {example} exit");
        assert_eq!(parse_file(&text).errors, [], "{example}");
    }
    for word in STATEMENTS {
        let example = row(&document, word);
        assert!(example.starts_with(word.word), "{example}");
        let things = "pipe data * 2; lock log; queue go; barrier phase of 2; child kid exit";
        read(
            "a statement",
            &format!("group A\n{things}\ntask x * 2 {{ {example} }}"),
        );
    }
    let link = document
        .lines()
        .find(|line| line.starts_with("v=1&"))
        .expect("a link");
    let (config, warnings) = fragment::parse(link);
    assert_eq!((warnings, config.problems()), (vec![], vec![]));
    assert_eq!(fragment::print(&config), link);
}

#[test]
fn each_bad_file_says_where_and_what() {
    let list = include_str!("data/bad-scenarios.txt");
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in list
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        count += 1;
        let mut columns = line.splitn(3, '\t');
        let (place, says, text) = (columns.next(), columns.next(), columns.next());
        let (place, says) = (place.expect("a place"), says.expect("words"));
        let text = text
            .expect("a text")
            .replace("\\n", "\n")
            .replace("\\t", "\t");
        let FileRead { config, errors, .. } = parse_file(&text);
        let mut told: Vec<String> = errors
            .iter()
            .map(|e| {
                let (line, column) = e.line_column(&text);
                format!("{line}:{column} {e}")
            })
            .collect();
        told.extend(config.problems().iter().map(|p| format!("- {p}")));
        let expected = |t: &&String| t.starts_with(&format!("{place} ")) && t.contains(says);
        if !told.iter().any(|t| expected(&t)) {
            wrong.push(format!(
                "{text:?} should say {place} {says:?}, says {told:#?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 100, "{count} files");
}

#[test]
fn files_cut_short_or_put_together_anyhow_break_nothing() {
    let files = files();
    for (name, text) in &files {
        for at in (0..text.len())
            .step_by(7)
            .filter(|at| text.is_char_boundary(*at))
        {
            let cut = text.get(..at).unwrap_or("");
            let FileRead { config, errors, .. } = parse_file(cut);
            for error in errors {
                assert!(
                    cut.get(error.range.clone()).is_some(),
                    "{name} to {at}: {error:?}"
                );
            }
            comes_back(&config);
            let (_, other) = &files[at % files.len()];
            let _ = parse_file(&format!("{cut}{other}"));
        }
    }
}
