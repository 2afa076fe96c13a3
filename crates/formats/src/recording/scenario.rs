//! The scenario of a recording: the lines of `source` in `params.json`, as the recorder's runner reads them.
//!
//! A line is a word and its arguments; `task` lines carry a program as operations joined by commas, which go round for
//! ever. Reading is total: what is unknown is an error that names the line.

use super::{PARAMS, Params, Unreadable};
use std::collections::BTreeMap;

/// What the runner was told to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// Groups below the root, with `cpu.weight`.
    pub groups: Vec<(String, u64)>,
    /// Programs of children, by name.
    pub programs: BTreeMap<String, Vec<Op>>,
    /// Task lines and what hackbench lines make, in order.
    pub tasks: Vec<Task>,
    /// Programs of others that were run: what they were called with.
    pub foreign: Vec<String>,
}

/// One task, or several that differ by name only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name; of several the part before the number.
    pub name: String,
    /// How many.
    pub count: u32,
    /// CPUs it may use; empty = all.
    pub cpus: Vec<u16>,
    /// Its group; none = the root group.
    pub group: Option<String>,
    /// Nice value.
    pub nice: i64,
    /// `SCHED_` word: `other`, `batch`, `idle`, `fifo`.
    pub policy: String,
    /// Custom slice, ns; 0 = the kernel's.
    pub slice_ns: u64,
    /// What it does.
    pub does: Does,
}

/// What a task line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// A program that goes round for ever.
    Program(Vec<Op>),
    /// The runner's own hackbench: each of `groups` has `fan` receivers and `fan` senders, and every sender writes
    /// `loops` messages of `size` bytes to every receiver of its group.
    Hackbench {
        /// Groups.
        groups: u32,
        /// Receivers, and senders, of a group.
        fan: u32,
        /// Messages of a sender to each receiver.
        loops: u32,
        /// Bytes.
        size: u32,
        /// Does the recording go on until all of them have ended?
        waited: bool,
    },
}

/// One operation; times in µs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Uses that much CPU time.
    Run(u64),
    /// Uses CPU time for ever.
    Hog,
    /// Sleeps that long.
    Sleep(u64),
    /// Sleeps to the next multiple of that time since the start.
    Period(u64),
    /// Sleeps until then.
    Until(u64),
    /// `sched_yield`.
    Yield,
    /// Writes four bytes to that pipe.
    Write(u32),
    /// Reads four bytes from it.
    Read(u32),
    /// Sets its own nice value.
    Nice(i64),
    /// Forks a child that runs that program.
    Fork(String),
    /// The same, and waits for its end.
    ForkWait(String),
    /// Forks a child that runs `/bin/true` or the like, and waits.
    ExecWait,
    /// Counts a round.
    Count,
    /// So many rounds.
    Loop(u32, Vec<Op>),
}

impl Scenario {
    /// The scenario of a recording.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn of(params: &Params) -> Result<Scenario, Unreadable> {
        let mut scenario = Scenario::default();
        for (at, line) in params.source.iter().enumerate() {
            scenario.line(line).map_err(|what| Unreadable {
                file: PARAMS,
                line: None,
                field: format!("source[{at}]"),
                what: format!("{what} in \u{201c}{line}\u{201d}"),
            })?;
        }
        Ok(scenario)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            // What these set is in `knobs`, `summary.json` and the pipes' uses.
            "scn" | "dur" | "ev" | "knob" | "feat" | "pipes" | "end" | "" => {}
            "cg" => self.group(words)?,
            "prog" => {
                let name = words.next().ok_or("no name")?;
                let ops = words.next().ok_or("no operations")?;
                self.programs.insert(name.into(), operations(ops)?);
            }
            "task" => {
                let name = words.next().ok_or("no name")?;
                let args = arguments(words)?;
                let ops = args.get("ops").ok_or("no ops=")?;
                let does = Does::Program(operations(ops)?);
                self.tasks.push(task(name, &args, does)?);
            }
            "hb" => {
                let args = arguments(words)?;
                let does = Does::Hackbench {
                    groups: number(&args, "groups", 1)?,
                    fan: number(&args, "fan", 5)?,
                    loops: number(&args, "loops", 100)?,
                    size: number(&args, "size", 100)?,
                    waited: number(&args, "wait", 1_u8)? == 1,
                };
                self.tasks.push(task("hb", &args, does)?);
            }
            "exec" => self.foreign.push(line.into()),
            other => return Err(format!("\u{201c}{other}\u{201d} is not known")),
        }
        Ok(())
    }

    fn group<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> Result<(), String> {
        let name = words.next().ok_or("no name")?;
        let args = arguments(words)?;
        if let Some(other) = args.keys().find(|key| **key != "cpu.weight") {
            return Err(format!("\u{201c}{other}\u{201d} is not known"));
        }
        self.groups
            .push((name.into(), number(&args, "cpu.weight", 100)?));
        Ok(())
    }
}

type Arguments<'w> = BTreeMap<&'w str, &'w str>;

fn arguments<'w>(words: impl Iterator<Item = &'w str>) -> Result<Arguments<'w>, String> {
    words
        .map(|word| {
            word.split_once('=')
                .ok_or(format!("\u{201c}{word}\u{201d} has no ="))
        })
        .collect()
}

fn number<N: std::str::FromStr>(args: &Arguments<'_>, key: &str, or: N) -> Result<N, String> {
    let Some(text) = args.get(key) else {
        return Ok(or);
    };
    text.parse()
        .map_err(|_| format!("{key}={text} is no number that fits"))
}

