//! The paths of a Rust source (`crate::time::Nanos`), with `use` groups and `super` resolved.

use super::line_of;

/// A path from a crate's root, and the line it stands on.
#[derive(Debug, PartialEq)]
pub(super) struct PathUse {
    pub(super) line: usize,
    pub(super) segments: Vec<String>,
}

/// Where a file stands in its crate: `src/sched/cfs.rs` is `["sched", "cfs"]`.
pub(super) fn module_of(path: &str) -> Option<Vec<String>> {
    let inside = path.split_once("/src/")?.1.strip_suffix(".rs")?;
    let mut module: Vec<String> = inside.split('/').map(String::from).collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    Some(module)
}

/// Every path in `code` that begins with one of `roots` or, for the root `crate`, with `super`.
/// The root is the first segment.
pub(super) fn paths(code: &str, module: &[String], roots: &[&str]) -> Vec<PathUse> {
    let mut found = Vec::new();
    let mut words = Words { code, at: 0 };
    while let Some((at, word)) = words.next_word() {
        let mut prefix = if word == "super" && roots.contains(&"crate") {
            let up = words.supers();
            let kept = module.len().saturating_sub(up);
            std::iter::once("crate")
                .chain(module.iter().take(kept).map(String::as_str))
                .collect()
        } else if roots.contains(&word) {
            vec![word]
        } else {
            continue;
        };
        if words.take("::") {
            let line = line_of(code, at);
            words.tree(&mut prefix, &mut |segments| {
                let segments = segments.iter().map(ToString::to_string).collect();
                found.push(PathUse { line, segments });
            });
        }
    }
    found
}

/// A reader over blanked code.
struct Words<'a> {
    code: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn rest(&self) -> &'a str {
        self.code.get(self.at..).unwrap_or("")
    }

    /// The next word wherever it is, and its place.
    fn next_word(&mut self) -> Option<(usize, &'a str)> {
        let skip = self.rest().find(is_word)?;
        self.at += skip;
        let at = self.at;
        self.word().map(|word| (at, word))
    }

    /// The word that stands right here.
    fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).filter(|word| !word.is_empty())
    }

    /// Passes over `sign` and the space before it, if it comes next.
    fn take(&mut self, sign: &str) -> bool {
        let trimmed = self.rest().trim_start();
        let found = trimmed.starts_with(sign);
        if found {
            self.at = self.code.len() - trimmed.len() + sign.len();
        }
        found
    }

    /// Counts `super::super`, of which the first word is already read.
    fn supers(&mut self) -> usize {
        let mut count = 1;
        while self.rest().trim_start().starts_with("::super") {
            self.take("::super");
            count += 1;
        }
        count
    }

    /// The rest of a path behind `::`: one segment after the other, or a group in braces.
    fn tree(&mut self, prefix: &mut Vec<&'a str>, found: &mut impl FnMut(&[&'a str])) {
        let depth = prefix.len();
        if self.take("{") {
            while !self.take("}") && !self.rest().trim_start().is_empty() {
                self.branch(prefix, found);
                prefix.truncate(depth);
            }
        } else {
            self.branch(prefix, found);
        }
        prefix.truncate(depth);
    }

    fn branch(&mut self, prefix: &mut Vec<&'a str>, found: &mut impl FnMut(&[&'a str])) {
        self.take("");
        match self.word() {
            Some("self") => {}
            Some(word) => prefix.push(word),
            // `*`, `<`, a comma or something that is no path at all.
            None => self.at += self.rest().chars().next().map_or(0, char::len_utf8),
        }
        if self.take("::") {
            self.tree(prefix, found);
        } else {
            found(prefix);
            if self.take("as ") {
                self.take("");
                self.word();
            }
        }
        self.take(",");
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str, module: &[&str]) -> Vec<String> {
        let module: Vec<String> = module.iter().map(ToString::to_string).collect();
        let paths = paths(code, &module, &["crate", "yew"]);
        paths
            .into_iter()
            .map(|path| path.segments.join("::"))
            .collect()
    }

    #[test]
    fn resolves_groups_and_supers() {
        assert_eq!(
            found("use crate::{a::{B, c::D as E}, f::{self, *}};", &[]),
            ["crate::a::B", "crate::a::c::D", "crate::f", "crate::f"]
        );
        assert_eq!(
            found("super::x(); super::super::y::<T>()", &["m", "n"]),
            ["crate::m::x", "crate::y"]
        );
        assert_eq!(
            found("let v = yew::a(crate::b); use_crate::c; my_yew::d", &[]),
            ["yew::a", "crate::b"]
        );
    }

    #[test]
    fn knows_lines_and_ends() {
        assert_eq!(
            paths("\n\ncrate::a", &[], &["crate"])
                .first()
                .map(|path| path.line),
            Some(3)
        );
        for broken in [
            "crate::",
            "use crate::{",
            "crate::{a",
            "super",
            "crate::{,,}",
        ] {
            let _ = found(broken, &[]);
        }
    }

    #[test]
    fn knows_modules() {
        assert_eq!(
            module_of("crates/engine/src/sched/cfs.rs").unwrap(),
            ["sched", "cfs"]
        );
        assert_eq!(
            module_of("crates/engine/src/sched/mod.rs").unwrap(),
            ["sched"]
        );
        assert!(module_of("crates/engine/src/lib.rs").unwrap().is_empty());
        assert!(module_of("crates/engine/tests/t.rs").is_none());
    }
}
