//! Who wakes whom: a task that wakes many, or is woken by many, is not pulled to its wakers.
//!
//! Source: kernel/sched/fair.c of 6.1: `record_wakee`, `wake_wide` (62470419, 63b0e9ed).

use super::{Ask, Step};
use crate::machine::CpuId;
use crate::sched::Sched;
use crate::sched::rules::Select;
use crate::task::TaskId;

/// What a waker remembers of whom it wakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wakees {
    /// How often it was another than the time before, halved each second (`wakee_flips`).
    pub flips: u32,
    /// Whom it woke last.
    pub last: Option<TaskId>,
    /// Jiffy of the last halving.
    decayed: u64,
}

impl Wakees {
    /// It wakes `wakee` at jiffy `now`; `second` is that long in jiffies.
    fn woke(&mut self, wakee: TaskId, now: u64, second: u64) {
        if now > self.decayed + second {
            self.flips >>= 1;
            self.decayed = now;
        }
        if self.last.replace(wakee) != Some(wakee) {
            self.flips += 1;
        }
    }
}

impl Sched {
    /// What runs on `this`, the idle task too, is about to wake `p`; before the CPU is selected (`record_wakee`).
    #[inline]
    pub fn record_wakee(&mut self, this: CpuId, p: TaskId) {
        if self.rules.select != Select::IdleFirst {
            return;
        }
        let (now, second) = (self.jiffies, u64::from(self.hz.0));
        let rq = &mut self.rq[this.index()];
        let wakees = match rq.curr {
            Some(curr) => &mut self.tasks[curr.index()].wakees,
            None => &mut rq.idle_wakees,
        };
        wakees.woke(p, now, second);
    }
}

/// Do both flip so often that pulling would pile tasks up at one cache?
pub(super) fn wake_wide(s: &Sched, ask: &Ask<'_>, note: &mut impl FnMut(Step)) -> bool {
    let rq = &s.rq[ask.this.index()];
    let of_waker = match rq.curr {
        Some(curr) => s.tasks[curr.index()].wakees.flips,
        None => rq.idle_wakees.flips,
    };
    let of_wakee = ask.task.wakees.flips;
    let size = s.near.llc_size(ask.this);
    let wide = is_wide(of_waker, of_wakee, size);
    note(Step::Wide {
        of_waker,
        of_wakee,
        size,
        wide,
    });
    wide
}

/// The rarer flips at least as often as the cache has CPUs, the other that many times as often.
pub(super) fn is_wide(a: u32, b: u32, size: u32) -> bool {
    let (slave, master) = (a.min(b), a.max(b));
    slave >= size && u64::from(master) >= u64::from(slave) * u64::from(size)
}
