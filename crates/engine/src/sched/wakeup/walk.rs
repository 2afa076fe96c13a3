//! The walk over the waker's domains: 2.6.31's two functions, and the one that replaced them.
//!
//! Source: kernel/sched_fair.c of 2.6.31 (`select_task_rq_fair`), kernel/sched.c of 2.6.31
//! (`sched_balance_self`), kernel/sched_fair.c of 2.6.32 (`select_task_rq_fair`); 59abf026 (the
//! `SD_PREFER_LOCAL` test), 29cd8bae (it no longer ends the walk). No x86 domain of 2.6.31 has `SD_WAKE_IDLE`:
//! `wake_idle` finds nothing.

use super::affine::{Affine, imbalance, wake_affine};
use super::idlest::descend;
use super::sibling;
use super::{Ask, SelectKind, Step, note_domain, placed};
use crate::machine::CpuId;
use crate::machine::sched_domain::{DomainOf, SchedDomain};
use crate::sched::Sched;
use crate::sched::decision::{Placement, PlacementWhy};
use crate::sched::features::Feature;
use crate::sched::rules::Select;
use crate::sched::sd_flags::SdFlags;

/// Flags that make the walk count what runs in a domain.
const COUNTED: SdFlags = SdFlags(SdFlags::PREFER_LOCAL.0 | SdFlags::POWERSAVINGS_BALANCE.0);

/// A wakeup in 2.6.31: to the waker's CPU if `wake_affine` says so or if that is the less loaded of the two,
/// else back to where the task last ran.
pub(super) fn separate_wake(s: &Sched, ask: &Ask<'_>, note: &mut impl FnMut(Step)) -> Placement {
    let prev = |why| placed(ask.prev, why, 0);
    if ask.prev == ask.this {
        return prev(PlacementWhy::SameCpu);
    }
    let mut both = s.domains.of(ask.this).filter(|d| {
        note_domain(ask, d.sd, note);
        d.sd.span.contains(ask.prev)
    });
    let Some(sd) = both.next().map(|d| d.sd) else {
        return prev(PlacementWhy::NotAllowed);
    };
    if !ask.task.allowed.contains(ask.this) {
        return prev(PlacementWhy::NotAllowed);
    }
    let flags = sd.spec.flags;
    let affine = flags.any(SdFlags::WAKE_AFFINE) && s.features.has(Feature::AffineWakeups);
    if affine {
        let answer = wake_affine(s, ask, sd);
        drop(both);
        note(Step::Affine(answer));
        if answer.yes {
            return placed(ask.this, answer.why, 0);
        }
    }
    if flags.any(SdFlags::WAKE_BALANCE) && passive(s, ask, sd) {
        return placed(ask.this, PlacementWhy::PassiveBalance, 0);
    }
    prev(PlacementWhy::PrevNotAffine)
}

/// Is the waker's CPU less loaded, by half of what balancing tolerates?
fn passive(s: &Sched, ask: &Ask<'_>, sd: &SchedDomain) -> bool {
    let idx = s.load_index(sd.spec.idx.wake);
    let (load, this_load) = (s.source_load(ask.prev, idx), s.target_load(ask.this, idx));
    imbalance(sd).wrapping_mul(this_load) <= load.wrapping_mul(100)
}

/// Fork and exec in 2.6.31: down from the largest domain that balances them.
pub(super) fn balance_self(s: &Sched, ask: &Ask<'_>, note: &mut impl FnMut(Step)) -> Placement {
    let until_saving = s
        .domains
        .of(ask.this)
        .take_while(|d| !d.sd.spec.flags.any(SdFlags::POWERSAVINGS_BALANCE));
    let start = until_saving
        .filter(|d| d.sd.spec.flags.any(ask.kind.flag()))
        .last();
    let Some(start) = start else {
        return placed(ask.this, PlacementWhy::NoDomain, 0);
    };
    let descent = descend(s, ask, start, note);
    placed_idlest(descent.cpu, ask.this, descent.visited)
}

/// What the walk up the waker's domains found.
#[derive(Default)]
struct Walk<'s> {
    /// The lowest affine domain that holds the previous CPU, kept for after the walk.
    affine_sd: Option<&'s SchedDomain>,
    /// The largest domain that may balance.
    sd: Option<DomainOf<'s>>,
    /// An answer that `wake_affine` gave during the walk (before 29cd8bae).
    asked: Option<Affine>,
    /// Did a domain with room left keep the search local?
    kept_local: bool,
    visited: u32,
}

