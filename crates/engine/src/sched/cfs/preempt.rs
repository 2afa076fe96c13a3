//! Does a woken task preempt the running one, and which buddies does the question leave behind?
//!
//! [`check_preempt`] only answers; [`check_preempt_curr`] also charges the running task, marks buddies
//! (most kernels mark even when the answer is no) and asks for the reschedule.
//! Source: `check_preempt_wakeup`, `wakeup_preempt_entity`, `wakeup_gran`, `adaptive_gran` of 2.6.31 to
//! 6.5; f685ceac; Mike Galbraith's mail of 2009-10-16 (`NotFork`).

use super::buddies::{set_last_buddy, set_next_buddy};
use crate::machine::CpuId;
use crate::sched::decision::{Preempt, PreemptWhy};
use crate::sched::features::Feature;
use crate::sched::rq::EntityId;
use crate::sched::rules::{LastMarking, NextMarking, WakeupCheck};
use crate::sched::{Sched, WakeFlags};
use crate::task::{Policy, TaskId};

/// The running task and its challenger, as task entities.
#[derive(Clone, Copy)]
struct Pair {
    curr: TaskId,
    se: EntityId,
    p: TaskId,
    pse: EntityId,
    flags: WakeFlags,
}

/// What [`check_preempt_curr`] would answer.
pub(in crate::sched) fn check_preempt(
    s: &Sched,
    cpu: CpuId,
    p: TaskId,
    flags: WakeFlags,
) -> Preempt {
    match pair(s, cpu, p, flags) {
        Some(pair) => judge(s, cpu, &pair),
        None => exit(PreemptWhy::IdleCpu),
    }
}

/// Asks and leaves the marks.
pub(in crate::sched) fn check_preempt_curr(
    s: &mut Sched,
    cpu: CpuId,
    p: TaskId,
    flags: WakeFlags,
) -> Preempt {
    let Some(pair) = pair(s, cpu, p, flags) else {
        s.resched(cpu);
        return exit(PreemptWhy::IdleCpu);
    };
    if s.rules.wakeup_check == WakeupCheck::ChargesFirst {
        s.update_curr(s.se(pair.se).cfs_rq);
    }
    let verdict = judge(s, cpu, &pair);
    if compares(verdict.why) && s.rules.wakeup_check == WakeupCheck::MatchesFirst {
        let (se, _) = s.find_matching_se(pair.se, pair.pse);
        s.update_curr(s.se(se).cfs_rq);
    }
    if pair.se != pair.pse && verdict.why != PreemptWhy::Throttled {
        mark(s, &pair, verdict.why);
    }
    if verdict.yes {
        s.resched(cpu);
    }
    verdict
}

/// Did that exit compare vruntimes?
const fn compares(why: PreemptWhy) -> bool {
    use PreemptWhy::{BeyondGranularity, NotBehind, WithinGranularity};
    matches!(why, NotBehind | WithinGranularity | BeyondGranularity)
}

/// The two, unless the CPU is idle.
fn pair(s: &Sched, cpu: CpuId, p: TaskId, flags: WakeFlags) -> Option<Pair> {
    let curr = s.rq[cpu.index()].curr?;
    Some(Pair {
        curr,
        se: s.tasks[curr.index()].se,
        p,
        pse: s.tasks[p.index()].se,
        flags,
    })
}

/// An exit that compared no vruntimes.
fn exit(why: PreemptWhy) -> Preempt {
    Preempt {
        yes: why.preempts(),
        why,
        gap: 0,
        gran: 0,
    }
}

fn judge(s: &Sched, cpu: CpuId, pair: &Pair) -> Preempt {
    if pair.se == pair.pse {
        return exit(PreemptWhy::SelfWakeup);
    }
    if s.is_held_back(s.se(pair.pse).cfs_rq) {
        return exit(PreemptWhy::Throttled);
    }
    if s.rq[cpu.index()].need_resched {
        return exit(PreemptWhy::AlreadyPending);
    }
    let [p, curr] = [pair.p, pair.curr].map(|task| s.tasks[task.index()].policy);
    let batch_may = s.rules.wakeup_check == WakeupCheck::MatchesFirst && p == Policy::Batch;
    if curr == Policy::Idle && (p == Policy::Normal || batch_may) {
        return exit(PreemptWhy::CurrIdlePolicy);
    }
    if p != Policy::Normal {
        return exit(PreemptWhy::NotNormal);
    }
    let gate = s.features.has(Feature::WakeupPreempt);
    match habit(s, pair) {
        Some(why) if gate || s.rules.preempt_modes_first => exit(why),
        _ if !gate => exit(PreemptWhy::FeatureOff),
        _ => judge_vruntime(s, pair),
    }
}

