//! `select_idle_sibling` of 3.2 and the variants that were tried in November 2011: an idle CPU that shares a cache
//! with the target, which is the waker's CPU if `wake_affine` pulls, else the one the wakee last ran on.
//!
//! Source: kernel/sched_fair.c of 3.1 (virgin), 77e81365e0 (suresh), 4dcfe1025b (3.2), and the mails of Mike Galbraith
//! of 2011-11-17 and 18. The text of his last patch (`SIBLING_LIMIT_SYNC`) is lost: what it does here is inferred
//! from the figures he gave for it.

use super::affine::wake_affine;
use super::near::highest_sharing;
use super::{Ask, Look, Step, TargetWhy, placed};
use crate::machine::sched_domain::{DomainOf, SchedDomain};
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::{Placement, PlacementWhy};
use crate::sched::features::Feature;
use crate::sched::rules::IdleSibling;
use crate::sched::sd_flags::SdFlags;

/// A wakeup in whose affine domain `sd` both CPUs are; `visited` CPUs were looked at before.
pub(super) fn from_affine(
    s: &Sched,
    ask: &Ask<'_>,
    sd: &SchedDomain,
    visited: u32,
    note: &mut impl FnMut(Step),
) -> Placement {
    let (cpu, why) = if ask.this == ask.prev {
        (ask.this, TargetWhy::SameCpu)
    } else {
        let answer = wake_affine(s, ask, sd);
        note(Step::Affine(answer));
        if answer.yes {
            (ask.this, TargetWhy::Pulled)
        } else {
            (ask.prev, TargetWhy::NotPulled)
        }
    };
    note(Step::Target { cpu, why });
    let mut look = Look::new(s, ask, visited, note);
    let (cpu, why) = select_idle_sibling(&mut look, cpu);
    placed(cpu, why, look.visited)
}

fn select_idle_sibling<F: FnMut(Step)>(
    look: &mut Look<'_, F>,
    target: CpuId,
) -> (CpuId, PlacementWhy) {
    let ask = look.ask;
    let is_one_of_both = target == ask.this || target == ask.prev;
    if is_one_of_both && look.is_idle(target) {
        return (target, PlacementWhy::TargetIdle);
    }
    let found = match look.s.rules.idle_sibling {
        IdleSibling::FirstUpwards => first_upwards(look, target),
        IdleSibling::WholeCache => whole_cache(look, target),
        IdleSibling::IdleGroupDownwards => groups_downwards(look, target),
        IdleSibling::LimitSync => {
            if stays_stacked(look.s, ask) {
                return (target, PlacementWhy::SyncStacked);
            }
            groups_downwards(look, target)
        }
        IdleSibling::CoresFirst => cores_first(look, target),
    };
    let why = match look.s.rules.idle_sibling {
        IdleSibling::FirstUpwards | IdleSibling::WholeCache => PlacementWhy::IdleCpu,
        _ => PlacementWhy::IdleGroup,
    };
    found.map_or((target, PlacementWhy::NoIdle), |cpu| (cpu, why))
}

/// `SIBLING_LIMIT_SYNC`: a waker that is alone on its CPU and about to sleep leaves that CPU to the wakee.
fn stays_stacked(s: &Sched, ask: &Ask<'_>) -> bool {
    let alone = s.rq[ask.this.index()].nr_running == 1;
    s.features.has(Feature::SiblingLimitSync) && ask.sync && alone
}

/// The first idle CPU by number of each domain that shares a cache, a larger domain's before a smaller one's, up
/// to the domain that holds both CPUs: for a pair on one CPU that is the core.
fn first_upwards<F: FnMut(Step)>(look: &mut Look<'_, F>, target: CpuId) -> Option<CpuId> {
    let (ask, s) = (look.ask, look.s);
    let mut found = None;
    for d in sharing(s, target) {
        found = first_idle(look, &d.sd.span).or(found);
        if d.sd.span.contains(ask.this) && d.sd.span.contains(ask.prev) {
            break;
        }
    }
    found
}

/// The same through the whole cache; among threads of a core the last idle one.
fn whole_cache<F: FnMut(Step)>(look: &mut Look<'_, F>, target: CpuId) -> Option<CpuId> {
    let (ask, s) = (look.ask, look.s);
    let mut found = None;
    for d in sharing(s, target) {
        let here = if d.sd.spec.flags.any(SdFlags::SHARE_CPUPOWER) {
            let span = d.sd.span.and(&ask.task.allowed);
            span.iter().filter(|cpu| look.is_idle(*cpu)).last()
        } else {
            first_idle(look, &d.sd.span)
        };
        found = here.or(found);
    }
    found
}

/// From the cache down to the core: the first group, from the target's own on, that is wholly idle.
fn groups_downwards<F: FnMut(Step)>(look: &mut Look<'_, F>, target: CpuId) -> Option<CpuId> {
    let s = look.s;
    let highest = highest_sharing(&s.domains, target)?.index;
    let down = (0..=highest).rev();
    down.filter_map(|i| s.domains.at(target, i))
        .find_map(|d| idle_group(look, d))
}

/// Wholly idle cores of the cache first, then threads of the target's core.
fn cores_first<F: FnMut(Step)>(look: &mut Look<'_, F>, target: CpuId) -> Option<CpuId> {
    let s = look.s;
    let is_core = |d: &DomainOf<'_>| d.sd.spec.flags.any(SdFlags::SHARE_CPUPOWER);
    let shares = |d: &DomainOf<'_>| d.sd.spec.flags.any(SdFlags::SHARE_PKG_RESOURCES);
    let mut caches = s
        .domains
        .of(target)
        .filter(|d| !is_core(d))
        .take_while(shares);
    let mut threads = s.domains.of(target).take_while(is_core);
    caches
        .find_map(|d| idle_group(look, d))
        .or_else(|| threads.find_map(|d| idle_group(look, d)))
}

/// The domains of `cpu` that share a cache, lowest first.
fn sharing(s: &Sched, cpu: CpuId) -> impl Iterator<Item = DomainOf<'_>> {
    let shares = |d: &DomainOf<'_>| d.sd.spec.flags.any(SdFlags::SHARE_PKG_RESOURCES);
    s.domains.of(cpu).take_while(shares)
}

fn first_idle<F: FnMut(Step)>(look: &mut Look<'_, F>, span: &CpuMask) -> Option<CpuId> {
    let span = span.and(&look.ask.task.allowed);
    span.iter().find(|cpu| look.is_idle(*cpu))
}

/// The first allowed CPU of the first group whose CPUs are all idle, allowed or not.
fn idle_group<F: FnMut(Step)>(look: &mut Look<'_, F>, d: DomainOf<'_>) -> Option<CpuId> {
    let allowed = &look.ask.task.allowed;
    d.groups()
        .filter(|group| group.span.intersects(allowed))
        .find(|group| group.cpus.iter().all(|cpu| look.is_idle(*cpu)))
        .and_then(|group| group.span.and(allowed).lowest())
}
