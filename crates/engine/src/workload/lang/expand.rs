//! Unrolling a script into tasks: copies get their own things, children their parents' traits, rows their numbers.
//!
//! Order of templates: tasks as declared, copy by copy; children that they fork, in the order of forking; then theirs. A
//! child forked with other traits is a template for each set of them. What is too large is an error before it is built.

use super::heritage::Heritage;
use super::one::{name, op_here, op_on, since, stem};
use super::table::Table;
use super::tree::{
    Index, Item, Length, Ref, Scope, Stmt, Task, Team, Thing, ThingKind, any, instances,
};
use super::{MAX_OPS, MAX_THINGS};
use crate::order::Map;
use crate::time::{Instant, Nanos};
use crate::workload::ipc::ChannelSpec;
use crate::workload::program::{Dist, DistId, MarkId, Op, Program, Span, TemplateId};
use crate::workload::{Inherits, Member, Start, Template, World};
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What a task touches if nothing is said, KiB: a small message task (workloads-machines.md §1.1, chosen).
const WS_KB: u32 = 8;

/// How long `run forever` computes at a time: one operation of the hog of workloads-machines.md §1.11.
const STRETCH: Nanos = Nanos::from_secs(1);

/// Things of one name: those of the first copy of their team, then those of the second …
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u32,
    count: u32,
    /// Has each copy of a team its own?
    copied: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
enum Known<'s> {
    Row(Row),
    Team(&'s Team),
    /// A child, and whether it is in a team.
    Child(&'s Task, bool),
}

/// Tasks whose programs are still to be made.
#[derive(Clone, Copy, Debug)]
struct Job<'s> {
    task: &'s Task,
    scope: Scope<'s>,
    first: TemplateId,
    heritage: Heritage<'s>,
}

/// A program in the making.
struct Draft<'j, 's> {
    job: &'j Job<'s>,
    /// The task's number in its row.
    me: u32,
    ops: Vec<Op>,
}

/// A script being unrolled.
pub(super) struct Expander<'w, 's> {
    world: &'w mut World,
    group_of: &'w dyn Fn(&str) -> u16,
    usual: u16,
    workload: u16,
    known: Table<&'s str, Known<'s>>,
    /// Children that have templates, by name, copy of the team, and traits.
    born: Map<(&'s str, u32, Heritage<'s>), TemplateId>,
    spaces: Table<&'s str, u32>,
    dists: Table<Dist, u32>,
    marks: Table<&'s str, u32>,
    jobs: VecDeque<Job<'s>>,
    things: u64,
    /// Templates so far, with those that the world had before.
    templates: u32,
    /// Operations of the programs so far.
    ops: u64,
    /// Is only asked how large everything is? Templates and programs are counted then, not made.
    measures: bool,
}

/// The script is too large: how.
type Fits = Result<(), String>;

/// How many tasks a script makes.
pub(super) fn measure(items: &[Item]) -> Result<u32, String> {
    let mut world = World::new();
    let mut expander = Expander::new(&mut world, 0, &|_| 0);
    expander.measures = true;
    expander.run(items)?;
    Ok(expander.templates)
}

impl<'w, 's> Expander<'w, 's> {
    pub(super) fn new(
        world: &'w mut World,
        usual: u16,
        group_of: &'w dyn Fn(&str) -> u16,
    ) -> Expander<'w, 's> {
        Expander {
            workload: world.members.len() as u16,
            templates: world.templates.len() as u32,
            world,
            group_of,
            usual,
            known: Table::new(),
            born: Map::new(),
            spaces: Table::new(),
            dists: Table::new(),
            marks: Table::new(),
            jobs: VecDeque::new(),
            things: 0,
            ops: 0,
            measures: false,
        }
    }

    /// Unrolls everything.
    pub(super) fn run(&mut self, items: &'s [Item]) -> Fits {
        for item in items {
            self.know(item, None)?;
        }
        for (item, scope) in instances(items) {
            if let Item::Task(task) = item
                && !task.child
            {
                let heritage = Heritage::of(task, None);
                self.add(task, scope, heritage)?;
            }
        }
        while let Some(job) = self.jobs.pop_front() {
            self.program_of(&job)?;
        }
        self.world.members.push(Member { kind: None });
        Ok(())
    }

