//! Tasks come and go: those there from the start, forks, ends.

use super::cpu::Activity;
use super::locks::DEFAULT_TRIES;
use super::thread::{Life, Phase, SpinState, Thread};
use super::wake::WakePath;
use super::{Sim, Stop};
use crate::machine::CpuId;
use crate::machine::cache::Warmth;
use crate::observe::event::Cause;
use crate::observe::{Account, Event, Observer};
use crate::sched::TaskSpec;
use crate::sched::decision::MigrateWhy;
use crate::sched::rq::GroupId;
use crate::sched::wakeup::SelectKind;
use crate::task::TaskId;
use crate::time::Instant;
use crate::workload::program::{Program, TemplateId};
use crate::workload::{Slept, Start, Template, World};
use alloc::vec::Vec;

impl Sim {
    /// Creates the tasks that are there from the start; each is forked, by an idle shell on its first CPU, when
    /// its time comes.
    pub(super) fn create_first_tasks(&mut self) {
        let starts: Vec<Start> = self.stage.world.templates.iter().map(|t| t.start).collect();
        for (at, start) in starts.into_iter().enumerate() {
            let template = TemplateId(at as u32);
            match start {
                Start::At(when) => {
                    let task = self.create(template, None, None);
                    let cpu = self.sched.tasks[task.index()].cpu;
                    self.queue.add_timer(when, cpu, task.0);
                }
                Start::Asleep(slept) => self.create_sleeper(template, slept),
                Start::Forked => {}
            }
        }
    }

    /// A task that has been asleep for long.
    fn create_sleeper(&mut self, template: TemplateId, slept: Slept) {
        let task = self.create(template, None, Some(slept.vruntime));
        self.sched.set_task_cpu(task, slept.cpu);
        self.sched.tasks[task.index()].wakees.flips = slept.flips;
        self.thread(task).life = Life::Asleep;
        self.queue.add_timer(slept.woken, slept.waker, task.0);
    }

    /// A task that does not run yet.
    fn create(
        &mut self,
        template: TemplateId,
        parent: Option<TaskId>,
        vruntime: Option<i64>,
    ) -> TaskId {
        let from = &self.stage.world.templates[template.0 as usize];
        let declared = self.declared_cpus(from);
        let above = parent.map(|p| &self.sched.tasks[p.index()]);
        let group = GroupId(u32::from(from.group));
        let spec = TaskSpec {
            nice: above
                .filter(|_| from.inherits.nice)
                .map_or(from.nice, |p| p.nice),
            policy: from.policy,
            allowed: parent
                .filter(|_| from.inherits.allowed)
                .map_or(declared, |p| self.sched.inherited_affinity(p, group)),
            group,
            parent,
            vruntime,
        };
        let thread = Thread {
            pc: from.program.start,
            rest: 0,
            interrupted: (Activity::Run, Account::Work),
            loops: [0; Program::MAX_DEPTH],
            depth: 0,
            phase: Phase::Fresh,
            life: Life::New,
            no_preempt: 0,
            got: 0,
            draws: 0,
            next: None,
            woken_from: None,
            space: from.space,
            ws_kb: from.ws_kb,
            warmth: Warmth::default(),
            slack: self.slack_of(from),
            expiry: 0,
            woken_at: 0,
            stamps: Vec::new(),
            here: None,
            period: None,
            template,
            parent,
            last_child: None,
            children: 0,
            joining: false,
            spin: SpinState {
                rounds: 0,
                tries: DEFAULT_TRIES,
                delay_us: 0,
                sleeps: 0,
            },
        };
        self.awaited += u32::from(from.ends);
        self.threads.push(thread);
        let slice = self.stage.world.templates[template.0 as usize].slice;
        let task = self.sched.new_task(spec);
        self.sched.set_slice(task, slice.map(|slice| slice.0));
        task
    }

    /// How late its timers fire: `timer_slack_ns`, but those of real-time tasks are exact (`hrtimer_nanosleep`).
    fn slack_of(&self, template: &Template) -> u64 {
        if template.policy.rt_priority() > 0 {
            return 0;
        }
        template.slack.unwrap_or(self.stage.costs.slack).0
    }

    /// A task that is there from the start starts on `cpu`.
    pub(super) fn start_first(&mut self, cpu: CpuId, task: TaskId, obs: &mut impl Observer) {
        self.start_new(cpu, None, task, obs);
    }

    /// The end of `fork`.
    pub(super) fn fork(
        &mut self,
        cpu: CpuId,
        parent: TaskId,
        template: TemplateId,
        obs: &mut impl Observer,
    ) {
        if self.threads.len() >= World::MAX_TASKS {
            self.stop = Some(Stop::Tasks);
            return;
        }
        let child = self.create(template, Some(parent), None);
        self.thread(parent).children += 1;
        self.start_new(cpu, Some(parent), child, obs);
    }

    /// `sched_fork` and `wake_up_new_task`.
    fn start_new(
        &mut self,
        this: CpuId,
        parent: Option<TaskId>,
        child: TaskId,
        obs: &mut impl Observer,
    ) {
        let now = Instant(self.now);
        let from = self.sched.tasks[child.index()].cpu;
        if self.sched.task_fork(child, from, now) {
            self.ask_to_resched(this, from, Cause::Fork);
        }
        if let Some(book) = obs.notebook() {
            book.selection(&self.sched, child, this, (SelectKind::Fork, false));
        }
        let placement = self
            .sched
            .select_task_rq(child, this, SelectKind::Fork, false);
        let cpu = placement.cpu;
        if cpu != from {
            self.sched.set_task_cpu(child, cpu);
            let why = MigrateWhy::Fork;
            self.tell_counted(
                obs,
                &Event::Migrate {
                    task: child,
                    from,
                    to: cpu,
                    why,
                },
            );
        }
        self.sched.update_rq_clock(cpu, now);
        let pending = self.sched.rq[cpu.index()].need_resched;
        let preempt = self.sched.wake_up_new_task(child, this);
        let thread = self.thread(child);
        thread.life = Life::Runnable;
        thread.woken_from = Some(this);
        self.runnable += 1;
        let template = self.thread(child).template;
        self.tell_counted(
            obs,
            &Event::Fork {
                parent,
                child,
                template,
                placement,
                preempt,
            },
        );
        let declared = self.declared_cpus(&self.stage.world.templates[template.0 as usize]);
        self.tell_affinity(child, declared, obs);
        self.pay_selection(this, placement.visited);
        self.push_woken((cpu, this), child, obs);
        let cause = preempt.yes.then_some(Cause::Fork);
        let cause = cause.or_else(|| self.bandwidth_ran_out(cpu, pending));
        self.reach_out((this, WakePath::First), cpu, cause);
    }

    /// The task is no more; schedule() takes it off its queue.
    pub(super) fn bury(&mut self, task: TaskId) {
        let thread = self.thread(task);
        thread.life = Life::Dead;
        let template = thread.template;
        self.runnable -= 1;
        if self.stage.world.templates[template.0 as usize].ends {
            self.awaited -= 1;
            if self.awaited == 0 && !self.stage.to_the_end {
                self.stop = Some(Stop::Done);
            }
        }
    }
}
