//! Elements and lists of nodes while they are being put together.

use super::shown::{Said, Shown};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Event;
use yew::Callback;
use yew::html::NodeRef;
use yew::virtual_dom::{
    AttrValue, AttributeOrProperty, Attributes, Key, Listener, ListenerKind, VList, VNode, VTag,
};

/// What is the same whenever an element is made.
pub(crate) struct Shape {
    /// Its name.
    pub(crate) tag: &'static str,
    /// The names of its attributes, the fixed ones first.
    pub(crate) keys: &'static [&'static str],
    /// The values of the fixed ones.
    pub(crate) fixed: &'static [&'static str],
}

/// An element to which things are added one after the other.
///
/// In a box, so that each call hands on a pointer.
pub(crate) struct Tag(Box<Making>);

struct Making {
    tag: VTag,
    keys: &'static [&'static str],
    values: Vec<Option<AttributeOrProperty>>,
    listeners: Vec<Option<Rc<dyn Listener>>>,
    children: Vec<VNode>,
}

impl Tag {
    /// An element with its fixed attributes.
    pub(crate) fn new(shape: &'static Shape) -> Self {
        let mut values = Vec::with_capacity(shape.keys.len());
        for text in shape.fixed {
            values.push(Some(AttributeOrProperty::Attribute(AttrValue::Static(
                text,
            ))));
        }
        Self(Box::new(Making {
            tag: VTag::new(shape.tag),
            keys: shape.keys,
            values,
            listeners: Vec::new(),
            children: Vec::new(),
        }))
    }

    /// The value of the next attribute.
    pub(crate) fn put(self, value: impl Said) -> Self {
        self.put_value(value.said())
    }

    #[inline(never)]
    fn put_value(mut self, value: Option<AttrValue>) -> Self {
        self.0
            .values
            .push(value.map(AttributeOrProperty::Attribute));
        self
    }

    /// What is called when `kind` happens.
    pub(crate) fn on<E: JsCast + 'static>(
        self,
        kind: fn() -> ListenerKind,
        told: Callback<E>,
    ) -> Self {
        self.listen(Rc::new(On {
            kind,
            told: move |event: Event| told.emit(event.unchecked_into()),
        }))
    }

    #[inline(never)]
    fn listen(mut self, listener: Rc<dyn Listener>) -> Self {
        self.0.listeners.push(Some(listener));
        self
    }

    /// What gets hold of the element when it is in the document.
    #[inline(never)]
    pub(crate) fn node(mut self, node: NodeRef) -> Self {
        self.0.tag.node_ref = node;
        self
    }

    /// What tells it apart from its siblings.
    #[inline(never)]
    pub(crate) fn key(mut self, key: impl Into<Key>) -> Self {
        self.0.tag.key = Some(key.into());
        self
    }

    /// The value of a field.
    pub(crate) fn value(self, value: impl Said) -> Self {
        self.field_value(value.said())
    }

    #[inline(never)]
    fn field_value(mut self, value: Option<AttrValue>) -> Self {
        self.0.tag.set_value(value);
        self
    }

    /// Is a box ticked?
    #[inline(never)]
    pub(crate) fn checked(mut self, on: bool) -> Self {
        self.0.tag.set_checked(on);
        self
    }

    /// One more child.
    #[inline(never)]
    pub(crate) fn child(mut self, node: VNode) -> Self {
        self.0.children.push(node);
        self
    }

    /// One more child.
    pub(crate) fn show(self, value: impl Shown) -> Self {
        self.child(value.node())
    }

    /// Any number of children.
    pub(crate) fn each<T: Shown>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        for value in values {
            self = self.child(value.node());
        }
        self
    }

    /// The element as it is now.
    #[inline(never)]
    pub(crate) fn done(self) -> VNode {
        let Making {
            mut tag,
            keys,
            values,
            listeners,
            children,
        } = *self.0;
        debug_assert_eq!(keys.len(), values.len(), "a value for each of {keys:?}");
        tag.attributes = Attributes::Dynamic {
            keys,
            values: values.into(),
        };
        if !listeners.is_empty() {
            tag.set_listeners(listeners.into());
        }
        if let Some(inside) = tag.children_mut() {
            *inside = several(children);
        }
        tag.into()
    }
}

/// Nodes beside each other.
pub(crate) struct List(Vec<VNode>);

impl List {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// One more.
    #[inline(never)]
    pub(crate) fn child(mut self, node: VNode) -> Self {
        self.0.push(node);
        self
    }

    /// One more.
    pub(crate) fn show(self, value: impl Shown) -> Self {
        self.child(value.node())
    }

    /// Any number.
    pub(crate) fn each<T: Shown>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        for value in values {
            self = self.child(value.node());
        }
        self
    }

    /// All of them.
    pub(crate) fn done(self) -> VNode {
        several(self.0)
    }
}

fn several(nodes: Vec<VNode>) -> VNode {
    VNode::VList(VList::with_children(nodes, None).into())
}

/// A listener.
struct On<F> {
    /// A function, because to copy a kind is to look at all eighty of them.
    kind: fn() -> ListenerKind,
    told: F,
}

impl<F: Fn(Event)> Listener for On<F> {
    fn kind(&self) -> ListenerKind {
        (self.kind)()
    }

    fn handle(&self, event: Event) {
        (self.told)(event);
    }

    fn passive(&self) -> bool {
        false
    }
}
