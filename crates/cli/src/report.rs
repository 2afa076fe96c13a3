//! The text report of one run: from what it was, over what came out, to every task.

use crate::fairness;
use crate::numbers::{count, percent, rate, time};
use crate::outcome::Outcome;
use crate::setup::setup;
use crate::table::{Page, Table};
use crate::words::{idle_word, level_name};
use schedlab_engine::config::GroupSpec;
use schedlab_engine::observe::metrics::{BalanceCount, TaskReport};
use schedlab_engine::observe::{Account, Distribution};
use schedlab_engine::sched::bandwidth::QuotaStat;
use schedlab_engine::words::plural::form;
use std::collections::BTreeMap;
use std::io;

/// Prints the report; `tasks` rows of the table of tasks, none: one row a role.
pub(crate) fn print(
    outcome: &Outcome,
    tasks: Option<usize>,
    page: &mut Page<'_>,
) -> io::Result<()> {
    page.bold(&outcome.title())?;
    setup(&outcome.config, page)?;
    course(outcome, page)?;
    throughput(outcome, page)?;
    accounts(outcome, page)?;
    quotas(outcome, page)?;
    distributions(outcome, page)?;
    fairness::print(outcome, page)?;
    measures(outcome, page)?;
    switches(outcome, page)?;
    migrations(outcome, page)?;
    selection(outcome, page)?;
    balance(outcome, page)?;
    match tasks {
        None => roles(outcome, page)?,
        Some(rows) => every_task(outcome, rows, page)?,
    }
    page.heading(&format!("Hash {:016x}", outcome.hash))?;
    let link = outcome.link_below();
    link.map_or(Ok(()), |link| page.line(&format!("Link {link}")))
}

/// How it went, on both clocks.
fn course(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let (totals, elapsed) = (&outcome.report.totals, outcome.driven.elapsed);
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let ratio = totals.now.0 as f64 / 1e9 / seconds;
    page.line("")?;
    let words = format!(
        "{} simulated in {}: {} times real time, {} {} ({}/s)",
        time(totals.now.0),
        time(elapsed.as_nanos() as u64),
        crate::numbers::digits(ratio),
        count(totals.events),
        form(totals.events, "event", "events"),
        rate(totals.events as f64 / seconds)
    );
    page.hanging(2, &words)?;
    page.hanging(2, &outcome.ended())
}

fn throughput(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let global = &outcome.report.global;
    if global.messages == 0 {
        return Ok(());
    }
    let real = global.messages as f64 / outcome.driven.elapsed.as_secs_f64().max(1e-9);
    page.heading("Throughput")?;
    page.line(&format!(
        "  {} {} in {}: {}/s simulated ({}/s of real time)",
        count(global.messages),
        form(global.messages, "message", "messages"),
        time(outcome.measured_ns()),
        rate(outcome.messages_per_second()),
        rate(real)
    ))
}

/// CPU time of all CPUs by account.
pub(crate) fn account_sums(outcome: &Outcome) -> [u64; Account::COUNT] {
    let mut sums = [0; Account::COUNT];
    for row in &outcome.report.totals.accounts {
        for (sum, ns) in sums.iter_mut().zip(row) {
            *sum += ns;
        }
    }
    sums
}

fn accounts(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    const BAR: u64 = 40;
    let sums = account_sums(outcome);
    let all: u64 = sums.iter().sum();
    let cpus = outcome.report.totals.accounts.len();
    let plural = if cpus == 1 { "" } else { "s" };
    page.heading(&format!("CPU time by account, {cpus} CPU{plural}"))?;
    let mut table = Table::new(&["<", "time", "share", "<"]);
    for (account, ns) in Account::ALL.iter().zip(sums).filter(|(_, ns)| *ns > 0) {
        let bar = (ns * BAR + all / 2).checked_div(all).unwrap_or(0) as usize;
        table.row([
            account.name().to_string(),
            time(ns),
            percent(ns, all),
            "\u{2588}".repeat(bar),
        ]);
    }
    table.print(page)?;
    let wasted = outcome.report.global.wasted_ns;
    page.line(&format!(
        "  idle while an allowed task waited elsewhere: {} ({})",
        time(wasted),
        percent(wasted, all)
    ))
}

/// What quotas did to their groups.
fn quotas(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    if outcome.report.totals.quotas.is_empty() {
        return Ok(());
    }
    page.heading("Groups with a quota")?;
    let mut table = Table::new(&[
        "<group",
        "quota",
        "period",
        "periods",
        "throttled in",
        "throttles",
        "throttled for",
    ]);
    for (group, stat) in quota_stats(outcome) {
        let (quota, period) = group.quota.map_or((String::new(), String::new()), |limit| {
            (limit.quota.to_string(), limit.period.to_string())
        });
        table.row([
            group.name.clone(),
            quota,
            period,
            count(stat.nr_periods),
            count(stat.nr_throttled),
            count(stat.throttles),
            time(stat.throttled_time),
        ]);
    }
    table.print(page)
}

