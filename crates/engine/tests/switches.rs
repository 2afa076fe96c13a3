//! Every switch is felt, or says why it cannot be: `docs/switches.md` has an experiment for each commit, feature,
//! tunable and domain flag of each base release, run here with the switch as it is and changed. What is inert
//! changes none of them.

use schedlab_engine::config::{Config, Scenario};
use schedlab_engine::fragment;
use schedlab_engine::machine::sd_flags::{Level, SdFlags};
use schedlab_engine::observe::Hash;
use schedlab_engine::sched::features::{Effect, Feature};
use schedlab_engine::sched::profile::{Base, DELTAS, DeltaId, Kernel, PROFILES, Profile};
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use std::collections::BTreeSet;
use std::path::Path;

/// A line of the document: what is changed in which experiment, and why that makes a difference.
struct Row {
    base: Base,
    change: String,
    experiment: String,
    why: String,
}

/// One switch of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Switch {
    Delta(DeltaId),
    Feature(Feature),
    Tunable(Tunable),
    Flag(SdFlags),
}

impl Switch {
    fn name(self) -> String {
        match self {
            Switch::Delta(id) => id.to_string(),
            Switch::Feature(feature) => feature.info().name.into(),
            Switch::Tunable(tunable) => tunable.info().name.into(),
            Switch::Flag(flag) => flag.name().into(),
        }
    }

    fn exists_in(self, base: Base, kernel: &Kernel) -> bool {
        match self {
            Switch::Delta(id) => base.deltas().has(id),
            Switch::Feature(feature) => kernel.exists.has(feature),
            Switch::Tunable(tunable) => kernel.settable.has(tunable),
            Switch::Flag(flag) => kernel.instead_of_flag(flag).is_none(),
        }
    }

    fn effect(self, base: Base) -> Effect {
        match self {
            Switch::Feature(feature) => base.effect(feature),
            Switch::Tunable(tunable) => tunable.info().effect,
            Switch::Delta(id) => id.delta().expect("a row of the table").effect,
            Switch::Flag(_) => Effect::Effective,
        }
    }

    /// `config` with it turned, or set to an extreme.
    fn turned(self, config: &Config) -> Config {
        let (kernel, mut turned) = (config.kernel_in_force(), config.clone());
        match self {
            Switch::Delta(id) => turned.deltas = turned.deltas.with(id, !turned.deltas.has(id)),
            Switch::Feature(feature) => {
                turned
                    .features
                    .insert(feature, !kernel.features.has(feature));
            }
            Switch::Tunable(tunable) => {
                turned.tunables.insert(tunable, tunable.info().range.0);
            }
            Switch::Flag(flag) => {
                for level in Level::ALL {
                    let on = kernel.domains[level as usize].flags.has(flag);
                    turned.sd_flags.insert((level, flag), !on);
                }
            }
        }
        turned
    }
}

/// Everything that is a switch in some kernel that starts from `base`.
fn switches(base: Base) -> BTreeSet<Switch> {
    let kernels: Vec<Kernel> = kernels(base).map(Profile::kernel).collect();
    let deltas = DELTAS.iter().map(|d| Switch::Delta(d.id));
    let features = Feature::ALL.iter().map(|f| Switch::Feature(*f));
    let tunables = Tunable::ALL.iter().map(|t| Switch::Tunable(*t));
    let flags = SdFlags::ALL.iter().map(|(flag, ..)| Switch::Flag(*flag));
    let all = deltas.chain(features).chain(tunables).chain(flags);
    all.filter(|s| kernels.iter().any(|k| s.exists_in(base, k)))
        .collect()
}

fn kernels(base: Base) -> impl Iterator<Item = &'static Profile> {
    PROFILES.iter().filter(move |p| p.base == base)
}

/// The lines of the document's tables; a heading says of which base they are.
fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/switches.md");
    let document = std::fs::read_to_string(path).expect("the document");
    let mut base = None;
    let mut rows = Vec::new();
    for line in document.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let named = |b: &&Base| heading.starts_with(b.name());
            base = Base::ALL.iter().find(named).copied();
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        if let [change, experiment, why] = cells[..]
            && let Some(change) = change.strip_prefix("| `")
        {
            let bare = |cell: &str| cell.trim_matches(['`', ' ', '|']).to_string();
            rows.push(Row {
                base: base.expect("a heading that names a base"),
                change: bare(change),
                experiment: bare(experiment),
                why: bare(why),
            });
        }
    }
    rows
}

