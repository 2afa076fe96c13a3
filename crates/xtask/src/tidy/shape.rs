//! How long a file may be, and how it has to begin. Functions are measured by clippy.

use super::{File, Finding, code};

const LONGEST: usize = 500;

/// Files that may be longer, each with the reason: tables of data, that no reader reads through.
const LONG: [(&str, &str); 0] = [];

/// An exception that has shrunk below this is none any more.
const SHORT: usize = 400;

/// No file has more than 500 lines, tests apart.
pub(super) fn lengths(files: &[File]) -> Vec<Finding> {
    lengths_but(files, &LONG)
}

fn lengths_but(files: &[File], long: &[(&str, &str)]) -> Vec<Finding> {
    let listed = |file: &&File| long.iter().any(|(path, _)| *path == file.path);
    let mut findings: Vec<_> = files
        .iter()
        .filter(|file| is_source(file) && !listed(file))
        .filter_map(|file| {
            let lines = product_lines(file);
            let what = format!("{lines} lines; {LONGEST} is the limit: split it along its seams");
            (lines > LONGEST).then(|| Finding::new(file, LONGEST, what))
        })
        .collect();
    for (path, _) in long {
        let file = files.iter().find(|file| file.path == *path);
        if file.is_none_or(|file| product_lines(file) <= SHORT) {
            let what = "is no longer a long file: strike it from tidy/shape.rs".to_string();
            findings.push(Finding {
                path: (*path).to_string(),
                line: 1,
                what,
            });
        }
    }
    findings
}

/// Every source begins with words that say what it is.
pub(super) fn first_lines(files: &[File]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| is_source(file))
        .filter_map(|file| {
            let (mark, first) = (
                comment(file),
                file.text.lines().find(|line| !line.starts_with("#!")),
            );
            let said = first
                .and_then(|line| line.strip_prefix(mark))
                .is_some_and(|words| words.trim().len() > 9);
            let what = format!("begin with `{mark}` and a sentence that says what this file is");
            (!said).then(|| Finding::new(file, 1, what))
        })
        .collect()
}

fn is_source(file: &File) -> bool {
    file.ends_with(&[".rs", ".js", ".mjs", ".css"])
}

fn comment(file: &File) -> &'static str {
    if file.is("rs") {
        "//!"
    } else if file.is("css") {
        "/*"
    } else {
        "//"
    }
}

fn product_lines(file: &File) -> usize {
    if code::is_test_file(&file.path) {
        0
    } else if file.is("rs") {
        code::product_lines(&file.text)
    } else {
        file.text.lines().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found_but_not_for_its_tests() {
        let long = "//! A file.\n".to_string() + &"fn f() {}\n".repeat(LONGEST);
        let tested = format!(
            "//! A file.\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "\n".repeat(LONGEST)
        );
        assert_eq!(
            lengths_but(&[File::new("crates/a/src/b.rs", &long)], &[]).len(),
            1
        );
        assert_eq!(
            lengths_but(&[File::new("crates/a/tests/b.rs", &long)], &[]).len(),
            0
        );
        assert_eq!(
            lengths_but(&[File::new("crates/a/src/b.rs", &tested)], &[]).len(),
            0
        );
    }

    #[test]
    fn an_exception_that_is_none_is_found() {
        let long = "\n".repeat(LONGEST + 1);
        let list = [("a.rs", "a table")];
        assert_eq!(lengths_but(&[File::new("a.rs", &long)], &list).len(), 0);
        assert_eq!(lengths_but(&[File::new("a.rs", "")], &list).len(), 1);
        assert_eq!(lengths_but(&[], &list).len(), 1);
    }

    #[test]
    fn a_file_without_first_line_is_found() {
        let count = |path, text| first_lines(&[File::new(path, text)]).len();
        assert_eq!(count("a.rs", "//! What this is.\n"), 0);
        assert_eq!(count("a.rs", "use std::fmt;\n"), 1);
        assert_eq!(count("a.rs", "//!\n"), 1);
        assert_eq!(count("a.mjs", "#!/usr/bin/env node\n// What this is.\n"), 0);
        assert_eq!(count("a.css", "main {}\n"), 1);
        assert_eq!(count("a.md", "words"), 0);
    }
}
