//! `html!`: the markup of the page's views, in the words of Yew's macro of that name, turned into far less code.
//!
//! Yew's macro writes out the making of each element where it stands, which was a quarter of the page's code. This one
//! calls one small function for each attribute, listener and child (`dom` in the crate that uses it). It reads tokens
//! only: what stands in braces is handed through as it is.

mod read;
mod write;

use proc_macro::TokenStream;

/// Markup as a `yew::Html`.
///
/// - `<tag name="text" name={value} {name} onevent={callback} ref={node} key={key}>…</tag>`, `<tag … />`, `<>…</>`
/// - `<Component prop={value} {prop} ..rest />`, with all properties that `rest` does not give
/// - `{ value }`, `{ for values }`, `if condition { … } else { … }`, `"text"`
#[proc_macro]
pub fn html(input: TokenStream) -> TokenStream {
    match read::nodes(input) {
        Ok(nodes) => write::root(&nodes),
        Err(fault) => fault.tell(),
    }
}
