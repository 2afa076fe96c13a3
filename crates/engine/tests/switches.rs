//! Every switch of the 2009 story is felt, or says why it cannot be: for each commit, feature, tunable and domain flag
//! there is an experiment here that it changes, or a reason in its table and no experiment that it changes.

use schedlab_engine::config::{Config, Scenario};
use schedlab_engine::fragment;
use schedlab_engine::machine::sd_flags::{Level, SdFlags};
use schedlab_engine::observe::Hash;
use schedlab_engine::sched::features::{Effect, Feature};
use schedlab_engine::sched::profile::{Base, DELTAS};
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use std::sync::OnceLock;

/// Kernels: the releases, and rc1 with Peter Zijlstra's two patches, which Mike Galbraith's mail builds on.
const KERNELS: [&str; 5] = [
    "k=2.6.31",
    "k=2.6.32-rc1",
    "k=2.6.32",
    "k=2.6.32-rc1&d=-D13,D20,D21",
    "k=2.6.32-rc1&sd=NODE:PREFER_LOCAL",
];

/// What runs under each.
const SCENARIOS: [&str; 15] = [
    "m=classroom-1&w=hogs(count=3);hogs(nice=5);sleeper(count=6,period=4ms,run=250us)&dur=120ms",
    "m=classroom-1&f=HRTICK&w=hogs(count=2);sleeper(count=3,nice=5,period=3ms,run=200us)&dur=60ms",
    "m=q6600&f=NEXT_BUDDY&w=hackbench(groups=2,fan=10,loops=20)",
    "m=tigerton-4x4&w=hackbench(groups=4,fan=5,loops=10,via=pipes)",
    "m=tigerton-4x4&w=tcp_rr(pairs=12);hogs(count=9);sleeper(count=8,period=3ms,run=500us)&dur=60ms",
    "m=nehalem-ep-2x4x2&w=tcp_rr(pairs=8);hogs(count=4,nice=5);sleeper(count=4)&dur=60ms",
    "m=nehalem-ep-2x4x2&w=hackbench(groups=1,fan=20,loops=5);hogs(count=20,nice=-5)&dur=40ms",
    "m=q6600&w=hackbench(groups=4,fan=10,loops=100)",
    // With coarse ticks a parent that forks gets further ahead than a slice (D03).
    "m=classroom-1&hz=100&w=hackbench(groups=4,fan=10,loops=5)",
    // Before D14 nothing preempts without WAKEUP_PREEMPT.
    "m=q6600&f=WAKEUP_OVERLAP,NO_WAKEUP_PREEMPT&w=hackbench(groups=2,fan=5,loops=20)",
    // All wakeups that could be pulled are sync; SYNC_MORE has something to add only where the hint is off.
    "m=q6600&f=NO_SYNC_WAKEUPS&w=hackbench(groups=2,fan=5,loops=20)",
    // hackbench's tasks run on for some microseconds after a wakeup, which is much only if little is (SYNC_LESS).
    "m=tigerton-4x4&t=migration_cost:5us&w=hackbench(groups=4,fan=5,loops=20)",
    "m=q6600&w=hogs(count=3);sleeper(count=4,period=7ms,run=3ms)&dur=200ms",
    "m=q6600&f=NO_AFFINE_WAKEUPS&w=tcp_rr(pairs=6);hogs(count=5);hogs(count=2,nice=5)&dur=60ms",
    "m=nehalem-ep-2x4x2&skew_tick=off&w=hogs(count=24);sleeper(count=8,period=5ms,run=3ms)&dur=200ms",
];

/// An experiment and the hash of its run.
struct Known {
    config: Config,
    hash: u64,
}

fn hash(config: &Config) -> u64 {
    let scenario = Scenario::try_from(config).expect("a sound experiment");
    let mut hash = Hash::default();
    Sim::new(&scenario).run_until(Instant::FAR, &mut hash);
    hash.get()
}

/// Every scenario under every kernel. A feature that a kernel lacks is left out with a warning.
fn experiments() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let links = KERNELS.iter().flat_map(|kernel| {
            let with = move |scenario| format!("{kernel}&{scenario}");
            SCENARIOS.iter().map(with)
        });
        let known = |link: String| {
            let (config, _) = fragment::parse(&link);
            let hash = hash(&config);
            Known { config, hash }
        };
        links.map(known).collect()
    })
}

/// Is there an experiment that comes out otherwise when `change`, where it applies, is made?
fn felt(change: impl Fn(&Config) -> Option<Config>) -> bool {
    let changed = |known: &Known| change(&known.config).is_some_and(|c| hash(&c) != known.hash);
    experiments().iter().any(changed)
}

/// The names of those whose effect is not what their table says.
fn wrong<T: Copy>(
    switches: impl IntoIterator<Item = T>,
    effect: impl Fn(T) -> Effect,
    change: impl Fn(&Config, T) -> Option<Config>,
    name: impl Fn(T) -> String,
) -> Vec<String> {
    let is_wrong = |switch: &T| {
        let says = effect(*switch) == Effect::Effective;
        says != felt(|config| change(config, *switch))
    };
    switches.into_iter().filter(is_wrong).map(name).collect()
}

#[test]
fn every_feature_is_felt_or_says_why_not() {
    let old = |feature: &Feature| {
        let has = |known: &Known| known.config.kernel_in_force().exists.has(*feature);
        experiments().iter().any(has)
    };
    let toggled = |config: &Config, feature: Feature| {
        let kernel = config.kernel_in_force();
        kernel.exists.has(feature).then(|| {
            let mut changed = config.clone();
            let on = kernel.features.has(feature);
            changed.features.insert(feature, !on);
            changed
        })
    };
    let all = Feature::ALL.iter().copied().filter(old);
    let got = wrong(all, |f| f.info().effect, toggled, |f| f.info().name.into());
    assert_eq!(got, [""; 0]);
}

