//! Yew's effect that depends on something, compiled once for all of them.

use std::any::Any;
use yew::functional::{Hook, HookContext};

/// What an effect depends on.
trait Depended {
    fn same(&self, other: &dyn Depended) -> bool;
    fn any(&self) -> &dyn Any;
}

impl<D: PartialEq + 'static> Depended for D {
    fn same(&self, other: &dyn Depended) -> bool {
        let other = other.any().downcast_ref::<D>();
        other.is_some_and(|other| other == self)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

struct On(Box<dyn Depended>);

impl PartialEq for On {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&*other.0)
    }
}

/// What an effect leaves to be done when it is over.
pub(crate) trait Over {
    /// To be called once.
    fn over(self) -> Option<Box<dyn FnOnce()>>;
}

impl Over for () {
    fn over(self) -> Option<Box<dyn FnOnce()>> {
        None
    }
}

impl<F: FnOnce() + 'static> Over for F {
    fn over(self) -> Option<Box<dyn FnOnce()>> {
        Some(Box::new(self))
    }
}

type Begin = Box<dyn FnOnce(&On) -> Option<Box<dyn FnOnce()>>>;

struct Effect(On, Begin);

impl Hook for Effect {
    type Output = ();

    fn run(self, ctx: &mut HookContext) {
        let Self(on, begin) = self;
        let hook = yew::functional::use_effect_with(on, move |on| {
            let over = begin(on);
            move || {
                if let Some(over) = over {
                    over();
                }
            }
        });
        hook.run(ctx);
    }
}

/// Calls `begin` after a drawing if `on` is not what it was, and what that gave before the next time.
pub(crate) fn use_effect_with<D: PartialEq + 'static, T: Over>(
    on: D,
    begin: impl FnOnce(&D) -> T + 'static,
) -> impl Hook<Output = ()> {
    Effect(
        On(Box::new(on)),
        Box::new(move |on: &On| {
            let on = on.0.any().downcast_ref::<D>();
            on.and_then(|on| begin(on).over())
        }),
    )
}
