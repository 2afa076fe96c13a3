//! Reading statements: what tasks do.
//!
//! Recursion is bounded: blocks that nest deeper than [`MAX_NESTING`] are passed over.

use super::MAX_NESTING;
use super::read::{Reader, nice};
use super::resolve::Use;
use super::token::{Kind, Token};
use super::tree::{Index, Length, Origin, Ref, Sort, Stmt};
use super::values::{self, Value};
use super::words::{self, STATEMENT_NAMES, TRAIT_NAMES};
use crate::time::{Instant, Nanos};
use crate::workload::ipc::MAX_MESSAGE;
use crate::workload::program::{Dist, Program, TimerMode};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The most rounds of a loop, as in the catalog.
const MAX_ROUNDS: i64 = 1_000_000_000;

/// The largest standard deviation of a logarithm, thousandths: what drawing from it holds it to.
const MAX_SIGMA: u64 = 10_000;

impl<'a> Reader<'a> {
    /// A block, or a single statement in place of one.
    pub(super) fn statement_or_block(&mut self, wanted: &str) -> Option<Vec<Stmt>> {
        let next = self.tokens.peek();
        if next.kind == Kind::Word {
            return self.statement(wanted).map(|stmt| alloc::vec![stmt]);
        }
        let open = self.open(&format!("{wanted}, or a block in {{ }}"))?;
        if self.depth.0 == MAX_NESTING {
            let says = format!("nests too deep: at most {MAX_NESTING} blocks");
            self.fault(open.range(), open.text, says);
            self.depth.0 += 1;
            self.skip_block();
            self.depth.0 -= 1;
            return None;
        }
        self.depth.0 += 1;
        let stmts = self.statements();
        self.close(open);
        self.depth.0 -= 1;
        Some(stmts)
    }

    /// Passes over the rest of a block, its closing brace too.
    fn skip_block(&mut self) {
        loop {
            self.skip_statement();
            match self.tokens.next().kind {
                Kind::Close | Kind::Eof => return,
                _ => {}
            }
        }
    }

    /// Statements up to the closing brace.
    fn statements(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        loop {
            let token = self.tokens.peek();
            match token.kind {
                Kind::Eof | Kind::Close => return stmts,
                Kind::End => drop(self.tokens.next()),
                // The closing brace is missing.
                _ if self.declares(&token) => return stmts,
                _ => match self.statement("a statement (run, sleep, send, \u{2026})") {
                    Some(stmt) => {
                        stmts.push(stmt);
                        self.end();
                    }
                    None => self.skip_statement(),
                },
            }
        }
    }

    fn statement(&mut self, wanted: &str) -> Option<Stmt> {
        let word = self.tokens.next();
        Some(match word.text {
            "run" if self.take("forever") => {
                self.loop_fits(word)?;
                Stmt::RunForever
            }
            "run" => Stmt::Run(self.length()?),
            "sys" => Stmt::Sys(self.length()?),
            "exec" => Stmt::Exec(self.length()?),
            "sleep" if self.take("until") => {
                Stmt::SleepUntil(Instant(self.time("a time of the run such as 500ms")?.0))
            }
            "sleep" => Stmt::Sleep(self.length()?),
            "timer" => self.timer()?,
            "send" | "recv" => self.message(word)?,
            "lock" => Stmt::Lock(self.thing_ref(Sort::Lock)?),
            "unlock" => Stmt::Unlock(self.thing_ref(Sort::Lock)?),
            "wait" => Stmt::Wait(self.thing_ref(Sort::Queue)?),
            "wake" => self.wake()?,
            "wakeall" => Stmt::WakeAll(self.thing_ref(Sort::Queue)?),
            "barrier" => Stmt::Barrier(self.thing_ref(Sort::Barrier)?),
            "fork" => self.fork()?,
            "exit" => Stmt::Exit,
            "join" => Stmt::Join,
            "yield" => Stmt::Yield,
            "nice" => Stmt::Nice(self.value("a nice value", nice)?),
            "cpus" => Stmt::Cpus(self.cpus()?),
            "cpuset" => Stmt::Cpuset(self.group_name()?, self.cpus()?),
            "autogroup" => {
                self.choice("nice and a nice value, such as nice 5,", &["nice"])?;
                Stmt::AutogroupNice(self.value("a nice value", nice)?)
            }
            "mark" => self.mark()?,
            "loop" => {
                let rounds = |text: &str| values::whole(text, 0, MAX_ROUNDS, "a count such as 100");
                let rounds = self.value("how often, such as 100", rounds)?;
                self.repeat(word, Some(rounds as u32))?
            }
            "forever" => self.repeat(word, None)?,
            "choose" => self.choose()?,
            _ => {
                let known = STATEMENT_NAMES.into_iter().chain(TRAIT_NAMES);
                self.expected(word, wanted, known);
                return None;
            }
        })
    }

