//! CPU selection of 6.1 and later: `wake_affine` by idleness, then by tracked load, and the search for an idle CPU around
//! its answer; forks and execs go to the idlest group ([`super::spread`]).
//!
//! Source: kernel/sched/fair.c of 6.1 to 7.1: `select_task_rq_fair`, `wake_affine`, `select_idle_sibling` and what they call.
//! Not here: the exception for kernel threads bound to a CPU, of which there are none.

use super::affine::{Affine, imbalance};
use super::energy::find_energy_efficient_cpu;
use super::idlest::descend;
use super::near::highest_sharing;
use super::wide::wake_wide;
use super::{Ask, Look, SelectKind, Step, TargetWhy, note_domain, placed};
use crate::machine::sched_domain::SchedDomain;
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::{Placement, PlacementWhy};
use crate::sched::features::Feature;
use crate::sched::sd_flags::SdFlags;

/// Wakeup, fork and exec.
pub(super) fn select(s: &Sched, ask: &Ask<'_>, note: &mut impl FnMut(Step)) -> Placement {
    if ask.task.allowed.weight() == 1 {
        let only = ask.task.allowed.lowest().unwrap_or(ask.prev);
        return placed(only, PlacementWhy::OnlyCpu, 0);
    }
    let wake = ask.kind == SelectKind::Wake;
    if wake && s.energy.is_some() {
        let by_energy = find_energy_efficient_cpu(s, ask, note);
        if let Some(placement) = by_energy {
            return placement;
        }
    }
    let want_affine = wake && !wake_wide(s, ask, note) && ask.task.allowed.contains(ask.this);
    let (mut target, mut start) = ((ask.prev, TargetWhy::NoAffine), None);
    for d in s.domains.of(ask.this) {
        note_domain(ask, d.sd, note);
        let flags = d.sd.spec.flags;
        if want_affine && flags.any(SdFlags::WAKE_AFFINE) && d.sd.span.contains(ask.prev) {
            target = wake_affine(s, ask, d.sd, note);
            start = None;
            break;
        }
        if flags.any(ask.kind.flag()) {
            start = Some(d);
        } else if !want_affine {
            break;
        }
    }
    if let Some(start) = start {
        if !start.sd.span.intersects(&ask.task.allowed) {
            return placed(ask.prev, PlacementWhy::LocalIdlest, 0);
        }
        let descent = descend(s, ask, start, note);
        return match descent.cpu {
            Some(cpu) => placed(cpu, PlacementWhy::Idlest, descent.visited),
            None => placed(ask.this, PlacementWhy::LocalIdlest, descent.visited),
        };
    }
    if !wake {
        return placed(ask.prev, PlacementWhy::NoDomain, 0);
    }
    let (cpu, why) = target;
    note(Step::Target { cpu, why });
    let mut look = Look::new(s, ask, 0, note);
    let (cpu, why) = select_idle_sibling(&mut look, cpu);
    placed(cpu, why, look.visited)
}

/// The waker's CPU or the one the wakee last ran on, by idleness if that decides, else by load.
fn wake_affine(
    s: &Sched,
    ask: &Ask<'_>,
    sd: &SchedDomain,
    note: &mut impl FnMut(Step),
) -> (CpuId, TargetWhy) {
    if ask.this == ask.prev {
        return (ask.prev, TargetWhy::SameCpu);
    }
    let by_idleness = s
        .features
        .has(Feature::WaIdle)
        .then(|| affine_idle(s, ask))
        .flatten();
    if let Some(target) = by_idleness {
        return target;
    }
    if !s.features.has(Feature::WaWeight) {
        return (ask.prev, TargetWhy::NotPulled);
    }
    let answer = affine_weight(s, ask, sd);
    note(Step::Affine(answer));
    if answer.yes {
        (ask.this, TargetWhy::Pulled)
    } else {
        (ask.prev, TargetWhy::NotPulled)
    }
}

/// `wake_affine_idle`: an idle waker's CPU means an interrupt, which pulls only within a cache.
fn affine_idle(s: &Sched, ask: &Ask<'_>) -> Option<(CpuId, TargetWhy)> {
    let prev_idle = s.idle_cpu(ask.prev);
    if s.idle_cpu(ask.this) && s.near.share_cache(ask.this, ask.prev) {
        return Some(if prev_idle {
            (ask.prev, TargetWhy::PrevIdle)
        } else {
            (ask.this, TargetWhy::ThisIdle)
        });
    }
    let asleep = if s.rules.sync_sees_delayed {
        s.nr_delayed(ask.this)
    } else {
        0
    };
    if ask.sync && s.rq[ask.this.index()].nr_running == 1 + asleep {
        return Some((ask.this, TargetWhy::SyncAlone));
    }
    prev_idle.then_some((ask.prev, TargetWhy::PrevIdle))
}