#[test]
fn every_commit_is_felt() {
    let toggled = |config: &Config, id| {
        let mut changed = config.clone();
        changed.deltas = config.deltas.with(id, !config.deltas.has(id));
        let exists = changed.kernel_in_force().exists;
        changed.features.retain(|feature, _| exists.has(*feature));
        Some(changed)
    };
    let all = DELTAS
        .iter()
        .filter(|d| d.base == Base::V2_6_31)
        .map(|d| d.id);
    let got = wrong(all, |_| Effect::Effective, toggled, |id| id.to_string());
    assert_eq!(got, [""; 0]);
}

/// What a kernel since 3.2 is, what runs under it, and the switches of CPU selection that it has.
const LATER: [(&str, &[&str], &[Feature]); 3] = [
    (
        "k=mikie2",
        &[
            "m=nehalem-ep-2x4x2&w=tcp_rr(pairs=3);hogs(count=2)&dur=20ms",
            "m=q6600&w=hackbench(groups=1,fan=3,loops=20)",
        ],
        &[
            Feature::SiblingLimitSync,
            Feature::TtwuQueue,
            Feature::AffineWakeups,
        ],
    ),
    (
        "k=6.1",
        &[
            "m=nehalem-ep-2x4x2&w=tcp_rr(pairs=6);hogs(count=6);sleeper(count=8,period=3ms,run=500us)&dur=40ms",
            "m=tigerton-4x4&w=hackbench(groups=2,fan=6,loops=20)",
        ],
        &[
            Feature::TtwuQueue,
            Feature::WaIdle,
            Feature::WaWeight,
            Feature::WaBias,
        ],
    ),
    (
        "k=6.5&f=NO_SIS_UTIL",
        &[
            "m=nehalem-ep-2x4x2&w=tcp_rr(pairs=8);hogs(count=7);hackbench(groups=1,fan=4,loops=50)&dur=40ms",
        ],
        &[Feature::SisProp],
    ),
];

/// `kernel` with `scenario`, and whether it is felt there that `change` is made.
fn felt_in(kernel: &str, scenario: &str, change: impl Fn(&mut Config)) -> bool {
    let (config, _) = fragment::parse(&format!("{kernel}&{scenario}"));
    let mut changed = config.clone();
    change(&mut changed);
    hash(&config) != hash(&changed)
}

#[test]
fn switches_of_later_selection_are_felt_or_say_why_not() {
    for (kernel, scenarios, features) in LATER {
        for feature in features {
            let toggle = |config: &mut Config| {
                let on = config.kernel_in_force().features.has(*feature);
                config.features.insert(*feature, !on);
            };
            let felt = scenarios.iter().any(|s| felt_in(kernel, s, toggle));
            let (config, _) = fragment::parse(kernel);
            let says = config.kernel.base.effect(*feature) == Effect::Effective;
            assert_eq!(felt, says, "{kernel} {}", feature.info().name);
        }
    }
}

/// The searches of 2011 differ from each other and from the one they replace.
#[test]
fn every_variant_of_the_idle_sibling_is_felt() {
    let variants = DELTAS.iter().filter(|d| d.base == Base::V3_2).map(|d| d.id);
    for id in variants {
        let set = |config: &mut Config| config.deltas = config.deltas.with(id, true);
        let felt = LATER[0].1.iter().any(|s| felt_in("k=3.2-virgin", s, set));
        assert!(felt, "{id}");
    }
}

#[test]
fn every_tunable_is_felt_or_says_why_not() {
    let set = |config: &Config, tunable: Tunable, to: fn(i64) -> i64| {
        let info = tunable.info();
        let now = config.kernel_in_force().tunables.get(tunable);
        let mut changed = config.clone();
        let value = to(now).clamp(info.range.0, info.range.1);
        changed.tunables.insert(tunable, value);
        changed
    };
    let all = Base::V2_6_31.tunables().iter().copied();
    let values: [fn(i64) -> i64; 4] = [|_| 0, |_| 1, |now| now / 4, |now| now * 4];
    let got: Vec<&str> = all
        .filter(|tunable| {
            let differs = values
                .iter()
                .any(|to| felt(|config| Some(set(config, *tunable, *to))));
            (tunable.info().effect == Effect::Effective) != differs
        })
        .map(|tunable| tunable.info().name)
        .collect();
    assert_eq!(got, [""; 0]);
}

#[test]
fn every_domain_flag_is_felt_or_says_why_not() {
    let toggled = |config: &Config, flag: SdFlags| {
        let kernel = config.kernel_in_force();
        if kernel.instead_of_flag(flag).is_some() {
            return None;
        }
        let mut changed = config.clone();
        for level in Level::ALL {
            let on = kernel.domains[level as usize].flags.has(flag);
            changed.sd_flags.insert((level, flag), !on);
        }
        Some(changed)
    };
    let all = SdFlags::ALL.iter().map(|(flag, ..)| *flag);
    let name = |flag| {
        let row = SdFlags::ALL.iter().find(|(f, ..)| *f == flag);
        row.map_or_else(String::new, |row| row.1.into())
    };
    let got = wrong(all, Effect::of_flag, toggled, name);
    assert_eq!(got, [""; 0]);
}