    /// Takes the next word if it is this one.
    fn take(&mut self, word: &str) -> bool {
        let found = self.tokens.peek().is(word);
        if found {
            self.tokens.next();
        }
        found
    }

    fn time(&mut self, wanted: &str) -> Option<Nanos> {
        self.value(wanted, values::time)
    }

    /// May one more loop be opened here?
    fn loop_fits(&mut self, word: Token<'a>) -> Option<()> {
        let limit = Program::MAX_DEPTH;
        if self.depth.1 < limit {
            return Some(());
        }
        let says = format!("is one loop too many inside each other: at most {limit}");
        self.fault(word.range(), word.text, says);
        None
    }

    fn repeat(&mut self, word: Token<'a>, rounds: Option<u32>) -> Option<Stmt> {
        self.loop_fits(word)?;
        self.depth.1 += 1;
        let body = self.inner("what to repeat");
        self.depth.1 -= 1;
        Some(Stmt::Loop(rounds, body?))
    }

    /// What a loop or a choice does. A statement without braces counts as a block, so that reading stays within
    /// [`MAX_NESTING`].
    fn inner(&mut self, wanted: &str) -> Option<Vec<Stmt>> {
        if self.tokens.peek().kind != Kind::Word {
            return self.statement_or_block(wanted);
        }
        if self.depth.0 == MAX_NESTING {
            let at = self.tokens.peek();
            let says = format!("nests too deep: at most {MAX_NESTING} blocks");
            self.fault(at.range(), at.text, says);
            return None;
        }
        self.depth.0 += 1;
        let stmt = self.statement(wanted);
        self.depth.0 -= 1;
        stmt.map(|stmt| alloc::vec![stmt])
    }

    fn choose(&mut self) -> Option<Stmt> {
        let share = self.value("a share such as 30%", values::per_mille)?;
        let yes = self.inner("what to do in that share of cases")?;
        let mut ahead = self.tokens;
        while ahead.peek().is_line_break() {
            ahead.next();
        }
        let mut no = Vec::new();
        if ahead.next().is("else") {
            self.tokens = ahead;
            no = self.inner("what to do otherwise")?;
        }
        Some(Stmt::Choose(share, yes, no))
    }

    fn timer(&mut self) -> Option<Stmt> {
        let at = self.tokens.peek();
        let period = self.time("a period such as 10ms")?;
        if period == Nanos::ZERO {
            self.fault(
                at.range(),
                at.text,
                "is no period: it must be longer than nothing",
            );
            return None;
        }
        if self.tokens.peek().kind != Kind::Word {
            return Some(Stmt::Timer(period, TimerMode::Skip));
        }
        let known = words::TIMERS.map(|(name, _)| name);
        let mode = self.choice("skip, absolute, relative, aligned or the end", &known)?;
        let mode = words::meaning(&words::TIMERS, mode)?;
        Some(Stmt::Timer(period, mode))
    }

    fn mark(&mut self) -> Option<Stmt> {
        let name = self.value("a name", values::name)?;
        self.marks.push(name.clone());
        if !self.take("since") {
            return Some(Stmt::Mark(name, None));
        }
        let at = self.tokens.peek();
        let from = self.value("expiry, wake or the name of a mark", values::name)?;
        let from = match from.as_str() {
            "expiry" => Origin::Expiry,
            "wake" => Origin::Wake,
            _ => {
                self.origins.push((at.range(), from.clone()));
                Origin::Mark(from)
            }
        };
        Some(Stmt::Mark(name, Some(from)))
    }

    fn message(&mut self, word: Token<'a>) -> Option<Stmt> {
        let channel = self.thing_ref(Sort::Channel)?;
        let size = |text: &str| values::bytes(text, 1, MAX_MESSAGE.into());
        let size = self.value("a size such as 100B", size)? as u32;
        let used = self.uses.last_mut().filter(|_| word.text == "send");
        if let Some(used) = used {
            used.sends = size;
        }
        Some(match word.text {
            "send" => Stmt::Send(channel, size),
            _ => Stmt::Recv(channel, size),
        })
    }

