//! Per-entity load tracking: how much an entity, or a queue of them, was runnable and running of late.
//!
//! Time is cut into periods of 1024 µs; what happened in a period counts half after 32 of them. Three sums: `load`
//! (runnable, times weight), `runnable` (runnable tasks) and `util` (running), each divided by what a sum can be to
//! give the average. Here is the arithmetic; when what is brought up to date is in [`track`] and [`util_est`], what is read in
//! [`read`]. Kernels that look at `cpu_load` instead keep none of this.
//! Source: kernel/sched/pelt.c, pelt.h and sched-pelt.h of 6.1.
//! Not here: the time that a CPU of less than full capacity loses without ever being idle (`lost_idle_time`).

mod read;
#[cfg(test)]
mod tests;
mod track;
mod util_est;

pub(super) use read::fits_capacity;
pub(super) use track::Action;

use super::rq::{CfsRqId, EntityId};
use alloc::vec::Vec;

/// Periods after which what happened counts half (`LOAD_AVG_PERIOD`).
const LOAD_AVG_PERIOD: u64 = 32;

/// What a sum tends to if every period is full (`LOAD_AVG_MAX`).
pub(super) const LOAD_AVG_MAX: u64 = 47742;

/// The least that a sum can be with every period full: the present one is empty (`PELT_MIN_DIVIDER`).
const MIN_DIVIDER: u64 = LOAD_AVG_MAX - 1024;

/// A full CPU is 1024 (`SCHED_CAPACITY_SHIFT`).
const CAPACITY_SHIFT: u32 = 10;

/// 2³²·y^n with y^32 = ½ (`runnable_avg_yN_inv`, kernel/sched/sched-pelt.h).
const Y_N_INV: [u32; 32] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// What of `val` is left after `n` periods (`decay_load`).
pub(super) fn decay_load(val: u64, n: u64) -> u64 {
    if n > LOAD_AVG_PERIOD * 63 {
        return 0;
    }
    let halved = val >> (n / LOAD_AVG_PERIOD);
    let inv = Y_N_INV[(n % LOAD_AVG_PERIOD) as usize];
    ((u128::from(halved) * u128::from(inv)) >> 32) as u64
}

/// What `periods` boundaries bring: the rest `first` of the period they began in, the full ones, and the part
/// `last` of the present one (`__accumulate_pelt_segments`).
fn segments(periods: u64, first: u64, last: u64) -> u64 {
    let full = LOAD_AVG_MAX - decay_load(LOAD_AVG_MAX, periods) - 1024;
    decay_load(first, periods) + full + last
}

/// What held since the last update.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    /// Weight of what was runnable; an entity counts 1 and has its weight put in when it is averaged.
    load: u64,
    /// How many were runnable.
    runnable: u64,
    /// Did one of them run?
    running: bool,
}

/// `sched_avg`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchedAvg {
    /// PELT time of the last update, ns.
    last_update: u64,
    load_sum: u64,
    runnable_sum: u64,
    util_sum: u32,
    /// How much of the present period has passed, µs.
    period_contrib: u32,
    /// Load: of an entity its weight times the share of time in which it was runnable; of a queue their sum.
    pub load_avg: u64,
    /// Runnable tasks, 1024 each.
    pub runnable_avg: u64,
    /// Time running; 1024 is all of it.
    pub util_avg: u64,
}

impl SchedAvg {
    /// What the sums are divided by (`get_pelt_divider`).
    fn divider(&self) -> u64 {
        MIN_DIVIDER + u64::from(self.period_contrib)
    }

    /// Brings the sums up to `now`; true if a period has ended (`___update_load_sum`, `accumulate_sum`).
    fn update_sums(&mut self, now: u64, since: Since) -> bool {
        let delta = now.wrapping_sub(self.last_update);
        if (delta as i64) < 0 {
            self.last_update = now;
            return false;
        }
        let delta = delta >> 10;
        if delta == 0 {
            return false;
        }
        self.last_update += delta << 10;
        let passed = delta + u64::from(self.period_contrib);
        let (periods, last) = (passed / 1024, passed % 1024);
        let mut contrib = delta;
        if periods > 0 {
            self.load_sum = decay_load(self.load_sum, periods);
            self.runnable_sum = decay_load(self.runnable_sum, periods);
            self.util_sum = decay_load(u64::from(self.util_sum), periods) as u32;
            if since.load > 0 {
                contrib = segments(periods, 1024 - u64::from(self.period_contrib), last);
            }
        }
        self.period_contrib = last as u32;
        if since.load > 0 {
            self.load_sum += since.load * contrib;
            self.runnable_sum += (since.runnable * contrib) << CAPACITY_SHIFT;
            let running = (contrib as u32) << CAPACITY_SHIFT;
            let running = if since.running { running } else { 0 };
            self.util_sum = self.util_sum.wrapping_add(running);
        }
        periods > 0
    }

    /// Something that counts one ran since the last update, or did not (`update_rt_rq_load_avg`).
    pub(super) fn follow(&mut self, now: u64, running: bool) {
        let since = Since {
            load: running.into(),
            runnable: running.into(),
            running,
        };
        if self.update_sums(now, since) {
            self.update_averages(1);
        }
    }

    /// The averages as the sums have them; `weight` is that of an entity, 1 for a queue (`___update_load_avg`).
    fn update_averages(&mut self, weight: u64) {
        let divider = self.divider();
        self.load_avg = weight * self.load_sum / divider;
        self.runnable_avg = self.runnable_sum / divider;
        self.util_avg = u64::from(self.util_sum) / divider;
    }

