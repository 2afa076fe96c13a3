//! What a run has used so far: CPU time by account, and by task.

use super::Sim;
use crate::machine::CpuId;
use crate::observe::Accounts;
use crate::task::TaskId;

impl Sim {
    /// Where the time of `cpu` went up to now; the sum is the time.
    pub fn accounts(&self, cpu: CpuId) -> Accounts {
        self.cpus[cpu.index()].accounts_at(self.now)
    }

    /// What the kernel has charged `task` so far, ns.
    pub fn sum_exec(&self, task: TaskId) -> u64 {
        let se = self.sched.tasks[task.index()].se;
        self.sched.se[se.0 as usize].sum_exec
    }

    /// Tasks so far, those not started and those ended included.
    pub fn tasks(&self) -> usize {
        self.threads.len()
    }
}
