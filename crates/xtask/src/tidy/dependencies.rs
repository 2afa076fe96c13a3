//! Which crate may depend on which, and that each crate from outside is accounted for in DESIGN.md.

use super::{File, Finding};

/// Our crates, and those of ours that each may use.
const OURS: [(&str, &[&str]); 6] = [
    ("engine", &[]),
    ("formats", &["schedlab-engine"]),
    ("cli", &["schedlab-engine", "schedlab-formats"]),
    ("markup", &[]),
    (
        "web",
        &["schedlab-engine", "schedlab-formats", "schedlab-markup"],
    ),
    ("xtask", &[]),
];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let design = files
        .iter()
        .find(|file| file.path == "DESIGN.md")
        .map_or("", |file| &file.text);
    files
        .iter()
        .filter_map(|file| {
            Some((
                file,
                file.path
                    .strip_prefix("crates/")?
                    .strip_suffix("/Cargo.toml")?,
            ))
        })
        .flat_map(|(file, name)| manifest(file, name, design))
        .collect()
}

fn manifest(file: &File, name: &str, design: &str) -> Vec<Finding> {
    let Some((_, allowed)) = OURS.iter().find(|(ours, _)| *ours == name) else {
        let what = "a new crate: draw its arrows in ARCHITECTURE.md and in tidy/dependencies.rs";
        return vec![Finding::new(file, 1, what)];
    };
    let mut findings = Vec::new();
    for (line, used) in dependencies(&file.text) {
        let ours = used.starts_with("schedlab-");
        let fault = if ours && !allowed.contains(&used) {
            format!("{name} may not depend on {used}")
        } else if !ours && name == "xtask" {
            "xtask uses nothing but std".to_string()
        } else if !ours && !design.contains(&format!("`{used}`")) {
            format!("DESIGN.md does not say what `{used}` is for")
        } else {
            continue;
        };
        findings.push(Finding::new(file, line, fault));
    }
    findings
}

/// The dependencies of a manifest, those for tests included, with their lines.
fn dependencies(toml: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in toml.lines().enumerate() {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            inside = table.ends_with("dependencies");
            // `[dependencies.web-sys]`
            if let Some((_, name)) = table.split_once("dependencies.") {
                found.push((index + 1, name));
            }
        } else if inside
            && !line.starts_with('#')
            && let Some((name, _)) = line.split_once(['=', '.'])
        {
            found.push((index + 1, name.trim()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, toml: &str) -> Vec<String> {
        let design = File::new("DESIGN.md", "`yew` draws, `web-sys` binds.");
        let found = check(&[design, File::new(path, toml)]);
        found.into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn arrows_between_crates() {
        let toml =
            "[dependencies]\nschedlab-engine = { workspace = true }\n[lints]\nworkspace = true\n";
        assert!(findings("crates/cli/Cargo.toml", toml).is_empty());
        assert_eq!(findings("crates/engine/Cargo.toml", toml).len(), 1);
        assert_eq!(findings("crates/attic/Cargo.toml", "").len(), 1);
    }

    #[test]
    fn crates_from_outside_need_a_word() {
        let toml = "[dependencies]\nyew = \"1\"\nserde.workspace = true\n[dependencies.web-sys]\nversion = \"1\"\n";
        assert_eq!(
            findings("crates/web/Cargo.toml", toml),
            ["DESIGN.md does not say what `serde` is for"]
        );
        assert_eq!(findings("crates/xtask/Cargo.toml", toml).len(), 3);
    }
}
