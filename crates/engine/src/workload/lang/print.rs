//! Writing a script: on several lines as people do, or on one that a link can carry. Reading either gives it back.

use super::Script;
use super::tree::{Index, Item, Length, Origin, Ref, Stmt, Task, Team, Thing, ThingKind, Traits};
use super::values::{bytes_text, decimal_text};
use super::words::{CHANNELS, LOCKS, POLICIES, QUEUES, TIMERS, name_of};
use crate::task::RtPriority;
use crate::time::Nanos;
use crate::workload::ipc::{LockKind, QueueKind};
use crate::workload::program::{Dist, TimerMode};
use alloc::format;
use alloc::string::{String, ToString};

/// How far a block is indented.
const INDENT: &str = "    ";

impl Script {
    /// On several lines; each ends with a line break.
    pub fn pretty(&self) -> String {
        let mut writer = Writer::new(false);
        writer.items(&self.items);
        if !writer.text.is_empty() {
            writer.text.push('\n');
        }
        writer.text
    }

    /// On one line, without a character that a link would have to escape: a plus sign is a blank.
    ///
    /// ```
    /// use schedlab_engine::workload::lang;
    /// let script = lang::parse("task hog * 3 nice 5 {\n run forever\n}", &[]).script;
    /// assert_eq!(script.compact(), "task+hog*3+nice+5+run+forever");
    /// assert_eq!(script.pretty(), "task hog * 3 nice 5 run forever\n");
    /// ```
    pub fn compact(&self) -> String {
        let mut writer = Writer::new(true);
        writer.items(&self.items);
        writer.text
    }
}

/// A text in the making.
struct Writer {
    text: String,
    /// On one line?
    compact: bool,
    depth: usize,
}

impl Writer {
    const fn new(compact: bool) -> Writer {
        Writer {
            text: String::new(),
            compact,
            depth: 0,
        }
    }

    /// A blank.
    fn blank(&mut self) {
        self.text.push(if self.compact { '+' } else { ' ' });
    }

    /// Words, with blanks between them and what comes before.
    fn words(&mut self, words: &[&str]) {
        for word in words {
            if !self.text.is_empty() && !self.text.ends_with(['(', ' ', '\n', ';', '+']) {
                self.blank();
            }
            self.text.push_str(word);
        }
    }

