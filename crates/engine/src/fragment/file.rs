//! Fragments in files: several lines, with comments.

use alloc::string::String;

/// What some editors start a file with.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// `text` with comments blanked out, every byte in its place so that warnings still point at it. A comment
/// starts with `#` at the start of a line or after a blank, and ends with the line; a `#` inside a word
/// (as in an address) starts none.
///
/// ```
/// use schedlab_engine::fragment;
/// let text = "# two hogs\nm=q6600   # a desktop\nw=hogs(count=2)\n";
/// let (config, warnings) = fragment::parse(&fragment::without_comments(text));
/// assert!(warnings.is_empty());
/// assert_eq!(config.machine.name, "q6600");
/// ```
pub fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut comment = false;
    let mut before = '\n';
    for c in text.chars() {
        match c {
            '\n' | '\r' => comment = false,
            '#' if before.is_whitespace() || before == BYTE_ORDER_MARK => comment = true,
            _ => {}
        }
        if comment {
            (0..c.len_utf8()).for_each(|_| plain.push(' '));
        } else {
            plain.push(c);
        }
        before = c;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_blanks_and_nothing_moves() {
        let text = "# \u{e9}\na=1 # b\nhttp://x/#v=1\n";
        let plain = without_comments(text);
        assert_eq!(plain, "    \na=1    \nhttp://x/#v=1\n");
        assert_eq!(plain.len(), text.len());
        let marked = without_comments("\u{feff}# windows\nm=q6600");
        assert_eq!(marked, "\u{feff}         \nm=q6600");
    }
}
