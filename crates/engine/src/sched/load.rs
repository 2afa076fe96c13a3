//! What a CPU's load is taken to be: the weight on it now, and the averages of what the ticks saw.
//!
//! Not here: who compares loads. Source: kernel/sched.c of 2.6.31 and 2.6.32: `update_cpu_load`,
//! `source_load`, `target_load`, `weighted_cpuload`, `cpu_avg_load_per_task`.

use super::Sched;
use super::features::Feature;
use super::rules::RemoteWakeup;
use crate::machine::CpuId;

/// Averages that a run queue keeps (`CPU_LOAD_IDX_MAX`).
pub(super) const CPU_LOAD_IDX_MAX: usize = 5;

/// An average to be looked at beside the present load, if any.
#[derive(Clone, Copy)]
pub(super) struct LoadIndex(Option<usize>);

impl Sched {
    /// The tick's update of the averaged loads: index i follows the load with weight 2⁻ⁱ, rounded up while it
    /// rises, so that it arrives.
    pub fn update_cpu_load(&mut self, cpu: CpuId) {
        let rq = &mut self.rq[cpu.index()];
        let load = rq.load;
        for (i, average) in rq.cpu_load.iter_mut().enumerate() {
            let others = (1_u64 << i) - 1;
            let new = if load > *average { load + others } else { load };
            *average = (*average * others + new) >> i;
        }
    }

    /// More tasks are runnable on `cpu`; from two on the machine is overloaded (`add_nr_running`).
    pub(super) fn add_nr_running(&mut self, cpu: CpuId, tasks: u32) {
        let rq = &mut self.rq[cpu.index()];
        let before = rq.nr_running;
        rq.nr_running += tasks;
        rq.h_nr_running += tasks;
        self.overload |= before < 2 && rq.nr_running >= 2;
    }

    /// Has `cpu` only `SCHED_IDLE` tasks (`sched_idle_rq`)?
    pub(super) fn sched_idle_cpu(&self, cpu: CpuId) -> bool {
        let rq = &self.rq[cpu.index()];
        let idle_of = |group: usize| {
            let q = group * self.rq.len() + cpu.index();
            self.cfs_rq[q].idle_nr_running
        };
        rq.nr_running > 0 && rq.nr_running == (0..self.groups.len()).map(idle_of).sum::<u32>()
    }

    /// Does nothing run on `cpu`? Since 3.2 a CPU that was given something, or is about to be, is no longer idle
    /// (`idle_cpu`).
    #[inline]
    pub(super) fn idle_cpu(&self, cpu: CpuId) -> bool {
        let rq = &self.rq[cpu.index()];
        let looks = self.rules.remote_wakeup != RemoteWakeup::Locks;
        let given = looks && (rq.nr_running > 0 || !rq.wake_list.is_empty());
        rq.curr.is_none() && !given
    }

    /// The weight queued on `cpu` (`weighted_cpuload`).
    #[inline]
    pub(super) fn weighted_cpuload(&self, cpu: CpuId) -> u64 {
        self.rq[cpu.index()].load
    }

    /// Which average index `idx` of a domain table reads: 0 none, and with `NO_LB_BIAS` none either.
    #[inline]
    pub(super) fn load_index(&self, idx: u8) -> LoadIndex {
        let nth = usize::from(idx).checked_sub(1);
        let nth = nth.filter(|_| self.features.has(Feature::LbBias));
        LoadIndex(nth.map(|nth| nth.min(CPU_LOAD_IDX_MAX - 1)))
    }

    /// A low guess of the load of a CPU that tasks may leave: the smaller of now and the average.
    #[inline]
    pub(super) fn source_load(&self, cpu: CpuId, idx: LoadIndex) -> u64 {
        let rq = &self.rq[cpu.index()];
        idx.0.map_or(rq.load, |nth| rq.cpu_load[nth].min(rq.load))
    }

    /// A high guess of the load of a CPU that tasks may come to: the larger of now and the average.
    #[inline]
    pub(super) fn target_load(&self, cpu: CpuId, idx: LoadIndex) -> u64 {
        let rq = &self.rq[cpu.index()];
        idx.0.map_or(rq.load, |nth| rq.cpu_load[nth].max(rq.load))
    }

    /// Weight for each task on `cpu`; 0 if it has none.
    #[inline]
    pub(super) fn cpu_avg_load_per_task(&self, cpu: CpuId) -> u64 {
        let rq = &self.rq[cpu.index()];
        match rq.nr_running {
            0 => 0,
            1 => rq.load,
            nr => rq.load / u64::from(nr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::SchedSetup;
    use crate::sched::profile::Profile;
    use crate::time::Hz;

    fn idle_cpu() -> Sched {
        let profile = Profile::by_name("2.6.32").expect("a profile");
        let kernel = profile.kernel();
        Sched::new(&SchedSetup::boot(kernel, 1, Hz(1000)))
    }

    #[test]
    fn t134_averages_rise_by_ticks() {
        let mut s = idle_cpu();
        s.rq[0].load = 1024;
        let seen = [(); 3].map(|()| {
            s.update_cpu_load(CpuId(0));
            s.rq[0].cpu_load
        });
        let expected = [
            [1024, 512, 256, 128, 64],
            [1024, 768, 448, 240, 124],
            [1024, 896, 592, 338, 181],
        ];
        assert_eq!(seen, expected, "cfs/T134");
    }

    #[test]
    fn t135_an_average_decays_by_ticks() {
        let mut s = idle_cpu();
        s.rq[0].cpu_load[2] = 1024;
        let seen = [(); 3].map(|()| {
            s.update_cpu_load(CpuId(0));
            s.rq[0].cpu_load[2]
        });
        assert_eq!(seen, [768, 576, 432], "cfs/T135");
    }

    #[test]
    fn guesses_lean_away_from_moving_unless_lb_bias_is_off() {
        let mut s = idle_cpu();
        (s.rq[0].load, s.rq[0].cpu_load) = (1024, [0, 2048, 512, 0, 0]);
        let both = |s: &Sched, idx| {
            let idx = s.load_index(idx);
            (s.source_load(CpuId(0), idx), s.target_load(CpuId(0), idx))
        };
        assert_eq!(both(&s, 0), (1024, 1024));
        assert_eq!(both(&s, 2), (1024, 2048));
        assert_eq!(both(&s, 3), (512, 1024));
        s.features = s.features.with(Feature::LbBias, false);
        assert_eq!(both(&s, 3), (1024, 1024));
    }
}