/// `wake_affine_weight`: would the waker's CPU, with the wakee, be less loaded than the other without it?
fn affine_weight(s: &Sched, ask: &Ask<'_>, sd: &SchedDomain) -> Affine {
    let bias = s.features.has(Feature::WaBias);
    let weight = s.task_h_load(ask.id);
    let asked = Affine {
        level: sd.spec.level,
        yes: true,
        why: PlacementWhy::AffineSync,
        sync: ask.sync,
        this_load: s.cpu_load(ask.this),
        prev_load: s.cpu_load(ask.prev).wrapping_sub(weight),
        weight,
        imbalance: if bias { imbalance(sd) } else { 100 },
        powers: [s.cpu_capacity(ask.this), s.cpu_capacity(ask.prev)],
    };
    let waker = s.rq[ask.this.index()].curr.filter(|_| ask.sync);
    weighed(asked, waker.map(|waker| s.task_h_load(waker)), bias)
}

/// The answer for those loads; `waker` is what a sync waker adds to the load of its CPU.
fn weighed(asked: Affine, waker: Option<u64>, bias: bool) -> Affine {
    let mut answer = asked;
    let of = |on: u64| if bias { on } else { 1 };
    match waker {
        Some(own) if own > answer.this_load => return answer,
        Some(own) => answer.this_load -= own,
        None => {}
    }
    let [this, prev] = answer.powers.map(|power| power as i64);
    let here = (answer.this_load + answer.weight) as i64 * of(100) as i64 * prev;
    let there = answer.prev_load as i64 * of(answer.imbalance) as i64 * this;
    answer.yes = here < there + i64::from(answer.sync);
    answer.why = match (answer.yes, answer.sync) {
        (true, true) => PlacementWhy::AffineSync,
        (true, false) => PlacementWhy::AffineBalanced,
        (false, _) => PlacementWhy::PrevNotAffine,
    };
    answer
}

/// An idle CPU around `target`, which is taken itself if there is none.
fn select_idle_sibling<F: FnMut(Step)>(
    look: &mut Look<'_, F>,
    target: CpuId,
) -> (CpuId, PlacementWhy) {
    let (s, ask, prev) = (look.s, look.ask, look.ask.prev);
    let near = &s.near;
    if look.is_free(target) && look.fits(target) {
        return (target, PlacementWhy::TargetIdle);
    }
    let prev_near = near.share_cache(prev, target);
    if prev != target && prev_near && look.is_free(prev) && look.fits(prev) {
        return (prev, PlacementWhy::PrevIdle);
    }
    let recent = ask.task.recent_used_cpu;
    if recent != prev
        && recent != target
        && near.share_cache(recent, target)
        && look.is_free(recent)
        && ask.task.allowed.contains(recent)
        && look.fits(recent)
    {
        return (recent, PlacementWhy::RecentIdle);
    }
    if near.asymmetric {
        let found = select_idle_capacity(look, target);
        return found.map_or((target, PlacementWhy::NoIdle), |cpu| {
            (cpu, PlacementWhy::IdleCpu)
        });
    }
    let Some(llc) = highest_sharing(&s.domains, target) else {
        return (target, PlacementWhy::NoIdle);
    };
    let has_idle_core = near.any_smt && s.llc_state(target).has_idle_cores;
    if near.any_smt && !has_idle_core && prev_near {
        let threads = near.smt[prev.index()].and(&ask.task.allowed);
        let free = threads
            .iter()
            .find(|cpu| *cpu != prev && look.is_free(*cpu));
        if let Some(thread) = free {
            return (thread, PlacementWhy::IdleThread);
        }
    }
    let cpus = llc.sd.span.and(&ask.task.allowed);
    let limit = scan_limit(s, ask, target, llc.sd.cpus.len() as u64, has_idle_core);
    note_scan(look, limit, has_idle_core);
    if limit == Some(0) {
        return (target, PlacementWhy::ScanSkipped);
    }
    let found = if has_idle_core {
        idle_core(look, cpus, target)
    } else {
        let looked = wrap(&cpus, target.0 + 1).take(limit.unwrap_or(u32::MAX) as usize);
        find_free(look, looked).map(|cpu| (cpu, PlacementWhy::IdleCpu))
    };
    found.unwrap_or((target, PlacementWhy::NoIdle))
}

fn find_free<F: FnMut(Step)>(
    look: &mut Look<'_, F>,
    mut cpus: impl Iterator<Item = CpuId>,
) -> Option<CpuId> {
    cpus.find(|cpu| look.is_free(*cpu))
}

