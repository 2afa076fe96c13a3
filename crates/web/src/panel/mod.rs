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
mod playback;
mod run;

pub(crate) use column::Column;
pub(crate) use playback::PlaybackBar;

use crate::dom::html;
use crate::model::Change;
use crate::text::{Msg, fill, text};
use schedlab_engine::config::Config;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of every block.
#[derive(Properties, PartialEq)]
pub(crate) struct BlockProps {
    /// The configuration that is edited.
    pub(crate) config: Rc<Config>,
    /// What is searched for, in lower case; empty: nothing.
    pub(crate) query: AttrValue,
    /// Told of a change.
    pub(crate) on_change: Callback<Change>,
    /// Told that a nudge has come to its end.
    pub(crate) on_settle: Callback<()>,
}

/// In lower case. The browser has every alphabet; Rust would bring tables of 11 kB.
fn lower_case(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

/// Does any of `texts` contain `query`?
fn found(query: &str, texts: &[&str]) -> bool {
    query.is_empty() || texts.iter().any(|text| lower_case(text).contains(query))
}

/// The heading of what the kernel has not.
fn absent_head(props: &BlockProps) -> Html {
    let kernel = props.config.kernel.name;
    html! { <h3>{ fill(Msg::FeaturesAbsent, &[("kernel", kernel)]) }</h3> }
}

/// The heading of a block: how many of its settings are changed, and anything beside it.
fn block_head(title: Msg, changes: usize, beside: Html) -> Html {
    html! {
        <div class="block-head">
            <h2>{ text(title) }</h2>
            { beside }
            if changes > 0 {
                <span class="changed-count">{ fill(Msg::ChangesCount, &[("n", &changes.to_string())]) }</span>
            }
        </div>
    }
}
