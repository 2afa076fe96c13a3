//! `schedlab explain`: what a CPU does next, every candidate and every number compared, in words.

use crate::args::Explain;
use crate::drive::{drive, drive_until};
use crate::failure::{Failure, named};
use crate::interrupt;
use crate::numbers::{count, time};
use crate::table::{Page, Table};
use crate::words::{self, signed};
use schedlab_engine::config::text::time_text;
use schedlab_engine::config::{Config, LIMITS, Scenario};
use schedlab_engine::fragment;
use schedlab_engine::machine::CpuId;
use schedlab_engine::machine::sd_flags::SdFlags;
use schedlab_engine::observe::explain::{Basis, Explained, Explanation, Place};
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sched::rq::{EntityId, GroupId};
use schedlab_engine::sched::rules::DomainTable;
use schedlab_engine::sched::wakeup::Step;
use schedlab_engine::sched::{Candidate, Role, Sched, Verdict};
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;
use schedlab_engine::words::plural::counted;
use std::io::{self, Write};

/// Runs to the time asked for and explains what comes next.
pub(crate) fn explain(asked: &Explain, out: &mut dyn Write) -> Result<(), Failure> {
    let given = asked.source.read()?;
    given.tell(false)?;
    let at = instant(&asked.at)?;
    let scenario = given.scenario()?;
    let cpus = scenario.topology.cpus();
    if let Some(cpu) = asked.cpu.filter(|cpu| *cpu >= cpus) {
        let words = format!(
            "--cpu {cpu}: the machine has {}; use 0 to {}",
            counted(cpus, "CPU", "CPUs"),
            cpus - 1
        );
        return Err(Failure::input(words));
    }
    let mut names = words::Names::new(&scenario, &given.config.groups);
    let mut sim = Sim::new(&scenario);
    drive_until(&mut sim, &scenario, (&mut names, |_| false), None, at);
    let now = sim.progress().now;
    if interrupt::asked() {
        interrupt::tell(|| not_explained(now, &asked.at));
        return Ok(());
    }
    let cpu = asked.cpu.map(CpuId);
    let explanation = schedlab_engine::observe::explain::explain(&sim, cpu, interrupt::asked);
    let Some(explanation) = explanation.filter(|_| now == at) else {
        let whose = cpu.map_or(String::new(), |c| format!(" on CPU {}", c.0));
        let end = drive(&mut sim, &scenario, &mut (), None, |()| false);
        let end = end.progress.now;
        if interrupt::asked() {
            interrupt::tell(|| not_explained(end, &asked.at));
            return Ok(());
        }
        let (at, end) = (&asked.at, time(end.0));
        let words = format!(
            "explain: --at {at}: nothing is decided{whose} from then on; the run ends at {end}; \
             ask for an earlier time"
        );
        return Err(Failure::input(words));
    };
    explanation
        .decisions
        .iter()
        .filter_map(|d| d.event.as_ref())
        .for_each(|e| names.record(now, e));
    let who = Who {
        names: &names,
        sched: sim.sched(),
    };
    print(
        &explanation,
        (&given.config, &scenario),
        (now, &who),
        &mut Page::stdout(out),
    )?;
    Ok(())
}

/// How far it came, and that this was too early.
fn not_explained(now: Instant, at: &str) -> String {
    let now = time(now.0);
    format!("explain: at {now} of simulated time; what follows {at} is not explained")
}

/// What tasks and groups are called.
struct Who<'a> {
    names: &'a words::Names<'a>,
    sched: &'a Sched,
}

impl Who<'_> {
    /// The task, or the group that the entity stands for.
    fn of(&self, se: EntityId, task: Option<TaskId>) -> String {
        if let Some(task) = task {
            return self.names.of(task).to_string();
        }
        let queue = self.sched.se[se.0 as usize].my_q;
        let group = queue.map_or(GroupId(0), |q| self.sched.cfs_rq[q.0 as usize].group);
        self.names.group(group)
    }
}

