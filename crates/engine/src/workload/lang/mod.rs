//! The workload language: a small text form for tasks, what they share and what they do.
//!
//! `docs/workload-language.md` describes it. [`parse`] is total: any text gives a [`Script`] or the list of
//! everything that is wrong with it. A script prints itself ([`Script::pretty`], [`Script::compact`]) such that
//! reading gives it back, and unrolls itself into a [`World`] ([`Script::build`]). Not here: machines, kernels and
//! groups, which stand in the same file but belong to the configuration; [`parse`] hands their lines on.

mod cursor;
mod expand;
mod fault;
mod heritage;
mod join;
mod oddities;
mod one;
mod print;
mod read;
mod read_stmt;
mod resolve;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod token;
mod tree;
mod values;
mod words;

pub use fault::Fault;
pub use words::{DECLARATIONS, STATEMENTS, TRAITS, Word};

use crate::machine::CpuMask;
use crate::workload::World;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use expand::Expander;
use tree::{Item, Task};

/// Are texts of several lines read, in which a brace that is missed would be told many times over? The page reads links,
/// whose tasks are on one line, and has no use for what finds it.
const FILES: bool = cfg!(not(target_arch = "wasm32"));

/// Only this many bytes of a text are read.
pub const MAX_BYTES: usize = 64 * 1024;

/// Blocks nest no deeper.
pub const MAX_NESTING: usize = 16;

/// The largest count of tasks, things or copies.
pub const MAX_COUNT: u32 = World::MAX_TASKS as u32;

/// A script has no more things than this, copies included.
pub const MAX_THINGS: usize = 65_536;

/// A script has no more operations than this when everything is unrolled: 32 MiB of them.
pub const MAX_OPS: usize = 1 << 21;

/// Names are no longer.
pub const MAX_NAME: usize = 40;

/// At most this many faults are listed.
pub const MAX_FAULTS: usize = 100;

/// Tasks as a text describes them; well-formed, whatever is asked of it.
#[derive(Clone, Debug, Default, Eq)]
pub struct Script {
    items: Arc<Vec<Item>>,
    tasks: u32,
}

impl PartialEq for Script {
    /// What is written alike means the same: comparing the trees of items would be 3 kB of the page.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.items, &other.items) || self.compact() == other.compact()
    }
}

/// A line that is not the language's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The bytes of its first word.
    pub key: Range<usize>,
    /// The bytes of the rest of the line.
    pub value: Range<usize>,
}

/// What a text says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Its tasks; none if anything is wrong.
    pub script: Script,
    /// Lines that begin with one of the words handed to [`parse`].
    pub settings: Vec<Setting>,
    /// Groups that tasks say they are in, and where.
    pub groups: Vec<(Range<usize>, String)>,
    /// Everything that is wrong with it, in order.
    pub faults: Vec<Fault>,
}

/// Reads `text`. Lines that begin with one of the words in `settings` are handed back unread.
///
/// ```
/// use schedlab_engine::workload::lang;
/// let parsed = lang::parse("task hog * 3 nice 5 run forever", &[]);
/// assert_eq!(parsed.script.tasks(), 3);
/// let parsed = lang::parse("task hog nise 5 run forever", &[]);
/// assert_eq!(parsed.faults[0].nearest.as_deref(), Some("nice"));
/// ```
pub fn parse(text: &str, settings: &[&str]) -> Parsed {
    read::parse(text, settings)
}

/// Does `word` begin a declaration?
pub fn is_declaration(word: &str) -> bool {
    words::DECLARATION_NAMES.contains(&word)
}

impl Script {
    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many tasks it makes, each child counted once for each set of traits it is forked with.
    pub const fn tasks(&self) -> u32 {
        self.tasks
    }

    /// Adds it to `world` as one more workload; `group_of` numbers the groups it names, and `usual` is the group of
    /// tasks that name none.
    pub fn build(&self, world: &mut World, usual: u16, group_of: &dyn Fn(&str) -> u16) {
        let built = Expander::new(world, usual, group_of).run(&self.items);
        debug_assert!(
            built.is_ok(),
            "what is too large was refused when it was read"
        );
    }

