//! Putting scripts together, and putting one into a group.

use super::Script;
use super::tree::{Item, Stmt};
use crate::order::Map;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Script {
    /// Both, one after the other. Names of the second that the first has already get a number.
    #[must_use]
    pub fn and(&self, other: &Script) -> Script {
        let mut taken = Map::new();
        names_of(&self.items, &mut taken);
        let mut own = Map::new();
        names_of(&other.items, &mut own);
        let mut items = (*other.items).clone();
        for name in own.keys().filter(|name| taken.get(*name).is_some()) {
            let free = |new: &String| taken.get(new).is_none() && own.get(new).is_none();
            let new = (2_u32..=u32::MAX).map(|n| format!("{name}-{n}")).find(free);
            let new = new.unwrap_or_else(|| name.clone());
            rename(&mut items, name, &new);
        }
        let all = self.items.iter().cloned().chain(items);
        Script {
            items: Arc::new(all.collect()),
            tasks: self.tasks + other.tasks,
        }
    }

    /// The same with its tasks in `group`, as far as they are in none.
    #[must_use]
    pub fn in_group(&self, group: &str) -> Script {
        let mut items = (*self.items).clone();
        for_each_task(&mut items, &mut |task| {
            if let Item::Task(task) = task
                && !task.child
            {
                task.traits.group.get_or_insert_with(|| group.to_string());
            }
        });
        Script {
            items: Arc::new(items),
            tasks: self.tasks,
        }
    }
}

fn names_of(items: &[Item], names: &mut Map<String, ()>) {
    for item in items {
        names.insert(name_of(item).to_string(), ());
        if let Item::Team(team) = item {
            names_of(&team.items, names);
        }
        if let Item::Task(task) = item
            && let Some(space) = &task.traits.space
        {
            names.insert(space.clone(), ());
        }
    }
}

fn name_of(item: &Item) -> &str {
    match item {
        Item::Thing(thing) => &thing.name,
        Item::Task(task) => &task.name,
        Item::Team(team) => &team.name,
    }
}

fn for_each_task(items: &mut [Item], change: &mut impl FnMut(&mut Item)) {
    for item in items {
        match item {
            Item::Team(team) => {
                for inside in &mut team.items {
                    change(inside);
                }
            }
            item => change(item),
        }
    }
}

/// Calls what was called `from` `to`, wherever it is named. The role of a task that changes its name stays.
fn rename(items: &mut [Item], from: &str, to: &str) {
    let change = |name: &mut String| {
        if name == from {
            *name = to.to_string();
        }
    };
    for item in items {
        match item {
            Item::Thing(thing) => change(&mut thing.name),
            Item::Team(team) => {
                change(&mut team.name);
                rename(&mut team.items, from, to);
            }
            Item::Task(task) => {
                if task.name == from {
                    task.traits.role.get_or_insert_with(|| from.to_string());
                }
                change(&mut task.name);
                task.traits.space.iter_mut().for_each(change);
                rename_in(&mut task.body, &change);
            }
        }
    }
}

fn rename_in(body: &mut Vec<Stmt>, change: &impl Fn(&mut String)) {
    for stmt in body {
        match stmt {
            Stmt::Loop(_, body) => rename_in(body, change),
            Stmt::Choose(_, yes, no) => {
                rename_in(yes, change);
                rename_in(no, change);
            }
            Stmt::Fork(name) | Stmt::ForkWait(name) => change(name),
            stmt => stmt
                .thing_mut()
                .into_iter()
                .for_each(|t| change(&mut t.name)),
        }
    }
}