fn note_scan<F: FnMut(Step)>(look: &mut Look<'_, F>, limit: Option<u32>, cores: bool) {
    (look.note)(Step::Scan { limit, cores });
}

/// How many CPUs may be looked at; none: all. A limit of `SIS_UTIL` replaces that of `SIS_PROP`; while an idle core is
/// believed to be there it only can forbid the search.
fn scan_limit(
    s: &Sched,
    ask: &Ask<'_>,
    target: CpuId,
    weight: u64,
    has_idle_core: bool,
) -> Option<u32> {
    if s.features.has(Feature::SisUtil) {
        let limit = s.llc_state(target).nr_idle_scan;
        return Some(limit).filter(|limit| *limit == 0 || !has_idle_core);
    }
    if !s.features.has(Feature::SisProp) || has_idle_core {
        return None;
    }
    // The loop ends at `!--nr`: it looks at one fewer.
    let avg_idle = s.predicted_idle(ask.this);
    let (span, cost) = (weight * avg_idle, s.rq[ask.this.index()].scan_cost + 1);
    let nr = if span > 4 * cost { span / cost } else { 4 };
    Some((nr - 1).min(u64::from(u32::MAX)) as u32)
}

/// From `target` on, the first core that is wholly idle; else the first CPU seen that is (`select_idle_core`).
fn idle_core<F: FnMut(Step)>(
    look: &mut Look<'_, F>,
    cpus: CpuMask,
    target: CpuId,
) -> Option<(CpuId, PlacementWhy)> {
    let (s, ask) = (look.s, look.ask);
    let (mut left, mut idle_cpu) = (cpus, None);
    for core in wrap(&cpus, target.0 + 1) {
        if !left.contains(core) {
            continue;
        }
        let threads = s.near.smt[core.index()];
        let mut whole = true;
        for cpu in &threads {
            let allowed = ask.task.allowed.contains(cpu);
            if look.is_idle(cpu) {
                if idle_cpu.is_none() && allowed {
                    idle_cpu = Some(cpu);
                }
                continue;
            }
            whole = false;
            if idle_cpu.is_some() {
                break;
            }
            if allowed && s.is_as_good_as_idle(ask.task, cpu) {
                idle_cpu = Some(cpu);
                break;
            }
        }
        if whole {
            return Some((core, PlacementWhy::IdleCore));
        }
        left = left.without(&threads);
    }
    idle_cpu.map(|cpu| (cpu, PlacementWhy::IdleCpu))
}

/// On a machine of unequal CPUs: the first idle one on which the task fits, else the strongest idle one
/// (`select_idle_capacity`).
fn select_idle_capacity<F: FnMut(Step)>(look: &mut Look<'_, F>, target: CpuId) -> Option<CpuId> {
    let s = look.s;
    let largest = s.domains.of(target).last()?;
    let cpus = largest.sd.span.and(&look.ask.task.allowed);
    let mut best = None;
    for cpu in wrap(&cpus, target.0) {
        if !look.is_free(cpu) {
            continue;
        }
        if look.fits(cpu) {
            return Some(cpu);
        }
        let capacity = s.cpu_capacity(cpu);
        if best.is_none_or(|(strongest, _)| capacity > strongest) {
            best = Some((capacity, cpu));
        }
    }
    best.map(|(_, cpu)| cpu)
}

/// The CPUs of `cpus` from `first` on, then those before it (`for_each_cpu_wrap`).
fn wrap(cpus: &CpuMask, first: u16) -> impl Iterator<Item = CpuId> + use<> {
    let from = cpus.iter().filter(move |cpu| cpu.0 >= first);
    from.chain(cpus.iter().filter(move |cpu| cpu.0 < first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::sd_flags::Level;

    /// Worked examples `eevdf/K3` to `K6`: loads here and there, the wakee's in the latter, between equal CPUs.
    #[test]
    fn k3_to_k6_wake_affine_by_load() {
        let pulls = |this_load, prev_load: u64, weight, waker: Option<u64>| {
            let asked = Affine {
                level: Level::Mc,
                yes: true,
                why: PlacementWhy::AffineSync,
                sync: waker.is_some(),
                this_load,
                prev_load: prev_load - weight,
                weight,
                imbalance: 108,
                powers: [1024, 1024],
            };
            weighed(asked, waker, true).yes
        };
        assert!(!pulls(1024, 1224, 200, None), "K3");
        assert!(pulls(700, 1224, 200, None), "K4");
        assert!(
            !pulls(905, 1030, 100, None),
            "K5: 100500 is not less than 100440"
        );
        assert!(pulls(1024, 1224, 200, Some(1024)), "K6");
    }
}
