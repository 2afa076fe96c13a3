//! Reading declarations: things, tasks with their traits, teams, and the lines that belong to somebody else.
//!
//! After a fault reading goes on at the next statement, so that one reading finds them all. Statements are in
//! `read_stmt`; whether names exist is looked at when everything is read (`resolve`).

use super::expand::measure;
use super::resolve::{Declared, Use, What};
use super::token::{Kind, Token, Tokens};
use super::tree::{Item, Task, Team, Thing, ThingKind, Traits};
use super::values::{self, Value};
use super::words::{self, DECLARATION_NAMES, STATEMENT_NAMES, TRAIT_NAMES};
use super::{FILES, MAX_BYTES, Parsed, Script, Setting};
use crate::order::sorted;
use crate::task::{Nice, Policy, RtPriority};
use crate::time::Instant;
use crate::workload::ipc::{LockKind, QueueKind};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

/// A text being read.
pub(super) struct Reader<'a> {
    pub(super) tokens: Tokens<'a>,
    pub(super) settings: &'a [&'a str],
    /// What has been declared so far, and where.
    pub(super) declared: Vec<Declared>,
    /// Names that statements used.
    pub(super) uses: Vec<Use>,
    /// Marks that tasks pass, and those that others measure from on.
    pub(super) marks: Vec<String>,
    pub(super) origins: Vec<(Range<usize>, String)>,
    /// The team being read, as an index into `declared`.
    pub(super) team: Option<usize>,
    /// How many tasks the one being read is.
    pub(super) copies: u32,
    /// Names of declarations that were not understood.
    pub(super) doubtful: Vec<&'a str>,
    /// Has a brace been missed? Then what stands outside of all blocks, and braces too many, are no faults of their own.
    pub(super) astray: bool,
    /// Blocks open, and loops among them.
    pub(super) depth: (usize, usize),
    pub(super) parsed: Parsed,
}

pub(super) fn parse(text: &str, settings: &[&str]) -> Parsed {
    let kept = text
        .get(..text.floor_char_boundary(MAX_BYTES))
        .unwrap_or("");
    let mut reader = Reader {
        tokens: Tokens::new(kept),
        settings,
        declared: Vec::new(),
        uses: Vec::new(),
        marks: Vec::new(),
        origins: Vec::new(),
        team: None,
        copies: 1,
        doubtful: Vec::new(),
        astray: false,
        depth: (0, 0),
        parsed: Parsed::default(),
    };
    let items = reader.items();
    if kept.len() < text.len() {
        let says = format!("the text is too long: at most {MAX_BYTES} bytes");
        reader.fault(kept.len()..text.len(), "", says);
    }
    if !reader.is_astray() {
        reader.resolve();
    }
    reader.finish(items)
}

impl<'a> Reader<'a> {
    /// The script, if nothing is wrong and it is not too large.
    fn finish(mut self, items: Vec<Item>) -> Parsed {
        if self.parsed.faults.is_empty() {
            match measure(&items) {
                Ok(tasks) => {
                    self.parsed.script = Script {
                        items: Arc::new(items),
                        tasks,
                    };
                }
                Err(says) => self.fault(0..0, "", says),
            }
        }
        self.parsed.faults = sorted(&self.parsed.faults, |a, b| {
            a.range.start.cmp(&b.range.start)
        });
        self.parsed
    }

