//! Who runs next: a buddy that is not too far right of the leftmost entity, else the leftmost.
//!
//! [`judge_entity`] answers for one queue and changes nothing; [`commit_pick`] clears the marks that this
//! kernel clears; [`candidates`] lists every comparison, for explanations, by the same test.
//! Source: `pick_next_entity`, `pick_next_task_fair` of 2.6.31, de69a80b, 92f6a5e3, f685ceac, 3.2, 6.1, 6.5 and of
//! Mike Galbraith's mail of 2009-10-16 (`Gated`).

use super::{buddies, preempt};
use crate::sched::Sched;
use crate::sched::decision::PickWhy;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::Picker;
use crate::sched::timeline::Waiting;
use crate::task::TaskId;

/// What makes an entity a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is the queue's next buddy.
    Next,
    /// It is the queue's last buddy.
    Last,
    /// It comes after the leftmost, which has yielded.
    Second,
    /// It is leftmost.
    Left,
    /// It runs (EEVDF).
    Current,
    /// It runs, and is still protected (EEVDF).
    Protected,
    /// It waits, and has a deadline (EEVDF).
    Deadline,
}

/// What the picker says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Take,
    /// It is right of the leftmost by more than the wakeup granularity.
    TooFar,
    /// Its mark counts only with a feature that is off.
    FeatureOff,
    /// It has had more than its share (EEVDF).
    NotEligible,
    /// Its deadline is later than that of the one that is taken (EEVDF).
    LaterDeadline,
}

/// What an entity wants and is due, where that counts (EEVDF).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Its deadline, ns of vruntime.
    pub deadline: i64,
    /// Its slice, ns.
    pub slice: u64,
    /// Has it had no more than its share?
    pub eligible: bool,
    /// Does it run, and is still protected?
    pub protected: bool,
    /// Does it sleep, but is still queued?
    pub delayed: bool,
}

/// One comparison that the picker makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The queue, from the root down.
    pub cfs_rq: CfsRqId,
    /// The entity.
    pub se: EntityId,
    /// Its task; none if it is a group.
    pub task: Option<TaskId>,
    /// Why it is considered.
    pub role: Role,
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// How far right of the leftmost it is, or of the average (EEVDF: minus its lag), ns.
    pub gap: i64,
    /// How far right it may be, ns.
    pub limit: u64,
    /// Is it taken?
    pub verdict: Verdict,
    /// What it wants and is due (EEVDF).
    pub wants: Option<Wants>,
}

/// In which order a picker tries; the first to be taken wins.
const fn order(picker: Picker) -> [Role; 4] {
    match picker {
        Picker::ClearChosen
        | Picker::ClearBoth
        | Picker::ClearTried
        | Picker::Gated
        | Picker::NextSkip => [Role::Next, Role::Last, Role::Second, Role::Left],
        Picker::LastFirst => [Role::Last, Role::Next, Role::Second, Role::Left],
    }
}

/// The leftmost of the waiting and the running entity, if that takes part; of equals the waiting one.
#[inline]
fn leftmost(s: &Sched, q: CfsRqId) -> Option<Waiting> {
    let waiting = s.cfs(q).timeline.leftmost();
    if s.rules.curr_competes {
        earlier(waiting, competing(s, q))
    } else {
        waiting
    }
}

fn earlier(waiting: Option<Waiting>, running: Option<Waiting>) -> Option<Waiting> {
    match (waiting, running) {
        (Some(waiting), Some(running)) if running.vruntime < waiting.vruntime => Some(running),
        (waiting, running) => waiting.or(running),
    }
}

/// The running entity of `q`, if it has not been put back and may go on.
pub(in crate::sched) fn competing(s: &Sched, q: CfsRqId) -> Option<Waiting> {
    let se = s.cfs(q).curr?;
    let entity = s.se(se);
    let vruntime = entity.vruntime;
    entity.on_rq.then_some(Waiting { vruntime, se })
}

/// Who comes after the leftmost.
fn second(s: &Sched, q: CfsRqId, left: Waiting) -> Option<Waiting> {
    let running = competing(s, q);
    let mut waiting = s.cfs(q).timeline.iter();
    if running.is_some_and(|running| running.se == left.se) {
        return waiting.next();
    }
    earlier(waiting.nth(1), running)
}

