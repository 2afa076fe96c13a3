//! Energy-aware placement: where a woken task costs the least, while no CPU is too busy to go by that.
//!
//! Of each performance domain two CPUs are tried: the one that the task last ran on, and the one that would have most to
//! spare. A speed is taken to follow utilisation, with a quarter of it as headroom (`schedutil`).
//! Not here: forks and execs, which go to the idlest group; what real-time tasks use, hints of utilisation (`uclamp`),
//! pressure of heat and interrupts.
//! Source: kernel/sched/fair.c of 6.6 to 7.1: `find_energy_efficient_cpu`, `compute_energy`, `eenv_pd_max_util`,
//! `eenv_pd_busy_time`; Documentation/scheduler/sched-energy.rst.

use super::{Ask, Step, placed};
use crate::machine::energy::{EnergyDomain, EnergyModel};
use crate::machine::{CpuId, CpuMask};
use crate::sched::Sched;
use crate::sched::decision::{Placement, PlacementWhy};
use crate::sched::pelt::fits_capacity;

/// What CPUs use and can do, if the task were somewhere.
struct Landscape<U, C> {
    /// Utilisation of a CPU if the task came to that one, or to none; by what tasks want, where that is asked for.
    util: U,
    /// What a CPU can do.
    capacity: C,
    /// What the task uses.
    task: u64,
    /// Is a quarter of utilisation added as headroom (`map_util_perf`)?
    headroom: bool,
}

impl<U, C> Landscape<U, C>
where
    U: Fn(CpuId, Option<CpuId>, bool) -> u64,
    C: Fn(CpuId) -> u64,
{
    /// What `domain` costs if the task comes to `dst`, or not there at all (`compute_energy`).
    fn energy(&self, domain: &EnergyDomain, dst: Option<CpuId>) -> u64 {
        let asks = |cpu: &CpuId| {
            let util = (self.util)(*cpu, dst, true);
            util + if self.headroom { util >> 2 } else { 0 }
        };
        let (cap, cpus) = (domain.capacity(), &domain.cpus);
        let max_util = cpus.iter().map(asks).max().unwrap_or(0).min(cap);
        let others: u64 = cpus.iter().map(|cpu| (self.util)(*cpu, None, false)).sum();
        let task = if dst.is_some() { self.task } else { 0 };
        domain.energy(max_util, (others + task).min(cap * cpus.len() as u64))
    }

    /// What `cpu` would have to spare with the task on it, if that fits.
    fn spare(&self, cpu: CpuId) -> Option<u64> {
        let (util, capacity) = ((self.util)(cpu, Some(cpu), false), (self.capacity)(cpu));
        fits_capacity(util, capacity).then(|| capacity - util)
    }

    /// The CPU of `cpus` where it costs the least; `prev`, unless another is strictly better, or it does not fit there.
    fn cheapest(
        &self,
        model: &EnergyModel,
        (prev, cpus): (CpuId, &CpuMask),
        note: &mut impl FnMut(Step),
    ) -> CpuId {
        let (mut at_prev, mut least, mut best) = (u64::MAX, u64::MAX, None);
        for domain in &model.domains {
            let mut of_prev = None;
            let mut most: Option<(u64, CpuId)> = None;
            for &cpu in domain.cpus.iter().filter(|cpu| cpus.contains(**cpu)) {
                match self.spare(cpu) {
                    Some(spare) if cpu == prev => of_prev = Some(spare),
                    Some(spare) if most.is_none_or(|(other, _)| spare > other) => {
                        most = Some((spare, cpu));
                    }
                    _ => {}
                }
            }
            let base = self.energy(domain, None);
            let mut more = |cpu: CpuId, spare: u64| {
                let more = self.energy(domain, Some(cpu)).saturating_sub(base);
                note(Step::Energy { cpu, spare, more });
                more
            };
            if let Some(spare) = of_prev {
                at_prev = more(prev, spare);
                least = least.min(at_prev);
            }
            if let Some((spare, cpu)) = most.filter(|(spare, _)| of_prev.is_none_or(|p| *spare > p))
            {
                let costs = more(cpu, spare);
                if best.is_none() || costs < least {
                    (least, best) = (costs, Some(cpu));
                }
            }
        }
        best.filter(|_| least < at_prev).unwrap_or(prev)
    }
}