/// The tests that look at the sync hint and at what the tasks usually do, all off by default. Before
/// e6b1b2c9 `WAKEUP_OVERLAP` covered the sync hint too.
fn habit(s: &Sched, pair: &Pair) -> Option<PreemptWhy> {
    let (on, sync) = (|f| s.features.has(f), pair.flags.sync);
    let (se, pse) = (&s.se(pair.se).avg, &s.se(pair.pse).avg);
    let sync_feature = if s.rules.preempt_modes_first {
        Feature::WakeupSync
    } else {
        Feature::WakeupOverlap
    };
    let cost = i64::from(s.tunables.migration_cost as u32);
    if on(sync_feature) && sync {
        Some(PreemptWhy::WakeupSync)
    } else if on(Feature::WakeupOverlap) && se.avg_overlap < cost && pse.avg_overlap < cost {
        Some(PreemptWhy::WakeupOverlap)
    } else if on(Feature::WakeupRunning) && pse.avg_running < se.avg_running {
        Some(PreemptWhy::WakeupRunning)
    } else {
        None
    }
}

/// Compares the two where their ancestors share a queue. The running entity is seen as charged up to the
/// clock; before 3.2 a group is not, since the kernel charges only the task's own queue there.
fn judge_vruntime(s: &Sched, pair: &Pair) -> Preempt {
    let (se, pse) = s.find_matching_se(pair.se, pair.pse);
    let charged = se == pair.se || s.rules.wakeup_check == WakeupCheck::MatchesFirst;
    let uncharged = if charged { s.uncharged(se) } else { 0 };
    let entity = s.se(se);
    let vruntime = entity.vruntime + s.weighted(uncharged, entity.load) as i64;
    let ran = entity.sum_exec - entity.prev_sum_exec + uncharged;
    let gap = vruntime - s.se(pse).vruntime;
    if gap <= 0 {
        return Preempt {
            gap,
            ..exit(PreemptWhy::NotBehind)
        };
    }
    let gran = wakeup_gran(s, se, ran, pse);
    let why = if gap > gran as i64 {
        PreemptWhy::BeyondGranularity
    } else {
        PreemptWhy::WithinGranularity
    };
    Preempt {
        gap,
        gran,
        ..exit(why)
    }
}

/// How far right of `se` `curr` may be before it is preempted, weighted ns; `ran` is how long `curr` has
/// been running. Shorter (`ADAPTIVE_GRAN`) only while `curr`'s queue has a running entity: the picker,
/// which puts the running one back first, always sees the full granularity.
pub(super) fn wakeup_gran(s: &Sched, curr: EntityId, ran: u64, se: EntityId) -> u64 {
    let full = s.tunables.wakeup_granularity;
    let adaptive = s.cfs(s.se(curr).cfs_rq).curr.is_some() && s.features.has(Feature::AdaptiveGran);
    let gran = if adaptive {
        adaptive_gran(s, ran, se).min(full)
    } else {
        full
    };
    let scale_by = if s.features.has(Feature::AsymGran) {
        se
    } else {
        curr
    };
    s.weighted(gran, s.se(scale_by).load)
}

/// What is left of the time in which `se` and its queue would make two wakeups each, ns.
fn adaptive_gran(s: &Sched, ran: u64, se: EntityId) -> u64 {
    let entity = s.se(se);
    let nr = u64::from(s.cfs(entity.cfs_rq).nr_running);
    let wanted = (entity.avg.avg_wakeup as u64)
        .wrapping_mul(2)
        .wrapping_mul(nr);
    wanted.saturating_sub(ran)
}

/// Sets the buddies that the check sets, whatever its answer.
fn mark(s: &mut Sched, pair: &Pair, why: PreemptWhy) {
    if marks_last(s, pair, why) && s.se(pair.se).on_rq {
        set_last_buddy(s, pair.se);
    }
    if marks_next(s, pair) || why == PreemptWhy::WakeupRunning {
        set_next_buddy(s, pair.pse);
    } else if marks_preemptor(s, why) {
        set_next_buddy(s, s.find_matching_se(pair.se, pair.pse).1);
    }
}

/// Is who preempts marked next, from where the two share a queue upwards, to be tried first?
fn marks_preemptor(s: &Sched, why: PreemptWhy) -> bool {
    s.rules.next_marking == NextMarking::FeatureOrPreemptor && why == PreemptWhy::BeyondGranularity
}

fn marks_next(s: &Sched, pair: &Pair) -> bool {
    let fork = pair.flags.fork;
    match s.rules.next_marking {
        NextMarking::Always => true,
        NextMarking::Feature => s.next_buddy() && !fork,
        NextMarking::FeatureAtScale | NextMarking::FeatureOrPreemptor => {
            s.next_buddy() && at_scale(s, pair) && !fork
        }
        NextMarking::NotFork => !fork,
    }
}

fn marks_last(s: &Sched, pair: &Pair, why: PreemptWhy) -> bool {
    match s.rules.last_marking {
        LastMarking::EveryCheck => s.features.has(Feature::LastBuddy),
        LastMarking::NotFork => !pair.flags.fork,
        LastMarking::OnPreemption => {
            why == PreemptWhy::BeyondGranularity
                && s.features.has(Feature::LastBuddy)
                && at_scale(s, pair)
                && s.find_matching_se(pair.se, pair.pse).0 == pair.se
        }
    }
}

/// Are there enough runnable on the running task's own queue for buddies to pay?
fn at_scale(s: &Sched, pair: &Pair) -> bool {
    let leaf = s.se(pair.se).cfs_rq;
    u64::from(s.cfs(leaf).nr_running) >= s.tunables.nr_latency
}
