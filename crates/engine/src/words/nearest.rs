//! The nearest valid name: what someone probably meant.

use alloc::vec::Vec;

/// Names longer than this are nobody's typing mistake.
const LONGEST: usize = 64;

/// The candidate nearest to `word` by edit distance, letters' case aside, if it is near enough to be
/// worth saying: at most a third of the letters differ (two in short words). Earlier wins among equals.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: Vec<char> = lower(word);
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let near = |name: &str| (word.len().max(name.len()) / 3).max(2).min(name.len() - 1);
    candidates
        .into_iter()
        .filter(|name| name.len() > 1)
        .map(|name| (distance(&word, &lower(name)), name))
        .filter(|(distance, name)| *distance <= near(name))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
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
        ];
        for (word, name) in cases {
            assert_eq!(nearest(word, NAMES), name, "{word}");
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
