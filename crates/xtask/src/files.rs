//! The files below a folder, in a fixed order.

use std::path::{Path, PathBuf};

use crate::Outcome;

/// Folders that hold nothing that we wrote.
const FOREIGN: [&str; 4] = [".git", "target", "dist", "node_modules"];

/// Every file below `folder`, however deep.
pub(crate) fn under(folder: &Path) -> Outcome<Vec<PathBuf>> {
    walk(folder, &[])
}

/// Every file of the repository that people wrote.
pub(crate) fn ours(root: &Path) -> Outcome<Vec<PathBuf>> {
    walk(root, &FOREIGN)
}

fn walk(folder: &Path, skip: &[&str]) -> Outcome<Vec<PathBuf>> {
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let kind = entry.file_type().map_err(fault)?;
            if skip.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
