//! Rust source with everything blanked that is not code for the product: comments, texts, tests.
//!
//! Every blanked character but the line ends becomes a space, so places and line numbers stay.

/// The source without comments, the contents of literals, and items under `#[cfg(test)]`.
pub(super) fn product(source: &str) -> String {
    without_tests(&quiet(source))
}

/// Whether a whole file is a test.
pub(super) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.contains("/tests/")
        || path.contains("/benches/")
        || path.starts_with("tests/")
        || ["tests.rs", "test.rs"].contains(&name) && !path.starts_with("crates/xtask/")
        || name.ends_with("_tests.rs")
        || name.ends_with("_test.rs")
}

/// How many lines of a source are for the product, blank lines and comments included.
pub(super) fn product_lines(source: &str) -> usize {
    let code = quiet(source);
    let tested: usize = test_items(&code)
        .into_iter()
        .map(|(from, to)| bytes(&code, from, to).matches('\n').count() + 1)
        .sum();
    source.lines().count().saturating_sub(tested)
}

fn bytes(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).expect("places lie on ASCII characters")
}

fn without_tests(code: &str) -> String {
    let mut out = code.to_string();
    for (from, to) in test_items(code) {
        let blank = blanked(bytes(code, from, to));
        out.replace_range(from..to, &blank);
    }
    out
}

/// Spaces for everything but line ends; as many bytes as before.
fn blanked(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
        .collect()
}

/// From the attribute to the end of each item under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn test_items(quiet: &str) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    let mut from = 0;
    while let Some(found) = bytes(quiet, from, quiet.len()).find("#[cfg(") {
        let start = from + found;
        let attribute = quiet
            .bytes()
            .enumerate()
            .skip(start)
            .find(|(_, byte)| *byte == b']');
        let Some((close, _)) = attribute else { break };
        from = close + 1;
        let condition = bytes(quiet, start, close);
        if condition.starts_with("#[cfg(test)") || condition.starts_with("#[cfg(all(test,") {
            from = item_end(quiet, close + 1);
            items.push((start, from));
        }
    }
    items
}

/// Behind the `;` or the closing brace that ends the item at `from`.
fn item_end(quiet: &str, from: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in quiet.bytes().enumerate().skip(from) {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' | b']' | b')' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    quiet.len()
}

/// The source without comments and the contents of literals.
pub(super) fn quiet(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while !rest.is_empty() {
        let (kept, blank) = next_token(rest);
        let (keep, tail) = rest.split_at(kept);
        let (skip, tail) = tail.split_at(blank);
        out.push_str(keep);
        out.push_str(&blanked(skip));
        rest = tail;
    }
    out
}

/// How many bytes to keep, and how many to blank behind them.
fn next_token(rest: &str) -> (usize, usize) {
    if rest.starts_with("//") {
        return (0, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (0, block_comment(rest));
    }
    if let Some(length) = raw_text(rest) {
        return (0, length);
    }
    if rest.starts_with('"') {
        return (0, quoted(rest, '"'));
    }
    if rest.starts_with('\'') {
        let mut after = rest.chars().skip(1);
        let (first, second) = (after.next(), after.next());
        // `'a` is a lifetime, `'a'` and `'\n'` are characters.
        let character = first == Some('\\') || second == Some('\'');
        return if character {
            (0, quoted(rest, '\''))
        } else {
            (1, 0)
        };
    }
    let word = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let length = if word > 0 {
        word
    } else {
        rest.chars().next().map_or(0, char::len_utf8)
    };
    if rest.is_char_boundary(length) && rest.get(..length).is_some_and(str::is_ascii) {
        (length, 0)
    } else {
        (0, length)
    }
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut previous = ' ';
    for (at, c) in rest.char_indices() {
        match (previous, c) {
            ('/', '*') => depth += 1,
            ('*', '/') if depth == 1 => return at + 1,
            ('*', '/') => depth -= 1,
            _ => {
                previous = c;
                continue;
            }
        }
        previous = ' ';
    }
    rest.len()
}

/// `r"…"`, `r#"…"#`, `br"…"` and so on, as a whole.
fn raw_text(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after.trim_start_matches('#').strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(rest.len() - body.len() + length)
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_comments_and_texts_and_keeps_places() {
        let source = "let a = \"x // y\"; // crate::z\n/* a /* b */ c */ 'q' '\\'' r#\"s\"# &'a b";
        let code = product(source);
        assert_eq!(code.len(), source.len());
        assert_eq!(
            code.split_whitespace().collect::<Vec<_>>(),
            ["let", "a", "=", ";", "&'a", "b"]
        );
        assert_eq!(code.matches('\n').count(), 1);
    }

    #[test]
    fn blanks_test_items() {
        let source = "use crate::a;\n#[cfg(test)]\nmod tests {\n  fn f() { }\n}\nuse crate::b;\n\
                      #[cfg(test)]\nuse crate::c;\n#[cfg(all(test, unix))]\n#[x]\nfn g([]: [u8; 0]) {}\n";
        let code = product(source);
        assert!(code.contains("crate::a") && code.contains("crate::b"));
        assert!(!code.contains("tests") && !code.contains("crate::c") && !code.contains("fn g"));
        assert_eq!(product_lines(source), 2);
    }

    #[test]
    fn counts_lines_and_survives_half_a_file() {
        assert_eq!(product_lines("//! a\n\nfn f() {}\n"), 3);
        for source in [
            "\"open",
            "/* open",
            "r#\"open",
            "'",
            "#[cfg(test)]",
            "#[cfg(",
            "ü'ü'\"ü\"",
        ] {
            assert_eq!(product(source).len(), source.len());
        }
    }
}
