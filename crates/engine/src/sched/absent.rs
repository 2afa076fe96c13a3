//! What a kernel does where it has not got a feature and no release says so of itself, or a tunable.

use super::features::Feature;
use super::profile::Base;
use super::tunables::Tunable;

/// What holds in every release that has neither the switch nor a row for it.
pub(super) const fn elsewhere(feature: Feature) -> Option<&'static str> {
    Some(match feature {
        Feature::ArchPower => "the architecture has no say in the power of a CPU here",
        Feature::AltPeriod => "the period counts the entities of one queue here",
        Feature::AttachAgeLoad | Feature::UtilEst | Feature::UtilEstFastup => {
            "what single tasks load is not tracked here"
        }
        Feature::BaseSlice => "no slice has a floor of its own here",
        Feature::ForceSdOverlap => "domains never overlap here",
        Feature::HrtickDl => "there is no deadline class yet",
        Feature::LatencyWarn | Feature::WarnDoubleClock => "nobody warns of that here",
        Feature::LbMin => "no task is too light to be moved here",
        Feature::LbSharesUpdate | Feature::AsymEffLoad => {
            "gone since 2.6.38: a group's shares follow its load"
        }
        Feature::NiRandom => "a newly idle CPU throws no dice here",
        Feature::NiRate => "how rarely a newly idle CPU looks makes no difference here",
        Feature::NontaskPower => "time in interrupts lowers no CPU's power here",
        Feature::RtPushIpi => "CPUs pull waiting real-time tasks here",
        Feature::SiblingLimitSync => "part of a mail of 2011, never of a release",
        Feature::SisProp | Feature::SisUtil => "no search for an idle CPU is bounded here",
        Feature::SyncMore => "it comes with D14: no hint is added",
        Feature::TtwuQueue => "a wakeup enqueues on the other CPU itself here",
        Feature::WaIdle => "wake_affine compares nothing but loads here",
        Feature::WaWeight => "wake_affine always compares loads here",
        Feature::WaBias => "wake_affine always favours the waker's CPU here",
        Feature::WakeupRunning => "it comes with D14: avg_running is not kept",
        Feature::PlaceLag | Feature::PlaceDeadlineInitial | Feature::PlaceRelDeadline => {
            "tasks are placed by vruntime, not by what they are owed, and have no deadline here"
        }
        Feature::RunToParity | Feature::PreemptShort => {
            "granularities protect the running task here, not slices"
        }
        Feature::DelayDequeue | Feature::DelayZero => "who sleeps leaves its queue here",
        Feature::PickBuddy => "how buddies count in the pick is no switch of its own here",
        Feature::HzBw => "every CPU ticks for a quota here",
        _ => return None,
    })
}

impl Base {
    /// Where this release has no tunable of that name: what it does instead, always.
    pub const fn instead_of_tunable(self, tunable: Tunable) -> Option<&'static str> {
        Some(match (self, tunable) {
            (Base::V2_6_31 | Base::V3_2, Tunable::IdleMinGranularity) => {
                "SCHED_IDLE tasks are nothing but light here"
            }
            (Base::V2_6_31, Tunable::SharesWindow) => {
                "shares are divided by loads of the moment here, at most once in shares_ratelimit"
            }
            (Base::V3_2, Tunable::SharesRatelimit) => {
                "shares follow each change of load here, averaged over shares_window"
            }
            (Base::V6_1 | Base::V6_6, Tunable::SharesRatelimit | Tunable::SharesWindow) => {
                "shares follow the tracked load here"
            }
            (Base::V2_6_31, Tunable::TimeAvg) => "real-time work lowers no CPU's power here",
            (Base::V6_1 | Base::V6_6, Tunable::TimeAvg) => {
                "real-time work is tracked as load is here"
            }
            (Base::V3_2 | Base::V6_1, Tunable::CompatYield) => {
                "gone since 2.6.39: a task that has yielded is skipped once"
            }
            (Base::V6_6, Tunable::CompatYield) => "gone since 2.6.39",
            (
                Base::V6_6,
                Tunable::SchedLatency
                | Tunable::MinGranularity
                | Tunable::IdleMinGranularity
                | Tunable::WakeupGranularity,
            ) => "gone with CFS: deadlines and base_slice decide who runs for how long",
            (Base::V6_6, Tunable::ChildRunsFirst) => {
                "gone with CFS: a child is placed as any task is"
            }
            (Base::V2_6_31 | Base::V3_2 | Base::V6_1, Tunable::BaseSlice) => {
                "slices are shared out of the latency here"
            }
            (Base::V2_6_31, Tunable::AutogroupEnabled) => "no session is a group before 2.6.38",
            (Base::V2_6_31 | Base::V3_2, Tunable::EnergyAware) => {
                "no kernel chooses CPUs by energy before 5.0"
            }
            (Base::V6_1, Tunable::EnergyAware) => {
                "choosing CPUs by energy is modelled from 6.6 on: unequal CPUs are placed on by capacity alone here"
            }
            (Base::V2_6_31, Tunable::TunableScaling) => "always logarithmic here",
            (Base::V2_6_31, Tunable::CgroupMode) => "a group weighs its shares on every CPU here",
            (Base::V3_2 | Base::V6_1, Tunable::CgroupMode) => {
                "always as smp says: shares are the weight of the whole group"
            }
            (Base::V2_6_31 | Base::V3_2, Tunable::Preempt) => {
                "chosen when the kernel was built, before 5.12: as voluntary"
            }
            (Base::V6_6, Tunable::CgroupMode) => "it comes with D83: as smp says before",
            _ => return None,
        })
    }
}