/// Wakeup, fork and exec since c88d5910; in 3.2 a wakeup that meets an affine domain then looks for an idle CPU.
pub(super) fn merged(s: &Sched, ask: &Ask<'_>, note: &mut impl FnMut(Step)) -> Placement {
    let wake = ask.kind == SelectKind::Wake;
    let looks_around = s
        .domains
        .flags_of(ask.this)
        .any(COUNTED | SdFlags::BALANCE_WAKE);
    let siblings = s.rules.select == Select::AffineThenIdle;
    if wake && ask.prev == ask.this && !looks_around && !siblings {
        return placed(ask.this, PlacementWhy::SameCpu, 0);
    }
    let mut found = walk(s, ask, note);
    if let Some(sd) = found.affine_sd.filter(|_| siblings) {
        return sibling::from_affine(s, ask, sd, found.visited, note);
    }
    // With waker and wakee on one CPU and no balancing domain every answer of wake_affine means that CPU.
    let moot = ask.prev == ask.this && found.sd.is_none();
    if let Some(sd) = found.affine_sd.filter(|_| !moot) {
        let answer = wake_affine(s, ask, sd);
        note(Step::Affine(answer));
        found.asked = Some(answer);
    }
    if let Some(answer) = found.asked.filter(|answer| answer.yes) {
        return placed(ask.this, answer.why, found.visited);
    }
    if let Some(start) = found.sd {
        let descent = descend(s, ask, start, note);
        let home = if wake { ask.prev } else { ask.this };
        return placed_idlest(descent.cpu, home, found.visited + descent.visited);
    }
    let (cpu, why) = stays(s, ask, &found);
    placed(cpu, why, found.visited)
}

/// Where a task stays that nothing pulled or pushed, and why.
fn stays(s: &Sched, ask: &Ask<'_>, found: &Walk<'_>) -> (CpuId, PlacementWhy) {
    if ask.kind != SelectKind::Wake {
        let why = if found.kept_local {
            PlacementWhy::LocalHasRoom
        } else {
            PlacementWhy::NoDomain
        };
        return (ask.this, why);
    }
    let why = if ask.prev == ask.this {
        PlacementWhy::SameCpu
    } else if found.asked.is_some() {
        PlacementWhy::PrevNotAffine
    } else if !ask.task.allowed.contains(ask.this) {
        PlacementWhy::NotAllowed
    } else if found.kept_local && !s.rules.affine_after_local {
        PlacementWhy::PrevAborted
    } else {
        PlacementWhy::PrevNoDomain
    };
    (ask.prev, why)
}

/// Up the waker's domains: `SD_PREFER_LOCAL` counts what runs and may end the search for a balancing domain
/// (before 29cd8bae: the whole walk), `SD_WAKE_AFFINE` marks the domain to pull in.
fn walk<'s>(s: &'s Sched, ask: &Ask<'_>, note: &mut impl FnMut(Step)) -> Walk<'s> {
    let mut found = Walk::default();
    let mut want_sd = true;
    let pulls = s.rules.select == Select::AffineThenIdle || s.features.has(Feature::AffineWakeups);
    let mut want_affine =
        ask.kind == SelectKind::Wake && pulls && ask.task.allowed.contains(ask.this);
    for d in s.domains.of(ask.this) {
        let flags = d.sd.spec.flags;
        note_domain(ask, d.sd, note);
        if !flags.any(SdFlags::LOAD_BALANCE) {
            continue;
        }
        if flags.any(COUNTED) && (want_sd || !s.rules.scan_if_want_sd) {
            found.visited += d.sd.cpus.len() as u32;
            if has_room(s, d.sd, note) {
                found.kept_local = true;
                if !s.rules.affine_after_local {
                    break;
                }
                want_sd = false;
            }
        }
        if want_affine && flags.any(SdFlags::WAKE_AFFINE) && d.sd.span.contains(ask.prev) {
            want_affine = false;
            if s.rules.affine_after_local {
                found.affine_sd = Some(d.sd);
            } else {
                let answer = wake_affine(s, ask, d.sd);
                note(Step::Affine(answer));
                found.asked = Some(answer);
                if answer.yes {
                    break;
                }
            }
        }
        if !want_sd && !want_affine {
            break;
        }
        if want_sd && flags.any(ask.kind.flag()) {
            found.sd = Some(d);
        }
    }
    found
}

/// Are fewer entities on the root queues of the domain than it has full CPUs of power? Tasks within groups
/// count as their group's one entity.
fn has_room(s: &Sched, sd: &SchedDomain, note: &mut impl FnMut(Step)) -> bool {
    let running = |cpu: &CpuId| u64::from(s.cfs_rq[cpu.index()].nr_running);
    let mut nr_running: u64 = sd.cpus.iter().map(running).sum();
    if sd.spec.flags.any(SdFlags::POWERSAVINGS_BALANCE) {
        nr_running /= 2;
    }
    note(Step::Local {
        nr_running,
        capacity: sd.capacity,
    });
    nr_running < sd.capacity
}

/// The CPU that a descent chose, else `home`.
fn placed_idlest(chosen: Option<CpuId>, home: CpuId, visited: u32) -> Placement {
    match chosen {
        Some(cpu) => placed(cpu, PlacementWhy::Idlest, visited),
        None => placed(home, PlacementWhy::LocalIdlest, visited),
    }
}
