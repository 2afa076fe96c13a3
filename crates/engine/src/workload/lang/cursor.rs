//! Going through the tokens of a text: taking what is expected, and noting what is not, with what was found instead.

use super::read::Reader;
use super::token::{Kind, Token};
use super::values::Value;
use super::words::{DECLARATION_NAMES, STATEMENT_NAMES};
use super::{FILES, Fault, MAX_FAULTS};
use crate::machine::CpuMask;
use crate::words::nearest::{listed, nearest_of};
use crate::words::visible::visible;
use alloc::format;
use alloc::string::String;
use core::ops::Range;

impl<'a> Reader<'a> {
    /// Notes that something is wrong.
    pub(super) fn fault(&mut self, range: Range<usize>, found: &str, says: impl Into<String>) {
        self.fault_near(range, found, says, None);
    }

    pub(super) fn fault_near(
        &mut self,
        range: Range<usize>,
        found: &str,
        says: impl Into<String>,
        near: Option<&str>,
    ) {
        if self.parsed.faults.len() < MAX_FAULTS {
            let mut fault = Fault::new(range, &shown(found), says);
            fault.nearest = near.map(String::from);
            self.parsed.faults.push(fault);
        }
    }

    /// Something else stands where `wanted` should: perhaps a word among `known`, misspelt.
    pub(super) fn expected<'w>(
        &mut self,
        token: Token<'_>,
        wanted: &str,
        known: impl IntoIterator<Item = &'w str>,
    ) {
        self.expected_of(token, wanted, &listed(known));
    }

    fn expected_of(&mut self, token: Token<'_>, wanted: &str, known: &[&str]) {
        let ends = match token.kind {
            Kind::Eof => "the text ends",
            Kind::End if token.is_line_break() => "the line ends",
            _ => "stands",
        };
        let says = format!("{ends} where {wanted} is expected");
        let found = if token.is_line_break() {
            ""
        } else {
            token.text
        };
        self.fault_near(token.range(), found, says, nearest_of(token.text, known));
    }

    /// The next word, if the next token is one.
    pub(super) fn take_word(&mut self) -> Option<Token<'a>> {
        let next = self.tokens.peek();
        (next.kind == Kind::Word).then(|| self.tokens.next())
    }

    /// The next word as a value; none, and a fault, if it is none.
    pub(super) fn value<T>(&mut self, wanted: &str, read: impl Fn(&str) -> Value<T>) -> Option<T> {
        let token = self.word(wanted)?;
        match read(token.text) {
            Ok(value) => Some(value),
            Err(says) => {
                self.fault(token.range(), token.text, says);
                None
            }
        }
    }

    /// The next word; none, and a fault, if something else comes.
    fn word(&mut self, wanted: &str) -> Option<Token<'a>> {
        let token = self.tokens.peek();
        if token.kind != Kind::Word {
            self.expected(token, wanted, []);
            return None;
        }
        Some(self.tokens.next())
    }

    /// The next word, which must be one of `known`.
    pub(super) fn choice(&mut self, wanted: &str, known: &[&'static str]) -> Option<&'static str> {
        let token = self.tokens.peek();
        let found = known.iter().find(|word| token.is(word)).copied();
        if found.is_none() {
            self.expected(token, wanted, known.iter().copied());
        }
        if token.kind == Kind::Word {
            self.tokens.next();
        }
        found
    }

    /// A set of CPUs.
    pub(super) fn cpus(&mut self) -> Option<CpuMask> {
        let read = |text: &str| {
            let mask = text.parse::<CpuMask>();
            mask.map_err(|e| format!("is no list of CPUs such as 0-3,8: {e}"))
        };
        self.value("a list of CPUs such as 0-3,8", read)
    }

    /// The opening brace of a block, perhaps on the next line; none, and a fault, if there is none.
    pub(super) fn open(&mut self, wanted: &str) -> Option<Token<'a>> {
        let mut ahead = self.tokens;
        let mut next = ahead.next();
        while next.is_line_break() {
            next = ahead.next();
        }
        if next.kind == Kind::Open {
            self.tokens = ahead;
            return Some(next);
        }
        let at = self.tokens.peek();
        self.expected(at, wanted, []);
        self.astray = true;
        None
    }

    /// The closing brace that belongs to `open`.
    pub(super) fn close(&mut self, open: Token<'a>) {
        let close = self.tokens.peek();
        let fits = matches!((open.text, close.text), ("{", "}") | ("(", ")"));
        match close.kind {
            Kind::Close if fits => drop(self.tokens.next()),
            Kind::Close => {
                self.tokens.next();
                self.fault(close.range(), close.text, format!("closes a {}", open.text));
            }
            // Of blocks inside each other the innermost is told alone.
            _ if self.is_astray() => {}
            kind if kind == Kind::Eof || !FILES => {
                self.fault(open.range(), open.text, "is never closed");
            }
            _ => {
                let says = format!("is not closed before the next {}", close.text);
                self.fault(open.range(), open.text, says);
            }
        }
        self.astray |= close.kind != Kind::Close;
    }

    /// Has a brace been missed?
    pub(super) const fn is_astray(&self) -> bool {
        FILES && self.astray
    }

    /// A closing brace to which none belongs.
    pub(super) fn close_nothing(&mut self) {
        let token = self.tokens.next();
        if !self.is_astray() {
            self.fault(token.range(), token.text, "closes nothing");
        }
    }

    /// The end of a statement or declaration; a fault about what stands before it.
    pub(super) fn end(&mut self) {
        let token = self.tokens.peek();
        match token.kind {
            Kind::End => drop(self.tokens.next()),
            Kind::Eof => {}
            Kind::Close if self.depth.0 > 0 || self.team.is_some() => {}
            Kind::Close => self.close_nothing(),
            // The next declaration, where a brace was missed.
            _ if self.is_astray() && (self.declares(&token) || token.is("else")) => {}
            _ => {
                let wanted = "the end of the line, or ;";
                self.expected(token, wanted, []);
                self.skip_statement();
            }
        }
    }

    /// Does a declaration or a setting begin here, and no statement?
    pub(super) fn declares(&self, token: &Token<'_>) -> bool {
        let known = DECLARATION_NAMES.contains(&token.text) || self.settings.contains(&token.text);
        FILES && known && !STATEMENT_NAMES.contains(&token.text) && self.tokens.begins(token)
    }

    /// Passes over what is left of a statement, blocks and all.
    pub(super) fn skip_statement(&mut self) {
        let mut depth = 0_usize;
        loop {
            let token = self.tokens.peek();
            match token.kind {
                Kind::Eof => return,
                Kind::End if depth == 0 => return,
                Kind::Close if depth == 0 => {
                    if self.depth.0 == 0 && self.team.is_none() {
                        self.close_nothing();
                    }
                    return;
                }
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
            self.tokens.next();
        }
    }
}

/// A text as it is shown in a message.
fn shown(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown = visible(text.chars().take(SHOWN));
    if text.chars().count() > SHOWN {
        shown.push('\u{2026}');
    }
    shown
}
