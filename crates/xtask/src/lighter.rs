//! The site's styles and scripts without comments and indentation, which nobody downloads them for, and all styles in one
//! file: compressed together they are a sixth lighter.
//!
//! Only comments that begin a line are seen as such, so that no string is taken for one.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
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
    one_style(dist)
}

/// Puts what `index.html` links as styles into one file, in their order.
fn one_style(dist: &Path) -> Outcome {
    let told = |error: std::io::Error| format!("styles of {}: {error}", dist.display());
    let page = dist.join("index.html");
    let text = fs::read_to_string(&page).map_err(told)?;
    let (mut all, mut left) = (String::new(), String::new());
    for line in text.lines() {
        let Some(name) = style_of(line) else {
            left.push_str(line);
            left.push('\n');
            continue;
        };
        let file = dist.join(name);
        all.push_str(&denser(&fs::read_to_string(&file).map_err(told)?));
        fs::remove_file(&file).map_err(told)?;
    }
    // The name changes with what is in it, so that no browser keeps an old one; the hasher has no seed.
    let mut hasher = DefaultHasher::new();
    all.hash(&mut hasher);
    let name = format!("style-{:016x}.css", hasher.finish());
    let link = format!("<link rel=\"stylesheet\" href=\"./{name}\"/>\n</head>");
    fs::write(dist.join(name), all).map_err(told)?;
    fs::write(page, left.replacen("</head>", &link, 1)).map_err(told)
}

/// The file that a line of the page links as a style.
fn style_of(line: &str) -> Option<&str> {
    let link = line
        .trim()
        .strip_prefix("<link rel=\"stylesheet\" href=\"./")?;
    link.split('"').next()
}

/// A style without the spaces and line ends that mean nothing.
fn denser(style: &str) -> String {
    let pairs = [
        ("\n", " "),
        (" {", "{"),
        ("{ ", "{"),
        ("; ", ";"),
        (": ", ":"),
        (", ", ","),
        (";}", "}"),
        ("} ", "}"),
    ];
    let dense = |text: String, (long, short): (&str, &str)| text.replace(long, short);
    pairs.into_iter().fold(style.to_string(), dense)
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

    #[test]
    fn a_style_is_as_dense_as_it_can_be() {
        let style = ".a { color: red; margin: 0 auto; }\n@media (width < 9px) {\n.b > .c:is(d, e) { top: 0; }\n}\n";
        let dense = ".a{color:red;margin:0 auto}@media (width < 9px){.b > .c:is(d,e){top:0}}";
        assert_eq!(denser(style), dense);
    }

    #[test]
    fn lines_that_link_styles_are_known() {
        let line = "  <link rel=\"stylesheet\" href=\"./base-68ce.css\"/>";
        assert_eq!(style_of(line), Some("base-68ce.css"));
        assert_eq!(style_of("<link rel=\"icon\" href=\"data:,\">"), None);
    }
}
