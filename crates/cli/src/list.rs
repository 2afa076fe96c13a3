//! `schedlab list`: what there is to choose from, each with what it does, whether it can be felt, and its
//! default under a kernel.

use crate::args::List;
use crate::failure::Failure;
use crate::table::{Page, Table};
use schedlab_engine::config::text::{
    param_range_text, param_text, switch_text, tunable_range_text, tunable_text,
};
use schedlab_engine::config::{Config, Field};
use schedlab_engine::machine::Machine;
use schedlab_engine::machine::catalog::CATALOG;
use schedlab_engine::machine::sd_flags::{Level, SdFlags};
use schedlab_engine::sched::features::{Alias, Effect, Feature};
use schedlab_engine::sched::outline::{OUTLINES, Outline};
use schedlab_engine::sched::profile::{DELTAS, Delta, DeltaSet, PROFILES, Profile};
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::words::plural::counted;
use schedlab_engine::workload::WorkloadKind;
use schedlab_engine::workload::lang::{DECLARATIONS, STATEMENTS, TRAITS, Word};
use serde_json::{Value, json};
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
                .map(|(name, list)| ((*name).to_string(), as_json(*list, config)))
                .collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &value).map_err(io::Error::from)?;
        return Ok(writeln!(out)?);
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
        page.line(&format!(
            "  {name:<10}  {released}  HZ {hz}  {}",
            profile.what
        ))?;
        page.text(14, &format!("commits: {}", ids(profile.deltas)))?;
        let outlines: Vec<&str> = profile.outlines().map(|part| part.name).collect();
        page.text(14, &format!("in outline: {}", outlines.join(", ")))?;
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

