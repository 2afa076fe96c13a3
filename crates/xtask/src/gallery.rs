//! The gallery: every picture on invented runs, to look at and to measure without an engine.
//!
//! It is an example of the web crate, not part of the site; it goes to `target/gallery`.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::process::{cargo, command, run};
use crate::serve::{self, Site};
use crate::tools::site_tools;
use crate::{Outcome, browser, npm, root};

const EXAMPLE: &str = "crates/web/examples/gallery";
const STYLES: &str = "crates/web/style";

/// `cargo xtask gallery`.
pub(crate) fn chore(mut args: Args) -> Outcome {
    let (port, measure) = (args.value::<u16>("--port")?, args.flag("--measure"));
    let slices = args.value::<u64>("--slices")?;
    args.end()?;
    let folder = build()?;
    let site = Site::new(folder, "/")?;
    if measure {
        return timeline(site, slices.unwrap_or(1_000_000));
    }
    let listener = serve::listen(port)?;
    let address = site.address(&listener)?;
    println!("\nThe gallery is at {address}   (#1000000 for a million slices, Ctrl-C stops)");
    site.serve(&listener);
    Ok(())
}

fn build() -> Outcome<PathBuf> {
    let tools = site_tools()?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    run(cargo()
        .args(["build", "--package", "schedlab-web", "--example", "gallery"])
        .args(["--features", "demo", "--profile", "web"])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&target))?;
    let folder = target.join("gallery");
    let module = target.join("wasm32-unknown-unknown/web/examples/gallery.wasm");
    run(tools
        .equip(&mut command("wasm-bindgen"))
        .args(["--target", "web", "--no-typescript", "--out-dir"])
        .args([&folder, &module]))?;
    for from in [EXAMPLE, STYLES] {
        copy_all(&root().join(from), &folder)?;
    }
    Ok(folder)
}

/// Everything in a folder that is not Rust.
fn copy_all(from: &Path, to: &Path) -> Outcome {
    for file in crate::files::under(from)? {
        let Some(name) = file
            .file_name()
            .filter(|_| file.extension().is_none_or(|e| e != "rs"))
        else {
            continue;
        };
        std::fs::copy(&file, to.join(name))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// How long frames take while the timeline is zoomed and moved.
fn timeline(site: Site, slices: u64) -> Outcome {
    let browser = browser::find_or_install()?;
    npm::find_or_install()?;
    let address = serve::in_background(site)?;
    run(command("node")
        .arg(root().join("tests/bench/timeline.mjs"))
        .arg(slices.to_string())
        .env("SCHEDLAB_URL", address)
        .env("CHROME", browser.program))
}