    /// A sum that is taken from must not fall below what its average stands for. The kernel compares both as 32
    /// bits (`max_t(u32, …)` in `update_cfs_rq_load_avg` and others).
    fn hold_load_sum(&mut self) {
        let least = self.load_avg * MIN_DIVIDER;
        self.load_sum = u64::from((self.load_sum as u32).max(least as u32));
    }

    fn hold_runnable_sum(&mut self) {
        let least = self.runnable_avg * MIN_DIVIDER;
        self.runnable_sum = u64::from((self.runnable_sum as u32).max(least as u32));
    }

    fn hold_util_sum(&mut self) {
        let least = self.util_avg * MIN_DIVIDER;
        self.util_sum = self.util_sum.max(least as u32);
    }

    /// Takes averages and sums off (`sub_positive` and what follows it).
    fn subtract(&mut self, off: &Portion) {
        self.load_avg = self.load_avg.saturating_sub(off.load_avg);
        self.load_sum = self.load_sum.saturating_sub(off.load_sum);
        self.hold_load_sum();
        self.util_avg = self.util_avg.saturating_sub(off.util_avg);
        self.util_sum = self.util_sum.saturating_sub(off.util_sum as u32);
        self.hold_util_sum();
        self.runnable_avg = self.runnable_avg.saturating_sub(off.runnable_avg);
        self.runnable_sum = self.runnable_sum.saturating_sub(off.runnable_sum);
        self.hold_runnable_sum();
    }

    fn add(&mut self, on: &Portion) {
        self.load_avg += on.load_avg;
        self.load_sum += on.load_sum;
        self.util_avg += on.util_avg;
        self.util_sum = self.util_sum.wrapping_add(on.util_sum as u32);
        self.runnable_avg += on.runnable_avg;
        self.runnable_sum += on.runnable_sum;
    }

    /// What an entity of that weight is to its queue.
    fn portion(&self, weight: u64) -> Portion {
        Portion {
            load_avg: self.load_avg,
            load_sum: weight * self.load_sum,
            runnable_avg: self.runnable_avg,
            runnable_sum: self.runnable_sum,
            util_avg: self.util_avg,
            util_sum: u64::from(self.util_sum),
        }
    }
}

/// A part of a queue's averages and sums.
#[derive(Clone, Copy, Debug, Default)]
struct Portion {
    load_avg: u64,
    load_sum: u64,
    runnable_avg: u64,
    runnable_sum: u64,
    util_avg: u64,
    util_sum: u64,
}

/// What is tracked of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntityAvg {
    /// Its averages.
    pub avg: SchedAvg,
    /// Is it part of its queue's averages? The kernel clears `last_update_time` for no.
    attached: bool,
    /// Tasks below it, for a group's entity (`runnable_weight`).
    runnable: u64,
    util_est: UtilEst,
}

/// `util_est`: what a task's utilisation was as it went to sleep, and an average of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct UtilEst {
    /// At the last sleep.
    enqueued: u32,
    /// The average.
    ewma: u32,
    /// Has the task's average not moved since (`UTIL_AVG_UNCHANGED`)?
    unchanged: bool,
}

/// What is tracked of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueAvg {
    /// Its averages: the sum of its entities', queued or asleep.
    pub avg: SchedAvg,
    /// What has left for other CPUs and is still in them (`removed`).
    removed: Removed,
    /// Is the group's entity above to take over changes (`propagate`)?
    propagate: bool,
    prop_runnable_sum: i64,
    /// Runnable tasks at any depth.
    h_nr_running: u32,
    /// The estimated utilisation of what is queued; of the root queue only.
    util_est: u64,
}

/// `cfs_rq->removed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Removed {
    nr: u32,
    load_avg: u64,
    runnable_avg: u64,
    util_avg: u64,
}

/// The clock that averages are kept by: it runs slower on a CPU that computes slower (`rq_clock_pelt`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PeltClock {
    /// The run queue's clock when this one was last read, ns.
    seen: u64,
    /// What it said, ns.
    pelt: u64,
}

/// Everything tracked; empty where the kernel tracks nothing.
#[derive(Clone, Debug, Default)]
pub struct Pelt {
    se: Vec<EntityAvg>,
    cfs: Vec<QueueAvg>,
    clocks: Vec<PeltClock>,
    /// Capacity of each CPU; 1024 is the strongest.
    capacity: Vec<u32>,
}

impl Pelt {
    pub(super) fn new(capacity: Vec<u32>) -> Pelt {
        Pelt {
            clocks: alloc::vec![PeltClock::default(); capacity.len()],
            capacity,
            ..Pelt::default()
        }
    }

    /// What is tracked of an entity.
    pub fn se(&self, se: EntityId) -> &EntityAvg {
        &self.se[se.0 as usize]
    }

    /// What is tracked of a queue.
    pub fn cfs(&self, q: CfsRqId) -> &QueueAvg {
        &self.cfs[q.0 as usize]
    }

    fn se_mut(&mut self, se: EntityId) -> &mut EntityAvg {
        &mut self.se[se.0 as usize]
    }

    pub(in crate::sched) fn cfs_mut(&mut self, q: CfsRqId) -> &mut QueueAvg {
        &mut self.cfs[q.0 as usize]
    }
}
