//! What the page's markup is made with: one small function for each thing that can be said of an element.
//!
//! `html!` (crates/markup) calls these. They build Yew's nodes, but nothing here is compiled anew for each element or
//! component: a component is told apart by what is in its properties, not by its type. What is shown is not known here.

mod effect;
mod part;
mod shown;
mod tag;
#[cfg(test)]
mod tests;

pub(crate) use effect::use_effect_with;
pub(crate) use part::part;
pub(crate) use schedlab_markup::html;
pub(crate) use shown::{nothing, shown, words};
pub(crate) use tag::{List, Shape, Tag};

/// The value of a `class` attribute from words and `Option`s of words.
macro_rules! classes {
    ($($class:expr),* $(,)?) => {
        $crate::dom::words(&[$(::core::convert::Into::<::core::option::Option<&str>>::into($class)),*])
    };
}
pub(crate) use classes;