    /// The groups that its tasks name.
    pub fn groups(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for task in self.every_task() {
            names.extend(task.traits.group.as_deref());
            cpusets_of(&task.body, &mut |group, _| names.push(group));
        }
        names
    }

    /// The cpusets that its tasks give to groups.
    pub fn cpusets(&self) -> Vec<(&str, CpuMask)> {
        let mut sets = Vec::new();
        for task in self.every_task() {
            cpusets_of(&task.body, &mut |group, cpus| sets.push((group, cpus)));
        }
        sets
    }

    /// The sessions that its tasks name.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.every_task()
            .filter_map(|t| t.traits.session.as_deref())
    }

    /// Every set of CPUs that it names, with the task that does.
    pub fn cpu_sets(&self) -> Vec<(&str, CpuMask)> {
        let mut all = Vec::new();
        for task in self.every_task() {
            let mut sets = Vec::new();
            sets.extend(task.traits.cpus);
            cpus_of(&task.body, &mut sets);
            all.extend(sets.into_iter().map(|cpus| (task.name.as_str(), cpus)));
        }
        all
    }

    /// Does any task ask for a slice?
    pub fn asks_for_slices(&self) -> bool {
        self.every_task().any(|t| t.traits.slice.is_some())
    }

    /// Does any task come to its end by itself? A child that nobody forks does not: it never is.
    pub fn ends(&self) -> bool {
        let mut forked = Vec::new();
        loop {
            let known = forked.len();
            let named = |name: &str| forked.contains(&name);
            let there: Vec<&Task> = (self.placed())
                .filter(|(team, task)| !task.child || named(&task.name) || team.is_some_and(named))
                .map(|(_, task)| task)
                .collect();
            if there.iter().any(|task| task.ends()) {
                return true;
            }
            for task in there {
                forked_by(&task.body, &mut forked);
            }
            if forked.len() == known {
                return false;
            }
        }
    }

    fn every_task(&self) -> impl Iterator<Item = &Task> {
        self.placed().map(|(_, task)| task)
    }

    /// Its tasks, each with the team that it is in.
    fn placed(&self) -> impl Iterator<Item = (Option<&str>, &Task)> {
        self.items.iter().flat_map(tasks_of)
    }
}

/// The tasks that an item declares, with its name if it is a team.
fn tasks_of(item: &Item) -> impl Iterator<Item = (Option<&str>, &Task)> {
    let (one, team, many): (_, _, &[Item]) = match item {
        Item::Task(task) => (Some((None, task)), None, &[]),
        Item::Team(team) => (None, Some(team.name.as_str()), &team.items),
        Item::Thing(_) => (None, None, &[]),
    };
    let inside = many.iter().filter_map(move |item| match item {
        Item::Task(task) => Some((team, task)),
        Item::Team(_) | Item::Thing(_) => None,
    });
    one.into_iter().chain(inside)
}

fn cpusets_of<'s>(body: &'s [tree::Stmt], each: &mut dyn FnMut(&'s str, CpuMask)) {
    for stmt in body {
        if let tree::Stmt::Cpuset(group, cpus) = stmt {
            each(group, *cpus);
        }
        for block in stmt.blocks() {
            cpusets_of(block, each);
        }
    }
}

/// Adds the children and teams that `body` forks to `names`.
fn forked_by<'s>(body: &'s [tree::Stmt], names: &mut Vec<&'s str>) {
    for stmt in body {
        if let tree::Stmt::Fork(name) | tree::Stmt::ForkWait(name) = stmt
            && !names.contains(&name.as_str())
        {
            names.push(name);
        }
        for block in stmt.blocks() {
            forked_by(block, names);
        }
    }
}

fn cpus_of(body: &[tree::Stmt], sets: &mut Vec<CpuMask>) {
    for stmt in body {
        if let tree::Stmt::Cpus(cpus) | tree::Stmt::Cpuset(_, cpus) = stmt {
            sets.push(*cpus);
        }
        for block in stmt.blocks() {
            cpus_of(block, sets);
        }
    }
}