/// The kernels whose defaults are shown side by side: every release, and the one asked for if it is none.
fn side_by_side(config: &Config) -> Vec<(&'static str, Config)> {
    let plain = |profile: &'static Profile| Config::new(config.machine, profile, Vec::new());
    let mut all: Vec<_> = PROFILES.iter().map(|p| (p.name, plain(p))).collect();
    if config.deltas != config.kernel.deltas {
        all.push(("as given", config.clone()));
    }
    all
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

/// The same for programs: is it felt, and if not, why not?
const fn effect_fields(effect: Effect) -> (bool, Option<&'static str>) {
    match effect {
        Effect::Effective => (true, None),
        Effect::Inert(why) => (false, Some(why)),
    }
}

fn deltas(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    let kernel = config.kernel.name;
    page.bold(&format!("Commits (d=); * = part of {kernel}"))?;
    for delta in DELTAS.iter().filter(|d| d.base == config.kernel.base) {
        let part = if config.kernel.deltas.has(delta.id) {
            '*'
        } else {
            ' '
        };
        page.line(&format!(
            "{part} {} {:<20} {}  {}",
            delta.id, delta.name, delta.date, delta.commits
        ))?;
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

/// The default of a feature: on, off, or `-` where the kernel has not got it.
fn feature_default(config: &Config, feature: Feature) -> &'static str {
    let kernel = config.kernel_of_deltas();
    if kernel.exists.has(feature) {
        switch_text(kernel.features.has(feature))
    } else {
        "-"
    }
}

fn features(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    page.bold("Features (f=, NO_ switches off); defaults, - = not there")?;
    let kernels = side_by_side(config);
    let head: Vec<String> = kernels
        .iter()
        .map(|(name, _)| format!("{name:>10}"))
        .collect();
    page.dim(&format!("  {}", head.join("  ")))?;
    for feature in Feature::ALL {
        let base = config.kernel.base;
        let info = feature.info();
        let name = config.feature_name(*feature);
        let names = [Some(info.name), info.alias.map(Alias::name)];
        let other = names.into_iter().flatten().find(|other| *other != name);
        let alias = other.map_or(String::new(), |a| format!(" (also {a})"));
        let default =
            |(_, kernel): &(&str, Config)| format!("{:>10}", feature_default(kernel, *feature));
        let defaults: Vec<String> = kernels.iter().map(default).collect();
        page.line(&format!("  {}  {name}{alias}", defaults.join("  ")))?;
        let what = format!(
            "{} [{}; {}]",
            info.what,
            effect(base.effect(*feature)),
            info.cite
        );
        let instead = base.instead_of(*feature);
        page.text(8, &with_instead(&what, config.kernel.name, instead))?;
        let without = format!("NO_{}: {}", info.name, feature.without());
        page.text(8, &without)?;
    }
    Ok(())
}

fn tunables(config: &Config, page: &mut Page<'_>) -> io::Result<()> {
    let cpus = config.machine.layout.cpus;
    page.bold(&format!(
        "Tunables (t=name:value); defaults with {}",
        counted(cpus, "CPU", "CPUs")
    ))?;
    let kernels = side_by_side(config);
    let mut head = vec!["<name"];
    head.extend(kernels.iter().map(|(name, _)| *name));
    head.extend(["<range", "<sysctl", "<"]);
    let mut table = Table::new(&head);
    for tunable in Tunable::ALL {
        let info = tunable.info();
        let default = |(_, config): &(&str, Config)| {
            if config.kernel_of_deltas().settable.has(*tunable) {
                tunable_text(*tunable, config.default_tunable(*tunable))
            } else {
                String::from("-")
            }
        };
        let rest = [
            tunable_range_text(*tunable),
            info.sysctl.to_string(),
            with_instead(
                &with_effect(info.what, info.effect),
                config.kernel.name,
                missing(config, *tunable),
            ),
        ];
        let defaults = kernels.iter().map(default);
        table.row(
            [info.name.to_string()]
                .into_iter()
                .chain(defaults)
                .chain(rest),
        );
    }
    table.print(page)
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

fn language_json() -> Value {
    let word = |w: &Word| json!({ "word": w.word, "form": w.form, "what": w.what });
    let place =
        |(place, words): (&str, &[Word])| (place.to_string(), words.iter().map(word).collect());
    Value::Object(LANGUAGE.into_iter().map(place).collect())
}

fn as_json(list: List, config: &Config) -> Value {
    match list {
        List::Language => language_json(),
        List::Machines => CATALOG.iter().map(machine_json).collect(),
        List::Kernels => PROFILES
            .iter()
            .map(|p| {
                let in_it = DELTAS.iter().filter(|d| p.deltas.has(d.id));
                let deltas: Vec<String> = in_it.map(|d| d.id.to_string()).collect();
                let outlines: Vec<&str> = p.outlines().map(|part| part.name).collect();
                json!({
                    "name": p.name, "released": p.released, "hz": p.hz, "what": p.what, "deltas": deltas,
                    "outlines": outlines,
                })
            })
            .collect(),
        List::Outlines => OUTLINES
            .iter()
            .map(|o| json!({ "name": o.name, "what": o.what, "cite": o.cite, "kernels": kernels_with(o) }))
            .collect(),
        List::Deltas => DELTAS.iter().map(|d| delta_json(d, config)).collect(),
        List::Features => Feature::ALL.iter().map(|f| feature_json(*f, config)).collect(),
        List::Tunables => Tunable::ALL.iter().map(|t| tunable_json(*t, config)).collect(),
        List::Flags => SdFlags::ALL
            .iter()
            .map(|(flag, _, what)| {
                let name = config.flag_name(*flag);
                let instead = config.kernel_of_deltas().instead_of_flag(*flag);
                json!({
                    "name": name, "what": what, "levels": levels_of(config, *flag),
                    "effective": instead.is_none(), "inert_because": instead,
                })
            })
            .collect(),
        List::Workloads => WorkloadKind::ALL.iter().map(|k| workload_json(*k)).collect(),
        List::Keys => Field::ALL
            .iter()
            .map(|f| json!({ "key": f.key(), "aliases": f.aliases(), "example": f.form(), "what": f.what() }))
            .collect(),
    }
}

fn machine_json(machine: &Machine) -> Value {
    let fact = |f: &schedlab_engine::machine::catalog::Fact| {
        let mark = format!("{:?}", f.mark).to_lowercase();
        json!({ "what": f.what, "mark": mark, "source": f.source })
    };
    let facts: Vec<Value> = machine.facts.iter().map(fact).collect();
    json!({ "name": machine.name, "title": machine.title, "cpus": machine.layout.cpus, "facts": facts })
}

fn delta_json(delta: &Delta, config: &Config) -> Value {
    let needs: Vec<String> = delta.needs.iter().map(ToString::to_string).collect();
    let (effective, inert) = effect_fields(delta.effect);
    json!({
        "id": delta.id.to_string(), "name": delta.name, "commits": delta.commits, "date": delta.date,
        "what": delta.what, "needs": needs, "default": config.kernel.deltas.has(delta.id),
        "effective": effective, "inert_because": inert,
    })
}

fn feature_json(feature: Feature, config: &Config) -> Value {
    let info = feature.info();
    let (effective, inert) = effect_fields(config.kernel.base.effect(feature));
    let default = match feature_default(config, feature) {
        "-" => None,
        word => Some(word == "on"),
    };
    json!({
        "name": info.name, "alias": info.alias.map(Alias::name), "name_here": config.feature_name(feature),
        "what": info.what, "without": feature.without(),
        "cite": info.cite, "effective": effective, "inert_because": inert, "default": default,
    })
}

fn tunable_json(tunable: Tunable, config: &Config) -> Value {
    let info = tunable.info();
    let (effective, inert) = effect_fields(info.effect);
    json!({
        "name": info.name, "sysctl": info.sysctl, "what": info.what, "min": info.range.0,
        "max": info.range.1, "scaled": info.scaled, "default": config.default_tunable(tunable),
        "effective": effective, "inert_because": inert,
    })
}

fn workload_json(kind: WorkloadKind) -> Value {
    let params: Vec<Value> = kind
        .params()
        .iter()
        .map(|p| {
            json!({
                "name": p.name, "unit": format!("{:?}", p.unit).to_lowercase(), "default": p.default,
                "min": p.min, "max": p.max, "choices": p.choices, "what": p.what,
            })
        })
        .collect();
    json!({ "name": kind.name(), "what": kind.what(), "params": params })
}
