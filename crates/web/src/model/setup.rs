//! What is simulated: one configuration, or two that are compared.

use schedlab_engine::config::{Config, WorkloadSpec};
use schedlab_engine::fragment;
use schedlab_engine::sched::profile::Profile;
use schedlab_engine::workload::WorkloadKind;
use std::rc::Rc;

/// One of the compared runs.
pub use crate::protocol::RunSide as Side;

/// A or B, or A alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The first, or only, configuration.
    pub a: Rc<Config>,
    /// The one it is compared with.
    pub b: Option<Rc<Config>>,
    /// The link that says so, as it was typed, where something of it was not understood.
    pub typed: Option<Rc<str>>,
}

/// One thing that a control does to a configuration.
#[derive(Clone)]
pub struct Change {
    apply: Rc<dyn Fn(&mut Config)>,
    /// Does it belong to both sides while they are linked: machine, workload, run settings?
    pub shared: bool,
    /// What kind of nudge it is, if it is one.
    pub merge: Option<&'static str>,
}

impl Change {
    /// A change of the kernel of one side.
    pub fn own(apply: impl Fn(&mut Config) + 'static) -> Self {
        Self {
            apply: Rc::new(apply),
            shared: false,
            merge: None,
        }
    }

    /// A change of what both sides have in common.
    pub fn shared(apply: impl Fn(&mut Config) + 'static) -> Self {
        Self {
            shared: true,
            ..Self::own(apply)
        }
    }

    /// The same as a nudge called `name`.
    #[must_use]
    pub fn nudge(self, name: &'static str) -> Self {
        Self {
            merge: Some(name),
            ..self
        }
    }

    /// What becomes of `config`.
    pub fn of(&self, config: &Config) -> Rc<Config> {
        let mut config = config.clone();
        (self.apply)(&mut config);
        Rc::new(config)
    }
}

/// A workload of that kind as it is offered: as the default experiment has it, else with its own defaults.
pub fn offered(kind: WorkloadKind) -> WorkloadSpec {
    let default = Config::default().workloads;
    let same = default.into_iter().find(|spec| spec.kind == kind);
    same.unwrap_or_else(|| WorkloadSpec::new(kind))
}

impl Setup {
    /// What the page shows when nothing else is asked for: hackbench with 200 000 messages on the machine of the 2009
    /// regression reports, the release before the regression against the one with it.
    pub fn welcome() -> Self {
        let mut a = Config::default();
        let b = Rc::new(a.clone());
        if let Some(before) = Profile::by_name("2.6.31") {
            a.set_kernel(before);
        }
        Self {
            a: Rc::new(a),
            b: Some(b),
            typed: None,
        }
    }

    /// `config` alone.
    pub fn single(config: Config) -> Self {
        Self {
            a: Rc::new(config),
            b: None,
            typed: None,
        }
    }

    /// A alone.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self {
            a: Rc::clone(&self.a),
            b: None,
            typed: None,
        }
    }

    /// What runs, without the link as it was typed.
    #[must_use]
    pub fn plain(&self) -> Self {
        Self {
            typed: None,
            ..self.clone()
        }
    }

    /// The sides there are.
    pub fn sides(&self) -> &'static [Side] {
        if self.b.is_some() {
            &[Side::A, Side::B]
        } else {
            &[Side::A]
        }
    }

    /// The configuration of one side; A's where there is no B.
    pub fn config(&self, side: Side) -> &Rc<Config> {
        match (side, &self.b) {
            (Side::B, Some(b)) => b,
            _ => &self.a,
        }
    }

    /// The same with `config` on one side.
    #[must_use]
    pub fn with(&self, side: Side, config: Rc<Config>) -> Self {
        match (side, &self.b) {
            (Side::B, Some(_)) => Self {
                a: Rc::clone(&self.a),
                b: Some(config),
                typed: None,
            },
            _ => Self {
                a: config,
                b: self.b.clone(),
                typed: None,
            },
        }
    }

    /// The same after `change` of `side`, or of both where it is shared and they are `linked`.
    #[must_use]
    pub fn changed(&self, side: Side, change: &Change, linked: bool) -> Self {
        if change.shared && linked {
            let b = self.b.as_ref().map(|b| change.of(b));
            return Self {
                a: change.of(&self.a),
                b,
                typed: None,
            };
        }
        self.with(side, change.of(self.config(side)))
    }

    /// A beside a B that is like it, but for what B had of its own in `before`.
    pub(super) fn compared_as(&self, before: Option<&Setup>) -> Self {
        let own = before.and_then(|before| Some((before, before.b.as_ref()?)));
        let b = match own {
            Some((before, b)) if before.a == self.a => Rc::clone(b),
            Some((before, b)) => {
                let own = fragment::difference(&before.a, b);
                let link = fragment::overlay(&fragment::print(&self.a), &own);
                Rc::new(fragment::parse(&link).0)
            }
            None => Rc::clone(&self.a),
        };
        Self {
            a: Rc::clone(&self.a),
            b: Some(b),
            typed: None,
        }
    }

    /// B before A.
    #[must_use]
    pub fn swapped(&self) -> Self {
        match &self.b {
            Some(b) => Self {
                a: Rc::clone(b),
                b: Some(Rc::clone(&self.a)),
                typed: None,
            },
            None => self.clone(),
        }
    }
}
