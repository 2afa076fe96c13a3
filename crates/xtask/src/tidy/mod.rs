//! The rules of the house that no compiler knows, each a pure function over the files of the repository.
//!
//! A rule names the file, the line and what to do. Each has a test that shows that it can fail.

mod arrows;
mod code;
mod dependencies;
mod links;
mod orphans;
mod paths;
mod shape;
mod words;

use std::path::Path;

use crate::{Outcome, files, root};

/// One file that people wrote.
struct File {
    /// From the top folder, with `/`.
    path: String,
    /// Empty for what is no text, such as a picture.
    text: String,
}

impl File {
    #[cfg(test)]
    fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_string(),
            text: text.to_string(),
        }
    }

    /// Whether the name ends in a dot and `extension`.
    fn is(&self, extension: &str) -> bool {
        self.path.rsplit('.').next() == Some(extension)
    }

    fn ends_with(&self, ends: &[&str]) -> bool {
        ends.iter().any(|end| self.path.ends_with(end))
    }
}

/// Something to put right.
#[derive(Debug, PartialEq)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(file: &File, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            line,
            what: what.into(),
        }
    }
}

type Rule = fn(&[File]) -> Vec<Finding>;

const RULES: [(&str, Rule); 7] = [
    ("arrows", arrows::check),
    ("dependencies", dependencies::check),
    ("lengths", shape::lengths),
    ("first lines", shape::first_lines),
    ("orphans", orphans::check),
    ("words", words::check),
    ("links", links::check),
];

/// `cargo xtask tidy`.
pub(crate) fn chore() -> Outcome {
    let files = load(&root())?;
    let mut count = 0;
    for (name, rule) in RULES {
        for finding in rule(&files) {
            println!(
                "{}:{}: {name}: {}",
                finding.path, finding.line, finding.what
            );
            count += 1;
        }
    }
    if count > 0 {
        return Err(format!("the house rules are broken in {count} places"));
    }
    println!("{} files keep the {} house rules", files.len(), RULES.len());
    Ok(())
}

fn load(root: &Path) -> Outcome<Vec<File>> {
    let read = |path: std::path::PathBuf| {
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let inside = path.strip_prefix(root).expect("found below the root");
        let path = inside.to_string_lossy().replace('\\', "/");
        Ok(File {
            path,
            text: String::from_utf8(bytes).unwrap_or_default(),
        })
    };
    files::ours(root)?.into_iter().map(read).collect()
}

/// The line, counted from 1, of a place in a text.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
