//! What differs: a configuration from its release, or B from A, line by line. Pure.

use crate::model::Change;
use schedlab_engine::config::text::{switch_text, tunable_text};
use schedlab_engine::config::{Config, Field};
use schedlab_engine::fragment;
use schedlab_engine::sched::profile::DELTAS;
use schedlab_engine::time::Nanos;

/// One setting that is not as the release has it.
#[derive(Clone)]
pub(crate) struct Changed {
    /// The kernel's own name.
    pub(crate) name: String,
    /// The release's value.
    pub(crate) from: String,
    /// The value in force.
    pub(crate) to: String,
    /// Takes it back.
    pub(crate) undo: Change,
}

/// Everything in which `config` differs from its release.
pub(crate) fn changed(config: &Config) -> Vec<Changed> {
    let config = config.canonical();
    let mut list = deltas(&config);
    list.extend(config.features.iter().map(|(feature, on)| {
        let feature = *feature;
        let undo = Change::own(move |c| {
            c.features.remove(&feature);
        });
        line(
            config.feature_name(feature),
            switch_text(!on),
            switch_text(*on),
            undo,
        )
    }));
    list.extend(config.tunables.iter().map(|(tunable, value)| {
        let tunable = *tunable;
        let default = tunable_text(tunable, config.default_tunable(tunable));
        let undo = Change::own(move |c| {
            c.tunables.remove(&tunable);
        });
        line(
            tunable.info().name,
            &default,
            &tunable_text(tunable, *value),
            undo,
        )
    }));
    list.extend(config.sd_flags.iter().map(|(key, on)| {
        let (level, flag) = *key;
        let undo = Change::own(move |c| {
            c.sd_flags.remove(&(level, flag));
        });
        let name = format!("{}:{}", config.level_name(level), config.flag_name(flag));
        line(&name, switch_text(!on), switch_text(*on), undo)
    }));
    list.extend(ticks(&config));
    list
}

fn line(name: &str, from: &str, to: &str, undo: Change) -> Changed {
    Changed {
        name: name.to_string(),
        from: from.to_string(),
        to: to.to_string(),
        undo,
    }
}

fn deltas(config: &Config) -> Vec<Changed> {
    let changed = DELTAS.iter().filter(|d| config.delta_changed(d.id));
    changed
        .map(|delta| {
            let (id, on) = (delta.id, config.deltas.has(delta.id));
            let name = format!("{id} {}", delta.name);
            line(
                &name,
                switch_text(!on),
                switch_text(on),
                Change::own(move |c| c.set_delta(id, !on)),
            )
        })
        .collect()
}

fn ticks(config: &Config) -> Vec<Changed> {
    let mut list = Vec::new();
    if let Some(hz) = config.hz {
        let undo = Change::shared(|c| c.hz = None);
        list.push(line(
            Field::Hz.key(),
            &config.kernel.hz.to_string(),
            &hz.0.to_string(),
            undo,
        ));
    }
    if config.phase != Nanos::ZERO {
        let undo = Change::shared(|c| c.phase = Nanos::ZERO);
        list.push(line(
            Field::Phase.key(),
            &Nanos::ZERO.to_string(),
            &config.phase.to_string(),
            undo,
        ));
    }
    if let Some(skew) = config.skew_tick {
        let undo = Change::shared(|c| c.skew_tick = None);
        list.push(line(
            Field::SkewTick.key(),
            switch_text(!skew),
            switch_text(skew),
            undo,
        ));
    }
    if config.nohz {
        let undo = Change::shared(|c| c.nohz = false);
        list.push(line(
            Field::Nohz.key(),
            switch_text(false),
            switch_text(true),
            undo,
        ));
    }
    list
}

/// One part in which B is not like A.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The part, in words.
    pub(crate) part: &'static str,
    /// As A has it.
    pub(crate) in_a: String,
    /// As B has it.
    pub(crate) in_b: String,
}

/// Everything in which `b` differs from `a`, by the parts of a link.
pub(crate) fn differences(a: &Config, b: &Config) -> Vec<Difference> {
    let parts = |from: &Config, to: &Config| -> Vec<(String, String)> {
        let text = fragment::difference(from, to);
        text.split('&')
            .filter_map(|p| p.split_once('='))
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect()
    };
    let back = parts(b, a);
    let of_a = |key: &str| {
        back.iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.clone())
            .unwrap_or_default()
    };
    let line = |(key, in_b): (String, String)| {
        let field = Field::by_key(&key)?;
        Some(Difference {
            part: field.noun(),
            in_a: of_a(&key),
            in_b,
        })
    };
    parts(a, b).into_iter().filter_map(line).collect()
}

/// The short name of a part, for a list of differences.
trait Noun {
    fn noun(self) -> &'static str;
}

impl Noun for Field {
    fn noun(self) -> &'static str {
        if self == Field::Deltas {
            return "commits";
        }
        self.aliases()
            .first()
            .copied()
            .filter(|a| a.len() > self.key().len())
            .unwrap_or(self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_engine::config::random;

    #[test]
    fn every_change_is_listed_and_can_be_undone_one_by_one() {
        for config in random::list(11, 80) {
            let list = changed(&config);
            assert_eq!(list.len(), config.changes(), "{}", fragment::print(&config));
            for one in &list {
                assert_ne!(one.from, one.to, "{}", one.name);
            }
        }
    }

    #[test]
    fn undoing_all_of_them_gives_the_release() {
        for config in random::list(5, 40) {
            let mut config = config;
            // A commit that is taken out takes features with it, so the list is made anew each time.
            while let Some(first) = changed(&config).first() {
                let before = config.changes();
                config = first.undo.of(&config).as_ref().clone();
                assert!(config.canonical().changes() < before, "{}", first.name);
            }
            assert_eq!(config.changes(), 0);
        }
    }

    #[test]
    fn differences_name_both_values() {
        let (a, _) = fragment::parse("k=2.6.31");
        let (b, _) = fragment::parse("k=2.6.32&d=-D07&seed=4");
        let list = differences(&a, &b);
        let words: Vec<_> = list
            .iter()
            .map(|d| (d.part, d.in_a.as_str(), d.in_b.as_str()))
            .collect();
        assert_eq!(words[0], ("kernel", "2.6.31", "2.6.32"));
        assert_eq!(words[1].0, "commits");
        assert_eq!(words[2], ("seed", "1", "4"));
        assert_eq!(differences(&a, &a), []);
    }
}
