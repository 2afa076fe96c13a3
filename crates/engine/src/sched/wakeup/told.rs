//! What a selection looked at, in words: the same for the page and the command line.

use super::{Affine, Step};
use crate::machine::CpuMask;
use crate::sched::rules::DomainTable;
use alloc::format;
use alloc::string::{String, ToString};

/// A step in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What was looked at.
    pub what: String,
    /// What was found.
    pub found: String,
    /// Did that speak for it?
    pub chosen: bool,
}

impl Step {
    /// It in words, with the names that domains have in a kernel with that table.
    pub fn told(&self, domains: DomainTable) -> Told {
        match self {
            Step::Domain {
                level, holds_prev, ..
            } => {
                let holds = if *holds_prev {
                    "holds"
                } else {
                    "does not hold"
                };
                told(
                    format!("domain {}", level.name_in(domains)),
                    format!("{holds} the CPU it ran on last"),
                    false,
                )
            }
            Step::Local {
                nr_running,
                capacity,
            } => {
                let room = nr_running < capacity;
                let verdict = if room { "there is room" } else { "it is full" };
                told(
                    "SD_PREFER_LOCAL".to_string(),
                    format!("{nr_running} runnable, capacity {capacity}: {verdict}"),
                    room,
                )
            }
            Step::Affine(affine) => told(
                format!("wake_affine at {}", affine.level.name_in(domains)),
                affine_found(affine),
                affine.yes,
            ),
            Step::Group {
                span,
                avg_load,
                local,
            } => told(group(span, *local), format!("load {avg_load}"), false),
            Step::Idlest { level, cpu } => told(
                format!("idlest group of {}", level.name_in(domains)),
                cpu.map_or_else(
                    || "the local one: stay".to_string(),
                    |cpu| format!("CPU {}", cpu.0),
                ),
                cpu.is_some(),
            ),
            search => search_told(search),
        }
    }
}

const fn told(what: String, found: String, chosen: bool) -> Told {
    Told {
        what,
        found,
        chosen,
    }
}

/// The steps of a search for an idle CPU, or for room.
fn search_told(step: &Step) -> Told {
    match step {
        Step::Wide {
            of_waker,
            of_wakee,
            size,
            wide,
        } => {
            let verdict = if *wide { "too wide to pull" } else { "narrow" };
            told(
                "wake_wide".to_string(),
                format!(
                    "the waker changed its wakee {} of late, the wakee {}, the cache has {}: {verdict}",
                    counted(*of_waker, "time", "times"),
                    counted(*of_wakee, "time", "times"),
                    counted(*size, "CPU", "CPUs")
                ),
                *wide,
            )
        }
        Step::Target { cpu, why } => told(
            "an idle CPU is sought".to_string(),
            format!("from CPU {}: {}", cpu.0, why.what()),
            false,
        ),
        Step::Energy { cpu, spare, more } => told(
            format!("CPU {}", cpu.0),
            format!("would have {spare} to spare and cost {more} more"),
            false,
        ),
        Step::Looked { cpu, idle } => told(
            format!("CPU {}", cpu.0),
            if *idle { "idle" } else { "busy" }.to_string(),
            *idle,
        ),
        Step::Scan { limit, cores } => {
            let what = if *cores {
                "a whole idle core"
            } else {
                "an idle CPU"
            };
            let limit = limit.map_or_else(String::new, |n| format!(", looking at {n} at most"));
            told(
                "the cache is searched".to_string(),
                format!("for {what}{limit}"),
                false,
            )
        }
        Step::Room {
            span,
            full,
            idle_cpus,
            avg_load,
            local,
        } => {
            let load = match avg_load {
                0 => String::new(),
                load => format!(", load {load}"),
            };
            told(
                group(span, *local),
                format!("{}, {idle_cpus} idle{load}", full.what()),
                false,
            )
        }
        _ => Told::default(),
    }
}

/// `n` and the word that goes with it.
fn counted(n: impl Into<u64>, one: &str, more: &str) -> String {
    let n = n.into();
    format!("{n} {}", if n == 1 { one } else { more })
}

fn group(span: &CpuMask, local: bool) -> String {
    let own = if local { "own " } else { "" };
    format!("{own}group of CPUs {span}")
}

/// Loads are unsigned and wrap, as in the kernel: one that has gone below zero is shown as what it stands for.
fn affine_found(affine: &Affine) -> String {
    let verdict = if affine.yes { "yes" } else { "no" };
    let sync = if affine.sync { ", sync" } else { "" };
    let powers = match affine.powers {
        [this, prev] if this == prev => String::new(),
        [this, prev] => format!(", capacity {this} against {prev}"),
    };
    format!(
        "{verdict}: load here {} + wakee {} against {} there, {} % allowed{powers}{sync}: {}",
        affine.this_load.cast_signed(),
        affine.weight,
        affine.prev_load.cast_signed(),
        affine.imbalance,
        affine.why.what()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::CpuId;
    use crate::sched::decision::PlacementWhy;
    use crate::sched::sd_flags::Level;

    #[test]
    fn domains_have_the_names_that_the_kernel_gives_them() {
        let idlest = Step::Idlest {
            level: Level::Cpu,
            cpu: Some(CpuId(3)),
        };
        let of = |table| idlest.told(table).what;
        assert_eq!(of(DomainTable::V3_2), "idlest group of CPU");
        assert_eq!(of(DomainTable::V6), "idlest group of DIE");
        assert_eq!(of(DomainTable::V6_7), "idlest group of PKG");
    }

    #[test]
    fn one_is_no_plural() {
        let wide = Step::Wide {
            of_waker: 1,
            of_wakee: 2,
            size: 1,
            wide: true,
        };
        assert_eq!(
            wide.told(DomainTable::V6).found,
            "the waker changed its wakee 1 time of late, the wakee 2 times, the cache has 1 CPU: too wide to pull"
        );
    }

    #[test]
    fn a_load_below_zero_is_shown_as_such() {
        let affine = Affine {
            level: Level::Mc,
            yes: true,
            why: PlacementWhy::AffineBalanced,
            sync: true,
            this_load: 1024_u64.wrapping_sub(2048),
            prev_load: 0,
            weight: 1024,
            imbalance: 112,
            powers: [1, 1],
        };
        assert!(affine_found(&affine).contains("load here -1024"));
    }
}