/// `text` as an instant that a run can come to.
fn instant(text: &str) -> Result<Instant, Failure> {
    let latest = LIMITS.duration.1;
    let ns = fragment::parse_time(text).filter(|ns| *ns <= latest);
    let words = || {
        let latest = time_text(latest.0.into());
        format!(
            "explain: --at {}: use a time from 0 to {latest}, such as 12.5ms, 750us or 1.5s",
            named(text)
        )
    };
    ns.map(|ns| Instant(ns.0))
        .ok_or_else(|| Failure::input(words()))
}

fn print(
    explanation: &Explanation,
    (config, scenario): (&Config, &Scenario),
    (now, who): (Instant, &Who<'_>),
    page: &mut Page<'_>,
) -> io::Result<()> {
    let running = explanation.running.map_or("nothing", |t| who.names.of(t));
    page.bold(&format!(
        "CPU {} of {} under {}, from {} on; running: {running}",
        explanation.cpu.0,
        config.machine.name,
        config.kernel.name,
        words::instant(now).trim_start()
    ))?;
    for alike in explanation.decisions.chunk_by(alike) {
        let shown = match alike[0].event {
            Some(Event::Tick { .. }) => 1,
            _ => SHOWN,
        };
        for explained in alike.iter().take(shown) {
            one(explained, who, (config, scenario), page)?;
        }
        if let [.., last] = alike
            && alike.len() > shown
        {
            let (more, until) = (alike.len() - shown, words::instant(last.at));
            let until = until.trim_start();
            page.dim(&format!(
                "      and {} more until {until}",
                count(more as u64)
            ))?;
        }
    }
    Ok(())
}

/// So many of one sort of event are told one after the other, and so many steps of one sort.
const SHOWN: usize = 16;

/// Are these two of the same sort: ticks that came to the same, or other events of one kind? Switches are told each.
fn alike(a: &Explained, b: &Explained) -> bool {
    match (&a.event, &b.event) {
        (Some(Event::Tick { tick: a, .. }), Some(Event::Tick { tick: b, .. })) => a == b,
        (Some(Event::Switch { .. }) | None, _) | (_, None) => false,
        (Some(a), Some(b)) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// One thing that happened, and what it was decided from.
fn one(
    explained: &Explained,
    who: &Who<'_>,
    (config, scenario): (&Config, &Scenario),
    page: &mut Page<'_>,
) -> io::Result<()> {
    let line = format!(
        "{}  {}",
        words::instant(explained.at),
        what(explained, who.names)
    );
    let rules = &scenario.kernel.rules;
    match &explained.basis {
        None => page.hanging(0, &line),
        Some(Basis::Pick {
            candidates,
            waiting,
            nr_running,
            throttled,
            ..
        }) => {
            page.heading(&line)?;
            pick(candidates, who, page)?;
            queue(waiting, *nr_running, who, page)?;
            for (group, tasks) in throttled {
                let (group, tasks) = (who.names.group(*group), counted(*tasks, "task", "tasks"));
                page.line(&format!(
                    "      {group} is throttled here, with {tasks}: its quota is used up until the next period"
                ))?;
            }
            if rules.is_eevdf() {
                rule(
                    config,
                    "buddy_site",
                    &format!("{:?}", rules.buddy_site),
                    page,
                )
            } else {
                rule(config, "picker", &format!("{:?}", rules.picker), page)
            }
        }
        Some(Basis::Selection { steps, .. }) => {
            page.heading(&line)?;
            selection(steps, rules.domains, page)?;
            rule(config, "select", &format!("{:?}", rules.select), page)?;
            page.line("")
        }
    }
}

/// What happened, in a line.
fn what(explained: &Explained, names: &words::Names<'_>) -> String {
    match (&explained.event, &explained.basis) {
        (Some(event), _) => words::event(event, names),
        (None, Some(Basis::Pick { cpu, task, .. })) => {
            let task = task.map_or("idle", |t| names.of(t));
            format!("CPU {}: {task} is picked again", cpu.0)
        }
        (None, _) => String::new(),
    }
}

/// What a selection looked at, a line each.
fn selection(steps: &[Step], domains: DomainTable, page: &mut Page<'_>) -> io::Result<()> {
    let same_sort = |a: &Step, b: &Step| std::mem::discriminant(a) == std::mem::discriminant(b);
    for alike in steps.chunk_by(same_sort) {
        for step in alike.iter().take(SHOWN) {
            let told = step.told(domains);
            let (what, found) = (told.what, told.found);
            page.hanging(6, &format!("{what}: {found}{}", flags(step)))?;
        }
        match alike.len().saturating_sub(SHOWN) {
            0 => {}
            more => page.dim(&format!("      and {} more of these", count(more as u64)))?,
        }
    }
    Ok(())
}

/// The flags of a domain that was reached.
fn flags(step: &Step) -> String {
    let Step::Domain { flags, .. } = step else {
        return String::new();
    };
    let set = SdFlags::ALL.iter().filter(|(flag, ..)| flags.has(*flag));
    let names: Vec<&str> = set.map(|(_, name, _)| *name).collect();
    format!("; {}", names.join(" "))
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::Next => "next buddy",
        Role::Last => "last buddy",
        Role::Second => "second, as the leftmost has yielded",
        Role::Left => "leftmost",
        Role::Current => "runs",
        Role::Protected => "runs, protected",
        Role::Deadline => "waits",
    }
}

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Take => "taken",
        Verdict::TooFar => "no: too far right of the leftmost",
        Verdict::FeatureOff => "no: its feature is off",
        Verdict::NotEligible => "no: not eligible, it has had more than its share",
        Verdict::LaterDeadline => "no: another comes first by deadline",
    }
}

