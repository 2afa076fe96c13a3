//! What holds while a feature is off: the other half of the table in [`super::features`].

use super::features::Feature;

macro_rules! without {
    ($($id:ident $words:literal;)*) => {
        impl Feature {
            /// What the kernel does with `NO_` before its name, in one sentence.
            pub const fn without(self) -> &'static str {
                match self {
                    $(Feature::$id => $words,)*
                }
            }
        }
    };
}

without! {
    FairSleepers
        "A waking task gets no credit: it is placed at min_vruntime, or where it was if that is further right.";
    GentleFairSleepers "The credit of a waking task is a whole latency, not half of one.";
    NormalizedSleeper "The sleeper's credit is the same whatever its weight.";
    StartDebit "A new task is placed without debit: it need not wait a slice.";
    WakeupPreempt
        "No woken task preempts for its vruntime: it waits until the tick, or until the running task gives way.";
    AdaptiveGran "Wakeup granularity does not depend on how often the wakee wakes others.";
    AsymGran "Wakeup granularity is scaled by the running task's weight.";
    WakeupSync "A sync wakeup preempts by vruntime, as any other does.";
    WakeupOverlap "How long tasks run after waking others makes none preempt.";
    WakeupRunning "How long tasks usually run makes none preempt.";
    SyncWakeups "The waker's promise to sleep soon is not heard.";
    SyncLess "The sync hint stays, however long the tasks run after waking others.";
    SyncMore "No sync hint is added.";
    AffineWakeups "No wakee is pulled to the waker's CPU.";
    SiblingLimitSync "A sync wakeup searches for an idle CPU, as any other does.";
    NextBuddy "Having been woken last does not bring a task forward in the pick.";
    LastBuddy "The task that was preempted by a wakeup is not brought forward: it waits its turn.";
    CacheHotBuddy "Load balancing treats buddies as it treats any task.";
    ArchPower "The power of a CPU is computed without asking the architecture.";
    Hrtick "Slices end at the tick.";
    DoubleTick "With HRTICK the periodic tick does not check slices.";
    LbBias "Balancing looks at the present load alone.";
    LbSharesUpdate "Load balancing does not refresh group shares.";
    AsymEffLoad "The group load that a move leaves behind is worked out in full.";
    OwnerSpin "Kernel mutexes sleep at once, even while their owner runs.";
    NontaskPower "Time spent in interrupts leaves the power of a CPU as it is.";
    TtwuQueue "A wakeup on another CPU enqueues the task there itself, under that CPU's lock.";
    ForceSdOverlap "Node domains overlap only where the machine makes them.";
    RtRuntimeShare "No CPU lends another real-time runtime.";
    RtPushIpi "CPUs pull waiting real-time tasks from others themselves.";
    HrtickDl "The runtime of deadline tasks ends at the tick.";
    SisProp "The average idle time does not bound the search for an idle CPU.";
    SisUtil "The utilisation of the cache domain does not bound the search for an idle CPU.";
    WarnDoubleClock "No warning when a clock is read twice under one lock.";
    LbMin "Balancing moves tasks however small their load is.";
    AttachAgeLoad "The load of a task is not aged when it changes its group or class.";
    WaIdle "wake_affine does not look at idleness.";
    WaWeight "wake_affine compares no loads.";
    WaBias "The comparison of loads in wake_affine favours neither CPU.";
    UtilEst "A task counts by its present utilisation, which decays as it sleeps.";
    UtilEstFastup "The estimate of utilisation follows a rise as slowly as a fall.";
    LatencyWarn "No warning of long times without a reschedule.";
    AltPeriod "The period counts the entities of one queue alone.";
    BaseSlice "A slice may be shorter than the min granularity.";
    NiRandom "A newly idle CPU looks at every domain for which it has the time, whether that used to help or not.";
    NiRate "How often a domain is looked at follows from how often that found a task, and from nothing else.";
    PlaceLag "Every task comes back with nothing owed to it and nothing owing.";
    PlaceDeadlineInitial "The first slice of a new task is as long as all others.";
    PlaceRelDeadline "A task that changes its CPU gets a new deadline, a whole slice on.";
    RunToParity "The running task is left alone for no longer than the unscaled base slice, or not at all before 6.18.";
    PreemptShort "A short slice gives no right to preempt: the running task's protection stands.";
    DelayDequeue "A task that goes to sleep leaves its queue at once, and what it owes waits for it.";
    DelayZero "A task that slept on its queue keeps what it came to be owed there.";
    PickBuddy "The next buddy is picked no sooner than others.";
    HzBw "A CPU without a tick lets a task with a quota run over it.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_and_off_are_told_apart_in_a_sentence_each() {
        for feature in Feature::ALL {
            let (on, off) = (feature.info().what, feature.without());
            assert_ne!(on, off, "{feature:?}");
            assert!(off.ends_with('.') && off.len() <= 120, "{feature:?}: {off}");
        }
    }
}
