//! What tasks do that is allowed and hardly meant: locks released that are not held or taken by who holds them, timers that
//! no kernel keeps up with.
//!
//! Not here: what is wrong, which reading finds (`read`, `resolve`).

use super::Script;
use super::tree::{Index, Ref, Stmt};
use crate::time::Nanos;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The shortest period that makes sense, as of the workloads of the catalog: the interrupt of a timer alone takes 1.2 to
/// 3 us ([`crate::machine::cost::Direct::timer`]).
const SHORTEST: Nanos = Nanos::from_micros(1);

impl Script {
    /// Each with the name of the tasks that do it, and what to do about it.
    ///
    /// ```
    /// use schedlab_engine::workload::lang;
    /// let script = lang::parse("lock l; task a { lock l; unlock l; unlock l }", &[]).script;
    /// assert_eq!(script.oddities()[0].0, "a");
    /// ```
    pub fn oddities(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for task in self.every_task() {
            let mut odd = Vec::new();
            walk(&task.body, &mut Held::default(), &mut odd);
            odd.dedup();
            all.extend(odd.into_iter().map(|words| (task.name.clone(), words)));
        }
        all
    }
}

/// The locks that a task may hold, and those among them that it does hold.
#[derive(Clone, Default)]
struct Held<'s> {
    maybe: Vec<&'s Ref>,
    surely: Vec<&'s Ref>,
}

impl<'s> Held<'s> {
    fn unlock(&mut self, lock: &'s Ref) {
        self.maybe.retain(|other| *other != lock);
        self.surely.retain(|other| !may_be(other, lock));
    }

    /// As it is here or there.
    fn or(&mut self, other: Held<'s>) {
        self.surely.retain(|lock| other.surely.contains(lock));
        self.maybe.extend(other.maybe);
    }
}

/// Goes through `body` with the locks that are held; false if nothing behind it is reached.
fn walk<'s>(body: &'s [Stmt], held: &mut Held<'s>, odd: &mut Vec<String>) -> bool {
    for stmt in body {
        match stmt {
            Stmt::Lock(lock) if held.surely.contains(&lock) => {
                let name = &lock.name;
                odd.push(format!(
                    "lock {name}: it holds {name} already, and waits for itself; unlock it before, or take this out"
                ));
                return false;
            }
            Stmt::Lock(lock) => {
                held.maybe.push(lock);
                // Which one .here is changes with the CPU, and .others may be none.
                if !matches!(lock.index, Index::Here | Index::Others) {
                    held.surely.push(lock);
                }
            }
            Stmt::Unlock(lock) => {
                if !held.maybe.iter().any(|other| may_be(other, lock)) {
                    let name = &lock.name;
                    odd.push(format!(
                        "unlock {name}: it does not hold {name} there, so that nothing happens; \
                         lock it before, or take this out"
                    ));
                }
                held.unlock(lock);
            }
            Stmt::Timer(period, _) if *period < SHORTEST => odd.push(format!(
                "timer {period}: no timer comes as often, its interrupt takes longer than that; \
                 the task hardly sleeps, and the run is slow; use {SHORTEST} or more"
            )),
            Stmt::Loop(rounds, inner) => {
                // What the first round leaves held, the second finds.
                let rounds = rounds.unwrap_or(2).min(2);
                let goes_on = (0..rounds).all(|_| walk(inner, held, odd));
                if !goes_on {
                    return false;
                }
            }
            Stmt::Choose(_, yes, no) => {
                let mut other = held.clone();
                match (walk(yes, held, odd), walk(no, &mut other, odd)) {
                    (true, true) => held.or(other),
                    (true, false) => {}
                    (false, true) => *held = other,
                    (false, false) => return false,
                }
            }
            Stmt::Exit => return false,
            _ => {}
        }
    }
    true
}

/// May two names mean the same lock? One that stands for several may be any of them.
fn may_be(a: &Ref, b: &Ref) -> bool {
    let is_one = |thing: &Ref| matches!(thing.index, Index::Only | Index::Number(_) | Index::Me);
    a.name == b.name && (a.index == b.index || !(is_one(a) && is_one(b)))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use alloc::vec::Vec;

    fn oddities(text: &str) -> Vec<alloc::string::String> {
        let parsed = parse(text, &[]);
        assert_eq!(parsed.faults, [], "{text}");
        let odd = parsed.script.oddities().into_iter();
        odd.map(|(task, words)| {
            let words = words.split(':').next().unwrap_or("");
            alloc::format!("{task}: {words}")
        })
        .collect()
    }

    #[test]
    fn a_lock_is_released_by_who_holds_it() {
        for (text, odd) in [
            ("lock l; task a { lock l; run 1ms; unlock l }", ""),
            ("lock l; task a { unlock l; run 1ms }", "a: unlock l"),
            (
                "lock l; task a { lock l; unlock l; unlock l }",
                "a: unlock l",
            ),
            ("lock l; task a forever { lock l; unlock l }", ""),
            ("lock l; task a forever { unlock l; lock l }", "a: unlock l"),
            ("lock l; task a { lock l; loop 2 unlock l }", "a: unlock l"),
            ("lock l; task a { lock l; loop 1 unlock l }", ""),
            ("lock l; task a { choose 50% lock l; unlock l }", ""),
            (
                "lock l; task a { choose 50% { lock l; unlock l } else exit }",
                "",
            ),
            (
                "lock l; lock m; task a { lock l; unlock m; unlock l }",
                "a: unlock m",
            ),
            ("lock l * 2; task a * 2 { lock l.me; unlock l.next }", ""),
            (
                "lock l * 2; task a { lock l.0; unlock l.1; unlock l.0 }",
                "a: unlock l",
            ),
            (
                "lock l * 2; task a { lock l.each; unlock l.0; unlock l.1 }",
                "",
            ),
            ("lock l * 4; task a { lock l.here; unlock l.here }", ""),
            ("lock l; task a { exit; unlock l }", ""),
            ("lock l; task a { lock l; run 1ms; lock l }", "a: lock l"),
            ("lock l; task a forever { lock l; run 1ms }", "a: lock l"),
            ("lock l; task a loop 1 { lock l; run 1ms }", ""),
            ("lock l; task a { lock l; choose 50% unlock l; lock l }", ""),
            (
                "lock l; task a { choose 50% lock l else { lock l; run 1ms }; lock l }",
                "a: lock l",
            ),
            (
                "lock l; task a { choose 50% lock l else exit; lock l }",
                "a: lock l",
            ),
            ("lock l * 2; task a { lock l.0; lock l.1 }", ""),
            (
                "lock l * 2; task a { lock l.each; lock l.each }",
                "a: lock l",
            ),
            ("lock l * 4; task a { lock l.here; lock l.here }", ""),
            (
                "lock l; team t { child c unlock l }; task a fork t",
                "c: unlock l",
            ),
        ] {
            let found = oddities(text);
            let expected: Vec<&str> = odd.split_terminator(", ").collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_timer_is_no_faster_than_its_interrupt() {
        assert_eq!(
            oddities("task a forever { timer 999ns; run 1us }"),
            ["a: timer 999ns"]
        );
        assert_eq!(oddities("task a forever { timer 1us; run 1us }").len(), 0);
    }
}