fn task(name: &str, args: &Arguments<'_>, does: Does) -> Result<Task, String> {
    const KNOWN: [&str; 12] = [
        "n", "cpus", "cg", "nice", "pol", "slice", "ops", "groups", "fan", "loops", "size", "wait",
    ];
    if let Some(other) = args.keys().find(|key| !KNOWN.contains(*key)) {
        return Err(format!("\u{201c}{other}\u{201d} is not known"));
    }
    let cpus = args
        .get("cpus")
        .map_or(Ok(Vec::new()), |text| cpu_list(text))?;
    let policy = args.get("pol").unwrap_or(&"other");
    Ok(Task {
        name: name.into(),
        count: number(args, "n", 1)?,
        cpus,
        group: args.get("cg").map(|group| (*group).into()),
        nice: number(args, "nice", 0)?,
        policy: (*policy).into(),
        slice_ns: number(args, "slice", 0)?,
        does,
    })
}

/// `0`, `0-3`, `0+2`.
fn cpu_list(text: &str) -> Result<Vec<u16>, String> {
    let bad = || format!("cpus={text} is no list of CPUs");
    let mut cpus = Vec::new();
    for part in text.split('+') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u16, u16) = (
            first.parse().map_err(|_| bad())?,
            last.parse().map_err(|_| bad())?,
        );
        if last < first || last > 255 {
            return Err(bad());
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

/// Loops nest no deeper.
const DEPTH: usize = 3;

fn operations(text: &str) -> Result<Vec<Op>, String> {
    let mut open: Vec<(u32, Vec<Op>)> = vec![(0, Vec::new())];
    for word in text.split(',').filter(|word| !word.is_empty()) {
        if let Some(rounds) = word.strip_prefix('{') {
            if open.len() > DEPTH {
                return Err(format!("loops nest deeper than {DEPTH}"));
            }
            open.push((part(word, rounds)?, Vec::new()));
            continue;
        }
        let op = match word {
            "}" => {
                let (rounds, body) = open.pop().ok_or("a } without its {")?;
                Op::Loop(rounds, body)
            }
            _ => operation(word)?,
        };
        let (_, ops) = open.last_mut().ok_or("a } without its {")?;
        ops.push(op);
    }
    match open.pop() {
        Some((_, ops)) if open.is_empty() => Ok(ops),
        _ => Err("a { without its }".into()),
    }
}

fn operation(word: &str) -> Result<Op, String> {
    let mut letters = word.chars();
    let letter = letters.next().unwrap_or_default();
    let rest = letters.as_str();
    Ok(match letter {
        'h' if rest.is_empty() => Op::Hog,
        'y' if rest.is_empty() => Op::Yield,
        'k' if rest.is_empty() => Op::Count,
        'E' => Op::ExecWait,
        'r' => Op::Run(part(word, rest)?),
        's' => Op::Sleep(part(word, rest)?),
        'p' => Op::Period(part(word, rest)?),
        'u' => Op::Until(part(word, rest)?),
        'w' => Op::Write(part(word, rest)?),
        'd' => Op::Read(part(word, rest)?),
        'n' => Op::Nice(part(word, rest)?),
        'f' => Op::Fork(rest.into()),
        'F' => Op::ForkWait(rest.into()),
        _ => return Err(format!("\u{201c}{word}\u{201d} is no operation")),
    })
}

fn part<N: std::str::FromStr>(word: &str, text: &str) -> Result<N, String> {
    text.parse()
        .map_err(|_| format!("\u{201c}{word}\u{201d} has no number that fits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Result<Scenario, Unreadable> {
        let source: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let json = serde_json::json!({"scenario": "x", "kernel": "k", "source": source});
        Scenario::of(&Params::read(json.to_string().as_bytes())?)
    }

    #[test]
    fn a_task_line_is_a_program_that_goes_round() {
        let scenario = of(&[
            "scn x",
            "cg A cpu.weight=300",
            "prog kid r300,s200",
            "task fk n=2 cpus=0-1 cg=A nice=-5 pol=batch ops={4,fkid,},p2777,n5,y",
        ])
        .expect("understood");
        assert_eq!(scenario.groups, [("A".to_string(), 300)]);
        assert_eq!(scenario.programs["kid"], [Op::Run(300), Op::Sleep(200)]);
        let task = &scenario.tasks[0];
        assert_eq!(
            (task.count, task.nice, task.policy.as_str()),
            (2, -5, "batch")
        );
        assert_eq!(
            (task.cpus.as_slice(), task.group.as_deref()),
            ([0, 1].as_slice(), Some("A"))
        );
        let rounds = Op::Loop(4, vec![Op::Fork("kid".into())]);
        let ops = vec![rounds, Op::Period(2777), Op::Nice(5), Op::Yield];
        assert_eq!(task.does, Does::Program(ops));
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        for (line, what) in [
            ("dance", "\u{201c}dance\u{201d} is not known"),
            ("task a ops=q7", "\u{201c}q7\u{201d} is no operation"),
            ("task a ops=r", "\u{201c}r\u{201d} has no number that fits"),
            ("task a ops={2,r1", "a { without its }"),
            ("task a ops=r1,}", "a } without its {"),
            ("task a", "no ops="),
            ("task a ops=h cpus=3-1", "cpus=3-1 is no list of CPUs"),
            ("task a ops=h wings=2", "\u{201c}wings\u{201d} is not known"),
            ("cg", "no name"),
            ("hb groups=-1", "groups=-1 is no number that fits"),
        ] {
            let error = of(&["scn x", line]).expect_err(line);
            assert_eq!(error.field, "source[1]");
            assert_eq!(error.what, format!("{what} in \u{201c}{line}\u{201d}"));
        }
    }
}
