//! The steps of a selection as rows of a table. Pure.

use super::words::{Row, by_code};
use crate::format;
use crate::protocol::explained::Step;
use crate::protocol::{Fullness, TargetWhy};
use crate::text::{Msg, fill, text};

/// A row for what was looked at: what it was, what was found, and whether that decided.
pub(super) fn step_row(step: &Step) -> Row {
    let (what, found, chosen) = match step {
        Step::Domain { level, holds_prev } => {
            let key = if *holds_prev {
                Msg::StepDomainHolds
            } else {
                Msg::StepDomainHoldsNot
            };
            (
                fill(Msg::StepDomain, &[("level", level)]),
                text(key).to_string(),
                false,
            )
        }
        Step::Local {
            nr_running,
            capacity,
        } => {
            let (n, capacity_) = (whole(*nr_running), whole(*capacity));
            let found = fill(Msg::StepLocalFound, &[("n", &n), ("capacity", &capacity_)]);
            (
                text(Msg::StepLocal).to_string(),
                found,
                nr_running < capacity,
            )
        }
        Step::Affine { yes, .. } => (text(Msg::StepAffine).to_string(), affine_words(step), *yes),
        Step::Group { cpus, load, local } => {
            let key = if *local {
                Msg::StepGroupLocal
            } else {
                Msg::StepGroup
            };
            (
                fill(key, &[("cpus", cpus)]),
                fill(Msg::StepGroupFound, &[("load", &whole(*load))]),
                false,
            )
        }
        Step::Idlest { level, cpu } => {
            let found = match cpu {
                Some(cpu) => fill(Msg::StepIdlestFound, &[("cpu", &cpu.to_string())]),
                None => text(Msg::StepIdlestStay).to_string(),
            };
            (
                fill(Msg::StepIdlest, &[("level", level)]),
                found,
                cpu.is_some(),
            )
        }
        near => near_step(near),
    };
    Row {
        cells: vec![what, found],
        chosen,
    }
}

/// What a search for an idle CPU near the target looked at.
fn near_step(step: &Step) -> (String, String, bool) {
    match step {
        Step::Wide {
            of_waker,
            of_wakee,
            size,
            wide,
        } => {
            let key = if *wide {
                Msg::StepWideYes
            } else {
                Msg::StepWideNo
            };
            let [waker, wakee, size] = [of_waker, of_wakee, size].map(ToString::to_string);
            let values = [("waker", &*waker), ("wakee", &*wakee), ("size", &*size)];
            (text(Msg::StepWide).to_string(), fill(key, &values), *wide)
        }
        Step::Target { cpu, why } => {
            let why = by_code(TargetWhy::ALL, *why).what();
            let values = [("cpu", &*cpu.to_string()), ("why", why)];
            let found = fill(Msg::StepTargetFound, &values);
            (text(Msg::StepTarget).to_string(), found, false)
        }
        Step::Looked { cpu, idle } => {
            let found = if *idle {
                Msg::StepLookedIdle
            } else {
                Msg::StepLookedBusy
            };
            let what = fill(Msg::StepLooked, &[("cpu", &cpu.to_string())]);
            (what, text(found).to_string(), *idle)
        }
        Step::Scan { limit, cores } => {
            let found = match limit {
                _ if *cores => text(Msg::StepScanCores).to_string(),
                Some(n) => fill(Msg::StepScanLimit, &[("n", &n.to_string())]),
                None => text(Msg::StepScanAll).to_string(),
            };
            (text(Msg::StepScan).to_string(), found, false)
        }
        Step::Room {
            cpus,
            full,
            idle_cpus,
            local,
        } => {
            let key = if *local {
                Msg::StepGroupLocal
            } else {
                Msg::StepGroup
            };
            let full = by_code(Fullness::ALL, *full).what();
            let found = fill(
                Msg::StepRoom,
                &[("full", full), ("n", &idle_cpus.to_string())],
            );
            (fill(key, &[("cpus", cpus)]), found, false)
        }
        _ => (String::new(), String::new(), false),
    }
}

fn whole(n: u64) -> String {
    format::whole(n as f64)
}

/// Loads are unsigned and wrap, as in the kernel: one that has gone below zero is shown as what it stands for.
fn affine_words(step: &Step) -> String {
    let Step::Affine {
        this_load,
        weight,
        prev_load,
        percent,
        yes,
    } = step
    else {
        return String::new();
    };
    let signed = |load: u64| format::whole(load as i64 as f64);
    let (this, weight) = (signed(*this_load), whole(*weight));
    let (prev, percent) = (signed(*prev_load), whole(*percent));
    let key = if *yes {
        Msg::StepAffineYes
    } else {
        Msg::StepAffineNo
    };
    fill(
        key,
        &[
            ("this", &this),
            ("weight", &weight),
            ("prev", &prev),
            ("percent", &percent),
        ],
    )
}