/// Groups that have a quota, and what that did.
pub(crate) fn quota_stats(outcome: &Outcome) -> impl Iterator<Item = (&GroupSpec, &QuotaStat)> {
    let groups = &outcome.config.groups;
    let stats = outcome.report.totals.quotas.iter();
    stats.filter_map(|(id, stat)| Some((groups.get((id.0 as usize).checked_sub(1)?)?, stat)))
}

fn distributions(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let global = &outcome.report.global;
    page.heading("Distributions")?;
    let mut table = Table::new(&[
        "<", "min", "p10", "p50", "p90", "p99", "p99.9", "max", "mean", "n",
    ]);
    distribution_row(&mut table, "wakeup to running", global.wake_to_run.as_ref());
    let workloads = &outcome.report.workloads;
    if workloads.len() > 1 {
        for (at, workload) in workloads.iter().enumerate() {
            let name = format!("  of {}", outcome.scenario.world.members[at].name());
            distribution_row(&mut table, &name, workload.wake_to_run.as_ref());
        }
    }
    distribution_row(&mut table, "length of a run", global.run.as_ref());
    table.print(page)
}

/// What the programs themselves measured.
fn measures(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let workloads = &outcome.report.workloads;
    if workloads
        .iter()
        .all(|workload| workload.measures.is_empty())
    {
        return Ok(());
    }
    page.heading("Measured by the programs")?;
    let mut table = Table::new(&[
        "<workload",
        "<mark",
        "min",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max",
        "mean",
        "n",
        "a second",
    ]);
    for (workload, member) in workloads.iter().zip(&outcome.scenario.world.members) {
        for measure in &workload.measures {
            let d = &measure.took;
            let times = [d.min, d.p50, d.p90, d.p99, d.p999, d.max, d.mean].map(time);
            let names = [member.name(), outcome.mark_name(measure.mark)].map(String::from);
            let rates = [count(d.n), rate(d.n as f64 / outcome.seconds())];
            table.row(names.into_iter().chain(times).chain(rates));
        }
    }
    table.print(page)
}

fn distribution_row(table: &mut Table, name: &str, of: Option<&Distribution>) {
    let Some(d) = of else {
        return;
    };
    let times = [d.min, d.p10, d.p50, d.p90, d.p99, d.p999, d.max, d.mean].map(time);
    let cells = [name.to_string()]
        .into_iter()
        .chain(times)
        .chain([count(d.n)]);
    table.row(cells);
}

/// Counts with their share of `all`, the largest first.
fn counted(page: &mut Page<'_>, mut rows: Vec<(String, u64)>, all: u64) -> io::Result<()> {
    rows.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let mut table = Table::new(&["", "", "<"]);
    for (words, n) in rows.into_iter().filter(|(_, n)| *n > 0) {
        table.row([count(n), percent(n, all), words]);
    }
    table.print(page)
}

fn switches(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let global = &outcome.report.global;
    page.heading(&format!(
        "Switches: {} ({}/s simulated)",
        count(global.context_switches),
        rate(global.context_switches as f64 / outcome.seconds())
    ))?;
    let preemptions = vec![
        (
            String::from("voluntary: the task slept or ended"),
            global.voluntary,
        ),
        (
            String::from("preempted by a wakeup"),
            global.wakeup_preemptions,
        ),
        (
            String::from("preempted at a tick or by the hrtick"),
            global.tick_preemptions,
        ),
        (
            String::from("other: yields and the rest"),
            global.other_involuntary,
        ),
    ];
    counted(page, preemptions, global.voluntary + global.involuntary)?;
    page.dim("  picked")?;
    let picks = global
        .picks
        .iter()
        .map(|(why, n)| (why.what().to_string(), *n));
    counted(page, picks.collect(), global.context_switches)?;
    let pairs = &global.wakeup_preemptions_by_pair;
    if !pairs.is_empty() {
        page.dim("  wakeup preemptions")?;
        let rows = pairs
            .iter()
            .map(|p| (format!("{} took {}'s CPU", p.woken, p.victim), p.n));
        counted(page, rows.collect(), global.wakeup_preemptions)?;
    }
    let checks: u64 = global.preempt_checks.iter().map(|(_, n)| n).sum();
    page.dim("  does the woken task preempt?")?;
    let rows = global
        .preempt_checks
        .iter()
        .map(|(why, n)| (why.what().to_string(), *n));
    counted(page, rows.collect(), checks)
}

fn migrations(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let global = &outcome.report.global;
    page.heading(&format!("Migrations: {}", count(global.migrations)))?;
    let by_distance = global.migrations_by_distance.iter();
    let rows = by_distance.map(|(distance, n)| (distance.name().to_string(), *n));
    counted(page, rows.collect(), global.migrations)?;
    let by_why = global.migrations_by_why.iter();
    let rows: Vec<_> = by_why
        .map(|(why, n)| (why.what().to_string(), *n))
        .collect();
    if !rows.is_empty() {
        page.dim("  why")?;
    }
    counted(page, rows, global.migrations)
}

