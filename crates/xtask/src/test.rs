//! Every check there is, as a list of steps: what passes here passes everywhere.
//!
//! A failed step does not stop the others, so that one run tells everything; only steps that build
//! on it are left out.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::process::{cargo, command, output, run, which};
use crate::serve::{self, Site};
use crate::{Outcome, bench, browser, build, npm, root, size, tidy, tools};

/// Where the site is put for the end-to-end tests: it has to work from any folder.
const BASE: &str = "/some/folder/";

struct Step {
    name: &'static str,
    about: &'static str,
    /// Steps that have to succeed before.
    needs: &'static [&'static str],
    run: fn(&[String]) -> Outcome,
}

const STEPS: [Step; 11] = [
    Step {
        name: "fmt",
        about: "the Rust code is formatted",
        needs: &[],
        run: |_| format(true),
    },
    Step {
        name: "tidy",
        about: "the house rules",
        needs: &[],
        run: |_| tidy::chore(),
    },
    Step {
        name: "lint",
        about: "clippy, for this machine and wasm",
        needs: &[],
        run: |_| lint(),
    },
    Step {
        name: "unit",
        about: "unit, integration and doc tests",
        needs: &[],
        run: unit,
    },
    Step {
        name: "no-std",
        about: "the engine without std",
        needs: &[],
        run: |_| no_std(),
    },
    Step {
        name: "hashes",
        about: "the same hashes with and without optimisation",
        needs: &[],
        run: |_| hashes(),
    },
    Step {
        name: "bench",
        about: "known results, and no more instructions than last time",
        needs: &[],
        run: |_| bench::check(),
    },
    Step {
        name: "wasm",
        about: "the tests of the page's crate in Chromium, native hashes among them",
        needs: &[],
        run: wasm,
    },
    Step {
        name: "site",
        about: "the release site",
        needs: &[],
        run: |_| build::site(),
    },
    Step {
        name: "size",
        about: "what the site weighs",
        needs: &["site"],
        run: |_| size::check(),
    },
    Step {
        name: "e2e",
        about: "the site in headless Chromium",
        needs: &["site"],
        run: e2e,
    },
];

/// `cargo xtask test`.
pub(crate) fn chore(mut args: Args) -> Outcome {
    let only = args.value::<String>("--only")?;
    let skip = args.value::<String>("--skip")?.unwrap_or_default();
    let list = args.flag("--list");
    args.end()?;
    if list {
        for step in &STEPS {
            println!("{:8} {}", step.name, step.about);
        }
        return Ok(());
    }
    let chosen = chosen(only.as_deref(), &skip)?;
    run_steps(&chosen, &args.rest)
}

/// The steps to run, in the table's order; what a wanted step needs comes along.
fn chosen(only: Option<&str>, skip: &str) -> Outcome<Vec<&'static Step>> {
    let names = |text: &str| -> Outcome<Vec<String>> {
        let names: Vec<_> = text
            .split(',')
            .filter(|name| !name.is_empty())
            .map(String::from)
            .collect();
        match names
            .iter()
            .find(|name| STEPS.iter().all(|step| step.name != **name))
        {
            Some(name) => Err(format!(
                "no step {name:?}; `cargo xtask test --list` names them"
            )),
            None => Ok(names),
        }
    };
    let skip = names(skip)?;
    let only = only.map(names).transpose()?;
    let wanted = |name: &str| {
        only.as_ref()
            .is_none_or(|only| only.iter().any(|n| n == name))
    };
    let needed = |name: &str| {
        STEPS
            .iter()
            .any(|step| wanted(step.name) && step.needs.contains(&name))
    };
    Ok(STEPS
        .iter()
        .filter(|step| wanted(step.name) || needed(step.name))
        .filter(|step| !skip.iter().any(|name| name == step.name))
        .collect())
}

