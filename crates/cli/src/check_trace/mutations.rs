//! What the recordings can tell apart: one rule at a time is replaced by another kernel's or none's, and the facts
//! that go wrong are counted.
//!
//! A rule whose change nothing notices stands on the source alone. Only exact recordings of CFS are asked.

use super::find::Found;
use super::setup;
use crate::failure::Failure;
use crate::interrupt;
use schedlab_engine::replay::{self, Recording};
use schedlab_engine::sched::SchedSetup;
use schedlab_engine::sched::features::Feature;
use schedlab_engine::sched::rules::{
    BuddyClearing, FixedPoint, ForkPlacement, HrtickRule, LastMarking, NextMarking, Picker, Renice,
    RuleSet, SchedIdle, TakenBack, TickMissed, WakeupCheck, Yields,
};
use std::io::Write;

/// One change.
#[derive(Clone, Copy)]
enum Change {
    /// A rule gets another value.
    Rule(RuleSet),
    /// A feature is on where it was off, and off where it was on.
    Flip(Feature),
    /// So many runnable make buddies count and the period grow, whatever the tunables say.
    NrLatency(u64),
    /// `SCHED_IDLE` tasks have the slices of others.
    IdleMinAsMin,
}

/// Every change, with what it amounts to.
const CHANGES: &[(&str, Change)] = &[
    (
        "weighted time is rounded as in 3.2",
        Change::Rule(RuleSet::FixedPoint(FixedPoint::RoundInv32)),
    ),
    (
        "the running task is put back before the pick",
        Change::Rule(RuleSet::CurrCompetes(false)),
    ),
    (
        "yield moves the task behind all others, as up to 2.6.32",
        Change::Rule(RuleSet::Yields(Yields::Rightmost)),
    ),
    (
        "last buddy before next buddy",
        Change::Rule(RuleSet::Picker(Picker::LastFirst)),
    ),
    (
        "who preempts is not marked next",
        Change::Rule(RuleSet::NextMarking(NextMarking::FeatureAtScale)),
    ),
    (
        "every wakeup marks the running task last",
        Change::Rule(RuleSet::LastMarking(LastMarking::EveryCheck)),
    ),
    (
        "marks are cleared at every level",
        Change::Rule(RuleSet::BuddyClearing(BuddyClearing::EveryLevel)),
    ),
    (
        "the group of a sleeper is not marked next",
        Change::Rule(RuleSet::SleeperMarksGroup(false)),
    ),
    (
        "SCHED_IDLE is light and nothing else",
        Change::Rule(RuleSet::SchedIdle(SchedIdle::Light)),
    ),
    (
        "the wakeup check charges first",
        Change::Rule(RuleSet::WakeupCheck(WakeupCheck::ChargesFirst)),
    ),
    (
        "a task that leaves holds min_vruntime back",
        Change::Rule(RuleSet::LeavingHoldsMin(true)),
    ),
    (
        "a child is placed without a look at its parent",
        Change::Rule(RuleSet::ForkPlacement(ForkPlacement::MinPlusDebit)),
    ),
    (
        "the tick looks at slices only",
        Change::Rule(RuleSet::TickMissed(TickMissed::Off)),
    ),
    (
        "the tick compares unsigned, as 2.6.32",
        Change::Rule(RuleSet::TickMissed(TickMissed::Unsigned)),
    ),
    (
        "a slice at the tick is no longer than the latency, as 6.3",
        Change::Rule(RuleSet::TickIdealCapped(true)),
    ),
    (
        "the hrtick is armed as up to 3.2",
        Change::Rule(RuleSet::HrtickRule(HrtickRule::OwnQueue)),
    ),
    (
        "a reschedule asked for at the pick is honoured",
        Change::Rule(RuleSet::RequestTakenBack(TakenBack::BeforePick)),
    ),
    (
        "nice leaves the slice as it is",
        Change::Rule(RuleSet::Renice(Renice::Requeue)),
    ),
    (
        "no credit for sleepers",
        Change::Flip(Feature::FairSleepers),
    ),
    (
        "GENTLE_FAIR_SLEEPERS flipped",
        Change::Flip(Feature::GentleFairSleepers),
    ),
    ("START_DEBIT flipped", Change::Flip(Feature::StartDebit)),
    ("NEXT_BUDDY flipped", Change::Flip(Feature::NextBuddy)),
    ("LAST_BUDDY flipped", Change::Flip(Feature::LastBuddy)),
    (
        "WAKEUP_PREEMPTION flipped",
        Change::Flip(Feature::WakeupPreempt),
    ),
    (
        "granularity scaled by the running task",
        Change::Flip(Feature::AsymGran),
    ),
    ("HRTICK flipped", Change::Flip(Feature::Hrtick)),
    (
        "the tick checks also while the hrtick is armed",
        Change::Flip(Feature::DoubleTick),
    ),
    ("ALT_PERIOD flipped", Change::Flip(Feature::AltPeriod)),
    ("BASE_SLICE flipped", Change::Flip(Feature::BaseSlice)),
    (
        "idle_min_granularity as min_granularity",
        Change::IdleMinAsMin,
    ),
    ("nr_latency 2 instead of 8", Change::NrLatency(2)),
    ("nr_latency 5 instead of 8", Change::NrLatency(5)),
    ("nr_latency 7 instead of 8", Change::NrLatency(7)),
    ("nr_latency 9 instead of 8", Change::NrLatency(9)),
];

/// Counts and prints, a row a change.
pub(super) fn print(found: &[Found], out: &mut dyn Write) -> Result<(), Failure> {
    let mut exact = Vec::new();
    for one in found {
        let files = one.read().map_err(|words| Failure::Run(vec![words]))?;
        let told = |rec: &Recording| rec.is_exact() && !rec.setup.kernel.rules.is_eevdf();
        exact.extend(setup::replayable(&files).ok().filter(told));
    }
    writeln!(
        out,
        "| changed rule | facts that go wrong | in recordings (of {}) |\n|---|--:|--:|",
        exact.len()
    )?;
    for (done, (what, change)) in CHANGES.iter().enumerate() {
        if interrupt::asked() {
            interrupt::tell(|| {
                let all = CHANGES.len();
                format!("check-trace: {done} of {all} changed rules were judged")
            });
            break;
        }
        let (facts, recordings) = wrong(&mut exact, *change);
        writeln!(out, "| {what} | {facts} | {recordings} |")?;
        out.flush()?;
    }
    Ok(())
}

/// How many facts go wrong under a change, and in how many recordings.
fn wrong(recordings: &mut [Recording], change: Change) -> (u64, u64) {
    let (mut facts, mut some) = (0, 0);
    for recording in recordings {
        let before = recording.setup.clone();
        change.apply(&mut recording.setup);
        let wrong = replay::replay(recording).total().wrong;
        recording.setup = before;
        facts += wrong;
        some += u64::from(wrong > 0);
    }
    (facts, some)
}

impl Change {
    fn apply(self, setup: &mut SchedSetup) {
        let (kernel, tunables) = (&mut setup.kernel, &mut setup.tunables);
        match self {
            Change::Rule(set) => set.apply(&mut kernel.rules),
            Change::Flip(feature) => {
                let on = kernel.features.has(feature);
                kernel.features = kernel.features.with(feature, !on);
            }
            Change::NrLatency(nr) => tunables.nr_latency = nr,
            Change::IdleMinAsMin => tunables.idle_min_granularity = tunables.min_granularity,
        }
    }
}
