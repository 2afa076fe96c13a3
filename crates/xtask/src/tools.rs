//! The pinned programs from crates.io and the wasm targets: found, or installed where they are missing.
//!
//! A program of exactly the pinned version on PATH is taken. Otherwise it is compiled into the user's
//! cache, in a temporary folder that is renamed when it is complete and under a lock, so that neither
//! an interrupted run nor two runs at once leave half a tool behind.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Args;
use crate::process::{cargo, command, output, quiet_output, run, which};
use crate::{Outcome, browser, npm, root};

/// A program that `cargo install` brings.
struct Tool {
    package: &'static str,
    program: &'static str,
    version: String,
    features: &'static [&'static str],
}

/// Folders that hold the tools, to be put before PATH.
pub(crate) struct Toolbox {
    folders: Vec<PathBuf>,
}

impl Toolbox {
    /// Lets a command find the tools.
    pub(crate) fn equip<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("PATH", self.path())
    }

    fn path(&self) -> OsString {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let all = self
            .folders
            .iter()
            .cloned()
            .chain(std::env::split_paths(&old));
        std::env::join_paths(all).expect("a folder on PATH has no separator in its name")
    }
}

/// `cargo xtask tools`.
pub(crate) fn chore(mut args: Args) -> Outcome {
    let with_browser = args.flag("--browser");
    args.end()?;
    site_tools()?;
    targets(&["wasm32v1-none"])?;
    if with_browser {
        browser::find_or_install()?;
    }
    println!("every tool is there");
    Ok(())
}

/// Everything that building the site needs.
pub(crate) fn site_tools() -> Outcome<Toolbox> {
    targets(&["wasm32-unknown-unknown"])?;
    std_source()?;
    let mut tools = wasm_bindgen()?;
    tools.folders.extend(find_or_install(&trunk()?)?);
    tools.folders.push(npm::find_or_install()?);
    Ok(tools)
}

/// Only what running wasm tests needs.
pub(crate) fn wasm_bindgen() -> Outcome<Toolbox> {
    let tool = Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen",
        version: locked_version("wasm-bindgen")?,
        features: &[],
    };
    Ok(Toolbox {
        folders: find_or_install(&tool)?.into_iter().collect(),
    })
}

fn trunk() -> Outcome<Tool> {
    let toml = read(&root().join("Trunk.toml"))?;
    let version = quoted_after(&toml, "trunk-version").ok_or("Trunk.toml pins no trunk-version")?;
    Ok(Tool {
        package: "trunk",
        program: "trunk",
        version: version.trim_start_matches('=').to_string(),
        // Without its look for a newer version.
        features: &["--no-default-features", "--features", "rustls"],
    })
}

/// Adds targets to the toolchain. Only ever adds: to let rustup change the toolchain itself while
/// it is in use breaks every build that runs meanwhile.
pub(crate) fn targets(names: &[&str]) -> Outcome {
    for name in names {
        let libdir =
            quiet_output(command("rustc").args(["--print=target-libdir", "--target", name]));
        if libdir.is_some_and(|dir| Path::new(dir.trim()).is_dir()) {
            continue;
        }
        println!("adding the target {name}");
        run(command("rustup").args(["target", "add", name]))
            .map_err(|error| format!("{error}\nthe Rust target {name} has to be installed"))?;
    }
    Ok(())
}

/// Adds the source of std, which the site compiles for itself, and fetches the crates that it is made of.
fn std_source() -> Outcome {
    let sysroot = output(command("rustc").args(["--print", "sysroot"]))?;
    let library = PathBuf::from(sysroot.trim()).join("lib/rustlib/src/rust/library");
    let workspace = library.join("Cargo.toml");
    if !workspace.is_file() {
        println!("adding the source of std");
        run(command("rustup").args(["component", "add", "rust-src"])).map_err(|error| {
            format!("{error}\nthe component rust-src of the Rust toolchain has to be installed")
        })?;
    }
    let fetch = ["fetch", "--locked", "--quiet", "--manifest-path"];
    run(cargo()
        .args(fetch)
        .arg(&workspace)
        .env("RUSTC_BOOTSTRAP", "1")
        // Away from the repository, whose settings are not meant for std.
        .current_dir(&library))
}

/// The folder to put on PATH, or none when PATH has the tool already.
fn find_or_install(tool: &Tool) -> Outcome<Option<PathBuf>> {
    if which(tool.program).is_some_and(|path| has_version(&path, &tool.version)) {
        return Ok(None);
    }
    let store = store()?;
    let home = store.join(format!("{}-{}", tool.package, tool.version));
    let folder = home.join("bin");
    if !has_version(&folder.join(tool.program), &tool.version) {
        let _lock = lock(&store)?;
        if !has_version(&folder.join(tool.program), &tool.version) {
            install(tool, &store, &home)?;
        }
    }
    Ok(Some(folder))
}

