//! Whether the names that statements use exist, are of the right sort, and say which one they mean.

use super::read::Reader;
use super::tree::{Index, Ref, Sort, ThingKind};
use super::{FILES, Fault};
use crate::words::nearest::nearest;
use crate::words::plural::counted;
use crate::workload::ipc::ChannelKind;
use alloc::format;
use alloc::string::String;
use core::ops::Range;

/// A name that was declared.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) count: Option<u32>,
    /// The team it is in, as an index into the list of these.
    pub(super) team: Option<usize>,
    pub(super) what: What,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Thing(ThingKind),
    Task { child: bool },
    Team,
}

/// A name that a statement used.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) range: Range<usize>,
    pub(super) thing: Ref,
    pub(super) sort: Sort,
    /// The team in which the statement stands.
    pub(super) team: Option<usize>,
    /// How many tasks say it.
    pub(super) copies: u32,
    /// How much is sent there, bytes.
    pub(super) sends: u32,
}

impl Sort {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Sort::Channel => "channel",
            Sort::Queue => "queue",
            Sort::Lock => "lock",
            Sort::Barrier => "barrier",
            Sort::Child => "child",
        }
    }
}

impl What {
    /// What it is called in messages.
    const fn word(self) -> &'static str {
        match self {
            What::Thing(kind) => kind.sort().word(),
            What::Task { child: true } => "child",
            What::Task { child: false } => "task",
            What::Team => "team",
        }
    }

    fn is(self, sort: Sort) -> bool {
        match self {
            What::Thing(kind) => kind.sort() == sort,
            What::Task { child } => child && sort == Sort::Child,
            What::Team => sort == Sort::Child,
        }
    }
}

impl Reader<'_> {
    /// Looks every name up.
    pub(super) fn resolve(&mut self) {
        let whole = self.parsed.faults.is_empty();
        for used in core::mem::take(&mut self.uses) {
            let Err((says, near)) = self.judge(&used) else {
                continue;
            };
            let name = &used.thing.name;
            let told = |fault: &Fault| fault.found == *name && fault.says == says;
            if !FILES || !self.parsed.faults.iter().any(told) {
                self.fault_near(used.range, name, says, near.as_deref());
            }
        }
        // Marks may stand in what was not understood.
        if whole {
            self.resolve_origins();
        }
    }

    /// A mark is measured from on only if somebody passes it.
    fn resolve_origins(&mut self) {
        for (range, name) in core::mem::take(&mut self.origins) {
            if !self.marks.contains(&name) {
                let near = nearest(&name, self.marks.iter().map(String::as_str)).map(String::from);
                let says = String::from("is no mark that anybody passes, nor expiry or wake");
                self.fault_near(range, &name, says, near.as_deref());
            }
        }
    }

    fn judge(&self, used: &Use) -> Result<(), (String, Option<String>)> {
        let plain = |says: String| (says, None);
        let name = &used.thing.name;
        let Some(found) = self.declared.iter().find(|d| d.name == *name) else {
            if FILES && self.doubtful.contains(&name.as_str()) {
                return Ok(());
            }
            let same = |d: &&Declared| d.what.is(used.sort);
            let names = self.declared.iter().filter(same).map(|d| d.name.as_str());
            let near = nearest(name, names).map(String::from);
            return Err((format!("is no {}", used.sort.word()), near));
        };
        if found.team.is_some() && found.team != used.team {
            let team = found.team.and_then(|t| self.declared.get(t));
            let team = team.map_or("", |t| t.name.as_str());
            return Err(plain(format!(
                "belongs to each copy of the team {team}; nothing outside of it can name it"
            )));
        }
        if !found.what.is(used.sort) {
            let (is, wanted) = (found.what.word(), used.sort.word());
            return Err(plain(format!("is a {is}, not a {wanted}")));
        }
        match found.what {
            What::Thing(kind) => index_fits(found, used)
                .and_then(|()| message_fits(kind, used))
                .map_err(plain),
            What::Team => self.team_forks(found, used).map_err(plain),
            What::Task { .. } => Ok(()),
        }
    }

    /// A team can be forked if it has children, and not by one of its own tasks.
    fn team_forks(&self, found: &Declared, used: &Use) -> Result<(), String> {
        let at = self.declared.iter().position(|d| d.name == found.name);
        let child = |d: &Declared| d.team == at && matches!(d.what, What::Task { child: true });
        if used.team == at {
            return Err(String::from("is the team of this very task"));
        }
        if self.declared.iter().any(child) {
            return Ok(());
        }
        Err(String::from("is a team without a child to fork"))
    }
}

fn index_fits(found: &Declared, used: &Use) -> Result<(), String> {
    let name = &found.name;
    match (found.count, used.thing.index) {
        (None, Index::Only) => Ok(()),
        (None, _) => Err(format!("is the only one of its name: say {name}")),
        (Some(n), Index::Only) => Err(format!(
            "is one of {n}: say {name}.0 to {name}.{}, .me, .next, .each or .others",
            n - 1
        )),
        (Some(_), Index::Here) if used.sort != Sort::Lock => Err(String::from(
            "has none for each CPU: .here is for locks alone",
        )),
        (Some(n), Index::Number(i)) if i >= n => {
            Err(format!("has no number {i}: the last is {name}.{}", n - 1))
        }
        (Some(n), Index::Me | Index::Next | Index::Others) if used.copies > n => Err(format!(
            "has {n} for {}: each task needs one of its number",
            counted(used.copies, "task", "tasks")
        )),
        (Some(_), _) => Ok(()),
    }
}

/// A message that is larger than an empty pipe never gets in.
fn message_fits(kind: ThingKind, used: &Use) -> Result<(), String> {
    let ThingKind::Channel(kind @ ChannelKind::Pipe, buffer, _) = kind else {
        return Ok(());
    };
    let room = buffer.unwrap_or(kind.capacity().0);
    if used.sends <= room {
        return Ok(());
    }
    Err(format!("holds {room} bytes: {} never fit", used.sends))
}