    /// Declarations up to the end of the text, or of the team.
    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            let token = self.tokens.peek();
            match token.kind {
                Kind::Eof => return items,
                Kind::Close if self.team.is_some() => return items,
                Kind::End => drop(self.tokens.next()),
                Kind::Close => self.close_nothing(),
                _ => {
                    if self.setting(token) {
                        continue;
                    }
                    if FILES && self.stray(token) {
                        self.skip_statement();
                        continue;
                    }
                    match self.item() {
                        Some(item) => {
                            items.push(item);
                            self.end();
                        }
                        None => self.skip_statement(),
                    }
                }
            }
        }
    }

    /// Does a statement stand here that is in no task? The first is a fault, of which those behind it are part.
    fn stray(&mut self, first: Token<'a>) -> bool {
        let declares = DECLARATION_NAMES.contains(&first.text);
        let mut ahead = self.tokens;
        ahead.next();
        let name = ahead.next().text;
        let known = declares && self.declared.iter().any(|d| d.name == name);
        let of_statement = self.is_astray() && (known || first.text == "else");
        let stray = STATEMENT_NAMES.contains(&first.text) && !declares;
        if stray && !self.is_astray() {
            let says =
                "is what a task does, and stands in no task: perhaps a { is missing before it";
            self.fault(first.range(), first.text, says);
            self.astray = true;
        }
        stray || of_statement
    }

    /// Notes a line that belongs to somebody else, if `first` begins one.
    fn setting(&mut self, first: Token<'a>) -> bool {
        let found = self.team.is_none() && self.settings.contains(&first.text);
        if found {
            self.tokens.next();
            let value = self.tokens.line().range();
            let key = first.range();
            self.parsed.settings.push(Setting { key, value });
        }
        found
    }

    /// One declaration; none if it is not understood.
    fn item(&mut self) -> Option<Item> {
        let first = self.tokens.next();
        Some(match first.text {
            "task" | "child" => Item::Task(self.task(first)?),
            "team" => Item::Team(self.team(first)?),
            _ => Item::Thing(self.thing(first)?),
        })
    }

    fn team(&mut self, first: Token<'a>) -> Option<Team> {
        if self.team.is_some() {
            self.fault(first.range(), first.text, "may not stand in another team");
            return None;
        }
        let (name, count) = self.named(first, What::Team)?;
        self.team = self.declared.len().checked_sub(1);
        let open = self.open("the team's declarations in { }");
        let items = open.map(|open| {
            let items = self.items();
            self.close(open);
            items
        });
        self.team = None;
        Some(Team {
            name,
            count,
            items: items?,
        })
    }

    fn thing(&mut self, first: Token<'a>) -> Option<Thing> {
        if self.team.is_some() && self.settings.contains(&first.text) {
            let says = "is a setting, which may not stand in a team";
            self.fault(first.range(), first.text, says);
            return None;
        }
        let Some(kind) = thing_kind(first.text) else {
            let known = DECLARATION_NAMES;
            let wanted = match self.team {
                Some(_) => "a declaration (task, child, pipe, socket, tcp, queue, lock, barrier)",
                None => {
                    "a declaration (task, team, pipe, lock, \u{2026}) or a setting (machine, kernel, \u{2026})"
                }
            };
            let settings = self.settings;
            self.expected(
                first,
                wanted,
                known.into_iter().chain(settings.iter().copied()),
            );
            self.doubt(self.tokens.peek().text);
            return None;
        };
        let (name, count) = self.named(first, What::Thing(kind))?;
        let kind = match kind {
            ThingKind::Channel(..) => self.channel_traits(kind),
            ThingKind::Queue(_) => self.queue_traits(),
            ThingKind::Lock(_) => self.lock_kind(kind)?,
            ThingKind::Barrier(_) => ThingKind::Barrier(self.parties()?),
        };
        if let Some(last) = self.declared.last_mut() {
            last.what = What::Thing(kind);
        }
        Some(Thing { name, count, kind })
    }

    /// What uses `name` is no fault of its own.
    fn doubt(&mut self, name: &'a str) {
        if FILES {
            self.doubtful.push(name);
        }
    }

    fn channel_traits(&mut self, kind: ThingKind) -> ThingKind {
        let ThingKind::Channel(kind, mut buffer, mut counted) = kind else {
            return kind;
        };
        while let Some(word) = self.take_word() {
            match word.text {
                "counted" => counted = true,
                "buffer" => {
                    let (_, least, most) = kind.capacity();
                    let size = |text: &str| values::bytes(text, least.into(), most.into());
                    buffer = self.value("a size such as 64KiB", size).map(|n| n as u32);
                }
                _ => self.expected(word, "buffer, counted or the end", ["buffer", "counted"]),
            }
        }
        ThingKind::Channel(kind, buffer, counted)
    }

    fn queue_traits(&mut self) -> ThingKind {
        let mut kind = QueueKind::Condition;
        while let Some(word) = self.take_word() {
            if let Some(known) = words::meaning(&words::QUEUES, word.text) {
                kind = known;
            } else {
                let known = words::QUEUES.map(|(name, _)| name);
                self.expected(word, "poll, semaphore or the end", known);
            }
        }
        ThingKind::Queue(kind)
    }

    fn lock_kind(&mut self, usual: ThingKind) -> Option<ThingKind> {
        let Some(word) = self.take_word() else {
            return Some(usual);
        };
        let kind = words::meaning(&words::LOCKS, word.text);
        if kind.is_none() {
            let wanted = "a kind of lock (futex, adaptive, spin-sleep, kernel-spin) or the end";
            self.expected(word, wanted, words::LOCKS.map(|(name, _)| name));
        }
        kind.map(ThingKind::Lock)
    }

    fn parties(&mut self) -> Option<u32> {
        let of = self.tokens.next();
        if of.is("of") {
            return self.value("how many must arrive, such as 4", values::count);
        }
        self.expected(of, "how many must arrive, such as of 4,", ["of"]);
        None
    }

    fn task(&mut self, first: Token<'a>) -> Option<Task> {
        let child = first.text == "child";
        let (name, count) = self.named(first, What::Task { child })?;
        self.copies = count.unwrap_or(1);
        let traits = self.traits(child);
        let body = self.statement_or_block("a trait of the task or what it does")?;
        Some(Task {
            name,
            count,
            child,
            traits,
            body,
        })
    }

    fn traits(&mut self, child: bool) -> Traits {
        let mut traits = Traits::default();
        loop {
            let word = self.tokens.peek();
            if word.kind != Kind::Word || !TRAIT_NAMES.contains(&word.text) {
                return traits;
            }
            self.tokens.next();
            if child && word.text == "start" {
                let says =
                    "is for tasks that are there from the start; a child starts when it is forked";
                self.fault(word.range(), word.text, says);
            }
            self.one_trait(word, &mut traits);
        }
    }

    fn policy(&mut self) -> Option<Policy> {
        let wanted = "a policy (normal, batch, idle, fifo, rr)";
        let known = words::POLICIES.map(|(name, _)| name);
        let name = self.choice(wanted, &known)?;
        let policy = words::meaning(&words::POLICIES, name)?;
        if policy.rt_priority() == 0 {
            return Some(policy);
        }
        let priority = self.value("a priority, 1 to 99", rt_priority)?;
        Some(policy.with_priority(priority))
    }

    fn one_trait(&mut self, word: Token<'a>, traits: &mut Traits) {
        match word.text {
            "nice" => self.set(word, &mut traits.nice, "a nice value", nice),
            "policy" => {
                let policy = self.policy();
                self.keep(word, &mut traits.policy, policy);
            }
            "slice" => self.set(word, &mut traits.slice, "a time such as 3ms", values::time),
            "slack" => self.set(word, &mut traits.slack, "a time such as 50us", values::time),
            "cpus" => {
                let cpus = self.cpus();
                self.keep(word, &mut traits.cpus, cpus);
            }
            "in" => {
                let group = self.group_name();
                self.keep(word, &mut traits.group, group);
            }
            "session" => self.set(word, &mut traits.session, "a session's name", values::name),
            "start" => {
                let start = |text: &str| values::time(text).map(|t| Instant(t.0));
                self.set(word, &mut traits.start, "a time such as 10ms", start);
            }
            "ws" => self.set(
                word,
                &mut traits.ws_kb,
                "a size such as 64KiB",
                values::ws_kb,
            ),
            "space" => self.set(word, &mut traits.space, "a name", values::name),
            _ => self.set(word, &mut traits.role, "a role", values::name),
        }
    }

    /// The name of a task group, which is looked up by whoever knows them.
    pub(super) fn group_name(&mut self) -> Option<String> {
        let at = self.tokens.peek();
        let name = self.value("a group's name", values::name)?;
        self.parsed.groups.push((at.range(), name.clone()));
        Some(name)
    }

    fn set<T>(
        &mut self,
        word: Token<'a>,
        slot: &mut Option<T>,
        wanted: &str,
        read: impl Fn(&str) -> Value<T>,
    ) {
        let value = self.value(wanted, read);
        self.keep(word, slot, value);
    }

    /// Takes a trait's value; a fault if it has one already.
    fn keep<T>(&mut self, word: Token<'a>, slot: &mut Option<T>, value: Option<T>) {
        if slot.is_some() && value.is_some() {
            self.fault(word.range(), word.text, "is said twice");
        }
        *slot = value.or(slot.take());
    }

    /// The name and count of a new declaration.
    fn named(&mut self, first: Token<'a>, what: What) -> Option<(String, Option<u32>)> {
        let at = self.tokens.peek();
        let name = self.value("a name", values::name)?;
        let mut count = None;
        if self.tokens.peek().kind == Kind::Times {
            self.tokens.next();
            count = self.value("a count such as 4", values::count);
            if count.is_none() {
                self.doubt(at.text);
                return None;
            }
        }
        if self.declared.iter().any(|d| d.name == name) {
            self.fault(
                at.range(),
                at.text,
                "is declared already; choose another name",
            );
            // Perhaps it was meant as a statement, and others follow.
            self.astray |= STATEMENT_NAMES.contains(&first.text);
        }
        self.declared.push(Declared {
            name: name.clone(),
            count,
            team: self.team,
            what,
        });
        Some((name, count))
    }
}

/// What kind of thing a word declares, with what holds if nothing more is said.
fn thing_kind(word: &str) -> Option<ThingKind> {
    if let Some(kind) = words::meaning(&words::CHANNELS, word) {
        return Some(ThingKind::Channel(kind, None, false));
    }
    match word {
        "queue" => Some(ThingKind::Queue(QueueKind::Condition)),
        "lock" => Some(ThingKind::Lock(LockKind::Futex)),
        "barrier" => Some(ThingKind::Barrier(1)),
        _ => None,
    }
}

pub(super) fn nice(text: &str) -> Value<Nice> {
    let (low, high) = (Nice::MIN.into(), Nice::MAX.into());
    values::whole(text, low, high, "a nice value such as 5").map(Nice::new)
}

fn rt_priority(text: &str) -> Value<RtPriority> {
    let (low, high) = (RtPriority::MIN.get().into(), RtPriority::MAX.get().into());
    values::whole(text, low, high, "a priority, 1 to 99").map(RtPriority::new)
}