    /// Learns a name, and makes the things it stands for.
    fn know(&mut self, item: &'s Item, team: Option<&'s Team>) -> Fits {
        let (name, known) = match item {
            Item::Thing(thing) => {
                let row = self.things(thing, team)?;
                (&thing.name, Known::Row(row))
            }
            Item::Task(task) if task.child => (&task.name, Known::Child(task, team.is_some())),
            Item::Task(_) => return Ok(()),
            Item::Team(team) => {
                for inside in &team.items {
                    self.know(inside, Some(team))?;
                }
                (&team.name, Known::Team(team))
            }
        };
        self.known.get_or_insert(name, || known);
        Ok(())
    }

    /// Makes the things that a declaration stands for, in every copy of its team.
    fn things(&mut self, thing: &Thing, team: Option<&Team>) -> Result<Row, String> {
        let count = thing.count.unwrap_or(1);
        let copies = team.map_or(1, |team| team.count.unwrap_or(1));
        self.things += u64::from(count) * u64::from(copies);
        if self.things > MAX_THINGS as u64 {
            return Err(format!("too many things: at most {MAX_THINGS} in all"));
        }
        let mut first = None;
        for _ in 0..count * copies {
            let made = self.make(thing.kind);
            first.get_or_insert(made);
        }
        Ok(Row {
            first: first.unwrap_or(0),
            count,
            copied: team.is_some(),
        })
    }

    fn make(&mut self, kind: ThingKind) -> u32 {
        match kind {
            ThingKind::Channel(kind, capacity, counted) => {
                let spec = ChannelSpec {
                    kind,
                    capacity,
                    counted,
                };
                self.world.channel(spec).0
            }
            ThingKind::Queue(kind) => self.world.queue(kind).0,
            ThingKind::Lock(kind) => self.world.lock(kind).0,
            ThingKind::Barrier(parties) => self.world.barrier(parties).0,
        }
    }

    /// Adds templates for a row of tasks; their programs are made later.
    fn add(
        &mut self,
        task: &'s Task,
        scope: Scope<'s>,
        heritage: Heritage<'s>,
    ) -> Result<TemplateId, String> {
        let first = TemplateId(self.templates);
        self.templates += task.count.unwrap_or(1);
        if self.templates as usize > World::MAX_TASKS {
            let limit = World::MAX_TASKS;
            return Err(format!("too many tasks: at most {limit} in all"));
        }
        if !self.measures {
            self.make_row(task, scope, heritage);
        }
        self.jobs.push_back(Job {
            task,
            scope,
            first,
            heritage,
        });
        Ok(first)
    }

    fn make_row(&mut self, task: &'s Task, scope: Scope<'s>, heritage: Heritage<'s>) {
        let row = self.template(task, heritage);
        let first = self.world.templates.len() as u32;
        let named = task.traits.space.as_deref();
        let space = named.map(|space| self.spaces.get_or_insert(space, || first));
        let stem = stem(task, scope);
        for me in 0..task.count.unwrap_or(1) {
            self.world.template(Template {
                name: name(&stem, task.count.map(|_| me)),
                space: space.unwrap_or(first + me),
                ..row.clone()
            });
        }
    }

    /// What all templates of a row have in common.
    fn template(&mut self, task: &Task, heritage: Heritage<'s>) -> Template {
        let traits = &task.traits;
        let role: Arc<str> = traits.role.as_deref().unwrap_or(&task.name).into();
        Template {
            name: String::new(),
            role,
            workload: self.workload,
            space: 0,
            nice: heritage.nice,
            policy: heritage.policy,
            slice: heritage.slice,
            slack: heritage.slack,
            allowed: heritage.cpus,
            inherits: Inherits {
                nice: task.child && traits.nice.is_none(),
                allowed: task.child && traits.cpus.is_none(),
            },
            group: heritage.group.map_or(self.usual, self.group_of),
            session: heritage.session.map_or(0, |name| self.world.session(name)),
            ws_kb: traits.ws_kb.unwrap_or(WS_KB),
            program: Program { start: 0 },
            start: if task.child {
                Start::Forked
            } else {
                Start::At(traits.start.unwrap_or(Instant::ZERO))
            },
            watches_clock: false,
            ends: task.ends(),
        }
    }

