//! What a link of the page has beyond one experiment: what is compared with it, and how it is looked at.

/// The part of a link that stands alone before what is different in B.
const VERSUS: &str = "vs";
/// And before how it is looked at.
const VIEW: &str = "view";

/// A link in its parts; how it is looked at is left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageLink<'a> {
    /// The experiment.
    pub a: &'a str,
    /// What is different in the one that it is compared with.
    pub b: Option<&'a str>,
}

impl<'a> PageLink<'a> {
    /// The parts of `text`.
    pub(crate) fn of(text: &'a str) -> PageLink<'a> {
        let setup = cut(text, VIEW).map_or(text, |(setup, _)| setup);
        let (a, b) = match cut(setup, VERSUS) {
            Some((a, b)) => (a, Some(b)),
            None => (setup, None),
        };
        PageLink { a, b }
    }
}

/// What stands before and after the part that is just `word`; the ampersands may have been escaped, once or twice.
fn cut<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    ["&", "%26", "%2526"].into_iter().find_map(|mark| {
        let mut at = 0;
        for part in text.split(mark) {
            let end = at + part.len();
            if part.trim_matches(['+', ' ']).eq_ignore_ascii_case(word) {
                let (before, after) = (text.get(..at)?, text.get(end..)?);
                let before = before.strip_suffix(mark).unwrap_or(before);
                return Some((before, after.strip_prefix(mark).unwrap_or(after)));
            }
            at = end + mark.len();
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_taken_apart() {
        for (text, a, b) in [
            ("k=6.1", "k=6.1", None),
            ("k=6.1&view&z=1ms..2ms", "k=6.1", None),
            ("k=6.1&vs&k=6.5&VIEW&by=kind", "k=6.1", Some("k=6.5")),
            ("k=6.1%26vs%26k=6.5", "k=6.1", Some("k=6.5")),
            ("k=6.1&vs", "k=6.1", Some("")),
            ("w=hogs&vs=1", "w=hogs&vs=1", None),
        ] {
            assert_eq!(PageLink::of(text), PageLink { a, b }, "{text}");
        }
    }
}
