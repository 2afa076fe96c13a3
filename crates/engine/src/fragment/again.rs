//! What was said several times: the last that is understood counts, and every warning about it says so.

use super::piece::Piece;
use super::read::Reader;
use super::warning::{Fault, Used};
use alloc::string::{String, ToString};

/// More things than can be told apart in any list.
const THINGS: usize = 256;

/// What was said of one of several things: which one, where, and as what it was understood, if it was.
pub(super) type Said<'a> = (usize, Piece<'a>, Option<String>);

impl<'a> Reader<'a> {
    /// Makes every warning about a thing that was said several times tell what counts, and warns where one was said
    /// differently before.
    pub(super) fn settle(&mut self, said: &[Said<'a>]) {
        // Of each thing: how often it was said, as what it counts, and as what it was understood last.
        let mut all: [(usize, Option<&String>, Option<&String>); THINGS] =
            [(0, None, None); THINGS];
        for (thing, _, read) in said {
            let (times, counts, _) = &mut all[thing % THINGS];
            *times += 1;
            *counts = read.as_ref().or(*counts);
        }
        for (thing, place, read) in said {
            let (2.., Some(used), before) = &mut all[thing % THINGS] else {
                continue;
            };
            let range = self.decoded.source(place.range());
            for warning in &mut self.warnings {
                if range.contains(&warning.range.start) {
                    warning.used = Used::Value((*used).clone());
                }
            }
            let Some(read) = read else { continue };
            if before.replace(read).is_some_and(|was| was != read) {
                self.again(*place, used);
            }
        }
    }

    /// Warns that `piece` was said before, differently, and that `used` counts, unless there is something else to say
    /// about it.
    pub(super) fn again(&mut self, piece: Piece<'_>, used: &str) {
        let range = self.decoded.source(piece.range());
        if !(self.warnings.iter()).any(|w| range.contains(&w.range.start)) {
            self.warn(piece, Fault::Again).used = Used::Value(used.to_string());
        }
    }
}
