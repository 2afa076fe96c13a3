//! `schedlab list`: what there is to choose from, each with what it does, whether it can be felt, and its
//! default under a kernel.

mod json;

use crate::args::List;
use crate::failure::Failure;
use crate::run::print_json;
use crate::table::{Page, Table};
use json::as_json;
use schedlab_engine::config::text::{
    param_range_text, param_text, switch_text, tunable_range_text, tunable_text,
};
use schedlab_engine::config::{Config, Field};
use schedlab_engine::machine::catalog::CATALOG;
use schedlab_engine::machine::sd_flags::{Level, SdFlags};
use schedlab_engine::sched::features::{Alias, Effect, Feature};
use schedlab_engine::sched::outline::{OUTLINES, Outline};
use schedlab_engine::sched::profile::{DELTAS, Delta, DeltaSet, PROFILES, Profile};
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::words::plural::counted;
use schedlab_engine::workload::WorkloadKind;
use schedlab_engine::workload::lang::{DECLARATIONS, STATEMENTS, TRAITS, Word};
use serde_json::Value;
use std::io::{self, Write};

/// Prints one table, or all of them in short; defaults are those of `config`'s machine and kernel.
pub(crate) fn list(
    what: Option<List>,
    json: bool,
    config: &Config,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let lists: Vec<List> = match what {
        Some(one) => vec![one],
        None => List::ALL.iter().map(|(_, list)| *list).collect(),
    };
    if json {
        let value = match what {
            Some(one) => as_json(one, config),
            None => List::ALL
                .iter()
                .map(|(name, list)| (json::key(name).to_string(), as_json(*list, config)))
                .collect(),
        };
        let value: Value = value;
        return print_json(&value, out);
    }
    let mut page = Page::stdout(out);
    for (i, list) in lists.iter().enumerate() {
        if i > 0 {
            page.line("")?;
        }
        print(*list, config, &mut page)?;
    }
    Ok(())
}

fn print(list: List, config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    match list {
        List::Machines => machines(page),
        List::Kernels => kernels(page),
        List::Outlines => outlines(page),
        List::Deltas => deltas(config, page),
        List::Features => features(config, page),
        List::Tunables => tunables(config, page),
        List::Flags => flags(config, page),
        List::Workloads => workloads(page),
        List::Keys => keys(page),
        List::Language => language(page),
    }
}

fn machines(page: &mut Page<'_>) -> io::Result<()> {
    page.bold("Machines (m=)")?;
    let mut table = Table::new(&["<name", "CPUs", "<"]);
    for machine in &CATALOG {
        table.row([
            machine.name.to_string(),
            machine.layout.cpus.to_string(),
            machine.title.to_string(),
        ]);
    }
    table.print(page)
}

fn kernels(page: &mut Page<'_>) -> io::Result<()> {
    page.bold("Kernels (k=)")?;
    for profile in PROFILES {
        let (name, released, hz) = (profile.name, profile.released, profile.hz);
        page.line(&format!("  {name:<11}  {released}  HZ {hz}"))?;
        page.text(6, profile.what)?;
        page.text(6, &format!("commits: {}", ids(profile.deltas)))?;
        let outlines: Vec<&str> = profile.outlines().map(|part| part.name).collect();
        page.text(6, &format!("in outline: {}", outlines.join(", ")))?;
    }
    Ok(())
}

/// The kernels in which a part is an outline.
fn kernels_with(part: &Outline) -> Vec<&'static str> {
    let has = |profile: &&Profile| profile.outlines().any(|other| other.name == part.name);
    PROFILES.iter().filter(has).map(|p| p.name).collect()
}

fn outlines(page: &mut Page<'_>) -> io::Result<()> {
    page.bold("Modelled in outline: cited, but not rule for rule")?;
    for part in OUTLINES {
        page.line(&format!("  {} [outline]", part.name))?;
        let what = format!("{} [{}]", part.what, part.cite);
        page.text(6, &what)?;
        page.text(6, &format!("kernels: {}", kernels_with(part).join(", ")))?;
    }
    Ok(())
}

/// The numbers of deltas, runs of them shortened: `D01-D14 D20`.
fn ids(deltas: DeltaSet) -> String {
    let numbers: Vec<u8> = DELTAS
        .iter()
        .map(|d| d.id)
        .filter(|id| deltas.has(*id))
        .map(|id| id.0)
        .collect();
    let runs = numbers.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [first, .., last] => format!("D{first:02}-D{last:02}"),
        [one] => format!("D{one:02}"),
        [] => String::new(),
    });
    let all: Vec<String> = runs.collect();
    if all.is_empty() {
        return String::from("none: it is the base");
    }
    all.join(" ")
}

