//! The words after `cargo xtask`: taken one by one, and none may be left over.

use std::str::FromStr;

use crate::Outcome;

/// Words not yet taken.
pub(crate) struct Args {
    words: Vec<String>,
    /// What stands behind `--`: for the programs that xtask calls.
    pub(crate) rest: Vec<String>,
}

impl Args {
    /// Splits at the first `--`.
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        let mut words: Vec<String> = words.collect();
        let rest = match words.iter().position(|word| word == "--") {
            Some(at) => words.split_off(at).split_off(1),
            None => Vec::new(),
        };
        Self { words, rest }
    }

    /// The next word, whatever it is.
    pub(crate) fn word(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// Whether `name` was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.words.iter().position(|word| word == name) {
            Some(at) => {
                self.words.remove(at);
                true
            }
            None => false,
        }
    }

    /// The value of `name`, given as `name value` or `name=value`.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Outcome<Option<T>> {
        let joined = format!("{name}=");
        let Some(at) = self
            .words
            .iter()
            .position(|word| word == name || word.starts_with(&joined))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        let text = match word.strip_prefix(&joined) {
            Some(text) => text.to_string(),
            None if at < self.words.len() => self.words.remove(at),
            None => return Err(format!("{name} needs a value")),
        };
        text.parse()
            .map(Some)
            .map_err(|_| format!("{name}: {text:?} is not such a value"))
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Outcome {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(format!(
                "{word:?} is one word too many; see `cargo xtask help`"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(String::from))
    }

    #[test]
    fn takes_flags_values_and_the_rest() {
        let mut args = args("serve --port 80 --base=/x/ --watch -- --port 81");
        assert_eq!(args.word().as_deref(), Some("serve"));
        assert!(args.flag("--watch"));
        assert!(!args.flag("--watch"));
        assert_eq!(args.value("--port"), Ok(Some(80)));
        assert_eq!(args.value("--base"), Ok(Some("/x/".to_string())));
        assert_eq!(args.rest, ["--port", "81"]);
        assert_eq!(args.end(), Ok(()));
    }

    #[test]
    fn names_what_is_wrong() {
        assert!(
            args("--port x")
                .value::<u16>("--port")
                .unwrap_err()
                .contains("\"x\"")
        );
        assert!(
            args("--port")
                .value::<u16>("--port")
                .unwrap_err()
                .contains("needs a value")
        );
        assert!(args("--prot 1").end().unwrap_err().contains("--prot"));
    }
}