fn selection(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let global = &outcome.report.global;
    let all: u64 = global.selections.iter().map(|(_, n)| n).sum();
    if all == 0 {
        return Ok(());
    }
    page.heading(&format!(
        "CPU selection: {} {}, {} {}; {} run {} read",
        count(global.wakeups),
        form(global.wakeups, "wakeup", "wakeups"),
        count(global.forks),
        form(global.forks, "fork", "forks"),
        count(global.visited),
        form(global.visited, "queue", "queues")
    ))?;
    let rows = global
        .selections
        .iter()
        .map(|(why, n)| (why.what().to_string(), *n));
    counted(page, rows.collect(), all)
}

fn balance(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let global = &outcome.report.global;
    let all: u64 = global.balance.iter().map(|b| b.n).sum();
    if all == 0 {
        return Ok(());
    }
    page.heading(&format!(
        "Balancing: {} {}, {} {} moved",
        count(all),
        form(all, "attempt", "attempts"),
        count(global.pulled),
        form(global.pulled, "task", "tasks")
    ))?;
    let words = |b: &BalanceCount| {
        let table = outcome.scenario.kernel.rules.domains;
        let (level, idle) = (level_name(b.level, table), idle_word(b.idle));
        (format!("{level}, {idle}: {}", b.why.what()), b.n)
    };
    counted(page, global.balance.iter().map(words).collect(), all)
}

/// What the tasks of one role have in common.
#[derive(Default)]
struct Role {
    tasks: u64,
    cpu_ns: u64,
    share_ppm: u64,
    voluntary: u64,
    involuntary: u64,
    wakeups: u64,
    migrations: u64,
    counted: u64,
    waited: u64,
    longest_wait: u64,
}

impl Role {
    fn add(&mut self, task: &TaskReport) {
        self.tasks += 1;
        self.cpu_ns += task.cpu_ns;
        self.share_ppm += task.share_ppm;
        self.voluntary += task.sw_voluntary;
        self.involuntary += task.sw_involuntary;
        self.wakeups += task.wakeups;
        self.migrations += task.migrations;
        self.counted += task.count;
        self.waited += task.waited_ns;
        self.longest_wait = self.longest_wait.max(task.longest_wait_ns);
    }
}

fn roles(outcome: &Outcome, page: &mut Page<'_>) -> io::Result<()> {
    let mut roles: BTreeMap<(u16, &str), Role> = BTreeMap::new();
    for task in &outcome.report.tasks {
        let template = &outcome.scenario.world.templates[task.template.0 as usize];
        let role = (template.workload, &*template.role);
        roles.entry(role).or_default().add(task);
    }
    page.heading("Tasks by role (--tasks all for each)")?;
    let mut table = Table::new(&[
        "<workload",
        "<role",
        "tasks",
        "cpu",
        "share",
        "voluntary",
        "preempted",
        "wakeups",
        "migrations",
        "count",
        "waited",
        "longest wait",
    ]);
    for ((workload, name), role) in &roles {
        let member = outcome.scenario.world.members[usize::from(*workload)];
        table.row([
            member.name().to_string(),
            (*name).to_string(),
            count(role.tasks),
            time(role.cpu_ns),
            percent(role.share_ppm, 1_000_000),
            count(role.voluntary),
            count(role.involuntary),
            count(role.wakeups),
            count(role.migrations),
            count(role.counted),
            time(role.waited),
            time(role.longest_wait),
        ]);
    }
    table.print(page)
}

fn every_task(outcome: &Outcome, rows: usize, page: &mut Page<'_>) -> io::Result<()> {
    let names = outcome.names().into_all();
    let mut tasks: Vec<_> = names.iter().zip(&outcome.report.tasks).collect();
    tasks.sort_by_key(|(_, task)| std::cmp::Reverse(task.cpu_ns));
    page.heading(&format!(
        "Tasks: {}, by CPU time",
        count(tasks.len() as u64)
    ))?;
    let mut table = Table::new(&[
        "<task",
        "nice",
        "cpu",
        "share",
        "voluntary",
        "preempted",
        "wakeups",
        "migrations",
        "count",
        "run p50",
        "wakeup p50",
        "wakeup p99",
        "waited",
        "longest wait",
    ]);
    for (name, task) in tasks.iter().take(rows) {
        let template = &outcome.scenario.world.templates[task.template.0 as usize];
        let of = |d: Option<Distribution>, which: fn(&Distribution) -> u64| {
            d.map_or_else(|| String::from("-"), |d| time(which(&d)))
        };
        table.row([
            (*name).clone(),
            template.nice.get().to_string(),
            time(task.cpu_ns),
            percent(task.share_ppm, 1_000_000),
            count(task.sw_voluntary),
            count(task.sw_involuntary),
            count(task.wakeups),
            count(task.migrations),
            count(task.count),
            of(task.run, |d| d.p50),
            of(task.wake_to_run, |d| d.p50),
            of(task.wake_to_run, |d| d.p99),
            time(task.waited_ns),
            time(task.longest_wait_ns),
        ]);
    }
    table.print(page)?;
    match tasks.len().saturating_sub(rows) {
        0 => Ok(()),
        more => page.dim(&format!("  and {} more", count(more as u64))),
    }
}
