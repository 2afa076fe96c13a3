//! The site: one Trunk run that leaves `dist/`, as it is served and shipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{command, run};
use crate::tools::{Toolbox, site_tools};
use crate::{Outcome, files, lighter, root, short_names};

/// Where the site is.
pub(crate) fn dist() -> PathBuf {
    root().join("dist")
}

/// `cargo xtask build`.
pub(crate) fn site() -> Outcome {
    let tools = site_tools()?;
    run(own_std(trunk(&tools).args(["build", "--release"])))?;
    lighter::lighten(&dist())?;
    short_names::shorten(&dist())?;
    no_local_path(&dist())?;
    println!("the site is in {}", dist().display());
    Ok(())
}

/// Trunk's own server, which builds again at every change.
pub(crate) fn watch(port: Option<u16>) -> Outcome {
    let tools = site_tools()?;
    let mut command = trunk(&tools);
    // Not into dist/, where a debug build would pass for the site that is shipped.
    let dev = root().join("target/dev-site");
    std::fs::create_dir_all(&dev).map_err(|error| format!("{}: {error}", dev.display()))?;
    command.arg("serve").arg("--dist").arg(dev);
    if let Some(port) = port {
        command.args(["--port", &port.to_string()]);
    }
    run(&mut command)
}

fn trunk(tools: &Toolbox) -> Command {
    let mut command = command("trunk");
    tools.equip(&mut command);
    command
        // Every tool is there, so nothing has to be fetched.
        .env("TRUNK_OFFLINE", "true")
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // Trunk 0.21 takes only true and false here, and stops at the usual 1.
        .env_remove("NO_COLOR")
        .env("CARGO_ENCODED_RUSTFLAGS", remapped());
    command
}

/// Compiles std for the page too: for size, and without what a panic says (DESIGN.md says why). The compiler is pinned, so
/// that its unstable options are no less stable than the rest of it.
fn own_std(trunk: &mut Command) -> &mut Command {
    let flags = [&remapped(), "-Zunstable-options", "-Cpanic=immediate-abort"].join("\u{1f}");
    trunk
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
        .env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size")
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
}

/// Panic messages name source files: relative to the repository or to cargo's home, so that the
/// same source gives the same site everywhere.
fn remapped() -> String {
    let mut flags = vec![format!("--remap-path-prefix={}=schedlab", root().display())];
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    if let Some(cargo) = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home) {
        flags.push(format!("--remap-path-prefix={}=cargo", cargo.display()));
    }
    flags.join("\u{1f}")
}

/// No file of the site may name a folder of the machine it was built on.
fn no_local_path(dist: &Path) -> Outcome {
    let needle = root().display().to_string();
    for path in files::under(dist)? {
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if bytes
            .windows(needle.len())
            .any(|window| window == needle.as_bytes())
        {
            return Err(format!(
                "{} names the folder it was built in",
                path.display()
            ));
        }
    }
    Ok(())
}