/// What each release says, releases that say the same after each other together: `on in 2.6.31 to 2.6.39, 3.2final; not
/// in 6.6 to 7.3`.
fn history(value: impl Fn(&Config) -> Option<String>, config: &Config) -> String {
    let said: Vec<(&str, Option<String>)> = PROFILES
        .iter()
        .map(|p| {
            let plain = Config::new(config.machine, p, Vec::new());
            (p.name, value(&plain))
        })
        .collect();
    let mut all: Vec<(&Option<String>, Vec<String>)> = Vec::new();
    for run in said.chunk_by(|a, b| a.1 == b.1) {
        let names = match run {
            [(first, _), _, .., (last, _)] => format!("{first} to {last}"),
            few => few.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", "),
        };
        match all.iter_mut().find(|(value, _)| **value == run[0].1) {
            Some((_, places)) => places.push(names),
            None => all.push((&run[0].1, vec![names])),
        }
    }
    let words = all.iter().map(|(value, places)| {
        let places = places.join(", ");
        match value {
            Some(value) => format!("{value} in {places}"),
            None => format!("not in {places}"),
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Can a switch be felt, and if not, why not?
fn effect(effect: Effect) -> String {
    match effect {
        Effect::Effective => String::from("effective"),
        Effect::Inert(why) => format!("inert: {why}"),
    }
}

/// What a switch does, and if that can be felt nowhere, why not.
fn with_effect(what: &str, felt: Effect) -> String {
    match felt {
        Effect::Effective => what.to_string(),
        Effect::Inert(_) => format!("{what} [{}]", effect(felt)),
    }
}

/// What a switch does, and what a kernel does that has not got it.
fn with_instead(what: &str, kernel: &str, instead: Option<&str>) -> String {
    let instead = instead.map(|why| format!(" {kernel}: {why}."));
    format!("{what}{}", instead.unwrap_or_default())
}

fn deltas(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    let kernel = config.kernel.name;
    page.bold(&format!(
        "Commits (d=); * = part of {kernel}; by number, name, or seven digits of the id"
    ))?;
    let of_base = || DELTAS.iter().filter(|d| d.base == config.kernel.base);
    let ids = of_base().map(|d| d.id.to_string().len()).max().unwrap_or(0);
    for delta in of_base() {
        let part = if config.kernel.deltas.has(delta.id) {
            '*'
        } else {
            ' '
        };
        page.hanging(
            0,
            &format!(
                "{part} {:<ids$} {:<20} {}  {}",
                delta.id.to_string(),
                delta.name,
                delta.date,
                delta.source()
            ),
        )?;
        page.text(6, &with_effect(&what_of(delta), delta.effect))?;
    }
    Ok(())
}

fn what_of(delta: &Delta) -> String {
    let needs: Vec<String> = delta.needs.iter().map(ToString::to_string).collect();
    if needs.is_empty() {
        delta.what.to_string()
    } else {
        format!("{} Needs {}.", delta.what, needs.join(" or "))
    }
}

/// The default of a feature: on or off, or none where the kernel has not got it.
fn feature_default(config: &Config, feature: Feature) -> Option<bool> {
    let kernel = config.kernel_of_deltas();
    let on = kernel.features.has(feature);
    kernel.exists.has(feature).then_some(on)
}

fn features(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    page.bold(&format!(
        "Features (f=, NO_ switches off); first the default of {}, - = not there",
        as_given(config)
    ))?;
    let of = |config: &Config, feature| feature_default(config, feature).map(switch_text);
    for feature in Feature::ALL {
        let base = config.kernel.base;
        let info = feature.info();
        let name = config.feature_name(*feature);
        let names = [Some(info.name), info.alias.map(Alias::name)];
        let other = names.into_iter().flatten().find(|other| *other != name);
        let alias = other.map_or(String::new(), |a| format!(" (also {a})"));
        let default = of(config, *feature).unwrap_or("-");
        page.line(&format!("  {default:<3}  {name}{alias}"))?;
        let all = history(|c| of(c, *feature).map(String::from), config);
        page.text(7, &all)?;
        let what = format!(
            "{} [{}; {}]",
            info.what,
            effect(base.effect(*feature)),
            info.cite
        );
        let instead = base.instead_of(*feature);
        page.text(7, &with_instead(&what, config.kernel.name, instead))?;
        let without = format!("NO_{}: {}", info.name, feature.without());
        page.text(7, &without)?;
    }
    Ok(())
}

/// The kernel, and whether anything in it was changed.
fn as_given(config: &Config) -> String {
    if config.deltas == config.kernel.deltas {
        config.kernel.name.to_string()
    } else {
        format!("{} as given", config.kernel.name)
    }
}

/// The default of a tunable, in words, or none where the kernel has not got it.
fn tunable_default(config: &Config, tunable: Tunable) -> Option<String> {
    let there = config.kernel_of_deltas().settable.has(tunable);
    there.then(|| tunable_text(tunable, config.default_tunable(tunable)))
}

fn tunables(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    let cpus = config.machine.layout.cpus;
    page.bold(&format!(
        "Tunables (t=name:value) and ranges; first the default of {} with {}, - = not there",
        as_given(config),
        counted(cpus, "CPU", "CPUs")
    ))?;
    let mut table = Table::new(&["<", "<", "<"]);
    for tunable in Tunable::ALL {
        let info = tunable.info();
        let default = tunable_default(config, *tunable);
        table.row([
            default.unwrap_or_else(|| String::from("-")),
            info.name.to_string(),
            tunable_range_text(*tunable),
        ]);
    }
    let heads = table.rows();
    for (tunable, head) in Tunable::ALL.iter().zip(heads) {
        let info = tunable.info();
        page.line(&head)?;
        page.text(7, &history(|c| tunable_default(c, *tunable), config))?;
        let what = with_effect(info.what, info.effect);
        let instead = missing(config, *tunable);
        page.text(7, &with_instead(&what, config.kernel.name, instead))?;
        page.text(7, info.sysctl)?;
    }
    Ok(())
}

/// What the kernel does that has no such tunable.
fn missing(config: &Config, tunable: Tunable) -> Option<&'static str> {
    let there = config.kernel_of_deltas().settable.has(tunable);
    config
        .kernel
        .base
        .instead_of_tunable(tunable)
        .filter(|_| !there)
}

/// The levels at which the kernel sets a flag.
fn levels_of(config: &Config, flag: SdFlags) -> Vec<&'static str> {
    let kernel = config.kernel_of_deltas();
    let set = kernel.domains.iter().filter(|d| d.flags.has(flag));
    let name = |level: Level| level.name_in(kernel.rules.domains);
    set.map(|d| name(d.level)).collect()
}

fn flags(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    page.bold(&format!(
        "Domain flags (sd=, - clears); where {} sets them",
        config.kernel.name
    ))?;
    let mut table = Table::new(&["<name", "<set at", "<"]);
    for (flag, _, what) in SdFlags::ALL {
        let name = config.flag_name(*flag);
        let levels = levels_of(config, *flag);
        let at = if levels.is_empty() {
            String::from("-")
        } else {
            levels.join(",")
        };
        let instead = config.kernel_of_deltas().instead_of_flag(*flag);
        let what = with_instead(what, config.kernel.name, instead);
        table.row([name.to_string(), at, what]);
    }
    table.print(page)
}

fn workloads(page: &mut Page<'_>) -> io::Result<()> {
    page.bold("Workloads (w=name(parameter=value,...);name...)")?;
    for kind in WorkloadKind::ALL {
        page.line(&format!("  {}", kind.name()))?;
        page.text(6, kind.what())?;
        let mut table = Table::new(&["<", "<", "default", "<range", "<"]);
        for param in kind.params() {
            table.row([
                String::from("  "),
                param.name.to_string(),
                param_text(param, param.default),
                param_range_text(param),
                param.what.to_string(),
            ]);
        }
        table.print(page)?;
    }
    Ok(())
}

fn keys(page: &mut Page<'_>) -> io::Result<()> {
    page.bold("Parts of a fragment (key=value, with & or a line break between)")?;
    let mut table = Table::new(&["<key", "<example", "<"]);
    for field in Field::ALL {
        table.row([
            field.key().to_string(),
            field.form().to_string(),
            field.what().to_string(),
        ]);
    }
    table.print(page)
}

/// The words of the workload language, by where they stand.
const LANGUAGE: [(&str, &[Word]); 3] = [
    ("declarations", DECLARATIONS),
    ("traits", TRAITS),
    ("statements", STATEMENTS),
];

fn language(page: &mut Page<'_>) -> io::Result<()> {
    page.bold("The workload language (docs/workload-language.md)")?;
    for (place, words) in LANGUAGE {
        page.line(&format!("  {place}"))?;
        let mut table = Table::new(&["<", "<", "<"]);
        for word in words {
            table.row(["", word.form, word.what].map(String::from));
        }
        table.print(page)?;
    }
    Ok(())
}
