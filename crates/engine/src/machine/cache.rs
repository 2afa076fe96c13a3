//! How warm a task finds the caches: one counter of inserted lines for each cache, one stamp for each task and level.
//!
//! A task that runs puts its lines into the caches of its CPU; every line put into a cache of C lines afterwards
//! evicts a random one, so of its own lines exp(−k/C) are left after k insertions. Nothing is done until the task
//! runs again. A task's set is written to as it runs, so lines it left in another cache of the same level are
//! stale: only the cache it used last at each level can be warm. Not here: when a task is switched in.

use super::CpuId;
use super::catalog::Speeds;
use super::topology::{Distance, Topology, Unit};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// What a small task that moved fetches of its own (stack, task structure, queue entity), one line after the
/// other: 54 lines, derived from free against pinned TCP_RR pairs (workloads-machines.md §3.3).
const KERNEL_LINES: u64 = 54;

/// A line is 64 bytes: 16 lines a KiB.
const LINES_PER_KIB: u64 = 16;

/// Levels of cache that are told apart: first, second, last.
const LEVELS: usize = 3;

/// Where a task's lines are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warmth {
    /// The CPU it ran on last; none = it never ran.
    cpu: Option<CpuId>,
    /// The counter of that CPU's cache at each level when it last ran.
    stamps: [u64; LEVELS],
}

/// What it takes to warm up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refill {
    /// Time, ns.
    pub ns: u32,
    /// Lines fetched.
    pub lines: u32,
}

/// One level of cache.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CacheLevel {
    /// Which cache a CPU uses.
    of: Vec<u16>,
    /// Lines inserted into each cache so far.
    inserted: Vec<u64>,
    /// Capacity in lines; 0 = there is no such level.
    lines: u64,
    /// Steps of `exp` for an inserted line, as a 32-bit fraction.
    steps_per_line: u64,
    /// What insertions leave.
    exp: Arc<Exp>,
    /// Load-to-use time, ps.
    load_ps: u64,
    /// How many fetches of a user set from here overlap (§3.4, chosen).
    overlap: u64,
}

/// The caches of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caches {
    /// First, second, last level; those that exist.
    levels: Vec<CacheLevel>,
    transfer_ps: [u64; 6],
    mem_ps: u64,
}

/// Fetches of a user set from another cache or memory overlap four deep (§3.4, chosen).
const FAR_OVERLAP: u64 = 4;

/// exp(−i/64) for i in 0..=1024, as a 32-bit fraction; beyond that nothing is left.
type Exp = [u32; 1025];

/// Steps of the table for each e-fold.
const STEPS: u64 = 64;

/// Built by repeated multiplication in integers, so that every host has the same bits; for each machine anew, so that
/// the page does not download it.
fn exp_table() -> Exp {
    // exp(−1/64) × 2⁶², rounded.
    const STEP: u128 = 4_540_188_453_729_421_605;
    let mut value: u128 = 1 << 62;
    core::array::from_fn(|_| {
        let rounded = (value + (1 << 29)) >> 30;
        value = (value * STEP) >> 62;
        u32::try_from(rounded).unwrap_or(u32::MAX)
    })
}

/// `lines` times a 32-bit fraction, rounded.
const fn part(lines: u64, fraction: u64) -> u64 {
    (lines * fraction + (1 << 31)) >> 32
}

/// All of it, as a 32-bit fraction.
const WHOLE: u64 = 1 << 32;

impl CacheLevel {
    fn new(of: Vec<u16>, (kib, load_ps, overlap): (u32, u32, u64), exp: &Arc<Exp>) -> CacheLevel {
        let caches = of.iter().max().map_or(0, |last| usize::from(*last) + 1);
        let lines = u64::from(kib) * LINES_PER_KIB;
        CacheLevel {
            inserted: vec![0; caches],
            of,
            lines,
            steps_per_line: (STEPS << 32) / lines.max(1),
            exp: Arc::clone(exp),
            load_ps: u64::from(load_ps),
            overlap,
        }
    }

    fn cache_of(&self, cpu: CpuId) -> u16 {
        self.of[cpu.index()]
    }

    /// The fraction of a set that is left in a cache since its counter stood at `stamp`.
    fn left(&self, cache: u16, stamp: u64) -> u64 {
        let inserted = self.inserted[usize::from(cache)] - stamp;
        if inserted == 0 {
            return WHOLE;
        }
        // Beyond the end of the table: 16 times the capacity.
        if inserted >= self.lines * 16 {
            return 0;
        }
        let step = (inserted * self.steps_per_line) >> 32;
        if step == 0 {
            return WHOLE;
        }
        u64::from(self.exp[step as usize])
    }
}

