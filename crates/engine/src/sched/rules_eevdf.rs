//! What the rules of EEVDF can be; [`super::rules::Rules`] says which of them holds.

/// The policy of the fair class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fair {
    /// The leftmost runs: the completely fair scheduler (2.6.23 to 6.5).
    Cfs,
    /// The earliest deadline of those that are owed time runs (6.6 on, 147f3efaa241).
    Eevdf,
}

/// Weights in `avg_vruntime` and `vruntime_eligible`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AverageWeight {
    /// 1024 is nice 0, at least 2 (6.6 to 7.0: `scale_load_down`).
    ScaledDown,
    /// 1048576 is nice 0 (7.1).
    Full,
}

/// `calc_delta_fair` on 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VirtualTime {
    /// By the inverse of the scaled weight (up to 7.0: `__calc_delta`).
    Inverse,
    /// By division through the whole weight (7.1).
    Exact,
}

/// `entity_lag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LagLimit {
    /// Two slices of its own, at least a tick (6.6 to 6.18).
    TwoSlices,
    /// The longest slice on its queue, and a tick (6.19 on).
    LongestQueued,
}

/// `DELAY_ZERO` and what goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayLag {
    /// What it is owed is forgotten when it leaves its queue or is woken (6.12 to 7.0: `finish_delayed_dequeue_entity`).
    Clip,
    /// What it owes is remembered as it goes to sleep, and grows no more (7.1: `update_entity_lag`).
    NoGrowth,
}

/// `requeue_delayed_entity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// If it is owed time by now (6.12 to 7.0).
    OwedOnly,
    /// If its lag is what was stored: the test was merged the wrong way round (tip of April 2026).
    WhenUnchanged,
    /// If it does not stand where its lag puts it (7.1).
    WhenChanged,
}

/// Equal deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The running entity goes on (6.6).
    CurrentFirst,
    /// The waiting entity takes over (6.12 on).
    WaitingFirst,
}

/// `RUN_TO_PARITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// Until its deadline moves (6.6, 6.12: `vlag == deadline`).
    UntilDeadlineMoves,
    /// Up to a vruntime: the shortest slice that waits, or its deadline (6.18 on: `vprot`).
    UpToVruntime,
}

/// `set_protect_slice`, for an entity whose slice is not the shortest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// For as long as the shortest slice takes it (6.18 to 7.2).
    ShortestSlice,
    /// With `PREEMPT_SHORT` as long as it is eligible; else the same (7.3).
    WhileEligible,
}

/// What `update_curr` reschedules for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceEnd {
    /// Its deadline has come (6.6).
    Deadline,
    /// That, or a wakee with a shorter slice broke its protection, and it is not eligible (6.12: `do_preempt_short`).
    DeadlineOrBrokenParity,
    /// That, or it is not protected (6.18 on).
    Unprotected,
}

/// `PREEMPT_SHORT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreemptShort {
    /// Nothing more than others (6.6).
    Absent,
    /// If it is ahead, it breaks the running entity's protection (6.12: `do_preempt_short`).
    BreaksParity,
    /// It is picked without a look at that protection (6.18).
    Unprotected,
    /// The same; what a wakeup does is settled before the pick (6.19 on: `preempt_wakeup_action`).
    Action,
}

/// The next buddy as a wakee with a shorter slice preempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortBuddy {
    /// Whoever is marked stays it (6.12 to 7.0).
    Stays,
    /// The running entity loses its mark (78cde54ea5f0).
    OwnCleared,
    /// The wakee is marked, unless one with a still shorter slice is (7.3: `set_short_buddy`).
    WakeeMarked,
}

/// `cfs_rq->next` in the pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuddySite {
    /// In schedule() only, with `NEXT_BUDDY` (6.6, 6.12: `pick_next_entity`).
    BeforeIfNextBuddy,
    /// In schedule() only, with `PICK_BUDDY` (6.12.y, 6.18: `pick_next_entity`).
    BeforeIfPickBuddy,
    /// In every pick, with `PICK_BUDDY` (6.19 to the tip of April 2026: `pick_eevdf`).
    Within,
    /// The same, but not in that of a wakee with a shorter slice (78cde54ea5f0).
    WithinIfProtecting,
}

/// `update_protect_slice` in the wakeup check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LostPick {
    /// Nothing (6.6, 6.12).
    Keeps,
    /// Its protection is shortened if the wakee's slice is the shorter one (6.18).
    ShortensIfShort,
    /// It is shortened always (6.19 to 7.2).
    Shortens,
    /// Also where it does not come to a pick: for the wakee's policy, or because it is new or was still queued (7.3).
    ShortensWithoutPick,
}

/// `reweight_entity` of a queued entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reweight {
    /// Its deadline moves about its vruntime (6.6.0).
    KeepsVruntime,
    /// Vruntime and deadline move about the average (6.6.9: `reweight_eevdf`).
    AboutAverage,
    /// The same, the lag within its limit (6.12).
    AboutAverageClamped,
    /// It is placed anew; a running one loses its protection (6.18, 6.19).
    Places,
    /// It is placed anew, and keeps its protection (7.0).
    PlacesProtected,
    /// Vruntime, deadline and protection move about the average (7.1: `rescale_entity`).
    Rescales,
}
