//! Text that may be shown, whatever is in it.

use alloc::string::String;

/// What some editors start a file with.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A space that some pages put in and nobody sees.
pub const NO_WIDTH: char = '\u{200b}';

/// Text as it may be printed: characters that cannot be seen, that turn the direction of writing or that a
/// terminal obeys are written as escapes, such as `\0` or `\u{1b}`.
pub fn visible(text: impl IntoIterator<Item = char>) -> String {
    let mut seen = String::new();
    for c in text {
        match c {
            '\0' => seen.push_str("\\0"),
            _ if is_invisible(c) => seen.extend(c.escape_default()),
            _ => seen.push(c),
        }
    }
    seen
}

/// A control character, or one of the format characters that stand alone: zero-width ones, marks of direction,
/// separators of lines, the byte order mark.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
