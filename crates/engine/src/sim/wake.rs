//! Wakeups: the kernel's order of steps, what they cost the waker, and when the other CPU notices.

use super::Sim;
use super::cpu::{Activity, Chain};
use super::thread::Life;
use crate::event_queue::Slot;
use crate::machine::CpuId;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer};
use crate::sched::decision::MigrateWhy;
use crate::sched::wakeup::SelectKind;
use crate::task::TaskId;
use crate::time::Instant;
use crate::workload::ipc::WaitList;

/// A wakeup about to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake {
    /// Who is woken.
    pub(super) task: TaskId,
    /// By whom; none = by a timer.
    pub(super) waker: Option<TaskId>,
    /// On which CPU.
    pub(super) this: CpuId,
    /// Not from an interrupt: the waker's averages count.
    pub(super) process: bool,
    /// With the sync hint?
    pub(super) sync: bool,
    /// Is it one of a wake-all after the first, which is inside the path that wakes?
    pub(super) more: bool,
}

impl Sim {
    /// Wakes the sleepers of a list: the first at once, each further one when the wakeup before it is paid.
    #[inline]
    pub(super) fn wake_list(
        &mut self,
        cpu: CpuId,
        list: WaitList,
        (sync, process): (bool, bool),
        obs: &mut impl Observer,
    ) {
        if list.is_empty() {
            return;
        }
        self.cpu(cpu).chain = Chain {
            list,
            sync,
            process,
        };
        self.wake_of_chain(cpu, false, obs);
    }

    /// Wakes the next of what a wake-all has left.
    pub(super) fn wake_next_of_chain(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        self.wake_of_chain(cpu, true, obs);
    }

    fn wake_of_chain(&mut self, cpu: CpuId, more: bool, obs: &mut impl Observer) {
        let Chain {
            mut list,
            sync,
            process,
        } = self.cpu(cpu).chain;
        let Some(task) = self.pop_front(&mut list) else {
            return;
        };
        self.cpu(cpu).chain.list = list;
        let waker = self.cpu(cpu).curr;
        self.wake(
            Wake {
                task,
                waker,
                this: cpu,
                process,
                sync,
                more,
            },
            obs,
        );
    }

    /// `try_to_wake_up`.
    pub(super) fn wake(&mut self, wake: Wake, obs: &mut impl Observer) {
        let Wake {
            task,
            waker,
            this,
            process,
            sync,
            more,
        } = wake;
        debug_assert_eq!(self.threads[task.index()].life, Life::Asleep);
        let now = Instant(self.now);
        let flags = self.sched.wake_flags(sync);
        let sync = flags.sync;
        let prev_cpu = self.sched.tasks[task.index()].cpu;
        self.sched.update_rq_clock(prev_cpu, now);
        if let Some(book) = obs.notebook() {
            book.selection(&self.sched, task, this, (SelectKind::Wake, sync));
        }
        let placement = self
            .sched
            .select_task_rq(task, this, SelectKind::Wake, sync);
        let cpu = placement.cpu;
        if cpu != prev_cpu {
            self.sched.update_target_clock(cpu, now);
            self.sched.set_task_cpu(task, cpu);
            let why = MigrateWhy::Wakeup;
            self.tell_counted(
                obs,
                &Event::Migrate {
                    task,
                    from: prev_cpu,
                    to: cpu,
                    why,
                },
            );
        }
        self.sched.activate_task(task, true);
        if let Some(waker) = waker.filter(|_| process) {
            self.sched.record_wakeup_by(waker);
        }
        let preempt = self.sched.check_preempt_curr(cpu, task, flags);
        let thread = &mut self.threads[task.index()];
        thread.life = Life::Runnable;
        thread.woken_from = Some(this);
        self.runnable += 1;
        let event = Event::Wakeup {
            task,
            prev_cpu,
            waker,
            waker_cpu: this,
            sync,
            placement,
            preempt,
        };
        self.tell_counted(obs, &event);
        let extra = if more {
            self.stage.costs.direct.wake_more
        } else {
            0
        };
        self.charge(this, Account::Kernel, extra);
        self.pay_selection(this, placement.visited);
        self.reach_out(this, cpu, preempt.yes.then_some(Cause::Wakeup));
        self.sync_hrtick(cpu);
    }