/// The switch that the change of a row turns.
fn switch_of(row: &Row) -> Switch {
    let (key, item) = row.change.split_once('=').expect("a part of a link");
    let name = item.trim_start_matches('-');
    let switch = match key {
        "d" => {
            let number = name.trim_start_matches('D').parse().ok();
            number.map(|n| Switch::Delta(DeltaId(n)))
        }
        "f" => Feature::by_name(name.trim_start_matches("NO_")).map(Switch::Feature),
        "t" => Tunable::by_name(name.split(':').next().unwrap_or(name)).map(Switch::Tunable),
        "sd" => SdFlags::by_name(name.rsplit(':').next().unwrap_or(name)).map(Switch::Flag),
        _ => None,
    };
    switch.unwrap_or_else(|| panic!("{} turns no switch", row.change))
}

/// The kernels that a row is about: the one it names, or all of the base that have the switch.
fn kernels_of(row: &Row) -> Vec<&'static Profile> {
    let named = row
        .experiment
        .split('&')
        .find_map(|part| part.strip_prefix("k="));
    if let Some(name) = named {
        return vec![Profile::by_name(name).expect("a kernel of the table")];
    }
    let switch = switch_of(row);
    let has = |p: &&Profile| switch.exists_in(row.base, &p.kernel());
    kernels(row.base).filter(has).collect()
}

fn parse(link: &str) -> Config {
    let (config, mut warnings) = fragment::parse(link);
    warnings.retain(|w| !w.is_advice());
    assert_eq!(warnings, [], "{link}");
    config
}

/// The hash of a run, and how many events it had.
fn run(config: &Config) -> (u64, u64) {
    let scenario = Scenario::try_from(config).expect("a sound experiment");
    let mut hash = Hash::default();
    let mut sim = Sim::new(&scenario);
    let progress = sim.run_until(Instant::FAR, &mut hash);
    (hash.get(), progress.events)
}

#[test]
fn every_switch_has_an_experiment_or_a_reason() {
    let rows = rows();
    for base in Base::ALL {
        let of_base = rows.iter().filter(|row| row.base == *base);
        let listed: Vec<Switch> = of_base.map(switch_of).collect();
        let unique: BTreeSet<Switch> = listed.iter().copied().collect();
        assert_eq!(
            unique.len(),
            listed.len(),
            "{}: one is there twice",
            base.name()
        );
        let effective = |s: &Switch| s.effect(*base) == Effect::Effective;
        let expected: BTreeSet<Switch> = switches(*base).into_iter().filter(effective).collect();
        let names = |set: &BTreeSet<Switch>, other| {
            let left = set.difference(other);
            left.map(|s| s.name()).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&expected, &unique),
            [""; 0],
            "{}: no row",
            base.name()
        );
        assert_eq!(
            names(&unique, &expected),
            [""; 0],
            "{}: no switch, or inert",
            base.name()
        );
    }
    for row in rows {
        assert!(
            row.why.ends_with('.') && row.why.len() > 30,
            "{}: why?",
            row.change
        );
    }
}

/// The longest run that shows a switch, in events: who looks at one wants to see it.
const SMALL: u64 = 20_000;

#[test]
fn every_experiment_shows_its_switch() {
    let mut wrong = Vec::new();
    for row in rows() {
        for kernel in kernels_of(&row) {
            let link = format!("{}&k={}", row.experiment, kernel.name);
            let (config, changed) = (parse(&link), parse(&format!("{link}&{}", row.change)));
            let ((hash, events), (other, _)) = (run(&config), run(&changed));
            if hash == other || config.canonical() == changed.canonical() {
                wrong.push(format!("{link} does not feel {}", row.change));
            }
            if events > SMALL {
                wrong.push(format!("{link} takes {events} events"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_inert_changes_no_experiment() {
    let mut felt = Vec::new();
    for row in rows() {
        let inert = |s: &Switch| matches!(s.effect(row.base), Effect::Inert(_));
        let kernel = kernels_of(&row)[0];
        let config = parse(&format!("{}&k={}", row.experiment, kernel.name));
        let (hash, _) = run(&config);
        let inert = switches(row.base).into_iter().filter(inert);
        for switch in inert.filter(|s| s.exists_in(row.base, &config.kernel_of_deltas())) {
            if run(&switch.turned(&config)).0 != hash {
                felt.push(format!("{}: {}", row.experiment, switch.name()));
            }
        }
    }
    assert!(felt.is_empty(), "{}", felt.join("\n"));
}
