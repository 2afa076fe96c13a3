//! Wakeups: the kernel's order of steps, what they cost the waker, and when the other CPU notices.

use super::Sim;
use super::cpu::{Activity, Chain};
use super::thread::{Life, Phase};
use crate::event_queue::Slot;
use crate::machine::CpuId;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer};
use crate::sched::WakeFlags;
use crate::sched::decision::{MigrateWhy, Placement, PlacementWhy, Preempt};
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
    /// On which path?
    pub(super) path: WakePath,
}

/// Who pays for a wakeup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WakePath {
    /// The waker, as for any.
    First,
    /// The waker, for one more inside the same call.
    More,
    /// Nobody: the waker is beside the run.
    Beside,
}

/// A wakeup as it will be told, but for whether it preempts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Woken {
    task: TaskId,
    prev_cpu: CpuId,
    waker: Option<TaskId>,
    waker_cpu: CpuId,
    sync: bool,
    placement: Placement,
}

impl Woken {
    fn event(&self, preempt: Preempt) -> Event {
        Event::Wakeup {
            task: self.task,
            prev_cpu: self.prev_cpu,
            waker: self.waker,
            waker_cpu: self.waker_cpu,
            sync: self.sync,
            placement: self.placement,
            preempt,
        }
    }
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
        self.wake_of_chain(cpu, WakePath::First, obs);
    }

    /// Wakes the next of what a wake-all has left.
    pub(super) fn wake_next_of_chain(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        self.wake_of_chain(cpu, WakePath::More, obs);
    }

    fn wake_of_chain(&mut self, cpu: CpuId, path: WakePath, obs: &mut impl Observer) {
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
                path,
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
            path,
        } = wake;
        debug_assert_eq!(self.threads[task.index()].life, Life::Asleep);
        let flags = self.sched.wake_flags(sync);
        if self.sched.is_delayed(task) {
            return self.wake_where_queued(&wake, flags, obs);
        }
        let (woken, price, queues) = self.place(&wake, flags.sync, obs);
        let cpu = woken.placement.cpu;
        let thread = &mut self.threads[task.index()];
        thread.life = Life::Runnable;
        thread.woken_from = Some(this);
        thread.woken_at = self.now;
        self.runnable += 1;
        let mut cause = None;
        if !queues {
            let pending = self.sched.rq[cpu.index()].need_resched;
            self.sched.activate_task(task, true);
            if let Some(waker) = waker.filter(|_| process) {
                self.sched.record_wakeup_by(waker);
            }
            let preempt = self.sched.check_preempt_curr(cpu, task, flags);
            cause = preempt.yes.then_some(Cause::Wakeup);
            cause = cause
                .or_else(|| self.bandwidth_ran_out(cpu, pending))
                .or_else(|| self.charge_asked(cpu, pending));
            self.tell_counted(obs, &woken.event(preempt));
            self.push_woken((cpu, this), task, obs);
        }
        if path != WakePath::Beside {
            self.charge(this, Account::Kernel, self.price_of_path(path));
            self.charge(this, Account::Selection, price);
        }
        if queues {
            self.leave_on_list(woken);
        } else {
            self.reach_out((this, path), cpu, cause);
            self.sync_hrtick(this, cpu);
        }
    }

    /// The wakee sleeps, but is still queued for the time it owed: it is wanted again, without a look for another CPU
    /// (`ttwu_runnable`).
    fn wake_where_queued(&mut self, wake: &Wake, flags: WakeFlags, obs: &mut impl Observer) {
        let (task, this) = (wake.task, wake.this);
        let cpu = self.sched.tasks[task.index()].cpu;
        self.sched.update_rq_clock(cpu, Instant(self.now));
        let thread = &mut self.threads[task.index()];
        thread.life = Life::Runnable;
        thread.woken_from = Some(this);
        thread.woken_at = self.now;
        self.runnable += 1;
        let pending = self.sched.rq[cpu.index()].need_resched;
        self.sched.requeue_delayed_task(task);
        let preempt = self.sched.check_preempt_curr(cpu, task, flags);
        let cause = preempt.yes.then_some(Cause::Wakeup);
        let cause = cause.or_else(|| self.charge_asked(cpu, pending));
        let woken = Woken {
            task,
            prev_cpu: cpu,
            waker: wake.waker,
            waker_cpu: this,
            sync: wake.sync,
            placement: Placement {
                cpu,
                why: PlacementWhy::StillQueued,
                visited: 0,
            },
        };
        self.tell_counted(obs, &woken.event(preempt));
        self.charge(this, Account::Kernel, self.price_of_path(wake.path));
        self.reach_out((this, wake.path), cpu, cause);
        self.sync_hrtick(this, cpu);
    }

    #[inline]
    fn price_of_path(&self, path: WakePath) -> u32 {
        match path {
            WakePath::More => self.stage.costs.direct.wake_more,
            WakePath::First | WakePath::Beside => 0,
        }
    }

    /// Charging the running task of `cpu` on the way found its time over, though it was not to reschedule before.
    fn charge_asked(&self, cpu: CpuId, pending: bool) -> Option<Cause> {
        let asked = self.sched.rq[cpu.index()].need_resched && !pending;
        let running = self.sched.rq[cpu.index()].curr.is_some();
        (asked && running && self.sched.rules.is_eevdf()).then_some(Cause::Charge)
    }

    /// Selects a CPU for the wakee and gives it that: what the selection costs, and true if the wakee is to be left on
    /// that CPU's list.
    #[inline]
    fn place(&mut self, wake: &Wake, sync: bool, obs: &mut impl Observer) -> (Woken, u32, bool) {
        let (task, this, now) = (wake.task, wake.this, Instant(self.now));
        let prev_cpu = self.sched.tasks[task.index()].cpu;
        self.sched.update_rq_clock(prev_cpu, now);
        self.sched.record_wakee(this, task);
        if let Some(book) = obs.notebook() {
            book.selection(&self.sched, task, this, (SelectKind::Wake, sync));
        }
        let placement = self
            .sched
            .select_task_rq(task, this, SelectKind::Wake, sync);
        let price = self.stage.costs.select(this, placement.visited);
        self.sched.commit_selection(task, this, &placement, price);
        let cpu = placement.cpu;
        let queues = self.sched.queues_wakeup(this, cpu);
        if cpu != prev_cpu {
            if !queues {
                self.sched.update_target_clock(cpu, now);
            }
            self.charge_watcher(prev_cpu);
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
        let woken = Woken {
            task,
            prev_cpu,
            waker: wake.waker,
            waker_cpu: this,
            sync,
            placement,
        };
        (woken, price, queues)
    }

    /// Who runs on `cpu` may look at its own CPU clock all the time, so that the queue's `min_vruntime`, which a wakee
    /// that leaves it is measured against, is never far behind.
    fn charge_watcher(&mut self, cpu: CpuId) {
        let this = &self.cpus[cpu.index()];
        let computes = this.curr.filter(|_| this.activity == Activity::Run);
        let templates = &self.stage.world.templates;
        let watches = |task: TaskId| {
            let template = self.threads[task.index()].template;
            templates[template.0 as usize].watches_clock
        };
        if computes.is_some_and(watches) {
            self.sched.charge_curr(cpu);
        }
    }

    /// The wakee waits on the list of its CPU, which is interrupted to enqueue it; the waker is spared that.
    fn leave_on_list(&mut self, woken: Woken) {
        let (this, cpu) = (woken.waker_cpu, woken.placement.cpu);
        self.cpu(cpu).woken.push(woken);
        if self.sched.queue_wakeup(woken.task) {
            let at = self.told_at(this, cpu);
            self.cpu(cpu).interrupted_at = at;
            self.set_earlier(cpu, Slot::Ipi, at);
        }
    }

    /// The interrupt that a wakeup on another CPU sent to `cpu` may have been swept off the calendar by a schedule()
    /// there: it comes after that.
    #[inline]
    pub(super) fn expect_wakeups(&mut self, cpu: CpuId) {
        if !self.sched.rq[cpu.index()].wake_list.is_empty() {
            let this = &self.cpus[cpu.index()];
            let at = this.interrupted_at.max(this.begin).max(self.now);
            self.set_earlier(cpu, Slot::Ipi, at);
        }
    }

    /// In an interrupt, `cpu` enqueues the tasks that other CPUs have woken on it (`sched_ttwu_pending`).
    fn enqueue_woken(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        if self.sched.rq[cpu.index()].wake_list.is_empty() {
            return;
        }
        if self.cpus[cpu.index()].begin > self.now {
            return self.expect_wakeups(cpu);
        }
        self.sched.update_rq_clock(cpu, Instant(self.now));
        while let Some(task) = self.sched.next_queued_wakeup(cpu) {
            self.sched.activate_task(task, true);
            let flags = WakeFlags::default();
            let preempt = self.sched.check_preempt_curr(cpu, task, flags);
            let list = &mut self.cpu(cpu).woken;
            let of_task = list.iter().position(|woken| woken.task == task);
            if let Some(woken) = of_task.map(|at| list.swap_remove(at)) {
                self.tell_counted(obs, &woken.event(preempt));
            }
            self.push_woken((cpu, cpu), task, obs);
            // Its mask may have changed while it was on the list.
            if !self.sched.tasks[task.index()].allowed.contains(cpu) {
                self.cpu(cpu).evicted.push(task);
            }
            if preempt.yes {
                self.cpu(cpu).forced.get_or_insert(Cause::Wakeup);
            }
            let queue = self.stage.costs.direct.queue;
            self.charge(cpu, Account::Interrupt, queue);
        }
        self.sync_hrtick(cpu, cpu);
        self.after_interrupt(cpu);
    }

    /// Selecting a CPU is paid by whoever does it.
    pub(super) fn pay_selection(&mut self, this: CpuId, visited: u32) {
        let price = self.stage.costs.select(this, visited);
        self.charge(this, Account::Selection, price);
    }

    /// A task was put on the queue of `cpu` by `this`: what that costs, and when `cpu` acts on it.
    #[inline]
    pub(super) fn reach_out(
        &mut self,
        (this, path): (CpuId, WakePath),
        cpu: CpuId,
        cause: Option<Cause>,
    ) {
        if cpu != this && path != WakePath::Beside {
            let queue = self.stage.costs.direct.queue;
            self.charge(this, Account::Kernel, queue);
        }
        if let Some(cause) = cause {
            self.ask_to_resched(this, cpu, cause);
        }
    }

    /// `need_resched` of `cpu` was set by `this`: makes `cpu` notice. For a lazy request no interrupt is sent: it is
    /// noticed on the next way to user mode, at the latest by the tick (`__resched_curr`).
    pub(super) fn ask_to_resched(&mut self, this: CpuId, cpu: CpuId, cause: Cause) {
        self.cpu(cpu).forced.get_or_insert(cause);
        let target = &self.cpus[cpu.index()];
        let on_its_way = target.begin > self.now || target.activity == Activity::Idle;
        if this != cpu && self.sched.rq[cpu.index()].resched_lazy && !on_its_way {
            return;
        }
        let at = self.told_at(this, cpu);
        self.notice(cpu, at);
    }

    /// When `cpu` learns what `this` tells it now.
    pub(super) fn told_at(&self, this: CpuId, cpu: CpuId) -> u64 {
        let told = self.cpus[this.index()].begin.max(self.now);
        let costs = &self.stage.costs.direct;
        let target = &self.cpus[cpu.index()];
        match (cpu == this, target.activity) {
            (true, _) => told,
            (false, Activity::Idle) => {
                let share = self.stage.costs.smt_share_milli;
                let exit = target.slowed(costs.notify + costs.idle_exit, share);
                told + self.path_on(cpu, u64::from(exit)) + target.idle.exit_extra()
            }
            (false, _) => told + self.path_on(cpu, u64::from(costs.ipi)),
        }
    }

    /// `cpu` learns at `at` that it is to reschedule; earlier if it looks by itself.
    pub(super) fn notice(&mut self, cpu: CpuId, at: u64) {
        let target = &self.cpus[cpu.index()];
        let (begin, occupied) = (target.begin, target.begin > self.now);
        let open = self.may_interrupt(cpu);
        match target.activity {
            Activity::Idle => self.set_earlier(cpu, Slot::Resched, at.max(begin)),
            // On the way out of an interrupt, a system call or schedule(): it looks there.
            Activity::Run | Activity::Kernel if occupied && (open || !target.begun) => {
                self.set_earlier(cpu, Slot::Resched, begin);
            }
            Activity::Locked if occupied && !target.begun => {
                self.set_earlier(cpu, Slot::Resched, begin);
            }
            Activity::Run | Activity::Kernel if open && at <= self.now => {
                self.set_earlier(cpu, Slot::Resched, self.now);
            }
            Activity::Run | Activity::Kernel if open => self.set_earlier(cpu, Slot::Ipi, at),
            // At the end of what it does.
            _ => {}
        }
    }

    /// May what `cpu` does be interrupted for another task: computing always, the kernel where `preempt` lets it.
    #[inline]
    fn may_interrupt(&self, cpu: CpuId) -> bool {
        match self.cpus[cpu.index()].activity {
            Activity::Run => true,
            Activity::Kernel => self.sched.preempts_kernel(cpu),
            _ => false,
        }
    }

    pub(super) fn set_earlier(&mut self, cpu: CpuId, slot: Slot, at: u64) {
        if Instant(at) < self.queue.at(cpu, slot) {
            self.queue.set(cpu, slot, Instant(at));
        }
    }

    /// An interrupt from another CPU brings wakeups, or asks for a reschedule.
    pub(super) fn ipi_arrives(&mut self, cpu: CpuId, obs: &mut impl Observer) {
        if self.stage.ticks.nohz && self.cpus[cpu.index()].nohz_kick.any() {
            self.kicked(cpu, obs);
        }
        self.enqueue_woken(cpu, obs);
        if self.may_resched(cpu) && self.may_interrupt(cpu) {
            let at = self.cpus[cpu.index()].begin.max(self.now);
            self.set_earlier(cpu, Slot::Resched, at);
        }
    }

    /// Is a reschedule asked for, and allowed?
    #[inline]
    pub(super) fn may_resched(&self, cpu: CpuId) -> bool {
        let this = &self.cpus[cpu.index()];
        if !self.sched.rq[cpu.index()].need_resched && !this.stopper_is_due() {
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
            // Who has been asleep from before the run is woken by somebody beside it.
            let path = if self.threads[task.index()].phase == Phase::Fresh {
                WakePath::Beside
            } else {
                self.charge(cpu, Account::Interrupt, self.stage.costs.direct.timer);
                WakePath::First
            };
            let wake = Wake {
                task,
                waker: None,
                this: cpu,
                process: false,
                sync: false,
                path,
            };
            self.wake(wake, obs);
        }
        if self.sched.rq[cpu.index()].resched_lazy {
            return self.after_interrupt(cpu);
        }
        self.rearm(cpu);
    }
}
