//! The parts of a link of the page: an experiment, what is different in the one it is compared with, how it is looked at.
//!
//! Only cutting; what each part means is said elsewhere.

/// The part that stands alone before what is different in B.
pub const VERSUS: &str = "vs";
/// And before how it is looked at.
pub const VIEW: &str = "view";

/// A link in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLink<'a> {
    /// All before the view.
    pub setup: &'a str,
    /// The experiment, which begins it.
    pub a: &'a str,
    /// Where in it what is different in the second one stands, and that.
    pub b: Option<(usize, &'a str)>,
    /// How they are looked at.
    pub view: &'a str,
    /// Where another `vs` stands, behind B, that begins nothing.
    pub more: Option<usize>,
}

impl<'a> PageLink<'a> {
    /// What is said about [`PageLink::more`].
    pub const MORE: &'static str =
        "\"vs\" stands here again; what follows is left out, as a link compares two";

    /// The parts of `text`. What follows a second `vs` is no part of it.
    pub fn of(text: &'a str) -> PageLink<'a> {
        let all = Cut::of(text, VIEW);
        let two = Cut::of(all.before, VERSUS);
        let b = two.after.map(|(at, b)| (at, Cut::of(b, VERSUS)));
        let more = b.as_ref().and_then(|(at, b)| Some(at + b.word?));
        PageLink {
            setup: all.before,
            a: two.before,
            b: b.map(|(at, b)| (at, b.before)),
            view: all.after.map_or("", |(_, view)| view),
            more,
        }
    }
}

/// A text before and after the first part of it that is just one word.
struct Cut<'a> {
    before: &'a str,
    /// Where the word stands.
    word: Option<usize>,
    /// What follows it, and where.
    after: Option<(usize, &'a str)>,
}

impl<'a> Cut<'a> {
    /// The signs between parts may have been escaped, once or twice.
    fn of(text: &'a str, word: &str) -> Cut<'a> {
        for mark in ["&", "%26", "%2526"] {
            let mut at = 0;
            for part in text.split(mark) {
                let next = at + part.len() + mark.len();
                let part = part.trim_matches(|c: char| c == '+' || c.is_whitespace());
                if part.eq_ignore_ascii_case(word) {
                    let rest = text.get(next..);
                    return Cut {
                        before: text.get(..at.saturating_sub(mark.len())).unwrap_or(""),
                        word: Some(at),
                        after: Some(rest.map_or((text.len(), ""), |rest| (next, rest))),
                    };
                }
                at = next;
            }
        }
        Cut {
            before: text,
            word: None,
            after: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_taken_apart() {
        for (text, a, b, view) in [
            ("k=6.1", "k=6.1", None, ""),
            ("k=6.1&view&z=1ms..2ms", "k=6.1", None, "z=1ms..2ms"),
            (
                "k=6.1&vs&k=6.5&VIEW&by=kind",
                "k=6.1",
                Some("k=6.5"),
                "by=kind",
            ),
            ("k=6.1%26vs%26k=6.5", "k=6.1", Some("k=6.5"), ""),
            ("k=6.1%2526+vs+%2526k=6.5", "k=6.1", Some("k=6.5"), ""),
            ("k=6.1&vs", "k=6.1", Some(""), ""),
            ("vs&k=6.5", "", Some("k=6.5"), ""),
            ("w=hogs&vs=1", "w=hogs&vs=1", None, ""),
        ] {
            let link = PageLink::of(text);
            assert_eq!(
                (link.a, link.b.map(|b| b.1), link.view, link.more),
                (a, b, view, None),
                "{text}"
            );
            if let Some((at, b)) = link.b {
                assert_eq!(link.setup.get(at..), Some(b), "{text}");
            }
        }
    }

    #[test]
    fn a_link_compares_two() {
        for (text, b, at) in [
            ("k=6.1&vs&k=6.5&vs&k=6.6", Some("k=6.5"), 15),
            ("k=6.1&vs&k=6.5&vs&k=6.6&vs&view&by=kind", Some("k=6.5"), 15),
            ("k=6.1&vs&vs&k=6.6", Some(""), 9),
            ("k=6.1%26vs%26k=6.5%26vs%26k=6.6", Some("k=6.5"), 21),
        ] {
            let link = PageLink::of(text);
            assert_eq!(
                (link.a, link.b.map(|b| b.1), link.more),
                ("k=6.1", b, Some(at)),
                "{text}"
            );
            assert!(text.get(at..).is_some_and(|rest| rest.starts_with("vs")));
        }
    }
}
