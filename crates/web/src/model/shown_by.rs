//! The smallest experiment that shows a switch, as `docs/switches.md` has it. Pure.

use schedlab_engine::config::Config;
use schedlab_engine::fragment;
use schedlab_engine::sched::profile::DELTAS;

/// A base release behind `#`, then a change and an experiment in each line; made of the document by `build.rs`.
const EXPERIMENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/switches.txt"));

/// A switch in which two configurations differ, and a link to the experiment that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownBy {
    /// What the switch is called.
    pub name: String,
    /// The link.
    pub link: String,
}

/// For each switch that `to` sets otherwise than `from` what shows it, where something does.
pub fn shown_by(from: &Config, to: &Config) -> Vec<ShownBy> {
    let mut found = Vec::new();
    let (old, new) = (fragment::print(from), fragment::print(to));
    for (link, other) in [(&new, &old), (&old, &new)] {
        for part in link.split('&') {
            let Some((key, all)) = part.split_once('=') else {
                continue;
            };
            for item in all.split(',').filter(|item| !other.contains(item)) {
                if let Some(shown) = experiment(to, (key, item))
                    && !found.contains(&shown)
                {
                    found.push(shown);
                }
            }
        }
    }
    found
}

/// A part of a link that sets one switch: its key and what stands behind that.
type Item<'a> = (&'a str, &'a str);

/// The switch that an item sets.
fn switch((key, item): Item<'_>) -> &str {
    match key {
        "t" => item.split(':').next().unwrap_or(item),
        _ => item.trim_start_matches('-'),
    }
}

/// What shows the switch that `item` sets in the base release of `config`.
fn experiment(config: &Config, item: Item<'_>) -> Option<ShownBy> {
    let (kernel, name) = (config.kernel, switch(item));
    let mut here = false;
    for line in EXPERIMENTS.lines() {
        if let Some(base) = line.strip_prefix('#') {
            here = base == kernel.base.name();
            continue;
        }
        let (change, experiment) = line.split_once(' ')?;
        let of = change.split_once('=')?;
        if !here || of.0 != item.0 || switch(of) != name {
            continue;
        }
        let delta = DELTAS.iter().find(|delta| delta.id.to_string() == name);
        // It names its kernel where it shows the change in that one only.
        let kernel = if experiment.starts_with("k=") {
            String::new()
        } else {
            format!("k={}&", kernel.name)
        };
        return Some(ShownBy {
            name: delta.map_or(name.to_string(), |delta| delta.name.replace('_', " ")),
            link: format!("{kernel}{experiment}&vs&{change}"),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url;
    use schedlab_engine::sched::profile::Base;

    fn config(link: &str) -> Config {
        fragment::parse(link).0
    }

    #[test]
    fn a_commit_that_is_not_felt_leads_to_where_it_is() {
        let found = shown_by(&config("k=2.6.32-rc1"), &config("k=2.6.32-rc1&d=-D13"));
        let [shown] = found.as_slice() else {
            panic!("one switch: {found:?}");
        };
        let link = url::read(&shown.link);
        assert_eq!(link.notes, []);
        let b = link.setup.b.expect("a comparison");
        assert_eq!(fragment::difference(&link.setup.a, &b), "d=-D13");
        assert_eq!(
            shown_by(&b, &link.setup.a),
            found,
            "and so when it is taken back"
        );
    }

    #[test]
    fn a_switch_is_found_in_its_release_once() {
        let of = |from: &str, to: &str| {
            let all = shown_by(&config(from), &config(&format!("{from}&{to}")));
            all.into_iter().map(|shown| shown.name).collect::<Vec<_>>()
        };
        assert_eq!(of("k=7.1", "t=preempt:full"), ["preempt"]);
        assert_eq!(
            of("k=7.1&t=preempt:lazy", "t=preempt:full"),
            ["preempt"],
            "once"
        );
        assert_eq!(of("k=2.6.32", "seed=4&w=hogs"), [""; 0], "no switch");
    }

    /// Every line is a link that is understood, under each kernel for which it may be offered.
    #[test]
    fn every_line_is_a_comparison() {
        let mut base = "";
        for line in EXPERIMENTS.lines() {
            if let Some(name) = line.strip_prefix('#') {
                base = name;
                continue;
            }
            let (change, experiment) = line.split_once(' ').expect("two cells");
            let link = url::read(&format!("k={base}&{experiment}&vs&{change}"));
            let b = link.setup.b.expect("a comparison");
            assert!(Base::ALL.iter().any(|b| b.name() == base), "{base}");
            let is_kernel = experiment.split('&').any(|part| part.starts_with("k="));
            assert_eq!(is_kernel, experiment.starts_with("k="), "{line}");
            assert_eq!(b.machine.name, link.setup.a.machine.name);
        }
        assert!(EXPERIMENTS.lines().count() > 80);
    }
}
