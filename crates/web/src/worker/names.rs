//! What tasks are called: each name belongs to one task, as in what the command line prints.

use std::collections::HashSet;

/// Names tasks in the order of their numbers.
#[derive(Default)]
pub(super) struct TaskNames {
    seen: HashSet<String>,
    given: usize,
}

impl TaskNames {
    /// The name of the next task, which its template calls `name`: just that for the first one, and with the number of
    /// the task for those after it.
    pub(super) fn next(&mut self, name: &str) -> String {
        let number = self.given;
        self.given += 1;
        if self.seen.contains(name) {
            return format!("{name}#{number}");
        }
        self.seen.insert(name.to_string());
        name.to_string()
    }
}