/// The entity that would run next of `q`, and as what; none if nobody is runnable there. The running entity has
/// been put back, or takes part.
pub(in crate::sched) fn judge_entity(s: &Sched, q: CfsRqId) -> Option<(EntityId, Role)> {
    let cfs = s.cfs(q);
    let left = leftmost(s, q)?;
    if cfs.next.is_none() && cfs.last.is_none() && cfs.skip.is_none() {
        return Some((left.se, Role::Left));
    }
    let mut tried = order(s.rules.picker).into_iter();
    tried.find_map(|role| {
        let se = holder(s, q, left, role)?;
        let takes = judge_candidate(s, left, se, role).verdict == Verdict::Take;
        takes.then_some((se, role))
    })
}

/// Every comparison for `q` up to the one that decides.
pub(in crate::sched) fn candidates(s: &Sched, q: CfsRqId) -> impl Iterator<Item = Candidate> {
    let left = leftmost(s, q);
    let mut decided = left.is_none();
    order(s.rules.picker).into_iter().filter_map(move |role| {
        let left = left.filter(|_| !decided)?;
        let se = holder(s, q, left, role)?;
        let Judged {
            gap,
            limit,
            verdict,
        } = judge_candidate(s, left, se, role);
        decided = verdict == Verdict::Take;
        let entity = s.se(se);
        Some(Candidate {
            cfs_rq: q,
            se,
            task: entity.task,
            role,
            vruntime: entity.vruntime,
            gap,
            limit,
            verdict,
            wants: None,
        })
    })
}

/// The entity of `q` that has that role, if there is one.
#[inline]
fn holder(s: &Sched, q: CfsRqId, left: Waiting, role: Role) -> Option<EntityId> {
    let cfs = s.cfs(q);
    match role {
        Role::Next => cfs.next,
        Role::Last => cfs.last,
        Role::Second if cfs.skip != Some(left.se) => None,
        Role::Second => second(s, q, left).map(|second| second.se),
        Role::Left => Some(left.se),
        Role::Current | Role::Protected | Role::Deadline => None,
    }
}

/// How a candidate compares; see [`Candidate`].
struct Judged {
    gap: i64,
    limit: u64,
    verdict: Verdict,
}

fn judge_candidate(s: &Sched, left: Waiting, se: EntityId, role: Role) -> Judged {
    let entity = s.se(se);
    let gap = entity.vruntime - left.vruntime;
    let limit = if gap > 0 {
        preempt::wakeup_gran(s, se, entity.sum_exec - entity.prev_sum_exec, left.se)
    } else {
        0
    };
    let verdict = if !is_open(s, role) {
        Verdict::FeatureOff
    } else if gap > limit as i64 {
        Verdict::TooFar
    } else {
        Verdict::Take
    };
    Judged {
        gap,
        limit,
        verdict,
    }
}

/// Does the picker look at that mark at all?
fn is_open(s: &Sched, role: Role) -> bool {
    s.rules.picker != Picker::Gated
        || match role {
            Role::Next => s.next_buddy(),
            Role::Last => s.features.has(Feature::LastBuddy),
            _ => true,
        }
}

/// Clears the marks of `q` that go with picking `se` in that role.
pub(in crate::sched) fn commit_pick(s: &mut Sched, q: CfsRqId, se: EntityId, role: Role) {
    let picker = s.rules.picker;
    let cfs = s.cfs_mut(q);
    match (picker, role) {
        (Picker::ClearChosen | Picker::LastFirst, _) => buddies::clear_own(s, se),
        (Picker::NextSkip, _) => buddies::clear_buddies(s, se),
        (Picker::ClearTried | Picker::Gated, Role::Next) => cfs.next = None,
        (Picker::ClearBoth | Picker::ClearTried, _) => (cfs.next, cfs.last) = (None, None),
        (Picker::Gated, Role::Last) => cfs.last = None,
        (Picker::Gated, _) => {}
    }
}

/// The reason for a pick out of `q` in that role.
pub(in crate::sched) fn why(s: &Sched, q: CfsRqId, role: Role) -> PickWhy {
    match role {
        _ if s.cfs(q).nr_running == 1 => PickWhy::Only,
        Role::Next => PickWhy::NextBuddy,
        Role::Last => PickWhy::LastBuddy,
        Role::Second => PickWhy::SecondForSkip,
        _ => PickWhy::Leftmost,
    }
}
