//! Words that have no place in the repository: notes to oneself, and traces of one machine or maker.
//!
//! The words are put together here, so that this file does not find itself.

use super::{File, Finding, line_of};

struct Ban {
    word: String,
    why: &'static str,
    /// Only with exactly these capitals.
    exact: bool,
}

fn bans() -> Vec<Ban> {
    let join = |parts: &[&str]| parts.concat();
    let ban = |words: &[&[&str]], why, exact| {
        words
            .iter()
            .map(|parts| Ban {
                word: join(parts),
                why,
                exact,
            })
            .collect::<Vec<_>>()
    };
    let mut bans = ban(
        &[&["TO", "DO"], &["FIX", "ME"], &["XX", "X"], &["HA", "CK"]],
        "finish it, or open an issue",
        true,
    );
    bans.extend(ban(
        &[
            &["ag", "ent"],
            &["ag", "ents"],
            &["suba", "gent"],
            &["chat", "gpt"],
            &["cla", "ude"],
            &["cop", "ilot"],
            &["language ", "model"],
            &["work", "place"],
            &["this ", "session"],
            &["previous ", "session"],
            &["next ", "session"],
        ],
        "the repository speaks of the product, not of how it was made",
        false,
    ));
    bans.extend(ban(
        &[
            &["/wo", "rk/"],
            &["/ro", "ot/"],
            &["/ho", "me/"],
            &["/tmp/", "tgt"],
            &["index.", "crates.io"],
            &["static.", "crates.io"],
            &["registry.", "npmjs.org"],
            &["py", "pi.org"],
            &["python", "hosted.org"],
            &["deb.", "debian.org"],
        ],
        "a place on one machine or network: the next one is different",
        false,
    ));
    bans
}

/// Lock files hold checksums, in which letters mean nothing.
const LOCKS: [&str; 2] = ["Cargo.lock", "package-lock.json"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let bans = bans();
    let mut findings = Vec::new();
    for file in files {
        let lower = file.text.to_ascii_lowercase();
        for ban in &bans {
            let is_place = ban.word.contains(['/', '.']);
            if file.ends_with(&LOCKS) && !is_place {
                continue;
            }
            let text = if ban.exact { &file.text } else { &lower };
            for at in places(text, &ban.word) {
                let what = format!("{:?}: {}", ban.word, ban.why);
                findings.push(Finding::new(file, line_of(text, at), what));
            }
        }
    }
    findings
}

/// Where `word` stands by itself.
fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let free = move |at: usize| {
        let (before, rest) = text.split_at(at);
        let after = rest.get(word.len()..).unwrap_or("");
        let bare = word.starts_with('/') || word.ends_with('/');
        let left = before.chars().next_back().is_none_or(|c| !inner(c));
        let right = after.chars().next().is_none_or(|c| !inner(c));
        if bare { left } else { left && right }
    };
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| free(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[File::new(path, text)]).len()
    }

    #[test]
    fn each_word_is_found_by_itself_and_not_inside_another() {
        for ban in bans() {
            assert_eq!(
                count("a.md", &format!("one {} two", ban.word)),
                1,
                "{}",
                ban.word
            );
            assert_eq!(
                count("a.md", &format!("onex{}", ban.word)),
                0,
                "{}",
                ban.word
            );
        }
        assert_eq!(count("a.md", &["Ag", "ent"].concat()), 1);
        assert_eq!(count("a.md", "a todo list, a reagent, the usersessions"), 0);
    }

    #[test]
    fn lock_files_are_searched_for_places_only() {
        let mark = ["XX", "X"].concat();
        let host = ["registry.", "npmjs.org"].concat();
        assert_eq!(count("tools/package-lock.json", &mark), 0);
        assert_eq!(count("tools/package-lock.json", &host), 1);
    }

    #[test]
    fn tells_the_line() {
        let text = ["a\nb\n", "FIX", "ME"].concat();
        assert_eq!(
            check(&[File::new("a", &text)])
                .first()
                .map(|finding| finding.line),
            Some(3)
        );
    }
}
