//! What an experiment is, in a few lines: machine, kernel and what was changed about it, groups, workloads.

use crate::numbers::{count, percent};
use crate::table::{Page, Table};
use schedlab_engine::config::text::{param_text, tunable_text};
use schedlab_engine::config::{Config, GroupSpec, Quota, WorkloadSpec};
use schedlab_engine::sched::profile::DELTAS;
use std::io;

/// Prints it.
pub(crate) fn setup(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    let mut table = Table::new(&["<", "<"]);
    let mut row = |name: &str, what: String| table.row([name.to_string(), what]);
    row(
        "machine",
        format!("{}: {}", config.machine.name, config.machine.title),
    );
    row("kernel", kernel(config));
    for change in changes(config) {
        row("", change);
    }
    for group in &config.groups {
        row("group", group_words(group));
    }
    for spec in &config.workloads {
        row("workload", workload(spec));
    }
    if !config.script.is_empty() {
        let tasks = count(config.script.tasks().into());
        row(
            "workload",
            format!("written in the workload language: tasks {tasks}"),
        );
    }
    table.print(page)
}

fn kernel(config: &Config) -> String {
    let changed = match config.changes() {
        0 => String::from("as released"),
        1 => String::from("1 change"),
        n => format!("{n} changes"),
    };
    let hz = config.hz_in_force().0;
    format!("{}, HZ {hz}, {changed}", config.kernel.name)
}

/// Each change to the kernel, in words.
fn changes(config: &Config) -> Vec<String> {
    let mut words = Vec::new();
    for delta in DELTAS.iter().filter(|d| config.delta_changed(d.id)) {
        let with = if config.deltas.has(delta.id) {
            "with"
        } else {
            "without"
        };
        words.push(format!(
            "{with} {} {}: {}",
            delta.id, delta.name, delta.what
        ));
    }
    for (feature, on) in config.features.iter() {
        let info = feature.info();
        let name = config.feature_name(*feature);
        words.push(if *on {
            format!("{name}: {}", info.what)
        } else {
            format!("NO_{name}: {}", feature.without())
        });
    }
    for (tunable, value) in config.tunables.iter() {
        let (new, old) = (*value, config.default_tunable(*tunable));
        let text = |value| tunable_text(*tunable, value);
        words.push(format!(
            "{} {} instead of {}",
            tunable.info().name,
            text(new),
            text(old)
        ));
    }
    for ((level, flag), on) in config.sd_flags.iter() {
        words.push(format!(
            "{} {} at {}",
            config.flag_name(*flag),
            switch(*on),
            config.level_name(*level)
        ));
    }
    words
}

const fn switch(on: bool) -> &'static str {
    if on { "set" } else { "cleared" }
}

fn group_words(group: &GroupSpec) -> String {
    let parent = group.parent.as_deref();
    let inside = parent.map_or(String::new(), |parent| format!(" in {parent}"));
    let limit = group.quota.map_or(String::new(), quota_words);
    let cpus = group
        .cpus
        .map_or(String::new(), |cpus| format!(", CPUs {cpus}"));
    format!(
        "{}{inside}: {} shares{limit}{cpus}",
        group.name, group.shares
    )
}

fn quota_words(limit: Quota) -> String {
    let (quota, period) = (limit.quota, limit.period);
    let share = percent(quota.0, period.0);
    let burst = match limit.burst.0 {
        0 => String::new(),
        _ => format!(", {} of it saved up", limit.burst),
    };
    format!(", at most {quota} of each {period} ({share} of a CPU){burst}")
}

fn workload(spec: &WorkloadSpec) -> String {
    let params = spec.kind.params().iter().zip(&spec.values);
    let said: Vec<String> = params
        .map(|(p, value)| format!("{} {}", p.name, param_text(p, *value)))
        .collect();
    format!("{}: {}", spec.kind.name(), said.join(", "))
}
