//! Other programs: found on PATH, run with their output shown, judged by their exit code.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, root};

/// A command that runs in the top folder.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs this xtask.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end; anything but success is an error that names the command.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = shown(command);
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status})")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

/// What a command prints on stdout, when it succeeds.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let shown = shown(command);
    match command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
    {
        Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        Ok(out) => Err(format!("`{shown}` failed ({})", out.status)),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

/// What a command prints, or nothing if it fails or is not there.
pub(crate) fn quiet_output(command: &mut Command) -> Option<String> {
    let out = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Where PATH finds a program.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