/// The CPU for a woken task by energy; none where that is not to be gone by.
pub(super) fn find_energy_efficient_cpu(
    s: &Sched,
    ask: &Ask<'_>,
    note: &mut impl FnMut(Step),
) -> Option<Placement> {
    let model = s.energy.as_deref().filter(|_| !s.overutilized)?;
    let mut unequal = s.domains.of(ask.this).filter(|d| d.sd.asym_capacity);
    let within = unequal.find(|d| d.sd.span.contains(ask.prev))?;
    let task = s.sleeping_util_est(ask.id);
    // What uses nothing costs nothing anywhere.
    if task == 0 {
        return Some(placed(ask.prev, PlacementWhy::EnergyPrev, 0));
    }
    let landscape = Landscape {
        util: |cpu, dst, boost| s.cpu_util_if(cpu, (ask.id, dst), boost),
        capacity: |cpu| s.cpu_capacity(cpu),
        task,
        headroom: true,
    };
    let cpus = within.sd.span.and(&ask.task.allowed);
    let cpu = landscape.cheapest(model, (ask.prev, &cpus), note);
    let why = if cpu == ask.prev {
        PlacementWhy::EnergyPrev
    } else {
        PlacementWhy::EnergyBest
    };
    Some(placed(cpu, why, within.sd.cpus.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use alloc::vec::Vec;

    /// The example of Documentation/scheduler/sched-energy.rst: CPUs use 400, 100, 600 and 500, of which a task that last
    /// ran on CPU 0 uses 200.
    fn example(
        headroom: bool,
    ) -> Landscape<impl Fn(CpuId, Option<CpuId>, bool) -> u64, impl Fn(CpuId) -> u64> {
        Landscape {
            util: |cpu: CpuId, dst, _| {
                let others = [200, 100, 600, 500][cpu.index()];
                others + if dst == Some(cpu) { 200 } else { 0 }
            },
            capacity: |cpu: CpuId| [512, 512, 1024, 1024][cpu.index()],
            task: 200,
            headroom,
        }
    }

    fn model() -> EnergyModel {
        let machine = Machine::by_name("little-big-4").expect("in the catalog");
        EnergyModel::new(&machine.layout.energy).expect("its costs are known")
    }

    /// What the whole machine costs with the task on each of those CPUs, and where it goes.
    fn outcome(headroom: bool) -> (Vec<u64>, CpuId) {
        let (landscape, model) = (example(headroom), model());
        let total = |dst: u16| {
            let dst = CpuId(dst);
            let of =
                |d: &EnergyDomain| landscape.energy(d, Some(dst).filter(|c| d.cpus.contains(c)));
            model.domains.iter().map(of).sum()
        };
        let costs = [1, 3, 0].map(total).to_vec();
        let all = CpuMask::first(4);
        let mut tried = Vec::new();
        let cpu = landscape.cheapest(&model, (CpuId(0), &all), &mut |step| {
            if let Step::Energy { cpu, .. } = step {
                tried.push(cpu.0);
            }
        });
        assert_eq!(
            tried,
            [0, 1, 3],
            "those with most to spare, and where it was"
        );
        (costs, cpu)
    }

    /// Its three cases: the task on CPU 1, on CPU 3, and where it was. The least costs CPU 1.
    #[test]
    fn the_example_of_the_documentation() {
        assert_eq!(outcome(false), ([1364, 1485, 1437].to_vec(), CpuId(1)));
    }

    /// The text leaves out the headroom that the kernel adds. With it the little CPUs go at their highest speed for 300
    /// as for 400, so that CPU 1 costs no less than CPU 0, where the task stays.
    #[test]
    fn with_headroom_the_task_of_the_example_stays_where_it_was() {
        assert_eq!(outcome(true), ([1437, 2289, 1437].to_vec(), CpuId(0)));
    }
}
