//! The project's chores: `cargo xtask serve` and `cargo xtask test` are all that a newcomer needs.
//!
//! Nothing but std is used here, so that the first command of a fresh clone starts in seconds.
//! What the page or the engine do is not known here.
#![expect(
    clippy::print_stdout,
    reason = "a program of the command line talks on stdout"
)]

mod args;
mod bench;
mod browser;
mod build;
mod files;
mod gallery;
mod lighter;
mod npm;
mod process;
mod serve;
mod short_names;
mod size;
mod test;
mod tidy;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::args::Args;

/// What every chore answers: nothing, or what went wrong in words for a person.
type Outcome<T = ()> = Result<T, String>;

const HELP: &str = "\
cargo xtask COMMAND

  serve   [--port N] [--base /a/b/] [--no-build] [--watch]
                       installs what is missing, builds the release site, serves it on 127.0.0.1
                       (--watch: Trunk's own server, debug build, rebuilt at every change)
  build                the same without serving: the site is in dist/
  test    [--only STEP,STEP] [--skip STEP,STEP] [--list] [-- FILTER...]
                       every check there is; installs the browser it needs where it may
  gallery [--port N] [--measure] [--slices N]
                       every picture on invented runs, served; or how long a frame of the timeline takes
  tools   [--browser]  only installs what is missing
  tidy                 the house rules: arrows, lengths, first lines, words, links
  size    [--bless]    what the built site weighs; --bless writes size.txt
  bench   [--check] [--bless] [--native] [--picks] [--rounds N]
                       speed here and in the browser, instructions against bench.txt;
                       --check: only hashes and instructions; --bless writes bench.txt;
                       --picks: what a pick costs among 10 to 10000 tasks
  budgets [--no-build] [--rounds N]
                       the page's budgets, measured on the built site in the browser
  fmt                  formats the Rust code
  lint                 clippy, for this machine and for wasm

Tools go to ${XDG_CACHE_HOME:-~/.cache}/schedlab/tools; nothing else on the machine changes,
but for the wasm targets of rustup and, for the tests, the packages of a browser and its driver.
";

fn main() -> ExitCode {
    match chore() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn chore() -> Outcome {
    let mut args = Args::new(std::env::args().skip(1));
    let command = args.word().unwrap_or_default();
    match command.as_str() {
        "serve" => serve::chore(args),
        "build" => args.end().and_then(|()| build::site()),
        "test" => test::chore(args),
        "gallery" => gallery::chore(args),
        "tools" => tools::chore(args),
        "tidy" => args.end().and_then(|()| tidy::chore()),
        "size" => size::chore(args),
        "bench" => bench::chore(args),
        "budgets" => bench::budgets(args),
        "fmt" => args.end().and_then(|()| test::format(false)),
        "lint" => args.end().and_then(|()| test::lint()),
        "" | "help" | "-h" | "--help" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("no command {other:?}\n\n{HELP}")),
    }
}

/// The top folder of the repository.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .map(PathBuf::from)
        .expect("xtask lives in crates/xtask")
}
