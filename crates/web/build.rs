//! Takes from `docs/switches.md` what the page leads to: of each commit, and of `preempt`, the smallest experiment that shows
//! it. Those of features, other tunables and domain flags would be a kilobyte and a half more to download.
//!
//! A line of what it writes is a change and an experiment; a line `#2.6.31` stands before those of that base release.
use std::path::Path;
use std::{env, fs};

fn main() {
    let document = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where"))
        .join("../../docs/switches.md");
    println!("cargo::rerun-if-changed={}", document.display());
    let text = fs::read_to_string(document).expect("the document is part of the repository");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo says where")).join("switches.txt");
    fs::write(out, rows(&text)).expect("cargo's own folder can be written");
}

fn rows(document: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for line in document.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let base = heading.split([',', ':']).next().unwrap_or(heading);
            out.push(format!("#{base}"));
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        if let [change, experiment, _] = cells[..]
            && let Some(change) = change.strip_prefix("| `")
            && (change.starts_with("d=") || change.starts_with("t=preempt:"))
        {
            let bare = |cell: &str| cell.trim_matches(['`', ' ']).to_string();
            out.push(format!("{} {}", bare(change), bare(experiment)));
        }
    }
    out.join("\n")
}
