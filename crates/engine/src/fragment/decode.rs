//! Undoing what browsers and chat programs do to a link, without losing where each byte came from.
//!
//! Not here: any grammar. What comes out is plain text, and a way back to the text that was given.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// How often escapes are undone: a link that is pasted through two programs is escaped twice.
const PASSES: usize = 3;

/// Text with its escapes undone.
pub(super) struct Decoded {
    /// The text.
    pub text: String,
    /// For each byte of `text`, and for its end, the offset in the text that was given.
    source: Vec<u32>,
}

impl Decoded {
    /// `given` with percent escapes undone, up to three layers of them. A `%` that starts no escape stays,
    /// and bytes that are no UTF-8 become U+FFFD.
    pub(super) fn new(given: &str) -> Decoded {
        let mut decoded = Decoded::plain(given);
        for _ in 0..PASSES {
            if !has_escape(decoded.text.as_bytes()) {
                break;
            }
            decoded = decoded.undone_once();
        }
        decoded
    }

    /// `given` as it is, for texts in which a percent sign is a percent sign.
    pub(super) fn plain(given: &str) -> Decoded {
        Decoded {
            text: String::from(given),
            source: (0..=given.len() as u32).collect(),
        }
    }

    /// The range of the given text that became `at`.
    pub(super) fn source(&self, at: Range<usize>) -> Range<usize> {
        let last = self.source.len() - 1;
        let offset = |i: usize| self.source[i.min(last)] as usize;
        offset(at.start)..offset(at.end).max(offset(at.start))
    }

    fn undone_once(&self) -> Decoded {
        let bytes = self.text.as_bytes();
        let mut raw = Vec::with_capacity(bytes.len());
        let mut from = Vec::with_capacity(bytes.len() + 1);
        let mut i = 0;
        while i < bytes.len() {
            from.push(self.source[i]);
            if let Some(byte) = escape(&bytes[i..]) {
                raw.push(byte);
                i += 3;
            } else {
                raw.push(bytes[i]);
                i += 1;
            }
        }
        from.push(self.source[bytes.len()]);
        lossy(&raw, &from)
    }
}

/// Text from bytes that need not be UTF-8, with `from` telling where each byte came from.
fn lossy(raw: &[u8], from: &[u32]) -> Decoded {
    let mut text = String::with_capacity(raw.len());
    let mut source = Vec::with_capacity(from.len());
    let mut at = 0;
    for chunk in raw.utf8_chunks() {
        let valid = chunk.valid();
        text.push_str(valid);
        source.extend_from_slice(&from[at..at + valid.len()]);
        at += valid.len();
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            source.extend([from[at]; char::REPLACEMENT_CHARACTER.len_utf8()]);
            at += chunk.invalid().len();
        }
    }
    source.push(from[at]);
    Decoded { text, source }
}

fn has_escape(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|i| escape(&bytes[i..]).is_some())
}

/// The byte that a `%XX` at the start of `bytes` stands for.
fn escape(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|d| d as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(given: &str) -> String {
        Decoded::new(given).text
    }

    #[test]
    fn escapes_are_undone_even_when_a_second_program_escaped_them_again() {
        assert_eq!(text("m=q6600%26k%3D2.6.32"), "m=q6600&k=2.6.32");
        assert_eq!(
            text("w=hogs%2528count%253D2%2529"),
            "w=hogs(count=2)",
            "twice"
        );
        assert_eq!(text("w=hogs%2"), "w=hogs%2", "half an escape stays");
        assert_eq!(text("100%zz"), "100%zz", "no escape stays");
        assert_eq!(text("%ff%C2%B5s"), "\u{fffd}\u{b5}s");
    }

    #[test]
    fn every_byte_knows_where_it_came_from() {
        let given = "t=%66oo%C2%B5,bar";
        let decoded = Decoded::new(given);
        assert_eq!(decoded.text, "t=foo\u{b5},bar");
        assert_eq!(decoded.source(2..5), 2..7, "%66oo");
        assert_eq!(decoded.source(5..7), 7..13, "both bytes of the micro sign");
        assert_eq!(decoded.source(8..11), 14..17);
        assert_eq!(decoded.source(11..11), 17..17);
    }
}