fn install(tool: &Tool, store: &Path, home: &Path) -> Outcome {
    println!(
        "installing {} {} (once; some minutes)",
        tool.package, tool.version
    );
    let temporary = store.join(format!(".new-{}-{}", tool.package, tool.version));
    let installed = temporary.join("root");
    remove(&installed)?;
    let mut command = cargo();
    // On PATH, or cargo gives a warning that is of no use to anybody.
    Toolbox {
        folders: vec![installed.join("bin")],
    }
    .equip(&mut command)
    // Away from the repository, whose settings are not meant for the tools.
    .current_dir(store)
    .args(["install", "--locked", "--root"])
    .arg(&installed)
    .arg(format!("{}@{}", tool.package, tool.version))
    .args(tool.features)
    // What an interrupted run has compiled is used by the next.
    .env("CARGO_TARGET_DIR", temporary.join("target"))
    // A tool runs for a second a build; optimising it takes ten minutes.
    .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
    .env("CARGO_PROFILE_RELEASE_LTO", "off")
    .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
    .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
    .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    run(&mut command)?;
    if !has_version(&installed.join("bin").join(tool.program), &tool.version) {
        return Err(format!(
            "the installed {} does not say that it is {}",
            tool.program, tool.version
        ));
    }
    remove(home)?;
    fs::rename(&installed, home).map_err(|error| format!("{}: {error}", home.display()))?;
    remove(&temporary)
}

/// Held until it is dropped; a second xtask waits for it.
pub(crate) fn lock(store: &Path) -> Outcome<fs::File> {
    let path = store.join(".lock");
    let file = fs::File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    file.lock()
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(file)
}

/// Where tools are kept: outside of the work tree, so that a fresh clone finds them again.
pub(crate) fn store() -> Outcome<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(std::env::var_os("HOME").ok_or("HOME is not set")?).join(".cache"),
    };
    let store = cache.join("schedlab").join("tools");
    fs::create_dir_all(&store).map_err(|error| format!("{}: {error}", store.display()))?;
    Ok(store)
}

fn has_version(program: &Path, version: &str) -> bool {
    program.is_file()
        && quiet_output(Command::new(program).arg("--version"))
            .is_some_and(|text| text.split_whitespace().any(|word| word == version))
}

/// The version that Cargo.lock has of a package.
pub(crate) fn locked_version(package: &str) -> Outcome<String> {
    let lock = read(&root().join("Cargo.lock"))?;
    let entry = lock
        .split("[[package]]")
        .find(|entry| quoted_after(entry, "name").is_some_and(|name| name == package));
    entry
        .and_then(|entry| quoted_after(entry, "version"))
        .map(String::from)
        .ok_or_else(|| format!("Cargo.lock has no {package}"))
}

/// The quoted text of the first line `key = "text"`.
pub(crate) fn quoted_after<'a>(toml: &'a str, key: &str) -> Option<&'a str> {
    toml.lines().find_map(|line| {
        let value = line
            .trim_start()
            .strip_prefix(key)?
            .trim_start()
            .strip_prefix('=')?;
        value.split('"').nth(1)
    })
}

fn remove(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_pinned_version() {
        let toml = "trunk-version = \"=0.21.14\"\n\n[tools]\nwasm_opt = \"version_132\"\n";
        assert_eq!(quoted_after(toml, "trunk-version"), Some("=0.21.14"));
        assert_eq!(quoted_after(toml, "wasm_opt"), Some("version_132"));
        assert_eq!(quoted_after(toml, "trunk"), None);
    }

    #[test]
    fn the_bindgen_pin_of_trunk_is_the_locked_version() {
        let toml = read(&root().join("Trunk.toml")).unwrap();
        let locked = locked_version("wasm-bindgen").unwrap();
        assert_eq!(quoted_after(&toml, "wasm_bindgen"), Some(locked.as_str()));
    }

    #[test]
    fn the_wasm_opt_pin_of_trunk_is_the_npm_version() {
        let toml = read(&root().join("Trunk.toml")).unwrap();
        let npm = read(&root().join("tools/package.json")).unwrap();
        let major = quoted_after(&toml, "wasm_opt")
            .unwrap()
            .trim_start_matches("version_");
        assert!(
            npm.contains(&format!("\"binaryen\": \"{major}.")),
            "{major} is not in package.json"
        );
    }

    #[test]
    fn a_missing_program_has_no_version() {
        assert!(!has_version(Path::new("no/such/program"), "1.0.0"));
    }
}
