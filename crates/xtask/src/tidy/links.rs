//! Links between the texts of the repository: each leads to a file, and to a heading if it names one.

use super::{File, Finding, line_of};

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is("md")) {
        for (at, target) in links(&without_code(&file.text)) {
            if let Some(what) = fault(file, &target, files) {
                findings.push(Finding::new(file, line_of(&file.text, at), what));
            }
        }
    }
    findings
}

/// What is wrong with a link, if it is one within the repository.
fn fault(file: &File, target: &str, files: &[File]) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() {
        file.path.clone()
    } else {
        resolved(&file.path, path)?
    };
    let is_folder = |other: &File| {
        other
            .path
            .strip_prefix(&path)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let found = files.iter().find(|other| other.path == path);
    match found {
        None if path.is_empty() || files.iter().any(is_folder) => None,
        None => Some(format!("{target:?} leads nowhere")),
        Some(found) if !heading.is_empty() && found.is("md") => {
            let known = headings(&found.text).iter().any(|known| known == heading);
            (!known).then(|| format!("{path} has no heading #{heading}"))
        }
        Some(_) => None,
    }
}

/// `docs/a.md` and `../b.md` give `b.md`; nothing for a way out of the repository.
fn resolved(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The targets of `[text](target)`, `![text](target)`, `[name]: target` and `src="target"`.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (sign, end) in [
        ("](", ')'),
        ("]: ", '\n'),
        ("src=\"", '"'),
        ("href=\"", '"'),
    ] {
        for (at, _) in text.match_indices(sign) {
            let rest = text.get(at + sign.len()..).unwrap_or("");
            let target = rest.split([end, ' ', '\n']).next().unwrap_or("");
            if !target.is_empty() {
                found.push((at, target.trim_matches(['<', '>']).to_string()));
            }
        }
    }
    found
}

/// The text with code blanked, in which brackets are no links.
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let mut inline = false;
        for c in line.chars() {
            inline ^= c == '`';
            let hidden = (fenced || fence || inline) && c != '\n';
            if hidden {
                out.extend(std::iter::repeat_n(' ', c.len_utf8()));
            } else {
                out.push(c);
            }
        }
    }
    out
}

/// The names that headings get on the usual hosts.
fn headings(text: &str) -> Vec<String> {
    let plain = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(plain)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<String> {
        let files = [
            File::new("docs/a.md", text),
            File::new("docs/b.md", "# One `two` three?\n"),
            File::new("README.md", ""),
            File::new("docs/p.png", ""),
        ];
        check(&files)
            .into_iter()
            .map(|finding| finding.what)
            .collect()
    }

    #[test]
    fn good_links_pass() {
        let good = "[b](b.md) ![p](./p.png) [r](../README.md) [d](../docs) [h](b.md#one-two-three)\n\
                    # Here\n[s](#here) [w](https://example.org/x) `[c](none)`\n```\n[c](none)\n```\n\
                    [n]: b.md\n<img src=\"p.png\">\n";
        assert!(findings(good).is_empty(), "{:?}", findings(good));
    }

    #[test]
    fn dead_links_are_found() {
        for dead in [
            "[b](c.md)",
            "[b](b.md#four)",
            "[x]: none.md\n",
            "<img src=\"q.png\">",
            "[b](#none)",
        ] {
            assert_eq!(findings(dead).len(), 1, "{dead}");
        }
    }
}
