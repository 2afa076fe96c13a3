//! The nearest valid name: what someone probably meant.

use alloc::vec::Vec;

/// Names longer than this are nobody's typing mistake.
const LONGEST: usize = 64;

/// No part of a version is larger.
const MOST: u32 = 1 << 20;

/// The candidate nearest to `word` by edit distance, letters' case aside, if it is near enough to be
/// worth saying: at most a third of the letters differ, one in short words. Earlier wins among equals. None of a word
/// that is a candidate as it stands: it is wrong for another reason, and is not mended by itself.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    nearest_of(word, &listed(candidates))
}

/// The candidates as a list, so that all that is done with them is compiled once; in less code than `collect`.
pub(crate) fn listed<'c>(candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let mut list = Vec::new();
    for name in candidates {
        list.push(name);
    }
    list
}

/// [`nearest`] of a list.
pub(crate) fn nearest_of<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    if candidates.contains(&word) {
        return None;
    }
    let word: Vec<char> = lower(word);
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let near = |name: &str| {
        let (short, long) = (word.len().min(name.len()), word.len().max(name.len()));
        (long / 3).max(1).min(short - 1)
    };
    candidates
        .iter()
        .filter(|name| name.len() > 1)
        .map(|name| (distance(&word, &lower(name)), name))
        .filter(|(distance, name)| *distance <= near(name))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| *name)
}

/// The release that someone may have meant by `word`, which is none of `names`: the one with its digits, where only the
/// dots are wrong (`618`); if it is a version, the nearest by number, of `6` the newest 6.x, the older one of two that are as
/// near, and among several of that version the nearest name; else the [`nearest`] name.
pub fn nearest_release<'c>(
    word: &str,
    names: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    release_of(word, &listed(names))
}

fn release_of<'c>(word: &str, names: &[&'c str]) -> Option<&'c str> {
    let wanted = version(word, MOST);
    let digits = |text: &str| -> Vec<u8> { text.bytes().filter(u8::is_ascii_digit).collect() };
    let undotted = word.contains(|c: char| c.is_ascii_digit())
        && !word.contains(|c: char| c == '.' || c.is_alphabetic());
    let (written, letters) = (digits(word), lower(word));
    let mut best = None;
    for name in names {
        let own = version(name, 0).zip(wanted);
        let far = match own {
            _ if undotted && digits(name) == written => [0; 4],
            Some((own, wanted)) => far(own, wanted),
            None => continue,
        };
        let key = (far, distance(&letters, &lower(name)));
        if best.is_none_or(|(least, _)| key < least) {
            best = Some((key, *name));
        }
    }
    best.map_or_else(|| nearest_of(word, names), |(_, name)| Some(name))
}

/// How far a release is from the one that is wanted: where they differ first, by how much, later ones a bit farther; and of
/// those that differ as much the one that comes next.
fn far(own: [u32; 4], wanted: [u32; 4]) -> [u32; 4] {
    let mut later = None;
    core::array::from_fn(|i| {
        let (own, wanted) = (own[i], wanted[i]);
        match later {
            Some(true) => own,
            Some(false) => MOST - own,
            None => {
                later = (own != wanted).then_some(own > wanted);
                own.abs_diff(wanted) * 2 + u32::from(later == Some(true))
            }
        }
    })
}

/// The numbers that a release's name begins with, those that it leaves out being `rest`, `[2, 6, 32, rest]` of
/// `2.6.32-rc1`; none if it begins with none.
fn version(name: &str, rest: u32) -> Option<[u32; 4]> {
    let is_other = |c: char| !c.is_ascii_digit() && c != '.';
    let numbers = name.split(is_other).next()?;
    if !numbers.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut version = [rest; 4];
    for (number, digits) in version.iter_mut().zip(numbers.split('.')) {
        if !digits.is_empty() {
            *number = digits.parse().unwrap_or(MOST).min(MOST);
        }
    }
    Some(version)
}

fn lower(word: &str) -> Vec<char> {
    word.chars()
        .take(LONGEST + 1)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut older = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i);
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let swapped: &[usize] = &older;
                least = least.min(swapped[j - 2] + 1);
            }
            row.push(least);
        }
        older = core::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["NEXT_BUDDY", "LAST_BUDDY", "HRTICK", "q6600"];

    #[test]
    fn a_typing_mistake_finds_its_name() {
        let cases = [
            ("NEXTBUDDY", Some("NEXT_BUDDY")),
            ("next_budy", Some("NEXT_BUDDY")),
            ("LSAT_BUDDY", Some("LAST_BUDDY")),
            ("q660", Some("q6600")),
            ("HRTIKC", Some("HRTICK")),
            ("", None),
            ("SOMETHING_ELSE", None),
            ("q", None),
            ("LAST", None),
            ("BUDDY", None),
            ("TICK", Some("HRTICK")),
            ("HRTICK", None),
            ("hrtick", Some("HRTICK")),
        ];
        for (word, name) in cases {
            assert_eq!(nearest(word, NAMES), name, "{word}");
        }
    }

    #[test]
    fn a_release_is_near_by_its_version() {
        const RELEASES: [&str; 8] = [
            "2.6.31",
            "2.6.32-rc1",
            "2.6.32",
            "3.2-virgin",
            "suresh",
            "3.2final",
            "6.1",
            "6.5",
        ];
        let cases = [
            ("6.6", Some("6.5")),
            ("6.9", Some("6.5")),
            ("6.12.3", Some("6.5")),
            ("6.4", Some("6.5")),
            ("6.2", Some("6.1")),
            ("6.3", Some("6.1")),
            ("6", Some("6.5")),
            ("2.6", Some("2.6.32")),
            ("5.15", Some("6.1")),
            ("4.4", Some("3.2final")),
            ("9.9", Some("6.5")),
            ("3.2", Some("3.2final")),
            ("3.2-rc1", Some("3.2-virgin")),
            ("2.6.32-rc5", Some("2.6.32-rc1")),
            ("2.6.32.9", Some("2.6.32")),
            ("99999999999", Some("6.5")),
            ("2.6.30", Some("2.6.31")),
            ("surash", Some("suresh")),
            ("", None),
        ];
        for (word, name) in cases {
            assert_eq!(nearest_release(word, RELEASES), name, "{word}");
        }
        let later = [
            "2.6.32",
            "6.5",
            "6.6",
            "6.12",
            "6.18",
            "7.0",
            "tip-2026-04",
            "7.1",
        ];
        for (word, name) in [
            ("6.9", "6.6"),
            ("6.13", "6.12"),
            ("8", "7.1"),
            ("7", "7.1"),
            ("7.0.3", "7.0"),
            ("6.17", "6.18"),
            ("6.15", "6.12"),
            ("66", "6.6"),
            ("618", "6.18"),
            ("6,6", "6.6"),
            ("2632", "2.6.32"),
            ("6.1.8", "6.5"),
            ("71", "7.1"),
            ("1.0", "2.6.32"),
        ] {
            assert_eq!(nearest_release(word, later), Some(name), "{word}");
        }
    }

    #[test]
    fn distances_count_edits() {
        let d = |a: &str, b: &str| distance(&lower(a), &lower(b));
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("ab", "ba"), 1, "a swap is one edit");
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("abc", ""), 3);
    }

    #[test]
    fn a_word_of_any_length_is_answered_quickly() {
        let long = "x".repeat(1 << 16);
        assert_eq!(nearest(&long, NAMES), None);
    }
}
