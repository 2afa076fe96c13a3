//! Does a task that was woken preempt the running one?
//!
//! The question is put to the picker, for the two entities whose queue is the same; versions differ in what of the
//! running entity's protection counts, and in what buddies do.
//! Source: `check_preempt_wakeup` of 6.6, `check_preempt_wakeup_fair` of 6.12 to 6.19, `wakeup_preempt_fair` of 7.0 to
//! 7.3, `do_preempt_short` of 6.12, `preempt_sync`, `set_preempt_buddy` of 6.19 to 7.1.

use super::average::entity_eligible;
use super::{buddies, pick, protect, queue, queue_of, update_curr};
use crate::machine::CpuId;
use crate::sched::cfs::Role;
use crate::sched::decision::{Preempt, PreemptWhy};
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::{LostPick, PreemptShort, ShortBuddy};
use crate::sched::{Sched, WakeFlags};
use crate::task::{Policy, TaskId};

/// The two that are compared, where their ancestors share a queue.
#[derive(Clone, Copy)]
struct Pair {
    q: CfsRqId,
    se: EntityId,
    pse: EntityId,
}

/// `p`, just enqueued on `cpu`, against its running task.
pub(in crate::sched) fn check_preempt_curr(
    s: &mut Sched,
    cpu: CpuId,
    p: TaskId,
    flags: WakeFlags,
) -> Preempt {
    let Some(curr) = s.rq[cpu.index()].curr else {
        s.resched(cpu);
        return exit(PreemptWhy::IdleCpu);
    };
    let why = match s.rules.preempt_short {
        PreemptShort::Action => by_action(s, cpu, (curr, p), flags),
        PreemptShort::Absent | PreemptShort::BreaksParity | PreemptShort::Unprotected => {
            by_pick(s, cpu, (curr, p), flags)
        }
    };
    if why.preempts() {
        s.resched_lazy(cpu);
    }
    exit(why)
}

fn exit(why: PreemptWhy) -> Preempt {
    Preempt {
        yes: why.preempts(),
        why,
        gap: 0,
        gran: 0,
    }
}

fn pair(s: &Sched, curr: TaskId, p: TaskId) -> Pair {
    let of = |task: TaskId| s.tasks[task.index()].se;
    let (mut se, mut pse) = (of(curr), of(p));
    if !s.rules.flat {
        (se, pse) = s.find_matching_se(se, pse);
    }
    let q = queue_of(s, se);
    Pair { q, se, pse }
}

/// 6.6, 6.12, 6.18.
fn by_pick(s: &mut Sched, cpu: CpuId, (curr, p): (TaskId, TaskId), flags: WakeFlags) -> PreemptWhy {
    let own = s.tasks[p.index()].se;
    if curr == p {
        return PreemptWhy::SelfWakeup;
    }
    if s.is_held_back(s.se(own).cfs_rq) {
        return PreemptWhy::Throttled;
    }
    let rule = s.rules.preempt_short;
    let skips = rule == PreemptShort::Unprotected && s.eevdf.se(own).sched_delayed;
    if s.features.has(Feature::NextBuddy) && !flags.fork && !skips {
        buddies::set_next(s, own);
    }
    if s.resched_pending(cpu) {
        return PreemptWhy::AlreadyPending;
    }
    let [p_policy, curr_policy] = [p, curr].map(|task| s.tasks[task.index()].policy);
    if rule == PreemptShort::Absent && curr_policy == Policy::Idle && p_policy != Policy::Idle {
        return PreemptWhy::CurrIdlePolicy;
    }
    if rule == PreemptShort::Absent && p_policy != Policy::Normal {
        return PreemptWhy::NotNormal;
    }
    if !s.features.has(Feature::WakeupPreempt) {
        return PreemptWhy::FeatureOff;
    }
    let pair = pair(s, curr, p);
    if let Some(why) = idle_rules(s, &pair) {
        if why == PreemptWhy::CurrIdlePolicy && rule == PreemptShort::Unprotected {
            protect::cancel(s, pair.se);
        }
        return why;
    }
    if p_policy != Policy::Normal {
        return PreemptWhy::NotNormal;
    }
    let _ = update_curr(s, pair.q);
    let short = is_short(s, &pair);
    match rule {
        PreemptShort::BreaksParity if short => break_parity(s, &pair),
        _ => {}
    }
    let ignores = short && rule == PreemptShort::Unprotected;
    let picked = pick::pick_eevdf(s, pair.q, !ignores);
    if takes(picked, pair.pse) {
        if ignores {
            protect::cancel(s, pair.se);
            return PreemptWhy::ShortSlice;
        }
        return PreemptWhy::Picked;
    }
    if ignores && s.rules.lost_pick != LostPick::Keeps && s.features.has(Feature::RunToParity) {
        protect::shorten(s, pair.q, pair.se);
    }
    lost(s, &pair, picked)
}

