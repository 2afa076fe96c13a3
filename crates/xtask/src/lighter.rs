//! The site's styles and scripts without comments and indentation, which nobody downloads them for.
//!
//! Only comments that begin a line are seen as such, so that no string is taken for one.

use std::fs;
use std::path::Path;

use crate::{Outcome, files};

/// Makes every style and script in `dist` lighter.
pub(crate) fn lighten(dist: &Path) -> Outcome {
    for path in files::under(dist)? {
        let light = path
            .extension()
            .is_some_and(|end| end == "css" || end == "js");
        if light {
            let told = |error: std::io::Error| format!("{}: {error}", path.display());
            let text = fs::read_to_string(&path).map_err(told)?;
            fs::write(&path, lighter(&text)).map_err(told)?;
        }
    }
    Ok(())
}

fn lighter(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = if rest.starts_with("/*") { "*/" } else { "\n" };
        let (line, after) = rest.split_once(end).unwrap_or((rest, ""));
        if end == "\n" && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
        rest = after.trim_start();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_nothing_else_does() {
        let script = "// One.\nfunction f() {\n    /** Two\n     * lines. */\n    return \"/* \" + 'a//b'; // stays\n}\n";
        let light = "function f() {\nreturn \"/* \" + 'a//b'; // stays\n}\n";
        assert_eq!(lighter(script), light);
        assert_eq!(lighter(light), light);
        assert_eq!(
            lighter("/* a */ p {\n  color: red;\n}"),
            "p {\ncolor: red;\n}\n"
        );
        assert_eq!(lighter("/* never ends"), "");
    }
}