    /// Makes the programs of a row of tasks: one for all, unless they name things by their own number.
    fn program_of(&mut self, job: &Job<'s>) -> Fits {
        let own = any(&job.task.body, &|stmt| {
            let index = stmt.thing().map(|thing| thing.index);
            matches!(index, Some(Index::Me | Index::Next | Index::Others))
        });
        let count = job.task.count.unwrap_or(1);
        let programs = if own { count } else { 1 };
        // Those of a row are equally long.
        let (made, alike) = if self.measures {
            (1, programs)
        } else {
            (programs, 1)
        };
        let mut draft = Draft {
            job,
            me: 0,
            ops: Vec::new(),
        };
        for me in 0..made {
            draft.me = me;
            draft.ops.clear();
            self.block(&job.task.body, &mut draft)?;
            self.ops += u64::from(alike) * draft.ops.len() as u64;
            self.fits(0)?;
            if !self.measures {
                let first = (job.first.0 + me) as usize;
                let tasks = (count / programs) as usize;
                let program = self.world.program(&draft.ops);
                for template in &mut self.world.templates[first..][..tasks] {
                    template.program = program;
                }
            }
        }
        Ok(())
    }

    /// May there be that many operations beside those of the programs so far?
    fn fits(&self, more: usize) -> Fits {
        if self.ops + more as u64 <= MAX_OPS as u64 {
            return Ok(());
        }
        Err(format!(
            "too many operations when everything is unrolled: at most {MAX_OPS}"
        ))
    }

