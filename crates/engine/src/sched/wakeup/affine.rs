//! `wake_affine`: may a wakee be pulled to its waker's CPU without upsetting the balance of the two?
//!
//! Source: kernel/sched_fair.c of 2.6.31, 2.6.32 and 3.2; 71a29aa7 (an idle waker's CPU is balanced), e69b0f1b
//! (`SYNC_LESS`, `SYNC_MORE`). Without task groups a wakee adds its weight to the waker's side only.

use super::Ask;
use crate::machine::sched_domain::SchedDomain;
use crate::sched::Sched;
use crate::sched::decision::PlacementWhy;
use crate::sched::features::Feature;
use crate::sched::rq::EntityId;
use crate::sched::rules::Select;
use crate::sched::sd_flags::Level;
use crate::sched::weight::NICE_0_LOAD;
use crate::task::TaskId;

/// The answer of `wake_affine` and what it compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// The level of the lowest domain that holds both CPUs.
    pub level: Level,
    /// Pull the wakee?
    pub yes: bool,
    /// The branch taken.
    pub why: PlacementWhy,
    /// Was it a sync wakeup, after the features had their say?
    pub sync: bool,
    /// Load of the waker's CPU, without the waker if sync.
    pub this_load: u64,
    /// Load of the CPU that the wakee last ran on.
    pub prev_load: u64,
    /// The wakee's weight.
    pub weight: u64,
    /// Percent of the previous CPU's load that this one may have, the wakee included.
    pub imbalance: u64,
    /// What the two CPUs can do, this one first, where loads are weighed by that; else 1.
    pub powers: [u64; 2],
}

/// Half of what balancing tolerates, as percent: 125 becomes 112.
pub(super) const fn imbalance(sd: &SchedDomain) -> u64 {
    100 + (sd.spec.imbalance_pct - 100) / 2
}

/// Asks in the domain `sd`, which holds both CPUs. Loads are unsigned and wrap, as in the kernel.
pub(super) fn wake_affine(s: &Sched, ask: &Ask<'_>, sd: &SchedDomain) -> Affine {
    if s.rules.select == Select::AffineThenIdle {
        return by_power(s, ask, sd);
    }
    let idx = s.load_index(sd.spec.idx.wake);
    let curr = s.rq[ask.this.index()].curr;
    let sync = effective_sync(s, ask, curr);
    let mut this_load = s.target_load(ask.this, idx);
    let prev_load = s.source_load(ask.prev, idx);
    if sync {
        this_load = this_load.wrapping_sub(weight_of(s, curr));
    }
    let weight = s.se(ask.task.se).load.weight;
    let imbalance = imbalance(sd);
    let with_wakee = this_load.wrapping_add(weight).wrapping_mul(100);
    let balanced = (s.rules.affine_lowload && this_load == 0)
        || with_wakee <= imbalance.wrapping_mul(prev_load);
    let low_total = || {
        let together = this_load.wrapping_add(s.target_load(ask.prev, idx));
        this_load <= prev_load && together <= s.cpu_avg_load_per_task(ask.this)
    };
    let why = if sync && balanced {
        PlacementWhy::AffineSync
    } else if balanced {
        PlacementWhy::AffineBalanced
    } else if low_total() {
        PlacementWhy::AffineLowTotal
    } else {
        PlacementWhy::PrevNotAffine
    };
    Affine {
        level: sd.spec.level,
        yes: why != PlacementWhy::PrevNotAffine,
        why,
        sync,
        this_load,
        prev_load,
        weight,
        imbalance,
        powers: [1, 1],
    }
}

/// The same in 3.2: loads are signed and weighed by the power of the CPUs, and nobody looks at overlaps.
fn by_power(s: &Sched, ask: &Ask<'_>, sd: &SchedDomain) -> Affine {
    let idx = s.load_index(sd.spec.idx.wake);
    let target_load = |cpu| s.target_load(cpu, idx) as i64;
    let load = s.source_load(ask.prev, idx) as i64;
    let mut this_load = target_load(ask.this);
    if ask.sync {
        this_load -= weight_of(s, s.rq[ask.this.index()].curr) as i64;
    }
    let weight = s.se(ask.task.se).load.weight;
    let imbalance = imbalance(sd);
    let powers = [ask.this, ask.prev].map(|cpu| s.power_of(cpu));
    let [this_power, prev_power] = powers.map(|power| power as i64);
    let here = 100 * prev_power * (this_load + weight as i64);
    let there = imbalance as i64 * this_power * load;
    let balanced = this_load <= 0 || here <= there;
    let per_task = s.cpu_avg_load_per_task(ask.this) as i64;
    let low = this_load <= load && this_load + target_load(ask.prev) <= per_task;
    let why = match (balanced, low) {
        (true, _) if ask.sync => PlacementWhy::AffineSync,
        (true, _) => PlacementWhy::AffineBalanced,
        (false, true) => PlacementWhy::AffineLowTotal,
        (false, false) => PlacementWhy::PrevNotAffine,
    };
    Affine {
        level: sd.spec.level,
        yes: why != PlacementWhy::PrevNotAffine,
        why,
        sync: ask.sync,
        this_load: this_load as u64,
        prev_load: load as u64,
        weight,
        imbalance,
        powers,
    }
}

/// The weight of the running task; the idle task weighs as much as nice 0.
fn weight_of(s: &Sched, curr: Option<TaskId>) -> u64 {
    curr.map_or(NICE_0_LOAD, |task| {
        s.se(s.tasks[task.index()].se).load.weight
    })
}

/// The sync hint, dropped if either task tends to run on after waking another, added if both hardly do.
fn effective_sync(s: &Sched, ask: &Ask<'_>, curr: Option<TaskId>) -> bool {
    let feature = if ask.sync {
        Feature::SyncLess
    } else {
        Feature::SyncMore
    };
    if !s.features.has(feature) {
        return ask.sync;
    }
    // avg_overlap is compared with an unsigned sysctl: −1 is 4.29 s.
    let cost = u64::from(s.tunables.migration_cost as u32);
    let overlap = |se: EntityId| s.se(se).avg.avg_overlap as u64;
    let waker = curr.map_or(0, |task| overlap(s.tasks[task.index()].se));
    let wakee = overlap(ask.task.se);
    if ask.sync {
        !(waker > cost || wakee > cost)
    } else {
        waker < cost && wakee < cost
    }
}
