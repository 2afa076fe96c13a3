//! What tasks are called: each name belongs to one task, as in what the command line prints.

/// Names tasks in the order of their numbers.
#[derive(Default)]
pub(super) struct TaskNames {
    /// The names given, by a number made of their letters: the standard library's set would be compiled for this alone.
    seen: Vec<Vec<String>>,
    given: usize,
}

/// So many lists of names there are: thousands of tasks have a few in each.
const LISTS: usize = 256;

impl TaskNames {
    /// The name of the next task, which its template calls `name`: just that for the first one, and with the number of
    /// the task for those after it.
    pub(super) fn next(&mut self, name: &str) -> String {
        let number = self.given;
        self.given += 1;
        self.seen.resize(LISTS, Vec::new());
        let letters = name.bytes().map(usize::from);
        let list = letters.fold(0_usize, |sum, letter| sum.wrapping_mul(31) ^ letter) % LISTS;
        let seen = &mut self.seen[list];
        if seen.iter().any(|known| known == name) {
            return format!("{name}#{number}");
        }
        seen.push(name.to_string());
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_a_name_has_its_number() {
        let mut names = TaskNames::default();
        let mut next = |name: &str| names.next(name);
        assert_eq!(
            (next("hog 0"), next("hog 1")),
            ("hog 0".into(), "hog 1".into())
        );
        assert_eq!(next("hog 0"), "hog 0#2");
        assert_eq!(next("hog 2"), "hog 2");
    }
}
