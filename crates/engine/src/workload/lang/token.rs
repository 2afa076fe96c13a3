//! Cutting a text into words, signs and ends of statements.
//!
//! Total: every text has tokens. Not here: what any of them means.

use crate::words::visible::{BYTE_ORDER_MARK, NO_WIDTH};
use core::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Anything between blanks and signs: names, numbers, lists.
    Word,
    /// `*`
    Times,
    /// `{` or `(`
    Open,
    /// `}` or `)`
    Close,
    /// A line break or a semicolon.
    End,
    /// There is no more.
    Eof,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) const fn range(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Is it a line break, and not a semicolon?
    pub(super) fn is_line_break(&self) -> bool {
        self.kind == Kind::End && self.text != ";"
    }
}

/// A reader of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Passes over blanks and comments, to where the next token starts.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = self.rest();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find(is_break).unwrap_or(rest.len());
        }
    }

    /// The next token, which stays.
    pub(super) fn peek(&self) -> Token<'a> {
        let mut ahead = *self;
        ahead.next()
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        self.skip();
        let (rest, at) = (self.rest(), self.at);
        let Some(first) = rest.chars().next() else {
            return Token {
                kind: Kind::Eof,
                text: "",
                at,
            };
        };
        let kind = kind_of(first);
        let length = match kind {
            Kind::Word => rest.find(ends_word).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        self.at += length;
        Token {
            kind,
            text: rest.get(..length).unwrap_or(""),
            at,
        }
    }

    /// Is `token` the first of its line, or of what a semicolon sets apart?
    pub(super) fn begins(&self, token: &Token<'_>) -> bool {
        let before = self.text.get(..token.at).unwrap_or("");
        let before = before.trim_end_matches(is_blank);
        before.ends_with(|c| is_break(c) || c == ';')
    }

    /// The rest of the line, blanks around it and a comment behind it left out; the reader then stands at its end.
    pub(super) fn line(&mut self) -> Token<'a> {
        self.skip();
        let (rest, at) = (self.rest(), self.at);
        let end = rest.find(is_break).unwrap_or(rest.len());
        self.at += end;
        let line = rest.get(..end).unwrap_or("");
        let comment = line.match_indices('#').find(|(i, _)| {
            line.get(..*i)
                .is_some_and(|b| b.ends_with(char::is_whitespace))
        });
        let said = comment.map_or(line, |(i, _)| line.get(..i).unwrap_or(line));
        Token {
            kind: Kind::Word,
            text: said.trim_end_matches(is_blank),
            at,
        }
    }
}

const fn is_break(c: char) -> bool {
    c == '\n' || c == '\r'
}

fn is_blank(c: char) -> bool {
    !is_break(c) && (c.is_whitespace() || matches!(c, BYTE_ORDER_MARK | NO_WIDTH))
}

fn kind_of(c: char) -> Kind {
    match c {
        '*' => Kind::Times,
        '{' | '(' => Kind::Open,
        '}' | ')' => Kind::Close,
        ';' | '\n' | '\r' => Kind::End,
        _ => Kind::Word,
    }
}

fn ends_word(c: char) -> bool {
    is_blank(c) || kind_of(c) != Kind::Word
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn all(text: &str) -> Vec<&str> {
        let mut tokens = Tokens::new(text);
        core::iter::from_fn(|| Some(tokens.next()).filter(|t| t.kind != Kind::Eof))
            .map(|t| {
                assert_eq!(text.get(t.range()), Some(t.text));
                t.text
            })
            .collect()
    }

    #[test]
    fn words_signs_and_ends_are_told_apart_and_comments_left_out() {
        assert_eq!(
            all("task hog*2 {run 1.5ms;yield} # so\n(a.me)\u{e9}"),
            [
                "task", "hog", "*", "2", "{", "run", "1.5ms", ";", "yield", "}", "\n", "(", "a.me",
                ")", "\u{e9}"
            ]
        );
        assert_eq!(all("# nothing"), [""; 0]);
        assert_eq!(
            all("0-3,8 12.5% 1us..2us -5"),
            ["0-3,8", "12.5%", "1us..2us", "-5"]
        );
    }

    #[test]
    fn the_rest_of_a_line_is_without_its_comment() {
        let mut tokens = Tokens::new("kernel  2.6.31 ; x#y  # old\nnext");
        assert_eq!(tokens.next().text, "kernel");
        assert_eq!(tokens.line().text, "2.6.31 ; x#y");
        assert!(tokens.next().is_line_break());
        assert_eq!(tokens.line().text, "next");
        assert_eq!(tokens.line().text, "");
    }
}