    /// The end of one statement and the start of the next.
    fn next(&mut self) {
        if self.compact {
            self.text.push(';');
        } else {
            self.line();
        }
    }

    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.depth {
            self.text.push_str(INDENT);
        }
    }

    /// Braces around what `inside` writes.
    fn block(&mut self, empty: bool, inside: impl FnOnce(&mut Writer)) {
        if self.compact {
            self.text.push('(');
            inside(self);
            self.text.push(')');
            return;
        }
        self.words(&["{"]);
        if empty {
            self.blank();
        } else {
            self.depth += 1;
            self.line();
            inside(self);
            self.depth -= 1;
            self.line();
        }
        self.text.push('}');
    }

    fn items(&mut self, items: &[Item]) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.next();
            }
            match item {
                Item::Thing(thing) => self.thing(thing),
                Item::Task(task) => self.task(task),
                Item::Team(team) => self.team(team),
            }
        }
    }

    fn named(&mut self, word: &str, name: &str, count: Option<u32>) {
        self.words(&[word, name]);
        if let Some(count) = count {
            self.text.push_str(if self.compact { "*" } else { " * " });
            self.text.push_str(&count.to_string());
        }
    }

    fn team(&mut self, team: &Team) {
        self.named("team", &team.name, team.count);
        self.block(team.items.is_empty(), |w| w.items(&team.items));
    }

    fn thing(&mut self, thing: &Thing) {
        let word = match thing.kind {
            ThingKind::Channel(kind, ..) => name_of(&CHANNELS, kind),
            ThingKind::Queue(_) => "queue",
            ThingKind::Lock(_) => "lock",
            ThingKind::Barrier(_) => "barrier",
        };
        self.named(word, &thing.name, thing.count);
        match thing.kind {
            ThingKind::Channel(_, buffer, counted) => {
                if let Some(buffer) = buffer {
                    self.words(&["buffer", &bytes_text(buffer.into())]);
                }
                if counted {
                    self.words(&["counted"]);
                }
            }
            ThingKind::Queue(kind @ (QueueKind::Poll | QueueKind::Semaphore)) => {
                self.words(&[name_of(&QUEUES, kind)]);
            }
            ThingKind::Queue(QueueKind::Condition) | ThingKind::Lock(LockKind::Futex) => {}
            ThingKind::Lock(kind) => self.words(&[name_of(&LOCKS, kind)]),
            ThingKind::Barrier(parties) => self.words(&["of", &parties.to_string()]),
        }
    }

    fn task(&mut self, task: &Task) {
        let word = if task.child { "child" } else { "task" };
        self.named(word, &task.name, task.count);
        self.traits(&task.traits);
        self.body(&task.body);
    }

    fn traits(&mut self, traits: &Traits) {
        if let Some(nice) = traits.nice {
            self.words(&["nice", &nice.get().to_string()]);
        }
        if let Some(policy) = traits.policy {
            let name = name_of(&POLICIES, policy.with_priority(RtPriority::MIN));
            match policy.rt_priority() {
                0 => self.words(&["policy", name]),
                priority => self.words(&["policy", name, &priority.to_string()]),
            }
        }
        if let Some(slice) = traits.slice {
            self.words(&["slice", &slice.to_string()]);
        }
        if let Some(slack) = traits.slack {
            self.words(&["slack", &slack.to_string()]);
        }
        if let Some(cpus) = traits.cpus {
            self.words(&["cpus", &cpus.to_string()]);
        }
        if let Some(group) = &traits.group {
            self.words(&["in", group]);
        }
        if let Some(session) = &traits.session {
            self.words(&["session", session]);
        }
        if let Some(start) = traits.start {
            self.words(&["start", &Nanos(start.0).to_string()]);
        }
        if let Some(kb) = traits.ws_kb {
            self.words(&["ws", &bytes_text(u64::from(kb) << 10)]);
        }
        if let Some(space) = &traits.space {
            self.words(&["space", space]);
        }
        if let Some(role) = &traits.role {
            self.words(&["as", role]);
        }
    }

    /// A block; a single statement goes without braces where it cannot be taken for anything else.
    fn body(&mut self, body: &[Stmt]) {
        match body {
            [Stmt::Nice(_) | Stmt::Cpus(_) | Stmt::Choose(..)] => {}
            [one] => return self.stmt(one),
            _ => {}
        }
        self.block(body.is_empty(), |w| {
            for (i, stmt) in body.iter().enumerate() {
                if i > 0 {
                    w.next();
                }
                w.stmt(stmt);
            }
        });
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Loop(rounds, body) => {
                match rounds {
                    Some(rounds) => self.words(&["loop", &rounds.to_string()]),
                    None => self.words(&["forever"]),
                }
                self.body(body);
            }
            Stmt::Choose(share, yes, no) => {
                let share = if self.compact {
                    decimal_text(u64::from(*share), 3)
                } else {
                    format!("{}%", decimal_text(u64::from(*share), 1))
                };
                self.words(&["choose", &share]);
                self.block_of(yes);
                if !no.is_empty() {
                    self.words(&["else"]);
                    self.block_of(no);
                }
            }
            stmt => self.simple(stmt),
        }
    }

    /// A block in braces, whatever is in it.
    fn block_of(&mut self, body: &[Stmt]) {
        self.block(body.is_empty(), |w| {
            for (i, stmt) in body.iter().enumerate() {
                if i > 0 {
                    w.next();
                }
                w.stmt(stmt);
            }
        });
    }

    fn simple(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Run(length) => self.timed("run", *length),
            Stmt::Sys(length) => self.timed("sys", *length),
            Stmt::Exec(length) => self.timed("exec", *length),
            Stmt::Sleep(length) => self.timed("sleep", *length),
            Stmt::RunForever => self.words(&["run", "forever"]),
            Stmt::SleepUntil(at) => self.words(&["sleep", "until", &Nanos(at.0).to_string()]),
            Stmt::Timer(period, mode) => {
                self.words(&["timer", &period.to_string()]);
                if *mode != TimerMode::Skip {
                    self.words(&[name_of(&TIMERS, *mode)]);
                }
            }
            Stmt::Fork(child) => self.words(&["fork", child]),
            Stmt::ForkWait(child) => self.words(&["fork", child, "and", "wait"]),
            Stmt::Exit => self.words(&["exit"]),
            Stmt::Join => self.words(&["join"]),
            Stmt::Yield => self.words(&["yield"]),
            Stmt::Nice(nice) => self.words(&["nice", &nice.get().to_string()]),
            Stmt::Cpus(cpus) => self.words(&["cpus", &cpus.to_string()]),
            Stmt::Cpuset(group, cpus) => self.words(&["cpuset", group, &cpus.to_string()]),
            Stmt::AutogroupNice(nice) => {
                self.words(&["autogroup", "nice", &nice.get().to_string()]);
            }
            Stmt::Mark(name, since) => {
                self.words(&["mark", name]);
                match since {
                    None => {}
                    Some(Origin::Expiry) => self.words(&["since", "expiry"]),
                    Some(Origin::Wake) => self.words(&["since", "wake"]),
                    Some(Origin::Mark(from)) => self.words(&["since", from]),
                }
            }
            stmt => self.on_thing(stmt),
        }
    }

    fn on_thing(&mut self, stmt: &Stmt) {
        let Some(thing) = stmt.thing().map(thing_text) else {
            return;
        };
        match stmt {
            Stmt::Send(_, bytes) => self.words(&["send", &thing, &bytes_text((*bytes).into())]),
            Stmt::Recv(_, bytes) => self.words(&["recv", &thing, &bytes_text((*bytes).into())]),
            Stmt::Lock(_) => self.words(&["lock", &thing]),
            Stmt::Unlock(_) => self.words(&["unlock", &thing]),
            Stmt::Wait(_) => self.words(&["wait", &thing]),
            Stmt::Wake(_, 1) => self.words(&["wake", &thing]),
            Stmt::Wake(_, count) => self.words(&["wake", &thing, &count.to_string()]),
            Stmt::WakeAll(_) => self.words(&["wakeall", &thing]),
            _ => self.words(&["barrier", &thing]),
        }
    }

    fn timed(&mut self, word: &str, length: Length) {
        self.words(&[word]);
        let dist = match length {
            Length::Fixed(ns) => return self.words(&[&ns.to_string()]),
            Length::Drawn(dist) => dist,
        };
        match dist {
            Dist::Uniform(low, high) => self.words(&[&format!("{low}..{high}")]),
            Dist::Exponential(mean) => self.words(&["exponential", &mean.to_string()]),
            Dist::Normal(mean, sd) => {
                self.words(&["normal", &mean.to_string(), "sd", &sd.to_string()]);
            }
            Dist::LogNormal(median, sigma) => {
                let sigma = decimal_text(sigma.into(), 3);
                self.words(&["lognormal", &median.to_string(), "sigma", &sigma]);
            }
        }
    }
}

fn thing_text(thing: &Ref) -> String {
    let name = &thing.name;
    match thing.index {
        Index::Only => name.clone(),
        Index::Number(n) => format!("{name}.{n}"),
        Index::Me => format!("{name}.me"),
        Index::Next => format!("{name}.next"),
        Index::Each => format!("{name}.each"),
        Index::Others => format!("{name}.others"),
        Index::Here => format!("{name}.here"),
    }
}