/// 6.19 on.
fn by_action(
    s: &mut Sched,
    cpu: CpuId,
    (curr, p): (TaskId, TaskId),
    flags: WakeFlags,
) -> PreemptWhy {
    let own = s.tasks[p.index()].se;
    if curr == p {
        return PreemptWhy::SelfWakeup;
    }
    if s.is_held_back(s.se(own).cfs_rq) {
        return PreemptWhy::Throttled;
    }
    if s.resched_pending(cpu) && !asks_while_pending(s) {
        return PreemptWhy::AlreadyPending;
    }
    if !s.features.has(Feature::WakeupPreempt) {
        return PreemptWhy::FeatureOff;
    }
    let pair = pair(s, curr, p);
    if let Some(why) = by_policy(s, &pair, p) {
        return why;
    }
    let _ = update_curr(s, pair.q);
    let short = is_short(s, &pair);
    if !short || s.rules.delayed_wakee_waits {
        if flags.fork && !short {
            return without_pick(s, &pair, PreemptWhy::NewTask);
        }
        if s.eevdf.se(pair.pse).sched_delayed {
            return without_pick(s, &pair, PreemptWhy::WasDelayed);
        }
    }
    let next_buddy = !short && s.features.has(Feature::NextBuddy);
    if next_buddy && becomes_buddy(s, &pair) && flags.sync {
        return sync_rule(s, &pair);
    }
    let picked = picks(s, &pair, !short);
    let won = takes(picked, pair.pse);
    if short && (won || s.rules.short_if_eligible && entity_eligible(s, pair.pse)) {
        return short_wins(s, &pair);
    }
    if won {
        if s.rules.preemption_unprotects {
            protect::cancel(s, pair.se);
        }
        return PreemptWhy::Picked;
    }
    if s.rules.lost_pick >= LostPick::Shortens && s.features.has(Feature::RunToParity) {
        protect::shorten(s, pair.q, pair.se);
    }
    lost(s, &pair, picked)
}

/// Does a pending reschedule not keep from asking, so that a shorter slice may become next (7ad0ec7890b3)?
fn asks_while_pending(s: &Sched) -> bool {
    s.rules.short_while_pending && s.features.has(Feature::PreemptShort)
}

/// What policies decide.
fn by_policy(s: &mut Sched, pair: &Pair, p: TaskId) -> Option<PreemptWhy> {
    match idle_rules(s, pair) {
        Some(why @ PreemptWhy::CurrIdlePolicy) => {
            protect::cancel(s, pair.se);
            if s.rules.short_buddy == ShortBuddy::OwnCleared {
                buddies::clear(s, pair.se);
            }
            return Some(why);
        }
        Some(why) => return Some(without_pick(s, pair, why)),
        None => {}
    }
    let normal = s.tasks[p.index()].policy == Policy::Normal;
    (!normal).then(|| without_pick(s, pair, PreemptWhy::NotNormal))
}

/// It does not come to a pick; since 7.3 that shortens the protection as a lost one does (7cd2ef17de5e).
fn without_pick(s: &mut Sched, pair: &Pair, why: PreemptWhy) -> PreemptWhy {
    if s.rules.lost_pick == LostPick::ShortensWithoutPick {
        let _ = update_curr(s, pair.q);
        if s.features.has(Feature::RunToParity) {
            protect::shorten(s, pair.q, pair.se);
        }
    }
    why
}

fn takes(picked: Option<(EntityId, Role)>, pse: EntityId) -> bool {
    picked.is_some_and(|(se, _)| se == pse)
}

