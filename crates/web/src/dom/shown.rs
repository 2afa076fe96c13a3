//! What can stand in braces: as a child of an element, and as the value of an attribute.

use yew::virtual_dom::{AttrValue, VList, VNode, VText};

/// Something that can be a child.
pub(crate) trait Shown {
    /// Its node.
    fn node(self) -> VNode;
}

/// Something that can be the value of an attribute.
pub(crate) trait Said {
    /// The value; without one the attribute is left out.
    fn said(self) -> Option<AttrValue>;
}

/// `value` as a node.
pub(crate) fn shown(value: impl Shown) -> VNode {
    value.node()
}

/// No node at all.
pub(crate) fn nothing() -> VNode {
    VNode::VList(VList::new().into())
}

/// The words that are there, with blanks between them; without any there is no class.
pub(crate) fn words(words: &[Option<&str>]) -> Option<AttrValue> {
    let mut all = String::new();
    for word in words.iter().flatten().filter(|word| !word.is_empty()) {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(word);
    }
    (!all.is_empty()).then(|| all.into())
}

fn text(words: AttrValue) -> VNode {
    VNode::VText(VText::new(words))
}

impl Shown for VNode {
    fn node(self) -> VNode {
        self
    }
}

impl Shown for AttrValue {
    fn node(self) -> VNode {
        text(self)
    }
}

impl Shown for String {
    fn node(self) -> VNode {
        text(self.into())
    }
}

impl Shown for &str {
    fn node(self) -> VNode {
        text(self.to_string().into())
    }
}

impl<T: Shown + Clone> Shown for &T {
    fn node(self) -> VNode {
        self.clone().node()
    }
}

impl<T: Shown> Shown for Option<T> {
    fn node(self) -> VNode {
        self.map_or_else(nothing, Shown::node)
    }
}

impl Said for AttrValue {
    fn said(self) -> Option<AttrValue> {
        Some(self)
    }
}

impl Said for String {
    fn said(self) -> Option<AttrValue> {
        Some(self.into())
    }
}

impl Said for &'static str {
    fn said(self) -> Option<AttrValue> {
        Some(AttrValue::Static(self))
    }
}

/// An attribute that is there or is not.
impl Said for bool {
    fn said(self) -> Option<AttrValue> {
        self.then_some(AttrValue::Static(""))
    }
}

impl<T: Said> Said for Option<T> {
    fn said(self) -> Option<AttrValue> {
        self.and_then(Said::said)
    }
}
