//! Pieces of a fragment: slices that know where they stand.
//!
//! Not here: what a piece means. Cutting is total; whatever the text, there are pieces.

use crate::words::visible::{BYTE_ORDER_MARK, NO_WIDTH};
use core::ops::Range;

/// What is wrong with arguments whose end is missing.
pub(super) const UNCLOSED: &str = "lacks its closing parenthesis";

/// A slice of the text and the offset at which it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// The slice.
    pub text: &'a str,
    /// Its first byte.
    pub at: usize,
}

/// A name, with its arguments where it has parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call<'a> {
    /// What stands before the parenthesis.
    pub name: Piece<'a>,
    /// What stands between the parentheses.
    pub args: Option<Piece<'a>>,
    /// What is wrong: text after the closing parenthesis, or a missing one.
    pub fault: Option<(Piece<'a>, &'static str)>,
}

impl<'a> Piece<'a> {
    /// The whole of `text`.
    pub(super) const fn whole(text: &'a str) -> Piece<'a> {
        Piece { text, at: 0 }
    }

    /// Where it stands.
    pub(super) const fn range(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// A part of it, by bytes; the nearest there is if they fit no part.
    pub(super) fn part(self, range: Range<usize>) -> Piece<'a> {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end.max(start));
        Piece {
            text: self.text.get(start..end).unwrap_or(""),
            at: self.at + start,
        }
    }

    pub(super) const fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    /// Without blanks at both ends. A plus sign is a blank: that is what a space becomes in some links. So are the
    /// byte order mark that some editors start a file with, and the space without width that some pages put in.
    pub(super) fn trim(self) -> Piece<'a> {
        let blank = |c: char| c.is_whitespace() || matches!(c, '+' | BYTE_ORDER_MARK | NO_WIDTH);
        let text = self.text.trim_start_matches(blank);
        let at = self.at + (self.text.len() - text.len());
        Piece {
            text: text.trim_end_matches(blank),
            at,
        }
    }

    /// The pieces between separators, blanks trimmed, empty ones left out.
    pub(super) fn split(self, separators: &'static [char]) -> impl Iterator<Item = Piece<'a>> {
        let mut at = self.at;
        self.text
            .split(separators)
            .map(move |text| {
                let piece = Piece { text, at };
                at += text.len() + 1;
                piece.trim()
            })
            .filter(|p| !p.is_empty())
    }

    /// What stands before and after the first `separator`, both trimmed.
    pub(super) fn split_once(self, separator: char) -> Option<(Piece<'a>, Piece<'a>)> {
        let (before, after) = self.text.split_once(separator)?;
        let at = self.at + before.len() + separator.len_utf8();
        let first = Piece {
            text: before,
            at: self.at,
        };
        Some((first.trim(), Piece { text: after, at }.trim()))
    }

    /// The rest after `prefix`.
    pub(super) fn strip_prefix(self, prefix: &str) -> Option<Piece<'a>> {
        self.text.strip_prefix(prefix).map(|text| Piece {
            text,
            at: self.at + prefix.len(),
        })
    }

    /// Read as a name with or without arguments in parentheses.
    pub(super) fn call(self) -> Call<'a> {
        let Some((name, rest)) = self.split_once('(') else {
            return Call {
                name: self,
                args: None,
                fault: None,
            };
        };
        let (args, fault) = match rest.split_once(')') {
            Some((args, tail)) if tail.is_empty() => (args, None),
            Some((args, tail)) => (args, Some((tail, "follows a closing parenthesis"))),
            None => (rest, Some((self, UNCLOSED))),
        };
        Call {
            name,
            args: Some(args),
            fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn pieces_know_their_place_and_lose_their_blanks() {
        let text = "a=1&& +b=2 &c";
        let pieces: Vec<_> = Piece::whole(text).split(&['&']).collect();
        let texts: Vec<_> = pieces.iter().map(|p| p.text).collect();
        assert_eq!(texts, ["a=1", "b=2", "c"]);
        for piece in pieces {
            assert_eq!(text.get(piece.range()), Some(piece.text));
        }
    }

    #[test]
    fn a_call_has_a_name_and_arguments_and_names_its_fault() {
        let call = Piece::whole("hogs( count = 2 )").call();
        assert_eq!((call.name.text, call.fault), ("hogs", None));
        assert_eq!(call.args.map(|a| (a.text, a.at)), Some(("count = 2", 6)));
        let bare = Piece::whole("hogs").call();
        assert_eq!((bare.name.text, bare.args), ("hogs", None));
        let open = Piece::whole("hogs(count=2").call();
        assert_eq!(open.args.map(|a| a.text), Some("count=2"));
        assert_eq!(open.fault.map(|f| f.1), Some(UNCLOSED));
        let tail = Piece::whole("hogs(count=2)x").call();
        assert_eq!(tail.fault.map(|f| f.0.text), Some("x"));
    }
}
