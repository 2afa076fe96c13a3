//! What a CPU selection looked at, each step in a line.

use schedlab_engine::machine::sd_flags::SdFlags;
use schedlab_engine::sched::wakeup::Step;

/// A step in a line.
pub(crate) fn step_words(step: &Step) -> String {
    match step {
        Step::Domain {
            level,
            flags,
            holds_prev,
        } => {
            let set = SdFlags::ALL.iter().filter(|(flag, ..)| flags.has(*flag));
            let names: Vec<&str> = set.map(|(_, name, _)| *name).collect();
            let prev = if *holds_prev {
                "holds"
            } else {
                "does not hold"
            };
            format!(
                "domain {}: {prev} the CPU it last ran on; {}",
                level.name(),
                names.join(" ")
            )
        }
        Step::Local {
            nr_running,
            capacity,
        } => {
            let room = if nr_running < capacity {
                "there is room"
            } else {
                "it is full"
            };
            format!("SD_PREFER_LOCAL: {nr_running} runnable, capacity {capacity}: {room}")
        }
        Step::Affine(affine) => {
            let verdict = if affine.yes { "pull" } else { "do not pull" };
            let sync = if affine.sync { ", sync" } else { "" };
            let powers = match affine.powers {
                [this, prev] if this == prev => String::new(),
                [this, prev] => format!(", capacity {this} against {prev}"),
            };
            format!(
                "wake_affine at {}: load here {} + wakee {} against {} there, {} % allowed{powers}{sync}: {verdict}: {}",
                affine.level.name(),
                load(affine.this_load),
                affine.weight,
                load(affine.prev_load),
                affine.imbalance,
                affine.why.what()
            )
        }
        Step::Group {
            span,
            avg_load,
            local,
        } => {
            let local = if *local { " (local)" } else { "" };
            format!("group {span}{local}: load {avg_load}")
        }
        Step::Idlest { level, cpu } => match cpu {
            Some(cpu) => format!("idlest at {}: CPU {}", level.name(), cpu.0),
            None => format!("idlest at {}: the local group; stay", level.name()),
        },
        Step::Wide { .. }
        | Step::Target { .. }
        | Step::Looked { .. }
        | Step::Scan { .. }
        | Step::Room { .. } => search_words(step),
    }
}

/// The steps of a search for an idle CPU, or for room.
fn search_words(step: &Step) -> String {
    match step {
        Step::Wide {
            of_waker,
            of_wakee,
            size,
            wide,
        } => {
            let verdict = if *wide { "too wide to pull" } else { "narrow" };
            format!(
                "wake_wide: the waker changed its wakee {of_waker} times of late, the wakee {of_wakee} times, \
                 the cache has {size} CPUs: {verdict}"
            )
        }
        Step::Target { cpu, why } => format!("target CPU {}: {}", cpu.0, why.what()),
        Step::Looked { cpu, idle } => {
            let found = if *idle { "idle" } else { "busy" };
            format!("CPU {}: {found}", cpu.0)
        }
        Step::Scan { limit, cores } => {
            let what = if *cores {
                "a whole idle core"
            } else {
                "an idle CPU"
            };
            let limit = limit.map_or_else(String::new, |n| format!(", at most {n} of them"));
            format!("looking for {what} among the CPUs of the cache{limit}")
        }
        Step::Room {
            span,
            full,
            idle_cpus,
            avg_load,
            local,
        } => {
            let local = if *local { " (local)" } else { "" };
            let load = match avg_load {
                0 => String::new(),
                load => format!(", load {load}"),
            };
            format!(
                "group {span}{local}: {}, {idle_cpus} idle CPUs{load}",
                full.what()
            )
        }
        _ => String::new(),
    }
}

/// A load as the kernel would print it if it were signed: taking a waker's weight away may wrap.
fn load(load: u64) -> i64 {
    load.cast_signed()
}
