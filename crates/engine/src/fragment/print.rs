//! Writing a configuration as a fragment: canonical, short, only what differs from the default.

use super::groups::group_text;
use super::read::NONE;
use super::workloads::workload_text;
use crate::config::text::{switch_text, tunable_text};
use crate::config::{Config, Field};
use crate::machine::sd_flags::{Level, SdFlags};
use crate::sched::profile::DELTAS;
use crate::time::Hz;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What a link says of one field of a canonical configuration: always something, `none` for a list
/// without entries or a value left to the kernel or the workload.
pub(super) fn value(config: &Config, field: Field) -> String {
    match field {
        Field::Version => super::VERSION.to_string(),
        Field::Machine => config.machine.name.to_string(),
        Field::Kernel => config.kernel.name.to_string(),
        Field::Deltas => listed(&deltas(config), ","),
        Field::Features => listed(&features(config), ","),
        Field::Tunables => listed(&tunables(config), ","),
        Field::SdFlags => listed(&sd_flags(config), ","),
        Field::Groups => {
            let texts: Vec<String> = config.groups.iter().map(group_text).collect();
            listed(&texts, ";")
        }
        Field::Workloads => {
            let mut texts: Vec<String> = config.workloads.iter().map(workload_text).collect();
            if !config.script.is_empty() {
                texts.push(format!("({})", config.script.compact()));
            }
            listed(&texts, ";")
        }
        Field::Seed => config.seed.to_string(),
        Field::Duration => config
            .duration
            .map_or(String::from(NONE), |d| d.to_string()),
        Field::Hz => config
            .hz
            .map_or(String::from(NONE), |Hz(hz)| hz.to_string()),
        Field::Phase => config.phase.to_string(),
        Field::SkewTick => String::from(config.skew_tick.map_or(NONE, switch_text)),
        Field::Nohz => String::from(switch_text(config.nohz)),
        Field::Events => config.max_events.to_string(),
    }
}

fn listed(items: &[String], separator: &str) -> String {
    if items.is_empty() {
        String::from(NONE)
    } else {
        items.join(separator)
    }
}

fn deltas(config: &Config) -> Vec<String> {
    DELTAS
        .iter()
        .filter(|delta| config.delta_changed(delta.id))
        .map(|delta| {
            if config.deltas.has(delta.id) {
                delta.id.to_string()
            } else {
                format!("-{}", delta.id)
            }
        })
        .collect()
}

fn features(config: &Config) -> Vec<String> {
    config
        .features
        .iter()
        .map(|(feature, on)| match on {
            true => config.feature_name(*feature).to_string(),
            false => format!("NO_{}", config.feature_name(*feature)),
        })
        .collect()
}

fn tunables(config: &Config) -> Vec<String> {
    let set = config.tunables.iter();
    set.map(|(t, value)| format!("{}:{}", t.info().name, tunable_text(*t, *value)))
        .collect()
}

/// By flag; a flag that ends up the same at every level is written without levels.
fn sd_flags(config: &Config) -> Vec<String> {
    let kernel = config.kernel_in_force();
    let mut texts = Vec::new();
    for (flag, ..) in SdFlags::ALL {
        let name = flag.name_in(kernel.rules.domains);
        let changed = |level: &Level| config.sd_flags.get(&(*level, *flag)).copied();
        let Some(on) = Level::ALL.iter().find_map(changed) else {
            continue;
        };
        if kernel.domains.iter().all(|d| d.flags.has(*flag) == on) {
            texts.push(format!("{}{name}", minus(on)));
            continue;
        }
        let by_level = Level::ALL.iter().filter_map(|level| {
            let on = changed(level)?;
            Some(format!(
                "{}{}:{name}",
                minus(on),
                level.name_in(kernel.rules.domains)
            ))
        });
        texts.extend(by_level);
    }
    texts
}

const fn minus(on: bool) -> &'static str {
    if on { "" } else { "-" }
}
