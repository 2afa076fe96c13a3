//! What happens in a run, as one small value each; names as the kernel's tracepoints have them.
//!
//! Plain data: no text, no references. Only the simulator makes events; `Event::Switch`, `Wakeup`, `Migrate`, `Fork`
//! and `Exit` are the ones that the hash covers.

use super::explain::Notebook;
use crate::machine::{CpuId, CpuMask};
use crate::sched::decision::{BalanceWhy, IdleType, MigrateWhy, PickWhy, Placement, Preempt, Tick};
use crate::sched::rq::GroupId;
use crate::task::TaskId;
use crate::time::{Instant, Nanos};
use crate::workload::ipc::ChannelId;
use crate::workload::program::{MarkId, TemplateId};

/// In which state a task left the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PrevState {
    /// Still runnable: it was preempted (`R`).
    Runnable,
    /// Still runnable: it gave way with `sched_yield` (`R`).
    Yielded,
    /// Asleep (`S`).
    Sleeping,
    /// Ended (`X`).
    Exited,
}

impl PrevState {
    /// Did it leave of its own accord (asleep or ended)? A yield counts as involuntary, as in `R` of
    /// sched_switch.
    pub const fn voluntary(self) -> bool {
        matches!(self, PrevState::Sleeping | PrevState::Exited)
    }
}

/// What asked for the reschedule that an involuntary switch answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cause {
    /// A wakeup on this CPU.
    Wakeup,
    /// A new task.
    Fork,
    /// The tick.
    Tick,
    /// The hrtick.
    Hrtick,
    /// A task pulled here by balancing.
    Balance,
    /// The task's own yield.
    Yield,
    /// A changed nice value.
    Nice,
    /// The stopper thread of active balancing ran.
    Stopper,
    /// A limit: the quota of a group, or that of real-time tasks.
    Bandwidth,
    /// It was charged because of another, and its time was over (EEVDF).
    Charge,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; 10] = [
        Cause::Wakeup,
        Cause::Fork,
        Cause::Tick,
        Cause::Hrtick,
        Cause::Balance,
        Cause::Yield,
        Cause::Nice,
        Cause::Stopper,
        Cause::Bandwidth,
        Cause::Charge,
    ];
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A CPU went from one task to another (`sched_switch`).
    Switch {
        /// The CPU.
        cpu: CpuId,
        /// The task that ran; none = idle.
        prev: Option<TaskId>,
        /// Its state now.
        state: PrevState,
        /// The task that runs; none = idle.
        next: Option<TaskId>,
        /// Why that one.
        why: PickWhy,
        /// What forced the switch, if `prev` is still runnable.
        forced: Option<Cause>,
    },
    /// A task became runnable (`sched_wakeup`).
    Wakeup {
        /// The task.
        task: TaskId,
        /// The CPU it last ran on.
        prev_cpu: CpuId,
        /// The task on the CPU that woke it; none = a timer.
        waker: Option<TaskId>,
        /// The CPU on which that happened.
        waker_cpu: CpuId,
        /// Did the waker promise to sleep soon?
        sync: bool,
        /// Where it went, and why.
        placement: Placement,
        /// Does it preempt there?
        preempt: Preempt,
    },
    /// A task changed its CPU (`sched_migrate_task`).
    Migrate {
        /// The task.
        task: TaskId,
        /// From there.
        from: CpuId,
        /// To there.
        to: CpuId,
        /// Why.
        why: MigrateWhy,
    },
    /// A task was created (`sched_process_fork`) and became runnable (`sched_wakeup_new`).
    Fork {
        /// Its parent; none = it is there from the start.
        parent: Option<TaskId>,
        /// The new task.
        child: TaskId,
        /// What it is made from: its name, its nice value.
        template: TemplateId,
        /// Where it went, and why.
        placement: Placement,
        /// Does it preempt there?
        preempt: Preempt,
    },
    /// A task ended (`sched_process_exit`).
    Exit {
        /// The task.
        task: TaskId,
        /// Where it ran.
        cpu: CpuId,
    },
    /// A tick.
    Tick {
        /// On that CPU.
        cpu: CpuId,
        /// What it decided.
        tick: Tick,
        /// Was it the hrtick?
        hrtick: bool,
    },
    /// One balancing attempt in one domain.
    Balance {
        /// The CPU that balances.
        cpu: CpuId,
        /// The domain, 0 = lowest.
        level: u8,
        /// What kind of balancing.
        idle: IdleType,
        /// How it ended.
        why: BalanceWhy,
        /// How many tasks it pulled.
        moved: u16,
    },
    /// The run queue of a group on a CPU was throttled for want of quota, or no longer is (`throttle_cfs_rq`,
    /// `unthrottle_cfs_rq`).
    Throttle {
        /// The CPU.
        cpu: CpuId,
        /// The group; 1 is the first below the root group.
        group: GroupId,
        /// Is it throttled now?
        throttled: bool,
    },
    /// A task may have other CPUs from now on: it or its cpuset was given others, or it is born with others than it was
    /// declared with (`sched_setaffinity`, `cpuset.cpus`).
    Affinity {
        /// The task.
        task: TaskId,
        /// The CPUs.
        allowed: CpuMask,
    },
    /// A task took a message from a channel.
    Message {
        /// The channel.
        channel: ChannelId,
        /// The task.
        task: TaskId,
        /// Bytes.
        bytes: u32,
    },
    /// A task passed a mark.
    Mark {
        /// Which mark.
        mark: MarkId,
        /// The task.
        task: TaskId,
        /// What it measured there, if it does.
        took: Option<Nanos>,
    },
}

/// Something that is told what happens, in order.
pub trait Observer {
    /// `event` happens at `now`.
    fn record(&mut self, now: Instant, event: &Event);

    /// Where what decisions compare is to be written down, if anyone wants to know.
    #[inline]
    fn notebook(&mut self) -> Option<&mut Notebook> {
        None
    }
}

impl Observer for () {
    #[inline]
    fn record(&mut self, _now: Instant, _event: &Event) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline]
    fn record(&mut self, now: Instant, event: &Event) {
        self.0.record(now, event);
        self.1.record(now, event);
    }

    #[inline]
    fn notebook(&mut self) -> Option<&mut Notebook> {
        self.0.notebook().or_else(|| self.1.notebook())
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    #[inline]
    fn record(&mut self, now: Instant, event: &Event) {
        (**self).record(now, event);
    }

    #[inline]
    fn notebook(&mut self) -> Option<&mut Notebook> {
        (**self).notebook()
    }
}