fn run_steps(steps: &[&Step], rest: &[String]) -> Outcome {
    let start = Instant::now();
    let mut results: Vec<(&str, Duration, Outcome)> = Vec::new();
    for step in steps {
        println!(
            "\n── {} · {} · at {} ──",
            step.name,
            step.about,
            clock(start.elapsed())
        );
        let begun = Instant::now();
        let broken = results
            .iter()
            .find(|(name, _, result)| result.is_err() && step.needs.contains(name));
        let result = match broken {
            Some((name, ..)) => Err(format!("left out, because {name} failed")),
            None => (step.run)(rest),
        };
        if let Err(message) = &result {
            eprintln!("{} failed: {message}", step.name);
        }
        results.push((step.name, begun.elapsed(), result));
    }
    println!("\n── summary · {} ──", clock(start.elapsed()));
    for (name, time, result) in &results {
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        println!("{name:8} {:>7} {verdict}", clock(*time));
    }
    let failed = results
        .iter()
        .filter(|(_, _, result)| result.is_err())
        .count();
    println!("steps: {} passed, {failed} failed", results.len() - failed);
    if failed > 0 {
        Err(format!("{failed} of {} steps failed", results.len()))
    } else {
        Ok(())
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// rustfmt over everything; with `check` it only looks.
pub(crate) fn format(check: bool) -> Outcome {
    let mut command = cargo();
    command.args(["fmt", "--all"]);
    if check {
        command.arg("--check");
    }
    run(&mut command)
}

/// clippy; the page's crate is looked at as the browser will get it.
pub(crate) fn lint() -> Outcome {
    tools::targets(&["wasm32-unknown-unknown"])?;
    let strict = ["--", "-D", "warnings"];
    run(cargo()
        .args([
            "clippy",
            "--workspace",
            "--exclude=schedlab-web",
            "--all-targets",
        ])
        .args(strict))?;
    let wasm = [
        "clippy",
        "--package=schedlab-web",
        "--target=wasm32-unknown-unknown",
        "--all-targets",
    ];
    run(cargo().args(wasm).args(strict))
}

/// With nextest where it is there, because it is faster and shows more; cargo's own runner does too.
fn unit(filter: &[String]) -> Outcome {
    if which("cargo-nextest").is_none() {
        return run(cargo().args(["test", "--workspace"]).args(filter));
    }
    run(cargo()
        .args([
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--status-level=slow",
        ])
        .args(filter))?;
    run(cargo()
        .args(["test", "--workspace", "--exclude=schedlab-web", "--doc"])
        .args(filter))
}

/// The target has no std at all, so whatever asks for it does not compile.
fn no_std() -> Outcome {
    tools::targets(&["wasm32v1-none"])?;
    let engine = ["--package=schedlab-engine", "--no-default-features"];
    run(cargo()
        .arg("build")
        .args(engine)
        .arg("--target=wasm32v1-none"))
}

/// Debug assertions and optimisation may not change what happens.
fn hashes() -> Outcome {
    let (checked, optimised) = (native_hashes("test")?, native_hashes("release")?);
    match checked
        .lines()
        .zip(optimised.lines())
        .find(|(one, other)| one != other)
    {
        Some((one, other)) => Err(format!(
            "hashes differ:\n  checked   {one}\n  optimised {other}"
        )),
        None if checked.lines().count() != optimised.lines().count() => {
            Err("one of the two lists of hashes is shorter".to_string())
        }
        None if checked.lines().count().to_string() != EXPERIMENTS => {
            Err(format!("not {EXPERIMENTS} hashes:\n{checked}"))
        }
        None => {
            println!("{EXPERIMENTS} hashes are equal");
            Ok(())
        }
    }
}

/// How many random configurations are compared.
const EXPERIMENTS: &str = "50";

/// Lines `hash events fragment` of random configurations, from the command line's program.
fn native_hashes(profile: &str) -> Outcome<String> {
    let program = [
        "run",
        "--quiet",
        "--package=schedlab-cli",
        "--profile",
        profile,
        "--",
    ];
    output(cargo().args(program).args(["hash", "--count", EXPERIMENTS]))
}

/// The tests of the page's crate, in a browser; `crates/web/src/same_hash.rs` reads the native list.
fn wasm(filter: &[String]) -> Outcome {
    let browser = browser::find_or_install()?;
    tools::targets(&["wasm32-unknown-unknown"])?;
    let tools = tools::wasm_bindgen()?;
    let mut command = cargo();
    tools
        .equip(&mut command)
        .args([
            "test",
            "--package=schedlab-web",
            "--target=wasm32-unknown-unknown",
            // Everything but doc tests, which have no browser to run in.
            "--tests",
        ])
        .args(filter)
        .env("SCHEDLAB_NATIVE_HASHES", native_hashes("test")?)
        .env("CHROMEDRIVER", browser.driver)
        .env(
            "WASM_BINDGEN_TEST_WEBDRIVER_JSON",
            root().join("tools/webdriver.json"),
        )
        // On a busy machine a browser takes its time to start.
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "600");
    run(&mut command)
}

/// node's test runner over `tests/e2e`, with the built site served from a sub-path.
fn e2e(filter: &[String]) -> Outcome {
    let browser = browser::find_or_install()?;
    npm::find_or_install()?;
    let address = serve::in_background(Site::new(build::dist(), BASE)?)?;
    let mut command = command("node");
    command
        // One after the other: tests that measure time want the machine for themselves.
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(filter)
        .args(e2e_files()?)
        .env("SCHEDLAB_URL", address)
        .env("CHROME", browser.program);
    run(&mut command)
}

fn e2e_files() -> Outcome<Vec<PathBuf>> {
    let files = crate::files::under(&root().join("tests/e2e"))?;
    let is_test = |file: &PathBuf| file.to_string_lossy().ends_with(".test.mjs");
    let files: Vec<_> = files.into_iter().filter(is_test).collect();
    if files.is_empty() {
        Err("tests/e2e holds no test".to_string())
    } else {
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: Option<&str>, skip: &str) -> Vec<&'static str> {
        chosen(only, skip)
            .unwrap()
            .iter()
            .map(|step| step.name)
            .collect()
    }

    #[test]
    fn chooses_steps_with_what_they_need() {
        assert_eq!(names(None, "").len(), STEPS.len());
        assert_eq!(names(Some("e2e,fmt"), ""), ["fmt", "site", "e2e"]);
        assert_eq!(names(Some("e2e"), "site"), ["e2e"]);
        assert!(chosen(Some("e3e"), "").is_err());
        assert!(chosen(None, "nothing").is_err());
    }

    #[test]
    fn a_failure_is_told_and_stops_only_what_needs_it() {
        fn fails(_: &[String]) -> Outcome {
            Err("on purpose".to_string())
        }
        let bad = Step {
            name: "bad",
            about: "",
            needs: &[],
            run: fails,
        };
        let good = Step {
            name: "good",
            about: "",
            needs: &[],
            run: |_| Ok(()),
        };
        let after = Step {
            name: "after",
            about: "",
            needs: &["bad"],
            run: |_| Ok(()),
        };
        assert_eq!(run_steps(&[&good], &[]), Ok(()));
        let told = run_steps(&[&bad, &good, &after], &[]).unwrap_err();
        assert_eq!(told, "2 of 3 steps failed");
    }

    #[test]
    fn times_are_minutes_and_seconds() {
        assert_eq!(clock(Duration::from_secs(61)), "1:01");
    }
}