    fn wake(&mut self) -> Option<Stmt> {
        let queue = self.thing_ref(Sort::Queue)?;
        let count = match self.tokens.peek().kind {
            Kind::Word => self.value("how many, or the end", values::count)?,
            _ => 1,
        };
        Some(Stmt::Wake(queue, count))
    }

    fn fork(&mut self) -> Option<Stmt> {
        let at = self.tokens.peek();
        let name = self.value("the name of a child or a team", values::name)?;
        self.uses.push(Use {
            range: at.range(),
            thing: Ref {
                name: name.clone(),
                index: Index::Only,
            },
            sort: Sort::Child,
            team: self.team,
            copies: self.copies,
            sends: 0,
        });
        if !self.take("and") {
            return Some(Stmt::Fork(name));
        }
        self.choice("wait", &["wait"])?;
        Some(Stmt::ForkWait(name))
    }

    /// The name of something shared, with `.0`, `.me`, `.next`, `.each`, `.others` or `.here` behind it.
    fn thing_ref(&mut self, sort: Sort) -> Option<Ref> {
        let at = self.tokens.peek();
        let wanted = format!("the name of a {}", sort.word());
        let thing = self.value(&wanted, indexed)?;
        self.uses.push(Use {
            range: at.range(),
            thing: thing.clone(),
            sort,
            team: self.team,
            copies: self.copies,
            sends: 0,
        });
        Some(thing)
    }

    /// A length of time: a time, a range, or a distribution.
    fn length(&mut self) -> Option<Length> {
        let dist = match self.tokens.peek().text {
            "exponential" => {
                self.tokens.next();
                Dist::Exponential(self.time("its mean, such as 1ms")?)
            }
            "normal" => {
                self.tokens.next();
                let mean = self.time("its mean, such as 1ms")?;
                self.choice("the standard deviation, such as sd 100us,", &["sd"])?;
                Dist::Normal(mean, self.time("the standard deviation, such as 100us")?)
            }
            "lognormal" => {
                self.tokens.next();
                let median = self.time("its median, such as 1ms")?;
                self.choice(
                    "the logarithm's standard deviation, such as sigma 0.5,",
                    &["sigma"],
                )?;
                let sigma = |text: &str| values::milli(text, MAX_SIGMA);
                Dist::LogNormal(median, self.value("a number such as 0.5", sigma)?)
            }
            _ => return self.time_or_range(),
        };
        Some(Length::Drawn(dist))
    }

    fn time_or_range(&mut self) -> Option<Length> {
        let token = self.tokens.peek();
        let misspelt =
            token.kind == Kind::Word && token.text.starts_with(|c: char| c.is_ascii_alphabetic());
        if misspelt {
            self.tokens.next();
            let wanted =
                "a time such as 8ms, a range such as 1ms..3ms, or exponential, normal, lognormal";
            self.expected(
                token,
                wanted,
                ["exponential", "normal", "lognormal", "forever", "until"],
            );
            return None;
        }
        self.value("a length of time such as 8ms or 1ms..3ms", |text| {
            let Some((low, high)) = text.split_once("..") else {
                return values::time(text).map(Length::Fixed);
            };
            let named = |end: &str| {
                values::time(end).map_err(|says| format!("has an end, \"{end}\", that {says}"))
            };
            let (low, high) = (named(low)?, named(high)?);
            if low > high {
                return Err(String::from("runs backwards"));
            }
            Ok(Length::Drawn(Dist::Uniform(low, high)))
        })
    }
}

/// `data`, `data.3`, `data.me`.
fn indexed(text: &str) -> Value<Ref> {
    let (name, index) = match text.split_once('.') {
        Some((name, index)) => (name, Some(index)),
        None => (text, None),
    };
    let index = match index {
        None => Index::Only,
        Some("me") => Index::Me,
        Some("next") => Index::Next,
        Some("each") => Index::Each,
        Some("others") => Index::Others,
        Some("here") => Index::Here,
        Some(number) => {
            let read = number.parse().ok().filter(|_| number.len() < 9);
            let wanted = "has an index that is none of a number, me, next, each, others and here";
            Index::Number(read.ok_or_else(|| wanted.to_string())?)
        }
    };
    let name = values::name(name)?;
    Ok(Ref { name, index })
}
