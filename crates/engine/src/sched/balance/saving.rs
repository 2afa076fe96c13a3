//! `SD_POWERSAVINGS_BALANCE`: emptying the least loaded group into the one that is nearly full.
//!
//! Off in every kernel here unless the flag is set by hand (`sched_mc_power_savings`). Source:
//! `update_sd_power_savings_stats`, `check_power_save_busiest_group` of 2.6.31 and 2.6.32.

use super::stats::Side;
use crate::machine::sched_domain::{SchedDomain, SchedGroup};
use crate::sched::decision::IdleType;
use crate::sched::sd_flags::SdFlags;

/// The groups that saving power would empty and fill.
pub(super) struct Saving<'a> {
    on: bool,
    /// The local group's tasks; it is the first in the ring.
    this: Option<&'a SchedGroup>,
    /// The least loaded group that runs anything and has room, and its load for each task.
    min: Option<(Side<'a>, u64)>,
    /// The fullest group that still has room for one more.
    leader: Option<Side<'a>>,
}

impl<'a> Saving<'a> {
    pub(super) fn new(sd: &SchedDomain, idle: IdleType) -> Saving<'a> {
        Saving {
            on: idle != IdleType::NotIdle && sd.spec.flags.any(SdFlags::POWERSAVINGS_BALANCE),
            this: None,
            min: None,
            leader: None,
        }
    }

    /// Takes a group into account. An idle or full local group has nothing to save.
    pub(super) fn look(&mut self, side: Side<'a>, local: bool) {
        let (nr, capacity) = (side.stats.nr_running, side.stats.capacity);
        if local {
            self.this = Some(side.group);
            self.on &= nr > 0 && nr < capacity;
        }
        if !self.on || nr >= capacity || nr == 0 {
            return;
        }
        let first = |side: &Side<'_>| side.group.span.lowest();
        let less = |(min, _): &(Side<'_>, u64)| {
            let least = min.stats.nr_running;
            nr < least || (nr == least && first(&side) > first(min))
        };
        if self.min.as_ref().is_none_or(less) {
            self.min = Some((side, side.stats.weighted / nr));
        }
        if nr + 1 > capacity {
            return;
        }
        let fuller = |leader: &Side<'_>| {
            let most = leader.stats.nr_running;
            nr > most || (nr == most && first(&side) < first(leader))
        };
        if self.leader.as_ref().is_none_or(fuller) {
            self.leader = Some(side);
        }
    }

    /// The group to empty into the local one, and how much load to take from it at a time.
    pub(super) fn pull_from(&self) -> Option<(&'a SchedGroup, u64)> {
        let (min, per_task) = self.min.as_ref().filter(|_| self.on)?;
        let leader = self.leader?;
        let lead = self
            .this
            .is_some_and(|this| core::ptr::eq(this, leader.group));
        (lead && !core::ptr::eq(leader.group, min.group)).then_some((min.group, *per_task))
    }
}
