//! The setup column: everything about an experiment that can be changed.
//!
//! Each block walks a table of the engine (machines, releases, commits, tunables, features, flags, workloads); a new
//! row there is a new control here. A block gets a configuration and tells of a [`Change`]; whose configuration it is
//! and what follows is decided in [`column`]. Nothing here simulates.

pub(crate) mod changes;
mod column;
mod domains;
mod features;
mod kernel;
mod knobs;
mod load;
mod machine;
mod map;
mod run;

pub(crate) use column::Column;

use crate::model::Change;
use schedlab_engine::config::Config;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of every block.
#[derive(Properties, PartialEq)]
pub(crate) struct BlockProps {
    /// The configuration that is edited.
    pub(crate) config: Rc<Config>,
    /// What is searched for, in lower case; empty: nothing.
    #[prop_or_default]
    pub(crate) query: AttrValue,
    /// Told of a change.
    pub(crate) on_change: Callback<Change>,
    /// Told that a nudge has come to its end.
    #[prop_or_default]
    pub(crate) on_settle: Callback<()>,
}

/// Does any of `texts` contain `query`?
fn found(query: &str, texts: &[&str]) -> bool {
    query.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(query))
}

/// Properties of [`BlockHead`].
#[derive(Properties, PartialEq)]
struct HeadProps {
    /// The heading.
    title: AttrValue,
    /// How many of its settings are changed.
    #[prop_or_default]
    changes: usize,
    /// Anything beside the heading.
    #[prop_or_default]
    children: Html,
}

/// The heading of a block.
#[component]
fn BlockHead(props: &HeadProps) -> Html {
    use crate::text::{Msg, plural};
    html! {
        <div class="block-head">
            <h2>{ props.title.clone() }</h2>
            { props.children.clone() }
            if props.changes > 0 {
                <span class="changed-count">{ plural(props.changes, Msg::ChangesOne, Msg::ChangesMany) }</span>
            }
        </div>
    }
}