/// Whom the wakeup's pick takes, and as what; since ac8e69e69363 a delayed entity in front is removed and does not hide the wakee.
fn picks(s: &mut Sched, pair: &Pair, protect: bool) -> Option<(EntityId, Role)> {
    if !s.rules.wake_pick_drops_delayed {
        return pick::pick_eevdf(s, pair.q, protect);
    }
    loop {
        let (se, role) = pick::judge(s, pair.q, protect)?;
        if !s.eevdf.se(se).sched_delayed {
            return Some((se, role));
        }
        queue::drop_delayed(s, se);
    }
}

/// The wakee becomes next, unless the one that is has an earlier deadline (`set_preempt_buddy`).
fn becomes_buddy(s: &mut Sched, pair: &Pair) -> bool {
    let deadline = |se: EntityId| s.eevdf.se(se).deadline;
    let next = s.cfs(pair.q).next;
    if next.is_some_and(|next| deadline(next) < deadline(pair.pse)) {
        return false;
    }
    buddies::set_next(s, pair.pse);
    true
}

/// Has the waker run long enough that a wakee with an earlier deadline takes over? It is weighed by how long it has run
/// since it was charged, which was just now, so that only a migration cost of 0 lets that be (`preempt_sync`).
fn sync_rule(s: &Sched, pair: &Pair) -> PreemptWhy {
    let deadline = |se: EntityId| s.eevdf.se(se).deadline;
    let ran = s.rq_of(pair.q).clock - s.se(pair.se).exec_start;
    if deadline(pair.pse) < deadline(pair.se) && ran as i64 >= s.tunables.migration_cost {
        PreemptWhy::SyncHadEnough
    } else {
        PreemptWhy::SyncGoesOn
    }
}

/// A shorter slice preempts, and no protection stands against it. The running entity's own mark, which the schedule()
/// to come would honour, goes with it since the patch of 2026; since 7.3 the wakee is marked.
fn short_wins(s: &mut Sched, pair: &Pair) -> PreemptWhy {
    protect::cancel(s, pair.se);
    match s.rules.short_buddy {
        ShortBuddy::Stays => {}
        ShortBuddy::OwnCleared => buddies::clear(s, pair.se),
        ShortBuddy::WakeeMarked => {
            let slice = |se: EntityId| s.eevdf.se(se).slice;
            let next = s.cfs(pair.q).next;
            if next.is_none_or(|next| slice(next) >= slice(pair.pse)) {
                buddies::set_next(s, pair.pse);
            }
        }
    }
    PreemptWhy::ShortSlice
}

/// Is the wakee's slice the shorter one, and does that count (`PREEMPT_SHORT`)?
fn is_short(s: &Sched, pair: &Pair) -> bool {
    let slice = |se: EntityId| s.eevdf.se(se).slice;
    s.rules.preempt_short != PreemptShort::Absent
        && s.features.has(Feature::PreemptShort)
        && slice(pair.pse) < slice(pair.se)
}

/// 6.12: an eligible wakee with a shorter slice and an earlier deadline, or one beside which the running entity is not
/// eligible, breaks its protection for good (`do_preempt_short`).
fn break_parity(s: &mut Sched, pair: &Pair) {
    let deadline = |se: EntityId| s.eevdf.se(se).deadline;
    let breaks = entity_eligible(s, pair.pse)
        && (deadline(pair.pse) < deadline(pair.se) || !entity_eligible(s, pair.se));
    if breaks {
        s.eevdf.se_mut(pair.se).parity = false;
    }
}

/// What one of the two being `SCHED_IDLE` decides.
fn idle_rules(s: &Sched, pair: &Pair) -> Option<PreemptWhy> {
    match (s.is_idle_policy(pair.se), s.is_idle_policy(pair.pse)) {
        (true, false) => Some(PreemptWhy::CurrIdlePolicy),
        (false, true) => Some(PreemptWhy::NotNormal),
        _ => None,
    }
}

/// Why the pick took `picked` and not the wakee. It is the wakeup's own pick that says so: the one of schedule() may
/// look at a buddy that this one passed over.
fn lost(s: &Sched, pair: &Pair, picked: Option<(EntityId, Role)>) -> PreemptWhy {
    if !entity_eligible(s, pair.pse) {
        return PreemptWhy::NotEligible;
    }
    match picked {
        Some((se, Role::Protected)) if se == pair.se => PreemptWhy::CurrProtected,
        Some((_, Role::Next)) => PreemptWhy::BuddyFirst,
        Some((se, _)) if se == pair.se => PreemptWhy::CurrDeadline,
        _ => PreemptWhy::OtherFirst,
    }
}
