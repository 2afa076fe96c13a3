//! Finds recordings below folders, and reads their files.

use crate::failure::{Failure, named};
use schedlab_formats::recording::{END, PARAMS, REPEATS, Recording, Repeats, SUMMARY, TRACE};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How many folders deep recordings are looked for: kernel, topology and scenario below one that holds all, and
/// some to spare. Links that lead in circles end here.
const DEPTH: usize = 8;

/// A folder with a recording in it.
pub(super) struct Found {
    /// The folder.
    pub(super) path: PathBuf,
}

/// Every recording in or below those folders, each folder's by name.
pub(super) fn recordings(dirs: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    for dir in dirs {
        let before = found.len();
        walk(dir, DEPTH, &mut found)?;
        if found.len() == before {
            let dir = named(&dir.display().to_string());
            let words =
                format!("{dir}: no recording in or below it; one is a folder with {PARAMS} in it");
            return Err(Failure::input(words));
        }
    }
    Ok(found)
}

fn walk(dir: &Path, depth: usize, found: &mut Vec<Found>) -> Result<(), Failure> {
    if dir.join(PARAMS).is_file() {
        found.push(Found {
            path: dir.to_path_buf(),
        });
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let unreadable = |error: io::Error| {
        Failure::input(format!(
            "{}: cannot list it: {error}; name a folder with recordings",
            named(&dir.display().to_string())
        ))
    };
    let mut below = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            below.push(path);
        }
    }
    below.sort();
    below
        .iter()
        .try_for_each(|path| walk(path, depth - 1, found))
}

impl Found {
    /// Reads the recording, or says what is wrong with it.
    pub(super) fn read(&self) -> Result<Recording, String> {
        let params = self.file(PARAMS)?;
        let summary = self.file(SUMMARY)?;
        let maybe = |name: &str| {
            let there = self.path.join(name).exists();
            there.then(|| self.file(name)).transpose()
        };
        let (trace, end) = (maybe(TRACE)?, maybe(END)?);
        Recording::read(&params, &summary, trace.as_deref(), end.as_deref())
            .map_err(|error| format!("{}: {error}", self.path.display()))
    }

    /// How far recordings of this kernel and topology differ from run to run, where that was measured.
    pub(super) fn repeats(&self) -> Option<Repeats> {
        let above = self.path.parent()?;
        let bytes = fs::read(above.parent()?.join(REPEATS)).ok()?;
        (above.file_name()? == "up").then(|| Repeats::read(&bytes).ok())?
    }

    fn file(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.path.join(name);
        fs::read(&path).map_err(|error| format!("{}: cannot read: {error}", path.display()))
    }
}