/// The time to fetch that many lines of the two sets, ps.
#[derive(Clone, Copy)]
struct Fetch {
    kernel: u64,
    user: u64,
}

impl Fetch {
    /// Fetched from a place at `ps` a line: the kernel set one after the other, the user set overlapping.
    fn time_ps(self, ps: u64, overlap: u64) -> u64 {
        self.kernel * ps + self.user * ps / overlap
    }

    fn part(self, fraction: u64) -> Fetch {
        Fetch {
            kernel: part(self.kernel, fraction),
            user: part(self.user, fraction),
        }
    }

    fn less(self, other: Fetch) -> Fetch {
        Fetch {
            kernel: self.kernel.saturating_sub(other.kernel),
            user: self.user.saturating_sub(other.user),
        }
    }

    /// What is gone where that fraction is left.
    fn lost(self, left: u64) -> Fetch {
        if left == WHOLE {
            return Fetch { kernel: 0, user: 0 };
        }
        self.less(self.part(left))
    }

    fn lines(self) -> u64 {
        self.kernel + self.user
    }

    /// As much of it as a cache of that size holds.
    fn within(self, capacity: u64) -> Fetch {
        Fetch {
            kernel: self.kernel,
            user: self.user.min(capacity),
        }
    }
}

impl Caches {
    /// The caches of a machine, all cold.
    pub fn new(speeds: &Speeds, topology: &Topology) -> Caches {
        let of = |unit| {
            topology
                .all()
                .iter()
                .map(|c| topology.unit_of(unit, c))
                .collect()
        };
        let (kb, load) = (speeds.cache_kb, speeds.load_ps);
        let exp = Arc::new(exp_table());
        let mut levels = vec![
            CacheLevel::new(of(Unit::Core), (kb.l1d, load.l1, 1), &exp),
            CacheLevel::new(of(Unit::L2), (kb.l2, load.l2, 2), &exp),
        ];
        if kb.l3 > 0 {
            levels.push(CacheLevel::new(of(Unit::Llc), (kb.l3, load.l3, 3), &exp));
        }
        Caches {
            levels,
            transfer_ps: Distance::ALL.map(|d| u64::from(speeds.c2c_ps.at(d))),
            mem_ps: u64::from(speeds.mem_ns) * 1000,
        }
    }

    /// A machine on which every line is at hand.
    pub fn free() -> Caches {
        Caches {
            levels: Vec::new(),
            transfer_ps: [0; 6],
            mem_ps: 0,
        }
    }

    /// A task with a private set of `ws_kb` is switched in on `cpu`, `distance` from where it ran last: what it
    /// has to fetch. A task that runs for the first time pays nothing here; its creation has paid.
    pub fn enter(&mut self, warmth: &Warmth, ws_kb: u32, cpu: CpuId, distance: Distance) -> Refill {
        let Some(last) = warmth.cpu else {
            return Refill::default();
        };
        let set = Fetch {
            kernel: KERNEL_LINES,
            user: u64::from(ws_kb) * LINES_PER_KIB,
        };
        let mut ps = 0;
        let mut fetched = 0;
        let mut missing = set;
        // Levels below the first shared one hold nothing for it here.
        let mut shared = false;
        for (at, (level, &stamp)) in self.levels.iter_mut().zip(&warmth.stamps).enumerate() {
            let cache = level.cache_of(cpu);
            let home = !shared && level.cache_of(last) == cache;
            shared |= home;
            let held = set.within(level.lines);
            let lost = if shared {
                held.lost(level.left(cache, stamp))
            } else {
                held
            };
            level.inserted[usize::from(cache)] += lost.lines();
            if at == 0 {
                fetched = lost.lines();
            } else if shared && missing.lines() > 0 {
                let hit = missing.less(lost);
                let from = if home && distance != Distance::SelfCpu {
                    self.transfer_ps[distance as usize]
                } else {
                    level.load_ps
                };
                ps += hit.time_ps(from, level.overlap);
            }
            missing = lost;
        }
        if missing.lines() > 0 {
            ps += self.beyond(missing, warmth, (last, shared), distance);
        }
        Refill {
            ns: (ps / 1000) as u32,
            lines: fetched as u32,
        }
    }

