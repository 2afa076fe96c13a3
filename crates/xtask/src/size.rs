//! What a first visit downloads, against the budget and against what it was last time.
//!
//! `size.txt` is a ratchet: the site may shrink unseen, but whoever makes it grow says so by
//! committing a new figure. Over the budget nothing is accepted, however little it grew.

use std::fs;
use std::path::PathBuf;

use crate::args::Args;
use crate::process::{command, output};
use crate::{Outcome, build, files, root};

/// Everything for the first run, brotli.
const BUDGET: u64 = 400_000;

/// Growth that a commit need not mention: compressors do not count evenly.
const SLACK: u64 = 2_000;

/// Brotli is in node, and in no tool that is everywhere.
const COMPRESS: &str = r#"
const { readFileSync } = require("node:fs");
const { gzipSync, brotliCompressSync } = require("node:zlib");
for (const file of process.argv.slice(1)) {
  const raw = readFileSync(file);
  console.log(raw.length, gzipSync(raw, { level: 9 }).length, brotliCompressSync(raw).length);
}
"#;

#[derive(Clone, Copy, Default)]
struct Weight {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// `cargo xtask size`.
pub(crate) fn chore(mut args: Args) -> Outcome {
    let bless = args.flag("--bless");
    args.end()?;
    if !build::dist().join("index.html").is_file() {
        build::site()?;
    }
    let total = report()?;
    if bless {
        fs::write(ratchet_file(), ratchet_text(total)).map_err(|error| error.to_string())?;
        println!("size.txt now says {total} bytes");
        return Ok(());
    }
    judge(total, ratchet()?)
}

/// Prints the table of the built site and holds its sum against the budget and the ratchet.
pub(crate) fn check() -> Outcome {
    judge(report()?, ratchet()?)
}

/// Prints the table; gives the sum of the last column.
fn report() -> Outcome<u64> {
    let dist = build::dist();
    let files = files::under(&dist)?;
    let sizes = output(command("node").arg("-e").arg(COMPRESS).args(&files))?;
    let mut sum = Weight::default();
    println!("{:>10} {:>10} {:>10}", "raw", "gzip", "brotli");
    for (file, line) in files.iter().zip(sizes.lines()) {
        let weight = weight(line).ok_or_else(|| format!("node printed {line:?}"))?;
        let name = file
            .strip_prefix(&dist)
            .unwrap_or(file)
            .display()
            .to_string();
        print_row(weight, &name);
        sum.raw += weight.raw;
        sum.gzip += weight.gzip;
        sum.brotli += weight.brotli;
    }
    print_row(sum, "everything");
    Ok(sum.brotli)
}

fn print_row(weight: Weight, name: &str) {
    println!(
        "{:>10} {:>10} {:>10}  {name}",
        weight.raw, weight.gzip, weight.brotli
    );
}

fn weight(line: &str) -> Option<Weight> {
    let mut numbers = line.split_whitespace().map(|word| word.parse().ok());
    Some(Weight {
        raw: numbers.next()??,
        gzip: numbers.next()??,
        brotli: numbers.next()??,
    })
}

fn judge(total: u64, last: u64) -> Outcome {
    println!("budget {BUDGET}, last time {last}, now {total} bytes of brotli");
    if total > BUDGET {
        return Err(format!(
            "the site is {} bytes over its budget: make it smaller (DESIGN.md, \"What keeps the page small?\")",
            total - BUDGET
        ));
    }
    if total > last + SLACK {
        return Err(format!(
            "the site grew by {} bytes: make it smaller, or run `cargo xtask size --bless`, commit \
             size.txt and say in the message what the bytes are for",
            total - last
        ));
    }
    Ok(())
}

fn ratchet_file() -> PathBuf {
    root().join("size.txt")
}

fn ratchet_text(total: u64) -> String {
    format!("{total} bytes of brotli: the whole site; written by `cargo xtask size --bless`\n")
}

fn ratchet() -> Outcome<u64> {
    let text = fs::read_to_string(ratchet_file()).map_err(|error| format!("size.txt: {error}"))?;
    let number = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok());
    number.ok_or_else(|| "size.txt does not begin with a number".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_and_the_ratchet_hold() {
        assert!(judge(BUDGET, BUDGET).is_ok());
        assert!(
            judge(BUDGET + 1, BUDGET + 1)
                .unwrap_err()
                .contains("1 bytes over")
        );
        assert!(judge(100_000 + SLACK, 100_000).is_ok());
        assert!(
            judge(100_001 + SLACK, 100_000)
                .unwrap_err()
                .contains("grew by 2001")
        );
    }

    #[test]
    fn reads_back_what_it_writes() {
        assert_eq!(ratchet_text(123).split(' ').next(), Some("123"));
        assert!(ratchet().is_ok());
    }
}
