//! Counts and the words behind them: 1 task, 2 tasks.

use alloc::format;
use alloc::string::String;

/// The word that goes with `n`.
pub const fn form<'w>(n: u64, one: &'w str, more: &'w str) -> &'w str {
    if n == 1 { one } else { more }
}

/// `n` and the word that goes with it.
pub fn counted(n: impl Into<u64>, one: &str, more: &str) -> String {
    let n = n.into();
    format!("{n} {}", form(n, one, more))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_one() {
        let tasks = |n: u64| counted(n, "task", "tasks");
        assert_eq!(tasks(0), "0 tasks");
        assert_eq!(tasks(1), "1 task");
        assert_eq!(tasks(21), "21 tasks");
        assert_eq!(form(1, "waits", "wait"), "waits");
    }
}