    /// What no cache of the CPU holds: from the cache it left behind, if it shares none, else from memory.
    fn beyond(
        &self,
        missing: Fetch,
        warmth: &Warmth,
        (last, shared): (CpuId, bool),
        distance: Distance,
    ) -> u64 {
        let Some(llc) = self.levels.last().filter(|_| !shared) else {
            return missing.time_ps(self.mem_ps, FAR_OVERLAP);
        };
        let stamp = warmth.stamps[self.levels.len() - 1];
        let near = missing.part(llc.left(llc.cache_of(last), stamp));
        near.time_ps(self.transfer_ps[distance as usize], FAR_OVERLAP)
            + missing.less(near).time_ps(self.mem_ps, FAR_OVERLAP)
    }

    /// A task is switched out on `cpu`: now its lines are there.
    pub fn leave(&self, warmth: &mut Warmth, cpu: CpuId) {
        warmth.cpu = Some(cpu);
        for (stamp, level) in warmth.stamps.iter_mut().zip(&self.levels) {
            *stamp = level.inserted[usize::from(level.cache_of(cpu))];
        }
    }
}

impl Warmth {
    /// The CPU the task ran on last; none = it never ran.
    pub fn cpu(&self) -> Option<CpuId> {
        self.cpu
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::catalog::Machine;

    fn caches(name: &str) -> (Caches, Topology) {
        let machine = Machine::by_name(name).expect("in the catalog");
        let topology = machine.topology().expect("sound");
        (Caches::new(&machine.speeds, &topology), topology)
    }

    /// What a task that left CPU 0 long enough ago pays on `cpu`, nobody having run in between.
    fn moved(name: &str, ws_kb: u32, cpu: CpuId) -> u32 {
        let (mut caches, topology) = caches(name);
        let mut warmth = Warmth::default();
        caches.leave(&mut warmth, CpuId(0));
        let distance = topology.distance(CpuId(0), cpu);
        caches.enter(&warmth, ws_kb, cpu, distance).ns
    }

    /// The table of workloads-machines.md §3.4, Q6600.
    #[test]
    fn a_move_costs_what_the_table_says() {
        assert_eq!(moved("q6600", 24, CpuId(0)), 0);
        assert_eq!(moved("q6600", 24, CpuId(1)), 540 + 1_920);
        assert_eq!(moved("q6600", 24, CpuId(2)), 7_344 + 13_056);
        // One Nehalem core to another: through the shared L3, three fetches at a time.
        assert_eq!(moved("nehalem-ep-2x4x2", 24, CpuId(1)), (54 + 128) * 37);
        assert_eq!(moved("nehalem-ep-2x4x2", 24, CpuId(8)), 0);
    }

    #[test]
    fn a_preempted_task_finds_its_first_level_cold_and_its_second_warm() {
        let (mut caches, _) = caches("q6600");
        let mut warmth = Warmth::default();
        caches.leave(&mut warmth, CpuId(0));
        // Others have put 16 times the first level into it, and next to nothing into the second.
        caches.levels[0].inserted[0] += 16 * 512;
        let refill = caches.enter(&warmth, 32, CpuId(0), Distance::SelfCpu);
        assert_eq!(refill.ns, (54 * 5_800 + 512 * 5_800 / 2) / 1000);
        assert_eq!(refill.lines, 54 + 512);
        assert_eq!(caches.levels[0].inserted[0], 16 * 512 + 566);
        assert_eq!(caches.levels[1].inserted[0], 0);
    }

    #[test]
    fn a_set_decays_by_e_with_each_capacity_inserted() {
        let (mut caches, _) = caches("q6600");
        let mut left = Vec::new();
        for _ in 0..4 {
            left.push(part(1_000_000, caches.levels[0].left(3, 0)));
            caches.levels[0].inserted[3] += 512;
        }
        assert_eq!(left, [1_000_000, 367_879, 135_335, 49_787]);
        let exp = exp_table();
        assert_eq!((exp[64], exp[1024]), (1_580_030_169, 483));
    }

    #[test]
    fn a_new_task_and_a_free_machine_pay_nothing() {
        let (mut caches, _) = caches("tigerton-4x4");
        let refill = caches.enter(&Warmth::default(), 8, CpuId(3), Distance::SelfCpu);
        assert_eq!(refill, Refill::default());
        let mut free = Caches::free();
        let mut warmth = Warmth::default();
        free.leave(&mut warmth, CpuId(0));
        let refill = free.enter(&warmth, 8, CpuId(9), Distance::Remote);
        assert_eq!(refill, Refill::default());
        assert_eq!(warmth.cpu(), Some(CpuId(0)));
    }
}