    fn block(&mut self, stmts: &'s [Stmt], draft: &mut Draft<'_, 's>) -> Fits {
        for stmt in stmts {
            self.stmt(stmt, draft)?;
            self.fits(draft.ops.len())?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &'s Stmt, draft: &mut Draft<'_, 's>) -> Fits {
        match stmt {
            Stmt::Loop(rounds, body) => {
                draft.ops.push(Op::Loop(rounds.unwrap_or(Op::FOREVER)));
                self.block(body, draft)?;
                draft.ops.push(Op::End(0));
            }
            Stmt::Choose(share, yes, no) => self.choose(*share, [yes, no], draft)?,
            Stmt::RunForever => {
                let run = Op::Run(Span::Fixed(STRETCH));
                draft.ops.extend([Op::Loop(Op::FOREVER), run, Op::End(0)]);
            }
            Stmt::Fork(child) => self.fork(child, draft, Op::Fork)?,
            Stmt::ForkWait(child) => self.fork(child, draft, Op::ForkWait)?,
            stmt => {
                if let Some(thing) = stmt.thing() {
                    self.on_things(stmt, thing, draft);
                } else {
                    let op = self.simple(stmt);
                    draft.ops.extend(op);
                }
            }
        }
        Ok(())
    }

    /// A choice: the jump goes to the second block, the end of the first one behind it.
    fn choose(
        &mut self,
        share: u16,
        [yes, no]: [&'s Vec<Stmt>; 2],
        draft: &mut Draft<'_, 's>,
    ) -> Fits {
        let here = draft.ops.len();
        draft.ops.push(Op::Choose(share, 0));
        self.block(yes, draft)?;
        let jump = draft.ops.len();
        if !no.is_empty() {
            draft.ops.push(Op::Jump(0));
        }
        draft.ops[here] = Op::Choose(share, draft.ops.len() as u32);
        self.block(no, draft)?;
        if !no.is_empty() {
            draft.ops[jump] = Op::Jump(draft.ops.len() as u32);
        }
        Ok(())
    }

    /// Forks every copy of a child, or all children of a team.
    fn fork(&mut self, name: &'s str, draft: &mut Draft<'_, 's>, op: fn(TemplateId) -> Op) -> Fits {
        match self.known.get(&name) {
            Ok(Known::Child(child, inside)) => {
                let scope = draft.job.scope.filter(|_| inside);
                self.fork_one((child, scope), draft, op)
            }
            Ok(Known::Team(team)) => {
                for copy in 0..team.count.unwrap_or(1) {
                    for item in &team.items {
                        match item {
                            Item::Task(child) if child.child => {
                                self.fork_one((child, Some((team, copy))), draft, op)?;
                            }
                            _ => {}
                        }
                    }
                }
                Ok(())
            }
            Ok(Known::Row(_)) | Err(_) => Ok(()),
        }
    }

    fn fork_one(
        &mut self,
        (child, scope): (&'s Task, Scope<'s>),
        draft: &mut Draft<'_, 's>,
        op: fn(TemplateId) -> Op,
    ) -> Fits {
        let first = self.child(child, scope, draft.job.heritage)?;
        let count = child.count.unwrap_or(1);
        let forks = (0..count).map(|n| op(TemplateId(first.0 + n)));
        draft.ops.extend(forks);
        Ok(())
    }

    /// The templates of a child of a parent with these traits.
    fn child(
        &mut self,
        child: &'s Task,
        scope: Scope<'s>,
        parent: Heritage<'s>,
    ) -> Result<TemplateId, String> {
        let heritage = Heritage::of(child, Some(parent));
        let copy = scope.map_or(0, |(_, copy)| copy);
        let key = (child.name.as_str(), copy, heritage);
        if let Some(known) = self.born.get(&key) {
            return Ok(*known);
        }
        let first = self.add(child, scope, heritage)?;
        self.born.insert(key, first);
        Ok(first)
    }

    /// A statement about a thing, once for each thing it means.
    fn on_things(&mut self, stmt: &Stmt, thing: &'s Ref, draft: &mut Draft<'_, 's>) {
        let Ok(Known::Row(row)) = self.known.get(&thing.name.as_str()) else {
            return;
        };
        let copy = draft.job.scope.filter(|_| row.copied);
        let first = row.first + copy.map_or(0, |(_, copy)| copy * row.count);
        let me = draft.me;
        let one = match thing.index {
            Index::Only => Some(0),
            Index::Number(number) => Some(number),
            Index::Me => Some(me),
            Index::Next => Some((me + 1) % row.count),
            Index::Here => return draft.ops.extend(op_here(stmt, (first, row.count))),
            Index::Each | Index::Others => None,
        };
        let chosen = one.map_or(0..row.count, |n| n..n + 1);
        let left_out = (thing.index == Index::Others).then_some(me);
        let ids = chosen.filter(|n| Some(*n) != left_out).map(|n| first + n);
        draft.ops.extend(ids.filter_map(|id| op_on(stmt, id)));
    }

    fn simple(&mut self, stmt: &'s Stmt) -> Option<Op> {
        Some(match stmt {
            Stmt::Run(length) => Op::Run(self.span(*length)),
            Stmt::Sys(length) => Op::Sys(self.span(*length)),
            Stmt::Exec(length) => Op::Exec(self.span(*length)),
            Stmt::Sleep(length) => Op::Sleep(self.span(*length)),
            Stmt::SleepUntil(at) => Op::SleepUntil(*at),
            Stmt::Timer(period, mode) => Op::Timer(*period, *mode),
            Stmt::Exit => Op::Exit,
            Stmt::Join => Op::Join,
            Stmt::Yield => Op::Yield,
            Stmt::Nice(nice) => Op::SetNice(*nice),
            Stmt::Cpus(cpus) => Op::SetCpus(self.world.mask(*cpus)),
            Stmt::Cpuset(group, cpus) => {
                Op::SetCpuset((self.group_of)(group), self.world.mask(*cpus))
            }
            Stmt::AutogroupNice(nice) => Op::SetAutogroupNice(*nice),
            Stmt::Mark(name, None) => Op::Mark(self.mark(name)),
            Stmt::Mark(name, Some(origin)) => {
                let mark = self.mark(name);
                let since = since(origin, |name| {
                    let from = self.mark(name);
                    self.world.remember(from);
                    from
                });
                Op::Measure(mark, since)
            }
            _ => return None,
        })
    }

    fn mark(&mut self, name: &'s str) -> MarkId {
        let world = &mut *self.world;
        let mark = || u32::from(world.mark(name).0);
        MarkId(self.marks.get_or_insert(name, mark) as u16)
    }

    fn span(&mut self, length: Length) -> Span {
        let dist = match length {
            Length::Fixed(ns) => return Span::Fixed(ns),
            Length::Drawn(dist) => dist,
        };
        let world = &mut *self.world;
        let id = self.dists.get_or_insert(dist, || {
            world.dists.push(dist);
            world.dists.len() as u32 - 1
        });
        Span::Drawn(DistId(id))
    }
}
