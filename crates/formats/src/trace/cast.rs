//! Who is who: names of tasks, and who runs where, as a trace learns them from the events themselves.

use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::Event;
use schedlab_engine::task::TaskId;
use schedlab_engine::workload::World;
use schedlab_engine::workload::program::TemplateId;
use std::collections::BTreeMap;

/// The tasks that have appeared, and the task on each CPU.
pub(super) struct Cast<'w> {
    world: &'w World,
    templates: Vec<Option<TemplateId>>,
    curr: BTreeMap<CpuId, TaskId>,
}

impl<'w> Cast<'w> {
    pub(super) fn new(world: &'w World) -> Cast<'w> {
        Cast {
            world,
            templates: Vec::new(),
            curr: BTreeMap::new(),
        }
    }

    /// Learns a task's name before its event is written.
    pub(super) fn enter(&mut self, event: &Event) {
        if let Event::Fork {
            child, template, ..
        } = event
        {
            let index = child.index();
            if self.templates.len() <= index {
                self.templates.resize(index + 1, None);
            }
            self.templates[index] = Some(*template);
        }
    }

    /// Learns who runs where after a switch is written.
    pub(super) fn leave(&mut self, event: &Event) {
        if let Event::Switch { cpu, next, .. } = event {
            match next {
                Some(task) => self.curr.insert(*cpu, *task),
                None => self.curr.remove(cpu),
            };
        }
    }

    /// The task on `cpu`; none = idle.
    pub(super) fn curr(&self, cpu: CpuId) -> Option<TaskId> {
        self.curr.get(&cpu).copied()
    }

    /// The CPU that `task` runs on.
    pub(super) fn cpu_of(&self, task: TaskId) -> CpuId {
        let on = self.curr.iter().find(|(_, t)| **t == task);
        on.map_or(CpuId(0), |(cpu, _)| *cpu)
    }

    /// Its name, blanks as underscores so that tools find the end of it.
    pub(super) fn comm(&self, task: TaskId) -> String {
        let template = self.templates.get(task.index()).copied().flatten();
        let known = template.and_then(|t| self.world.templates.get(t.0 as usize));
        known.map_or_else(|| format!("task-{}", task.0), |t| t.name.replace(' ', "_"))
    }

    /// The kernel's priority number at birth: 120 is nice 0.
    pub(super) fn prio(&self, task: TaskId) -> i32 {
        let template = self.templates.get(task.index()).copied().flatten();
        let known = template.and_then(|t| self.world.templates.get(t.0 as usize));
        120 + known.map_or(0, |t| i32::from(t.nice.get()))
    }
}

/// The process id under which a task is shown.
pub(super) const fn pid(task: TaskId) -> u32 {
    task.0 + 1
}
