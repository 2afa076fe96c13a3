//! Components that are one type to Yew.
//!
//! Yew compiles the life of a component (making it, handing it other properties, drawing, taking it away) anew for each
//! type. To it all of ours are `Erased`, whose properties say which component they are of.

use std::any::Any;
use std::rc::Rc;
use yew::functional::{FunctionProvider, Hook, HookContext};
use yew::prelude::*;
use yew::virtual_dom::{Key, VComp, VNode};

/// A component with its properties.
trait Drawn {
    fn draw(&self, ctx: &mut HookContext) -> HtmlResult;
    fn same(&self, other: &dyn Drawn) -> bool;
    fn any(&self) -> &dyn Any;
}

/// The properties of a component that knows how to draw itself.
struct Of<C: FunctionProvider>(C::Properties);

impl<C: FunctionProvider + 'static> Drawn for Of<C> {
    fn draw(&self, ctx: &mut HookContext) -> HtmlResult {
        C::run(ctx, &self.0)
    }

    fn same(&self, other: &dyn Drawn) -> bool {
        let other = other.any().downcast_ref::<Self>();
        other.is_some_and(|other| other.0 == self.0)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

#[derive(Properties, Clone)]
struct ErasedProps {
    of: Rc<dyn Drawn>,
}

impl PartialEq for ErasedProps {
    fn eq(&self, other: &Self) -> bool {
        self.of.same(&*other.of)
    }
}

#[component]
fn Erased(props: &ErasedProps) -> HtmlResult {
    use_drawn(Rc::clone(&props.of))
}

/// Draws with the hooks of the component that is meant.
fn use_drawn(of: Rc<dyn Drawn>) -> impl Hook<Output = HtmlResult> {
    struct Draw(Rc<dyn Drawn>);
    impl Hook for Draw {
        type Output = HtmlResult;

        fn run(self, ctx: &mut HookContext) -> HtmlResult {
            self.0.draw(ctx)
        }
    }
    Draw(of)
}

/// The component `C` with `props`.
///
/// `name` is in the key: where another component stands at the same place later, Yew must not take it for this one.
pub(crate) fn part<C: FunctionProvider + 'static>(
    name: &str,
    key: Option<&str>,
    props: C::Properties,
) -> VNode {
    erased(name, key, Rc::new(Of::<C>(props)))
}

fn erased(name: &str, key: Option<&str>, of: Rc<dyn Drawn>) -> VNode {
    let key = [name, key.unwrap_or_default()].join(":");
    let comp = VComp::new::<Erased>(Rc::new(ErasedProps { of }), Some(Key::from(key)));
    VNode::VComp(Rc::new(comp))
}
