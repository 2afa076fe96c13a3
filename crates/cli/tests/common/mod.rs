//! Running the program and taking what it prints, for tests of what it prints.

use std::process::{Command, Stdio};

/// Exit code, output, errors.
pub(crate) fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_schedlab"));
    let output = command.args(args).stdin(Stdio::null()).output();
    let output = output.expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("what it prints is UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// What it prints; it ends well.
pub(crate) fn out(args: &[&str]) -> String {
    let (code, out, err) = run(args);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}
