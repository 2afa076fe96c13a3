//! The packages from npm in `tools/`: wasm-opt for the site, Playwright and axe for the tests.

use std::fs;
use std::path::PathBuf;

use crate::process::{command, output, run};
use crate::tools::{lock, store};
use crate::{Outcome, root};

const OLDEST_NODE: u32 = 20;

/// The folder with the packages' programs, after they were installed if they were not there.
pub(crate) fn find_or_install() -> Outcome<PathBuf> {
    let folder = root().join("tools");
    let modules = folder.join("node_modules");
    let stamp = modules.join(".installed-lock.json");
    let wanted = fs::read(folder.join("package-lock.json"))
        .map_err(|error| format!("tools/package-lock.json: {error}"))?;
    if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        let _lock = lock(&store()?)?;
        node()?;
        println!("installing the npm packages of tools/");
        let options = [
            "ci",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--loglevel=error",
        ];
        run(command("npm").args(options).current_dir(&folder))?;
        // Written last: an interrupted run is started over.
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    Ok(modules.join(".bin"))
}

/// Checks that node is there and young enough.
fn node() -> Outcome {
    let missing = format!("Node.js {OLDEST_NODE} or newer with npm has to be installed");
    let version = output(command("node").arg("--version")).map_err(|_| missing.clone())?;
    match major(&version) {
        Some(major) if major >= OLDEST_NODE => Ok(()),
        _ => Err(format!("{missing}; this one is {}", version.trim())),
    }
}

fn major(version: &str) -> Option<u32> {
    version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_major_version() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("nothing"), None);
    }
}
