//! The page and its worker. One wasm module in two roles: on the page it draws, in a worker it simulates.
//!
//! Rooms: `protocol` (what the two say to each other), `view` (the pictures), `app` (the root component), `worker`,
//! `boot` (how the page starts the worker). A library, so that what has no browser in it is tested without one.

mod address;
mod app;
mod boot;
#[cfg(any(test, feature = "demo"))]
pub mod demo;
mod dom;
mod engine;
pub mod format;
mod header;
pub mod keyboard;
pub mod model;
mod notes;
pub mod number;
mod panel;
mod part;
mod parts;
pub mod protocol;
mod remarks;
#[cfg(all(test, target_arch = "wasm32"))]
mod same_hash;
mod sheets;
pub mod slider;
mod stage;
pub mod text;
mod theme;
mod tiles;
pub mod typed;
pub mod url;
pub mod view;
mod why;
mod worker;

/// Wakes up in the role that the kind of global scope asks for. Nothing is decided here beyond that.
pub fn start() {
    // The site that is shipped says nothing where it panics (`-Cpanic=immediate-abort`).
    #[cfg(debug_assertions)]
    console_error_panic_hook::set_once();
    match boot::worker_scope() {
        Some(scope) => worker::start(&scope),
        None => {
            yew::Renderer::<app::App>::new().render();
        }
    }
}
