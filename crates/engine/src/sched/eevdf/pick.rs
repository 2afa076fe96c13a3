//! Who runs next: of those that have not had more than their share, the one whose deadline is earliest.
//!
//! A buddy that is eligible goes first, where the version honours it; the running entity keeps the CPU while it is
//! protected. Source: `pick_eevdf`, `pick_next_entity`, `pick_task_fair` of 6.6 to 7.1.

use super::average::{avg_vruntime, eligible_on, entity_eligible, running};
use super::{protect, queue, update_curr};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::cfs::{Candidate, Role, Verdict, Wants};
use crate::sched::decision::PickWhy;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::{BuddySite, Ties};

/// Whom the picker would take of `q`, and as what; the running entity is asked for its protection if `protect`
/// (`pick_eevdf`).
pub(super) fn pick_eevdf(s: &Sched, q: CfsRqId, protect: bool) -> Option<(EntityId, Role)> {
    let avg = s.eevdf.q(q);
    let tree = &avg.tree;
    let curr = running(s, q);
    if s.rules.nr1_shortcut && avg.nr == 1 {
        let waiting = tree.iter().next().map(|w| (w.se, Role::Deadline));
        return curr.map(|se| (se, Role::Current)).or(waiting);
    }
    let looks_at_buddy = match s.rules.buddy_site {
        BuddySite::BeforeIfNextBuddy | BuddySite::BeforeIfPickBuddy => false,
        BuddySite::Within => true,
        BuddySite::WithinIfProtecting => protect,
    };
    let buddy = s
        .cfs(q)
        .next
        .filter(|_| looks_at_buddy && s.features.has(Feature::PickBuddy));
    if let Some(next) = buddy.filter(|next| entity_eligible(s, *next)) {
        return Some((next, Role::Next));
    }
    let eligible = eligible_on(s, q);
    let curr = curr.filter(|se| eligible(s.se(*se).vruntime));
    if let Some(curr) = curr.filter(|se| protect && protect::holds(s, *se)) {
        return Some((curr, Role::Protected));
    }
    let best = tree.first(eligible);
    let curr_first = |curr: EntityId| {
        let deadline = s.eevdf.se(curr).deadline;
        best.is_none_or(|best| match s.rules.ties {
            Ties::CurrentFirst => deadline <= best.deadline,
            Ties::WaitingFirst => deadline < best.deadline,
        })
    };
    match curr.filter(|curr| curr_first(*curr)) {
        Some(curr) => Some((curr, Role::Current)),
        None => best.map(|best| (best.se, Role::Deadline)),
    }
}

/// The entity that schedule() would take of `q`, and as what; it may be a delayed one (`pick_next_entity`).
pub(in crate::sched) fn judge_entity(s: &Sched, q: CfsRqId) -> Option<(EntityId, Role)> {
    judge(s, q, true)
}

pub(super) fn judge(s: &Sched, q: CfsRqId, protect: bool) -> Option<(EntityId, Role)> {
    let gate = match s.rules.buddy_site {
        BuddySite::BeforeIfNextBuddy => s.features.has(Feature::NextBuddy),
        BuddySite::BeforeIfPickBuddy => s.features.has(Feature::PickBuddy),
        BuddySite::Within | BuddySite::WithinIfProtecting => false,
    };
    let next = s.cfs(q).next.filter(|_| gate);
    match next.filter(|next| entity_eligible(s, *next)) {
        Some(next) => Some((next, Role::Next)),
        None => pick_eevdf(s, q, protect),
    }
}

/// What schedule() does before it picks: from the root down the running entities are charged, and delayed ones that
/// it comes upon leave, each of which makes it start again (`pick_task_fair`).
pub(in crate::sched) fn settle(s: &mut Sched, cpu: CpuId) {
    let root = CfsRqId(u32::from(cpu.0));
    let mut q = root;
    loop {
        if running(s, q).is_some() {
            let _ = update_curr(s, q);
        }
        let Some((se, _)) = judge_entity(s, q) else {
            return;
        };
        if s.eevdf.se(se).sched_delayed {
            queue::drop_delayed(s, se);
            q = root;
            continue;
        }
        match s.se(se).my_q {
            Some(below) => q = below,
            None => return,
        }
    }
}

/// The reason for a pick out of `q` in that role.
pub(in crate::sched) fn why(s: &Sched, q: CfsRqId, role: Role) -> PickWhy {
    match role {
        _ if s.eevdf.q(q).nr == 1 => PickWhy::Only,
        Role::Next => PickWhy::EligibleBuddy,
        Role::Protected => PickWhy::Protected,
        _ => PickWhy::EarliestDeadline,
    }
}

/// How the entities of `q` compare for the next pick, the one that is taken last; no more than `most`.
pub(in crate::sched) fn candidates(
    s: &Sched,
    q: CfsRqId,
    most: usize,
) -> alloc::vec::Vec<Candidate> {
    let Some((taken, role)) = judge_entity(s, q) else {
        return alloc::vec::Vec::new();
    };
    let average = avg_vruntime(s, q);
    let row = |se: EntityId, role: Role, verdict: Verdict| {
        let (entity, own) = (s.se(se), s.eevdf.se(se));
        Candidate {
            cfs_rq: q,
            se,
            task: entity.task,
            role,
            vruntime: entity.vruntime,
            gap: entity.vruntime - average,
            limit: 0,
            verdict,
            wants: Some(Wants {
                deadline: own.deadline,
                slice: own.slice,
                eligible: entity_eligible(s, se),
                protected: s.eevdf.q(q).curr == Some(se) && protect::holds(s, se),
                delayed: own.sched_delayed,
            }),
        }
    };
    let loses = |se: EntityId| {
        if entity_eligible(s, se) {
            Verdict::LaterDeadline
        } else {
            Verdict::NotEligible
        }
    };
    let curr = running(s, q).map(|se| (se, Role::Current));
    let waiting = s.eevdf.q(q).tree.iter().map(|w| (w.se, Role::Deadline));
    let others = curr.into_iter().chain(waiting);
    let losers = others.filter(|(se, _)| *se != taken).take(most);
    let losers = losers.map(|(se, role)| row(se, role, loses(se)));
    losers.chain([row(taken, role, Verdict::Take)]).collect()
}