fn pick(candidates: &[Candidate], who: &Who<'_>, page: &mut Page<'_>) -> io::Result<()> {
    // EEVDF measures from the average, and deadlines decide.
    let by_deadline = candidates.iter().any(|c| c.wants.is_some());
    let [gap, limit] = if by_deadline {
        ["right of average", "deadline"]
    } else {
        ["right of leftmost", "may be right"]
    };
    let mut table = Table::new(&[
        "<",
        "<candidate",
        "<task",
        "vruntime",
        gap,
        limit,
        "<verdict",
    ]);
    for c in candidates {
        table.row([
            String::from("  "),
            role(c.role).to_string(),
            who.of(c.se, c.task),
            signed(c.vruntime),
            signed(c.gap),
            match c.wants {
                Some(wants) => signed(wants.deadline - c.vruntime + c.gap),
                None if c.gap > 0 => time(c.limit),
                None => String::from("-"),
            },
            verdict(c.verdict).to_string(),
        ]);
    }
    if candidates.is_empty() {
        return page.line("      nobody waits");
    }
    table.print(page)
}

fn queue(waiting: &[Place], nr_running: u32, who: &Who<'_>, page: &mut Page<'_>) -> io::Result<()> {
    if waiting.len() < 2 {
        return Ok(());
    }
    page.dim(&format!(
        "      in the queue, leftmost first; {} runnable",
        count(nr_running.into())
    ))?;
    let mut table = Table::new(&["<", "<", "", "", "<"]);
    for place in waiting {
        let marks = [
            ("running", place.running),
            ("next", place.next_buddy),
            ("last", place.last_buddy),
        ];
        let marks: Vec<&str> = marks.iter().filter(|m| m.1).map(|m| m.0).collect();
        table.row([
            String::from("  "),
            who.of(place.se, place.task),
            format!("{}{}", plus(place.behind), signed(place.behind)),
            format!("weight {}", place.weight),
            marks.join(", "),
        ]);
    }
    table.print(page)?;
    match (nr_running as usize).saturating_sub(waiting.len()) {
        0 => Ok(()),
        more => page.dim(&format!("      and {} more", count(more as u64))),
    }
}

const fn plus(ns: i64) -> &'static str {
    if ns < 0 { "" } else { "+" }
}

/// The rule that decided, and the commit it comes from.
fn rule(config: &Config, name: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    let source = config.source_of_rule(name).map_or_else(
        || format!("as in {}", config.release_of_rule(name)),
        |d| format!("{} {} ({}): {}", d.id, d.name, d.source(), d.what),
    );
    page.hanging(6, &format!("{name} {value}, {source}"))
}
