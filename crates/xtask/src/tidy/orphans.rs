//! A Rust file that no `mod` line names is compiled by nobody.

use super::{File, Finding, code};

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    files
        .iter()
        .filter_map(|file| orphan(file, files))
        .collect()
}

fn orphan(file: &File, files: &[File]) -> Option<Finding> {
    let (home, inside) = file.path.split_once("/src/")?;
    let inside = inside.strip_suffix(".rs")?;
    if matches!(inside, "lib" | "main") || inside.starts_with("bin/") {
        return None;
    }
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    let (folder, name) = inside.rsplit_once('/').unwrap_or(("", inside));
    let parents = if folder.is_empty() {
        vec![format!("{home}/src/lib.rs"), format!("{home}/src/main.rs")]
    } else {
        vec![
            format!("{home}/src/{folder}/mod.rs"),
            format!("{home}/src/{folder}.rs"),
        ]
    };
    let named = files
        .iter()
        .filter(|file| parents.contains(&file.path))
        .any(|parent| {
            let quiet = code::quiet(&parent.text);
            let words: Vec<&str> = quiet.split_whitespace().collect();
            words
                .windows(2)
                .any(|pair| pair == ["mod", &format!("{name};")])
        });
    (!named).then(|| Finding::new(file, 1, format!("no `mod {name};` brings this file in")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_nobody_names_is_found() {
        let files = [
            File::new("crates/a/src/lib.rs", "pub mod b;\n// mod d;\n"),
            File::new("crates/a/src/b/mod.rs", "#[cfg(test)]\nmod c;\n"),
            File::new("crates/a/src/b/c.rs", ""),
            File::new("crates/a/src/d.rs", ""),
            File::new("crates/a/src/b/e/mod.rs", ""),
        ];
        let found: Vec<_> = check(&files)
            .into_iter()
            .map(|finding| finding.path)
            .collect();
        assert_eq!(found, ["crates/a/src/d.rs", "crates/a/src/b/e/mod.rs"]);
    }
}