    /// Selecting a CPU is paid by whoever does it.
    pub(super) fn pay_selection(&mut self, this: CpuId, visited: u32) {
        let price = self.stage.costs.select(this, visited);
        self.charge(this, Account::Selection, price);
    }

    /// A task was put on the queue of `cpu` by `this`: what that costs, and when `cpu` acts on it.
    pub(super) fn reach_out(&mut self, this: CpuId, cpu: CpuId, cause: Option<Cause>) {
        if cpu != this {
            let queue = self.stage.costs.direct.queue;
            self.charge(this, Account::Kernel, queue);
        }
        if let Some(cause) = cause {
            self.ask_to_resched(this, cpu, cause);
        }
    }

    /// `need_resched` of `cpu` was set by `this`: makes `cpu` notice.
    pub(super) fn ask_to_resched(&mut self, this: CpuId, cpu: CpuId, cause: Cause) {
        self.cpu(cpu).forced.get_or_insert(cause);
        let told = self.cpus[this.index()].begin.max(self.now);
        let costs = &self.stage.costs.direct;
        let target = &self.cpus[cpu.index()];
        let at = match (cpu == this, target.activity) {
            (true, _) => told,
            (false, Activity::Idle) => {
                let share = self.stage.costs.smt_share_milli;
                let exit = target.slowed(costs.notify + costs.idle_exit, share);
                told + u64::from(exit) + target.idle.exit_extra()
            }
            (false, _) => told + u64::from(costs.ipi),
        };
        self.notice(cpu, at);
    }

    /// `cpu` learns at `at` that it is to reschedule; earlier if it looks by itself.
    pub(super) fn notice(&mut self, cpu: CpuId, at: u64) {
        let target = &self.cpus[cpu.index()];
        let (begin, occupied) = (target.begin, target.begin > self.now);
        match target.activity {
            Activity::Idle => self.set_earlier(cpu, Slot::Resched, at.max(begin)),
            // On the way out of an interrupt, a system call or schedule(): it looks there.
            Activity::Run if occupied => self.set_earlier(cpu, Slot::Resched, begin),
            Activity::Kernel if occupied && !target.begun => {
                self.set_earlier(cpu, Slot::Resched, begin);
            }
            Activity::Run if at <= self.now => self.set_earlier(cpu, Slot::Resched, self.now),
            Activity::Run => self.set_earlier(cpu, Slot::Ipi, at),
            // At the end of what it does.
            Activity::Kernel | Activity::KernelSpin | Activity::Tail => {}
        }
    }

    fn set_earlier(&mut self, cpu: CpuId, slot: Slot, at: u64) {
        if Instant(at) < self.queue.at(cpu, slot) {
            self.queue.set(cpu, slot, Instant(at));
        }
    }

    /// An interrupt from another CPU asks for a reschedule.
    pub(super) fn ipi_arrives(&mut self, cpu: CpuId) {
        if self.may_resched(cpu) && self.cpus[cpu.index()].activity == Activity::Run {
            let at = self.cpus[cpu.index()].begin.max(self.now);
            self.set_earlier(cpu, Slot::Resched, at);
        }
    }

    /// Is a reschedule asked for, and allowed?
    #[inline]
    pub(super) fn may_resched(&self, cpu: CpuId) -> bool {
        let this = &self.cpus[cpu.index()];
        if !self.sched.rq[cpu.index()].need_resched && this.stopper.is_none() {
            return false;
        }
        this.curr
            .is_none_or(|task| self.threads[task.index()].no_preempt == 0)
    }

    /// A sleeping task's timer fires on `cpu`, or the time of a task that is there from the start has come.
    pub(super) fn timer_fires(&mut self, cpu: CpuId, task: TaskId, obs: &mut impl Observer) {
        self.settle(cpu);
        if self.threads[task.index()].life == Life::New {
            self.start_first(cpu, task, obs);
        } else {
            self.charge(cpu, Account::Interrupt, self.stage.costs.direct.timer);
            let wake = Wake {
                task,
                waker: None,
                this: cpu,
                process: false,
                sync: false,
                more: false,
            };
            self.wake(wake, obs);
        }
        self.rearm(cpu);
    }
}
